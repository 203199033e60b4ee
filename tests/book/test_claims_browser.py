"""Ledger, graph and boxes in a real browser: found, followed and read by everyone.

The tests drive a page that is made here from made-up claims, with the mathematics of the book, and
at the end the built pages of the reference.
"""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import check_book
import pytest
from browser import until
from companion_math import STYLE, typeset

from sublinear_lib.exhibits import chapter_claims, dependency_graph, ledger_table
from tests.book.accessible import findings, open_boxes
from tests.exhibits.made_up import made_up_shelf

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

pytestmark = pytest.mark.browser

CHAPTER = "part1/how-many-neurons-fire"


def page(title: str, body: str) -> str:
    """Return a page like one of the book: its colors, its mathematics, nothing else."""
    return (
        '<!doctype html><html lang="en" data-content_root="./"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title>'
        '<link rel="icon" href="data:,"><style>'
        "html{--pst-color-background:#fff;--pst-color-text-base:#222832}"
        "html[data-theme=dark]{--pst-color-background:#14181e;--pst-color-text-base:#ced6dd}"
        "html[data-theme=dark] a{color:#6aa5ff}"
        "body{background:var(--pst-color-background);color:var(--pst-color-text-base);"
        "font:16px/1.5 sans-serif;max-width:60rem;margin:1rem auto;padding:0 1rem}"
        '</style><link rel="stylesheet" href="formulas.css"></head>'
        f"<body><main><h1>{title}</h1>{body}</main></body></html>"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages with each exhibit."""
    target = tmp_path_factory.mktemp("claims")
    shelf = made_up_shelf()
    bodies = {
        "ledger": "<h2>The ledger</h2>" + ledger_table(shelf=shelf)._repr_html_(),
        "graph": dependency_graph(shelf=shelf).html,
        "boxes": chapter_claims(CHAPTER, shelf=shelf)._repr_html_(),
    }
    for name, body in bodies.items():
        set_, problems = typeset(page(name.capitalize(), body), {})
        assert problems == []
        (target / f"{name}.html").write_text(set_, encoding="utf-8")
    for each in (STYLE, "vendor"):
        (target / each).symlink_to(check_book.ROOT / "book" / "_static" / each)
    return target


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Keep the requests out of the test report."""


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    handler = functools.partial(_Quiet, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


Open = Callable[..., "Tab"]


@pytest.fixture
def show(browser: Browser, folder: Path, address: str) -> Iterator[Open]:
    """Open a page; when the test ends, it must have raised no error and asked no other host."""
    contexts: list[Any] = []
    requests: list[str] = []
    errors: list[str] = []

    def opened(
        name: str,
        *,
        over: str = "http",
        theme: str = "light",
        width: int = 1280,
        scripts: bool = True,
    ) -> Tab:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            java_script_enabled=scripts,
            reduced_motion="reduce",
        )
        contexts.append(context)
        tab = context.new_page()
        tab.on("request", lambda request: requests.append(request.url))
        tab.on("pageerror", lambda error: errors.append(str(error)))
        base = address if over == "http" else folder.as_uri()
        file, mark, rest = re.fullmatch(r"(\w+)([?#]?)(.*)", name).groups()  # type: ignore[union-attr]
        tab.goto(f"{base}/{file}.html{mark}{rest}", wait_until="load")
        if scripts:
            tab.evaluate(f"document.documentElement.dataset.theme = {theme!r}")
        return tab

    yield opened
    for context in contexts:
        context.close()
    assert errors == []
    outside = [url for url in requests if not url.startswith((address, "file:", "data:", "blob:"))]
    assert outside == []


def shown(tab: Tab) -> list[str]:
    """Return the ids of the rows that can be seen."""
    return list(tab.locator(".sl-row:visible").evaluate_all("rows => rows.map(row => row.id)"))


def count_is(tab: Tab, text: str) -> None:
    until(tab, "text => document.querySelector('.sl-count').textContent.startsWith(text)", arg=text)


# ---- every exhibit ------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", ["ledger", "graph", "boxes"])
def test_axe_finds_nothing(show: Open, name: str, width: int, theme: str) -> None:
    tab = show(name, theme=theme, width=width)
    open_boxes(tab)
    assert findings(tab) == []


@pytest.mark.parametrize("name", ["ledger", "graph", "boxes"])
def test_a_phone_never_scrolls_sideways(show: Open, name: str) -> None:
    tab = show(name, width=390)
    open_boxes(tab)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("name", ["ledger", "graph", "boxes"])
def test_an_exhibit_works_from_a_folder(show: Open, name: str) -> None:
    tab = show(name, over="file")
    if name != "boxes":
        assert tab.locator(".sl-tools").first.is_visible()


def test_formulas_are_set_and_what_we_reconstructed_is_underlined(show: Open) -> None:
    tab = show("boxes")
    assert tab.locator(".sl-statement math").count() > 0
    style = "each => getComputedStyle(each).borderBottomStyle"
    assert tab.locator("math .mjx-rec").first.evaluate(style) == "dotted"
    assert tab.locator(".sl-statement .sl-rec").first.evaluate(style) == "dotted"


def test_verdicts_keep_their_colors_apart_in_the_dark(show: Open) -> None:
    colors = {}
    for theme in ("light", "dark"):
        tab = show("ledger", theme=theme)
        found = tab.locator(".sl-key .sl-verdict").evaluate_all(
            "all => all.map(each => getComputedStyle(each).color)"
        )
        assert len(set(found)) == len(found) == 6
        colors[theme] = set(found)
    assert not colors["light"] & colors["dark"]


# ---- boxes --------------------------------------------------------------------------------------


def test_a_box_opens_by_keyboard_and_then_its_links_are_reached(show: Open) -> None:
    tab = show("boxes")
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


# ---- the ledger ---------------------------------------------------------------------------------


def test_without_scripts_every_row_opens_and_has_every_word(show: Open) -> None:
    tab = show("ledger", scripts=False)
    assert tab.locator(".sl-row:visible").count() == len(made_up_shelf().ledger)
    assert tab.locator(".sl-tools").is_hidden()
    tab.locator("#thm-4\\.1 > summary").click()
    text = tab.locator("#thm-4\\.1").inner_text()
    assert "fails as printed" in text and "exponent of m in the product" in text


@pytest.mark.parametrize("over", ["http", "file"])
def test_a_row_is_unpacked_when_it_is_opened(show: Open, over: str) -> None:
    tab = show("ledger", over=over)
    row = tab.locator("#thm-4\\.1")
    assert row.locator(".sl-statement").count() == 0
    row.locator("summary").first.focus()
    tab.keyboard.press("Enter")
    row.locator(".sl-statement math").first.wait_for(state="visible")
    assert "sublinear verify thm-4.1" in row.inner_text()
    row.get_by_text("The code of the check").click()
    assert "def check_fails" in row.locator("pre").last.inner_text()


def test_a_link_to_a_statement_opens_its_row(show: Open) -> None:
    tab = show("ledger#lem-a.5")
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
        ("Method", "exact arithmetic", ["thm-4.1", "lem-a.5"]),
    ],
)
def test_a_list_leaves_the_rows_that_fit(
    show: Open, name: str, value: str, left: list[str]
) -> None:
    tab = show("ledger")
    tab.get_by_label(name, exact=True).select_option(value)
    assert shown(tab) == left
    count_is(tab, f"{len(left)} of 8 statements")


def test_words_are_searched_in_any_order_and_case(show: Open) -> None:
    tab = show("ledger")
    box = tab.get_by_label("Words")
    box.fill("LENGTH  theorem 4.1")
    assert shown(tab) == ["thm-4.1", "thm-4.1-r"]
    box.fill("theorem 4.1 appendix")
    assert shown(tab) == []
    count_is(tab, "None of 8 statements")


def test_filters_work_together_and_are_taken_back(show: Open) -> None:
    tab = show("ledger")
    tab.get_by_label("Verdict", exact=True).select_option("holds")
    tab.get_by_label("Words").fill("lemma")
    assert shown(tab) == ["lem-a.6"]
    # Until it says so, "8 of 8" still stands there from loading.
    count_is(tab, "1 of 8 statements")
    tab.get_by_role("button", name="Show all").click()
    count_is(tab, "8 of 8 statements")
    assert len(shown(tab)) == 8 and tab.get_by_label("Words").input_value() == ""


def test_the_ledger_is_used_by_keyboard_alone_and_speaks(show: Open) -> None:
    tab = show("ledger")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.id") == "sl-words"
    tab.keyboard.type("lemma a.5")
    tab.keyboard.press("Enter")  # must not send the form anywhere
    assert tab.url.endswith("/ledger.html") and shown(tab) == ["lem-a.5"]
    count_is(tab, "1 of 8 statements")
    live = tab.locator(".sl-count")
    assert live.get_attribute("aria-live") == "polite"
    for _ in range(4):
        tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.dataset.filter") == "method"
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    count_is(tab, "8 of 8 statements")


def test_a_link_may_ask_for_a_selection(show: Open) -> None:
    tab = show("ledger?verdict=proof+gap&part=nonsense")
    assert shown(tab) == ["thm-4.4", "thm-1.1"]
    assert tab.get_by_label("Verdict", exact=True).input_value() == "proof gap"


# ---- the graph ----------------------------------------------------------------------------------


def classes(tab: Tab, selector: str, name: str) -> set[str]:
    found = tab.locator(f"#printed {selector}.{name}").evaluate_all(
        "all => all.map(each => each.dataset.id ?? `${each.dataset.from} ${each.dataset.to}`)"
    )
    return set(found)


def test_without_scripts_both_views_are_there_and_nodes_are_links(show: Open) -> None:
    tab = show("graph", scripts=False)
    assert tab.locator("#printed").is_visible() and tab.locator("#repaired").is_visible()
    assert tab.locator(".sl-tools").is_hidden()
    link = tab.locator("#printed-thm-4\\.1")
    assert link.get_attribute("href") == "../reference/ledger.ipynb#thm-4.1"


def test_focus_shows_what_a_statement_rests_on_and_what_rests_on_it(show: Open) -> None:
    tab = show("graph")
    tab.locator("#printed-thm-4\\.1").focus()
    assert classes(tab, ".sl-node", "sl-near") == {
        *("thm-4.1", "lem-a.5", "lem-a.6", "thm-4.4", "thm-1.1")
    }
    assert classes(tab, "path", "sl-below") == {"lem-a.5 thm-4.1", "lem-a.6 thm-4.1"}
    assert classes(tab, "path", "sl-above") == {"thm-4.1 thm-4.4", "thm-4.4 thm-1.1"}
    told = tab.locator("#printed .sl-panel").inner_text()
    assert told.startswith("Theorem 4.1: fails as printed, complete here.")
    assert "It rests on Lemma A.5, Lemma A.6." in told
    assert "On it rest Theorem 4.4, Theorem 1.1." in told


def test_pointing_highlights_and_leaving_calms(show: Open) -> None:
    tab = show("graph")
    tab.locator("#printed-lem-a\\.5").hover()
    assert classes(tab, ".sl-node", "sl-near") == {"lem-a.5", "thm-4.1", "thm-4.4", "thm-1.1"}
    tab.locator("h1").hover()
    tab.wait_for_selector(".sl-graph:not(.sl-busy)")


def test_a_node_that_has_the_focus_has_a_ring(show: Open) -> None:
    tab = show("graph")
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


def test_arrow_keys_go_from_node_to_node_and_enter_follows_the_link(show: Open) -> None:
    tab = show("graph")
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


def test_the_views_are_switched_by_keyboard(show: Open) -> None:
    tab = show("graph")
    assert tab.locator("#printed").is_visible() and tab.locator("#repaired").is_hidden()
    tab.get_by_role("radio", name="As printed").focus()
    tab.keyboard.press("ArrowRight")
    assert tab.locator("#repaired").is_visible() and tab.locator("#printed").is_hidden()
    assert tab.locator("#repaired-thm-4\\.1-r").is_visible()


def test_a_link_to_a_node_shows_its_view_and_gives_it_the_focus(show: Open) -> None:
    tab = show("graph#repaired-thm-4.1-r")
    assert tab.locator("#repaired").is_visible() and tab.locator("#printed").is_hidden()
    assert tab.evaluate("document.activeElement.id") == "repaired-thm-4.1-r"
    tab.evaluate("location.hash = '#printed-thm-4.1'")
    tab.wait_for_selector("#printed", state="visible")
    assert tab.evaluate("document.activeElement.id") == "printed-thm-4.1"


def test_the_drawing_is_made_larger_and_fits_again(show: Open) -> None:
    tab = show("graph", width=390)
    width = "document.querySelector('#printed svg').getBoundingClientRect().width"
    start = tab.evaluate(width)
    tab.get_by_role("button", name="Larger").click()
    assert tab.evaluate(width) > 1.2 * start
    tab.get_by_role("button", name="Smaller").click()
    tab.get_by_role("button", name="Fit").click()
    room = tab.evaluate("document.querySelector('#printed .sl-scroll').clientWidth")
    assert room - 2 <= tab.evaluate(width) <= room


def test_verdicts_differ_without_their_colors(show: Open) -> None:
    tab = show("graph")
    cues = tab.locator("#printed .sl-node").evaluate_all(
        """all => all.map(each => [each.dataset.verdict,
            each.querySelector('.sl-mark').getAttribute('d')].join('|'))"""
    )
    verdicts = {cue.partition("|")[0] for cue in cues}
    assert len({cue.partition("|")[2] for cue in cues}) == len(verdicts) == len(set(cues))


# ---- the built pages ----------------------------------------------------------------------------


def test_the_reader_clicks_from_the_graph_to_statement_proof_check_and_code(
    visit: Callable[..., Any],
) -> None:
    visited = visit("book/reference/ledger")
    tab = visited.tab
    tab.locator("#printed-thm-4\\.1").focus()
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/ledger.html#thm-4.1")
    box = tab.locator("#thm-4\\.1")
    box.locator(".sl-statement").wait_for(state="visible")
    assert "sublinear verify thm-4.1" in box.inner_text()
    box.get_by_text("The code of the check", exact=True).click()
    assert "def _check" in box.locator("pre").last.inner_text()
    box.get_by_role("link", name="Theorem 4.1, repaired").first.click()
    tab.wait_for_url("**/ledger.html#thm-4.1-r")
    tab.locator("#thm-4\\.1-r").get_by_role("link", name="our proof").click()
    tab.wait_for_url(re.compile(r"/(reference|part1)/[\w-]+\.html#"))
    anchor = tab.url.partition("#")[2]
    assert tab.locator(f"[id='{anchor}']").count() == 1
    assert visited.complaints == []


def test_the_built_ledger_filters_all_statements(visit: Callable[..., Any]) -> None:
    tab = visit("book/reference/ledger").tab
    rows = tab.locator(".sl-row").count()
    tab.get_by_label("Verdict", exact=True).select_option("fails as printed")
    left = tab.locator(".sl-row:visible")
    assert 0 < left.count() < rows
    verdicts = left.evaluate_all("all => all.map(each => each.dataset.verdict)")
    assert set(verdicts) == {"fails as printed"}
    tab.get_by_role("searchbox", name="Words").fill("theorem 4.1")
    assert "Theorem 4.1" in left.first.inner_text()


def test_the_ledger_is_light_until_a_row_is_opened(visit: Callable[..., Any]) -> None:
    file = check_book.ROOT / "_build/html/book/reference/ledger.html"
    assert file.stat().st_size <= 1_500_000
    tab = visit("book/reference/ledger").tab
    assert tab.evaluate("document.querySelectorAll('*').length") <= 8_000
