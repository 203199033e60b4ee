"""Candidate lists: whatever the weights do, the answers are those of exact arithmetic."""

from __future__ import annotations

import math
import pickle
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib import geometry, predicates
from sublinear_lib.halfspace import HalfspaceHits, HalfspaceIndex
from sublinear_lib.halfspace import candidates as module
from sublinear_lib.halfspace import kernels_numpy as numpy_loops
from sublinear_lib.halfspace.candidates import CAP_TOLERANCE, Advance, CandidateLists
from tests.halfspace.oracle import (
    KERNELS,
    LARGEST,
    LATTICE,
    TAME,
    WILD,
    as_lists,
    exact_sets,
    score,
    support_point,
    vectors,
)

every_kernel = pytest.mark.parametrize("kernels", KERNELS)
RADIUS = math.sqrt(3.0) / 2.0


def in_cap(anchor, radius, direction, share):
    """Return a point of X at `share` of the radius from an anchor, on the side of a direction."""
    u = anchor[:-1] / np.sqrt(anchor[:-1] @ anchor[:-1])
    tangent = direction - (direction @ u) * u
    length = np.sqrt(tangent @ tangent)
    if length < 1e-3:  # as always for d = 2
        return anchor.copy()
    angle = share * 2.0 * math.asin(min(1.0, radius / math.sqrt(3.0)))
    turned = math.cos(angle) * u + math.sin(angle) * tangent / length
    return np.append(RADIUS * turned / np.sqrt(turned @ turned), 0.5)


def random_problem(m=400, n=12, d=4, active=0.05, seed=0):
    rng = np.random.default_rng(seed)
    W, b = rng.standard_normal((m, d)), rng.standard_normal(m)
    return W, b, geometry.sample_slice(n, d, rng=rng), math.sqrt(2.0) * quantile(active), rng


def quantile(active):
    from scipy import stats

    return float(stats.norm.isf(active))


def assert_exact(lists, W, b, threshold, points, anchor_of):
    """Compare with float64 scores settled exactly, which the tests of `predicates` vouch for."""
    found = lists.candidates().to_mask(len(W))[anchor_of]
    for strict in (True, False):
        wanted = predicates.exceeds_many(W, b, points, threshold, strict=strict)
        hits = lists.query(points, anchor_of, strict=strict)
        assert hits == HalfspaceHits.from_mask(wanted), "wrong set, or ids that do not ascend"
        missed = np.argwhere(wanted & ~found)
        assert not len(missed), f"point and neuron that the candidates miss: {missed[0]}"


def random_points(lists_anchors, radius, rng, count):
    anchor_of = rng.integers(len(lists_anchors), size=count)
    d = lists_anchors.shape[1]
    shares = rng.uniform(size=count) ** 0.2
    points = np.array(
        [
            in_cap(lists_anchors[i], radius, rng.standard_normal(d - 1), share)
            for i, share in zip(anchor_of, shares, strict=True)
        ]
    )
    return points, anchor_of


# The answers


@st.composite
def stories(draw):
    """Draw weights, anchors, a threshold on or beside a score, and steps of training."""
    numbers = draw(st.sampled_from([LATTICE, TAME, TAME, WILD]))
    d = draw(st.sampled_from([2, 3, 5]))
    m, n = draw(st.integers(1, 10)), draw(st.integers(1, 3))
    W = draw(vectors(m, d, numbers))
    b = draw(st.none() | vectors(m, 1, numbers).map(lambda column: column[:, 0]))
    directions = [draw(st.lists(TAME, min_size=d - 1, max_size=d - 1)) for _ in range(n)]
    anchors = np.array([support_point(np.array([*u, 0.0])) for u in directions])
    radius = draw(st.sampled_from([0.0, 1e-6, 0.1, 0.8, 1.7, 1.8, 50.0]))

    def drawn_point():
        i = draw(st.integers(0, n - 1))
        towards = np.array(draw(st.lists(TAME, min_size=d - 1, max_size=d - 1)))
        if draw(st.booleans()):  # where the bound of some neuron is nearly attained
            steepest = W[draw(st.integers(0, m - 1)), :-1]
            largest = np.abs(steepest).max()
            towards = steepest / largest if largest > 0.0 else towards
        share = draw(st.sampled_from([0.0, 0.5, 1.0, 1.0]))
        return in_cap(anchors[i], radius, towards, share), i

    threshold = draw(numbers)
    fixed = drawn_point()
    if draw(st.booleans()):
        r = draw(st.integers(0, m - 1))
        exact = score(W[r], 0.0 if b is None else b[r], fixed[0])
        if abs(exact) < Fraction(2) ** 1000:
            step = draw(st.sampled_from([-np.inf, None, np.inf]))
            threshold = float(exact) if step is None else float(np.nextafter(float(exact), step))
    skin = draw(
        st.sampled_from(["auto", 0.0, 1e-3, 0.5])
        | st.lists(st.sampled_from([0.0, 0.1, 2.0]), min_size=m, max_size=m)
    )
    steps = []
    for _ in range(draw(st.integers(1, 5))):
        rows = draw(st.lists(st.integers(0, m - 1), unique=True, max_size=m))
        moves = [
            (
                draw(st.sampled_from(["jump", "drift", "drift", "to the skin", "back", "stay"])),
                np.array(draw(st.lists(numbers, min_size=d, max_size=d))),
                draw(st.sampled_from([1e-9, 1e-3, 0.999999, 1.000001, 3.0])),
            )
            for _ in rows
        ]
        steps.append((rows, moves, [fixed, drawn_point()]))
    return W, b, anchors, radius, threshold, skin, steps


def moved(kind, value, size, now, start, skin):
    """Return the new weights of a row."""
    with np.errstate(over="ignore", invalid="ignore"):
        length = np.sqrt(value @ value)
        if kind == "jump":
            return value
        if kind == "back":
            return start
        if kind == "stay" or not 1e-3 < length < 1e3:
            return now
        if kind == "drift":
            result = now + size * 1e-3 * value
        else:
            result = start + size * skin * value / length
        return result if np.isfinite(result).all() else now


@every_kernel
@settings(deadline=None, max_examples=60)
@given(story=stories())
def test_every_answer_along_a_run_is_the_brute_force_set_in_exact_arithmetic(kernels, story):
    W, b, anchors, radius, threshold, skin, steps = story
    lists = CandidateLists(
        W, b, anchors, radius=radius, threshold=threshold, skin=skin, kernels=kernels
    )
    reference = W.copy()
    for rows, moves, questions in steps:
        W = W.copy()
        for r, (kind, value, size) in zip(rows, moves, strict=True):
            W[r] = moved(kind, value, size, W[r], reference[r], lists.skin[r])
        outcome = lists.advance(rows, W[rows])
        assert outcome.moved == len(rows)
        assert outcome.hot == len(lists.hot)
        if outcome.rebuilt:
            reference = W.copy()
        np.testing.assert_array_equal(lists.weights, W)
        points = np.array([point for point, _ in questions])
        anchor_of = [i for _, i in questions]
        candidates = lists.candidates()
        for strict in (True, False):
            hits = lists.query(points, anchor_of, strict=strict)
            wanted = exact_sets(W, b, points, [threshold] * len(points), strict)
            assert as_lists(hits) == wanted
            for i, ids in zip(anchor_of, wanted, strict=True):
                assert set(ids) <= set(candidates[i].tolist()), f"anchor {i} misses a neuron"


@every_kernel
@pytest.mark.parametrize("skin", ["auto", 0.0, 0.02])
def test_a_long_run_with_hot_neurons_and_rebuilds_stays_exact(kernels, skin):
    W, b, anchors, threshold, rng = random_problem(m=300, n=6)
    lists = CandidateLists(
        W, b, anchors, radius=0.2, threshold=threshold, skin=skin, kernels=kernels
    )
    speed = rng.exponential(size=300) ** 3 * 0.003
    hot, rebuilds = 0, 0
    for _ in range(60):
        rows = np.flatnonzero(rng.uniform(size=300) < 0.3)
        step = speed[rows, None] * rng.standard_normal((len(rows), 4))
        W[rows] += step
        outcome = lists.advance(rows, W[rows])
        hot += outcome.hot
        rebuilds += outcome.rebuilt
        assert_exact(lists, W, b, threshold, *random_points(anchors, 0.2, rng, 8))
    stats = lists.stats()
    assert hot > 0
    assert rebuilds == stats.rebuilds > 0
    assert stats.advances == 60


@every_kernel
@pytest.mark.parametrize("d", [2, 3, 9, 40])
def test_dimensions_from_the_smallest_up_give_exact_answers(kernels, d):
    W, b, anchors, threshold, rng = random_problem(m=150, n=5, d=d)
    lists = CandidateLists(W, b, anchors, radius=0.3, threshold=threshold, kernels=kernels)
    lists.advance(None, W + 0.05 * rng.standard_normal(W.shape))
    W = lists.weights
    assert_exact(lists, W, b, threshold, *random_points(anchors, 0.3, rng, 12))


@pytest.mark.parametrize("method", ["auto", "scan", "cap", "tree"])
@every_kernel
def test_the_lists_do_not_depend_on_the_engine_or_on_the_kernels(kernels, method):
    W, b, anchors, threshold, rng = random_problem()
    arguments = {"radius": 0.1, "threshold": threshold, "skin": 0.05}
    lists = CandidateLists(W, b, anchors, **arguments, method=method, kernels=kernels)
    plain = CandidateLists(W, b, anchors, **arguments, method="scan", kernels="numpy")
    rows = np.arange(0, 400, 7)
    values = W[rows] + 0.04 * rng.standard_normal((len(rows), 4))
    assert lists.advance(rows, values) == plain.advance(rows, values)
    assert len(plain.hot) > 3
    assert lists.candidates() == plain.candidates()
    assert lists.query(anchors) == plain.query(anchors)


@every_kernel
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_bias_too_large_among_tiny_rows_is_decided_exactly(kernels, sign):
    # In units of the tiny rows the bias is beyond the float64 range.
    anchors = geometry.sample_slice(3, 2, rng=1)
    W, b = np.array([[1.0, 1.0], [-1.0, 0.0], [0.5, 0.5]]) * 1e-200, np.zeros(3)
    b[2] = sign * 1e200
    for threshold in (0.0, 1e-200, b[2]):
        lists = CandidateLists(W, b, anchors, radius=0.1, threshold=threshold, kernels=kernels)
        assert_exact(lists, W, b, threshold, anchors, np.arange(3))


@every_kernel
def test_rows_that_vanish_in_float32_are_decided_exactly(kernels):
    rng = np.random.default_rng(5)
    anchors = geometry.sample_slice(6, 20, rng=rng)
    W = rng.standard_normal((200, 20))
    W[:90] *= 2.0 ** rng.integers(-152, -140, size=(90, 1))
    lists = CandidateLists(W, None, anchors, radius=0.1, threshold=0.0, kernels=kernels)
    assert_exact(lists, W, None, 0.0, anchors, np.arange(6))


@every_kernel
@pytest.mark.parametrize("threshold", [-LARGEST, LARGEST])
def test_a_threshold_at_the_end_of_the_float64_range_is_as_good_as_any(kernels, threshold):
    anchor = np.array([[RADIUS, 0.5]])
    W, b = np.array([[0.0, 0.0], [1.0, 1.0], [-1e300, 0.0]]), np.full(3, threshold)
    for skin in ("auto", 0.0, [0.0, 1.0, 1.0]):
        lists = CandidateLists(
            W, b, anchor, radius=0.1, threshold=threshold, skin=skin, kernels=kernels
        )
        assert as_lists(lists.query(anchor)) == [[1]]
        assert as_lists(lists.query(anchor, strict=False)) == [[0, 1]]


def test_threads_that_query_at_the_same_time_get_the_same_answer():
    W, b, anchors, threshold, rng = random_problem(m=2000, n=40)
    lists = CandidateLists(W, b, anchors, radius=0.2, threshold=threshold)
    points, anchor_of = random_points(anchors, 0.2, rng, 64)
    alone = lists.query(points, anchor_of)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: lists.query(points, anchor_of), range(12)))
    assert all(answer == alone for answer in answers)


@every_kernel
def test_small_pieces_give_the_same_lists_and_answers(kernels, monkeypatch):
    W, b, anchors, threshold, rng = random_problem()
    arguments = {"radius": 0.2, "threshold": threshold, "skin": 0.05, "kernels": kernels}
    rows = np.arange(0, 400, 7)
    values = W[rows] + 0.04 * rng.standard_normal((len(rows), 4))
    points, anchor_of = random_points(anchors, 0.2, rng, 30)

    def outcome():
        lists = CandidateLists(W, b, anchors, **arguments)
        lists.advance(rows, values)
        return lists.candidates(), lists.query(points, anchor_of)

    candidates, answer = outcome()
    monkeypatch.setattr(module, "_PAIRS_AT_ONCE", 1)
    monkeypatch.setattr(module, "_ENTRIES_AT_ONCE", 50)
    monkeypatch.setattr(module, "_NUMBERS_AT_ONCE", 1)
    monkeypatch.setattr(numpy_loops, "_ENTRIES_AT_ONCE", 50)
    monkeypatch.setattr(numpy_loops, "_NUMBERS_AT_ONCE", 1)
    assert outcome() == (candidates, answer)


# The certificate


def edge(seed, radius, length, d=4):
    """Return an anchor, a point at the border of its cap, and weights that gain most on the way."""
    rng = np.random.default_rng(seed)
    anchor = geometry.sample_slice(1, d, rng=rng)[0]
    point = in_cap(anchor, radius, rng.standard_normal(d - 1), 1.0)
    step = (point - anchor)[:-1]
    return anchor, point, np.append(length * step / np.sqrt(step @ step), rng.standard_normal())


def just_below(value):
    return math.nextafter(float(value), -math.inf)


@every_kernel
@pytest.mark.parametrize("radius", [1e-4, 0.1, 1.0])
@pytest.mark.parametrize("length", [1e-5, 1.0, 1e5])
def test_a_neuron_that_attains_the_bound_of_its_cap_is_listed(kernels, radius, length):
    for seed in range(20):
        anchor, point, w = edge(seed, radius, length)
        threshold = just_below(score(w, 0.3, point))
        lists = CandidateLists(
            [w], [0.3], [anchor], radius=radius, threshold=threshold, skin=0.0, kernels=kernels
        )
        assert as_lists(lists.query([point])) == [[0]], f"seed {seed}"


@every_kernel
def test_a_neuron_that_falls_short_of_the_bound_of_its_cap_is_not_listed(kernels):
    for seed in range(20):
        anchor, point, w = edge(seed, 0.1, 1.0)
        threshold = float(score(w, 0.3, point)) + 1e-6
        lists = CandidateLists(
            [w], [0.3], [anchor], radius=0.1, threshold=threshold, skin=0.0, kernels=kernels
        )
        assert as_lists(lists.candidates()) == [[]], f"seed {seed}"


@every_kernel
@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize(("share", "hot"), [(1.0 - 1e-6, 0), (1.0 + 1e-6, 1)])
def test_a_neuron_that_drifts_straight_to_a_point_is_found_on_both_sides_of_its_skin(
    kernels, share, hot, each
):
    skin = 0.25
    for seed in range(20):
        anchor, point, w = edge(seed, 0.1, 1.0)
        target = w + share * skin * point  # ||point|| = 1
        threshold = just_below(score(target, 0.3, point))
        # A hundred idle neurons keep a rebuild from paying.
        idle = np.zeros((100, 4))
        lists = CandidateLists(
            np.vstack((w, idle)),
            np.append(0.3, np.full(100, threshold - 1.0)),
            [anchor],
            radius=0.1,
            threshold=threshold,
            skin=np.full(101, skin) if each else skin,
            kernels=kernels,
        )
        assert lists.candidates().counts.sum() == 1 - hot, f"seed {seed}"
        assert lists.advance([0], [target]) == Advance(1, hot, False)
        assert lists.hot.tolist() == [0] * hot
        assert as_lists(lists.query([point])) == [[0]], f"seed {seed}"


@every_kernel
def test_a_point_longer_than_one_is_found_by_a_neuron_that_drifts_straight_to_it(kernels):
    skin = 1e3
    anchor = geometry.sample_slice(1, 4, rng=2)
    point = anchor * (1.0 + 0.9 * CAP_TOLERANCE)
    target = skin * (1.0 - 1e-12) * anchor  # within the skin, but not with the excess of the point
    threshold = just_below(score(target[0], 0.0, point[0]))
    W = np.zeros((100, 4))
    lists = CandidateLists(
        W, None, anchor, radius=0.1, threshold=threshold, skin=skin, kernels=kernels
    )
    lists.advance([0], target)
    assert as_lists(lists.query(point)) == [[0]]


def test_the_drift_is_the_distance_from_the_reference_and_not_the_length_of_the_way():
    W, b, anchors, threshold, _ = random_problem(m=50, n=2)
    lists = CandidateLists(W, b, anchors, radius=0.1, threshold=threshold, skin=10.0)
    there = W[7] + [3.0, 0.0, 4.0, 0.0]
    for _ in range(5):
        lists.advance([7], [there])
        assert lists.drift[7] == pytest.approx(5.0, rel=1e-6)
        assert lists.drift[7] >= 5.0 * (1.0 - 1e-15)
        lists.advance([7], [W[7]])
        assert not lists.drift.any()
    lists.advance([7], [there])
    lists.rebuild()
    assert not lists.drift.any()


def test_without_a_skin_only_neurons_that_moved_are_hot():
    W, b, anchors, threshold, _ = random_problem(m=200, n=1)
    lists = CandidateLists(W, b, anchors, radius=0.1, threshold=threshold, skin=0.0)
    moved_a_little = np.nextafter(W[[3, 5]], np.inf)
    assert lists.advance([3, 5, 9], [*moved_a_little, W[9]]).hot == 2
    assert lists.hot.tolist() == [3, 5]
    assert lists.advance([3], [W[3]]).hot == 1, "a neuron that came back is not hot any more"
    assert lists.hot.tolist() == [5]


def test_a_hot_neuron_is_listed_by_its_present_weights_only():
    anchors = np.array([[RADIUS, 0.0, 0.5], [-RADIUS, 0.0, 0.5]])
    W = np.zeros((60, 3))
    W[0] = [1.0, 0.0, 0.0]
    lists = CandidateLists(W, None, anchors, radius=0.01, threshold=0.5, skin=0.1)
    assert as_lists(lists.candidates()) == [[0], []]
    assert lists.advance([0], [[-1.0, 0.0, 0.0]]) == Advance(1, 1, False)
    assert as_lists(lists.candidates()) == [[], [0]]
    assert lists.stats().hot_entries == 1
    assert lists.advance([0], [[0.95, 0.0, 0.0]]) == Advance(1, 0, False)
    assert as_lists(lists.candidates()) == [[0], []]
    assert lists.stats().hot_entries == 0


@every_kernel
def test_the_automatic_skin_makes_lists_about_a_quarter_longer(kernels):
    W, b, anchors, threshold, _ = random_problem(m=20000, n=24, d=6, active=0.01)
    arguments = {"radius": 0.1, "threshold": threshold, "kernels": kernels}
    thin = CandidateLists(W, b, anchors, **arguments, skin=0.0).stats()
    chosen = CandidateLists(W, b, anchors, **arguments).stats()
    assert 1.15 < chosen.entries / thin.entries < 1.35
    fixed = CandidateLists(W, b, anchors, **arguments, skin=chosen.skin).stats()
    assert fixed.entries == chosen.entries


@pytest.mark.parametrize("threshold", [-1e300, -50.0, 50.0, 1e300])
def test_the_automatic_skin_is_positive_when_all_or_no_neurons_are_listed(threshold):
    W, b, anchors, _, _ = random_problem(m=50, n=3)
    lists = CandidateLists(W, b, anchors, radius=0.1, threshold=threshold)
    assert lists.stats().skin > 0.0
    assert lists.advance([4], [W[4] + 1e-3]).hot == 0


# The rebuild rule


@every_kernel
@pytest.mark.parametrize("hot", [1, 3, 40])
def test_lists_are_rebuilt_when_and_only_when_scans_would_cost_a_rebuild(kernels, hot):
    m, n = 120, 7
    W, b, anchors, threshold, rng = random_problem(m=m, n=n)
    lists = CandidateLists(
        W, b, anchors, radius=0.1, threshold=threshold, skin=0.01, kernels=kernels
    )
    first = lists.stats()
    assert first.price == m + first.pairs_listed
    assert (first.rent, first.rebuilds) == (0, 0)
    rent, price, rebuilds = 0, first.price, 0
    for step in range(2 * (m // hot) + 5):
        rows = rng.choice(m, size=hot, replace=False) if step % 3 else np.arange(hot)
        moves = rng.standard_normal((hot, 4))
        known = set(lists.hot.tolist()) | set(rows.tolist())
        outcome = lists.advance(rows, lists.weights[rows] + moves)
        due = rent + (n + 1) * len(known)
        expected = due >= price
        assert outcome.rebuilt == expected, f"step {step}: {due} of {price}"
        stats = lists.stats()
        if expected:
            rent, price, rebuilds = 0, stats.price, rebuilds + 1
            assert outcome.hot == 0
        else:
            rent = due
            assert outcome.hot == len(known)
        assert (stats.rent, stats.rebuilds) == (rent, rebuilds)
    assert rebuilds >= 2


def test_steps_in_which_no_hot_neuron_moves_cost_nothing():
    W, b, anchors, threshold, _ = random_problem(m=200, n=5)
    lists = CandidateLists(W, b, anchors, radius=0.1, threshold=threshold, skin=0.5)
    assert lists.advance([3], [W[3] + 1.0]) == Advance(1, 1, False)
    before = lists.stats()
    assert before.rent == 6
    for step in range(400):
        assert lists.advance([8], [W[8] + 1e-4 * (step % 7)]) == Advance(1, 1, False)
        assert lists.advance([], np.empty((0, 4))) == Advance(0, 1, False)
    after = lists.stats()
    assert (after.rent, after.rebuilds, after.pairs_listed) == (6, 0, before.pairs_listed)


def test_a_rebuild_on_demand_takes_the_present_weights_as_reference():
    W, b, anchors, threshold, rng = random_problem(m=300, n=5)
    arguments = {"radius": 0.1, "threshold": threshold, "skin": 0.05}
    lists = CandidateLists(W, b, anchors, **arguments)
    W = W.copy()
    W[:20] += 0.1 * rng.standard_normal((20, 4))
    lists.advance(range(20), W[:20])
    lists.rebuild()
    assert lists.candidates() == CandidateLists(W, b, anchors, **arguments).candidates()
    assert (lists.stats().rebuilds, lists.stats().hot, lists.stats().rent) == (1, 0, 0)


# What callers can rely on


def test_the_lists_that_were_handed_out_neither_change_nor_can_be_changed():
    W, b, anchors, threshold, _ = random_problem()
    lists = CandidateLists(W, b, anchors, radius=0.1, threshold=threshold)
    given_out = lists.candidates()
    kept = HalfspaceHits(given_out.indptr.copy(), given_out.indices.copy())
    lists.advance(None, W[::-1])
    assert given_out == kept
    assert lists.candidates() != kept
    for array in (given_out.indptr, given_out.indices, lists.weights, lists.drift, lists.skin):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_arguments_are_copied():
    W, b, anchors, threshold, _ = random_problem()
    lists = CandidateLists(W, b, anchors, radius=0.1, threshold=threshold)
    plain = CandidateLists(W.copy(), b.copy(), anchors.copy(), radius=0.1, threshold=threshold)
    where = anchors.copy()
    values = W[:5] + 0.01
    lists.advance(range(5), values)
    plain.advance(range(5), values.copy())
    for array in (W, b, anchors, values):
        array[...] = 0.0
    assert lists.query(where) == plain.query(where)


def test_the_repr_and_the_statistics_tell_what_there_is():
    W, b, anchors, threshold, rng = random_problem(m=500, n=8)
    lists = CandidateLists(W, b, anchors, radius=0.1, threshold=threshold, skin=0.5)
    lists.advance([1, 2], [W[1] + 0.1, W[2] + 1.0])
    points, anchor_of = random_points(anchors, 0.1, rng, 5)
    lists.query(points, anchor_of)
    stats, hits = lists.stats(), lists.candidates()
    assert (stats.m, stats.n, stats.d, len(lists)) == (500, 8, 4, 8)
    assert (stats.radius, stats.threshold, stats.skin) == (0.1, threshold, 0.5)
    assert (stats.entries, stats.longest) == (hits.indices.size, hits.counts.max())
    assert (stats.hot, stats.advances, stats.rebuilds) == (1, 1, 0)
    assert stats.hot_entries == np.count_nonzero(hits.indices == 2)
    assert stats.largest_drift == pytest.approx(2.0, rel=1e-6)
    assert stats.pairs_tested == hits.counts[anchor_of].sum()
    assert stats.memory > 3 * W.nbytes
    for word in ("m=500", "n=8", "d=4", "radius=0.1", "skin=0.5", "hot=1", "MiB"):
        assert word in repr(lists)


def test_no_points_are_no_queries():
    W, b, anchors, threshold, _ = random_problem()
    lists = CandidateLists(W, b, anchors, radius=0.1, threshold=threshold)
    assert len(lists.query(np.empty((0, 4)), [])) == 0


# The caps


def test_points_up_to_the_tolerance_outside_a_cap_are_accepted_and_decided_exactly():
    W, b, anchors, threshold, rng = random_problem(n=6)
    radius = 0.1
    lists = CandidateLists(W, b, anchors, radius=radius, threshold=threshold)
    outside, off = [], []
    for x in anchors:
        towards = rng.standard_normal(3)
        outside.append(in_cap(x, radius + 0.9 * CAP_TOLERANCE, towards, 1.0))
        off.append(in_cap(x, radius, towards, 1.0) * (1.0 + 0.9 * CAP_TOLERANCE))
    points = np.array([*outside, *off])
    steps = (points - np.vstack((anchors, anchors)))[:, :-1]
    assert (np.sqrt((steps[:6] ** 2).sum(axis=1)) > radius + 0.5 * CAP_TOLERANCE).all()
    assert_exact(lists, W, b, threshold, points, [*range(6), *range(6)])


@pytest.mark.parametrize("excess", [2.0 * CAP_TOLERANCE, 1e-6, 0.3])
def test_a_point_outside_the_cap_of_its_anchor_is_refused_by_name(excess):
    W, b, anchors, threshold, rng = random_problem(n=6)
    lists = CandidateLists(W, b, anchors, radius=0.1, threshold=threshold)
    points = anchors.copy()
    points[4] = in_cap(anchors[4], 0.1 + excess, rng.standard_normal(3), 1.0)
    with pytest.raises(ValueError, match=r"points must lie within .* row 4 is .* from anchor 4"):
        lists.query(points)
    with pytest.raises(ValueError, match=r"row 1 is .* away from anchor 4"):
        lists.query(points[[0, 4]], [0, 4])


# Bad input


BAD_CALLS = [
    (lambda lists, W, X: lists.advance([0, 0], W[:2]), ValueError, "rows must not contain"),
    (lambda lists, W, X: lists.advance([40], W[:1]), ValueError, "rows must contain indices"),
    (lambda lists, W, X: lists.advance([0, 1], W[:1]), ValueError, "values must have shape"),
    (lambda lists, W, X: lists.advance(None, W[:1]), ValueError, "values must have shape"),
    (lambda lists, W, X: lists.query(X[:1]), ValueError, "points must have one row for each"),
    (lambda lists, W, X: lists.query(X[:1], [0, 1]), ValueError, "anchor_of must have one entry"),
    (lambda lists, W, X: lists.query(X[:1], [5]), ValueError, "anchor_of must contain indices"),
    (lambda lists, W, X: lists.query(X[::-1]), ValueError, "row 0 is .* away from anchor 0"),
]


@pytest.mark.parametrize(("call", "error", "match"), BAD_CALLS)
def test_a_call_that_is_refused_leaves_everything_as_it_was(call, error, match):
    W, b, anchors, threshold, _ = random_problem(m=40, n=5)
    lists = CandidateLists(W, b, anchors, radius=0.1, threshold=threshold, skin=0.3)
    lists.advance([1, 2], [W[1] + 0.1, W[2] + 1.0])
    before = pickle.loads(pickle.dumps(lists))
    with pytest.raises(error, match=match):
        call(lists, W, anchors)
    assert lists.stats() == before.stats()
    assert lists.candidates() == before.candidates()
    for name in ("weights", "drift", "hot", "skin"):
        np.testing.assert_array_equal(getattr(lists, name), getattr(before, name))
    values = W[3:9] + 0.2
    assert lists.advance(range(3, 9), values) == before.advance(range(3, 9), values)
    assert lists.query(anchors) == before.query(anchors)


@pytest.mark.parametrize(
    "moment",
    [(HalfspaceIndex, "update"), (HalfspaceIndex, "query_halfspace"), (CandidateLists, "_enter")],
    ids=["in the index", "while listing", "in the table"],
)
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_after_an_interrupted_step_the_answers_are_those_of_the_weights(moment, error, monkeypatch):
    W, b, anchors, threshold, rng = random_problem(m=60, n=5)
    lists = CandidateLists(W, b, anchors, radius=0.1, threshold=threshold, skin=0.01)

    def interrupted(*arguments, **options):
        raise error

    new = W + rng.standard_normal(W.shape)
    with monkeypatch.context() as patch:
        patch.setattr(*moment, interrupted)
        with pytest.raises(error):
            lists.advance(None, new)
            lists.rebuild()
    points, anchor_of = random_points(anchors, 0.1, rng, 10)
    assert_exact(lists, lists.weights.copy(), b, threshold, points, anchor_of)
    assert lists.advance(None, new).moved == 60
    assert_exact(lists, new, b, threshold, points, anchor_of)


# The loops


@pytest.mark.skipif("numba" not in KERNELS, reason="needs numba")
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_the_compiled_loops_do_what_the_plain_ones_do(data):
    from sublinear_lib.halfspace import kernels_numba_lists as numba_loops

    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    m, n = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 6))
    lists = HalfspaceHits.from_mask(rng.uniform(size=(n, m)) < 0.5)
    hot = rng.uniform(size=m) < data.draw(st.sampled_from([0.0, 0.3, 1.0]))
    found = HalfspaceHits.from_mask((rng.uniform(size=(n, m)) < 0.5) & hot)
    arguments = (lists.indptr, lists.indices, hot, found.indptr, found.indices)
    merged = HalfspaceHits(*numpy_loops.merge(*arguments))
    assert merged == HalfspaceHits(*numba_loops.merge(*arguments))
    wanted = np.where(hot, found.to_mask(m), lists.to_mask(m))
    assert merged == HalfspaceHits.from_mask(wanted)

    table = rng.integers(-3, 4, size=(m, 8)).astype(np.float32)
    ceiling = rng.integers(-3, 4, size=m).astype(np.float32)
    ceiling[rng.uniform(size=m) < 0.1] = np.nan
    points = rng.integers(-2, 3, size=(n, 8)).astype(np.float32)
    begin, end = lists.indptr[:-1], lists.indptr[1:]
    arguments = (table, ceiling, points, begin, end, lists.indices)
    kept = lists.to_mask(m) & ~(points @ table.T + ceiling < 0.0)
    assert (
        HalfspaceHits.from_mask(kept).indices.tolist() == numpy_loops.sift(*arguments)[1].tolist()
    )
    for plain, compiled in zip(
        numpy_loops.sift(*arguments), numba_loops.sift(*arguments), strict=True
    ):
        np.testing.assert_array_equal(plain, compiled)
        assert plain.dtype == compiled.dtype
