"""Polygons, hypergraphs, cubes and regions are counted, and a curve passes by its vertices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sublinear_lib import memorization as mem
from sublinear_lib.chapters.what_cannot_be_done import figures
from sublinear_lib.plotting import Picture
from tests.plotting.shown import alt, lines

X, Y = mem.simplex_points(2)
X3, Y3 = mem.simplex_points(3)
FOUND = mem.collision([[2.0, -1.0]], X, Y)
VALUES = np.broadcast_to(np.linspace(0.0, 2.0, 21), (21, 21))
PATH = mem.Hypergraph(3, [(0, 1), (1, 2)])


def images(**changes: Any) -> Picture:
    W = mem.null_space_layer(3)
    shown = [("apart", 0.1, W), ("touching", 0.25, W, [0.5, 0.0])]
    panels = [figures.ImagePanel(*each) for each in shown]
    return figures.images_picture(**{"X": X3, "y": Y3, "panels": panels, "name": "i", **changes})


def coordinates(**changes: Any) -> Picture:
    given = {"centers": (X[0], X[2]), "labels": ("label 1", "label 2"), "mu": FOUND.radius}
    pair = (FOUND.x, FOUND.x_prime)
    return figures.coordinates_picture(**{**given, "pair": pair, "name": "p", **changes})


def hypergraphs(**changes: Any) -> Picture:
    shown = [("triangle", mem.cycle(3), (0, 1, 0)), ("Fano plane", mem.fano())]
    panels = [figures.HypergraphPanel(*each) for each in (*shown, ("path", PATH, (0, 1, 0)))]
    return figures.hypergraph_picture(**{"panels": panels, "name": "h", **changes})


def cubes(**changes: Any) -> Picture:
    panels = [figures.CubePanel("path", PATH, (0, 1, 0)), figures.CubePanel("c", mem.cycle(3))]
    return figures.cube_picture(**{"panels": panels, "name": "c", **changes})


def regions(**changes: Any) -> Picture:
    cross = [[0.0, 0.0], [0.75, 0.0]]
    panel = figures.RegionPanel("half", VALUES, cross, [1.0, 2.0], 0.2, [(0.5, 0.5)])
    return figures.regions_picture(**{"panels": [panel], "limits": (-1, 1), "name": "r", **changes})


MADE = [images, coordinates, hypergraphs, cubes, regions]


def test_images_are_hexagons_of_cubes_with_their_point() -> None:
    said = alt(images())
    assert "apart: polygons of 6 corners. touching: polygons of 6 corners, of which two" in said
    assert "two labels share 0.5 and 0" in said and "around 4 points in 3 dimensions" in said


def test_coordinates_give_radius_distances_and_difference() -> None:
    said = alt(coordinates())
    assert "the ball of label 1, at distance 0.167 from its middle" in said
    assert "the ball of label 2, at distance 0.167; the radius of both balls is 0.167" in said
    apart = np.abs(FOUND.x - FOUND.x_prime).max()
    assert f"differ by at most {apart:.3g} in a coordinate" in said
    np.testing.assert_array_equal(lines(coordinates(), "c1", marker="o")[0][:, 1], FOUND.x)


def test_texts_count_edges_of_one_color_and_name_sums_and_cuts() -> None:
    said = hypergraphs().alt
    assert "triangle: 3 vertices, 3 edges, colors 0 1 0, 1 bold, of one color" in said
    assert "Fano plane: 7 vertices, 7 edges. path" in said
    assert "path: 3 vertices, 2 edges, colors 0 1 0, no edge of one color" in said
    said = cubes().alt
    assert "path: label 2 at 0 and e0+e1, e1+e2, label 1 at e0, e1, e2, u and -u" in said
    assert "half-spaces 0 1 0 cut off the vertices" in said


def test_the_text_of_a_region_gives_the_share_that_is_shaded() -> None:
    share = 100 * np.mean(VALUES > 1.5)
    said = regions().alt
    assert f"half: {share:.0f} % shaded, 2 points with squares of radius 0.2" in said
    assert "crosses at 0.5 0.5" in said
    both = [figures.RegionPanel(f"at {v:g}", np.full((5, 5), v)) for v in (0.0, 2.0)]
    said = regions(panels=both).alt
    assert "at 0: 0 % shaded" in said and "at 2: 100 % shaded" in said


@pytest.mark.parametrize(
    "h", [mem.fano(), mem.cycle(5), mem.complete_graph(4), mem.random_hypergraph(6, 8, 1)]
)
def test_a_curve_passes_by_the_vertices_of_its_edge_and_no_others(h: mem.Hypergraph) -> None:
    vertices, curves = figures.hypergraph_layout(h)
    assert len(vertices) == h.vertices and len(curves) == len(h.edges)
    for edge, curve in zip(h.edges, curves, strict=True):
        near = set()
        for vertex, at in enumerate(vertices):
            a, b = curve[:-1], curve[1:]
            along = np.clip(((at - a) * (b - a)).sum(1) / ((b - a) ** 2).sum(1), 0, 1)[:, None]
            if np.linalg.norm(a + along * (b - a) - at, axis=1).min() < 0.11:
                near.add(vertex)
        assert near == set(edge)
