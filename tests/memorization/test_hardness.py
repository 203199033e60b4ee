"""The gadget of a hypergraph is memorized by two neurons if and only if two colors suffice."""

from __future__ import annotations

import itertools
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sublinear_lib.memorization import (
    AffineLayer,
    Hypergraph,
    ReLUNetwork,
    certify_sign,
    coloring,
    coloring_of_network,
    complete_graph,
    count_colorings,
    cycle,
    exists_width_two,
    fano,
    gadget,
    network_of_coloring,
    random_hypergraph,
    separation,
    two_neurons,
)
from sublinear_lib.memorization.hardness import Answer
from sublinear_lib.memorization.two_neurons import robust_radii

pytestmark = pytest.mark.either_way

KINDS = ("half-spaces", "sum")
KNOWN = {
    "Fano": (fano(), False),
    "K3": (complete_graph(3), False),
    "C4": (cycle(4), True),
    "one edge": (Hypergraph(3, [(0, 1, 2)]), True),
    "no edge": (Hypergraph(2, []), True),
}


def some_hypergraph(seed: int, largest: int = 6) -> Hypergraph:
    """Draw edges of two and three vertices, about as many as colors can just bear."""
    rng = np.random.default_rng(seed)
    V = int(rng.integers(3, largest + 1))
    edges = list(itertools.combinations(range(V), 3))
    edges += list(itertools.combinations(range(V), 2))
    weights = np.where([len(edge) == 3 for edge in edges], 4.0, 1.0)
    number = min(len(edges), int(rng.integers(V - 1, 2 * V + 3)))
    chosen = rng.choice(len(edges), number, replace=False, p=weights / weights.sum())
    return Hypergraph(V, [edges[place] for place in chosen])


def proper_colorings(h: Hypergraph) -> list[tuple[int, ...]]:
    every = itertools.product(range(2), repeat=h.vertices)
    return [colors for colors in every if h.one_colored(colors) is None]


# The gadget


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6))
def test_the_gadget_has_the_points_of_the_reduction(seed: int) -> None:
    h = some_hypergraph(seed)
    V, E = h.vertices, len(h.edges)
    X, y = gadget(h)
    assert X.shape == (E + V + 3, V + 1)
    assert len(np.unique(X, axis=0)) == len(X)
    assert separation(X, y) == 1.0
    inside, outside = X[y == 2.0], X[y == 1.0]
    assert not inside[0].any()
    for point, edge in zip(inside[1:], h.edges, strict=True):
        assert tuple(np.flatnonzero(point)) == tuple(edge)
    assert np.array_equal(outside, np.vstack((np.eye(V + 1), -np.eye(V + 1)[-1:])))


# From a coloring to a network


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(KINDS))
def test_every_coloring_gives_a_network_that_is_robust_to_the_stated_radius(
    seed: int, kind: str
) -> None:
    h = some_hypergraph(seed)
    V, s = h.vertices, h.largest_edge
    for colors in proper_colorings(h)[::3]:
        share = [colors.count(t) for t in (0, 1)]
        norm = max(share[t] + (s - 1) * share[1 - t] + 1 for t in (0, 1))
        assert norm <= 2 * V + 1
        network = network_of_coloring(h, colors, kind=kind)
        assert (network.depth, network.width) == (2, 2)
        radius = min(robust_radii(network, *gadget(h)))
        if kind == "half-spaces":
            assert radius == Fraction(1, 2 * norm)
            assert radius >= Fraction(1, 2 * (2 * V + 1))
        else:
            assert Fraction(1, 4 * norm) < radius <= Fraction(1, 2 * norm)


def test_a_network_of_the_second_kind_reaches_every_budget_below_the_radius() -> None:
    h = random_hypergraph(5, 4, rng=2)
    colors = proper_colorings(h)[0]
    largest = min(robust_radii(network_of_coloring(h, colors), *gadget(h)))
    for share in (0.0, 0.5, 0.9, 0.99, 0.9999):
        budget = share * float(largest)
        network = network_of_coloring(h, colors, kind="sum", radius=budget)
        assert certify_sign(network, *gadget(h), budget).holds
    with pytest.raises(ValueError, match=r"radius must be below 1/"):
        network_of_coloring(h, colors, kind="sum", radius=float(largest) + 1e-9)


def test_the_largest_float_below_the_radius_is_a_budget_too() -> None:
    # K has to exceed 2**55, where float64 holds no odd numbers.
    h = Hypergraph(2, [(0, 1)])
    network = network_of_coloring(h, (0, 1), kind="sum", radius=1 / 6)
    assert certify_sign(network, *gadget(h), 1 / 6).holds


# From a network to a coloring


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 10**6), st.sampled_from(KINDS), st.floats(0.0, 0.3), st.booleans())
def test_a_network_moved_about_still_hides_a_proper_coloring(
    seed: int, kind: str, noise: float, swap: bool
) -> None:
    h = some_hypergraph(seed)
    proper = proper_colorings(h)
    assume(proper)
    rng = np.random.default_rng(seed)
    network = network_of_coloring(h, proper[int(rng.integers(len(proper)))], kind=kind)
    hidden, last = network.layers
    scales = 10.0 ** rng.uniform(-3.0, 3.0, 2)
    W, b = hidden.weight.toarray() * scales[:, None], hidden.bias * scales
    a = last.weight.toarray() / scales
    W = W * (1.0 + noise * rng.normal(size=W.shape))
    b, a = b * (1.0 + noise * rng.normal(size=2)), a * (1.0 + noise * rng.normal(size=(1, 2)))
    c = last.bias + noise * rng.normal()
    if swap:
        W, b, a = W[::-1], b[::-1], a[:, ::-1]
    moved = ReLUNetwork((AffineLayer(W, b), AffineLayer(a, c)))
    if certify_sign(moved, *gadget(h)).holds:
        found = coloring_of_network(h, moved)
        assert h.one_colored(found.colors) is None
        assert set(found.colors) <= {0, 1}
    else:
        with pytest.raises(ValueError, match="network must classify the gadget: at row"):
            coloring_of_network(h, moved)


@pytest.mark.parametrize("kind", KINDS)
def test_without_noise_the_coloring_comes_back(kind: str) -> None:
    for seed in range(20):
        h = some_hypergraph(seed)
        for colors in proper_colorings(h)[:4]:
            found = coloring_of_network(h, network_of_coloring(h, colors, kind=kind))
            assert found.kind == kind
            assert found.colors == colors
            assert "both" not in found.rules


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("swapped", [False, True])
def test_a_vertex_that_only_the_sum_cuts_off_is_colored_by_the_steeper_slope(
    order: tuple[int, ...], swapped: bool
) -> None:
    # F = 5/2 - relu(h_0) - relu(h_1), where h_0 alone cuts off the third vertex only.
    W, b = np.array([[-1, -1, 8, 8], [3, 3, -12, -5]]) / 10, np.array([3, 6]) / 10
    W = W[:, [*order, 3]]
    if swapped:
        W, b = W[::-1], b[::-1]
    found = coloring_of_network(
        Hypergraph(3, [(0, 1, 2)]), ReLUNetwork([(W, b), ([[-1.0, -1.0]], [2.5])])
    )
    alone = "second" if swapped else "first"
    assert found.rules == tuple("both" if vertex < 2 else alone for vertex in order)
    assert found.colors == tuple(int((vertex < 2) != swapped) for vertex in order)


def test_a_network_that_errs_or_ties_on_the_gadget_is_refused_by_name() -> None:
    h = cycle(4)
    fine = network_of_coloring(h, (0, 1, 0, 1))
    hidden, last = fine.layers
    tied = ReLUNetwork((hidden, AffineLayer(last.weight, last.bias - 0.5)))
    with pytest.raises(ValueError, match=r"at row 0, of label 2, it must be above 3/2, got 1\.5"):
        coloring_of_network(h, tied)
    low = ReLUNetwork((hidden, AffineLayer(last.weight, last.bias + 3.0)))
    with pytest.raises(ValueError, match=r"at row 5, of label 1, it must be below 3/2"):
        coloring_of_network(h, low)
    with pytest.raises(ValueError, match="network must have 6 inputs, got 5"):
        coloring_of_network(cycle(5), fine)


# Deciding existence


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("kind", KINDS)
def test_the_known_examples_are_decided(name: str, kind: str) -> None:
    h, colorable = KNOWN[name]
    X, y = gadget(h)
    answers = [exists_width_two(X, y, "milp", kinds=[kind])]
    if h.vertices <= (5 if kind == "half-spaces" else 3):
        answers.append(exists_width_two(X, y, "enumerate", kinds=[kind]))
    if h.vertices <= (7 if kind == "half-spaces" else 4):
        answers.append(exists_width_two(X, y, "backtrack", kinds=[kind]))
    for answer in answers:
        assert answer.found is colorable
        assert (answer.network is not None) == colorable
        if answer.network is not None:
            assert answer.side == "upper"
            assert certify_sign(answer.network, X, y).holds
            found = coloring_of_network(h, answer.network)
            assert found.kind == kind
            assert h.one_colored(found.colors) is None


@pytest.mark.parametrize("seed", range(4))
def test_half_spaces_have_two_assignments_for_every_coloring(seed: int) -> None:
    h = some_hypergraph(seed, largest=5)
    X, y = gadget(h)
    wanted = 2 * len(proper_colorings(h))
    for method in ("enumerate", "backtrack"):
        answer = exists_width_two(
            X, y, method, kinds=["half-spaces"], sides=["upper"], early_exit=False
        )
        assert answer.feasible == wanted
    for kind in KINDS:
        found = exists_width_two(X, y, kinds=[kind], sides=["upper"])
        assert found.found == (wanted > 0)


def test_the_region_of_a_gadget_cannot_hold_the_other_label() -> None:
    answer = exists_width_two(*gadget(cycle(4)), sides=["lower"])
    assert answer.found is False
    assert answer.programs == 2  # 0 lies between two points: no half-space keeps it away


@pytest.mark.parametrize("labels", list(itertools.product((1.0, 2.0), repeat=6)))
def test_on_a_line_two_neurons_make_at_most_two_changes(labels: tuple[float, ...]) -> None:
    changes = sum(a != b for a, b in itertools.pairwise(labels))
    if changes == 0:
        return
    X = np.array([[-2.0], [-0.5], [0.0], [1.0], [3.0], [3.5]])
    answer = exists_width_two(X, np.array(labels), "backtrack")
    assert answer.found is (changes <= 2)


def test_a_sum_can_need_three_half_spaces_and_does_what_two_cannot() -> None:
    inside = [[0.9, -5.0], [0.95, 0.0], [0.0, 0.95], [-5.0, 0.9], [-5.0, -5.0]]
    outside = [[1.1, -5.0], [-5.0, 1.1], [0.55, 0.55]]
    X, y = np.array(inside + outside), np.array([1.0] * 5 + [0.0] * 3)
    for method in ("milp", "enumerate", "backtrack"):
        answer = exists_width_two(X, y, method)  # tries two half-spaces first
        assert (answer.found, answer.side) == (True, "upper")
        assert answer.feasible == 1
    flipped = exists_width_two(X, 1.0 - y, "backtrack")
    assert (flipped.found, flipped.side) == (True, "lower")


def test_the_labels_may_be_any_two_numbers() -> None:
    X, y = gadget(cycle(4))
    answer = exists_width_two(X, np.where(y == 2.0, -3.0, 7.5))
    assert (answer.found, answer.side) == (True, "lower")
    assert answer.network is not None
    assert np.array_equal(answer.network(X) < 2.25, y == 2.0)


# The growth


def enumerated(h: Hypergraph, kind: str, early_exit: bool) -> Answer:
    options = {"kinds": [kind], "sides": ["upper"], "early_exit": early_exit}
    return exists_width_two(*gadget(h), "enumerate", **options)


def programs(h: Hypergraph, row: Answer) -> int:
    """Programs without the first round, which looks at single points."""
    return row.programs - (h.vertices + 2)


@pytest.mark.parametrize(("kind", "base"), [("half-spaces", 2), ("sum", 3)])
@pytest.mark.parametrize("early_exit", [True, False])
def test_only_an_early_exit_shortens_an_enumeration_and_only_if_there_is_a_coloring(
    kind: str, base: int, early_exit: bool
) -> None:
    hypergraphs = [complete_graph(2), complete_graph(3)]
    hypergraphs += [cycle(4), cycle(5)] if base == 2 else []
    for h in hypergraphs:
        row = enumerated(h, kind, early_exit=early_exit)
        colorable, every = coloring(h) is not None, base ** (h.vertices + 2)
        if early_exit and colorable:
            assert programs(h, row) < every and row.feasible == 1
        else:
            assert programs(h, row) == every
        assert row.found is colorable
        assert (row.feasible > 0) == colorable


# Refusals


def test_colors_that_are_not_proper_are_refused() -> None:
    with pytest.raises(ValueError, match=r"got one color on the edge \(0, 1\)"):
        network_of_coloring(cycle(4), (0, 0, 1, 1))
    with pytest.raises(ValueError, match=r"colors must be 0 or 1, got \(0, 2, 0, 1\)"):
        network_of_coloring(cycle(4), (0, 2, 0, 1))
    with pytest.raises(ValueError, match="colors must hold 4 numbers"):
        network_of_coloring(cycle(4), (0, 1))


def test_searches_refuse_what_they_cannot_decide() -> None:
    X, y = gadget(cycle(4))
    with pytest.raises(ValueError, match="kinds and sides must not be empty"):
        exists_width_two(X, y, kinds=[])
    with pytest.raises(ValueError, match="sides must be one of"):
        exists_width_two(X, y, sides=["left"])  # type: ignore[list-item]
    with pytest.raises(ValueError, match=r"would solve 2\*\*22 programs.*use 'backtrack'"):
        exists_width_two(*gadget(cycle(20)), "enumerate")
    with pytest.raises(ValueError, match=r"would solve 3\*\*13 programs"):
        exists_width_two(*gadget(cycle(11)), "enumerate", kinds=["sum"])
    with pytest.raises(ValueError, match="y must hold exactly two different labels, got 3"):
        exists_width_two(X, np.arange(len(X)) % 3)
    with pytest.raises(ValueError, match="equal points with different labels"):
        exists_width_two([[0.0], [0.0]], [1.0, 2.0])


def test_a_search_without_time_says_that_it_does_not_know() -> None:
    for method in ("enumerate", "backtrack"):
        answer = exists_width_two(*gadget(fano()), method, time_limit=1e-6)
        assert answer.found is None


@pytest.mark.parametrize("method", ["milp", "enumerate", "backtrack"])
def test_shapes_that_time_did_not_suffice_for_are_not_taken_for_impossible(method) -> None:
    # Only the smaller label can be the one inside, and that is not the side tried first.
    X, y = [[-1.0], [0.0], [1.0]], [2.0, 1.0, 2.0]
    assert exists_width_two(X, y, method).side == "lower"
    assert exists_width_two(X, y, method, time_limit=1e-9).found is None
    assert exists_width_two(X, y, method, sides=["upper"], kinds=["sum"]).found is False


def test_a_solver_that_fails_has_not_said_no(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = gadget(cycle(4))
    failed = SimpleNamespace(status=4, message="numerical difficulties", x=None)
    monkeypatch.setattr(two_neurons, "linprog", lambda *_, **__: failed)
    for method in ("milp", "enumerate", "backtrack"):
        assert exists_width_two(X, y, method).found is None


def test_the_order_of_the_neurons_does_not_matter() -> None:
    # F = 3/2 + relu(h_0 + 100) - relu(h_0 - h_1) - 100: with the neurons in the wrong roles, every
    # vertex would lie on one side.
    h = random_hypergraph(6, 7, rng=0)
    for colors in proper_colorings(h):
        hidden, last = network_of_coloring(h, colors).layers
        W, b = hidden.weight.toarray(), hidden.bias + np.array([99.0, 0.0])
        a, c = last.weight.toarray(), last.bias - 99.0
        for order in ([0, 1], [1, 0]):
            network = ReLUNetwork((AffineLayer(W[order], b[order]), AffineLayer(a[:, order], c)))
            assert coloring_of_network(h, network).colors == colors


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6))
def test_colorings_are_all_proper_ones_and_the_first_of_them(seed: int) -> None:
    h = some_hypergraph(seed)
    proper = [
        colors
        for colors in itertools.product((0, 1), repeat=h.vertices)
        if all(len({colors[i] for i in edge}) > 1 for edge in h.edges)
    ]
    assert coloring(h) == (proper[0] if proper else None)
    assert count_colorings(h) == len(proper)


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


def test_too_many_colorings_are_not_counted() -> None:
    with pytest.raises(ValueError, match="2\\*\\*21 = 2097152"):
        count_colorings(Hypergraph(21, []))
