r"""How much f and g change when the input moves a little: Lemma 4.2 = C.9 and Theorem C.

The paper moves x by ``mu`` with ``||mu|| <= 1/m`` inside X and bounds the change of f and of g for
every W of the ball ``||w_r - w_{r,0}|| <= delta``.  As in Proposition 1 the neurons do not share
anything, so the suprema over the ball split into m problems, here in *two* variables: the moves
``<dw_r, x>`` and ``<dw_r, x + mu>``, which range over an ellipse.  The change of one neuron is
linear on each of the four regions "silent or active before, silent or active after", so its maximum
is found by hand.  Two things to know before changing anything.  Active means ``z > tau`` strictly,
so a neuron that an adversary *parks* on the threshold is silent, and the smallest move of the input
turns it on: with the jump activation that alone changes f by tau.  And the change
``<w_{r,0}, mu>`` of a pre-activation is passed as a number of its own; as a difference of two
pre-activations it would have lost half its digits at ``||mu|| = 1/m``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Literal, TypeAlias

import numpy as np
from scipy import special

from sublinear_lib import scaling
from sublinear_lib._arguments import (
    Check,
    Count,
    Dimension,
    Nonnegative,
    Positive,
    Probability,
    Share,
    checked,
)
from sublinear_lib._typing import BoolArray, FloatArray
from sublinear_lib.activations import ShiftedReLU, get_activation
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.theory import existence
from sublinear_lib.theory.caps import cap_share
from sublinear_lib.theory.flips import (
    largest_norm_bound,
    uniform_active_bound,
    uniform_near_bound,
    window_probability,
)
from sublinear_lib.theory.worst_case import window_integral
from sublinear_lib.validation import choice, count, float_array, points_on_slice, scalar

__all__ = [
    "certified_change",
    "expected_f_change",
    "expected_g_change",
    "expected_parkable",
    "f_terms",
    "flip_tail_bracket",
    "g_terms",
    "moved_flips",
    "parkable_probability",
    "perturbed_weights",
    "printed_f_bound",
    "printed_g_bound",
    "reachable_flips",
    "repaired_f_order",
    "worst_perturbation",
    "worst_perturbation_at",
]

Side = Literal["above", "below"]
_DIAMETER = 2.0  # of the unit sphere: no two points of norm 1 are farther apart
Move: TypeAlias = Annotated[
    float,
    Check(
        scalar,
        "float in (0, 2]",
        "type({0}) is float and 0.0 < {0} <= 2.0",
        {"exclusive_minimum": 0.0, "maximum": _DIAMETER},
    ),
]
_FAR = 40.0  # standard deviations beyond which nothing is left in float64
_NODES, _PANELS = 32, 12  # of the rule on the part of an integral that has a square root


@dataclass(frozen=True)
class _Best:
    """The largest change found for every neuron, and the move in the plane of x and x + mu."""

    value: FloatArray
    p: FloatArray
    q: FloatArray

    def offer(self, value: FloatArray, p: FloatArray, q: FloatArray, valid: BoolArray) -> None:
        """Keep another move where it is possible and better."""
        with np.errstate(invalid="ignore"):
            better = valid & (value > self.value)
        for kept, new in ((self.value, value), (self.p, p), (self.q, q)):
            kept[better] = new[better]


def _middle(nu: float) -> float:
    """Return ``h = sqrt(1 - nu^2/4)``, how far from zero the middle of x and x + mu is."""
    return math.sqrt((1.0 - nu / 2.0) * (1.0 + nu / 2.0))


def _highest(
    s: FloatArray, change: FloatArray, delta: float, nu: float, jump: float, margin: float = 0.0
) -> _Best:
    """Maximize ``sigma(v') - sigma(v)`` over the disk; see `_range` for the letters.

    A positive margin keeps every pre-activation at least so far from the threshold.
    """
    h = _middle(nu)
    after = s + change
    best = _Best(np.full(s.shape, -np.inf), np.zeros(s.shape), np.zeros(s.shape))

    def fixed(p: float, q: float) -> tuple[FloatArray, FloatArray]:
        return np.full(s.shape, p), np.full(s.shape, q)

    def chord(level: FloatArray, side: float, end: float) -> tuple[FloatArray, FloatArray]:
        """Return an end of the chord on which v (side -1) or v' (side 1) is tau + s - level."""
        with np.errstate(invalid="ignore"):
            half = np.sqrt((delta - level) * (delta + level))
        p = -level * h - side * end * (nu / 2.0) * half
        q = -side * level * (nu / 2.0) + end * h * half
        return p, q

    # Both active, the steepest move.
    p, q = fixed(0.0, delta)
    e, rise = s - delta * nu / 2.0, change + delta * nu
    best.offer(rise, p, q, (e > margin) & (e + rise > margin))
    # Silent at x, active at x + mu, the move along x + mu.
    p, q = fixed(delta * h, delta * nu / 2.0)
    e, end = s + delta * (1.0 - nu * nu / 2.0), after + delta
    best.offer(end + jump, p, q, (e <= -margin) & (end > margin))
    with np.errstate(invalid="ignore"):
        # Parked at x, silent there, and active at x + mu.
        p, q = chord(s + margin, -1.0, 1.0)
        rise = change + q * nu
        best.offer(rise - margin + jump, p, q, rise - margin > margin)
        # Just active at x and at x + mu.
        p, q = chord(s - margin, -1.0, 1.0)
        rise = change + q * nu
        best.offer(rise, p, q, rise > 0.0)
        # Active at both, just so at x + mu: it falls, but as little as possible.
        for end_of in (1.0, -1.0):
            p, q = chord(after - margin, 1.0, end_of)
            rise = change + q * nu
            best.offer(rise, p, q, rise <= 0.0)
        # Silent at both.
        nothing = np.zeros(s.shape)
        p, q = fixed(-delta * h, delta * nu / 2.0)
        e = s - delta
        silent = (e <= -margin) & (e + change + delta * nu * nu / 2.0 <= -margin)
        best.offer(nothing, p, q, silent)
        p, q = chord(after + margin, 1.0, 1.0)
        best.offer(nothing, p, q, change + q * nu >= 0.0)
        p, q = chord(s + margin, -1.0, -1.0)
        best.offer(nothing, p, q, change + q * nu <= 0.0)
    # Active at x and silent at x + mu whatever one does: lose as little as possible.
    p, q = fixed(-delta * h, delta * nu / 2.0)
    e = s - delta
    best.offer(-e - jump, p, q, (e > margin) & (e + change + delta * nu * nu / 2.0 <= -margin))
    return best


def _range(
    s: FloatArray, change: FloatArray, delta: float, nu: float, jump: float
) -> tuple[FloatArray, FloatArray]:
    r"""Return how far the output of each neuron can fall and rise between x and x + mu (C.9).

    They are infimum and supremum over ``||dw|| <= delta`` of ``sigma(z' + <dw, x + mu>) -
    sigma(z + <dw, x>)``, with ``s = z - tau`` and ``z' = z + change``.

    *Proof.*  Let x' = x + mu, both of norm 1, ``h = sqrt(1 - nu^2/4)``, and p, q the coordinates of
    dw along ``(x + x')/(2h)`` and ``mu/nu``, which are orthonormal.  What is orthogonal to both
    changes nothing, so (p, q) ranges over the disk of radius delta, and

        v = z + h p - (nu/2) q,      v' = v + D,      D = <w_0, mu> + nu q.

    Put ``e = v - tau``, ``e' = e + D``, and J for the jump (tau, or 0).  The change is D if
    ``e, e' > 0``; ``e' + J`` if ``e <= 0 < e'``; ``-e - J`` if ``e' <= 0 < e``; 0 otherwise.  Each
    is affine in (p, q) on a convex region, the disk cut by the lines e = 0 and e' = 0.  So its
    supremum there is taken at the point of the circle where the affine function is largest, if that
    lies in the region, or on one of the two lines, at an end of its chord (or where the lines meet,
    where D = 0).  The chord e = 0 is at distance ``|s|``, ``s = z - tau``, from the center, and on
    its ends ``q = (nu/2) s +- h sqrt(delta^2 - s^2)``; the chord e' = 0 likewise with
    ``s' = s + <w_0, mu>`` and ``-nu/2``.  Going through the regions:

    * ``e, e' > 0``: (p, q) = (0, delta); or on e = 0 with ``D > 0``; or on e' = 0 with ``D <= 0``;
    * ``e <= 0 < e'``: ``dw = delta x'``; or on e = 0 with ``D > 0`` (the neuron is parked at x);
    * ``e, e' <= 0``: possible if ``dw = -delta x`` does it, or an end of a chord;
    * ``e' <= 0 < e``: best with ``dw = -delta x``; on a chord another region does better.

    The infimum is minus the supremum for the move from x' back to x.  ∎

    The regions with a strict inequality do not contain the chord; there the supremum is approached,
    and is a maximum for the jump in the case that matters (parked at x, silent).
    """
    lowest = -_highest(s + change, -change, delta, nu, jump).value
    return lowest, _highest(s, change, delta, nu, jump).value


@dataclass(frozen=True)
class WorstPerturbation:
    """The suprema over the ball for one move of the input, and what belongs to them.

    Fields: `above`: ``sup_W f(x + mu; W) - f(x; W)``; `below`: ``sup_W f(x; W) - f(x + mu; W)``;
    `g`: ``sup_W |g(x + mu; W) - g(x; W)|``; `flips`: number of neurons that change their state
    between x and x + mu at initialization; `both`: number of neurons active at x and at x + mu at
    initialization; `parkable`: number of neurons that contribute tau to `above`: those with ``a_r >
    0`` that some W of the ball makes silent at x and active at x + mu, and those with ``a_r < 0``
    the other way round.
    """

    above: float
    below: float
    g: float
    flips: int
    both: int
    parkable: int

    @property
    def f(self) -> float:
        """``sup_W |f(x + mu; W) - f(x; W)|``."""
        return max(self.above, self.below)


@checked
def worst_perturbation(
    z: object,
    change: object,
    a: object,
    nu: Move,
    delta: Nonnegative,
    tau: Nonnegative,
    activation: str | ShiftedReLU = "jump",
) -> WorstPerturbation:
    r"""Compute the exact suprema over the ball of the change of f and of g.

    Here `change` (m,): their changes ``<w_{r,0}, mu>``.

    Source: Lemma 4.2 = C.9, Equations (4), (5), (14) and (15); derived here; for g see *the change
    of the linearization* on the page *From one input to all*:

        sup_W |g(x + mu) - g(x)| = delta (nu sum_{both} |a_r| + sum_{flips} |a_r|).

    >>> worst = worst_perturbation([1.0, 0.4], [0.0, 0.2], [1.0, -1.0], 0.5, 0.25, tau=0.5)
    >>> worst.g, worst.flips, worst.both  # 0.25 (0.5 + 1)
    (0.375, 1, 1)
    """
    values = float_array(z, "z", shape=("m",))
    changes = float_array(change, "change", shape=values.shape)
    weights = float_array(a, "a", shape=values.shape)
    s, jump = values - tau, get_activation(activation).jump_height(tau)
    lowest, highest = _range(s, changes, delta, nu, jump)
    up = weights >= 0.0
    before, now = s > 0.0, s + changes > 0.0
    size = np.abs(weights)
    # A neuron can be switched on by mu iff the region "silent, then active" is not empty.
    on = _switchable(s, changes, delta, nu)
    off = _switchable(s + changes, -changes, delta, nu)
    return WorstPerturbation(
        above=float(weights @ np.where(up, highest, lowest)),
        below=-float(weights @ np.where(up, lowest, highest)),
        g=delta * float(nu * size[before & now].sum() + size[before != now].sum()),
        flips=int(np.count_nonzero(before != now)),
        both=int(np.count_nonzero(before & now)),
        parkable=int(np.count_nonzero(np.where(up, on, off))),
    )


def _switchable(s: FloatArray, change: FloatArray, delta: float, nu: float) -> BoolArray:
    """Return which neurons some W of the ball makes silent at x and active at x + mu."""
    return np.asarray(np.abs(s + change / 2.0) <= _window(change / nu, delta, nu))


def _window(slope: FloatArray, delta: float, nu: float) -> FloatArray:
    """Return the largest ``|s + change/2|`` at which that is possible (see `parkable_probability`).

    Minus one where it is impossible.
    """
    h = _middle(nu)
    square = np.maximum((delta - slope) * (delta + slope), 0.0)
    narrow = np.where(slope > -delta, h * np.sqrt(square), -1.0)
    return np.where(slope > -delta * nu / 2.0, delta + nu * slope / 2.0, narrow)


@checked
def worst_perturbation_at(
    network: TwoLayerNetwork, x: object, moved: object, delta: Nonnegative
) -> WorstPerturbation:
    """Compute the exact suprema for an initial network and two points of X.

    See `worst_perturbation`.  Time O(m d).
    """
    points, mu, nu = _move(network, x, moved)
    z = network.preactivations(points[:1])[0]
    return worst_perturbation(
        z, network.W @ mu, network.a, nu, delta, network.tau, network.activation
    )


def _move(
    network: TwoLayerNetwork, x: object, moved: object
) -> tuple[FloatArray, FloatArray, float]:
    pair = [float_array(p, name, shape=(network.d,)) for p, name in ((x, "x"), (moved, "moved"))]
    points = points_on_slice(np.array(pair), d=network.d)
    mu = points[1] - points[0]
    nu = float(np.linalg.norm(mu))
    if nu == 0.0:
        raise ValueError("moved must be another point than x, got the same point twice")
    return points, mu, nu


@dataclass(frozen=True, eq=False)
class PerturbedWeights:
    """Weights of the ball at which f changes (nearly) as much as it can between two points.

    Fields: `W`: the weights; each row is within delta of the initial one, up to the rounding of its
    entries; `change`: ``f(x + mu; W) - f(x; W)`` (side "above") or its negative, evaluated by the
    network itself; `supremum`: the closed form.
    """

    W: FloatArray
    change: float
    supremum: float

    @property
    def share(self) -> float:
        """``change / supremum``."""
        return self.change / self.supremum


@checked
def perturbed_weights(
    network: TwoLayerNetwork, x: object, moved: object, delta: Nonnegative, side: Side = "above"
) -> PerturbedWeights:
    r"""Construct weights of the ball at which f changes nearly as much as it can.

    Source: the maximizers of `_range`, put as ``w_{r,0} + p (x + x')/||x + x'|| + q mu/nu``.  They
    stand off the threshold by a few roundings of a pre-activation, so that float64 decides as real
    arithmetic does.  A neuron for which that is impossible stays where it is; what it could
    contribute is lost, which happens to a share of about ``rounding / (nu delta)`` of them.

    >>> from sublinear_lib.network import TwoLayerNetwork
    >>> start = TwoLayerNetwork.initialize(1024, 3, rng=0, tau=1024**-0.6)
    >>> x = [3**0.5 / 2, 0.0, 0.5]
    >>> moved = [3**0.5 / 2 * math.cos(1e-3), 3**0.5 / 2 * math.sin(1e-3), 0.5]
    >>> round(perturbed_weights(start, x, moved, 1024**-0.6).share, 6)
    1.0
    """
    choice(side, "side", ("above", "below"))
    points, mu, nu = _move(network, x, moved)
    s = network.preactivations(points[:1])[0] - network.tau
    change = network.W @ mu
    jump = network.activation.jump_height(network.tau)
    size = float(np.linalg.norm(network.W, axis=1).max() + np.abs(network.b).max())
    margin = 2.0**-50 * network.d * (size + network.tau + delta)
    inside = delta * max(0.0, 1.0 - 2.0**-50 / nu)  # along mu, digits are lost to its length
    rising = _highest(s, change, inside, nu, jump, margin)
    falling = _highest(s + change, -change, inside, nu, jump, margin)
    up = (network.a >= 0.0) == (side == "above")
    p = np.where(up, rising.p, falling.p)
    q = np.where(up, rising.q, -falling.q)  # on the way back mu has the other sign
    # The stored points have norm 1 only to rounding, which nu divides: <dw, x> and <dw, mu> are
    # prescribed, instead of coordinates along directions that would have to be orthogonal.
    here, along = points[0], mu / nu
    h = _middle(nu)
    gram = np.array([[here @ here, here @ along], [here @ along, along @ along]])
    steps = np.linalg.solve(gram, np.array([h * p - 0.5 * nu * q, q]))
    W = network.W + np.outer(steps[0], here) + np.outer(steps[1], along)
    value = network.with_weights(W).forward(points)
    worst = worst_perturbation_at(network, points[0], points[1], delta)
    found = float(value[1] - value[0])
    above = side == "above"
    return PerturbedWeights(
        W=W,
        change=found if above else -found,
        supremum=worst.above if above else worst.below,
    )


# How many neurons: parked by the weights, switched by the input


@checked
def parkable_probability(tau: Nonnegative, m: Count, delta: Nonnegative, nu: Move) -> float:
    r"""Compute the probability that a neuron can be made silent at x and active at x + mu, exactly.

    Source: Lemma C.9, its jump term; derived here.  In the letters of `_range` the neuron is silent
    at x and active at x + mu iff ``|(e + e')/2| <= D/2`` with ``D > 0`` (up to the ends).  The
    middle of the two pre-activations is ``c + h p`` with ``c = s + <w_0, mu>/2``, so this is
    possible iff ``|c| <= omega``,

        omega = max over the disk, D > 0, of  h p + nu (kappa + q)/2,     kappa = <w_0, mu>/nu.

    The maximum on the disk is ``delta + nu kappa/2``, at ``q = delta nu/2``; it has ``D > 0`` iff
    ``kappa > -delta nu/2``.  Otherwise D > 0 asks for ``q > -kappa``, which leaves ``h sqrt(delta^2
    - kappa^2)`` for ``kappa > -delta`` and nothing below.  Now kappa is N(0, 1/m), c + tau is N(0,
    (1 + h^2)/m), and they are independent because mu is orthogonal to ``x + (x + mu)``: the
    probability is an integral over kappa of a window of the normal law. For ``delta = o(m^{-1/2})``
    it is half of ``P[|z - tau| <= delta]``: the neurons near the threshold whose weight vector
    points along mu.  By symmetry it is also that of the way back.

    >>> m = 2**20
    >>> round(parkable_probability(0.0, m, m**-0.8, 1 / m) / (m**-0.3 / math.pi**0.5), 2)
    0.5
    """
    root = math.sqrt(m)
    h = _middle(nu)
    deviation = math.sqrt(1.0 + h * h)
    t, reach = tau * root / deviation, delta * root

    def wide(y: FloatArray) -> FloatArray:
        return window_probability(t, np.maximum(reach + nu * y / 2.0, 0.0) / deviation)

    parts = [window_integral(wide, [-reach * nu / 2.0, 0.0, _FAR], 0.0)]
    # kappa = -delta sin(angle): the square root of the window becomes a cosine.
    first = math.asin(nu / 2.0)
    last = math.asin(min(1.0, max(_FAR / reach, nu / 2.0))) if reach > 0.0 else first
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    step = (last - first) / _PANELS
    for start in first + step * np.arange(_PANELS):
        angle = start + step * (nodes + 1.0) / 2.0
        inner = window_probability(t, h * reach * np.cos(angle) / deviation)
        density = np.exp(-0.5 * (reach * np.sin(angle)) ** 2) / math.sqrt(2.0 * math.pi)
        parts.append(0.5 * step * float(weights @ (reach * np.cos(angle) * density * inner)))
    return min(1.0, math.fsum(parts))


@checked
def expected_parkable(tau: Nonnegative, m: Count, delta: Nonnegative, nu: Move) -> float:
    """Compute the mean number of neurons that contribute tau to the worst change of f.

    ``m`` times `parkable_probability`; the number is binomial.  Source: Lemma C.9.

    >>> round(expected_parkable(0.0, 100, 50.0, 0.1), 3)  # everything can be parked
    100.0
    """
    return m * parkable_probability(tau, m, delta, nu)


@checked
def moved_flips(tau: Nonnegative, m: Count, nu: Move) -> float:
    """Compute the mean number of neurons that change their state under one fixed move of the input.

    ``m`` times `sublinear_lib.theory.existence.flip_probability`.  Source: Lemma C.9, last display,
    where it is bounded by ``O(m^{1/2})``.  For ``nu = 1/m`` and ``tau = O(1/m)`` it tends to
    ``1/(pi sqrt(2)) = 0.225``: of all neurons not one.

    >>> round(moved_flips(0.0, 2**20, 2.0**-20), 4)
    0.2251
    """
    return m * _moved_probability(tau, m, nu)


def _moved_probability(tau: float, m: int, nu: float) -> float:
    # existence counts in units where the entries of w are N(0, 1).
    return float(existence.flip_probability(Fraction(nu), Fraction(tau * math.sqrt(m))))


@checked
def expected_g_change(
    m: Count, a: Nonnegative, nu: Move, delta: Nonnegative, tau: Nonnegative
) -> float:
    r"""Compute the mean of ``sup_W |g(x + mu; W) - g(x; W)|``, exactly.

    The supremum of `worst_perturbation` is linear in the numbers of neurons active at both points
    and of those that change their state.  By symmetry a neuron is active at x alone with half the
    probability p of a change, hence at both with ``Q(t) - p/2``.  Source: Equation (14).

    >>> round(expected_g_change(4, 1.0, 2.0, 1.0, 0.0), 12)  # to -x: 1 active at both, 2 flips
    4.0
    """
    flips = moved_flips(tau, m, nu)
    both = max(0.0, m * scaling.activity(tau, m) - 0.5 * flips)
    return g_terms(both, flips, a, nu, delta).total


@checked
def expected_f_change(
    m: Count,
    a: Nonnegative,
    nu: Move,
    delta: Nonnegative,
    tau: Nonnegative,
    activation: str | ShiftedReLU = "jump",
) -> tuple[float, float]:
    r"""Enclose the mean of ``sup_W f(x + mu; W) - f(x; W)``.

    Returned: `lower, upper`: Numbers with the mean between them; it is the same for either sign of
    the change.  Source: Equation (15); derived here.  *Proof.*  In the letters of `_range`, ``|D|
    <= nu (|kappa| + delta) =: h_r`` for every W, with ``kappa = <w_{r,0}, mu>/nu``.  A neuron that
    some W switches on contributes between J and ``J + h_r``; one that no W switches on and not
    every W switches off between ``-h_r`` and ``h_r``; one that every W switches off, and so W_0
    too, as half of the `moved_flips` on average, between ``-J - h_r`` and 0.  A neuron silent at
    both points whatever W does contributes nothing; it is silent unless ``c > tau - delta - h_r/2``
    for the middle c of its two pre-activations, and c and kappa are independent normal numbers of
    variances ``(1 + h^2)/m`` and ``1/m``.  So the mean is between ``a J (P - F/2) - e`` and ``a J P
    + e`` with P of `expected_parkable`, F of `moved_flips` and ``e = a m E[h_r 1[c > tau - delta -
    h_r/2]]``, an integral over kappa.  ∎  It is at least 0, because ``-(f(x + mu) - f(x))`` has the
    same supremum in the mean.

    >>> m = 2**20
    >>> low, high = expected_f_change(m, m**-0.2, 1 / m, m**-0.6, m**-0.6)
    >>> 1.2 < low < high < 1.4
    True
    """
    root = math.sqrt(m)
    spread = math.sqrt(2.0 - 0.25 * nu * nu)

    def reach(y: FloatArray) -> FloatArray:
        size = nu * (np.abs(y) + delta * root)
        return np.asarray(size * special.ndtr((delta * root + 0.5 * size - tau * root) / spread))

    rest = a * root * window_integral(reach, [-_FAR, 0.0, _FAR], 0.0)
    step = a * get_activation(activation).jump_height(tau)
    if step == 0.0:
        return 0.0, rest
    parked = expected_parkable(tau, m, delta, nu)
    lost = 0.5 * moved_flips(tau, m, nu)
    return max(0.0, step * (parked - lost) - rest), step * parked + rest


@checked
def flip_tail_bracket(number: float, tau: Nonnegative, m: Count, nu: Move) -> tuple[float, float]:
    r"""Enclose the logarithm of the probability of many flips under one fixed move of the input.

    Returned: `lower, upper`: Bounds of ``log P[flips > number]``, for a number that is at least the
    mean.  Source: the failure probability of Equation (4).  The number is Binomial(m, p); with k
    the smallest integer above `number` the tail begins with ``b_k`` and its terms shrink at least
    by ``r = (m - k) p / ((k + 1)(1 - p))``, so it lies in ``[b_k, b_k/(1 - r)]``.  By
    worst_perturbation ``sup_W |g(x + mu) - g(x)| >= a delta flips``, which exceeds ``C K m^{-1/2}``
    as soon as ``flips > C m^{3/10}`` (printed powers).  For ``nu = 1/m`` the logarithm of that
    probability is of order ``-m^{3/10} log m``, so no failure probability ``exp(-Omega(m^{1/2}))``
    can be promised.

    >>> lower, upper = flip_tail_bracket(8, 2.0**-10, 2**10, 2.0**-10)
    >>> lower < upper < lower + 0.03, upper > -(2**5)
    (True, True)
    """
    p = _moved_probability(tau, m, nu)
    level = scalar(number, "number", minimum=m * p)
    k = math.floor(level) + 1
    if k > m:
        return -math.inf, -math.inf
    if p == 0.0:  # rounded: log p < -744, and the tail is at most m p
        return -math.inf, math.log(m) - 744.0
    log_choose = math.lgamma(m + 1.0) - math.lgamma(k + 1.0) - math.lgamma(m - k + 1.0)
    if m > 2**30:  # the difference of two huge logarithms: take the product instead
        log_choose = float(np.log1p(-np.arange(k) / m).sum()) + k * math.log(m) - math.lgamma(k + 1)
    first = log_choose + k * math.log(p) + (m - k) * math.log1p(-p)
    ratio = (m - k) * p / ((k + 1.0) * (1.0 - p))
    return first, first - math.log1p(-ratio)


@checked
def reachable_flips(tau: Nonnegative, m: Count, d: Dimension, nu: Positive) -> float:
    r"""Compute the mean number of neurons that some move of at most a length switches.

    Of the r with ``1[z_r(x + mu) > tau] != 1[z_r(x) > tau]`` for some mu with ``||mu|| <= nu`` and
    x + mu on X; no mu, however it is chosen, switches more.  A neuron fires somewhere in the cap of
    radius nu with probability ``cap_share(t)``, and by the symmetry ``z -> -z`` it is silent
    somewhere with probability ``cap_share(-t)``.  One of the two always happens, both exactly if it
    can be switched: ``p = cap_share(t) + cap_share(-t) - 1``.

    For small nu it is ``sqrt(2) phi(t) nu E chi_{d-2}``: moves on X are orthogonal to x, so
    pre-activation and the length of the part of w along X are independent.  With ``nu = 1/m`` and
    ``t -> 0`` that is about ``sqrt(d/pi)`` neurons, where Lemma C.9 allows ``O(m^{1/2})``.  The
    difference keeps about ``16 + log10(nu)`` digits.

    >>> round(reachable_flips(0.0, 2**16, 3, 2.0**-16), 4)  # sqrt(2) / pi
    0.4502
    """
    t = scaling.standardize_threshold(tau, m)
    return m * max(0.0, cap_share(t, d, nu) + cap_share(-t, d, nu) - 1.0)


# The bounds, term by term


@dataclass(frozen=True)
class FTerms:
    """The three terms of the bound of ``|f(x + mu; W) - f(x; W)|`` in Equation (15).

    Fields: `initial`: ``a nu sum_r ||w_{r,0}||``; `moves`: ``a nu delta`` times the number of
    neurons; `jump`: ``a tau`` times the number of neurons.
    """

    initial: float
    moves: float
    jump: float

    @property
    def total(self) -> float:
        """Their sum."""
        return self.initial + self.moves + self.jump


@checked
def f_terms(
    norms: object, a: Nonnegative, nu: Move, delta: Nonnegative, jump: Nonnegative
) -> FTerms:
    r"""Bound the change of f over the ball term by term, as Equation (15) or Theorem C does.

    Here `norms` (k,): the norms ``||w_{r,0}||`` of the neurons that count: of all of them in (15),
    in Theorem C of those that some W of the ball makes active at x or at x + mu; `jump`: the height
    of the activation's step: tau, or 0 for the continuous activation.

    Source: proof of Lemma C.9; Theorem C of this project.  For either activation ``|sigma(v') -
    sigma(v)| <= |v' - v| + J`` (if the neuron is switched on, ``v <= tau`` and ``sigma(v') = v' -
    tau + J``; J = 0 without a jump), it is 0 if the neuron is silent at both, and ``|v' - v| =
    |<w_{r,0} + dw_r, mu>| <= (||w_{r,0}|| + delta) nu``.  Lemma C.9 then bounds every
    ``||w_{r,0}||`` by O(1), where ``sqrt(d/m)`` is the size, and the sum of the moves by ``K
    m^{1/5}``, where the radius gives ``K m^{2/5}``.

    >>> f_terms([1.0, 1.0], a=0.5, nu=0.5, delta=0.25, jump=2.0)
    FTerms(initial=0.5, moves=0.125, jump=2.0)
    """
    sizes = float_array(norms, "norms", shape=("k",), allow_empty=True)
    if sizes.size and sizes.min() < 0.0:
        raise ValueError(f"norms must be >= 0, got {float(sizes.min())}")
    return FTerms(
        initial=a * nu * float(sizes.sum()),
        moves=a * nu * delta * sizes.size,
        jump=a * jump * sizes.size,
    )


@dataclass(frozen=True)
class GTerms:
    """The two terms of the change of g in Equation (14).

    Fields: `moves`: ``a delta nu`` times the number of neurons active at both points; `flips`: ``a
    delta`` times the number of neurons that change their state.
    """

    moves: float
    flips: float

    @property
    def total(self) -> float:
        """Their sum."""
        return self.moves + self.flips


@checked
def g_terms(
    active: Nonnegative, flips: Nonnegative, a: Nonnegative, nu: Move, delta: Nonnegative
) -> GTerms:
    r"""Give the supremum of the change of g over the ball term by term.

    Of `active` neurons active at both points, and `flips` at one: with the true numbers the
    supremum itself, with bounds of them a bound.  Lemma C.9 inserts m and ``O(m^{1/2})``, Theorem C
    inserts ``C m p`` and ``C d log m``.  Source: Equation (14); see `worst_perturbation`.

    >>> g_terms(10, 3, a=0.5, nu=0.5, delta=0.25)
    GTerms(moves=0.625, flips=0.375)
    """
    return GTerms(moves=a * delta * nu * active, flips=a * delta * flips)


@dataclass(frozen=True)
class CertifiedChange:
    """Bounds of the change of f and of g for all x, mu and W, but for a stated probability.

    Fields: `f`: the bound of ``|f(x + mu; W) - f(x; W)|``, term by term; `g`: the bound of ``|g(x +
    mu; W) - g(x; W)|``, term by term; `norm`: no ``||w_{r,0}||`` is larger; `able`: no more neurons
    can be made active at x or at x + mu; `crossing`: no more neurons can be made to change their
    state between x and x + mu; `flips`: no more neurons change their state at initialization;
    `failure`: probability with which one of all that may fail.
    """

    f: FTerms
    g: GTerms
    norm: float
    able: int
    crossing: int
    flips: int
    failure: float


@checked
def certified_change(
    m: Count,
    d: Dimension,
    a: Nonnegative,
    nu: Move,
    delta: Nonnegative,
    tau: Nonnegative,
    activation: str | ShiftedReLU = "continuous",
    failure: Probability = 1e-3,
) -> CertifiedChange:
    r"""Bound the change of f and of g for every x, every move and every W at once.

    Source: Theorem C of this project, with every constant; its steps are on the page *From one
    input to all*.  Norms, able, crossing and flips may each fail with ``failure/4``.  With the jump
    the bound holds just as well; it is the term ``a tau crossing`` that does not fall.

    >>> m = 2**20
    >>> tau = (0.8 * math.log(m) / m) ** 0.5
    >>> bound = certified_change(m, 3, m**-0.2, 1 / m, m**-0.6, tau)
    >>> bound.f.jump == 0.0 and bound.f.total < m**-0.75
    True
    """
    quarter = 0.25 * failure
    norm = largest_norm_bound(m, d, quarter)
    moved = (norm + delta) * nu
    able = uniform_active_bound(tau, m, d, delta + moved, quarter)
    crossing = min(able, uniform_near_bound(tau, m, d, delta + moved, quarter))
    flips = min(able, uniform_near_bound(tau, m, d, norm * nu, quarter))
    step = get_activation(activation).jump_height(tau)
    return CertifiedChange(
        f=FTerms(
            initial=a * nu * norm * able,
            moves=a * nu * delta * able,
            jump=a * step * crossing,
        ),
        g=g_terms(able, flips, a, nu, delta),
        norm=norm,
        able=able,
        crossing=crossing,
        flips=flips,
        failure=failure,
    )


@checked
def printed_g_bound(m: Count, K: Nonnegative) -> float:
    """Evaluate the printed bound ``K m^{-1/2}`` of Equations (4) and (14), constant one.

    >>> printed_g_bound(256, 2.0)
    0.125
    """
    return K / math.sqrt(m)


@checked
def printed_f_bound(m: Count, K: Nonnegative) -> float:
    """Evaluate the printed bound ``K m^{-1} + m^{-1/5}`` of Equations (5) and (15), constant one.

    >>> printed_f_bound(1024, 256.0)
    0.5
    """
    return K / m + math.pow(m, -0.2)


@checked
def repaired_f_order(
    m: int, d: Dimension, a: Nonnegative, p: Share, delta: Nonnegative, nu: Move
) -> float:
    r"""Evaluate the order of the change of f in Theorem C, constant one.

    ``a m p (sqrt(d/m) + sqrt(log(m)/m) + delta) nu``: `f_terms` over the at most ``C m p`` neurons
    that W can make active (Theorem B), with ``max_r ||w_{r,0}|| <= C (sqrt(d/m) +
    sqrt(log(m)/m))``.

    >>> round(repaired_f_order(2, 2, 1.0, 0.5, 0.0, 1.0), 4)  # 1 + sqrt(log(2)/2)
    1.5887
    """
    m = count(m, "m", minimum=2)
    norm = math.sqrt(d / m) + math.sqrt(math.log(m) / m)
    return a * m * p * (norm + delta) * nu
