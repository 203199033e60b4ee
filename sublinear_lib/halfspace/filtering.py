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
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sublinear_lib._typing import Float32Array, FloatArray, IntArray
from sublinear_lib.halfspace.store import PointStore, as_span

__all__ = [
    "LARGEST_DIMENSION",
    "Batch",
    "Scale",
    "folded",
    "inflated_box",
    "norms",
    "prepare",
    "radii",
    "relative_error",
    "round_up",
]

LARGEST_DIMENSION = 2**20
"""The error bounds are proved up to this many coordinates."""

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
