"""What a reader sees of a page of Part I: the first screen, the way to the explorer, the length."""

import check_book
import numpy as np
import pytest
from check_notebooks import Chapter
from run_notebooks import ROOT

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

# What each explorer needs for controls, picture and sentence together, and its heights while its
# sliders move.
EXPLORERS = """async () => {
    const drawn = () => new Promise(
        done => requestAnimationFrame(() => requestAnimationFrame(done)));
    const found = [];
    for (const each of document.querySelectorAll("article .sl-explorer:has(input[type=range])")) {
        const boxes = [...each.querySelectorAll(".sl-controls, .sl-plot, .sl-sentence")]
            .map(box => box.getBoundingClientRect());
        const room = Math.max(...boxes.map(box => box.bottom))
            - Math.min(...boxes.map(box => box.top));
        const heights = new Set();
        for (const slider of each.querySelectorAll("input[type=range]")) {
            for (let part = 0; part <= 6; part += 1) {
                slider.value = Math.round(+slider.min + (slider.max - slider.min) * part / 6);
                slider.dispatchEvent(new Event("input", { bubbles: true }));
                await drawn();
                heights.add(each.offsetHeight);
            }
        }
        found.push({ room, heights: [...heights] });
    }
    return found;
}"""


@pytest.mark.parametrize("name", FORMED)
def test_a_page_has_a_size_and_its_first_screen_an_answer(name, visit):
    tab = visit(name).tab
    seen = tab.evaluate(MEASURE)
    assert seen["length"] <= MOST_SCREENS * SCREEN, f"{seen['length'] / SCREEN:.1f} screens"
    if FORMED[name].told:
        assert seen["picture"] is not None and seen["answer"] is not None
        assert max(seen["picture"], seen["answer"]) <= FIRST_SCREEN, seen
    if seen["explorer"] is not None:
        assert seen["explorer"] <= SCREENS_TO_THE_EXPLORER * SCREEN, seen
    for explorer in tab.evaluate(EXPLORERS):
        assert explorer["room"] <= FIRST_SCREEN and len(explorer["heights"]) <= 1, explorer


@pytest.mark.thorough
@pytest.mark.parametrize("name", FORMED)
def test_on_a_phone_no_explorer_changes_its_height_while_a_slider_moves(name, visit):
    for explorer in visit(name, width=390).tab.evaluate(EXPLORERS):
        # rounding moves a height that is not whole by a pixel
        assert np.ptp(explorer["heights"] or [0]) <= 1, explorer
