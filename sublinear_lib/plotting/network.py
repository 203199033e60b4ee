"""Pictures of the objects: the two-layer network, and the slice X with a cap on it.

The network with its few active neurons lit (Definition 3.1, Definition 3.9), and, for d = 3, the
unit sphere with the circle X at height 1/2 and the cap ``B_2(x, rho)`` in which the adversary moves
(Definition 3.3).  Positions and angles come from the caller; here is only the projection onto the
page.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle

from sublinear_lib._typing import BoolArray, FloatArray
from sublinear_lib.plotting.formats import Numbers, grouped, percent
from sublinear_lib.plotting.palette import FAINT, LIGHT, Role
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.style import figure, house_style, note, panel
from sublinear_lib.validation import count, float_array, mask, points_on_slice, scalar

__all__ = ["network_schematic", "slice_picture"]


def network_schematic(
    active: Sequence[bool] | BoolArray,
    *,
    inputs: int = 3,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw the two-layer network with its active neurons and their connections lit.

    Parameters
    ----------
    active : array-like of bool, shape (m,)
        Which hidden neurons fire at the input shown, ``1 <= m <= 40``.
    inputs : int, default 3
        Number of input nodes drawn, 1 to 8.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The figure.

    Raises
    ------
    ValueError
        If there are no neurons or more than 40, or `inputs` is out of range.

    Notes
    -----
    Source: Section 3, Eq. (2), and Definition 3.9.
    """
    on = mask(active, "active", shape=np.shape(active))
    if on.ndim != 1 or not 1 <= on.size <= 40:
        raise ValueError(f"active must have shape (m,) with 1 <= m <= 40, got {on.shape}")
    inputs = count(inputs, "inputs", maximum=8)
    m, fires = on.size, int(on.sum())
    width, height = 420.0, 300.0
    radius = max(3.2, min(8.0, 110.0 / m))

    def column(number: int, spacing: float) -> FloatArray:
        steps: FloatArray = np.arange(number, dtype=np.float64) - (number - 1) / 2
        places: FloatArray = 148.0 + spacing * steps
        return places

    xs = (52.0, 210.0, 368.0)
    first = column(inputs, min(64.0, 200.0 / inputs))
    hidden = column(m, min(40.0, 236.0 / m))
    fig = figure(width, height)
    with house_style():
        axes = panel(fig, left=0, right=0, top=0, bottom=0, frame=False)
        axes.set_xlim(0, width)
        axes.set_ylim(height, 0)
        for lit in (False, True):
            color = LIGHT["c1" if lit else "muted"]
            edges = [(xs[0], a, xs[1], b) for b in hidden[on == lit] for a in first]
            edges += [(xs[1], b, xs[2], 148.0) for b in hidden[on == lit]]
            # One path for all, broken by NaN.
            axes.plot(
                [x for edge in edges for x in (edge[0], edge[2], math.nan)],
                [y for edge in edges for y in (edge[1], edge[3], math.nan)],
                color=color,
                linewidth=1.6 if lit else 0.6,
                alpha=1.0 if lit else FAINT,
            )
        for y in first:
            axes.add_patch(_node(xs[0], y, 9.0, "ink"))
        for y, lit in zip(hidden, on, strict=True):
            axes.add_patch(_node(xs[1], float(y), radius, "c1" if lit else None))
        axes.add_patch(_node(xs[2], 148.0, 11.0, "ink"))
        for x, text in zip(xs, ("input *x*", "hidden layer", "output *f*(*x*)"), strict=True):
            note(axes, x, 14, text, ha="center", weight="bold")
        note(axes, xs[0], 284, "*d* numbers", ha="center", role="muted", size=11)
        note(
            axes,
            xs[1],
            284,
            f"{fires} of {m} neurons fire",
            ha="center",
            role="c1",
            weight="bold",
        )
        note(axes, xs[2], 284, "one number", ha="center", role="muted", size=11)
    if alt is None:
        alt = (
            f"A network with {inputs} input nodes, {m} hidden neurons and one output, every node "
            f"connected to all of the next layer. {fires} of the {m} hidden neurons "
            f"({percent(fires / m)}) and their connections are highlighted: only they fire at "
            "this input, the rest contributes nothing."
        )
    return Picture(fig, alt=alt, caption=caption, name=name)


def _node(x: float, y: float, radius: float, role: Role | None) -> Circle:
    return Circle(
        (x, y),
        radius,
        facecolor=LIGHT[role or "paper"],
        edgecolor=LIGHT[role or "muted"],
        linewidth=1.4,
        zorder=3,
    )


_TILT = math.radians(17.0)


def project(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Look at the sphere from a little above its equator.

    Parameters
    ----------
    points : ndarray of float64, shape (..., 3)
        Points of the unit ball.

    Returns
    -------
    page : ndarray of float64, shape (..., 2)
        Where they are drawn: to the right, and up.
    depth : ndarray of float64, shape (...)
        How far they lie towards the reader; what is negative is hidden by the sphere.
    """
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    up = z * math.cos(_TILT) + y * math.sin(_TILT)
    depth = -y * math.cos(_TILT) + z * math.sin(_TILT)
    return np.stack([x, up], axis=-1), depth


def _ring(height: float, start: float, stop: float, steps: int = 121) -> FloatArray:
    angle = np.linspace(start, stop, steps)
    radius = math.sqrt(1 - height * height)
    return np.stack(
        [radius * np.cos(angle), radius * np.sin(angle), np.full(steps, height)], axis=-1
    )


def _point_to(axes: Axes, start: tuple[float, float], end: FloatArray, role: Role) -> None:
    """Lead a thin line from a label to what it names."""
    axes.plot(
        [start[0], float(end[0])],
        [start[1], float(end[1])],
        color=LIGHT[role],
        linewidth=1,
        zorder=2,
    )


def _draw_hidden_part_dashed(
    axes: Axes, points: FloatArray, role: Role, width: float, alpha: float = 1.0
) -> None:
    page, depth = project(points)
    back = depth < 0
    for hidden in (True, False):
        shown = np.where((back == hidden)[:, None], page, np.nan)
        # The two parts share the point where one turns into the other.
        turn = np.flatnonzero(np.diff(back.astype(int)))
        shown[turn], shown[turn + 1] = page[turn], page[turn + 1]
        if not np.isfinite(shown).any():
            continue
        axes.plot(
            shown[:, 0],
            shown[:, 1],
            color=LIGHT[role],
            linewidth=width * (0.6 if hidden else 1.0),
            alpha=alpha,
            dashes=(2, 2) if hidden else (None, None),
        )


def slice_picture(
    points: Sequence[Sequence[float]] | FloatArray,
    *,
    labels: Numbers | None = None,
    center: Numbers,
    half_angle: float,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw X for d = 3: the circle at height 1/2 on the unit sphere, with points and one cap.

    Parameters
    ----------
    points : array-like, shape (n, 3)
        Data on X.
    labels : array-like, shape (n,), optional
        Their labels; positive ones are filled, the others hollow.
    center : array-like, shape (3,)
        Center of the cap, a point of X.
    half_angle : float
        Half of the cap's opening along the circle, in radians (``Cap(x, rho).angle``), in
        (0, pi].
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The figure.

    Raises
    ------
    ValueError
        If a point is not on X, shapes do not match, or the angle is out of range.

    Notes
    -----
    Source: Section 3 (domain), Definition 3.3 (the ball intersected with X).
    """
    X = points_on_slice(points, "points", d=3)
    middle = points_on_slice(float_array(center, "center", shape=(3,))[None, :], "center", d=3)[0]
    half = scalar(half_angle, "half_angle", exclusive_minimum=0.0, maximum=math.pi)
    signs = (
        np.ones(X.shape[0])
        if labels is None
        else float_array(labels, "labels", shape=(X.shape[0],))
    )
    towards = math.atan2(middle[1], middle[0])
    fig = figure(420, 320)
    with house_style():
        axes = panel(fig, left=8, right=8, top=8, bottom=8, frame=False)
        span = 404.0 / 304.0
        axes.set_ylim(-1.1, 1.1)
        axes.set_xlim(-1.1 * span, 1.1 * span)
        axes.add_patch(
            Circle((0, 0), 1.0, facecolor=LIGHT["muted"], alpha=0.1, linewidth=0, zorder=0)
        )
        axes.add_patch(
            Circle((0, 0), 1.0, facecolor="none", edgecolor=LIGHT["muted"], linewidth=1.2)
        )
        _draw_hidden_part_dashed(axes, _ring(0.0, -math.pi, math.pi), "muted", 1.0, FAINT)
        _draw_hidden_part_dashed(axes, _ring(0.5, -math.pi, math.pi), "c1", 2.2)
        arc = _ring(0.5, towards - half, towards + half)
        page, _ = project(arc)
        axes.plot(page[:, 0], page[:, 1], color=LIGHT["c2"], linewidth=9, alpha=0.45, zorder=2.5)
        # Axis of height, from the center of the sphere to the center of the slice.
        pole, _ = project(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.5]]))
        axes.plot(pole[:, 0], pole[:, 1], color=LIGHT["muted"], linewidth=1.2)
        axes.plot(
            pole[:, 0],
            pole[:, 1],
            linestyle="none",
            marker="o",
            color=LIGHT["muted"],
            markersize=3.5,
        )
        note(
            axes,
            float(pole[1, 0]),
            float(0.3 * pole[0, 1] + 0.7 * pole[1, 1]),
            "1/2",
            role="muted",
            dx=6,
            size=11,
            outline=False,
        )
        flat, _ = project(X)
        for (x, y), sign in zip(flat, signs, strict=True):
            axes.plot(
                x,
                y,
                marker="o",
                markersize=8,
                color=LIGHT["c1"],
                markerfacecolor=LIGHT["c1" if sign > 0 else "paper"],
                markeredgewidth=2,
                zorder=4,
            )
        (target,), _ = project(middle[None, :])
        corner = -1.1 * span
        _point_to(axes, (0.0, -0.34), target, "c2")
        cap_text = "cap around *x*: here\nthe adversary moves"
        note(axes, 0.0, -0.5, cap_text, ha="center", outline=False)
        _point_to(axes, (corner + 0.16, 0.84), project(_ring(0.5, 2.75, 2.75, 1))[0][0], "c1")
        note(axes, corner, 0.98, "*X*: norm 1, last\ncoordinate 1/2", role="c1", outline=False)
    if alt is None:
        inside = int((np.arccos(np.clip(_cosines(X, middle), -1, 1)) <= half + 1e-12).sum())
        # The center is a point of X, but it need not be one of the data.
        own = int((np.abs(X - middle) <= 1e-9).all(axis=1).any())
        alt = (
            "The unit sphere in three dimensions. At height 1/2 a circle runs around it: the "
            f"domain X. {grouped(X.shape[0])} data points lie on it. Around one point a piece of "
            f"the circle is highlighted, {round(math.degrees(half))} degrees to either side: the "
            "cap in which the adversary may move that point. "
            + (
                "It holds no other data point."
                if inside <= own
                else f"It holds {inside} of the data points."
            )
        )
    return Picture(fig, alt=alt, caption=caption, name=name)


def _cosines(points: FloatArray, center: FloatArray) -> FloatArray:
    """Cosines of the angles along the circle between points of X and one of them."""
    result: FloatArray = points[:, :2] @ center[:2] / 0.75
    return result
