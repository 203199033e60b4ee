"""One visit to a page of the book: everything that the tests want to see there, in one go.

Loading a page and setting its formulas takes a browser seconds. A page is therefore opened once,
all its boxes are opened, and what is wrong is written down; then the window becomes that of
the other reader, and it is written down again. The tests read that: one test for each promise, so
that a failure names the promise and the page. Half of the pages come from a server and
begin wide and light, the others come from a folder and begin on a phone in the dark. Of a page that
has not changed it is on record (`record`) what axe found and what the second reader saw, and only
the first one visits it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import check_book
import pytest
from browser import empty_tab, settle

from tests.book import accessible, record

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage
    from playwright.sync_api import Page as Tab


@dataclass
class Visit:
    """A page in the browser, and everything it asked for or complained about so far."""

    tab: Tab
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(f"{message.text} ({message.location['url']})")

    def load(self, address: str) -> None:
        """Load a page, and listen to it."""
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.tab.on("console", self._hear)
        self.tab.goto(address, wait_until="load")

    def go(self, address: str) -> None:
        """Load a page; its explorers are mounted on return."""
        self.load(address)
        settle(self.tab)


@dataclass(frozen=True)
class Reader:
    """How somebody looks at a page."""

    name: str
    width: int
    scheme: str

    def __str__(self) -> str:
        return self.name


READERS = DESK, PHONE = Reader("desk", 1280, "light"), Reader("phone", 390, "dark")


def pages() -> list[str]:
    """List the pages that are visited: those of the contents, the search and the index."""
    return [*check_book.chapters(), "search", "genindex"]


def way(name: str) -> tuple[str, tuple[Reader, Reader]]:
    """Return where a page comes from, ``"http"`` or ``"file"``, and who looks at it in turn."""
    if zlib.crc32(name.encode()) % 2:
        return "file", (PHONE, DESK)
    return "http", (DESK, PHONE)


# The page itself if it is wider than its window, and what sticks out to the right and neither
# scrolls in a box around it nor is clipped in a drawing.
TOO_WIDE = """() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const page = scrollWidth > clientWidth ? [`page: ${scrollWidth} > ${clientWidth}`] : [];
    const ancestors = function* (each) {
        while ((each = each.parentElement) && each.tagName !== 'ARTICLE') yield each;
    };
    const parts = [...document.querySelectorAll('article *')]
        .filter(each => each.getBoundingClientRect().right > innerWidth + 1
            && !each.closest('svg [clip-path]')
            && ![...ancestors(each)].some(box => box.scrollWidth > box.clientWidth
                && getComputedStyle(box).overflowX !== 'visible'))
        .map(each => each.outerHTML.slice(0, 120));
    return [...page, ...parts];
}"""


# The page has followed the reader's scheme and has come to rest: it rearranges formulas, tables
# and explorers when the width changes, and the theme makes what scrolls a tab stop 300 ms later.
AT_REST = """scheme => new Promise(done => {
    let before = "", calm = 0;
    const ask = () => {
        const root = document.documentElement;
        const now = [root.dataset.theme, root.scrollWidth, root.scrollHeight].join();
        calm = now === before && root.dataset.theme === scheme ? calm + 1 : 0;
        before = now;
        if (calm === 5) done();
        else setTimeout(ask, 100);
    };
    ask();
})"""


def look(
    browser: Browser, base: str, name: str, known: record.Findings | None = None
) -> record.Findings:
    """Open the page `name` below the address `base`; list what is wrong with it for each reader.

    If it is `known` what was found there, axe is not asked and the second reader does not come.
    """
    over, (first, second) = way(name)
    visited = Visit(empty_tab(browser, first.scheme, first.width))
    tab = visited.tab
    found: dict[str, Sequence[str]] = {**(known or {})}

    def see(reader: Reader) -> None:
        wide = tab.evaluate(TOO_WIDE)  # once this is answered, what was opened is laid out
        if reader is PHONE:
            found["too wide, phone"] = wide
        if known is None:
            found[f"axe, {reader}"] = accessible.findings(tab)

    try:
        visited.go(f"{base}/{name}.html")
        accessible.open_boxes(tab)
        see(first)
        if known is None:
            tab.emulate_media(color_scheme=second.scheme)
            tab.set_viewport_size({"width": second.width, "height": 900})
            tab.evaluate(AT_REST, second.scheme)
            see(second)
        assert visited.requests, "no request was seen at all"
        errors = [*outside(visited.requests, over), *visited.complaints]
        return {**found, "errors": [*found.get("errors", ()), *errors]}
    finally:
        tab.context.close()


def outside(requests: list[str], over: str) -> list[str]:
    """Return the requests that leave the folder, or the server, that a page came from."""
    own = ("file", "") if over == "file" else ("http", "127.0.0.1")
    parts = [(url, urlsplit(url)) for url in requests]
    return [
        url
        for url, part in parts
        if part.scheme not in {"data", "blob"} and (part.scheme, part.hostname or "") != own
    ]


def visits(names: Sequence[str]) -> pytest.MarkDecorator:
    """Parametrize a test with pages; it stays with the worker that visits them (`whole`)."""
    return pytest.mark.parametrize("page", names, ids=[f"{name}-{DESK}" for name in names])


def whole(test: str) -> str:
    """Return what must stay with one worker: the page whose visit a test reads, or its file."""
    visit = re.search(rf"\[(.+)-({'|'.join(map(str, READERS))})\]$", test)
    return visit[1] if visit else test.partition("::")[0]
