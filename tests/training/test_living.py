"""Without the neurons that cannot fire, training is the same."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sublinear_lib import geometry
from sublinear_lib.adversary import (
    ProjectedGradient,
    SmoothedGradient,
)
from sublinear_lib.training import DenseAdversarialTraining, SublinearAdversarialTraining
from sublinear_lib.training import trainer as trainer_module
from sublinear_lib.training.sources import LivingNeurons, firing_on_slice
from tests.training.cases import problem

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
