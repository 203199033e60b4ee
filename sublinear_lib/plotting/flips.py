"""Pictures of who flips: the window around the threshold, and the count all around the circle.

A neuron can change its state at x for weights that move by at most delta if its pre-activation is
within delta of the threshold (Claims C.2 and 4.6, Lemma C.3).  One picture shows that window on the
normal density together with the neurons of a network, the other how many neurons are in it at each
point of the circle X.  The numbers come from the floors below; no formula of the paper lives here.
Before changing it, know that the window is drawn in standard deviations of a pre-activation: it is
its width on that scale, and not delta, that decides how many neurons flip.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sublinear_lib._typing import BoolArray, FloatArray
from sublinear_lib.plotting.checks import ascending, nonnegative
from sublinear_lib.plotting.formats import Numbers, degrees, grouped, number, percent, whole
from sublinear_lib.plotting.palette import LIGHT, Role
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import (
    EndLabel,
    end_label_room,
    figure,
    house_style,
    label_line_ends,
    note,
    panel,
    set_scale,
)
from sublinear_lib.validation import float_array, scalar

__all__ = ["flips_around_circle", "flips_window"]

_REACH = 3.4  # standard deviations shown to either side
_TURN = 360.0


def flips_window(
    scores: Sequence[Numbers],
    thresholds: Sequence[float],
    halves: Sequence[float],
    titles: Sequence[str],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw the window around the threshold on the density of a pre-activation, panel by panel.

    Parameters
    ----------
    scores : sequence of array-like, shape (m,)
        For each panel the pre-activations of the neurons of one network at one point, in standard
        deviations ``sqrt(2/m)``.
    thresholds : sequence of float
        The threshold of each panel, in standard deviations.
    halves : sequence of float
        The largest move of each panel, in standard deviations, ``> 0``.
    titles : sequence of str
        What each panel shows, in the house markup.  One to three panels.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        For each panel the normal density with the window, and below it one tick for each neuron,
        those inside in the color of the window.

    Raises
    ------
    TypeError, ValueError
        If lengths differ, a number is out of range, or there are more than three panels.

    Notes
    -----
    Source: the indicator ``Psi_r`` of Claims C.2 and C.16 and of Lemma C.3.

    Examples
    --------
    >>> shown = flips_window([[-1.0, 0.1, 2.0]], [0.0], [0.3], ["three neurons"], name="three")
    >>> "1 of 3 neurons are within 0.3 standard deviations" in shown.alt
    True
    """
    sizes = len(scores), len(thresholds), len(halves), len(titles)
    if len(set(sizes)) != 1 or not 1 <= sizes[0] <= 3:
        raise ValueError(
            "scores, thresholds, halves and titles must be of one length from 1 to 3, got "
            f"{', '.join(map(str, sizes))}"
        )
    panels, said = [], []
    for k, title in enumerate(titles):
        z = float_array(scores[k], f"scores[{k}]", shape=(None,))
        t = scalar(thresholds[k], f"thresholds[{k}]", minimum=-_REACH, maximum=_REACH)
        half = scalar(halves[k], f"halves[{k}]", exclusive_minimum=0.0)
        inside = np.abs(z - t) <= half
        with house_style():
            panels.append(_window(z, inside, t, half, title))
        found = int(inside.sum())
        said.append(
            f"{to_plain(title)}: {grouped(found)} of {grouped(z.size)} neurons are within "
            f"{number(half)} standard deviations of the threshold {number(t)}, "
            f"{percent(found / z.size)}"
        )
    if alt is None:
        alt = (
            "The bell curve of a pre-activation, in standard deviations, with the window around "
            f"the threshold, and below it one tick for each neuron. {'; '.join(said)}."
        )
    return Picture(panels, alt=alt, caption=caption, name=name)


def _window(z: FloatArray, inside: BoolArray, t: float, half: float, title: str) -> Figure:
    fig = figure(240, 230)
    axes = panel(
        fig,
        left=10,
        right=10,
        top=12,
        bottom=42,
        ylabel=title,
        xlabel="pre-activation, standard deviations",
    )
    set_scale(
        axes, "x", -_REACH, _REACH, values=[-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0], label=number
    )
    axes.set_ylim(-0.2, 0.47)
    axes.set_yticks([])
    grid = np.linspace(-_REACH, _REACH, 137)
    density = np.exp(-0.5 * grid**2) / math.sqrt(2.0 * math.pi)
    low, high = max(-_REACH, t - half), min(_REACH, t + half)
    across = np.linspace(low, high, 41)
    axes.fill_between(
        across,
        np.exp(-0.5 * across**2) / math.sqrt(2.0 * math.pi),
        0.0,
        color=LIGHT["c2"],
        alpha=0.35,
        linewidth=0,
    )
    axes.axvspan(low, high, color=LIGHT["c2"], alpha=0.12, linewidth=0)
    axes.plot(grid, density, color=LIGHT["c1"], linewidth=2.0)
    axes.axhline(0.0, color=LIGHT["muted"], linewidth=1.0)
    axes.plot([t, t], [-0.2, 0.42], color=LIGHT["ink"], linewidth=1.2, dashes=(4, 3))
    note(axes, t, 0.445, "*τ*", ha="center", weight="bold")
    shown = np.abs(z) <= _REACH
    groups: tuple[tuple[BoolArray, Role, float], ...] = (
        (~inside, "c1", -0.13),
        (inside, "c2", -0.17),
    )
    for members, role, low_end in groups:
        places = np.sort(z[shown & members])
        if places.size:  # one broken line: a path for each neuron would fill the page
            x = np.column_stack([places, places, np.full(places.size, np.nan)]).ravel()
            y = np.tile([low_end, -0.03, np.nan], places.size)
            axes.plot(x, y, color=LIGHT[role], linewidth=0.7, alpha=0.75)
    return fig


def flips_around_circle(
    angles: Numbers,
    counts: Numbers,
    *,
    mean: float,
    interval: tuple[float, float],
    fixed: tuple[float, float],
    largest: tuple[float, float],
    levels: Mapping[str, float] | None = None,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw how many neurons can flip at each point of the circle X.

    Parameters
    ----------
    angles : array-like, shape (k,)
        Angles of points of the circle in degrees, ascending within [0, 360], ``k >= 2``.
    counts : array-like, shape (k,)
        The number of neurons that can flip there, ``>= 0``.
    mean : float
        Its mean at a point chosen before the network, ``>= 0``.
    interval : pair of float
        The range of that number with 99.9 % probability, ascending.
    fixed, largest : pair of float
        Angle in degrees and count of the point chosen before the network, and of the point where
        the count is largest.
    levels : mapping of str to float, optional
        Bounds to compare with, by label in the house markup: level dashed lines.  At most three.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The count against the angle.

    Raises
    ------
    TypeError, ValueError
        If shapes do not match, angles do not ascend, a number is out of range, a count is larger
        than the largest, or there are more than three levels.

    Notes
    -----
    Source: Claims C.2 and 4.6, Lemma C.3 and Theorem B of this project, for d = 3.
    """
    v = ascending(angles, "angles", 0.0, _TURN)
    y = nonnegative(counts, "counts", v.shape)
    center = scalar(mean, "mean", minimum=0.0)
    low, high = float_array(interval, "interval", shape=(2,)).tolist()
    if low > high:
        raise ValueError(f"interval must ascend, got {(low, high)}")
    marks = {
        which: float_array(point, which, shape=(2,)).tolist()
        for which, point in (("fixed", fixed), ("largest", largest))
    }
    if marks["largest"][1] < float(y.max()):
        raise ValueError(
            f"largest must be nowhere exceeded by counts, got {marks['largest'][1]!r} and "
            f"{float(y.max())!r}"
        )
    lines = {
        label: scalar(level, f"levels[{label!r}]", minimum=0.0)
        for label, level in (levels or {}).items()
    }
    if len(lines) > 3:
        raise ValueError(f"levels must hold at most three bounds, got {len(lines)}")
    heights = [float(y.min()), low, high, center, *lines.values()]
    heights += [count for _, count in marks.values()]
    bottom, top = min(heights), max(heights)
    margin = 0.12 * (top - bottom) or 1.0
    names = ["mean at one *x*", *lines]
    room = end_label_room(names, letter=7.2, gap=24.0)
    fig = figure(460, 320)
    with house_style():
        axes = panel(
            fig,
            left=60,
            right=room,
            xlabel="angle of *x* on the circle",
            ylabel="neurons that can flip at *x*",
        )
        set_scale(axes, "x", 0.0, _TURN, values=[0.0, 90.0, 180.0, 270.0, 360.0], label=degrees)
        set_scale(axes, "y", max(0.0, bottom - margin), top + margin, target=5)
        axes.axhspan(low, high, color=LIGHT["c1"], alpha=0.13, linewidth=0)
        axes.axhline(center, color=LIGHT["c1"], linewidth=1.6)
        ends = [EndLabel(center, "mean at one *x*", "c1")]
        roles: tuple[Role, ...] = ("c3", "ink", "c5")
        for role, (label, level) in zip(roles, lines.items(), strict=False):
            axes.axhline(level, color=LIGHT[role], linewidth=1.5, dashes=(4, 3))
            ends.append(EndLabel(level, label, role))
        axes.plot(v, y, color=LIGHT["c2"], linewidth=1.1)
        _spot(axes, *marks["fixed"], text="", role="c1")
        _spot(axes, *marks["largest"], text="largest", role="c4")
        label_line_ends(axes, ends)
    if alt is None:
        bounds = "".join(f"; {to_plain(label)} {number(level)}" for label, level in lines.items())
        alt = (
            "How many neurons can flip at each point of the circle. The curve runs between "
            f"{whole(float(y.min()))} and {whole(marks['largest'][1])}, its "
            f"largest value at {degrees(marks['largest'][0])}. At a point chosen before the "
            f"network the mean is {number(center, 4)} and the 99.9 % range "
            f"{whole(low)} to {whole(high)}{bounds}."
        )
    return Picture(fig, alt=alt, caption=caption, name=name)


def _spot(axes: Axes, angle: float, height: float, *, text: str, role: Role) -> None:
    axes.plot(
        angle,
        height,
        marker="o",
        markersize=8,
        color=LIGHT[role],
        markeredgecolor=LIGHT["paper"],
        markeredgewidth=1.3,
        clip_on=False,
        zorder=5,
    )
    if text:
        right = angle > 0.7 * _TURN
        note(
            axes,
            angle,
            height,
            text,
            role=role,
            dx=-9 if right else 9,
            dy=9,
            ha="right" if right else "left",
            weight="bold",
        )
