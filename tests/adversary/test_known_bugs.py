"""Bugs that other libraries of attacks and certificates had: every attack here is free of them."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from sublinear_lib import geometry
from sublinear_lib.adversary import (
    Bracket,
    ProjectedGradient,
    RandomSearch,
    SmoothedGradient,
    supremum_on_sphere,
)
from sublinear_lib.adversary.branch_and_bound import branch_and_bound
from sublinear_lib.adversary.mixed_integer import mixed_integer
from sublinear_lib.adversary.neuron_splitting import split_neurons
from sublinear_lib.adversary.sphere import SphereSupremum
from sublinear_lib.losses import get_loss
from tests.adversary.cases import problem

RHO = 0.4
# Every attack that begins at a uniformly random point of the cap, with few steps so that single
# iterates can be told apart.
STARTING = {
    "projected gradient": ProjectedGradient(rho=RHO, steps=3, random_start=True),
    "smoothed gradient": SmoothedGradient(rho=RHO, steps=3, restarts=1, random_start=True),
    "random search": RandomSearch(rho=RHO, samples=1),
}
MANY = {
    "projected gradient": ProjectedGradient(rho=RHO, steps=4, restarts=4),
    "smoothed gradient": SmoothedGradient(rho=RHO, steps=4, restarts=4),
    "random search": RandomSearch(rho=RHO, samples=20),
}
# Steps beyond the antipode.
LONG = [
    ProjectedGradient(rho=RHO, steps=3, relative_step=50.0, restarts=3, decay=False),
    SmoothedGradient(rho=RHO, steps=3, relative_step=50.0, restarts=3),
]


def example(m=600, d=4, n=30, seed=0, activation="jump"):
    network, X = problem(m, d, seed, activation, 1.0, n)
    return network, X, np.random.default_rng(seed + 2).uniform(-1.0, 1.0, n)


class Spy:
    """An evaluator that remembers every point at which it was asked for a value."""

    def __init__(self, network, weight_scale=0.05):
        self.network = network
        self.weight_scale = weight_scale
        self.asked = []

    def value(self, X):
        self.asked.append(X.copy())
        return self.network.forward(X)

    def value_and_input_gradient(self, X):
        return self.value(X), self.network.input_gradient(X)

    def smoothed_input_gradient(self, X, bandwidth):
        evaluator = self.network.evaluator(len(X))
        return evaluator.smoothed_input_gradient(X, bandwidth)


# -- torchattacks #83: a random start that is computed and never added -----------------------------


@pytest.mark.parametrize("name", STARTING)
def test_a_random_start_is_used_and_not_only_drawn(name):
    network, X, y = example()
    # A network without a gradient: whatever moves is the random start.
    spy = Spy(network.with_weights(np.zeros_like(network.W)))
    STARTING[name](spy, X, y, "absolute", 5)
    assert any((np.linalg.norm(asked - X, axis=1) > 1e-6).all() for asked in spy.asked)


# -- radius ~ U(0, 1): not uniform in the ball -----------------------------------------------------


@pytest.mark.parametrize("name", STARTING)
def test_random_starts_are_uniform_on_the_cap(name):
    spy = Spy(example()[0])
    X = np.repeat(geometry.sample_slice(1, 4, rng=3), 4000, axis=0)
    STARTING[name](spy, X, np.zeros(4000), "absolute", 5)
    start = next((asked for asked in spy.asked if (asked != X).any()), X)
    # The area of a cap of a 2-sphere grows with the square of its chord.
    share = np.sum((start - X) ** 2, axis=1) / RHO**2
    assert stats.kstest(share, stats.uniform.cdf).pvalue > 1e-5, (
        "the first random points are not uniform on the cap (geometry.sample_caps draws such); "
        "an attack that draws others on purpose is none of STARTING"
    )


# -- ART #73: a random start and a step leave the ball together ------------------------------------
# -- ART #714, #765: the best restart chosen for the data set instead of the example ---------------


@settings(deadline=None, max_examples=120)
@given(
    st.sampled_from([*MANY.values(), *STARTING.values(), *LONG]),
    st.sampled_from([0.0, 1e-6, 0.1, 0.7, 3**0.5, 5.0]),
    st.sampled_from([2, 3, 4, 9, 20]),
    st.sampled_from(["jump", "continuous"]),
    st.integers(0, 100),
)
def test_no_point_leaves_its_cap_and_every_example_keeps_its_own_best(
    attack, rho, d, activation, seed
):
    network, X, y = example(100, d, 8, seed, activation)
    spy = Spy(network)
    # With the seed of the points the random direction is parallel to the point itself.
    result = replace(attack, rho=rho)(spy, X, y, "huber", seed + 1)
    for points in (*spy.asked, result.X):
        assert (np.linalg.norm(points - X, axis=1) <= rho + 1e-12).all()
        assert_allclose(np.linalg.norm(points, axis=1), 1.0, rtol=0, atol=1e-12)
    assert_allclose(np.linalg.norm(result.X, axis=1), 1.0, rtol=0, atol=1e-15)
    assert (result.X[:, -1] == 0.5).all()
    assert_allclose(result.value, network.forward(result.X), atol=1e-12)
    assert_allclose(result.clean_value, network.forward(X), atol=1e-12)
    loss = get_loss("huber")
    assert_array_equal(result.loss, loss.value(y, result.value))
    assert (result.loss >= loss.value(y, result.clean_value)).all()
    best = np.max([loss.value(y, network.forward(points)) for points in spy.asked], axis=0)
    assert_allclose(result.loss, best, rtol=0, atol=1e-12)


# Without random starts, that is: those are drawn for the batch as it stands.
ALONE = {
    "projected gradient": ProjectedGradient(rho=RHO, steps=4),
    "smoothed gradient": SmoothedGradient(rho=RHO, steps=4, restarts=1),
}


@pytest.mark.parametrize("name", ALONE)
def test_examples_do_not_change_each_other(name):
    network, X, y = example(2000, 6, 12, 5)
    whole = ALONE[name](network, X, y, "absolute", 9)
    reverse = ALONE[name](network, X[::-1], y[::-1], "absolute", 9)
    assert_allclose(whole.loss, reverse.loss[::-1], rtol=0, atol=1e-10)


# -- an upper bound below the incumbent ------------------------------------------------------------


def test_a_bracket_the_wrong_way_round_cannot_be_made():
    for lower, upper in ((1.0, 0.999), (np.nan, 1.0), (0.0, np.nan)):
        with pytest.raises(ValueError, match="lower must be at most upper"):
            Bracket(lower, upper, np.zeros(3), "exact", "none", 0, 0.0)
    with pytest.raises(ValueError, match="lower must be at most upper"):
        SphereSupremum(1.0, 0.0, np.zeros(4), True, True, 0, 0, 0)


@pytest.mark.thorough
@pytest.mark.parametrize("method", [branch_and_bound, split_neurons, mixed_integer])
@pytest.mark.parametrize("activation", ["jump", "continuous"])
def test_on_leaving_early_or_late_the_bounds_are_in_order(method, activation):
    for seed in range(3):
        network, (x,) = problem(40, 4, seed, activation)
        exact = supremum_on_sphere(network, x, RHO)
        assert exact.exact
        limits = ({"max_nodes": steps} for steps in (1, 3, 30))
        for limit in [{}] if method is mixed_integer else limits:
            # The best start there is: every piece is at or below the incumbent.
            found = method(
                network,
                x,
                RHO,
                start=exact.witness[None],
                tol=0.0,
                time_limit=0.3,
                **limit,
            )
            assert exact.lower <= found.lower <= found.upper
            assert found.upper >= exact.lower


# -- a NaN that counts as a successful attack ------------------------------------------------------


@pytest.mark.parametrize("name", [*STARTING, *(f"many {name}" for name in MANY)])
def test_an_output_that_is_not_a_number_is_an_error(name):
    class Broken(Spy):
        def value(self, X):
            value = super().value(X)
            return np.where((np.arange(len(X)) == 2) & (clean != X).any(axis=1), np.nan, value)

    attack = MANY[name[5:]] if name.startswith("many ") else STARTING[name]
    network, clean, y = example()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(FloatingPointError, match="got nan for example 2"):
            attack(Broken(network), clean, y, "absolute", 0)
