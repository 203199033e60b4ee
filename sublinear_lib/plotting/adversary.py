"""Pictures of the adversary: the cap, the sweep, the landscape of f, attacks and brackets.

The cap ``B2(x, rho)`` of Definition 3.3 with its angle; on the circle (d = 3) the arcs on which
neurons are active, the pieces of f between their ends and the exact supremum, and what attacks find
of it; brackets of the worst case of Definition 3.4 closing around it; shares with intervals.
Numbers come from `sublinear_lib.adversary` and the caller.  A supremum that is not attained is
always a hollow point.  Angles are taken in radians and shown in degrees from the clean point.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
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
from sublinear_lib.plotting.checks import few
from sublinear_lib.plotting.formats import Numbers, grouped, number, percent
from sublinear_lib.plotting.network import project
from sublinear_lib.plotting.palette import FAINT, LIGHT, SERIES, Role, roles_of
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain, to_sentence
from sublinear_lib.plotting.style import (
    LINE_HEIGHT,
    EndLabel,
    figure,
    house_style,
    label_line_ends,
    note,
    panel,
    set_scale,
    spread,
)
from sublinear_lib.validation import boolean, choice, float_array, scalar

__all__ = [
    "brackets_picture",
    "cap_picture",
    "found_picture",
    "landscape_picture",
    "shares_picture",
    "sweep_picture",
]

Rows = Sequence[Sequence[float]] | FloatArray

_TURN = 2.0 * math.pi
_MOST_ARCS = 24
_AT_LEFT = ("axes fraction", "data")

# One color for an attack in every picture; c1 is the network.
_ATTACKS: tuple[Role, ...] = ("c2", "c3", "c5", "ink", "c1")


# ---- the cap -------------------------------------------------------------------------------------


def cap_picture(
    rho: float, *, name: str, caption: str | None = None, alt: str | None = None
) -> Picture:
    """Draw one cap: on the sphere X of d = 4, and in section, where its angle can be read off.

    Parameters
    ----------
    rho : float
        Radius of the cap, a chord length, ``0.2 <= rho <= 1.2``: smaller ones cannot be labeled,
        larger ones reach around the sphere.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        Two panels, side by side or one below the other.

    Raises
    ------
    TypeError, ValueError
        If `rho` is not a number in its range.

    Notes
    -----
    Source: Definition 3.3.
    """
    radius = scalar(rho, "rho", minimum=0.2, maximum=1.2)
    alpha = cap_angle(radius)
    if alt is None:
        alt = (
            "A cap, drawn twice. First, on a sphere: the points within a straight distance "
            f"ρ = {number(radius)} of one point x. Then in section through the center of a "
            f"circle of radius {number(SLICE_RADIUS)}: the chord from x to the rim has length ρ, "
            "half of it is the side of a right triangle opposite the angle α/2, and so the cap "
            f"spans α = 2 arcsin(ρ/√3) = {number(math.degrees(alpha))} degrees to either side."
        )
    return Picture(
        [_cap_on_sphere(alpha), _cap_in_section(alpha)], alt=alt, caption=caption, name=name
    )


def _cap_on_sphere(alpha: float) -> Figure:
    fig = figure(300, 290)
    towards = np.array([0.30, -0.62, 0.0])
    towards[2] = math.sqrt(1.0 - towards @ towards)
    side = np.cross(towards, [0.0, 0.0, 1.0])
    side /= np.linalg.norm(side)
    up = np.cross(side, towards)
    turn = np.linspace(0.0, _TURN, 145)[:, None]
    rim = math.cos(alpha) * towards + math.sin(alpha) * (np.cos(turn) * side + np.sin(turn) * up)
    equator = np.concatenate((np.cos(turn), np.sin(turn), 0.0 * turn), axis=1)
    with house_style():
        axes = panel(fig, left=8, right=8, top=8, bottom=8, frame=False)
        _square(axes, 284, 274, 1.12)
        axes.add_patch(Circle((0, 0), 1.0, facecolor=LIGHT["muted"], alpha=0.1, linewidth=0))
        axes.add_patch(Circle((0, 0), 1.0, facecolor="none", edgecolor=LIGHT["c1"], linewidth=2.0))
        flat, depth = project(equator)
        for hidden in (True, False):
            shown = np.where(((depth < 0) == hidden)[:, None], flat, np.nan)
            axes.plot(
                shown[:, 0],
                shown[:, 1],
                color=LIGHT["c1"],
                linewidth=1.0,
                alpha=0.7,
                dashes=(2, 2) if hidden else (None, None),
            )
        flat, _ = project(rim)
        axes.add_patch(Polygon(flat, facecolor=LIGHT["c2"], alpha=0.3, linewidth=0))
        axes.plot(flat[:, 0], flat[:, 1], color=LIGHT["c2"], linewidth=2)
        (at,), _ = project(towards[None, :])
        _dot(axes, float(at[0]), float(at[1]), "c2")
        note(axes, float(at[0]), float(at[1]), "*x*", dx=8, dy=2, outline=False)
        note(axes, -1.1, 1.03, "*X*, *d* = 4", role="c1", outline=False)
        lowest = flat[int(flat[:, 1].argmin())]
        axes.plot([lowest[0], 0.1], [lowest[1], -0.62], color=LIGHT["c2"], linewidth=1)
        note(axes, 0.1, -0.70, "cap *B*_{2}(*x*, *ρ*)", ha="center", outline=False)
    return fig


def _cap_in_section(alpha: float) -> Figure:
    fig = figure(300, 290)
    # x on top; the rim to the right.
    rim = np.array([math.sin(alpha), math.cos(alpha)])
    arc = np.linspace(-alpha, alpha, 97)
    with house_style():
        axes = panel(fig, left=8, right=8, top=8, bottom=8, frame=False)
        _square(axes, 284, 274, 1.12)
        axes.set_ylim(-1.03, axes.get_ylim()[1] * 2 - 1.03)
        axes.add_patch(Circle((0, 0), 1.0, facecolor="none", edgecolor=LIGHT["c1"], linewidth=2.0))
        axes.plot(np.sin(arc), np.cos(arc), color=LIGHT["c2"], linewidth=9, alpha=0.45)
        axes.plot([0, 0], [0, 1], color=LIGHT["muted"], linewidth=1.2)
        axes.plot([0, rim[0]], [0, rim[1]], color=LIGHT["muted"], linewidth=1.2)
        axes.plot([0, rim[0]], [1, rim[1]], color=LIGHT["c2"], linewidth=2.2)
        foot = np.array([rim[0], rim[1] + 1.0]) / 2
        axes.plot([0, foot[0]], [0, foot[1]], color=LIGHT["muted"], linewidth=1.0, dashes=(3, 2))
        degrees = math.degrees(alpha)
        axes.add_patch(
            Arc((0, 0), 0.6, 0.6, theta1=90 - degrees, theta2=90, color=LIGHT["ink"], linewidth=1.2)
        )
        beside = 0.40 * np.array([math.sin(alpha / 2), math.cos(alpha / 2)])
        note(axes, float(beside[0]), float(beside[1]), "*α*", ha="center", outline=True)
        note(
            axes,
            float(foot[0]),
            float(foot[1]),
            "*ρ*",
            role="c2",
            dx=-7 * math.sin(alpha / 2) - 4,
            dy=-9,
            ha="center",
            weight="bold",
        )
        note(axes, 0, 0.5, "√3/2", role="muted", dx=-5, ha="right", size=11)
        _dot(axes, 0.0, 1.0, "c2", 7)
        _dot(axes, 0.0, 0.0, "muted", 4)
        note(axes, 0, 1, "*x*", role="c2", dy=14, ha="center", outline=False)
        note(
            axes,
            0.0,
            -0.32,
            "sin(*α*/2) = (*ρ*/2) / (√3/2)\n*α* = 2 arcsin(*ρ*/√3)",
            ha="center",
            outline=False,
        )
    return fig


def _square(axes: Axes, width: float, height: float, reach: float) -> None:
    """Give axes equal units and show at least `reach` in every direction."""
    unit = 2.0 * reach / min(width, height)
    axes.set_xlim(-unit * width / 2, unit * width / 2)
    axes.set_ylim(-unit * height / 2, unit * height / 2)


def _dot(
    axes: Axes, x: float, y: float, role: Role, size: float = 7.5, *, filled: bool = True
) -> None:
    axes.plot(
        x,
        y,
        linestyle="none",
        marker="o",
        markersize=size,
        color=LIGHT[role],
        markerfacecolor=LIGHT[role if filled else "paper"],
        markeredgecolor=LIGHT["paper" if filled else role],
        markeredgewidth=1.0 if filled else 2.0,
        zorder=5,
        clip_on=False,
    )


# ---- the sweep -----------------------------------------------------------------------------------


def _degrees(angles: FloatArray | float, middle: float) -> FloatArray:
    return np.degrees(np.asarray(angles, dtype=np.float64) - middle)


def _broken(angles: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Interrupt a curve where it jumps: at repeated angles."""
    cuts = np.flatnonzero(np.diff(angles) == 0.0) + 1
    return np.insert(angles, cuts, np.nan), np.insert(values, cuts, np.nan)


def sweep_picture(
    pieces: CirclePieces,
    arcs: ActivityArcs,
    signs: Numbers,
    extremes: CircleExtremes,
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw the sweep of a cap on the circle: arcs of activity, their ends, the pieces of f.

    Parameters
    ----------
    pieces : CirclePieces
        The network on the cap.
    arcs : ActivityArcs
        Where its neurons are active.
    signs : array-like, shape (m,)
        The output weights; the sign gives the color.
    extremes : CircleExtremes
        The extremes over the same cap.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The figure.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type or shape, or more than 24 neurons switch or none does.

    Notes
    -----
    Source: Definitions 3.3 and 3.9 for d = 3.
    """
    a = float_array(signs, "signs", shape=(None,))
    first, last = float(pieces.edges[0]), float(pieces.edges[-1])
    middle, half = 0.5 * (first + last), 0.5 * (last - first)
    shown = []
    for neuron, center, reach in zip(arcs.neurons, arcs.center, arcs.half, strict=True):
        # Copies of the arc one turn apart, cut to the cap.
        near = center + _TURN * np.round((middle - center) / _TURN)
        parts = [
            (max(first, near + turn - reach), min(last, near + turn + reach))
            for turn in (-_TURN, 0.0, _TURN)
        ]
        parts = [(start, stop) for start, stop in parts if start < stop]
        if parts and not (len(parts) == 1 and parts[0] == (first, last)):
            shown.append((int(neuron), parts))
    if not 1 <= len(shown) <= _MOST_ARCS:
        raise ValueError(
            f"pieces must show 1 to {_MOST_ARCS} neurons that switch, got {len(shown)}"
        )
    if arcs.neurons.size and int(arcs.neurons.max()) >= a.size:
        raise ValueError(f"signs must have an entry for each neuron, got {a.size}")
    shown.sort(key=lambda row: row[1][0])

    row = max(7.0, min(14.0, 150.0 / len(shown)))
    top = max(20.0, row * len(shown))
    fig = figure(420, top + 276.0)
    switches = _degrees(pieces.edges[1:-1], middle)
    limits = (-math.degrees(half), math.degrees(half))
    with house_style():
        upper = panel(fig, left=46, right=16, top=28, bottom=248, frame=False)
        upper.set_xlim(*limits)
        upper.set_ylim(len(shown) - 0.5, -0.5)
        for place, (neuron, parts) in enumerate(shown):
            role: Role = "c1" if a[neuron] > 0 else "c2"
            for start, stop in parts:
                upper.plot(
                    _degrees(np.array([start, stop]), middle),
                    [place, place],
                    color=LIGHT[role],
                    linewidth=0.55 * row,
                    solid_capstyle="butt",
                )
        upper.vlines(
            switches, -0.5, len(shown) - 0.5, color=LIGHT["muted"], linewidth=0.8, alpha=0.7
        )
        note(upper, 0, 1, "*a* > 0", role="c1", coordinates="axes fraction", dy=12, weight="bold")
        note(
            upper, 0, 1, "*a* < 0", role="c2", coordinates="axes fraction", dx=52, dy=12,
            weight="bold",
        )  # fmt: skip
        note(
            upper, 0, 1, "bars: where a neuron fires", role="muted", coordinates="axes fraction",
            dx=106, dy=12, size=11,
        )  # fmt: skip
        lower = panel(
            fig,
            left=46,
            right=16,
            top=top + 40.0,
            bottom=46,
            xlabel="angle from *x*, degrees",
            ylabel="*f*",
        )
        angles, values = pieces.curve(20_000)
        low, high = float(values.min()), float(values.max())
        room = 0.14 * (high - low or 1.0)
        set_scale(lower, "x", *limits, target=6)
        set_scale(lower, "y", low - room, high + room)
        lower.vlines(
            switches, low - room, high + room, color=LIGHT["muted"], linewidth=0.8, alpha=0.7
        )
        x, y = _broken(_degrees(angles, middle), values)
        lower.plot(x, y, color=LIGHT["ink"], linewidth=2.2)
        _extreme(lower, extremes, middle, "sup", labeled=True)
        _extreme(lower, extremes, middle, "inf", labeled=True)
    if alt is None:
        alt = (
            f"Two plots over a cap of {number(math.degrees(half))} degrees to either side of x. "
            f"Above, {len(shown)} bars: the arcs on which neurons fire. Below, the network f, in "
            f"{pieces.waves.shape[1]} smooth pieces between the {switches.size} ends of these "
            f"arcs, with {_breaks(pieces)}. {_said(extremes)}"
        )
    return Picture(fig, alt=alt, caption=caption, name=name)


def _breaks(pieces: CirclePieces) -> str:
    """Say where f jumps from one piece to the next: a continuous activation only bends it."""
    heights = np.abs(pieces.low[1:] - pieces.high[:-1])
    jumps = int(np.count_nonzero(heights > 1e-9 * float(np.abs(pieces.low).max())))
    if jumps == heights.size:
        return "a jump at each"
    return "a kink at each" if jumps == 0 else f"a jump at {jumps} of them"


def _extreme(
    axes: Axes, extremes: CircleExtremes, middle: float, which: str, *, labeled: bool
) -> None:
    value = extremes.sup if which == "sup" else extremes.inf
    angle = extremes.angle_sup if which == "sup" else extremes.angle_inf
    attained = extremes.sup_attained if which == "sup" else extremes.inf_attained
    offset = math.remainder(angle - middle, _TURN)
    _dot(axes, math.degrees(offset), value, "c4", 8.5, filled=attained)
    if labeled:
        text = which if attained else f"{which}, not attained"
        left = offset > 0
        note(
            axes,
            math.degrees(offset),
            value,
            text,
            role="c4",
            dx=-10 if left else 10,
            dy=8 if which == "sup" else -8,
            ha="right" if left else "left",
            weight="bold",
        )


def _said(extremes: CircleExtremes, *wanted: str) -> str:
    words = []
    for which, value, attained in (
        ("supremum", extremes.sup, extremes.sup_attained),
        ("infimum", extremes.inf, extremes.inf_attained),
    ):
        if wanted and which not in wanted:
            continue
        words.append(
            f"The {which} over the cap is {number(value)} and is "
            + ("attained." if attained else "approached at a jump but not attained.")
        )
    return " ".join(words)


# ---- the landscape -------------------------------------------------------------------------------


def landscape_picture(
    network: TwoLayerNetwork,
    x: Numbers,
    rho: float,
    found: Mapping[str, AttackResult],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw f over one cap of the circle, its exact supremum, and what attacks found of it.

    Parameters
    ----------
    network : TwoLayerNetwork
        The network, ``d = 3``.
    x : array-like, shape (1, 3)
        The middle of the cap, on the slice.
    rho : float
        Radius of the cap, a chord length, ``0 < rho <= sqrt(3)``.
    found : mapping of str to AttackResult
        For each attack that raised f, by its label in the house markup: what it found.  At most
        four.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The figure; the share of an attack is that of ``sup f - f(x)``.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type or shape, there are more than four attacks, or one ended
        outside the cap.

    Notes
    -----
    Source: Definitions 3.3 and 3.4 for d = 3.
    """
    if len(found) > 4:
        raise ValueError(f"found must be at most 4 attacks, got {len(found)}")
    half = cap_angle(rho)
    (extremes,) = extremes_on_circle(network, x, rho)
    middle = _angle(float_array(x, "x", shape=(1, 3)))
    cap = pieces_on_circle(network, middle, half)
    ended, shares = {}, {}
    for label, one in found.items():
        offset = math.remainder(_angle(one.X) - middle, _TURN)
        if abs(offset) > half + 1e-6:
            raise ValueError(
                f"found[{label!r}] must end in the cap, within {half!r} of its middle, got an "
                f"angle {offset!r} from it"
            )
        value, clean = float(one.value[0]), float(one.clean_value[0])
        gain = extremes.sup - clean
        shares[label] = percent(min(1.0, (value - clean) / gain) if gain > 0.0 else 1.0)
        ended[f"{label}: {shares[label]}"] = (math.degrees(offset), value)

    fig = figure(420, 262)
    with house_style():
        axes = panel(
            fig, right=16, top=10, bottom=46, xlabel="angle from *x*, degrees", ylabel="*f*"
        )
        angles, values = cap.curve(1200)
        low, high = _roomy(float(values.min()), float(values.max()))
        set_scale(axes, "x", -math.degrees(half), math.degrees(half), target=6)
        set_scale(axes, "y", low, high, target=4)
        axes.axhline(extremes.sup, color=LIGHT["c4"], linewidth=1.2, dashes=(4, 3), zorder=1)
        crowded = cap.waves.shape[1] > 300
        x, y = _degrees(angles, middle), values
        if not crowded:
            axes.plot(x, y, color=LIGHT["c1"], linewidth=0.7, alpha=FAINT, zorder=2)
            x, y = _broken(x, y)
        axes.plot(x, y, color=LIGHT["c1"], linewidth=1.0 if crowded else 1.6, zorder=2)
        axes.axvline(0.0, color=LIGHT["muted"], linewidth=1.0, dashes=(2, 3), zorder=1)
        _extreme(axes, extremes, middle, "sup", labeled=False)
        note(
            axes,
            0.0,
            extremes.sup,
            "the worst value",
            role="c4",
            coordinates=("axes fraction", "data"),
            dx=4,
            dy=10,
            weight="bold",
            size=11,
        )
        if ended:
            _attack_marks(axes, ended)
    if alt is None:
        told = "; ".join(
            f"{to_plain(label)} ends at {number(angle)} degrees with f = {number(value)}"
            for label, (angle, value) in ended.items()
        )
        alt = (
            f"The network f over the cap of {number(math.degrees(half))} degrees to either side of "
            f"x, where {grouped(cap.neurons.size)} neurons switch. "
            f"{_said(extremes, 'supremum')}" + (f" Shares of the rise: {told}." if told else "")
        )
    return Picture(fig, alt=alt, caption=caption, name=name)


def _angle(X: FloatArray) -> float:
    """Return the angle of the first of some points on the circle."""
    u, v = directions(X)[0]
    return math.atan2(float(v), float(u))


def _roomy(low: float, high: float) -> tuple[float, float]:
    room = 0.16 * (high - low) or 1.0
    return low - room, high + room


def _attack_marks(axes: Axes, ended: Mapping[str, tuple[float, float]]) -> None:
    """Mark where attacks ended and label them, one above the other where they would overlap."""
    spots = list(ended.values())
    pixels = [axes.transData.transform(spot) for spot in spots]
    places = spread([float(p[1]) - 16.0 for p in pixels], LINE_HEIGHT, *_inner(axes))
    # In one column beside all of them, so that no label covers the end of another attack.
    left = sum(x for x, _ in spots) > 0.0
    across = [float(p[0]) for p in pixels]
    column = min(across) - 20.0 if left else max(across) + 20.0
    for (label, (x, y)), role, pixel, place in zip(
        ended.items(), _ATTACKS, pixels, places, strict=False
    ):
        dx, dy = column - float(pixel[0]), place - float(pixel[1])
        axes.annotate(
            "",
            xy=(x, y),
            xytext=(dx, dy),
            textcoords="offset points",
            arrowprops={
                "arrowstyle": "-",
                "color": LIGHT[role],
                "linewidth": 1.0,
                "shrinkA": 0.0,
                "shrinkB": 3.0,
            },
        )
        _dot(axes, x, y, role, 7.5)
        note(
            axes,
            x,
            y,
            label,
            role=role,
            dx=dx - 2.0 if left else dx + 2.0,
            dy=dy,
            ha="right" if left else "left",
            weight="bold",
        )


def _inner(axes: Axes) -> tuple[float, float]:
    box = axes.get_window_extent()
    return float(box.y0) + 8.0, float(box.y1) - 8.0


# ---- brackets ------------------------------------------------------------------------------------


def brackets_picture(
    panels: Mapping[str, Mapping[str, Sequence[float]]],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw brackets of the worst case, in units of the true one.

    Parameters
    ----------
    panels : mapping of str to mapping of str to pair of float
        For each problem, by its title in the house markup: for each method, by its label, the lower
        and the upper bound of the supremum on the scale on which f at the clean point is 0 and the
        supremum is 1.  One to four problems, one to eight methods each.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The figure, the problems one below the other.

    Raises
    ------
    ValueError
        If there are too few or too many problems or methods, or a bracket does not hold 1.

    Notes
    -----
    Source: Definition 3.4.
    """
    few(panels, "panels", 4, "problems")
    checked: dict[str, dict[str, tuple[float, float]]] = {}
    for title, methods in panels.items():
        few(methods, f"panels[{title!r}]", 8, "methods")
        checked[title] = {}
        for label, pair in methods.items():
            low, high = float_array(pair, f"panels[{title!r}][{label!r}]", shape=(2,)).tolist()
            if not low <= 1.0 + 1e-6 or not high >= 1.0 - 1e-6:
                raise ValueError(
                    f"panels[{title!r}][{label!r}] must hold 1, the supremum, got [{low}, {high}]"
                )
            checked[title][label] = (low, high)
    row, gap = 24.0, 40.0
    height = sum(gap + row * len(brackets) for brackets in checked.values())
    widest = max(high for brackets in checked.values() for _, high in brackets.values())
    lowest = min(low for brackets in checked.values() for low, _ in brackets.values())
    fig = figure(420, height + 58.0)
    with house_style():
        axes = panel(fig, left=96, right=40, top=4, bottom=54, xlabel="rise of *f*, worst case = 1")
        axes.grid(visible=False)
        set_scale(axes, "x", min(0.0, 1.05 * lowest), max(1.3, 1.04 * widest), target=5)
        # One unit of y is one pixel, counted from the top.
        axes.set_ylim(height, 0)
        axes.yaxis.set_visible(False)
        top = 0.0
        for title, brackets in checked.items():
            note(axes, 0.0, top + 22, title, coordinates=_AT_LEFT, dx=-92, weight="bold")
            first = top + gap
            top = first + row * len(brackets)
            axes.vlines(1.0, first - 8, top - 8, color=LIGHT["c4"], linewidth=1.6, zorder=1)
            for place, (label, (low, high)) in enumerate(brackets.items()):
                y = first + row * place + 4
                axes.plot(
                    [low, high],
                    [y, y],
                    color=LIGHT["c1"],
                    linewidth=7,
                    alpha=0.45,
                    solid_capstyle="butt",
                )
                axes.vlines([low, high], y - 6, y + 6, color=LIGHT["c1"], linewidth=2)
                note(axes, 0.0, y, label, coordinates=_AT_LEFT, dx=-92, size=11)
                note(axes, high, y, number(high), role="c1", dx=6, size=11)
    if alt is None:
        parts = []
        for title, brackets in checked.items():
            inner = "; ".join(
                f"{to_plain(label)} from {number(low)} to {number(high)}"
                for label, (low, high) in brackets.items()
            )
            parts.append(f"{to_plain(title)}: {inner}.")
        alt = (
            "Brackets of the supremum of f over a cap, on the scale on which f at the clean point "
            "is 0 and the supremum is 1. " + " ".join(parts)
        )
    return Picture(fig, alt=alt, caption=caption, name=name)


# ---- shares --------------------------------------------------------------------------------------


def found_picture(
    groups: Sequence[str],
    found: Mapping[str, Rows],
    *,
    xlabel: str = "share of the worst case found",
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw shares with intervals, in groups one below the other.

    Parameters
    ----------
    groups : sequence of str, length k
        Titles of the groups, in the house markup, 1 to 10.
    found : mapping of str to array-like, shape (k, 3)
        For each method, by its label: rows ``(estimate, lower, upper)``, one for each group.  At
        most five methods.
    xlabel : str
        What is shared.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The figure.

    Raises
    ------
    ValueError
        If there are too few or too many groups or methods, shapes do not match, or a row is not
        ``lower <= estimate <= upper``.
    """
    k = len(groups)
    if not 1 <= k <= 10:
        raise ValueError(f"groups must be 1 to 10, got {k}")
    few(found, "found", len(_ATTACKS), "methods")
    rows = {label: _intervals(value, f"found[{label!r}]", k) for label, value in found.items()}
    step = 13.0 * len(rows) + 14.0
    fig = figure(420, step * k + 80.0)
    with house_style():
        axes = panel(fig, left=112, right=18, top=30, bottom=46, xlabel=xlabel)
        axes.grid(visible=False)
        low = 0.25 * math.floor(4.0 * min(float(each[:, 1].min()) for each in rows.values()))
        high = max(1.0, *(float(each[:, 2].max()) for each in rows.values()))
        set_scale(axes, "x", min(low, 0.75), high, label=percent, target=4)
        # One unit of y is one pixel.
        axes.set_ylim(step * k, 0)
        axes.yaxis.set_visible(False)
        axes.axvline(1.0, color=LIGHT["c4"], linewidth=1.4, zorder=1)
        for g, title in enumerate(groups):
            if g:
                axes.axhline(step * g, color=LIGHT["grid"], linewidth=1, zorder=0)
            note(
                axes, 0.0, step * (g + 0.5), title, coordinates=_AT_LEFT, dx=-108,
            )  # fmt: skip
            for s, (role, values) in enumerate(zip(_ATTACKS, rows.values(), strict=False)):
                y = step * g + 13.5 + 13.0 * s
                estimate, start, stop = values[g].tolist()
                axes.plot([start, stop], [y, y], color=LIGHT[role], linewidth=2)
                _dot(axes, estimate, y, role, 7)
        place = 0.0
        for role, label in zip(_ATTACKS, rows, strict=False):
            note(
                axes, 0, 1, label, role=role, coordinates="axes fraction", dx=place - 30, dy=14,
                weight="bold",
            )  # fmt: skip
            place += 7.6 * len(to_plain(label)) + 18.0
    if alt is None:
        parts = []
        for g, title in enumerate(groups):
            inner = ", ".join(
                f"{to_plain(label)} {percent(float(values[g, 0]))}"
                for label, values in rows.items()
            )
            parts.append(f"{to_plain(title)}: {inner}.")
        alt = f"{to_plain(xlabel)}, with intervals. {' '.join(parts)}"
    return Picture(fig, alt=alt, caption=caption, name=name)


def _intervals(value: object, name: str, length: int) -> FloatArray:
    rows = float_array(value, name, shape=(length, 3))
    wrong = ~((rows[:, 1] <= rows[:, 0]) & (rows[:, 0] <= rows[:, 2]))
    if wrong.any():
        row = rows[int(np.argmax(wrong))]
        raise ValueError(
            f"{name} must hold rows (estimate, lower, upper) in order, got {row.tolist()}"
        )
    return rows


def shares_picture(
    samples: Mapping[str, Rows],
    *,
    curves: Mapping[str, tuple[Numbers, Numbers]] | None = None,
    level: tuple[float, str] | None = None,
    xlabel: str,
    ylabel: str,
    scale: str = "linear",
    top: float = 1.0,
    joined: bool = False,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw shares against a number, measured ones with intervals, predicted ones as curves.

    Parameters
    ----------
    samples : mapping of str to array-like, shape (j, 4)
        By label in the house markup: rows ``(x, estimate, lower, upper)``.
    curves : mapping of str to pair of array-like, optional
        For some of the same labels, or others: x and y of a curve.  Both together have at most
        five labels.
    level : pair of float and str, optional
        A level line and its label.
    xlabel, ylabel : str
        Labels of the axes.
    scale : {"linear", "log10", "log2"}
        Scale of the x axis.
    top : float, default 1
        Upper end of the y axis, ``> 0``.
    joined : bool, default False
        Whether the samples of a label are joined by thin lines.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The figure.

    Raises
    ------
    TypeError, ValueError
        If shapes do not match, there is no label or more than five, a scale is unknown, or an x is
        not positive on a logarithmic one.
    """
    labels = [*samples, *(label for label in curves or {} if label not in samples)]
    if not 1 <= len(labels) <= len(SERIES):
        raise ValueError(f"samples and curves must have 1 to {len(SERIES)} labels, got {labels}")
    scale = choice(scale, "scale", ("linear", "log10", "log2"))
    high = scalar(top, "top", exclusive_minimum=0.0)
    join = boolean(joined, "joined")
    rows = {
        label: float_array(value, f"samples[{label!r}]", shape=(None, 4))
        for label, value in samples.items()
    }
    lines = {}
    for label, (x, y) in (curves or {}).items():
        first = float_array(x, f"curves[{label!r}] x", shape=(None,))
        lines[label] = (first, float_array(y, f"curves[{label!r}] y", shape=(first.size,)))
    everything = np.concatenate(
        [each[:, 0] for each in rows.values()] + [x for x, _ in lines.values()]
    )
    start, stop = float(everything.min()), float(everything.max())
    if scale == "linear":
        room = 0.03 * (stop - start or 1.0)
        start, stop = (start if start == 0.0 else start - room), stop + room
    elif start <= 0.0:
        raise ValueError(f"samples and curves must have x > 0 on a logarithmic axis, got {start!r}")
    else:
        start, stop = start / 1.3, stop * 1.3
    fig = figure(420, 300)
    with house_style():
        axes = panel(fig, right=88, xlabel=xlabel, ylabel=ylabel)
        decades = [10.0**k for k in range(-9, 13)] if scale == "log10" else None
        many = decades is not None and stop > 50.0 * start
        set_scale(axes, "x", start, stop, scale=scale, target=4, values=decades if many else None)
        set_scale(axes, "y", 0.0, high, label=percent)
        ends = []
        if level is not None:
            height = scalar(level[0], "level", minimum=0.0, maximum=high)
            axes.axhline(height, color=LIGHT["ink"], linewidth=1.4, dashes=(4, 3), zorder=1)
            ends.append(EndLabel(height, level[1], "ink"))
        for role, label in zip(roles_of(labels), labels, strict=True):
            if label in lines:
                x, y = lines[label]
                axes.plot(x, y, color=LIGHT[role], linewidth=1.8)
                ends.append(EndLabel(float(y[-1]), label, role))
            if label in rows:
                each = rows[label]
                axes.vlines(each[:, 0], each[:, 2], each[:, 3], color=LIGHT[role], linewidth=1.8)
                if join:
                    axes.plot(each[:, 0], each[:, 1], color=LIGHT[role], linewidth=1.2)
                for x0, y0 in each[:, :2].tolist():
                    _dot(axes, x0, y0, role, 7)
                if label not in lines:
                    ends.append(EndLabel(float(each[-1, 1]), label, role))
        label_line_ends(axes, ends)
    if alt is None:
        drawn = [(f"{label}, predicted", *lines[label]) for label in labels if label in lines]
        drawn += [
            (f"{label}, measured with intervals", *rows[label].T[:2])
            for label in labels
            if label in rows
        ]
        parts = [
            f"{to_plain(label)}: {percent(float(y[0]))} at {number(float(x[0]))}, "
            f"{percent(float(y[-1]))} at {number(float(x[-1]))}"
            for label, x, y in drawn
        ]
        axis = "" if scale == "linear" else ", on a logarithmic axis"
        alt = f"{to_sentence(ylabel)} against {to_plain(xlabel)}{axis}. {'; '.join(parts)}."
        if level is not None:
            alt += f" A level line at {percent(float(level[0]))}: {to_plain(level[1])}."
    return Picture(fig, alt=alt, caption=caption, name=name)
