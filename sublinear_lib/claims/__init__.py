"""Every numbered statement of the papers as an object with an executable check.

`Claim` is one statement, `Ledger` all of them together, `verify` runs the checks, and evidence is
stored for the book.  The verdict on a statement is derived from what its check observed, by one
rule (`judge`), and compared with the verdict on record.  `LEDGER` holds the statements of the
paper; it is assembled when it is first asked for, because the checks import most of the library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sublinear_lib.claims.claim import Check, Claim
from sublinear_lib.claims.evidence import (
    Budget,
    Evidence,
    Method,
    Observation,
    Outcome,
    ProofStatus,
    Role,
    Verdict,
    encoded,
    judge,
)
from sublinear_lib.claims.ledger import Ledger
from sublinear_lib.claims.storing import (
    Stored,
    evidence_path,
    fingerprint,
    merge,
    save_evidence,
    stale,
    stored_evidence,
)
from sublinear_lib.claims.verifying import Verification, verify, verify_each

if TYPE_CHECKING:
    from sublinear_lib.claims.paper import CHAPTERS, LEDGER, NUMBERED, section
else:

    def __getattr__(name: str) -> Any:
        """Assemble the ledger the first time it is asked for."""
        if name in ("CHAPTERS", "LEDGER", "NUMBERED", "section"):
            from sublinear_lib.claims import paper

            return getattr(paper, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "CHAPTERS",
    "LEDGER",
    "NUMBERED",
    "Budget",
    "Check",
    "Claim",
    "Evidence",
    "Ledger",
    "Method",
    "Observation",
    "Outcome",
    "ProofStatus",
    "Role",
    "Stored",
    "Verdict",
    "Verification",
    "encoded",
    "evidence_path",
    "fingerprint",
    "judge",
    "merge",
    "save_evidence",
    "section",
    "stale",
    "stored_evidence",
    "verify",
    "verify_each",
]
