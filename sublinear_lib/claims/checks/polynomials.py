r"""The polynomials of Appendices A and B (A.1, A.2, B.4-B.8), built and looked at.

These lemmas say that a polynomial exists; a check builds it, with exact coefficients, and asks for
its degree, its largest coefficient and its error on whole intervals.  Where the printed formula is
explicit, the polynomial is compared with it coefficient by coefficient, as a control.  Before
changing a check, know that two misprints are in the letters only (A.2, B.4), and that the degree
of B.6 is damaged in our copy: both readings are looked at.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
from flint import fmpq, fmpq_poly
from scipy import stats

from sublinear_lib.claims.instruments.points import circle
from sublinear_lib.claims.topic import Budget, Collector, Rng, Topic
from sublinear_lib.geometry import sample_caps
from sublinear_lib.theory import enclosures, polynomials

topic = Topic("polynomials")

_ZERO, _ONE, _HALF, _TENTH = Fraction(0), Fraction(1), Fraction(1, 2), Fraction(1, 10)
_CLOSE = 1e-9
_Z = fmpq_poly([0, 1])


def _coefficients(p: fmpq_poly) -> tuple[Fraction, ...]:
    return tuple(enclosures.from_flint(value) for value in p.coeffs())


def _grid(left: Fraction, right: Fraction, n: int) -> list[Fraction]:
    return [left + (right - left) * Fraction(i, n - 1) for i in range(n)]


def _log2(number: Fraction) -> float:
    """Return the logarithm of a positive rational number that no float may hold."""
    return math.log2(number.numerator) - math.log2(number.denominator)


# --------------------------------------------------------------------------------------------------
# Lemma A.1
# --------------------------------------------------------------------------------------------------


def _printed_sign_polynomial(k: int) -> tuple[Fraction, ...]:
    """Return z times the sum over i <= k of (1 - z^2)^i prod_j (2 j - 1)/(2 j), as printed."""
    total, power, factor = fmpq_poly([0]), fmpq_poly([1]), fmpq(1)
    for i in range(k + 1):
        total += factor * power
        power *= 1 - _Z**2
        factor *= fmpq(2 * i + 1, 2 * i + 2)
    return _coefficients(_Z * total)


@topic.check("lem-a.1")
def _check_sign_polynomial(look: Collector, budget: Budget, rng: Rng) -> None:
    gaps = [Fraction(9, 10), _HALF, Fraction(1, 5), _TENTH]
    gaps += budget.pick([], [Fraction(1, 20)])
    levels = [Fraction(3, 2), Fraction(9, 10), _TENTH, Fraction(1, 1000)]
    errors, sides, orders = [], [], []
    for eta, eps in product(gaps, levels):
        k = polynomials.sign_order(eta, eps)
        found = polynomials.sign_polynomial_error(k, eta, eps)
        errors.append(found)
        # z^2 has a beta law if z has a density proportional to (1 - z^2)^k.
        sides.append((found.left, float(stats.beta.sf(float(eta) ** 2, 0.5, k + 1))))
        sides.append((found.right, float(eps) / 2.0))
        orders.append(0 <= k - math.log(2.0 / eps) / float(eta) ** 2 < 1)
    highest = budget.pick(40, 150)
    printed = (0, 1, 2, 5, 12, budget.pick(20, 60))
    few = polynomials.sign_order(_TENTH, Fraction(1, 10**6)) * 4 // 5
    fewer = polynomials.sign_polynomial_error(few, _TENTH, Fraction(1, 10**6))
    look.control(f"p_k has the coefficients of the printed sum, k up to {printed[-1]}").every(
        polynomials.sign_polynomial(k).coefficients == _printed_sign_polynomial(k) for k in printed
    )
    look.control("orders that are ln(2/eps)/eta^2, rounded up").every(orders)
    look.control.agree("the share of the beta law, and eps/2", sides)
    look(
        f"0 <= 1 - p_k(z) <= (1 - z^2)^k <= exp(-k z^2) on all of [0, 1], k = 0 to {highest}"
    ).every(polynomials.sign_polynomial_decays(k) for k in range(highest + 1))
    look.certified(
        f"largest error on [eta, 1] for eta from {gaps[-1]} to 9/10, eps from {levels[-1]} to 3/2"
    ).all_hold(errors)
    look.control.exact(
        "with four fifths of the order, eta = 1/10, eps = 10^-6: error over eps/2"
    ).holds(not fewer.holds, fewer.ratio, "above 1")


# --------------------------------------------------------------------------------------------------
# Theorem A.2
# --------------------------------------------------------------------------------------------------


def _average_over_signs(s: int, most: int) -> tuple[Fraction, ...]:
    """Return the expectation of C_|Z| 1[|Z| <= most] over all 2^s choices of the signs."""
    sizes = (abs(sum(signs)) for signs in product((-1, 1), repeat=s))
    return _coefficients(sum((_double_sum(k) for k in sizes if k <= most), _Z * 0) / 2**s)


@topic.check("thm-a.2")
def _check_truncated_power(look: Collector, budget: Budget, rng: Rng) -> None:
    powers = budget.pick((1, 2, 5, 12, 40), (1, 2, 5, 12, 40, 100, 300))
    instances, sides = [], []
    for m in powers:
        for t in range(m + 1):
            found = polynomials.truncated_power_error(m, t)
            instances.append(found)
            # |Z| > t: more than (m + t)/2 of the signs are equal.
            sides.append((found.left, 2.0 * float(stats.binom.sf((m + t) // 2, m, 0.5))))
            sides.append((found.right, 2.0 * math.exp(-t * t / (2.0 * m))))
    sides = [pair for pair in sides if pair[1] > 0.0]
    reached = []
    for m in budget.pick((2, 5, 9, 16), (2, 3, 5, 9, 16, 24, 40)):
        for t in range(m):
            rest = _Z**m - sum(
                2 * math.comb(m, (m + j) // 2) * _double_sum(j)
                for j in range(t + 1, m + 1)
                if (m - j) % 2 == 0
            ) / fmpq(2**m)
            reached.append(polynomials.truncated_power(m, t).coefficients == _coefficients(rest))
    # Literally, X_m is also the last of the signs; then the expectation is z, whatever m.
    literal = enclosures.decide(
        abs(-_ONE - (-_ONE) ** 2), "<=", polynomials.truncated_power_error(2, 2).right.lower
    )
    look.control("the expectation over all choices of at most 6 signs, exactly").every(
        polynomials.truncated_power(s, t).coefficients == _average_over_signs(s, t)
        for s in range(7)
        for t in range(8)
    )
    look.control.agree("the binomial law of scipy, and 2 exp(-t^2/(2 m))", sides)
    look(
        "what is left out is the sum of Pr[|Z| = j] C_j over j > t, so that the largest error is "
        "the one at z = 1, Pr[|Z| > t]"
    ).every(reached)
    look.certified(f"error against 2 exp(-t^2/(2 m)), m up to {powers[-1]}, all t").all_hold(
        instances
    )
    look.print.certified("X_m read as the last of the signs X_1, .., X_m, m = t = 2, z = -1").holds(
        literal.holds,
        f"error {float(literal.left):g} against {float(literal.right):.4g}",
        "error <= 2 exp(-t^2/(2 m))",
    )


# --------------------------------------------------------------------------------------------------
# Proposition B.7 and Corollary B.8
# --------------------------------------------------------------------------------------------------


def _double_sum(k: int) -> fmpq_poly:
    """Return C_k as the proposition prints its coefficients."""
    total = [0] * (k + 1)
    for i in range(k // 2 + 1):
        for j in range(i + 1):
            sign = (-1) ** (i - j)
            total[2 * j + k - 2 * i] += math.comb(k, 2 * i) * math.comb(i, j) * sign
    return fmpq_poly(total)


@topic.check("prop-b.7")
def _check_chebyshev(look: Collector, budget: Budget, rng: Rng) -> None:
    highest = budget.pick(200, 600)
    sums = [polynomials.chebyshev_coefficients(k) for k in range(highest + 1)]
    values = [each.left.lower for each in sums]
    largest = [polynomials.chebyshev(k).largest_coefficient for k in range(highest + 1)]
    written = (0, 1, 2, 3, 7, 20, budget.pick(40, 120))
    basis = np.polynomial.chebyshev.cheb2poly
    look.control("C_k is the printed double sum").every(
        polynomials.chebyshev(k).coefficients == _coefficients(_double_sum(k)) for k in written
    )
    look.control("C_k is the Chebyshev polynomial of NumPy, k up to 20").every(
        [float(c) for c in polynomials.chebyshev(k).coefficients]
        == basis([0.0] * k + [1.0]).tolist()
        for k in range(21)
    )
    look(f"sum of all |coefficients| of C_k at most 2^(2 k), k = 0 to {highest}").every(
        each.holds and each.right.lower == Fraction(2) ** (2 * k) for k, each in enumerate(sums)
    )
    look("largest |coefficient| at most that sum").every(
        a <= b for a, b in zip(largest, values, strict=True)
    )
    look("sums with S_(k+1) = 2 S_k + S_(k-1), as S_0 = S_1 = 1; so S_k <= 4^k for all k").every(
        [values[0] == values[1] == 1]
        + [values[k + 1] == 2 * values[k] + values[k - 1] for k in range(1, highest)]
    )
    look.control(
        f"log2 of the largest coefficient over k, k = {highest}: 2 k could not be 1.2 k"
    ).at_least(_log2(largest[-1]) / highest, 1.2)


@topic.check("cor-b.8")
def _check_truncated_coefficients(look: Collector, budget: Budget, rng: Rng) -> None:
    largest = budget.pick(40, 150)
    powers = range(1, largest + 1, budget.pick(3, 7))
    pairs = [(s, most) for s in powers for most in range(0, s + 3, max(1, s // 10))]
    built = [polynomials.truncated_power(*pair) for pair in pairs]
    bounds = [polynomials.truncated_power_coefficients(*pair) for pair in pairs]
    sides = []
    for (s, most), each in zip(pairs, bounds, strict=True):
        if s <= 20:
            weights = np.zeros(s + 1)
            for heads in range(s + 1):
                if abs(2 * heads - s) <= most:
                    weights[abs(2 * heads - s)] += stats.binom.pmf(heads, s, 0.5)
            found = np.abs(np.polynomial.chebyshev.cheb2poly(weights)).max()
            if s - most in (0, 1, 2) or most == 0:
                # Elsewhere the coefficients are differences of large numbers.
                sides.append((each.left, float(found)))
        sides.append((each.right, 4.0**most))
    look.control("the expectation over all choices of at most 6 signs, exactly").every(
        polynomials.truncated_power(s, most).coefficients == _average_over_signs(s, most)
        for s in range(1, 7)
        for most in range(8)
    )
    look(f"degree at most M, s up to {largest}").every(
        each.degree <= most for each, (_, most) in zip(built, pairs, strict=True)
    )
    look.certified(f"largest coefficient against 2^(2 M), s up to {largest}").all_hold(bounds)
    look.control("that number is the largest coefficient of the polynomial").every(
        each.left.lower == polynomial.largest_coefficient
        for each, polynomial in zip(bounds, built, strict=True)
    )
    look.control.agree("Chebyshev sums in floating point, and 4^M", sides)


# --------------------------------------------------------------------------------------------------
# Lemma B.6
# --------------------------------------------------------------------------------------------------


def _composed(eta: Fraction, eps: Fraction, degree: int) -> tuple[Fraction, ...]:
    """Build the sign polynomial of A.1 with its powers truncated as in A.2, term by term."""
    k, t = polynomials.sign_order(eta, eps), (degree - 1) // 2
    total, factor = fmpq_poly([0]), fmpq(1)
    for i in range(k + 1):
        for j, a in enumerate(polynomials.truncated_power(i, t).coefficients):
            total += factor * enclosures.to_flint(Fraction(a)) * (1 - _Z**2) ** j
        factor *= fmpq(2 * i + 1, 2 * i + 2)
    return _coefficients(_Z * total)


def _closing_sides(eta: float, level: float, extra: float) -> tuple[float, float]:
    b = 1.5 * (level + extra) - eta / 2.0
    u = level + eta * eta
    left = 4.0 / math.sqrt(math.pi) * math.sqrt(eta / b + u / b**2)
    return left * math.exp(level - b * b / (2.0 * u)), 2.0 - 1.0 / math.sqrt(math.pi * level)


def _closing(look: Collector, eta: Fraction, level: Fraction, extra: Fraction) -> bool:
    """Decide the inequality that closes the proof of B.6; compare its sides with floats."""
    found = polynomials.sign_closing(eta, level, extra)
    sides = zip(
        (found.left, found.right),
        _closing_sides(float(eta), float(level), float(extra)),
        strict=True,
    )
    look.control.agree(f"the closing inequality at eta = {eta}, L = {level}", sides)
    return found.holds


_BELOW_LOG_TWO = Fraction(693, 1000)


def _sign_controls(found: polynomials.SignApproximation, within: bool) -> list[bool]:
    """Compare degree, bounds and values of one polynomial with what can be had elsewhere."""
    eta, eps = float(found.eta), float(found.eps)
    printed = 3.0 / eta * math.log(2.0 / (eps * (eta if within else 1.0)))
    order = polynomials.sign_order(found.eta, found.eps)
    degree = min(2 * math.floor((printed - 1.0) / 2.0) + 1, 2 * order + 1)
    allowed = _log2(found.coefficients.right.midpoint)
    values = [found.polynomial(z) for z in _grid(found.eta, _ONE, 9)]
    left = [found.polynomial(-z) for z in _grid(found.eta, _ONE, 9)]
    return [
        math.isclose(float(found.printed_degree), printed, rel_tol=_CLOSE),
        found.polynomial.degree == degree,
        math.isclose(allowed, 4.0 * printed, rel_tol=_CLOSE),
        found.coefficients.left.lower == found.polynomial.largest_coefficient,
        max(abs(value - 1) for value in values) <= found.error_bound <= found.eps,
        max(abs(value + 1) for value in left) <= found.eps,
    ]


@topic.check("lem-b.6")
def _check_sign_approximation(look: Collector, budget: Budget, rng: Rng) -> None:
    gaps = [Fraction(9, 10), _HALF, Fraction(1, 5)]
    gaps += budget.pick([], [Fraction(3, 4), Fraction(1, 3), _TENTH])
    cases = list(product(gaps, [Fraction(9, 10), _TENTH, Fraction(1, 100)]))
    cases += budget.pick(
        [(_TENTH, _TENTH)], [(Fraction(1, 20), _TENTH), (Fraction(1, 5), Fraction(1, 10**5))]
    )
    first: list[polynomials.SignApproximation] = []
    second: list[polynomials.SignApproximation] = []
    controls = []
    for eta, eps in cases:
        for kept, within in ((first, True), (second, False)):
            found = polynomials.sign_approximation(eta, eps, eta_in_logarithm=within)
            kept.append(found)
            controls += _sign_controls(found, within)
    below = enclosures.decide(_BELOW_LOG_TWO, "<=", Fraction(math.log(2.0)) - Fraction(1, 10**9))
    third = polynomials.sign_approximation(Fraction(1, 5), _TENTH, 15)
    composed = [(_HALF, _HALF, 7), (Fraction(1, 5), _HALF, 15), (Fraction(1, 4), _TENTH, 9)]
    bits = max(
        _log2(found.polynomial.largest_coefficient) / float(found.printed_degree) for found in first
    )
    span = f"eta from {min(cases)[0]} to 9/10, eps from {min(e for _, e in cases)} to 9/10"
    look.control("the polynomial is the composition of A.1 and A.2, exactly").every(
        polynomials.sign_approximation(*case).polynomial.coefficients == _composed(*case)
        for case in composed
    )
    look.control("degree, bounds and values on a grid, as computed elsewhere").every(controls)
    narrow_holds = _closing(look, _HALF, _BELOW_LOG_TWO, _BELOW_LOG_TWO)
    wide_holds = _closing(look, _ONE, Fraction(9), _ZERO)
    look.certified(
        "read M = (3/eta) ln(2/(eta eps)): degree, coefficients and errors of the polynomial that "
        f"is built, {span}"
    ).every(found.holds for found in first)
    look.certified(
        "the same for all eta, eps in (0, 1): the inequalities that close the proof, for eta <= "
        "1/2; for eta > 1/2 and eps small; in the cells that remain"
    ).every([narrow_holds and below.holds, wide_holds, polynomials.sign_cells_hold()])
    look.exact("log2 of the largest coefficient, over M").at_most(bits, 4.0)
    look.print.certified(f"read M = (3/eta) ln(2/eps): the same three claims, {span}").every(
        found.holds for found in second
    )
    look.control.exact("with a third of the degree, eta = 1/5, eps = 1/10").holds(
        not third.error_holds,
        "misses eps" if not third.error_holds else "reaches eps",
        "misses eps",
    )


# --------------------------------------------------------------------------------------------------
# Claim B.5
# --------------------------------------------------------------------------------------------------


def _step_controls(found: polynomials.StepApproximation) -> list[bool]:
    delta, rho, eps = float(found.delta), float(found.rho), float(found.eps)
    gamma = delta * (delta - 2.0 * rho)
    printed = 24.0 * math.log(16.0 / eps) / gamma
    order = math.ceil(math.log(1.0 / eps) / (gamma / 8.0) ** 2)
    degree = min(2 * math.floor((printed - 1.0) / 2.0) + 1, 2 * order + 1)
    far, near = 1 - (found.delta - found.rho) ** 2 / 2, 1 - found.rho**2 / 2
    low = [found.polynomial(z) for z in _grid(-_ONE, far, 9)]
    high = [found.polynomial(z) for z in _grid(near, _ONE, 9)]
    allowed = 6.0 * printed - math.log2(gamma)
    return [
        math.isclose(float(found.gamma), gamma, rel_tol=_CLOSE),
        math.isclose(float(found.printed_degree), printed, rel_tol=_CLOSE),
        found.polynomial.degree == degree,
        math.isclose(_log2(found.coefficients.right.midpoint), allowed, rel_tol=_CLOSE),
        found.coefficients.left.lower == found.polynomial.largest_coefficient,
        found.polynomial((far + near) / 2) == _HALF,
        max(map(abs, low)) <= found.eps,
        max(abs(value - 1) for value in high) <= found.eps,
    ]


@topic.check("claim-b.5")
def _check_step(look: Collector, budget: Budget, rng: Rng) -> None:
    settings = [
        (Fraction(3, 2), _TENTH, Fraction(1, 4)),
        (Fraction(6, 5), Fraction(1, 5), _HALF),
        (Fraction(1), _TENTH, Fraction(1, 20)),
        (Fraction(4, 5), _TENTH, _HALF),
        (Fraction(1), _TENTH, Fraction(1, 1000)),
        (Fraction(7, 10), _TENTH, Fraction(1, 3)),
        (Fraction(3, 5), _TENTH, _HALF),
    ]
    built = [polynomials.step_approximation(*each) for each in settings[: budget.pick(4, 7)]]
    controls = [outcome for found in built for outcome in _step_controls(found)]
    # For eps above 1/2 the polynomial for 1/2 has a degree that is small enough as well.
    printed = 24.0 * math.log(16.0 / 0.9) / 1.95
    coarse = polynomials.step_approximation(
        Fraction(3, 2), _TENTH, _HALF, 2 * math.floor((printed - 1.0) / 2.0) + 1
    )
    gammas = [float(found.gamma) for found in built]
    small = polynomials.step_approximation(_ONE, _TENTH, Fraction(1, 20), 21)
    look.control("M, degree, bounds and values, as computed elsewhere").every(controls)
    closes = _closing(look, _HALF, _BELOW_LOG_TWO, _BELOW_LOG_TWO)
    look.certified(
        "degree, coefficients (constant 1) and both errors of the polynomial that is built, gamma "
        f"from {min(gammas):.3g} to {max(gammas):.3g}"
    ).every(found.holds for found in built)
    look.certified("eps = 9/10, with the polynomial for 1/2").every(
        [coarse.low_holds, coarse.high_holds, coarse.coefficients.holds]
    )
    look.certified(
        "the same for all delta, rho, eps: the inequality that closes the proof, as eta = gamma/8 "
        "< 1/2"
    ).every([closes])
    look.control.exact("with an eighth of the degree, delta = 1, rho = 1/10, eps = 1/20").holds(
        not (small.low_holds or small.high_holds),
        f"|q| <= eps is {small.low_holds}, |q - 1| <= eps is {small.high_holds}",
        "both are false",
    )


# --------------------------------------------------------------------------------------------------
# Lemma B.4
# --------------------------------------------------------------------------------------------------


@topic.check("lem-b.4")
def _check_robust_fit(look: Collector, budget: Budget, rng: Rng) -> None:
    cases = [
        ([0.0, 3.0], [1.0, -1.0], Fraction(17, 10), 0.9),
        ([0.0, 2.1, 4.2], [1.0, -1.0, 0.5], Fraction(37, 25), 0.3),
        ([0.0, 1.6, 3.2, 4.8], [1.0, -1.0, 1.0, -0.5], Fraction(11, 10), 0.3),
    ]
    fits, controls, reached, rho = [], [], [], _TENTH
    for angles, labels, delta, eps in cases[: budget.pick(2, 3)]:
        X, y = circle(angles), np.array(labels)
        fit = polynomials.robust_fit(X, y, delta, rho, eps)
        fits.append((fit, eps))
        n, step, gamma = len(y), fit.step, float(delta * (delta - 2 * rho))
        printed = 24.0 * math.log(48.0 * n / eps) / gamma
        allowed = 6.0 * printed - math.log2(gamma)
        controls += [
            math.isclose(float(step.printed_degree), printed, rel_tol=_CLOSE),
            math.isclose(_log2(step.coefficients.right.midpoint), allowed, rel_tol=_CLOSE),
            step.eps * 3 * n == Fraction(eps),
            fit.bound == step.eps * sum(Fraction(abs(label)) for label in y.tolist()),
        ]
        for _ in range(budget.pick(3, 20)):
            for x, label in zip(sample_caps(X, 0.999 * float(rho), rng), y, strict=True):
                reached.append(abs(float(fit.value(x)) - label) <= float(fit.bound))
        x = X[0] + 0.01 * rng.standard_normal(3)
        x /= np.linalg.norm(x)
        direct = sum(
            label * float(step.polynomial(Fraction(float(point @ x))))
            for point, label in zip(X / np.linalg.norm(X, axis=1)[:, None], y, strict=True)
        )
        controls.append(math.isclose(float(fit.value(x)), direct, rel_tol=1e-6))
    # Literally, the label that is left over is y_i, for any i; take j = 1 and i = 2.
    angles, labels, _, eps = cases[0]
    literal = abs(float(fits[0][0].value(circle(angles)[0])) - labels[1])
    look.control("M, bounds, accuracy and the sum over the data").every(controls)
    look.certified(
        "error on all balls at most eps/3, degree at most M, coefficients at most 2^(6 M)/gamma, "
        "for 2 and 3 points of the slice"
    ).every(ok for fit, eps in fits for ok in (fit.step.holds, fit.bound <= Fraction(eps) / 3))
    look.control("errors at random points of the balls below the bound").every(reached)
    look.print.certified(
        "read with y_i behind the sum: |f*(x_1) - y_2|, two points, against eps/3"
    ).at_most(literal, eps / 3.0)
