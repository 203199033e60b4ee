"""Robust loss and accuracy are means over what was found; shares of the worst case are exact."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sublinear_lib import geometry
from sublinear_lib.adversary import (
    AttackResult,
    ExactAdversary,
    Height,
    IdentityAdversary,
    NegativeMargin,
    ProjectedGradient,
    RandomSearch,
    SmoothedGradient,
    accuracy,
    accuracy_under_attack,
    extremes_on_circle,
    mean_shares_found,
    random_cases,
    robust_loss_under,
)
from sublinear_lib.adversary.comparison import shares_found
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


@pytest.mark.parametrize("d", [3, 4])
def test_the_exact_adversary_finds_everything_and_no_attack_more(d):
    attacks = {
        "exact": ExactAdversary(rho=0.2),
        "plain": ProjectedGradient(rho=0.2),
        "random": RandomSearch(rho=0.2, samples=30),
    }
    for network, X in random_cases(150, d, t=1.0, count=6, rng=d, caps=3):
        found = shares_found(network, X, attacks, rng=0)
        assert list(found) == list(attacks)
        np.testing.assert_allclose(found["exact"], 1.0, atol=1e-5)
        for values in found.values():
            assert values.shape == (3,)
            assert ((values >= 0.0) & (values <= 1.0)).all()


def test_a_share_is_the_gain_of_the_attack_over_that_of_the_worst_case():
    [(network, X)] = random_cases(200, 3, t=1.0, count=1, rng=8, caps=4)
    attack = RandomSearch(rho=0.3, samples=5)
    found = shares_found(network, X, {"random": attack}, rng=3)["random"]
    (stream,) = np.random.default_rng(3).spawn(1)
    value = attack(network, X, np.zeros(4), Height(), stream).value
    top = np.array([cap.sup for cap in extremes_on_circle(network, X, 0.3)])
    clean = network.forward(X)
    np.testing.assert_allclose(found, (value - clean) / (top - clean), rtol=1e-12)


def test_where_there_is_nothing_to_find_everything_is_found():
    network = TwoLayerNetwork([[1.0, 0.0, 0.0]], [1.0], [0.0], tau=5.0)
    X = geometry.sample_slice(2, 3, rng=0)
    found = shares_found(network, X, {"random": RandomSearch(rho=0.1, samples=1)}, rng=0)
    assert found["random"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("d", [3, 4])
def test_in_a_cap_of_one_point_there_is_nothing_to_find(d):
    for network, X in random_cases(150, d, t=0.5, count=4, rng=d, caps=3):
        found = shares_found(network, X, {"random": RandomSearch(rho=0.0, samples=1)}, rng=0)
        assert found["random"].tolist() == [1.0] * 3


def test_height_raises_or_lowers_the_output_whatever_the_label():
    network = TwoLayerNetwork.initialize(200, 3, rng=1, tau=0.1)
    X = geometry.sample_slice(5, 3, rng=2)
    for y in (np.ones(5), -np.ones(5), np.zeros(5)):
        up = RandomSearch(rho=0.3, samples=20)(network, X, y, Height(), rng=0)
        down = RandomSearch(rho=0.3, samples=20)(network, X, y, Height(-1), rng=0)
        assert (down.value <= up.clean_value).all() and (up.clean_value <= up.value).all()
        assert (down.value < up.value).all()
    with pytest.raises(ValueError, match="side must be 1 or -1"):
        Height(2)


def test_cases_are_repeatable_and_do_not_depend_on_each_other():
    few = list(random_cases(40, 3, t=1.0, count=2, rng=5))
    more = list(random_cases(40, 3, t=1.0, count=4, rng=5, caps=3))
    for (one, x), (other, X) in zip(few, more, strict=False):
        assert one == other
        assert x.shape == (1, 3) and X.shape == (3, 3)
    weights = [network.W for network, _ in more]
    assert len({W.tobytes() for W in weights}) == 4
    hard, soft = (
        next(random_cases(40, 3, t=1.0, count=1, rng=5, activation=kind))[0]
        for kind in ("jump", "continuous")
    )
    assert np.array_equal(hard.W, soft.W) and hard.shift == 0.0 and soft.shift == soft.tau


def test_means_are_those_of_the_caps_of_each_network_and_repeat():
    attacks = {"smoothed": SmoothedGradient(rho=0.2, steps=4, restarts=1)}
    how = {"t": 1.0, "attacks": attacks, "networks": 3, "caps": 2}
    one = mean_shares_found(100, 3, rng=4, **how)
    two = mean_shares_found(100, 3, rng=4, **how)
    assert one["smoothed"].shape == (3,)
    assert np.array_equal(one["smoothed"], two["smoothed"])
    assert not np.array_equal(one["smoothed"], mean_shares_found(100, 3, rng=5, **how)["smoothed"])


def test_radii_that_differ_and_dimensions_without_an_exact_answer_are_refused():
    [(network, X)] = random_cases(20, 3, t=1.0, count=1, rng=0)
    mixed = {"a": RandomSearch(rho=0.1), "b": RandomSearch(rho=0.2)}
    with pytest.raises(ValueError, match=r"all of the same rho, got radii \[0.1, 0.2\]"):
        shares_found(network, X, mixed, rng=0)
    with pytest.raises(ValueError, match="at least one"):
        shares_found(network, X, {}, rng=0)
    [(other, points)] = random_cases(20, 5, t=1.0, count=1, rng=0)
    with pytest.raises(ValueError, match="d = 3 or d = 4, got d = 5"):
        shares_found(other, points, {"a": RandomSearch(rho=0.1)}, rng=0)
    with pytest.raises(TypeError, match="network must be a TwoLayerNetwork"):
        shares_found(None, X, {"a": RandomSearch(rho=0.1)}, rng=0)
