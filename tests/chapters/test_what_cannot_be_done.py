"""What cannot be done: layers that lose labels, and neurons found where a coloring is."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from sublinear_lib import memorization as mem
from sublinear_lib.chapters.what_cannot_be_done import explorers
from sublinear_lib.plotting import Picture, number
from sublinear_lib.widgets import Band, Points
from tests.chapters.marks import of

LAYER = {"rows": "", "data": "simplex", "n": 4, "m": 3, "seed": 0}
GRAPH = {"edges": "", "vertices": 5, "drawn": 4, "method": "milp", "seed": 0}


def layer(**changes: Any) -> Picture:
    return explorers.merge_two_balls.function(**{**LAYER, **changes})


def graph(**changes: Any) -> Picture:
    return explorers.two_neurons_for.function(**{**GRAPH, **changes})


@pytest.mark.parametrize("turn", [0.0, 22.5, 67.5, 112.5])
@pytest.mark.parametrize("share", ["0.1", "0.15", "0.25"])
def test_shadows_are_the_images_of_the_balls_and_the_radius_decides(
    turn: float, share: str
) -> None:
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


def test_typed_rows_are_the_layer_and_others_are_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    shown = layer(rows="1 2 0; 0, 1, 1;")
    said = capsys.readouterr().out
    assert "2 neurons for 3 features, rank 2: collision radius 0.1667 = 0.1667 lambda" in said
    assert "W x = W x' up to rounding" in said and shown.alt.count("at distance 0.167") == 2
    layer(m=4)
    said = capsys.readouterr().out
    assert "rank 4: collision radius 0.5 = 0.5 lambda" in said and "loses nothing" in said
    for data, n in {"random": 4, "digits": 64}.items():
        assert f"{n} dimensions" in layer(data=data).alt
        found = re.search(r"for (\d+) features.* = (\S+) lambda", capsys.readouterr().out)
        assert found is not None and int(found[1]) == n and 0 < float(found[2]) < 0.5


@pytest.mark.parametrize("method", ["milp", "backtrack"])
def test_neurons_are_found_exactly_where_a_coloring_is(
    method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for edges, yes in {"0 1; 1 2": True, "0 1;1 2;0 2": False, "0 1 2; 2 3 5": True}.items():
        shown = graph(edges=edges, method=method, vertices=3)
        said = capsys.readouterr().out
        assert ("their coloring" in said) == ("a proper coloring" in said) == yes
        assert ("no two neurons" in said) != yes
        assert ("no edge of one color" in shown.alt) == yes
    shown, h = graph(seed=3, method=method), mem.random_hypergraph(5, 4, 3)
    assert f"{5 + len(h.edges) + 3} points in 6 dimensions" in capsys.readouterr().out
    assert "5 vertices, 4 edges" in shown.alt


def test_a_search_that_ran_out_of_time_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    search = mem.exists_width_two
    monkeypatch.setattr(
        mem,
        "exists_width_two",
        lambda X, y, method, **how: search(X, y, method, **{**how, "time_limit": 1e-9}),
    )
    shown = graph(edges="0 1;1 2;0 2", method="backtrack")
    assert "time was up, no answer" in capsys.readouterr().out and "undecided" in shown.alt


@pytest.mark.parametrize(
    ("run", "changed", "said"),
    [
        (layer, {"rows": "1 2; 1"}, "one length"),
        (layer, {"rows": "1 a"}, "rows must be numbers, got '1 a' as number 1"),
        (layer, {"rows": "1 2", "data": "digits"}, "W must have shape"),
        (graph, {"edges": "0 0.5"}, "whole numbers"),
        (graph, {"edges": "0 1 2 3"}, "2 or 3 vertices"),
        (graph, {"edges": "0 12"}, "from 0 to 11, got 12"),
    ],
)
def test_mistakes_in_a_typed_line_are_named(run: Any, changed: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        run(**changed)
