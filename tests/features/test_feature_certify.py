"""Certificates are sound, exact where they are said to be, and strong enough for the book."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.features import (
    GELU,
    Activation,
    FeatureData,
    FeatureRun,
    PatchNetwork,
    ReLU,
    SmoothedReLU,
    Softplus,
    certified_radii,
    certify,
    certify_patches,
    gradient_attack,
)

pytestmark = pytest.mark.either_way

LAW = FeatureData()
EVERY: list[Activation] = [
    SmoothedReLU(3, 1.0),
    SmoothedReLU(1.5, 0.4),
    ReLU(),
    Softplus(3.0),
    GELU(),
]
seeds = st.integers(0, 2**32 - 1)


def methods(act: Activation) -> tuple[str, ...]:
    return ("interval", "linear") if act.convex else ("interval",)


# Soundness.


@pytest.mark.thorough
@given(st.sampled_from(EVERY), seeds, st.floats(0.0, 1.5), st.floats(0.1, 3.0))
@settings(deadline=None, max_examples=120)
def test_no_point_of_the_box_is_below_the_bound(
    act: Activation, seed: int, eps: float, scale: float
) -> None:
    rng = np.random.default_rng(seed)
    net = PatchNetwork.random(3, 2, 2, scale=scale, rng=rng, activation=act)
    X, y = rng.normal(size=(4, 2, 2)), rng.integers(0, 3, 4)
    corners = np.array(list(itertools.product((-1.0, 0.0, 1.0), repeat=4)))
    moves = eps * np.concatenate([corners, rng.uniform(-1, 1, (200, 4))]).reshape(-1, 2, 2)
    worst = np.min([net.margins(X + move, y) for move in moves], axis=0)
    found = gradient_attack(net, X, y, eps, goal="margin", restarts=2, rng=rng)
    for method in methods(act):
        bound = certify_patches(net, X, y, eps, method=method).margins  # type: ignore[arg-type]
        assert (bound <= worst).all()
        assert (bound <= found.margins).all()


@given(st.sampled_from(EVERY), seeds, st.floats(0.0, 1.0))
@settings(deadline=None, max_examples=60)
def test_linear_bounds_are_never_worse_and_bounds_fall_with_the_budget(
    act: Activation, seed: int, eps: float
) -> None:
    rng = np.random.default_rng(seed)
    net = PatchNetwork.random(3, 3, 4, scale=0.7, rng=rng, activation=act)
    X, y = rng.normal(size=(5, 3, 4)), rng.integers(0, 3, 5)
    interval = certify_patches(net, X, y, eps, method="interval")
    best = certify_patches(net, X, y, eps)
    assert (best.margins >= interval.margins).all()
    larger = certify_patches(net, X, y, eps + 0.1, method="interval")
    assert (larger.margins <= interval.margins).all()


@pytest.mark.parametrize("act", EVERY, ids=repr)
def test_without_a_budget_the_bound_is_the_margin_up_to_rounding(act: Activation) -> None:
    rng = np.random.default_rng(0)
    net = PatchNetwork.random(3, 5, 4, scale=1.0, rng=rng, activation=act)
    X, y = rng.normal(size=(20, 6, 4)), rng.integers(0, 3, 20)
    margins = net.margins(X, y)
    for method in methods(act):
        bound = certify_patches(net, X, y, 0.0, method=method).margins  # type: ignore[arg-type]
        assert (bound <= margins).all()
        np.testing.assert_allclose(bound, margins, atol=1e-10)


@given(seeds)
@settings(deadline=None, max_examples=60)
def test_bounds_hold_where_pre_activations_lose_their_digits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = np.zeros((2, 1, 6))
    weights[0, 0, :3], weights[1, 0, 3:] = rng.normal(size=(2, 3))
    X = rng.normal(size=(1, 2, 6)) * 10.0 ** rng.integers(0, 12)
    # The last coordinate of each half makes the sum cancel almost completely.
    for half in (slice(0, 3), slice(3, 6)):
        w = weights[:, 0, half].sum(axis=0)
        X[..., half][..., 2] = -(X[..., half][..., :2] @ w[:2]) / w[2]
    eps = float(10.0 ** rng.uniform(-12, -6))
    exact = Fraction(0)
    for sign, i in ((1, 0), (-1, 1)):
        w = [Fraction(each) for each in weights[i, 0]]
        move = sign * Fraction(eps) * sum(abs(each) for each in w)
        for patch in X[0]:
            z = sum(a * Fraction(b) for a, b in zip(w, patch.tolist(), strict=True)) - move
            exact += sign * max(z, Fraction(0))
    for method in ("interval", "linear"):
        bound = certify_patches(PatchNetwork(weights, ReLU()), X, [0], eps, method=method)  # type: ignore[arg-type]
        assert Fraction(bound.margins[0]) <= exact


# Exactness.


def test_linear_bounds_are_exact_for_a_linear_network() -> None:
    # All pre-activations stay in the linear part, where interval bounds count shared weights twice.
    rng = np.random.default_rng(3)
    net = PatchNetwork(1 + 0.1 * rng.normal(size=(3, 2, 4)), ReLU())
    X, y = rng.uniform(2, 3, (6, 3, 4)), np.arange(6) % 3
    linear = certify_patches(net, X, y, 0.5).margins
    total = net.weights.sum(axis=1)
    exact = np.min(
        [
            ((total[y] - total[(y + s) % 3])[:, None, :] * X).sum(axis=(1, 2))
            - 3 * 0.5 * np.abs(total[y] - total[(y + s) % 3]).sum(axis=1)
            for s in (1, 2)
        ],
        axis=0,
    )
    np.testing.assert_allclose(linear, exact, atol=1e-10)
    interval = certify_patches(net, X, y, 0.5, method="interval").margins
    assert (interval < exact - 10).all()


# The findings.


def test_radii_are_certified_and_no_attack_breaks_them(adversarial: FeatureRun) -> None:
    test = LAW.sample(6, 7)
    radii = certified_radii(adversarial.network, test.X, test.y, 2.0, tolerance=0.01)
    assert (radii > 0.5).all() and (radii < 0.7).all()
    for n, radius in enumerate(radii):
        one = slice(n, n + 1)
        bound = certify_patches(adversarial.network, test.X[one], test.y[one], radius)
        assert bound.certified.all()
        found = gradient_attack(
            adversarial.network, test.X[one], test.y[one], radius, restarts=1, goal="margin"
        )
        assert found.error == 0.0


def test_radii_of_misclassified_and_of_safe_inputs() -> None:
    net = PatchNetwork.of_features(LAW, [1.0], [0.0])
    X = np.zeros((2, 1, 12))
    X[0, 0, 0] = 3.0  # class 0
    radii = certified_radii(net, np.concatenate([X[:1], X[:1]]), [0, 1], 1.0)
    assert radii[0] == 1.0 and np.isnan(radii[1])


def test_what_underflows_is_not_certified() -> None:
    # In units of the smallest number: 3 * 0.6 against 2.4, but computed 3 * 1 against 2.
    unit = 5e-324
    net = PatchNetwork(np.array([[[unit, 0.0]], [[0.0, 4 * unit]]]), ReLU())
    X = np.array([[[0.6, 0.6], [0.6, 0.0], [0.6, 0.0]]])
    assert net.margins(X, [0])[0] > 0
    assert certify_patches(net, X, [0], 0.0).error == 1.0
    assert certify_patches(net, X, [0], 0.0, method="interval").error == 1.0


def test_a_tolerance_below_the_spacing_of_numbers_ends() -> None:
    net = PatchNetwork.of_features(FeatureData(noise=0.0), [1.0], [0.0])
    data = FeatureData(noise=0.0).sample(2, 0)
    radii = certified_radii(net, data.X, data.y, 1.0, tolerance=1e-300)
    np.testing.assert_allclose(radii, certified_radii(net, data.X, data.y, 1.0), atol=1e-3)


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning", "ignore:invalid:RuntimeWarning")
def test_what_overflows_is_not_certified() -> None:
    net = PatchNetwork(np.array([[[1e200, 0.0]], [[0.0, 1e200]]]), ReLU())
    X = np.array([[[1e200, 0.0]], [[1e200, 1e200]]])
    assert certify_patches(net, X, [0, 0], 0.1).error == 1.0
    assert certify_patches(net, X, [0, 0], 0.1, method="interval").error == 1.0


def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    net = PatchNetwork.random(3, 2, 4, scale=0.7, rng=rng)
    X, y = rng.normal(size=(7, 3, 4)), rng.integers(0, 3, 7)
    whole = certify_patches(net, X, y, 0.2).margins
    monkeypatch.setattr(certify, "_BATCH", 40)
    np.testing.assert_allclose(certify_patches(net, X, y, 0.2).margins, whole, atol=1e-12)
