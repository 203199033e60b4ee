"""Pictures of Section B: random neurons fire on arcs of the circle, and their sum becomes a wave.

For d = 3 the inputs are a circle, a neuron is active on an arc of it, and the pseudo-network of
Lemma B.9 is a step function that is to follow a smooth target; `arcs_picture` shows arcs and sums,
`circle_fit_picture` functions on the circle with the caps and labels that they are to meet.  The
numbers come from the floors below; no formula lives here.  Before changing it, know that angles
come in radians and are drawn in degrees from -180 to 180.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.checks import few
from sublinear_lib.plotting.formats import Numbers, grouped, number, whole
from sublinear_lib.plotting.palette import LIGHT, Role, roles_of
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import figure, house_style, note, panel, set_scale
from sublinear_lib.validation import float_array

__all__ = ["arcs_picture", "circle_fit_picture"]

_PLUS: Role = "c1"
_MINUS: Role = "c2"
_DEGREES = (-180, -90, 0, 90, 180)


def _angles(value: object) -> FloatArray:
    angles = float_array(value, "angles", shape=(None,))
    if angles.size < 2 or (np.diff(angles) <= 0.0).any() or np.abs(angles).max() > math.pi + 1e-9:
        raise ValueError(
            "angles must be at least two ascending numbers in [-pi, pi], got "
            f"{angles.size} from {float(angles[0])} to {float(angles[-1])}"
        )
    return angles


def _curves(value: Mapping[str, Numbers], name: str, size: int, most: int) -> dict[str, FloatArray]:
    found = {
        label: float_array(values, f"{name}[{label!r}]", shape=(size,))
        for label, values in value.items()
    }
    few(found, name, most, "curves")
    return found


def _caps(value: object) -> FloatArray:
    caps = float_array(value, "caps", shape=(None, 3))
    if (caps[:, 1] < 0.0).any():
        raise ValueError("caps must have half-angles >= 0 in their second column")
    return caps


def _limits(*arrays: FloatArray) -> tuple[float, float]:
    low = min(float(values.min()) for values in arrays)
    high = max(float(values.max()) for values in arrays)
    room = 0.08 * (high - low) or 1.0
    return low - room, high + room


def _pieces(middle: float, half: float) -> list[tuple[float, float]]:
    """Return an arc in degrees, cut at 180 where it passes it."""
    if half >= math.pi:
        return [(-180.0, 180.0)]
    start = math.degrees(math.remainder(middle - half, 2.0 * math.pi))
    stop = start + math.degrees(2.0 * half)
    return [(start, stop)] if stop <= 180.0 else [(start, 180.0), (-180.0, stop - 360.0)]


def _bars(arcs: FloatArray, values: FloatArray) -> Axes:
    fig = figure(300, 300)
    axes = panel(
        fig, left=40, right=18, top=14, xlabel="angle of the input", ylabel="neuron and its arc"
    )
    set_scale(axes, "x", -180.0, 180.0, values=_DEGREES, label=whole)
    set_scale(axes, "y", 0.0, len(arcs) + 1.0, target=4, label=whole)
    strength = np.abs(values) / (float(np.abs(values).max()) or 1.0)
    for row, ((middle, half), value, weight) in enumerate(
        zip(arcs, values, strength, strict=True), start=1
    ):
        role = _PLUS if value >= 0.0 else _MINUS
        for start, stop in _pieces(float(middle), float(half)):
            axes.hlines(
                row,
                start,
                stop,
                color=LIGHT[role],
                linewidth=1.0 + 5.0 * float(weight),
                alpha=0.75,
            )
    return axes


def _sum(
    angles: FloatArray,
    target: FloatArray,
    values: FloatArray,
    label: str,
    limits: tuple[float, float],
) -> Axes:
    fig = figure(300, 300)
    axes = panel(fig, left=40, right=18, top=14, xlabel="angle of the input", ylabel=label)
    set_scale(axes, "x", -180.0, 180.0, values=_DEGREES, label=whole)
    set_scale(axes, "y", *limits, target=5, label=number)
    degrees = np.degrees(angles)
    axes.plot(degrees, values, color=LIGHT["c3"], linewidth=1.4, drawstyle="steps-mid")
    axes.plot(degrees, target, color=LIGHT["ink"], linewidth=1.6, dashes=(4, 2))
    return axes


def arcs_picture(
    arcs: Numbers,
    values: Numbers,
    angles: Numbers,
    target: Numbers,
    sums: Mapping[str, Numbers],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw neurons as arcs of the circle, and sums over more and more of them beside a target.

    Parameters
    ----------
    arcs : array-like, shape (k, 2)
        Middle and half-length in radians of the arc on which a neuron is active; at most 60 rows.
        An arc as long as the circle has the half-length pi.
    values : array-like, shape (k,)
        What the neuron adds there.  Thicker bars add more; positive and negative values have
        different colors.
    angles : array-like, shape (p,)
        Where the functions are given, radians, ascending in [-pi, pi].
    target : array-like, shape (p,)
        The target, dashed.
    sums : mapping of str to array-like, shape (p,)
        One panel each, by its title in the house markup: the sum over all neurons.  At most three.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The panels, side by side or one below the other.

    Raises
    ------
    ValueError
        If shapes do not match, angles do not ascend, or there are too many arcs or sums.

    Notes
    -----
    Source: Lemmas C.18 and B.9 for d = 3.
    """
    rows = float_array(arcs, "arcs", shape=(None, 2))
    if not 1 <= len(rows) <= 60 or (rows[:, 1] <= 0.0).any() or (rows[:, 1] > math.pi + 1e-9).any():
        raise ValueError(
            f"arcs must be 1 to 60 rows with half-lengths in (0, pi], got {len(rows)} rows"
        )
    shares = float_array(values, "values", shape=(len(rows),))
    places = _angles(angles)
    aim = float_array(target, "target", shape=places.shape)
    tables = _curves(sums, "sums", places.size, 3)
    limits = _limits(aim, *tables.values())
    with house_style():
        axes = [_bars(rows, shares)]
        axes += [_sum(places, aim, table, label, limits) for label, table in tables.items()]
    if alt is None:
        away = "; ".join(
            f"{to_plain(label)}, at most {number(float(np.abs(table - aim).max()))} from the target"
            for label, table in tables.items()
        )
        plus = int(np.count_nonzero(shares >= 0.0))
        alt = (
            f"First panel: {grouped(len(rows))} neurons as bars over the angles at which they "
            f"fire, {plus} adding and {len(rows) - plus} subtracting. Then sums over all neurons "
            f"as step functions beside a dashed smooth target between {number(float(aim.min()))} "
            f"and {number(float(aim.max()))}: {away}."
        )
    return Picture([each.figure for each in axes], alt=alt, caption=caption, name=name)  # type: ignore[misc]


def circle_fit_picture(
    angles: Numbers,
    curves: Mapping[str, Numbers],
    caps: Numbers,
    *,
    target: Numbers | None = None,
    ylabel: str = "output on the circle",
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw functions on the circle with the caps and the labels that they are to meet there.

    Parameters
    ----------
    angles : array-like, shape (p,)
        Where the functions are given, radians, ascending in [-pi, pi].
    curves : mapping of str to array-like, shape (p,)
        The functions by their labels in the house markup, one to four.
    caps : array-like, shape (n, 3)
        For each cap its middle and half-angle, radians, and its label.
    target : array-like, shape (p,), optional
        A dashed function to compare with.
    ylabel : str
        What the functions are, in the house markup.
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
        If shapes do not match, angles do not ascend, or there are too many curves.

    Notes
    -----
    Source: Definitions 3.3 and 3.4, Theorem 4.4, for d = 3.
    """
    places = _angles(angles)
    tables = _curves(curves, "curves", places.size, 4)
    wanted = _caps(caps)
    shown = [*tables.values(), wanted[:, 2]]
    aim = None if target is None else float_array(target, "target", shape=places.shape)
    if aim is not None:
        shown.append(aim)
    low, high = _limits(*shown)
    # One line above the plot for the names of the curves.
    high += 0.05 * (high - low)
    fig = figure(420, 250)
    with house_style():
        axes = panel(
            fig, left=44, right=18, top=36, xlabel="angle of the input, degrees", ylabel=ylabel,
            ylabel_rise=26.0,
        )  # fmt: skip
        set_scale(axes, "x", -180.0, 180.0, values=_DEGREES, label=whole)
        set_scale(axes, "y", low, high, target=5, label=number)
        for middle, half, label in wanted:
            for start, stop in _pieces(float(middle), float(half)):
                axes.axvspan(start, stop, color=LIGHT["muted"], alpha=0.16, lw=0)
                axes.hlines(label, start, stop, color=LIGHT["ink"], linewidth=3.0, zorder=4)
        degrees = np.degrees(places)
        if aim is not None:
            axes.plot(degrees, aim, color=LIGHT["ink"], linewidth=1.4, dashes=(4, 2))
        across = 0.0
        for role, (label, table) in zip(roles_of(tables), tables.items(), strict=True):
            axes.plot(degrees, table, color=LIGHT[role], linewidth=1.6)
            note(
                axes,
                across,
                1.0,
                label,
                role=role,
                coordinates="axes fraction",
                dy=11,
                weight="bold",
                size=11,
            )
            across += (18.0 + 7.2 * len(to_plain(label))) / 358.0
    if alt is None:
        ends = "; ".join(
            f"{to_plain(label)} runs from {number(float(table.min()))} to "
            f"{number(float(table.max()))}"
            for label, table in tables.items()
        )
        labels = ", ".join(number(float(label)) for label in wanted[:, 2])
        alt = (
            f"Functions of the angle around the circle with {len(wanted)} shaded caps, where the "
            f"wanted labels {labels} are drawn as short bars: {ends}."
        )
        if aim is not None:
            alt += (
                f" A dashed function to compare with runs from {number(float(aim.min()))} to "
                f"{number(float(aim.max()))}."
            )
    return Picture(fig, alt=alt, caption=caption, name=name)
