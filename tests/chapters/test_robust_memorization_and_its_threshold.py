"""The threshold lambda/2: balls, numbers and words are those of Proposition II.1."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from sublinear_lib import memorization as mem
from sublinear_lib.chapters.robust_memorization_and_its_threshold import explorers
from sublinear_lib.plotting import Picture, number
from sublinear_lib.widgets import Band, Points
from tests.chapters.marks import named, of

NORMS = {"inf": math.inf, "2": 2.0, "1": 1.0}
X, Y = mem.plane_points(7, 3, rng=5)


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.48, 0.5, 0.54, 0.6])
def test_numbers_and_words_are_those_of_the_library(share: float, p: str) -> None:
    view, norm = explorers.balls.function(share, p), NORMS[p]
    lam = mem.separation(X, Y, norm)
    mu, read = share * lam, dict(view.readouts)
    assert read["separation *λ*"] == number(lam) and read["budget *μ*"] == number(mu)
    assert read["room *λ* − 2*μ*"] == number(lam - 2 * mu)
    for x, band in zip(X, of(view, Band), strict=True):
        edge = np.column_stack([np.asarray(band.x), np.asarray(band.upper)])
        assert np.linalg.norm(edge - x, norm, axis=1) == pytest.approx(mu, abs=2e-3)
        assert np.asarray(band.lower) + np.asarray(band.upper) == pytest.approx(2 * x[1], abs=2e-3)
    if share < 0.5:
        slope = number(mem.smallest_slope(X, Y, mu, norm).value)
        assert read["slope needed"] == slope and f"rate {slope}. " in view.sentence
        assert view.warning is None
        return
    assert "No function" in (view.warning or "") and read["slope needed"] == "∞"
    assert (share == 0.5) == ("touch:" in view.sentence)
    cross = named(view, Points)["two labels claim it"]
    at = np.array([cross.x, cross.y]).ravel()
    near = [Y[i] for i in range(7) if np.linalg.norm(X[i] - at, norm) <= mu + 1e-12]
    assert len(set(near)) >= 2


def points(**changes: Any) -> Picture:
    drawn = {"points": "", "N": 8, "classes": 2, "p": "inf", "share": 0.45, "seed": 2}
    return explorers.separate_points.function(**{**drawn, **changes})


def test_points_of_the_reader_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    shown = points(points="0 0 1; 1, 0.5, 2;; 3 3 1;", p="1", share=0.25)
    said = capsys.readouterr().out
    assert "lambda = 1.5: rows 0 and 1, labels 1 and 2\nevery budget below 0.75" in said
    assert "at mu = 0.375 a Lipschitz constant of 1.333 is needed" in said
    assert "diamonds of radius 0.375" in shown.alt
    shown = points(points="0 0 1; 1 0 2", share=0.5)
    assert "the point [0.5, 0.0] would need two values" in capsys.readouterr().out
    assert "cross at 0.5 and 0" in shown.alt
    points()
    drawn = capsys.readouterr().out
    assert f"lambda = {mem.separation(*mem.plane_points(8, 2, rng=2)):.4g}" in drawn
    points(points=" ; ;")
    assert capsys.readouterr().out == drawn, "a line without a point is an empty line"


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
