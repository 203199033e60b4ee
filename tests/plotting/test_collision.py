"""The pictures of narrow layers: their texts give the numbers, their scales fit, nonsense fails."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from sublinear_lib import memorization as mem
from sublinear_lib import plotting

X, Y = mem.simplex_points(2)
X3, Y3 = mem.simplex_points(3)
FOUND = mem.collision([[2.0, -1.0]], X, Y)
PAIR = (FOUND.x, FOUND.x_prime)
PANELS = [plotting.ShadowPanel("small", 0.1), plotting.ShadowPanel("large", 0.2, PAIR)]
ROWS = [(0.14, 0.13, 0.15), (0.2, 0.19, 0.21)]


def shadows(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {"X": X, "y": Y, "w": [2.0, -1.0], "panels": PANELS, "name": "s"}
    return plotting.shadow_picture(**{**arguments, **changes})


def images(**changes: object) -> plotting.Picture:
    W = mem.null_space_layer(3)
    panels = [
        plotting.ImagePanel("apart", 0.1, W),
        plotting.ImagePanel("touching", 0.25, W, [0.5, 0.0]),
    ]
    arguments: dict[str, Any] = {"X": X3, "y": Y3, "panels": panels, "name": "i"}
    return plotting.images_picture(**{**arguments, **changes})


def coordinates(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "centers": (X[0], X[2]),
        "labels": ("label 1", "label 2"),
        "mu": FOUND.radius,
        "pair": PAIR,
        "name": "c",
    }
    return plotting.coordinates_picture(**{**arguments, **changes})


def radii(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "radii": [0.05, 0.1, 0.2],
        "density": ([0.0, 0.25], [2.5, 5.1]),
        "mean": 0.14,
        "dims": [2, 4],
        "series": {"*n* − 1": ROWS},
        "name": "r",
    }
    return plotting.radii_picture(**{**arguments, **changes})


@pytest.mark.parametrize("draw", [shadows, images, coordinates, radii])
def test_it_is_made_twice_alike_and_small_enough_for_a_page(draw: Any) -> None:
    shown = draw()
    assert shown.html == draw().html
    assert len(shown.html) < 60_000, len(shown.html)
    assert shown.png.startswith(b"\x89PNG")
    words = "One text of the author's own."
    assert draw(alt=words, caption="Look *here*.").alt == words


def test_the_text_of_shadows_gives_where_they_lie_and_which_two_points_coincide() -> None:
    alt = shadows().alt
    assert "intervals around 0 for label 1, 0.667 for label 2, −0.333 for label 2" in alt
    assert "half-width 0.1." in alt
    assert "(−0.167, 0.167) and (0.167, 0.833) of two balls are both seen at −0.167" in alt


def test_a_neuron_is_drawn_in_units_of_its_weights() -> None:
    assert shadows(w=[20.0, -10.0]).html == shadows().html


def test_the_text_of_images_counts_corners_and_gives_the_common_image() -> None:
    alt = images().alt
    assert "4 points in 3 dimensions" in alt
    assert "apart: polygons of 6 corners." in alt
    assert "touching: polygons of 6 corners, of which two labels share 0.5 and 0" in alt


def test_the_text_of_a_pair_gives_the_distances_that_a_reader_could_check() -> None:
    alt = coordinates().alt
    far = plotting.number(float(np.abs(PAIR[0] - PAIR[1]).max()))
    assert alt.count("at distance 0.167") == 2
    assert f"differ by at most {far} in a coordinate" in alt


def test_the_text_of_radii_gives_law_mean_and_ends() -> None:
    alt = radii().alt
    assert re.search(r"3 collision radii .* between 0.05 and 0.2,.* from 2.5 to 5.1", alt)
    assert "the mean 0.14" in alt and "n − 1: 0.14 to 0.2" in alt
    assert "which rises from 2.5" in alt and "below the line at 0.25" in alt


def test_the_text_of_radii_does_not_say_what_other_numbers_contradict() -> None:
    alt = radii(density=([0.0, 0.25], [5.1, 2.5]), series={"a": [(0.3, 0.2, 0.4)] * 2}).alt
    assert "which falls from 5.1 to 2.5" in alt and "beside the line at 0.25" in alt


@pytest.mark.parametrize(
    ("draw", "changed", "said"),
    [
        (shadows, {"w": [0.0, 0.0]}, "w must not be zero"),
        (shadows, {"w": [1.0, 1.0]}, r"panels\[1\].pair must be two points that the neuron cannot"),
        (shadows, {"panels": []}, "one to three"),
        (shadows, {"panels": [plotting.ShadowPanel("a", 0.0)]}, "mu"),
        (shadows, {"X": np.zeros((6, 2)), "y": np.zeros(6)}, "at most 5 points"),
        (shadows, {"X": X3, "y": Y3}, "X"),
        (images, {"panels": [plotting.ImagePanel("a", 0.1, np.eye(3))]}, "W"),
        (images, {"panels": [plotting.ImagePanel("a", -0.1, np.ones((2, 3)))]}, "mu"),
        (images, {"y": np.arange(6), "X": np.ones((6, 3))}, "at most 5"),
        (coordinates, {"mu": -1.0}, "mu"),
        (coordinates, {"pair": ([1.0], [1.0])}, "pair"),
        (coordinates, {"centers": (np.zeros(65), np.zeros(65))}, "at most 64"),
        (radii, {"radii": [0.3]}, "1/4"),
        (radii, {"dims": [4, 2]}, "ascending"),
        (radii, {"dims": [0, 2]}, "dims must be at least two ascending numbers >= 1"),
        (radii, {"series": {}}, "series"),
        (radii, {"density": ([0.0, 0.1], [1.0])}, "density"),
    ],
)
def test_nonsense_is_refused_by_name(draw: Any, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        draw(**changed)
