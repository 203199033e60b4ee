"""Three stills of the player of Algorithm 1, for readers without scripts and for print.

They show what the front end shows (``static/algorithm.js``): neuron r at ``s_r e + t_r e'`` with
``s_r = <w_r, x> + b_r`` and t_r along the tangent, the half-plane ``s > tau`` that the input x
cuts off, and around them the circle of inputs with the examples and their caps.
"""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Arc, Circle, Polygon

from sublinear_lib import geometry
from sublinear_lib._typing import FloatArray
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting.palette import LIGHT
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.style import figure, house_style, note

__all__ = ["algorithm_stills"]

_PANEL, _TOP, _REACH, _RIM = 232.0, 26.0, 3.5, 4.2


def algorithm_stills(
    moments: list[tuple[str, TwoLayerNetwork]],
    X: FloatArray,
    y: FloatArray,
    rho: float,
    *,
    name: str,
) -> Picture:
    """Draw some networks with d = 3 side by side, as the player draws them.

    Parameters
    ----------
    moments : list of (str, TwoLayerNetwork)
        Titles and networks.
    X : ndarray of float64, shape (n, 3)
        The examples; the half-plane belongs to the second.
    y : ndarray of float64, shape (n,)
        Their labels.
    rho : float
        Radius of the caps.
    name : str
        Name of the picture.

    Returns
    -------
    Picture
        One panel for each network.
    """
    share = _PANEL / (_PANEL + _TOP)
    figures, counts = [], []
    with house_style():
        for title, network in moments:
            fig = figure(_PANEL, _PANEL + _TOP)
            axes = fig.add_axes((0.0, 0.0, 1.0, share))
            axes.set_axis_off()
            axes.set_xlim(-_RIM, _RIM)
            axes.set_ylim(-_RIM, _RIM)
            fires = int(_neurons(axes, network, X[1]).sum())
            _examples(axes, X, y, rho)
            counts.append(f"{title}: {fires} of {network.m} neurons fire")
            note(axes, 0.5, 1.0, title, coordinates="axes fraction", dy=12.0, ha="center")
            note(axes, 0.02, 0.03, f"{fires} fire", role="c1", coordinates="axes fraction")
            figures.append(fig)
    return Picture(
        figures,
        alt="The neurons of a network as dots; the input on the circle around them cuts off a "
        f"half-plane, and the dots in it fire. {'; '.join(counts)}.",
        caption="Each dot is a neuron, and the input on the rim cuts off those that fire.",
        name=name,
    )


def _neurons(axes: Axes, network: TwoLayerNetwork, x: FloatArray) -> np.ndarray:
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
    axes.add_patch(Polygon(edge, facecolor=LIGHT["c1"], alpha=0.12, linewidth=0))
    axes.add_patch(Circle((0, 0), _REACH, fill=False, edgecolor=LIGHT["muted"], linewidth=1.0))
    axes.plot(*places[~fires].T, "o", color=LIGHT["muted"], markersize=2.0, alpha=0.75)
    axes.plot(*places[fires].T, "o", color=LIGHT["c1"], markersize=3.5)
    axes.plot(*edge[[0, -1]].T, color=LIGHT["ink"], linewidth=1.75)
    axes.plot(*(_REACH * along), "o", color=LIGHT["c1"], markersize=8)
    return fires


def _examples(axes: Axes, X: FloatArray, y: FloatArray, rho: float) -> None:
    radius = _REACH + 0.35
    half = math.degrees(geometry.cap_angle(rho))
    for x, label in zip(X, y, strict=True):
        phi = math.atan2(x[1], x[0])
        degrees = math.degrees(phi)
        color = LIGHT["c3" if label > 0 else "c5"]
        size = 2.0 * radius
        ends = {"theta1": degrees - half, "theta2": degrees + half}
        axes.add_patch(Arc((0, 0), size, size, color=color, linewidth=4.0, alpha=0.4, **ends))
        place = (radius * math.cos(phi), radius * math.sin(phi))
        full = color if label > 0 else LIGHT["paper"]
        axes.plot(*place, "o", color=full, markeredgecolor=color, markersize=4.5)
