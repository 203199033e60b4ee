r"""What the discontinuity of ``sigma_tau(z) = z 1[z > tau]`` costs (Proposition 2).

A neuron that crosses the threshold changes the value of the network by tau at once, however small
the move; the pseudo-network g does not see it.  At a threshold of t standard deviations this makes
``|f - g|`` comparable with ``|g|`` itself for every choice of the powers of m, and plain gradient
descent moves f by ``1 + t phi(t) / (2 Q(t))`` times what g predicts, in one step or in many; on the
straight way on which all neurons follow their output signs it is ``1 + t phi(t) / Q(t)``.  All
functions take *standard* units: ``t = tau / sqrt(2/m)`` and lengths in multiples of ``sqrt(2/m)``.
Before changing one, know that ``phi`` and ``Q`` underflow long before their ratio does, so only
ratios are ever formed.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from sublinear_lib._arguments import Nonnegative, Positive, checked
from sublinear_lib._typing import FloatArray
from sublinear_lib.activations import JUMP, ShiftedReLU, get_activation
from sublinear_lib.theory.worst_case import standard_edges, standard_width, window_integral
from sublinear_lib.validation import float_array

__all__ = [
    "ball_price",
    "gradient_ratio",
    "half_width_over_g",
    "jump_half_width_bound",
    "jump_price",
    "step_ratio",
]

_PHI_OVER_ERFCX = math.sqrt(2.0 / math.pi)


@checked
def inverse_mills(t: Nonnegative) -> float:
    """Return ``phi(t) / Q(t)``, the hazard rate of the normal distribution.

    ``Q(t) = erfc(t / sqrt 2) / 2`` and ``erfcx(u) = exp(u^2) erfc(u)``, so the ratio is
    ``sqrt(2/pi) / erfcx(t / sqrt 2)``, in which nothing underflows.

    >>> round(inverse_mills(0.0) ** 2 * math.pi, 12)
    2.0
    """
    return _PHI_OVER_ERFCX / float(special.erfcx(t / math.sqrt(2.0)))


@checked
def jump_half_width_bound(z: object, a: object, delta: Nonnegative, tau: Nonnegative) -> float:
    r"""Bound the half-width of the jump network from below, sample by sample.

    ``(tau/2) sum |a_r|`` over the neurons with ``-delta < z_r - tau <= delta``.  Source:
    Proposition 2 of this project, first half.

    >>> jump_half_width_bound([0.25, 0.75, 2.0], [1.0, -1.0, 1.0], delta=0.5, tau=0.5)
    0.5
    """
    values = float_array(z, "z", shape=("m",))
    weights = np.abs(float_array(a, "a", shape=values.shape))
    s = values - tau
    return 0.5 * tau * float(weights[(s > -delta) & (s <= delta)].sum())


@checked
def jump_price(t: Nonnegative, theta: Nonnegative = 0.0) -> float:
    r"""Bound ``E H / E G`` from below for the jump activation.

    ``t (Q(t - theta) - Q(t + theta)) / (2 theta Q(t))``, in the limit ``t phi(t) / Q(t) >= t^2``.
    Source: Proposition 2.  It contains neither the output weights nor the width, so no choice of
    powers of m removes it: with the jump, ``|f - g| -> 0`` over a ball on which g is not small
    requires ``t -> 0``, that is, half of the neurons fire.

    >>> round(jump_price(1.0), 4)
    1.5251
    """
    hazard = inverse_mills(t)
    if theta == 0.0:
        return t * hazard
    near = window_integral(np.ones_like, [-theta, 0.0, theta], t, relative=True)
    return t * hazard * (near / (2.0 * theta))


@checked
def ball_price(theta: Nonnegative) -> float:
    r"""Bound ``E H / E G`` from below for either activation and every threshold.

    ``(1 - 2 Q(theta/2)) / 4``.  Source: Proposition 2, second half.  So ``|f - g| -> 0`` over a
    ball on which g is not small forces ``theta -> 0``.

    >>> ball_price(0.0), round(ball_price(100.0), 12)
    (0.0, 0.25)
    """
    return 0.25 * math.erf(theta / (2.0 * math.sqrt(2.0)))


@checked
def half_width_over_g(
    t: Nonnegative, theta: Positive, activation: str | ShiftedReLU = "jump"
) -> float:
    r"""Compute ``E H / E G`` exactly.

    ``E[U + V] / (2 delta Q(t))``, the numerator as in `half_width_moments`; it depends on t and
    theta only.  As ``theta -> 0`` it tends to ``t phi(t) / Q(t)`` for the jump and to 0, like
    ``theta phi(t) / (2 Q(t))``, for the continuous activation.  Source: Propositions 1 and 2.

    >>> round(half_width_over_g(1.0, 1e-4), 3)
    1.525
    >>> round(half_width_over_g(1.0, 1e-4, "continuous"), 6)
    7.6e-05
    """
    form = get_activation(activation)
    width = standard_width(t, theta, form)
    edges = standard_edges(t, theta, form)
    area = window_integral(width, edges, t, relative=True)
    return inverse_mills(t) * area / (2.0 * theta)


@checked
def gradient_ratio(t: Nonnegative, travel: Nonnegative = 0.0) -> float:
    r"""Compute how far gradient descent moves f, in units of what g predicts (jump activation).

    Here `travel`: how far a neuron that stays active has moved, ``eta |a_r|`` summed over the
    steps, in multiples of ``sqrt(2/m)``, ``>= 0``; 0 for the limit of a short way.

    The ratio of the expected changes of f and g; ``1 + t phi(t) / (2 Q(t))`` at ``travel = 0``.
    With the continuous activation it is 1 for every `t` and `travel`.  Source: this project; the
    dynamic side of Proposition 2.

    *Derivation.*  One example, a loss with slope -1 in f, small steps, ``h = sqrt(2/m) travel``.
    The formal gradient moves active neurons only, by ``u_r = sign(a_r) h`` in total as long as they
    stay active.  Those with ``a_r > 0`` rise and stay active.  Those with ``a_r < 0`` sink; if they
    started with ``0 < s_r <= h`` they reach the threshold, fall silent and stay there, so
    ``u_r = -s_r``.  Silent neurons never move.  Hence

        g       = (a m / 2) (h Q(t) + E min(s_+, h)),
        f - f_0 = g + (a m / 2) tau (Q(t) - Q(t + travel)),

    in expectation over the initialization: a neuron that falls silent takes ``a_r z_r = a_r (tau +
    s_r)`` out of f, of which g accounts for ``a_r s_r``.  With the continuous activation it takes
    out ``a_r s_r`` and the two agree.  Write ``R(v) = Q(t + v) / Q(t)``; then
    ``E min(s_+, h) / Q(t)`` is ``sqrt(2/m)`` times the integral of R over ``[0, travel]``, and

        ratio = 1 + t (1 - R(travel)) / (travel + integral).

    Both terms of the denominator are ``travel (1 + o(1))`` as ``travel -> 0`` and
    ``1 - R(travel) = travel phi(t)/Q(t) (1 + o(1))``: the limit is ``1 + t phi(t) / (2 Q(t))``.
    The factor 1/2 is there because only the sinking half of the neurons crosses the threshold.  A
    descent of f (slope +1) exchanges the signs of ``a_r`` and gives the same ratio.

    >>> [round(gradient_ratio(t), 3) for t in (0.0, 0.5, 1.0, 1.5, 2.0)]
    [1.0, 1.285, 1.763, 2.454, 3.373]
    """
    hazard = inverse_mills(t)
    if travel == 0.0:
        return 1.0 + 0.5 * t * hazard

    def survivors(v: FloatArray) -> FloatArray:
        """Return ``R(v)`` over ``phi(t + v) / phi(t)``: what the quadrature multiplies with."""
        root = math.sqrt(2.0)
        ratio = special.erfcx((t + v) / root) / special.erfcx(t / root)
        return np.asarray(ratio, dtype=np.float64)

    crossed = hazard * window_integral(np.ones_like, [0.0, travel], t, relative=True)
    waited = window_integral(survivors, [0.0, travel], t, relative=True)
    return 1.0 + t * crossed / (travel + waited)


@checked
def step_ratio(t: Nonnegative, travel: Positive, activation: str | ShiftedReLU = "jump") -> float:
    r"""Compute how far *one* gradient step moves f, in units of what g predicts.

    Here `travel`: length of the step for an active neuron, ``eta |a_r|`` times the slope of the
    loss, in multiples of ``sqrt(2/m)``, ``> 0``.

    The ratio of the expected changes of f and g at one example.  As ``travel -> 0`` it tends to ``1
    + t phi(t) / (2 Q(t))`` for the jump and to 1 for the continuous activation.  Source: this
    project; the dynamic side of Proposition 2, in one step instead of many.

    *Derivation.*  All active neurons move by ``sign(a_r) v``, v being `travel`; g takes ``v Q(t)``
    from them, in units of ``m |a_r| sqrt(2/m)``.  Those that rise stay active.  Half of them sink;
    the ones with ``0 < y <= v`` land at or below the threshold, fall silent and add ``t + y``
    (continuous: y) where g counts v.  Hence the excess over 1 is ``int_0^v (t + y - v) phi(t + y)
    dy / (2 v Q(t))``.  If f and g agree at the start, a step of a length that would bring g to the
    label leaves f at ``ratio - 1`` times the old distance *beyond* the label, and the loss rises if
    ``ratio > 2``.

    >>> round(step_ratio(2.0, 1e-6), 3), round(step_ratio(2.0, 1e-6, "continuous"), 3)
    (3.373, 1.0)
    """
    height = t if get_activation(activation) == JUMP else 0.0
    falling = window_integral(lambda y: height + y - travel, [0.0, travel], t, relative=True)
    return 1.0 + inverse_mills(t) * falling / (2.0 * travel)
