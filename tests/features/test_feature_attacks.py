"""Attacks stay in their box, do what they say, and tell the two networks apart."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.features import (
    FEATURE_ATTACKS,
    FeatureData,
    FeatureRun,
    PatchNetwork,
    SmoothedReLU,
    feature_attack,
    feature_perturbation,
    gradient_attack,
    gradient_energy,
)
from sublinear_lib.features.attacks import AttackOutcome

pytestmark = pytest.mark.either_way

LAW = FeatureData()
SMALL = FeatureData(
    classes=3, dim=7, robust_patches=2, nonrobust_patches=4, u=(6, 0, 3), v=(1, 2, 5)
)


def network(seed: int = 0) -> PatchNetwork:
    act = SmoothedReLU(3, 1.0)
    return PatchNetwork.random(3, 4, 7, scale=0.5, rng=seed, activation=act)


def exactly_inside(X: np.ndarray, Z: np.ndarray, eps: float) -> bool:
    pairs = zip(X.ravel().tolist(), Z.ravel().tolist(), strict=True)
    return all(abs(Fraction(z) - Fraction(x)) <= Fraction(eps) for x, z in pairs)


def keeps_its_promises(
    net: PatchNetwork, X: np.ndarray, y: np.ndarray, eps: float, found: AttackOutcome
) -> bool:
    """Say whether the witnesses lie in the box and have their margins, none above the clean one."""
    np.testing.assert_allclose(found.margins, net.margins(found.witnesses, y), atol=1e-12)
    assert (found.margins <= net.margins(X, y) + 1e-12).all()
    assert found.error == np.mean(found.margins <= 0)
    return exactly_inside(X, found.witnesses, eps)


@pytest.mark.parametrize("kind", FEATURE_ATTACKS)
def test_a_feature_attack_is_the_perturbation_it_is_named_after(kind: str) -> None:
    data = SMALL.sample(6, 0)
    targets = (data.y + 1) % 3
    delta = feature_perturbation(data, 0.7, kind, targets)  # type: ignore[arg-type]
    u, v = np.eye(7)[list(SMALL.u)], np.eye(7)[list(SMALL.v)]
    for n in range(6):
        i, j = data.y[n], targets[n]
        for p in range(6):
            if kind == "prop_3_1":
                strength = min(data.beta[n, p - 2], 0.7) if p >= 2 else 0.0
                expected = -strength * v[i] + (0.7 * v[j] if p >= 2 else 0.0)
            else:
                expected = np.zeros(7)
                for feature, name in ((u, "u"), (v, "v")):
                    if kind.endswith((name, "both")):
                        expected -= 0.7 * feature[i] * (not kind.startswith("inject"))
                        expected += 0.7 * feature[j] * (not kind.startswith("erase"))
            np.testing.assert_allclose(delta[n, p], expected, atol=1e-15)


@given(st.sampled_from(FEATURE_ATTACKS), st.floats(0.0, 2.0), st.integers(0, 100))
@settings(deadline=None, max_examples=40)
def test_witnesses_of_feature_attacks_lie_in_the_box_and_have_the_margins(
    kind: str, eps: float, seed: int
) -> None:
    net, data = network(seed), SMALL.sample(3, seed)
    found = feature_attack(net, data, eps, kind)  # type: ignore[arg-type]
    assert keeps_its_promises(net, data.X, data.y, eps, found)


WORDS = st.fixed_dictionaries(
    {
        "steps": st.integers(1, 4),
        "restarts": st.integers(1, 3),
        "goal": st.sampled_from(["loss", "margin"]),
        "box": st.sampled_from([None, (0, 1)]),
    }
)


@given(st.floats(0.0, 1.0), WORDS)
@settings(deadline=None, max_examples=40)
def test_witnesses_of_gradient_attacks_lie_in_the_box_and_have_the_margins(
    eps: float, words: dict[str, Any]
) -> None:
    net, data = network(), SMALL.sample(3, 0)
    X = np.clip(data.X, 0, 1)
    found = gradient_attack(net, X, data.y, eps, rng=1, **words)
    assert keeps_its_promises(net, X, data.y, eps, found)
    if words["box"]:
        assert found.witnesses.min() >= 0 and found.witnesses.max() <= 1


def test_one_step_from_the_input_is_the_sign_of_the_gradient() -> None:
    net, data = network(), SMALL.sample(6, 0)
    found = gradient_attack(net, data.X, data.y, 0.2, steps=1, restarts=1)
    moved = data.X + 0.2 * np.sign(net.input_gradient(data.X, data.y))
    worse = net.margins(moved, data.y) < net.margins(data.X, data.y)
    assert worse.any()
    np.testing.assert_allclose(found.witnesses[worse], moved[worse], atol=1e-15)


def test_more_walks_and_every_target_find_no_less() -> None:
    net, data = network(), SMALL.sample(12, 0)
    once = gradient_attack(net, data.X, data.y, 0.3, restarts=1)
    often = gradient_attack(net, data.X, data.y, 0.3, restarts=4, rng=0)
    assert (often.margins <= once.margins).all()
    aimed = gradient_attack(net, data.X, data.y, 0.3, restarts=1, goal="margin")
    assert aimed.margins.mean() <= once.margins.mean() + 1e-9
    again = gradient_attack(net, data.X, data.y, 0.3, restarts=4, rng=0)
    np.testing.assert_array_equal(again.margins, often.margins)


def test_a_saturated_loss_hides_nothing() -> None:
    # A margin beyond 1200: 1 - softmax is rounded to 0, but its sign is all that the attack needs.
    net = PatchNetwork.of_features(LAW, [40.0] * 12, [0.0] * 12, SmoothedReLU(3, 15.0))
    data = FeatureData(noise=0.0).sample(3, 0)
    assert net.margins(data.X, data.y).min() > 1200
    assert gradient_attack(net, data.X, data.y, 3.5, restarts=1).error == 1.0


# The findings.


def test_gradients_point_at_the_feature_that_was_learned(
    standard: FeatureRun, adversarial: FeatureRun
) -> None:
    test = LAW.sample(60, 7)
    weak, strong = (gradient_energy(run.network, test) for run in (standard, adversarial))
    assert weak.own_v > 0.85 and weak.own_u < 0.02
    assert strong.own_u > 0.5 > strong.own_v
