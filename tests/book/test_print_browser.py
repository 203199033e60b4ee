"""The book on paper: light, unfolded, nothing to press, nothing cut off; and back on the screen."""

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

CHAPTER = "book/part1/how-many-neurons-fire"
FORMULAS = "book/reference/repaired-theorems"
SHEET = 688  # pixels between the margins of A4
# The choices of a quiz stay: on paper their circles are ticked with a pen.
PRESSED = "button:visible, input:visible:not(.sl-choice input), .toggle-button:visible"


def before(tab):
    """Do what a browser does when the reader prints."""
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    tab.emulate_media(media="print")
    tab.set_viewport_size({"width": SHEET, "height": 980})


def test_a_chapter_is_light_and_unfolded_and_has_nothing_to_press(visit):
    tab = visit(CHAPTER, scheme="dark").tab
    folded = tab.locator("article details.sd-dropdown:not([open])").count()
    assert folded > 0 and tab.locator("html").get_attribute("data-theme") == "dark"
    before(tab)
    assert tab.locator("html").get_attribute("data-theme") == "light"
    assert tab.locator("article details.sd-dropdown:not([open])").count() == 0
    assert tab.locator("article").locator(PRESSED).count() == 0
    assert tab.locator(".bd-sidebar-primary:visible, .bd-header:visible").count() == 0
    assert tab.locator(".sl-explorer .sl-plot svg:visible").count() > 0
    assert tab.locator(".sl-explorer output:visible").count() > 0
    plain = tab.locator("article p a.reference").evaluate_all(
        "all => all.filter(a => !getComputedStyle(a).textDecorationLine.includes('underline'))"
        ".map(a => a.outerHTML)"
    )
    assert plain == []
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tab.locator("html").get_attribute("data-theme") == "dark"
    assert tab.locator("article details.sd-dropdown:not([open])").count() == folded


def test_no_formula_is_cut_off(visit):
    tab = visit(FORMULAS).tab
    sizes = "document.querySelectorAll('article div.math')"
    # one that no sheet holds; the others fit the page, and most of them the sheet
    tab.evaluate(f"{sizes}[0].style.fontSize = '900%'")
    sizes = f"[...{sizes}].map(each => each.style.fontSize)"
    old = tab.evaluate(sizes)
    before(tab)
    assert tab.evaluate(sizes) != old, "the formula that is too wide for a sheet kept its size"
    cut = tab.locator("article div.math:visible").evaluate_all(
        "all => all.filter(each => each.scrollWidth > each.clientWidth + 1)"
        ".map(each => each.textContent.slice(0, 80))"
    )
    assert cut == []
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tab.evaluate(sizes) == old
