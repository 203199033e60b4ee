"""The network computes Equation (2) on the exact active set, and f = A + B + C."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from sublinear_lib import geometry, scaling
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork

ACTIVATIONS = ("jump", "continuous")
TOLERANCE = 1e-12


def random_network(m, d, seed, *, t=0.7, activation="jump"):
    tau = scaling.threshold_from_standard(t, m)
    return TwoLayerNetwork.initialize(m, d, rng=seed, tau=tau, activation=activation)


@st.composite
def cases(draw):
    """A network and points of the slice."""
    m, d, n = draw(st.integers(1, 40)), draw(st.integers(2, 6)), draw(st.integers(1, 5))
    seed, t = draw(st.integers(0, 2**20)), draw(st.sampled_from([0.0, 0.3, 1.0, 2.0]))
    network = random_network(m, d, seed, t=t, activation=draw(st.sampled_from(ACTIVATIONS)))
    return network, geometry.sample_slice(n, d, rng=seed + 1)


def units(network, X):
    """Return which neurons are active, and what those that are would be worth; no ties here."""
    z = X @ network.W.T + network.b
    return z > network.tau, z if network.activation.name == "jump" else z - network.tau


@settings(max_examples=40)
@given(cases())
def test_active_sets_values_and_gradients_are_those_of_the_formula(case):
    network, X = case
    active, sigma = units(network, X)
    assert_array_equal(network.active_mask(X), active)
    assert_array_equal(network.activity(X), active.mean(axis=1))
    v = np.linspace(-1.0, 1.0, len(X)) + 0.1
    signed = active * network.a
    for found, wanted in (
        (network.forward(X), (signed * sigma).sum(axis=1)),
        (network.input_gradient(X), signed @ network.W),
        (network.weight_gradient(X, v), (v[:, None] * signed).T @ X / len(X)),
    ):
        assert_allclose(found, wanted, rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_a_neuron_exactly_at_the_threshold_is_not_active(activation):
    # Weights that see only the last coordinate, which is exactly 1/2, and a bias that puts the
    # pre-activation on tau, or one unit of rounding beside it.
    W = np.zeros((24, 3))
    W[:, 2] = np.arange(-12, 12) / 8
    side = np.arange(24) % 3 - 1
    at = 0.25 - W[:, 2] / 2
    b = np.where(side == 0, at, np.nextafter(at, 9.0 * side))
    network = TwoLayerNetwork(W, np.ones(24), b, 0.25, activation)
    X = geometry.embed(np.array([[1.0, 0.0], [0.6, 0.8]]))
    assert_array_equal(network.active_mask(X), [side > 0] * 2)


def test_active_sets_do_not_depend_on_the_order_of_the_sum():
    # Ten times the float 0.1 exceeds 1 in real arithmetic; every float64 sum says it does not.
    W = np.zeros((1, 12))
    W[0, :10] = 0.1
    network = TwoLayerNetwork(W, [1.0], [0.0], 1.0)
    x = np.ones((1, 12))
    assert not (network.preactivations(x, on_slice=False) > 1.0).any()
    assert network.active_mask(x, on_slice=False).all()
    assert network.forward(x, on_slice=False)[0] > 0.5


@pytest.mark.parametrize(
    ("indptr", "indices", "message"),
    [
        ([0, 1], [0], "length n \\+ 1 = 3"),
        ([0, 1, 2], [0, 9], "indices >= 0 and < 5"),
        ([0, 1, 2], [0, -1], "indices >= 0 and < 5"),
        ([0, 2, 1], [0, 1], "indptr"),
        ([0, 1, 1], [0, 1], "indptr"),
        ([0, 2, 2], [3, 1], "ascend within a point"),
        ([0, 2, 2], [3, 3], "ascend within a point"),
    ],
)
def test_lists_that_do_not_fit_are_refused(indptr, indices, message):
    network = random_network(5, 3, seed=0)
    lists = sparse.csr_array((5, 5))
    lists.indptr, lists.indices = np.array(indptr), np.array(indices)
    with pytest.raises(ValueError, match=message):
        network.evaluator(2, lists=lists)


def test_initialization_draws_a_then_W_then_b():
    network = TwoLayerNetwork.initialize(64, 3, rng=5)
    np.random.seed(1)  # noqa: NPY002 (the point: the global state does not matter)
    assert TwoLayerNetwork.initialize(64, 3, rng=5) == network
    draws = np.random.default_rng(5)
    signs = draws.choice(np.array([-1.0, 1.0]), size=64)
    assert_allclose(network.a, signs * 64**-0.2, rtol=1e-15)
    assert_allclose(network.W, draws.standard_normal((64, 3)) / 8.0, rtol=1e-15)
    assert_allclose(network.b, draws.standard_normal(64) / 8.0, rtol=1e-15)


def test_initialization_takes_threshold_and_activation_from_the_scaling():
    for name in ("PRINTED", "R1", "R2", "R3", "ZHANG"):
        rules = scaling.get_scaling(name)
        network = TwoLayerNetwork.initialize(64, 3, name, rng=0)
        assert network.tau == rules.tau(64, K=1.0), name
        assert network.activation == rules.activation, name
        assert_allclose(np.abs(network.a), rules.output_weight(64), rtol=1e-15, err_msg=name)
    chosen = TwoLayerNetwork.initialize(64, 3, rng=0, tau=0.5, activation="continuous")
    assert chosen.tau == 0.5
    assert chosen.activation.name == "continuous"


@settings(max_examples=40)
@given(cases(), st.sampled_from([0.0, 0.01, 0.3, 3.0]))
def test_the_parts_are_those_of_lemma_c4(case, size):
    network, X = case
    W = network.W + size * np.random.default_rng(1).standard_normal(network.W.shape)
    now = network.with_weights(W)
    parts = PseudoNetwork(network, W).decompose(X)
    assert np.abs(parts.residual).max() < 1e-12 * (1 + size)
    before, sigma = units(network, X)
    after, sigma_now = units(now, X)
    u, flip = X @ (W - network.W).T, after.astype(float) - before
    for name, terms in (
        ("A", u * after),
        ("B", sigma * before),
        ("C", sigma * flip),
        ("g", u * before),
        ("f", sigma_now * after),
    ):
        found, expected = getattr(parts, name), terms @ network.a
        assert_allclose(found, expected, rtol=1e-11, atol=1e-12 * (1 + size), err_msg=name)
    assert_array_equal(parts.flips, np.count_nonzero(flip, axis=1))
    # f - g - B is a sum over flipped neurons; its size is what tells the activations apart.
    jump = network.tau if network.activation.name == "jump" else 0.0
    bound = (np.abs(flip) * (np.abs(u) + jump)) @ np.abs(network.a)
    assert (np.abs(parts.gap - parts.B) <= bound * (1 + 1e-9) + 1e-12 * (1 + size)).all()


def test_the_pseudo_network_is_linear_in_the_weights_and_zero_at_the_start():
    start = random_network(200, 4, seed=5)
    X = geometry.sample_slice(6, 4, rng=6)
    move = np.random.default_rng(7).standard_normal(start.W.shape)
    assert_array_equal(PseudoNetwork(start, start.W).forward(X), np.zeros(6))
    once = PseudoNetwork(start, start.W + move).forward(X)
    thrice = PseudoNetwork(start, start.W + 3 * move).forward(X)
    assert_allclose(thrice, 3 * once, rtol=1e-12)
    assert "max ||w_r - w_r0||" in repr(PseudoNetwork(start, start.W + move))


def test_networks_are_equal_if_all_their_parts_are():
    network = TwoLayerNetwork(np.ones((3, 2)), np.ones(3), np.zeros(3), 0.1, "continuous")
    moved = network.with_weights(2 * network.W)
    assert (network.W == 1.0).all() and (moved.W == 2.0).all()
    with pytest.raises(TypeError, match="unhashable"):
        hash(network)
    same = {"W": network.W, "a": network.a, "b": network.b, "tau": 0.1, "activation": "continuous"}
    assert network == pickle.loads(pickle.dumps(network)) == TwoLayerNetwork(**same) != "network"
    other = {"W": moved.W, "a": -network.a, "b": network.a, "tau": 0.2, "activation": "jump"}
    for name, value_ in other.items():
        assert network != TwoLayerNetwork(**{**same, name: value_}), name


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_a_saved_network_comes_back_bit_for_bit(tmp_path, activation):
    network = random_network(33, 4, seed=1, activation=activation)
    path = tmp_path / "network"  # no suffix is added
    network.save(path)
    assert [p.name for p in tmp_path.iterdir()] == ["network"]
    again = TwoLayerNetwork.load(path)
    assert again == network
    assert again.W.tobytes() == network.W.tobytes()
    again.save(path)
    assert TwoLayerNetwork.load(str(path)) == network


def store(path, **changes):
    entries = {
        "format": np.array("sublinear-lib two-layer network"),
        "version": np.array(1),
        "W": np.ones((2, 2)),
        "a": np.ones(2),
        "b": np.ones(2),
        "tau": np.array(0.1),
        "activation": np.array("jump"),
    }
    entries |= changes
    np.savez(path, **{key: entry for key, entry in entries.items() if entry is not None})


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"format": np.array("something else")}, "not written by TwoLayerNetwork.save"),
        ({"version": np.array(2)}, "version 2 of the format.*up to version 1: update"),
        ({"W": None}, "'W' is missing"),
        ({"activation": np.array("relu")}, "make no network: activation must be one of"),
        ({"W": np.full((2, 2), np.nan)}, "make no network: W must contain finite"),
        ({"a": np.ones(3)}, r"make no network: a must have shape \(2,\)"),
        ({"W": np.array([["x", "y"]])}, "make no network"),
    ],
)
def test_a_file_with_wrong_contents_is_refused_with_the_reason(tmp_path, changes, reason):
    path = tmp_path / "bad.npz"
    store(path)
    TwoLayerNetwork.load(path)
    store(path, **changes)
    with pytest.raises(ValueError, match=rf"'.*bad\.npz': .*{reason}"):
        TwoLayerNetwork.load(path)


def test_bad_points_are_refused_by_every_method():
    network = random_network(6, 3, seed=0)
    pseudo = PseudoNetwork(network, network.W)
    good = geometry.sample_slice(2, 3, rng=0)
    off = good.copy()
    off[1, 2] += 1e-8
    methods = [
        network.forward,
        network.preactivations,
        network.active_mask,
        network.activity,
        network.input_gradient,
        lambda X: network.weight_gradient(X, [1.0, 1.0]),
        pseudo.forward,
        pseudo.decompose,
    ]
    for method in methods:
        method(good)
        method(good + np.array([0.0, 0.0, 1e-11]))  # noise below the tolerance is allowed
        with pytest.raises(ValueError, match="row 1"):
            method(off)
        with pytest.raises(ValueError, match="shape"):
            method(good[:, :2])
    with pytest.raises(ValueError, match=r"weights must have shape \(2,\)"):
        network.weight_gradient(good, [1.0])
    with pytest.raises(ValueError, match="W must have shape"):
        network.with_weights(np.ones((5, 3)))
    with pytest.raises(ValueError, match="W must have shape"):
        PseudoNetwork(network, np.ones((6, 2)))


def test_points_off_the_slice_are_allowed_on_request():
    network = random_network(6, 3, seed=0)
    X = np.array([[0.1, 0.2, 0.3], [5.0, 0.0, -1.0]])
    active, sigma = units(network, X)
    expected = (active * sigma) @ network.a
    assert_allclose(network.forward(X, on_slice=False), expected, atol=TOLERANCE)
    with pytest.raises(TypeError, match="on_slice"):
        network.forward(X, on_slice=0)
