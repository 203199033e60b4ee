"""How many neurons fire: the share against the width for every rule for tau (Lemma 4.5)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sublinear_lib.plotting.chart import Chart, Curves, Drawing, Rows, arrays, colored, picture
from sublinear_lib.plotting.checks import positive
from sublinear_lib.plotting.formats import Numbers, grouped, percent

_TICKS = [float(f"{digit}e{power}") for power in range(-6, 1) for digit in (1, 2, 5)] + [2.0]


@picture
def activity_against_m(
    widths: Numbers,
    curves: Curves,
    *,
    samples: Mapping[str, Rows] | None = None,
    bound: Numbers | None = None,
    bound_label: str = "printed bound",
) -> Drawing:
    """Draw the share of active neurons against the width, one curve for each rule for tau.

    Samples are rows (m, estimate, lower, upper).  A bound above 1 says nothing: that stretch is
    shaded.  A share m^{-c} is a straight line of slope -c.
    """
    m = np.asarray(widths, dtype=float)
    shares, points = arrays(curves, m.size), arrays(samples or {}, None, 4)
    limit = None if bound is None else positive(bound, "bound", (m.size,))
    if not set(points) <= set(shares):
        raise ValueError(f"samples must have labels of curves, got {[*points]} and {[*shares]}")
    low = min(
        *(positive(v, label, v.shape).min() for label, v in shares.items()),
        *(np.where(p[:, 2] > 0, p[:, 2], p[:, 1]).min() for p in points.values()),
        np.inf if limit is None else limit.min(),
    )
    high = 1.0 if limit is None else max(1.0, limit.max())
    chart = Chart(420, 330, (50, 112, 16, 46), xlabel="width *m*", ylabel="share of active neurons")
    chart.x(m[0] / 1.2, m[-1], scale="log2", target=4)
    marks = [v for v in _TICKS if low / 1.3 <= v <= high * 1.3]
    if len(marks) > 8:
        marks = [v for v in marks if f"{v:.0e}".startswith("1")]
    chart.y(low / 1.3, high * 1.3, scale="log10", label=percent, values=marks)
    alt = (
        f"Share of active neurons against the width m from {grouped(round(m[0]))} to "
        f"{grouped(round(m[-1]))}, both axes logarithmic. "
    )
    alt += "; ".join(
        f"{label}: {percent(v[0])} at the smallest and {percent(v[-1])} at the largest width"
        for label, v in shares.items()
    )
    alt += "."
    if limit is not None:
        chart.layer(1.0, high * 1.3, "muted", 0.12)
        text, place = "a bound up here says nothing", ("axes fraction", "data")
        look = {"dx": 6, "dy": 4, "size": 11, "va": "bottom", "outline": False}
        chart.note(0.0, 1.0, text, "muted", coordinates=place, **look)
        chart.line(m, limit, "ink", label=bound_label, dashes=(3, 2))
        alt += f" The {bound_label} runs from {percent(limit[0])} to {percent(limit[-1])}"
        alt += ", above 100 % everywhere." if limit.min() > 1 else "."
    for role, label, values in colored(shares):
        chart.line(m, values, role, label=label)
        if label in points:
            chart.intervals(points[label], role, size=5.5, clip=True, zorder=2.0)
    if points:
        alt += " Sampled networks are drawn as points with intervals."
    return chart, alt
