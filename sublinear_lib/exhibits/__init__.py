"""How the book shows claims (boxes, the ledger, the graph of what rests on what) and quizzes.

Every exhibit of claims is made from `Claim` objects and their stored evidence, and a quiz from the
text of its page; all show themselves in a page without scripts, in a running Jupyter and as text.
Nothing here runs a check or knows a statement.
"""

from __future__ import annotations

from sublinear_lib.exhibits.box import ClaimList, chapter_claims, claim_box
from sublinear_lib.exhibits.graph import dependency_graph
from sublinear_lib.exhibits.ledger_table import ledger_table
from sublinear_lib.exhibits.looks import Look, badge
from sublinear_lib.exhibits.markup import inline_html
from sublinear_lib.exhibits.quiz import Reply, quiz

__all__ = [
    "ClaimList",
    "Look",
    "Reply",
    "badge",
    "chapter_claims",
    "claim_box",
    "dependency_graph",
    "inline_html",
    "ledger_table",
    "quiz",
]
