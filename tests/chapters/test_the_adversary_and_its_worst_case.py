"""The worst case near one input: every point and number is that of the exact sweep."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from sublinear_lib import geometry, scaling
from sublinear_lib.adversary import extremes_on_circle
from sublinear_lib.chapters.the_adversary_and_its_worst_case import explorers
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.widgets import Line, Points, Rule, Stretch
from tests.chapters.marks import X, circle, named, of

POSITIONS = list(itertools.product((0.05, 0.3, 0.5), ("jump", "continuous"), ("3", "6", "7")))


@pytest.mark.parametrize(("rho", "activation", "draw"), POSITIONS)
def test_the_view_is_that_of_the_sweep(rho: float, activation: str, draw: str) -> None:
    view = explorers.worst_case.function(rho, activation, draw)
    tau = scaling.threshold_from_activity(0.1, 2000)
    network = TwoLayerNetwork.initialize(2000, 3, rng=int(draw), tau=tau, activation=activation)
    (cap,) = extremes_on_circle(network, X, rho)
    clean = float(network.forward(X)[0])
    gain = cap.sup - clean
    assert [mark.at for mark in of(view, Rule)] == [gain]
    top = view.marks[-1]
    assert isinstance(top, Points) and top.hollow and float(top.y[0]) == gain
    assert float(network.forward(circle(top.x))[0]) - clean <= gain + 1e-9
    assert f"can rise by {number(gain)}" in view.sentence
    assert ("never reaches it" in view.sentence) == (not cap.sup_attained)
    assert cap.sup_attained or activation == "jump"
    low, high = geometry.cap_intervals(X, rho, network.W, network.b)
    switching = int(((low[0] <= network.tau) & (high[0] > network.tau)).sum())
    assert f"{grouped(switching)} of the {grouped(2000)} neurons switch" in view.sentence
    [region] = of(view, Stretch)
    assert region.stop == pytest.approx(math.degrees(geometry.cap_angle(rho)))
    shares = []
    for label in ("gradient", "random", "smoothed"):
        mark = named(view, Points)[label]
        angle, rise = float(mark.x[0]), float(mark.y[0])
        assert abs(angle) <= region.stop * (1 + 1e-9) and 0.0 <= rise <= cap.upper - clean
        # Near a jump the rounding of the angle could decide; one step to either side covers it.
        near = network.forward(circle([angle - 1e-5, angle, angle + 1e-5]))
        assert np.abs(rise + clean - near).min() < 1e-6
        share = rise / gain
        shares.append(percent(min(1.0, share) if abs(share) > 1e-9 else 0.0))
    assert "attack finds {} of this rise, 40 random guesses find {}, and".format(*shares) in (
        view.sentence
    )
    assert f"smoothed gradient finds {shares[2]}." in view.sentence


@pytest.mark.parametrize("activation", ["jump", "continuous"])
def test_the_curve_is_the_network_and_stays_on_the_axis(activation: str) -> None:
    view = explorers.worst_case.function(0.3, activation, "6")
    [line] = of(view, Line)
    x, y = np.asarray(line.x), np.asarray(line.y)
    assert x[[0, -1]] == pytest.approx([-40.0, 40.0]) and (np.diff(x) >= 0).all()
    assert view.y.limits[0] < y.min() and y.max() < view.y.limits[1]
    tau = scaling.threshold_from_activity(0.1, 2000)
    network = TwoLayerNetwork.initialize(2000, 3, rng=6, tau=tau, activation=activation)
    smooth = np.flatnonzero((np.diff(x[:-1]) > 1e-4) & (np.diff(x[1:]) > 1e-4)) + 1
    beside = [network.forward(circle(x[smooth] + step)) for step in (-1e-5, 0.0, 1e-5)]
    off = np.abs(np.stack(beside) - network.forward(X)[0] - y[smooth]).min(axis=0)
    assert off.max() < 1e-4


def test_the_explorer_starts_where_the_gradient_attack_fails() -> None:
    start = explorers.worst_case.function(0.3, "jump", "6").sentence
    assert f"The gradient attack finds {percent(0.0)} of this rise" in start
