"""How the book shows claims (boxes, the ledger, the graph of what rests on what) and quizzes.

Every exhibit of claims is made from `Claim` objects and their stored evidence, and a quiz from the
text of its page; all show themselves in a page without scripts, in a running Jupyter and as text.
Nothing here runs a check or knows a statement.
"""

from __future__ import annotations

from sublinear_lib.exhibits.box import ClaimBox, ClaimList, chapter_claims, claim_box
from sublinear_lib.exhibits.graph import (
    DependencyGraph,
    dependency_graph,
    printed_view,
    repaired_view,
)
from sublinear_lib.exhibits.layering import Layout, layered
from sublinear_lib.exhibits.ledger_table import LedgerTable, ledger_table
from sublinear_lib.exhibits.looks import LOOKS, Look, badge
from sublinear_lib.exhibits.markup import MACROS, block_html, inline_html, math_html, spoken
from sublinear_lib.exhibits.names import (
    name_of,
    page_link,
    proof_link,
    short_name,
    statement_link,
    title_of,
)
from sublinear_lib.exhibits.quiz import Choice, Question, Quiz, quiz, read_quiz
from sublinear_lib.exhibits.shelf import Shelf, default_shelf

__all__ = [
    "LOOKS",
    "MACROS",
    "Choice",
    "ClaimBox",
    "ClaimList",
    "DependencyGraph",
    "Layout",
    "LedgerTable",
    "Look",
    "Question",
    "Quiz",
    "Shelf",
    "badge",
    "block_html",
    "chapter_claims",
    "claim_box",
    "default_shelf",
    "dependency_graph",
    "inline_html",
    "layered",
    "ledger_table",
    "math_html",
    "name_of",
    "page_link",
    "printed_view",
    "proof_link",
    "quiz",
    "read_quiz",
    "repaired_view",
    "short_name",
    "spoken",
    "statement_link",
    "title_of",
]
