"""Promises of the labs of the chapter on cost: what they print is counted and predicted."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sublinear_lib import datasets, scaling, statistics, theory
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import PAGE_HTML, Picture, figure, number
from sublinear_lib.training import SublinearAdversarialTraining
from sublinear_lib.widgets import (
    LiveLab,
    bill_of_an_iteration,
    iteration_bill_lab,
    measure_work,
    work_growth_lab,
)

STILL = Picture(figure(), alt="An empty figure for a test.", name="still")


@pytest.mark.parametrize(("way", "index"), [("literal", "literal"), ("shared", "scan")])
def test_the_bill_is_that_of_the_run_and_close_to_the_prediction(
    way: str, index: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bill_of_an_iteration(m=2048, t=2.0, d=4, n=16, attack_steps=3, way=way)
    counted, predicted, dense, _ = capsys.readouterr().out.splitlines()
    tau = scaling.threshold_from_standard(2.0, 2048)
    data = datasets.separated(16, 4, separation=0.25, rng=0)
    start = TwoLayerNetwork.initialize(2048, 4, rng=0, tau=tau)
    attack = ProjectedGradient(rho=0.1, steps=3)
    run = SublinearAdversarialTraining(
        adversary=attack, steps=5, index=index, reduction="reference"
    ).fit(start, data.X, data.y, rng=0)
    moved = run.touched.mean() * (3 if way == "literal" else 2)
    total = (run.work.mean() + moved) / (2048 * 16)
    guess = theory.expected_ledger(2048, 16, 4, tau, 0.1, 3, way).total / (2048 * 16)
    assert f"counted: {number(total)} mn" in counted
    assert f"predicted: {number(guess)} mn" in predicted
    assert f"dense: {number(theory.dense_ledger(2048, 16, 3).total / (2048 * 16))} mn" in dense
    assert abs(total / guess - 1) < 0.2


def test_the_growth_is_fitted_to_the_counts_and_beside_the_closed_form(
    capsys: pytest.CaptureFixture[str],
) -> None:
    measure_work(rule="R3", d=3, largest=14, seeds=4)
    first, second = capsys.readouterr().out.splitlines()
    widths = [2**10, 2**12, 2**14]
    data = datasets.separated(8, 3, separation=0.25, rng=0)
    train = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.1, steps=5),
        steps=1,
        index="scan",
        reduction="reference",
    )
    work = np.empty((4, 3))
    for seed, j in np.ndindex(4, 3):
        rng = np.random.default_rng([seed, widths[j], 3])
        net = TwoLayerNetwork.initialize(widths[j], 3, "R3", rng=rng, activation="jump")
        work[seed, j] = train.fit(net, data.X, data.y, rng=0).work[0]
    slope = statistics.loglog_slope(widths, work, confidence=0.99)
    assert first.endswith(f"99 %: {slope}")
    law = float(re.findall(r"[\d.]+", second)[0])
    assert slope.contains(law) and law < 1
    assert second.endswith("1 is outside")


def test_a_fixed_share_of_active_neurons_saves_no_power(
    capsys: pytest.CaptureFixture[str],
) -> None:
    measure_work(rule="1 %", d=3, largest=14, seeds=4)
    assert "1 is inside" in capsys.readouterr().out


@pytest.mark.parametrize("build", [iteration_bill_lab, work_growth_lab])
def test_each_lab_shows_its_still(build: object) -> None:
    lab = build(STILL)  # type: ignore[operator]
    assert isinstance(lab, LiveLab)
    assert "An empty figure for a test." in lab._repr_mimebundle_()[0][PAGE_HTML]
    with pytest.raises(TypeError, match="still"):
        build("picture")  # type: ignore[operator]


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: bill_of_an_iteration(1, 1.0, 4, 8, 2, "shared"), "m"),
        (lambda: bill_of_an_iteration(64, -1.0, 4, 8, 2, "shared"), "t"),
        (lambda: bill_of_an_iteration(64, 1.0, 4, 0, 2, "shared"), "n"),
        (lambda: bill_of_an_iteration(64, 1.0, 4, 8, 0, "shared"), "attack_steps"),
        (lambda: bill_of_an_iteration(64, 1.0, 4, 8, 2, "lists"), "way"),
        (lambda: measure_work("R2", 3, 12, 3), "rule"),
        (lambda: measure_work("R3", 3, 11, 3), "largest"),
        (lambda: measure_work("R3", 3, 12, 1), "seeds"),
    ],
)
def test_bad_values_are_named(call: object, word: str) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"\b{word}\b"):
        call()  # type: ignore[operator]
