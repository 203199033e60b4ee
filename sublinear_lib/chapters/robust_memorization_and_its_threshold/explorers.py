"""The threshold lambda/2 (Proposition II.1): balls of the plane, their closest pair, and the price.

A typed line of points that has a mistake raises an error that names it: bad data are part of the
lesson.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from sublinear_lib import memorization as mem
from sublinear_lib._typing import FloatArray
from sublinear_lib.chapters._common import NORM_NAMES, NORMS, labeled, typed_parts
from sublinear_lib.chapters.robust_memorization_and_its_threshold import figures
from sublinear_lib.plotting import SERIES, Picture, number
from sublinear_lib.widgets import Axis, Band, Line, Mark, Points, View
from sublinear_lib.widgets.declaration import explorer, lab, menu, slider, typed

_NAMES = {"inf": "maximum norm", "2": "Euclidean norm", "1": "sum norm"}
_TURN = np.pi * (1.0 - np.arange(13) / 12)
_LIMITS = (-0.38, 1.38)
_NORM = menu("norm *p*", {p: NORM_NAMES[p] for p in _NAMES})


@cache
def _points() -> tuple[FloatArray, FloatArray]:
    return mem.plane_points(7, 3, rng=5)


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


@explorer(
    "How far can every ball reach?",
    description="Seven points of the plane with three labels. The dashed line joins the closest "
    "points with different labels.",
    name="separation-explorer",
    share=slider("budget *μ*/*λ*", [k / 50 for k in range(31)], start=0.4, format="{:g}"),
    p=_NORM,
)
def balls(share: float, p: str) -> View:
    """Show seven labeled points of the plane with their balls, and what the budget asks for."""
    norm = NORMS[p]
    X, y = _points()
    lam = mem.separation(X, y, norm)
    mu = share * lam
    marks: list[Mark] = [_ball(x, mu, norm, int(k) - 1) for x, k in zip(X, y, strict=True)]
    marks += labeled(X, y)
    pair = mem.closest_pair(X, y, norm)
    ends = X[[pair.i, pair.k]]
    marks.append(Line(ends[:, 0], ends[:, 1], role="ink", dash=True, width=1.5))
    said, room, warning = f"In the {_NAMES[p]} ", number(lam - 2 * mu), None
    clash = mem.contradiction(X, y, mu, norm)
    if clash is not None:
        a, b = clash.point.tolist()
        marks.append(Points([a], [b], label="two labels claim it", role="ink", size=11.0))
        how, needed = "touch" if clash.depth == 0.0 else "overlap", "∞"
        said += f"two balls {how}: the point halfway would need the values "
        said += "{:.0f} and {:.0f}.".format(*clash.labels)
        warning = "No function, continuous or not, is right on all closed balls."
    else:
        slope = mem.smallest_slope(X, y, mu, norm)
        i, k, needed = slope.i or 0, slope.k or 0, number(slope.value)
        said += f"balls of different labels are at least {room} apart, and the function has to "
        said += f"climb at the rate {needed}. "
        decides = f"A pair with labels {y[i]:.0f} and {y[k]:.0f} decides."
        said += "The closest pair decides." if {i, k} == {pair.i, pair.k} else decides
    return View(
        x=Axis(label="first coordinate", limits=_LIMITS),
        y=Axis(label="second coordinate", limits=_LIMITS),
        equal=True,
        marks=marks,
        sentence=said,
        readouts={
            "separation *λ*": number(lam),
            "budget *μ*": number(mu),
            "room *λ* − 2*μ*": room,
            "slope needed": needed,
        },
        warning=warning,
    )


def _parsed(parts: list[tuple[int, str]]) -> tuple[FloatArray, FloatArray]:
    rows = []
    for place, part in parts:
        try:
            numbers = [float(word) for word in part.replace(",", " ").split()]
        except ValueError:
            numbers = []
        if len(numbers) != 3:
            raise ValueError(
                "points must be triples 'x y label' with semicolons between them, got "
                f"{part!r} as number {place}"
            )
        rows.append(numbers)
    table = np.array(rows)
    return table[:, :2], table[:, 2]


@lab(
    "Separate your own points",
    points=typed("points: x y label; x y label; … (empty: drawn)"),
    N=slider("points *N*", range(5, 21), start=12),
    classes=slider("labels", [1, 2, 3, 4, 5], start=2),
    p=_NORM,
    share=slider("budget *μ*/*λ*", [k / 20 for k in range(15)], start=0.45),
    seed=slider("seed", range(20), start=1),
)
def separate_points(points: str, N: int, classes: int, p: str, share: float, seed: int) -> Picture:
    """Measure the separation of points of the plane, print what it means, draw the balls."""
    norm = NORMS[p]
    if parts := typed_parts(points):
        X, y = _parsed(parts)
    else:
        X, y = mem.plane_points(N, classes, rng=seed)
    mem.checked_data(X, y, 0.0, norm)
    pair = mem.closest_pair(X, y, norm)
    lam, mu = pair.distance, share * pair.distance
    print(f"lambda = {lam:.4g}: rows {pair.i} and {pair.k}", end=", ")
    print(f"labels {y[pair.i]:g} and {y[pair.k]:g}")
    print(f"every budget below {lam / 2:.4g} can be reached")
    clash = mem.contradiction(X, y, mu, norm)
    if clash is None:
        slope = mem.smallest_slope(X, y, mu, norm)
        print(f"at mu = {mu:.4g} a Lipschitz constant of {slope.value:.4g} is needed, and enough")
    else:
        print(f"at mu = {mu:.4g} the point {clash.point.round(4).tolist()} would need two values")
    at = None if clash is None else (float(clash.point[0]), float(clash.point[1]))
    panel = figures.BallPanel(f"*μ* = {number(share)} *λ*", mu, norm, (pair.i, pair.k), at)
    return figures.balls_picture(X, y, [panel], name="own-points")
