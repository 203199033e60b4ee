"""The map of powers says of every choice exactly what the inequalities say."""

from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest

from sublinear_lib.chapters.errata import explorers, figures
from sublinear_lib.scaling import PRINTED, R1, R2, R3, ZHANG
from sublinear_lib.widgets import Band, Line, Points
from tests.chapters.marks import of
from tests.plotting.shown import lines, tells, texts

SHARES = {"half": Fraction(0), "1/5": Fraction(1, 5), "1/5 jump": Fraction(1, 5)}
VIEW = explorers.exponent_map.function


@pytest.mark.parametrize("firing", SHARES)
def test_a_choice_is_called_consistent_exactly_in_the_triangle(firing):
    for k, j in product(range(31), range(30, 61)):
        alpha, beta = Fraction(k, 60), Fraction(j, 60)
        total = alpha + SHARES[firing]
        expected = total + beta <= 1 and 3 * total + 4 * beta > Fraction(7, 2) and total > 0
        view = VIEW(float(alpha), float(beta), firing)
        jump = firing == "1/5 jump"
        assert ("hold together" in view.sentence) is (expected and not jump), (alpha, beta)
        assert ("Proposition 2" in view.sentence) == jump == (not of(view, Band))


def test_the_named_choices_and_the_corners_are_where_they_belong():
    for preset in (PRINTED, R1, R2, R3, ZHANG):
        here = float(preset.alpha), float(preset.beta)
        view = VIEW(*here, "1/5" if preset.c else "half")
        rings = [mark for mark in of(view, Points) if mark.label]
        (ring,) = [mark for mark in rings if (mark.x[0], mark.y[0]) == pytest.approx(here)]
        name = "the printed powers" if preset is PRINTED else ring.label
        assert f"({name})" in view.sentence
        assert "(" not in VIEW(here[0] + 1 / 60, here[1], "half").sentence.partition(".")[0]
    view = VIEW(0.2, 0.6, "1/5")
    [outline], [band] = of(view, Line), of(view, Band)
    corners = {(round(x, 12), round(y, 12)) for x, y in zip(outline.x, outline.y, strict=True)}
    # alpha + c runs from 1/5 to 1/2 between beta = 7/8 - 3/4 (alpha + c) and 1 - alpha - c.
    assert corners == {(0.0, 0.725), (0.0, 0.8), (0.3, 0.5)}
    np.testing.assert_allclose([band.lower, band.upper], [[0.725, 0.5], [0.8, 0.5]])
    read = dict(VIEW(0.2, 0.6, "half").readouts)
    assert read["sup |*f* \N{MINUS SIGN} *g*| in the ball"] == "*m*^{1/10}"
    assert read["neurons that can flip"] == "*m*^{9/10}" and read["neurons that fire"] == "*m*"
    assert "\u03b1 = 1/3" in VIEW(0.33, 0.66, "half").sentence, "the nearest sixtieth"


TRIANGLE = [(0.0, 0.9), (0.0, 1.0), (0.5, 0.5)]
CHOICES = {"one": {"as printed": (0.2, 0.6), "R2": (0.4, 0.6)}, "two": {}}
SLICES = {"one": TRIANGLE, "two": TRIANGLE}
powers = partial(figures.power_map_picture, slices=SLICES, choices=CHOICES, name="map")


def test_the_picture_names_every_choice_where_it_lies_on_one_scale():
    tells(powers(), "as printed at 0.2, 0.6; R2 at 0.4, 0.6")
    assert texts(powers()).count("0.8") == 2
    places = [tuple(points[0].tolist()) for points in lines(powers(), "c2", marker="o")]
    assert places == [(0.2, 0.6), (0.4, 0.6)]
