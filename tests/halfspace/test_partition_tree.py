"""The partition tree: exact answers, quarters that are quarters, and Willard's exponent."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from sublinear_lib import predicates
from sublinear_lib.halfspace.partition_tree import PartitionTree
from tests.halfspace.oracle import as_lists
from tests.halfspace.plane import planar_points

pytestmark = pytest.mark.either_way

GRID = np.stack(np.meshgrid(np.arange(32.0), np.arange(32.0)), axis=-1).reshape(-1, 2)
WILLARD = math.log(3.0, 4.0)


def cuts(tree):
    """Return the inner nodes of a tree, and the ids in the wedges of each."""
    nodes = tree._nodes
    below = [tree._ids[node.start : node.stop] for node in nodes]
    return [(node, [below[i] for i in node.children]) for node in nodes if node.children]


def normal_points(m, seed=0):
    return np.random.default_rng(seed).standard_normal((m, 2))


# Exact answers


@pytest.mark.parametrize("boxes", [True, False])
@pytest.mark.parametrize("strict", [True, False])
def test_lines_along_the_cuts_are_decided_truly(boxes, strict):
    # Both cuts, and every line through the tip of the root's wedges, with ties in plenty.
    tree = PartitionTree(GRID, leaf_size=1, boxes=boxes)
    for cut, _ in cuts(tree)[:20]:
        o_x, o_y = cut.origin
        d_x, d_y = cut.direction
        normals = np.array([[1.0, 0.0], [-1.0, 0.0], [-d_y, d_x], [d_y, -d_x], [1.0, 2.0]])
        offsets = normals @ [o_x, o_y]
        wanted = predicates.exceeds_many(GRID, None, normals, offsets[:, None], strict=strict)
        mask = tree.query_halfspace(normals, offsets, strict=strict).to_mask(len(GRID))
        np.testing.assert_array_equal(mask, wanted)


# The cuts


@settings(deadline=None, max_examples=60)
@given(planar_points())
def test_every_point_lies_in_the_wedge_of_its_part(points):
    tree = PartitionTree(points, leaf_size=1)
    everything = list(range(len(points)))
    for cut, parts in cuts(tree):
        (o_x, o_y), (d_x, d_y) = cut.origin, cut.direction
        assert d_x > 0.0
        below = sorted(i for part in parts for i in part.tolist())
        assert cut.depth > 0 or below == everything
        for number, part in enumerate(parts):
            assert len(part) <= (len(below) + 1) // 2
            right_or_left = 1 if number >= 2 else -1
            up_or_down = -1 if number % 2 else 1
            for x, y in points[part].tolist():
                assert (x - o_x) * right_or_left >= 0.0
                side = predicates.exact_sign((x, y, o_x, o_y), 0.0, (-d_y, d_x, d_y, -d_x), 0.0)
                assert side * up_or_down >= 0
    reached = {i for _, parts in cuts(tree) for part in parts for i in part.tolist()}
    assert reached == (set(everything) if len(points) > 1 else set())


QUARTERED = {
    "normal": normal_points(1024),
    "normal, a number not divisible": normal_points(1001),
    "lattice": GRID,
    "long lattice": GRID * [1000.0, 2.0**-20],
    "equal points": np.ones((1024, 2)),
    "horizontal line": np.arange(1024.0)[:, None] * [1.0, 0.0],
    "diagonal": np.arange(1024.0)[:, None] * [1.0, 1.0],
    "far from the origin": normal_points(1024) + 1e6,
    "huge": normal_points(1024) * 2.0**1000,
    "tiny": normal_points(1024) * 2.0**-1000,
}


@pytest.mark.parametrize("points", QUARTERED.values(), ids=QUARTERED)
def test_cuts_make_quarters(points):
    tree = PartitionTree(points, leaf_size=4)
    assert tree.stats().height == 4
    for cut, parts in cuts(tree):
        sizes = [len(part) for part in parts]
        assert max(sizes) - min(sizes) <= 2, f"depth {cut.depth}: {sizes}"


@pytest.mark.parametrize("boxes", [True, False])
def test_points_that_cannot_be_quartered_are_halved(boxes):
    # On a line that float64 cannot represent; on a vertical line, which one more cut cannot halve
    # twice; in a few places, two of which are medians one above the other; of all sizes.
    rng = np.random.default_rng(0)
    slanted = np.arange(1024.0)[:, None] * [0.1, 1.0 / 3.0]
    vertical = np.column_stack((np.full(1024, 0.3), rng.standard_normal(1024)))
    spread = np.exp(100.0 * rng.standard_normal((1024, 2)))
    places = rng.integers(0, 3, (1024, 2)).astype(float)
    for points in (slanted, vertical, places, spread):
        tree = PartitionTree(points, leaf_size=1, boxes=boxes)
        assert tree.stats().height <= 11
        normals = rng.standard_normal((20, 2))
        offsets = normals @ points[::100][:1].T @ [1.0]
        wanted = predicates.exceeds_many(points, None, normals, offsets[:, None])
        np.testing.assert_array_equal(tree.query_halfspace(normals, offsets).to_mask(1024), wanted)


# The work


@pytest.mark.parametrize("h", [1, 3, 5])
def test_without_boxes_every_query_visits_three_wedges_of_four(h):
    tree = PartitionTree(normal_points(4**h), leaf_size=1, boxes=False)
    for normal, offset in (([0.6, 0.8], 0.1), ([-0.3, 0.7], 0.0), ([3.1, -1.7], 50.0)):
        before = tree.stats()
        tree.query_halfspace([normal], offset)
        after = tree.stats()
        assert after.nodes_visited - before.nodes_visited == (3 ** (h + 1) - 1) // 2


def test_without_boxes_a_vertical_line_visits_two_wedges_of_four():
    tree = PartitionTree(normal_points(4**4), leaf_size=1, boxes=False)
    tree.query_halfspace([[1.0, 0.0]], 0.1)
    assert tree.stats().nodes_visited == 2**5 - 1
    tree = PartitionTree(normal_points(1000))
    tree.query_halfspace([[1.0, 0.0]], 100.0)
    assert tree.stats().nodes_visited == 1, "the box of the root says it"
    tree.query_halfspace([[1.0, 0.0]], -100.0)
    assert tree.stats().nodes_visited == 2


# What it says of itself


def test_boxes_change_the_work_but_not_the_answer():
    points = normal_points(500)
    trees = [PartitionTree(points, leaf_size=1, boxes=boxes) for boxes in (True, False)]
    normals = normal_points(20, seed=1)
    first, second = (tree.query_halfspace(normals, 0.7) for tree in trees)
    assert as_lists(first) == as_lists(second)
    assert trees[0].stats().nodes_visited < trees[1].stats().nodes_visited / 2


def test_repr_and_len_give_the_sizes():
    tree = PartitionTree(normal_points(64), leaf_size=4)
    assert repr(tree) == "PartitionTree(m=64, leaf_size=4, height=2)"
    assert len(tree) == 64
