"""What a query of the convex layers looks at in the plane (Corollary 5.2, second regime)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.halfspace import ConvexLayers
from sublinear_lib.plotting import Role
from sublinear_lib.widgets import Axis, HalfPlane, Line, Mark, Points, View
from sublinear_lib.widgets.declaration import explorer, slider

_POINTS, _FARTHEST, _GAP = 100, 2.6, 0.15
_ENDS = (-2.8, 2.8)


@dataclass(frozen=True)
class _Onion:
    """The points of the explorer in the order of their layers, and what of them never moves."""

    layers: ConvexLayers
    order: list[int]
    x: FloatArray
    y: FloatArray
    everything: Points
    outlines: list[tuple[Line, Line]]
    """Each layer as it is drawn when a query has looked at it, and when it has not."""

    def only(self, ids: set[int], label: str, role: Role, **look: Any) -> Points:
        """Draw the points with these ids."""
        chosen = [point in ids for point in self.order]
        return Points(self.x, self.y, label=label, role=role, only=chosen, **look)


def _normal_points() -> FloatArray:
    """Draw normal points, leaving out those that would stick out or cover an earlier one.

    Their last digit keeps them off the lines at right angles, so that no position of the explorer
    depends on how a machine rounds a cosine.
    """
    rng = np.random.default_rng(2)
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
    order = [point for ring in rings for point in ring]
    outlines = []
    for ring in rings:
        x, y = points[[*ring, ring[0]]].T.copy()
        outlines.append((Line(x, y, role="ink", width=1.5), Line(x, y, role="grid", width=1.5)))
    x, y = points[order].T.copy()
    return _Onion(layers, order, x, y, Points(x, y, role="muted", size=4.0), outlines)


@explorer(
    "Peeling an onion: which points does a query look at?",
    description="Move the sliders, or take hold of the line. The layers that the query opens "
    "stand out.",
    name="onion-explorer",
    tries={"Nothing to report": {"offset": 2.6}, "Ask one by one": {"offset": -0.4}},
    angle=slider("angle of the normal", range(0, 360, 6), start=36, format="{}°"),
    offset=slider("offset of the line", [k / 10 for k in range(-4, 27)], 1.0, format="{:.1f}"),
)
def onion(angle: float, offset: float) -> View:
    """Show what a query of the convex layers looks at, for one half-plane."""
    direction = math.radians(angle)
    normal = (math.cos(direction), math.sin(direction))
    drawn = _onion()
    trace = drawn.layers.trace(normal, offset)
    m, k, depth = len(drawn.layers), len(trace.reported), len(drawn.outlines)
    probed = [point for visit in trace.visits for point in visit.probed]
    tested = [point for visit in trace.visits for point in visit.tested]
    reported = set(trace.reported)
    visited = len(trace.visits)
    seen, steps = len({*probed, *tested}), len(probed) + len(tested)
    marks: list[Mark] = [
        *(looked if n < visited else not_yet for n, (looked, not_yet) in enumerate(drawn.outlines)),
        HalfPlane(normal, offset, role="c1", drag="offset"),
        drawn.everything,
        drawn.only(reported, "reported", "c1"),
        drawn.only({*tested} - reported, "compared, not reported", "c2"),
        drawn.only({*probed}, "probed by a binary search", "c5", size=15.0, hollow=True),
    ]
    return View(
        x=Axis(label="first coordinate", limits=_ENDS),
        y=Axis(label="second coordinate", limits=_ENDS),
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
