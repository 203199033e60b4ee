"""The tables of a section, whatever benchmark it is of.

No object of the paper lives here.  Each benchmark has a module of layouts; a section without one
shows its rows as they are stored, so that a new section can be looked at before it has a layout.
"""

from __future__ import annotations

from typing import Any

from benchmarks.layouts_halfspace import HALFSPACE_LAYOUTS
from benchmarks.layouts_training import TRAINING_LAYOUTS
from benchmarks.results import Results
from benchmarks.tables import Table, number_text

_LAYOUTS = {"halfspace": HALFSPACE_LAYOUTS, "training": TRAINING_LAYOUTS}


def section_tables(results: Results, section: str) -> list[Table]:
    """Return the tables of a section."""
    question = results.section(section)["question"]
    layouts = _LAYOUTS[results.benchmark]
    if section in layouts:
        return layouts[section](results)
    cells = results.cells(section)
    names = list(dict.fromkeys(name for cell in cells for name in cell))
    rows = [[_plain(cell.get(name)) for name in names] for cell in cells]
    return [Table(question, names, rows)]


def _plain(value: Any) -> str:
    return number_text(value) if isinstance(value, float) else str(value)
