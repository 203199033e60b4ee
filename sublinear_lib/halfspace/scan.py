"""The scan engine: score every point, the honest baseline of Definition 5.1.

No structure beats a scan when the dimension is high or most points are hits, and every other
structure is measured against it.  The points lie side by side, one per column, in float32; a tile
of columns that fits the cache is multiplied with all queries at once and filtered while it is hot.
Know before changing the tile: each tile has its own error bound, from its own largest norm, so that
one huge point makes only the scores of its tile doubtful.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.halfspace.engine import Engine
from sublinear_lib.halfspace.filtering import Batch, Float32Array, round_up
from sublinear_lib.halfspace.kernels import COLUMN_MULTIPLE, Columns, Filtered

__all__ = ["Scan"]

_TILE = 1024


class Scan(Engine):
    """Exact half-space reporting by looking at every point.

    A query costs ``O(m d)``, an insertion or a removal ``O(d)`` and a move ``O(d)`` plus a look at
    its tile.  Removed points keep their column until the store is compacted.

    Parameters
    ----------
    store : PointStore
        The points.
    kernels : KernelSet
        The loops.
    """

    name = "scan"

    @property
    def height(self) -> int:
        """Levels of the hierarchy above the points: none."""
        return 0

    @property
    def memory(self) -> int:
        """Bytes held besides the point store."""
        return self._coordinates.nbytes + self._radius.nbytes

    def _build(self) -> None:
        size = self._store.size
        self._coordinates: Float32Array = self._blank(size)
        self._radius: Float32Array = np.zeros(-(-size // _TILE), dtype=np.float32)
        self._write(self._store.live_rows())
        self._measure(np.arange(len(self._radius)))

    def _filter(self, batch: Batch, *, count_only: bool) -> Filtered:
        columns = Columns(self._coordinates, self._store.size, _TILE, self._radius)
        return self._kernels.scan(columns, batch, count_only=count_only)

    def _take_in(self, rows: IntArray) -> bool:
        size, capacity = self._store.size, self._coordinates.shape[1]
        if size > capacity:
            wider = self._blank(max(size, capacity + capacity // 2))
            wider[:, :capacity] = self._coordinates
            self._coordinates = wider
        longer = np.zeros(-(-size // _TILE), dtype=np.float32)
        longer[: len(self._radius)] = self._radius
        self._radius = longer
        return self._follow(rows)

    def _forget(self, rows: IntArray) -> bool:
        self._coordinates[:, rows] = np.nan
        return False

    def _follow(self, rows: IntArray) -> bool:
        self._write(rows)
        self._measure(np.unique(rows // _TILE))
        return False

    def _blank(self, size: int) -> Float32Array:
        """Return columns for so many rows or a few more, all NaN."""
        whole = -(-size // COLUMN_MULTIPLE) * COLUMN_MULTIPLE
        return np.full((self._store.dimension, whole), np.nan, dtype=np.float32)

    def _write(self, rows: IntArray) -> None:
        self._coordinates[:, rows] = self._scale.rounded(self._store, rows).T

    def _measure(self, tiles: IntArray) -> None:
        """Bound the norms of the points in some tiles."""
        for tile in tiles:
            block = self._coordinates[:, tile * _TILE : (tile + 1) * _TILE].astype(np.float64)
            squares: FloatArray = np.einsum("ki,ki->i", block, block)
            largest = np.sqrt(np.fmax.reduce(squares, initial=0.0)) * (1.0 + 2.0**-20)
            self._radius[tile] = round_up(largest)
