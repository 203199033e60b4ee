"""Every explorer and every quiz of every chapter, worked by keyboard alone."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import check_book
import pytest

from sublinear_lib.exhibits import quiz
from tests.book.contrast import GRAPHIC, contrast
from tests.book.keyboard import Met, Walk, through, walks
from tests.book.test_quiz_browser import ASKING
from tests.book.visits import READERS, way

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

# What a notebook holds that has an explorer or a quiz.
MARKS = (b'"_table"', b"sl-quiz")


def worked() -> list[str]:
    """List the pages of the book that a reader can work, by what their notebooks hold."""
    notebooks = {name: check_book.ROOT / f"{name}.ipynb" for name in check_book.chapters()}
    return [
        name
        for name, path in notebooks.items()
        if path.is_file() and any(mark in path.read_bytes() for mark in MARKS)
    ]


PAGES = worked()
# the tests of a page stay with the worker that visits it, which goes by the name of the reader
pages = pytest.mark.parametrize("page", PAGES, ids=[f"{name}-{READERS[0]}" for name in PAGES])

Walked = Callable[[str], list[Walk]]


@pytest.fixture(scope="session")
def walked(browser: Browser, html: Path, site: str) -> Walked:
    """Return the walk through a page, which is made at the first call only."""

    @functools.cache
    def walk(name: str) -> list[Walk] | Exception:
        try:
            return walks(browser, site if way(name)[0] == "http" else html.as_uri(), name)
        except Exception as error:  # every test of the page reports it, none waits for it again
            return error

    def found(name: str) -> list[Walk]:
        made = walk(name)
        if isinstance(made, Exception):
            raise made
        return made

    return found


@pages
def test_the_tab_key_reaches_every_control_in_order_and_leads_out_again(
    page: str, walked: Walked
) -> None:
    assert walked(page)
    for walk in walked(page):
        assert [met.at["stop"] for met in walk.met] == walk.expected, walk.name
        assert walk.left, f"{walk.name}: the Tab key does not lead out"
        assert walk.back == walk.expected_back[::-1], walk.name
        assert walk.left_back, f"{walk.name}: Shift and Tab do not lead out"
        assert walk.expected, f"{walk.name}: there is nothing to work"


@pages
def test_the_focus_can_be_seen_at_every_stop(page: str, walked: Walked) -> None:
    assert [fault for walk in walked(page) for met in walk.met for fault in unseen(met)] == []


@pages
def test_every_key_does_what_it_does_elsewhere(page: str, walked: Walked) -> None:
    assert [fault for walk in walked(page) for met in walk.met for fault in misled(met)] == []


@pages
def test_what_a_key_changes_is_said(page: str, walked: Walked) -> None:
    assert [fault for walk in walked(page) for met in walk.met for fault in silent(met)] == []


@pytest.mark.parametrize("page", ASKING, ids=[f"{name}-{READERS[0]}" for name in ASKING])
def test_the_quiz_asks_every_question_and_one_answer_is_right(page: str, walked: Walked) -> None:
    (walk,) = (walk for walk in walked(page) if walk.kind == "quiz")
    met = [met for met in walk.met if met.at["kind"] == "radio"]
    asked = quiz(page.removeprefix("book/")).questions
    assert [each.at["most"] + 1 for each in met] == [len(each.choices) for each in asked]
    for each in met:
        told = {now["place"]: now["said"].partition(".")[0] for _, _, now in each.after if now}
        assert sorted(told.values()) == ["No"] * each.at["most"] + ["Right"], each.name


def test_every_explorer_of_a_notebook_is_met(walked: Walked) -> None:
    assert len(PAGES) > 20
    page = next(name for name in PAGES if name.endswith("half-space-reporting"))
    stored = (check_book.ROOT / f"{page}.ipynb").read_bytes()
    kinds = Counter(walk.kind for walk in walked(page))
    assert kinds == {"explorer": stored.count(b'"_table"'), "quiz": 1}
    assert kinds["explorer"] > 1


# What the checks themselves promise: each finds the fault it is named after.


def unseen(met: Met) -> list[str]:
    """List what is wrong with the look of the focus at a stop."""
    rings = [ring for ring in met.at["rings"] if ring["width"] >= 2]
    if not met.at["seen"] or not rings:
        return [f"{met.name}: nothing shows where the focus is"]
    best = max(contrast(color(ring["color"]), color(ring["ground"])) for ring in rings)
    return [] if best >= GRAPHIC else [f"{met.name}: the ring around it is too faint: {best:.1f}"]


def color(css: str) -> tuple[float, ...]:
    """Return the channels of a color as a browser writes it, from 0 to 1."""
    return tuple(float(each) / 255 for each in re.findall(r"[\d.]+", css)[:3])


def misled(met: Met) -> list[str]:
    """List the keys that did not do at a stop what a reader expects."""
    faults = []
    before = met.at
    for key, does, now in met.after:
        if now is None or now["stop"] != before["stop"]:
            faults.append(f"{met.name}: {key} moved the focus away")
            break
        wanted = {
            "first": 0,
            "last": now["most"],
            "next": min(before["place"] + 1, now["most"]),
            "back": max(before["place"] - 1, 0),
        }.get(does, before["place"])
        fine = now["place"] == wanted
        if now["kind"] == "radio":
            fine = fine and now["checked"]
        elif does == "open":
            fine = now["open"]
        elif does == "scroll":
            fine = now["scrolled"][0] > 0 or now["scrolled"][1] <= 0
        elif does == "clear":
            fine = now["told"] == 0
        elif now["place"] != before["place"]:
            fine = fine and now["read"] != before["read"]
        if not fine:
            faults.append(f"{met.name}: {key} led from {before['place']} to {now['place']}")
        before = now
    return faults


def silent(met: Met) -> list[str]:
    """List a stop whose changes no live region tells."""
    if met.at["kind"] not in {"range", "select-one", "radio"} or not met.at["most"]:
        return []
    places = {now["place"] for _, _, now in met.after if now}
    said = {now["said"] for _, _, now in met.after if now}
    fault = f"{met.name}: {len(places)} places, and what is said is {sorted(said)}"
    enough = len(places) if met.at["kind"] == "radio" else 2
    return [] if "" not in said and len(said) >= enough else [fault]


SOUND = """<!doctype html><html lang="en"><head><style>
body { background: #fff; color: #111 }
:focus-visible { outline: 3px solid #1268c8 }</style></head><body><main>
<div class="sl-explorer" aria-label="A box"><label for="a">size</label>
<input id="a" type="range" max="5" value="2" aria-valuetext="2">
<label for="b">kind</label><select id="b"><option>one<option>two<option>three</select>
<p aria-live="polite">size 2, one</p></div><p><a href="#">behind</a></p></main><script>
const box = document.querySelector(".sl-explorer");
const [size, kind, said] = ["#a", "#b", "p"].map(name => box.querySelector(name));
box.addEventListener("input", () => {
    size.setAttribute("aria-valuetext", size.value);
    said.textContent = `size ${size.value}, ${kind.value}`;
});</script></body></html>"""


def met_in(browser: Browser, plant: str = "") -> tuple[Walk, list[str]]:
    """Walk through the small page with a fault planted by a script; return what is wrong."""
    tab = browser.new_page()
    try:
        tab.set_content(SOUND)
        tab.evaluate(f"() => {{ {plant} }}")
        (walk,) = through(tab)
    finally:
        tab.close()
    checks = (unseen, misled, silent)
    return walk, [fault for met in walk.met for check in checks for fault in check(met)]


def test_a_sound_box_has_no_faults(browser: Browser) -> None:
    walk, faults = met_in(browser)
    assert faults == []
    assert [met.at["stop"] for met in walk.met] == walk.expected == [0, 1]
    assert walk.back == [1, 0] and walk.left and walk.left_back


@pytest.mark.parametrize(
    ("plant", "fault"),
    [
        ("size.style.outline = 'none'", "nothing shows where the focus is"),
        ("document.querySelector('style').append('#a:focus-visible { outline-color: #ddd }')",
         "too faint"),
        ("kind.onkeydown = event => event.preventDefault()", "ArrowDown led from 0 to 0"),
        ("size.onkeydown = () => kind.focus()", "moved the focus away"),
        ("size.setAttribute = () => 0", "led from 0 to 1"),
        ("said.remove()", "what is said is ['']"),
        ("Object.defineProperty(said, 'textContent', { set: () => 0 })", "what is said is ['size"),
    ],
)  # fmt: skip
def test_a_fault_of_one_control_is_found(browser: Browser, plant: str, fault: str) -> None:
    _, faults = met_in(browser, plant)
    assert any(fault in found for found in faults), faults


def test_a_trap_and_a_control_out_of_order_are_found(browser: Browser) -> None:
    trap = """box.addEventListener("keydown", event => {
        if (event.key !== "Tab") return;
        event.preventDefault();
        (document.activeElement === size ? kind : size).focus();
    })"""
    walk, _ = met_in(browser, trap)
    assert not walk.left
    walk, _ = met_in(browser, "kind.tabIndex = 1")
    assert [met.at["stop"] for met in walk.met] != walk.expected
