"""The pictures of arcs and of functions on the circle: they show the given numbers."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from sublinear_lib import plotting

ANGLES = np.linspace(-math.pi, math.pi, 181)
ARCS = [[0.0, 1.0], [3.0, 0.5], [-2.0, math.pi]]
CAPS = [[0.0, 0.3, 1.0], [3.0, 0.3, -1.0]]


def arcs(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "arcs": ARCS,
        "values": [1.0, -0.5, 0.25],
        "angles": ANGLES,
        "target": np.cos(ANGLES),
        "sums": {"*m* = 3": np.cos(ANGLES) + 0.25, "*m* = 9": np.cos(ANGLES)},
        "name": "arcs",
        **changes,
    }
    return plotting.arcs_picture(**arguments)


def fit(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "angles": ANGLES,
        "curves": {"trained": 2 * np.cos(ANGLES), "*W*^{*}": np.sin(ANGLES)},
        "caps": CAPS,
        "name": "fit",
        **changes,
    }
    return plotting.circle_fit_picture(**arguments)


@pytest.mark.parametrize("make", [arcs, fit])
def test_it_is_made_twice_alike_and_small_enough_for_a_page(make: Any) -> None:
    assert make().html == make().html
    assert len(make().html) < 90_000
    assert make().png.startswith(b"\x89PNG")


def test_the_text_of_the_arcs_counts_signs_and_gives_distances() -> None:
    alt = arcs().alt
    assert "3 neurons" in alt
    assert "2 adding and 1 subtracting" in alt
    assert "m = 3, at most 0.25 from the target" in alt
    assert "m = 9, at most 0 from the target" in alt


def test_the_text_of_the_functions_gives_their_ranges_and_the_labels() -> None:
    alt = fit().alt.replace("\N{MINUS SIGN}", "-")
    assert "2 shaded caps" in alt
    assert "labels 1, -1" in alt
    assert "trained runs from -2 to 2; W^* runs from -1 to 1" in alt


def test_the_text_of_the_functions_tells_of_the_dashed_one() -> None:
    assert "dashed" not in fit().alt
    alt = fit(target=3 * np.cos(ANGLES)).alt.replace("\N{MINUS SIGN}", "-")
    assert "A dashed function to compare with runs from -3 to 3." in alt


def test_an_arc_that_passes_180_degrees_is_drawn_in_two_pieces() -> None:
    one = arcs(arcs=[[0.0, 1.0]], values=[1.0]).html
    two = arcs(arcs=[[3.0, 1.0]], values=[1.0]).html
    assert two.count("<path") == one.count("<path") + 1


def test_names_of_curves_stand_above_the_plot_and_captions_are_kept() -> None:
    shown = fit(caption="Look *here*.", alt="The author's own text.")
    assert re.search(r"trained", shown.html)
    assert shown.alt == "The author's own text."
    assert "Look <em>here</em>." in shown.html or "Look <i>here</i>." in shown.html


@pytest.mark.parametrize(
    ("make", "changes", "message"),
    [
        (arcs, {"arcs": np.ones((61, 2)), "values": np.ones(61)}, "arcs"),
        (arcs, {"arcs": [[0.0, 0.0]], "values": [1.0]}, "arcs"),
        (arcs, {"arcs": [[0.0, 4.0]], "values": [1.0]}, "arcs"),
        (arcs, {"values": [1.0]}, "values"),
        (arcs, {"target": [1.0]}, "target"),
        (arcs, {"sums": {}}, "sums"),
        (arcs, {"angles": ANGLES[::-1]}, "angles"),
        (arcs, {"angles": 2 * ANGLES}, "angles"),
        (fit, {"curves": {}}, "curves"),
        (fit, {"curves": {str(k): ANGLES for k in range(5)}}, "curves"),
        (fit, {"caps": [[0.0, -0.1, 1.0]]}, "caps"),
        (fit, {"target": [1.0]}, "target"),
    ],
)
def test_it_refuses_what_it_cannot_draw(make: Any, changes: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(**changes)
