"""The scan: points in blocks, growing, with an error bound for each group of them."""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib.geometry import sample_slice
from sublinear_lib.halfspace import HalfspaceIndex
from sublinear_lib.halfspace.kernels import GROUP, Output
from sublinear_lib.halfspace.scan import Blocks
from tests.halfspace.invariants import points_at
from tests.halfspace.oracle import KERNELS

pytestmark = pytest.mark.either_way


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


def radii(index):
    """The radii of the groups, in the units of the points."""
    engine = index._engine
    return engine._blocks.radius.astype(np.float64) * 2.0**engine._scale.exponent


@pytest.mark.parametrize("kernels", KERNELS)
def test_each_group_has_a_bound_for_its_own_points(kernels):
    points = np.ones((40 * GROUP, 2))
    index = HalfspaceIndex(points, method="scan", kernels=kernels)
    used = slice(0, 40)
    np.testing.assert_allclose(radii(index)[used], np.sqrt(2.0), rtol=1e-5)
    index.update([17 * GROUP + 5], [[30.0, 40.0]])
    wanted = np.full(40, 2.0**0.5)
    wanted[17] = 50.0
    np.testing.assert_allclose(radii(index)[used], wanted, rtol=1e-5)
    index.update([17 * GROUP + 5], [[1.0, 1.0]])
    np.testing.assert_allclose(radii(index)[used], np.sqrt(2.0), rtol=1e-5)
    assert (radii(index)[used] >= np.sqrt(2.0)).all()


@pytest.mark.parametrize("kernels", KERNELS)
def test_bounds_of_groups_survive_growth(kernels):
    points = np.ones((GROUP + 1, 2))
    points[0] = [3.0, 4.0]
    index = HalfspaceIndex(points, method="scan", kernels=kernels)
    index.insert(np.ones((50 * GROUP, 2)))
    used = slice(0, -(-len(index) // GROUP))
    wanted = [5.0, *[2**0.5] * (used.stop - 1)]
    np.testing.assert_allclose(radii(index)[used], wanted, rtol=1e-5)
    index.remove([1])
    np.testing.assert_allclose(radii(index)[used], wanted, rtol=1e-5)
    index.remove([0])
    np.testing.assert_allclose(radii(index)[used], 2**0.5, rtol=1e-5)


@pytest.mark.parametrize("width", [64, 192, 1024])
@pytest.mark.parametrize("first", [0, 5, 64, 190])
def test_points_are_read_back_from_where_they_were_written(width, first):
    rng = np.random.default_rng(0)
    points = rng.standard_normal((2500, 3)).astype(np.float32)
    blocks = Blocks(3, width, first + 2500)
    places = np.arange(first, first + 2500)
    blocks.write(places, points)
    np.testing.assert_array_equal(points_at(blocks, places), points)
    shuffled = rng.permutation(places)
    blocks.write(shuffled, points)
    np.testing.assert_array_equal(points_at(blocks, shuffled), points)
    blocks.reserve(first + 9000)
    np.testing.assert_array_equal(points_at(blocks, shuffled), points)
    blocks.erase(shuffled[:100])
    assert np.isnan(points_at(blocks, shuffled[:100])).all()
    rest = np.setdiff1d(np.arange(blocks.capacity), shuffled[100:])
    assert np.isnan(points_at(blocks, rest)).all(), "what was not written is NaN"


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("method", ["scan", "cap", "tree"])
def test_rows_are_written_to_the_buffer_where_they_fit(kernels, method):
    rng = np.random.default_rng(0)
    points, normals = rng.integers(-9, 10, (5000, 3)) / 4.0, sample_slice(600, 3, rng=0)
    index = HalfspaceIndex(points, method=method, domain="slice", kernels=kernels)
    engine = index._engine
    offsets = np.full(600, 0.5)
    offsets[:10] = (points[:10] * normals[:10]).sum(axis=1)  # ties, to be taken out again
    wanted = engine.query(normals, offsets, True)
    k = len(wanted.indices)
    for sort in (True, False):
        for room in (0, k - 1, k, k + 1000):
            memory = np.full(room + 5, -7, dtype=np.int32)
            out = memory[:room]
            hits = engine.query(normals, offsets, True, Output(sort=sort, out=out))
            assert (memory[room:] == -7).all(), "what lies behind the buffer must stay"
            if sort:
                assert hits == wanted
            else:
                assert hits.to_mask(5000).tolist() == wanted.to_mask(5000).tolist()
            begins_there = (
                hits.indices.__array_interface__["data"] == (out.__array_interface__["data"])
            )
            assert begins_there == (room >= k)
