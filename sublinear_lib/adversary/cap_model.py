"""The network over one cap, taken apart: one affine function, and the neurons nothing is sure of.

Over a cap of Definition 3.3 all neurons but the unstable ones add up to one affine function of x
(:mod:`sublinear_lib.adversary.relaxation`).  What is exact on the sphere
(:mod:`sublinear_lib.adversary.sphere`), the integer program
(:mod:`sublinear_lib.adversary.mixed_integer`) and the splitting of neurons
(:mod:`sublinear_lib.adversary.neuron_splitting`) start from these parts.  Know before changing it:
the ranges [low, high] are widened by the rounding error of their computation, and whoever builds a
bound from the parts must add `CapModel.rounding`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sublinear_lib import geometry
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary.relaxation import CapRelaxation

__all__ = ["CapModel", "Lines"]


class Lines(NamedTuple):
    """Straight lines ``offset + slope (z - anchor)`` on the right side of every unstable neuron."""

    anchor: FloatArray
    offset: FloatArray
    flattest: FloatArray
    """Smallest slope allowed."""
    steepest: FloatArray
    """Largest slope allowed."""


class CapModel(CapRelaxation):
    """A relaxation that shows its parts; made and used like one."""

    @property
    def cap(self) -> geometry.Cap:
        """The cap."""
        return self._cap

    @property
    def tau(self) -> float:
        """The threshold."""
        return self._tau

    @property
    def jump(self) -> float:
        """Height of the jump at the threshold."""
        return self._jump

    @property
    def shift(self) -> float:
        """What a neuron that is on subtracts from its pre-activation."""
        return self._tau - self._jump

    @property
    def gradient(self) -> FloatArray:
        """Gradient of the affine part, shape (d,)."""
        return np.asarray(self._gradient)

    @property
    def constant(self) -> float:
        """Constant of the affine part."""
        return self._constant

    @property
    def W(self) -> FloatArray:
        """Weights of the unstable neurons, shape (k, d)."""
        return np.asarray(self._W)

    @property
    def b(self) -> FloatArray:
        """Their biases, shape (k,)."""
        return np.asarray(self._b)

    @property
    def factors(self) -> FloatArray:
        """Their output weights, times the side, shape (k,)."""
        return np.asarray(self._factors)

    @property
    def low(self) -> FloatArray:
        """Lower ends of their ranges over the cap, rounded outwards, shape (k,)."""
        return np.asarray(self._low)

    @property
    def high(self) -> FloatArray:
        """Upper ends of their ranges, shape (k,)."""
        return np.asarray(self._high)

    @property
    def sizes(self) -> FloatArray:
        """Bounds of the absolute values that their pre-activations are added up from, (k,)."""
        return np.asarray(self._sizes)

    @property
    def lines(self) -> Lines:
        """The lines that bound each of them."""
        return Lines(self._anchor, self._offset, self._flattest, self._steepest)

    def rounding(self, size: float) -> float:
        """Bound the rounding error of a value."""
        return self._terms * (self._steady + size)
