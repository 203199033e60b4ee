"""A place for every node of a graph without circles: layers from left to right, few crossings.

The picture is the classical one of Sugiyama: long arrows pass through the layers between in places
of their own, means of both directions order a layer, and a linear program makes arrows level.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
from scipy.optimize import linprog

_SWEEPS = 24
_SLIM = 0.55  # the room of a passing arrow, in units of the room of a node


@dataclass(frozen=True)
class Layout:
    """Where the nodes and the arrows of a graph lie.

    Places are layers, ``>= 0``, and heights in units of one node; the route of an edge has the
    points that it passes, both ends included, from left to right.
    """

    places: dict[str, tuple[int, float]]
    routes: dict[tuple[str, str], list[tuple[int, float]]]
    layers: int
    height: float
    crossings: int


def layered(graph: nx.DiGraph) -> Layout:
    """Lay out a graph without circles in layers; an edge points to the node farther right.

    >>> layered(nx.DiGraph([("a", "c"), ("b", "c")])).places
    {'a': (0, 0.0), 'c': (1, 0.0), 'b': (0, 1.0)}
    """
    if not graph:
        raise ValueError("graph must have a node, got none")
    if not nx.is_directed_acyclic_graph(graph):
        raise ValueError("graph must have no circle")
    layer_of = _layers(graph)
    columns, chains = _columns(graph, layer_of)
    neighbors = _neighbors(chains)
    best = _ordered(columns, neighbors)
    heights = _heights(best, chains.values())
    lowest = min(heights.values())
    heights = {node: round(value - lowest, 3) + 0.0 for node, value in heights.items()}
    return Layout(
        places={node: (layer_of[node], heights[node]) for node in graph},
        routes={
            edge: [(layer_of[edge[0]] + k, heights[node]) for k, node in enumerate(chain)]
            for edge, chain in chains.items()
        },
        layers=len(columns),
        height=max(heights.values()),
        crossings=_crossings(best, neighbors),
    )


_Node = Hashable


def _layers(graph: nx.DiGraph) -> dict[str, int]:
    """Put each node right of all that point to it; sources close to what they point to."""
    layer_of: dict[str, int] = {}
    for number, generation in enumerate(nx.topological_generations(graph)):
        layer_of.update(dict.fromkeys(generation, number))
    for node in reversed(list(nx.topological_sort(graph))):
        if graph.in_degree(node) == 0 and graph.out_degree(node):
            layer_of[node] = min(layer_of[after] for after in graph.successors(node)) - 1
    return layer_of


def _columns(
    graph: nx.DiGraph, layer_of: dict[str, int]
) -> tuple[list[list[_Node]], dict[tuple[str, str], list[_Node]]]:
    """Return the nodes of each layer, and for each edge its way through the layers."""
    columns: list[list[_Node]] = [[] for _ in range(max(layer_of.values()) + 1)]
    for node in graph:
        columns[layer_of[node]].append(node)
    chains: dict[tuple[str, str], list[_Node]] = {}
    for start, end in graph.edges:
        between: list[_Node] = [
            (start, end, layer) for layer in range(layer_of[start] + 1, layer_of[end])
        ]
        for node, layer in zip(between, range(layer_of[start] + 1, layer_of[end]), strict=True):
            columns[layer].append(node)
        chains[start, end] = [start, *between, end]
    return columns, chains


def _neighbors(chains: dict[Any, list[_Node]]) -> dict[str, dict[_Node, list[_Node]]]:
    """Return who stands beside whom, on the left and on the right."""
    beside: dict[str, dict[_Node, list[_Node]]] = {"left": {}, "right": {}}
    for chain in chains.values():
        for one, two in itertools.pairwise(chain):
            beside["right"].setdefault(one, []).append(two)
            beside["left"].setdefault(two, []).append(one)
    return beside


def _ordered(
    columns: list[list[_Node]], beside: dict[str, dict[_Node, list[_Node]]]
) -> list[list[_Node]]:
    """Sweep back and forth, each layer in the order of the means of its neighbors."""
    current = [list(column) for column in columns]
    best, fewest = current, _crossings(current, beside)
    for sweep in range(_SWEEPS):
        side = "left" if sweep % 2 == 0 else "right"
        numbers = range(1, len(current)) if side == "left" else range(len(current) - 2, -1, -1)
        for number in numbers:
            other = current[number - 1 if side == "left" else number + 1]
            place = {node: float(k) for k, node in enumerate(other)}
            own = {node: float(k) for k, node in enumerate(current[number])}
            scale = max(1, len(other)) / max(1, len(own))
            keys = {
                node: statistics.fmean(place[each] for each in beside[side][node])
                if node in beside[side]
                else own[node] * scale
                for node in own
            }
            current[number] = sorted(own, key=lambda node: (keys[node], own[node]))
        current = [list(column) for column in current]
        count = _crossings(current, beside)
        if count < fewest:
            best, fewest = current, count
    return best


def _crossings(
    columns: Sequence[Sequence[_Node]], beside: dict[str, dict[_Node, list[_Node]]]
) -> int:
    """Count the pairs of arrows between neighboring layers that cross."""
    total = 0
    for left, right in itertools.pairwise(columns):
        place = {node: k for k, node in enumerate(right)}
        ends = [
            end for node in left for end in sorted(place[n] for n in beside["right"].get(node, []))
        ]
        total += sum(first > second for first, second in itertools.combinations(ends, 2))
    return total


def _heights(columns: list[list[_Node]], chains: Iterable[list[_Node]]) -> dict[_Node, float]:
    """Make arrows as level as possible: a linear program, their order and their room given."""
    number = {node: k for k, node in enumerate(itertools.chain(*columns))}
    pieces = [pair for chain in chains for pair in itertools.pairwise(chain)]
    size, last = len(number) + len(pieces), len(number)
    # A passing arrow should be straight first of all.
    stiff = {0: 1.0, 1: 2.0, 2: 8.0}
    weights = [stiff[sum(isinstance(end, tuple) for end in pair)] for pair in pieces]
    rows: list[list[tuple[int, float]]] = []
    limits: list[float] = []
    for k, (one, two) in enumerate(pieces, start=last):
        # The length of a piece is at least the difference of its ends, either way.
        rows += [[(number[one], sense), (number[two], -sense), (k, -1.0)] for sense in (1.0, -1.0)]
        limits += [0.0, 0.0]
    for column in columns:
        for above, below in itertools.pairwise(column):
            rows.append([(number[above], 1.0), (number[below], -1.0)])
            limits.append(-(_room(above) + _room(below)) / 2)
    matrix = np.zeros((len(rows), size))
    for k, row in enumerate(rows):
        for place, value in row:
            matrix[k, place] = value
    solved = linprog(
        # Among equally level drawings the one that stays near the top.
        np.array([1e-3] * last + weights),
        A_ub=matrix,
        b_ub=np.array(limits),
        bounds=(0.0, None),
        method="highs-ds",
    )
    heights = np.asarray(solved.x, dtype=np.float64)
    return {node: float(heights[k]) for node, k in number.items()}


def _room(node: _Node) -> float:
    return _SLIM if isinstance(node, tuple) else 1.0
