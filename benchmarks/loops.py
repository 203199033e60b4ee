"""Compiled loops of the rivals, with twins in NumPy, so that they are timed as the library is.

`gate`, `add_rows` and `scatter` are the passes of :mod:`benchmarks.dense_training` between its
matrix products; the last two skip chunks in which nothing fires.  No score may be NaN, which lets
the search for a maximum become vector code.  `look_up` walks through the buckets of a query of
:mod:`benchmarks.simhash` and keeps what scores enough.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from sublinear_lib._typing import FloatArray, IntArray

Function = TypeVar("Function", bound=Callable[..., Any])
Float32Array = NDArray[np.float32]
Int32Array = NDArray[np.int32]

_CHUNK = 32


def _compile(function: Function) -> Function:
    make = numba.njit(
        cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz", "nnan"}
    )
    return cast(Function, make(function))


@_compile
def gate(scores: Float32Array, a: Float32Array, tau: Any, shift: Any, value: FloatArray) -> None:
    """Turn scores into the coefficients of the neurons that fire; add up the values."""
    n, width = scores.shape
    for i in range(n):
        total = np.float32(0.0)
        for j in range(width):
            z = scores[i, j]
            c = a[j] if z > tau else np.float32(0.0)
            total += c * (z - shift)
            scores[i, j] = c
        value[i] += total


@_compile
def add_rows(
    scores: Float32Array,
    a: Float32Array,
    W: Float32Array,
    tau: Any,
    shift: Any,
    value: FloatArray,
    slope: Float32Array,
) -> None:
    """Add up the values and the rows of the neurons that fire."""
    n, width = scores.shape
    d = W.shape[1]
    for i in range(n):
        total = np.float32(0.0)
        for start in range(0, width, _CHUNK):
            end = min(start + _CHUNK, width)
            largest = scores[i, start]
            for j in range(start + 1, end):
                largest = max(largest, scores[i, j])
            if largest > tau:
                for j in range(start, end):
                    z = scores[i, j]
                    if z > tau:
                        total += a[j] * (z - shift)
                        for k in range(d):
                            slope[i, k] += a[j] * W[j, k]
        value[i] += total


@_compile
def scatter(
    scores: Float32Array, a: Float32Array, W: Float32Array, tau: Any, moves: Float32Array
) -> None:
    """Move the rows of the neurons that fire."""
    n, width = scores.shape
    d = W.shape[1]
    for i in range(n):
        for start in range(0, width, _CHUNK):
            end = min(start + _CHUNK, width)
            largest = scores[i, start]
            for j in range(start + 1, end):
                largest = max(largest, scores[i, j])
            if largest > tau:
                for j in range(start, end):
                    if scores[i, j] > tau:
                        for k in range(d):
                            W[j, k] += a[j] * moves[i, k]


@_compile
def look_up(
    order: Int32Array,
    begin: IntArray,
    end: IntArray,
    points: FloatArray,
    queries: FloatArray,
    level: float,
    seen: Int32Array,
    indptr: IntArray,
    out: Int32Array,
) -> int:
    """Write the ids above the level, ascending by query, and return how many there are.

    What does not fit into `out` is counted and not written.  A point that stands in several buckets
    of a query is scored once: `seen` holds the number of the last query that met it.
    """
    d = points.shape[1]
    seen[:] = -1
    count = 0
    for q in range(len(queries)):
        first = count
        for table in range(order.shape[0]):
            for place in range(begin[table, q], end[table, q]):
                r = order[table, place]
                if seen[r] == q:
                    continue
                seen[r] = q
                score = 0.0
                for k in range(d):
                    score += points[r, k] * queries[q, k]
                if score > level:
                    if count < len(out):
                        out[count] = r
                    count += 1
        if count <= len(out):
            out[first:count].sort()
        indptr[q + 1] = count
    return count
