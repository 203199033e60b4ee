"""The threshold lambda/2: balls, numbers and words are those of Proposition II.1."""

import math
from functools import partial

import numpy as np
import pytest

from sublinear_lib import memorization as mem
from sublinear_lib.chapters.robust_memorization_and_its_threshold import explorers, figures
from sublinear_lib.plotting import number
from sublinear_lib.widgets import Band, Points
from tests.chapters.marks import named, of
from tests.plotting.shown import lines, tells

NORMS = {"inf": math.inf, "2": 2.0, "1": 1.0}
X, Y = mem.plane_points(7, 3, rng=5)


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("share", [0.3, 0.5, 0.54])
def test_numbers_and_words_are_those_of_the_library(share, p):
    view, norm = explorers.balls.function(share, p), NORMS[p]
    lam = mem.separation(X, Y, norm)
    mu, read = share * lam, dict(view.readouts)
    assert read["separation *λ*"] == number(lam) and read["budget *μ*"] == number(mu)
    assert read["room *λ* − 2*μ*"] == number(lam - 2 * mu)
    for x, band in zip(X, of(view, Band), strict=True):
        edge = np.column_stack([np.asarray(band.x), np.asarray(band.upper)])
        assert np.linalg.norm(edge - x, norm, axis=1) == pytest.approx(mu, abs=2e-3)
        assert np.asarray(band.lower) + np.asarray(band.upper) == pytest.approx(2 * x[1], abs=2e-3)
    if share < 0.5:
        slope = number(mem.smallest_slope(X, Y, mu, norm).value)
        assert read["slope needed"] == slope and f"rate {slope}. " in view.sentence
        assert view.warning is None
        return
    assert "No function" in (view.warning or "") and read["slope needed"] == "∞"
    assert (share == 0.5) == ("touch:" in view.sentence)
    cross = named(view, Points)["two labels claim it"]
    at = np.array([cross.x, cross.y]).ravel()
    near = [Y[i] for i in range(7) if np.linalg.norm(X[i] - at, norm) <= mu + 1e-12]
    assert len(set(near)) >= 2


DRAWN = {"points": "", "N": 8, "classes": 2, "p": "inf", "share": 0.45, "seed": 2}
separate = partial(explorers.separate_points.function, **DRAWN)


def test_points_of_the_reader_are_measured(capsys):
    shown = separate(points="0 0 1; 1, 0.5, 2;; 3 3 1;", p="1", share=0.25)
    said = capsys.readouterr().out
    assert "lambda = 1.5: rows 0 and 1, labels 1 and 2\nevery budget below 0.75" in said
    assert "at mu = 0.375 a Lipschitz constant of 1.333 is needed" in said
    tells(shown, "diamonds of radius 0.375")
    tells(separate(points="0 0 1; 1 0 2", share=0.5), "cross at 0.5 and 0")
    assert "the point [0.5, 0.0] would need two values" in capsys.readouterr().out
    separate(points=" ; ;")
    drawn = capsys.readouterr().out
    assert f"lambda = {mem.separation(*mem.plane_points(8, 2, rng=2)):.4g}" in drawn


PANELS = [
    figures.BallPanel("*μ* = 0.1", 0.1, 2.0),
    figures.BallPanel("*μ* = 0.5", 0.5, math.inf, (0, 1), (0.5, 0.25)),
    figures.BallPanel("diamond", 0.3, 1.0, (0, 1)),
]
PLANE = [[0.0, 0.0], [1.0, 0.5], [0.25, 1.0]]
IMAGES = np.arange(32.0).reshape(2, 16)
HALVES = {"first": IMAGES, "second": IMAGES[::-1] / 2}
WORDS = {"titles": ["one", "two"], "labels": [("a 1", "a 2"), ("a 3", "a 4")]}
CLIMBS = {"*μ* = 0": (0.0, [1.0, 1.5, 2.5, 3.0]), "wide": (0.25, [1.0, 1.0, 3.0, 3.0])}
ENDS = {"points": [0.0, 1.0], "labels": [1.0, 3.0], "x": [0.0, 0.25, 0.75, 1.0]}

balls = partial(figures.balls_picture, X=PLANE, y=[1.0, 2.0, 1.0], panels=PANELS, name="b")
gallery = partial(figures.pair_gallery, **HALVES, **WORDS, name="g")
climb = partial(figures.climb_picture, **ENDS, panels=CLIMBS, name="c")


def test_balls_have_their_radius_and_a_unit_is_as_long_on_both_axes_of_all_panels():
    tells(balls(), "3 points of the plane with 2 labels", "disks of radius 0.1")
    tells(balls(), "diamonds of radius 0.3", "squares of radius 0.5, and a cross at 0.5 and 0.25,")
    tells(balls(), "claimed by the labels 1 and 2")
    axes = [figure.axes[0] for figure in balls()._figures]
    assert len({(*each.get_xlim(), *each.get_ylim()) for each in axes}) == 1
    assert np.ptp(axes[0].get_xlim()) == np.ptp(axes[0].get_ylim())
    for each, shown in zip(axes, PANELS, strict=True):
        boxes = [p.get_transform().transform_path(p.get_path()).get_extents() for p in each.patches]
        back = each.transData.inverted()
        sizes = [np.ptp(back.transform(box.get_points()), axis=0) for box in boxes]
        np.testing.assert_allclose(sizes, 2 * shown.mu, rtol=1e-6)


def test_climbs_and_pairs_are_told_by_what_is_largest():
    tells(climb(), "μ = 0: steepest climb 2; wide: steepest climb 4")
    np.testing.assert_array_equal(lines(climb(), "c1")[1][:, 1], CLIMBS["wide"][1])
    tells(gallery(), "one: a 1 and a 2, which differ by at most 8 in a pixel")
    largest = number(float(np.abs(IMAGES[1] - IMAGES[0] / 2).max()))
    tells(gallery(), f"two: a 3 and a 4, which differ by at most {largest}")
