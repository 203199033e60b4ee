"""Promises of the labs on f and g: their numbers are exact suprema and closed forms."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sublinear_lib import datasets, scaling, theory
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.plotting import PAGE_HTML, Picture, figure
from sublinear_lib.training import SublinearAdversarialTraining
from sublinear_lib.widgets import (
    LiveLab,
    gap_slope_lab,
    gap_training_lab,
    measure_the_gap,
    train_and_compare,
)

STILL = Picture(figure(), alt="An empty figure for a test.", name="still")


def numbers(text: str) -> list[float]:
    joined = re.sub(r"(?<=\d)\N{NARROW NO-BREAK SPACE}(?=\d)", "", text)
    return [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?", joined)]


def test_the_slope_at_the_printed_powers_excludes_the_printed_rate(
    capsys: pytest.CaptureFixture[str],
) -> None:
    measure_the_gap("PRINTED", "set", "jump", 1.0, 4096, 0)
    _, slopes, rates, means = capsys.readouterr().out.splitlines()
    _, low, high, _ = numbers(slopes)
    law, printed = numbers(rates)
    expected = [theory.half_width_moments(m, m**-0.2, m**-0.6, 1 / m).mean for m in (64, 4096)]
    assert printed == -0.1 and not low <= printed <= high
    assert low <= law <= high
    assert law == pytest.approx(np.log(expected[1] / expected[0]) / np.log(64), abs=0.01)
    assert numbers(means)[-1] == pytest.approx(expected[1], rel=0.005)


@pytest.mark.parametrize(("threshold", "t"), [("1", 1.0), ("set", (0.4 * np.log(1024)) ** 0.5)])
def test_the_threshold_is_that_of_the_set_or_the_chosen_one(
    threshold: str, t: float, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = measure_the_gap("R3", threshold, "continuous", 2.0, 1024, 1)
    first, _, _, means = capsys.readouterr().out.splitlines()
    tau = t * (2 / 1024) ** 0.5
    mean = theory.half_width_moments(1024, 1024**-0.2, 2 * 1024**-0.6, tau, "continuous").mean
    assert numbers(first)[1] == pytest.approx(t, rel=0.005)
    assert numbers(first)[2] == pytest.approx(100 * scaling.activity_at(t), rel=0.005)
    assert numbers(means)[1] == pytest.approx(mean, rel=0.005)
    assert "printed" in shown.alt


@pytest.mark.parametrize("activation", ["jump", "continuous"])
def test_the_gap_of_the_run_stays_below_that_of_the_worst_weights(
    activation: str, capsys: pytest.CaptureFixture[str]
) -> None:
    train_and_compare(m=256, t=1.0, activation=activation, rho=0.1, steps=6)
    reached, possible = numbers(" ".join(capsys.readouterr().out.splitlines()[1:]))
    data = datasets.circle(8)
    tau = scaling.threshold_from_standard(1.0, 256)
    start = TwoLayerNetwork.initialize(256, 3, rng=0, tau=tau, activation=activation)
    attack = ProjectedGradient(rho=0.1, steps=5)
    run = SublinearAdversarialTraining(adversary=attack, steps=6).fit(start, data.X, data.y, rng=0)
    change = run.final.forward(data.X) - start.forward(data.X)
    gap = change - PseudoNetwork(start, run.final.W).forward(data.X)
    far = float(np.linalg.norm(run.final.W - start.W, axis=1).max())
    worst = 0.0
    for x in data.X:
        found = theory.worst_gap_at(start, x, far)
        B = found.initial_output
        worst = max(worst, found.above - B, found.below + B)
    assert reached == pytest.approx(np.abs(gap).max(), rel=0.01)
    assert possible == pytest.approx(worst, rel=0.01)
    assert 0 < reached < possible


@pytest.mark.parametrize("build", [gap_slope_lab, gap_training_lab])
def test_each_lab_shows_its_still(build: object) -> None:
    lab = build(STILL)  # type: ignore[operator]
    assert isinstance(lab, LiveLab)
    assert "An empty figure for a test." in lab._repr_mimebundle_()[0][PAGE_HTML]
    with pytest.raises(TypeError, match="still"):
        build("picture")  # type: ignore[operator]


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: measure_the_gap("R4", "set", "jump", 1.0, 1024, 0), "preset"),
        (lambda: measure_the_gap("R1", "4", "jump", 1.0, 1024, 0), "threshold"),
        (lambda: measure_the_gap("R1", "set", "relu", 1.0, 1024, 0), "activation"),
        (lambda: measure_the_gap("R1", "set", "jump", 0.0, 1024, 0), "K"),
        (lambda: measure_the_gap("R1", "set", "jump", 1.0, 128, 0), "m"),
        (lambda: measure_the_gap("R1", "set", "jump", 1.0, 1024, -1), "seed"),
        (lambda: train_and_compare(1, 0.0, "jump", 0.1, 5), "m"),
        (lambda: train_and_compare(64, -1.0, "jump", 0.1, 5), "t"),
        (lambda: train_and_compare(64, 0.0, "relu", 0.1, 5), "activation"),
        (lambda: train_and_compare(64, 0.0, "jump", -0.1, 5), "rho"),
        (lambda: train_and_compare(64, 0.0, "jump", 0.1, 1), "steps"),
    ],
)
def test_bad_values_are_named(call: object, word: str) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"\b{word}\b"):
        call()  # type: ignore[operator]
