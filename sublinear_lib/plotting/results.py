"""What results draw of themselves: a training run (`History.plot`), a report (`Report.plot`).

Between the certified share and the share that nothing has broken lies the robust accuracy of
Definition 3.4 on the rows at hand.  Both curves are steps: a proof at one radius covers the smaller
ones, a wrong point the larger ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.chart import Chart, Drawing, ends, extent, picture
from sublinear_lib.plotting.formats import grouped, number, percent

_KINDS = (("clean", "ink"), ("attacked", "c4"), ("certified", "c3"))


@picture
def training_run(
    t: FloatArray, attacked: FloatArray, clean: FloatArray, share: FloatArray
) -> Drawing:
    """Draw the losses at attacked and clean points, and the share that fires, over the steps t."""
    charts = []
    for ylabel, series, write in (
        ("training loss", {"attacked": attacked, "clean": clean}, None),
        ("share of neurons that fire", {"active": share}, percent),
    ):
        chart = Chart(300, 250, (46, 66, 14, 46), xlabel="step", ylabel=ylabel)
        chart.x(t[0], t[-1], target=4)
        chart.y(0.0, 1.06 * extent(*series.values())[1] or 1.0, label=write)
        for role, (label, values) in zip(("c1", "c2"), series.items(), strict=False):
            chart.line(t, values, role, 2, label, clip_on=False)
        charts.append(chart)
    return charts, (
        f"Two plots over {grouped(round(t[-1]))} steps. First, the loss at attacked points "
        f"goes from {ends(attacked)}, that at clean points from {ends(clean)}. Then the share of "
        f"neurons that fire goes from {ends(share, percent)}."
    )


def proof_steps(
    radii: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return radii, certified and possible shares as steps.

    A proof reaches down to the radius before it, a wrong point up to the one after it.
    """
    lower = np.concatenate([[low[0]], np.repeat(low[1:], 2), [low[-1]]])
    upper = np.concatenate([[high[0]], np.repeat(high[:-1], 2), [high[-1]]])
    return np.repeat(radii, 2), lower, upper


@picture
def promise_picture(
    title: str,
    radii: FloatArray,
    low: FloatArray,
    high: FloatArray,
    rho: float,
    intervals: Sequence[tuple[float, float, float]],
) -> Drawing:
    """Draw certified and possible shares against the radius of the caps, from 0 on.

    The intervals (share, lower, upper) for clean, attacked and certified stand at 0 or at rho.
    """
    chart = Chart(310, 290, (46, 22, 34, 46), "radius of the cap", title=title, rise=20, indent=0)
    right = float(radii[-1])
    chart.x(0.0, right, target=4)
    chart.y(0.0, 1.0, values=[0.0, 0.25, 0.5, 0.75, 1.0], label=percent)
    grid, lower, upper = proof_steps(radii, low, high)
    chart.band(grid, 0.0, lower, "c3", 0.22)
    chart.band(grid, lower, upper, "muted", 0.22)
    chart.line(grid, lower, "c3", 2, clip_on=False)
    chart.line(grid, upper, "c4", 2, clip_on=False)
    chart.bars(rho, 0.0, 1.0, "muted", 1, linestyles=(0, (2, 2)))
    chart.note(rho, 0.0, "*ρ*", "muted", dx=5, dy=9)
    shift, said = 0.012 * right, []
    places = (shift, rho + shift, rho - shift)
    for place, (share, bottom, top), (kind, role) in zip(places, intervals, _KINDS, strict=True):
        chart.bars(place, bottom, top, role, 1.6, clip_on=False)
        chart.dots(place, share, role, 5.5, clip_on=False)
        said.append(f"{kind} {percent(share)} ({percent(bottom)} to {percent(top)})")
    chart.note(0.05 * right, 0.32, "proved right", "c3", weight="bold")
    chart.note(0.05 * right, 0.23, "below the upper line: possible", "c4", size=11)
    chart.note(0.05 * right, 0.15, "between the lines: open", "muted", size=11)
    return chart, (
        f"Shares of held-out rows against the radius of the caps, with the shares at 0 and at "
        f"{number(rho)} and their intervals. {title}: {', '.join(said)}; at radius {number(right)} "
        f"certified {percent(low[-1])} and not broken {percent(high[-1])}."
    )
