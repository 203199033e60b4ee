"""The built pages in a real browser: on their own, on a phone, in the dark, for every reader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import axe_playwright_python
import check_book
import pytest

pytestmark = pytest.mark.browser

CHAPTERS = check_book.chapters()
PAGES = [*CHAPTERS, "search", "genindex"]
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")

# the fixture `visit`; what it opens has a tab, the requests and the complaints so far
Open = Callable[..., Any]


def outside(requests: list[str], over: str) -> list[str]:
    """Return the requests that leave the folder, or the server, that a page came from."""
    own = ("file", "") if over == "file" else ("http", "127.0.0.1")
    parts = [(url, urlsplit(url)) for url in requests]
    return [
        url
        for url, part in parts
        if part.scheme not in {"data", "blob"} and (part.scheme, part.hostname or "") != own
    ]


@pytest.mark.parametrize("over", ["http", "file"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_needs_no_other_host_and_raises_no_error(name: str, over: str, visit: Open) -> None:
    page = visit(name, over=over)
    assert page.requests, "no request was seen at all"
    assert outside(page.requests, over) == []
    assert page.complaints == []


def test_what_formulas_load_on_demand_comes_from_this_book(visit: Open) -> None:
    page = visit("book/intro")
    wanted = ["[tex]/cancel", "a11y/explorer"]
    page.tab.evaluate("names => MathJax.loader.load(...names).then(() => 1)", wanted)
    loaded = {urlsplit(url).path.rpartition("vendor/mathjax/")[2] for url in page.requests}
    assert {"input/tex/extensions/cancel.js", "a11y/explorer.js", "a11y/sre.js"} <= loaded
    assert outside(page.requests, "http") == []
    assert page.complaints == []


def findings(page: Any) -> list[str]:
    """Open every box of the page, let axe look at all of it, and return what it finds."""
    page.tab.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    page.tab.evaluate(AXE)
    found = page.tab.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        f"{rule['id']} ({rule['impact']}) at {node['target']}: {node['html'][:200]}"
        f" {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(name: str, width: int, scheme: str, visit: Open) -> None:
    assert findings(visit(name, scheme=scheme, width=width)) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_never_scrolls_sideways(name: str, visit: Open) -> None:
    page = visit(name, width=390)
    page.tab.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    widths = page.tab.evaluate(
        """() => ({
            page: document.documentElement.scrollWidth,
            window: document.documentElement.clientWidth,
            wide: [...document.querySelectorAll('article *')]
                .filter(each => each.getBoundingClientRect().right > innerWidth + 1
                    && ![...ancestors(each)].some(box => box.scrollWidth > box.clientWidth
                        && getComputedStyle(box).overflowX !== 'visible'))
                .map(each => each.outerHTML.slice(0, 120)),
        });
        function* ancestors(each) {
            while ((each = each.parentElement) && each.tagName !== 'ARTICLE') yield each;
        }"""
    )
    assert widths["page"] <= widths["window"], widths
    assert widths["wide"] == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_formula_is_set_and_none_is_an_error(name: str, visit: Open, pages: dict) -> None:
    page = visit(name)
    formulas = len(pages[f"{name}.html"].soup.select("span.math, div.math"))
    assert page.tab.locator("mjx-container").count() >= formulas
    assert page.tab.locator("mjx-merror").all_inner_texts() == []


def test_the_reader_can_switch_to_dark_and_the_page_follows(visit: Open) -> None:
    page = visit("book/intro", scheme="light")
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.tab.evaluate(colour)
    for _ in range(3):  # the button goes round: auto, light, dark
        page.tab.locator(".theme-switch-button:visible").first.click()
        if page.tab.locator("html").get_attribute("data-theme") == "dark":
            break
    assert page.tab.evaluate(colour) != light
    shown = page.tab.locator(".logo__image:visible").get_attribute("src") or ""
    assert shown.endswith("logo-dark.svg")


@pytest.mark.parametrize("over", ["http", "file"])
def test_search_finds_the_page_that_holds_a_word(over: str, visit: Open) -> None:
    page = visit("search", over=over)
    page.tab.goto(page.tab.url + "?q=glossary")
    found = page.tab.locator("#search-results li a").first
    found.wait_for()
    targets = page.tab.locator("#search-results li a").evaluate_all("all => all.map(a => a.href)")
    assert any("reference/notation.html" in target for target in targets), targets


def test_the_sidebar_of_a_phone_opens_by_keyboard_and_has_no_findings(visit: Open) -> None:
    page = visit("book/intro", width=390)
    button = page.tab.locator(".primary-toggle:visible").first
    button.focus()
    page.tab.keyboard.press("Enter")
    link = page.tab.locator("#pst-primary-sidebar-modal a", has_text="How to read").first
    link.wait_for()
    assert findings(page) == []


def test_the_title_page_shows_the_books_own_mark(visit: Open) -> None:
    page = visit("book/intro")
    icon = page.tab.locator("link[rel~=icon]").get_attribute("href") or ""
    assert icon.endswith("favicon.svg")
    size = page.tab.locator(".logo__image:visible").evaluate("each => each.naturalWidth")
    assert size > 0
