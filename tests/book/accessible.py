"""What axe-core says about a page in the browser, in a fraction of the time that it takes unaided.

Most of axe's time goes into one of its rules, color contrast, which it decides anew for every piece
of text: some ten thousand on a page with code and tables. Most of them are of a kind with another.
Two are if they have the same letters (color, size, weight, shadow) on the same ground: the same
paint, opacity and place of every element around them, reaching as far under the text, and the same
paint of every other element that overlaps it. Where axe has found the contrast of one to be enough,
it is not asked about others of the kind. It is asked about every element whose kind has not passed,
so that what it reports, element by element, is what it would report unaided.

An element without text of its own has no contrast, and one character alone is never a violation:
axe calls it too short to be told from a sign. It takes the letters of formulas beyond the first
65 536 characters for two; here they are one.

All other rules see all elements, and no rule is left out. ``test_accessible.py`` plants faults, and
compares with what axe finds unaided.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import axe_playwright_python

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")

OPEN_BOXES = "document.querySelectorAll('details').forEach(each => each.open = true)"

MARK_WHAT_HAS_NO_CONTRAST = """() => {
    const mark = "data-no-contrast";
    const own = each => [...each.childNodes].filter(node => node.nodeType === Node.TEXT_NODE)
        .map(node => node.data).join("").replace(/\\s+/g, " ").trim();
    for (const each of document.querySelectorAll("body *:not(input, select, textarea, button)"))
        each.toggleAttribute(mark, [...own(each)].length < 2);
}"""

# Puts a question before axe's own check of the contrast: has one of this kind passed? Counts in
# `contrastsMeasured` the elements about which axe itself is asked.
ASK_ONCE_FOR_EACH_KIND = """() => {
    const check = axe._audit.checks["color-contrast"];
    check.unaided ??= check.evaluate;
    const ground = ["backgroundColor", "backgroundImage", "opacity", "visibility", "filter",
        "backdropFilter", "mixBlendMode", "transform", "position", "zIndex", "clip", "clipPath",
        "float", "maskImage"];
    const letters = ["color", "fontSize", "fontWeight", "textShadow", "webkitTextStrokeWidth",
        "webkitTextStrokeColor", "webkitTextFillColor", "backgroundClip"];
    const read = (style, names) => names.map(name => style[name]).join("|");
    const probe = document.createElement("div");
    document.body.append(probe);
    const plain = read(getComputedStyle(probe), ground);
    const clear = getComputedStyle(probe).backgroundColor;
    probe.remove();
    const paints = new Map();  // by element: its own paint, and its area where it has a ground
    const replaced = new Set(["IMG", "CANVAS", "VIDEO", "IFRAME", "OBJECT", "svg"]);
    const paint = each => {
        if (!paints.has(each)) {
            const style = getComputedStyle(each);
            const painted = style.backgroundColor !== clear || style.backgroundImage !== "none"
                || replaced.has(each.tagName);
            const look = read(style, ground);
            paints.set(each, {
                look: look === plain ? "" : `${look}|${replaced.has(each.tagName)}`,
                area: painted ? each.getBoundingClientRect() : null,
            });
        }
        return paints.get(each);
    };
    // The elements with a ground, by the stripes of the page that they reach into.
    const stripes = new Map();
    const reach = area => {
        const from = Math.floor(area.top / 50);
        return Array.from({ length: Math.floor(area.bottom / 50) - from + 1 }, (_, k) => from + k);
    };
    for (const each of document.querySelectorAll("body *"))
        for (const stripe of paint(each).area ? reach(paint(each).area) : [])
            stripes.set(stripe, [...(stripes.get(stripe) ?? []), each]);
    const overlap = (a, b) =>
        a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const within = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1
        && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
    const kind = each => {
        const area = each.getBoundingClientRect();
        const parts = [read(getComputedStyle(each), letters)];
        for (let box = each; box; box = box.parentElement ?? box.getRootNode().host) {
            const { look, area: painted } = paint(box);
            if (look) parts.push(`${look}|${!painted || within(area, painted)}`);
        }
        for (const stripe of reach(area))
            for (const other of stripes.get(stripe) ?? [])
                if (overlap(area, paint(other).area)
                    && !other.contains(each) && !each.contains(other))
                    parts.push(`beside ${paint(other).look}`);
        return parts.join("/");
    };
    const passed = new Set();
    window.contrastsMeasured = [];
    check.evaluate = function (node, options, virtual) {
        const name = kind(node);
        if (passed.has(name)) return true;
        contrastsMeasured.push(node);
        let measured;
        const told = { ...this, data: found => { measured = found; this.data(found); } };
        const result = check.unaided.call(told, node, options, virtual);
        if (result === true && measured?.fgColor && measured.bgColor) passed.add(name);
        return result;
    };
}"""

# Left to itself, axe asks for the style sheets once more, which a folder refuses and which are not
# always where axe looks for them; only a rule that it does not apply unasked reads them.
RUN = """([scope, rules]) => {
    axe.configure({ rules: [{ id: "color-contrast", selector: ":not([data-no-contrast])" }] });
    return axe.run(scope ?? document, {
        resultTypes: ["violations"],
        preload: { assets: ["media"] },
        ...(rules && { runOnly: { type: "rule", values: rules } }),
    });
}"""

# The rules whose outcome depends on colors and sizes.  All others look at names, roles, order and
# nesting, which are the same by day and by night, and at any width but for the bars around a page.
LOOKS = (
    "color-contrast",
    "link-in-text-block",
    "meta-viewport",
    "scrollable-region-focusable",
)

# What axe remembers it looks up in lists, from their beginning: a tenth of its time on a page with
# 25 000 elements. So it is given, while it loads, a search that remembers places.
LOAD = f"""() => {{
    const search = Array.prototype.indexOf;
    const places = new WeakMap();
    Array.prototype.indexOf = function (wanted, ...from) {{
        if (from.length || typeof wanted !== "object" || this.length < 100)
            return search.call(this, wanted, ...from);
        let known = places.get(this);
        if (!known || known.last !== this[known.size - 1])
            places.set(this, known = {{ at: new Map(), size: 0, last: undefined }});
        for (; known.size < this.length; known.size++)
            if (!known.at.has(this[known.size])) known.at.set(this[known.size], known.size);
        known.last = this[known.size - 1];
        return known.at.get(wanted) ?? -1;
    }};
    try {{ {AXE} }} finally {{ Array.prototype.indexOf = search; }}
}}"""


def open_boxes(tab: Tab) -> None:
    """Open every box that a reader could open."""
    tab.evaluate(OPEN_BOXES)


def violations(
    tab: Tab, scope: str | None = None, rules: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Let axe look at a page, or at what the selector `scope` names; return the broken rules.

    With `rules`, it applies these only; otherwise all that it applies unasked.
    """
    tab.evaluate(LOAD)
    tab.evaluate(MARK_WHAT_HAS_NO_CONTRAST)
    tab.evaluate(ASK_ONCE_FOR_EACH_KIND)
    return list(tab.evaluate(RUN, [scope, rules and [*rules]])["violations"])


def findings(tab: Tab, scope: str | None = None, rules: Sequence[str] | None = None) -> list[str]:
    """Return what axe finds, a line for each element that breaks a rule."""
    return [
        f"{rule['id']} ({rule['impact']}) at {node['target']}: {node['html'][:200]}"
        f" {node['failureSummary']}"
        for rule in violations(tab, scope, rules)
        for node in rule["nodes"]
    ]
