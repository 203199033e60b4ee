"""The graph gives each further part a view of its own, apart from the paper."""

from __future__ import annotations

from dataclasses import replace

from sublinear_lib.claims import Ledger
from sublinear_lib.claims.claim import Source
from sublinear_lib.exhibits import dependency_graph
from sublinear_lib.exhibits.graph import part_view, printed_view, repaired_view
from tests.exhibits.made_up import made_up_shelf


def test_a_further_part_has_a_view_of_its_own() -> None:
    shelf = made_up_shelf()
    first = next(iter(shelf.ledger))
    source = Source("memorization", "after someone, Theorem 4.8")
    base = replace(first, id="prop-ii.1", source=source, depends_on=(), repairs="")
    above = replace(base, id="thm-ii.4.8", depends_on=("prop-ii.1", first.id))
    ledger = Ledger([*shelf.ledger, base, above])
    assert set(printed_view(ledger)) == set(printed_view(shelf.ledger))
    assert set(repaired_view(ledger)) == set(repaired_view(shelf.ledger))
    assert list(part_view(ledger, "memorization").edges) == [("prop-ii.1", "thm-ii.4.8")]
    shown = dependency_graph(shelf=replace(shelf, ledger=ledger)).html
    assert 'value="memorization"> Part II' in shown and 'id="memorization-thm-ii.4.8"' in shown
    assert "Part II" not in dependency_graph(shelf=shelf).html
