"""Promises of the labs of the chapter on flips: what they print is counted, what they refuse."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sublinear_lib import datasets, scaling, theory
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import PAGE_HTML, Picture, figure
from sublinear_lib.training import SublinearAdversarialTraining
from sublinear_lib.widgets import (
    LiveLab,
    flips_lab,
    flips_training_lab,
    search_the_circle,
    train_and_count,
)

STILL = Picture(figure(), alt="An empty figure for a test.", name="still")


def numbers(text: str) -> list[float]:
    joined = re.sub(r"(?<=\d)\N{NARROW NO-BREAK SPACE}(?=\d)", "", text)
    return [float(found) for found in re.findall(r"\d+(?:\.\d+)?", joined)]


def test_the_search_prints_the_exact_maximum_and_the_bound(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = search_the_circle(m=2048, t=1.0, K=2.0, seed=5)
    first, expected, second = capsys.readouterr().out.splitlines()
    tau, delta = scaling.threshold_from_standard(1.0, 2048), 2.0 * 2048**-0.6
    network = TwoLayerNetwork.initialize(2048, 3, rng=np.random.default_rng(5), tau=tau)
    best = theory.max_near_on_circle(network, delta)
    at_zero = theory.near_mask(network, [[3**0.5 / 2, 0.0, 0.5]], delta).sum()
    assert numbers(first) == [0, at_zero]
    assert numbers(expected)[-2:] == list(theory.flip_count_interval(tau, 2048, delta))
    limit = theory.uniform_near_bound(tau, 2048, 3, delta)
    assert numbers(second)[1:] == [best.count, limit]
    assert f"Theorem B {limit:,}".replace(",", "\N{NARROW NO-BREAK SPACE}") in shown.alt


def test_the_training_prints_what_has_flipped_in_the_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = train_and_count(m=256, t=1.0, rho=0.1, steps=8)
    out = capsys.readouterr().out.splitlines()
    data = datasets.circle(8)
    tau = scaling.threshold_from_standard(1.0, 256)
    start = TwoLayerNetwork.initialize(256, 3, rng=0, tau=tau)
    attack = ProjectedGradient(rho=0.1, steps=5)
    run = SublinearAdversarialTraining(adversary=attack, steps=8).fit(start, data.X, data.y, rng=0)
    changed = start.active_mask(data.X) != run.final.active_mask(data.X)
    worst = theory.max_flips_on_circle(start, run.final.W).count
    length = float(np.linalg.norm(run.final.W - start.W, axis=1).max())
    possible = theory.max_near_on_circle(start, length).count
    assert length == pytest.approx(float(run.drift_max[-1]))
    assert numbers(out[1])[1] == changed.any(axis=0).sum()
    assert numbers(out[1])[2:] == [worst, possible]
    assert 0 < worst <= possible
    assert f"{worst} in the end" in shown.alt


@pytest.mark.parametrize("build", [flips_lab, flips_training_lab])
def test_each_lab_shows_its_still(build: object) -> None:
    lab = build(STILL)  # type: ignore[operator]
    assert isinstance(lab, LiveLab)
    assert "An empty figure for a test." in lab._repr_mimebundle_()[0][PAGE_HTML]
    with pytest.raises(TypeError, match="still"):
        build("picture")  # type: ignore[operator]


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: search_the_circle(1, 0.0, 1.0, 0), "m"),
        (lambda: search_the_circle(64, -1.0, 1.0, 0), "t"),
        (lambda: search_the_circle(64, 0.0, 0.0, 0), "K"),
        (lambda: search_the_circle(64, 0.0, 1.0, -1), "seed"),
        (lambda: train_and_count(1, 0.0, 0.1, 5), "m"),
        (lambda: train_and_count(64, 0.0, -0.1, 5), "rho"),
        (lambda: train_and_count(64, 0.0, 0.1, 1), "steps"),
    ],
)
def test_bad_values_are_named(call: object, word: str) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"\b{word}\b"):
        call()  # type: ignore[operator]
