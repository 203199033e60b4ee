r"""Runs of Algorithm 1 on one point, where nothing but the initialization is random.

In dimension 2 the set X has two points, and every adversary of radius below ``sqrt(3)`` is the
identity.  Before changing it, know that a run is one variable per neuron here; one of the controls
compares it with Algorithm 1 itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sublinear_lib import scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.claims.collector import Collector, Rng, sweep
from sublinear_lib.scaling import PRINTED, Scaling
from sublinear_lib.theory import CHAINS, CONSISTENT, regret

ROUNDING = 1e-9
# The point of dimension 2 at which everything on one point happens, and its label.
POINT = np.array([[math.sqrt(3.0) / 2.0, 0.5]])
LABEL = 0.5
EPSILON = 0.125


def chain(look: Collector, key: str, rules: Scaling = PRINTED) -> None:
    """Report a product of powers that the paper forms: evidence about a proof, not a statement."""
    chain = CHAINS[key]
    look.exact(f"exponent of m at {rules.name}, {chain.source}: {chain.quantity}").holds(
        chain.verdict(rules) != "fails", chain.derived(rules), f"{chain.relation} {chain.printed}"
    )


class Runs(NamedTuple):
    """Runs on one point: one row per seed, one column per width."""

    average: FloatArray
    drift: FloatArray
    first_drift: FloatArray
    excess: FloatArray
    """The average loss minus the loss of W* = W_0 minus epsilon."""
    shortfall: float
    """By how much the loss after a step stays below its lower bound, at most."""


def start_of(rules: Scaling, m: int, rng: Rng) -> tuple[FloatArray, FloatArray]:
    """Draw the pre-activations at the point, and the output weights."""
    z = rng.standard_normal(m) * scaling.preactivation_std(m)
    return z, rng.choice(np.array([-1.0, 1.0]), m) * rules.output_weight(m)


def runs(
    rules: Scaling,
    widths: list[int],
    seeds: int,
    rng: Rng,
    *,
    K: float = 1.0,
    epsilon: float = EPSILON,
    label: float = LABEL,
) -> Runs:
    """Run Algorithm 1 on the point, at every width."""
    shortfalls = [-math.inf]

    def run_at(rng: Rng, m: int) -> tuple[float, ...]:
        z, a = start_of(rules, m, rng)
        tau, eta, steps = rules.tau(m), rules.eta(m, epsilon), rules.steps(m, K, epsilon)
        run = regret.one_point_descent(z, a, tau, label, eta, steps, rules.activation)
        if rules is PRINTED:
            lower = regret.first_step_lower_bound(z, a, tau, label, eta)
            shortfalls.append(lower - float(run.losses[1]))
        excess = run.average - float(run.losses[0]) - epsilon
        return run.average, run.drift.max(), run.drift[1], excess

    average, drift, first, excess = sweep([rng] * seeds, widths, run_at)
    return Runs(average, drift, first, excess, max(shortfalls))


def bounded(look: Collector, what: str, widths: list[int], losses: FloatArray) -> None:
    """Report whether a loss grows with the width, as it does with the printed step size.

    A loss that tends to a constant has a small slope at finite widths, of either sign; so the
    interval has to end well below 2/5, half way.
    """
    asked = "ends below 1/5 (2/5 with the printed step size)"
    look.simulated(what).power_below(widths, losses, 0.2, asked)


def widths(low: int, high: int) -> list[int]:
    """Return powers of four."""
    return [2**k for k in range(low, high + 1, 2)]


def coupling_over(rules: Scaling, drift: float) -> Callable[[int], float]:
    """Return the mean of the largest coupling over the distance m^(-drift)."""
    return lambda m: regret.expected_coupling(m, rules.output_weight(m), rules.tau(m), m**-drift)


def powers(look: Collector, rules: Scaling) -> None:
    """Report the exponents on which Theorem 4.3 rests, for a repair."""
    name, point = rules.name, (rules.alpha, rules.beta, rules.c)

    def step(m: int) -> float:
        return 1.0 / (rules.output_weight(m) ** 2 * m * scaling.activity(rules.tau(m), m))

    look(f"exponent of epsilon / G^2 minus that of eta, {name}").equals(
        rules.derived_eta_exponent - rules.eta_exponent, 0
    )
    look.far(f"eta {name}", step, logs=0.5 if rules.c > 0 else 0.0)
    look(f"exponent of D_F^2 G^2, {name}").equals(
        rules.derived_steps_exponent, rules.steps_exponent
    )
    for what, power in (
        ("a N(D) (D + D_W)", rules.coupling_exponent),
        ("Gamma(D_W)", rules.gap_exponent),
    ):
        look.exact(f"exponent of {what}, {name}").holds(power < 0, power, "< 0")
    look.exact(f"conditions on (alpha, beta, c) that {name} violates").holds(
        CONSISTENT.contains(*point), len(CONSISTENT.violated(*point)), "= 0"
    )
