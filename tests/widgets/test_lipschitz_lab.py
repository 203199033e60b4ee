"""Promises of the labs of the last chapter of Part II: certified, counted, and bad data named."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sublinear_lib import memorization as mem
from sublinear_lib.plotting import Picture, number, percent
from sublinear_lib.widgets import (
    answer_in_the_plane,
    memorize_digits,
)

PLANE = {"points": "", "N": 6, "share": 0.4, "seed": 2}


def plane(**changes: object) -> Picture:
    return answer_in_the_plane(**{**PLANE, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("question", ["parity", "half", "zero", "noise"])
def test_both_memorizers_are_certified_and_the_shares_add_up(
    question: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = memorize_digits(N=40, question=question, share=0.4, seed=4)
    said = capsys.readouterr().out
    assert "; 1757 other digits" in said
    for name in ("Theorem 4.8", "Theorem 5.2"):
        assert f"{name}: certified on 40 of 40 balls" in said
        [row] = re.findall(
            rf"{name}: right ([\d.]+)\s%.*?wrong ([\d.]+)\s%, no answer ([\d.]+)\s%", shown.alt
        )
        assert sum(map(float, row)) == pytest.approx(100.0, abs=0.2)


def test_the_shares_are_those_of_the_nearest_neighbor(capsys: pytest.CaptureFixture[str]) -> None:
    memorize_digits(N=50, question="zero", share=0.3, seed=1)
    said = capsys.readouterr().out
    data = mem.digits(50, np.random.default_rng(1))
    s, truth = (np.where(y == 1.0, 1.0, -1.0) for y in (data.y, data.y_test))
    apart = cdist(data.X_test, data.X, "chebyshev")
    near = apart == apart.min(axis=1, keepdims=True)
    # Right only if all nearest digits have the right label.
    right = np.where(near, s == truth[:, None], True).all(axis=1)
    assert f"Theorem 5.2: certified on 50 of 50 balls, right {percent(right.mean())}" in said
    assert f"lambda = {number(16 * mem.separation(data.X, s))} gray levels" in said


def test_random_labels_keep_the_certificate_and_lose_the_rest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    memorize_digits(N=100, question="noise", share=0.45, seed=0)
    said = capsys.readouterr().out
    found = re.search(r"Theorem 5.2: certified on 100 of 100 balls, right ([\d.]+)\s%", said)
    assert found is not None and float(found[1]) < 60


def test_typed_points_are_memorized(capsys: pytest.CaptureFixture[str]) -> None:
    shown = plane(points="0 0 +; 1 0.5 -;", share=0.25)
    said = capsys.readouterr().out
    assert "lambda = 1, mu = 0.25" in said
    # 2n/(lambda - 2 mu) with n = 2, and 1/(lambda - 2 mu).
    assert "8 for Theorem 4.8, 2 for Theorem 5.2" in said
    assert "2 points of the plane" in shown.alt and "half-width 0.25" in shown.alt


def test_a_line_without_a_point_is_an_empty_line(capsys: pytest.CaptureFixture[str]) -> None:
    plane()
    drawn = capsys.readouterr().out
    plane(points=";")
    assert capsys.readouterr().out == drawn
    with pytest.raises(TypeError, match="points must be a string, got int"):
        plane(points=3)


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


def test_digits_without_one_of_the_labels_are_named() -> None:
    assert 1.0 not in mem.digits(40, np.random.default_rng(3)).y
    with pytest.raises(ValueError, match="two different labels"):
        memorize_digits(N=40, question="zero", share=0.4, seed=3)


@pytest.mark.parametrize("bad", [{"N": 10}, {"question": "six"}, {"share": 0.5}, {"seed": -1}])
def test_digits_refuse_what_is_out_of_range(bad: dict[str, object]) -> None:
    chosen = {"N": 40, "question": "parity", "share": 0.4, "seed": 0, **bad}
    with pytest.raises((TypeError, ValueError)):
        memorize_digits(**chosen)  # type: ignore[arg-type]
