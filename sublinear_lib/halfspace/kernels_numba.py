"""The compiled kernels: one query after the other, straight loops over flat arrays.

Each query walks down the tree with a small stack, tests the boxes of 32 children in one
vectorised loop, and marks the rows it finds in a bitmap, from which they are read in order into a
growing buffer.  The kernels run without the interpreter lock and hold no Python objects.

Know before changing them:

* Free lanes, empty leaves and missing children are NaN, and every test is written so that NaN fails
  it.  Only the contraction of products and sums is allowed to the compiler (``fastmath``), since
  the error bounds hold with and without it; assuming away NaN would break the search.
* numba notices a change of *this* file only when it looks for compiled code on disk, so everything
  that is compiled, constants included, is defined here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

from sublinear_lib.halfspace.filtering import Batch
from sublinear_lib.halfspace.kernels import (
    ROW_MULTIPLE,
    Filtered,
    FlatTree,
    Table,
    joined,
)
from sublinear_lib.halfspace.protocol import Int32Array, Output

__all__ = ["NumbaKernels"]

Function = TypeVar("Function", bound=Callable[..., Any])

_FANOUT_BITS = 5
_FANOUT = 1 << _FANOUT_BITS
_SMALLEST_BUFFER = 4096
_LARGEST_GROWTH = 8
_QUERIES_AT_ONCE = 256


def _compiled(function: Function) -> Function:
    """Compile a loop on its first call and keep the result on disk."""
    compiler = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
    return cast(Function, compiler(function))


def _lowest_bit_in_llvm(typing_context: Any, word: Any) -> Any:
    """Return the position of the lowest bit that is set (the word is not zero)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.uint64), generate


_lowest_bit: Any = intrinsic(_lowest_bit_in_llvm)


@_compiled
def _search(
    coordinates: Any,
    rows: Any,
    live: Any,
    live_before: Any,
    radius: Any,
    centre: Any,
    half: Any,
    first: Any,
    leaves: int,
    vectors: Any,
    below: Any,
    above: Any,
    spread: Any,
    begin: int,
    count_only: bool,
    counts: Any,
    found: Any,
    used: int,
    doubtful_queries: Any,
    doubtful_rows: Any,
    doubts: int,
    marks: Any,
    summary: Any,
    work: Any,
) -> tuple[int, int, int, int, int]:
    """Walk down for the queries from `begin` on; stop early where a buffer is full.

    The rows of a query are marked in a bitmap (`marks`, with one bit of `summary` for each word),
    from which they are read in order.  Returns the first query not answered, how much of the two
    buffers is used, and how much of each must be free for that query.
    """
    zero = np.uint64(0)
    one = np.uint64(1)
    six = np.uint64(6)
    dimension = vectors.shape[1]
    lanes = rows.shape[1]
    top = len(first) - 2
    stack_level = np.empty((top + 1) * _FANOUT + 1, dtype=np.int64)
    stack_item = np.empty((top + 1) * _FANOUT + 1, dtype=np.int64)
    middle = np.empty(_FANOUT, dtype=np.float32)
    extent = np.empty(_FANOUT, dtype=np.float32)
    score = np.empty(lanes, dtype=np.float32)
    for q in range(begin, len(below)):
        doubts_before = doubts
        count = 0
        nodes = 0
        tested = 0
        covered = 0
        lowest = below[q]
        highest = above[q]
        stack_level[0] = top
        stack_item[0] = 0
        depth = 1
        while depth > 0:
            depth -= 1
            level = stack_level[depth]
            parent = stack_item[depth]
            group = first[level] + parent
            nodes += 1
            for j in range(_FANOUT):
                middle[j] = 0.0
                extent[j] = 0.0
            for k in range(dimension):
                x = vectors[q, k]
                size = abs(x)
                for j in range(_FANOUT):
                    middle[j] += x * centre[group, k, j]
                    extent[j] += size * half[group, k, j]
            # A missing child is NaN and in neither set.  A box that is inside is also in the first.
            crossed = zero
            inside = zero
            for chunk in range(0, _FANOUT, 8):
                some = np.uint32(0)
                all_of_it = np.uint32(0)
                for j in range(8):
                    upper = middle[chunk + j] + extent[chunk + j]
                    lower = middle[chunk + j] - extent[chunk + j]
                    some |= np.uint32(upper >= lowest) << np.uint32(j)
                    all_of_it |= np.uint32(lower > highest) << np.uint32(j)
                crossed |= np.uint64(some) << np.uint64(chunk)
                inside |= np.uint64(all_of_it) << np.uint64(chunk)
            crossed &= ~inside
            while inside != zero:
                from_leaf = (parent * _FANOUT + _lowest_bit(inside)) << (_FANOUT_BITS * level)
                inside &= inside - one
                to_leaf = min(from_leaf + (1 << (_FANOUT_BITS * level)), leaves)
                covered += live_before[to_leaf] - live_before[from_leaf]
                if not count_only:
                    for leaf in range(from_leaf, to_leaf):
                        for lane in range(live[leaf]):
                            row = np.uint64(rows[leaf, lane])
                            marks[row >> six] |= one << (row & np.uint64(63))
                            summary[row >> np.uint64(12)] |= one << (row >> six & np.uint64(63))
            while crossed != zero:
                item = parent * _FANOUT + _lowest_bit(crossed)
                crossed &= crossed - one
                if level > 0:
                    stack_level[depth] = level - 1
                    stack_item[depth] = item
                    depth += 1
                    continue
                nodes += 1
                tested += live[item]
                slack = spread[q] * radius[item]
                low = lowest - slack
                high = highest + slack
                # Two coordinates in each pass over the lanes halve the traffic of the partial sums.
                x = vectors[q, 0]
                for j in range(lanes):
                    score[j] = x * coordinates[item, 0, j]
                for k in range(1, dimension - 1, 2):
                    x = vectors[q, k]
                    y = vectors[q, k + 1]
                    for j in range(lanes):
                        score[j] += x * coordinates[item, k, j] + y * coordinates[item, k + 1, j]
                if dimension % 2 == 0:
                    x = vectors[q, dimension - 1]
                    for j in range(lanes):
                        score[j] += x * coordinates[item, dimension - 1, j]
                for chunk in range(0, lanes, 64):
                    possible = zero
                    sure = zero
                    for part in range(0, min(64, lanes - chunk), 8):
                        some = np.uint32(0)
                        all_of_it = np.uint32(0)
                        for j in range(8):
                            value = score[chunk + part + j]
                            some |= np.uint32(value >= low) << np.uint32(j)
                            all_of_it |= np.uint32(value > high) << np.uint32(j)
                        possible |= np.uint64(some) << np.uint64(part)
                        sure |= np.uint64(all_of_it) << np.uint64(part)
                    doubtful = possible & ~sure
                    while doubtful != zero:
                        if doubts < len(doubtful_rows):
                            lane = chunk + _lowest_bit(doubtful)
                            doubtful_queries[doubts] = q
                            doubtful_rows[doubts] = rows[item, lane]
                        doubts += 1
                        doubtful &= doubtful - one
                    if count_only:
                        while possible != zero:
                            possible &= possible - one
                            count += 1
                    else:
                        while possible != zero:
                            lane = chunk + _lowest_bit(possible)
                            possible &= possible - one
                            count += 1
                            row = np.uint64(rows[item, lane])
                            marks[row >> six] |= one << (row & np.uint64(63))
                            summary[row >> np.uint64(12)] |= one << (row >> six & np.uint64(63))
        count += covered
        full = doubts > len(doubtful_rows)
        if not count_only:
            full |= used + count > len(found)
            for block in range(len(summary)):
                words = summary[block]
                summary[block] = zero
                while words != zero:
                    word = (np.uint64(block) << six) | np.uint64(_lowest_bit(words))
                    words &= words - one
                    bits = marks[word]
                    marks[word] = zero
                    base = np.int32(word << six)
                    while bits != zero and not full:
                        found[used] = base + np.int32(_lowest_bit(bits))
                        bits &= bits - one
                        used += 1
        if full:
            return q, used, doubts_before, count, doubts - doubts_before
        counts[q] = count
        work[0] += nodes
        work[1] += tested
        work[2] += covered
    return len(below), used, doubts, 0, 0


@_compiled
def _pick(
    scores: Any,
    low: Any,
    high: Any,
    start: int,
    counts: Any,
    found: Any,
    doubtful_queries: Any,
    doubtful_rows: Any,
) -> tuple[int, int]:
    """Find the scores of one tile that are not certainly outside.

    `found` and the buffers of the doubtful pairs have room for all.  Returns how many were found
    and how many of them are in doubt.
    """
    one = np.uint64(1)
    used = 0
    doubts = 0
    for q in range(scores.shape[0]):
        lowest = low[q]
        highest = high[q]
        row = scores[q]
        before = used
        for chunk in range(0, len(row), 64):
            possible = np.uint64(0)
            # Unsigned positions: only then does the compiler turn this into vector comparisons.
            for j in range(np.uint64(64)):
                possible |= np.uint64(row[np.uint64(chunk) + j] >= lowest) << j
            while possible != 0:
                column = chunk + _lowest_bit(possible)
                possible &= possible - one
                found[used] = start + column
                used += 1
                if not row[column] > highest:
                    doubtful_queries[doubts] = q
                    doubtful_rows[doubts] = start + column
                    doubts += 1
        counts[q] = used - before
    return used, doubts


@_compiled
def _by_query(counts: Any, rows: Any, ordered: Any) -> None:
    """Reorder hits that came tile by tile, and query by query within a tile, by query alone."""
    place = np.zeros(counts.shape[1], dtype=np.int64)
    total = 0
    for q in range(counts.shape[1]):
        place[q] = total
        for tile in range(counts.shape[0]):
            total += counts[tile, q]
    used = 0
    for tile in range(counts.shape[0]):
        for q in range(counts.shape[1]):
            for _ in range(counts[tile, q]):
                ordered[place[q]] = rows[used]
                place[q] += 1
                used += 1


def _longer(buffer: Int32Array, used: int, needed: int, done: int, total: int) -> Int32Array:
    """Return a buffer with the same contents and enough free places.

    It is made long enough for all parts of the work if they are like those done, within reason: one
    large part must not make room for thousands of its size.
    """
    if used + needed <= len(buffer):
        return buffer
    expected = int(1.1 * used * total / max(done, 1)) + needed
    length = max(2 * len(buffer), min(expected, _LARGEST_GROWTH * len(buffer)), used + needed)
    longer = np.empty(length, dtype=np.int32)
    longer[:used] = buffer[:used]
    return longer


def _trimmed(buffer: Int32Array, used: int) -> Int32Array:
    """Return the used part; a copy where that frees more than it costs."""
    return buffer[:used] if 2 * used > len(buffer) else buffer[:used].copy()


@dataclass(frozen=True)
class NumbaKernels:
    """Compiled kernels.

    Parameters
    ----------
    buffer : int, default 4096
        Rows the first output buffer has room for; buffers grow as needed.
    """

    buffer: int = _SMALLEST_BUFFER

    @property
    def name(self) -> str:
        """The value of ``kernels=`` that selects this set."""
        return "numba"

    def search(self, tree: FlatTree, batch: Batch, output: Output) -> Filtered:
        """Walk down the tree for one query after the other.

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
        q = len(batch.below)
        count_only = output.count_only
        lanes = tree.rows.shape[1]
        counts = np.zeros(q, dtype=np.int64)
        found = np.empty(0 if count_only else max(self.buffer, lanes), dtype=np.int32)
        doubtful_queries = np.empty(max(self.buffer // 4, lanes), dtype=np.int32)
        doubtful_rows = np.empty_like(doubtful_queries)
        words = int(tree.row_bound[0]) // 64 + 1
        marks = np.zeros(0 if count_only else words, dtype=np.uint64)
        summary = np.zeros(0 if count_only else words // 64 + 1, dtype=np.uint64)
        work = np.zeros(3, dtype=np.int64)
        begin = used = doubts = 0
        while True:
            begin, used, doubts, rows, pairs = _search(
                tree.coordinates,
                tree.rows,
                tree.live,
                tree.live_before,
                tree.radius,
                tree.centre,
                tree.half,
                tree.first,
                int(tree.leaves[0]),
                *batch,
                begin,
                count_only,
                counts,
                found,
                used,
                doubtful_queries,
                doubtful_rows,
                doubts,
                marks,
                summary,
                work,
            )
            if begin == q:
                break
            if not count_only:
                found = _longer(found, used, rows, begin, q)
            doubtful_queries = _longer(doubtful_queries, doubts, pairs, begin, q)
            doubtful_rows = _longer(doubtful_rows, doubts, pairs, begin, q)
        return Filtered(
            counts,
            _trimmed(found, used),
            _trimmed(doubtful_queries, doubts),
            _trimmed(doubtful_rows, doubts),
            work,
        )

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
        parts = []
        for start in range(0, len(batch.below), _QUERIES_AT_ONCE):
            part = self._scan(table, batch.part(start, start + _QUERIES_AT_ONCE), output.count_only)
            parts.append(part._replace(doubtful_queries=part.doubtful_queries + np.int32(start)))
        return joined(parts)

    def _scan(self, table: Table, batch: Batch, count_only: bool) -> Filtered:
        q = len(batch.below)
        size = q * min(table.tile, len(table.points))
        counts = np.empty((len(range(0, table.size, table.tile)), q), dtype=np.int64)
        scores = np.empty(size, dtype=np.float32)
        found, queries, in_doubt = (np.empty(size, dtype=np.int32) for _ in range(3))
        used = doubts = 0
        for tile, start in enumerate(range(0, table.size, table.tile)):
            stop = min(start + table.tile, -(-table.size // ROW_MULTIPLE) * ROW_MULTIPLE)
            block = scores[: q * (stop - start)].reshape(q, -1)
            np.matmul(batch.vectors, table.points[start:stop].T, out=block)
            slack = batch.spread * table.radius[tile]
            found = _longer(found, used, block.size, tile, len(counts))
            queries = _longer(queries, doubts, block.size, tile, len(counts))
            in_doubt = _longer(in_doubt, doubts, block.size, tile, len(counts))
            new, new_doubts = _pick(
                block,
                batch.below - slack,
                batch.above + slack,
                start,
                counts[tile],
                found[used:],
                queries[doubts:],
                in_doubt[doubts:],
            )
            used += 0 if count_only else new
            doubts += new_doubts
        rows = np.empty(used, dtype=np.int32)
        if not count_only:
            _by_query(counts, found, rows)
        return Filtered(
            counts.sum(axis=0),
            rows,
            _trimmed(queries, doubts),
            _trimmed(in_doubt, doubts),
            np.array([0, q * table.size, 0], dtype=np.int64),
        )
