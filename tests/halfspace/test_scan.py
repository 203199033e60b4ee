"""The scan: a table in tiles, growing, with an error bound for each tile."""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib.halfspace import HalfspaceIndex, scan
from tests.halfspace.oracle import KERNELS


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("m", [0, 1, 63, 64, 65, 1023, 1024, 1025, 2048, 2049])
def test_every_number_of_points_is_scanned_to_the_end(kernels, m):
    points = np.arange(m, dtype=np.float64)[:, None]
    index = HalfspaceIndex(points, method="scan", kernels=kernels)
    hits = index.query_halfspace([[1.0], [-1.0]], [m - 3.5, -2.5])
    assert hits[0].tolist() == list(range(max(0, m - 3), m))
    assert hits[1].tolist() == list(range(min(3, m)))


@pytest.mark.parametrize("kernels", KERNELS)
def test_points_that_come_one_by_one_are_scanned_to_the_end(kernels):
    index = HalfspaceIndex(np.empty((0, 1)), method="scan", kernels=kernels)
    for value in range(1100):
        index.insert([[float(value)]])
        if value % 97 == 0 or value > 1015:
            assert index.query_halfspace([[1.0]], value - 1.5)[0].tolist() == [
                i for i in (value - 1, value) if i >= 0
            ]


@pytest.mark.parametrize("kernels", KERNELS)
def test_equal_and_unequal_offsets_are_filtered_alike(kernels):
    # Equal offsets take a shorter way through the array kernels.
    rng = np.random.default_rng(0)
    points, normals = rng.standard_normal((5000, 4)), rng.standard_normal((40, 4))
    index = HalfspaceIndex(points, method="scan", kernels=kernels)
    scores = normals @ points.T
    for offsets in (np.full(40, 1.0), np.linspace(-3.0, 3.0, 40), np.r_[np.full(39, 1.0), 50.0]):
        mask = index.mask_halfspace(normals, offsets)
        np.testing.assert_array_equal(mask, scores > offsets[:, None])


def test_each_tile_has_a_bound_for_its_own_points():
    points = np.ones((3 * scan._TILE, 2))
    index = HalfspaceIndex(points, method="scan", kernels="numpy")
    engine = index._engine
    factor = 2.0**engine._scale.exponent
    np.testing.assert_allclose(engine._radius * factor, np.sqrt(2.0), rtol=1e-5)
    index.update([scan._TILE + 5], [[30.0, 40.0]])
    np.testing.assert_allclose(engine._radius * factor, [2**0.5, 50.0, 2**0.5], rtol=1e-5)
    index.update([scan._TILE + 5], [[1.0, 1.0]])
    np.testing.assert_allclose(engine._radius * factor, np.sqrt(2.0), rtol=1e-5)
    assert (engine._radius.astype(np.float64) * factor >= np.sqrt(2.0)).all()


def test_bounds_of_tiles_survive_growth():
    points = np.ones((scan._TILE + 1, 2))
    points[0] = [3.0, 4.0]
    index = HalfspaceIndex(points, method="scan", kernels="numpy")
    index.insert(np.ones((2 * scan._TILE, 2)))
    engine = index._engine
    factor = 2.0**engine._scale.exponent
    used = -(-len(index) // scan._TILE)
    wanted = [5.0, *[2**0.5] * (used - 1)]
    np.testing.assert_allclose(engine._radius[:used] * factor, wanted, rtol=1e-5)
    index.remove([1])
    np.testing.assert_allclose(engine._radius[:used] * factor, wanted, rtol=1e-5)
    index.remove([0])
    np.testing.assert_allclose(engine._radius[:used] * factor, 2**0.5, rtol=1e-5)
