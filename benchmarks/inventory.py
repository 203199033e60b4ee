"""Everything that the repository stores of its measurements: when and where, and how to repeat it.

Files lie in ``benchmarks/results``; each needs a line in `STORED`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.results import QUESTIONS, Results, read_json, results_path
from benchmarks.tables import Table

_SHOWN_VERSIONS = ("python", "numpy", "scipy", "numba")


class StoredFile(NamedTuple):
    """A file of stored results: what makes it, how long that takes, and what varies between runs.

    What it takes and its question are empty where the file says so itself.
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
        "python -m tests.halfspace.fuzz --queries 1e7 --seed 2 --json FILE",
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
        "page_times.json", "python tools/time_pages.py", "some minutes, after `make book`", "times"
    ),
)


def inventory_table(folder: str | Path | None = None) -> Table:
    """Return what is stored, when and with what it was made, and how to make it again."""
    folder = results_path().parent if folder is None else Path(folder)
    rows = []
    for each in STORED:
        if not (place := folder / each.name).is_file():
            continue
        data = read_json(place, each.name)
        question, takes = each.question or str(data["question"]), each.takes or _minutes(data)
        made = [each.command, takes, each.varies, _date(data), _versions(data)]
        rows.append([each.name, question, *made])
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
    return " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "–"


def _versions(data: Mapping[str, Any]) -> str:
    texts = []
    for part in _parts(data):
        environment = part.get("environment", {})
        versions = part.get("versions", environment.get("versions", {}))
        shown = ", ".join(
            f"{name} {versions[name]}" for name in _SHOWN_VERSIONS if name in versions
        )
        texts.append("; ".join(filter(None, (environment.get("processor"), shown))))
    return " / ".join(dict.fromkeys(filter(None, texts))) or "–"


def dates_table(results: Results) -> Table:
    """Return when every section was measured, and on which machine."""
    machines, rows = _machines(results), []
    for name in results.sections:
        section = results.section(name)
        load = section["environment"]["load_average"]
        number = machines.index(_lasting(section["environment"])) + 1
        facts = f"{section['seconds']:.0f}", "–" if load is None else f"{load:.1f}", str(number)
        rows.append(
            [name, section["date"], *facts, "yes" if section["settings"]["quick"] else "no"]
        )
    columns = ["section", "date", "seconds", "load before", "machine", "only a trial"]
    # names differ between all tables of a page, for readers who hear them
    return Table(f"What was measured of {results.benchmark}, and when.", columns, rows)


def machine_table(results: Results) -> Table:
    """Return the machines and versions that the sections were measured with."""
    machines = _machines(results)
    names = dict.fromkeys(name for machine in machines for name in machine)
    rows = [[name, *(machine.get(name, "–") for machine in machines)] for name in names]
    columns = ["what", *(f"machine {number + 1}" for number in range(len(machines)))]
    return Table(f"Machine and versions, {results.benchmark}.", columns, rows)


def _machines(results: Results) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for name in results.sections:
        machine = _lasting(results.section(name)["environment"])
        found += [] if machine in found else [machine]
    return found


def _lasting(environment: Mapping[str, Any]) -> dict[str, str]:
    """Return what does not change from minute to minute."""
    return {
        "processor": str(environment["processor"]),
        "cores": str(environment["cores"]),
        "AVX-512": "yes" if environment["avx512"] else "no",
        "system": str(environment["system"]),
        "kernels": str(environment["kernels"]),
        "vector code": "yes" if environment["vector_code"] else "no",
        "BLAS": str(environment["blas"]),
        **{name: str(version) for name, version in environment["versions"].items()},
    }
