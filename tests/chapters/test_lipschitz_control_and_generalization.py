"""Two memorizers: certified, counted as nearest neighbors answer, and bad points named."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sublinear_lib import memorization as mem
from sublinear_lib.chapters.lipschitz_control_and_generalization import explorers
from sublinear_lib.plotting import Picture, number, percent

DIGITS = explorers.memorize_digits.function


def plane(**changes: Any) -> Picture:
    drawn = {"points": "", "N": 6, "share": 0.4, "seed": 2}
    return explorers.answer_in_the_plane.function(**{**drawn, **changes})


@pytest.mark.parametrize("question", ["parity", "half", "zero", "noise"])
def test_both_memorizers_are_certified_and_the_shares_add_up(
    question: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = DIGITS(N=40, question=question, share=0.4, seed=4)
    said = capsys.readouterr().out
    assert "; 1757 other digits" in said
    for name in ("Theorem 4.8", "Theorem 5.2"):
        assert f"{name}: certified on 40 of 40 balls" in said
        row = rf"{name}: right ([\d.]+)\s%.*?wrong ([\d.]+)\s%, no answer ([\d.]+)\s%"
        [shares] = re.findall(row, shown.alt)
        assert sum(map(float, shares)) == pytest.approx(100.0, abs=0.2)


def test_the_shares_are_those_of_the_nearest_neighbor(capsys: pytest.CaptureFixture[str]) -> None:
    DIGITS(N=50, question="zero", share=0.3, seed=1)
    said = capsys.readouterr().out
    data = mem.digits(50, np.random.default_rng(1))
    s, truth = (np.where(y == 1.0, 1.0, -1.0) for y in (data.y, data.y_test))
    apart = cdist(data.X_test, data.X, "chebyshev")
    near = apart == apart.min(axis=1, keepdims=True)
    # Right only if all nearest digits have the right label.
    right = np.where(near, s == truth[:, None], True).all(axis=1)
    assert f"Theorem 5.2: certified on 50 of 50 balls, right {percent(right.mean())}" in said
    assert f"lambda = {number(16 * mem.separation(data.X, s))} gray levels" in said
    with pytest.raises(ValueError, match="two different labels"):
        DIGITS(N=40, question="zero", share=0.4, seed=3)


def test_typed_points_are_memorized(capsys: pytest.CaptureFixture[str]) -> None:
    shown = plane(points="0 0 +; 1 0.5 -;", share=0.25)
    said = capsys.readouterr().out
    # 2n/(lambda - 2 mu) with n = 2, and 1/(lambda - 2 mu).
    assert "lambda = 1, mu = 0.25" in said and "8 for Theorem 4.8, 2 for Theorem 5.2" in said
    assert "2 points of the plane" in shown.alt and "half-width 0.25" in shown.alt
    plane()
    drawn = capsys.readouterr().out
    plane(points=";")
    assert capsys.readouterr().out == drawn, "a line without a point is an empty line"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0 0 +; 0 0 -", "equal points with different labels: rows 0 and 1"),
        ("0 0 +; 1 1 +", "two different labels"),
        ("0 0 +; 1 2", "got '1 2' as number 2"),
        ("0 0 1; 1 1 -", "got '0 0 1' as number 1"),
        ("a b +", "triples"),
        ("0 0 +; nan 1 -", "finite"),
    ],
)
def test_bad_points_are_named(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        plane(points=text)
