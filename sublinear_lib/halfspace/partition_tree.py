"""Willard's partition tree: the first regime of Corollary 5.2 where it can be drawn, d = 2.

The first regime of Corollary 5.2 pairs linear space with sublinear queries, and its structures are
partition trees.  Willard's is the oldest and the one to start with: cut the points by a line into
halves, cut both halves into halves with one more line (a *ham-sandwich cut*, which always exists),
and go on with the four quarters.  The line of a query meets at most three of the four wedges
between two crossing lines; the fourth is reported whole or skipped whole.  Hence a query visits

    T(m) <= 3 T(m / 4) + O(1) = O(m**log_4(3)) = O(m**0.793)

nodes besides its ``k`` hits, with linear space (Willard 1982).  Later partitions reach the exponent
1/2 (Matousek 1992), and structures for half-planes alone the logarithm
(:mod:`sublinear_lib.halfspace.onion`).

What differs from the textbook:

1. *Wedges are exact.* A node stores where its two lines cross and the direction of the second line
   as float64 numbers, and these numbers *are* the wedges: a point belongs to a wedge because an
   exact predicate says so (:mod:`sublinear_lib.halfspace.planar`).  So rounding in the search for
   the cut can only make quarters unequal, never an answer wrong.
2. *Points on a cut* may go to either side, since wedges are closed; they are dealt out so that the
   halves are equal.  Duplicates and lattices are cut into quarters like any other points.
3. *Boxes.* Wedges are unbounded, and every line crosses three of the four at each node: Willard's
   query visits ``3**i`` nodes of level ``i`` even if it reports nothing.  Here each node also has
   the box around its points, which is tested first; the bound stays, most queries cost far less.
   ``boxes=False`` shows the textbook.
4. *The balance is promised up to rounding.* A child never has more than half of the points
   (rounded up), so the height is logarithmic in any case.  But quarters may be far from equal, and
   a query may visit more nodes, where the cut that halves both halves is vertical like the first
   one, or where float64 cannot find it: many points on one slanted line, or closer together than
   the rounding of the largest ones.

Know before changing it: the first cut of a node is vertical and the direction of the second points
to the right.  The wedge with the origin ``o`` is ``{o + s a + t b : s, t >= 0}`` with ``a`` up or
down and ``b`` to the right or left along the second cut; `_wedge_verdicts` relies on that, and so
no second cut may be vertical.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sublinear_lib import validation
from sublinear_lib._typing import FloatArray, Int32Array, IntArray
from sublinear_lib.halfspace.planar import HalfPlane, PlaneStructure, planar_points, sides

__all__ = ["PartitionTree", "PartitionTreeStats"]

_BISECTIONS = 50  # so that a turn never rounds to one
_SMALLEST_RUN = 2.0**-1022
_UP_OR_DOWN = (1, -1, 1, -1)
_RIGHT_OR_LEFT = (-1, -1, 1, 1)
"""The two rays of the wedges in the order left above, left below, right above, right below."""


@dataclass(frozen=True)
class PartitionTreeStats:
    """What a partition tree is made of and what it has done.

    Parameters
    ----------
    height : int
        Levels of cuts above the deepest leaf.
    nodes_visited : int
        Nodes that all queries so far looked at.
    """

    height: int
    nodes_visited: int


class _Node(NamedTuple):
    """A node: the points from `start` to before `stop`, and the cut if it is not a leaf."""

    start: int
    stop: int
    depth: int
    low: tuple[float, float] = (0.0, 0.0)
    high: tuple[float, float] = (0.0, 0.0)
    """The corners of the box around the points; without points, any point is one."""
    origin: tuple[float, float] = (0.0, 0.0)
    direction: tuple[float, float] = (1.0, 0.0)
    children: tuple[int, ...] = ()


class PartitionTree(PlaneStructure):
    """Exact half-plane reporting by Willard's partition tree.

    A query with ``k`` hits costs ``O(m**0.793 + k)``, memory is ``O(m)`` and building
    ``O(m log m)`` times the number of bisections that find a ham-sandwich cut, about ``log m``.
    The structure is static: it has no INSERT and REMOVE.

    Parameters
    ----------
    points : array-like, shape (m, 2)
        The points, finite; ``m = 0`` is allowed.  Copied.
    leaf_size : int, default 8
        The largest number of points in a leaf, ``>= 1``.
    boxes : bool, default True
        Whether queries test the box of a node before its wedges.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type, shape or value.

    Notes
    -----
    Source: Corollary 5.2, first regime, in its oldest form; Willard (1982), *Polygon retrieval*.

    Examples
    --------
    >>> grid = [[x, y] for x in range(4) for y in range(4)]
    >>> tree = PartitionTree(grid, leaf_size=1)
    >>> tree
    PartitionTree(m=16, leaf_size=1, height=2)
    >>> tree.query_halfspace([[1.0, 1.0]], 4.0)[0]
    array([11, 14, 15], dtype=int32)
    """

    def __init__(self, points: object, *, leaf_size: int = 8, boxes: bool = True) -> None:
        array = planar_points(points)
        self._leaf_size = validation.count(leaf_size, "leaf_size")
        self._boxes = validation.boolean(boxes, "boxes")
        order, self._nodes = _build(array, self._leaf_size)
        # The points below a node are consecutive.
        self._points: FloatArray = array[order]
        self._ids: Int32Array = order.astype(np.int32)
        self._visited = 0

    query_halfspace = PlaneStructure.query_halfspace  # named here for the page of the class

    def stats(self) -> PartitionTreeStats:
        """Return the sizes and the work done so far.

        Returns
        -------
        PartitionTreeStats
            The counters are those of all queries since the tree was built.
        """
        return PartitionTreeStats(max(node.depth for node in self._nodes), self._visited)

    def __len__(self) -> int:
        """Return the number of stored points."""
        return len(self._points)

    def __repr__(self) -> str:
        """Return the sizes."""
        height = self.stats().height
        return f"PartitionTree(m={len(self)}, leaf_size={self._leaf_size}, height={height})"

    # -- behind the scenes ---------------------------------------------------------------------

    def _inside(self, plane: HalfPlane) -> Int32Array:
        inside: list[tuple[int, int]] = []
        leaves: list[tuple[int, int]] = []
        stack = [0]
        while stack:
            node = self._nodes[stack.pop()]
            self._visited += 1
            verdict = _box_verdict(node, plane) if self._boxes else 0
            if verdict > 0:
                inside.append((node.start, node.stop))
            elif verdict == 0 and not node.children:
                leaves.append((node.start, node.stop))
            elif verdict == 0:
                parts = zip(node.children, _wedge_verdicts(node, plane), strict=True)
                for child, verdict in parts:
                    part = self._nodes[child].start, self._nodes[child].stop
                    if part[0] == part[1]:
                        continue
                    if verdict > 0:
                        inside.append(part)
                    elif verdict == 0:
                        stack.append(child)
        reported, tested = _positions(inside), _positions(leaves)
        hits = tested[plane.select(self._points[tested])]
        return self._ids[np.concatenate((reported, hits))]


def _box_verdict(node: _Node, plane: HalfPlane) -> int:
    """Return +1 if the box of a node lies inside the half-plane, -1 outside, 0 crossed."""
    (low_x, low_y), (high_x, high_y) = node.low, node.high
    if plane.u_x < 0.0:
        low_x, high_x = high_x, low_x
    if plane.u_y < 0.0:
        low_y, high_y = high_y, low_y
    if not plane.contains(high_x, high_y):
        return -1
    return 1 if plane.contains(low_x, low_y) else 0


def _wedge_verdicts(node: _Node, plane: HalfPlane) -> list[int]:
    """Return +1 for each wedge of a node that lies inside the half-plane, -1 outside, 0 crossed.

    A wedge lies inside if its tip does and both its rays lead further in (or along the line), and
    outside if its tip does and both lead further out.  Whatever the directions, there is a wedge of
    whose rays neither leads towards the line, so that at most three are crossed.
    """
    up = (plane.u_y > 0.0) - (plane.u_y < 0.0)
    right = plane.slope((0.0, 0.0), node.direction)
    sign = 1 if plane.contains(*node.origin) else -1
    return [
        sign if min(sign * up * vertical, sign * right * along) >= 0 else 0
        for vertical, along in zip(_UP_OR_DOWN, _RIGHT_OR_LEFT, strict=True)
    ]


def _positions(spans: list[tuple[int, int]]) -> IntArray:
    parts = [np.arange(start, stop) for start, stop in spans]
    return np.concatenate([np.empty(0, dtype=np.int64), *parts])


def _build(points: FloatArray, leaf_size: int) -> tuple[IntArray, list[_Node]]:
    """Return the points in the order of the leaves, and the nodes, parents first."""
    order = np.arange(len(points))
    nodes = [_node(points, 0, 0)]
    for number, node in enumerate(nodes):  # the list grows while it is walked
        if node.stop - node.start <= leaf_size:
            continue
        part = order[node.start : node.stop]
        origin, direction, quarters = _quarter(points[part])
        order[node.start : node.stop] = part[np.concatenate(quarters)]
        ends = node.start + np.cumsum([0, *map(len, quarters)])
        children = tuple(range(len(nodes), len(nodes) + 4))
        nodes[number] = node._replace(origin=origin, direction=direction, children=children)
        for start, stop in pairwise(ends.tolist()):
            nodes.append(_node(points[order[start:stop]], start, node.depth + 1))
    return order, nodes


def _node(points: FloatArray, start: int, depth: int) -> _Node:
    node = _Node(start, start + len(points), depth)
    if not len(points):
        return node
    low, high = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    return node._replace(low=tuple(low), high=tuple(high))


def _quarter(
    points: FloatArray,
) -> tuple[tuple[float, float], tuple[float, float], list[IntArray]]:
    """Cut points (at least two) into four wedges, as equal as rounding allows."""
    order = np.lexsort((points[:, 1], points[:, 0]))
    half = (len(points) + 1) // 2
    left, right = order[:half], order[half:]
    origin_x = float(points[left[-1], 0])
    origin_y, direction = _ham_sandwich(points, left, right)
    origin = np.array([origin_x, origin_y])
    side = sides(origin, np.array(direction), points)
    quarters = [*_deal(left, side[left]), *_deal(right, side[right])]
    return (origin_x, origin_y), direction, quarters


def _deal(part: IntArray, side: NDArray[np.int8]) -> tuple[IntArray, IntArray]:
    """Split a half into what is above and below the second cut; points on it even the numbers."""
    by_side = part[np.argsort(-side, kind="stable")]
    above, below = np.count_nonzero(side > 0), np.count_nonzero(side < 0)
    upper = min(max(len(part) // 2, above), len(part) - below)
    return by_side[:upper], by_side[upper:]


def _ham_sandwich(
    points: FloatArray, left: IntArray, right: IntArray
) -> tuple[float, tuple[float, float]]:
    """Find a line that halves two sets which a vertical line separates, as well as it can.

    Returns where it meets that vertical line, which goes through the last point of `left`, and its
    direction.  Turn a line from pointing down to pointing up: at first it leaves the left set below
    the median of the right one, in the end above, and in between it halves both (the theorem of the
    ham sandwich).  The turn is bisected, in coordinates scaled to size one.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    center = np.where(low == high, low, low / 2.0 + high / 2.0)
    exponents = np.frexp(high / 2.0 - low / 2.0)[1]
    local = np.ldexp(points - center, -exponents)
    lowest_turn, highest_turn, turn, level = -1.0, 1.0, 0.0, 0.0
    for _ in range(_BISECTIONS):
        turn = (lowest_turn + highest_turn) / 2.0
        scores = (1.0 - abs(turn)) * local[:, 1] - turn * local[:, 0]
        (left_low, left_high), (right_low, right_high) = map(
            _halving_levels, (scores[left], scores[right])
        )
        level = (max(left_low, right_low) + min(left_high, right_high)) / 2.0
        if left_low > right_high:
            highest_turn = turn
        elif right_low > left_high:
            lowest_turn = turn
        else:
            break
    # Back to the coordinates of the points; the direction stays finite and never vertical.
    run, rise = np.ldexp((1.0 - abs(turn), turn), exponents - exponents.max()).tolist()
    height = (level + turn * local[left[-1], 0]) / (1.0 - abs(turn))
    largest = np.finfo(np.float64).max
    with np.errstate(over="ignore"):
        origin_y = float(np.clip(np.ldexp(height, exponents[1]) + center[1], -largest, largest))
    return origin_y, (max(run, _SMALLEST_RUN), rise)


def _halving_levels(scores: FloatArray) -> tuple[float, float]:
    """Return between which levels numbers of size two at most are halved, up to one of them."""
    n = len(scores)
    if n == 1:
        return -4.0, 4.0
    ranks = (n // 2 - 1, (n + 1) // 2)
    ordered = np.partition(scores, ranks)
    return float(ordered[ranks[0]]), float(ordered[ranks[1]])
