"""Adversaries: who moves the points in line 11 of Algorithm 1, and how much damage they do.

An adversary is a small frozen object made of keyword-only numbers; it is called with a network, a
batch and a loss.  Definition 3.3 is in :mod:`sublinear_lib.adversary.protocol`, Definition 3.4 in
:mod:`sublinear_lib.adversary.measures`, and every attack has a module of its own.  All of them give
*lower* bounds of the worst case.
"""

from __future__ import annotations

from sublinear_lib.adversary.circle import (
    CircleExtremes,
    CircleWave,
    ExactOnCircle,
    extremes_on_circle,
    largest_gap_on_circle,
)
from sublinear_lib.adversary.ensemble import Ensemble, WeakAttackWarning
from sublinear_lib.adversary.identity import IdentityAdversary
from sublinear_lib.adversary.measures import accuracy, accuracy_under_attack, robust_loss_under
from sublinear_lib.adversary.momentum import AdaptiveMomentum
from sublinear_lib.adversary.projected_gradient import ProjectedGradient
from sublinear_lib.adversary.protocol import (
    Adversary,
    AttackResult,
    Objective,
    Target,
    margin_of,
)
from sublinear_lib.adversary.random_search import RandomSearch
from sublinear_lib.adversary.relaxation import CapRelaxation, CertifiedBound
from sublinear_lib.adversary.smoothed_gradient import SmoothedGradient

__all__ = [
    "AdaptiveMomentum",
    "Adversary",
    "AttackResult",
    "CapRelaxation",
    "CertifiedBound",
    "CircleExtremes",
    "CircleWave",
    "Ensemble",
    "ExactOnCircle",
    "IdentityAdversary",
    "Objective",
    "ProjectedGradient",
    "RandomSearch",
    "SmoothedGradient",
    "Target",
    "WeakAttackWarning",
    "accuracy",
    "accuracy_under_attack",
    "extremes_on_circle",
    "largest_gap_on_circle",
    "margin_of",
    "robust_loss_under",
]
