"""The ledger calls the chapters by the titles that they have."""

from __future__ import annotations

from pathlib import Path

import build_teaching
import check_book
import nbformat
import pytest

from sublinear_lib.claims import CHAPTERS, LEDGER

BOOK = Path(__file__).resolve().parents[2] / "book"


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_chapter_begins_with_the_title_that_the_ledger_gives_it(page: str) -> None:
    text = (BOOK / f"{page}.ipynb").read_text(encoding="utf-8")
    notebook = nbformat.reads(text, as_version=4)
    first = notebook.cells[0].source.splitlines()[0]
    assert first.removeprefix("# ").strip() == CHAPTERS[page]


def test_every_chapter_that_teaches_a_statement_has_a_title() -> None:
    taught = {claim.chapter for claim in LEDGER if claim.chapter.startswith("part")}
    assert taught <= set(CHAPTERS)


@pytest.mark.parametrize("page", ["intro", "reading-paths"])
def test_the_pages_that_lead_through_the_book_name_every_chapter(page: str) -> None:
    text = (BOOK / f"{page}.md").read_text(encoding="utf-8")
    chapters = filter(build_teaching.CHAPTERS.fullmatch, check_book.chapters())
    assert [name for name in chapters if name.removeprefix("book/") not in text] == []
