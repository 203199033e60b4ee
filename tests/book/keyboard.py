"""A walk through the explorers and the quiz of a page by keyboard alone, and what went wrong there.

A page is loaded once, without its formulas, which take most of the time and no part in this.  In
front of every explorer and quiz the walk begins with the Tab key; at each stop it looks at the
focus, presses the keys of that kind of control and writes down what changed; behind the last stop
it turns, and goes back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import check_book
from browser import empty_tab

from tests.book.contrast import GRAPHIC, contrast
from tests.book.visits import Visit, way

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

Faults = dict[str, list[str]]
"""What went wrong, promise by promise."""

# What a notebook holds that has an explorer or a quiz.
MARKS = (b'"_table"', b"sl-quiz")

# The keys of each kind of control, and what they do to its place: the first, the last, one step.
KEYS = {
    "range": [("Home", "first"), ("ArrowRight", "next"), ("End", "last"), ("ArrowLeft", "back")],
    "select-one": [("Home", "first"), ("ArrowDown", "next"), ("End", "last"), ("ArrowUp", "back")],
    "summary": [("Enter", "open")],
    "sl-scroll": [("PageDown", "scroll")],
    "reset": [("Enter", "clear")],
}  # fmt: skip

# Everything that the Tab key should stop at in a group, in order; of a set of radio buttons one.
# A group gets an anchor before it, from which the walk starts.
PREPARE = """selector => {
    const groups = [...document.querySelectorAll(selector)];
    let number = 0;
    for (const [k, group] of groups.entries()) {
        group.dataset.walk = k;
        const anchor = document.createElement("span");
        anchor.tabIndex = -1;
        anchor.id = `walk-${k}`;
        group.before(anchor);
        const all = "a[href], button, input, select, textarea, summary, [tabindex]";
        const sets = new Map();  // of radio buttons, each with one number
        for (const each of group.querySelectorAll(all)) {
            const set = each.type === "radio" ? sets.get(each.name) : undefined;
            each.dataset.stop = set ?? number++;
            if (each.type === "radio") sets.set(each.name, each.dataset.stop);
        }
    }
    window.stopsOf = group => {
        const found = [...group.querySelectorAll("[data-stop]")].filter(
            each => each.tabIndex >= 0 && !each.disabled && each.checkVisibility());
        return [...new Set(found.map(each => +each.dataset.stop))];
    };
    // What shows where the focus is: on the control, its label, or the box around both.
    window.ringsOf = each => [each, ...(each.labels ?? []), each.parentElement].map(box => {
        const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(box);
        return { line: `${outlineStyle} ${outlineWidth} ${outlineColor} ${boxShadow}`,
            width: outlineStyle === "none" ? 0 : parseFloat(outlineWidth), color: outlineColor,
            ground: getComputedStyle(document.body).backgroundColor };
    });
    window.ringsAtRest = {};
    for (const each of document.querySelectorAll("[data-stop]"))
        ringsAtRest[each.dataset.stop] = ringsOf(each).map(ring => ring.line);
    return groups.map(group => ({
        kind: group.matches(".sl-quiz") ? "quiz" : "explorer",
        name: document.getElementById(group.getAttribute("aria-labelledby"))?.textContent
            ?? group.getAttribute("aria-label"),
        stops: stopsOf(group),
    }));
}"""

# Where the focus is, seen from a group, and what can be read there, once the drawing is done.
LOOK = """k => new Promise(done => requestAnimationFrame(() => setTimeout(() => {
    const each = document.activeElement;
    const group = each.closest(`[data-walk="${k}"]`);
    if (!group) return done(null);
    const place = { range: each.value, "select-one": each.selectedIndex };
    const radios = each.type === "radio"
        ? [...group.querySelectorAll("input[type=radio]")].filter(r => r.name === each.name) : [];
    const field = each.closest("fieldset");
    done({
        stop: each.dataset.stop === undefined ? each.outerHTML.slice(0, 100) : +each.dataset.stop,
        stops: stopsOf(group),
        kind: each.type ?? (each.tagName === "SUMMARY" ? "summary" : each.className),
        name: each.labels?.[0]?.textContent ?? each.getAttribute("aria-label") ?? each.textContent,
        place: +(radios.length ? radios.indexOf(each) : place[each.type] ?? 0),
        most: radios.length ? radios.length - 1
            : each.type === "range" ? +each.max : (each.options?.length ?? 1) - 1,
        checked: each.checked ?? null,
        told: [...group.querySelectorAll(".sl-told")].filter(t => t.checkVisibility()).length,
        open: each.parentElement.open ?? null,
        read: each.getAttribute("aria-valuetext") ?? each.selectedOptions?.[0]?.textContent ?? "",
        said: (field ?? group).querySelector("[aria-live], [role=status]")?.innerText.trim() ?? "",
        scrolled: [each.scrollTop, each.scrollHeight - each.clientHeight],
        seen: each.matches(":focus-visible"),
        rings: ringsOf(each).filter((ring, i) => ring.line !== ringsAtRest[each.dataset.stop]?.[i]),
    });
})))"""


PUT_BACK = """place => {
    const each = document.activeElement;
    if (each.type === "range") each.value = place;
    else each.selectedIndex = place;
    for (const name of ["input", "change"]) each.dispatchEvent(new Event(name));
}"""


WORKED = ".sl-explorer:not(.sl-lab), .sl-quiz"


def worked() -> list[str]:
    """List the pages of the book that a reader can work, by what their notebooks hold."""
    notebooks = {name: check_book.ROOT / f"{name}.ipynb" for name in check_book.chapters()}
    return [
        name
        for name, path in notebooks.items()
        if path.is_file() and any(mark in path.read_bytes() for mark in MARKS)
    ]


def faults(browser: Browser, base: str, name: str) -> Faults:
    """Walk through the page `name` below the address `base`; list what went wrong."""
    reader = way(name)[1][0]
    visited = Visit(empty_tab(browser, reader.scheme, reader.width))
    try:
        visited.go(f"{base}/{name}.html")
        return through(visited.tab)
    finally:
        visited.tab.context.close()


def through(tab: Tab) -> Faults:
    """Walk through all that can be worked on a page in the browser; list what went wrong."""
    found: Faults = {"order": [], "focus": [], "keys": [], "said": []}
    for k, group in enumerate(tab.evaluate(PREPARE, WORKED)):
        _walk(tab, k, group, found)
    return found


def _walk(tab: Tab, k: int, group: dict[str, Any], found: Faults) -> None:
    """Walk through an explorer or a quiz, there and back, and add what went wrong."""
    expected, met, back = group["stops"], [], []
    tab.evaluate("k => document.getElementById(`walk-${k}`).focus()", k)
    for at in _stops(tab, k, "Tab", len(expected) + 3):
        met.append(at["stop"])
        after = list(_pressed(tab, k, at))
        name = f"{at['kind']} {at['name'].strip()[:60]!r}"
        for part, faults in (
            ("focus", _unseen(at)),
            ("keys", _misled(at, after)),
            ("said", _silent(at, after)),
        ):
            found[part] += [f"{name}: {fault}" for fault in faults]
        # the next control is tried where the explorer begins
        if at["kind"] in {"range", "select-one"}:
            tab.evaluate(PUT_BACK, at["place"])
        if at["kind"] == "summary":  # what it hides is a stop now
            expected = after[-1][2]["stops"]
    left, behind = len(met) <= len(expected), expected
    if left:
        for at in _stops(tab, k, "Shift+Tab", len(expected) + 3):
            back.append(at["stop"])
            behind = at["stops"]
    faults = {
        "there is nothing to work": not expected,
        f"the stops are {met}, not {expected}": met != expected,
        "the Tab key does not lead out": not left,
        f"the stops backwards are {back}": left and back != behind[::-1],
        "Shift and Tab do not lead out": len(back) > len(expected),
    }
    found["order"] += [f"{group['name']}: {fault}" for fault, there in faults.items() if there]


def _stops(tab: Tab, k: int, key: str, most: int) -> Iterator[dict[str, Any]]:
    """Press a key again and again, and yield what has the focus until it leaves the group."""
    for _ in range(most):
        tab.keyboard.press(key)
        at = tab.evaluate(LOOK, k)
        if at is None:
            return
        yield at


def _pressed(tab: Tab, k: int, at: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Press the keys of a control; yield each, what it should do, and what is there then."""
    keys = KEYS.get(at["kind"], [])
    if at["kind"] == "radio":  # one choice after the other
        keys = [("Space", "same"), *[("ArrowDown", "next")] * at["most"], ("ArrowUp", "back")]
    for key, does in keys:
        tab.keyboard.press(key)
        now = tab.evaluate(LOOK, k)
        for _ in range(20):  # scrolling takes a while
            if does != "scroll" or now is None or now["scrolled"][0]:
                break
            now = tab.evaluate(LOOK, k)
        yield key, does, now


def _unseen(at: dict[str, Any]) -> list[str]:
    """List what is wrong with the look of the focus at a stop."""
    rings = [ring for ring in at["rings"] if ring["width"] >= 2]
    if not at["seen"] or not rings:
        return ["nothing shows where the focus is"]
    best = max(contrast(color(ring["color"]), color(ring["ground"])) for ring in rings)
    return [] if best >= GRAPHIC else [f"the ring around it is too faint: {best:.1f}"]


def color(css: str) -> tuple[float, ...]:
    """Return the channels of a color as a browser writes it, from 0 to 1."""
    return tuple(float(each) / 255 for each in re.findall(r"[\d.]+", css)[:3])


def _misled(before: dict[str, Any], after: list[tuple[str, str, Any]]) -> Iterator[str]:
    """List the keys that did not do at a stop what a reader expects."""
    for key, does, now in after:
        if now is None or now["stop"] != before["stop"]:
            yield f"{key} moved the focus away"
            return
        around = now["kind"] == "radio"  # after its last choice comes the first
        wanted = {
            "first": 0,
            "last": now["most"],
            "next": _beside(before["place"], 1, now["most"], around=around),
            "back": _beside(before["place"], -1, now["most"], around=around),
        }.get(does, before["place"])
        fine = now["place"] == wanted
        if around:
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
            yield f"{key} led from {before['place']} to {now['place']}"
        before = now


def _beside(place: int, way: int, most: int, *, around: bool) -> int:
    """Return the place that an arrow key leads to."""
    return (place + way) % (most + 1) if around else min(max(place + way, 0), most)


def _silent(at: dict[str, Any], after: list[tuple[str, str, Any]]) -> Iterator[str]:
    """List a stop whose changes no live region tells."""
    if at["kind"] in {"range", "select-one", "radio"} and at["most"]:
        places = {now["place"] for _, _, now in after if now}
        said = {now["said"] for _, _, now in after if now}
        if "" in said or len(said) < (len(places) if at["kind"] == "radio" else 2):
            yield f"{len(places)} places, and what is said is {sorted(said)}"
