"""Promises of ``theory.activity``: the printed formulas, exact binomial laws, the exact maximum."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from sublinear_lib import scaling
from sublinear_lib.geometry import SLICE_RADIUS
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.theory import activity

WIDTHS = [1, 7, 256, 2**14, 2**20]


def gaussian_probability(lower: float, upper: float, m: int) -> float:
    """Integrate the N(0, 2/m) density: an oracle that shares no code with the library."""
    std = math.sqrt(2.0 / m)

    def density(u: float) -> float:
        return math.exp(-u * u / 2.0) / math.sqrt(2.0 * math.pi)

    return integrate.quad(density, lower / std, min(upper / std, 40.0), epsabs=1e-13)[0]


@pytest.mark.parametrize("m", WIDTHS)
@pytest.mark.parametrize("K", [0.0, 0.5, 1.0, 3.0])
def test_printed_q0_is_twice_the_tail_bound_at_the_papers_threshold(m: int, K: float) -> None:
    tau = K * m**-0.6
    expected = 2 * m * activity.gaussian_tail_bound(tau, m)
    assert activity.printed_q0(m, K) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("m", WIDTHS)
def test_printed_K_is_the_constant_of_the_printed_threshold(m: int) -> None:
    for K in (0.3, 1.0, 3.0):
        assert activity.printed_K(scaling.K_M35.tau(m, K=K), m) == pytest.approx(K, rel=1e-14)
    assert activity.printed_K(0.0, m) == 0.0


@pytest.mark.parametrize("m", WIDTHS)
@pytest.mark.parametrize("t", [0.0, 0.3, 1.0, 2.5, 5.0])
def test_tail_bound_bounds_the_true_probability_and_follows_its_formula(m: int, t: float) -> None:
    tau = t * math.sqrt(2.0 / m)
    bound = activity.gaussian_tail_bound(tau, m)
    assert bound == pytest.approx(math.exp(-t * t / 2.0), rel=1e-12)
    assert gaussian_probability(tau, math.inf, m) <= bound


@pytest.mark.parametrize("m", [100, 4096, 2**20])
@pytest.mark.parametrize("c", [0.5, 0.8, 0.9])
def test_smallest_printed_K_solves_the_printed_equation(m: int, c: float) -> None:
    K = activity.smallest_printed_K(m, m**c)
    assert activity.printed_q0(m, K) == pytest.approx(m**c, rel=1e-10)
    assert activity.printed_q0(m, K * 1.001) < m**c


@pytest.mark.parametrize("K", [0.5, 1.0, 1.6])
@pytest.mark.parametrize("m", [2, 64, 4096, 2**20])
def test_printed_bound_exceeds_m_exactly_when_K_is_small(m: int, K: float) -> None:
    assert (activity.printed_q0(m, K) > m) == (4 * math.log(2) * m**0.2 > K * K)


def test_printed_failure_probability_is_the_bernstein_value() -> None:
    m, K, n = 1000, 8.0, 5
    eta = m * math.exp(-K * K / (4 * m**0.2))
    bernstein = math.exp(-(eta**2 / 2) / (eta + eta / 3))
    assert activity.printed_failure_probability(m, K, n) == pytest.approx(n * bernstein, rel=1e-12)


def test_printed_gap_bound_is_its_formula() -> None:
    assert activity.printed_gap_bound(10**10, 3.0) == pytest.approx(0.9, rel=1e-12)


@pytest.mark.parametrize("m", WIDTHS)
@pytest.mark.parametrize("t", [0.0, 0.7, 1.49, 3.0])
def test_both_readings_of_psi_agree_with_numerical_integration(m: int, t: float) -> None:
    eta = t * math.sqrt(2.0 / m)
    outside = 2.0 * gaussian_probability(eta, math.inf, m)
    assert activity.near_zero_probability(eta, m, "at least") == pytest.approx(outside, abs=1e-10)
    assert activity.near_zero_probability(eta, m, "at most") == pytest.approx(
        1.0 - outside, abs=1e-10
    )


@settings(deadline=None, max_examples=60)
@given(
    m=st.integers(1, 3000),
    t=st.floats(0.0, 4.0),
    confidence=st.sampled_from([0.5, 0.95, 0.999]),
)
def test_count_interval_has_the_promised_probability(m: int, t: float, confidence: float) -> None:
    tau = scaling.threshold_from_standard(t, m)
    low, high = activity.active_count_interval(tau, m, confidence)
    law = stats.binom(m, scaling.activity(tau, m))
    assert 0 <= low <= high <= m
    assert law.cdf(high) - law.cdf(low - 1) >= confidence - 1e-12


def test_count_tail_is_the_exact_sum_of_binomial_terms() -> None:
    m, tau = 12, 0.2
    p = gaussian_probability(tau, math.inf, m)
    for q in (0, 2.5, 11, 12):
        exact = sum(
            math.comb(m, k) * p**k * (1 - p) ** (m - k) for k in range(math.floor(q) + 1, m + 1)
        )
        assert activity.active_count_tail(q, tau, m) == pytest.approx(exact, abs=1e-12)


def network_on_circle(m: int, t: float, seed: int) -> TwoLayerNetwork:
    tau = scaling.threshold_from_standard(t, m)
    return TwoLayerNetwork.initialize(m, 3, rng=seed, tau=tau)


@settings(deadline=None, max_examples=40)
@given(m=st.integers(1, 200), t=st.floats(0.0, 3.0), seed=st.integers(0, 10**6))
def test_maximum_over_the_circle_is_attained_and_never_exceeded(
    m: int, t: float, seed: int
) -> None:
    network = network_on_circle(m, t, seed)
    best = activity.max_active_on_circle(network)
    assert network.active_mask(best.x[None, :]).sum() == best.count, f"m={m}, t={t}, seed={seed}"
    angle = np.linspace(0.0, 2.0 * math.pi, 2000, endpoint=False)
    grid = np.column_stack(
        [math.sqrt(3) / 2 * np.cos(angle), math.sqrt(3) / 2 * np.sin(angle), np.full(2000, 0.5)]
    )
    assert network.active_mask(grid).sum(axis=1).max() <= best.count, f"m={m}, t={t}, seed={seed}"


def circle_network(W: list[list[float]], b: list[float], tau: float) -> TwoLayerNetwork:
    return TwoLayerNetwork(np.array(W), np.ones(len(b)), np.array(b), tau)


def test_maximum_counts_neurons_that_fire_everywhere_and_skips_those_that_never_do() -> None:
    always = circle_network([[0.1, 0.0, 0.0], [0.0, 0.1, 0.0]], [5.0, 5.0], 1.0)
    assert activity.max_active_on_circle(always).count == 2
    never = circle_network([[0.1, 0.0, 0.0], [0.0, 0.0, 0.0]], [-5.0, 0.0], 0.0)
    assert activity.max_active_on_circle(never).count == 0


def test_two_opposite_neurons_never_fire_together() -> None:
    opposite = circle_network([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], [0.0, 0.0], 0.1)
    assert activity.max_active_on_circle(opposite).count == 1


@pytest.mark.parametrize("angle", [0.0, 1.0, 2.5, math.pi, -2.0])
def test_a_neuron_silent_at_a_single_point_counts_everywhere_else(angle: float) -> None:
    w = [math.cos(angle), math.sin(angle), 0.0]
    reach = SLICE_RADIUS * float(np.hypot(w[0], w[1]))  # z = 0 = tau on the far side only
    for bias, most in (([reach], 1), ([reach, -reach / 2], 2)):
        rows = [w, [-w[0], -w[1], 0.0]][: len(bias)]  # the other fires around that very point
        network = circle_network(rows, bias, 0.0)
        best = activity.max_active_on_circle(network)
        assert best.count == most
        assert network.active_mask(best.x[None, :]).sum() == most


def test_maximum_refuses_other_dimensions() -> None:
    network = TwoLayerNetwork.initialize(8, 4, rng=0)
    with pytest.raises(ValueError, match=r"d = 3.*got a network with d = 4"):
        activity.max_active_on_circle(network)


@pytest.mark.parametrize("number", [0, 2.5, 7, 12])
@pytest.mark.parametrize("t", [0.3, 1.49])
def test_tail_of_psi_is_the_exact_sum_of_binomial_terms(number: float, t: float) -> None:
    m = 12
    eta = t * math.sqrt(2.0 / m)
    outside = math.erfc(t / math.sqrt(2.0))
    for side, p in (("at least", outside), ("at most", 1.0 - outside)):
        exact = sum(
            math.comb(m, k) * p**k * (1.0 - p) ** (m - k)
            for k in range(math.floor(number) + 1, m + 1)
        )
        found = activity.near_zero_count_tail(number, eta, m, side)  # type: ignore[arg-type]
        assert found == pytest.approx(exact, abs=1e-12), side
