"""A walk through the explorers and the quiz of a page by keyboard alone, and what went wrong there.

A page is loaded once, without its formulas, which take most of the time and no part in this.  In
front of every explorer and quiz the walk begins with the Tab key; at each stop it looks at the
focus, presses the keys of that kind of control and writes down what changed; behind the last stop
it turns, and goes back.  `faults` reads the notes, promise by promise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import check_book
from browser import empty_tab

from tests.book.contrast import GRAPHIC, contrast
from tests.book.visits import Visit, way

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

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


@dataclass
class Met:
    """A stop of the walk: the control as it was when the focus came, and after each key."""

    at: dict[str, Any]
    after: list[tuple[str, str, dict[str, Any] | None]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What the control is called."""
        return f"{self.at['kind']} {self.at['name'].strip()[:60]!r}"


@dataclass
class Walk:
    """The notes about one explorer or quiz."""

    kind: str
    name: str
    expected: list[int]
    met: list[Met] = field(default_factory=list)
    left: bool = False
    back: list[Any] = field(default_factory=list)
    expected_back: list[int] = field(default_factory=list)
    left_back: bool = False


def worked() -> list[str]:
    """List the pages of the book that a reader can work, by what their notebooks hold."""
    notebooks = {name: check_book.ROOT / f"{name}.ipynb" for name in check_book.chapters()}
    return [
        name
        for name, path in notebooks.items()
        if path.is_file() and any(mark in path.read_bytes() for mark in MARKS)
    ]


def walks(browser: Browser, base: str, name: str) -> list[Walk]:
    """Open the page `name` below the address `base`, and walk through all that can be worked."""
    reader = way(name)[1][0]
    visited = Visit(empty_tab(browser, reader.scheme, reader.width))
    tab = visited.tab
    try:
        visited.go(f"{base}/{name}.html")
        return through(tab)
    finally:
        tab.context.close()


def through(tab: Tab) -> list[Walk]:
    """Walk through all that can be worked on a page in the browser."""
    groups = tab.evaluate(PREPARE, ".sl-explorer:not(.sl-lab), .sl-quiz")
    return [
        _walk(tab, k, Walk(each["kind"], each["name"] or "", each["stops"]))
        for k, each in enumerate(groups)
    ]


def _walk(tab: Tab, k: int, walk: Walk) -> Walk:
    tab.evaluate("k => document.getElementById(`walk-${k}`).focus()", k)
    for met in _stops(tab, k, "Tab", len(walk.expected) + 3):
        walk.met.append(met)
        for key, does in _keys(met.at):
            tab.keyboard.press(key)
            now = tab.evaluate(LOOK, k)
            for _ in range(20):  # scrolling takes a while
                if does != "scroll" or now is None or now["scrolled"][0]:
                    break
                now = tab.evaluate(LOOK, k)
            met.after.append((key, does, now))
        # the next control is tried where the explorer begins
        if met.at["kind"] in {"range", "select-one"}:
            tab.evaluate(PUT_BACK, met.at["place"])
        if met.at["kind"] == "summary":  # what it hides is a stop now
            walk.expected = met.after[-1][2]["stops"]  # type: ignore[index]
    walk.left = len(walk.met) <= len(walk.expected)
    if walk.left:
        for met in _stops(tab, k, "Shift+Tab", len(walk.expected) + 3):
            walk.back.append(met.at["stop"])
            walk.expected_back = met.at["stops"]
        walk.left_back = len(walk.back) <= len(walk.expected)
    return walk


def _stops(tab: Tab, k: int, key: str, most: int) -> Iterator[Met]:
    """Press a key again and again, and yield where the focus is until it leaves the group."""
    for _ in range(most):
        tab.keyboard.press(key)
        at = tab.evaluate(LOOK, k)
        if at is None:
            return
        yield Met(at)


def _keys(at: dict[str, Any]) -> list[tuple[str, str]]:
    if at["kind"] == "radio":  # one choice after the other
        return [("Space", "same"), *[("ArrowDown", "next")] * at["most"], ("ArrowUp", "back")]
    return KEYS.get(at["kind"], [])


def faults(browser: Browser, base: str, name: str) -> dict[str, list[str]]:
    """Walk through the page `name` below the address `base`; list what went wrong."""
    walked = walks(browser, base, name)
    met = [each for walk in walked for each in walk.met]
    return {
        "order": [fault for walk in walked for fault in astray(walk)],
        "focus": [fault for each in met for fault in unseen(each)],
        "keys": [fault for each in met for fault in misled(each)],
        "said": [fault for each in met for fault in silent(each)],
    }


def astray(walk: Walk) -> list[str]:
    """List what is wrong with the order of the stops."""
    met = [each.at["stop"] for each in walk.met]
    faults = {
        "there is nothing to work": not walk.expected,
        f"the stops are {met}, not {walk.expected}": met != walk.expected,
        "the Tab key does not lead out": not walk.left,
        f"the stops backwards are {walk.back}": walk.back != walk.expected_back[::-1],
        "Shift and Tab do not lead out": not walk.left_back,
    }
    return [f"{walk.name}: {fault}" for fault, there in faults.items() if there]


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
        around = now["kind"] == "radio"  # after its last choice comes the first
        wanted = {
            "first": 0,
            "last": now["most"],
            "next": _beside(before["place"], 1, now["most"], around=around),
            "back": _beside(before["place"], -1, now["most"], around=around),
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


def _beside(place: int, way: int, most: int, *, around: bool) -> int:
    """Return the place that an arrow key leads to."""
    return (place + way) % (most + 1) if around else min(max(place + way, 0), most)


def silent(met: Met) -> list[str]:
    """List a stop whose changes no live region tells."""
    if met.at["kind"] not in {"range", "select-one", "radio"} or not met.at["most"]:
        return []
    places = {now["place"] for _, _, now in met.after if now}
    said = {now["said"] for _, _, now in met.after if now}
    fault = f"{met.name}: {len(places)} places, and what is said is {sorted(said)}"
    enough = len(places) if met.at["kind"] == "radio" else 2
    return [] if "" not in said and len(said) >= enough else [fault]
