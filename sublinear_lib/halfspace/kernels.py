"""What the kernels read and return, and which set of them runs: compiled or NumPy.

*Kernels* are the inner loops of the engines, in two sets with one interface.  A kernel answers
the float32 half of a query (:mod:`sublinear_lib.halfspace.engine`): it returns every pair that
is certainly inside, and every pair it cannot decide, which the engine then settles exactly.  The
sets ``"numba"`` (compiled loops) and ``"numpy"`` (vectorized array operations) may therefore
disagree about which pairs are doubtful, never about an answer.  This module holds the flat arrays
that kernels read and the choice between the sets; nothing is compiled or imported from numba before
the first query of an index that uses it.  Set the environment variable ``SUBLINEAR_NUMBA=0`` to do
without numba altogether.

**Sums.**  A *column* is a number that every point carries and that is summed over a half-space: the
weight, weight times bias, weight times each coordinate.  Besides the boxes of a `FlatTree` there
are the columns of the points, lane by lane, and their sums for every node.  A summing kernel walks
down like a search, but adds the sums of a node that lies inside instead of listing its points.  It
adds only what float32 proves to be inside and returns the doubtful pairs apart, so both sets of
loops sum the same set of points, though not in the same order.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from typing import NamedTuple, Protocol

from sublinear_lib import validation
from sublinear_lib._typing import BoolArray, Float32Array, FloatArray, Int32Array, IntArray

__all__ = [
    "FANOUT",
    "GROUP",
    "LANES",
    "Batch",
    "Filtered",
    "FlatTree",
    "KernelSet",
    "NodeSums",
    "Output",
    "PointBlocks",
    "Summed",
    "choose",
    "numba_allowed",
]

FANOUT = 32
"""Children of an inner node: few levels, and a whole number of vector registers everywhere."""

LANES = 64
"""Places for points in a leaf of the tree: the bits of a machine word."""

GROUP = 64
"""Places of a table that share an error bound and a ceiling."""


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
    """Points in blocks, for the scan (:class:`~sublinear_lib.halfspace.scan.Blocks`)."""

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


class Batch(NamedTuple):
    """A batch of half-spaces in the units of the filter.

    The float32 score of a point in a group of radius ``R`` is certainly outside if it is
    ``< below - spread * R`` and certainly inside if it is ``> above + spread * R``; the upper and
    lower bound of a box are compared with `below` and `above` as they are.
    """

    vectors: Float32Array
    """Scaled and rounded normals, shape (q, D)."""
    below: Float32Array
    """Shape (q,)."""
    above: Float32Array
    """Shape (q,)."""
    spread: Float32Array
    """``g ||x||``, rounded up, shape (q,)."""

    def part(self, start: int, stop: int) -> Batch:
        """Return the queries from `start` to before `stop`."""
        return Batch(*(field[start:stop] for field in self))


class Output(NamedTuple):
    """The form in which an engine is to answer."""

    count_only: bool = False
    """Whether only counts are wanted."""
    sort: bool = True
    """Whether the rows of a query must ascend."""
    out: Int32Array | None = None
    """A buffer for the rows.  If they fit, the rows returned are a view of its beginning; if not, a
    new array is returned.  Its other contents may be overwritten in either case."""
    decide: Callable[[Int32Array, Int32Array], BoolArray] | None = None
    """For kernels: given queries and rows, both of shape (k,), says which of these pairs belong to
    the answer.  A kernel may ask instead of returning doubtful pairs; engines set it."""


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

    def sum_up(self, tree: FlatTree, sums: NodeSums, batch: Batch, *, bounds: bool) -> Summed:
        """Walk down a tree with sums for every query and add up."""


def numba_allowed() -> bool:
    """Return whether numba is installed and not switched off by ``SUBLINEAR_NUMBA=0``."""
    return (
        os.environ.get("SUBLINEAR_NUMBA", "1") != "0"
        and importlib.util.find_spec("numba") is not None
    )


def choose(kernels: object = "auto") -> KernelSet:
    """Return a set of kernels."""
    wanted = validation.choice(kernels, "kernels", ("auto", "numba", "numpy"))
    if wanted == "auto":
        wanted = "numba" if numba_allowed() else "numpy"
    if wanted == "numpy":
        from sublinear_lib.halfspace.kernels_numpy import NumpyKernels

        return NumpyKernels()
    if not numba_allowed():
        raise ValueError(
            "kernels must be 'auto' or 'numpy' where numba is missing or switched off by "
            "SUBLINEAR_NUMBA=0, got 'numba'"
        )
    from sublinear_lib.halfspace.kernels_numba import NumbaKernels

    return NumbaKernels()
