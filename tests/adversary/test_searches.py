"""Certified bounds, and what searches make of them: brackets that hold the worst case."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from sublinear_lib import geometry, scaling
from sublinear_lib.adversary import (
    CapRelaxation,
    SmoothedGradient,
    extremes_on_circle,
)
from sublinear_lib.adversary.branch_and_bound import branch_and_bound
from sublinear_lib.adversary.mixed_integer import mixed_integer
from sublinear_lib.adversary.neuron_splitting import split_neurons
from sublinear_lib.network import TwoLayerNetwork
from tests.adversary.cases import exact, problem

THOROUGH = pytest.mark.thorough


@pytest.mark.parametrize(
    ("search", "limits"),
    [
        (branch_and_bound, {"tol": 1e-3, "max_nodes": 2000}),
        pytest.param(split_neurons, {"max_nodes": 40, "time_limit": 5}, marks=THOROUGH),
        pytest.param(mixed_integer, {"time_limit": 0.3}, marks=THOROUGH),
    ],
)
@settings(max_examples=40, deadline=None)
@given(
    m=st.integers(1, 40),
    seed=st.integers(0, 10**6),
    d=st.sampled_from([3, 4]),
    activation=st.sampled_from(["jump", "continuous"]),
    t=st.sampled_from([0.0, 1.28, 2.0]),
    rho=st.sampled_from([0.0, 1e-7, 1e-4, 0.05, 0.3, 1.0, 1.5, 1.8]),
    side=st.sampled_from([1, -1]),
)
def test_the_bracket_holds_the_exact_supremum(search, limits, m, seed, d, activation, t, rho, side):
    network, X = problem(m, d, seed, activation, t)
    low, high = exact(network, X, rho, side)
    found = search(network, X[0], rho, side=side, **limits)
    assert found.upper >= low - 1e-13, f"below by {low - found.upper}"
    assert found.lower <= high + 1e-13
    assert found.lower == side * network.forward(found.witness[None])[0]
    assert np.linalg.norm(found.witness - X[0]) <= rho + 1e-9
    assert found.upper <= CapRelaxation(network, X[0], rho, side).linear().value + 1e-13
    if search is branch_and_bound and d == 3:
        assert found.status == "exact"
        assert found.upper - found.lower <= 1e-3


@pytest.mark.parametrize(
    ("search", "m", "d", "limit"),
    [
        (branch_and_bound, 300, 4, {"max_nodes": 1}),
        pytest.param(split_neurons, 60, 8, {"max_nodes": 1}, marks=THOROUGH),
        pytest.param(mixed_integer, 60, 6, {"time_limit": 1e-9}, marks=THOROUGH),
    ],
)
def test_a_threshold_is_decided_or_left_open(search, m, d, limit):
    network, X = problem(m, d, 1)
    whole = search(network, X[0], 0.2, tol=1e-3)
    above = search(network, X[0], 0.2, threshold=whole.upper + 0.05)
    below = search(network, X[0], 0.2, threshold=whole.lower - 0.05)
    stopped = search(network, X[0], 0.2, threshold=whole.upper - 1e-9, **limit)
    assert above.status == "certified"
    assert above.nodes <= whole.nodes
    assert below.status == "falsified"
    assert stopped.status == "unknown"
    assert stopped.nodes <= 1
    assert stopped.lower <= whole.upper <= stopped.upper + 1e-12


@pytest.mark.parametrize("search", [branch_and_bound, split_neurons, mixed_integer])
def test_a_cap_of_radius_zero_is_a_point(search):
    network, X = problem(200, 5, 3)
    found = search(network, X[0], 0.0, tol=1e-9)
    assert found.status == "exact"
    assert found.lower == network.forward(X)[0]
    assert found.upper == pytest.approx(found.lower, abs=1e-9)


def test_limits_are_kept_and_the_bracket_stays_valid():
    network, X = problem(3000, 5, 2)
    few = branch_and_bound(network, X[0], 0.3, tol=0.0, max_nodes=50)
    assert few.nodes <= 51
    assert few.status == "unknown"
    more = branch_and_bound(network, X[0], 0.3, tol=0.0, max_nodes=200)
    assert few.lower <= more.lower <= more.upper <= few.upper
    short = branch_and_bound(network, X[0], 0.3, tol=0.0, time_limit=0.2)
    assert short.lower <= short.upper


def test_where_every_neuron_is_certain_the_bound_still_pays_for_rounding():
    network, X = problem(200, 5, 3)
    found = branch_and_bound(network, X[0], 1e-6)
    relaxed = CapRelaxation(network, X[0], 1e-6)
    assert relaxed.unstable == 0
    assert found.upper == max(found.lower, relaxed.linear().value) > found.lower


@THOROUGH
@pytest.mark.parametrize("activation", ["jump", "continuous"])
def test_on_the_sphere_the_bound_is_mostly_far_better_than_that_of_lines(activation):
    # Not always: where f is largest inside the hull of the cap, binaries do not help.
    shares = []
    for seed in range(6):
        network, X = problem(120, 4, seed, activation)
        for side in (1, -1):
            low, _ = exact(network, X, 0.2, side)
            lines = CapRelaxation(network, X[0], 0.2, side).optimized().value
            found = mixed_integer(network, X[0], 0.2, side=side, tol=1e-6, time_limit=2.0)
            shares.append((found.upper - low + 1e-6) / (lines - low + 1e-6))
    assert np.median(shares) < 0.2, shares


@THOROUGH
def test_whatever_the_time_the_bound_is_valid():
    network, X = problem(150, 9, 2)
    attack = SmoothedGradient(rho=0.3, steps=20, restarts=2)
    reached = attack(network, X, [-1.0], "absolute", rng=0)
    bounds = []
    for seconds in (1e-9, 0.02, 0.3):
        found = mixed_integer(network, X[0], 0.3, start=reached.X, tol=0, time_limit=seconds)
        assert reached.value[0] - 1e-13 <= found.lower <= found.upper
        bounds.append(found.upper)
    lines = CapRelaxation(network, X[0], 0.3).optimized().value
    assert bounds[0] == pytest.approx(lines, abs=1e-13)
    assert max(bounds[1:]) <= lines + 1e-13


@THOROUGH
def test_a_result_of_the_solver_counts_only_by_its_dual_bound(monkeypatch):
    # A solver that claims to be done with a poor solution, and one that fails, change nothing.
    network, X = problem(60, 5, 1)
    reference = mixed_integer(network, X[0], 0.2, tol=1e-6)
    real = optimize.milp

    def pessimist(*arguments, **options):
        run = real(*arguments, **options)
        run.x, run.fun = None, 0.0
        return run

    monkeypatch.setattr(optimize, "milp", pessimist)
    found = mixed_integer(network, X[0], 0.2, tol=1e-6)
    assert reference.lower <= found.upper

    def failing(*arguments, **options):
        run = real(*arguments, **options)
        run.x, run.status, run.mip_dual_bound = None, 4, np.inf
        return run

    monkeypatch.setattr(optimize, "milp", failing)
    found = mixed_integer(network, X[0], 0.2, tol=1e-6)
    assert found.upper == CapRelaxation(network, X[0], 0.2).optimized().value


@THOROUGH
@pytest.mark.parametrize("activation", ["jump", "continuous"])
def test_in_many_dimensions_a_small_problem_is_closed(activation):
    network, X = problem(60, 20, 3, activation)
    attack = SmoothedGradient(rho=0.05, steps=20, restarts=2)
    reached = attack(network, X, [-1.0], "absolute", rng=0)
    found = split_neurons(network, X[0], 0.05, start=reached.X, tol=1e-3, time_limit=30)
    assert found.status == "exact"
    assert found.upper - found.lower <= 1e-3
    assert found.lower >= reached.value[0] - 1e-13
    points = geometry.sample_caps(np.repeat(X, 5000, axis=0), 0.05, rng=3)
    assert network.forward(points).max() <= found.upper


@THOROUGH
def test_more_pieces_never_make_the_bracket_wider():
    network, X = problem(200, 10, 1)
    root = CapRelaxation(network, X[0], 0.2).optimized(60).value
    widths = []
    for nodes in (1, 20, 80):
        found = split_neurons(network, X[0], 0.2, tol=0.0, max_nodes=nodes, time_limit=60)
        assert found.nodes <= nodes + 1
        assert found.upper <= root + 1e-13
        widths.append(found.upper - found.lower)
    assert widths[0] > widths[1] > widths[2] > 0.0


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
