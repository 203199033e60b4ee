"""Promises of the explorer of f and g: its curves and numbers are those of the theory."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from sublinear_lib import scaling, theory
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import number, percent
from sublinear_lib.widgets import Explorer, Line, Points, View, gap_explorer, gap_view

X = [3**0.5 / 2, 0.0, 0.5]
TAUS = {
    "1/m": lambda m: 1.0 / m,
    "m^-3/5": lambda m: m**-0.6,
    "t=1": lambda m: (2.0 / m) ** 0.5,
    "t=2": lambda m: 2.0 * (2.0 / m) ** 0.5,
    "c=1/10": lambda m: (2.0 / m * 0.2 * math.log(m)) ** 0.5,
    "c=1/5": lambda m: (2.0 / m * 0.4 * math.log(m)) ** 0.5,
    "c=2/5": lambda m: (2.0 / m * 0.8 * math.log(m)) ** 0.5,
}
POWERS = {"PRINTED": (0.2, 0.6), "R1": (0.2, 0.8), "R2": (0.4, 0.6), "R3": (0.2, 0.6)}


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return gap_explorer()


def marks(view: View) -> dict[str, Line | Points]:
    return {m.label: m for m in view.marks if isinstance(m, Line | Points) and m.label}


def sizes(preset: str, threshold: str, m: int, K: float = 1.0) -> tuple[float, float, float]:
    alpha, beta = POWERS[preset]
    tau = float(TAUS[threshold](m)) * (K if threshold == "m^-3/5" else 1.0)
    return m**-alpha, K * m**-beta, tau


@pytest.mark.parametrize("preset", POWERS)
@pytest.mark.parametrize("threshold", TAUS)
@pytest.mark.parametrize("activation", ["jump", "continuous"])
def test_the_four_curves_are_sample_closed_form_print_and_certified_bound(
    preset: str, threshold: str, activation: str
) -> None:
    drawn = marks(gap_view(preset, threshold, activation, 1.0, 1024))
    for at in (0, -1):
        m = int(drawn["closed form"].x[at])
        chosen = (*sizes(preset, threshold, m), activation)
        mean = theory.half_width_moments(m, *chosen).mean
        assert drawn["closed form"].y[at] == pytest.approx(mean, rel=1e-9)
        certified = theory.certified_gap_bound(m, 3, *chosen).value
        assert drawn["Theorem A"].y[at] == pytest.approx(certified, rel=1e-9)
        assert drawn["printed"].y[at] == pytest.approx(m**-0.1)
    m = int(drawn["drawn"].x[0])
    a, delta, tau = sizes(preset, threshold, m)
    network = TwoLayerNetwork.initialize(m, 3, rng=np.random.default_rng([0, m]))
    z = network.preactivations([X])[0]
    rise, fall = theory.gap_terms(z, delta, tau, activation)
    assert drawn["drawn"].y[0] == pytest.approx(0.5 * a * float((rise + fall).sum()))


@pytest.mark.parametrize("threshold", TAUS)
@pytest.mark.parametrize("m", [256, 4096, 2**18])
def test_the_numbers_beside_the_figure_are_those_of_the_chosen_width(
    threshold: str, m: int
) -> None:
    view = gap_view("PRINTED", threshold, "jump", 1.0, m)
    read = dict(view.readouts)
    a, delta, tau = sizes("PRINTED", threshold, m)
    t = tau * (m / 2) ** 0.5
    mean = theory.half_width_moments(m, a, delta, tau).mean
    assert read["*t* = *τ* √(*m*/2)"] == number(t)
    assert read["*Q*(*t*)"] == percent(scaling.activity_at(t))
    assert read["closed form E *H*"] == number(mean)
    assert number(mean * m**0.1) in view.sentence
    reached = a * delta * m * scaling.activity_at(t)
    assert read["E *H* over E sup |*g*|"] == number(mean / reached)


def test_the_stated_power_is_that_of_the_closed_form(explorer: Explorer) -> None:
    for preset in POWERS:
        for threshold in TAUS:
            for activation in ("jump", "continuous"):
                view = gap_view(preset, threshold, activation, 1.0, 256)
                text = dict(view.readouts)["power of *H*"].replace("\N{MINUS SIGN}", "-")
                stated = float(Fraction(text.strip("*m^{}"))) if "m" in text else 0.0
                near, far = (
                    theory.half_width_moments(m, *sizes(preset, threshold, m), activation).mean
                    for m in (2**200, 2**240)
                )
                slope = math.log(far / near) / math.log(2.0**40)
                assert abs(slope - stated) < 0.01, (preset, threshold, activation, slope, stated)


def test_it_says_that_the_printed_theorem_fails_with_all_its_hypotheses() -> None:
    warning = gap_view("PRINTED", "1/m", "jump", 1.0, 2**14).warning or ""
    assert "Every hypothesis of Theorem 4.1 holds here, and its conclusion fails" in warning
    assert "m^(1/10)" in warning
    assert gap_view("R1", "1/m", "jump", 1.0, 2**14).warning is None


@pytest.mark.parametrize("preset", POWERS)
@pytest.mark.parametrize("threshold", TAUS)
@pytest.mark.parametrize("activation", ["jump", "continuous"])
@pytest.mark.parametrize("m", [256, 2**18])
def test_hypotheses_are_judged_at_the_chosen_point(
    preset: str, threshold: str, activation: str, m: int
) -> None:
    warning = gap_view(preset, threshold, activation, 1.0, m).warning or ""
    _, delta, tau = sizes(preset, threshold, m)
    s = (2.0 / m) ** 0.5
    assert ("τ is" in warning) == (threshold != "1/m")
    assert ("not the printed one" in warning) == (activation == "continuous")
    assert ("output weights" in warning) == (preset == "R2")
    priced = activation == "jump" and threshold[0] in "tc"
    assert ("Proposition 2" in warning) == priced
    assert ("tθ ≤ 1" in warning) == (tau * delta / s**2 > 1.0)
    density = np.exp(-((tau / s) ** 2) / 2) / np.sqrt(2 * np.pi)
    assert ("4 d log m" in warning) == (m**1.5 * delta * density < 12 * math.log(m))
    share = float(Fraction(threshold[2:])) if threshold[0] == "c" else 0.0
    alpha, beta = POWERS[preset]
    assert ("too small for labels" in warning) == (1 - share - alpha - beta < -1e-9)


def test_the_explorer_starts_at_the_printed_theorem_and_is_small(explorer: Explorer) -> None:
    assert explorer.values == {
        "preset": "PRINTED",
        "threshold": "1/m",
        "activation": "jump",
        "K": 1.0,
        "m": 4096,
    }
    assert explorer.shape == (4, 7, 2, 3, 11)


@pytest.mark.parametrize(
    "changed",
    [
        {"preset": "ZHANG"},
        {"threshold": "0"},
        {"activation": "relu"},
        {"K": 0.5},
        {"m": 1},
        {"m": 4096.5},
    ],
)
def test_it_refuses_what_it_does_not_know(changed: dict[str, object]) -> None:
    chosen = {"preset": "PRINTED", "threshold": "1/m", "activation": "jump", "K": 1.0, "m": 4096}
    with pytest.raises((TypeError, ValueError)):
        gap_view(**{**chosen, **changed})  # type: ignore[arg-type]


@pytest.mark.parametrize("m", [256, 2**18])
def test_what_theorem_a_asks_for_is_shown_with_what_there_is(m: int) -> None:
    read = dict(gap_view("R1", "1/m", "jump", 1.0, m).readouts)
    density = math.exp(-1.0 / (4.0 * m)) / math.sqrt(2.0 * math.pi)  # t = 1/sqrt(2 m)
    there, asked = m**0.7 * density, 12.0 * math.log(m)
    sign = "≥" if there >= asked else "<"
    assert read["*m*^{3/2} *δφ*(*t*) ≥ 4 *d* log *m*"] == f"{number(there)} {sign} {number(asked)}"


@pytest.mark.parametrize("preset", POWERS)
def test_the_axis_holds_the_curves_of_its_choice_and_stands_while_the_width_moves(
    preset: str,
) -> None:
    for threshold in TAUS:
        first, second = (gap_view(preset, threshold, "jump", 1.0, m) for m in (256, 2**18))
        assert first.y.limits == second.y.limits
        low, high = first.y.limits or (0.0, 0.0)
        for mark in marks(first).values():
            assert low < min(mark.y) and max(mark.y) < high


def test_it_says_which_choices_are_consistent() -> None:
    found = {
        (preset, threshold, activation)
        for preset in POWERS
        for threshold in TAUS
        for activation in ("jump", "continuous")
        if "4.4 hold together" in gap_view(preset, threshold, activation, 1.0, 1024).sentence
    }
    # alpha + beta + c <= 1 and 3 (alpha + c) + 4 beta > 7/2; with the jump tau = O(m^-beta), c = 0.
    jump = {("R2", "m^-3/5", "jump"), ("R1", "1/m", "jump"), ("R2", "1/m", "jump")}
    dense = {(each, rule, "continuous") for each in ("R1", "R2") for rule in TAUS if rule[0] != "c"}
    sparse = {(each, "c=1/5", "continuous") for each in ("PRINTED", "R3")}
    assert found == jump | dense | sparse


@pytest.mark.parametrize("preset", POWERS)
@pytest.mark.parametrize("threshold", ["1/m", "m^-3/5", "c=1/5"])
@pytest.mark.parametrize("K", [2.0, 4.0])
def test_the_constant_moves_ball_printed_bound_and_the_threshold_of_section_4_2(
    preset: str, threshold: str, K: float
) -> None:
    view = gap_view(preset, threshold, "jump", K, 4096)
    curves, read = marks(view), dict(view.readouts)
    for at in (0, -1):
        m = int(curves["closed form"].x[at])
        chosen = sizes(preset, threshold, m, K)
        mean = theory.half_width_moments(m, *chosen, "jump").mean
        assert curves["closed form"].y[at] == pytest.approx(mean, rel=1e-9)
        assert curves["printed"].y[at] == pytest.approx(K * K * m**-0.1)
        certified = theory.certified_gap_bound(m, 3, *chosen, "jump").value
        assert curves["Theorem A"].y[at] == pytest.approx(certified, rel=1e-9)
    a, delta, tau = sizes(preset, threshold, 4096, K)
    network = TwoLayerNetwork.initialize(4096, 3, rng=np.random.default_rng([0, 4096]))
    rise, fall = theory.gap_terms(network.preactivations([X])[0], delta, tau, "jump")
    assert read["drawn *H*"] == number(0.5 * a * float((rise + fall).sum()))
    assert read["*t* = *τ* √(*m*/2)"] == number(tau * 2048**0.5)
    assert f"With K = {number(K)}," in view.sentence


@pytest.mark.parametrize("K", [1.0, 2.0, 4.0])
def test_no_constant_saves_the_printed_theorem(K: float) -> None:
    view = gap_view("PRINTED", "1/m", "jump", K, 2**14)
    warning = view.warning or ""
    assert "Every hypothesis of Theorem 4.1 holds here, and its conclusion fails" in warning
    curves = marks(view)
    ratio = np.asarray(curves["closed form"].y) / np.asarray(curves["printed"].y)
    assert (np.diff(ratio) > 0).all()
    assert ratio[-1] > 1
