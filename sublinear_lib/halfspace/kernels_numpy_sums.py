"""The summing kernel without a compiler: the walk of the search, with sums in place of lists.

The walk itself, level by level with all queries at once and in bounded memory, is that of
:mod:`sublinear_lib.halfspace.kernels_numpy`; only what happens to a covered node and to a crossed
leaf is different.  Before changing the sums: a matrix product adds up the lanes of a leaf in an
order of its own and `numpy.bincount` adds one piece after the other, and the error bound of
:mod:`sublinear_lib.halfspace.aggregates` counts on both.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.halfspace.filtering import Batch
from sublinear_lib.halfspace.kernels import FANOUT, FlatTree
from sublinear_lib.halfspace.kernels_numpy import _concatenated, _Descent, _nonzero, _scores
from sublinear_lib.halfspace.summing import NodeSums, Summed

__all__ = ["sum_up"]

_NUMBERS = 2**18


class _SummingDescent(_Descent):
    """One batch of queries on its way through a tree with sums."""

    def __init__(self, tree: FlatTree, node_sums: NodeSums, batch: Batch, bounds: bool) -> None:
        super().__init__(tree, batch, True, _NUMBERS)
        shape = (len(batch.below), node_sums.sums.shape[2])
        self.node_sums = node_sums
        self.bounds = bounds
        self.sums = np.zeros(shape)
        self.magnitudes_found = np.zeros(shape)
        self.pieces = np.zeros(shape[0], dtype=np.int64)

    def _report(self, queries: IntArray, items: IntArray, width: int) -> None:
        """Add the sums of nodes that span `width` leaves each."""
        super()._report(queries, items, width)
        level = (width.bit_length() - 1) // (FANOUT.bit_length() - 1)
        groups, children = self.tree.first[level] + items // FANOUT, items % FANOUT
        self._add(queries, self.node_sums.sums[groups, children], self.sums)
        if self.bounds:
            found = self.node_sums.magnitudes[groups, children]
            self._add(queries, found, self.magnitudes_found)
        self.pieces += np.bincount(queries, minlength=len(self.pieces))

    def _test(self, queries: IntArray, leaves: IntArray) -> None:
        """Add the points of crossed leaves that are certainly inside."""
        tree, batch = self.tree, self.batch
        scores = _scores(batch.vectors[queries], tree.coordinates, leaves)
        slack = batch.spread[queries] * tree.radius[leaves]
        sure = scores > (batch.above[queries] + slack)[:, None]
        possible = scores >= (batch.below[queries] - slack)[:, None]
        pair, lane = _nonzero(possible & ~sure)
        self.doubtful_queries.append(queries[pair].astype(np.int32))
        self.doubtful_rows.append(tree.rows[leaves[pair], lane])
        np.add.at(self.counts, queries, sure.sum(axis=1))
        values = self.node_sums.values[leaves]
        chosen = sure.astype(np.float64)[:, :, None]
        self._add(queries, np.matmul(values, chosen)[:, :, 0], self.sums)
        if self.bounds:
            found = np.matmul(np.abs(values), chosen)[:, :, 0]
            self._add(queries, found, self.magnitudes_found)
        self.pieces += np.bincount(queries, minlength=len(self.pieces))

    @staticmethod
    def _add(queries: IntArray, values: FloatArray, total: FloatArray) -> None:
        for column in range(total.shape[1]):
            total[:, column] += np.bincount(
                queries, weights=values[:, column], minlength=len(total)
            )


def sum_up(tree: FlatTree, sums: NodeSums, batch: Batch, *, bounds: bool) -> Summed:
    """Walk down the tree with all queries at once and add up."""
    descent = _SummingDescent(tree, sums, batch, bounds)
    descent.run()
    return Summed(
        descent.counts,
        descent.sums,
        descent.magnitudes_found,
        descent.pieces,
        _concatenated(descent.doubtful_queries),
        _concatenated(descent.doubtful_rows),
        descent.work,
    )
