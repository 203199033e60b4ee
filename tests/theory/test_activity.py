"""The printed formulas of activity, and the laws, tails and intervals of counts of neurons."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sublinear_lib import scaling
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.theory import activity, flips, surviving_count_interval, surviving_share
from tests.theory.oracles import q

WIDTHS = [1, 7, 256, 2**14, 2**20]


@pytest.mark.parametrize("m", WIDTHS)
@pytest.mark.parametrize("K", [0.0, 0.5, 1.0, 3.0])
def test_printed_q0_is_twice_the_tail_bound_at_the_papers_threshold(m: int, K: float) -> None:
    tau = scaling.K_M35.tau(m, K=K) if K else 0.0
    expected = 2 * m * activity.gaussian_tail_bound(tau, m)
    assert activity.printed_q0(m, K) == pytest.approx(expected, rel=1e-12)
    assert activity.printed_K(tau, m) == pytest.approx(K, rel=1e-14)


@pytest.mark.parametrize("m", WIDTHS)
@pytest.mark.parametrize("t", [0.0, 0.3, 1.49, 2.5, 5.0])
def test_tail_bound_bounds_the_probability_and_both_readings_of_psi_are_what_they_say(
    m: int, t: float
) -> None:
    tau = t * math.sqrt(2.0 / m)
    bound = activity.gaussian_tail_bound(tau, m)
    assert bound == pytest.approx(math.exp(-t * t / 2.0), rel=1e-12)
    assert q(t) <= bound
    outside = pytest.approx(2.0 * q(t), rel=1e-10)
    assert activity.near_zero_probability(tau, m, "at least") == outside
    assert 1.0 - activity.near_zero_probability(tau, m, "at most") == outside


@pytest.mark.parametrize("m", [100, 4096, 2**20])
@pytest.mark.parametrize("c", [0.5, 0.8, 0.9])
def test_smallest_printed_K_solves_the_printed_equation(m: int, c: float) -> None:
    K = activity.smallest_printed_K(m, m**c)
    assert activity.printed_q0(m, K) == pytest.approx(m**c, rel=1e-10)
    assert activity.printed_q0(m, K * 1.001) < m**c


def test_printed_failure_probability_is_the_bernstein_value() -> None:
    m, K, n = 1000, 8.0, 5
    eta = m * math.exp(-K * K / (4 * m**0.2))
    bernstein = math.exp(-(eta**2 / 2) / (eta + eta / 3))
    assert activity.printed_failure_probability(m, K, n) == pytest.approx(n * bernstein, rel=1e-12)
    assert activity.printed_gap_bound(10**10, 3.0) == pytest.approx(0.9, rel=1e-12)


def test_maximum_refuses_other_dimensions() -> None:
    network = TwoLayerNetwork.initialize(8, 4, rng=0)
    with pytest.raises(ValueError, match=r"d = 3.*got a network with d = 4"):
        activity.max_active_on_circle(network)


@pytest.mark.parametrize("number", [0, 2.5, 7, 11, 12])
@pytest.mark.parametrize(("t", "theta"), [(0.0, 0.3), (0.5, 1.49)])
def test_tails_are_the_exact_sums_of_binomial_terms(number: float, t: float, theta: float) -> None:
    m = 12
    tau, delta = t * math.sqrt(2 / m), theta * math.sqrt(2 / m)
    for found, p in (
        (activity.active_count_tail(number, tau, m), q(t)),
        (activity.near_zero_count_tail(number, delta, m, "at least"), 2 * q(theta)),
        (activity.near_zero_count_tail(number, delta, m, "at most"), 1 - 2 * q(theta)),
        (flips.flip_count_tail(number, tau, m, delta), q(t - theta) - q(t + theta)),
    ):
        terms = range(math.floor(number) + 1, m + 1)
        exact = sum(math.comb(m, k) * p**k * (1 - p) ** (m - k) for k in terms)
        assert found == pytest.approx(exact, abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(
    m=st.integers(1, 3000),
    t=st.floats(0.0, 4.0),
    theta=st.floats(0.0, 2.0),
    confidence=st.sampled_from([0.5, 0.95, 0.999]),
)
def test_intervals_have_the_promised_probability_and_are_not_wider_than_needed(
    m: int, t: float, theta: float, confidence: float
) -> None:
    tau, delta = t * math.sqrt(2 / m), theta * math.sqrt(2 / m)
    for (low, high), p in (
        (activity.active_count_interval(tau, m, confidence), q(t)),
        (flips.flip_count_interval(tau, m, delta, confidence), q(t - theta) - q(t + theta)),
        (surviving_count_interval(tau, m, 8, confidence), surviving_share(t, 8)),
    ):
        law, rest = stats.binom(m, min(1.0, p)), (1 - confidence) / 2 - 1e-9
        assert 0 <= low <= high <= m
        assert law.cdf(high) - law.cdf(low - 1) >= confidence - 1e-9
        assert law.cdf(low) >= rest and (high == 0 or law.sf(high - 1) >= rest)


def test_no_flip_probability_is_the_first_binomial_term() -> None:
    m, tau, delta = 50, 0.1, 0.02
    log = flips.log_no_flip_probability(tau, m, delta)
    assert log == pytest.approx(m * math.log(1 - flips.flip_probability(tau, m, delta)), rel=1e-10)
    assert flips.log_no_flip_probability(0.0, 4, 1e9) <= -100
    far = 2**60
    log = flips.log_no_flip_probability(0.0, far, far**-0.625)
    assert -log / far**0.875 == pytest.approx(1 / math.sqrt(math.pi), rel=1e-2)
