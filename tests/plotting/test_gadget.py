"""The pictures of two neurons and hypergraphs: texts give counts, layouts fit, nonsense fails."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sublinear_lib import memorization as mem
from sublinear_lib import plotting

GRID = np.linspace(-1.0, 1.0, 21)
VALUES = np.broadcast_to(GRID + 1.0, (21, 21))
PATH = mem.Hypergraph(3, [(0, 1), (1, 2)])
CROSS = np.array([[0.0, 0.0], [0.75, 0.0]])


def hypergraphs(**changes: object) -> plotting.Picture:
    panels = [
        plotting.HypergraphPanel("triangle", mem.cycle(3), (0, 1, 0)),
        plotting.HypergraphPanel("Fano plane", mem.fano()),
        plotting.HypergraphPanel("path", PATH, (0, 1, 0)),
    ]
    return plotting.hypergraph_picture(**{"panels": panels, "name": "h", **changes})  # type: ignore[arg-type]


def cubes(**changes: object) -> plotting.Picture:
    panels = [plotting.CubePanel("path", PATH, (0, 1, 0)), plotting.CubePanel("c", mem.cycle(3))]
    return plotting.cube_picture(**{"panels": panels, "name": "c", **changes})  # type: ignore[arg-type]


def regions(**changes: object) -> plotting.Picture:
    panel = plotting.RegionPanel("half", VALUES, CROSS, [1.0, 2.0], 0.2, [(0.5, 0.5)])
    arguments: dict[str, Any] = {"panels": [panel], "limits": (-1, 1), "name": "r", **changes}
    return plotting.regions_picture(**arguments)


@pytest.mark.parametrize("draw", [hypergraphs, cubes, regions])
def test_it_is_made_twice_alike_and_small_enough_for_a_page(draw: Any) -> None:
    shown = draw()
    assert shown.html == draw().html
    assert len(shown.html) < 60_000, len(shown.html)
    assert shown.png.startswith(b"\x89PNG")
    words = "One text of the author's own."
    assert draw(alt=words, caption="Look *here*.").alt == words


def test_the_text_counts_edges_of_one_color() -> None:
    alt = hypergraphs().alt
    assert "triangle: 3 vertices, 3 edges, colors 0 1 0, 1 bold, of one color" in alt
    assert "Fano plane: 7 vertices, 7 edges. path" in alt
    assert "path: 3 vertices, 2 edges, colors 0 1 0, no edge of one color" in alt


def test_a_cube_names_the_sums_and_the_cuts() -> None:
    alt = cubes().alt
    assert "path: label 2 at 0 and e0+e1, e1+e2, label 1 at e0, e1, e2, u and -u" in alt
    assert "half-spaces 0 1 0 cut off the vertices" in alt


def test_the_text_of_a_region_gives_the_share_that_is_shaded() -> None:
    share = 100 * np.mean(VALUES > 1.5)
    assert f"half: {share:.0f} % shaded, 2 points with squares of radius 0.2" in regions().alt
    assert "crosses at 0.5 0.5" in regions().alt
    nothing = plotting.RegionPanel("none", np.zeros((5, 5)))
    everything = plotting.RegionPanel("all", np.full((5, 5), 2.0))
    both = regions(panels=[nothing, everything]).alt
    assert "none: 0 % shaded" in both and "all: 100 % shaded" in both


@pytest.mark.parametrize(
    "h", [mem.fano(), mem.cycle(5), mem.complete_graph(4), mem.random_hypergraph(6, 8, 1)]
)
def test_a_curve_passes_by_the_vertices_of_its_edge_and_no_others(h: mem.Hypergraph) -> None:
    vertices, curves = plotting.hypergraph_layout(h)
    assert len(vertices) == h.vertices and len(curves) == len(h.edges)
    for edge, curve in zip(h.edges, curves, strict=True):
        near = set()
        for vertex, at in enumerate(vertices):
            a, b = curve[:-1], curve[1:]
            along = np.clip(((at - a) * (b - a)).sum(1) / ((b - a) ** 2).sum(1), 0, 1)[:, None]
            if np.linalg.norm(a + along * (b - a) - at, axis=1).min() < 0.11:
                near.add(vertex)
        assert near == set(edge)


@pytest.mark.parametrize(
    ("draw", "changed", "said"),
    [
        (hypergraphs, {"panels": []}, "one to four"),
        (
            hypergraphs,
            {"panels": [plotting.HypergraphPanel("a", PATH, (0, 1))]},
            "0 or 1 for each of 3",
        ),
        (hypergraphs, {"panels": [plotting.HypergraphPanel("a", PATH, (0, 1, 2))]}, "colors"),
        (cubes, {"panels": [plotting.CubePanel("a", mem.cycle(4))]}, "3 vertices, got 4"),
        (cubes, {"panels": [plotting.CubePanel("a", PATH, (0, 1, 2))]}, "cuts"),
        (cubes, {"panels": []}, "one to three"),
        (regions, {"limits": (1, -1)}, "ascend"),
        (regions, {"panels": []}, "one to four"),
        (regions, {"panels": [plotting.RegionPanel("a", VALUES[:3])]}, "values"),
        (regions, {"panels": [plotting.RegionPanel("a", [[1.0]])]}, "at least 2 rows"),
        (regions, {"panels": [plotting.RegionPanel("a", VALUES, CROSS, [1, 1])]}, "two labels"),
        (regions, {"panels": [plotting.RegionPanel("a", VALUES, mu=-1.0)]}, "mu"),
    ],
)
def test_nonsense_is_refused_by_name(draw: Any, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        draw(**changed)
