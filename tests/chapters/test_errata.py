"""The map of powers says of every choice exactly what the inequalities say."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sublinear_lib.chapters.errata import explorers
from sublinear_lib.scaling import PRINTED, R1, R2, R3, ZHANG, Scaling
from sublinear_lib.widgets import Band, Line, Points
from tests.chapters.marks import of

SHARES = {"half": Fraction(0), "1/5": Fraction(1, 5), "1/5 jump": Fraction(1, 5)}
VIEW = explorers.exponent_map.function


@pytest.mark.parametrize("firing", SHARES)
def test_a_choice_is_called_consistent_exactly_in_the_triangle(firing: str) -> None:
    verdicts = set()
    for k, j in product(range(31), range(30, 61)):
        alpha, beta = Fraction(k, 60), Fraction(j, 60)
        total = alpha + SHARES[firing]
        expected = total + beta <= 1 and 3 * total + 4 * beta > Fraction(7, 2) and total > 0
        expected = expected and firing != "1/5 jump"
        view = VIEW(float(alpha), float(beta), firing)
        assert ("hold together" in view.sentence) is expected, (alpha, beta)
        assert ("Proposition 2" in view.sentence) == (firing == "1/5 jump")
        assert bool(of(view, Band)) == (firing != "1/5 jump")
        verdicts.add(expected)
    assert verdicts == ({False} if firing == "1/5 jump" else {True, False})


@pytest.mark.parametrize("preset", [PRINTED, R1, R2, R3, ZHANG], ids=lambda preset: preset.name)
def test_the_named_choices_are_where_they_belong(preset: Scaling) -> None:
    here = float(preset.alpha), float(preset.beta)
    view = VIEW(*here, "1/5" if preset.c else "half")
    assert ("hold together" in view.sentence) is (preset is not PRINTED)
    rings = [mark for mark in of(view, Points) if mark.label]
    (ring,) = [mark for mark in rings if (mark.x[0], mark.y[0]) == pytest.approx(here)]
    assert f"({'the printed powers' if preset is PRINTED else ring.label})" in view.sentence
    assert "(" not in VIEW(here[0] + 1 / 60, here[1], "half").sentence.partition(".")[0]


def test_the_triangle_has_the_exact_corners_and_the_powers_are_the_printed_ones() -> None:
    view = VIEW(0.2, 0.6, "1/5")
    [outline], [band] = of(view, Line), of(view, Band)
    corners = {(round(x, 12), round(y, 12)) for x, y in zip(outline.x, outline.y, strict=True)}
    # alpha + c runs from 1/5 to 1/2 between beta = 7/8 - 3/4 (alpha + c) and 1 - alpha - c.
    assert corners == {(0.0, 0.725), (0.0, 0.8), (0.3, 0.5)}
    np.testing.assert_allclose(band.lower, [0.725, 0.5])
    np.testing.assert_allclose(band.upper, [0.8, 0.5])
    read = dict(VIEW(0.2, 0.6, "half").readouts)
    assert read["sup |*f* \N{MINUS SIGN} *g*| in the ball"] == "*m*^{1/10}"
    assert read["neurons that can flip"] == "*m*^{9/10}" and read["neurons that fire"] == "*m*"
    assert "\u03b1 = 1/3" in VIEW(0.33, 0.66, "half").sentence, "the nearest sixtieth"
