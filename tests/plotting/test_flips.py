"""The pictures of who flips: they show the given numbers, in one size, and refuse nonsense."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from sublinear_lib import plotting

SCORES = [[-2.0, -0.1, 0.0, 0.2, 0.4], [1.0, 1.5]]
ANGLES = np.linspace(0.0, 360.0, 25)
COUNTS = 100.0 + np.arange(25) % 7


def window(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "scores": SCORES,
        "thresholds": [0.0, 1.5],
        "halves": [0.25, 0.1],
        "titles": ["first", "second"],
        "name": "w",
        **changes,
    }
    return plotting.flips_window(**arguments)


def circle(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "angles": ANGLES,
        "counts": COUNTS,
        "mean": 102.5,
        "interval": (90.0, 115.0),
        "fixed": (0.0, 100.0),
        "largest": (75.0, 106.0),
        "levels": {"Theorem B": 120.0},
        "name": "c",
        **changes,
    }
    return plotting.flips_around_circle(**arguments)


def test_the_text_of_the_window_counts_the_neurons_inside_it() -> None:
    alt = window().alt
    assert "first: 3 of 5 neurons are within 0.25 standard deviations of the threshold 0, 60" in alt
    assert "second: 1 of 2 neurons are within 0.1 standard deviations of the threshold 1.5" in alt


def test_the_ends_of_the_window_belong_to_it() -> None:
    edge = {"thresholds": [1.0], "halves": [0.5], "titles": ["edge"]}
    assert "3 of 3 neurons" in window(scores=[[0.5, 1.0, 1.5]], **edge).alt
    assert "2 of 3 neurons" in window(scores=[[0.5, 1.0, 1.75]], **edge).alt


def test_many_neurons_do_not_fill_the_page() -> None:
    rng = np.random.default_rng(0)
    shown = window(
        scores=[rng.standard_normal(400) for _ in range(3)],
        thresholds=[0.0, 0.0, 2.0],
        halves=[0.4, 0.2, 0.2],
        titles=["a", "b", "c"],
    )
    assert len(shown.html) < 90_000, len(shown.html)


def test_the_text_of_the_circle_gives_range_maximum_and_bound() -> None:
    alt = circle().alt
    assert "between 100 and 106" in alt
    assert "largest value at 75°" in alt
    assert "mean is 102.5 and the 99.9 % range 90 to 115; Theorem B 120" in alt
    assert "Theorem B" not in circle(levels=None).alt


def test_every_mark_of_the_circle_lies_on_the_axis() -> None:
    (axes,) = circle(mean=20.0, interval=(20.0, 30.0), fixed=(0.0, 200.0))._figures[0].axes
    low, high = axes.get_ylim()
    assert low < 20.0 and high > 200.0


@pytest.mark.parametrize("draw", [window, circle])
def test_each_is_made_twice_alike_and_keeps_the_words_of_the_author(draw: Any) -> None:
    assert draw().html == draw().html
    assert draw().png.startswith(b"\x89PNG")
    shown = draw(alt="One text of the author's own.", caption="Look *here*.")
    assert shown.alt == "One text of the author's own."
    assert re.search(r"Look <(em|i)>here</(em|i)>\.", shown.html)


@pytest.mark.parametrize(
    "changes",
    [
        {"scores": SCORES[:1]},
        {"scores": [], "thresholds": [], "halves": [], "titles": []},
        {"scores": [[], [1.0]]},
        {"scores": [[float("nan")], [1.0]]},
        {"thresholds": [0.0, 9.0]},
        {"halves": [0.25, 0.0]},
    ],
)
def test_the_window_refuses_what_it_cannot_draw(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"scores|thresholds|halves"):
        window(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"angles": ANGLES[::-1]},
        {"angles": ANGLES * 2},
        {"angles": [0.0], "counts": [1.0]},
        {"counts": COUNTS[:-1]},
        {"counts": -COUNTS},
        {"mean": -1.0},
        {"interval": (115.0, 90.0)},
        {"fixed": (0.0,)},
        {"largest": (0.0, float("inf"))},
        {"largest": (75.0, 105.0)},
        {"levels": {str(k): 1.0 for k in range(4)}},
        {"levels": {"low": -1.0}},
    ],
)
def test_the_circle_refuses_what_it_cannot_draw(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"angles|counts|mean|interval|fixed|largest|levels"):
        circle(**changes)
