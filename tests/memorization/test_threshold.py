"""Promises of the threshold: what meets, what a function needs, the law of random points."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib import memorization as mem
from sublinear_lib import statistics
from sublinear_lib.memorization import separation_law, threshold

NORMS = (1.0, 2.0, math.inf)


def data(seed: int, N: int = 9, n: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 12, (N, n)).astype(float), rng.integers(1, 4, N).astype(float)


def pairs(X: np.ndarray, y: np.ndarray, p: float) -> list[tuple[float, int, int]]:
    """All pairs with different labels, one by one."""
    found = []
    for i in range(len(X)):
        for k in range(i + 1, len(X)):
            if y[i] != y[k]:
                v = [abs(float(a) - float(b)) for a, b in zip(X[i], X[k], strict=True)]
                far = {1.0: sum(v), 2.0: math.hypot(*v), math.inf: max(v)}[p]
                found.append((far, i, k))
    return found


@pytest.mark.parametrize("p", NORMS)
@given(st.integers(0, 200), st.integers(0, 12))
@settings(deadline=None, max_examples=40)
def test_a_contradiction_is_found_exactly_from_half_the_separation_on(
    p: float, seed: int, twice: int
) -> None:
    X, y = data(seed)
    every = pairs(X, y, p)
    if not every:
        return
    mu, lam = twice / 2, min(every)[0]
    clash = mem.contradiction(X, y, mu, p)
    assert (clash is not None) == (2 * mu >= lam)
    if clash is not None:
        assert clash.depth == mu - lam / 2
        assert clash.labels == (y[clash.i], y[clash.k]) and y[clash.i] != y[clash.k]
        for row in (clash.i, clash.k):
            assert np.linalg.norm(clash.point - X[row], p) <= mu * (1 + 1e-15)
        with pytest.raises(ValueError, match="read-only"):
            clash.point[0] = 0.0


@pytest.mark.parametrize("p", NORMS)
@given(st.integers(0, 200), st.floats(0.0, 0.49))
@settings(deadline=None, max_examples=30)
def test_the_slope_is_the_maximum_over_all_pairs_one_by_one(
    p: float, seed: int, share: float
) -> None:
    X, y = data(seed)
    every = pairs(X, y, p)
    if not every or min(every)[0] == 0.0:
        return
    mu = share * min(every)[0]
    slope = mem.smallest_slope(X, y, mu, p)
    brute = max(abs(y[i] - y[k]) / (far - 2 * mu) for far, i, k in every)
    assert slope.value == pytest.approx(brute, rel=1e-12)
    assert slope.i is not None and slope.k is not None and slope.i < slope.k
    there = np.linalg.norm(X[slope.i] - X[slope.k], p) - 2 * mu
    assert abs(y[slope.i] - y[slope.k]) / there == pytest.approx(brute, rel=1e-9)


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


@pytest.mark.parametrize("classes", [2, None])
def test_random_points_on_a_line_follow_the_law(classes: int | None) -> None:
    N, runs = 10, 2000
    rng, beyond = np.random.default_rng(11), 0
    t = mem.line_median(N, classes)
    assert separation_law.line_survival(t, N, classes) == pytest.approx(0.5, abs=1e-12)
    for _ in range(runs):
        labels = np.arange(N) if classes is None else rng.integers(0, classes, N)
        beyond += mem.separation(rng.random((N, 1)), labels) > t
    assert statistics.clopper_pearson(beyond, runs, 0.9999).contains(0.5)


@pytest.mark.parametrize("N", [2, 7, 3000, 30_000])
def test_without_equal_labels_the_law_on_a_line_is_a_power(N: int) -> None:
    t = -math.expm1(math.log(0.5) / N) / (N - 1)
    assert mem.line_median(N, None) == pytest.approx(t, rel=1e-10)
    assert separation_law.line_survival(t / 2, N, None) == pytest.approx((1 - (N - 1) * t / 2) ** N)


@pytest.mark.parametrize("classes", [2, 3, 10])
def test_the_median_is_found_for_every_number_of_points(classes: int) -> None:
    medians = [mem.line_median(N, classes) for N in (3, 4, 5, 8, 20, 100, 1000, 20_000)]
    assert medians == sorted(medians, reverse=True)
    for N, t in zip((3, 20, 20_000), (medians[0], medians[4], medians[-1]), strict=True):
        assert separation_law.line_survival(t, N, classes) == pytest.approx(0.5, abs=1e-11)


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
    assert mem.line_median(2, 2) == math.inf  # with probability 1/2 there is one label only
