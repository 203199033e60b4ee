"""Certificates prove what they say and refuse wrong networks; intervals enclose every rounding."""

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
    interval_bounds,
    lipschitz_bound,
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
    lam = min(
        max(steps) if p == math.inf else sum(step**p for step in steps)
        for i, k in itertools.combinations(range(12), 2)
        for steps in [[abs(a - b) for a, b in zip(X[i], X[k], strict=True)]]
        if y[i] != y[k]
    )
    assert exact_check(X, y, 0, p).separation == lam
    if p == 2:  # the separation is a root; enclose it between rationals
        lam = Fraction(math.isqrt(int(lam * 10**80)), 10**40)
    near = exact_check(X, y, lam / 2 - TINY, p)
    assert near.holds and near.checks == 144
    far = exact_check(X, y, lam / 2 + (TINY if p == 2 else 0), p)
    assert not far.holds


def test_a_margin_that_was_rounded_up_is_noticed() -> None:
    X, y = [[0.0], [0.7]], [1, 2]
    margin = Fraction(0.7) - 2 * Fraction(0.1)
    assert exact_check(X, y, 0.1, margin=margin).holds
    assert not exact_check(X, y, 0.1, margin=margin + TINY).holds
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


def test_one_class_needs_no_margin() -> None:
    check = exact_check([[0], [1]], [4, 4], 7)
    assert check.holds and check.separation is None
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
    assert found.holds
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
    assert not certificate.holds


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

    def milp(*arguments: Any, constraints: optimize.LinearConstraint, **named: Any) -> Any:
        asked.append(constraints)
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
    sure = certify(free, radius=radius)
    least = np.where(s > 0, sure.lower, -sure.upper)
    np.testing.assert_allclose(least.min(), separation(X, s) / 2 - radius, atol=1e-12)
    # A rounded coordinate counts as often as the network is steep.
    assert certify(clipped).deviation.max() < 1e-13 * float(found.optimal)
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
    for ask in (certify, memorizer_bounds):
        with pytest.raises(ValueError, match="radius must be given"):
            ask(memorize_lipschitz(X, 2 * y - 3))


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


# Numbers that round: decimal fractions, large ones that cancel, small ones that underflow.
NASTY = [0.1, -0.1, 1 / 3, -1 / 3, 0.7, 1.0, -1.0, 1e16, -1e16, 1e8 + 0.1, 3e-200, 1e-170, -7e-9]


def random_network(rng: np.random.Generator, sizes: list[int], nasty: bool) -> ReLUNetwork:
    layers = []
    for inputs, outputs in itertools.pairwise(sizes):
        shape = (outputs, inputs)
        weight = rng.choice(NASTY, shape) if nasty else rng.normal(size=shape)
        bias = rng.choice([*NASTY, 0.0], outputs) if nasty else rng.normal(size=outputs)
        layers.append(AffineLayer(weight * (rng.random(shape) < 0.7), bias))
    return ReLUNetwork(tuple(layers))


def paired_network(rng: np.random.Generator, n: int, depth: int) -> ReLUNetwork:
    """Make a network full of maxima, minima and absolute values of affine forms that round."""
    layers = []
    for _ in range(depth):
        a, m = rng.normal(size=n), rng.normal(size=n) * (np.arange(n) % 2)
        b, c = rng.normal(size=2)
        kind = rng.integers(3)
        second = -a if kind == 0 else m - a if kind == 1 else a - m
        shift = -b if kind == 0 else c - b if kind == 1 else b - c
        layers.append(AffineLayer(np.vstack([a, second, m]), [b, shift, c]))
        sign = -1.0 if kind == 2 else 1.0
        use = rng.normal(size=(n, 1)) * np.array([[1.0, sign, 0.0]])
        use[:, 2] = rng.normal(size=n)
        layers.append(AffineLayer(use, rng.normal(size=n)))
    merged = [layers[0]]
    for use, form in zip(layers[1::2], layers[2::2], strict=False):
        product = form.weight.toarray() @ use.weight.toarray()
        # the product of two rows that belong together still belongs together, up to rounding
        merged.append(AffineLayer(product, form.weight @ use.bias + form.bias))
    merged.append(AffineLayer(layers[-1].weight[[0]], layers[-1].bias[:1]))
    return ReLUNetwork(tuple(merged))


def encloses(network: ReLUNetwork, low: np.ndarray, high: np.ndarray, points: np.ndarray) -> None:
    for aware in (False, True):
        lower, upper = (float(bound) for bound in interval_bounds(network, low, high, aware=aware))
        computed = network(points)
        assert (lower <= computed).all() and (computed <= upper).all()
        for point in points:
            value = network.exactly(point.tolist())
            assert lower == -math.inf or Fraction(lower) <= value
            assert upper == math.inf or value <= Fraction(upper)


def some_points(rng: np.random.Generator, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    corners = np.where(rng.random((12, len(low))) < 0.5, low, high)
    inner = np.clip(rng.uniform(size=(6, len(low))) * (high - low) + low, low, high)
    return np.vstack([low, high, corners, inner])


@settings(deadline=None, max_examples=200)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["plain", "nasty", "paired"]),
    st.sampled_from([0.0, 1e-16, 1e-12, 1e-3, 1.0]),
)
def test_bounds_enclose_exact_and_computed_values(seed: int, kind: str, width: float) -> None:
    rng = np.random.default_rng(seed)
    if kind == "paired":
        network = paired_network(rng, *rng.integers(1, 5, 2).tolist())
    else:
        sizes = [*rng.integers(1, 6, size=rng.integers(2, 6)).tolist(), 1]
        network = random_network(rng, sizes, kind == "nasty")
    low = rng.choice([0.1, -0.3, 1 / 3, 1e-170, 5.0], network.inputs)
    low = low * rng.normal(size=network.inputs)
    high = low + width * rng.random(network.inputs)
    encloses(network, low, high, some_points(rng, low, high))


def test_underflow_is_covered() -> None:
    network = ReLUNetwork([AffineLayer([[1e-200]], [0.0]), AffineLayer([[1e-200]], [0.0])])
    lower, upper = interval_bounds(network, [1.0], [1.0])
    assert float(network([[1.0]])[0]) == 0.0
    assert Fraction(float(lower)) <= network.exactly([1.0]) <= Fraction(float(upper))
    assert network.exactly([1.0]) > 0


def test_overflow_gives_infinite_bounds_and_copies_are_not_widened() -> None:
    layer = AffineLayer([[1e300, -1e300]], [0.0])
    network = ReLUNetwork([AffineLayer([[1e300], [1e300]], [0.0, 0.0]), layer])
    for aware in (False, True):
        assert interval_bounds(network, [1.0], [2.0], aware=aware) == (-math.inf, math.inf)
    network = ReLUNetwork([AffineLayer([[1.0]], [0.0])] * 50)
    assert interval_bounds(network, [0.1], [0.3]) == (0.1, 0.3)


def test_plain_bounds_lose_the_maximum_and_aware_ones_keep_it() -> None:
    # max(x, x) = x on [1, 2], written as x + relu(x - x): plain bounds let the second term be 1
    network = ReLUNetwork(
        [
            AffineLayer([[1.0], [1.0]], [0.0, 0.0]),
            AffineLayer([[1.0, 0.0], [-1.0, 1.0]], [0.0, 0.0]),
            AffineLayer([[1.0, 1.0]], [0.0]),
        ]
    )
    assert interval_bounds(network, [1.0], [2.0]) == pytest.approx((1.0, 3.0))
    assert interval_bounds(network, [1.0], [2.0], aware=True) == pytest.approx((1.0, 2.0))


def test_the_rounding_of_both_rows_of_a_pair_is_covered() -> None:
    # a = B (x - z) + u and b = B (z - x) + v: in a + b = u + v the large terms cancel, in float64
    # each row is rounded at the size of B
    B, beyond = 1e8, 0
    rows = AffineLayer([[B, 1.0, 0.0, -B], [-B, 0.0, 1.0, B]], [0.0, 0.0])
    network = ReLUNetwork([rows, AffineLayer([[1.0, 1.0]], [0.0])])
    rng = np.random.default_rng(0)
    for _ in range(200):
        x, u, v = rng.uniform(1.0, 2.0, 3)
        point = np.array([x, u, v, x + rng.uniform(-1e-9, 1e-9)])
        beyond += abs(float(network(point[None])[0]) - (u + v)) > 1e-12
        encloses(network, point, point, point[None])
    assert beyond > 50


@pytest.mark.parametrize("seed", range(8))
def test_bounds_contain_the_range_that_a_solver_finds(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    network = (
        paired_network(rng, 2, 3) if seed % 2 else random_network(rng, [2, 5, 5, 1], nasty=False)
    )
    low = rng.normal(size=2)
    high = low + rng.random(2)
    found = milp_range(network, low, high)
    assert found.status == "optimal"
    size = 1e-5 * (1.0 + network.largest_weight)
    for aware in (False, True):
        lower, upper = interval_bounds(network, low, high, aware=aware)
        assert lower <= found.lower + size and found.upper - size <= upper
    samples = network(rng.uniform(low, high, (4000, 2)))
    assert found.lower - size <= samples.min() and samples.max() <= found.upper + size
    assert found.highest == pytest.approx(found.upper, abs=size)


def test_a_batch_gives_the_bounds_of_its_boxes() -> None:
    rng = np.random.default_rng(3)
    network = random_network(rng, [3, 6, 4, 2], nasty=False)
    low = rng.normal(size=(5, 3))
    lower, upper = interval_bounds(network, low, low + 0.1, aware=True)
    assert lower.shape == upper.shape == (5, 2)
    for k in range(5):
        one = interval_bounds(network, low[k], low[k] + 0.1, aware=True)
        np.testing.assert_array_equal(one, (lower[k], upper[k]))


@pytest.mark.parametrize("seed", range(5))
def test_the_lipschitz_bound_is_above_every_gradient(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for network in (random_network(rng, [3, 6, 5, 1], nasty=False), paired_network(rng, 3, 3)):
        gradients = network.value_and_gradient(3.0 * rng.normal(size=(3000, 3)))[1]
        assert np.abs(gradients).sum(axis=1).max() <= float(lipschitz_bound(network)) * (1 + 1e-12)


def test_the_lipschitz_bound_counts_a_row_that_works_alone() -> None:
    # relu(a) - relu(b) with a < 0 < b is -b, steeper than a and than a - b
    network = ReLUNetwork(
        [
            AffineLayer([[1.0, 1.0], [1.0, 2.0]], [-100.0, 0.0]),
            AffineLayer([[1.0, -1.0]], [0.0]),
        ]
    )
    assert network.value_and_gradient([[1.0, 1.0]])[1].tolist() == [[-1.0, -2.0]]
    assert lipschitz_bound(network) == 3


def test_what_needs_one_output_or_one_box_says_so() -> None:
    network = random_network(np.random.default_rng(0), [2, 3, 2], nasty=False)
    with pytest.raises(ValueError, match="one output"):
        lipschitz_bound(network)
    with pytest.raises(ValueError, match="one output"):
        milp_range(network, [0.0, 0.0], [1.0, 1.0])
    with pytest.raises(ValueError, match="must not exceed"):
        interval_bounds(network, [0.0, 2.0], [1.0, 1.0])
    with pytest.raises(ValueError, match=r"shape \(1,\)"):
        milp_range(ReLUNetwork([([[1.0]], [0.0])]), np.zeros((3, 1)), np.ones((3, 1)))
