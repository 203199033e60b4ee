r"""The exact worst case on the 2-sphere (d = 4): arcs of circles, and the crests of the cells.

For d = 4 the input space X of the paper is a 2-sphere.  Neuron r changes its state on the circle
``<w_r, x> + b_r = tau``; within a cap of Definition 3.3 the k unstable neurons cut the sphere into
cells on each of which f is one affine function ``<A, v> + C`` of the direction v.  Its supremum
over a cell is the value |A| + C at the crest ``v = A / |A|``, if that lies in the cell, or it is
approached on the cell's boundary, which consists of arcs of the circles and of the rim of the cap.
So the supremum of f over the cap is the largest of

* the arcs: along the circle of neuron r the other neurons are switched on one arc each, as on the
  circle of :mod:`sublinear_lib.adversary.circle`, and r itself counts with ``max(0, a_r J)``, J the
  height of the jump: the better one of the two sides;
* the rim, in the same way;
* the crests of the cells that touch an arc and contain their crest.  Every cell touches one, unless
  there is no circle at all.

A sort of each circle gives all of it in ``O(k^2 log k)``, and ``O(k)`` for each crest that might
still win.

**What is certain.**  The ends of arcs are computed in floating point and have intervals that
provably hold them.  Where no two intervals on a circle overlap, the arrangement found is the true
one, and the bound, raised by a bound of its rounding error, is certified.  Circles that touch, that
pass through one point or nearly coincide, and circles of almost no radius, are *not in general
position*: the order of their ends is not known.  Neurons with the very same weights and bias are
merged; for anything else of this kind the sweep gives up its claim, and
:mod:`sublinear_lib.adversary.branch_and_bound` provides the bound.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sublinear_lib import geometry, validation
from sublinear_lib._arguments import Nonnegative, Positive
from sublinear_lib._typing import BoolArray, FloatArray, IntArray
from sublinear_lib.adversary.ascent import Search
from sublinear_lib.adversary.branch_and_bound import branch_and_bound
from sublinear_lib.adversary.protocol import AttackResult, Batch, CapAttack, whole_network
from sublinear_lib.adversary.relaxation import CapRelaxation
from sublinear_lib.network import TwoLayerNetwork, expect_network

__all__ = ["ExactOnSphere", "SphereSupremum", "supremum_on_sphere"]

_TURN = 2.0 * np.pi
_EPS = float(np.finfo(np.float64).eps)
# Circles smaller than this, or known less well, are not in general position.
_SMALLEST_RADIUS = 1e-4
_WORST_LEVEL = 1e-10
# How well the ends of arcs must be known, in radians; and how far beyond the cap to look for them.
_WORST_SLACK = 1e-7
_MARGIN = 1e-6
_CHUNK = 100_000
_STEPS = (1e-7, 1e-9)
_LIFTS = (1e-9, 1e-10, 1e-11, 1e-12, 1e-13)


@dataclass(frozen=True, eq=False)
class SphereSupremum:
    """The supremum of a network over a cap of the 2-sphere, between two numbers.

    Parameters
    ----------
    lower, upper : float
        ``lower <= sup <= upper``, always; `lower` is the value at the witness.
    witness : ndarray of float64, shape (4,)
        A point of the cap with the value `lower`.
    exact : bool
        Whether the circles were in general position and there was time to sweep them all, so that
        `upper` is the supremum up to rounding.  Otherwise the bounds are those of the fallback.
    attained : bool or None
        Whether some point of the cap has the supremum as its value; None if not `exact`.
    circles : int
        Circles in the cap: unstable neurons, equal ones counted once.
    arcs : int
        Arcs that were looked at.
    nodes : int
        Pieces that the fallback bounded, 0 without it.
    """

    lower: float
    upper: float
    witness: FloatArray
    exact: bool
    attained: bool | None
    circles: int
    arcs: int
    nodes: int

    def __post_init__(self) -> None:
        """Refuse bounds in the wrong order: a bug must not look like a result."""
        if not self.lower <= self.upper:
            raise ValueError(
                f"lower must be at most upper, got lower {self.lower!r} and upper {self.upper!r}"
            )


def supremum_on_sphere(
    network: TwoLayerNetwork,
    x: object,
    rho: object,
    *,
    side: int = 1,
    tol: object = 1e-3,
    time_limit: object = 10.0,
) -> SphereSupremum:
    """Return the exact supremum of ``side * f`` over a cap (d = 4).

    Parameters
    ----------
    network : TwoLayerNetwork
        The network, ``d = 4``.
    x : array-like, shape (4,)
        Middle of the cap, on the slice.
    rho : float
        Radius of the cap, a Euclidean chord length, ``>= 0``.
    side : {1, -1}, default 1
        Supremum of f (1), or of -f, that is minus the infimum of f (-1).
    tol : float, default 1e-3
        Width at which the fallback stops, ``>= 0``, absolute.
    time_limit : float, default 10
        Most seconds for the sweep, and again for the fallback, ``> 0``.

    Returns
    -------
    SphereSupremum
        The bracket; where the circles are in general position its width is rounding and the step of
        about 1e-9 by which a witness stays off the place where a supremum is only approached.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type, shape or value.

    Notes
    -----
    Cost: ``O(k^2 log k)`` for k unstable neurons, about a second for 1500 of them.  Source:
    Definitions 3.3 and 3.4.

    Examples
    --------
    >>> network = TwoLayerNetwork.initialize(300, 4, rng=0, tau=0.1)
    >>> x = geometry.sample_slice(1, 4, rng=1)[0]
    >>> found = supremum_on_sphere(network, x, 0.2)
    >>> found.exact, bool(found.upper - found.lower < 1e-7)
    (True, True)
    """
    model = CapRelaxation(network, x, rho, side)
    _on_sphere(network)
    middle = validation.points_on_slice([x], "x", d=4)[0]
    radius = validation.scalar(rho, "rho", minimum=0)
    width = validation.scalar(tol, "tol", minimum=0)
    seconds = validation.scalar(time_limit, "time_limit", exclusive_minimum=0)
    sweep = _Sweep(model, middle, radius)
    try:
        sweep.run(time.monotonic() + seconds)
        exact = True
    except _NotCertain:
        exact = False
    found = sweep.witnesses()
    inside = geometry.project_to_caps(found, np.broadcast_to(middle, found.shape), radius)
    values = side * network.forward(inside)
    best = int(np.argmax(values))
    witness = inside[best]
    # Once more alone: in a batch the last digit may differ.
    lower = float(side * network.forward(witness[None, :])[0])
    circles, arcs = sweep.circles, sweep.arcs
    if exact:
        upper = max(sweep.upper, lower)
        return SphereSupremum(lower, upper, witness, True, sweep.attained, circles, arcs, 0)
    split = branch_and_bound(
        network, middle, radius, side, witness[None, :], tol=width, time_limit=seconds
    )
    return SphereSupremum(
        split.lower, split.upper, split.witness, False, None, circles, arcs, split.nodes
    )


@dataclass(frozen=True, kw_only=True)
class ExactOnSphere(CapAttack):
    """The best adversary there is on the 2-sphere (d = 4): the worst point of every cap.

    Parameters
    ----------
    rho : float
        Radius of the caps, a Euclidean chord length, ``>= 0``.
    time_limit : float, default 10
        Most seconds for each of the two extremes of an example, ``> 0``.

    Raises
    ------
    TypeError, ValueError
        If a parameter is of the wrong type or out of range.

    Notes
    -----
    Where the supremum of the loss is not attained, the point returned lies next to the place where
    it is approached.  Where the circles of a cap are not in general position, or time is up, it is
    the best point that branch and bound found.  Cost: ``O(k^2 log k)`` per example for k unstable
    neurons, so this is an adversary for narrow networks and small caps.  Source: ``A*`` of
    Definition 3.4.

    Examples
    --------
    >>> network = TwoLayerNetwork([[1.0, 0.0, 0.0, 0.0]], [1.0], [0.0], tau=0.5)
    >>> x = [[3**0.5 / 2 * np.cos(1.0), 3**0.5 / 2 * np.sin(1.0), 0.0, 0.5]]
    >>> result = ExactOnSphere(rho=0.3)(network, x, [-1.0], "absolute", rng=0)
    >>> result.loss.round(6)
    array([1.688466])
    """

    rho: Nonnegative
    time_limit: Positive = 10.0

    def _parts(self, batch: Batch) -> int:
        return 2 * len(batch.X) + 3

    def _attack(self, batch: Batch, generator: np.random.Generator) -> AttackResult:
        network = _on_sphere(whole_network(batch.target))
        search = Search(batch)
        for side in (1, -1):
            points = batch.X.copy()
            for i, x in enumerate(batch.X):
                points[i] = supremum_on_sphere(
                    network, x, self.rho, side=side, time_limit=self.time_limit
                ).witness
                batch.tick()
            search.see(points, batch.evaluator.value(points))
        return search.result()


def _on_sphere(network: object) -> TwoLayerNetwork:
    found = expect_network(network)
    if found.d != 4:
        raise ValueError(f"network must have d = 4, for which X is a 2-sphere, got d = {found.d}")
    return found


class _NotCertain(Exception):
    """The order of the ends on some circle is not certain, or time is up."""


class _Circles(NamedTuple):
    """Circles ``level * normal + radius * (cos t * first + sin t * second)``."""

    normal: FloatArray
    level: FloatArray
    radius: FloatArray
    first: FloatArray
    second: FloatArray
    blur: FloatArray
    """How far a computed point of the circle may be from the true one."""
    own: IntArray
    """The neuron that changes there, -1 for the rim."""

    def part(self, rows: IntArray | slice) -> _Circles:
        return _Circles._make(each[rows] for each in self)


class _Windows(NamedTuple):
    """Which part of each circle lies in the cap; angles t."""

    origin: FloatArray
    """Where to begin looking."""
    first: FloatArray
    last: FloatArray
    """The part in the cap, angles from the origin."""
    length: FloatArray
    """Where to stop looking, angles from the origin."""
    slack: FloatArray
    """How well ends must be known."""

    def part(self, rows: IntArray | slice) -> _Windows:
        return _Windows(*(each[rows] for each in self))


class _Arc(NamedTuple):
    """Where along which circle the best value was met, for a witness."""

    value: float
    circle: _Circles
    """One circle."""
    angle: float
    inwards: float
    """Sign of the direction along the circle that leads into the arc, 0 in its middle."""
    length: float
    lift: float
    """Sign of the direction off the circle on which the value is approached."""
    attained: bool


class _Sweep:
    """The arrangement of the circles of the unstable neurons in a cap."""

    def __init__(self, model: CapRelaxation, middle: FloatArray, rho: float) -> None:
        self._model, self._middle = model, middle
        self._direction = geometry.directions(middle[None, :])[0]
        self._angle = geometry.cap_angle(rho)
        rows = np.column_stack((model.W, model.b))
        # Equal neurons change at the very same place: one circle with the sum of their factors.
        rows, owner = np.unique(rows, axis=0, return_inverse=True)
        factors = np.bincount(owner.reshape(-1), weights=model.factors, minlength=len(rows))
        rows, factors = rows[factors != 0.0], factors[factors != 0.0]
        scale = geometry.SLICE_RADIUS
        self._omega = scale * rows[:, :3]
        self._level = 0.5 * rows[:, 3] + rows[:, 4]
        self._length = np.sqrt(np.einsum("ij,ij->i", self._omega, self._omega))
        self._size = self._length + 0.5 * np.abs(rows[:, 3]) + np.abs(rows[:, 4]) + model.tau
        self._factors = factors
        self._wave = factors[:, None] * np.column_stack((self._omega, self._level - model.shift))
        base = np.append(scale * model.gradient[:3], 0.5 * model.gradient[3] + model.constant)
        self._base = base
        self._total = float(np.abs(model.factors) @ (2.0 * model.sizes + model.tau))
        self._rounding = 2.0 * model.rounding(self._total) + (
            (2.0 * factors.size + 64.0) * _EPS * (self._total + 2.0 * float(np.abs(base).sum()))
        )
        self.circles = int(factors.size)
        self.arcs = 0
        self.upper = -math.inf
        self._arc: _Arc | None = None
        self._crest: tuple[float, FloatArray] | None = None

    # -- what was found ----------------------------------------------------------------------------

    @property
    def attained(self) -> bool:
        """Whether the best value belongs to a point."""
        if self._arc is None or (self._crest is not None and self._crest[0] >= self._arc.value):
            return True
        return self._arc.attained

    def witnesses(self) -> FloatArray:
        """Return points at or next to the best places, and the middle of the cap, shape (k, 4)."""
        found = [self._direction]
        if self._crest is not None:
            found.append(self._crest[1])
        if self._arc is not None:
            found.extend(_beside(self._arc))
        return np.concatenate((self._middle[None, :], geometry.embed(np.array(found))))

    # -- the sweep ---------------------------------------------------------------------------------

    def run(self, deadline: float) -> None:
        """Look at every arc and every cell, or raise if something is not certain."""
        if not self.circles:
            self._closed_form()
            return
        circles = self._all_circles()
        kept, windows = self._windows(circles)
        circles, windows = circles.part(kept), windows.part(kept)
        rows = max(1, _CHUNK // self.circles)
        for start in range(0, circles.own.size, rows):
            if time.monotonic() > deadline:
                raise _NotCertain
            part = slice(start, start + rows)
            self._look_at(circles.part(part), windows.part(part))

    def _closed_form(self) -> None:
        """Maximize the one affine function there is."""
        values, points = self._model.cap.support(self._model.gradient[None, :])
        self.upper = float(values[0]) + self._model.constant + self._rounding
        self._crest = (self.upper, geometry.directions(points)[0])

    def _all_circles(self) -> _Circles:
        """Return the circles of the neurons and the rim."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            level = (self._model.tau - self._level) / self._length
            unsure = 8.0 * _EPS * self._size / self._length
            square = (1.0 - level) * (1.0 + level)
            known = (square >= _SMALLEST_RADIUS**2) & (unsure <= _WORST_LEVEL)
        if not known.all():
            raise _NotCertain
        radius = np.sqrt(square)
        blur = 32.0 * _EPS + 2.0 * unsure * (1.0 + 1.0 / radius)
        normal = self._omega / self._length[:, None]
        if self._angle < math.pi:
            normal = np.concatenate((normal, self._direction[None, :]))
            level = np.append(level, math.cos(self._angle))
            radius = np.append(radius, math.sin(self._angle))
            # The angle comes from an arcsine, which is steep where the cap is the whole sphere.
            steep = max(math.cos(0.5 * self._angle), math.sqrt(_EPS))
            blur = np.append(blur, 32.0 * _EPS + 8.0 * _EPS / steep)
        return _circles(normal, level, radius, blur, self.circles)

    def _windows(self, circles: _Circles) -> tuple[IntArray, _Windows]:
        """Find the part of each circle that lies in the cap."""
        k = circles.own.size
        half = np.full(k, np.pi)
        center = np.full(k, 0.7548776662)
        kept = np.ones(k, dtype=np.bool_)
        if self._angle < math.pi:
            u = self._direction
            cos, sin = circles.first @ u, circles.second @ u
            height = circles.radius * np.hypot(cos, sin)
            missing = circles.level[-1] - circles.level * (circles.normal @ u)
            error = circles.blur + circles.blur[-1] + 32.0 * _EPS
            neuron = circles.own >= 0
            crossing = neuron & (np.abs(missing) <= height + error)
            kept = ~neuron | (missing <= height + error)
            if (height[crossing] < 1e6 * error[crossing]).any():
                # A circle parallel to the rim, and next to it.
                raise _NotCertain
            share = (missing[crossing] - error[crossing]) / height[crossing]
            half[crossing] = np.arccos(np.clip(share, -1.0, 1.0)) + 8.0 * _EPS * _TURN
            center[crossing] = np.arctan2(sin[crossing], cos[crossing])
        whole = half >= np.pi
        margin = np.where(whole, 0.0, np.minimum(_MARGIN, 0.25 * (np.pi - half)))
        length = np.where(whole, _TURN, 2.0 * (half + margin))
        slack = np.where(whole, _WORST_SLACK, np.minimum(_WORST_SLACK, 0.5 * margin))
        windows = _Windows(center - half - margin, margin, length - margin, length, slack)
        return np.flatnonzero(kept), windows

    def _look_at(self, circles: _Circles, windows: _Windows) -> None:
        """Sweep some circles, and try the crests of the cells on both sides."""
        active, position, slack, neuron, sign = self._ends(circles, windows)
        start = self._base + active @ self._wave
        # Ends beyond the window lie at infinity and switch nothing.
        there = np.isfinite(position)
        changes = np.where(there[:, :, None], sign[:, :, None] * self._wave[neuron], 0.0)
        states = np.concatenate((start[:, None, :], changes), axis=1).cumsum(axis=1)
        inf = np.full((len(position), 1), np.inf)
        begins = np.concatenate((-inf, position - slack), axis=1)
        stops = np.concatenate((position + slack, inf), axis=1)
        real = begins <= windows.length[:, None]
        self.arcs += int(real.sum())
        self._arcs_of(circles, windows, states, begins, stops, sign)
        self._crests_of(circles, states, real)

    def _ends(
        self, circles: _Circles, windows: _Windows
    ) -> tuple[FloatArray, FloatArray, FloatArray, IntArray, FloatArray]:
        """Return which neurons are on at the origins, and the sorted ends of their arcs."""
        cos = circles.radius[:, None] * (circles.first @ self._omega.T)
        sin = circles.radius[:, None] * (circles.second @ self._omega.T)
        constant = self._level + circles.level[:, None] * (circles.normal @ self._omega.T)
        error = circles.blur[:, None] * self._length + 64.0 * _EPS * self._size
        height = np.maximum(np.hypot(cos, sin), 1e-300)
        missing = self._model.tau - constant
        with np.errstate(over="ignore"):
            hardest, easiest = (missing + error) / height, (missing - error) / height
        always = hardest < -1.0 - 4.0 * _EPS
        own = np.flatnonzero(circles.own >= 0)
        always[own, circles.own[own]] = False
        crossing = ~always & (easiest <= 1.0 + 4.0 * _EPS)
        crossing[own, circles.own[own]] = False
        shortest = np.arccos(np.clip(hardest, -1.0, 1.0))
        longest = np.arccos(np.clip(easiest, -1.0, 1.0))
        half = 0.5 * (shortest + longest)
        slack = 0.5 * (longest - shortest) + 16.0 * _EPS * _TURN
        away = np.arctan2(sin, cos) - windows.origin[:, None]
        begin, stop = np.mod(away - half, _TURN), np.mod(away + half, _TURN)
        nearest = np.minimum(np.minimum(begin, _TURN - begin), np.minimum(stop, _TURN - stop))
        unsure = crossing & ((slack > windows.slack[:, None]) | (nearest <= slack))
        if unsure.any():
            raise _NotCertain
        active = always | (crossing & (np.abs(np.mod(away + np.pi, _TURN) - np.pi) < half))
        position = np.concatenate((begin, stop), axis=1)
        seen = np.concatenate((crossing, crossing), axis=1) & (position <= windows.length[:, None])
        position[~seen] = np.inf
        most = int(seen.sum(axis=1).max())
        order = np.argsort(position, axis=1)[:, :most]
        position = np.take_along_axis(position, order, axis=1)
        neuron = order % self.circles
        width = np.take_along_axis(slack, neuron, axis=1)
        if most > 1:
            reached = np.maximum.accumulate(position + width, axis=1)[:, :-1]
            with np.errstate(invalid="ignore"):
                overlap = (position - width)[:, 1:] <= reached
            if (overlap & np.isfinite(position[:, 1:])).any():
                raise _NotCertain
        sign = np.where(order < self.circles, 1.0, -1.0)
        return active.astype(np.float64), position, width, neuron, sign

    def _arcs_of(
        self,
        circles: _Circles,
        windows: _Windows,
        states: FloatArray,
        begins: FloatArray,
        stops: FloatArray,
        sign: FloatArray,
    ) -> None:
        """Take the supremum along some circles into account."""
        low = np.maximum(begins, windows.first[:, None])
        high = np.minimum(stops, windows.last[:, None])
        cos = circles.radius[:, None] * np.einsum("ijk,ik->ij", states[:, :, :3], circles.first)
        sin = circles.radius[:, None] * np.einsum("ijk,ik->ij", states[:, :, :3], circles.second)
        constant = states[:, :, 3] + circles.level[:, None] * np.einsum(
            "ijk,ik->ij", states[:, :, :3], circles.normal
        )
        crest = np.mod(np.arctan2(sin, cos) - windows.origin[:, None], _TURN)
        inside = (crest >= low) & (crest <= high)
        there = low <= high
        ends = [
            constant
            + cos * np.cos(windows.origin[:, None] + place)
            + sin * np.sin(windows.origin[:, None] + place)
            for place in (np.where(there, low, 0.0), np.where(there, high, 0.0))
        ]
        values = np.where(inside, np.hypot(cos, sin) + constant, np.maximum(*ends))
        # On its own circle a neuron is worth its jump, or nothing, whichever is more.
        neuron = circles.own >= 0
        jump = np.where(neuron, self._factors[circles.own] * self._model.jump, 0.0)
        values += np.maximum(jump, 0.0)[:, None]
        values = np.where(there, values, -np.inf)
        error = self._rounding + circles.blur * (
            2.0 * self._total + 2.0 * float(np.abs(self._base[:3]).sum())
        )
        self.upper = max(self.upper, float((values.max(axis=1) + error).max()))
        row, arc = np.unravel_index(int(np.argmax(values)), values.shape)
        value = float(values[row, arc])
        if self._arc is not None and value <= self._arc.value:
            return
        # At the end of its arc a neuron is off.  So a value next to an end is also the value at it
        # if the neuron is off here: if its arc stopped where this one begins, or begins where this
        # one stops.
        held, inwards, place = True, 0.0, float(crest[row, arc])
        if not inside[row, arc] and ends[0][row, arc] >= ends[1][row, arc]:
            inwards, place = 1.0, float(low[row, arc])
            held = begins[row, arc] < place or bool(sign[row, arc - 1] < 0.0)
        elif not inside[row, arc]:
            inwards, place = -1.0, float(high[row, arc])
            held = stops[row, arc] > place or bool(sign[row, arc] > 0.0)
        lift = 0.0 if not neuron[row] else (1.0 if self._factors[circles.own[row]] > 0 else -1.0)
        self._arc = _Arc(
            value=value,
            circle=circles.part(np.array([row])),
            angle=float(windows.origin[row]) + place,
            inwards=inwards,
            length=float(high[row, arc] - low[row, arc]),
            lift=lift,
            attained=self._model.jump == 0.0 or (held and float(jump[row]) <= 0.0),
        )

    def _crests_of(self, circles: _Circles, states: FloatArray, real: BoolArray) -> None:
        """Take the cells into account that lie beside some arcs and contain their own crest."""
        row, arc = np.nonzero(real)
        off = states[row, arc]
        owner = circles.own[row]
        neuron = owner >= 0
        on = off[neuron] + self._wave[owner[neuron]]
        self._try(off, owner, False)
        self._try(on, owner[neuron], True)

    def _try(self, states: FloatArray, owner: IntArray, on: bool) -> None:
        """Try the crests of cells in which the neuron of the circle is on, or off."""
        length = np.sqrt(np.einsum("ij,ij->i", states[:, :3], states[:, :3]))
        value = length + states[:, 3]
        chosen = np.flatnonzero((value + self._rounding > self.upper) & (length > 0.0))
        states, owner = states[chosen], owner[chosen]
        length, value = length[chosen], value[chosen]
        crest = states[:, :3] / length[:, None]
        # How far the true crest may be from the computed one.
        blur = np.minimum(32.0 * _EPS + 4.0 * self._rounding / length, 2.0)
        kept = np.ones(crest.shape[0], dtype=np.bool_)
        if self._angle < math.pi:
            kept &= crest @ self._direction >= math.cos(self._angle) - blur - 64.0 * _EPS
        if owner.size and owner.min() >= 0:
            own = np.einsum("ij,ij->i", crest, self._omega[owner]) + self._level[owner]
            above = own - self._model.tau
            room = blur * self._length[owner] + 64.0 * _EPS * self._size[owner]
            kept &= (above >= -room) if on else (above <= room)
        order = np.flatnonzero(kept)
        order = order[np.argsort(-value[order], kind="stable")]
        rows = max(1, _CHUNK // self.circles)
        for start in range(0, order.size, rows):
            part = order[start : start + rows]
            part = part[value[part] + self._rounding > self.upper]
            if not part.size:
                return
            self._judge(crest[part], value[part], blur[part])

    def _judge(self, crest: FloatArray, value: FloatArray, blur: FloatArray) -> None:
        """Take the crests into account that have the value of their cell."""
        z = crest @ self._omega.T + self._level
        above = z - self._model.tau
        room = blur[:, None] * self._length + 64.0 * _EPS * self._size
        near = np.abs(above) <= room
        outputs = np.where(above > 0.0, z - self._model.shift, 0.0)
        there = crest @ self._base[:3] + self._base[3] + outputs @ self._factors
        doubt = (near * (self._model.jump + 2.0 * room)) @ np.abs(self._factors)
        error = self._rounding + blur * (self._total + 2.0 * float(np.abs(self._base[:3]).sum()))
        held = np.flatnonzero(np.abs(there - value) <= 2.0 * error + doubt)
        if not held.size:
            return
        best = held[int(np.argmax(value[held]))]
        # At the true crest the value of the cell is right up to the rounding of A and C.
        self.upper = max(self.upper, float(value[best]) + self._rounding)
        if self._crest is None or value[best] > self._crest[0]:
            self._crest = (float(value[best]), crest[best])


def _circles(
    normal: FloatArray, level: FloatArray, radius: FloatArray, blur: FloatArray, neurons: int
) -> _Circles:
    """Complete circles by an orthonormal basis; one beyond those of the neurons is the rim."""
    k = len(normal)
    axis = np.zeros((k, 3))
    axis[np.arange(k), np.argmin(np.abs(normal), axis=1)] = 1.0
    first = axis - np.einsum("ij,ij->i", axis, normal)[:, None] * normal
    first /= np.sqrt(np.einsum("ij,ij->i", first, first))[:, None]
    own = np.where(np.arange(k) < neurons, np.arange(k), -1)
    return _Circles(normal, level, radius, first, np.cross(normal, first), blur, own)


def _beside(arc: _Arc) -> FloatArray:
    """Return directions next to the best place of an arc, on the better side of its circle."""
    circle = arc.circle
    steps = [arc.inwards * min(step, 0.25 * arc.length) for step in _STEPS]
    angles = arc.angle + np.array([0.0, *steps])
    points = (
        circle.level * circle.normal
        + circle.radius * np.cos(angles)[:, None] * circle.first
        + circle.radius * np.sin(angles)[:, None] * circle.second
    )
    if arc.lift:
        lifts = np.repeat(arc.lift * np.array((0.0, *_LIFTS)), len(points))
        points = np.tile(points, (len(_LIFTS) + 1, 1)) + lifts[:, None] * circle.normal
    return np.asarray(points / np.sqrt(np.einsum("ij,ij->i", points, points))[:, None])
