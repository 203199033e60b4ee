"""Arcs of activity: reporting in O(log m + k) for data on X with d = 3 and one fixed threshold.

The data of the paper lie on X = {x : ||x|| = 1, x_d = 1/2} (Section 3.2).  For d = 3 that is a
circle, ``x = (s cos phi, s sin phi, 1/2)`` with ``s = sqrt(3)/2``, and the pre-activation of a
neuron on it is one cosine,

    <w, x> + b = rho s cos(phi - phi_w) + w_3 / 2 + b,   rho e^{i phi_w} = w_1 + i w_2,

so that for a fixed threshold tau the neuron is active on one open arc, everywhere or nowhere.
Finding the neurons that fire at x is then *stabbing intervals* with one angle: the logarithmic
query of Corollary 5.2 with linear space, because the threshold never changes.  For d = 2 the set X
has two points, phi = 0 and phi = pi, and the same structure serves.

What differs from the textbook (Chazelle 1986, *Filtering search*):

1. *Windows close also when arcs end.*  The circle is cut into windows, each with a list of all arcs
   that meet it; a query looks up its window and filters the list.  A window closes before its list
   would be longer than twice the smallest number of arcs above any of its angles, whether because
   an arc begins or because one ends.  So at most ``2 max(k, 8)`` arcs are looked at for ``k`` hits.
2. *The ends of arcs only filter.*  Each neuron has an outer arc, outside of which it is certainly
   inactive, and an inner arc, inside of which it is certainly active.  What lies between is decided
   in real arithmetic on the stored numbers (:mod:`sublinear_lib.predicates`).
3. *Neurons that fire everywhere or nowhere* on X are in no list.

Know before changing a constant: let ``a`` be the tolerance with which a query point may miss X.
Then its distance from the axis is within ``1.8 a`` of s (because ``| ||x||^2 - x_3^2 - 3/4 |
<= 3 a + 2 a^2``) and its height within ``a`` of 1/2, so that the cosine above misses the true
pre-activation by at most ``1.8 a rho + a |w_3|``.  All numbers of a neuron are first scaled by the
power of two that brings the largest of w, b and tau to size one, and the slack is
``2 a (rho + |w_3|) + 1e-14``: the absolute part pays for rounding the level, and ``0.2 a rho`` is
left for rounding angles, the cosine changing by no more than ``rho`` times their error, 1e-14.
For the same reason a query angle at the very end of an outer arc is no hit, and it does not matter
which of two neighboring windows an end belongs to.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sublinear_lib import predicates, validation
from sublinear_lib._typing import FloatArray, Int32Array, IntArray
from sublinear_lib.geometry import SLICE_RADIUS
from sublinear_lib.halfspace.alive import TOLERANCE
from sublinear_lib.halfspace.planar import collect
from sublinear_lib.halfspace.protocol import HalfspaceHits, read_half_spaces, refuse_too_many

__all__ = ["ArcStabbing"]

# How far queries may be off X, and what the rounding of that measurement hides.
_LOOSE = 1.1 * TOLERANCE
_ROUNDING = 1e-14
_NOWHERE, _EVERYWHERE = -1.0, 4.0  # half-widths that no distance and every distance is below
_NEARLY_ALL = math.pi - 1e-6
_SHORT = 8


class _Windows(NamedTuple):
    """The windows of the circle, from -pi to pi, and their lists."""

    start: FloatArray
    first: IntArray
    """Where each list starts, and where the last ends."""
    arcs: Int32Array


class ArcStabbing:
    """Exact reporting of the neurons that fire at points of X, for d = 3 and a fixed threshold.

    A query with ``k`` hits costs ``O(log m + k)``, memory is ``O(m)`` and building ``O(m log m)``.
    Neurons within about 1e-9 of the threshold are decided one by one; where thousands of them tie
    with it on all of X, a query costs as much as deciding them.  The structure is static and holds
    for one threshold: it has no INSERT and REMOVE.

    Parameters
    ----------
    points : array-like, shape (m, d)
        The weights ``w_r``, finite, ``d`` 2 or 3; ``m = 0`` is allowed.  Copied.
    bias : array-like, shape (m,), optional
        The biases ``b_r``; zero by default.  Copied.
    tau : float
        The threshold, absolute units, of any sign.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type, shape or value.

    Notes
    -----
    Source: Corollary 5.2, second regime, on the domain X of Section 3.2; Chazelle (1986),
    *Filtering search: a new approach to query-answering*.

    Examples
    --------
    >>> arcs = ArcStabbing([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], tau=0.4)
    >>> east, north = [3**0.5 / 2, 0.0, 0.5], [0.0, 3**0.5 / 2, 0.5]
    >>> [ids.tolist() for ids in arcs.query_halfspace([east, north], 0.4).split()]
    [[0, 2], [1, 2]]
    """

    def __init__(self, points: object, bias: object = None, *, tau: object) -> None:
        array = validation.float_array(points, "points", shape=("m", "d"), allow_empty=True)
        m, d = array.shape
        if d not in (2, 3):
            raise ValueError(f"points must have 2 or 3 columns, got shape {array.shape}")
        refuse_too_many(m)
        self._W: FloatArray = array.copy()
        self._b: FloatArray | None = None
        if bias is not None:
            self._b = validation.float_array(bias, "bias", shape=(m,), allow_empty=True).copy()
        self._tau = validation.scalar(tau, "tau")

        center, outer, inner = self._measure()
        everywhere, nowhere = inner == _EVERYWHERE, outer == _NOWHERE
        self._everywhere: Int32Array = np.flatnonzero(everywhere).astype(np.int32)
        self._ids: Int32Array = np.flatnonzero(~everywhere & ~nowhere).astype(np.int32)
        # Of the neurons in lists; they are numbered in the order of their ids.
        self._arcs: FloatArray = np.stack((center, outer, inner))[:, self._ids]
        self._windows = _sweep(self._arcs[0], self._arcs[1])

    def query_halfspace(
        self, normals: object, offsets: object, *, strict: bool = True
    ) -> HalfspaceHits:
        """Report the points in each of a batch of half-spaces, as the other structures do.

        Parameters
        ----------
        normals : array-like, shape (q, d)
            The normals: points of X (to 1e-9).
        offsets : float or array-like, shape (q,)
            The offsets: each must be `tau`, for which the structure was built.
        strict : bool, default True
            Report ``<p_r, x> + bias_r > tau`` or, if false, ``>=``.

        Returns
        -------
        HalfspaceHits
            The ids of each query, ascending.

        Raises
        ------
        TypeError, ValueError
            If an argument is of the wrong type, shape or value, a normal is not on X, or an offset
            is not `tau`.
        """
        d = self._W.shape[1]
        vectors, levels, strictly = read_half_spaces(normals, offsets, strict, d)
        other = np.flatnonzero(levels != self._tau)
        if len(other):
            raise ValueError(
                f"offsets must equal tau = {self._tau!r}, for which the arcs were built, "
                f"got {float(levels[other[0]])!r} at index {int(other[0])}"
            )
        if len(vectors):
            vectors = validation.points_on_slice(vectors, "normals", atol=TOLERANCE)
        return self._stab(vectors, strictly)

    def __len__(self) -> int:
        """Return the number of neurons."""
        return len(self._W)

    def __repr__(self) -> str:
        """Return the sizes and the threshold."""
        bias = "" if self._b is None else ", biased"
        return f"ArcStabbing(m={len(self)}, d={self._W.shape[1]}{bias}, tau={self._tau!r})"

    # -- behind the scenes ---------------------------------------------------------------------

    def _measure(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the angle of each neuron and the half-widths of its outer and inner arc."""
        m, d = self._W.shape
        numbers = np.zeros((m, 5))
        numbers[:, 0] = self._W[:, 0]
        numbers[:, 1] = self._W[:, 1] if d == 3 else 0.0
        numbers[:, 2] = self._W[:, -1]
        numbers[:, 3] = 0.0 if self._b is None else self._b
        numbers[:, 4] = self._tau
        exponents = np.frexp(np.abs(numbers).max(axis=1))[1]
        east, north, height, bias, tau = np.ldexp(numbers, -exponents[:, None]).T
        length = np.hypot(east, north)
        level = tau - height / 2.0 - bias
        slack = 2.0 * _LOOSE * (length + np.abs(height)) + _ROUNDING
        reach = length * SLICE_RADIUS
        outer = _half_widths(level - slack, reach)
        inner = _half_widths(level + slack, reach)
        outer[outer > _NEARLY_ALL] = _EVERYWHERE  # so that the two ends of an arc are apart
        return np.arctan2(north, east), outer, inner

    def _stab(self, X: FloatArray, strict: bool) -> HalfspaceHits:
        north = X[:, 1] if X.shape[1] == 3 else np.zeros(len(X))
        angles = np.arctan2(north, X[:, 0])
        windows = np.searchsorted(self._windows.start[1:], angles, side="right")
        answers = []
        for i, (angle, window) in enumerate(zip(angles, windows, strict=True)):
            part = slice(self._windows.first[window], self._windows.first[window + 1])
            arcs = self._windows.arcs[part]
            center, outer, inner = self._arcs[:, arcs]
            distance = np.abs(angle - center)
            np.minimum(distance, 2.0 * math.pi - distance, out=distance)
            active = distance <= inner
            doubtful = np.flatnonzero((distance <= outer) & ~active)
            if len(doubtful):
                here = np.full(len(doubtful), i)
                rows = self._ids[arcs[doubtful]].astype(np.int64)
                signs = predicates.exact_signs(self._W, self._b, X, self._tau, here, rows)
                active[doubtful] = signs > 0 if strict else signs >= 0
            ids = self._ids[arcs[active]]
            # Two ascending runs: a stable sort merges them in one pass.
            answers.append(np.sort(np.concatenate((ids, self._everywhere)), kind="stable"))
        return collect(answers)


def _half_widths(level: FloatArray, reach: FloatArray) -> FloatArray:
    """Return how far from its center the cosine of this reach is above a level."""
    partial = (level > -reach) & (level <= reach) & (reach > 0.0)
    ratio = np.divide(level, reach, out=np.zeros_like(level), where=partial)
    widths = np.where(level <= -reach, _EVERYWHERE, _NOWHERE)
    return np.where(partial, np.arccos(np.clip(ratio, -1.0, 1.0)), widths)


def _sweep(center: FloatArray, half_width: FloatArray) -> _Windows:
    """Cut the circle into windows whose lists are at most twice as long as an answer.

    Why the lists need linear space in all: a window that began with ``c`` arcs and saw ``s`` arcs
    begin and ``e`` arcs end closes only when ``c + s + 1 > 2 (c - e)``, hence ``c <= 2 (s + e)``.
    As ``m`` arcs have ``2 m`` ends, the windows that closed began with at most ``4 m`` arcs, the
    last one with at most ``m``, and each arc is added once more where it begins: ``6 m`` entries
    in the worst case, between one and three times ``m`` for random weights.
    """
    whole = half_width == _EVERYWHERE
    low, high = center - half_width, center + half_width
    low[low < -math.pi] += 2.0 * math.pi
    high[high > math.pi] -= 2.0 * math.pi
    partial = np.flatnonzero(~whole)
    angle = np.concatenate((low[partial], high[partial]))
    ending = np.repeat([False, True], len(partial))
    order = np.lexsort((ending, angle))

    active = set(np.flatnonzero(whole | (low > high)).tolist())
    listed = set(active)
    fewest = len(active)
    starts, lists = [-math.pi], [listed]
    events = (angle[order], np.tile(partial, 2)[order], ending[order])
    for where, arc, ends in zip(*(event.tolist() for event in events), strict=True):
        if ends:
            active.remove(arc)
            fewest = min(fewest, len(active))
        longest = 2 * max(fewest, _SHORT)
        grown = len(listed) + (not ends and arc not in listed)
        if grown > longest:
            listed = set(active)
            fewest = len(active)
            starts.append(where)
            lists.append(listed)
        if not ends:
            active.add(arc)
            listed.add(arc)
    first = np.cumsum([0, *map(len, lists)])
    arcs = [arc for each in lists for arc in sorted(each)]
    return _Windows(np.array(starts), first, np.array(arcs, dtype=np.int32))
