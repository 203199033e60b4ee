"""A ledger refuses what cannot be, and knows what rests on what."""

from __future__ import annotations

import json

import pytest

from sublinear_lib.claims import Budget, Ledger, Verdict
from sublinear_lib.claims import claim as claim_module
from sublinear_lib.claims.evidence import decoded, encoded
from tests.claims.statements import check_gap, check_mean, claim, small_ledger


def ids(claims: object) -> list[str]:
    return [item.id for item in claims]  # type: ignore[attr-defined]


def test_a_ledger_refuses_two_claims_of_one_name() -> None:
    one = claim("lem-a.1", check_mean, Verdict.HOLDS)
    with pytest.raises(ValueError, match=r"'lem-a\.1' twice"):
        Ledger([one, one])


def test_a_ledger_refuses_a_dependency_that_is_not_there() -> None:
    with pytest.raises(ValueError, match=r"got 'lem-a\.2'"):
        Ledger([claim("lem-a.1", check_mean, Verdict.HOLDS, depends_on=("lem-a.2",))])


def test_a_ledger_refuses_a_circle_and_names_it() -> None:
    one = claim("lem-a.1", check_mean, Verdict.HOLDS, depends_on=("lem-a.2",))
    two = claim("lem-a.2", check_mean, Verdict.HOLDS, depends_on=("lem-a.1",))
    with pytest.raises(ValueError, match=r"lem-a\.1 -> lem-a\.2"):
        Ledger([one, two])


def test_foundations_and_consequences_follow_the_arrows_to_their_ends() -> None:
    ledger = small_ledger()
    assert ids(ledger.foundations("thm-4.4")) == ["lem-a.1", "thm-4.1r"]
    assert ids(ledger.consequences("lem-a.1")) == ["thm-4.1", "thm-4.1r", "thm-4.4"]
    assert ids(ledger.repairs_of("thm-4.1")) == ["thm-4.1r"]
    assert set(ledger.graph().edges) == {
        ("thm-4.1", "lem-a.1"),
        ("thm-4.1r", "lem-a.1"),
        ("thm-4.4", "thm-4.1r"),
    }


def test_selection_keeps_reading_order_and_helps_with_a_misspelt_id() -> None:
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
    ],
)
def test_a_claim_that_says_too_little_is_refused(more: dict[str, object], message: str) -> None:
    settings = {"name": "lem-a.1", "recorded": Verdict.HOLDS, **more}
    with pytest.raises(ValueError, match=message):
        claim(check=check_gap, **settings)  # type: ignore[arg-type]


def test_a_claim_has_its_own_randomness_and_repeats_it() -> None:
    one = claim("lem-a.1", check_mean, Verdict.HOLDS)
    two = claim("lem-a.2", check_mean, Verdict.HOLDS)
    assert one.run(Budget.QUICK, 5).observations == one.run(Budget.QUICK, 5).observations
    assert one.run(Budget.QUICK, 5).observations != two.run(Budget.QUICK, 5).observations
    assert one.run(Budget.QUICK, 5).observations != one.run(Budget.QUICK, 6).observations


def test_a_check_must_return_findings() -> None:
    wrong = claim("lem-a.1", lambda budget, rng: [], Verdict.HOLDS)
    with pytest.raises(TypeError, match=r"lem-a\.1"):
        wrong.run(Budget.QUICK, 0)


def test_a_budget_must_be_one() -> None:
    with pytest.raises(TypeError, match="budget must be a Budget, got 'quick'"):
        claim("lem-a.1", check_mean, Verdict.HOLDS).run("quick", 0)  # type: ignore[arg-type]


def test_what_a_check_found_is_the_same_when_it_is_stored_and_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its time too: shown to a tenth, 0.1502 s and the 0.150 s that were stored differ."""
    moments = iter([10.0, 10.1502])
    monkeypatch.setattr(claim_module.time, "perf_counter", lambda: next(moments))
    found = claim("lem-a.1", check_mean, Verdict.HOLDS).run(Budget.QUICK, 5)
    monkeypatch.undo()
    assert found.seconds == 0.15
    assert decoded("lem-a.1", json.loads(json.dumps(encoded(found)))) == found


@pytest.mark.parametrize("seed", [-1, 1.5, True])
def test_a_seed_must_be_a_count(seed: object) -> None:
    with pytest.raises((TypeError, ValueError), match="seed"):
        claim("lem-a.1", check_mean, Verdict.HOLDS).run(Budget.QUICK, seed)  # type: ignore[arg-type]
