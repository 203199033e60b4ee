"""What statements are called on a page, and where on the pages of the book they stand.

A name is derived from an id: ``thm-4.1`` is *Theorem 4.1*.  Links are written as a notebook needs
them, from file to file; the book's own extension turns them into links between pages.
"""

from __future__ import annotations

import re
from html import escape

from sublinear_lib.claims import Claim, Ledger, ProofStatus, Verdict

_KINDS = {
    "alg": ("Algorithm", "Alg."),
    "claim": ("Claim", "Claim"),
    "cor": ("Corollary", "Cor."),
    "def": ("Definition", "Def."),
    "eq": ("Equation", "Eq."),
    "lem": ("Lemma", "Lem."),
    "prop": ("Proposition", "Prop."),
    "rem": ("Remark", "Rem."),
    "set": ("Parameter set", "Set"),
    "thm": ("Theorem", "Thm"),
}
LEDGER_PAGE = "reference/ledger"
_PAGE = re.compile(r"[a-z0-9-]+(?:/[a-z0-9-]+)*")


def _parts(claim_id: str) -> tuple[tuple[str, str], str, bool]:
    kind, _, number = claim_id.partition("-")
    if kind not in _KINDS:
        raise ValueError(
            f"claim_id must begin with one of {', '.join(_KINDS)} and a hyphen, got {claim_id!r}"
        )
    repaired = number.endswith("-r")
    number = number.removesuffix("-r").upper()
    return _KINDS[kind], f"({number})" if kind == "eq" else number, repaired


def name_of(claim_id: str) -> str:
    """Return what a statement is called in running text.

    >>> name_of("lem-a.5"), name_of("eq-25"), name_of("thm-4.1-r")
    ('Lemma A.5', 'Equation (25)', 'Theorem 4.1, repaired')
    """
    (kind, _), number, repaired = _parts(claim_id)
    return f"{kind} {number}{', repaired' if repaired else ''}"


def short_name(claim_id: str) -> str:
    """Return what a statement is called where there is little room; a prime means repaired.

    >>> short_name("lem-a.5"), short_name("thm-4.1-r"), short_name("set-r1")
    ('Lem. A.5', 'Thm 4.1′', 'Set R1')
    """
    (_, kind), number, repaired = _parts(claim_id)
    return f"{kind} {number}{'′' if repaired else ''}"


def title_of(claim: Claim) -> str:
    """Return the title of a statement as it follows its name: without the name, with a capital.

    A title that begins with the letter of a function keeps it small; one that says no more than
    the name is empty.
    """
    rest = claim.title.removeprefix(name_of(claim.id)).lstrip(":,; ")
    letter = re.match(r"[a-z](?![a-z])", rest)  # the name of a thing, such as f
    return rest if letter else rest[:1].upper() + rest[1:]


def address(page: str, anchor: str = "") -> str:
    """Return the address for a link from a notebook to a page of the book."""
    if not _PAGE.fullmatch(page):
        raise ValueError(f"page must be a page of the book such as 'reference/x', got {page!r}")
    return f"../{page}.ipynb" + (f"#{escape(anchor)}" if anchor else "")


def statement_address(claim_id: str) -> str:
    """Return the address of the row of a statement in the ledger."""
    return address(LEDGER_PAGE, claim_id)


def page_link(page: str, text: str, anchor: str = "") -> str:
    """Return a link from one page of the book to another, as HTML.

    >>> page_link("reference/ledger", "the ledger")
    '<a class="sl-page" href="../reference/ledger.ipynb">the ledger</a>'
    """
    return f'<a class="sl-page" href="{address(page, anchor)}">{escape(text, quote=False)}</a>'


def statement_link(claim_id: str, text: str = "") -> str:
    """Return a link to the row of the ledger that has a statement, by its name or another text.

    >>> statement_link("thm-4.1")
    '<a class="sl-page" href="../reference/ledger.ipynb#thm-4.1">Theorem 4.1</a>'
    """
    return page_link(LEDGER_PAGE, text or name_of(claim_id), claim_id)


def proof_links(claim: Claim) -> list[str]:
    """Return where proofs of a statement can be read: links to pages, places in papers as text."""
    told, text = [], "why it fails" if claim.recorded is Verdict.FAILS else "our proof"
    for place in filter(None, (part.strip() for part in claim.proof.split(";"))):
        page, sharp, anchor = place.partition("#")
        if sharp and _PAGE.fullmatch(page):
            told.append(page_link(page, text, anchor))
        else:
            told.append(f"proof: {escape(place, quote=False)}")
    return told


def standing(claim: Claim, ledger: Ledger) -> str:
    """Return what a verdict rests on besides its own proof, as HTML; empty if there is nothing."""
    told = []
    if claim.implemented_by:
        told.append(f"implemented by <code>{escape(claim.implemented_by)}</code>")
    if claim.restates:
        told.append(f"counted with {statement_link(claim.restates)}, which it repeats")
    if claim.cause:
        told.append(f"fails for the same reason as {statement_link(claim.cause)}")
    weakest = ledger.weakest(claim.id) if claim.id in ledger else None
    if weakest in (ProofStatus.SKETCHED, ProofStatus.MEASURED) and weakest is not claim.status:
        told.append(f"rests on what is only {weakest.value}")
    if claim.id in ledger and (cited := ledger.cited(claim.id)):
        told.append("rests on cited " + ", ".join(statement_link(each.id) for each in cited))
    return "; ".join(told)
