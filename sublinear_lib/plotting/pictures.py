"""Pictures that several pages draw: costs, shares, losses and boxes against a half-plane.

All numbers, counted, predicted or timed, come from the caller; here is only how they are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.patches import Rectangle

from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.plotting.chart import (
    INK,
    Chart,
    Curves,
    Drawing,
    Rows,
    arrays,
    colored,
    ends,
    extent,
    picture,
)
from sublinear_lib.plotting.checks import ascending
from sublinear_lib.plotting.formats import Numbers, grouped, number, percent
from sublinear_lib.plotting.palette import SERIES
from sublinear_lib.plotting.richtext import to_sentence
from sublinear_lib.plotting.shapes import draw_half_plane
from sublinear_lib.plotting.style import end_label_room
from sublinear_lib.validation import float_array, index_array

__all__ = [
    "boxes_picture",
    "cost_curves",
    "growth_picture",
    "loss_curves",
    "shares_picture",
    "work_against_m",
]

_DASHED = {"dashes": (3, 2)}
_FEW = 5
_LONG = 1e7
_PARTS = 80  # stretches of a course that are told apart


@picture
def cost_curves(
    x: Numbers,
    *,
    predicted: Curves | None = None,
    measured: Mapping[str, Rows] | None = None,
    reference: tuple[str, Numbers] | None = None,
    xlabel: str = "width *m*",
    ylabel: str = "row passes",
    xscale: str = "log2",
) -> Drawing:
    """Draw costs against the width, the dimension or the activity, on logarithmic axes.

    Here `x` (k,): the abscissae, ascending and positive, ``k >= 2``; `predicted`: curves (k,) by
    their labels in the house markup, positive; `measured`: measured values (runs, j), positive, at
    the first j abscissae, one row for each run: a dot at the mean and a bar from the smallest to
    the largest.  Those with the label of a predicted curve share its color.  At most seven labels
    in all; `reference`: a label and a curve (k,) to compare with, dashed; `xscale`: ``"log2"`` or
    ``"log10"``, the scale of the first axis.

    Raises ValueError: if shapes do not match, abscissae do not ascend, or a number is not positive.
    """
    places = ascending(x, "x")
    curves, tables = arrays(predicted or {}, places.size), arrays(measured or {}, None, None)
    label, line = reference or ("", [])
    dashed = arrays({label: line} if label else {}, places.size)
    low, high = extent(*curves.values(), *tables.values(), *dashed.values())
    room = end_label_room([*curves, *tables, *dashed])
    chart = Chart(420, 330, (58, room, 16, 46), xlabel=xlabel, ylabel=ylabel)
    # On a decimal axis the few values given are rounder than any others.
    own = places.tolist() if xscale == "log10" and places.size <= _FEW else None
    # Numbers as long as 3.52·10^{13} would run into each other; 2^{45} does not.
    write = number if xscale == "log2" and places[-1] < _LONG else None
    chart.x(places[0], places[-1], scale=xscale, target=4, label=write, values=own)
    chart.y(low / 1.4, high * 1.3, scale="log10")
    for label, line in dashed.items():
        chart.line(places, line, "ink", 1.5, label, **_DASHED)
    said = [f"{label}, predicted: {ends(y)}" for label, y in curves.items()]
    for role, label, _ in colored({**curves, **tables}):
        if label in curves:
            chart.line(places, curves[label], role, 1.75, label)
        if label in tables:
            _spread(chart, places, tables[label], role, "" if label in curves else label)
    for label, table in tables.items():
        last = table.shape[1]
        up_to = "" if last == places.size else f" up to {number(places[last - 1])}"
        said.append(f"{label}, measured{up_to}: {ends(table.mean(axis=0))}")
    return chart, (
        f"{to_sentence(ylabel)} against {xlabel} from {ends(places)}, both axes logarithmic. "
        f"{'; '.join(said)}." + "".join(f" A dashed line shows {label}." for label in dashed)
    )


def _spread(chart: Chart, x: FloatArray, table: FloatArray, role: str, label: str) -> None:
    """Draw the means of columns as dots, on bars from the smallest to the largest.

    Where they have no label, there is a curve already: the dots are not joined.
    """
    at, mean = x[: table.shape[1]], table.mean(axis=0)
    chart.bars(at, table.min(axis=0), table.max(axis=0), role, 1.5)
    joined = "-" if label else "none"
    chart.line(at, mean, role, label=label, linestyle=joined, marker="o", clip_on=False)


@picture
def work_against_m(
    widths: Numbers,
    curves: Mapping[str, Rows],
    *,
    xlabel: str = "number of points *m*",
    ylabel: str = "points tested for one query",
    scan: bool = True,
) -> Drawing:
    """Draw the work of a query against the number of points, on logarithmic axes.

    Here `widths` (k,): the numbers of points m, ascending, ``k >= 2``; `curves`: for each structure
    or dimension, by its label in the house markup, the work of a query (seeds, k), positive, one
    row for each seed.  The curve is the mean over the seeds, a bar runs from the smallest to the
    largest.  At most seven; `scan`: whether to draw the work m of a scan, dashed, as a yardstick.

    Raises ValueError: if shapes do not match, widths do not ascend, or a number is not positive.
    """
    m, tables = ascending(widths, "widths", 1.0), arrays(curves, None, len(widths))
    low, high = extent(*tables.values(), *([m] if scan else []))
    chart = Chart(420, 330, (58, 118, 16, 46), xlabel=xlabel, ylabel=ylabel)
    chart.x(m[0], m[-1], scale="log2", target=4)
    chart.y(low / 1.5, high * 1.3, scale="log10", label=number)
    if scan:
        chart.line(m, m, "ink", 1.5, "scan: *m*", **_DASHED)
    for role, label, table in colored(tables):
        _spread(chart, m, table, role, label)
    said = "; ".join(
        f"{label}: {number(t[:, 0].mean())} at the smallest and {number(t[:, -1].mean())} at the "
        "largest m"
        for label, t in tables.items()
    )
    return chart, (
        f"{to_sentence(ylabel)} against the {xlabel} from {ends(m, lambda v: grouped(round(v)))}, "
        f"both axes logarithmic. {said}."
        + (" A dashed line shows the scan, which tests all m points." if scan else "")
    )


@picture
def growth_picture(
    x: Numbers,
    measured: Mapping[str, Rows],
    lines: Curves | None = None,
    *,
    xlabel: str,
    ylabel: str = "separation *λ*",
    xscale: str = "log2",
    yscale: str = "log10",
) -> Drawing:
    """Draw how a quantity grows or falls: dots with intervals, and closed forms as lines.

    Here `x` (k,): the abscissae, ascending, ``k >= 2``; positive on a logarithmic scale;
    `measured`: for each series, by its label in the house markup, rows ``(estimate, lower,
    upper)``, shape (k, 3); `lines`: closed forms (k,) by their labels; one with the label of a
    series is drawn in its color, others dashed in ink.  At most five labels of series; `xscale`,
    `yscale`: ``"linear"``, ``"log10"`` or ``"log2"``.

    Raises ValueError: if shapes do not match, abscissae do not ascend, a number is not positive on
    a logarithmic axis, an estimate lies outside its interval, or there are more than five series.
    """
    places = ascending(x, "x")
    tables, curves = arrays(measured, places.size, 3), arrays(lines or {}, places.size)
    for label, table in tables.items():
        if (table[:, 0] < table[:, 1]).any() or (table[:, 0] > table[:, 2]).any():
            raise ValueError(f"measured[{label!r}] must have estimates inside their intervals")
    low, high = extent(*tables.values(), *curves.values())
    bottom, top = low / 1.4, high * 1.3
    if yscale == "linear":
        bottom, top = min(low, 0.0), 1.05 * max(high, 0.0) or (0.0 if low < 0.0 else 1.0)
    room = end_label_room([*tables, *curves])
    chart = Chart(420, 320, (58, room, 16, 46), xlabel=xlabel, ylabel=ylabel)
    own = places.tolist() if places.size <= 6 and xscale != "log2" else None
    chart.x(places[0], places[-1], scale=xscale, target=4, label=number, values=own)
    chart.y(bottom, top, scale=yscale, label=number)
    for role, label, table in colored(tables, SERIES):
        estimate, lower, upper = table.T
        if label in curves:
            chart.line(places, curves[label], role, 1.75)
        chart.bars(places, lower, upper, role, 1.75, clip_on=False)
        look = {"linestyle": "none" if label in curves else "-", "marker": "o"}
        chart.line(places, estimate, role, 1.25, label, clip_on=False, **look)
    for label, values in curves.items():
        if label not in tables:
            chart.line(places, values, "ink", 1.5, label, **_DASHED)
    said = [f"{label}: {ends(table[:, 0])}" for label, table in tables.items()]
    said += [f"{label}, closed form: {ends(values)}" for label, values in curves.items()]
    return chart, f"{to_sentence(ylabel)} against {xlabel} from {ends(places)}. {'; '.join(said)}."


@picture
def shares_picture(
    samples: Mapping[str, Rows],
    *,
    curves: Mapping[str, tuple[Numbers, Numbers]] | None = None,
    level: tuple[float, str],
    xlabel: str,
    ylabel: str,
    scale: str = "linear",
    joined: bool = False,
) -> Drawing:
    """Draw shares against a number, measured ones with intervals, predicted ones as curves.

    Here `samples`: by label in the house markup, rows ``(x, estimate, lower, upper)``; `curves`:
    for some of the same labels, or others, x and y of a curve.  Both together have at most seven
    labels; `level`: a level line and its label; `scale`: ``"linear"``, ``"log10"`` or ``"log2"``,
    the scale of the x axis; `joined`: whether the samples of a label are joined by thin lines.

    Raises ValueError: if shapes do not match, there is no label or more than seven, or an x is not
    positive on a logarithmic scale.
    """
    rows = {label: table.T for label, table in arrays(samples, None, 4).items()}
    lines = arrays(curves or {}, 2, None)
    start, stop = extent(*(each[0] for each in (*rows.values(), *lines.values())))
    decades = [10.0**k for k in range(-9, 13)]
    marks = decades if scale == "log10" and stop / 50.0 > start / 1.3**2 else None
    if scale == "linear":
        room = 0.03 * (stop - start or 1.0)
        start, stop = (start if start == 0.0 else start - room), stop + room
    else:
        start, stop = start / 1.3, stop * 1.3
    chart = Chart(420, 300, (52, 88, 16, 46), xlabel=xlabel, ylabel=ylabel)
    chart.x(start, stop, scale=scale, target=4, values=marks)
    chart.y(0.0, 1.0, label=percent)
    chart.level(level[0], "ink", 1.4, level[1], dashes=(4, 3), zorder=1)
    for role, label, _ in colored({**rows, **lines}):
        if label in lines:
            chart.line(*lines[label], role, 1.8, label)
        if label in rows:
            x, y, lower, upper = rows[label]
            chart.bars(x, lower, upper, role, 1.8)
            if joined:
                chart.line(x, y, role, 1.2)
            for place in zip(x, y, strict=True):
                chart.dots(*place, role, 7, 1.0, zorder=5, clip_on=False)
            if label not in lines:
                chart.end(y[-1], label, role)
    said = [
        f"{label}, {kind}: {percent(y[0])} at {number(x[0])}, {percent(y[-1])} at {number(x[-1])}"
        for kind, each in (("predicted", lines), ("measured with intervals", rows))
        for label, (x, y, *_) in each.items()
    ]
    axis = "" if scale == "linear" else ", on a logarithmic axis"
    return chart, (
        f"{to_sentence(ylabel)} against {xlabel}{axis}. {'; '.join(said)}. A level line at "
        f"{percent(level[0])}: {level[1]}."
    )


@picture
def loss_curves(
    panels: Mapping[str, Mapping[str, tuple[Numbers, Numbers]]],
    *,
    floor: float = 1e-4,
    ylabel: str = "loss",
) -> Drawing:
    """Draw losses over the steps of several runs, one panel for each, on one logarithmic scale.

    Here `panels`: for each panel, by its title in the house markup, its curves (steps, losses) by
    their labels, steps ascending.  A label has the same color in every panel; at most seven;
    `floor`: losses below it are drawn at it, ``> 0``: a logarithm has no place for 0.

    Raises ValueError: if there are more than seven labels, or steps and losses differ in number.
    """
    tables = {title: arrays(curves, 2, None) for title, curves in panels.items()}
    every = {label: each for curves in tables.values() for label, each in curves.items()}
    roles = {label: role for role, label, _ in colored(every)}
    least, most = extent(*(losses for curves in tables.values() for _, losses in curves.values()))
    high, low = max(2.0 * floor, 1.3 * most), max(floor, 0.7 * least)
    charts, said = [], []
    for title, curves in tables.items():
        chart = Chart(300, 260, (50, 84, 38, 46), "step", ylabel, title=title, rise=38)
        chart.x(*extent(*(steps for steps, _ in curves.values())), target=3)
        chart.y(low, high, scale="log10")
        for label, (steps, losses) in curves.items():
            drawn = np.clip(losses, low, high)
            # A loss that swings at every step would be a smear: its range, and the middle.
            parts = min(_PARTS, drawn.size)
            at = [np.mean(part) for part in np.array_split(steps, parts)]
            swings = np.array([(part.min(), part.max()) for part in np.array_split(drawn, parts)]).T
            chart.band(at, *swings, roles[label], 0.25)
            chart.line(at, np.sqrt(swings.prod(axis=0)), roles[label], 1.8, clip_on=False)
            chart.end(drawn[-1], label, roles[label])
        charts.append(chart)
        parts_said = (f"{label} from {ends(losses)}" for label, (_, losses) in curves.items())
        said.append(f"{title}: {', '.join(parts_said)}")
    return charts, f"Curves of the {ylabel} over the steps. {'. '.join(said)}."


@picture
def boxes_picture(
    points: Rows, groups: Sequence[Sequence[int] | IntArray], normal: Numbers, offset: float
) -> Drawing:
    """Draw the boxes around groups of points: covered by a half-plane, crossed, or skipped.

    Here `points` (m, 2): the points; `groups`: the ids of each group, such as the leaves of a tree;
    at least one, none empty; `normal` (2,): the normal of the query; `offset`: its offset, absolute
    units.

    Raises TypeError, ValueError: if shapes do not match, ids do not name points, or a group is
    empty.

    Source: Section 5.1, "partitions the set P recursively".
    """
    P = float_array(points, "points", shape=(None, 2))
    x = float_array(normal, "normal", shape=(2,))
    members = [P[index_array(ids, "groups", upper=len(P), allow_empty=False)] for ids in groups]
    low = np.array([group.min(axis=0) for group in members])
    high = np.array([group.max(axis=0) for group in members])
    least, most = np.where(x > 0, low, high) @ x, np.where(x > 0, high, low) @ x
    chart = Chart(420, 280, (8, 8, 8, 30), frame=False)
    draw_half_plane(chart, P, x, offset, 404, 242)
    said = []
    for word, chosen, role, (at, ha) in (
        ("covered", least > offset, "c1", (0.0, "left")),
        ("crossed", (least <= offset) & (most > offset), "c2", (0.5, "center")),
        ("skipped", most <= offset, "muted", (1.0, "right")),
    ):
        thick, size = (1.0, 3.5) if word == "skipped" else (1.8, 4.5)
        color, alpha = INK[role], 0.35 if word == "covered" else 0.0
        for corner, sides in zip(low[chosen], (high - low)[chosen], strict=True):
            look: Any = {"facecolor": (color, alpha), "edgecolor": color, "linewidth": thick}
            chart.axes.add_patch(Rectangle(corner, *sides, zorder=1, **look))
        inside = np.concatenate([P[:0], *(members[k] for k in np.flatnonzero(chosen))])
        chart.dots(*inside.T, role, size, 0, zorder=4)
        chart.corner(f"{chosen.sum()} {word}", role, at=(at, 0.0), ha=ha, weight="bold", dy=-16)
        said.append(f"{chosen.sum()} boxes with {len(inside)} points are {word}")
    return chart, (
        f"{sum(map(len, members))} points in {len(members)} boxes and a line that cuts off a "
        f"shaded half-plane. {', '.join(said[:-1])} and {said[-1]}. Only the points of crossed "
        "boxes have to be tested one by one."
    )
