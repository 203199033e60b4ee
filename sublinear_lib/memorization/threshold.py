r"""The threshold lambda/2: what fails at and beyond it, and what any function needs below it.

For budgets ``mu >= lambda/2`` the closed balls of a closest pair share a point, which would need
two values; for ``mu < lambda/2`` an explicit continuous function is right on all balls, and
`smallest_slope` is the Lipschitz constant that no such function can avoid.  These functions are no
networks: they are what a network is measured against.  Before changing them, know that the slope is
not always decided by the closest pair: a pair farther apart may have labels farther apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sublinear_lib import validation
from sublinear_lib._arguments import described
from sublinear_lib._typing import FloatArray
from sublinear_lib.memorization.datasets import (
    CheckedData,
    checked_data,
    checked_norm,
    closest_pair,
    distances,
)

__all__ = ["contradiction", "extension", "nearest_other", "smallest_slope"]

_ROWS = 512


@dataclass(frozen=True, eq=False)
class Contradiction:
    """A point in the balls of two differently labeled points.

    Fields: `point` (n,): halfway between the two; read-only; `labels`: the two values that the
    point would need; `depth`: ``mu - lambda/2``, how far the balls reach into each other from the
    middle; 0 where they only touch.
    """

    point: FloatArray
    labels: tuple[float, float]
    depth: float


@dataclass(frozen=True)
class Slope:
    """The least Lipschitz constant of a function that is right on all balls.

    Fields: `value`: the constant, labels per unit of the norm p; `i`, `k`: the rows of a pair that
    decides it, ``i < k``; None if there is one label only.
    """

    value: float
    i: int | None
    k: int | None


@described
def contradiction(X: object, y: object, mu: object, p: float = math.inf) -> Contradiction | None:
    """Return a point that is in the closed balls of two different labels, if there is one.

    Here `mu`: the budget, ``>= 0``, absolute units of the norm p; `p`: the norm.

    The midpoint of a closest pair if ``mu >= lambda/2``; None below, where the balls of different
    labels have no common point.

    Raises TypeError, ValueError: if an argument does not hold finite real numbers of the right
    shape, there is one label only, or the budget is negative.

    Source: our Proposition II.1, after Yu, Gao and Zhang (2024).

    >>> contradiction([[0.0], [1.0]], [1, 2], 0.5).point
    array([0.5])
    >>> contradiction([[0.0], [1.0]], [1, 2], 0.49) is None
    True
    """
    budget = validation.scalar(mu, "mu", minimum=0.0)
    pair = closest_pair(X, y, p)
    if 2 * budget < pair.distance:
        return None
    points, labels = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    point = points[pair.i] + 0.5 * (points[pair.k] - points[pair.i])
    point.flags.writeable = False
    wanted = (float(labels[pair.i]), float(labels[pair.k]))
    return Contradiction(point, wanted, budget - pair.distance / 2)


def _slope(data: CheckedData) -> Slope:
    if data.pair is None:
        return Slope(0.0, None, None)
    best, pair = -1.0, (0, 0)
    for start in range(0, len(data.X), _ROWS):
        rows = slice(start, min(start + _ROWS, len(data.X)))
        apart = np.abs(data.y[rows, None] - data.y[None, :])
        # No pair is closer than lam; sums of the distances may have been rounded below it.
        far = np.maximum(distances(data.X[rows], data.X, data.p), data.lam)
        slopes = apart / (far - 2 * data.mu)
        at = int(np.argmax(slopes))
        if slopes.flat[at] > best:
            best = float(slopes.flat[at])
            row, column = divmod(at, len(data.X))
            pair = (start + row, column)
    return Slope(best, min(pair), max(pair))


def smallest_slope(X: object, y: object, mu: object, p: float = math.inf) -> Slope:
    r"""Return the least Lipschitz constant of a function with ``F = y_i`` on every ball.

    ``max |y_i - y_k| / (||x_i - x_k||_p - 2 mu)`` over the pairs with different labels, and a pair
    where it is reached; 0 if there is one label only.  Source: our Proposition II.1.  Between the
    balls of rows i and k the distance is ``||x_i - x_k||_p - 2 mu`` and the values differ by ``|y_i
    - y_k|``, so no function can do with less; `extension` does with that.  ``N^2 n`` operations,
    ``O(N)`` memory at a time.

    >>> smallest_slope([[0.0], [1.0]], [1, 2], 0.25)
    Slope(value=2.0, i=0, k=1)
    >>> smallest_slope([[0.0], [1.0], [2.5]], [1, 2, 9], 0.25)  # not the closest pair
    Slope(value=7.0, i=1, k=2)
    """
    return _slope(checked_data(X, y, mu, p, two_labels=False))


@described
def extension(X: object, y: object, mu: object, x: object, p: float = math.inf) -> FloatArray:
    r"""Evaluate a function of the least Lipschitz constant that is right on all balls.

    Here `mu`: the budget, ``0 <= mu < lambda/2``, absolute units of the norm p; `p`: the norm.

    ``min_i (y_i + L max(||x - x_i||_p - mu, 0))`` with L of `smallest_slope`.

    Raises TypeError, ValueError: as `checked_data`, or if `x` does not hold points of the same
    dimension.

    Source: McShane's extension, here of the labels from the balls to the whole space.

    >>> extension([[0.0], [1.0]], [1, 2], 0.25, [[0.25], [0.5], [0.75]])
    array([1. , 1.5, 2. ])
    """
    data = checked_data(X, y, mu, p, two_labels=False)
    where = validation.float_array(x, "x", shape=(None, data.X.shape[1]))
    slope = _slope(data).value
    values = np.full(len(where), np.inf)
    for start in range(0, len(data.X), _ROWS):
        rows = slice(start, start + _ROWS)
        outside = np.maximum(distances(where, data.X[rows], data.p) - data.mu, 0.0)
        np.minimum(values, (data.y[rows] + slope * outside).min(axis=1), out=values)
    return values


@described
def nearest_other(X: object, y: object, p: float = math.inf) -> FloatArray:
    """Return for every point the distance to the nearest point with another label.

    Here `p`: the norm.

    The distances; their minimum is the separation lambda, and all are infinite if there is one
    label only.  Balls of less than half these radii, each point with its own, still do not meet
    where labels differ.

    Raises TypeError, ValueError: if an argument does not hold finite real numbers of the right
    shape.

    >>> nearest_other([[0.0], [1.0], [4.0]], [1, 2, 1])
    array([1., 1., 3.])
    """
    points = validation.float_array(X, "X", shape=("N", "n"))
    labels = validation.float_array(y, "y", shape=(len(points),))
    norm = checked_norm(p)
    found = np.empty(len(points))
    for start in range(0, len(points), _ROWS):
        rows = slice(start, start + _ROWS)
        far = distances(points[rows], points, norm)
        found[rows] = np.where(labels[rows, None] != labels[None, :], far, np.inf).min(axis=1)
    return found
