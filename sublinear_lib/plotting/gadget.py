"""Pictures of two hidden neurons: their regions, and hypergraphs as data.

`hypergraph_picture` draws small hypergraphs with their colors, `cube_picture` the data that a graph
of three vertices becomes, and `regions_picture` where networks of the plane exceed a level.  The
numbers come from the floors below.  Before changing them, know that labels and colors are different
things here and must look different: labels have the colors of all pictures of Part II, half-spaces
and their vertices two others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Polygon, Rectangle

from sublinear_lib._typing import FloatArray
from sublinear_lib.memorization import Hypergraph, fano
from sublinear_lib.plotting.formats import Numbers, number
from sublinear_lib.plotting.palette import LIGHT, Role
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import (
    badge,
    figure,
    house_style,
    note,
    panel,
    panel_title,
)
from sublinear_lib.validation import float_array, scalar

__all__ = [
    "COLORS",
    "CubePanel",
    "HypergraphPanel",
    "RegionPanel",
    "cube_picture",
    "hypergraph_layout",
    "hypergraph_picture",
    "regions_picture",
]

COLORS: tuple[Role, Role] = ("c3", "c4")
"""The roles of the two colors of a hypergraph, and of the two half-spaces that give them."""

_LABELS: tuple[Role, Role] = ("c1", "c2")
_CORNERS: tuple[tuple[int, ...], ...] = (
    (0, 0, 0),
    (1, 0, 0),
    (0, 1, 0),
    (0, 0, 1),
    (1, 1, 0),
    (1, 0, 1),
    (0, 1, 1),
    (1, 1, 1),
)
_AXES = np.array([[1.0, 0.0], [0.46, 0.4], [0.0, 1.0]])
_EXTRA = np.array([0.72, -0.42])
_DRAWN_IN = 0.08  # so that triangles with two common vertices do not share a side


class HypergraphPanel(NamedTuple):
    """One panel of `hypergraph_picture`.

    Parameters
    ----------
    title : str
        What it shows, in the house markup.
    hypergraph : Hypergraph
        The hypergraph.
    colors : sequence of int, optional
        The color of each vertex, 0 or 1; an edge with one color is drawn bold.
    """

    title: str
    hypergraph: Hypergraph
    colors: Sequence[int] | None = None


class CubePanel(NamedTuple):
    """One panel of `cube_picture`.

    Parameters
    ----------
    title : str
        What it shows, in the house markup.
    hypergraph : Hypergraph
        A hypergraph of three vertices.
    cuts : sequence of int, optional
        For each vertex the half-space that cuts its point off, 0 or 1.
    """

    title: str
    hypergraph: Hypergraph
    cuts: Sequence[int] | None = None


class RegionPanel(NamedTuple):
    """One panel of `regions_picture`.

    Parameters
    ----------
    title : str
        What it shows, in the house markup.
    values : array-like, shape (k, k)
        The network on the grid, ``k >= 2``: row i belongs to the i-th place of the second axis.
    X : array-like, shape (N, 2), optional
        Labeled points.
    y : array-like, shape (N,), optional
        Their labels, two different ones, the larger where the network is large.
    mu : float
        The radius of the squares around the points; 0 for none.
    crosses : sequence of pairs of float
        Further points to mark.
    """

    title: str
    values: Numbers
    X: Numbers | None = None
    y: Numbers | None = None
    mu: float = 0.0
    crosses: Sequence[tuple[float, float]] = ()


def hypergraph_layout(h: Hypergraph) -> tuple[FloatArray, list[FloatArray]]:
    """Find places in the plane for vertices, and curves for edges.

    Parameters
    ----------
    h : Hypergraph
        The hypergraph.

    Returns
    -------
    vertices : ndarray of float64, shape (V, 2)
        On the unit circle; the usual triangle if all edges are lines of the Fano plane.
    edges : list of ndarray of float64, shape (k, 2)
        For each edge a curve through its vertices: a segment, or one of the six segments and the
        circle of the Fano plane; or a closed triangle a little inside of its vertices.
    """
    plane = fano()
    lines = h.vertices == plane.vertices and bool(h.edges) and set(h.edges) <= set(plane.edges)
    if lines:
        corners = [(0.0, 1.0), (-math.sqrt(0.75), -0.5), (math.sqrt(0.75), -0.5)]
        a, b, c = (np.array(corner) for corner in corners)
        vertices = np.stack((a, b, c, (a + b) / 2, (b + c) / 2, np.zeros(2), (a + c) / 2))
    else:
        angle = np.pi / 2 + 2 * np.pi * np.arange(h.vertices) / h.vertices
        vertices = np.column_stack((np.cos(angle), np.sin(angle)))
    curves = []
    for edge in h.edges:
        at = vertices[list(edge)]
        if not lines and len(edge) == 2:
            curves.append(at)
        elif not lines:
            at = at + _DRAWN_IN * (at.mean(axis=0) - at)
            curves.append(np.vstack((at, at[:1])))
        elif edge == (3, 4, 6):
            turn = np.linspace(0.0, 2.0 * np.pi, 49)
            curves.append(0.5 * np.column_stack((np.cos(turn), np.sin(turn))))
        else:
            across = at[:, 0] + 0.1 * at[:, 1]
            curves.append(at[[int(np.argmin(across)), int(np.argmax(across))]])
    return vertices, curves


def _checked_colors(h: Hypergraph, colors: Sequence[int] | None, name: str) -> None:
    if colors is None:
        return
    if len(colors) != h.vertices or any(color not in (0, 1) for color in colors):
        raise ValueError(f"{name} must hold 0 or 1 for each of {h.vertices} vertices, got {colors}")


def hypergraph_picture(
    panels: Sequence[HypergraphPanel],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw small hypergraphs, with the colors of their vertices and the edges of one color.

    Parameters
    ----------
    panels : sequence of HypergraphPanel
        One to four panels.
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
        If there are no panels or more than four, or colors are not 0 or 1, one for each vertex.

    Notes
    -----
    Source: Theorem II.4.1.
    """
    if not 1 <= len(panels) <= 4:
        raise ValueError(f"panels must hold one to four panels, got {len(panels)}")
    figures, said = [], []
    for k, each in enumerate(panels):
        _checked_colors(each.hypergraph, each.colors, f"panels[{k}].colors")
        figures.append(_hypergraph(each).figure)
        h = each.hypergraph
        part = f"{to_plain(each.title)}: {h.vertices} vertices, {len(h.edges)} edges"
        if each.colors is not None:
            lonely = _one_colored(each)
            part += f", colors {' '.join(str(color) for color in each.colors)}"
            part += ", " + (
                "no edge of one color" if not lonely else f"{len(lonely)} bold, of one color"
            )
        said.append(part)
    text = f"Hypergraphs. {'. '.join(said)}." if alt is None else alt
    return Picture(figures, alt=text, caption=caption, name=name)  # type: ignore[arg-type]


def _one_colored(shown: HypergraphPanel) -> list[int]:
    if shown.colors is None:
        return []
    return [
        place
        for place, edge in enumerate(shown.hypergraph.edges)
        if len({shown.colors[vertex] for vertex in edge}) == 1
    ]


def _hypergraph(shown: HypergraphPanel) -> Axes:
    fig = figure(260, 276)
    vertices, curves = hypergraph_layout(shown.hypergraph)
    bold = _one_colored(shown)
    with house_style():
        axes = panel(fig, left=8, right=8, top=30, bottom=2, frame=False)
        axes.set_xlim(-1.25, 1.25)
        axes.set_ylim(-1.2, 1.25)
        panel_title(axes, shown.title, left=0, rise=14)
        for place, curve in enumerate(curves):
            role: Role = "ink" if place in bold else "muted"
            if len(curve) == 4:
                axes.add_patch(
                    Polygon(curve[:3], closed=True, facecolor=LIGHT[role], alpha=0.07, linewidth=0)
                )
            axes.plot(*curve.T, color=LIGHT[role], linewidth=3.5 if place in bold else 1.5)
        for vertex, at in enumerate(vertices):
            color: Role = "muted" if shown.colors is None else COLORS[shown.colors[vertex]]
            _dot(axes, at, color, str(vertex))
    return axes


def _dot(axes: Axes, at: FloatArray, role: Role, text: str) -> None:
    badge(axes, float(at[0]), float(at[1]), text, role, size=16.0, letters=11.0, zorder=3.0)


def cube_picture(
    panels: Sequence[CubePanel],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw the data that hypergraphs of three vertices become: corners of a cube, and two more.

    Parameters
    ----------
    panels : sequence of CubePanel
        One to three panels.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The panels: each corner with its label, the fourth coordinate as an oblique line through 0,
        and a ring around a point that a half-space cuts off.

    Raises
    ------
    ValueError
        If there are no panels or more than three, a hypergraph has not three vertices, or cuts are
        not 0 or 1, one for each vertex.

    Notes
    -----
    Source: Theorem II.4.1; the points are those of `sublinear_lib.memorization.gadget`.
    """
    if not 1 <= len(panels) <= 3:
        raise ValueError(f"panels must hold one to three panels, got {len(panels)}")
    figures, said = [], []
    for k, each in enumerate(panels):
        if each.hypergraph.vertices != 3:
            raise ValueError(
                f"panels[{k}].hypergraph must have 3 vertices, got {each.hypergraph.vertices}"
            )
        _checked_colors(each.hypergraph, each.cuts, f"panels[{k}].cuts")
        figures.append(_cube(each).figure)
        sums = ", ".join("+".join(f"e{v}" for v in edge) for edge in each.hypergraph.edges)
        part = f"{to_plain(each.title)}: label 2 at 0 and {sums or 'no sum'}, label 1 at e0, e1, e2"
        part += ", u and -u"
        if each.cuts is not None:
            part += f"; half-spaces {' '.join(str(cut) for cut in each.cuts)} cut off the vertices"
        said.append(part)
    text = f"Corners of a cube with labels. {'. '.join(said)}." if alt is None else alt
    return Picture(figures, alt=text, caption=caption, name=name)  # type: ignore[arg-type]


def _cube(shown: CubePanel) -> Axes:
    fig = figure(320, 316)
    corners = {corner: np.array(corner) @ _AXES for corner in _CORNERS}
    with house_style():
        axes = panel(fig, left=4, right=4, top=28, bottom=4, frame=False)
        axes.set_xlim(-1.02, 1.72)
        axes.set_ylim(-0.72, 1.66)
        panel_title(axes, shown.title, left=-6, rise=12)
        for corner, at in corners.items():
            for j in range(3):
                if not corner[j]:
                    other = at + _AXES[j]
                    axes.plot(
                        [at[0], other[0]], [at[1], other[1]], color=LIGHT["grid"], linewidth=1.5
                    )
        ends = np.stack((_EXTRA, -_EXTRA))
        axes.plot(*ends.T, color=LIGHT["muted"], linewidth=1.25, dashes=(3, 2))
        dots: list[tuple[FloatArray, int, str, float, float, str]] = [
            (corners[(0, 0, 0)], 2, "0", -13.0, -13.0, "right"),
            (ends[0], 1, "*u*", 13.0, 0.0, "left"),
            (ends[1], 1, "\N{MINUS SIGN}*u*", 0.0, 17.0, "center"),
        ]
        beside = ((6.0, -15.0, "left"), (16.0, -2.0, "left"), (-16.0, 4.0, "right"))
        for j, (dx, dy, ha) in enumerate(beside):
            unit = tuple(int(i == j) for i in range(3))
            dots.append((corners[unit], 1, f"*e*_{{{j}}}", dx, dy, ha))
        for edge in shown.hypergraph.edges:
            both = tuple(int(i in edge) for i in range(3))
            text = " + ".join(f"*e*_{{{v}}}" for v in edge)
            dots.append((corners[both], 2, text, 10.0, 14.0, "center"))
        for vertex, cut in enumerate(shown.cuts or ()):
            at = corners[tuple(int(i == vertex) for i in range(3))]
            axes.plot(
                *at,
                marker="o",
                markersize=22,
                markerfacecolor="none",
                markeredgecolor=LIGHT[COLORS[cut]],
                markeredgewidth=2.5,
                linestyle="none",
            )
        for at, label, text, dx, dy, ha in dots:
            _dot(axes, at, _LABELS[label - 1], str(label))
            note(axes, float(at[0]), float(at[1]), text, dx=dx, dy=dy, ha=ha)
    return axes


def regions_picture(
    panels: Sequence[RegionPanel],
    limits: tuple[float, float],
    *,
    level: float = 1.5,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw where networks of the plane exceed a level, with points and their balls.

    Parameters
    ----------
    panels : sequence of RegionPanel
        One to four panels.
    limits : pair of float
        The ends of both axes; the grids are even and reach from end to end.
    level : float, default 1.5
        The level between the two labels.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The panels; shaded where the network is above the level.

    Raises
    ------
    ValueError
        If shapes do not match, labels are not two, a radius is negative, or there are too many
        panels.

    Notes
    -----
    Source: Theorem II.4.1.
    """
    low, high = float_array(limits, "limits", shape=(2,)).tolist()
    if not low < high:
        raise ValueError(f"limits must ascend, got {(low, high)}")
    level = scalar(level, "level")
    if not 1 <= len(panels) <= 4:
        raise ValueError(f"panels must hold one to four panels, got {len(panels)}")
    figures, said = [], []
    for k, each in enumerate(panels):
        values = float_array(each.values, f"panels[{k}].values", shape=("k", "k"))
        if values.shape[0] != values.shape[1] or len(values) < 2:
            raise ValueError(
                f"panels[{k}].values must be a square grid of at least 2 rows, got {values.shape}"
            )
        scalar(each.mu, f"panels[{k}].mu", minimum=0.0)
        points, labels = np.zeros((0, 2)), np.zeros(0)
        if each.X is not None:
            points = float_array(each.X, f"panels[{k}].X", shape=("N", 2))
            labels = float_array(each.y, f"panels[{k}].y", shape=(len(points),))
            if len(np.unique(labels)) != 2:
                raise ValueError(f"panels[{k}].y must hold two labels, got {labels.tolist()}")
        # Three stand in a row on a page, two or four in rows of two.
        width = 264.0 if len(panels) == 3 else 300.0
        figures.append(_region(each, values, points, labels, (low, high), level, width).figure)
        part = f"{to_plain(each.title)}: {100 * float(np.mean(values > level)):.0f} % shaded"
        if len(points):
            part += f", {len(points)} points" + (
                f" with squares of radius {number(each.mu)}" if each.mu else ""
            )
        if each.crosses:
            places = (" ".join(number(float(v)) for v in cross) for cross in each.crosses)
            part += f", crosses at {'; '.join(places)}"
        said.append(part)
    text = (
        f"The plane, shaded where a network of two neurons exceeds {number(level)}. "
        f"{'. '.join(said)}."
        if alt is None
        else alt
    )
    return Picture(figures, alt=text, caption=caption, name=name)  # type: ignore[arg-type]


def _region(
    shown: RegionPanel,
    values: FloatArray,
    points: FloatArray,
    labels: FloatArray,
    limits: tuple[float, float],
    level: float,
    width: float,
) -> Axes:
    fig = figure(width, width + 24.0)
    low, high = limits
    with house_style():
        axes = panel(fig, left=10, right=10, top=34, bottom=10)
        axes.grid(visible=False)
        axes.set_xlim(low, high)
        axes.set_ylim(low, high)
        axes.set_xticks([])
        axes.set_yticks([])
        for side in ("top", "right", "left", "bottom"):
            axes.spines[side].set_visible(True)
            axes.spines[side].set_color(LIGHT["grid"])
        panel_title(axes, shown.title, left=4, rise=16)
        grid = np.linspace(low, high, len(values))
        top = float(values.max())
        if top > level:
            axes.contourf(
                grid, grid, values, levels=[level, top + 1.0], colors=[LIGHT["c2"]], alpha=0.2
            )
        if top > level > float(values.min()):
            axes.contour(
                grid, grid, values, levels=[level], colors=[LIGHT["c2"]], linewidths=[1.75]
            )
        for x, label in zip(points, labels.tolist(), strict=True):
            role = _LABELS[int(label == labels.max())]
            if shown.mu:
                corner, length = (x[0] - shown.mu, x[1] - shown.mu), 2 * shown.mu
                axes.add_patch(
                    Rectangle(
                        corner,
                        length,
                        length,
                        facecolor="none",
                        edgecolor=LIGHT[role],
                        linewidth=1.5,
                    )
                )
            _dot(axes, x, role, f"{label:g}")
        for cross in shown.crosses:
            axes.plot(
                *cross,
                marker="x",
                linestyle="none",
                markersize=10,
                markeredgewidth=2.4,
                color=LIGHT["ink"],
                zorder=5.0,
            )
    return axes
