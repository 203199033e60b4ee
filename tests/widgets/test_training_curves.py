"""The explorer of the training chapter shows runs of the library's trainer."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from sublinear_lib import datasets, scaling
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number
from sublinear_lib.training import StableStep, SublinearAdversarialTraining, resolve_step_size
from sublinear_lib.widgets import Line, View, training_curve_explorer, training_curve_view


def curves(view: View) -> dict[str, Line]:
    return {mark.label: mark for mark in view.marks if isinstance(mark, Line)}


@pytest.mark.parametrize("activation", ["jump", "continuous"])
def test_the_curves_are_those_of_the_trainer(activation: str) -> None:
    view = training_curve_view(128, 1.28, 3.0, activation)
    tau = scaling.threshold_from_standard(1.28, 128)
    start = TwoLayerNetwork.initialize(128, 3, rng=0, tau=tau, activation=activation)
    data = datasets.circle(4)
    steps = len(curves(view)["attacked"].x)
    trainer = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.15, steps=3), eta=StableStep(c0=3.0), steps=steps
    )
    history = trainer.fit(start, data.X, data.y, rng=0)
    for label, column in (("attacked", history.loss), ("clean", history.clean_loss)):
        np.testing.assert_allclose(
            curves(view)[label].y, np.clip(column, 1e-3, 10.0), rtol=1e-9, err_msg=label
        )
    readouts = dict(view.readouts)
    assert readouts["average loss"] == number(history.average_loss)
    assert readouts["last loss"] == number(float(history.loss[-1]))
    late = float(history.loss[steps // 2 :].mean())
    assert f"{number(late)} on average" in view.sentence


def test_the_printed_rule_stands_on_the_scale_of_the_stable_one() -> None:
    view = training_curve_view(512, 0.67, 1.0)
    tau = scaling.threshold_from_standard(0.67, 512)
    start = TwoLayerNetwork.initialize(512, 3, rng=0, tau=tau)
    ratio = resolve_step_size("printed", start) / resolve_step_size(StableStep(c0=1.0), start)
    [shown] = [value for name, value in view.readouts if "printed" in name]
    assert shown == number(ratio)


def test_a_step_that_is_too_large_is_called_so_and_a_good_one_is_not() -> None:
    assert "too large" in str(training_curve_view(1024, 0.0, 30.0).warning)
    assert "too large" not in str(training_curve_view(1024, 0.0, 1.0).warning)


def test_the_hypotheses_that_fail_are_named() -> None:
    plain = str(training_curve_view(256, 0.0, 1.0).warning)
    assert grouped(math.ceil(4 ** (300 / 31))) in plain
    assert "O(1/m)" not in plain and "activation" not in plain
    shifted = str(training_curve_view(256, 1.28, 1.0).warning)
    assert f"τ = {number(1.28 * math.sqrt(2 * 256))}/m" in shifted
    assert "activation" not in shifted
    assert "activation" in str(training_curve_view(256, 1.28, 1.0, "continuous").warning)


def test_another_seed_is_another_run_of_the_trainer() -> None:
    view = training_curve_view(128, 1.28, 1.0, "jump", 1)
    tau = scaling.threshold_from_standard(1.28, 128)
    start = TwoLayerNetwork.initialize(128, 3, rng=1, tau=tau)
    data = datasets.circle(4)
    history = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.15, steps=3), eta=StableStep(c0=1.0), steps=40
    ).fit(start, data.X, data.y, rng=1)
    np.testing.assert_allclose(
        curves(view)["attacked"].y, np.clip(history.loss, 1e-3, 10.0), rtol=1e-9
    )
    assert view.sentence != training_curve_view(128, 1.28, 1.0).sentence


def test_a_network_that_has_fallen_silent_is_called_so() -> None:
    warning = training_curve_view(128, 2.33, 30.0).warning
    assert warning is not None
    assert "silenced" in warning


def test_the_activation_matters_only_with_a_threshold() -> None:
    for t, same in ((0.0, True), (1.65, False)):
        jump, continuous = (
            training_curve_view(64, t, 1.0, form) for form in ("jump", "continuous")
        )
        assert (jump.sentence == continuous.sentence) == same


def test_the_explorer_stores_every_position() -> None:
    explorer = training_curve_explorer()
    assert explorer.shape == (3, 5, 6, 2, 2)
    assert len(explorer._table) < 160_000
    for position in ((0, 0, 0, 0, 0), (1, 3, 2, 1, 0), (2, 4, 5, 0, 1), (2, 0, 5, 1, 1)):
        values = [
            control.values[place]
            for control, place in zip(explorer.controls, position, strict=True)
        ]
        view = training_curve_view(*values)
        stored = explorer.stored_view(*position)
        assert re.sub(r"\s", " ", view.sentence) == re.sub(r"\s", " ", stored["sentence"])


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"m": 0}, "m"),
        ({"t": np.nan}, "t"),
        ({"c0": 0.0}, "c0"),
        ({"activation": "relu"}, "activation"),
        ({"seed": -1}, "seed"),
    ],
)
def test_impossible_settings_are_refused(change: dict, name: str) -> None:
    arguments: dict = {"m": 64, "t": 1.0, "c0": 1.0, **change}
    with pytest.raises((TypeError, ValueError), match=rf"\b{name}\b"):
        training_curve_view(**arguments)
