"""The record of reliability, laid out for the page that shows it.

Before quoting a bound, know what its trials are: cases, lives, networks and files are drawn
independently, the many queries of one case are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.reliability.record import CAMPAIGNS, numbers_last, total
from benchmarks.tables import Table, count_text
from sublinear_lib import statistics

_CONFIDENCE = 0.95

_FEW = 4
# What counts as an independent trial in each campaign, what as its failure, and in which work.
_TRIALS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "queries": ("cases", "mismatches", ("queries", "ties")),
    "histories": ("lives", "mismatches", ("steps", "queries")),
    "kills": ("kills", "broken", ("steps",)),
    "soundness": ("networks", "wrong networks", ("brackets", "comparisons")),
    "damage": ("damages", "findings", ("refused", "as it was")),
    "interrupts": ("interrupts", "findings", ("outcomes",)),
}


def largest_rate(failures: int, trials: int) -> float:
    """Return the largest rate of failures that is compatible with what was seen.

    Examples
    --------
    >>> print(f"{largest_rate(0, 1000):.4f}")
    0.0030
    """
    # The two-sided interval leaves half of its error on each side.
    both = 1.0 - 2.0 * (1.0 - _CONFIDENCE)
    return statistics.clopper_pearson(failures, trials, both).upper


def rate_table(record: Mapping[str, Any]) -> Table:
    """Lay out what each campaign did, how often it failed, and how often it may fail."""
    rows = []
    for name, (unit, failed, work) in _TRIALS.items():
        if (held := record["campaigns"].get(name)) is None:
            continue
        found = total(held)
        failures = _broken(held) if failed == "broken" else found[failed]
        if isinstance(failures, list):
            failures = len(failures)
        done = found["outcomes"] if "outcomes" in work else {part: found[part] for part in work}
        rows.append(
            [
                name,
                f"{count_text(found[unit])} {unit}",
                count_text(failures),
                f"{largest_rate(failures, found[unit]):.2g}",
                f"{len(held['chunks'])} of {CAMPAIGNS[name].chunks}",
                _cell(done),
                CAMPAIGNS[name].question,
            ]
        )
    head = ["campaign", "independent trials", "failed", "rate at most", "pieces", "in which"]
    head.append("question")
    return Table("What was run, and the one-sided 95 % bound on the rate of failures.", head, rows)


def _broken(held: Mapping[str, Any]) -> int:
    """Count the kills of runs that did not end as the one that nobody killed."""
    parts = [chunk["found"] for chunk in held["chunks"].values()]
    return sum(
        part["kills"]
        for part in parts
        if not (part["same weights"] and part["same history"] and not part["other files"])
    )


def part_table(record: Mapping[str, Any], name: str, part: str | None = None) -> Table:
    """Lay out the parts of a campaign."""
    held = record["campaigns"].get(name, {"chunks": {}})
    if not held["chunks"]:
        return Table(f"The {name}: not run yet.", ["piece"], [])
    if part is not None:
        added = total(held)[part]
        ordered = sorted(added, key=numbers_last)
        rows = [[key, count_text(added[key])] for key in ordered]
        what = part.removeprefix("by_")
        return Table(f"The {name}, by {what}.", [what, "number"], rows)
    chunks = [chunk["found"] for chunk in held["chunks"].values()]
    shown = [
        key
        for key, value in chunks[0].items()
        if isinstance(value, bool | int | str)
        or (isinstance(value, Mapping) and len(value) <= _FEW)
    ]
    rows = [[_cell(chunk[key]) for key in shown] for chunk in chunks]
    return Table(f"The {name}, piece by piece.", shown, rows)


def _cell(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{count_text(number)} {key}" for key, number in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return count_text(value) if isinstance(value, int) else str(value)


def notebook_table(record: Mapping[str, Any]) -> Table:
    """Lay out which notebooks printed the stored bytes on one core and on two."""
    chunks = record["campaigns"]["notebooks"]["chunks"]
    ways = list(dict.fromkeys(way for chunk in chunks.values() for way in chunk["found"]))
    words = {True: "same", False: "differs", None: "not asked"}
    rows = [
        [name.removesuffix(".ipynb"), *(words[chunk["found"].get(way)] for way in ways)]
        for name, chunk in sorted(chunks.items())
    ]
    return Table(
        "The bytes of each notebook, compared with those stored.", ["notebook", *ways], rows
    )


def where_table(record: Mapping[str, Any]) -> Table:
    """Lay out when, where and for how long each campaign ran."""
    rows = []
    for name, held in record["campaigns"].items():
        chunks = held["chunks"].values()
        where = held["environment"]
        versions = ", ".join(
            f"{package} {where['versions'][package]}"
            for package in ("sublinear-lib", "python", "numpy", "scipy", "numba")
            if package in where["versions"]
        )
        rows.append(
            [
                name,
                max(chunk["date"] for chunk in chunks),
                count_text(round(sum(chunk["seconds"] for chunk in chunks))),
                f"{where['processor']}, {where['cores']} cores",
                versions,
            ]
        )
    head = ["campaign", "date", "seconds", "machine", "versions"]
    return Table("When and where. Other work went on at the same time.", head, rows)
