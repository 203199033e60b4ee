"""Half-space reporting, Definition 5.1 and Algorithm 2: what is asked and how it is answered.

Algorithm 2 of the paper names the operations (INIT, QUERY, INSERT, REMOVE) and Corollary 5.2 what
they may cost.  This module fixes their Python form: `HalfspaceHits`, the answer to a batch of
queries, and `HalfspaceStructure`, what every engine (scan, cap prefix, tree) must offer to
the facade :class:`sublinear_lib.halfspace.HalfspaceIndex`.  Before changing it, know the two
contracts all callers rely on: the ids of one query ascend, and the set is the one of *real
arithmetic on the stored float64 numbers*, so that engines can be exchanged without changing a bit.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from sublinear_lib import validation
from sublinear_lib._typing import BoolArray, FloatArray, Int32Array, IntArray

__all__ = ["HalfspaceHits", "HalfspaceStructure", "Output", "Work"]


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
    >>> hits.union()
    array([0, 1, 4], dtype=int32)
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

    def union(self) -> Int32Array:
        """Return the ids that at least one query reported, ascending.

        Returns
        -------
        ndarray of int32
            The union of the sets: for the network, the neurons that are active on some sample.
        """
        return np.unique(self.indices)

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


_REPORT = Output()


class HalfspaceStructure(Protocol):
    """What an engine offers to the facade.

    An engine reads the points from the :class:`~sublinear_lib.halfspace.store.PointStore` it was
    made with and speaks in *rows* of that store; the facade owns validation and the translation of
    rows to ids.  The facade changes the store first and then tells the engine which rows changed,
    so an engine never sees a row that does not exist.  All arguments are trusted.
    """

    @property
    def name(self) -> str:
        """The value of ``method=`` that selects this engine."""

    @property
    def height(self) -> int:
        """Levels of the hierarchy above the points (0 for a structure without one)."""

    @property
    def rebuilds(self) -> int:
        """How many times the structure was built anew after INIT."""

    @property
    def memory(self) -> int:
        """Bytes held besides the point store."""

    @property
    def work(self) -> Work:
        """The work done by all queries so far."""

    def rebuild(self) -> None:
        """Build the structure anew from all live rows of the store."""

    def insert(self, rows: IntArray) -> None:
        """Take in rows that were appended to the store (INSERT)."""

    def remove(self, rows: IntArray) -> None:
        """Forget rows that are no longer alive in the store (REMOVE)."""

    def update(self, rows: IntArray) -> None:
        """Follow rows whose point has moved in the store."""

    def query(
        self,
        normals: FloatArray,
        offsets: FloatArray,
        strict: bool,
        output: Output = _REPORT,
    ) -> HalfspaceHits:
        """Report the rows in each half-space (QUERY)."""

    def count(self, normals: FloatArray, offsets: FloatArray, strict: bool) -> IntArray:
        """Count the rows in each half-space."""
