"""The claim box: one statement with its verdict and its reason, on one small card.

All of it comes from the `Claim` and from its stored evidence, as does a row of the ledger.  Know
before changing it: a box is shown many times on a page, so its ids begin with the id of its
statement; links stand outside the titles of drop-downs, where a keyboard could not reach them.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from sublinear_lib.claims import Claim, Verdict
from sublinear_lib.exhibits.evidence import check_html, evidence_html, fold
from sublinear_lib.exhibits.looks import badge, style_sheet
from sublinear_lib.exhibits.markup import block_html, inline_html
from sublinear_lib.exhibits.names import (
    name_of,
    page_link,
    proof_links,
    standing,
    statement_link,
    title_of,
)
from sublinear_lib.exhibits.shelf import Shelf, default_shelf

_SOURCES = {"paper": "", "repair": "this book", "memorization": "Part II", "features": "Part III"}


class ClaimBox:
    """One statement on a card, for a page and for a terminal.

    Where it stands in the list of its chapter, where links to it lead, its anchor begins with
    ``box-``, elsewhere with ``see-``, so that a page may show it in both places.
    """

    def __init__(self, claim: Claim, shelf: Shelf, *, listed: bool = False) -> None:
        self.claim = claim
        self._shelf = shelf
        self.anchor = f"{'box-' if listed else 'see-'}{claim.id}"

    def __repr__(self) -> str:
        """Return the card as text."""
        claim = self.claim
        lines = [f"{name_of(claim.id)} ({claim.title}): {claim.recorded.value}, {claim.known}"]
        lines += [f"  {_place(claim)}", f"  {claim.plain}"]
        evidence = self._shelf.evidence(claim)
        if evidence is None:
            lines.append("  no evidence is stored")
        else:
            lines += [
                f"  [{each.outcome.value}] {each.what}: {each.shown}, asked {each.asked}"
                f" ({each.method.value})"
                for each in evidence.observations
            ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the card as HTML."""
        return (
            f'<div class="sl-exhibit sl-claim" id="{self.anchor}" role="group" '
            f'aria-labelledby="{self.anchor}-name"><style>{style_sheet()}</style>'
            f"{self.head()}{self.body()}</div>"
        )

    def head(self) -> str:
        """Return the line with the name, the verdict and how it is known, as HTML."""
        claim = self.claim
        name = f"<strong>{name_of(claim.id)}</strong> {inline_html(title_of(claim))}"
        return (
            f'<div class="sl-head"><span class="sl-name" id="{self.anchor}-name">{name}</span>'
            f"<span>{badge(claim.recorded)} "
            f'<span class="sl-place">{claim.known}</span></span></div>'
        )

    def body(self, *, whole: bool = False) -> str:
        """Return everything below that line, as HTML.

        A whole one is a row of the ledger, which also has the evidence, the neighbors and the code
        of the check.
        """
        claim = self.claim
        parts = [f"<p>{self._where()}</p>", _statement(claim.statement)]
        parts.append(f"<p><strong>In plain words.</strong> {inline_html(claim.plain)}</p>")
        if claim.remark:
            title = "Why this verdict."
            parts.append(f'<div class="sl-remark">{_led(title, block_html(claim.remark))}</div>')
        parts += [
            f"<p>{statement_link(name)} is not proved as printed; {inline_html(why)}.</p>"
            for name, why in claim.despite.items()
        ]
        evidence = self._shelf.evidence(claim)
        if evidence is None:
            parts.append(
                '<p class="sl-legend">No evidence is stored for this statement yet. Run its check: '
                f"<code>sublinear verify {claim.id}</code></p>"
            )
        elif whole:
            parts.append(evidence_html(evidence))
        if whole:
            parts.append(self._formal())
        if claim.misreading:
            text = block_html(claim.misreading)
            parts.append(fold("What would have to be misread for the verdict to change", text))
        if whole:
            parts += [check_html(claim), self._again(), self._neighbors()]
        parts.append(self._links(whole))
        return "".join(parts)

    def _formal(self) -> str:
        """Return the theorems that a machine has checked, and what part of it they are."""
        claim, files = self.claim, dict[str, list[str]]()
        for theorem in claim.formal:
            file, _, name = theorem.partition(".")
            files.setdefault(file, []).append(f"<code>{name}</code>")
        if not files:
            return ""
        whole = "that it fails" if claim.recorded is Verdict.FAILS else "all of it"
        told = "; ".join(
            f"{', '.join(names)} in <code>proofs/{file}.v</code>" for file, names in files.items()
        )
        part = inline_html(claim.formal_part or whole)
        return f"<p><strong>A machine has checked</strong> {part}: {told}.</p>"

    def _where(self) -> str:
        """Return the place in the paper, the kin and the id."""
        place = inline_html(_place(self.claim))
        more = standing(self.claim, self._shelf.ledger)
        told = "; ".join(filter(None, (f"{place}{self._kin()}", more)))
        return f'<span class="sl-place">{told}; <code>{self.claim.id}</code></span>'

    def _kin(self) -> str:
        """Return which statement this one repairs, or which ones repair it."""
        claim, ledger = self.claim, self._shelf.ledger
        if claim.repairs:
            return f"; repairs {statement_link(claim.repairs)}"
        repairs = ledger.repairs_of(claim.id) if claim.id in ledger else ()
        if not repairs:
            return ""
        links = (statement_link(each.id) for each in repairs)
        return f"; repaired by {', '.join(links)}"

    def _copies(self) -> tuple[Claim, ...]:
        """Return the statements that print this one again."""
        return tuple(each for each in self._shelf.ledger if each.restates == self.claim.id)

    def _again(self) -> str:
        """Return where the paper prints the statement again, and in what words."""
        told = ""
        for copy in self._copies():
            place = inline_html(copy.source.place)
            lead = f"<p><strong>Printed again</strong> as {name_of(copy.id)}, {place}"
            if copy.statement == self.claim.statement:
                told += f"{lead}, in the same words.</p>"
            else:
                told += f"{lead}:</p>{_statement(copy.statement)}{block_html(copy.remark)}"
        return told

    def _neighbors(self) -> str:
        """Return what the statement rests on, and what rests on it."""
        prints = {each.id: each for each in (self.claim, *self._copies())}
        below = [used for each in prints.values() for used in each.depends_on]
        above = [each.id for each in self._shelf.ledger if prints.keys() & {*each.depends_on}]
        told = []
        for title, ids in (("It rests on", below), ("On it rest", above)):
            links = [statement_link(one) for one in dict.fromkeys(ids) if one not in prints]
            if links:
                told.append(f"<strong>{title}</strong> {', '.join(links)}.")
        return f"<p>{' '.join(told)}</p>" if told else ""

    def _links(self, whole: bool) -> str:
        claim, links = self.claim, proof_links(self.claim)
        if not whole:
            links.insert(0, statement_link(claim.id, "the evidence and the code of its check"))
        elif claim.chapter.startswith("part"):
            links.insert(0, page_link(claim.chapter, "the chapter that teaches it"))
        about = f'<span class="sl-hidden"> ({name_of(claim.id)})</span>'
        told = [
            f"{link.removesuffix('</a>')}{about}</a>" if "<a " in link else link for link in links
        ]
        return f'<p class="sl-links">{" · ".join(told)}</p>'


class ClaimList:
    """Several statements, each a line that opens into its card.

    Parameters
    ----------
    boxes : iterable of ClaimBox
        The cards.
    title : str
        What they have in common, for screen readers.
    """

    def __init__(self, boxes: Iterable[ClaimBox], title: str) -> None:
        self.boxes = tuple(boxes)
        self.title = title

    def __repr__(self) -> str:
        """Return the cards as text, one after the other."""
        return "\n".join([self.title, *map(repr, self.boxes)])

    def _repr_html_(self) -> str:
        """Return the cards as HTML."""
        items = "".join(
            f'<details class="sl-claim" id="{box.anchor}"><summary>{box.head()}</summary>'
            f"{box.body()}</details>"
            for box in self.boxes
        )
        return (
            f'<div class="sl-exhibit sl-claims" role="group" aria-label="{escape(self.title)}">'
            f"<style>{style_sheet()}</style>{items}</div>"
        )


def claim_box(claim_id: str, *, shelf: Shelf | None = None) -> ClaimBox:
    """Show one statement, such as ``"thm-4.1"``, with its verdict and its evidence, in a notebook.

    The shelf has claims and evidence, by default those of the library.  KeyError says that there is
    no such statement, and names the nearest ids.
    """
    shelf = shelf or default_shelf()
    return ClaimBox(shelf.ledger[claim_id], shelf)


def chapter_claims(chapter: str, *, shelf: Shelf | None = None) -> ClaimList:
    """Show every statement that a chapter teaches.

    Parameters
    ----------
    chapter : str
        The page, such as ``"part1/how-many-neurons-fire"``.
    shelf : Shelf, optional
        Claims and evidence; those of the library by default.

    Returns
    -------
    ClaimList
        Shows itself in a notebook: a line for each statement, which opens into its card.

    Raises
    ------
    ValueError
        If no statement names that chapter.
    """
    shelf = shelf or default_shelf()
    taught = [claim for claim in shelf.ledger if claim.chapter == chapter]
    if not taught:
        known = sorted({claim.chapter for claim in shelf.ledger})
        raise ValueError(f"chapter must be one of {', '.join(known)}, got {chapter!r}")
    boxes = (ClaimBox(claim, shelf, listed=True) for claim in taught)
    return ClaimList(boxes, "Statements of this chapter, with their verdicts")


def _place(claim: Claim) -> str:
    return ", ".join(filter(None, (_SOURCES[claim.source.work], claim.source.place)))


def _statement(text: str) -> str:
    """Return the words of a statement, with a legend where some of them are ours."""
    legend = ""
    if r"\rec{" in text:
        legend = (
            '<p class="sl-legend"><span class="sl-rec">Underlined with dots</span>: our '
            "reconstruction, where the text of the paper that we read is damaged.</p>"
        )
    return f'<div class="sl-statement">{block_html(text)}</div>{legend}'


def _led(title: str, html: str) -> str:
    """Put a bold title into the first paragraph."""
    lead = f"<strong>{title}</strong> "
    if html.startswith("<p>"):
        return f"<p>{lead}{html.removeprefix('<p>')}"
    return f"<p>{lead}</p>{html}"
