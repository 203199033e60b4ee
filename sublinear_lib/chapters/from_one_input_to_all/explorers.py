"""What the values at a few inputs of the circle promise for all of them.

The middles between two points of the net are multiples of its spacing: there its roof is highest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from sublinear_lib import geometry, theory
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import worst_gap_everywhere
from sublinear_lib.chapters._circle import ANGLE, on_circle
from sublinear_lib.chapters.from_one_input_to_all import figures
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture, grouped, number
from sublinear_lib.scaling import R3
from sublinear_lib.widgets import Axis, Band, Line, Points, View
from sublinear_lib.widgets.declaration import explorer, menu, slider

_SEED = 1
_WIDTHS = [2**k for k in (8, 12, 16)]
_COUNTS = [12, *range(24, 384, 12), 480, 600, 720]
_DEGREES = np.linspace(-180.0, 180.0, 181)
_TOP = 0.5
_FEW = 100  # so many points of a net can be told apart


@dataclass(frozen=True)
class _Drawn:
    """One network: its worst errors to both sides, the exact supremum, and a slope."""

    sides: tuple[TwoLayerNetwork, TwoLayerNetwork]
    sup: float
    slope: float

    @cached_property
    def truth(self) -> FloatArray:
        return self.at(_DEGREES)

    def at(self, degrees: FloatArray) -> FloatArray:
        X = on_circle(np.radians(degrees))
        above, below = self.sides
        return np.asarray(np.maximum(above.forward(X), below.forward(X)))

    def roof(self, net: FloatArray, degrees: FloatArray) -> FloatArray:
        """Return what the values at a net leave open at other angles."""
        points, X = on_circle(np.radians(net)), on_circle(np.radians(degrees))
        return theory.net_ceiling(X, points, self.at(net), self.slope)


@lru_cache(maxsize=8)
def _network(m: int) -> _Drawn:
    start = TwoLayerNetwork.initialize(m, 3, "R3", rng=_SEED)
    radius = R3.radius(m)
    above = theory.worst_gap_network(start, radius, "above", centered=True)
    below = theory.worst_gap_network(start, radius, "below", centered=True)
    sup = worst_gap_everywhere(start, radius).sup
    return _Drawn((above, below), sup, theory.gap_slope(start))


def _net(points: int) -> FloatArray:
    """Return the angles of the net, half a spacing beside those that are drawn."""
    return np.asarray(-180.0 + 360.0 / points * (np.arange(points) + 0.5))


def two_nets_picture() -> Picture:
    """Draw what nets of 36 and of 180 inputs promise for a network with 256 neurons."""
    drawn = _network(_WIDTHS[0])
    fine = np.linspace(-180.0, 180.0, 721)
    nets, roofs = {}, {}
    for points in (36, 180):
        title, net = f"a net of {points} inputs", _net(points)
        nets[title], roofs[title] = (net, drawn.at(net)), drawn.roof(net, fine)
    return figures.net_picture(
        fine,
        drawn.at(fine),
        nets,
        roofs,
        ylabel="error",
        name="cones",
        caption="The largest error that the worst weights can cause, at every input of a circle "
        "(blue). A net tells us this error at its points; the shaded part is what it leaves open "
        "in between.",
    )


@explorer(
    "From a few inputs to all of them",
    description="One drawn network with inputs on a circle (d = 3). Blue: how far f can be from "
    "its linearization at each input, for the worst weights of the ball. Shaded: what the values "
    "at the inputs of the net leave open; of fine nets, up to the tips of the cones.",
    name="net-explorer",
    tries={"36 inputs": {"points": 36}, "180 inputs": {"points": 180}},
    points=slider("inputs of the net", _COUNTS, start=36, format=grouped),
    m=menu("neurons *m*", {str(m): grouped(m) for m in _WIDTHS}),
)
def net_around_circle(points: int, m: str) -> View:
    """Show the largest error of the linearization around the circle, and what a net promises."""
    drawn, spacing = _network(int(m)), 360.0 / points
    degrees, at = _net(points), _DEGREES
    if points < _FEW:  # down to the points, up to the middle between them
        at = np.union1d(_DEGREES, np.r_[degrees, degrees - spacing / 2.0])
    values, truth = drawn.at(degrees), drawn.truth if at is _DEGREES else drawn.at(at)
    reach = 2.0 * geometry.SLICE_RADIUS * np.sin(np.radians(spacing) / 4.0)
    promise = float(values.max() + drawn.slope * reach)
    # of many cones only the tips are drawn, of each angle the one in the nearest middle
    tips = at if points < _FEW else np.round(at / spacing) * spacing
    shown = np.minimum(drawn.roof(degrees, tips), _TOP)
    marks: list[Band | Line | Points] = [
        Band(at, truth, shown, label="left open", role="c2"),
        Line(_DEGREES, [promise] * len(_DEGREES), label="promised", role="c2", dash=True),
        Line(at, truth, role="c1", label="true"),
    ]
    if points < _FEW:
        marks.append(Points(degrees, values, role="c4", size=5.0))
    return View(
        x=ANGLE,
        y=Axis(label="largest error of the linearization", limits=(0.0, _TOP), format=number),
        marks=marks,
        sentence=(
            f"{grouped(int(m))} neurons: the values at {grouped(points)} inputs promise an error "
            f"of at most {number(promise)} at every input. The truth is {number(drawn.sup)}."
        ),
    )
