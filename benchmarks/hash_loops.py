"""The lookup of SimHash, compiled: walk through the buckets of a query, keep what scores enough.

Same answers as the NumPy lookup in :mod:`benchmarks.simhash`, so that the rival of
the half-space index is timed with compiled loops as the index is.  Before changing it, know that a
point which stands in several buckets of a query is scored once: `seen` holds the number of the last
query that met it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from sublinear_lib._typing import FloatArray, IntArray

Function = TypeVar("Function", bound=Callable[..., Any])
Int32Array = NDArray[np.int32]


def _compile(function: Function) -> Function:
    make = numba.njit(
        cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"}
    )
    return cast(Function, make(function))


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

    What does not fit into `out` is counted and not written.
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
