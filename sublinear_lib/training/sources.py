r"""Which neurons a training step looks at: all of them, or those the half-space index reports.

This is the one place in which the dense and the sparse trainer differ.  The sparse one asks the
index once per example and step, and the answer serves the whole attack on that example, because of
the following superset.

**The superset.**  Let v lie in the cap ``B2(x, rho) = {v in X : ||v - x|| <= rho}``.  All points of
X have last coordinate 1/2, so ``v - x`` has last coordinate 0, and with w' the first d - 1
coordinates of w, Cauchy and Schwarz give

    <w, v> + b  =  <w, x> + b + <w', (v - x)'>  <=  <w, x> + b + rho ||w'||.

A neuron can be active somewhere in the cap only if the right-hand side exceeds tau.  That is again
a half-space query: for the *lifted* points ``(w_r, ||w'_r||)`` in R^{d+1} with bias b_r, normal
``(x, rho)`` and offset tau.  The active set of every point of the cap is then decided exactly among
the neurons reported.

**In floating point.**  The index answers exactly for the numbers it stores, so only three
roundings matter, and each is turned outwards.  The stored norm is an upper bound of the real one
(:func:`sublinear_lib.predicates.row_norms`).  Points that an attack computes may miss their cap and
the height 1/2 by a rounding error; distances up to `TOLERANCE` are allowed and everything beyond is
refused (:class:`sublinear_lib.evaluation.Region`), so rho is enlarged by twice the tolerance.  A
deviation h of the last coordinate changes the inner product by ``h |w_d|``, so tau is lowered by
twice the tolerance times the largest ``|w_{r,d}|``.
"""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np

from sublinear_lib import geometry, predicates
from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.evaluation import Evaluator, Neurons, Reduction, Region
from sublinear_lib.halfspace import HalfspaceIndex

__all__ = ["TOLERANCE", "AllNeurons", "IndexMethod", "IndexedNeurons", "NeuronSource"]

IndexMethod = Literal["auto", "scan", "tree"]
"""The structure of the half-space index."""

TOLERANCE = 1e-8
"""How far an adversarial point may lie outside its cap, and off the height 1/2."""

# A neuron at the very edge of the margin may round to either side of it.
_ROUNDED_UP = 1.0 + 1e-9


class NeuronSource(Protocol):
    """Where a trainer gets the neurons of a step from."""

    work: int
    """Inner products spent on finding neurons so far."""

    @property
    def name(self) -> str:
        """How the history calls this source."""

    def evaluator(self) -> Evaluator:
        """Find the neurons of a step.

        Returns
        -------
        Evaluator
            It knows every neuron that can be active somewhere in the cap of an example now.
        """

    def candidates(self) -> float:
        """Count what the last evaluator knows.

        Returns
        -------
        float
            Neurons per example, on average.
        """

    def update(self, rows: IntArray | None, values: FloatArray) -> None:
        """Take note of new weights (the neurons themselves have them already).

        Parameters
        ----------
        rows : ndarray of int64, shape (k,), or None
            The neurons that moved; ``None`` means all.
        values : ndarray of float64, shape (k, d)
            Their new weights.
        """


def _region(X: FloatArray, rho: float, margin: float) -> Region:
    # Two points of X are never further apart than its diameter.
    return Region(X, min(rho, geometry.SLICE_DIAMETER), TOLERANCE, margin)


class AllNeurons:
    """Every neuron, at every example: the dense reference.

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
    """

    name = "dense"

    def __init__(self, neurons: Neurons, X: FloatArray, rho: float, reduction: Reduction) -> None:
        self.work = 0
        self._m = neurons.m
        region = _region(X, rho, margin=np.inf)
        self._evaluator = Evaluator(neurons, len(X), region=region, reduction=reduction)

    def evaluator(self) -> Evaluator:
        """Return the evaluator of all neurons.

        Returns
        -------
        Evaluator
            The same one every time.
        """
        return self._evaluator

    def candidates(self) -> float:
        """Return m.

        Returns
        -------
        float
            Every example meets every neuron.
        """
        return float(self._m)

    def update(self, rows: IntArray | None, values: FloatArray) -> None:
        """Do nothing: there is no structure to maintain.

        Parameters
        ----------
        rows : ndarray of int64, shape (k,), or None
            Not used.
        values : ndarray of float64, shape (k, d)
            Not used.
        """


class IndexedNeurons:
    """The neurons that can be active somewhere in the cap of an example, from the index.

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
    method : {"auto", "scan", "tree"}
        Structure of the index.
    margin : float, default 0
        How far below the threshold the lists must reach, for an adversary that looks there.
    """

    def __init__(
        self,
        neurons: Neurons,
        X: FloatArray,
        rho: float,
        reduction: Reduction,
        method: IndexMethod,
        margin: float = 0.0,
    ) -> None:
        self.work = 0
        self._neurons = neurons
        self._reduction = reduction
        self._region = _region(X, rho, margin)
        reach = self._region.radius + 2.0 * TOLERANCE
        self._normals = np.column_stack((X, np.full(len(X), reach)))
        self._height = float(np.abs(neurons.W[:, -1]).max())
        self._index = HalfspaceIndex(_lifted(neurons.W), neurons.b, method=method)
        self._reported = 0

    @property
    def name(self) -> str:
        """Sparse, with the structure of the index."""
        return f"sparse ({self._index.stats().engine})"

    def evaluator(self) -> Evaluator:
        """Query the index at every example.

        Returns
        -------
        Evaluator
            A new one, with the lists that the index reported.
        """
        n = len(self._normals)
        lowered = 2.0 * TOLERANCE * self._height + _ROUNDED_UP * self._region.margin
        offset = np.nextafter(self._neurons.tau - lowered, -np.inf)
        hits = self._index.query_halfspace(self._normals, offset, strict=True)
        self._reported = hits.indices.size
        self.work = self._index.stats().points_tested
        return Evaluator(
            self._neurons,
            n,
            lists=(hits.indptr, hits.indices),
            region=self._region,
            reduction=self._reduction,
        )

    def candidates(self) -> float:
        """Count what the last query reported.

        Returns
        -------
        float
            Neurons per example, on average.
        """
        return self._reported / len(self._normals)

    def update(self, rows: IntArray | None, values: FloatArray) -> None:
        """Move the rows in the index (lines 20 and 21 of Algorithm 1).

        Parameters
        ----------
        rows : ndarray of int64, shape (k,), or None
            The neurons that moved; ``None`` means all.
        values : ndarray of float64, shape (k, d)
            Their new weights.
        """
        if len(values) == 0:
            return
        self._height = max(self._height, float(np.abs(values[:, -1]).max()))
        ids = np.arange(self._neurons.m) if rows is None else rows
        self._index.update(ids, _lifted(values))


def _lifted(W: FloatArray) -> FloatArray:
    """Append to each row an upper bound of the norm of its first d - 1 coordinates."""
    return np.column_stack((W, predicates.row_norms(W[:, :-1])))
