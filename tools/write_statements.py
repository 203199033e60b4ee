"""Write the pages of the reference that show every statement, from the claims themselves.

usage: python tools/write_statements.py [--check]

A page holds, for each of its statements, a heading with a label (``statement-thm-4.1``) and a cell
that shows the statement, its evidence and its check.  A page whose cells are as they should be is
left alone, with its outputs; any other is written without outputs, and ``make execute`` runs it.
``--check`` writes nothing and fails if a page would be written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from run_notebooks import ROOT

from sublinear_lib.claims import LEDGER, Claim, Ledger, section
from sublinear_lib.exhibits import name_of, title_of

FOLDER = ROOT / "book" / "reference" / "statements"

TITLES = {
    "main-text": ("Statements of the main text", "the numbered statements of Sections 1 to 5"),
    "appendix-a": ("Statements of Appendix A", "the tools of probability in Appendix A"),
    "appendix-b": ("Statements of Appendix B", "the existence of good weights, Appendix B"),
    "appendix-c": ("Statements of Appendix C", "approximation, convergence and time, Appendix C"),
    "repaired": ("Repaired and new statements", "what this book puts in the place of what fails"),
    "memorization": ("Statements of Part II", "the statements on robust memorization"),
    "features": ("Statements of Part III", "the statements on feature learning"),
}
INTRODUCTION = """# {title}

This page holds {what}. For each statement: the words of the paper (or ours), the verdict and its
reason, what was found and how, and the code that found it. {more}

The colors and words of the verdicts are explained in {{doc}}`../../how-to-read`;
{{doc}}`../ledger` lists all statements, and {{doc}}`../dependency-graph` shows what rests on what.
Every check runs again with the command below its evidence; `sublinear verify` runs all of them.
"""
PAPER = (
    "Statements are quoted as they are printed, as far as our copy of the paper can be read; what "
    "we had to reconstruct is underlined with dots."
)
OURS = "Statements that repair a printed one say which; their proofs are on pages of this book."
AFTER = (
    "The text of the work itself was not at hand. Statements are put together from its public "
    "reviews and from later works that repeat them; each says what is ours, and the proofs are."
)
MEASURED = (
    "The text of the work itself was not at hand. Statements are put together from its abstract "
    "and its public reviews; each says what is ours, what is measured only, and what is cited only."
)
MORE = {"repaired": OURS, "memorization": AFTER, "features": MEASURED}


def pages(ledger: Ledger) -> dict[str, list[Claim]]:
    """Return the statements of each page, in reading order."""
    found: dict[str, list[Claim]] = {page: [] for page in TITLES}
    for claim in ledger:
        found[section(claim.id)].append(claim)
    return {page: claims for page, claims in found.items() if claims}


def sources(page: str, claims: Sequence[Claim]) -> list[tuple[str, str]]:
    """Return the kind and the text of every cell of a page."""
    title, what = TITLES[page]
    more = MORE.get(page, PAPER)
    cells = [
        ("markdown", _wrapped(INTRODUCTION.format(title=title, what=what, more=more))),
        ("code", "from sublinear_lib.exhibits import statement"),
    ]
    for claim in claims:
        name = ": ".join(filter(None, (name_of(claim.id), title_of(claim))))
        heading = f"(statement-{claim.id})=\n## {name}"
        cells += [("markdown", heading), ("code", f'statement("{claim.id}")')]
    return cells


def _wrapped(text: str) -> str:
    return "\n\n".join(part.strip() for part in text.split("\n\n"))


def notebook(page: str, claims: Sequence[Claim]) -> NotebookNode:
    """Return a page that has not been run."""
    new = nbformat.v4
    made = {"markdown": new.new_markdown_cell, "code": new.new_code_cell}
    cells = []
    for kind, text in sources(page, claims):
        cell = made[kind](text)
        if kind == "code":
            cell.metadata["tags"] = ["remove-input"]
        cells.append(cell)
    return new.new_notebook(cells=cells)


def is_current(path: Path, page: str, claims: Sequence[Claim]) -> bool:
    """Say whether the file holds exactly the cells that the page should have."""
    if not path.is_file():
        return False
    stored = nbformat.read(path, as_version=4)
    return [(cell.cell_type, cell.source) for cell in stored.cells] == sources(page, claims)


def outdated(ledger: Ledger, folder: Path) -> list[str]:
    """List the pages that do not hold what they should."""
    return [
        page
        for page, claims in pages(ledger).items()
        if not is_current(folder / f"{page}.ipynb", page, claims)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pages that are not as they should be, or only say which these are."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail on a difference")
    chosen = parser.parse_args(arguments)
    stale = outdated(LEDGER, FOLDER)
    for page in stale:
        print(f"{'OUTDATED' if chosen.check else 'written '} {page}")
        if not chosen.check:
            FOLDER.mkdir(parents=True, exist_ok=True)
            nbformat.write(notebook(page, pages(LEDGER)[page]), FOLDER / f"{page}.ipynb")
    return int(chosen.check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
