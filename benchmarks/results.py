"""Stored results: one JSON file for each benchmark, whose sections were each measured in one piece.

Every section carries its own date, machine and settings; a run replaces the sections that it
measured.  Before changing the format, raise `SCHEMA`: a file of another schema is refused.
"""

from __future__ import annotations

import datetime
import importlib
import json
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

import sublinear_lib
from benchmarks.settings import Row
from sublinear_lib import archives, statistics, validation
from sublinear_lib._extras import COMPUTING, installed_version
from sublinear_lib._typing import FloatArray
from sublinear_lib.halfspace import HalfspaceIndex

SCHEMA = 2

QUESTIONS: dict[str, str] = {
    "halfspace": (
        "How fast is the half-space index, compared with dense BLAS and with other packages?"
    ),
    "training": (
        "How fast is a full iteration of Algorithm 1, its adversary included, compared with dense "
        "training?"
    ),
}

_PEERS = ("faiss-cpu", "torch", "hnswlib")
_PER_COMPETITOR = ("microseconds", "rounds", "queries", "differing_pairs")


@dataclass(frozen=True)
class Results:
    """Results of the benchmark, validated."""

    data: Mapping[str, Any]
    source: str = "results"

    def __post_init__(self) -> None:
        """Check the format."""
        data: Any = self.data
        self._ask(isinstance(data, Mapping) and "schema" in data, "holds no results")
        wrong = f"has schema {data['schema']!r}, this version reads {SCHEMA}"
        self._ask(data["schema"] == SCHEMA, f"{wrong}: measure anew with `sublinear bench`")
        name, names = data.get("benchmark"), ", ".join(QUESTIONS)
        self._ask(name in [*QUESTIONS], f"must be of one of the benchmarks {names}, got {name!r}")
        self._ask(isinstance(data.get("sections"), Mapping), "has no sections")
        for name, section in data["sections"].items():
            self._ask(isinstance(section, Mapping), f"section {name!r} is not a mapping")
            self._ask(isinstance(section.get("rows"), list), f"section {name!r} has no rows")

    def _ask(self, fine: bool, otherwise: str) -> None:
        if not fine:
            raise ValueError(f"{self.source}: {otherwise}")

    @property
    def benchmark(self) -> str:
        """The name of the benchmark."""
        return str(self.data["benchmark"])

    @property
    def sections(self) -> tuple[str, ...]:
        """The names of the sections that were measured."""
        return tuple(self.data["sections"])

    def section(self, name: str) -> Mapping[str, Any]:
        """Return a section with its date, environment, settings and rows."""
        chosen = validation.choice(name, "name", self.sections)
        found: Mapping[str, Any] = self.data["sections"][chosen]
        return found

    def cells(self, name: str) -> list[Row]:
        """Return the rows of a section as they are stored."""
        return [dict(row) for row in self.section(name)["rows"]]

    def rows(self, name: str) -> list[Row]:
        """Return a section as tidy rows, one for each cell and competitor."""
        baseline = self.section(name)["baseline"]
        tidy = []
        for cell in self.cells(name):
            if not isinstance(cell.get("microseconds"), Mapping):
                tidy.append(cell)
                continue
            split = {key: cell.pop(key, {}) for key in (*_PER_COMPETITOR, "absent")}
            times = split["microseconds"]
            for competitor in times:
                own = {key: split[key].get(competitor) for key in _PER_COMPETITOR}
                ratio = times[baseline] / times[competitor]
                tidy.append({**cell, "competitor": competitor, **own, "ratio": ratio})
            for competitor, reason in split["absent"].items():
                tidy.append({**cell, "competitor": competitor, "reason": reason})
        return tidy


def results_path(benchmark: str = "halfspace") -> Path:
    """Return where the results of a benchmark are kept."""
    name = validation.choice(benchmark, "benchmark", tuple(QUESTIONS))
    return Path(__file__).parent / "results" / f"{name}.json"


def read_json(place: Path, otherwise: str) -> Any:
    """Read a JSON file; say what there is not where it is missing."""
    if not place.is_file():
        raise FileNotFoundError(f"there are no {otherwise}")
    try:
        return json.loads(place.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{place.name} is not a JSON file: {error}") from error


def load_results(benchmark: str = "halfspace", *, path: str | Path | None = None) -> Results:
    """Read and check stored results."""
    name = validation.choice(benchmark, "benchmark", tuple(QUESTIONS))
    place = Path(path) if path is not None else results_path(name)
    data = read_json(place, f"results at {place}: measure them with `sublinear bench {name}`")
    results = Results(data, place.name)
    if results.benchmark != name:
        raise ValueError(
            f"{place.name} must hold results of the benchmark {name!r}, got {results.benchmark!r}"
        )
    return results


def stored_section(
    question: str, baseline: str, settings: Row, rows: list[Row], seconds: float, before: Row
) -> Row:
    """Return a finished section as it is stored."""
    return {
        "question": question,
        "baseline": baseline,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "seconds": round(seconds, 1),
        "environment": before,
        "settings": settings,
        "rows": [_rounded(row) for row in rows],
    }


def stored_slope(widths: tuple[int, ...], values: FloatArray) -> list[float] | None:
    """Return an exponent of m as it is stored."""
    if len(widths) < 2 or not (values > 0.0).all():
        return None
    slope = statistics.loglog_slope(widths, values)
    return [slope.estimate, slope.lower, slope.upper]


def _rounded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def merged(
    old: Results | None, sections: Mapping[str, Row], benchmark: str = "halfspace"
) -> Results:
    """Return results with some sections replaced or added."""
    name = validation.choice(benchmark, "benchmark", tuple(QUESTIONS))
    if old is not None and old.benchmark != name:
        raise ValueError(f"old must be of the benchmark {name!r}, got {old.benchmark!r}")
    before = {} if old is None else dict(old.data["sections"])
    return Results(
        {
            "schema": SCHEMA,
            "benchmark": name,
            "question": QUESTIONS[name],
            "sections": {**before, **sections},
        }
    )


def write_results(results: Results, path: str | Path) -> None:
    """Write results in one piece, one line for each row."""
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    archives.write_bytes(place, f"{as_text(results.data)}\n".encode())


def as_text(value: Any, depth: int = 0, deepest: int = 4) -> str:
    """Return JSON that breaks lines down to the rows, so that differences can be read."""
    pad = " " * (depth + 1)
    if isinstance(value, Mapping) and value and depth < deepest:
        inner = (
            f"{pad}{json.dumps(k)}: {as_text(v, depth + 1, deepest)}" for k, v in value.items()
        )
        return "{\n" + ",\n".join(inner) + "\n" + " " * depth + "}"
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return "[\n" + ",\n".join(pad + json.dumps(each) for each in value) + f"\n{' ' * depth}]"
    return json.dumps(value)


def environment() -> Row:
    """Describe the machine and the versions."""
    features = importlib.import_module("numpy._core._multiarray_umath").__cpu_features__
    versions = {
        "sublinear-lib": sublinear_lib.__version__,
        "python": platform.python_version(),
        **{package: installed_version(package) for package in (*COMPUTING, *_PEERS)},
    }
    # Every package may bring a BLAS of its own; the products are those of NumPy.
    libraries = [each for each in threadpool_info() if each["user_api"] == "blas"]
    libraries.sort(key=lambda each: "numpy" not in each["filepath"])
    blas = [
        f"{each['internal_api']} {each['version']} ({each.get('architecture', 'unknown')})"
        for each in libraries
    ]
    return {
        "processor": _processor(),
        "cores": os.cpu_count() or 0,
        "avx512": bool(features.get("AVX512F", False)),
        "system": f"{platform.system()} {platform.machine()}",
        "load_average": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "kernels": HalfspaceIndex([[0.0]]).stats().kernels,
        "vector_code": os.environ.get("SUBLINEAR_VECTOR", "1") != "0",
        "blas": blas[0] if blas else "unknown",
        "versions": versions,
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
