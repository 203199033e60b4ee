"""The explorer of the network that memorizes: its bumps in the plane, its size, its weights.

It builds the network for every position, counts it, and evaluates it in float32 at points of the
balls; every number comes from `sublinear_lib.memorization`.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.memorization import (
    bump_outline,
    memorize,
    memorize_l1,
    memorize_l2,
    plane_points,
    separation,
)
from sublinear_lib.plotting import SERIES, number
from sublinear_lib.validation import choice, scalar
from sublinear_lib.widgets._menus import NORM_NAMES, NORMS
from sublinear_lib.widgets.controls import Choice, Slider
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.views import Axis, Band, Mark, Points, View

__all__ = ["BUILD", "memorizer_explorer", "memorizer_view"]

BUILD = {"inf": memorize, "1": memorize_l1, "2": memorize_l2}
"""What builds a memorizer, by norm."""

_SHARES = [k / 50 for k in range(1, 25)] + [0.485, 0.49, 0.495, 0.499, 0.4999, 0.49999, 0.499999]
_LEVELS = (0.0, 0.5, 1.0)
_LIMITS = (-0.35, 1.35)
_PROBES = 48


@cache
def _points() -> tuple[FloatArray, FloatArray]:
    """Return six labeled points of the plane.

    Tenths are no binary fractions, so that coordinates are rounded, as those of real data are.
    """
    plane, y = plane_points(6, 3, rng=29)
    return 0.05 + 0.9 * plane, y


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


def memorizer_view(share: float, p: str) -> View:
    r"""Show the bumps of a memorizer of six points of the plane, and what the network costs.

    Parameters
    ----------
    share : float
        The budget in units of the separation, ``0 < mu / lambda < 1/2``.
    p : {"inf", "1", "2"}
        The norm.

    Returns
    -------
    View
        Level sets of the bumps; the size of the network, the largest weight, and the deviation of
        float32 at points of the balls.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    Source: Theorems II.4.8, II.B.2 and II.B.3, after Yu, Gao and Zhang (2024).
    """
    share = scalar(share, "share", exclusive_minimum=0.0)
    norm = NORMS[choice(p, "p", tuple(NORMS))]
    X, y = _points()
    mu = share * separation(X, y, norm)
    memorizer = BUILD[p](X, y, mu)
    marks: list[Mark] = []
    for i in np.argsort(y, kind="stable").tolist():
        marks += [_band(bump_outline(memorizer, i, v), "", int(y[i]) - 1) for v in _LEVELS]
    marks += [
        Points(X[y == label, 0], X[y == label, 1], label=f"label {label:.0f}", role=SERIES[place])
        for place, label in enumerate(np.unique(y).tolist())
    ]
    points, labels = _edge_points(X, y, mu, norm)
    values = memorizer.network(points, dtype=np.float32).astype(np.float64)
    error = float(np.abs(values - labels).max())
    size, weight = memorizer.size, number(memorizer.network.largest_weight)
    return View(
        x=Axis(label="first coordinate", limits=_LIMITS),
        y=Axis(label="second coordinate", limits=_LIMITS),
        equal=True,
        marks=marks,
        sentence=(
            f"{size.nonzeros} nonzero parameters, and the largest weight is {weight}. In float32 "
            f"the network is off by at most {_short(error)} at {len(points)} points of the balls."
        ),
        readouts={
            "width × depth": f"{size.width} × {size.depth}",
            "nonzero parameters": f"{size.nonzeros}",
            "largest weight": weight,
            "error in float32": _short(error),
        },
        warning="float32 gives wrong labels here." if error >= 0.5 else None,
    )


def _short(value: float) -> str:
    """Write an error with one digit, which is as much as it says."""
    return "0" if value == 0.0 else number(value, 1)


def memorizer_explorer() -> Explorer:
    """Build the explorer of the network that memorizes.

    Returns
    -------
    Explorer
        Budgets from 0.02 lambda to just below the threshold, and three norms.

    Notes
    -----
    Source: Theorems II.4.8, II.B.2 and II.B.3, after Yu, Gao and Zhang (2024).
    """
    return Explorer(
        memorizer_view,
        [
            Slider("share", "budget *μ*/*λ*", _SHARES, start=0.44, format="{:g}"),
            Choice("p", "norm *p*", NORM_NAMES),
        ],
        title="What does a larger budget cost?",
        description=(
            "Six points with three labels. Each bump is drawn at its foot, at half its height and "
            "on its plateau, which holds the ball."
        ),
        name="memorizer-explorer",
    )
