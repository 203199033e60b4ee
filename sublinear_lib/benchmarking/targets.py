"""The goals of the half-space index, and whether measured results reach them.

The numbers are goals that the project set itself from a study of prototypes; they are no
measurements.  They hold for one thread, batches of at least 256 queries, reused buffers, and a
processor with AVX-512: on others, half of every ratio to dense BLAS is asked for.  The BLAS of the
study used the AVX2 kernels of OpenBLAS although the processor had AVX-512; where it uses wider ones
the baseline is faster and the same goal is harder.  Before changing a number, change the goal
first: results are judged by this table and nothing else.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from sublinear_lib.benchmarking.results import Results, results_path
from sublinear_lib.benchmarking.settings import Row

__all__ = ["SOURCE", "TARGETS", "Target", "Verdict", "judge", "load_reasons", "reason_for"]

SOURCE = "Goals of the project, set before measuring; not measurements."
"""Where the targets come from."""

_SMALL, _LARGE = 2**16, 2**20

_REPORT = {
    # share: {(d, m): least ratio to dense}
    0.001: {
        (2, _LARGE): 120.0,
        (3, _SMALL): 35.0,
        (3, _LARGE): 90.0,
        (8, _SMALL): 16.0,
        (8, _LARGE): 16.0,
        (16, _SMALL): 8.0,
        (16, _LARGE): 8.0,
        (32, _SMALL): 2.8,
        (32, _LARGE): 2.8,
    },
    0.01: {
        (2, _LARGE): 45.0,
        (3, _SMALL): 13.0,
        (3, _LARGE): 20.0,
        (8, _SMALL): 5.5,
        (8, _LARGE): 5.5,
        (16, _SMALL): 3.3,
        (16, _LARGE): 3.3,
        (32, _SMALL): 2.1,
        (32, _LARGE): 2.1,
    },
    0.1: {
        (2, _LARGE): 25.0,
        (3, _SMALL): 7.0,
        (3, _LARGE): 10.0,
        (8, _SMALL): 4.5,
        (8, _LARGE): 4.5,
        (16, _SMALL): 3.0,
        (16, _LARGE): 3.0,
        (32, _SMALL): 2.5,
        (32, _LARGE): 2.5,
    },
}
_AGGREGATE = {2: 5.0, 3: 3.0, 4: 1.3}


@dataclass(frozen=True)
class Target:
    """One goal.

    Parameters
    ----------
    key : str
        A short unique name, its group first: ``"report d=3 m=2^16 0.1 %"``.
    text : str
        What is asked for.
    section : str
        The section of the results that is read.
    value : float
        The least allowed value, or the largest if `at_most`.
    measure : callable
        Takes the results and returns the measured value, or None if it was not measured.
    at_most : bool, default False
        Whether smaller is better.
    halved : bool, default False
        Whether half of it is asked for where there is no AVX-512.
    """

    key: str
    text: str
    section: str
    value: float
    measure: Callable[[Results], float | None]
    at_most: bool = False
    halved: bool = False


@dataclass(frozen=True)
class Verdict:
    """A goal beside what was measured.

    Parameters
    ----------
    target : Target
        The goal.
    wanted : float
        Its value on the machine that was measured.
    measured : float or None
        The measured value, None if there is none.
    """

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


def judge(results: Results, targets: Iterable[Target] | None = None) -> list[Verdict]:
    """Compare results with the goals.

    Parameters
    ----------
    results : Results
        What was measured.
    targets : iterable of Target, optional
        The goals; all by default.

    Returns
    -------
    list of Verdict
        One for each goal, in the order of the goals.
    """
    verdicts = []
    for target in TARGETS if targets is None else targets:
        wanted, measured = target.value, None
        if target.section in results.sections:
            measured = target.measure(results)
            if target.halved and not results.section(target.section)["environment"]["avx512"]:
                wanted = wanted / 2.0
        verdicts.append(Verdict(target, wanted, measured))
    return verdicts


def load_reasons() -> dict[str, str]:
    """Read why goals are not reached, as the people who measured wrote it down.

    Returns
    -------
    dict
        Reasons by the keys of goals, or by what these start with; empty without a clone.  They
        stand in ``benchmarks/halfspace_reasons.toml``.

    Raises
    ------
    ValueError
        If the file is no TOML file of texts.
    """
    stored = results_path()
    place = None if stored is None else stored.parents[1] / "halfspace_reasons.toml"
    if place is None or not place.is_file():
        return {}
    try:
        found = tomllib.loads(place.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{place.name} is not a TOML file: {error}") from error
    for key, reason in found.items():
        if not isinstance(reason, str):
            raise ValueError(f"{place.name} must hold texts, got {reason!r} for {key!r}")
    return found


def reason_for(verdict: Verdict, reasons: Mapping[str, str]) -> str:
    """Return the reason whose key is the longest that the key of a goal starts with.

    Parameters
    ----------
    verdict : Verdict
        The goal.
    reasons : mapping of str to str
        The reasons.

    Returns
    -------
    str
        The reason, empty if there is none.
    """
    fitting = [key for key in reasons if verdict.target.key.startswith(key)]
    return reasons[max(fitting, key=len)] if fitting else ""


def _ratio(section: str, competitor: str, **cell: float) -> Callable[[Results], float | None]:
    """Return what looks up how many times as fast as the baseline a competitor is in a cell."""

    def measure(results: Results) -> float | None:
        for row in results.rows(section):
            here = all(row.get(name) == value for name, value in cell.items())
            if here and row["competitor"] == competitor and "ratio" in row:
                return float(row["ratio"])
        return None

    return measure


def _extreme(
    section: str,
    value_of: Callable[[Row], float | None],
    choose: Callable[[list[float]], float],
) -> Callable[[Results], float | None]:
    """Return what looks up the least or largest value over the cells of a section."""

    def measure(results: Results) -> float | None:
        values = [value for row in results.cells(section) if (value := value_of(row)) is not None]
        return choose(values) if values else None

    return measure


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


def _width(m: int) -> str:
    return f"2^{m.bit_length() - 1}"


def _report_targets() -> list[Target]:
    goals = [
        (share, d, m, value, "auto", "report")
        for share, cells in _REPORT.items()
        for (d, m), value in cells.items()
    ]
    every = [(d, m) for d, m in _REPORT[0.001]]
    goals += [(0.5, d, m, 1.5, "auto", "report") for d, m in every]
    goals += [
        (0.5, d, m, 5.0, "count", "count")
        for d, m in ((2, _LARGE), (3, _SMALL), (3, _LARGE), (4, _SMALL), (4, _LARGE))
    ]
    return [
        Target(
            f"{what} d={d} m={_width(m)} {_percent(share)}",
            f"{what}, d = {d}, m = {_width(m)}, {_percent(share)} active: times as fast as dense",
            "report",
            value,
            _ratio("report", competitor, d=d, m=m, share=share),
            halved=True,
        )
        for share, d, m, value, competitor, what in goals
    ]


def _slowest(row: Row) -> float | None:
    times = row["microseconds"]
    return times["auto"] / times["dense"] if "auto" in times else None


def _overhead(row: Row) -> float | None:
    return float(row["microseconds"]["auto"]) if row["m"] == 64 else None


def _build_ratio(results: Results) -> float | None:
    """Return the largest build time of the tree as a share of scikit-learn's KDTree's."""
    times = {
        (row["d"], row["m"], row["engine"]): row["milliseconds"]["build"]
        for row in results.cells("build")
        if "build" in row["milliseconds"]
    }
    shares = [
        seconds / times[d, m, "sklearn_kdtree"]
        for (d, m, engine), seconds in times.items()
        if engine == "auto" and (d, m, "sklearn_kdtree") in times
    ]
    return max(shares, default=None)


def _refit_share(row: Row) -> float | None:
    costs = row["milliseconds"]
    return costs["refit"] / costs["build"] if row["engine"] == "tree" else None


def _memory(row: Row) -> float | None:
    return row["memory_ratio"] if row["engine"] == "auto" else None


def _cap_in_numpy(d: int) -> Callable[[Row], float | None]:
    """Return what computes the ratio of the cap prefix to dense times the share that survives."""

    def value_of(row: Row) -> float | None:
        times = row["microseconds"]
        if row["d"] != d or "cap" not in times:
            return None
        return float(times["dense"] / times["cap"] * row["surviving"])

    return value_of


TARGETS: tuple[Target, ...] = (
    *_report_targets(),
    Target(
        "never slower",
        "report, slowest cell of all: time as a share of dense",
        "report",
        1.1,
        _extreme("report", _slowest, max),
        at_most=True,
    ),
    *(
        Target(
            f"aggregate d={d} m=2^20",
            f"value and gradient, d = {d}, m = 2^20, 50 % active: times as fast as two GEMMs",
            "aggregate",
            value,
            _ratio("aggregate", "aggregate", d=d, m=_LARGE),
            halved=True,
        )
        for d, value in _AGGREGATE.items()
    ),
    Target(
        "single query",
        "a single query of 64 points, microseconds",
        "single",
        8.0,
        _extreme("single", _overhead, max),
        at_most=True,
    ),
    Target(
        "build",
        "building, slowest of all sizes: time as a share of scikit-learn's KDTree",
        "build",
        1.0,
        _build_ratio,
        at_most=True,
    ),
    Target(
        "refit",
        "refitting the tree, slowest of all sizes: time as a share of a build",
        "build",
        0.15,
        _extreme("build", _refit_share, max),
        at_most=True,
    ),
    Target(
        "memory",
        "memory, largest of all sizes: bytes as a multiple of the float64 points",
        "build",
        2.5,
        _extreme("build", _memory, max),
        at_most=True,
    ),
    *(
        Target(
            f"cap prefix in NumPy d={d}",
            f"the cap prefix in NumPy, d = {d}, slowest share: times as fast as dense, times the "
            "surviving share φ",
            "numpy",
            0.8,
            _extreme("numpy", _cap_in_numpy(d), min),
        )
        for d in (3, 4, 8, 16, 32)
    ),
)
"""All goals."""
