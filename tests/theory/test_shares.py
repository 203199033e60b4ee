"""The shares of neurons that can fire on X or in a cap, or are listed, are exact; so are costs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import special, stats

from sublinear_lib import geometry, scaling, theory
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.statistics import clopper_pearson
from sublinear_lib.theory import cost, dense_ledger, expected_ledger, surviving_share

LEVELS = [-30.0, -3.0, 0.0, 0.7, 1.2815, 2.3263, 4.0, 9.0, 30.0]


@pytest.mark.parametrize("t", LEVELS)
def test_in_dimension_two_the_share_is_a_tail_and_owens_function(t: float) -> None:
    oracle = stats.norm.sf(t) + 2.0 * special.owens_t(t, math.sqrt(3 / 5))
    assert theory.surviving_share(t, 2) == pytest.approx(oracle, rel=1e-12)


@pytest.mark.parametrize("t", LEVELS)
def test_in_dimension_three_the_share_has_a_closed_form(t: float) -> None:
    ridge = math.sqrt(3 / 8) * math.exp(-t * t / 2) * stats.norm.cdf(t * math.sqrt(3 / 5))
    oracle = stats.norm.sf(t * math.sqrt(8 / 5)) + ridge
    assert theory.surviving_share(t, 3) == pytest.approx(oracle, rel=1e-12)


@pytest.mark.parametrize("t", [0.0, 1.5, 3.0])
@pytest.mark.parametrize("d", [2, 5, 16, 65, 400])
def test_the_share_is_an_integral_over_the_length_of_the_weights(t: float, d: int) -> None:
    length = np.linspace(0.0, math.sqrt(d) + 14.0, 400_001)
    rest = stats.norm.sf((t * math.sqrt(2) - math.sqrt(3) / 2 * length) / math.sqrt(5 / 4))
    oracle = np.trapezoid(stats.chi.pdf(length, d - 1) * rest, length)
    assert theory.surviving_share(t, d) == pytest.approx(oracle, rel=1e-7)


def test_in_high_dimension_every_neuron_survives() -> None:
    for d in (10**4, 10**8, 10**15):
        assert theory.surviving_share(3.0, d) == pytest.approx(1.0, abs=1e-12), d


@pytest.mark.parametrize("t", LEVELS[1:-1])
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


@pytest.mark.parametrize("t", [-1.0, 0.0, 1.28, 2.33, 4.0])
@pytest.mark.parametrize("d", [2, 3, 10, 65])
def test_candidate_share_without_adversary_is_the_gaussian_tail(t: float, d: int) -> None:
    assert cost.candidate_share(t, d, 0.0) == pytest.approx(stats.norm.sf(t), rel=1e-9)


def test_candidate_share_in_dimension_three_is_a_two_dimensional_integral() -> None:
    t, rho = 2.0, 0.4
    p, q = np.linspace(-9.0, 9.0, 1801)[:, None], np.linspace(0.0, 9.0, 901)[None, :]
    needed = t * math.sqrt(2) - math.sqrt(0.75) * p - rho * np.hypot(p, q)
    inner = stats.norm.sf(needed / math.sqrt(1.25)) * stats.norm.pdf(p) * 2 * stats.norm.pdf(q)
    oracle = np.trapezoid(np.trapezoid(inner, q, axis=1), p[:, 0])
    assert cost.candidate_share(t, 3, rho) == pytest.approx(oracle, rel=2e-5)


@pytest.mark.parametrize(("t", "d", "rho"), [(1.3, 2, 0.3), (2.0, 3, 0.1), (1.5, 8, 0.6)])
def test_listed_share_matches_drawn_neurons(t: float, d: int, rho: float) -> None:
    m = 400_000
    rng = np.random.default_rng(d)
    W, b = rng.standard_normal((m, d)), rng.standard_normal(m)
    length, rest = np.linalg.norm(W[:, :-1], axis=1), W[:, -1] / 2 + b
    needed = t * math.sqrt(2)
    near = math.sqrt(0.75) * W[:, 0] + rest + rho * length > needed
    alive = math.sqrt(0.75) * length + rest > needed
    interval = clopper_pearson(int(np.count_nonzero(near & alive)), m, confidence=0.9999)
    share = cost.listed_share(t, d, rho)
    assert interval.contains(share), f"{share} outside {interval} at t={t}, d={d}, rho={rho}"


@pytest.mark.parametrize("t", [0.0, 1.5, 3.0])
@pytest.mark.parametrize("d", [2, 3, 9, 40])
def test_listed_share_lies_between_the_active_and_the_surviving_share(t: float, d: int) -> None:
    assert cost.listed_share(t, d, 0.0) == pytest.approx(stats.norm.sf(t), rel=1e-9)
    shares = [cost.listed_share(t, d, rho) for rho in (0.0, 0.1, 0.4, 0.9, 1.5)]
    assert all(a <= b * (1 + 1e-6) for a, b in itertools.pairwise(shares))
    for rho, share in zip((0.0, 0.1, 0.4, 0.9, 1.5), shares, strict=True):
        assert share <= cost.candidate_share(t, d, rho) * (1 + 1e-6)
    assert cost.listed_share(t, d, 1.8) == pytest.approx(surviving_share(t, d), rel=1e-7)


@pytest.mark.parametrize("attack_steps", [1, 2, 5])
def test_counts_are_those_of_the_ledgers(attack_steps: int) -> None:
    m, n, d, tau, rho = 512, 40, 8, 0.09, 0.1
    dense, ledger = cost.dense_cost(m, n, attack_steps), dense_ledger(m, n, attack_steps)
    found = dense.query, dense.adversary, dense.forward, dense.backward
    assert found == (ledger.query, ledger.attack, ledger.forward, ledger.gradient)
    sparse = cost.sparse_cost(m, n, d, tau, rho, attack_steps)
    ledger = expected_ledger(m, n, d, tau, rho, attack_steps, "shared")
    share = cost.candidate_share(scaling.standardize_threshold(tau, m), d, rho)
    found = sparse.query, sparse.forward, sparse.backward
    assert found == pytest.approx((m * n, m * n * share, ledger.gradient), rel=1e-12)
    # The ledger leaves out who can fire nowhere on X; a candidate costs one value per point.
    more = sparse.adversary - ledger.attack
    assert more == pytest.approx((attack_steps + 1) * (sparse.forward - ledger.forward), rel=1e-9)
    assert sparse.total == pytest.approx(sum(found) + sparse.adversary)
    free = cost.sparse_cost(m, n, d, tau, rho, attack_steps, search="free")
    assert sparse.total - free.total == pytest.approx(m * n)
