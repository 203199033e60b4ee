"""The explorer of nets: certified, exact, closed form and printed together, judged where it is."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sublinear_lib import scaling, theory
from sublinear_lib.adversary import worst_gap_everywhere
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import number, percent
from sublinear_lib.widgets import Explorer, Line, Rule, View, net_explorer, net_view

POWERS = {"PRINTED": (0.2, 0.6), "R1": (0.2, 0.8), "R2": (0.4, 0.6), "R3": (0.2, 0.6)}
TAUS = {
    "1/m": lambda m: 1.0 / m,
    "m^-3/5": lambda m: m**-0.6,
    "t=1": lambda m: (2.0 / m) ** 0.5,
    "c=1/5": lambda m: (0.8 * math.log(m) / m) ** 0.5,
}


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return net_explorer()


def lines(view: View) -> dict[str, Line]:
    return {mark.label: mark for mark in view.marks if isinstance(mark, Line)}


def levels(view: View) -> dict[str, float]:
    return {mark.label: mark.at for mark in view.marks if isinstance(mark, Rule)}


@pytest.mark.parametrize("preset", POWERS)
@pytest.mark.parametrize("threshold", TAUS)
@pytest.mark.parametrize("form", ["jump", "continuous"])
def test_curves_and_levels_are_those_of_the_theory(preset: str, threshold: str, form: str) -> None:
    m, (alpha, beta) = 4096, POWERS[preset]
    sizes = m**-alpha, m**-beta, float(TAUS[threshold](m)), form
    view = net_view(preset, threshold, form, 3, m, 1e-3)
    shown = lines(view)
    compared = 0
    for k, nu in enumerate(shown["certified"].x):
        own = theory.certified_gap_bound(m, 3, *sizes, spacing=float(nu))
        for label, value in (
            ("certified", own.value),
            ("on the net", own.mean + own.deviation),
            ("in between", own.mesh),
        ):
            if not math.isnan(shown[label].y[k]):
                assert shown[label].y[k] == pytest.approx(value, rel=1e-9)
                compared += 1
    assert compared >= 12
    found = levels(view)
    assert found["one *x*: E *H*"] == pytest.approx(theory.half_width_moments(m, *sizes).mean)
    assert found["printed"] == pytest.approx(m**-0.1)
    best = theory.certified_gap_bound(m, 3, *sizes)
    assert dict(view.readouts)["certified, best net"] == number(best.value)
    assert found["all *x*: exact"] < best.value


def test_the_truth_is_that_of_the_drawn_network() -> None:
    m, tau = 4096, TAUS["c=1/5"](4096)
    start = TwoLayerNetwork.initialize(m, 3, rng=np.random.default_rng([0, m]))
    smooth = TwoLayerNetwork(start.W, start.a, start.b, tau, "continuous")
    exact = worst_gap_everywhere(smooth, m**-0.6).sup
    view = net_view("R3", "c=1/5", "continuous", 3, m, 0.01)
    assert levels(view)["all *x*: exact"] == pytest.approx(exact, rel=1e-9)
    assert number(exact) in view.sentence
    near = theory.max_near_on_circle(smooth, m**-0.6).count
    torn = net_view("R3", "c=1/5", "jump", 3, m, 0.01)
    counted = m**-0.2 * (tau + m**-0.6) * near
    assert levels(torn)["all *x*: exact"] == pytest.approx(counted, rel=1e-9)


def test_no_truth_is_shown_where_none_is_computed() -> None:
    for d, m in ((30, 4096), (3, 2**20)):
        view = net_view("R3", "c=1/5", "continuous", d, m, 0.01)
        assert "all *x*: exact" not in levels(view)
        assert dict(view.readouts)["all *x*, one draw"] == "not computed"
        assert "not computed here" in view.sentence


def test_a_net_too_large_for_a_float_is_a_power_of_ten() -> None:
    view = net_view("R3", "c=1/5", "continuous", 200, 4096, 1e-6)
    log10 = theory.log_net_size(200, 1e-6) / math.log(10)
    assert log10 > 308
    assert dict(view.readouts)["points of the net, at most"] == f"10^{{{round(log10)}}}"


@pytest.mark.parametrize("threshold", TAUS)
def test_it_says_threshold_and_share_in_numbers(threshold: str) -> None:
    m = 2**16
    view = net_view("PRINTED", threshold, "jump", 3, m, 1e-4)
    t = float(TAUS[threshold](m)) * (m / 2) ** 0.5
    assert f"{number(t)} standard deviations" in view.sentence
    assert percent(scaling.activity_at(t)) in view.sentence
    assert dict(view.readouts)["*t* = *τ* √(*m*/2)"] == number(t)


@pytest.mark.parametrize("preset", POWERS)
@pytest.mark.parametrize("threshold", TAUS)
@pytest.mark.parametrize("form", ["jump", "continuous"])
@pytest.mark.parametrize("d", [3, 30])
@pytest.mark.parametrize("m", [256, 2**20])
def test_hypotheses_are_judged_at_the_chosen_point(
    preset: str, threshold: str, form: str, d: int, m: int
) -> None:
    said = net_view(preset, threshold, form, d, m, 0.01).warning or ""
    assert ("the output weights are not" in said) == (preset == "R2")
    assert ("not O(1/m)" in said) == (threshold != "1/m")
    assert ("not the printed one" in said) == (form == "continuous")
    inside = preset != "R2" and threshold == "1/m" and form == "jump"
    assert ("Every hypothesis of Theorem C.1 holds" in said) == inside
    assert ("its conclusion fails" in said) == (inside and preset != "R1")
    short = m**0.2 < (d - 1) * math.log(1 + math.sqrt(3) * m)
    assert ("promises nothing yet" in said) == short
    assert ("not Lipschitz" in said) == (form == "jump")
    t = float(TAUS[threshold](m)) * (m / 2) ** 0.5
    delta = m ** -POWERS[preset][1]
    density = math.exp(-t * t / 2) / math.sqrt(2 * math.pi)
    assert ("4 d log m" in said) == (m**1.5 * delta * density < 4 * d * math.log(m))


def test_the_explorer_starts_at_r3_on_the_circle(explorer: Explorer) -> None:
    assert explorer.values == {
        "preset": "R3",
        "threshold": "c=1/5",
        "activation": "continuous",
        "d": 3,
        "m": 2**12,
        "spacing": 0.01,
    }
    assert explorer.shape == (4, 4, 2, 2, 4, 7)


@pytest.mark.parametrize(
    "changed",
    [
        {"preset": "ZHANG"},
        {"threshold": "0"},
        {"activation": "relu"},
        {"d": 1},
        {"d": 3.5},
        {"m": 1},
        {"spacing": 0.0},
    ],
)
def test_it_refuses_what_it_does_not_know(changed: dict[str, object]) -> None:
    chosen = {
        "preset": "R3",
        "threshold": "1/m",
        "activation": "jump",
        "d": 3,
        "m": 256,
        "spacing": 0.1,
    }
    with pytest.raises((TypeError, ValueError)):
        net_view(**{**chosen, **changed})  # type: ignore[arg-type]
