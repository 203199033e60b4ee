"""Promises of ``theory.activity``: the printed formulas and the laws that they speak of."""

from __future__ import annotations

import math

import pytest

from sublinear_lib import scaling
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.theory import activity
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
