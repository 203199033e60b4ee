"""The claim box: one statement with its verdict, its reason and its evidence, on one small card.

No word of a box is written in a chapter; all of it comes from the `Claim` and from its stored
evidence, so that a box cannot say anything else than the ledger.  Before changing it, know three
things: a box is shown many times on a page, so its ids begin with the id of its statement; links
stand outside the titles of drop-downs, where a keyboard could not reach them; and its bytes are
compared when the notebooks are checked, so it names neither a time nor a machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from html import escape

from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import PythonLexer  # type: ignore[import-untyped]

from sublinear_lib import validation
from sublinear_lib.claims import Budget, Claim, Evidence, Observation, Role, Verdict
from sublinear_lib.exhibits.looks import badge, named_columns, outcome_mark, style_sheet
from sublinear_lib.exhibits.markup import block_html, inline_html
from sublinear_lib.exhibits.names import (
    checked_root,
    graph_link,
    name_of,
    page_link,
    proof_link,
    standing,
    statement_link,
    title_of,
)
from sublinear_lib.exhibits.shelf import Shelf, code_of, default_shelf

__all__ = ["ClaimBox", "ClaimList", "chapter_claims", "claim_box", "statement"]

_SOURCES = {
    "paper": "",
    "repair": "this book",
    "memorization": "Part II",
    "features": "Part III",
}
_ROLES: Mapping[Role, str] = {
    Role.STATEMENT: "The statement",
    Role.PRINT: "The letters of the print",
    Role.PROOF: "Steps of the printed proof",
    Role.REPAIR: "What holds instead",
    Role.ASIDE: "Left to the full budget",
    Role.CONTROL: "Controls: the check itself, on cases with a known answer",
}
_COLUMNS = ("what was looked at", "found", "asked for", "holds?", "how")


class ClaimBox:
    """One statement on a card, for a page and for a terminal.

    Parameters
    ----------
    claim : Claim
        The statement.
    shelf : Shelf
        Where its evidence and its neighbors are.
    root : str, default ".."
        The way from the page to the folder of the book.
    page : bool, default False
        Whether this is the page of the statement itself: then the card has the id of the statement
        as its anchor, shows its evidence at once, and brings the code of its check.
    listed : bool, default False
        Whether the card stands in the list of its chapter, where links to it lead: then its anchor
        begins with ``box-``, elsewhere with ``see-``, so that a page may show it in both places.

    Raises
    ------
    TypeError, ValueError
        If `root` is no way upwards, or `page` or `listed` no switch.
    """

    def __init__(
        self,
        claim: Claim,
        shelf: Shelf,
        *,
        root: str = "..",
        page: bool = False,
        listed: bool = False,
    ) -> None:
        self.claim = claim
        self.page = validation.boolean(page, "page")
        self._shelf = shelf
        self._root = checked_root(root)
        prefix = "box-" if validation.boolean(listed, "listed") else "see-"
        self.anchor = claim.id if self.page else f"{prefix}{claim.id}"

    def __repr__(self) -> str:
        """Return the card as text."""
        claim = self.claim
        lines = [
            f"{name_of(claim.id)} ({claim.title}): {claim.recorded.value}, {claim.known}",
            f"  {_place(claim)}",
            f"  {claim.plain}",
        ]
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
        """Return the line with the name, the verdict and how it is known.

        Returns
        -------
        str
            HTML.
        """
        claim = self.claim
        name = f"<strong>{name_of(claim.id)}</strong> {inline_html(title_of(claim))}"
        if self.page:  # the heading above the card says the name
            name = f'<span class="sl-hidden">{name_of(claim.id)}</span>{self._where()}'
        return (
            f'<div class="sl-head"><span class="sl-name" id="{self.anchor}-name">{name}</span>'
            f"<span>{badge(claim.recorded)} "
            f'<span class="sl-place">{claim.known}</span></span></div>'
        )

    def body(self) -> str:
        """Return everything below that line.

        Returns
        -------
        str
            HTML.

        Raises
        ------
        ValueError
            If the braces of a formula do not match.
        """
        claim = self.claim
        told = block_html(claim.statement)
        parts = [] if self.page else [f"<p>{self._where()}</p>"]
        parts.append(f'<div class="sl-statement">{told}</div>')
        if r"\rec{" in claim.statement:
            parts.append(
                '<p class="sl-legend"><span class="sl-rec">Underlined with dots</span>: our '
                "reconstruction, where the text of the paper that we read is damaged.</p>"
            )
        parts.append(f"<p><strong>In plain words.</strong> {inline_html(claim.plain)}</p>")
        if claim.remark:
            title = "Why this verdict."
            parts.append(f'<div class="sl-remark">{_led(title, block_html(claim.remark))}</div>')
        for name, why in claim.despite.items():
            used = statement_link(self._root, name)
            parts.append(f"<p>{used} is not proved as printed; {inline_html(why)}.</p>")
        parts.append(self._evidence())
        if claim.misreading:
            text = block_html(claim.misreading)
            parts.append(_dropdown("What would have to be misread for the verdict to change", text))
        if self.page:
            parts.append(self._code())
        parts.append(self._links())
        return "".join(parts)

    def _where(self) -> str:
        """Return the place in the paper, the kin and the id."""
        place = inline_html(_place(self.claim))
        more = standing(self._root, self.claim, self._shelf.ledger)
        told = "; ".join(filter(None, (f"{place}{self._kin()}", more)))
        return f'<span class="sl-place">{told}; <code>{self.claim.id}</code></span>'

    def _kin(self) -> str:
        """Return which statement this one repairs, or which ones repair it."""
        claim, ledger = self.claim, self._shelf.ledger
        if claim.repairs:
            return f"; repairs {statement_link(self._root, claim.repairs)}"
        repairs = ledger.repairs_of(claim.id) if claim.id in ledger else ()
        if not repairs:
            return ""
        links = (statement_link(self._root, each.id) for each in repairs)
        return f"; repaired by {', '.join(links)}"

    def _evidence(self) -> str:
        evidence = self._shelf.evidence(self.claim)
        if evidence is None:
            return (
                '<p class="sl-legend">No evidence is stored for this statement yet. Run its check: '
                f"<code>sublinear verify {self.claim.id}</code></p>"
            )
        count = len(evidence.observations)
        title = f"What was found: {count} observation{'' if count == 1 else 's'}"
        label = f"Evidence: {name_of(self.claim.id)}"
        inner = _observations(evidence.observations, label) + _footer(evidence)
        if evidence.witness:
            told = escape(_witness(evidence.witness), quote=False)
            inner += (
                "<p><strong>Witness.</strong> With these numbers you can see it again.</p>"
                f'<pre tabindex="0" role="group" aria-label="Witness: {name_of(self.claim.id)}">'
                f"{told}</pre>"
            )
        return _dropdown(title, inner, is_open=self.page)

    def _code(self) -> str:
        module, source = code_of(self.claim)
        code = highlight(source, PythonLexer(), HtmlFormatter(nowrap=True))
        label = f"Check of {name_of(self.claim.id)}"
        return _dropdown(
            "The code of the check",
            f"<p>A function of <code>{module}</code>; what it compares with lives in "
            "<code>sublinear_lib.theory</code> and below.</p>"
            f'<div class="highlight"><pre tabindex="0" role="group" aria-label="{label}">'
            f"{code}</pre></div>",
        )

    def _links(self) -> str:
        claim, root = self.claim, self._root
        links = []
        if self.page:
            if claim.chapter.startswith("part"):
                links.append(page_link(root, claim.chapter, "the chapter that teaches it"))
        else:
            links.append(statement_link(root, claim.id, "the check and its code"))
        links += filter(None, proof_link(root, claim).split("; "))
        links.append(graph_link(root, claim, "what it rests on"))
        links.append(page_link(root, "reference/ledger", "all statements"))
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
        The cards, at least one.
    title : str
        What they have in common, for screen readers.

    Raises
    ------
    ValueError
        If there are no cards.
    """

    def __init__(self, boxes: Iterable[ClaimBox], title: str) -> None:
        self.boxes = tuple(boxes)
        self.title = title
        if not self.boxes:
            raise ValueError("boxes must hold at least one statement, got none")

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


def claim_box(claim_id: str, *, root: str = "..", shelf: Shelf | None = None) -> ClaimBox:
    """Show one statement with its verdict and its evidence.

    Parameters
    ----------
    claim_id : str
        Id of the statement, such as ``"thm-4.1"``.
    root : str, default ".."
        The way from the page to the folder of the book.
    shelf : Shelf, optional
        Claims and evidence; those of the library by default.

    Returns
    -------
    ClaimBox
        Shows itself in a notebook.

    Raises
    ------
    KeyError
        If there is no such statement; the message names the nearest ids.
    TypeError, ValueError
        If `root` is no way upwards.
    """
    shelf = shelf or default_shelf()
    return ClaimBox(shelf.ledger[claim_id], shelf, root=root)


def statement(claim_id: str, *, root: str = "../..", shelf: Shelf | None = None) -> ClaimBox:
    """Show one statement on its own page of the reference: with its evidence and its check.

    Parameters
    ----------
    claim_id : str
        Id of the statement; it becomes the anchor.
    root : str, default "../.."
        The way from the page to the folder of the book.
    shelf : Shelf, optional
        Claims and evidence; those of the library by default.

    Returns
    -------
    ClaimBox
        Shows itself in a notebook.

    Raises
    ------
    KeyError
        If there is no such statement; the message names the nearest ids.
    TypeError, ValueError
        If `root` is no way upwards.
    """
    shelf = shelf or default_shelf()
    return ClaimBox(shelf.ledger[claim_id], shelf, root=root, page=True)


def chapter_claims(chapter: str, *, root: str = "..", shelf: Shelf | None = None) -> ClaimList:
    """Show every statement that a chapter teaches.

    Parameters
    ----------
    chapter : str
        The page, such as ``"part1/how-many-neurons-fire"``.
    root : str, default ".."
        The way from the page to the folder of the book.
    shelf : Shelf, optional
        Claims and evidence; those of the library by default.

    Returns
    -------
    ClaimList
        Shows itself in a notebook: a line for each statement, which opens into its card.

    Raises
    ------
    TypeError, ValueError
        If no statement names that chapter, or `root` is no way upwards.
    """
    shelf = shelf or default_shelf()
    taught = [claim for claim in shelf.ledger if claim.chapter == chapter]
    if not taught:
        known = sorted({claim.chapter for claim in shelf.ledger})
        raise ValueError(f"chapter must be one of {', '.join(known)}, got {chapter!r}")
    boxes = (ClaimBox(claim, shelf, root=root, listed=True) for claim in taught)
    return ClaimList(boxes, "Statements of this chapter, with their verdicts")


def _place(claim: Claim) -> str:
    return ", ".join(filter(None, (_SOURCES[claim.source.work], claim.source.place)))


def _led(title: str, html: str) -> str:
    """Put a bold title into the first paragraph."""
    lead = f"<strong>{title}</strong> "
    if html.startswith("<p>"):
        return f"<p>{lead}{html.removeprefix('<p>')}"
    return f"<p>{lead}</p>{html}"


def _dropdown(title: str, inner: str, *, is_open: bool = False) -> str:
    opened = " open" if is_open else ""
    return f'<details class="sl-more"{opened}><summary>{title}</summary>{inner}</details>'


def _observations(observations: Iterable[Observation], label: str) -> str:
    """Return the observations as a table that becomes a list where the page is narrow."""
    kept = tuple(observations)
    heads = "".join(f'<th role="columnheader" scope="col">{each}</th>' for each in _COLUMNS)
    groups = []
    for role, title in _ROLES.items():
        rows = "".join(_row(each) for each in kept if each.role is role)
        if rows:
            head = f'<th role="rowheader" scope="rowgroup" colspan="5">{title}</th>'
            groups.append(f'<tbody role="rowgroup"><tr role="row">{head}</tr>{rows}</tbody>')
    return (
        f'<table class="sl-evidence" role="table" aria-label="{escape(label)}" '
        f'style="{named_columns(_COLUMNS)}">'
        f'<thead role="rowgroup"><tr role="row">{heads}</tr></thead>{"".join(groups)}</table>'
    )


def _row(item: Observation) -> str:
    cells = (
        inline_html(item.what),
        inline_html(item.shown),
        inline_html(item.asked),
        outcome_mark(item.outcome),
        item.method.value,
    )
    told = "".join(f'<td role="cell">{cell}</td>' for cell in cells)
    return f'<tr role="row">{told}</tr>'


def _footer(evidence: Evidence) -> str:
    budget = "" if evidence.budget is Budget.QUICK else f" --budget {evidence.budget.value}"
    seed = f" --seed {evidence.seed}" if evidence.seed else ""
    differs = ""
    if evidence.verdict is Verdict.UNDECIDED:
        differs = " This run did not decide."
    return (
        f"<p>Stored from a run with the {evidence.budget.value} budget and the seed "
        f"{evidence.seed}.{differs} Run it again: "
        f"<code>sublinear verify {evidence.claim}{budget}{seed}</code></p>"
    )


def _witness(witness: Mapping[str, object]) -> str:
    """Return a witness as text: one line for each number or list."""
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in witness.items()]
    return "\n".join(lines)
