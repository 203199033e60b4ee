"""Pictures of a report: what is proved, what is possible and what is known to be wrong, by radius.

Between the certified share and the share that nothing has broken lies the robust accuracy of
Definition 3.4 on the rows at hand; the band between the two is what nobody knows.  The numbers come
from :mod:`sublinear_lib.report`.  Before changing it, know that both curves are drawn as steps: a
proof at one radius covers the smaller ones, a wrong point the larger ones, and nothing is
interpolated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.chart import Chart, Drawing, picture
from sublinear_lib.plotting.checks import ascending, shares
from sublinear_lib.plotting.formats import number, percent
from sublinear_lib.validation import scalar

__all__ = ["promise_picture"]

_KEYS = ("radii", "certified", "possible", "rho", "intervals")
_KINDS = (("clean", "ink"), ("attacked", "c4"), ("certified", "c3"))


@picture
def promise_picture(runs: Mapping[str, Mapping[str, Any]]) -> Drawing:
    """Draw what a classifier promises against the radius of the caps, one panel for each.

    Every share stands with its interval at 0 (clean) or at rho.

    Here `runs`: for each of one to three panels, by its title in the house markup: ``radii``,
    ascending from 0, shape (k,), ``k >= 2``; ``certified`` and ``possible``, shares in [0, 1] at
    the radii, falling, the first at most the second; ``rho``, the radius of the report;
    ``intervals``, three triples (share, lower, upper) in [0, 1] for clean, attacked and certified.

    Raises TypeError, ValueError: if an entry is missing, or numbers do not have the shapes, ranges
    or order described.

    Source: Definition 3.4, for the loss that counts errors.
    """
    charts, said = [], []
    for title, run in runs.items():
        where = f"runs[{title!r}]"
        if not set(_KEYS) <= set(run):
            raise ValueError(f"{where} must have the entries {list(_KEYS)}, got {list(run)}")
        radii = ascending(run["radii"], f"{where} radii", 0.0)
        low = _falling(run["certified"], f"{where} certified", radii.size)
        high = _falling(run["possible"], f"{where} possible", radii.size)
        if radii[0] != 0.0:
            raise ValueError(f"{where} radii must ascend from 0, got {radii[0]}")
        if (low > high).any():
            raise ValueError(f"{where} certified must not exceed possible")
        rho = scalar(run["rho"], f"{where} rho", exclusive_minimum=0.0, maximum=float(radii[-1]))
        whiskers = shares(run["intervals"], f"{where} intervals", (3, 3))
        middle, lower, upper = whiskers.T
        if (lower > middle).any() or (middle > upper).any():
            raise ValueError(f"{where} intervals must be (share, lower, upper) in this order")
        charts.append(_panel(title, radii, low, high, rho, whiskers))
        parts = ", ".join(
            f"{kind} {percent(share)} ({percent(bottom)} to {percent(top)})"
            for (kind, _), (share, bottom, top) in zip(_KINDS, whiskers, strict=True)
        )
        said.append(
            f"{title}: {parts}; at radius {number(radii[-1])} certified {percent(low[-1])} and "
            f"not broken {percent(high[-1])}"
        )
    radii_said = " or ".join(dict.fromkeys(number(run["rho"]) for run in runs.values()))
    return charts, (
        f"Shares of held-out rows against the radius of the caps, with the shares at 0 and at "
        f"{radii_said} and their intervals. {'. '.join(said)}."
    )


def _falling(value: object, name: str, size: int) -> FloatArray:
    curve = shares(value, name, (size,))
    if (np.diff(curve) > 0).any():
        raise ValueError(f"{name} must be shares that do not rise")
    return curve


def _panel(
    title: str,
    radii: FloatArray,
    low: FloatArray,
    high: FloatArray,
    rho: float,
    whiskers: FloatArray,
) -> Chart:
    chart = Chart(310, 290, (46, 22, 34, 46), "radius of the cap", title=title, rise=20, indent=0)
    right = float(radii[-1])
    chart.x(0.0, right, target=4)
    chart.y(0.0, 1.0, values=[0.0, 0.25, 0.5, 0.75, 1.0], label=percent)
    # A proof reaches down to the radius before it, a wrong point up to the one after it.
    grid = np.repeat(radii, 2)
    lower = np.concatenate([[low[0]], np.repeat(low[1:], 2), [low[-1]]])
    upper = np.concatenate([[high[0]], np.repeat(high[:-1], 2), [high[-1]]])
    chart.band(grid, 0.0, lower, "c3", 0.22)
    chart.band(grid, lower, upper, "muted", 0.22)
    chart.line(grid, lower, "c3", 2, clip_on=False)
    chart.line(grid, upper, "c4", 2, clip_on=False)
    chart.bars(rho, 0.0, 1.0, "muted", 1, linestyles=(0, (2, 2)))
    chart.note(rho, 0.0, "*ρ*", "muted", dx=5, dy=9)
    shift = 0.012 * right
    places = (shift, rho + shift, rho - shift)
    for place, (share, bottom, top), (_, role) in zip(places, whiskers, _KINDS, strict=True):
        chart.bars(place, bottom, top, role, 1.6, clip_on=False)
        chart.dots(place, share, role, 5.5, clip_on=False)
    chart.note(0.05 * right, 0.32, "proved right", "c3", weight="bold")
    chart.note(0.05 * right, 0.23, "below the upper line: possible", "c4", size=11)
    chart.note(0.05 * right, 0.15, "between the lines: open", "muted", size=11)
    return chart
