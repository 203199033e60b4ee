"""What several pages draw by hand: half-planes, the sphere from above, small images in ink.

The sphere is seen from a fixed place, so that pictures of the same thing can be compared.
"""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch, Polygon, Rectangle
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.chart import INK, Chart
from sublinear_lib.plotting.formats import Numbers
from sublinear_lib.plotting.palette import LIGHT, Role
from sublinear_lib.validation import float_array

_TILT = math.radians(17.0)


def project(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Look at points (..., 3) of the unit ball from a little above the equator.

    Return where they are drawn, (..., 2), and how far they lie towards the reader: what is
    negative is hidden by the sphere.
    """
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    up = z * math.cos(_TILT) + y * math.sin(_TILT)
    depth = -y * math.cos(_TILT) + z * math.sin(_TILT)
    return np.stack([x, up], axis=-1), depth


def beyond(
    normal: Numbers, offset: float, x: tuple[float, float], y: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Cut the rectangle of a plot by a line (Sutherland and Hodgman).

    Return the corners of the part where ``<normal, p> > offset``, (k, 2), counterclockwise, and the
    ends of the line, (0 or 2, 2); both are empty where there are none.
    """
    corners = np.array([[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]]])
    heights = corners @ np.asarray(normal) - offset
    outline, ends = [], []
    for i, k in ((0, 1), (1, 2), (2, 3), (3, 0)):
        if heights[i] > 0:
            outline.append(corners[i])
        if (heights[i] > 0) != (heights[k] > 0):
            share = heights[i] / (heights[i] - heights[k])
            ends.append(corners[i] + share * (corners[k] - corners[i]))
            outline.append(ends[-1])
    return np.array(outline), np.array(ends)


def draw_half_plane(
    chart: Chart, P: FloatArray, x: FloatArray, offset: float, width: float, height: float
) -> None:
    """Show all points with a margin in equal units; shade where ``<x, u> > offset`` behind them.

    Width and height are those of the panel in pixels.  Here are only lines and boxes to be drawn,
    in float64: no structure of the library asks this module which box a line crosses.
    """
    low, high = P.min(axis=0), P.max(axis=0)
    extents = np.maximum(high - low, 1e-9)
    pixel = 1.14 * max(extents[0] / width, extents[1] / height)
    (left, bottom), (right, top) = (
        (low + high) / 2 + sign * pixel * np.array([width, height]) / 2 for sign in (-1, 1)
    )
    chart.axes.set_xlim(left, right)
    chart.axes.set_ylim(bottom, top)
    outline, cut = beyond(x, offset, (left, right), (bottom, top))
    if len(outline):
        area = Polygon(outline, facecolor=INK["c1"], alpha=0.12, linewidth=0, zorder=0)
        chart.axes.add_patch(area)
    if len(cut):
        chart.line(*cut.T, "c2", 2, zorder=2)


def square_images(value: object, name: str) -> FloatArray:
    """Return images, given as rows (k, h * h), as an array (k, h, h)."""
    rows = float_array(value, name, shape=(None, None))
    side = math.isqrt(rows.shape[1])
    return rows.reshape(len(rows), side, side)


def draw_image(
    axes: Axes, image: FloatArray, x: float, y: float, size: float, *, signed: bool = False
) -> None:
    """Draw an image in at most 16 grades of ink, one path for each grade, y downwards.

    Its values are in [0, 1], or in [-1, 1] if signed: then each sign has a color of its own.
    """
    step = size / max(image.shape)
    grades = np.round(np.abs(image) * 16).astype(int)
    signs = np.sign(image) if signed else np.zeros(image.shape)
    inks: tuple[tuple[float, Role], ...] = ((0.0, "ink"), (1.0, "c1"), (-1.0, "c2"))
    for sign, role in inks:
        for grade in range(1, 17):
            squares = [
                Path.unit_rectangle().transformed(
                    Affine2D().scale(step).translate(x + j * step, y + i * step)
                )
                for i, j in np.argwhere((grades == grade) & (signs == sign))
            ]
            if squares:
                path = Path.make_compound_path(*squares)
                look = {"facecolor": LIGHT[role], "alpha": grade / 16, "linewidth": 0}
                axes.add_patch(PathPatch(path, **look))
    frame = Rectangle((x, y), size, size, facecolor="none", edgecolor=LIGHT["grid"], linewidth=1)
    axes.add_patch(frame)
