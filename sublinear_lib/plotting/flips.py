"""The picture of who flips: the window around the threshold.

A neuron can change its state at x for weights that move by at most delta if its pre-activation is
within delta of the threshold (Claims C.2 and 4.6, Lemma C.3).  The picture shows that window on the
normal density together with the neurons of a network.  No formula of the paper lives here.
Before changing it, know that the window is drawn in standard deviations of a pre-activation: it is
its width on that scale, and not delta, that decides how many neurons flip.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from sublinear_lib._typing import BoolArray, FloatArray
from sublinear_lib.plotting.formats import Numbers, grouped, number, percent
from sublinear_lib.plotting.palette import LIGHT, Role
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import (
    figure,
    house_style,
    note,
    panel,
    set_scale,
)
from sublinear_lib.validation import float_array, scalar

__all__ = ["flips_window"]

_REACH = 3.4  # standard deviations shown to either side


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
