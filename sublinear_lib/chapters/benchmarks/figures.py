"""What was measured: speed and recall, and what missed neurons cost."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.transforms import Bbox

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.chart import (
    Chart,
    Curves,
    Drawing,
    Rows,
    arrays,
    by_first,
    colored,
    extent,
    picture,
)
from sublinear_lib.plotting.formats import Numbers, number, percent
from sublinear_lib.plotting.palette import SERIES
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import LINE_HEIGHT, end_label_room, spread

_DASHED = {"dashes": (3, 2)}


@picture
def error_against_misses(curves: Mapping[str, Rows]) -> Drawing:
    """Draw how far trained weights end from the exact ones, against the neurons that were missed.

    Rows (missed, error): shares of the active neurons and of the way that the exact weights went.
    """
    tables = by_first(curves, 2)
    xlabel, ylabel = "active neurons that were missed", "error of the trained weights"
    room = end_label_room(tables, letter=6.4, gap=24.0, most=170.0)
    chart = Chart(400, 290, (58, room, 16, 46), xlabel=xlabel, ylabel=ylabel)
    chart.x(0.0, 1.0, label=percent, values=[0, 0.25, 0.5, 0.75, 1])
    top = max(1.0, *(table[:, 1].max() for table in tables.values()))
    chart.y(0.0, 1.05 * top, label=percent)
    chart.line([0, 1], [0, 1], "ink", 1.5, **_DASHED)
    said = []
    for role, label, table in colored(tables, SERIES):
        chart.line(*table.T, role, label=label, marker="o", clip_on=False, zorder=4)
        parts = (f"{percent(error)} where {percent(missed)} are missed" for missed, error in table)
        said.append(f"{label}: {', '.join(parts)}")
    return chart, (
        "Error of the trained weights, as a share of the way they went, against the share of "
        f"active neurons that were missed. {'; '.join(said)}. A dashed line marks an error as "
        "large as the share that is missed."
    )


@picture
def speedup_by_dimension(
    dimensions: Numbers, curves: Curves, *, baseline: str = "baseline"
) -> Drawing:
    """Draw how many times as fast as a baseline something is, against the dimension."""
    d, ratios = np.asarray(dimensions, dtype=float), arrays(curves, len(dimensions))
    low, high = extent(1.0, *ratios.values())
    ylabel = f"times as fast as {baseline}"
    chart = Chart(420, 310, (52, 96, 16, 46), xlabel="dimension *d*", ylabel=ylabel)
    chart.x(d[0], d[-1], scale="log2", values=[2.0**k for k in range(11)], label=number)
    chart.y(low / 1.3, high * 1.2, scale="log10", label=number)
    chart.line(d, np.ones(d.size), "ink", 1.5, baseline, **_DASHED)
    for role, label, values in colored(ratios):
        chart.line(d, values, role, label=label, marker="o", clip_on=False)
    said = "; ".join(
        f"{label}: {number(v[0])} at d = {number(d[0])}, {number(v[-1])} at d = {number(d[-1])}"
        for label, v in ratios.items()
    )
    return chart, (
        f"How many times as fast as {baseline}, against the dimension, both axes logarithmic. "
        f"{said}. A dashed line marks 1, the speed of {baseline}."
    )


@picture
def recall_against_time(panels: Mapping[str, Mapping[str, Rows]]) -> Drawing:
    """Draw which share of the true answer methods find, against the time that they take.

    Rows (microseconds, recall), one for each setting of a method.
    """
    charts, said = [], []
    tables = {title: by_first(methods, 2) for title, methods in panels.items()}
    first, last = extent(*(t[:, 0] for methods in tables.values() for t in methods.values()))
    decades = [10.0**k for k in range(-3, 9)]
    names = {"xlabel": "microseconds for one query", "ylabel": "recall"}
    for title, methods in tables.items():
        chart = Chart(300, 280, (50, 14, 34, 46), **names)
        chart.x(first / 3, last * 2, scale="log10", values=decades)
        chart.y(0.0, 1.06, label=percent, values=[0, 0.25, 0.5, 0.75, 1])
        _name_curves(chart, methods, math.sqrt(first * last), first**0.3 * last**0.7)
        for role, label, table in colored(methods):
            chart.line(*table.T, role, marker="o", markersize=7, zorder=4)
            found = ", ".join(f"{percent(r)} in {number(us)} microseconds" for us, r in table)
            said.append(f"{title}, {label}: {found}")
        chart.corner(title, dx=-46, dy=36, weight="bold")
        charts.append(chart)
    return charts, (
        f"Recall against the time for one query, on a logarithmic axis. {'; '.join(said)}."
    )


def _name_curves(
    chart: Chart, methods: Mapping[str, FloatArray], middle: float, far: float
) -> None:
    """Write labels left of what is slow and right of what is fast.

    A curve that ends far to the right has room on its left only.
    """
    axes, box = chart.axes, chart.axes.get_window_extent()
    left = {
        label: _free_on_the_left(chart, methods, label, bool(t[0, 0] > middle or t[-1, 0] > far))
        for label, t in methods.items()
    }
    for slow in (False, True):
        side = {"dx": -9, "ha": "right"} if slow else {"dx": 9, "ha": "left"}
        group = [each for each in colored(methods) if left[each[1]] == slow]
        places = [table[0 if slow else -1] for _, _, table in group]
        heights = [float(axes.transData.transform(end)[1]) for end in places]
        moved = spread(heights, LINE_HEIGHT, box.y0, box.y1)
        for (role, label, _), end, was, now in zip(group, places, heights, moved, strict=True):
            look = {"dy": now - was, "va": "center_baseline", "weight": "bold"}
            chart.note(*end, label, role, **look, **side)


def _free_on_the_left(
    chart: Chart, tables: Mapping[str, FloatArray], label: str, preferred: bool
) -> bool:
    """Return whether a label goes left of its curve: as preferred, if no other crosses it there."""
    letters = TextPath((0, 0), to_plain(label), size=12, prop=FontProperties(weight="bold"))
    width = 9.0 + letters.get_extents().width
    transform, plot = chart.axes.transData.transform, chart.axes.get_window_extent()
    others = [transform(table) for each, table in tables.items() if each != label]

    def free(left: bool) -> bool:
        x, y = transform(tables[label][0 if left else -1])
        from_, to = (x - width, x - 9.0) if left else (x + 9.0, x + width)
        place = Bbox.from_extents(from_, y - LINE_HEIGHT / 2, to, y + LINE_HEIGHT / 2)
        inside = plot.x0 <= from_ and to <= plot.x1
        return inside and not any(
            place.count_contains(curve) or Path(curve).intersects_bbox(place, filled=False)
            for curve in others
        )

    return preferred if free(preferred) or not free(not preferred) else not preferred
