"""What every test of the built pages needs: the pages, a server, a browser."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import check_book
import pytest
from browser import chromium, empty_tab, find_chromium, serving

from tests.book.look_at_pages import LOOKS
from tests.book.record import Findings
from tests.book.visits import Visit, way, whole

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each worker whole visits and whole files, so that no two of them open the same page."""
    if config.getvalue("dist") != "loadscope":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class WholeVisits(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return whole(nodeid)

    return WholeVisits(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let files come before pages, and skip, saying why, what needs a browser where there is none.

    A file takes up to a minute and a half and a page some seconds: with the short ones at the end
    no worker waits long for another.
    """
    items.sort(key=lambda item: whole(item.nodeid) != item.nodeid.partition("::")[0])
    reason = "no Chromium found (install one, or name it in the environment variable CHROMIUM)"
    if find_chromium() is None:
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def html() -> Path:
    """The folder with the built pages."""
    if not (check_book.HTML / "index.html").is_file():
        pytest.fail("there are no built pages to test: run `make book` first", pytrace=False)
    return check_book.HTML


@pytest.fixture(scope="session")
def pages(html: Path) -> dict[str, check_book.Page]:
    """Every page of the book, parsed, by its name."""
    return check_book.read_pages(html)


@pytest.fixture(scope="session")
def site(html: Path) -> Iterator[str]:
    """The address of a server that offers the built pages, without a slash at its end."""
    with serving(html) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of this process."""
    with chromium() as started:
        yield started


@pytest.fixture
def visit(browser: Browser, html: Path, site: str) -> Iterator[Callable[..., Visit]]:
    """Open a page: ``visit("book/intro", scheme="dark", width=390, over="file")``.

    The page is loaded and its explorers are mounted when the call returns.
    """
    contexts: list[Any] = []

    def open_page(
        name: str,
        *,
        scheme: str = "light",
        width: int = 1280,
        over: str = "http",
    ) -> Visit:
        base = site if over == "http" else html.as_uri()
        opened = Visit(empty_tab(browser, scheme, width))
        contexts.append(opened.tab.context)
        opened.go(f"{base}/{name}.html")
        return opened

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def show(browser: Browser) -> Iterator[Callable[..., Tab]]:
    """Open an address; when the test ends, it must have asked no other host and raised no error."""
    seen: list[Visit] = []

    def opened(
        address: str,
        *,
        theme: str = "light",
        width: int = 1280,
        scripts: bool = True,
        touch: bool = False,
    ) -> Tab:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            java_script_enabled=scripts,
            has_touch=touch,
            reduced_motion="reduce",
        )
        seen.append(Visit(context.new_page()))
        seen[-1].load(address)
        seen[-1].tab.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        return seen[-1].tab

    yield opened
    for each in seen:
        each.tab.context.close()
    own = ("file:", "data:", "blob:", "http://127.0.0.1:")
    requests = [url for each in seen for url in each.requests]
    assert requests and [url for url in requests if not url.startswith(own)] == []
    assert [text for each in seen for text in each.complaints] == []


@pytest.fixture(scope="session")
def found_at(browser: Browser, html: Path, site: str) -> Callable[[str, str], Findings]:
    """Return what is found at a page by a kind of look, which is made once at most."""

    @functools.cache
    def made(kind: str, page: str) -> Findings | Exception:
        kept, _, look = LOOKS[kind]
        base = site if way(page)[0] == "http" else html.as_uri()
        try:
            return look(browser, base, page, kept.known(html, page))
        except Exception as error:  # every test of the page reports it, none waits for it again
            return error

    def found(kind: str, page: str) -> Findings:
        result = made(kind, page)
        if isinstance(result, Exception):
            raise result
        return result

    return found
