"""Pictures of a report: what is proved, what is possible and what is known to be wrong, by radius.

Between the certified share and the share that nothing has broken lies the robust accuracy of
Definition 3.4 on the rows at hand; the band between the two is what nobody knows.  The numbers come
from :mod:`sublinear_lib.report`.  Before changing it, know that both curves are drawn as steps: a
proof at one radius covers the smaller ones, a wrong point the larger ones, and nothing is
interpolated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.checks import few, shares
from sublinear_lib.plotting.formats import number, percent
from sublinear_lib.plotting.palette import LIGHT, Role
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import figure, house_style, note, panel, panel_title, set_scale
from sublinear_lib.validation import float_array, scalar

__all__ = ["promise_picture"]

_KEYS = ("radii", "certified", "possible", "rho", "intervals")
_KINDS: tuple[tuple[str, Role], ...] = (("clean", "ink"), ("attacked", "c2"), ("certified", "c1"))


def promise_picture(
    runs: Mapping[str, Mapping[str, Any]],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw what a classifier promises against the radius of the caps, one panel for each.

    Parameters
    ----------
    runs : mapping of str to mapping
        For each panel, by its title in the house markup: ``radii``, ascending from 0, shape (k,),
        ``k >= 2``; ``certified`` and ``possible``, shares in [0, 1] at the radii, falling, the
        first at most the second; ``rho``, the radius of the report; ``intervals``, three triples
        (share, lower, upper) in [0, 1] for clean, attacked and certified.  One to three panels.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The panels; every share with its interval stands at 0 (clean) or at rho.

    Raises
    ------
    TypeError, ValueError
        If an entry is missing, or numbers do not have the shapes, ranges or order described.

    Notes
    -----
    Source: Definition 3.4, for the loss that counts errors.
    """
    few(runs, "runs", 3, "panels")
    panels, said = [], []
    for title, run in runs.items():
        where = f"runs[{title!r}]"
        if not set(_KEYS) <= set(run):
            raise ValueError(f"{where} must have the entries {list(_KEYS)}, got {list(run)}")
        radii = float_array(run["radii"], f"{where} radii", shape=(None,))
        if radii.size < 2 or radii[0] != 0.0 or (np.diff(radii) <= 0).any():
            raise ValueError(f"{where} radii must be at least two numbers ascending from 0")
        low = _falling(run["certified"], f"{where} certified", radii.size)
        high = _falling(run["possible"], f"{where} possible", radii.size)
        if (low > high).any():
            raise ValueError(f"{where} certified must not exceed possible")
        rho = scalar(run["rho"], f"{where} rho", exclusive_minimum=0.0, maximum=float(radii[-1]))
        whiskers = shares(run["intervals"], f"{where} intervals", (3, 3))
        middle, lower, upper = whiskers.T
        if (lower > middle).any() or (middle > upper).any():
            raise ValueError(f"{where} intervals must be (share, lower, upper) in this order")
        with house_style():
            panels.append(_panel(title, radii, low, high, rho, whiskers))
        parts = ", ".join(
            f"{kind} {percent(float(row[0]))} ({percent(float(row[1]))} to "
            f"{percent(float(row[2]))})"
            for (kind, _), row in zip(_KINDS, whiskers, strict=True)
        )
        said.append(
            f"{to_plain(title)}: {parts}; at radius {number(float(radii[-1]))} certified "
            f"{percent(float(low[-1]))} and not broken {percent(float(high[-1]))}"
        )
    if alt is None:
        alt = (
            f"Shares of held-out rows against the radius of the caps, with the shares at 0 and at "
            f"{' or '.join(dict.fromkeys(number(float(run['rho'])) for run in runs.values()))} and "
            f"their intervals. {'. '.join(said)}."
        )
    return Picture(panels, alt=alt, caption=caption, name=name)


def _falling(value: object, name: str, size: int) -> FloatArray:
    curve = float_array(value, name, shape=(size,))
    if (curve < 0).any() or (curve > 1).any() or (np.diff(curve) > 0).any():
        raise ValueError(f"{name} must be shares in [0, 1] that do not rise")
    return curve


def _panel(
    title: str,
    radii: FloatArray,
    low: FloatArray,
    high: FloatArray,
    rho: float,
    whiskers: FloatArray,
) -> Figure:
    fig = figure(310, 290)
    axes = panel(fig, left=46, right=22, top=34, bottom=46, xlabel="radius of the cap")
    panel_title(axes, title, left=0, rise=20)
    right = float(radii[-1])
    set_scale(axes, "x", 0.0, right, target=4)
    set_scale(axes, "y", 0.0, 1.0, values=[0.0, 0.25, 0.5, 0.75, 1.0], label=percent)
    # A proof reaches down to the radius before it, a wrong point up to the one after it.
    grid = np.repeat(radii, 2)
    lower = np.concatenate([[low[0]], np.repeat(low[1:], 2), [low[-1]]])
    upper = np.concatenate([[high[0]], np.repeat(high[:-1], 2), [high[-1]]])
    axes.fill_between(grid, 0.0, lower, color=LIGHT["c1"], alpha=0.22, linewidth=0)
    axes.fill_between(grid, lower, upper, color=LIGHT["muted"], alpha=0.22, linewidth=0)
    axes.plot(grid, lower, color=LIGHT["c1"], linewidth=2, clip_on=False)
    axes.plot(grid, upper, color=LIGHT["c2"], linewidth=2, clip_on=False)
    axes.vlines(rho, 0.0, 1.0, color=LIGHT["muted"], linewidth=1, linestyles=(0, (2, 2)))
    note(axes, rho, 0.0, "*ρ*", dx=5, dy=9, role="muted")
    shift = 0.012 * right
    places = (shift, rho + shift, rho - shift)
    for place, (share, bottom, top), (_, role) in zip(places, whiskers, _KINDS, strict=True):
        axes.vlines(place, bottom, top, color=LIGHT[role], linewidth=1.6, clip_on=False)
        axes.plot([place], [share], "o", color=LIGHT[role], markersize=5.5, clip_on=False)
    note(axes, 0.05 * right, 0.32, "proved right", role="c1", weight="bold")
    note(axes, 0.05 * right, 0.23, "below the upper line: possible", role="c2", size=11)
    note(axes, 0.05 * right, 0.15, "between the lines: open", role="muted", size=11)
    return fig
