"""Promises of ``claims.statements.perturbation``: the verdicts, and that errors change them."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from scipy import stats

from sublinear_lib import activations, losses
from sublinear_lib.claims import Claim, Outcome, Role, Verdict
from sublinear_lib.claims.statements import perturbation as statements
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.statistics import Interval
from sublinear_lib.theory import perturbation as theory
from tests.claims.planting import is_unsettled, planted, verdict_of
from tests.claims.stored import QUICK

CLAIMS = {claim.id: claim for claim in statements.CLAIMS}


def test_every_statement_on_small_moves_has_its_claim() -> None:
    assert sorted(CLAIMS) == ["def-a.4", "lem-4.2", "lem-4.2-r", "lem-c.9", "thm-c"]


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_a_check_can_be_sent_to_another_process(claim: Claim) -> None:
    assert pickle.loads(pickle.dumps(claim)) == claim


def test_only_the_probability_of_lemma_42_fails() -> None:
    wrong = [
        item.what
        for item in QUICK["lem-4.2"].observations
        if item.role is Role.STATEMENT and item.outcome is not Outcome.YES
    ]
    assert len(wrong) == 3
    assert all("-log Pr" in what for what in wrong[:2])
    assert "-log of the chance that (4) fails" in wrong[2]


def test_the_slope_at_the_threshold_of_section_42_excludes_the_printed_one() -> None:
    slopes = [
        item.found for item in QUICK["lem-4.2"].observations if isinstance(item.found, Interval)
    ]
    assert len(slopes) == 1
    assert slopes[0].contains(0.092) and slopes[0].excludes(-0.2) and slopes[0].excludes(0.0)


def test_the_witness_of_lemma_42_shows_the_failure_again() -> None:
    seen = QUICK["lem-4.2"].witness
    m, number = seen["m"], seen["flips that break (4) with constant 1"]
    chance = 2.0 / math.pi * math.asin(1.0 / (m * math.sqrt(8.0)))  # of a flip, tau = 0
    log = stats.binom.logsf(number - 1, m, chance)
    assert log == pytest.approx(seen["log of their probability, at least"], rel=1e-4)
    assert log > 0.3 * seen["minus m^(1/2)"]


def shorten(patch: pytest.MonkeyPatch, claim: Claim) -> None:
    """Leave out what is measured over many widths where the verdict does not depend on it."""
    if claim.recorded is Verdict.FAILS:
        patch.setattr(statements, "_threshold_of_section_42", lambda budget, rng: [])


def test_without_an_error_a_shortened_check_finds_the_recorded_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shorten(monkeypatch, CLAIMS["lem-4.2"])
    assert verdict_of(CLAIMS["lem-4.2"]) is Verdict.FAILS


def larger(value: Any) -> Any:
    return 1.01 * value


def doubled_range(ends: Any) -> Any:
    return ends[0], 1.01 * ends[1]


Change = Callable[[Any], Any]
ERRORS: list[tuple[str, Any, str, Change]] = [
    ("lem-4.2", theory, "printed_g_bound", larger),
    ("lem-4.2", theory, "printed_f_bound", larger),
    ("lem-4.2", theory, "flip_tail_bracket", lambda ends: (1.01 * ends[0], 1.01 * ends[1])),
    ("lem-4.2", theory, "expected_parkable", lambda mean: 1.03 * mean),
    ("lem-c.9", theory, "worst_perturbation", lambda worst: replace(worst, g=1.01 * worst.g)),
    ("lem-c.9", theory, "moved_flips", larger),
    ("lem-4.2-r", theory, "repaired_f_order", larger),
    ("lem-4.2-r", theory, "reachable_flips", lambda mean: 1.1 * mean),
    ("thm-c", theory, "_range", doubled_range),
    ("thm-c", theory, "repaired_f_order", larger),
    ("thm-c", theory, "reachable_flips", lambda mean: 0.9 * mean),
    ("def-a.4", losses.AbsoluteLoss, "_value", larger),
    ("def-a.4", TwoLayerNetwork, "forward", larger),
    ("def-a.4", activations.ShiftedReLU, "jump_height", lambda height: 0.0 * height),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "owner", "function", "change"), ERRORS)
def test_an_error_in_a_function_changes_the_verdict(
    monkeypatch: pytest.MonkeyPatch, name: str, owner: Any, function: str, change: Change
) -> None:
    shorten(monkeypatch, CLAIMS[name])
    right = getattr(owner, function)
    monkeypatch.setattr(owner, function, lambda *given, **more: change(right(*given, **more)))
    assert is_unsettled(CLAIMS[name])


TEXT = [
    ("lem-4.2", "best.offer(rise - margin + jump, p, q", "best.offer(rise - margin - jump, p, q"),
    ("lem-4.2", "best.offer(end + jump", "best.offer(end - jump"),
    ("lem-4.2", "p, q = fixed(0.0, delta)", "p, q = fixed(0.0, -delta)"),
    ("lem-4.2", "p = -level * h - side", "p = level * h - side"),
    ("lem-4.2", "+ end * h * half", "+ end * half / h"),
    ("lem-4.2", "radius * float(length * size", "radius * float(size"),
    ("lem-4.2", "np.where(slope > -delta * nu / 2.0, delta + nu", "np.where(slope > 0, delta - nu"),
    ("lem-4.2", "deviation = math.sqrt(1.0 + h * h)", "deviation = math.sqrt(1.0 + h)"),
    ("lem-4.2", "deviation = math.sqrt(1.0 + h * h)", "deviation = math.sqrt(1.02 + h * h)"),
    ("lem-4.2", "np.exp(-0.5 * (reach * np.sin(angle)) ** 2)", "np.exp(-8 * np.sin(angle) ** 2)"),
    ("lem-4.2", "k * math.log(p) + (m - k)", "k * math.log(p) - (m - k)"),
    ("lem-4.2", "first - math.log1p(-ratio)", "first + math.log1p(-ratio)"),
    ("lem-4.2", "weight * length * radius * sizes.size", "weight * radius * sizes.size"),
    ("lem-4.2", "moves=weight * radius * length * kept", "moves=weight * radius * kept"),
    ("thm-c", "best.offer(rise, p, q, rise <= 0.0)", "best.offer(-rise, p, q, rise <= 0.0)"),
    ("thm-c", "np.where(up, highest, lowest)", "np.where(up, lowest, highest)"),
    ("thm-c", "cap_share(-t, d, length) - 1.0", "cap_share(t, d, length) - 1.0"),
    ("thm-c", "math.sqrt(d / m) + math.sqrt(math.log(m) / m)", "math.sqrt(d / m)"),
    ("lem-4.2-r", "share * (norm + radius) * length", "share * (norm + radius)"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "right", "wrong"), TEXT)
def test_an_error_in_a_formula_changes_the_verdict(
    monkeypatch: pytest.MonkeyPatch, name: str, right: str, wrong: str
) -> None:
    shorten(monkeypatch, CLAIMS[name])
    with planted(theory, right, wrong) as copy:
        monkeypatch.setattr(statements, "perturbation", copy)
        assert is_unsettled(CLAIMS[name])


def test_recorded_failures_say_what_would_change_them() -> None:
    for claim in CLAIMS.values():
        assert (claim.recorded is Verdict.FAILS) == bool(claim.misreading)
        assert claim.remark and claim.proof and claim.chapter
