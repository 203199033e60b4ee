"""The integer program is never below the worst case, and says honestly what it decided."""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib.adversary import (
    CapRelaxation,
    SmoothedGradient,
)
from sublinear_lib.adversary.mixed_integer import mixed_integer
from tests.adversary.cases import exact, problem

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("activation", ["jump", "continuous"])
def test_on_the_sphere_the_bound_is_mostly_far_better_than_that_of_lines(activation):
    # Not always: where f is largest inside the hull of the cap, binaries do not help.
    shares = []
    for seed in range(6):
        network, X = problem(120, 4, seed, activation)
        for side in (1, -1):
            low, _ = exact(network, X, 0.2, side)
            lines = CapRelaxation(network, X[0], 0.2, side).optimized().value
            found = mixed_integer(network, X[0], 0.2, side=side, tol=1e-6, time_limit=2.0)
            shares.append((found.upper - low + 1e-6) / (lines - low + 1e-6))
    assert np.median(shares) < 0.2, shares


def test_whatever_the_time_the_bound_is_valid():
    network, X = problem(150, 9, 2)
    attack = SmoothedGradient(rho=0.3, steps=20, restarts=2)
    reached = attack(network, X, [-1.0], "absolute", rng=0)
    bounds = []
    for seconds in (1e-9, 0.02, 0.3):
        found = mixed_integer(network, X[0], 0.3, start=reached.X, tol=0, time_limit=seconds)
        assert reached.value[0] - 1e-13 <= found.lower <= found.upper
        bounds.append(found.upper)
    lines = CapRelaxation(network, X[0], 0.3).optimized().value
    assert bounds[0] == pytest.approx(lines, abs=1e-13)
    assert max(bounds[1:]) <= lines + 1e-13


def test_a_result_of_the_solver_counts_only_by_its_dual_bound(monkeypatch):
    # A solver that claims to be done with a poor solution, and one that fails, change nothing.
    from scipy import optimize

    network, X = problem(60, 5, 1)
    reference = mixed_integer(network, X[0], 0.2, tol=1e-6)
    real = optimize.milp

    def pessimist(*arguments, **options):
        run = real(*arguments, **options)
        run.x, run.fun = None, 0.0
        return run

    monkeypatch.setattr(optimize, "milp", pessimist)
    found = mixed_integer(network, X[0], 0.2, tol=1e-6)
    assert reference.lower <= found.upper

    def failing(*arguments, **options):
        run = real(*arguments, **options)
        run.x, run.status, run.mip_dual_bound = None, 4, np.inf
        return run

    monkeypatch.setattr(optimize, "milp", failing)
    found = mixed_integer(network, X[0], 0.2, tol=1e-6)
    assert found.upper == CapRelaxation(network, X[0], 0.2).optimized().value
