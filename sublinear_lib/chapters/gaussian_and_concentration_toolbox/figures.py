"""Tails of a count beside their bounds, and where a bound ends (Appendix A.5 to A.10)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sublinear_lib.plotting.chart import Chart, Curves, Drawing, arrays, colored, extent, picture
from sublinear_lib.plotting.formats import Numbers, course, grouped, number, whole
from sublinear_lib.plotting.palette import SERIES


class CountTail(NamedTuple):
    """Probabilities of at least so many, exact and bounded."""

    counts: Numbers
    exact: Numbers
    bounds: Curves


class Crossing(NamedTuple):
    """A curve with its label, what it is compared with, and where it crosses one of them."""

    x: Numbers
    xlabel: str
    curve: tuple[str, Numbers]
    lines: Curves
    at: float


@picture
def tail_panels(panels: Mapping[str, CountTail]) -> Drawing:
    """Draw the probability of large counts beside the bounds of lemmas, which are dashed."""
    charts, said, below = [], [], False
    for title, each in panels.items():
        counts, exact = each.counts, np.asarray(each.exact)
        bounds = arrays(each.bounds, len(counts))
        below |= any((values < exact * (1.0 - 1e-9)).any() for values in bounds.values())
        chart = Chart(350, 320, (50, 84, 30, 46), xlabel="neurons in the window", ylabel=title)
        chart.x(counts[0], counts[-1], target=4, label=whole)
        top = max(1.0, *(values[0] for values in bounds.values()))
        chart.y(exact[-1] / 2, top * 2, scale="log10", target=6, label=_power)
        chart.line(counts, exact, SERIES[0], label="exact law")
        for role, label, values in colored(bounds, SERIES[1:]):
            chart.line(counts, values, role, label=label, dashes=(4, 2))
        charts.append(chart)
        last = ", ".join(f"{label} {number(values[-1])}" for label, values in bounds.items())
        said.append(
            f"{title}: at {grouped(round(counts[-1]))} neurons the exact probability is "
            f"{number(exact[-1])}, the bounds are {last}"
        )
    return charts, (
        "Probability that at least so many neurons lie in a window, on a logarithmic axis, with "
        f"bounds as dashed curves {'beside' if below else 'above'} the exact one. "
        f"{'; '.join(said)}."
    )


def _power(value: float) -> str:
    exponent = round(math.log10(value))
    return "1" if exponent == 0 else f"10^{{{exponent}}}".replace("-", "\N{MINUS SIGN}")


@picture
def crossing_panels(panels: Sequence[Crossing]) -> Drawing:
    """Draw quantities beside the constants that lemmas bound them with, and where these end."""
    charts, said = [], []
    for each in panels:
        x, (name, curve), lines = each.x, each.curve, arrays(each.lines, len(each.x))
        low, high = extent(curve, *lines.values())
        room = high - low or 1.0
        chart = Chart(350, 270, (40, 84, 16, 46), xlabel=each.xlabel)
        chart.x(x[0], x[-1], target=5)
        chart.y(low - 0.06 * room, high + 0.1 * room, target=5)
        chart.stretch(each.at, x[-1], "muted", 0.12)
        chart.line(x, curve, SERIES[0], label=name)
        for role, label, line in colored(lines, SERIES[1:]):
            chart.line(x, line, role, label=label, dashes=(4, 2))
        height = np.interp(each.at, x, curve)
        chart.dots(each.at, height, "ink", 7)
        chart.note(each.at, height, number(each.at, 5), dx=6, dy=13, weight="bold")
        charts.append(chart)
        said.append(
            f"{name} {course(curve[0], curve[-1])} from {number(curve[0])} to {number(curve[-1])} "
            f"and crosses a dashed line at {number(each.at, 5)}"
        )
    return charts, f"Curves divided by the power that bounds them. {'; '.join(said)}."
