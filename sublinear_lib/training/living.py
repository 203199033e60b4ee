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
from sublinear_lib.training.sources import cap_region

__all__ = ["LivingNeurons"]


class LivingNeurons:
    """Every neuron that can fire on X, at every example.

    Parameters
    ----------
    neurons : Neurons
        The weights, shared with the trainer.
    X : ndarray of float64, shape (n, d)
        The clean points.
    rho : float
        Radius of the caps.
    reduction : {"blas", "reference"}
        Order of the sums.
    margin : float
        How far below the threshold the adversary looks.
    alive : ndarray of int64, shape (k,), optional
        The neurons that can fire, ascending; by default all.
    """

    def __init__(
        self,
        neurons: Neurons,
        X: FloatArray,
        rho: float,
        reduction: Reduction,
        margin: float = 0.0,
        alive: IntArray | None = None,
    ) -> None:
        self.work = 0
        self._neurons = neurons
        self._reduction = reduction
        self._alive = np.arange(neurons.m) if alive is None else alive
        self._positions = np.zeros(neurons.m, dtype=np.int64)
        self._positions[self._alive] = np.arange(len(self._alive))
        self._region = cap_region(X, rho, margin, on_slice=True)
        self._compact = Neurons(
            neurons.W[self._alive],
            neurons.a[self._alive],
            neurons.b[self._alive],
            neurons.tau,
            neurons.shift,
        )
        # Windows of attacks are measured in weights of the whole network.
        self._compact.weight_scale = neurons.weight_scale
        self._evaluator: LivingEvaluator | None = None

    @property
    def name(self) -> str:
        """How the history calls this source."""
        return "dense"

    @property
    def set_aside(self) -> int:
        """Number of neurons that can never fire on X."""
        return self._neurons.m - len(self._alive)

    def evaluator(self, batch: IntArray | None = None) -> LivingEvaluator:
        """Return the evaluator of the neurons that can fire.

        Parameters
        ----------
        batch : ndarray of int64, shape (k,), optional
            The examples of the step; by default all n.

        Returns
        -------
        LivingEvaluator
            The same one every time, unless a batch is given.
        """
        if batch is not None:
            return self._over(replace(self._region, anchors=self._region.anchors[batch]))
        if self._evaluator is None:
            self._evaluator = self._over(self._region)
        return self._evaluator

    def _over(self, region: Region) -> LivingEvaluator:
        return LivingEvaluator(self._compact, self._alive, self._positions, region, self._reduction)

    def candidates(self) -> float:
        """Count the neurons that can fire.

        Returns
        -------
        float
            Every example meets each of them.
        """
        return float(len(self._alive))

    def update(self, rows: IntArray | None, values: FloatArray) -> None:
        """Copy new weights.

        Parameters
        ----------
        rows : ndarray of int64, shape (k,), or None
            The neurons that moved; ``None`` means all.
        values : ndarray of float64, shape (k, d)
            Their new weights.
        """
        if rows is None:
            self._compact.set_rows(None, values[self._alive])
        else:
            self._compact.set_rows(self._positions[rows], values)


class LivingEvaluator:
    """Evaluation over some neurons of a network, under the names they have there.

    Parameters
    ----------
    compact : Neurons
        The neurons that are evaluated.
    alive : ndarray of int64, shape (k,)
        Their names in the network, ascending.
    positions : ndarray of int64, shape (m,)
        The place of each of them among the k.
    region : Region
        Caps of X.
    reduction : {"blas", "reference"}
        Order of the sums.

    Attributes
    ----------
    work : int
        Passes over a row of W for one point so far.
    strict : bool
        Whether the order of the sums is the canonical one.
    """

    def __init__(
        self,
        compact: Neurons,
        alive: IntArray,
        positions: IntArray,
        region: Region,
        reduction: Reduction,
    ) -> None:
        self.work = 0
        self.strict = reduction == "reference"
        self._compact = compact
        self._alive = alive
        self._positions = positions
        self._region = region
        self._dense = Evaluator(compact, len(region.anchors), region=region, reduction=reduction)

    @property
    def weight_scale(self) -> float:
        """Root mean square of the weights, the last column left out, at the start of the run."""
        return self._compact.weight_scale

    def value(self, X: FloatArray) -> FloatArray:
        """Return f at the points.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The points, in the order of the batch, each in the cap of its example.

        Returns
        -------
        ndarray of float64, shape (n,)
            The values.

        Raises
        ------
        ValueError
            For a point outside of its cap, or off X.
        """
        before = self._dense.work
        value = self._dense.value(X)
        self.work += self._dense.work - before
        return value

    def value_and_input_gradient(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return f and its formal gradient in x.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The points, in the order of the batch, each in the cap of its example.

        Returns
        -------
        value : ndarray of float64, shape (n,)
            The values.
        gradient : ndarray of float64, shape (n, d)
            The derivatives in the ambient space.

        Raises
        ------
        ValueError
            As `value`.
        """
        before = self._dense.work
        found = self._dense.value_and_input_gradient(X)
        self.work += self._dense.work - before
        return found

    def smoothed_input_gradient(
        self, X: FloatArray, bandwidth: float, begun: FloatArray | None = None
    ) -> FloatArray:
        """Return the gradient in x of f with every activation blurred.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The points, in the order of the batch, each in the cap of its example.
        bandwidth : float
            Half the width of the window, ``> 0``, in units of a pre-activation.
        begun : ndarray of float64, shape (n, d), optional
            A sum that other neurons have begun; not changed.

        Returns
        -------
        ndarray of float64, shape (n, d)
            The derivatives in the ambient space.

        Raises
        ------
        ValueError
            As `value`, or if neurons were set aside that the window reaches.
        """
        if bandwidth > self._region.margin and len(self._alive) < len(self._positions):
            raise ValueError(
                "bandwidth must be at most the margin below which neurons were set aside, "
                f"{self._region.margin!r}, got {bandwidth!r}"
            )
        before = self._dense.work
        gradient = self._dense.smoothed_input_gradient(X, bandwidth, begun)
        self.work += self._dense.work - before
        return gradient

    def forward(self, X: FloatArray) -> ForwardPass:
        """Return f together with the active sets (lines 12 and 17 of Algorithm 1).

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The points, in the order of the batch, each in the cap of its example.

        Returns
        -------
        ForwardPass
            Values, and active sets under the names of the whole network.

        Raises
        ------
        ValueError
            As `value`.
        """
        before = self._dense.work
        passed = self._dense.forward(X)
        self.work += self._dense.work - before
        return replace(
            passed,
            m=len(self._positions),
            block=self._alive[passed.block],
            indices=self._alive[passed.indices].astype(np.int32),
        )

    def weight_gradient(
        self, X: FloatArray, passed: ForwardPass, coefficients: FloatArray
    ) -> tuple[IntArray | None, FloatArray]:
        """Return the rows that move and the gradient with respect to them (lines 18 and 19).

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The points, in the order of the batch, each in the cap of its example.
        passed : ForwardPass
            What `forward` returned for them.
        coefficients : ndarray of float64, shape (n,)
            The weights of the points.

        Returns
        -------
        rows : ndarray of int64, shape (q,)
            The rows, ascending.
        gradient : ndarray of float64, shape (q, d)
            The gradient.
        """
        before = self._dense.work
        local = replace(
            passed,
            m=len(self._alive),
            block=self._positions[passed.block],
            indices=self._positions[passed.indices].astype(np.int32),
        )
        rows, gradient = self._dense.weight_gradient(X, local, coefficients)
        self.work += self._dense.work - before
        return (self._alive if rows is None else self._alive[rows]), gradient
