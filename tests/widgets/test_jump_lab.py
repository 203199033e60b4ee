"""Promises of the labs on the price of a jump: what they print is true of the networks."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sublinear_lib import theory
from sublinear_lib.activations import get_activation
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture
from sublinear_lib.widgets import (
    first_step_lab,
    take_first_steps,
    walk_lab,
    walk_through_ball,
)

X = [[3**0.5 / 2, 0.0, 0.5]]


def test_the_walk_reports_f_over_g_at_the_edge_of_the_ball(
    capsys: pytest.CaptureFixture[str],
) -> None:
    m, t = 2048, 1.0
    shown = walk_through_ball(m=m, t=t, preset="R2", seed=3)
    said = dict(re.findall(r"(\w+): f moves (\S+) times", capsys.readouterr().out))
    assert isinstance(shown, Picture) and "The dashed line of g reaches" in shown.alt
    tau = t * (2 / m) ** 0.5
    for form in ("jump", "continuous"):
        net = TwoLayerNetwork.initialize(m, 3, "R2", rng=3, tau=tau, activation=form)
        z, sign = net.preactivations(X)[0], np.sign(net.a)
        sigma = get_activation(form).value
        f = net.a @ (sigma(z + sign * m**-0.6, tau) - sigma(z, tau))
        g = float(np.abs(net.a) @ (z > tau)) * m**-0.6
        assert float(said[form]) == pytest.approx(float(f) / g, rel=6e-3)
    assert float(said["jump"]) > 2 > float(said["continuous"])


def test_a_first_step_leaves_what_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    m, t, far = 8192, 1.5, 0.1
    shown = take_first_steps(m=m, t=t, distance=far, c=1.0, steps=5, seed=2)
    text = capsys.readouterr().out
    said = dict(re.findall(r"(\w+): after one step (\S+) of", text))
    assert isinstance(shown, Picture) and "t = 1.5" in shown.alt
    tau = t * (2 / m) ** 0.5
    for form in ("jump", "continuous"):
        net = TwoLayerNetwork.initialize(m, 3, rng=2, tau=tau, activation=form)
        z = net.preactivations(X)[0]
        active = z > tau
        move = far * np.sign(net.a) * active / (abs(net.a[0]) * active.sum())
        sigma = get_activation(form).value
        f = float(net.a @ (sigma(z + move, tau) - sigma(z, tau)))
        assert float(said[form]) == pytest.approx(abs(far - f) / far, rel=6e-3)
        travel = far / (abs(net.a[0]) * active.sum() * (2 / m) ** 0.5)
        assert f / far == pytest.approx(theory.step_ratio(t, travel, form), rel=0.2)


@pytest.mark.parametrize("build", [walk_lab, first_step_lab])
def test_a_lab_wants_a_picture(build: object) -> None:
    still = walk_through_ball(m=64, t=0.5, preset="R1", seed=0)
    lab = build(still)  # type: ignore[operator]
    assert lab.title
    with pytest.raises(TypeError, match="still"):
        build("no picture")  # type: ignore[operator]


@pytest.mark.parametrize(
    "changed",
    [{"m": 0}, {"t": -1.0}, {"distance": 0.0}, {"distance": 2.0}, {"c": 0.0}, {"steps": 1}],
)
def test_a_first_step_refuses_what_is_out_of_range(changed: dict[str, object]) -> None:
    chosen = {"m": 256, "t": 1.0, "distance": 0.1, "c": 1.0, "steps": 2, "seed": 0}
    with pytest.raises((TypeError, ValueError)):
        take_first_steps(**{**chosen, **changed})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="active neuron"):
        take_first_steps(**{**chosen, "m": 2, "t": 5.0})  # type: ignore[arg-type]


def test_a_walk_without_active_neurons_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    walk_through_ball(m=8, t=5.0, preset="R1", seed=0)
    assert "no neuron is active" in capsys.readouterr().out
    with pytest.raises(ValueError, match="preset"):
        walk_through_ball(m=8, t=1.0, preset="ZHANG", seed=0)
