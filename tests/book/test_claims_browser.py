"""Ledger, graph and boxes in a real browser: found, followed and read by everyone.

The tests drive a page that is made here from made-up claims, with the mathematics of the book, and
at the end the built pages of the reference.
"""

import re

import pytest
from browser import until

from sublinear_lib.exhibits import chapter_claims, dependency_graph, ledger_table
from tests.book.made_page import write_set
from tests.exhibits.made_up import made_up_shelf

pytestmark = pytest.mark.browser

CHAPTER = "part1/how-many-neurons-fire"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Pages with each exhibit."""
    target = tmp_path_factory.mktemp("claims")
    shelf = made_up_shelf()
    bodies = {
        "ledger": "<h2>The ledger</h2>" + ledger_table(shelf=shelf)._repr_html_(),
        "graph": dependency_graph(shelf=shelf).html,
        "boxes": chapter_claims(CHAPTER, shelf=shelf)._repr_html_(),
    }
    for name, body in bodies.items():
        write_set(target, name, name.capitalize(), body)
    return target


@pytest.fixture
def opened(show, folder):
    """Open a page of the folder, such as ``graph#printed-thm-4.1``."""

    def open_page(name, **how):
        file, rest = re.fullmatch(r"(\w+)(.*)", name).groups()
        return show(f"{folder.as_uri()}/{file}.html{rest}", **how)

    return open_page


def shown(tab):
    """Return the ids of the rows that can be seen."""
    return list(tab.locator(".sl-row:visible").evaluate_all("rows => rows.map(row => row.id)"))


def count_is(tab, text):
    until(tab, "text => document.querySelector('.sl-count').textContent.startsWith(text)", arg=text)


def test_formulas_are_set_and_what_we_reconstructed_is_underlined(opened):
    tab = opened("boxes")
    assert tab.locator(".sl-statement math").count() > 0
    style = "each => getComputedStyle(each).borderBottomStyle"
    assert tab.locator("math .mjx-rec").first.evaluate(style) == "dotted"
    assert tab.locator(".sl-statement .sl-rec").first.evaluate(style) == "dotted"


def test_a_box_opens_by_keyboard_and_then_its_links_are_reached(opened):
    tab = opened("boxes")
    summary = tab.locator("#box-thm-4\\.4 > summary")
    summary.focus()
    assert tab.locator("#box-thm-4\\.4 .sl-links").is_hidden()
    tab.keyboard.press("Enter")
    assert tab.locator("#box-thm-4\\.4 .sl-links").is_visible()
    seen = set()
    for _ in range(8):
        tab.keyboard.press("Tab")
        seen.add(tab.evaluate("document.activeElement.getAttribute('href')"))
    assert "../reference/ledger.ipynb#thm-4.4" in seen


def test_without_scripts_every_row_opens_and_every_node_is_a_link(opened):
    tab = opened("ledger", scripts=False)
    assert tab.locator(".sl-row:visible").count() == len(made_up_shelf().ledger)
    assert tab.locator(".sl-tools").is_hidden()
    tab.locator("#thm-4\\.1 > summary").click()
    text = tab.locator("#thm-4\\.1").inner_text()
    assert "fails as printed" in text and "exponent of m in the product" in text
    tab = opened("graph", scripts=False)
    assert tab.locator("#printed").is_visible() and tab.locator("#repaired").is_visible()
    assert tab.locator(".sl-tools").is_hidden()
    link = tab.locator("#printed-thm-4\\.1").get_attribute("href")
    assert link == "../reference/ledger.ipynb#thm-4.1"


def test_a_link_to_a_statement_opens_its_row(opened):
    tab = opened("ledger#lem-a.5")
    assert tab.locator("#lem-a\\.5 .sl-statement").is_visible()
    tab.get_by_label("Words").fill("hides all rows")
    tab.evaluate("location.hash = '#thm-4.1'")
    tab.locator("#thm-4\\.1 .sl-statement").wait_for(state="visible")


@pytest.mark.parametrize(
    ("name", "value", "left"),
    [
        ("Verdict", "fails as printed", ["thm-4.1"]),
        ("Part", "appendix-a", ["lem-a.5", "lem-a.6"]),
        ("Method", "cited", ["cor-5.2"]),
        ("Method", "exact arithmetic", ["thm-4.1", "thm-4.4", "thm-1.1", "lem-a.5"]),
    ],
)
def test_a_list_leaves_the_rows_that_fit(opened, name, value, left):
    tab = opened("ledger")
    tab.get_by_label(name, exact=True).select_option(value)
    assert shown(tab) == left
    count_is(tab, f"{len(left)} of 8 statements")


def test_the_ledger_is_used_by_keyboard_alone_and_speaks(opened):
    tab = opened("ledger")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.id") == "sl-words"
    tab.keyboard.type("lemma a.5")
    tab.keyboard.press("Enter")  # must not send the form anywhere
    assert tab.url.endswith("/ledger.html") and shown(tab) == ["lem-a.5"]
    count_is(tab, "1 of 8 statements")
    tab.get_by_label("Words").fill("LENGTH  theorem 4.1")  # in any order and case
    assert shown(tab) == ["thm-4.1", "thm-4.1-r"]
    tab.get_by_label("Verdict", exact=True).select_option("holds")
    assert shown(tab) == []
    count_is(tab, "None of 8 statements")
    tab.get_by_label("Words").focus()
    live = tab.locator(".sl-count")
    assert live.get_attribute("aria-live") == "polite"
    for _ in range(4):
        tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.dataset.filter") == "method"
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    count_is(tab, "8 of 8 statements")
    assert len(shown(tab)) == 8 and tab.get_by_label("Words").input_value() == ""


def test_a_link_may_ask_for_a_selection(opened):
    tab = opened("ledger?verdict=proof+gap&part=nonsense")
    assert shown(tab) == ["thm-4.4", "thm-1.1"]
    assert tab.get_by_label("Verdict", exact=True).input_value() == "proof gap"


def classes(tab, selector, name):
    found = tab.locator(f"#printed {selector}.{name}").evaluate_all(
        "all => all.map(each => each.dataset.id ?? `${each.dataset.from} ${each.dataset.to}`)"
    )
    return set(found)


def test_focus_shows_what_a_statement_rests_on_and_what_rests_on_it(opened):
    tab = opened("graph")
    tab.locator("#printed-thm-4\\.1").focus()
    near = classes(tab, ".sl-node", "sl-near")
    assert near == {"thm-4.1", "lem-a.5", "lem-a.6", "thm-4.4", "thm-1.1"}
    assert classes(tab, "path", "sl-below") == {"lem-a.5 thm-4.1", "lem-a.6 thm-4.1"}
    assert classes(tab, "path", "sl-above") == {"thm-4.1 thm-4.4", "thm-4.4 thm-1.1"}
    tab.locator("h1").hover()
    tab.locator("#printed-thm-4\\.1").blur()
    tab.wait_for_selector(".sl-graph:not(.sl-busy)")
    tab.locator("#printed-thm-4\\.1").hover()
    told = tab.locator("#printed .sl-panel").inner_text()
    assert told.startswith("Theorem 4.1: fails as printed, complete here.")
    assert "It rests on Lemma A.5, Lemma A.6." in told
    assert "On it rest Theorem 4.4, Theorem 1.1." in told


def test_a_node_that_has_the_focus_has_a_ring(opened):
    tab = opened("graph")
    tab.locator(".sl-tools input").first.focus()
    for _ in range(12):
        tab.keyboard.press("Tab")
        if tab.evaluate("document.activeElement.classList.contains('sl-node')"):
            break
    ring = "getComputedStyle(document.activeElement.querySelector('.sl-ring')).opacity"
    assert tab.evaluate("document.activeElement.dataset.id") == "thm-4.1"
    assert tab.evaluate(ring) == "1"
    other = "getComputedStyle(document.querySelector('#printed-lem-a\\\\.5 .sl-ring')).opacity"
    assert tab.evaluate(other) == "0"


def test_arrow_keys_go_from_node_to_node_and_enter_follows_the_link(opened):
    tab = opened("graph")
    tab.locator("#printed-thm-4\\.1").focus()
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("document.activeElement.id") == "printed-thm-4.4"
    tab.keyboard.press("ArrowLeft")
    tab.keyboard.press("ArrowLeft")
    assert tab.evaluate("document.activeElement.dataset.id") in {"lem-a.5", "lem-a.6"}
    column = "document.activeElement.getBoundingClientRect().x"
    before = tab.evaluate(column)
    tab.keyboard.press("ArrowUp")
    tab.keyboard.press("ArrowDown")
    assert tab.evaluate(column) == before
    tab.evaluate(
        "addEventListener('click', event => {"
        " event.preventDefault(); window.went = event.target.closest('a').href.baseVal; })"
    )
    tab.locator("#printed-thm-4\\.4").focus()
    tab.keyboard.press("Enter")
    assert tab.evaluate("window.went") == "../reference/ledger.ipynb#thm-4.4"


def test_a_link_to_a_node_shows_its_view_and_gives_it_the_focus(opened):
    tab = opened("graph#repaired-thm-4.1-r")
    assert tab.locator("#repaired").is_visible() and tab.locator("#printed").is_hidden()
    assert tab.evaluate("document.activeElement.id") == "repaired-thm-4.1-r"
    tab.get_by_role("radio", name="As repaired").focus()
    tab.keyboard.press("ArrowLeft")
    assert tab.locator("#printed").is_visible() and tab.locator("#repaired").is_hidden()
    tab.keyboard.press("ArrowRight")
    tab.evaluate("location.hash = '#printed-thm-4.1'")
    tab.wait_for_selector("#printed", state="visible")
    assert tab.evaluate("document.activeElement.id") == "printed-thm-4.1"


def test_the_drawing_is_made_larger_and_fits_again(opened):
    tab = opened("graph", width=390)
    width = "document.querySelector('#printed svg').getBoundingClientRect().width"
    start = tab.evaluate(width)
    tab.get_by_role("button", name="Larger").click()
    assert tab.evaluate(width) > 1.2 * start
    tab.get_by_role("button", name="Smaller").click()
    tab.get_by_role("button", name="Fit").click()
    room = tab.evaluate("document.querySelector('#printed .sl-scroll').clientWidth")
    assert room - 2 <= tab.evaluate(width) <= room


def test_the_ledger_is_light_until_a_row_is_opened(visit):
    tab = visit("book/reference/ledger").tab
    assert tab.evaluate("document.querySelectorAll('*').length") <= 8_000
