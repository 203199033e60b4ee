"""How key ratios changed from one stored measurement to the next: the history of the benchmarks.

Git keeps every version of the stored results; an archive of the sources does not.  So the ratios
that matter are kept in ``benchmarks/history.json``, one entry for each commit that measured
something anew, made by ``python tools/bench_history.py``.  An entry holds the ratios of the
sections that were measured in it, and how much the *controls* changed since the run before: ratios
between programs that are none of ours, or that did not change.  What moves them is the machine, so
they say how much of a change is noise.

Before changing it, know that older files had other formats: the entries of the oldest are kept as
they were made, and a file that cannot be read is left out by name rather than silently.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.results import read_json, results_path
from benchmarks.settings import Row
from benchmarks.tables import name_of, percent_text, width_text
from sublinear_lib import archives

SCHEMA = 1
"""The version of the format of the history."""

_FEWEST_CONTROLS = 20
_CONTROL_QUANTILE = 0.95

Sections = dict[str, list[Row]]


@dataclass(frozen=True)
class KeyRatio:
    """A cell that the history follows: how many times as fast one is as the other.

    - ``benchmark``, ``section``: Where it is measured.
    - ``competitor``, ``rival``: Names in the results; the ratio is the time of the rival by that of
      the competitor.
    - ``cell``: Names and values by which the row is found.
    - ``drawn``: Whether it is in the figure of its benchmark.
    """

    benchmark: str
    section: str
    competitor: str
    rival: str
    cell: tuple[tuple[str, float], ...]
    drawn: bool = False

    @property
    def label(self) -> str:
        """How it is called in the figure."""
        here = dict(self.cell)
        problem = f"*d* = {here['d']}" if "d" in here else self.section
        return f"{problem}: {name_of(self.rival)}"

    @property
    def key(self) -> str:
        """How it is called in the stored history and in tables."""
        here = dict(self.cell)
        parts = [f"d = {here['d']}"] if "d" in here else []
        parts.append(f"m = {width_text(int(here['m']))}")
        parts.append(f"{percent_text(here['share'])} active")
        if "radius" in here:
            parts.append(f"radius {here['radius']:g}")
        who = f"{name_of(self.competitor)} against {name_of(self.rival)}"
        return f"{self.section}, {', '.join(parts)}: {who}"

    def measure(self, sections: Sections) -> float | None:
        """Look the ratio up."""
        for row in sections.get(self.section, []):
            times = row["microseconds"]
            here = all(row.get(name) == value for name, value in self.cell)
            if here and self.competitor in times and self.rival in times:
                return float(f"{times[self.rival] / times[self.competitor]:.4g}")
        return None


def _report(d: int, *pairs: tuple[str, str], section: str = "report") -> list[KeyRatio]:
    cell = (("d", d), ("m", 2**16), ("share", 0.01))
    return [KeyRatio("halfspace", section, own, rival, cell) for own, rival in pairs]


def _iteration(d: int, *rivals: str, drawn: bool = False) -> list[KeyRatio]:
    cell = (("d", d), ("m", 2**16), ("share", 0.01), ("n", 256))
    return [KeyRatio("training", "iteration", "auto", rival, cell, drawn) for rival in rivals]


KEY_RATIOS: tuple[KeyRatio, ...] = (
    *_report(3, ("tree", "sklearn_kdtree"), ("tree", "dense"), ("auto", "dense")),
    *_report(8, ("auto", "dense"), ("auto", "faiss_flat"), ("auto", "torch")),
    *_report(32, ("auto", "dense")),
    *_report(8, ("auto", "SimHash, K = 9, L = 50"), section="approximate"),
    *_report(32, ("auto", "SimHash, K = 9, L = 50"), section="approximate"),
    *_iteration(3, "dense"),
    *_iteration(8, "dense", "alive", "torch", drawn=True),
    *_iteration(32, "dense", "alive"),
    *(
        KeyRatio(
            "training",
            "digits",
            "auto",
            rival,
            (("m", 2**16), ("share", 0.01), ("radius", 0.1)),
            drawn=True,
        )
        for rival in ("dense_float64", "dense")
    ),
    KeyRatio(
        "training",
        "missed",
        "auto",
        "SimHash, K = 9, L = 50",
        (("d", 8), ("m", 2**12), ("share", 0.01)),
    ),
)
"""The ratios that the history follows."""

_CONTROLS = {
    "report": (
        "gemm",
        "naive_float32",
        "naive_float64",
        "sklearn_kdtree",
        "sklearn_balltree",
        "scipy_ckdtree",
        "faiss_flat",
        "torch",
    ),
    "iteration": ("alive", "dense_rows", "torch"),
}
"""Rivals whose ratio to the tuned dense baseline changes with the machine only, by section."""


@dataclass(frozen=True)
class Noise:
    """How much the controls changed between two runs.

    - ``since``: The commit of the run before.
    - ``controls``: How many ratios were compared.
    - ``median``, ``upper``: Median and 95 per cent quantile of the factor by which they changed,
      ``>= 1``.
    """

    since: str
    controls: int
    median: float
    upper: float


@dataclass(frozen=True)
class Entry:
    """What one commit measured anew.

    - ``benchmark``, ``file``: The benchmark, and the file that the commit stored.
    - ``commit``: The commit, 40 hexadecimal digits; empty while it is not committed.
    - ``date``: The date of the commit, ISO 8601; of the measurement while it is not committed.
    - ``subject``: The first line of its message.
    - ``measured``: The sections that were measured anew, with the date of each.
    - ``machine``, ``versions``: Where and with what.
    - ``ratios``: By the keys of `KEY_RATIOS`, those of the sections that were measured anew.
    - ``noise``: By section, for those that have controls and were measured before.
    """

    benchmark: str
    file: str
    commit: str
    date: str
    subject: str
    measured: dict[str, str]
    machine: dict[str, Any]
    versions: dict[str, str]
    ratios: dict[str, float]
    noise: dict[str, Noise] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The short form of the commit."""
        return self.commit[:7] or "not committed"


@dataclass(frozen=True)
class LeftOut:
    """A stored file that the history does not count.

    - ``file``, ``commit``, ``date``: The file, the commit that stored it and its date.
    - ``reason``: Why it does not count.
    """

    file: str
    commit: str
    date: str
    reason: str


@dataclass(frozen=True)
class History:
    """The stored history.

    - ``entries``: The measurements, the oldest first.
    - ``left_out``: Stored files that are no measurements, or that cannot be read.
    """

    entries: tuple[Entry, ...]
    left_out: tuple[LeftOut, ...] = ()

    def newest(self, key: str) -> Entry | None:
        """Return the newest entry that holds a ratio."""
        return next((each for each in reversed(self.entries) if key in each.ratios), None)


# -- reading stored files of every age ---------------------------------------------------------


def tidy_sections(data: Mapping[str, Any]) -> Sections:
    """Return the timed rows of a stored file, by section: ``microseconds`` by competitor."""
    if data.get("schema") not in (1, 2) or "sections" not in data:
        raise ValueError(f"format {data.get('schema', 'without a number')!r} is not known")
    found: Sections = {}
    for section, content in data["sections"].items():
        if content["settings"]["quick"]:
            continue
        rows = [_timed(row) for row in content["rows"]]
        if rows and all(row is not None for row in rows):
            found[section] = [row for row in rows if row is not None]
    if not found and all(each["settings"]["quick"] for each in data["sections"].values()):
        raise ValueError("only a trial: measured with --quick")
    return found


def _timed(row: Mapping[str, Any]) -> Row | None:
    """Return a row with its times by competitor, or None if there are none."""
    if isinstance(row.get("microseconds"), Mapping):
        return dict(row)
    if "methods" in row and isinstance(row["methods"], list):
        methods = [*row["methods"], *row.get("exact", [])]
        return {**row, "microseconds": {each["method"]: each["microseconds"] for each in methods}}
    return None


def _place(data: Mapping[str, Any], section: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Return machine and versions that a section was measured with."""
    found = dict(data["sections"][section]["environment"])
    versions = found.pop("versions")
    kept = ("processor", "cores", "avx512", "system", "kernels", "blas", "load_average")
    machine = {key: found[key] for key in kept if key in found}
    return machine, {key: str(value) for key, value in versions.items()}


def noise_between(old: Sections, new: Sections, section: str, since: str = "") -> Noise | None:
    """Return how much the controls of a section changed from one run to the next."""
    before, after = _controls(old, section), _controls(new, section)
    common = sorted(before.keys() & after.keys())
    if len(common) < _FEWEST_CONTROLS:
        return None
    factors = np.exp(np.abs([math.log(after[key] / before[key]) for key in common]))
    middle, upper = np.quantile(factors, (0.5, _CONTROL_QUANTILE))
    return Noise(since, len(common), float(f"{middle:.4g}"), float(f"{upper:.4g}"))


def _controls(sections: Sections, section: str) -> dict[tuple[Any, ...], float]:
    """Return the control ratios of a section by cell and rival."""
    found = {}
    for row in sections.get(section, []):
        times = row["microseconds"]
        cell = tuple(row.get(name) for name in ("d", "m", "n", "share"))
        for rival in _CONTROLS.get(section, ()):
            if rival in times and "dense" in times:
                found[*cell, rival] = times["dense"] / times[rival]
    return found


def entry_of(
    file: str,
    data: Mapping[str, Any],
    before: Sequence[tuple[Entry, Sections]] = (),
    *,
    commit: str = "",
    date: str = "",
    subject: str = "",
) -> tuple[Entry, Sections]:
    """Return what a stored file says that earlier ones did not."""
    benchmark = Path(file).stem
    known = {
        section: (entry, rows)
        for entry, measured in before
        if entry.benchmark == benchmark
        for section, rows in measured.items()
    }
    sections = {
        section: rows
        for section, rows in tidy_sections(data).items()
        if section not in known or known[section][1] != rows
    }
    if not sections:
        raise ValueError("nothing measured anew: text or format changed")
    dates = {section: str(data["sections"][section]["date"]) for section in sections}
    machine, versions = _place(data, next(iter(sections)))
    wanted = [each for each in KEY_RATIOS if each.benchmark == benchmark]
    ratios = {each.key: each.measure(sections) for each in wanted}
    noise = {}
    for section in (name for name in sections if name in known):
        last, earlier = known[section]
        compared = noise_between({section: earlier}, sections, section, last.commit)
        if compared is not None:
            noise[section] = compared
    entry = Entry(
        benchmark,
        file,
        commit,
        date or max(dates.values()),
        subject,
        dates,
        machine,
        versions,
        {key: ratio for key, ratio in ratios.items() if ratio is not None},
        noise,
    )
    return entry, sections


# -- the stored history ------------------------------------------------------------------------


def history_path() -> Path:
    """Return where the history is kept."""
    return results_path().parents[1] / "history.json"


def load_history(path: str | Path | None = None) -> History:
    """Read and check the stored history."""
    place = Path(path) if path is not None else history_path()
    data = read_json(place, f"entries at {place}: make them with `python tools/bench_history.py`")
    if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
        raise ValueError(f"{place.name} must be a history of schema {SCHEMA}, got {data!r:.60}")
    try:
        entries = tuple(
            Entry(**{**each, "noise": {k: Noise(**v) for k, v in each["noise"].items()}})
            for each in data["entries"]
        )
        return History(entries, tuple(LeftOut(**each) for each in data["left_out"]))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{place.name} holds an entry that cannot be read: {error}") from error


def write_history(history: History, path: str | Path) -> None:
    """Write a history in one piece, one line for each entry."""
    parts = {
        "entries": [json.dumps(asdict(each), ensure_ascii=False) for each in history.entries],
        "left_out": [json.dumps(asdict(each), ensure_ascii=False) for each in history.left_out],
    }
    lists = ",\n".join(
        f' "{name}": [\n  ' + ",\n  ".join(lines) + "\n ]" if lines else f' "{name}": []'
        for name, lines in parts.items()
    )
    archives.write_bytes(path, f'{{\n "schema": {SCHEMA},\n{lists}\n}}\n'.encode())
