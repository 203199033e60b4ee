"""The stored records that other programs than ``sublinear bench`` wrote, and their tables.

Before quoting the score of a mutation run, know that a mutant which nothing executes counts as one
that survived, and that mutants which change no number are among the survivors too.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from benchmarks.results import results_path
from benchmarks.tables import Table, count_text

_COUNTS = ("cases", "steps", "queries", "pairs", "ties", "mismatches")
_FUZZ = {*_COUNTS, "date", "seed", "seconds", "versions", "by_structure"}
_MUTATION = {"total", "modules", "operators", "survivors", "trials", "settings"}
_OUTCOMES = {
    "noticed": "verdict changes, as it should",
    "kept": "stays, as it should",
    "not noticed": "not noticed",
    "false alarm": "changes, but should not",
}


def read_record(
    path: str | Path | None, file: str, what: str, parts: Collection[str], schema: int | None = None
) -> dict[str, Any]:
    """Read a JSON object with these parts, by default the `file` of the clone, or refuse it."""
    path = results_path().with_name(file) if path is None else path
    refused = f"path must name {what}, got {path}"
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{refused}: {error}") from error
    if not isinstance(found, dict) or not set(parts) <= set(found):
        raise ValueError(refused)
    if schema is not None and found.get("schema") != schema:
        raise ValueError(f"{refused}, not of schema {schema}")
    return found


def load_fuzz_record(path: str | Path | None = None) -> dict[str, Any]:
    """Read the record of a fuzz run."""
    return read_record(path, "halfspace_fuzz.json", "the record of a fuzz run", _FUZZ)


def load_mutation_record(path: str | Path | None = None) -> dict[str, Any]:
    """Read the record of a mutation run."""
    what = "the record of a mutation run"
    return read_record(path, "theory_mutation.json", what, _MUTATION, schema=1)


def load_planting_record(path: str | Path | None = None) -> dict[str, Any]:
    """Read the record of a run with errors planted in statements, one trial for each number."""
    what = "the record of plantings in statements"
    return read_record(path, "statement_plantings.json", what, {"trials"}, schema=1)


def fuzz_tables(record: dict[str, Any]) -> list[Table]:
    """Lay out the record of a fuzz run."""
    versions = record["versions"]
    facts = [
        ["date", record["date"][:10]],
        ["seed", str(record["seed"])],
        ["seconds", f"{record['seconds']:.0f}"],
        *([name, count_text(record[name])] for name in _COUNTS),
        *([name, str(versions[name])] for name in ("python", "numpy", "numba")),
    ]
    rows = [
        [name, *(count_text(part[number]) for number in _COUNTS)]
        for name, part in record["by_structure"].items()
    ]
    return [
        Table("The run.", ["what", "value"], facts),
        Table("What was asked of each structure.", ["structure / kernels", *_COUNTS], rows),
    ]


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
