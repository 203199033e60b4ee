"""Attacks check what they are given, keep the best of what they saw, and say what they look at."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sublinear_lib import geometry
from sublinear_lib.adversary import (
    IdentityAdversary,
    ProjectedGradient,
    RandomSearch,
    SmoothedGradient,
    margin_of,
)
from sublinear_lib.adversary.protocol import prepare
from sublinear_lib.losses import AbsoluteLoss, get_loss
from sublinear_lib.network import TwoLayerNetwork
from tests.adversary.cases import problem


def example(m=500, d=5, n=12, seed=0, *, activation="jump", t=1.0):
    network, X = problem(m, d, seed, activation, t, n)
    return network, X, np.random.default_rng(seed + 2).uniform(-1.0, 1.0, n)


# -- identity --------------------------------------------------------------------------------------


def test_the_identity_returns_the_clean_points():
    network, X, y = example()
    adversary = IdentityAdversary()
    result = adversary(network, X, y, "huber", 0)
    assert adversary.rho == 0.0
    assert_array_equal(result.X, X)
    assert_array_equal(result.value, network.forward(X))
    assert result.X is not X


def test_without_random_starts_the_seed_does_not_matter_and_no_randomness_is_used():
    network, X, y = example()
    attack = ProjectedGradient(rho=0.2)
    generator = np.random.default_rng(5)
    before = generator.bit_generator.state
    first = attack(network, X, y, "huber", generator)
    assert generator.bit_generator.state == before
    assert_array_equal(first.X, attack(network, X, y, "huber", 6).X)


def test_other_seeds_give_other_attacks():
    network, X, y = example(1000, 6, 30)
    attack = ProjectedGradient(rho=0.3, restarts=3)
    first, again, other = (attack(network, X, y, "huber", seed).X for seed in (1, 1, 2))
    assert_array_equal(first, again)
    assert (first != other).any()


# -- projected gradient: it climbs -----------------------------------------------------------------


@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_the_attack_finds_the_exact_maximum_of_a_linear_network(label):
    rng = np.random.default_rng(0)
    w = rng.standard_normal((1, 6))
    # tau = 0 and a large bias: the one neuron is active everywhere, f is affine on X.
    network = TwoLayerNetwork(w, [1.0], [50.0], 0.0)
    X = geometry.sample_slice(20, 6, rng=1)
    y = np.full(20, label)
    high = geometry.cap_supports(np.repeat(w, 20, axis=0), X, 0.3)[0]
    attack = ProjectedGradient(rho=0.3, steps=200)
    result = attack(network, X, y, "absolute", 0)
    # f > y everywhere, so the loss grows with f for either label.
    assert_allclose(result.value, 50.0 + high, atol=1e-6)
    negative = TwoLayerNetwork(w, [-1.0], [50.0], 0.0)
    result = attack(negative, X, y, "absolute", 0)
    assert_allclose(result.value, -50.0 - high, atol=1e-6)  # f < y: now it grows with -f


def test_where_the_loss_is_flat_the_attack_walks_against_the_label():
    w = np.array([[1.0, 0.0, 0.0]])
    network = TwoLayerNetwork(w, [1.0], [0.0], 0.0)
    x = geometry.embed(np.array([[1.0, 0.0]]))
    x_tilted = geometry.embed(np.array([[np.cos(0.3), np.sin(0.3)]]))
    loss = AbsoluteLoss()
    y = network.forward(x_tilted)  # the loss is 0 and its derivative too
    assert loss.derivative(y, y)[0] == 0.0
    result = ProjectedGradient(rho=0.1)(network, x_tilted, y, loss, 0)
    assert result.value[0] < y[0] - 0.01
    assert result.loss[0] > 0.01
    assert network.forward(x)[0] > y[0], "the other direction was there to walk to"


def test_on_a_zero_gradient_the_attack_stays_and_says_so_by_its_result():
    network = TwoLayerNetwork([[0.0, 1.0, 0.0]], [1.0], [0.0], 0.2)
    x = geometry.embed(np.array([[1.0, 0.0]]))
    result = ProjectedGradient(rho=0.1)(network, x, [1.0], "huber", 0)
    assert_array_equal(result.X, x)


def test_in_two_dimensions_a_small_cap_is_a_single_point():
    network, X, y = example(50, 2, 6, 1)
    result = ProjectedGradient(rho=1.7, random_start=True, restarts=3)(network, X, y, "huber", 0)
    assert_array_equal(result.X, X)
    everywhere = ProjectedGradient(rho=1.8, restarts=30)(network, X, y, "huber", 0)
    other = X * np.array([-1.0, 1.0])
    best = np.maximum(
        get_loss("huber").value(y, network.forward(X)),
        get_loss("huber").value(y, network.forward(other)),
    )
    assert_allclose(everywhere.loss, best, atol=1e-12)


def test_the_result_is_that_of_the_network_also_where_the_objective_is_infinite():
    class Hopeless:
        def value(self, y, f):
            return np.full_like(f, -np.inf)

        def derivative(self, y, f):
            return np.ones_like(f)

    network, X, y = example()
    result = RandomSearch(rho=0.1, samples=2)(network, X, y, Hopeless(), 0)
    assert_array_equal(result.X, X)
    assert_array_equal(result.value, network.forward(X))


# -- errors ----------------------------------------------------------------------------------------


def test_parameters_are_keyword_only_and_frozen():
    with pytest.raises(TypeError):
        ProjectedGradient(0.1)
    attack = ProjectedGradient(rho=1)
    assert attack.rho == 1.0
    with pytest.raises(AttributeError):
        attack.rho = 0.2
    assert attack == ProjectedGradient(rho=1.0)


ATTACKS = [
    IdentityAdversary(),
    RandomSearch(rho=0.1),
    ProjectedGradient(rho=0.1),
    SmoothedGradient(rho=0.1),
]


class Looking:
    """An adversary that says how far below the threshold it looks."""

    rho = 0.1

    def __init__(self, margin):
        self._margin = margin

    def __call__(self, network, X, y, loss, rng):
        raise NotImplementedError

    def margin(self, weight_scale):
        return self._margin


class Plain:
    rho = 0.1


def small():
    network = TwoLayerNetwork.initialize(20, 4, rng=0, tau=0.1)
    return network, geometry.sample_slice(3, 4, rng=1), np.array([1.0, -1.0, 0.0])


def test_an_adversary_without_a_margin_looks_at_active_neurons_only():
    assert margin_of(Plain(), 1.0) == 0.0
    assert margin_of(Looking(0.25), 1.0) == 0.25
    smoothed = SmoothedGradient(rho=0.1)
    assert margin_of(smoothed, 0.5) == smoothed.margin(0.5) > 0.0
    assert margin_of(ProjectedGradient(rho=0.2), 0.5) == 0.0


@pytest.mark.parametrize(
    ("margin", "error"),
    [(-0.1, ValueError), (np.nan, ValueError), (np.inf, ValueError), ("deep", TypeError)],
)
def test_a_margin_that_makes_no_sense_is_refused(margin, error):
    with pytest.raises(error, match=r"adversary\.margin"):
        margin_of(Looking(margin), 1.0)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_an_output_that_is_not_finite_is_named_by_its_example(bad):
    batch = prepare(*small(), "absolute")
    assert_array_equal(batch.score(np.array([0.0, 0.0, 0.5])), [1.0, 1.0, 0.5])
    with pytest.raises(FloatingPointError, match=f"got {bad} for example 1"):
        batch.score(np.array([0.0, bad, 0.0]))


def test_where_the_loss_is_flat_the_slope_points_against_the_label():
    network, X, _ = small()
    batch = prepare(network, X, [1.0, -1.0, 0.0], "absolute")
    assert_array_equal(batch.slope(np.array([1.0, -1.0, 0.0])), [-1.0, 1.0, 1.0])
    assert_array_equal(batch.slope(np.array([0.5, -0.5, 0.1])), [-1.0, 1.0, 1.0])
    assert_array_equal(batch.slope(np.array([1.5, -1.5, -0.1])), [1.0, -1.0, -1.0])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"X": geometry.sample_slice(3, 5, rng=1)}, ValueError, "X must have shape"),
        ({"X": np.ones((3, 4))}, ValueError, "X must lie on the slice"),
        ({"y": [1.0, -1.0, 1.5]}, ValueError, "y must"),
        ({"y": [1.0, -1.0]}, ValueError, "y must"),
        ({"y": [1.0, -1.0, np.nan]}, ValueError, "y must contain finite"),
        ({"loss": "squared"}, ValueError, "1-Lipschitz"),
        ({"loss": 3}, TypeError, "loss must be the name of a loss or an object"),
        ({"network": "f"}, TypeError, "network must be a TwoLayerNetwork or an evaluator"),
    ],
)
def test_bad_arguments_are_named_before_anything_is_attacked(change, error, message):
    network, X, y = small()
    given = {"network": network, "X": X, "y": y, "loss": "huber", **change}
    with pytest.raises(error, match=message):
        prepare(**given)
    for attack in ATTACKS:
        with pytest.raises(error, match=message):
            attack(**given, rng=0)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: type(attack).__name__)
def test_a_generator_is_asked_for(attack):
    with pytest.raises(TypeError, match="rng"):
        attack(*small(), "huber", None)
