"""From a few inputs to all of them: truth, net and promise are those of the theory."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sublinear_lib import theory
from sublinear_lib.adversary import worst_gap_everywhere
from sublinear_lib.chapters.from_one_input_to_all import explorers
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import number
from sublinear_lib.widgets import Band, Line, Points
from tests.chapters.marks import circle, named, of

VIEW = explorers.net_around_circle.function


@pytest.mark.parametrize("m", ["256", "4096"])
@pytest.mark.parametrize("points", [12, 36, 180, 348, 720])
def test_curve_net_and_promise_are_those_of_the_theory(points: int, m: str) -> None:
    view, radius = VIEW(points, m), int(m) ** -0.6
    start = TwoLayerNetwork.initialize(int(m), 3, "R3", rng=1)
    sides = [theory.worst_gap_network(start, radius, s, centered=True) for s in ("above", "below")]

    def error(degrees: object) -> np.ndarray:
        return np.asarray(np.max([one.forward(circle(degrees)) for one in sides], axis=0))

    truth = named(view, Line)["true"]
    assert truth.y == pytest.approx(error(truth.x), abs=1e-12)
    degrees = (np.arange(points) + 0.5) * 360 / points - 180
    values = error(degrees)
    chord = math.sqrt(3) * math.sin(math.radians(90 / points))
    promise = values.max() + theory.gap_slope(start) * chord
    assert f"at most {number(promise)} at every input" in view.sentence
    assert f"The truth is {number(worst_gap_everywhere(start, radius).sup)}." in view.sentence
    (band,) = of(view, Band)
    assert (np.asarray(band.lower) <= np.asarray(band.upper) + 1e-12).all()
    assert max(band.upper) <= min(promise, 0.5) + 1e-12
    cones = np.minimum(np.asarray(band.upper), 0.5) - np.asarray(band.lower)
    assert points < 100 or max(band.upper) == 0.5 or cones.min() > 0.5 * (promise - values.max())
    dots = of(view, Points)
    assert (points < 100) == bool(dots)
    assert not dots or dots[0].y == pytest.approx(values)
    assert not dots or np.interp(degrees, band.x, band.upper) == pytest.approx(values, abs=1e-9)


def test_the_picture_says_what_two_nets_promise() -> None:
    alt = explorers.two_nets_picture().alt
    for points in (36, 180):
        assert f"a net of {points} inputs: {points} points" in alt
        promised = float(VIEW(points, "256").sentence.split("at most ")[1].split()[0])
        risen = float(alt.split(f"{points} points")[1].split("rise to ")[1].split(".")[0] + ".")
        assert risen <= promised
    assert "0.108" in alt
