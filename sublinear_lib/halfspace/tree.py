"""The tree engine: Algorithm 2 as a wide tree of boxes over blocks of points.

The paper takes the partition tree of Agarwal et al. (1992), whose bounds (Corollary 5.2) are for
the worst case and whose constants nobody has made practical.  This engine follows the same idea,
recursive partition and a test of each part against the half-space, in its simplest form: blocks
from repeated median splits, a box around each block, boxes around 32 boxes, and so on.  A part
whose box lies outside the half-space is skipped, one whose box lies inside is reported whole, and
only the points of blocks that the hyperplane crosses are scored.  With ``n`` points and ``k`` hits
a query opens ``O(n**(1 - 1/D))`` nodes for data that fill ``D`` dimensions evenly, and takes
``O(k)`` to write its answer.

What differs from the textbook kd-tree:

1. *Implicit and flat.* 32 consecutive items are one item of the next level, so that there are no
   pointers, all points below a node are consecutive, and the boxes of 32 siblings are tested by a
   handful of vector instructions.
2. *Always exact.* Boxes are rounded outward and pay for the rounding of their own test
   (:mod:`sublinear_lib.halfspace.engine`), hence pruning and whole-subtree reporting are never
   wrong; pairs that float32 cannot decide are settled in real arithmetic.
3. *Updates in place*, with the costs below.
4. *The bias costs no dimension on X.*  Where all normals have ``x_d = 1/2`` (``domain="slice"``),
   ``<w, x> + b = <u, x>`` with ``u = w + 2 b e_d``, and the boxes are those of the points ``u`` in
   ``d`` coordinates instead of ``d + 1``.  ``u_d`` is rounded once in float64 and once in float32,
   which the error bound of the filter pays for as it does for any coordinate.  Normals may miss X
   by a little; the difference ``b (2 x_d - 1)`` is at most ``|2 x_d - 1|`` times the largest bias
   and widens the band in which pairs are doubtful.  They are settled with ``w`` and ``b``.

Costs of updates
----------------
Let ``n`` be the number of live points, ``B`` the points in a block, and let a build cost
``O(D n log n)`` (median selection on ``log2(n / B)`` levels).

* **REMOVE** closes the gap in the block and refits its box, ``O(D B)``.  When removed points
  outnumber the living, the store is compacted and the tree built anew; each of the removals since
  the last time pays ``O(D log n)`` of it.
* **INSERT** fills blocks at the end of the tree, in the order of arrival.  The full new blocks are
  grouped as the bits of a binary counter (Bentley and Saxe's logarithmic method): whenever ``2**j``
  of them come together they are split by medians anew, so that a batch of insertions is as well
  partitioned as the tree itself, up to ``log n`` groups.  Each point takes part in at most one
  regrouping per level, ``O(D log**2 n)`` in all, the amortized bound of Corollary 5.2.  Room for an
  eighth of the points is reserved; when it is used up the tree is built anew, and the ``n / 8``
  insertions since the last build pay ``O(D log n)`` each.
* **UPDATE** writes the new coordinates and refits the boxes of the touched blocks and of their
  ancestors, ``O(D B)`` per block.  Refitted boxes stay exact but grow.  A block is *loose* when its
  box is more than twice as wide as after the last build; when a quarter of the blocks are loose the
  tree is built anew.  A block can only become loose by moves of its own points, so at least
  ``n / (4 B)`` points have moved, and each pays ``O(D B log n)``.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sublinear_lib._typing import Float32Array, FloatArray, IntArray
from sublinear_lib.halfspace.engine import Engine, inflated_box, radii
from sublinear_lib.halfspace.kernels import (
    FANOUT,
    LANES,
    Batch,
    Filtered,
    FlatTree,
    KernelSet,
    Output,
)
from sublinear_lib.halfspace.protocol import PointStore, as_span

__all__ = ["BoxTree", "distinct", "median_order"]

_Float = TypeVar("_Float", np.float32, np.float64)
_SAMPLE = 64
_MANY_PARTS = 32
_SPARE_LEAVES = 4
_SPARE_FRACTION = 1 / 8
# From this share of the points on, moves are written leaf by leaf.
_MANY = 1 / 8
_LOOSE_FACTOR = 2.0
_LOOSE_FRACTION = 0.25


def median_order(points: Float32Array, blocks: int) -> IntArray:
    """Order points into blocks of equal size by repeated splits near the median.

    Each part is split in the coordinate in which it varies most, until there are as many parts as
    wanted.  Where a part spans more blocks than a node of some level, it is split at a multiple of
    that number, so that the blocks below every node but the last of its level are one part.
    """
    n, dimension = points.shape
    size = n // blocks
    coordinates = points.ravel()
    order = np.arange(n)
    parts = {blocks: np.zeros(1, dtype=np.int64)}  # where the parts of so many blocks start
    while parts:
        count = max(parts)
        start = parts.pop(count)
        if count == 1:
            break
        left, width = _left_blocks(count), count * size
        # Parts of equal size mostly lie side by side; then nothing needs to be gathered.
        together = len(start) * width == start[-1] + width - start[0]
        places = (
            slice(start[0], start[-1] + width)
            if together
            else (start[:, None] + np.arange(width)).ravel()
        )
        part = order[places].reshape(-1, width)
        keys = coordinates[part * dimension + _widest_axis(points, part)[:, None]]
        order[places] = part.ravel()[_smallest_first(keys, left * size)]
        for child, begin in ((left, start), (count - left, start + left * size)):
            known = parts.get(child, begin[:0])
            parts[child] = np.sort(np.concatenate((known, begin)))
    return order.reshape(blocks, size)


def _smallest_first(keys: Float32Array, count: int) -> IntArray:
    """Return flat positions, row by row the `count` smallest keys before the rest; NaN is largest.

    Both halves, and equal keys, stay in the order they have.  `numpy.argpartition` leaves an order
    that depends on the processor, and with it the tree would, as samples are taken by place.
    """
    pivot = np.partition(keys, count - 1, axis=1)[:, count - 1 : count]
    small = keys <= pivot
    if np.any(np.count_nonzero(small, axis=1) != count):  # more keys equal the pivot, or NaN
        unknown = np.isnan(pivot)
        small = (keys < pivot) | (unknown & ~np.isnan(keys))
        equal = (keys == pivot) | (unknown & np.isnan(keys))
        missing = count - small.sum(axis=1, keepdims=True)
        small |= equal & (np.cumsum(equal, axis=1) <= missing)
    chosen = (np.flatnonzero(half).reshape(len(keys), -1) for half in (small, ~small))
    return np.concatenate(list(chosen), axis=1).ravel()


def _left_blocks(count: int) -> int:
    """Return about half of a number of blocks: whole nodes where there are several."""
    node = 1
    while node * FANOUT < count:
        node *= FANOUT
    return max(1, round(count / (2 * node))) * node


def _widest_axis(points: Float32Array, order: IntArray) -> IntArray:
    """Return the coordinate in which a sample of each part varies most."""
    sample = points[order[:, :: max(1, order.shape[1] // _SAMPLE)]]
    real = ~np.isnan(sample[:, :, :1])
    count = np.maximum(real.sum(axis=1), 1)
    whole = real.all()
    if not whole:
        sample = np.where(real, sample, np.float32(0.0))
    centered = sample - (_sum_over_points(sample) / count)[:, None]
    if not whole:
        centered = np.where(real, centered, np.float32(0.0))
    np.square(centered, out=centered)
    axis: IntArray = np.argmax(_sum_over_points(centered) / count, axis=1)
    return axis


def _sum_over_points(samples: NDArray[_Float]) -> NDArray[_Float]:
    """Return the sums over the middle axis, point by point from the first.

    `numpy.sum` adds in the same order; where samples are many, it takes several times as long,
    because its inner loop runs over the few coordinates of one point.
    """
    parts, points, dimension = samples.shape
    if dimension == 1 or parts < _MANY_PARTS or not points:
        total: NDArray[_Float] = samples.sum(axis=1)
        return total
    total = samples[:, 0].copy()
    for point in range(1, points):
        total += samples[:, point]
    return total


class BoxTree(Engine):
    """Exact half-space reporting by a dynamic tree of boxes."""

    name = "tree"

    def __init__(
        self,
        store: PointStore,
        kernels: KernelSet,
        leaf_size: int,
        domain: str | None = None,
    ) -> None:
        self._leaf_size = min(leaf_size, LANES)
        super().__init__(store, kernels, domain)

    @property
    def height(self) -> int:
        """Levels of boxes above the points."""
        return len(self._tree.first) - 1

    @property
    def memory(self) -> int:
        """Bytes held besides the point store, reserved blocks included."""
        own = self._place.nbytes + self._built_width.nbytes + self._loose.nbytes
        return own + sum(array.nbytes for array in self._tree)

    def _filter(self, batch: Batch, offsets: FloatArray, output: Output) -> Filtered:
        return self._kernels.search(self._tree, batch, output)

    # -- building ------------------------------------------------------------------------------

    def _build(self) -> None:
        rows = self._store.live_rows()
        blocks = max(1, -(-len(rows) // self._leaf_size))
        size = max(1, -(-len(rows) // blocks))
        capacity = blocks + max(_SPARE_LEAVES, int(blocks * _SPARE_FRACTION))
        self._make_room(capacity)
        self._built = blocks
        self._completed = 0
        kind = np.int32 if capacity * LANES <= np.iinfo(np.int32).max else np.int64
        self._place = np.full(self._store.size, -1, dtype=kind)
        self._built_width = np.zeros(capacity, dtype=np.float64)
        self._loose = np.zeros(capacity, dtype=np.bool_)
        points = np.full((blocks * size, self._dimension), np.nan, dtype=np.float32)
        points[: len(rows)] = self._rounded(rows)
        # Free places are numbered last, so that sorting a block brings its points to the front.
        order = np.sort(median_order(points, blocks), axis=1)
        padded = np.full(blocks * size, -1, dtype=np.int32)
        padded[: len(rows)] = rows
        self._open_blocks(blocks)
        self._tree.coordinates[:blocks, :, :size] = points[order].transpose(0, 2, 1)
        self._tree.rows[:blocks, :size] = padded[order]
        self._settle_blocks(np.arange(blocks))

    def _make_room(self, capacity: int) -> None:
        """Start an empty tree with room for so many blocks."""
        self._tree = _empty_tree(capacity, self._dimension)

    def _open_blocks(self, count: int) -> None:
        """Put empty blocks to use."""
        start = int(self._tree.leaves[0])
        stop = start + count
        self._tree.coordinates[start:stop] = np.nan
        self._tree.rows[start:stop] = -1
        self._tree.leaves[0] = stop

    def _settle_blocks(self, blocks: IntArray) -> None:
        """Note where the points of freshly filled blocks are, and how wide their boxes."""
        tree = self._tree
        rows = tree.rows[blocks]
        block, lane = np.nonzero(rows >= 0)
        self._place[rows[block, lane]] = blocks[block] * LANES + lane
        tree.live[blocks] = np.bincount(block, minlength=len(blocks))
        self._built_width[blocks] = self._refit(blocks)
        self._loose[blocks] = False
        self._recount()

    def _recount(self) -> None:
        """Renumber the points by block: ``O(n / B)`` additions."""
        leaves = int(self._tree.leaves[0])
        np.cumsum(self._tree.live[:leaves], out=self._tree.live_before[1 : leaves + 1])
        self._tree.row_bound[0] = self._store.size

    def _refit(self, blocks: IntArray) -> FloatArray:
        """Bound blocks and their ancestors anew; return the widths of the blocks."""
        tree = self._tree
        points = tree.coordinates[as_span(blocks)]
        low, high = np.fmin.reduce(points, axis=2), np.fmax.reduce(points, axis=2)
        tree.radius[blocks] = radii(low, high)
        width: FloatArray = (high - low).sum(axis=1, dtype=np.float64)
        items = blocks
        for level in range(len(tree.first) - 1):
            center, half = inflated_box(low, high)
            groups = tree.first[level] + items // FANOUT
            tree.center[groups, :, items % FANOUT] = center
            tree.half[groups, :, items % FANOUT] = half
            items = distinct(items // FANOUT)
            groups = tree.first[level] + items
            center, half = tree.center[groups].astype(float), tree.half[groups].astype(float)
            low = np.fmin.reduce(center - half, axis=2)
            high = np.fmax.reduce(center + half, axis=2)
        return width

    def _blocks_of(self, rows: IntArray) -> IntArray:
        """Return the blocks that hold some rows, ascending."""
        touched = np.zeros(int(self._tree.leaves[0]), dtype=np.bool_)
        touched[self._place[rows] // LANES] = True
        return np.flatnonzero(touched)

    # -- INSERT --------------------------------------------------------------------------------

    def _take_in(self, rows: IntArray) -> bool:
        tree = self._tree
        capacity, size = len(tree.rows), self._leaf_size
        leaves = int(tree.leaves[0])
        last = leaves - 1
        # The last block can take more points if it is a block of insertions and not yet complete.
        growing = leaves - self._built > self._completed
        start = last * size + int(tree.live[last]) if growing else leaves * size
        stop = start + len(rows)
        needed = -(-stop // size)
        if needed > capacity:
            return True
        self._open_blocks(needed - leaves)
        if len(self._place) < self._store.size:
            longer = np.full(self._store.size * 3 // 2 + 1, -1, dtype=self._place.dtype)
            longer[: len(self._place)] = self._place
            self._place = longer
        block, lane = np.divmod(np.arange(start, stop), size)
        tree.coordinates[block, :, lane] = self._rounded(rows)
        tree.rows[block, lane] = rows
        completed = stop // size - self._built
        first = self._regroup(self._completed, completed)
        self._completed = completed
        self._settle_blocks(np.arange(min(first, start // size), needed))
        return False

    def _regroup(self, before: int, after: int) -> int:
        """Split complete blocks of insertions anew, as a binary counter going up does.

        Returns the first block that was touched.
        """
        if after == before:
            return int(self._tree.leaves[0])
        highest = (before ^ after).bit_length()
        start = after >> highest << highest
        touched = self._built + start
        for bit in reversed(range(highest)):
            size = after & (1 << bit)
            if size > 1:
                self._split(self._built + start, size)
            start += size
        return touched

    def _split(self, first: int, count: int) -> None:
        """Redistribute the points of consecutive blocks by median splits."""
        tree = self._tree
        part, size = slice(first, first + count), self._leaf_size
        points = tree.coordinates[part, :, :size].transpose(0, 2, 1)
        points = points.reshape(-1, self._dimension)
        rows = tree.rows[part, :size].ravel()
        order = median_order(points, count)
        order = np.take_along_axis(
            order, np.argsort(rows[order] < 0, axis=1, kind="stable"), axis=1
        )
        tree.coordinates[part, :, :size] = points[order].transpose(0, 2, 1)
        tree.rows[part, :size] = rows[order]

    # -- REMOVE --------------------------------------------------------------------------------

    def _forget(self, rows: IntArray) -> None:
        tree = self._tree
        blocks = self._blocks_of(rows)
        tree.rows.ravel()[self._place[rows]] = -1
        self._place[rows] = -1
        order = np.argsort(tree.rows[blocks] < 0, axis=1, kind="stable")
        kept = np.take_along_axis(tree.rows[blocks], order, axis=1)
        points = np.take_along_axis(tree.coordinates[blocks], order[:, None, :], axis=2)
        points.transpose(0, 2, 1)[kept < 0] = np.nan
        tree.rows[blocks] = kept
        tree.coordinates[blocks] = points
        block, lane = np.nonzero(kept >= 0)
        self._place[kept[block, lane]] = blocks[block] * LANES + lane
        tree.live[blocks] = np.bincount(block, minlength=len(blocks))
        self._refit(blocks)
        self._recount()

    # -- UPDATE --------------------------------------------------------------------------------

    def _follow(self, rows: IntArray) -> bool:
        tree = self._tree
        blocks = self._write_moved(rows)
        self._loose[blocks] = self._refit(blocks) > _LOOSE_FACTOR * self._built_width[blocks]
        leaves = int(tree.leaves[0])
        return bool(self._loose[:leaves].sum() > _LOOSE_FRACTION * leaves)

    def _write_moved(self, rows: IntArray) -> IntArray:
        """Write the coordinates of points that moved; return their blocks."""
        tree, points = self._tree, self._rounded(rows)
        if self._kernels.name == "numba" and len(rows) > _MANY * self._store.size:
            from sublinear_lib.halfspace.kernels_numba import replace_points

            return np.flatnonzero(replace_points(tree, self._store.size, rows, points))
        block, lane = np.divmod(self._place[rows], LANES)
        tree.coordinates[block, :, lane] = points
        return self._blocks_of(rows)


def distinct(ascending: IntArray) -> IntArray:
    """Return the distinct numbers of an ascending array."""
    first = np.ones(len(ascending), dtype=np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return ascending[first]


def _empty_tree(capacity: int, dimension: int) -> FlatTree:
    """Return a tree with room for so many blocks, none of them in use."""
    groups: list[int] = []
    items = capacity
    while not groups or items > 1:
        items = -(-items // FANOUT)
        groups.append(items)
    total = sum(groups)
    return FlatTree(
        coordinates=np.empty((capacity, dimension, LANES), dtype=np.float32),
        rows=np.empty((capacity, LANES), dtype=np.int32),
        live=np.zeros(capacity, dtype=np.int32),
        live_before=np.zeros(capacity + 1, dtype=np.int64),
        radius=np.full(capacity, np.nan, dtype=np.float32),
        center=np.full((total, dimension, FANOUT), np.nan, dtype=np.float32),
        half=np.full((total, dimension, FANOUT), np.nan, dtype=np.float32),
        first=np.concatenate(([0], np.cumsum(groups))),
        leaves=np.zeros(1, dtype=np.int64),
        row_bound=np.zeros(1, dtype=np.int64),
    )
