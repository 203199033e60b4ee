"""Pictures of Proposition 2: f along a straight way through the ball, and the price of a jump.

The first shows one network on its way through the ball of Theorem 4.1, where every neuron that
crosses its threshold is a step of height ``|a_r| tau``; the second shows the mean gap between f
and g, in units of what g can reach, against the threshold.  The numbers come from the floors below;
no formula lives here.  Before changing them, know that both panels of the second picture must have
one scale: the comparison of the two activations is what it shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.checks import ascending, nonnegative
from sublinear_lib.plotting.formats import Numbers, number, percent
from sublinear_lib.plotting.palette import LIGHT, SERIES, Role
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain, to_sentence
from sublinear_lib.plotting.style import (
    EndLabel,
    figure,
    house_style,
    interval_dots,
    label_line_ends,
    note,
    panel,
    panel_title,
    set_scale,
)
from sublinear_lib.validation import float_array

__all__ = ["price_picture", "way_picture"]

_ROLES: tuple[Role, ...] = ("c4", "c3", "c1")
_Curves = Mapping[str, Numbers]
_Rows = Mapping[str, Sequence[Sequence[float]] | FloatArray]


def way_picture(
    way: Numbers,
    curves: _Curves,
    straight: tuple[str, Numbers],
    *,
    xlabel: str = "way, in units of the radius *δ*",
    ylabel: str = "change of the output",
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw how the output changes along a way through the ball, step by step, beside g.

    Parameters
    ----------
    way : array-like, shape (k,)
        Places on the way, ascending from 0, ``k >= 2``.
    curves : mapping of str to array-like, shape (k,)
        One to three curves by their labels in the house markup, drawn as stairs: a value holds
        until the next place.
    straight : tuple of str and array-like, shape (k,)
        Label and values of the pseudo-network, dashed.
    xlabel, ylabel : str
        What the axes measure, in the house markup.
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
        If places do not ascend from 0, shapes do not match, or there are too many curves.

    Notes
    -----
    Source: Proposition 2, on Theorem 4.1.
    """
    places = float_array(way, "way", shape=(None,))
    if places.size < 2 or (np.diff(places) <= 0).any() or places[0] != 0.0:
        raise ValueError(f"way must ascend from 0, got {places.size} places")
    if not 1 <= len(curves) <= 3:
        raise ValueError(f"curves must hold one to three curves, got {len(curves)}")
    tables = {
        label: float_array(values, f"curves[{label!r}]", shape=places.shape)
        for label, values in curves.items()
    }
    title, line = straight[0], float_array(straight[1], "straight", shape=places.shape)
    every = np.concatenate([line, *tables.values()])
    low, high = min(float(every.min()), 0.0), max(float(every.max()), 0.0)
    room = 0.06 * (high - low) or 1.0
    fig = figure(420, 300)
    with house_style():
        axes = panel(fig, right=100, xlabel=xlabel, ylabel=ylabel)
        set_scale(axes, "x", 0.0, float(places[-1]))
        set_scale(axes, "y", low - (room if low < 0.0 else 0.0), high + room)
        ends = []
        for role, (label, values) in zip(_ROLES, tables.items(), strict=False):
            axes.step(places, values, where="post", color=LIGHT[role], linewidth=2.0)
            ends.append(EndLabel(float(values[-1]), label, role))
        axes.plot(places, line, color=LIGHT["ink"], linewidth=1.6, linestyle=(0, (5, 3)))
        ends.append(EndLabel(float(line[-1]), title, "ink"))
        label_line_ends(axes, ends)
    if alt is None:
        parts = [
            f"{to_plain(label)} reaches {number(float(values[-1]))}, its largest single step is "
            f"{number(float(np.abs(np.diff(values)).max()))}"
            for label, values in tables.items()
        ]
        alt = (
            f"{to_sentence(ylabel)} against {to_plain(xlabel)}. "
            f"The dashed line of {to_plain(title)} reaches {number(float(line[-1]))}. "
            f"{'; '.join(parts)}."
        )
    return Picture(fig, alt=alt, caption=caption, name=name)


def price_picture(
    levels: Numbers,
    shares: Numbers,
    panels: Mapping[str, _Curves],
    limits: Mapping[str, tuple[str, Numbers]],
    samples: Mapping[str, _Rows] | None = None,
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw the gap between f and g over what g can reach, against the threshold.

    Parameters
    ----------
    levels : array-like, shape (k,)
        Standardized thresholds t, ascending, ``>= 0``, ``k >= 2``.
    shares : array-like, shape (k,)
        The expected share of active neurons at these thresholds, in (0, 1].
    panels : mapping of str to mapping of str to array-like, shape (k,)
        For each activation, by its title: the ratio by the label of the radius, ``> 0``.  One or
        two panels, one to four curves; a label has the same color in both.
    limits : mapping of str to tuple of str and array-like, shape (k,)
        For a title the label and the values, ``>= 0``, of the limit of small radii, dashed where it
        lies within the axes.  The last value is positive: the label stands there.  A limit that is
        0 throughout has no place on a logarithmic scale and is left out of the mapping.
    samples : mapping of str to mapping of str to array-like, shape (j, 4), optional
        For each title, by labels of curves: rows ``(t, mean, lower, upper)`` of drawn networks.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The panels, on one logarithmic scale, side by side or one below the other.

    Raises
    ------
    ValueError
        If thresholds do not ascend, shapes do not match, a share is not in (0, 1], a ratio is not
        positive, a limit is negative or ends at 0, a limit or sample belongs to nothing, or there
        are too many panels or curves.

    Notes
    -----
    Source: Proposition 2.
    """
    t = ascending(levels, "levels", 0.0)
    share = float_array(shares, "shares", shape=t.shape)
    if (share <= 0).any() or (share > 1).any():
        raise ValueError(f"shares must lie in (0, 1], got {share.min()!r} to {share.max()!r}")
    tables = {
        title: {
            label: float_array(values, f"panels[{title!r}][{label!r}]", shape=t.shape)
            for label, values in curves.items()
        }
        for title, curves in panels.items()
    }
    labels = list(dict.fromkeys(label for curves in tables.values() for label in curves))
    if not 1 <= len(tables) <= 2 or not 1 <= len(labels) <= 4 or not all(tables.values()):
        raise ValueError(
            f"panels must hold one or two activations with one to four curves, got {len(tables)} "
            f"and {len(labels)}"
        )
    tails = {
        title: (label, nonnegative(values, f"limits[{title!r}]", t.shape))
        for title, (label, values) in limits.items()
    }
    for title, (_, tail) in tails.items():
        if tail[-1] == 0.0:
            raise ValueError(f"limits[{title!r}] must be > 0 at the last threshold, got 0.0")
    drawn = {
        title: {
            label: float_array(rows, f"samples[{title!r}][{label!r}]", shape=(None, 4))
            for label, rows in sets.items()
        }
        for title, sets in (samples or {}).items()
    }
    if not set(tails) <= set(tables):
        raise ValueError(f"limits must name panels of {list(tables)}, got {list(tails)}")
    for title, sets in drawn.items():
        if not set(sets) <= set(tables.get(title, {})):
            raise ValueError(
                f"samples must belong to curves of panels, got {title!r}: {list(sets)}"
            )
    every = np.concatenate([values for curves in tables.values() for values in curves.values()])
    if (every <= 0).any():
        raise ValueError(f"panels must hold ratios > 0, got {float(every.min())!r}")
    ends = float(every.min()) / 1.4, float(every.max()) * 1.4
    roles = dict(zip(labels, SERIES, strict=False))
    figures = [
        _price(t, share, title, curves, tails.get(title), drawn.get(title, {}), roles, ends)
        for title, curves in tables.items()
    ]
    text = _described(t, share, tables, tails) if alt is None else alt
    return Picture([axes.figure for axes in figures], alt=text, caption=caption, name=name)  # type: ignore[misc]


def _price(
    t: FloatArray,
    share: FloatArray,
    title: str,
    curves: Mapping[str, FloatArray],
    limit: tuple[str, FloatArray] | None,
    samples: Mapping[str, FloatArray],
    roles: Mapping[str, Role],
    limits: tuple[float, float],
) -> Axes:
    fig = figure(320, 340)
    with house_style():
        axes = panel(
            fig,
            left=42,
            right=84,
            top=64,
            xlabel="threshold *t*, in standard deviations",
            ylabel="gap E *H* / reach E *G*",
            ylabel_rise=32,
        )
        set_scale(axes, "x", float(t[0]), float(t[-1]), target=4)
        set_scale(axes, "y", *limits, scale="log10")
        panel_title(axes, title, left=38, rise=66)
        _active(axes, t, share)
        ends = []
        for label, values in curves.items():
            axes.plot(t, values, color=LIGHT[roles[label]], linewidth=2.0)
            ends.append(EndLabel(float(values[-1]), label, roles[label]))
        if limit is not None:
            seen = limit[1] >= limits[0]
            axes.plot(
                t[seen], limit[1][seen], color=LIGHT["ink"], linewidth=1.6, linestyle=(0, (5, 3))
            )
            ends.append(EndLabel(float(limit[1][-1]), limit[0], "ink"))
        for label, rows in samples.items():
            interval_dots(axes, rows, roles[label], width=2.25)
        label_line_ends(axes, ends)
    return axes


def _active(axes: Axes, t: FloatArray, share: FloatArray) -> None:
    """Write the share of active neurons along the upper edge, at whole thresholds."""
    for level in range(int(np.ceil(t[0])), int(np.floor(t[-1])) + 1):
        place = float(np.interp(level, t, share))
        note(
            axes,
            float(level),
            1.0,
            percent(place, 2 if place > 0.01 else 1),
            role="muted",
            coordinates=("data", "axes fraction"),
            dy=15,
            ha="left" if level == t[0] else "right" if level == t[-1] else "center",
            size=11,
        )
    note(
        axes,
        1.0,
        1.0,
        "active",
        role="muted",
        coordinates="axes fraction",
        dx=12,
        dy=15,
        size=11,
    )


def _described(
    t: FloatArray,
    share: FloatArray,
    tables: Mapping[str, Mapping[str, FloatArray]],
    limits: Mapping[str, tuple[str, FloatArray]],
) -> str:
    said = []
    for title, curves in tables.items():
        parts = [
            f"{to_plain(label)} {number(float(values[0]))} to {number(float(values[-1]))}"
            for label, values in curves.items()
        ]
        if title in limits:
            dashed = limits[title][1]
            parts.append(
                f"the dashed limit of small radii {number(float(dashed[0]))} to "
                f"{number(float(dashed[-1]))}"
            )
        said.append(f"{to_plain(title)}: {', '.join(parts)}")
    return (
        "Mean half-width of f - g over the largest g in the ball, against the threshold from "
        f"{number(float(t[0]))} to {number(float(t[-1]))} standard deviations, where "
        f"{percent(float(share[0]))} to {percent(float(share[-1]))} of the neurons are active. "
        f"{'. '.join(said)}."
    )
