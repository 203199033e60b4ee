"""The page about the source gives a reason for every statement with a reconstructed sign."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat

from sublinear_lib.claims import LEDGER

PAGE = Path(__file__).parents[2] / "book" / "reference" / "about-the-source.ipynb"


def test_every_statement_with_a_reconstructed_sign_has_a_row() -> None:
    cells = nbformat.read(PAGE, as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    rows = re.findall(r"<statement-([^>]+)>", text)
    assert len(rows) == len(set(rows))
    assert set(rows) == {claim.id for claim in LEDGER if r"\rec" in claim.statement}
