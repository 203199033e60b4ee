"""Pictures of narrow first layers: what two neurons see, and two points with one image.

`images_picture` shows the polygons that two neurons see of balls; `coordinates_picture` shows two
points with one image, coordinate by coordinate.  The numbers come from the floors below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Polygon

from sublinear_lib._typing import FloatArray
from sublinear_lib.memorization import cube_image
from sublinear_lib.plotting.formats import Numbers, number
from sublinear_lib.plotting.palette import LIGHT, SERIES, Role
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import (
    EndLabel,
    badge,
    figure,
    house_style,
    label_line_ends,
    panel,
    panel_title,
    set_scale,
)
from sublinear_lib.validation import float_array, scalar

__all__ = [
    "ImagePanel",
    "coordinates_picture",
    "images_picture",
]


class ImagePanel(NamedTuple):
    """One panel of `images_picture`.

    Parameters
    ----------
    title : str
        What it shows, in the house markup.
    mu : float
        The radius of the balls, ``>= 0``.
    W : array-like, shape (2, n)
        The matrix of the first layer.
    point : array-like, shape (2,), optional
        A common image of two points, to mark by a cross.
    """

    title: str
    mu: float
    W: FloatArray
    point: Numbers | None = None


def _data(X: Numbers, y: Numbers, n: int | None) -> tuple[FloatArray, FloatArray]:
    points = float_array(X, "X", shape=("N", n if n is not None else "n"))
    labels = float_array(y, "y", shape=(len(points),))
    kinds = len(np.unique(labels))
    if kinds > len(SERIES):
        raise ValueError(f"y must hold at most {len(SERIES)} different labels, got {kinds}")
    return points, labels


def _roles(labels: FloatArray) -> list[Role]:
    kinds = np.unique(labels)
    return [SERIES[int(np.searchsorted(kinds, label))] for label in labels]


def images_picture(
    X: Numbers,
    y: Numbers,
    panels: Sequence[ImagePanel],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw what a first layer of two neurons sees of the balls: one polygon for each.

    Parameters
    ----------
    X : array-like, shape (N, n)
        The points.
    y : array-like, shape (N,)
        Their labels, at most five different ones.
    panels : sequence of ImagePanel
        One to three panels, each on the scale of its own layer.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The panels, side by side or one below the other.

    Raises
    ------
    ValueError
        If shapes do not match, a matrix is zero, a radius is negative, or there are too many labels
        or panels.

    Notes
    -----
    Source: Proposition II.3; the polygons are `sublinear_lib.memorization.cube_image`.
    """
    points, labels = _data(X, y, None)
    if not 1 <= len(panels) <= 3:
        raise ValueError(f"panels must hold one to three panels, got {len(panels)}")
    axes, said = [], []
    for k, each in enumerate(panels):
        W = float_array(each.W, f"panels[{k}].W", shape=(2, points.shape[1]))
        mu = scalar(each.mu, f"panels[{k}].mu", minimum=0.0)
        cross = None
        part = f"{to_plain(each.title)}: polygons of {len(cube_image(W))} corners"
        if each.point is not None:
            cross = float_array(each.point, f"panels[{k}].point", shape=(2,))
            part += f", of which two labels share {' and '.join(number(v) for v in cross.tolist())}"
        axes.append(_images(points @ W.T, labels, mu * cube_image(W), each.title, cross))
        said.append(part)
    if alt is None:
        alt = (
            f"What a first layer of two neurons sees of the balls around {len(points)} points in "
            f"{points.shape[1]} dimensions. {'. '.join(said)}."
        )
    return Picture([each.figure for each in axes], alt=alt, caption=caption, name=name)  # type: ignore[misc]


def _images(
    centers: FloatArray,
    labels: FloatArray,
    shape: FloatArray,
    title: str,
    cross: FloatArray | None,
) -> Axes:
    low = centers.min(axis=0) + 1.08 * shape.min(axis=0)
    high = centers.max(axis=0) + 1.08 * shape.max(axis=0)
    middle, half = (low + high) / 2, 0.5 * float((high - low).max()) or 1.0
    fig = figure(264, 282)
    with house_style():
        axes = panel(fig, left=38, right=10, top=36, bottom=30)
        axes.grid(visible=False)
        for which, center in zip(("x", "y"), middle.tolist(), strict=True):
            set_scale(axes, which, center - half, center + half, target=3, label=number)
        panel_title(axes, title, left=34)
        for center, role in zip(centers, _roles(labels), strict=True):
            body = center + shape
            axes.add_patch(
                Polygon(body, closed=True, facecolor=LIGHT[role], alpha=0.16, linewidth=0)
            )
            axes.add_patch(
                Polygon(body, closed=True, facecolor="none", edgecolor=LIGHT[role], linewidth=1.25)
            )
        for center, role, label in zip(centers, _roles(labels), labels.tolist(), strict=True):
            badge(axes, float(center[0]), float(center[1]), f"{label:g}", role, zorder=3.0)
        if cross is not None:
            for width, size, color in ((5.0, 11, "paper"), (2.4, 10, "ink")):
                axes.plot(
                    *cross,
                    marker="x",
                    linestyle="none",
                    markersize=size,
                    markeredgewidth=width,
                    color=LIGHT[color],  # type: ignore[index]
                    zorder=5.0,
                )
    return axes


def coordinates_picture(
    centers: tuple[Numbers, Numbers],
    labels: tuple[str, str],
    mu: float,
    pair: tuple[Numbers, Numbers],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw two balls and a point of each, coordinate by coordinate.

    Parameters
    ----------
    centers : pair of array-like, shape (n,)
        The middles of the two balls, ``1 <= n <= 64``.
    labels : pair of str
        Their names, in the house markup.
    mu : float
        Their radius in the maximum norm, ``>= 0``.
    pair : pair of array-like, shape (n,)
        A point for each of them.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        For each coordinate the interval of each ball, side by side, with its point.

    Raises
    ------
    ValueError
        If shapes do not match, there are more than 64 coordinates, or the radius is negative.

    Notes
    -----
    Source: Proposition II.3.
    """
    first = float_array(centers[0], "centers[0]", shape=("n",))
    n = first.size
    if n > 64:
        raise ValueError(f"centers must have at most 64 coordinates, got {n}")
    balls = first, float_array(centers[1], "centers[1]", shape=(n,))
    points = tuple(float_array(pair[t], f"pair[{t}]", shape=(n,)) for t in (0, 1))
    mu = scalar(mu, "mu", minimum=0.0)
    every = np.concatenate((*points, *(ball + sign * mu for ball in balls for sign in (-1, 1))))
    low, high = float(every.min()), float(every.max())
    room = 0.06 * (high - low) or 1.0
    fig = figure(460, 300)
    place = np.arange(1.0, n + 1.0)
    with house_style():
        axes = panel(fig, right=110, xlabel="coordinate", ylabel="value")
        set_scale(axes, "x", 0.4, n + 0.6, values=place.tolist() if n <= 12 else None, label=number)
        set_scale(axes, "y", low - room, high + room, label=number)
        ends = []
        roles: tuple[Role, Role] = ("c1", "c2")
        for t, role in enumerate(roles):
            x, color = place + (0.14 if t else -0.14), LIGHT[role]
            wide = max(1.5, min(9.0, 90.0 / n))
            axes.vlines(x, balls[t] - mu, balls[t] + mu, color=color, linewidth=wide, alpha=0.3)
            axes.plot(
                x, points[t], marker="o", markersize=7 if n <= 24 else 4, color=color, linestyle=""
            )
            ends.append(EndLabel(float(points[t][-1]), labels[t], role))
        label_line_ends(axes, ends)
    if alt is None:
        far = [float(np.abs(points[t] - balls[t]).max()) for t in (0, 1)]
        alt = (
            f"The coordinates of two points in {n} dimensions: one of the ball of "
            f"{to_plain(labels[0])}, at distance {number(far[0])} from its middle, one of the ball "
            f"of {to_plain(labels[1])}, at distance {number(far[1])}; the radius of both balls is "
            f"{number(mu)}. The two points differ by at most "
            f"{number(float(np.abs(points[0] - points[1]).max()))} in a coordinate."
        )
    return Picture(fig, alt=alt, caption=caption, name=name)
