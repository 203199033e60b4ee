"""What adversaries are given is checked, and what they find is judged without surprises."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sublinear_lib import geometry
from sublinear_lib.adversary import (
    IdentityAdversary,
    ProjectedGradient,
    RandomSearch,
    SmoothedGradient,
    margin_of,
)
from sublinear_lib.adversary.protocol import prepare
from sublinear_lib.network import TwoLayerNetwork

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


def problem():
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
    batch = prepare(*problem(), "absolute")
    assert_array_equal(batch.score(np.array([0.0, 0.0, 0.5])), [1.0, 1.0, 0.5])
    with pytest.raises(FloatingPointError, match=f"got {bad} for example 1"):
        batch.score(np.array([0.0, bad, 0.0]))


def test_where_the_loss_is_flat_the_slope_points_against_the_label():
    network, X, _ = problem()
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
    network, X, y = problem()
    given = {"network": network, "X": X, "y": y, "loss": "huber", **change}
    with pytest.raises(error, match=message):
        prepare(**given)
    for attack in ATTACKS:
        with pytest.raises(error, match=message):
            attack(**given, rng=0)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: type(attack).__name__)
def test_a_generator_is_asked_for(attack):
    with pytest.raises(TypeError, match="rng"):
        attack(*problem(), "huber", None)
