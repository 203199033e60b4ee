"""The network along the circle (d = 3), piece by piece: what the sweep sees, to be shown.

:mod:`sublinear_lib.adversary.circle` certifies the extremes of f over a cap of Definition 3.3; this
module lays open what it swept: the arcs on which neurons are active, the places where one of them
switches, and between two such places the wave ``A cos phi + B sin phi + C`` that f is there.  It is
for figures, lessons and derivatives, not for bounds.  Know before quoting a number: places are
float64 values without an error term, and where several neurons switch at one place, or closer than
the certified intervals of the sweep, their order here is as good as any.

`gradient_of_supremum` differentiates ``sup f`` over a cap in the weights.  Remark 3.8 treats the
adversarial point as a constant.  Where f is smooth in the point that costs nothing (the envelope
theorem).  Where the supremum sits at a switch it does, because the place of the switch moves with
the weights of its neuron r: from ``z_r(phi; w_r) = tau`` follows
``d phi = -<d w_r, x> / z_r'(phi)``, so that row r of the gradient gets the additional term
``-(f'(phi) / z_r'(phi)) x``, f' taken on the side on which the supremum is approached.

`worst_gap_everywhere` is the largest worst gap over all of X, ``sup_x sup_W |f - g - B|``: Theorem
4.1 = C.1 and Theorem A speak of all inputs and all weights of a ball at once, and the inner
supremum is a network (`sublinear_lib.theory.worst_gap_network`).  One side alone is not enough:
where f exceeds g most is not where g exceeds f most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sublinear_lib import geometry, validation
from sublinear_lib._typing import BoolArray, FloatArray, IntArray
from sublinear_lib.adversary.circle import (
    CircleWave,
    _on_circle,
    _turned,
    _value,
    _where_active,
    point_at,
)
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.theory import worst_gap_network

__all__ = [
    "ActivityArcs",
    "CirclePieces",
    "GapEverywhere",
    "SupremumGradient",
    "activity_arcs",
    "gradient_of_supremum",
    "pieces_on_circle",
    "worst_gap_everywhere",
]


@dataclass(frozen=True, eq=False)
class ActivityArcs:
    """Where on the circle the neurons of a network are active.

    Parameters
    ----------
    always : ndarray of int64, shape (j,)
        Neurons that are active everywhere, ascending.
    neurons : ndarray of int64, shape (k,)
        Neurons that are active on an arc, ascending; all others are active nowhere.
    center, half : ndarray of float64, shape (k,)
        Middles and half-lengths of the arcs, radians.
    """

    always: IntArray
    neurons: IntArray
    center: FloatArray
    half: FloatArray


def activity_arcs(network: TwoLayerNetwork) -> ActivityArcs:
    """Return the arcs on which neurons are active (d = 3).

    Parameters
    ----------
    network : TwoLayerNetwork
        The network, ``d = 3``.

    Returns
    -------
    ActivityArcs
        One open arc ``psi_r +- arccos((tau - c_r) / R_r)`` for each neuron that switches.

    Raises
    ------
    TypeError, ValueError
        If `network` is not a network with ``d = 3``.

    Notes
    -----
    Source: Definition 3.9 on the circle; see :mod:`sublinear_lib.adversary.circle`.

    Examples
    --------
    >>> network = TwoLayerNetwork([[1.0, 0.0, 0.0]], [1.0], [0.0], tau=3**0.5 / 4)
    >>> activity_arcs(network).half.round(6)  # sqrt(3)/2 cos(phi) > sqrt(3)/4
    array([1.047198])
    """
    where = _where_active(_on_circle(network, "network"))
    return ActivityArcs(
        always=np.flatnonzero(where.always),
        neurons=np.flatnonzero(where.crossing),
        center=where.center,
        half=where.half,
    )


@dataclass(frozen=True, eq=False)
class CirclePieces:
    """A network on an arc of the circle, as waves between the places where neurons switch.

    Parameters
    ----------
    edges : ndarray of float64, shape (k + 1,)
        The ends of the k pieces, radians, not descending; the first and the last are the ends of
        the arc.
    waves : ndarray of float64, shape (3, k)
        Coefficients of cos, sin and 1 on each piece.
    neurons : ndarray of int64, shape (k - 1,)
        The neuron that switches at each inner edge.
    begins : ndarray of bool, shape (k - 1,)
        Whether it becomes active there as the angle grows.
    """

    edges: FloatArray
    waves: FloatArray
    neurons: IntArray
    begins: BoolArray

    @property
    def low(self) -> FloatArray:
        """The limit of f at the left end of each piece, from inside, shape (k,)."""
        return _value(self.waves, self.edges[:-1])

    @property
    def high(self) -> FloatArray:
        """The limit of f at the right end of each piece, from inside, shape (k,)."""
        return _value(self.waves, self.edges[1:])

    @property
    def crests(self) -> FloatArray:
        """The angle inside each piece where its wave is highest, NaN if it is not, shape (k,)."""
        start, stop = self.edges[:-1], self.edges[1:]
        crest = np.arctan2(self.waves[1], self.waves[0])
        crest = start + np.mod(crest - start, 2.0 * np.pi)
        return np.where((crest > start) & (crest < stop), crest, np.nan)

    def best(self, side: int = 1) -> tuple[float, float, int, int]:
        """Return the supremum of ``side * f`` over the arc and where it is.

        The value, the angle, the piece, and the position in `edges` at which it is attained or
        approached, -1 inside the piece.
        """
        if isinstance(side, bool) or side not in (1, -1):
            raise ValueError(f"side must be 1 or -1, got {side!r}")
        turned = CirclePieces(self.edges, side * self.waves, self.neurons, self.begins)
        crests = turned.crests
        inside = np.isfinite(crests)
        tops = np.where(
            inside, np.hypot(turned.waves[0], turned.waves[1]) + turned.waves[2], -np.inf
        )
        values = np.stack((tops, turned.low, turned.high))
        where, piece = divmod(int(np.argmax(values)), values.shape[1])
        value = float(values[where, piece])
        if where == 0:
            return value, float(crests[piece]), piece, -1
        edge = piece + where - 1
        return value, float(self.edges[edge]), piece, edge

    def curve(self, most: int = 600) -> tuple[FloatArray, FloatArray]:
        """Return about `most` points (``>= 8``) through which f can be drawn, from left to right.

        Jumps are upright strokes of equal angles.  With more switches than can be told apart, each
        stretch of the arc is drawn by its smallest and its largest value.
        """
        most = validation.count(most, "most", minimum=8)
        first, last = float(self.edges[0]), float(self.edges[-1])
        k = self.waves.shape[1]
        grid = np.linspace(first, last, max(2, most // 2))
        inner = grid[~np.isin(grid, self.edges)]
        piece = np.clip(np.searchsorted(self.edges, inner, side="right") - 1, 0, k - 1)
        angles = np.concatenate((self.edges[:-1], inner, self.edges[1:]))
        values = np.concatenate((self.low, _value(self.waves[:, piece], inner), self.high))
        owner = np.concatenate((np.arange(k), piece, np.arange(k)))
        order = np.lexsort((angles, owner))
        angles, values = angles[order], values[order]
        if angles.size <= most:
            return angles, values
        return _envelope(angles, values, np.linspace(first, last, most // 2 + 1))


def _envelope(
    angles: FloatArray, values: FloatArray, grid: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Keep the smallest and the largest value of each stretch, in their order."""
    stretch = np.clip(np.searchsorted(grid, angles, side="right") - 1, 0, grid.size - 2)
    heads = np.flatnonzero(np.concatenate(([True], np.diff(stretch) > 0)))
    kept = [0, angles.size - 1]
    for start, stop in zip(heads, np.append(heads[1:], angles.size), strict=True):
        part = values[start:stop]
        kept += [int(start + part.argmin()), int(start + part.argmax())]
    chosen = np.unique(kept)
    return angles[chosen], values[chosen]


def pieces_on_circle(
    network: TwoLayerNetwork, angle: object = 0.0, half_angle: object = np.pi
) -> CirclePieces:
    """Cut an arc of the circle at the places where neurons switch (d = 3).

    Parameters
    ----------
    network : TwoLayerNetwork
        The network, ``d = 3``.
    angle : float, default 0
        The middle of the arc, radians.
    half_angle : float, default pi
        Its half-length, radians, ``> 0``; pi and more mean the whole circle.

    Returns
    -------
    CirclePieces
        The pieces, from left to right.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type or out of range.

    Notes
    -----
    Source: Definition 3.3 for d = 3; see :mod:`sublinear_lib.adversary.circle`.  Cost: ``O(m)`` and
    a sort of the switches on the arc.

    Examples
    --------
    >>> network = TwoLayerNetwork([[1.0, 0.0, 0.0]], [1.0], [0.0], tau=3**0.5 / 4)
    >>> pieces = pieces_on_circle(network)
    >>> pieces.edges.round(4), pieces.begins.tolist()
    (array([-3.1416, -1.0472,  1.0472,  3.1416]), [True, False])
    >>> pieces.low.round(4), pieces.high.round(4)
    (array([0.   , 0.433, 0.   ]), array([0.   , 0.433, 0.   ]))
    """
    wave = CircleWave.of_network(network)
    middle = validation.scalar(angle, "angle")
    half = min(validation.scalar(half_angle, "half_angle", exclusive_minimum=0), np.pi)
    origin, active, begin, stop = wave._start(middle - half)
    first, last = middle - half - origin, middle + half - origin
    ends = wave._ends(begin, stop, last)
    states = _turned(wave._states(active, ends, origin), -origin)
    place = np.maximum.accumulate(0.5 * (ends.left + ends.right)) if ends.arc.size else ends.left
    head, tail = np.searchsorted(place, (first, last), side="right")
    inner = slice(int(head), int(tail))
    return CirclePieces(
        edges=np.concatenate(([middle - half], place[inner] + origin, [middle + half])),
        waves=states[:, int(head) : int(tail) + 1],
        neurons=activity_arcs(network).neurons[ends.arc[inner]],
        begins=ends.sign[inner] > 0.0,
    )


@dataclass(frozen=True, eq=False)
class SupremumGradient:
    """How ``sup f`` over a cap changes with the weights.

    Parameters
    ----------
    sup : float
        The supremum.
    angle : float
        Where it is attained or approached, radians.
    neuron : int or None
        The neuron whose switch it sits at; None inside a piece or at an end of the cap.
    frozen : ndarray of float64, shape (m, 3)
        The gradient in W with the point held fixed (Remark 3.8).
    true : ndarray of float64, shape (m, 3)
        The gradient of the supremum itself.
    """

    sup: float
    angle: float
    neuron: int | None
    frozen: FloatArray
    true: FloatArray

    @property
    def cosine(self) -> float:
        """Cosine of the angle between the two gradients; 1 if both are zero."""
        lengths = np.linalg.norm(self.frozen) * np.linalg.norm(self.true)
        return float(np.vdot(self.frozen, self.true) / lengths) if lengths > 0.0 else 1.0


def gradient_of_supremum(
    network: TwoLayerNetwork, x: object, rho: object, *, side: int = 1
) -> SupremumGradient:
    r"""Differentiate the supremum of ``side * f`` over a cap in the weights (d = 3).

    Parameters
    ----------
    network : TwoLayerNetwork
        The network, ``d = 3``.
    x : array-like, shape (3,)
        Middle of the cap, on the slice.
    rho : float
        Radius of the cap, a Euclidean chord length, ``> 0``.
    side : {1, -1}, default 1
        Supremum of f (1) or of -f (-1).

    Returns
    -------
    SupremumGradient
        Both gradients, of ``side * f``.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type, shape or value.

    Notes
    -----
    The formula holds where the supremum is approached at one place only and the neuron that
    switches there crosses the threshold at an angle: almost surely for random weights.  Where a
    continuous network is largest at a kink, row r of the true gradient lies between 0 and
    ``a_r x``, its values on the two sides; where a jump network is largest at a jump, nothing
    bounds it.  Source: Remark 3.8; the additional term is derived in the module's text.

    Examples
    --------
    >>> network = TwoLayerNetwork([[1.0, 0.0, 0.0]], [1.0], [0.0], tau=0.5)
    >>> x = [3**0.5 / 2 * np.cos(1.0), 3**0.5 / 2 * np.sin(1.0), 0.5]
    >>> found = gradient_of_supremum(network, x, 0.3)
    >>> found.neuron is None  # no switch: the near end of the cap
    True
    >>> bool(found.sup == found.frozen[0] @ [1.0, 0.0, 0.0]), found.cosine
    (True, 1.0)
    """
    (point,) = validation.points_on_slice([x], "x", d=3)
    alpha = geometry.cap_angle(validation.scalar(rho, "rho", exclusive_minimum=0))
    pieces = pieces_on_circle(network, np.arctan2(point[1], point[0]), alpha)
    sup, angle, piece, edge = pieces.best(side)
    middle = 0.5 * (pieces.edges[piece] + pieces.edges[piece + 1])
    on = network.active_mask(point_at(float(middle))[None, :])[0]
    here = point_at(angle)
    frozen = np.where(on[:, None], side * network.a[:, None] * here, 0.0)
    if not 0 < edge < pieces.edges.size - 1:
        return SupremumGradient(sup, angle, None, frozen, frozen.copy())
    neuron = int(pieces.neurons[edge - 1])
    along = geometry.SLICE_RADIUS * np.array([-np.sin(angle), np.cos(angle)])
    slope = float(
        side * (pieces.waves[1, piece] * np.cos(angle) - pieces.waves[0, piece] * np.sin(angle))
    )
    crossing = float(network.W[neuron, :2] @ along)
    true = frozen.copy()
    if crossing != 0.0:
        true[neuron] -= slope / crossing * here
    return SupremumGradient(sup, angle, neuron, frozen, true)


Side = Literal["above", "below"]
_SIDES: tuple[Side, Side] = ("above", "below")


@dataclass(frozen=True)
class GapEverywhere:
    """The supremum of ``|f - g - B|`` over the circle and over the ball of weights.

    Attributes
    ----------
    sup : float
        The supremum, up to the rounding of a sum of m numbers.
    upper : float
        A certified bound of the real supremum.
    angle : float
        Where it is attained, radians.
    side : {"above", "below"}
        Whether f is above g there, or below.
    """

    sup: float
    upper: float
    angle: float
    side: Side

    @property
    def x(self) -> FloatArray:
        """The input at which it is attained, shape (3,)."""
        return point_at(self.angle)


def worst_gap_everywhere(network: TwoLayerNetwork, delta: float) -> GapEverywhere:
    r"""Compute ``sup_x sup_W |f - g - B|`` over all inputs and all weights of a ball (d = 3).

    Parameters
    ----------
    network : TwoLayerNetwork
        The network at initialization, ``d = 3``, with the continuous activation.
    delta : float
        Radius of the ball, ``>= 0``, absolute units.

    Returns
    -------
    GapEverywhere
        The supremum, its certified upper end, and where it is.

    Raises
    ------
    TypeError, ValueError
        If the network has another dimension or the jump, or the radius is negative.

    Notes
    -----
    Source: Theorem A of this project, which bounds it; Theorem C.1, which states it for
    ``f - g``.  Cost: ``O(m log m)``; about a second for a million neurons.

    Examples
    --------
    >>> start = TwoLayerNetwork.initialize(512, 3, "R3", rng=0)
    >>> found = worst_gap_everywhere(start, 0.02)
    >>> from sublinear_lib.theory import worst_gap_at
    >>> gap = worst_gap_at(start, found.x, 0.02)
    >>> there = {"above": gap.above - gap.initial_output, "below": gap.below + gap.initial_output}
    >>> abs(there[found.side] - found.sup) < 1e-9
    True
    """
    ends = [
        CircleWave.of_network(worst_gap_network(network, delta, side, centered=True)).extremes(
            0.0, math.pi
        )
        for side in _SIDES
    ]
    side, best = max(zip(_SIDES, ends, strict=True), key=lambda found: found[1].sup)
    return GapEverywhere(
        sup=best.sup,
        upper=max(end.upper for end in ends),
        angle=best.angle_sup,
        side=side,
    )
