"""A build fails where a page and a claim say different things: each fault, planted."""

from dataclasses import replace

import companion_claims
import nbformat
import pytest

from sublinear_lib.claims import Ledger, Verdict
from tests.book.small_book import build
from tests.exhibits.made_up import check_holds, made_up_shelf

CHAPTER = "part1/how-many-neurons-fire"
CELLS = {CHAPTER: [f'chapter_claims("{CHAPTER}")'], "reference/errata": ['claim_box("lem-a.6")']}


def store(book, name, cells, text="# A page"):
    new = nbformat.v4
    made = [new.new_markdown_cell(text), *map(new.new_code_cell, cells)]
    path = book / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(new.new_notebook(cells=made), path)


@pytest.fixture
def book(tmp_path):
    """A small book that agrees with the claims of the tests."""
    for name, cells in CELLS.items():
        store(tmp_path, name, cells)
    proof = "# Repaired theorems\n\n(thm-4.1-r)=\n## Theorem 4.1, repaired\n\nIt holds.\n"
    (tmp_path / "reference" / "repaired-theorems.md").write_text(proof, encoding="utf-8")
    return tmp_path


def problems(book, **changes):
    """Compare a book with the claims of the tests, one of which is changed."""
    shelf = made_up_shelf()
    name = changes.pop("of", None)
    claims = [replace(each, **changes) if each.id == name else each for each in shelf.ledger]
    return companion_claims.problems(Ledger(claims), shelf.stored, book)


def test_a_book_that_agrees_with_its_claims_has_no_problems(book):
    assert problems(book) == []


def test_a_claim_whose_chapter_is_no_page_is_found(book):
    (book / f"{CHAPTER}.ipynb").rename(book / "part1" / "another.ipynb")
    found = problems(book)
    assert "thm-4.1: its chapter 'part1/how-many-neurons-fire' is no page of the book" in found
    assert len([each for each in found if "is no page of the book" in each]) == 7


def test_a_chapter_that_does_not_show_its_claims_is_found(book):
    store(book, CHAPTER, ['claim_box("thm-4.1")', "print('thm-4.4')"])
    found = problems(book)
    assert "thm-4.4: its chapter 'part1/how-many-neurons-fire' does not show it" in found
    assert not any(each.startswith("thm-4.1:") for each in found)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ('claim_box("thm-4.9")', ""),
        ('exhibits.claim_box("thm-4.9", shelf=None)', ""),
        ("2 + 2", "See {ref}`statement-thm-4.9`."),
        ("2 + 2", "See [there](#statement-thm-4.9)."),
    ],
)
def test_a_chapter_that_cites_an_unknown_claim_is_found(book, cell, text):
    store(book, CHAPTER, [*CELLS[CHAPTER], cell], f"# A page\n\n{text}")
    assert problems(book) == [f"{CHAPTER}: cites the unknown statement 'thm-4.9'"]


def test_a_chapter_that_shows_the_claims_of_another_is_found(book):
    store(book, "part1/another", [f'chapter_claims("{CHAPTER}")'])
    (found,) = problems(book)
    assert found == f"part1/another: shows the statements of {CHAPTER!r}, which is another page"


@pytest.mark.parametrize(
    "changes",
    [{"statement": "Another."}, {"check": check_holds}, {"recorded": Verdict.HOLDS}],
    ids=["statement", "check", "verdict"],
)
def test_a_stored_verdict_that_is_stale_is_found(book, changes):
    assert problems(book, of="lem-a.5", **changes) == [
        "lem-a.5: its stored evidence is missing, outdated or not the verdict on record "
        "(run `sublinear verify --stale --budget full --store`)"
    ]


def test_a_missing_proof_is_found(book):
    page = book / "reference" / "repaired-theorems.md"
    page.write_text(page.read_text("utf-8").replace("(thm-4.1-r)=", "(thm-4.2-r)="), "utf-8")
    assert problems(book) == [
        "thm-4.1-r: its proof 'reference/repaired-theorems#thm-4.1-r' has no such anchor "
        "(write (thm-4.1-r)= above its heading on that page)"
    ]
    page.unlink()
    gone = "thm-4.1-r: its proof is on 'reference/{}', which is no page of the book"
    assert problems(book) == [gone.format("repaired-theorems")]
    elsewhere = problems(book, of="thm-4.1-r", proof="B (2019); reference/ledger#x")
    assert elsewhere == [gone.format("ledger")]
    assert problems(book, of="thm-4.1-r", proof="our notes") == [
        "thm-4.1-r: has the status 'complete here' without a proof here"
    ]


@pytest.mark.parametrize(
    "anchor",
    [
        "(thm-4-1-r)=\n## Proof",
        ":::{prf:theorem} It holds\n:label: thm-4.1-r\n:::",
        '<div id="thm-4.1-r"></div>',
    ],
)
def test_every_spelling_of_an_anchor_is_one(book, anchor):
    (book / "reference" / "repaired-theorems.md").write_text(f"# T\n\n{anchor}\n", "utf-8")
    assert problems(book) == []


@pytest.mark.thorough
def test_a_disagreement_is_a_warning_of_the_build(book, tmp_path):
    (book / "index.md").write_text("# A book", encoding="utf-8")
    root = tmp_path.parent / f"{tmp_path.name}-root"
    root.mkdir()
    (root / "index.md").write_text("# A book\n", encoding="utf-8")
    book.rename(root / "book")
    settings = {"extensions": "myst_nb,companion_claims", "nb_execution_mode": "off"}
    defined = [f"-D{key}={value}" for key, value in settings.items()]
    assert "is no page of the book" in build(root, root / "html", "-C", *defined)
