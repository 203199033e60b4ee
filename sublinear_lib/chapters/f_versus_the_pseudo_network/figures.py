"""f beside its linearization g: what one neuron adds to f - g, and f on a way through the ball.

A curve is cut wherever neighboring values differ by more than a tenth of the panel, so the grid of
moves has to be finer than that.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.chart import Chart, Curves, Drawing, arrays, colored, extent, picture
from sublinear_lib.plotting.formats import Numbers, number
from sublinear_lib.plotting.palette import FAINT, roles_of

_CUT = 0.1
_NOTHING = 1e-9


def _in_radii(value: float) -> str:
    whole = number(value)
    return {"0": "0", "1": "*δ*", "\N{MINUS SIGN}1": "\N{MINUS SIGN}*δ*"}.get(whole, f"{whole}*δ*")


@picture
def worst_terms_picture(
    moves: Numbers, shares: Mapping[str, Curves], reaches: Mapping[str, Numbers]
) -> Drawing:
    """Draw what single neurons add to f - g as functions of their moves, and all their reaches.

    Moves and shares in units of delta, without the value at 0; in the last panel for each
    activation rows (s / delta, (U + V) / delta), one for each neuron (Proposition 1).
    """
    u = np.asarray(moves)
    panels = {title: arrays(curves, u.size) for title, curves in shares.items()}
    tables = arrays(reaches, None, 2)
    labels = list(dict.fromkeys(label for curves in panels.values() for label in curves))
    roles = dict(zip(labels, roles_of(labels), strict=True))
    low, high = extent(0.0, *(v for curves in panels.values() for v in curves.values()))
    room = 0.12 * (high - low) or 1.0
    charts, said = [], []
    for title, curves in panels.items():
        chart = _panel("move *u* of the neuron", title, low - room, high + room, 5)
        chart.level(0.0, "muted", 1.0)
        parts = []
        for label, values in curves.items():
            _share(chart, u, values, roles[label], _CUT * (high - low + 2.0 * room))
            ends = [
                f"{'largest' if values[place] > 0 else 'smallest'} value {number(values[place])} "
                f"at u = {number(u[place])}"
                for place in _ends(values)
            ]
            parts.append(f"{label}: {', '.join(ends) or 'zero throughout'}")
        chart.column(curves, roles)
        charts.append(chart)
        said.append(f"{title}: {'; '.join(parts)}")
    sums = "; ".join(
        f"{label} {number(rows[:, 1].sum())} over {len(rows)} neurons"
        for label, rows in tables.items()
    )
    return [*charts, _sums(tables)], (
        "What one neuron adds to f - g against its move u, in units of the radius delta. "
        f"{'. '.join(said)}. The last panel shows the reach of every neuron near the threshold "
        f"against its distance from it; the sums are: {sums}."
    )


def _ends(values: FloatArray) -> list[int]:
    """Return where a curve has its largest and smallest value, those of them that are not zero."""
    places = (int(np.argmax(values)), int(np.argmin(values)))
    return [place for place in places if abs(values[place]) > _NOTHING]


def _panel(xlabel: str, ylabel: str, low: float, high: float, target: int) -> Chart:
    chart = Chart(300, 290, (44, 18, 14, 46), xlabel=xlabel, ylabel=ylabel)
    chart.x(-1.12, 1.12, values=[-1.0, 0.0, 1.0], label=_in_radii)
    chart.y(low, high, target=target, label=_in_radii)
    return chart


def _share(chart: Chart, u: FloatArray, values: FloatArray, role: str, jump: float) -> None:
    """Draw what a neuron adds, cut where it jumps, with its largest and its smallest value."""
    cuts = np.flatnonzero(np.abs(np.diff(values)) > jump) + 1
    for piece in np.split(np.arange(u.size), cuts):
        chart.line(u[piece], values[piece], role, 2.0)
    for place in _ends(values):
        x, y = u[place], values[place]
        chart.dots(x, y, role, 8, 1.2, clip_on=False, zorder=4)
        side = {"dx": -10, "ha": "right"} if x > 0.5 else {"dx": 10, "ha": "left"}
        word, dy = ("sup", 2) if y > 0.0 else ("inf", -2)
        chart.note(x, y, word, role, dy=dy, weight="bold", **side)


def _sums(tables: Mapping[str, FloatArray]) -> Chart:
    high = 1.3 * max(rows[:, 1].max() for rows in tables.values()) or 1.0
    ylabel = "reach *U* + *V* of every neuron"
    chart = _panel("distance *s* from the threshold", ylabel, 0.0, high, 4)
    for place, (role, label, rows) in enumerate(colored(tables, ("c4", "c3"))):
        chart.bars(rows[:, 0], 0.0, rows[:, 1], role, 0.8, alpha=FAINT)
        chart.dots(rows[:, 0], rows[:, 1], role, 4.0, 0.0)
        text, at = f"{label}: sum {number(rows[:, 1].sum())}*δ*", (0.03, 0.97 - 0.085 * place)
        chart.corner(text, role, at=at, weight="bold", size=11)
    return chart


@picture
def way_picture(
    way: Numbers,
    curves: Curves,
    straight: tuple[str, Numbers],
    *,
    xlabel: str = "way, in units of the radius *δ*",
) -> Drawing:
    """Draw how the output changes along a way through the ball, in stairs, beside g, dashed.

    A value of the stairs holds until the next place (Proposition 2).
    """
    tables, (title, line) = arrays(curves, len(way)), straight
    low, high = extent(0.0, line, *tables.values())
    room = 0.06 * (high - low) or 1.0
    chart = Chart(420, 300, (52, 100, 16, 46), xlabel=xlabel, ylabel="change of the output")
    chart.x(0.0, way[-1])
    chart.y(low - (room if low < 0.0 else 0.0), high + room)
    for role, label, values in colored(tables, ("c1", "c3", "c4")):
        chart.line(way, values, role, 2.0, label, drawstyle="steps-post")
    chart.line(way, line, "ink", 1.6, title, linestyle=(0, (5, 3)))
    said = "; ".join(
        f"{label} reaches {number(values[-1])}, its largest single step is "
        f"{number(np.abs(np.diff(values)).max())}"
        for label, values in tables.items()
    )
    return chart, (
        f"Change of the output against {xlabel}. The dashed line of {title} reaches "
        f"{number(line[-1])}. {said}."
    )
