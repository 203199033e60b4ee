"""The pictures of the race show the numbers they are given, and long runs thinned."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from sublinear_lib.chapters.two_kinds_of_features import figures
from sublinear_lib.plotting import Picture
from tests.plotting.shown import alt, lines

STEPS = np.arange(301)
GROWN, SLOW = 0.1 / (1 - STEPS / 400), 0.1 + STEPS / 3000
RACE = [figures.RacePanel("class 0", SLOW, GROWN, 1.1 * SLOW, GROWN)]
SEVERAL = np.column_stack([0.3 * SLOW, SLOW, np.full(301, -0.1)])
RATIOS = {"ratio": [0.5, 0.9, 1.2, 4.0], "measured": [1.0, 0.4, 0.6, 0.0]}
ROWS = [figures.HeatRows(["*u*_{1}"], "c1"), figures.HeatRows(["*v*_{1}", ""], "c2")]
X = np.array([[3.0, 0.0, 0.02], [0.0, 1.0, 0.0], [0.0, 1.0, -0.5]])


def race(**changes: Any) -> Picture:
    return figures.race_picture(**{"steps": STEPS, "panels": RACE, "name": "r", **changes})


def filters(**changes: Any) -> Picture:
    return race(**{"panels": [figures.RacePanel("12 filters", SEVERAL, GROWN[:, None])], **changes})


def long(**changes: Any) -> Picture:
    t = np.arange(20_001)
    return race(**{"steps": t, "panels": [figures.RacePanel("a", t / 1e4, t / 2e4)], **changes})


def ratios(**changes: Any) -> Picture:
    return figures.ratio_picture(
        **{**RATIOS, "predicted": [1.0, 0.6, 0.6, 0.1], "name": "q", **changes}
    )


def heat(**changes: Any) -> Picture:
    panels = [figures.HeatPanel("clean", X), figures.HeatPanel("change", -X)]
    given = {"panels": panels, "rows": ROWS, "floor": 0.1, "name": "h"}
    return figures.patch_picture(**{**given, **changes})


MADE = [race, filters, long, ratios, heat]


def test_texts_give_the_numbers() -> None:
    said = race().alt
    assert "over 300 steps, and dotted a prediction" in said
    assert "A, the robust feature, goes from 0.1 to 0.2 (predicted 0.22)" in said
    assert "B, the non-robust one, goes from 0.1 to 0.4 (predicted 0.4)" in said
    said = ratios().alt
    assert "Of 2 below 1, 1 learned the robust feature; of 2 others, 1 did" in said
    assert "same winner for 3 of 4" in said and "from its dot is 0.2" in said
    assert "rings" not in ratios(predicted=None).alt
    said = alt(heat())
    assert "clean: u₁ in 1 cell, on average 3; v₁ in 2 cells, on average 1; coordinate 3" in said
    assert "change: u₁ in 1 cell, on average -3" in said


def test_long_runs_are_thinned_but_keep_their_ends() -> None:
    assert "goes from 0 to 2" in long().alt and "goes from 0 to 1" in long().alt
    for points in lines(long()):
        assert len(points) == 160 and points[0, 0] == 0 and points[-1, 0] == 20_000


def test_of_several_filters_the_one_that_ends_highest_leads_and_must_be_positive() -> None:
    said = filters().alt
    assert "A, the robust feature, goes from 0.1 to 0.2" in said and "dotted" not in said
    assert filters(scale="log10").html != filters().html
    below = [figures.RacePanel("a", -SLOW, GROWN)]
    with pytest.raises(ValueError, match="low must be"):
        race(panels=below, scale="log10")


def test_features_that_have_turned_around_are_drawn_below_zero() -> None:
    (axes,) = race(panels=[figures.RacePanel("a", -1.0 - SLOW, -1.0 - SLOW)])._figures[0].axes
    assert axes.get_ylim() == pytest.approx((-1.2, 1.0))


def test_cells_below_the_floor_are_left_blank_and_all_panels_have_the_same_shades() -> None:
    assert len(heat(floor=0.6).html) < len(heat().html) < len(heat(floor=0.0).html)
    none = [figures.HeatPanel("none", np.zeros((2, 3)))]
    assert "nothing visible" in heat(panels=none).alt
    weak, strong = (figures.HeatPanel("a", np.full((3, 3), top)) for top in (1.0, 4.0))
    shades = [
        set(re.findall(r"opacity:([0-9.]+)", heat(panels=panels, floor=0.0).html))
        for panels in ([weak], [strong], [weak, strong])
    ]
    assert shades[0] == shades[1] and len(shades[2]) == len(shades[0]) + 1
