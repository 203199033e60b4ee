"""Balls, climbs and pairs are drawn on one scale and told as they were given."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sublinear_lib.chapters.robust_memorization_and_its_threshold import figures
from sublinear_lib.plotting import Picture, number
from tests.plotting.shown import lines

PANELS = [
    figures.BallPanel("*μ* = 0.1", 0.1, 2.0),
    figures.BallPanel("*μ* = 0.5", 0.5, math.inf, (0, 1), (0.5, 0.25)),
    figures.BallPanel("diamond", 0.3, 1.0, (0, 1)),
]
IMAGES = np.arange(32.0).reshape(2, 4, 4)
CLIMBS = {"*μ* = 0": (0.0, [1.0, 1.5, 2.5, 3.0]), "wide": (0.25, [1.0, 1.0, 3.0, 3.0])}


def balls(**changes: Any) -> Picture:
    points = [[0.0, 0.0], [1.0, 0.5], [0.25, 1.0]]
    given = {"X": points, "y": [1.0, 2.0, 1.0], "panels": PANELS, "name": "b"}
    return figures.balls_picture(**{**given, **changes})


def gallery(**changes: Any) -> Picture:
    words = {"titles": ["one", "two"], "labels": [("a 1", "a 2"), ("a 3", "a 4")], "name": "g"}
    given = {"first": IMAGES, "second": IMAGES[::-1] / 2, **words}
    return figures.pair_gallery(**{**given, **changes})


def climb(**changes: Any) -> Picture:
    given = {"points": [0.0, 1.0], "labels": [1.0, 3.0], "x": [0.0, 0.25, 0.75, 1.0]}
    return figures.climb_picture(**{**given, "panels": CLIMBS, "name": "c", **changes})


MADE = [balls, gallery, climb]


def test_the_text_of_the_balls_gives_form_radius_and_the_point_that_two_labels_claim() -> None:
    alt = balls().alt
    assert "3 points of the plane with 2 labels" in alt
    assert "disks of radius 0.1" in alt and "diamonds of radius 0.3" in alt
    said = "squares of radius 0.5, and a cross at 0.5 and 0.25, claimed by the labels 1 and 2"
    assert said in alt


def test_balls_have_their_radius_and_a_unit_is_as_long_on_both_axes_of_all_panels() -> None:
    axes = [figure.axes[0] for figure in balls()._figures]
    assert len({(*each.get_xlim(), *each.get_ylim()) for each in axes}) == 1
    assert np.ptp(axes[0].get_xlim()) == np.ptp(axes[0].get_ylim())
    for each, shown in zip(axes, PANELS, strict=True):
        boxes = [p.get_transform().transform_path(p.get_path()).get_extents() for p in each.patches]
        back = each.transData.inverted()
        sizes = [np.ptp(back.transform(box.get_points()), axis=0) for box in boxes]
        np.testing.assert_allclose(sizes, 2 * shown.mu, rtol=1e-6)


def test_the_text_of_a_climb_gives_the_steepest_part() -> None:
    assert "μ = 0: steepest climb 2; wide: steepest climb 4" in climb().alt
    np.testing.assert_array_equal(lines(climb(), "c1")[1][:, 1], CLIMBS["wide"][1])


def test_the_text_of_a_gallery_gives_the_largest_difference_of_a_pixel() -> None:
    alt = gallery().alt
    assert "one: a 1 and a 2, which differ by at most 8 in a pixel" in alt
    largest = float(np.abs(IMAGES[1] - IMAGES[0] / 2).max())
    assert f"two: a 3 and a 4, which differ by at most {number(largest)}" in alt
