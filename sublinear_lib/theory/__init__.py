"""The paper's statements as functions: numbers in, numbers out.

Each module holds the quantities of one group of statements, so that a chapter, a check and a test
all read the same formula.  ``activity`` holds the number of neurons that fire (Definition 3.9,
Lemma 4.5 = C.15, Remark C.17); ``cost`` holds the price of one iteration of Algorithm 1;
``reporting`` holds the share of neurons that a search on X (Section 3.2) has to look at.
``concentration``, ``polynomials`` and ``existence`` hold the lemmas of the appendices, decided by
exact numbers or by ``enclosures``.
``worst_case`` holds the exact worst case of f - g (Theorem 4.1), ``jump`` the price of the
discontinuity, ``flips`` the neurons that can be switched (Claims C.2 and 4.6), ``exponents`` the
powers of m of every proof.
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
from sublinear_lib.theory.exponents import (
    CHAINS,
    CONSISTENT,
    CRUDE,
    PRINTED_DRIFT,
    PRINTED_STEPS,
    SPARSE,
    Chain,
    Factor,
    Inequality,
    Power,
    Region,
    drift_power,
    explained,
)
from sublinear_lib.theory.flips import (
    MaximalFlips,
    expected_flips,
    expected_union,
    flip_bound,
    flip_count_interval,
    flip_count_tail,
    flip_probability,
    log_no_flip_probability,
    max_flips_on_circle,
    max_near_on_circle,
    near_mask,
    union_bracket,
)
from sublinear_lib.theory.jump import (
    ball_price,
    gradient_ratio,
    half_width_over_g,
    inverse_mills,
    jump_half_width_bound,
    jump_price,
)
from sublinear_lib.theory.reporting import surviving_count_interval, surviving_share
from sublinear_lib.theory.worst_case import (
    HalfWidthMoments,
    WorstGap,
    WorstWeights,
    gap_terms,
    half_width_leading_term,
    half_width_moments,
    window_integral,
    worst_gap,
    worst_gap_at,
    worst_weights,
)

__all__ = [
    "CHAINS",
    "CONSISTENT",
    "CRUDE",
    "PRINTED_DRIFT",
    "PRINTED_STEPS",
    "SPARSE",
    "Chain",
    "Factor",
    "HalfWidthMoments",
    "Inequality",
    "IterationCost",
    "MaximalActivity",
    "MaximalFlips",
    "Power",
    "Region",
    "WorstGap",
    "WorstWeights",
    "active_count_interval",
    "active_count_tail",
    "ball_price",
    "candidate_share",
    "concentration",
    "dense_cost",
    "drift_power",
    "enclosures",
    "existence",
    "expected_flips",
    "expected_union",
    "explained",
    "flip_bound",
    "flip_count_interval",
    "flip_count_tail",
    "flip_probability",
    "gap_terms",
    "gaussian_tail_bound",
    "gradient_ratio",
    "half_width_leading_term",
    "half_width_moments",
    "half_width_over_g",
    "inverse_mills",
    "jump_half_width_bound",
    "jump_price",
    "log_no_flip_probability",
    "max_active_on_circle",
    "max_flips_on_circle",
    "max_near_on_circle",
    "near_mask",
    "near_zero_probability",
    "polynomials",
    "printed_failure_probability",
    "printed_gap_bound",
    "printed_q0",
    "smallest_printed_K",
    "sparse_cost",
    "surviving_count_interval",
    "surviving_share",
    "union_bracket",
    "window_integral",
    "worst_gap",
    "worst_gap_at",
    "worst_weights",
]
