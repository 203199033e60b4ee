"""The pictures of the threshold: they show the given numbers, on one scale, and refuse nonsense."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from sublinear_lib import plotting
from sublinear_lib.plotting import BallPanel

X = np.array([[0.0, 0.0], [1.0, 0.5], [0.25, 1.0]])
Y = np.array([1.0, 2.0, 1.0])
PANELS = [
    BallPanel("*μ* = 0.1", 0.1, 2.0),
    BallPanel("*μ* = 0.5", 0.5, math.inf, (0, 1), (0.5, 0.25)),
    BallPanel("diamond", 0.3, 1.0, (0, 1)),
]
IMAGES = np.arange(32.0).reshape(2, 4, 4)
ROWS = {"*n* = 1": [(0.5, 0.4, 0.6), (0.2, 0.1, 0.25)], "*n* = 2": [(0.9, 0.9, 0.9)] * 2}


def balls(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {"X": X, "y": Y, "panels": PANELS, "name": "b", **changes}
    return plotting.balls_picture(**arguments)


def gallery(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "first": IMAGES,
        "second": IMAGES[::-1] / 2,
        "titles": ["one", "two"],
        "labels": [("a 1", "a 2"), ("a 3", "a 4")],
        "name": "g",
        **changes,
    }
    return plotting.pair_gallery(**arguments)


def growth(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "x": [8, 16],
        "measured": ROWS,
        "lines": {"*n* = 1": [0.5, 0.2], "limit": [1.0, 0.5]},
        "xlabel": "number *N*",
        "name": "w",
        **changes,
    }
    return plotting.growth_picture(**arguments)


def climb(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "points": [0.0, 1.0],
        "labels": [1.0, 3.0],
        "x": [0.0, 0.25, 0.75, 1.0],
        "panels": {"*μ* = 0": (0.0, [1.0, 1.5, 2.5, 3.0]), "wide": (0.25, [1.0, 1.0, 3.0, 3.0])},
        "name": "c",
        **changes,
    }
    return plotting.climb_picture(**arguments)


@pytest.mark.parametrize("draw", [balls, climb, gallery, growth])
def test_it_is_made_twice_alike_and_small_enough_for_a_page(draw: Any) -> None:
    shown = draw()
    assert shown.html == draw().html
    assert len(shown.html) < 60_000, len(shown.html)
    assert shown.png.startswith(b"\x89PNG")
    words = "One text of the author's own."
    assert draw(alt=words, caption="Look *here*.").alt == words


def test_the_text_of_the_balls_gives_form_radius_and_the_point_that_two_labels_claim() -> None:
    alt = balls().alt
    assert "3 points of the plane with 2 labels" in alt
    assert "disks of radius 0.1" in alt and "diamonds of radius 0.3" in alt
    assert (
        "squares of radius 0.5, and a cross at 0.5 and 0.25, claimed by the labels 1 and 2" in alt
    )


def test_a_unit_is_as_long_on_both_axes_and_in_all_panels() -> None:
    figures = re.findall(r"<svg.*?</svg>", balls().html, re.S)
    assert len(figures) == 3
    widths = set()
    for text in figures:
        axes_ticks = re.findall(r'x="([\d.]+)"[^>]*y="([\d.]+)"[^>]*>(0|1)<', text)
        assert axes_ticks
        widths.add(tuple(sorted(axes_ticks)))
    assert len(widths) == 1, "panels must have the same scale"


def test_the_text_of_a_climb_gives_the_steepest_part() -> None:
    assert "μ = 0: steepest climb 2; wide: steepest climb 4" in climb().alt


def test_the_text_of_a_gallery_gives_the_largest_difference_of_a_pixel() -> None:
    alt = gallery().alt
    assert "one: a 1 and a 2, which differ by at most 8 in a pixel" in alt
    largest = float(np.abs(IMAGES[1] - IMAGES[0] / 2).max())
    assert f"two: a 3 and a 4, which differ by at most {plotting.number(largest)}" in alt


def test_the_text_of_a_growth_gives_both_ends() -> None:
    alt = growth().alt
    assert "n = 1: 0.5 to 0.2" in alt and "limit, closed form: 1 to 0.5" in alt
    assert growth(yscale="linear", xscale="linear").alt == alt


def test_a_separation_of_zero_is_drawn_on_a_linear_scale() -> None:
    flat = growth(measured={"a": [(0.0, 0.0, 0.0)] * 2}, lines=None, yscale="linear")
    assert flat._figures[0].axes[0].get_ylim() == (0.0, 1.0)


@pytest.mark.parametrize(
    ("draw", "changed", "said"),
    [
        (balls, {"panels": []}, "panels"),
        (balls, {"panels": [BallPanel("a", -1.0)]}, "mu"),
        (balls, {"panels": [BallPanel("a", 1.0, 3.0)]}, "must be 1, 2 or inf"),
        (balls, {"X": np.zeros((3, 3))}, "X"),
        (balls, {"panels": [BallPanel("a", 1.0, pair=(0, 3))]}, r"panels\[0\].pair\[1\]"),
        (balls, {"panels": [BallPanel("a", 1.0, pair=(-1, 0))]}, r"panels\[0\].pair\[0\]"),
        (balls, {"panels": [BallPanel("a", 1.0, point=(0.0, np.nan))]}, r"panels\[0\].point"),
        (balls, {"X": np.zeros((6, 2)), "y": np.arange(6)}, "at most 5"),
        (climb, {"panels": {}}, "panels"),
        (climb, {"panels": {"a": (-1.0, [1.0] * 4)}}, "radius"),
        (climb, {"x": [1.0, 0.0]}, "ascending"),
        (climb, {"labels": [1.0]}, "labels"),
        (gallery, {"titles": ["one"]}, "titles"),
        (gallery, {"second": np.zeros((2, 5, 5))}, "shape"),
        (gallery, {"first": np.zeros((5, 4, 4)), "second": np.zeros((5, 4, 4))}, "1 to 4"),
        (gallery, {"first": np.zeros((2, 4, 4)), "second": np.zeros((2, 4, 4))}, "single gray"),
        (growth, {"x": [16, 8]}, "ascending"),
        (growth, {"x": [0, 8]}, "x must be > 0 to be drawn on a logarithmic axis"),
        (growth, {"measured": {}}, "series"),
        (growth, {"measured": {"a": [(0.5, 0.6, 0.7)] * 2}}, "inside"),
        (growth, {"lines": {"a": [0.0, 1.0]}}, "> 0"),
        (growth, {"yscale": "log3"}, "yscale"),
    ],
)
def test_nonsense_is_refused_by_name(draw: Any, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        draw(**changed)
