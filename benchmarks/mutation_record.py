"""The recorded runs with planted errors, in the theory and in the statements, for their pages.

``python tools/mutate_theory.py`` plants errors in the modules of :mod:`sublinear_lib.theory`, one
at a time, and notes which claim changes its verdict; the repository keeps the file of one run.
Before quoting its score, know that a mutant which nothing executes counts as one that survived, and
that mutants which change no number are among the survivors too.

``python tools/plant_statements.py`` plants wrong numbers in the statements themselves.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.stored import read_stored
from benchmarks.tables import Table

_FILE = "theory_mutation.json"
_PLANTINGS = "statement_plantings.json"
_SCHEMA = 1
_OUTCOMES = {
    "noticed": "verdict changes, as it should",
    "kept": "stays, as it should",
    "not noticed": "not noticed",
    "false alarm": "changes, but should not",
}


def load_mutation_record(path: str | Path | None = None) -> dict[str, Any]:
    """Read the record of a mutation run."""
    record, path = read_stored(path, _FILE, "the record of a mutation run")
    wanted = {"total", "modules", "operators", "survivors", "trials", "settings"}
    if not wanted <= set(record) or record.get("schema") != _SCHEMA:
        raise ValueError(f"path must name the record of a mutation run, got {path}")
    return record


def load_planting_record(path: str | Path | None = None) -> dict[str, Any]:
    """Read the record of a run with errors planted in statements."""
    record, path = read_stored(path, _PLANTINGS, "the record of plantings in statements")
    if "trials" not in record or record.get("schema") != _SCHEMA:
        raise ValueError(f"path must name the record of plantings in statements, got {path}")
    return record


def planting_table(record: dict[str, Any]) -> Table:
    """Lay out which wrong numbers in statements were noticed."""
    rows: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for each in record["trials"]:
        place = each["claim"], each["what"], f"{each['relation']} {each['stated']}"
        found = rows.setdefault(place, {name: [] for name in _OUTCOMES})
        planted = each["planted"] + (" (true)" if each["makes it"] == "true" else "")
        found[each["outcome"]].append(planted)
    return Table(
        "Numbers planted in statements, and what their checks made of them.",
        ["statement", "number of what", "stated", *_OUTCOMES.values()],
        [[*place, *(", ".join(cell) for cell in row.values())] for place, row in rows.items()],
    )
