"""The kernels without a compiler: array operations on whole levels of the tree.

All queries walk down together.  The frontier is a list of (query, group) pairs; one step tests all
boxes of all pairs at once and keeps those that survive.  A frontier that would need too many
numbers at once is split, and its parts walk down one after the other, so that memory stays bounded
whatever the number of queries.  Before changing the loops over coordinates: each pair needs its own
small product, for which ``einsum`` and ``matmul`` are several times slower than one multiplication
of whole arrays per coordinate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sublinear_lib._typing import BoolArray, IntArray
from sublinear_lib.halfspace.filtering import Batch, Float32Array
from sublinear_lib.halfspace.kernels import (
    FANOUT,
    Filtered,
    FlatTree,
    Table,
    joined,
)
from sublinear_lib.halfspace.protocol import Int32Array, Output

__all__ = ["NumpyKernels"]

_QUERIES_AT_ONCE = 2**12
_LARGEST_KEY = 2**31


def _nonzero(table: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the positions of the true entries; much faster than `numpy.nonzero` of a matrix."""
    flat = np.flatnonzero(table)
    first = flat // table.shape[1]
    return first, flat - first * table.shape[1]


def _scores(vectors: Float32Array, blocks: Float32Array, index: IntArray) -> Float32Array:
    """Return ``sum_k vectors[i, k] blocks[index[i], k, :]`` for every ``i``."""
    total = vectors[:, :1] * blocks[:, 0][index]
    for k in range(1, vectors.shape[1]):
        total += vectors[:, k : k + 1] * blocks[:, k][index]
    return total


def _concatenated(parts: list[Int32Array]) -> Int32Array:
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)


def _by_query(counts: list[IntArray], rows: list[Int32Array]) -> Int32Array:
    """Reorder hits that came tile by tile, and query by query within a tile, by query alone.

    Parameters
    ----------
    counts : list of ndarray of int64, shape (q,)
        Hits of every query in each tile.
    rows : list of ndarray of int32
        The rows of each tile, query by query.

    Returns
    -------
    ndarray of int32
        All rows, query by query and in the order of the tiles.
    """
    if len(rows) == 1:
        return rows[0]
    ordered = np.empty(sum(map(len, rows)), dtype=np.int32)
    total = np.sum(counts, axis=0, dtype=np.int64)
    place = np.cumsum(total) - total
    for tile_counts, tile_rows in zip(counts, rows, strict=True):
        first = np.cumsum(tile_counts) - tile_counts
        ordered[np.arange(len(tile_rows)) + np.repeat(place - first, tile_counts)] = tile_rows
        place += tile_counts
    return ordered


class _Descent:
    """One batch of queries on its way through a tree."""

    def __init__(self, tree: FlatTree, batch: Batch, count_only: bool, pairs: int) -> None:
        self.tree = tree
        self.batch = batch
        self.magnitudes = np.abs(batch.vectors)
        self.count_only = count_only
        self.pairs = pairs
        self.leaves = int(tree.leaves[0])
        q = len(batch.below)
        self.counts = np.zeros(q, dtype=np.int64)
        # A hit is one number, which sorts several times as fast as a pair.
        self.first_key = (np.arange(q) * int(tree.row_bound[0])).astype(np.int32)
        self.hits: list[Int32Array] = []
        self.doubtful_queries: list[Int32Array] = []
        self.doubtful_rows: list[Int32Array] = []
        self.work = np.zeros(3, dtype=np.int64)

    def run(self) -> None:
        """Walk down to the leaves with all queries."""
        top = len(self.tree.first) - 2
        q = len(self.batch.below)
        queries = np.arange(q)
        pending = [(top, queries, np.full(q, self.tree.first[top]))]
        at_once = max(1, self.pairs // FANOUT)
        while pending:
            level, queries, groups = pending.pop()
            if len(queries) > at_once:
                pending.append((level, queries[at_once:], groups[at_once:]))
                queries, groups = queries[:at_once], groups[:at_once]
            queries, items = self._open(level, queries, groups)
            if level == 0:
                self._test_leaves(queries, items)
            elif len(items):
                pending.append((level - 1, queries, self.tree.first[level - 1] + items))

    def _open(self, level: int, queries: IntArray, groups: IntArray) -> tuple[IntArray, IntArray]:
        """Test the children of groups; report the covered ones and return the crossed ones."""
        tree, batch = self.tree, self.batch
        self.work[0] += len(queries)
        middle = _scores(batch.vectors[queries], tree.centre, groups)
        extent = _scores(self.magnitudes[queries], tree.half, groups)
        pair, child = _nonzero(middle + extent >= batch.below[queries][:, None])
        inside = middle[pair, child] - extent[pair, child] > batch.above[queries[pair]]
        items = (groups[pair] - tree.first[level]) * FANOUT + child
        owner = queries[pair]
        self._report(owner[inside], items[inside], FANOUT**level)
        return owner[~inside], items[~inside]

    def _report(self, queries: IntArray, items: IntArray, width: int) -> None:
        """Take all points below nodes that span `width` leaves each."""
        tree = self.tree
        start = items * width
        stop = np.minimum(start + width, self.leaves)
        points = tree.live_before[stop] - tree.live_before[start]
        np.add.at(self.counts, queries, points)
        self.work[2] += int(points.sum())
        if self.count_only or not len(queries):
            return
        span = stop - start
        first = np.cumsum(span) - span
        leaves = np.arange(int(span.sum())) + np.repeat(start - first, span)
        owner = np.repeat(queries, span)
        at_once = max(1, self.pairs // tree.rows.shape[1])
        for begin in range(0, len(leaves), at_once):
            rows = tree.rows[leaves[begin : begin + at_once]]
            leaf, lane = _nonzero(rows >= 0)
            keys = self.first_key[owner[begin : begin + at_once]]
            self.hits.append(keys[leaf] + rows[leaf, lane])

    def _test_leaves(self, queries: IntArray, leaves: IntArray) -> None:
        """Score the points of crossed leaves."""
        self.work[0] += len(leaves)
        self.work[1] += int(self.tree.live[leaves].sum())
        at_once = max(1, self.pairs // self.tree.rows.shape[1])
        for begin in range(0, len(leaves), at_once):
            self._test(queries[begin : begin + at_once], leaves[begin : begin + at_once])

    def _test(self, queries: IntArray, leaves: IntArray) -> None:
        tree, batch = self.tree, self.batch
        scores = _scores(batch.vectors[queries], tree.coordinates, leaves)
        slack = batch.spread[queries] * tree.radius[leaves]
        pair, lane = _nonzero(scores >= (batch.below[queries] - slack)[:, None])
        sure = scores[pair, lane] > (batch.above[queries] + slack)[pair]
        owner, rows = queries[pair], tree.rows[leaves[pair], lane]
        self.counts += np.bincount(owner, minlength=len(self.counts))
        if not sure.all():
            self.doubtful_queries.append(owner[~sure].astype(np.int32))
            self.doubtful_rows.append(rows[~sure])
        if not self.count_only:
            self.hits.append(self.first_key[owner] + rows)

    def ordered_rows(self) -> Int32Array:
        """Return the rows of all hits, query by query and ascending."""
        keys = _concatenated(self.hits)
        keys.sort()
        keys -= np.repeat(self.first_key, self.counts)
        return keys


@dataclass(frozen=True)
class NumpyKernels:
    """Vectorised kernels.

    Parameters
    ----------
    pairs : int, default 2**18
        Numbers per temporary array, which bounds the memory and fits a second-level cache.
    """

    pairs: int = 2**18

    @property
    def name(self) -> str:
        """The value of ``kernels=`` that selects this set."""
        return "numpy"

    def search(self, tree: FlatTree, batch: Batch, output: Output) -> Filtered:
        """Walk down the tree with all queries at once, level by level.

        Parameters
        ----------
        tree : FlatTree
            The tree.
        batch : Batch
            The queries.
        output : Output
            The form of the answer.

        Returns
        -------
        Filtered
            Certain and doubtful pairs.
        """
        at_once = min(_QUERIES_AT_ONCE, _LARGEST_KEY // max(1, int(tree.row_bound[0])))
        parts = []
        for start in range(0, len(batch.below), at_once):
            descent = _Descent(
                tree, batch.part(start, start + at_once), output.count_only, self.pairs
            )
            descent.run()
            parts.append(
                Filtered(
                    descent.counts,
                    _concatenated([]) if output.count_only else descent.ordered_rows(),
                    _concatenated(descent.doubtful_queries) + np.int32(start),
                    _concatenated(descent.doubtful_rows),
                    descent.work,
                )
            )
        return joined(parts)

    def scan(self, table: Table, batch: Batch, output: Output) -> Filtered:
        """Score every point for every query, tile by tile.

        Parameters
        ----------
        table : Table
            The points.
        batch : Batch
            The queries.
        output : Output
            The form of the answer.

        Returns
        -------
        Filtered
            Certain and doubtful pairs.
        """
        at_once = max(1, self.pairs // table.tile)
        parts = []
        for start in range(0, len(batch.below), at_once):
            part = self._scan(table, batch.part(start, start + at_once), output.count_only)
            parts.append(part._replace(doubtful_queries=part.doubtful_queries + np.int32(start)))
        return joined(parts)

    def _scan(self, table: Table, batch: Batch, count_only: bool) -> Filtered:
        q = len(batch.below)
        counts: list[IntArray] = []
        rows: list[Int32Array] = []
        doubtful_queries: list[Int32Array] = []
        doubtful_rows: list[Int32Array] = []
        scores = np.empty((q, min(table.tile, table.size)), dtype=np.float32)
        possible = np.empty(scores.shape, dtype=np.bool_)
        for tile, start in enumerate(range(0, table.size, table.tile)):
            block = table.points[start : min(start + table.tile, table.size)].T
            if block.shape[1] < scores.shape[1]:
                scores = np.empty((q, block.shape[1]), dtype=np.float32)
                possible = np.empty(scores.shape, dtype=np.bool_)
            np.matmul(batch.vectors, block, out=scores)
            slack = batch.spread * table.radius[tile]
            low = batch.below - slack
            # Equal offsets, the case of a network, need one comparison with a number, which is
            # four times as fast as one with a column; the few more that pass are then in doubt.
            alike = np.ptp(low) <= 4.0 * slack.max()
            np.greater_equal(scores, low.min() if alike else low[:, None], out=possible)
            owner, column = _nonzero(possible)
            score = scores.ravel()[owner * block.shape[1] + column]
            counts.append(np.bincount(owner, minlength=q))
            sure = score > (batch.above + slack)[owner]
            found = (column + start).astype(np.int32)
            if not sure.all():
                doubtful_queries.append(owner[~sure].astype(np.int32))
                doubtful_rows.append(found[~sure])
            if not count_only:
                rows.append(found)
        return Filtered(
            np.sum(counts, axis=0, dtype=np.int64) if counts else np.zeros(q, dtype=np.int64),
            _by_query(counts, rows) if rows else _concatenated([]),
            _concatenated(doubtful_queries),
            _concatenated(doubtful_rows),
            np.array([0, q * table.size, 0], dtype=np.int64),
        )
