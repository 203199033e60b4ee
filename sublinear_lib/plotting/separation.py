"""Pictures of the threshold lambda/2: balls around labeled points, closest pairs, growth of lambda.

`balls_picture` draws data of the plane with the balls of one budget and norm in each panel and
marks a point that two labels claim; `climb_picture` shows functions of one variable that are flat
on the balls and climb between them; `pair_gallery` shows pairs of images with the image halfway
between them; `growth_picture` shows medians of lambda with their intervals beside closed forms.
The numbers come from the floors below; no formula lives here.  Before changing them, know that a
unit must be as long on one axis as on the other, or a ball looks like another norm's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Polygon, Rectangle

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.checks import ascending, few, positive
from sublinear_lib.plotting.formats import Numbers, number
from sublinear_lib.plotting.palette import LIGHT, SERIES, Role
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain, to_sentence
from sublinear_lib.plotting.style import (
    EndLabel,
    badge,
    end_label_room,
    figure,
    house_style,
    label_line_ends,
    note,
    panel,
    panel_title,
    set_scale,
)
from sublinear_lib.plotting.ticks import SCALES
from sublinear_lib.plotting.training import draw_image, square_images
from sublinear_lib.validation import choice, count, float_array, scalar

__all__ = ["BallPanel", "balls_picture", "climb_picture", "growth_picture", "pair_gallery"]

_NORMS = (1.0, 2.0, math.inf)


class BallPanel(NamedTuple):
    """One panel of `balls_picture`.

    Parameters
    ----------
    title : str
        What it shows, in the house markup.
    mu : float
        The radius of the balls, ``>= 0``, in the units of the points.
    p : float
        Their norm: 1, 2 or infinity.
    pair : tuple of int, optional
        Two rows to join by a dashed line.
    point : tuple of float, optional
        A point of the plane to mark by a cross, such as one that two labels claim.
    """

    title: str
    mu: float
    p: float = math.inf
    pair: tuple[int, int] | None = None
    point: tuple[float, float] | None = None


_BELOW = 18.0


def _ball(axes: Axes, x: FloatArray, mu: float, p: float, role: Role) -> None:
    a, b = float(x[0]), float(x[1])
    looks: tuple[dict[str, Any], ...] = (
        {"facecolor": LIGHT[role], "alpha": 0.16, "linewidth": 0},
        {"facecolor": "none", "edgecolor": LIGHT[role], "linewidth": 1.25},
    )
    for look in looks:
        shape: Circle | Polygon | Rectangle
        if p == 2.0:
            shape = Circle((a, b), mu, **look)
        elif p == 1.0:
            corners = [(a + mu, b), (a, b + mu), (a - mu, b), (a, b - mu)]
            shape = Polygon(corners, closed=True, **look)
        else:
            shape = Rectangle((a - mu, b - mu), 2 * mu, 2 * mu, **look)
        axes.add_patch(shape)


def _letters(value: float) -> str:
    return f"{value:g}".replace("-", "\N{MINUS SIGN}")


def balls_picture(
    X: Numbers,
    y: Numbers,
    panels: Sequence[BallPanel],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw labeled points of the plane with the balls of one radius around each of them.

    Parameters
    ----------
    X : array-like, shape (N, 2)
        The points.
    y : array-like, shape (N,)
        Their labels, at most five different ones; each has a color, and is written into the point.
    panels : sequence of BallPanel
        One to four panels, on one scale.
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
        If points are not in the plane, shapes do not match, a pair names rows that are not there,
        or there are too many labels or panels.

    Notes
    -----
    Source: Proposition II.1.
    """
    points = float_array(X, "X", shape=(None, 2))
    labels = float_array(y, "y", shape=(len(points),))
    kinds = np.unique(labels).tolist()
    if len(kinds) > len(SERIES):
        raise ValueError(f"y must hold at most {len(SERIES)} different labels, got {len(kinds)}")
    if not 1 <= len(panels) <= 4:
        raise ValueError(f"panels must hold one to four panels, got {len(panels)}")
    for k, each in enumerate(panels):
        scalar(each.mu, f"panels[{k}].mu", minimum=0.0)
        if each.p not in _NORMS:
            raise ValueError(f"panels[{k}].p must be 1, 2 or inf, got {each.p}")
        for t, row in enumerate(each.pair or ()):
            count(row, f"panels[{k}].pair[{t}]", minimum=0, maximum=len(points) - 1)
        if each.point is not None:
            float_array(each.point, f"panels[{k}].point", shape=(2,))
    roles = dict(zip(kinds, SERIES, strict=False))
    reach = 1.04 * max(each.mu for each in panels)
    low, high = points.min(axis=0) - reach, points.max(axis=0) + reach
    middle, half = (low + high) / 2, 0.5 * float((high - low).max()) or 1.0
    figures = [_balls(points, labels, each, roles, middle, half) for each in panels]
    text = _told(points, labels, panels) if alt is None else alt
    return Picture([axes.figure for axes in figures], alt=text, caption=caption, name=name)  # type: ignore[misc]


def _balls(
    points: FloatArray,
    labels: FloatArray,
    shown: BallPanel,
    roles: Mapping[float, Role],
    middle: FloatArray,
    half: float,
) -> Axes:
    # Inner width equals inner height, so that a unit is as long on both axes.
    fig = figure(300, 318)
    with house_style():
        axes = panel(fig, left=38, right=10, top=36, bottom=30)
        axes.grid(visible=False)
        for which, center in zip(("x", "y"), middle.tolist(), strict=True):
            set_scale(axes, which, center - half, center + half, target=3, label=number)
        panel_title(axes, shown.title, left=34)
        for x, label in zip(points, labels.tolist(), strict=True):
            if shown.mu > 0.0:
                _ball(axes, x, shown.mu, shown.p, roles[label])
        if shown.pair is not None:
            ends = points[list(shown.pair)]
            axes.plot(ends[:, 0], ends[:, 1], color=LIGHT["ink"], linewidth=1.2, dashes=(3, 2))
        for x, label in zip(points, labels.tolist(), strict=True):
            badge(axes, float(x[0]), float(x[1]), _letters(label), roles[label])
        if shown.point is not None:
            look = {"marker": "x", "linestyle": "none", "zorder": 5.0}
            axes.plot(*shown.point, markersize=11, markeredgewidth=5, color=LIGHT["paper"], **look)  # type: ignore[arg-type]
            axes.plot(*shown.point, markersize=10, markeredgewidth=2.4, color=LIGHT["ink"], **look)  # type: ignore[arg-type]
    return axes


def _told(points: FloatArray, labels: FloatArray, panels: Sequence[BallPanel]) -> str:
    forms = {1.0: "diamonds", 2.0: "disks", math.inf: "squares"}
    said = []
    for each in panels:
        part = f"{to_plain(each.title)}: {forms[each.p]} of radius {number(each.mu)}"
        if each.point is not None:
            labels_there = ""
            if each.pair is not None:
                first, second = (_letters(float(labels[row])) for row in each.pair)
                labels_there = f", claimed by the labels {first} and {second}"
            place = " and ".join(number(value) for value in each.point)
            part += f", and a cross at {place}{labels_there}"
        said.append(part)
    kinds = len(np.unique(labels))
    return (
        f"{len(points)} points of the plane with {kinds} label{'s' if kinds > 1 else ''}, and a "
        f"ball around each. {'. '.join(said)}."
    )


def climb_picture(
    points: Numbers,
    labels: Numbers,
    x: Numbers,
    panels: Mapping[str, tuple[float, Numbers]],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw functions on a line that have the label of each point on a ball around it.

    Parameters
    ----------
    points, labels : array-like, shape (N,)
        The data.
    x : array-like, shape (k,)
        Where the functions are given, ascending, ``k >= 2``.
    panels : mapping of str to tuple of float and array-like, shape (k,)
        One to three panels, by their titles in the house markup: the radius of the balls, ``>= 0``,
        and the values of the function.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The panels, on one scale: the function as a line, each ball as a bar at the height of its
        label, each point as a dot.

    Raises
    ------
    ValueError
        If shapes do not match, places do not ascend, a radius is negative, or there are no panels
        or more than three.

    Notes
    -----
    Source: Proposition II.1, part 4.
    """
    at = float_array(points, "points", shape=(None,))
    heights = float_array(labels, "labels", shape=at.shape)
    places = ascending(x, "x")
    if not 1 <= len(panels) <= 3:
        raise ValueError(f"panels must hold one to three panels, got {len(panels)}")
    shown = {
        title: (
            scalar(mu, f"panels[{title!r}] radius", minimum=0.0),
            float_array(values, f"panels[{title!r}]", shape=places.shape),
        )
        for title, (mu, values) in panels.items()
    }
    every = np.concatenate([heights, *(values for _, values in shown.values())])
    low, high = float(every.min()), float(every.max())
    room = 0.12 * (high - low) or 1.0
    figures = []
    for title, (mu, values) in shown.items():
        fig = figure(300, 250)
        with house_style():
            axes = panel(fig, left=30, right=14, top=34, bottom=30)
            set_scale(axes, "x", float(places[0]), float(places[-1]), target=5, label=number)
            set_scale(axes, "y", low - room, high + room, target=3, label=number)
            panel_title(axes, title, left=26)
            axes.hlines(heights, at - mu, at + mu, color=LIGHT["c2"], linewidth=13, alpha=0.3)
            axes.plot(places, values, color=LIGHT["c1"], linewidth=2.0)
            axes.plot(at, heights, marker="o", markersize=7, color=LIGHT["c2"], linestyle="none")
        figures.append(fig)
    if alt is None:
        parts = [
            f"{to_plain(title)}: steepest climb {number(_steepest(places, values))}"
            for title, (_, values) in shown.items()
        ]
        alt = (
            f"A function through {at.size} points of a line with labels from "
            f"{number(float(heights.min()))} to {number(float(heights.max()))}, flat on a ball "
            f"around each. {'; '.join(parts)}."
        )
    return Picture(figures, alt=alt, caption=caption, name=name)


def _steepest(x: FloatArray, values: FloatArray) -> float:
    return float(np.abs(np.diff(values) / np.diff(x)).max())


def pair_gallery(
    first: Sequence[Sequence[float]] | FloatArray,
    second: Sequence[Sequence[float]] | FloatArray,
    *,
    titles: Sequence[str],
    labels: Sequence[tuple[str, str]],
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw pairs of images in columns, with the image halfway between the two in the middle row.

    Parameters
    ----------
    first, second : array-like, shape (k, h, w) or (k, h * h)
        The images, ``1 <= k <= 4``, at most 32 x 32 pixels, in any units: the smallest value of all
        is blank paper and the largest full ink.
    titles : sequence of str, length k
        What stands above each column, in the house markup.
    labels : sequence of pairs of str, length k
        The words beside the first and the second image.
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
        If shapes do not match, there are more than four pairs, or all pixels are equal.
    """
    one = square_images(first, "first", None)
    k = len(one)
    two = square_images(second, "second", k)
    if not 1 <= k <= 4:
        raise ValueError(f"first must hold 1 to 4 images, got {k}")
    if one.shape != two.shape:
        raise ValueError(f"second must have the shape of first, got {two.shape} and {one.shape}")
    if len(titles) != k or len(labels) != k:
        raise ValueError(
            f"titles and labels must have one entry for each of {k} pairs, got {len(titles)} and "
            f"{len(labels)}"
        )
    low, high = float(min(one.min(), two.min())), float(max(one.max(), two.max()))
    if high <= low:
        raise ValueError("first must hold more than one value, got images of a single gray")
    cell, gap, left = 78.0, 16.0, 62.0
    width = max(left + k * (cell + gap), 200.0)
    pitch = cell + _BELOW + 6.0
    fig = figure(width, 22.0 + 3 * pitch)
    with house_style():
        axes = panel(fig, left=0, right=0, top=0, bottom=0, frame=False)
        axes.set_xlim(0, width)
        axes.set_ylim(22.0 + 3 * pitch, 0)
        rows = (("first", one), ("halfway", 0.5 * (one + two)), ("second", two))
        for r, (title, images) in enumerate(rows):
            top = 22.0 + r * pitch
            note(axes, 0, top + cell / 2, title, va="center_baseline")
            for i in range(k):
                x = left + i * (cell + gap)
                draw_image(axes, (images[i] - low) / (high - low), x, top, cell, signed=False)
                words = "?" if r == 1 else labels[i][r // 2]
                note(axes, x + cell / 2, top + cell + 11, words, ha="center", size=11)
                if r == 0:
                    note(axes, x + cell / 2, 9, titles[i], ha="center", weight="bold")
    if alt is None:
        parts = [
            f"{to_plain(title)}: {to_plain(a)} and {to_plain(b)}, which differ by at most "
            f"{number(float(np.abs(one[i] - two[i]).max()))} in a pixel"
            for i, (title, (a, b)) in enumerate(zip(titles, labels, strict=True))
        ]
        alt = (
            f"Pairs of images of {one.shape[1]} by {one.shape[2]} pixels, with the image halfway "
            f"between them. {'. '.join(parts)}."
        )
    return Picture(fig, alt=alt, caption=caption, name=name)


def growth_picture(
    x: Numbers,
    measured: Mapping[str, Sequence[Sequence[float]] | FloatArray],
    lines: Mapping[str, Numbers] | None = None,
    *,
    xlabel: str,
    ylabel: str = "separation *λ*",
    xscale: str = "log2",
    yscale: str = "log10",
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw how the separation behaves: dots with intervals, and closed forms as lines.

    Parameters
    ----------
    x : array-like, shape (k,)
        The abscissae, ascending, ``k >= 2``; positive on a logarithmic scale.
    measured : mapping of str to array-like, shape (k, 3)
        For each series, by its label in the house markup: rows ``(estimate, lower, upper)``.
    lines : mapping of str to array-like, shape (k,), optional
        Closed forms by their labels: one with the label of a series is drawn in its color, others
        dashed in ink.  At most five labels of series.
    xlabel, ylabel : str
        What the axes measure, in the house markup.
    xscale, yscale : {"linear", "log10", "log2"}
        The scales.
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
        If shapes do not match, abscissae do not ascend, a number is not positive on a logarithmic
        axis, an estimate lies outside its interval, or there are no series or more than five.
    """
    places = ascending(x, "x")
    for scale, which in ((xscale, "xscale"), (yscale, "yscale")):
        choice(scale, which, SCALES)
    if xscale != "linear":
        positive(places, "x", (None,))
    few(measured, "measured", len(SERIES), "series")
    tables = {
        label: float_array(rows, f"measured[{label!r}]", shape=(places.size, 3))
        for label, rows in measured.items()
    }
    curves = {
        label: float_array(values, f"lines[{label!r}]", shape=places.shape)
        for label, values in (lines or {}).items()
    }
    for label, table in tables.items():
        if (table[:, 0] < table[:, 1]).any() or (table[:, 0] > table[:, 2]).any():
            raise ValueError(f"measured[{label!r}] must have estimates inside their intervals")
    every = np.concatenate([values.ravel() for values in (*tables.values(), *curves.values())])
    low, high = float(every.min()), float(every.max())
    if yscale != "linear" and low <= 0:
        raise ValueError(f"measured must be > 0 on a logarithmic axis, got {low!r}")
    names = [*tables, *(label for label in curves if label not in tables)]
    room = end_label_room(names)
    ends = (low / 1.4, high * 1.3)
    if yscale == "linear":
        ends = min(low, 0.0), 1.05 * max(high, 0.0) or (0.0 if low < 0.0 else 1.0)
    fig = figure(420, 320)
    with house_style():
        axes = panel(fig, left=58, right=room, xlabel=xlabel, ylabel=ylabel)
        own = places.tolist() if places.size <= 6 and xscale != "log2" else None
        set_scale(
            axes,
            "x",
            float(places[0]),
            float(places[-1]),
            scale=xscale,
            target=4,
            label=number,
            values=own,
        )
        set_scale(axes, "y", *ends, scale=yscale, label=number)
        last = []
        for role, (label, table) in zip(SERIES, tables.items(), strict=False):
            color = LIGHT[role]
            if label in curves:
                axes.plot(places, curves[label], color=color, linewidth=1.75)
            axes.vlines(
                places, table[:, 1], table[:, 2], color=color, linewidth=1.75, clip_on=False
            )
            axes.plot(
                places,
                table[:, 0],
                marker="o",
                color=color,
                clip_on=False,
                linestyle="none" if label in curves else "-",
                linewidth=1.25,
            )
            last.append(EndLabel(float(table[-1, 0]), label, role))
        for label, values in curves.items():
            if label not in tables:
                axes.plot(places, values, color=LIGHT["ink"], dashes=(3, 2), linewidth=1.5)
                last.append(EndLabel(float(values[-1]), label, "ink"))
        label_line_ends(axes, last)
    if alt is None:
        parts = [
            f"{to_plain(label)}: {number(float(table[0, 0]))} to {number(float(table[-1, 0]))}"
            for label, table in tables.items()
        ]
        parts += [
            f"{to_plain(label)}, closed form: {number(float(v[0]))} to {number(float(v[-1]))}"
            for label, v in curves.items()
        ]
        alt = (
            f"{to_sentence(ylabel)} against {to_plain(xlabel)} from "
            f"{number(float(places[0]))} to {number(float(places[-1]))}. {'; '.join(parts)}."
        )
    return Picture(fig, alt=alt, caption=caption, name=name)
