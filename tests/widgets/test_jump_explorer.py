"""Promises of the explorer of the price of a jump: curves and numbers are those of the theory."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sublinear_lib import scaling, theory
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import number, percent
from sublinear_lib.widgets import Explorer, Line, Points, Rule, View, jump_explorer, jump_view

X = [3**0.5 / 2, 0.0, 0.5]
POWERS = {"PRINTED": (0.2, 0.6), "R1": (0.2, 0.8), "R2": (0.4, 0.6), "R3": (0.2, 0.6)}


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return jump_explorer()


def marks(view: View) -> dict[str, Line | Points]:
    return {m.label: m for m in view.marks if isinstance(m, Line | Points) and m.label}


def q(x: float) -> float:
    return math.erfc(x / math.sqrt(2)) / 2


@pytest.mark.parametrize("preset", POWERS)
@pytest.mark.parametrize("activation", ["jump", "continuous"])
def test_the_curves_are_sample_closed_form_print_and_certified_bound_over_the_reach(
    preset: str, activation: str
) -> None:
    m = 1024
    drawn = marks(jump_view(preset, activation, m, 1.0))
    a, delta = m ** -POWERS[preset][0], m ** -POWERS[preset][1]
    for at in (0, 10, -1):
        t = float(drawn["closed form"].x[at])
        tau = t * (2 / m) ** 0.5
        reach = a * delta * m * q(t)
        mean = theory.half_width_moments(m, a, delta, tau, activation).mean
        assert drawn["closed form"].y[at] == pytest.approx(mean / reach, rel=1e-9)
        assert drawn["printed"].y[at] == pytest.approx(m**-0.1 / reach, rel=1e-9)
        bound = theory.certified_gap_bound(m, 3, a, delta, tau, activation).value
        assert drawn["Theorem A"].y[at] == pytest.approx(bound / reach, rel=1e-9)
    assert ("*tφ*/*Q*" in drawn) == (activation == "jump")


def test_the_dots_are_drawn_networks() -> None:
    m, t = 256, 1.0
    dots = marks(jump_view("R2", "jump", m, 2.0))["drawn"]
    gap, reach = 0.0, 0.0
    for seed in range(10):
        network = TwoLayerNetwork.initialize(m, 3, rng=np.random.default_rng([seed, m]))
        z = network.preactivations([X])[0]
        rise, fall = theory.gap_terms(z, m**-0.6, t * (2 / m) ** 0.5, "jump")
        gap += 0.5 * float((rise + fall).sum())
        reach += m**-0.6 * int((z > t * (2 / m) ** 0.5).sum())
    place = np.flatnonzero(np.asarray(dots.x) == t)[0]
    assert dots.y[place] == pytest.approx(gap / reach)


@pytest.mark.parametrize("t", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("activation", ["jump", "continuous"])
def test_the_numbers_beside_the_figure_are_those_of_the_chosen_point(
    activation: str, t: float
) -> None:
    view = jump_view("R1", activation, 4096, t)
    read = dict(view.readouts)
    theta = 4096**-0.8 * (4096 / 2) ** 0.5
    ratio = theory.half_width_over_g(t, theta, activation)
    assert read["*Q*(*t*)"] == percent(scaling.activity_at(t))
    assert read["*θ* = *δ* √(*m*/2)"] == number(theta)
    assert read["E *H* / E *G*"] == number(ratio)
    assert number(ratio) in view.sentence
    other = {"jump": "continuous", "continuous": "jump"}[activation]
    assert read["other activation"] == number(theory.half_width_over_g(t, theta, other))


@pytest.mark.parametrize("preset", ["PRINTED", "R1", "R2"])
@pytest.mark.parametrize("activation", ["jump", "continuous"])
@pytest.mark.parametrize("t", [0.0, 1.0])
def test_stated_growth_is_that_of_the_closed_forms(preset: str, activation: str, t: float) -> None:
    sentence = jump_view(preset, activation, 256, t).sentence
    alpha, beta = POWERS[preset]
    found = []
    for m in (2**200, 2**240):
        a, delta = m**-alpha, m**-beta
        mean = theory.half_width_moments(m, a, delta, t * (2 / m) ** 0.5, activation).mean
        found.append((a * delta * m * q(t), mean))
    slopes = [math.log(far / near) / math.log(2.0**40) for near, far in zip(*found, strict=True)]
    for what, slope in zip(("reach of g", "gap"), slopes, strict=True):
        said = sentence.split(f"the {what} ")[1].split(",")[0].split(" and")[0]
        if abs(slope) < 0.01:
            assert said == "keeps its size", (said, slope)
        else:
            up, down = said.split("m^(")[1].rstrip(")").split("/")
            assert slope == pytest.approx(int(up) / int(down), abs=0.01)


def test_the_repaired_set_grants_all_three_wishes() -> None:
    assert "All three wishes are granted" in jump_view("R3", "continuous", 4096, 2.0).sentence
    assert "wishes" not in jump_view("R3", "jump", 4096, 2.0).sentence


def test_r3_follows_its_own_threshold() -> None:
    view = jump_view("R3", "continuous", 2**16, 2.0)
    (rule,) = [m for m in view.marks if isinstance(m, Rule) and m.label == "threshold of R3"]
    assert rule.at == pytest.approx(math.sqrt(0.4 * math.log(2**16)))
    assert "t rises as √(0.4 log m), the reach of g keeps its size" in view.sentence
    assert "the gap falls like m^(-1/10)" in view.sentence
    jump = jump_view("R3", "jump", 2**16, 2.0).sentence
    assert "the gap keeps its size" in jump


@pytest.mark.parametrize("preset", POWERS)
@pytest.mark.parametrize("activation", ["jump", "continuous"])
@pytest.mark.parametrize("t", [0.0, 0.25, 3.0])
def test_it_says_which_hypothesis_and_which_wish_fails(
    preset: str, activation: str, t: float
) -> None:
    view = jump_view(preset, activation, 4096, t)
    warning = view.warning or ""
    assert ("All three wishes are granted" in view.sentence) == ("(i" not in warning)
    torn = activation == "jump" and t > 0
    assert ("No choice" in warning or "no choice grants all three" in warning) == torn
    assert ("not O(1/m)" in warning) == (t > 0)
    assert ("not the printed one" in warning) == (activation == "continuous" and t > 0)
    assert ("output weights" in warning) == (preset == "R2")
    assert ("(iii)" in warning) == (t == 0)
    grows = preset == "PRINTED"
    assert ("(i) " in warning) == (torn or grows)
    assert ("Every hypothesis of Theorem 4.1 holds here" in warning) == (
        t == 0 and preset == "PRINTED"
    )


def test_r3_at_half_activity_is_the_printed_theorem_without_its_threshold() -> None:
    # At t = 0 the powers of R3 are the printed ones; its exponents speak of its own threshold.
    assert "(iii) few active neurons" in (jump_view("R3", "jump", 4096, 0.0).warning or "")


def test_the_explorer_starts_where_it_hurts_and_is_small(explorer: Explorer) -> None:
    assert explorer.values == {"preset": "R3", "activation": "jump", "m": 4096, "t": 1.0}
    assert explorer.shape == (4, 2, 6, 13)


@pytest.mark.parametrize(
    "changed",
    [{"preset": "ZHANG"}, {"activation": "relu"}, {"m": 128}, {"t": -1.0}, {"t": 3.5}],
)
def test_it_refuses_what_it_does_not_know(changed: dict[str, object]) -> None:
    chosen = {"preset": "R3", "activation": "jump", "m": 4096, "t": 1.0}
    with pytest.raises((TypeError, ValueError)):
        jump_view(**{**chosen, **changed})  # type: ignore[arg-type]
