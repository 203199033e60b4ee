"""What cannot be done: layers that lose labels, and neurons found where a coloring is."""

import re
from functools import partial

import numpy as np
import pytest

from sublinear_lib import memorization as mem
from sublinear_lib.chapters.what_cannot_be_done import explorers, figures
from sublinear_lib.plotting import number
from sublinear_lib.widgets import Band, Points
from tests.chapters.marks import of
from tests.plotting.shown import lines, tells

LAYER = {"rows": "", "data": "simplex", "n": 4, "m": 3, "seed": 0}
GRAPH = {"edges": "", "vertices": 5, "drawn": 4, "method": "milp", "seed": 0}
layer = partial(explorers.merge_two_balls.function, **LAYER)
graph = partial(explorers.two_neurons_for.function, **GRAPH)


@pytest.mark.parametrize(("turn", "share"), [(0.0, "0.25"), (22.5, "0.1"), (67.5, "0.15")])
def test_shadows_are_the_images_of_the_balls_and_the_radius_decides(turn, share):
    view, W, mu = (
        explorers.shadows.function(turn, share),
        explorers.turned_layer(turn),
        float(share),
    )
    X, y = mem.simplex_points(3)
    found, rng = mem.collision(W, X, y), np.random.default_rng(5)
    assert dict(view.readouts)["collision radius / *λ*"] == number(found.radius)
    merged = mu >= found.radius - 1e-12
    assert bool(view.warning) == ("one image" in view.sentence) == merged
    assert any(mark.role == "ink" for mark in of(view, Points)) == merged
    assert turn or found.radius == pytest.approx(0.25)
    for x, band in zip(X, of(view, Band), strict=True):
        balls = np.concatenate((rng.uniform(-1, 1, (200, 3)), rng.choice([-1.0, 1.0], (100, 3))))
        seen, across = (x + mu * balls) @ W.T, np.asarray(band.x)
        # the corners are rounded to three digits, and some sides are steep
        near = seen[:, 0] + np.array([[-1e-3], [0.0], [1e-3]])
        below = np.interp(near, across, band.lower).min(axis=0)
        above = np.interp(near, across, band.upper).max(axis=0)
        assert (seen[:, 1] >= below - 4e-3).all() and (seen[:, 1] <= above + 4e-3).all()
        corners = x @ W.T + mu * mem.cube_image(W)
        ends = [corners[:, 0].min(), corners[:, 0].max(), corners[:, 1].max()]
        assert [across[0], across[-1], np.max(band.upper)] == pytest.approx(ends, abs=2e-3)


def test_typed_rows_are_the_layer_and_others_are_drawn(capsys):
    shown = layer(rows="1 2 0; 0, 1, 1;")
    said = capsys.readouterr().out
    assert "2 neurons for 3 features, rank 2: collision radius 0.1667 = 0.1667 lambda" in said
    assert "W x = W x' up to rounding" in said and shown.alt.count("at distance 0.167") == 2
    layer(m=4)
    said = capsys.readouterr().out
    assert "rank 4: collision radius 0.5 = 0.5 lambda" in said and "loses nothing" in said
    for data, n in {"random": 4, "digits": 64}.items():
        tells(layer(data=data), f"{n} dimensions")
        found = re.search(r"for (\d+) features.* = (\S+) lambda", capsys.readouterr().out)
        assert found is not None and int(found[1]) == n and 0 < float(found[2]) < 0.5


@pytest.mark.parametrize("method", ["milp", "backtrack"])
def test_neurons_are_found_exactly_where_a_coloring_is(method, capsys):
    for edges, yes in {"0 1; 1 2": True, "0 1;1 2;0 2": False, "0 1 2; 2 3 5": True}.items():
        shown = graph(edges=edges, method=method, vertices=3)
        said = capsys.readouterr().out
        assert ("their coloring" in said) == ("a proper coloring" in said) == yes
        assert ("no two neurons" in said) != yes
        assert ("no edge of one color" in shown.alt) == yes
    shown, h = graph(seed=3, method=method), mem.random_hypergraph(5, 4, 3)
    assert f"{5 + len(h.edges) + 3} points in 6 dimensions" in capsys.readouterr().out
    tells(shown, "5 vertices, 4 edges")


def test_a_search_that_ran_out_of_time_says_so(monkeypatch, capsys):
    search = mem.exists_width_two
    monkeypatch.setattr(
        mem,
        "exists_width_two",
        lambda X, y, method, **how: search(X, y, method, **{**how, "time_limit": 1e-9}),
    )
    tells(graph(edges="0 1;1 2;0 2", method="backtrack"), "undecided")
    assert "time was up, no answer" in capsys.readouterr().out


X, Y = mem.simplex_points(2)
X3, Y3 = mem.simplex_points(3)
FOUND = mem.collision([[2.0, -1.0]], X, Y)
VALUES = np.broadcast_to(np.linspace(0.0, 2.0, 21), (21, 21))
PATH, W3 = mem.Hypergraph(3, [(0, 1), (1, 2)]), mem.null_space_layer(3)
BALLS = {"centers": (X[0], X[2]), "labels": ("label 1", "label 2"), "mu": FOUND.radius}
IMAGES = [
    figures.ImagePanel("apart", 0.1, W3),
    figures.ImagePanel("touching", 0.25, W3, [0.5, 0.0]),
]
CUBES = [figures.CubePanel("path", PATH, (0, 1, 0)), figures.CubePanel("c", mem.cycle(3))]
HALF = figures.RegionPanel("half", VALUES)

images = partial(figures.images_picture, X=X3, y=Y3, panels=IMAGES, name="i")
coordinates = partial(figures.coordinates_picture, **BALLS, pair=(FOUND.x, FOUND.x_prime), name="p")
TRIANGLE = {"title": "triangle", "h": mem.cycle(3), "colors": (0, 1, 0)}
hypergraph = partial(figures.hypergraph_picture, **TRIANGLE, name="h")
cubes = partial(figures.cube_picture, panels=CUBES, name="c")
regions = partial(figures.regions_picture, panels=[HALF], limits=(-1, 1), name="r")


def test_images_are_hexagons_and_coordinates_give_radius_distances_and_difference():
    tells(images(), "apart: polygons of 6 corners. touching: polygons of 6 corners, of which two")
    tells(images(), "two labels share 0.5 and 0", "around 4 points in 3 dimensions")
    tells(coordinates(), "the ball of label 1, at distance 0.167 from its middle")
    tells(coordinates(), "label 2, at distance 0.167; the radius of both balls is 0.167")
    apart = np.abs(FOUND.x - FOUND.x_prime).max()
    tells(coordinates(), f"differ by at most {apart:.3g} in a coordinate")
    np.testing.assert_array_equal(lines(coordinates(), "c1", marker="o")[0][:, 1], FOUND.x)


def test_panels_of_images_have_one_scale():
    one, two = (figure.axes[0] for figure in images()._figures)
    assert (one.get_xlim(), one.get_ylim()) == (two.get_xlim(), two.get_ylim())


def test_texts_count_edges_of_one_color_name_sums_and_cuts_and_give_shares():
    tells(hypergraph(), "triangle: 3 vertices, 3 edges, colors 0 1 0, 1 bold, of one color")
    tells(hypergraph(h=mem.fano(), colors=None), "7 vertices, 7 edges.")
    tells(hypergraph(h=PATH), "3 vertices, 2 edges, colors 0 1 0, no edge of one color")
    tells(cubes(), "path: label 2 at 0 and e0+e1, e1+e2, label 1 at e0, e1, e2, u and -u")
    tells(cubes(), "half-spaces 0 1 0 cut off the vertices")
    share = 100 * np.mean(VALUES > 1.5)
    tells(regions(), f"half: {share:.0f} % shaded.")


@pytest.mark.parametrize("h", [mem.cycle(5), mem.random_hypergraph(6, 8, 1)])
def test_a_curve_passes_by_the_vertices_of_its_edge_and_no_others(h):
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
