"""Good weights exist (Section B): arcs of neurons, the wave they add up to, polynomial steps.

Angles of arcs and fits come in radians and are drawn in degrees from -180 to 180.
"""

from __future__ import annotations

import math

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.chart import Chart, Curves, Drawing, arrays, colored, extent, picture
from sublinear_lib.plotting.formats import Numbers, degrees, grouped, number, whole
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.validation import float_array

_TURN = {"values": (-180, -90, 0, 90, 180), "label": whole}
_ROLES = ("c2", "c1", "c5")
_SHADE = 0.22


def _pieces(middle: float, half: float) -> list[tuple[float, float]]:
    """Return an arc in degrees, cut at 180 where it passes it."""
    if half >= math.pi:
        return [(-180.0, 180.0)]
    start = math.degrees(math.remainder(middle - half, 2.0 * math.pi))
    stop = start + math.degrees(2.0 * half)
    return [(start, stop)] if stop <= 180.0 else [(start, 180.0), (-180.0, stop - 360.0)]


@picture
def arcs_picture(
    arcs: Numbers, values: Numbers, angles: Numbers, target: Numbers, sums: Curves
) -> Drawing:
    """Draw neurons as arcs (middle, half-length), and sums over more of them beside a target.

    Thicker arcs add more, positive and negative values have colors of their own.
    """
    rows, shares = float_array(arcs, "arcs", shape=(None, 2)), np.asarray(values)
    aim, tables = np.asarray(target), arrays(sums, len(angles))
    charts = [_bars(rows, shares)]
    turn = np.degrees(angles)
    for title, table in tables.items():
        chart = Chart(300, 300, (40, 18, 14, 46), xlabel="angle of the input", ylabel=title)
        chart.x(-180.0, 180.0, **_TURN)
        chart.around(0.08, aim, *tables.values(), target=5, label=number)
        chart.line(turn, table, "c3", 1.4, drawstyle="steps-mid")
        chart.line(turn, aim, "ink", 1.6, dashes=(4, 2))
        charts.append(chart)
    away = "; ".join(
        f"{title}, at most {number(np.abs(table - aim).max())} from the target"
        for title, table in tables.items()
    )
    plus = int(np.count_nonzero(shares >= 0.0))
    return charts, (
        f"First panel: {grouped(len(rows))} neurons as bars over the angles at which they fire, "
        f"{plus} adding and {len(rows) - plus} subtracting. Then sums over all neurons as step "
        f"functions beside a dashed smooth target between {number(aim.min())} and "
        f"{number(aim.max())}: {away}."
    )


def _bars(arcs: FloatArray, values: FloatArray) -> Chart:
    chart = Chart(300, 300, (40, 18, 14, 46), "angle of the input", "neuron and its arc")
    chart.x(-180.0, 180.0, **_TURN)
    chart.y(0.0, len(arcs) + 1.0, target=4, label=whole)
    strength = np.abs(values) / (np.abs(values).max() or 1.0)
    for row, (arc, value, weight) in enumerate(zip(arcs, values, strength, strict=True), start=1):
        for start, stop in _pieces(*arc):
            role = "c1" if value >= 0.0 else "c2"
            chart.plateaus(row, start, stop, role, 1.0 + 5.0 * weight, alpha=0.75)
    return chart


@picture
def circle_fit_picture(angles: Numbers, curves: Curves, caps: Numbers, *, ylabel: str) -> Drawing:
    """Draw functions on the circle with caps (middle, half-angle, label) that they are to meet."""
    tables, wanted = arrays(curves, len(angles)), float_array(caps, "caps", shape=(None, 3))
    names = {"xlabel": "angle of the input, degrees", "ylabel": ylabel, "ylabel_rise": 26.0}
    chart = Chart(420, 250, (44, 18, 36, 46), **names)
    chart.x(-180.0, 180.0, **_TURN)
    low, high = chart.around(0.08, *tables.values(), wanted[:, 2])
    # One line above the plot for the names of the curves.
    chart.y(low, high + 0.05 * (high - low), target=5, label=number)
    for middle, half, label in wanted:
        for start, stop in _pieces(middle, half):
            chart.stretch(start, stop, "muted", 0.16)
            chart.plateaus(label, start, stop, "ink", 3.0, zorder=4)
    turn, across = np.degrees(angles), 0.0
    for role, label, table in colored(tables):
        chart.line(turn, table, role, 1.6)
        chart.corner(label, role, at=(across, 1.0), dy=11, weight="bold", size=11)
        across += (18.0 + 7.2 * len(to_plain(label))) / 358.0
    ends = "; ".join(
        f"{label} runs from {number(table.min())} to {number(table.max())}"
        for label, table in tables.items()
    )
    return chart, (
        f"Functions of the angle around the circle with {len(wanted)} shaded caps, where the "
        f"wanted labels {', '.join(map(number, wanted[:, 2]))} are drawn as short bars: {ends}."
    )


@picture
def step_picture(
    z: Numbers,
    steps: Curves,
    ends: tuple[float, float],
    eps: float,
    angles: Numbers,
    fits: Curves,
    caps: Numbers,
) -> Drawing:
    """Draw polynomial steps of an inner product, and the functions on the circle they build.

    The steps are to be within eps of 0 and 1 outside `ends` (Claim B.5); angles of fits and caps
    (angle, half-angle, label) are in degrees (Lemma B.4).
    """
    at, turn = np.asarray(z), np.asarray(angles)
    shown, built = arrays(steps, at.size), arrays(fits, turn.size)
    rows, (far, near) = float_array(caps, "caps", shape=(None, 3)), ends
    names = {**shown, **built}
    roles = {label: role for role, label, _ in colored(names, _ROLES)}
    said = "; ".join(
        f"{label}: at most {_largest(np.abs(values[at <= far]))} away from 0 for far points and "
        f"{_largest(np.abs(values[at >= near] - 1.0))} away from 1 for near ones"
        for label, values in shown.items()
    )
    fitted = []
    for label, values in built.items():
        errors = [
            np.abs(values[np.abs((turn - angle + 180.0) % 360.0 - 180.0) <= half] - y)
            for angle, half, y in rows
        ]
        fitted.append(f"{label}: {_largest(np.concatenate(errors))}")
    left = Chart(300, 290, (34, 16, 14, 46), xlabel="inner product *z*", ylabel="*q*(*z*)")
    low, high = extent(-eps, 1.0 + eps, *shown.values())
    room = 0.1 * (high - low)
    left.x(-1.0, 1.0, values=[-1.0, 0.0, 1.0], label=number)
    left.y(low - room, high + 3.6 * room, values=[0.0, 1.0], label=number)
    left.band([-1.0, far], -eps, eps, "c3", _SHADE)
    left.band([near, 1.0], 1.0 - eps, 1.0 + eps, "c3", _SHADE)
    for end in ends:
        left.upright(end, "muted", 1.0, linestyle=(0, (3, 3)))
    for label, values in shown.items():
        left.line(at, values, roles[label], 2.0)
    left.column(shown, roles)
    left.note(0.5 * (far - 1.0), -eps, "far", "muted", dy=-10, ha="center", size=11)
    left.note(near, 1.0 + eps, "near", "muted", dx=-4, dy=8, ha="right", size=11)
    look = {"xlabel": "angle of *x* on the circle", "ylabel": "*f*^{∗}(*x*)"}
    right = Chart(300, 290, (34, 16, 14, 46), **look)
    right.x(0.0, 360.0, values=[0.0, 90.0, 180.0, 270.0, 360.0], label=degrees)
    right.around(0.1, rows[:, 2], *built.values(), target=4, label=number)
    for angle, half, _ in rows:
        for middle in (angle - 360.0, angle, angle + 360.0):
            right.stretch(middle - half, middle + half, "c3", _SHADE)
    for label, values in built.items():
        right.line(turn, values, roles[label], 2.0)
    right.column([label for label in built if label not in shown], roles, 0.97, ha="right")
    right.dots(rows[:, 0], rows[:, 2], "ink", 8, 1.2, clip_on=False, zorder=4)
    return [left, right], (
        f"First panel: polynomials of the inner product z, to be within {number(eps)} of 0 up to "
        f"z = {number(far)} and of 1 from z = {number(near)} on. {said}. Second panel: "
        f"the functions that they build on the circle from {len(rows)} labeled points with caps; "
        f"the largest distance to a label inside its cap is {', '.join(fitted)}."
    )


def _largest(errors: FloatArray) -> str:
    """Write the largest error; where no point was given, nobody knows it."""
    return number(errors.max()) if errors.size else "unknown"
