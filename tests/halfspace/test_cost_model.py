"""The choice of the engine: decisions are functions of costs, and no answer depends on them."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.halfspace import HalfspaceIndex, cost_model
from sublinear_lib.halfspace.alive import slice_bounds
from sublinear_lib.halfspace.cost_model import (
    DEFAULT_COSTS,
    EXPECTED,
    Account,
    Costs,
    Load,
    Problem,
    crossed_fraction,
    first_choice,
    per_query,
    surviving_fraction,
)
from sublinear_lib.halfspace.engine import Engine
from tests.halfspace.oracle import KERNELS

pytestmark = pytest.mark.either_way

PLAIN = Problem("numpy", 3, False)
ON_SLICE = Problem("numpy", 3, True)
# A scan of m points in three dimensions costs 10 + 4 m, a tree that crosses all of them 10 + 8 m.
COSTS = Costs(
    query=10.0,
    pair=1.0,
    coordinate=1.0,
    crossed=2.0,
    crossed_coordinate=2.0,
    counted_hit=0.0,
    hit=1.0,
    sorted_hit=9.0,
    unsorted_hit=3.0,
)


# What queries are expected to touch


@given(st.integers(1, 2**24), st.integers(1, 64), st.integers(0, 64))
def test_the_crossed_share_is_a_share_and_falls_with_the_points(m, dimension, of_64):
    activity = of_64 / 64
    share = crossed_fraction(m, dimension, activity)
    assert 0.0 <= share <= 1.0
    assert crossed_fraction(2 * m, dimension, activity) <= share
    assert crossed_fraction(m, dimension, 1.0 - activity) == share
    assert crossed_fraction(m, dimension + 1, activity) >= share


@pytest.mark.parametrize("dimension", [2, 3, 4, 6])
@pytest.mark.parametrize("offset", [2.326, 1.282, 0.0])
def test_the_crossed_share_describes_the_tree_on_normal_points(dimension, offset):
    rng = np.random.default_rng(dimension)
    points, normals = rng.standard_normal((2**14, dimension)), rng.standard_normal((32, dimension))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    index = HalfspaceIndex(points, method="tree", kernels="numpy")
    activity = index.count_halfspace(normals, offset).mean() / 2**14
    found = index.stats().points_tested / (32 * 2**14)
    expected = crossed_fraction(2**14, dimension, activity)
    assert found / 1.7 <= expected <= found * 1.7


@given(st.lists(st.floats(-5.0, 5.0), max_size=20), st.lists(st.floats(-5.0, 5.0), max_size=9))
def test_the_surviving_share_is_counted_by_binary_search(bounds, offsets):
    share = surviving_fraction(np.sort(bounds), np.array(offsets))
    if bounds and offsets:
        wanted = np.mean([[bound >= c for bound in bounds] for c in offsets])
        assert share == pytest.approx(wanted)
    else:
        assert share == 0.0


def test_the_cost_of_a_query_is_the_sum_of_its_steps():
    listing, counting = Load(0.1, 1.0, 1.0), Load(0.1, 0.0, 0.0)
    mixed = Load(0.1, 0.5, 0.5)
    m = 1000
    for load, engine, tested, wanted in (
        (listing, "scan", 0.3, 10 + 4000 + 100),
        (listing, "tree", 0.3, 10 + 300 * 8 + 900),
        (listing, "cap", 0.3, 10 + 300 * 4 + 900),
        (counting, "scan", 0.3, 10 + 4000),
        (counting, "tree", 0.3, 10 + 300 * 8),
        (mixed, "scan", 1.0, 10 + 4000 + 50),
        (mixed, "tree", 1.0, 10 + 8000 + 300),
    ):
        assert per_query(COSTS, PLAIN, engine, m, load, tested) == pytest.approx(wanted)
    dear = COSTS._replace(counted_hit=2.0)
    # A tree counts whole blocks and picks only what it tests, half of it inside.
    for engine, more in (("scan", 200), ("cap", 200), ("tree", 60)):
        before, after = (per_query(c, PLAIN, engine, m, counting, 0.06) for c in (COSTS, dear))
        assert after - before == pytest.approx(more)
        before, after = (per_query(c, PLAIN, engine, m, listing, 1.0) for c in (COSTS, dear))
        assert after - before == pytest.approx(200)


# The first choice


def test_the_first_choice_follows_the_costs():
    assert first_choice(COSTS, PLAIN, 10**5) == "tree"
    assert first_choice(COSTS._replace(crossed=1e3), PLAIN, 10**5) == "scan"
    assert first_choice(COSTS, Problem("numpy", 30, False), 10**5) == "scan"
    assert first_choice(COSTS, PLAIN, 100) == "scan"
    assert first_choice(COSTS, PLAIN, 10**5, Load(0.5, 1.0, 1.0)) == "scan"
    assert first_choice(COSTS, PLAIN, 10**5, Load(0.5, 0.0, 0.0)) == "tree"
    assert first_choice(COSTS, ON_SLICE, 10**5) == first_choice(COSTS, ON_SLICE, 5) == "cap"
    assert first_choice(COSTS, Problem("numba", 3, True), 2**18) == "cap"
    assert first_choice(COSTS, Problem("numba", 3, True), 2**19) == "tree"
    assert first_choice(COSTS, Problem("numba", 4, True), 2**19) == "cap"
    assert first_choice(COSTS, Problem("numpy", 3, True), 2**19) == "cap"
    assert first_choice(COSTS, Problem("numpy", 2, True), 10**5) == "tree"
    assert first_choice(COSTS._replace(crossed=1e3), Problem("numpy", 2, True), 10**5) == "scan"


@pytest.mark.parametrize("kernels", ["numba", "numpy"])
def test_the_stored_costs_choose_what_was_measured_to_be_best(kernels):
    # Queries that list one per cent, in the benchmark the constants come from.
    def engine(m, dimension):
        return first_choice(DEFAULT_COSTS[kernels], Problem(kernels, dimension, False), m)

    assert Account(Problem(kernels, 3, False)).costs is DEFAULT_COSTS[kernels]
    assert [engine(2**16, d) for d in (2, 3, 16, 32)] == ["tree", "tree", "scan", "scan"]
    assert engine(2**20, 3) == "tree"
    assert engine(100, 2) == "scan"
    if kernels == "numpy":
        assert engine(2**16, 8) == "scan"


# The account


def account(problem=PLAIN, costs=COSTS):
    made = Account(problem)
    made.costs = costs
    return made


HALF = Load(0.5, 1.0, 1.0)


def test_an_engine_is_exchanged_when_it_has_lost_what_the_other_costs_to_build():
    book = account()
    m = 10_000
    loss = per_query(COSTS, PLAIN, "tree", m, HALF, 0.2) - per_query(
        COSTS, PLAIN, "scan", m, HALF, 1.0
    )
    assert loss > 0
    needed = int(np.ceil(cost_model._BUILD["scan"] * m / loss))
    assert needed > 3
    for _ in range(needed - 1):
        assert book.book("tree", m, 1, HALF, 0.2, 0.0) == "tree"
    assert book.book("tree", m, 1, HALF, 0.2, 0.0) == "scan"
    assert "faster than the tree where queries find 0.5 of 10000" in book.reason
    # All at once is the same.
    book = account()
    assert book.book("tree", m, needed - 1, HALF, 0.2, 0.0) == "tree"
    book = account()
    assert book.book("tree", m, needed, HALF, 0.2, 0.0) == "scan"


def test_queries_that_suit_the_engine_pay_its_debt_back():
    book = account()
    m, few = 10_000, Load(0.001, 1.0, 1.0)
    for _ in range(10_000):
        assert book.book("tree", m, 1, HALF, 0.2, 0.0) == "tree"
        assert book.book("tree", m, 2, few, 0.01, 0.0) == "tree"


def test_few_points_are_not_worth_an_exchange():
    book = account()
    assert book.book("tree", 500, 10**9, HALF, 1.0, 0.0) == "tree"


def test_on_X_the_offsets_say_what_a_cap_prefix_would_test():
    counting = Load(0.01, 0.0, 0.0)
    for surviving, wanted in ((0.05, "cap"), (1.0, "scan")):
        book = account(ON_SLICE, COSTS._replace(crossed=100.0))
        assert book.book("scan", 10**5, 10**6, counting, 1.0, surviving) == wanted
    book = account(PLAIN, COSTS._replace(crossed=100.0))
    assert book.book("scan", 10**5, 10**6, counting, 1.0, 0.0) == "scan", "no cap without a domain"


@settings(deadline=None)
@given(
    st.floats(0.0, 1.0),
    st.floats(0.0, 1.0),
    st.floats(0.0, 1.0),
    st.floats(0.01, 1.0),
    st.floats(0.01, 1.0),
    st.integers(512, 10**6),
    st.integers(1, 10**4),
)
def test_steady_queries_take_at_most_twice_the_best_time_and_one_call(
    activity, listed, in_order, crossed, surviving, m, q
):
    load = Load(activity, listed, in_order)
    shares = {
        "scan": 1.0,
        "cap": surviving,
        "tree": crossed_fraction(m, ON_SLICE.dimension, activity),
    }
    cost = {name: per_query(COSTS, ON_SLICE, name, m, load, shares[name]) for name in shares}
    for start in shares:
        book = account(ON_SLICE)
        engine, spent, exchanges = start, 0.0, 0
        for _ in range(50):
            spent += q * cost[engine]
            following = book.book(engine, m, q, load, shares[engine], surviving)
            if following != engine:
                spent += cost_model._BUILD[following] * m
                exchanges += 1
            engine = following
        best = 50 * q * min(cost.values())
        build = cost_model._BUILD[min(cost, key=cost.__getitem__)] * m
        assert exchanges <= 1
        assert spent <= best + 2 * build + q * cost[start]


def test_fewer_points_exchange_an_engine_only_for_a_clearly_better_one():
    plane = Problem("numpy", 2, False)
    book = account(plane, DEFAULT_COSTS["numpy"])
    assert book.choose(2**14) == "tree"
    assert book.choose(1000, "tree") == "tree"
    assert first_choice(DEFAULT_COSTS["numpy"], plane, 1000) == "scan"
    assert book.choose(50, "tree") == "scan"
    assert "50" in book.reason
    assert book.choose(2**14, "scan") == "tree"


def test_a_tree_that_tests_every_point_is_never_better_than_a_scan():
    costs, m, flat = DEFAULT_COSTS["numba"], 2**14, Problem("numba", 16, False)
    assert crossed_fraction(m, 16, 0.01) == 1.0
    assert first_choice(costs, flat, m) == "scan"
    for load in (EXPECTED, HALF):
        scan, tree = (per_query(costs, flat, name, m, load, 1.0) for name in ("scan", "tree"))
        assert scan <= tree


# The index


@pytest.fixture
def hasty(monkeypatch):
    """Let little suffice for an exchange."""
    monkeypatch.setattr(cost_model, "_BUILD", dict.fromkeys(("scan", "cap", "tree"), 1e-3))
    monkeypatch.setattr(cost_model, "_PAIRS_BETWEEN_LOOKS", 1)


def problem(d=2, m=2**13, q=64, domain=None):
    rng = np.random.default_rng(0)
    normals = rng.standard_normal((q, d))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    if domain:
        normals[:, :-1] *= np.sqrt(0.75) / np.linalg.norm(normals[:, :-1], axis=1, keepdims=True)
        normals[:, -1] = 0.5
    return rng.standard_normal((m, d)), normals


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("ask", ["query_halfspace", "count_halfspace", "mask_halfspace"])
def test_the_engine_follows_the_queries_and_the_answers_stay(kernels, ask, hasty):
    points, normals = problem()
    index = HalfspaceIndex(points, kernels=kernels)
    fixed = HalfspaceIndex(points, method="scan", kernels="numpy")
    seen = []
    for offset in (2.3, -3.0, -3.0, 2.3, 2.3):
        found, wanted = (getattr(i, ask)(normals, offset) for i in (index, fixed))
        assert np.array_equal(found, wanted) if ask != "query_halfspace" else found == wanted
        seen.append(index.stats().engine)
    assert seen[0] == "tree"
    if ask != "mask_halfspace":  # for which both are as good
        assert seen[2] == ("scan" if ask == "query_halfspace" else "tree")
    assert seen[4] == "tree"
    assert "where queries find" in index.stats().reason
    assert fixed.stats().reason == "asked for"


@pytest.mark.parametrize("kernels", KERNELS)
def test_on_X_the_scan_takes_over_where_most_points_are_hits(kernels, hasty):
    points, normals = problem(d=8, domain="slice")
    index = HalfspaceIndex(points, kernels=kernels, domain="slice")
    assert index.stats().engine == "cap"
    np.testing.assert_array_equal(
        index._chooser._bounds, np.sort(slice_bounds(points[::2], None)[1])
    )
    counts = [index.count_halfspace(normals, c).mean() / 2**13 for c in (-9.0, 2.0)]
    assert counts[0] > 0.99 and counts[1] < 0.05
    index.query_halfspace(normals, -9.0)
    index.query_halfspace(normals, -9.0)
    assert index.stats().engine == "scan"
    index.query_halfspace(normals, 2.0)
    assert index.stats().engine == "cap"


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("ask", ["query_halfspace", "count_halfspace", "mask_halfspace"])
def test_a_call_of_thousands_of_queries_is_tried_on_a_few_first(kernels, ask, hasty, monkeypatch):
    monkeypatch.setattr(cost_model, "_LARGE_CALL", 32)
    points, normals = problem()
    index = HalfspaceIndex(points, kernels=kernels)
    asked = []
    for name in ("query", "count"):
        whole = getattr(Engine, name)

        def noted(self, normals, *rest, whole=whole):
            asked.append((self.name, len(normals)))
            return whole(self, normals, *rest)

        monkeypatch.setattr(Engine, name, noted)
    getattr(index, ask)(normals, -3.0)
    assert [q for _, q in asked] == [16, 64]
    if ask != "mask_halfspace":
        engine = "scan" if ask == "query_halfspace" else "tree"
        assert [name for name, _ in asked] == ["tree", engine]
    getattr(index, ask)(normals[:5], 2.3)
    assert len(asked) == 3


@pytest.mark.parametrize("kernels", KERNELS)
def test_readers_may_exchange_the_engine_under_each_other(kernels, hasty):
    points, normals = problem()
    index = HalfspaceIndex(points, kernels=kernels)
    fixed = HalfspaceIndex(points, method="scan", kernels="numpy")
    offsets = [2.3, -3.0]
    wanted = [fixed.query_halfspace(normals, c) for c in offsets]
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(index.query_halfspace, normals, offsets[i % 2]) for i in range(40)]
        for i, job in enumerate(jobs):
            assert job.result() == wanted[i % 2]


def test_a_reader_does_not_wait_for_another_one_at_the_account(hasty):
    points, normals = problem()
    index = HalfspaceIndex(points, kernels="numpy")
    with index._chooser._lock:
        for _ in range(5):
            index.query_halfspace(normals, -3.0)
        assert index.stats().engine == "tree"
    index.query_halfspace(normals, -3.0)
    assert index.stats().engine == "scan", "what was taken down meanwhile must not be lost"


def test_changes_and_copies_keep_what_was_learned(hasty):
    points, normals = problem()
    index = HalfspaceIndex(points, kernels="numpy")
    for _ in range(2):
        index.query_halfspace(normals, -3.0)
    assert index.stats().engine == "scan"
    for other in (index.copy(), pickle.loads(pickle.dumps(index))):
        other.insert(points)
        assert other.stats().engine == "scan"
        other.rebuild()
        assert other.stats().engine == "scan"
        for _ in range(3):
            other.query_halfspace(normals, 2.3)
        assert other.stats().engine == "tree"
    assert index.stats().engine == "scan"


def test_a_rebuilt_engine_is_not_charged_for_what_it_tested_before(hasty, monkeypatch):
    points, normals = problem()
    index = HalfspaceIndex(points, kernels="numpy")
    index.query_halfspace(normals, 2.3)
    index.rebuild()
    before = index.stats()
    assert (before.engine, before.rebuilds) == ("tree", 1)
    told = []
    settle = Account.settle

    def noted(self, present, m, tested, surviving):
        told.append(tested)
        return settle(self, present, m, tested, surviving)

    monkeypatch.setattr(Account, "settle", noted)
    index.query_halfspace(normals, 2.3)
    assert told == [index.stats().points_tested - before.points_tested]


def test_waived_order_is_taken_into_account():
    index = HalfspaceIndex(problem()[0], kernels="numpy")
    normals = problem()[1]
    index.query_halfspace(normals[:10], 0.0)
    index.query_halfspace(normals[:30], 0.0, sort_results=False)
    index.count_halfspace(normals[:40], 0.0)
    book = index._chooser._account
    assert (book._queries, book._listed, book._in_order) == (80, 40, 10)
    book.settle("tree", len(index), 0, 0.0)
    assert book.load[1:] == (0.5, 0.25)
    assert book.load.activity == pytest.approx(0.5, abs=0.05)
