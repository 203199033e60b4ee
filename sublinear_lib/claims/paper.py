"""The ledger: which statements the paper numbers, the claims for all of them, and what follows.

`NUMBERED` lists every numbered statement in the order in which the paper prints it; it is written
by hand, from the paper, and is what the claims are counted against: a statement without a claim, or
a claim for a statement that the paper does not have, is an error when the ledger is assembled.
After the paper come the two works of the further parts, whose text was not at hand: their ids name
the part, as in ``thm-ii.4.8``, and nobody can say that they are all there.
Before changing the order, know that the pages, the table of ``sublinear verify`` and the graph all
go by it.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from sublinear_lib.claims.claim import Claim
from sublinear_lib.claims.ledger import Ledger

__all__ = ["LEDGER", "NUMBERED", "section"]

SECTIONS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        page: tuple(names.split())
        for page, names in {
            "main-text": """
                thm-1.1 def-3.1 def-3.2 def-3.3 def-3.4 def-3.5 alg-1 def-3.6 def-3.7 rem-3.8
                def-3.9 thm-4.1 lem-4.2 thm-4.3 thm-4.4 lem-4.5 claim-4.6 def-5.1 alg-2 cor-5.2
                lem-5.3
            """,
            "appendix-a": """
                lem-a.1 thm-a.2 thm-a.3 def-a.4 lem-a.5 lem-a.6 lem-a.7 lem-a.8 lem-a.9
                claim-a.10
            """,
            "appendix-b": """
                def-b.1 lem-b.2 lem-b.3 lem-b.4 claim-b.5 lem-b.6 prop-b.7 cor-b.8 lem-b.9
                thm-b.10
            """,
            "appendix-c": """
                thm-c.1 claim-c.2 lem-c.3 def-c.4 claim-c.5 claim-c.6 claim-c.7 lem-c.8 lem-c.9
                def-c.10 def-c.11 thm-c.12 rem-c.13 lem-c.14 lem-c.15 claim-c.16 rem-c.17
                lem-c.18 eq-25 claim-c.19
            """,
        }.items()
    }
)
"""The numbered statements of the paper in its order, by the page of the reference part."""

NUMBERED: Final[tuple[str, ...]] = tuple(name for names in SECTIONS.values() for name in names)
"""The numbered statements of the paper in its order."""

_OURS: Final = "repaired"
_PARTS: Final = {"ii": "memorization", "iii": "features"}
_PART: Final = re.compile(r"[a-z]+-(ii|iii)\.")
_SECTION_OF: Final = {name: title for title, names in SECTIONS.items() for name in names}
_TOPICS: Final = """
    definitions approximation decomposition uniformity parameters activity perturbation
    convergence regret concentration polynomials hermite existence cost memorization impossibility
    lipschitz features feature_race feature_robustness
"""


def section(name: str) -> str:
    """Return the part of the reference to which a statement belongs.

    Parameters
    ----------
    name : str
        Id of a statement.

    Returns
    -------
    str
        A key of `SECTIONS`; the work, ``"memorization"`` or ``"features"``, for a statement of
        Part II or III; or ``"repaired"`` for what the paper does not number.

    Examples
    --------
    >>> section("lem-a.5"), section("eq-25"), section("thm-d"), section("thm-ii.4.8")
    ('appendix-a', 'appendix-c', 'repaired', 'memorization')
    """
    part = _PART.match(name)
    return _PARTS[part[1]] if part else _SECTION_OF.get(name, _OURS)


def assemble(claims: Iterable[Claim]) -> Ledger:
    """Put the claims in reading order, and see that no numbered statement is missing.

    Parameters
    ----------
    claims : iterable of Claim
        In any order.

    Returns
    -------
    Ledger
        What the paper numbers, in its order; then our propositions, our theorems, the repaired
        statements in the order of those that they repair, and the sets of parameters; then the
        statements of Part II and those of Part III, in the order in which they were given.

    Raises
    ------
    ValueError
        If a numbered statement has no claim or two, a claim of the source ``"paper"`` is none of
        them, an id names another work than the source, or the claims form no ledger.
    """
    given = tuple(claims)
    printed = {claim.id for claim in given if claim.source.work == "paper"}
    works = set(_PARTS.values())
    astray = {
        claim.id
        for claim in given
        if (section(claim.id) in works or claim.source.work in works)
        and section(claim.id) != claim.source.work
    }
    problems = [
        f"{what} {', '.join(sorted(names))}"
        for what, names in (
            ("without a claim:", set(NUMBERED) - printed),
            ("not numbered in the paper:", printed - set(NUMBERED)),
            ("whose id names another work than their source:", astray),
        )
        if names
    ]
    if problems:
        raise ValueError(f"claims must be those of the numbered statements, got {problems}")
    return Ledger(sorted(given, key=_place))


def _place(claim: Claim) -> tuple[int, int, str]:
    """Say where a claim stands in reading order."""
    part = _PART.match(claim.id)
    if part:
        return 10 + len(part[1]), 0, ""
    if claim.id in _SECTION_OF:
        return 0, NUMBERED.index(claim.id), ""
    for rank, pattern in enumerate((r"prop-\d+", r"thm-[a-z]", r".*-r", r"set-.*"), start=1):
        if re.fullmatch(pattern, claim.id):
            # Theorems and sets go by their own names, repaired statements by the printed ones.
            own = rank != 3 or claim.repairs not in _SECTION_OF
            return rank, 0 if own else NUMBERED.index(claim.repairs), claim.id
    return 5, 0, claim.id


LEDGER: Final = assemble(
    claim
    for name in _TOPICS.split()
    for claim in importlib.import_module(f"sublinear_lib.claims.checks.{name}").topic.claims()
)
"""All statements of the paper, and ours."""
