"""Promises of the labs on limits: what they print is true of the layer and of the neurons."""

from __future__ import annotations

import re

import pytest

from sublinear_lib import memorization as mem
from sublinear_lib.plotting import Picture
from sublinear_lib.widgets import merge_two_balls, two_neurons_for

LAYER = {"rows": "", "data": "simplex", "n": 4, "m": 3, "seed": 0}
GRAPH = {"edges": "", "vertices": 5, "drawn": 4, "method": "milp", "seed": 0}


def layer(**changes: object) -> Picture:
    return merge_two_balls(**{**LAYER, **changes})  # type: ignore[arg-type]


def graph(**changes: object) -> Picture:
    return two_neurons_for(**{**GRAPH, **changes})  # type: ignore[arg-type]


def test_typed_rows_are_the_layer(capsys: pytest.CaptureFixture[str]) -> None:
    shown = layer(rows="1 2 0; 0, 1, 1;")
    said = capsys.readouterr().out
    assert "2 neurons for 3 features, rank 2: collision radius 0.1667 = 0.1667 lambda" in said
    assert "W x = W x' up to rounding" in said
    assert shown.alt.count("at distance 0.167") == 2


def test_a_layer_that_loses_nothing_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    layer(m=4)
    said = capsys.readouterr().out
    assert "rank 4: collision radius 0.5 = 0.5 lambda" in said and "loses nothing" in said


@pytest.mark.parametrize("data", ["random", "digits"])
def test_other_samples_have_a_radius_below_the_threshold(
    data: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = layer(data=data)
    found = re.search(r"for (\d+) features.* = (\S+) lambda", capsys.readouterr().out)
    assert found is not None and 0 < float(found[2]) < 0.5
    assert int(found[1]) == (64 if data == "digits" else 4)
    assert f"{found[1]} dimensions" in shown.alt


@pytest.mark.parametrize("method", ["milp", "backtrack"])
def test_neurons_are_found_exactly_where_a_coloring_is(
    method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for edges, yes in (("0 1; 1 2", True), ("0 1;1 2;0 2", False), ("0 1 2; 2 3 5", True)):
        shown = graph(edges=edges, method=method, vertices=3)
        said = capsys.readouterr().out
        assert ("their coloring" in said) == yes
        assert ("a proper coloring" in said) == yes and ("no two neurons" in said) != yes
        assert ("no edge of one color" in shown.alt) == yes


def test_drawn_hypergraphs_are_those_of_the_seed(capsys: pytest.CaptureFixture[str]) -> None:
    shown = graph(seed=3)
    h = mem.random_hypergraph(5, 4, 3)
    assert f"{5 + len(h.edges) + 3} points in 6 dimensions" in capsys.readouterr().out
    assert "5 vertices, 4 edges" in shown.alt


def test_a_search_that_ran_out_of_time_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sublinear_lib.widgets.limits_lab._LIMIT", 1e-9)
    shown = graph(edges="0 1;1 2;0 2", method="backtrack")
    assert "time was up, no answer" in capsys.readouterr().out
    assert "undecided" in shown.alt


@pytest.mark.parametrize(
    ("run", "changed", "said"),
    [
        (layer, {"rows": "1 2; 1"}, "one length"),
        (layer, {"rows": "1 a"}, "rows must be numbers, got '1 a' as number 1"),
        (layer, {"rows": "1 2", "data": "digits"}, "W must have shape"),
        (layer, {"data": "faces"}, "data"),
        (layer, {"m": 0}, "m must be"),
        (graph, {"edges": "0 0.5"}, "whole numbers"),
        (graph, {"edges": "0 1 2 3"}, "2 or 3 vertices"),
        (graph, {"edges": "0 12"}, "from 0 to 11, got 12"),
        (graph, {"vertices": 2}, "vertices"),
        (graph, {"method": "guess"}, "method"),
    ],
)
def test_mistakes_are_named(run: object, changed: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        run(**changed)  # type: ignore[operator]


@pytest.mark.parametrize(("run", "line"), [(layer, "rows"), (graph, "edges")])
def test_a_line_is_a_string(run: object, line: str) -> None:
    with pytest.raises(TypeError, match=f"{line} must be a string, got int"):
        run(**{line: 3})  # type: ignore[operator]
