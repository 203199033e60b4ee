"""Certified brackets on many random networks: no bound below the truth, no attack above it.

For d = 3 and d = 4 the supremum of f over a cap is known (nearly): every lower end, attack, upper
end and relaxation is compared with it.  In higher dimensions every upper bound is compared with
everything that any method or attack has found.  The time limits are short on purpose: a bracket
must be right also where it is wide.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from benchmarks.settings import Row
from sublinear_lib import adversary, geometry, scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.network import TwoLayerNetwork

_METHODS: tuple[adversary.BracketMethod, ...] = ("auto", "split", "relaxation", "milp", "neurons")
_LIMIT = 0.02
_RADII = (1e-4, 0.02, 0.1, 0.2, 0.5, 1.5, 1.8)
_LARGE_RADIUS = 0.3
_THRESHOLDS = (0.0, 0.5, 1.28, 2.0)


def problem(seed: int) -> tuple[TwoLayerNetwork, FloatArray, float]:
    """Draw a network and a cap."""
    rng = np.random.default_rng(10_000 + seed)
    d, activation = 3 + seed % 2, ("jump", "continuous")[(seed // 2) % 2]
    if seed % 5 == 4:
        d = int(rng.integers(5, 13))
    rho = float(rng.choice(_RADII))
    m = int(rng.integers(2, 150))
    if rho > _LARGE_RADIUS:
        m = m // 5 + 1
    kind = ("paper", "free", "trained")[int(rng.integers(3))]
    tau = scaling.threshold_from_standard(float(rng.choice(_THRESHOLDS)), m)
    network = TwoLayerNetwork.initialize(m, d, rng=seed, tau=tau, activation=activation)
    if kind == "free":
        weights = rng.standard_normal((m, d)), rng.standard_normal(m), rng.standard_normal(m)
        network = TwoLayerNetwork(*weights, float(rng.uniform(0, 1)), activation)
    elif kind == "trained":
        grown = network.W * rng.uniform(0.2, 4, (m, 1)) + 0.1 * rng.standard_normal((1, d))
        network = network.with_weights(grown)
    return network, geometry.sample_slice(1, d, rng=seed + 1), rho


def attacks(rho: float, d: int) -> dict[str, adversary.Adversary]:
    """Return the attacks that are compared with the bounds, by name."""
    found: dict[str, adversary.Adversary] = {
        "smoothed": adversary.SmoothedGradient(rho=rho, steps=8, restarts=1),
        "plain": adversary.ProjectedGradient(rho=rho, steps=8),
        "random": adversary.RandomSearch(rho=rho, samples=50),
    }
    return found | ({"exact": adversary.ExactAdversary(rho=rho)} if d <= 4 else {})


def trial(seed: int) -> Row:
    """Bracket the supremum and the infimum of one network over one cap in every way."""
    network, X, rho = problem(seed)
    lengths = np.linalg.norm(network.W, axis=1) + np.abs(network.b)
    # The attacks and the exact methods add up m terms in other orders.
    room = 1e-13 * max(1.0, float(np.abs(network.a) @ lengths))
    violations: list[str] = []
    counts: Counter[str] = Counter()

    for side in (1, -1):

        def ordered(
            low: float, high: float, what: str, slack: float = room, side: int = side
        ) -> None:
            counts["comparisons"] += 1
            if not low <= high + slack:
                violations.append(f"network {seed}, side {side}: {what}: {low!r} is above {high!r}")

        low, high = _exact(network, X, rho, side)
        found, bounds = {"the exact method": low}, {"the exact method": high}
        ordered(low, high, "exact method", 0.0)
        relaxation = adversary.CapRelaxation(network, X[0], rho, side)
        for name in ("interval", "linear", "optimized"):
            bounds[name] = getattr(relaxation, name)().value
        for name, attack in attacks(rho, network.d).items():
            result = attack(network, X, np.zeros(1), adversary.Height(side), seed)
            found[name] = side * float(result.value[0])
            if name == "exact":
                ordered(low, found[name], "the exact adversary falls short", 1e-8)
        for method in _METHODS:
            both = adversary.bracket(
                network, X[0], rho, side=side, method=method, time_limit=_LIMIT
            )
            counts["brackets"] += 1
            ordered(both.lower, both.upper, f"bracket {method}", 0.0)
            found[method], bounds[method] = both.lower, both.upper
            value = float(side * network.forward(both.witness[None])[0])
            ordered(abs(value - both.lower), 0.0, f"the witness of {method} has another value")
            distance = float(np.linalg.norm(both.witness - X[0]))
            ordered(distance, rho, f"the witness of {method} lies outside", 1e-9)
        for name, value in found.items():
            for bound, upper in bounds.items():
                ordered(value, upper, f"{name} against the bound of {bound}")
    return {
        "d": network.d,
        "m": network.m,
        "rho": rho,
        "exact": network.d <= 4,
        **{name: counts[name] for name in ("comparisons", "brackets")},
        "violations": violations,
    }


def _exact(network: TwoLayerNetwork, X: FloatArray, rho: float, side: int) -> tuple[float, float]:
    """Return two numbers between which the supremum of ``side * f`` lies."""
    if network.d == 3:
        (found,) = adversary.extremes_on_circle(network, X, rho)
        return (found.sup, found.upper) if side == 1 else (-found.inf, -found.lower)
    if network.d == 4:
        both = adversary.supremum_on_sphere(network, X[0], rho, side=side, time_limit=5)
        return both.lower, both.upper
    return -np.inf, np.inf


def soundness(chunk: int, size: int, folder: Path) -> Row:
    """Try many networks."""
    trials = [trial(seed) for seed in range(chunk * size, (chunk + 1) * size)]
    return {
        "networks": size,
        "with an exact method": sum(found["exact"] for found in trials),
        "comparisons": sum(found["comparisons"] for found in trials),
        "brackets": sum(found["brackets"] for found in trials),
        "wrong networks": sum(bool(found["violations"]) for found in trials),
        "by_dimension": {str(d): n for d, n in sorted(Counter(t["d"] for t in trials).items())},
        "violations": [text for found in trials for text in found["violations"]],
    }
