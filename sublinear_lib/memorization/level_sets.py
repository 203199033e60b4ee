r"""The level sets of one bump in the plane, as polygons: what a picture of a memorizer needs.

A memorizer is a maximum of bumps ``h_i relu(1 - s_i(x) / c)``, and where bump *i* is at least a
share *v* of its height, ``s_i(x) <= (1 - v) c``.  In the plane through x_i that the first two
coordinates span this is a square with cut corners for p = inf, a diamond for p = 1, and nearly a
disk for p = 2.  Before changing it, know that for p = 2 the corners lie on the level set of the
sawtooth interpolant, not on that of the square, and that the straight lines between them are only
for the eye.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from sublinear_lib import validation
from sublinear_lib._arguments import Share, checked
from sublinear_lib._typing import FloatArray
from sublinear_lib.memorization.constructions import Memorizer, _square_levels

__all__ = ["bump_outline"]

# Corners of a quarter of the outline for p = 2.
_QUARTER: Final = 5


def _inverse_square(values: FloatArray, terms: int) -> FloatArray:
    """Return t >= 0 with q_K(t) = value; q_K agrees with the square at the multiples of 2^-K."""
    step = math.ldexp(1.0, -terms)
    left = np.floor(np.sqrt(values) / step) * step
    return np.asarray((values + left * (left + step)) / (2 * left + step))


@checked
def bump_outline(memorizer: Memorizer, i: int, share: Share) -> FloatArray:
    """Return the outline of a level set of one bump, in the plane of the first two coordinates.

    The corners, counterclockwise from the right, in absolute coordinates; the other coordinates are
    those of the sample, of row i.  For the kinds "linf", "l1" and "l2".

    >>> from sublinear_lib.memorization import memorize
    >>> memorizer = memorize([[0.0, 0.0], [1.0, 0.0]], [1, 2], 0.25)
    >>> bump_outline(memorizer, 0, 0.5)[:2]
    array([[0.5 , 0.25],
           [0.25, 0.5 ]])
    """
    N, n = validation.instance(memorizer, "memorizer", Memorizer).X.shape
    if memorizer.kind == "lipschitz":
        raise ValueError("memorizer must be of kind 'linf', 'l1' or 'l2', got 'lipschitz'")
    if n < 2:
        raise ValueError(f"memorizer must have points with at least two coordinates, got {n}")
    row = validation.count(i, "i", minimum=0, maximum=N - 1)
    assert memorizer.mu is not None
    reach = (1.0 - share) * memorizer.margin
    if memorizer.kind == "l2":
        assert memorizer.terms is not None
        unit = 2 * memorizer.scale
        inside, _ = _square_levels(n, memorizer.lam, memorizer.mu, unit, memorizer.terms)
        turn = 0.5 * np.pi * np.arange(_QUARTER) / _QUARTER
        level = np.full(_QUARTER, inside + reach)
        across = _inverse_square(level * np.cos(turn) ** 2, memorizer.terms)
        above = _inverse_square(level * np.sin(turn) ** 2, memorizer.terms)
        quarter = unit * np.column_stack([across, above])
    elif memorizer.kind == "l1":
        quarter = np.array([[memorizer.mu + reach, 0.0]])
    else:
        edge = memorizer.mu
        quarter = np.array([[edge + reach, edge], [edge, edge + reach]])
    quarters = [quarter]
    for _ in range(3):
        before = quarters[-1]
        quarters.append(np.column_stack([-before[:, 1], before[:, 0]]))
    return np.asarray(memorizer.X[row, :2] + np.concatenate(quarters))
