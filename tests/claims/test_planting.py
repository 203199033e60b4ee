"""The search for planted errors notices them, and nothing where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib.claims import LEDGER, Budget, Findings, Method, Role, Verdict, fact
from tests.claims.planting import is_unsettled
from tests.claims.statements import claim
from tests.claims.stored import QUICK

FAST = [item for item in LEDGER.checked() if QUICK[item.id].seconds < 0.3]
"""The claims whose quick check took no time to speak of."""


@pytest.mark.thorough
@pytest.mark.parametrize("item", FAST, ids=lambda item: item.id)
def test_a_check_in_which_no_error_was_planted_keeps_its_verdict(item) -> None:  # type: ignore[no-untyped-def]
    assert not is_unsettled(item)


@pytest.mark.parametrize("role", [Role.STATEMENT, Role.CONTROL, Role.PROOF, Role.PRINT])
def test_what_rules_the_verdict_out_ends_the_check(role: Role) -> None:
    reached = []

    def check(budget: Budget, rng: np.random.Generator) -> Findings:
        whole = fact("the statement", 1, "1", True, Method.EXACT)
        wrong = fact("a part", 1, "2", False, Method.EXACT, role)
        reached.append("the end")
        return Findings([whole, wrong])

    assert is_unsettled(claim("lem-a.1", check, Verdict.HOLDS))
    assert reached == []


def test_a_statement_that_fails_on_record_may_fail_and_its_controls_may_not() -> None:
    def check(control: bool):  # type: ignore[no-untyped-def]
        def run(budget: Budget, rng: np.random.Generator) -> Findings:
            wrong = fact("the statement", 1, "2", False, Method.EXACT)
            return Findings([wrong, fact("a control", 1, "1", control, Method.EXACT, Role.CONTROL)])

        return run

    for control in (True, False):
        failing = claim("lem-a.1", check(control), Verdict.FAILS, misreading="another sign")
        assert is_unsettled(failing) is not control


def test_a_failure_that_is_no_longer_found_is_noticed() -> None:
    def check(budget: Budget, rng: np.random.Generator) -> Findings:
        return Findings([fact("the statement", 1, "1", True, Method.EXACT)])

    assert is_unsettled(claim("lem-a.1", check, Verdict.FAILS, misreading="another sign"))


def test_a_check_that_raises_is_noticed() -> None:
    def check(budget: Budget, rng: np.random.Generator) -> Findings:
        raise ValueError("a planted error")

    assert is_unsettled(claim("lem-a.1", check, Verdict.HOLDS))
