"""Pictures of narrow first layers: shadows of balls, what two neurons see, and random layers.

`shadow_picture` shows balls of the plane and, below them, what one neuron sees of each: an
interval.  `images_picture` shows the polygons that two neurons see; `radii_picture` shows how early
random layers merge two balls.  The numbers come from the floors below.  Before changing them, know
that one neuron is drawn in units of the sum of the sizes of its weights: the shadow of a ball of
radius mu then has the half-width mu, so that a shadow can be compared with its ball by eye.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Polygon, Rectangle

from sublinear_lib._typing import FloatArray
from sublinear_lib.memorization import cube_image
from sublinear_lib.plotting.checks import ascending
from sublinear_lib.plotting.formats import Numbers, course, number
from sublinear_lib.plotting.palette import LIGHT, SERIES, Role
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import (
    EndLabel,
    badge,
    figure,
    house_style,
    label_line_ends,
    note,
    panel,
    panel_title,
    set_scale,
)
from sublinear_lib.validation import float_array, scalar

__all__ = [
    "ImagePanel",
    "ShadowPanel",
    "coordinates_picture",
    "images_picture",
    "radii_picture",
    "shadow_picture",
]


class ShadowPanel(NamedTuple):
    """One panel of `shadow_picture`.

    Parameters
    ----------
    title : str
        What it shows, in the house markup.
    mu : float
        The radius of the balls, ``> 0``.
    pair : pair of array-like of shape (2,), optional
        Two points that the neuron cannot tell apart, to join by a dashed line.
    """

    title: str
    mu: float
    pair: tuple[Numbers, Numbers] | None = None


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


def shadow_picture(
    X: Numbers,
    y: Numbers,
    w: Numbers,
    panels: Sequence[ShadowPanel],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw balls of the plane and, below them, the intervals that one neuron sees.

    Parameters
    ----------
    X : array-like, shape (N, 2)
        The points, at most five.
    y : array-like, shape (N,)
        Their labels, at most five different ones.
    w : array-like, shape (2,)
        The weights of the neuron, not both zero.
    panels : sequence of ShadowPanel
        One to three panels, on one scale.
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
        If shapes do not match, the neuron is zero, it tells the points of a pair apart, a radius is
        not positive, or there are too many points, labels or panels.

    Notes
    -----
    Source: Proposition II.3.
    """
    points, labels = _data(X, y, 2)
    if len(points) > 5:
        raise ValueError(f"X must hold at most 5 points, got {len(points)}")
    neuron = float_array(w, "w", shape=(2,))
    if not neuron.any():
        raise ValueError("w must not be zero: a neuron without weights sees one point only")
    neuron = neuron / np.abs(neuron).sum()
    if not 1 <= len(panels) <= 3:
        raise ValueError(f"panels must hold one to three panels, got {len(panels)}")
    for k, each in enumerate(panels):
        scalar(each.mu, f"panels[{k}].mu", exclusive_minimum=0.0)
    reach = 1.06 * max(each.mu for each in panels)
    seen = points @ neuron
    ends = float(seen.min()) - reach, float(seen.max()) + reach
    low, high = points.min(axis=0) - reach, points.max(axis=0) + reach
    middle, half = (low + high) / 2, 0.5 * float((high - low).max())
    figures = []
    for k, each in enumerate(panels):
        pair = None
        if each.pair is not None:
            pair = np.stack(
                [float_array(each.pair[t], f"panels[{k}].pair[{t}]", shape=(2,)) for t in (0, 1)]
            )
            one, other = (pair @ neuron).tolist()
            if abs(one - other) > 1e-9 * float(np.abs(pair).max()):
                raise ValueError(
                    f"panels[{k}].pair must be two points that the neuron cannot tell apart, got "
                    f"points that it sees at {one!r} and {other!r}"
                )
        figures.append(_shadow(points, labels, neuron, each, pair, (middle, half), ends))
    text = _shadows_told(points, labels, neuron, panels) if alt is None else alt
    return Picture([axes.figure for axes in figures], alt=text, caption=caption, name=name)  # type: ignore[misc]


def _shadow(
    points: FloatArray,
    labels: FloatArray,
    neuron: FloatArray,
    shown: ShadowPanel,
    pair: FloatArray | None,
    frame: tuple[FloatArray, float],
    ends: tuple[float, float],
) -> Axes:
    below = 40.0 + 17.0 * len(points)
    fig = figure(264, 282 + below)
    roles = _roles(labels)
    with house_style():
        axes = panel(fig, left=38, right=10, top=36, bottom=30 + below)
        axes.grid(visible=False)
        middle, half = frame
        for which, center in zip(("x", "y"), middle.tolist(), strict=True):
            set_scale(axes, which, center - half, center + half, target=3, label=number)
        panel_title(axes, shown.title, left=34)
        for x, role in zip(points, roles, strict=True):
            corner, side = (x[0] - shown.mu, x[1] - shown.mu), 2 * shown.mu
            axes.add_patch(
                Rectangle(corner, side, side, facecolor=LIGHT[role], alpha=0.16, linewidth=0)
            )
            axes.add_patch(
                Rectangle(
                    corner, side, side, facecolor="none", edgecolor=LIGHT[role], linewidth=1.25
                )
            )
        if pair is not None:
            axes.plot(*pair.T, color=LIGHT["ink"], linewidth=1.5, dashes=(3, 2))
        for x, role, label in zip(points, roles, labels.tolist(), strict=True):
            badge(axes, float(x[0]), float(x[1]), f"{label:g}", role, zorder=3.0)
        if pair is not None:
            axes.plot(
                *pair.T,
                linestyle="none",
                marker="o",
                markersize=8,
                color=LIGHT["ink"],
                markeredgecolor=LIGHT["paper"],
                markeredgewidth=1.5,
                zorder=4.0,
            )
        strip = panel(
            fig,
            left=38,
            right=10,
            top=282 + 16,
            bottom=28,
        )
        strip.grid(visible=False)
        set_scale(strip, "x", *ends, target=4, label=number)
        strip.set_ylim(len(points) - 0.4, -0.6)
        strip.set_yticks([])
        note(strip, 0.0, 1.0, "what the neuron sees", coordinates="axes fraction", dx=-34, dy=8)
        for row, (x, role) in enumerate(zip(points, roles, strict=True)):
            at = float(x @ neuron)
            strip.plot(
                [at - shown.mu, at + shown.mu],
                [row, row],
                color=LIGHT[role],
                linewidth=6,
                solid_capstyle="butt",
            )
            strip.plot(at, row, marker="o", markersize=5, color=LIGHT["paper"], linestyle="none")
        if pair is not None:
            strip.axvline(float(pair[0] @ neuron), color=LIGHT["ink"], linewidth=1.5, dashes=(3, 2))
    return axes


def _shadows_told(
    points: FloatArray, labels: FloatArray, neuron: FloatArray, panels: Sequence[ShadowPanel]
) -> str:
    seen = points @ neuron
    places = ", ".join(
        f"{number(at)} for label {label:g}"
        for at, label in zip(seen.tolist(), labels.tolist(), strict=True)
    )
    said = []
    for each in panels:
        part = f"{to_plain(each.title)}: squares and intervals of half-width {number(each.mu)}"
        if each.pair is not None:
            ends = [
                "(" + ", ".join(number(float(v)) for v in point) + ")"
                for point in (each.pair[0], each.pair[1])
            ]
            common = float(np.asarray(each.pair[0], dtype=np.float64) @ neuron)
            part += (
                f"; the points {ends[0]} and {ends[1]} of two balls are both seen at "
                f"{number(common)}"
            )
        said.append(part)
    return (
        f"{len(points)} points of the plane with a ball around each, and below them what one "
        f"neuron sees: intervals around {places}. {'. '.join(said)}."
    )


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


def radii_picture(
    radii: Numbers,
    density: tuple[Numbers, Numbers],
    mean: float,
    dims: Numbers,
    series: Mapping[str, Sequence[Sequence[float]] | FloatArray],
    *,
    bins: int = 25,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw the collision radii of random layers: their law in the plane, their means beyond it.

    Parameters
    ----------
    radii : array-like, shape (k,)
        Radii of one random neuron in the plane, in units of lam, in [0, 1/4].
    density : pair of array-like, shape (j,)
        Places in [0, 1/4] and the density there.
    mean : float
        The mean of the law.
    dims : array-like, shape (d,)
        Numbers of features, ascending from 1 at least, ``d >= 2``.
    series : mapping of str to array-like, shape (d, 3)
        For one to three kinds of layers, by their labels in the house markup: rows
        ``(mean, lower, upper)``.
    bins : int, default 25
        Number of bars.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The two panels.

    Raises
    ------
    ValueError
        If shapes do not match, a radius is not in [0, 1/4], dimensions do not ascend, or there are
        too many series.

    Notes
    -----
    Source: Proposition II.3.
    """
    drawn = float_array(radii, "radii", shape=("k",))
    if drawn.min() < 0.0 or drawn.max() > 0.25 + 1e-12:
        raise ValueError(
            f"radii must lie in [0, 1/4], got {float(drawn.min())!r} to {float(drawn.max())!r}"
        )
    places = float_array(density[0], "density[0]", shape=("j",))
    curve = float_array(density[1], "density[1]", shape=places.shape)
    mean = scalar(mean, "mean", minimum=0.0)
    n = ascending(dims, "dims", 1.0)
    if not 1 <= len(series) <= 3:
        raise ValueError(f"series must hold one to three kinds of layers, got {len(series)}")
    tables = {
        label: float_array(rows, f"series[{label!r}]", shape=(n.size, 3))
        for label, rows in series.items()
    }
    heights, edges = np.histogram(drawn, bins=bins, range=(0.0, 0.25), density=True)
    law = figure(340, 300)
    with house_style():
        axes = panel(law, right=16, xlabel="collision radius, in units of *λ*", ylabel="density")
        set_scale(axes, "x", 0.0, 0.25, values=[0.0, 0.05, 0.1, 0.15, 0.2, 0.25], label=number)
        set_scale(axes, "y", 0.0, 1.12 * max(float(heights.max()), float(curve.max())), target=4)
        axes.bar(
            edges[:-1],
            heights,
            width=0.9 * np.diff(edges),
            align="edge",
            color=LIGHT["c1"],
            alpha=0.35,
        )
        axes.plot(places, curve, color=LIGHT["ink"], linewidth=1.75)
        axes.axvline(mean, color=LIGHT["c2"], linewidth=1.5, dashes=(3, 2))
        note(axes, mean, 1.0, "mean", role="c2", coordinates=("data", "axes fraction"), dx=5, dy=-4)
    means = figure(400, 300)
    with house_style():
        axes = panel(means, right=120, xlabel="features *n*", ylabel="mean collision radius / *λ*")
        ticks = [float(v) for v in n]
        set_scale(axes, "x", float(n[0]), float(n[-1]), scale="log2", values=ticks, label=number)
        set_scale(axes, "y", 0.0, 0.27, values=[0.0, 0.05, 0.1, 0.15, 0.2, 0.25], label=number)
        axes.axhline(0.25, color=LIGHT["ink"], linewidth=1.5, dashes=(3, 2))
        ends = [EndLabel(0.25, "*λ*/4", "ink")]
        for role, (label, rows) in zip(SERIES, tables.items(), strict=False):
            axes.vlines(n, rows[:, 1], rows[:, 2], color=LIGHT[role], clip_on=False)
            axes.plot(n, rows[:, 0], marker="o", color=LIGHT[role], linewidth=1.5, clip_on=False)
            ends.append(EndLabel(float(rows[-1, 0]), label, role))
        label_line_ends(axes, ends)
    if alt is None:
        parts = [
            f"{to_plain(label)}: {number(float(rows[0, 0]))} to {number(float(rows[-1, 0]))}"
            for label, rows in tables.items()
        ]
        side = "below" if all((rows[:, 0] < 0.25).all() for rows in tables.values()) else "beside"
        alt = (
            f"Left: a histogram of {drawn.size} collision radii of one random neuron in the plane, "
            f"between {number(float(drawn.min()))} and {number(float(drawn.max()))}, with their "
            f"density, which {course(*curve[[0, -1]])} from {number(float(curve[0]))} to "
            f"{number(float(curve[-1]))}, and the mean {number(mean)}. Right: mean radii for "
            f"{number(float(n[0]))} to {number(float(n[-1]))} features {side} the line at 0.25. "
            f"{'; '.join(parts)}."
        )
    return Picture([law, means], alt=alt, caption=caption, name=name)
