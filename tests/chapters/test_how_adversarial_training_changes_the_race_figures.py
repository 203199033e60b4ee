"""The pictures of the phase transition show every run, and say what they are given."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sublinear_lib.chapters.how_adversarial_training_changes_the_race import figures
from sublinear_lib.plotting import Picture
from tests.plotting.shown import alt, lines, texts

STEPS = np.arange(0, 401, 10)
A, B = 0.05 * np.exp(STEPS / 80), np.minimum(0.04 * np.exp(STEPS / 40), 1.0)
CLASSES = [
    figures.TransitionPanel("class 1", A, B, 1.02 * A, B, 240.0, 235.0),
    figures.TransitionPanel("class 2", 0.1 * A, B),
]
WALL = figures.Wall([0.7, 0.8, 0.9], [200.0, 100.0, 90.0], [1e4, 1e4, 8e3])
NOWHERE = figures.Wall([], [], [])
RUNS = [figures.MapRun(eps, 300.0, share) for eps, share in ((0.4, 0.0), (0.7, 0.6), (0.9, 1.0))]
RATES: dict[str, Any] = {
    "rate": [30.0, 30.0, 300.0, 300.0, 3000.0, 3000.0],
    "plateau": [3.2, 3.0, 1.0, 1.1, 0.5, 0.5],
    "formula": [None, math.inf, 1.05, 1.05, 0.48, 0.48],
    "crossing": [[None, math.inf], [None, 900], [500, 700], [550, 650], [800, 800], [800, 800]],
    "lower": [[None] * 2] * 2 + [[400.0, 400.0]] * 4,
    "upper": [[None] * 2] * 2 + [[1400.0, 1500.0]] * 4,
    "name": "r",
}


def transition(**changes: Any) -> Picture:
    given = {"steps": STEPS, "panels": CLASSES, "name": "t"}
    return figures.transition_picture(**{**given, **changes})


def phase_map(**changes: Any) -> Picture:
    given = {"walls": [WALL, NOWHERE], "critical": 43.2, "runs": RUNS, "name": "m"}
    return figures.phase_map_picture(**{**given, **changes})


def rates(**changes: Any) -> Picture:
    return figures.rates_picture(**{**RATES, **changes})


MADE = [transition, phase_map, rates]


def test_the_transition_gives_both_ends_and_when_the_lead_changes() -> None:
    said = transition(level=1.05).alt
    assert "class 1: A goes from 0.05 to 7.42, B from 0.04 to 1" in said
    assert "A takes the lead for good at step 240, by the recursion at step 235" in said
    assert "class 2" in said and "for good never" in said
    assert "The plateau lies at 1.05." in said and "plateau" in texts(transition(level=1.0))
    assert "A leads from 240 (recursion: 235)" in texts(transition())
    assert "plateau" not in transition().html
    assert transition(level=math.inf).html == transition().html
    late = transition(panels=[figures.TransitionPanel("late", A, B, crossing=900.0)])
    assert "at step 900" in late.alt and "A leads from 900" in texts(late)


def test_the_map_tells_where_the_robust_feature_wins_and_what_runs_did() -> None:
    said = alt(phase_map())
    assert "Of 2 classes the robust feature wins somewhere in 1, from budgets of 0.7" in said
    assert "above rates of 90 to 90 at least" in said
    assert "The critical rate is 43.2" in said and "0.7 and 300: 60 % of the classes" in said
    assert "wins nowhere" in phase_map(walls=[NOWHERE]).alt
    dots = {role: lines(phase_map(), role, marker="o") for role in ("c1", "c2", "c5")}
    assert [points[0][0, 0] for points in dots.values()] == [0.9, 0.4, 0.7]


def test_rates_give_the_course_of_the_plateau_and_the_times() -> None:
    said = alt(rates())
    assert "falls from 3.1 to 0.5; the formula goes from 1.05 at 300 to 0.48" in said
    assert "at step 900 at rate 30 and at step 800 at rate" in said
    assert said.endswith("classes that cross: 1 of 4 at 30, all at the others.")
    risen = alt(rates(plateau=[0.5, 0.5, 1.0, 1.1, 3.2, 3.0]))
    assert "The level at which v stops rises from 0.5 to 3.1" in risen
    part = alt(rates(crossing=[[None, 5.0]] * 6, lower=None, upper=None))
    assert part.endswith("2 of 4 at 30, 2 of 4 at 300, 2 of 4 at 3 000.")
    bare = rates(formula=[None] * 6, crossing=[[5.0]] * 6, lower=None, upper=None).alt
    assert "formula" not in bare and "classes" not in bare


def test_every_run_is_a_dot_and_a_plateau_is_predicted_only_where_there_is_one() -> None:
    # 9 of the 12 classes have a time; a class that never crosses has no dot.
    assert [len(points) for points in lines(rates(), "c1")] == [3, 6, 9, 3]
    formula, low, high = lines(rates(), "c2")
    np.testing.assert_array_equal(formula, [[300, 1.05], [3000, 0.48]])
    np.testing.assert_array_equal(low, [[300, 400], [3000, 400]])
    np.testing.assert_array_equal(high, [[300, 1450], [3000, 1450]])
