"""Training follows its formula, is repeatable, and learns the feature that it is said to learn."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.features import (
    FeatureData,
    FeatureRun,
    PatchNetwork,
    SmoothedReLU,
    TrainingAttack,
    TrainingSettings,
    fit,
    train_features,
)
from sublinear_lib.features.training import FeatureHistory

pytestmark = pytest.mark.either_way

SMALL = FeatureData(classes=2, dim=5, nonrobust_patches=4, noise=0.05)


def small_network(seed: int = 0) -> PatchNetwork:
    act = SmoothedReLU(3, 1.0)
    return PatchNetwork.random(2, 3, 5, scale=0.4, rng=seed, activation=act)


# The training adversary.


@pytest.mark.parametrize("rule", ["clipped", "sign", "normalized"])
@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("rate", [0.3, 5.0, 1e4])
def test_an_attack_walks_uphill_by_its_rule_and_is_clipped(
    rule: Any, steps: int, rate: float
) -> None:
    network, data, eps = small_network(), SMALL.sample(4, 0), 0.2
    # All steps together could go two and a half times the budget.
    size, delta = eps if steps == 1 else 2.5 * eps / steps, np.zeros_like(data.X)
    for _ in range(steps):
        slope = network.input_gradient(data.X + delta, data.y)
        largest = np.abs(slope).max(axis=2, keepdims=True)
        normalized = size * slope / np.where(largest > 0, largest, 1.0)
        moves = {"sign": size * np.sign(slope), "normalized": normalized}
        delta = np.clip(delta + moves.get(rule, rate / steps * slope), -eps, eps)
    attack = TrainingAttack(eps=eps, rate=rate, rule=rule, steps=steps)
    np.testing.assert_allclose(attack.perturb(network, data.X, data.y), data.X + delta, atol=1e-15)


WORDS = st.fixed_dictionaries(
    {
        "rule": st.sampled_from(["clipped", "sign", "normalized"]),
        "steps": st.integers(1, 4),
        "random_start": st.booleans(),
        "box": st.sampled_from([None, (0.0, 1.0)]),
        "eps": st.floats(0.0, 0.8),
    }
)


@given(WORDS)
@settings(deadline=None, max_examples=60)
def test_an_attack_keeps_its_budget_and_its_box(words: dict[str, Any]) -> None:
    network, data = small_network(), SMALL.sample(4, 0)
    X = np.clip(data.X, 0.0, 1.0)
    moved = TrainingAttack(rate=50.0, **words).perturb(network, X, data.y, rng=1)
    assert np.abs(moved - X).max() <= words["eps"] + 1e-15
    if words["box"]:
        assert moved.min() >= 0.0 and moved.max() <= 1.0


def test_inputs_outside_the_box_are_refused() -> None:
    # Moving them into the box would take more than the budget.
    network, data = small_network(), SMALL.sample(4, 0)
    attack = TrainingAttack(eps=0.1, box=(0.0, 1.0))
    with pytest.raises(ValueError, match=r"X must lie in the box \(0.0, 1.0\), got entries from"):
        attack.perturb(network, data.X, data.y)
    with pytest.raises(ValueError, match=r"X must lie in the box \(0.0, 1.0\), got entries from"):
        fit(network, data.X, data.y, rate=0.1, steps=1, attack=attack)


def test_the_warm_up_is_linear() -> None:
    attack = TrainingAttack(eps=0.4, warm_up=(10, 30))
    assert [attack.budget(t) for t in (0, 10, 15, 20, 30, 99)] == pytest.approx(
        [0.0, 0.0, 0.1, 0.2, 0.4, 0.4]
    )


# The descent.


def test_a_training_run_is_many_updates() -> None:
    network, data = small_network(), SMALL.sample(6, 0)
    attack = TrainingAttack(eps=0.2, rate=3.0, warm_up=(2, 6), steps=2)
    expected, means = network, []
    for step in range(8):
        now = replace(attack, eps=attack.budget(step))
        moved = now.perturb(expected, data.X, data.y)
        gradient = expected.weight_gradient(moved, data.y)[1]
        clean, loss = expected.losses(data.X, data.y), expected.losses(moved, data.y)
        means += [[loss.mean(), clean.mean(), attack.budget(step)]]
        expected = PatchNetwork(expected.weights - 0.3 * gradient, expected.activation)
    trained, history = fit(network, data.X, data.y, rate=0.3, steps=8, attack=attack)
    np.testing.assert_allclose(trained.weights, expected.weights, atol=1e-13)
    found = np.transpose([history.loss, history.clean_loss, history.budget])
    np.testing.assert_allclose(found[:-1], means, rtol=1e-12)


def test_a_budget_of_0_is_standard_training() -> None:
    runs = [
        train_features(SMALL, TrainingSettings(steps=20, attack=attack), 3)
        for attack in (None, TrainingAttack(eps=0.0), TrainingAttack(eps=0.5, warm_up=(90, 99)))
    ]
    for run in runs[1:]:
        np.testing.assert_array_equal(run.network.weights, runs[0].network.weights)


def test_a_run_is_a_function_of_its_seed() -> None:
    attack = TrainingAttack(eps=0.2, steps=2, rule="sign", random_start=True)
    chosen = TrainingSettings(steps=15, attack=attack, samples=6)
    first, again, other = (train_features(SMALL, chosen, seed) for seed in (4, 4, 5))
    np.testing.assert_array_equal(first.network.weights, again.network.weights)
    np.testing.assert_array_equal(first.history.loss, again.history.loss)
    assert (first.network.weights != other.network.weights).any()


def test_the_history_holds_the_features_at_every_recorded_step() -> None:
    run = train_features(SMALL, TrainingSettings(steps=20, record_every=6, samples=4), 0)
    np.testing.assert_array_equal(run.history.steps, [0, 6, 12, 18])
    assert run.history.A.shape == (4, 2, 12)
    first = run.initial.alignments(SMALL)
    np.testing.assert_array_equal(run.history.A[0], first[0])
    np.testing.assert_array_equal(run.history.B[0], first[1])
    shorter = train_features(SMALL, TrainingSettings(steps=18, samples=4), 0)
    np.testing.assert_array_equal(run.history.B[-1], shorter.network.alignments(SMALL)[1])
    assert run.history.clean_loss[-1] == shorter.history.clean_loss[-1]


def test_crossings_are_counted_in_steps_and_may_be_missing() -> None:
    A = np.array([[0.0, 2.0, 0.0], [3.0, 2.0, 3.0], [0.0, 2.0, 0.0], [3.0, 2.0, 0.0]])[:, :, None]
    zeros = np.zeros(4)
    history = FeatureHistory(np.array([0, 5, 10, 15]), zeros, zeros, zeros, A, np.ones_like(A))
    assert history.crossing().tolist() == [15.0, 0.0, math.inf]


# What is learned, at the main configuration.


def test_adversarial_training_learns_the_strong_feature_after_the_dense_one(
    adversarial: FeatureRun,
) -> None:
    law = adversarial.data.law
    A, B = adversarial.history.leaders()
    assert (B[300] > A[300]).all()  # first the non-robust feature
    assert adversarial.history.crossing().tolist() == [580.0, 1053.0, 486.0]
    assert adversarial.network.shares(law).share.min() > 0.8
    test = law.sample(60, 7)
    assert adversarial.network.error(test.X, test.y) == 0.0


# Bad input.


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"eps": 1, "warm_up": (5, 5)}, r"warm_up\[1\] must be an integer >= 6, got 5"),
        ({"eps": 1, "warm_up": (-1, 5)}, r"warm_up\[0\] must be an integer >= 0"),
        ({"eps": 1, "box": (1.0, 0.0)}, r"box\[1\] must be a finite number > 1"),
    ],
)
def test_an_impossible_attack_is_refused_by_name(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TrainingAttack(**wrong)  # type: ignore[arg-type]


def test_weights_that_leave_all_numbers_are_reported() -> None:
    network, data = small_network(), SMALL.sample(4, 0)
    with pytest.raises(FloatingPointError, match="training diverged: after 2 updates with rate"):
        fit(network, data.X, data.y, rate=1e308, steps=50)
