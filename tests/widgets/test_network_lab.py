"""Promises of the labs of the chapter on the definitions: true counts, both activations, errors."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from scipy import stats

from sublinear_lib import datasets, geometry
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import PAGE_HTML, Picture, figure
from sublinear_lib.training import SublinearAdversarialTraining
from sublinear_lib.widgets import (
    LiveLab,
    activations_training_lab,
    draw_preactivations,
    preactivations_lab,
    train_both_activations,
)

STILL = Picture(figure(), alt="An empty figure for a test.", name="still")


def numbers(text: str) -> list[float]:
    joined = re.sub(r"(?<=\d)\N{NARROW NO-BREAK SPACE}(?=\d)", "", text)
    return [float(found) for found in re.findall(r"\d+(?:\.\d+)?", joined)]


@pytest.mark.parametrize("d", [2, 65])
def test_the_drawn_network_is_counted_and_held_against_its_law(
    d: int, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = draw_preactivations(4096, d, 1.25, 3)
    spread, test, counts = capsys.readouterr().out.splitlines()
    rng = np.random.default_rng(3)
    x = geometry.sample_slice(1, d, rng)
    network = TwoLayerNetwork.initialize(4096, d, rng=rng)
    z = network.preactivations(x)[0]
    std = math.sqrt(2 / 4096)
    assert numbers(spread) == pytest.approx([float(z.std()), std], rel=5e-3)
    assert numbers(test)[-1] == pytest.approx(stats.kstest(z / std, "norm").pvalue, abs=6e-4)
    active = int(np.count_nonzero(z > 1.25 * std))
    ends = stats.binom.interval(0.999, 4096, stats.norm.sf(1.25))
    assert numbers(counts)[0] == active
    assert numbers(counts)[-2:] == list(ends)
    assert f"{active} of" in shown.alt.replace("\N{NARROW NO-BREAK SPACE}", "")


def test_both_runs_start_from_equal_states_and_end_where_training_ends(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = train_both_activations(128, 1.0, 0.1, 40, 2)
    lines = capsys.readouterr().out.splitlines()
    data, tau = datasets.circle(8), math.sqrt(2 / 128)
    attack, states = ProjectedGradient(rho=0.1, steps=5), []
    for form, line in zip(("jump", "continuous"), lines, strict=False):
        start = TwoLayerNetwork.initialize(128, 3, rng=2, tau=tau, activation=form)
        run = SublinearAdversarialTraining(adversary=attack, steps=40).fit(
            start, data.X, data.y, rng=2
        )
        assert numbers(line) == pytest.approx([run.loss[0], run.loss[-1]], abs=6e-4)
        states.append(run.final.active_mask(data.X))
    differ = int((states[0] != states[1]).sum())
    assert numbers(lines[2])[:4] == [8 * 128, 8, 0, differ]
    assert "continuous from" in shown.alt


@pytest.mark.parametrize("build", [preactivations_lab, activations_training_lab])
def test_each_lab_shows_its_still(build: object) -> None:
    lab = build(STILL)  # type: ignore[operator]
    assert isinstance(lab, LiveLab)
    assert "An empty figure for a test." in lab._repr_mimebundle_()[0][PAGE_HTML]
    with pytest.raises(TypeError, match="still"):
        build("picture")  # type: ignore[operator]


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: draw_preactivations(0, 3, 1.0, 0), "m"),
        (lambda: draw_preactivations(64, 1, 1.0, 0), "d"),
        (lambda: draw_preactivations(64, 3, -1.0, 0), "t"),
        (lambda: draw_preactivations(64, 3, 1.0, -1), "seed"),
        (lambda: train_both_activations(64, -1.0, 0.1, 5, 0), "t"),
        (lambda: train_both_activations(64, 1.0, -0.1, 5, 0), "rho"),
        (lambda: train_both_activations(64, 1.0, 0.1, 1, 0), "steps"),
    ],
)
def test_bad_values_are_named(call: object, word: str) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"\b{word}\b"):
        call()  # type: ignore[operator]
