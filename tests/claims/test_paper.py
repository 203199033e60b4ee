"""The ledger of the paper is complete, in the order of the paper, and cheap not to ask for."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter

import pytest

from sublinear_lib.claims import NUMBERED, Claim, Verdict, section
from sublinear_lib.claims.claim import Source
from sublinear_lib.claims.paper import SECTIONS, assemble
from tests.claims.statements import check_gap, claim

HIGHEST = {"3": 9, "4": 6, "5": 3, "a": 10, "b": 10, "c": 19}


def complete() -> list[Claim]:
    """Return a claim for every numbered statement, in no good order."""
    return [claim(name, check_gap, Verdict.GAP) for name in sorted(NUMBERED)]


def repaired(name: str, printed: str) -> Claim:
    return claim(
        name, check_gap, Verdict.REPAIRED, repairs=printed, source=Source("repair", "here")
    )


def test_every_number_of_the_paper_is_there_once() -> None:
    assert max(Counter(NUMBERED).values()) == 1
    numbers = {name.partition("-")[2] for name in NUMBERED}
    counted = {f"{part}.{i}" for part, last in HIGHEST.items() for i in range(1, last + 1)}
    assert numbers == counted | {"1.1", "1", "2", "25"}
    assert {name for name in NUMBERED if "." not in name} == {"alg-1", "alg-2", "eq-25"}


def test_the_numbers_of_a_section_ascend() -> None:
    for names in SECTIONS.values():
        numbers = [
            (found[1], int(found[2]))
            for name in names
            if (found := re.search(r"-([1345abc])\.(\d+)", name))
        ]
        assert numbers == sorted(numbers)


def test_a_section_is_that_of_the_number() -> None:
    assert section("thm-4.1") == section("alg-2") == "main-text"
    assert section("thm-b.10") == "appendix-b"
    assert section("eq-25") == section("claim-c.19") == "appendix-c"
    assert section("thm-4.1-r") == section("thm-b") == section("prop-1") == "repaired"
    assert section("thm-ii.4.8") == section("prop-ii.1") == "memorization"
    assert section("lem-iii.5.1") == "features"


def test_a_complete_set_of_claims_is_put_in_the_order_of_the_paper() -> None:
    ours = [
        repaired("set-r1", "thm-4.1"),
        repaired("lem-a.5-r", "lem-a.5"),
        repaired("thm-4.4-r", "thm-4.4"),
        repaired("thm-b", "lem-c.3"),
        claim("prop-1", check_gap, Verdict.GAP, source=Source("repair", "here")),
    ]
    ledger = assemble([*ours, *complete()])
    assert [item.id for item in ledger] == [
        *NUMBERED,
        "prop-1",
        "thm-b",
        "thm-4.4-r",
        "lem-a.5-r",
        "set-r1",
    ]


def test_a_missing_and_a_surplus_statement_are_named() -> None:
    claims = [item for item in complete() if item.id != "lem-a.7"]
    with pytest.raises(ValueError, match=r"without a claim: lem-a\.7"):
        assemble(claims)
    with pytest.raises(ValueError, match=r"not numbered in the paper: lem-a\.11"):
        assemble([*complete(), claim("lem-a.11", check_gap, Verdict.GAP)])
    with pytest.raises(ValueError, match="twice"):
        assemble([*complete(), claim("lem-a.7", check_gap, Verdict.GAP)])


def test_the_further_parts_follow_in_the_order_in_which_they_are_given() -> None:
    memorization, features = (Source(work, "here") for work in ("memorization", "features"))
    later = [
        claim("lem-iii.5.1", check_gap, Verdict.GAP, source=features),
        claim("thm-ii.4.8", check_gap, Verdict.GAP, source=memorization),
        claim("prop-ii.1", check_gap, Verdict.GAP, source=memorization),
        repaired("set-r1", "thm-4.1"),
    ]
    ledger = assemble([*later, *complete()])
    assert [item.id for item in ledger] == [
        *NUMBERED,
        "set-r1",
        "thm-ii.4.8",
        "prop-ii.1",
        "lem-iii.5.1",
    ]


@pytest.mark.parametrize(("name", "work"), [("thm-ii.1", "features"), ("prop-7", "memorization")])
def test_an_id_that_names_another_work_than_its_source_is_refused(name: str, work: str) -> None:
    astray = claim(name, check_gap, Verdict.GAP, source=Source(work, "here"))
    with pytest.raises(ValueError, match=f"another work than their source: {name}"):
        assemble([*complete(), astray])


def test_the_machinery_does_not_import_the_statements() -> None:
    code = "import sublinear_lib.claims, sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = run.stdout.split()
    assert "sublinear_lib.claims.claim" in loaded
    assert not [name for name in loaded if name.startswith("sublinear_lib.claims.checks")]
    assert "sublinear_lib.claims.paper" not in loaded
