"""The claims on convergence: the recorded verdicts, and that planted errors change them."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from sublinear_lib.claims import Budget, Outcome, Role, Verdict, judge
from sublinear_lib.claims.statements import convergence
from sublinear_lib.scaling import R1, R2
from sublinear_lib.theory import CHAINS, regret
from tests.claims.stored import QUICK

CLAIMS = {claim.id: claim for claim in convergence.CLAIMS}
EXPECTED = {
    "thm-4.3": Verdict.FAILS,
    "def-c.10": Verdict.IMPLEMENTED,
    "def-c.11": Verdict.IMPLEMENTED,
    "thm-c.12": Verdict.FAILS,
    "rem-c.13": Verdict.FAILS,
    "lem-c.14": Verdict.FAILS,
    "thm-d": Verdict.REPAIRED,
    "thm-4.3-r": Verdict.REPAIRED,
    "lem-c.14-r": Verdict.REPAIRED,
    "set-r2": Verdict.REPAIRED,
}


def verdict(name):
    return CLAIMS[name].run(Budget.QUICK, 0).verdict


def plant(monkeypatch, name, change):
    """Replace a function of the theory by one whose result is changed."""
    right = getattr(regret, name)
    monkeypatch.setattr(regret, name, lambda *args, **kwargs: change(right(*args, **kwargs)))


def scaled(factor, *fields):
    """Return a change that multiplies some fields of a result, or the result itself."""

    def change(result):
        if not fields:
            return factor * result
        return dataclasses.replace(
            result, **{field: factor * getattr(result, field) for field in fields}
        )

    return change


def printed(monkeypatch, key, value):
    """Let the paper print another exponent."""
    chains = dict(CHAINS)
    chains[key] = dataclasses.replace(CHAINS[key], printed=value)
    monkeypatch.setattr(convergence, "CHAINS", chains)


def test_every_statement_of_the_topic_is_there():
    assert {name: claim.recorded for name, claim in CLAIMS.items()} == EXPECTED


@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_found_shows_a_failure_and_its_repair(name):
    evidence = QUICK[CLAIMS[name].restates or name]
    found = evidence.observations
    repairs = [item for item in found if item.role is Role.REPAIR]
    if EXPECTED[name] is Verdict.FAILS:
        # What fails on record also says how a reader sees it again, and what holds instead.
        assert evidence.witness
        assert repairs
    assert [item.what for item in repairs if item.outcome is not Outcome.YES] == []


@pytest.mark.parametrize("norm", ["norm_2_1", "norm_2_inf"])
def test_one_percent_in_a_norm_is_noticed(monkeypatch, norm):
    plant(monkeypatch, norm, scaled(1.01))
    assert verdict("def-c.10") is Verdict.FAILS


def test_a_derivative_at_the_wrong_place_is_noticed(monkeypatch):
    plant(
        monkeypatch,
        "gradient_coupling",
        lambda found: dataclasses.replace(found, literal=found.common),
    )
    assert verdict("def-c.11") is Verdict.FAILS


def test_remark_c13_would_hold_with_the_distance_of_its_own_steps(monkeypatch):
    printed(monkeypatch, "C.13", Fraction(-2, 5))
    assert verdict("rem-c.13") is Verdict.HOLDS


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("gradient_coupling", scaled(0.5, "flip_bound", "mean_flip_bound")),
        ("gradient_coupling", scaled(1.01, "common")),
    ],
)
def test_errors_in_the_coupling_are_noticed(monkeypatch, name, change):
    plant(monkeypatch, name, change)
    found = convergence._against_flips(Budget.QUICK, np.random.default_rng(0))
    assert judge(found, repaired=True) is Verdict.FAILS


def test_one_percent_in_a_closed_form_of_the_coupling_is_noticed(monkeypatch):
    for name in ("expected_coupling", "expected_kink"):
        plant(monkeypatch, name, scaled(1.01))
    found = convergence._couplings(
        convergence.PRINTED, Fraction(5, 8), [2**14, 2**16], 20, np.random.default_rng(0)
    )
    assert found.z_common.outcome is Outcome.NO
    assert found.z_kinked.outcome is Outcome.NO


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("expected_first_step", scaled(1.01)),
        ("first_step_lower_bound", scaled(1.01)),
        ("first_step_lower_bound", scaled(-1.0)),
        ("printed_step_lower_bound", scaled(0.99)),
        ("one_point_descent", scaled(1.01, "losses")),
        ("one_point_descent", scaled(-1.0, "pseudo")),
    ],
)
def test_errors_in_the_counterexample_are_noticed(monkeypatch, name, change):
    plant(monkeypatch, name, change)
    found = convergence._first_step(np.random.default_rng(0))
    assert any(item.outcome is Outcome.NO for item in found)
    assert {item.role for item in found} == {Role.CONTROL}


def test_a_shorter_step_alone_does_not_save_theorem_43(monkeypatch):
    found = convergence._two_points(2**14, 0)
    assert found["average loss"] > found["allowed"]
    assert found["radius of W* over K m^(-3/5)"] < 1.0
    # In the ball of radius K/m^(4/5) the same weights are no better than the start.
    monkeypatch.setattr(convergence, "PRINTED", R1)
    found = convergence._two_points(2**14, 0)
    assert found["average loss"] < found["allowed"]


def test_the_ledger_asks_for_both_powers_of_theorem_43():
    told = CLAIMS["thm-4.3"].misreading
    assert "both the step size" in told and "K/m^{4/5}" in told


def test_counterexample_needs_the_printed_step_size():
    widths = [2**8, 2**11, 2**14]
    for rules, grows in ((convergence.PRINTED, True), (R2, False)):
        runs = convergence._runs(rules, widths, 6, np.random.default_rng(3), label=1.0)
        rise = float(runs.average[:, -1].mean() / runs.average[:, 0].mean())
        assert (rise > 2.0) is grows


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("regret_bound", scaled(2.0, "noise")),
        ("regret_bound", scaled(0.99, "start")),
        ("regret_bound", scaled(0.99, "coupling")),
        ("regret_bound", scaled(-1.0, "gap_run")),
        ("regret_bound", scaled(1.01, "comparator")),
        ("descent_plan", scaled(1.01, "eta")),
        ("descent_plan", scaled(1.01, "drift")),
        ("descent_plan", scaled(2.0, "gradient_squared")),
        ("largest_gap", scaled(1.01)),
        ("step_terms", scaled(1.01, "gradient_squared")),
        ("step_terms", scaled(1.01, "coupling")),
    ],
)
def test_errors_in_the_bound_are_noticed_where_it_is_an_equality(monkeypatch, name, change):
    plant(monkeypatch, name, change)
    found = convergence._equality(np.random.default_rng(0))
    assert any(item.outcome is Outcome.NO for item in found)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("telescoped", scaled(1.01)),
        ("telescoped", scaled(-1.0)),
        ("step_terms", scaled(1.01, "linear")),
        ("step_terms", scaled(-1.0, "inner")),
        ("step_terms", scaled(1.01, "loss")),
        ("step_terms", scaled(1.01, "coupled")),
    ],
)
def test_errors_in_the_steps_of_the_proof_are_noticed(monkeypatch, name, change):
    plant(monkeypatch, name, change)
    run = convergence._measured(R1, 2**9, 0.3, "absolute", np.random.default_rng(0))
    assert judge(convergence._observe("R1", run)) is not Verdict.HOLDS


def test_a_run_passes_every_step_of_the_proof():
    run = convergence._measured(R1, 2**9, 0.3, "absolute", np.random.default_rng(0))
    found = convergence._observe("R1", run)
    assert [item.what for item in found if item.outcome is not Outcome.YES] == []


@pytest.mark.parametrize("field", ["coupling", "gap_run", "gap_comparator"])
def test_two_percent_in_the_expected_terms_are_noticed(monkeypatch, field):
    plant(monkeypatch, "expected_regret", scaled(1.02, field))
    found = convergence._expected_terms(np.random.default_rng(0))
    assert any(item.outcome is Outcome.NO for item in found)


def test_weights_that_miss_their_targets_are_noticed(monkeypatch):
    plant(monkeypatch, "nearest_weights", scaled(1.001))
    found = convergence._against_comparator(R1, 2**10, 2.0, 0.25, 2, np.random.default_rng(0))
    assert any(item.outcome is Outcome.NO for item in found)


@pytest.mark.parametrize("key", ["4.1", "4.3", "C.12-gradient", "B.9"])
def test_set_r2_depends_on_every_printed_power(monkeypatch, key):
    smaller = -1 if CHAINS[key].relation == "<=" else 1
    printed(monkeypatch, key, CHAINS[key].printed + smaller * Fraction(1, 50))
    assert verdict("set-r2") is Verdict.FAILS


def test_the_steps_of_r3_are_counted_for_neurons_that_can_fire():
    rng = np.random.default_rng(0)
    found = convergence._moving_adversary(Budget.QUICK, rng)
    assert [item.what for item in found if item.outcome is not Outcome.YES] == []
    shares = convergence._shares(Budget.QUICK, rng)
    assert [item.what for item in shares if item.outcome is not Outcome.YES] == []
    assert r"\rho^2 d = o(\log m)" in CLAIMS["thm-4.3-r"].statement


def test_a_wrong_share_of_neurons_that_can_fire_is_noticed(monkeypatch):
    right = convergence.caps.cap_share
    monkeypatch.setattr(convergence.caps, "cap_share", lambda t, d, rho: right(t, d, 2.0 * rho))
    found = convergence._shares(Budget.QUICK, np.random.default_rng(0))
    assert any(item.outcome is Outcome.NO for item in found)


def test_a_set_that_leaves_out_neurons_is_noticed(monkeypatch):
    right = convergence._can_fire
    monkeypatch.setattr(convergence, "_can_fire", lambda start, X, rho: right(start, X, 0.01))
    found = convergence._moving_adversary(Budget.QUICK, np.random.default_rng(0))
    assert judge(found, repaired=True) is Verdict.FAILS
