"""Computations stand on the roof."""

from __future__ import annotations

from typing import Any

from sublinear_lib.chapters.systems_and_scale import figures
from sublinear_lib.plotting import Picture
from tests.plotting.shown import lines


def roof(**changes: Any) -> Picture:
    given = {"points": {"dense": 100.0, "lists": 0.5}, "peak": 1e11, "bandwidth": 1e10}
    return figures.roofline_chart(**{**given, "name": "r", **changes})


MADE = [roof]


def test_points_stand_on_the_roof() -> None:
    places = [tuple(points[0].tolist()) for points in lines(roof(), marker="o")]
    assert places == [(100.0, 1.0), (0.5, 0.05)]
    assert "lists at 0.5 operations per byte reaches at most 0.05 of the peak" in roof().alt
    assert "up to the ridge at 10, then level" in roof().alt
