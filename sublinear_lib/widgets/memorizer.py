"""The explorer of the network that memorizes: its bumps in a plane, its size, its weights.

It builds the network for every position, counts it, and evaluates it in two formats at points of
the balls; every number comes from `sublinear_lib.memorization`.  Before changing it, know why the
picture does not change with n: the points lie in a plane of the n-dimensional space, all other
coordinates are equal, so that distances and bumps in that plane are those of n = 2, and only the
network grows.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.memorization import (
    Memorizer,
    bump_outline,
    closest_pair,
    contradiction,
    memorize,
    memorize_l1,
    memorize_l2,
    plane_points,
    separation,
)
from sublinear_lib.plotting import SERIES, grouped, number
from sublinear_lib.validation import choice, count, scalar
from sublinear_lib.widgets._menus import NORM_NAMES, NORMS
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Band, Mark, Points, View

__all__ = ["BUILD", "memorizer_explorer", "memorizer_view"]

BUILD = {"inf": memorize, "1": memorize_l1, "2": memorize_l2}
"""What builds a memorizer, by norm."""

_FORMULA = {
    "inf": "*N*(8*n* + 5)",
    "1": "*N*(8*n* + 7) + 2",
    "2": "*N*(*K*(8*n* + 2) + 9*n* + 8) − *n*",
}
_PLAIN = {"inf": "N(8n + 5)", "1": "N(8n + 7) + 2", "2": "N(K(8n + 2) + 9n + 8) − n"}
_SHARES = [0.05, 0.15, 0.25, 0.35, 0.45, 0.485, 0.499, 0.499999, 0.5, 0.55]
_LEVELS = (0.0, 0.5, 1.0)
_LIMITS = (-0.35, 1.35)
_SEED = 29
_PROBES = 48
_ROUND = 24


@lru_cache(maxsize=32)
def _points(N: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Return labeled points of a plane in n dimensions.

    Tenths are no binary fractions, so that coordinates are rounded, as those of real data are.
    """
    plane, y = plane_points(N, 3, rng=_SEED)
    X = np.full((N, n), 0.3)
    X[:, :2] = 0.05 + 0.9 * plane
    return X, y


def _band(outline: FloatArray, label: str, index: int) -> Band:
    """Return a convex outline as the area between two curves."""
    start, end = outline, np.roll(outline, -1, axis=0)
    level = np.sort(outline[:, 0])
    across = level[np.append(True, np.diff(level) > 1e-9)]
    left = np.minimum(start[:, 0], end[:, 0]) - 1e-9
    right = np.maximum(start[:, 0], end[:, 0]) + 1e-9
    # The heights at which edges pass over each place; an upright edge ends at two others.
    slanted = right - left > 1e-8
    start, end = start[slanted], end[slanted]
    way = (across[:, None] - start[:, 0]) / (end[:, 0] - start[:, 0])
    heights = start[:, 1] + way * (end[:, 1] - start[:, 1])
    here = (left[slanted] <= across[:, None]) & (across[:, None] <= right[slanted])
    low = np.where(here, heights, np.inf).min(axis=1)
    high = np.where(here, heights, -np.inf).max(axis=1)
    # Three decimals are finer than a pixel, and short in the page.
    rows = (np.round(v, 3) for v in (across, low, high))
    return Band(*rows, label=label, role=SERIES[index])


def _edge_points(X: FloatArray, y: FloatArray, mu: float, p: float) -> tuple[FloatArray, ...]:
    """Return points at the edge of the balls, as float64 has them, and their labels."""
    rng = np.random.default_rng(0)
    nearest = np.empty_like(X)
    for k, x in enumerate(X):
        others = X[y != y[k]]
        sizes = np.linalg.norm(others - x, p, axis=1)
        nearest[k] = others[np.argmin(sizes)] - x
    directions = [nearest, *(rng.choice([-1.0, 1.0], X.shape) for _ in range(_PROBES))]
    if p == 1.0:
        axes = [np.eye(X.shape[1])[rng.integers(X.shape[1], size=len(X))] for _ in range(_PROBES)]
        directions += [row * way for row, way in zip(axes, directions[1:], strict=True)]
    points = [X + mu * d / np.linalg.norm(d, p, axis=1, keepdims=True) for d in directions]
    return np.concatenate(points), np.tile(y, len(points))


def _errors(memorizer: Memorizer) -> tuple[tuple[float, float], int]:
    """Return the largest deviations from the label in two formats, and at how many points."""
    assert memorizer.mu is not None
    points, labels = _edge_points(memorizer.X, memorizer.y, memorizer.mu, memorizer.p)
    wide, narrow = (
        float(np.abs(memorizer.network(points, dtype=kind).astype(np.float64) - labels).max())
        for kind in (np.float64, np.float32)
    )
    return (wide, narrow), len(points)


def _short(value: float) -> str:
    """Write an error with one digit, which is as much as it says."""
    return "0" if value == 0.0 else number(value, 1)


def memorizer_view(share: float, n: int, N: int, p: str) -> View:
    r"""Show the bumps of a memorizer in the plane of its points, and what the network costs.

    Parameters
    ----------
    share : float
        The budget in units of the separation, ``mu / lambda > 0``.
    n : int
        The dimension, ``>= 2``.
    N : int
        The number of points, ``>= 3``; they have three labels.
    p : {"inf", "1", "2"}
        The norm.

    Returns
    -------
    View
        Level sets of the bumps; the counts of the network beside the formula, the largest weight,
        and the deviations of float64 and float32 at points of the balls.  From ``mu = lambda/2`` on
        the balls and the point that two labels claim.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Theorems II.4.8, II.B.2 and II.B.3, after Yu, Gao and Zhang (2024).
    """
    share = scalar(share, "share", exclusive_minimum=0.0)
    n, N = count(n, "n", minimum=2), count(N, "N", minimum=3)
    norm = NORMS[choice(p, "p", tuple(NORMS))]
    X, y = _points(N, n)
    lam = separation(X, y, norm)
    mu = share * lam
    if 2 * mu >= lam:
        return _refused(X, y, mu, lam, p)
    memorizer = BUILD[p](X, y, mu)
    marks: list[Mark] = []
    for i in np.argsort(y, kind="stable").tolist():
        marks += [_band(bump_outline(memorizer, i, v), "", int(y[i]) - 1) for v in _LEVELS]
    marks += _dots(X, y)
    size, formula = memorizer.size, memorizer.size_by_formula
    (wide, narrow), tried = _errors(memorizer)
    weight = memorizer.network.largest_weight
    with_terms = "" if memorizer.terms is None else f" with K = {memorizer.terms}"
    agrees = "exactly" if size == formula else f"{formula.nonzeros - size.nonzeros} fewer than"
    spoiled = ""
    if narrow >= 0.5:
        spoiled = (
            f"In float32 the network is wrong already: an error of {_short(narrow)} is at least "
            "half the distance of two labels. The theorem has real weights; the hypothesis that "
            "fails is that these numbers can be stored."
        )
    gamma = "λ − 2μ" if p != "2" else "λ(λ − 2μ) in units of (2R)², less the sawtooth error,"
    return View(
        x=Axis(label="first coordinate", limits=_LIMITS),
        y=Axis(label="second coordinate", limits=_LIMITS),
        equal=True,
        marks=marks,
        sentence=(
            f"{N} points in {n} dimensions, λ = {number(lam)}, μ = {share:.6g} λ: width "
            f"{grouped(size.width)}, depth {grouped(size.depth)} and {grouped(size.nonzeros)} "
            f"nonzero parameters, {agrees} {_PLAIN[p]}{with_terms}. The bumps fall from full "
            f"height to 0 over {gamma} = {number(memorizer.margin)}, so that the largest weight is "
            f"{number(weight)}. At {tried} points of the "
            f"edges of the balls float64 is off by at most {_short(wide)}, float32 by "
            f"{_short(narrow)}."
        ),
        readouts={
            "width × depth": f"{grouped(size.width)} × {grouped(size.depth)}",
            "nonzeros, counted": grouped(size.nonzeros),
            _FORMULA[p]: grouped(formula.nonzeros),
            "all slots": grouped(memorizer.network.parameters),
            "largest weight": number(weight),
            "error float64": _short(wide),
            "error float32": _short(narrow),
        },
        warning=spoiled or None,
    )


def _dots(X: FloatArray, y: FloatArray) -> list[Mark]:
    return [
        Points(X[y == label, 0], X[y == label, 1], label=f"label {label:.0f}", role=SERIES[place])
        for place, label in enumerate(np.unique(y).tolist())
    ]


def _refused(X: FloatArray, y: FloatArray, mu: float, lam: float, p: str) -> View:
    """Return the view of a budget that no network reaches: the balls alone."""
    norm = NORMS[p]
    pair, clash = closest_pair(X, y, norm), contradiction(X, y, mu, norm)
    assert clash is not None
    # The balls are the plateaus of memorizers of a far apart pair; many terms make disks round.
    marks: list[Mark] = []
    for i in np.argsort(y, kind="stable").tolist():
        away = X[i] + 8.0 * (mu + 1.0)
        pair_of = np.vstack([X[i], away])
        if p == "2":
            lone = memorize_l2(pair_of, [1.0, 2.0], mu, terms=_ROUND)
        else:
            lone = BUILD[p](pair_of, [1.0, 2.0], mu)
        marks.append(_band(bump_outline(lone, 0, 1.0), "", int(y[i]) - 1))
    marks += _dots(X, y)
    marks.append(
        Points(
            [float(clash.point[0])],
            [float(clash.point[1])],
            label="two labels claim it",
            role="ink",
            size=11.0,
        )
    )
    how = "touch" if 2 * mu == lam else "overlap"
    first, second = clash.labels
    return View(
        x=Axis(label="first coordinate", limits=_LIMITS),
        y=Axis(label="second coordinate", limits=_LIMITS),
        equal=True,
        marks=marks,
        sentence=(
            f"{len(X)} points in {X.shape[1]} dimensions, λ = {number(lam)}, μ = "
            f"{number(mu / lam)} λ = {number(mu)}: the balls of rows {pair.i} and {pair.k} {how}, "
            f"and the point halfway would need the values {first:.0f} and {second:.0f}. There is "
            "no network to count."
        ),
        readouts={
            "width × depth": "none",
            "nonzeros, counted": "none",
            _FORMULA[p]: "none",
            "all slots": "none",
            "largest weight": "∞",
            "error float64": "none",
            "error float32": "none",
        },
        warning=(
            f"The hypothesis μ < λ/2 fails: c = λ − 2μ = {number(lam - 2 * mu)} is not positive, "
            "the weight y/c has no meaning, and no function at all is right on these closed balls."
        ),
    )


def memorizer_explorer() -> Explorer:
    """Build the explorer of the network that memorizes.

    Returns
    -------
    Explorer
        Budgets from 0.05 to 0.55 lambda, four dimensions, 3 to 6 points and three norms.

    Notes
    -----
    Source: Theorems II.4.8, II.B.2 and II.B.3, after Yu, Gao and Zhang (2024).
    """
    return Explorer(
        memorizer_view,
        [
            Slider("share", "budget *μ*/*λ*", _SHARES, start=0.45, format="{:g}"),
            Slider("n", "dimension *n*", [2, 4, 16, 64], start=2),
            Slider("N", "points *N*", [3, 4, 6], start=6),
            Choice("p", "norm *p*", NORM_NAMES),
        ],
        title="What does a larger budget cost?",
        description=(
            "Each bump is drawn at its foot, at half its height and on its plateau, which holds "
            "the ball. The points lie in a plane; *n* is the dimension around it."
        ),
        name="memorizer-explorer",
    )
