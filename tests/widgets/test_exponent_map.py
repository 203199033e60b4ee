"""Promises of the map of powers: it says of every choice exactly what the inequalities say."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest

from sublinear_lib.plotting import grouped
from sublinear_lib.scaling import PRINTED, R1, R2, R3, ZHANG, Scaling
from sublinear_lib.widgets import (
    Band,
    Explorer,
    Line,
    Points,
    Slider,
    exponent_map_explorer,
    exponent_map_view,
)


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return exponent_map_explorer()


def positions(explorer: Explorer) -> list[tuple[Fraction, Fraction, Fraction]]:
    sliders = [control for control in explorer.controls if isinstance(control, Slider)]
    alpha, beta, c = (slider for slider in sliders if slider.name != "m")

    def exact(control: Slider) -> list[Fraction]:
        return [Fraction(value).limit_denominator(60) for value in control.values]

    return [(x, y, z) for x in exact(alpha) for y in exact(beta) for z in exact(c)]


def test_a_choice_is_called_consistent_exactly_in_the_triangle(explorer: Explorer) -> None:
    verdicts = set()
    for alpha, beta, c in positions(explorer):
        total = alpha + c
        expected = total + beta <= 1 and 3 * total + 4 * beta > Fraction(7, 2) and total > 0
        view = exponent_map_view(float(alpha), float(beta), float(c), "continuous")
        assert (view.warning is None) is expected, (alpha, beta, c)
        verdicts.add(expected)
    assert verdicts == {True, False}


def test_with_the_jump_no_choice_with_few_active_neurons_is_consistent(explorer: Explorer) -> None:
    for alpha, beta, c in positions(explorer)[::7]:
        jump = exponent_map_view(float(alpha), float(beta), float(c), "jump")
        if c:
            assert jump.warning is not None
            assert "Proposition 2" in jump.sentence
            assert not any(isinstance(mark, Band) for mark in jump.marks)
        else:
            smooth = exponent_map_view(float(alpha), float(beta), 0.0, "continuous")
            assert (jump.warning is None) is (smooth.warning is None)


@pytest.mark.parametrize("preset", [PRINTED, R1, R2, R3, ZHANG], ids=lambda preset: preset.name)
def test_the_named_choices_are_where_they_belong(preset: Scaling) -> None:
    here = float(preset.alpha), float(preset.beta), float(preset.c)
    view = exponent_map_view(*here, preset.activation.name)
    assert (view.warning is None) is (preset is not PRINTED)
    named = {mark.label: mark for mark in view.marks if isinstance(mark, Points) and mark.label}
    assert (named[preset.name].x[0], named[preset.name].y[0]) == pytest.approx(here[:2])


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
    assert readouts["step size *\u03b7*/*\u03b5*"] == "*m*^{\N{MINUS SIGN}3/5}"
    assert readouts["drift of the run"] == "*m*^{\N{MINUS SIGN}2/5}"
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


def test_the_sentence_tells_the_threshold_and_the_share_at_the_width() -> None:
    for c, rule in ((0.0, PRINTED), (0.2, R3)):
        for m in (2**12, 2**24):
            t = rule.tau(m) * (m / 2) ** 0.5
            share = 0.5 * math.erfc(t / 2**0.5)
            sentence = exponent_map_view(0.2, 0.6, c, "continuous", m).sentence
            found = re.search(
                r"At m = 2\^(\d+) .* t = ([\d.e-]+) .* Q\(t\) = ([\d.]+)\s%", sentence
            )
            assert found is not None, sentence
            assert 2 ** int(found[1]) == m
            assert float(found[2]) == pytest.approx(t, rel=5e-3)
            assert float(found[3]) / 100 == pytest.approx(share, rel=5e-3)


def test_the_sentence_names_a_known_choice_and_only_that() -> None:
    assert "(the printed powers)" in exponent_map_view(0.2, 0.6, 0.0, "jump").sentence
    assert "(the choice R1)" in exponent_map_view(0.2, 0.8, 0.0, "jump").sentence
    assert "(the choice R3)" in exponent_map_view(0.2, 0.6, 0.2, "continuous").sentence
    assert "the choice" not in exponent_map_view(0.2, 0.6, 0.2, "jump").sentence
    assert "the choice" not in exponent_map_view(0.25, 0.6, 0.0, "jump").sentence


def test_a_typed_width_is_shown_as_it_is(explorer: Explorer) -> None:
    width = explorer.controls[-1]
    assert width.text(2**12) == "2^{12}"  # type: ignore[arg-type]
    assert width.text(5000) == grouped(5000)  # type: ignore[arg-type]


def test_the_width_moves_nothing_on_the_map() -> None:
    small, large = (exponent_map_view(0.2, 0.6, 0.2, "continuous", m) for m in (2**12, 2**24))
    assert small.readouts == large.readouts
    assert small.warning == large.warning
    assert repr(small.marks) == repr(large.marks)
    with pytest.raises(ValueError, match="m must be"):
        exponent_map_view(0.2, 0.6, 0.0, "jump", 1)


def test_the_named_choices_have_rings_of_different_colors() -> None:
    view = exponent_map_view(0.2, 0.6, 0.0, "jump")
    rings = [mark.role for mark in view.marks if isinstance(mark, Points) and mark.label]
    assert len(rings) == len(set(rings)) == 4
