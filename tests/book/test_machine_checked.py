"""The page of formal statements shows every source and every badge, read from the sources."""

import re

import check_proofs
import companion_formal
import pytest
from check_book import ROOT

from sublinear_lib.claims.paper import LEDGER

PAGE = ROOT / "book" / "reference" / "machine-checked.md"
SOURCE = """(* claims: lem-a.1
   theorems: doubled *)

Section Numbers.
Variables (x y : R).   (* any two *)
(* Twice a number. *)
Definition twice (u : R) : R := 2 * u.
Definition unused : R := 7.

(* A step. *)
Lemma step : twice x = x + x.
Proof. unfold twice. ring. Qed.

(* What counts. *)
Theorem doubled :
  twice x = x + x.
Proof. exact step. Qed.
End Numbers.
"""


def test_the_page_shows_every_source_and_every_badge():
    shown = {*re.findall(r"^```\{formal\} (\S+)$", PAGE.read_text(encoding="utf-8"), re.M)}
    formal = {claim.id for claim in LEDGER if claim.formal and not claim.restates}
    assert {name for name in formal if not LEDGER[name].formal_part} <= shown <= formal
    files = {each.partition(".")[0] for name in shown for each in LEDGER[name].formal}
    assert files == check_proofs.records().keys()


def test_a_statement_is_shown_with_all_that_it_uses_and_nothing_else(tmp_path, monkeypatch):
    (tmp_path / "Doubled.v").write_text(SOURCE, encoding="utf-8")
    monkeypatch.setattr(companion_formal, "PROOFS", tmp_path)
    told = companion_formal.theorem("Doubled.doubled")
    assert told == "(* What counts. *)\nTheorem doubled :\n  twice x = x + x."
    setting = companion_formal.setting("Doubled", ["doubled"])
    assert "Variables (x y : R).   (* any two *)" in setting
    assert "(* Twice a number. *)\nDefinition twice" in setting
    assert not {"unused", "Lemma", "Proof"} & {*re.findall(r"\w+", setting)}
    with pytest.raises(ValueError, match=r"proofs/Doubled\.v must state step as a Theorem"):
        companion_formal.theorem("Doubled.step")
