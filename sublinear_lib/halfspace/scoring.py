"""The scores of reported pairs: one number for each, the same bit for bit however it was found.

What is reported is decided in real arithmetic (:mod:`sublinear_lib.halfspace.filtering`); a score
is a float64 number to go with it, the pre-activation ``<w_r, x> + b_r`` of Equation (2).  It is
*defined* as the float64 sum

    ((p_1 x_1 + p_2 x_2) + p_3 x_3) + ... + p_d x_d, then + bias,

every product and every addition rounded once, from left to right, whichever engine, set of kernels,
batch or number of threads found the pair.  Its error is that of
:func:`sublinear_lib.predicates.error_bound`; so a score may lie on the other side of the offset, or
on it, where the true value is within that bound of it.  Before changing a loop: fused
multiplication and addition, or another order, would change the bits.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.halfspace.protocol import Int32Array
from sublinear_lib.halfspace.store import PointStore

__all__ = ["score_pairs"]

_NUMBERS_AT_ONCE = 2**17


def score_pairs(
    store: PointStore,
    kernels: str,
    normals: FloatArray,
    indptr: IntArray,
    rows: Int32Array,
    scores: FloatArray,
) -> None:
    """Compute the scores of the rows that a batch of queries found.

    Parameters
    ----------
    store : PointStore
        The points.
    kernels : {"numba", "numpy"}
        The loops to use; the scores do not depend on it.
    normals : ndarray of float64, shape (q, d)
        The normals.
    indptr : ndarray of int64, shape (q + 1,)
        Where the rows of each query start and end; it may be a part of a longer one.
    rows : ndarray of int32, shape (k,)
        The rows.
    scores : ndarray of float64, shape (k,)
        Where to write the scores of these queries; infinite or NaN where a sum overflows.
    """
    if kernels == "numba":
        from sublinear_lib.halfspace import kernels_numba_scores

        kernels_numba_scores.score_pairs(store.points, store.bias, normals, indptr, rows, scores)
        return
    first, last = int(indptr[0]), int(indptr[-1])
    owners = np.repeat(np.arange(len(normals), dtype=np.int32), np.diff(indptr))
    step = max(1, _NUMBERS_AT_ONCE // store.d)
    for start in range(first, last, step):
        stop = min(start + step, last)
        vectors = normals[owners[start - first : stop - first]]
        scores[start:stop] = _left_to_right(store, vectors, rows[start:stop])


def _left_to_right(store: PointStore, vectors: FloatArray, rows: Int32Array) -> FloatArray:
    """Return ``<p_r, x> + bias_r`` for matching vectors and rows, summed from left to right."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        products = store.points[rows]
        products *= vectors
        total: FloatArray = products[:, 0].copy()
        for k in range(1, store.d):
            total += products[:, k]
        if store.bias is not None:
            total += store.bias[rows]
    return total
