"""The ledger of the paper is complete, in the order of the paper, and cheap not to ask for."""

import re
from collections import Counter

import pytest

from sublinear_lib.claims import NUMBERED, Verdict, section
from sublinear_lib.claims.claim import Source
from sublinear_lib.claims.paper import SECTIONS, assemble
from tests.claims.statements import check_gap, claim
from tests.commands import python

HIGHEST = {"3": 9, "4": 6, "5": 3, "a": 10, "b": 10, "c": 19}


def complete():
    """Return a claim for every numbered statement, in no good order."""
    return [claim(name, check_gap, Verdict.GAP) for name in sorted(NUMBERED)]


def repaired(name, printed):
    here = Source("repair", "here")
    return claim(name, check_gap, Verdict.REPAIRED, repairs=printed, source=here)


def test_every_number_of_the_paper_is_there_once_and_the_numbers_of_a_section_ascend():
    assert max(Counter(NUMBERED).values()) == 1
    numbers = {name.partition("-")[2] for name in NUMBERED}
    counted = {f"{part}.{i}" for part, last in HIGHEST.items() for i in range(1, last + 1)}
    assert numbers == counted | {"1.1", "1", "2", "25"}
    assert {name for name in NUMBERED if "." not in name} == {"alg-1", "alg-2", "eq-25"}
    for names in SECTIONS.values():
        places = [re.search(r"-([1345abc])\.(\d+)", name) for name in names]
        ordered = [(found[1], int(found[2])) for found in places if found]
        assert ordered == sorted(ordered)


def test_a_section_is_that_of_the_number():
    assert section("thm-4.1") == section("alg-2") == "main-text"
    assert section("thm-b.10") == "appendix-b"
    assert section("eq-25") == section("claim-c.19") == "appendix-c"
    assert section("thm-4.1-r") == section("thm-b") == section("prop-1") == "repaired"
    assert section("thm-ii.4.8") == section("prop-ii.1") == "memorization"
    assert section("lem-iii.5.1") == "features"


def test_a_complete_set_of_claims_is_put_in_order_ours_behind_and_further_parts_as_given():
    memorization, features = (Source(work, "here") for work in ("memorization", "features"))
    given = [
        claim("lem-iii.5.1", check_gap, Verdict.GAP, source=features),
        claim("thm-ii.4.8", check_gap, Verdict.GAP, source=memorization),
        claim("prop-ii.1", check_gap, Verdict.GAP, source=memorization),
        repaired("set-r1", "thm-4.1"),
        repaired("lem-a.5-r", "lem-a.5"),
        repaired("thm-4.4-r", "thm-4.4"),
        repaired("thm-b", "lem-c.3"),
        claim("prop-1", check_gap, Verdict.GAP, source=Source("repair", "here")),
    ]
    assert [item.id for item in assemble([*given, *complete()])] == [
        *NUMBERED,
        *("prop-1", "thm-b", "thm-4.4-r", "lem-a.5-r", "set-r1"),
        *("thm-ii.4.8", "prop-ii.1", "lem-iii.5.1"),
    ]


@pytest.mark.parametrize(
    ("name", "work", "message"),
    [
        ("lem-a.11", "paper", r"not numbered in the paper: lem-a\.11"),
        ("lem-a.7", "paper", "twice"),
        ("thm-ii.1", "features", "another work than their source: thm-ii.1"),
        ("prop-7", "memorization", "another work than their source: prop-7"),
    ],
)
def test_missing_and_surplus_statements_and_those_of_another_work_are_named(name, work, message):
    more = claim(name, check_gap, Verdict.GAP, source=Source(work, "here"))
    with pytest.raises(ValueError, match=message):
        assemble([*complete(), more])
    with pytest.raises(ValueError, match=r"without a claim: lem-a\.8"):
        assemble([item for item in complete() if item.id != "lem-a.8"])


def test_the_machinery_does_not_import_the_statements():
    code = "import sys; from sublinear_lib.claims import Claim, Ledger, verify; print(*sys.modules)"
    loaded = python(code).stdout.split()
    assert "sublinear_lib.claims.claim" in loaded
    assert not [name for name in loaded if name.startswith("sublinear_lib.claims.checks")]
    assert "sublinear_lib.claims.paper" not in loaded
