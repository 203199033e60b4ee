"""The section on training: finding the neurons that fire, again and again, while weights move.

One iteration is what Algorithm 1 asks of its structure: five steps of an attack and a last pass ask
which neurons fire at a point in the cap of every training point, and then the neurons that fire
somewhere take a small step.  Three ways compete: tuned dense BLAS, the index queried at every point
and updated after every step, and candidate lists.  Before changing it, know that neither values nor
gradients are computed: their cost depends on how many neurons fire and not on how they are found.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from benchmarks.problems import Problem, dense_tiles
from benchmarks.queries import InexactAnswer, timings
from benchmarks.settings import Row, Section, Settings
from benchmarks.timing import Competitor, one_thread, race
from sublinear_lib import geometry
from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.halfspace import CandidateLists, HalfspaceIndex

_PASSES = 6
"""Five steps of the attack and the pass that the weights follow."""

_RADIUS = 0.1
_STEP = 0.01
"""How far a neuron moves in an iteration, in standard deviations of one of its weights."""

_TURN = 8
"""After so many iterations the neurons turn round, so that all iterations are alike."""


def _grid(settings: Settings) -> tuple[list[int], list[float]]:
    dimensions = [d for d in settings.dimensions if d in (8, 32)] or [settings.dimensions[-1]]
    return [max(3, d) for d in dimensions], [p for p in settings.shares if p <= 0.1] or [0.1]


class _Training:
    """The weights of each iteration, and the points at which the attack asks.

    - ``problem``: Its queries are the training points.
    - ``tau``: The threshold.
    """

    def __init__(self, problem: Problem, tau: float) -> None:
        rng = np.random.default_rng([problem.seed, 1])
        self.problem, self.tau = problem, tau
        directions = [rng.standard_normal(problem.X.shape) for _ in range(_PASSES)]
        self.points = [
            geometry.project_to_caps(problem.X + way, problem.X, _RADIUS) for way in directions
        ]
        active = [np.flatnonzero(problem.W @ x > tau) for x in self.points[-1]]
        self.rows: IntArray = np.unique(np.concatenate(active))
        step = rng.standard_normal((len(self.rows), problem.d))
        step *= _STEP / np.sqrt(problem.m) / np.linalg.norm(step, axis=1, keepdims=True)
        start = problem.W[self.rows]
        self.values: list[FloatArray] = [start + number * step for number in range(_TURN + 1)]

    def weights(self) -> Generator[FloatArray]:
        """Yield what the moving neurons weigh, iteration after iteration, without end."""
        there = [*range(1, _TURN + 1), *range(_TURN - 1, -1, -1)]
        while True:
            for number in there:
                yield self.values[number]


def _competitors(training: _Training) -> tuple[list[Competitor], list[Callable[[], Any]]]:
    """Return who takes part, and what answers the last pass exactly, for comparison."""
    problem, tau, rows = training.problem, training.tau, training.rows
    index = HalfspaceIndex(problem.W, domain="slice")
    lists = CandidateLists(problem.W, None, problem.X, radius=_RADIUS, threshold=tau)
    queries = np.concatenate(training.points).astype(np.float32)
    W = problem.W.astype(np.float32)
    ask_dense = dense_tiles(queries[: problem.queries], W)
    moves = {name: training.weights() for name in ("dense", "index", "lists")}
    counts = [int(index.count_halfspace(points, tau).sum()) for points in training.points]
    out = np.zeros(2 * max(counts) + 64, dtype=np.int32)  # far more than a few small steps add

    def dense(tau: float, q: int) -> None:
        for start in range(0, q, problem.queries):
            for _ in ask_dense(queries[start : start + problem.queries], np.float32(tau)):
                pass
        W[rows] = next(moves["dense"])

    def at_index(tau: float, q: int) -> None:
        for points in training.points:
            index.query_halfspace(points, tau, sort_results=False, out=out)
        index.update(rows, next(moves["index"]))

    def at_lists(tau: float, q: int) -> None:
        for points in training.points:
            lists.query(points)
        lists.advance(rows, next(moves["lists"]))

    last = training.points[-1]
    checks = [lambda: index.query_halfspace(last, tau), lambda: lists.query(last)]
    return [
        Competitor("dense", dense, core=True),
        Competitor("index", at_index, core=True),
        Competitor("lists", at_lists, core=True),
    ], checks


def _lists(settings: Settings) -> Generator[Row]:
    dimensions, shares = _grid(settings)
    m = settings.nearest_width(2**16)
    for d in dimensions:
        problem = Problem(d, m, settings.queries, settings.seed)
        for share in shares:
            with one_thread():
                training = _Training(problem, problem.threshold(share))
                competitors, checks = _competitors(training)
                found, expected = (check() for check in checks)
                if found != expected:
                    raise InexactAnswer(f"index and lists differ at tau = {training.tau!r}")
                times = race(
                    competitors,
                    training.tau,
                    queries=_PASSES * problem.queries,
                    rounds=settings.rounds,
                    seconds=settings.seconds_per_cell,
                )
            yield {
                "d": d,
                "m": m,
                "share": share,
                "radius": _RADIUS,
                "moving": len(training.rows) / m,
                **timings(times),
            }


LISTS = Section(
    "lists",
    "How long does it take to find the neurons that fire, in training?",
    "dense",
    lambda settings: len(_grid(settings)[0]) * len(_grid(settings)[1]),
    _lists,
)
