"""The ledger as a page shows it: every statement in a row that opens, to be filtered and searched.

What a row opens into is large and rarely read.  It is kept in a ``noscript`` element: a browser
without scripts shows it, any other takes it for a text until the script unpacks the row.  What is
filtered stands in attributes of the rows, so that the script knows no statement.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from html import escape

from sublinear_lib import claims
from sublinear_lib.claims import Claim, Method, ProofStatus
from sublinear_lib.exhibits.box import ClaimBox
from sublinear_lib.exhibits.looks import LOOKS, badge, script, style_sheet
from sublinear_lib.exhibits.markup import inline_html, spoken
from sublinear_lib.exhibits.names import name_of, title_of
from sublinear_lib.exhibits.shelf import Shelf, default_shelf

_PARTS = {
    "main-text": "Main text",
    "appendix-a": "Appendix A",
    "appendix-b": "Appendix B",
    "appendix-c": "Appendix C",
    "repaired": "Ours",
    "memorization": "Part II",
    "features": "Part III",
}


_GROUPS = (
    "The theorems of the paper",
    "What is true instead, and new",
    "The steps of the proofs",
    "Good weights exist",
    "Tools of probability",
    "Part II: robust memorization",
    "Part III: feature learning",
    "Definitions, algorithms and conventions",
)
_GROUP_OF = {"repaired": 1, "appendix-b": 3, "appendix-a": 4, "memorization": 5, "features": 6}


def _rank(claim: Claim) -> tuple[int, bool]:
    """Return the group of a statement, and whether it comes after the theorems of the group."""
    part, theorem = claims.section(claim.id), claim.id.startswith("thm-")
    if claim.status is None and part != "repaired":
        return 7, True
    steps = 0 if part == "main-text" and theorem else 2
    return _GROUP_OF.get(part, steps), not theorem


class LedgerTable:
    """All statements, each in one row that opens."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

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
        groups = "".join(
            f'<section class="sl-group"><h3>{title}</h3>{"".join(map(self._row, rows))}</section>'
            for title, rows in self._groups()
        )
        return (
            f'<div class="sl-exhibit sl-ledger"><style>{style_sheet(catalog=True)}</style>'
            f"{self._tally()}{self._controls()}{groups}{script('ledger.js')}</div>"
        )

    def _groups(self) -> Iterator[tuple[str, Iterator[Claim]]]:
        """Yield the groups with their statements, from what matters most to what matters least."""
        first = (claim for claim in self._shelf.ledger if not claim.restates)
        for number, rows in itertools.groupby(sorted(first, key=_rank), lambda c: _rank(c)[0]):
            yield _GROUPS[number], rows

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
        verdicts = {claim.recorded for claim in ledger}
        known = {claim.status for claim in ledger}
        used = {method for claim in ledger for method in self._shelf.methods(claim)}
        parts = {claims.section(claim.id) for claim in ledger}
        lists = (
            ("verdict", "Verdict", {each.value: each.value for each in LOOKS if each in verdicts}),
            (
                "status",
                "Known by",
                {each.value: each.value for each in ProofStatus if each in known},
            ),
            ("part", "Part", {key: title for key, title in _PARTS.items() if key in parts}),
            ("method", "Method", {each.value: each.value for each in Method if each in used}),
        )
        chosen = "".join(
            f'<div><label for="sl-{name}">{title}</label>'
            f'<select id="sl-{name}" data-filter="{name}">'
            '<option value="">all</option>'
            + "".join(f'<option value="{escape(k)}">{escape(v)}</option>' for k, v in all_.items())
            + "</select></div>"
            for name, title, all_ in lists
        )
        return (
            '<form class="sl-tools" role="search" aria-label="Statements" hidden>'
            '<div><label for="sl-words">Words</label><input id="sl-words" type="search" '
            f'autocomplete="off" spellcheck="false"></div>{chosen}'
            '<button type="reset">Show all</button>'
            '<p class="sl-count" role="status" aria-live="polite"></p></form>'
        )

    def _row(self, claim: Claim) -> str:
        prints = [claim, *(c for c in self._shelf.ledger if c.restates == claim.id)]
        words = " ".join(
            f"{each.id} {name_of(each.id)} {each.source.place} {each.title} {each.plain}"
            for each in prints
        )
        anchors = "".join(f'<span id="{each.id}"></span>' for each in prints[1:])
        also = ", ".join(f"also {name_of(each.id)}" for each in prints[1:])
        name = f"<strong>{name_of(claim.id)}</strong> {inline_html(title_of(claim))}"
        methods = "|".join(each.value for each in self._shelf.methods(claim))
        return (
            f'<details class="sl-row" id="{claim.id}" data-verdict="{claim.recorded.value}" '
            f'data-part="{claims.section(claim.id)}" '
            f'data-status="{claim.status.value if claim.status else ""}" '
            f'data-method="{methods}" data-words="{escape(spoken(words).lower())}">'
            f'<summary><span class="sl-name">{anchors}{name} <span class="sl-place">{also}</span>'
            f'</span><span class="sl-known">{badge(claim.recorded)} '
            f'<span class="sl-place">{claim.known}</span></span></summary>'
            f"<noscript>{ClaimBox(claim, self._shelf).body(whole=True)}</noscript>"
            "</details>"
        )


def ledger_table(*, shelf: Shelf | None = None) -> LedgerTable:
    """Show all statements, by default those of the library, each in a row that opens."""
    return LedgerTable(shelf or default_shelf())
