"""Promises of the labs of the memorizer: they print what the library says, and refuse in words."""

from __future__ import annotations

import math

import pytest

from sublinear_lib import memorization as mem
from sublinear_lib.plotting import Picture
from sublinear_lib.widgets import build_and_certify, near_the_limit

DRAWN = {"N": 8, "n": 3, "classes": 2, "share": 0.45, "p": "inf", "seed": 2}


def built(**changes: object) -> Picture:
    return build_and_certify(**{**DRAWN, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("p", ["inf", "1", "2"])
def test_the_lab_prints_counts_formula_and_certificate(
    p: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = built(p=p)
    said = capsys.readouterr().out
    X, y = mem.random_points(8, 3, 2, rng=2)
    norm = {"inf": math.inf, "1": 1.0, "2": 2.0}[p]
    assert f"lambda = {mem.separation(X, y, norm):.4g}" in said
    assert "certified 8 of 8 balls" in said
    if p == "inf":
        size = mem.linf_size(8, 3)
        assert f"width {size.width}, depth {size.depth}\n{size.nonzeros} nonzeros" in said
        assert "plain intervals" in shown.alt and "stored weights" in said
    else:
        assert "attack" in shown.alt and "construction" in said
    assert "8 of 8 balls within 0.5" in shown.alt


def test_a_budget_at_the_threshold_is_refused_with_the_largest_one() -> None:
    with pytest.raises(ValueError, match=r"lambda/2.*largest admissible budget"):
        built(share=0.5)


def test_many_balls_are_cut_in_the_picture_but_not_in_the_certificate(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = built(N=70, n=2, share=0.25)
    assert "certified 70 of 70 balls" in capsys.readouterr().out
    assert "on 60 balls" in shown.alt


def test_near_the_limit_float32_breaks_and_float64_does_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = near_the_limit(N=8, n=3, label=2, closest=7, seed=0)
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("float64") and "wrong nowhere" in said[0]
    assert said[1].startswith("float32") and "wrong from 1e-06 on" in said[1]
    assert "float64: from" in shown.alt and "float32: from" in shown.alt


@pytest.mark.parametrize(
    "bad", [{"N": 1}, {"n": 0}, {"classes": 1}, {"share": 0.0}, {"p": "3"}, {"seed": -1}]
)
def test_the_first_lab_refuses_what_is_out_of_range(bad: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError)):
        built(**bad)


@pytest.mark.parametrize("bad", [{"N": 1}, {"label": 1}, {"closest": 15}, {"seed": -1}])
def test_the_second_lab_refuses_what_is_out_of_range(bad: dict[str, object]) -> None:
    chosen = {"N": 4, "n": 2, "label": 2, "closest": 3, "seed": 0, **bad}
    with pytest.raises((TypeError, ValueError)):
        near_the_limit(**chosen)  # type: ignore[arg-type]
