"""Promises of ``theory.cost``: the candidate share is exact, the counts those of the ledgers."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from sublinear_lib import scaling
from sublinear_lib.statistics import clopper_pearson
from sublinear_lib.theory import cost, dense_ledger, expected_ledger, surviving_share


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
