"""The index reports exactly the points of each half-space, whatever the engine and the numbers."""

from __future__ import annotations

import pickle
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.halfspace import HalfspaceHits, HalfspaceIndex
from tests.halfspace.oracle import (
    ENGINE_IDS,
    ENGINES,
    KERNELS,
    SLICE_ENGINES,
    as_lists,
    assert_exact,
    exact_sets,
    problems,
)

every_engine = pytest.mark.parametrize(("method", "kernels"), ENGINES, ids=ENGINE_IDS)


def random_problem(m, d, q, seed, biased=True):
    rng = np.random.default_rng(seed)
    points, normals = rng.standard_normal((m, d)), rng.standard_normal((q, d))
    biases = rng.standard_normal(m) if biased else None
    return points, biases, normals, rng.standard_normal(q)


# QUERY


@pytest.mark.parametrize("domain", [None, "slice"])
@settings(deadline=None, max_examples=100)
@given(st.data(), st.sampled_from([1, 2, 3, 8, 9, 64]))
def test_query_returns_exactly_the_rational_set(domain, data, leaf_size):
    on_slice = domain is not None
    dimensions = (2, 3, 5) if on_slice else (1, 2, 3, 5)
    problem = data.draw(problems(dimensions=dimensions, on_slice=on_slice))
    points, biases, normals, offsets, strict = problem
    wanted = exact_sets(points, biases, normals, offsets, strict)
    for method, kernels in SLICE_ENGINES if on_slice else ENGINES:
        how = {"method": method, "kernels": kernels, "domain": domain, "leaf_size": leaf_size}
        index = HalfspaceIndex(points, biases, **how)
        hits = index.query_halfspace(normals, offsets, strict=strict)
        assert as_lists(hits) == wanted, f"{method} with {kernels}"
        counts = index.count_halfspace(normals, offsets, strict=strict)
        assert counts.tolist() == [len(ids) for ids in wanted], f"{method} with {kernels}"
        mask = index.mask_halfspace(normals, offsets, strict=strict)
        assert HalfspaceHits.from_mask(mask) == hits, f"{method} with {kernels}"


@every_engine
def test_many_points_are_exact(method, kernels):
    # Several levels of nodes and several tiles, with shares from nothing to everything.
    points, biases, normals, _ = random_problem(20_000, 3, 21, seed=5)
    offsets = np.linspace(-12.0, 12.0, 21)
    index = HalfspaceIndex(points, biases, method=method, kernels=kernels)
    assert_exact(index, points, biases, normals, offsets)
    assert_exact(index, points, biases, normals, np.full(21, 1.5))


@every_engine
def test_one_huge_point_keeps_the_filter_useful(method, kernels):
    points, biases, normals, offsets = random_problem(30_000, 3, 20, seed=3)
    points[1234] *= 1e12
    index = HalfspaceIndex(points, biases, method=method, kernels=kernels)
    assert_exact(index, points, biases, normals, offsets, stricts=(True,))
    # Only the leaf or the tile of the huge point may be in doubt.
    assert index.stats().pairs_settled < 3 * 20 * 1100


@every_engine
def test_points_that_vanish_in_float32_are_not_lost(method, kernels):
    # Beside points of size one, the coordinates of the others are zero in float32, but 64 of them
    # add up to something.
    small = 2.0**-149
    points = np.zeros((1088, 65))
    points[:1024, 0] = 1.0
    points[1024:, 1:] = small
    index = HalfspaceIndex(points, method=method, kernels=kernels)
    normals, total = np.ones((1, 65)), 64 * small
    for offset, strict, wanted in (
        (total / 2, True, 1088),
        (total, False, 1088),
        (total, True, 1024),
        (total * 2, False, 1024),
    ):
        found = index.query_halfspace(normals, offset, strict=strict)[0].tolist()
        assert found == list(range(wanted))


@every_engine
def test_no_work_of_concurrent_readers_is_lost(method, kernels, monkeypatch):
    points, biases, normals, offsets = random_problem(300, 3, 4, seed=4)
    index = HalfspaceIndex(points, biases, method=method, kernels=kernels)
    wanted = index.query_halfspace(normals, offsets)
    once = index.stats().points_tested

    class Slow(np.ndarray):
        # Between reading a counter and writing it back, other threads get their turn.
        def __iadd__(self, other):
            total = self.view(np.ndarray) + other
            time.sleep(1e-4)
            self[...] = total
            return self

    monkeypatch.setattr(index._engine, "_work", index._engine._work.view(Slow))
    with ThreadPoolExecutor(8) as pool:
        for job in [pool.submit(index.query_halfspace, normals, offsets) for _ in range(40)]:
            assert job.result() == wanted
    assert index.stats().points_tested == 41 * once


def test_the_index_keeps_its_own_copy_of_the_points():
    points, biases = np.ones((4, 2)), np.zeros(4)
    index = HalfspaceIndex(points, biases)
    points[:] = biases[:] = -100.0
    assert index.count_halfspace([[1.0, 1.0]], 1.0).tolist() == [4]


# What is refused

REFUSED = [
    ("query_halfspace", ([[1.0, 2.0]], [0.0, 1.0]), ValueError, r"offsets .* shape \(1,\)"),
    ("insert", ([[1.0, 2.0]],), ValueError, "bias must have shape .* has biases"),
    ("insert", ([[1.0, 2.0]], [0.0, 1.0]), ValueError, "bias must have shape"),
    ("remove", ([-1],), ValueError, "ids must .* got -1"),
    ("remove", ([1],), ValueError, "got 1 at index 0, which was removed"),
    ("remove", ([0, 2, 0],), ValueError, "ids must not contain .* twice"),
    ("update", ([1], [[0.0, 0.0]]), ValueError, "which was removed"),
    ("update", ([0, 0], [[0.0, 0.0], [1.0, 1.0]]), ValueError, "twice"),
    ("update", ([0], [[0.0, 0.0], [1.0, 1.0]]), ValueError, r"points must have shape \(1, 2\)"),
    ("update", ([0, 2], [[0.0, 0.0], [np.nan, 1.0]]), ValueError, "points .* nan"),
    ("update", ([0], [[0.0, 0.0]], [np.nan]), ValueError, "bias .* nan"),
    ("update", ([0], [[0.0, 0.0]], [1.0, 2.0]), ValueError, "bias must have shape"),
]


@every_engine
@pytest.mark.parametrize(("call", "arguments", "error", "message"), REFUSED)
def test_a_refused_call_leaves_the_index_as_it_was(
    method, kernels, call, arguments, error, message
):
    points = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [-1.0, -2.0]])
    index = HalfspaceIndex(points, np.arange(4.0), method=method, kernels=kernels)
    index.remove([1])
    before = pickle.dumps(index)
    with pytest.raises(error, match=message):
        getattr(index, call)(*arguments)
    assert pickle.dumps(index) == before


# The choice of the engine, and what the index says about itself


@pytest.mark.parametrize("kernels", KERNELS)
def test_auto_changes_the_engine_but_not_at_every_step(kernels):
    points = np.random.default_rng(0).standard_normal((2**14, 2))
    index = HalfspaceIndex(points[:-1], kernels=kernels)
    index.remove(index.ids[1000:])
    assert index.stats().engine == "tree", "a scan would not be much faster yet"
    index.remove(index.ids[100:])
    assert index.stats().engine == "scan"
    index.insert(points)
    assert index.stats().engine == "tree"
    index.remove(index.ids[:120])
    assert index.stats().engine == "tree", "a few removals must not bring the scan back"
    hits = index.query_halfspace([[1.0, 0.0]], 0.5)
    kept = np.concatenate((points[:100], points))[120:]
    assert hits.counts.tolist() == [(kept[:, 0] > 0.5).sum()]


@every_engine
def test_stats_count_the_work(method, kernels):
    points = np.random.default_rng(0).standard_normal((5000, 3))
    index = HalfspaceIndex(points, method=method, kernels=kernels)
    stats = index.stats()
    assert (stats.engine, stats.kernels, stats.m, stats.d) == (method, kernels, 5000, 3)
    assert stats.memory >= points.nbytes * 1.5
    assert stats.memory <= points.nbytes * 2.5
    assert (stats.nodes_visited, stats.points_tested, stats.rebuilds) == (0, 0, 0)
    normals = np.eye(3)
    index.query_halfspace(normals, 100.0)
    nothing = index.stats()
    index.query_halfspace(normals, -100.0)
    everything = index.stats()
    index.query_halfspace(normals, 0.0)
    crossing = index.stats()
    if method == "scan":
        assert everything.points_tested == 2 * 3 * 5000
        assert everything.nodes_visited == everything.points_reported_untested == stats.height == 0
    else:
        assert method == "tree", f"what the counters of {method!r} say is not written down here"
        assert nothing.nodes_visited == 3, "a query that misses the root opens the root only"
        assert nothing.points_tested == 0
        assert everything.points_reported_untested == 3 * 5000, "a query that covers the root"
        assert everything.points_tested == 0
        assert 0 < crossing.points_tested < 3 * 5000
        assert stats.height == 2


def test_repr_names_engine_sizes_and_memory():
    index = HalfspaceIndex(np.zeros((10, 2)), np.zeros(10), method="tree", kernels="numpy")
    assert repr(index) == (
        "HalfspaceIndex(m=10, d=2, biased, engine='tree', kernels='numpy', memory=0.0 MiB)"
    )
    assert "biased" not in repr(HalfspaceIndex([[1.0]]))
