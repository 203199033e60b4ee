"""Certificates prove what they say, and refuse networks that are wrong."""

from __future__ import annotations

import dataclasses
import itertools
import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from sublinear_lib.memorization import (
    AffineLayer,
    Memorizer,
    ReLUNetwork,
    attack,
    ball_points,
    certify,
    closest_pair,
    exact_check,
    lipschitz_certificate,
    memorize,
    memorize_l1,
    memorize_l2,
    memorize_lipschitz,
    memorizer_bounds,
    milp_range,
    programs,
    random_points,
    separation,
)

pytestmark = pytest.mark.either_way

TINY = Fraction(1, 10**30)


def example(N: int, n: int, rho: float, seed: int, classes: int = 3) -> Memorizer:
    X, y = random_points(N, n, classes, seed)
    return memorize(X, y, rho * separation(X, y) / 2)


def with_network(memorizer: Memorizer, layers: list[AffineLayer]) -> Memorizer:
    return dataclasses.replace(memorizer, network=ReLUNetwork(tuple(layers)))


# The exact check.


@pytest.mark.parametrize("p", [1, 2, math.inf])
@pytest.mark.parametrize("seed", range(3))
def test_the_exact_check_holds_up_to_half_the_separation_and_not_there(p: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = [[Fraction(int(v), 1000) for v in row] for row in rng.integers(0, 1000, (12, 4))]
    y = np.arange(12) % 3
    power = 2 if p == 2 else 1
    lam = min(
        max(steps) if p == math.inf else sum(step**power for step in steps)
        for i, k in itertools.combinations(range(12), 2)
        for steps in [[abs(a - b) for a, b in zip(X[i], X[k], strict=True)]]
        if y[i] != y[k]
    )
    assert exact_check(X, y, 0, p).separation == lam
    if p == 2:
        # the separation is a root; enclose it between rationals
        whole = math.isqrt(int(lam * 10**80))
        below, above = Fraction(whole, 10**40), Fraction(whole + 1, 10**40)
    else:
        below = above = lam
    near = exact_check(X, y, below / 2 - TINY, p)
    assert near.holds and near.failing is None and near.checks == 144
    far = exact_check(X, y, above / 2, p)
    assert not far.holds
    assert far.failing is not None and y[far.failing[0]] != y[far.failing[1]]
    if p != 2:
        assert near.margin == 2 * TINY


def test_a_margin_that_was_rounded_up_is_noticed() -> None:
    X, y = [[0.0], [0.7]], [1, 2]
    margin = Fraction(0.7) - 2 * Fraction(0.1)
    assert exact_check(X, y, 0.1, margin=margin).holds
    more = exact_check(X, y, 0.1, margin=margin + TINY)
    assert not more.holds and more.failing == (0, 1)
    assert not exact_check(X, y, 0.1, margin=0).holds


def test_large_integers_do_not_overflow() -> None:
    big = 10**40
    assert exact_check([[0, big], [big, 0]], [0, 1], big // 2 - 1).holds
    assert not exact_check([[0, big], [big, 0]], [0, 1], big // 2).holds
    assert exact_check([[2**60], [-(2**60)]], [0, 1], 2**60 - 1).holds
    assert not exact_check([[2**60], [-(2**60)]], [0, 1], 2**60).holds


@pytest.mark.parametrize("rho", [0.5, 0.9, 0.99, 0.9999])
def test_the_sawtooth_terms_are_the_least_that_leave_room(rho: float) -> None:
    X, y = random_points(10, 6, 2, 2)
    lam2 = exact_check(X, y, 0, 2).separation
    assert lam2 is not None
    mu = rho * math.sqrt(lam2) / 2
    check = exact_check(X, y, mu, 2)
    assert check.holds and check.terms is not None
    width = float(np.ptp(X, axis=0).max()) + mu
    room = math.sqrt(lam2) * (math.sqrt(lam2) - 2 * mu) / width**2
    assert check.terms == max(0, math.floor(math.log(6 / room, 4)))
    assert not exact_check(X, y, mu, 2, terms=check.terms - 1).holds
    assert exact_check(X, y, mu, 2, terms=check.terms + 1).holds
    # a scale that is too small, so that numbers leave [0, 1]
    assert not exact_check(X, y, mu, 2, scale=width / 2).holds


def test_the_network_for_p_2_is_right_where_the_check_holds_with_its_numbers() -> None:
    X, y = random_points(6, 3, 2, 3)
    memorizer = memorize_l2(X, y, 0.95 * separation(X, y, 2) / 2)
    check = exact_check(X, y, memorizer.mu, 2, terms=memorizer.terms, scale=2 * memorizer.scale)
    assert check.holds
    for seed in range(5):
        points = ball_points(X, memorizer.mu, 2, rng=seed)
        np.testing.assert_allclose(memorizer(points), y, atol=1e-9)


def test_one_class_needs_no_margin() -> None:
    check = exact_check([[0], [1]], [4, 4], 7)
    assert check.holds and check.separation is None and check.margin is None
    assert exact_check([[0], [1]], [4, 4], 7, 2).holds


# The interval certificate.


@pytest.mark.parametrize(("N", "n"), [(5, 1), (4, 2), (30, 6)])
@pytest.mark.parametrize("rho", [0.3, 0.9, 0.9999])
def test_every_ball_is_certified_with_a_small_deviation(N: int, n: int, rho: float) -> None:
    memorizer = example(N, n, rho, seed=N + n)
    found = certify(memorizer)
    assert found.holds and found.method == "interval" and found.scope == "stored weights"
    # the rounding that is proven: some hundred units times the largest weight
    assert found.deviation.max() < 2e-13 * n * memorizer.network.largest_weight
    assert certify(memorizer, "exact").holds
    either_sign = memorize(memorizer.X, 3.5 * memorizer.y - 7.0, memorizer.mu)
    assert certify(either_sign).holds


def test_plain_bounds_fail_where_bumps_of_one_label_overlap() -> None:
    failed, total = 0, 0
    for seed in range(60):
        memorizer = example(4, 2, 0.9, seed, classes=2)
        lower, upper = memorizer_bounds(memorizer, aware=False)
        assert certify(memorizer).holds
        failed += int(np.sum((lower <= memorizer.y - 0.5) | (upper >= memorizer.y + 0.5)))
        total += 4
    assert 0.1 < failed / total < 0.5


@pytest.mark.parametrize("seed", range(4))
def test_beyond_the_threshold_the_closest_pair_is_not_certified(seed: int) -> None:
    X, y = random_points(12, 3, 3, seed)
    s = np.where(y > 1, 1.0, -1.0)
    for build, labels, share in (
        (memorize, y, 0.9),
        (memorize, y, 0.9999),
        (memorize_lipschitz, s, 0.9),
    ):
        lam, pair = separation(X, labels), closest_pair(X, labels)
        memorizer = build(X, labels, share * lam / 2)
        found = certify(memorizer, radius=1.01 * lam / 2)
        assert not found.certified[[pair.i, pair.k]].all()
        assert not found.holds


def damaged(memorizer: Memorizer, kind: str, k: int) -> Memorizer:
    """Return the memorizer with one wrong parameter in the block of sample k."""
    layers = list(memorizer.network.layers)
    place = 2 * k if kind in ("edge", "carried") else 2 * k + 1
    weight, bias = layers[place].weight.copy(), layers[place].bias.copy()
    n = memorizer.X.shape[1]
    if kind == "edge":
        bias[n] += memorizer.mu  # the bump begins inside the ball
    elif kind == "height":
        bias[-1] += 1.5
    elif kind == "slope":
        weight.data[-(2 * n + 1) : -1] *= 1e-3  # the bump reaches other balls
    elif kind == "carried":
        weight.data[0] = 0.9  # a coordinate is carried wrongly
    elif kind == "maximum":
        weight.data[-1] = -0.3  # no longer the maximum
    layers[place] = AffineLayer(weight, bias)
    return with_network(memorizer, layers)


@pytest.mark.parametrize("kind", ["edge", "height", "slope", "carried", "maximum"])
def test_a_ball_with_a_wrong_point_is_never_certified(kind: str) -> None:
    X, y = random_points(7, 2, 2, 4)
    X = np.vstack([X, X[0] + 1e-3])  # two bumps that overlap
    y = np.where(np.append(y, y[0]) == y[0], 3.0, 1.0)
    memorizer = memorize(X, y, 0.95 * separation(X, y) / 2)
    broken = 0
    for k in range(8):
        wrong = damaged(memorizer, kind, k)
        found = certify(wrong)
        reached = attack(wrong.network, X, y, wrong.mu, rng=k, restarts=8, steps=2).worst > 1.0
        assert not (found.certified & reached).any()
        broken += int(reached.any())
    assert broken > 0, f"no network damaged by {kind!r} was wrong: the test shows nothing"


# Against the solver.


@pytest.mark.parametrize(("N", "n", "rho"), [(4, 2, 0.5), (8, 2, 0.9), (6, 3, 0.99)])
def test_the_solver_finds_the_label_and_nothing_else_on_every_ball(
    N: int, n: int, rho: float
) -> None:
    memorizer = example(N, n, rho, seed=N)
    found = certify(memorizer, "milp")
    assert found.holds and set(found.status) == {"optimal"}
    assert found.deviation.max() < 1e-5
    proven = certify(memorizer)
    assert (proven.lower <= found.lower + 1e-5).all()
    assert (proven.upper >= found.upper - 1e-5).all()
    pair, radius = closest_pair(memorizer.X, memorizer.y), 1.05 * memorizer.lam / 2
    rows = [pair.i, pair.k]
    wrong, sure = (
        certify(memorizer, how, radius=radius, rows=rows) for how in ("milp", "interval")
    )
    assert not wrong.holds
    assert (sure.lower <= wrong.lower + 1e-6).all() and (sure.upper >= wrong.upper - 1e-6).all()
    X, y = memorizer.X[rows], memorizer.y[rows]
    reached = attack(memorizer.network, X, y, radius, rng=N, restarts=10, steps=5)
    assert (reached.worst <= wrong.deviation + 1e-6).all()


def test_the_balls_of_the_sum_norm_are_polytopes_for_the_solver() -> None:
    X, y = random_points(5, 2, 2, 1)
    memorizer = memorize_l1(X, y, 0.9 * separation(X, y, 1) / 2)
    found = certify(memorizer, "milp")
    assert found.holds and found.deviation.max() < 1e-5
    far = certify(memorizer, "milp", radius=1.1 * memorizer.lam / 2)
    assert not far.holds


def test_a_solver_out_of_time_says_unknown() -> None:
    memorizer = example(12, 4, 0.9, seed=0)
    low, high = memorizer.X[0] - 0.5, memorizer.X[0] + 0.5
    found = milp_range(memorizer.network, low, high, time_limit=1e-3)
    assert found.status == "unknown"
    values = memorizer.network(np.random.default_rng(0).uniform(low, high, (500, 4)))
    assert found.lower <= values.min() + 1e-6 and found.upper >= values.max() - 1e-6
    certificate = certify(memorizer, "milp", radius=0.5, rows=[0], time_limit=1e-3)
    assert certificate.status == ("unknown",) and not certificate.holds


def test_a_bound_that_the_solver_leaves_is_moved_by_the_constant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stopped(*arguments: Any, **named: Any) -> SimpleNamespace:
        bound = optimize.milp(*arguments, **named).fun - 0.5
        return SimpleNamespace(status=1, x=None, mip_dual_bound=bound, mip_node_count=0)

    network = ReLUNetwork([AffineLayer([[1.0]], [0.0]), AffineLayer([[1.0]], [10.0])])
    monkeypatch.setattr(programs, "milp", stopped)
    found = milp_range(network, [1.0], [2.0])
    assert (found.status, found.lower, found.upper) == ("unknown", 10.5, 12.5)


def test_an_empty_set_is_infeasible() -> None:
    network = ReLUNetwork([AffineLayer([[1.0]], [0.0]), AffineLayer([[1.0]], [0.0])])
    assert milp_range(network, [0.0], [1.0], l1_ball=([5.0], 1.0)).status == "infeasible"


# The Lipschitz memorizer.


def test_a_program_has_the_indices_that_every_solver_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The HiGHS of SciPy 1.14 takes no wider ones."""
    asked = []

    def milp(*arguments: Any, constraints: list[optimize.LinearConstraint], **named: Any) -> Any:
        asked.extend(constraints)
        return optimize.milp(*arguments, constraints=constraints, **named)

    monkeypatch.setattr(programs, "milp", milp)
    found = milp_range(example(4, 2, 0.9, 0).network, [-0.5, -0.5], [0.5, 0.5])
    assert found.status == "optimal" and asked
    for each in asked:
        assert each.A.indices.dtype == each.A.indptr.dtype == np.int32


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 1000), st.integers(2, 14), st.integers(1, 9), st.sampled_from([0.3, 0.97]))
def test_the_lipschitz_constant_is_optimal_and_attained(
    seed: int, N: int, n: int, rho: float
) -> None:
    X, y = random_points(N, n, 2, seed)
    s = 2 * y - 3
    radius = rho * separation(X, s) / 2
    free, clipped = memorize_lipschitz(X, s), memorize_lipschitz(X, s, radius)
    for memorizer in (free, clipped):
        found = lipschitz_certificate(memorizer)
        assert found.optimal is not None
        assert found.attained <= found.upper
        assert float(found.upper / found.optimal) == pytest.approx(1.0, abs=1e-9)
        assert float(found.attained / found.optimal) == pytest.approx(1.0, abs=1e-9)
        assert certify(memorizer, radius=radius).holds
    assert lipschitz_certificate(free).upper == 1
    lower, upper = memorizer_bounds(free, radius)
    least = np.where(s > 0, lower, -upper)
    np.testing.assert_allclose(least.min(), separation(X, s) / 2 - radius, atol=1e-12)
    assert certify(clipped).deviation.max() < 1e-9
    assert certify(free, "exact", radius=radius).holds


def test_the_bump_network_pays_a_factor_n() -> None:
    X, y = random_points(8, 6, 2, 0)
    memorizer = memorize(X, y, 0.5 * separation(X, y) / 2)
    found = lipschitz_certificate(memorizer)
    assert float(found.upper) == pytest.approx(6 * memorizer.heights.max() / memorizer.margin)
    assert float(found.attained / found.upper) == pytest.approx(1.0, abs=1e-9)
    assert found.optimal is None


# The attack.


@pytest.mark.parametrize("p", [1, 2, math.inf])
def test_points_of_balls_are_in_the_balls_exactly(p: float) -> None:
    X = np.random.default_rng(0).normal(size=(50, 3))
    for radius in (0.0, 1e-12, 0.1, 1 / 3):
        for point, center in zip(ball_points(X, radius, p, rng=1), X, strict=True):
            d = [
                abs(Fraction(a) - Fraction(b))
                for a, b in zip(point.tolist(), center.tolist(), strict=True)
            ]
            if p == 2:
                assert sum(v * v for v in d) <= Fraction(radius) ** 2
            else:
                assert (max(d) if p == math.inf else sum(d)) <= Fraction(radius)


@pytest.mark.parametrize(("p", "build"), [(math.inf, memorize), (1, memorize_l1), (2, memorize_l2)])
def test_an_attack_finds_nothing_inside_and_something_outside(p: float, build) -> None:
    X, y = random_points(8, 3, 2, 6)
    lam = separation(X, y, p)
    memorizer = build(X, y, 0.9 * lam / 2)
    inside = attack(memorizer.network, X, y, memorizer.mu, p, rng=0, restarts=6, steps=5)
    outside = attack(memorizer.network, X, y, 1.2 * lam / 2, p, rng=0, restarts=6, steps=5)
    assert inside.worst.max() < 1e-9
    assert outside.worst.max() > 0.1
    deviation = np.abs(memorizer.network(outside.witness) - y)
    np.testing.assert_array_equal(deviation, outside.worst)
    assert inside.evaluations == 8 * (1 + 6 * 6)
    assert inside.vanished > 0.5  # the plateaus of the bumps are flat


def test_gradient_steps_reach_the_true_margin_of_the_closest_pair() -> None:
    X, y = random_points(10, 3, 2, 0)
    radius = 0.9 * separation(X, y) / 2
    distances = memorize_lipschitz(X, 2 * y - 3)
    far = 4.0 * (2 * y - 3)  # beyond every value: the deviation is the distance to the other sign
    found = attack(distances.network, X, far, radius, rng=0, restarts=4)
    assert found.worst.max() == pytest.approx(4.0 + radius - separation(X, y) / 2, rel=1e-3)


# What is refused.


def test_a_method_that_does_not_serve_says_why() -> None:
    X, y = random_points(5, 2, 2, 0)
    squares = memorize_l2(X, y, 0.01)
    with pytest.raises(ValueError, match="maximum norm"):
        certify(squares, "interval")
    with pytest.raises(ValueError, match="p = 1 or p = inf"):
        certify(squares, "milp")
    with pytest.raises(ValueError, match="maximum norm"):
        lipschitz_certificate(squares)
    assert certify(squares).method == "exact"
    bumps = memorize(X, y, 0.01)
    with pytest.raises(ValueError, match="radius must be <= mu"):
        certify(bumps, "exact", radius=0.02)
    with pytest.raises(ValueError, match="radius must be given"):
        certify(memorize_lipschitz(X, 2 * y - 3))


@pytest.mark.parametrize("radius", [1e-3, 0.1, 1 / 3])
def test_the_corners_that_an_attack_reaches_are_in_the_balls_exactly(radius: float) -> None:
    X = np.random.default_rng(0).normal(size=(40, 3))
    # the sum of the coordinates is largest at a corner
    total = AffineLayer(np.ones((1, 3)), [-27.0])
    network = ReLUNetwork([AffineLayer(np.eye(3), np.full(3, 9.0)), total])
    found = attack(network, X, np.full(40, -99.0), radius, rng=0, restarts=2, steps=20)
    np.testing.assert_allclose(found.witness, X + radius, atol=1e-14)
    for point, center in zip(found.witness.tolist(), X.tolist(), strict=True):
        for a, b in zip(point, center, strict=True):
            assert abs(Fraction(a) - Fraction(b)) <= Fraction(radius)
