"""A ledger refuses what cannot be, and knows what rests on what."""

import json
from dataclasses import replace

import numpy as np
import pytest

from sublinear_lib.claims import Budget, Ledger, ProofStatus, Verdict, judge, verify
from sublinear_lib.claims import claim as claim_module
from sublinear_lib.claims.claim import Source
from sublinear_lib.claims.evidence import decoded, encoded
from tests.claims.statements import check_gap, check_mean, claim, small_ledger

OURS = Source("repair", "here")


def definition():
    by = "sublinear_lib.claims.Ledger"
    return claim("def-3.1", check_mean, Verdict.IMPLEMENTED, status=None, implemented_by=by)


def ids(claims):
    return [item.id for item in claims]


def held(name, *below):
    return claim(name, check_mean, Verdict.HOLDS, depends_on=below)


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ([held("lem-a.1"), held("lem-a.1")], r"'lem-a\.1' twice"),
        ([held("lem-a.1", "lem-a.2")], r"got 'lem-a\.2'"),
        ([held("lem-a.1", "lem-a.2"), held("lem-a.2", "lem-a.1")], r"lem-a\.1 -> lem-a\.2"),
    ],
)
def test_a_ledger_refuses_doubles_missing_claims_and_circles(claims, message):
    with pytest.raises(ValueError, match=message):
        Ledger(claims)


def test_a_failure_knows_its_repairs():
    ledger = small_ledger()
    assert ids(ledger.repairs_of("thm-4.1")) == ["thm-4.1r"]
    edges = {("thm-4.1", "lem-a.1"), ("thm-4.1r", "lem-a.1"), ("thm-4.4", "thm-4.1r")}
    assert set(ledger.graph().edges) == edges


@pytest.mark.parametrize(
    ("recorded", "more", "what"),
    [
        (Verdict.MEASURED, {}, "measured, measured"),
        (Verdict.GAP, {}, "proof gap, complete here"),
        (Verdict.GAP, {"status": ProofStatus.SKETCHED}, "proof gap, sketched"),
        (Verdict.FAILS, {"misreading": "a sign"}, "fails as printed, complete here"),
    ],
)
def test_nothing_holds_that_rests_on_what_is_not_proved(recorded, more, what):
    below = claim("lem-a.1", check_gap, recorded, **more)
    settings = {"name": "thm-4.1", "check": check_gap, "depends_on": ("lem-a.1",)}
    for verdict, own in (
        (Verdict.HOLDS, {}),
        (Verdict.REPAIRED, {"repairs": "lem-a.1"}),
        (Verdict.TYPO, {}),
    ):
        above = claim(recorded=verdict, **own, **settings)
        with pytest.raises(ValueError, match=rf"thm-4\.1 is recorded.*got lem-a\.1: {what}"):
            Ledger([below, above])
    Ledger([below, claim(recorded=Verdict.GAP, **settings)])
    settings["despite"] = {"lem-a.1": "only its first half is used"}
    harmless = Ledger([below, claim(recorded=Verdict.HOLDS, **settings)])
    assert harmless.weakest("thm-4.1") is ProofStatus.COMPLETE


def test_the_weakest_status_and_the_cited_tools_are_found_however_far_below():
    cited, sketched = ProofStatus.CITED, ProofStatus.SKETCHED
    tool = Source("paper", "Appendix A", quoted=True)
    ledger = Ledger(
        [
            claim("lem-a.1", check_gap, Verdict.HOLDS, status=cited, source=tool),
            claim("lem-a.2", check_gap, Verdict.HOLDS, depends_on=("lem-a.1",)),
            claim("lem-a.3", check_gap, Verdict.HOLDS, depends_on=("lem-a.2",)),
            claim("lem-a.4", check_gap, Verdict.GAP, status=sketched),
            claim("lem-a.5", check_gap, Verdict.GAP, depends_on=("lem-a.3", "lem-a.4")),
        ]
    )
    assert (ledger.weakest("lem-a.2"), ledger.weakest("lem-a.3")) == (cited, cited)
    assert ledger.weakest("lem-a.5") is sketched
    assert ids(ledger.cited("lem-a.5")) == ["lem-a.1"]


def test_what_is_printed_twice_is_checked_and_counted_once():
    first = claim("thm-4.1", check_gap, Verdict.FAILS, misreading="a sign")
    again = claim("thm-c.1", check_gap, Verdict.FAILS, misreading="a sign", restates="thm-4.1")
    ledger = Ledger([first, again])
    assert ids(ledger.checked()) == ids(ledger.checked(["thm-c.1"])) == ["thm-4.1"]
    assert ids(report.claim for report in verify(ledger, ["thm-c.1"])) == ["thm-4.1"]
    tally = ledger.tally()
    assert (tally.statements, tally.restated, tally.failures, tally.causes) == (1, 1, 1, 1)
    with pytest.raises(ValueError, match=r"thm-c\.1 must have the recorded, check"):
        Ledger([first, replace(again, check=check_mean)])


def test_failures_are_counted_by_cause_and_only_own_results_as_results():
    own = {"misreading": "a sign"}
    ledger = Ledger(
        [
            claim("thm-4.1", check_gap, Verdict.FAILS, **own),
            claim("lem-c.8", check_gap, Verdict.FAILS, cause="thm-4.1", **own),
            claim("lem-4.5", check_gap, Verdict.FAILS, **own),
            claim("lem-c.3", check_gap, Verdict.HOLDS),
            claim("lem-a.1", check_gap, Verdict.HOLDS, source=Source("paper", "A", quoted=True)),
            definition(),
            claim("thm-4.1-r", check_gap, Verdict.REPAIRED, repairs="thm-4.1", source=OURS),
        ]
    )
    tally = ledger.tally()
    assert (tally.statements, tally.failures, tally.causes) == (7, 3, 2)
    assert tally.own == {Verdict.HOLDS: 1, Verdict.FAILS: 3}
    assert tally.mended == 2, "Lemma C.8 shares the cause that is repaired"
    with pytest.raises(ValueError, match=r"cause of lem-c\.8 must be a failure"):
        Ledger([ledger["lem-c.3"], replace(ledger["lem-c.8"], cause="lem-c.3")])


def test_a_definition_is_not_judged_and_does_not_count_as_a_result():
    one = definition()
    assert one.known == "not judged" and Ledger([one]).tally().own == {}
    held = check_mean(Budget.QUICK, np.random.default_rng(1)).observations
    assert one.judge(held) is Verdict.IMPLEMENTED
    with pytest.raises(ValueError, match="status must be given exactly for what is judged"):
        replace(one, status=ProofStatus.COMPLETE)
    with pytest.raises(ValueError, match="implemented_by must say what implements"):
        replace(one, implemented_by="", status=ProofStatus.COMPLETE)


def test_what_rests_on_simulation_is_measured_whatever_else_was_computed():
    exact_one, drawn = check_mean(Budget.QUICK, np.random.default_rng(1)).observations[::-1]
    assert judge([drawn]) is judge([drawn, exact_one], measured=True) is Verdict.MEASURED
    assert judge([drawn, exact_one]) is Verdict.HOLDS


def test_selection_keeps_reading_order_and_helps_with_a_misspelt_id():
    ledger = small_ledger()
    assert ids(ledger.select(["thm-4.4", "lem-a.1", "thm-4.4"])) == ["lem-a.1", "thm-4.4"]
    assert ids(ledger.select([])) == ids(ledger)
    with pytest.raises(KeyError, match=r"did you mean thm-4\.1"):
        ledger["thm-41"]
    with pytest.raises(TypeError, match=r"several ids, got the text 'lem-a\.1'"):
        ledger.select("lem-a.1")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"name": "Theorem 4.1"}, "thm-4.1"),
        ({"recorded": Verdict.FAILS}, "misreading"),
        ({"recorded": Verdict.REPAIRED}, "repairs"),
        ({"repairs": "thm-4.1"}, "repairs"),
        ({"recorded": Verdict.UNDECIDED}, "recorded"),
        ({"depends_on": ("Lemma 2",)}, "Lemma 2"),
        ({"status": None}, "status must be given"),
        ({"status": ProofStatus.MEASURED}, "status of lem-a.1, .* got 'measured'"),
        ({"status": ProofStatus.CITED}, "status of lem-a.1, .* got 'cited'"),
        ({"despite": {"lem-a.2": "harmless"}}, "despite must name dependencies"),
        ({"cause": "thm-4.1"}, "cause is for failures"),
    ],
)
def test_a_claim_that_says_too_little_is_refused(more, message):
    settings = {"name": "lem-a.1", "recorded": Verdict.HOLDS, **more}
    with pytest.raises(ValueError, match=message):
        claim(check=check_gap, **settings)


def test_a_claim_has_its_own_randomness_and_repeats_it():
    first, again, other, later = (
        claim(name, check_mean, Verdict.HOLDS).run(Budget.QUICK, seed).observations
        for name, seed in (("lem-a.1", 5), ("lem-a.1", 5), ("lem-a.2", 5), ("lem-a.1", 6))
    )
    assert first == again and other != first != later


@pytest.mark.parametrize(
    ("check", "given", "message"),
    [
        (lambda budget, rng: [], (Budget.QUICK, 0), r"lem-a\.1"),
        (check_mean, ("quick", 0), "budget must be a Budget, got 'quick'"),
        *((check_mean, (Budget.QUICK, seed), "seed") for seed in (-1, 1.5, True)),
    ],
)
def test_a_run_needs_a_budget_a_seed_and_a_check_that_returns_findings(check, given, message):
    with pytest.raises((TypeError, ValueError), match=message):
        claim("lem-a.1", check, Verdict.HOLDS).run(*given)


def test_what_a_check_found_is_the_same_when_it_is_stored_and_read(monkeypatch):
    """Its time too: shown to a tenth, 0.1502 s and the 0.150 s that were stored differ."""
    moments = iter([10.0, 10.1502])
    monkeypatch.setattr(claim_module.time, "perf_counter", lambda: next(moments))
    found = claim("lem-a.1", check_mean, Verdict.HOLDS).run(Budget.QUICK, 5)
    monkeypatch.undo()
    assert found.seconds == 0.15
    assert decoded("lem-a.1", json.loads(json.dumps(encoded(found)))) == found
