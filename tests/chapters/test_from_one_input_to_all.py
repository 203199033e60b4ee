"""From a few inputs to all of them: truth, net and promise are those of the theory."""

import math
import re
from functools import partial

import numpy as np
import pytest

from sublinear_lib import theory
from sublinear_lib.adversary import worst_gap_everywhere
from sublinear_lib.chapters.from_one_input_to_all import explorers, figures
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import number
from sublinear_lib.widgets import Band, Line, Points
from tests.chapters.marks import circle, named, of
from tests.plotting.shown import tells, texts

VIEW = explorers.net_around_circle.function


@pytest.mark.parametrize("points", [12, 36, 180, 348])
@pytest.mark.parametrize("m", ["256", "4096"])
def test_curve_net_and_promise_are_those_of_the_theory(points, m):
    view, radius = VIEW(points, m), int(m) ** -0.6
    start = TwoLayerNetwork.initialize(int(m), 3, "R3", rng=1)
    sides = [theory.worst_gap_network(start, radius, s, centered=True) for s in ("above", "below")]

    def error(degrees):
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


def test_the_picture_of_the_page_promises_no_more_than_the_explorer():
    said = explorers.two_nets_picture().alt
    for points in (36, 180):
        promised = float(VIEW(points, "256").sentence.split("at most ")[1].split()[0])
        found = re.search(rf"net of {points} inputs: {points} points.*? rise to ([\d.]+\d)", said)
        assert found is not None and float(found[1]) <= promised


PHI = np.linspace(-180.0, 180.0, 721)


def height(degrees):
    return 2.0 + np.cos(np.radians(degrees))


AT = {name: np.arange(k) * 360.0 / k - 180.0 for name, k in (("coarse", 12), ("fine", 60))}
NETS = {name: (at, height(at)) for name, at in AT.items()}
ROOFS = {
    name: theory.net_ceiling(circle(PHI), circle(at), values, 2.0)
    for name, (at, values) in NETS.items()
}
GIVEN = {"angles": PHI, "truth": height(PHI), "nets": NETS, "ceilings": ROOFS, "ylabel": "height"}
net = partial(figures.net_picture, **GIVEN, name="n")


def test_a_net_promises_what_its_cones_do_and_never_less_than_the_truth():
    tells(net(), "between 1 and 3")
    assert "true, largest 3" in texts(net())
    for name, at in AT.items():
        said = f"{name}: {at.size} points, where it is at most 3; the cones on them rise to "
        tells(net(), f"{said}{ROOFS[name].max():.3g}")
    with pytest.raises(ValueError, match="nowhere below the truth"):
        net(truth=np.full(PHI.size, 9.0))
