"""The pictures of the phase transition: they show what they are given, and refuse nonsense."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from sublinear_lib import plotting
from sublinear_lib.plotting import MapRun, TransitionPanel, Wall

STEPS = np.arange(0, 401, 10)
A = 0.05 * np.exp(STEPS / 80)
B = np.minimum(0.04 * np.exp(STEPS / 40), 1.0)
WALL = Wall([0.7, 0.8, 0.9], [200.0, 100.0, 90.0], [1e4, 1e4, 8e3])


def transition(**changes: object) -> plotting.Picture:
    panels = [
        TransitionPanel("class 1", A, B, 1.02 * A, B, 240.0, 235.0),
        TransitionPanel("class 2", 0.1 * A, B),
    ]
    arguments: dict[str, Any] = {"steps": STEPS, "panels": panels, "name": "t", **changes}
    return plotting.transition_picture(**arguments)


def phase_map(**changes: object) -> plotting.Picture:
    runs = [MapRun(0.4, 300.0, 0.0), MapRun(0.7, 300.0, 0.6), MapRun(0.9, 300.0, 1.0)]
    arguments: dict[str, Any] = {
        "walls": [WALL, Wall([], [], [])],
        "critical": 43.2,
        "runs": runs,
        "name": "m",
        **changes,
    }
    return plotting.phase_map_picture(**arguments)


@pytest.mark.parametrize("draw", [transition, phase_map])
def test_it_is_made_twice_alike_and_small_enough_for_a_page(draw: Any) -> None:
    shown = draw()
    assert shown.html == draw().html
    assert len(shown.html) < 40_000, len(shown.html)
    assert shown.png.startswith(b"\x89PNG")
    words = "One text of the author's own."
    assert draw(alt=words, caption="Look *here*.").alt == words


def test_texts_give_the_numbers() -> None:
    said = transition(level=1.05).alt
    assert "class 1: A goes from 0.05 to 7.42, B from 0.04 to 1" in said
    assert "A takes the lead for good at step 240, by the recursion at step 235" in said
    assert "class 2" in said and "for good never" in said
    assert "The plateau lies at 1.05." in said
    said = phase_map().alt
    assert "Of 2 classes the robust feature wins somewhere in 1, from budgets of 0.7" in said
    assert "The critical rate is 43.2" in said and "0.7 and 300: 60" in said
    assert "wins nowhere" in phase_map(walls=[Wall([], [], [])]).alt


def test_a_lead_beyond_the_steps_shown_is_written_as_the_text_says_it() -> None:
    late = transition(panels=[TransitionPanel("late", A, B, crossing=900.0)])
    assert "at step 900" in late.alt
    assert "leads from 900" in late.html and "does not take the lead" not in late.html


def test_without_a_plateau_none_is_drawn() -> None:
    assert "plateau" not in transition().html
    assert transition(level=math.inf).html == transition().html
    assert "plateau" in transition(level=1.0).html


def test_a_long_path_is_thinned_out() -> None:
    steps = np.arange(5000)
    panels = [TransitionPanel("one", np.linspace(0.1, 2, 5000), np.linspace(0.2, 1, 5000))]
    assert len(transition(steps=steps, panels=panels).html) < 25_000


@pytest.mark.parametrize(
    ("draw", "changed", "said"),
    [
        (transition, {"steps": STEPS[::-1]}, "ascending"),
        (transition, {"panels": []}, "one to 4"),
        (transition, {"panels": [TransitionPanel("a", A[:5], B)]}, "panels"),
        (transition, {"panels": [TransitionPanel("a", A, -B)]}, r"panels\[0\].B must be > 0"),
        (transition, {"panels": [TransitionPanel("a", A, B, A)]}, "none of the two"),
        (transition, {"level": -1.0}, "level"),
        (phase_map, {"walls": []}, "one to 4"),
        (phase_map, {"walls": [Wall([0.5], [2.0], [1.0])]}, "must not exceed"),
        (phase_map, {"walls": [Wall([0.5], [0.0], [1.0])]}, "> 0"),
        (phase_map, {"walls": [Wall([0.9, 0.5], [1.0, 1.0], [2.0, 2.0])]}, "eps must ascend"),
        (phase_map, {"rates": (100.0, 10.0)}, "ascend"),
        (phase_map, {"critical": 0.0}, "critical"),
        (phase_map, {"runs": [MapRun(0.4, 300.0, 1.5)]}, r"runs\[0\].share"),
        (phase_map, {"runs": [MapRun(0.4, 0.0, 0.5)]}, r"runs\[0\].rate"),
    ],
)
def test_nonsense_is_refused_by_name(draw: Any, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        draw(**changed)
