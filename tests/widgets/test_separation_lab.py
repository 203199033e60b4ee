"""Promises of the lab of the threshold: it prints what the library says, and names bad data."""

from __future__ import annotations

import re

import pytest

from sublinear_lib import memorization as mem
from sublinear_lib.plotting import Picture
from sublinear_lib.widgets import separate_points

DRAWN = {"points": "", "N": 8, "classes": 2, "p": "inf", "share": 0.45, "seed": 2}


def points(**changes: object) -> Picture:
    return separate_points(**{**DRAWN, **changes})  # type: ignore[arg-type]


def test_typed_points_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    shown = points(points="0 0 1; 1, 0.5, 2;; 3 3 1;", p="1", share=0.25)
    said = capsys.readouterr().out
    assert "lambda = 1.5: rows 0 and 1, labels 1 and 2" in said
    assert "every budget below 0.75" in said
    assert "at mu = 0.375 a Lipschitz constant of 1.333 is needed" in said
    assert "diamonds of radius 0.375" in shown.alt


def test_drawn_points_are_those_of_the_seed(capsys: pytest.CaptureFixture[str]) -> None:
    points()
    X, y = mem.plane_points(8, 2, rng=2)
    assert f"lambda = {mem.separation(X, y):.4g}" in capsys.readouterr().out


def test_a_line_without_a_point_is_an_empty_line(capsys: pytest.CaptureFixture[str]) -> None:
    points()
    drawn = capsys.readouterr().out
    points(points=" ; ;")
    assert capsys.readouterr().out == drawn
    with pytest.raises(TypeError, match="points must be a string, got int"):
        points(points=3)


def test_beyond_the_threshold_the_lab_shows_the_point(capsys: pytest.CaptureFixture[str]) -> None:
    shown = points(points="0 0 1; 1 0 2", share=0.5)
    assert "the point [0.5, 0.0] would need two values" in capsys.readouterr().out
    assert "cross at 0.5 and 0" in shown.alt


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0 0 1; 0 0 2", "equal points with different labels: rows 0 and 1"),
        ("0 0 1; 1 1 1", "two different labels"),
        ("0 0 1; 1 2", "got '1 2' as number 2"),
        ("0 0 one", "triples"),
        ("0 0 nan; 1 1 2", "finite"),
    ],
)
def test_bad_points_are_named(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        points(points=text)
