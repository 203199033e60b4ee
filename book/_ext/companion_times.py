"""The tables of what pages weigh and how long readers wait, from the stored measurement.

The directive ``page-times`` stands for them.  ``tools/time_pages.py`` measures and stores.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

STORED = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "page_times.json"

# the columns: key, head, form of a value
COLUMNS = (
    ("bytes", "MB", "{:.2f}", 1e-6),
    ("compressed", "MB sent", "{:.2f}", 1e-6),
    ("requests", "requests", "{:.0f}", 1),
    ("nodes", "elements", "{:.0f}", 1),
    ("shift", "shift", "{:.2f}", 1),
    ("tabs", "Tabs", "{:.0f}", 1),
    ("painted", "drawn, s", "{:.1f}", 1),
    ("explorers", "explorer, s", "{:.1f}", 1),
)


def _shown(row: Mapping[str, Any], key: str, form: str, unit: float) -> str:
    value = row.get(key)
    return "–" if value is None else form.format(value * unit)


def told(stored: Mapping[str, Any]) -> str:
    """Return a stored measurement as text."""
    now, goals = stored["now"], stored["goals"]
    before = stored["before"] or {"pages": [], "search": []}
    place = now["environment"]
    old = {row["page"]: row for row in before["pages"]}
    found = {row["query"]: row for row in before["search"]}
    heads = ["page", *(head for _, head, _, _ in COLUMNS)]
    rows = [["*goal*", *(_shown(goals, key, form, unit) for key, _, form, unit in COLUMNS)]]
    for row in now["pages"]:
        was = old.get(row["page"])
        cells = []
        for key, _, form, unit in COLUMNS:
            each = _shown(row, key, form, unit)
            cells.append(f"{_shown(was, key, form, unit)} → {each}" if was else each)
        rows.append([f"{{doc}}`/{row['page']}`", *cells])
    searches = []
    for row in now["search"]:
        was = found.get(row["query"])
        pairs = [("place", "{:.0f}", 1), ("bytes", "{:.2f}", 1e-6)]
        cells = [
            f"{_shown(was, *each)} → {_shown(row, *each)}" if was else _shown(row, *each)
            for each in pairs
        ]
        searches.append([row["query"], *cells])
    since = f"; before the arrow, the book of {before['date']}" if old else ""
    return (
        f"Measured on {now['date']} with {place['browser']} on {place['cores']} cores, "
        f"{place['processor']} ({place['system']}), which {place['load_average']:.1f} programs "
        f"wanted at once{since}.\n\n{_table(heads, rows)}\n\n"
        f"{_table(['search for', 'place of the best page', 'MB'], searches)}"
    )


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


class PageTimes(SphinxDirective):
    """``page-times``: the stored measurement, set here."""

    def run(self) -> list[nodes.Node]:
        """Read the text as if it stood in the page."""
        self.env.note_dependency(str(STORED))
        text = told(json.loads(STORED.read_text(encoding="utf-8")))
        place = nodes.Element()
        self.state.nested_parse(StringList(text.splitlines(), STORED.name), 0, place)
        return place.children


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive with Sphinx."""
    app.add_directive("page-times", PageTimes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
