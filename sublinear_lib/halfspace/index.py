"""The half-space index: INIT, QUERY, INSERT, REMOVE of Algorithm 2, and UPDATE for moving points.

`HalfspaceIndex` is the one class of this package that users meet.  It validates, keeps the ids and
hands the work to an engine; whatever the engine, the answer is the set of real arithmetic on the
stored float64 numbers.  Before changing it, know the order in every operation that changes
something: first validate everything, then change the store, then tell the engine; so a call that
raises has changed nothing.
"""

from __future__ import annotations

import copy
import os
from dataclasses import dataclass

import numpy as np

from sublinear_lib import validation
from sublinear_lib._typing import BoolArray, Int32Array, IntArray
from sublinear_lib.halfspace import saving
from sublinear_lib.halfspace.aggregates import Aggregator, HalfspaceAggregates
from sublinear_lib.halfspace.cap import CapPrefix
from sublinear_lib.halfspace.cost_model import Chooser, Wish
from sublinear_lib.halfspace.engine import Engine
from sublinear_lib.halfspace.kernels import KernelSet, choose
from sublinear_lib.halfspace.protocol import (
    HalfspaceHits,
    HalfSpaces,
    PointStore,
    read_domain,
    read_half_spaces,
    read_points,
    refuse_too_many,
)
from sublinear_lib.halfspace.scan import Scan
from sublinear_lib.halfspace.tree import BoxTree

__all__ = ["HalfspaceIndex", "IndexStats"]

_METHODS = ("auto", "scan", "cap", "tree")
_IDS_TO_MARK = 2**24


@dataclass(frozen=True)
class IndexStats:
    """What an index is made of and what it has done.

    Parameters
    ----------
    engine : str
        The engine in use, ``"scan"``, ``"cap"`` or ``"tree"``.
    kernels : str
        The kernels in use, ``"numba"`` or ``"numpy"``.
    m : int
        Number of stored points.
    d : int
        Their dimension, the bias not counted.
    memory : int
        Bytes held by the stored numbers, the engine, and what `aggregate_halfspace` keeps.
    height : int
        Levels of boxes above the points; 0 for the scan and the cap prefix.
    rebuilds : int
        How many times the engine was built anew since INIT.
    nodes_visited : int
        Inner nodes and leaves opened by all queries so far; 0 but for the tree.
    points_tested : int
        Points whose score was computed.
    points_reported_untested : int
        Points reported or counted because a whole subtree lay inside; 0 but for the tree.
    pairs_settled : int
        Pairs that float32 could not decide and float64 or exact arithmetic did.
    reason : str
        Why this engine: that it was asked for, or what ``method="auto"`` saw in it.
    """

    engine: str
    kernels: str
    m: int
    d: int
    memory: int
    height: int
    rebuilds: int
    nodes_visited: int
    points_tested: int
    points_reported_untested: int
    pairs_settled: int
    reason: str


class HalfspaceIndex:
    """An exact, dynamic index for half-space reporting.

    For a half-space with normal ``x`` and offset ``c`` the index reports the points ``p_r`` with
    ``<p_r, x> + bias_r > c`` (or ``>=``), decided in real arithmetic on the stored float64 numbers,
    whatever the engine: no point is missed or added by rounding.  For a network with weights
    ``w_r``, biases ``b_r`` and threshold ``tau``, ``query_halfspace(X, tau)`` are the neurons that
    fire on each row of ``X``.

    Parameters
    ----------
    points : array-like, shape (m, d)
        The points, finite, ``d >= 1``; ``m = 0`` is allowed.  Copied.
    bias : array-like, shape (m,), optional
        A number added to every inner product.  Without it, the index has no biases at all and
        `insert` and `update` take none.
    method : {"auto", "scan", "cap", "tree"}, default "auto"
        The engine; ``"cap"`` needs ``domain="slice"``.  ``"auto"`` follows the model of
        :mod:`sublinear_lib.halfspace.cost_model`: it begins with the tree for many points in few
        dimensions, the cap prefix on X for ``d >= 3`` and the scan elsewhere, which suits queries
        that find about one per cent, and takes another engine when queries have lost as much time
        with the present one as building the other costs.
    domain : {"slice"}, optional
        Where the normals of all queries lie: anywhere by default, or on the input space
        X = {x : ||x|| = 1, x_d = 1/2} of the paper, to 1e-9; then ``d >= 2``, and queries with
        other normals are refused.
    leaf_size : int, default 64
        The largest number of points in a leaf of the tree, ``>= 1``; more than 64 are taken as 64.
    kernels : {"auto", "numba", "numpy"}, default "auto"
        The inner loops; ``"auto"`` compiles with numba unless it is missing or the environment
        variable ``SUBLINEAR_NUMBA`` is ``0``.  The answers do not depend on it.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type, shape or value.

    Notes
    -----
    Several threads may query at the same time; a change needs the index for itself.

    Source: Definition 5.1 and Algorithm 2 (INIT, QUERY, INSERT, REMOVE).  Algorithm 2 asks for
    ``sgn(<b, z> - c) >= 0``; the network needs the strict inequality, hence ``strict=True``.

    Examples
    --------
    >>> index = HalfspaceIndex([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    >>> hits = index.query_halfspace([[1.0, 0.0], [0.6, 0.8]], offsets=0.6)
    >>> [ids.tolist() for ids in hits.split()]
    [[0], [1, 2]]
    >>> index.query_halfspace([[1.0, 0.0]], 0.6, strict=False)[0]
    array([0, 2], dtype=int32)
    >>> index.insert([[2.0, 2.0]])
    array([3])
    >>> index.remove([0])
    >>> index.count_halfspace([[1.0, 0.0], [0.6, 0.8]], [0.6, 0.6])
    array([1, 3])
    """

    def __init__(
        self,
        points: object,
        bias: object = None,
        *,
        method: str = "auto",
        domain: str | None = None,
        leaf_size: int = 64,
        kernels: str = "auto",
    ) -> None:
        array = read_points(points)
        m = len(array)
        refuse_too_many(m, "an index")
        biases = None
        if bias is not None:
            biases = validation.float_array(bias, "bias", shape=(m,), allow_empty=True)
        self._method = validation.choice(method, "method", _METHODS)
        self._domain = read_domain(domain, array)
        if self._method == "cap" and self._domain is None:
            raise ValueError("domain must be 'slice' with method='cap', got None")
        self._leaf_size = validation.count(leaf_size, "leaf_size")
        self._kernels: KernelSet = choose(kernels)
        self._store = PointStore(array, biases)
        self._sums = Aggregator(self._store, self._domain, self._leaf_size, self._kernels.name)
        self._chooser: Chooser | None = None
        if self._method == "auto":
            self._chooser = Chooser(self._store, self._kernels, self._domain is not None)
        self._engine = self._make(self._best_engine(None))

    # -- QUERY ---------------------------------------------------------------------------------

    def query_halfspace(
        self,
        normals: object,
        offsets: object,
        *,
        strict: bool = True,
        sort_results: bool = True,
        out: Int32Array | None = None,
    ) -> HalfspaceHits:
        """Report the points in each of a batch of half-spaces.

        Parameters
        ----------
        normals : array-like, shape (q, d)
            The normals ``x``; any finite vectors, of any length, in the domain of the index if it
            has one.  ``q = 0`` is allowed.
        offsets : float or array-like, shape (q,)
            The offsets ``c``, absolute units: one for all, or one for each.
        strict : bool, default True
            Report ``<p_r, x> + bias_r > c`` or, if false, ``>=``.
        sort_results : bool, default True
            Put the ids of each query in ascending order.  If false they come in whatever order is
            quickest, which may differ from call to call.
        out : ndarray of int32, shape (k,), optional
            A buffer for the ids, contiguous and writable: `HalfspaceHits.indices` is then a view of
            its beginning, and no new memory need be fetched from the system, which for large
            answers takes longer than to find them.  The rest of it may be overwritten.

        Returns
        -------
        HalfspaceHits
            The ids of each query.

        Raises
        ------
        TypeError, ValueError
            If an argument is of the wrong type, shape or value, or a normal is not in the domain;
            if `out` is too short (the message says how many ids there are).

        Notes
        -----
        Ask for many half-spaces at once: a call costs some tens of microseconds, a tenth of them in
        the checks made here and the rest in bringing the half-spaces to the units of the filter,
        some thirty array operations that take the same time for one as for many.

        However many there are, the memory needed is that of the answer and of one piece of it (256
        queries, or as many as find 2**24 ids).  Source: QUERY in Algorithm 2.

        Examples
        --------
        >>> index = HalfspaceIndex([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
        >>> buffer = np.empty(100, dtype=np.int32)
        >>> hits = index.query_halfspace([[0.5, 1.0]], 0.7, out=buffer)
        >>> hits[0], np.shares_memory(hits.indices, buffer)
        (array([1, 2], dtype=int32), True)
        """
        asked = self._half_spaces(normals, offsets, strict)
        sort = validation.boolean(sort_results, "sort_results")
        if out is not None:
            _check_buffer(out, asked)
        wish = Wish(in_order=sort)
        engine = self._engine_for(asked, wish)
        hits = engine.report(asked, sort=sort, out=out)
        self._learn(engine, asked, len(hits.indices), wish)
        return hits

    def asked(self, offset: float) -> IntArray:
        """Return the ids of the points whose score a query computes, whatever its normal.

        Parameters
        ----------
        offset : float
            The offset of the query.

        Returns
        -------
        ndarray of int64, shape (k,)
            Ascending ids; those of the answer are among them.

        Raises
        ------
        TypeError, ValueError
            If `offset` is not a finite number, or the engine is not ``"cap"``: what a tree asks
            depends on the normal, and a scan asks everybody.

        Examples
        --------
        >>> index = HalfspaceIndex(np.eye(3)[[2, 0]], [-1.0, 0.0], method="cap", domain="slice")
        >>> index.asked(0.0).tolist(), index.asked(1.0).tolist()  # 64 points are one group
        ([0, 1], [])
        """
        level = validation.scalar(offset, "offset")
        if not isinstance(self._engine, CapPrefix):
            raise ValueError(f"the engine must be 'cap', got {self._engine.name!r}")
        return self._store.ids_of(self._engine.opened(level)).astype(np.int64)

    def count_halfspace(self, normals: object, offsets: object, *, strict: bool = True) -> IntArray:
        """Count the points in each of a batch of half-spaces.

        Parameters
        ----------
        normals, offsets, strict
            As in `query_halfspace`.

        Returns
        -------
        ndarray of int64, shape (q,)
            The numbers of points.  Subtrees that lie inside are counted without being read, so
            that this is much cheaper than reporting when there are many hits.

        Raises
        ------
        TypeError, ValueError
            As `query_halfspace`.
        """
        asked = self._half_spaces(normals, offsets, strict)
        engine = self._engine_for(asked, Wish(listed=False))
        counts = engine.count_in_pieces(asked)
        self._learn(engine, asked, int(counts.sum()), Wish(listed=False))
        return counts

    def mask_halfspace(self, normals: object, offsets: object, *, strict: bool = True) -> BoolArray:
        """Mark the points in each of a batch of half-spaces.

        Parameters
        ----------
        normals, offsets, strict
            As in `query_halfspace`.

        Returns
        -------
        ndarray of bool, shape (q, id_bound)
            Whether query ``i`` reports the point with id ``r``; columns of removed ids are false.

        Raises
        ------
        TypeError, ValueError
            As `query_halfspace`.
        """
        asked = self._half_spaces(normals, offsets, strict)
        table = np.zeros((len(asked.offsets), self.id_bound), dtype=np.bool_)
        engine = self._engine_for(asked, Wish())
        pieces = engine.report_in_pieces(asked, sort=False, ids_at_once=_IDS_TO_MARK)
        marked = 0
        for queries, hits in pieces:
            for row, ids in zip(table[queries], hits.split(), strict=True):
                row[ids] = True
            marked += len(hits.indices)
        self._learn(engine, asked, marked, Wish())
        return table

    def aggregate_halfspace(
        self, normals: object, offsets: object, weights: object, *, strict: bool = True
    ) -> HalfspaceAggregates:
        """Sum over the points in each of a batch of half-spaces, without listing them.

        Parameters
        ----------
        normals, offsets
            As in `query_halfspace`.
        weights : array-like, shape (m,)
            A weight for each stored point, in the order of `ids`.
        strict : bool, default True
            Sum where ``<p_r, x> + bias_r > c`` or, if false, ``>=``.

        Returns
        -------
        HalfspaceAggregates
            How many points each query finds, and the sums of their weights ``a_r``, of ``a_r b_r``
            and of ``a_r p_r``: with the weights of a network, the parts of its value and its
            gradient.  The set that is summed is the one that `query_halfspace` reports; the sums
            are float64, in no promised order.

        Raises
        ------
        TypeError, ValueError
            As `query_halfspace`, and if `weights` are not finite numbers, one for each point, or so
            large that sums could overflow.

        Notes
        -----
        For up to 4 coordinates, the bias counted, and at least 4096 points an
        :class:`~sublinear_lib.halfspace.AggregateTree` adds up whole subtrees, which is sublinear
        however many points are inside.  It is kept with the index (``8 (2 d + 4)`` bytes per point
        or so, in addition to the memory of the index itself) for further queries with the same
        weights, follows `update`, and is made anew after `insert` and `remove`.  In
        more dimensions the points are reported and added up.  Source: Equation (2) and its
        gradient.

        Examples
        --------
        >>> index = HalfspaceIndex([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
        >>> sums = index.aggregate_halfspace([[1.0, 0.0]], 0.5, weights=[1.0, -1.0, 2.0])
        >>> sums.counts, sums.weight_sums, sums.point_sums
        (array([2]), array([3.]), array([[2.2, 1.6]]))
        """
        asked = self._half_spaces(normals, offsets, strict)
        factors = validation.float_array(weights, "weights", shape=(len(self),), allow_empty=True)
        return self._sums.aggregate(self._engine, asked, factors)

    # -- INSERT, REMOVE, UPDATE ----------------------------------------------------------------

    def insert(self, points: object, bias: object = None) -> IntArray:
        """Add points.

        Parameters
        ----------
        points : array-like, shape (k, d)
            The new points.
        bias : array-like, shape (k,), optional
            Their biases: needed if the index has biases, not allowed otherwise.

        Returns
        -------
        ndarray of int64, shape (k,)
            The new ids, ascending; an id is never given out twice.

        Raises
        ------
        TypeError, ValueError
            If an argument is of the wrong type, shape or value; the index is unchanged.

        Notes
        -----
        Source: INSERT in Algorithm 2.
        """
        array, biases = self._store.read_new(points, bias, "index")
        refuse_too_many(self._store.next_id + len(array), "an index")
        ids = np.arange(self._store.next_id, self._store.next_id + len(array))
        if len(array):
            rows = self._store.append(array, biases)
            self._sums.forget()
            if not self._changed_engine():
                self._engine.insert(rows)
        return ids

    def remove(self, ids: object) -> None:
        """Remove points.

        Parameters
        ----------
        ids : array-like of int, shape (k,)
            Their ids, each once.

        Raises
        ------
        TypeError, ValueError
            If `ids` are not distinct ids of stored points; the index is unchanged.

        Notes
        -----
        Source: REMOVE in Algorithm 2.
        """
        rows = self._store.read_ids(ids)
        if not len(rows):
            return
        self._store.discard(rows)
        self._sums.forget()
        if self._store.crowded_by_tombstones:
            self._store.compact()
            if not self._changed_engine():
                self._engine.rebuild()
        elif not self._changed_engine():
            self._engine.remove(rows)

    def update(self, ids: object, points: object, bias: object = None) -> None:
        """Move points.

        Parameters
        ----------
        ids : array-like of int, shape (k,)
            The ids of the points to move, each once.
        points : array-like, shape (k, d)
            Where to.
        bias : array-like, shape (k,), optional
            Their new biases; by default the old ones are kept.

        Raises
        ------
        TypeError, ValueError
            If an argument is of the wrong type, shape or value, or if `ids` are not distinct ids of
            stored points; the index is unchanged.

        Notes
        -----
        Source: Algorithm 1 removes a neuron and inserts it again when its weights have changed;
        moving it in place keeps its id.  The points stay in the blocks
        in which the last build put them and the bounds of the blocks are taken anew, so that
        answers are exact, and queries slow down a little as neighbors drift apart; where the engine
        finds that they have drifted too far it builds anew.
        """
        rows, array, biases = self._store.read_moves(ids, points, bias, "index")
        if len(rows):
            self._store.move(rows, array, biases)
            self._sums.note(rows)
            self._engine.update(rows)

    def rebuild(self) -> None:
        """Build the structure anew, as INIT would for the points now stored.

        Notes
        -----
        Ids stay, and so do the answers; what removed points left behind is given back, and
        ``method="auto"`` chooses its engine without regard to the present one.  Structures rebuild
        themselves before changes can slow queries down by much: call this after moving many points
        and before many queries, to have the cost at a time of one's own choosing.  It costs as much
        as making the index: ``O(m d)`` for the scan, ``O(m d + m log m)`` for the cap prefix,
        ``O(m d log m)`` for the tree.
        """
        self._store.compact()
        self._sums.forget()
        best = self._best_engine(None)
        if best != self._engine.name:
            self._engine = self._make(best)
            return
        self._engine.rebuild()
        if self._chooser is not None:
            self._chooser.keep(self._engine)

    # -- files and copies ----------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a file; an interrupted write leaves an older file untouched.

        Parameters
        ----------
        path : str or path-like
            The file, conventionally ``*.npz``; it is written under exactly this name.

        Raises
        ------
        OSError
            If the file cannot be written.

        See Also
        --------
        load : The inverse.
        """
        rows = self._store.live_rows()
        bias = None if self._store.bias is None else self._store.bias[rows]
        saving.write(
            path,
            saving.Contents(
                points=self._store.points[rows],
                bias=bias,
                ids=self.ids,
                next_id=self.id_bound,
                method=self._method,
                domain=self._domain,
                leaf_size=self._leaf_size,
            ),
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, kernels: str = "auto") -> HalfspaceIndex:
        """Read an index written by `save`.

        Parameters
        ----------
        path : str or path-like
            The file.
        kernels : {"auto", "numba", "numpy"}, default "auto"
            The inner loops, as for a new index: they are not part of the file.

        Returns
        -------
        HalfspaceIndex
            An index with the same points, ids and answers; the next id is the same as well.  The
            structure is built anew and the counters of `stats` start again.

        Raises
        ------
        OSError
            If the file cannot be opened (`FileNotFoundError` if there is none).
        TypeError, ValueError
            If `kernels` is not one of the names.  `ValueError` also if the file is truncated or
            corrupt, was not written by `save`, comes from a newer version of the format, or holds
            arrays that make no index; the message names file and reason.

        Notes
        -----
        Nothing in the file is executed: pickled content is refused.
        """
        choose(kernels)
        contents = saving.read(path)
        try:
            refuse_too_many(contents.next_id, "an index")
            index = cls(
                contents.points,
                contents.bias,
                method=contents.method,
                domain=contents.domain,
                leaf_size=contents.leaf_size,
                kernels=kernels,
            )
        except ValueError as error:
            raise saving.refusal(path, f"its contents make no index: {error}") from error
        index._store.number(contents.ids, contents.next_id)
        return index

    def copy(self) -> HalfspaceIndex:
        """Return an index of its own with the same points, ids and structure.

        Returns
        -------
        HalfspaceIndex
            The copy; the two can be changed independently.
        """
        return copy.deepcopy(self)

    def __copy__(self) -> HalfspaceIndex:
        """Return `copy`: two indices that shared their points would spoil each other."""
        return self.copy()

    # -- what there is -------------------------------------------------------------------------

    @property
    def d(self) -> int:
        """The dimension of the points, the bias not counted."""
        return self._store.d

    @property
    def ids(self) -> IntArray:
        """The ids of the stored points, ascending, shape (m,)."""
        return self._store.ids

    @property
    def id_bound(self) -> int:
        """One more than the largest id ever given out."""
        return self._store.next_id

    def stats(self) -> IndexStats:
        """Return the engine, the sizes and the work done so far.

        Returns
        -------
        IndexStats
            Counters start again when ``method="auto"`` changes the engine.
        """
        work = self._engine.work
        return IndexStats(
            engine=self._engine.name,
            kernels=self._kernels.name,
            m=len(self),
            d=self.d,
            memory=self._store.memory + self._engine.memory + self._sums.memory,
            height=self._engine.height,
            rebuilds=self._engine.rebuilds,
            nodes_visited=work.nodes_visited,
            points_tested=work.points_tested,
            points_reported_untested=work.points_reported_untested,
            pairs_settled=work.pairs_settled,
            reason="asked for" if self._chooser is None else self._chooser.reason,
        )

    def __len__(self) -> int:
        """Return the number of stored points."""
        return self._store.live

    def __repr__(self) -> str:
        """Return the engine, the sizes and the memory."""
        stats = self.stats()
        bias = ", biased" if self._store.biased else ""
        if self._domain is not None:
            bias += f", domain={self._domain!r}"
        return (
            f"HalfspaceIndex(m={stats.m}, d={stats.d}{bias}, engine={stats.engine!r}, "
            f"kernels={stats.kernels!r}, memory={stats.memory / 2**20:.1f} MiB)"
        )

    # -- behind the scenes ---------------------------------------------------------------------

    def _best_engine(self, present: str | None) -> str:
        return self._method if self._chooser is None else self._chooser.choose(present)

    def _make(self, name: str) -> Engine:
        if name == "tree":
            return BoxTree(self._store, self._kernels, self._leaf_size, self._domain)
        if name == "cap":
            return CapPrefix(self._store, self._kernels)
        return Scan(self._store, self._kernels, self._domain)

    def _changed_engine(self) -> bool:
        """Take another engine if the number of points now asks for it."""
        best = self._best_engine(self._engine.name)
        if best == self._engine.name:
            return False
        self._engine = self._make(best)
        return True

    def _engine_for(self, asked: HalfSpaces, wish: Wish) -> Engine:
        """Return the engine to put queries to; for very many of them, think about it first."""
        engine = self._engine
        if self._chooser is None:
            return engine
        best = self._chooser.before(engine, asked, wish, self._make)
        if best is not engine:
            self._engine = best
        return best

    def _learn(self, engine: Engine, asked: HalfSpaces, hits: int, wish: Wish) -> None:
        """Let the choice of the engine follow what is asked."""
        if self._chooser is None:
            return
        best = self._chooser.after(engine, asked, hits, wish, self._make)
        if best is not engine:
            self._engine = best

    def _half_spaces(self, normals: object, offsets: object, strict: object) -> HalfSpaces:
        return read_half_spaces(normals, offsets, strict, self.d, self._domain)


def _check_buffer(out: object, asked: HalfSpaces) -> None:
    """Refuse a buffer that cannot take ids, whatever its length."""
    wanted = "out must be a contiguous writable vector of dtype int32"
    if not isinstance(out, np.ndarray):
        raise TypeError(f"{wanted}, got {type(out).__name__}")
    if out.dtype != np.int32:
        raise TypeError(f"{wanted}, got dtype {out.dtype}")
    if out.ndim != 1:
        raise ValueError(f"{wanted}, got shape {out.shape}")
    if not out.flags.c_contiguous:
        raise ValueError(f"{wanted}, got strides {out.strides}")
    if not out.flags.writeable:
        raise ValueError(f"{wanted}, got a read-only array")
    if np.may_share_memory(out, asked.normals) or np.may_share_memory(out, asked.offsets):
        raise ValueError(f"{wanted} apart from normals and offsets, got one that overlaps them")
