"""The rules for eta are the formulas they say, and refuse what makes no sense."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sublinear_lib import datasets
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import (
    STEP_SIZE_RULES,
    StableStep,
    SublinearAdversarialTraining,
    resolve_step_size,
)
from sublinear_lib.training.step_size import PrintedStep, RepairedStep


def network(m=2048, t=1.28, scaling="PRINTED"):
    return TwoLayerNetwork.initialize(m, 4, scaling, rng=0, tau=t * (2 / m) ** 0.5)


@pytest.mark.parametrize("m", [64, 4096])
@pytest.mark.parametrize("t", [0.0, 1.28, 2.33])
@pytest.mark.parametrize("scaling", ["PRINTED", "R1", "R2", "ZHANG"])
def test_the_rules_are_their_formulas_and_follow_the_output_weights(m, t, scaling):
    net = network(m, t, scaling)
    norm = float(np.sum(net.a**2)) * stats.norm.sf(t)
    assert PrintedStep(epsilon=0.2, constant=3.0).step_size(net) == pytest.approx(0.6 * m**-0.2)
    assert RepairedStep(epsilon=0.1).step_size(net) == pytest.approx(0.1 / norm)
    assert StableStep(c0=0.5).step_size(net) == pytest.approx(0.25 / norm)


def test_names_stand_for_the_rules_with_their_defaults():
    net = network()
    assert STEP_SIZE_RULES == ("auto", "printed", "repaired", "stable")
    rules = (StableStep(), PrintedStep(), RepairedStep(), StableStep())
    for name, rule in zip(STEP_SIZE_RULES, rules, strict=True):
        assert resolve_step_size(name, net) == resolve_step_size(rule, net) == rule.step_size(net)
    assert resolve_step_size(0.01, net) == 0.01
    assert resolve_step_size(np.float32(0.5), net) == 0.5


def test_a_rule_that_cannot_give_a_number_says_why():
    dead = network(t=60.0)
    for rule in (RepairedStep(), StableStep()):
        with pytest.raises(ValueError, match=r"expected activity is 0\.0.*pass a number"):
            rule.step_size(dead)
    mute = TwoLayerNetwork(np.ones((2, 2)), np.zeros(2), np.zeros(2), 0.0)
    with pytest.raises(ValueError, match=r"sum a_r\^2 is 0\.0"):
        StableStep().step_size(mute)
    loud = TwoLayerNetwork(np.ones((2, 2)), np.full(2, 1e200), np.zeros(2), 0.0)
    with pytest.raises(ValueError, match=r"sum a_r\^2 is inf"):
        StableStep().step_size(loud)
    assert PrintedStep().step_size(dead) > 0


@pytest.mark.parametrize("t", [0.0, 1.28, 2.33])
@pytest.mark.parametrize("c0", [0.3, 1.0])
def test_the_documented_constants_train_at_every_activity(t, c0):
    data = datasets.circle(4, labels="alternating")
    m = 2048
    start = TwoLayerNetwork.initialize(m, 3, rng=0, tau=t * (2 / m) ** 0.5)
    history = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.1), eta=StableStep(c0=c0), steps=150, index="auto"
    ).fit(start, data.X, data.y, rng=0)
    assert history.loss[0] > 0.7
    assert history.loss[-20:].mean() < 0.1
    assert history.loss.max() < 2.0
