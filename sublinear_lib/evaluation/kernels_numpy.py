"""The loops of the evaluation package in pure NumPy.

They do line 17 and line 18 of Algorithm 1 (forward pass and gradient on the listed neurons only)
without a compiler.  Before changing a line: the `strict` variants promise the *bits* of the
canonical order (a score is accumulated coordinate by coordinate and then gets its bias, a sum over
neurons runs strictly left to right over ascending ids, a weight gradient point by point), and
:mod:`sublinear_lib.evaluation.kernels_numba` promises the same bits.  NumPy's ``sum`` and ``dot``
are therefore not allowed there: they reorder.  ``np.add.accumulate`` is sequential by definition.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sublinear_lib import predicates
from sublinear_lib._typing import BoolArray, FloatArray, IntArray
from sublinear_lib.activations import blurred_step

__all__ = [
    "descend",
    "list_pass",
    "scatter_rows",
    "smooth_pass",
    "tile_pass",
    "write_rows",
]


def _strict_scores(W: FloatArray, b: FloatArray, x: FloatArray) -> FloatArray:
    scores = np.zeros(W.shape[0])
    for k in range(W.shape[1]):
        scores += W[:, k] * x[k]
    scores += b
    return scores


def list_pass(
    W: FloatArray,
    a: FloatArray,
    b: FloatArray,
    lower: float,
    upper: float,
    shift: float,
    X: FloatArray,
    indptr: IntArray,
    indices: NDArray[np.int32],
    verdict: NDArray[np.int8],
    value: FloatArray,
    gradient: FloatArray,
    flags: BoolArray,
    tally: IntArray,
    strict: bool,
) -> IntArray:
    """Add the listed neurons' share of value and input gradient, point by point.

    A score above `upper` is active, one below `lower` is not; in between `verdict` decides, entry
    by entry, when it is given.  When it is not, such entries are reported, the outputs are void,
    and the caller decides the entries and starts again.
    """
    undecided: list[IntArray] = []
    for i in range(X.shape[0]):
        start, stop = int(indptr[i]), int(indptr[i + 1])
        rows = indices[start:stop]
        if rows.size == 0:
            continue
        weights = W[rows]
        scores = _strict_scores(weights, b[rows], X[i]) if strict else weights @ X[i] + b[rows]
        active = scores > upper
        unsure = ~active & ~(scores < lower)
        if unsure.any():
            where = np.flatnonzero(unsure)
            if verdict.size:
                active[where] = verdict[start + where] == 1
            else:
                undecided.append(start + where)
        if flags.size:
            flags[start:stop] = active
        outputs = a[rows[active]]
        tally[0] += outputs.size
        terms = outputs * (scores[active] - shift)
        if strict:
            value[i] = np.add.accumulate(np.append(value[i], terms))[-1]
        else:
            value[i] += terms.sum()
        if gradient.shape[0]:
            if strict:
                steps = np.vstack((gradient[i], outputs[:, None] * weights[active]))
                gradient[i] = np.add.accumulate(steps, axis=0)[-1]
            else:
                gradient[i] += outputs @ weights[active]
    return np.concatenate(undecided) if undecided else np.empty(0, dtype=np.int64)


def smooth_pass(
    W: FloatArray,
    a: FloatArray,
    b: FloatArray,
    tau: float,
    jump: float,
    bandwidth: float,
    X: FloatArray,
    indptr: IntArray,
    indices: NDArray[np.int32],
    gradient: FloatArray,
    strict: bool,
) -> int:
    """Add the listed neurons' share of the smoothed input gradient, point by point."""
    count = 0
    for i in range(X.shape[0]):
        rows = indices[indptr[i] : indptr[i + 1]]
        if rows.size == 0:
            continue
        weights = W[rows]
        scores = _strict_scores(weights, b[rows], X[i]) if strict else weights @ X[i] + b[rows]
        derivative = blurred_step(scores, tau, jump, bandwidth)
        near = np.flatnonzero(derivative != 0.0)
        count += near.size
        factors = a[rows[near]] * derivative[near]
        if strict:
            steps = np.vstack((gradient[i], factors[:, None] * weights[near]))
            gradient[i] = np.add.accumulate(steps, axis=0)[-1]
        else:
            gradient[i] += factors @ weights[near]
    return count


def tile_pass(
    Z: FloatArray,
    a: FloatArray,
    b: FloatArray,
    lower: float,
    upper: float,
    shift: float,
    value: FloatArray,
    active: BoolArray,
) -> int:
    """Turn a tile of inner products into activities and add its share of the value."""
    Z += b
    np.greater(Z, upper, out=active)
    # "not below" counts the active and the undecided; NaN is undecided.
    undecided = Z.size - np.count_nonzero(np.less(Z, lower)) - np.count_nonzero(active)
    if shift:
        Z -= shift
    Z *= active
    value += Z @ a
    return int(undecided)


def scatter_rows(
    indptr: IntArray,
    indices: NDArray[np.int32],
    coefficients: FloatArray,
    a: FloatArray,
    X: FloatArray,
    position: IntArray,
    gradient: FloatArray,
    strict: bool,
) -> None:
    """Accumulate ``sum_i c_i a_r x_i`` over the points at which neuron r is listed."""
    for i in range(X.shape[0]):
        rows = indices[indptr[i] : indptr[i + 1]]
        if rows.size:
            gradient[position[rows]] += (coefficients[i] * a[rows])[:, None] * X[i]


def descend(
    W: FloatArray, rows: IntArray, gradient: FloatArray, eta: float, start: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """Take a gradient step of some rows, without writing it yet."""
    where: IntArray | slice = rows if rows.size else slice(None)
    with np.errstate(over="ignore", invalid="ignore"):
        weights = W[where] - gradient * eta
        parts = np.zeros((8, len(weights)))
        for k in range(weights.shape[1]):
            move = weights[:, k] - start[where, k]
            parts[k % 8] += move * move
        parts = parts[:4] + parts[4:]
        squares = (parts[0] + parts[2]) + (parts[1] + parts[3])
        largest = float(np.abs(weights).max(initial=0.0))
    return weights, squares, largest


def write_rows(W: FloatArray, rows: IntArray, values: FloatArray) -> float:
    """Write some rows and bound their norms."""
    W[rows] = values
    return float(predicates.row_norms(values).max(initial=0.0))
