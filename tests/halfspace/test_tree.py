"""The tree stays a tree: well partitioned after any change, at the price its docstring states."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.halfspace import HalfspaceIndex, tree
from sublinear_lib.halfspace.kernels import FANOUT, Output, numba_allowed
from sublinear_lib.halfspace.tree import _left_blocks, median_order
from tests.halfspace.invariants import check_tree

pytestmark = pytest.mark.either_way

NORMALS = np.vstack((np.eye(3), -np.eye(3)))


def tree_index(points, leaf_size=64, **options):
    return HalfspaceIndex(points, method="tree", kernels="numpy", leaf_size=leaf_size, **options)


def normal_points(m, seed=0, d=3):
    return np.random.default_rng(seed).standard_normal((m, d))


def scored_points(index):
    """How many points a fixed batch of queries has to score."""
    before = index.stats().points_tested
    for offset in (1.0, 2.0, 3.0):
        index.query_halfspace(NORMALS, offset)
    return index.stats().points_tested - before


# Median splits


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 70), st.integers(1, 5), st.integers(1, 3), st.data())
def test_median_order_is_a_permutation_with_the_free_places_last(blocks, size, d, data):
    n = blocks * size
    numbers = data.draw(st.lists(st.integers(0, 3), min_size=n * d, max_size=n * d))
    points = np.array(numbers, dtype=np.float32).reshape(n, d)
    free = data.draw(st.integers(0, n))
    points[n - free :] = np.nan
    order = median_order(points, blocks)
    assert order.shape == (blocks, size)
    assert sorted(order.ravel().tolist()) == list(range(n))
    # Sorting a block must be enough to bring its points to the front, and empty blocks come last.
    taken = (order < n - free).sum(axis=1)
    assert (np.diff((taken > 0).astype(int)) <= 0).all()


def test_median_order_separates_along_the_widest_coordinate():
    rng = np.random.default_rng(0)
    points = (rng.standard_normal((256, 2)) * [100.0, 1.0]).astype(np.float32)
    low, high = points[median_order(points, 2), 0]
    assert low.max() <= high.min()
    quarters = points[median_order(points, 4), 0]
    assert (quarters[:-1].max(axis=1) <= quarters[1:].min(axis=1)).all()


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 4), st.integers(2, 40), st.data())
def test_a_split_keeps_the_order_of_arrival_on_any_processor(rows, width, data):
    some = st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0, np.inf, np.nan])
    numbers = data.draw(st.lists(some, min_size=rows * width, max_size=rows * width))
    keys = np.array(numbers, dtype=np.float32).reshape(rows, width)
    count = data.draw(st.integers(1, width - 1))
    order = np.argsort(keys, axis=1, kind="stable")
    halves = np.sort(order[:, :count], axis=1), np.sort(order[:, count:], axis=1)
    wanted = np.concatenate(halves, axis=1) + width * np.arange(rows)[:, None]
    assert tree._smallest_first(keys, count).tolist() == wanted.ravel().tolist()


def test_parts_are_split_near_the_middle_and_never_through_a_node():
    for count in range(2, 5000):
        left = _left_blocks(count)
        node = FANOUT ** int(np.log(count - 0.5) / np.log(FANOUT))
        assert 0 < left < count
        assert left % node == 0, f"{count} blocks are split at {left}, through a node of {node}"
        assert abs(left - count / 2) <= node / 2


def test_the_order_within_a_block_does_not_matter(monkeypatch):
    # Median splits may leave free places anywhere in a block; the tree must not.
    rng = np.random.default_rng(0)
    monkeypatch.setattr(
        tree,
        "median_order",
        lambda points, blocks: rng.permuted(median_order(points, blocks), axis=1),
    )
    index = tree_index(normal_points(2001), leaf_size=16)
    check_tree(index._engine)
    index.insert(normal_points(130, seed=1))
    check_tree(index._engine)
    index.remove(np.arange(2001, 2131, 3))
    index.insert(normal_points(64, seed=2))
    check_tree(index._engine)
    assert index.stats().rebuilds == 0


def test_a_tree_of_any_size_fills_its_blocks():
    for m in (1, 63, 64, 65, 1000, 1024, 1025, 5000):
        index = tree_index(normal_points(m))
        check_tree(index._engine)
        live = index._engine._tree.live[: int(index._engine._tree.leaves[0])]
        assert live.max() <= 64
        assert live.size == -(-m // 64)
        assert live.min() >= live.max() - live.size, "blocks must be filled alike"


@pytest.mark.parametrize("offset", [1.5, 2.0, 2.5])
def test_scored_points_grow_no_faster_than_the_theory_says(offset):
    # A hyperplane crosses O(m**(2/3)) blocks of m points that fill three dimensions.
    sizes = 2 ** np.arange(10, 17, 2)
    scored = []
    for m in sizes:
        index = tree_index(normal_points(m))
        index.query_halfspace(NORMALS, offset)
        scored.append(index.stats().points_tested)
    exponent = np.polyfit(np.log(sizes), np.log(scored), 1)[0]
    assert exponent < 2 / 3 + 0.05, f"exponent {exponent:.2f} from {scored}"


# Insertions


@pytest.fixture
def moved(monkeypatch):
    """How many points each median split was given, one entry for each."""
    sizes = []
    monkeypatch.setattr(
        tree, "median_order", lambda p, blocks: sizes.append(len(p)) or median_order(p, blocks)
    )
    return sizes


def test_an_insertion_is_regrouped_half_as_often_as_there_are_levels(moved):
    blocks, leaf_size = 256, 8
    index = tree_index(normal_points(9 * blocks * leaf_size, d=2), leaf_size=leaf_size)
    moved.clear()
    for point in normal_points(blocks * leaf_size, d=2):
        index.insert(point[None])
    assert index.stats().rebuilds == 0
    # Counting to 2**8, bit j is set 2**(7 - j) times, each time for 2**j blocks; bit 0 is free.
    assert sum(moved) == leaf_size * (7 * 128 + 256)
    check_tree(index._engine)


def test_growing_from_nothing_costs_a_logarithm_per_point(moved):
    n, leaf_size = 3000, 8
    index = tree_index(np.empty((0, 2)), leaf_size=leaf_size)
    for point in normal_points(n, d=2):
        index.insert(point[None])
    check_tree(index._engine)
    # Rebuilds happen when an eighth more blocks are used, so their sizes add up to 9 n at most.
    assert sum(moved) <= n * (9 + np.log2(n / leaf_size) / 2)
    assert index.stats().rebuilds <= np.log(n / leaf_size) / np.log(1.125) + 5


@pytest.mark.parametrize("batch", [1, 7, 64, 2040])
def test_inserted_points_are_well_partitioned(batch):
    # 2040 points are 255 blocks, in groups of 128, 64, ..., 1: the hardest number for the counter.
    points, inserted = normal_points(20_480), normal_points(2040, seed=1)
    index = tree_index(points, leaf_size=8)
    before = scored_points(index)
    for start in range(0, 2040, batch):
        index.insert(inserted[start : start + batch])
    assert index.stats().rebuilds == 0
    check_tree(index._engine)
    extra = scored_points(index) - before
    one_group = scored_points(tree_index(inserted, leaf_size=8))
    assert extra < 2.0 * one_group, "without regrouping it would be four times as many"


def test_insertions_beyond_the_reserve_rebuild_the_tree_once():
    points = normal_points(4000)
    index = tree_index(points[:2000])
    index.insert(points[2000:])
    assert index.stats().rebuilds == 1
    check_tree(index._engine)


# Removals


def test_the_tree_is_rebuilt_when_most_points_are_gone():
    index = tree_index(normal_points(4000))
    large = index.stats().memory
    index.remove(np.arange(1900))
    assert index.stats().rebuilds == 0
    index.remove(np.arange(1900, 3900))
    assert index.stats().rebuilds == 1
    assert index.stats().memory < large / 4, "removed points must not keep their memory"
    check_tree(index._engine)


def test_alternating_insertions_and_removals_rarely_rebuild():
    points = normal_points(1000)
    index = tree_index(points)
    for step in range(500):
        ids = index.insert(points[step : step + 1] + 10.0)
        index.remove(ids)
    check_tree(index._engine)
    assert index.stats().rebuilds <= 3


# Moves


def test_small_moves_never_rebuild_and_keep_pruning():
    points = normal_points(4000)
    index = tree_index(points)
    fresh = scored_points(index)
    ids = np.arange(4000)
    for step in range(20):
        points = points + 1e-3 * normal_points(4000, seed=step)
        index.update(ids, points)
    assert index.stats().rebuilds == 0
    check_tree(index._engine)
    assert scored_points(index) < 1.2 * fresh


@pytest.mark.skipif(not numba_allowed(), reason="needs numba")
@pytest.mark.parametrize("moved", [1, 20, 500, 4000])
def test_compiled_moves_leave_the_same_tree(moved):
    rng = np.random.default_rng(0)
    points = normal_points(4000)
    indexes = [HalfspaceIndex(points, method="tree", kernels=name) for name in ("numpy", "numba")]
    for _ in range(3):
        ids = np.sort(rng.choice(4000, moved, replace=False))
        points[ids] += 1e-3 * rng.standard_normal((moved, 3))
        for index in indexes:
            index.update(ids, points[ids])
            check_tree(index._engine)
    one, other = (index._engine._tree for index in indexes)
    for name in ("coordinates", "rows", "center", "half"):
        leaves = int(one.leaves[0]) if name in ("coordinates", "rows") else None
        np.testing.assert_array_equal(getattr(one, name)[:leaves], getattr(other, name)[:leaves])


def test_large_moves_rebuild_and_restore_pruning():
    points = normal_points(4000)
    index = tree_index(points)
    moved = normal_points(4000, seed=99)
    index.update(np.arange(4000), moved)
    assert index.stats().rebuilds == 1
    assert scored_points(index) == scored_points(tree_index(moved))


def test_a_single_wanderer_does_not_rebuild_the_tree():
    index = tree_index(normal_points(4000))
    for step in range(200):
        index.update([17], [[100.0 * step, 0.0, 0.0]])
    assert index.stats().rebuilds == 0
    check_tree(index._engine)
    assert index.query_halfspace([[1.0, 0.0, 0.0]], 10_000.0)[0].tolist() == [17]


@pytest.mark.parametrize("method", ["scan", "tree"])
@pytest.mark.parametrize("factor", [2.0**900, 2.0**-900])
def test_points_that_outgrow_or_shrink_below_the_scale_get_a_new_one(method, factor):
    points = normal_points(500)
    index = HalfspaceIndex(points, method=method, kernels="numpy")
    index.update(np.arange(500), points * factor)
    assert index.stats().rebuilds == 1
    hits = index.query_halfspace(np.eye(3), factor)
    np.testing.assert_array_equal(hits.to_mask(500), points.T > 1.0)
    assert index.stats().pairs_settled < 30, "on the right scale float32 decides almost all"


@pytest.mark.skipif(not numba_allowed(), reason="needs numba")
def test_a_large_answer_takes_its_own_memory_and_no_more():
    points = normal_points(20_000, d=2)
    engine = HalfspaceIndex(points, method="tree", kernels="numba")._engine
    normals, offsets = normal_points(2000, seed=1, d=2), np.zeros(2000)
    engine.query(normals[:10], offsets[:10], True)
    out = np.empty(2000 * 20_000, dtype=np.int32)
    tracemalloc.start()
    hits = engine.query(normals, offsets, True, Output(sort=False, out=out))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.shares_memory(hits.indices, out)
    assert len(hits.indices) > 15_000_000
    assert peak < 4 * 2**20, f"{peak} bytes besides the buffer"
