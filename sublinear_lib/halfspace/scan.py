"""The scan engine: score every point, the honest baseline of Definition 5.1.

No structure beats a scan when the dimension is high or most points are hits, and every other
structure is measured against it.  The points lie in float32 as the rows of one table; a tile of
rows that fits the cache is multiplied with all queries at once and filtered while it is hot.  Know
before changing the tile: each tile has its own error bound, from its own largest norm, so that one
huge point makes only the scores of its tile doubtful.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.halfspace.engine import Engine
from sublinear_lib.halfspace.filtering import Batch, Float32Array, norms
from sublinear_lib.halfspace.kernels import ROW_MULTIPLE, Filtered, Table
from sublinear_lib.halfspace.protocol import Output
from sublinear_lib.halfspace.store import as_span

__all__ = ["Scan"]

_TILE = 1024


class Scan(Engine):
    """Exact half-space reporting by looking at every point.

    A query costs ``O(m d)``; an insertion, a removal and a move cost ``O(d)`` and a look at the
    norms of a tile.  Removed points keep their row until the store is compacted.

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
        return self._points.nbytes + self._norms.nbytes + self._radius.nbytes

    def _build(self) -> None:
        self._points: Float32Array = np.empty((0, self._store.dimension), dtype=np.float32)
        self._norms: Float32Array = np.empty(0, dtype=np.float32)
        self._radius: Float32Array = np.empty(0, dtype=np.float32)
        self._reserve(self._store.size)
        self._follow(self._store.live_rows())

    def _filter(self, batch: Batch, offsets: FloatArray, output: Output) -> Filtered:
        table = Table(self._points, self._store.size, _TILE, self._radius)
        return self._kernels.scan(table, batch, output)

    def _take_in(self, rows: IntArray) -> bool:
        capacity = len(self._points)
        if self._store.size > capacity:
            self._reserve(max(self._store.size, capacity + capacity // 2))
        return self._follow(rows)

    def _forget(self, rows: IntArray) -> None:
        self._points[rows] = np.nan
        self._norms[rows] = 0.0
        self._measure(rows)

    def _follow(self, rows: IntArray) -> bool:
        where = as_span(rows)
        points = self._scale.rounded(self._store, rows)
        self._points[where] = points
        self._norms[where] = norms(points)
        self._measure(rows)
        return False

    def _reserve(self, size: int) -> None:
        """Make room for so many rows or a few more; those that hold no point are NaN."""
        used = len(self._points)
        capacity = -(-size // ROW_MULTIPLE) * ROW_MULTIPLE
        points = np.full((capacity, self._store.dimension), np.nan, dtype=np.float32)
        points[:used] = self._points
        lengths = np.zeros(capacity, dtype=np.float32)
        lengths[:used] = self._norms
        radius = np.zeros(-(-capacity // _TILE), dtype=np.float32)
        radius[: len(self._radius)] = self._radius
        self._points, self._norms, self._radius = points, lengths, radius

    def _measure(self, rows: IntArray) -> None:
        """Find the largest norm in the tiles of some rows."""
        touched = np.zeros(len(self._radius), dtype=np.bool_)
        touched[rows // _TILE] = True
        for tile in np.flatnonzero(touched):
            self._radius[tile] = self._norms[tile * _TILE : (tile + 1) * _TILE].max()
