"""The compiled kernels: straight loops over flat arrays.

The kernels run without the interpreter lock and hold no Python objects.  The search of the tree is
in :mod:`sublinear_lib.halfspace.kernels_numba_tree`.

Know before changing them:

* Free places are NaN, and every test is written so that NaN fails it.  Only the contraction of
  products and sums is allowed to the compiler (``fastmath``), since the error bounds hold with and
  without it; assuming away NaN would break the search.
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
    longer,
    trimmed,
)
from sublinear_lib.halfspace.kernels_numba_tree import SMALLEST_BUFFER, search
from sublinear_lib.halfspace.protocol import Output

__all__ = ["NumbaKernels"]

Function = TypeVar("Function", bound=Callable[..., Any])

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


@dataclass(frozen=True)
class NumbaKernels:
    """Compiled kernels.

    Parameters
    ----------
    buffer : int, default 4096
        Rows the first output buffer has room for; buffers grow as needed.
    """

    buffer: int = SMALLEST_BUFFER

    @property
    def name(self) -> str:
        """The value of ``kernels=`` that selects this set."""
        return "numba"

    def search(self, tree: FlatTree, batch: Batch, output: Output) -> Filtered:
        """Walk down the tree with packets of queries.

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
        return search(tree, batch, output, buffer=self.buffer)

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
            found = longer(found, used, block.size, tile, len(counts))
            queries = longer(queries, doubts, block.size, tile, len(counts))
            in_doubt = longer(in_doubt, doubts, block.size, tile, len(counts))
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
            trimmed(queries, doubts),
            trimmed(in_doubt, doubts),
            np.array([0, q * table.size, 0], dtype=np.int64),
        )
