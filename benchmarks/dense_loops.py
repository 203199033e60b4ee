"""The passes of the dense rival between its matrix products, compiled.

Same functions as the NumPy ones in :mod:`benchmarks.dense_training`, with one
difference: no score may be NaN, which lets the search for a maximum become vector code.  `gate` has
no branches and becomes vector code as a whole.  The other two skip chunks in which nothing fires:
for few active neurons that is most of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from sublinear_lib._typing import FloatArray

Function = TypeVar("Function", bound=Callable[..., Any])
Float32Array = NDArray[np.float32]

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
