"""Computations stand on the roof."""

from functools import partial

from sublinear_lib.chapters.systems_and_scale import figures
from tests.plotting.shown import lines, tells

POINTS = {"dense": 100.0, "lists": 0.5}
roof = partial(figures.roofline_chart, points=POINTS, peak=1e11, bandwidth=1e10, name="r")


def test_points_stand_on_the_roof():
    places = [tuple(points[0].tolist()) for points in lines(roof(), marker="o")]
    assert places == [(100.0, 1.0), (0.5, 0.05)]
    tells(roof(), "lists at 0.5 operations per byte reaches at most 0.05 of the peak")
    tells(roof(), "up to the ridge at 10, then level")
