"""Promises of ``claims.statements.polynomials``: the verdicts, and that errors change them."""

from __future__ import annotations

import pickle

import pytest

from sublinear_lib.claims import Claim, Outcome, Role
from sublinear_lib.claims.statements import polynomials as statements
from sublinear_lib.theory import polynomials as theory
from tests.claims.planting import is_unsettled, planted
from tests.claims.stored import QUICK

CLAIMS = {claim.id: claim for claim in statements.CLAIMS}
IDS = ["lem-a.1", "thm-a.2", "lem-b.4", "claim-b.5", "lem-b.6", "prop-b.7", "cor-b.8"]


def test_every_lemma_on_polynomials_has_its_claim() -> None:
    assert list(CLAIMS) == IDS


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_a_check_has_a_control(claim: Claim) -> None:
    evidence = QUICK[claim.id]
    assert any(item.role is Role.CONTROL for item in evidence.observations)


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_a_check_can_be_sent_to_another_process(claim: Claim) -> None:
    assert pickle.loads(pickle.dumps(claim)) == claim


# Each line: the statement, a formula of the theory, and the formula with an error.
ERRORS = [
    # A.1: the order, the coefficients, the accuracy
    ("lem-a.1", "ball(2 / eps).log() / ball(eta) ** 2", "ball(2 / eps).log() / ball(eta)"),
    ("lem-a.1", "ball(2 / eps).log() / ball(eta) ** 2", "ball(1 / eps).log() / ball(eta) ** 2"),
    ("lem-a.1", "(2 * k + 1) * math.comb(2 * k, k), 4**k", "101 * math.comb(2 * k, k), 4**k"),
    ("lem-a.1", "Fraction((-1) ** i * math", "Fraction((1) ** i * math"),
    ("lem-a.1", '1 - sign_polynomial(k)(gap), "<=", accuracy / 2', '_ZERO, "<=", accuracy / 2'),
    ("lem-a.1", '(gap), "<=", accuracy / 2', '(gap), "<=", accuracy'),
    ("lem-a.1", "fmpq_poly([1, 0, -1]) ** k - 1", "fmpq_poly([1, 0, -1]) ** (2 * k) - 1"),
    # A.2 and B.8: the law of the sum of signs, the exponent, the cut
    ("thm-a.2", "value = math.comb(s, (s + j) // 2)", "value = math.comb(s, s // 3)"),
    ("thm-a.2", "weights[j] = 2 * value if j else value", "weights[j] = 2 * value"),
    ("thm-a.2", "value * (s - j) // (s + j + 2)", "value * (s - j) // (s + j)"),
    ("thm-a.2", "2 * ball(Fraction(-t * t, 2 * m)).exp()", "2 * ball(Fraction(-t, 2 * m)).exp()"),
    ("thm-a.2", "2 * ball(Fraction(-t * t, 2 * m)).exp()", "ball(Fraction(-t * t, 2 * m)).exp()"),
    ("thm-a.2", 'return decide(1 - inside, "<=", lambda', 'return decide(inside, "<=", lambda'),
    ("thm-a.2", "twice * here - last", "twice * here + last"),
    ("cor-b.8", "twice * here - last", "twice * here + last"),
    ("cor-b.8", "_level_weights(s, most)), 2**s)", "_level_weights(s, most)), 2 ** (s + 1))"),
    ("cor-b.8", '"<=", Fraction(4) ** most', '"<=", Fraction(2) ** most'),
    # B.7
    ("prop-b.7", '"<=", Fraction(4) ** k', '"<=", Fraction(5) ** k'),
    ("prop-b.7", "fmpz_poly.chebyshev_t(count", "fmpz_poly.chebyshev_u(count"),
    (
        "prop-b.7",
        "sum((abs(value) for value in chebyshev(k)",
        "sum((value for value in chebyshev(k)",
    ),
    # B.6
    ("lem-b.6", "3 / ball(gap) * ball(2", "ball(gap) / 3 * ball(2"),
    ("lem-b.6", "3 / ball(gap) * ball(2", "ball(Fraction(303, 100)) / ball(gap) * ball(2"),
    ("lem-b.6", "gap if eta_in_logarithm else _ONE", "_ONE if eta_in_logarithm else gap"),
    ("lem-b.6", "arb(2) ** (4 * printed())", "arb(2) ** (3 * printed())"),
    ("lem-b.6", "math.comb(2 * i, i) << (3 * (k - i))", "math.comb(2 * i, i) << (2 * (k - i))"),
    ("lem-b.6", "in_y(fmpz_poly([1, -1]))", "in_y(fmpz_poly([1, 1]))"),
    ("lem-b.6", "reach = 3 * (at_least", "reach = 4 * (at_least"),
    ("lem-b.6", "at_least - reach**2 / (2 * spread)", "at_least - reach / (2 * spread)"),
    ("lem-b.6", "2 - 1 / (arb.pi()", "2 + 1 / (arb.pi()"),
    ("lem-b.6", "sign_polynomial(order)(gap) + cut", "sign_polynomial(order)(gap) - cut"),
    ("lem-b.6", "2 * ball(-exponent).exp()", "ball(-exponent).exp()"),
    # B.5
    ("claim-b.5", "gamma = separation * (separation - 2 * radius)", "gamma = separation**2"),
    ("claim-b.5", "24 / ball(gamma) * ball(16", "24 / ball(gamma) * ball(17"),
    ("claim-b.5", "24 / ball(gamma) * ball(16", "12 / ball(gamma) * ball(16"),
    ("claim-b.5", "_order(gamma / 8, 2 * accuracy)", "_order(gamma * 2, 2 * accuracy)"),
    (
        "claim-b.5",
        "far, near = 1 - (separation - radius) ** 2 / 2",
        "far, near = 1 - separation**2 / 2",
    ),
    ("claim-b.5", "q = (1 + sign(", "q = (1 - sign("),
    ("claim-b.5", "arb(2) ** (6 * printed())", "arb(2) ** (5 * printed())"),
    # B.4
    ("lem-b.4", "accuracy / (3 * len(points))", "accuracy / len(points)"),
    ("lem-b.4", "bound=step.eps * weight", "bound=step.eps"),
    ("lem-b.4", "found += ball(Fraction(float(label))) * value", "found += value"),
    ("lem-b.4", "24 / ball(gamma) * ball(16", "24 / ball(gamma) * ball(17"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "right", "wrong"), ERRORS)
def test_an_error_in_the_theory_changes_the_verdict(
    name: str, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with planted(theory, right, wrong) as copy:
        monkeypatch.setattr(statements, "polynomials", copy)
        assert is_unsettled(CLAIMS[name])


@pytest.mark.parametrize("name", ["thm-a.2", "lem-b.4"])
def test_only_the_letters_fail_where_a_misprint_is_recorded(name: str) -> None:
    seen = QUICK[name].observations
    assert {item.role for item in seen if item.outcome is not Outcome.YES} == {Role.PRINT}
