"""Robust memorization by explicit ReLU networks, after Yu, Gao and Zhang (2024).

Given labeled points with separation lambda, a network *robustly memorizes* them with budget mu if
it is right on the whole closed ball of radius mu around every point.  ``datasets`` measures lambda
and checks mu < lambda/2; ``networks`` holds deep sparse networks with exact counts and values.
"""

from __future__ import annotations

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
    "ReLUNetwork",
    "Split",
    "checked_data",
    "closest_pair",
    "digits",
    "largest_budget",
    "plane_points",
    "random_points",
    "separation",
    "simplex_points",
]
