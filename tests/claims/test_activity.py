"""Promises of ``claims.statements.activity``: the verdicts, and that errors change them."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sublinear_lib import scaling
from sublinear_lib.claims import Budget, Claim, Outcome, Role, Verdict
from sublinear_lib.claims.statements import activity as statements
from sublinear_lib.statistics import Interval
from sublinear_lib.theory import activity, exponents, flips, orders
from tests.claims.planting import is_unsettled, planted, verdict_of
from tests.claims.stored import QUICK

CLAIMS = {claim.id: claim for claim in statements.CLAIMS}
PRINTED = ["lem-4.5", "claim-4.6", "claim-c.2", "lem-c.3", "lem-c.15", "claim-c.16", "rem-c.17"]
REPAIRED = ["thm-b", "lem-4.5-r", "claim-4.6-r"]


def test_every_statement_on_counts_has_its_claim() -> None:
    assert sorted(CLAIMS) == sorted(PRINTED + REPAIRED)


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_a_check_can_be_sent_to_another_process(claim: Claim) -> None:
    assert pickle.loads(pickle.dumps(claim)) == claim


def test_only_a_letter_of_the_second_half_of_claim_46_is_wrong() -> None:
    evidence = QUICK["claim-4.6"]
    wrong = [item for item in evidence.observations if item.outcome is not Outcome.YES]
    assert [item.role for item in wrong] == [Role.PRINT] and "indicator" in wrong[0].what
    assert evidence.verdict is CLAIMS["claim-c.16"].recorded is Verdict.TYPO
    seen = evidence.witness
    direct = stats.binom.logpmf(0, seen["m"], seen["probability of a flip"])
    assert seen["log Pr[no neuron flips]"] == pytest.approx(direct, rel=1e-6)


def test_slopes_exclude_the_rival() -> None:
    evidence = QUICK["claim-4.6"]
    slopes = [item.found for item in evidence.observations if isinstance(item.found, Interval)]
    assert len(slopes) == 2  # one point, two points
    for slope in slopes:
        assert slope.excludes(0.9) and slope.excludes(0.85)


def test_the_witness_of_lemma_45_shows_the_failure_again() -> None:
    seen = QUICK["lem-4.5"].witness
    m, K = seen["m"], seen["K"]
    assert seen["Q_0 over m"] == pytest.approx(2 * math.exp(-(K**2) / (4 * m**0.2)), abs=1e-6)
    assert seen["smallest K with Q_0 <= m"] == pytest.approx(
        math.sqrt(4 * math.log(2) * m**0.2), abs=1e-4
    )
    outside = 2 * stats.norm.sf(1.49)
    assert seen["share of psi in the other reading"] == pytest.approx(1 - outside, abs=1e-4)


def shorten(patch: pytest.MonkeyPatch, claim: Claim) -> None:
    """Leave out wide networks where the verdict, a failure, does not depend on slopes."""
    if claim.recorded is Verdict.FAILS:
        patch.setattr(statements, "_widths", lambda budget, least=10: [2**10, 2**12])


Change = Callable[[Any], Any]


def larger(value: Any) -> Any:
    return 1.01 * value


def one_more(found: Any) -> Any:
    return replace(found, count=int(1.02 * found.count) + 1)


def ends_moved(ends: tuple[int, int]) -> tuple[int, int]:
    return ends[0] - 2, ends[1]


def inverted(mask: Any) -> Any:
    return ~mask


# The claim, where a function lives, its name, and what is done to its result.
ERRORS: list[tuple[str, Any, str, Change]] = [
    ("claim-c.2", flips, "flip_probability", larger),
    ("claim-c.2", flips, "expected_flips", larger),
    ("claim-c.2", flips, "expected_union", larger),
    ("claim-c.2", flips, "near_mask", inverted),
    ("claim-c.2", flips, "flip_count_tail", lambda p: p**0.5),
    ("claim-c.2", flips, "flip_bound", larger),
    ("claim-c.2", flips, "flip_count_interval", ends_moved),
    ("claim-c.2", flips, "union_bracket", lambda ends: (1.01 * ends[0], 1.01 * ends[1])),
    ("lem-c.3", flips, "flip_probability", lambda p: 0.99 * p),
    ("lem-c.3", flips, "near_mask", inverted),
    ("lem-4.5", activity, "printed_q0", larger),
    ("lem-4.5", activity, "gaussian_tail_bound", larger),
    ("lem-4.5", activity, "smallest_printed_K", larger),
    ("lem-4.5", activity, "near_zero_probability", larger),
    ("lem-c.15", activity, "near_zero_count_tail", larger),
    ("lem-c.15", activity, "active_count_tail", lambda p: 1.01 * p),
    ("lem-c.15", activity, "active_count_interval", ends_moved),
    ("lem-c.15", activity, "printed_failure_probability", larger),
    ("lem-c.15", activity, "printed_gap_bound", larger),
    ("lem-4.5", scaling, "activity", larger),
    ("claim-4.6", flips, "log_no_flip_probability", larger),
    ("claim-4.6", flips, "flip_probability", larger),
    ("claim-c.16", flips, "expected_union", larger),
    ("claim-c.16", flips, "near_mask", inverted),
    ("rem-c.17", flips, "near_mask", inverted),
    ("thm-b", flips, "uniform_near_bound", larger),
    ("thm-b", flips, "uniform_active_bound", larger),
    ("thm-b", flips, "largest_norm_bound", larger),
    ("thm-b", flips, "max_near_on_circle", one_more),
    ("thm-b", flips, "max_flips_on_circle", one_more),
    ("thm-b", activity, "max_active_on_circle", one_more),
    ("lem-4.5-r", activity, "max_active_on_circle", one_more),
    ("lem-4.5-r", scaling, "activity", larger),
    ("lem-4.5-r", flips, "uniform_active_bound", lambda k: k // 2),
    ("claim-4.6-r", flips, "expected_union", larger),
    ("claim-4.6-r", flips, "expected_flips", larger),
    ("claim-4.6-r", flips, "max_near_on_circle", one_more),
    ("claim-4.6-r", flips, "uniform_near_bound", lambda k: k // 2),
]


@pytest.mark.parametrize("name", ["lem-4.5", "claim-4.6"])
def test_without_an_error_a_shortened_check_finds_the_recorded_verdict(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    shorten(monkeypatch, CLAIMS[name])
    assert verdict_of(CLAIMS[name]) is CLAIMS[name].recorded


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "owner", "function", "change"), ERRORS)
def test_an_error_in_a_function_changes_the_verdict(
    monkeypatch: pytest.MonkeyPatch, name: str, owner: Any, function: str, change: Change
) -> None:
    shorten(monkeypatch, CLAIMS[name])
    right = getattr(owner, function)
    monkeypatch.setattr(owner, function, lambda *given, **more: change(right(*given, **more)))
    assert is_unsettled(CLAIMS[name])


# Errors in the text of a module: signs, powers and factors.
TEXT: list[tuple[str, Any, str, str, str]] = [
    ("thm-b", flips, "flips", "math.log(2.0 / level)", "math.log(0.2 / level)"),
    ("thm-b", flips, "flips", "level / 2.0)", "level)"),
    ("thm-b", flips, "flips", "(d - 1) * math.log(reach)", "d * math.log(reach)"),
    ("thm-b", flips, "flips", "radius + slack)", "radius - slack)"),
    ("thm-b", flips, "flips", "(level - radius - slack) / std", "(level + radius - slack) / std"),
    ("thm-b", flips, "flips", "math.sqrt(float(scipy.stats.chi2", "(float(scipy.stats.chi2"),
    ("claim-c.2", flips, "flips", "fires, distance <= radius,", "fires, distance >= radius,"),
    ("claim-4.6", flips, "flips", '"m") * math.log1p(-p)', '"m") / math.log1p(-p)'),
    ("lem-4.5", activity, "activity", "/ (4.0 * m**0.2)", "/ (4.0 * m**0.25)"),
    ("lem-4.5", activity, "activity", "-tau * tau * m / 4.0", "-tau * tau * m / 2.0"),
    ("lem-4.5", activity, "activity", "-3.0 * printed_q0", "3.0 * printed_q0"),
    ("lem-4.5", activity, "activity", 'if side == "at least" else', 'if side == "at most" else'),
    ("lem-4.5-r", activity, "activity", "half_width = np.arccos(", "half_width = np.arcsin("),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "module", "known_as", "right", "wrong"), TEXT)
def test_an_error_in_a_formula_changes_the_verdict(
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    module: Any,
    known_as: str,
    right: str,
    wrong: str,
) -> None:
    shorten(monkeypatch, CLAIMS[name])
    with planted(module, right, wrong) as copy:
        monkeypatch.setattr(statements, known_as, copy)
        assert is_unsettled(CLAIMS[name])


@pytest.mark.thorough
def test_wrong_exponents_change_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    for key, name in (("C.2", "claim-c.2"), ("C.13", "rem-c.17")):
        chain = exponents.CHAINS[key]
        wrong = exponents.Factor("wrong", exponents.Power(Fraction(-1, 2)))
        other = {**exponents.CHAINS, key: replace(chain, factors=(*chain.factors, wrong))}
        monkeypatch.setattr(statements, "CHAINS", other)
        assert is_unsettled(CLAIMS[name])


def test_a_wrong_ledger_does_not_hide_the_missing_factor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "corrected_orders", orders.printed_orders)
    found = CLAIMS["rem-c.17"].run(Budget.QUICK, 0).observations
    assert [item.outcome for item in found if item.role is Role.REPAIR] == [Outcome.NO]


def test_recorded_failures_say_what_would_change_them() -> None:
    for claim in CLAIMS.values():
        assert (claim.recorded is Verdict.FAILS) == bool(claim.misreading)
        assert claim.remark and claim.proof and claim.chapter


def test_points_of_the_counts_lie_on_the_slice() -> None:
    assert np.linalg.norm(statements._POINTS, axis=1) == pytest.approx([1.0, 1.0])
    assert statements._POINTS[0] @ statements._POINTS[1] == pytest.approx(0.25)
