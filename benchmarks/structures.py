"""The sections about the structure itself: building and changing it, growth with m, starting up.

A slope is fitted seed by seed, next to the exponents that theory has for the worst case: ``1 -
1/floor(d/2)`` for half-space reporting with linear space (Agarwal, Eppstein and Matousek 1992) and
``1 - 1/d`` for the leaves of a kd-tree that a hyperplane crosses.  A slope below the theory's is no
contradiction: the points are normal, not adversarial.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import numpy as np

import sublinear_lib
from benchmarks.peers import completed, load, why_absent
from benchmarks.problems import Problem, domain_of, index_competitor, make_room
from benchmarks.results import stored_slope
from benchmarks.settings import Row, Settings, section
from benchmarks.timing import Competitor, by_seed_and_width, median_seconds, race
from sublinear_lib._typing import FloatArray
from sublinear_lib.halfspace import AggregateTree, HalfspaceIndex
from sublinear_lib.theory.orders import search_exponent

# Moves in standard deviations of a weight: a step of training.  Moves wider than the leaves of a
# tree make it build anew, by its own rule, and are then no refit.
_STEP = 1e-3

_ENGINES = ("scan", "cap", "tree", "auto")
_TREES = {"sklearn_kdtree": "KDTree", "sklearn_balltree": "BallTree"}


def _build_grid(settings: Settings) -> list[tuple[int, int, str]]:
    """List dimension, width and engine of what is built; at the largest width, the main ones."""
    small, large = settings.nearest_width(2**16), settings.nearest_width(2**20)
    grid = [(d, small, engine) for d in settings.dimensions for engine in (*_ENGINES, *_TREES)]
    if large > small:
        main = ("tree", "auto", "sklearn_kdtree")
        grid += [(d, large, engine) for d in settings.dimensions for engine in main]
    return [(d, m, engine) for d, m, engine in grid if engine != "cap" or domain_of(d) is not None]


@section(
    "build",
    "What do building, moving, adding and removing cost, and how much memory?",
    "",
    _build_grid,
)
def BUILD(settings: Settings, d: int, m: int, engine: str) -> Row:
    """Time everything that changes an index, or the building of a peer's tree."""
    problem, row = Problem(d, m, 1, settings.seed), {"d": d, "m": m, "engine": engine}
    if engine in _ENGINES:
        return {**row, **_own_costs(problem, engine, settings)}
    module = load("sklearn.neighbors") if settings.peers else None
    if module is None:
        return {**row, "milliseconds": {}, "absent": {"build": why_absent(settings.peers)}}
    points, _ = completed(problem.W)
    seconds = _cost(getattr(module, _TREES[engine]), lambda: points, settings)
    return {**row, "milliseconds": {"build": seconds * 1e3}}


def _cost(
    function: Callable[[Any], object], prepare: Callable[[], Any], settings: Settings
) -> float:
    return median_seconds(function, prepare, **settings.effort(most_rounds=5, part=0.25))


def _own_costs(problem: Problem, engine: str, settings: Settings) -> Row:
    W, m = problem.W, problem.m
    domain = domain_of(problem.d) if engine in ("cap", "auto") else None

    def make(points: FloatArray = W) -> HalfspaceIndex:
        return HalfspaceIndex(points, method=engine, domain=domain)

    rng = np.random.default_rng(settings.seed)
    moved = W + _STEP * rng.standard_normal(W.shape) / np.sqrt(m)
    one, ten = (rng.permutation(m)[: max(1, m // part)] for part in (100, 10))
    everyone = np.arange(m)
    untouched = make()
    index = untouched.copy()
    for rows in (one, ten, everyone):  # compile what moves few, many and all points
        untouched.copy().update(rows, moved[rows])

    def cost(function: Callable[[HalfspaceIndex], object], *, anew: bool = False) -> float:
        return _cost(function, untouched.copy if anew else lambda: index, settings)

    costs = {
        "build": _cost(make, lambda: W, settings),
        "update 1 %": cost(lambda index: index.update(one, moved[one])),
        "update 10 %": cost(lambda index: index.update(ten, moved[ten])),
        "refit": cost(lambda index: index.update(everyone, moved)),
        "insert 1 %": cost(lambda index: index.insert(moved[one]), anew=True),
        "remove 1 %": cost(lambda index: index.remove(one), anew=True),
    }
    memory = untouched.stats().memory
    return {
        "milliseconds": {name: seconds * 1e3 for name, seconds in costs.items()},
        "memory_ratio": memory / W.nbytes,
    }


_REGIMES: dict[str, Callable[[int], float]] = {
    "k = 64": lambda m: min(0.5, 64.0 / m),
    "p = m^(-1/5)": lambda m: float(m) ** -0.2,
    "p = 0.1": lambda m: 0.1,
}
_HALF = "sums, p = 0.5"


def _slope_grid(settings: Settings) -> list[tuple[int, str]]:
    dimensions = {"tree": (2, 8), "cap": (8, 10**6), "sums": (2, 4)}
    return [
        (d, engine)
        for d in settings.dimensions
        for engine, (least, most) in dimensions.items()
        if least <= d <= most
    ]


def _slope_rows(settings: Settings) -> list[Any]:
    return [k for _, e in _slope_grid(settings) for k in ([_HALF] if e == "sums" else _REGIMES)]


@section("slopes", "How do time and points touched grow with m?", "", _slope_rows)
def SLOPES(settings: Settings) -> Generator[Row]:
    """Measure every width with every seed."""
    for d, engine in _slope_grid(settings):
        cell = functools.partial(_slope_cell, settings, d, engine)
        found = by_seed_and_width(cell, 2 if settings.quick else 3, settings.widths)
        for name, values in found.items():
            yield {
                "d": d,
                "engine": engine,
                "regime": name,
                "widths": list(settings.widths),
                "microseconds": np.median(values[:, :, 0], axis=0).tolist(),
                "touched": np.median(values[:, :, 1], axis=0).tolist(),
                "seeds": len(values),
                "reporting_exponent": float(search_exponent(d)),
                "partition_tree_exponent": 1.0 - 1.0 / d,
                "time_slope": stored_slope(settings.widths, values[:, :, 0]),
                "touched_slope": stored_slope(settings.widths, values[:, :, 1]),
            }


def _slope_cell(
    settings: Settings, d: int, engine: str, seed: int, m: int
) -> dict[str, tuple[float, float]]:
    """Return microseconds and points touched per query in each regime."""
    problem = Problem(d, m, settings.queries, settings.seed + seed)
    X, q, sums = problem.X, problem.queries, engine == "sums"
    out: list[Any] = [np.zeros(0, dtype=np.int32)]
    if sums:
        a = np.random.default_rng(problem.seed).choice([-1.0, 1.0], m)
        tree = AggregateTree(problem.W, a)
        competitor = Competitor(
            engine, lambda tau, q: tree.aggregate_halfspace(X[:q], tau), core=True
        )
    else:
        domain = domain_of(d) if engine == "cap" else None
        index = HalfspaceIndex(problem.W, method=engine, domain=domain)
        competitor = index_competitor(engine, index, X, out)

    def touched() -> int:
        return tree.stats().rows_touched if sums else index.stats().points_tested

    found, effort = {}, settings.effort(most_rounds=5, part=0.1)
    for name, share in ({_HALF: lambda m: 0.5} if sums else _REGIMES).items():
        tau = problem.threshold(share(m))
        if not sums:
            make_room(out, int(index.count_halfspace(X, tau).sum()))
        before = touched()
        competitor.ask(tau, q)
        work = (touched() - before) / q
        found[name] = race([competitor], tau, queries=q, **effort)[engine].microseconds, work
    return found


_FIRST_ANSWERS = """
import json, time
begin = time.perf_counter()
import numpy as np
import sublinear_lib.halfspace as halfspace
imported = time.perf_counter()
rng = np.random.default_rng(0)
W, x = rng.standard_normal((2048, 3)), np.array([[0.75 ** 0.5, 0.0, 0.5]])
domains = {"scan": None, "tree": None, "cap": "slice"}
times = {}
for method, domain in domains.items():
    start = time.perf_counter()
    index = halfspace.HalfspaceIndex(W, method=method, domain=domain)
    index.query_halfspace(x, 1.0), index.count_halfspace(x, 1.0)
    times[method] = time.perf_counter() - start
print(json.dumps({"import": imported - begin, **times}))
"""


def _starts(settings: Settings) -> tuple[str, ...]:
    return ("cached",) if settings.quick else ("cold", "cached")


@section(
    "startup",
    "How long does a fresh Python take to its first answer, and how much of it is compilation?",
    "",
    _starts,
)
def STARTUP(settings: Settings) -> Generator[Row]:
    """Start with an empty cache, and with a full one."""
    with tempfile.TemporaryDirectory() as folder:
        cache = {} if settings.quick else {"NUMBA_CACHE_DIR": folder}
        for start in _starts(settings):
            yield {"start": start, "seconds": _first_answers(cache)}


def _first_answers(environment: dict[str, str]) -> dict[str, float]:
    run = subprocess.run(
        [sys.executable, "-c", _FIRST_ANSWERS],
        cwd=Path(sublinear_lib.__file__).parents[1],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(run.stdout)
    return {name: float(value) for name, value in found.items()}
