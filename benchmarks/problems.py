"""The points, queries and dense baselines that all sections of the benchmark share.

The points are the weights of a network at initialization with the bias folded into the last
coordinate (:func:`sublinear_lib.geometry.lift`).  The queries lie on the slice X = {x : ||x|| = 1,
x_d = 1/2}; for d = 2, where X has two points only, on the circle, and there is no bias.

The baseline of all ratios, *dense*, is the best that one gets from a BLAS with some care: tiles
that stay in the cache, chosen by measurement, and reused buffers.  It is favored: it decides by
rounded float32 scores, and returns positions within a tile, of one tile at a time only.  Before
changing it, know that a baseline that is easy to beat proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.timing import Competitor, fastest
from sublinear_lib import geometry, scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.halfspace import HalfspaceHits, HalfspaceIndex

BLOCK = 64
"""Queries that user code asks at once: the table of scores would not fit into memory otherwise."""

_TILES = (512, 1024, 2048, 4096)


@dataclass(frozen=True)
class Problem:
    """Points and queries, drawn from a seed; other sizes have streams of their own."""

    d: int
    m: int
    queries: int
    seed: int
    W: FloatArray = field(init=False, repr=False)
    X: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Draw the points, then the queries."""
        rng = np.random.default_rng([self.seed, self.d, self.m])
        W = rng.standard_normal((self.m, self.d)) / np.sqrt(self.m)
        if self.d == 2:
            X = rng.standard_normal((self.queries, 2))
            X /= np.linalg.norm(X, axis=1, keepdims=True)
        else:
            W = geometry.lift(W, rng.standard_normal(self.m) / np.sqrt(self.m))
            X = geometry.sample_slice(self.queries, self.d, rng)
        object.__setattr__(self, "W", W)
        object.__setattr__(self, "X", X)

    def threshold(self, share: float) -> float:
        """Return the threshold that a share of the points exceeds on average."""
        tau = scaling.threshold_from_activity(share, self.m)
        return tau / np.sqrt(2.0) if self.d == 2 else tau


def domain_of(d: int) -> str | None:
    """Return the domain that the queries of a problem keep to."""
    return None if d == 2 else "slice"


def make_room(out: list[Any], needed: int) -> None:
    """See to it that a shared buffer holds an answer, with its pages in memory."""
    if len(out[0]) < needed:
        out[0] = np.ones(needed, dtype=np.int32)


def index_competitor(name: str, index: HalfspaceIndex, X: FloatArray, out: list[Any]) -> Competitor:
    """Return an index as a competitor that reports into the buffer in `out`, in any order."""

    def ask(tau: float, q: int) -> HalfspaceHits:
        return index.query_halfspace(X[:q], tau, sort_results=False, out=out[0])

    return Competitor(name, ask, HalfspaceHits.split, exact=True, core=True)


def own_engines(
    problem: Problem, out: list[Any], *, names: tuple[str, ...], kernels: str = "auto"
) -> list[Competitor]:
    """Return the engines of this library that can answer the problem, under the given names."""
    domain = domain_of(problem.d)
    found = []
    for name in names:
        if name == "cap" and domain is None:
            continue
        own = domain if name in ("cap", "auto") else None
        index = HalfspaceIndex(problem.W, method=name, domain=own, kernels=kernels)
        found.append(index_competitor(name, index, problem.X, out))
        if name == "auto":
            found += _other_forms(index, problem.X)
    return found


def _other_forms(index: HalfspaceIndex, X: FloatArray) -> list[Competitor]:
    def marked(mask: Any) -> list[Any]:
        return [np.flatnonzero(row) for row in mask]

    ways: tuple[Callable[[float, int], Any], ...] = (
        lambda tau, q: index.query_halfspace(X[:q], tau),
        lambda tau, q: index.count_halfspace(X[:q], tau),
        lambda tau, q: index.mask_halfspace(X[:q], tau),
    )
    return [
        Competitor("auto_default", ways[0], HalfspaceHits.split, exact=True, unit=len(X)),
        Competitor("count", ways[1], exact=True, core=True),
        Competitor("mask", ways[2], marked, exact=True, unit=len(X)),
    ]


def dense_baselines(problem: Problem) -> list[Competitor]:
    """Return tuned dense BLAS, its products alone, and what one writes first."""
    W, X = problem.W, problem.X
    W32, X32 = W.astype(np.float32), X.astype(np.float32)
    width = best_tile(X32, W32)
    scores = np.empty((len(X), width), dtype=np.float32)
    above = np.empty(scores.shape, dtype=np.bool_)

    def tiles(tau: float, q: int) -> Iterator[tuple[int, int, Any]]:
        return _tiled(X32[:q], W32, np.float32(tau), scores[:q], above[:q])

    def dense(tau: float, q: int) -> None:
        for _ in tiles(tau, q):
            pass

    def dense_rows(answer: list[Any]) -> list[Any]:
        parts = [
            np.column_stack((places // widest, start + places % widest))
            for start, widest, places in answer
        ]
        return rows_of_pairs(np.concatenate(parts))

    def products(tau: float, q: int) -> None:
        for start in range(0, len(W32), width):
            tile = W32[start : start + width]
            np.matmul(X32[:q], tile.T, out=scores[:q, : len(tile)])

    def naive(points: Any, normals: Any) -> Callable[[float, int], list[Any]]:
        def ask(tau: float, q: int) -> list[Any]:
            level = normals.dtype.type(tau)
            return [
                np.nonzero(normals[start : min(q, start + BLOCK)] @ points.T > level)
                for start in range(0, q, BLOCK)
            ]

        return ask

    return [
        Competitor(
            "dense", dense, dense_rows, core=True, answer=lambda tau, q: list(tiles(tau, q))
        ),
        Competitor("gemm", products, core=True),
        Competitor("naive_float32", naive(W32, X32), _rows_of_blocks, unit=BLOCK),
        Competitor("naive_float64", naive(W, X), _rows_of_blocks, unit=BLOCK),
    ]


def _tiled(X: Any, W: Any, tau: Any, scores: Any, above: Any) -> Iterator[tuple[int, int, Any]]:
    """Yield what is above the threshold, as (first column, columns, flat positions) of tiles."""
    width = scores.shape[1]
    for start in range(0, len(W), width):
        tile = W[start : start + width]
        part, marks = scores, above
        if len(tile) < width:  # the positions are those of a contiguous tile
            part = scores.reshape(-1)[: len(X) * len(tile)].reshape(len(X), -1)
            marks = above.reshape(-1)[: len(X) * len(tile)].reshape(len(X), -1)
        np.matmul(X, tile.T, out=part)
        yield start, len(tile), np.flatnonzero(np.greater(part, tau, out=marks))


def best_tile(X: Any, W: Any) -> int:
    """Return the width of tile that is fastest here."""
    sample = W[: max(_TILES) * 4]
    widths = sorted({min(width, len(sample)) for width in _TILES})
    scores = np.empty(len(X) * widths[-1], dtype=np.float32)
    above = np.empty(scores.shape, dtype=np.bool_)
    level = np.float32(np.quantile(X[:1] @ sample.T, 0.99))

    def search(width: int) -> None:
        size = len(X) * width
        tile, marks = (each[:size].reshape(len(X), width) for each in (scores, above))
        for _ in _tiled(X, sample, level, tile, marks):
            pass

    return fastest(widths, search, rounds=4)


def _rows_of_blocks(blocks: list[Any]) -> list[Any]:
    """Return the ids by query of what `numpy.nonzero` gave for blocks of queries."""
    pairs = [
        np.column_stack((queries + number * BLOCK, rows))
        for number, (queries, rows) in enumerate(blocks)
    ]
    return rows_of_pairs(np.concatenate(pairs))


def rows_of_pairs(pairs: Any) -> list[Any]:
    """Return the ids by query; the last queries are missing where they have none."""
    order = np.argsort(pairs[:, 0], kind="stable")
    sizes = np.bincount(pairs[:, 0])
    return np.split(pairs[order, 1], np.cumsum(sizes)[:-1]) if len(pairs) else []
