"""The four constructions: sizes as equalities, formulas, exact values on balls, refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.memorization import (
    Memorizer,
    Size,
    bump_outline,
    constructions,
    ideal_values,
    l1_size,
    l2_size,
    l2_terms,
    linf_size,
    lipschitz_size,
    memorize,
    memorize_l1,
    memorize_l2,
    memorize_lipschitz,
    random_points,
    separation,
)

Builder = Callable[..., Memorizer]
BUMPS: list[tuple[Builder, float]] = [(memorize, math.inf), (memorize_l1, 1), (memorize_l2, 2)]
bumps = pytest.mark.parametrize(("build", "p"), BUMPS, ids=["linf", "l1", "l2"])
seeds = st.integers(0, 2**32 - 1)
shares = st.floats(0.01, 0.99)


def data(N: int, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points away from 0, so that no bias vanishes but by a conspiracy, and labels >= 1."""
    X, y = random_points(N, n, 2 + seed % (N - 1), seed)
    return X + 0.01, y


def signs(y: np.ndarray) -> np.ndarray:
    return np.where(y > 1, 1.0, -1.0)


def rounding(memorizer: Memorizer) -> float:
    """Return what rounding may do: a few units in the last place of a state, times the weights."""
    n, steps = memorizer.X.shape[1], (memorizer.terms or 0) + 4
    slope = 1.0 if memorizer.kind == "lipschitz" else memorizer.heights.max()
    unit = 1.0 if memorizer.kind == "l2" else memorizer.scale
    return 2.0**-52 * (4 * n * steps * unit * slope / memorizer.margin + np.abs(memorizer.y).max())


def on_balls(memorizer: Memorizer, rng: np.random.Generator, each: int = 30) -> np.ndarray:
    """Return points of the closed balls, many on the boundary and in corners."""
    N, n = memorizer.X.shape
    assert memorizer.mu is not None
    steps = rng.uniform(-1, 1, (N, each, n)) ** 3
    steps[:, ::3] = rng.choice([-1.0, 1.0], steps[:, ::3].shape)
    norms = np.linalg.norm(steps, ord=memorizer.p, axis=2, keepdims=True)
    # A hair inside, so that rounding a coordinate does not leave the ball.
    return memorizer.X[:, None] + steps / np.maximum(norms, 1e-300) * memorizer.mu * (1 - 1e-14)


def in_box(memorizer: Memorizer, rng: np.random.Generator, points: int = 200) -> np.ndarray:
    return rng.uniform(-memorizer.scale, memorizer.scale, (points, memorizer.X.shape[1]))


# Sizes.


@given(st.integers(2, 6), st.integers(1, 9), seeds, shares)
@settings(deadline=None, max_examples=80)
def test_every_network_has_exactly_the_size_of_its_formula(
    N: int, n: int, seed: int, share: float
) -> None:
    X, y = data(N, n, seed)
    size = memorize(X, y, share * separation(X, y) / 2).size  # Theorem 4.8
    assert size == linf_size(N, n) == Size(3 * n + 1, 2 * N + 1, N * (8 * n + 5))
    size = memorize_l1(X, y, share * separation(X, y, 1) / 2).size
    assert size == l1_size(N, n) == Size(3 * n + 2, 2 * N + 2, N * (8 * n + 7) + 2)
    memorizer = memorize_l2(X, y, share * separation(X, y, 2) / 2)
    assert memorizer.terms is not None
    assert memorizer.size == l2_size(N, n, memorizer.terms)
    assert memorizer.network.depth == N * (memorizer.terms + 3) + 1
    lam = separation(X, signs(y))
    levels = max(1, math.ceil(math.log2(n)))
    for budget in (None, share * lam / 2):
        memorizer = memorize_lipschitz(X, signs(y), budget)
        clipped = budget is not None
        assert memorizer.size == lipschitz_size(N, n, clipped=clipped) == memorizer.size_by_formula
        assert memorizer.network.width == 3 * n + 3
        assert memorizer.network.depth == N * (levels + 1) + 2 + clipped


@bumps
def test_labels_that_are_not_positive_cost_one_bias(build: Builder, p: float) -> None:
    X, y = data(5, 3, 1)
    mu = 0.3 * separation(X, y, p)
    plain, shifted = build(X, y, mu), build(X, y - 2, mu)
    assert (plain.shift, plain.size) == (0.0, plain.size_by_formula)
    assert shifted.shift < min(y - 2)
    assert shifted.size.nonzeros == plain.size.nonzeros + 1
    assert shifted.size == shifted.size_by_formula


# Formulas.


@given(st.integers(2, 7), st.integers(1, 6), seeds, shares, st.booleans())
@settings(deadline=None, max_examples=60)
def test_a_memorizer_computes_its_closed_form(
    N: int, n: int, seed: int, share: float, negative: bool
) -> None:
    X, y = data(N, n, seed)
    rng = np.random.default_rng(seed)
    labels = y - 3 if negative else y
    for build, p in BUMPS:
        memorizer = build(X, labels, share * separation(X, y, p) / 2)
        Z = np.concatenate([in_box(memorizer, rng), on_balls(memorizer, rng).reshape(-1, n)])
        assert np.abs(memorizer(Z) - memorizer.reference(Z)).max() <= rounding(memorizer)
    budget = share * separation(X, signs(y)) / 2
    for memorizer in (memorize_lipschitz(X, signs(y)), memorize_lipschitz(X, signs(y), budget)):
        Z = np.concatenate([in_box(memorizer, rng), X])
        assert np.abs(memorizer(Z) - memorizer.reference(Z)).max() <= rounding(memorizer)


@given(st.fractions(0, 1, max_denominator=10**6), st.integers(1, 12))
@settings(deadline=None)
def test_the_interpolated_square_overestimates_by_at_most_a_power_of_four(
    t: Fraction, K: int
) -> None:
    g, q = t, t
    for k in range(1, K + 1):
        g = 2 * g - 4 * max(g - Fraction(1, 2), Fraction(0))
        q -= g / 4**k
        assert 0 <= g <= 1
    assert 0 <= q - t**2 <= Fraction(1, 4 ** (K + 1))
    midpoint = Fraction(1, 2 ** (K + 1))
    chord = constructions._interpolated_square(np.array([float(midpoint)]), K)
    assert chord[0] == midpoint**2 + Fraction(1, 4 ** (K + 1))  # attained
    assert constructions._interpolated_square(np.array([float(t)]), K)[0] == pytest.approx(
        float(q), abs=1e-15
    )


@given(st.integers(1, 1000), st.floats(1e-6, 1e3), st.floats(0, 0.999), st.floats(1, 1e3))
@settings(deadline=None)
def test_the_number_of_terms_is_the_least_that_leaves_half_of_the_gap(
    n: int, lam: float, share: float, reach: float
) -> None:
    mu, scale = share * lam / 2, reach * lam
    K = l2_terms(n, lam, mu, scale)
    gap = Fraction(lam) * (Fraction(lam) - 2 * Fraction(mu)) / (2 * Fraction(scale)) ** 2
    slack = 1 + Fraction(1, 2**40)
    assert n * Fraction(1, 4 ** (K + 1)) <= gap / 2 * slack
    assert K == 1 or n * Fraction(1, 4**K) * slack > gap / 2
    # K = O(log(n R^2 / (lam gamma))), gamma = lam/2 - mu.
    assert max(1, math.log(n * scale**2 / (lam * (lam / 2 - mu)), 4) + 1.01) >= K


# Robust memorization.


# Coordinates on a grid and dyadic budgets make every stored parameter but the slopes exact; the
# maximum forgives what their rounding leaves of the bumps of other labels.
directions = {
    math.inf: lambda rng, n: rng.choice([-1, 1, Fraction(1, 3), Fraction(-2, 7)], n).tolist(),
    1: lambda rng, n: (np.eye(n, dtype=int)[rng.integers(n)] * rng.choice([-1, 1])).tolist(),
    2: lambda rng, n: (
        [Fraction(3, 5), Fraction(-4, 5), *[Fraction(0)] * (n - 2)] if n > 1 else [Fraction(-1)]
    ),
}


@given(st.integers(2, 5), st.integers(1, 4), seeds, st.integers(0, 127))
@settings(deadline=None, max_examples=25)
def test_values_on_balls_are_exactly_the_labels(N: int, n: int, seed: int, share: int) -> None:
    X, y = random_points(N, n, 2, seed, grid=256)
    rng = np.random.default_rng(seed)
    for build, p in BUMPS:
        lam = math.floor(separation(X, y, p) * 256) / 256
        memorizer = build(X, y - 1, lam * share / 256)
        assert memorizer.mu is not None
        for x, label in zip(memorizer.X, memorizer.y, strict=True):
            step = directions[p](rng, n)
            point = [
                Fraction(a) + Fraction(memorizer.mu) * b
                for a, b in zip(x.tolist(), step, strict=True)
            ]
            assert memorizer.network.exactly(point) == label
            assert memorizer.network.exactly(x) == label


@given(st.integers(2, 5), st.integers(1, 5), seeds, st.integers(0, 6))
@settings(deadline=None, max_examples=25)
def test_with_a_dyadic_margin_the_network_is_the_formula_without_any_rounding(
    N: int, n: int, seed: int, power: int
) -> None:
    X, y = random_points(N, n, 2, seed, grid=256)
    lam = separation(X, y)
    margin = math.ldexp(1.0, math.frexp(lam)[1] - 1 - power)  # at most lam
    # The distances of the other network are divided by nothing.
    found = memorize(X, 2 * y, (lam - margin) / 2), memorize_lipschitz(X, signs(y))
    assert found[0].margin == margin
    points = np.random.default_rng(seed).integers(-999, 1000, (5, n)) / 999
    for memorizer in found:
        Z = points * memorizer.scale
        values = [memorizer.network.exactly(z) for z in Z.tolist()]
        assert values == ideal_values(memorizer, Z)


# Lipschitz constants.


@given(st.integers(2, 6), st.integers(1, 6), seeds, shares)
@settings(deadline=None, max_examples=30)
def test_no_gradient_is_longer_than_the_lipschitz_bound(
    N: int, n: int, seed: int, share: float
) -> None:
    X, y = data(N, n, seed)
    rng = np.random.default_rng(seed)
    dual = {math.inf: 1, 1: math.inf, 2: 2}
    for build, p in BUMPS:
        memorizer = build(X, y, share * separation(X, y, p) / 2)
        Z = np.concatenate([in_box(memorizer, rng), 2 * X.mean(axis=0) - X])
        near = X + rng.uniform(-1, 1, (40, N, n)) * memorizer.lam
        Z = np.concatenate([Z, near.reshape(-1, n).clip(-memorizer.scale, memorizer.scale)])
        _, gradients = memorizer.network.value_and_gradient(Z)
        lengths = np.linalg.norm(gradients, ord=dual[p], axis=1)
        assert lengths.max() <= memorizer.lipschitz_bound * (1 + 1e-12)


def test_beside_the_highest_bump_the_lipschitz_bound_is_attained() -> None:
    X, y = random_points(6, 4, 3, rng=2, grid=64)
    top = X[np.argmax(y)]
    for build, p, dual, equal in ((memorize, math.inf, 1, 1), (memorize_l1, 1, math.inf, 4)):
        bump = build(X, y, 0.4 * separation(X, y, p))
        assert bump.mu is not None
        _, gradient = bump.network.value_and_gradient([top + (bump.mu + bump.margin / 20) / equal])
        length = np.linalg.norm(gradient[0], ord=dual)
        assert length == pytest.approx(bump.lipschitz_bound, rel=1e-12)
    lam = separation(X, signs(y))
    assert memorize_lipschitz(X, signs(y)).lipschitz_bound == 1.0
    clipped = memorize_lipschitz(X, signs(y), 0.4 * lam)
    assert clipped.lipschitz_bound == pytest.approx(1 / (0.1 * lam))


# Labels and classes.


@bumps
@pytest.mark.parametrize(
    "labels",
    [
        [0, 1, 2, 0],
        [-1e-9, 1e9, 3.0, 0.0],
        [1e200, 2e200, -1e200, 0.0],
        [1e-200, 2e-200, -1e-200, 0.0],
    ],
)
def test_any_real_labels_are_memorized(build: Builder, p: float, labels: list[float]) -> None:
    X, _ = random_points(4, 3, 2, rng=8)
    memorizer = build(X, labels, 0.4 * separation(X, labels, p))
    Z = on_balls(memorizer, np.random.default_rng(0)).reshape(-1, 3)
    wanted = np.repeat(memorizer.y, len(Z) // 4)
    assert np.abs(memorizer(Z) - wanted).max() <= 1e-13 * memorizer.heights.max()
    assert (memorizer.classify(Z) == wanted).all() or min(np.diff(sorted(set(labels)))) < 1e-3
    assert (memorizer.heights > 0).all()
    assert (memorizer.shift == 0) == (min(labels) > 0)


def test_small_integers_are_shifted_without_rounding() -> None:
    for labels, shift in (([0, 1], -1.0), ([-1, 1], -3.0), ([0, 9], -8.0), ([-3, 5], -11.0)):
        memorizer = memorize([[0.25], [1.5]], labels, 0.25)
        assert memorizer.shift == shift
        assert memorizer([[0.25], [1.5], [3.0]]).tolist() == [*labels, shift]


def test_a_point_without_a_bump_gets_the_nearest_label_or_none() -> None:
    memorizer = memorize([[0.25], [1.5]], [1, 4], 0.25)
    assert (memorizer.lam, memorizer.margin) == (1.25, 0.75)
    assert (memorizer.p, memorizer.kind, memorizer.terms) == (math.inf, "linf", None)
    Z = [[0.25], [1.5], [0.875], [3.0]]
    assert memorizer.classify(Z).tolist() == [1, 4, 1, 1]
    assert memorizer([[1e9], [1e300]]).tolist() == [memorizer.shift] * 2
    found = memorizer.classify(Z, within=0.5)
    assert found[:2].tolist() == [1, 4]
    assert np.isnan(found[2:]).all()
    lipschitz = memorize_lipschitz([[0.25], [1.25]], [1, -1])
    assert lipschitz.classify([[0.7], [0.8], [0.75]]).tolist() == [1, -1, -1]
    assert (lipschitz.mu, lipschitz.margin) == (None, 1.0)


# Edges.


def everything(X: object, y: object, s: object, mu: float) -> list[Memorizer]:
    found = [build(X, y, mu) for build, _ in BUMPS]
    return [*found, memorize_lipschitz(X, s), memorize_lipschitz(X, s, mu)]


@pytest.mark.parametrize(
    ("X", "y", "mu"),
    [
        ([[0], [1]], [1, 2], 0),
        ([[0], [1]], [1, 2], np.float32(0.125)),
        ([[0.0, 7.0, -1.0], [0.0, 7.0, 1.0]], [1, 2], 0.75),
        ([[0.25, 0.5], [0.25, 0.5], [1.0, 0.0], [0.25, 0.5]], [3, 3, 1, 3], 0.25),
    ],
    ids=["a line", "another budget", "equal coordinates", "equal points"],
)
def test_small_data_are_memorized(X: list[list[float]], y: list[int], mu: float) -> None:
    for memorizer in everything(X, y, [2 * label - 3 if label < 3 else 1 for label in y], mu):
        assert memorizer.classify(X).tolist() == memorizer.y.tolist()
        if memorizer.mu is not None:
            assert memorizer(X).tolist() == memorizer.y.tolist()


@pytest.mark.parametrize("unit", [1e-140, 1e-100, 1e-20, 1e20, 1e100, 1e140])
def test_the_unit_of_length_does_not_matter(unit: float) -> None:
    X, y = random_points(5, 3, 2, rng=3)
    for memorizer in everything(X * unit, y, signs(y), 0.01 * unit):
        if memorizer.mu is not None:
            Z = on_balls(memorizer, np.random.default_rng(0)).reshape(-1, 3)
            wanted = np.repeat(memorizer.y, len(Z) // 5)
            assert memorizer(Z) == pytest.approx(wanted, abs=1e-10)
        assert memorizer.classify(memorizer.X).tolist() == memorizer.y.tolist()


@pytest.mark.parametrize("unit", [5e-324, 1e-300, 1e160, 1e300])
def test_a_unit_of_length_that_cannot_be_computed_with_is_refused(unit: float) -> None:
    X = np.array([[1.0], [3.0]]) * unit
    for build in (memorize, memorize_l1, memorize_l2):
        with pytest.raises(ValueError, match=r"X must be scaled so that max \|x_ij\| \+ lambda"):
            build(X, [1, 2], 0.0)
    with pytest.raises(ValueError, match="X must be scaled"):
        memorize_lipschitz(X, [1, -1])


def test_weights_beyond_float64_are_refused() -> None:
    X = [[0.0], [1e-200], [1.0]]
    for build in (memorize, memorize_l1):
        with pytest.raises(ValueError, match="mu must leave weights that float64 can hold"):
            build(X, [1e200, 2e200, 1e200], 0.0)
        with pytest.raises(ValueError, match="mu must leave weights that float64 can hold"):
            build([[0.0], [1e100]], [1e-250, 2e-250], 0.0)
    with pytest.raises(ValueError, match="labels whose differences are finite"):
        memorize(X, [-1e308, 1e308, 0.0], 0.0)
    with pytest.raises(ValueError, match="mu must leave a margin"):
        memorize_lipschitz([[0.0], [5e-324], [1.0]], [1, -1, 1], 0.0)
    with pytest.raises(ValueError, match="mu must leave a gap that 500 terms can resolve"):
        memorize_l2(X, [1, 2, 1], 0.0)


def test_up_to_the_last_float_below_half_the_separation_the_formulas_hold() -> None:
    X, y = random_points(4, 2, 2, rng=0, grid=64)
    for build, p in BUMPS[:2]:
        mu = math.nextafter(separation(X, y, p) / 2, 0.0)
        memorizer = build(X, y, mu)
        assert memorizer.margin > 0
        # The centers are far inside: there the rounding of the boundary is not felt.
        assert memorizer(X).tolist() == y.tolist()
        assert memorizer.network.largest_weight > 1e14


# Refusals.


def test_a_budget_of_half_the_separation_is_refused_in_every_construction() -> None:
    for build in (*(each for each, _ in BUMPS), memorize_lipschitz):
        with pytest.raises(ValueError, match=r"mu must be >= 0 and < lambda/2 = 0\.5, got 0\.5"):
            build([[0.0], [1.0]], [1, -1], 0.5)


# Memory, batches, files.


def test_the_number_of_matrices_does_not_grow_with_the_number_of_points() -> None:
    def matrices(memorizer: Memorizer) -> int:
        return len({id(layer.weight) for layer in memorizer.network.layers})

    for build, p in BUMPS:
        data = (random_points(N, 5, 4, rng=0) for N in (40, 80))
        few, many = (build(X, y, 0.2 * separation(X, y, p)) for X, y in data)
        more = (many.terms or 0) - (few.terms or 0)
        assert matrices(many) - more == matrices(few) <= 10 + (few.terms or 0)
    for clipped in (None, 1e-3):
        data = (random_points(N, 20, 2, rng=0) for N in (30, 60))
        few, many = (memorize_lipschitz(X, signs(y), clipped) for X, y in data)
        assert matrices(many) == matrices(few) <= 14


def test_a_memorizer_can_be_asked_about_no_points() -> None:
    for memorizer in everything([[0.25], [1.5]], [1, 2], [1, -1], 0.25):
        empty = np.zeros((0, 1))
        for answer in (memorizer(empty), memorizer.reference(empty), memorizer.classify(empty)):
            assert answer.shape == (0,)


# Outlines of bumps.


def lone(build: Builder, p: float, share: float) -> Memorizer:
    """Return a memorizer whose first sample is far from the other."""
    X = np.array([[0.3] * 3, [1.3] * 3])
    return build(X, [8, 1], share * separation(X, [8, 1], p))


@bumps
@pytest.mark.parametrize("share", [0.1, 0.45])
@pytest.mark.parametrize("height", [0.25, 0.5, 0.75])
def test_on_an_outline_the_bump_has_its_share_of_the_height(
    build: Builder, p: float, share: float, height: float
) -> None:
    memorizer = lone(build, p, share)
    corners = bump_outline(memorizer, 0, height)
    points = np.column_stack((corners, np.full(len(corners), 0.3)))
    assert memorizer.reference(points) == pytest.approx(8 * height, abs=1e-9)
    assert memorizer(points) == pytest.approx(8 * height, abs=1e-9)


@bumps
def test_the_plateau_holds_the_ball_and_for_two_norms_is_the_ball(build: Builder, p: float) -> None:
    memorizer = lone(build, p, 0.4)
    assert memorizer.mu is not None
    away = bump_outline(memorizer, 0, 1.0) - memorizer.X[0, :2]
    sizes = np.linalg.norm(away, p, axis=1)
    if p == 2:
        # Squares are approximated from above, by at most half of what separates balls.
        room = memorizer.lam * (memorizer.lam - 2 * memorizer.mu) / 2
        assert (sizes >= memorizer.mu - 1e-12).all()
        assert sizes.max() <= math.sqrt(memorizer.mu**2 + room)
    else:
        assert sizes == pytest.approx(memorizer.mu)


@bumps
def test_the_corners_run_counterclockwise_around_a_convex_shape(build: Builder, p: float) -> None:
    corners = bump_outline(lone(build, p, 0.3), 0, 0.0)
    sides = np.roll(corners, -1, axis=0) - corners
    after = np.roll(sides, -1, axis=0)
    assert (sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0] > 0).all()
    assert corners.mean(axis=0) == pytest.approx([0.3, 0.3])
