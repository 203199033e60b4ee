"""A source knows every neuron that can fire in a cap, and sets aside those that never can."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sublinear_lib import geometry, scaling
from sublinear_lib.adversary import (
    ProjectedGradient,
    SmoothedGradient,
)
from sublinear_lib.halfspace import HalfspaceHits
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import DenseAdversarialTraining, SublinearAdversarialTraining
from sublinear_lib.training import trainer as trainer_module
from sublinear_lib.training.sources import (
    TOLERANCE,
    AllNeurons,
    CappedNeurons,
    IndexedNeurons,
    LivingNeurons,
    firing_on_slice,
)
from tests.training.cases import problem


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
    values = neurons.W * 2.0
    neurons.set_rows(None, values)
    source.update(None, values)
    again = source.evaluator()
    upper = geometry.cap_intervals(X, 0.1, neurons.W, neurons.b)[1]
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


ATTACKS = {
    "gradient": ProjectedGradient(rho=0.15, steps=3, restarts=2),
    "smoothed": SmoothedGradient(rho=0.15, steps=3, restarts=2),
}


@pytest.mark.parametrize("reduction", ["reference", "blas"])
def test_points_outside_of_their_caps_are_refused(reduction):
    network, X, _ = problem(3, 200, 3, t=2.0)
    neurons = network.working_copy()
    source = LivingNeurons(neurons, X, 0.1, reduction, 0.0, firing_on_slice(neurons, 0.0))
    evaluator = source.evaluator()
    far = geometry.project_to_caps(-X, X, 0.3)
    inside = X.copy()
    inside[:, :-1] *= 0.95
    for points, message in ((far, r"within 0\.1"), (inside, "slice")):
        for ask in (evaluator.value, evaluator.value_and_input_gradient, evaluator.forward):
            with pytest.raises(ValueError, match=message):
                ask(points)


@pytest.mark.parametrize("attack", ["gradient", "smoothed"])
def test_work_is_counted_for_the_neurons_that_are_looked_at(attack):
    network, X, y = problem(3, 400, 6, t=2.2)
    common = {"adversary": ATTACKS[attack], "steps": 10}
    whole = DenseAdversarialTraining(**common).fit(network, X, y, rng=0)
    ours = DenseAdversarialTraining(**common, set_aside=True).fit(network, X, y, rng=0)
    margin = ATTACKS[attack].margin if attack == "smoothed" else (lambda scale: 0.0)
    neurons = network.working_copy()
    alive = firing_on_slice(neurons, margin(neurons.weight_scale))
    assert ours.set_aside == 400 - len(alive) > 0 == whole.set_aside
    assert ours.method == "dense"
    share = len(alive) / 400
    for name in ("work_forward", "work_backward", "work_adversary"):
        assert_array_equal(ours.column(name), np.rint(share * whole.column(name)), err_msg=name)


def test_the_automatic_dense_choice_sets_neurons_aside(monkeypatch):
    network, X, y = problem(3, 400, 5, t=2.0)
    monkeypatch.setattr(trainer_module, "choose_source", lambda *given, **more: "dense")
    common = {"adversary": ATTACKS["smoothed"], "steps": 2, "index": "auto"}
    history = SublinearAdversarialTraining(**common).fit(network, X, y, rng=0)
    assert history.method == "dense"
    assert history.set_aside > 0
    everyone = SublinearAdversarialTraining(**common, set_aside=False).fit(network, X, y, rng=0)
    assert everyone.method == "dense"
    assert everyone.set_aside == 0
    assert_allclose(history.final.W, everyone.final.W, rtol=0, atol=1e-12)


def test_an_adversary_that_looks_deeper_than_it_said_is_refused():
    network, X, y = problem(3, 300, 4, t=2.0)

    class Deep:
        rho = 0.1

        def __call__(self, network, X, y, loss, rng):
            network.smoothed_input_gradient(X, 0.05)
            raise AssertionError("the bandwidth must be refused")

    trainer = DenseAdversarialTraining(adversary=Deep(), steps=1, set_aside=True)
    with pytest.raises(ValueError, match="bandwidth must be at most the margin"):
        trainer.fit(network, X, y, rng=0)
