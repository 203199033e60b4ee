"""A walk through the explorers and the quiz of a page by keyboard alone, and what was met there.

A page is loaded once, without its formulas, which take most of the time and no part in this.  In
front of every explorer and quiz the walk begins with the Tab key; at each stop it looks at the
focus, presses the keys of that kind of control and writes down what changed; behind the last stop
it turns, and goes back.  The tests read the notes: one test for each promise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from browser import empty_tab

from tests.book.visits import Visit, way

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

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
        drawn: group.querySelector(".sl-plot svg")?.innerHTML.length ?? 0,
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


def walks(browser: Browser, base: str, name: str) -> list[Walk]:
    """Open the page `name` below the address `base`, and walk through all that can be worked."""
    reader = way(name)[1][0]
    visited = Visit(empty_tab(browser, reader.scheme, reader.width))
    tab = visited.tab
    try:
        visited.go(f"{base}/{name}.html", formulas=False)
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
