"""Convex layers: exact answers, true layers, and the work that the docstring promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from sublinear_lib import predicates
from sublinear_lib.halfspace.onion import ConvexLayers
from sublinear_lib.statistics import loglog_slope
from tests.halfspace.plane import planar_points

pytestmark = pytest.mark.either_way


# The layers


@settings(deadline=None, max_examples=60)
@given(planar_points())
def test_every_layer_is_the_boundary_of_the_hull_of_itself_and_the_deeper_points(points):
    layers = ConvexLayers(points)
    rings = layers.layers()
    assert sorted(i for ring in rings for i in ring.tolist()) == list(range(len(points)))
    for depth, ring in enumerate(rings):
        places = list(dict.fromkeys(map(tuple, (points[ring] + 0.0).tolist())))
        assert places[0] == min(places)
        deeper = [point for below in rings[depth + 1 :] for point in points[below].tolist()]

        def turns(others, places=places):
            for p, q in zip(places, places[1:] + places[:1], strict=True):
                for r in others:
                    partners = (q[1], -q[0], r[1], -r[0], p[1], -p[0])
                    yield predicates.exact_sign((*p, *q, *r), 0.0, partners, 0.0)

        assert min(turns(places)) >= 0, f"layer {depth} is not convex"
        assert min(turns(deeper), default=1) > 0, f"a deeper point is not inside layer {depth}"


def test_points_on_one_line_are_one_layer():
    line = np.arange(50.0)[:, None] * [3.0, -2.0]
    layers = ConvexLayers(np.random.default_rng(0).permutation(line))
    assert layers.stats().layers == 1
    assert len(ConvexLayers(np.ones((50, 2))).layers()) == 1
    assert ConvexLayers(np.ones((50, 2))).layers()[0].tolist() == list(range(50))


def test_a_lattice_has_a_layer_for_each_frame():
    grid = np.stack(np.meshgrid(np.arange(9.0), np.arange(9.0)), axis=-1).reshape(-1, 2)
    sizes = [len(layer) for layer in ConvexLayers(grid).layers()]
    assert sizes == [32, 24, 16, 8, 1]


def test_long_ways_of_which_a_pass_drops_little_are_walked_to_the_end():
    # Seen from the last point, most of the arc is hidden, but only its end turns the wrong way.
    t = np.linspace(-1.0, 1.0, 300)
    layers = ConvexLayers(np.vstack((np.column_stack((t, t * t)), [[1.5, -3.0]])))
    tangent = int(np.argmax((t * t + 3.0) / (t - 1.5)))
    assert 10 < tangent < 50
    assert sorted(layers.layers()[0].tolist()) == [*range(tangent + 1), 299, 300]


# The trace


def test_a_trace_tells_what_the_query_looked_at():
    points = np.random.default_rng(5).standard_normal((300, 2))
    points = np.vstack((points, points[:40]))
    layers = ConvexLayers(points)
    normal, offset = [0.6, 0.8], 0.9
    trace = layers.trace(normal, offset)
    assert trace.reported == tuple(layers.query_halfspace([normal], offset)[0].tolist())
    assert [visit.layer for visit in trace.visits] == list(range(len(trace.visits)))
    assert len(trace.visits) > 3
    assert all(visit.reported for visit in trace.visits[:-1])
    assert not trace.visits[-1].reported, "the walk stops at the first layer without a hit"
    scores = points @ normal
    rings = layers.layers()
    for visit in trace.visits:
        ring = rings[visit.layer]
        assert set(visit.probed) | set(visit.tested) | set(visit.reported) <= set(ring.tolist())
        assert scores[visit.extreme] == scores[ring].max()
        assert visit.tested[0] == visit.extreme
        assert visit.reported == tuple(sorted(ring[scores[ring] > offset].tolist()))
        # Each hit is tested once, and at most one vertex on either side of the arc.
        assert len(visit.tested) <= len(visit.reported) + 2
        assert len(visit.probed) <= np.ceil(np.log2(len(ring) + 1))


# The work


def test_queries_with_k_hits_cost_the_logarithm_per_layer():
    sizes = 2 ** np.arange(8, 12)
    probes, tests = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        normals = rng.standard_normal((40, 2))
        rows = []
        for m in sizes.tolist():
            points = rng.standard_normal((m, 2))
            layers = ConvexLayers(points)
            offsets = np.sort(normals @ points.T, axis=1)[:, -33]
            hits = layers.query_halfspace(normals, offsets + 1e-9)
            assert (hits.counts == 32).all()
            stats = layers.stats()
            assert stats.layers_visited <= 40 * 33
            assert stats.vertices_tested <= hits.counts.sum() + 2 * stats.layers_visited
            largest = max(map(len, layers.layers()))
            assert stats.vertices_probed <= stats.layers_visited * np.ceil(np.log2(largest + 1))
            rows.append((stats.vertices_probed, stats.vertices_tested))
        probes.append([row[0] for row in rows])
        tests.append([row[1] for row in rows])
    # A power of m would show as its exponent: 1/2 for a partition, 1 for a scan.
    assert loglog_slope(sizes, probes, 0.99).upper < 0.2
    assert loglog_slope(sizes, tests, 0.99).upper < 0.1


def test_stats_count_the_work():
    layers = ConvexLayers([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [0.0, 0.0]])
    stats = layers.stats()
    assert (stats.layers, stats.queries, stats.vertices_tested) == (2, 0, 0)
    layers.query_halfspace([[1.0, 0.1], [1.0, 0.1]], [0.5, 9.0])
    stats = layers.stats()
    assert (stats.queries, stats.points_reported) == (2, 1)
    assert stats.layers_visited == 3
    assert stats.vertices_tested == 3 + 1 + 1


# What it says of itself


def test_repr_and_len_give_the_sizes():
    layers = ConvexLayers([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.2, 0.2]])
    assert repr(layers) == "ConvexLayers(m=4, layers=2)"
    assert len(layers) == 4
