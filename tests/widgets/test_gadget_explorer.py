"""Promises of the explorer of the reduction: counts are the library's, its words are true."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sublinear_lib import memorization as mem
from sublinear_lib.widgets import Explorer, Line, Points, gadget_explorer, gadget_view

FANO = mem.fano()


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return gadget_explorer()


@pytest.mark.parametrize("kept", [1, 4, 6, 7, 10])
def test_the_fano_plane_loses_its_colorings_with_its_last_line(kept: int) -> None:
    view = gadget_view("fano", kept, 0.0)
    h = mem.Hypergraph(7, FANO.edges[:kept])
    read = dict(view.readouts)
    proper = mem.count_colorings(h)
    assert read["vertices, edges"] == f"7, {min(kept, 7)}"
    assert read["proper colorings"] == str(proper) and read["feasible"] == str(2 * proper)
    assert read["assignments"] == "512"
    assert ("no network of two neurons" in view.sentence) == (kept >= 7) == (proper == 0)
    assert sum(isinstance(v, Line) for v in view.marks) == min(kept, 7)


@pytest.mark.parametrize("name", ["cycle 4", "triples 5", "random 6"])
def test_the_radius_is_exactly_that_of_the_network_of_the_coloring_drawn(name: str) -> None:
    view = gadget_view(name, 3, 0.0)
    radius = Fraction(dict(view.readouts)["exact radius / *λ*"])
    dots = {v.label: v for v in view.marks if isinstance(v, Points)}
    assert set(dots) <= {"first half-space", "second half-space"} and dots
    V = int(dict(view.readouts)["vertices, edges"].split(",")[0])
    assert sum(len(list(v.x)) for v in dots.values()) == V
    assert Fraction(1, 2 * (2 * V + 1)) <= radius < Fraction(1, 2)


def test_beyond_each_bound_it_says_which_promise_ended() -> None:
    view = gadget_view("cycle 4", 4, 0.05)  # 1/18 = 0.056
    assert view.warning is None
    said = [gadget_view("cycle 4", 4, share).warning for share in (0.06, 0.2, 0.4)]
    assert all(said)
    assert "promises nothing here, though" in str(said[0])
    assert "our proof leaves open" in str(said[1])
    assert "no two neurons are robust" in str(said[2])
    assert gadget_view("cycle 5", 5, 0.0).warning is None
    assert "at every μ" in str(gadget_view("cycle 5", 5, 0.1).warning)


def test_every_position_is_stored(explorer: Explorer) -> None:
    assert explorer.shape == (8, 10, 15)
    for at in ((0, 0, 0), (4, 6, 14), (7, 9, 3)):
        assert explorer.stored_view(*at)["sentence"]
    either = {
        dict(gadget_view(name, 10, 0.0).readouts)["proper colorings"] == "0"
        for name in ("triples 5", "random 6", "random 7", "cycle 4")
    }
    assert either == {True, False}, "the menu must hold both kinds"


@pytest.mark.parametrize("bad", [{"name": "petersen"}, {"kept": 0}, {"share": -0.1}, {"share": 1}])
def test_nonsense_is_refused(bad: dict[str, object]) -> None:
    chosen = {"name": "fano", "kept": 3, "share": 0.1, **bad}
    with pytest.raises((TypeError, ValueError)):
        gadget_view(**chosen)  # type: ignore[arg-type]
