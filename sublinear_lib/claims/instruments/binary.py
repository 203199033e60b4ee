r"""Data with exact numbers, and what is counted of a network, for the claims of Part II.

Before changing it, know that coordinates and budgets are binary: exact evaluation and closed form
are compared for equality.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.claims import Budget
from sublinear_lib.claims.collector import Rng
from sublinear_lib.memorization import ReLUNetwork, constructions

NEARLY = 1 - Fraction(1, 10**30)


def rational(row: FloatArray) -> list[Fraction]:
    """Return numbers as fractions."""
    return [Fraction(value) for value in row.tolist()]


def distance(first: list[Fraction], second: list[Fraction], p: float) -> Fraction:
    """Return the distance of two points, for p = 2 its square, in exact arithmetic."""
    gaps = [abs(a - b) for a, b in zip(first, second, strict=True)]
    if p == math.inf:
        return max(gaps)
    return sum((gap if p == 1.0 else gap * gap for gap in gaps), Fraction(0))


def between(first: list[Fraction], second: list[Fraction], t: Fraction) -> list[Fraction]:
    """Return the point of a segment at the share t of the way."""
    return [a + t * (b - a) for a, b in zip(first, second, strict=True)]


def labels(N: int, most: int) -> FloatArray:
    """Return the labels 1, 2, ... in turns."""
    return np.asarray(1.0 + np.arange(N) % most, dtype=np.float64)


def counted(network: ReLUNetwork) -> tuple[int, int, int]:
    """Count width, depth and nonzero parameters, matrix by matrix."""
    hidden = [layer.weight.shape[0] for layer in network.layers[:-1]]
    entries = [
        np.count_nonzero(layer.weight.toarray()) + np.count_nonzero(layer.bias)
        for layer in network.layers
    ]
    return max(hidden), len(network.layers), int(sum(entries))


def probes(
    X: FloatArray, mu: float, power: int, rng: Rng, p: float = math.inf
) -> tuple[FloatArray, FloatArray, list[int]]:
    """Draw binary points of the closed balls, others, and whose ball each of the first is in.

    The others are points of the cube and, since the bumps are steep, points on the flanks: less
    than ``2^-power`` outside of the ball in one coordinate.
    """
    N, n = X.shape
    rows = np.arange(N)
    inside = []
    for draw in range(3):
        signs = rng.choice([-1.0, 1.0], (N, n))
        if p == math.inf:
            share = np.ones((N, n)) if draw else rng.integers(0, 9, (N, n)) / 8
        else:
            share = np.zeros((N, n))
            share[rows, rng.integers(n, size=N)] = 1.0 if draw else 0.5
        inside.append(X + mu * signs * share)
    flank = inside[-1] - X
    most = rows, np.abs(flank).argmax(axis=1)
    flank[most] += np.sign(flank[most]) * rng.integers(1, 8, N) / 8 * 2.0**-power
    outside = rng.integers(-64, 321, (N, n)) / 256
    return np.concatenate(inside), np.concatenate((outside, X + flank)), 3 * list(range(N))


def sizes(budget: Budget) -> list[tuple[int, int]]:
    """Return numbers N of samples and n of features."""
    chosen: list[tuple[int, int]] = budget.pick(
        [(2, 1), (5, 2), (12, 7), (9, 33)], [(2, 1), (5, 2), (12, 7), (60, 33), (40, 64), (300, 20)]
    )
    return chosen


def as_counts(size: constructions.Size) -> tuple[int, int, int]:
    """Return width, depth and nonzero parameters."""
    return size.width, size.depth, size.nonzeros
