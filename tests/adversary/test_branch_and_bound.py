"""Brackets hold the supremum, close to what was asked, and say honestly what they decided."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.adversary import CapRelaxation, extremes_on_circle
from sublinear_lib.adversary.branch_and_bound import branch_and_bound
from sublinear_lib.adversary.mixed_integer import mixed_integer
from tests.adversary.cases import problem


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 60),
    st.integers(0, 10**6),
    st.sampled_from(["jump", "continuous"]),
    st.floats(0.0, 1.9),
    st.sampled_from([1, -1]),
)
def test_on_the_circle_the_bracket_holds_the_exact_supremum(m, seed, activation, rho, side):
    network, X = problem(m, 3, seed, activation)
    (cap,) = extremes_on_circle(network, X, rho)
    exact = cap.sup if side == 1 else -cap.inf
    found = branch_and_bound(network, X[0], rho, side=side, tol=1e-3, max_nodes=2000)
    assert found.lower - 1e-12 <= exact <= found.upper + 1e-12
    assert found.status == "exact"
    assert found.upper - found.lower <= 1e-3


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


@pytest.mark.parametrize(
    ("search", "wanted"), [(branch_and_bound, "3 <= d <= 12"), (mixed_integer, "d >= 3")]
)
def test_dimensions_that_cannot_be_split_are_refused(search, wanted):
    network, X = problem(20, 2, 0)
    with pytest.raises(ValueError, match=wanted):
        search(network, X[0], 0.1)
