"""The explorer of the chapter on finding the neurons that fire: an onion in the plane.

`onion_explorer` lets the reader move a half-plane over the convex layers of Corollary 5.2 (d = 2)
and see what a query of `sublinear_lib.halfspace.ConvexLayers` looks at; every count it shows comes
from a trace of that very structure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sublinear_lib._typing import BoolArray, FloatArray
from sublinear_lib.halfspace import ConvexLayers
from sublinear_lib.validation import scalar
from sublinear_lib.widgets.controls import Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, HalfPlane, Line, Mark, Points, View

__all__ = ["onion_explorer", "onion_view"]

_POINTS = 100
_SEED = 2
_REACH = 2.8
_FARTHEST = 2.6
_GAP = 0.15


@dataclass(frozen=True)
class _Onion:
    """The points of the explorer in the order of their layers, and what of them never moves."""

    layers: ConvexLayers
    order: tuple[int, ...]
    x: FloatArray
    y: FloatArray
    everything: Points
    outlines: tuple[tuple[Line, Line], ...]
    """Each layer as it is drawn when a query has looked at it, and when it has not."""

    def only(self, ids: set[int]) -> BoolArray:
        """Return which points have these ids."""
        return np.array([point in ids for point in self.order])


def _normal_points() -> FloatArray:
    """Draw normal points, leaving out those that would stick out or cover an earlier one.

    Their last digit keeps them off the lines at right angles, so that no position of the explorer
    depends on how a machine rounds a cosine.
    """
    rng = np.random.default_rng(_SEED)
    points = np.empty((0, 2))
    while len(points) < _POINTS:
        point = (np.floor(1000.0 * rng.standard_normal((1, 2))) + 0.5) / 1000.0
        apart = np.linalg.norm(points - point, axis=1) > _GAP
        if apart.all() and np.abs(point).max() < _FARTHEST:
            points = np.append(points, point, axis=0)
    return points


@lru_cache(maxsize=1)
def _onion() -> _Onion:
    layers = ConvexLayers(points := _normal_points())
    rings = [ring.tolist() for ring in layers.layers()]
    order = tuple(point for ring in rings for point in ring)
    outlines = []
    for ring in rings:
        x, y = points[[*ring, ring[0]]].T.copy()
        outlines.append((Line(x, y, role="ink", width=1.5), Line(x, y, role="grid", width=1.5)))
    x, y = points[list(order)].T.copy()
    everything = Points(x, y, role="muted", size=4.0)
    return _Onion(layers, order, x, y, everything, tuple(outlines))


def onion_view(angle: float, offset: float) -> View:
    """Show what a query of the convex layers looks at, for one half-plane.

    Parameters
    ----------
    angle : float
        Direction of the normal in degrees, counterclockwise from the first axis.
    offset : float
        Distance of the line from the origin along the normal, of any sign.

    Returns
    -------
    View
        Points, layers and half-plane; which points are reported, which were compared with the line
        in vain, and where the binary searches probed.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is not finite.

    Notes
    -----
    Source: Corollary 5.2, second regime, for d = 2.
    """
    direction = math.radians(scalar(angle, "angle"))
    normal = (math.cos(direction), math.sin(direction))
    onion = _onion()
    trace = onion.layers.trace(normal, offset)
    m, k, depth = len(onion.layers), len(trace.reported), len(onion.outlines)
    probed = [point for visit in trace.visits for point in visit.probed]
    tested = [point for visit in trace.visits for point in visit.tested]
    reported = set(trace.reported)
    visited = len(trace.visits)
    seen, steps = len({*probed, *tested}), len(probed) + len(tested)
    marks: list[Mark] = [
        *(looked if n < visited else not_yet for n, (looked, not_yet) in enumerate(onion.outlines)),
        HalfPlane(normal, offset, role="c1", drag="offset"),
        onion.everything,
        Points(
            onion.x,
            onion.y,
            label="reported",
            role="c1",
            only=onion.only(reported),
        ),
        Points(
            onion.x,
            onion.y,
            label="compared, not reported",
            role="c2",
            only=onion.only(set(tested) - reported),
        ),
        Points(
            onion.x,
            onion.y,
            label="probed by a binary search",
            role="c5",
            size=15.0,
            hollow=True,
            only=onion.only(set(probed)),
        ),
    ]
    return View(
        x=Axis(label="first coordinate", limits=(-_REACH, _REACH)),
        y=Axis(label="second coordinate", limits=(-_REACH, _REACH)),
        equal=True,
        marks=marks,
        sentence=(
            f"The query visits {seen} of {m} points, in {visited} of {depth} layers, and reports "
            f"{k}. It takes {steps} steps: {len(probed)} probes of a binary search and "
            f"{len(tested)} comparisons with the line. A naive scan takes {m}."
        ),
        readouts={
            "reported": f"{k} of {m}",
            "visited": f"{seen} of {m}",
            "layers opened": f"{visited} of {depth}",
            "steps, onion and naive scan": f"{steps} and {m}",
        },
        warning=(
            "Here the naive scan takes fewer steps: the onion pays a binary search for every layer "
            "that it opens."
            if steps > m
            else None
        ),
    )


def onion_explorer() -> Explorer:
    """Build the explorer of a half-plane over convex layers.

    Returns
    -------
    Explorer
        Sliders for the angle of the normal and for the offset, which can also be set by moving the
        line in the picture.

    Notes
    -----
    Source: Corollary 5.2, second regime, for d = 2.
    """
    return Explorer(
        onion_view,
        [
            Slider("angle", "angle of the normal", range(0, 360, 6), start=36, format="{}°"),
            Slider(
                "offset",
                "offset of the line",
                [round(0.1 * k, 1) for k in range(-4, 27)],
                start=1.0,
                format="{:.1f}",
            ),
        ],
        title="Peeling an onion: which points does a query look at?",
        tries={"Nothing to report": {"offset": 2.6}, "Ask one by one": {"offset": -0.4}},
        description=(
            "Move the sliders, or take hold of the line. The layers that the query opens stand out."
        ),
        name="onion-explorer",
    )
