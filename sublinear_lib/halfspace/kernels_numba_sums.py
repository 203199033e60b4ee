"""The compiled summing kernel: what packets of queries find on their walk is added up.

The walk is that of the search (:mod:`sublinear_lib.halfspace.kernels_numba`); instead of rows,
its events become sums: a run of leaves that lies inside adds the sums of its node, and a crossed
leaf those of its certain points, column by column
(`sublinear_lib._vector_code.add_chosen`).  All queries that cross a leaf follow one
another, so that its columns are read once.  Before changing the order in which something is added,
know that a term of a leaf passes through three additions there, one for each further leaf, four at
the end and one for each node: the error bound of :mod:`sublinear_lib.halfspace.aggregates` counts
on it.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib._compiled import compiled
from sublinear_lib._vector_code import add_chosen
from sublinear_lib.halfspace.kernels import Batch, FlatTree, NodeSums, Summed
from sublinear_lib.halfspace.kernels_numba import Walk

__all__ = ["PACKET", "sum_up"]

_compiled = compiled()

PACKET = 64
"""Queries that walk down together: fewer than for a search, whose partial sums take no cache."""


@_compiled
def _finish(partial, sums):
    """Add the eight partial sums of every column to the sums, and leave zeros."""
    place = 0
    for q in range(len(sums)):
        for c in range(sums.shape[1]):
            for width in (4, 2, 1):
                for j in range(width):
                    partial[place + j] += partial[place + j + width]
            sums[q, c] += partial[place]
            for j in range(8):
                partial[place + j] = 0.0
            place += 8


@_compiled
def _add_up(code, events, number, begin, bounds, node_sums, partials, found):
    """Add up the events of a packet.

    What is `found` (sums, magnitudes and pieces) has a row for each of its queries, the first of
    which is `begin`.  The partial sums are zeros before and after, eight for each column.
    """
    queries, starts, words = events
    values, sums_of_nodes, magnitudes_of_nodes = node_sums
    partial, partial_sizes = partials
    sums, magnitudes, pieces = found
    columns = sums.shape[1]
    for event in range(number):
        owner = np.int64(queries[event])
        if owner >= 0:
            q = owner - begin
            start = starts[event] * columns
            place = q * columns * 8
            word = words[event]
            add_chosen(code, values, start, columns, word, False, partial, place)
            if bounds:
                add_chosen(code, values, start, columns, word, True, partial_sizes, place)
        else:
            q = ~owner - begin
            node = np.int64(words[event] >> np.uint64(32)) * columns
            for c in range(columns):
                sums[q, c] += sums_of_nodes[node + c]
            if bounds:
                for c in range(columns):
                    magnitudes[q, c] += magnitudes_of_nodes[node + c]
        pieces[q] += 1
    _finish(partial, sums)
    if bounds:
        _finish(partial_sizes, magnitudes)


def sum_up(tree: FlatTree, sums: NodeSums, batch: Batch, *, bounds: bool) -> Summed:
    """Walk down the tree with packets of queries and add up."""
    q, columns = len(batch.below), sums.values.shape[1]
    pieces = np.zeros(q, dtype=np.int64)
    found, sizes = np.zeros((q, columns)), np.zeros((q, columns))
    partial = np.zeros(min(PACKET, q) * columns * 8)
    partial_sizes = np.zeros_like(partial)
    flat = sums.values.ravel(), sums.sums.ravel(), sums.magnitudes.ravel()
    walk = Walk(tree, batch, PACKET, sure_only=True)
    for begin, end, events, number in walk:
        own = found[begin:end], sizes[begin:end], pieces[begin:end]
        partials = partial, partial_sizes
        _add_up(walk.code, events, number, begin, bounds, flat, partials, own)
    return Summed(
        walk.counts,
        found,
        sizes,
        pieces,
        walk.doubtful_queries[: walk.doubts],
        walk.doubtful_rows[: walk.doubts],
        walk.work,
    )
