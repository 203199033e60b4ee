"""The arrangement on the sphere bounds every value of the network, and its supremum is reached."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sublinear_lib import geometry
from sublinear_lib.adversary import (
    ExactOnSphere,
    SmoothedGradient,
    supremum_on_sphere,
)
from sublinear_lib.adversary.branch_and_bound import branch_and_bound
from sublinear_lib.losses import get_loss
from sublinear_lib.network import TwoLayerNetwork
from tests.adversary.cases import network_of, problem

SPECIAL = ["lattice", "paired", "opposite", "concurrent", "grazing", "flat"]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 60),
    st.integers(0, 10**6),
    st.sampled_from(["jump", "continuous"]),
    st.sampled_from([0.0, 1e-6, 0.02, 0.3, 1.0, 1.6, 1.73, 1.8]),
    st.sampled_from([1, -1]),
)
def test_in_general_position_the_bracket_is_closed_and_holds(m, seed, activation, rho, side):
    network, X = problem(m, 4, seed, activation)
    found = supremum_on_sphere(network, X[0], rho, side=side)
    assert found.exact
    assert found.nodes == 0
    assert found.upper - found.lower <= 1e-7
    assert found.lower == side * network.forward(found.witness[None])[0]
    assert np.linalg.norm(found.witness - X[0]) <= rho + 1e-12
    points = geometry.sample_caps(np.repeat(X, 2000, axis=0), rho, rng=seed)
    assert (side * network.forward(points)).max() <= found.upper + 1e-14


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(SPECIAL),
    st.integers(1, 8),
    st.integers(0, 10**6),
    st.sampled_from(["jump", "continuous"]),
    st.sampled_from([0.0, 0.3, 1.3, 1.8]),
)
def test_circles_in_special_position_still_give_a_valid_bracket(kind, m, seed, activation, rho):
    network = network_of(kind, m, 4, seed, activation)
    X = geometry.embed(np.array([[0.6, 0.0, 0.8]]))
    found = supremum_on_sphere(network, X[0], rho, tol=0.05, time_limit=0.05)
    points = geometry.sample_caps(np.repeat(X, 1000, axis=0), rho, rng=seed)
    corners = geometry.project_to_caps(X + 0.3 * np.eye(4)[:3], np.repeat(X, 3, axis=0), rho)
    values = network.forward(np.concatenate((X, points, corners)))
    assert found.lower <= found.upper
    assert values.max() <= found.upper + 1e-12, (kind, values.max() - found.upper)
    assert found.lower == network.forward(found.witness[None])[0]
    if found.exact:
        assert found.upper - found.lower <= 1e-6
    else:
        assert found.attained is None
        assert found.nodes > 0


@pytest.mark.thorough
@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 20),
    st.integers(0, 10**6),
    st.sampled_from(["jump", "continuous"]),
    st.sampled_from([0.3, 0.8, 1.5, 1.8]),
)
@example(6, 268, "jump", 1.5)  # a narrow cell
def test_a_search_finds_nothing_above_and_proves_nothing_below(m, seed, activation, rho):
    network = network_of("normal", m, 4, seed, activation)
    x = geometry.sample_slice(1, 4, rng=seed + 1)[0]
    found = supremum_on_sphere(network, x, rho)
    searched = branch_and_bound(network, x, rho, tol=1e-3, max_nodes=2000)
    assert searched.lower <= found.upper + 1e-12
    assert found.lower <= searched.upper + 1e-12


@pytest.mark.parametrize("kind", ["opposite", "concurrent", "grazing", "flat"])
def test_special_position_is_noticed(kind):
    network = network_of(kind, 6, 4, 3)
    x = geometry.embed(np.array([[0.6, 0.0, 0.8]]))[0]
    assert not supremum_on_sphere(network, x, 1.8, time_limit=0.02).exact


def test_equal_neurons_are_one_circle_and_may_cancel():
    network = network_of("paired", 20, 4, 3)
    x = geometry.sample_slice(1, 4, rng=0)[0]
    found = supremum_on_sphere(network, x, 1.8)
    assert found.exact
    assert found.circles <= 10
    a = np.repeat((1.0, -1.0), 10)
    cancelled = TwoLayerNetwork(network.W, a, network.b, network.tau)
    nothing = supremum_on_sphere(cancelled, x, 1.8)
    assert nothing.circles == 0
    assert nothing.lower == pytest.approx(0.0, abs=1e-12)
    assert nothing.upper == pytest.approx(0.0, abs=1e-11)


def test_a_dome_is_attained_and_the_inside_of_an_edge_is_not():
    # One neuron around the middle, f = z on its disc: the supremum is its crest.
    x = geometry.embed(np.array([[1.0, 0.0, 0.0]]))[0]
    dome = TwoLayerNetwork([[1.0, 0.0, 0.0, 0.0]], [1.0], [0.0], 0.5)
    found = supremum_on_sphere(dome, x, 1.0)
    assert found.attained
    assert found.upper == pytest.approx(geometry.SLICE_RADIUS, abs=1e-12)
    W = [[-1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
    bowl = TwoLayerNetwork(W, [1.0, 0.5], [2.0, 0.0], 0.5)
    # In the disc z > 1/2 it is f = 2 - z + z / 2, at its edge almost 1.75; beyond, f = 2 - z grows
    # with the distance from x, but from 1.5 only to 1.71 at the rim: less than the jump.
    edge = supremum_on_sphere(bowl, x, 1.0)
    assert 2.0 - geometry.SLICE_RADIUS * np.cos(geometry.cap_angle(1.0)) < 1.75
    assert edge.exact
    assert edge.attained is False
    assert edge.upper == pytest.approx(1.75, abs=1e-12)
    assert edge.lower == pytest.approx(1.75, abs=1e-8)
    assert edge.lower < edge.upper
    # The other way round the silent side is better, and the edge belongs to it.
    hole = TwoLayerNetwork([[1.0, 0.0, 0.0, 0.0]], [-1.0], [0.0], 0.5)
    outside = supremum_on_sphere(hole, x, 1.0)
    assert outside.attained
    assert outside.upper == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("loss", ["absolute", "huber"])
def test_the_exact_adversary_reaches_the_worst_loss_of_every_example(loss):
    network, _ = problem(300, 4, 2)
    X, y = geometry.sample_slice(6, 4, rng=3), np.array([1.0, -1.0, 0.3] * 2)
    result = ExactOnSphere(rho=0.2)(network, X, y, loss, rng=0)
    function = get_loss(loss)
    for i in range(6):
        ends = [supremum_on_sphere(network, X[i], 0.2, side=side).upper for side in (1, -1)]
        bound = function.value(np.full(2, y[i]), np.array([ends[0], -ends[1]])).max()
        assert bound - 1e-7 <= result.loss[i] <= bound + 1e-12
    tried = SmoothedGradient(rho=0.2, steps=20, restarts=2)(network, X, y, loss, rng=0)
    assert (result.loss >= tried.loss - 1e-7).all()
    assert (result.loss >= function.value(y, result.clean_value)).all()
    assert (np.linalg.norm(result.X - X, axis=1) <= 0.2 + 1e-12).all()
    np.testing.assert_allclose(network.forward(result.X), result.value, rtol=0, atol=1e-13)


def test_running_out_of_time_gives_a_looser_bracket():
    network, X = problem(20_000, 4, 1)
    late = supremum_on_sphere(network, X[0], 0.3, time_limit=1e-3)
    assert not late.exact
    assert late.lower <= late.upper
    points = geometry.sample_caps(np.repeat(X, 300, axis=0), 0.3, rng=3)
    assert network.forward(points).max() <= late.upper


def test_other_dimensions_are_refused():
    network, X = problem(10, 5, 0)
    with pytest.raises(ValueError, match="network must have d = 4"):
        supremum_on_sphere(network, X[0], 0.1)
    with pytest.raises(ValueError, match="network must have d = 4"):
        ExactOnSphere(rho=0.1)(network, X, [1.0], "absolute", rng=0)
