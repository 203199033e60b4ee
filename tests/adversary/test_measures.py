"""Robust loss and accuracy are means over what the adversary found."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sublinear_lib import geometry
from sublinear_lib.adversary import (
    AttackResult,
    IdentityAdversary,
    NegativeMargin,
    ProjectedGradient,
    accuracy,
    accuracy_under_attack,
    robust_loss_under,
)
from sublinear_lib.losses import get_loss
from sublinear_lib.network import TwoLayerNetwork
from tests.adversary.cases import problem


def example(n=40, seed=0):
    network, X = problem(800, 4, seed, t=0.6, n=n)
    return network, X, np.where(np.random.default_rng(seed).random(n) < 0.5, -1.0, 1.0)


def test_without_an_attack_the_robust_loss_is_the_mean_of_the_clean_ones_and_an_attack_adds_to_it():
    network, X, y = example()
    clean = float(get_loss("huber").value(y, network.forward(X)).mean())
    assert robust_loss_under(network, X, y, IdentityAdversary(), "huber", 0) == pytest.approx(clean)
    assert robust_loss_under(network, X, y, ProjectedGradient(rho=0.1), "huber", 0) > clean


def test_accuracy_counts_signs_and_an_output_of_zero_is_wrong():
    network = TwoLayerNetwork([[1.0, 0.0, 0.0]], [1.0], [0.0], 0.1)
    X = geometry.embed(np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]))  # f = .87, 0, .52
    assert accuracy(network, X, [1.0, 1.0, 0.3]) == pytest.approx(2 / 3)
    assert accuracy(network, X, [-1.0, -1.0, -0.3]) == 0.0


def test_accuracy_under_attack_is_never_above_accuracy_and_falls_with_the_radius():
    network, X, _ = example()
    y = np.sign(network.forward(X))
    values = [
        accuracy_under_attack(network, X, y, ProjectedGradient(rho=rho, steps=20), 0)
        for rho in (0.0, 0.02, 0.1, 0.5)
    ]
    assert values[0] == accuracy(network, X, y) == 1.0
    assert values == sorted(values, reverse=True)
    assert values[-1] < 0.9


def test_an_accuracy_under_attack_shows_a_bar_on_request(capsys):
    network, X, y = example(5)
    for progress in (False, True):
        accuracy_under_attack(network, X, y, ProjectedGradient(rho=0.1), 0, progress=progress)
        assert ("ProjectedGradient: 100%" in capsys.readouterr().err) == progress


def test_a_regression_loss_can_miss_the_error_that_the_margin_finds():
    # f reaches both -0.1 (a wrong class, loss 1.1) and 3 (the right class, loss 2).
    class TwoWays:
        rho = 0.0

        def __call__(self, network, X, y, loss, rng):
            options = np.array([-0.1, 3.0])
            losses = loss.value(np.repeat(y, 2), options)
            best = options[[int(np.argmax(losses))]]
            return AttackResult(X, losses.max(keepdims=True), best, np.array([0.5]))

    network, X, _ = example(1)
    absolute = get_loss("absolute")
    assert accuracy_under_attack(network, X, [1.0], TwoWays(), 0, loss=absolute) == 1.0
    assert accuracy_under_attack(network, X, [1.0], TwoWays(), 0) == 0.0


def test_the_negative_margin_is_positive_exactly_where_the_sign_is_wrong():
    y, f = np.array([1.0, 0.25, -1.0, -0.5]), np.array([2.0, -0.1, 0.3, -3.0])
    margin = NegativeMargin()
    assert ((margin.value(y, f) > 0.0) == (y * f < 0.0)).all()
    step = 1e-3
    slopes = (margin.value(y, f + step) - margin.value(y, f - step)) / (2.0 * step)
    assert_allclose(margin.derivative(y, f), slopes, rtol=0, atol=1e-9)


def test_an_example_that_is_wrong_already_does_not_become_right_under_attack():
    class Helpful:
        rho = 0.0

        def __call__(self, network, X, y, loss, rng):
            return AttackResult(X, np.zeros(1), np.array([1.0]), np.array([-1.0]))

    network, X, _ = example(1)
    assert accuracy_under_attack(network, X, [1.0], Helpful(), 0) == 0.0


def test_bad_arguments_are_refused():
    network, X, y = example(5)
    attack = ProjectedGradient(rho=0.1)
    zero = np.array([1.0, 0.0, 1.0, 1.0, 1.0])
    for function in (
        lambda labels: accuracy(network, X, labels),
        lambda labels: accuracy_under_attack(network, X, labels, attack, 0),
    ):
        with pytest.raises(ValueError, match=r"nonzero to name a class.*index 1"):
            function(zero)
        with pytest.raises(ValueError, match="y must have shape"):
            function(y[:2])
        with pytest.raises(ValueError, match=r"\|y\| <= 1"):
            function(2 * y)


def test_an_output_of_zero_where_the_attack_ends_is_wrong():
    network = TwoLayerNetwork([[1.0, 0.0, 0.0]], [1.0], [0.0], tau=0.1)
    X = [[3**0.5 / 2, 0.0, 0.5]]

    class Silencing:
        rho = 0.1

        def __call__(self, network, X, y, loss, rng):
            return AttackResult(np.asarray(X), np.zeros(1), np.zeros(1), np.ones(1))

    assert accuracy(network, X, [1.0]) == 1.0
    assert accuracy_under_attack(network, X, [1.0], Silencing(), rng=0) == 0.0
