"""The live lab of the chapter on the threshold: your own points.

It measures the separation of points that the reader types or draws, and shows their balls.  No
formula lives here.  Before changing it, know that a line of points that has a mistake must raise an
error that names it: bad data are part of the lesson.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.chapters.robust_memorization_and_its_threshold.figures import (
    BallPanel,
    balls_picture,
)
from sublinear_lib.memorization import (
    checked_data,
    closest_pair,
    contradiction,
    plane_points,
    smallest_slope,
)
from sublinear_lib.plotting import Picture, number
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets._common import typed_parts
from sublinear_lib.widgets._menus import NORM_NAMES, NORMS
from sublinear_lib.widgets.controls import Choice, Slider, Text
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["own_points_lab", "separate_points"]

_NORM_NAMES = {p: NORM_NAMES[p] for p in ("inf", "2", "1")}


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


def separate_points(points: str, N: int, classes: int, p: str, share: float, seed: int) -> Picture:
    """Measure the separation of points of the plane, print what it means, draw the balls.

    Parameters
    ----------
    points : str
        Triples ``x y label`` with semicolons between them; if empty, points are drawn.
    N : int
        Number of points to draw, ``>= 2``.
    classes : int
        Number of labels to draw, 1 to 5, at most N.
    p : {"inf", "2", "1"}
        The norm.
    share : float
        The radius of the balls that are drawn, in units of the separation, ``>= 0``.
    seed : int
        Seed of the drawn points, ``>= 0``.

    Returns
    -------
    Picture
        The points, their balls and the closest pair; a cross where two labels claim a point.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range, a triple cannot be read, equal points
        have different labels, or there is one label only.

    Notes
    -----
    Source: Proposition II.1, after Yu, Gao and Zhang (2024).
    """
    norm = NORMS[choice(p, "p", tuple(NORMS))]
    share = scalar(share, "share", minimum=0.0)
    if typed := typed_parts(points, "points"):
        X, y = _parsed(typed)
    else:
        X, y = plane_points(N, count(classes, "classes", maximum=5), rng=seed)
    checked_data(X, y, 0.0, norm)
    pair = closest_pair(X, y, norm)
    lam, mu = pair.distance, share * pair.distance
    print(f"lambda = {lam:.4g}: rows {pair.i} and {pair.k}", end=", ")
    print(f"labels {y[pair.i]:g} and {y[pair.k]:g}")
    print(f"every budget below {lam / 2:.4g} can be reached")
    clash = contradiction(X, y, mu, norm)
    if clash is None:
        slope = smallest_slope(X, y, mu, norm)
        print(f"at mu = {mu:.4g} a Lipschitz constant of {slope.value:.4g} is needed, and enough")
    else:
        print(f"at mu = {mu:.4g} the point {clash.point.round(4).tolist()} would need two values")
    return balls_picture(
        X,
        y,
        [
            BallPanel(
                f"*μ* = {number(share)} *λ*",
                mu,
                norm,
                (pair.i, pair.k),
                None if clash is None else (float(clash.point[0]), float(clash.point[1])),
            )
        ],
        name="own-points",
    )


def own_points_lab() -> LiveLab:
    """Build the lab that measures points of the reader's own.

    Returns
    -------
    LiveLab
        A line for points, and controls for number, labels, norm, radius and seed.

    Notes
    -----
    Source: Proposition II.1.
    """
    return LiveLab(
        separate_points,
        [
            Text("points", "points: x y label; x y label; … (empty: drawn)"),
            Slider("N", "points *N*", list(range(5, 21)), start=12),
            Slider("classes", "labels", [1, 2, 3, 4, 5], start=2),
            Choice("p", "norm *p*", _NORM_NAMES),
            Slider("share", "budget *μ*/*λ*", [k / 20 for k in range(15)], start=0.45),
            Slider("seed", "seed", list(range(20)), start=1),
        ],
        title="Separate your own points",
    )
