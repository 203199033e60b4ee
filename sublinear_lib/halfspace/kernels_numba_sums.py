"""The compiled summing kernel: one query after the other, straight loops over flat arrays.

The walk is that of ``_search`` in :mod:`sublinear_lib.halfspace.kernels_numba`; it is written out
again because numba notices a change of *this* file only when it looks for compiled code on disk.
What is said there holds here: free lanes, empty leaves and missing children are NaN and must fail
every test, so that no mathematics but the contraction of products and sums is left to the compiler.
Only the sums over the lanes of one leaf may be reordered: their terms are finite, and the error
bound of :mod:`sublinear_lib.halfspace.aggregates` holds for any order there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

from sublinear_lib.halfspace.filtering import Batch
from sublinear_lib.halfspace.kernels import FlatTree
from sublinear_lib.halfspace.summing import NodeSums, Summed

__all__ = ["sum_up"]

Function = TypeVar("Function", bound=Callable[..., Any])

_FANOUT_BITS = 5
_FANOUT = 1 << _FANOUT_BITS
_BUFFER = 1024


def _compiled(function: Function) -> Function:
    """Compile a loop on its first call and keep the result on disk."""
    compiler = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
    return cast(Function, compiler(function))


def _compiled_in_any_order(function: Function) -> Function:
    """Compile a sum of finite numbers that the compiler may reorder."""
    flags = {"contract", "reassoc", "nsz"}
    compiler = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=flags)
    return cast(Function, compiler(function))


def _lowest_bit_in_llvm(typing_context: Any, word: Any) -> Any:
    """Return the position of the lowest bit that is set (the word is not zero)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.uint64), generate


_lowest_bit: Any = intrinsic(_lowest_bit_in_llvm)


@_compiled_in_any_order
def _product(chosen: Any, values: Any) -> float:
    """Sum the values that are chosen (1) and not those that are not (0)."""
    total = 0.0
    for j in range(len(chosen)):
        total += chosen[j] * values[j]
    return total


@_compiled_in_any_order
def _absolute_product(chosen: Any, values: Any) -> float:
    """Sum the absolute values that are chosen."""
    total = 0.0
    for j in range(len(chosen)):
        total += chosen[j] * abs(values[j])
    return total


@_compiled
def _sum(
    coordinates: Any,
    rows: Any,
    live: Any,
    live_before: Any,
    radius: Any,
    centre: Any,
    half: Any,
    first: Any,
    leaves: int,
    values: Any,
    node_sums: Any,
    node_magnitudes: Any,
    vectors: Any,
    below: Any,
    above: Any,
    spread: Any,
    begin: int,
    bounds: bool,
    counts: Any,
    sums: Any,
    magnitudes: Any,
    pieces: Any,
    doubtful_queries: Any,
    doubtful_rows: Any,
    doubts: int,
    work: Any,
) -> tuple[int, int, int]:
    """Walk down for the queries from `begin` on; stop early where a buffer is full.

    Returns the first query not answered, how much of the buffers is used, and how much of them must
    be free for that query.
    """
    zero = np.uint64(0)
    one = np.uint64(1)
    dimension = vectors.shape[1]
    columns = values.shape[1]
    lanes = rows.shape[1]
    top = len(first) - 2
    stack_level = np.empty((top + 1) * _FANOUT + 1, dtype=np.int64)
    stack_item = np.empty((top + 1) * _FANOUT + 1, dtype=np.int64)
    middle = np.empty(_FANOUT, dtype=np.float32)
    extent = np.empty(_FANOUT, dtype=np.float32)
    score = np.empty(lanes, dtype=np.float32)
    chosen = np.empty(lanes, dtype=np.float64)
    total = np.empty(columns, dtype=np.float64)
    size_total = np.empty(columns, dtype=np.float64)
    for q in range(begin, len(below)):
        doubts_before = doubts
        count = 0
        added = 0
        nodes = 0
        tested = 0
        covered = 0
        lowest = below[q]
        highest = above[q]
        for c in range(columns):
            total[c] = 0.0
            size_total[c] = 0.0
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
                child = _lowest_bit(inside)
                inside &= inside - one
                from_leaf = (parent * _FANOUT + child) << (_FANOUT_BITS * level)
                to_leaf = min(from_leaf + (1 << (_FANOUT_BITS * level)), leaves)
                covered += live_before[to_leaf] - live_before[from_leaf]
                added += 1
                for c in range(columns):
                    total[c] += node_sums[group, child, c]
                if bounds:
                    for c in range(columns):
                        size_total[c] += node_magnitudes[group, child, c]
            while crossed != zero:
                item = parent * _FANOUT + _lowest_bit(crossed)
                crossed &= crossed - one
                if level > 0:
                    stack_level[depth] = level - 1
                    stack_item[depth] = item
                    depth += 1
                    continue
                nodes += 1
                added += 1
                tested += live[item]
                slack = spread[q] * radius[item]
                low = lowest - slack
                high = highest + slack
                for j in range(lanes):
                    score[j] = vectors[q, 0] * coordinates[item, 0, j]
                for k in range(1, dimension):
                    x = vectors[q, k]
                    for j in range(lanes):
                        score[j] += x * coordinates[item, k, j]
                possible = 0
                sure = 0
                for j in range(lanes):
                    possible += score[j] >= low
                    sure += score[j] > high
                    chosen[j] = 1.0 if score[j] > high else 0.0
                count += sure
                if possible > sure:
                    for j in range(lanes):
                        if score[j] >= low and not score[j] > high:
                            if doubts < len(doubtful_rows):
                                doubtful_queries[doubts] = q
                                doubtful_rows[doubts] = rows[item, j]
                            doubts += 1
                if sure == 0:
                    continue
                for c in range(columns):
                    total[c] += _product(chosen, values[item, c])
                if bounds:
                    for c in range(columns):
                        size_total[c] += _absolute_product(chosen, values[item, c])
        if doubts > len(doubtful_rows):
            return q, doubts_before, doubts - doubts_before
        counts[q] = count + covered
        pieces[q] = added
        for c in range(columns):
            sums[q, c] = total[c]
            magnitudes[q, c] = size_total[c]
        work[0] += nodes
        work[1] += tested
        work[2] += covered
    return len(below), doubts, 0


def sum_up(tree: FlatTree, sums: NodeSums, batch: Batch, *, bounds: bool) -> Summed:
    """Walk down the tree for one query after the other and add up.

    Parameters
    ----------
    tree : FlatTree
        The boxes.
    sums : NodeSums
        The columns.
    batch : Batch
        The queries.
    bounds : bool
        Whether the sums of absolute values are wanted, too.

    Returns
    -------
    Summed
        The sums over the points that are certainly inside, and the doubtful pairs.
    """
    q, columns = len(batch.below), sums.values.shape[1]
    counts = np.zeros(q, dtype=np.int64)
    pieces = np.zeros(q, dtype=np.int64)
    found, sizes = np.zeros((q, columns)), np.zeros((q, columns))
    queries, rows = np.empty(_BUFFER, dtype=np.int32), np.empty(_BUFFER, dtype=np.int32)
    work = np.zeros(3, dtype=np.int64)
    begin = doubts = 0
    while True:
        begin, doubts, needed = _sum(
            tree.coordinates,
            tree.rows,
            tree.live,
            tree.live_before,
            tree.radius,
            tree.centre,
            tree.half,
            tree.first,
            int(tree.leaves[0]),
            *sums,
            *batch,
            begin,
            bounds,
            counts,
            found,
            sizes,
            pieces,
            queries,
            rows,
            doubts,
            work,
        )
        if begin == q:
            return Summed(counts, found, sizes, pieces, queries[:doubts], rows[:doubts], work)
        length = max(2 * len(rows), doubts + needed)
        queries, rows = (
            np.concatenate((buffer[:doubts], np.empty(length - doubts, np.int32)))
            for buffer in (queries, rows)
        )
