"""What every engine of the half-space index shares: filter, settle, count the work.

A query has two halves.  The kernel finds the pairs that are certainly inside and those it cannot
decide (:mod:`sublinear_lib.halfspace.filtering`); `settle` decides the latter in real arithmetic.
A kernel may ask for that before it writes the rows; of those that it leaves, the refuted ones are
taken out again.  An engine therefore adds only its arrangement of the
points: a subclass of `Engine` says how to build it, how to follow changes and which kernel to call.
Know before changing the order of things here: the store has already changed when an engine is told,
so every method must leave the engine consistent with the store even when it has to build anew.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from sublinear_lib import predicates
from sublinear_lib._typing import BoolArray, Float32Array, FloatArray, Int32Array, IntArray
from sublinear_lib.halfspace.filtering import Batch, Filtered, KernelSet, Scale, folded, prepare
from sublinear_lib.halfspace.protocol import HalfspaceHits, Output, Work
from sublinear_lib.halfspace.store import PointStore, as_span

__all__ = ["Engine", "drop_refuted", "settle"]

_REPORT = Output()
_COUNT = Output(count_only=True)
_NUMBERS_AT_ONCE = 2**18


def settle(
    store: PointStore,
    normals: FloatArray,
    offsets: FloatArray,
    strict: bool,
    queries: Int32Array,
    rows: Int32Array,
) -> BoolArray:
    """Decide doubtful pairs in real arithmetic on the stored numbers."""
    answer: BoolArray = np.empty(len(rows), dtype=np.bool_)
    step = max(1, _NUMBERS_AT_ONCE // (store.d + 1))
    for start in range(0, len(rows), step):
        pair = slice(start, start + step)
        query, row = queries[pair].astype(np.int64), rows[pair].astype(np.int64)
        points, vectors = store.points[row], normals[query]
        bias = None if store.bias is None else store.bias[row]
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            scores = np.einsum("ij,ij->i", points, vectors)
            if bias is not None:
                scores += bias
        bounds = predicates.error_bound(
            predicates.row_norms(points), predicates.row_norms(vectors), bias, store.d
        )
        answer[pair] = predicates.resolve_pairs(
            scores,
            bounds,
            store.points,
            store.bias,
            normals,
            offsets[query],
            query,
            row,
            strict=strict,
        )
    return answer


def drop_refuted(
    indptr: IntArray, rows: Int32Array, queries: Int32Array, refuted: Int32Array
) -> HalfspaceHits:
    """Take pairs out of a set of hits."""
    if not len(refuted):
        return HalfspaceHits(indptr, rows)
    kept = np.ones(len(rows), dtype=np.bool_)
    for query in np.unique(queries):
        own = slice(indptr[query], indptr[query + 1])
        kept[own] = ~np.isin(rows[own], refuted[queries == query])
    gone = np.bincount(queries, minlength=len(indptr) - 1)
    return HalfspaceHits(indptr - np.concatenate(([0], np.cumsum(gone))), rows[kept])


class Engine(ABC):
    """A half-space structure on top of the float32 filter, as the facade asks it.

    It reads the points from the :class:`~sublinear_lib.halfspace.store.PointStore` it was made with
    and speaks in *rows* of that store; the facade owns validation and the translation of rows to
    ids, and changes the store before it tells the engine which rows changed.
    """

    name: str
    """The value of ``method=`` that selects this engine."""

    def __init__(self, store: PointStore, kernels: KernelSet, domain: str | None = None) -> None:
        self._store = store
        self._folded = domain is not None and store.biased
        self._dimension = store.d if self._folded else store.dimension
        self._largest_bias = 0.0
        self._kernels = kernels
        self._rebuilds = 0
        self._work = np.zeros(len(Work._fields), dtype=np.int64)
        self._counting = threading.Lock()
        self._scale = Scale.fitting(store.largest())
        self._build()

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the lock, which cannot be copied."""
        return {key: value for key, value in self.__dict__.items() if key != "_counting"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make a lock for the copy."""
        self.__dict__.update(state)
        self._counting = threading.Lock()

    @property
    def height(self) -> int:
        """Levels of the hierarchy above the points: 0 without one."""
        return 0

    @property
    @abstractmethod
    def memory(self) -> int:
        """Bytes held besides the point store."""

    @abstractmethod
    def _build(self) -> None:
        """Arrange all live rows of the store, in units of ``self._scale``."""

    @abstractmethod
    def _take_in(self, rows: IntArray) -> bool:
        """Add rows; return whether the structure needs to be built anew."""

    @abstractmethod
    def _forget(self, rows: IntArray) -> None:
        """Drop rows."""

    @abstractmethod
    def _follow(self, rows: IntArray) -> bool:
        """Move rows; return whether the structure needs to be built anew."""

    @abstractmethod
    def _filter(self, batch: Batch, offsets: FloatArray, output: Output) -> Filtered:
        """Call the kernel; the offsets are those of the batch, as the user gave them."""

    def _prepared(self, normals: FloatArray, offsets: FloatArray) -> Batch:
        """Bring half-spaces to the units of the filter."""
        batch = prepare(normals, offsets, self._store.biased, self._scale)
        return folded(batch, normals, self._largest_bias, self._scale) if self._folded else batch

    def _rounded(self, rows: IntArray) -> Float32Array:
        """Return the coordinates of some rows, scaled and rounded to float32."""
        if self._folded and self._store.bias is not None and len(rows):
            largest = float(np.abs(self._store.bias[as_span(rows)]).max())
            self._largest_bias = max(self._largest_bias, largest)
        return self._scale.rounded(self._store, rows, fold=self._folded)

    @property
    def rebuilds(self) -> int:
        """How many times the structure was built anew after INIT."""
        return self._rebuilds

    @property
    def work(self) -> Work:
        """The work done by all queries so far."""
        return Work(*self._work.tolist())

    def rebuild(self) -> None:
        """Build the structure anew from all live rows of the store."""
        self._rebuilds += 1
        self._scale = Scale.fitting(self._store.largest())
        self._largest_bias = 0.0
        self._build()

    def insert(self, rows: IntArray) -> None:
        """Take in rows that were appended to the store (INSERT)."""
        if not self._scale.fits(self._store.largest(rows)) or self._take_in(rows):
            self.rebuild()

    def remove(self, rows: IntArray) -> None:
        """Forget rows that are no longer alive in the store (REMOVE)."""
        self._forget(rows)

    def update(self, rows: IntArray) -> None:
        """Follow rows whose point has moved in the store."""
        largest = self._store.largest(rows)
        shrunk = len(rows) == self._store.live and self._scale.is_coarse_for(largest)
        if not self._scale.fits(largest) or shrunk or self._follow(rows):
            self.rebuild()

    def query(
        self,
        normals: FloatArray,
        offsets: FloatArray,
        strict: bool,
        output: Output = _REPORT,
    ) -> HalfspaceHits:
        """Report the rows in each half-space (QUERY)."""
        found, refuted = self._answer(normals, offsets, strict, output)
        indptr = np.zeros(len(offsets) + 1, dtype=np.int64)
        np.cumsum(found.counts, out=indptr[1:])
        hits = drop_refuted(
            indptr, found.rows, found.doubtful_queries[refuted], found.doubtful_rows[refuted]
        )
        out, rows = output.out, hits.indices
        # Without the refuted ones the rows may fit, or no longer lie in the buffer.
        if out is None or len(rows) > len(out) or np.may_share_memory(rows, out):
            return hits
        out[: len(rows)] = rows
        return HalfspaceHits(hits.indptr, out[: len(rows)])

    def count(self, normals: FloatArray, offsets: FloatArray, strict: bool) -> IntArray:
        """Count the rows in each half-space."""
        found, refuted = self._answer(normals, offsets, strict, _COUNT)
        wrong = found.doubtful_queries[refuted]
        if not len(wrong):
            return found.counts
        return found.counts - np.bincount(wrong, minlength=len(offsets))

    def _answer(
        self, normals: FloatArray, offsets: FloatArray, strict: bool, output: Output
    ) -> tuple[Filtered, BoolArray]:
        """Filter, and settle what is in doubt; return also which doubtful pairs are refuted."""
        asked = 0

        def decide(queries: Int32Array, rows: Int32Array) -> BoolArray:
            nonlocal asked
            asked += len(rows)
            return settle(self._store, normals, offsets, strict, queries, rows)

        batch = self._prepared(normals, offsets)
        found = self._filter(batch, offsets, output._replace(decide=decide))
        refuted: BoolArray = np.empty(0, dtype=np.bool_)
        if len(found.doubtful_rows):
            refuted = ~decide(found.doubtful_queries, found.doubtful_rows)
        self._count(found.work, asked)
        return found, refuted

    def _count(self, work: IntArray, settled: int) -> None:
        """Add to the counters; several threads may query at the same time."""
        with self._counting:
            self._work[:-1] += work
            self._work[-1] += settled
