"""One visit to a page of the book: everything that the tests want to see there, in one go.

Loading a page and setting its formulas takes a browser seconds. A page is therefore opened once
for each kind of reader, all its boxes are opened, what is to be seen is written down, and the tests
read that: one test for each promise, so that a failure names the promise and the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from browser import empty_tab, settle

from tests.book import accessible

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab


@dataclass
class Visit:
    """A page in the browser, and everything it asked for or complained about so far."""

    tab: Tab
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def go(self, address: str) -> None:
        """Load a page; its formulas are set and its explorers are mounted on return."""
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.tab.on(
            "console",
            lambda message: (
                self.complaints.append(message.text) if message.type == "error" else None
            ),
        )
        self.tab.goto(address, wait_until="load")
        settle(self.tab)


@dataclass(frozen=True)
class Reader:
    """How somebody looks at a page."""

    over: str
    width: int
    scheme: str

    def __str__(self) -> str:
        return f"{self.over}-{self.width}-{self.scheme}"


# At a desk from a server, and in the dark on a phone from a folder.
READERS = (Reader("http", 1280, "light"), Reader("file", 390, "dark"))


@dataclass(frozen=True)
class Seen:
    """What one visit to a page showed; several tests read it, so that none opens the page again."""

    name: str
    over: str
    requests: list[str]
    complaints: list[str]
    formulas: int
    broken_formulas: list[str]
    widths: dict[str, int]
    too_wide: list[str]
    findings: list[str]


WIDTHS = """() => ({
    page: document.documentElement.scrollWidth,
    window: document.documentElement.clientWidth,
})"""

# What sticks out to the right, and neither scrolls in a box around it nor is clipped in a drawing.
TOO_WIDE = """() => {
    const ancestors = function* (each) {
        while ((each = each.parentElement) && each.tagName !== 'ARTICLE') yield each;
    };
    return [...document.querySelectorAll('article *')]
        .filter(each => each.getBoundingClientRect().right > innerWidth + 1
            && !each.closest('svg [clip-path]')
            && ![...ancestors(each)].some(box => box.scrollWidth > box.clientWidth
                && getComputedStyle(box).overflowX !== 'visible'))
        .map(each => each.outerHTML.slice(0, 120));
}"""


def look(browser: Browser, base: str, name: str, reader: Reader) -> Seen:
    """Visit the page `name` below the address `base`, and write down what is to be seen there."""
    visited = Visit(empty_tab(browser, reader.scheme, reader.width))
    tab = visited.tab
    try:
        visited.go(f"{base}/{name}.html")
        accessible.open_boxes(tab)
        widths = tab.evaluate(WIDTHS)  # once this is answered, what was opened is laid out
        return Seen(
            name=name,
            over=reader.over,
            # copies, because axe asks for the style sheets itself, which a folder refuses
            requests=[*visited.requests],
            complaints=[*visited.complaints],
            formulas=tab.locator("mjx-container").count(),
            broken_formulas=tab.locator("mjx-merror").all_inner_texts(),
            widths=widths,
            too_wide=tab.evaluate(TOO_WIDE),
            findings=accessible.findings(tab),
        )
    finally:
        tab.context.close()


def visits(names: Iterable[str], readers: Iterable[Reader] = READERS) -> pytest.MarkDecorator:
    """Parametrize a test with the visits of these readers to these pages."""
    pairs = [(name, reader) for name in names for reader in readers]
    return pytest.mark.parametrize(
        "seen", pairs, indirect=True, ids=[f"{name}-{reader}" for name, reader in pairs]
    )


def whole(test: str) -> str:
    """Return what must stay with one worker: the visit that a test reads, or else its file."""
    visit = re.search(rf"\[(.+-({'|'.join(map(str, READERS))}))\]$", test)
    return visit[1] if visit else test.partition("::")[0]
