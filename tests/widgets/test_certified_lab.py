"""Promises of the lab that trains on the circle: the exact loss bounds what training sees."""

from __future__ import annotations

import re

import pytest

from sublinear_lib.adversary import ExactOnCircle, robust_loss
from sublinear_lib.datasets import circle
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.scaling import threshold_from_standard
from sublinear_lib.training import StableStep, SublinearAdversarialTraining
from sublinear_lib.widgets import train_and_certify


def floats(line: str) -> list[float]:
    return [float(found) for found in re.findall(r"\d+\.\d+", line)]


def test_the_lab_prints_the_loss_in_training_and_the_exact_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    train_and_certify(foe="exact", m=256, t=1.0, rho=0.1, steps=12, seed=3)
    first, second = capsys.readouterr().out.splitlines()
    data, tau = circle(4), threshold_from_standard(1.0, 256)
    start = TwoLayerNetwork.initialize(256, 3, rng=3, tau=tau)
    run = SublinearAdversarialTraining(
        adversary=ExactOnCircle(rho=0.1), eta=StableStep(c0=0.25), steps=12
    ).fit(start, data.X, data.y, rng=0)
    worst = robust_loss(run.final, data.X, data.y, 0.1, "huber")
    assert floats(first) == pytest.approx([run.loss[0], run.loss[-1]], abs=6e-4)
    assert floats(second) == pytest.approx([worst.lower, worst.upper], abs=6e-6)


@pytest.mark.parametrize("foe", ["none", "plain", "smoothed"])
def test_a_weaker_adversary_sees_no_more_than_the_exact_robust_loss(
    foe: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = train_and_certify(foe=foe, m=256, t=1.0, rho=0.3, steps=60, seed=0)
    first, second = capsys.readouterr().out.splitlines()
    assert floats(first)[-1] < floats(second)[-1]
    assert "in training" in shown.alt and "exact" in shown.alt


@pytest.mark.parametrize(
    ("values", "word"),
    [
        (("strong", 64, 1.0, 0.1, 5, 0), "foe"),
        (("plain", 0, 1.0, 0.1, 5, 0), "m"),
        (("plain", 64, -1.0, 0.1, 5, 0), "t"),
        (("plain", 64, 1.0, 0.0, 5, 0), "rho"),
        (("plain", 64, 1.0, 0.1, 1, 0), "steps"),
        (("plain", 64, 1.0, 0.1, 5, -1), "seed"),
    ],
)
def test_bad_values_are_named(values: tuple[str, int, float, float, int, int], word: str) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"\b{word}\b"):
        train_and_certify(*values)
