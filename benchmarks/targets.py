"""The goals of both benchmarks, whether measured results reach them, and why not.

The numbers are goals that the project set itself from a study of prototypes; they are no
measurements.  They hold for one thread.  Those of the index hold for batches of at least 256
queries, reused buffers, and a processor with AVX-512: on others, half of every ratio to dense BLAS
is asked for.  The BLAS of the study used the AVX2 kernels of OpenBLAS although the processor had
AVX-512; where it uses wider ones the same goal is harder.  Those of the trainer hold for projected
gradient ascent with five steps in caps of radius 0.1, at least 256 examples and at least 2^16
neurons.  Before changing a number, change the goal first: results are judged by their stored
numbers and these tables, so that the page, the tests and the command agree.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from benchmarks.results import Results, results_path
from benchmarks.settings import Row
from benchmarks.tables import Table, number_text, percent_text, width_text

Measure: TypeAlias = Callable[[Results], float | None]
"""Takes the results and returns the measured value, or None if it was not measured."""


@dataclass(frozen=True)
class Target:
    """One goal: `value` is the least allowed value, or the largest if `at_most`.

    The key has its group first: ``"report d=3 m=2^16 0.1 %"``.  Half of the value is asked for
    where there is no AVX-512 if it is `halved`.
    """

    key: str
    text: str
    section: str
    value: float
    measure: Measure
    at_most: bool = False
    halved: bool = False


@dataclass(frozen=True)
class Verdict:
    """A goal, its value on the machine that was measured, and what was measured, if anything."""

    target: Target
    wanted: float
    measured: float | None

    @property
    def reached(self) -> bool | None:
        """Whether the goal is reached; None if nothing was measured."""
        if self.measured is None:
            return None
        if self.target.at_most:
            return self.measured <= self.wanted
        return self.measured >= self.wanted


def _ratio(section: str, competitor: str, rival: str, **cell: float) -> Measure:
    def measure(results: Results) -> float | None:
        for row in results.cells(section):
            times = row["microseconds"]
            here = all(row.get(name) == value for name, value in cell.items())
            if here and competitor in times and rival in times:
                return float(times[rival] / times[competitor])
        return None

    return measure


def _largest(section: str, value_of: Callable[[Row], float | None]) -> Measure:
    def measure(results: Results) -> float | None:
        values = (value_of(row) for row in results.cells(section))
        return max((each for each in values if each is not None), default=None)

    return measure


def _share_of_dense(row: Row) -> float | None:
    times = row["microseconds"]
    return float(times["auto"] / times["dense"]) if "auto" in times else None


_SMALL, _MIDDLE, _LARGE = 2**16, 2**18, 2**20
_SHARES = (0.001, 0.01, 0.1, 0.5)
_REPORT = {
    # (d, m): least ratio to dense at each of the shares
    (2, _LARGE): (120.0, 45.0, 25.0, 1.5),
    (3, _SMALL): (35.0, 13.0, 7.0, 1.5),
    (3, _LARGE): (90.0, 20.0, 10.0, 1.5),
    (8, _SMALL): (16.0, 5.5, 4.5, 1.5),
    (8, _LARGE): (16.0, 5.5, 4.5, 1.5),
    (16, _SMALL): (8.0, 3.3, 3.0, 1.5),
    (16, _LARGE): (8.0, 3.3, 3.0, 1.5),
    (32, _SMALL): (2.8, 2.1, 2.5, 1.5),
    (32, _LARGE): (2.8, 2.1, 2.5, 1.5),
}
_COUNTED = ((2, _LARGE), (3, _SMALL), (3, _LARGE), (4, _SMALL), (4, _LARGE))
_AGGREGATE = {2: 5.0, 3: 3.0, 4: 1.3}


def _report_targets() -> list[Target]:
    goals = [
        (share, d, m, cells[place], "auto", "report")
        for place, share in enumerate(_SHARES)
        for (d, m), cells in _REPORT.items()
    ]
    goals += [(0.5, d, m, 5.0, "count", "count") for d, m in _COUNTED]
    return [
        Target(
            f"{what} d={d} m={width_text(m)} {percent_text(share)}",
            f"{what}, d = {d}, m = {width_text(m)}, {percent_text(share)} active: "
            "times as fast as dense",
            "report",
            value,
            _ratio("report", competitor, "dense", d=d, m=m, share=share),
            halved=True,
        )
        for share, d, m, value, competitor, what in goals
    ]


def _build_ratio(results: Results) -> float | None:
    """Return the largest build time of the index as a share of scikit-learn's KDTree's."""
    times: dict[str, dict[tuple[int, int], float]] = {"auto": {}, "sklearn_kdtree": {}}
    for row in results.cells("build"):
        if row["engine"] in times and "build" in row["milliseconds"]:
            times[row["engine"]][row["d"], row["m"]] = row["milliseconds"]["build"]
    own, tree = times.values()
    return max((own[size] / tree[size] for size in own.keys() & tree.keys()), default=None)


def _overhead(row: Row) -> float | None:
    return float(row["microseconds"]["auto"]) if row["m"] == 64 else None


def _refit_share(row: Row) -> float | None:
    costs = row["milliseconds"]
    return costs["refit"] / costs["build"] if row["engine"] == "tree" else None


def _memory_ratio(row: Row) -> float | None:
    return row["memory_ratio"] if row["engine"] == "auto" else None


def _cap_in_numpy(d: int) -> Measure:
    """Return what looks up the least ratio of the cap prefix to dense, times what survives."""

    def measure(results: Results) -> float | None:
        cells = [row for row in results.cells("numpy") if row["d"] == d]
        times = [(row["microseconds"], row["surviving"]) for row in cells]
        ratios = [found["dense"] / found["cap"] * part for found, part in times if "cap" in found]
        return min(ratios, default=None)

    return measure


_HALFSPACE = (
    *_report_targets(),
    Target(
        "never slower",
        "report, slowest cell of all: time as a share of dense",
        *("report", 1.1, _largest("report", _share_of_dense), True),
    ),
    *(
        Target(
            f"aggregate d={d} m=2^20",
            f"value and gradient, d = {d}, m = 2^20, 50 % active: times as fast as two GEMMs",
            *("aggregate", value, _ratio("aggregate", "aggregate", "two_gemms", d=d, m=_LARGE)),
            halved=True,
        )
        for d, value in _AGGREGATE.items()
    ),
    Target(
        "single query",
        "a single query of 64 points, microseconds",
        *("single", 8.0, _largest("single", _overhead), True),
    ),
    Target(
        "build",
        "building, slowest of all sizes: time as a share of scikit-learn's KDTree",
        *("build", 1.0, _build_ratio, True),
    ),
    Target(
        "refit",
        "refitting the tree, slowest of all sizes: time as a share of a build",
        *("build", 0.15, _largest("build", _refit_share), True),
    ),
    Target(
        "memory",
        "memory, largest of all sizes: bytes as a multiple of the float64 points",
        *("build", 2.5, _largest("build", _memory_ratio), True),
    ),
    *(
        Target(
            f"cap prefix in NumPy d={d}",
            f"the cap prefix in NumPy, d = {d}, slowest share: times as fast as dense, times the "
            "surviving share φ",
            *("numpy", 0.8, _cap_in_numpy(d)),
        )
        for d in (3, 4, 8, 16, 32)
    ),
)

_LEAST = {
    # (d, share): least ratio to tuned dense, to dense on the neurons that can fire, to torch
    (8, 0.001): (35.0, 8.0, 100.0),
    (8, 0.01): (15.0, 6.0, 100.0),
    (8, 0.1): (3.5, 2.5, None),
    (32, 0.001): (35.0, 30.0, 100.0),
    (32, 0.01): (9.0, 6.0, 100.0),
    (32, 0.1): (1.7, 1.5, None),
}
_EXAMPLES = 256
_RIVALS = {"dense": "dense", "alive": "dense on the neurons that can fire", "torch": "torch"}


def _iteration_targets() -> list[Target]:
    return [
        Target(
            f"{rival} d={d} m={width_text(m)} {percent_text(share)}",
            f"iteration, d = {d}, m = {width_text(m)}, {percent_text(share)} active: "
            f"times as fast as {text}",
            "iteration",
            value,
            _ratio("iteration", "auto", rival, d=d, m=m, share=share, n=_EXAMPLES),
        )
        for place, (rival, text) in enumerate(_RIVALS.items())
        for (d, share), goals in _LEAST.items()
        for m in ((_SMALL,) if rival == "torch" else (_SMALL, _MIDDLE))
        if (value := goals[place]) is not None
    ]


def _slowdown(row: Row) -> float | None:
    wide = row["m"] >= _SMALL and row["n"] >= _EXAMPLES
    return _share_of_dense(row) if wide and row["share"] == 0.5 else None


def _slope_end(section: str, regime: str, competitor: str, kind: str) -> Measure:
    def measure(results: Results) -> float | None:
        for row in results.cells(section):
            if (row["regime"], row["competitor"]) == (regime, competitor):
                slope = row.get(f"{kind}_slope")
                return None if slope is None else float(slope[2])
        return None

    return measure


_TRAINING = (
    *_iteration_targets(),
    Target(
        "never slower",
        "iteration, slowest cell with 50 % active: time as a share of dense",
        *("iteration", 1.1, _largest("iteration", _slowdown), True),
    ),
    Target(
        "mismatches",
        "pairs of a point and a neuron that a trainer decides otherwise than real arithmetic, "
        "largest of all cells",
        "iteration",
        0.0,
        _largest("iteration", lambda row: float(sum(row["differing_pairs"].values()))),
        at_most=True,
    ),
    *(
        Target(
            f"slope {regime}",
            f"seconds of an iteration, {text}: upper end of the interval of the exponent of m",
            *("scaling", 0.85, _slope_end("scaling", regime, "auto", "microseconds"), True),
        )
        for regime, text in (("0.1 %", "0.1 % active"), ("R3", "threshold of R3"))
    ),
    Target(
        "memory query",
        "bytes held by the trainer with an index, 0.1 % active: upper end of the interval of the "
        "exponent of m",
        *("memory", 1.05, _slope_end("memory", "0.1 %", "query", "held"), True),
    ),
)

TARGETS: dict[str, tuple[Target, ...]] = {"halfspace": _HALFSPACE, "training": _TRAINING}

SOURCE = "Goals of the project, set before measuring; not measurements."


def judge(results: Results) -> list[Verdict]:
    """Compare results with the goals."""
    verdicts = []
    for target in TARGETS[results.benchmark]:
        wanted, measured = target.value, None
        if target.section in results.sections:
            measured = target.measure(results)
            if target.halved and not results.section(target.section)["environment"]["avx512"]:
                wanted = wanted / 2.0
        verdicts.append(Verdict(target, wanted, measured))
    return verdicts


def load_reasons(benchmark: str = "halfspace") -> dict[str, str]:
    """Read why goals are not reached, as the people who measured wrote it down."""
    place = results_path(benchmark).parents[1] / f"{benchmark}_reasons.toml"
    return tomllib.loads(place.read_text(encoding="utf-8"))


def reason_for(verdict: Verdict, reasons: Mapping[str, str]) -> str:
    """Return the reason whose key is the longest that the key of a goal starts with."""
    fitting = [key for key in reasons if verdict.target.key.startswith(key)]
    return reasons[max(fitting, key=len)] if fitting else ""


def target_table(results: Results, *, measured: bool = False) -> Table:
    """Return the goals beside what was measured."""
    answers = {None: "not measured", True: "yes", False: "no"}
    verdicts = [each for each in judge(results) if each.reached is not None or not measured]
    reached = sum(each.reached is True for each in verdicts)
    rows = [[*_goal(each), answers[each.reached]] for each in verdicts]
    caption = f"{reached} of {len(verdicts)} goals reached. {SOURCE}"
    return Table(caption, ["goal", "wanted", "measured", "reached"], rows)


def missed_table(results: Results, reasons: Mapping[str, str]) -> Table:
    """Return the goals that are not reached, with the reasons."""
    rows: list[list[str]] = []
    before = ""
    for each in judge(results):
        if each.reached is False:
            why = reason_for(each, reasons) or "not known"
            rows.append([*_goal(each), "as above" if why == before else why])
            before = why
    caption = f"Goals not reached, {results.benchmark}."
    return Table(caption, ["goal", "wanted", "measured", "why"], rows)


def _goal(verdict: Verdict) -> list[str]:
    sign = "≤" if verdict.target.at_most else "≥"
    wanted, measured = number_text(verdict.wanted), number_text(verdict.measured)
    return [verdict.target.text, f"{sign} {wanted}", measured]
