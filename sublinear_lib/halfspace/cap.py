r"""The cap engine: for queries on X, only the points whose largest value there reaches the offset.

Algorithm 1 asks the half-space structure (Definition 5.1, QUERY in Algorithm 2) only for normals on
the domain X = {x : ||x|| = 1, x_d = 1/2} of Section 3.2.  There a point p with bias b takes no
value above ``g = (sqrt(3)/2) ||p'|| + p_d / 2 + b`` and none below
``l = -(sqrt(3)/2) ||p'|| + p_d / 2 + b``; :mod:`sublinear_lib.halfspace.alive` derives both.  So
the points are sorted by g, and a query with offset c looks at those with ``g >= c``, a prefix.
Who fires in the caps of an adversary, the balls B2(x, rho), is another question, and that of
:mod:`sublinear_lib.training.caps`.

**Exactness.**  Sorted and compared is not g but a float64 bound U of the pre-activation at *every
point that passes for a point of X*, off by up to 1e-9 in norm and last coordinate, rounded upwards
(:func:`sublinear_lib.halfspace.alive.slice_bounds`).  U and the offset c are float64 numbers, so
that comparing them is exact.  If ``U < c`` then ``<p, x> + b < c`` in real arithmetic on the stored
numbers and the point is in neither the strict nor the non-strict answer.  Everything else goes
through the float32 filter and is settled as in every engine, so the answer is the same set.
Normals off X are refused by the facade: for them the bound would be wrong.

**Cost.**  Building sorts, ``O(m d + m log m)``.  A query costs ``O(phi m d)`` with phi the
*surviving fraction*, the share of points with ``g >= c``; and where the k hits are to ascend, they
are put in order through a bitmap, ``O(k + m / 4096)``.  For neurons with independent normal weights
and biases, ``g / sigma = (sqrt(3)/2) chi_{d-1} + N(0, 5/4)``, while the pre-activation itself is
``N(0, 2 sigma**2)``; at a threshold with active fraction p this gives the surviving fractions

    p         d = 3     8        16       32
    0.001     0.005    0.045    0.20     0.63
    0.01      0.041    0.20     0.50     0.88
    0.1       0.28     0.62     0.88     0.99

For fixed p, phi tends to 1 as d grows, since ``||p'||`` concentrates about ``sigma sqrt(d)``: the
structure saves a constant factor for moderate d, no exponent.

**Changes.**  The places of the sorted points are cut into groups of 64, and a query scans the
groups whose largest U reaches the offset; right after a build they are a prefix.  What the
operations do to that:

* REMOVE empties a place, INSERT appends groups at the end, unsorted.
* UPDATE writes in place if U has not risen past what was the largest U in the group `_NEAR` of all
  groups further up, and moves the point to the end otherwise.  So a group never stands for points
  much higher than its place in the order.
* The largest U of the touched groups is taken anew, ``O(64 d)`` for each.
* When the end holds more than a quarter of the points (and `_SLACK`), or a quarter of them has
  fallen as far below its group, everything is built anew; ``m / 4`` changes pay for that,
  ``O(d + log m)`` each.
"""

from __future__ import annotations

import math

import numpy as np

from sublinear_lib._typing import FloatArray, Int32Array, IntArray
from sublinear_lib.halfspace.alive import slice_bounds
from sublinear_lib.halfspace.engine import Engine
from sublinear_lib.halfspace.kernels import (
    GROUP,
    Batch,
    Filtered,
    KernelSet,
    Output,
    PointBlocks,
)
from sublinear_lib.halfspace.protocol import PointStore
from sublinear_lib.halfspace.scan import Blocks

__all__ = ["CapPrefix"]

_NEAR = 1 / 16
_CROWDED = 0.25
_SLACK = 1024
_POINTS_AT_ONCE = 2**16


class CapPrefix(Engine):
    """Exact half-space reporting for normals on X, from a prefix of the points sorted by g."""

    name = "cap"

    def __init__(self, store: PointStore, kernels: KernelSet) -> None:
        super().__init__(store, kernels, "slice")

    @property
    def memory(self) -> int:
        """Bytes held besides the point store."""
        arrays = self._place, self._rows, self._fallen, self._highest, self._ceiling, self._floor
        return self._blocks.nbytes + sum(array.nbytes for array in arrays)

    # -- INIT ----------------------------------------------------------------------------------

    def _build(self) -> None:
        rows = self._store.live_rows()
        upper = self._upper(rows)
        order = np.argsort(-upper, kind="stable")
        self._built = self._used = size = len(rows)
        self._many_fallen = 0
        self._place: Int32Array = np.full(self._store.size, -1, dtype=np.int32)
        self._blocks = Blocks(self._dimension, self._kernels.block, size)
        self._rows: Int32Array = np.full(self._blocks.capacity, -1, dtype=np.int32)
        self._fallen = np.zeros(self._blocks.capacity, dtype=np.bool_)
        for start in range(0, size, _POINTS_AT_ONCE):
            places = np.arange(start, min(start + _POINTS_AT_ONCE, size))
            self._write(places, rows[order[places]])
        groups = self._groups
        self._blocks.measure(np.arange(groups))
        # Sorted, so the first point of a group is its highest.
        self._highest: FloatArray = upper[order[::GROUP]]
        near = max(1, math.ceil(groups * _NEAR))
        beyond = np.full(near, np.inf)
        self._ceiling: FloatArray = np.concatenate((beyond, self._highest))[:groups]
        self._floor: FloatArray = np.concatenate((self._highest, -beyond))[near:]

    def _upper(self, rows: IntArray) -> FloatArray:
        """Return the largest value that rows of the store can take on X."""
        upper = np.empty(len(rows))
        bias = self._store.bias
        for start in range(0, len(rows), _POINTS_AT_ONCE):
            part = rows[start : start + _POINTS_AT_ONCE]
            own = None if bias is None else bias[part]
            upper[start : start + len(part)] = slice_bounds(self._store.points[part], own)[1]
        return upper

    @property
    def _groups(self) -> int:
        return -(-self._used // GROUP)

    def _write(self, places: IntArray, rows: IntArray) -> None:
        """Put rows of the store at places."""
        self._blocks.write(places, self._rounded(rows))
        self._rows[places] = rows
        self._place[rows] = places

    def _empty(self, places: IntArray) -> None:
        """Take away what is at places."""
        self._blocks.erase(places)
        self._rows[places] = -1
        self._many_fallen -= int(np.count_nonzero(self._fallen[places]))
        self._fallen[places] = False

    def _measure(self, groups: IntArray) -> None:
        """Take the largest norms and the largest U of some groups anew."""
        self._blocks.measure(groups)
        held = self._rows[(groups[:, None] * GROUP + np.arange(GROUP)).ravel()]
        upper = np.full(len(held), -np.inf)
        upper[held >= 0] = self._upper(held[held >= 0].astype(np.int64))
        self._highest[groups] = upper.reshape(-1, GROUP).max(axis=1)

    # -- INSERT, REMOVE, UPDATE ----------------------------------------------------------------

    def _take_in(self, rows: IntArray) -> bool:
        """Put rows at the end; return whether there are too many for that."""
        before, after = self._used, self._used + len(rows)
        if after - self._built > max(_SLACK, _CROWDED * self._built):
            return True
        if after > self._blocks.capacity:
            self._blocks.reserve(after + after // 8)
            new = self._blocks.capacity - len(self._rows)
            self._rows = np.append(self._rows, np.full(new, -1, dtype=np.int32))
            self._fallen = np.append(self._fallen, np.zeros(new, dtype=np.bool_))
        if self._store.size > len(self._place):
            longer = np.full(self._store.size * 3 // 2 + 1, -1, dtype=np.int32)
            longer[: len(self._place)] = self._place
            self._place = longer
        self._used = after
        new = self._groups - len(self._highest)
        if new > 0:
            self._highest = np.append(self._highest, np.full(new, -np.inf))
            self._ceiling = np.append(self._ceiling, np.full(new, np.inf))
            self._floor = np.append(self._floor, np.full(new, -np.inf))
        # Points at the end, from here on without order, may rise as they like.
        self._ceiling[before // GROUP :] = np.inf
        self._write(np.arange(before, after), rows)
        self._measure(np.arange(before // GROUP, self._groups))
        return False

    def _forget(self, rows: IntArray) -> None:
        places = self._place[rows].astype(np.int64)
        self._empty(places)
        self._place[rows] = -1
        self._measure(np.unique(places // GROUP))

    def _follow(self, rows: IntArray) -> bool:
        upper = self._upper(rows)
        places = self._place[rows].astype(np.int64)
        groups = places // GROUP
        risen = upper > self._ceiling[groups]
        self._empty(places)
        stay = ~risen
        self._write(places[stay], rows[stay])
        self._fallen[places[stay]] = (upper < self._floor[groups])[stay]
        self._many_fallen += int(np.count_nonzero(self._fallen[places[stay]]))
        if self._many_fallen > max(_SLACK, _CROWDED * self._built):
            return True
        if risen.any() and self._take_in(rows[risen]):
            return True
        self._measure(np.unique(groups))
        return False

    # -- QUERY ---------------------------------------------------------------------------------

    def opened(self, offset: float) -> Int32Array:
        """Return the rows in the groups that a query with this offset scans, ascending."""
        groups = np.flatnonzero(self._highest >= offset)
        held = self._rows[(groups[:, None] * GROUP + np.arange(GROUP)).ravel()]
        return np.sort(held[held >= 0])

    def _filter(self, batch: Batch, offsets: FloatArray, output: Output) -> Filtered:
        blocks = self._blocks
        table = PointBlocks(
            blocks.coordinates, self._used, blocks.radius, self._rows, self._highest
        )
        return self._kernels.scan(table, batch, output, offsets)
