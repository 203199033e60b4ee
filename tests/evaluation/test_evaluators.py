"""Evaluations on all neurons and on candidate lists agree, exactly where that is promised."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sublinear_lib import geometry, scaling
from sublinear_lib.evaluation import Evaluator, Neurons, Region, evaluators, kernels_in_use
from sublinear_lib.evaluation.evaluators import kernels
from sublinear_lib.halfspace import HalfspaceHits
from sublinear_lib.network import TwoLayerNetwork
from tests.kernel_sets import EACH_SET, KERNELS

REDUCTIONS = ("blas", "reference")


@pytest.fixture(params=EACH_SET)
def kernel(request, monkeypatch):
    monkeypatch.setenv("SUBLINEAR_NUMBA", "0" if request.param == "numpy" else "1")
    assert kernels_in_use() == request.param
    return request.param


def setup(m=400, d=6, n=9, seed=0, *, activation="jump", t=1.0):
    tau = scaling.threshold_from_standard(t, m)
    network = TwoLayerNetwork.initialize(m, d, rng=seed, tau=tau, activation=activation)
    return network, geometry.sample_slice(n, d, rng=seed + 100)


def candidates(network, X, margin):
    """Every neuron that is within `margin` of firing: a superset of the active sets."""
    mask = network.preactivations(X, on_slice=False) > network.tau - margin
    hits = HalfspaceHits.from_mask(mask)
    return hits.indptr, hits.indices


def everything(evaluator, X, v):
    """Return all that an evaluator can tell about X, as a dictionary."""
    value = evaluator.value(X)
    again, slope = evaluator.value_and_input_gradient(X)
    passed = evaluator.forward(X)
    rows, gradient = evaluator.weight_gradient(X, passed, v)
    full = np.zeros((evaluator.neurons.m, evaluator.neurons.d))
    full[slice(None) if rows is None else rows] = gradient
    indptr, indices = passed.active_sets()
    return {
        "value": value,
        "value with gradient": again,
        "value of the pass": passed.value,
        "input gradient": slope,
        "weight gradient": full,
        "indptr": indptr,
        "indices": indices,
        "counts": passed.counts,
        "touched": passed.touched,
    }


def brute_force(network, X, v):
    active = network.active_mask(X, on_slice=False)
    outputs = (network.preactivations(X, on_slice=False) - network.shift) * active
    value = outputs @ network.a
    hits = HalfspaceHits.from_mask(active)
    return {
        "value": value,
        "value with gradient": value,
        "value of the pass": value,
        "input gradient": (active * network.a) @ network.W,
        "weight gradient": (active * v[:, None]).T @ X * network.a[:, None],
        "indptr": hits.indptr,
        "indices": hits.indices,
        "counts": hits.counts,
        "touched": active.any(axis=0),
    }


def assert_same(found, expected, *, exact, message=""):
    for name, array in expected.items():
        if exact or array.dtype.kind != "f":
            assert_array_equal(found[name], array, err_msg=f"{name} {message}")
        else:
            assert_allclose(found[name], array, rtol=1e-12, atol=1e-13, err_msg=f"{name} {message}")


@pytest.mark.parametrize("activation", ["jump", "continuous"])
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("size", [(1, 2, 1), (3, 2, 4), (400, 6, 9), (2000, 3, 40), (700, 17, 5)])
def test_all_neurons_and_lists_agree_with_brute_force(kernel, size, reduction, activation):
    m, d, n = size
    network, X = setup(m, d, n, activation=activation)
    v = np.linspace(-1.0, 1.0, n)
    expected = brute_force(network, X, v)
    neurons = network.working_copy()
    full = Evaluator(neurons, n, reduction=reduction)
    assert_same(everything(full, X, v), expected, exact=False, message="on all neurons")
    for margin in (0.0, 0.3 * network.tau, 10.0):
        lists = candidates(network, X, margin)
        some = Evaluator(neurons, n, lists=lists, reduction=reduction)
        assert_same(everything(some, X, v), expected, exact=False, message=f"margin {margin}")


@settings(max_examples=25)
@given(
    st.integers(1, 200),
    st.integers(2, 9),
    st.integers(1, 12),
    st.integers(0, 1000),
    st.floats(0.0, 2.0),
    st.sampled_from(["jump", "continuous"]),
)
def test_the_reference_order_gives_the_same_bits_for_every_superset(m, d, n, seed, t, activation):
    network, X = setup(m, d, n, seed, activation=activation, t=t)
    v = np.random.default_rng(seed).standard_normal(n)
    results, smoothed = [], []
    for name, margin in itertools.product(KERNELS, (0.0, 0.05, np.inf)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SUBLINEAR_NUMBA", "0" if name == "numpy" else "1")
            lists = None if margin == np.inf else candidates(network, X, margin)
            evaluator = Evaluator(network.working_copy(), n, lists=lists, reduction="reference")
            results.append(((name, margin), everything(evaluator, X, v)))
            if margin:
                smoothed.append(evaluator.smoothed_input_gradient(X, 0.05))
    for label, found in results[1:]:
        assert_same(found, results[0][1], exact=True, message=f"{label} against {results[0][0]}")
    for found in smoothed[1:]:
        assert_array_equal(found, smoothed[0])


def test_the_reference_order_is_the_one_it_says():
    network, X = setup(60, 5, 3, t=0.3)
    evaluator = Evaluator(network.working_copy(), 3, reduction="reference")
    value, slope = evaluator.value_and_input_gradient(X)
    v = np.array([0.3, -0.7, 0.1])
    passed = evaluator.forward(X)
    rows, gradient = evaluator.weight_gradient(X, passed, v)
    steps = np.zeros((60, 5))
    for i, x in enumerate(X):
        total, direction = 0.0, [0.0] * 5
        for r in range(60):
            z = 0.0
            for k in range(5):
                z += float(network.W[r, k]) * float(x[k])
            z += float(network.b[r])
            if z > network.tau:
                total += float(network.a[r]) * (z - network.shift)
                for k in range(5):
                    direction[k] += float(network.a[r]) * float(network.W[r, k])
                    steps[r, k] += float(v[i]) * float(network.a[r]) * float(x[k])
        assert value[i] == total, i
        assert slope[i].tolist() == direction, i
    assert_array_equal(gradient, steps[rows])


def lattice_network(m, d, seed, activation="jump"):
    """Integer weights and threshold: at integer points a large share of the scores are ties."""
    rng = np.random.default_rng(seed)
    return TwoLayerNetwork(
        rng.integers(-3, 4, (m, d)).astype(float),
        rng.choice([-1.0, 1.0], m),
        rng.integers(-2, 3, m).astype(float),
        2.0,
        activation,
    )


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("activation", ["jump", "continuous"])
def test_ties_are_decided_exactly_on_every_path(kernel, reduction, activation):
    network = lattice_network(900, 4, 1, activation)
    X = np.random.default_rng(2).integers(-2, 3, (30, 4)).astype(float)
    z = X @ network.W.T + network.b  # exact in integers
    assert np.count_nonzero(z == 2.0) > 500, "the example must have ties"
    v = np.ones(30)
    active = z > 2.0
    expected = {
        "value": ((z - network.shift) * active) @ network.a,
        "counts": active.sum(axis=1),
        "touched": active.any(axis=0),
        "input gradient": (active * network.a) @ network.W,
        "weight gradient": active.T.astype(float) @ X * network.a[:, None],
    }
    neurons = network.working_copy()
    for margin in (None, 0.5, 1.5):
        lists = None if margin is None else candidates(network, X, margin)
        evaluator = Evaluator(neurons, 30, lists=lists, reduction=reduction)
        # Integers below 2**53: every order gives the same sum, so equality is exact.
        assert_same(everything(evaluator, X, v), expected, exact=True, message=f"margin {margin}")


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_scores_that_overflow_are_decided_exactly(kernel, reduction):
    W = np.array([[1e308, 1e308, 0.0], [1e308, -1e308, 0.0], [0.0, 0.0, 1.0]])
    network = TwoLayerNetwork(W, np.ones(3), np.zeros(3), 0.5)
    X = np.array([[10.0, -10.0, 0.0], [10.0, 10.0, 1.0]])
    expected = [[False, True, False], [True, False, True]]
    for lists in (None, (np.array([0, 3, 6]), np.tile(np.arange(3, dtype=np.int32), 2))):
        passed = Evaluator(network.working_copy(), 2, lists=lists, reduction=reduction).forward(X)
        indptr, indices = passed.active_sets()
        assert_array_equal(HalfspaceHits(indptr, indices).to_mask(3), expected)


def test_neurons_wanted_by_many_points_move_to_the_block_and_nothing_changes(kernel):
    network, X = setup(500, 4, 60, t=0.8)
    lists = candidates(network, X, 0.5 * network.tau)
    evaluator = Evaluator(network.working_copy(), 60, lists=lists)
    listed = np.bincount(lists[1], minlength=500)
    popular = np.flatnonzero(listed > 60 * evaluators._SHARE_FOR_MATRIX)
    assert_array_equal(evaluator._block, popular)
    assert 0 < popular.size < np.count_nonzero(listed), "the example must use both ways"
    assert evaluator.candidates == 60 * popular.size + listed[listed <= 10].sum()
    v = np.ones(60)
    assert_same(everything(evaluator, X, v), brute_force(network, X, v), exact=False)


def test_tiles_cover_everything_when_points_and_neurons_do_not_fit_one(monkeypatch, kernel):
    monkeypatch.setattr(evaluators, "_POINTS_AT_ONCE", 7)
    monkeypatch.setattr(evaluators, "_SCORES_AT_ONCE", 7 * 64)
    network, X = setup(301, 3, 23)
    v = np.linspace(-1, 1, 23)
    for lists in (None, candidates(network, X, network.tau)):
        evaluator = Evaluator(network.working_copy(), 23, lists=lists)
        assert_same(everything(evaluator, X, v), brute_force(network, X, v), exact=False)


def test_changed_rows_count_from_the_next_call_on(kernel):
    network, X = setup(200, 4, 30)
    neurons = network.working_copy()
    mask = np.ones((30, 200), dtype=bool)
    hits = HalfspaceHits.from_mask(mask)
    several = [Evaluator(neurons, 30), Evaluator(neurons, 30, lists=(hits.indptr, hits.indices))]
    for evaluator in several:
        evaluator.value(X)
    W = network.W.copy()
    W[[3, 50]] *= 40.0  # also moves the bound of the norms
    for rows, now, values in (([3, 50], W, W[[3, 50]]), (None, 2.0 * W, 2.0 * W)):
        neurons.set_rows(None if rows is None else np.array(rows), values)
        expected = brute_force(network.with_weights(now), X, np.ones(30))
        for evaluator in several:
            assert_same(everything(evaluator, X, np.ones(30)), expected, exact=False)
    assert (network.W != W).any(), "the network itself must keep its weights"


def test_after_an_interrupted_change_no_copy_of_rows_is_out_of_date(kernel, monkeypatch):
    network, X = setup(200, 4, 30)
    neurons = network.working_copy()
    hits = HalfspaceHits.from_mask(np.ones((30, 200), dtype=bool))
    evaluator = Evaluator(neurons, 30, lists=(hits.indptr, hits.indices))
    evaluator.value(X)
    write = kernels().write_rows

    def interrupted(*arguments):
        write(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(kernels(), "write_rows", interrupted)
    W = network.W.copy()
    W[[3, 50]] *= 40.0
    changed = network.with_weights(W)
    with pytest.raises(KeyboardInterrupt):
        neurons.set_rows(np.array([3, 50]), W[[3, 50]])
    assert_allclose(evaluator.value(X), brute_force(changed, X, np.ones(30))["value"], rtol=1e-9)


def test_trusted_lists_are_the_active_sets(kernel):
    network, X = setup(50, 3, 2)
    lists = (np.array([0, 2, 3]), np.array([4, 9, 4], dtype=np.int32))
    evaluator = Evaluator(network.working_copy(), 2, lists=lists, trusted=True)
    z = network.preactivations(X)
    a = network.a
    value, slope = evaluator.value_and_input_gradient(X)
    assert_allclose(value, [a[4] * z[0, 4] + a[9] * z[0, 9], a[4] * z[1, 4]], rtol=1e-12)
    assert_allclose(slope[1], a[4] * network.W[4], rtol=1e-12)
    assert evaluator.forward(X).counts.tolist() == [2, 1]


def test_work_counts_rows_read(kernel):
    network, X = setup(300, 5, 12)
    lists = candidates(network, X, 0.01)
    active = int(network.active_mask(X).sum())
    for reduction in REDUCTIONS:
        some = Evaluator(network.working_copy(), 12, lists=lists, reduction=reduction)
        full = Evaluator(network.working_copy(), 12, reduction=reduction)
        for evaluator, rows, fire in ((full, 12 * 300, 12 * 300), (some, some.candidates, active)):
            evaluator.value(X)
            assert evaluator.work == rows
            evaluator.value_and_input_gradient(X)
            assert evaluator.work == 2 * rows + fire
            evaluator.weight_gradient(X, evaluator.forward(X), np.ones(12))
            assert evaluator.work == 3 * rows + 2 * fire


def test_points_outside_the_region_of_the_lists_are_refused():
    network, X = setup(50, 4, 3)
    region = Region(X, radius=0.2, tolerance=1e-8)
    evaluator = network.evaluator(3, region=region)
    inside = geometry.sample_caps(X, 0.2, rng=0)
    evaluator.value(inside)
    evaluator.value(X + np.array([0.0, 0.0, 0.0, 5e-9]))
    far = inside.copy()
    far[2] = geometry.project_to_caps(-X[2:], X[2:], 0.20001)[0]
    for points, message in (
        (far, r"within 0\.2 .* row 2 is 0\.2000"),
        (X + np.array([0.0, 0.0, 0.0, 2e-8]), r"row 0 is 0\.0 away, and [12][.0-9]*e-08 in the"),
        (X[:2], r"X must have shape \(3, 4\)"),
        (np.full((3, 4), np.nan), "finite"),
    ):
        for method in (evaluator.value, evaluator.value_and_input_gradient, evaluator.forward):
            with pytest.raises(ValueError, match=message):
                method(points)


def test_lists_for_another_number_of_points_are_refused():
    network, X = setup(50, 4, 3)
    with pytest.raises(ValueError, match=r"lists\.indptr must have length"):
        network.evaluator(3, lists=HalfspaceHits.from_mask(np.ones((2, 50), dtype=bool)))
    lists = HalfspaceHits.from_mask(network.active_mask(X))
    assert_allclose(network.evaluator(3, lists=lists).value(X), network.forward(X), atol=1e-13)


def test_read_only_and_foreign_arrays_are_accepted():
    network, X = setup(50, 4, 3)
    X.flags.writeable = False
    evaluator = network.evaluator(3)
    expected = evaluator.value(X)
    assert_array_equal(evaluator.value(X.tolist()), expected)
    assert_array_equal(evaluator.value(np.asfortranarray(X)), expected)


def test_the_band_around_the_threshold_covers_every_rounding_error():
    rng = np.random.default_rng(0)
    for scale in (1e-160, 1e-8, 1.0, 1e8, 1e150):
        W = scale * rng.standard_normal((200, 12))
        neurons = Neurons(W, np.ones(200), scale * rng.standard_normal(200), 0.0, 0.0)
        X = rng.standard_normal((20, 12))
        lower, upper = neurons.undecided_band(X)
        exact = X.astype(np.longdouble) @ W.astype(np.longdouble).T + neurons.b
        orders = [X @ W.T + neurons.b, X[:, ::-1].copy() @ W[:, ::-1].copy().T + neurons.b]
        error = max(float(np.abs(exact - z).max()) for z in orders)
        assert error <= upper - neurons.tau, scale
        assert error <= neurons.tau - lower, scale
        assert upper <= 1e-10 * scale + 1e-165, "the band must stay narrow"


def test_the_band_grows_with_the_rows_and_never_shrinks():
    network, X = setup(50, 4, 3)
    neurons = network.working_copy()
    narrow = neurons.undecided_band(X)
    neurons.set_rows(np.array([7]), 1e6 * network.W[[7]])
    wide = neurons.undecided_band(X)
    assert wide[1] - network.tau > 1e4 * (narrow[1] - network.tau)
    neurons.set_rows(np.array([7]), network.W[[7]])
    assert neurons.undecided_band(X) == wide
    fresh = network.with_weights(1e6 * network.W).working_copy()
    neurons.set_rows(None, 1e6 * network.W)
    assert neurons.undecided_band(X) == fresh.undecided_band(X)


@pytest.mark.parametrize("activation", ["jump", "continuous"])
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_the_smoothed_gradient_is_that_of_the_averaged_network(kernel, reduction, activation):
    """Compare with differences of the average of f over shifts of all pre-activations."""
    network, X = setup(30, 4, 2, seed=2, activation=activation)
    width = 0.4 * network.tau
    u = (np.arange(100000) + 0.5) / 50000.0 - 1.0
    density = 0.75 * (1.0 - u * u) / 50000.0

    def average(points):
        z = network.preactivations(points, on_slice=False)[:, :, None] + width * u
        outputs = np.where(z > network.tau, z - network.shift, 0.0) @ density
        return outputs @ network.a

    evaluator = Evaluator(network.working_copy(), len(X), reduction=reduction)
    slope = evaluator.smoothed_input_gradient(X, width)
    step = 2e-2 * width
    for k in range(4):
        shift = step * np.eye(4)[k]
        change = (average(X + shift) - average(X - shift)) / (2.0 * step)
        assert_allclose(slope[:, k], change, rtol=0.02, atol=0.02 * np.abs(slope).max())


def test_a_window_wider_than_the_margin_of_the_lists_is_refused():
    network, X = setup(50, 4, 3)
    lists = candidates(network, X, 0.1)
    region = Region(X, 0.0, 1e-9, margin=0.1)
    evaluator = Evaluator(network.working_copy(), 3, lists=lists, region=region)
    evaluator.smoothed_input_gradient(X, 0.1)
    with pytest.raises(ValueError, match="bandwidth must be at most the margin"):
        evaluator.smoothed_input_gradient(X, 0.11)
    with pytest.raises(ValueError, match="bandwidth must be"):
        evaluator.smoothed_input_gradient(X, 0.0)
