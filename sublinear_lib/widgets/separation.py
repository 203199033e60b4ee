"""The explorer of the threshold lambda/2: balls of the plane, their closest pair, and the price.

It draws seven labeled points of the plane with the balls of radius mu around them, for three norms,
and says what the budget asks of any function; every number comes from `sublinear_lib.memorization`.
Before changing it, know that the budget is chosen in units of lambda, which depends on the norm.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.memorization import (
    closest_pair,
    contradiction,
    plane_points,
    separation,
    smallest_slope,
)
from sublinear_lib.plotting import SERIES, number
from sublinear_lib.validation import choice, scalar
from sublinear_lib.widgets._menus import NORM_NAMES, NORMS
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Band, Line, Mark, Points, View

__all__ = ["separation_explorer", "separation_view"]

_NAMES = {"inf": "maximum norm", "2": "Euclidean norm", "1": "sum norm"}
_TURN = np.pi * (1.0 - np.arange(13) / 12)
_LIMITS = (-0.38, 1.38)


@cache
def _points() -> tuple[FloatArray, FloatArray]:
    return plane_points(7, 3, rng=5)


def _ball(x: FloatArray, mu: float, p: float, index: int) -> Band:
    """Return a ball as the area between two curves."""
    a, b = float(x[0]), float(x[1])
    if p == 2.0:
        across, half = np.cos(_TURN), np.sin(_TURN)
    elif p == 1.0:
        across, half = np.array([-1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
    else:
        across, half = np.array([-1.0, 1.0]), np.array([1.0, 1.0])
    # Three decimals are finer than a pixel, and short in the page.
    rows = (np.round(v, 3) for v in (a + mu * across, b - mu * half, b + mu * half))
    return Band(*rows, role=SERIES[index])


def separation_view(share: float, p: str) -> View:
    r"""Show seven labeled points of the plane with their balls, and what the budget asks for.

    Parameters
    ----------
    share : float
        The budget in units of the separation, ``mu / lambda >= 0``.
    p : {"inf", "2", "1"}
        The norm.

    Returns
    -------
    View
        The balls, the closest pair with different labels, and, from ``mu = lambda/2`` on, a point
        that two labels claim; the budget, the room that is left, and the least Lipschitz constant.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Proposition II.1, after Yu, Gao and Zhang (2024).
    """
    share = scalar(share, "share", minimum=0.0)
    norm = NORMS[choice(p, "p", tuple(NORMS))]
    X, y = _points()
    lam = separation(X, y, norm)
    mu = share * lam
    marks: list[Mark] = []
    for x, label in zip(X, y.tolist(), strict=True):
        marks.append(_ball(x, mu, norm, int(label) - 1))
    for label in np.unique(y).tolist():
        at = X[y == label]
        marks.append(
            Points(at[:, 0], at[:, 1], label=f"label {label:.0f}", role=SERIES[int(label) - 1])
        )
    pair = closest_pair(X, y, norm)
    ends = X[[pair.i, pair.k]]
    marks.append(Line(ends[:, 0], ends[:, 1], role="ink", dash=True, width=1.5))
    readouts = {"separation *λ*": number(lam), "budget *μ*": number(mu)}
    clash = contradiction(X, y, mu, norm)
    if clash is not None:
        a, b = clash.point.tolist()
        marks.append(Points([a], [b], label="two labels claim it", role="ink", size=11.0))
        how = "touch" if clash.depth == 0.0 else "overlap"
        first, second = clash.labels
        return _shown(
            marks,
            f"In the {_NAMES[p]} two balls {how}: the point halfway would need the values "
            f"{first:.0f} and {second:.0f}.",
            {**readouts, "room *λ* − 2*μ*": number(lam - 2 * mu), "slope needed": "∞"},
            "No function, continuous or not, is right on all closed balls.",
        )
    slope = smallest_slope(X, y, mu, norm)
    assert slope.i is not None and slope.k is not None
    decided = (
        "The closest pair decides."
        if {slope.i, slope.k} == {pair.i, pair.k}
        else f"A pair with labels {y[slope.i]:.0f} and {y[slope.k]:.0f} decides."
    )
    return _shown(
        marks,
        f"In the {_NAMES[p]} balls of different labels are at least {number(lam - 2 * mu)} apart, "
        f"and the function has to climb at the rate {number(slope.value)}. {decided}",
        {**readouts, "room *λ* − 2*μ*": number(lam - 2 * mu), "slope needed": number(slope.value)},
        None,
    )


def _shown(marks: list[Mark], sentence: str, readouts: dict[str, str], warning: str | None) -> View:
    return View(
        x=Axis(label="first coordinate", limits=_LIMITS),
        y=Axis(label="second coordinate", limits=_LIMITS),
        equal=True,
        marks=marks,
        sentence=sentence,
        readouts=readouts,
        warning=warning,
    )


def separation_explorer() -> Explorer:
    """Build the explorer of the threshold.

    Returns
    -------
    Explorer
        Budgets from 0 to 0.6 lambda, and three norms.

    Notes
    -----
    Source: Proposition II.1, after Yu, Gao and Zhang (2024).
    """
    return Explorer(
        separation_view,
        [
            Slider(
                "share", "budget *μ*/*λ*", [k / 50 for k in range(31)], start=0.4, format="{:g}"
            ),
            Choice("p", "norm *p*", {p: NORM_NAMES[p] for p in ("inf", "2", "1")}),
        ],
        title="How far can every ball reach?",
        description=(
            "Seven points of the plane with three labels. The dashed line joins the closest points "
            "with different labels."
        ),
        name="separation-explorer",
    )
