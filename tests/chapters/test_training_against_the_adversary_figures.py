"""Accuracies are told from few to many active neurons, and cut where the axis ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from sublinear_lib.chapters.training_against_the_adversary import figures
from sublinear_lib.plotting import Picture
from tests.plotting.shown import alt, lines

ROWS = [(0.5, 0.9, 0.85, 0.95), (0.01, 0.8, 0.7, 1.05), (0.1, 0.85, 0.8, 0.9)]


def accuracies(**changes: Any) -> Picture:
    given = {"panels": {"jump": {"clean": ROWS}, "other": {"clean": ROWS}}, "name": "a"}
    return figures.accuracy_against_activity(**{**given, **changes})


MADE = [accuracies]


def test_means_below_the_axis_are_cut_and_the_others_are_not_moved() -> None:
    line, dots = lines(accuracies(lowest=0.84, panels={"jump": {"clean": ROWS}}))
    np.testing.assert_allclose(line[:, 1], [0.84, 0.85, 0.9])
    np.testing.assert_allclose(dots, [(0.1, 0.85), (0.5, 0.9)])


def test_the_text_goes_from_few_to_many_active_neurons_in_any_order() -> None:
    panels = {"jump": {"clean": ROWS[::-1]}, "other": {"clean": ROWS[::-1]}}
    assert accuracies().alt == accuracies(panels=panels).alt
    assert "80 % at 1 % activity and 90 % at 50 %" in alt(accuracies())
