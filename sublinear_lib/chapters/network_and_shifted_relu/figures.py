"""The two shifted ReLUs (Section 3), and X with a cap on it for d = 3 (Definition 3.3)."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.chart import INK, Chart, Drawing, Rows, picture
from sublinear_lib.plotting.formats import Numbers, grouped
from sublinear_lib.plotting.palette import FAINT
from sublinear_lib.plotting.shapes import project
from sublinear_lib.validation import float_array, points_on_slice


@picture
def activations_pair(z: Numbers, jump: Numbers, continuous: Numbers, *, tau: float) -> Drawing:
    """Draw the paper's shifted ReLU, which jumps at tau, beside the continuous one."""
    z = np.asarray(z, dtype=float)
    on = z > tau
    first, second = np.asarray(jump), np.asarray(continuous)
    for values, slope in ((first, z), (second, z - tau)):
        if np.abs(values - np.where(on, slope, 0.0)).max() > 1e-9 * np.abs(z).max():
            raise ValueError("the activations must be 0 up to tau and rise with slope 1 beyond")
    charts = []
    marks = {"values": [0.0, tau], "label": lambda v: "τ" if v else "0"}
    titles = "jump: *z* · 1[*z* > τ]", "continuous: max(*z* \N{MINUS SIGN} τ, 0)"
    for values, title in zip((first, second), titles, strict=True):
        chart = Chart(300, 250, (30, 14, 14, 46), ylabel=title, xlabel="pre-activation *z*")
        chart.x(z[0], z[-1], **marks)
        chart.y(-0.06 * first.max(), first.max(), **marks)
        chart.line(z[~on], values[~on], "c1")
        chart.line(z[on], values[on], "c1")
        charts.append(chart)
    _jump(charts[0], tau, float(first[on][0]))
    charts[1].dots(tau, 0.0, "c1", 7, clip_on=False)
    charts[1].note(tau, 0.0, "no jump", "c3", dx=-4, dy=16, ha="right")
    return charts, (
        "Two activations against the pre-activation z. Both are zero up to the threshold τ. "
        "The first jumps there from 0 to the height τ and goes on with slope 1; the second "
        "starts at 0 and rises with slope 1, so it stays lower by exactly τ."
    )


def _jump(chart: Chart, tau: float, landing: float) -> None:
    arrow = {"arrowstyle": "<->", "color": INK["c2"], "linewidth": 1.5}
    arrow |= {"shrinkA": 5.0, "shrinkB": 5.0}
    chart.axes.annotate("", xy=(tau, landing), xytext=(tau, 0.0), arrowprops=arrow)
    chart.dots(tau, 0.0, "c1", 7, markerfacecolor=INK["c1"], markeredgewidth=2, clip_on=False)
    chart.dots(tau, landing, "c1", 7, 2, hollow=True, clip_on=False)
    chart.note(tau, 0.5 * landing, "jump of\nheight τ", "c2", dx=10)


def _ring(height: float, start: float, stop: float, steps: int = 121) -> FloatArray:
    angle = np.linspace(start, stop, steps)
    flat = math.sqrt(1 - height * height) * np.stack([np.cos(angle), np.sin(angle)])
    return np.vstack([flat, np.full((1, steps), height)]).T


def _circle(chart: Chart, height: float, role: str, width: float, alpha: float = 1.0) -> None:
    """Draw a circle around the sphere, dashed where the sphere hides it."""
    page, depth = project(_ring(height, -math.pi, math.pi))
    back = depth < 0
    turn = np.flatnonzero(np.diff(back.astype(int)))
    for hidden in (True, False):
        shown = np.where((back == hidden)[:, None], page, np.nan)
        # The two parts share the point where one turns into the other.
        shown[turn], shown[turn + 1] = page[turn], page[turn + 1]
        if np.isfinite(shown).any():
            dashes = (2, 2) if hidden else (None, None)
            thin = width * (0.6 if hidden else 1.0)
            chart.line(*shown.T, role, thin, alpha=alpha, dashes=dashes)


def _disk(axes: Axes, **look: object) -> None:
    axes.add_patch(Circle((0, 0), 1.0, **look))


@picture
def slice_picture(points: Rows, *, labels: Numbers, center: Numbers, half_angle: float) -> Drawing:
    """Draw X for d = 3: the circle at height 1/2 on the unit sphere, with points and one cap.

    Points with positive labels are filled; the half-angle is that along the circle, in radians.
    """
    X = points_on_slice(points, "points", d=3)
    middle = points_on_slice(float_array(center, "center", shape=(3,))[None, :], "center", d=3)[0]
    towards = math.atan2(middle[1], middle[0])
    chart = Chart(420, 320, (8, 8, 8, 8), frame=False)
    span = 404.0 / 304.0
    chart.axes.set_ylim(-1.1, 1.1)
    chart.axes.set_xlim(-1.1 * span, 1.1 * span)
    _disk(chart.axes, facecolor=INK["muted"], alpha=0.1, linewidth=0, zorder=0)
    _disk(chart.axes, facecolor="none", edgecolor=INK["muted"], linewidth=1.2)
    _circle(chart, 0.0, "muted", 1.0, FAINT)
    _circle(chart, 0.5, "c1", 2.2)
    page, _ = project(_ring(0.5, towards - half_angle, towards + half_angle))
    chart.line(*page.T, "c2", 9, alpha=0.45, zorder=2.5)
    # Axis of height, from the center of the sphere to the center of the slice.
    pole, _ = project(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.5]]))
    chart.line(*pole.T, "muted", 1.2)
    chart.dots(*pole.T, "muted", 3.5)
    up = 0.3 * pole[0, 1] + 0.7 * pole[1, 1]
    chart.note(pole[1, 0], up, "1/2", "muted", dx=6, size=11, outline=False)
    for (x, y), sign in zip(project(X)[0], labels, strict=True):
        face = INK["c1" if sign > 0 else "paper"]
        chart.dots(x, y, "c1", 8, 2, markerfacecolor=face, markeredgecolor=INK["c1"], zorder=4)
    (target,), _ = project(middle[None, :])
    corner = -1.1 * span
    _point_to(chart, (0.0, -0.34), target, "c2")
    cap_text = "cap around *x*: here\nthe adversary moves"
    chart.note(0.0, -0.5, cap_text, ha="center", outline=False)
    _point_to(chart, (corner + 0.16, 0.84), project(_ring(0.5, 2.75, 2.75, 1))[0][0], "c1")
    chart.note(corner, 0.98, "*X*: norm 1, last\ncoordinate 1/2", "c1", outline=False)
    cosines = np.clip(X[:, :2] @ middle[:2] / 0.75, -1, 1)
    inside = int((np.arccos(cosines) <= half_angle + 1e-12).sum())
    # The center is a point of X, but it need not be one of the data.
    own = int((np.abs(X - middle) <= 1e-9).all(axis=1).any())
    held = "no other data point" if inside <= own else f"{inside} of the data points"
    return chart, (
        "The unit sphere in three dimensions. At height 1/2 a circle runs around it: the "
        f"domain X. {grouped(len(X))} data points lie on it. Around one point a piece of "
        f"the circle is highlighted, {round(math.degrees(half_angle))} degrees to either side: the "
        f"cap in which the adversary may move that point. It holds {held}."
    )


def _point_to(chart: Chart, start: tuple[float, float], end: FloatArray, role: str) -> None:
    """Lead a thin line from a label to what it names."""
    chart.line([start[0], end[0]], [start[1], end[1]], role, 1, zorder=2)
