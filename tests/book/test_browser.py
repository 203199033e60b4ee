"""The built pages in a real browser: on their own, on a phone, in the dark, for every reader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import check_book
import pytest
from browser import until

from tests.book.accessible import findings, open_boxes
from tests.book.visits import READERS, Seen, outside, pages, visits

pytestmark = pytest.mark.browser

PAGES = pages()
PHONES = [reader for reader in READERS if reader.width < 500]

# the fixture `visit`; what it opens has a tab, the requests and the complaints so far
Open = Callable[..., Any]


@visits(PAGES)
def test_a_page_needs_no_other_host_and_raises_no_error(seen: Seen) -> None:
    assert seen.requests, "no request was seen at all"
    assert outside(seen.requests, seen.over) == []
    assert seen.complaints == []


def test_what_formulas_load_on_demand_comes_from_this_book(visit: Open) -> None:
    page = visit("book/intro")
    wanted = ["[tex]/cancel", "a11y/explorer"]
    page.tab.evaluate("names => MathJax.loader.load(...names).then(() => 1)", wanted)
    loaded = {urlsplit(url).path.rpartition("vendor/mathjax/")[2] for url in page.requests}
    assert {"input/tex/extensions/cancel.js", "a11y/explorer.js", "a11y/sre.js"} <= loaded
    assert outside(page.requests, "http") == []
    assert page.complaints == []


@visits(PAGES)
def test_axe_finds_nothing(seen: Seen) -> None:
    assert seen.findings == []


@visits(PAGES, PHONES)
def test_a_phone_never_scrolls_sideways(seen: Seen) -> None:
    assert seen.too_wide == []


def test_a_table_too_wide_for_a_phone_stands_there_row_by_row(visit: Open) -> None:
    phone = visit("book/reference/notation", width=390)
    phone.tab.wait_for_selector("table.row-by-row")
    table = phone.tab.locator("table.row-by-row").first
    heads = [each.strip() for each in table.locator("thead th").all_inner_texts()]
    cells = table.locator("tbody tr").first.locator("td")
    assert len(heads) == cells.count() == 3
    assert cells.evaluate_all("all => all.map(each => each.dataset.head)") == heads
    over = "all => all.filter(each => each.scrollWidth > each.clientWidth + 1).length"
    boxes = phone.tab.locator("article .pst-scrollable-table-container")
    assert boxes.count() and boxes.evaluate_all(over) == 0
    assert findings(phone.tab) == []
    phone.tab.set_viewport_size({"width": 1280, "height": 900})
    until(phone.tab, "!document.querySelector('table.row-by-row')")


def test_a_formula_is_set_smaller_where_that_makes_it_fit(visit: Open) -> None:
    formulas = "[...document.querySelectorAll('article mjx-container[display]')]"
    sizes = f"""() => {formulas}.map(
        each => [parseFloat(each.style.fontSize), each.scrollWidth - each.clientWidth])"""
    smaller = f"new Set({formulas}.map(each => each.style.fontSize)).size > 1"
    tab = visit("book/reference/repaired-theorems", width=390).tab
    until(tab, smaller)  # the page may still be arranging
    phone = tab.evaluate(sizes)
    tab.set_viewport_size({"width": 1280, "height": 900})
    changed = f"old => parseFloat({formulas}[1].style.fontSize) !== old"
    until(tab, changed, arg=phone[1][0])
    full = max(size for size, _ in tab.evaluate(sizes))
    assert any(size < full for size, _ in phone)
    for size, over in phone:
        assert 0.6 * full < size <= full
        assert over <= 1 or size == full  # what cannot fit keeps its size and scrolls


@visits(check_book.chapters())
def test_every_formula_is_set_and_none_is_an_error(seen: Seen, html: Path) -> None:
    written = check_book.Page.read(html, f"{seen.name}.html").tree.css("span.math, div.math")
    assert seen.formulas >= len(written)
    assert seen.broken_formulas == []


def test_the_reader_can_switch_to_dark_and_the_page_follows(visit: Open) -> None:
    page = visit("book/intro", scheme="light")
    color = "getComputedStyle(document.body).backgroundColor"
    light = page.tab.evaluate(color)
    for _ in range(3):  # the button goes round: auto, light, dark
        page.tab.locator(".theme-switch-button:visible").first.click()
        if page.tab.locator("html").get_attribute("data-theme") == "dark":
            break
    assert page.tab.evaluate(color) != light
    shown = page.tab.locator(".logo__image:visible").get_attribute("src") or ""
    assert shown.endswith("logo-dark.svg")


@pytest.mark.parametrize("over", ["http", "file"])
def test_search_finds_the_page_that_holds_a_word(over: str, visit: Open) -> None:
    page = visit("search", over=over)
    page.tab.goto(page.tab.url + "?q=glossary")
    found = page.tab.locator("#search-results li a").first
    found.wait_for()
    targets = page.tab.locator("#search-results li a").evaluate_all("all => all.map(a => a.href)")
    assert any("reference/notation.html" in target for target in targets), targets


def test_the_sidebar_of_a_phone_opens_by_keyboard_and_has_no_findings(visit: Open) -> None:
    page = visit("book/intro", width=390)
    button = page.tab.locator(".primary-toggle:visible").first
    button.focus()
    page.tab.keyboard.press("Enter")
    link = page.tab.locator("#pst-primary-sidebar-modal a", has_text="How to use").first
    link.wait_for()
    open_boxes(page.tab)
    assert findings(page.tab) == []


def test_the_title_page_shows_the_books_own_mark(visit: Open) -> None:
    page = visit("book/intro")
    icon = page.tab.locator("link[rel~=icon]").get_attribute("href") or ""
    assert icon.endswith("favicon.svg")
    size = page.tab.locator(".logo__image:visible").evaluate("each => each.naturalWidth")
    assert size > 0
