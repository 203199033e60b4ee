"""Promises of the explorer of W*: what it draws and says is what the theory and the code give."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from sublinear_lib import datasets, scaling
from sublinear_lib.adversary import robust_loss
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.plotting import number, percent
from sublinear_lib.theory import existence
from sublinear_lib.widgets import Explorer, Line, View, existence_explorer, existence_view
from sublinear_lib.widgets.views import Band

TAUS = {
    "1/m": lambda m: 1.0 / m,
    "t=1": lambda m: (2.0 / m) ** 0.5,
    "c=1/10": lambda m: (2.0 / m * 0.2 * math.log(m)) ** 0.5,
    "c=1/5": lambda m: (2.0 / m * 0.4 * math.log(m)) ** 0.5,
}
BUMP = existence.bump(Fraction(-1, 8))
M = 1024


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return existence_explorer()


def lines(view: View) -> dict[str, Line]:
    return {mark.label: mark for mark in view.marks if isinstance(mark, Line)}


def band(view: View) -> Band:
    return next(mark for mark in view.marks if isinstance(mark, Band))


def built(preset: str, threshold: str, activation: str, zero: bool) -> tuple:
    data, tau = datasets.circle(3), float(TAUS[threshold](M))
    start = TwoLayerNetwork.initialize(
        M, 3, preset, rng=np.random.default_rng([0, M]), tau=tau, activation=activation
    )
    feature = existence.hermite_feature(BUMP, 0 if zero else tau * math.sqrt(M))
    shifts = existence.explicit_shifts(feature, start.W, start.b, start.a, data.X, data.y)
    W = np.array(start.W)
    W[:, 2] += shifts
    return data, start, W, shifts


@pytest.mark.parametrize("preset", ["PRINTED", "R2"])
@pytest.mark.parametrize("threshold", TAUS)
@pytest.mark.parametrize("activation", ["jump", "continuous"])
@pytest.mark.parametrize("zero", [False, True])
def test_curves_and_numbers_are_those_of_the_weights_of_the_proof(
    preset: str, threshold: str, activation: str, zero: bool
) -> None:
    view = existence_view(preset, threshold, activation, "zero" if zero else "acting", M)
    data, start, W, shifts = built(preset, threshold, activation, zero)
    drawn, read = lines(view), dict(view.readouts)
    angle = np.radians(drawn["target"].x)
    points = np.column_stack(
        (0.75**0.5 * np.cos(angle), 0.75**0.5 * np.sin(angle), np.full(angle.size, 0.5))
    )
    network = start.with_weights(W)
    for label, values in (
        ("*g* at *W*^{*}", PseudoNetwork(start, W).forward(points)),
        ("*f* at *W*^{*}", network.forward(points)),
        ("target", ((points @ data.X.T + 0.125) / 1.125) ** 2 @ data.y),
    ):
        assert drawn[label].y == pytest.approx(np.clip(values, -3, 3), abs=1e-9), label
    loss = robust_loss(network, data.X, data.y, 0.2, "absolute").upper
    assert float(read["exact worst-case loss of *f*"]) == pytest.approx(loss, rel=6e-3)
    assert read["radius of *W*^{*}, *h* not cut off"] == number(float(np.abs(shifts).max()))


@pytest.mark.parametrize("threshold", TAUS)
@pytest.mark.parametrize("zero", ["acting", "zero"])
def test_the_band_is_the_law_of_g(threshold: str, zero: str) -> None:
    view = existence_view("PRINTED", threshold, "jump", zero, M)
    shown = band(view)
    middle = (np.asarray(shown.lower) + np.asarray(shown.upper)) / 2
    target = np.asarray(lines(view)["target"].y)
    bias = float(np.abs(middle - target).max())
    if zero == "acting":
        assert bias < 1e-12
    assert dict(view.readouts)["closed form, bias"] == ("0" if bias < 1e-9 else number(bias))
    g = np.asarray(lines(view)["*g* at *W*^{*}"].y)
    inside = (np.asarray(shown.lower) <= g) & (g <= np.asarray(shown.upper))
    assert inside.mean() > 0.6


def test_with_an_h_for_zero_the_bias_stays_at_every_width_unless_the_threshold_falls() -> None:
    biases = {
        threshold: [
            float(
                dict(existence_view("R3", threshold, "continuous", "zero", m).readouts)[
                    "closed form, bias"
                ]
            )
            for m in (2**10, 2**14)
        ]
        for threshold in ("1/m", "t=1", "c=1/5")
    }
    assert biases["1/m"][1] < biases["1/m"][0] / 3
    assert biases["t=1"][0] == biases["t=1"][1] > 0.3
    assert min(biases["c=1/5"]) > 0.9  # as large as the target itself


@pytest.mark.parametrize("threshold", TAUS)
def test_threshold_and_activity_are_read_off_in_numbers(threshold: str) -> None:
    view = existence_view("PRINTED", threshold, "jump", "acting", 4096)
    t = float(TAUS[threshold](4096)) * math.sqrt(2048)
    read = dict(view.readouts)
    assert read["*t* = *τ* √(*m*/2)"] == number(t)
    assert read["*Q*(*t*)"] == percent(scaling.activity_at(t))
    assert number(t) in view.sentence


@pytest.mark.parametrize("preset", ["PRINTED", "R1", "R2", "R3"])
@pytest.mark.parametrize("threshold", TAUS)
@pytest.mark.parametrize("activation", ["jump", "continuous"])
@pytest.mark.parametrize("zero", ["acting", "zero"])
def test_it_says_which_hypothesis_fails(
    preset: str, threshold: str, activation: str, zero: str
) -> None:
    warning = existence_view(preset, threshold, activation, zero, M).warning or ""
    dense = threshold == "1/m"
    assert ("τ is" in warning) == (not dense)
    assert ("not the printed one" in warning) == (activation == "continuous")
    assert ("output weights" in warning) == (preset == "R2")
    assert ("built for zero leaves a bias" in warning) == (not dense and zero == "zero")
    assert ("Proposition 2" in warning) == (not dense and activation == "jump")
    share = Fraction(threshold[2:]) if threshold[0] == "c" else Fraction(0)
    rules = scaling.get_scaling(preset)
    assert ("shrinks faster" in warning) == (rules.alpha + rules.beta > 1 - share)


def test_the_explorer_starts_at_the_printed_theorem_and_is_small(explorer: Explorer) -> None:
    assert explorer.values == {
        "preset": "PRINTED",
        "threshold": "1/m",
        "activation": "jump",
        "built": "acting",
        "m": 4096,
    }
    assert explorer.shape == (4, 4, 2, 2, 4)


@pytest.mark.parametrize(
    "changed",
    [
        {"preset": "ZHANG"},
        {"threshold": "0"},
        {"activation": "relu"},
        {"built": "half"},
        {"m": 2},
        {"m": 4096.5},
    ],
)
def test_it_refuses_what_it_does_not_know(changed: dict[str, object]) -> None:
    chosen = {
        "preset": "PRINTED",
        "threshold": "1/m",
        "activation": "jump",
        "built": "acting",
        "m": 4096,
    }
    with pytest.raises((TypeError, ValueError)):
        existence_view(**{**chosen, **changed})  # type: ignore[arg-type]
