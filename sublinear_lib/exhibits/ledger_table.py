"""The ledger as a page shows it: every statement in one row, to be filtered and searched.

The table is complete without scripts; the script adds a search box, four lists to choose from and
a count that is read aloud, and hides rows.  Before changing it, know that the rows carry what is
filtered in attributes of their own, so that the script knows no statement, and that on a narrow
screen each row becomes a card, which is why every cell says what it is.
"""

from __future__ import annotations

from html import escape

from sublinear_lib import claims
from sublinear_lib.claims import Claim, Method, Observation, ProofStatus
from sublinear_lib.exhibits.looks import LOOKS, badge, named_columns, script, style_sheet
from sublinear_lib.exhibits.markup import inline_html, spoken
from sublinear_lib.exhibits.names import (
    checked_root,
    name_of,
    page_link,
    standing,
    statement_link,
    title_of,
)
from sublinear_lib.exhibits.shelf import Shelf, default_shelf

__all__ = ["LedgerTable", "ledger_table"]

_PARTS = {
    "main-text": "Main text",
    "appendix-a": "Appendix A",
    "appendix-b": "Appendix B",
    "appendix-c": "Appendix C",
    "repaired": "Ours",
    "memorization": "Part II",
    "features": "Part III",
}
_COLUMNS = ("statement", "in plain words", "verdict", "evidence", "taught in")


class LedgerTable:
    """All statements in one table.

    Parameters
    ----------
    shelf : Shelf
        Claims and evidence.
    root : str, default ".."
        The way from the page to the folder of the book.

    Raises
    ------
    TypeError, ValueError
        If `root` is no way upwards.
    """

    def __init__(self, shelf: Shelf, *, root: str = "..") -> None:
        self._shelf = shelf
        self._root = checked_root(root)

    def __repr__(self) -> str:
        """Return the table as text: id, verdict, status, method, title."""
        lines = [self._counts()]
        for claim in self._shelf.ledger:
            method = ", ".join(each.value for each in self._shelf.methods(claim)) or "not run"
            verdict = f"{claim.recorded.value}, {claim.known}"
            lines.append(f"{claim.id:<12} {verdict:<32} {claim.title} ({method})")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the table as HTML."""
        heads = "".join(f'<th role="columnheader" scope="col">{each}</th>' for each in _COLUMNS)
        rows = "".join(map(self._row, self._shelf.ledger))
        return (
            f'<div class="sl-exhibit sl-ledger"><style>{style_sheet(catalog=True)}</style>'
            f"{self._tally()}{self._controls()}"
            f'<table role="table" aria-label="All statements" style="{named_columns(_COLUMNS)}">'
            f'<thead role="rowgroup"><tr role="row">{heads}</tr></thead>'
            f'<tbody role="rowgroup">{rows}</tbody></table>{script("ledger.js")}</div>'
        )

    def _counts(self) -> str:
        tally = self._shelf.ledger.tally()
        told = ", ".join(f"{verdict.value}: {count}" for verdict, count in tally.verdicts.items())
        return f"{tally} All verdicts: {told}."

    def _tally(self) -> str:
        tally = self._shelf.ledger.tally()
        items = "".join(
            f"<li>{badge(verdict)} <strong>{count}</strong></li>"
            for verdict, count in tally.verdicts.items()
        )
        return (
            f'<ul class="sl-key" aria-label="How many statements have which verdict">{items}</ul>'
            f"<p>{escape(str(tally), quote=False)}</p>"
        )

    def _controls(self) -> str:
        ledger = self._shelf.ledger
        verdicts = [each.value for each in LOOKS if any(claim.recorded is each for claim in ledger)]
        known = [
            each.value for each in ProofStatus if any(claim.status is each for claim in ledger)
        ]
        used = {method for claim in ledger for method in self._shelf.methods(claim)}
        methods = [method.value for method in Method if method in used]
        parts = {
            key: title
            for key, title in _PARTS.items()
            if any(claims.section(c.id) == key for c in ledger)
        }
        lists = (
            ("verdict", "Verdict", {each: each for each in verdicts}),
            ("status", "Known by", {each: each for each in known}),
            ("part", "Part", parts),
            ("method", "Method", {each: each for each in methods}),
        )
        chosen = "".join(
            f'<div><label for="sl-{name}">{title}</label>'
            f'<select id="sl-{name}" data-filter="{name}">'
            '<option value="">all</option>'
            + "".join(
                f'<option value="{escape(key)}">{escape(text)}</option>'
                for key, text in options.items()
            )
            + "</select></div>"
            for name, title, options in lists
        )
        return (
            '<form class="sl-tools" role="search" aria-label="Statements" hidden>'
            '<div><label for="sl-words">Words</label><input id="sl-words" type="search" '
            f'autocomplete="off" spellcheck="false"></div>{chosen}'
            '<button type="reset">Show all</button>'
            '<p class="sl-count" role="status" aria-live="polite"></p></form>'
        )

    def _row(self, claim: Claim) -> str:
        shelf, root = self._shelf, self._root
        methods = shelf.methods(claim)
        evidence = shelf.evidence(claim)
        if evidence is None:
            told = "not run yet"
        else:
            names = ", ".join(each.value for each in methods)
            line = inline_html(evidence_line(evidence.deciding))
            told = f'<span class="sl-method">{names}.</span> {line}'
        if claim.chapter.startswith("part"):
            # A chapter that the library does not know is called by the name of its page.
            title = claims.CHAPTERS.get(claim.chapter, claim.chapter)
            taught = page_link(root, claim.chapter, title, f"box-{claim.id}")
        else:
            taught = "reference only"
        more = standing(root, claim, shelf.ledger)
        known = "; ".join(filter(None, (claim.known, more)))
        cells = (
            f"{statement_link(root, claim.id)}<br>{inline_html(title_of(claim))}"
            f'<br><span class="sl-place">{inline_html(claim.source.place)}; '
            f"<code>{claim.id}</code></span>",
            inline_html(claim.plain),
            f'{badge(claim.recorded)}<br><span class="sl-place">{known}</span>',
            told,
            taught,
        )
        words = spoken(
            " ".join([claim.id, name_of(claim.id), claim.title, claim.plain, claim.source.place])
        ).lower()
        attributes = (
            f'data-verdict="{claim.recorded.value}" data-part="{claims.section(claim.id)}" '
            f'data-status="{claim.status.value if claim.status else ""}" '
            f'data-method="{"|".join(each.value for each in methods)}" data-words="{escape(words)}"'
        )
        inner = "".join(f'<td role="cell">{cell}</td>' for cell in cells)
        return f'<tr role="row" {attributes}>{inner}</tr>'


def ledger_table(*, root: str = "..", shelf: Shelf | None = None) -> LedgerTable:
    """Show all statements in one table.

    Parameters
    ----------
    root : str, default ".."
        The way from the page to the folder of the book.
    shelf : Shelf, optional
        Claims and evidence; those of the library by default.

    Returns
    -------
    LedgerTable
        Shows itself in a notebook.

    Raises
    ------
    TypeError, ValueError
        If `root` is no way upwards.
    """
    return LedgerTable(shelf or default_shelf(), root=root)


def evidence_line(item: Observation) -> str:
    """Return one observation in one line."""
    return f"{item.what}: {item.shown} (asked: {item.asked})"
