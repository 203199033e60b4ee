r"""The exact worst case on the circle (d = 3): a cap is an arc, and one sort finds its extremes.

For d = 3 the input space X of the paper is a circle, ``x(phi) = (s cos phi, s sin phi, 1/2)`` with
``s = sqrt(3)/2``, and a cap ``B2(x, rho)`` (Definition 3.3) is an arc of it.  On the circle a
pre-activation is one wave,

    z_r(phi) = R_r cos(phi - psi_r) + c_r,   R_r = s |(w_{r,1}, w_{r,2})|,   c_r = w_{r,3}/2 + b_r,

so neuron r is active on one open arc ``psi_r +- arccos((tau - c_r) / R_r)`` (or never, or always).
Between two neighboring ends of such arcs the active set does not change and f is a single wave
``A cos phi + B sin phi + C``, whose extremes are known in closed form.  Sorting the ends and adding
up the coefficients gives the supremum and the infimum of f over any arc in ``O(m log m)``.

**What is certain.**  The ends are computed in floating point.  Each has an interval that provably
holds it, wider where the wave only just reaches tau (there the arccosine is steep).  Where
intervals overlap, the order of the ends is not known; such a *cluster* is bracketed by switching on
every change that helps.  So `CircleExtremes.upper` and `CircleExtremes.lower` bound the real
supremum and infimum of the stored network, rounding included, while ``sup`` and ``inf`` are the
extremes over the arcs that are certain.  Changes of neurons with the very same weights and bias
happen at the very same place and are added up before they are bracketed.

**Attained or not.**  The shifted ReLU of the paper jumps, and it is active strictly above tau.  At
the end of its arc a neuron is inactive, so a supremum that is approached at such an end from the
inside is not attained: the maximizer ``A*`` of Definition 3.4 then does not exist.  `sup_attained`
tells the two cases apart; the witness lies inside the arc, close to its end.

Know before changing it: ties at an end are decided by the strict inequality of
:class:`sublinear_lib.network.TwoLayerNetwork`, and cumulative sums run in ``longdouble``, whose
precision depends on the platform; the error term asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from sublinear_lib import geometry, validation
from sublinear_lib._arguments import Nonnegative
from sublinear_lib._typing import BoolArray, FloatArray, IntArray
from sublinear_lib.adversary.ascent import Search
from sublinear_lib.adversary.protocol import AttackResult, Batch, CapAttack, whole_network
from sublinear_lib.network import TwoLayerNetwork, expect_network

__all__ = [
    "CircleExtremes",
    "CircleWave",
    "ExactOnCircle",
    "extremes_on_circle",
    "largest_gap_on_circle",
    "point_at",
]

_TURN = 2.0 * np.pi
_EPS = float(np.finfo(np.float64).eps)
_LONG_EPS = float(np.finfo(np.longdouble).eps)
_INSIDE = 1e-9
_SAME = 1e-11


class _Keys:
    """What decides where arcs are; looked up only for the few that seem to share an end."""

    def __init__(self, parts: list[tuple[TwoLayerNetwork, BoolArray]]) -> None:
        self._parts = parts
        self._neurons: list[IntArray] | None = None

    def __call__(self, arc: int) -> FloatArray:
        """Return weights and bias of the neuron of an arc, shape (4,)."""
        if self._neurons is None:
            self._neurons = [np.flatnonzero(crossing) for _, crossing in self._parts]
        for (network, _), neurons in zip(self._parts, self._neurons, strict=True):
            if arc < neurons.size:
                r = neurons[arc]
                return np.append(network.W[r], network.b[r])
            arc -= neurons.size
        raise IndexError(f"there is no arc {arc}")


class _Arcs(NamedTuple):
    """Waves that are switched on along one open arc each."""

    center: FloatArray
    """The angle psi of the arc's middle, shape (k,)."""
    half: FloatArray
    """Its computed half-length, in (0, pi), shape (k,)."""
    slack: FloatArray
    """How far each of its two ends may be from where it was computed, shape (k,)."""
    wave: FloatArray
    """Coefficients of cos, sin and 1 while it is on, shape (3, k)."""
    key: _Keys
    """The numbers that decide where the ends are."""


class _Neurons(NamedTuple):
    """Where the neurons of a network are active on the circle."""

    always: BoolArray
    """Certainly active everywhere, shape (m,)."""
    crossing: BoolArray
    """Active on an arc, or too close to tell, shape (m,)."""
    center: FloatArray
    half: FloatArray
    slack: FloatArray
    """All of the crossing ones, shape (k,)."""


def _where_active(network: TwoLayerNetwork) -> _Neurons:
    """Find the arcs on which the neurons are active, with an interval for their ends."""
    W, b, tau = network.W, network.b, network.tau
    radius = geometry.SLICE_RADIUS * np.hypot(W[:, 0], W[:, 1])
    level = tau - (0.5 * W[:, 2] + b)
    size = tau + np.abs(0.5 * W[:, 2]) + np.abs(b)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        cosine = level / radius
        error = _EPS * (4.0 * np.abs(cosine) + 4.0 * size / radius)
    constant = ~np.isfinite(cosine)
    for r in np.flatnonzero(constant & (np.abs(level) <= 4.0 * _EPS * size)):
        exact = Fraction(tau) - Fraction(W[r, 2]) / 2 - Fraction(b[r])
        level[r] = float((exact > 0) - (exact < 0))
    cosine[constant] = np.where(level[constant] < 0.0, -np.inf, np.inf)
    error[constant] = 0.0
    always = cosine + error < -1.0
    crossing = ~always & (cosine - error < 1.0)
    shortest = np.arccos(np.clip(cosine[crossing] + error[crossing], -1.0, 1.0))
    longest = np.arccos(np.clip(cosine[crossing] - error[crossing], -1.0, 1.0))
    center = np.arctan2(W[crossing, 1], W[crossing, 0])
    slack = 0.5 * (longest - shortest) + 8.0 * _EPS * _TURN
    return _Neurons(always, crossing, center, 0.5 * (shortest + longest), slack)


class _Ends(NamedTuple):
    """The ends of arcs in a window, in the order of the certain intervals."""

    left: FloatArray
    """Where each end is at least, shape (e,), ascending; angles from the origin of the window."""
    right: FloatArray
    """Where each end is at most."""
    arc: IntArray
    """The arc it belongs to."""
    sign: FloatArray
    """+1 where the arc begins, -1 where it stops."""


@dataclass(frozen=True)
class CircleExtremes:
    """The exact extremes of a function over an arc of the circle.

    Parameters
    ----------
    sup, inf : float
        Supremum and infimum over the parts of the arc where the active set is certain.  On an arc
        without such a part, a point at the end of an activity arc, those of the waves on either
        side of it; then neither counts as attained.
    upper, lower : float
        Certified bounds of the real supremum and infimum: ``lower <= f <= upper`` on the arc.
    angle_sup, angle_inf : float
        Angles phi, radians, where `sup` and `inf` are attained or, if not, next to where they are
        approached.
    sup_attained, inf_attained : bool
        Whether the arc holds a point with this value.
    ends : int
        Ends of activity arcs met on the way: each is one change of the active set.
    clustered : int
        How many of them could not be put in order.
    """

    sup: float
    inf: float
    upper: float
    lower: float
    angle_sup: float
    angle_inf: float
    sup_attained: bool
    inf_attained: bool
    ends: int
    clustered: int

    @property
    def X_sup(self) -> FloatArray:
        """The point of X at `angle_sup`, shape (3,)."""
        return point_at(self.angle_sup)

    @property
    def X_inf(self) -> FloatArray:
        """The point of X at `angle_inf`, shape (3,)."""
        return point_at(self.angle_inf)


def point_at(angle: float) -> FloatArray:
    """Return the point of X at an angle, for d = 3."""
    return np.asarray(geometry.embed(np.array([[np.cos(angle), np.sin(angle)]]))[0])


class CircleWave:
    """A sum of waves, each switched on along one open arc: f or f - g on the circle.

    Use `of_network` or `of_gap` to make one; the arcs are computed once and serve any number of
    caps.

    Parameters
    ----------
    base : ndarray of float64, shape (3,)
        Coefficients of cos, sin and 1 that count everywhere.
    base_size : ndarray of float64, shape (3,)
        The sum of the absolute values that `base` was added up from, for the error bound.
    arcs : _Arcs
        The switched waves.
    """

    def __init__(self, base: FloatArray, base_size: FloatArray, arcs: _Arcs) -> None:
        self._base = base
        self._base_size = base_size
        self._arcs = arcs

    @classmethod
    def of_network(cls, network: TwoLayerNetwork) -> CircleWave:
        """Return f on the circle.

        Parameters
        ----------
        network : TwoLayerNetwork
            The network, with ``d = 3``.

        Returns
        -------
        CircleWave
            The same function.

        Raises
        ------
        TypeError, ValueError
            If `network` is not a network with ``d = 3``.
        """
        checked = _on_circle(network, "network")
        return cls(*_waves([(checked, _own_waves(checked))]))

    @classmethod
    def of_gap(cls, initial: TwoLayerNetwork, W: object) -> CircleWave:
        """Return f - g on the circle, the network minus the pseudo-network (Section 4).

        Parameters
        ----------
        initial : TwoLayerNetwork
            The network at initialization, with ``d = 3``.
        W : array-like, shape (m, 3)
            The present weights.

        Returns
        -------
        CircleWave
            ``f(x; W) - g(x; W)``.

        Raises
        ------
        TypeError, ValueError
            If an argument is of the wrong type or shape.
        """
        start = _on_circle(initial, "initial")
        now = start.with_weights(W)
        moved = now.W - start.W
        scale = geometry.SLICE_RADIUS
        linear = np.stack((scale * moved[:, 0], scale * moved[:, 1], 0.5 * moved[:, 2]))
        return cls(*_waves([(now, _own_waves(now)), (start, -start.a * linear)]))

    @property
    def arcs(self) -> int:
        """How many waves are switched on along a part of the circle only."""
        return self._arcs.center.size

    def extremes(self, angle: object, half_angle: object) -> CircleExtremes:
        """Return the supremum and the infimum over one arc.

        Parameters
        ----------
        angle : float
            The middle of the arc, radians.
        half_angle : float
            Its half-length, radians, ``>= 0``; pi and more mean the whole circle.

        Returns
        -------
        CircleExtremes
            Extremes, certified bounds and where they are.

        Raises
        ------
        TypeError, ValueError
            If an argument is not a finite number in its range.
        FloatingPointError
            If there is no place near the arc where it is certain which waves are on: for waves so
            flat that rounding decides whether they reach tau.

        Notes
        -----
        Cost: ``O(m)`` and a sort of the ends in the arc.
        """
        middle = validation.scalar(angle, "angle")
        half = validation.scalar(half_angle, "half_angle", minimum=0)
        if abs(middle) > _TURN:
            # The slack of the ends pays for the rounding of angles within a turn only.
            middle = float(np.arctan2(np.sin(middle), np.cos(middle)))
        whole = half >= np.pi
        length = _TURN if whole else 2.0 * half
        origin, active, begin, stop = self._start(middle - 0.5 * length)
        first = 0.0 if whole else middle - half - origin
        ends = self._ends(begin, stop, first + length)
        sweep = _Sweep(self._arcs, ends, self._states(active, ends, origin), first, first + length)
        error = self._error(sweep, ends.arc.size)
        top, bottom = sweep.best(1.0, error), sweep.best(-1.0, error)
        return CircleExtremes(
            sup=top.value,
            inf=-bottom.value,
            upper=top.bound,
            lower=-bottom.bound,
            angle_sup=origin + top.position,
            angle_inf=origin + bottom.position,
            sup_attained=top.attained,
            inf_attained=bottom.attained,
            ends=ends.arc.size,
            clustered=sweep.clustered,
        )

    def _start(self, wanted: float) -> tuple[float, BoolArray, FloatArray, FloatArray]:
        """Return an angle at or shortly before the one wanted where it is certain what is on."""
        arcs = self._arcs
        origin = wanted
        for attempt in range(1, 64):
            begin = np.mod(arcs.center - arcs.half - origin, _TURN)
            stop = np.mod(arcs.center + arcs.half - origin, _TURN)
            clear = 2.0 * arcs.slack
            if all(
                (position > clear).all() and (_TURN - position > clear).all()
                for position in (begin, stop)
            ):
                away = np.mod(origin - arcs.center + np.pi, _TURN) - np.pi
                return origin, np.abs(away) < arcs.half, begin, stop
            # Irregular steps, so that no regular pattern of ends can meet them all.
            origin = wanted - 1e-7 * attempt**2 * 1.6180339887
        raise FloatingPointError(
            f"the active set could not be made certain anywhere near the angle {wanted}"
        )

    def _ends(self, begin: FloatArray, stop: FloatArray, limit: float) -> _Ends:
        """Return the ends of arcs that may lie before the limit, sorted."""
        slack = self._arcs.slack
        begins = np.flatnonzero(begin - slack <= limit)
        stops = np.flatnonzero(stop - slack <= limit)
        arc = np.concatenate((begins, stops))
        position = np.concatenate((begin[begins], stop[stops]))
        sign = np.repeat((1.0, -1.0), (begins.size, stops.size))
        if limit > _TURN:
            # The origin lies before the window, and the window reaches beyond it after a turn.
            again = np.flatnonzero(position - slack[arc] <= limit - _TURN)
            arc = np.concatenate((arc, arc[again]))
            position = np.concatenate((position, position[again] + _TURN))
            sign = np.concatenate((sign, sign[again]))
        left = position - slack[arc]
        # A stable sort costs three times as much, and only equal ends need one.
        order = np.argsort(left)
        lefts = left[order]
        if (lefts[1:] == lefts[:-1]).any():
            order = np.argsort(left, kind="stable")
        arc = arc[order]
        return _Ends(lefts, position[order] + slack[arc], arc, sign[order])

    def _states(self, active: BoolArray, ends: _Ends, origin: float) -> FloatArray:
        """Return the wave before, between and after the ends, turned to the origin: (3, e + 1)."""
        changes = np.empty((3, ends.arc.size + 1), dtype=np.longdouble)
        changes[:, 0] = self._base
        changes[:, 0] += self._arcs.wave[:, active].sum(axis=1, dtype=np.longdouble)
        np.multiply(self._arcs.wave[:, ends.arc], ends.sign, out=changes[:, 1:])
        return _turned(np.cumsum(changes, axis=1).astype(np.float64), origin)

    def _error(self, sweep: _Sweep, ends: int) -> float:
        """Bound the rounding error of every value of the sweep."""
        wave = np.abs(self._arcs.wave)
        steps = max(ends, 2 * self._arcs.center.size) + 2
        # Each wave is switched on and off once, and again where the window passes its origin.
        often = 3.0 if ends <= 2 * self._arcs.center.size else 5.0
        terms = often * (wave.sum() + self._base_size.sum())
        return float(16.0 * _EPS * sweep.largest + (steps * _LONG_EPS + 4.0 * _EPS) * terms)


class _Best(NamedTuple):
    """The largest value on an arc."""

    value: float
    position: float
    bound: float
    attained: bool


class _Sweep:
    """The certain intervals of a window and the clusters between them."""

    def __init__(
        self, arcs: _Arcs, ends: _Ends, states: FloatArray, first: float, last: float
    ) -> None:
        self._arcs, self._ends, self._states = arcs, ends, states
        self._first, self._last = first, last
        e = ends.arc.size
        reached = np.maximum.accumulate(ends.right)
        low = np.concatenate(([-np.inf], reached))
        high = np.concatenate((ends.left, [np.inf]))
        # Which intervals lie between clusters; the others are inside one.
        self._between = low < high
        certain = np.flatnonzero(self._between & (np.maximum(low, first) <= np.minimum(high, last)))
        self._nowhere = not certain.size
        if self._nowhere:
            # A window as narrow as a rounding error, in a cluster: take the waves around it.
            outer = np.flatnonzero(self._between)
            before = np.flatnonzero(high[outer] <= last)[-1]
            certain = outer[before : before + 2]
        self._low = np.clip(low[certain], first, last)
        self._high = np.clip(high[certain], first, last)
        if self._nowhere:
            self._low[:], self._high[:] = first, last
        self._certain = certain
        self._height = np.hypot(states[0, certain], states[1, certain])
        self._at_low = _value(states[:, certain], self._low)
        self._at_high = _value(states[:, certain], self._high)
        self._heads = np.flatnonzero(self._between[:e])
        self._sizes = np.diff(np.append(self._heads, e))
        self.clustered = int(self._sizes[self._sizes > 1].sum())
        self.largest = float(np.abs(states).sum(axis=0).max())

    def best(self, side: float, error: float) -> _Best:
        """Return the supremum of `side` times the function, ``side = +1`` or ``-1``."""
        at_low, at_high = side * self._at_low, side * self._at_high
        values = np.maximum(at_low, at_high)
        # A crest counts where it lies inside; only those above all ends have to be located.
        tops = side * self._states[2, self._certain]
        tops += self._height
        high_enough = np.flatnonzero(tops >= values.max())
        cos, sin = side * self._states[:2, self._certain[high_enough]]
        crest = np.mod(np.arctan2(sin, cos), _TURN)
        crest = np.where(crest < self._low[high_enough], crest + _TURN, crest)
        inside = (crest > self._low[high_enough]) & (crest < self._high[high_enough])
        values[high_enough[inside]] = tops[high_enough[inside]]
        value = float(values.max())
        # At a kink of a continuous f the pieces on either side have the same value: the first of
        # those between which only rounding decides, so that equal runs find equal places.
        winner = int(np.argmax(values >= value - _SAME))
        bound = max(value, self._largest_in_clusters(side, value - error)) + error
        place = int(np.searchsorted(high_enough, winner))
        if place < high_enough.size and high_enough[place] == winner and inside[place]:
            return _Best(value, float(crest[place]), bound, not self._nowhere)
        low, high = float(self._low[winner]), float(self._high[winner])
        # No further inside than costs a small part of 1e-8, however steep the wave is.
        slope = max(float(self._height[winner]), 1.0)
        step = min(0.25 * (high - low), _INSIDE / slope)
        interval = int(self._certain[winner])
        if at_low[winner] >= at_high[winner]:
            attained = low == self._first or self._holds(interval - 1, -1.0, error)
            attained = attained and not self._nowhere
            step = 0.0 if low == self._first else step
            return _Best(value, low + step, bound, attained)
        attained = high == self._last or self._holds(interval, 1.0, error)
        attained = attained and not self._nowhere
        step = 0.0 if high == self._last else step
        return _Best(value, high - step, bound, attained)

    def _holds(self, end: int, closing: float, error: float) -> bool:
        """Tell whether the value next to an end is also the value at it.

        At its end an arc is off.  So the value at a beginning is the one before it, and the value
        at a stop is the one after it; `closing` is the sign of the end at which the value next to
        it is kept.  A wave that is zero at its end changes nothing.
        """
        jump = self._states[:, end + 1] - self._states[:, end]
        small = abs(float(_value(jump[:, None], self._ends.left[end : end + 1])[0])) <= error
        return bool(small or self._ends.sign[end] == closing)

    def _largest_in_clusters(self, side: float, level: float) -> float:
        """Bound the function in the clusters that touch the window, by all changes that help.

        Clusters in which it certainly stays below the level may be left out.
        """
        if not self._ends.arc.size:
            return -np.inf
        found = -np.inf
        many = self._sizes > 1
        for clusters in (np.flatnonzero(many), self._single_above(side, level, ~many)):
            if clusters.size:
                found = max(found, self._bound_clusters(side, clusters))
        return found

    def _single_above(self, side: float, level: float, single: BoolArray) -> IntArray:
        """Return the clusters of one end whose two neighbors do not keep them below the level.

        Between the places where it is certain what is on, the function is one wave or the other,
        and no wave rises faster than its height.
        """
        ends, heads = self._ends, self._heads
        e = ends.arc.size
        # The values next to an end, at the certain interval before and at the one after it.
        before, after = np.full(e + 1, np.inf), np.full(e + 1, np.inf)
        before[self._certain] = side * self._at_high
        after[self._certain] = side * self._at_low
        height = np.zeros(e + 1)
        height[self._certain] = self._height
        end = heads[single]
        # At the rim of the window the certain intervals are cut: their values are elsewhere.
        whole = (ends.left[end] >= self._first) & (ends.right[end] <= self._last)
        room = (ends.right[end] - ends.left[end]) * np.maximum(height[end], height[end + 1])
        above = np.maximum(before[end], after[end + 1]) + 2.0 * room > level
        kept: IntArray = np.flatnonzero(single)[above | ~whole]
        return kept

    def _bound_clusters(self, side: float, clusters: IntArray) -> float:
        ends = self._ends
        first, sizes = self._heads[clusters], self._sizes[clusters]
        owner = np.repeat(np.arange(clusters.size), sizes)
        offset = np.cumsum(sizes) - sizes
        members = np.arange(owner.size) - offset[owner] + first[owner]
        left = ends.left[first]
        right = np.maximum.reduceat(ends.right[members], offset)
        touching = (right >= self._first) & (left <= self._last)
        if not touching.any():
            return -np.inf
        jumps = self._states[:, members + 1] - self._states[:, members]
        starts = self._first_of_equals(members, owner)
        if starts.size < members.size:
            jumps = np.add.reduceat(jumps, starts, axis=1)
            owner = owner[starts]
        start, width = left[owner], (right - left)[owner]
        reach = np.hypot(jumps[0], jumps[1]) * width
        helps = np.maximum(side * _value(jumps, start) + reach, 0.0)
        total = np.bincount(owner, weights=helps, minlength=clusters.size)
        before = self._states[:, first]
        total += side * _value(before, left) + np.hypot(before[0], before[1]) * (right - left)
        return float(total[touching].max())

    def _first_of_equals(self, members: IntArray, owner: IntArray) -> IntArray:
        """Return where runs of ends begin that lie at the very same place in real arithmetic."""
        ends, key = self._ends, self._arcs.key
        left, sign, arc = ends.left[members], ends.sign[members], ends.arc[members]
        equal = (left[1:] == left[:-1]) & (sign[1:] == sign[:-1]) & (owner[1:] == owner[:-1])
        for position in np.flatnonzero(equal):
            equal[position] = np.array_equal(key(arc[position]), key(arc[position + 1]))
        return np.flatnonzero(np.concatenate(([True], ~equal)))


def _value(waves: FloatArray, position: FloatArray) -> FloatArray:
    """Return ``A cos + B sin + C`` of each wave at its position."""
    return np.asarray(waves[0] * np.cos(position) + waves[1] * np.sin(position) + waves[2])


def _turned(waves: FloatArray, origin: float) -> FloatArray:
    """Return the same waves as functions of the angle from the origin."""
    cos, sin = np.cos(origin), np.sin(origin)
    return np.stack((waves[0] * cos + waves[1] * sin, waves[1] * cos - waves[0] * sin, waves[2]))


def _on_circle(network: object, name: str) -> TwoLayerNetwork:
    found = expect_network(network, name)
    if found.d != 3:
        raise ValueError(f"{name} must have d = 3, for which X is a circle, got d = {found.d}")
    return found


def _own_waves(network: TwoLayerNetwork) -> FloatArray:
    """Return what each neuron contributes while it is active, shape (3, m)."""
    scale = geometry.SLICE_RADIUS * network.a
    constant = 0.5 * network.W[:, 2] + network.b - network.shift
    return np.stack((scale * network.W[:, 0], scale * network.W[:, 1], network.a * constant))


def _waves(
    parts: list[tuple[TwoLayerNetwork, FloatArray]],
) -> tuple[FloatArray, FloatArray, _Arcs]:
    """Split the waves of networks into those always on and those on arcs."""
    base, size = np.zeros(3, dtype=np.longdouble), np.zeros(3)
    arcs, keys = [], []
    for network, wave in parts:
        where = _where_active(network)
        base += wave[:, where.always].sum(axis=1, dtype=np.longdouble)
        size += np.abs(wave[:, where.always]).sum(axis=1)
        keys.append((network, where.crossing))
        arcs.append((where.center, where.half, where.slack, wave[:, where.crossing]))
    center, half, slack, joined = (
        np.concatenate(each, axis=-1) for each in zip(*arcs, strict=True)
    )
    return base.astype(np.float64), size, _Arcs(center, half, slack, joined, _Keys(keys))


@dataclass(frozen=True, kw_only=True)
class ExactOnCircle(CapAttack):
    """The best adversary there is on the circle (d = 3): the worst point of every cap.

    Parameters
    ----------
    rho : float
        Radius of the caps, a Euclidean chord length, ``>= 0``.

    Raises
    ------
    TypeError, ValueError
        If `rho` is not a finite number ``>= 0``.

    Notes
    -----
    Where the supremum of the loss is not attained, the point returned lies inside the arc on which
    it is approached, so that the loss there falls short of it by rounding and a step of at most
    1e-9 radians.  It takes a network, or the evaluator of a trainer, which knows its network; it
    looks at all m neurons then, ``O(m log m)`` per step and ``O(m)`` per example more.  Source:
    ``A*`` of Definition 3.4.

    Examples
    --------
    >>> network = TwoLayerNetwork([[1.0, 0.0, 0.0]], [1.0], [0.0], tau=0.5)
    >>> x = [[3**0.5 / 2 * np.cos(1.0), 3**0.5 / 2 * np.sin(1.0), 0.5]]
    >>> result = ExactOnCircle(rho=0.3)(network, x, [-1.0], "absolute", rng=0)
    >>> result.loss.round(6)
    array([1.688466])
    """

    rho: Nonnegative

    def _parts(self, batch: Batch) -> int:
        return len(batch.X) + 3

    def _attack(self, batch: Batch, generator: np.random.Generator) -> AttackResult:
        wave = CircleWave.of_network(_on_circle(whole_network(batch.target), "network"))
        half = geometry.cap_angle(self.rho)
        caps = []
        for x in batch.X:
            caps.append(wave.extremes(np.arctan2(x[1], x[0]), half))
            batch.tick()
        search = Search(batch)
        for found in ([cap.X_sup for cap in caps], [cap.X_inf for cap in caps]):
            points = geometry.project_to_caps(np.array(found), batch.X, self.rho)
            search.see(points, batch.evaluator.value(points))
        return search.result()


def extremes_on_circle(network: TwoLayerNetwork, X: object, rho: float) -> list[CircleExtremes]:
    """Return the exact extremes of the network over the cap of each point (d = 3).

    Parameters
    ----------
    network : TwoLayerNetwork
        The network, ``d = 3``.
    X : array-like, shape (n, 3)
        Points on the slice.
    rho : float
        Radius of the caps, a Euclidean chord length, ``>= 0``.

    Returns
    -------
    list of CircleExtremes
        One for each point.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type, shape or value.

    Notes
    -----
    For every loss that is convex in the output, the worst loss over the cap is the larger one of
    the losses at the two extremes.  Source: Definitions 3.3 and 3.4.

    Examples
    --------
    >>> network = TwoLayerNetwork([[1.0, 0.0, 0.0]], [1.0], [0.0], tau=0.5)
    >>> x = [[3**0.5 / 2 * np.cos(1.0), 3**0.5 / 2 * np.sin(1.0), 0.5]]
    >>> (cap,) = extremes_on_circle(network, x, rho=0.3)
    >>> round(cap.sup, 6), cap.sup_attained  # z = sqrt(3)/2 cos(phi) at the near end of the cap
    (0.688466, True)
    >>> cap.inf  # beyond the angle at which z = 0.5, the neuron is silent
    0.0
    """
    wave = CircleWave.of_network(network)
    points = validation.points_on_slice(X, d=3)
    half = geometry.cap_angle(rho)
    return [wave.extremes(np.arctan2(x[1], x[0]), half) for x in points]


def largest_gap_on_circle(initial: TwoLayerNetwork, W: object) -> CircleExtremes:
    """Return the exact extremes of f - g over all of X (d = 3).

    Parameters
    ----------
    initial : TwoLayerNetwork
        The network at initialization, ``d = 3``.
    W : array-like, shape (m, 3)
        The present weights.

    Returns
    -------
    CircleExtremes
        ``max(upper, -lower)`` bounds ``sup_X |f - g|``, the quantity of Theorem 4.1.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type or shape.

    Notes
    -----
    Source: Theorem 4.1 and Section 4.
    """
    return CircleWave.of_gap(initial, W).extremes(0.0, np.pi)
