"""Convex layers: exact answers, true layers, and the work that the docstring promises."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from sublinear_lib import predicates
from sublinear_lib.halfspace.onion import ConvexLayers
from sublinear_lib.statistics import loglog_slope
from tests.halfspace.plane import planar_points

pytestmark = pytest.mark.either_way


def on_the_hull(places):
    """Return which distinct places are on the boundary of their hull, by trying every edge."""
    exact = [tuple(map(Fraction, place)) for place in places]
    found = set()
    if len(exact) == 1:
        return {0}
    for i, (p_x, p_y) in enumerate(exact):
        for q_x, q_y in exact:
            if (p_x, p_y) == (q_x, q_y):
                continue
            turns = [(q_x - p_x) * (y - p_y) - (q_y - p_y) * (x - p_x) for x, y in exact]
            if min(turns) >= 0:
                found |= {j for j, turn in enumerate(turns) if turn == 0} | {i}
    return found


def brute_force_depths(points):
    """Peel by definition."""
    places = {tuple(point) for point in (points + 0.0).tolist()}
    depths, layer = {}, 0
    while places:
        left = sorted(places)
        outer = {left[j] for j in on_the_hull(left)}
        depths.update(dict.fromkeys(outer, layer))
        places -= outer
        layer += 1
    return [depths[tuple(point)] for point in (points + 0.0).tolist()]


# Exact answers


@pytest.mark.parametrize("strict", [True, False])
def test_points_on_the_line_are_decided_truly(strict):
    # An edge of the square, and all of the diagonal, lie on the line.
    corners = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [1.0, 0.0], [0.0, 0.0]]
    layers = ConvexLayers(corners)
    assert layers.query_halfspace([[1.0, 0.0]], 1.0, strict=strict)[0].tolist() == (
        [] if strict else [0, 3, 4]
    )
    assert layers.query_halfspace([[1.0, 1.0]], 0.0, strict=strict)[0].tolist() == (
        [0, 4] if strict else [0, 1, 3, 4, 5]
    )
    # The zero normal: everything or nothing.
    assert layers.query_halfspace([[0.0, 0.0]], 0.0, strict=strict)[0].tolist() == (
        [] if strict else [0, 1, 2, 3, 4, 5]
    )
    assert len(layers.query_halfspace([[0.0, 0.0]], -1.0, strict=strict)[0]) == 6


def test_points_of_a_regular_polygon_are_found_from_every_direction():
    # Every vertex is extreme for some direction, also those where the chains meet.
    angles = np.arange(64) * (2.0 * np.pi / 64.0)
    points = np.column_stack((np.cos(angles), np.sin(angles)))
    layers = ConvexLayers(points)
    assert layers.stats().layers == 1
    between = np.cos(np.pi / 64.0)
    for count in range(1, 64, 2):
        reach = np.cos((count - 0.5) * np.pi / 64.0)
        hits = layers.query_halfspace(points, reach)
        assert hits.counts.tolist() == [count] * 64, f"reach {reach}"
    assert layers.query_halfspace(points, between).counts.tolist() == [1] * 64


# The layers


@settings(deadline=None, max_examples=60)
@given(planar_points(max_points=12))
def test_the_layers_are_those_of_the_definition(points):
    depths = dict(enumerate(brute_force_depths(points)))
    for depth, ring in enumerate(ConvexLayers(points).layers()):
        assert {depths.pop(i) for i in ring.tolist()} == {depth}
    assert not depths


@settings(deadline=None, max_examples=60)
@given(planar_points())
def test_every_layer_is_a_convex_ring_around_the_deeper_points(points):
    layers = ConvexLayers(points)
    rings = layers.layers()
    assert sorted(i for ring in rings for i in ring.tolist()) == list(range(len(points)))
    for depth, ring in enumerate(rings):
        places = list(dict.fromkeys(map(tuple, (points[ring] + 0.0).tolist())))
        assert places[0] == min(places)
        deeper = [point for below in rings[depth:] for point in points[below].tolist()]
        turns = [
            predicates.exact_sign((*p, *q, *r), 0.0, (q[1], -q[0], r[1], -r[0], p[1], -p[0]), 0.0)
            for p, q in zip(places, places[1:] + places[:1], strict=True)
            for r in deeper
        ]
        assert min(turns) >= 0, f"a deeper point lies outside layer {depth}"


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


def test_the_number_of_layers_of_a_disc_grows_as_the_theory_says():
    # Dalal 2004: the expected number of layers of uniform points in a disc is of order m**(2/3).
    sizes = 2 ** np.arange(7, 12)
    counts = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        angle, radius = rng.uniform(0.0, 2.0 * np.pi, sizes[-1]), rng.uniform(0.0, 1.0, sizes[-1])
        points = np.sqrt(radius)[:, None] * np.column_stack((np.cos(angle), np.sin(angle)))
        counts.append([ConvexLayers(points[:m]).stats().layers for m in sizes.tolist()])
    slope = loglog_slope(sizes, counts, 0.99)
    assert 0.6 < slope.estimate < 0.72, str(slope)


def test_stats_count_the_work():
    layers = ConvexLayers([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [0.0, 0.0]])
    stats = layers.stats()
    assert (stats.m, stats.layers, stats.queries, stats.vertices_tested) == (5, 2, 0, 0)
    assert stats.memory >= 5 * (16 + 4)
    layers.query_halfspace([[1.0, 0.1], [1.0, 0.1]], [0.5, 9.0])
    stats = layers.stats()
    assert (stats.queries, stats.points_reported, stats.settled_exactly) == (2, 1, 0)
    assert stats.layers_visited == 3
    assert stats.vertices_tested == 3 + 1 + 1
    layers.query_halfspace([[0.6, 0.8]], 0.6)
    assert layers.stats().settled_exactly > 0


# What it says of itself


def test_repr_and_len_give_the_sizes():
    layers = ConvexLayers([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.2, 0.2]])
    assert repr(layers) == "ConvexLayers(m=4, layers=2)"
    assert len(layers) == 4
