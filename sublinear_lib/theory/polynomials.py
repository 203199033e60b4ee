r"""The polynomials of the existence proof, built with exact rational coefficients.

Lemma A.1, Theorem A.2, Definition B.1, Lemma B.4, Claim B.5, Lemma B.6, Proposition B.7 and
Corollary B.8: from the Taylor sum of the sign function and the Chebyshev expansion of a power to a
polynomial that fits the labels on whole balls around the data.  Degrees, coefficients and errors
are fractions; that a polynomial stays within bounds on an interval is proven through its Bernstein
coefficients there, of which it is a convex combination, never read off a grid.  Before changing
anything, know two facts that make errors exact.  The sign polynomial of A.1 has the derivative
``const (1 - z^2)^k``, so it is monotone and its worst error on ``[eta, 1]`` is the one at eta.  And
the error of the truncated power of A.2 is a positive combination of Chebyshev polynomials, so its
largest value is the one at ``z = 1``, a binomial tail.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from flint import arb, arb_poly, ctx, fmpq, fmpq_poly, fmpz_poly

from sublinear_lib._arguments import Count, Flag, Whole, checked, described
from sublinear_lib.theory.enclosures import (
    Ball,
    Enclosure,
    Inequality,
    Number,
    UndecidedError,
    ball,
    ceiling,
    decide,
    enclose,
    from_flint,
    rational,
    to_flint,
)
from sublinear_lib.validation import count, float_array, labels, points_on_slice

if TYPE_CHECKING:
    from sublinear_lib._typing import FloatArray

__all__ = [
    "Polynomial",
    "RobustFit",
    "SignApproximation",
    "StepApproximation",
    "chebyshev",
    "chebyshev_coefficients",
    "log_complexity",
    "robust_fit",
    "sign_approximation",
    "sign_cells_hold",
    "sign_closing",
    "sign_order",
    "sign_polynomial",
    "sign_polynomial_decays",
    "sign_polynomial_error",
    "step_approximation",
    "truncated_power",
    "truncated_power_coefficients",
    "truncated_power_error",
]

_DEEPEST = 60
_CELL_DEPTH = 12
_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class Polynomial:
    """A polynomial in one variable with rational coefficients.

    ``coefficients[j]``, exact, belongs to ``z^j``.  The last one is not zero; the zero polynomial
    has none.

    >>> p = Polynomial((Fraction(1), Fraction(0), Fraction(-2)))
    >>> p.degree, p.largest_coefficient, p(Fraction(1, 2))
    (2, Fraction(2, 1), Fraction(1, 2))
    """

    coefficients: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        """Check the coefficients."""
        given: tuple[object, ...] = self.coefficients
        for value in given:
            if isinstance(value, bool) or not isinstance(value, int | Fraction):
                raise TypeError(f"coefficients must be exact fractions, got {value!r}")
        if self.coefficients and not self.coefficients[-1]:
            raise ValueError("coefficients must not end with zero")

    @property
    def degree(self) -> int:
        """The degree; -1 for the zero polynomial."""
        return len(self.coefficients) - 1

    @property
    def largest_coefficient(self) -> Fraction:
        """The largest absolute value of a coefficient; 0 for the zero polynomial."""
        return max((abs(Fraction(value)) for value in self.coefficients), default=_ZERO)

    def __call__(self, z: Number) -> Fraction:
        """Evaluate the polynomial exactly."""
        return from_flint(_flint(self)(to_flint(rational(z, "z"))))

    @described
    def values(self, z: FloatArray) -> FloatArray:
        """Evaluate the polynomial at many points of [-1, 1], where its terms may cancel.

        With errors below ``2^-53 (1 + |value|)``: the working precision covers the largest
        coefficient.

        >>> import numpy as np
        >>> chebyshev(40).values(np.array([1.0, -1.0])).tolist()
        [1.0, 1.0]
        """
        points = float_array(z, "z", shape=(None,))
        if points.size and float(np.abs(points).max()) > 1.0:
            raise ValueError(f"z must lie in [-1, 1], got {float(np.abs(points).max())}")
        size = self.largest_coefficient
        bits = max(0, size.numerator.bit_length() - size.denominator.bit_length())
        with ctx.workprec(bits + 2 * max(self.degree, 1).bit_length() + 72):
            poly = arb_poly(_flint(self))
            return np.array([float(poly(arb(value)).mid()) for value in points.tolist()])


def _flint(polynomial: Polynomial) -> fmpq_poly:
    return fmpq_poly([to_flint(Fraction(value)) for value in polynomial.coefficients])


def _polynomial(source: fmpq_poly) -> Polynomial:
    return Polynomial(tuple(from_flint(value) for value in source.coeffs()))


def _bernstein(source: fmpq_poly, left: Fraction, right: Fraction) -> list[Fraction]:
    """Bernstein coefficients on [left, right]; the first and last are the values at the ends.

    With ``q(u) = p(left + (right - left) u)`` and ``u = 1/(1 + v)``, the coefficient of
    ``v^(n - i)`` in ``(1 + v)^n q(1/(1 + v))`` is the i-th one times ``binomial(n, i)``.
    """
    n = source.degree()
    q = source(fmpq_poly([to_flint(left), to_flint(right - left)])).coeffs()
    q += [fmpq(0)] * (n + 1 - len(q))
    shifted = fmpq_poly(q[::-1])(fmpq_poly([1, 1])).coeffs()
    shifted += [fmpq(0)] * (n + 1 - len(shifted))
    return [from_flint(value) / math.comb(n, i) for i, value in enumerate(shifted[::-1])]


def stays_within(
    polynomial: Polynomial, left: Number, right: Number, lowest: Number, highest: Number
) -> bool:
    r"""Decide whether a polynomial stays between two levels on an interval.

    Whether ``lowest <= p(z) <= highest`` for ``left <= z <= right``.  It is proven either way: an
    interval is halved until the smallest and largest Bernstein coefficient, between which the
    polynomial lies, or the values at the ends show the answer.  All numbers are fractions.

    Raises UndecidedError: if the polynomial touches a level inside the interval, or nearly so.

    >>> parabola = Polynomial((Fraction(0), Fraction(0), Fraction(1)))
    >>> stays_within(parabola, -1, 1, -1, 1), stays_within(parabola, -1, 1, 0.1, 1)
    (True, False)
    """
    low, high = rational(left, "left"), rational(right, "right")
    if low >= high:
        raise ValueError(f"left must be below right, got {left} and {right}")
    floor, ceil = rational(lowest, "lowest"), rational(highest, "highest")
    source = _flint(polynomial)
    if source.degree() < 1:
        return floor <= polynomial(low) <= ceil
    open_intervals = [(low, high, 0)]
    while open_intervals:
        start, end, depth = open_intervals.pop()
        values = _bernstein(source, start, end)
        if not (floor <= values[0] <= ceil and floor <= values[-1] <= ceil):
            return False
        if floor <= min(values) and max(values) <= ceil:
            continue
        if depth == _DEEPEST:
            raise UndecidedError(
                f"the polynomial comes too close to a level near z = {float(start)!r} to decide"
            )
        middle = (start + end) / 2
        open_intervals += [(start, middle, depth + 1), (middle, end, depth + 1)]
    return True


# A.1


def _gap_and_accuracy(eta: Number, eps: Number) -> tuple[Fraction, Fraction]:
    gap = rational(eta, "eta", exclusive_minimum=0, maximum=1)
    return gap, rational(eps, "eps", exclusive_minimum=0, maximum=2)


def _order(eta: Fraction, eps: Fraction) -> int:
    return ceiling(lambda: ball(2 / eps).log() / ball(eta) ** 2)


def sign_order(eta: Number, eps: Number) -> int:
    r"""Return the order ``k = ceil(ln(2/eps) / eta^2)`` of Lemma A.1.

    Lemma A.1 prints "k = 1/eta^2 ln(2/eps_1)", rounded up here as a number of terms must be.

    >>> sign_order(Fraction(1, 2), Fraction(1, 10))
    12
    """
    return _order(*_gap_and_accuracy(eta, eps))


@checked
def sign_polynomial(k: Whole) -> Polynomial:
    r"""Build the sign polynomial of Lemma A.1.

    ``p_k(z) = z sum_(i <= k) c_i (1 - z^2)^i`` with ``c_i = prod_(j <= i) (2 j - 1)/(2 j)``
    (Frostig et al., Corollary 5.4).  Since ``(1 - y)^(-1/2)`` is the sum of all ``c_i y^i``, ``1 -
    p_k(z) = z sum_(i > k) c_i (1 - z^2)^i`` for ``0 < z <= 1``, which vanishes to order ``k + 1``
    at ``z = 1``; p_k being odd, its derivative, of degree 2 k, is divisible by ``(1 - z^2)^k``: it
    *is* ``p_k'(0) (1 - z^2)^k``, with ``p_k'(0) = c_0 + ... + c_k = (2 k + 1) binomial(2 k, k) /
    4^k``.  This is how the coefficients are computed; the tests compare with the sum.

    >>> sign_polynomial(1).coefficients
    (Fraction(0, 1), Fraction(3, 2), Fraction(0, 1), Fraction(-1, 2))
    """
    slope = Fraction((2 * k + 1) * math.comb(2 * k, k), 4**k)
    coefficients = [_ZERO] * (2 * k + 2)
    for i in range(k + 1):
        coefficients[2 * i + 1] = slope * Fraction((-1) ** i * math.comb(k, i), 2 * i + 1)
    return Polynomial(tuple(coefficients))


@checked
def sign_polynomial_error(k: Whole, eta: Number, eps: Number) -> Inequality:
    r"""Compare the exact error of the sign polynomial outside a gap with ``eps / 2`` (Lemma A.1).

    Here `eta`: half the width of the gap, in (0, 1]; `eps`: twice the accuracy, in (0, 2].

    The supremum of ``|sgn(z) - p_k(z)|`` over ``eta <= |z| <= 1``, a fraction.  p_k increases on
    [0, 1] up to ``p_k(1) = 1`` (see `sign_polynomial`), so it is ``1 - p_k(eta)``, at most ``exp(-k
    eta^2)``: step 4 on the page *Good weights exist*.

    >>> sign_polynomial_error(1, Fraction(1, 2), Fraction(1, 2)).left.lower
    Fraction(5, 16)
    """
    gap, accuracy = _gap_and_accuracy(eta, eps)
    return decide(1 - sign_polynomial(k)(gap), "<=", accuracy / 2)


@checked
def sign_polynomial_decays(k: Whole) -> bool:
    r"""Decide for all gaps at once whether the sign polynomial is as accurate as A.1 needs.

    Whether ``0 <= 1 - p_k(z) <= (1 - z^2)^k`` for every z in [0, 1]; it is proven either way.  As
    the right side is at most ``exp(-k z^2)``, and p_k is odd, Lemma A.1 follows for this k.

    >>> sign_polynomial_decays(5)
    True
    """
    polynomial = sign_polynomial(k)
    room = _flint(polynomial) + fmpq_poly([1, 0, -1]) ** k - 1
    return stays_within(polynomial, 0, 1, 0, 1) and stays_within(_polynomial(room), 0, 1, 0, 1)


# B.7, A.2, B.8


@checked
def chebyshev(k: Whole) -> Polynomial:
    r"""Build the Chebyshev polynomial ``C_k`` with its integer coefficients.

    ``C_k(x) = sum_i binomial(k, 2 i) x^(k - 2 i) (x^2 - 1)^i``, so that ``C_k(cos v) = cos(k v)``;
    Proposition B.7 expands the power of ``x^2 - 1``.

    >>> [int(c) for c in chebyshev(3).coefficients]
    [0, -3, 0, 4]
    """
    return _polynomial(fmpq_poly(fmpz_poly.chebyshev_t(k)))


@checked
def chebyshev_coefficients(k: Whole) -> Inequality:
    r"""Compare the coefficients of a Chebyshev polynomial with ``2^(2k)`` (Proposition B.7).

    The *sum* of their absolute values, at most ``(1 + sqrt(2))^k``, see step 6 on the page *Good
    weights exist*; the largest one, of which the proposition speaks, is not larger.

    >>> chebyshev_coefficients(5).left.lower
    Fraction(41, 1)
    """
    total = sum((abs(value) for value in chebyshev(k).coefficients), _ZERO)
    return decide(total, "<=", Fraction(4) ** k)


def _level_weights(s: int, most: int) -> list[int]:
    """Integers w_0..w_most with Pr[|Z_s| = j] = w_j / 2^s, for a sum of s signs."""
    weights = [0] * (most + 1)
    j = s % 2
    value = math.comb(s, (s + j) // 2)
    while j <= min(s, most):
        weights[j] = 2 * value if j else value
        value = value * (s - j) // (s + j + 2)
        j += 2
    return weights


def _chebyshev_sum(weights: Sequence[int]) -> fmpz_poly:
    """Sum of weights[j] C_j."""
    total = fmpz_poly([])
    for j, weight in enumerate(weights):
        total += weight * fmpz_poly.chebyshev_t(j)
    return total


@checked
def truncated_power(s: Whole, most: Whole) -> Polynomial:
    r"""Build the truncated Chebyshev expansion of a power (Theorem A.2, Corollary B.8).

    ``p_(s, M)(z) = E[C_|Z|(z) 1[|Z| <= M]]`` with Z a sum of s independent signs and M, or t in
    Theorem A.2, the cut `most`.  Source: Theorem A.2 (Sachdeva and Vishnoi), which writes X_m and
    Z_m for the same sum.

    >>> [int(c) for c in truncated_power(3, 3).coefficients]
    [0, 0, 0, 1]
    """
    return _polynomial(fmpq_poly(_chebyshev_sum(_level_weights(s, most)), 2**s))


@checked
def truncated_power_error(m: Count, t: Whole) -> Inequality:
    r"""Compare the exact error of the truncated power with ``2 exp(-t^2/(2m))`` (Theorem A.2).

    The maximum of ``|p_(m, t)(z) - z^m|`` over ``|z| <= 1``, taken at ``z = 1``: ``Pr[|Z| > t]``, a
    fraction.  See step 5 on the page *Good weights exist*.

    >>> truncated_power_error(4, 2).left.lower
    Fraction(1, 8)
    """
    inside = Fraction(sum(_level_weights(m, t)), 2**m)
    if t == 0:
        return decide(1 - inside, "<=", Fraction(2))
    return decide(1 - inside, "<=", lambda: 2 * ball(Fraction(-t * t, 2 * m)).exp())


def truncated_power_coefficients(s: int, most: int) -> Inequality:
    r"""Compare the coefficients of the truncated power with ``2^(2M)`` (Corollary B.8).

    An average of ``C_j``, ``j <= M``, has none above ``4^M``, M being the cut `most`.

    >>> truncated_power_coefficients(10, 3).holds
    True
    """
    polynomial = truncated_power(s, most)
    return decide(polynomial.largest_coefficient, "<=", Fraction(4) ** most)


# B.6


def _sign_weights(k: int, most: int) -> list[int]:
    """Integers w_0..w_most with w_j / 8^k = sum_(i <= k) c_i Pr[|Z_i| = j].

    ``c_i = binomial(2 i, i) / 4^i``, and the probabilities are multiples of ``2^-i``.
    """
    weights = [0] * (most + 1)
    for i in range(k + 1):
        factor = math.comb(2 * i, i) << (3 * (k - i))
        for j, weight in enumerate(_level_weights(i, most)):
            if weight:
                weights[j] += factor * weight
    return weights


def _truncated_sign(k: int, t: int) -> tuple[fmpq_poly, Fraction]:
    """Build ``z sum_(i <= k) c_i p_(i, t)(1 - z^2)``, of degree 2 t + 1.

    Also return a bound on its distance to the sign polynomial of order k on [-1, 1].
    """
    weights = _sign_weights(k, t + 2)
    in_y = _chebyshev_sum(weights[: t + 1])
    in_square = in_y(fmpz_poly([1, -1]))
    cut = Fraction(weights[t + 1] + weights[t + 2], 8**k)
    return fmpq_poly(fmpz_poly([0, 1]) * in_square.inflate(2), 8**k), cut


@dataclass(frozen=True)
class SignApproximation:
    """A polynomial near the sign function outside a gap, with what Lemma B.6 says about it.

    Fields: `polynomial`: odd; `eta`: half the width of the gap; `eps`: the accuracy claimed;
    `printed_degree`: the bound M on the degree; `error_bound`: proven to be at least ``|p - 1|`` on
    ``[eta, 1]``, by the argument in `sign_approximation`; `degree_holds`: whether the degree is at
    most M; `error_holds`: whether ``|p - 1| <= eps`` on ``[eta, 1]``, and with it ``|p + 1| <=
    eps`` on ``[-1, -eta]``; proven on the whole interval; `coefficients`: the largest coefficient
    against ``2^(4M)`` (``<=``).
    """

    polynomial: Polynomial
    eta: Fraction
    eps: Fraction
    printed_degree: Enclosure
    error_bound: Fraction
    degree_holds: bool
    error_holds: bool
    coefficients: Inequality

    @property
    def holds(self) -> bool:
        """Whether the polynomial is a witness for all three claims of the lemma."""
        return self.degree_holds and self.error_holds and self.coefficients.holds


def _terms(bound: Enclosure, degree: int | None) -> int:
    """Return t for a degree 2 t + 1 that was asked for, by default the largest up to a bound."""
    chosen = (int(bound.lower // 1) - 1) // 2 * 2 + 1 if degree is None else count(degree, "degree")
    if chosen % 2 == 0:
        raise ValueError(f"degree must be odd, got {degree}")
    return (chosen - 1) // 2


@checked
def sign_approximation(
    eta: Number, eps: Number, degree: int | None = None, *, eta_in_logarithm: Flag = True
) -> SignApproximation:
    r"""Build a polynomial near the sign function and check Lemma B.6 on it.

    ``p(z) = z sum_(i <= k) c_i p_(i, t)(1 - z^2)``: the sign polynomial of Lemma A.1, accurate to
    ``eps/2`` at ``k = sign_order(eta, eps)``, with every power of ``1 - z^2`` truncated as in
    Theorem A.2.  Its degree is ``2 t + 1`` instead of ``2 k + 1``, of order ``1/eta`` instead of
    ``1/eta^2``.

    Here `eta`: half the width of the gap, in (0, 1); `eps`: the accuracy, in (0, 1); `degree`: an
    odd degree ``>= 1``.  By default the largest odd integer that the lemma allows;
    `eta_in_logarithm`: read ``M = (3/eta) ln(2/(eta eps))``; otherwise ``M = (3/eta) ln(2/eps)``.

    The polynomial and the three claims.

    Raises UndecidedError: if the error comes too close to `eps` to decide.

    Source: Lemma B.6 with Lemma A.1, Theorem A.2, Corollary B.8.  The print shows "M = 3 eta eps_1"
    with the logarithm lost; it fits both readings.  The paper gives no proof; here is one.

    Error.  The truncation adds at most ``w_(t+1) + w_(t+2)``, ``w_j = sum_(i <= k) c_i Pr[|Z_i| =
    j]``, to the error of `sign_polynomial_error`: step 5 on the page *Good weights exist*.
    Together they are `error_bound`.

    Degree.  Let ``L = ln(2/eps)`` and ``j = t + 1``.  The first reading allows
    ``M = (3/eta)(L + ln(1/eta))``, so ``j eta > B = 3 (L + ln(1/eta))/2 - eta/2``, and
    ``k eta^2 < L + eta^2``.  In ``(1 - r cos v)^(-1/2) = sum_i c_i r^i cos(v)^i`` the coefficient
    of ``cos(j v)`` is at least ``r^k w_j``; with ``r = 1/cosh u`` it is the one of
    ``sqrt(1 + exp(-2u)) |1 - exp(-u + iv)|^(-1)``, at most ``2 c_j exp(-j u) sqrt(coth u)``.  At
    ``u = j/k``, with ``cosh u <= exp(u^2/2)``, ``coth u <= 1 + 1/u``, ``c_j <= 1/sqrt(pi j)``,

        ``w_j <= (2/sqrt(pi)) sqrt(1/j + k/j^2) exp(-j^2/(2 k))``.

    The ``c_i`` decrease, so ``1 - p_k(eta) <= c_(k+1) (1 - eta^2)^(k+1) / eta``, and with
    ``c_(k+1) <= 1/sqrt(pi (k + 1))`` and ``k + 1 > L/eta^2`` this is at most
    ``(eps/2) / sqrt(pi L)``.  So the error is at most eps once
    ``(4/sqrt(pi)) sqrt(eta/B + (L + eta^2)/B^2) exp(L - B^2/(2 (L + eta^2))) <=
    2 - 1/sqrt(pi L)``, which is `sign_closing`.  For ``eta <= 1/2`` the left side grows with
    eta; at 1/2, ``B = 1.5 u + 0.414`` with ``u = L + 1/4``, the exponent is at most
    ``-L/8 - 0.9``, everything on the left falls with L, and at ``L = ln 2`` it says
    ``0.63 < 1.32``.  For ``eta > 1/2`` and ``L >= 9``, ``B >= 1.5 L - 1/2``, the exponent is at
    most ``1.875 - L/8``, and at ``L = 9`` it says ``1.77 < 1.81``.  What remains is finite,
    ``k <= 36``: `sign_cells_hold` proves it, even for the second reading.  So Lemma B.6 is true in
    the first reading, for all eta and eps.

    Time grows like ``k t`` operations with integers of 3 k bits.

    >>> found = sign_approximation(Fraction(1, 2), Fraction(1, 10))
    >>> found.polynomial.degree, round(float(found.printed_degree), 3), found.holds
    (21, 22.133, True)
    """
    gap = rational(eta, "eta", exclusive_minimum=0, exclusive_maximum=1)
    accuracy = rational(eps, "eps", exclusive_minimum=0, exclusive_maximum=1)
    inside = gap if eta_in_logarithm else _ONE

    def printed() -> Ball:
        return 3 / ball(gap) * ball(2 / (inside * accuracy)).log()

    bound, order = enclose(printed), _order(gap, accuracy)
    source, cut = _truncated_sign(order, _terms(bound, degree))
    polynomial = _polynomial(source)
    return SignApproximation(
        polynomial=polynomial,
        eta=gap,
        eps=accuracy,
        printed_degree=bound,
        error_bound=1 - sign_polynomial(order)(gap) + cut,
        degree_holds=decide(Fraction(polynomial.degree), "<=", printed).holds,
        error_holds=stays_within(polynomial, gap, 1, 1 - accuracy, 1 + accuracy),
        coefficients=decide(
            polynomial.largest_coefficient, "<=", lambda: arb(2) ** (4 * printed())
        ),
    )


def sign_closing(eta: Number, level: Number, extra: Number) -> Inequality:
    r"""Compare the two sides of the inequality that closes the proof of Lemma B.6.

    ``(4/sqrt(pi)) sqrt(eta/B + (L + eta^2)/B^2) exp(L - B^2/(2 (L + eta^2)))`` against ``2 -
    1/sqrt(pi L)`` (``<=``), with ``B = 3 (L + extra)/2 - eta/2``; L, of `level`, is ``ln(2/eps)``
    or a number below it, and `extra` what the degree has beyond: ``M = (3/eta)(L + extra)``, or
    less.  Source: the proof in `sign_approximation`.  For ``eta <= 1/2`` and ``extra = ln(1/eta)``,
    or ``ln(2)`` as in Claim B.5, the left side is largest, and the right side smallest, at ``eta =
    1/2, L = ln(2)``; numbers a little below ``ln(2)`` are on the safe side.

    >>> level = Fraction(693, 1000)
    >>> sign_closing(Fraction(1, 2), level, level).holds, sign_closing(1, 9, 0).holds
    (True, True)
    """
    gap = rational(eta, "eta", exclusive_minimum=0, maximum=1)
    at_least = rational(level, "level", exclusive_minimum=0)
    reach = 3 * (at_least + rational(extra, "extra", minimum=0)) / 2 - gap / 2
    if reach <= 0:
        raise ValueError(f"level + extra must exceed eta / 3, got {level} + {extra} for {eta}")
    spread = at_least + gap * gap

    def left() -> Ball:
        root = ball(gap / reach + spread / reach**2).sqrt()
        return 4 / arb.pi().sqrt() * root * ball(at_least - reach**2 / (2 * spread)).exp()

    return decide(left, "<=", lambda: 2 - 1 / (arb.pi() * ball(at_least)).sqrt())


@checked
def sign_cells_hold(largest_order: Count = 36, largest_log: Number = 9) -> bool:
    r"""Prove Lemma B.6 where its general proof does not reach: for wide gaps and few terms.

    True if for all eta in (1/2, 1) and eps in (0, 1) with ``L = ln(2/eps) <= largest_log`` and ``k
    = ceil(L/eta^2) <= largest_order``, the polynomial of `sign_approximation` with the degree that
    the second, smaller reading ``M = (3/eta) L`` allows has an `error_bound` of at most eps; this
    is proven.  False if some interval could not be settled.

    For given k and t, ``(k - 1) eta^2 < L <= k eta^2`` and ``L < eta (2 t + 3)/3``, as ``2 t + 3``
    is the first odd number beyond M.  So with ``l(eta) = min(k eta^2, eta (2 t + 3)/3,
    largest_log)``, which increases, eps is at least ``2 exp(-l(eta))``.  On an interval [a, b] of
    eta it is enough that ``1 - p_k(a) + w_(t+1) + w_(t+2) <= 2 exp(-l(b))``, or that no L fits;
    intervals on which neither is true are halved.  For ``t >= k`` nothing is truncated.

    >>> sign_cells_hold(6)
    True
    """
    highest = rational(largest_log, "largest_log", exclusive_minimum=0)
    for k in range(1, largest_order + 1):
        polynomial, weights = sign_polynomial(k), _sign_weights(k, k + 2)
        for t in range(k):
            cut = Fraction(weights[t + 1] + weights[t + 2], 8**k)
            intervals = [(Fraction(1, 2), _ONE, 0)]
            while intervals:
                a, b, depth = intervals.pop()
                reach = min(k * b * b, b * Fraction(2 * t + 3, 3), highest)
                if reach <= (k - 1) * a * a or _at_most_twice_exp(_ONE, reach):  # or at most log 2
                    continue
                if _at_most_twice_exp(1 - polynomial(a) + cut, reach):
                    continue
                if depth == _CELL_DEPTH:
                    return False
                middle = (a + b) / 2
                intervals += [(a, middle, depth + 1), (middle, b, depth + 1)]
    return True


def _at_most_twice_exp(value: Fraction, exponent: Fraction) -> bool:
    """Say whether value <= 2 exp(-exponent)."""
    return decide(value, "<=", lambda: 2 * ball(-exponent).exp()).holds


# B.5, B.4


@dataclass(frozen=True)
class StepApproximation:
    """A polynomial near a step of the inner product, with what Claim B.5 says about it.

    Fields: `polynomial`: q; `delta`, `rho`, `eps`: the separation, the radius of the adversary, the
    accuracy claimed; `gamma`: ``delta (delta - 2 rho)``; `printed_degree`: the bound ``M = 24
    ln(16/eps) / gamma`` on the degree; `degree_holds`: whether the degree is at most M;
    `low_holds`: whether ``|q| <= eps`` on ``[-1, 1 - (delta - rho)^2/2]``, proven; `high_holds`:
    whether ``|q - 1| <= eps`` on ``[1 - rho^2/2, 1]``, proven; `coefficients`: the largest
    coefficient against ``2^(6M) / gamma``, that is the claim with constant one.
    """

    polynomial: Polynomial
    delta: Fraction
    rho: Fraction
    eps: Fraction
    gamma: Fraction
    printed_degree: Enclosure
    degree_holds: bool
    low_holds: bool
    high_holds: bool
    coefficients: Inequality

    @property
    def holds(self) -> bool:
        """Whether the polynomial is a witness for all claims."""
        return self.degree_holds and self.low_holds and self.high_holds and self.coefficients.holds


def step_approximation(
    delta: Number, rho: Number, eps: Number, degree: int | None = None
) -> StepApproximation:
    r"""Build a polynomial that tells near inner products from far ones (Claim B.5).

    ``q(z) = (1 + p((z - z_0)/2)) / 2`` with ``z_0 = 1 - (rho^2 + (delta - rho)^2)/4``, half-way
    between the two intervals of the claim, and p as in `sign_approximation` for the gap ``eta =
    gamma/8`` and the accuracy ``2 eps``; delta in (0, 2) is the separation of Definition 3.7, ``0 <
    rho < delta/2`` the radius of the adversary, and eps in (0, 1/2].  The degree is odd, by default
    the largest that the claim allows.

    The two intervals are ``gamma/2`` apart, so ``(z - z_0)/2`` avoids ``(-gamma/8, gamma/8)``, and
    stays in [-1, 1].  As a corollary of Lemma B.6 the claim would have the degree ``24 ln(8/(gamma
    eps)) / gamma``, within the printed M only for ``gamma >= 1/2``.  It is true for all gamma: the
    proof in `sign_approximation` uses of the logarithm only that ``M >= (3/eta)(L + ln 2)``, while
    here ``M = (3/eta)(L + ln 16)`` with ``L = ln(1/eps)``.  (For eps between 1/2 and 1 take the
    polynomial for 1/2.)

    Raises UndecidedError: if an error comes too close to `eps` to decide.

    >>> found = step_approximation(Fraction(3, 2), Fraction(1, 10), Fraction(1, 4))
    >>> found.polynomial.degree, found.holds
    (49, True)
    """
    separation = rational(delta, "delta", exclusive_minimum=0, exclusive_maximum=2)
    radius = rational(rho, "rho", exclusive_minimum=0, exclusive_maximum=separation / 2)
    accuracy = rational(eps, "eps", exclusive_minimum=0, maximum=Fraction(1, 2))
    gamma = separation * (separation - 2 * radius)

    def printed() -> Ball:
        return 24 / ball(gamma) * ball(16 / accuracy).log()

    bound = enclose(printed)
    sign, _ = _truncated_sign(_order(gamma / 8, 2 * accuracy), _terms(bound, degree))
    far, near = 1 - (separation - radius) ** 2 / 2, 1 - radius**2 / 2
    center = (far + near) / 2
    q = (1 + sign(fmpq_poly([to_flint(-center / 2), fmpq(1, 2)]))) / 2
    polynomial = _polynomial(q)
    return StepApproximation(
        polynomial=polynomial,
        delta=separation,
        rho=radius,
        eps=accuracy,
        gamma=gamma,
        printed_degree=bound,
        degree_holds=decide(Fraction(polynomial.degree), "<=", printed).holds,
        low_holds=stays_within(polynomial, -1, far, -accuracy, accuracy),
        high_holds=stays_within(polynomial, near, 1, 1 - accuracy, 1 + accuracy),
        coefficients=decide(
            polynomial.largest_coefficient, "<=", lambda: arb(2) ** (6 * printed()) / ball(gamma)
        ),
    )


def _unit(point: FloatArray) -> list[Ball]:
    entries = [ball(Fraction(float(value))) for value in point]
    length = sum((entry * entry for entry in entries), arb(0)).sqrt()
    return [entry / length for entry in entries]


def _inner(first: FloatArray, second: FloatArray) -> Ball:
    """Inner product of two points scaled to length one."""
    return sum((a * b for a, b in zip(_unit(first), _unit(second), strict=True)), arb(0))


def _squared_distance(first: FloatArray, second: FloatArray) -> Callable[[], Ball]:
    """Return the recipe of the squared distance of two points scaled to length one."""
    return lambda: 2 - 2 * _inner(first, second)


@dataclass(frozen=True)
class RobustFit:
    """The function ``f*(x) = sum_i y_i q(<x_i, x>)`` of Lemma B.4 on a data set.

    Fields: `step`: the polynomial q, with accuracy ``eps / (3 n)``; `X`: the points; what counts
    are their directions; `y`: the labels; `bound`: proven to be at least ``|f*(x) - y_j|`` for
    every j and every x of ``B_2(x_j, rho)``.
    """

    step: StepApproximation
    X: FloatArray
    y: FloatArray
    bound: Fraction

    @described
    def value(self, x: FloatArray) -> Enclosure:
        """Enclose ``f*`` at the direction of a point."""
        q = _flint(self.step.polynomial)

        def total() -> Ball:
            values = (arb_poly(q)(_inner(point, x)) for point in self.X)
            return sum((arb(y) * value for y, value in zip(self.y, values, strict=True)), arb(0))

        return enclose(total)


def robust_fit(
    X: FloatArray, y: FloatArray, delta: Number, rho: Number, eps: Number, degree: int | None = None
) -> RobustFit:
    r"""Combine step polynomials into a function that fits the labels robustly (Lemma B.4).

    The function, with a proven bound on its error on all balls, at most ``eps/3``.  Any two points
    must be at least delta apart, which is checked rigorously (Definition 3.7).  The degree of q is
    odd, by default the largest up to ``M = 24 ln(48 n/eps) / gamma``.  Proof: steps 1 and 2 on the
    page *Good weights exist*.

    Raises UndecidedError: if a distance is too close to delta to decide.

    >>> import numpy as np
    >>> X = np.array([[3**0.5 / 2, 0.5], [-(3**0.5) / 2, 0.5]])
    >>> fit = robust_fit(X, np.array([1.0, -1.0]), 1.7, 0.1, 0.9)
    >>> fit.bound <= Fraction(0.9) / 3
    True
    """
    points = points_on_slice(X, "X")
    targets = labels(y, "y", n=len(points))
    separation = rational(delta, "delta", exclusive_minimum=0, exclusive_maximum=2)
    accuracy = rational(eps, "eps", exclusive_minimum=0, exclusive_maximum=1)
    for i in range(len(points)):
        for j in range(i):
            if not decide(_squared_distance(points[i], points[j]), ">=", separation**2).holds:
                raise ValueError(f"X must have points at least {delta} apart: rows {j} and {i}")
    step = step_approximation(separation, rho, accuracy / (3 * len(points)), degree)
    if not (step.low_holds and step.high_holds):
        raise ValueError(f"degree must be larger: {step.polynomial.degree} misses the accuracy")
    weight = sum((abs(Fraction(float(label))) for label in targets), _ZERO)
    return RobustFit(step=step, X=points, y=targets, bound=step.eps * weight)


# B.1


def log_complexity(polynomial: Polynomial, c: Number, eps: Number | None = None) -> Enclosure:
    r"""Enclose the logarithm of a complexity of Definition B.1.

    ``C(phi, eps) = sum_j c^j (1 + (ln(1/eps)/j)^(j/2)) |alpha_j|``, and without an accuracy
    ``C(phi) = c sum_j (j + 1)^1.75 |alpha_j|``: natural logarithms, the complexity itself is soon
    beyond every float.  The term ``j = 0`` divides by zero as printed; its power is read as the
    limit ``(L/j)^(j/2) -> 1``, so it contributes ``2 |alpha_0|``.

    Raises UndecidedError: if the complexity of a polynomial that is not constant is one.

    >>> linear = Polynomial((Fraction(0), Fraction(1)))
    >>> math.exp(float(log_complexity(linear, 1)))
    3.363585661014858
    """
    constant = rational(c, "c", exclusive_minimum=0)
    if polynomial.degree < 0:
        raise ValueError("polynomial must not be zero")
    sizes = [abs(Fraction(value)) for value in polynomial.coefficients]
    if eps is None:
        if polynomial.degree == 0:  # a complexity of one is known by its exact value only
            return enclose(lambda: ball(constant * sizes[0]).log())

        def plain() -> Ball:
            terms = (ball(v) * arb(j + 1) ** ball(Fraction(7, 4)) for j, v in enumerate(sizes))
            return (ball(constant) * sum(terms, arb(0))).log()

        return enclose(plain)
    accuracy = rational(eps, "eps", exclusive_minimum=0, exclusive_maximum=1)

    def full() -> Ball:
        level, total, power = ball(1 / accuracy).log(), arb(0), arb(1)
        for j, size in enumerate(sizes):
            factor = (level / j) ** ball(Fraction(j, 2)) if j else arb(1)
            total += power * (1 + factor) * ball(size)
            power *= ball(constant)
        return total.log()

    return enclose(full)
