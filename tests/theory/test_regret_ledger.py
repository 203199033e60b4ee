"""Promises of Theorem D on runs: by hand, on one point, in closed form, and in powers of m."""

from __future__ import annotations

import math
from dataclasses import asdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sublinear_lib import scaling
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.theory import regret, worst_case
from sublinear_lib.training import run_ledger
from tests.theory.oracles import ACTIVATIONS, q

SIDE = 3**0.5 / 2


@pytest.mark.parametrize("kind", ["jump", "continuous"])
def test_one_point_is_the_ledger_of_a_network_in_dimension_two(kind: str) -> None:
    start = TwoLayerNetwork.initialize(300, 2, rng=5, tau=0.05, activation=kind)
    x, eta, steps, y = np.array([[SIDE, 0.5]]), 0.02, 9, 0.6
    one = regret.one_point_regret(
        start.preactivations(x)[0], start.a, start.tau, y, eta, steps, kind
    )
    path = [start.W]
    for _ in range(steps):
        now = start.with_weights(path[-1])
        slope = np.sign(now.forward(x) - y)
        path.append(path[-1] - eta * now.weight_gradient(x, slope))
    W_star = regret.nearest_weights(start, x, y - start.forward(x))
    missed = abs(float(start.with_weights(W_star).forward(x)[0]) - y)
    whole = run_ledger(
        start,
        path,
        [x] * steps,
        [y],
        "absolute",
        W_star,
        eta=eta,
        comparator=missed,
        active=int(start.active_mask(x).sum()),
    )
    assert one.average == pytest.approx(whole.average)
    assert pytest.approx(np.linalg.norm(W_star - start.W)) == one.D_F
    assert pytest.approx(regret.norm_2_inf(W_star - start.W)) == one.D_W
    for mine, theirs in ((one.measured, whole.measured), (one.promised, whole.promised)):
        for term in ("comparator", "noise", "start", "coupling", "gap_run", "gap_comparator"):
            assert getattr(mine, term) == pytest.approx(getattr(theirs, term), abs=1e-12), term


def test_a_silent_point_has_no_comparison_weights() -> None:
    with pytest.raises(ValueError, match="no neuron fires"):
        regret.one_point_regret([-1.0], [1.0], 0.5, 1.0, 0.1, 1)


@pytest.mark.parametrize("kind", ACTIVATIONS)
@pytest.mark.parametrize("t", [0.0, 1.0])
def test_the_closed_form_is_the_bound_of_the_laws_of_one_point(kind: str, t: float) -> None:
    m, a, eta, steps = 4096, 4096**-0.2, 0.002, 4
    std = math.sqrt(2.0 / m)
    firing, drift = m * q(t), eta * a * steps
    D_W = 0.5 / (a * firing)
    expected = regret.regret_bound(
        comparator=0.0,
        eta=eta,
        steps=steps,
        gradient_squared=a * a * firing,
        D_F=D_W * math.sqrt(firing),
        D_W=D_W,
        drift=drift,
        a=a,
        flips=m * (q(t - drift / std) - q(t + drift / std)),
        gap_run=worst_case.half_width_moments(m, a, drift, t * std, kind).mean,
        gap_comparator=worst_case.half_width_moments(m, a, D_W, t * std, kind).mean,
    )
    found = regret.expected_one_point(m, a, t * std, -0.5, eta, steps, kind)
    assert asdict(found) == pytest.approx(asdict(expected), rel=1e-9)


def test_the_closed_form_refuses_a_label_of_zero_and_a_threshold_that_no_neuron_reaches() -> None:
    with pytest.raises(ValueError, match="y must not be 0"):
        regret.expected_one_point(16, 0.5, 0.0, 0.0, 0.1, 4)
    with pytest.raises(ValueError, match="tau must let some neurons fire"):
        regret.expected_one_point(16, 0.5, 1e3, 1.0, 0.1, 4)


def test_the_powers_are_those_of_hand_and_of_the_closed_form() -> None:
    table = {
        "PRINTED": ("-1/5", "3/5", "2/5", "0", "-2/5", "2/5", "2/5", "1/10"),
        "R1": ("-3/5", "3/5", "0", "0", "-4/5", "-3/10", "-3/10", "-3/10"),
        "R2": ("-1/5", "1/5", "0", "0", "-3/5", "-1/10", "-1/10", "-1/10"),
        "R3": ("-2/5", "2/5", "0", "0", "-3/5", "-1/10", "-1/10", "-1/10"),
    }
    for name, row in table.items():
        assert list(regret.regret_powers(name).values()) == [Fraction(power) for power in row]


@pytest.mark.parametrize("name", ["R1", "R2", "R3"])
def test_the_vanishing_powers_are_reached_by_the_closed_form(name: str) -> None:
    rules, low, high = scaling.get_scaling(name), 2**400, 2**440
    powers = regret.regret_powers(name)
    found = []
    for m in (low, high):
        share = scaling.activity(rules.tau(m), m)
        found.append(regret.expected_regret(m, 1.0, 0.25, rules, share=share))
    for term in ("coupling", "gap_run", "gap_comparator"):
        slope = math.log(getattr(found[1], term) / getattr(found[0], term)) / math.log(high / low)
        assert slope == pytest.approx(float(powers[term]), abs=0.01), term


def test_a_ledger_wants_one_matrix_more_than_steps() -> None:
    start, x = TwoLayerNetwork.initialize(16, 2, rng=0), np.array([[SIDE, 0.5]])
    numbers: dict[str, Any] = {"eta": 0.1, "comparator": 0.0, "active": 1}
    for weights, points in (([start.W], [x]), ([start.W], []), ([start.W] * 3, [x])):
        with pytest.raises(ValueError, match="one matrix more"):
            run_ledger(start, weights, points, [0.5], "huber", start.W, **numbers)
