r"""How far f and g can be apart over a ball of weights, at one point and exactly (Proposition 1).

Theorem 4.1 compares the network f with the pseudo-network g for *every* W with
``||w_r - w_{r,0}|| <= delta``.  At a fixed x the moves ``u_r = <w_r - w_{r,0}, x>`` range over
``[-delta, delta]`` independently of each other, so the supremum splits into m problems in one
variable and has a closed form, and so have its mean and variance at every finite width.  Two things
to know before changing anything.  Active means ``z > tau`` strictly, as everywhere in the library:
with this convention every supremum here is attained (with the ``>=`` of Definition 3.6 those that
park a neuron on the threshold are only approached).  And the value ``B = f(x; W_0)``, which no
radius removes, hides the growth of the gap; the half-width H is free of it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from sublinear_lib import scaling
from sublinear_lib._arguments import Count, Nonnegative, Positive, Share, checked
from sublinear_lib._typing import BoolArray, FloatArray
from sublinear_lib.activations import JUMP, ShiftedReLU, get_activation
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.validation import choice, float_array, mask, points_on_slice

__all__ = [
    "HalfWidthMoments",
    "WorstGap",
    "WorstWeights",
    "gap_terms",
    "half_width_leading_term",
    "half_width_moments",
    "log_half_width_below",
    "worst_gap",
    "worst_gap_at",
    "worst_weights",
]

Side = Literal["above", "below"]

_NODES = 32
_PANELS = 12
_LOST = 90.0  # twice the drop of the exponent that a window may lose: exp(-45) is below rounding


@checked
def gap_terms(
    z: object,
    delta: Nonnegative,
    tau: Nonnegative,
    activation: str | ShiftedReLU = "jump",
) -> tuple[FloatArray, FloatArray]:
    r"""Return how far the term of each neuron in f - g can rise and fall over the ball.

    Returned: `rise, fall`: ``U_r`` and ``V_r``: the term of a neuron with ``a_r = 1``, ``h_0`` in
    ``f(x; W_0)``, ranges from ``h_0 - V_r`` to ``h_0 + U_r``.  *Proof*: Proposition 1 on the page
    *Repaired theorems*.  With ``s = z - tau``, ``U = (delta - z)_+`` and ``V = tau 1[s <= delta]``
    for an active neuron of the jump, where ``u = -delta`` and ``u = -s`` attain them, ``U = (z +
    delta) 1[z + delta > tau]`` and ``V = 0`` for a silent one, where ``u = delta`` does; for the
    continuous activation ``U = (delta - |s|)_+`` and ``V = 0``.

    >>> gap_terms([0.25, 0.75], delta=0.5, tau=0.5)
    (array([0.75, 0.  ]), array([0. , 0.5]))
    >>> gap_terms([0.25, 0.75], delta=0.5, tau=0.5, activation="continuous")
    (array([0.25, 0.25]), array([0., 0.]))
    """
    values = float_array(z, "z", shape=("m",))
    return _terms(values, values - tau, values > tau, delta, tau, get_activation(activation))


def _terms(
    z: FloatArray, s: FloatArray, fires: BoolArray, delta: float, tau: float, form: ShiftedReLU
) -> tuple[FloatArray, FloatArray]:
    if form == JUMP:
        wakes = ~fires & (s > -delta)
        rise = np.where(fires, np.maximum(delta - z, 0.0), np.where(wakes, z + delta, 0.0))
        fall = np.where(fires & (s <= delta), tau, 0.0)
        return rise, fall
    return np.maximum(delta - np.abs(s), 0.0), np.zeros_like(z)


@dataclass(frozen=True)
class WorstGap:
    """The suprema of f - g and g - f over the ball at one point, and what belongs to them.

    Fields: `above`: ``sup_W (f - g)(x)``; `below`: ``sup_W (g - f)(x)``; `half_width`: ``H(x)``,
    half their sum: half the difference of the extreme values of f - g; `initial_output`: ``B(x) =
    f(x; W_0)``, where f - g stands for ``W = W_0``; `largest_g`: ``G(x) = sup_W |g(x; W)|``;
    `can_flip`: number of neurons whose state some W of the ball changes at x; `active`: number of
    neurons active at initialization.
    """

    above: float
    below: float
    half_width: float
    initial_output: float
    largest_g: float
    can_flip: int
    active: int

    @property
    def largest(self) -> float:
        """``sup_W |f - g|(x)``, the larger of the two and so at least ``half_width``."""
        return max(self.above, self.below)

    @property
    def largest_centered(self) -> float:
        """``sup_W |f - g - B|(x)``, with the value at ``W = W_0`` taken away."""
        return max(self.above - self.initial_output, self.below + self.initial_output)


@checked
def worst_gap(
    z: object,
    a: object,
    delta: Nonnegative,
    tau: Nonnegative,
    activation: str | ShiftedReLU = "jump",
    active: object = None,
) -> WorstGap:
    r"""Compute the exact suprema of f - g, g - f and ``|g|`` over the ball at one point.

    Here `active` (m,): whether ``z_r > tau``, where that was decided exactly.

    Source: Proposition 1: the terms move independently, so with U and V of `gap_terms`

        sup (f - g) =  B + sum_{a_r > 0} a_r U_r + sum_{a_r < 0} |a_r| V_r,
        sup (g - f) = -B + sum_{a_r < 0} |a_r| U_r + sum_{a_r > 0} a_r V_r,
        H = (1/2) sum_r |a_r| (U_r + V_r),   sup |f - g| >= H,
        sup |g| = delta sum_{active} |a_r|.

    The signs of ``a_r`` are independent of ``z_r`` and B is odd in them: the *mean* of either
    supremum over the initialization is the mean of H.

    A neuron can change its state iff ``-delta < z_r - tau <= delta``.

    >>> gap = worst_gap([0.25, 0.75], [1.0, -1.0], delta=0.5, tau=0.5)
    >>> gap.above, gap.below, gap.half_width, gap.initial_output
    (0.5, 0.75, 0.625, -0.75)
    """
    values = float_array(z, "z", shape=("m",))
    weights = float_array(a, "a", shape=values.shape)
    form = get_activation(activation)
    fires = values > tau if active is None else mask(active, "active", shape=values.shape)
    s = values - tau
    rise, fall = _terms(values, s, fires, delta, tau, form)
    size = np.abs(weights)
    up = weights >= 0.0
    initial = float(weights @ form.value(values, tau, active=fires))
    near = np.where(fires, s <= delta, s > -delta)
    return WorstGap(
        above=initial + float(size @ np.where(up, rise, fall)),
        below=-initial + float(size @ np.where(up, fall, rise)),
        half_width=0.5 * float(size @ (rise + fall)),
        initial_output=initial,
        largest_g=delta * float(size[fires].sum()),
        can_flip=int(np.count_nonzero(near)),
        active=int(np.count_nonzero(fires)),
    )


@checked
def worst_gap_at(network: TwoLayerNetwork, x: object, delta: Nonnegative) -> WorstGap:
    """Compute the exact suprema at a point of X for an initial network.

    Which neurons are active is decided exactly; the pre-activations are rounded.
    """
    point = _point(network, x)
    z = network.preactivations(point)[0]
    active = network.active_mask(point)[0]
    return worst_gap(z, network.a, delta, network.tau, network.activation, active)


def _point(network: TwoLayerNetwork, x: object) -> FloatArray:
    return points_on_slice(float_array(x, "x", shape=(network.d,))[None, :], d=network.d)


@dataclass(frozen=True, eq=False)
class WorstWeights:
    """Weights of the ball at which f - g (or g - f) takes its supremum at a point.

    Fields: `W`: the weights; each row is within delta of the initial one, up to the rounding of its
    entries; `gap`: f - g (side "above") or g - f (side "below") at these weights, evaluated by the
    library's own network and pseudo-network; `supremum`: the closed form; `tolerance`: by how much
    `gap` can differ from `supremum` because of rounding.
    """

    W: FloatArray
    gap: float
    supremum: float
    tolerance: float

    @property
    def shortfall(self) -> float:
        """``supremum - gap``, zero up to `tolerance`."""
        return self.supremum - self.gap

    @property
    def attained(self) -> bool:
        """Whether the float64 witness reaches the supremum within `tolerance`."""
        return abs(self.shortfall) <= self.tolerance


@checked
def worst_weights(
    network: TwoLayerNetwork, x: object, delta: Nonnegative, side: Side = "above"
) -> WorstWeights:
    r"""Construct weights of the ball at which the supremum is attained.

    Here `side`: whether f - g or g - f is maximized.

    The weights, with the value they reach.  Source: the maximizers in the proof of Proposition 1
    (`gap_terms`).  Row r is ``w_{r,0} + u_r x`` with, for a term that is to rise, ``u_r = delta``
    if the neuron is silent and can be woken, ``u_r = -delta`` if it is active and ``U_r > 0``; for
    a term that is to fall, ``u_r = -s_r`` if ``V_r > 0``; otherwise 0.

    In real arithmetic the supremum is attained.  In float64 a parked neuron is put just below the
    threshold, by a few units in the last place of the sum that makes its pre-activation.
    `tolerance` bounds what this and the rounding cost, and adds ``|a_r| (tau + 2 delta)`` for every
    neuron whose distance from the threshold equals delta to within rounding, which may end on the
    wrong side.

    >>> from sublinear_lib.network import TwoLayerNetwork
    >>> start = TwoLayerNetwork.initialize(1024, 3, rng=0)
    >>> worst = worst_weights(start, [3**0.5 / 2, 0.0, 0.5], delta=1024**-0.6)
    >>> worst.attained, worst.tolerance < 1e-9
    (True, True)
    """
    choice(side, "side", ("above", "below"))
    point = _point(network, x)
    z = network.preactivations(point)[0]
    fires = network.active_mask(point)[0]
    worst = worst_gap(z, network.a, delta, network.tau, network.activation, fires)
    s = z - network.tau
    rise, fall = _terms(z, s, fires, delta, network.tau, network.activation)
    rises = (network.a >= 0.0) == (side == "above")

    size = np.linalg.norm(network.W, axis=1) + np.abs(network.b) + network.tau + delta
    margin = 2.0**-50 * network.d * size  # covers the rounding of a pre-activation, twice over
    parked = ~rises & (fall > 0.0)
    moved = rises & (rise > 0.0)
    step = np.where(moved, np.where(fires, -delta, delta), 0.0)
    step = np.where(parked, -np.minimum(np.maximum(s, 0.0) + margin, delta), step)
    W = network.W + step[:, None] * point

    gap = float(PseudoNetwork(network, W).decompose(point).gap[0])
    weight = np.abs(network.a)
    edge = np.abs(np.abs(s) - delta) <= 2.0 * margin
    rounding = 4.0 * margin + network.m * 2.0**-51 * size
    return WorstWeights(
        W=W,
        gap=gap if side == "above" else -gap,
        supremum=worst.above if side == "above" else worst.below,
        tolerance=float(weight @ rounding)
        + float(weight[edge].sum()) * (network.tau + 2.0 * delta),
    )


@lru_cache(maxsize=1)
def _rule() -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights of the composite Gauss-Legendre rule on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    start = np.arange(_PANELS) / _PANELS
    u = start[:, None] + (nodes + 1.0) / (2.0 * _PANELS)
    return u.ravel(), np.tile(weights / (2.0 * _PANELS), _PANELS)


def window_integral(
    function: Callable[[FloatArray], FloatArray],
    edges: Sequence[float],
    t: float,
    *,
    relative: bool = False,
) -> float:
    r"""Integrate a function of the distance from the threshold against the normal density.

    ``int f(v) phi(t + v) dv`` over the window, divided by ``phi(t)`` if it is `relative`, which
    keeps the far tail from underflowing.  The function is smooth between consecutive `edges`,
    ascending; ``v = (z - tau) / sqrt(2/m)``.  The windows of Theorem 4.1 are thin, and the closed
    forms (differences of ``phi`` and Q) lose all digits there; a composite Gauss-Legendre rule with
    12 x 32 nodes on the part of each piece where the density is not below rounding is exact to
    rounding.

    >>> round(window_integral(np.ones_like, [-1.0, 1.0], 0.0), 12)  # P(|N(0,1)| < 1)
    0.682689492137
    """
    unit, weights = _rule()
    total = 0.0
    for low, high in itertools.pairwise(edges):
        peak = min(max(-t, low), high)
        reach = math.sqrt((t + peak) ** 2 + _LOST)
        # For t > 0, reach - t would cancel: (reach^2 - t^2) / (reach + t).
        right = ((t + peak) ** 2 - t * t + _LOST) / (reach + t) if t > 0 else reach - t
        low, high = max(low, -t - reach), min(high, right)
        if high <= low:
            continue
        v = low + (high - low) * unit
        exponent = -v * (t + v / 2.0) if relative else -0.5 * (t + v) ** 2
        with np.errstate(over="ignore"):
            values = function(v) * np.exp(exponent)
        total += (high - low) * float(weights @ values)
    return total if relative else total / math.sqrt(2.0 * math.pi)


def standard_edges(t: float, theta: float, form: ShiftedReLU) -> list[float]:
    """Return ``[-theta, 0, theta]``, the window of the half-width, with the kink of the jump."""
    if form == JUMP and 0.0 < t < theta:
        return [-theta, 0.0, theta - t, theta]
    return [-theta, 0.0, theta]


def standard_width(t: float, theta: float, form: ShiftedReLU) -> Callable[[FloatArray], FloatArray]:
    """Return ``(U + V) / sqrt(2/m)`` as a function of ``v = (z - tau) / sqrt(2/m)``."""

    def width(v: FloatArray) -> FloatArray:
        # With v given, z - tau is not formed as a difference: windows may be thinner than rounding.
        rise, fall = _terms(t + v, v, v > 0.0, theta, t, form)
        return rise + fall

    return width


@dataclass(frozen=True)
class HalfWidthMoments:
    """Mean and variance of the half-width over the initialization.

    Fields: `mean`: ``E H(x)``, the same at every x of X; `variance`: ``Var H(x)``, likewise.
    """

    mean: float
    variance: float

    @property
    def std(self) -> float:
        """The standard deviation."""
        return math.sqrt(self.variance)


@checked
def half_width_moments(
    m: Count,
    a: Nonnegative,
    delta: Nonnegative,
    tau: Nonnegative,
    activation: str | ShiftedReLU = "jump",
) -> HalfWidthMoments:
    r"""Compute mean and variance of the half-width H(x) at a finite width, exactly.

    ``E H`` and ``Var H``; ``E H`` is also the mean of ``sup (f - g)`` and of ``sup (g - f)``.
    Source: Proposition 1 with Definition 3.1.

    ``H = (a/2) sum_r (U_r + V_r)`` has independent, identically distributed terms.  The closed form
    (*exact ratio*, on the page *f and its linearization*) cancels for small theta;
    `window_integral` does not.

    >>> law = half_width_moments(2**20, 2**-4.0, 2**-12.0, 2**-20.0)
    >>> round(law.mean / half_width_leading_term(2**20, 2**-4.0, 2**-12.0, 2**-20.0), 2)
    1.0
    """
    std = scaling.preactivation_std(m)
    t = tau / std
    theta = delta / std
    form = get_activation(activation)
    width = standard_width(t, theta, form)
    edges = standard_edges(t, theta, form)
    first = window_integral(width, edges, t)
    second = window_integral(lambda v: width(v) ** 2, edges, t)
    return HalfWidthMoments(
        mean=0.5 * a * m * std * first,
        variance=0.25 * a**2 * m * std**2 * max(0.0, second - first**2),
    )


@checked
def log_half_width_below(
    share: Share,
    m: Count,
    a: Positive,
    delta: Positive,
    tau: Nonnegative,
    activation: str | ShiftedReLU = "jump",
) -> float:
    r"""Bound the logarithm of the probability that H(x) falls below a share of its mean.

    At least ``log P(H <= share * E H)``, to show that the failure of Theorem 4.1 is not a rare
    event. *Proof.*  H is a sum of independent ``Y_r >= 0``.  From ``exp(-x) <= 1 - x + x^2/2`` for
    ``x >= 0`` and Markov's inequality, ``P(H <= E H - h) <= exp(-h^2 / (2 sum E Y_r^2))``, and the
    sum of the second moments is ``Var H + (E H)^2 / m``.  ∎

    >>> m = 2**20
    >>> log_half_width_below(0.5, m, m**-0.2, m**-0.6, 1 / m) < -10_000
    True
    """
    law = half_width_moments(m, a, delta, tau, activation)
    second = law.variance + law.mean**2 / m
    if not second:  # so few neurons near the threshold that squares underflow: no more is known
        return 0.0
    return -(((1.0 - share) * law.mean) ** 2) / (2.0 * second)


@checked
def half_width_leading_term(
    m: Count,
    a: Nonnegative,
    delta: Nonnegative,
    tau: Nonnegative,
    activation: str | ShiftedReLU = "jump",
) -> float:
    r"""Compute the leading term of the mean half-width for a thin window.

    ``a m^{3/2} phi(t)/sqrt(2) (delta tau + delta^2/4 + ((delta - tau)_+)^2/4)`` for the jump, ``a
    m^{3/2} phi(t) delta^2 / (2 sqrt(2))`` for the continuous activation: ``E H (1 + o(1))`` as soon
    as ``theta (1 + t) -> 0``.  With the printed powers (``a = m^{-1/5}``, ``delta = K m^{-3/5}``,
    ``tau = O(1/m)``) it is ``K^2 m^{1/10} / (4 sqrt(pi)) (1 + o(1))``, while Theorem 4.1 prints
    ``O(K^2 m^{-1/10})``.

    >>> m = 10**10
    >>> term = half_width_leading_term(m, m**-0.2, m**-0.6, 0.0)
    >>> round(term * 4 * math.sqrt(math.pi), 12)  # m^(1/10)
    10.0
    """
    t = scaling.standardize_threshold(tau, m)
    density = math.exp(-0.5 * t * t) / math.sqrt(2.0 * math.pi)
    if get_activation(activation) == JUMP:
        area = delta * tau + delta**2 / 4.0 + max(delta - tau, 0.0) ** 2 / 4.0
    else:
        area = delta**2 / 2.0
    return a * math.pow(m, 1.5) * density / math.sqrt(2.0) * area
