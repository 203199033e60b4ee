"""The scan engine: score every point, the honest baseline of Definition 5.1.

No structure beats a scan when the dimension is high or most points are hits, and every other
structure is measured against it.  The points lie in float32 in the order of the rows of the store,
so that the rows of a query are found in ascending order.  Know before changing it: rows are places
here, so the store must not be compacted without building anew.

**Blocks** are how the scan and the cap prefix keep the float32 copies of the set P.  A *place* is a
position in a sequence of blocks; a block holds the points of some consecutive places one coordinate
after the other, so that a kernel reads one coordinate of many points at a time.  How many places
make a block is up to the kernels (`KernelSet.block`); the error bound of the filter is kept for
each *group* of 64 places whatever the block, so that one huge point makes only the scores of its
group doubtful.  Know before changing it: places without a point are NaN, which no kernel ever
reports, and they do not count for the bound.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sublinear_lib._typing import Float32Array, FloatArray, IntArray
from sublinear_lib.halfspace.engine import Engine, norms
from sublinear_lib.halfspace.kernels import GROUP, Batch, Filtered, Output, PointBlocks
from sublinear_lib.halfspace.protocol import as_span

__all__ = ["Blocks", "Scan", "aligned_zeros"]

_NUMBERS_AT_ONCE = 2**20
# Bytes of a cache line.
_LINE = 64


def aligned_zeros(size: int, kind: type[Any]) -> NDArray[Any]:
    """Return zeros that begin with a cache line: a vector of them lies in one, not in two."""
    item = np.dtype(kind).itemsize
    memory = np.zeros(size + _LINE // item, dtype=kind)
    first = -memory.ctypes.data % _LINE // item
    return memory[first : first + size]


class Blocks:
    """Places for points."""

    def __init__(self, dimension: int, width: int, size: int) -> None:
        self.width = width
        blocks = -(-size // width)
        places = aligned_zeros(blocks * dimension * width, np.float32)
        places.fill(np.nan)
        self.coordinates: Float32Array = places.reshape(blocks, dimension, width)
        self.radius: Float32Array = np.zeros(blocks * width // GROUP, dtype=np.float32)

    @property
    def capacity(self) -> int:
        """How many places there are."""
        return len(self.coordinates) * self.width

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.coordinates.nbytes + self.radius.nbytes

    def reserve(self, size: int) -> None:
        """Make room for so many places; the points stay where they are."""
        if size <= self.capacity:
            return
        used, groups = len(self.coordinates), len(self.radius)
        longer = Blocks(self.coordinates.shape[1], self.width, size)
        longer.coordinates[:used] = self.coordinates
        longer.radius[:groups] = self.radius
        self.coordinates, self.radius = longer.coordinates, longer.radius

    def write(self, places: IntArray, points: Float32Array) -> None:
        """Put points at places."""
        span = as_span(places)
        if not isinstance(span, slice):
            self.coordinates[places // self.width, :, places % self.width] = points
            return
        place, done = span.start, 0
        while done < len(points):
            block, lane = divmod(place, self.width)
            count = min(self.width - lane, len(points) - done)
            if lane == 0 and len(points) - done >= self.width:  # whole blocks at once
                whole = (len(points) - done) // self.width
                count = whole * self.width
                part = points[done : done + count].reshape(whole, self.width, -1)
                self.coordinates[block : block + whole] = part.transpose(0, 2, 1)
            else:
                part = points[done : done + count]
                self.coordinates[block, :, lane : lane + count] = part.T
            place += count
            done += count

    def erase(self, places: IntArray) -> None:
        """Take away the points at places."""
        self.coordinates[places // self.width, :, places % self.width] = np.nan

    def measure(self, groups: IntArray) -> None:
        """Take the largest norms in some groups anew."""
        per_block = self.width // GROUP
        step = max(1, _NUMBERS_AT_ONCE // (GROUP * self.coordinates.shape[1]))
        for start in range(0, len(groups), step):
            some = groups[start : start + step]
            lanes = (some % per_block * GROUP)[:, None] + np.arange(GROUP)
            points = self.coordinates[(some // per_block)[:, None], :, lanes]
            lengths = norms(points.reshape(-1, points.shape[-1])).reshape(-1, GROUP)
            self.radius[some] = np.fmax.reduce(lengths, axis=1, initial=0.0)


class Scan(Engine):
    """Exact half-space reporting by looking at every point.

    A query costs ``O(m d)``; an insertion, a removal and a move cost ``O(d)`` and a look at the
    group of 64 points around.  Removed points keep their row until the store is compacted.
    """

    name = "scan"

    @property
    def memory(self) -> int:
        """Bytes held besides the point store."""
        return self._blocks.nbytes

    def _build(self) -> None:
        store = self._store
        self._blocks = Blocks(self._dimension, self._kernels.block, store.size)
        self._follow(store.live_rows())

    def _filter(self, batch: Batch, offsets: FloatArray, output: Output) -> Filtered:
        blocks = self._blocks
        table = PointBlocks(blocks.coordinates, self._store.size, blocks.radius)
        return self._kernels.scan(table, batch, output)

    def _take_in(self, rows: IntArray) -> bool:
        capacity = self._blocks.capacity
        if self._store.size > capacity:
            self._blocks.reserve(max(self._store.size, capacity + capacity // 2))
        return self._follow(rows)

    def _forget(self, rows: IntArray) -> None:
        self._blocks.erase(rows)
        self._blocks.measure(np.unique(rows // GROUP))

    def _follow(self, rows: IntArray) -> bool:
        self._blocks.write(rows, self._rounded(rows))
        self._blocks.measure(np.unique(rows // GROUP))
        return False
