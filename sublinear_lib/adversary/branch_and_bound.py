r"""The worst case between two numbers: attack from below, relax from above, split and repeat.

For d > 3 no sort finds the exact extremes of f over a cap of Definition 3.3, but a bracket can be
closed to any width: the cap is cut into pieces, each piece is enclosed in a smaller cap, and the
relaxation (:mod:`sublinear_lib.adversary.relaxation`) gets tighter as the pieces shrink, because
neurons become certain.  Pieces whose bound is below the best value found need no further look.

**The pieces.**  With u the direction of x on the sphere ``S^{d-2}``, the gnomonic chart
``y -> (u + E y) / |u + E y|`` maps straight boxes to geodesically convex pieces.  A cap of angle
below a right angle is geodesically convex too, so a cap about the image of the middle of the box
that holds the images of all corners holds the whole piece.  Caps wider than a chart are covered by
the ``2 (d - 1)`` charts of a cube around the sphere.

Pieces number ``O(1 / tol^{d-2})`` or more, so this is for d up to about 6.
"""

from __future__ import annotations

import heapq
import itertools
import math
from typing import Any, NamedTuple

import numpy as np

from sublinear_lib import geometry
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary.brackets import Bracket, Bracketing
from sublinear_lib.adversary.relaxation import CapRelaxation
from sublinear_lib.network import TwoLayerNetwork

__all__ = ["branch_and_bound"]


_WIDEST_CHART = 1.2
_ROUNDING = 1e-12


class _Chart(NamedTuple):
    """A gnomonic chart: directions ``(middle + y @ basis)``, normalized."""

    middle: FloatArray
    basis: FloatArray


class _Piece(NamedTuple):
    """A box in a chart."""

    chart: _Chart
    low: FloatArray
    high: FloatArray


def branch_and_bound(
    network: TwoLayerNetwork,
    middle: FloatArray,
    rho: float,
    side: int = 1,
    start: FloatArray | None = None,
    **limits: Any,
) -> Bracket:
    """Bracket the supremum of ``side * f`` over a cap.

    Best first: the piece with the largest bound is split across its longest side.  Source:
    Definitions 3.3 and 3.4.
    """
    asked = Bracketing(network, middle, rho, side, start, **limits)
    root, best = asked.relaxation, asked.best

    def look_at(point: FloatArray) -> None:
        """Offer the point of the cap next to the given one, if it may be the best."""
        inside = geometry.project_to_caps(point[None, :], middle[None, :], asked.rho)
        # Most points are not worth a look at all neurons.
        if root.value(inside)[0] > best.value - _ROUNDING:
            best.offer(inside)

    simple = root.linear()
    look_at(simple.point)
    number = itertools.count()
    heap: list[tuple[float, int, _Piece, CapRelaxation]] = []
    if root.unstable:
        heap = [(-simple.value, next(number), piece, root) for piece in _pieces(middle, asked.rho)]
    upper, nodes = max(simple.value, best.value), 1
    while heap:
        upper = max(-heap[0][0], best.value)
        if asked.closed(upper) or asked.over(nodes):
            break
        bound, _, piece, parent = heapq.heappop(heap)
        for half in _halves(piece):
            cap = _enclosing(half, middle, asked.rho)
            if cap is None:
                continue
            nodes += 1
            relaxation = parent.restricted(*cap)
            found = relaxation.linear()
            look_at(found.point)
            value = min(found.value, -bound)
            if value > best.value:
                heapq.heappush(heap, (-value, next(number), half, relaxation))
    else:
        if root.unstable:
            # No piece is left: the bounds of all were at most the best value.
            upper = best.value
    return asked.bracket(upper, "branch and bound", nodes)


def _pieces(middle: FloatArray, rho: float) -> list[_Piece]:
    """Cover the cap by boxes in charts."""
    direction = geometry.directions(middle[None, :])[0]
    size = direction.size
    # The rows beyond the first of a full orthonormal basis that starts with the direction.
    basis = np.linalg.qr(np.column_stack((direction, np.eye(size))))[0].T
    basis[0] = direction
    angle = geometry.cap_angle(rho)
    if angle <= _WIDEST_CHART:
        half = np.full(size - 1, math.tan(angle) * (1.0 + _ROUNDING))
        return [_Piece(_Chart(direction, basis[1:]), -half, half)]
    ones = np.full(size - 1, 1.0 + _ROUNDING)
    return [
        _Piece(_Chart(sign * basis[k], np.delete(basis, k, axis=0)), -ones, ones)
        for k in range(size)
        for sign in (1.0, -1.0)
    ]


def _halves(piece: _Piece) -> tuple[_Piece, _Piece]:
    """Cut a box across its longest side."""
    chart, low, high = piece
    side = int(np.argmax(high - low))
    cut = 0.5 * (low[side] + high[side])
    lower_high, upper_low = high.copy(), low.copy()
    lower_high[side] = upper_low[side] = cut
    return _Piece(chart, low, lower_high), _Piece(chart, upper_low, high)


def _enclosing(piece: _Piece, middle: FloatArray, rho: float) -> tuple[FloatArray, float] | None:
    """Return a cap that holds the piece, or nothing if the piece misses the cap of the problem."""
    chart, low, high = piece
    corners = np.array(list(itertools.product(*np.stack((low, high), axis=1))))
    images = _images(chart, np.concatenate((0.5 * (low + high)[None, :], corners)))
    center = images[0]
    # Angles from chords: arccos of a cosine near 1 would lose half of the digits.
    chords = np.linalg.norm(images[1:] - center, axis=1)
    angle = 2.0 * math.asin(min(1.0, 0.5 * float(chords.max()))) + _ROUNDING
    away = np.linalg.norm(center - geometry.directions(middle[None, :])[0])
    apart = 2.0 * math.asin(min(1.0, 0.5 * float(away)))
    if apart > geometry.cap_angle(rho) + angle + _ROUNDING:
        return None
    return geometry.embed(center[None, :])[0], geometry.SLICE_DIAMETER * math.sin(0.5 * angle)


def _images(chart: _Chart, y: FloatArray) -> FloatArray:
    """Return the directions of points of a chart."""
    vectors = chart.middle + y @ chart.basis
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1)[:, None])
