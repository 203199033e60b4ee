"""Pictures of half-space reporting: what a query asks, looks at and skips (Section 5.1).

The plane and its dual (Definition 5.1), the share of neurons that can fire on X at all, boxes that
are covered, crossed or skipped, the work of a query against the number of points, and what was
measured with a clock: speed against dimension, recall against time.  Points, sets, counts and times
come from the caller.  Here are only the lines and boxes to be drawn, in float64: which box a line
crosses is decided for the eye, and no structure of the library asks this module.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Polygon, Rectangle
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.transforms import Bbox

from sublinear_lib._typing import BoolArray, FloatArray, IntArray
from sublinear_lib.plotting.checks import ascending, few, positive, shares
from sublinear_lib.plotting.formats import Numbers, grouped, number, percent
from sublinear_lib.plotting.palette import FAINT, LIGHT, SERIES, Role, roles_of
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain, to_sentence
from sublinear_lib.plotting.style import (
    LINE_HEIGHT,
    EndLabel,
    figure,
    house_style,
    interval_dots,
    label_line_ends,
    note,
    panel,
    panel_title,
    set_scale,
    spread,
)
from sublinear_lib.validation import float_array, index_array, scalar

__all__ = [
    "boxes_picture",
    "duality_picture",
    "recall_against_time",
    "speedup_by_dimension",
    "surviving_share",
    "work_against_m",
]

Rows = Sequence[Sequence[float]] | FloatArray
Ids = Sequence[int] | IntArray

_MOST_POINTS = 400


def _plane(
    points: object, normal: object, offset: object, most: int = _MOST_POINTS
) -> tuple[FloatArray, FloatArray, float]:
    P = float_array(points, "points", shape=(None, 2))
    if len(P) > most:
        raise ValueError(f"points must be at most {most} to be told apart, got {len(P)}")
    x = float_array(normal, "normal", shape=(2,))
    if not x.any():
        raise ValueError("normal must not be zero, got [0.0, 0.0]")
    return P, x, scalar(offset, "offset")


def _frame(axes: Axes, P: FloatArray, width: float, height: float) -> None:
    """Show all points with a margin, one unit equally long in both directions."""
    low, high = P.min(axis=0), P.max(axis=0)
    middle, extent = (low + high) / 2, np.maximum(high - low, 1e-9)
    pixel = 1.14 * float(max(extent[0] / width, extent[1] / height))
    axes.set_xlim(middle[0] - pixel * width / 2, middle[0] + pixel * width / 2)
    axes.set_ylim(middle[1] - pixel * height / 2, middle[1] + pixel * height / 2)


def _half_plane(axes: Axes, x: FloatArray, offset: float) -> None:
    """Draw the line ``<x, u> = offset`` and shade what lies beyond it."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
    beyond: list[tuple[float, float]] = []
    ends: list[tuple[float, float]] = []
    # The rectangle of the axes cut by the line (Sutherland and Hodgman).
    for (ax, ay), (bx, by) in zip(corners, [*corners[1:], corners[0]], strict=True):
        a = x[0] * ax + x[1] * ay - offset
        b = x[0] * bx + x[1] * by - offset
        if a > 0:
            beyond.append((ax, ay))
        if (a > 0) != (b > 0):
            t = a / (a - b)
            cut = (ax + t * (bx - ax), ay + t * (by - ay))
            beyond.append(cut)
            ends.append(cut)
    if beyond:
        axes.add_patch(Polygon(beyond, facecolor=LIGHT["c1"], alpha=0.12, linewidth=0, zorder=0))
    if ends:
        axes.plot(*zip(*ends, strict=True), color=LIGHT["c2"], linewidth=2, zorder=2)


def _dots(axes: Axes, P: FloatArray, role: Role, size: float, *, filled: bool = True) -> None:
    if len(P):
        axes.plot(
            P[:, 0],
            P[:, 1],
            linestyle="none",
            marker="o",
            markersize=size,
            color=LIGHT[role],
            markerfacecolor=LIGHT[role if filled else "paper"],
            markeredgewidth=0 if filled else 1.4,
            zorder=4,
        )


def duality_picture(
    points: Rows,
    normal: Numbers,
    offset: float,
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw a half-plane query twice: points and a line, and, dually, lines and a point.

    The point ``u = (u_1, u_2)`` becomes the line ``s -> u_1 s + u_2``: its inner product with
    ``(s, 1)``.  The half-plane ``<u, x> > c`` with ``x_2 > 0`` becomes the point
    ``(x_1 / x_2, c / x_2)``, and it reports the lines that pass above that point.

    Parameters
    ----------
    points : array-like, shape (m, 2)
        The points, ``1 <= m <= 40``.
    normal : array-like, shape (2,)
        The normal ``x`` of the query, ``x_2 > 0``.
    offset : float
        The offset ``c``, absolute units.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        Two panels, side by side or one below the other.

    Raises
    ------
    ValueError
        If shapes do not match, there are more than 40 points, or ``x_2 <= 0``.

    Notes
    -----
    Source: Definition 5.1; the duality of points and lines.
    """
    P, x, c = _plane(points, normal, offset, most=40)
    if x[1] <= 0:
        raise ValueError(f"normal must have a positive second coordinate, got {x.tolist()}")
    hit: BoolArray = P @ x > c
    s, level = float(x[0] / x[1]), float(c / x[1])

    left = figure(300, 300)
    with house_style():
        axes = panel(left, left=8, right=8, top=30, bottom=8, frame=False)
        _frame(axes, P, 284, 262)
        _half_plane(axes, x, c)
        _dots(axes, P[~hit], "muted", 5.5)
        _dots(axes, P[hit], "c1", 7)
        panel_title(axes, "a neuron is a point", left=0, rise=16)
        u, v = (float(part) for part in c * x / (x @ x))
        note(axes, u, v, "the input", role="c2", dx=-9, dy=-11, ha="right", weight="bold")
    right = figure(300, 300)
    with house_style():
        axes = panel(right, left=8, right=8, top=30, bottom=8, frame=False)
        reach = np.array([s - 1.0, s + 1.0])
        lines = P[:, :1] * reach + P[:, 1:]
        at = P[:, 0] * s + P[:, 1]
        low, high = min(float(at.min()), level), max(float(at.max()), level)
        margin = 0.18 * max(high - low, 1e-9)
        axes.set_xlim(*reach)
        axes.set_ylim(low - margin, high + margin)
        axes.plot([s, s], [level, high + margin], color=LIGHT["c1"], linewidth=7, alpha=0.16)
        for above in (False, True):
            for line in lines[hit == above]:
                axes.plot(
                    reach,
                    line,
                    color=LIGHT["c1" if above else "muted"],
                    linewidth=1.8 if above else 1.0,
                    alpha=1.0 if above else FAINT,
                )
        axes.plot(
            s,
            level,
            marker="o",
            markersize=9,
            color=LIGHT["c2"],
            markeredgecolor=LIGHT["paper"],
            markeredgewidth=1.5,
            zorder=5,
        )
        panel_title(axes, "a neuron is a line", left=0, rise=16)
        note(axes, s, level, "the input", role="c2", dx=9, dy=-11, weight="bold")
    if alt is None:
        alt = (
            f"Two drawings of one query to {len(P)} neurons. First, neurons are points; a line "
            f"cuts off the shaded half-plane with the {int(hit.sum())} that fire. Then each "
            "neuron is a line and the query is one point; the same "
            f"{int(hit.sum())} neurons are the lines that pass above it."
        )
    return Picture([left, right], alt=alt, caption=caption, name=name)


def surviving_share(
    dimensions: Numbers,
    curves: Mapping[str, Numbers],
    *,
    samples: Mapping[str, Rows] | None = None,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw which share of the neurons can fire on X at all, against the dimension.

    Parameters
    ----------
    dimensions : array-like, shape (k,)
        The dimensions d, ascending, ``>= 2``, ``k >= 2``.
    curves : mapping of str to array-like, shape (k,)
        For each activity, by its label in the house markup: the expected share at every
        dimension, in [0, 1].  At most five.
    samples : mapping of str to array-like, shape (j, 4), optional
        For some of the same labels: rows ``(d, estimate, lower, upper)``.
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
        If shapes do not match, dimensions do not ascend, a share lies outside [0, 1], there are
        more than five curves, or samples have a label that no curve has.
    """
    d = ascending(dimensions, "dimensions", 2.0)
    few(curves, "curves", len(SERIES), "curves")
    checked = {
        label: shares(values, f"curves[{label!r}]", (d.size,)) for label, values in curves.items()
    }
    points: dict[str, FloatArray] = {}
    for label, rows in (samples or {}).items():
        if label not in checked:
            raise ValueError(
                f"samples must have labels of curves, got {label!r} beside {list(checked)}"
            )
        points[label] = float_array(rows, f"samples[{label!r}]", shape=(None, 4))

    fig = figure(420, 300)
    with house_style():
        axes = panel(fig, right=92, xlabel="dimension *d*", ylabel="neurons that can fire on *X*")
        set_scale(
            axes,
            "x",
            float(d[0]),
            float(d[-1]),
            scale="log2",
            values=[2.0**k for k in range(1, 11)],
            label=number,
        )
        set_scale(axes, "y", 0.0, 1.0, label=percent)
        ends = []
        for role, (label, values) in zip(roles_of(checked), checked.items(), strict=True):
            axes.plot(d, values, color=LIGHT[role], clip_on=False)
            ends.append(EndLabel(float(values[-1]), label, role))
            if label in points:
                interval_dots(axes, points[label], role)
        label_line_ends(axes, ends)
    if alt is None:
        parts = [
            f"{to_plain(label)}: {percent(float(v[0]))} at d = {number(float(d[0]))}, "
            f"{percent(float(v[-1]))} at d = {number(float(d[-1]))}"
            for label, v in checked.items()
        ]
        rising = all(v[-1] > v[0] and (np.diff(v) >= 0).all() for v in checked.values())
        alt = (
            "Share of the neurons that can fire somewhere on X, against the dimension. "
            f"{'; '.join(parts)}."
        )
        if rising:
            alt += " All curves rise."
    return Picture(fig, alt=alt, caption=caption, name=name)


def boxes_picture(
    points: Rows,
    groups: Sequence[Ids],
    normal: Numbers,
    offset: float,
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw the boxes around groups of points: covered by a half-plane, crossed, or skipped.

    Parameters
    ----------
    points : array-like, shape (m, 2)
        The points, ``1 <= m <= 400``.
    groups : sequence of array-like of int
        The ids of each group, such as the leaves of a tree; at least one, none empty.
    normal : array-like, shape (2,)
        The normal of the query.
    offset : float
        Its offset, absolute units.
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
    TypeError, ValueError
        If shapes do not match, ids do not name points, or a group is empty.

    Notes
    -----
    Source: Section 5.1, "partitions the set P recursively".
    """
    P, x, c = _plane(points, normal, offset)
    members = [index_array(ids, "groups", upper=len(P), allow_empty=False) for ids in groups]
    if not members:
        raise ValueError("groups must hold at least one group, got none")
    low = np.array([P[ids].min(axis=0) for ids in members])
    high = np.array([P[ids].max(axis=0) for ids in members])
    least = np.where(x > 0, low, high) @ x
    most = np.where(x > 0, high, low) @ x
    sizes = np.array([len(ids) for ids in members])
    kinds: tuple[tuple[str, BoolArray, Role], ...] = (
        ("covered", least > c, "c1"),
        ("crossed", (least <= c) & (most > c), "c2"),
        ("skipped", most <= c, "muted"),
    )

    fig = figure(420, 280)
    with house_style():
        axes = panel(fig, left=8, right=8, top=8, bottom=30, frame=False)
        _frame(axes, P, 404, 242)
        _half_plane(axes, x, c)
        summary = []
        for (word, chosen, role), (place, align) in zip(
            kinds, ((0.0, "left"), (0.5, "center"), (1.0, "right")), strict=True
        ):
            for box in np.flatnonzero(chosen):
                axes.add_patch(
                    Rectangle(
                        (low[box, 0], low[box, 1]),
                        float(high[box, 0] - low[box, 0]),
                        float(high[box, 1] - low[box, 1]),
                        facecolor=(LIGHT[role], 0.35 if word == "covered" else 0.0),
                        edgecolor=LIGHT[role],
                        linewidth=1.0 if word == "skipped" else 1.8,
                        zorder=1,
                    )
                )
            inside = np.concatenate([P[:0], *(P[members[k]] for k in np.flatnonzero(chosen))])
            _dots(axes, inside, role, 4.5 if word != "skipped" else 3.5)
            boxes = int(chosen.sum())
            note(
                axes,
                place,
                0.0,
                f"{boxes} {word}",
                role=role,
                ha=align,
                weight="bold",
                dy=-16,
                coordinates="axes fraction",
            )
            summary.append(f"{boxes} boxes with {int(sizes[chosen].sum())} points are {word}")
    if alt is None:
        alt = (
            f"{int(sizes.sum())} points in {len(members)} boxes and a line that cuts off a shaded "
            f"half-plane. {', '.join(summary[:-1])} and {summary[-1]}. Only the points of crossed "
            "boxes have to be tested one by one."
        )
    return Picture(fig, alt=alt, caption=caption, name=name)


def work_against_m(
    widths: Numbers,
    curves: Mapping[str, Rows],
    *,
    xlabel: str = "number of points *m*",
    ylabel: str = "points tested for one query",
    scan: bool = True,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw the work of a query against the number of points, on logarithmic axes.

    Parameters
    ----------
    widths : array-like, shape (k,)
        The numbers of points m, ascending, ``k >= 2``.
    curves : mapping of str to array-like, shape (seeds, k)
        For each structure or dimension, by its label in the house markup: the work of a query,
        positive, one row for each seed.  The curve is the mean over the seeds, a bar runs from
        the smallest to the largest.  At most five.
    xlabel : str
        What m is, in the house markup.
    ylabel : str
        What is counted, in the house markup.
    scan : bool, default True
        Whether to draw the work m of a scan, dashed, as a yardstick.
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
        If shapes do not match, widths do not ascend, a number is not positive, or there are more
        than five curves.
    """
    m = ascending(widths, "widths", 1.0)
    few(curves, "curves", len(SERIES), "curves")
    checked = {
        label: positive(rows, f"curves[{label!r}]", (None, m.size))
        for label, rows in curves.items()
    }
    low = min(float(t.min()) for t in checked.values())
    high = max(float(t.max()) for t in checked.values())
    if scan:
        low, high = min(low, float(m[0])), max(high, float(m[-1]))
    fig = figure(420, 330)
    with house_style():
        axes = panel(fig, right=118, xlabel=xlabel, ylabel=ylabel, left=58)
        set_scale(axes, "x", float(m[0]), float(m[-1]), scale="log2", target=4)
        bottom, top = low / 1.5, high * 1.3
        set_scale(axes, "y", bottom, top, scale="log10", label=number)
        ends = []
        if scan:
            axes.plot(m, m, color=LIGHT["ink"], dashes=(3, 2), linewidth=1.5)
            ends.append(EndLabel(float(m[-1]), "scan: *m*", "ink"))
        for role, (label, table) in zip(roles_of(checked), checked.items(), strict=True):
            mean = table.mean(axis=0)
            axes.vlines(m, table.min(axis=0), table.max(axis=0), color=LIGHT[role], linewidth=1.5)
            axes.plot(m, mean, color=LIGHT[role], marker="o", clip_on=False)
            ends.append(EndLabel(float(mean[-1]), label, role))
        label_line_ends(axes, ends)
    if alt is None:
        parts = [
            f"{to_plain(label)}: {number(float(t[:, 0].mean()))} at the smallest and "
            f"{number(float(t[:, -1].mean()))} at the largest m"
            for label, t in checked.items()
        ]
        alt = (
            f"{to_sentence(ylabel)} against the {to_plain(xlabel)} from "
            f"{grouped(round(m[0]))} to {grouped(round(m[-1]))}, both axes logarithmic. "
            f"{'; '.join(parts)}."
        )
        if scan:
            alt += " A dashed line shows the scan, which tests all m points."
    return Picture(fig, alt=alt, caption=caption, name=name)


def speedup_by_dimension(
    dimensions: Numbers,
    curves: Mapping[str, Numbers],
    *,
    baseline: str = "baseline",
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw how many times as fast as a baseline something is, against the dimension.

    Parameters
    ----------
    dimensions : array-like, shape (k,)
        The dimensions d, ascending, ``k >= 2``.
    curves : mapping of str to array-like, shape (k,)
        For each case, by its label in the house markup: the ratios, positive; above 1 is faster
        than the baseline.  At most five.
    baseline : str
        What the baseline is called, in the house markup.
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
        If shapes do not match, dimensions do not ascend, a ratio is not positive, or there are
        more than five curves.
    """
    d = ascending(dimensions, "dimensions", 1.0)
    few(curves, "curves", len(SERIES), "curves")
    checked = {
        label: positive(values, f"curves[{label!r}]", (d.size,)) for label, values in curves.items()
    }
    low = min(1.0, *(float(v.min()) for v in checked.values())) / 1.3
    high = max(1.0, *(float(v.max()) for v in checked.values())) * 1.2
    fig = figure(420, 310)
    with house_style():
        ylabel = f"times as fast as {baseline}"
        axes = panel(fig, right=96, xlabel="dimension *d*", ylabel=ylabel)
        set_scale(
            axes,
            "x",
            float(d[0]),
            float(d[-1]),
            scale="log2",
            values=[2.0**k for k in range(11)],
            label=number,
        )
        set_scale(axes, "y", low, high, scale="log10", label=number)
        axes.plot(d, np.ones(d.size), color=LIGHT["ink"], dashes=(3, 2), linewidth=1.5)
        ends = [EndLabel(1.0, baseline, "ink")]
        for role, (label, values) in zip(roles_of(checked), checked.items(), strict=True):
            axes.plot(d, values, color=LIGHT[role], marker="o", clip_on=False)
            ends.append(EndLabel(float(values[-1]), label, role))
        label_line_ends(axes, ends)
    if alt is None:
        parts = [
            f"{to_plain(label)}: {number(float(v[0]))} at d = {number(float(d[0]))}, "
            f"{number(float(v[-1]))} at d = {number(float(d[-1]))}"
            for label, v in checked.items()
        ]
        alt = (
            f"How many times as fast as {to_plain(baseline)}, against the dimension, both axes "
            f"logarithmic. {'; '.join(parts)}. A dashed line marks 1, the speed of "
            f"{to_plain(baseline)}."
        )
    return Picture(fig, alt=alt, caption=caption, name=name)


def _free_on_the_left(
    axes: Axes, tables: Mapping[str, FloatArray], label: str, preferred: bool
) -> bool:
    """Return whether a label goes left of its curve: as preferred, if no other crosses it there."""
    letters = TextPath((0, 0), to_plain(label), size=12, prop=FontProperties(weight="bold"))
    width = 9.0 + letters.get_extents().width
    others = [axes.transData.transform(table) for each, table in tables.items() if each != label]

    def free(left: bool) -> bool:
        x, y = axes.transData.transform(tables[label][0 if left else -1])
        from_, to = (x - width, x - 9.0) if left else (x + 9.0, x + width)
        place = Bbox.from_extents(from_, y - LINE_HEIGHT / 2, to, y + LINE_HEIGHT / 2)
        plot = axes.get_window_extent()
        inside = plot.x0 <= from_ and to <= plot.x1
        return inside and not any(
            place.count_contains(curve) or Path(curve).intersects_bbox(place, filled=False)
            for curve in others
        )

    return preferred if free(preferred) or not free(not preferred) else not preferred


def recall_against_time(
    panels: Mapping[str, Mapping[str, Rows]],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw which share of the true answer methods find, against the time that they take.

    Parameters
    ----------
    panels : mapping of str to mapping of str to array-like, shape (j, 2)
        For each panel, by its title, and for each method, by its label: rows ``(microseconds,
        recall)``, one for each setting, joined by a line.  Times are positive, recalls in [0, 1];
        at most five methods, and at least one panel.
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
        If there are no panels, shapes do not match, a time is not positive, a recall lies outside
        [0, 1], or there are more than five methods.
    """
    if not panels:
        raise ValueError("panels must hold at least one panel, got none")
    tables: dict[str, dict[str, FloatArray]] = {}
    for title, methods in panels.items():
        few(methods, f"panels[{title!r}]", len(SERIES), "methods")
        tables[title] = {}
        for label, rows in methods.items():
            table = float_array(rows, f"panels[{title!r}][{label!r}]", shape=(None, 2))
            if (table[:, 0] <= 0).any() or (table[:, 1] < 0).any() or (table[:, 1] > 1).any():
                raise ValueError(
                    f"panels[{title!r}][{label!r}] must hold times > 0 and recalls in [0, 1], "
                    f"got {table.tolist()}"
                )
            tables[title][label] = table[np.argsort(table[:, 0], kind="stable")]
    times = np.concatenate([t[:, 0] for each in tables.values() for t in each.values()])
    figures, parts = [], []
    for title, methods_here in tables.items():
        fig = figure(300, 280)
        with house_style():
            axes = panel(fig, left=50, top=34, xlabel="microseconds for one query", ylabel="recall")
            decades = [10.0**k for k in range(-3, 9)]
            set_scale(axes, "x", times.min() / 3, times.max() * 2, scale="log10", values=decades)
            set_scale(axes, "y", 0.0, 1.06, label=percent, values=[0, 0.25, 0.5, 0.75, 1])
            # Labels stand to the left of what is slow and to the right of what is fast; a curve
            # that ends far to the right has room on its left only.
            middle = math.sqrt(times.min() * times.max())
            far = times.min() ** 0.3 * times.max() ** 0.7
            left = {
                label: _free_on_the_left(
                    axes, methods_here, label, table[0, 0] > middle or table[-1, 0] > far
                )
                for label, table in methods_here.items()
            }
            for slow in (False, True):
                group = {
                    label: (role, table[0] if slow else table[-1])
                    for role, (label, table) in zip(
                        roles_of(methods_here), methods_here.items(), strict=True
                    )
                    if left[label] == slow
                }
                heights = [float(axes.transData.transform(end)[1]) for _, end in group.values()]
                box = axes.get_window_extent()
                places = spread(heights, LINE_HEIGHT, box.y0, box.y1)
                for (label, (role, end)), was, now in zip(
                    group.items(), heights, places, strict=True
                ):
                    note(
                        axes,
                        float(end[0]),
                        float(end[1]),
                        label,
                        role=role,
                        dx=-9 if slow else 9,
                        dy=now - was,
                        ha="right" if slow else "left",
                        va="center_baseline",
                        weight="bold",
                    )
            for role, (label, table) in zip(
                roles_of(methods_here), methods_here.items(), strict=True
            ):
                axes.plot(
                    table[:, 0], table[:, 1], color=LIGHT[role], marker="o", markersize=7, zorder=4
                )
                found = ", ".join(
                    f"{percent(float(recall))} in {number(float(us))} microseconds"
                    for us, recall in table
                )
                parts.append(f"{to_plain(title)}, {to_plain(label)}: {found}")
            panel_title(axes, title, left=46, rise=36)
        figures.append(fig)
    if alt is None:
        alt = f"Recall against the time for one query, on a logarithmic axis. {'; '.join(parts)}."
    return Picture(figures, alt=alt, caption=caption, name=name)
