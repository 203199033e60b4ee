"""Sums over half-spaces through the index agree with its reports, whatever has happened to it."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sublinear_lib import geometry
from sublinear_lib.halfspace import AggregateTree, HalfspaceIndex, aggregates
from sublinear_lib.halfspace.aggregates import pays
from tests.halfspace.oracle import ENGINE_IDS, ENGINES, KERNELS

every_engine = pytest.mark.parametrize(("method", "kernels"), ENGINES, ids=ENGINE_IDS)


@pytest.fixture(params=["tree", "report"])
def route(request, monkeypatch):
    """Take one route whatever the sizes; count how often trees are made."""
    made = []

    class Noted(AggregateTree):
        def __init__(self, *arguments, **options):
            made.append(len(arguments[0]))
            super().__init__(*arguments, **options)

    monkeypatch.setattr(aggregates, "pays", lambda m, dimension: request.param == "tree")
    monkeypatch.setattr(aggregates, "AggregateTree", Noted)
    return request.param, made


def whole_numbers(m, d, q, seed=0):
    """Small integers, of which every sum is exact in any order."""
    rng = np.random.default_rng(seed)
    return (
        rng.integers(-9, 10, (m, d)).astype(float),
        rng.integers(-9, 10, m).astype(float),
        rng.integers(-9, 10, (q, d)).astype(float),
        rng.integers(-30, 31, q).astype(float),
        rng.integers(-5, 6, m).astype(float),
    )


def assert_sums(index, points, biases, normals, offsets, weights, strict=True):
    scores = normals @ points.T + (0.0 if biases is None else biases)
    inside = scores > offsets[:, None] if strict else scores >= offsets[:, None]
    found = index.aggregate_halfspace(normals, offsets, weights, strict=strict)
    np.testing.assert_array_equal(found.counts, inside.sum(axis=1))
    assert found.counts.dtype == np.int64
    np.testing.assert_array_equal(found.weight_sums, inside @ weights)
    np.testing.assert_array_equal(found.point_sums, inside @ (weights[:, None] * points))
    expected = np.zeros(len(normals)) if biases is None else inside @ (weights * biases)
    np.testing.assert_array_equal(found.bias_sums, expected)


@every_engine
@pytest.mark.parametrize("biased", [True, False])
def test_sums_are_those_of_the_reported_points(method, kernels, biased, route):
    points, biases, normals, offsets, weights = whole_numbers(700, 3, 40)
    biases = biases if biased else None
    index = HalfspaceIndex(points, biases, method=method, kernels=kernels)
    for strict in (True, False):
        assert_sums(index, points, biases, normals, offsets, weights, strict)


@every_engine
def test_sums_follow_every_change(method, kernels, route):
    kind, made = route
    points, biases, normals, offsets, weights = whole_numbers(700, 2, 30)
    index = HalfspaceIndex(points, biases, method=method, kernels=kernels)
    rng = np.random.default_rng(1)

    def check(times_made):
        assert_sums(index, points, biases, normals, offsets, weights)
        assert len(made) == (times_made if kind == "tree" else 0)

    check(1)
    check(1)
    few = rng.choice(700, 50, replace=False)
    points[few] = rng.integers(-9, 10, (50, 2))
    index.update(few, points[few])
    index.update(few[:3], points[few[:3]], np.full(3, 7.0))
    biases[few[:3]] = 7.0
    check(1)
    points = points + 3.0
    index.update(index.ids, points)
    check(1)
    weights = weights[::-1].copy()
    check(2)
    index.remove([0, 5, 699])
    kept = np.setdiff1d(np.arange(700), [0, 5, 699])
    points, biases, weights = points[kept], biases[kept], weights[kept]
    check(3)
    points[10:20] -= 5.0  # rows are not positions now
    index.update(index.ids[10:20], points[10:20])
    check(3)
    index.insert(np.ones((4, 2)), np.ones(4))
    points, biases = np.vstack((points, np.ones((4, 2)))), np.append(biases, np.ones(4))
    weights = np.append(weights, np.arange(4.0))
    check(4)
    index.remove(index.ids[:600])
    points, biases, weights = points[600:], biases[600:], weights[600:]
    check(5)
    index.rebuild()
    check(6)
    index.remove(index.ids)
    points, biases, weights = points[:0], biases[:0], weights[:0]
    check(7)


def test_a_tree_of_sums_is_for_many_points_in_few_dimensions():
    assert [pays(2**20, dimension) for dimension in (1, 4, 5, 32)] == [True, True, False, False]
    assert not pays(100, 2)


def test_large_answers_are_summed_piece_by_piece(monkeypatch):
    monkeypatch.setattr(aggregates, "pays", lambda m, dimension: False)
    monkeypatch.setattr(aggregates, "_IDS_AT_ONCE", 50)
    monkeypatch.setattr(aggregates, "_NUMBERS_AT_ONCE", 64)
    points, biases, normals, offsets, weights = whole_numbers(300, 5, 20)
    index = HalfspaceIndex(points, biases)
    assert_sums(index, points, biases, normals, offsets, weights)


def test_what_is_kept_counts_as_memory_and_stays_out_of_copies(route):
    points, biases, normals, offsets, weights = whole_numbers(5000, 2, 10)
    index = HalfspaceIndex(points, biases)
    before, pickled = index.stats().memory, len(pickle.dumps(index))
    index.aggregate_halfspace(normals, offsets, weights)
    assert index.stats().memory >= before + (8 * 8 * 5000 if route[0] == "tree" else 0)
    assert len(pickle.dumps(index)) < pickled + 1000
    for other in (index.copy(), pickle.loads(pickle.dumps(index))):
        other.update([0], [[5.0, 5.0]])
        moved = points.copy()
        moved[0] = 5.0
        assert_sums(other, moved, biases, normals, offsets, weights)
    assert_sums(index, points, biases, normals, offsets, weights)


@pytest.mark.parametrize("kernels", KERNELS)
def test_threads_with_different_weights_do_not_disturb_each_other(kernels, route):
    points, biases, normals, offsets, weights = whole_numbers(600, 2, 20)
    index = HalfspaceIndex(points, biases, kernels=kernels)
    with ThreadPoolExecutor(4) as pool:
        jobs = [
            pool.submit(assert_sums, index, points, biases, normals, offsets, weights * (1 + i % 3))
            for i in range(24)
        ]
        for job in jobs:
            job.result()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([[1.0, 1.0]], 0.0, [1.0, 2.0]), ValueError, r"weights must have shape \(3,\)"),
        (([[1.0, 1.0]], 0.0, [1e305, 1.0, 1.0]), ValueError, r"at most 2\*\*1000"),
    ],
)
def test_bad_arguments_are_refused_and_change_nothing(arguments, error, message, route):
    points = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    index = HalfspaceIndex(points, np.zeros(3))
    before = pickle.dumps(index)
    with pytest.raises(error, match=message):
        index.aggregate_halfspace(*arguments)
    assert pickle.dumps(index) == before
    assert index.aggregate_halfspace([[1.0, 0.0]], 2.0, np.ones(3)).counts.tolist() == [2]


def test_moves_after_which_sums_could_overflow_are_refused_when_sums_are_asked(route):
    index = HalfspaceIndex(np.ones((3, 2)), np.zeros(3))
    index.aggregate_halfspace([[1.0, 1.0]], 0.0, np.ones(3))
    index.update([1], [[1e305, 0.0]])
    with pytest.raises(ValueError, match=r"weights \* points .* at most 2\*\*1000"):
        index.aggregate_halfspace([[1.0, 1.0]], 0.0, np.ones(3))
    index.update([1], [[0.0, 0.0]])
    found = index.aggregate_halfspace([[1.0, 1.0]], 1.0, np.ones(3))
    assert found.counts.tolist() == [2]


def test_on_x_a_bias_costs_the_sums_no_dimension():
    rng = np.random.default_rng(0)
    W, b, a = rng.standard_normal((6000, 4)), rng.standard_normal(6000), rng.standard_normal(6000)
    X = geometry.sample_slice(20, 4, rng=1)
    free, on_x = HalfspaceIndex(W, b), HalfspaceIndex(W, b, domain="slice")
    expected = free.aggregate_halfspace(X, 0.5, a)
    found = on_x.aggregate_halfspace(X, 0.5, a)
    np.testing.assert_array_equal(found.counts, expected.counts)
    np.testing.assert_allclose(found.point_sums, expected.point_sums, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.bias_sums, expected.bias_sums, rtol=0, atol=1e-9)
    copied = pickle.loads(pickle.dumps(on_x)).aggregate_halfspace(X, 0.5, a)
    np.testing.assert_array_equal(copied.point_sums, found.point_sums)
    kept = [index._sums._tree for index in (free, on_x)]
    assert kept[0] is None, "five coordinates: the points are reported and added up"
    assert kept[1] is not None, "four coordinates: a tree of sums"
