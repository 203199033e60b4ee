"""Promises of ``claims.statements.existence``: the verdicts, and that errors change them."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from fractions import Fraction
from types import ModuleType

import pytest

from sublinear_lib.claims import Budget, Claim, Outcome, Role, Verdict
from sublinear_lib.claims.statements import existence as statements
from sublinear_lib.theory import caps, existence, polynomials
from tests.claims.planting import is_unsettled, planted
from tests.claims.stored import QUICK

CLAIMS = {claim.id: claim for claim in statements.CLAIMS}
IDS = ["def-b.1", "lem-b.3", "lem-b.9", "thm-b.10", "lem-c.18", "claim-c.19", "eq-25", "eq-25-r"]
IDS += ["thm-4.4", "thm-4.4-r", "thm-e"]


def test_every_statement_about_existence_has_its_claim() -> None:
    assert sorted(CLAIMS) == sorted(IDS)


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_a_check_can_be_sent_to_another_process(claim: Claim) -> None:
    assert pickle.loads(pickle.dumps(claim)) == claim


def test_the_witness_of_equation_25_is_a_mean_that_does_not_fall_with_tau() -> None:
    witness = QUICK["eq-25"].witness
    assert witness["tau"] == witness["k"] ** -0.5
    assert witness["mean"] > 1.0 > 1000 * witness["tau"]


# Each line: the statement, a formula of the theory, and the formula with an error.
ERRORS = [
    ("def-b.1", polynomials, "arb(j + 1) ** ball(Fraction(7, 4))", "arb(j + 1) ** 2"),
    ("def-b.1", polynomials, "ball(Fraction(j, 2)) if j else arb(1)", "j if j else arb(1)"),
    ("def-b.1", polynomials, "power * (1 + factor) * ball(size)", "power * factor * ball(size)"),
    ("def-b.1", polynomials, "ball(1 / accuracy).log()", "ball(101 / (100 * accuracy)).log()"),
    ("lem-b.3", existence, "x * here - j * last", "x * here + j * last"),
    ("lem-b.3", existence, "ball(factor) * _density(ball(at))", "ball(factor) / 2"),
    ("lem-b.3", existence, "(ball(at) / arb(2).sqrt()).erfc() / 2", "ball(at).erfc() / 2"),
    ("lem-b.3", existence, "/ 4).exp() / (2", "/ 4).exp() / (2.02"),
    ("lem-b.3", existence, "np.where(signs, kept, -kept)", "kept"),
    ("lem-b.3", existence, "return (ball(tau) / 2).erfc() / 2", "return ball(tau).erfc() / 2"),
    ("lem-b.3", existence, "return found * _density(ball(level))", "return found / 10**6"),
    ("lem-b.3", existence, "* _value(_hermite(k), level)\n", "* _value(_hermite(k), level) / 2\n"),
    ("lem-b.9", existence, "shifts: FloatArray = 2.0 *", "shifts: FloatArray = 2.1 *"),
    ("lem-c.18", existence, "shifts: FloatArray = 2.0 *", "shifts: FloatArray = 2.02 *"),
    ("lem-c.18", existence, "inside + ball(Fraction(1, 2))", "inside + ball(Fraction(1, 4))"),
    ("lem-c.18", existence, "Fraction(k) / (2 * size**2)", "Fraction(k) / (2 * size)"),
    ("lem-c.18", existence, "ball(rate) * arb(k).sqrt()", "ball(rate) * arb(k).log()"),
    (
        "claim-c.19",
        existence,
        "2 * (ball(length) / arb(8).sqrt())",
        "(ball(length) / arb(8).sqrt())",
    ),
    ("claim-c.19", existence, "(-square / (2 *", "(-square / (2.02 *"),
    ("claim-c.19", existence, "at - component + length * norm", "at - component + length"),
    ("claim-c.19", existence, "np.sin(angle) ** (d - 2)", "np.sin(angle) ** (d - 1)"),
    ("claim-c.19", existence, "return 2.0 * float(np.vdot", "return 2.02 * float(np.vdot"),
    (
        "claim-c.19",
        existence,
        "(2 / arb.pi()).sqrt() * ball(length)",
        "(2 / arb.pi()) * ball(length)",
    ),
    ("eq-25", existence, "inside + ball(Fraction(1, 2))", "inside"),
    (
        "eq-25",
        existence,
        "return inside + ball(Fraction(1, 2))",
        "return inside + ball(Fraction(2, 5))",
    ),
    ("eq-25-r", existence, "inside = (ball(at) / 2).erf() / 2", "inside = ball(at).erf() / 2"),
    ("eq-25-r", existence, "ball(at) / (2 * arb.pi().sqrt())", "ball(at) / (4 * arb.pi().sqrt())"),
    ("eq-25-r", existence, "ball(at) / (2 * arb.pi().sqrt())", "ball(at) / arb.pi().sqrt()"),
    ("thm-e", existence, "/ 4).exp() / (2", "/ 4).exp() / (2.02"),
    ("thm-e", existence, "2.0 ** (-n / 2) * abs(", "2.0 ** (-n / 4) * abs("),
    ("thm-e", existence, "(n / (2.0 * np.e)) ** (n / 2)", "(n / np.e) ** (n / 2)"),
    ("thm-b.10", existence, "gain = float(weights @ targets -", "gain = float(weights @ targets +"),
    ("thm-e", caps, "np.maximum(0.0, theta - alpha)", "np.maximum(0.0, theta - 2 * alpha)"),
    ("thm-4.4", existence, "design = patterns.T * share / 2.0", "design = patterns.T * share"),
]


WORDS = (int, float, str, tuple, Fraction)
LINEAR = ("_radii", "_fitted", "_single_point", "_target_radii", "_errors_on_circle")
RIGHT = {name: getattr(statements, name) for name in LINEAR}
FOUND: dict[tuple[object, ...], object] = {}


def remembered(name: str) -> Callable[..., object]:
    """Return a part of a check that computes once for the same arguments, whatever the numbers."""

    def part(*given: object) -> object:
        key = (name, *(item for item in given if isinstance(item, WORDS)))
        if key not in FOUND:
            FOUND[key] = RIGHT[name](*given)
        return FOUND[key]

    return part


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "module", "right", "wrong"), ERRORS)
def test_an_error_in_the_theory_changes_the_verdict(
    name: str, module: ModuleType, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = inspect.getsource(existence.smallest_radius)
    if right not in program:  # then the linear programs find the same
        for part in RIGHT:
            monkeypatch.setattr(statements, part, remembered(part))
    with planted(module, right, wrong) as copy:
        monkeypatch.setattr(statements, module.__name__.rpartition(".")[2], copy)
        assert is_unsettled(CLAIMS[name])


def test_equation_25_is_a_typo_because_the_band_that_its_proof_needs_is_true() -> None:
    found = CLAIMS["eq-25"].run(Budget.QUICK, 0)
    assert found.verdict is CLAIMS["eq-25"].recorded is Verdict.TYPO
    wrong = [item.role for item in found.observations if item.outcome is not Outcome.YES]
    assert wrong == [Role.PRINT, Role.PRINT]
