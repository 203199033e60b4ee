"""Attacks that never look at an active neuron: sums over half-spaces, in few dimensions.

At high activity every list of neurons is long, and every evaluation on it costs what it lists.  But
what a gradient attack asks for, ``f`` and its input gradient, are three sums over the half-space of
active neurons, and :class:`sublinear_lib.halfspace.AggregateTree` adds up whole subtrees of it at
once: in d dimensions for about ``m**(1 - 1/d)`` rows per point, however many neurons are active.
In few dimensions this makes the attack, most of a step of Algorithm 1, sublinear at any activity.
The forward pass and the gradient in the weights name the neurons one by one (lines 12 and 17 to
20), so these stay what they are in the dense trainer, on the neurons that can fire.

Before changing it, know what is promised.  The *set* that is summed is the exact active set, the
sums differ from those of the dense trainer by rounding, so points of the attack do too, and weights
agree to rounding only; an order of sums like that of ``reduction="reference"`` does not exist here.
The smoothed gradient weighs neurons by their distance from the threshold, which no stored sum can:
it is taken over all neurons that can fire.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.evaluation import Neurons, Region
from sublinear_lib.halfspace import AggregateTree
from sublinear_lib.training.living import LivingEvaluator, LivingNeurons

__all__ = ["AggregatedNeurons"]


class AggregatedNeurons(LivingNeurons):
    """Sums over the neurons that fire for the attack, all neurons that can fire for the rest.

    Parameters
    ----------
    neurons : Neurons
        The weights, shared with the trainer.
    X : ndarray of float64, shape (n, d)
        The clean points.
    rho : float
        Radius of the caps.
    margin : float, default 0
        How far below the threshold the adversary looks.
    alive : ndarray of int64, shape (k,), optional
        The neurons that can fire, ascending; by default all.

    Raises
    ------
    ValueError
        If the weights are so large that a sum could overflow.

    Notes
    -----
    The work of a sum is counted as the rows it scored and the nodes it opened.
    """

    def __init__(
        self,
        neurons: Neurons,
        X: FloatArray,
        rho: float,
        margin: float = 0.0,
        alive: IntArray | None = None,
    ) -> None:
        super().__init__(neurons, X, rho, "blas", margin, alive)
        compact = self._compact
        self._tree = AggregateTree(compact.W, compact.a, bias=compact.b, domain="slice")

    @property
    def name(self) -> str:
        """Sparse, by sums over half-spaces."""
        return "sparse (aggregates)"

    def _over(self, region: Region) -> LivingEvaluator:
        return _SummingEvaluator(self._compact, self._alive, self._positions, region, self._tree)

    def update(self, rows: IntArray | None, values: FloatArray) -> None:
        """Copy new weights and sum them anew.

        Parameters
        ----------
        rows : ndarray of int64, shape (k,), or None
            The neurons that moved; ``None`` means all.
        values : ndarray of float64, shape (k, d)
            Their new weights.
        """
        super().update(rows, values)
        if rows is None:
            self._tree.update(np.arange(len(self._alive)), self._compact.W)
        elif len(rows):
            self._tree.update(self._positions[rows], values)


class _SummingEvaluator(LivingEvaluator):
    """Values and input gradients from a tree of sums, everything else from the neurons."""

    def __init__(
        self,
        compact: Neurons,
        alive: IntArray,
        positions: IntArray,
        region: Region,
        tree: AggregateTree,
    ) -> None:
        super().__init__(compact, alive, positions, region, "blas")
        self._tree = tree
        self._activation = "jump" if compact.shift == 0.0 else "continuous"

    def value(self, X: FloatArray) -> FloatArray:
        """Return f at the points."""
        return self.value_and_input_gradient(X)[0]

    def value_and_input_gradient(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return f and its formal gradient in x."""
        points = np.asarray(X)
        self._region.check(points)
        before = self._tree.stats()
        sums = self._tree.value_and_gradient(points, self._compact.tau, self._activation)
        after = self._tree.stats()
        self.work += after.rows_touched - before.rows_touched
        self.work += after.nodes_visited - before.nodes_visited
        return sums.value, sums.gradient
