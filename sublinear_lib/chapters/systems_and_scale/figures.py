"""The roofline of a machine, and where computations stand under it."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sublinear_lib.plotting.chart import Chart, Drawing, colored, extent, picture
from sublinear_lib.plotting.formats import number


@picture
def roofline_chart(points: Mapping[str, float], *, peak: float, bandwidth: float) -> Drawing:
    """Draw a roofline, and computations under it by their intensity in operations per byte.

    The peak is in operations and the bandwidth in bytes per second.
    """
    ridge = peak / bandwidth
    low, high = extent(ridge, *points.values())
    low, high = low / 3.0, high * 4.0
    foot, decades = low / ridge / 1.5, [10.0**k for k in range(-6, 9)]
    names = {"xlabel": "operations per byte", "ylabel": "largest rate, share of the peak"}
    chart = Chart(420, 320, (58, 20, 16, 46), **names)
    chart.x(low, high, scale="log10", values=decades, label=number)
    chart.y(foot, 2.6, scale="log10", values=decades, label=number)
    chart.line([low, ridge, high], [low / ridge, 1.0, 1.0], "ink", 2)
    chart.line([ridge, ridge], [foot, 1.0], "muted", 1, dashes=(3, 2))
    chart.note(ridge, low / ridge, f"ridge {number(ridge)}", "muted", dx=5, dy=4, size=11)
    said = []
    for k, (role, label, intensity) in enumerate(colored(points)):
        rate = min(1.0, intensity / ridge)
        chart.dots(intensity, rate, role, 9, zorder=4)
        place = {"dx": 10, "dy": -4, "ha": "left"}
        if rate >= 1.0:
            right = intensity > math.sqrt(low * high)
            place = {"dx": 0, "dy": -16 if k % 2 else 16, "ha": "right" if right else "center"}
        chart.note(intensity, rate, label, role, weight="bold", **place)
        said.append(
            f"{label} at {number(intensity)} operations per byte reaches at most {number(rate)} "
            "of the peak"
        )
    return chart, (
        "Largest rate as a share of the peak against operations per byte, both axes logarithmic: "
        f"a rising line up to the ridge at {number(ridge)}, then level. {'; '.join(said)}."
    )
