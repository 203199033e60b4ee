"""What a reader sees of a page of Part I: the first screen, the way to the explorer, the length."""

from __future__ import annotations

from collections.abc import Callable

import check_book
import pytest
from check_notebooks import Chapter
from run_notebooks import ROOT

from tests.book.visits import Visit

pytestmark = pytest.mark.browser

FIRST_SCREEN, SCREEN = 900, 1_600
MOST_SCREENS = 12
SCREENS_TO_THE_EXPLORER = 3

FORMED = {
    name: Chapter(ROOT / f"{name}.ipynb")
    for name in check_book.chapters()
    if (ROOT / f"{name}.ipynb").exists() and Chapter(ROOT / f"{name}.ipynb").formed
}

# Where things are, in pixels from the top of the page: the end of the text, the first picture, the
# end of the answer, which is in bold and has a number, and the first explorer.
MEASURE = """() => {
    const page = document.querySelector("article.bd-article");
    const below = each => each && each.getBoundingClientRect().top + scrollY;
    const picture = page.querySelector(".sl-explorer:not(.sl-lab), figure, .cell_output svg");
    const answer = [...page.querySelectorAll("p > strong")].find(
        each => /\\d|\\\\frac/.test(each.textContent) || each.querySelector("math"));
    return {
        length: page.getBoundingClientRect().height,
        picture: below(picture),
        answer: answer && answer.getBoundingClientRect().bottom + scrollY,
        explorer: below(page.querySelector(".sl-explorer:not(.sl-lab)")),
    };
}"""


@pytest.mark.parametrize("name", FORMED)
def test_a_page_has_a_size_and_its_first_screen_an_answer(
    name: str, visit: Callable[..., Visit]
) -> None:
    seen = visit(name).tab.evaluate(MEASURE)
    assert seen["length"] <= MOST_SCREENS * SCREEN, f"{seen['length'] / SCREEN:.1f} screens"
    if FORMED[name].told:
        assert seen["picture"] is not None and seen["answer"] is not None
        assert max(seen["picture"], seen["answer"]) <= FIRST_SCREEN, seen
    if seen["explorer"] is not None:
        assert seen["explorer"] <= SCREENS_TO_THE_EXPLORER * SCREEN, seen
