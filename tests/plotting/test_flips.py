"""The pictures of who flips: they show the given numbers, in one size, and refuse nonsense."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from sublinear_lib import plotting

SCORES = [[-2.0, -0.1, 0.0, 0.2, 0.4], [1.0, 1.5]]


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


def test_it_is_made_twice_alike_and_keeps_the_words_of_the_author() -> None:
    assert window().html == window().html
    assert window().png.startswith(b"\x89PNG")
    shown = window(alt="One text of the author's own.", caption="Look *here*.")
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
