"""Value, input gradient and weight gradient of the network on some neurons per point.

Equation (2) of the paper, ``f(x) = sum_r a_r sigma_tau(<w_r, x> + b_r)``, in the two ways that
Algorithm 1 compares: over all m neurons, and over a list of candidates per point.  There is one
class for both, `Evaluator`; what differs is only which neurons it is told about.  A neuron counts
as active when ``<w_r, x> + b_r > tau`` holds in real arithmetic on the stored numbers
(:mod:`sublinear_lib.predicates`), so whatever order a product was summed in, both ways see the same
active sets, provided that the lists contain every neuron that can be active.

Know before changing it: with ``reduction="reference"`` the result is defined to the bit (sums run
strictly left to right over ascending neuron ids), and inserting neurons that are not active changes
nothing, because adding an exact zero changes nothing; this is what makes the sparse trainer equal
to the dense one bit by bit.  With ``reduction="blas"`` the order is free, and neurons that are
candidates at many points are taken off the lists and evaluated at *all* points by a matrix product,
which is several times faster than a list once more than a sixth of the points want the neuron.

The inner loops are compiled when numba can be used, and pure NumPy otherwise, which
``SUBLINEAR_NUMBA=0`` in the environment forces; it is read at every call, so that one process can
compare the two.  Numba is imported on first use only: importing must not start a compiler.
"""

from __future__ import annotations

import functools
import importlib
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from sublinear_lib import predicates, validation
from sublinear_lib._typing import BoolArray, FloatArray, IntArray
from sublinear_lib.activations import blurred_step, spread_jump

__all__ = [
    "Evaluator",
    "ForwardPass",
    "Neurons",
    "PointEvaluator",
    "Reduction",
    "Region",
    "kernels",
    "kernels_in_use",
]

Reduction = Literal["blas", "reference"]
"""The order of sums: free and fast, or canonical to the bit."""

_NO_FLAGS = np.empty(0, dtype=np.bool_)
_NO_VERDICT = np.empty(0, dtype=np.int8)
_NO_IDS = np.empty(0, dtype=np.int32)
_POINTS_AT_ONCE = 1024
_SCORES_AT_ONCE = 1 << 18
# One list entry costs about as much as six entries of a matrix product (measured at d = 8 and 65).
_SHARE_FOR_MATRIX = 1.0 / 6.0


@functools.cache
def _load(name: str) -> ModuleType:
    return importlib.import_module(f"sublinear_lib.evaluation.kernels_{name}")


@functools.cache
def _compiled_available() -> bool:
    try:
        _load("numba")
    except ImportError:
        return False
    return True


def kernels_in_use() -> str:
    """Return the name of the kernels that the next evaluation will use.

    Returns
    -------
    str
        ``"numba"`` or ``"numpy"``.
    """
    if os.environ.get("SUBLINEAR_NUMBA", "1") == "0" or not _compiled_available():
        return "numpy"
    return "numba"


def kernels() -> ModuleType:
    """Return the kernel module in use."""
    return _load(kernels_in_use())


class PointEvaluator(Protocol):
    """What an attack may ask of a network: values and input gradients at a batch of points.

    Points and gradients have the shape (n, d), the latter in the ambient space; values (n,).
    """

    def value(self, X: FloatArray) -> FloatArray:
        """Return f at the points."""

    def value_and_input_gradient(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return f and its formal gradient in x."""

    def smoothed_input_gradient(self, X: FloatArray, bandwidth: float) -> FloatArray:
        """Return the gradient in x of f with every activation blurred.

        The window is `bandwidth` to either side, ``> 0``, in units of a pre-activation.
        """

    @property
    def weight_scale(self) -> float:
        """Root mean square of the weights, the last column left out."""


@dataclass(eq=False)
class Neurons:
    """Weights in working form: what the evaluators read and a trainer writes.

    Parameters
    ----------
    W : ndarray of float64, shape (m, d)
        Weights, C-contiguous and finite; changed in place by `set_rows` only.
    a, b : ndarray of float64, shape (m,)
        Output weights and biases.
    tau : float
        Threshold, absolute units.
    shift : float
        What an active neuron subtracts from its score: 0 for the jump ``z 1[z > tau]``, tau for the
        continuous ``max(z - tau, 0)``.

    Attributes
    ----------
    version : int
        Number of changes so far, so that copies of rows know when they are out of date.
    weight_scale : float
        Root mean square of the entries of W when this object was made, the last column left out.
        It does not follow later changes, so that it is the same for every trainer of a run.
    """

    W: FloatArray
    a: FloatArray
    b: FloatArray
    tau: float
    shift: float
    version: int = field(init=False, repr=False, default=0)
    weight_scale: float = field(init=False, repr=False)
    _norm_bound: float = field(init=False, repr=False)
    _bias_bound: float = field(init=False, repr=False)
    _error: tuple[float, float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Bound the rows once; `set_rows` keeps the bound."""
        columns = self.W[:, :-1]
        self.weight_scale = float(np.sqrt(np.einsum("ij,ij->", columns, columns) / columns.size))
        self._norm_bound = float(predicates.row_norms(self.W).max())
        self._bias_bound = float(np.abs(self.b).max())
        self._error = predicates.error_coefficients(self.d)

    @property
    def m(self) -> int:
        """Number of neurons."""
        return len(self.W)

    @property
    def d(self) -> int:
        """Input dimension."""
        return int(self.W.shape[1])

    def set_rows(self, rows: IntArray | None, values: FloatArray) -> None:
        """Replace the weights of some neurons (``None``: of all)."""
        if len(values) == 0:
            return
        # First, because an interrupt must not leave copies of rows that look up to date.
        self.version += 1
        # The bound only grows: recomputing it from all rows would cost O(m d) per step.
        if rows is None:
            bound = float(predicates.row_norms(values).max())
            self._norm_bound = max(self._norm_bound, bound)
            self.W[...] = values
        else:
            # For an interrupt in between: the bound must never be too small.
            before, self._norm_bound = self._norm_bound, np.inf
            self._norm_bound = max(before, kernels().write_rows(self.W, rows, values))

    def descended(
        self, rows: IntArray | None, gradient: FloatArray, eta: float, start: FloatArray
    ) -> tuple[FloatArray, FloatArray, float]:
        """Compute a gradient step (line 19 of Algorithm 1) without taking it.

        Returns the new weights of the rows (``None``: of all), their squared distances from
        `start`, and the largest of them in size, NaN or infinity if one is not finite.
        """
        where = np.empty(0, dtype=np.int64) if rows is None else rows
        if not len(gradient):
            return gradient, np.empty(0), 0.0
        found: tuple[FloatArray, FloatArray, float] = kernels().descend(
            self.W, where, gradient, eta, start
        )
        return found

    def undecided_band(self, X: FloatArray) -> tuple[float, float]:
        """Return the scores below which a neuron is certainly off and above which it is on.

        The ends of the band around tau that rounding leaves undecided, for every neuron and every
        row of `X`; infinite when a score may overflow.
        """
        return self.band_within(float(predicates.row_norms(X).max()))

    def band_within(self, longest: float) -> tuple[float, float]:
        """Return `undecided_band` for all points of a given length."""
        relative, absolute = self._error
        slack = relative * (self._norm_bound * longest + self._bias_bound) + absolute
        below, above = self.tau - slack, self.tau + slack
        return math.nextafter(below, -math.inf), math.nextafter(above, math.inf)


@dataclass(frozen=True, eq=False)
class Region:
    """The points at which candidate lists are complete.

    Parameters
    ----------
    anchors : ndarray of float64, shape (n, d)
        One anchor per point.
    radius : float
        Allowed Euclidean distance in the first d - 1 coordinates.
    tolerance : float
        Allowed distance in the last coordinate, and slack added to the radius.
    margin : float, default 0
        How far below the threshold the lists reach: they hold every neuron whose pre-activation
        can exceed ``tau - margin``.
    """

    anchors: FloatArray
    radius: float
    tolerance: float
    margin: float = 0.0
    on_slice: ClassVar[bool] = False
    """Whether the points must also lie on X, within the tolerance."""

    def check(self, X: FloatArray) -> None:
        """Raise unless every point lies in the region of its anchor."""
        steps = X - self.anchors
        reach = np.sqrt(np.einsum("ij,ij->i", steps[:, :-1], steps[:, :-1]))
        outside = ~(reach <= self.radius + self.tolerance) | ~(
            np.abs(steps[:, -1]) <= self.tolerance
        )
        if outside.any():
            row = int(np.argmax(outside))
            raise ValueError(
                f"X must stay within {self.radius!r} of the points that the candidate lists were "
                f"made for: row {row} is {float(reach[row])!r} away, and "
                f"{float(abs(steps[row, -1]))!r} in the last coordinate, which may differ by "
                f"{self.tolerance!r}"
            )


@dataclass(frozen=True, eq=False)
class ForwardPass:
    """Values of the network at a batch of points together with the active sets.

    The active neurons come in two disjoint groups: a mask over `block` (neurons that were
    evaluated at every point) and lists in compressed sparse row form.

    Parameters
    ----------
    value : ndarray of float64, shape (n,)
        f at each point.
    m : int
        Number of neurons of the network.
    block : ndarray of int64, shape (p,)
        Neurons evaluated at every point, ascending.
    mask : ndarray of bool, shape (n, p)
        Which of them are active.
    indptr, indices : ndarray of int64 and int32
        The active neurons among the listed ones.
    """

    value: FloatArray
    m: int
    block: IntArray
    mask: BoolArray
    indptr: IntArray
    indices: NDArray[np.int32]

    @property
    def counts(self) -> IntArray:
        """Number of active neurons per point, k_{i,t} of Definition 3.9, shape (n,)."""
        counts: IntArray = np.count_nonzero(self.mask, axis=1) + np.diff(self.indptr)
        return counts

    @property
    def touched(self) -> BoolArray:
        """Whether a neuron is active at some point: the union Q_t, as a mask of shape (m,)."""
        touched = np.zeros(self.m, dtype=np.bool_)
        touched[self.block] = self.mask.any(axis=0)
        touched[self.indices] = True
        return touched

    def active_sets(self) -> tuple[IntArray, NDArray[np.int32]]:
        """Return the active neurons of each point, ascending."""
        n = self.value.size
        block_points, columns = np.nonzero(self.mask)
        points = np.concatenate((block_points, np.repeat(np.arange(n), np.diff(self.indptr))))
        rows = np.concatenate((self.block[columns], self.indices)).astype(np.int32)
        order = np.lexsort((rows, points))
        indptr = np.zeros(n + 1, dtype=np.int64)
        np.cumsum(self.counts, out=indptr[1:])
        return indptr, rows[order]


class Evaluator:
    """Evaluation of a network at a batch of n points, on all neurons or on candidate lists.

    Parameters
    ----------
    neurons : Neurons
        The weights.  They may change between calls (`Neurons.set_rows`), as long as the lists
        remain supersets of the active sets; a new list needs a new evaluator.
    n : int
        Number of points of every batch.
    lists : tuple of ndarray, optional
        ``(indptr, indices)``: candidate neurons per point (CSR, int64 and int32, ascending).
        ``None`` means all neurons at every point.
    region : Region, optional
        Where the lists are complete.  Points outside are refused.
    reduction : {"blas", "reference"}, default "blas"
        Order of the sums: free and fast, or canonical and slow (see the module's docstring).
    trusted : bool, default False
        Whether the lists *are* the active sets: then every listed neuron counts as active.

    Attributes
    ----------
    work : int
        Passes over a row of W for one point so far, d multiplications and additions each: one for
        a score, one for an active neuron's share of a gradient (over all m neurons: one for every
        neuron, because a matrix product does not look).

    Notes
    -----
    Every method takes the points `X`, shape (n, d), in the order of the lists, and raises a
    `TypeError` or `ValueError` for points of a wrong shape, not finite, or outside the region.
    """

    def __init__(
        self,
        neurons: Neurons,
        n: int,
        *,
        lists: tuple[IntArray, NDArray[np.int32]] | None = None,
        region: Region | None = None,
        reduction: Reduction = "blas",
        trusted: bool = False,
    ) -> None:
        self.neurons = neurons
        self.n = n
        self.region = region
        self.strict = reduction == "reference"
        self.trusted = trusted
        self.work = 0
        m = neurons.m
        self._kernels = kernels()
        self._everywhere = lists is None
        empty = np.zeros(n + 1, dtype=np.int64), _NO_IDS
        if self.strict or trusted:
            self._block = np.empty(0, dtype=np.int64)
            if lists is None:
                everyone = np.tile(np.arange(m, dtype=np.int32), n)
                lists = np.arange(0, n * m + 1, m, dtype=np.int64), everyone
            self._indptr, self._indices = lists
        elif lists is None:
            self._block = np.arange(m, dtype=np.int64)
            self._indptr, self._indices = empty
        else:
            self._block, self._indptr, self._indices = _split_lists(
                *lists, m, int(_SHARE_FOR_MATRIX * n)
            )
        if self._everywhere:
            self._block_a, self._block_b = neurons.a, neurons.b
        else:
            self._block_a, self._block_b = neurons.a[self._block], neurons.b[self._block]
        self._tile = max(64, _SCORES_AT_ONCE // min(max(n, 1), _POINTS_AT_ONCE))
        self._scores = np.empty(0)
        self._active = _NO_FLAGS
        self._copied: tuple[int, FloatArray] | None = None

    @property
    def candidates(self) -> int:
        """Number of (point, neuron) pairs that an evaluation scores."""
        return self.n * self._block.size + self._indices.size

    def value(self, X: FloatArray) -> FloatArray:
        """Return f at the points."""
        value, _, _ = self._run(self._points(X), gradient=False, record=False)
        return value

    def value_and_input_gradient(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return f and its formal gradient ``sum over active r of a_r w_r``."""
        value, gradient, _ = self._run(self._points(X), gradient=True, record=False)
        return value, gradient

    def accumulate(self, X: FloatArray, value: FloatArray, gradient: FloatArray) -> None:
        """Add the share of these neurons to sums that other neurons have begun.

        Notes
        -----
        With ``reduction="reference"``, evaluators of consecutive blocks of neurons that pass the
        sums on give the bits of one evaluator of all of them.
        """
        self._run(self._points(X), gradient=False, record=False, sums=(value, gradient))

    def smoothed_input_gradient(
        self, X: FloatArray, bandwidth: float, begun: FloatArray | None = None
    ) -> FloatArray:
        """Return the gradient in x of f with every activation blurred."""
        points = self._points(X)
        neurons = self.neurons
        width, jump = spread_jump(neurons.tau - neurons.shift, bandwidth)
        if self.region is not None and not self._everywhere and width > self.region.margin:
            raise ValueError(
                "bandwidth must be at most the margin that the candidate lists were made for, "
                f"{self.region.margin!r}, got {width!r}"
            )
        gradient = np.zeros((self.n, neurons.d)) if begun is None else begun.copy()
        self.work += self.candidates
        with np.errstate(over="ignore", invalid="ignore"):
            self._smooth_block(points, jump, width, gradient)
            self.work += self._kernels.smooth_pass(
                neurons.W,
                neurons.a,
                neurons.b,
                neurons.tau,
                jump,
                width,
                points,
                self._indptr,
                self._indices,
                gradient,
                self.strict,
            )
        return gradient

    @property
    def weight_scale(self) -> float:
        """Root mean square of the weights, the last column left out, at the start of the run."""
        return self.neurons.weight_scale

    def _smooth_block(
        self, X: FloatArray, jump: float, bandwidth: float, gradient: FloatArray
    ) -> None:
        """Add the share of the neurons of the block, tile by tile."""
        if not self._block.size:
            return
        weights = self._block_weights()
        for points, columns in self._tiles():
            W = weights[columns]
            scores = X[points] @ W.T
            scores += self._block_b[columns]
            factors = blurred_step(scores, self.neurons.tau, jump, bandwidth)
            factors *= self._block_a[columns]
            self.work += factors.size
            gradient[points] += factors @ W

    def forward(self, X: FloatArray) -> ForwardPass:
        """Return f together with the active sets (lines 12 and 17 of Algorithm 1)."""
        value, _, (mask, indptr, indices) = self._run(self._points(X), gradient=False, record=True)
        return ForwardPass(value, self.neurons.m, self._block, mask, indptr, indices)

    def weight_gradient(
        self, X: FloatArray, passed: ForwardPass, coefficients: FloatArray
    ) -> tuple[IntArray | None, FloatArray]:
        """Return ``sum_i c_i a_r x_i 1[r active at x_i]`` for the neurons of the union Q_t."""
        neurons = self.neurons
        if self._everywhere and not self.strict:
            self.work += self.n * neurons.m
            return None, self._matrix_gradient(X, passed.mask, coefficients)
        rows = np.flatnonzero(passed.touched)
        position = np.empty(neurons.m, dtype=np.int64)
        position[rows] = np.arange(rows.size)
        gradient = np.zeros((rows.size, neurons.d))
        self.work += self.n * neurons.m if self._everywhere else int(passed.counts.sum())
        from_mask = _mask_lists(passed.mask, passed.block)
        for indptr, indices in (from_mask, (passed.indptr, passed.indices)):
            self._kernels.scatter_rows(
                indptr, indices, coefficients, neurons.a, X, position, gradient, self.strict
            )
        return rows, gradient

    def _points(self, X: FloatArray) -> FloatArray:
        X = validation.float_array(X, "X", shape=(self.n, self.neurons.d))
        if not X.flags.writeable:
            X = X.copy()  # a kernel would be compiled once more for read-only arrays
        if self.region is not None:
            self.region.check(X)
        return X

    def _matrix_gradient(
        self, X: FloatArray, mask: BoolArray, coefficients: FloatArray
    ) -> FloatArray:
        gradient = np.empty_like(self.neurons.W)
        for first in range(0, self.neurons.m, self._tile):
            columns = slice(first, first + self._tile)
            np.matmul((mask[:, columns] * coefficients[:, None]).T, X, out=gradient[columns])
        gradient *= self.neurons.a[:, None]
        return gradient

    def _run(
        self,
        X: FloatArray,
        *,
        gradient: bool,
        record: bool,
        sums: tuple[FloatArray, FloatArray] | None = None,
    ) -> tuple[FloatArray, FloatArray, tuple[BoolArray, IntArray, NDArray[np.int32]]]:
        if sums is None:
            sums = np.zeros(self.n), np.zeros((self.n if gradient else 0, self.neurons.d))
        value, slope = sums
        mask = np.zeros((self.n, self._block.size if record else 0), dtype=np.bool_)
        band = (-np.inf, -np.inf) if self.trusted else self.neurons.undecided_band(X)
        self.work += self.candidates
        # A score may overflow; it is then decided exactly, and the value is infinite or NaN.
        with np.errstate(over="ignore", invalid="ignore"):
            self._run_block(X, band, value, slope, mask)
            indptr, indices = self._run_lists(X, band, value, slope, record)
        return value, slope, (mask, indptr, indices)

    def _run_lists(
        self,
        X: FloatArray,
        band: tuple[float, float],
        value: FloatArray,
        slope: FloatArray,
        record: bool,
    ) -> tuple[IntArray, NDArray[np.int32]]:
        """Evaluate the listed neurons and return the active ones when asked to."""
        indptr, indices = self._indptr, self._indices
        if not indices.size:
            return indptr, indices
        neurons = self.neurons
        flags = np.empty(indices.size if record else 0, dtype=np.bool_)
        tally = np.zeros(1, dtype=np.int64)
        fixed = (neurons.W, neurons.a, neurons.b, *band, neurons.shift, X, indptr, indices)
        before = value.copy(), slope.copy()
        undecided = self._kernels.list_pass(
            *fixed, _NO_VERDICT, value, slope, flags, tally, self.strict
        )
        if undecided.size:
            # Rare (a score within rounding of tau): decide exactly, then sum again in order.
            points = np.searchsorted(indptr, undecided, side="right") - 1
            signs = predicates.exact_signs(
                neurons.W, neurons.b, X, neurons.tau, points, indices[undecided]
            )
            verdict = np.zeros(indices.size, dtype=np.int8)
            verdict[undecided] = signs > 0
            value[...], slope[...], tally[0] = *before, 0
            self._kernels.list_pass(*fixed, verdict, value, slope, flags, tally, self.strict)
        if slope.shape[0]:
            # Over all neurons the kernel skips exact zeros, but the method counts them.
            self.work += indices.size if self._everywhere else int(tally[0])
        if not record:
            return indptr, indices
        kept = np.zeros(indices.size + 1, dtype=np.int64)
        np.cumsum(flags, out=kept[1:])
        return kept[indptr], indices[flags]

    def _tiles(self) -> Iterator[tuple[slice, slice]]:
        for start in range(0, self.n, _POINTS_AT_ONCE):
            for first in range(0, self._block.size, self._tile):
                yield (
                    slice(start, min(start + _POINTS_AT_ONCE, self.n)),
                    slice(first, min(first + self._tile, self._block.size)),
                )

    def _block_weights(self) -> FloatArray:
        """Return the rows of the block, contiguous; copied once per state of the neurons."""
        neurons = self.neurons
        if self._everywhere:
            return neurons.W
        if self._copied is None or self._copied[0] != neurons.version:
            self._copied = neurons.version, neurons.W[self._block]
        return self._copied[1]

    def _run_block(
        self,
        X: FloatArray,
        band: tuple[float, float],
        value: FloatArray,
        slope: FloatArray,
        mask: BoolArray,
    ) -> None:
        """Evaluate the neurons of the block at every point, tile by tile."""
        if not self._block.size:
            return
        neurons = self.neurons
        weights = self._block_weights()
        if not self._scores.size:
            # One buffer for all calls: fresh pages for every tile would cost more than the sums.
            self._scores = np.empty(min(self.n, _POINTS_AT_ONCE) * self._tile)
            self._active = np.empty(self._scores.size, dtype=np.bool_)
        for points, columns in self._tiles():
            shape = points.stop - points.start, columns.stop - columns.start
            size = shape[0] * shape[1]
            scores = self._scores[:size].reshape(shape)
            active = self._active[:size].reshape(shape)
            W, a, b = weights[columns], self._block_a[columns], self._block_b[columns]
            np.matmul(X[points], W.T, out=scores)
            share = np.zeros(shape[0])
            if self._kernels.tile_pass(scores, a, b, *band, neurons.shift, share, active):
                share = self._decide_tile(X[points], W, a, b, band, active)
            value[points] += share
            if mask.shape[1]:
                mask[points, columns] = active
            if slope.shape[0] and self._everywhere:
                self.work += size
                np.multiply(active, a, out=scores)
                slope[points] += scores @ W
            elif slope.shape[0]:
                entries = np.flatnonzero(active)
                self.work += entries.size
                _add_rows(W, a, shape[1], entries, slope[points])

    def _decide_tile(
        self,
        X: FloatArray,
        W: FloatArray,
        a: FloatArray,
        b: FloatArray,
        band: tuple[float, float],
        active: BoolArray,
    ) -> FloatArray:
        """Redo a tile in which rounding left a score undecided; fill `active`, return the value."""
        tau = self.neurons.tau
        scores = X @ W.T + b
        slack = max(band[1] - tau, tau - band[0])
        active[...] = predicates.resolve(scores, slack, W, b, X, tau)
        share: FloatArray = np.where(active, scores - self.neurons.shift, 0.0) @ a
        return share


def _add_rows(
    W: FloatArray,
    a: FloatArray,
    columns: int,
    entries: IntArray,
    gradient: FloatArray,
) -> None:
    """Add ``a_r w_r`` to the gradient of point i for every listed pair (i, r) of a tile."""
    from scipy import sparse

    points, rows = np.divmod(entries, columns)
    indptr = np.searchsorted(points, np.arange(gradient.shape[0] + 1))
    pattern = sparse.csr_array((a[rows], rows, indptr), shape=(gradient.shape[0], columns))
    gradient += pattern @ W


def _mask_lists(mask: BoolArray, block: IntArray) -> tuple[IntArray, NDArray[np.int32]]:
    """Turn a mask over some neurons into lists of neuron ids per point."""
    points, columns = np.divmod(np.flatnonzero(mask), max(1, mask.shape[1]))
    indptr = np.searchsorted(points, np.arange(mask.shape[0] + 1))
    return indptr, block[columns].astype(np.int32)


def _split_lists(
    indptr: IntArray, indices: NDArray[np.int32], m: int, limit: int
) -> tuple[IntArray, IntArray, NDArray[np.int32]]:
    """Separate the neurons that are listed at more than `limit` points from the lists."""
    counts = np.bincount(indices, minlength=m)
    is_popular = counts > limit
    keep = ~is_popular[indices]
    before = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(keep, dtype=np.int64)))
    return np.flatnonzero(is_popular), before[indptr], indices[keep]
