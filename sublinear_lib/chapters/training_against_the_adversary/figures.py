"""What training achieves: accuracy against the share of neurons that fire."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sublinear_lib.plotting.chart import Chart, Drawing, Rows, by_first, colored, extent, picture
from sublinear_lib.plotting.formats import percent

_APART = 1.06


@picture
def accuracy_against_activity(
    panels: Mapping[str, Mapping[str, Rows]], *, lowest: float
) -> Drawing:
    """Draw accuracies against the share of neurons that fire, as (share, mean, lower, upper).

    A label has the same color in every panel; what lies below `lowest` is cut off.
    """
    tables = {title: by_first(curves, 4) for title, curves in panels.items()}
    every = {label: rows for curves in tables.values() for label, rows in curves.items()}
    roles = {label: role for role, label, _ in colored(every)}
    shares = [rows[:, 0] for curves in tables.values() for rows in curves.values()]
    (left, right), edge = extent(*shares), _APART ** len(roles)
    marks = sorted({round(float(v), 6) for v in np.concatenate(shares)})
    marks = marks if len(marks) < 5 else marks[::2]
    charts, said = [], []
    for title, curves in tables.items():
        names = {"xlabel": "active at the start", "ylabel": "accuracy"}
        chart = Chart(300, 270, (50, 84, 38, 46), title=title, rise=38, **names)
        chart.x(left / edge, right * edge, scale="log10", values=marks, label=percent)
        chart.y(lowest, 1.0, label=percent)
        parts = []
        for place, (label, rows) in enumerate(curves.items()):
            share, mean, lower, upper = np.clip(rows.T, 0.0, 1.0)
            role = roles[label]
            # Side by side, where the intervals of several curves would hide each other.
            at = share * _APART ** (place - (len(curves) - 1) / 2)
            chart.line(at, np.maximum(mean, lowest), role, 1.8, label)
            seen, inside = upper > lowest, mean >= lowest
            chart.bars(at[seen], np.maximum(lower[seen], lowest), upper[seen], role, 1.4)
            chart.dots(at[inside], mean[inside], role, 5.5, 1.1, clip_on=False, zorder=4)
            parts.append(
                f"{label} {percent(mean[0])} at {percent(share[0])} activity and "
                f"{percent(mean[-1])} at {percent(share[-1])}"
            )
        charts.append(chart)
        said.append(f"{title}: {'; '.join(parts)}")
    return charts, f"Accuracy against the share of active neurons. {'. '.join(said)}."
