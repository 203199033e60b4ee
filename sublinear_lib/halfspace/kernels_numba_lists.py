"""The compiled loops of candidate lists: one list after the other, one pass.

They do what :mod:`sublinear_lib.halfspace.kernels_numpy` says, which is the version to read
first.  Before changing `sift`, know what the compiler may do here: it may reorder the sum of a
score (the error bound holds for every order), but not assume that numbers are finite.
"""

from __future__ import annotations

import numba
import numpy as np

from sublinear_lib._compiled import FREE_SUMS, compiled
from sublinear_lib._typing import BoolArray, Float32Array, Int32Array, IntArray

__all__ = ["merge", "sift"]

_compiled = compiled(FREE_SUMS)


@_compiled
def _merged_sizes(indptr, indices, hot, hot_indptr):
    sizes = np.zeros(len(indptr), dtype=np.int64)
    for i in range(len(indptr) - 1):
        kept = hot_indptr[i + 1] - hot_indptr[i]
        for entry in range(indptr[i], indptr[i + 1]):
            kept += not hot[indices[entry]]
        sizes[i + 1] = sizes[i] + kept
    return sizes


@_compiled
def _merge(indptr, indices, hot, hot_indptr, hot_indices, merged):
    place = 0
    for i in range(len(indptr) - 1):
        entry, end = indptr[i], indptr[i + 1]
        for new in range(hot_indptr[i], hot_indptr[i + 1]):
            coming = hot_indices[new]
            while entry < end and indices[entry] < coming:
                # Written always, kept if the place moves on: there is no branch to mispredict.
                merged[place] = indices[entry]
                place += not hot[indices[entry]]
                entry += 1
            merged[place] = coming
            place += 1
        while entry < end:
            merged[place] = indices[entry]
            place += not hot[indices[entry]]
            entry += 1


def merge(
    indptr: IntArray,
    indices: Int32Array,
    hot: BoolArray,
    hot_indptr: IntArray,
    hot_indices: Int32Array,
) -> tuple[IntArray, Int32Array]:
    """Take the hot neurons out of the lists and put in what was found for them instead."""
    sizes: IntArray = _merged_sizes(indptr, indices, hot, hot_indptr)
    merged = np.empty(int(sizes[-1]) + 1, dtype=np.int32)  # the last place may be written in vain
    _merge(indptr, indices, hot, hot_indptr, hot_indices, merged)
    return sizes, merged[:-1]


@_compiled
def _sift(table, ceiling, points, begin, end, indices, rows, totals, counts):
    width = table.shape[1]
    zero = numba.float32(0.0)
    found = 0
    for i in range(len(points)):
        before = found
        point = points[i]
        entry, last = begin[i], end[i]
        while entry + 4 <= last:
            # Four rows at once: what takes the time is to fetch them, and so the waits overlap.
            first, second = np.int64(indices[entry]), np.int64(indices[entry + 1])
            third, fourth = np.int64(indices[entry + 2]), np.int64(indices[entry + 3])
            a, b, c, d = zero, zero, zero, zero
            for k in range(width):
                x = point[k]
                a += table[first, k] * x
                b += table[second, k] * x
                c += table[third, k] * x
                d += table[fourth, k] * x
            for neuron, score in ((first, a), (second, b), (third, c), (fourth, d)):
                total = score + ceiling[neuron]
                # Written always, kept if the place moves on; NaN stays.
                rows[found] = neuron
                totals[found] = total
                found += not (total < zero)
            entry += 4
        while entry < last:
            neuron = np.int64(indices[entry])
            score = zero
            for k in range(width):
                score += table[neuron, k] * point[k]
            total = score + ceiling[neuron]
            rows[found] = neuron
            totals[found] = total
            found += not (total < zero)
            entry += 1
        counts[i] = found - before
    return found


def sift(
    table: Float32Array,
    ceiling: Float32Array,
    points: Float32Array,
    begin: IntArray,
    end: IntArray,
    indices: Int32Array,
) -> tuple[IntArray, Int32Array, Float32Array]:
    """Drop the candidates whose score plus ceiling is negative."""
    longest = int((end - begin).sum())
    rows = np.empty(longest + 1, dtype=np.int32)
    totals = np.empty(longest + 1, dtype=np.float32)
    counts = np.empty(len(points), dtype=np.int64)
    found = _sift(table, ceiling, points, begin, end, indices, rows, totals, counts)
    return counts, rows[:found].copy(), totals[:found]
