"""Sums over half-spaces: the exact set, sums within their stated bound, and few rows touched."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sublinear_lib import geometry, statistics
from sublinear_lib.halfspace import kernels_numpy
from sublinear_lib.halfspace.aggregates import AggregateTree, _halved
from sublinear_lib.network import TwoLayerNetwork
from tests.halfspace.oracle import KERNELS, LATTICE, exact_sets, problems, vectors
from tests.kernel_sets import EACH_SET

LIMIT = Fraction(2) ** 1000
UNIT = 2.0**-53

each_set = pytest.mark.parametrize("kernels", EACH_SET)


def exact_columns(points, weights, biases):
    """Return ``a``, ``a b``, ``a p_1``, ... of every point, exactly."""
    biases = np.zeros(len(points)) if biases is None else biases
    return [
        [Fraction(float(a))] + [Fraction(float(a)) * Fraction(float(v)) for v in (b, *point)]
        for point, a, b in zip(points, weights, biases, strict=True)
    ]


def total_magnitude(points, weights, biases):
    """Return the largest sum of the absolute values of a column, exactly."""
    columns = exact_columns(points, weights, biases)
    return max((sum(map(abs, column)) for column in zip(*columns, strict=True)), default=0)


def check(tree, points, weights, biases, normals, offsets, strict):
    """Compare all sums of a tree with rational arithmetic; return the bounds that held."""
    found = tree.aggregate_halfspace(normals, offsets, strict=strict, bounds=True)
    columns = exact_columns(points, weights, biases)
    wanted = exact_sets(points, biases, normals, offsets, strict)
    assert found.counts.tolist() == list(map(len, wanted))
    sums = np.column_stack((found.weight_sums, found.bias_sums, found.point_sums))
    errors = np.column_stack((found.weight_errors, found.bias_errors, found.point_errors))
    assert np.isfinite(sums).all() and np.isfinite(errors).all()
    for i, ids in enumerate(wanted):
        for c in range(sums.shape[1]):
            exact = sum((columns[r][c] for r in ids), Fraction(0))
            error = abs(Fraction(float(sums[i, c])) - exact)
            assert error <= Fraction(float(errors[i, c])), f"query {i}, column {c}: {float(error)}"
    plain = tree.aggregate_halfspace(normals, offsets, strict=strict)
    assert plain.counts.tolist() == found.counts.tolist()
    assert plain.weight_errors is None and plain.bias_errors is None and plain.point_errors is None
    np.testing.assert_array_equal(plain.point_sums, found.point_sums)
    return errors


# Against rational arithmetic


@each_set
@settings(deadline=None, max_examples=80)
@given(problem=problems(), leaf_size=st.sampled_from([1, 2, 7, 8, 9, 64]), data=st.data())
def test_counts_are_exact_and_sums_within_their_bounds(kernels, problem, leaf_size, data):
    points, biases, normals, offsets, strict = problem
    numbers = data.draw(st.sampled_from([LATTICE, st.floats(-2.0, 2.0), st.floats(-1e-300, 1e300)]))
    weights = data.draw(vectors(len(points), 1, numbers))[:, 0]
    size = total_magnitude(points, weights, biases)
    assume(not LIMIT / 2 < size < LIMIT * 2)
    if size > LIMIT:
        with pytest.raises(ValueError, match=r"at most 2\*\*1000"):
            AggregateTree(points, weights, biases, leaf_size=leaf_size, kernels=kernels)
        return
    tree = AggregateTree(points, weights, biases, leaf_size=leaf_size, kernels=kernels)
    check(tree, points, weights, biases, normals, offsets, strict)


@each_set
@pytest.mark.parametrize("strict", [True, False])
def test_on_x_the_biases_cost_no_dimension(kernels, strict):
    rng = np.random.default_rng(0)
    points, bias = rng.standard_normal((800, 3)), rng.standard_normal(800)
    points[::5, :2], points[::5, 2] = 0.0, np.round(3.0 * points[::5, 2])
    bias[::5] = 0.5 - points[::5, 2] / 2.0  # <p, x> + b = 1/2 wherever x_d = 1/2
    weights = rng.integers(-5, 6, 800).astype(float)
    normals = geometry.sample_slice(6, 3, rng)
    normals[1::2, -1] += 1e-9  # still passes for a point of X
    tree = AggregateTree(points, weights, bias, domain="slice", kernels=kernels)
    assert tree._tree._tree.coordinates.shape[1] == 3
    check(tree, points, weights, bias, normals, np.full(6, 0.5), strict)
    with pytest.raises(ValueError, match="normals"):
        tree.aggregate_halfspace([[1.0, 0.0, 0.0]], 0.5)
    with pytest.raises(ValueError, match="X"):
        tree.value_and_gradient([[1.0, 0.0, 0.0]], 0.5)
    assert "domain='slice'" in repr(tree)


@each_set
def test_the_bounds_pay_for_products_that_underflow(kernels):
    points, weights = np.full((40, 1), 2.0**-600), np.full(40, 2.0**-600)
    tree = AggregateTree(points, weights, leaf_size=8, kernels=kernels)
    assert tree.aggregate_halfspace([[1.0]], 0.0).point_sums.tolist() == [[0.0]]
    errors = check(tree, points, weights, None, np.ones((1, 1)), np.zeros(1), True)
    assert 40 * Fraction(2) ** -1200 <= Fraction(float(errors[0, 2])) < Fraction(2) ** -1000


@each_set
@pytest.mark.parametrize("numbers_at_once", [1, 100, 2**18])
def test_bounds_are_honest_and_useful_for_many_points(kernels, numbers_at_once, monkeypatch):
    monkeypatch.setattr(kernels_numpy, "_NUMBERS", numbers_at_once)
    rng = np.random.default_rng(1)
    points, weights = rng.standard_normal((3000, 3)), rng.standard_normal(3000)
    normals, offsets = rng.standard_normal((4, 3)), np.array([2.0, 0.5, 0.0, -100.0])
    tree = AggregateTree(points, weights, kernels=kernels)
    errors = check(tree, points, weights, None, normals, offsets, True)
    active = normals @ points.T > offsets[:, None]
    magnitudes = active @ np.abs(weights[:, None] * points)
    assert (errors[:, 2:] < 400 * UNIT * magnitudes).all(), "far less than m u, the naive bound"
    # A sum within a leaf may take 64 additions; so no bound of magnitudes left out is this large.
    assert (errors[:, 2:] > 60 * UNIT * magnitudes).all()


@each_set
def test_the_bounds_count_the_pieces(kernels):
    points = np.random.default_rng(1).standard_normal((1000, 2))
    tree = AggregateTree(points, np.ones(1000), leaf_size=1, kernels=kernels)
    found = tree.aggregate_halfspace([[1.0, 0.5]], 0.0, bounds=True)
    assert found.weight_errors / (UNIT * found.counts) > 90.0  # 69 with a single piece


def test_halves_sum_any_number_of_terms():
    for k in range(1, 70):
        terms = np.arange(2 * k, dtype=float).reshape(2, k)
        np.testing.assert_array_equal(_halved(terms), terms.sum(axis=1))
        assert (terms == np.arange(2 * k).reshape(2, k)).all(), "the terms are left alone"
    # Every term passes through ceil(log2 k) additions only: one after the other loses all of these.
    assert _halved(np.concatenate(([1.0], np.full(2**12 - 1, UNIT)))) > 1.0


# The network


def slice_network(activation, activity, seed=3, m=900, d=3):
    """Return a network, a threshold at which about so many neurons fire, and points of X."""
    rng = np.random.default_rng(seed)
    W, b = rng.standard_normal((m, d)) / np.sqrt(m), rng.standard_normal(m) / np.sqrt(m)
    a = rng.choice([-1.0, 1.0], m) * m**-0.2
    X = geometry.sample_slice(6, d, rng)
    tau = max(0.0, float(np.quantile(X @ W.T + b, 1.0 - activity)))
    return TwoLayerNetwork(W, a, b, tau, activation), X


@pytest.mark.parametrize("kernels", KERNELS)  # the network chooses its own
@pytest.mark.parametrize("activation", ["jump", "continuous"])
@pytest.mark.parametrize("activity", [0.01, 0.1, 0.5])
def test_value_and_gradient_are_those_of_the_network(kernels, activation, activity):
    network, X = slice_network(activation, activity)
    tree = AggregateTree(network.W, network.a, network.b, leaf_size=16, kernels=kernels)
    found = tree.value_and_gradient(X, network.tau, activation, bounds=True)
    active = network.active_mask(X)
    np.testing.assert_array_equal(found.counts, active.sum(axis=1))
    assert abs(found.counts.mean() / network.m - activity) < 0.3 * activity

    np.testing.assert_allclose(found.value, network.forward(X), rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.gradient, network.input_gradient(X), rtol=0, atol=1e-12)

    # And the exact value is within the bound.
    for i in range(2):
        exact = Fraction(0)
        for r in np.flatnonzero(active[i]):
            parts = zip(network.W[r], X[i], strict=True)
            z = sum((Fraction(float(w)) * Fraction(float(x)) for w, x in parts), Fraction(0))
            z += Fraction(float(network.b[r])) - Fraction(network.shift)
            exact += Fraction(float(network.a[r])) * z
        error = abs(Fraction(float(found.value[i])) - exact)
        assert error <= Fraction(float(found.value_errors[i]))
    plain = tree.value_and_gradient(X, network.tau, activation)
    np.testing.assert_array_equal(plain.value, found.value)
    assert plain.value_errors is None and plain.gradient_errors is None


@each_set
@pytest.mark.parametrize(("activation", "value"), [("jump", 1.5), ("continuous", 0.5)])
def test_a_neuron_that_ties_at_tau_does_not_fire(kernels, activation, value):
    tree = AggregateTree([[1.0, 7.0], [2.0, 7.0]], [1.0, 9.0], [0.5, -1.0], kernels=kernels)
    found = tree.value_and_gradient([[1.0, 0.0]], 1.0, activation)
    assert found.counts.tolist() == [1]
    assert found.value.tolist() == [value]
    assert found.gradient.tolist() == [[1.0, 7.0]]


def test_a_value_that_overflows_has_an_infinite_bound():
    tree = AggregateTree([[1e200, 1e200]], [1.0])
    found = tree.value_and_gradient([[1e200, 1e-300]], 0.0, bounds=True)
    assert found.counts.tolist() == [1]
    assert found.value_errors.tolist() == [np.inf]


# The work


@pytest.mark.parametrize(("d", "theory"), [(2, 1 / 2), (3, 2 / 3)])
def test_rows_touched_at_half_activity_grow_sublinearly(d, theory):
    widths = 2 ** np.arange(10, 17)
    touched = np.empty((4, len(widths)))
    for seed, rng in enumerate(statistics.spawn(20, len(touched))):
        for column, m in enumerate(widths):
            tree = AggregateTree(rng.standard_normal((m, d)), np.ones(m))
            counts = tree.aggregate_halfspace(rng.standard_normal((32, d)), 0.0).counts
            assert abs(counts.mean() / m - 0.5) < 0.1
            touched[seed, column] = tree.stats().rows_touched / 32
    slope = statistics.loglog_slope(widths, touched)
    assert slope.excludes(1.0)
    # The exponent is reached from above: the outer leaves are wide, and fewer the more there are.
    assert theory - 0.02 < slope.lower and slope.upper < theory + 0.08, str(slope)
    late = statistics.loglog_slope(widths[3:], touched[:, 3:])
    assert late.estimate < slope.estimate < 0.8, f"{late} should be nearer to the limit"


@each_set
def test_a_half_space_that_holds_everything_or_nothing_touches_no_row(kernels):
    points = np.random.default_rng(5).standard_normal((3000, 3))
    tree = AggregateTree(points, np.ones(3000), kernels=kernels)
    normals = np.eye(3)
    assert tree.aggregate_halfspace(normals, -100.0).counts.tolist() == [3000] * 3
    stats = tree.stats()
    assert (stats.rows_touched, stats.rows_summed_untouched) == (0, 9000)
    assert tree.aggregate_halfspace(normals, 100.0).counts.tolist() == [0] * 3
    assert tree.stats().rows_touched == 0
    assert tree.stats().rows_summed_untouched == 9000
    tree.aggregate_halfspace(normals, 0.0)
    assert 0 < tree.stats().rows_touched < 3 * 3000 / 2


# Errors, and what a user holds


def test_bad_input_is_refused_and_changes_nothing():
    points = np.random.default_rng(6).standard_normal((50, 2))
    weights, bias = np.ones(50), np.zeros(50)
    for wrong in (
        {"weights": weights[:-1]},
        {"bias": bias[:-1]},
        {"weights": np.full(50, 1e301)},
        {"points": points * 1e200, "weights": np.full(50, 1e150)},
        {"bias": np.full(50, 1e200), "weights": np.full(50, 1e150)},
    ):
        with pytest.raises(ValueError):
            AggregateTree(**{"points": points, "weights": weights, "bias": bias, **wrong})
    tree = AggregateTree(points, weights, bias)
    unbiased = AggregateTree(points, weights)
    before = tree.aggregate_halfspace(points, 0.5)
    with pytest.raises(ValueError, match="without biases"):
        unbiased.update([0], points[:1], bias=[1.0])
    for update in (
        {"ids": [50], "points": points[:1]},
        {"ids": [3, 3], "points": points[:2]},
        {"ids": [3], "points": points[:2]},
        {"ids": [3], "points": [[2.0, 0.0]], "bias": [1.0, 2.0]},
        {"ids": [3], "points": [[2.0**1001, 0.0]]},
    ):
        with pytest.raises(ValueError):
            tree.update(**update)
    with pytest.raises(ValueError):
        tree.aggregate_halfspace(np.ones((2, 2)), np.zeros(3))
    after = tree.aggregate_halfspace(points, 0.5)
    np.testing.assert_array_equal(after.point_sums, before.point_sums)
    np.testing.assert_array_equal(after.counts, before.counts)


def test_a_large_point_may_be_replaced_by_another():
    # The bound on the sums is that of the points there will be, not of old and new together.
    large = 0.75 * 2.0**1000
    tree = AggregateTree([[large], [1.0]], [1.0, 1.0])
    tree.update([0], [[-large]])
    assert tree.aggregate_halfspace([[1.0]], 0.0).point_sums.tolist() == [[1.0]]
    with pytest.raises(ValueError, match=r"2\*\*1000"):
        tree.update([1], [[large]])
    assert tree.aggregate_halfspace([[1.0]], 0.0).point_sums.tolist() == [[1.0]]


def test_the_arrays_of_the_caller_are_neither_kept_nor_changed():
    points, weights, bias = np.ones((3, 2)), np.ones(3), np.zeros(3)
    tree = AggregateTree(points, weights, bias)
    points[:], weights[:], bias[:] = 9.0, 9.0, 9.0
    assert tree.aggregate_halfspace([[1.0, 0.0]], 0.5).weight_sums.tolist() == [3.0]
    tree.update([0], [[5.0, 5.0]])
    assert points.tolist() == [[9.0, 9.0]] * 3


def test_no_query_and_no_update_are_allowed():
    tree = AggregateTree(np.ones((3, 2)), np.ones(3))
    tree.update([], np.empty((0, 2)))
    found = tree.aggregate_halfspace(np.empty((0, 2)), 0.0, bounds=True)
    assert found.counts.shape == (0,) and found.point_errors.shape == (0, 2)
    assert tree.value_and_gradient(np.empty((0, 2)), 0.0).value.shape == (0,)


def test_a_tree_says_what_it_holds():
    tree = AggregateTree(np.ones((1000, 2)), np.ones(1000), np.ones(1000), kernels="numpy")
    assert len(tree) == 1000
    assert repr(tree).startswith("AggregateTree(m=1000, d=2, biased, kernels='numpy', memory=")
    assert tree.stats().memory > 1000 * 8 * 8
