"""What axe-core says about a page in the browser, in a fraction of the time that it takes unaided.

Four fifths of axe's time go into one of its rules, color contrast, which it decides anew for every
piece of text: some ten thousand on a page with code and tables. That rule is asked here about fewer
elements, without a loss:

* An element without text of its own has no contrast, and one character alone is never a violation:
  axe calls it too short to be told from a sign.
* Within one table, or one listing, text of the same kind stands on the same ground: the same color,
  size, weight and shadow, and the same paint, opacity and place of every element around it, up to
  the table. The first one that can be seen stands for all of its kind.

All other rules see all elements, and no rule is left out. ``test_accessible.py`` plants faults, and
compares with what axe finds unaided.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import axe_playwright_python

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")

OPEN_BOXES = "document.querySelectorAll('details').forEach(each => each.open = true)"

MARK_REPEATED_TEXT = """() => {
    const mark = "data-same-contrast";
    for (const each of document.querySelectorAll(`[${mark}]`)) each.removeAttribute(mark);
    const own = each => [...each.childNodes].filter(node => node.nodeType === Node.TEXT_NODE)
        .map(node => node.data).join("").replace(/\\s+/g, " ").trim();
    const numbers = new Map();
    const number = text => numbers.get(text) ?? (numbers.set(text, numbers.size), numbers.size - 1);
    const ground = ["backgroundColor", "backgroundImage", "opacity", "visibility", "filter",
        "mixBlendMode", "transform", "position", "zIndex", "clipPath"];
    const letters = ["color", "fontSize", "fontWeight", "textShadow", "webkitTextStrokeWidth",
        "webkitTextStrokeColor", "webkitTextFillColor"];
    const kinds = new Map();  // by element: what its own paint and that of its ancestors is
    const kind = (each, box) => {
        if (!kinds.has(each)) {
            const style = getComputedStyle(each);
            const paint = ground.map(name => style[name]).join("|");
            const around = each === box ? "" : kind(each.parentElement, box);
            kinds.set(each, number(`${around} ${paint}`));
        }
        return kinds.get(each);
    };
    for (const each of document.querySelectorAll("body *:not(input, select, textarea, button)"))
        if (own(each).length < 2) each.setAttribute(mark, "");
    // A table or a listing within another belongs to the outer one.
    for (const box of document.querySelectorAll("pre, table")) {
        if (box.parentElement.closest("pre, table")) continue;
        const seen = new Set();
        for (const each of box.querySelectorAll("*")) {
            if (each.hasAttribute(mark)) continue;
            const area = each.getBoundingClientRect();
            if (!each.checkVisibility({ visibilityProperty: true }) || !area.width || !area.height)
                continue;
            const style = getComputedStyle(each);
            const key = `${kind(each, box)} ${letters.map(name => style[name]).join("|")}`;
            if (seen.has(key)) each.setAttribute(mark, "");
            seen.add(key);
        }
    }
}"""

RUN = """scope => {
    axe.configure({ rules: [{ id: "color-contrast", selector: ":not([data-same-contrast])" }] });
    return axe.run(scope ?? document, { resultTypes: ["violations"] });
}"""


def open_boxes(tab: Tab) -> None:
    """Open every box that a reader could open."""
    tab.evaluate(OPEN_BOXES)


def violations(tab: Tab, scope: str | None = None) -> list[dict[str, Any]]:
    """Let axe look at a page, or at what the selector `scope` names; return the broken rules."""
    tab.evaluate(AXE)
    tab.evaluate(MARK_REPEATED_TEXT)
    return list(tab.evaluate(RUN, scope)["violations"])


def findings(tab: Tab, scope: str | None = None) -> list[str]:
    """Return what axe finds, a line for each element that breaks a rule."""
    return [
        f"{rule['id']} ({rule['impact']}) at {node['target']}: {node['html'][:200]}"
        f" {node['failureSummary']}"
        for rule in violations(tab, scope)
        for node in rule["nodes"]
    ]
