"""The picture of soft steps: it shows and describes the given numbers, and refuses nonsense."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sublinear_lib import plotting

Z = np.linspace(-1.0, 1.0, 201)
ANGLES = np.linspace(0.0, 360.0, 181)
GIVEN: dict[str, Any] = {
    "z": Z,
    "steps": {"good": (Z > 0.5) * 1.0, "bad": np.full(Z.shape, 0.5)},
    "ends": (0.3, 0.8),
    "eps": 0.1,
    "angles": ANGLES,
    "fits": {"good": np.where(ANGLES <= 180.0, 1.0, -1.0), "network": np.cos(np.radians(ANGLES))},
    "caps": [[90.0, 10.0, 1.0], [270.0, 10.0, -1.0]],
    "name": "soft",
}


def picture(**changes: Any) -> plotting.Picture:
    return plotting.step_picture(**{**GIVEN, **changes})


def test_the_text_says_how_far_each_curve_is_from_its_aims() -> None:
    alt = picture().alt
    assert "good: at most 0 away from 0 for far points and 0 away from 1 for near ones" in alt
    assert "bad: at most 0.5 away from 0 for far points and 0.5 away from 1 for near ones" in alt
    # At 90 and 270 degrees the cosine is near zero: its worst distance is at the cap's outer edge.
    worst = 1.0 + np.sin(np.radians(10.0))
    assert f"good: 0, network: {plotting.number(worst)}" in alt
    assert "2 labeled points" in alt


def test_a_cap_reaches_around_zero_degrees() -> None:
    turned = picture(fits={"good": (ANGLES < 10.0) * 1.0}, caps=[[0.0, 8.0, 1.0]])
    assert "is good: 1." in turned.alt, "at 355 degrees the value is 0 and the label 1"


def test_where_no_point_was_given_nobody_knows_the_distance() -> None:
    near = picture(z=Z[190:], steps={"good": np.ones(11)}, fits={"good": np.ones(181)})
    assert "good: at most unknown away from 0 for far points and 0 away from 1" in near.alt
    between = picture(caps=[[91.0, 0.5, 1.0]])
    assert "is good: unknown, network: unknown" in between.alt


def test_every_curve_is_named_and_has_one_color_in_both_panels() -> None:
    html = picture().html
    for label in ("good", "bad", "network"):
        assert html.count(f">{label}<") == 1
    assert html.count("<svg") == 2


def test_own_words_and_a_caption_are_kept() -> None:
    shown = picture(alt="Two steps and their fits.", caption="Notice the gap.")
    assert shown.alt == "Two steps and their fits."
    assert "Notice the gap." in shown.html


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"z": Z[::-1]}, "z must be"),
        ({"z": Z * 2}, "z must be"),
        ({"angles": ANGLES + 1.0}, "angles must be"),
        ({"ends": (0.8, 0.3)}, "ends must ascend"),
        ({"eps": 0.5}, "eps must be"),
        ({"steps": {}}, "steps must hold"),
        ({"fits": {}}, "fits must hold"),
        ({"steps": {"good": Z[:3]}}, "steps"),
        ({"fits": {"one": ANGLES, "two": ANGLES}}, "at most 3 labels"),
        ({"caps": [[0.0, 1.0]]}, "caps"),
    ],
)
def test_what_cannot_be_drawn_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        picture(**changes)
