"""Half-space reporting, Definition 5.1 and Algorithm 2: what is asked and how it is answered.

Algorithm 2 of the paper names the operations (INIT, QUERY, INSERT, REMOVE) and Corollary 5.2 what
they may cost.  This module fixes their Python form: `HalfspaceHits`, the answer to a batch of
queries, and `Output`, what the facade :class:`sublinear_lib.halfspace.HalfspaceIndex` asks of an
:class:`~sublinear_lib.halfspace.engine.Engine` (scan, cap prefix, tree).  Before changing it, know
the two contracts all callers rely on: the ids of one query ascend, and the set is the one of *real
arithmetic on the stored float64 numbers*, so that engines can be exchanged without changing a bit.

**Pieces.**  The facade puts a query to an engine in pieces, into one answer.  The half-spaces of
one call (QUERY of Algorithm 2) are independent, so that they may be cut into pieces anywhere: the
answer is the same.  Pieces bound the memory, since an engine works with a few times the output of a
piece and never of the whole call.  The rows of all pieces go into one buffer, which grows in place;
at the end they are translated to ids, in place too.

**Arguments.**  What callers hand to the structures of this package is checked in one place and
refused in one way.  The points of Definition 5.1, the half-spaces of QUERY and the ids of REMOVE
and UPDATE (Algorithm 2) reach the index, the tree of sums and the classical structures in the same
form.  Know before changing a check: whoever calls one has not changed anything yet, which is what
makes a refused call leave everything as it was.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sublinear_lib import validation
from sublinear_lib._typing import BoolArray, FloatArray, Int32Array, IntArray
from sublinear_lib.halfspace.alive import TOLERANCE
from sublinear_lib.halfspace.store import LARGEST_DIMENSION, LARGEST_ID, PointStore

if TYPE_CHECKING:
    from sublinear_lib.halfspace.engine import Engine

__all__ = [
    "HalfSpaces",
    "HalfspaceHits",
    "Output",
    "Work",
    "count",
    "read_biases",
    "read_domain",
    "read_half_spaces",
    "read_points",
    "refuse_too_many",
    "report",
    "report_in_pieces",
    "stored_rows",
]


@dataclass(frozen=True, eq=False)
class HalfspaceHits:
    """The points reported for a batch of half-spaces, in compressed sparse row form.

    Query ``i`` reported the ids ``indices[indptr[i]:indptr[i + 1]]``, each once and in ascending
    order; in any order if the query was asked with ``sort_results=False``, see `ascending`.

    Parameters
    ----------
    indptr : ndarray of int64, shape (q + 1,)
        Where the ids of each query start; ``indptr[0] == 0`` and never decreasing.
    indices : ndarray of int32, shape (k,)
        The ids; ``k = indptr[-1]``.

    Raises
    ------
    TypeError
        If an array has another dtype.
    ValueError
        If the arrays do not fit together.

    Examples
    --------
    >>> hits = HalfspaceHits(np.array([0, 2, 2, 3]), np.array([1, 4, 0], dtype=np.int32))
    >>> hits.counts
    array([2, 0, 1])
    >>> [ids.tolist() for ids in hits.split()]
    [[1, 4], [], [0]]
    """

    indptr: IntArray
    indices: Int32Array

    def __post_init__(self) -> None:
        """Check that the arrays fit together."""
        _check_vector(self.indptr, "indptr", np.dtype(np.int64))
        _check_vector(self.indices, "indices", np.dtype(np.int32))
        if self.indptr.size == 0 or self.indptr[0] != 0 or self.indptr[-1] != self.indices.size:
            raise ValueError(
                f"indptr must run from 0 to the number of indices {self.indices.size}, "
                f"got {self.indptr[:1].tolist()} to {self.indptr[-1:].tolist()}"
            )
        if (self.indptr[1:] < self.indptr[:-1]).any():
            raise ValueError("indptr must never decrease, got a decreasing entry")

    @classmethod
    def _trusted(cls, indptr: IntArray, indices: Int32Array) -> HalfspaceHits:
        """Return hits whose arrays are known to fit together, without a look at them."""
        hits = object.__new__(cls)
        hits.__dict__.update(indptr=indptr, indices=indices)
        return hits

    @classmethod
    def from_mask(cls, mask: object) -> HalfspaceHits:
        """Return the hits of a boolean matrix.

        Parameters
        ----------
        mask : array-like of bool, shape (q, m)
            Whether query ``i`` reports the point with id ``r``.

        Returns
        -------
        HalfspaceHits
            The same sets.

        Raises
        ------
        TypeError, ValueError
            If `mask` is not a boolean matrix.

        Examples
        --------
        >>> HalfspaceHits.from_mask([[False, True], [True, True]]).indices
        array([1, 0, 1], dtype=int32)
        """
        shape = np.asarray(mask).shape
        if len(shape) != 2:
            raise ValueError(f"mask must have shape (q, m), got {shape}")
        table = validation.mask(mask, "mask", shape=shape)
        indptr = np.zeros(len(table) + 1, dtype=np.int64)
        np.cumsum(np.count_nonzero(table, axis=1), out=indptr[1:])
        return cls(indptr, np.nonzero(table)[1].astype(np.int32))

    @property
    def counts(self) -> IntArray:
        """How many points each query reported, shape (q,)."""
        return np.diff(self.indptr)

    def __len__(self) -> int:
        """Return the number of queries."""
        return self.indptr.size - 1

    def __getitem__(self, query: int) -> Int32Array:
        """Return the ids that one query reported (a view)."""
        count = len(self)
        try:
            query = operator.index(query)
        except TypeError:
            raise TypeError(
                f"query must be an integer in -{count}, ..., {count - 1}, got {query!r}"
            ) from None
        position = query + count if query < 0 else query
        if not 0 <= position < count:
            raise IndexError(f"query must be in -{count}, ..., {count - 1}, got {query}")
        return self.indices[self.indptr[position] : self.indptr[position + 1]]

    def split(self) -> list[Int32Array]:
        """Return the ids of each query, as views.

        Returns
        -------
        list of ndarray of int32
            One array per query.
        """
        return [self[i] for i in range(len(self))]

    def ascending(self) -> HalfspaceHits:
        """Return the same hits with the ids of each query in ascending order.

        Returns
        -------
        HalfspaceHits
            These hits themselves if their ids ascend already, otherwise others with an array of
            their own.

        Examples
        --------
        >>> hits = HalfspaceHits(np.array([0, 2]), np.array([4, 1], dtype=np.int32))
        >>> hits.ascending().indices
        array([1, 4], dtype=int32)
        """
        falls = self.indices[1:] <= self.indices[:-1]
        inner = self.indptr[1:-1]
        falls[inner[(inner > 0) & (inner < self.indices.size)] - 1] = False
        if not falls.any():
            return self
        indices = self.indices.copy()
        for start, end in itertools.pairwise(self.indptr.tolist()):
            indices[start:end].sort()
        return HalfspaceHits(self.indptr, indices)

    def to_mask(self, m: int) -> BoolArray:
        """Return the hits as a dense boolean matrix.

        Parameters
        ----------
        m : int
            Number of columns; larger than every id.

        Returns
        -------
        ndarray of bool, shape (q, m)
            ``True`` where query ``i`` reported id ``r``.

        Raises
        ------
        TypeError, ValueError
            If `m` is not an integer larger than every id.
        """
        table = np.zeros((len(self), self._width(m)), dtype=np.bool_)
        table[np.repeat(np.arange(len(self)), self.counts), self.indices] = True
        return table

    def _width(self, m: int) -> int:
        largest = int(self.indices.max()) if self.indices.size else -1
        width = validation.count(m, "m", minimum=0)
        if width <= largest:
            raise ValueError(f"m must be larger than every reported id, got {m} and id {largest}")
        return width

    def __eq__(self, other: object) -> bool:
        """Return whether two answers report the same sets, in whatever order."""
        if not isinstance(other, HalfspaceHits):
            return NotImplemented
        if not np.array_equal(self.indptr, other.indptr):
            return False
        if np.array_equal(self.indices, other.indices):
            return True
        one, two = self.ascending(), other.ascending()
        return (one is not self or two is not other) and np.array_equal(one.indices, two.indices)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Return the numbers of queries and ids."""
        return f"HalfspaceHits({len(self)} queries, {self.indices.size} ids)"


def _check_vector(value: object, name: str, dtype: np.dtype[Any]) -> None:
    if isinstance(value, np.ndarray):
        if value.dtype == dtype and value.ndim == 1:
            return
        found = f"dtype {value.dtype} and shape {value.shape}"
    else:
        found = f"a {type(value).__name__}"
    raise TypeError(f"{name} must be a vector of dtype {dtype}, got {found}")


class Work(NamedTuple):
    """Counters of the work done by queries."""

    nodes_visited: int
    """Inner nodes and leaves opened; 0 for a structure without nodes."""
    points_tested: int
    """Points whose score was computed."""
    points_reported_untested: int
    """Points reported or counted because everything below a node lay inside."""
    pairs_settled: int
    """Pairs that float32 could not decide, and float64 or exact arithmetic did."""


class Output(NamedTuple):
    """The form in which an engine is to answer."""

    count_only: bool = False
    """Whether only counts are wanted."""
    sort: bool = True
    """Whether the rows of a query must ascend."""
    out: Int32Array | None = None
    """A buffer for the rows.  If they fit, the rows returned are a view of its beginning; if not, a
    new array is returned.  Its other contents may be overwritten in either case."""
    decide: Callable[[Int32Array, Int32Array], BoolArray] | None = None
    """For kernels: given queries and rows, both of shape (k,), says which of these pairs belong to
    the answer.  A kernel may ask instead of returning doubtful pairs; engines set it."""


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


def count(engine: Engine, store: PointStore, asked: HalfSpaces) -> IntArray:
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
    engine: Engine,
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
    engine: Engine,
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
    engine: Engine, store: PointStore, asked: HalfSpaces, ids_at_once: int
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
    engine: Engine, asked: HalfSpaces, first: int, sort: bool, out: Int32Array | None
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


_DOMAINS = ("slice",)


def read_points(points: object) -> FloatArray:
    """Return the points that a structure is to be made of."""
    array = validation.float_array(points, "points", shape=("m", "d"), allow_empty=True)
    if not 1 <= array.shape[1] < LARGEST_DIMENSION:
        raise ValueError(
            f"points must have at least 1 and fewer than {LARGEST_DIMENSION} columns, "
            f"got shape {array.shape}"
        )
    return array


def read_domain(domain: object, points: FloatArray) -> str | None:
    """Return where the normals of all queries to some points lie."""
    if domain is None:
        return None
    name = validation.choice(domain, "domain", _DOMAINS)
    if points.shape[1] < 2:
        raise ValueError(
            f"points must have at least 2 columns with domain='slice', got shape {points.shape}"
        )
    return name


def refuse_too_many(ids: int, owner: str | None = None) -> None:
    """Refuse more ids than an int32 can tell apart."""
    if ids > LARGEST_ID:
        life = "" if owner is None else f" over the life of {owner}"
        raise ValueError(f"points must number at most {LARGEST_ID}{life}, got {ids}")


def read_half_spaces(
    normals: object, offsets: object, strict: object, d: int, domain: str | None = None
) -> HalfSpaces:
    """Return a batch of half-spaces, as every ``query_halfspace`` takes them."""
    vectors = validation.float_array(normals, "normals", shape=("q", d), allow_empty=True)
    levels = validation.float_array(offsets, "offsets", allow_empty=True)
    q = len(vectors)
    if levels.shape not in ((), (q,)):
        raise ValueError(f"offsets must be a number or have shape ({q},), got {levels.shape}")
    strictly = validation.boolean(strict, "strict")
    if domain is not None and q:
        vectors = validation.points_on_slice(vectors, "normals", atol=TOLERANCE)
    if not levels.ndim:
        levels = np.full(q, levels)
    return HalfSpaces(vectors, levels, strictly)


def read_biases(
    store: PointStore, bias: object, count: int, owner: str, *, required: bool = False
) -> FloatArray | None:
    """Return the biases of points that come or move."""
    if bias is None:
        if required and store.biased:
            raise ValueError(
                f"bias must have shape ({count},) because this {owner} has biases, got None"
            )
        return None
    if not store.biased:
        raise ValueError(
            f"bias must be None because this {owner} was made without biases (make it with "
            f"bias=np.zeros(m) to have them), got {type(bias).__name__}"
        )
    return validation.float_array(bias, "bias", shape=(count,), allow_empty=True)


def stored_rows(store: PointStore, ids: object) -> IntArray:
    """Return the rows of points that are to go or to move."""
    wanted = validation.index_array(ids, "ids", upper=store.next_id, unique=True)
    rows, stored = store.rows_of(wanted)
    if not stored.all():
        position = int(np.argmin(stored))
        raise ValueError(
            f"ids must be ids of stored points, got {wanted[position]} at index {position}, "
            "which was removed"
        )
    return rows
