"""What must hold inside a tree, and inside a cap prefix, after any operation."""

from __future__ import annotations

import numpy as np

from sublinear_lib.halfspace import cap
from sublinear_lib.halfspace.alive import slice_bounds
from sublinear_lib.halfspace.kernels import FANOUT


def points_at(blocks, places):
    """Return the points at places of blocks, shape (k, D)."""
    return blocks.coordinates[places // blocks.width, :, places % blocks.width]


def check_tree(engine):
    """Check that every point is where the tree says, under boxes that contain it."""
    tree, store = engine._tree, engine._store
    leaves, lanes = int(tree.leaves[0]), tree.rows.shape[1]
    rows = tree.rows[:leaves]

    # Every live row is in exactly one lane, and the way back is known.
    held = rows[rows >= 0]
    assert sorted(held.tolist()) == store.live_rows().tolist()
    block, lane = np.nonzero(rows >= 0)
    np.testing.assert_array_equal(engine._place[held], block * lanes + lane)
    assert int(tree.row_bound[0]) == store.size

    # The points of a block fill its first lanes; the others are NaN.
    live = (rows >= 0).sum(axis=1)
    np.testing.assert_array_equal(tree.live[:leaves], live)
    np.testing.assert_array_equal(rows >= 0, np.arange(lanes) < live[:, None])
    np.testing.assert_array_equal(tree.live_before[: leaves + 1], np.append(0, np.cumsum(live)))
    points = engine._rounded(held)
    np.testing.assert_array_equal(tree.coordinates[block, :, lane], points)
    free = np.isnan(tree.coordinates[:leaves]).all(axis=1)
    np.testing.assert_array_equal(free, rows < 0)

    # Every box on the way up contains the point, with room for rounding; the rest is NaN.
    norms = np.sqrt((points.astype(np.float64) ** 2).sum(axis=1))
    assert (tree.radius[block] >= norms).all()
    items = leaves
    for level in range(len(tree.first) - 1):
        node = block // FANOUT**level
        group = tree.first[level] + node // FANOUT
        center = tree.center[group, :, node % FANOUT].astype(np.float64)
        half = tree.half[group, :, node % FANOUT].astype(np.float64)
        distance = np.abs(points - center)
        assert (distance <= half).all(), f"a point sticks out of its box on level {level}"
        room = half - distance
        assert (room >= np.abs(points) * 2.0**-22).all(), f"no room for rounding on level {level}"
        used = np.zeros((tree.first[level + 1] - tree.first[level]) * FANOUT, dtype=bool)
        used[np.unique(node)] = True
        stored = tree.center[tree.first[level] : tree.first[level + 1]].transpose(0, 2, 1)
        empty = np.isnan(stored.reshape(len(used), -1)).all(axis=1)
        np.testing.assert_array_equal(empty, ~used)
        items = -(-items // FANOUT)
    assert items == 1, "the last level has one group"


def check_cap(engine):
    """Check that every point is where the engine says, under the limit of its group."""
    store, size = engine._store, cap.GROUP
    rows, blocks = engine._rows, engine._blocks
    held = rows[rows >= 0]
    assert sorted(held.tolist()) == store.live_rows().tolist()
    places = np.flatnonzero(rows >= 0)
    np.testing.assert_array_equal(engine._place[held], places)
    assert places.max(initial=-1) < engine._used <= blocks.capacity == len(rows)
    points = engine._rounded(held)
    np.testing.assert_array_equal(points_at(blocks, places), points)
    free = np.flatnonzero(rows < 0)
    assert np.isnan(points_at(blocks, free)).all()
    assert not engine._fallen[free].any()
    assert engine._many_fallen == engine._fallen.sum()
    groups = -(-engine._used // size)
    for array in (engine._highest, engine._ceiling, engine._floor):
        assert array.shape == (groups,)
    upper = np.full(groups * size, -np.inf)
    if len(held):
        bias = None if store.bias is None else store.bias[held]
        upper[places] = slice_bounds(store.points[held], bias)[1]
    np.testing.assert_array_equal(engine._highest, upper.reshape(-1, size).max(axis=1))
    norms = np.sqrt((points.astype(np.float64) ** 2).sum(axis=1))
    assert (blocks.radius[places // size] >= norms).all()
    assert (upper[places] <= engine._ceiling[places // size]).all()
