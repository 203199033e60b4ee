r"""Two neurons that take the labels themselves on whole balls: a question that is easy.

``hardness`` shows that classifying by the nearer label is hard to decide for two hidden neurons.
If the network must *equal* the label on every ball of positive radius, which is the notion that the
large constructions of this room reach, one linear program decides.  So the convention is part of
the theorem.  Before changing this module, know that radius 0 is excluded: balls must have an inside
for the argument.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sublinear_lib._arguments import Positive, checked
from sublinear_lib._typing import BoolArray, FloatArray
from sublinear_lib.memorization.datasets import checked_data
from sublinear_lib.memorization.networks import ReLUNetwork
from sublinear_lib.memorization.two_neurons import fractions, inner, minimizer, width_two

__all__ = ["exact_values_program"]


@dataclass(frozen=True)
class ExactValues:
    """Whether two neurons can take the labels themselves on whole balls.

    Fields: `found`: whether there is such a network of depth 2 and width 2, with real weights;
    `radius`: the budgets below it can be had; it is 0 if none can, and infinite for one label;
    `network`: exact in real arithmetic, as stored.  None if there is none, or if float64 cannot
    hold one, such as for two labels whose difference is rounded.
    """

    found: bool
    radius: float
    network: ReLUNetwork | None


@checked
def exact_values_program(X: FloatArray, y: FloatArray, mu: Positive) -> ExactValues:
    r"""Decide by one linear program whether two neurons can equal the labels on all balls.

    Here `mu`: the budget, positive: the radius of the closed balls in the maximum norm.

    The answer, the largest budget, and a network.

    Raises ArithmeticError: if the solver gives no answer.

    Source: Proposition II.4, ours, proved on the page ``what-cannot-be-done``.  For mu > 0, a
    network ``F = c + a_1 relu(l_1) + a_2 relu(l_2)`` that equals ``y_i`` on the ball of every
    sample exists if and only if all labels are equal, or there are two and a plane keeps the balls
    of one strictly from those of the other.  Then, with two thresholds ``t_1 < t_2`` in the gap,
    ``y + (y' - y) (relu(<w, x> - t_1) - relu(<w, x> - t_2)) / (t_2 - t_1)`` is such a network.

    *The program.*  The largest such mu is the largest distance at which a plane keeps the samples:
    ``1 / ||w||_1`` for the smallest ``||w||_1`` with ``<w, x_i> >= t + 1`` on one label and
    ``<w, x_i> <= t - 1`` on the other.  The solver's w is then taken as it is: its gap is computed
    in fractions, and w is multiplied by a power of 2 until the gap is 2 wide and the thresholds can
    be integers, so the network is exact as it is stored.  A budget so close below the largest one
    that the rounded w has no gap left is refused.

    >>> X, y = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [1.0, 2.0, 2.0]
    >>> answer = exact_values_program(X, y, 0.2)
    >>> answer.found, round(answer.radius, 12)
    (True, 0.25)
    >>> answer.network([[0.2, -0.2], [0.2, 0.2], [0.8, -0.2], [0.8, 0.2]])
    array([1., 1., 2., 2.])
    >>> exact_values_program(X, y, 0.26).found
    False
    """
    data = checked_data(X, y, two_labels=False)
    points, values = data.X, data.y
    n = points.shape[1]
    labels = np.unique(values)
    if labels.size == 1:
        constant = width_two(np.zeros(2), np.zeros((2, n)), np.zeros(2), float(labels[0]))
        return ExactValues(True, math.inf, constant)
    if labels.size > 2:
        return ExactValues(False, 0.0, None)
    upper = values == labels[1]
    signs = np.where(upper, -1.0, 1.0)[:, None]
    eye, none = np.eye(n), np.zeros((n, 1))
    # Unknowns w, t, v with |w| <= v.
    solution = minimizer(
        np.concatenate((np.zeros(n + 1), np.ones(n))),
        A_ub=np.block(
            [
                [signs * points, -signs, np.zeros((len(points), n))],
                [eye, none, -eye],
                [-eye, none, -eye],
            ]
        ),
        b_ub=np.append(np.full(len(points), -1.0), np.zeros(2 * n)),
        bounds=(None, None),
    )
    if solution is None:
        return ExactValues(False, 0.0, None)
    w = solution[:n]
    radius = 1.0 / float(np.abs(w).sum())
    end, start = _gap(w, points, upper, Fraction(mu))
    if end >= start:
        return ExactValues(False, radius, None)
    ramp = _ramp(w, end, start, float(labels[0]), float(labels[1]))
    return ExactValues(True, radius, ramp)


def _gap(
    w: FloatArray, points: FloatArray, upper: BoolArray, mu: Fraction
) -> tuple[Fraction, Fraction]:
    """Return where ``<w, x>`` ends on the lower balls and starts on the upper ones."""
    slopes = fractions(w)
    reach = mu * sum((abs(v) for v in slopes), Fraction(0))
    places = [inner(slopes, fractions(point)) for point in points]
    end = max(p for p, above in zip(places, upper, strict=True) if not above) + reach
    start = min(p for p, above in zip(places, upper, strict=True) if above) - reach
    return end, start


def _ramp(
    w: FloatArray, end: Fraction, start: Fraction, low: float, high: float
) -> ReLUNetwork | None:
    """Build the ramp along w that rises between `end` and `start`, if float64 can hold it."""
    # The least power of 2 that makes the gap 2 wide, so that it holds two integers.
    power = (math.ceil(2 / (start - end)) - 1).bit_length()
    first = math.ceil(end * 2**power)
    rise = high - low
    with np.errstate(over="ignore"):
        rows = np.ldexp(np.stack((w, w)), power)
    if abs(first) >= 2**53 or not (math.isfinite(rise) and np.isfinite(rows).all()):
        return None
    if Fraction(rise) != Fraction(high) - Fraction(low):
        return None
    return width_two(np.array([rise, -rise]), rows, -np.array([first, first + 1.0]), low)
