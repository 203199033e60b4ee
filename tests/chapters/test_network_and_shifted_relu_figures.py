"""The two activations are those of the titles, and the cap holds the points that it is said to."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from sublinear_lib.chapters.network_and_shifted_relu import figures
from sublinear_lib.plotting import Picture
from tests.plotting.shown import lines, texts

ANGLES = np.linspace(0, 2 * math.pi, 6)[:-1]
ON_SLICE = np.column_stack(
    [math.sqrt(0.75) * np.cos(ANGLES), math.sqrt(0.75) * np.sin(ANGLES), np.full(5, 0.5)]
)
Z = np.linspace(-1, 3, 41)


def pair(**changes: Any) -> Picture:
    given = {"z": Z, "jump": np.where(Z > 1, Z, 0), "continuous": np.maximum(Z - 1, 0)}
    alt = "Two activations with a jump of 1 and of 0."
    return figures.activations_pair(**{**given, "tau": 1.0, "name": "p", "alt": alt, **changes})


def sphere(**changes: Any) -> Picture:
    given = {"points": ON_SLICE, "center": ON_SLICE[1], "half_angle": 0.4, "name": "s"}
    return figures.slice_picture(**{**given, **changes})


MADE = [pair, sphere]


def test_the_jump_is_a_gap_in_the_curve_and_the_continuous_one_has_none() -> None:
    assert "jump of" in texts(pair()) and "no jump" in texts(pair())
    curves = [points for points in lines(pair(), "c1") if len(points) > 1]
    np.testing.assert_array_equal(
        np.vstack(curves[:2]), np.column_stack([Z, np.where(Z > 1, Z, 0)])
    )
    np.testing.assert_array_equal(np.vstack(curves[2:])[:, 1], np.maximum(Z - 1, 0))


@pytest.mark.parametrize("which", ["jump", "continuous"])
def test_another_activation_than_the_titles_say_is_refused(which: str) -> None:
    with pytest.raises(ValueError, match="must be 0 up to tau and rise with slope 1"):
        pair(**{which: np.linspace(-1, 3, 41)})


def test_the_slice_says_whether_the_cap_holds_another_point() -> None:
    assert "It holds no other data point" in sphere(half_angle=0.4).alt
    assert "It holds 3 of the data points" in sphere(half_angle=1.3).alt
    # The center need not be one of the data.
    assert "It holds 1 of the data points" in sphere(points=ON_SLICE[2:3], half_angle=1.3).alt
    assert "It holds no other data point" in sphere(points=ON_SLICE[2:3], half_angle=0.4).alt
    assert "23 degrees to either side" in sphere().alt


def test_points_beside_the_slice_are_refused() -> None:
    with pytest.raises(ValueError, match="points must lie on the slice"):
        sphere(points=[[0.0, 0.0, 1.0]])
    with pytest.raises(ValueError, match="center must lie on the slice"):
        sphere(center=[0.0, 0.6, 0.8])
