"""The window around the threshold: who can flip (Claims C.2, 4.6, Lemma C.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.chart import Chart, Drawing, picture
from sublinear_lib.plotting.formats import Numbers, grouped, number, percent

_REACH = 3.4  # standard deviations shown to either side


@picture
def flips_window(
    scores: Sequence[Numbers],
    thresholds: Sequence[float],
    halves: Sequence[float],
    titles: Sequence[str],
) -> Drawing:
    """Draw the window around the threshold on the density of a pre-activation, panel by panel.

    All in standard deviations sqrt(2/m): the scores of each panel's neurons at one point, its
    threshold, and its largest move.
    """
    panels, said = [], []
    for z, t, half, title in zip(map(np.asarray, scores), thresholds, halves, titles, strict=True):
        panels.append(_window(z, t, half, title))
        found = int((np.abs(z - t) <= half).sum())
        said.append(
            f"{title}: {grouped(found)} of {grouped(z.size)} neurons are within {number(half)} "
            f"standard deviations of the threshold {number(t)}, {percent(found / z.size)}"
        )
    return panels, (
        "The bell curve of a pre-activation, in standard deviations, with the window around "
        f"the threshold, and below it one tick for each neuron. {'; '.join(said)}."
    )


def bell(z: FloatArray) -> Any:
    """Return the standard normal density."""
    return np.exp(-0.5 * z**2) / math.sqrt(2.0 * math.pi)


def _window(z: FloatArray, t: float, half: float, title: str) -> Chart:
    chart = Chart(240, 230, (10, 10, 12, 42), "pre-activation, standard deviations", title)
    chart.x(-_REACH, _REACH, values=np.arange(-3.0, 4.0), label=number)
    chart.axes.set_ylim(-0.2, 0.47)
    chart.axes.set_yticks([])
    low, high = max(-_REACH, t - half), min(_REACH, t + half)
    across, grid = np.linspace(low, high, 41), np.linspace(-_REACH, _REACH, 137)
    chart.band(across, bell(across), 0.0, "c2", 0.35)
    chart.stretch(low, high, "c2", 0.12)
    chart.line(grid, bell(grid), "c1", 2.0)
    chart.level(0.0, "muted", 1.0)
    chart.line([t, t], [-0.2, 0.42], "ink", 1.2, dashes=(4, 3))
    chart.note(t, 0.445, "*τ*", ha="center", weight="bold")
    inside = np.abs(z - t) <= half
    for members, role, foot in ((~inside, "c1", -0.13), (inside, "c2", -0.17)):
        places = np.sort(z[members & (np.abs(z) <= _REACH)])
        if places.size:  # one broken line: a path for each neuron would fill the page
            x = np.column_stack([places, places, np.full(places.size, np.nan)]).ravel()
            y = np.tile([foot, -0.03, np.nan], places.size)
            chart.line(x, y, role, 0.7, alpha=0.75)
    return chart
