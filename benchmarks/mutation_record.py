"""The recorded runs with planted errors, in the theory and in the statements, for their pages.

``python tools/mutate_theory.py`` plants errors in the modules of :mod:`sublinear_lib.theory`, one
at a time, and notes which claim changes its verdict; the repository keeps the file of one run.
Before quoting its score, know that a mutant which nothing executes counts as one that survived, and
that mutants which change no number are among the survivors too: the page lists every one of them.

``python tools/plant_statements.py`` plants wrong numbers in the statements themselves.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.stored import read_stored
from benchmarks.tables import Table

__all__ = ["load_mutation_record", "load_planting_record", "mutation_tables", "planting_table"]

_FILE = "theory_mutation.json"
_PLANTINGS = "statement_plantings.json"
_SCHEMA = 1
_OUTCOMES = {
    "noticed": "verdict changes, as it should",
    "kept": "stays, as it should",
    "not noticed": "not noticed",
    "false alarm": "changes, but should not",
}
_COUNTS = ("mutants", "killed", "timeout", "survived", "not_covered")


def load_mutation_record(path: str | Path | None = None) -> dict[str, Any]:
    """Read the record of a mutation run.

    Parameters
    ----------
    path : str or Path, optional
        The file; by default that of the clone.

    Returns
    -------
    dict
        What the run wrote: ``total``, ``modules``, ``operators``, ``survivors`` and ``trials``.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is not such a record.
    """
    record, path = read_stored(path, _FILE, "the record of a mutation run")
    wanted = {"total", "modules", "operators", "survivors", "trials", "settings"}
    if not wanted <= set(record) or record.get("schema") != _SCHEMA:
        raise ValueError(f"path must name the record of a mutation run, got {path}")
    return record


def mutation_tables(record: dict[str, Any]) -> list[Table]:
    """Lay out the record of a mutation run.

    Parameters
    ----------
    record : dict
        What `load_mutation_record` returns.

    Returns
    -------
    list of Table
        The mutants of each module and of each kind of error, and all that survived.
    """
    head = [*(name.replace("_", " ") for name in _COUNTS), "score", "of those executed"]
    by_module = [[name, *_counts(part)] for name, part in record["modules"].items()]
    by_module.append(["all", *_counts(record["total"])])
    by_operator = [[name, *_counts(part)] for name, part in record["operators"].items()]
    survivors = [
        [
            f"{row['module']}.py, line {row['line']}",
            row["function"] or "top level",
            row["before"],
            row["after"],
            row["outcome"],
        ]
        for row in record["survivors"]
    ]
    return [
        Table("Planted errors in each module.", ["module", *head], by_module),
        Table("Planted errors of each kind.", ["kind", *head], by_operator),
        Table(
            "Planted errors that no claim noticed.",
            ["place", "function", "before", "after", "outcome"],
            survivors,
        ),
    ]


def load_planting_record(path: str | Path | None = None) -> dict[str, Any]:
    """Read the record of a run with errors planted in statements.

    Parameters
    ----------
    path : str or Path, optional
        The file; by default that of the clone.

    Returns
    -------
    dict
        What the run wrote; ``trials`` has one entry for each planted number.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is not such a record.
    """
    record, path = read_stored(path, _PLANTINGS, "the record of plantings in statements")
    if "trials" not in record or record.get("schema") != _SCHEMA:
        raise ValueError(f"path must name the record of plantings in statements, got {path}")
    return record


def planting_table(record: dict[str, Any]) -> Table:
    """Lay out which wrong numbers in statements were noticed.

    Parameters
    ----------
    record : dict
        What `load_planting_record` returns.

    Returns
    -------
    Table
        One row for each number of each statement, with all that was planted in its place.
    """
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


def _counts(part: dict[str, Any]) -> list[str]:
    shares = (part["score"], part["score_of_covered"])
    return [
        *(str(part[name]) for name in _COUNTS),
        *("" if share is None else f"{100 * share:.1f} %" for share in shares),
    ]
