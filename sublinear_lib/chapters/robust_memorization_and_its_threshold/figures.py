"""The threshold lambda/2: balls around labeled points, functions that climb, closest pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.patches import Circle, Polygon, Rectangle

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.chart import Chart, Drawing, Rows, extent, picture
from sublinear_lib.plotting.formats import Numbers, number
from sublinear_lib.plotting.palette import SERIES
from sublinear_lib.plotting.shapes import draw_image, square_images
from sublinear_lib.validation import float_array

_FORMS = {1.0: "diamonds", 2.0: "disks", math.inf: "squares"}


class BallPanel(NamedTuple):
    """Balls of a radius in a norm, two rows to join, and a point to mark."""

    title: str
    mu: float
    p: float = math.inf
    pair: tuple[int, int] | None = None
    point: tuple[float, float] | None = None


def _letters(value: float) -> str:
    return f"{value:g}".replace("-", "\N{MINUS SIGN}")


@picture
def balls_picture(X: Rows, y: Numbers, panels: Sequence[BallPanel]) -> Drawing:
    """Draw labeled points of the plane with the balls of one radius around each of them.

    A pair of points is joined by a dashed line; a cross marks a point that two labels claim.
    """
    points, labels = float_array(X, "X", shape=(None, 2)), np.asarray(y, dtype=float)
    kinds = np.unique(labels).tolist()
    roles = [SERIES[kinds.index(label)] for label in labels]
    reach = 1.04 * max(each.mu for each in panels)
    charts, said = [], []
    for each in panels:
        # Inner width equals inner height, so that a unit is as long on both axes.
        chart = Chart(300, 318, (38, 10, 36, 30), title=each.title)
        chart.axes.grid(visible=False)
        low, high = points.min(axis=0) - reach, points.max(axis=0) + reach
        chart.square(low, high, target=3, label=number)
        if each.mu > 0.0:
            for x, role in zip(points, roles, strict=True):
                _ball(chart, x, each.mu, each.p, role)
        if each.pair is not None:
            chart.line(*points[list(each.pair)].T, "ink", 1.2, dashes=(3, 2))
        for x, label, role in zip(points, labels, roles, strict=True):
            chart.badge(*x, _letters(label), role)
        part = f"{each.title}: {_FORMS[each.p]} of radius {number(each.mu)}"
        if each.point is not None:
            chart.cross(*each.point)
            part += f", and a cross at {' and '.join(map(number, each.point))}"
            if each.pair is not None:
                claimed = " and ".join(_letters(labels[row]) for row in each.pair)
                part += f", claimed by the labels {claimed}"
        charts.append(chart)
        said.append(part)
    return charts, (
        f"{len(points)} points of the plane with {len(kinds)} label{'s' if len(kinds) > 1 else ''}"
        f", and a ball around each. {'. '.join(said)}."
    )


def _ball(chart: Chart, x: FloatArray, mu: float, p: float, role: str) -> None:
    if p == 2.0:
        chart.filled(Circle, x, mu, role=role)
    elif p == 1.0:
        corners = x + mu * np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])
        chart.filled(Polygon, corners, role=role, closed=True)
    else:
        chart.filled(Rectangle, x - mu, 2 * mu, 2 * mu, role=role)


@picture
def climb_picture(
    points: Numbers, labels: Numbers, x: Numbers, panels: Mapping[str, tuple[float, Numbers]]
) -> Drawing:
    """Draw functions on a line that have the label of each point on a ball around it.

    The radius of the balls and the values at x, by title (Proposition II.1, part 4).
    """
    at, heights = np.asarray(points), np.asarray(labels)
    every = [heights, *(values for _, values in panels.values())]
    charts, said = [], []
    for title, (mu, values) in panels.items():
        chart = Chart(300, 250, (30, 14, 34, 30), title=title)
        chart.x(x[0], x[-1], target=5, label=number)
        chart.around(0.12, *every, target=3, label=number)
        chart.plateaus(heights, at - mu, at + mu, "c2", 13, alpha=0.3)
        chart.line(x, values, "c1", 2.0)
        chart.dots(at, heights, "c2", 7)
        charts.append(chart)
        steepest = np.abs(np.diff(values) / np.diff(x)).max()
        said.append(f"{title}: steepest climb {number(steepest)}")
    return charts, (
        f"A function through {at.size} points of a line with labels from "
        f"{number(heights.min())} to {number(heights.max())}, flat on a ball "
        f"around each. {'; '.join(said)}."
    )


@picture
def pair_gallery(
    first: Rows, second: Rows, *, titles: Sequence[str], labels: Sequence[tuple[str, str]]
) -> Drawing:
    """Draw pairs of images in columns, with the image halfway between the two in the middle row.

    The smallest value of all is blank paper and the largest full ink.
    """
    one, two = square_images(first, "first"), square_images(second, "second")
    low, high = extent(one, two)
    cell, gap, left, pitch = 78.0, 16.0, 62.0, 102.0
    width, height = max(left + len(one) * (cell + gap), 200.0), 22.0 + 3 * pitch
    chart = Chart(width, height, (0, 0, 0, 0), frame=False)
    chart.pixels(width, height)
    rows = {"first": one, "halfway": 0.5 * (one + two), "second": two}
    for r, (row, images) in enumerate(rows.items()):
        top = 22.0 + r * pitch
        chart.note(0, top + cell / 2, row, va="center_baseline")
        for i, (title, words) in enumerate(zip(titles, labels, strict=True)):
            x, look = left + i * (cell + gap), {"ha": "center"}
            draw_image(chart.axes, (images[i] - low) / (high - low), x, top, cell)
            word = "?" if r == 1 else words[r // 2]
            chart.note(x + cell / 2, top + cell + 11, word, size=11, **look)
            if r == 0:
                chart.note(x + cell / 2, 9, title, weight="bold", **look)
    said = ". ".join(
        f"{title}: {a} and {b}, which differ by at most {number(np.abs(u - v).max())} in a pixel"
        for title, (a, b), u, v in zip(titles, labels, one, two, strict=True)
    )
    return chart, (
        f"Pairs of images of {one.shape[1]} by {one.shape[2]} pixels, with the image halfway "
        f"between them. {said}."
    )
