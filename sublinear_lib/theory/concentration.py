r"""The probability tools of the paper, each as an exact probability beside its printed bound.

Appendix A.3-A.10 and Lemma B.2.  Every function takes one instance of a lemma and returns an
`Inequality`: the probability, the bound, and which is larger, proven for that instance by exact
binomial sums or by enclosures in ball arithmetic.  The docstrings hold the proofs for all
instances, or the counterexample.  Before changing a formula, know that the machine-read text has
lost most relation signs, roots and minus signs of these lemmas; the readings used here are the
usual ones, and where two readings are possible (B.2) both can be evaluated.  Numbers are exact:
pass ``Fraction(1, 10)`` when a tenth is meant.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Literal, TypeVar

from flint import arb

from sublinear_lib._arguments import Count, Flag, checked
from sublinear_lib.theory.enclosures import (
    Ball,
    Enclosure,
    Inequality,
    Number,
    Series,
    ball,
    decide,
    enclose_root,
    rational,
)
from sublinear_lib.validation import choice

__all__ = [
    "bernstein",
    "chernoff",
    "chernoff_crossing",
    "chernoff_margin",
    "chi_square",
    "gaussian_wedge",
    "gaussian_wedge_crossing",
    "gaussian_wedge_margin",
    "hoeffding",
    "laurent_massart",
    "laurent_massart_margin",
    "li_shao",
    "near_threshold",
    "weight_norm",
]

Side = Literal["lower", "upper"]
Form = Literal["printed", "repaired"]
SIDES: tuple[Side, Side] = ("lower", "upper")
_ZERO, _ONE = Fraction(0), Fraction(1)

_Real = TypeVar("_Real", Ball, Series)


def _central(half_width: _Real) -> _Real:
    """Pr[|N(0, 1)| <= half_width]."""
    return (half_width / arb(2).sqrt()).erf()


def li_shao(eta: Number, tau: Number, side: Side) -> Inequality:
    r"""Compare the mass of a shifted window with that of the centered one (Theorem A.3).

    For x ~ N(0, 1), ``exp(-eta^2/2) Pr[|x| <= tau] <= Pr[|x - eta| <= tau] <= Pr[|x| <= tau]``;
    both halves are true for all ``eta, tau > 0``.  Decided: ``Pr[|x - eta| <= tau]`` against the
    left (``>=``) or the right (``<=``) side.  Source: Li and Shao, Theorem 3.1.  Proof: *One proof
    for all tails*, on the page *Toolbox*.

    >>> li_shao(1, 1, "upper").holds
    True
    """
    shift = rational(eta, "eta", exclusive_minimum=0)
    half = rational(tau, "tau", exclusive_minimum=0)
    choice(side, "side", SIDES)
    root = Fraction(2)

    def window() -> Ball:
        scale = ball(root).sqrt()
        return ((ball(shift - half) / scale).erfc() - (ball(shift + half) / scale).erfc()) / 2

    if side == "upper":
        return decide(window, "<=", lambda: _central(ball(half)))
    return decide(window, ">=", lambda: (-(ball(shift) ** 2) / 2).exp() * _central(ball(half)))


def gaussian_wedge(ratio: Number, side: Side) -> Inequality:
    r"""Compare ``Pr[|X| <= eta]``, X ~ N(0, sigma^2), with the two lines of Lemma A.5.

    With ``u = eta / sigma`` the lemma says ``2u/3 < Pr[|X| <= eta] < 4u/5``.  The upper half is
    true for all ``u > 0``; the lower half is true exactly for ``u`` below the crossing point
    1.0794... (`gaussian_wedge_crossing`), so a hypothesis such as ``eta <= sigma`` is missing.  The
    machine-read text shows only "( 2 5 eta sigma)"; the two lines are those of the usual statement.

    Proof.  ``F(u) = erf(u / sqrt(2))`` is strictly concave on ``u > 0`` with ``F(0) = 0`` and slope
    ``sqrt(2/pi)`` there, and ``2/3 < sqrt(2/pi) < 4/5``.  So F lies below its tangent, hence below
    ``4u/5``; and ``F(u) - 2u/3`` is concave, zero at 0, first positive and tends to minus infinity:
    it has exactly one positive zero.

    >>> [gaussian_wedge(u, "lower").holds for u in (1, 2)]
    [True, False]
    """
    u = rational(ratio, "ratio", exclusive_minimum=0)
    choice(side, "side", SIDES)
    if side == "upper":
        return decide(lambda: _central(ball(u)), "<=", u * Fraction(4, 5))
    return decide(lambda: _central(ball(u)), ">=", u * Fraction(2, 3))


def gaussian_wedge_margin(ratio: _Real, side: Side) -> _Real:
    r"""Return by how much a half of Lemma A.5 holds, for intervals of ratios.

    ``erf(u / sqrt(2)) - 2u/3`` for the lower half, ``4u/5 - erf(u / sqrt(2))`` for the upper one,
    with u a ball or a power series.

    >>> from sublinear_lib.theory.enclosures import positive_on
    >>> positive_on(lambda u: gaussian_wedge_margin(u, "lower"), 0, 1, zeros=1)
    True
    """
    choice(side, "side", SIDES)
    if side == "upper":
        return ratio * 4 / 5 - _central(ratio)
    return _central(ratio) - ratio * 2 / 3


def gaussian_wedge_crossing() -> Enclosure:
    r"""Enclose the ratio ``eta / sigma`` up to which the lower half of Lemma A.5 holds.

    The only positive solution u of ``erf(u / sqrt(2)) = 2u/3``, see `gaussian_wedge`.

    >>> round(float(gaussian_wedge_crossing()), 6)
    1.079357
    """
    return enclose_root(lambda u: gaussian_wedge_margin(u, "lower"), 1, 2)


def _numbers(values: object, name: str) -> list[Number]:
    """Return a non-empty sequence of numbers as a list; its entries are not checked."""
    if isinstance(values, str | bytes) or not isinstance(values, Sequence) or not values:
        raise TypeError(f"{name} must be a non-empty sequence of numbers, got {values!r}")
    return list(values)


def _probabilities(values: object) -> list[Fraction]:
    name = "probabilities"
    return [rational(p, name, minimum=0, maximum=1) for p in _numbers(values, name)]


def _binomial_weights(n: int, p: Fraction) -> list[int]:
    """Integers w_0..w_n with Pr[Binomial(n, p) = k] = w_k / p.denominator^n."""
    a, b = p.numerator, p.denominator - p.numerator
    powers = [1]
    for _ in range(n):
        powers.append(powers[-1] * b)
    weights, choose, up = [], 1, 1
    for k in range(n + 1):
        weights.append(choose * up * powers[n - k])
        choose = choose * (n - k) // (k + 1)
        up *= a
    return weights


def _tail(
    values: Sequence[Fraction],
    probabilities: Sequence[Fraction],
    event: Callable[[Fraction], bool],
) -> Fraction:
    """Probability that sum_i values[i] B_i, B_i ~ Bernoulli(probabilities[i]), is in an event."""
    total, law = 1, {_ZERO: 1}
    for (value, p), times in Counter(zip(values, probabilities, strict=True)).items():
        weights = _binomial_weights(times, p)
        total *= p.denominator**times
        grown: dict[Fraction, int] = {}
        for start, weight in law.items():
            for k, factor in enumerate(weights):
                if factor:
                    at = start + k * value
                    grown[at] = grown.get(at, 0) + weight * factor
        law = grown
    return Fraction(sum(weight for at, weight in law.items() if event(at)), total)


def hoeffding(ranges: Sequence[Number], probabilities: Sequence[Number], eta: Number) -> Inequality:
    r"""Compare the deviation of a sum of two-valued variables with Hoeffding's bound (Lemma A.6).

    ``X_i`` is ``ranges[i] > 0`` with probability ``probabilities[i]`` and 0 otherwise,
    independently, and ``U`` is the sum.  The lemma says ``Pr[|U - E U| >= eta] <= 2 exp(-2 eta^2 /
    sum_i ranges[i]^2)``, which is true; two-valued variables have the largest variance on their
    interval, the hardest case.  The probability is exact.  Proof: *One proof for all tails*, on the
    page *Toolbox*.

    >>> hoeffding([1] * 4, [Fraction(1, 2)] * 4, 2).left.lower
    Fraction(1, 8)
    """
    p = _probabilities(probabilities)
    lengths = [rational(s, "ranges", exclusive_minimum=0) for s in _numbers(ranges, "ranges")]
    if len(lengths) != len(p):
        raise ValueError(
            f"ranges must have as many entries as probabilities ({len(p)}), got {len(lengths)}"
        )
    deviation = rational(eta, "eta", exclusive_minimum=0)
    mean = sum((s * q for s, q in zip(lengths, p, strict=True)), _ZERO)
    squares = sum((s * s for s in lengths), _ZERO)
    tail = _tail(lengths, p, lambda u: abs(u - mean) >= deviation)
    return decide(tail, "<=", lambda: 2 * ball(-2 * deviation**2 / squares).exp())


@checked
def chi_square(n: Count, t: Number, side: Side) -> Inequality:
    r"""Compare a tail of the chi-square law with the bound of Lemma A.7.

    Here `t`: the level, ``> 0``; `side`: which tail.

    For X chi-square with n degrees of freedom, ``Pr[X - n >= 2 sqrt(n t) + 2 t] <= exp(-t)`` and
    ``Pr[n - X >= 2 sqrt(n t)] <= exp(-t)``, both true: the case ``a_i = 1`` of `laurent_massart`.

    >>> chi_square(1, 100, "lower").left.upper
    Fraction(0, 1)
    """
    return laurent_massart([1] * n, t, side)


@checked
def weight_norm(m: Count, d: Count, level: Number, constant: Number) -> Inequality:
    r"""Compare the tail of ``||w_r||^2`` with the ``exp(-Omega(m^2/d))`` claimed in Lemma C.9.

    For ``w ~ N(0, I_d / m)``, ``Pr[||w||^2 >= level]`` against ``exp(-constant m^2 / d)``, in the
    proofs of Lemma C.9 (= 4.2) and Claim C.19 "from Lemma B.2 and Lemma A.7".  Whatever the two
    constants, the claim is false for all large m.  Proof.  ``||w||^2 >= w_1^2``, so the probability
    is at least ``2 Q(sqrt(level m))``, and ``Q(x) >= phi(x) / (x + 1/x)``; minus its logarithm is
    at most ``level m / 2 + O(log m)``, below ``constant m^2 / d`` for large m.  What A.7 gives,
    ``exp(-Omega(m))`` for ``m >= C d``, is all the paper needs.

    >>> [weight_norm(m, 4, 4, Fraction(1, 100)).holds for m in (64, 1024)]
    [True, False]
    """
    squared = rational(level, "level", exclusive_minimum=0)
    c = rational(constant, "constant", exclusive_minimum=0)
    half = Fraction(d, 2)

    def tail() -> Ball:
        return ball(squared * m / 2).gamma_upper(ball(half), regularized=1)

    return decide(tail, "<=", lambda: ball(-c * m * m / d).exp())


def chernoff(
    probabilities: Sequence[Number], epsilon: Number, side: Side, form: Form = "printed"
) -> Inequality:
    r"""Compare a tail of a sum of independent indicators with Chernoff's bound (Lemma A.8).

    Y counts independent successes and ``mu = E Y``.  Printed: ``Pr[Y <= mu (1 - eps)] <= exp(-eps^2
    mu / 2)`` for ``0 < eps < 1``, true; and ``Pr[Y >= mu (1 + eps)] <= exp(-eps^2 mu / 3)`` for
    *all* ``eps > 0``, which is true for every law of Y exactly up to the crossing point 1.8169...
    of `chernoff_crossing`.  Repaired: ``exp(-eps^2 mu / (2 + eps))``, true for all ``eps > 0``.
    The probability is exact.

    Proof: *One proof for all tails*, on the page *Toolbox*.  Beyond the crossing the printed bound
    fails for n indicators of probability ``mu / n`` and n, then mu, tending to infinity: ``-log Pr
    / mu`` tends to ``h(eps)`` of `chernoff_margin` (Cramer's theorem).  The paper uses the bound
    with eps = O(1) only.

    >>> instance = [Fraction(1, 1000)] * 1000
    >>> chernoff(instance, 9, "upper").holds, chernoff(instance, 9, "upper", "repaired").holds
    (False, True)
    """
    p = _probabilities(probabilities)
    choice(side, "side", SIDES)
    choice(form, "form", ("printed", "repaired"))
    mean = sum(p, _ZERO)
    if not mean:
        raise ValueError("probabilities must not all be zero")
    ones = [_ONE] * len(p)
    if side == "lower":
        eps = rational(epsilon, "epsilon", exclusive_minimum=0, exclusive_maximum=1)
        tail = _tail(ones, p, lambda k: k <= mean * (1 - eps))
        divisor = Fraction(2)
    else:
        eps = rational(epsilon, "epsilon", exclusive_minimum=0)
        tail = _tail(ones, p, lambda k: k >= mean * (1 + eps))
        divisor = Fraction(3) if form == "printed" else 2 + eps
    return decide(tail, "<=", lambda: ball(-eps * eps * mean / divisor).exp())


def chernoff_margin(epsilon: _Real, side: Side, form: Form = "printed") -> _Real:
    r"""Return by how much the exponent of Lemma A.8 holds for every law, per unit of the mean.

    ``h(eps)`` (``h(-eps)`` for the lower tail) with ``h(e) = (1 + e) log(1 + e) - e``, minus the
    exponent of the lemma over mu.  Where this is positive the bound is true for every sum of
    independent indicators; where it is negative it is false for some (see `chernoff`).

    >>> from sublinear_lib.theory.enclosures import positive_on
    >>> positive_on(lambda e: chernoff_margin(e, "upper", "repaired"), 0, 8, zeros=3)
    True
    """
    choice(side, "side", SIDES)
    choice(form, "form", ("printed", "repaired"))
    away = epsilon if side == "upper" else -epsilon
    rate = (1 + away) * (1 + away).log() - away
    if side == "lower":
        return rate - epsilon * epsilon / 2
    if form == "printed":
        return rate - epsilon * epsilon / 3
    return rate - epsilon * epsilon / (2 + epsilon)


def chernoff_crossing() -> Enclosure:
    r"""Enclose the relative deviation up to which the printed upper tail of Lemma A.8 holds.

    The only positive solution of ``(1 + e) log(1 + e) - e = e^2 / 3``, see `chernoff`.

    >>> round(float(chernoff_crossing()), 3)
    1.817
    """
    return enclose_root(lambda e: chernoff_margin(e, "upper"), 1, 3)


def bernstein(probabilities: Sequence[Number], eta: Number) -> Inequality:
    r"""Compare a sum of centered indicators with Bernstein's bound (Lemma A.9).

    ``Y_i = B_i - p_i`` for independent ``B_i ~ Bernoulli(p_i)``, and ``M`` is the largest
    ``|Y_i|``.  The lemma says ``Pr[sum Y_i > eta] <= exp(-(eta^2/2) / (sum E Y_i^2 + M eta/3))``,
    which is true.  The probability is exact.  Proof: *One proof for all tails*, on the page
    *Toolbox*.

    >>> bernstein([Fraction(1, 2)] * 4, 1).left.lower
    Fraction(1, 16)
    """
    p = _probabilities(probabilities)
    deviation = rational(eta, "eta", exclusive_minimum=0)
    mean = sum(p, _ZERO)
    variance = sum((q * (1 - q) for q in p), _ZERO)
    largest = max(max(q, 1 - q) for q in p)
    tail = _tail([_ONE] * len(p), p, lambda k: k - mean > deviation)
    exponent = -(deviation**2 / 2) / (variance + largest * deviation / 3)
    return decide(tail, "<=", lambda: ball(exponent).exp())


def near_threshold(eta: Number, tau: Number = 0) -> Inequality:
    r"""Compare the chance to lie near a threshold with the line ``eta / sqrt(pi)`` (Claim A.10).

    For ``w ~ N(0, I_d)``, ``b ~ N(0, 1)`` and ``||x|| = 1``, ``z = <w, x> + b`` is N(0, 2), so
    ``Pr[|z| <= eta] = erf(eta/2) < eta / sqrt(pi)``, with the best constant; by Theorem A.3 the
    same bound holds for ``Pr[|z - tau| <= eta]``.  In the scaling of the network (entries N(0,
    1/m)) read ``eta sqrt(m)`` and ``tau sqrt(m)``.  Source: Claim A.10, which prints O(eta); used
    with tau in C.1, C.16 and C.19.  Proof: *One proof for all tails*, on the page *Toolbox*.

    >>> near_threshold(Fraction(1, 10)).ratio > 0.999
    True
    """
    half = rational(eta, "eta", exclusive_minimum=0)
    shift = abs(rational(tau, "tau"))

    def window() -> Ball:
        return (ball((shift - half) / 2).erfc() - ball((shift + half) / 2).erfc()) / 2

    return decide(window, "<=", lambda: ball(half) / arb.pi().sqrt())


def _pairs_above(weights: Sequence[Fraction], level: Ball) -> Ball:
    """Pr[sum_j 2 weights[j] E_j >= level], level >= 0, for distinct weights and E_j ~ Exp(1)."""
    total = arb(0)
    for j, a in enumerate(weights):
        factor = math.prod((a / (a - b) for i, b in enumerate(weights) if i != j), start=_ONE)
        total += ball(factor) * (-level / (2 * ball(a))).exp()
    return total


@checked
def laurent_massart(
    weights: Sequence[Number],
    t: Number,
    side: Side = "upper",
    *,
    squared_norm: Flag = False,
    linear_term: Flag = True,
) -> Inequality:
    r"""Compare a tail of a weighted chi-square sum with a reading of Lemma B.2.

    Here `weights`: the ``a_i > 0``: all equal, or every value that occurs occurs exactly twice;
    `t`: the level, ``> 0``; `squared_norm`: read ``|a|_2^2`` for ``|a|_2``; `linear_term`: read ``2
    |a|_inf t``; otherwise ``2 |a|_inf``.

    For ``X = sum_i a_i (Z_i^2 - 1)``, the lemma of Laurent and Massart is ``Pr[X >= 2 |a|_2 sqrt(t)
    + 2 |a|_inf t] <= exp(-t)`` and ``Pr[X <= -2 |a|_2 sqrt(t)] <= exp(-t)``, both true.  The
    machine-read print shows "2|a|2 2 t + 2|a|": a square on the 2-norm and no t on the largest
    weight.  With either of these the upper tail is false: the squared reading is not homogeneous,
    scaling the weights to 0 would give ``Pr[X >= 2 |a|_inf t] <= exp(-t)``, false for many equal
    weights; without t, ``Pr[Z^2 >= 3 + 2 sqrt(t)]`` falls only like ``exp(-sqrt(t))``.

    Equal weights leave a chi-square law; pairs leave ``sum_j a_j (2 E_j)`` with independent
    exponentials, whose tail is ``sum_j exp(-y / (2 a_j)) prod_(i != j) a_j / (a_j - a_i)``.  Proof:
    *One proof for all tails*, on the page *Toolbox*.

    >>> equal = [Fraction(1, 1000)] * 1000
    >>> laurent_massart(equal, 1).holds, laurent_massart(equal, 1, squared_norm=True).holds
    (True, False)
    """
    a = [rational(value, "weights", exclusive_minimum=0) for value in _numbers(weights, "weights")]
    level = rational(t, "t", exclusive_minimum=0)
    choice(side, "side", SIDES)
    times = Counter(a)
    equal = len(times) == 1
    if not equal and set(times.values()) != {2}:
        raise ValueError(
            "weights must all be equal, or every value must occur exactly twice, got values that "
            f"occur {sorted(set(times.values()))} times"
        )
    squares = sum((value * value for value in a), _ZERO)
    largest, mean = max(a), sum(a, _ZERO)
    n = Fraction(len(a))
    # sqrt(squares * t), or sqrt(squares^2 * t) in the damaged reading
    under_root = 4 * level * (squares**2 if squared_norm else squares)
    shift = 2 * largest * (level if linear_term else _ONE)

    def bound() -> Ball:
        return ball(-level).exp()

    def above(at: Ball) -> Ball:
        """Pr[sum a_i Z_i^2 >= at]."""
        if equal:
            return (at / (2 * ball(largest))).gamma_upper(ball(n / 2), regularized=1)
        return _pairs_above(list(times), at)

    if side == "upper":
        return decide(lambda: above(ball(mean + shift) + ball(under_root).sqrt()), "<=", bound)
    if under_root >= mean**2:
        return decide(_ZERO, "<=", bound)

    def below() -> Ball:
        at = ball(mean) - ball(under_root).sqrt()
        if equal:
            return (at / (2 * ball(largest))).gamma_lower(ball(n / 2), regularized=1)
        return 1 - above(at)

    return decide(below, "<=", bound)


def laurent_massart_margin(tilt: _Real, side: Side = "upper") -> _Real:
    r"""Return by how much the moment bound behind Lemmas A.7 and B.2 holds.

    With ``G(l) = log E exp(l (Z^2 - 1)) = -l - log(1 - 2 l)/2``: ``l^2/(1 - 2 l) - G(l)`` for the
    upper tail (``l < 1/2``), ``l^2 - G(-l)`` for the lower one.  Both are positive for ``l > 0``:
    they vanish at 0 and have the derivatives ``2 l^2/(1 - 2 l)^2`` and ``4 l^2/(1 + 2 l)``.

    >>> from sublinear_lib.theory.enclosures import positive_on
    >>> positive_on(lambda l: laurent_massart_margin(l, "lower"), 0, 1, zeros=3)
    True
    """
    choice(side, "side", SIDES)
    if side == "upper":
        return tilt * tilt / (1 - 2 * tilt) + tilt + (1 - 2 * tilt).log() / 2
    return tilt * tilt - tilt + (1 + 2 * tilt).log() / 2
