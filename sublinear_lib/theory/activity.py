"""How many neurons fire: Lemma 4.5 (restated as C.15), Definition 3.9 and Remark C.17.

At initialization the pre-activation ``z_r(x) = <w_r, x> + b_r`` of a fixed x on X is N(0, 2/m),
independently over the m neurons.  The number of active neurons at that x is therefore *exactly*
Binomial(m, Q(t)) with ``t = tau / sqrt(2/m)``, and every claim about it can be compared with exact
binomial probabilities.  What the binomial law does not cover is a point that was chosen after
looking at the weights, as an adversary does; for d = 3 this module therefore also computes the
exact maximum over all of X.  Only the printed formulas and their direct consequences live here;
thresholds and Q(t) itself are in ``scaling``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from sublinear_lib import scaling
from sublinear_lib._arguments import Count, Nonnegative, Probability, checked, described
from sublinear_lib._typing import BoolArray, FloatArray, IntArray
from sublinear_lib.geometry import SLICE_HEIGHT, SLICE_RADIUS
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.theory.tails import count_interval
from sublinear_lib.validation import choice, instance, scalar

__all__ = [
    "active_count_interval",
    "active_count_tail",
    "gaussian_tail_bound",
    "max_active_on_circle",
    "near_zero_count_tail",
    "near_zero_probability",
    "printed_K",
    "printed_failure_probability",
    "printed_gap_bound",
    "printed_q0",
    "smallest_printed_K",
]


@checked
def gaussian_tail_bound(tau: Nonnegative, m: Count) -> float:
    r"""Bound the probability that one neuron fires, as the proof of Lemma C.15 does.

    For ``z ~ N(0, 2/m)``, ``P[z > tau] <= exp(-tau^2 m / 4)``.  Source: proof of Lemma C.15.

    >>> gaussian_tail_bound(0.0, 100)
    1.0
    """
    return math.exp(-tau * tau * m / 4.0)


@checked
def printed_K(length: Nonnegative, m: Count) -> float:
    r"""Give the constant K with which the paper's formula ``K / m^{3/5}`` is a given length.

    ``K = length m^{3/5}``, for the threshold of Section 4.2 and the radius of Theorem 4.1 alike.

    >>> round(printed_K(1024**-0.6, 1024), 12)
    1.0
    """
    return float(length * m**0.6)


@checked
def printed_q0(m: Count, K: Nonnegative) -> float:
    r"""Evaluate the printed bound ``Q_0 = 2 m exp(-K^2 / (4 m^{1/5}))`` of Lemma 4.5.

    It is twice m times `gaussian_tail_bound` at ``tau = K / m^{3/5}``, and exceeds m for ``K^2 < 4
    ln(2) m^{1/5}``.  Source: Lemma 4.5 = C.15; the minus sign in the exponent is lost in the
    machine-read text, the proof of C.15 fixes it.

    >>> printed_q0(1024, 0.0)
    2048.0
    """
    return float(2.0 * m * math.exp(-K * K / (4.0 * m**0.2)))


@checked
def printed_failure_probability(m: Count, K: Nonnegative, n: Count = 1) -> float:
    r"""Evaluate the failure probability that the proof of Lemma C.15 arrives at.

    ``n exp(-3 eta / 8)`` with ``eta = m exp(-K^2/(4 m^{1/5}))``: Bernstein's inequality (Lemma A.9)
    for ``P[count > 2 eta]`` and a union bound.  Source: proof of Lemma C.15.

    >>> printed_failure_probability(1024, 0.0) < 1e-160
    True
    """
    return n * math.exp(-3.0 * printed_q0(m, K) / 16.0)


@checked
def smallest_printed_K(m: Count, active: float) -> float:
    r"""Find the smallest K for which the printed bound reaches a wanted number of neurons.

    ``K = 2 m^{1/10} sqrt(ln(2 m / active))`` solves ``printed_q0(m, K) = active``, for ``0 < active
    <= 2 m``.  For ``active = m^c``, c < 1, it grows: no fixed K makes the bound ``O(m^c)``.

    >>> round(smallest_printed_K(10**6, 10**5.4), 1)
    11.5
    """
    active = scalar(active, "active", exclusive_minimum=0.0, maximum=2.0 * m)
    return float(2.0 * m**0.1 * math.sqrt(math.log(2.0 * m / active)))


@checked
def printed_gap_bound(m: Count, K: Nonnegative) -> float:
    r"""Evaluate the printed approximation bound ``K^2 / m^{1/10}`` of Theorem 4.1, constant one.

    It shares the constant K with `printed_q0`, and no K makes both small.

    >>> printed_gap_bound(1024, 2.0)
    2.0
    """
    return float(K * K * m**-0.1)


@checked
def near_zero_probability(
    eta: Nonnegative, m: Count, side: Literal["at least", "at most"] = "at least"
) -> float:
    r"""Compute the mean of the paper's indicator ``Psi_r(x, eta)`` under either reading.

    The text of Lemma 4.5 = C.15 has lost the relation in ``1[|z_r(x)| ? eta]``; both readings are
    exact probabilities for ``z ~ N(0, 2/m)``.  ``"at most"`` is good to 1e-16 of one; for thin
    windows `sublinear_lib.theory.flip_probability` has all digits.

    >>> near_zero_probability(0.0, 64)
    1.0
    """
    choice(side, "side", ("at least", "at most"))
    t = scaling.standardize_threshold(eta, m)
    outside = 2.0 * float(scipy.stats.norm.sf(t))
    return outside if side == "at least" else 1.0 - outside


@checked
def near_zero_count_tail(
    number: Nonnegative,
    eta: Nonnegative,
    m: Count,
    side: Literal["at least", "at most"] = "at least",
) -> float:
    r"""Compute the exact probability that Lemma 4.5's sum exceeds a number, under either reading.

    ``P[sum_r Psi_r(x, eta) > number]`` at one fixed x, binomial with the mean of
    `near_zero_probability`.  Source: Lemma 4.5 = C.15.

    >>> near_zero_count_tail(9, 0.0, 10)  # all ten
    1.0
    """
    p = near_zero_probability(eta, m, side)
    return float(scipy.stats.binom.sf(math.floor(number), m, p))


@checked
def active_count_interval(
    tau: Nonnegative, m: Count, confidence: Probability = 0.999
) -> tuple[int, int]:
    r"""Give the range in which the number of active neurons at one fixed x falls.

    ``(lowest, highest)``, quantiles of the exact law Binomial(m, Q(t)).  Source: Definitions 3.1,
    3.9.

    >>> active_count_interval(0.0, 100, confidence=0.95)
    (40, 60)
    """
    p = scaling.activity(tau, m)
    return count_interval(m, p, confidence)


@checked
def active_count_tail(active: Nonnegative, tau: Nonnegative, m: Count) -> float:
    r"""Compute the exact probability that more than ``active`` neurons fire at one fixed x.

    ``P[Binomial(m, Q(t)) > active]``, to be compared with `printed_failure_probability`.

    >>> active_count_tail(10, 0.0, 10)
    0.0
    """
    p = scaling.activity(tau, m)
    return float(scipy.stats.binom.sf(math.floor(active), m, p))


def require_circle(network: TwoLayerNetwork) -> None:
    """Refuse a network for which X is not a circle."""
    if instance(network, "network", TwoLayerNetwork).d != 3:
        raise ValueError(
            f"network must have d = 3 (X is then a circle), got a network with d = {network.d}"
        )


@dataclass(frozen=True)
class MaximalCount:
    """The largest number of neurons counted anywhere on X, with a point that shows it.

    Fields: `count`: the maximum over X; `x`: A point of X where it is taken, in the middle of its
    arc.
    """

    count: int
    x: FloatArray


def largest_count(angle: FloatArray, step: IntArray, base: int) -> MaximalCount:
    """Return the largest value of ``base + sum of steps so far``, with a point where it is taken.

    Steps at equal angles are taken in the order given.
    """
    order = np.argsort(angle, kind="stable")
    running = base + np.cumsum(step[order])
    first = float(angle.min()) if angle.size else 0.0
    if running.size == 0 or (running.max() <= base and first > 0.0):
        best, middle = base, first / 2.0
    else:
        at = int(np.argmax(running))
        following = angle[order[at + 1]] if at + 1 < order.size else 2.0 * math.pi + first
        best, middle = int(running[at]), (float(angle[order[at]]) + float(following)) / 2.0
    x = np.array([SLICE_RADIUS * math.cos(middle), SLICE_RADIUS * math.sin(middle), SLICE_HEIGHT])
    return MaximalCount(best, x)


def active_arcs(
    W: FloatArray, b: FloatArray, tau: float
) -> tuple[BoolArray, BoolArray, FloatArray, FloatArray]:
    """Return which neurons fire everywhere on X, which on an arc, and the ends of these arcs."""
    missing = tau - b - SLICE_HEIGHT * W[:, 2]
    reach = SLICE_RADIUS * np.hypot(W[:, 0], W[:, 1])
    everywhere = missing < -reach
    partly = ~everywhere & (missing < reach)
    center = np.arctan2(W[partly, 1], W[partly, 0])
    half_width = np.arccos(missing[partly] / reach[partly])
    begin = np.mod(center - half_width, 2.0 * math.pi)
    # An arc that leaves out one point ends where it begins; rounding may not say so.
    end = np.where(half_width == math.pi, begin, np.mod(center + half_width, 2.0 * math.pi))
    return everywhere, partly, begin, end


@described
def max_active_on_circle(network: TwoLayerNetwork) -> MaximalCount:
    r"""Find the point of X at which most neurons fire, exactly, for d = 3.

    On X = {(s cos v, s sin v, 1/2)}, s = sqrt(3)/2, neuron r fires where ``s |w'_r| cos(v - v_r) >
    tau - b_r - w_{r,3}/2``: on an open arc around its own direction v_r, everywhere, or nowhere.  A
    sweep over the sorted ends (ends before beginnings where both coincide) visits every value of
    the count.  The ends are rounded to float64.  Source: Definition 3.9.  Time O(m log m).
    """
    require_circle(network)
    everywhere, _, begin, end = active_arcs(network.W, network.b, network.tau)
    covers_zero = int(np.count_nonzero(begin >= end))
    angle = np.concatenate((end, begin))  # ends stand first among equal angles
    step = np.repeat([-1, 1], end.size)
    return largest_count(angle, step, int(np.count_nonzero(everywhere)) + covers_zero)
