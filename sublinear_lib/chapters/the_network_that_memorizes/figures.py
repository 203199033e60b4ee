"""Networks that memorize: bumps, the circuit of one sample, rounding, answers on new data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.patches import FancyBboxPatch

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.chart import INK, Chart, Drawing, arrays, colored, extent, picture
from sublinear_lib.plotting.formats import Numbers, number, percent
from sublinear_lib.plotting.palette import FAINT, SERIES
from sublinear_lib.statistics import Interval
from sublinear_lib.validation import float_array


class ProfilePanel(NamedTuple):
    """A curve for each sample, one that is drawn thick, and half the length of the plateaus."""

    title: str
    bumps: Numbers
    total: Numbers
    radius: float


class PrecisionSeries(NamedTuple):
    """The errors of a format by the distance from the threshold: measured, predicted, proven."""

    gaps: Numbers
    error: Numbers
    predicted: Numbers
    proven: Numbers | None = None


@picture
def profile_picture(
    x: Numbers, centers: Numbers, y: Numbers, panels: Sequence[ProfilePanel]
) -> Drawing:
    """Draw bumps over a line, one for each sample, and a thick curve such as their maximum."""
    places = np.asarray(x)
    roles = dict(zip(np.unique(y).tolist(), SERIES, strict=False))
    low, top = extent(*(each.total for each in panels))
    charts, said = [], []
    for each in panels:
        chart = Chart(300, 250, (38, 10, 36, 40), title=each.title, xlabel="*x*")
        chart.x(places[0], places[-1], target=4, label=number)
        chart.y(min(0.0, low), 1.12 * max(top, 0.0) or 1.0, target=4, label=number)
        chart.line(places, each.total, "muted", 6.0, alpha=0.5)
        for bump, middle, label in zip(np.asarray(each.bumps), centers, y, strict=True):
            role, up = roles[float(label)], np.flatnonzero(bump > 0)
            if up.size:
                part = slice(max(int(up[0]) - 1, 0), int(up[-1]) + 2)
                chart.line(places[part], bump[part], role, 1.5)
            ends = [middle - each.radius, middle + each.radius]
            chart.line(ends, [label, label], role, 4.5, alpha=0.8)
            chart.dots(middle, 0, role, 7, clip_on=False)
        charts.append(chart)
        first, last = extent(each.total)
        said.append(
            f"{each.title}: the thick curve goes from {number(first)} to {number(last)}, plateaus "
            f"of half length {number(each.radius)}"
        )
    return charts, (
        f"Bumps around {len(y)} points of a line, and a thick curve. {'; '.join(said)}."
    )


_COLUMNS = (44.0, 158.0, 272.0, 378.0)
_BOX = 60.0
_PITCH = 40.0


def _names(n: int) -> tuple[list[str], list[str], list[str], list[str]]:
    u = [f"*u*_{{{j}}}" for j in range(1, n + 1)] if n > 1 else ["*u*"]
    marks = [str(j) for j in range(1, n + 1)] if n > 1 else [""]
    above = [f"*p*_{{{j}}}^{{+}}" if j else "*p*^{+}" for j in marks]
    below = [f"*p*_{{{j}}}^{{−}}" if j else "*p*^{−}" for j in marks]
    return (
        [*u, "acc", "*r*_{*i*−1}"],
        [*u, *above, *below, "acc"],
        [*u, "acc", "*r*_{*i*}"],
        [*u, "acc"],
    )


@picture
def circuit_picture(matrices: Sequence[Numbers], values: Sequence[Numbers]) -> Drawing:
    """Draw the neurons that one sample adds to the network, wired by the given matrices.

    The matrices are those of its layers A and B, and the rows of the next layer A that make the new
    state; every entry that is not zero is an edge.  The values, at one point: layer B before,
    layers A and B, the new state (Theorem II.4.8; the wiring is ours).
    """
    n = len(values[0]) - 2
    sizes = (n + 2, 3 * n + 1, n + 2, n + 1)
    held = [float_array(v, "values", shape=(k,)) for v, k in zip(values, sizes, strict=True)]
    wires = [
        float_array(matrix, "matrices", shape=shape)
        for matrix, shape in zip(matrices, zip(sizes[1:], sizes, strict=False), strict=True)
    ]
    height = 54.0 + (3 * n + 1) * _PITCH
    # The state keeps its height from column to column, so that carried numbers run level.
    middle = 40.0 + (3 * n + 1) * _PITCH / 2
    rows = [[middle + _PITCH * (k - (size - 1) / 2) for k in range(size)] for size in sizes]
    chart = Chart(424, height, (0, 0, 0, 0), frame=False)
    chart.pixels(424, height)
    titles = ("before", "*A*_{*i*}: measure", "*B*_{*i*}: decide", "after")
    for column, title in zip(_COLUMNS, titles, strict=True):
        chart.note(column, 14, title, ha="center", weight="bold")
    for k, wire in enumerate(wires):
        ends = [_COLUMNS[k] + _BOX / 2, _COLUMNS[k + 1] - _BOX / 2]
        for b, a in np.argwhere(wire != 0).tolist():
            role = {1.0: "muted", -1.0: "c1"}.get(float(wire[b, a]), "c2")
            dashes = (3, 2) if role == "c1" else (None, None)
            thick = 1.0 if role == "muted" else 1.5
            chart.line(ends, [rows[k][a], rows[k + 1][b]], role, thick, dashes=dashes)
    for column, places, words, numbers in zip(_COLUMNS, rows, _names(n), held, strict=True):
        for place, word, value in zip(places, words, numbers, strict=True):
            _box(chart, column, place, "c2" if word.startswith("*r*") else "muted")
            look = {"ha": "center", "size": 11, "outline": False}
            chart.note(column, place, word, dy=6, **look)
            chart.note(column, place, number(round(value, 9), 4), "muted", dy=-7, **look)
    for text in chart.axes.texts:
        text.set_zorder(4)
    return chart, (
        f"The circuit of one sample for n = {n}, with "
        f"{', '.join(str(np.count_nonzero(wire)) for wire in wires)} connections. Before it the "
        f"running maximum is {number(held[1][-1])}; the pieces of layer A add up to "
        f"{number(held[1][n:-1].sum())}; the neuron r of layer B is {number(held[2][-1])}, and "
        f"the running maximum after it {number(held[3][-1])}."
    )


def _box(chart: Chart, x: float, y: float, role: str) -> None:
    look: Any = {"facecolor": INK["paper"], "edgecolor": INK[role], "linewidth": 1.2, "zorder": 3}
    corner = (x - _BOX / 2 + 3, y - 14)
    box = FancyBboxPatch(corner, _BOX - 6, 28, boxstyle="round,pad=3", **look)
    chart.axes.add_patch(box)


@picture
def bounds_picture(y: Numbers, bounds: Mapping[str, tuple[Numbers, Numbers]]) -> Drawing:
    """Draw how far the output can be from the label on each ball, by kinds of bounds (low, high).

    At a deviation of 1/2 a value is classified as another label.
    """
    allowed, labels = 0.5, np.asarray(y)
    tables = {kind: each - labels for kind, each in arrays(bounds, 2, labels.size).items()}
    if any((low > high).any() for low, high in tables.values()):
        raise ValueError("lower bounds must be below the upper ones")
    names = {"xlabel": "ball", "ylabel": "bounds of *F* minus the label", "ylabel_rise": 30}
    chart = Chart(420, 280, (52, 16, 40, 46), **names)
    least, most = extent(*tables.values())
    chart.x(0.25, labels.size + 0.75, target=6, label=number)
    low, high = min(-1.25 * allowed, 1.1 * least), max(1.25 * allowed, 1.1 * most)
    chart.y(low, high, target=5, label=number)
    for edge in (-allowed, allowed):
        chart.level(edge, "ink", 1.0, dashes=(3, 2))
    shift = np.linspace(-0.18, 0.18, len(tables)) if len(tables) > 1 else np.zeros(1)
    wide, said = 3.5 if labels.size <= 30 else 1.5, []
    for place, (role, kind, (a, b)) in enumerate(colored(tables, SERIES[:3])):
        x = np.arange(1, labels.size + 1) + shift[place]
        chart.bars(x, a, b, role, wide)
        chart.dots(x, 0.5 * (a + b), role, wide + 1.5, marker=".")
        at = (place * 0.5 / max(len(tables) - 1, 1), 1.0)
        chart.corner(kind, role, at=at, dx=2, dy=10, weight="bold")
        within = int(np.sum((b < allowed) & (a > -allowed)))
        said.append(
            f"{kind}: {within} of {labels.size} balls within {number(allowed)}, the widest "
            f"reaches {number(max(b.max(), -a.min()))}"
        )
    return chart, (
        f"Bounds of the output minus the label on {labels.size} balls. {'; '.join(said)}."
    )


@picture
def precision_picture(series: Mapping[str, PrecisionSeries], *, allowed: float = 0.5) -> Drawing:
    """Draw errors of rounding against the distance from the threshold, by format.

    Dots for measured errors, lines for predicted and dashed ones for proven (Proposition II.5).
    """
    tables: dict[str, list[FloatArray]] = {}
    for kind, each in series.items():
        order = np.argsort(each.gaps)
        tables[kind] = [np.asarray(part)[order] for part in each if part is not None]
    errors = np.concatenate([part for _, *parts in tables.values() for part in parts])
    least, most = extent(errors[errors > 0])
    first, last = extent(*(gaps for gaps, *_ in tables.values()))
    low = least / 3
    names = "distance from the threshold, 1 − 2*μ*/*λ*", "largest error on the balls"
    chart = Chart(420, 320, (58, 16, 40, 46), *names, ylabel_rise=30)
    chart.x(first / 1.5, last * 1.5, scale="log10", target=5)
    chart.y(low, max(most, allowed) * 3, scale="log10", target=6)
    chart.level(allowed, "ink", 1.0, dashes=(3, 2))
    said = []
    for place, (role, kind, (gaps, error, predicted, *proven)) in enumerate(
        colored(tables, SERIES[:3])
    ):
        chart.line(gaps, predicted, role, 1.75)
        for bound in proven:
            chart.line(gaps, bound, role, 1.5, dashes=(3, 2))
        chart.dots(gaps, np.maximum(error, low), role, 5, clip_on=False)
        chart.corner(kind, role, at=(0.34 * place, 1.0), dx=2, dy=10, weight="bold")
        worst = gaps[error >= allowed]
        said.append(
            f"{kind}: from {number(error[-1])} at {number(gaps[-1])} to {number(error[0])} at "
            f"{number(gaps[0])}, predicted {number(predicted[-1])} and {number(predicted[0])}; "
            f"wrong {f'from {number(worst.max())} on' if worst.size else 'nowhere'}"
        )
    look = {"coordinates": ("axes fraction", "data"), "dy": 9, "ha": "right"}
    chart.note(0.98, allowed, "half a label", **look)
    return chart, (
        "Largest error of computed values on the balls against the distance from the "
        f"threshold, both axes logarithmic. {'. '.join(said)}."
    )


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
