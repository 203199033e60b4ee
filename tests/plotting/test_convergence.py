"""Promises of the pictures of convergence: true to their numbers, and no nonsense drawn."""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib.plotting import (
    Picture,
    convergence_picture,
    regret_bars,
    surrogate_picture,
)

TERMS = {"loss of *W**": 0.1, "optimization": 0.2, "coupling": 0.3}
S = np.linspace(0.0, 1.5, 61)


def bars(average: float = 0.4, start: float = 0.9, **kwargs: object) -> Picture:
    return regret_bars({"R1": {"*m* = 8": (TERMS, average, start)}}, name="bars", **kwargs)  # type: ignore[arg-type]


def test_the_text_of_the_bars_has_every_number() -> None:
    alt = bars().alt
    for said in ("loss of W* 0.1", "optimization 0.2", "coupling 0.3", "in all 0.6"):
        assert said in alt
    assert "average of the run 0.4" in alt and "loss at the start 0.9" in alt


def test_the_sum_stands_beside_its_bar() -> None:
    assert ">0.6<" in bars().html


def test_an_average_beyond_its_bound_is_not_drawn() -> None:
    bars(average=0.6)
    with pytest.raises(ValueError, match="beyond its bound"):
        bars(average=0.61)


@pytest.mark.parametrize(
    "panels",
    [
        {},
        {"a": {}},
        {"a": {"b": ({"one": 1.0}, 0.0, 0.0)}},
        {"a": {"b": ({"one": -1.0, "two": 2.0}, 0.0, 0.0)}},
        {"a": {"b": (TERMS, 0.1, 0.1), "c": ({"x": 1.0, "y": 1.0}, 0.1, 0.1)}},
        {"a": {str(k): (TERMS, 0.1, 0.1) for k in range(7)}},
        {str(k): {"b": (TERMS, 0.1, 0.1)} for k in range(4)},
    ],
)
def test_bars_that_make_no_sense_are_refused(panels: dict) -> None:  # type: ignore[type-arg]
    with pytest.raises(ValueError, match=r"panels"):
        regret_bars(panels, name="bars")


def test_the_text_of_the_line_counts_the_turns() -> None:
    smooth, bumpy = np.abs(S - 1.0), np.abs(S - 1.0) + 0.2 * (np.arange(S.size) % 2)
    picture = surrogate_picture(
        S, {"*g*": smooth, "*f*": bumpy}, [0, 1, 2], {"loss": [1.0, 0.5, 0.25]}, name="line"
    )
    assert "g 1 at W_0, 0 at the end, turning 1 times" in picture.alt
    assert "f 1 at W_0, 0 at the end, turning 59 times" in picture.alt
    assert "loss from 1 to 0.25, smallest 0.25" in picture.alt


@pytest.mark.parametrize(
    ("along", "losses", "steps", "course", "match"),
    [
        (S[1:], {"f": S[1:]}, [0, 1], {"l": [1, 1]}, "cover 0 and 1"),
        (S[::-1], {"f": S}, [0, 1], {"l": [1, 1]}, "ascending"),
        (S, {}, [0, 1], {"l": [1, 1]}, "losses must hold"),
        (S, {"f": S - 1.0}, [0, 1], {"l": [1, 1]}, ">= 0"),
        (S, {"f": S}, [1, 0], {"l": [1, 1]}, "ascending"),
        (S, {"f": S}, [0, 1], {str(k): [1, 1] for k in range(4)}, "course must hold"),
        (S, {"f": S[1:]}, [0, 1], {"l": [1, 1]}, "shape"),
    ],
)
def test_lines_that_make_no_sense_are_refused(
    along: np.ndarray,
    losses: dict,
    steps: list,
    course: dict,
    match: str,  # type: ignore[type-arg]
) -> None:
    with pytest.raises(ValueError, match=match):
        surrogate_picture(along, losses, steps, course, name="line")


def test_the_ring_marks_where_the_promise_stays_below_the_start() -> None:
    k, promise = np.arange(8, 161), np.abs(np.arange(8, 161) - 100.0) + 0.5
    late = np.where(k < 121, 2.0 + promise, 0.9)
    picture = convergence_picture({"*m* = 8": [0.5, 0.25]}, k, late, name="promise")
    assert "m = 8 from 0.5 to 0.25" in picture.alt
    assert "below 1 from 2^121 on" in picture.alt
    never = convergence_picture({"a": [0.5, 0.25]}, k, late + 1.0, name="promise")
    assert "never below 1" in never.alt


@pytest.mark.parametrize(
    ("runs", "exponents", "promise", "match"),
    [
        ({}, [1, 2], [1, 1], "runs"),
        ({str(k): [1.0, 1.0] for k in range(5)}, [1, 2], [1, 1], "runs"),
        ({"a": [1.0, 0.0]}, [1, 2], [1, 1], "> 0"),
        ({"a": [1.0, 0.5]}, [2, 1], [1, 1], "ascend"),
        ({"a": [1.0, 0.5]}, [1, 2], [1, 0], "> 0"),
        ({"a": [1.0, 0.5]}, [1, 2], [1, 1, 1], "shape"),
    ],
)
def test_promises_that_make_no_sense_are_refused(
    runs: dict,
    exponents: list,
    promise: list,
    match: str,  # type: ignore[type-arg]
) -> None:
    with pytest.raises(ValueError, match=match):
        convergence_picture(runs, exponents, promise, name="promise")


def test_panels_follow_the_theme_and_fit_a_phone() -> None:
    html = bars().html
    assert "var(--sl-" in html and 'viewBox="0 0 330' in html
