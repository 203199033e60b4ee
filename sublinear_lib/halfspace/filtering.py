"""The float32 filter: which pairs a fast score decides, and how the others are settled.

Engines never compare a score with the threshold itself.  They compute float32 scores of scaled
copies and compare them with two bounds, ``below`` and ``above``: outside the band the float32 score
*proves* the answer, inside it the pair is doubtful and `settle` decides it from the stored float64
numbers, by a float64 score with its own bound and, for the last few, exactly
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

**Kernels** are the inner loops of the engines, in two sets with one interface.  A kernel answers
the float32 half of a query (:mod:`sublinear_lib.halfspace.filtering`): it returns every pair that
is certainly inside, and every pair it cannot decide, which the engine then settles exactly.  The
sets ``"numba"`` (compiled loops) and ``"numpy"`` (vectorized array operations) may therefore
disagree about which pairs are doubtful, never about an answer.  This module holds the flat arrays
that kernels read and the choice between the sets; nothing is compiled or imported from numba before
the first query of an index that uses it.  Set the environment variable ``SUBLINEAR_NUMBA=0`` to do
without numba altogether.

**Sums.**  A *column* is a number that every point carries and that is summed over a half-space: the
weight, weight times bias, weight times each coordinate.  Besides the boxes of a
:class:`~sublinear_lib.halfspace.filtering.FlatTree` there are the columns of the points, lane by
lane, and their sums for every node.  A summing kernel walks down like a search, but adds the sums
of a node that lies inside instead of listing its points.  It adds only what float32 proves to be
inside and returns the doubtful pairs apart (:mod:`sublinear_lib.halfspace.filtering`), so both sets
of loops sum the same set of points, though not in the same order.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from sublinear_lib._typing import Float32Array, FloatArray, Int32Array, IntArray
from sublinear_lib.halfspace.protocol import Output
from sublinear_lib.halfspace.store import PointStore, as_span

__all__ = [
    "FANOUT",
    "GROUP",
    "LANES",
    "Batch",
    "Filtered",
    "FlatTree",
    "KernelSet",
    "NodeSums",
    "PointBlocks",
    "Scale",
    "Summed",
    "folded",
    "halved",
    "inflated_box",
    "joined",
    "longer",
    "norms",
    "prepare",
    "radii",
    "relative_error",
    "round_up",
    "trimmed",
]

HEADROOM = 20
"""Points may grow by ``2**HEADROOM`` after the scale was chosen before it must be chosen anew."""

_UNIT = 2.0**-24
_FAR = 2.0**100


def relative_error(dimension: int) -> float:
    """Return ``g = (2 D + 16) 2**-24``, the relative error bound of a float32 score."""
    return (2 * dimension + 16) * _UNIT


class Batch(NamedTuple):
    """A batch of half-spaces in the units of the filter.

    The float32 score of a point in a group of radius ``R`` is certainly outside if it is
    ``< below - spread * R`` and certainly inside if it is ``> above + spread * R``; the upper and
    lower bound of a box are compared with `below` and `above` as they are.
    """

    vectors: Float32Array
    """Scaled and rounded normals, shape (q, D)."""
    below: Float32Array
    """Shape (q,)."""
    above: Float32Array
    """Shape (q,)."""
    spread: Float32Array
    """``g ||x||``, rounded up, shape (q,)."""

    def part(self, start: int, stop: int) -> Batch:
        """Return the queries from `start` to before `stop`."""
        return Batch(*(field[start:stop] for field in self))


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


FANOUT = 32
"""Children of an inner node: few levels, and a whole number of vector registers everywhere."""

LANES = 64
"""Places for points in a leaf of the tree: the bits of a machine word."""

GROUP = 64
"""Places of a table that share an error bound and a ceiling."""


_LARGEST_GROWTH = 8


class FlatTree(NamedTuple):
    """A wide tree of boxes over blocks of points, as flat arrays.

    Leaf ``i`` holds the points of its lanes ``0, ..., live[i] - 1``.  Level 0 is the leaves; item
    ``i`` of level ``l + 1`` is the parent of the items ``FANOUT i, ..., FANOUT i + FANOUT - 1`` of
    level ``l``, and their boxes lie together in *group* ``first[l] + i``, one lane per child.  All
    leaves below a node are therefore consecutive.  Free lanes, empty leaves and missing children
    are NaN, for which every comparison of the search is false: they need no test of their own.
    """

    coordinates: Float32Array
    """Scaled and rounded points, shape (leaves, D, LANES): one coordinate after the other."""
    rows: Int32Array
    """Rows of the store, -1 in free lanes, shape (leaves, LANES)."""
    live: Int32Array
    """Points in each leaf, shape (leaves,)."""
    live_before: IntArray
    """Points in all leaves before each, shape (leaves + 1,)."""
    radius: Float32Array
    """Norm of the farthest corner of each leaf's box, rounded up, shape (leaves,)."""
    center: Float32Array
    """Centers of the boxes, shape (groups, D, FANOUT)."""
    half: Float32Array
    """Inflated half-widths of the boxes, shape (groups, D, FANOUT)."""
    first: IntArray
    """First group of each level, then the number of groups; the last level has one group."""
    leaves: IntArray
    """The number of leaves in use, shape (1,); later ones are spare."""
    row_bound: IntArray
    """One more than the largest row, shape (1,)."""


class PointBlocks(NamedTuple):
    """Points in blocks, for the scan (:class:`~sublinear_lib.halfspace.scan.Blocks`)."""

    coordinates: Float32Array
    """Scaled and rounded points, one coordinate of a block after the other, shape (blocks, D,
    width); place ``i`` is ``[i // width, :, i % width]``.  Places without a point are NaN."""
    size: int
    """Places in use."""
    radius: Float32Array
    """The largest norm in each group of `GROUP` places, rounded up."""
    rows: Int32Array | None = None
    """Rows of the store; by default place ``i`` holds row ``i``."""
    ceiling: FloatArray | None = None
    """A number for each group; the group matters to a query only if it reaches its level."""


class Filtered(NamedTuple):
    """What a kernel found out: a superset of the answer, and the pairs that are in doubt."""

    counts: IntArray
    """Pairs per query that are certain or doubtful, shape (q,)."""
    rows: Int32Array
    """Their rows, query by query and ascending if asked; empty when only counts were asked."""
    doubtful_queries: Int32Array
    """Queries of the doubtful pairs, shape (j,)."""
    doubtful_rows: Int32Array
    """Rows of the doubtful pairs, shape (j,)."""
    work: IntArray
    """Nodes visited, points tested and points taken untested, shape (3,)."""


def joined(parts: list[Filtered]) -> Filtered:
    """Join the results of consecutive queries."""
    if not parts:
        nothing = np.empty(0, dtype=np.int32)
        zero = np.zeros(3, dtype=np.int64)
        return Filtered(np.empty(0, dtype=np.int64), nothing, nothing, nothing, zero)
    if len(parts) == 1:
        return parts[0]
    counts, rows, queries, doubtful, work = zip(*parts, strict=True)
    return Filtered(
        np.concatenate(counts),
        np.concatenate(rows),
        np.concatenate(queries),
        np.concatenate(doubtful),
        np.sum(work, axis=0),
    )


def longer(buffer: Int32Array, used: int, needed: int, done: int, total: int) -> Int32Array:
    """Return a buffer with the same contents and enough free places.

    It is made long enough for all parts of the work if they are like those done, within reason: one
    large part must not make room for thousands of its size.
    """
    if used + needed <= len(buffer):
        return buffer
    expected = int(1.1 * used * total / max(done, 1)) + needed
    length = max(2 * len(buffer), min(expected, _LARGEST_GROWTH * len(buffer)), used + needed)
    grown = np.empty(length, dtype=np.int32)
    grown[:used] = buffer[:used]
    return grown


def trimmed(buffer: Int32Array, used: int) -> Int32Array:
    """Return the used part of a buffer; a copy where that frees more than it costs."""
    return buffer[:used] if 2 * used > len(buffer) else buffer[:used].copy()


class NodeSums(NamedTuple):
    """The columns of the points and of the nodes of a tree."""

    values: FloatArray
    """Columns of the points, shape (leaves, columns, lanes); zero in free lanes."""
    sums: FloatArray
    """Sums of the columns below each node, shape (groups, FANOUT, columns)."""
    magnitudes: FloatArray
    """Sums of the absolute values, in the same shape."""


class Summed(NamedTuple):
    """What a kernel found out about a batch of half-spaces."""

    counts: IntArray
    """Points that are certainly inside, shape (q,)."""
    sums: FloatArray
    """Sums of their columns, shape (q, columns)."""
    magnitudes: FloatArray
    """Sums of the absolute values, shape (q, columns); zero unless they were asked for."""
    pieces: IntArray
    """How many nodes and leaves were added up for each query, shape (q,)."""
    doubtful_queries: Int32Array
    """Queries of the pairs that float32 does not decide, shape (j,)."""
    doubtful_rows: Int32Array
    """Rows of these pairs, shape (j,)."""
    work: IntArray
    """Nodes visited, points tested and points summed untested, shape (3,)."""


class KernelSet(Protocol):
    """The loops an engine needs."""

    @property
    def name(self) -> str:
        """The value of ``kernels=`` that selects this set."""

    def search(self, tree: FlatTree, batch: Batch, output: Output) -> Filtered:
        """Walk down the tree for every query."""

    @property
    def block(self) -> int:
        """Places in a block of a table, a multiple of `GROUP`."""

    def scan(
        self, table: PointBlocks, batch: Batch, output: Output, levels: FloatArray | None = None
    ) -> Filtered:
        """Score every point for every query, or those in the groups that reach its level."""

    def sum_up(self, tree: FlatTree, sums: NodeSums, batch: Batch, *, bounds: bool) -> Summed:
        """Walk down a tree with sums for every query and add up."""


def halved(values: FloatArray) -> FloatArray:
    """Sum over the last axis by halves.

    Every term passes through ``ceil(log2(k))`` additions and no more, which is what the error bound
    counts; `numpy.sum` promises no order.
    """
    while values.shape[-1] > 1:
        middle = -(-values.shape[-1] // 2)
        left = values[..., :middle].copy()
        left[..., : values.shape[-1] - middle] += values[..., middle:]
        values = left
    return values[..., 0]
