"""The claims on convergence, part by part: what each part of a check finds, and notices."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from sublinear_lib.claims import LEDGER, Budget, Outcome, Role, Verdict
from sublinear_lib.claims.checks import convergence, parameters
from sublinear_lib.claims.checks import regret as bounds
from sublinear_lib.claims.collector import Collector
from sublinear_lib.claims.instruments import descents
from sublinear_lib.scaling import R1, R2
from sublinear_lib.theory import CHAINS, regret
from tests.claims.planting import plant, scaled


def verdict(name):
    return LEDGER[name].run(Budget.QUICK, 0).verdict


def printed(patch, key, value):
    """Let the paper print another exponent."""
    for module in (convergence, descents, parameters):
        patch.setattr(module, "CHAINS", {**CHAINS, key: replace(CHAINS[key], printed=value)})


def steps(look, rng):
    bounds._observe(look, "R1", bounds._three_points(R1, 2**9, 0.3, "absolute", rng))


def couplings(look, rng):
    found = convergence._couplings(convergence.PRINTED, Fraction(5, 8), [2**14, 2**16], 20, rng)
    found.counted(look, 0, "flips")
    found.counted(look, 1, "kinks")


PARTS = {
    "flips": lambda look, rng: convergence._against_flips(look, Budget.QUICK, rng),
    "couplings": couplings,
    "first step": lambda look, rng: convergence._first_step(look, rng),
    "equality": lambda look, rng: bounds._equality(look, rng),
    "steps": steps,
    "expected": lambda look, rng: bounds._expected_terms(look, rng),
    "comparator": lambda look, rng: bounds._against_comparator(look, R1, 2**10, 2.0, 0.25, 2, rng),
    "shares": lambda look, rng: bounds._shares(look, Budget.QUICK, rng),
    "moving": lambda look, rng: bounds._moving_adversary(look, Budget.QUICK, rng),
}


def missed(part):
    """Return what a part of a check does not find as asked for."""
    look = Collector()
    PARTS[part](look, np.random.default_rng(0))
    return [(item.what, item.role) for item in look.observations if item.outcome is not Outcome.YES]


@pytest.mark.parametrize("part", PARTS)
def test_without_an_error_every_part_finds_what_is_asked_for(part):
    assert missed(part) == []


ERRORS = [
    ("flips", "gradient_coupling", scaled(0.5, "flip_bound", "mean_flip_bound")),
    ("flips", "gradient_coupling", scaled(1.01, "common")),
    ("couplings", "expected_coupling", scaled(1.01)),
    ("couplings", "expected_kink", scaled(1.01)),
    ("first step", "expected_first_step", scaled(1.01)),
    ("first step", "first_step_lower_bound", scaled(1.01)),
    ("first step", "first_step_lower_bound", scaled(-1.0)),
    ("first step", "printed_step_lower_bound", scaled(0.99)),
    ("first step", "one_point_descent", scaled(1.01, "losses")),
    ("first step", "one_point_descent", scaled(-1.0, "pseudo")),
    ("equality", "regret_bound", scaled(2.0, "noise")),
    ("equality", "regret_bound", scaled(0.99, "start")),
    ("equality", "regret_bound", scaled(0.99, "coupling")),
    ("equality", "regret_bound", scaled(-1.0, "gap_run")),
    ("equality", "regret_bound", scaled(1.01, "comparator")),
    ("equality", "descent_plan", scaled(1.01, "eta")),
    ("equality", "descent_plan", scaled(1.01, "drift")),
    ("equality", "descent_plan", scaled(2.0, "gradient_squared")),
    ("equality", "largest_gap", scaled(1.01)),
    ("equality", "step_terms", scaled(1.01, "gradient_squared")),
    ("equality", "step_terms", scaled(1.01, "coupling")),
    ("steps", "telescoped", scaled(1.01)),
    ("steps", "telescoped", scaled(-1.0)),
    ("steps", "step_terms", scaled(1.01, "linear")),
    ("steps", "step_terms", scaled(-1.0, "inner")),
    ("steps", "step_terms", scaled(1.01, "loss")),
    ("steps", "step_terms", scaled(1.01, "coupled")),
    ("expected", "expected_regret", scaled(1.02, "coupling")),
    ("expected", "expected_regret", scaled(1.02, "gap_run")),
    ("expected", "expected_regret", scaled(1.02, "gap_comparator")),
    ("comparator", "nearest_weights", scaled(1.001)),
]


@pytest.mark.parametrize(("part", "function", "wrong"), ERRORS)
def test_an_error_in_the_theory_is_noticed(part, function, wrong, monkeypatch):
    plant(monkeypatch, regret, function, wrong)
    bearing = {Role.STATEMENT} if part == "flips" else {Role.STATEMENT, Role.CONTROL}
    assert bearing & {role for _, role in missed(part)}


def test_a_wrong_share_of_neurons_that_can_fire_is_noticed(monkeypatch):
    right = bounds.caps.cap_share
    monkeypatch.setattr(bounds.caps, "cap_share", lambda t, d, rho: right(t, d, 2.0 * rho))
    assert missed("shares")


def test_a_set_that_leaves_out_neurons_is_noticed(monkeypatch):
    right = bounds.can_fire
    monkeypatch.setattr(bounds, "can_fire", lambda start, X, rho: right(start, X, 0.01))
    assert Role.STATEMENT in {role for _, role in missed("moving")}


def test_remark_c13_would_hold_with_the_distance_of_its_own_steps(monkeypatch):
    printed(monkeypatch, "C.13", Fraction(-2, 5))
    assert verdict("rem-c.13") is Verdict.HOLDS


@pytest.mark.parametrize("key", ["4.1", "4.3", "C.12-gradient", "B.9"])
def test_set_r2_depends_on_every_printed_power(monkeypatch, key):
    smaller = -1 if CHAINS[key].relation == "<=" else 1
    printed(monkeypatch, key, CHAINS[key].printed + smaller * Fraction(1, 50))
    assert verdict("set-r2") is Verdict.FAILS


def test_a_shorter_step_alone_does_not_save_theorem_43(monkeypatch):
    found = convergence._two_points(2**14, 0)
    assert found["average loss"] > found["allowed"]
    assert found["radius of W* over K m^(-3/5)"] < 1.0
    # In the ball of radius K/m^(4/5) the same weights are no better than the start.
    monkeypatch.setattr(convergence, "PRINTED", R1)
    found = convergence._two_points(2**14, 0)
    assert found["average loss"] < found["allowed"]
    told = LEDGER["thm-4.3"].misreading
    assert "both the step size" in told and "K/m^{4/5}" in told


def test_the_counterexample_needs_the_printed_step_size():
    widths = [2**8, 2**11, 2**14]
    for rules, grows in ((convergence.PRINTED, True), (R2, False)):
        runs = descents.runs(rules, widths, 6, np.random.default_rng(3), label=1.0)
        rise = float(runs.average[:, -1].mean() / runs.average[:, 0].mean())
        assert (rise > 2.0) is grows
