"""Promises of the labs of the threshold: they print what the library says, and name bad data."""

from __future__ import annotations

import re

import pytest

from sublinear_lib import memorization as mem
from sublinear_lib.plotting import Picture
from sublinear_lib.widgets import separate_digits, separate_points

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


def test_digits_report_the_median_over_the_draws(capsys: pytest.CaptureFixture[str]) -> None:
    shown = separate_digits(N=60, p="inf", labels="parity", draws=6, seed=1)
    said = capsys.readouterr().out
    found = re.search(r"lambda = (\S+) gray levels in the median of 6 draws \[(\S+), (\S+)\]", said)
    assert found is not None
    middle, low, high = map(float, found.groups())
    assert low <= middle <= high and 4 <= middle <= 16 and middle % 0.5 == 0
    assert f"below {middle / 2:.4g} gray levels" in said
    assert "from 30 to 60" in shown.alt


@pytest.mark.parametrize(
    "bad", [{"N": 10}, {"p": "3"}, {"labels": "both"}, {"draws": 2}, {"seed": -1}]
)
def test_digits_refuse_what_is_out_of_range(bad: dict[str, object]) -> None:
    chosen = {"N": 60, "p": "inf", "labels": "class", "draws": 6, "seed": 0, **bad}
    with pytest.raises((TypeError, ValueError)):
        separate_digits(**chosen)  # type: ignore[arg-type]
