"""No bound is below an exact value and no attack above it: every method, on many networks.

Set SUBLINEAR_SOUNDNESS to the number of networks; a long run takes 1000.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from sublinear_lib import geometry, scaling
from sublinear_lib.adversary import (
    AdaptiveMomentum,
    CapRelaxation,
    ExactAdversary,
    ProjectedGradient,
    RandomSearch,
    SmoothedGradient,
    bracket,
    extremes_on_circle,
    supremum_on_sphere,
)
from sublinear_lib.adversary.worst_case import _Height
from sublinear_lib.network import TwoLayerNetwork

NETWORKS = int(os.environ.get("SUBLINEAR_SOUNDNESS", "40"))
BLOCKS = 10
ATTACKS = {
    "smoothed": lambda rho: SmoothedGradient(rho=rho, steps=8, restarts=1),
    "plain": lambda rho: ProjectedGradient(rho=rho, steps=8),
    "momentum": lambda rho: AdaptiveMomentum(rho=rho, steps=10),
    "random": lambda rho: RandomSearch(rho=rho, samples=50),
    "exact": lambda rho: ExactAdversary(rho=rho),
}
METHODS = ("auto", "split", "relaxation", "milp", "neurons")


def problem(seed):
    """A network of the paper, of any weights, or as it may be after training; a cap of any size."""
    rng = np.random.default_rng(10_000 + seed)
    d, activation = 3 + seed % 2, ("jump", "continuous")[(seed // 2) % 2]
    rho = float(rng.choice([1e-4, 0.02, 0.1, 0.2, 0.5, 1.5, 1.8]))
    m = int(rng.integers(2, 150))
    if rho > 0.3:
        m = m // 5 + 1
    kind = ("paper", "free", "trained")[int(rng.integers(3))]
    tau = scaling.threshold_from_standard(float(rng.choice([0.0, 0.5, 1.28, 2.0])), m)
    network = TwoLayerNetwork.initialize(m, d, rng=seed, tau=tau, activation=activation)
    if kind == "free":
        weights = rng.standard_normal((m, d)), rng.standard_normal(m), rng.standard_normal(m)
        network = TwoLayerNetwork(*weights, float(rng.uniform(0, 1)), activation)
    elif kind == "trained":
        grown = network.W * rng.uniform(0.2, 4, (m, 1)) + 0.1 * rng.standard_normal((1, d))
        network = network.with_weights(grown)
    return network, geometry.sample_slice(1, d, rng=seed + 1), rho


def extremes(network, X, rho, side):
    """The supremum of side * f between two numbers next to each other, if it is known."""
    if network.d == 3:
        (found,) = extremes_on_circle(network, X, rho)
        return (found.sup, found.upper) if side == 1 else (-found.inf, -found.lower)
    found = supremum_on_sphere(network, X[0], rho, side=side, time_limit=5)
    return found.lower, found.upper


@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_method_is_sound(block):
    checks = 0
    for seed in range(block, NETWORKS, BLOCKS):
        network, X, rho = problem(seed)
        lengths = np.linalg.norm(network.W, axis=1) + np.abs(network.b)
        room = 1e-13 * max(1.0, float(np.abs(network.a) @ lengths))
        for side in (1, -1):
            low, high = extremes(network, X, rho, side)
            where = f"network {seed}, side {side}"
            assert low <= high
            relaxation = CapRelaxation(network, X[0], rho, side)
            for name in ("interval", "linear", "optimized"):
                assert getattr(relaxation, name)().value >= low - room, f"{name}: {where}"
            for name, attack in ATTACKS.items():
                found = attack(rho)(network, X, np.zeros(1), _Height(side), seed)
                assert side * found.value[0] <= high + room, f"{name}: {where}"
                if name == "exact":
                    assert side * found.value[0] >= low - 1e-8, f"{name}: {where}"
            for name in METHODS:
                found = bracket(network, X[0], rho, side=side, method=name, time_limit=0.02)
                assert found.lower <= found.upper, f"{name}: {where}"
                assert found.upper >= low - room, f"{name}: {where}"
                assert found.lower <= high + room, f"{name}: {where}"
                value = float(side * network.forward(found.witness[None])[0])
                assert abs(value - found.lower) <= room, f"{name}: {where}"
                assert np.linalg.norm(found.witness - X[0]) <= rho + 1e-9, f"{name}: {where}"
                checks += 1
    assert checks == 2 * len(METHODS) * len(range(block, NETWORKS, BLOCKS))
