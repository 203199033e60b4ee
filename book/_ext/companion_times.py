"""The table of how long pages take, from the stored measurement.

The mark ``page-times`` in a page is replaced by a sentence and a table before the page is read.
``tools/time_pages.py`` measures and stores.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

STORED = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "page_times.json"

_MARK = re.compile(r"^```\{page-times\}\n```$", re.MULTILINE)


def told(stored: Mapping[str, Any]) -> str:
    """Return a stored measurement as text.

    Parameters
    ----------
    stored : mapping
        What ``tools/time_pages.py`` writes.

    Returns
    -------
    str
        Markdown: where, when and how it was measured, and a row for each page.
    """
    place, settings = stored["environment"], stored["settings"]
    readers = settings["readers"]
    looks = " and ".join(
        f"{name} ({each['width']} pixels wide, the processor {_pace(each['slowdown'])})"
        for name, each in readers.items()
    )
    slowest = {
        name: max(stored["pages"], key=lambda row, name=name: row[name]["interactive"])
        for name in readers
    }
    ends = ", ".join(
        f"{row[name]['interactive']:.1f} s at most for {name}" for name, row in slowest.items()
    )
    heads = ["page", *(f"{name}, {kind}" for name in readers for kind in ("ready", "interactive"))]
    rows = [
        [
            f"{{doc}}`/{row['page']}`",
            *(f"{row[name][kind]:.1f} s" for name in readers for kind in ("ready", "interactive")),
        ]
        for row in stored["pages"]
    ]
    lines = [heads, ["---"] * len(heads), *rows]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return (
        f"Measured on {stored['date']} with {place['browser']} on {place['cores']} cores, "
        f"{place['processor']} ({place['system']}), {_shared(place)}, {_loads(settings['rounds'])} "
        f"into an empty cache, for two readers: {looks}. *Ready* is the time until formulas and "
        "sliders are there, *interactive* the time from which on no task keeps the browser busy "
        "for more than 50 ms, for "
        f"{settings['quiet_seconds']:g} seconds. In short: {ends}.\n\n{table}"
    )


def _shared(place: Mapping[str, Any]) -> str:
    load, cores = place["load_average"], place["cores"]
    if load <= cores:
        return "otherwise idle"
    return f"which {load:.0f} programs wanted at once (idle, it is faster)"


def _loads(rounds: int) -> str:
    return "one load" if rounds == 1 else f"medians of {rounds} loads"


def _pace(slowdown: int) -> str:
    return "as it is" if slowdown == 1 else f"made {slowdown} times slower"


def _fill_in(app: Sphinx, docname: str, source: list[str]) -> None:
    if _MARK.search(source[0]):
        app.env.note_dependency(str(STORED))
        text = told(json.loads(STORED.read_text(encoding="utf-8")))
        source[0] = _MARK.sub(lambda match: text, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the mark with Sphinx."""
    app.connect("source-read", _fill_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
