"""Nothing moves on a page for a reader who asks for less motion."""

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

# Elements, and what stands before and behind them, that would change in steps that can be seen.
MOVING = """() => {
    const some = (list, none) => list.split(",").some(each => !none.includes(each.trim()));
    const found = [];
    for (const each of [document.documentElement, ...document.querySelectorAll("body, body *")])
        for (const part of [null, "::before", "::after"]) {
            const style = getComputedStyle(each, part);
            if (part && style.content === "none") continue;
            const changes = style.transitionProperty !== "none"
                && some(style.transitionDuration, ["0s"]);
            if (changes || some(style.animationName, ["none"])
                    || style.scrollBehavior === "smooth")
                found.push(`${each.tagName}.${each.className}${part ?? ""}`);
        }
    return found;
}"""


def moving(tab, wish):
    """Return what would move on a page for a reader with that wish."""
    tab.emulate_media(reduced_motion=wish)
    return list(tab.evaluate(MOVING))


def test_no_part_of_a_page_moves_for_who_asks_for_less_motion(visit):
    tab = visit("book/part1/how-many-neurons-fire", width=390).tab
    assert tab.locator(".sl-explorer input").count(), "the explorer is part of what is looked at"
    assert moving(tab, "reduce") == []
    # the look finds what moves for everybody else
    assert len(moving(tab, "no-preference")) > 10
