"""What is wrong with a deck of slides, seen by who shows one slide after the other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import build_teaching
from browser import empty_tab

from tests.book.visits import Visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Each slide is shown for two frames, within which what is too large for it sticks out.
TOO_LARGE = """async () => {
    const frame = () => new Promise(requestAnimationFrame);
    const found = [];
    for (let number = 0; number < Reveal.getTotalSlides(); number++) {
        Reveal.slide(number);
        for (let count = 0; count < 2; count++) await frame();
        const slide = Reveal.getCurrentSlide();
        const name = slide.querySelector("h1, h2").textContent;
        if (slide.scrollHeight > slide.clientHeight + 2) found.push(`too high: ${number} ${name}`);
        if (slide.scrollWidth > slide.clientWidth + 2) found.push(`too wide: ${number} ${name}`);
    }
    return found;
}"""


def chapters() -> dict[str, str]:
    """Return the pages that have a deck of slides, by the name of the deck without its end."""
    return {name.rpartition("/")[2]: name for name in build_teaching.lectures()}


def decks() -> list[str]:
    """List the pages with slides."""
    return [f"teaching/{name}-slides" for name in chapters()]


def faults(browser: Browser, html: Path, name: str) -> dict[str, list[str]]:
    """Show every slide of the page `name` in the folder `html`; list what is wrong."""
    visited = Visit(empty_tab(browser, "light", 1280, 760))
    tab = visited.tab
    try:
        visited.go((html / f"{name}.html").as_uri())
        tab.wait_for_selector("html[data-slides-ready]", state="attached")
        return {
            "size": tab.evaluate(TOO_LARGE),
            "requests": [
                url for url in visited.requests if not re.match(r"(file|data|blob):", url)
            ],
            "complaints": visited.complaints,
        }
    finally:
        tab.context.close()
