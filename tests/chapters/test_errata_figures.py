"""The map of powers has one scale and tells all choices."""

from __future__ import annotations

from typing import Any

from sublinear_lib.chapters.errata import figures
from sublinear_lib.plotting import Picture
from tests.plotting.shown import lines, texts

TRIANGLE = [(0.0, 0.9), (0.0, 1.0), (0.5, 0.5)]
CHOICES = {"one": {"as printed": (0.2, 0.6), "R2": (0.4, 0.6)}, "two": {}}


def powers(**changes: Any) -> Picture:
    slices = {"one": TRIANGLE, "two": TRIANGLE}
    given = {"slices": slices, "choices": CHOICES, "name": "map"}
    return figures.power_map_picture(**{**given, **changes})


MADE = [powers]


def test_it_names_every_choice_where_it_lies_on_one_scale() -> None:
    assert "as printed at 0.2, 0.6; R2 at 0.4, 0.6" in powers().alt
    assert texts(powers()).count("0.8") == 2
    places = [tuple(points[0].tolist()) for points in lines(powers(), "c2", marker="o")]
    assert places == [(0.2, 0.6), (0.4, 0.6)]
