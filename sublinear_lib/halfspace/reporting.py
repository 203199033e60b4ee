"""How the facade puts a query to an engine: in pieces, into one answer.

The half-spaces of one call (QUERY of Algorithm 2) are independent, so that they may be cut into
pieces anywhere: the answer is the same.  Pieces bound the memory, since an engine works with a few
times the output of a piece and never of the whole call.  The rows of all pieces go into one buffer,
which grows in place; at the end they are translated to ids, in place too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sublinear_lib._typing import FloatArray, Int32Array, IntArray
from sublinear_lib.halfspace.protocol import HalfspaceHits, HalfspaceStructure, Output
from sublinear_lib.halfspace.store import PointStore

__all__ = ["HalfSpaces", "count", "report", "report_in_pieces"]

# A piece is planned to find so many ids, 64 MiB of them, ...
_IDS_PER_PIECE = 2**24
# ... and while nothing is known about how many a query finds, it could find at most so many.
_IDS_OF_FIRST_PIECE = 2**27
_FEWEST_AT_ONCE, _MOST_AT_ONCE = 256, 2**15
_GROWTH = 1.05
_TRANSLATED_AT_ONCE = 2**20


class HalfSpaces(NamedTuple):
    """A batch of half-spaces, validated."""

    normals: FloatArray
    """Shape (q, d)."""
    offsets: FloatArray
    """Shape (q,)."""
    strict: bool
    """Whether ``>`` or ``>=`` is asked."""

    def part(self, queries: slice) -> HalfSpaces:
        """Return some of them."""
        return HalfSpaces(self.normals[queries], self.offsets[queries], self.strict)


def count(engine: HalfspaceStructure, store: PointStore, asked: HalfSpaces) -> IntArray:
    """Count the points in each half-space."""
    q = len(asked.offsets)
    step = _first_piece(store)
    if q <= step:
        return engine.count(*asked)
    counts = np.empty(q, dtype=np.int64)
    for queries in _consecutive(q, step):
        counts[queries] = engine.count(*asked.part(queries))
    return counts


def report(
    engine: HalfspaceStructure,
    store: PointStore,
    asked: HalfSpaces,
    *,
    sort: bool,
    out: Int32Array | None = None,
    as_rows: bool = False,
) -> HalfspaceHits:
    """Report the ids of the points in each half-space."""
    first = _first_piece(store)
    if len(asked.offsets) <= first:
        found = engine.query(*asked, Output(sort=sort, out=out))
        if out is None and (as_rows or store.rows_are_ids):
            return found
        indptr, rows = found.indptr, found.indices
        if out is not None:
            rows = _moved_to(out, rows)
    else:
        indptr, rows = _collected(engine, asked, first, sort, out)
    if not as_rows:
        _translate(store, rows)
    return HalfspaceHits._trusted(indptr, rows)


def report_in_pieces(
    engine: HalfspaceStructure,
    store: PointStore,
    asked: HalfSpaces,
    *,
    sort: bool,
    ids_at_once: int,
    as_rows: bool = False,
) -> Iterator[tuple[slice, HalfspaceHits]]:
    """Report piece after piece, none larger than asked for unless a single query is."""
    for queries in _planned(engine, store, asked, ids_at_once):
        part = asked.part(queries)
        yield queries, report(engine, store, part, sort=sort, as_rows=as_rows)


def _planned(
    engine: HalfspaceStructure, store: PointStore, asked: HalfSpaces, ids_at_once: int
) -> Iterator[slice]:
    """Cut queries into pieces that find at most so many ids, or consist of a single query."""
    q = len(asked.offsets)
    # No query finds more than all points, so that these cannot find too many together.
    safe = min(ids_at_once // max(1, store.live), _MOST_AT_ONCE)
    if safe >= min(_FEWEST_AT_ONCE, max(q, 1)):
        yield from _consecutive(q, safe)
        return
    # So few at once would be slow: count first, and take as many as fit.
    for block in _consecutive(q, _FEWEST_AT_ONCE):
        before = np.zeros(block.stop - block.start + 1, dtype=np.int64)
        np.cumsum(count(engine, store, asked.part(block)), out=before[1:])
        start = 0
        while start < len(before) - 1:
            fitting = int(np.searchsorted(before, before[start] + ids_at_once, side="right")) - 1
            stop = max(start + 1, fitting)
            yield slice(block.start + start, block.start + stop)
            start = stop


def _consecutive(q: int, step: int) -> Iterator[slice]:
    for start in range(0, q, step):
        yield slice(start, min(start + step, q))


def _first_piece(store: PointStore) -> int:
    """Return how many queries to ask at once while it is not known how much they find."""
    return min(max(_IDS_OF_FIRST_PIECE // max(1, store.live), _FEWEST_AT_ONCE), _MOST_AT_ONCE)


def _collected(
    engine: HalfspaceStructure, asked: HalfSpaces, first: int, sort: bool, out: Int32Array | None
) -> tuple[IntArray, Int32Array]:
    """Report the rows of all half-spaces, piece by piece."""
    q = len(asked.offsets)
    indptr = np.zeros(q + 1, dtype=np.int64)
    rows = np.empty(0, dtype=np.int32) if out is None else out
    used = start = 0
    size = first
    while start < q:
        stop = min(start + size, q)
        room = rows[used:] if used < len(rows) else None
        hits = engine.query(*asked.part(slice(start, stop)), Output(sort=sort, out=room))
        found = hits.indices
        end = used + len(found)
        if end > len(rows):
            if out is not None:
                rest = asked.part(slice(stop, q))
                raise _too_short(end + int(engine.count(*rest).sum()), out)
            # What does not fit is no view of the buffer, so that nobody looks at what moves.
            rows.resize(max(end, int(_GROWTH * end * q / stop)), refcheck=False)
        if not np.may_share_memory(found, rows):
            rows[used:end] = found
        indptr[start + 1 : stop + 1] = hits.indptr[1:] + used
        used, start = end, stop
        fitting = _IDS_PER_PIECE * start // max(1, used)
        size = min(4 * size, max(_FEWEST_AT_ONCE, fitting), _MOST_AT_ONCE)
    if out is not None:
        return indptr, out[:used]
    rows.resize(used, refcheck=False)
    return indptr, rows


def _moved_to(out: Int32Array, rows: Int32Array) -> Int32Array:
    """Return rows at the beginning of a buffer, where an engine may have put them already."""
    if len(rows) > len(out):
        raise _too_short(len(rows), out)
    place = out[: len(rows)]
    if not np.may_share_memory(rows, out):
        place[...] = rows
    return place


def _too_short(needed: int, out: Int32Array) -> ValueError:
    return ValueError(
        f"out must have room for all ids, of which there are {needed}, got length {len(out)}"
    )


def _translate(store: PointStore, rows: Int32Array) -> None:
    """Turn rows into ids, in place."""
    if store.rows_are_ids:
        return
    for start in range(0, len(rows), _TRANSLATED_AT_ONCE):
        part = rows[start : start + _TRANSLATED_AT_ONCE]
        part[...] = store.ids_of(part)
