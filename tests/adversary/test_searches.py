"""What branch and bound, the integer program and neuron splitting promise alike."""

from __future__ import annotations

from inspect import signature

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.adversary import CapRelaxation
from sublinear_lib.adversary.branch_and_bound import branch_and_bound
from sublinear_lib.adversary.mixed_integer import mixed_integer
from sublinear_lib.adversary.neuron_splitting import split_neurons
from tests.adversary.cases import exact, problem


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("search", "limits"),
    [
        (branch_and_bound, {"max_nodes": 200}),
        (split_neurons, {"max_nodes": 40, "time_limit": 5}),
        (mixed_integer, {"rounds": 2, "time_limit": 0.3}),
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


@pytest.mark.parametrize(
    ("search", "m", "d", "limit"),
    [
        (branch_and_bound, 300, 4, {"max_nodes": 1}),
        pytest.param(split_neurons, 60, 8, {"max_nodes": 1}, marks=pytest.mark.thorough),
        pytest.param(mixed_integer, 60, 6, {"time_limit": 1e-9}, marks=pytest.mark.thorough),
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tol": -1.0}, "tol must be"),
        ({"rounds": 0}, "rounds must be"),
        ({"iterations": 0}, "iterations must be"),
        ({"threshold": np.nan}, "threshold"),
        ({"start": [[0.0, 3**0.5 / 2, 0.0, 0.5]]}, "start must lie in the cap"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    network, _ = problem(20, 4, 0)
    x = np.array([3**0.5 / 2, 0.0, 0.0, 0.5])
    searches = (branch_and_bound, mixed_integer, split_neurons)
    for search in (
        each for each in searches if arguments.keys() <= signature(each).parameters.keys()
    ):
        with pytest.raises(ValueError, match=message):
            search(network, x, 0.1, **arguments)
