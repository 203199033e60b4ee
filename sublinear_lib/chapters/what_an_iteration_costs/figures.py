"""The bill of an iteration, as stacked bars (Theorem 1.1 and Lemma 5.3)."""

from __future__ import annotations

from collections.abc import Mapping

from sublinear_lib.plotting.chart import Chart, Drawing, picture
from sublinear_lib.plotting.formats import number
from sublinear_lib.plotting.palette import SERIES
from sublinear_lib.plotting.style import legend_places

_SEGMENTS = (*SERIES, "muted", "ink")
_LETTER = 6.7  # a letter of 11 pixels, on average and rounded up


@picture
def ledger_bars(columns: Mapping[str, Mapping[str, float]], *, unit: str) -> Drawing:
    """Draw ledgers as stacked bars, one above the other, with their totals."""
    labels = list(next(iter(columns.values())))
    if any(list(ledger) != labels for ledger in columns.values()):
        raise ValueError(f"all columns must have the entries {labels}")
    sums = {title: sum(ledger.values()) for title, ledger in columns.items()}
    row, inner = 52.0, 396.0
    places = legend_places(labels, inner, swatch=15.0, letter=_LETTER, gap=16.0)
    legend = 20.0 * (places[-1][1] + 1) + 34.0
    height = legend + row * len(columns) + 6.0
    chart = Chart(420, height, (12, 12, 0, 0), frame=False)
    # One unit of y is one pixel, counted from the top; the longest bar leaves room for its sum.
    chart.pixels(inner, height)
    scale = (inner - 62.0) / max(sums.values())
    chart.note(0, 12, unit, "muted", size=11)
    chart.legend(labels, places, _SEGMENTS, 32.0, 15.0)
    said = []
    for r, (title, ledger) in enumerate(columns.items()):
        y = legend + row * r
        chart.note(0, y + 8, title, weight="bold")
        stop = chart.stack(y + 18, 18, [*ledger.values()], _SEGMENTS, scale)
        chart.note(stop, y + 27, number(sums[title]), dx=6, va="center_baseline")
        inside = ", ".join(f"{label} {number(value)}" for label, value in ledger.items())
        said.append(f"{title}: {inside}; in all {number(sums[title])}")
    return chart, f"Stacked bars in {unit}. {'. '.join(said)}."
