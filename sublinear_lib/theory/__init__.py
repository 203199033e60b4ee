"""The paper's statements as functions: numbers in, numbers out.

Each module holds the quantities of one group of statements, so that a chapter, a check and a test
all read the same formula.  ``activity`` holds the number of neurons that fire (Definition 3.9,
Lemma 4.5 = C.15, Remark C.17); ``cost`` holds the price of one iteration of Algorithm 1,
``ledger`` that price line by line, as Lemma 5.3 prints it and as it is, and ``traffic`` what a
machine makes of it; ``reporting`` holds the share of neurons that a search on X (Section 3.2) has
to look at.
``concentration``, ``polynomials`` and ``existence`` hold the lemmas of the appendices, decided by
exact numbers or by ``enclosures``.
``worst_case`` holds the exact worst case of f - g (Theorem 4.1), ``jump`` the price of the
discontinuity, ``flips`` the neurons that can be switched (Claims C.2 and 4.6), ``exponents`` the
powers of m of every proof.
"""

from __future__ import annotations

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
from sublinear_lib.theory.caps import cap_share, circle_cap_share
from sublinear_lib.theory.cost import (
    IterationCost,
    candidate_share,
    dense_cost,
    listed_share,
    sparse_cost,
)
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
from sublinear_lib.theory.ledger import (
    LINES,
    Ledger,
    NeuronCounts,
    dense_ledger,
    expected_counts,
    expected_ledger,
    literal_ledger,
    printed_ledger,
    shared_ledger,
)
from sublinear_lib.theory.orders import (
    Order,
    corrected_orders,
    elementary_orders,
    leading_exponent,
    printed_orders,
)
from sublinear_lib.theory.reporting import surviving_count_interval, surviving_share
from sublinear_lib.theory.survivors import (
    surviving_share_asymptote,
    surviving_share_bound,
    widest_dimension,
)
from sublinear_lib.theory.traffic import (
    Roofline,
    Traffic,
    break_even_share,
    gather_traffic,
    matrix_traffic,
    roofline,
)
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

from sublinear_lib.theory import concentration, enclosures, existence, polynomials

__all__ = [
    "CHAINS",
    "CONSISTENT",
    "CRUDE",
    "LINES",
    "PRINTED_DRIFT",
    "PRINTED_STEPS",
    "SPARSE",
    "Chain",
    "Factor",
    "HalfWidthMoments",
    "Inequality",
    "IterationCost",
    "Ledger",
    "MaximalActivity",
    "MaximalFlips",
    "NeuronCounts",
    "Order",
    "Power",
    "Region",
    "Roofline",
    "Traffic",
    "WorstGap",
    "WorstWeights",
    "active_count_interval",
    "active_count_tail",
    "ball_price",
    "break_even_share",
    "candidate_share",
    "cap_share",
    "circle_cap_share",
    "concentration",
    "corrected_orders",
    "dense_cost",
    "dense_ledger",
    "drift_power",
    "elementary_orders",
    "enclosures",
    "existence",
    "expected_counts",
    "expected_flips",
    "expected_ledger",
    "expected_union",
    "explained",
    "flip_bound",
    "flip_count_interval",
    "flip_count_tail",
    "flip_probability",
    "gap_terms",
    "gather_traffic",
    "gaussian_tail_bound",
    "gradient_ratio",
    "half_width_leading_term",
    "half_width_moments",
    "half_width_over_g",
    "inverse_mills",
    "jump_half_width_bound",
    "jump_price",
    "leading_exponent",
    "listed_share",
    "literal_ledger",
    "log_no_flip_probability",
    "matrix_traffic",
    "max_active_on_circle",
    "max_flips_on_circle",
    "max_near_on_circle",
    "near_mask",
    "near_zero_probability",
    "polynomials",
    "printed_failure_probability",
    "printed_gap_bound",
    "printed_ledger",
    "printed_orders",
    "printed_q0",
    "roofline",
    "shared_ledger",
    "smallest_printed_K",
    "sparse_cost",
    "surviving_count_interval",
    "surviving_share",
    "surviving_share_asymptote",
    "surviving_share_bound",
    "union_bracket",
    "widest_dimension",
    "window_integral",
    "worst_gap",
    "worst_gap_at",
    "worst_weights",
]
