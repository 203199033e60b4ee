"""The paper's statements as functions: numbers in, numbers out.

Each module holds the quantities of one group of statements, so that a chapter, a check and a test
all read the same formula.  ``activity`` holds the number of neurons that fire (Definition 3.9,
Lemma 4.5 = C.15, Remark C.17); ``cost`` holds the price of one iteration of Algorithm 1;
``reporting`` holds the share of neurons that a search on X (Section 3.2) has to look at.
``concentration``, ``polynomials`` and ``existence`` hold the lemmas of the appendices, decided by
exact numbers or by ``enclosures``.
"""

from __future__ import annotations

from sublinear_lib.theory import concentration, enclosures, existence, polynomials
from sublinear_lib.theory.activity import (
    MaximalActivity,
    active_count_interval,
    active_count_tail,
    gaussian_tail_bound,
    max_active_on_circle,
    near_zero_probability,
    printed_failure_probability,
    printed_gap_bound,
    printed_q0,
    smallest_printed_K,
)
from sublinear_lib.theory.cost import IterationCost, candidate_share, dense_cost, sparse_cost
from sublinear_lib.theory.reporting import surviving_count_interval, surviving_share

__all__ = [
    "IterationCost",
    "MaximalActivity",
    "active_count_interval",
    "active_count_tail",
    "candidate_share",
    "concentration",
    "dense_cost",
    "enclosures",
    "existence",
    "gaussian_tail_bound",
    "max_active_on_circle",
    "near_zero_probability",
    "polynomials",
    "printed_failure_probability",
    "printed_gap_bound",
    "printed_q0",
    "smallest_printed_K",
    "sparse_cost",
    "surviving_count_interval",
    "surviving_share",
]
