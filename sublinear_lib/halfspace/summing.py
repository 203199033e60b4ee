"""What a tree with sums holds and finds: flat arrays, one interface, two sets of loops.

A *column* is a number that every point carries and that is summed over a half-space: the weight,
weight times bias, weight times each coordinate.  Besides the boxes of a
:class:`~sublinear_lib.halfspace.kernels.FlatTree` there are the columns of the points, lane by
lane, and their sums for every node.  A summing kernel walks down like a search, but adds the sums
of a node that lies inside instead of listing its points.  It adds only what float32 proves to be
inside and returns the doubtful pairs apart (:mod:`sublinear_lib.halfspace.filtering`), so both sets
of loops sum the same set of points, though not in the same order.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from sublinear_lib._typing import FloatArray, Int32Array, IntArray
from sublinear_lib.halfspace.filtering import Batch
from sublinear_lib.halfspace.kernels import FlatTree

__all__ = ["NodeSums", "Summed", "SummingKernel", "halved"]


class NodeSums(NamedTuple):
    """The columns of the points and of the nodes of a tree."""

    values: FloatArray
    """Columns of the points, shape (leaves, columns, lanes); zero in free lanes."""
    sums: FloatArray
    """Sums of the columns below each node, shape (groups, FANOUT, columns)."""
    magnitudes: FloatArray
    """Sums of the absolute values, in the same shape."""


class Summed(NamedTuple):
    """What a kernel found out about a batch of half-spaces."""

    counts: IntArray
    """Points that are certainly inside, shape (q,)."""
    sums: FloatArray
    """Sums of their columns, shape (q, columns)."""
    magnitudes: FloatArray
    """Sums of the absolute values, shape (q, columns); zero unless they were asked for."""
    pieces: IntArray
    """How many nodes and leaves were added up for each query, shape (q,)."""
    doubtful_queries: Int32Array
    """Queries of the pairs that float32 does not decide, shape (j,)."""
    doubtful_rows: Int32Array
    """Rows of these pairs, shape (j,)."""
    work: IntArray
    """Nodes visited, points tested and points summed untested, shape (3,)."""


class SummingKernel(Protocol):
    """The loop a tree with sums needs."""

    def __call__(self, tree: FlatTree, sums: NodeSums, batch: Batch, *, bounds: bool) -> Summed:
        """Walk down the tree for every query and add up."""


def halved(values: FloatArray) -> FloatArray:
    """Sum over the last axis by halves.

    Every term passes through ``ceil(log2(k))`` additions and no more, which is what the error bound
    counts; `numpy.sum` promises no order.
    """
    while values.shape[-1] > 1:
        middle = -(-values.shape[-1] // 2)
        left = values[..., :middle].copy()
        left[..., : values.shape[-1] - middle] += values[..., middle:]
        values = left
    return values[..., 0]
