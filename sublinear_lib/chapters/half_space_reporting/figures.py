"""Half-space reporting: the plane and its dual (Definition 5.1), and who can fire on X at all."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sublinear_lib._typing import BoolArray, FloatArray
from sublinear_lib.plotting.chart import Chart, Curves, Drawing, Rows, arrays, colored, picture
from sublinear_lib.plotting.formats import Numbers, number, percent
from sublinear_lib.plotting.palette import FAINT
from sublinear_lib.plotting.shapes import draw_half_plane
from sublinear_lib.validation import float_array


@picture
def duality_picture(points: Rows, normal: Numbers, offset: float) -> Drawing:
    """Draw a half-plane query twice: points and a line, and, dually, lines and a point.

    The point (u_1, u_2) becomes the line s -> u_1 s + u_2, and <u, x> > c with x_2 > 0 the point
    (x_1 / x_2, c / x_2), which reports the lines that pass above it.
    """
    P, x = float_array(points, "points", shape=(None, 2)), np.asarray(normal)
    if x[1] <= 0:
        raise ValueError(f"normal must have a positive second coordinate, got {x.tolist()}")
    hit = P @ x > offset
    return [_points(P, x, offset, hit), _lines(P, x[0] / x[1], offset / x[1], hit)], (
        f"Two drawings of one query to {len(P)} neurons. First, neurons are points; a line "
        f"cuts off the shaded half-plane with the {hit.sum()} that fire. Then each neuron is a "
        f"line and the query is one point; the same {hit.sum()} neurons are the lines that pass "
        "above it."
    )


def _points(P: FloatArray, x: FloatArray, offset: float, hit: BoolArray) -> Chart:
    chart = Chart(300, 300, (8, 8, 30, 8), frame=False)
    draw_half_plane(chart, P, x, offset, 284, 262)
    chart.dots(*P[~hit].T, "muted", 5.5, 0, zorder=4)
    chart.dots(*P[hit].T, "c1", 7, 0, zorder=4)
    chart.corner("a neuron is a point", dy=16, weight="bold")
    look = {"dx": -9, "dy": -11, "ha": "right", "weight": "bold"}
    chart.note(*(offset * x / (x @ x)), "the input", "c2", **look)
    return chart


def _lines(P: FloatArray, s: float, level: float, hit: BoolArray) -> Chart:
    chart = Chart(300, 300, (8, 8, 30, 8), frame=False)
    reach = np.array([s - 1.0, s + 1.0])
    at = np.append(P[:, 0] * s + P[:, 1], level)
    margin = 0.18 * max(at.max() - at.min(), 1e-9)
    chart.axes.set_xlim(*reach)
    chart.axes.set_ylim(at.min() - margin, at.max() + margin)
    chart.line([s, s], [level, at.max() + margin], "c1", 7, alpha=0.16)
    for role, width, alpha, members in (("muted", 1.0, FAINT, ~hit), ("c1", 1.8, 1.0, hit)):
        for slope, height in P[members]:
            chart.line(reach, slope * reach + height, role, width, alpha=alpha)
    chart.dots(s, level, "c2", 9, 1.5, zorder=5)
    chart.corner("a neuron is a line", dy=16, weight="bold")
    chart.note(s, level, "the input", "c2", dx=9, dy=-11, weight="bold")
    return chart


@picture
def surviving_share(dimensions: Numbers, curves: Curves, *, samples: Mapping[str, Rows]) -> Drawing:
    """Draw which share of the neurons can fire on X at all, against the dimension, by activity.

    Samples are rows (d, estimate, lower, upper).
    """
    d, shares, points = dimensions, arrays(curves, len(dimensions)), arrays(samples, None, 4)
    chart = Chart(420, 300, (52, 92, 16, 46), "dimension *d*", "neurons that can fire on *X*")
    chart.x(d[0], d[-1], scale="log2", values=[2.0**k for k in range(1, 11)], label=number)
    chart.y(0.0, 1.0, label=percent)
    for role, label, values in colored(shares):
        chart.line(d, values, role, label=label, clip_on=False)
        if label in points:
            chart.intervals(points.pop(label), role)
    if points:
        raise ValueError(f"samples must have labels of curves, got {[*points]}")
    said = "; ".join(
        f"{label}: {percent(v[0])} at d = {number(d[0])}, {percent(v[-1])} at d = {number(d[-1])}"
        for label, v in shares.items()
    )
    rising = all(v[-1] > v[0] and (np.diff(v) >= 0).all() for v in shares.values())
    return chart, (
        f"Share of the neurons that can fire somewhere on X, against the dimension. {said}."
        + (" All curves rise." if rising else "")
    )
