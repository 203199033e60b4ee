"""The threshold lambda/2 (Proposition II.1): balls of the plane, their closest pair, the price."""

from __future__ import annotations

from functools import cache

import numpy as np

from sublinear_lib import memorization as mem
from sublinear_lib._typing import FloatArray
from sublinear_lib.chapters._common import NORM_NAMES, NORMS, labeled, typed_rows
from sublinear_lib.chapters.robust_memorization_and_its_threshold import figures
from sublinear_lib.plotting import SERIES, Picture, number
from sublinear_lib.widgets import Axis, Band, Line, Mark, Points, View
from sublinear_lib.widgets.declaration import explorer, lab, menu, slider, typed

_NAMES = {"inf": "maximum norm", "2": "Euclidean norm", "1": "sum norm"}
_TURN = np.pi * (1.0 - np.arange(13) / 12)
# The upper half of the balls of radius 1.
_ARCS = {
    "inf": (np.array([-1.0, 1.0]), np.array([1.0, 1.0])),
    "2": (np.cos(_TURN), np.sin(_TURN)),
    "1": (np.array([-1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])),
}
_LIMITS = (-0.38, 1.38)
_NORM = menu("norm *p*", {p: NORM_NAMES[p] for p in _NAMES})


@cache
def _points() -> tuple[FloatArray, FloatArray]:
    return mem.plane_points(7, 3, rng=5)


def _ball(x: FloatArray, mu: float, p: str, label: float) -> Band:
    """Return a ball as the area between two curves, with three decimals: finer than a pixel."""
    across, half = _ARCS[p]
    rows = (np.round(v, 3) for v in (x[0] + mu * across, x[1] - mu * half, x[1] + mu * half))
    return Band(*rows, role=SERIES[int(label) - 1])


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
    marks: list[Mark] = [_ball(x, mu, p, k) for x, k in zip(X, y, strict=True)]
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


def _triple(words: list[str]) -> list[float]:
    a, b, label = (float(word) for word in " ".join(words).replace(",", " ").split())
    return [a, b, label]


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
    wanted = "points must be triples 'x y label' with semicolons between them"
    if rows := typed_rows(points, wanted, _triple):
        X, y = np.array(rows)[:, :2], np.array(rows)[:, 2]
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
