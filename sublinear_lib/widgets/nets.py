"""The explorer of the chapter on nets: what the values at a few inputs promise for all of them.

Around the circle of inputs (d = 3) it draws the largest error of the linearization, exactly, and
the roof that a net puts over it: no function with this slope and these values on the net is higher.
The numbers come from `sublinear_lib.theory` and `sublinear_lib.adversary`; no formula lives here.
Before changing it, know that the net lies half a spacing beside the drawn angles, so that the roof
is drawn where it is highest (and where it is lowest, if the points of the net show), and that the
roof is cut off at the top of the axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sublinear_lib import geometry, theory
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import worst_gap_everywhere
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture, grouped, net_picture, number
from sublinear_lib.scaling import R3
from sublinear_lib.validation import count
from sublinear_lib.widgets._circle import on_circle
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Band, Line, Points, View

__all__ = ["net_explorer", "net_view", "two_nets_picture"]

_SEED = 1
_WIDTHS = [2**k for k in (8, 12, 16)]
_COUNTS = [12, *range(24, 384, 12), 480, 600, 720]
_DEGREES = np.linspace(-180.0, 180.0, 181)
_TOP = 0.5
_FEW = 100  # so many points of a net can be told apart


@dataclass(frozen=True)
class _Drawn:
    """One network: its worst error around the circle, the exact supremum, and a slope."""

    sides: tuple[TwoLayerNetwork, TwoLayerNetwork]
    truth: FloatArray
    sup: float
    slope: float

    def at(self, degrees: FloatArray) -> FloatArray:
        X = on_circle(np.radians(degrees))
        above, below = self.sides
        values: FloatArray = np.maximum(above.forward(X), below.forward(X))
        return values


@lru_cache(maxsize=8)
def _network(m: int) -> _Drawn:
    start = TwoLayerNetwork.initialize(m, 3, "R3", rng=_SEED)
    radius = R3.radius(m)
    above = theory.worst_gap_network(start, radius, "above", centered=True)
    below = theory.worst_gap_network(start, radius, "below", centered=True)
    empty = np.zeros(0)
    own = _Drawn((above, below), empty, 0.0, theory.gap_slope(start))
    sup = worst_gap_everywhere(start, radius).sup
    return _Drawn(own.sides, own.at(_DEGREES), sup, own.slope)


def _net(points: int) -> FloatArray:
    """Return the angles of the net, half a spacing beside those that are drawn."""
    return np.asarray(-180.0 + 360.0 / points * (np.arange(points) + 0.5), dtype=np.float64)


def two_nets_picture() -> Picture:
    """Draw what nets of 36 and of 180 inputs promise for a network with 256 neurons.

    Returns
    -------
    Picture
        Two panels: the exact error around the circle, and the roof that each net puts over it.

    Notes
    -----
    Source: the uniform step in the proof of Theorem C.1, at the powers of R3 with K = 1 and the
    continuous activation.
    """
    drawn = _network(_WIDTHS[0])
    fine = np.linspace(-180.0, 180.0, 721)
    X, nets, roofs = on_circle(np.radians(fine)), {}, {}
    for points in (36, 180):
        title, degrees = f"a net of {points} inputs", _net(points)
        values = drawn.at(degrees)
        nets[title] = degrees, values
        net = on_circle(np.radians(degrees))
        roofs[title] = theory.net_ceiling(X, net, values, drawn.slope)
    return net_picture(
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


def _chosen(points: int, m: str) -> View:
    return net_view(points, int(m))


def net_view(points: int, m: int) -> View:
    """Show the largest error of the linearization around the circle, and what a net promises.

    Parameters
    ----------
    points : int
        How many equally spaced inputs the net has, ``points >= 3``.
    m : int
        The width, ``m >= 2``.

    Returns
    -------
    View
        The exact error at every input, the net, and the bound between its points.

    Raises
    ------
    TypeError, ValueError
        If an argument is not such an integer.

    Notes
    -----
    Source: Definition A.4, the uniform step in the proof of Theorem C.1, and Theorem A of this
    project, at the powers of R3 with K = 1 and the continuous activation.
    """
    points, m = count(points, "points", minimum=3), count(m, "m", minimum=2)
    drawn = _network(m)
    spacing = 360.0 / points
    degrees = _net(points)
    values = drawn.at(degrees)
    net = on_circle(np.radians(degrees))
    drawn_at, truth = _DEGREES, drawn.truth
    if points < _FEW:  # down to the points, up to the middle between them
        drawn_at = np.union1d(_DEGREES, np.r_[degrees, degrees - spacing / 2.0])
        truth = drawn.at(drawn_at)
    roof = theory.net_ceiling(on_circle(np.radians(drawn_at)), net, values, drawn.slope)
    reach = 2.0 * geometry.SLICE_RADIUS * np.sin(np.radians(spacing) / 4.0)
    promise = float(values.max() + drawn.slope * reach)
    shown = np.minimum(roof, _TOP)
    marks: list[Band | Line | Points] = [
        Band(drawn_at, truth, shown, label="left open", role="c2"),
        Line(_DEGREES, [promise] * len(_DEGREES), label="promised", role="c2", dash=True),
        Line(drawn_at, truth, role="c1", label="true"),
    ]
    if points < _FEW:
        marks.append(Points(degrees, values, role="c4", size=5.0))
    return View(
        x=Axis(
            label="angle of the input, degrees",
            limits=(-180.0, 180.0),
            ticks=(-180, -90, 0, 90, 180),
        ),
        y=Axis(label="largest error of the linearization", limits=(0.0, _TOP), format=number),
        marks=marks,
        sentence=(
            f"{grouped(m)} neurons: the values at {grouped(points)} inputs promise an error of at "
            f"most {number(promise)} at every input. The truth is {number(drawn.sup)}."
        ),
    )


def net_explorer() -> Explorer:
    """Build the explorer of a net around the circle.

    Returns
    -------
    Explorer
        Nets of 12 to 720 inputs, and three widths; it starts with 36 inputs and 256 neurons.

    Notes
    -----
    Source: the uniform step in the proof of Theorem C.1.
    """
    return Explorer(
        _chosen,
        [
            Slider("points", "inputs of the net", _COUNTS, start=36, format=grouped),
            Choice("m", "neurons *m*", {str(m): grouped(m) for m in _WIDTHS}),
        ],
        title="From a few inputs to all of them",
        tries={"36 inputs": {"points": 36}, "180 inputs": {"points": 180}},
        description=(
            "One drawn network with inputs on a circle (d = 3). Blue: how far f can be from its "
            "linearization at each input, for the worst weights of the ball. Shaded: what the "
            "values at the inputs of the net leave open."
        ),
        name="net-explorer",
    )
