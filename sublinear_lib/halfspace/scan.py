"""The scan engine: score every point, the honest baseline of Definition 5.1.

No structure beats a scan when the dimension is high or most points are hits, and every other
structure is measured against it.  The points lie in float32 in the order of the rows of the store
(:mod:`sublinear_lib.halfspace.blocks`), so that the rows of a query are found in ascending order.
Know before changing it: rows are places here, so the store must not be compacted without building
anew.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.halfspace.blocks import Blocks
from sublinear_lib.halfspace.engine import Engine
from sublinear_lib.halfspace.filtering import Batch
from sublinear_lib.halfspace.kernels import GROUP, Filtered
from sublinear_lib.halfspace.protocol import Output

__all__ = ["Scan"]


class Scan(Engine):
    """Exact half-space reporting by looking at every point.

    A query costs ``O(m d)``; an insertion, a removal and a move cost ``O(d)`` and a look at the
    group of 64 points around.  Removed points keep their row until the store is compacted.
    """

    name = "scan"

    @property
    def height(self) -> int:
        """Levels of the hierarchy above the points: none."""
        return 0

    @property
    def memory(self) -> int:
        """Bytes held besides the point store."""
        return self._blocks.nbytes

    def _build(self) -> None:
        store = self._store
        self._blocks = Blocks(self._dimension, self._kernels.block, store.size)
        self._follow(store.live_rows())

    def _filter(self, batch: Batch, offsets: FloatArray, output: Output) -> Filtered:
        return self._kernels.scan(self._blocks.table(self._store.size), batch, output)

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
