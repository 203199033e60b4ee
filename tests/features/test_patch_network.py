"""The network computes its formula, and its gradients are those of finite differences."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.features import (
    GELU,
    Activation,
    FeatureData,
    PatchNetwork,
    ReLU,
    SmoothedReLU,
    Softplus,
    feature_shares,
    network,
)

pytestmark = pytest.mark.either_way

EVERY = [SmoothedReLU(q=3, rho=1.0), SmoothedReLU(q=1.7, rho=0.5), ReLU(), GELU(), Softplus(4.0)]


def small(act: Activation, seed: int = 0) -> tuple[PatchNetwork, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    net = PatchNetwork.random(3, 2, 4, scale=0.7, rng=rng, activation=act)
    return net, rng.normal(size=(6, 5, 4)), np.arange(6) % 3


@pytest.mark.parametrize("act", EVERY, ids=repr)
def test_the_logits_are_the_sum_over_filters_and_patches(act: Activation) -> None:
    net, X, _ = small(act)
    expected = [
        [
            sum(act.value(np.array(w @ x)) for w in filters for x in patches)
            for filters in net.weights
        ]
        for patches in X
    ]
    np.testing.assert_allclose(net(X), expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(net.predict(X), np.argmax(expected, axis=1))


def direct_loss(weights: np.ndarray, act: Activation, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    F = act.value(np.einsum("npd,kmd->npkm", X, weights)).sum(axis=(1, 3))
    return np.log(np.exp(F).sum(axis=1)) - F[np.arange(len(y)), y]


@pytest.mark.parametrize("act", EVERY, ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_gradients_are_those_of_finite_differences(act: Activation, seed: int) -> None:
    net, X, y = small(act, seed)
    rng = np.random.default_rng(seed + 10)
    W, mix = net.weights, rng.normal(size=(6, 3))
    way, turn = rng.normal(size=X.shape), rng.normal(size=W.shape)

    def slope(ends: list[np.ndarray]) -> np.ndarray:
        return np.asarray((ends[1] - ends[0]) / 2e-6)

    points = [X - 1e-6 * way, X + 1e-6 * way]
    loss, gradient = net.weight_gradient(X, y)
    assert loss == pytest.approx(direct_loss(W, act, X, y).mean(), rel=1e-12)
    ends = [direct_loss(W + step * turn, act, X, y).mean() for step in (-1e-6, 1e-6)]
    assert (gradient * turn).sum() == pytest.approx(slope(ends), abs=2e-7)
    found = (net.input_gradient(X, y) * way).sum(axis=(1, 2))
    np.testing.assert_allclose(found, slope([net.losses(Z, y) for Z in points]), atol=2e-7)
    found = (net.logit_gradient(X, mix) * way).sum(axis=(1, 2))
    np.testing.assert_allclose(
        found, slope([(mix * net(Z)).sum(axis=1) for Z in points]), atol=2e-7
    )


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 300.0))
@settings(deadline=None, max_examples=40)
def test_small_losses_keep_their_digits_and_large_ones_do_not_overflow(
    seed: int, size: float
) -> None:
    rng = np.random.default_rng(seed)
    F, y = size * rng.normal(size=(5, 4)), rng.integers(0, 4, 5)
    losses, errors = network.loss_and_errors(F, y)
    for n in range(5):
        gaps = [F[n, j] - F[n, y[n]] for j in range(4) if j != y[n]]
        top = max(0.0, *gaps)
        if top:
            exact = top + math.log(math.fsum(math.exp(g - top) for g in [0.0, *gaps]))
        else:
            exact = math.log1p(math.fsum(math.exp(g) for g in gaps))
        assert losses[n] == pytest.approx(exact, rel=1e-11, abs=1e-300)
        if top == 0:
            others = math.fsum(math.exp(g) for g in gaps)
            assert -errors[n, y[n]] == pytest.approx(others / (1 + others), rel=1e-11, abs=1e-300)
    np.testing.assert_allclose(errors.sum(axis=1), 0.0, atol=1e-15)


def test_the_pull_on_a_well_learned_input_does_not_vanish() -> None:
    _, errors = network.loss_and_errors(np.array([[60.0, 0.0, 0.0]]), np.array([0]))
    assert errors[0, 0] == pytest.approx(-2 * math.exp(-60), rel=1e-12)


def test_a_tie_counts_as_an_error() -> None:
    law = FeatureData()
    nothing = PatchNetwork(np.zeros((3, 2, 12)))
    data = law.sample(6, 0)
    assert nothing.error(data.X, data.y) == 1.0
    np.testing.assert_array_equal(nothing.margins(data.X, data.y), 0.0)


def test_alignments_and_shares_are_those_put_in_whichever_coordinates_are_used() -> None:
    law = FeatureData(classes=2, dim=7, u=(6, 0), v=(2, 5), robust_patches=2, nonrobust_patches=3)
    A, B = np.array([[1.0, 0.2], [0.5, 0.0]]), np.array([[0.0, 0.3], [0.1, 0.9]])
    net = PatchNetwork.of_features(law, A, B, SmoothedReLU(q=2, rho=50.0))
    found = net.alignments(law)
    np.testing.assert_array_equal(found[0], A)
    np.testing.assert_array_equal(found[1], B)
    shares = net.shares(law)
    again = feature_shares(law, net.activation, A, B)
    np.testing.assert_array_equal(
        [again.robust, again.nonrobust], [shares.robust, shares.nonrobust]
    )
    np.testing.assert_allclose(shares.robust, 2 * 9 * (A**2).sum(axis=1) / 100, rtol=1e-12)
    np.testing.assert_allclose(shares.nonrobust, 3 * (B**2).sum(axis=1) / 100, rtol=1e-12)
    data = replace(law, noise=0.0, jitter=0.0).sample(2, 0)
    np.testing.assert_allclose(np.diag(net(data.X)), shares.robust + shares.nonrobust, rtol=1e-12)


def test_the_share_of_a_network_without_features_is_not_a_number() -> None:
    law = FeatureData()
    assert np.isnan(PatchNetwork.of_features(law, [0.0], [-1.0]).shares(law).share).all()


def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    net, X, y = small(EVERY[0])
    whole = net(X), net.input_gradient(X, y), net.weight_gradient(X, y)[1]
    monkeypatch.setattr(network, "_BATCH", 40)
    parts = net(X), net.input_gradient(X, y), net.weight_gradient(X, y)[1]
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-15)


def test_weights_are_frozen_and_copied() -> None:
    weights = np.ones((2, 1, 3))
    net = PatchNetwork(weights)
    weights[:] = 5.0
    assert (net.weights == 1.0).all()
    assert not net.weights.flags.writeable
    assert "classes=2, filters=1, dim=3" in repr(net)
