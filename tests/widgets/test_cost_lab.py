"""Promises of the lab that counts one iteration: counts of the runs, closed forms beside them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import stats

from sublinear_lib import datasets
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import PAGE_HTML, Picture, figure
from sublinear_lib.widgets import LiveLab, count_an_iteration, iteration_lab

STILL = Picture(figure(), alt="An empty figure for a test.", name="still")


def numbers(text: str) -> list[float]:
    joined = re.sub(r"(?<=\d)\N{NARROW NO-BREAK SPACE}(?=\d)", "", text)
    return [float(found) for found in re.findall(r"\d+(?:\.\d+)?(?:e-\d+)?", joined)]


def test_one_iteration_is_counted_both_ways(capsys: pytest.CaptureFixture[str]) -> None:
    shown = count_an_iteration(2048, 1.0, 0.1, 2, 4)
    same, work, able = capsys.readouterr().out.splitlines()
    assert numbers(same)[0] < 1e-12
    n = datasets.load_split("digits-3v8", 0.4, 0)[0].n
    dense, closed, sparse, times = numbers(work)
    assert dense == closed == (2 * 2 + 3) * 2048 * n
    assert times == pytest.approx(dense / sparse, rel=5e-3) and times > 1
    assert "dense 1, sparse" in shown.alt
    measured, expected = numbers(able)
    assert measured == pytest.approx(expected, rel=0.1)  # about 3 standard errors


def test_without_reach_the_neurons_that_can_fire_are_the_active_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    count_an_iteration(512, 1.0, 0.0, 1, 0)
    measured, expected = numbers(capsys.readouterr().out.splitlines()[2])
    train, _ = datasets.load_split("digits-3v8", 0.4, 0)
    network = TwoLayerNetwork.initialize(512, train.d, rng=0, tau=(2 / 512) ** 0.5)
    assert measured == pytest.approx(100 * network.activity(train.X).mean(), rel=5e-3)
    assert expected == pytest.approx(100 * stats.norm.sf(1.0), rel=5e-3)
    assert np.isfinite(measured)


def test_the_lab_shows_its_still() -> None:
    lab = iteration_lab(STILL)
    assert isinstance(lab, LiveLab)
    assert "An empty figure for a test." in lab._repr_mimebundle_()[0][PAGE_HTML]
    with pytest.raises(TypeError, match="still"):
        iteration_lab("picture")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: count_an_iteration(0, 1.0, 0.1, 5, 0), "m"),
        (lambda: count_an_iteration(64, -1.0, 0.1, 5, 0), "t"),
        (lambda: count_an_iteration(64, 1.0, -0.1, 5, 0), "rho"),
        (lambda: count_an_iteration(64, 1.0, 0.1, 0, 0), "steps"),
    ],
)
def test_bad_values_are_named(call: object, word: str) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"\b{word}\b"):
        call()  # type: ignore[operator]
