"""The whole ledger: nothing is missing, every verdict is as recorded, nothing stored is old."""

import pickle
import pkgutil
from collections import Counter

import pytest

from sublinear_lib import claims
from sublinear_lib.claims.collector import Collector
from sublinear_lib.claims.instruments import descents, gaps
from sublinear_lib.claims.storing import load_evidence
from sublinear_lib.theory.exponents import CHAINS
from tests.claims.stored import QUICK

# Not the seed of the other tests: what holds at one seed has to hold at another.
SEED = 2026


def test_sums_of_exponents_bear_on_proofs_and_not_on_statements():
    """An upper bound that is not small refutes a proof; only a witness refutes a statement."""
    look = Collector()
    gaps.printed_chain(look, "4.1")
    for key in CHAINS:
        descents.chain(look.proof, key)
    seen = look.observations
    assert not [item.what for item in seen if item.role is claims.Role.STATEMENT]
    assert any((i.role, i.outcome) == (claims.Role.PROOF, claims.Outcome.NO) for i in seen)


@pytest.mark.parametrize("claim", claims.LEDGER, ids=lambda claim: claim.id)
def test_a_claim_says_what_a_reader_needs(claim):
    assert len(claim.title) <= 60, "a title has at most 60 characters"
    assert claim.plain.endswith("."), "`plain` is a sentence"
    assert claim.chapter.startswith(("part1/", "part2/", "part3/"))
    assert claim.remark, "`remark` says why the verdict is what it is"
    assert claim.statement.count("$") % 2 == 0, "a dollar sign of `statement` has no partner"
    assert claim.statement.count("{") == claim.statement.count("}")
    if claim.repairs:
        assert claims.LEDGER[claim.repairs].source.work == "paper"
    if claim.repairs or claim.source.work == "repair":
        assert claim.proof, "`proof` is a page of the book and an anchor there"
    if claim.source.work == "repair":
        assert claim.recorded in (claims.Verdict.REPAIRED, claims.Verdict.HOLDS)
    defines = claim.id.startswith(("def-", "alg-")) and claim.source.work == "paper"
    assert claim.implemented_by or not defines
    assert not claim.implemented_by or callable(pkgutil.resolve_name(claim.implemented_by))
    if claim.source.work in ("memorization", "features"):
        assert bool(claim.proof) == (claim.recorded is not claims.Verdict.MEASURED)
    if claim.source.work == "features" and claim.recorded is claims.Verdict.HOLDS:
        assert claim.proof == f"{claim.chapter}#proof-{claim.id}"
    assert not claim.misreading or claim.recorded in (claims.Verdict.FAILS, claims.Verdict.TYPO)
    assert claim.check.__name__.startswith("_check"), "a check is a private function, _check_..."
    assert pickle.loads(pickle.dumps(claim)) == claim, "a check runs in another process"


@pytest.mark.parametrize("claim", claims.LEDGER.checked(), ids=lambda claim: claim.id)
def test_the_evidence_of_a_claim_says_what_its_verdict_asks_for(claim):
    evidence = QUICK[claim.id]
    found = evidence.observations
    repairs = [item for item in found if item.role is claims.Role.REPAIR]
    wrong = [item.what for item in repairs if item.outcome is not claims.Outcome.YES]
    assert wrong == [], "what holds instead does hold"
    controlled = any(item.role is claims.Role.CONTROL for item in found)
    if claim.recorded is claims.Verdict.FAILS:
        assert evidence.witness and repairs and controlled
    if claim.check.__module__.endswith(("concentration", "polynomials")):
        assert controlled, "a tool is looked at on a case whose answer is known, too"


def test_few_statements_of_the_other_works_do_not_hold():
    others = [claim for claim in claims.LEDGER if claim.source.work in ("memorization", "features")]
    assert Counter((claim.source.work, claim.recorded) for claim in others) == {
        ("memorization", claims.Verdict.HOLDS): 13,
        ("memorization", claims.Verdict.CITED): 1,
        ("memorization", claims.Verdict.MEASURED): 1,
        ("features", claims.Verdict.HOLDS): 10,
        ("features", claims.Verdict.CITED): 3,
        ("features", claims.Verdict.MEASURED): 5,
    }


@pytest.mark.thorough
def test_every_verdict_is_the_recorded_one_at_another_seed(tmp_path):
    reports = claims.verify(claims.LEDGER, budget="quick", seed=SEED, jobs=2)
    other = {
        report.claim.id: report.error
        or [
            (item.role.value, item.what, item.shown, item.asked, item.outcome.value)
            for item in report.evidence.observations
        ]
        for report in reports
        if report.evidence is None or not report.as_recorded
    }
    assert other == {}
    assert [one.claim.id for one in reports] == [claim.id for claim in claims.LEDGER.checked()]
    # Whatever was found can be stored and read.
    claims.save_evidence(tmp_path / "all.json", claims.merge({}, reports))
    assert len(load_evidence(tmp_path / "all.json")) == len(claims.LEDGER.checked())


@pytest.mark.parametrize("budget", list(claims.Budget), ids=lambda budget: budget.value)
def test_the_stored_evidence_is_complete_and_not_outdated(budget):
    stored = claims.stored_evidence(budget)
    assert set(stored) == {claim.id for claim in claims.LEDGER.checked()}
    assert claims.stale(claims.LEDGER, stored) == (), "renew it: sublinear verify --stale --store"
    for name, item in stored.items():
        assert item.evidence.verdict is claims.LEDGER[name].recorded
        # A fingerprint does not know the rule: what is stored has to follow from it as it is.
        assert claims.LEDGER[name].judge(item.evidence.observations) is item.evidence.verdict
        assert item.evidence.budget is budget
