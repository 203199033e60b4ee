"""A verification finds the same on any number of processes, and stores what the book reads."""

import importlib.util
import json
import linecache
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from sublinear_lib import claims
from sublinear_lib.claims.collector import Collector, check_of
from sublinear_lib.claims.storing import _sources, load_evidence
from tests.claims.statements import check_broken, check_gap, claim, small_ledger


def test_every_claim_gets_the_verdict_on_record_on_any_number_of_processes():
    alone, together = (claims.verify(small_ledger(), jobs=jobs, seed=3) for jobs in (1, 2))
    assert [report.verdict for report in alone] == [item.recorded for item in small_ledger()]
    assert all(report.as_recorded for report in alone)
    for one, two in zip(alone, together, strict=True):
        assert one.evidence is not None and two.evidence is not None
        assert replace(one.evidence, seconds=0.0) == replace(two.evidence, seconds=0.0)


def test_reports_come_one_by_one_and_can_be_left():
    running = claims.verify_each(small_ledger(), ["lem-a.1", "thm-4.4"])
    assert next(running).claim.id == "lem-a.1"
    running.close()
    together = claims.verify_each(small_ledger(), jobs=2)
    assert {report.claim.id for report in together} == {item.id for item in small_ledger()}


def test_the_observation_that_decides_is_the_one_that_the_verdict_follows_from():
    gap, fails = (r.evidence for r in claims.verify(small_ledger(), ["thm-4.4", "thm-4.1"])[::-1])
    assert gap is not None and gap.deciding.what == "the step"
    assert fails is not None and fails.deciding.what == "exponent of m"


@pytest.mark.parametrize(
    ("role", "outcome"),
    [
        (claims.Role.CONTROL, claims.Outcome.NO),
        (claims.Role.CONTROL, claims.Outcome.OPEN),
        (claims.Role.PROOF, claims.Outcome.OPEN),
        (claims.Role.STATEMENT, claims.Outcome.OPEN),
    ],
)
def test_what_leaves_a_claim_undecided_is_shown_and_not_what_fails_beside_it(role, outcome):
    (report,) = claims.verify(small_ledger(), ["thm-4.4"])
    assert report.evidence is not None
    look = Collector()
    look("the statement").equals(1, 1)
    look.repair("what holds instead").equals(1, 2)
    look.proof("a step").equals(1, 2)
    doubtful = claims.Observation("why", 1, "2", outcome, claims.Method.EXACT, role)
    seen = (*look.observations, doubtful)
    assert claims.judge(seen) is claims.Verdict.UNDECIDED
    undecided = replace(report.evidence, verdict=claims.Verdict.UNDECIDED, observations=seen)
    assert undecided.deciding is doubtful


def test_there_is_evidence_for_no_other_budget():
    with pytest.raises(ValueError, match="budget"):
        claims.evidence_path("endless")


def test_a_budget_reaches_the_checks():
    quick, full = (
        claims.verify(small_ledger(), ["lem-a.1"], budget=budget)[0].evidence
        for budget in claims.Budget
    )
    assert quick is not None and full is not None
    assert (quick.budget, full.budget) == (claims.Budget.QUICK, claims.Budget.FULL)
    assert quick.observations != full.observations


def test_a_check_that_raises_is_reported_and_the_others_go_on():
    ledger = claims.Ledger(
        [
            claim("lem-a.1", check_broken, claims.Verdict.HOLDS),
            claim("lem-a.2", check_gap, claims.Verdict.HOLDS),
        ]
    )
    broken, other = claims.verify(ledger)
    assert (broken.verdict, other.verdict) == (claims.Verdict.UNDECIDED, claims.Verdict.GAP)
    assert not broken.as_recorded and not other.as_recorded, "a verdict that changed is noticed"
    assert broken.error == "ArithmeticError: the enclosure did not close"


def test_wrong_settings_are_refused():
    for name, wrong in {"budget": "endless", "jobs": 0, "seed": -1, "progress": "yes"}.items():
        with pytest.raises((TypeError, ValueError), match=name):
            claims.verify(small_ledger(), **{name: wrong})


def test_evidence_survives_storing(tmp_path):
    ledger, path = small_ledger(), tmp_path / "evidence.json"
    stored = claims.merge({}, claims.verify(ledger))
    claims.save_evidence(path, stored)
    again = load_evidence(path)
    for name, item in stored.items():
        assert again[name].fingerprint == item.fingerprint
        assert replace(again[name].evidence, seconds=0.0) == replace(item.evidence, seconds=0.0)
    assert again["thm-4.1"].evidence.observations[0].found == Fraction(1, 10)
    assert claims.stale(ledger, again) == ()
    assert list(tmp_path.iterdir()) == [path]


def test_evidence_goes_stale_with_the_claim_and_with_its_check():
    ledger = small_ledger()
    stored = claims.merge({}, claims.verify(ledger))
    changed = [replace(item, statement="2 + 2 = 5") if item.id == "lem-a.1" else item
               for item in ledger]  # fmt: skip
    assert claims.stale(claims.Ledger(changed), stored) == ("lem-a.1",)

    @check_of
    def check_power(look, budget, rng):
        look("exponent of m").equals(Fraction(1, 10), Fraction(-1, 10))

    other = [replace(item, check=check_power) if item.id == "thm-4.1" else item for item in ledger]
    assert claims.stale(claims.Ledger(other), stored) == ("thm-4.1",)
    del stored["thm-4.4"]
    assert claims.stale(ledger, stored) == ("thm-4.4",)
    assert claims.fingerprint(ledger["thm-4.1"]) == stored["thm-4.1"].fingerprint


SOURCE = """
from sublinear_lib.claims.collector import Collector

_LIMIT: float = 2.0


def _deeper(x):
    return x + 1


class _Helper:
    def value(self):
        return _deeper(1)


def _unused():
    return 3


def _check(budget, rng):
    look = Collector()
    look.exact("x").holds(_LIMIT > 1, _Helper().value(), "small")
    return look.findings()
"""


def fingerprint_of(tmp_path, source):
    path = tmp_path / "a_topic.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location("a_topic", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["a_topic"] = module
    linecache.checkcache(str(path))
    try:
        spec.loader.exec_module(module)
        return claims.fingerprint(claim("lem-a.1", module._check, claims.Verdict.HOLDS))
    finally:
        del sys.modules["a_topic"]


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("x + 1", "x + 2", True),
        ("_deeper(1)", "_deeper(0)", True),
        ("2.0", "2.5", True),
        ("_LIMIT > 1", "_LIMIT > 0", True),
        ("return 3", "return 4", False),
        ("\nfrom sublinear_lib", "\n# A note.\nfrom sublinear_lib", False),
    ],
)
def test_a_fingerprint_follows_what_the_check_uses_and_nothing_else(tmp_path, old, new, changes):
    assert SOURCE.count(old) == 1
    before = fingerprint_of(tmp_path, SOURCE)
    assert (fingerprint_of(tmp_path, SOURCE.replace(old, new)) != before) is changes


def test_another_verdict_than_the_recorded_is_stale_and_a_check_that_raises_keeps_the_old():
    other = claims.Ledger([claim("lem-a.1", check_gap, claims.Verdict.HOLDS)])
    assert claims.stale(other, claims.merge({}, claims.verify(other))) == ("lem-a.1",)
    gap = claims.Ledger([claim("lem-a.1", check_gap, claims.Verdict.GAP)])
    stored = claims.merge({}, claims.verify(gap))
    broken = claims.Ledger([claim("lem-a.1", check_broken, claims.Verdict.GAP)])
    assert claims.merge(stored, claims.verify(broken)) == stored
    assert claims.stale(broken, stored) == ("lem-a.1",)


@pytest.fixture(scope="module")
def stored():
    return claims.merge({}, claims.verify(small_ledger()))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        *((None, text) for text in ("", "[]", "{}", '{"schema": 2, "evidence": {}}')),
        (None, '{"schema": 1, "evidence": {"x": {}}}'),
        ('"fraction": "1/10"', '"fraction": "1/0"'),
        ('"found": 4', '"found": NaN'),
        ('"found": 4', '"found": true'),
        ('"observations": [', '"observations": [], "others": ['),
    ],
)
def test_a_foreign_file_of_evidence_is_refused(stored, tmp_path, right, wrong):
    path = tmp_path / "evidence.json"
    claims.save_evidence(path, stored)
    text = path.read_text()
    assert right is None or right in text
    path.write_text(wrong if right is None else text.replace(right, wrong, 1))
    with pytest.raises(ValueError, match="not a file of evidence"):
        load_evidence(path)


def test_an_unstorable_witness_leaves_the_old_file(stored, tmp_path):
    path = tmp_path / "evidence.json"
    claims.save_evidence(path, stored)
    before, item = path.read_bytes(), stored["thm-4.1"]
    bad = replace(item, evidence=replace(item.evidence, witness={"array": np.zeros(2)}))
    with pytest.raises(TypeError):
        claims.save_evidence(path, {**stored, "thm-4.1": bad})
    assert path.read_bytes() == before
    assert json.loads(before)["schema"] == 1


def test_a_fingerprint_covers_the_instruments_that_a_check_uses():
    firsts = {text.splitlines()[0] for text in _sources(claims.LEDGER["lem-c.14-r"].check)}
    assert any(first.startswith("ROUNDING = ") for first in firsts)
    assert any(first.startswith("def coupling_over(") for first in firsts)
    assert not any(first.startswith("def runs(") for first in firsts)
