"""What exhibits are made from: the ledger and the stored evidence, read once and handed out.

Everything that an exhibit takes can also be given, which is how the tests show claims of their own.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from sublinear_lib.claims import (
    Budget,
    Claim,
    Evidence,
    Ledger,
    Method,
    Role,
    Stored,
    stored_evidence,
)

_STRENGTH = tuple(Method)


@dataclass(frozen=True)
class Shelf:
    """A ledger together with what was found, the stored evidence by id."""

    ledger: Ledger
    stored: Mapping[str, Stored] = field(default_factory=dict)

    def evidence(self, claim: Claim) -> Evidence | None:
        """Return the stored evidence for a claim, or None.

        That of a restatement was found by the check of what it restates.
        """
        item = self.stored.get(claim.restates or claim.id)
        return None if item is None else item.evidence

    def methods(self, claim: Claim) -> tuple[Method, ...]:
        """Return how the statement itself was decided, the strongest method first."""
        evidence = self.evidence(claim)
        if evidence is None:
            return ()
        used = {each.method for each in evidence.observations if each.role is Role.STATEMENT}
        return tuple(method for method in _STRENGTH if method in used)


def code_of(claim: Claim) -> tuple[str, str]:
    """Return the module of a check and its source."""
    check = inspect.unwrap(claim.check)
    return check.__module__, inspect.cleandoc("\n" + inspect.getsource(check)) + "\n"


@cache
def default_shelf() -> Shelf:
    """Return the ledger of the paper with the evidence stored in the library, read once.

    Where no evidence of the full budget is stored, it is that of the quick one.
    """
    from sublinear_lib.claims import LEDGER

    return Shelf(LEDGER, {**stored_evidence(Budget.QUICK), **stored_evidence(Budget.FULL)})
