"""How the facade puts a query to an engine: in pieces, by several threads, into one answer.

The half-spaces of one call (QUERY of Algorithm 2) are independent, so that they may be cut into
pieces anywhere: the answer is the same.  Pieces bound the memory, since an engine works with a few
times the output of a piece and never of the whole call, and they are what threads share: the
kernels run without the interpreter lock.  The rows of all pieces go into one buffer, which grows in
place; at the end they are scored and translated to ids, in place too.  Before changing that: rows
must be scored *before* they become ids.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import NamedTuple, TypeVar

import numpy as np

from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.halfspace.protocol import (
    HalfspaceHits,
    HalfspaceStructure,
    Int32Array,
    Output,
)
from sublinear_lib.halfspace.scoring import score_pairs
from sublinear_lib.halfspace.store import PointStore

__all__ = ["HalfSpaces", "count", "report", "report_in_pieces"]

Answer = TypeVar("Answer")

# A piece is planned to find so many ids, 64 MiB of them, ...
_IDS_PER_PIECE = 2**24
# ... and while nothing is known about how many a query finds, it could find at most so many.
_IDS_OF_FIRST_PIECE = 2**27
_FEWEST_AT_ONCE, _MOST_AT_ONCE = 256, 2**15
# With threads: pieces per thread, so that none waits long for the last, and queries worth a thread.
_PIECES_PER_THREAD = 4
_FEWEST_PER_THREAD = 8
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


def count(
    engine: HalfspaceStructure, store: PointStore, asked: HalfSpaces, workers: int
) -> IntArray:
    """Count the points in each half-space.

    Parameters
    ----------
    engine : HalfspaceStructure
        The engine.
    store : PointStore
        The points.
    asked : HalfSpaces
        The half-spaces.
    workers : int
        The number of threads.

    Returns
    -------
    ndarray of int64, shape (q,)
        The numbers of points.
    """
    q = len(asked.offsets)
    step = _at_once(_first_piece(store), q, workers)
    if q <= step:
        return engine.count(*asked)
    counts = np.empty(q, dtype=np.int64)

    def find(queries: slice) -> IntArray:
        return engine.count(*asked.part(queries))

    for queries, found in _mapped(find, _consecutive(q, step), workers):
        counts[queries] = found
    return counts


def report(
    engine: HalfspaceStructure,
    store: PointStore,
    kernels: str,
    asked: HalfSpaces,
    *,
    sort: bool,
    scored: bool,
    out: Int32Array | None,
    workers: int,
    as_rows: bool = False,
) -> HalfspaceHits:
    """Report the ids of the points in each half-space.

    Parameters
    ----------
    engine : HalfspaceStructure
        The engine.
    store : PointStore
        The points.
    kernels : {"numba", "numpy"}
        The loops for the scores.
    asked : HalfSpaces
        The half-spaces.
    sort : bool
        Whether the ids of a query must ascend.
    scored : bool
        Whether to compute scores.
    out : ndarray of int32, shape (k,), or None
        Where to write the ids.
    workers : int
        The number of threads.
    as_rows : bool, default False
        Whether to report rows of the store instead of ids.

    Returns
    -------
    HalfspaceHits
        The ids.

    Raises
    ------
    ValueError
        If `out` is too short.
    """
    q = len(asked.offsets)
    first = _at_once(_first_piece(store), q, workers)
    if q <= first:
        found = engine.query(*asked, Output(sort=sort, out=out))
        if out is None and not scored and (as_rows or store.rows_are_ids):
            return found
        indptr, rows = found.indptr, found.indices
        if out is not None:
            rows = _moved_to(out, rows)
    else:
        indptr, rows = _collected(engine, asked, first, sort, out, workers)
    scores = _scored(store, kernels, asked.normals, indptr, rows, workers) if scored else None
    if not as_rows:
        _translate(store, rows)
    return HalfspaceHits._trusted(indptr, rows, scores)


def report_in_pieces(
    engine: HalfspaceStructure,
    store: PointStore,
    kernels: str,
    asked: HalfSpaces,
    *,
    sort: bool,
    scored: bool,
    ids_at_once: int,
    workers: int,
    as_rows: bool = False,
) -> Iterator[tuple[slice, HalfspaceHits]]:
    """Report piece after piece, none larger than asked for unless a single query is.

    Parameters
    ----------
    engine, store, kernels, asked, sort, scored, workers, as_rows
        As in `report`.
    ids_at_once : int
        The largest number of ids in a piece.

    Yields
    ------
    queries : slice
        The queries of the piece, consecutive and ascending.
    hits : HalfspaceHits
        What they report.
    """
    for queries in _planned(engine, store, asked, ids_at_once, workers):
        part = asked.part(queries)
        yield (
            queries,
            report(
                engine,
                store,
                kernels,
                part,
                sort=sort,
                scored=scored,
                out=None,
                workers=workers,
                as_rows=as_rows,
            ),
        )


def _planned(
    engine: HalfspaceStructure,
    store: PointStore,
    asked: HalfSpaces,
    ids_at_once: int,
    workers: int,
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
        np.cumsum(count(engine, store, asked.part(block), workers), out=before[1:])
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


def _at_once(most: int, q: int, workers: int) -> int:
    """Return how many queries make a piece, so that there is work for all threads."""
    if workers == 1:
        return most
    return min(most, max(_FEWEST_PER_THREAD, -(-q // (workers * _PIECES_PER_THREAD))))


def _mapped(
    function: Callable[[slice], Answer], pieces: Iterator[slice], workers: int
) -> Generator[tuple[slice, Answer], None, None]:
    """Yield pieces and their answers, in order; only a few are under way at any time."""
    if workers == 1:
        for piece in pieces:
            yield piece, function(piece)
        return
    with ThreadPoolExecutor(workers) as pool:
        pending: deque[tuple[slice, Future[Answer]]] = deque()
        try:
            for piece in pieces:
                pending.append((piece, pool.submit(function, piece)))
                if len(pending) > 2 * workers:
                    done, future = pending.popleft()
                    yield done, future.result()
            while pending:
                done, future = pending.popleft()
                yield done, future.result()
        finally:
            for _, future in pending:
                future.cancel()


def _collected(
    engine: HalfspaceStructure,
    asked: HalfSpaces,
    first: int,
    sort: bool,
    out: Int32Array | None,
    workers: int,
) -> tuple[IntArray, Int32Array]:
    """Report the rows of all half-spaces, piece by piece."""
    q = len(asked.offsets)
    indptr = np.zeros(q + 1, dtype=np.int64)
    rows = np.empty(0, dtype=np.int32) if out is None else out
    used = done = 0

    def pieces() -> Iterator[slice]:
        start, size = 0, first
        while start < q:
            yield slice(start, min(start + size, q))
            start += size
            if done:
                fitting = _IDS_PER_PIECE * done // max(1, used)
                size = min(4 * size, max(_FEWEST_AT_ONCE, fitting), _MOST_AT_ONCE)
                size = _at_once(size, q, workers)

    def find(queries: slice) -> HalfspaceHits:
        # Only one thread knows where its rows will begin.
        room = rows[used:] if workers == 1 and used < len(rows) else None
        return engine.query(*asked.part(queries), Output(sort=sort, out=room))

    with closing(_mapped(find, pieces(), workers)) as answers:
        for queries, hits in answers:
            found = hits.indices
            end = used + len(found)
            if end > len(rows):
                if out is not None:
                    rest = asked.part(slice(queries.stop, q))
                    raise _too_short(end + int(engine.count(*rest).sum()), out)
                # What does not fit is no view of the buffer, so that nobody looks at what moves.
                rows.resize(max(end, int(_GROWTH * end * q / queries.stop)), refcheck=False)
            if not np.may_share_memory(found, rows):
                rows[used:end] = found
            indptr[queries.start + 1 : queries.stop + 1] = hits.indptr[1:] + used
            used, done = end, queries.stop
    if out is not None:
        return indptr, out[:used]
    rows.resize(used, refcheck=False)
    return indptr, rows


def _scored(
    store: PointStore,
    kernels: str,
    normals: FloatArray,
    indptr: IntArray,
    rows: Int32Array,
    workers: int,
) -> FloatArray:
    """Score all rows."""
    scores = np.empty(len(rows))

    def score(queries: slice) -> None:
        ends = indptr[queries.start : queries.stop + 1]
        score_pairs(store, kernels, normals[queries], ends, rows, scores)

    q = len(normals)
    for _ in _mapped(score, _consecutive(q, _at_once(_MOST_AT_ONCE, q, workers)), workers):
        pass
    return scores


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
