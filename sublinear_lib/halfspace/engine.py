"""Every engine of the half-space index: the float32 filter, exact settlement, and the pieces.

A query has two halves.  A kernel finds the pairs that float32 is certain of, and those it cannot
decide; `settle` decides the latter in real arithmetic.  A kernel may ask for that before it writes
the rows; of those that it leaves, the refuted ones are taken out again.  An engine therefore adds
only its arrangement of the points: a subclass of `Engine` says how to build it, how to follow
changes and which kernel to call.  Know before changing the order of things here: the store has
already changed when an engine is told, so every method must leave the engine consistent with the
store even when it has to build anew.

**The filter.**  Engines never compare a score with the threshold itself.  They compute float32
scores of scaled copies and compare them with two bounds, ``below`` and ``above``: outside the band
the float32 score *proves* the answer, inside it the pair is doubtful and `settle` decides it from
the stored float64 numbers, by a float64 score with its own bound and, for the last few, exactly
(:mod:`sublinear_lib.predicates`).  So every engine, every order of summation and every kernel set
reports the set of real arithmetic, for ``>`` and for ``>=``.

Write ``D`` for the number of coordinates (the bias is one of them, with component 1 in every
query), ``u = 2**-24`` and ``w', x', c'`` for the numbers after *scaling by powers of two*: points
by ``2**-E`` and each query by ``2**-e``, such that ``|w'_k| <= 2**HEADROOM`` and ``|x'_k| <= 1``.
Scaling by a power of two is exact, so the sign of ``<w', x'> - c'`` is the sign asked for, and no
float32 operation on scaled numbers can overflow whatever the user stored (1e308 or 1e-308).

* **Points.**  Let ``s`` be the float32 score of the rounded vectors, summed in any order, with or
  without fused multiply-add.  Rounding the two vectors costs ``(1 + u)**2`` in each product, the
  product and at most ``D - 1`` additions cost ``(1 + u)**D``, so for ``D <= 2**20``

      |s - <w', x'>| <= gamma_{D+2} sum_k |w'_k x'_k| + underflow <= g ||w|| ||x|| + underflow

  with ``g = (2 D + 16) u`` and the norms of the *rounded* vectors: ``g`` is almost twice
  ``gamma_{D+2}``, which pays for the difference between rounded and exact norms and for computing
  the right-hand side in float32.
* **Boxes.**  A node stores a center ``a`` and half-widths ``h`` such that every rounded point below
  it satisfies ``|w_k - a_k| <= h_k``.  Then ``<a, x> + sum_k h_k |x_k|`` bounds all its scores from
  above, ``<a, x> - sum_k h_k |x_k|`` from below.  The terms of either sum are at most ``M_k |x_k|``
  in size, ``M_k = max |w_k|`` over the box, so that rounding costs ``gamma_{D+1}`` of each sum and
  the rounded vectors ``3 u`` once: less than ``g sum_k M_k |x_k|`` together.  Instead of
  subtracting that at query time, `inflated_box` adds ``g M_k`` to every half-width once and for
  all: errors are paid for *coordinate by coordinate*, and one huge point does not blur the boxes of
  the others.
* **Folding.**  On X the last component of a normal is 1/2, up to 1e-9, so that with
  ``u = w + 2 b e_d``

      <w, x> + b = <u, x> + b (1 - 2 x_d)

  and engines on X store u, one coordinate less.  The component ``u_d`` is rounded to float64 and
  then to float32, both relative to ``|w_d + 2 b|`` itself even where that is a small difference of
  large numbers, which the surplus of ``g`` over ``gamma_{D+2}`` pays for.  The last term vanishes
  at ``x_d = 1/2`` and is otherwise paid for by each query: `folded` moves `below` and `above` by
  ``|1 - 2 x_d|`` times the largest ``|b|``.  What is in doubt is settled from w, b and x as given.
* **Underflow** loses at most ``2**-126`` in each operation and each conversion (also on processors
  that flush subnormal numbers to zero), at most ``(D + 4) 2**-100`` in all: the absolute part of
  the band, far below anything that matters.

Before changing a constant: the proofs above are what the tests against exact rational arithmetic
sample, at random and at the worst places (all points on the hyperplane, duplicates, one huge row).

**Pieces.**  The half-spaces of one call (QUERY of Algorithm 2) are independent, so that they may be
cut into pieces anywhere: the answer is the same.  Pieces bound the memory, since an engine works
with a few times the output of a piece and never of the whole call.  The rows of all pieces go into
one buffer, which grows in place; at the end they are translated to ids, in place too.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from sublinear_lib import predicates
from sublinear_lib._typing import BoolArray, Float32Array, FloatArray, Int32Array, IntArray
from sublinear_lib.halfspace.kernels import Batch, Filtered, KernelSet, Output
from sublinear_lib.halfspace.protocol import HalfspaceHits, HalfSpaces, PointStore, as_span

__all__ = [
    "Engine",
    "inflated_box",
    "norms",
    "radii",
    "relative_error",
    "settle",
]

HEADROOM = 20
"""Points may grow by ``2**HEADROOM`` after the scale was chosen before it must be chosen anew."""

_UNIT = 2.0**-24
_FAR = 2.0**100


def relative_error(dimension: int) -> float:
    """Return ``g = (2 D + 16) 2**-24``, the relative error bound of a float32 score."""
    return (2 * dimension + 16) * _UNIT


def round_up(values: FloatArray) -> Float32Array:
    """Round to float32, never down."""
    return np.nextafter(values.astype(np.float32), np.float32(np.inf))


class Scale(NamedTuple):
    """The power of two that brings the stored points to size one."""

    exponent: int

    @classmethod
    def fitting(cls, largest: float) -> Scale:
        """Return the scale for points whose largest absolute coordinate is `largest`."""
        return cls(int(np.frexp(largest)[1]))

    def fits(self, largest: float) -> bool:
        """Return whether points of this size stay within the headroom."""
        return largest == 0.0 or int(np.frexp(largest)[1]) <= self.exponent + HEADROOM

    def is_coarse_for(self, largest: float) -> bool:
        """Return whether another scale would leave points of this size more of float32's range."""
        return int(np.frexp(largest)[1]) < self.exponent - HEADROOM

    def rounded(self, store: PointStore, rows: IntArray, fold: bool = False) -> Float32Array:
        """Return some rows of the store, scaled and rounded to float32."""
        where = as_span(rows)
        points = store.points[where]
        dimension = store.d if fold else store.dimension
        scaled = np.empty((len(points), dimension), dtype=np.float32)
        with np.errstate(under="ignore"):
            self._shift(points, scaled[:, : store.d])
            if store.bias is not None and not fold:
                self._shift(store.bias[where], scaled[:, -1])
            if store.bias is not None and fold:
                last = np.ldexp(points[:, -1], -self.exponent)
                last += 2.0 * np.ldexp(store.bias[where], -self.exponent)
                scaled[:, -1] = last
        return scaled

    def _shift(self, values: FloatArray, out: Float32Array) -> None:
        if abs(self.exponent) <= 1000:  # then the factor is a normal number: same result, faster
            np.multiply(values, 2.0**-self.exponent, out=out, casting="same_kind")
        else:
            np.ldexp(values, -self.exponent, out=out, casting="same_kind")


def prepare(normals: FloatArray, offsets: FloatArray, biased: bool, scale: Scale) -> Batch:
    """Bring half-spaces to the units of the filter."""
    q, d = normals.shape
    dimension = d + biased
    largest = np.abs(normals).max(axis=1, initial=1.0 if biased else 0.0)
    exponents = np.frexp(largest)[1].astype(np.int32)
    vectors = np.empty((q, dimension), dtype=np.float32)
    with np.errstate(over="ignore", under="ignore"):
        vectors[:, :d] = np.ldexp(normals, -exponents[:, None])
        if biased:
            vectors[:, d] = np.ldexp(1.0, -exponents)
        else:
            # Some linear algebra libraries skip zeros, which would turn the NaN of a dead row into
            # a score.  This much is within the margin below and keeps it NaN.
            vectors[largest == 0.0, 0] = 2.0**-126
        # All scores are below _FAR, so clipping there changes no answer and keeps float32 finite.
        levels = np.clip(np.ldexp(offsets, -(exponents + scale.exponent)), -_FAR, _FAR)
        # Pays for rounding the level to float32 and for subtracting the slack from it.
        margin = 4.0 * _UNIT * np.abs(levels) + (dimension + 4) * 2.0**-100
        wide = vectors.astype(np.float64)
        lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide)) * (1.0 + 2.0**-20)
        return Batch(
            vectors,
            -round_up(margin - levels),
            round_up(levels + margin),
            round_up(relative_error(dimension) * lengths),
        )


def folded(batch: Batch, normals: FloatArray, largest_bias: float, scale: Scale) -> Batch:
    """Turn half-spaces for points with a bias into those for points with the bias folded in."""
    # The component of the bias is the power of two by which the normal was scaled.
    unit = batch.vectors[:, -1].astype(np.float64)
    largest = np.ldexp(largest_bias, -scale.exponent)
    missed = np.abs(1.0 - 2.0 * normals[:, -1]) * (unit * largest) * (1.0 + 2.0**-50)
    vectors = np.ascontiguousarray(batch.vectors[:, :-1])
    if not missed.any():
        return Batch(vectors, *batch[1:])
    below, above = -round_up(missed - batch.below), round_up(missed + batch.above)
    return Batch(vectors, below, above, batch.spread)


def norms(points: Float32Array) -> Float32Array:
    """Return the norms of the rows, rounded up."""
    squares = np.einsum("ij,ij->i", points, points).astype(np.float64)
    # A sum of D squares in float32 loses less than (D + 1) u of itself, and D 2**-126 by underflow.
    dimension = points.shape[1]
    return round_up(
        np.sqrt(squares * (1.0 + 2.0 * (dimension + 1) * _UNIT) + dimension * 2.0**-126)
    )


def radii(low: Float32Array, high: Float32Array) -> Float32Array:
    """Return the norm of the farthest corner of each box, rounded up."""
    corner = np.maximum(np.abs(low), np.abs(high)).astype(np.float64)
    return round_up(np.sqrt(np.einsum("ij,ij->i", corner, corner)) * (1.0 + 2.0**-20))


def inflated_box(
    low: Float32Array | FloatArray, high: Float32Array | FloatArray
) -> tuple[Float32Array, Float32Array]:
    """Return centers and half-widths that also pay for the rounding of the box test."""
    wide_low, wide_high = low.astype(np.float64), high.astype(np.float64)
    center = ((wide_low + wide_high) * 0.5).astype(np.float32)
    exact = center.astype(np.float64)
    half = np.maximum(wide_high - exact, exact - wide_low)
    size = np.maximum(np.abs(wide_low), np.abs(wide_high))
    inflation = relative_error(low.shape[1])
    return center, round_up(half + inflation * size)


_REPORT = Output()
_COUNT = Output(count_only=True)
_NUMBERS_AT_ONCE = 2**18
# A piece is planned to find so many ids, 64 MiB of them, ...
_IDS_PER_PIECE = 2**24
# ... and while nothing is known about how many a query finds, it could find at most so many.
_IDS_OF_FIRST_PIECE = 2**27
_FEWEST_AT_ONCE, _MOST_AT_ONCE = 256, 2**15
_GROWTH = 1.05
_TRANSLATED_AT_ONCE = 2**20


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


class Work(NamedTuple):
    """Counters of the work done by queries."""

    nodes_visited: int
    """Inner nodes and leaves opened; 0 for a structure without nodes."""
    points_tested: int
    """Points whose score was computed."""
    points_reported_untested: int
    """Points reported or counted because everything below a node lay inside."""
    pairs_settled: int
    """Pairs that float32 could not decide, and float64 or exact arithmetic did."""


class Engine(ABC):
    """A half-space structure on top of the float32 filter, as the facade asks it.

    It reads the points from the store it was made with and speaks in *rows* of that store; the
    facade validates, and changes the store before it tells the engine which rows changed.
    """

    name: str
    """The value of ``method=`` that selects this engine."""

    def __init__(self, store: PointStore, kernels: KernelSet, domain: str | None = None) -> None:
        self._store = store
        self._folded = domain is not None and store.biased
        self._dimension = store.d if self._folded else store.dimension
        self._largest_bias = 0.0
        self._kernels = kernels
        self.rebuilds = 0
        """How many times the structure was built anew after INIT."""
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
    def work(self) -> Work:
        """The work done by all queries so far."""
        return Work(*self._work.tolist())

    def rebuild(self) -> None:
        """Build the structure anew from all live rows of the store."""
        self.rebuilds += 1
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

    # -- pieces --------------------------------------------------------------------------------

    def count_in_pieces(self, asked: HalfSpaces) -> IntArray:
        """Count the points in each half-space."""
        q, step = len(asked.offsets), self._first_piece
        if q <= step:
            return self.count(*asked)
        return np.concatenate(
            [self.count(*asked.part(queries)) for queries in _consecutive(q, step)]
        )

    def report(
        self,
        asked: HalfSpaces,
        *,
        sort: bool,
        out: Int32Array | None = None,
        as_rows: bool = False,
    ) -> HalfspaceHits:
        """Report the ids (or rows) of the points in each half-space, piece by piece."""
        if len(asked.offsets) <= self._first_piece:
            found = self.query(*asked, Output(sort=sort, out=out))
            if out is None and (as_rows or self._store.rows_are_ids):
                return found
            indptr, rows = found.indptr, found.indices
            if out is not None:
                rows = _moved_to(out, rows)
        else:
            indptr, rows = self._collected(asked, sort, out)
        if not as_rows and not self._store.rows_are_ids:
            for start in range(0, len(rows), _TRANSLATED_AT_ONCE):
                part = rows[start : start + _TRANSLATED_AT_ONCE]
                part[...] = self._store.ids_of(part)
        return HalfspaceHits._trusted(indptr, rows)

    def report_in_pieces(
        self, asked: HalfSpaces, *, sort: bool, ids_at_once: int, as_rows: bool = False
    ) -> Iterator[tuple[slice, HalfspaceHits]]:
        """Report piece after piece, none larger than asked for unless a single query is."""
        for queries in self._planned(asked, ids_at_once):
            yield queries, self.report(asked.part(queries), sort=sort, as_rows=as_rows)

    @property
    def _first_piece(self) -> int:
        """How many queries to ask at once while it is not known how much they find."""
        fitting = _IDS_OF_FIRST_PIECE // max(1, self._store.live)
        return min(max(fitting, _FEWEST_AT_ONCE), _MOST_AT_ONCE)

    def _planned(self, asked: HalfSpaces, ids_at_once: int) -> Iterator[slice]:
        """Cut queries into pieces that find at most so many ids, or consist of a single query."""
        q = len(asked.offsets)
        # No query finds more than all points, so that these cannot find too many together.
        safe = min(ids_at_once // max(1, self._store.live), _MOST_AT_ONCE)
        if safe >= min(_FEWEST_AT_ONCE, max(q, 1)):
            yield from _consecutive(q, safe)
            return
        # So few at once would be slow: count first, and take as many as fit.
        for block in _consecutive(q, _FEWEST_AT_ONCE):
            before = np.zeros(block.stop - block.start + 1, dtype=np.int64)
            np.cumsum(self.count_in_pieces(asked.part(block)), out=before[1:])
            start = 0
            while start < len(before) - 1:
                fitting = (
                    int(np.searchsorted(before, before[start] + ids_at_once, side="right")) - 1
                )
                stop = max(start + 1, fitting)
                yield slice(block.start + start, block.start + stop)
                start = stop

    def _collected(
        self, asked: HalfSpaces, sort: bool, out: Int32Array | None
    ) -> tuple[IntArray, Int32Array]:
        """Report the rows of all half-spaces, piece by piece."""
        q = len(asked.offsets)
        indptr = np.zeros(q + 1, dtype=np.int64)
        rows = np.empty(0, dtype=np.int32) if out is None else out
        used = start = 0
        size = self._first_piece
        while start < q:
            stop = min(start + size, q)
            room = rows[used:] if used < len(rows) else None
            hits = self.query(*asked.part(slice(start, stop)), Output(sort=sort, out=room))
            found = hits.indices
            end = used + len(found)
            if end > len(rows):
                if out is not None:
                    rest = asked.part(slice(stop, q))
                    raise _too_short(end + int(self.count(*rest).sum()), out)
                # What does not fit is no view of the buffer, so that nobody looks at what moves.
                rows.resize(max(end, int(_GROWTH * end * q / stop)), refcheck=False)
            if not np.may_share_memory(found, rows):
                rows[used:end] = found
            indptr[start + 1 : stop + 1] = hits.indptr[1:] + used
            used, start = end, stop
            fitting = _IDS_PER_PIECE * start // max(1, used)
            size = min(4 * size, max(_FEWEST_AT_ONCE, fitting), _MOST_AT_ONCE)
        if out is not None:
            return indptr, out[:used]
        rows.resize(used, refcheck=False)
        return indptr, rows


def _consecutive(q: int, step: int) -> Iterator[slice]:
    for start in range(0, q, step):
        yield slice(start, min(start + step, q))


def _moved_to(out: Int32Array, rows: Int32Array) -> Int32Array:
    """Return rows at the beginning of a buffer, where an engine may have put them already."""
    if len(rows) > len(out):
        raise _too_short(len(rows), out)
    place = out[: len(rows)]
    if not np.may_share_memory(rows, out):
        place[...] = rows
    return place


def _too_short(needed: int, out: Int32Array) -> ValueError:
    return ValueError(
        f"out must have room for all ids, of which there are {needed}, got length {len(out)}"
    )
