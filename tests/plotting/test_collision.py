"""The pictures of narrow layers: their texts give the numbers, their scales fit, nonsense fails."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sublinear_lib import memorization as mem
from sublinear_lib import plotting

X, Y = mem.simplex_points(2)
X3, Y3 = mem.simplex_points(3)
FOUND = mem.collision([[2.0, -1.0]], X, Y)
PAIR = (FOUND.x, FOUND.x_prime)


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


@pytest.mark.parametrize("draw", [images, coordinates])
def test_it_is_made_twice_alike_and_small_enough_for_a_page(draw: Any) -> None:
    shown = draw()
    assert shown.html == draw().html
    assert len(shown.html) < 60_000, len(shown.html)
    assert shown.png.startswith(b"\x89PNG")
    words = "One text of the author's own."
    assert draw(alt=words, caption="Look *here*.").alt == words


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


@pytest.mark.parametrize(
    ("draw", "changed", "said"),
    [
        (images, {"panels": [plotting.ImagePanel("a", 0.1, np.eye(3))]}, "W"),
        (images, {"panels": [plotting.ImagePanel("a", -0.1, np.ones((2, 3)))]}, "mu"),
        (images, {"y": np.arange(6), "X": np.ones((6, 3))}, "at most 5"),
        (coordinates, {"mu": -1.0}, "mu"),
        (coordinates, {"pair": ([1.0], [1.0])}, "pair"),
        (coordinates, {"centers": (np.zeros(65), np.zeros(65))}, "at most 64"),
    ],
)
def test_nonsense_is_refused_by_name(draw: Any, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        draw(**changed)
