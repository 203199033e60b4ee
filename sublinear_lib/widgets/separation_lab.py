"""The live labs of the chapter on the threshold: your own points, and handwritten digits.

The first measures the separation of points that the reader types or draws, and shows their balls;
the second follows the separation of more and more images of digits.  No formula
lives here.  Before changing it, know that a line of points that has a mistake must raise an error
that names it: bad data are part of the lesson.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib import statistics
from sublinear_lib._typing import FloatArray
from sublinear_lib.memorization import (
    checked_data,
    closest_pair,
    contradiction,
    digits,
    plane_points,
    separation,
    smallest_slope,
)
from sublinear_lib.plotting import BallPanel, Picture, balls_picture, growth_picture, number
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets._common import typed_parts
from sublinear_lib.widgets._menus import NORM_NAMES, NORMS
from sublinear_lib.widgets.controls import Choice, Slider, Text
from sublinear_lib.widgets.live_lab import LiveLab

__all__ = ["digits_lab", "own_points_lab", "separate_digits", "separate_points"]

_NORM_NAMES = {p: NORM_NAMES[p] for p in ("inf", "2", "1")}
_GRAYS = 16
_FIRST = 25


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


def separate_digits(N: int, p: str, labels: str, draws: int, seed: int) -> Picture:
    """Follow the separation of more and more digits, print the last, draw the way.

    Parameters
    ----------
    N : int
        Largest number of images, 50 to 1796.
    p : {"inf", "2", "1"}
        The norm.
    labels : {"class", "parity"}
        Labels from 1 to 10, or even against odd.
    draws : int
        Number of random subsets of each size, ``>= 6``.
    seed : int
        Seed of the subsets, ``>= 0``.

    Returns
    -------
    Picture
        The median of the separation in gray levels with its 95 % interval, against the number of
        images.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Proposition II.1; the images are scikit-learn's digits, 8 by 8 pixels of 17 gray levels.
    """
    N = count(N, "N", minimum=50, maximum=1796)
    draws = count(draws, "draws", minimum=6)
    seed = count(seed, "seed", minimum=0)
    norm = NORMS[choice(p, "p", tuple(NORMS))]
    kind = choice(labels, "labels", ("class", "parity"))
    sizes = [N]
    while sizes[0] // 2 >= _FIRST:
        sizes.insert(0, sizes[0] // 2)
    rows = []
    for size in sizes:
        found = []
        for generator in statistics.spawn(np.random.SeedSequence([seed, size]), draws):
            data = digits(size, rng=generator, labels=kind)  # type: ignore[arg-type]
            found.append(_GRAYS * separation(data.X, data.y, norm))
        middle = statistics.median_interval(found)
        rows.append((middle.estimate, middle.lower, middle.upper))
    print(
        f"{N} images: lambda = {rows[-1][0]:.4g} gray levels in the median of {draws} draws", end=""
    )
    print(f" [{rows[-1][1]:.4g}, {rows[-1][2]:.4g}]")
    print(f"every budget below {rows[-1][0] / 2:.4g} gray levels can be reached there")
    return growth_picture(
        sizes,
        {f"*p* = {'∞' if p == 'inf' else p}": rows},
        xlabel="number of images *N*",
        ylabel="separation *λ*, in gray levels",
        yscale="linear",
        name="digits-lab",
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


def digits_lab() -> LiveLab:
    """Build the lab that follows the separation of digits.

    Returns
    -------
    LiveLab
        Controls for the number of images, norm, labels, number of draws and seed.

    Notes
    -----
    Source: Proposition II.1.
    """
    return LiveLab(
        separate_digits,
        [
            Slider("N", "images *N*", [100, 200, 400, 800, 1600], start=800),
            Choice("p", "norm *p*", _NORM_NAMES),
            Choice("labels", "labels", {"class": "the ten digits", "parity": "even against odd"}),
            Slider("draws", "draws of each size", [6, 10, 20], start=10),
            Slider("seed", "seed", list(range(10)), start=0),
        ],
        title="How separated are handwritten digits?",
    )
