r"""A pseudo-network that fits the labels: the existence half of the paper, made executable.

Lemma B.3, Lemma B.9, Theorem B.10 (= 4.4), Lemma C.18 and Claim C.19.  The heart is one identity
for Hermite polynomials, ``E[He_k(g) 1{g >= theta}] = He_(k-1)(theta) phi(theta)``: it turns the
expectation over a random neuron into a power of an inner product, exactly and at *every* threshold,
where the paper works at threshold zero and bridges to tau.  Units here are those of Lemma C.18:
``w ~ N(0, I_d)``, ``b ~ N(0, 1)``; a threshold of the network is multiplied by ``sqrt(m)`` first.
Before changing anything, know that the feature that gives the identity is unbounded; what is
bounded, and therefore what has a radius, is its truncation, whose error is computed too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, cast

import numpy as np
from flint import acb, arb, fmpq, fmpq_poly, fmpz_poly
from numpy.polynomial import hermite_e
from scipy import optimize, special

from sublinear_lib._arguments import (
    Count,
    Dimension,
    Flag,
    Nonnegative,
    Positive,
    Real,
    Whole,
    checked,
)
from sublinear_lib.geometry import cap_angle, embed
from sublinear_lib.theory.activity import active_arcs
from sublinear_lib.theory.enclosures import (
    Ball,
    Enclosure,
    Inequality,
    Number,
    UndecidedError,
    ball,
    decide,
    enclose,
    from_flint,
    rational,
    to_flint,
)
from sublinear_lib.theory.polynomials import Polynomial, stays_within
from sublinear_lib.validation import count, float_array, points_on_slice

if TYPE_CHECKING:
    from sublinear_lib._typing import FloatArray, IntArray

__all__ = [
    "HermiteFeature",
    "bounded_feature",
    "bridge",
    "bump",
    "explicit_shifts",
    "flip_probability",
    "hermite_feature",
    "hermite_half_line",
    "hermite_mass",
    "hermite_mass_floor",
    "largest_deviation_on_circle",
    "reachable_flip_bound",
    "reachable_flip_probability",
    "reachable_flip_rate",
    "smallest_radius",
    "target_error_on_caps",
    "union_bound_condition",
]

_ZERO = Fraction(0)
_STEP = Fraction(1, 8)
_NODES = 128


def _hermite(k: int) -> fmpz_poly:
    last, here, x = fmpz_poly([]), fmpz_poly([1]), fmpz_poly([0, 1])
    for j in range(k):
        last, here = here, x * here - j * last
    return here


@checked
def hermite(k: Whole) -> Polynomial:
    r"""Build the Hermite polynomial ``He_k`` with its integer coefficients.

    ``He_0 = 1``, ``He_1 = x``, ``He_(k+1) = x He_k - k He_(k-1)``: orthogonal under N(0, 1).

    >>> [int(c) for c in hermite(4).coefficients]
    [3, 0, -6, 0, 1]
    """
    return Polynomial(tuple(Fraction(int(c)) for c in _hermite(k).coeffs()))


def he_values(k: int, x: FloatArray) -> FloatArray:
    """Evaluate ``He_k`` in floating point."""
    return np.asarray(hermite_e.hermeval(x, np.eye(k + 1)[k]), dtype=np.float64)


def _density(x: Ball) -> Ball:
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def _value(polynomial: fmpz_poly, at: Fraction) -> Fraction:
    return from_flint(fmpq_poly(polynomial)(to_flint(at)))


def hermite_half_line(k: int, theta: Number) -> Enclosure:
    r"""Enclose ``E[He_k(g) 1{g >= theta}]`` for g ~ N(0, 1).

    ``He_(k-1)(theta) phi(theta)`` for ``k >= 1`` and ``Q(theta)`` for ``k = 0``, behind Lemma B.3.
    Proof: *two facts*, on the page *Good weights exist*.

    >>> float(hermite_half_line(0, 0)), float(hermite_half_line(2, 0))
    (0.5, 0.0)
    """
    k, at = count(k, "k", minimum=0), rational(theta, "theta")
    if k == 0:
        return enclose(lambda: (ball(at) / arb(2).sqrt()).erfc() / 2)
    factor = _value(_hermite(k - 1), at)
    return enclose(lambda: ball(factor) * _density(ball(at))) if factor else enclose(_ZERO)


def _signed_mass(k: int, tau: Fraction, built_for: Fraction) -> Ball:
    """E[sgn(He_(k-1)(built_for - b)) He_(k-1)(tau - b) phi(tau - b)] for b ~ N(0, 1), k >= 1.

    With v = built_for - b and u = v - (built_for - tau/2) the two densities multiply to
    exp(-u^2 - tau^2/4) / (2 pi), and the polynomial is He_(k-1)(u + tau/2).  It is integrated in
    closed form between the zeros of He_(k-1)(v): p exp(-u^2) has the primitive
    A exp(-u^2) + B (sqrt(pi)/2) erf(u) with p = A' - 2 u A + B.
    """
    he = _hermite(k - 1)
    rest = fmpq_poly(he)(fmpq_poly([to_flint(tau / 2), fmpq(1)]))
    primitive = fmpq_poly([])
    while rest.degree() > 0:
        degree = rest.degree()
        term = fmpq_poly([0] * (degree - 1) + [rest[degree] / -2])
        primitive += term
        rest -= term.derivative() - fmpq_poly([0, 2]) * term
    half_root_pi = arb(rest[0]) * arb.pi().sqrt() / 2

    def at(u: Ball) -> Ball:
        total = arb(0)
        for value in primitive.coeffs()[::-1]:
            total = total * u + arb(value)
        return total * (-u * u).exp() + half_root_pi * u.erf()

    roots = cast("list[tuple[acb, int]]", he.complex_roots())  # with their multiplicities, all one
    zeros = sorted((root.real for root, _ in roots), key=lambda zero: float(zero.mid()))
    ends = [at(zero - ball(built_for - tau / 2)) for zero in zeros]
    total, sign, upper = arb(0), 1, half_root_pi
    for lower in [*ends[::-1], -half_root_pi]:
        total += sign * (upper - lower)
        sign, upper = -sign, lower
    return total * (-(ball(tau) ** 2) / 4).exp() / (2 * arb.pi())


def _mass(k: int, tau: Fraction, built_for: Fraction) -> Ball:
    if k == 0:
        return (ball(tau) / 2).erfc() / 2
    return _signed_mass(k, tau, built_for)


def hermite_mass(k: int, tau: Number, built_for: Number | None = None) -> Enclosure:
    r"""Enclose the factor that a threshold leaves of the k-th Hermite term.

    For unit vectors x, x' and ``s_k(b) = sgn(He_(k-1)(tau_0 - b))`` (``s_0 = 1``), ``E[He_k(<x',
    w>) s_k(b) 1{<w, x> + b >= tau}] = M_k <x', x>^k`` with ``M_k = E[s_k(b) He_(k-1)(tau - b)
    phi(tau - b)]`` and ``M_0 = Q(tau / sqrt(2))``.  By default the threshold ``tau_0 = built_for``
    is `tau`, and ``M_k``, called ``N_k``, is positive: ``E[|He_(k-1)(tau - b)| phi(tau - b)]``.

    Source: Lemma B.3 at ``tau = 0``; derived here for every threshold.  Proof: Theorem E on the
    page *Repaired theorems*.  ``N_1 = exp(-tau^2/4) / (2 sqrt(pi))``: with ``tau = sqrt(2) sqrt(2 c
    log m)`` this is ``m^-c / (2 sqrt(pi))`` exactly.

    Raises UndecidedError: if ``M_k`` is zero.

    >>> float(hermite_mass(1, 0)) == float(1 / (2 * np.sqrt(np.pi)))
    True
    """
    k, acting = count(k, "k", minimum=0), rational(tau, "tau")
    chosen = acting if built_for is None else rational(built_for, "built_for")
    return enclose(lambda: _mass(k, acting, chosen))


@checked
def hermite_mass_floor(k: Count, tau: Real) -> float:
    r"""Bound ``N_k`` of `hermite_mass` from below, at every threshold.

    ``N_k >= exp(-t^2/2)/(2 sqrt(pi)) max(2^(-n/2) |He_n(t)|, (n/(2e))^(n/2))`` with ``n = k - 1``
    and ``t = tau/sqrt(2)``, equal for k = 1.  Source: Theorem E; *the masses*, in the proof of its
    corollary on the page *Repaired theorems*.

    >>> hermite_mass_floor(1, 0.0) == float(hermite_mass(1, 0))
    True
    >>> 1.0 < float(hermite_mass(4, 5)) / hermite_mass_floor(4, 5.0) < 1.2
    True
    """
    n = k - 1
    t = tau / np.sqrt(2.0)
    at_zero = 2.0 ** (-n / 2) * abs(float(special.eval_hermitenorm(n, t)))
    at_root = (n / (2.0 * np.e)) ** (n / 2)
    return float(np.exp(-t * t / 2.0) / (2.0 * np.sqrt(np.pi)) * max(at_zero, at_root))


@dataclass(frozen=True)
class HermiteFeature:
    """A function h of ``<x', w>`` and b whose active part has a polynomial as its mean.

    ``h(g, b) = sum_k (alpha_k / N_k) He_k(g) s_k(b)``, where ``N_k`` and ``s_k`` belong to the
    threshold `built_for`; with a `level`, the terms ``k >= 1`` are set to zero where
    ``|g| > level``.

    Fields: `target`: the polynomial ``sum_k alpha_k z^k``; `built_for`: the threshold; `level`:
    where the feature is cut off; `masses`: ``N_0, ..., N_K``; None where ``alpha_k = 0``.
    """

    target: Polynomial
    built_for: Fraction
    level: Fraction | None
    masses: tuple[Enclosure | None, ...]

    def __call__(self, g: FloatArray, b: FloatArray) -> FloatArray:
        """Evaluate the feature."""
        g = float_array(g, "g", allow_empty=True)
        b = float_array(b, "b", shape=g.shape, allow_empty=True)
        reach = np.inf if self.level is None else float(self.level)
        kept: FloatArray = (np.abs(g) <= reach).astype(np.float64)
        total: FloatArray = np.zeros(g.shape)
        for k, mass in enumerate(self.masses):
            if mass is None:
                continue
            factor = float(self.target.coefficients[k] / mass.midpoint)
            if k == 0:
                total += factor
                continue
            signs = he_values(k - 1, float(self.built_for) - b) >= 0.0
            total += factor * he_values(k, g) * np.where(signs, kept, -kept)
        return total

    def expectation(self, z: Number, tau: Number | None = None) -> Enclosure:
        """Enclose ``E[h(<x', w>, b) 1{<w, x> + b >= tau}]`` of the feature without its cut.

        It is ``target(z)``, exactly, for ``tau = built_for``, the default.
        """
        at = rational(z, "z", minimum=-1, maximum=1)
        acting = self.built_for if tau is None else rational(tau, "tau")
        if acting == self.built_for:
            return enclose(self.target(at))

        def total() -> Ball:
            found = arb(0)
            for k, mass in enumerate(self.masses):
                if mass is not None:
                    ratio = _mass(k, acting, self.built_for) / _mass(
                        k, self.built_for, self.built_for
                    )
                    found += ball(Fraction(self.target.coefficients[k]) * at**k) * ratio
            return found

        return enclose(total)

    @property
    def bound(self) -> Enclosure:
        """A bound on ``|h|``: ``sum_k |alpha_k| max |He_k| / N_k``; needs a level."""
        level = self._level()
        return enclose(lambda: self._total(0, lambda k: _value(_hermite(k), level)))

    @property
    def error(self) -> Enclosure:
        """A bound on what the cut changes in the mean, at every threshold; needs a level."""
        level = self._level()
        if len(self.masses) < 2:
            return enclose(_ZERO)

        def size(k: int) -> Fraction:
            return 2 * _value(_hermite(k - 1), level)

        return enclose(lambda: self._total(1, size) * _density(ball(level)))

    def _total(self, first: int, size: Callable[[int], Fraction]) -> Ball:
        """Return the sum of ``|alpha_k| size(k) / N_k`` over the terms from a first one on."""
        found = arb(0)
        for k, value in enumerate(self.target.coefficients):
            if k >= first and value:
                scaled = ball(abs(Fraction(value)) * size(k))
                found += scaled / _mass(k, self.built_for, self.built_for)
        return found

    def _level(self) -> Fraction:
        if self.level is None:
            raise ValueError("level is None: a feature that is not cut off has no bound")
        return self.level


def hermite_feature(
    target: Polynomial, built_for: Number, level: Number | None = None
) -> HermiteFeature:
    r"""Build the feature whose active part has a given polynomial as its mean (Theorem E).

    h with ``E[h(<x', w>, b) 1{<w, x> + b >= built_for}] = q(<x', x>)`` for all unit vectors,
    exactly (without the cut) or up to its `error` (with it).  The target q is not zero; a level
    must be so large that ``|He_k| < He_k(level)`` between the ends of ``[-level, level]`` and
    ``He_k > 0`` beyond, for every k that occurs.

    Source: Lemma B.3 (there at threshold 0, with an h that is not written down) and Lemma C.18.
    Proof.  `hermite_mass`, term by term.  The cut changes the k-th term by at most ``|alpha_k| /
    N_k E[|He_k(g)| 1{|g| > R}]``, which is ``2 He_(k-1)(R) phi(R)`` beyond the zeros of He_k.

    >>> h = hermite_feature(Polynomial((Fraction(0), Fraction(1))), 1)
    >>> h.expectation(Fraction(1, 3)).lower
    Fraction(1, 3)
    """
    threshold = rational(built_for, "built_for")
    if target.degree < 0:
        raise ValueError("target must not be the zero polynomial")
    cut = None if level is None else rational(level, "level", exclusive_minimum=0)
    if cut is not None and (k := _too_low_for(target, cut)) is not None:
        raise ValueError(f"level must lie beyond the zeros and bumps of He_{k}, got {level}")
    masses = tuple(
        hermite_mass(k, threshold) if value else None for k, value in enumerate(target.coefficients)
    )
    return HermiteFeature(target, threshold, cut, masses)


def _too_low_for(target: Polynomial, level: Fraction) -> int | None:
    """Return the first k of a target whose He_k a level does not lie beyond, if there is one."""
    used = (k for k, value in enumerate(target.coefficients) if value)
    return next((k for k in used if not _largest_at_end(k, level)), None)


def _largest_at_end(k: int, level: Fraction) -> bool:
    """Prove that He_k is positive beyond `level` and nowhere larger on [-level, level].

    The derivatives of He_k are multiples of He_(k-1), ..., He_0.  Where all of these are positive
    He_k increases from there on, so only the part up to a point just below `level` is searched.
    """
    before = level * (1 - Fraction(1, 2**20))
    if any(_value(_hermite(j), before) <= 0 for j in range(k + 1)):
        return False
    top = _value(_hermite(k), level)
    try:
        return k == 0 or stays_within(hermite(k), -before, before, -top, top)
    except UndecidedError:  # a bump is exactly as high
        return False


def bounded_feature(target: Polynomial, tau: Number, eps: Number) -> HermiteFeature:
    r"""Build a bounded feature whose active part has a polynomial as its mean up to eps (B.3).

    Cut at the smallest level, among multiples of 1/8, whose error is at most eps.  Its `bound` is
    to be compared with ``C(phi, eps)`` of Definition B.1 (`polynomials.log_complexity`).  Source:
    Lemma B.3, made constructive, and for every threshold ``>= 0``.

    >>> h = bounded_feature(Polynomial((Fraction(0), Fraction(1))), 0, Fraction(1, 100))
    >>> float(h.level), round(float(h.bound), 2)
    (3.375, 11.96)
    """
    threshold = rational(tau, "tau", minimum=0)
    accuracy = rational(eps, "eps", exclusive_minimum=0, exclusive_maximum=1)
    plain = hermite_feature(target, threshold)
    level = _STEP
    while (
        _too_low_for(target, level) is not None
        or replace(plain, level=level).error.upper > accuracy
    ):
        level += _STEP
    return replace(plain, level=level)


def bump(zero: Number) -> Polynomial:
    r"""Build the parabola that is 1 at one and touches zero at another place.

    ``q(z) = ((z - zero) / (1 - zero))^2``, our stand-in for the polynomial of Lemma B.4, whose
    degree is too high to be run: on data whose points all have the inner product `zero` with each
    other it is 1 at the own point, 0 at the others, and flat there.

    >>> [str(c) for c in bump(Fraction(-1, 8)).coefficients]
    ['1/81', '16/81', '64/81']
    """
    at = rational(zero, "zero", minimum=-1)
    if at >= 1:
        raise ValueError(f"zero must be < 1, got {zero!r}")
    scale = (1 - at) ** 2
    return Polynomial((at**2 / scale, -2 * at / scale, 1 / scale))


@checked
def target_error_on_caps(
    target: Polynomial, X: FloatArray, y: FloatArray, rho: Nonnegative
) -> float:
    r"""Find how far the target function is from the labels, exactly, for d = 3.

    ``max_j max over x in B_2(x_j, rho) of |sum_i y_i q(<x_i, x>) - y_j|``, which Lemma B.4 makes at
    most ``eps/3``.  On the circle the function is a trigonometric polynomial, so the maximum is at
    an end of a cap or at a critical point inside it.

    >>> flat = Polynomial((Fraction(3, 4),))
    >>> target_error_on_caps(flat, np.array([[3**0.5 / 2, 0.0, 0.5]]), np.array([1.0]), 0.1)
    0.25
    """
    X = points_on_slice(X, "X", d=3)
    y = float_array(y, "y", shape=(len(X),))
    half = cap_angle(rho)
    middle = np.arctan2(X[:, 1], X[:, 0])
    crests = _crests(target, X, y)
    largest = 0.0
    for center, label in zip(middle, y, strict=True):
        away = np.mod(crests - center + np.pi, 2.0 * np.pi) - np.pi
        angles = np.concatenate(([-half, 0.0, half], away[np.abs(away) <= half])) + center
        values = _aim(target, X, y, angles)
        largest = max(largest, float(np.abs(values - label).max()))
    return largest


def block_owners(m: int, n: int) -> IntArray:
    """Return which of n points each of m neurons serves: blocks, the last one taking the rest."""
    return np.minimum(np.arange(m) // (m // n), n - 1)


@checked
def explicit_shifts(
    feature: HermiteFeature,
    W: FloatArray,
    b: FloatArray,
    a: FloatArray,
    X: FloatArray,
    y: FloatArray,
    *,
    shared: Flag = False,
) -> FloatArray:
    r"""Write down the weights ``W*`` of Lemmas B.9 and C.18, or those of Theorem E.

    The neurons are dealt out to the data points in blocks of ``floor(m/n)``, the last block taking
    the rest.  A neuron r of the block of ``x_i``, of length k_i, moves only in its last coordinate,
    by ``2 y_i h(sqrt(m) <w_r, x_i>, sqrt(m) b_r) / (a_r k_i)``.  Shared, every neuron serves all
    data points and moves by ``2 sum_i y_i h(sqrt(m) <w_r, x_i>, sqrt(m) b_r) / (a_r m)``.

    Returned: The moves; the largest absolute value is the radius of W*.  Source: proofs of Lemmas
    B.9 and C.18, ``w_r^(i) = (1/alpha_r) (1/k) 2 h e_d``.  As ``x_d = 1/2`` on X, the move
    contributes ``h 1{active} y_i / k_i`` to g(x; W*), so ``E g(x; W*) = sum_i y_i q(<x_i, x>)``.
    With ``|h| <= C`` the radius is at most ``2 C max|y| / (|a| floor(m/n))``; C contains the factor
    ``m^c`` of a threshold at which the fraction ``m^-c`` fires.

    >>> h = hermite_feature(Polynomial((Fraction(1),)), 0)
    >>> X = np.array([[3**0.5 / 2, 0.5]])
    >>> shifts = explicit_shifts(h, np.ones((4, 2)), np.ones(4), np.ones(4), X, np.array([1.0]))
    >>> [round(float(value), 12) for value in shifts]
    [1.0, 1.0, 1.0, 1.0]
    """
    W = float_array(W, "W", shape=("m", "d"))
    m, d = W.shape
    b, a = float_array(b, "b", shape=(m,)), float_array(a, "a", shape=(m,))
    X = points_on_slice(X, "X", d=d)
    n = len(X)
    y = float_array(y, "y", shape=(n,))
    if not a.all():
        raise ValueError("a must not contain zeros")
    if n > m:
        raise ValueError(f"X must not have more points than there are neurons ({m}), got {n}")
    if shared:
        g = np.sqrt(m) * (W @ X.T)
        served = [label * feature(g[:, i], np.sqrt(m) * b) for i, label in enumerate(y)]
        together: FloatArray = 2.0 / (a * m) * np.sum(served, axis=0)
        return together
    owner = block_owners(m, n)
    length = np.bincount(owner)[owner]
    root = np.sqrt(m)
    h = feature(root * np.einsum("rj,rj->r", W, X[owner]), root * b)
    shifts: FloatArray = 2.0 * y[owner] * h / (a * length)
    return shifts


@checked
def largest_deviation_on_circle(
    values: FloatArray,
    W: FloatArray,
    b: FloatArray,
    tau: Real,
    target: Polynomial,
    X: FloatArray,
    y: FloatArray,
) -> float:
    r"""Find the largest error of a pseudo-network over all of X, exactly, for d = 3.

    ``sup over x in X of |sum_r v_r 1[<w_r, x> + b_r > tau] - sum_i y_i q(<x_i, x>)|``, where v_r,
    of `values`, is ``a_r`` times half the move of the last coordinate (Lemmas B.9 and C.18).  The
    first sum is constant between the at most 2 m ends of arcs; the second one is a trigonometric
    polynomial, monotone between its critical points.  So the supremum is found at an end or at a
    critical point, with the sum before it, there or after it.  Time O(m log m).

    >>> W, X = np.array([[1.0, 0.0, 0.0]]), np.array([[3**0.5 / 2, 0.0, 0.5]])
    >>> q, one = Polynomial((Fraction(1),)), np.ones(1)
    >>> largest_deviation_on_circle(2 * one, W, np.zeros(1), 0.0, q, X, one)
    1.0
    """
    W = float_array(W, "W", shape=("m", 3))
    values = float_array(values, "values", shape=(len(W),))
    b = float_array(b, "b", shape=(len(W),))
    X = points_on_slice(X, "X", d=3)
    y = float_array(y, "y", shape=(len(X),))
    everywhere, partly, begin, end = active_arcs(W, b, tau)
    step = values[partly]
    base = float(values[everywhere].sum() + step[begin >= end].sum())
    # Arcs of equal neurons end together, and no sum in between is taken anywhere.
    angle, place = np.unique(
        np.concatenate((begin, end, _crests(target, X, y))), return_inverse=True
    )
    rise = np.bincount(place[: step.size], weights=step, minlength=angle.size)
    fall = np.bincount(place[step.size : 2 * step.size], weights=step, minlength=angle.size)
    after = base + np.cumsum(rise - fall)
    wanted = _aim(target, X, y, angle)
    # Before the angle, at it (the arcs are open) and after it.
    sums = after - (rise - fall), after - rise, after
    return max(float(np.abs(found - wanted).max()) for found in sums)


def _aim(target: Polynomial, X: FloatArray, y: FloatArray, angle: FloatArray) -> FloatArray:
    points = embed(np.column_stack((np.cos(angle), np.sin(angle))))
    coefficients = [float(value) for value in target.coefficients] or [0.0]
    total: FloatArray = np.polynomial.polynomial.polyval(points @ X.T, coefficients) @ y
    return total


def _crests(target: Polynomial, X: FloatArray, y: FloatArray) -> FloatArray:
    """Return the critical points of the aim, and the angle zero so that there always is a point."""
    degree = max(target.degree, 1)
    samples = np.arange(2 * degree + 2) * np.pi / (degree + 1)
    waves = np.fft.fft(_aim(target, X, y, samples)) / samples.size
    order = np.concatenate((np.arange(-degree, 0), np.arange(degree + 1)))
    slopes = 1j * order * waves[order]
    if not np.abs(slopes).max() > 1e-12 * np.abs(waves).max(initial=0.0):
        return np.zeros(1)
    roots = np.polynomial.polynomial.polyroots(slopes)
    on_circle = roots[np.abs(np.abs(roots) - 1.0) < 1e-6]
    return np.concatenate((np.zeros(1), np.mod(np.angle(on_circle), 2.0 * np.pi)))


@dataclass(frozen=True)
class RadiusBracket:
    """The smallest radius of a ball that holds weights with a wanted pseudo-network.

    Fields: `lower`: below it no W fits, in any direction of movement (a dual certificate, rounded);
    `upper`: the radius of `shifts`; `shifts`: moves in the direction of the last coordinate that
    fit; `error`: the largest ``|g(x; W) - target|`` that they leave, recomputed; `kappa`: ``upper
    sum_r |a_r|``: the radius without its scaling ``m^(alpha - 1)``.
    """

    lower: float
    upper: float
    shifts: FloatArray
    error: float
    kappa: float


@checked
def smallest_radius(
    W: FloatArray,
    b: FloatArray,
    a: FloatArray,
    tau: Nonnegative,
    X: FloatArray,
    targets: FloatArray,
    eps: Nonnegative,
) -> RadiusBracket:
    r"""Find the smallest ball around W_0 in which a pseudo-network meets targets (B.9, by LP).

    For moves along the last coordinate, with a lower bound for moves in all directions.  Source:
    Lemma B.9 (radius ``K / m^(3/5)`` printed; its proof gives ``K / m^(4/5)``).  ``g(x; W) = sum_r
    a_r <w_r - w_{r,0}, x> 1[z_r(x) > tau]`` is linear in the moves, so the smallest radius solves a
    linear program; neurons with the same active points share a variable.  Lower bound: for any
    multipliers l_p and any W in the ball of radius D with ``|g(x_p) - t_p| <= eps``, ``sum_p l_p
    t_p - eps sum_p |l_p| <= sum_p l_p g(x_p) <= D sum_r |a_r| ||sum_p l_p x_p 1[z_r(x_p) >
    tau]||``, evaluated at the multipliers of the linear program.  At a single point it says ``D >=
    (|t| - eps) / sum_active |a_r|``.

    >>> W, b, a = np.array([[0.0, 2.0], [0.0, -2.0]]), np.zeros(2), np.array([0.5, -0.5])
    >>> X = np.array([[3**0.5 / 2, 0.5]])
    >>> found = smallest_radius(W, b, a, 0.0, X, np.array([1.0]), 0.5)
    >>> round(found.lower, 9), round(found.upper, 9)
    (1.0, 2.0)
    """
    W = float_array(W, "W", shape=("m", "d"))
    m, d = W.shape
    b, a = float_array(b, "b", shape=(m,)), float_array(a, "a", shape=(m,))
    X = points_on_slice(X, "X", d=d)
    targets = float_array(targets, "targets", shape=(len(X),))
    if not a.all():
        raise ValueError("a must not contain zeros")
    active = W @ X.T + b[:, None] > tau
    # Rows as strings of bits sort as the rows do, and much faster.
    bits = np.packbits(active, axis=1)
    names = bits.view(f"S{bits.shape[1]}").reshape(-1)
    _, first, group = np.unique(names, return_index=True, return_inverse=True)
    patterns = active[first]
    total = float(np.abs(a).sum())
    share = np.bincount(group, weights=np.abs(a)) / total  # of every pattern
    # In the unknowns v = shift sign(a) sum|a| and kappa, all coefficients are of order one.
    design = patterns.T * share / 2.0
    q, p = design.shape[1], len(X)
    one = np.ones((q, 1))
    rows = np.block(
        [
            [design, np.zeros((p, 1))],
            [-design, np.zeros((p, 1))],
            [np.eye(q), -one],
            [-np.eye(q), -one],
        ]
    )
    limits = np.concatenate([targets + eps, eps - targets, np.zeros(2 * q)])
    cost = np.zeros(q + 1)
    cost[-1] = 1.0
    solved = optimize.linprog(
        cost, A_ub=rows, b_ub=limits, bounds=[(None, None)] * q + [(0.0, None)], method="highs"
    )
    if solved.x is None or solved.status != 0:
        raise ValueError(f"targets cannot be met within eps = {eps}: {solved.message}")
    moves = np.asarray(solved.x[:-1], dtype=np.float64)[group] / total
    shifts: FloatArray = np.sign(a) * moves
    values = (a * shifts) @ active / 2.0
    multipliers = np.asarray(solved.ineqlin.marginals, dtype=np.float64)
    weights = multipliers[:p] - multipliers[p : 2 * p]
    pull = np.linalg.norm((patterns * weights) @ X, axis=1) @ share * total
    gain = float(weights @ targets - eps * np.abs(weights).sum())
    upper = float(np.abs(shifts).max(initial=0.0))
    return RadiusBracket(
        lower=max(gain, 0.0) / float(pull) if pull > 0.0 else 0.0,
        upper=upper,
        shifts=shifts,
        error=float(np.abs(values - targets).max()),
        kappa=upper * total,
    )


# C.18


@checked
def bridge(tau: Number, *, as_printed: Flag = False) -> Inequality:
    r"""Compare the mass between threshold zero and tau with its linear bound (equation 25).

    The proof of Lemma C.18 builds h for threshold 0 and uses it at tau; the difference is at most
    ``max |h|`` times ``Pr[0 <= z < tau]``, z ~ N(0, 2), which is below ``tau / (2 sqrt(pi))``.
    Equation (25) prints the indicator of ``z < tau``, whose probability is above 1/2.

    >>> bridge(Fraction(1, 10)).holds, bridge(Fraction(1, 10), as_printed=True).holds
    (True, False)
    """
    at = rational(tau, "tau", exclusive_minimum=0)

    def mass() -> Ball:
        inside = (ball(at) / 2).erf() / 2
        return inside + ball(Fraction(1, 2)) if as_printed else inside

    return decide(mass, "<=", lambda: ball(at) / (2 * arb.pi().sqrt()))


@checked
def union_bound_condition(
    k: int, d: Count, ratio: Number, net_power: Number = 1, failure: Number = 1
) -> Inequality:
    r"""Decide whether the union bound in the proof of Lemma C.18 goes through.

    Here `k`: number of neurons; `failure`: the constant in the probability claimed.

    For one x, Hoeffding's inequality (A.6) for terms in [-C, C] fails with probability at most ``2
    exp(-k eps^2 / (2 C^2))``.  Over a net of ``k^(net_power d)`` points, and to be left with
    ``exp(-failure sqrt(k))``, the proof (equation 29) needs ``log 2 + net_power d log k + failure
    sqrt(k) <= k / (2 ratio^2)`` with ``ratio = C/eps``.

    The printed condition ``k >= c_1 d ratio^2`` does not suffice: the right side is ``c_1 d / 2``,
    while ``d log k`` and ``sqrt(k)`` grow with the ratio: one needs ``k >= c d log(k) ratio^2`` for
    the net and ``k >= c ratio^4`` for the probability, both harmless where k is larger than every
    polynomial of d and the ratio.

    >>> [union_bound_condition(k, 3, 10).holds for k in (100 * 3 * 10**2, 100 * 10**4)]
    [False, True]
    """
    k = count(k, "k", minimum=2)
    size = rational(ratio, "ratio", exclusive_minimum=0)
    power = rational(net_power, "net_power", exclusive_minimum=0)
    rate = rational(failure, "failure", minimum=0)

    def needed() -> Ball:
        return arb(2).log() + ball(power * d) * arb(k).log() + ball(rate) * arb(k).sqrt()

    return decide(needed, "<=", Fraction(k) / (2 * size**2))


# C.19


def flip_probability(nu: Number, tau: Number) -> Enclosure:
    r"""Enclose the probability that a fixed move of the input changes the state of a neuron.

    For unit vectors x and x' at distance nu, in (0, 2], ``Pr[<w, x> + b >= tau > <w, x'> + b]``
    plus the same with x and x' exchanged, in units where the entries are N(0, 1).

    Source: Claim C.19.  It is at most ``(2/pi) arcsin(nu / sqrt(8)) exp(-tau^2/4) <= nu/4``, so
    ``|S_2| <= (nu/4) C(q, eps_3)``, far below the printed ``k^(-1/2) C(q, eps_3)`` at ``nu =
    k^-c``; for the features of `hermite_feature`, ``S_2`` is ``q(<x_i, x + mu>) - q(<x_i, x>)``.
    Proof.  The two pre-activations, divided by sqrt(2), are standard normal with correlation ``1 -
    nu^2/4``.  By Plackett's identity the probability that both are at least ``h = tau/sqrt(2)`` has
    the derivative ``exp(-h^2/(1 + r)) / (2 pi sqrt(1 - r^2))`` in the correlation r.  Hence the
    probability of different states is twice the integral of this from ``1 - nu^2/4`` to 1, which
    with ``r = cos v`` is ``(1/pi)`` times the integral of ``exp(-tau^2 / (2 (1 + cos v)))`` over
    ``0 <= v <= arccos(1 - nu^2/4) = 2 arcsin(nu / sqrt(8))``.

    >>> round(float(flip_probability(2, 0)), 12)
    0.5
    """
    length = rational(nu, "nu", exclusive_minimum=0, maximum=2)
    at = rational(tau, "tau")

    def total() -> Ball:
        end = 2 * (ball(length) / arb(8).sqrt()).asin()
        if not at:
            return end / arb.pi()
        square = acb(ball(at) ** 2)
        found = acb.integral(lambda v, _: (-square / (2 * (1 + v.cos()))).exp(), acb(0), acb(end))
        return found.real / arb.pi()

    return enclose(total, 40)


@checked
def reachable_flip_bound(nu: Number, d: Count) -> Enclosure:
    r"""Bound the probability that some move of at most a length changes the state of a neuron.

    ``sqrt(2/pi) nu E||w||``, at least ``Pr[|<w, x> + b - tau| <= nu ||w||]`` for every unit vector
    x and every tau.  Proof.  Given w, the density of b is at most ``1/sqrt(2 pi)``, the window ``2
    nu ||w||`` long; ``E||w|| = sqrt(2) Gamma((d+1)/2) / Gamma(d/2) <= sqrt(d)``.  So at most ``nu
    sqrt(2 d/pi) k`` of k neurons can change on average: a constant number for ``nu = 1/k``, where
    Claim C.19, with ``||w_r|| <= c sqrt(k)`` for all r, allows ``sqrt(k)``; its probability follows
    from Chernoff's bound.

    >>> round(float(reachable_flip_bound(1, 1)), 12) == round(2 / np.pi, 12)
    True
    """
    length = rational(nu, "nu", exclusive_minimum=0)

    def total() -> Ball:
        half = Fraction(1, 2)
        mean = arb(2).sqrt() * ball((d + 1) * half).gamma() / ball(d * half).gamma()
        return (2 / arb.pi()).sqrt() * ball(length) * mean

    return enclose(total)


def _norms_and_components(d: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return nodes of (||w||, <w, x>) for w ~ N(0, I_d), d >= 2, with their weights.

    In polar coordinates about x both are smooth: the norm is chi with d degrees of freedom and the
    angle has a density proportional to sin^(d-2).
    """
    nodes, weights = special.roots_legendre(_NODES)
    low, high = max(0.0, np.sqrt(d) - 10.0), np.sqrt(d) + 10.0
    norm = low + (high - low) * (nodes + 1.0) / 2.0
    log_density = (d - 1) * np.log(norm) - norm**2 / 2.0
    norm_weights = weights * np.exp(log_density - log_density.max())
    angle = np.pi * (nodes + 1.0) / 2.0
    angle_weights = weights * np.sin(angle) ** (d - 2)
    shares = np.outer(norm_weights / norm_weights.sum(), angle_weights / angle_weights.sum())
    return norm[:, None], norm[:, None] * np.cos(angle), shares


@checked
def reachable_flip_probability(nu: Positive, tau: Real, d: Dimension) -> float:
    r"""Compute the probability that some move of at most a length may change the state of a neuron.

    ``Pr[|<w, x> + b - tau| <= nu ||w||]`` for w ~ N(0, I_d), b ~ N(0, 1) and a unit vector x:
    exactly then a move in the direction of w reaches the threshold (Claim C.19).  At most
    `reachable_flip_bound`, and of order `reachable_flip_rate` times nu for small nu.

    >>> round(reachable_flip_probability(1e-3, 0.0, 3) / reachable_flip_rate(0.0, 3) * 1e3, 4)
    1.0
    """
    norm, component, shares = _norms_and_components(d)
    upper = special.ndtr(tau - component + nu * norm)
    lower = special.ndtr(tau - component - nu * norm)
    return float(np.vdot(shares, upper - lower))


@checked
def reachable_flip_rate(tau: Real, d: Dimension) -> float:
    r"""Compute how fast the neurons within reach grow with the length of a move.

    ``2 E[||w|| phi(tau - <w, x>)]``, the limit of `reachable_flip_probability` over nu as nu tends
    to 0.  Norm and pre-activation are not independent: it is not ``E||w||`` times the density of
    N(0, 2).

    >>> round(reachable_flip_rate(0.0, 3), 4)
    0.8183
    """
    norm, component, shares = _norms_and_components(d)
    densities = norm * np.exp(-((tau - component) ** 2) / 2.0) / np.sqrt(2.0 * np.pi)
    return 2.0 * float(np.vdot(shares, densities))
