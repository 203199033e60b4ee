"""Pure networks break exactly where the equation says: attacks below, the certificate above."""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib.features import (
    Activation,
    FeatureAttack,
    FeatureData,
    FeatureKind,
    PatchNetwork,
    ReLU,
    SmoothedReLU,
    breaking_budget,
    certified_radii,
    certify_patches,
    feature_attack,
    robustness_window,
    strength_left,
)

LAW = FeatureData(noise=0.0, jitter=0.0)
RECTIFIERS = [ReLU(), SmoothedReLU(3, 15.0), SmoothedReLU(3, 0.5), SmoothedReLU(1.5, 2.0)]


def pure(kind: FeatureKind, filters: list[float], act: Activation) -> PatchNetwork:
    nothing = [0.0] * len(filters)
    pair = (filters, nothing) if kind == "robust" else (nothing, filters)
    return PatchNetwork.of_features(LAW, *pair, act)


@pytest.mark.parametrize("act", RECTIFIERS)
@pytest.mark.parametrize("kind", ["robust", "nonrobust"])
def test_below_the_budget_it_is_certified_and_above_it_is_broken(
    act: Activation, kind: FeatureKind
) -> None:
    filters = [1.0, 0.2, 6.0]
    edge = breaking_budget(LAW, act, filters, kind)
    network, data = pure(kind, filters, act), LAW.sample(3, rng=0)
    assert certify_patches(network, data.X, data.y, edge * (1 - 1e-9)).error == 0.0
    swap: FeatureAttack = "swap_u" if kind == "robust" else "swap_v"
    assert feature_attack(network, data, edge * (1 + 1e-9), swap).error == 1.0
    radii = certified_radii(network, data.X, data.y, 4.0, tolerance=1e-6)
    np.testing.assert_allclose(radii, edge, atol=1e-6)
    assert (radii < edge).all()


@pytest.mark.parametrize("q", [1.5, 2.0, 3.0, 6.0])
def test_in_the_polynomial_part_it_is_the_end_of_the_window(q: float) -> None:
    window, act = robustness_window(LAW, q), SmoothedReLU(q, 100.0)
    assert breaking_budget(LAW, act, [1.0, 2.0]) == pytest.approx(window.upper, rel=1e-12)
    assert breaking_budget(LAW, act, [3.0], "nonrobust") == pytest.approx(window.lower, rel=1e-12)


def test_larger_filters_break_earlier_and_end_at_the_plain_relu() -> None:
    budgets = [breaking_budget(LAW, SmoothedReLU(3, 1.0), [A]) for A in np.logspace(-1, 6, 15)]
    assert (np.diff(budgets) <= 1e-15).all()
    assert budgets[0] == pytest.approx(robustness_window(LAW, 3).upper)
    assert budgets[-1] == pytest.approx(robustness_window(LAW, 1).upper, rel=1e-4)
    assert budgets[-1] < 0.1 * budgets[0]


def test_what_is_left_is_a_straight_line_for_a_power_and_the_tie_is_on_the_diagonal() -> None:
    eps = np.linspace(0, 3.5, 8)
    left = strength_left(LAW, SmoothedReLU(3, 100.0), [1.0], eps)
    assert left == pytest.approx((1 / 61) ** (1 / 3) * np.maximum(3 - eps, 0), abs=1e-12)
    for kind in ("robust", "nonrobust"):
        for act in RECTIFIERS:
            edge = breaking_budget(LAW, act, [2.0, 0.5], kind)
            tie = strength_left(LAW, act, [2.0, 0.5], [edge], kind)
            assert tie[0] == pytest.approx(edge, rel=1e-9)
