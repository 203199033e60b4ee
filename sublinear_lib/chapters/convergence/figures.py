"""Convergence: the loss beside its linear stand-in, and the bill of Theorem D as stacked bars.

The mark of the average never lies beyond the end of its bar: such a row refutes the theorem, and
the picture refuses to draw it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.chart import Chart, Curves, Drawing, arrays, colored, extent, picture
from sublinear_lib.plotting.formats import Numbers, number
from sublinear_lib.plotting.palette import SERIES
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import legend_places

_LETTER, _ROW = 6.1, 46.0
_MARKS = ("average of the run", "loss at the start")
_UNTRAINED = 1.0  # the loss of a network before training
_Run = tuple[Mapping[str, float], float, float]


@picture
def surrogate_picture(along: Numbers, losses: Curves, steps: Numbers, course: Curves) -> Drawing:
    """Draw losses along the line W_0 + s (W* - W_0), and the course of a run towards W*.

    The course is shares of first values over the steps.
    """
    s, line, run = np.asarray(along), arrays(losses, len(along)), arrays(course, len(steps))
    if s[0] > 0.0 or s[-1] < 1.0:
        raise ValueError(f"along must cover 0 and 1, got {s[0]} to {s[-1]}")
    place = "place *s* on the line from *W*_{0} to *W**"
    charts = [
        _lines(s, line, SERIES[:2], xlabel=place, ylabel="loss", values=[0.0, 0.5, 1.0, 1.5]),
        _lines(steps, run, ("c3", "c1", "c4"), xlabel="step", ylabel="share of its first value"),
    ]
    start, stop = (int(np.argmin(np.abs(s - end))) for end in (0.0, 1.0))
    first = "; ".join(
        f"{label} {number(v[start])} at W_0, {number(round(v[stop], 12))} at the end, turning "
        f"{_turns(v)} times"
        for label, v in line.items()
    )
    second = "; ".join(
        f"{label} from {number(v[0])} to {number(v[-1])}, smallest {number(v.min())}"
        for label, v in run.items()
    )
    return charts, (
        f"Two panels. Losses along the line from W_0 to the comparison weights: {first}. "
        f"Over {number(steps[-1])} steps: {second}."
    )


def _lines(
    x: Numbers,
    curves: Mapping[str, FloatArray],
    roles: Sequence[str],
    *,
    values: Sequence[float] | None = None,
    **names: str,
) -> Chart:
    chart = Chart(310, 260, (40, 84, 16, 46), **names)
    chart.x(x[0], x[-1], target=4, values=values)
    chart.y(0.0, 1.08 * extent(*curves.values())[1] or 1.0, target=4)
    for role, label, drawn in colored(curves, roles):
        chart.line(x, drawn, role, 1.8, label, clip_on=False)
    return chart


def _turns(values: FloatArray) -> int:
    signs = np.sign(np.diff(values))
    signs = signs[signs != 0]
    return int(np.count_nonzero(signs[1:] != signs[:-1]))


@picture
def convergence_picture(runs: Curves, exponents: Numbers, promise: Numbers) -> Drawing:
    """Draw how the loss of runs falls, and what a proof can promise at widths 2^exponents.

    A ring marks the first width from which on the promise is below 1, the untrained loss.
    """
    courses, k, total = arrays(runs), np.asarray(exponents), np.asarray(promise)
    lowest, highest = extent(*courses.values())
    left = Chart(310, 250, (44, 84, 44, 46), "step", "loss", title="Training", rise=42)
    left.x(0.0, max(v.size for v in courses.values()) - 1.0, target=4)
    left.y(0.8 * lowest, max(1.2 * highest, 1.0), scale="log10")
    for role, label, values in colored(courses):
        left.line(np.arange(values.size), values, role, 1.8, label, clip_on=False)
    names = {"xlabel": "width *m*", "ylabel": "promised average loss"}
    right = Chart(310, 250, (44, 18, 44, 46), title="Its proof", rise=42, **names)
    right.x(k[0], k[-1], values=range(0, 400, 40), label=lambda power: f"2^{{{power:g}}}")
    right.y(min(0.5 * _UNTRAINED, 0.8 * total.min()), 1.5 * total.max(), scale="log10")
    right.line(k, total, "c2", 1.8)
    right.level(_UNTRAINED, "muted", 1.4, linestyle=(0, (4, 3)))
    right.note(k[0], _UNTRAINED, "untrained network", "muted", dx=6, dy=-11)
    above = np.flatnonzero(total >= _UNTRAINED)
    first = int(above[-1]) + 1 if above.size else 0
    said = "It is never below 1."
    if first < k.size:
        ring = {"markerfacecolor": "none", "markeredgewidth": 1.8}
        right.dots(k[first], total[first], "c2", 8, **ring)
        right.note(k[first], total[first], f"2^{{{k[first]:g}}}", "c2", dy=16, ha="center")
        said = f"It is below 1 from 2^{k[first]:g} on."
    parts = (f"{label} from {number(v[0])} to {number(v[-1])}" for label, v in courses.items())
    return [left, right], (
        f"Two panels. Loss over the steps of training: {'; '.join(parts)}. Average loss that "
        f"the proof promises, from {number(total[0])} at m = 2^{k[0]:g} to {number(total[-1])} "
        f"at 2^{k[-1]:g}, largest {number(total.max())}. {said}"
    )


@picture
def regret_bars(panels: Mapping[str, Mapping[str, _Run]]) -> Drawing:
    """Draw the bounds of runs (terms, average, start) as stacked bars, with the two marked."""
    said = []
    for title, runs in panels.items():
        for label, (terms, average, start) in runs.items():
            bound = float(np.sum(list(terms.values())))
            if average > bound * (1.0 + 1e-9):
                raise ValueError(f"{label!r} has an average of {average!r} beyond its {bound!r}")
            inside = ", ".join(f"{term} {number(value)}" for term, value in terms.items())
            said.append(
                f"{title}, {label}: {inside}; in all {number(bound)}; {_MARKS[0]} "
                f"{number(average)}, {_MARKS[1]} {number(start)}"
            )
    charts = [_bars(title, runs) for title, runs in panels.items()]
    return charts, f"Stacked bars of a bound, run by run. {'. '.join(said)}."


def _bars(title: str, runs: Mapping[str, _Run]) -> Chart:
    names = list(next(iter(runs.values()))[0])
    width, inner = 330.0, 310.0
    places = legend_places(names, inner, swatch=14.0, letter=_LETTER, gap=14.0)
    y = 36.0 + 20.0 * (places[-1][1] + 1)
    height = y + 24.0 + _ROW * len(runs)
    chart = Chart(width, height, (10, 10, 0, 0), frame=False)
    chart.pixels(inner, height)
    chart.note(0, 13, title, weight="bold")
    chart.legend(names, places, SERIES, 36.0, 14.0)
    second = 24.0 + _LETTER * len(to_plain(_MARKS[0])) + 16.0
    for x, label, broken in ((0.0, _MARKS[0], False), (second, _MARKS[1], True)):
        _mark(chart, x + 5, (y - 7, y + 7), 2.0, broken=broken)
        chart.note(x + 14, y, label, size=11)
    sums = {label: sum(terms.values()) for label, (terms, _, _) in runs.items()}
    largest = max(max(sums[label], start) for label, (_, _, start) in runs.items())
    scale = (inner - 44.0) / (largest or 1.0)
    for place, (label, (terms, mean, start)) in enumerate(runs.items()):
        top = y + 20.0 + _ROW * place
        if list(terms) != names:
            raise ValueError(f"{label!r} must have the terms {names}, got {list(terms)}")
        chart.note(0, top + 8, label, size=11.5)
        stop = chart.stack(top + 18, 16, [*terms.values()], SERIES, scale)
        # A mark beyond the end of the bar must not cross the number.
        beyond = start * scale if stop - 4.0 < start * scale < stop + 44.0 else stop
        chart.note(beyond, top + 26, number(sums[label]), dx=6, weight="bold")
        for x, broken in ((mean * scale, False), (start * scale, True)):
            _mark(chart, x, (top + 16.0, top + 38.0), 4.5, "paper")
            _mark(chart, x, (top + 16.0, top + 38.0), 2.0, broken=broken)
    return chart


def _mark(
    chart: Chart,
    x: float,
    stretch: tuple[float, float],
    thick: float,
    role: str = "ink",
    broken: bool = False,
) -> None:
    style = (0, (2, 2)) if broken else "solid"
    chart.bars(x, *stretch, role, thick, linestyles=style)
