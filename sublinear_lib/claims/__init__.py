"""Every numbered statement of the papers as an object with an executable check.

`Claim` is one statement, `Ledger` all of them together, `verify` runs the checks, and evidence is
stored for the book.  The verdict on a statement is derived from what its check observed, by one
rule (`judge`), and compared with the verdict on record.
"""

from __future__ import annotations

from sublinear_lib.claims.claim import Check, Claim, Source
from sublinear_lib.claims.evidence import (
    Budget,
    Evidence,
    Findings,
    Method,
    Observation,
    Outcome,
    Role,
    Verdict,
    bound,
    exact,
    exponent,
    fact,
    judge,
    sample_mean,
)
from sublinear_lib.claims.ledger import Ledger
from sublinear_lib.claims.storing import (
    Stored,
    fingerprint,
    load_evidence,
    merge,
    save_evidence,
    stale,
)
from sublinear_lib.claims.verifying import Report, verify

__all__ = [
    "Budget",
    "Check",
    "Claim",
    "Evidence",
    "Findings",
    "Ledger",
    "Method",
    "Observation",
    "Outcome",
    "Report",
    "Role",
    "Source",
    "Stored",
    "Verdict",
    "bound",
    "exact",
    "exponent",
    "fact",
    "fingerprint",
    "judge",
    "load_evidence",
    "merge",
    "sample_mean",
    "save_evidence",
    "stale",
    "verify",
]
