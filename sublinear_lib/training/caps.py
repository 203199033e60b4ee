r"""Who fires at a point that moves about in a cap: each row is sorted once, then only followed.

An attack of Algorithm 1 (line 11) asks for f and its gradient at many points ``v_i`` of the cap
``B2(x_i, rho)``, always with the same weights.  Most neurons answer the same everywhere in the cap.
This is what a trainer takes for ``index="caps"``; the engine ``"cap"`` of the half-space index is
another thing, in :mod:`sublinear_lib.halfspace.cap`.
With w' the first d - 1 coordinates of w and ``v - x = ((v - x)', 0)``, Cauchy and Schwarz give

    | (<w, v> + b - tau) - (<w, x> + b - tau) |  <=  rho ||w'||,

so one score at the center sorts a neuron: below ``-rho ||w'||`` it fires *nowhere* in the cap,
above ``rho ||w'||`` it fires *surely*, at every point, and only in between it is *undecided*.  The
sure ones are a linear function of v, ``<G_i, v> + c_i`` with ``G_i = sum a_r w_r`` and
``c_i = sum a_r (b_r - s)`` (s is what an active neuron subtracts), summed once.  At each point of
the attack the undecided ones are scored; those whose activity *changed* since the point before are
added to ``G_i, c_i`` or taken off.  Then ``G_i`` is the gradient of f and ``<G_i, v> + c_i`` its
value.  `CapFilter` keeps what the sorting needs of the weights, `CapEvaluator` does it for a batch.

**Active sets** are those of real arithmetic on the stored float64 numbers, as everywhere.  Scores
are taken in float32 of rows that contain the bias, ``u = s (w_1, ..., w_{d-1}, w_d + 2 (b - tau))``
with a power of two s, so that ``<u, v> = s (<w, v> + b - tau)`` at height ``v_d = 1/2``.  With
``g = (2 d + 16) 2**-24`` of :mod:`sublinear_lib.halfspace.engine`, L a bound of ``||v||`` and t
the tolerance of the heights, a float32 score is off by at most

    e  =  g L ||u||  +  4 t s |b - tau|  +  2**-48 s (||w'|| + |w_d| + 2 |b - tau|)  +  underflow:

rounding of row, point and sum; height ``|1 - 2 v_d| <= 4 t``; rounding of the folded coordinate.
The band around 0 in which a row is undecided is ``s (rho ||w'|| + margin) + e``, with the tolerance
of the caps added to rho and twice that of the heights times ``|w_d|``, all rounded up.  When a
point is evaluated, a float32 score beyond the largest e decides; within it the float64 score does,
with its own proved bound, and within that integer arithmetic (:mod:`sublinear_lib.predicates`).  A
row that is huge against the others would make e useless for them; its float32 row is NaN, which
compares with nothing, so it is always undecided and always scored in float64.

**Following.**  A score z of a row decides more than one point: the next points of the cap change it
by at most ``s ||w'||`` times the way to them, and by ``2 t s |w_d|`` for their heights, which is at
most e.  With E the largest e, a row with ``|z| > 2 E`` keeps its sign until the points have gone
``(|z| - 2 E) / (s ||w'||)`` further.  The length of the way so far plus that is the *key* of the
pair, and only rows whose key has been passed are scored again: about a third of them per step of
an attack whose steps shrink.

**Climbing.**  A gradient attack that starts at the centers can be carried out in one call
(`CapEvaluator.climb`, proof in :mod:`sublinear_lib.training.kernels_numba_climb`): cap after cap,
the undecided rows are copied side by side as integers of 16 bits and are all scored at every point,
with a proved margin; that is faster than to find out which of them need no score.

**Sums.**  Adding and taking off leaves rounding errors of the size ``2**-53`` times what came and
went, which must not be large against what is there.  Both volumes ``sum |a_r| (||w_r|| + |b_r -
s|)`` are kept, and as soon as more than eight times the present volume has come and gone, the sums
of that cap are made anew.  So f and its gradient have the accuracy of a direct summation, whatever
the sizes of the weights.

Before changing it, know that ``margin`` serves adversaries that look below the threshold: with it a
sure neuron is above ``tau + margin``, where a blurred step is exactly 1, all over the cap.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from sublinear_lib import geometry, predicates, validation
from sublinear_lib._typing import BoolArray, Float32Array, FloatArray, Int32Array, IntArray
from sublinear_lib.activations import spread_jump
from sublinear_lib.evaluation import ForwardPass, Neurons, Region
from sublinear_lib.halfspace import aligned_zeros, relative_error

__all__ = ["CapEvaluator", "CapFilter", "CapMemory", "CapPass"]

_BLOCK = 64
# In units of the filter, in which the median row has size one half to one.
_TAME = 64.0
# Rows and their float32 copies that stay in the cache while all caps look at them, and how many
# undecided rows a cap should find there.
_CACHE_BYTES = 3 << 18
_ROWS_PER_SEGMENT = 32
_SPARE = 1.25
# With a larger share of active pairs, gradients are summed over all pairs, in vector code.
_MASKED_SHARE = 0.2
# No score of the filter is as large.
_BEYOND = 2.0**100
# A hot row costs as much as four in a scan: its row is fetched, not streamed.
_PRICE_OF_ROW = 4
# Bounds of the integer rows, and the share of rows that may be too large for them.
_GRAINS = 5
_TOO_LARGE = 2.0**-10
# For how many steps a skin is to last, and how wide it may be against the least.
_STEPS_AHEAD = 10
_WIDEST = 4.0


class _Room:
    """The buffers of a batch, kept from step to step: fresh memory costs more than the sorting."""

    def __init__(self) -> None:
        self.undecided: Int32Array = np.empty(0, dtype=np.int32)
        self.sure: Int32Array = np.empty(0, dtype=np.int32)
        self.state: NDArray[np.uint8] = np.empty(0, dtype=np.uint8)
        self.keys: Float32Array = np.empty(0, dtype=np.float32)
        self.owner: object = None

    def grow(self, undecided: int, sure: int) -> None:
        """Make room; what is there is lost."""
        if undecided + _BLOCK > self.undecided.size:  # whole words are read
            self.undecided = np.zeros(int(_SPARE * undecided) // 8 * 8 + 2 * _BLOCK, dtype=np.int32)
        if sure > self.sure.size:
            self.sure = np.empty(int(_SPARE * sure) + 64, dtype=np.int32)
        if self.undecided.size // 8 > self.state.size:
            self.state = np.empty(self.undecided.size // 8, dtype=np.uint8)
            self.keys = np.empty(self.undecided.size, dtype=np.float32)


class _Rows(NamedTuple):
    """The rows of a filter, as the loops take them."""

    ids: Int32Array
    table: Float32Array
    width: int
    band: Float32Array
    factors: Float32Array
    gains: FloatArray
    stride: int


class _Network(NamedTuple):
    """A network, as the loops take it."""

    W: FloatArray
    a: FloatArray
    b: FloatArray
    tau: float
    shift: float


class _Integers(NamedTuple):
    """The rows as integers, as the loops take them."""

    unit: float
    halves: NDArray[Any]
    pairs: int
    limits: Int32Array
    grains: FloatArray


class _Lists(NamedTuple):
    """The rows of each segment that are undecided, and those that are sure."""

    undecided: Int32Array
    eighths: IntArray
    lengths: IntArray
    state: NDArray[np.uint8]
    sure: Int32Array
    starts: IntArray


class _Sums(NamedTuple):
    """Gradient, constant and volume of the sure rows, and of all that fire, for each cap."""

    fixed: FloatArray
    totals: FloatArray
    worn: FloatArray


class CapFilter:
    """The float32 rows that sort neurons, kept up while weights move.

    Memory: 18 bytes for each coordinate of each row, and eight for each pair of a cap and a neuron
    that fires in a part of it.  Needs numba.
    """

    def __init__(
        self,
        neurons: Neurons,
        rows: IntArray | None,
        *,
        radius: float,
        tolerance: float,
        margin: float = 0.0,
        share: float = 0.01,
    ) -> None:
        from sublinear_lib._vector_code import host_code

        self.neurons, self.code = neurons, host_code()
        m, d = neurons.m, neurons.d
        self.ids = np.arange(m, dtype=np.int32) if rows is None else rows.astype(np.int32)
        self._positions: IntArray | None = None
        if rows is not None:
            self._positions = np.full(m, -1, dtype=np.int64)
            self._positions[rows] = np.arange(len(rows))
        count = len(self.ids)
        self.width = d + -d % 8
        self.blocks_count = -(-count // _BLOCK)
        self.table: Float32Array = np.zeros(count * self.width, dtype=np.float32)
        self.blocks: Float32Array = np.zeros(self.blocks_count * d * _BLOCK, dtype=np.float32)
        # Places without a row: above a negative band, never possible.
        self.band: Float32Array = np.full(self.blocks_count * _BLOCK, -1.0, dtype=np.float32)
        # How far a point may go for each unit of a score.
        self.factors: Float32Array = np.zeros(count, dtype=np.float32)
        # a_r w_r, then a_r (b_r - s), then the volume: what a neuron adds to the sums.
        self.stride = d + 2 + -(d + 2) % 8
        self.gains = aligned_zeros(count * self.stride, np.float64)
        # As the loops take them, made once: every array keeps its place.
        self.rows = _Rows(
            self.ids, self.table, self.width, self.band, self.factors, self.gains, self.stride
        )
        self.network = _Network(neurons.W, neurons.a, neurons.b, neurons.tau, neurons.shift)
        self.longest = 1.0 + radius + 4.0 * tolerance
        sizes = predicates.row_norms(neurons.W[self.ids])
        with np.errstate(over="ignore"):
            sizes = sizes + 2.0 * np.abs(neurons.b[self.ids] - neurons.tau)
        middle = float(np.sort(sizes)[count // 2])
        exponent = int(np.frexp(middle)[1]) if np.isfinite(middle) else 1000
        self.scale = 2.0 ** -max(-900, min(900, exponent))
        least = (d + 5) * 2.0**-100
        self._numbers = radius, tolerance, margin, relative_error(d), self.longest, least, _TAME
        self._error = 0.0
        bytes_of_row = 4 * self.width + 8 * self.stride
        rows_at_once = max(
            _CACHE_BYTES // bytes_of_row, round(_ROWS_PER_SEGMENT / max(share, 1e-6))
        )
        self.words = min(max(1, rows_at_once // _BLOCK), self.blocks_count)
        self.room = _Room()
        # The rows once more as integers of 16 bits, two of them in a number.
        self.pairs = -(-(d - 1) // 8) * 4
        self.halves: NDArray[np.int16] = aligned_zeros(2 * count * self.pairs, np.int16)
        self.cuts = np.zeros(count, dtype=np.int32)
        self._unit = 1.0
        self.grains = np.zeros(_GRAINS)
        self._patience = 8.0 + _TOO_LARGE * count
        self.certain: NDArray[np.uint64] = np.empty(0, dtype=np.uint64)
        self.drift = np.empty(0)
        self.centers: tuple[Any, ...] = (None,)
        self._choose_unit()
        self.update(None)

    @property
    def limit(self) -> np.float32:
        """The float32 score from which on a row is decided."""
        return np.float32(self._error * (1.0 + 2.0**-20))

    @property
    def stretches(self) -> int:
        """Number of stretches of rows."""
        return -(-self.blocks_count // self.words)

    def update(self, positions: IntArray | None) -> None:
        """Read the weights of some rows anew."""
        where = np.arange(len(self.ids)) if positions is None else positions
        self.room.owner = None
        largest = _loops().enter(
            self.code,
            where,
            self.rows,
            self.network,
            self.scale,
            self._numbers,
            self.blocks,
            self.drift,
            _Integers(self._unit, self.halves, self.pairs, self.cuts, self.grains),
        )
        self._error = max(self._error, largest)
        if positions is not None and self.grains[-1] > self._patience:
            self._count_large()

    def _count_large(self) -> None:
        """Find a coarser unit if rows that grew out of their integers cost time at every point."""
        before = self._unit
        self._choose_unit()
        if self._unit != before:
            self.update(None)
        else:
            self._patience *= 2.0

    def _choose_unit(self) -> None:
        """Choose the power of two that makes integers of 16 bits of most weights."""
        columns = self.neurons.W[self.ids, :-1]
        # In long rows it is the norm that must not become too large.
        sizes = np.maximum(np.abs(columns).max(axis=1), 0.6 * predicates.row_norms(columns))
        left_out = int(0.5 * _TOO_LARGE * len(sizes))
        largest = float(np.sort(sizes)[len(sizes) - 1 - left_out])
        exponent = int(np.frexp(largest)[1]) if 0.0 < largest < np.inf else 0
        unit = 2.0 ** (15 - max(-900, min(900, exponent)))
        if unit == self._unit:
            self.grains[-1] = 0.0
        else:
            self._unit, self.grains = unit, np.zeros(_GRAINS)

    def remember(self) -> None:
        """Add up from now on how far each row drifts, instead of being ready for a scan."""
        self.drift = np.zeros(len(self.ids))

    def refresh(self) -> None:
        """Get ready for a scan, and measure the drift from here."""
        d = self.neurons.d
        _loops().to_blocks(self.table, self.width, d, len(self.ids), self.blocks)
        self.drift[:] = 0.0

    def positions_of(self, rows: IntArray) -> IntArray:
        """Return the positions of neurons."""
        return rows if self._positions is None else self._positions[rows]


class _Candidates(NamedTuple):
    """Positions that may fire in a cap: segment by segment, and hot ones, the same for all caps."""

    first: IntArray
    last: IntArray
    indices: Int32Array
    cold: Float32Array
    hot_rows: Int32Array
    hot_first: IntArray


class CapMemory:
    r"""The rows that can fire in each cap, remembered while the weights move a little.

    A row that a scan found impossible by more than its *skin* stays impossible until score and band
    together have grown by the skin.  Let ``u~`` be the float32 row and B its band.  A row that is
    not listed had a score below ``-(B + skin)``.  A step of training changes the score of ``u~`` by
    at most ``||x|| ||u~' - u~||`` and the band to B'; `CapFilter` adds ``L ||u~' - u~|| (1 + 2 c) +
    max(0, B' - B)`` to the drift of the row.  Here c is the relative error of a float32 score: the
    rounding of the old score is in B, and B' may be narrower by ``c sqrt(2) L ||u~' - u~||``.  As
    long as that sum is at most the skin, the present score is below minus the present band, and the
    row fires nowhere in the cap; rows that have drifted further are *hot* and are looked at for
    every cap.

    All rows are scanned anew when the work on hot rows since the last scan comes to that of a scan;
    as in ski rental, the best moments, chosen with the whole run in view, would save less than half
    of the work, as long as a later scan never leaves more rows hot than an earlier one.
    """

    def __init__(self, rows: CapFilter, anchors: FloatArray, skin: float) -> None:
        self.scans = 0
        self.looked_at = 0
        self._rows = rows
        self._anchors = anchors
        self._least = float(rows.scale * skin)
        self._skin = np.full(len(rows.ids), self._least)
        self._age = 0
        self._guess = len(anchors) * len(rows.ids) // 16
        self._rent = 0
        self._lists: tuple[IntArray, IntArray, Int32Array] | None = None
        rows.remember()

    def candidates(self, batch: IntArray | None) -> _Candidates:
        """Return the candidates of some caps."""
        rows, n = self._rows, len(self._anchors)
        # What may have drifted out; NaN (a row that float32 says nothing about) counts.
        hot = ~(rows.drift <= self._skin)
        count = int(np.count_nonzero(hot))
        self._age += 1
        self._rent += _PRICE_OF_ROW * count
        if self._lists is None or self._rent >= len(rows.ids):
            self._lists = self._scan()
            hot[:] = False
            count = 0
        first, last, indices = self._lists
        if batch is not None:
            segments = (np.arange(rows.stretches)[:, None] * n + batch).ravel()
            first, last = first[segments], last[segments]
        self.looked_at += int((last - first).sum()) + count * (n if batch is None else len(batch))
        hot_rows = np.flatnonzero(hot).astype(np.int32)
        cold = np.empty(0, dtype=np.float32)
        if count:
            cold = rows.band.copy()
            cold[hot_rows] = np.inf
        cuts = np.arange(rows.stretches + 1) * (rows.words * _BLOCK)
        hot_first = np.searchsorted(hot_rows, cuts)
        if not count:
            hot_rows = np.zeros(1, dtype=np.int32)
        return _Candidates(first, last, indices, cold, hot_rows, hot_first)

    def _scan(self) -> tuple[IntArray, IntArray, Int32Array]:
        """Look at all rows."""
        rows, n = self._rows, len(self._anchors)
        if self._lists is not None:
            # A fast row gets a wide skin: it stays on too many lists, but it stays.
            wanted = rows.drift * (_STEPS_AHEAD / self._age)
            self._skin = np.fmin(np.fmax(wanted, self._least), _WIDEST * self._least)
        rows.refresh()
        self._rent = self._age = 0
        self.scans += 1
        self.looked_at += n * len(rows.ids)
        # Rounded up; places without a row stay impossible.
        wide = rows.band.copy()
        count = len(rows.ids)
        reach = wide[:count] * (1.0 + 2.0**-22) + self._skin * (1.0 + 2.0**-20)
        wide[:count] = np.minimum(reach, _BEYOND)
        segments = rows.stretches * n
        eighths, starts = np.empty((2, segments + 1), dtype=np.int64)
        lengths = np.empty(segments, dtype=np.int64)
        state = np.empty(0, dtype=np.uint8)
        indices = np.empty(self._guess, dtype=np.int32)
        while True:
            lists = _Lists(indices, eighths, lengths, state, np.empty(0, dtype=np.int32), starts)
            needed, _ = _scan(rows, wide, self._anchors, False, lists)
            if needed <= indices.size:
                break
            indices = np.empty(needed, dtype=np.int32)
        self._guess = int(_SPARE * needed)
        return 8 * eighths[:-1], 8 * eighths[:-1] + lengths, indices


def _scan(
    rows: CapFilter, band: Float32Array, anchors: FloatArray, split: bool, lists: _Lists
) -> tuple[int, int]:
    """Look at all rows for some caps."""
    n = len(anchors)
    needed = rows.stretches * n * rows.words
    if rows.certain.size < needed:
        rows.certain = np.empty(needed, dtype=np.uint64)
    if rows.centers[0] is not anchors:
        queries = np.minimum(np.arange(n + -n % 4), n - 1).astype(np.int32)
        rows.centers = anchors, anchors.astype(np.float32).ravel(), queries
    found = _loops().scan(
        rows.code,
        rows.blocks,
        rows.neurons.d,
        rows.blocks_count,
        band,
        *rows.centers[1:],
        n,
        rows.words,
        split,
        rows.certain,
        lists,
    )
    return cast(tuple[int, int], found)


class Climb(NamedTuple):
    """What a walk uphill found, for each cap."""

    X: FloatArray
    """The best points, shape (n, d)."""
    value: FloatArray
    """f there."""
    clean: FloatArray
    """f at the centers."""
    step: IntArray
    """How many steps led to the best point; 0 for the center."""


class CapEvaluator:
    """Evaluation of a network at one point of each cap, on the neurons that can fire there.

    It is for one state of the weights: ask for a new one after they changed.  The same methods as
    :class:`sublinear_lib.evaluation.Evaluator`, with the same errors.
    """

    def __init__(
        self,
        rows: CapFilter,
        region: Region,
        lists: tuple[IntArray, Int32Array] | None = None,
        *,
        memory: CapMemory | None = None,
        batch: IntArray | None = None,
    ) -> None:
        self.neurons = rows.neurons
        self.region = region
        self.n = len(region.anchors)
        self.work = 0
        self._standing: FloatArray | None = None  # no pass: a circle would keep its arrays
        self._rows = rows
        self._lists: _Candidates | None = None
        if memory is not None:
            self._lists = memory.candidates(batch)
        elif lists is not None:
            self._lists = _cut(rows, *lists)
        self._reach = region.radius + region.tolerance
        self._short: Float32Array = np.zeros(self.n * rows.width, dtype=np.float32)
        self._open()

    @property
    def weight_scale(self) -> float:
        """Root mean square of the weights, the last column left out, at the start of the run."""
        return self.neurons.weight_scale

    @property
    def undecided(self) -> int:
        """Pairs of a cap and a neuron that fires in some part of it only, or nowhere after all."""
        return int(self._sorted.lengths.sum())

    # -- sorting -------------------------------------------------------------------------------

    def _open(self) -> None:
        """Sort the rows for every cap, and sum those that fire all over it."""
        rows, neurons, n = self._rows, self.neurons, self.n
        room, loops = rows.room, _loops()
        segments = rows.stretches * n
        eighths, starts = np.empty((2, segments + 1), dtype=np.int64)
        lengths = np.empty(segments, dtype=np.int64)
        room.owner = self
        while True:
            lists = _Lists(room.undecided, eighths, lengths, room.state, room.sure, starts)
            undecided, sure = self._sort(lists)
            if undecided + 64 <= room.undecided.size and sure <= room.sure.size:
                break
            room.grow(undecided, sure)
        self._keyed = np.ones(n, dtype=np.bool_)
        self._before = np.full((n, neurons.d), np.nan)
        self._ways = np.zeros(n)
        self._sorted = lists
        self._keys = room.keys
        self._band = neurons.band_within(rows.longest)
        fixed, totals = np.zeros((2, n * rows.stride))
        summed = loops.begin(rows.code, rows.rows, lists, n, fixed, totals)
        worn = self._columns(totals)[:, neurons.d + 1].copy()
        self._sums = _Sums(fixed, totals, worn)
        self._looked_at = int(lengths.sum())
        self.candidates = self._looked_at + sure
        self.work += self.candidates + int(summed)

    def _columns(self, totals: FloatArray) -> FloatArray:
        """Return the sums as a table: gradient, constant, volume, and nothing."""
        return totals.reshape(self.n, self._rows.stride)

    def _sort(self, lists: _Lists) -> tuple[int, int]:
        rows, n = self._rows, self.n
        if self._lists is None:
            return _scan(rows, rows.band, self.region.anchors, True, lists)
        short = np.zeros((n, rows.width), dtype=np.float32)
        short[:, : self.neurons.d] = self.region.anchors
        found = _loops().sift(
            self._rows.code, rows.rows, short.ravel(), n, rows.stretches, self._lists, lists
        )
        return cast(tuple[int, int], found)

    # -- following -----------------------------------------------------------------------------

    def _points(self, X: FloatArray) -> FloatArray:
        if not (type(X) is np.ndarray and X.dtype == np.float64 and X.flags.carray):
            X = validation.float_array(X, "X", shape=(self.n, self.neurons.d))
            if not X.flags.writeable:
                X = X.copy()  # a kernel would be compiled once more for read-only arrays
        region = self.region
        if X.shape != (self.n, self.neurons.d) or not _loops().points_in_caps(
            X, region.anchors, self._reach, region.tolerance, region.on_slice, self._short
        ):
            validation.float_array(X, "X", shape=(self.n, self.neurons.d))
            region.check(X)
        return X

    def _follow(self, X: FloatArray) -> FloatArray:
        """Go to new points and return f there."""
        if self._rows.room.owner is not self:
            self._open()  # another batch used the buffers
        self._standing = None
        rows = self._rows
        if not self._keyed.all() and not np.array_equal(self._before, X):
            # A walk left no keys behind: a cap that moves on begins anew.
            moves = ~self._keyed & (self._before != X).any(axis=1)
            self._before[moves] = np.nan
            self._keyed |= moves
        value = np.empty(self.n)
        room = 64
        while True:
            places = np.empty(room, dtype=np.int64)
            caps = np.empty(room, dtype=np.int64)
            scored, changes, found = _loops().follow(
                self._rows.code,
                rows.rows,
                rows.network,
                self._sorted,
                self._keys,
                self._ways,
                self._before,
                rows.words * _BLOCK,
                self._short,
                X,
                rows.limit,
                self._band,
                self._sums,
                value,
                places,
                caps,
            )
            self.work += scored + changes
            if found <= room:
                break
            # Ties in numbers: again, with room for all of them.
            room = found
            self._before[:] = np.nan
        if found:
            self._settle(X, places[:found], caps[:found], value)
        return value

    def climb(
        self,
        X: FloatArray,
        y: FloatArray,
        loss: tuple[int, float],
        angles: FloatArray,
        rho: float,
    ) -> Climb | None:
        """Walk uphill in every cap, from its center, in one compiled call.

        The walk of :class:`sublinear_lib.adversary.ascent.Ascent` along gradients of f, to
        rounding, with the same activities.  Afterwards the evaluator stands at the best points, so
        that a forward pass there costs nothing.
        """
        rows, n = self._rows, self.n
        if rows.room.owner is not self:
            self._open()
        held = 4 * rows.pairs * int(self._sorted.eighths[-1]) * 8 // n
        fits = held <= _CACHE_BYTES and min(rho, geometry.SLICE_DIAMETER) <= self.region.radius
        anchors = self.region.anchors
        if not fits or not (X is anchors or np.array_equal(X, anchors)):
            return None
        self._standing = None
        best = np.array(X)  # writeable and contiguous, as the loops are compiled for
        value, clean = np.empty((2, n))
        found = Climb(best, value, clean, np.zeros(n, dtype=np.int64))
        angle = geometry.cap_angle(rho)
        work = _climbing().climb(
            self._rows.code,
            rows.rows,
            rows.network,
            _Integers(0.0, rows.halves.view(np.int32), rows.pairs, rows.cuts, rows.grains),
            self._sorted,
            best.copy(),
            np.array(y),
            loss,
            angles,
            (rho, math.cos(angle), math.sin(angle)),
            self._band,
            self._sums,
            *found,
        )
        if work < 0:
            self._open()
            return None
        self.work += work
        self._before[...] = best
        self._keyed[:] = False
        return found

    def _settle(self, X: FloatArray, places: IntArray, caps: IntArray, value: FloatArray) -> None:
        """Decide pairs in real arithmetic and bring state and sums up to date."""
        neurons, rows = self.neurons, self._rows
        positions = self._sorted.undecided[places]
        ids = rows.ids[positions].astype(np.int64)
        fires = predicates.exact_signs(neurons.W, neurons.b, X, neurons.tau, caps, ids) > 0
        bits = (1 << (places % 8)).astype(np.uint8)
        eighths = places // 8
        wrong = ((self._sorted.state[eighths] & bits) != 0) != fires
        if not wrong.any():
            return
        np.bitwise_xor.at(self._sorted.state, eighths[wrong], bits[wrong])
        self._keys[places[wrong]] *= -1.0
        caps, positions = caps[wrong], positions[wrong]
        gains = rows.gains.reshape(-1, rows.stride)[positions]
        totals, d = self._columns(self._sums.totals), neurons.d
        with np.errstate(over="ignore", invalid="ignore"):
            np.add.at(totals, caps, np.where(fires[wrong], 1.0, -1.0)[:, None] * gains)
            np.add.at(self._sums.worn, caps, gains[:, d + 1])
            changed = np.unique(caps)
            slopes = totals[changed, :d]
            value[changed] = np.einsum("ij,ij->i", slopes, X[changed]) + totals[changed, d]

    def value(self, X: FloatArray) -> FloatArray:
        """Return f at the points."""
        return self._follow(self._points(X))

    def value_and_input_gradient(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return f and its formal gradient ``sum over active r of a_r w_r``."""
        value = self._follow(self._points(X))
        return value, self._columns(self._sums.totals)[:, : self.neurons.d].copy()

    def smoothed_input_gradient(self, X: FloatArray, bandwidth: float) -> FloatArray:
        """Return the gradient in x of f with every activation blurred."""
        points = self._points(X)
        neurons, rows = self.neurons, self._rows
        width, jump = spread_jump(neurons.tau - neurons.shift, bandwidth)
        if width > self.region.margin:
            raise ValueError(
                "bandwidth must be at most the margin that the candidate lists were made for, "
                f"{self.region.margin!r}, got {width!r}"
            )
        if rows.room.owner is not self:
            self._open()
        gradient = self._columns(self._sums.fixed)[:, : neurons.d].copy()
        count = _loops().smooth(
            self._rows.code,
            rows.rows,
            rows.network,
            jump,
            width,
            self._sorted,
            self._short,
            points,
            rows.scale,
            rows.limit,
            gradient,
        )
        self.work += self._looked_at + int(count)
        return gradient

    # -- learning ------------------------------------------------------------------------------

    def forward(self, X: FloatArray) -> ForwardPass:
        """Return f together with the active sets (lines 12 and 17 of Algorithm 1)."""
        points = self._points(X).copy()
        passed = CapPass(self._follow(points), points, self)
        self._standing = points
        return passed

    def weight_gradient(
        self, X: FloatArray, passed: ForwardPass, coefficients: FloatArray
    ) -> tuple[IntArray | None, FloatArray]:
        """Return ``sum_i c_i a_r x_i 1[r active at x_i]`` for the neurons of the union Q_t."""
        if not isinstance(passed, CapPass) or passed.evaluator is not self:
            raise ValueError("passed must be a forward pass of this evaluator")
        passed.restore()
        rows = self._rows
        fires = np.zeros(len(rows.ids), dtype=np.uint8)
        out = np.empty((len(fires), self.neurons.d))
        active, pairs = int(passed.counts.sum()), self.n * len(rows.ids)
        self.work += active
        masked = self._rows.code.lanes == 16 and active > _MASKED_SHARE * pairs
        loop: Callable[..., int] = _loops().gradient
        if masked:
            nothing: NDArray[np.uint64] = np.empty(0, dtype=np.uint64)
            certain = rows.certain if self._lists is None else nothing
            loop = functools.partial(_loops().masked_gradient, certain)
        length, a = rows.words * _BLOCK, self.neurons.a
        count = loop(
            self._rows.code, length, rows.ids, a, self._sorted, coefficients, X, fires, out
        )
        passed.note(fires)
        return rows.ids[fires.view(np.bool_)].astype(np.int64), out[:count]

    def stand_at(self, X: FloatArray) -> None:
        """Go back to the points of a forward pass."""
        if self._standing is not X or self._rows.room.owner is not self:
            self._follow(self._points(X))
            self._standing = X

    def spread(self, fires: NDArray[np.uint8]) -> BoolArray:
        """Turn marks of positions into a mask of neurons."""
        if len(fires) == self.neurons.m:
            return fires.view(np.bool_)
        mask = np.zeros(self.neurons.m, dtype=np.bool_)
        mask[self._rows.ids] = fires.view(np.bool_)
        return mask

    def count_active(self) -> IntArray:
        """Count the active neurons of each cap."""
        counts = np.zeros(self.n, dtype=np.int64)
        _loops().tally(self._sorted, counts)
        return counts

    def list_active(self, counts: IntArray) -> tuple[IntArray, Int32Array]:
        """List the active neurons of each cap."""
        indptr = np.zeros(self.n + 1, dtype=np.int64)
        np.cumsum(counts, out=indptr[1:])
        indices = np.empty(int(indptr[-1]), dtype=np.int32)
        _loops().listed(self._rows.ids, self._sorted, indptr, indices)
        return indptr, indices


class CapPass(ForwardPass):
    """A forward pass whose active sets stay in the evaluator until somebody asks for lists."""

    def __init__(self, value: FloatArray, X: FloatArray, evaluator: CapEvaluator) -> None:
        state = {
            "value": value,
            "m": evaluator.neurons.m,
            "block": np.empty(0, dtype=np.int64),
            "mask": np.zeros((len(value), 0), dtype=np.bool_),
            "evaluator": evaluator,
            "_X": X,
            "_counts": evaluator.count_active(),
        }
        self.__dict__.update(state)

    evaluator: CapEvaluator
    _X: FloatArray
    _counts: IntArray

    def restore(self) -> None:
        """Let the evaluator stand at these points again."""
        self.evaluator.stand_at(self._X)

    @property
    def counts(self) -> IntArray:
        """Number of active neurons per point, k_{i,t} of Definition 3.9, shape (n,)."""
        return self._counts

    @property
    def touched(self) -> BoolArray:
        """Whether a neuron is active at some point: the union Q_t, as a mask of shape (m,)."""
        fires = self.__dict__.get("_fires")
        return super().touched if fires is None else self.evaluator.spread(fires)

    def note(self, fires: NDArray[np.uint8]) -> None:
        """Take the marks of the positions that are active somewhere, to save finding them."""
        self.__dict__["_fires"] = fires

    @functools.cached_property
    def _csr(self) -> tuple[IntArray, Int32Array]:
        self.restore()
        return self.evaluator.list_active(self._counts)

    @property
    def indptr(self) -> IntArray:
        """Where the neurons of each point start, shape (n + 1,)."""
        return self._csr[0]

    @property
    def indices(self) -> Int32Array:
        """The active neurons, in no particular order within a point."""
        return self._csr[1]


def _cut(rows: CapFilter, indptr: IntArray, indices: Int32Array) -> _Candidates:
    """Find the segments of lists."""
    n = len(indptr) - 1
    first = np.empty((rows.stretches + 1, n), dtype=np.int64)
    cuts = (np.arange(rows.stretches + 1) * (rows.words * _BLOCK)).astype(np.int32)
    for i, (start, stop) in enumerate(itertools.pairwise(indptr.tolist())):
        first[:, i] = start + np.searchsorted(indices[start:stop], cuts)
    nothing = np.empty(0, dtype=np.float32), np.zeros(1, dtype=np.int32)
    none = np.zeros(rows.stretches + 1, dtype=np.int64)
    return _Candidates(first[:-1].ravel(), first[1:].ravel(), indices, *nothing, none)


@functools.cache
def _loops() -> ModuleType:
    """Return the compiled loops; they are compiled on first use."""
    return importlib.import_module("sublinear_lib.training.kernels_numba_caps")


@functools.cache
def _climbing() -> ModuleType:
    """Return the compiled attack, which not every evaluator needs."""
    return importlib.import_module("sublinear_lib.training.kernels_numba_climb")
