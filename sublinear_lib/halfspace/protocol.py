"""Half-space reporting, Definition 5.1: the points stored, what is asked, and what is answered.

Algorithm 2 of the paper names the operations (INIT, QUERY, INSERT, REMOVE) and Corollary 5.2 what
they may cost.  This module fixes their Python form: `PointStore`, the set P; `HalfSpaces`, a batch
of questions; `HalfspaceHits`, the answer.  Before changing it, know the two contracts all callers
rely on: the ids of one query ascend, and the set is the one of *real arithmetic on the stored
float64 numbers*, so that engines can be exchanged without changing a bit.

**Rows and ids.**  Engines speak in *rows*, users in *ids*.  Ids are given out in ascending order
and never used twice; rows are positions in flat arrays, and since rows are appended in the order of
the ids, rows and ids ascend together.  A removed row stays as a tombstone until tombstones
outnumber the living; then `PointStore.compact` drops them and rows are renumbered, in order.  Know
before changing the store that every engine caches rows: compaction must be followed by a rebuild of
the engine.

**Arguments.**  What callers hand to the structures of this package is checked in one place and
refused in one way.  The points of Definition 5.1, the half-spaces of QUERY and the ids of REMOVE
and UPDATE (Algorithm 2) reach the index, the tree of sums and the classical structures in the same
form.  Know before changing a check: whoever calls one has not changed anything yet, which is what
makes a refused call leave everything as it was.
"""

from __future__ import annotations

import itertools
import operator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sublinear_lib import validation
from sublinear_lib._typing import BoolArray, FloatArray, Int32Array, IntArray
from sublinear_lib.halfspace.alive import TOLERANCE

__all__ = [
    "HalfSpaces",
    "HalfspaceHits",
    "PointStore",
    "as_span",
    "read_domain",
    "read_half_spaces",
    "read_points",
    "refuse_too_many",
]

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

    def read_new(
        self, points: object, bias: object, owner: str
    ) -> tuple[FloatArray, FloatArray | None]:
        """Check points that are to come, and their biases."""
        array = validation.float_array(points, "points", shape=("k", self.d), allow_empty=True)
        if bias is None and self.biased:
            raise ValueError(
                f"bias must have shape ({len(array)},) because this {owner} has biases, got None"
            )
        return array, self._read_biases(bias, len(array), owner)

    def read_moves(
        self, ids: object, points: object, bias: object, owner: str
    ) -> tuple[IntArray, FloatArray, FloatArray | None]:
        """Check which points are to move, where to, and their new biases if there are any."""
        rows = self.read_ids(ids)
        shape = (len(rows), self.d)
        array = validation.float_array(points, "points", shape=shape, allow_empty=True)
        return rows, array, self._read_biases(bias, len(rows), owner)

    def read_ids(self, ids: object) -> IntArray:
        """Return the rows of points that are to go or to move."""
        wanted = validation.index_array(ids, "ids", upper=self.next_id, unique=True)
        rows, stored = self.rows_of(wanted)
        if not stored.all():
            position = int(np.argmin(stored))
            raise ValueError(
                f"ids must be ids of stored points, got {wanted[position]} at index {position}, "
                "which was removed"
            )
        return rows

    def _read_biases(self, bias: object, count: int, owner: str) -> FloatArray | None:
        if bias is None:
            return None
        if not self.biased:
            raise ValueError(
                f"bias must be None because this {owner} was made without biases (make it with "
                f"bias=np.zeros(m) to have them), got {type(bias).__name__}"
            )
        return validation.float_array(bias, "bias", shape=(count,), allow_empty=True)

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
        largest = int(self.indices.max(initial=-1))
        width = validation.count(m, "m", minimum=0)
        if width <= largest:
            raise ValueError(f"m must be larger than every reported id, got {m} and id {largest}")
        table = np.zeros((len(self), width), dtype=np.bool_)
        table[np.repeat(np.arange(len(self)), self.counts), self.indices] = True
        return table

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
