"""A net argument: a function on the circle, a net, and what the net can promise.

Between the points of a net cones stand on the values there (Definition A.4, the uniform step of
Theorem C.1).  All panels share one axis: the roof comes down while the function stands still.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sublinear_lib.plotting.chart import Chart, Curves, Drawing, arrays, extent, picture
from sublinear_lib.plotting.formats import Numbers, number
from sublinear_lib.plotting.richtext import to_sentence


@picture
def net_picture(
    angles: Numbers,
    truth: Numbers,
    nets: Mapping[str, tuple[Numbers, Numbers]],
    ceilings: Curves,
    *,
    ylabel: str,
) -> Drawing:
    """Draw a function on the circle, nets with its values there, and the bound that each gives.

    Angles go from -180 to 180 degrees; nets are angles and values, by the title of their panel.
    """
    phi, heights, roofs = np.asarray(angles), np.asarray(truth), arrays(ceilings, len(angles))
    if any((roof < heights * (1.0 - 1e-9)).any() for roof in roofs.values()):
        raise ValueError("a ceiling must be nowhere below the truth")
    high = 1.12 * extent(*roofs.values())[1] or 1.0
    charts, said = [], []
    for title, (places, values) in arrays(nets, 2, None).items():
        roof, few = roofs[title], places.size < 100
        chart = Chart(300, 240, (40, 18, 34, 46), "angle of the input on the circle", ylabel)
        turn = [-180, -90, 0, 90, 180]
        chart.x(-180.0, 180.0, values=turn, label=lambda value: f"{number(value)}°")
        chart.y(0.0, high, target=4, label=number)
        chart.band(phi, heights, roof, "c2", 0.18)
        chart.line(phi, roof, "c2", 1.25 if few else 0.75)
        chart.line(phi, heights, "c1", 2.0)
        if few:  # of many points, the teeth say where they are
            chart.dots(places, values, "c4", 4.5, 0.0, zorder=4)
        chart.corner(title, dx=-40, dy=32, weight="bold")
        look = {"ha": "center", "weight": "bold", "size": 11}
        text = f"the cones rise to {number(roof.max())}"
        chart.note(0.0, roof.max(), text, "c2", dy=9, **look)
        text = f"true, largest {number(heights.max())}"
        chart.note(0.0, heights.min(), text, "c1", dy=-9, **look)
        charts.append(chart)
        said.append(
            f"{title}: {places.size} points, where it is at most {number(values.max())}; the "
            f"cones on them rise to {number(roof.max())}"
        )
    return charts, (
        f"{to_sentence(ylabel)} around the circle of inputs: a curve between "
        f"{number(heights.min())} and {number(heights.max())}, with the bound that the "
        f"points of a net give. {'. '.join(said)}."
    )
