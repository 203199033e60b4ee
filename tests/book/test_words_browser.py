"""Cards in a real browser: by pointer and by keyboard, closed with Escape, not under a finger."""

import pytest

from tests.book.accessible import findings

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

CHAPTER = "book/part1/network-and-shifted-relu"
LATE = 500  # milliseconds: longer than the card waits


def term(tab):
    return tab.locator("article a[href$='notation.html#term-cap']:visible").first


def card(tab):
    return tab.locator("#companion-card")


def is_shown_well(tab, link):
    """The card is there, its formulas are set, it is in view, and the link names it."""
    tab.locator("#companion-card math").first.wait_for()
    assert "at distance at most" in card(tab).inner_text()
    assert link.get_attribute("aria-describedby") == card(tab).get_attribute("id")
    box, size = card(tab).bounding_box(), tab.viewport_size
    assert box["x"] >= 0 and box["x"] + box["width"] <= size["width"]
    assert box["y"] >= 0 and box["y"] + box["height"] <= size["height"]


def is_gone(tab, link):
    card(tab).wait_for(state="hidden")
    tab.wait_for_timeout(LATE)
    assert card(tab).is_hidden()
    assert link.get_attribute("aria-describedby") is None


@pytest.mark.parametrize(("over", "width"), [("file", 1280), ("http", 390)])
def test_a_pointer_that_rests_on_a_word_shows_its_meaning(over, width, visit):
    page = visit(CHAPTER, over=over, width=width)
    requests = len(page.requests)
    link = term(page.tab)
    link.hover()
    is_shown_well(page.tab, link)
    card(page.tab).hover()  # on the card it stays
    page.tab.wait_for_timeout(LATE)
    assert card(page.tab).is_visible()
    page.tab.keyboard.press("Escape")
    is_gone(page.tab, link)
    page.tab.mouse.move(1, 1)
    link.hover()
    is_shown_well(page.tab, link)
    page.tab.mouse.move(1, 1)
    is_gone(page.tab, link)
    assert [url.rpartition("/")[2] for url in page.requests[requests:]] in (
        ["companion-cards.js"],
        ["companion-cards.js", "latinmodern-math.woff2"],
    )
    assert page.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_keyboard_shows_it_too_and_axe_finds_nothing(scheme, visit):
    page = visit(CHAPTER, scheme=scheme)
    link = term(page.tab)
    link.scroll_into_view_if_needed()
    page.tab.keyboard.press("Tab")  # so that the browser shows where the focus is
    link.focus()
    is_shown_well(page.tab, link)
    assert findings(page.tab) == []
    page.tab.keyboard.press("Escape")
    is_gone(page.tab, link)
    assert link.evaluate("each => each === document.activeElement"), "the focus was lost"
    page.tab.keyboard.press("Tab")
    page.tab.keyboard.press("Shift+Tab")
    is_shown_well(page.tab, link)
    page.tab.keyboard.press("Tab")
    is_gone(page.tab, link)


def test_a_finger_follows_the_link_and_sees_no_card(browser, site):
    phone = {"width": 390, "height": 800}
    context = browser.new_context(viewport=phone, has_touch=True, is_mobile=True)
    try:
        tab = context.new_page()
        tab.goto(f"{site}/{CHAPTER}.html", wait_until="load")
        term(tab).tap()
        tab.wait_for_url("**/notation.html#term-cap")
        assert card(tab).is_hidden()
    finally:
        context.close()
