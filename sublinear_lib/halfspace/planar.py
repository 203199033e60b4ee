"""Exact questions of plane geometry, which the classical structures of Corollary 5.2 ask.

Convex layers, partition trees and arcs are searched by comparing: is this point beyond the line,
does the edge rise in this direction, do these three points turn left?  Every question here is
answered in *real arithmetic on the stored float64 numbers*: a float64 value decides when its error
bound allows it, and :mod:`sublinear_lib.predicates` does otherwise, for each question is the sign
of a sum of products of stored numbers.  Before changing a bound: with ``u = 2**-53``, a difference,
a product and a sum cost ``3 u`` of the sum of the absolute products (Shewchuk's bound A for the
orientation), and the bounds below take ``8 u``.  Underflow costs at most ``2**-1022`` in each
operation, also where subnormal numbers are flushed to zero; an overflow leaves a value or a bound
that is not finite, and then the exact path decides.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sublinear_lib import predicates, validation
from sublinear_lib._typing import BoolArray, FloatArray, Int32Array, IntArray
from sublinear_lib.halfspace.protocol import HalfspaceHits, read_half_spaces, refuse_too_many

__all__ = [
    "HalfPlane",
    "PlaneStructure",
    "collect",
    "orientation",
    "orientations",
    "planar_points",
    "sides",
]

_RELATIVE = 2.0**-50
_ABSOLUTE = 2.0**-1018


def planar_points(points: object) -> FloatArray:
    """Return a private copy of points of the plane, of which there are few enough for int32 ids."""
    array = validation.float_array(points, "points", shape=("m", 2), allow_empty=True)
    refuse_too_many(len(array))
    return array.copy()


def collect(answers: Sequence[Int32Array | IntArray]) -> HalfspaceHits:
    """Join the ascending ids of each query into one answer."""
    indptr = np.zeros(len(answers) + 1, dtype=np.int64)
    np.cumsum([len(ids) for ids in answers], out=indptr[1:])
    indices = np.empty(int(indptr[-1]), dtype=np.int32)
    for ids, start, stop in zip(answers, indptr[:-1], indptr[1:], strict=True):
        indices[start:stop] = ids
    return HalfspaceHits(indptr, indices)


class HalfPlane:
    """One half-plane ``<u, p> > c`` (or ``>=``) and exact answers about it."""

    def __init__(self, u: Sequence[float], c: float, strict: bool) -> None:
        self.u_x, self.u_y = u
        self.c = c
        self._strict = strict

    def contains(self, x: float, y: float) -> bool:
        """Decide whether a point lies in the half-plane."""
        first, second = self.u_x * x, self.u_y * y
        margin = first + second - self.c
        if _RELATIVE * (abs(first) + abs(second)) + _ABSOLUTE < abs(margin) < np.inf:
            return margin > 0.0
        sign = predicates.exact_sign((self.u_x, self.u_y), 0.0, (x, y), self.c)
        return sign > 0 if self._strict else sign >= 0

    def slope(self, p: tuple[float, float], q: tuple[float, float]) -> int:
        """Return the sign of ``<u, q> - <u, p>``: +1 if the way from p to q leads into it."""
        first, second = self.u_x * (q[0] - p[0]), self.u_y * (q[1] - p[1])
        rise = first + second
        flushed = _ABSOLUTE * (1.0 + abs(self.u_x) + abs(self.u_y))
        if _RELATIVE * (abs(first) + abs(second)) + flushed < abs(rise) < np.inf:
            return 1 if rise > 0.0 else -1
        normal = (self.u_x, self.u_y)
        return predicates.exact_sign((*normal, *normal), 0.0, (*q, -p[0], -p[1]), 0.0)

    def select(self, points: FloatArray) -> BoolArray:
        """Decide which of many points lie in the half-plane."""
        normal = np.array([[self.u_x, self.u_y]])
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            products = points * normal
            margins = products[:, 0] + products[:, 1] - self.c
            bounds = _RELATIVE * np.abs(products).sum(axis=1) + _ABSOLUTE
            certain = (bounds < np.abs(margins)) & (np.abs(margins) < np.inf)
        inside: BoolArray = margins > 0.0
        rows = np.flatnonzero(~certain)
        if len(rows):
            here = np.zeros(len(rows), dtype=np.int64)
            signs = predicates.exact_signs(points, None, normal, self.c, here, rows)
            inside[rows] = signs > 0 if self._strict else signs >= 0
        return inside


class PlaneStructure(ABC):
    """What the structures for points of the plane share: how they are asked."""

    def query_halfspace(
        self, normals: object, offsets: object, *, strict: bool = True
    ) -> HalfspaceHits:
        """Report the points in each of a batch of half-planes.

        Parameters
        ----------
        normals : array-like, shape (q, 2)
            The normals ``x``; any finite vectors, of any length.  ``q = 0`` is allowed.
        offsets : float or array-like, shape (q,)
            The offsets ``c``, absolute units: one for all, or one for each.
        strict : bool, default True
            Report ``<p_r, x> > c`` or, if false, ``>=``.

        Returns
        -------
        HalfspaceHits
            The ids of each query, ascending (which adds a sort of the answer).

        Raises
        ------
        TypeError, ValueError
            If an argument is of the wrong type, shape or value.

        Notes
        -----
        Source: QUERY in Algorithm 2.
        """
        vectors, levels, strictly = read_half_spaces(normals, offsets, strict, 2)
        planes = zip(vectors.tolist(), levels.tolist(), strict=True)
        inside = (self._inside(HalfPlane(normal, level, strictly)) for normal, level in planes)
        return collect([np.sort(ids) for ids in inside])

    @abstractmethod
    def _inside(self, plane: HalfPlane) -> Int32Array:
        """Return the ids of the points in a half-plane."""


def orientation(p: tuple[float, float], q: tuple[float, float], r: tuple[float, float]) -> int:
    """Return +1 if the way from p over q to r turns left, -1 if right, 0 if it is straight."""
    p_x, p_y = p
    d_x, d_y, e_x, e_y = q[0] - p_x, q[1] - p_y, r[0] - p_x, r[1] - p_y
    left, right = d_x * e_y, d_y * e_x
    turn = left - right
    flushed = _ABSOLUTE * (1.0 + abs(d_x) + abs(d_y) + abs(e_x) + abs(e_y))
    if _RELATIVE * (abs(left) + abs(right)) + flushed < abs(turn) < np.inf:
        return 1 if turn > 0.0 else -1
    # p x q + q x r + r x p: the determinant as a sum of six products of stored numbers.
    partners = (q[1], -q[0], r[1], -r[0], p[1], -p[0])
    return predicates.exact_sign((*p, *q, *r), 0.0, partners, 0.0)


def orientations(p: FloatArray, q: FloatArray, r: FloatArray) -> NDArray[np.int8]:
    """Return the orientation of many triples of points, each of shape (k, 2)."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        d, e = q - p, r - p
        flushed = _ABSOLUTE * (1.0 + np.abs(d).sum(axis=1) + np.abs(e).sum(axis=1))
        signs, rows = _turns(d[:, 0] * e[:, 1], d[:, 1] * e[:, 0], flushed)
    if len(rows):
        p, q, r = p[rows], q[rows], r[rows]
        partners = np.hstack((q[:, ::-1], r[:, ::-1], p[:, ::-1])) * [1, -1, 1, -1, 1, -1]
        signs[rows] = _signs(np.hstack((p, q, r)), partners)
    return signs


def sides(origin: FloatArray, direction: FloatArray, points: FloatArray) -> NDArray[np.int8]:
    """Return +1 for points left of an oriented line, -1 right of it, 0 on it."""
    d_x, d_y = direction
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        e = points - origin
        flushed = _ABSOLUTE * (1.0 + abs(d_x) + abs(d_y))
        signs, rows = _turns(d_x * e[:, 1], d_y * e[:, 0], flushed)
    if len(rows):
        # d_x (p_y - o_y) - d_y (p_x - o_x) is a sum of four products.
        terms = np.hstack((points[rows], np.broadcast_to(origin, (len(rows), 2))))
        partners = np.broadcast_to([-d_y, d_x, d_y, -d_x], (len(rows), 4))
        signs[rows] = _signs(terms, partners)
    return signs


def _turns(
    left: FloatArray, right: FloatArray, flushed: FloatArray | float
) -> tuple[NDArray[np.int8], IntArray]:
    """Return the signs of differences, and where rounding may have decided them."""
    turn = left - right
    bound = _RELATIVE * (np.abs(left) + np.abs(right)) + flushed
    certain = (bound < np.abs(turn)) & (np.abs(turn) < np.inf)
    signs = (turn > 0.0).astype(np.int8) - (turn < 0.0).astype(np.int8)
    return signs, np.flatnonzero(~certain)


def _signs(left: FloatArray, right: FloatArray) -> NDArray[np.int8]:
    """Return the exact signs of the inner products of corresponding rows."""
    rows = np.arange(len(left))
    return predicates.exact_signs(left, None, np.ascontiguousarray(right), 0.0, rows, rows)
