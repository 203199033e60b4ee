r"""The parts ``A - g``, B and C of f - g one by one, exactly (Lemma C.4, Claims C.5, C.6 and C.7).

The printed proof of Theorem 4.1 bounds ``|f - g|`` by ``|A - g| + |B| + |C|`` and each part for
itself.  At a fixed x each of them splits over the neurons just as f - g does
(:mod:`sublinear_lib.theory.worst_case`), so each has an exact supremum over the ball, and B, which
does not depend on the ball, an exact law.  Before changing anything, know that B is a sum with
random signs: its size is a standard deviation, that of the other two is a mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import optimize

from sublinear_lib import scaling
from sublinear_lib._arguments import Count, Nonnegative, Positive, checked
from sublinear_lib._typing import FloatArray
from sublinear_lib.activations import JUMP, ShiftedReLU, get_activation
from sublinear_lib.theory.worst_case import HalfWidthMoments, window_integral
from sublinear_lib.validation import float_array, mask

__all__ = [
    "initial_output_std",
    "log_initial_output_tail",
    "oblivious_gap_std",
    "part_moments",
    "worst_parts",
]

_FAR = 60.0  # standard deviations; the density is 0 in float64 long before


@dataclass(frozen=True)
class WorstParts:
    """The suprema of ``A - g`` and of C over the ball at one point, on either side.

    Fields: `move_above`: ``sup_W (A - g)(x)``; `move_below`: ``sup_W (g - A)(x)``; `state_above`:
    ``sup_W C(x)``; `state_below`: ``sup_W -C(x)``.
    """

    move_above: float
    move_below: float
    state_above: float
    state_below: float

    @property
    def move_half_width(self) -> float:
        """Half the sum of the suprema of ``A - g``; ``sup_W |A - g|`` is at least that."""
        return 0.5 * (self.move_above + self.move_below)

    @property
    def state_half_width(self) -> float:
        """Half the sum of the suprema of C; ``sup_W |C|`` is at least that."""
        return 0.5 * (self.state_above + self.state_below)

    @property
    def largest_move(self) -> float:
        """``sup_W |A - g|(x)``."""
        return max(self.move_above, self.move_below)

    @property
    def largest_state(self) -> float:
        """``sup_W |C|(x)``."""
        return max(self.state_above, self.state_below)


@checked
def worst_parts(
    z: object,
    a: object,
    delta: Nonnegative,
    tau: Nonnegative,
    activation: str | ShiftedReLU = "jump",
    active: object = None,
) -> WorstParts:
    r"""Compute the exact suprema of ``A - g`` and of C over the ball at one point.

    Here `active` (m,): whether ``z_r > tau``, where that was decided exactly; by default the floats
    are compared.

    Source: Definition C.4, Claims C.5 and C.7.  With ``s = z - tau``, ``|u| <= delta`` and p for
    what an active neuron of the initial network passes on (z for the jump, s for the continuous
    activation),

        A - g = sum a_r u_r (Phi_r - Phi0_r),   C = sum a_r p_r (Phi_r - Phi0_r).

    Only a neuron with ``-delta < s <= delta`` can flip.  A silent one wakes with ``u = delta`` and
    an active one falls silent with ``u = -delta``; either way ``u (Phi - Phi0)`` can be delta and
    is never negative, so

        sup (A - g) = delta sum_{a_r > 0, near} a_r,  sup (g - A) = delta sum_{a_r < 0, near} |a_r|.

    In C a neuron may flip or not, and its term is ``a_r p_r`` if it wakes, ``-a_r p_r`` if it falls
    silent: each side collects the terms of its sign.  On the window ``|p| <= tau + delta`` for the
    jump, not ``delta`` as Equation (12) has it, and ``|p| <= delta`` for the continuous activation.

    >>> parts = worst_parts([0.25, 0.75], [1.0, 1.0], delta=0.5, tau=0.5)
    >>> parts.move_above, parts.move_below, parts.state_above, parts.state_below
    (1.0, 0.0, 0.25, 0.75)
    """
    values = float_array(z, "z", shape=("m",))
    weights = float_array(a, "a", shape=values.shape)
    form = get_activation(activation)
    fires = values > tau if active is None else mask(active, "active", shape=values.shape)
    distance = values - tau
    near = np.where(fires, distance <= delta, distance > -delta)
    passed = values if form == JUMP else distance
    terms = np.where(fires, -weights, weights) * passed * near
    return WorstParts(
        move_above=delta * float(weights[near & (weights > 0.0)].sum()),
        move_below=-delta * float(weights[near & (weights < 0.0)].sum()) + 0.0,
        state_above=float(terms[terms > 0.0].sum()),
        state_below=-float(terms[terms < 0.0].sum()) + 0.0,
    )


@checked
def part_moments(
    m: Count,
    a: Nonnegative,
    delta: Nonnegative,
    tau: Nonnegative,
    activation: str | ShiftedReLU = "jump",
) -> tuple[HalfWidthMoments, HalfWidthMoments]:
    r"""Compute mean and variance of the half-widths of ``A - g`` and of C at a finite width.

    Returned: `move, state`: Those of ``A - g`` and of C.  Source: Claims C.5 and C.7 with
    Definition 3.1.  By `worst_parts` the half-widths are ``(a delta / 2) N`` and ``(a/2) sum
    |p_r|`` over the N neurons of the window, where N is binomial with the probability ``P(|z - tau|
    <= delta)``.  With ``a = m^{-1/5}``, ``delta = K m^{-3/5}`` and ``tau = O(1/m)`` both grow like
    ``K^2 m^{1/10}``, with the constants ``1/(2 sqrt(pi))`` and ``1/(4 sqrt(pi))``.

    >>> m = 10**10
    >>> move, state = part_moments(m, m**-0.2, m**-0.6, 0.0)
    >>> [round(part.mean * math.sqrt(math.pi) / m**0.1, 2) for part in (move, state)]
    [0.5, 0.25]
    """
    std = scaling.preactivation_std(m)
    t = tau / std
    theta = delta / std
    base = t if get_activation(activation) == JUMP else 0.0
    kinks = [-base] if 0.0 < base < theta else []
    edges = sorted([-theta, 0.0, theta, *kinks])

    def law(power: int, size: float) -> HalfWidthMoments:
        def weighed(v: FloatArray) -> FloatArray:
            return np.asarray(np.abs(base + v) ** power)

        first = window_integral(weighed, edges, t)
        second = window_integral(lambda v: weighed(v) ** 2, edges, t)
        return HalfWidthMoments(
            mean=0.5 * a * size * m * first,
            variance=0.25 * a**2 * size**2 * m * max(0.0, second - first**2),
        )

    return law(0, theta * std), law(1, std)


@checked
def initial_output_std(
    m: Count, a: Nonnegative, tau: Nonnegative, activation: str | ShiftedReLU = "jump"
) -> float:
    r"""Compute the standard deviation of ``B(x) = f(x; W_0)`` over the initialization.

    ``Var B = m a^2 E[sigma(z)^2]``, as the signs are independent of everything else: with ``z =
    sqrt(2/m) N`` it is ``2 a^2 (Q(t) + t phi(t))`` for the jump and ``2 a^2 ((1 + t^2) Q(t) - t
    phi(t))`` for the continuous activation.  The mean is 0.  Source: Claim C.6.

    >>> round(initial_output_std(1024, 0.25, 0.0), 12)
    0.25
    """
    return a * math.sqrt(2.0 * initial_square(m, tau, activation))


def initial_square(m: int, tau: float, activation: str | ShiftedReLU) -> float:
    """Return ``E[sigma(z)^2]`` of one neuron at initialization, over the variance ``2/m`` of z."""
    base, t = _jump_and_threshold(m, tau, activation)
    return window_integral(lambda v: (base + v) ** 2, [0.0, _FAR], t)


def _jump_and_threshold(m: int, tau: float, activation: str | ShiftedReLU) -> tuple[float, float]:
    """Return the jump and the threshold in standard units."""
    t = scaling.standardize_threshold(tau, m)
    return t if get_activation(activation) == JUMP else 0.0, t


@checked
def log_initial_output_tail(
    level: Positive, m: Count, a: Positive, tau: Nonnegative, activation: str | ShiftedReLU = "jump"
) -> float:
    r"""Bound the logarithm of the probability that ``|B(x)|`` reaches a level (Claim C.6).

    Here `level`: the level, ``> 0``.

    A number ``<= 0`` that is at least ``log P(|B(x)| >= level)``.  Source: Claim C.6, by another
    way than the printed one, which conditions on ``W_0``. *Proof.*  ``B = sum eps_r a sigma(z_r)``
    with independent signs, so for every ``k > 0``, by Markov's inequality for ``exp(k B / (a s))``,
    ``s = sqrt(2/m)``,

        P(|B| >= level) <= 2 exp(-k level / (a s)) (E cosh(k sigma(z) / s))^m.

    The function evaluates ``E cosh = 1 + 2 E sinh^2(k sigma(z) / (2 s))`` and takes the best k in
    (0, 1]; every k gives a bound.  For both activations ``sigma(z) <= |z|`` and
    ``E cosh(k N) = exp(k^2/2)``, so the best value is at most
    ``log 2 - level^2 / (4 a^2)`` as long as ``k = level s / (2 a) <= 1``: with ``a = m^{-1/5}`` and
    ``level = C m^{-1/10}`` that is ``log 2 - C^2 m^{1/5} / 4``, the claim.  ∎

    >>> m = 2**20
    >>> log_initial_output_tail(4 * m**-0.1, m, m**-0.2, 1 / m) < -4 * m**0.2
    True
    """
    base, t = _jump_and_threshold(m, tau, activation)
    scale = level / (a * scaling.preactivation_std(m))

    def exponent(log_k: float) -> float:
        k = math.exp(log_k)
        excess = window_integral(lambda v: 2.0 * np.sinh(0.5 * k * (base + v)) ** 2, [0.0, _FAR], t)
        return m * math.log1p(excess) - k * scale

    # In log k the exponent has one minimum: it is convex in k.
    best = optimize.minimize_scalar(
        exponent, bounds=(-0.5 * math.log(m) - 40.0, 0.0), method="bounded", options={"xatol": 1e-9}
    )
    return min(0.0, math.log(2.0) + min(float(best.fun), exponent(0.0)))


@checked
def oblivious_gap_std(
    m: Count,
    a: Nonnegative,
    delta: Nonnegative,
    tau: Nonnegative,
    activation: str | ShiftedReLU = "jump",
) -> float:
    r"""Compute the standard deviation of ``f - g - B`` at x for weights that all move by delta x.

    Source: Theorem 4.1, read for a W that does not depend on the signs of the output weights. ``w_r
    = w_{r,0} + delta x``, the farthest such move at x, wakes the neurons with ``-delta < s <= 0``
    and silences none, so ``f - g - B = sum a_r c_r`` with ``c = z + delta`` (jump) or ``s + delta``
    (continuous) on that window.  The signs are independent of the c: the mean is 0 and the variance
    ``m a^2 E[c^2]``.  With the printed powers the deviation is of order ``m^{-7/20}``: against such
    weights the printed bound would be right.

    >>> m = 10**10
    >>> size = oblivious_gap_std(m, m**-0.2, m**-0.6, 0.0)
    >>> round(size * m**0.35, 3), round((1 / (6 * math.pi**0.5)) ** 0.5, 3)
    (0.307, 0.307)
    """
    base, t = _jump_and_threshold(m, tau, activation)
    std = scaling.preactivation_std(m)
    theta = delta / std
    square = window_integral(lambda v: (base + v + theta) ** 2, [-theta, 0.0], t)
    return a * std * math.sqrt(m * square)
