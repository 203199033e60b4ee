"""Shares of the worst case: 0 for the clean point, 1 for the worst case, and repeatable."""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib import geometry
from sublinear_lib.adversary import (
    ExactAdversary,
    Height,
    ProjectedGradient,
    RandomSearch,
    SmoothedGradient,
    extremes_on_circle,
    mean_shares_found,
    random_cases,
)
from sublinear_lib.adversary.comparison import shares_found
from sublinear_lib.network import TwoLayerNetwork


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
