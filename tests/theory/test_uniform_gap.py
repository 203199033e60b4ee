"""Promises of ``theory.uniform_gap``: the supremum as a network, and a bound for all of X."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from sublinear_lib import geometry
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.theory import gap_parts, uniform_gap, worst_case

ACTIVATIONS = ("jump", "continuous")


@settings(deadline=None, max_examples=40)
@given(
    m=st.integers(1, 60),
    d=st.integers(2, 5),
    seed=st.integers(0, 10**6),
    t=st.sampled_from([0.0, 0.5, 1.5]),
    theta=st.floats(0.0, 3.0),
    side=st.sampled_from(["above", "below"]),
)
def test_the_network_takes_the_supremum_at_every_point(
    m: int, d: int, seed: int, t: float, theta: float, side: worst_case.Side
) -> None:
    s = math.sqrt(2 / m)
    start = TwoLayerNetwork.initialize(m, d, rng=seed, tau=t * s, activation="continuous")
    points = geometry.sample_slice(5, d, seed)
    whole = uniform_gap.worst_gap_network(start, theta * s, side).forward(points)
    bare = uniform_gap.worst_gap_network(start, theta * s, side, centred=True).forward(points)
    for x, value, rest in zip(points, whole, bare, strict=True):
        gap = worst_case.worst_gap_at(start, x, theta * s)
        expected = gap.above if side == "above" else gap.below
        first = gap.initial_output if side == "above" else -gap.initial_output
        assert value == pytest.approx(expected, abs=1e-10)
        assert rest == pytest.approx(expected - first, abs=1e-10)


def test_the_network_has_at_most_three_neurons_for_each() -> None:
    start = TwoLayerNetwork.initialize(100, 3, "R3", rng=0)
    up = int(np.count_nonzero(start.a > 0))
    assert uniform_gap.worst_gap_network(start, 0.1).m == 3 * up + (100 - up)
    assert uniform_gap.worst_gap_network(start, 0.1, "below", centred=True).m == 3 * (100 - up)
    falling = TwoLayerNetwork([[1.0, 0.0]], [-1.0], [0.0], 0.1, "continuous")
    none = uniform_gap.worst_gap_network(falling, 0.1, centred=True)
    assert (none.m, none.forward([[math.sqrt(3) / 2, 0.5]])[0]) == (1, 0.0)


@pytest.mark.parametrize("form", ACTIVATIONS)
@pytest.mark.parametrize("d", [2, 3, 6])
@pytest.mark.parametrize(("m", "t", "theta"), [(2**8, 1.5, 0.4), (2**12, 0.0, 0.2), (64, 1.0, 1.0)])
def test_the_bound_holds_at_many_points_for_many_draws(
    form: str, d: int, m: int, t: float, theta: float
) -> None:
    s, a = math.sqrt(2 / m), m**-0.2
    limit = uniform_gap.certified_gap_bound(m, d, a, theta * s, t * s, form, 1e-4).value
    for seed in range(4):
        start = TwoLayerNetwork.initialize(m, d, rng=seed, tau=t * s, activation=form)
        for x in geometry.sample_slice(30, d, seed):
            gap = worst_case.worst_gap_at(start, x, theta * s)
            first = gap.initial_output
            assert max(gap.above - first, gap.below + first) <= limit


@pytest.mark.parametrize("form", ACTIVATIONS)
def test_the_parts_of_the_bound_are_what_the_proof_says(form: str) -> None:
    m, d, a, t, theta, failure = 4096, 5, 0.3, 1.2, 0.3, 1e-5
    s = math.sqrt(2 / m)
    tau, delta = t * s, theta * s
    found = uniform_gap.certified_gap_bound(m, d, a, delta, tau, form, failure)

    def height(z: float) -> float:
        if form == "continuous":
            return max(delta - abs(z - tau), 0.0)
        return (tau + delta) * min(1.0, max(2.0 - abs(z - tau) / delta, 0.0))

    points = [tau + k * delta for k in (-2, -1, 0, 1, 2)]
    first, second = (
        integrate.quad(
            lambda z: height(z) ** k * stats.norm.pdf(z, scale=s),  # noqa: B023
            points[0],
            points[-1],
            points=points,
            epsabs=0,
            epsrel=1e-12,
        )[0]
        for k in (1, 2)
    )
    assert found.mean == pytest.approx(a * m * first, rel=1e-9)
    assert found.variance == pytest.approx(a**2 * m * (second - first**2), rel=1e-9)
    assert found.largest == pytest.approx(a * height(tau), rel=1e-12)
    assert found.log_net == pytest.approx(4 * math.log(1 + math.sqrt(3) / found.spacing))
    rate = found.deviation**2 / 2 / (found.variance + found.largest * found.deviation / 3)
    assert rate == pytest.approx(found.log_net + math.log(2 / failure), rel=1e-12)
    k, need = m * (d - 1), math.log(2 / failure)
    length = math.sqrt(k + 2 * math.sqrt(k * need) + 2 * need)
    # Laurent and Massart's bound is not below the quantile it stands for, and close to it.
    assert 1.0 <= length**2 / stats.chi2.isf(failure / 2, k) < 1.01
    slope = 1.0 if form == "continuous" else (tau + delta) / delta
    assert found.mesh == pytest.approx(a * slope * length * found.spacing, rel=1e-12)
    assert found.value == found.mean + found.deviation + found.mesh
    assert found.failure == failure


def test_the_jump_bound_is_above_the_indicator_of_the_window() -> None:
    # The exact largest change of a jump neuron, tau + delta on the window, under the ramp.
    tau, delta = 0.7, 0.2
    z = np.linspace(0.3, 1.1, 4001)
    rise, fall = worst_case.gap_terms(z, delta, tau)
    ramp = (tau + delta) * np.clip(2 - np.abs(z - tau) / delta, 0, 1)
    assert (np.maximum(rise, fall) <= ramp + 1e-12).all()


def test_the_spacing_is_the_best_of_its_neighbours() -> None:
    m, d, a, delta, tau = 2**14, 3, 0.2, 0.003, 0.02
    found = uniform_gap.certified_gap_bound(m, d, a, delta, tau)
    slope = found.mesh / found.spacing
    for factor in (0.5, 2.0):
        spacing = factor * found.spacing
        need = (d - 1) * math.log1p(math.sqrt(3) / spacing) + math.log(2 / 1e-3)
        third = found.largest * need / 3
        other = third + math.sqrt(third**2 + 2 * found.variance * need) + slope * spacing
        assert found.deviation + found.mesh <= other


def test_a_smaller_risk_costs_more() -> None:
    values = [
        uniform_gap.certified_gap_bound(2**12, 3, 0.2, 0.005, 0.02, "jump", risk).value
        for risk in (0.1, 1e-3, 1e-9, 1e-100)
    ]
    assert values == sorted(values)
    assert values[-1] > values[0]


@pytest.mark.parametrize("d", [2, 3, 6])
@pytest.mark.parametrize(("m", "t"), [(2**8, 1.5), (2**12, 0.0)])
def test_the_bound_on_b_holds_at_many_points_and_solves_its_equation(
    d: int, m: int, t: float
) -> None:
    s, a = math.sqrt(2 / m), m**-0.2
    found = uniform_gap.certified_initial_bound(m, d, a, t * s, 1e-4)
    tail = gap_parts.log_initial_output_tail(found.deviation, m, a, t * s, "continuous")
    assert tail + found.log_net == pytest.approx(math.log(1e-4 / 2), rel=1e-6)
    assert tail + found.log_net <= math.log(1e-4 / 2) + 1e-9
    assert math.sqrt(found.variance) == pytest.approx(
        gap_parts.initial_output_std(m, a, t * s, "continuous"), rel=1e-9
    )
    for seed in range(4):
        start = TwoLayerNetwork.initialize(m, d, rng=seed, tau=t * s, activation="continuous")
        values = start.forward(geometry.sample_slice(50, d, seed))
        assert np.abs(values).max() <= found.value


def test_the_stated_size_is_the_product_of_its_factors() -> None:
    m, a, delta, tau = 400, 0.3, 0.02, 0.05
    base = a * m**1.5 * stats.norm.pdf(tau * math.sqrt(m / 2)) * delta
    assert uniform_gap.thin_window_size(m, a, delta, tau) == pytest.approx(base * delta)
    assert uniform_gap.thin_window_size(m, a, delta, tau, "jump") == pytest.approx(
        base * (delta + tau)
    )


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: uniform_gap.certified_gap_bound(0, 3, 1.0, 1.0, 1.0), "m"),
        (lambda: uniform_gap.certified_gap_bound(9, 1, 1.0, 1.0, 1.0), "d"),
        (lambda: uniform_gap.certified_gap_bound(9, 3, -1.0, 1.0, 1.0), "a"),
        (lambda: uniform_gap.certified_gap_bound(9, 3, 1.0, 0.0, 1.0), "delta"),
        (lambda: uniform_gap.certified_gap_bound(9, 3, 1.0, 1.0, -1.0), "tau"),
        (lambda: uniform_gap.certified_gap_bound(9, 3, 1.0, 1.0, 1.0, "jump", 1.0), "failure"),
        (lambda: uniform_gap.certified_initial_bound(9, 3, 0.0, 1.0), "a"),
        (lambda: uniform_gap.certified_initial_bound(9, 3, 1.0, 1.0, 0.0), "failure"),
        (lambda: uniform_gap.thin_window_size(9, 1.0, -1.0, 1.0), "delta"),
        (
            lambda: uniform_gap.worst_gap_network(TwoLayerNetwork.initialize(4, 2, rng=0), 0.1),
            "network",
        ),
        (
            lambda: uniform_gap.worst_gap_network(
                TwoLayerNetwork.initialize(4, 2, "R3", rng=0),
                0.1,
                "left",  # type: ignore[arg-type]
            ),
            "side",
        ),
    ],
)
def test_bad_values_are_named(call: Callable[[], object], word: str) -> None:
    with pytest.raises(ValueError, match=rf"^{word} must"):
        call()
