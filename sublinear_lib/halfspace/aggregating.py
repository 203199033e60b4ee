"""Sums over half-spaces for the facade: by a tree of sums where that pays, from a report elsewhere.

The sums of Equation (2) and of its gradient (:mod:`sublinear_lib.halfspace.aggregates`) need a tree
of their own, which holds the sums of one set of weights.  `Aggregator` keeps the last one: queries
with the same weights use it, moves of points are handed on to it before the next query, and other
weights, insertions and removals make it anew.  In many dimensions nearly every leaf is crossed and
a tree saves nothing; there the points are reported and added up.  Know before changing the order of
things: queries may come from several threads at once, so a tree is brought up to date under the
lock and only read outside of it.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from sublinear_lib._typing import BoolArray, FloatArray, IntArray
from sublinear_lib.halfspace import reporting
from sublinear_lib.halfspace.aggregates import (
    AggregateTree,
    HalfspaceAggregates,
    magnitudes,
    refuse_large,
)
from sublinear_lib.halfspace.protocol import HalfspaceStructure
from sublinear_lib.halfspace.reporting import HalfSpaces
from sublinear_lib.halfspace.store import PointStore

__all__ = ["Aggregator", "pays"]

_LARGEST_DIMENSION = 4
_FEWEST_POINTS = 2**12
_IDS_AT_ONCE = 2**22
_NUMBERS_AT_ONCE = 2**18


def pays(m: int, dimension: int) -> bool:
    """Return whether a tree of sums is expected to beat adding up what is reported."""
    return dimension <= _LARGEST_DIMENSION and m >= _FEWEST_POINTS


class Aggregator:
    """Sums over the half-spaces of an index, and what is kept for the next ones."""

    def __init__(self, store: PointStore, domain: str | None) -> None:
        self._store = store
        self._domain = domain
        self._lock = threading.Lock()
        self.forget()

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be made again."""
        return {"_store": self._store, "_domain": self._domain}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Start with nothing kept."""
        self._store, self._domain = state["_store"], state["_domain"]
        self._lock = threading.Lock()
        self.forget()

    @property
    def memory(self) -> int:
        """Bytes kept for the next queries."""
        tree = 0 if self._tree is None else self._tree.stats().memory
        return tree + self._rows.nbytes + self._moved.nbytes + self._weights.nbytes

    def forget(self) -> None:
        """Keep nothing: points came or went."""
        self._tree: AggregateTree | None = None
        self._checked = False
        self._weights: FloatArray = np.empty(0)
        self._rows: IntArray = np.empty(0, dtype=np.int64)
        self._moved: BoolArray = np.empty(0, dtype=np.bool_)

    def note(self, rows: IntArray) -> None:
        """Remember that points have moved."""
        if self._checked:
            self._moved[np.searchsorted(self._rows, rows)] = True

    def aggregate(
        self,
        engine: HalfspaceStructure,
        kernels: str,
        leaf_size: int,
        asked: HalfSpaces,
        weights: FloatArray,
    ) -> HalfspaceAggregates:
        """Sum over the points in each half-space."""
        with self._lock:
            if not self._checked or not np.array_equal(weights, self._weights):
                self._prepare(kernels, leaf_size, weights)
            elif self._moved.any():
                self._follow(kernels, leaf_size)
            tree, rows = self._tree, self._rows
        if tree is not None:
            return tree.aggregate_halfspace(asked.normals, asked.offsets, strict=asked.strict)
        by_row = np.zeros(self._store.size)
        by_row[rows] = weights
        return self._summed(engine, asked, by_row)

    def _prepare(self, kernels: str, leaf_size: int, weights: FloatArray) -> None:
        """Make what queries with these weights need."""
        store = self._store
        self.forget()
        rows = store.live_rows()
        points, bias = store.points[rows], None if store.bias is None else store.bias[rows]
        # On X a bias costs no dimension.
        dimension = store.d if self._domain is not None else store.dimension
        if pays(len(rows), dimension):
            self._tree = AggregateTree(
                points, weights, bias, domain=self._domain, leaf_size=leaf_size, kernels=kernels
            )
        else:
            refuse_large(magnitudes(points, weights, bias))
        self._rows, self._weights = rows, weights.copy()
        self._moved = np.zeros(len(rows), dtype=np.bool_)
        self._checked = True

    def _follow(self, kernels: str, leaf_size: int) -> None:
        """Bring what is kept up to date with moves."""
        positions = np.flatnonzero(self._moved)
        rows, store = self._rows[positions], self._store
        if self._tree is None:
            self._prepare(kernels, leaf_size, self._weights)
            return
        try:
            self._tree.update(
                positions, store.points[rows], bias=None if store.bias is None else store.bias[rows]
            )
        except ValueError:  # sums could overflow: let that be said as for new weights
            self._prepare(kernels, leaf_size, self._weights)
        self._moved[:] = False

    def _summed(
        self, engine: HalfspaceStructure, asked: HalfSpaces, weights: FloatArray
    ) -> HalfspaceAggregates:
        """Report and add up; `weights` has an entry for every row of the store."""
        store, q = self._store, len(asked.offsets)
        counts = np.zeros(q, dtype=np.int64)
        sums = np.zeros((2, q))
        point_sums = np.zeros((q, store.d))
        pieces = reporting.report_in_pieces(
            engine, store, asked, sort=True, ids_at_once=_IDS_AT_ONCE, as_rows=True
        )
        step = max(1, _NUMBERS_AT_ONCE // store.d)
        with np.errstate(under="ignore"):
            for queries, hits in pieces:
                counts[queries] = hits.counts
                for query, rows in enumerate(hits.split(), start=queries.start):
                    for start in range(0, len(rows), step):
                        part = rows[start : start + step]
                        factors = weights[part]
                        sums[0, query] += factors.sum()
                        point_sums[query] += factors @ store.points[part]
                        if store.bias is not None:
                            sums[1, query] += factors @ store.bias[part]
        return HalfspaceAggregates(counts, sums[0].copy(), sums[1].copy(), point_sums)
