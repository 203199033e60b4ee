"""Answers are told as shares of the square, and bars with their intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sublinear_lib.chapters.lipschitz_control_and_generalization import figures
from sublinear_lib.plotting import Picture, percent
from sublinear_lib.statistics import clopper_pearson, median_interval
from tests.plotting.shown import alt

GRID = np.linspace(-1.0, 1.0, 21)[None, :] * np.ones((21, 1))
PANELS = [
    figures.AnswerPanel("*f*", GRID),
    figures.AnswerPanel("*F*", GRID, (0.5, 9.0), (0.0, 0.5)),
]
ROWS = {"*F*, list": (0.25, 0.25, 0.5), "map": (0.75, 0.25, 0.0)}
INTERVALS = {"*F*, list": clopper_pearson(25, 100), "map": clopper_pearson(75, 100)}


def answers(**changes: Any) -> Picture:
    given = {"X": [[0.0, 0.0], [1.0, 0.5]], "s": [1.0, -1.0], "panels": PANELS, "mu": 0.25}
    return figures.answers_picture(**{**given, "limits": (-1.0, 1.0), "name": "a", **changes})


def bars(**changes: Any) -> Picture:
    return figures.answer_bars(**{"entries": ROWS, "intervals": INTERVALS, "name": "b", **changes})


MADE = [answers, bars]


def test_answers_are_told_as_shares_of_the_square() -> None:
    said = alt(answers())
    assert "squares of half-width 0.25" in said
    # 10 of 21 columns are positive, 10 negative; of the second panel 5 and 4 are inside.
    assert "f: the answer is plus on 48 % of the square, minus on 48 %" in said
    assert "F: the answer is plus on 24 % of the square, minus on 19 %" in said
    silent = figures.AnswerPanel("*F*", np.zeros((5, 5)), (0.5, 2.0), (-2.0, -0.5))
    assert "there is none on 100 %" in alt(answers(panels=[silent]))


def test_every_bar_is_as_long_as_its_share_and_written_with_its_interval() -> None:
    shown = bars(chance=0.5)
    for title, interval in INTERVALS.items():
        written = (percent(interval.estimate), percent(interval.upper))
        assert all(text in shown.html for text in written), title
    assert "F, list: right 25 %" in alt(shown) and "no answer 50 %" in alt(shown)
    assert "A dashed line marks a guess, 50 %" in alt(shown) and "a guess" not in bars().html
    widths = [patch.get_width() for patch in bars()._figures[0].axes[0].patches]
    assert widths == [0.25, 0.25, 0.5, 0.75, 0.25]
    with pytest.raises(ValueError, match="add to 1"):
        bars(entries={**ROWS, "map": (0.5, 0.4, 0.2)})


def test_an_interval_may_be_that_of_a_median() -> None:
    found = {"map": median_interval([0.7, 0.71, 0.72, 0.8, 0.81, 0.82])}
    one = bars(entries={"map": (0.76, 0.24, 0.0)}, intervals=found)
    assert "interval 70 % to 82 %" in alt(one)
