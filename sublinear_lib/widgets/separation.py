"""The explorer of the threshold lambda/2: balls of the plane, their closest pair, and the price.

It draws a few labeled points of the plane with the balls of radius mu around them, for three norms,
and says what the budget asks of any function; every number comes from `sublinear_lib.memorization`.
Before changing it, know that the budget is chosen in units of lambda, which depends on the labels
and the norm; with one label only lambda is infinite, and the unit is the smallest distance of all
pairs.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.memorization import (
    closest_pair,
    contradiction,
    meeting_pairs,
    plane_points,
    separation,
    smallest_slope,
)
from sublinear_lib.plotting import SERIES, number
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets._menus import NORM_NAMES, NORMS
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Band, Line, Mark, Points, View

__all__ = ["separation_explorer", "separation_view"]

_NAMES = {"inf": "maximum norm", "2": "Euclidean norm", "1": "sum norm"}
_SHARES = [0.0, 0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.475, 0.5, 0.55, 0.6]
_TURN = np.pi * (1.0 - np.arange(13) / 12)
_LIMITS = (-0.38, 1.38)


@lru_cache(maxsize=64)
def _points(N: int, classes: int, seed: int) -> tuple[FloatArray, FloatArray]:
    return plane_points(N, classes, rng=seed)


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


def separation_view(share: float, N: int, classes: int, p: str, seed: int) -> View:
    r"""Show labeled points of the plane with their balls, and what the budget asks for.

    Parameters
    ----------
    share : float
        The budget in units of the separation, ``mu / lambda >= 0``.
    N : int
        Number of points, ``>= 2``.
    classes : int
        Number of labels, 1 to 3.
    p : {"inf", "2", "1"}
        The norm.
    seed : int
        Seed of points and labels, ``>= 0``.

    Returns
    -------
    View
        The balls, the closest pair with different labels, and, from ``mu = lambda/2`` on, a point
        that two labels claim; numbers of the separation and of the least Lipschitz constant.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Proposition II.1, after Yu, Gao and Zhang (2024).
    """
    share = scalar(share, "share", minimum=0.0)
    N = count(N, "N", minimum=2)
    classes = count(classes, "classes", maximum=3)
    norm = NORMS[choice(p, "p", tuple(NORMS))]
    X, y = _points(N, classes, count(seed, "seed", minimum=0))
    lam = separation(X, y, norm)
    delta = separation(X, np.arange(N), norm)
    mu = share * (lam if classes > 1 else delta)
    marks: list[Mark] = []
    for x, label in zip(X, y.tolist(), strict=True):
        marks.append(_ball(x, mu, norm, int(label) - 1))
    for label in np.unique(y).tolist():
        at = X[y == label]
        marks.append(
            Points(at[:, 0], at[:, 1], label=f"label {label:.0f}", role=SERIES[int(label) - 1])
        )
    readouts = {
        "separation *λ*": number(lam) if classes > 1 else "∞",
        "largest budget *λ*/2": number(lam / 2) if classes > 1 else "none",
        "budget *μ*": number(mu),
        "all pairs, Part I's *δ*": number(delta),
    }
    start = f"With {N} points, {classes} label{'s' * (classes > 1)} and the {_NAMES[p]}"
    if classes == 1:
        return _shown(
            marks,
            f"{start}, λ is infinite: a constant function is right on every ball. The balls are "
            f"drawn with {number(share)} of the smallest distance δ = {number(delta)} of all "
            "pairs.",
            {**readouts, "slope needed": "0"},
            "One hypothesis fails: there is one label only, so there is no pair of different "
            "labels, no threshold, and nothing to memorize.",
        )
    pair = closest_pair(X, y, norm)
    ends = X[[pair.i, pair.k]]
    marks.append(Line(ends[:, 0], ends[:, 1], role="ink", dash=True, width=1.5))
    clash = contradiction(X, y, mu, norm)
    if clash is not None:
        a, b = clash.point.tolist()
        marks.append(Points([a], [b], label="two labels claim it", role="ink", size=11.0))
        meets = len(meeting_pairs(X, y, mu, norm))
        how = "touch" if clash.depth == 0.0 else "overlap"
        first, second = clash.labels
        return _shown(
            marks,
            f"{start}, λ = {number(lam)}. At μ = {number(share)} λ = {number(mu)} the balls of "
            f"the closest pair {how}: the point halfway would need the values {first:.0f} and "
            f"{second:.0f}. {_pairs(meets)} of different labels meet{'s' * (meets == 1)}.",
            {**readouts, "margin *λ* − 2*μ*": number(lam - 2 * mu), "slope needed": "∞"},
            "The hypothesis μ < λ/2 fails: no function, continuous or not, is right on all closed "
            "balls."
            + (
                " They only touch: without their boundaries, the sign of a continuous function can "
                "still tell one label from the others."
                if clash.depth == 0.0
                else ""
            ),
        )
    slope = smallest_slope(X, y, mu, norm)
    assert slope.i is not None and slope.k is not None
    apart = abs(float(y[slope.i] - y[slope.k]))
    far = apart / slope.value
    decided = (
        "the closest pair decides"
        if {slope.i, slope.k} == {pair.i, pair.k}
        else f"a pair with labels {y[slope.i]:.0f} and {y[slope.k]:.0f} decides"
    )
    return _shown(
        marks,
        f"{start}, λ = {number(lam)}. At μ = {number(share)} λ = {number(mu)} balls of different "
        f"labels are at least λ − 2μ = {number(lam - 2 * mu)} apart. A function that is right on "
        f"all of them exists, and any has a Lipschitz constant of at least {apart:.0f}/"
        f"{number(far)} = {number(slope.value)}; {decided}.",
        {
            **readouts,
            "margin *λ* − 2*μ*": number(lam - 2 * mu),
            "slope needed": number(slope.value),
        },
        None,
    )


def _pairs(number_of: int) -> str:
    return "One pair of balls" if number_of == 1 else f"{number_of} pairs of balls"


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
        Budgets from 0 to 0.6 lambda, 4 to 8 points, 1 to 3 labels, three norms and three seeds.

    Notes
    -----
    Source: Proposition II.1, after Yu, Gao and Zhang (2024).
    """
    return Explorer(
        separation_view,
        [
            Slider("share", "budget *μ*/*λ*", _SHARES, start=0.4, format="{:g}"),
            Slider("N", "points *N*", [4, 6, 8], start=6),
            Slider("classes", "labels", [1, 2, 3], start=3),
            Choice("p", "norm *p*", {p: NORM_NAMES[p] for p in ("inf", "2", "1")}),
            Slider("seed", "seed", [5, 6, 7], start=5),
        ],
        title="How far can every ball reach?",
        description=(
            "The dashed line joins the closest points with different labels. Equal labels may "
            "overlap."
        ),
        name="separation-explorer",
    )
