"""Polynomials of the proofs and best ones: exact coefficients and errors, proven bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.geometry import sample_caps
from sublinear_lib.theory import best_steps, polynomials
from sublinear_lib.theory.enclosures import UndecidedError
from sublinear_lib.theory.polynomials import Polynomial
from tests.theory.oracles import circle

MODEST = settings(max_examples=25, deadline=None)
COEFFICIENTS = st.lists(
    st.fractions(min_value=-5, max_value=5, max_denominator=6), min_size=1, max_size=6
)
HALF = Fraction(1, 2)


def trimmed(p: list[Fraction]) -> tuple[Fraction, ...]:
    while p and not p[-1]:
        p = p[:-1]
    return tuple(p)


def grid(left: float | Fraction, right: float | Fraction, n: int = 41) -> list[Fraction]:
    """Exact points of an interval."""
    low, high = Fraction(left), Fraction(right)
    return [low + (high - low) * Fraction(i, n - 1) for i in range(n)]


def agree(p: Polynomial, function: Callable[[Fraction], Fraction], degree: int) -> bool:
    """Say whether p is the polynomial of at most this degree with these values."""
    return p.degree <= degree and all(p(z) == function(z) for z in grid(-1, 1, degree + 2))


# Polynomials and their range


@MODEST
@given(COEFFICIENTS, st.fractions(-3, 3, max_denominator=7))
def test_a_polynomial_has_its_degree_its_largest_coefficient_and_its_values(
    given_coefficients: list[Fraction], z: Fraction
) -> None:
    p = Polynomial(trimmed(given_coefficients))
    assert p(z) == sum(c * z**j for j, c in enumerate(given_coefficients))
    assert p.largest_coefficient == max(abs(c) for c in given_coefficients)
    assert p.degree == max((j for j, c in enumerate(given_coefficients) if c), default=-1)


@MODEST
@given(COEFFICIENTS, st.fractions(-2, 1, max_denominator=5), st.fractions(HALF, 2))
def test_a_range_is_decided_as_values_on_a_fine_grid_suggest(
    given_coefficients: list[Fraction], left: Fraction, length: Fraction
) -> None:
    p, right = Polynomial(trimmed(given_coefficients)), left + length
    values = [p(z) for z in grid(left, right, 201)]
    low, high = min(values), max(values)
    slope = sum(
        j * abs(c) * max(abs(left), abs(right), 1) ** (j - 1)
        for j, c in enumerate(given_coefficients)
        if j
    )
    margin = slope * length / 400 + Fraction(1, 1000)  # what a grid of this step can miss
    assert polynomials.stays_within(p, left, right, low - margin, high + margin)
    if low < high:
        between = (high - low) / 100
        assert not polynomials.stays_within(p, left, right, low + between, high)
        assert not polynomials.stays_within(p, left, right, low, high - between)


def test_a_range_beyond_a_narrow_bump_and_that_of_a_constant_are_seen() -> None:
    # 1 - 10^6 (z - 1/3)^2 leaves the level 1 - 10^-9 only within 3.2e-8 of one third
    p = Polynomial((1 - Fraction(10**6, 9), Fraction(2 * 10**6, 3), Fraction(-(10**6))))
    low = Fraction(-(10**7))
    assert not polynomials.stays_within(p, 0, 1, low, 1 - Fraction(1, 10**9))
    assert polynomials.stays_within(p, 0, 1, low, 1 + Fraction(1, 10**9))
    with pytest.raises(UndecidedError, match=r"0\.3333"):
        polynomials.stays_within(p, 0, 1, low, 1)  # it touches the level inside
    assert polynomials.stays_within(Polynomial((HALF,)), 0, 1, HALF, HALF)
    assert not polynomials.stays_within(Polynomial((HALF,)), 0, 1, 1, 2)
    assert polynomials.stays_within(Polynomial(()), 0, 1, 0, 0)


# A.1


def sign_factor(i: int) -> Fraction:
    """Return the product of (2 j - 1) / (2 j) for j up to i."""
    return Fraction(math.comb(2 * i, i), 4**i)


@pytest.mark.parametrize("k", [0, 1, 2, 5, 12])
def test_the_sign_polynomial_is_the_printed_sum(k: int) -> None:
    def printed(z: Fraction) -> Fraction:
        return z * sum(sign_factor(i) * (1 - z * z) ** i for i in range(k + 1))

    assert agree(polynomials.sign_polynomial(k), printed, 2 * k + 1)


@pytest.mark.parametrize("eta", [Fraction(9, 10), HALF, Fraction(1, 5)])
@pytest.mark.parametrize("eps", [2, Fraction(3, 2), Fraction(1, 10), Fraction(1, 1000)])
def test_lemma_a1_holds_with_the_exact_error(eta: Fraction, eps: Fraction) -> None:
    k = polynomials.sign_order(eta, eps)
    assert k == math.ceil(math.log(2 / eps) / eta**2)
    found = polynomials.sign_polynomial_error(k, eta, eps)
    assert found.holds and found.right.lower == eps / 2
    p = polynomials.sign_polynomial(k)
    errors = [abs(1 - p(z)) for z in grid(eta, 1)]
    assert found.left.lower == max(errors) == errors[0]
    assert all(abs(-1 - p(-z)) == abs(1 - p(z)) for z in grid(eta, 1, 5))


@pytest.mark.parametrize("k", [0, 1, 2, 9, 40])
def test_the_sign_polynomial_decays_like_a_power(k: int) -> None:
    assert polynomials.sign_polynomial_decays(k)
    p = polynomials.sign_polynomial(k)
    assert all(0 <= 1 - p(z) <= (1 - z * z) ** k for z in grid(0, 1))


def test_a_polynomial_that_is_off_by_one_percent_does_not_decay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = polynomials.sign_polynomial(5).coefficients
    for factor in (Fraction(99, 100), Fraction(101, 100), -1):
        other = Polynomial(tuple(factor * c for c in plain))
        monkeypatch.setattr(polynomials, "sign_polynomial", lambda k, other=other: other)
        assert not polynomials.sign_polynomial_decays(5)


# B.7


@pytest.mark.parametrize("k", [0, 1, 2, 7, 30])
def test_chebyshev_polynomials_are_the_papers_double_sum(k: int) -> None:
    def printed(z: Fraction) -> Fraction:
        powers = ((z * z - 1) ** i * z ** (k - 2 * i) for i in range(k // 2 + 1))
        return sum((math.comb(k, 2 * i) * each for i, each in enumerate(powers)), Fraction(0))

    found = polynomials.chebyshev(k)
    assert agree(found, printed, k)
    assert found(HALF) == pytest.approx(math.cos(k * math.pi / 3), abs=1e-12)


def test_the_coefficients_of_chebyshev_polynomials_grow_slower_than_printed() -> None:
    sums = [polynomials.chebyshev_coefficients(k) for k in range(60)]
    assert all(each.holds for each in sums)
    values = [each.left.lower for each in sums]
    assert values[:2] == [1, 1]
    assert all(values[k + 1] == 2 * values[k] + values[k - 1] for k in range(1, 59))
    assert [each.right.lower for each in sums] == [4**k for k in range(60)]
    assert all(polynomials.chebyshev(k).largest_coefficient <= values[k] for k in (0, 3, 20, 59))


# A.2, B.8


@pytest.mark.parametrize("s", [0, 1, 4, 7])
@pytest.mark.parametrize("most", [0, 1, 3, 9])
def test_the_truncated_power_is_an_average_over_all_signs(s: int, most: int) -> None:
    sums = [abs(sum(signs)) for signs in product((-1, 1), repeat=s)]
    kept = [polynomials.chebyshev(k) for k in sums if k <= most]
    found = polynomials.truncated_power(s, most)
    assert agree(found, lambda z: sum((t(z) for t in kept), Fraction(0)) / 2**s, s)


@pytest.mark.parametrize("m", [1, 2, 5, 20, 61])
@pytest.mark.parametrize("t", [0, 1, 3, 8, 15])
def test_theorem_a2_holds_with_the_exact_error(m: int, t: int) -> None:
    found = polynomials.truncated_power_error(m, t)
    p = polynomials.truncated_power(m, t)
    errors = [abs(p(z) - z**m) for z in grid(-1, 1)]
    assert found.left.lower == max(errors) == errors[-1]
    assert float(found.right) == pytest.approx(2 * math.exp(-t * t / (2 * m)), rel=1e-12)
    assert found.holds
    assert p.degree <= t


@pytest.mark.parametrize(("s", "most"), [(10, 5), (40, 20), (200, 60), (7, 0)])
def test_corollary_b8_holds_exactly(s: int, most: int) -> None:
    found = polynomials.truncated_power_coefficients(s, most)
    assert found.holds
    assert found.left.lower == polynomials.truncated_power(s, most).largest_coefficient
    assert found.right.lower == 4**most


# B.6


def full_degree(M: float, order: int) -> int:
    """Largest odd degree up to M, unless no power is high enough to be cut."""
    return min(2 * math.floor((M - 1) / 2) + 1, 2 * order + 1)


def bernoulli_sign_weights(k: int, j: int) -> Fraction:
    """Sum over i <= k of c_i Pr[|Z_i| = j], term by term."""
    terms = (sign_factor(i) * math.comb(i, (i + j) // 2) / 2**i for i in range(j, k + 1, 2))
    return (2 if j else 1) * sum(terms, Fraction(0))


@pytest.mark.parametrize("eta", [Fraction(9, 10), HALF, Fraction(1, 5)])
@pytest.mark.parametrize("eps", [Fraction(9, 10), Fraction(1, 10), Fraction(1, 100)])
@pytest.mark.parametrize("within", [True, False])
def test_lemma_b6_has_a_witness_in_either_reading(
    eta: Fraction, eps: Fraction, within: bool
) -> None:
    found = polynomials.sign_approximation(eta, eps, eta_in_logarithm=within)
    M = 3 / float(eta) * math.log(2 / float(eps) / (float(eta) if within else 1))
    assert float(found.printed_degree) == pytest.approx(M, rel=1e-12)
    assert found.holds
    assert found.polynomial.degree == full_degree(M, polynomials.sign_order(eta, eps))
    assert float(found.coefficients.right.midpoint) == pytest.approx(16.0**M, rel=1e-9)
    assert found.coefficients.left.lower == found.polynomial.largest_coefficient
    errors = [abs(1 - found.polynomial(z)) for z in grid(eta, 1)]
    assert max(errors) <= found.error_bound <= eps
    assert all(found.polynomial(-z) == -found.polynomial(z) for z in grid(eta, 1, 5))


@pytest.mark.parametrize(("eta", "eps", "degree"), [(HALF, HALF, 7), (Fraction(1, 5), HALF, 15)])
def test_the_polynomial_of_b6_is_the_composition_of_a1_and_a2(
    eta: Fraction, eps: Fraction, degree: int
) -> None:
    found = polynomials.sign_approximation(eta, eps, degree)
    k, t = polynomials.sign_order(eta, eps), (degree - 1) // 2
    cuts = [polynomials.truncated_power(i, t) for i in range(k + 1)]

    def composed(z: Fraction) -> Fraction:
        return z * sum(sign_factor(i) * cut(1 - z * z) for i, cut in enumerate(cuts))

    assert agree(found.polynomial, composed, 2 * t + 1)
    tail = bernoulli_sign_weights(k, t + 1) + bernoulli_sign_weights(k, t + 2)
    assert found.error_bound == polynomials.sign_polynomial_error(k, eta, eps).left.lower + tail


def closing_sides(eta: float, level: float, add: float) -> tuple[float, float]:
    """The two sides of the inequality that closes the proof of B.6, M = (3/eta)(L + add)."""
    B = 1.5 * (level + add) - eta / 2
    u = level + eta * eta
    left = 4 / math.sqrt(math.pi) * math.sqrt(eta / B + u / B**2)
    return left * math.exp(level - B * B / (2 * u)), 2 - 1 / math.sqrt(math.pi * level)


@MODEST
@given(
    st.fractions(Fraction(1, 50), 1, max_denominator=50),
    st.fractions(HALF, 30, max_denominator=50),
    st.fractions(0, 3, max_denominator=50),
)
def test_the_closing_inequality_is_what_the_proof_says(
    eta: Fraction, level: Fraction, extra: Fraction
) -> None:
    found = polynomials.sign_closing(eta, level, extra)
    left, right = closing_sides(float(eta), float(level), float(extra))
    assert float(found.left) == pytest.approx(left, rel=1e-9)
    assert float(found.right) == pytest.approx(right, rel=1e-9)
    assert found.holds == (left < right)


@pytest.mark.parametrize("level", [math.log(2), 1.0, 3.0, 9.0, 40.0, 100.0])
def test_the_proof_of_b6_closes_for_narrow_gaps_and_for_high_accuracy(level: float) -> None:
    etas = (0.5, 0.4, 0.2, 0.05, 0.001)
    lefts = [closing_sides(eta, level, math.log(1 / eta))[0] for eta in etas]
    assert lefts == sorted(lefts, reverse=True)
    assert lefts[0] <= 0.63 < 1.32 <= closing_sides(0.5, level, math.log(2))[1]
    # for B.5 a constant in the logarithm does as well
    assert all(closing_sides(eta, level, math.log(2))[0] <= 1.32 for eta in etas)
    for eta in (0.5, 0.6, 0.8, 0.9, 0.999):
        left, right = closing_sides(eta, level, 0.0)
        assert level < 9.0 or left < 1.77 < 1.81 < right


def test_the_proof_of_b6_closes_in_the_finitely_many_cells_that_remain() -> None:
    assert polynomials.sign_cells_hold()


@pytest.mark.parametrize(("factor", "largest", "hold"), [(9, 2, True), (9, 3, False)])
def test_the_cells_do_not_hold_with_a_larger_cut_at_any_order(
    factor: int, largest: int, hold: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = polynomials._sign_weights
    monkeypatch.setattr(
        polynomials,
        "_sign_weights",
        lambda k, most: [(factor if k == 3 else 1) * w for w in plain(k, most)],
    )
    assert polynomials.sign_cells_hold(largest) == hold


@pytest.mark.parametrize(
    ("eta", "eps", "degree_holds"), [(Fraction(1, 5), Fraction(1, 10), True), (HALF, HALF, False)]
)
def test_a_third_of_the_degree_is_inaccurate_and_one_beyond_the_printed_is_seen(
    eta: Fraction, eps: Fraction, degree_holds: bool
) -> None:
    found = polynomials.sign_approximation(eta, eps, 15)
    assert (found.degree_holds, found.error_holds) == (degree_holds, not degree_holds)
    assert not found.holds and (float(found.printed_degree) >= 15) == degree_holds


# B.5


@pytest.mark.parametrize(
    ("delta", "rho", "eps"),
    [
        (Fraction(3, 2), Fraction(1, 10), Fraction(1, 4)),
        (Fraction(1), Fraction(1, 10), Fraction(1, 20)),
        (Fraction(4, 5), Fraction(1, 10), HALF),  # gamma = 12/25 < 1/2
    ],
)
def test_claim_b5_has_a_witness(delta: Fraction, rho: Fraction, eps: Fraction) -> None:
    found = polynomials.step_approximation(delta, rho, eps)
    gamma = delta * (delta - 2 * rho)
    M = 24 * math.log(16 / eps) / float(gamma)
    assert found.gamma == gamma
    assert float(found.printed_degree) == pytest.approx(M, rel=1e-12)
    assert found.holds
    order = math.ceil(math.log(1 / eps) / (float(gamma) / 8) ** 2)
    assert found.polynomial.degree == full_degree(M, order)
    log_bound = 6 * M * math.log(2) - math.log(gamma)
    right = found.coefficients.right.midpoint
    log_right = math.log(right.numerator) - math.log(right.denominator)
    assert log_right == pytest.approx(log_bound, rel=1e-12)
    assert found.coefficients.left.lower == found.polynomial.largest_coefficient
    q = found.polynomial
    assert all(abs(q(z)) <= eps for z in grid(-1, 1 - (delta - rho) ** 2 / 2, 21))
    assert all(abs(q(z) - 1) <= eps for z in grid(1 - rho**2 / 2, 1, 21))


@pytest.mark.parametrize(("degree", "low", "high"), [(1, False, False), (21, True, True)])
def test_the_claims_of_b5_are_decided_for_the_degree_given(
    degree: int, low: bool, high: bool
) -> None:
    found = polynomials.step_approximation(Fraction(3, 2), Fraction(1, 10), Fraction(1, 4), degree)
    assert (found.low_holds, found.high_holds) == (low, high)
    assert found.polynomial.degree == degree
    assert found.holds == (low and high)


# B.4


@pytest.mark.parametrize("eps", [0.3, 0.9])
def test_lemma_b4_fits_the_labels_on_all_balls(eps: float) -> None:
    X, y, rho = circle([0.0, 2.1, 4.2]), np.array([1.0, -1.0, 0.5]), 0.1
    fit = polynomials.robust_fit(X, y, 1.48, rho, eps)
    assert fit.bound == Fraction(eps) / 9 * Fraction(5, 2) <= Fraction(eps) / 3
    assert fit.step.eps == Fraction(eps) / 9
    M = 24 * math.log(48 * 3 / eps) / (1.48 * (1.48 - 0.2))
    assert float(fit.step.printed_degree) == pytest.approx(M, rel=1e-9)
    rng = np.random.default_rng(4)
    for _ in range(4):
        moved = sample_caps(X, 0.999 * rho, rng)
        for x, label in zip(moved, y, strict=True):
            assert abs(float(fit.value(x)) - label) <= float(fit.bound)


def test_the_fit_is_the_sum_over_the_data() -> None:
    X, y = circle([0.0, 3.0]), np.array([0.25, -1.0])
    fit = polynomials.robust_fit(X, y, 1.7, 0.1, 0.9, 21)
    x = circle([1.0])[0]
    expected = sum(
        label * float(fit.step.polynomial(Fraction(float(point @ x))))
        for point, label in zip(X, y, strict=True)
    )
    assert float(fit.value(x)) == pytest.approx(expected, rel=1e-9)
    assert float(fit.value(2.5 * x)) == pytest.approx(float(fit.value(x)), rel=1e-12)


def test_points_closer_than_delta_and_a_degree_that_is_too_small_are_refused() -> None:
    y = np.array([1.0, -1.0, 1.0])
    with pytest.raises(ValueError, match="rows 0 and 2"):
        polynomials.robust_fit(circle([0.0, 2.0, 0.9]), y, 0.8, 0.1, 0.9, 3)
    with pytest.raises(ValueError, match="degree must be larger"):
        polynomials.robust_fit(circle([0.0, 3.0]), y[:2], 1.7, 0.1, 0.9, 3)


# B.1


@MODEST
@given(
    COEFFICIENTS.filter(any),
    st.fractions(Fraction(1, 10), 4, max_denominator=10),
    st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50),
)
def test_complexities_are_those_of_definition_b1(
    coefficients: list[Fraction], c: Fraction, eps: Fraction
) -> None:
    p, level = Polynomial(trimmed(coefficients)), math.log(1 / eps)
    sizes = [(j, abs(float(a))) for j, a in enumerate(coefficients)]
    plain = sum(c * (j + 1) ** 1.75 * a for j, a in sizes)
    full = sum(a * c**j * ((1 + math.sqrt(level / j) ** j) if j else 2) for j, a in sizes)
    for found, exact in (
        (polynomials.log_complexity(p, c), plain),
        (polynomials.log_complexity(p, c, eps), full),
    ):
        assert float(found) == pytest.approx(math.log(exact), rel=1e-9, abs=1e-9)


# Arguments


def test_values_survive_the_cancellation_of_large_coefficients() -> None:
    q = polynomials.step_approximation(Fraction(1), Fraction(1, 10), Fraction(1, 20)).polynomial
    z = np.linspace(-1.0, 1.0, 31)
    exact = np.array([float(q(Fraction(at))) for at in z.tolist()])
    assert q.values(z).tolist() == pytest.approx(exact.tolist(), abs=2.0**-52)
    naive = np.polynomial.polynomial.polyval(z, [float(c) for c in q.coefficients])
    assert np.abs(naive - exact).max() > 1.0, "else more digits would not be needed"
    assert Polynomial(()).values(np.array([0.5])).tolist() == [0.0]


def test_values_are_for_the_interval_on_which_steps_live() -> None:
    with pytest.raises(ValueError, match="z must lie in"):
        polynomials.chebyshev(3).values(np.array([0.0, 1.5]))


TENTH, TWENTIETH = Fraction(1, 10), Fraction(1, 20)
SETTINGS = [
    (Fraction(1), TENTH, TWENTIETH),
    (Fraction(3, 2), TENTH, Fraction(1, 200)),
    (Fraction(3, 5), Fraction(6, 25), Fraction(1, 6)),
    (Fraction(1, 2), Fraction(1, 40), TWENTIETH),
]


def intervals(delta: Fraction, rho: Fraction) -> tuple[Fraction, Fraction]:
    return 1 - (delta - rho) ** 2 / 2, 1 - rho**2 / 2


@pytest.mark.parametrize(("delta", "rho", "eps"), SETTINGS)
@pytest.mark.parametrize("degree", [1, 2, 7, 12])
def test_no_polynomial_is_better_because_the_errors_alternate(
    delta: Fraction, rho: Fraction, eps: Fraction, degree: int
) -> None:
    found = best_steps.best_step(delta, rho, degree)
    far, near = intervals(delta, rho)
    assert len(found.points) == degree + 2
    assert all(-1 <= x <= far or near <= x <= 1 for x in found.points)
    errors = [found.polynomial(x) - (x >= near) for x in found.points]
    assert all(a * b < 0 for a, b in zip(errors[1:], errors[:-1], strict=True))
    assert min(map(abs, errors)) == found.lower
    assert found.upper <= found.lower * Fraction(102, 100)
    z = np.linspace(-1.0, 1.0, 4001)
    values = found.polynomial.values(z)
    apart = np.abs(values - (z >= float(near)))[(z <= float(far)) | (z >= float(near))]
    assert apart.max() <= float(found.upper) * (1 + 1e-12)
    error = best_steps._best_error(far, near, degree)
    assert error == pytest.approx(float(found.lower), rel=3e-3)
    again = best_steps.best_step_polynomial(delta, rho, degree)
    assert again.coefficients == found.polynomial.coefficients


@pytest.mark.parametrize(("delta", "rho", "eps"), SETTINGS)
def test_the_smallest_degree_is_proven_from_both_sides(
    delta: Fraction, rho: Fraction, eps: Fraction
) -> None:
    found = best_steps.smallest_step(delta, rho, eps)
    assert found.reaches.polynomial.degree == found.degree
    assert found.reaches.upper <= eps
    assert found.misses is not None
    assert found.misses.polynomial.degree == found.degree - 1
    assert found.misses.lower > eps
    assert best_steps.smallest_step_degree(delta, rho, eps) == found.degree


@pytest.mark.parametrize(("delta", "rho", "eps"), SETTINGS)
def test_degrees_stand_in_order(delta: Fraction, rho: Fraction, eps: Fraction) -> None:
    smallest = best_steps.smallest_step_degree(delta, rho, eps)
    needed = float(best_steps.necessary_degree(delta, rho, eps))
    own = best_steps.truncation_degree(delta, rho, eps)
    printed = float(best_steps.printed_step_degree(delta, rho, eps))
    assert needed <= smallest <= best_steps.angular_degree(delta, rho, eps)
    assert smallest <= own <= printed


def test_a_line_is_enough_for_a_coarse_step_and_a_constant_never_is() -> None:
    found = best_steps.smallest_step(Fraction(19, 10), Fraction(1, 100), Fraction(2, 5))
    assert (found.degree, found.misses) == (1, None)


@pytest.mark.parametrize("h", np.linspace(0.01, np.pi / 2, 40))
def test_the_rate_of_the_angular_degree_is_bounded_as_stated(h: float) -> None:
    assert math.acosh(math.cos(h / 4) / math.cos(h / 2)) >= 0.4 * h


@pytest.mark.parametrize(
    ("delta", "rho", "eps"),
    [
        (Fraction(1), TENTH, TWENTIETH),
        (Fraction(3, 2), TENTH, Fraction(1, 4)),
        (Fraction(4, 5), TENTH, Fraction(1, 30)),
    ],
)
def test_the_papers_polynomial_is_accurate_from_the_degree_stated_on(
    delta: Fraction, rho: Fraction, eps: Fraction
) -> None:
    degree = best_steps.truncation_degree(delta, rho, eps)
    eta = delta * (delta - 2 * rho) / 8
    at, below = (polynomials.sign_approximation(eta, 2 * eps, n) for n in (degree, degree - 2))
    assert at.error_bound <= 2 * eps < below.error_bound
    assert polynomials.step_approximation(delta, rho, eps, degree).holds


def test_the_complexity_of_a_step_is_that_of_definition_b1() -> None:
    q = best_steps.best_step_polynomial(Fraction(1), TENTH, 5)
    plain = float(polynomials.log_complexity(q, 1))
    full = polynomials.log_complexity(q, 1, Fraction(math.exp(-plain)))
    assert best_steps.step_log2_complexity(q) == pytest.approx(float(full) / math.log(2.0))


def test_the_printed_complexity_is_that_of_the_largest_coefficients_allowed() -> None:
    delta, rho, eps = Fraction(3, 2), TENTH, Fraction(1, 4)
    most = float(best_steps.printed_step_degree(delta, rho, eps))
    size = Fraction(2.0 ** (6 * most - 300)) * 2**300 / (delta * (delta - 2 * rho))
    largest = polynomials.Polynomial((size,) * (math.floor(most) + 1))
    expected = best_steps.step_log2_complexity(largest)
    assert best_steps.printed_log2_complexity(delta, rho, eps) == pytest.approx(expected)


def test_the_width_makes_the_gap_a_third_of_the_accuracy() -> None:
    bits, n, eps, fall = 3.5, 4, 0.3, Fraction(3, 10)
    m = 2.0 ** best_steps.width_asked(bits, n, eps, fall)
    K = 2 * n * 2.0**bits
    assert K**2 * m**-0.3 == pytest.approx(eps / 3)


def test_an_error_that_floating_point_cannot_resolve_is_refused() -> None:
    with pytest.raises(ArithmeticError, match="do not alternate"):
        best_steps.best_step(Fraction(19, 10), Fraction(1, 100), 60)
