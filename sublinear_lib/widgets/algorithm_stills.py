"""Three stills of the player of Algorithm 1, for readers without scripts and for print.

They show what the front end shows (``static/algorithm.js``): neuron r at ``s_r e + t_r e'`` with
``s_r = <w_r, x> + b_r`` and t_r along the tangent, the half-plane ``s > tau`` that the input x
cuts off, and around them the circle of inputs with the examples and their caps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.patches import Arc, Circle, Polygon

from sublinear_lib import geometry
from sublinear_lib._typing import FloatArray
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting.chart import INK, Chart, Drawing, picture

_PANEL, _TOP, _REACH, _RIM = 232.0, 26.0, 3.5, 4.2


@picture
def algorithm_stills(
    moments: Sequence[tuple[str, TwoLayerNetwork]], X: FloatArray, y: FloatArray, rho: float
) -> Drawing:
    """Draw titled networks with d = 3 side by side, as the player draws them.

    Around them are the examples with caps of radius rho; the half-plane belongs to the second.
    """
    charts, counts = [], []
    for title, network in moments:
        chart = Chart(_PANEL, _PANEL + _TOP, (0.0, 0.0, _TOP, 0.0), frame=False)
        chart.axes.set(xlim=(-_RIM, _RIM), ylim=(-_RIM, _RIM))
        fires = int(_neurons(chart, network, X[1]).sum())
        _examples(chart, X, y, rho)
        counts.append(f"{title}: {fires} of {network.m} neurons fire")
        chart.corner(title, at=(0.5, 1.0), dy=12.0, ha="center")
        chart.corner(f"{fires} fire", "c1", at=(0.02, 0.03))
        charts.append(chart)
    return charts, (
        "The neurons of a network as dots; the input on the circle around them cuts off a "
        f"half-plane, and the dots in it fire. {'; '.join(counts)}."
    )


def _neurons(chart: Chart, network: TwoLayerNetwork, x: FloatArray) -> np.ndarray:
    """Draw the neurons, the line and the input; return who fires."""
    std = math.sqrt(2.0 / network.m)
    phi = math.atan2(x[1], x[0])
    along = np.array([math.cos(phi), math.sin(phi)])
    across = np.array([-along[1], along[0]])
    level = 0.5 * network.W[:, 2] + network.b
    plane = geometry.SLICE_RADIUS * network.W[:, :2]
    # Whoever would leave the picture stays at its rim, on its side of the line.
    s = np.clip((plane @ along + level) / std, -_REACH, _REACH)
    most = np.sqrt(_REACH**2 - s**2)
    t = np.clip(plane @ across / std, -most, most)
    places = s[:, None] * along + t[:, None] * across
    fires: np.ndarray = network.active_mask(x[None])[0]
    line = network.tau / std
    open_ = math.acos(min(1.0, line / _REACH))
    rim = phi + np.linspace(-open_, open_, 60)
    edge = _REACH * np.column_stack((np.cos(rim), np.sin(rim)))
    add = chart.axes.add_patch
    add(Polygon(edge, facecolor=INK["c1"], alpha=0.12, linewidth=0))
    add(Circle((0, 0), _REACH, fill=False, edgecolor=INK["muted"], linewidth=1.0))
    chart.dots(*places[~fires].T, "muted", 2.0, alpha=0.75)
    chart.dots(*places[fires].T, "c1", 3.5)
    chart.line(*edge[[0, -1]].T, "ink", 1.75)
    chart.dots(*(_REACH * along), "c1", 8)
    return fires


def _examples(chart: Chart, X: FloatArray, y: FloatArray, rho: float) -> None:
    radius = _REACH + 0.35
    half = math.degrees(geometry.cap_angle(rho))
    for x, label in zip(X, y, strict=True):
        phi = math.atan2(x[1], x[0])
        degrees, role = math.degrees(phi), "c3" if label > 0 else "c5"
        ends = {"theta1": degrees - half, "theta2": degrees + half}
        look: Any = {"color": INK[role], "linewidth": 4.0, "alpha": 0.4}
        cap = Arc((0, 0), 2.0 * radius, 2.0 * radius, **ends, **look)
        chart.axes.add_patch(cap)
        place = (radius * math.cos(phi), radius * math.sin(phi))
        full = INK[role if label > 0 else "paper"]
        look = {"markerfacecolor": full, "markeredgecolor": INK[role]}
        chart.dots(*place, role, 4.5, **look)
