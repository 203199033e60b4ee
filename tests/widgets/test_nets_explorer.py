"""The explorer of nets: the curve is the exact error, the promise holds for all inputs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sublinear_lib import theory
from sublinear_lib.adversary import worst_gap_everywhere
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import number
from sublinear_lib.widgets import Explorer, Line, View, net_explorer, net_view, two_nets_picture
from sublinear_lib.widgets.views import Band, Points


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return net_explorer()


def truth(view: View) -> Line:
    (line,) = (mark for mark in view.marks if isinstance(mark, Line) and mark.label == "true")
    return line


def circle(degrees: np.ndarray) -> np.ndarray:
    turn = np.radians(degrees)
    flat = np.full(turn.size, 0.5)
    return np.column_stack((0.75**0.5 * np.cos(turn), 0.75**0.5 * np.sin(turn), flat))


@pytest.mark.parametrize("m", [256, 4096])
@pytest.mark.parametrize("points", [12, 36, 180, 720])
def test_curve_net_and_promise_are_those_of_the_theory(points: int, m: int) -> None:
    view = net_view(points, m)
    start = TwoLayerNetwork.initialize(m, 3, "R3", rng=1)
    sides = [
        theory.worst_gap_network(start, m**-0.6, side, centered=True) for side in ("above", "below")
    ]
    shown = truth(view)
    exact = np.max([one.forward(circle(np.asarray(shown.x))) for one in sides], axis=0)
    assert shown.y == pytest.approx(exact, abs=1e-12)
    degrees = (np.arange(points) + 0.5) * 360 / points - 180
    values = np.max([one.forward(circle(degrees)) for one in sides], axis=0)
    chord = math.sqrt(3) * math.sin(math.radians(90 / points))
    promise = values.max() + theory.gap_slope(start) * chord
    assert f"at most {number(promise)} at every input" in view.sentence
    assert number(worst_gap_everywhere(start, m**-0.6).sup) in view.sentence
    (band,) = (mark for mark in view.marks if isinstance(mark, Band))
    assert (np.asarray(band.lower) <= np.asarray(band.upper) + 1e-12).all()
    assert max(band.upper) <= min(promise, 0.5) + 1e-12
    dots = [mark for mark in view.marks if isinstance(mark, Points)]
    assert (points < 100) == bool(dots)
    if dots:
        assert dots[0].y == pytest.approx(values)
        assert np.interp(degrees, band.x, band.upper) == pytest.approx(values, abs=1e-9)


def test_a_finer_net_promises_more_and_the_truth_stays() -> None:
    promised = []
    for points in (36, 180, 720):
        said = net_view(points, 256).sentence
        promised.append(float(said.split("at most ")[1].split()[0]))
        assert said.endswith("The truth is 0.108.")
    assert promised == sorted(promised, reverse=True)
    assert promised[-1] > 0.108


def test_the_picture_says_what_two_nets_promise() -> None:
    alt = two_nets_picture().alt
    for points in (36, 180):
        assert f"a net of {points} inputs: {points} points" in alt
        promised = float(net_view(points, 256).sentence.split("at most ")[1].split()[0])
        risen = float(alt.split(f"{points} points")[1].split("rise to ")[1].split(".")[0] + ".")
        assert risen <= promised
    assert "0.108" in alt


def test_the_explorer_starts_small(explorer: Explorer) -> None:
    assert explorer.values == {"points": 36, "m": "256"}


@pytest.mark.parametrize("changed", [{"points": 2}, {"points": 3.5}, {"m": 1}])
def test_it_refuses_what_it_does_not_know(changed: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError)):
        net_view(**{"points": 36, "m": 256, **changed})  # type: ignore[arg-type]
