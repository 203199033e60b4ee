"""The explorer of the training chapter shows runs of the library's trainer."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sublinear_lib import datasets, scaling
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.training import StableStep, SublinearAdversarialTraining, resolve_step_size
from sublinear_lib.widgets import Line, View, training_curve_explorer, training_curve_view


def curves(view: View) -> dict[str, Line]:
    return {mark.label: mark for mark in view.marks if isinstance(mark, Line)}


def test_the_curves_are_those_of_the_trainer() -> None:
    view = training_curve_view(128, 1.28, 3.0)
    tau = scaling.threshold_from_standard(1.28, 128)
    start = TwoLayerNetwork.initialize(128, 3, rng=0, tau=tau)
    data = datasets.circle(4)
    trainer = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.15, steps=3), eta=StableStep(c0=3.0), steps=40
    )
    history = trainer.fit(start, data.X, data.y, rng=0)
    for label, column in (("attacked", history.loss), ("clean", history.clean_loss)):
        np.testing.assert_allclose(
            curves(view)[label].y, np.clip(column, 1e-3, 10.0), rtol=1e-9, err_msg=label
        )
    late = float(history.loss[20:].mean())
    assert f"{number(late)} on average" in view.sentence
    assert f"to {number(float(history.loss[-1]))};" in view.sentence
    assert f"{percent(float(start.active_mask(data.X).mean()))} fire" in view.sentence


def test_the_printed_rule_stands_on_the_scale_of_the_stable_one() -> None:
    view = training_curve_view(512, 0.67, 1.0)
    tau = scaling.threshold_from_standard(0.67, 512)
    start = TwoLayerNetwork.initialize(512, 3, rng=0, tau=tau)
    ratio = resolve_step_size("printed", start) / resolve_step_size(StableStep(c0=1.0), start)
    assert f"would be {number(ratio)} units" in view.sentence


def test_the_alarm_rings_only_when_something_fails() -> None:
    assert "too long" in training_curve_view(1024, 0.0, 30.0).sentence
    assert "no neuron fires there" in training_curve_view(128, 2.33, 30.0).sentence
    for m in (256, 1024):
        for t in (0.0, 1.28):
            assert "too long" not in training_curve_view(m, t, 1.0).sentence


def test_the_explorer_stores_every_position() -> None:
    explorer = training_curve_explorer()
    assert len(explorer._table) < 160_000
    for position in ((0, 0, 0), (7, 1, 1), (30, 1, 2), (2, 0, 2)):
        values = [
            control.values[place]
            for control, place in zip(explorer.controls, position, strict=True)
        ]
        view = training_curve_view(values[0], *map(float, values[1:]))
        assert grouped(int(values[0])) in view.sentence
        stored = explorer.stored_view(*position)
        assert re.sub(r"\s", " ", view.sentence) == re.sub(r"\s", " ", stored["sentence"])


@pytest.mark.parametrize(
    ("change", "name"),
    [({"m": 0}, "m"), ({"t": np.nan}, "t"), ({"c0": 0.0}, "c0")],
)
def test_impossible_settings_are_refused(change: dict, name: str) -> None:
    arguments: dict = {"m": 64, "t": 1.0, "c0": 1.0, **change}
    with pytest.raises((TypeError, ValueError), match=rf"\b{name}\b"):
        training_curve_view(**arguments)
