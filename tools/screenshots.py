"""Photograph the built pages, to look at before a release and to show in the README.

usage: python tools/screenshots.py [page ...]      every page, narrow and wide, light and dark
       python tools/screenshots.py --readme PAGE   the two pictures of the README

A page is named as in ``_toc.yml``, for example ``book/intro``. The pictures of the pages go to
``_build/screenshots``, those of the README to ``media``, with the page's first explorer in view.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from browser import chromium, empty_tab, settle
from check_book import HTML, ROOT, chapters

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SCHEMES = ("light", "dark")
WIDTHS = (390, 1280)


def open_page(browser: Browser, name: str, scheme: str, width: int) -> Page:
    """Open a built page and wait until its formulas are set and its explorers drawn."""
    tab = empty_tab(browser, scheme, width)
    tab.goto((HTML / f"{name}.html").as_uri(), wait_until="load")
    settle(tab)
    return tab


def photograph(browser: Browser, names: Sequence[str], folder: Path) -> None:
    """Take every page, whole, at each width and in each color scheme."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        for width in WIDTHS:
            for scheme in SCHEMES:
                tab = open_page(browser, name, scheme, width)
                path = folder / f"{name.replace('/', '-')}-{width}-{scheme}.png"
                tab.screenshot(path=path, full_page=True)
                print(path.relative_to(ROOT))
                tab.context.close()


def photograph_for_readme(browser: Browser, name: str) -> None:
    """Take one page with its first explorer in view, light and dark."""
    folder = ROOT / "media"
    folder.mkdir(exist_ok=True)
    for scheme in SCHEMES:
        tab = open_page(browser, name, scheme, 1280)
        explorer = tab.locator(".cell_output:has(input[type=range])").first
        explorer.evaluate("each => (each.style.scrollMarginTop = '4rem', each.scrollIntoView())")
        path = folder / f"book-{scheme}.png"
        tab.screenshot(path=path)
        print(path.relative_to(ROOT))
        tab.context.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Take the pictures that the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("page", nargs="*", help="default: every page of the book")
    parser.add_argument("--readme", metavar="PAGE", help="take the pictures of the README")
    chosen = parser.parse_args(arguments)
    with chromium() as browser:
        if chosen.readme:
            photograph_for_readme(browser, chosen.readme)
        else:
            photograph(browser, chosen.page or chapters(), ROOT / "_build" / "screenshots")
    return 0


if __name__ == "__main__":
    sys.exit(main())
