"""The window around the threshold counts the neurons that can flip."""

from __future__ import annotations

from typing import Any

import numpy as np

from sublinear_lib.chapters.who_flips import figures
from sublinear_lib.plotting import Picture
from tests.plotting.shown import lines

SCORES = [[-2.0, -0.1, 0.0, 0.2, 0.4], [1.0, 1.5]]
GIVEN = {"scores": SCORES, "thresholds": [0.0, 1.5], "halves": [0.25, 0.1]}


def window(**changes: Any) -> Picture:
    return figures.flips_window(**{**GIVEN, "titles": ["first", "second"], "name": "w", **changes})


def many(**changes: Any) -> Picture:
    normal = np.random.default_rng(0).standard_normal((2, 400))
    return window(**{"scores": normal, **changes})


MADE = [window, many]


def test_the_window_counts_the_neurons_inside_it_and_on_its_ends() -> None:
    alt = window().alt
    assert "first: 3 of 5 neurons are within 0.25 standard deviations of the threshold 0, 60" in alt
    assert "second: 1 of 2 neurons are within 0.1 standard deviations of the threshold 1.5" in alt
    edge = {"thresholds": [1.0], "halves": [0.5], "titles": ["edge"]}
    assert "3 of 3 neurons" in window(scores=[[0.5, 1.0, 1.5]], **edge).alt
    assert "2 of 3 neurons" in window(scores=[[0.5, 1.0, 1.75]], **edge).alt


def test_each_neuron_has_a_tick_where_its_score_is() -> None:
    ticks = [points[::3, 0] for points in lines(window()) if np.isnan(points).any()]
    for drawn, wanted in zip(ticks, ([-2, 0.4], [-0.1, 0, 0.2], [1.0], [1.5]), strict=True):
        np.testing.assert_array_equal(drawn, wanted)
