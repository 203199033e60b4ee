"""Promises of ``theory.caps``: the share of neurons that can fire somewhere in a cap is exact."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from sublinear_lib import geometry, scaling, theory
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.statistics import clopper_pearson

LEVELS = [-9.0, -3.0, 0.0, 0.7, 1.2815, 2.3263, 4.0, 9.0]


@pytest.mark.parametrize("t", LEVELS)
@pytest.mark.parametrize("d", [2, 3, 4, 10, 65, 400])
def test_a_cap_of_radius_zero_is_one_point_and_a_full_one_all_of_X(t: float, d: int) -> None:
    assert theory.cap_share(t, d, 0.0) == pytest.approx(stats.norm.sf(t), rel=1e-10)
    assert theory.cap_share(t, d, 3**0.5) == pytest.approx(theory.surviving_share(t, d), rel=1e-10)


@pytest.mark.parametrize("d", [3, 5, 16, 65])
@pytest.mark.parametrize("rho", [0.05, 0.3, 1.0])
def test_the_share_is_that_of_the_exact_ranges_of_random_networks(d: int, rho: float) -> None:
    m, t = 40_000, 1.5
    network = TwoLayerNetwork.initialize(m, d, rng=d, tau=scaling.threshold_from_standard(t, m))
    _, high = geometry.cap_intervals(geometry.sample_slice(1, d, 7), rho, network.W, network.b)
    interval = clopper_pearson(int((high > network.tau).sum()), m, confidence=0.9999)
    share = theory.cap_share(t, d, rho)
    assert interval.contains(share), f"{share} outside {interval}"


@pytest.mark.parametrize("t", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("rho", [0.1, 0.5, 1.2])
def test_on_the_circle_it_is_an_integral_over_two_gaussian_coordinates(
    t: float, rho: float
) -> None:
    alpha, p = geometry.cap_angle(rho), np.linspace(-9.0, 9.0, 1801)[:, None]
    q = np.linspace(0.0, 9.0, 901)[None, :]
    inside = np.arctan2(q, p) <= alpha
    reach = np.where(inside, np.hypot(p, q), p * math.cos(alpha) + q * math.sin(alpha))
    chance = stats.norm.sf((t * math.sqrt(2) - math.sqrt(3) / 2 * reach) / math.sqrt(5 / 4))
    density = 2.0 * stats.norm.pdf(p) * stats.norm.pdf(q)
    oracle = np.trapezoid(np.trapezoid(chance * density, q[0], axis=1), p[:, 0])
    assert theory.cap_share(t, 3, rho) == pytest.approx(oracle, rel=2e-5)


@pytest.mark.parametrize("t", [0.0, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("rho", [0.02, 0.2, 0.6])
def test_counting_by_crossings_is_an_upper_bound_and_tight_for_small_caps(
    t: float, rho: float
) -> None:
    crossings, exact = theory.circle_cap_share(t, rho), theory.cap_share(t, 3, rho)
    assert crossings >= exact * (1.0 - 1e-12)
    assert crossings - exact <= 0.02 * rho**3, "who is counted twice is silent on a short arc"
    # Switches come at one rate per angle (Rice), that of arcs too short to be left and met again.
    rates = [
        (share - stats.norm.sf(t)) / geometry.cap_angle(radius)
        for share, radius in ((crossings, rho), (theory.cap_share(t, 3, 1e-3), 1e-3))
    ]
    assert rates[0] == pytest.approx(rates[1], rel=1e-5)
