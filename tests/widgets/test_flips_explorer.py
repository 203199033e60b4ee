"""Promises of the explorer of flips: its numbers are those of the theory; it says what fails."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from sublinear_lib import theory
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.widgets import Band, Explorer, Line, Points, View, flips_explorer, flips_view

BALLS = {"C.2": 0.6, "4.6": 0.625, "R1": 0.8, "R3": 0.6}
TAUS = {
    "1/m": lambda m: 1.0 / m,
    "m^-3/5": lambda m: m**-0.6,
    "t=1": lambda m: (2.0 / m) ** 0.5,
    "t=2": lambda m: 2.0 * (2.0 / m) ** 0.5,
    "c=1/10": lambda m: (2.0 / m * 0.2 * math.log(m)) ** 0.5,
    "c=1/5": lambda m: (2.0 / m * 0.4 * math.log(m)) ** 0.5,
}


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return flips_explorer()


def sizes(ball: str, threshold: str, K: float, m: int) -> tuple[float, float]:
    return float(TAUS[threshold](m)), (1.0 if ball == "4.6" else K) * m ** -BALLS[ball]


def lines(view: View) -> dict[str, Line]:
    return {m.label: m for m in view.marks if isinstance(m, Line)}


@pytest.mark.parametrize("ball", BALLS)
@pytest.mark.parametrize("threshold", TAUS)
@pytest.mark.parametrize("K", [1.0, 4.0])
def test_the_lines_are_closed_form_print_and_theorem_b(ball: str, threshold: str, K: float) -> None:
    m = 1024
    tau, delta = sizes(ball, threshold, K, m)
    drawn = lines(flips_view(ball, threshold, K, m))
    mean = theory.expected_flips(tau, m, delta)
    assert drawn["closed form"].y == pytest.approx([mean / m] * 2)
    limit = theory.uniform_near_bound(tau, m, 3, delta)
    assert drawn["Theorem B"].y == pytest.approx([limit / m] * 2)
    printed = m**-0.125 if ball == "4.6" else K * m**-0.1
    assert drawn["printed"].y == pytest.approx([printed] * 2)


@pytest.mark.parametrize("threshold", ["1/m", "c=1/5"])
def test_the_curve_is_the_count_of_a_drawn_network_with_its_exact_maximum(threshold: str) -> None:
    m = 1024
    tau, delta = sizes("C.2", threshold, 1.0, m)
    view = flips_view("C.2", threshold, 1.0, m)
    network = TwoLayerNetwork.initialize(m, 3, rng=np.random.default_rng([0, m]), tau=tau)
    curve = lines(view)["drawn"]
    v = np.radians(curve.x)
    r = 3**0.5 / 2
    X = np.column_stack([r * np.cos(v), r * np.sin(v), np.full(v.size, 0.5)])
    near = theory.near_mask(network, X, delta).sum(axis=1)
    assert np.allclose(np.asarray(curve.y) * m, np.maximum(near, 0.5))
    (spot,) = [mark for mark in view.marks if isinstance(mark, Points)]
    assert float(spot.y[0]) * m == pytest.approx(theory.max_near_on_circle(network, delta).count)
    (band,) = [mark for mark in view.marks if isinstance(mark, Band)]
    low, high = theory.flip_count_interval(tau, m, delta)
    assert float(band.lower[0]) * m == pytest.approx(low)
    assert float(band.upper[0]) * m == pytest.approx(high)


@pytest.mark.parametrize("ball", BALLS)
@pytest.mark.parametrize("m", [256, 2**16])
def test_the_sentence_gives_the_threshold_the_activity_and_the_count(ball: str, m: int) -> None:
    tau, delta = sizes(ball, "t=1", 2.0, m)
    view = flips_view(ball, "t=1", 2.0, m)
    read = dict(view.readouts)
    mean = theory.expected_flips(tau, m, delta)
    assert read["*t* = *τ* √(*m*/2)"] == number(1.0)
    assert read["*Q*(*t*)"] == percent(0.15865525)
    assert read["closed form, at one *x*"] == number(mean)
    assert f"a threshold of {number(1.0)} standard deviations" in view.sentence
    assert f"can flip {number(mean)} of them" in view.sentence
    limit = theory.uniform_near_bound(tau, m, 3, delta)
    assert f"Theorem B allows {grouped(limit)} at all x" in view.sentence


def test_the_stated_power_is_that_of_the_closed_form() -> None:
    for ball in BALLS:
        for threshold in TAUS:
            text = dict(flips_view(ball, threshold, 1.0, 256).readouts)["power of the number"]
            near, far = (
                theory.expected_flips(*_swap(sizes(ball, threshold, 1.0, m), m))
                for m in (2**200, 2**240)
            )
            slope = math.log(far / near) / math.log(2.0**40)
            assert abs(slope - float(Fraction(text.strip("*m^{}")))) < 0.01, (ball, threshold)


def _swap(pair: tuple[float, float], m: int) -> tuple[float, int, float]:
    return pair[0], m, pair[1]


@pytest.mark.parametrize("ball", BALLS)
@pytest.mark.parametrize("threshold", TAUS)
@pytest.mark.parametrize("K", [1.0, 4.0])
@pytest.mark.parametrize("m", [256, 2**16])
def test_what_fails_is_judged_at_the_chosen_point(
    ball: str, threshold: str, K: float, m: int
) -> None:
    warning = flips_view(ball, threshold, K, m).warning or ""
    tau, delta = sizes(ball, threshold, K, m)
    s = (2.0 / m) ** 0.5
    density = math.exp(-((tau / s) ** 2) / 2) / math.sqrt(2 * math.pi)
    assert ("θ ≤ 1" in warning.replace("tθ ≤ 1", "")) == (delta / s > 1.0)
    assert ("tθ ≤ 1" in warning) == (tau * delta / s**2 > 1.0)
    assert ("≥ d log m" in warning) == (m**1.5 * delta * density < 3 * math.log(m))
    assert ("second line says that no neuron can flip" in warning) == (ball == "4.6")
    assert ("more neurons than there are" in warning) == (ball == "C.2" and m**0.1 < K)
    assert ("asks for the threshold of R3" in warning) == (ball == "R3" and threshold != "c=1/5")


@pytest.mark.parametrize("ball", BALLS)
def test_the_axis_holds_everything_that_is_drawn_and_stands_while_the_width_moves(
    ball: str,
) -> None:
    views = [flips_view(ball, "c=1/5", 1.0, m) for m in (256, 4096, 2**16)]
    assert len({view.y.limits for view in views}) == 1
    low, high = views[0].y.limits or (0.0, 0.0)
    for view in views:
        for line in lines(view).values():
            assert low <= float(np.min(line.y)) and float(np.max(line.y)) <= high


def test_the_explorer_starts_at_claim_c2_as_printed_and_is_small(explorer: Explorer) -> None:
    assert explorer.values == {"ball": "C.2", "threshold": "1/m", "K": 1.0, "m": 4096}
    assert explorer.shape == (4, 6, 3, 5)


@pytest.mark.parametrize(
    "changed",
    [{"ball": "ZHANG"}, {"threshold": "0"}, {"K": 0.0}, {"K": "one"}, {"m": 1}, {"m": 4096.5}],
)
def test_it_refuses_what_it_does_not_know(changed: dict[str, object]) -> None:
    chosen = {"ball": "C.2", "threshold": "1/m", "K": 1.0, "m": 4096}
    with pytest.raises((TypeError, ValueError)):
        flips_view(**{**chosen, **changed})  # type: ignore[arg-type]
