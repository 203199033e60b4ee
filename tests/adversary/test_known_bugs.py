"""Bugs that other libraries of attacks and certificates had: every attack here is free of them.

Each check is also made on an attack that has the bug, so that it is known to find it.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats

from sublinear_lib import geometry, scaling
from sublinear_lib.adversary import (
    AttackResult,
    Bracket,
    ExactOnCircle,
    ProjectedGradient,
    RandomSearch,
    SmoothedGradient,
    bracket,
    supremum_on_sphere,
)
from sublinear_lib.adversary.branch_and_bound import branch_and_bound
from sublinear_lib.adversary.mixed_integer import mixed_integer
from sublinear_lib.adversary.neuron_splitting import split_neurons
from sublinear_lib.losses import AbsoluteLoss
from sublinear_lib.network import TwoLayerNetwork

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


def example(m=600, d=4, n=30, seed=0):
    tau = scaling.threshold_from_standard(1.0, m)
    network = TwoLayerNetwork.initialize(m, d, rng=seed, tau=tau)
    X = geometry.sample_slice(n, d, rng=seed + 1)
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


class Buggy:
    """A gradient attack with one of the bugs."""

    def __init__(self, bug):
        self.bug = bug

    def __call__(self, network, X, y, loss, rng):
        rng = np.random.default_rng(rng)
        clean = network.value(X)
        points, values = X.copy(), clean
        best_points, best = points, AbsoluteLoss().value(y, values)
        for _ in range(4):
            start = geometry.sample_caps(X, RHO, rng)
            if self.bug == "start not used":
                start = X
            elif self.bug == "radius uniform":
                rim = geometry.project_to_caps(2.0 * start - X, X, RHO)
                start = geometry.project_to_slice(X + rng.random((len(X), 1)) * (rim - X))
            values, gradient = network.value_and_input_gradient(start)
            uphill = np.sign(values - y)[:, None] * gradient
            points = geometry.project_to_slice(start + 0.5 * uphill)
            if self.bug != "leaves the ball":
                points = geometry.project_to_caps(points, X, RHO)
            for each, value in ((start, values), (points, network.value(points))):
                found = AbsoluteLoss().value(y, value)
                better = found > best
                if self.bug == "restart per data set":
                    better[:] = found.mean() > best.mean()
                elif self.bug == "last point kept":
                    better[:] = True
                best_points = np.where(better[:, None], each, best_points)
                best = np.where(better, found, best)
        return AttackResult(best_points, best, network.network.forward(best_points), clean)


def first_random_points(attack, network, X, y):
    """Return the first points that an attack looks at after the clean ones."""
    spy = Spy(network)
    attack(spy, X, y, "absolute", 5)
    return next((asked for asked in spy.asked if (asked != X).any()), X)


# -- torchattacks #83: a random start that is computed and never added -----------------------------


def starts_at_random(attack):
    network, X, y = example()
    # A network without a gradient: whatever moves is the random start.
    flat = TwoLayerNetwork(np.zeros_like(network.W), network.a, network.b, network.tau)
    spy = Spy(flat)
    attack(spy, X, y, "absolute", 5)
    return any((np.linalg.norm(asked - X, axis=1) > 1e-6).all() for asked in spy.asked)


@pytest.mark.parametrize("name", STARTING)
def test_a_random_start_is_used_and_not_only_drawn(name):
    assert starts_at_random(STARTING[name])


def test_a_start_that_is_not_used_would_be_found():
    assert starts_at_random(Buggy("nothing"))
    assert not starts_at_random(Buggy("start not used"))


# -- radius ~ U(0, 1): not uniform in the ball -----------------------------------------------------


def uniformity(attack):
    """Return the p-value of the random starts being uniform on their caps (d = 4)."""
    network, _, _ = example()
    X = np.repeat(geometry.sample_slice(1, 4, rng=3), 4000, axis=0)
    start = first_random_points(attack, network, X, np.zeros(4000))
    # The area of a cap of a 2-sphere grows with the square of its chord.
    share = np.sum((start - X) ** 2, axis=1) / RHO**2
    return stats.kstest(share, stats.uniform.cdf).pvalue


@pytest.mark.parametrize("name", STARTING)
def test_random_starts_are_uniform_on_the_cap(name):
    assert uniformity(STARTING[name]) > 1e-5, (
        "the first random points are not uniform on the cap (geometry.sample_caps draws such); "
        "an attack that draws others on purpose is none of STARTING"
    )


def test_a_uniform_radius_would_be_found():
    assert uniformity(Buggy("nothing")) > 1e-5
    assert uniformity(Buggy("radius uniform")) < 1e-30


# -- ART #73: a random start and a step leave the ball together ------------------------------------


def farthest(attack, rho=RHO, d=4):
    network, X, y = example(d=d)
    spy = Spy(network)
    result = attack(spy, X, y, "absolute", 1)
    return max(float(np.linalg.norm(asked - X, axis=1).max()) for asked in [*spy.asked, result.X])


@pytest.mark.parametrize("name", [*STARTING, *(f"many {name}" for name in MANY)])
@pytest.mark.parametrize("d", [3, 4, 9])
def test_no_point_is_asked_about_outside_of_its_cap(name, d):
    attack = MANY[name[5:]] if name.startswith("many ") else STARTING[name]
    assert farthest(attack, d=d) <= RHO + 1e-12


@pytest.mark.parametrize("relative_step", [0.5, 2.0, 50.0])
def test_no_step_is_too_large_to_stay(relative_step):
    for attack in (ProjectedGradient, SmoothedGradient):
        made = attack(rho=RHO, steps=3, relative_step=relative_step, restarts=3)
        assert farthest(made) <= RHO + 1e-12


def test_a_point_outside_would_be_found():
    assert farthest(Buggy("nothing")) <= RHO + 1e-12
    assert farthest(Buggy("leaves the ball")) > RHO + 0.01


# -- ART #714, #765: the best restart chosen for the data set instead of the example ---------------


def missed(attack):
    """Return in how many examples an attack looked at a better point than it returned."""
    network, X, y = example(2000, 6, 40, 5)
    spy = Spy(network)
    result = attack(spy, X, y, "absolute", 9)
    losses = np.array([AbsoluteLoss().value(y, network.forward(each)) for each in spy.asked])
    best = losses.argmax(axis=0)
    assert len(set(best.tolist())) > 1, "the examples must have their best points at other times"
    return int((result.loss < losses.max(axis=0) - 1e-12).sum())


@pytest.mark.parametrize("name", MANY)
def test_the_best_point_is_kept_for_every_example_by_itself(name):
    assert missed(MANY[name]) == 0


def test_a_choice_for_the_whole_data_set_would_be_found():
    assert missed(Buggy("nothing")) == 0
    assert missed(Buggy("restart per data set")) > 5


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
    np.testing.assert_allclose(whole.loss, reverse.loss[::-1], rtol=0, atol=1e-10)


def worse_than_nothing(attack):
    """Return how many examples end below their clean loss."""
    network, X, y = example()
    result = attack(Spy(network), X, y, "absolute", 3)
    clean = AbsoluteLoss().value(y, network.forward(X))
    again = AbsoluteLoss().value(y, network.forward(result.X))
    np.testing.assert_allclose(result.loss, again, rtol=0, atol=1e-12)
    return int((result.loss < clean - 1e-12).sum())


@pytest.mark.parametrize("name", MANY)
def test_no_example_ends_below_its_clean_loss(name):
    assert worse_than_nothing(MANY[name]) == 0


def test_an_attack_that_keeps_its_last_point_would_be_found():
    assert worse_than_nothing(Buggy("nothing")) == 0
    assert worse_than_nothing(Buggy("last point kept")) > 0


# -- an upper bound below the incumbent ------------------------------------------------------------


def test_a_bracket_the_wrong_way_round_cannot_be_made():
    for lower, upper in ((1.0, 0.999), (np.nan, 1.0), (0.0, np.nan)):
        with pytest.raises(ValueError, match="lower must be at most upper"):
            Bracket(lower, upper, np.zeros(3), "exact", "none", 0, 0.0)


@pytest.mark.thorough
@pytest.mark.parametrize("method", [branch_and_bound, split_neurons, mixed_integer])
@pytest.mark.parametrize("activation", ["jump", "continuous"])
def test_on_leaving_early_or_late_the_bounds_are_in_order(method, activation):
    tau = scaling.threshold_from_standard(1.28, 40)
    limit = "rounds" if method is mixed_integer else "max_nodes"
    for seed in range(3):
        network = TwoLayerNetwork.initialize(40, 4, rng=seed, tau=tau, activation=activation)
        x = geometry.sample_slice(1, 4, rng=seed + 1)[0]
        exact = supremum_on_sphere(network, x, RHO)
        assert exact.exact
        for steps in (1, 3, 30):
            # The best start there is: every piece is at or below the incumbent.
            found = method(
                network,
                x,
                RHO,
                start=exact.witness[None],
                tol=0.0,
                time_limit=0.3,
                **{limit: steps},
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


@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize("d", [2, 3, 4, 20])
def test_data_and_attack_with_one_seed_make_no_point_that_is_not_finite(name, d):
    # The random direction is then parallel to the point itself, and its tangent part is nothing.
    X = geometry.sample_slice(6, d, rng=7)
    network = TwoLayerNetwork.initialize(100, d, rng=7, tau=0.02)
    result = MANY[name](network, X, np.ones(6), "absolute", 7)
    assert np.isfinite(result.X).all()
    assert np.isfinite(result.loss).all()
    assert np.abs(np.linalg.norm(result.X, axis=1) - 1.0).max() <= 1e-14


@pytest.mark.parametrize("name", [*MANY, "exact"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_points_that_are_not_finite_are_refused_before_they_are_scored(name, bad):
    attack = ExactOnCircle(rho=RHO) if name == "exact" else MANY[name]
    network, X, y = example(d=3)
    X[4, 1] = bad
    with pytest.raises(ValueError, match="X must contain finite"):
        attack(network, X, y, "absolute", 0)
    with pytest.raises(ValueError, match="x must contain finite"):
        bracket(network, X[4], RHO)
