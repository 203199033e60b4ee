"""Reconstructed signs: each has a reason on its page, and chapters mark what the ledger marks."""

import re
from pathlib import Path

import nbformat
import pytest

from sublinear_lib.claims import LEDGER

BOOK = Path(__file__).parents[2] / "book"
PAGE = BOOK / "reference" / "about-the-source.ipynb"

NEIGHBORS = 7  # characters on each side by which a sign is found again
_BOX = re.compile(r"^(:{3,})\{prf:\w+\} *(.*\(paper.*)\n((?:.*\n)*?)\1 *$", re.MULTILINE)
_MARK = re.compile(r"\\rec\s*(\{(?:[^{}]|\{[^{}]*\})*\}|\\[a-zA-Z]+|.)")
# What changes how a formula looks and not what it says.
_LOOKS = re.compile(r"\\(?:big|Big|bigg|left|right|quad|qquad)(?![a-zA-Z])|\\[,;!]|[\s{}&]")


def marked_places(text):
    """Return `text` without its looks and marks, and the first and last place of each mark."""
    text = _MARK.sub(lambda match: f"\x02{match[1]}\x03", text)
    text = _LOOKS.sub("", text.replace(r"\tfrac", r"\frac").replace(r"\dfrac", r"\frac"))
    bare, places = "", []
    for letter in text:
        if letter == "\x02":
            start = len(bare)
        elif letter == "\x03":
            places.append((start, len(bare)))
        else:
            bare += letter
    return bare, places


def unmarked(statement, text):
    """Return what surrounds the signs that are marked in `statement` and not in `text`."""
    found = []
    bare, places = marked_places(statement)
    shown, marks = marked_places(text)
    for start, stop in places:
        before = min(NEIGHBORS, start)
        around = bare[start - before : stop + NEIGHBORS]
        for match in re.finditer(re.escape(around), shown):
            first = match.start() + before
            if not any(a <= first and first + stop - start <= b for a, b in marks):
                found.append(around)
    return found


def boxes_of_the_paper():
    """Yield chapter, title and text of every box that prints a statement of the paper."""
    for path in sorted(BOOK.rglob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "markdown":
                for match in _BOX.finditer(cell.source + "\n"):
                    yield path.stem, match[2], match[3]


BOXES = list(boxes_of_the_paper())


def test_every_statement_with_a_reconstructed_sign_has_a_row():
    cells = nbformat.read(PAGE, as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    rows = re.findall(r"<statement-([^>]+)>", text)
    assert len(rows) == len(set(rows))
    assert set(rows) == {claim.id for claim in LEDGER if r"\rec" in claim.statement}


@pytest.mark.parametrize("box", BOXES, ids=lambda box: ": ".join(box[:2]))
def test_a_sign_marked_in_the_ledger_is_marked_in_the_box(box):
    _, title, text = box
    numbers = re.findall(r"\b[A-C]?\.?\d+\.?\d*\b", title.split("(paper")[0])
    named = [claim for claim in LEDGER if claim.id.split("-")[-1].upper() in numbers]
    assert not [sign for claim in named for sign in unmarked(claim.statement, text)]


def test_a_sign_whose_mark_is_lost_is_found():
    statement = r"$\epsilon_0 m^{\rec{-}1/5}$ and \rec{\le}"
    lost = statement.replace(r"\rec{-}", "-")
    assert unmarked(statement, statement) == []
    assert unmarked(statement, lost) == [r"lon_0m^-1/5$and"]
