"""Arcs: exact answers on X, lists of linear size in all, and each at most twice as long as hits."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib import geometry, predicates
from sublinear_lib.halfspace.arcs import ArcStabbing
from sublinear_lib.statistics import loglog_slope
from tests.halfspace.oracle import LATTICE, TAME, WILD, as_lists, exact_sets, score, vectors

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
    biases = draw(st.none() | vectors(m, 1, numbers).map(lambda column: column[:, 0]))
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
        exact = score(
            points[r], 0.0 if biases is None else biases[r], X[draw(st.integers(0, q - 1))]
        )
        if abs(exact) < Fraction(2) ** 1000:
            step = draw(st.sampled_from([-np.inf, None, np.inf]))
            tau = float(exact) if step is None else float(np.nextafter(float(exact), step))
    return points, biases, tau, X, draw(st.booleans())


def assert_exact(W, b, tau, X, strict=True):
    arcs = ArcStabbing(W, b, tau=tau)
    wanted = predicates.exceeds_many(W, b, X, tau, strict=strict)
    mask = arcs.query(X, strict=strict).to_mask(len(W))
    wrong = np.argwhere(mask != wanted)
    assert not len(wrong), f"first wrong (query, neuron): {wrong[0]}"
    return arcs


# Exact answers


@settings(deadline=None, max_examples=100)
@given(problems())
def test_query_returns_exactly_the_rational_set(problem):
    points, biases, tau, X, strict = problem
    arcs = ArcStabbing(points, biases, tau=tau)
    wanted = exact_sets(points, biases, X, np.full(len(X), tau), strict)
    assert as_lists(arcs.query(X, strict=strict)) == wanted
    assert as_lists(arcs.query_halfspace(X, tau, strict=strict)) == wanted


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("m", [1, 2, 7, 8, 9, 100, 3000])
def test_every_size_and_threshold_is_exact(d, m):
    W, b = random_neurons(m, seed=m, d=d)
    X = geometry.sample_slice(40, d, rng=m)
    for tau in (-3.0, -0.5, 0.0, 0.3, 1.0, 3.0):
        for bias in (None, b):
            assert_exact(W, bias, tau, X)


def test_points_at_the_ends_of_every_arc_are_exact():
    # The query angle is the end of an arc to rounding; each is asked from both sides.
    W, b = random_neurons(300, seed=1)
    arcs = ArcStabbing(W, b, tau=0.4)
    center, half_width = arcs.arcs()
    partial = (half_width > 0.0) & (half_width < math.pi)
    assert partial.sum() > 150
    for step in (-1e-9, -1e-15, 0.0, 1e-15, 1e-9):
        for side in (-1.0, 1.0):
            X = circle((center + side * (half_width + step))[partial])
            for strict in (True, False):
                assert_exact(W, b, 0.4, X, strict)
    arcs.query(circle((center + half_width)[partial]))
    assert arcs.stats().settled_exactly >= partial.sum(), "each of them was a close call"


@pytest.mark.parametrize("distance", [0.0, 1e-17, 1e-12, 1e-9, 1e-6])
def test_arcs_that_begin_to_open_or_close_are_exact(distance):
    # The level is at, above or below the highest and lowest value of the cosine.
    angles = np.linspace(-math.pi, math.pi, 41)
    W = np.column_stack((np.cos(angles), np.sin(angles), np.zeros(41)))
    X = np.vstack((circle(angles), circle(angles + math.pi), circle(angles + 1e-5)))
    for level in (S - distance, S + distance, -S - distance, -S + distance):
        for strict in (True, False):
            assert_exact(W, np.full(41, 0.25) - level, 0.25, X, strict)


@pytest.mark.parametrize("strict", [True, False])
def test_ties_on_all_of_the_circle_are_decided_truly(strict):
    W = np.zeros((9, 3))
    W[3:, 2] = 2.0 * np.arange(6)
    arcs = ArcStabbing(W, np.r_[1.0, 0.0, -1.0, -np.arange(6.0)], tau=0.0)
    X = circle(np.linspace(0.0, 6.0, 5))
    wanted = [0] if strict else [0, 1, 3, 4, 5, 6, 7, 8]
    assert as_lists(arcs.query(X, strict=strict)) == [wanted] * 5
    assert arcs.stats().settled_exactly == 5 * 7


def test_the_seam_of_the_circle_is_crossed():
    W = np.array([[-1.0, 0.0, 0.0], [-1.0, 1e-9, 0.0], [-1.0, -1e-9, 0.0], [1.0, 0.0, 0.0]])
    seam = np.array([math.pi, -math.pi, math.pi - 1e-12, -math.pi + 1e-12])
    X = np.vstack((circle(seam), [[-S, -0.0, 0.5]]))
    assert as_lists(ArcStabbing(W, tau=0.1).query(X)) == [[0, 1, 2]] * 5
    assert as_lists(ArcStabbing(W, tau=-0.1).query(X)) == [[0, 1, 2]] * 5
    assert as_lists(ArcStabbing(W, tau=-S - 0.1).query(X)) == [[0, 1, 2, 3]] * 5


def test_points_a_little_off_the_circle_are_decided_as_they_are():
    # A neuron that looks up only: active above the height 1/2, by the last bit.
    arcs = ArcStabbing([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], tau=0.5)
    x = np.array([0.0, S, 0.5])
    higher = np.nextafter(0.5, 1.0)
    assert as_lists(arcs.query([x, [0.0, S, higher], [0.0, S, 0.5 - 9e-10]])) == [[], [0], []]


# The arcs


def test_the_arcs_are_where_the_neurons_fire():
    W, b = random_neurons(200, seed=4)
    center, half_width = ArcStabbing(W, b, tau=0.5).arcs()
    angles = np.linspace(-math.pi, math.pi, 101)
    distance = np.abs((angles[:, None] - center + math.pi) % (2.0 * math.pi) - math.pi)
    np.testing.assert_array_equal(circle(angles) @ W.T + b > 0.5, distance < half_width)
    assert half_width.min() == 0.0
    assert half_width.max() == math.pi


def test_neurons_that_fire_everywhere_or_nowhere_are_in_no_list():
    arcs = ArcStabbing([[1.0, 0.0, 9.0], [0.0, 1.0, -9.0], [1.0, 1.0, 0.0]], tau=0.0)
    stats = arcs.stats()
    assert (stats.everywhere, stats.nowhere) == (1, 1)
    assert set(arcs._windows.arcs.tolist()) == {0}
    assert arcs._ids.tolist() == [2]


# The work


@pytest.mark.parametrize("tau", [-1.0, 0.0, 0.8, 2.0])
def test_a_query_looks_at_twice_its_hits_at_most(tau):
    W, b = random_neurons(1500, seed=5)
    # Many arcs end at one angle: the lists must shrink there, too.
    W = np.vstack((W, np.repeat(W[:3], 200, axis=0)))
    b = np.append(b, np.repeat(b[:3], 200))
    arcs = ArcStabbing(W, b, tau=tau)
    stats = arcs.stats()
    for x in circle(np.linspace(-math.pi, math.pi, 200)):
        before = arcs.stats()
        hits = arcs.query(x[None])
        after = arcs.stats()
        k = int(hits.counts[0]) - stats.everywhere
        doubtful = after.settled_exactly - before.settled_exactly
        looked_at = after.arcs_scanned - before.arcs_scanned
        assert looked_at <= 2 * max(k + doubtful, 8), f"{looked_at} for {k} hits at {x}"


@pytest.mark.parametrize("tau", [-0.5, 0.5, 2.0])
@pytest.mark.parametrize("m", [2**8, 2**11, 2**14])
def test_the_lists_need_linear_space(tau, m):
    W, b = random_neurons(m, seed=m)
    stats = ArcStabbing(W, b, tau=tau).stats()
    arcs = m - stats.everywhere - stats.nowhere
    assert arcs > m / 8
    assert stats.windows <= 2 * arcs + 1
    assert arcs <= stats.entries <= 3 * arcs


def test_nested_arcs_need_linear_space():
    # Many arcs end one after the other, then many begin: lists are copied as often as they can be.
    m = 1000
    W = np.column_stack((np.ones(m), np.zeros((m, 2))))
    b = -S * np.cos(np.linspace(0.1, 3.0, m))
    stats = ArcStabbing(W, b, tau=0.0).stats()
    assert (stats.everywhere, stats.nowhere) == (0, 0)
    assert 5 < stats.windows < 50
    assert stats.entries <= 6 * m


def test_queries_with_few_hits_cost_no_power_of_m():
    sizes = 2 ** np.arange(8, 14)
    X = circle(np.linspace(-math.pi, math.pi, 100))
    scanned = []
    for seed in range(4):
        row = []
        for m in sizes.tolist():
            W, _ = random_neurons(m, seed=seed)
            # About 30 neurons fire at each point, whatever m is.
            tau = float(np.sort((X @ W.T).ravel())[-30 * len(X)])
            arcs = ArcStabbing(W, tau=tau)
            arcs.query(X)
            row.append(arcs.stats().arcs_scanned)
        scanned.append(row)
    slope = loglog_slope(sizes, scanned, 0.99)
    assert abs(slope.estimate) < 0.1, str(slope)
    assert slope.upper < 0.2, str(slope)


def test_random_points_are_decided_without_exact_arithmetic():
    W, b = random_neurons(4000, seed=6)
    arcs = ArcStabbing(W, b, tau=0.5)
    arcs.query(geometry.sample_slice(100, 3, rng=1))
    stats = arcs.stats()
    assert stats.queries == 100
    assert stats.points_reported > 10_000
    assert stats.settled_exactly <= 5


# What it says, copies and refuses


def test_it_copies_the_weights_and_can_be_pickled():
    W, b = np.ones((4, 3)), np.zeros(4)
    arcs = ArcStabbing(W, b, tau=1.0)
    W[:], b[:] = -1.0, -1.0
    X = circle([math.pi / 4.0])
    for each in (arcs, pickle.loads(pickle.dumps(arcs))):
        assert each.query(X).counts.tolist() == [4]


def test_repr_len_and_stats_give_the_sizes():
    arcs = ArcStabbing([[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0], tau=0)
    assert repr(arcs) == "ArcStabbing(m=2, d=2, biased, tau=0.0)"
    assert "biased" not in repr(ArcStabbing([[1.0, 0.0]], tau=0))
    stats = arcs.stats()
    assert (len(arcs), stats.m, stats.d, stats.tau, arcs.tau) == (2, 2, 2, 0.0, 0.0)
    assert stats.memory > 4 * 8
    assert stats.queries == stats.arcs_scanned == 0


@pytest.mark.parametrize(
    ("call", "arguments", "error", "message"),
    [
        ("query", ([[1.0, 0.0, 0.5]],), ValueError, "X must lie on the slice"),
        ("query", ([[S, 0.5]],), ValueError, r"X must have shape \(q, 3\)"),
        ("query_halfspace", ([[1.0, 0.0, 0.5]], 0.5), ValueError, "normals must lie on the slice"),
        ("query_halfspace", ([[S, 0.0, 0.5]], 0.4), ValueError, "equal tau = 0.5, .* got 0.4"),
        ("query_halfspace", ([[S, 0.0, 0.5]] * 2, [0.5, 0.6]), ValueError, "got 0.6 at index 1"),
        ("query_halfspace", ([[S, 0.0, 0.5]], [0.5, 0.5]), ValueError, r"offsets .* shape \(1,\)"),
    ],
)
def test_a_refused_query_changes_nothing(call, arguments, error, message):
    arcs = ArcStabbing([[1.0, 2.0, 3.0]], tau=0.5)
    before = pickle.dumps(arcs)
    with pytest.raises(error, match=message):
        getattr(arcs, call)(*arguments)
    assert pickle.dumps(arcs) == before
