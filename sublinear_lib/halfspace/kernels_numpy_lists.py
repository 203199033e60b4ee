"""The loops of candidate lists as array operations; the compiled ones must agree with them.

`merge` exchanges the entries of hot neurons, `sift` tests the candidates of each query point by a
float32 score (:mod:`sublinear_lib.halfspace.candidates`).  Both work through pieces of a bounded
number of entries, so that their temporary arrays do not grow with the lists.  Before changing
`sift`, know that only a score that is certainly too low may be dropped: NaN must stay.
"""

from __future__ import annotations

import itertools

import numpy as np

from sublinear_lib._typing import BoolArray, Float32Array, Int32Array, IntArray

__all__ = ["merge", "sift"]

_ENTRIES_AT_ONCE = 2**21
_NUMBERS_AT_ONCE = 2**19


def _pieces(ends: IntArray, at_once: int) -> list[slice]:
    """Cut queries, whose entries end at `ends`, into runs of about `at_once` entries."""
    cuts = [0]
    while cuts[-1] < len(ends):
        taken = ends[cuts[-1] - 1] if cuts[-1] else 0
        cuts.append(max(cuts[-1] + 1, int(np.searchsorted(ends, taken + at_once, side="right"))))
    return [slice(start, stop) for start, stop in itertools.pairwise(cuts)]


def merge(
    indptr: IntArray,
    indices: Int32Array,
    hot: BoolArray,
    hot_indptr: IntArray,
    hot_indices: Int32Array,
) -> tuple[IntArray, Int32Array]:
    """Take the hot neurons out of the lists and put in what was found for them instead."""
    m = len(hot)
    keep = ~hot[indices]
    kept = np.concatenate(([0], np.cumsum(keep)))[indptr]
    cold = indices[keep]
    merged = np.empty(len(cold) + len(hot_indices), dtype=np.int32)
    sizes = kept + hot_indptr
    for piece in _pieces(sizes[1:], _ENTRIES_AT_ONCE):
        old = slice(kept[piece.start], kept[piece.stop])
        new = slice(hot_indptr[piece.start], hot_indptr[piece.stop])
        lists = np.arange(piece.start, piece.stop, dtype=np.int64) * m
        old_keys = np.repeat(lists, np.diff(kept[piece.start : piece.stop + 1])) + cold[old]
        new_keys = np.repeat(lists, np.diff(hot_indptr[piece.start : piece.stop + 1]))
        new_keys += hot_indices[new]
        places = np.searchsorted(old_keys, new_keys) + np.arange(len(new_keys))
        target = merged[sizes[piece.start] : sizes[piece.stop]]
        is_old = np.ones(len(target), dtype=np.bool_)
        is_old[places] = False
        target[places] = hot_indices[new]
        target[is_old] = cold[old]
    return sizes, merged


def sift(
    table: Float32Array,
    ceiling: Float32Array,
    points: Float32Array,
    begin: IntArray,
    end: IntArray,
    indices: Int32Array,
) -> tuple[IntArray, Int32Array, Float32Array]:
    """Drop the candidates whose score plus ceiling is negative."""
    at_once = max(1, _NUMBERS_AT_ONCE // table.shape[1])
    counts = np.zeros(len(points), dtype=np.int64)
    parts, sums = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.float32)]
    for query, first in enumerate(begin.tolist()):
        last = int(end[query])
        for start in range(first, last, at_once):
            rows = indices[start : min(start + at_once, last)]
            totals = table[rows] @ points[query]
            totals += ceiling[rows]
            places = np.flatnonzero(~(totals < 0.0))
            counts[query] += len(places)
            parts.append(rows[places])
            sums.append(totals[places])
    return counts, np.concatenate(parts), np.concatenate(sums)
