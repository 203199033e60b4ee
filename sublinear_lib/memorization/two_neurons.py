r"""Networks of two hidden neurons in exact arithmetic: their range on a ball, how robust they are.

A network ``c + a_1 relu(l_1) + a_2 relu(l_2)`` has so few pieces that its extreme values on a ball
of the maximum norm are a formula.  It is evaluated in fractions from the stored weights, so
whatever is said here about a network is true of it and not of a rounding.  A network *classifies*
by the nearer of two labels, that is by the side of their midpoint; before changing a comparison,
know that a tie counts as an error everywhere.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import linprog

from sublinear_lib._typing import FloatArray
from sublinear_lib.memorization.datasets import checked_data
from sublinear_lib.memorization.networks import AffineLayer, ReLUNetwork
from sublinear_lib.validation import float_array, scalar

__all__ = ["certify_sign", "output_range"]


class NoAnswer(ArithmeticError):
    """A solver said neither that a linear program has a solution nor that it has none."""


def minimizer(cost: FloatArray, **program: Any) -> FloatArray | None:
    """Solve a linear program; None if it is infeasible, never because the solver failed."""
    run = linprog(cost, method="highs", **program)
    if run.status not in (0, 2):
        raise NoAnswer(f"the solver gave no answer to a linear program: {run.message}")
    return np.asarray(run.x, dtype=np.float64) if run.status == 0 else None


def width_two(a: FloatArray, W: FloatArray, b: FloatArray, c: float) -> ReLUNetwork:
    """Build ``x -> c + sum_t a_t relu(<w_t, x> + b_t)``."""
    return ReLUNetwork((AffineLayer(W, b), AffineLayer(a[None, :], np.array([c]))))


def two_labels(X: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, float, float]:
    """Check data that must hold two labels; return points, labels, the smaller and the larger."""
    data = checked_data(X, y)
    labels = np.unique(data.y)
    if labels.size != 2:
        raise ValueError(f"y must hold exactly two different labels, got {labels.size}")
    return data.X, data.y, float(labels[0]), float(labels[1])


@dataclass(frozen=True)
class _Piece:
    """An affine function and the 1-norm of its slopes."""

    slopes: list[Fraction]
    offset: Fraction
    norm: Fraction

    def at(self, x: list[Fraction]) -> Fraction:
        return self.offset + inner(self.slopes, x)


class TwoNeurons:
    """The numbers of a network of depth 2 and width at most 2, as fractions."""

    def __init__(self, network: ReLUNetwork, inputs: int | None = None) -> None:
        if network.depth != 2 or network.width > 2 or network.outputs != 1:
            raise ValueError(
                "network must have depth 2, width 1 or 2 and one output, got depth "
                f"{network.depth}, width {network.width} and {network.outputs} outputs"
            )
        if inputs is not None and network.inputs != inputs:
            raise ValueError(f"network must have {inputs} inputs, got {network.inputs}")
        hidden, last = network.layers
        rows = hidden.weight.toarray().tolist()
        self.weights = [[Fraction(v) for v in row] for row in rows]
        self.biases = [Fraction(v) for v in hidden.bias.tolist()]
        self.outer = [Fraction(v) for v in last.weight.toarray()[0].tolist()]
        self.constant = Fraction(float(last.bias[0]))
        if len(self.outer) == 1:
            self.weights.append([Fraction(0)] * network.inputs)
            self.biases.append(Fraction(0))
            self.outer.append(Fraction(0))

    def upper(self) -> list[list[_Piece]]:
        """Describe the largest value on a ball as a maximum of minima of pieces.

        ``a relu(l)`` is the maximum of ``s a l`` over s in {0, 1} if a > 0, and the minimum over s
        in [0, 1] if not.  The largest value on a ball is the maximum over the s of positive
        weights and, by the minimax theorem, the minimum over the others of
        ``A(s) + radius B(s)``, with ``B(s) = ||sum_t s_t a_t w_t||_1``.  For fixed s of positive
        weights this is convex and piecewise linear in the other one, so the minimum is at 0, at 1
        or where a coordinate of the sum vanishes.  If neither weight is positive, it is linear
        along every ray from 0, and the minimum is at 0 or on a side ``s_t = 1`` of the square.
        """
        rising = [t for t in (0, 1) if self.outer[t] > 0]
        if len(rising) == 2:
            ends = (Fraction(0), Fraction(1))
            return [[self._piece(s, t)] for s, t in itertools.product(ends, repeat=2)]
        if rising:
            up = rising[0]
            result = []
            for s in (Fraction(0), Fraction(1)):
                others = self._breaks(s, up)
                pairs = [(s, o) if up == 0 else (o, s) for o in others]
                result.append([self._piece(*pair) for pair in pairs])
            return result
        one = Fraction(1)
        pairs = [(one, o) for o in self._breaks(one, 0)] + [(o, one) for o in self._breaks(one, 1)]
        return [[self._piece(Fraction(0), Fraction(0)), *(self._piece(*pair) for pair in pairs)]]

    def _breaks(self, s: Fraction, fixed: int) -> list[Fraction]:
        """List the candidates for the other multiplier if that of neuron `fixed` is s."""
        other = 1 - fixed
        found = {Fraction(0), Fraction(1)}
        for w, v in zip(self.weights[fixed], self.weights[other], strict=True):
            slope = self.outer[other] * v
            if slope != 0:
                place = -s * self.outer[fixed] * w / slope
                if 0 < place < 1:
                    found.add(place)
        return sorted(found)

    def _piece(self, s: Fraction, t: Fraction) -> _Piece:
        first, second = s * self.outer[0], t * self.outer[1]
        slopes = [
            first * w + second * v for w, v in zip(self.weights[0], self.weights[1], strict=True)
        ]
        offset = self.constant + first * self.biases[0] + second * self.biases[1]
        return _Piece(slopes, offset, sum((abs(v) for v in slopes), Fraction(0)))

    def negated(self) -> TwoNeurons:
        """Return the network with the opposite sign."""
        other = object.__new__(TwoNeurons)
        other.weights, other.biases = self.weights, self.biases
        other.outer, other.constant = [-a for a in self.outer], -self.constant
        return other


def inner(u: Sequence[Fraction], v: Sequence[Fraction]) -> Fraction:
    """Return the inner product."""
    return sum((a * b for a, b in zip(u, v, strict=True) if a and b), Fraction(0))


def fractions(row: FloatArray) -> list[Fraction]:
    """Turn a vector of numbers into the fractions that they are."""
    return [Fraction(value) for value in row.tolist()]


def output_range(
    network: ReLUNetwork, center: FloatArray, radius: float | Fraction
) -> tuple[Fraction, Fraction]:
    """Compute the smallest and the largest value of two neurons on a ball, exactly.

    Here `center` (n,): the middle of a closed ball in the maximum norm; `radius`: its radius, at
    least 0.

    Returned: `low, high`: The extreme values of the stored parameters in real arithmetic; both are
    attained.

    Ours.  A positive output weight is a maximum over two multipliers, a negative one a minimum
    over an interval of multipliers; the minimax theorem exchanges the latter with the maximum over
    the ball, where an affine function is largest at ``A + radius ||slopes||_1``.  What is left is
    a minimum of finitely many fractions.  The time is quadratic in n.

    The network ``relu(x_1 + x_2) - relu(x_2)``:

    >>> network = ReLUNetwork([([[1, 1], [0, 1]], [0, 0]), ([[1, -1]], [0])])
    >>> output_range(network, [2, 0], Fraction(3, 4))
    (Fraction(1, 2), Fraction(11, 4))
    """
    form = TwoNeurons(network)
    x = fractions(float_array(center, "center", shape=(network.inputs,)))
    budget = budget_of(radius)
    high = _largest(form.upper(), x, budget)
    return -_largest(form.negated().upper(), x, budget), high


def _largest(groups: list[list[_Piece]], x: list[Fraction], radius: Fraction) -> Fraction:
    return max(min(piece.at(x) + radius * piece.norm for piece in group) for group in groups)


def budget_of(radius: float | Fraction) -> Fraction:
    """Check a radius and turn it into a fraction."""
    if isinstance(radius, Fraction):
        if radius < 0:
            raise ValueError(f"radius must be at least 0, got {radius}")
        return radius
    return Fraction(scalar(radius, "radius", minimum=0.0))


def robust_radii(
    network: ReLUNetwork, X: FloatArray, y: FloatArray
) -> tuple[Fraction | float, ...]:
    """Compute how far each sample may move before two neurons lose its label, exactly.

    The largest r for every sample such that the network stays on the side of its label, away from
    the midpoint of the two labels, on all closed balls in the maximum norm with a radius below r.
    It is 0 for a sample that is not classified and ``math.inf`` if no radius is too large.

    Ours.  In the notation of `output_range`, the largest value stays below the midpoint if, for
    each group, some piece has ``A + radius B`` below it; so the radius is a minimum over groups of
    a maximum over pieces of ``(midpoint - A) / B``.

    The network ``relu(x_1 + x_2) - relu(x_2)`` and two points of the first axis:

    >>> network = ReLUNetwork([([[1, 1], [0, 1]], [0, 0]), ([[1, -1]], [0])])
    >>> robust_radii(network, [[2, 0], [-2, 0]], [1, 0])
    (Fraction(3, 4), Fraction(5, 2))
    """
    points, values, low, high = two_labels(X, y)
    middle = (Fraction(low) + Fraction(high)) / 2
    form = TwoNeurons(network, points.shape[1])
    above, below = form.negated().upper(), form.upper()
    radii = []
    for point, label in zip(points, values, strict=True):
        x = fractions(point)
        groups, level = (above, -middle) if label == high else (below, middle)
        radii.append(min(max(_reach(piece, x, level) for piece in group) for group in groups))
    return tuple(radii)


def _reach(piece: _Piece, x: list[Fraction], level: Fraction) -> Fraction | float:
    """Return the radius up to which a piece stays below the level."""
    room = level - piece.at(x)
    if room <= 0:
        return Fraction(0)
    return math.inf if piece.norm == 0 else room / piece.norm


@dataclass(frozen=True)
class SignCertificate:
    """Whether two neurons classify whole balls, decided in rational arithmetic.

    Fields: `holds`: whether every point of every closed ball that was asked about is classified,
    without ties; `radius`: the largest radius: all budgets below it hold, no other does.  Infinite
    for no limit.
    """

    holds: bool
    radius: Fraction | float


def certify_sign(
    network: ReLUNetwork, X: FloatArray, y: FloatArray, radius: float | Fraction = 0.0
) -> SignCertificate:
    """Decide exactly whether two neurons classify every ball around the samples.

    The answer and the largest budget, by `robust_radii`.

    >>> network = ReLUNetwork([([[1, 1], [0, 1]], [0, 0]), ([[1, -1]], [0])])
    >>> certify_sign(network, [[2, 0], [-2, 0]], [1, 0], 0.625)
    SignCertificate(holds=True, radius=Fraction(3, 4))
    """
    budget = budget_of(radius)
    largest = min(robust_radii(network, X, y))
    return SignCertificate(budget < largest, largest)
