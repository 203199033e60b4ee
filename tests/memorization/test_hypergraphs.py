"""Hypergraphs, their colorings, and the arguments that are refused."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.memorization import (
    Hypergraph,
    coloring,
    complete_graph,
    count_colorings,
    cycle,
    fano,
    random_hypergraph,
)

pytestmark = pytest.mark.either_way


@settings(deadline=None, max_examples=60)
@given(st.integers(3, 7), st.integers(0, 10**6), st.sampled_from([2, 3]), st.integers(1, 4))
def test_a_coloring_is_the_first_of_all_proper_ones(V: int, seed: int, size: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    most = {2: V * (V - 1) // 2, 3: V * (V - 1) * (V - 2) // 6}[size]
    h = random_hypergraph(V, int(rng.integers(0, min(most, 14) + 1)), rng, size=size)
    proper = [
        colors
        for colors in itertools.product(range(k), repeat=V)
        if all(len({colors[i] for i in edge}) > 1 for edge in h.edges)
    ]
    assert coloring(h, k) == (proper[0] if proper else None)


def test_two_points_of_the_fano_plane_lie_on_one_line() -> None:
    pairs = [pair for line in fano().edges for pair in itertools.combinations(line, 2)]
    assert sorted(pairs) == list(itertools.combinations(range(7), 2))


def test_the_fano_plane_without_a_line_is_colorable() -> None:
    for line in fano().edges:
        assert coloring(Hypergraph(7, [edge for edge in fano().edges if edge != line])) is not None


def test_edges_are_sorted_and_comparable() -> None:
    h = Hypergraph(np.int64(4), [[3, 0], (np.int64(2), 1, 0)])
    assert h == Hypergraph(4, ((0, 3), (0, 1, 2)))
    assert hash(h) == hash(Hypergraph(4, ((0, 3), (0, 1, 2))))
    assert h.largest_edge == 3
    assert Hypergraph(3, []).largest_edge == 2


def test_the_first_edge_of_one_color_is_named() -> None:
    assert cycle(4).one_colored((0, 1, 1, 0)) == (1, 2)
    with pytest.raises(ValueError, match="colors must hold 4 numbers, one for a vertex, got 3"):
        cycle(4).one_colored((0, 1, 0))


def test_random_hypergraphs_have_different_edges_and_follow_the_seed() -> None:
    h = random_hypergraph(6, 20, rng=0)
    assert h.edges == tuple(itertools.combinations(range(6), 3))
    assert random_hypergraph(9, 12, rng=3) == random_hypergraph(9, 12, rng=3)
    assert random_hypergraph(9, 12, rng=3) != random_hypergraph(9, 12, rng=4)
    assert {len(edge) for edge in random_hypergraph(5, 4, rng=1, size=2).edges} == {2}


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(0, 1), (2,)], "edges must have 2 or 3 vertices, got 1 in edge 1"),
        ([(0, 1, 2, 3)], "edges must have 2 or 3 vertices, got 4 in edge 0"),
        ([(0, 4)], "edges must name vertices from 0 to 3, got 4 in edge 0"),
        ([(0, -1)], "edges must name vertices from 0 to 3, got -1"),
        ([(0, 1, 0)], r"edges must not name a vertex twice, got \(0, 1, 0\) as edge 0"),
        ([(0, 1), (2, 3), (1, 0)], r"edges must differ, got \(0, 1\) as edge 0 and as edge 2"),
    ],
)
def test_bad_edges_are_refused(edges: list[tuple[int, ...]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Hypergraph(4, edges)


@pytest.mark.parametrize("k", range(3, 7))
def test_colorings_of_a_cycle_are_counted_by_its_chromatic_polynomial(k: int) -> None:
    for colors in (1, 2, 3):
        assert count_colorings(cycle(k), colors) == (colors - 1) ** k + (-1) ** k * (colors - 1)
        assert count_colorings(complete_graph(k), colors + 2) == math.perm(colors + 2, k)


def test_colors_are_counted_where_there_are_some_and_not_too_many() -> None:
    assert count_colorings(fano()) == 0 and coloring(fano()) is None
    assert Hypergraph(4, []).largest_edge == 2 and count_colorings(Hypergraph(4, [])) == 16
    with pytest.raises(ValueError, match="2\\*\\*21 = 2097152"):
        count_colorings(Hypergraph(21, []))
