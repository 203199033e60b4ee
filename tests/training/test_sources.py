"""One index query per example knows every neuron that can fire anywhere in its cap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from sublinear_lib import geometry, scaling
from sublinear_lib.halfspace import HalfspaceHits
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training.sources import TOLERANCE, AllNeurons, CappedNeurons, IndexedNeurons


def reported(neurons, X, rho, method="auto"):
    """The candidate lists as a mask, and the source."""
    source = IndexedNeurons(neurons, X, rho, "reference", method)
    evaluator = source.evaluator()
    return HalfspaceHits(evaluator._indptr, evaluator._indices).to_mask(neurons.m), source


@settings(deadline=None, max_examples=40)
@given(
    st.integers(2, 8),
    st.integers(1, 200),
    st.sampled_from([0.0, 1e-4, 0.05, 0.3, 1.0, 3**0.5, 9.0]),
    st.floats(0.0, 3.0),
    st.sampled_from(["scan", "tree"]),
    st.integers(0, 1000),
)
def test_every_neuron_that_can_fire_in_the_cap_is_reported(d, m, rho, t, method, seed):
    tau = scaling.threshold_from_standard(t, m)
    network = TwoLayerNetwork.initialize(m, d, rng=seed, tau=tau)
    X = geometry.sample_slice(3, d, rng=seed + 1)
    mask, source = reported(network.working_copy(), X, rho, method)
    # The exact maximum of each score over the cap, from geometry.
    upper = geometry.cap_intervals(X, rho, network.W, network.b)[1]
    missed = (upper > tau + 1e-12) & ~mask
    assert not missed.any(), f"(point, neuron) = {np.argwhere(missed)[0]}"
    points = geometry.sample_caps(X, rho, rng=seed)
    for P in (X, points):
        assert not (network.active_mask(P) & ~mask).any()
    # And not much more: nothing that the proof does not ask for.
    bound = network.preactivations(X) + min(rho, 3**0.5) * np.linalg.norm(network.W[:, :-1], axis=1)
    assert not (mask & (bound < tau - 1e-6)).any()
    assert source.candidates() == mask.sum() / 3


def test_a_neuron_that_fires_only_on_the_rim_of_the_cap_is_reported():
    # Weights along the direction in which the rim is reached; the score at the rim is one
    # rounding error above the threshold.
    X = geometry.embed(np.array([[1.0, 0.0, 0.0]]))
    rho = 0.25
    cap = geometry.Cap(X[0], rho)
    rng = np.random.default_rng(0)
    for trial in range(50):
        w = np.append(rng.standard_normal(3), rng.standard_normal())
        point = cap.support(w[None, :])[1]
        score = float(point[0] @ w)
        for tau in (np.nextafter(score, -np.inf), score * (1 - 1e-15), score - 1e-12):
            if tau < 0:
                continue
            network = TwoLayerNetwork(w[None, :], [1.0], [0.0], float(tau))
            if network.active_mask(point)[0, 0]:
                mask, _ = reported(network.working_copy(), X, rho)
                assert mask[0, 0], f"trial {trial}, tau {tau!r}"


def test_the_lists_stay_complete_at_the_edge_of_what_the_evaluator_accepts():
    network = TwoLayerNetwork.initialize(3000, 4, rng=1, tau=0.03)
    X = geometry.sample_slice(4, 4, rng=2)
    rho = 0.1
    mask, source = reported(network.working_copy(), X, rho)
    directions = np.random.default_rng(3).standard_normal((4, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    for sign in (-1.0, 1.0):
        steps = np.column_stack(
            (directions * (rho + 0.99 * TOLERANCE), np.full(4, sign * 0.99 * TOLERANCE))
        )
        moved = X + steps
        source.evaluator().value(moved)  # accepted
        assert not (network.active_mask(moved, on_slice=False) & ~mask).any()


def test_a_deviation_that_the_evaluator_accepts_never_activates_an_unreported_neuron():
    # One neuron each, made so that only the deviation lifts it above the threshold.
    X = geometry.embed(np.array([[1.0, 0.0]]))
    x1 = float(X[0, 0])
    rho = 0.1
    nearly = 0.99 * TOLERANCE
    upwards = np.array([[0.0, 0.0, nearly]])
    outwards = np.array([[0.0, rho + nearly, 0.0]])
    for w, step in (
        ([0.0, 0.0, 100.0], upwards),
        ([0.0, 7.0, 0.0], outwards),
        ([1.0, 3.0, -50.0], outwards - upwards),
    ):
        moved = X + step
        bias = 5.0 - w[0] * x1 - w[2] / 2.0
        score = float(moved[0] @ np.array(w)) + bias
        network = TwoLayerNetwork([w], [1.0], [bias], score - 1e-12)
        assert network.active_mask(moved, on_slice=False)[0, 0]
        mask, source = reported(network.working_copy(), X, rho)
        source.evaluator().value(moved)  # accepted
        assert mask[0, 0], w
        # The same neuron, reached by an update from weights that need no care at all.
        neurons = TwoLayerNetwork([[0.0, 0.0, 0.0]], [1.0], [bias], network.tau).working_copy()
        source = IndexedNeurons(neurons, X, rho, "reference", "scan")
        neurons.set_rows(np.array([0]), network.W)
        source.update(np.array([0]), network.W)
        evaluator = source.evaluator()
        assert evaluator._indices.tolist() == [0], w
        assert evaluator.forward(moved).counts.tolist() == [1], w


@pytest.mark.parametrize("method", ["scan", "tree"])
def test_updated_rows_are_followed(method):
    network = TwoLayerNetwork.initialize(400, 5, rng=1, tau=0.1)
    X = geometry.sample_slice(6, 5, rng=2)
    neurons = network.working_copy()
    source = IndexedNeurons(neurons, X, 0.1, "reference", method)
    rng = np.random.default_rng(4)
    for _ in range(5):
        rows = np.flatnonzero(rng.random(400) < 0.3)
        values = neurons.W[rows] + 0.5 * rng.standard_normal((rows.size, 5))
        neurons.set_rows(rows, values)
        source.update(rows, values)
    evaluator = source.evaluator()
    fresh, _ = reported(neurons, X, 0.1)
    lists = HalfspaceHits(evaluator._indptr, evaluator._indices)
    # The followed index may be more cautious (its bound of |w_d| only grows), never less.
    assert not (fresh & ~lists.to_mask(400)).any()
    upper = geometry.cap_intervals(X, 0.1, neurons.W, neurons.b)[1]
    assert not ((upper > neurons.tau) & ~lists.to_mask(400)).any()
    source.update(np.empty(0, dtype=np.int64), np.empty((0, 5)))
    values = neurons.W * 2.0
    neurons.set_rows(None, values)
    source.update(None, values)
    upper = geometry.cap_intervals(X, 0.1, neurons.W, neurons.b)[1]
    again = source.evaluator()
    mask = HalfspaceHits(again._indptr, again._indices).to_mask(400)
    assert not ((upper > neurons.tau) & ~mask).any()


def test_all_neurons_means_all():
    network = TwoLayerNetwork.initialize(40, 3, rng=1, tau=0.1)
    X = geometry.sample_slice(2, 3, rng=2)
    source = AllNeurons(network.working_copy(), X, 0.1, "blas")
    assert source.name == "dense"
    assert source.candidates() == 40.0
    assert source.evaluator() is source.evaluator()
    assert_array_equal(source.evaluator().forward(X).mask, network.active_mask(X))
    assert source.work == 0


def test_the_work_of_the_query_is_counted():
    network = TwoLayerNetwork.initialize(5000, 3, rng=1, tau=0.05)
    X = geometry.sample_slice(7, 3, rng=2)
    works = {}
    for method in ("scan", "tree"):
        source = IndexedNeurons(network.working_copy(), X, 0.05, "blas", method)
        assert source.work == 0
        source.evaluator()
        works[method] = source.work
        assert source.name == f"sparse ({method})"
    assert works["scan"] == 7 * 5000
    assert 0 < works["tree"] < works["scan"]
    alive = np.arange(0, 5000, 2)
    capped = CappedNeurons(network.working_copy(), X, 0.05, "reference", alive=alive)
    capped.evaluator(np.array([0, 3]))
    assert capped.work == 2 * 2500
