"""Convex layers: half-plane reporting in logarithmic time per layer, Corollary 5.2 for d = 2.

The second regime of Corollary 5.2 promises queries in ``O(log m + k)``.  In the plane its structure
is an onion: the convex hull of the points, the hull of what remains without it, and so on inwards
(Chazelle, Guibas and Lee 1985).  Every deeper point lies in the hull of every outer layer; hence a
half-plane that contains no vertex of a layer contains no point of any deeper one, and a query walks
from outside in until a layer reports nothing.  In a layer, the vertex that is extreme in the
direction of the normal is found by binary search, and the vertices beyond the line are the arc
around it.  The network meets this structure when the weights lie in the plane.

What differs from the textbook:

1. *Points on the boundary belong to the layer*, not only its corners.  The stopping rule does not
   care, and ``m`` points on one line are one layer instead of ``m / 2``.  Equal points are one
   vertex with several ids.
2. *No fractional cascading.*  The textbook links the layers so that only the first binary search
   is paid; here each layer pays its own, ``O(log m)``, and the structure stays readable.
3. *Every decision is exact* (:mod:`sublinear_lib.halfspace.planar`), so that ties, huge and
   subnormal numbers cannot break a layer or a search.

Know before changing it: a layer is stored as a ring, counterclockwise from its lexicographically
smallest vertex.  The lower chain runs up to the lexicographically largest vertex, the upper chain
from there back to the first.  Along the lower chain a normal that points down sees the vertices
first rise, then fall, and so does any other normal along the upper chain; that is all the search
relies on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sublinear_lib import validation
from sublinear_lib._typing import FloatArray, Int32Array, IntArray
from sublinear_lib.halfspace.planar import (
    HalfPlane,
    PlaneStructure,
    orientation,
    orientations,
    planar_points,
)

__all__ = ["ConvexLayers", "ConvexLayersStats", "LayerVisit", "QueryTrace"]

_THIN_UNTIL = 32
_THIN_SHARE = 8


@dataclass(frozen=True)
class ConvexLayersStats:
    """What convex layers are made of and what they have done.

    Parameters
    ----------
    layers : int
        Number of layers.
    queries : int
        Half-planes asked for so far.
    layers_visited : int
        Layers that these queries looked at; all but the last of each query reported something.
    vertices_probed : int
        Comparisons of neighboring vertices in the binary searches.
    vertices_tested : int
        Vertices that were compared with the line.
    points_reported : int
        Ids reported.
    """

    layers: int
    queries: int
    layers_visited: int
    vertices_probed: int
    vertices_tested: int
    points_reported: int


@dataclass(frozen=True)
class LayerVisit:
    """What a query did in one layer; vertices are named by their smallest id.

    Parameters
    ----------
    layer : int
        The layer, 0 for the outermost.
    probed : tuple of int
        The vertices whose next neighbor the binary search compared them with, in order.
    extreme : int
        The vertex that the search found: none lies farther in the direction of the normal.
    tested : tuple of int
        The vertices that were compared with the line, in order; `extreme` is the first.
    reported : tuple of int
        The ids beyond the line, equal points included, ascending.
    """

    layer: int
    probed: tuple[int, ...]
    extreme: int
    tested: tuple[int, ...]
    reported: tuple[int, ...]


@dataclass(frozen=True)
class QueryTrace:
    """How one query walked through the layers.

    Parameters
    ----------
    visits : tuple of LayerVisit
        One for each layer looked at, from outside in.
    reported : tuple of int
        All ids reported, ascending.
    """

    visits: tuple[LayerVisit, ...]
    reported: tuple[int, ...]


class _Arc(NamedTuple):
    """What the search in one layer found, in vertices of the ring order."""

    layer: int
    probed: list[int]
    tested: list[int]
    """The extreme vertex first."""
    spans: list[tuple[int, int]]
    """The vertices beyond the line, as one or two half-open ranges."""


class ConvexLayers(PlaneStructure):
    """Exact half-plane reporting by onion peeling.

    A query that reports ``k`` points from ``j`` layers costs ``O((j + 1) log m + k)``.  Peeling
    costs ``O(m log m + m l)`` for ``l`` layers: one sort, then a pass over the remaining points for
    each.  Points spread over a disc have about ``m**(2/3)`` layers.  Memory is ``O(m)``.  The
    structure is static: it has no INSERT and REMOVE.

    Parameters
    ----------
    points : array-like, shape (m, 2)
        The points, finite; ``m = 0`` is allowed.  Copied.

    Raises
    ------
    TypeError, ValueError
        If `points` are not finite points of the plane.

    Notes
    -----
    Source: Corollary 5.2, second regime, for d = 2; Chazelle, Guibas and Lee (1985), *The power of
    geometric duality*.

    Examples
    --------
    A square around a square around a point:

    >>> layers = ConvexLayers(
    ...     [[2, 2], [-2, 2], [-2, -2], [2, -2], [1, 0], [0, 1], [-1, 0], [0, -1], [0, 0]]
    ... )
    >>> [layer.tolist() for layer in layers.layers()]
    [[2, 3, 0, 1], [6, 7, 4, 5], [8]]
    >>> layers.query_halfspace([[1.0, 0.0], [0.0, 1.0]], [0.5, 1.0])
    HalfspaceHits(2 queries, 5 ids)
    >>> layers.query_halfspace([[1.0, 0.0]], 0.5)[0]
    array([0, 3, 4], dtype=int32)
    >>> [visit.reported for visit in layers.trace([1.0, 0.0], 0.5).visits]
    [(0, 3), (4,), ()]
    """

    def __init__(self, points: object) -> None:
        array = planar_points(points)
        order = np.lexsort((array[:, 1], array[:, 0]))
        changed = np.ones(len(order), dtype=np.bool_)
        changed[1:] = (array[order[1:]] != array[order[:-1]]).any(axis=1)
        first = np.flatnonzero(changed)  # the first of equal points has the smallest id
        rings, lower = _peel(array[order[first]])

        ring = np.concatenate([*rings, np.empty(0, dtype=np.int64)])
        copies = np.diff(np.append(first, len(order)))[ring]
        self._m = len(array)
        self._vertices: FloatArray = array[order[first[ring]]]
        self._start: IntArray = np.cumsum([0, *map(len, rings)])
        self._lower: IntArray = np.array(lower, dtype=np.int64)
        self._ids_start: IntArray = np.append(0, np.cumsum(copies))
        # The ids of vertex v stand from _ids_start[v] on, ascending: an arc is one piece of _ids.
        shift = np.repeat(first[ring] - self._ids_start[:-1], copies)
        self._ids: Int32Array = order[np.arange(self._m) + shift].astype(np.int32)
        self._work = np.zeros(5, dtype=np.int64)

    query_halfspace = PlaneStructure.query_halfspace  # named here for the page of the class

    def trace(self, normal: object, offset: object, *, strict: bool = True) -> QueryTrace:
        """Answer one query and tell what it looked at, for pictures and for learning.

        Parameters
        ----------
        normal : array-like, shape (2,)
            The normal.
        offset : float
            The offset, absolute units.
        strict : bool, default True
            As in `query_halfspace`.

        Returns
        -------
        QueryTrace
            The layers visited, with the vertices probed, tested and reported in each.

        Raises
        ------
        TypeError, ValueError
            If an argument is of the wrong type, shape or value.
        """
        vector = validation.float_array(normal, "normal", shape=(2,)).tolist()
        level = validation.scalar(offset, "offset")
        arcs = list(self._walk(HalfPlane(vector, level, validation.boolean(strict, "strict"))))
        visits = tuple(
            LayerVisit(
                layer=arc.layer,
                probed=self._names(arc.probed),
                extreme=self._names(arc.tested)[0],
                tested=self._names(arc.tested),
                reported=tuple(np.sort(self._ids_of(arc)).tolist()),
            )
            for arc in arcs
        )
        return QueryTrace(visits, tuple(sorted(i for visit in visits for i in visit.reported)))

    def layers(self) -> list[Int32Array]:
        """Return the layers, from outside in.

        Returns
        -------
        list of ndarray of int32
            The ids of each layer in counterclockwise order, from the lexicographically smallest
            point on; equal points follow each other.  A layer of points on one line runs from one
            end to the other.
        """
        return np.split(self._ids.copy(), self._ids_start[self._start[1:-1]]) if self._m else []

    def stats(self) -> ConvexLayersStats:
        """Return the sizes and the work done so far.

        Returns
        -------
        ConvexLayersStats
            Queries and traces count alike.
        """
        return ConvexLayersStats(len(self._lower), *self._work.tolist())

    def __len__(self) -> int:
        """Return the number of stored points."""
        return self._m

    def __repr__(self) -> str:
        """Return the numbers of points and layers."""
        return f"ConvexLayers(m={self._m}, layers={len(self._lower)})"

    # -- behind the scenes ---------------------------------------------------------------------

    def _inside(self, plane: HalfPlane) -> Int32Array:
        return np.concatenate([self._ids[:0], *map(self._ids_of, self._walk(plane))])

    def _walk(self, plane: HalfPlane) -> Iterator[_Arc]:
        """Visit the layers from outside in, up to the first that reports nothing."""
        layers = probes = tests = reported = 0
        for layer in range(len(self._lower)):
            arc = self._search(layer, plane)
            layers += 1
            probes += len(arc.probed)
            tests += len(arc.tested)
            reported += sum(
                int(self._ids_start[stop] - self._ids_start[start]) for start, stop in arc.spans
            )
            yield arc
            if not arc.spans:
                break
        self._work += (1, layers, probes, tests, reported)

    def _search(self, layer: int, plane: HalfPlane) -> _Arc:
        """Find the vertices of one layer beyond the line."""
        start, stop = int(self._start[layer]), int(self._start[layer + 1])
        size, corner = stop - start, int(self._lower[layer]) - 1

        def at(position: int) -> tuple[float, float]:
            vertex = start + position % size
            return self._vertices.item(vertex, 0), self._vertices.item(vertex, 1)

        low, high = (0, corner) if plane.u_y < 0.0 or size == 1 else (corner, size)
        probed = []
        while low < high:  # the first vertex from which the chain does not rise
            middle = (low + high) // 2
            probed.append(start + middle % size)
            if plane.slope(at(middle), at(middle + 1)) > 0:
                low = middle + 1
            else:
                high = middle

        extreme = low % size
        tested = [start + extreme]
        if not plane.contains(*at(extreme)):
            return _Arc(layer, probed, tested, [])
        ends = []
        room = size - 1
        for step in (1, -1):
            length = 0
            while length < room:
                position = extreme + step * (length + 1)
                tested.append(start + position % size)
                if not plane.contains(*at(position)):
                    break
                length += 1
            room -= length
            ends.append(length)
        first = (extreme - ends[1]) % size
        last = first + ends[0] + ends[1] + 1
        if last <= size:
            return _Arc(layer, probed, tested, [(start + first, start + last)])
        spans = [(start + first, stop), (start, start + last - size)]
        return _Arc(layer, probed, tested, spans)

    def _ids_of(self, arc: _Arc) -> Int32Array:
        bounds = self._ids_start
        parts = [self._ids[bounds[start] : bounds[stop]] for start, stop in arc.spans]
        return np.concatenate([self._ids[:0], *parts])

    def _names(self, vertices: list[int]) -> tuple[int, ...]:
        return tuple(self._ids[self._ids_start[vertices]].tolist())


def _peel(points: FloatArray) -> tuple[list[IntArray], list[int]]:
    """Peel distinct points in lexicographic order.

    Returns the ring of each layer and the number of vertices of its lower chain, both ends counted.
    """
    rings, lower_sizes = [], []
    left = np.arange(len(points))
    peeled = np.zeros(len(points), dtype=np.bool_)
    while len(left):
        lower, upper = _chain(points, left), _chain(points, left[::-1])
        on_a_line = len(upper) > 2 and upper[1] == lower[-2]
        # On a line both chains are the whole layer; the way back is then one edge.
        ring = np.array(lower if on_a_line else lower + upper[1:-1])
        rings.append(ring)
        lower_sizes.append(len(lower))
        peeled[ring] = True
        left = left[~peeled[left]]
    return rings, lower_sizes


def _chain(points: FloatArray, way: IntArray) -> list[int]:
    """Return the part of the hull to the right of a lexicographic way through the points.

    Andrew's monotone chain.  A vertex at which the way turns right lies left of the line between
    its neighbors, whichever vertices were dropped before; so most are dropped many at a time, and
    only the rest one by one.
    """
    while len(way) > _THIN_UNTIL:
        keep = np.ones(len(way), dtype=np.bool_)
        keep[1:-1] = orientations(points[way[:-2]], points[way[1:-1]], points[way[2:]]) >= 0
        dropped = len(way) - np.count_nonzero(keep)
        way = way[keep]
        if dropped * _THIN_SHARE < len(way):
            break
    chain: list[int] = []
    places: list[tuple[float, float]] = []
    for vertex, place in zip(way.tolist(), map(tuple, points[way].tolist()), strict=True):
        while len(chain) > 1 and orientation(places[-2], places[-1], place) < 0:
            chain.pop()
            places.pop()
        chain.append(vertex)
        places.append(place)
    return chain
