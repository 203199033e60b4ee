"""The dense trainer on the neurons that can fire: the last resort of the sparse one.

Where most neurons are candidates at most examples, no list is worth its upkeep, and Algorithm 1 is
best done with matrix products over all neurons.  Over all that can ever fire on X, that is: the
others (:func:`sublinear_lib.training.sources.firing_on_slice` has the proof) contribute exact zeros
to every sum, so they are left out of the matrices and put back, as zeros, into what is returned.
Before changing it, know that the weights live twice, in the trainer and, compactly, here; `update`
is what keeps the two equal.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.evaluation import Evaluator, ForwardPass, Neurons, Reduction, Region
from sublinear_lib.training.sources import AllNeurons, cap_region

__all__ = ["LivingNeurons"]


class LivingNeurons(AllNeurons):
    """Every neuron that can fire on X, at every example."""

    def __init__(
        self,
        neurons: Neurons,
        X: FloatArray,
        rho: float,
        reduction: Reduction,
        margin: float,
        alive: IntArray,
    ) -> None:
        self._alive = alive
        self._positions = np.zeros(neurons.m, dtype=np.int64)
        self._positions[alive] = np.arange(len(alive))
        rows = neurons.W[alive], neurons.a[alive], neurons.b[alive]
        compact = Neurons(*rows, neurons.tau, neurons.shift)
        # Windows of attacks are measured in weights of the whole network.
        compact.weight_scale = neurons.weight_scale
        super().__init__(compact, X, rho, reduction, cap_region(X, rho, margin, on_slice=True))
        self.set_aside = neurons.m - len(alive)

    def _over(self, region: Region) -> LivingEvaluator:
        return LivingEvaluator(self._neurons, self._alive, self._positions, region, self._reduction)

    def update(self, rows: IntArray | None, values: FloatArray) -> None:
        """Copy new weights."""
        if rows is None:
            self._neurons.set_rows(None, values[self._alive])
        else:
            self._neurons.set_rows(self._positions[rows], values)


class LivingEvaluator(Evaluator):
    """Evaluation over some neurons of a network, under the names they have there."""

    def __init__(
        self,
        compact: Neurons,
        alive: IntArray,
        positions: IntArray,
        region: Region,
        reduction: Reduction,
    ) -> None:
        super().__init__(compact, len(region.anchors), region=region, reduction=reduction)
        self._alive = alive
        self._positions = positions
        self._margin = region.margin

    def smoothed_input_gradient(
        self, X: FloatArray, bandwidth: float, begun: FloatArray | None = None
    ) -> FloatArray:
        """Return the gradient in x of f with every activation blurred."""
        if bandwidth > self._margin and len(self._alive) < len(self._positions):
            raise ValueError(
                "bandwidth must be at most the margin below which neurons were set aside, "
                f"{self._margin!r}, got {bandwidth!r}"
            )
        return super().smoothed_input_gradient(X, bandwidth, begun)

    def forward(self, X: FloatArray) -> ForwardPass:
        """Return f together with the active sets (lines 12 and 17 of Algorithm 1)."""
        return self._named(super().forward(X), len(self._positions), self._alive)

    def weight_gradient(
        self, X: FloatArray, passed: ForwardPass, coefficients: FloatArray
    ) -> tuple[IntArray | None, FloatArray]:
        """Return the rows that move and the gradient with respect to them (lines 18 and 19)."""
        local = self._named(passed, len(self._alive), self._positions)
        rows, gradient = super().weight_gradient(X, local, coefficients)
        return (self._alive if rows is None else self._alive[rows]), gradient

    @staticmethod
    def _named(passed: ForwardPass, m: int, names: IntArray) -> ForwardPass:
        """Give the neurons of a forward pass the names that they have among m."""
        indices = names[passed.indices].astype(np.int32)
        return replace(passed, m=m, block=names[passed.block], indices=indices)
