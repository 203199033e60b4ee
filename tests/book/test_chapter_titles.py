"""The ledger calls the chapters by the titles that they have."""

from pathlib import Path

import build_teaching
import nbformat
import pytest

from sublinear_lib.claims import CHAPTERS, LEDGER

BOOK = Path(__file__).resolve().parents[2] / "book"


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_chapter_begins_with_the_title_that_the_ledger_gives_it(page):
    text = (BOOK / f"{page}.ipynb").read_text(encoding="utf-8")
    notebook = nbformat.reads(text, as_version=4)
    first = notebook.cells[0].source.splitlines()[0]
    assert first.removeprefix("# ").strip() == CHAPTERS[page]


def test_every_chapter_that_teaches_a_statement_has_a_title():
    taught = {claim.chapter for claim in LEDGER if claim.chapter.startswith("part")}
    assert taught <= set(CHAPTERS)


def test_the_first_page_leads_to_every_chapter_of_the_story_and_to_every_part():
    text = (BOOK / "intro.ipynb").read_text(encoding="utf-8")
    pages = [name.removeprefix("book/") for name in build_teaching.chapters()]
    story = [name for name in pages if not name.startswith(("part2/", "part3/"))]
    assert story
    assert [
        name
        for name in [
            *story,
            "part2/robust-memorization-and-its-threshold",
            "part3/two-kinds-of-features",
        ]
        if name not in text
    ] == []
