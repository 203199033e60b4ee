"""What axe-core says about a page in the browser, element by element.

One character alone is never a violation of contrast: axe calls it too short to be told from a sign.
It takes the letters of formulas beyond the first 65 536 characters for two; here they are one.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import axe_playwright_python

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")

OPEN_BOXES = "document.querySelectorAll('details').forEach(each => each.open = true)"

# Left to itself, axe asks for the style sheets once more, which a folder refuses and which are not
# always where axe looks for them; only a rule that it does not apply unasked reads them.
RUN = """scope => {
    const own = each => [...each.childNodes].filter(node => node.nodeType === Node.TEXT_NODE)
        .map(node => node.data).join("").trim();
    for (const each of document.querySelectorAll("body *:not(input, select, textarea, button)"))
        each.toggleAttribute("data-no-contrast", [...own(each)].length < 2);
    axe.configure({ rules: [{ id: "color-contrast", selector: ":not([data-no-contrast])" }] });
    return axe.run(scope ?? document, {
        resultTypes: ["violations"],
        preload: { assets: ["media"] },
    });
}"""


def open_boxes(tab: Tab) -> None:
    """Open every box that a reader could open."""
    tab.evaluate(OPEN_BOXES)


def findings(tab: Tab, scope: str | None = None) -> list[str]:
    """Return what axe finds on a page, or in what the selector `scope` names, line by line."""
    tab.evaluate(AXE)
    return [
        f"{rule['id']} ({rule['impact']}) at {node['target']}: {node['html'][:200]}"
        f" {node['failureSummary']}"
        for rule in tab.evaluate(RUN, scope)["violations"]
        for node in rule["nodes"]
    ]
