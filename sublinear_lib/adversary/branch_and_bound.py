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
import time
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from sublinear_lib import geometry, validation
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary.relaxation import CapRelaxation
from sublinear_lib.network import TwoLayerNetwork

__all__ = ["Bracket", "Status", "branch_and_bound"]

Status = Literal["exact", "certified", "falsified", "unknown"]
"""What a bracket has decided; see `Bracket`."""

_WIDEST_CHART = 1.2
_ROUNDING = 1e-12
_LARGEST_DIMENSION = 12


@dataclass(frozen=True, eq=False)
class Bracket:
    """Bounds of a supremum over a cap.

    Parameters
    ----------
    lower, upper : float
        ``lower <= sup <= upper``, always; `lower` is the value at the witness.
    witness : ndarray of float64, shape (d,)
        A point of the cap with the value `lower`.
    status : {"exact", "certified", "falsified", "unknown"}
        ``"exact"``: the bracket is as narrow as was asked.  When a threshold was given:
        ``"certified"`` if ``upper <= threshold``, ``"falsified"`` if ``lower > threshold``.
        ``"unknown"``: neither, within the limits.
    method : str
        How the bracket was found.
    nodes : int
        Pieces that were bounded.
    seconds : float
        Wall time.
    """

    lower: float
    upper: float
    witness: FloatArray
    status: Status
    method: str
    nodes: int
    seconds: float

    def __post_init__(self) -> None:
        """Refuse bounds in the wrong order: a bug must not look like a result."""
        if not self.lower <= self.upper:
            raise ValueError(
                f"lower must be at most upper, got lower {self.lower!r} and upper {self.upper!r}"
            )


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
    x: object,
    rho: object,
    *,
    side: int = 1,
    start: object = None,
    tol: object = 1e-3,
    threshold: object = None,
    max_nodes: int = 100_000,
    time_limit: object = 10.0,
) -> Bracket:
    """Bracket the supremum of ``side * f`` over a cap.

    Parameters
    ----------
    network : TwoLayerNetwork
        The network, ``3 <= d <= 12`` (beyond about 6 it will not get far).
    x : array-like, shape (d,)
        Middle of the cap, on the slice.
    rho : float
        Radius of the cap, a Euclidean chord length, ``>= 0``.
    side : {1, -1}, default 1
        Supremum of f (1) or of -f (-1).
    start : array-like, shape (k, d), optional
        Points of the cap to begin with, for example what an attack found; by default x itself.
    tol : float, default 1e-3
        Width at which to stop, ``>= 0``, absolute.
    threshold : float, optional
        Stop as soon as it is known whether the supremum exceeds this number.
    max_nodes : int, default 100000
        Most pieces to bound, ``>= 1``.
    time_limit : float, default 10
        Most seconds, ``> 0``.

    Returns
    -------
    Bracket
        The bounds, whatever limit was met.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type, shape or value.

    Notes
    -----
    Best first: the piece with the largest bound is split across its longest side.  Source:
    Definitions 3.3 and 3.4.

    Examples
    --------
    >>> network = TwoLayerNetwork.initialize(200, 4, rng=0, tau=0.1)
    >>> x = geometry.sample_slice(1, 4, rng=1)[0]
    >>> found = branch_and_bound(network, x, 0.1, tol=0.01)
    >>> found.status, found.upper - found.lower <= 0.01
    ('exact', True)
    """
    begun = time.monotonic()
    root = CapRelaxation(network, x, rho, side)
    middle = validation.float_array(x, "x", shape=(network.d,))
    if not 3 <= network.d <= _LARGEST_DIMENSION:
        raise ValueError(
            f"network must have 3 <= d <= {_LARGEST_DIMENSION} to be split, got d = {network.d}"
        )
    width = validation.scalar(tol, "tol", minimum=0)
    level = math.inf if threshold is None else validation.scalar(threshold, "threshold")
    most = validation.count(max_nodes, "max_nodes")
    seconds = validation.scalar(time_limit, "time_limit", exclusive_minimum=0)
    radius = validation.scalar(rho, "rho", minimum=0)
    points = middle[None, :]
    if start is not None:
        points = np.concatenate((points, validation.points_on_slice(start, "start", d=network.d)))
    search = _Search(network, middle, radius, side, points)
    search.offer(root.linear().point)
    upper = root.linear().value
    heap: list[tuple[float, int, _Piece, CapRelaxation]] = []
    number = itertools.count()
    nodes = 1
    if root.unstable:
        for piece in _pieces(middle, radius):
            heap.append((-upper, next(number), piece, root))
    heapq.heapify(heap)
    while heap:
        upper = max(-heap[0][0], search.best)
        enough = upper - search.best <= width
        decided = threshold is not None and (upper <= level or search.best > level)
        if enough or decided or nodes >= most or time.monotonic() - begun > seconds:
            break
        bound, _, piece, parent = heapq.heappop(heap)
        for half in _halves(piece):
            cap = _enclosing(half, middle, radius)
            if cap is None:
                continue
            nodes += 1
            relaxation = parent.restricted(*cap)
            found = relaxation.linear()
            search.offer(found.point)
            value = min(found.value, -bound)
            if value > search.best:
                heapq.heappush(heap, (-value, next(number), half, relaxation))
    else:
        # Nothing is left above the best value, up to the rounding error in the bounds.
        upper = max(min(upper, search.best), search.best)
    status: Status = "exact" if upper - search.best <= width else "unknown"
    if threshold is not None:
        status = "certified" if upper <= level else "unknown"
        status = "falsified" if search.best > level else status
    return Bracket(
        lower=search.best,
        upper=upper,
        witness=search.witness,
        status=status,
        method="branch and bound",
        nodes=nodes,
        seconds=time.monotonic() - begun,
    )


class _Search:
    """The best point met, judged by the network itself."""

    def __init__(
        self,
        network: TwoLayerNetwork,
        middle: FloatArray,
        rho: float,
        side: int,
        start: FloatArray,
    ) -> None:
        self._network, self._middle, self._rho, self._side = network, middle, rho, side
        self._rough = CapRelaxation(network, middle, rho, side)
        self.best = -math.inf
        self.witness = middle
        for point in start:
            self._judge(point)

    def offer(self, point: FloatArray) -> None:
        """Look at the point of the cap next to the given one."""
        inside = geometry.project_to_caps(point[None, :], self._middle[None, :], self._rho)[0]
        if self._rough.value(inside[None, :])[0] > self.best - _ROUNDING:
            self._judge(inside)

    def _judge(self, point: FloatArray) -> None:
        if not geometry.Cap(self._middle, self._rho).contains(point[None, :], atol=1e-9)[0]:
            raise ValueError(f"start must lie in the cap of radius {self._rho!r}, got {point}")
        value = self._side * float(self._network.forward(point[None, :])[0])
        if value > self.best:
            self.best, self.witness = value, point


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
