"""Certified bounds are never below the worst case, and better ones are never above weaker ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib import geometry, scaling
from sublinear_lib.adversary import CapRelaxation, SmoothedGradient, extremes_on_circle
from sublinear_lib.network import TwoLayerNetwork
from tests.adversary.cases import problem

METHODS = ("interval", "linear", "optimized")


cases = st.tuples(
    st.integers(1, 80),
    st.integers(0, 10**6),
    st.sampled_from(["jump", "continuous"]),
    st.floats(-0.5, 2.5).map(lambda t: max(t, 0.0)),
    st.floats(0.0, 2.0),
    st.sampled_from([1, -1]),
)


@settings(max_examples=100, deadline=None)
@given(cases)
def test_no_bound_is_below_the_exact_supremum_on_the_circle(case):
    m, seed, activation, t, rho, side = case
    network, X = problem(m, 3, seed, activation, t)
    (cap,) = extremes_on_circle(network, X, rho)
    exact = cap.sup if side == 1 else -cap.inf
    relaxation = CapRelaxation(network, X[0], rho, side)
    bounds = [getattr(relaxation, method)().value for method in METHODS]
    assert min(bounds) >= exact - 1e-13, f"{METHODS[int(np.argmin(bounds))]} below by {case}"
    assert bounds[0] >= bounds[1] >= bounds[2]


@settings(max_examples=40, deadline=None)
@given(cases, st.integers(2, 9))
def test_no_bound_is_below_a_value_in_the_cap(case, d):
    m, seed, activation, t, rho, side = case
    network, X = problem(m, d, seed, activation, t)
    points = geometry.sample_caps(np.repeat(X, 300, axis=0), rho, rng=seed)
    points = np.concatenate((points, X))
    best = float((side * network.forward(points)).max())
    relaxation = CapRelaxation(network, X[0], rho, side)
    for method in METHODS:
        bound = getattr(relaxation, method)()
        assert bound.value >= best - 1e-13, f"{method} {case} d={d}"
        assert np.linalg.norm(bound.point - X[0]) <= rho + 1e-9


def test_without_unstable_neurons_the_bound_is_the_value_itself():
    network = TwoLayerNetwork([[0.1, 0.0, 2.0], [0.0, 0.1, -9.0]], [1.0, 5.0], [0.0, 0.0], 0.5)
    x = geometry.sample_slice(1, 3, rng=0)[0]
    relaxation = CapRelaxation(network, x, 0.3)
    assert relaxation.unstable == 0
    (cap,) = extremes_on_circle(network, x[None], 0.3)
    for method in METHODS:
        assert getattr(relaxation, method)().value == pytest.approx(cap.sup, abs=1e-13)


def test_optimized_slopes_close_a_good_part_of_the_gap():
    gains = []
    for seed in range(5):
        network, X = problem(300, 5, seed)
        relaxation = CapRelaxation(network, X[0], 0.2)
        attack = SmoothedGradient(rho=0.2, restarts=4)
        found = attack(network, X, [-1.0], "absolute", rng=0).value[0]
        loose, tight = relaxation.linear().value, relaxation.optimized().value
        assert found <= tight <= loose
        gains.append((loose - tight) / (loose - found))
    assert np.mean(gains) > 0.1


def test_where_all_slopes_are_fixed_the_optimum_is_the_linear_bound():
    # All output weights positive and the form continuous: every line is a chord.
    network, X = problem(200, 4, 3, "continuous")
    positive = TwoLayerNetwork(network.W, np.abs(network.a), network.b, network.tau, "continuous")
    relaxation = CapRelaxation(positive, X[0], 0.2)
    assert relaxation.optimized().value == relaxation.linear().value


def test_a_minimization_ends_when_time_is_up():
    tau = scaling.threshold_from_standard(1.28, 400)
    network = TwoLayerNetwork.initialize(400, 6, rng=0, tau=tau)
    bound = CapRelaxation(network, geometry.sample_slice(1, 6, rng=1)[0], 0.3)
    patient, linear = bound.optimized().value, bound.linear().value
    hurried = bound.optimized(time_limit=1e-9).value
    assert patient < hurried <= linear
    with pytest.raises(ValueError, match="time_limit"):
        bound.optimized(time_limit=0)
