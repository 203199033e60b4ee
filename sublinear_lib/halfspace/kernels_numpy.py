"""The kernels without a compiler: array operations on whole levels of the tree.

All queries walk down together.  The frontier is a list of (query, group) pairs; one step tests all
boxes of all pairs at once and keeps those that survive.  A frontier that would need too many
numbers at once is split, and its parts walk down one after the other, so that memory stays bounded
whatever the number of queries.  Before changing the loops over coordinates: each pair needs its own
small product, for which ``einsum`` and ``matmul`` are several times slower than one multiplication
of whole arrays per coordinate.

**Sums**: the walk of the search, with sums in place of lists.  The walk itself, level by level with
all queries at once and in bounded memory, is that of :mod:`sublinear_lib.halfspace.kernels_numpy`;
only what happens to a covered node and to a crossed leaf is different.  Before changing the sums: a
matrix product adds up the lanes of a leaf in an order of its own and `numpy.bincount` adds one
piece after the other, and the error bound of :mod:`sublinear_lib.halfspace.aggregates` counts on
both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sublinear_lib._typing import BoolArray, Float32Array, FloatArray, Int32Array, IntArray
from sublinear_lib.halfspace.kernels import (
    FANOUT,
    GROUP,
    Batch,
    Filtered,
    FlatTree,
    NodeSums,
    Output,
    PointBlocks,
    Summed,
)

__all__ = ["NumpyKernels"]

_QUERIES_AT_ONCE = 2**12
_BLOCK = 1024
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


def _joined(parts: list[Filtered]) -> Filtered:
    """Join the results of consecutive queries."""
    if not parts:
        nothing = np.empty(0, dtype=np.int32)
        zero = np.zeros(3, dtype=np.int64)
        return Filtered(np.empty(0, dtype=np.int64), nothing, nothing, nothing, zero)
    if len(parts) == 1:
        return parts[0]
    counts, rows, queries, doubtful, work = zip(*parts, strict=True)
    return Filtered(
        np.concatenate(counts),
        np.concatenate(rows),
        np.concatenate(queries),
        np.concatenate(doubtful),
        np.sum(work, axis=0),
    )


def _by_query(counts: list[IntArray], rows: list[Int32Array]) -> Int32Array:
    """Reorder hits that came tile by tile, and query by query within a tile, by query alone."""
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
        middle = _scores(batch.vectors[queries], tree.center, groups)
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
    """Vectorized kernels.

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
        """Walk down the tree with all queries at once, level by level."""
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
        return _joined(parts)

    def sum_up(self, tree: FlatTree, sums: NodeSums, batch: Batch, *, bounds: bool) -> Summed:
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

    @property
    def block(self) -> int:
        """Places in a block of a table."""
        return _BLOCK

    def scan(
        self, table: PointBlocks, batch: Batch, output: Output, levels: FloatArray | None = None
    ) -> Filtered:
        """Score every point for every query, block by block."""
        at_once = max(1, self.pairs // table.coordinates.shape[2])
        q = len(batch.below)
        order = np.arange(q) if levels is None else np.argsort(levels, kind="stable")
        parts = []
        for start in range(0, q, at_once):
            some = order[start : start + at_once]
            few = Batch(*(field[some] for field in batch))
            part = _scan(table, few, None if levels is None else levels[some], output.count_only)
            owner = some[part.doubtful_queries].astype(np.int32)
            parts.append(part._replace(doubtful_queries=owner))
        found = _joined(parts)
        counts = np.empty_like(found.counts)
        counts[order] = found.counts
        rows = found.rows if levels is None else _regrouped(order, found.counts, found.rows)
        doubtful_rows = found.doubtful_rows
        if table.rows is not None:
            rows, doubtful_rows = table.rows[rows], table.rows[doubtful_rows]
            if output.sort and not output.count_only:
                ends = np.cumsum(counts)
                for first, end in zip((ends - counts).tolist(), ends.tolist(), strict=True):
                    rows[first:end].sort()
        if output.out is not None and len(rows) <= len(output.out):
            output.out[: len(rows)] = rows
            rows = output.out[: len(rows)]
        return Filtered(counts, rows, found.doubtful_queries, doubtful_rows, found.work)


def _scan(
    table: PointBlocks, batch: Batch, levels: FloatArray | None, count_only: bool
) -> Filtered:
    """Score the points for some queries, by ascending level; return places in the place of rows."""
    q = len(batch.below)
    width = table.coordinates.shape[2]
    groups = width // GROUP
    counts: list[IntArray] = []
    places: list[Int32Array] = []
    doubtful_queries: list[Int32Array] = []
    doubtful_places: list[Int32Array] = []
    scores = np.empty(q * width, dtype=np.float32)
    possible = np.empty(q * width, dtype=np.bool_)
    tested = 0
    for block, start in enumerate(range(0, table.size, width)):
        group = block * groups
        first, last, many = 0, min(width, table.size - start), q
        if levels is not None and table.ceiling is not None:
            ceiling = table.ceiling[group : group + groups]
            reached = np.flatnonzero(ceiling >= levels[0])
            if not len(reached):
                continue
            first, last = int(reached[0]) * GROUP, min(last, (int(reached[-1]) + 1) * GROUP)
            many = int(np.searchsorted(levels, ceiling.max(), side="right"))
        shape = many, last - first
        size = shape[0] * shape[1]
        tested += size
        score, mask = scores[:size].reshape(shape), possible[:size].reshape(shape)
        np.matmul(batch.vectors[:many], table.coordinates[block][:, first:last], out=score)
        slack = batch.spread[:many] * table.radius[group : group + groups].max()
        low = batch.below[:many] - slack
        # Equal offsets, the case of a network, need one comparison with a number, which is
        # four times as fast as one with a column; the few more that pass are then in doubt.
        alike = np.ptp(low) <= 4.0 * slack.max()
        np.greater_equal(score, low.min() if alike else low[:, None], out=mask)
        owner, column = _nonzero(mask)
        counts.append(np.bincount(owner, minlength=q))
        sure = score.ravel()[owner * shape[1] + column] > (batch.above[:many] + slack)[owner]
        found = (column + (start + first)).astype(np.int32)
        if not sure.all():
            doubtful_queries.append(owner[~sure].astype(np.int32))
            doubtful_places.append(found[~sure])
        if not count_only:
            places.append(found)
    return Filtered(
        np.sum(counts, axis=0, dtype=np.int64) if counts else np.zeros(q, dtype=np.int64),
        _by_query(counts, places) if places else _concatenated([]),
        _concatenated(doubtful_queries),
        _concatenated(doubtful_places),
        np.array([0, tested, 0], dtype=np.int64),
    )


def _regrouped(order: IntArray, counts: IntArray, rows: Int32Array) -> Int32Array:
    """Bring rows, listed by query in some order of the queries, into the order of the queries."""
    if (order[1:] > order[:-1]).all():
        return rows
    parts = np.split(rows, np.cumsum(counts)[:-1])
    return np.concatenate([parts[i] for i in np.argsort(order)])


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
