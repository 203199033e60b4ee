"""Promises of the labs of the chapter on the adversary: what they print is the exact comparison."""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib import geometry, scaling, statistics
from sublinear_lib.adversary import (
    ProjectedGradient,
    RandomSearch,
    SmoothedGradient,
    extremes_on_circle,
    mean_shares_found,
)
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import PAGE_HTML, Picture, figure, grouped
from sublinear_lib.widgets import (
    LiveLab,
    attack_lab,
    compare_attacks,
    hunt_supremum,
    supremum_lab,
)

STILL = Picture(figure(), alt="An empty figure for a test.", name="still")


@pytest.mark.parametrize("activation", ["jump", "continuous"])
def test_the_hunt_prints_the_exact_supremum_and_no_attack_exceeds_it(
    activation: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = hunt_supremum(m=512, t=1.0, activation=activation, rho=0.3, seed=5)
    first, second = capsys.readouterr().out.splitlines()
    network = TwoLayerNetwork.initialize(
        512,
        3,
        rng=np.random.default_rng(5),
        tau=scaling.threshold_from_standard(1.0, 512),
        activation=activation,
    )
    x = geometry.embed([[1.0, 0.0]])
    (worst,) = extremes_on_circle(network, x, 0.3)
    assert f"sup = {worst.sup:.4f}" in first
    assert f"f(x) = {network.forward(x)[0]:.4f}" in first
    assert ("not attained" in first) == (not worst.sup_attained)
    assert f"{grouped(worst.ends)} switches" in first
    assert second.count("%") == 3 and "circle" in shown.alt


def test_the_comparison_prints_the_means_with_their_intervals(
    capsys: pytest.CaptureFixture[str],
) -> None:
    compare_attacks(d=3, m=100, t=1.0, activation="jump", rho=0.1, networks=3)
    lines = capsys.readouterr().out.splitlines()
    attacks = {
        "plain": ProjectedGradient(rho=0.1, steps=40, restarts=8),
        "smoothed": SmoothedGradient(rho=0.1, steps=40, restarts=8),
        "random": RandomSearch(rho=0.1, samples=320),
    }
    wanted = mean_shares_found(100, 3, t=1.0, attacks=attacks, networks=3, caps=4, rng=0)
    assert [line.strip() for line in lines] == [
        f"{name}: {statistics.t_interval(values)}" for name, values in wanted.items()
    ]


@pytest.mark.parametrize("build", [supremum_lab, attack_lab])
def test_each_lab_shows_its_still(build: object) -> None:
    lab = build(STILL)  # type: ignore[operator]
    assert isinstance(lab, LiveLab)
    assert "An empty figure for a test." in lab._repr_mimebundle_()[0][PAGE_HTML]
    with pytest.raises(TypeError, match="still"):
        build("picture")  # type: ignore[operator]


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: hunt_supremum(0, 1.0, "jump", 0.1, 0), "m"),
        (lambda: hunt_supremum(64, -1.0, "jump", 0.1, 0), "t"),
        (lambda: hunt_supremum(64, 1.0, "relu", 0.1, 0), "activation"),
        (lambda: hunt_supremum(64, 1.0, "jump", 0.0, 0), "rho"),
        (lambda: hunt_supremum(64, 1.0, "jump", 0.1, -1), "seed"),
        (lambda: compare_attacks(5, 64, 1.0, "jump", 0.1, 3), "d"),
        (lambda: compare_attacks(3, 64, 1.0, "jump", 0.0, 3), "rho"),
        (lambda: compare_attacks(3, 64, 1.0, "jump", 0.1, 1), "networks"),
    ],
)
def test_bad_values_are_named(call: object, word: str) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"\b{word}\b"):
        call()  # type: ignore[operator]
