"""Arcs: exact answers on X, lists of linear size in all, and each at most twice as long as hits."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib import predicates
from sublinear_lib.halfspace.arcs import ArcStabbing
from tests.halfspace.oracle import (
    LATTICE,
    TAME,
    WILD,
    as_lists,
    beside,
    columns,
    exact_sets,
    score,
    vectors,
)

S = math.sqrt(3.0) / 2.0


def circle(angles):
    angles = np.asarray(angles, dtype=np.float64)
    return np.column_stack((S * np.cos(angles), S * np.sin(angles), np.full(len(angles), 0.5)))


def random_neurons(m, seed, d=3):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, d)), rng.standard_normal(m)


@st.composite
def problems(draw):
    """Draw neurons, a threshold and points of X or within 1e-9 of it; ties are likely."""
    d = draw(st.sampled_from([2, 3]))
    m = draw(st.integers(0, 20))
    numbers = draw(st.sampled_from([LATTICE, TAME, WILD]))
    points = draw(vectors(m, d, numbers))
    biases = draw(columns(m, numbers))
    q = draw(st.integers(0, 4))
    if d == 3:
        X = circle([draw(st.floats(-4.0, 4.0)) for _ in range(q)]).reshape(q, 3)
    else:
        X = np.array([[draw(st.sampled_from([-S, S])), 0.5] for _ in range(q)]).reshape(q, 2)
    for x in X:
        if draw(st.booleans()):
            # Off X by nearly as much as is allowed, outward or inward, up or down.
            # The length misses 1 by the first number plus half of what the height misses.
            x *= 1.0 + draw(st.sampled_from([-7e-10, 0.0, 7e-10]))
            x[-1] = 0.5 + draw(st.sampled_from([-8e-10, 0.0, 3e-10]))
    tau = draw(numbers)
    if m and q and draw(st.booleans()):
        r = draw(st.integers(0, m - 1))
        x = X[draw(st.integers(0, q - 1))]
        tau = draw(beside(score(points[r], 0.0 if biases is None else biases[r], x), tau))
    return points, biases, tau, X, draw(st.booleans())


def assert_exact(W, b, tau, X, strict=True):
    arcs = ArcStabbing(W, b, tau=tau)
    wanted = predicates.exceeds_many(W, b, X, tau, strict=strict)
    mask = arcs.query_halfspace(X, tau, strict=strict).to_mask(len(W))
    wrong = np.argwhere(mask != wanted)
    assert not len(wrong), f"first wrong (query, neuron): {wrong[0]}"


# Exact answers


@settings(deadline=None, max_examples=100)
@given(problems())
def test_query_returns_exactly_the_rational_set(problem):
    points, biases, tau, X, strict = problem
    arcs = ArcStabbing(points, biases, tau=tau)
    wanted = exact_sets(points, biases, X, np.full(len(X), tau), strict)
    assert as_lists(arcs.query_halfspace(X, tau, strict=strict)) == wanted


@pytest.mark.parametrize("distance", [0.0, 1e-17, 1e-12, 1e-9, 1e-6])
def test_arcs_that_begin_to_open_or_close_are_exact(distance):
    # The level is at, above or below the highest and lowest value of the cosine.
    angles = np.linspace(-math.pi, math.pi, 41)
    W = np.column_stack((np.cos(angles), np.sin(angles), np.zeros(41)))
    X = np.vstack((circle(angles), circle(angles + math.pi), circle(angles + 1e-5)))
    for level in (S - distance, S + distance, -S - distance, -S + distance):
        for strict in (True, False):
            assert_exact(W, np.full(41, 0.25) - level, 0.25, X, strict)


def test_the_seam_of_the_circle_is_crossed():
    W = np.array([[-1.0, 0.0, 0.0], [-1.0, 1e-9, 0.0], [-1.0, -1e-9, 0.0], [1.0, 0.0, 0.0]])
    seam = np.array([math.pi, -math.pi, math.pi - 1e-12, -math.pi + 1e-12])
    X = np.vstack((circle(seam), [[-S, -0.0, 0.5]]))
    assert as_lists(ArcStabbing(W, tau=0.1).query_halfspace(X, 0.1)) == [[0, 1, 2]] * 5
    assert as_lists(ArcStabbing(W, tau=-0.1).query_halfspace(X, -0.1)) == [[0, 1, 2]] * 5
    assert as_lists(ArcStabbing(W, tau=-S - 0.1).query_halfspace(X, -S - 0.1)) == [[0, 1, 2, 3]] * 5


@pytest.fixture
def settled(monkeypatch):
    """How many pairs were decided in exact arithmetic, one number for each call."""
    numbers, exact = [], predicates.exact_signs

    def counted(*arguments):
        numbers.append(len(arguments[-1]))
        return exact(*arguments)

    monkeypatch.setattr(predicates, "exact_signs", counted)
    return numbers


def test_points_at_the_ends_of_every_arc_are_exact(settled):
    # The query angle is the end of an arc to rounding; each is asked from both sides.
    W, b = random_neurons(300, seed=1)
    arcs = ArcStabbing(W, b, tau=0.4)
    center, outer, inner = arcs._arcs
    half_width = (outer + inner)[outer < math.pi] / 2.0
    center = center[outer < math.pi]
    assert len(center) > 150
    for step in (-1e-9, -1e-15, 0.0, 1e-15, 1e-9):
        for side in (-1.0, 1.0):
            for strict in (True, False):
                assert_exact(W, b, 0.4, circle(center + side * (half_width + step)), strict)
    settled.clear()
    arcs.query_halfspace(circle(center + half_width), 0.4)
    assert sum(settled) >= len(center), "each of them was a close call"


@pytest.mark.parametrize("strict", [True, False])
def test_ties_on_all_of_the_circle_are_decided_truly(strict, settled):
    W = np.zeros((9, 3))
    W[3:, 2] = 2.0 * np.arange(6)
    arcs = ArcStabbing(W, np.r_[1.0, 0.0, -1.0, -np.arange(6.0)], tau=0.0)
    assert repr(arcs) == "ArcStabbing(m=9, d=3, biased, tau=0.0)"
    X = circle(np.linspace(0.0, 6.0, 5))
    wanted = [0] if strict else [0, 1, 3, 4, 5, 6, 7, 8]
    assert as_lists(arcs.query_halfspace(X, 0.0, strict=strict)) == [wanted] * 5
    assert settled == [7] * 5


def test_neurons_that_fire_everywhere_or_nowhere_are_in_no_list():
    arcs = ArcStabbing([[1.0, 0.0, 9.0], [0.0, 1.0, -9.0], [1.0, 1.0, 0.0]], tau=0.0)
    assert arcs._everywhere.tolist() == [0]
    assert set(arcs._windows.arcs.tolist()) == {0}
    assert arcs._ids.tolist() == [2]


# The work


@pytest.mark.parametrize("tau", [-1.0, 0.0, 0.8, 2.0])
def test_a_query_looks_at_twice_its_hits_at_most(tau, settled):
    W, b = random_neurons(1500, seed=5)
    # Many arcs end at one angle: the lists must shrink there, too.
    W = np.vstack((W, np.repeat(W[:3], 200, axis=0)))
    b = np.append(b, np.repeat(b[:3], 200))
    arcs = ArcStabbing(W, b, tau=tau)
    angles = np.linspace(-math.pi, math.pi, 200)
    hits = arcs.query_halfspace(circle(angles), tau).counts - len(arcs._everywhere)
    assert sum(settled) <= 5, "random points are decided without exact arithmetic"
    windows = np.searchsorted(arcs._windows.start[1:], angles, side="right")
    looked_at = np.diff(arcs._windows.first)[windows]
    assert (looked_at <= 2 * np.maximum(hits + 5, 8)).all()
    assert (looked_at <= 2 * np.maximum(hits, 8)).mean() > 0.9


def assert_linear_space(arcs, most):
    """Bound the windows and the lengths of all lists together."""
    start, _, entries = arcs._windows
    m = len(arcs._ids)
    assert len(start) <= 2 * m + 1
    assert m <= len(entries) <= most * m


@pytest.mark.parametrize("tau", [-0.5, 0.5, 2.0])
@pytest.mark.parametrize("m", [2**8, 2**11, 2**14])
def test_the_lists_need_linear_space(tau, m):
    arcs = ArcStabbing(*random_neurons(m, seed=m), tau=tau)
    assert len(arcs._ids) > m / 8
    assert_linear_space(arcs, 3)


def test_nested_arcs_need_linear_space():
    # Many arcs end one after the other, then many begin: lists are copied as often as they can be.
    m = 1000
    W = np.column_stack((np.ones(m), np.zeros((m, 2))))
    arcs = ArcStabbing(W, -S * np.cos(np.linspace(0.1, 3.0, m)), tau=0.0)
    assert len(arcs._ids) == m
    assert 5 < len(arcs._windows.start) < 50
    assert_linear_space(arcs, 6)


# What it says, copies and refuses


def test_it_copies_the_weights_and_can_be_pickled():
    W, b = np.ones((4, 3)), np.zeros(4)
    arcs = ArcStabbing(W, b, tau=1.0)
    W[:], b[:] = -1.0, -1.0
    X = circle([math.pi / 4.0])
    for each in (arcs, pickle.loads(pickle.dumps(arcs))):
        assert each.query_halfspace(X, 1.0).counts.tolist() == [4]


@pytest.mark.parametrize(
    ("normals", "offsets", "message"),
    [
        ([[1.0, 0.0, 0.5]], 0.5, "normals must lie on the slice"),
        ([[S, 0.5]], 0.5, r"normals must have shape \(q, 3\)"),
        ([[S, 0.0, 0.5]], 0.4, "equal tau = 0.5, .* got 0.4"),
        ([[S, 0.0, 0.5]] * 2, [0.5, 0.6], "got 0.6 at index 1"),
        ([[S, 0.0, 0.5]], [0.5, 0.5], r"offsets .* shape \(1,\)"),
    ],
)
def test_a_refused_query_changes_nothing(normals, offsets, message):
    arcs = ArcStabbing([[1.0, 2.0, 3.0]], tau=0.5)
    before = pickle.dumps(arcs)
    with pytest.raises(ValueError, match=message):
        arcs.query_halfspace(normals, offsets)
    assert pickle.dumps(arcs) == before
