"""The set of compiled kernels, which run without the interpreter lock and hold no Python objects.

**The scan** compares blocks of 64 points with four half-spaces at a time, in two passes.  The first
pass goes through the points once for some hundred queries: a block stays in the cache while all of
them are compared with it (:func:`~sublinear_lib._vector_code.score_masks`), and of the 64
comparisons of a query only one *word* of possible points is kept, an eighth of a byte for each
pair.  Then the number of rows of every query is known, and the second pass turns the words of one
query after the other into rows, straight at their final place.  So rows come in the order of the
places without being sorted, no array of the size of queries times points is ever made, and where
the caller brings the buffer no new memory is touched at all, which would cost more than the search.

Know before changing it:

* The words are kept between calls (`_Kept`), because a system hands out fresh memory more slowly
  than the first pass fills it.
* Queries are taken in the order of their levels, so that those that a block can matter to are the
  first ones; the words of the others are zero.
* Where the buffer of the doubtful pairs turns out too small, the pass is done again with one that
  is large enough; that happens when thousands of pairs are ties.

**The search of the tree**: queries walk down together, in packets.  A *packet* of some hundred
queries visits the tree once, depth first.  Every open node carries the list of queries whose
hyperplane crosses its box, so that the boxes of its children, and the points of a leaf, are loaded
once for all of them and compared with four queries at a time (:mod:`sublinear_lib._vector_code`).
What a packet finds is written down as *events*: a query and a run of leaves that lie inside, or a
query and the word of the points of one leaf that are possible.  After the walk the number of rows
of every query is known, and the events are turned into rows at their final places: a run of full
leaves is one copy.  Memory is that of the events of one packet and of the answer, never queries
times points.

Know before changing it:

* Free lanes, empty leaves and missing children are NaN and in no mask.
* Where a buffer turns out too small the walk goes on and counts what it would have needed; the
  packet is then walked again.
* Doubtful pairs are settled between the walk and the rows, where taking one out is clearing a bit.
* Rows come in the order of the leaves.  If they must ascend they are sorted by `numpy.sort`, which
  uses vector instructions, or, where a query finds more than one row in twelve, by marking them in
  an array of one byte per row, which is read in order, 64 at a time.
* numba notices a change of *this* file only when it looks for compiled code on disk, so everything
  that is compiled is defined here, except for the vector code, whose text is part of its type.

Know before changing any: free places are NaN, and every test is written so that NaN fails it; only
the contraction of products and sums is allowed to the compiler (``fastmath``), since the error
bounds hold with and without it, and assuming away NaN would break the search.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sublinear_lib import _vector_code as vector_code
from sublinear_lib._compiled import compiled
from sublinear_lib._typing import BoolArray, Float32Array, FloatArray, Int32Array, IntArray
from sublinear_lib._vector_code import (
    Code,
    append_rows,
    box_masks,
    copy_rows,
    filled_words,
    host_code,
    lowest_bit,
    ones,
    score_masks,
)
from sublinear_lib.halfspace.kernels import (
    GROUP,
    Batch,
    Filtered,
    FlatTree,
    NodeSums,
    Output,
    PointBlocks,
    Summed,
)

__all__ = [
    "Events",
    "NumbaKernels",
    "Walk",
    "replace_points",
]

_compiled = compiled({"contract"})

_GROUP = 4
_BLOCK = 64
_QUERIES_AT_ONCE = 256
_WORDS_AT_ONCE = 2**21
_SMALLEST_BUFFER = 4096  # places in the first buffers
# Buffers up to this many bytes are kept between calls: fresh memory costs more than the search.
_KEPT_BYTES = 2**25
_LARGEST_GROWTH = 8


@_compiled
def _mark(code, points, d, radius, part, batch, words, stride, counts, doubtful_pairs):
    """Compare blocks of points with the first active[i] queries; return the number of doubts.

    The word of the i-th block for the query at `position` is ``words[position * stride + i]``;
    without a stride, only counts are taken.  Of `queries`, padded to groups of four, the first
    `many` are meant.
    """
    queries, many, blocks, active = part
    vectors, below, above, spread = batch
    doubtful_queries, doubtful_places = doubtful_pairs
    masks = np.empty(2 * _GROUP, dtype=np.uint64)
    doubts = 0
    for i in range(len(blocks)):
        block = blocks[i]
        start, reach = block * d * _BLOCK, radius[block]
        first = 0
        while first < active[i]:
            score_masks(
                code, points, start, d, reach, vectors, below, above, spread, queries, first, masks
            )
            doubtful = np.uint64(0)
            for t in range(_GROUP):
                counts[first + t] += ones(masks[t])
                doubtful |= masks[t] & ~masks[_GROUP + t]
                if stride != 0:
                    words[(first + t) * stride + i] = masks[t]
            if doubtful != np.uint64(0):
                for t in range(min(_GROUP, many - first)):
                    doubtful = masks[t] & ~masks[_GROUP + t]
                    while doubtful != np.uint64(0):
                        if doubts < len(doubtful_places):
                            doubtful_queries[doubts] = queries[first + t]
                            doubtful_places[doubts] = block * _BLOCK + lowest_bit(doubtful)
                        doubts += 1
                        doubtful &= doubtful - np.uint64(1)
            first += _GROUP
        if stride != 0:
            for position in range(first, len(queries)):
                words[position * stride + i] = np.uint64(0)
    if stride != 0:
        for position in range(len(queries)):
            for i in range(len(blocks), stride):
                words[position * stride + i] = np.uint64(0)
    return doubts


@_compiled
def _list(code, rows, blocks, words, stride, positions, out, place):
    """Write the rows of one query after the other; return the place after the last."""
    for position in positions:
        first = position * stride
        for part in range(0, len(blocks), _BLOCK):
            filled = filled_words(code, words, first + part)
            while filled != np.uint64(0):
                i = part + lowest_bit(filled)
                filled &= filled - np.uint64(1)
                place = append_rows(code, rows, blocks[i] * _BLOCK, words[first + i], out, place)
    return place


@_compiled
def _list_ascending(code, rows, blocks, words, stride, positions, marks, summary, out, place):
    """Write the rows of one query after the other, in ascending order, by way of a bitmap.

    `marks` holds a bit for each row and `summary` one for each word of them; both are zero, before
    and after.
    """
    six = np.uint64(6)
    low_bits = np.uint64(63)
    one = np.uint64(1)
    for position in positions:
        first = position * stride
        for part in range(0, len(blocks), _BLOCK):
            filled = filled_words(code, words, first + part)
            while filled != np.uint64(0):
                i = part + lowest_bit(filled)
                filled &= filled - one
                word = words[first + i]
                start = blocks[i] * _BLOCK
                while word != np.uint64(0):
                    row = np.uint64(rows[start + lowest_bit(word)])
                    word &= word - one
                    marks[row >> six] |= one << (row & low_bits)
                    summary[row >> np.uint64(12)] |= one << (row >> six & low_bits)
        for part in range(len(summary)):
            filled = summary[part]
            summary[part] = np.uint64(0)
            while filled != np.uint64(0):
                i = part * _BLOCK + lowest_bit(filled)
                filled &= filled - one
                place = append_rows(code, None, i * _BLOCK, marks[i], out, place)
                marks[i] = np.uint64(0)
    return place


class _Kept(threading.local):
    """Buffers of one thread that are used again by its next scan or search."""

    def __init__(self) -> None:
        self.arrays: dict[str, Any] = {}
        self.lengths: dict[str, int] = {}

    def take(self, name: str, length: int, dtype: Any, *, empty: bool = False) -> Any:
        """Return an array of at least a length; full of zeros if new, or if `empty` is kept up."""
        array = self.arrays.pop(name, None)
        length = max(length, self.lengths.get(name, 0))
        if array is None or len(array) < length:
            array = np.zeros(length, dtype=dtype) if empty else np.empty(length, dtype=dtype)
        return array

    def keep(self, name: str, array: Any) -> None:
        """Take an array back; of a large one remember how long it had to be."""
        if array.nbytes <= _KEPT_BYTES:
            self.arrays[name] = array
        else:
            self.lengths[name] = len(array)


_kept = _Kept()


def _longer(buffer: Int32Array, used: int, needed: int, done: int, total: int) -> Int32Array:
    """Return a buffer with the same contents and enough free places.

    It is made long enough for all parts of the work if they are like those done, within reason: one
    large part must not make room for thousands of its size.
    """
    if used + needed <= len(buffer):
        return buffer
    expected = int(1.1 * used * total / max(done, 1)) + needed
    length = max(2 * len(buffer), min(expected, _LARGEST_GROWTH * len(buffer)), used + needed)
    grown = np.empty(length, dtype=np.int32)
    grown[:used] = buffer[:used]
    return grown


def _trimmed(buffer: Int32Array, used: int) -> Int32Array:
    """Return the used part of a buffer; a copy where that frees more than it costs."""
    return buffer[:used] if 2 * used > len(buffer) else buffer[:used].copy()


class _Part(NamedTuple):
    """Some queries, and what they are compared with."""

    queries: Int32Array
    """Their numbers, by ascending level; the last one repeated up to a multiple of four."""
    many: int
    """How many, without the repetitions."""
    blocks: IntArray
    """The blocks that matter to any of them."""
    active: IntArray
    """To how many of them each block matters."""


def _part(table: PointBlocks, levels: FloatArray | None, start: int, stop: int) -> _Part:
    groups = -(-table.size // _BLOCK)
    many = stop - start
    order = np.arange(many)
    blocks = np.arange(groups)
    active = np.full(groups, many)
    if levels is not None and table.ceiling is not None:
        order = np.argsort(levels[start:stop], kind="stable")
        ascending = levels[start:stop][order]
        blocks = np.flatnonzero(table.ceiling[:groups] >= ascending[0])
        active = np.searchsorted(ascending, table.ceiling[blocks], side="right")
    queries = np.empty(-(-many // _GROUP) * _GROUP, dtype=np.int32)
    queries[:many] = order + start
    queries[many:] = queries[many - 1]
    return _Part(queries, many, blocks, active)


class _Answer:
    """What the queries so far have found."""

    def __init__(self, table: PointBlocks, output: Output, q: int, buffer: int) -> None:
        self._table = table
        self._output = output
        self._q = q
        self._buffer = buffer
        self._points = table.coordinates.reshape(-1)
        self._counts = np.zeros(q, dtype=np.int64)
        self._found: Int32Array = np.empty(0, dtype=np.int32) if output.out is None else output.out
        self._used = 0
        self._queries: list[Int32Array] = []
        self._places: list[Int32Array] = []
        self._tested = 0
        self._marks: NDArray[np.uint64] | None = None

    def add(self, start: int, part: _Part, batch: Batch, code: Code) -> None:
        """Answer the queries of one part."""
        count_only = self._output.count_only
        blocks, padded = len(part.blocks), len(part.queries)
        # An odd number of cache lines: the words of all queries for a block do not collide.
        stride = 0 if count_only else -(-blocks // _BLOCK) * _BLOCK + 8
        words = _kept.take("scanned", padded * stride, np.uint64)
        room = self._buffer
        while True:
            counts = np.zeros(padded, dtype=np.int64)
            queries, places = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32)
            room = _mark(
                code,
                self._points,
                self._table.coordinates.shape[1],
                self._table.radius,
                part,
                batch,
                words,
                stride,
                counts,
                (queries, places),
            )
            if room <= len(queries):
                break
        own = part.queries[: part.many]
        positions = np.empty(part.many, dtype=np.int64)
        positions[own - start] = np.arange(part.many)
        self._counts[own] = counts[: part.many]
        self._tested += self._points_in(part)
        if room:
            queries, places = queries[:room], places[:room]
            if self._output.decide is None:
                self._queries.append(queries.copy())
                self._places.append(places.copy())
            else:
                wrong = ~self._output.decide(queries, self._rows_at(places))
                queries, places = queries[wrong], places[wrong]
                np.subtract.at(self._counts, queries, 1)
                if not count_only:
                    columns = np.searchsorted(part.blocks, places // _BLOCK)
                    bits = np.uint64(1) << (places % _BLOCK).astype(np.uint64)
                    where = positions[queries - start] * stride + columns
                    np.bitwise_and.at(words, where, ~bits)
        if not count_only:
            self._list(part, positions, words, stride, start, code)
        _kept.keep("scanned", words)

    def _rows_at(self, places: Int32Array) -> Int32Array:
        return places if self._table.rows is None else self._table.rows[places]

    def _points_in(self, part: _Part) -> int:
        """Return how many pairs of a part are compared."""
        pairs = _BLOCK * int(part.active.sum())
        beyond = -self._table.size % _BLOCK
        if beyond and len(part.blocks) and part.blocks[-1] == self._table.size // _BLOCK:
            pairs -= beyond * int(part.active[-1])
        return pairs

    def _list(
        self,
        part: _Part,
        positions: IntArray,
        words: NDArray[np.uint64],
        stride: int,
        start: int,
        code: Code,
    ) -> None:
        """Write the rows of one part."""
        needed = int(self._counts[start : start + part.many].sum())
        self._found = _longer(self._found, self._used, needed, start, self._q)
        rows = self._table.rows
        found = self._found
        if rows is None or not self._output.sort:
            self._used = _list(code, rows, part.blocks, words, stride, positions, found, self._used)
            return
        if self._marks is None:
            size = int(rows.max(initial=0)) // _BLOCK + 1
            self._marks = np.zeros(size, dtype=np.uint64)
            self._summary = np.zeros(size // _BLOCK + 1, dtype=np.uint64)
        blocks, marks, summary = part.blocks, self._marks, self._summary
        self._used = _list_ascending(
            code, rows, blocks, words, stride, positions, marks, summary, found, self._used
        )

    def filtered(self) -> Filtered:
        """Return the answer."""
        nothing = np.empty(0, dtype=np.int32)
        places = np.concatenate([nothing, *self._places])
        if self._found is self._output.out:
            found = self._found[: self._used]
        else:
            found = _trimmed(self._found, self._used)
        return Filtered(
            self._counts,
            nothing if self._output.count_only else found,
            np.concatenate([nothing, *self._queries]),
            self._rows_at(places),
            np.array([0, self._tested, 0], dtype=np.int64),
        )


# Queries that walk down together: enough to share what they load, few enough to stay in cache.
_PACKET = 256
_FANOUT_BITS = 5
_FANOUT = 1 << _FANOUT_BITS
_LANES_BITS = 6
_LANES = 1 << _LANES_BITS
# Queries with more than one in so many rows mark them; fewer are sorted faster.
_MARKED = 12


@_compiled
def _walk(code, tree, batch, begin, end, options, counts, lists, found, doubtful, doubts, work):
    """Walk down with the queries from `begin` to before `end`, one packet.

    An event is a query, the first lane of a leaf and the word of its possible points (of the
    certain ones if `sure_only`); or ``~query``, the first leaf of a run, and a word that holds the
    leaf after its last and, in the upper half, the box of the run.  Counted is what events stand
    for.  A doubtful pair is noted with 64 times its event plus its bit there.  Returns how many
    events and doubtful pairs there are, also where the buffers have no room for all of them; then
    nothing else is valid.
    """
    coordinates, rows, live, live_before, radius, center, half, first, used, _ = tree
    leaves = used[0]
    vectors, below, above, spread = batch
    dimension = len(vectors) // len(below)
    sure_only, count_only = options
    event_queries, event_starts, event_words = found
    doubtful_queries, doubtful_rows, doubtful_bits = doubtful
    zero = np.uint64(0)
    one = np.uint64(1)
    size = end - begin
    room = size + _GROUP - 1
    top = len(first) - 2
    nodes = 0
    tested = 0
    covered = 0
    events = 0
    # The children of the open node of each level: how many queries cross them, and which are left.
    crossing = np.zeros((top + 2, _FANOUT), dtype=np.int64)
    waiting = np.zeros(top + 1, dtype=np.uint64)
    opened = np.zeros(top + 1, dtype=np.int64)
    masks = np.zeros(2 * _GROUP, dtype=np.uint64)
    # The list of child j of the open node of a level starts at ((level * _FANOUT) + j) * room.
    active = (top + 1) * _FANOUT * room
    many = size
    for i in range(size):
        lists[active + i] = begin + i
        counts[begin + i] = 0
    level = top
    while True:
        parent = opened[level]
        box = (first[level] + parent) * dimension * _FANOUT
        own = level * _FANOUT
        nodes += many
        for j in range(_FANOUT):
            crossing[level, j] = 0
        for i in range(many, many + _GROUP - 1):
            lists[active + i] = lists[active + many - 1]
        below_here = zero
        for start in range(0, many, _GROUP):
            group = min(_GROUP, many - start)
            at = active + start
            box_masks(code, center, half, box, dimension, vectors, below, above, lists, at, masks)
            for t in range(group):
                q = lists[active + start + t]
                crossed = masks[t]
                inside = masks[_GROUP + t]
                below_here |= crossed
                while inside != zero:
                    j = lowest_bit(inside)
                    from_leaf = (parent * _FANOUT + j) << (_FANOUT_BITS * level)
                    inside &= inside - one
                    to_leaf = min(from_leaf + (1 << (_FANOUT_BITS * level)), leaves)
                    number = live_before[to_leaf] - live_before[from_leaf]
                    counts[q] += number
                    covered += number
                    if not count_only:
                        if events < len(event_queries):
                            event_queries[events] = ~q
                            event_starts[events] = from_leaf
                            run = ((first[level] + parent) * _FANOUT + j) << 32 | to_leaf
                            event_words[events] = np.uint64(run)
                        events += 1
                while crossed != zero:
                    j = lowest_bit(crossed)
                    crossed &= crossed - one
                    place = crossing[level, j]
                    lists[(own + j) * room + place] = q
                    crossing[level, j] = place + 1
        if level > 0:
            waiting[level] = below_here
        else:
            while below_here != zero:
                j = lowest_bit(below_here)
                below_here &= below_here - one
                leaf = parent * _FANOUT + j
                many = crossing[0, j]
                nodes += many
                tested += many * live[leaf]
                reach = radius[leaf]
                lane = leaf << _LANES_BITS
                active = j * room
                for i in range(many, many + _GROUP - 1):
                    lists[active + i] = lists[active + many - 1]
                for start in range(0, many, _GROUP):
                    group = min(_GROUP, many - start)
                    score_masks(
                        code,
                        coordinates,
                        lane * dimension,
                        dimension,
                        reach,
                        vectors,
                        below,
                        above,
                        spread,
                        lists,
                        active + start,
                        masks,
                    )
                    for t in range(group):
                        possible = masks[t]
                        if possible == zero:
                            continue
                        q = lists[active + start + t]
                        doubtful = possible & ~masks[_GROUP + t]
                        while doubtful != zero:
                            if doubts < len(doubtful_rows):
                                bit = lowest_bit(doubtful)
                                doubtful_queries[doubts] = q
                                doubtful_rows[doubts] = rows[lane + bit]
                                doubtful_bits[doubts] = events << _LANES_BITS | bit
                            doubts += 1
                            doubtful &= doubtful - one
                        if sure_only:
                            possible = masks[_GROUP + t]
                            if possible == zero:
                                continue
                        counts[q] += ones(possible)
                        if not count_only:
                            if events < len(event_queries):
                                event_queries[events] = q
                                event_starts[events] = lane
                                event_words[events] = possible
                            events += 1
        while level <= top and waiting[level] == zero:
            level += 1
        if level > top:
            break
        j = lowest_bit(waiting[level])
        waiting[level] &= waiting[level] - one
        parent = opened[level] * _FANOUT + j
        active = (level * _FANOUT + j) * room
        many = crossing[level, j]
        level -= 1
        opened[level] = parent
    work[0] = nodes
    work[1] = tested
    work[2] = covered
    return events, doubts


@_compiled
def _write(code, rows, live, live_before, found, events, begin, places, out):
    """Write the rows of the events of a packet, those of query q from ``places[q - begin]`` on."""
    event_queries, event_starts, event_words = found
    for event in range(events):
        owner = np.int64(event_queries[event])
        start = event_starts[event]
        if owner >= 0:
            q = owner - begin
            places[q] = append_rows(code, rows, start, event_words[event], out, places[q])
            continue
        q = ~owner - begin
        stop = np.int64(event_words[event] & np.uint64(0xFFFFFFFF))
        number = live_before[stop] - live_before[start]
        place = places[q]
        places[q] = place + number
        if number == (stop - start) << _LANES_BITS:
            copy_rows(code, rows, start << _LANES_BITS, out, place, number)
        else:
            for leaf in range(start, stop):
                copy_rows(code, rows, leaf << _LANES_BITS, out, place, np.int64(live[leaf]))
                place += live[leaf]


@_compiled
def _order(code, found, counts, many, marks):
    """Bring the rows of every query that has more than `many` into ascending order.

    `marks` has a byte for each row, a multiple of 64 in all, and is zero before and after.
    """
    zero = np.uint64(0)
    stop = 0
    for q in range(len(counts)):
        start = stop
        stop += counts[q]
        if counts[q] <= many:
            continue
        for place in range(start, stop):
            marks[np.uint64(found[place])] = 1
        place = start
        for first in range(0, len(marks), 64):
            word = filled_words(code, marks, first)
            if word != zero:
                for j in range(np.uint64(64)):
                    marks[np.uint64(first) + j] = 0
                place = append_rows(code, None, first, word, found, place)


@_compiled
def _replace(coordinates, rows, leaves, rank, points):
    """Write the points that have a rank to where their rows are; return the leaves touched."""
    touched = np.zeros(leaves, dtype=np.bool_)
    dimension = points.shape[1]
    for leaf in range(leaves):
        for lane in range(_LANES):
            row = rows[leaf, lane]
            if row < 0 or rank[row] < 0:
                continue
            touched[leaf] = True
            point = rank[row]
            place = ((leaf * dimension) << _LANES_BITS) + lane
            for k in range(dimension):
                coordinates[place + (k << _LANES_BITS)] = points[point, k]
    return touched


class Events(NamedTuple):
    """What the queries of a packet found, in the order of the walk; see `_walk`."""

    queries: Int32Array
    starts: IntArray
    words: NDArray[np.uint64]


def _take_events(length: int) -> Events:
    arrays = (
        _kept.take("queries", length, np.int32),
        _kept.take("starts", length, np.int64),
        _kept.take("words", length, np.uint64),
    )
    # What an interrupted search took away makes one shorter than the others.
    common = min(map(len, arrays))
    return Events(*(array[:common] for array in arrays))


class Walk:
    """A walk through a tree, packet by packet."""

    def __init__(
        self,
        tree: FlatTree,
        batch: Batch,
        packet: int,
        *,
        sure_only: bool,
        count_only: bool = False,
        buffer: int = _SMALLEST_BUFFER,
    ) -> None:
        q = len(batch.below)
        self._tree = tree
        self._batch = batch
        self._packet = max(1, min(packet, q))
        self._options = sure_only, count_only
        self._buffer = buffer
        self.code = vector_code.host_code()
        """The vector code in use."""
        self.counts = np.zeros(q, dtype=np.int64)
        """Points that the events so far stand for."""
        length = max(buffer // 4, 1)
        self.doubtful_queries = np.empty(length, dtype=np.int32)
        self.doubtful_rows = np.empty(length, dtype=np.int32)
        self.doubtful_bits = np.empty(length, dtype=np.int64)
        """64 times the event of the pair in its packet plus the bit there, unless `sure_only`."""
        self.doubts = 0
        """How many doubtful pairs there are; may be set back to zero between packets."""
        self.work = np.zeros(3, dtype=np.int64)
        """As in `Filtered`, so far."""

    def __iter__(self) -> Iterator[tuple[int, int, Events, int]]:
        """Yield the first query of each packet, the one after its last, and its events.

        The events are in the first places of their arrays; how many, is the last number.  They are
        overwritten by those of the next packet.
        """
        parts: list[Any] = [part.ravel() for part in self._tree]
        flat = FlatTree(*parts)
        asked = self._batch._replace(vectors=self._batch.vectors.ravel())
        # The lists of queries of all open nodes and their children.
        places = ((len(flat.first) - 1) * _FANOUT + 1) * (self._packet + _GROUP - 1)
        lists = _kept.take("lists", places, np.int32)
        events = _take_events(self._buffer)
        work = np.zeros(3, dtype=np.int64)
        q = len(asked.below)
        for begin in range(0, q, self._packet):
            end = min(begin + self._packet, q)
            while True:
                doubtful = self.doubtful_queries, self.doubtful_rows, self.doubtful_bits
                number, doubts = _walk(
                    self.code,
                    flat,
                    asked,
                    begin,
                    end,
                    self._options,
                    self.counts,
                    lists,
                    events,
                    doubtful,
                    self.doubts,
                    work,
                )
                listed = 0 if self._options[1] else number
                if listed <= len(events.queries) and doubts <= len(self.doubtful_rows):
                    break
                if listed > len(events.queries):
                    events = _take_events(number + number // 4)
                if doubts > len(self.doubtful_rows):
                    self._make_room(doubts + doubts // 4)
            self.doubts = doubts
            self.work += work
            yield begin, end, events, number
        for name, array in {**events._asdict(), "lists": lists}.items():
            _kept.keep(name, array)

    def _make_room(self, length: int) -> None:
        """Take longer buffers for the doubtful pairs."""
        for name in ("doubtful_queries", "doubtful_rows", "doubtful_bits"):
            array = getattr(self, name)
            longer_one = np.empty(length, dtype=array.dtype)
            longer_one[: self.doubts] = array[: self.doubts]
            setattr(self, name, longer_one)


def replace_points(tree: FlatTree, size: int, rows: IntArray, points: Float32Array) -> BoolArray:
    """Give many points of a tree new coordinates, leaf by leaf."""
    rank = np.full(size, -1, dtype=np.int32)
    rank[rows] = np.arange(len(rows))
    leaves = int(tree.leaves[0])
    touched: BoolArray = _replace(tree.coordinates.ravel(), tree.rows, leaves, rank, points)
    return touched


def _sort(code: vector_code.Code, rows: Int32Array, counts: IntArray, bound: int) -> None:
    """Bring the rows of every query, all below a bound, into ascending order."""
    many = bound // _MARKED
    ends = np.cumsum(counts)
    if (counts > many).any():
        length = -(-bound // 64) * 64
        marks = _kept.take("marks", length, np.uint8, empty=True)
        _order(code, rows, counts, many, marks[:length])
        _kept.keep("marks", marks)
    few = np.flatnonzero((counts > 1) & (counts <= many))
    for start, end in zip((ends - counts)[few].tolist(), ends[few].tolist(), strict=True):
        rows[start:end].sort()


@dataclass(frozen=True)
class NumbaKernels:
    """Compiled kernels.

    Parameters
    ----------
    buffer : int, default 4096
        Rows the first output buffer has room for; buffers grow as needed.
    packet : int, default 256
        Queries that walk down a tree together.
    """

    buffer: int = _SMALLEST_BUFFER
    packet: int = _PACKET

    @property
    def name(self) -> str:
        """The value of ``kernels=`` that selects this set."""
        return "numba"

    @property
    def block(self) -> int:
        """Places in a block of a table."""
        return GROUP

    def search(self, tree: FlatTree, batch: Batch, output: Output) -> Filtered:
        """Walk down the tree with packets of queries."""
        q = len(batch.below)
        reported = not output.count_only
        walk = Walk(
            tree, batch, self.packet, sure_only=False, count_only=not reported, buffer=self.buffer
        )
        rows = np.empty(self.buffer if reported else 0, dtype=np.int32)
        if output.out is not None and reported:
            rows = output.out
        used = 0
        for begin, end, events, number in walk:
            if walk.doubts and output.decide is not None:
                pairs = slice(0, walk.doubts)
                asked = walk.doubtful_queries[pairs]
                wrong = ~output.decide(asked, walk.doubtful_rows[pairs])
                np.subtract.at(walk.counts, asked[wrong], 1)
                if reported:
                    where, bit = np.divmod(walk.doubtful_bits[pairs][wrong], _LANES)
                    ones_there = np.uint64(1) << bit.astype(np.uint64)
                    np.bitwise_and.at(events.words, where, ~ones_there)
                walk.doubts = 0
            if not reported:
                continue
            counts = walk.counts[begin:end]
            needed = int(counts.sum())
            rows = _longer(rows, used, needed, begin, q)
            _write(
                walk.code,
                tree.rows.ravel(),
                tree.live,
                tree.live_before,
                events,
                number,
                begin,
                used + np.cumsum(counts) - counts,
                rows,
            )
            used += needed
        if reported and output.sort:
            _sort(walk.code, rows, walk.counts, int(tree.row_bound[0]))
        return Filtered(
            walk.counts,
            rows[:used] if rows is output.out else _trimmed(rows, used),
            _trimmed(walk.doubtful_queries, walk.doubts),
            _trimmed(walk.doubtful_rows, walk.doubts),
            walk.work,
        )

    def sum_up(self, tree: FlatTree, sums: NodeSums, batch: Batch, *, bounds: bool) -> Summed:
        """Walk down the tree with packets of queries and add up."""
        from sublinear_lib.halfspace import kernels_numba_sums

        return kernels_numba_sums.sum_up(tree, sums, batch, bounds=bounds)

    def scan(
        self, table: PointBlocks, batch: Batch, output: Output, levels: FloatArray | None = None
    ) -> Filtered:
        """Compare queries with all points, or with those of the blocks that matter to them."""
        q = len(batch.below)
        answer = _Answer(table, output, q, self.buffer)
        code = host_code()
        stride = -(-max(table.size, 1) // _BLOCK**2) * _BLOCK + 8
        at_once = min(_QUERIES_AT_ONCE, max(_GROUP, _WORDS_AT_ONCE // stride // _GROUP * _GROUP))
        batch = batch._replace(vectors=batch.vectors.ravel())
        for start in range(0, q, at_once):
            part = _part(table, levels, start, min(start + at_once, q))
            answer.add(start, part, batch, code)
        return answer.filtered()
