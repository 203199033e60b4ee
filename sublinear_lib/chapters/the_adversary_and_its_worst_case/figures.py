"""The adversary on the circle (d = 3): the cap, the sweep, the landscape of f, what attacks find.

A supremum that is not attained is a hollow point.  Angles come in radians, and are shown in degrees
from the clean point.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Arc, Circle, Polygon

from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import (
    ActivityArcs,
    AttackResult,
    CircleExtremes,
    CirclePieces,
    extremes_on_circle,
    pieces_on_circle,
)
from sublinear_lib.geometry import SLICE_RADIUS, cap_angle, directions
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting.chart import INK, Chart, Drawing, Rows, arrays, colored, extent, picture
from sublinear_lib.plotting.formats import Numbers, grouped, number, percent
from sublinear_lib.plotting.palette import FAINT
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.shapes import project
from sublinear_lib.plotting.style import LINE_HEIGHT, spread

_TURN = 2.0 * math.pi
_MOST_ARCS = 24
_AT_LEFT = ("axes fraction", "data")
# One color for an attack in every picture; c1 is the network.
_ATTACKS = ("c2", "c3", "c5", "ink", "c1")


@picture
def cap_picture(rho: float) -> Drawing:
    """Draw one cap: on the sphere X of d = 4, and in section, where its angle can be read off."""
    alpha = cap_angle(rho)
    return [_cap_on_sphere(alpha), _cap_in_section(alpha)], (
        "A cap, drawn twice. First, on a sphere: the points within a straight distance "
        f"ρ = {number(rho)} of one point x. Then in section through the center of a "
        f"circle of radius {number(SLICE_RADIUS)}: the chord from x to the rim has length ρ, "
        "half of it is the side of a right triangle opposite the angle α/2, and so the cap "
        f"spans α = 2 arcsin(ρ/√3) = {number(math.degrees(alpha))} degrees to either side."
    )


def _blank() -> Chart:
    """Return a panel without axes that shows at least 1.12 in every direction, in equal units."""
    chart = Chart(300, 290, (8, 8, 8, 8), frame=False)
    unit = 2.0 * 1.12 / 274
    chart.axes.set(xlim=(-unit * 142, unit * 142), ylim=(-unit * 137, unit * 137))
    return chart


def _outline(axes: Axes) -> None:
    axes.add_patch(Circle((0, 0), 1.0, facecolor="none", edgecolor=INK["c1"], linewidth=2.0))


def _cap_on_sphere(alpha: float) -> Chart:
    towards = np.array([0.30, -0.62, 0.0])
    towards[2] = math.sqrt(1.0 - towards @ towards)
    side = np.cross(towards, [0.0, 0.0, 1.0])
    side /= np.linalg.norm(side)
    turn = np.linspace(0.0, _TURN, 145)[:, None]
    around = np.cos(turn) * side + np.sin(turn) * np.cross(side, towards)
    chart = _blank()
    chart.axes.add_patch(Circle((0, 0), 1.0, facecolor=INK["muted"], alpha=0.1, linewidth=0))
    _outline(chart.axes)
    flat, depth = project(np.concatenate((np.cos(turn), np.sin(turn), 0.0 * turn), axis=1))
    for hidden in (True, False):
        shown = np.where(((depth < 0) == hidden)[:, None], flat, np.nan)
        chart.line(*shown.T, "c1", 1.0, alpha=0.7, dashes=(2, 2) if hidden else (None, None))
    flat, _ = project(math.cos(alpha) * towards + math.sin(alpha) * around)
    chart.axes.add_patch(Polygon(flat, facecolor=INK["c2"], alpha=0.3, linewidth=0))
    chart.line(*flat.T, "c2", 2)
    (at,), _ = project(towards[None, :])
    _dot(chart, at[0], at[1], "c2")
    chart.note(*at, "*x*", dx=8, dy=2, outline=False)
    chart.note(-1.1, 1.03, "*X*, *d* = 4", "c1", outline=False)
    lowest = flat[int(flat[:, 1].argmin())]
    chart.line([lowest[0], 0.1], [lowest[1], -0.62], "c2", 1)
    chart.note(0.1, -0.70, "cap *B*_{2}(*x*, *ρ*)", ha="center", outline=False)
    return chart


def _cap_in_section(alpha: float) -> Chart:
    # x on top; the rim to the right.
    rim_x, rim_y = math.sin(alpha), math.cos(alpha)
    foot_x, foot_y = rim_x / 2, (rim_y + 1.0) / 2
    arc, degrees = np.linspace(-alpha, alpha, 97), math.degrees(alpha)
    chart = _blank()
    chart.axes.set_ylim(-1.03, chart.axes.get_ylim()[1] * 2 - 1.03)
    _outline(chart.axes)
    chart.line(np.sin(arc), np.cos(arc), "c2", 9, alpha=0.45)
    chart.line([0, 0], [0, 1], "muted", 1.2)
    chart.line([0, rim_x], [0, rim_y], "muted", 1.2)
    chart.line([0, rim_x], [1, rim_y], "c2", 2.2)
    chart.line([0, foot_x], [0, foot_y], "muted", 1.0, dashes=(3, 2))
    sector = Arc((0, 0), 0.6, 0.6, theta1=90 - degrees, theta2=90, color=INK["ink"])
    sector.set_linewidth(1.2)
    chart.axes.add_patch(sector)
    half_x, half_y = math.sin(alpha / 2), math.cos(alpha / 2)
    chart.note(0.40 * half_x, 0.40 * half_y, "*α*", ha="center")
    chart.note(foot_x, foot_y, "*ρ*", "c2", dx=-7 * half_x - 4, dy=-9, ha="center", weight="bold")
    chart.note(0, 0.5, "√3/2", "muted", dx=-5, ha="right", size=11)
    _dot(chart, 0.0, 1.0, "c2", 7)
    _dot(chart, 0.0, 0.0, "muted", 4)
    chart.note(0, 1, "*x*", "c2", dy=14, ha="center", outline=False)
    formulas = "sin(*α*/2) = (*ρ*/2) / (√3/2)\n*α* = 2 arcsin(*ρ*/√3)"
    chart.note(0.0, -0.32, formulas, ha="center", outline=False)
    return chart


def _dot(chart: Chart, x: float, y: float, role: str, size: float = 7.5) -> None:
    chart.dots(x, y, role, size, 1.0, zorder=5, clip_on=False)


def _degrees(angles: FloatArray | Sequence[float], middle: float) -> FloatArray:
    return np.degrees(np.asarray(angles) - middle)


def _broken(angles: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Interrupt a curve where it jumps: at repeated angles."""
    cuts = np.flatnonzero(np.diff(angles) == 0.0) + 1
    return np.insert(angles, cuts, np.nan), np.insert(values, cuts, np.nan)


@picture
def sweep_picture(
    pieces: CirclePieces, arcs: ActivityArcs, signs: Numbers, extremes: CircleExtremes
) -> Drawing:
    """Draw the sweep of a cap on the circle: arcs of activity, their ends, the pieces of f.

    The signs are those of the output weights of all neurons.
    """
    first, last = float(pieces.edges[0]), float(pieces.edges[-1])
    middle, half = 0.5 * (first + last), math.degrees(0.5 * (last - first))
    shown = _switching(arcs, first, last)
    row = max(7.0, min(14.0, 150.0 / len(shown)))
    top = max(20.0, row * len(shown))
    switches = _degrees(pieces.edges[1:-1], middle)
    upper = Chart(420, top + 276.0, (46, 16, 28, 248), frame=False)
    upper.axes.set(xlim=(-half, half), ylim=(len(shown) - 0.5, -0.5))
    for place, (neuron, parts) in enumerate(shown):
        role = "c1" if signs[neuron] > 0 else "c2"
        for part in parts:
            stretch = _degrees(part, middle)
            upper.line(stretch, [place, place], role, 0.55 * row, solid_capstyle="butt")
    upper.bars(switches, -0.5, len(shown) - 0.5, "muted", 0.8, alpha=0.7)
    upper.corner("*a* > 0", "c1", dy=12, weight="bold")
    upper.corner("*a* < 0", "c2", dx=52, dy=12, weight="bold")
    upper.corner("bars: where a neuron fires", "muted", dx=106, dy=12, size=11)
    margins, xlabel = (46, 16, top + 40.0, 46), "angle from *x*, degrees"
    lower = Chart(margins=margins, on=upper.figure, xlabel=xlabel, ylabel="*f*")
    angles, values = pieces.curve(20_000)
    lower.x(-half, half, target=6)
    low, high = lower.around(0.14, values)
    lower.bars(switches, low, high, "muted", 0.8, alpha=0.7)
    lower.line(*_broken(_degrees(angles, middle), values), "ink", 2.2)
    for which in ("sup", "inf"):
        value, offset, attained = _extreme(lower, extremes, middle, which)
        side = {"dx": -10, "ha": "right"} if offset > 0 else {"dx": 10, "ha": "left"}
        text, dy = which if attained else f"{which}, not attained", 8 if which == "sup" else -8
        lower.note(offset, value, text, "c4", dy=dy, weight="bold", **side)
    return lower, (
        f"Two plots over a cap of {number(half)} degrees to either side of x. Above, {len(shown)} "
        f"bars: the arcs on which neurons fire. Below, the network f, in {pieces.waves.shape[1]} "
        f"smooth pieces between the {switches.size} ends of these arcs, with {_breaks(pieces)}. "
        f"{_said(extremes, 'supremum')} {_said(extremes, 'infimum')}"
    )


def _switching(
    arcs: ActivityArcs, first: float, last: float
) -> list[tuple[int, list[tuple[float, float]]]]:
    """Return the neurons that switch in a cap, with their arcs cut to it, in order."""
    shown, middle = [], 0.5 * (first + last)
    for neuron, center, reach in zip(arcs.neurons, arcs.center, arcs.half, strict=True):
        # Copies of the arc one turn apart.
        near = center + _TURN * np.round((middle - center) / _TURN)
        parts = [
            (max(first, near + turn - reach), min(last, near + turn + reach))
            for turn in (-_TURN, 0.0, _TURN)
        ]
        parts = [(start, stop) for start, stop in parts if start < stop]
        if parts and parts != [(first, last)]:
            shown.append((int(neuron), parts))
    if not 1 <= len(shown) <= _MOST_ARCS:
        raise ValueError(f"there must be 1 to {_MOST_ARCS} neurons that switch, got {len(shown)}")
    return sorted(shown, key=lambda row: row[1][0])


def _breaks(pieces: CirclePieces) -> str:
    """Say where f jumps from one piece to the next: a continuous activation only bends it."""
    heights = np.abs(pieces.low[1:] - pieces.high[:-1])
    jumps = int(np.count_nonzero(heights > 1e-9 * float(np.abs(pieces.low).max())))
    if jumps == heights.size:
        return "a jump at each"
    return "a kink at each" if jumps == 0 else f"a jump at {jumps} of them"


def _extreme(
    chart: Chart, extremes: CircleExtremes, middle: float, which: str
) -> tuple[float, float, bool]:
    """Mark an extreme, hollow if it is not attained; return it, its angle and whether it is."""
    value, angle = getattr(extremes, which), getattr(extremes, f"angle_{which}")
    attained: bool = getattr(extremes, f"{which}_attained")
    offset = math.degrees(math.remainder(angle - middle, _TURN))
    look = {"zorder": 5, "clip_on": False}
    chart.dots(offset, value, "c4", 8.5, 1.0 if attained else 2.0, hollow=not attained, **look)
    return value, offset, attained


def _said(extremes: CircleExtremes, which: str) -> str:
    attained = getattr(extremes, f"{which[:3]}_attained")
    end = "attained." if attained else "approached at a jump but not attained."
    return f"The {which} over the cap is {number(getattr(extremes, which[:3]))} and is {end}"


@picture
def landscape_picture(
    network: TwoLayerNetwork, x: Numbers, rho: float, found: Mapping[str, AttackResult]
) -> Drawing:
    """Draw f over one cap of the circle, its exact supremum, and what attacks found of it.

    The share of an attack is that of sup f - f(x), x being the middle of the cap, shape (1, 3).
    """
    half = cap_angle(rho)
    (extremes,) = extremes_on_circle(network, x, rho)
    middle = _angle(np.asarray(x))
    cap = pieces_on_circle(network, middle, half)
    ended = {}
    for label, one in found.items():
        offset = math.remainder(_angle(one.X) - middle, _TURN)
        if abs(offset) > half + 1e-6:
            raise ValueError(f"{label!r} ended outside the cap, {offset!r} from its middle")
        value, clean = float(one.value[0]), float(one.clean_value[0])
        gain = extremes.sup - clean
        share = percent(min(1.0, (value - clean) / gain) if gain > 0.0 else 1.0)
        ended[f"{label}: {share}"] = (math.degrees(offset), value)
    chart = Chart(420, 262, (52, 16, 10, 46), "angle from *x*, degrees", "*f*")
    angles, values = cap.curve(1200)
    chart.x(-math.degrees(half), math.degrees(half), target=6)
    chart.around(0.16, values, target=4)
    chart.level(extremes.sup, "c4", 1.2, dashes=(4, 3), zorder=1)
    crowded = cap.waves.shape[1] > 300
    at = _degrees(angles, middle)
    if not crowded:
        chart.line(at, values, "c1", 0.7, alpha=FAINT, zorder=2)
        at, values = _broken(at, values)
    chart.line(at, values, "c1", 1.0 if crowded else 1.6, zorder=2)
    chart.upright(0.0, "muted", 1.0, dashes=(2, 3), zorder=1)
    _extreme(chart, extremes, middle, "sup")
    look = {"coordinates": _AT_LEFT, "dx": 4, "dy": 10, "weight": "bold", "size": 11}
    chart.note(0.0, extremes.sup, "the worst value", "c4", **look)
    if ended:
        _attack_marks(chart, ended)
    told = "; ".join(
        f"{label} ends at {number(angle)} degrees with f = {number(value)}"
        for label, (angle, value) in ended.items()
    )
    return chart, (
        f"The network f over the cap of {number(math.degrees(half))} degrees to either side of "
        f"x, where {grouped(cap.neurons.size)} neurons switch. {_said(extremes, 'supremum')}"
        + (f" Shares of the rise: {told}." if told else "")
    )


def _angle(X: FloatArray) -> float:
    """Return the angle of the first of some points on the circle."""
    u, v = directions(X)[0]
    return math.atan2(float(v), float(u))


def _attack_marks(chart: Chart, ended: Mapping[str, tuple[float, float]]) -> None:
    """Mark where attacks ended and label them, one above the other where they would overlap."""
    axes, spots = chart.axes, list(ended.values())
    pixels = [axes.transData.transform(spot) for spot in spots]
    box = axes.get_window_extent()
    places = spread([p[1] - 16.0 for p in pixels], LINE_HEIGHT, box.y0 + 8.0, box.y1 - 8.0)
    # In one column beside all of them, so that no label covers the end of another attack.
    left = sum(x for x, _ in spots) > 0.0
    across = [float(p[0]) for p in pixels]
    column = min(across) - 20.0 if left else max(across) + 20.0
    for (role, label, (x, y)), pixel, place in zip(
        colored(ended, _ATTACKS), pixels, places, strict=True
    ):
        dx, dy = column - pixel[0], place - pixel[1]
        chart.lead((x, y), (dx, dy), role, 3.0)
        _dot(chart, x, y, role)
        side = {"dx": dx - 2.0, "ha": "right"} if left else {"dx": dx + 2.0, "ha": "left"}
        chart.note(x, y, label, role, dy=dy, weight="bold", **side)


@picture
def found_picture(groups: Sequence[str], found: Mapping[str, Rows]) -> Drawing:
    """Draw shares with intervals, in groups one below the other: rows (estimate, lower, upper)."""
    rows, xlabel = arrays(found, len(groups), 3), "share of the worst case found"
    step = 13.0 * len(rows) + 14.0
    height = step * len(groups)
    chart = Chart(420, height + 80.0, (112, 18, 30, 46), xlabel=xlabel)
    chart.axes.grid(visible=False)
    low, high = extent(*rows.values())
    low = 0.25 * math.floor(4.0 * low)
    chart.x(min(low, 0.75), max(1.0, high), label=percent, target=4)
    # One unit of y is one pixel.
    chart.axes.set_ylim(height, 0)
    chart.axes.yaxis.set_visible(False)
    chart.upright(1.0, "c4", 1.4, zorder=1)
    for g, title in enumerate(groups):
        if g:
            chart.level(step * g, "grid", 1, zorder=0)
        chart.note(0.0, step * (g + 0.5), title, coordinates=_AT_LEFT, dx=-108)
        for s, (role, _, values) in enumerate(colored(rows, _ATTACKS)):
            y, (estimate, start, stop) = step * g + 13.5 + 13.0 * s, values[g]
            chart.line([start, stop], [y, y], role, 2)
            _dot(chart, estimate, y, role, 7)
    place = 0.0
    for role, label, _ in colored(rows, _ATTACKS):
        chart.corner(label, role, dx=place - 30, dy=14, weight="bold")
        place += 7.6 * len(to_plain(label)) + 18.0
    said = []
    for g, title in enumerate(groups):
        inner = ", ".join(f"{label} {percent(values[g, 0])}" for label, values in rows.items())
        said.append(f"{title}: {inner}.")
    return chart, f"{xlabel}, with intervals. {' '.join(said)}"
