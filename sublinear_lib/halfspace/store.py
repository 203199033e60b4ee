"""The stored points and their ids: the set P of Definition 5.1.

Engines speak in *rows*, users in *ids*.  Ids are given out in ascending order and never used
twice; rows are positions in flat arrays, and since rows are appended in the order of the ids, rows
and ids ascend together.  A removed row stays as a tombstone until tombstones outnumber the living;
then `PointStore.compact` drops them and rows are renumbered, in order.  Know before changing this
module that every engine caches rows: compaction must be followed by a rebuild of the engine.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib._typing import BoolArray, FloatArray, Int32Array, IntArray

__all__ = ["LARGEST_DIMENSION", "LARGEST_ID", "PointStore", "as_span"]

LARGEST_DIMENSION = 2**20
"""The error bounds of the filter are proved up to this many coordinates."""

LARGEST_ID = int(np.iinfo(np.int32).max)
"""Ids are reported as int32; an index refuses to give out larger ones."""


def as_span(rows: IntArray) -> IntArray | slice:
    """Return consecutive ascending rows as a slice, with which arrays are read without a copy."""
    if len(rows) and rows[-1] - rows[0] == len(rows) - 1 and (rows[1:] > rows[:-1]).all():
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows


class PointStore:
    """Points in float64 with stable ids, and the biases where there are any.

    The bias is treated as one more coordinate, on which every query has the component 1: then the
    pre-activation ``<w_r, x> + b_r`` is the inner product ``<(w_r, b_r), (x, 1)>``.
    """

    def __init__(self, points: FloatArray, bias: FloatArray | None) -> None:
        m, d = points.shape
        self.d: int = d
        self.biased: bool = bias is not None
        self.size: int = m
        self.live: int = m
        self.next_id: int = m
        self._points = points.copy()
        self._bias = None if bias is None else bias.copy()
        self._ids: Int32Array = np.arange(m, dtype=np.int32)
        self._alive = np.ones(m, dtype=np.bool_)

    def number(self, ids: IntArray, next_id: int) -> None:
        """Give the rows other ids, ascending and below `next_id`, where the next one starts."""
        self._ids = ids.astype(np.int32)
        self.next_id = next_id

    @property
    def dimension(self) -> int:
        """Coordinates an engine works with: ``d``, or ``d + 1`` with biases."""
        return self.d + self.biased

    @property
    def points(self) -> FloatArray:
        """The points of all rows, dead ones included, shape (size, d)."""
        return self._points[: self.size]

    @property
    def bias(self) -> FloatArray | None:
        """The biases of all rows, shape (size,), or ``None``."""
        return None if self._bias is None else self._bias[: self.size]

    @property
    def ids(self) -> IntArray:
        """The ids of the live rows, ascending."""
        return self._ids[: self.size][self.alive].astype(np.int64)

    @property
    def alive(self) -> BoolArray:
        """Whether each row is alive, shape (size,)."""
        return self._alive[: self.size]

    @property
    def memory(self) -> int:
        """Bytes held, spare capacity included."""
        bias = 0 if self._bias is None else self._bias.nbytes
        return self._points.nbytes + bias + self._ids.nbytes + self._alive.nbytes

    def live_rows(self) -> IntArray:
        """Return the live rows, ascending."""
        return np.flatnonzero(self.alive)

    def rows_of(self, ids: IntArray) -> tuple[IntArray, BoolArray]:
        """Return the row of each id below `next_id`, and whether it is alive at all."""
        if self.size == 0:
            return np.zeros(ids.shape, dtype=np.int64), np.zeros(ids.shape, dtype=np.bool_)
        if self.rows_are_ids:
            rows = np.clip(ids, 0, self.size - 1)
        else:
            # In the dtype of the ids: a search for int64 would convert all of them first.
            wanted = ids.astype(np.int32)
            rows = np.minimum(np.searchsorted(self._ids[: self.size], wanted), self.size - 1)
        return rows, (self._ids[rows] == ids) & self._alive[rows]

    @property
    def rows_are_ids(self) -> bool:
        """Whether nothing was ever compacted, so that every row is its own id."""
        return self.next_id == self.size

    def ids_of(self, rows: Int32Array) -> Int32Array:
        """Return the ids of rows, in the same order."""
        return rows if self.rows_are_ids else self._ids[rows]

    def largest(self, rows: IntArray | None = None) -> float:
        """Return the largest absolute coordinate of some rows (all live ones by default)."""
        if rows is None:
            rows = self.live_rows()
        if rows.size == 0:
            return 0.0
        where = as_span(rows)
        chosen = self._points[where]
        largest = max(float(chosen.max()), -float(chosen.min()))
        if self._bias is not None:
            largest = max(largest, float(np.abs(self._bias[where]).max()))
        return largest

    def append(self, points: FloatArray, bias: FloatArray | None) -> IntArray:
        """Add points with fresh ids and return their rows."""
        count = len(points)
        first = self.size
        self._reserve(first + count)
        rows = np.arange(first, first + count, dtype=np.int64)
        self._points[rows] = points
        if self._bias is not None:
            self._bias[rows] = bias
        self._ids[rows] = np.arange(self.next_id, self.next_id + count)
        self._alive[rows] = True
        self.size += count
        self.live += count
        self.next_id += count
        return rows

    def discard(self, rows: IntArray) -> None:
        """Mark rows as dead."""
        self._alive[rows] = False
        self.live -= len(rows)

    def move(self, rows: IntArray, points: FloatArray, bias: FloatArray | None) -> None:
        """Give rows new points and, unless ``None``, new biases."""
        where = as_span(rows)
        self._points[where] = points
        if bias is not None and self._bias is not None:
            self._bias[where] = bias

    @property
    def crowded_by_tombstones(self) -> bool:
        """Whether dead rows outnumber the living, so that `compact` pays for itself."""
        return self.size > 2 * self.live + 64

    def compact(self) -> None:
        """Drop the dead rows; the living are renumbered in the same order."""
        rows = self.live_rows()
        self._points = self._points[rows]
        if self._bias is not None:
            self._bias = self._bias[rows]
        self._ids = self._ids[rows]
        self._alive = np.ones(len(rows), dtype=np.bool_)
        self.size = len(rows)

    def _reserve(self, size: int) -> None:
        """Make room for `size` rows; capacity grows by half, so appending is O(d) amortized."""
        capacity = len(self._points)
        if size <= capacity:
            return
        target = max(size, capacity + capacity // 2)

        def grown(array: np.ndarray) -> np.ndarray:
            wider = np.empty((target, *array.shape[1:]), dtype=array.dtype)
            wider[: self.size] = array[: self.size]
            return wider

        self._points = grown(self._points)
        if self._bias is not None:
            self._bias = grown(self._bias)
        self._ids = grown(self._ids)
        self._alive = grown(self._alive)
