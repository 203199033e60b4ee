"""Robust memorization by explicit ReLU networks, after Yu, Gao and Zhang (2024).

Given labeled points with separation lambda, a network *robustly memorizes* them with budget mu if
it is right on the whole closed ball of radius mu around every point.  ``datasets`` measures lambda
and checks mu < lambda/2; ``networks`` holds deep sparse networks with exact counts and values.
"""

from __future__ import annotations

from sublinear_lib.memorization.constructions import (
    Memorizer,
    Size,
    l1_size,
    l2_size,
    l2_terms,
    linf_size,
    lipschitz_size,
    memorize,
    memorize_l1,
    memorize_l2,
    memorize_lipschitz,
)
from sublinear_lib.memorization.datasets import (
    CheckedData,
    ClosestPair,
    Split,
    checked_data,
    closest_pair,
    digits,
    largest_budget,
    plane_points,
    random_points,
    separation,
    simplex_points,
)
from sublinear_lib.memorization.networks import AffineLayer, ReLUNetwork

__all__ = [
    "AffineLayer",
    "CheckedData",
    "ClosestPair",
    "Memorizer",
    "ReLUNetwork",
    "Size",
    "Split",
    "checked_data",
    "closest_pair",
    "digits",
    "l1_size",
    "l2_size",
    "l2_terms",
    "largest_budget",
    "linf_size",
    "lipschitz_size",
    "memorize",
    "memorize_l1",
    "memorize_l2",
    "memorize_lipschitz",
    "plane_points",
    "random_points",
    "separation",
    "simplex_points",
]
