r"""Small hypergraphs and their colorings, by trying all.

A *proper* coloring of a hypergraph gives no edge one color.  Whether two colors suffice is hard to
decide in general (Lovász 1973), and ``hardness`` turns every such question into one about networks
of two neurons.  Before changing `coloring`, know that it is the independent judge of that
reduction: it knows nothing of networks or programs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sublinear_lib._arguments import Count, checked, described
from sublinear_lib._typing import Seed
from sublinear_lib.validation import count, generator

__all__ = [
    "Hypergraph",
    "coloring",
    "complete_graph",
    "count_colorings",
    "cycle",
    "fano",
    "random_hypergraph",
]


@dataclass(frozen=True)
class Hypergraph:
    """Vertices ``0, ..., V - 1`` and edges that join two or three of them.

    Parameters
    ----------
    vertices : int
        The number V of vertices, at least 1.
    edges : sequence of sequences of int
        The edges, each of 2 or 3 different vertices, none twice.  They are kept as a tuple of
        sorted tuples, in the order given.

    Raises
    ------
    TypeError
        If `vertices` or a vertex of an edge is not an integer.
    ValueError
        If there is no vertex, an edge has another size, names a vertex that does not exist or one
        vertex twice, or is there twice.

    Examples
    --------
    >>> Hypergraph(3, [(0, 1), (2, 1)])
    Hypergraph(vertices=3, edges=((0, 1), (1, 2)))
    >>> Hypergraph(3, [(0, 3)])
    Traceback (most recent call last):
        ...
    ValueError: edges must name vertices from 0 to 2, got 3 in edge 0, (0, 3)
    """

    vertices: int
    edges: Sequence[Sequence[int]]

    def __post_init__(self) -> None:
        """Check the edges and sort the vertices of each."""
        vertices = count(self.vertices, "vertices")
        seen: dict[tuple[int, ...], int] = {}
        for place, edge in enumerate(self.edges):
            given = tuple(edge)
            if len(given) not in (2, 3):
                raise ValueError(
                    f"edges must have 2 or 3 vertices, got {len(given)} in edge {place}, {given}"
                )
            for vertex in given:
                if isinstance(vertex, bool) or not isinstance(vertex, int | np.integer):
                    raise TypeError(
                        f"edges must name vertices by integers, got {vertex!r} in edge {place}"
                    )
                if not 0 <= vertex < vertices:
                    raise ValueError(
                        f"edges must name vertices from 0 to {vertices - 1}, "
                        f"got {vertex} in edge {place}, {given}"
                    )
            key = tuple(sorted(int(vertex) for vertex in given))
            if len(set(key)) < len(key):
                raise ValueError(f"edges must not name a vertex twice, got {given} as edge {place}")
            if key in seen:
                raise ValueError(
                    f"edges must differ, got {key} as edge {seen[key]} and as edge {place}"
                )
            seen[key] = place
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "edges", tuple(seen))

    @property
    def largest_edge(self) -> int:
        """Size of the largest edge; 2 if there is none."""
        return max((len(edge) for edge in self.edges), default=2)

    @described
    def one_colored(self, colors: Sequence[int]) -> tuple[int, ...] | None:
        """Find an edge whose vertices all have one color.

        Here `colors`: A color for every vertex.

        The first such edge; None if the coloring is proper.

        Raises ValueError: if there are not V colors.
        """
        if len(colors) != self.vertices:
            raise ValueError(
                f"colors must hold {self.vertices} numbers, one for a vertex, got {len(colors)}"
            )
        for edge in self.edges:
            if len({colors[vertex] for vertex in edge}) == 1:
                return tuple(edge)
        return None


def fano() -> Hypergraph:
    """Build the Fano plane: seven points, seven lines of three, no proper 2-coloring.

    The lines ``{i, i + 1, i + 3}`` modulo 7: the smallest 3-uniform hypergraph without such a
    coloring.

    >>> coloring(fano()) is None
    True
    """
    return Hypergraph(7, [(i, (i + 1) % 7, (i + 3) % 7) for i in range(7)])


@checked
def complete_graph(k: Count) -> Hypergraph:
    """Build the graph of k vertices in which every two are joined.

    It has a proper 2-coloring if and only if ``k <= 2``.
    """
    return Hypergraph(k, list(itertools.combinations(range(k), 2)))


def cycle(k: int) -> Hypergraph:
    """Build the cycle of k >= 3 vertices; it has a proper 2-coloring if and only if k is even."""
    k = count(k, "k", minimum=3)
    return Hypergraph(k, [(i, (i + 1) % k) for i in range(k)])


def random_hypergraph(vertices: int, edges: int, rng: Seed) -> Hypergraph:
    """Draw different edges of three vertices, each set of them equally likely."""
    vertices = count(vertices, "vertices", minimum=3)
    possible = list(itertools.combinations(range(vertices), 3))
    edges = count(edges, "edges", minimum=0, maximum=len(possible))
    chosen = generator(rng).choice(len(possible), size=edges, replace=False)
    return Hypergraph(vertices, [possible[place] for place in sorted(chosen.tolist())])


def _proper(h: Hypergraph) -> Iterator[tuple[int, ...]]:
    every = itertools.product((0, 1), repeat=h.vertices)
    return (colors for colors in every if h.one_colored(colors) is None)


def coloring(h: Hypergraph) -> tuple[int, ...] | None:
    """Find a coloring with two colors in which no edge has one color, by trying all.

    The first one in lexicographic order.  The time is exponential in V; for hypergraphs with edges
    of three vertices the problem is NP-complete (Lovász 1973; *set splitting* in Garey and Johnson
    1979).

    >>> coloring(cycle(4)), coloring(cycle(5))
    ((0, 1, 0, 1), None)
    """
    return next(_proper(h), None)


def count_colorings(h: Hypergraph) -> int:
    """Count the colorings with two colors in which no edge has one color, by trying all.

    >>> count_colorings(cycle(4)), count_colorings(cycle(5)), count_colorings(fano())
    (2, 0, 0)
    """
    if h.vertices > 20:
        raise ValueError(
            f"h must have at most 2**20 colorings, got 2**{h.vertices} = {2**h.vertices}"
        )
    return sum(1 for _ in _proper(h))
