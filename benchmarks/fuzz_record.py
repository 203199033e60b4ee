"""The recorded run of the fuzzer, for the page that shows it.

``python -m benchmarks.fuzz --queries 1e7 --seed 0 --json FILE`` plays random histories
of every half-space structure (Definition 5.1) against exact arithmetic and writes what it did; the
repository keeps the file of one long run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.stored import read_stored
from benchmarks.tables import Table, count_text

_FILE = "halfspace_fuzz.json"
_NUMBERS = ("cases", "steps", "queries", "pairs", "ties", "mismatches")


def load_fuzz_record(path: str | Path | None = None) -> dict[str, Any]:
    """Read the record of a fuzz run."""
    record, path = read_stored(path, _FILE, "the record of a fuzz run")
    if not {*_NUMBERS, "date", "seed", "seconds", "versions", "by_structure"} <= set(record):
        raise ValueError(f"path must name the record of a fuzz run, got {path}")
    return record


def fuzz_tables(record: dict[str, Any]) -> list[Table]:
    """Lay out the record of a fuzz run."""
    versions = record["versions"]
    facts = [
        ["date", record["date"][:10]],
        ["seed", str(record["seed"])],
        ["seconds", f"{record['seconds']:.0f}"],
        *([name, count_text(record[name])] for name in _NUMBERS),
        *([name, str(versions[name])] for name in ("python", "numpy", "numba")),
    ]
    rows = [
        [name, *(count_text(part[number]) for number in _NUMBERS)]
        for name, part in record["by_structure"].items()
    ]
    return [
        Table("The run.", ["what", "value"], facts),
        Table("What was asked of each structure.", ["structure / kernels", *_NUMBERS], rows),
    ]
