"""Promises of ``theory.jump``: the price of the jump, in the worst case and under descent."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from scipy import integrate, stats

from sublinear_lib.theory import jump, worst_case
from tests.theory.oracles import ACTIVATIONS, phi, q

LEVELS = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0]


# --- the inverse Mills ratio ---


@pytest.mark.parametrize("t", [0.0, 1e-3, 0.3, 1.0, 4.0, 12.0])
def test_inverse_mills_is_density_over_tail(t: float) -> None:
    assert jump.inverse_mills(t) == pytest.approx(phi(t) / q(t), rel=1e-12)


@pytest.mark.parametrize("t", [30, 1000, 10**6, 10**8])
def test_inverse_mills_follows_its_continued_fraction_where_density_and_tail_underflow(
    t: int,
) -> None:
    value = Fraction(t)  # phi/Q = t + 1/(t + 2/(t + 3/(t + ...)))
    for k in range(40, 0, -1):
        value = Fraction((t + k / value).limit_denominator(10**60))
    assert jump.inverse_mills(float(t)) == pytest.approx(float(value), rel=1e-14)
    # The digits behind t too: phi/Q - t = 1/t (1 + o(1)), where they are not rounded away.
    if t <= 1000:
        assert jump.inverse_mills(float(t)) - t == pytest.approx(float(value - t), rel=1e-6)


# --- Proposition 2, first half ---


@pytest.mark.parametrize("t", LEVELS)
@pytest.mark.parametrize("theta", [0.05, 0.5, 2.0])
def test_price_is_the_ratio_of_the_exact_means(t: float, theta: float) -> None:
    exact = t * (q(t - theta) - q(t + theta)) / (2 * theta * q(t))
    assert jump.jump_price(t, theta) == pytest.approx(exact, rel=1e-11)
    assert jump.jump_price(t, theta) <= jump.half_width_over_g(t, theta)


@pytest.mark.parametrize("t", [*LEVELS, 40.0, 1e5])
def test_price_of_a_thin_window_is_the_limit_and_at_least_the_square(t: float) -> None:
    assert jump.jump_price(t) == pytest.approx(t * jump.inverse_mills(t), rel=1e-14)
    assert jump.jump_price(t) >= t * t
    thin = 1e-7 / (1 + t)
    assert jump.jump_price(t, thin) == pytest.approx(jump.jump_price(t), rel=1e-6)


# --- Proposition 2, second half ---


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("t", [*LEVELS, 10.0, 1000.0])
@pytest.mark.parametrize("theta", [1e-3, 0.1, 1.0, 3.0, 10.0])
def test_no_threshold_beats_the_price_of_the_ball(t: float, theta: float, activation: str) -> None:
    assert jump.half_width_over_g(t, theta, activation) >= jump.ball_price(theta)


def test_price_of_the_ball_is_a_normal_probability() -> None:
    for theta in (0.0, 0.1, 1.0, 5.0):
        exact = (1 - 2 * stats.norm.sf(theta / 2)) / 4
        assert jump.ball_price(theta) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("t", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("theta", [0.3, 2.0])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_half_width_over_g_is_the_quotient_of_the_two_means(
    t: float, theta: float, activation: str
) -> None:
    m, a = 500, 0.3
    s = math.sqrt(2 / m)
    law = worst_case.half_width_moments(m, a, theta * s, t * s, activation)
    quotient = law.mean / (a * theta * s * m * q(t))
    assert jump.half_width_over_g(t, theta, activation) == pytest.approx(quotient, rel=1e-12)


@pytest.mark.parametrize("t", [0.0, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("travel", [1e-3, 0.3, 2.0, 20.0])
def test_ratio_on_a_longer_way_agrees_with_quadrature(t: float, travel: float) -> None:
    waited = integrate.quad(lambda v: q(t + v), 0, travel, epsabs=0, epsrel=1e-12)[0]
    exact = 1 + t * (q(t) - q(t + travel)) / (travel * q(t) + waited)
    assert jump.gradient_ratio(t, travel) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("t", [1.0, 5.0, 100.0, 1e4, 1e8])
def test_ratio_is_stable_and_falls_along_the_way(t: float) -> None:
    ways = [0.0] + [k / (1 + t) for k in (1e-8, 1e-4, 1e-2, 0.1, 1.0, 10.0)]
    values = [jump.gradient_ratio(t, way) for way in ways]
    assert values[1] == pytest.approx(values[0], rel=1e-7)
    assert all(first > second > 1 for first, second in itertools.pairwise(values[1:]))
    assert values[0] == pytest.approx(1 + t * jump.inverse_mills(t) / 2, rel=1e-14)


# --- ways through the ball ---


@pytest.mark.parametrize("t", LEVELS)
@pytest.mark.parametrize("v", [0.05, 0.5, 2.0])
def test_one_step_follows_the_moments_of_a_truncated_normal(t: float, v: float) -> None:
    kept = v * (q(t) + q(t + v))  # those that rise, and those that sink and stay active
    fallen = phi(t) - phi(t + v)
    exact = (kept + fallen) / (2 * v * q(t))
    assert jump.step_ratio(t, v) == pytest.approx(exact, rel=1e-9)
    flat = exact - t * (q(t) - q(t + v)) / (2 * v * q(t))
    assert jump.step_ratio(t, v, "continuous") == pytest.approx(flat, rel=1e-9)


@pytest.mark.parametrize("t", [*LEVELS, 40.0])
def test_short_steps_have_half_of_the_price_and_nothing(t: float) -> None:
    v = 1e-7 / (1 + t)
    assert jump.step_ratio(t, v) == pytest.approx(jump.gradient_ratio(t), rel=1e-6)
    assert jump.step_ratio(t, v, "continuous") == pytest.approx(1, abs=1e-6)
