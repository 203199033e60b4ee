"""Draw the picture that other sites show beside a link to the book, 1200 by 630 pixels.

usage: python tools/social_card.py   (needs a Chromium; commit ``book/_static/social-card.png``)
"""

from __future__ import annotations

import sys
from pathlib import Path

from browser import chromium
from check_book import ROOT, TITLE

STATIC = ROOT / "book" / "_static"
CARD = STATIC / "social-card.png"
SIZE = {"width": 1200, "height": 630}

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><style>
body {{ align-items: center; background: #fff; color: #1b1f27; display: flex; gap: 60px; margin: 0;
  font-family: "Helvetica Neue", Arial, "Liberation Sans", sans-serif; height: 630px;
  padding: 0 90px; width: 1020px; }}
svg {{ flex: none; height: 380px; width: 380px; }}
h1 {{ font-size: 84px; line-height: 1.1; margin: 0 0 26px; }}
p {{ font-size: 44px; color: #4a5261; margin: 0; }}
</style>{mark}<div><h1>{title}</h1><p>{rest}</p></div></html>"""


def page(mark: str, title: str = TITLE) -> str:
    """Return the card as a page, with the title's second half as its second line."""
    first, _, rest = title.partition(": ")
    return PAGE.format(mark=mark, title=first, rest=rest)


def draw(target: Path = CARD) -> Path:
    """Draw the card into a file, and return its path."""
    mark = (STATIC / "logo.svg").read_text(encoding="utf-8")
    with chromium() as browser:
        tab = browser.new_page(viewport=SIZE)
        tab.set_content(page(mark[mark.index("<svg") :]))
        tab.screenshot(path=target)
    return target


if __name__ == "__main__":
    print(draw().relative_to(ROOT))
    sys.exit(0)
