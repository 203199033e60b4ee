"""Every explorer and every quiz of every chapter, worked by keyboard alone."""

from collections import Counter

import check_book
import pytest

from tests.book import keyboard
from tests.book.visits import visits

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

PAGES = keyboard.worked()


@visits(PAGES)
def test_the_keyboard_reaches_and_works_everything_in_sight_and_says_what_it_changes(
    page, found_at
):
    assert found_at("keyboard", page) == {"order": [], "focus": [], "keys": [], "said": []}


def test_every_explorer_of_a_notebook_is_met(visit):
    assert len(PAGES) > 20
    page = next(name for name in PAGES if name.endswith("what-cannot-be-done"))
    stored = (check_book.ROOT / f"{page}.ipynb").read_bytes()
    groups = visit(page).tab.evaluate(keyboard.PREPARE, keyboard.WORKED)
    kinds = Counter(group["kind"] for group in groups)
    assert kinds == {"explorer": stored.count(b'"_table"'), "quiz": 1}
    assert kinds["explorer"] == 1


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


def found_in(browser, plant=""):
    """Walk through the small page with a fault planted by a script; return what is wrong."""
    tab = browser.new_page()
    try:
        tab.set_content(SOUND)
        tab.evaluate(f"() => {{ {plant} }}")
        return [fault for part in keyboard.through(tab).values() for fault in part]
    finally:
        tab.close()


def test_a_sound_box_has_no_faults(browser):
    assert found_in(browser) == []


TRAP = """box.addEventListener("keydown", event => {
    if (event.key !== "Tab") return;
    event.preventDefault();
    (document.activeElement === size ? kind : size).focus();
})"""


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
        (TRAP, "the Tab key does not lead out"),
        ("kind.tabIndex = 1", "the stops are"),
        ("for (const each of [size, kind]) each.disabled = true", "there is nothing to work"),
        ("box.addEventListener('keydown', event => event.shiftKey && event.preventDefault())",
         "Shift and Tab do not lead out"),
    ],
)  # fmt: skip
def test_a_fault_of_a_control_or_of_their_order_is_found(browser, plant, fault):
    faults = found_in(browser, plant)
    assert any(fault in found for found in faults), faults
