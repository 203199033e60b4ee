"""The definitions get their verdicts, and a planted error changes each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sublinear_lib import adversary, datasets, geometry, losses, network, scaling
from sublinear_lib.claims import Budget, Outcome
from sublinear_lib.claims.statements import definitions
from sublinear_lib.claims.statements.definitions import CLAIMS
from sublinear_lib.theory.activity import MaximalActivity, max_active_on_circle
from tests.claims.planting import is_unsettled
from tests.claims.stored import QUICK

BY_ID = {claim.id: claim for claim in CLAIMS}
Patch = pytest.MonkeyPatch


def test_the_failing_adversary_has_a_witness_that_shows_it_again() -> None:
    seen = QUICK["def-3.3"].witness
    again = network.TwoLayerNetwork(seen["W"], seen["a"], seen["b"], seen["tau"])
    cap = geometry.Cap(np.array(seen["x"]), seen["rho"])
    values = again.forward(cap.random(2_000, 0))
    assert values.max() < seen["sup"]
    assert seen["value_at_x"] == pytest.approx(seen["sup"] - 0.5)


def wrap(patch: Patch, owner: Any, name: str, change: Callable[..., Any]) -> None:
    """Replace a function by one that changes its result."""
    right = getattr(owner, name)
    patch.setattr(owner, name, lambda *given, **more: change(right(*given, **more)))


def wider_initialization(patch: Patch) -> None:
    wrap(patch, scaling, "preactivation_std", lambda std: 1.05 * std)


def other_output_weight(patch: Patch) -> None:
    patch.setattr(scaling.Scaling, "output_weight", lambda self, m: m**-0.25)


def steeper_loss(patch: Patch) -> None:
    wrap(patch, losses.AbsoluteLoss, "_value", lambda values: 1.01 * values)


def shifted_loss(patch: Patch) -> None:
    wrap(patch, losses.LogCoshLoss, "_value", lambda values: values + 1e-6)


def loss_with_a_flipped_slope(patch: Patch) -> None:
    wrap(patch, losses.HuberLoss, "_derivative", lambda values: -values)


def leaving_the_cap(patch: Patch) -> None:
    right = adversary.RandomSearch.__call__

    def call(self: Any, *given: Any) -> Any:
        return right(replace(self, rho=1.2 * self.rho), *given)

    patch.setattr(adversary.RandomSearch, "__call__", call)


def attained_by_decree(patch: Patch) -> None:
    right = adversary.CircleWave.extremes
    patch.setattr(
        adversary.CircleWave,
        "extremes",
        lambda self, *given: replace(right(self, *given), sup_attained=True, inf_attained=True),
    )


def lower_supremum(patch: Patch) -> None:
    right = adversary.CircleWave.extremes

    def call(self: Any, *given: Any) -> Any:
        found = right(self, *given)
        return replace(found, upper=found.upper - 1e-3)

    patch.setattr(adversary.CircleWave, "extremes", call)


def attack_by_another_mean(patch: Patch) -> None:
    wrap(patch, adversary, "robust_loss_under", lambda value: 1.01 * value)


def half_the_separation(patch: Patch) -> None:
    wrap(patch, datasets, "separation", lambda found: replace(found, gamma=1.01 * found.gamma))


def gradient_off_by_one_percent(patch: Patch) -> None:
    wrap(patch, network.TwoLayerNetwork, "weight_gradient", lambda found: 1.01 * found)


def ties_counted_as_active(patch: Patch) -> None:
    def mask(self: Any, X: Any, *, on_slice: bool = True) -> Any:
        return self.preactivations(X, on_slice=on_slice) >= self.tau

    patch.setattr(network.TwoLayerNetwork, "active_mask", mask)


def one_neuron_less(patch: Patch) -> None:
    def less(given: Any) -> MaximalActivity:
        found = max_active_on_circle(given)
        return replace(found, count=found.count - 1)

    patch.setattr(definitions, "max_active_on_circle", less)


def no_lift(patch: Patch) -> None:
    patch.setattr(geometry, "lift", lambda W, b: np.array(W, dtype=np.float64))


def other_step(patch: Patch) -> None:
    right = definitions.SublinearAdversarialTraining
    patch.setattr(
        definitions,
        "SublinearAdversarialTraining",
        lambda **settings: right(**{**settings, "eta": 1.01 * settings["eta"]}),
    )


def index_that_never_removes(patch: Patch) -> None:
    patch.setattr(definitions.HalfspaceIndex, "remove", lambda self, ids: None)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "plant"),
    [
        ("def-3.1", wider_initialization),
        ("def-3.1", other_output_weight),
        ("def-3.2", steeper_loss),
        ("def-3.2", shifted_loss),
        ("def-3.2", loss_with_a_flipped_slope),
        ("def-3.3", attained_by_decree),
        ("def-3.4", attack_by_another_mean),
        ("def-3.4", attained_by_decree),
        ("def-3.6", ties_counted_as_active),
        ("def-3.7", half_the_separation),
        ("rem-3.8", gradient_off_by_one_percent),
        ("def-3.9", ties_counted_as_active),
        ("def-3.9", one_neuron_less),
        ("alg-1", other_step),
        ("alg-2", no_lift),
        ("alg-2", index_that_never_removes),
        ("def-3.3-r", lower_supremum),
    ],
)
def test_a_planted_error_changes_the_verdict(
    name: str, plant: Callable[[Patch], None], monkeypatch: Patch
) -> None:
    plant(monkeypatch)
    assert is_unsettled(BY_ID[name])


def test_an_attack_that_leaves_the_cap_is_seen(monkeypatch: Patch) -> None:
    leaving_the_cap(monkeypatch)
    found = definitions._bounded(Budget.QUICK, np.random.default_rng(0))
    assert found.outcome is Outcome.NO
