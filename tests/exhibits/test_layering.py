"""A layered drawing: arrows to the right, nodes apart, few crossings, the same every time."""

import itertools
import random

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.exhibits.layering import layered


def random_graph(nodes, edges, seed):
    chance = random.Random(seed)
    graph = nx.DiGraph()
    graph.add_nodes_from(f"n{k}" for k in range(nodes))
    for _ in range(edges):
        start, end = sorted(chance.sample(range(nodes), 2))
        graph.add_edge(f"n{start}", f"n{end}")
    return graph


@given(st.integers(2, 14), st.integers(1, 24), st.integers(0, 99))
@settings(max_examples=40)
def test_every_promise_holds_for_random_graphs(nodes, edges, seed):
    graph = random_graph(nodes, edges, seed)
    drawn = layered(graph)
    assert set(drawn.places) == set(graph) and set(drawn.routes) == set(graph.edges)
    for (start, end), route in drawn.routes.items():
        assert route[0] == drawn.places[start] and route[-1] == drawn.places[end]
        assert [layer for layer, _ in route] == list(range(route[0][0], route[-1][0] + 1))
        assert len(route) >= 2
    for layer in range(drawn.layers):
        heights = sorted(y for x, y in drawn.places.values() if x == layer)
        assert all(b - a >= 1 - 1e-6 for a, b in itertools.pairwise(heights))
    heights = [y for route in drawn.routes.values() for _, y in route]
    assert min([*heights, *(y for _, y in drawn.places.values())]) == 0
    assert layered(random_graph(nodes, edges, seed)) == drawn


def test_arrows_pass_nodes_at_a_distance_and_cross_only_where_they_must():
    drawn = layered(nx.DiGraph([("a", "b"), ("b", "c"), ("a", "c")]))
    assert abs(drawn.routes["a", "c"][1][1] - drawn.places["b"][1]) >= 0.5
    graph = nx.DiGraph()
    graph.add_nodes_from([f"a{k}" for k in range(10)] + [f"b{k}" for k in range(10)])
    graph.add_edges_from((f"a{k}", f"b{9 - k}") for k in range(10))
    drawn = layered(graph)
    assert drawn.crossings == 0
    assert all(route[0][1] == route[-1][1] for route in drawn.routes.values()), "not level"
    assert layered(nx.DiGraph([(a, b) for a in "xy" for b in "pq"])).crossings == 1
    graph = nx.DiGraph([("a", "b"), ("b", "c"), ("c", "d"), ("late", "d")])
    assert layered(graph).places["late"][0] == 2, "a source stands beside what it is used for"


def test_a_graph_with_a_circle_or_without_nodes_is_refused():
    with pytest.raises(ValueError, match="no circle"):
        layered(nx.DiGraph([("a", "b"), ("b", "a")]))
    with pytest.raises(ValueError, match="must have a node"):
        layered(nx.DiGraph())
