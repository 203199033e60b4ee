"""Which choices of two powers lie in the region of consistent powers, slice by slice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import SupportsFloat

import numpy as np

from sublinear_lib.plotting.chart import INK, Chart, Drawing, picture
from sublinear_lib.plotting.formats import number


@picture
def power_map_picture(
    slices: Mapping[str, Sequence[Sequence[SupportsFloat]]],
    choices: Mapping[str, Mapping[str, tuple[float, float]]],
) -> Drawing:
    """Draw slices of the region by their corners (alpha, beta), with named choices, on one scale.

    The region is `sublinear_lib.theory.CONSISTENT` (Theorems 4.1, 4.3 and 4.4).
    """
    charts, told = [], []
    for title, rows in slices.items():
        corners = np.array([[float(value) for value in row] for row in rows])
        names = "output weights *m*^{−*α*}: power *α*", "ball *Km*^{−*β*}: power *β*"
        chart = Chart(310, 250, (40, 30, 20, 46), *names)
        chart.x(0.0, 0.5, values=[0.0, 0.2, 0.4])
        chart.y(0.5, 1.0, values=[0.6, 0.8, 1.0])
        chart.axes.fill(*corners.T, color=INK["c3"], alpha=0.25, linewidth=0)
        chart.line(*np.vstack([corners, corners[:1]]).T, "c3", 1.5)
        chart.corner(title, at=(1.0, 0.93), ha="right", weight="bold")
        for label, (alpha, beta) in choices[title].items():
            chart.dots(alpha, beta, "c2", 7, clip_on=False)
            side = {"dy": -22, "ha": "right"} if alpha >= 0.3 else {"dx": 9}
            chart.note(alpha, beta, label, "c2", **side)
            told.append(f"{label} at {number(alpha)}, {number(beta)}")
        charts.append(chart)
    return charts, (
        f"{len(charts)} maps of the powers α and β, each with the shaded region in which Theorems "
        f"4.1, 4.3 and 4.4 hold: {', '.join(slices)}. The choices: {'; '.join(told)}."
    )
