"""Promises of ``theory.best_steps``: brackets that contain the truth, and degrees in order."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from sublinear_lib.theory import best_steps, polynomials

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
    [error] = best_steps.best_step_errors(delta, rho, [degree])
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


def test_complexities_are_those_of_definition_b1() -> None:
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
