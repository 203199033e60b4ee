"""Arcs, functions on the circle and polynomial steps are drawn and told as they were given."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from sublinear_lib.chapters.existence_of_robust_weights import figures
from sublinear_lib.plotting import Picture, number
from tests.plotting.shown import alt, texts

ANGLES = np.linspace(-math.pi, math.pi, 181)
CAPS = [[0.0, 0.3, 1.0], [3.0, 0.3, -1.0]]
Z = np.linspace(-1.0, 1.0, 201)
TURN = np.linspace(0.0, 360.0, 181)
STEPS: dict[str, Any] = {
    "z": Z,
    "steps": {"good": (Z > 0.5) * 1.0, "bad": np.full(Z.shape, 0.5)},
    "ends": (0.3, 0.8),
    "eps": 0.1,
    "angles": TURN,
    "fits": {"good": np.where(TURN <= 180.0, 1.0, -1.0), "network": np.cos(np.radians(TURN))},
    "caps": [[90.0, 10.0, 1.0], [270.0, 10.0, -1.0]],
    "name": "soft",
}


def arcs(**changes: Any) -> Picture:
    given: dict[str, Any] = {
        "arcs": [[0.0, 1.0], [3.0, 0.5], [-2.0, math.pi]],
        "values": [1.0, -0.5, 0.25],
        "angles": ANGLES,
        "target": np.cos(ANGLES),
        "sums": {"*m* = 3": np.cos(ANGLES) + 0.25, "*m* = 9": np.cos(ANGLES)},
        "name": "arcs",
    }
    return figures.arcs_picture(**{**given, **changes})


def fit(**changes: Any) -> Picture:
    curves = {"trained": 2 * np.cos(ANGLES), "*w*": np.sin(ANGLES)}
    given = {"angles": ANGLES, "curves": curves, "caps": CAPS, "name": "fit"}
    return figures.circle_fit_picture(**{**given, **changes})


def steps(**changes: Any) -> Picture:
    return figures.step_picture(**{**STEPS, **changes})


MADE = [arcs, fit, steps]


def test_the_text_of_the_arcs_counts_signs_and_gives_distances() -> None:
    assert "3 neurons" in arcs().alt and "2 adding and 1 subtracting" in arcs().alt
    assert "m = 3, at most 0.25 from the target; m = 9, at most 0 from the target" in arcs().alt


def test_an_arc_is_a_bar_from_end_to_end_in_two_pieces_where_it_passes_180_degrees() -> None:
    def bars(middle: float) -> list[list[float]]:
        axes = arcs(arcs=[[middle, 1.0]], values=[1.0])._figures[0].axes[0]
        paths = [path.vertices for each in axes.collections for path in each.get_paths()]
        return [path[:, 0].tolist() for path in paths]

    np.testing.assert_allclose(bars(0.0), np.degrees([[-1.0, 1.0]]))
    np.testing.assert_allclose(
        bars(3.0), [[math.degrees(2.0), 180.0], [-180.0, math.degrees(4.0) - 360.0]]
    )


def test_the_text_of_the_functions_gives_their_ranges_and_the_labels() -> None:
    said = alt(fit())
    assert "2 shaded caps" in said and "labels 1, -1" in said
    assert "trained runs from -2 to 2; w runs from -1 to 1" in said and "dashed" not in said
    said = alt(fit(target=3 * np.cos(ANGLES)))
    assert "A dashed function to compare with runs from -3 to 3." in said


def test_the_text_says_how_far_each_step_is_from_its_aims() -> None:
    said = steps().alt
    assert "good: at most 0 away from 0 for far points and 0 away from 1 for near ones" in said
    assert "bad: at most 0.5 away from 0 for far points and 0.5 away from 1 for near ones" in said
    # At 90 and 270 degrees the cosine is near zero: its worst distance is at the cap's outer edge.
    worst = 1.0 + np.sin(np.radians(10.0))
    assert f"good: 0, network: {number(worst)}" in said and "2 labeled points" in said
    assert "z = 0.3 and of 1 from z = 0.8 on" in said


def test_a_cap_reaches_around_zero_degrees() -> None:
    turned = steps(fits={"good": (TURN < 10.0) * 1.0}, caps=[[0.0, 8.0, 1.0]])
    assert "is good: 1." in turned.alt, "at 355 degrees the value is 0 and the label 1"


def test_where_no_point_was_given_nobody_knows_the_distance() -> None:
    near = steps(z=Z[190:], steps={"good": np.ones(11)}, fits={"good": np.ones(181)})
    assert "good: at most unknown away from 0 for far points and 0 away from 1" in near.alt
    assert "is good: unknown, network: unknown" in steps(caps=[[91.0, 0.5, 1.0]]).alt


def test_every_curve_is_named_once_and_there_are_three_colors() -> None:
    assert all(texts(steps()).count(label) == 1 for label in ("good", "bad", "network"))
    with pytest.raises(ValueError, match="colors for 3"):
        steps(fits={"one": TURN, "two": TURN})
