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

    Attributes
    ----------
    found : bool
        Whether there is such a network of depth 2 and width 2, with real weights.
    budget : float
        The radius that was asked about.
    radius : float
        The budgets below it can be had; it is 0 if none can, and infinite for one label.
    network : ReLUNetwork or None
        The network: exact in real arithmetic, as stored.  None if there is none, or if float64
        cannot hold one along `direction`, such as for two labels whose difference is rounded.
    direction : ndarray of float64, shape (n,)
        The slopes w of its ramp, with ``||w||_1 = 1``; zero if the samples cannot be separated by
        a plane.
    programs : int
        Linear programs solved: one, or none if the number of labels decides.
    """

    found: bool
    budget: float
    radius: float
    network: ReLUNetwork | None
    direction: FloatArray
    programs: int


@checked
def exact_values_program(X: FloatArray, y: FloatArray, mu: Positive) -> ExactValues:
    r"""Decide by one linear program whether two neurons can equal the labels on all balls.

    Here `mu`: the budget, positive: the radius of the closed balls in the maximum norm.

    The answer, the largest budget, and a network.

    Raises ArithmeticError: if the solver gives no answer.

    Ours.  **Claim.**  *For mu > 0, a network* ``F = c + a_1 relu(l_1) + a_2 relu(l_2)`` *that
    equals* ``y_i`` *on the ball of every sample exists if and only if all labels are equal, or
    there are two and a plane keeps the balls of one strictly from those of the other.*

    *If.*  Let ``t_1 < t_2`` be two thresholds in the gap, ``<w, x> <= t_1`` on the balls of label
    y and ``<w, x> >= t_2`` on those of y'.  Then
    ``y + (y' - y) (relu(<w, x> - t_1) - relu(<w, x> - t_2)) / (t_2 - t_1)`` is such a network.

    *Only if.*  A neuron whose slopes or output weight vanish is constant: put it into c.  Suppose
    ``l_1 = 0`` cuts the inside of a ball.  F is constant there, so the jump of its slope across
    this plane is made good by the other neuron: it has the same plane, ``l_2 = kappa l_1``.  On
    one side of the plane at least one neuron is on.  If kappa > 0, both are on there, so their
    slopes cancel, and F is c everywhere.  If kappa < 0, exactly one is on, on either side, and
    its slope must vanish, which it does not.  So either F is constant, or no plane cuts a ball,
    and on each ball both neurons are off, or both are on and ``a_1 w_1 + a_2 w_2 = 0``; a single
    one that is on would have a slope.  Off, the value is c; on, it is ``c + a_1 b_1 + a_2 b_2``.
    So there are at most two labels.  If there are two, ``w_2 = kappa w_1`` and
    ``a_1 = -kappa a_2`` with kappa not 0, and balls of both kinds.  Let ``<w_1, x> = t_1, t_2`` be
    the two planes.  If kappa > 0, the balls where both are on lie where ``<w_1, x>`` is at least
    the larger of the thresholds, the others where it is at most the smaller; if the thresholds
    were equal, F would be constant.  So a plane keeps them strictly apart.  If kappa < 0, both are
    on for ``t_1 < <w_1, x> < t_2`` and both are off for ``t_2 <= <w_1, x> <= t_1``; a ball of the
    one kind has room only if ``t_1 < t_2``, of the other only if ``t_2 < t_1``, so there are not
    both.

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
    zero = np.zeros(n)
    labels = np.unique(values)
    if labels.size == 1:
        constant = width_two(np.zeros(2), np.zeros((2, n)), np.zeros(2), float(labels[0]))
        return ExactValues(True, mu, math.inf, constant, zero, 0)
    if labels.size > 2:
        return ExactValues(False, mu, 0.0, None, zero, 0)
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
        return ExactValues(False, mu, 0.0, None, zero, 1)
    w = solution[:n]
    size = float(np.abs(w).sum())
    end, start = _gap(w, points, upper, Fraction(mu))
    network = None
    if end < start:
        network = _ramp(w, end, start, float(labels[0]), float(labels[1]))
        if network is None:
            return ExactValues(True, mu, 1.0 / size, None, w / size, 1)
    return ExactValues(network is not None, mu, 1.0 / size, network, w / size, 1)


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
