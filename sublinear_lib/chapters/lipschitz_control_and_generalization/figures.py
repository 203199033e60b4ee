"""What memorizers say between and beyond their balls: a network that is silent does not err."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.patches import Rectangle

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.chart import INK, Chart, Drawing, Rows, arrays, extent, picture
from sublinear_lib.plotting.formats import Numbers, number, percent
from sublinear_lib.plotting.palette import FAINT
from sublinear_lib.statistics import Interval
from sublinear_lib.validation import float_array

_SIGNS = {1.0: ("c1", "+"), -1.0: ("c2", "\N{MINUS SIGN}")}


class AnswerPanel(NamedTuple):
    """A network on a grid of the square, row by row from below, and what answers +1 and -1.

    A value in neither range is no answer.
    """

    title: str
    values: FloatArray
    plus: tuple[float, float] = (0.0, math.inf)
    minus: tuple[float, float] = (-math.inf, 0.0)


@picture
def answers_picture(
    X: Rows, s: Numbers, panels: Sequence[AnswerPanel], *, mu: float, limits: tuple[float, float]
) -> Drawing:
    """Shade where networks answer +1 and -1 in a square of the plane, with points and balls.

    The grids reach from end to end of the limits (Theorems II.4.8 and II.5.2).
    """
    points = float_array(X, "X", shape=(None, 2))
    charts, said = [], []
    for each in panels:
        charts.append(_answers(points, s, each, mu, limits))
        plus, minus = (
            float(np.mean((start < each.values) & (each.values < stop)))
            for start, stop in (each.plus, each.minus)
        )
        said.append(
            f"{each.title}: the answer is plus on {percent(plus, 2)} of the square, minus on "
            f"{percent(minus, 2)}, and there is none on {percent(max(0.0, 1.0 - plus - minus), 2)}"
        )
    return charts, (
        f"{len(points)} points of the plane with two labels, and squares of half-width "
        f"{number(mu)} around them. {'. '.join(said)}."
    )


def _answers(
    points: FloatArray, s: Numbers, shown: AnswerPanel, mu: float, limits: tuple[float, float]
) -> Chart:
    values = float_array(shown.values, shown.title, shape=("k", "k"))
    # Inner width equals inner height, so that a unit is as long on both axes.
    chart = Chart(300, 318, (38, 10, 36, 30), title=shown.title)
    chart.axes.grid(visible=False)
    chart.x(*limits, target=3, label=number)
    chart.y(*limits, target=3, label=number)
    places, (least, most), edges = np.linspace(*limits, len(values)), extent(values), set()
    for (start, stop), (role, _) in zip((shown.plus, shown.minus), _SIGNS.values(), strict=True):
        edges |= {edge for edge in (start, stop) if least < edge < most}
        bounds = [max(start, least - 1.0), min(stop, most + 1.0)]
        if bounds[0] < most and least < bounds[1]:
            area = chart.axes.contourf(places, places, values, bounds, colors=[INK[role]])
            area.set_alpha(0.22)
    if edges:
        shape: Any = {"colors": [INK["ink"]], "linewidths": 1.0}
        chart.axes.contour(places, places, values, levels=sorted(edges), **shape)
    for x, sign in zip(points, s, strict=True):
        role, text = _SIGNS[float(sign)]
        if mu > 0.0:
            look: Any = {"facecolor": "none", "edgecolor": INK[role], "linewidth": 1.25}
            chart.axes.add_patch(Rectangle(x - mu, 2 * mu, 2 * mu, **look))
        chart.badge(*x, text, role, size=11.0, letters=11.0)
    return chart


# Silence is pale: it is not an error.
_OUTCOMES = (("right", "c3", 1.0), ("wrong", "c2", 1.0), ("no answer", "muted", FAINT))


@picture
def answer_bars(
    entries: Mapping[str, tuple[float, float, float]],
    intervals: Mapping[str, Interval],
    *,
    chance: float,
) -> Drawing:
    """Draw the shares of right, wrong and missing answers as bars that fill one row each.

    The interval of the first share is a whisker, and written beside it; a dashed line marks a guess
    (Proposition II.6).
    """
    rows, step = arrays(entries, 3), 52.0
    if any(abs(row.sum() - 1.0) > 1e-9 for row in rows.values()):
        raise ValueError(f"three shares must add to 1, got {entries}")
    height = step * len(rows)
    chart = Chart(440, height + 74.0, (18, 24, 44, 30))
    chart.axes.grid(visible=False)
    chart.axes.set_ylim(height, 0.0)
    chart.x(0.0, 1.0, target=5, label=percent)
    chart.axes.set_yticks([])
    above = {"dx": 10, "size": 11, "va": "center_baseline"}
    for k, (label, role, alpha) in enumerate(_OUTCOMES):
        at = 0.015 + 0.16 * k, 1.0 + 30.0 / height
        square = {"marker": "s", "alpha": alpha, "clip_on": False}
        chart.dots(*at, role, 9.0, transform=chart.axes.transAxes, **square)
        chart.corner(label, at=at, **above)
    said = []
    for r, (title, shares) in enumerate(rows.items()):
        y, start, interval = step * r + 24.0, 0.0, intervals[title]
        middle, least, most = (
            percent(value, 3 if value >= 0.1 else 2)
            for value in (interval.estimate, interval.lower, interval.upper)
        )
        chart.note(0.0, y - 10.0, title, weight="bold", va="center_baseline")
        text, look = f"{middle} [{least}, {most}]", {"size": 11, "va": "center_baseline"}
        chart.note(1.0, y - 10.0, text, "c3", ha="right", **look)
        for (_, role, alpha), share in zip(_OUTCOMES, shares, strict=True):
            if share > 0.0:
                bar: Any = {"color": INK[role], "alpha": alpha, "align": "edge"}
                chart.axes.barh(y, share, 20.0, left=start, **bar)
            start += share
        _whisker(chart, interval.lower, interval.upper, y + 10.0)
        said.append(
            f"{title}: right {percent(shares[0])} (interval {percent(interval.lower)} to "
            f"{percent(interval.upper)}), wrong {percent(shares[1])}, no answer "
            f"{percent(shares[2])}"
        )
    chart.upright(chance, "ink", 1.25, dashes=(3, 2))
    look = {"dy": 9, "ha": "center", "size": 11, "va": "center_baseline"}
    chart.note(chance, 1.0, "a guess", coordinates=("data", "axes fraction"), **look)
    return chart, (
        f"Bars of right, wrong and missing answers. {'. '.join(said)}. A dashed line marks a "
        f"guess, {percent(chance)}."
    )


def _whisker(chart: Chart, low: float, high: float, y: float) -> None:
    # Drawn twice: the wider one, in the color of the page, is the outline.
    for role, width in (("paper", 4.5), ("ink", 1.75)):
        chart.line((low, high), (y, y), role, width, clip_on=False)
        for end in (low, high):
            chart.line((end, end), (y - 5.0, y + 5.0), role, width, clip_on=False)
