"""Everything that the repository stores of its measurements, and how to make it again.

Files lie in ``benchmarks/results``; two of them come from ``sublinear bench``, the others from
campaigns that take too long for a page or a test.  Before adding one, give it a line in `STORED`: a
test finds files that have none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.results import QUESTIONS, read_json, results_path
from benchmarks.tables import Table

_SHOWN_VERSIONS = ("python", "numpy", "scipy", "numba")


@dataclass(frozen=True)
class StoredFile:
    """A file of stored results.

    - ``name``: Its name in ``benchmarks/results``.
    - ``command``: What makes it again.
    - ``takes``: How long that takes on the machine that made it; empty if the file says so itself.
    - ``varies``: What differs from run to run.
    - ``question``: What it answers; empty if the file says so itself.
    """

    name: str
    command: str
    takes: str
    varies: str
    question: str = ""


_TIMES = "times, and ratios of them; answers do not"
_NOTHING = "nothing: the same bytes with these versions"

STORED: tuple[StoredFile, ...] = (
    *(
        StoredFile(f"{name}.json", f"sublinear bench {name}", "", _TIMES, question)
        for name, question in QUESTIONS.items()
    ),
    StoredFile(
        "halfspace_fuzz.json",
        "python -m tests.halfspace.fuzz --queries 1e7 --seed 1 --json FILE",
        "",
        "date and seconds; counts with the versions only",
        "Does any structure of the index ever give a wrong answer?",
    ),
    StoredFile("theory_mutation.json", "python tools/mutate_theory.py", "", "date and seconds"),
    StoredFile(
        "statement_plantings.json", "python tools/plant_statements.py", "", "date and seconds"
    ),
    StoredFile(
        "digits_robustness.json",
        "python -m benchmarks.digits_robustness --jobs 2",
        "a quarter of an hour of processor time",
        _NOTHING,
    ),
    StoredFile(
        "feature_learning.json",
        "python -m benchmarks.feature_learning --jobs 2",
        "about an hour",
        _NOTHING,
    ),
    StoredFile(
        "reliability.json",
        "python -m benchmarks.reliability --renew",
        "an hour and a half on one core",
        "date and seconds",
        "Does anything break in long campaigns: queries, histories, kills, bad inputs?",
    ),
    StoredFile(
        "sharded_training.json",
        "python -m benchmarks.sharded_training",
        "ten minutes, with 16 GB",
        "times and memory; weights do not",
    ),
    StoredFile(
        "page_times.json",
        "python tools/time_pages.py",
        "some minutes, after `make book`",
        "times",
    ),
)
"""All files that may be stored, in the order of the page."""


def inventory_table(folder: str | Path | None = None) -> Table:
    """Return what is stored, when and with what it was made, and how to make it again."""
    folder = results_path().parent if folder is None else Path(folder)
    rows = []
    for each in STORED:
        place = folder / each.name
        if not place.is_file():
            continue
        data = read_json(place, each.name)
        rows.append(
            [
                each.name,
                each.question or str(data["question"]),
                each.command,
                each.takes or _minutes(data),
                each.varies,
                _date(data),
                _versions(data),
            ]
        )
    columns = ["file", "question", "command", "takes", "what varies", "measured", "with"]
    return Table("Everything that is stored, and how to make it again.", columns, rows)


def _parts(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the parts of a file that were measured in one piece."""
    if "campaigns" in data:
        parts = data["campaigns"].values()
        return [*parts, *(chunk for part in parts for chunk in part.get("chunks", {}).values())]
    return list(data["sections"].values()) if "sections" in data else [data]


def _minutes(data: Mapping[str, Any]) -> str:
    seconds = sum(float(part.get("seconds", 0.0)) for part in _parts(data))
    return f"{max(1, round(seconds / 60.0))} min" if seconds else "–"


def _date(data: Mapping[str, Any]) -> str:
    dates = sorted({str(part["date"])[:10] for part in _parts(data) if "date" in part})
    return dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}" if dates else "–"


def _versions(data: Mapping[str, Any]) -> str:
    """Return processors and versions, every combination once."""
    texts = []
    for part in _parts(data):
        environment = part.get("environment", {})
        versions = part.get("versions", environment.get("versions", {}))
        processor = environment.get("processor")
        shown = [f"{name} {versions[name]}" for name in _SHOWN_VERSIONS if name in versions]
        texts.append("; ".join(text for text in (str(processor or ""), ", ".join(shown)) if text))
    return " / ".join(dict.fromkeys(text for text in texts if text)) or "–"
