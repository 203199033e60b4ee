"""Two hidden neurons: what they see of balls, their regions, and hypergraphs as data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from matplotlib.patches import Polygon

from sublinear_lib._typing import FloatArray
from sublinear_lib.memorization import Hypergraph, cube_image
from sublinear_lib.plotting.chart import INK, Chart, Drawing, Rows, extent, picture
from sublinear_lib.plotting.formats import Numbers, number
from sublinear_lib.plotting.palette import SERIES
from sublinear_lib.validation import float_array

COLORS = ("c3", "c4")
"""The roles of the two colors of a hypergraph, and of the two half-spaces that give them."""


class ImagePanel(NamedTuple):
    """Balls of radius mu and a first layer W, (2, n); a common image of two points to mark."""

    title: str
    mu: float
    W: FloatArray
    point: Numbers | None = None


@picture
def images_picture(X: Rows, y: Numbers, panels: Sequence[ImagePanel]) -> Drawing:
    """Draw what a first layer of two neurons sees of the balls: one polygon for each.

    All panels have one scale (Proposition II.3).
    """
    points, labels = float_array(X, "X"), np.asarray(y)
    seen, said = [], []
    for each in panels:
        corners = cube_image(each.W)
        part = f"{each.title}: polygons of {len(corners)} corners"
        if each.point is not None:
            part += f", of which two labels share {' and '.join(map(number, each.point))}"
        seen.append((points @ np.asarray(each.W).T, each.mu * corners))
        said.append(part)
    low = np.min([at.min(axis=0) + 1.08 * shape.min(axis=0) for at, shape in seen], axis=0)
    high = np.max([at.max(axis=0) + 1.08 * shape.max(axis=0) for at, shape in seen], axis=0)
    charts = [
        _images(*view, labels, each, (low, high)) for view, each in zip(seen, panels, strict=True)
    ]
    return charts, (
        f"What a first layer of two neurons sees of the balls around {len(points)} points in "
        f"{points.shape[1]} dimensions. {'. '.join(said)}."
    )


def _images(
    centers: FloatArray,
    shape: FloatArray,
    labels: FloatArray,
    shown: ImagePanel,
    ends: tuple[FloatArray, FloatArray],
) -> Chart:
    roles = [SERIES[k] for k in np.unique(labels, return_inverse=True)[1]]
    chart = Chart(264, 282, (38, 10, 36, 30), title=shown.title)
    chart.axes.grid(visible=False)
    chart.square(*ends, target=3, label=number)
    for center, role in zip(centers, roles, strict=True):
        chart.filled(Polygon, center + shape, role=role, closed=True)
    for center, role, label in zip(centers, roles, labels, strict=True):
        chart.badge(*center, f"{label:g}", role, zorder=3.0)
    if shown.point is not None:
        chart.cross(*shown.point)
    return chart


@picture
def coordinates_picture(
    centers: tuple[Numbers, Numbers],
    labels: tuple[str, str],
    mu: float,
    pair: tuple[Numbers, Numbers],
) -> Drawing:
    """Draw two balls of the maximum norm and a point of each, coordinate by coordinate."""
    balls, points = float_array(centers, "centers"), float_array(pair, "pair")
    n = balls.shape[1]
    place = np.arange(1.0, n + 1.0)
    chart = Chart(460, 300, (52, 110, 16, 46), xlabel="coordinate", ylabel="value")
    chart.x(0.4, n + 0.6, values=place.tolist() if n <= 12 else None, label=number)
    chart.around(0.06, points, balls - mu, balls + mu, label=number)
    size, wide = 7 if n <= 24 else 4, max(1.5, min(9.0, 90.0 / n))
    for x, ball, point, label, role in zip(
        (place - 0.14, place + 0.14), balls, points, labels, SERIES, strict=False
    ):
        chart.bars(x, ball - mu, ball + mu, role, wide, alpha=0.3)
        chart.dots(x, point, role, size)
        chart.end(point[-1], label, role)
    far = np.abs(points - balls).max(axis=1)
    return chart, (
        f"The coordinates of two points in {n} dimensions: one of the ball of {labels[0]}, at "
        f"distance {number(far[0])} from its middle, one of the ball of {labels[1]}, at distance "
        f"{number(far[1])}; the radius of both balls is {number(mu)}. The two points differ by at "
        f"most {number(np.abs(points[0] - points[1]).max())} in a coordinate."
    )


_LABELS = ("c1", "c2")
_LEVEL = 1.5  # between two labels
_AXES = np.array([[1.0, 0.0], [0.46, 0.4], [0.0, 1.0]])
_EXTRA = np.array([0.72, -0.42])
_DRAWN_IN = 0.08  # so that triangles with two common vertices do not share a side


class CubePanel(NamedTuple):
    """A hypergraph of three vertices, with the half-space, 0 or 1, that cuts each off."""

    title: str
    hypergraph: Hypergraph
    cuts: Sequence[int] | None = None


class RegionPanel(NamedTuple):
    """A network on a grid of the plane, row by row from below."""

    title: str
    values: Numbers


def hypergraph_layout(h: Hypergraph) -> tuple[FloatArray, list[FloatArray]]:
    """Find places in the plane for vertices, and curves for edges.

    An edge of two is a segment, one of three a closed triangle a little inside of its vertices.
    """
    angle = np.pi / 2 + 2 * np.pi * np.arange(h.vertices) / h.vertices
    vertices = np.column_stack((np.cos(angle), np.sin(angle)))
    curves = []
    for edge in h.edges:
        at = vertices[list(edge)]
        if len(edge) == 3:
            at = at + _DRAWN_IN * (at.mean(axis=0) - at)
            at = np.vstack((at, at[:1]))
        curves.append(at)
    return vertices, curves


@picture
def hypergraph_picture(title: str, h: Hypergraph, colors: Sequence[int] | None = None) -> Drawing:
    """Draw a small hypergraph, with colors 0 and 1 of its vertices and the edges of one color."""
    said, bold = f"{title}: {h.vertices} vertices, {len(h.edges)} edges", list[int]()
    if colors is not None:
        bold = [k for k, edge in enumerate(h.edges) if len({colors[v] for v in edge}) == 1]
        said += f", colors {' '.join(map(str, colors))}, "
        said += f"{len(bold)} bold, of one color" if bold else "no edge of one color"
    vertices, curves = hypergraph_layout(h)
    margins, place = (8, 8, 30, 2), {"title": title, "rise": 14, "indent": 0}
    chart = Chart(260, 276, margins, frame=False, **place)
    chart.axes.set(xlim=(-1.25, 1.25), ylim=(-1.2, 1.25))
    for k, curve in enumerate(curves):
        role, width = ("ink", 3.5) if k in bold else ("muted", 1.5)
        if len(curve) == 4:
            look: Any = {"closed": True, "facecolor": INK[role], "alpha": 0.07, "linewidth": 0}
            chart.axes.add_patch(Polygon(curve[:3], **look))
        chart.line(*curve.T, role, width)
    for vertex, at in enumerate(vertices):
        _dot(chart, at, "muted" if colors is None else COLORS[colors[vertex]], str(vertex))
    return chart, f"Hypergraphs. {said}."


def _dot(chart: Chart, at: Numbers, role: str, text: str) -> None:
    chart.badge(*at, text, role, size=16.0, letters=11.0, zorder=3.0)


@picture
def cube_picture(panels: Sequence[CubePanel]) -> Drawing:
    """Draw the data that hypergraphs of three vertices become: corners of a cube, and two more.

    The fourth coordinate is an oblique line through 0; a ring is around a point that a half-space
    cuts off (Theorem II.4.1).
    """
    charts, said = [], []
    for each in panels:
        charts.append(_cube(each))
        sums = ", ".join("+".join(f"e{v}" for v in edge) for edge in each.hypergraph.edges)
        part = f"{each.title}: label 2 at 0 and {sums or 'no sum'}, label 1 at e0, e1, e2, u and -u"
        if each.cuts is not None:
            part += f"; half-spaces {' '.join(map(str, each.cuts))} cut off the vertices"
        said.append(part)
    return charts, f"Corners of a cube with labels. {'. '.join(said)}."


def _cube(shown: CubePanel) -> Chart:
    place = {"title": shown.title, "rise": 12, "indent": -6}
    chart = Chart(320, 316, (4, 4, 28, 4), frame=False, **place)
    chart.axes.set(xlim=(-1.02, 1.72), ylim=(-0.72, 1.66))
    for corner in sorted(product((0, 1), repeat=3), key=lambda c: (sum(c), [-v for v in c])):
        at = np.array(corner) @ _AXES
        for j in range(3):
            if not corner[j]:
                chart.line(*np.stack((at, at + _AXES[j])).T, "grid", 1.5)
    chart.line(*np.stack((_EXTRA, -_EXTRA)).T, "muted", 1.25, dashes=(3, 2))
    dots = [
        (np.zeros(2), 2, "0", -13.0, -13.0, "right"),
        (_EXTRA, 1, "*u*", 13.0, 0.0, "left"),
        (-_EXTRA, 1, "\N{MINUS SIGN}*u*", 0.0, 17.0, "center"),
        (_AXES[0], 1, "*e*_{0}", 6.0, -15.0, "left"),
        (_AXES[1], 1, "*e*_{1}", 16.0, -2.0, "left"),
        (_AXES[2], 1, "*e*_{2}", -16.0, 4.0, "right"),
    ]
    for edge in shown.hypergraph.edges:
        text = " + ".join(f"*e*_{{{v}}}" for v in edge)
        dots.append((_AXES[list(edge)].sum(axis=0), 2, text, 10.0, 14.0, "center"))
    for vertex, cut in enumerate(shown.cuts or ()):
        color = INK[COLORS[cut]]
        ring = {"markerfacecolor": "none", "markeredgecolor": color, "markeredgewidth": 2.5}
        chart.dots(*_AXES[vertex], COLORS[cut], 22, **ring)
    for at, label, text, dx, dy, ha in dots:
        _dot(chart, at, _LABELS[label - 1], str(label))
        chart.note(*at, text, dx=dx, dy=dy, ha=ha)
    return chart


@picture
def regions_picture(panels: Sequence[RegionPanel], limits: tuple[float, float]) -> Drawing:
    """Draw where networks of the plane exceed the level between two labels.

    The grids are even and reach from end to end of the limits.
    """
    charts, said = [], []
    for each in panels:
        values = float_array(each.values, each.title, shape=("k", "k"))
        # Three stand in a row on a page, two or four in rows of two.
        wide = 264.0 if len(panels) == 3 else 300.0
        charts.append(_region(each.title, values, limits, wide))
        said.append(f"{each.title}: {100 * np.mean(values > _LEVEL):.0f} % shaded")
    return charts, (
        f"The plane, shaded where a network of two neurons exceeds {number(_LEVEL)}. "
        f"{'. '.join(said)}."
    )


def _region(title: str, values: FloatArray, limits: tuple[float, float], width: float) -> Chart:
    chart = Chart(width, width + 24.0, (10, 10, 34, 10), title=title, rise=16, indent=4)
    axes = chart.axes
    axes.grid(visible=False)
    axes.set(xlim=limits, ylim=limits, xticks=[], yticks=[])
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(True)
        axes.spines[side].set_color(INK["grid"])
    grid, (low, top) = np.linspace(*limits, len(values)), extent(values)
    if top > _LEVEL:
        axes.contourf(grid, grid, values, [_LEVEL, top + 1.0], colors=[INK["c2"]], alpha=0.2)
    if top > _LEVEL > low:
        axes.contour(grid, grid, values, [_LEVEL], colors=[INK["c2"]], linewidths=[1.75])
    return chart
