"""The search for planted errors notices them, and nothing where there is none."""

import pytest

from sublinear_lib.claims import LEDGER, Role, Verdict
from sublinear_lib.claims.collector import check_of
from tests.claims.planting import is_unsettled
from tests.claims.statements import check_broken, claim
from tests.claims.stored import QUICK

FAST = [item for item in LEDGER.checked() if QUICK[item.id].seconds < 0.3]
"""The claims whose quick check took no time to speak of."""


@pytest.mark.thorough
@pytest.mark.parametrize("item", FAST, ids=lambda item: item.id)
def test_a_check_in_which_no_error_was_planted_keeps_its_verdict(item):
    assert not is_unsettled(item)


@pytest.mark.parametrize("role", [Role.STATEMENT, Role.CONTROL, Role.PROOF, Role.PRINT])
def test_what_rules_the_verdict_out_ends_the_check(role):
    reached = []

    @check_of
    def check(look, budget, rng):
        look("the statement").equals(1, 1)
        look.on(role)("a part").equals(1, 2)
        reached.append("the end")

    assert is_unsettled(claim("lem-a.1", check, Verdict.HOLDS))
    assert reached == []


@pytest.mark.parametrize(("found", "control"), [(1, 1), (1, 2), (2, 1)])
def test_what_fails_on_record_has_to_fail_and_its_controls_not(found, control):
    @check_of
    def check(look, budget, rng):
        look("the statement").equals(found, 2)
        look.control("a control").equals(control, 1)

    failing = claim("lem-a.1", check, Verdict.FAILS, misreading="another sign")
    assert is_unsettled(failing) is ((found, control) != (1, 1))


def test_a_check_that_raises_is_noticed():
    assert is_unsettled(claim("lem-a.1", check_broken, Verdict.HOLDS))
