"""Promises of ``claims.statements.concentration``: the verdicts, and that errors change them."""

from __future__ import annotations

import functools
import pickle

import pytest

from sublinear_lib.claims import Claim, Role
from sublinear_lib.claims.statements import concentration as statements
from sublinear_lib.theory import concentration as theory
from tests.claims.planting import is_unsettled, planted
from tests.claims.stored import QUICK

CLAIMS = {claim.id: claim for claim in statements.CLAIMS}
IDS = [f"lem-a.{k}" for k in range(5, 10)] + ["claim-a.10", "thm-a.3", "lem-b.2"]
IDS += ["lem-a.5-r", "lem-a.8-r"]


def test_every_tool_of_the_appendix_has_its_claim() -> None:
    assert sorted(CLAIMS) == sorted(IDS)


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_a_check_has_a_control(claim: Claim) -> None:
    evidence = QUICK[claim.id]
    assert any(item.role is Role.CONTROL for item in evidence.observations)


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_a_check_can_be_sent_to_another_process(claim: Claim) -> None:
    assert pickle.loads(pickle.dumps(claim)) == claim


# Each line: the statement, a formula of the theory, and the formula with an error.
ERRORS = [
    # A.3: the exponent off by one percent and with the wrong sign, a root dropped
    ("thm-a.3", "(-(ball(shift) ** 2) / 2).exp()", "(-(ball(shift) ** 2) / 2.02).exp()"),
    ("thm-a.3", "(-(ball(shift) ** 2) / 2).exp()", "(ball(shift) ** 2 / 2).exp()"),
    ("thm-a.3", "    root = Fraction(2)\n", "    root = Fraction(101, 50)\n"),
    ("thm-a.3", "(half_width / arb(2).sqrt()).erf()", "(half_width / arb(2)).erf()"),
    # A.5: lines and law
    ("lem-a.5", '_central(ball(u)), "<=", u * Fraction(4, 5)', '_central(ball(u)), "<=", u'),
    ("lem-a.5", "u * Fraction(2, 3)", "u * Fraction(202, 300)"),
    ("lem-a.5", "ratio * 4 / 5 - _central(ratio)", "ratio * 3 / 4 - _central(ratio)"),
    ("lem-a.5", "_central(ratio) - ratio * 2 / 3", "_central(ratio) - ratio * 2.02 / 3"),
    ("lem-a.5-r", "_central(ratio) - ratio * 2 / 3", "_central(ratio) - ratio * 2.02 / 3"),
    ("lem-a.5-r", "_central(ratio) - ratio * 2 / 3", "_central(ratio) + ratio * 2 / 3"),
    ("lem-a.5-r", "(half_width / arb(2).sqrt()).erf()", "(half_width / arb(2)).erf()"),
    ("lem-a.5-r", 'gaussian_wedge_margin(u, "lower"), 1, 2', "ball(6) / 5 - u, 1, 2"),
    # A.6
    ("lem-a.6", "-2 * deviation**2 / squares", "-2.02 * float(deviation) ** 2 / float(squares)"),
    ("lem-a.6", "-2 * deviation**2 / squares", "2 * deviation**2 / squares"),
    ("lem-a.6", "-2 * deviation**2 / squares", "-2 * deviation / squares"),
    ("lem-a.6", "lambda: 2 * ball(-2", "lambda: ball(-2"),
    ("lem-a.6", "abs(u - mean) >= deviation", "u - mean >= deviation"),
    ("lem-a.6", "abs(u - mean) >= deviation", "abs(u - mean) > deviation"),
    # A.7 and B.2
    ("lem-a.7", "under_root = 4 * level", "under_root = 2 * level"),
    ("lem-a.7", "shift = 2 * largest *", "shift = Fraction(202, 100) * largest *"),
    ("lem-a.7", "return ball(-level).exp()", "return ball(-level * 101 / 100).exp()"),
    ("lem-a.7", "ball(mean) - ball(under_root).sqrt()", "ball(mean) - ball(under_root)"),
    ("lem-a.7", "tilt * tilt / (1 - 2 * tilt) + tilt", "tilt * tilt / (1 - tilt) + tilt"),
    ("lem-a.7", "tilt * tilt - tilt + (1 + 2", "tilt * tilt / 2 - tilt + (1 + 2"),
    ("lem-b.2", "under_root = 4 * level", "under_root = 2 * level"),
    ("lem-b.2", "math.prod((a / (a - b)", "math.prod((b / (a - b)"),
    ("lem-b.2", "(-level / (2 * ball(a))).exp()", "(-level / ball(a)).exp()"),
    ("lem-b.2", "(level if linear_term else _ONE)", "(level if linear_term else level)"),
    ("lem-b.2", "squares**2 if squared_norm", "squares if squared_norm"),
    ("lem-b.2", "return 1 - above(at)", "return above(at)"),
    # A.8
    ("lem-a.8", "k >= mean * (1 + eps)", "k > mean * (1 + eps)"),
    ("lem-a.8", "k <= mean * (1 - eps)", "k <= mean * (1 + eps)"),
    ("lem-a.8", "divisor = Fraction(2)\n", "divisor = Fraction(99, 50)\n"),
    ("lem-a.8", "Fraction(3) if form", "Fraction(101, 33) if form"),
    ("lem-a.8", "rate - epsilon * epsilon / 3", "rate - epsilon * epsilon / 3.03"),
    ("lem-a.8", "away = epsilon if side", "away = -epsilon if side"),
    ("lem-a.8-r", "else 2 + eps\n", "else 3 + eps\n"),
    ("lem-a.8-r", "rate - epsilon * epsilon / (2 + epsilon)", "rate - epsilon / (2 + epsilon)"),
    ("lem-a.8-r", "* (1 + away).log() - away", "* (1 + away).log() + away"),
    ("lem-a.8-r", "ball(-eps * eps * mean / divisor)", "ball(-eps * mean / divisor)"),
    # A.9
    ("lem-a.9", "k - mean > deviation", "k - mean >= deviation"),
    ("lem-a.9", "largest * deviation / 3", "largest * deviation / 2"),
    ("lem-a.9", "-(deviation**2 / 2) / (variance", "-(deviation**2 / 2) / (variance / 2"),
    ("lem-a.9", "(q * (1 - q) for q in p)", "(q for q in p)"),
    ("lem-a.9", "max(max(q, 1 - q) for q in p)", "max(q for q in p)"),
    # A.10
    ("claim-a.10", "ball(half) / arb.pi().sqrt()", "ball(half) / arb.pi()"),
    ("claim-a.10", "ball(half) / arb.pi().sqrt()", "ball(half) * ball(99) / 100 / arb.pi().sqrt()"),
    ("claim-a.10", "ball((shift - half) / 2).erfc()", "ball((shift - half)).erfc()"),
    ("claim-a.10", "- ball((shift + half) / 2).erfc()", "+ ball((shift + half) / 2).erfc()"),
]


@functools.cache
def inverted(weights: tuple[float, ...], at: float) -> float:
    """Integrate once for all errors: a check draws the same sums, and the theory has no part."""
    return RIGHT(weights, at)


RIGHT = statements._weighted_tail


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "right", "wrong"), ERRORS)
def test_an_error_in_the_theory_changes_the_verdict(
    name: str, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statements, "_weighted_tail", lambda a, at: inverted(tuple(a), at))
    with planted(theory, right, wrong) as copy:
        monkeypatch.setattr(statements, "concentration", copy)
        assert is_unsettled(CLAIMS[name])


def test_the_witnesses_show_the_failures() -> None:
    wedge = QUICK["lem-a.5"].witness
    assert wedge["probability"] < wedge["printed lower bound"]
    tail = QUICK["lem-a.8"].witness
    assert tail["probability"] > 1e4 * tail["printed bound"]
    damaged = QUICK["lem-b.2"].witness
    assert damaged["probability"] > 1.2 * damaged["exp(-t)"]
