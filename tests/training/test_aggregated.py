"""Without the neurons that cannot fire, and with sums over half-spaces, training is the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sublinear_lib import geometry, scaling
from sublinear_lib.adversary import (
    ExactAdversary,
    IdentityAdversary,
    ProjectedGradient,
    RandomSearch,
    SmoothedGradient,
)
from sublinear_lib.evaluation import Evaluator
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import DenseAdversarialTraining, SublinearAdversarialTraining
from sublinear_lib.training import trainer as trainer_module
from sublinear_lib.training.aggregated import AggregatedNeurons
from sublinear_lib.training.living import LivingEvaluator
from sublinear_lib.training.sources import firing_on_slice
from tests.kernel_sets import EACH_SET

ATTACKS = {
    "identity": IdentityAdversary(),
    "random": RandomSearch(rho=0.3, samples=4),
    "gradient": ProjectedGradient(rho=0.15, steps=3, restarts=2),
    "smoothed": SmoothedGradient(rho=0.15, steps=3, restarts=2),
}


@pytest.fixture(params=EACH_SET)
def kernel(request, monkeypatch):
    monkeypatch.setenv("SUBLINEAR_NUMBA", "0" if request.param == "numpy" else "1")
    return request.param


def problem(d, m, n, *, activation="jump", t=1.65, seed=0):
    network = TwoLayerNetwork.initialize(
        m, d, rng=seed, tau=scaling.threshold_from_standard(t, m), activation=activation
    )
    X = geometry.sample_slice(n, d, rng=seed + 1)
    y = np.where(np.random.default_rng(seed + 2).random(n) < 0.5, -1.0, 1.0)
    return network, X, y


def followed(trainer, network, X, y, monkeypatch, kind):
    """Train and note the active sets of every step, as the evaluator of this kind reports them."""
    sets, original = [], kind.forward

    def noting(self, points):
        passed = original(self, points)
        sets.append(passed.active_sets())
        return passed

    with monkeypatch.context() as patch:
        patch.setattr(kind, "forward", noting)
        history = trainer.fit(network, X, y, rng=0)
    assert len(sets) == len(history)
    return history, sets


def assert_same_run(ours, theirs, *, exact=False):
    (history, sets), (reference, others) = ours, theirs
    for step, (a, b) in enumerate(zip(sets, others, strict=True)):
        assert_array_equal(a[0], b[0], err_msg=f"active sets at step {step}")
        assert_array_equal(a[1], b[1], err_msg=f"active sets at step {step}")
    for name in ("activity_mean", "activity_max", "touched"):
        assert_array_equal(history.column(name), reference.column(name), err_msg=name)
    for name in ("loss", "clean_loss", "drift_max", "drift_frobenius"):
        compare = assert_array_equal if exact else _close
        compare(history.column(name), reference.column(name))
    if exact:
        assert_array_equal(history.final.W, reference.final.W)
    assert_allclose(history.final.W, reference.final.W, rtol=0, atol=1e-12)


def _close(ours, theirs):
    assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)


# -- aggregates ------------------------------------------------------------------------------------


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize(
    ("d", "t", "activation"),
    [
        (2, 0.5, "jump"),
        (3, 0.0, "jump"),
        (3, 1.28, "continuous"),
        (4, 0.3, "jump"),
        (9, 1.0, "jump"),
    ],
)
@pytest.mark.parametrize("batch_size", [None, 4])
def test_training_through_aggregates_equals_the_dense_trainer(
    kernel, attack, d, t, activation, batch_size, monkeypatch
):
    network, X, y = problem(d, 500, 7, activation=activation, t=t)
    common = {"adversary": ATTACKS[attack], "steps": 12, "batch_size": batch_size, "eta": 0.05}
    dense = followed(DenseAdversarialTraining(**common), network, X, y, monkeypatch, Evaluator)
    trainer = SublinearAdversarialTraining(**common, index="aggregates")
    ours = followed(trainer, network, X, y, monkeypatch, LivingEvaluator)
    assert_same_run(ours, dense)
    assert (dense[0].final.W != network.W).any(), "the example must train"
    assert ours[0].method == "sparse (aggregates)"
    assert ours[0].set_aside > 0
    assert_array_equal(ours[0].candidates, network.m - ours[0].set_aside)


def test_the_attack_looks_at_few_neurons_however_many_fire():
    works = []
    for m in (4000, 32_000):
        network, X, y = problem(3, m, 6, t=0.0)
        common = {"adversary": ProjectedGradient(rho=0.1, steps=5), "steps": 3}
        ours = SublinearAdversarialTraining(**common, index="aggregates").fit(network, X, y, rng=0)
        dense = DenseAdversarialTraining(**common).fit(network, X, y, rng=0)
        # Five gradients of two passes each, and one value, over all neurons.
        assert_array_equal(dense.work_adversary, 11 * 6 * m)
        assert (ours.work_adversary < 0.4 * dense.work_adversary).all()
        assert (ours.activity_mean > 0.3).all()
        assert_array_equal(ours.work_query, 0)
        works.append(ours.work_adversary.mean())
    # Eight times as many neurons, and about 8**(2/3) = 4 times the work.
    assert 3.0 < works[1] / works[0] < 5.5


@settings(deadline=None, max_examples=25)
@given(
    st.integers(2, 4),
    st.integers(1, 300),
    st.floats(0.0, 2.5),
    st.sampled_from(["jump", "continuous"]),
    st.booleans(),
    st.integers(0, 10**6),
)
def test_sums_follow_the_weights(d, m, t, activation, aside, seed):
    network, X, _ = problem(d, m, 4, activation=activation, t=t, seed=seed)
    neurons = network.working_copy()
    alive = firing_on_slice(neurons, 0.0) if aside else None
    source = AggregatedNeurons(neurons, X, 0.3, 0.0, alive)
    movable = np.arange(m) if alive is None else alive
    rng = np.random.default_rng(seed)
    for step in range(4):
        points = geometry.sample_caps(X, 0.3, rng)
        now = network.with_weights(neurons.W)
        evaluator = source.evaluator()
        value, gradient = evaluator.value_and_input_gradient(points)
        scale = np.abs(neurons.a) @ (np.abs(neurons.W).sum(axis=1) + np.abs(neurons.b) + t)
        _, expected = now.evaluator(4).value_and_input_gradient(points)
        assert_allclose(value, now.forward(points), rtol=0, atol=1e-13 * scale)
        assert_allclose(gradient, expected, rtol=0, atol=1e-13 * scale)
        assert_array_equal(evaluator.value(points), value)
        assert evaluator.forward(points).active_sets()[1].tolist() == (
            np.nonzero(now.active_mask(points))[1].tolist()
        )
        rows = movable[rng.random(len(movable)) < 0.5] if step != 1 else None
        base = neurons.W if rows is None else neurons.W[rows]
        values = base * (1.0 - 0.3 * rng.random((len(base), 1)))
        values[:, :-1] += 0.001 * rng.standard_normal((len(base), d - 1)) * (alive is None)
        if rows is None and alive is not None:
            # Neurons that were set aside never move.
            frozen = np.setdiff1d(np.arange(m), movable)
            values[frozen] = neurons.W[frozen]
        neurons.set_rows(rows, values)
        source.update(rows, values)
        if alive is not None:
            dead = np.setdiff1d(np.arange(m), alive)
            assert not network.with_weights(neurons.W).active_mask(X)[:, dead].any()


def test_a_canonical_order_of_sums_does_not_exist_for_aggregates():
    with pytest.raises(ValueError, match="reduction must be 'blas' with index='aggregates'"):
        SublinearAdversarialTraining(
            adversary=ProjectedGradient(rho=0.1), index="aggregates", reduction="reference"
        )


def test_points_outside_of_their_caps_are_refused():
    network, X, _ = problem(3, 200, 3)
    source = AggregatedNeurons(network.working_copy(), X, 0.1)
    evaluator = source.evaluator()
    far = geometry.project_to_caps(-X, X, 0.3)
    inside = X.copy()
    inside[:, :-1] *= 0.95
    for points, message in ((far, r"within 0\.1"), (inside, "slice")):
        for ask in (evaluator.value, evaluator.value_and_input_gradient, evaluator.forward):
            with pytest.raises(ValueError, match=message):
                ask(points)


def test_the_exact_adversary_works_with_sums():
    network, X, y = problem(3, 300, 4, t=0.3)
    common = {"adversary": ExactAdversary(rho=0.2), "steps": 4}
    dense = DenseAdversarialTraining(**common).fit(network, X, y, rng=0)
    ours = SublinearAdversarialTraining(**common, index="aggregates").fit(network, X, y, rng=0)
    assert_allclose(ours.final.W, dense.final.W, rtol=0, atol=1e-12)


def test_a_resumed_run_through_aggregates_equals_the_uninterrupted_one(kernel, tmp_path):
    network, X, y = problem(3, 300, 6, t=0.5)
    trainer = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.15, restarts=2), steps=9, index="aggregates"
    )
    keep = {"rng": 3, "checkpoint_every": 2}
    straight = trainer.fit(network, X, y, checkpoint=tmp_path / "straight", **keep)
    for stop in (3, 6):
        path = tmp_path / "run"
        shorter = replace(trainer, steps=stop)
        shorter.fit(network, X, y, checkpoint=path, **keep)
    resumed = trainer.fit(network, X, y, checkpoint=path, **keep)
    assert resumed.final.W.tobytes() == straight.final.W.tobytes()
    for name, column in straight.to_columns().items():
        assert_array_equal(resumed.column(name), column, err_msg=name)


# -- dense, on the neurons that can fire -----------------------------------------------------------


@pytest.mark.parametrize("reduction", ["reference", "blas"])
@pytest.mark.parametrize("attack", ["gradient", "smoothed"])
@pytest.mark.parametrize("batch_size", [None, 3])
def test_the_dense_trainer_without_dead_neurons_is_the_dense_trainer(
    kernel, reduction, attack, batch_size, monkeypatch
):
    for d, activation in ((3, "jump"), (6, "continuous")):
        network, X, y = problem(d, 400, 6, t=2.2, activation=activation)
        common = {
            "adversary": ATTACKS[attack],
            "steps": 10,
            "reduction": reduction,
            "batch_size": batch_size,
        }
        whole = followed(DenseAdversarialTraining(**common), network, X, y, monkeypatch, Evaluator)
        trainer = DenseAdversarialTraining(**common, set_aside=True)
        ours = followed(trainer, network, X, y, monkeypatch, LivingEvaluator)
        assert_same_run(ours, whole, exact=reduction == "reference")
        assert whole[0].set_aside == 0
        margin = ATTACKS[attack].margin if attack == "smoothed" else (lambda scale: 0.0)
        neurons = network.working_copy()
        alive = firing_on_slice(neurons, margin(neurons.weight_scale))
        assert ours[0].set_aside == 400 - len(alive) > 0
        assert ours[0].method == "dense"
        # Work is counted for the neurons that are looked at.
        share = len(alive) / 400
        for name in ("work_forward", "work_backward", "work_adversary"):
            if reduction == "blas":
                assert_array_equal(
                    ours[0].column(name), np.rint(share * whole[0].column(name)), err_msg=name
                )


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

    for trainer in (
        DenseAdversarialTraining(adversary=Deep(), steps=1, set_aside=True),
        SublinearAdversarialTraining(adversary=Deep(), steps=1, index="aggregates"),
    ):
        with pytest.raises(ValueError, match="bandwidth must be at most the margin"):
            trainer.fit(network, X, y, rng=0)


def test_where_nothing_can_fire_nothing_moves():
    network, X, y = problem(3, 100, 3, t=40.0)
    for trainer in (
        DenseAdversarialTraining(
            adversary=ProjectedGradient(rho=0.1), steps=2, eta=0.1, set_aside=True
        ),
        SublinearAdversarialTraining(
            adversary=ProjectedGradient(rho=0.1), steps=2, eta=0.1, index="aggregates"
        ),
    ):
        history = trainer.fit(network, X, y, rng=0)
        assert history.final == network
        assert history.set_aside == 99
