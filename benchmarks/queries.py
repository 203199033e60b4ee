"""The sections that time queries: reporting, sums, single calls, pure NumPy, and the limits.

Before changing it, know that the exact competitors are also compared by their answers: a benchmark
of an index that is wrong somewhere raises instead of reporting how fast it is.
"""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any

import numpy as np

from benchmarks.peers import PeerField
from benchmarks.problems import (
    Problem,
    best_tile,
    dense_baselines,
    domain_of,
    index_competitor,
    make_room,
    own_engines,
)
from benchmarks.settings import Row, Settings, section
from benchmarks.timing import Competitor, Timing, one_thread, race
from sublinear_lib._typing import BoolArray, FloatArray
from sublinear_lib.halfspace import AggregateTree, HalfspaceHits, HalfspaceIndex

_CHECKED = 4
_BUFFERS = (2**18, 2**23, 2**28)
"""Bytes that are written to measure how fast memory takes them: near, farther, and main memory."""


class InexactAnswer(RuntimeError):
    """Two competitors that both promise the exact answer differ."""


def timings(found: Mapping[str, Timing]) -> Row:
    """Return timings as they are stored, one mapping for each kind of number."""
    return {
        kind: {name: getattr(each, kind) for name, each in found.items()} for kind in Timing._fields
    }


def compare(competitors: list[Competitor], tau: float, queries: int, m: int) -> Row:
    """Compare the answers at a threshold with those of the first exact competitor."""
    exact = [each for each in competitors if each.exact]
    reference = exact[0]
    counts = _counts(reference, reference.ask(tau, queries))
    for each in exact[1:]:
        if each.core and not np.array_equal(_counts(each, each.ask(tau, queries)), counts):
            raise InexactAnswer(f"{each.name} and {reference.name} differ at tau = {tau!r}")
    few = min(_CHECKED, queries)
    expected = _marks(reference, tau, few, m)
    differing = {}
    for each in competitors:
        if each.rows is None:
            continue
        differing[each.name] = int(np.count_nonzero(_marks(each, tau, few, m) ^ expected))
        if each.exact and differing[each.name]:
            raise InexactAnswer(f"{each.name} and {reference.name} differ at tau = {tau!r}")
    return {
        "active": float(counts.sum()) / (queries * m),
        "checked_pairs": few * m,
        "differing_pairs": differing,
    }


def _counts(competitor: Competitor, answer: Any) -> Any:
    if isinstance(answer, HalfspaceHits):
        return answer.counts.copy()
    if competitor.rows is not None:
        return np.array([len(rows) for rows in competitor.rows(answer)])
    return np.asarray(answer)


def _marks(competitor: Competitor, tau: float, queries: int, m: int) -> BoolArray:
    marks = np.zeros((queries, m), dtype=np.bool_)
    for line, found in zip(marks, competitor.listed(tau, queries), strict=False):
        line[np.asarray(found, dtype=np.int64)] = True
    return marks


def _report_cells(
    settings: Settings, problem: Problem, shares: Iterable[float], peers: PeerField, **how: Any
) -> Generator[Row]:
    with one_thread():
        out: list[Any] = [np.empty(0, dtype=np.int32)]
        own = own_engines(problem, out, **how)
        (counting,) = (each for each in own if each.name == "count")
        everyone = [*dense_baselines(problem), *own]
        built, absent = peers.build(problem)
    for share in shares:
        with one_thread():
            make_room(out, int(counting.ask(problem.threshold(share), settings.queries).sum()))
            asked, skipped = peers.willing(built, problem, share)
            row = _raced([*everyone, *asked], problem, share, settings)
            for each in asked:
                peers.learn(each.name, problem, share, row["microseconds"][each.name])
        yield {**row, "absent": {**absent, **skipped}}


@section(
    "report",
    "How long does it take to report the points in a half-space?",
    "dense",
    lambda settings: [*itertools.product(settings.dimensions, settings.widths, settings.shares)],
)
def REPORT(settings: Settings) -> Generator[Row]:
    """Let everybody report."""
    peers, engines = PeerField(settings.peers), ("scan", "cap", "tree", "auto")
    for d, m in itertools.product(settings.dimensions, settings.widths):
        problem = Problem(d, m, settings.queries, settings.seed)
        without = {"cap": "needs queries on the slice"} if domain_of(d) is None else {}
        for row in _report_cells(settings, problem, settings.shares, peers, names=engines):
            yield {**row, "absent": {**without, **row["absent"]}}


def _raced(
    competitors: list[Competitor], problem: Problem, share: float, settings: Settings
) -> Row:
    tau = problem.threshold(share)
    agreement = compare(competitors, tau, problem.queries, problem.m)
    found = race(competitors, tau, queries=problem.queries, warm=True, **settings.effort())
    return {"d": problem.d, "m": problem.m, "share": share, **agreement, **timings(found)}


def surviving_share(problem: Problem, tau: float) -> float:
    """Return the share of points that exceed a threshold somewhere on the slice.

    On X the largest score of a point ``u = (u', u_d)`` is ``sqrt(3)/2 ||u'|| + u_d / 2``.
    """
    W = problem.W
    largest = np.sqrt(0.75) * np.linalg.norm(W[:, :-1], axis=1) + 0.5 * W[:, -1]
    return float(np.mean(largest > tau))


def _numpy_grid(settings: Settings) -> list[tuple[int, float]]:
    dimensions = [d for d in settings.dimensions if d >= 3] or [3]
    return [*itertools.product(dimensions, [p for p in settings.shares if p <= 0.1] or [0.1])]


@section("numpy", "How much of this is left without compiled kernels?", "dense", _numpy_grid)
def NUMPY(settings: Settings) -> Generator[Row]:
    """Report without compiled kernels."""
    dimensions, shares = (dict.fromkeys(each) for each in zip(*_numpy_grid(settings), strict=True))
    for d in dimensions:
        problem = Problem(d, settings.nearest_width(2**16), settings.queries, settings.seed)
        engines = ("scan", "cap", *(("tree",) if d <= 4 else ()), "auto")
        how: dict[str, Any] = {"names": engines, "kernels": "numpy"}
        for row in _report_cells(settings, problem, shares, PeerField(False), **how):
            del row["absent"]  # nobody was asked
            yield {**row, "surviving": surviving_share(problem, problem.threshold(row["share"]))}


_SMALLEST = 64
"""So few points that only the call itself is timed."""


def _single_widths(settings: Settings) -> list[int]:
    wanted = {_SMALLEST, settings.nearest_width(2**12), settings.nearest_width(2**16)}
    return sorted(wanted)


@section(
    "single",
    "How long does a single query take?",
    "gemv",
    lambda settings: [*itertools.product(settings.dimensions, _single_widths(settings))],
)
def SINGLE(settings: Settings, d: int, m: int) -> Row:
    """Ask one query, of the index and by one product."""
    problem = Problem(d, m, 1, settings.seed)
    own = own_engines(problem, [np.zeros(m, dtype=np.int32)], names=("auto",))
    W, x = problem.W.astype(np.float32), problem.X[0].astype(np.float32)
    gemv = Competitor(
        "gemv", lambda tau, q: [np.flatnonzero(W @ x > np.float32(tau))], list, core=True
    )
    return _raced([gemv, *own], problem, 0.01, settings)


def _aggregate_grid(settings: Settings) -> list[tuple[int, int]]:
    dimensions = [d for d in settings.dimensions if d <= 4] or [3]
    widths = [m for m in settings.widths if m >= 2**14] or [settings.widths[-1]]
    return [*itertools.product(dimensions, widths)]


@section(
    "aggregate",
    "How long do value and gradient take when half of all neurons fire?",
    "two_gemms",
    _aggregate_grid,
)
def AGGREGATE(settings: Settings, d: int, m: int) -> Row:
    """Sum over the neurons that fire, by the tree, by the index and by two products."""
    share, problem = 0.5, Problem(d, m, settings.queries, settings.seed)
    tau = max(0.0, problem.threshold(share))
    a = np.random.default_rng(settings.seed).choice([-1.0, 1.0], m)
    tree, index = AggregateTree(problem.W, a), HalfspaceIndex(problem.W)
    gemms = _two_gemms(problem, a)

    def ask(tau: float, q: int) -> Any:
        return tree.value_and_gradient(problem.X[:q], tau).gradient

    def ask_index(tau: float, q: int) -> Any:
        return index.aggregate_halfspace(problem.X[:q], tau, a).point_sums

    competitors = [
        Competitor("two_gemms", gemms, core=True),
        Competitor("aggregate", ask, core=True),
        Competitor("index_aggregate", ask_index, core=True),
    ]
    exact, rounded = ask(tau, problem.queries), gemms(tau, problem.queries)
    found = race(competitors, tau, queries=settings.queries, **settings.effort())
    if not np.allclose(exact, ask_index(tau, problem.queries), rtol=1e-9, atol=1e-12):
        raise InexactAnswer(f"index and aggregate tree differ at d = {d}, m = {m}")
    difference = np.linalg.norm(rounded - exact) / np.linalg.norm(exact)
    cell = {"d": d, "m": m, "share": share, "gradient_difference": float(difference)}
    return {**cell, **timings(found)}


def _two_gemms(problem: Problem, a: FloatArray) -> Callable[[float, int], Any]:
    W, X, signs = (array.astype(np.float32) for array in (problem.W, problem.X, a))
    width = best_tile(X, W)
    scores = np.empty((len(X), width), dtype=np.float32)
    above = np.empty((len(X), width), dtype=np.bool_)
    values = np.empty(len(X), dtype=np.float32)
    part = np.empty(X.shape, dtype=np.float32)

    def ask(tau: float, q: int) -> Any:
        gradient = np.zeros((q, problem.d), dtype=np.float32)
        for start in range(0, len(W), width):
            tile = W[start : start + width]
            block, marks = scores[:q, : len(tile)], above[:q, : len(tile)]
            np.matmul(X[:q], tile.T, out=block)
            np.greater(block, np.float32(tau), out=marks)
            np.multiply(marks, signs[start : start + width], out=block)
            np.matmul(block, tile, out=part[:q])
            gradient += part[:q]
        np.einsum("ij,ij->i", gradient, X[:q], out=values[:q])
        return gradient

    return ask


def _buffers(settings: Settings) -> tuple[int, ...]:
    return _BUFFERS[:1] if settings.quick else _BUFFERS


def _limit_grid(settings: Settings) -> list[Any]:
    return ["products", *_buffers(settings), *_limit_cells(settings)]


def _limit_cells(settings: Settings) -> list[tuple[str, int, float]]:
    low = [d for d in settings.dimensions if d <= 4] or [settings.dimensions[0]]
    return [
        *(("scan", d, 0.001) for d in settings.dimensions),
        *(("tree", d, share) for d in low for share in (0.1, 0.5)),
    ]


@section("limits", "How far is each engine from what the machine can do?", "", _limit_grid)
def LIMITS(settings: Settings) -> Generator[Row]:
    """Measure the machine, then engines."""
    with one_thread():
        A = np.ones((256 if settings.quick else 1024,) * 2, dtype=np.float32)
        C = np.empty_like(A)
        seconds = _least_seconds(lambda: np.matmul(A, A, out=C), settings.rounds)
        flops = 2.0 * len(A) ** 3 / seconds
    yield {"quantity": "float32 matrix product", "unit": "flop/s", "rate": flops}
    rates = {}
    for size in _buffers(settings):
        # a buffer that was used before is filled
        fill = np.zeros(size // 4, dtype=np.int32).fill
        rates[size] = size / _least_seconds(
            functools.partial(fill, 1), settings.rounds, max(1, 2**22 // size)
        )
        yield {"quantity": "writing int32", "unit": "byte/s", "bytes": size, "rate": rates[size]}
    m = settings.nearest_width(2**16)
    for engine, d, share in _limit_cells(settings):
        with one_thread():
            problem = Problem(d, m, settings.queries, settings.seed)
            tau = problem.threshold(share)
            index = HalfspaceIndex(problem.W, method=engine)
            hits = int(index.count_halfspace(problem.X, tau).sum())
            competitor = index_competitor(
                engine, index, problem.X, [np.zeros(hits, dtype=np.int32)]
            )
            found = race([competitor], tau, queries=settings.queries, **settings.effort())
        if engine == "scan":
            least, limit = 2.0 * m * d / flops, "arithmetic: 2 m d"
        else:
            # the whole answer is written, and read again by the next round: to where it fits
            size = min((size for size in rates if size >= 4 * hits), default=max(rates))
            least, limit = 4.0 * hits / settings.queries / rates[size], "memory: 4 k bytes"
        yield {
            "quantity": engine,
            "d": d,
            "m": m,
            "share": share,
            "microseconds": found[engine].microseconds,
            "least_microseconds": least * 1e6,
            "limit": limit,
        }


def _least_seconds(function: Callable[[], object], rounds: int, repeats: int = 1) -> float:
    """Return the least seconds of a call; the first one warms up."""
    samples = []
    for _ in range(rounds + 1):
        start = time.thread_time()
        for _ in range(repeats):
            function()
        samples.append((time.thread_time() - start) / repeats)
    return min(samples[1:])
