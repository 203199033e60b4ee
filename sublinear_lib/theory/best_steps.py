r"""How small the degree of a polynomial step can be: certified minimal degrees beside Claim B.5.

Claim B.5 offers a degree, ``24 ln(16/eps) / gamma``.  Here is what any polynomial needs, what the
best polynomial of a degree reaches, a degree that is always enough and has ``delta - 2 rho``
where the claim has ``gamma = delta (delta - 2 rho)``, and the width that Theorem 4.4 makes of a
polynomial; delta in (0, 2) is the separation of the data, rho in [0, delta/2) the radius of the
adversary, eps in (0, 1/2) the accuracy.  Nothing in the proofs of the paper uses this module.
Before changing it, know what is rigorous: the exchange algorithm of Remez runs in floating point
and is trusted for nothing; its polynomial and its points of reference are then taken as exact
fractions, and the bracket around the best error follows from signs (de la Vallee Poussin, below)
and from Bernstein coefficients.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb, fmpq_poly, fmpz_poly
from numpy.polynomial import chebyshev as basis
from scipy import linalg, special

from sublinear_lib._arguments import Count, Probability, Real, checked
from sublinear_lib._typing import FloatArray
from sublinear_lib.theory.enclosures import (
    Ball,
    Enclosure,
    Number,
    ball,
    enclose,
    from_flint,
    rational,
    to_flint,
)
from sublinear_lib.theory.polynomials import Polynomial, stays_within
from sublinear_lib.validation import count

__all__ = [
    "angular_degree",
    "best_step",
    "best_step_polynomial",
    "necessary_degree",
    "printed_log2_complexity",
    "printed_step_degree",
    "smallest_step",
    "smallest_step_degree",
    "step_log2_complexity",
    "truncation_degree",
    "width_asked",
]

_ROUNDS = 60
_LEVEL = 1e-5
_SLACK = Fraction(1, 1000)
_LARGEST = 160


def _intervals(delta: Number, rho: Number) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Return delta, rho and the ends far < near of the two intervals."""
    separation = rational(delta, "delta", exclusive_minimum=0, exclusive_maximum=2)
    radius = rational(rho, "rho", minimum=0, exclusive_maximum=separation / 2)
    return separation, radius, 1 - (separation - radius) ** 2 / 2, 1 - radius**2 / 2


def _accuracy(eps: Number) -> Fraction:
    return rational(eps, "eps", exclusive_minimum=0, exclusive_maximum=Fraction(1, 2))


def printed_step_degree(delta: Number, rho: Number, eps: Number) -> Enclosure:
    r"""Enclose the degree that Claim B.5 allows, ``M = 24 ln(16/eps) / gamma``.

    Source: Claim B.5; with ``eps / (3 n)`` for ``eps`` it is the M of Lemma B.4.

    >>> round(float(printed_step_degree(1, Fraction(1, 10), Fraction(1, 20))), 2)
    173.05
    """
    separation, radius, _, _ = _intervals(delta, rho)
    accuracy = _accuracy(eps)
    gamma = separation * (separation - 2 * radius)
    return enclose(lambda: 24 / ball(gamma) * ball(16 / accuracy).log())


def necessary_degree(delta: Number, rho: Number, eps: Number) -> Enclosure:
    r"""Enclose a number that the degree of no polynomial step falls below.

    ``arccosh((1 - eps)/eps) / arccosh(1 + gamma/(2 - (delta - rho)^2/2))``.  Proof: *what every
    step needs*, on the page *Good weights exist*.

    >>> round(float(necessary_degree(1, Fraction(1, 10), Fraction(1, 20))), 3)
    3.773
    """
    separation, radius, far, _ = _intervals(delta, rho)
    accuracy = _accuracy(eps)
    gamma = separation * (separation - 2 * radius)
    rise = 1 + gamma / (1 + far)

    def needed() -> Ball:
        return ball((1 - accuracy) / accuracy).acosh() / ball(rise).acosh()

    return enclose(needed)


def angular_degree(delta: Number, rho: Number, eps: Number) -> int:
    r"""Return a degree that is always enough for a step, of order ``1/(delta - 2 rho)``.

    ``ceil(arccosh(2 pi (1 + 1/eps)/h) / (2 arccosh(cos(h/4)/cos(h/2))))``, where ``2 h`` is the
    difference of the angles ``2 arcsin((delta - rho)/2)`` and ``2 arcsin(rho/2)``.  Proof: *a
    degree that is always enough*, on the page *Good weights exist*.

    >>> angular_degree(1, Fraction(1, 10), Fraction(1, 20))
    18
    """
    separation, radius, _, _ = _intervals(delta, rho)
    accuracy = _accuracy(eps)

    def needed() -> Ball:
        far, near = (ball(side / 2).asin() for side in (separation - radius, radius))
        half = far - near
        rate = ((half / 4).cos() / (half / 2).cos()).acosh()
        return (2 * arb.pi() * ball(1 + 1 / accuracy) / half).acosh() / (2 * rate)

    return math.ceil(enclose(needed).upper)


# The polynomial of the paper


def _power_sum(y: FloatArray, k: int) -> FloatArray:
    """Sum ``c_i y^i`` over ``i <= k`` for ``-1 <= y <= 1``, ``c_i = binomial(2 i, i) / 4^i``.

    For ``y >= 0`` it is ``p_k(z)/z`` at ``z^2 = 1 - y``, and p_k a share of a beta law.  For
    ``y < 0`` it is ``(1 - y)^(-1/2)`` less what is left out, by a transformation of Pfaff
    ``c_(k+1) y^(k+1) / (1 - y)`` times a hypergeometric series in ``y/(y - 1)``.
    """
    following = math.exp(math.lgamma(k + 1.5) - math.lgamma(k + 2.0)) / math.sqrt(math.pi)
    left, right = np.minimum(y, 0.0), np.maximum(y, 0.0)
    series = special.hyp2f1(1.0, 0.5, k + 2.0, left / (left - 1.0))
    below = (1.0 - left) ** -0.5 - following * left ** (k + 1) / (1.0 - left) * series
    square = 1.0 - right
    at_one = 2.0 * following * (k + 1.0)
    with_zeros = np.where(square > 0.0, square, 1.0)
    above = special.betainc(0.5, k + 1.0, with_zeros) / np.sqrt(with_zeros)
    found: FloatArray = np.where(y < 0.0, below, np.where(square > 0.0, above, at_one))
    return found


@lru_cache(maxsize=4096)
def _truncation_degree(gamma: float, eps: float) -> int:
    eta = gamma / 8.0
    order = math.ceil(math.log(1.0 / eps) / eta**2)
    # The weights fall like exp(-j^2 / (2 order)): this many angles keep the rest below rounding.
    size = 2 ** math.ceil(math.log2(10.0 * math.sqrt(order) + 64.0))
    y = np.cos(2.0 * np.pi * np.arange(size // 2 + 1) / size)
    total = _power_sum(y, order)
    weights = 2.0 * np.fft.irfft(total, n=size)[: size // 2]
    left = float(special.betaincc(0.5, order + 1.0, eta**2))
    enough = left + weights[1:-1] + weights[2:] <= 2.0 * eps
    missed = np.flatnonzero(~enough[: size // 2 - 2])
    return 2 * int(missed[-1] + 1 if missed.size else 0) + 1


def truncation_degree(delta: Number, rho: Number, eps: Number) -> int:
    r"""Return the degree from which the paper's polynomial is proven to be accurate.

    The smallest odd degree ``2 t + 1`` from which on the bound ``1 - p_k(eta) + w_(t+1) + w_(t+2)``
    of `polynomials.sign_approximation` for the gap ``eta = gamma/8`` is at most ``2 eps``, in
    floating point; the ``w_j`` are Fourier coefficients of ``sum_(i <= k) c_i cos(v)^i``.  Source:
    Claim B.5 with Lemma A.1 and Theorem A.2.  Time ``O(sqrt(k) log k)``.

    >>> truncation_degree(1, Fraction(1, 10), Fraction(1, 20))
    59
    """
    separation, radius, _, _ = _intervals(delta, rho)
    accuracy = _accuracy(eps)
    rational(accuracy, "eps", minimum=Fraction(1, 10**8))
    return _truncation_degree(float(separation * (separation - 2 * radius)), float(accuracy))


# The best polynomial of a degree


def _grid(left: float, right: float, n: int) -> FloatArray:
    half = 0.5 * (right - left)
    points = 0.5 * (right + left) - half * np.cos(np.linspace(0.0, np.pi, n))
    points[0], points[-1] = left, right
    return points


def _alternating(error: FloatArray, wanted: int) -> list[int]:
    """Return places of extreme errors of alternating signs, as many as wanted if there are."""
    signs = np.sign(error)
    edges = np.flatnonzero(signs[1:] != signs[:-1]) + 1
    runs = np.split(np.arange(error.size), edges)
    places = [int(run[np.argmax(np.abs(error[run]))]) for run in runs if signs[run[0]] != 0.0]
    while len(places) > wanted:
        if len(places) == wanted + 1:
            places.pop(0 if abs(error[places[0]]) < abs(error[places[-1]]) else -1)
            continue
        # Two neighbors leave together, so that the signs go on alternating.
        size = np.abs(error[places])
        weakest = int(np.argmin(np.maximum(size[1:], size[:-1])))
        del places[weakest : weakest + 2]
    return places


@lru_cache(maxsize=4096)
def _remez(far: float, near: float, degree: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return Chebyshev coefficients and alternating points of the best step, in floating point."""
    size = 24 * (degree + 4)
    grid = np.concatenate((_grid(-1.0, far, size), _grid(near, 1.0, size)))
    target = np.repeat([0.0, 1.0], size)
    table = basis.chebvander(grid, degree)
    # Points that pivoting picks are spread as the best ones are; every fourth is enough to start.
    coarse = np.concatenate((np.arange(0, size, 4), size + np.arange(0, size, 4)))
    picked = linalg.qr(
        basis.chebvander(grid[coarse], degree + 1).T, mode="r", pivoting=True, check_finite=False
    )[1]
    places = np.sort(coarse[picked[: degree + 2]]).tolist()
    coefficients = np.zeros(degree + 1)
    for _ in range(_ROUNDS):
        rows = table[places]
        signs = (-1.0) ** np.arange(degree + 2)
        system = np.column_stack((rows, signs))
        solved = np.linalg.solve(system, target[places])
        coefficients = solved[:-1]
        error = table @ coefficients - target
        found = _alternating(error, degree + 2)
        if len(found) < degree + 2:
            break
        places = found
        sizes = np.abs(error[places])
        if sizes.max() - sizes.min() <= _LEVEL * sizes.max():
            break
    return tuple(coefficients.tolist()), tuple(grid[places].tolist())


def _best_error(far: Fraction, near: Fraction, degree: int) -> float:
    """Return the error of the best step of a degree, accurate to about 1e-3 of itself."""
    coefficients, points = _remez(float(far), float(near), degree)
    values = basis.chebval(np.array(points), coefficients)
    return float(np.abs(values - (np.array(points) >= float(near))).max())


def best_step_polynomial(delta: Number, rho: Number, degree: int) -> Polynomial:
    r"""Return a polynomial step that is nearly the best one of its degree.

    The one that the exchange algorithm finds, as exact fractions; `best_step` proves what it is
    worth.

    >>> best_step_polynomial(1, Fraction(1, 10), 4).degree
    4
    """
    _, _, far, near = _intervals(delta, rho)
    degree = count(degree, "degree", maximum=_LARGEST)
    return _from_chebyshev(_remez(float(far), float(near), degree)[0])


@dataclass(frozen=True)
class BestStep:
    """A polynomial step that is nearly the best one of its degree, with a proven bracket.

    Fields: `polynomial`: q, with exact coefficients; `lower`: proven: every polynomial of the
    degree has an error of at least this; `upper`: proven: the error of q is at most this; `points`:
    where the error of q alternates in sign; the certificate for `lower`.
    """

    polynomial: Polynomial
    lower: Fraction
    upper: Fraction
    points: tuple[Fraction, ...]


def _from_chebyshev(coefficients: tuple[float, ...]) -> Polynomial:
    """Return the sum of ``coefficients[j] C_j``, every float taken for its exact value."""
    total = fmpq_poly([])
    for j, value in enumerate(coefficients):
        total += to_flint(Fraction(value)) * fmpq_poly(fmpz_poly.chebyshev_t(j))
    return Polynomial(tuple(from_flint(value) for value in total.coeffs()))


def best_step(delta: Number, rho: Number, degree: int) -> BestStep:
    r"""Bracket the error of the best polynomial step of a degree, and give one that reaches it.

    The bracket is around the smallest ``max(|q| on [-1, far], |q - 1| on [near, 1])``, at a degree
    from 1 to 160.  The error of q alternates in sign at ``n + 2`` points of the two intervals, and
    no q of the degree has a smaller error than the least of these (de la Vallee Poussin, proved on
    the page *Good weights exist*); the upper end is decided by `polynomials.stays_within`.

    Raises ArithmeticError: if floating point is too coarse for the degree.

    >>> found = best_step(1, Fraction(1, 10), 4)
    >>> round(float(found.lower), 4), round(float(found.upper), 4)
    (0.0406, 0.0406)
    """
    _, _, far, near = _intervals(delta, rho)
    degree = count(degree, "degree", maximum=_LARGEST)
    coefficients, points = _remez(float(far), float(near), degree)
    q = _from_chebyshev(coefficients)
    exact = []
    for point in points:
        # The float ends of the intervals need not be inside them.
        at = Fraction(point)
        exact.append(min(at, far) if point <= float(far) else min(max(at, near), Fraction(1)))
    errors = [q(at) - (at >= near) for at in exact]
    pairs = zip(errors[1:], errors[:-1], strict=True)
    if len(exact) != degree + 2 or any(one * other >= 0 for one, other in pairs):
        raise ArithmeticError(f"the errors at degree {degree} do not alternate in floating point")
    lower, upper = min(map(abs, errors)), max(map(abs, errors)) * (1 + _SLACK)
    # The largest error lies between the points of the grid, at most a little higher.
    while not (
        stays_within(q, -1, far, -upper, upper) and stays_within(q, near, 1, 1 - upper, 1 + upper)
    ):
        upper *= 1 + _SLACK
    return BestStep(q, lower, upper, tuple(exact))


def smallest_step_degree(delta: Number, rho: Number, eps: Number) -> int:
    r"""Find the smallest degree of a polynomial step of some accuracy, in floating point.

    For eps in [1e-8, 1/2) and degrees up to 160.  The best errors do not increase with the degree,
    so halving finds it; `smallest_step` proves it.

    >>> smallest_step_degree(1, Fraction(1, 10), Fraction(1, 1000))
    12
    """
    _, _, far, near = _intervals(delta, rho)
    accuracy = _accuracy(eps)
    rational(accuracy, "eps", minimum=Fraction(1, 10**8))

    def reached(degree: int) -> bool:
        return _best_error(far, near, degree) <= float(accuracy)

    low, high = 0, 1
    while not reached(high):
        low, high = high, min(2 * high, _LARGEST)
        if low == _LARGEST:
            raise ValueError(f"eps must be reachable at degree {_LARGEST}, got {float(accuracy)}")
    return low + 1 + bisect_left(range(low + 1, high), True, key=reached)


@dataclass(frozen=True)
class SmallestStep:
    """The smallest degree of a polynomial step of a given accuracy, with both halves of its proof.

    Fields: `degree`: the smallest degree; `reaches`: A polynomial of that degree; its `upper` is at
    most the accuracy; `misses`: one degree below: its `lower` exceeds the accuracy. None at degree
    1: a constant step has an error of at least 1/2.
    """

    degree: int
    reaches: BestStep
    misses: BestStep | None


def smallest_step(delta: Number, rho: Number, eps: Number) -> SmallestStep:
    r"""Find and prove the smallest degree with which Claim B.5 could be true.

    The best errors do not increase with the degree, so one proof on either side of `eps` is enough.

    Raises ArithmeticError: if one of the two best errors is too close to `eps` to decide.

    >>> smallest_step(1, Fraction(1, 10), Fraction(1, 20)).degree
    4
    """
    accuracy = _accuracy(eps)
    high = smallest_step_degree(delta, rho, accuracy)
    low = high - 1
    reaches = best_step(delta, rho, high)
    misses = best_step(delta, rho, low) if low else None
    if reaches.upper > accuracy or (misses is not None and misses.lower <= accuracy):
        raise ArithmeticError(f"the best errors at degrees {low} and {high} are too close to {eps}")
    return SmallestStep(high, reaches, misses)


# What a polynomial asks of a network


def _log2_scaled_terms(log2_sizes: list[float], eps_bits: float) -> float:
    """Return log2 of the sum of ``(1 + (L/j)^(j/2)) |alpha_j|`` with ``L = eps_bits ln 2``."""
    level = eps_bits * math.log(2.0)
    terms = []
    for j, bits in enumerate(log2_sizes):
        power = 0.5 * j * math.log2(level / j) if j else 0.0
        terms.append(bits + float(np.logaddexp2(0.0, power)))
    return float(np.logaddexp2.reduce(terms))


def _log2_complexity(log2_sizes: list[float]) -> float:
    growth = [bits + 1.75 * math.log2(j + 1.0) for j, bits in enumerate(log2_sizes)]
    own = float(np.logaddexp2.reduce(growth))
    return _log2_scaled_terms(log2_sizes, max(own, 1.0))


def step_log2_complexity(polynomial: Polynomial) -> float:
    r"""Compute ``log2 C(q, eps_3)`` of Definition B.1 as Lemma B.9 uses it, for the constant 1.

    The complexity in bits at ``eps_3 = min(1/C(q), 1/2)``; `polynomials.log_complexity` encloses
    it.

    >>> round(step_log2_complexity(Polynomial((Fraction(0), Fraction(1)))), 4)
    1.0713
    """
    if polynomial.degree < 0:
        raise ValueError("polynomial must not be zero")
    sizes = [_log2(abs(Fraction(value))) for value in polynomial.coefficients]
    return _log2_complexity(sizes)


def _log2(value: Fraction) -> float:
    if not value:
        return -math.inf
    return math.log2(value.numerator) - math.log2(value.denominator)


def printed_log2_complexity(delta: Number, rho: Number, eps: Number) -> float:
    r"""Compute the complexity that the printed sizes allow: degree M, all coefficients largest.

    Of a polynomial of degree ``floor(M)`` with all coefficients ``2^(6 M)/gamma``: Claim B.5 with
    the constant 1 in its O, put into Definition B.1 as in Lemma B.9.

    >>> printed_log2_complexity(1, Fraction(1, 10), Fraction(1, 20)) > 6 * 173
    True
    """
    separation, radius, _, _ = _intervals(delta, rho)
    most = float(printed_step_degree(delta, rho, eps))
    bits = 6.0 * most - math.log2(float(separation * (separation - 2 * radius)))
    return _log2_complexity([bits] * (math.floor(most) + 1))


@checked
def width_asked(log2_complexity: Real, n: Count, eps: Probability, fall: Number) -> float:
    r"""Compute the width that Theorem 4.4 asks for, in bits, with all unnamed constants 1.

    Here `log2_complexity`: ``log2 C(q, eps_3)``; `fall`: the power with which the gap of f and g
    falls: ``K^2 m^(-fall)``, ``> 0``.

    ``log2 m`` with ``K^2 m^(-fall) = eps/3`` and ``K = 2 n C(q, eps_3)``: what the bounds of Lemma
    B.9 (the weights of ``m/n`` neurons move by ``2 C m^(alpha)/(m/n)``) and of Theorem B.10 ask
    for.

    >>> width_asked(10.0, 2, 0.75, Fraction(1, 10))
    260.0
    """
    power = float(rational(fall, "fall", exclusive_minimum=0))
    return (math.log2(3.0 / eps) + 2.0 * (1.0 + math.log2(n) + log2_complexity)) / power
