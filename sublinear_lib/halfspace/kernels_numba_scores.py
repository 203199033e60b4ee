"""The compiled loop for the scores of reported pairs; see :mod:`sublinear_lib.halfspace.scoring`.

It is compiled without any freedom in arithmetic (no ``fastmath``, not even contraction): each
product and each addition is rounded once, from left to right, as the scores are defined.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.halfspace.protocol import Int32Array

__all__ = ["score_pairs"]

_NO_BIAS = np.empty(0)


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=False)
def _score(points: Any, bias: Any, normals: Any, indptr: Any, rows: Any, scores: Any) -> None:
    dimension = points.shape[1]
    for q in range(len(normals)):
        for j in range(indptr[q], indptr[q + 1]):
            row = rows[j]
            total = points[row, 0] * normals[q, 0]
            for k in range(1, dimension):
                total += points[row, k] * normals[q, k]
            if len(bias):
                total += bias[row]
            scores[j] = total


def score_pairs(
    points: FloatArray,
    bias: FloatArray | None,
    normals: FloatArray,
    indptr: IntArray,
    rows: Int32Array,
    scores: FloatArray,
) -> None:
    """Compute the scores of the rows that a batch of queries found.

    Parameters
    ----------
    points : ndarray of float64, shape (m, d)
        The points.
    bias : ndarray of float64, shape (m,), or None
        The biases.
    normals, indptr, rows, scores
        As in :func:`sublinear_lib.halfspace.scoring.score_pairs`.
    """
    _score(points, _NO_BIAS if bias is None else bias, normals, indptr, rows, scores)
