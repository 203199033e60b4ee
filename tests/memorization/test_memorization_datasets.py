"""The separation is a minimum over pairs, the threshold is half of it, and bad data are refused."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from sublinear_lib import memorization as mem
from sublinear_lib import statistics
from sublinear_lib.memorization import (
    checked_data,
    closest_pair,
    digits,
    largest_budget,
    plane_points,
    random_points,
    separation,
    separation_law,
    simplex_points,
    threshold,
)

NORMS = [1, 2, math.inf]
METRIC = {1: "cityblock", 2: "euclidean", math.inf: "chebyshev"}
seeds = st.integers(0, 2**32 - 1)


def brute(X: np.ndarray, y: np.ndarray, p: float) -> tuple[float, tuple[int, int]]:
    distances = cdist(X, X, METRIC[p])
    distances[y[:, None] == y[None, :]] = np.inf
    i, k = np.unravel_index(np.argmin(distances), distances.shape)
    return float(distances[i, k]), (int(i), int(k))


# Separation.


@given(st.integers(2, 9), st.integers(1, 5), seeds, st.sampled_from([0.0, 1e3, 1e8, -1e15]))
@settings(deadline=None, max_examples=60)
def test_separations_are_those_of_exact_arithmetic_far_from_the_origin_too(N, n, seed, offset):
    rng = np.random.default_rng(seed)
    X = offset + rng.normal(size=(N, n)) * 10.0 ** rng.integers(-2, 3, (N, 1))
    y = np.arange(N) % 2
    least = dict.fromkeys((1, 2, math.inf), Fraction(10) ** 99)
    for i in range(0, N, 2):
        for k in range(1, N, 2):
            steps = [abs(Fraction(a) - Fraction(b)) for a, b in zip(X[i], X[k], strict=True)]
            for p in least:
                far = max(steps) if p == math.inf else sum(step**p for step in steps)
                least[p] = min(least[p], far)
    assert separation(X, y) == float(least[math.inf])
    assert separation(X, y, 1) == pytest.approx(float(least[1]), rel=1e-15, abs=0)
    assert separation(X, y, 2) == pytest.approx(math.sqrt(least[2]), rel=1e-15, abs=0)


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize(("N", "n", "labels"), [(2, 1, 2), (90, 2, 3), (700, 40, 2), (600, 5, 50)])
def test_the_closest_pair_is_that_of_all_distances(p: float, N: int, n: int, labels: int) -> None:
    X, y = random_points(N, n, labels, rng=N)
    distance, pair = brute(X, y, p)
    found = closest_pair(X, y, p)
    assert (found.i, found.k) == pair
    assert found.distance == pytest.approx(distance, rel=1e-14)
    assert separation(X, y, p) == found.distance
    assert largest_budget(X, y, p) == found.distance / 2


@pytest.mark.parametrize("p", NORMS)
def test_of_several_closest_pairs_the_first_is_named(p: float) -> None:
    X, y = np.arange(1000.0)[:, None], np.arange(1000) % 3
    for shift in (0, 1, 613):
        moved = np.roll(X, shift, axis=0), np.roll(y, shift)
        found = closest_pair(*moved, p)
        assert (found.distance, (found.i, found.k)) == brute(*moved, p)


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("unit", [5e-324, 1e-310, 1e-160, 1e-30, 1.0, 1e30, 1e160, 1e300])
def test_distances_neither_overflow_nor_vanish(p: float, unit: float) -> None:
    X = np.array([[0.0, 0.0], [6.0, 8.0], [30.0, 40.0], [31.0, 41.0]]) * unit
    expected = {1: 14.0, 2: 10.0, math.inf: 8.0}[p] * unit
    assert separation(X, [1, 2, 3, 3], p) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("p", NORMS)
def test_a_close_pair_is_seen_beside_points_that_are_far_away(p: float) -> None:
    X = [[0.0, 0.0], [3e-200, 4e-200], [1e200, 0.0], [-1e200, 1e150]]
    expected = {1: 7e-200, 2: 5e-200, math.inf: 4e-200}[p]
    assert separation(X, [1, 2, 3, 1], p) == pytest.approx(expected, rel=1e-15, abs=0)


# Checked data.


def test_checked_data_are_frozen_copies_with_their_separation() -> None:
    X, y = np.array([[0.0, 1.0], [0.5, 3.0]]), np.array([4, -1])
    data = checked_data(X, y, 0.25, 1)
    X[:] = 9
    y[:] = 9
    assert data.X.tolist() == [[0.0, 1.0], [0.5, 3.0]]
    assert data.y.tolist() == [4.0, -1.0]
    assert (data.mu, data.lam, data.p) == (0.25, 2.5, 1.0)
    assert data.pair == closest_pair(data.X, data.y, 1)
    assert not (data.X.flags.writeable or data.y.flags.writeable)


@pytest.mark.parametrize(
    ("mu", "message"),
    [
        (math.nan, r"mu must be a finite .* lambda/2 = 0\.5 \(lambda = 1\.0.*got nan"),
        (0.5, r"rows 1 and 2 of X, are lambda = 1\.0 apart.*largest .* 0\.4999999999"),
    ],
)
def test_a_budget_out_of_range_is_refused_with_lambda_and_what_is_allowed(mu, message):
    with pytest.raises(ValueError, match=message):
        checked_data([[9.0], [2.0], [1.0]], [1, 1, 2], mu)


@given(st.floats(1e-320, 1e300))
@settings(deadline=None)
def test_the_budget_that_the_message_names_is_the_largest_admissible_one(lam: float) -> None:
    X, y = [[0.0], [lam]], [1, 2]
    with pytest.raises(ValueError, match="the largest admissible budget is ") as caught:
        checked_data(X, y, lam)
    largest = float(str(caught.value).rsplit(" ", 1)[1])
    assert checked_data(X, y, largest).mu == largest
    with pytest.raises(ValueError, match="balls would meet"):
        checked_data(X, y, math.nextafter(largest, math.inf))


def test_equal_points_with_different_labels_are_named() -> None:
    X = [[0.0, 0.0], [1.0, 2.0], [5.0, 5.0], [1.0, 2.0], [-0.0, 0.0]]
    for p in NORMS:
        with pytest.raises(ValueError, match=r"rows 1 and 3 are equal, with labels 2\.0 and 4\.0"):
            checked_data(X, [1, 2, 3, 4, 1], 0, p)


def test_one_label_only_is_refused_where_two_are_needed() -> None:
    with pytest.raises(ValueError, match=r"y must have at least two different labels, got 2 times"):
        checked_data([[0.0], [1.0]], [3, 3])
    with pytest.raises(ValueError, match="s must have at least two different labels"):
        checked_data([[0.0]], [3], label_name="s")
    data = checked_data([[0.0], [1.0]], [3, 3], 1e9, two_labels=False)
    assert (data.lam, data.pair, data.mu) == (math.inf, None, 1e9)


# Makers.


@given(st.integers(1, 30), st.integers(1, 4), seeds, st.sampled_from([None, 8, 64]))
@settings(deadline=None, max_examples=60)
def test_random_points_lie_in_the_cube_and_show_every_label(N, n, seed, grid):
    if grid == 8 and n == 1:
        N = min(N, 4)
    classes = 1 + seed % N
    X, y = random_points(N, n, classes, seed, grid)
    assert X.shape == (N, n)
    assert X.min() >= 0
    assert X.max() <= 1
    assert set(y.tolist()) == set(range(1, classes + 1))
    if grid is not None:
        assert (X * grid == np.round(X * grid)).all()
        assert len(np.unique(X, axis=0)) == N
    again = random_points(N, n, classes, seed, grid)
    assert all(np.array_equal(a, b) for a, b in zip((X, y), again, strict=True))


def test_a_grid_that_is_too_coarse_is_refused() -> None:
    with pytest.raises(ValueError, match=r"grid must leave at least 2 N = 12 points .*got 1 for"):
        random_points(6, 3, 2, rng=0, grid=1)
    with pytest.raises(ValueError, match="N must be an integer >= 1 and <= 1984"):
        plane_points(1985, 3, rng=0)
    # 8^3 = 512 is enough for 256 points, and one point less would not be.
    X, _ = random_points(256, 3, 2, rng=0, grid=7)
    assert len(np.unique(X, axis=0)) == 256
    with pytest.raises(ValueError, match="grid must leave at least 2 N = 514 points"):
        random_points(257, 3, 2, rng=0, grid=7)


@pytest.mark.parametrize(("n", "N"), [(1, None), (1, 4), (3, None), (3, 8)])
def test_the_simplex_has_separation_one_in_every_norm(n: int, N: int | None) -> None:
    X, y = simplex_points(n, N)
    assert X.shape == (N or n + 1, n)
    assert len(np.unique(X, axis=0)) == len(X)
    assert y.tolist() == [1.0] + [2.0] * (len(X) - 1)
    assert [separation(X, y, p) for p in NORMS] == [1.0] * 3
    with pytest.raises(ValueError, match=f"N must be an integer >= {n + 1}, got {n}"):
        simplex_points(n, n)


@given(st.integers(1, 12), seeds)
@settings(deadline=None, max_examples=30)
def test_points_for_pictures_are_well_separated(N: int, seed: int) -> None:
    classes = 1 + seed % N
    X, y = plane_points(N, classes, seed)
    assert X.shape == (N, 2)
    assert (np.round(X * 64) == X * 64).all()
    assert 0 < X.min() <= X.max() < 1
    counts = np.unique(y, return_counts=True)[1]
    assert len(counts) == classes
    assert counts.max() - counts.min() <= 1
    if classes > 1:
        # Far from crowded: N squares of this side, halved, fit into a unit square.
        assert separation(X, y) >= 0.5 / math.sqrt(N)


# Digits.


def test_digits_are_split_without_loss_and_labels_name_the_digit() -> None:
    from sklearn.datasets import load_digits

    images, digit = load_digits(return_X_y=True)
    split = digits(200, rng=3)
    assert split.X.shape == (200, 64)
    assert split.X_test.shape == (1597, 64)
    known = {(image / 16).tobytes(): label for image, label in zip(images, digit, strict=True)}
    assert len(known) == 1797  # no two images are equal
    found = [known.pop(x.tobytes()) for x in np.concatenate([split.X, split.X_test])]
    assert not known
    assert (np.concatenate([split.y, split.y_test]) == np.array(found) + 1).all()
    parity = digits(200, rng=3, labels="parity")
    assert (parity.X == split.X).all()
    assert (parity.y == np.where(split.y % 2 == 1, 1, -1)).all()


def data(seed: int, N: int = 9, n: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 12, (N, n)).astype(float), rng.integers(1, 4, N).astype(float)


@pytest.mark.parametrize("p", NORMS)
@given(st.integers(0, 200), st.integers(0, 12))
@settings(deadline=None, max_examples=40)
def test_a_contradiction_is_found_exactly_from_half_the_separation_on(p, seed, twice):
    X, y = data(seed)
    mu, lam = twice / 2, brute(X, y, p)[0]
    if lam == math.inf:
        return
    clash = mem.contradiction(X, y, mu, p)
    assert (clash is not None) == (2 * mu >= lam)
    if clash is not None:
        assert clash.depth == mu - lam / 2
        near = np.linalg.norm(X - clash.point, ord=p, axis=1) <= mu * (1 + 1e-15)
        assert set(clash.labels) <= set(y[near]) and len(set(clash.labels)) == 2
        with pytest.raises(ValueError, match="read-only"):
            clash.point[0] = 0.0


@pytest.mark.parametrize("p", NORMS)
@given(st.integers(0, 200), st.floats(0.0, 0.49))
@settings(deadline=None, max_examples=30)
def test_the_slope_is_the_maximum_over_all_pairs_one_by_one(p, seed, share):
    X, y = data(seed)
    lam = brute(X, y, p)[0]
    if lam in (0.0, math.inf):
        return
    mu = share * lam
    slope = mem.smallest_slope(X, y, mu, p)
    rises, ways = np.abs(y[:, None] - y), cdist(X, X, METRIC[p]) - 2 * mu
    steepest = np.max(rises[rises > 0] / ways[rises > 0])
    assert slope.value == pytest.approx(steepest, rel=1e-12)
    assert slope.i is not None and slope.k is not None and slope.i < slope.k
    there = np.linalg.norm(X[slope.i] - X[slope.k], p) - 2 * mu
    assert abs(y[slope.i] - y[slope.k]) / there == pytest.approx(steepest, rel=1e-9)


@pytest.mark.parametrize("p", NORMS)
def test_the_extension_has_the_label_on_every_ball_and_is_nowhere_steeper(p: float) -> None:
    rng = np.random.default_rng(5)
    X, y = mem.random_points(20, 3, 4, rng, grid=64)
    y = 3.0 * y - 7.0
    mu = 0.4 * mem.separation(X, y, p)
    step = rng.uniform(-1.0, 1.0, (20, 40, 3))
    step *= mu / np.linalg.norm(step, p, axis=2, keepdims=True)
    at = (X[:, None] + step * rng.random((20, 40, 1))).reshape(-1, 3)
    assert mem.extension(X, y, mu, at, p) == pytest.approx(np.repeat(y, 40), abs=1e-10)
    a, b = rng.uniform(-1.0, 2.0, (2, 3000, 3))
    rise = np.abs(mem.extension(X, y, mu, a, p) - mem.extension(X, y, mu, b, p))
    L = mem.smallest_slope(X, y, mu, p).value
    assert (rise <= L * np.linalg.norm(a - b, p, axis=1) * (1 + 1e-12)).all()


def test_one_label_needs_no_slope_and_beyond_the_threshold_the_error_names_it() -> None:
    assert mem.smallest_slope([[0.0], [1.0]], [3, 3], 100.0) == threshold.Slope(0.0, None, None)
    assert mem.extension([[0.0], [1.0]], [3, 3], 9.0, [[5.0]]).tolist() == [3.0]
    with pytest.raises(ValueError, match=r"lambda/2 = 0\.5, got 0\.5"):
        mem.smallest_slope([[0.0], [1.0]], [1, 2], 0.5)
    with pytest.raises(ValueError, match="two different labels"):
        mem.contradiction([[0.0], [1.0]], [3, 3], 1.0)


@pytest.mark.parametrize("p", NORMS)
def test_the_nearest_other_label_of_all_points_has_the_separation_as_its_minimum(p: float) -> None:
    X, y = data(7, N=1100)
    near = mem.nearest_other(X[:, :3], y, p)
    assert near.min() == pytest.approx(mem.separation(X, y, p), abs=1e-12)
    for i in (0, 511, 512, 1099):
        others = X[y != y[i]]
        assert near[i] == pytest.approx(np.linalg.norm(others - X[i], p, axis=1).min())
    assert np.isinf(mem.nearest_other(X, np.ones(1100))).all()


def test_random_points_on_a_line_follow_the_law() -> None:
    N, runs = 10, 2000
    rng, beyond = np.random.default_rng(11), 0
    t = mem.line_median(N)
    for _ in range(runs):
        beyond += mem.separation(rng.random((N, 1)), rng.integers(0, 2, N)) > t
    assert statistics.clopper_pearson(beyond, runs, 0.9999).contains(0.5)


def test_the_median_is_found_for_every_number_of_points() -> None:
    three = 0.25 + 0.5 * 0.9**3 + 0.25 * 0.8**3  # no, one or two changes of the label
    assert separation_law.line_survival(0.1, 3) == pytest.approx(three, rel=1e-12)
    sizes = (3, 4, 5, 8, 20, 100, 1000, 20_000)
    medians = [mem.line_median(N) for N in sizes]
    assert medians == sorted(medians, reverse=True)
    for N, t in zip(sizes, medians, strict=True):
        assert separation_law.line_survival(t, N) == pytest.approx(0.5, abs=1e-11)


def test_the_expected_number_of_close_pairs_is_that_of_drawn_points() -> None:
    N, n, t, runs = 12, 3, 0.2, 2000
    rng, counts = np.random.default_rng(12), []
    for _ in range(runs):
        X, y = rng.random((N, n)), rng.integers(0, 3, N)
        near = np.abs(X[:, None] - X).max(axis=2) <= t
        counts.append(int(np.triu(near & (y[:, None] != y), 1).sum()))
    assert statistics.t_interval(counts, 0.9999).contains(separation_law.close_pairs(t, N, n, 3))


def test_a_sure_separation_fails_no_more_often_than_promised_and_grows_with_the_dimension() -> None:
    rng, failures = np.random.default_rng(13), 0
    t = mem.sure_separation(20, 4, 2, 0.1)
    for _ in range(1000):
        failures += mem.separation(rng.random((20, 4)), rng.integers(0, 2, 20)) <= t
    assert statistics.clopper_pearson(failures, 1000, 0.999).lower <= 0.1
    sizes = [mem.sure_separation(100, n) for n in (1, 2, 5, 20, 100, 1000, 10**6)]
    assert sizes == sorted(sizes) and sizes[-1] > 0.99
    assert mem.sure_separation(2, 3, 2, 0.9) == 1.0
    assert mem.line_median(2) == math.inf  # with probability 1/2 there is one label only
