"""The inner loops of the engines, in two sets with one interface.

A kernel answers the float32 half of a query (:mod:`sublinear_lib.halfspace.filtering`): it returns
every pair that is certainly inside, and every pair it cannot decide, which the engine then settles
exactly.  The sets ``"numba"`` (compiled loops) and ``"numpy"`` (vectorized array operations) may
therefore disagree about which pairs are doubtful, never about an answer.  This module holds the
flat arrays that kernels read and the choice between the sets; nothing is compiled or imported from
numba before the first query of an index that uses it.  Set the environment variable
``SUBLINEAR_NUMBA=0`` to do without numba altogether.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from sublinear_lib._typing import Float32Array, FloatArray, Int32Array, IntArray
from sublinear_lib.halfspace.filtering import Batch
from sublinear_lib.halfspace.protocol import Output

__all__ = [
    "FANOUT",
    "GROUP",
    "LANES",
    "Filtered",
    "FlatTree",
    "KernelSet",
    "PointBlocks",
    "joined",
    "longer",
    "trimmed",
]

FANOUT = 32
"""Children of an inner node: few levels, and a whole number of vector registers everywhere."""

LANES = 64
"""Places for points in a leaf of the tree: the bits of a machine word."""

GROUP = 64
"""Places of a table that share an error bound and a ceiling."""


_LARGEST_GROWTH = 8


class FlatTree(NamedTuple):
    """A wide tree of boxes over blocks of points, as flat arrays.

    Leaf ``i`` holds the points of its lanes ``0, ..., live[i] - 1``.  Level 0 is the leaves; item
    ``i`` of level ``l + 1`` is the parent of the items ``FANOUT i, ..., FANOUT i + FANOUT - 1`` of
    level ``l``, and their boxes lie together in *group* ``first[l] + i``, one lane per child.  All
    leaves below a node are therefore consecutive.  Free lanes, empty leaves and missing children
    are NaN, for which every comparison of the search is false: they need no test of their own.
    """

    coordinates: Float32Array
    """Scaled and rounded points, shape (leaves, D, LANES): one coordinate after the other."""
    rows: Int32Array
    """Rows of the store, -1 in free lanes, shape (leaves, LANES)."""
    live: Int32Array
    """Points in each leaf, shape (leaves,)."""
    live_before: IntArray
    """Points in all leaves before each, shape (leaves + 1,)."""
    radius: Float32Array
    """Norm of the farthest corner of each leaf's box, rounded up, shape (leaves,)."""
    center: Float32Array
    """Centers of the boxes, shape (groups, D, FANOUT)."""
    half: Float32Array
    """Inflated half-widths of the boxes, shape (groups, D, FANOUT)."""
    first: IntArray
    """First group of each level, then the number of groups; the last level has one group."""
    leaves: IntArray
    """The number of leaves in use, shape (1,); later ones are spare."""
    row_bound: IntArray
    """One more than the largest row, shape (1,)."""


class PointBlocks(NamedTuple):
    """Points in blocks, for the scan (:mod:`sublinear_lib.halfspace.blocks`)."""

    coordinates: Float32Array
    """Scaled and rounded points, one coordinate of a block after the other, shape (blocks, D,
    width); place ``i`` is ``[i // width, :, i % width]``.  Places without a point are NaN."""
    size: int
    """Places in use."""
    radius: Float32Array
    """The largest norm in each group of `GROUP` places, rounded up."""
    rows: Int32Array | None = None
    """Rows of the store; by default place ``i`` holds row ``i``."""
    ceiling: FloatArray | None = None
    """A number for each group; the group matters to a query only if it reaches its level."""


class Filtered(NamedTuple):
    """What a kernel found out: a superset of the answer, and the pairs that are in doubt."""

    counts: IntArray
    """Pairs per query that are certain or doubtful, shape (q,)."""
    rows: Int32Array
    """Their rows, query by query and ascending if asked; empty when only counts were asked."""
    doubtful_queries: Int32Array
    """Queries of the doubtful pairs, shape (j,)."""
    doubtful_rows: Int32Array
    """Rows of the doubtful pairs, shape (j,)."""
    work: IntArray
    """Nodes visited, points tested and points taken untested, shape (3,)."""


def joined(parts: list[Filtered]) -> Filtered:
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


def longer(buffer: Int32Array, used: int, needed: int, done: int, total: int) -> Int32Array:
    """Return a buffer with the same contents and enough free places.

    It is made long enough for all parts of the work if they are like those done, within reason: one
    large part must not make room for thousands of its size.
    """
    if used + needed <= len(buffer):
        return buffer
    expected = int(1.1 * used * total / max(done, 1)) + needed
    length = max(2 * len(buffer), min(expected, _LARGEST_GROWTH * len(buffer)), used + needed)
    grown = np.empty(length, dtype=np.int32)
    grown[:used] = buffer[:used]
    return grown


def trimmed(buffer: Int32Array, used: int) -> Int32Array:
    """Return the used part of a buffer; a copy where that frees more than it costs."""
    return buffer[:used] if 2 * used > len(buffer) else buffer[:used].copy()


class KernelSet(Protocol):
    """The loops an engine needs."""

    @property
    def name(self) -> str:
        """The value of ``kernels=`` that selects this set."""

    def search(self, tree: FlatTree, batch: Batch, output: Output) -> Filtered:
        """Walk down the tree for every query."""

    @property
    def block(self) -> int:
        """Places in a block of a table, a multiple of `GROUP`."""

    def scan(
        self, table: PointBlocks, batch: Batch, output: Output, levels: FloatArray | None = None
    ) -> Filtered:
        """Score every point for every query, or those in the groups that reach its level."""
