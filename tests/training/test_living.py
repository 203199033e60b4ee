"""Without the neurons that cannot fire, training is the same."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sublinear_lib import geometry, scaling
from sublinear_lib.adversary import (
    IdentityAdversary,
    ProjectedGradient,
    RandomSearch,
    SmoothedGradient,
)
from sublinear_lib.evaluation import Evaluator
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import DenseAdversarialTraining, SublinearAdversarialTraining
from sublinear_lib.training import trainer as trainer_module
from sublinear_lib.training.living import LivingEvaluator, LivingNeurons
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

    trainer = DenseAdversarialTraining(adversary=Deep(), steps=1, set_aside=True)
    with pytest.raises(ValueError, match="bandwidth must be at most the margin"):
        trainer.fit(network, X, y, rng=0)


def test_where_nothing_can_fire_nothing_moves():
    network, X, y = problem(3, 100, 3, t=40.0)
    trainer = DenseAdversarialTraining(
        adversary=ProjectedGradient(rho=0.1), steps=2, eta=0.1, set_aside=True
    )
    history = trainer.fit(network, X, y, rng=0)
    assert history.final == network
    assert history.set_aside == 99
