"""Tails and crossings are drawn and told as they were given."""

from __future__ import annotations

from typing import Any

import numpy as np

from sublinear_lib.chapters.gaussian_and_concentration_toolbox import figures
from sublinear_lib.plotting import Picture
from tests.plotting.shown import lines, texts

TAIL = figures.CountTail(
    [10, 20, 30],
    [0.5, 0.01, 1e-5],
    {"Chernoff": [0.9, 0.1, 1e-4], "Bernstein": [0.8, 0.05, 5e-5]},
    [[10, 0.48, 0.4, 0.55]],
)
CROSSING = figures.Crossing(
    [0.0, 1.0, 2.0], "*u*", ("curve", [3.0, 2.0, 1.0]), {"line": [1.5, 1.5, 1.5]}, 1.5
)


def tails(**changes: Any) -> Picture:
    return figures.tail_panels(**{"panels": {"thin": TAIL}, "name": "t", **changes})


def crossings(**changes: Any) -> Picture:
    return figures.crossing_panels(**{"panels": [CROSSING], "name": "c", **changes})


MADE = [tails, crossings]


def test_tails_are_drawn_as_given_with_their_labels_and_numbers() -> None:
    drawn = {tuple(points[:, 1].tolist()) for points in lines(tails())}
    assert {tuple(v) for v in (TAIL.exact, *TAIL.bounds.values())} | {(0.48,)} <= drawn
    assert {"exact law", "Chernoff", "Bernstein"} <= set(texts(tails()))
    assert "at 30 neurons the exact probability is 1·10⁻⁵" in tails().alt
    assert "Bernstein 5·10⁻⁵" in tails().alt


def test_a_bound_that_the_law_exceeds_is_not_said_to_lie_above_it() -> None:
    assert "dashed curves above the exact one" in tails().alt
    broken = figures.CountTail([1, 2], [0.5, 0.1], {"wrong": [0.4, 0.2]})
    assert "dashed curves beside the exact one" in tails(panels={"a": broken}).alt


def test_a_crossing_is_marked_with_its_place_and_the_course_of_the_curve() -> None:
    np.testing.assert_array_equal(lines(crossings(), marker="o"), [[[1.5, 1.5]]])
    assert "1.5" in texts(crossings())
    assert "curve falls from 3 to 1 and crosses a dashed line at 1.5" in crossings().alt
    for values, verb in (([1, 2], "rises"), ([1, 1], "goes")):
        one = figures.Crossing([0, 1], "*u*", ("c", values), {"l": [1.5, 1.5]}, 0.5)
        assert f"c {verb} from 1 to {values[1]}" in crossings(panels=[one]).alt
