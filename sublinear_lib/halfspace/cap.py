r"""The cap engine: for queries on X, only the points whose largest value there reaches the offset.

Algorithm 1 asks the half-space structure (Definition 5.1, QUERY in Algorithm 2) only for normals on
the domain X = {x : ||x|| = 1, x_d = 1/2} of Section 3.2.  There a point p with bias b takes no
value above ``g = (sqrt(3)/2) ||p'|| + p_d / 2 + b`` and none below
``l = -(sqrt(3)/2) ||p'|| + p_d / 2 + b``; :mod:`sublinear_lib.halfspace.alive` derives both.  So
the points are sorted by g, and a query with offset c looks at those with ``g >= c``, a prefix found
by binary search; those among them with ``l > c`` are in the answer without a test.

**Exactness.**  Sorted and compared are not g and l but float64 bounds of the pre-activation at
*every point that passes for a point of X*, off by up to 1e-9 in norm and last coordinate, rounded
outwards (:func:`sublinear_lib.halfspace.alive.slice_bounds`).  Let U be the upper one and c the
offset, both float64 numbers, so that comparing them is exact.  If ``U < c`` then ``<p, x> + b < c``
in real arithmetic on the stored numbers and the point is in neither the strict nor the non-strict
answer; if the lower one exceeds c it is in both.  Everything between goes through the float32
filter and is settled as in every engine, so the answer is the same set.  Normals off X are refused
by the facade: for them the bounds would be wrong.

**Cost.**  Building sorts, ``O(m d + m log m)``.  A query costs ``O(log m)`` and ``O(phi m d)`` with
phi the *surviving fraction*, the share of points with ``g >= c``; and ``O(k log k)`` to put the
k hits in the order of the ids.  For neurons with independent normal weights and biases,
``g / sigma = (sqrt(3)/2) chi_{d-1} + N(0, 5/4)``, while the pre-activation itself is
``N(0, 2 sigma**2)``; at a threshold with active fraction p this gives the surviving fractions

    p         d = 3     8        16       32
    0.001     0.005    0.045    0.20     0.63
    0.01      0.042    0.20     0.50     0.88
    0.1       0.28     0.62     0.88     0.99

For fixed p, phi tends to 1 as d grows, since ``||p'||`` concentrates about ``sigma sqrt(d)``: the
structure saves a constant factor for moderate d, no exponent.  Points reported untested matter in
the opposite case, offsets so low that most points are hits, and above all for counting: the points
between the two bounds are then copied together once for all queries of a batch.

**Changes.**  The sorted points are cut into tiles, and a query scans the tiles whose largest U
reaches the offset; right after a build they are a prefix, cut off in the last of them.  What the
operations do to that:

* REMOVE empties a place, INSERT appends to tiles at the end, unsorted.
* UPDATE writes in place if U has not risen past what was the limit of tiles `_NEAR` of all tiles
  further up, and moves the point to the end otherwise.  So a tile never stands for points much
  higher than its place in the order.
* The limits of the touched tiles are taken anew, ``O(_TILE d)`` for each.
* When the end holds more than a quarter of the points (and a tile), or a quarter of them has fallen
  as far below its tile, everything is built anew; ``m / 4`` changes pay for that, ``O(d + log m)``
  each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.halfspace.alive import slice_bounds
from sublinear_lib.halfspace.engine import Engine
from sublinear_lib.halfspace.filtering import Batch, Float32Array, norms
from sublinear_lib.halfspace.kernels import ROW_MULTIPLE, Filtered, Table
from sublinear_lib.halfspace.protocol import Int32Array, Output

__all__ = ["CapPrefix"]

_TILE = 1024
_NEAR = 1 / 16
_CROWDED = 0.25
# Groups of queries whose numbers of tiles are within a factor 2**(1/4) are scanned together.
_CLASSES_PER_OCTAVE = 4.0
# Copying a point costs about as much as so many tests.
_COPY = 4
# The tests left must be fewer than these shares of all before it pays to copy the points they need:
# joining what was tested with what was not costs as much as a few tests of each hit.
_LEFT_TO_COUNT = 0.8
_LEFT_TO_REPORT = 0.25
_MOST_RUNS = 8


class _Part(NamedTuple):
    """What some queries found in some tiles."""

    queries: IntArray
    counts: IntArray
    rows: Int32Array
    """Query by query."""


class CapPrefix(Engine):
    """Exact half-space reporting for normals on X, from a prefix of the points sorted by g.

    Parameters
    ----------
    store : PointStore
        The points, with at least two coordinates.
    kernels : KernelSet
        The loops.
    """

    name = "cap"

    @property
    def height(self) -> int:
        """Levels of the hierarchy above the points: none."""
        return 0

    @property
    def memory(self) -> int:
        """Bytes held besides the point store."""
        places = self._points, self._rows, self._lower, self._upper, self._fallen
        tiles = self._radius, self._highest, self._ceiling, self._floor
        return self._place.nbytes + sum(array.nbytes for array in places + tiles)

    # -- INIT ----------------------------------------------------------------------------------

    def _build(self) -> None:
        rows = self._store.live_rows()
        lower, upper = self._bounds(rows)
        order = np.argsort(-upper, kind="stable")
        self._built = self._used = len(rows)
        self._many_fallen = 0
        self._place: Int32Array = np.full(self._store.size, -1, dtype=np.int32)
        self._points: Float32Array = np.empty((0, self._store.dimension), dtype=np.float32)
        self._rows: Int32Array = np.empty(0, dtype=np.int32)
        self._lower: FloatArray = np.empty(0)
        self._upper: FloatArray = np.empty(0)
        self._fallen = np.empty(0, dtype=np.bool_)
        self._reserve(len(rows))
        places = np.arange(len(rows))
        self._write(places, rows[order], lower[order], upper[order])
        tiles = self._tiles
        self._radius: Float32Array = np.zeros(tiles, dtype=np.float32)
        self._highest: FloatArray = np.full(tiles, -np.inf)
        self._measure(np.arange(tiles))
        near = max(1, math.ceil(tiles * _NEAR))
        beyond = np.full(near, np.inf)
        self._ceiling: FloatArray = np.concatenate((beyond, self._highest))[:tiles]
        self._floor: FloatArray = np.concatenate((self._highest, -beyond))[near:]

    def _bounds(self, rows: IntArray) -> tuple[FloatArray, FloatArray]:
        if not len(rows):
            return np.empty(0), np.empty(0)
        bias = self._store.bias
        return slice_bounds(self._store.points[rows], None if bias is None else bias[rows])

    @property
    def _tiles(self) -> int:
        return -(-self._used // _TILE)

    def _reserve(self, size: int) -> None:
        """Make room for so many places or a few more; those that hold no point are NaN."""

        def longer(array: np.ndarray, value: float) -> np.ndarray:
            full = np.full((capacity, *array.shape[1:]), value, dtype=array.dtype)
            full[: len(array)] = array
            return full

        capacity = -(-size // ROW_MULTIPLE) * ROW_MULTIPLE
        self._points = longer(self._points, np.nan)
        self._rows = longer(self._rows, -1)
        self._lower = longer(self._lower, -np.inf)
        self._upper = longer(self._upper, -np.inf)
        self._fallen = longer(self._fallen, False)

    def _write(
        self, places: IntArray, rows: IntArray, lower: FloatArray, upper: FloatArray
    ) -> None:
        """Put rows of the store at places."""
        self._points[places] = self._scale.rounded(self._store, rows)
        self._rows[places] = rows
        self._lower[places] = lower
        self._upper[places] = upper
        self._place[rows] = places

    def _empty(self, places: IntArray) -> None:
        """Take away what is at places."""
        self._points[places] = np.nan
        self._rows[places] = -1
        self._lower[places] = self._upper[places] = -np.inf
        self._many_fallen -= int(np.count_nonzero(self._fallen[places]))
        self._fallen[places] = False

    def _measure(self, tiles: IntArray) -> None:
        """Take the largest norms and the limits of some tiles anew."""
        for tile in tiles:
            part = slice(tile * _TILE, (tile + 1) * _TILE)
            radius = np.fmax.reduce(norms(self._points[part]))
            self._radius[tile] = 0.0 if np.isnan(radius) else radius
            self._highest[tile] = self._upper[part].max()

    # -- INSERT, REMOVE, UPDATE ----------------------------------------------------------------

    def _take_in(self, rows: IntArray) -> bool:
        return self._append(rows, *self._bounds(rows))

    def _append(self, rows: IntArray, lower: FloatArray, upper: FloatArray) -> bool:
        """Put rows at the end; return whether there are too many for that."""
        before, after = self._used, self._used + len(rows)
        if after - self._built > max(_TILE, _CROWDED * self._built):
            return True
        if after > len(self._points):
            self._reserve(after + after // 8)
        if self._store.size > len(self._place):
            longer = np.full(self._store.size * 3 // 2 + 1, -1, dtype=np.int32)
            longer[: len(self._place)] = self._place
            self._place = longer
        self._used = after
        new = self._tiles - len(self._highest)
        if new > 0:
            self._radius = np.append(self._radius, np.zeros(new, dtype=np.float32))
            self._highest = np.append(self._highest, np.full(new, -np.inf))
            self._ceiling = np.append(self._ceiling, np.full(new, np.inf))
            self._floor = np.append(self._floor, np.full(new, -np.inf))
        # Points at the end, from here on without order, may rise as they like.
        self._ceiling[before // _TILE :] = np.inf
        self._write(np.arange(before, after), rows, lower, upper)
        self._measure(np.arange(before // _TILE, self._tiles))
        return False

    def _forget(self, rows: IntArray) -> None:
        places = self._place[rows].astype(np.int64)
        self._empty(places)
        self._place[rows] = -1
        self._measure(np.unique(places // _TILE))

    def _follow(self, rows: IntArray) -> bool:
        lower, upper = self._bounds(rows)
        places = self._place[rows].astype(np.int64)
        tiles = places // _TILE
        touched = np.unique(tiles)
        risen = upper > self._ceiling[tiles]
        self._empty(places)
        stay = ~risen
        self._write(places[stay], rows[stay], lower[stay], upper[stay])
        self._fallen[places[stay]] = (upper < self._floor[tiles])[stay]
        self._many_fallen += int(np.count_nonzero(self._fallen[places[stay]]))
        if self._many_fallen > max(_TILE, _CROWDED * self._built):
            return True
        if risen.any() and self._append(rows[risen], lower[risen], upper[risen]):
            return True
        self._measure(touched)
        return False

    # -- QUERY ---------------------------------------------------------------------------------

    def _filter(self, batch: Batch, offsets: FloatArray, output: Output) -> Filtered:
        q = len(offsets)
        count_only = output.count_only
        parts: list[_Part] = []
        doubtful: list[tuple[Int32Array, Int32Array]] = []
        work = np.zeros(3, dtype=np.int64)
        for queries in self._groups(offsets):
            low, high = float(offsets[queries].min()), float(offsets[queries].max())
            some = Batch(*(field[queries] for field in batch))
            tables, untested = self._survivors(low, high, len(queries), count_only)
            for table, rows in tables:
                found = self._kernels.scan(table, some, Output(count_only))
                parts.append(_Part(queries, found.counts, rows[found.rows]))
                owner = queries[found.doubtful_queries].astype(np.int32)
                doubtful.append((owner, rows[found.doubtful_rows]))
                work += found.work
            if len(untested):
                counts = np.full(len(queries), len(untested), dtype=np.int64)
                times = 0 if count_only else len(queries)
                parts.append(_Part(queries, counts, np.tile(untested, times)))
                work[2] += len(untested) * len(queries)
        counts = np.zeros(q, dtype=np.int64)
        for part in parts:
            counts[part.queries] += part.counts
        nothing = np.empty(0, dtype=np.int32)
        return Filtered(
            counts,
            nothing if count_only else _in_order(counts, parts),
            np.concatenate([nothing, *(owner for owner, _ in doubtful)]),
            np.concatenate([nothing, *(rows for _, rows in doubtful)]),
            work,
        )

    def _groups(self, offsets: FloatArray) -> Iterator[IntArray]:
        """Yield groups of queries that reach similar numbers of tiles; leave out those of none."""
        if not len(offsets) or not self._used:
            return
        limits = np.sort(self._highest)
        reached = len(limits) - np.searchsorted(limits, offsets, side="left")
        classes = np.ceil(_CLASSES_PER_OCTAVE * np.log2(np.maximum(reached, 1)))
        classes[reached == 0] = -1.0
        for number in np.unique(classes):
            if number >= 0.0:
                yield np.flatnonzero(classes == number)

    def _survivors(
        self, low: float, high: float, q: int, count_only: bool
    ) -> tuple[list[tuple[Table, Int32Array]], Int32Array]:
        """Return what `q` queries with offsets from low to high must test.

        Returns
        -------
        tables : list of (Table, ndarray of int32)
            The points to test and their rows.
        untested : ndarray of int32
            The rows that are in the answer of each of them, not among the tables.
        """
        runs = self._runs(low)
        possible = [run.start + np.flatnonzero(self._upper[run] >= low) for run in runs]
        kept = np.concatenate(possible)
        certain = self._lower[kept] > high
        tested = len(kept) - int(np.count_nonzero(certain))
        scanned = sum(run.stop - run.start for run in runs)
        left = _LEFT_TO_COUNT if count_only else _LEFT_TO_REPORT
        if len(runs) <= _MOST_RUNS and tested * (q + _COPY) >= left * scanned * q:
            tables = [
                (
                    Table(
                        self._points[run],
                        run.stop - run.start,
                        _TILE,
                        self._radius[run.start // _TILE :],
                    ),
                    self._rows[run],
                )
                for run in runs
            ]
            return tables, np.empty(0, dtype=np.int32)
        return [self._copied(kept[~certain])], self._rows[kept[certain]]

    def _runs(self, low: float) -> list[slice]:
        """Return the places of the tiles that an offset reaches, each run cut off at its last."""
        reached = np.flatnonzero(self._highest >= low)
        gaps = np.flatnonzero(np.diff(reached) > 1)
        first = reached[np.concatenate(([0], gaps + 1))]
        last = reached[np.concatenate((gaps, [len(reached) - 1]))]
        runs = []
        for start, end in zip((first * _TILE).tolist(), (last * _TILE).tolist(), strict=True):
            final = int(np.flatnonzero(self._upper[end : end + _TILE] >= low)[-1])
            stop = end + (final // ROW_MULTIPLE + 1) * ROW_MULTIPLE
            runs.append(slice(start, stop))
        return runs

    def _copied(self, places: IntArray) -> tuple[Table, Int32Array]:
        """Return a table of its own for some places."""
        size = len(places)
        points = np.full(
            (-(-size // ROW_MULTIPLE) * ROW_MULTIPLE, self._store.dimension),
            np.nan,
            dtype=np.float32,
        )
        np.take(self._points, places, axis=0, out=points[:size])
        starts = np.arange(0, size, _TILE)
        lengths = norms(points[:size])
        radius = np.maximum.reduceat(lengths, starts) if size else lengths
        return Table(points, size, _TILE, radius), self._rows[places]


def _in_order(counts: IntArray, parts: list[_Part]) -> Int32Array:
    """Join the rows that parts found: query by query and ascending."""
    rows = _joined(counts, parts)
    ends = np.cumsum(counts)
    for start, end in zip((ends - counts).tolist(), ends.tolist(), strict=True):
        rows[start:end].sort()
    return rows


def _joined(counts: IntArray, parts: list[_Part]) -> Int32Array:
    """Join the rows that parts found, query by query; the array may be one of theirs."""
    if len(parts) == 1 and len(parts[0].queries) == len(counts):
        return parts[0].rows
    rows = np.empty(int(counts.sum()), dtype=np.int32)
    free = np.cumsum(counts) - counts
    for part in parts:
        before = np.cumsum(part.counts) - part.counts
        places = np.repeat(free[part.queries] - before, part.counts)
        places += np.arange(len(places))
        rows[places] = part.rows
        free[part.queries] += part.counts
    return rows
