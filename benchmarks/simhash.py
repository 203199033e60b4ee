"""SimHash: locality-sensitive hashing by random hyperplanes, as SLIDE finds its active neurons.

The signs of ``K`` random projections are the key of a bucket, and ``L`` tables with projections of
their own are asked.  Two vectors at angle ``theta`` have a sign in common with probability ``1 -
theta / pi``, so a point is found with probability

    1 - (1 - (1 - theta / pi)**K)**L,

below one at every angle but zero; the points that are missed most are those near the threshold.
The candidates are filtered by their scores.  The lookup is compiled (:mod:`benchmarks.loops`)
wherever the loops of the library are.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib import validation
from sublinear_lib._typing import FloatArray, IntArray, Seed
from sublinear_lib.evaluation import kernels_in_use
from sublinear_lib.halfspace import HalfspaceHits

_MOST_BITS = 62
_MOST_DIRECT = 16
"""Bits up to which a table knows where each of its buckets begins; beyond, it searches."""


class SimHash:
    """Hash tables over the signs of random projections.

    - ``points``: The points, finite, ``m >= 1``.
    - ``bits``: Signs in a key, K, from 1 to 62.
    - ``tables``: Number of tables, L, ``>= 1``.
    - ``rng``: Source of the projections.

    Notes
    -----
    Source: Charikar, *Similarity estimation techniques from rounding algorithms*, 2002, for the
    hash; SLIDE (Chen and others, 2020) for its use on neurons.

    Examples
    --------
    >>> hashed = SimHash([[1.0, 0.0], [-1.0, 0.0]], bits=4, tables=3, rng=0)
    >>> hashed.query_halfspace([[2.0, 0.0]], 0.5).split()[0].tolist()
    [0]
    """

    def __init__(self, points: object, *, bits: int, tables: int, rng: Seed) -> None:
        array = validation.float_array(points, "points", shape=("m", "d"))
        self._points = array.copy()
        self._bits = validation.count(bits, "bits", maximum=_MOST_BITS)
        self._tables = validation.count(tables, "tables")
        generator = validation.generator(rng)
        self._normals = generator.standard_normal((self._tables, array.shape[1], self._bits))
        self._out = np.empty(0, dtype=np.int32)
        self._file()

    def _file(self) -> None:
        """Put every point into its buckets."""
        keys = self._keys(self._points)
        order = np.argsort(keys, axis=1, kind="stable")
        self._sorted = np.take_along_axis(keys, order, axis=1)
        self._order = order.astype(np.int32)
        self._begins: IntArray | None = None
        if self._bits <= _MOST_DIRECT:
            every = np.arange((1 << self._bits) + 1)
            self._begins = np.array([np.searchsorted(each, every) for each in self._sorted])

    def refit(self, points: object) -> None:
        """Move all points, and put them into their buckets again; the projections stay."""
        m, d = self._points.shape
        self._points = validation.float_array(points, "points", shape=(m, d)).copy()
        self._file()

    def _keys(self, vectors: FloatArray) -> IntArray:
        """Return the bucket of each vector in each table, shape (L, k)."""
        weights = np.int64(1) << np.arange(self._bits, dtype=np.int64)
        keys = np.empty((self._tables, len(vectors)), dtype=np.int64)
        for table, normals in enumerate(self._normals):
            keys[table] = (vectors @ normals > 0.0) @ weights
        return keys

    def candidates(self, normals: object) -> HalfspaceHits:
        """Return the points that share a bucket with each query."""
        return _hits(self._candidates(self._vectors(normals)))

    def query_halfspace(self, normals: object, offsets: float) -> HalfspaceHits:
        """Report the candidates whose score exceeds the offset."""
        vectors = self._vectors(normals)
        level = validation.scalar(offsets, "offsets")
        if kernels_in_use() == "numba":
            return self._looked_up(vectors, level)
        return _hits(
            [
                rows[self._points[rows] @ vector > level]
                for rows, vector in zip(self._candidates(vectors), vectors, strict=True)
            ]
        )

    def _vectors(self, normals: object) -> FloatArray:
        d = self._points.shape[1]
        return validation.float_array(normals, "normals", shape=("q", d), allow_empty=True)

    def _buckets(self, vectors: FloatArray) -> tuple[IntArray, IntArray]:
        """Return where the bucket of each vector begins and ends in each table, shape (L, k)."""
        keys = self._keys(vectors)
        if self._begins is not None:
            tables = np.arange(self._tables)[:, None]
            return self._begins[tables, keys], self._begins[tables, keys + 1]
        begin, end = np.empty_like(keys), np.empty_like(keys)
        for table, bucket in enumerate(self._sorted):
            begin[table] = np.searchsorted(bucket, keys[table], side="left")
            end[table] = np.searchsorted(bucket, keys[table], side="right")
        return begin, end

    def _looked_up(self, vectors: FloatArray, level: float) -> HalfspaceHits:
        from benchmarks.loops import look_up

        begin, end = self._buckets(vectors)
        indptr = np.zeros(len(vectors) + 1, dtype=np.int64)
        seen = np.empty(len(self._points), dtype=np.int32)
        given = (self._order, begin, end, self._points, vectors, level, seen, indptr)
        found = look_up(*given, self._out)
        if found > len(self._out):
            self._out = np.empty(2 * found, dtype=np.int32)
            found = look_up(*given, self._out)
        return HalfspaceHits(indptr, self._out[:found].copy())

    def _candidates(self, vectors: FloatArray) -> list[IntArray]:
        begin, end = self._buckets(vectors)
        return [
            np.unique(
                np.concatenate([order[i:j] for order, i, j in zip(self._order, *ends, strict=True)])
            )
            for ends in zip(begin.T, end.T, strict=True)
        ]


def _hits(found: list[IntArray]) -> HalfspaceHits:
    indptr = np.zeros(len(found) + 1, dtype=np.int64)
    np.cumsum([len(rows) for rows in found], out=indptr[1:])
    rows = np.concatenate(found) if found else np.empty(0, dtype=np.int64)
    return HalfspaceHits(indptr, rows.astype(np.int32))
