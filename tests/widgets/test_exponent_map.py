"""Promises of the map of powers: it says of every choice exactly what the inequalities say."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sublinear_lib.scaling import PRINTED, R1, R2, R3, ZHANG, Scaling
from sublinear_lib.widgets import (
    Band,
    Explorer,
    Line,
    Points,
    Slider,
    View,
    exponent_map_explorer,
    exponent_map_view,
)


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return exponent_map_explorer()


def positions(explorer: Explorer) -> list[tuple[Fraction, Fraction, Fraction]]:
    alpha, beta = (control for control in explorer.controls if isinstance(control, Slider))
    exact = [
        [Fraction(value).limit_denominator(60) for value in control.values]
        for control in (alpha, beta)
    ]
    return list(product(*exact, [Fraction(k, 20) for k in range(10)]))


def holds(view: View) -> bool:
    return "hold together" in view.sentence


def test_the_menu_offers_the_share_with_its_activation(explorer: Explorer) -> None:
    firing = explorer.controls[-1].values
    assert list(firing) == ["half", "1/5", "1/5 jump"]
    assert explorer.values == {"alpha": 0.2, "beta": 0.6, "firing": "half"}


def test_a_choice_is_called_consistent_exactly_in_the_triangle(explorer: Explorer) -> None:
    verdicts = set()
    for alpha, beta, c in positions(explorer):
        total = alpha + c
        expected = total + beta <= 1 and 3 * total + 4 * beta > Fraction(7, 2) and total > 0
        view = exponent_map_view(float(alpha), float(beta), float(c), "continuous")
        assert holds(view) is expected, (alpha, beta, c)
        verdicts.add(expected)
    assert verdicts == {True, False}


def test_with_the_jump_no_choice_with_few_active_neurons_is_consistent(explorer: Explorer) -> None:
    for alpha, beta, c in positions(explorer)[::7]:
        jump = exponent_map_view(float(alpha), float(beta), float(c), "jump")
        if c:
            assert not holds(jump)
            assert "Proposition 2" in jump.sentence
            assert not any(isinstance(mark, Band) for mark in jump.marks)
        else:
            smooth = exponent_map_view(float(alpha), float(beta), 0.0, "continuous")
            assert holds(jump) is holds(smooth)


@pytest.mark.parametrize("preset", [PRINTED, R1, R2, R3, ZHANG], ids=lambda preset: preset.name)
def test_the_named_choices_are_where_they_belong(preset: Scaling) -> None:
    here = float(preset.alpha), float(preset.beta), float(preset.c)
    view = exponent_map_view(*here, preset.activation.name)
    assert holds(view) is (preset is not PRINTED)
    rings = [mark for mark in view.marks if isinstance(mark, Points) and mark.label]
    assert sum((mark.x[0], mark.y[0]) == pytest.approx(here[:2]) for mark in rings) == 1
    assert ("ZHANG" in view.sentence, "PRINTED" in view.sentence) == (False, False)


def test_the_shaded_triangle_has_the_exact_corners() -> None:
    view = exponent_map_view(0.2, 0.6, 0.2, "continuous")
    [outline] = [mark for mark in view.marks if isinstance(mark, Line)]
    corners = {(round(x, 12), round(y, 12)) for x, y in zip(outline.x, outline.y, strict=True)}
    # alpha + c runs from 1/5 to 1/2 between beta = 7/8 - 3/4 (alpha + c) and 1 - alpha - c.
    assert corners == {(0.0, 0.725), (0.0, 0.8), (0.3, 0.5)}
    [band] = [mark for mark in view.marks if isinstance(mark, Band)]
    np.testing.assert_allclose(band.lower, [0.725, 0.5])
    np.testing.assert_allclose(band.upper, [0.8, 0.5])


def test_the_powers_beside_the_map_are_those_of_the_printed_choice() -> None:
    readouts = dict(exponent_map_view(0.2, 0.6, 0.0, "jump").readouts)
    assert readouts["sup |*f* \N{MINUS SIGN} *g*| in the ball"] == "*m*^{1/10}"
    assert readouts["neurons that can flip"] == "*m*^{9/10}"
    assert readouts["neurons that fire"] == "*m*"


def test_a_typed_power_is_taken_as_the_nearest_sixtieth() -> None:
    assert "\u03b1 = 1/3" in exponent_map_view(0.33, 0.66, 0.0, "continuous").sentence


@pytest.mark.parametrize(
    "powers",
    [
        (-0.1, 0.6, 0.0),
        (0.2, 1.2, 0.0),
        (0.2, 0.6, 1.5),
        (-0.001, 0.6, 0.0),
        (0.2, math.inf, 0.0),
    ],
)
def test_a_power_off_the_unit_interval_is_refused(powers: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        exponent_map_view(*powers, "continuous")


def test_the_sentence_names_a_known_choice_and_only_that() -> None:
    assert "(the printed powers)" in exponent_map_view(0.2, 0.6, 0.0, "jump").sentence
    assert "(smaller ball)" in exponent_map_view(0.2, 0.8, 0.0, "jump").sentence
    assert "(continuous activation)" in exponent_map_view(0.2, 0.6, 0.2, "continuous").sentence
    assert "(continuous activation)" not in exponent_map_view(0.2, 0.6, 0.2, "jump").sentence
    assert "(s" not in exponent_map_view(0.25, 0.6, 0.0, "jump").sentence
