"""The pictures of memorizers: they show the given numbers, and refuse nonsense."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from sublinear_lib import plotting
from sublinear_lib.plotting import AnswerPanel, percent
from sublinear_lib.statistics import clopper_pearson, median_interval

X = np.array([[0.0, 0.0], [1.0, 0.5]])
S = np.array([1.0, -1.0])
GRID = np.linspace(-1.0, 1.0, 21)[None, :] * np.ones((21, 1))
ROWS = {"*F*, list": (0.25, 0.25, 0.5), "map": (0.75, 0.25, 0.0)}
INTERVALS = {"*F*, list": clopper_pearson(25, 100), "map": clopper_pearson(75, 100)}


def answers(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "X": X,
        "s": S,
        "panels": [AnswerPanel("*f*", GRID), AnswerPanel("*F*", GRID, (0.5, 9.0), (0.0, 0.5))],
        "mu": 0.25,
        "limits": (-1.0, 1.0),
        "name": "a",
        **changes,
    }
    return plotting.answers_picture(**arguments)


def bars(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {"entries": ROWS, "intervals": INTERVALS, "name": "b", **changes}
    return plotting.answer_bars(**arguments)


@pytest.mark.parametrize("draw", [answers, bars])
def test_it_is_made_twice_alike_and_small_enough_for_a_page(draw: Any) -> None:
    shown = draw()
    assert shown.html == draw().html
    assert len(shown.html) < 60_000, len(shown.html)
    assert shown.png.startswith(b"\x89PNG")


def test_answers_are_told_as_shares_of_the_square() -> None:
    alt = answers().alt
    assert "squares of half-width 0.25" in alt
    # 10 of 21 columns are positive, 10 negative; of the second panel 5 and 4 are inside.
    assert "f: the answer is plus on 48 % of the square, minus on 48 %" in alt
    assert "F: the answer is plus on 24 % of the square, minus on 19 %" in alt


def test_a_network_without_an_answer_leaves_its_panel_blank() -> None:
    blank = answers(panels=[AnswerPanel("*F*", np.zeros((5, 5)), (0.5, 2.0), (-2.0, -0.5))])
    assert "there is none on 100 %" in blank.alt


def test_every_bar_is_written_with_its_interval() -> None:
    shown = bars(chance=0.5)
    for title, interval in INTERVALS.items():
        written = (percent(interval.estimate), percent(interval.upper))
        assert all(text in shown.html for text in written), title
    assert "F, list: right 25 %" in shown.alt and "no answer 50 %" in shown.alt
    assert "A dashed line marks a guess, 50 %" in shown.alt
    assert "a guess" not in bars().html


def test_an_interval_may_be_that_of_a_median() -> None:
    found = {"map": median_interval([0.7, 0.71, 0.72, 0.8, 0.81, 0.82])}
    assert "interval 70 % to 82 %" in bars(entries={"map": (0.76, 0.24, 0.0)}, intervals=found).alt


@pytest.mark.parametrize(
    ("draw", "bad", "said"),
    [
        (answers, {"s": [1.0, 2.0]}, "-1 and +1"),
        (answers, {"limits": (1.0, 1.0)}, "ascend"),
        (answers, {"panels": []}, "one to three"),
        (answers, {"panels": [AnswerPanel("a", np.zeros((2, 3)))]}, "square grid"),
        (answers, {"panels": [AnswerPanel("a", GRID, (1.0, 1.0))]}, "plus must ascend"),
        (answers, {"mu": -1.0}, "mu"),
        (answers, {"mu": math.nan}, "mu"),
        (bars, {"entries": {"map": (0.5, 0.4, 0.2)}, "intervals": {}}, "titles"),
        (bars, {"entries": {**ROWS, "map": (0.5, 0.4, 0.2)}}, "add to 1"),
        (bars, {"entries": {**ROWS, "map": (1.5, -0.5, 0.0)}}, "add to 1"),
        (bars, {"entries": {}, "intervals": {}}, "one to six"),
        (bars, {"chance": 1.0}, "chance"),
    ],
)
def test_nonsense_is_refused(draw: Any, bad: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        draw(**bad)
