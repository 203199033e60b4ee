"""The built pages in a real browser: on their own, on a phone, in the dark, for every reader."""

import pytest
from browser import until

from tests.book.accessible import findings, open_boxes
from tests.book.visits import pages, visits

pytestmark = pytest.mark.browser

PAGES = pages()
FOLDS = "article details"


@visits(PAGES)
def test_a_page_needs_no_other_host_and_raises_no_error(page, found_at):
    assert found_at("pages", page)["errors"] == []


@visits(PAGES)
def test_axe_finds_nothing(page, found_at):
    found = found_at("pages", page)
    assert found["axe, desk"] == found["axe, phone"] == []


@visits(PAGES)
def test_a_phone_never_scrolls_sideways(page, found_at):
    assert found_at("pages", page)["too wide, phone"] == []


def test_a_table_too_wide_for_a_phone_stands_there_row_by_row(visit):
    phone = visit("book/reference/notation", width=390)
    phone.tab.wait_for_selector("table.row-by-row")
    table = phone.tab.locator("table.row-by-row").first
    heads = [each.strip() for each in table.locator("thead th").all_inner_texts()]
    cells = table.locator("tbody tr").first.locator("td")
    assert len(heads) == cells.count() == 3
    assert cells.evaluate_all("all => all.map(each => each.dataset.head)") == heads
    boxes = "[...document.querySelectorAll('article .pst-scrollable-table-container')]"
    until(
        phone.tab,
        f"{boxes}.length && {boxes}.every(each => each.scrollWidth <= each.clientWidth + 1)",
    )
    assert findings(phone.tab) == []
    phone.tab.set_viewport_size({"width": 1280, "height": 900})
    until(phone.tab, "!document.querySelector('table.row-by-row')")


def test_a_formula_is_set_smaller_where_that_makes_it_fit(visit):
    formulas = "[...document.querySelectorAll('article div.math')]"
    sizes = f"""() => {formulas}.map(each => [parseFloat(each.style.fontSize || "100"),
        each.scrollWidth - each.clientWidth, each.tabIndex])"""
    smaller = f"{formulas}.some(each => each.style.fontSize)"
    tab = visit("book/reference/repaired-theorems", width=390).tab
    until(tab, smaller)  # the page may still be arranging
    tab.evaluate(f"document.querySelectorAll('{FOLDS}').forEach(each => {{ each.open = true; }})")
    until(tab, f"{formulas}.every(one => one.scrollWidth <= one.clientWidth + 1 || !one.tabIndex)")
    phone = tab.evaluate(sizes)
    tab.set_viewport_size({"width": 1280, "height": 900})
    until(tab, f"!{formulas}[1].style.fontSize")
    for size, over, stop in phone:
        assert 60 < size <= 100
        if over > 1:  # what cannot fit keeps its size and scrolls, by keyboard too
            assert size == 100 and stop == 0


def test_a_copied_formula_is_its_tex(visit):
    tab = visit("book/part1/how-many-neurons-fire").tab
    copied = tab.evaluate(
        """() => {
            const formula = document.querySelector("article p math");
            getSelection().selectAllChildren(formula.closest("p"));
            const clipboardData = new DataTransfer();
            const event = new ClipboardEvent("copy", { clipboardData, bubbles: true });
            document.dispatchEvent(event);
            return [formula.dataset.tex, event.clipboardData.getData("text/plain")];
        }"""
    )
    assert f"${copied[0]}$" in copied[1]


def test_the_reader_can_switch_to_dark_and_the_page_follows(visit):
    page = visit("book/intro", scheme="light")
    color = "getComputedStyle(document.body).backgroundColor"
    light = page.tab.evaluate(color)
    for _ in range(3):  # the button goes round: auto, light, dark
        page.tab.locator(".theme-switch-button:visible").first.click()
        if page.tab.locator("html").get_attribute("data-theme") == "dark":
            break
    assert page.tab.evaluate(color) != light
    logo = page.tab.locator(".logo__image:visible")
    assert (logo.get_attribute("src") or "").endswith("logo-dark.svg")
    assert logo.evaluate("each => each.naturalWidth") > 0
    icon = page.tab.locator("link[rel~=icon]").get_attribute("href") or ""
    assert icon.endswith("favicon.svg")


def test_the_sidebar_of_a_phone_opens_by_keyboard_and_has_no_findings(visit):
    page = visit("book/intro", width=390)
    button = page.tab.locator(".primary-toggle:visible").first
    button.focus()
    page.tab.keyboard.press("Enter")
    link = page.tab.locator("#pst-primary-sidebar-modal a", has_text="How to use").first
    link.wait_for()
    open_boxes(page.tab)
    assert findings(page.tab) == []
