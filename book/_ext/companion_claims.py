"""Hold the book to its claims: a build warns, and so fails, where a page and a claim disagree."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from sublinear_lib.claims import Claim, Ledger, ProofStatus, Stored, stale
from sublinear_lib.exhibits.names import name_of
from sublinear_lib.exhibits.shelf import default_shelf

LOGGER = logging.getLogger(__name__)

# Cells that show one statement, and cells that show all of a chapter.
_ONE = "claim_box"
_CHAPTER = "chapter_claims"
# The page with a row for every statement.
LEDGER = "book/reference/ledger"
# A reference to the row of a statement, from any page.
_REFERENCE = re.compile(r"\bstatement-([a-z]+-[a-z0-9.]+(?:-r)?)(?![\w-])")
_LABELS = (r"^\({}\)=", r":label: *{}\s", r":name: *{}\s", r"""\bid=\\?["']{}\\?["']""")


class Page:
    """The source of one page: its text, and what its code cells call."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        text = path.read_text(encoding="utf-8")
        cells = []
        if path.suffix == ".ipynb":
            cells = json.loads(text)["cells"]
            text = "\n\n".join(
                "".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"
            )
        self.text = text + "\n"
        self.calls = [
            call
            for cell in cells
            if cell["cell_type"] == "code"
            for call in _calls("".join(cell["source"]))
        ]

    def has_anchor(self, anchor: str) -> bool:
        """Say whether the page has a label of that name, as it is written or as HTML spells it."""
        spellings = {anchor, re.sub(r"[^a-z0-9]+", "-", anchor.lower()).strip("-")}
        return any(
            re.search(pattern.format(re.escape(each)), self.text, re.MULTILINE)
            for each in spellings
            for pattern in _LABELS
        )


def _calls(source: str) -> Iterator[tuple[str, str]]:
    """Yield the functions that a cell calls with a text as their first argument, and that text."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a magic; `tools/check_notebooks.py` complains about these
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = ast.unparse(node.func).rpartition(".")[2]
            if isinstance(node.args[0].value, str):
                yield name, node.args[0].value


def read_pages(book: Path) -> dict[str, Page]:
    """Read the sources of all pages below the folder of the book, by their names."""
    found = {}
    for path in sorted([*book.rglob("*.md"), *book.rglob("*.ipynb")]):
        parts = path.relative_to(book).parts
        if not any(part.startswith((".", "_")) for part in parts):
            name = path.relative_to(book).with_suffix("").as_posix()
            found[name] = Page(name, path)
    return found


def without_chapter(ledger: Ledger, pages: Mapping[str, Page]) -> list[str]:
    """List the statements whose chapter is not in the book, or does not show them."""
    problems = []
    for claim in ledger:
        page = pages.get(claim.chapter)
        if page is None:
            problems.append(f"{claim.id}: its chapter {claim.chapter!r} is no page of the book")
        elif not _shown(claim, page):
            problems.append(f"{claim.id}: its chapter {claim.chapter!r} does not show it")
    return problems


def _shown(claim: Claim, page: Page) -> bool:
    return any(
        (name == _ONE and text == claim.id) or (name == _CHAPTER and text == page.name)
        for name, text in page.calls
    )


def unknown_claims(ledger: Ledger, pages: Mapping[str, Page]) -> list[str]:
    """List the ids in cells and references that no statement has."""
    problems = []
    for page in pages.values():
        cited = {text for name, text in page.calls if name == _ONE}
        cited |= set(_REFERENCE.findall(page.text))
        problems += [
            f"{page.name}: cites the unknown statement {each!r}"
            for each in sorted(cited)
            if each not in ledger
        ]
        problems += [
            f"{page.name}: shows the statements of {text!r}, which is another page"
            for name, text in page.calls
            if name == _CHAPTER and text != page.name
        ]
    return problems


def stale_verdicts(ledger: Ledger, stored: Mapping[str, Stored]) -> list[str]:
    """List the statements whose stored evidence is missing, outdated or against the record."""
    return [
        f"{name}: its stored evidence is missing, outdated or not the verdict on record "
        "(run `sublinear verify --stale --budget full --store`)"
        for name in stale(ledger, stored)
    ]


def missing_proofs(ledger: Iterable[Claim], pages: Mapping[str, Page]) -> list[str]:
    """List the statements whose proof is on a page that is not there, or lacks its anchor."""
    problems = []
    for claim in ledger:
        places = [place.strip() for place in claim.proof.split(";") if "#" in place]
        ours = claim.source.work != "paper" or claim.source.quoted
        if ours and claim.status is ProofStatus.COMPLETE and not places:
            problems.append(f"{claim.id}: has the status 'complete here' without a proof here")
        for place in places:
            name, _, anchor = place.partition("#")
            if name not in pages:
                problems.append(
                    f"{claim.id}: its proof is on {name!r}, which is no page of the book"
                )
            elif not pages[name].has_anchor(anchor):
                problems.append(
                    f"{claim.id}: its proof {place!r} has no such anchor "
                    f"(write ({anchor})= above its heading on that page)"
                )
    return problems


def problems(ledger: Ledger, stored: Mapping[str, Stored], book: Path) -> list[str]:
    """List everything in which the pages and the claims disagree."""
    pages = read_pages(book)
    return [
        *without_chapter(ledger, pages),
        *unknown_claims(ledger, pages),
        *stale_verdicts(ledger, stored),
        *missing_proofs(ledger, pages),
    ]


def _warn(app: Sphinx) -> None:
    shelf = default_shelf()
    for problem in problems(shelf.ledger, shelf.stored, Path(app.srcdir) / "book"):
        LOGGER.warning(problem, type="claims")


def _label(app: Sphinx, env: BuildEnvironment) -> None:
    """Let ``{ref}`statement-thm-4.1` `` lead to the row of the statement."""
    if LEDGER not in env.found_docs:
        return
    standard = env.domains["std"].data
    for claim in default_shelf().ledger:
        label = f"statement-{claim.id}"
        standard["anonlabels"][label] = LEDGER, claim.id
        standard["labels"][label] = LEDGER, claim.id, name_of(claim.id)


def setup(app: Sphinx) -> dict[str, bool]:
    """Compare the pages with the claims when a build begins, and lead to the statements."""
    app.connect("builder-inited", _warn)
    app.connect("env-updated", _label)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
