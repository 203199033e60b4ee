"""The compiled scan: blocks of 64 points against four half-spaces at a time, in two passes.

The first pass goes through the points once for some hundred queries: a block stays in the cache
while all of them are compared with it (:func:`~sublinear_lib._vector_code.score_masks`),
and of the 64 comparisons of a query only one *word* of possible points is kept, an eighth of a byte
for each pair.  Then the number of rows of every query is known, and the second pass turns the words
of one query after the other into rows, straight at their final place.  So rows come in the order
of the places without being sorted, no array of the size of queries times points is ever made, and
where the caller brings the buffer no new memory is touched at all, which would cost more than the
search.

Know before changing it:

* The words are kept between calls (`_Words`), because a system hands out fresh memory more slowly
  than the first pass fills it.
* Queries are taken in the order of their levels, so that those that a block can matter to are the
  first ones; the words of the others are zero.
* Where the buffer of the doubtful pairs turns out too small, the pass is done again with one that
  is large enough; that happens when thousands of pairs are ties.
* numba notices a change of *this* file only when it looks for compiled code on disk, so everything
  that is compiled is defined here, except for the vector code, whose text is part of its type.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sublinear_lib._compiled import compiled
from sublinear_lib._typing import FloatArray, Int32Array, IntArray
from sublinear_lib._vector_code import (
    Code,
    append_rows,
    filled_words,
    host_code,
    lowest_bit,
    ones,
    score_masks,
)
from sublinear_lib.halfspace.filtering import Batch
from sublinear_lib.halfspace.kernels import Filtered, PointBlocks, longer, trimmed
from sublinear_lib.halfspace.protocol import Output

__all__ = ["scan"]

_compiled = compiled({"contract"})

_GROUP = 4
_BLOCK = 64
_QUERIES_AT_ONCE = 256
_WORDS_AT_ONCE = 2**21
_SMALLEST_BUFFER = 4096


@_compiled
def _mark(code, points, dimension, radius, part, batch, words, stride, counts, doubtful_pairs):
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
        start = block * dimension * _BLOCK
        first = 0
        while first < active[i]:
            score_masks(
                code,
                points,
                start,
                dimension,
                radius[block],
                vectors,
                below,
                above,
                spread,
                queries,
                first,
                masks,
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


class _Words:
    """Memory for words that is used again: by this thread or by another, never by two at once."""

    def __init__(self) -> None:
        self._free: list[NDArray[np.uint64]] = []

    def take(self, size: int) -> NDArray[np.uint64]:
        """Return at least so many words, with any contents."""
        try:
            words = self._free.pop()
        except IndexError:
            words = np.empty(0, dtype=np.uint64)
        return words if len(words) >= size else np.empty(size, dtype=np.uint64)

    def give_back(self, words: NDArray[np.uint64]) -> None:
        """Let others use words, unless there are too many to keep them."""
        if len(words) <= _WORDS_AT_ONCE and len(self._free) < 16:
            self._free.append(words)


_WORDS = _Words()


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


def scan(
    table: PointBlocks,
    batch: Batch,
    levels: FloatArray | None,
    output: Output,
    *,
    buffer: int = _SMALLEST_BUFFER,
) -> Filtered:
    """Compare queries with all points, or with those of the blocks that matter to them."""
    q = len(batch.below)
    answer = _Answer(table, output, q, buffer)
    code = host_code()
    stride = -(-max(table.size, 1) // _BLOCK**2) * _BLOCK + 8
    at_once = min(_QUERIES_AT_ONCE, max(_GROUP, _WORDS_AT_ONCE // stride // _GROUP * _GROUP))
    batch = batch._replace(vectors=batch.vectors.ravel())
    for start in range(0, q, at_once):
        part = _part(table, levels, start, min(start + at_once, q))
        answer.add(start, part, batch, code)
    return answer.filtered()


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
        words = _WORDS.take(padded * stride)
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
        _WORDS.give_back(words)

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
        self._found = longer(self._found, self._used, needed, start, self._q)
        rows = self._table.rows
        found = self._found
        if rows is None or not self._output.sort:
            self._used = _list(code, rows, part.blocks, words, stride, positions, found, self._used)
            return
        if self._marks is None:
            size = int(rows.max(initial=0)) // _BLOCK + 1
            self._marks = np.zeros(size, dtype=np.uint64)
            self._summary = np.zeros(size // _BLOCK + 1, dtype=np.uint64)
        self._used = _list_ascending(
            code,
            rows,
            part.blocks,
            words,
            stride,
            positions,
            self._marks,
            self._summary,
            found,
            self._used,
        )

    def filtered(self) -> Filtered:
        """Return the answer."""
        nothing = np.empty(0, dtype=np.int32)
        places = np.concatenate([nothing, *self._places])
        if self._found is self._output.out:
            found = self._found[: self._used]
        else:
            found = trimmed(self._found, self._used)
        return Filtered(
            self._counts,
            nothing if self._output.count_only else found,
            np.concatenate([nothing, *self._queries]),
            self._rows_at(places),
            np.array([0, self._tested, 0], dtype=np.int64),
        )
