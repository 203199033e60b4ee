"""Adversaries: who moves the points in line 11 of Algorithm 1, and how much damage they do.

An adversary is a small frozen object made of keyword-only numbers; it is called with a network, a
batch and a loss.  Definition 3.3 is in :mod:`sublinear_lib.adversary.protocol`, Definition 3.4 in
:mod:`sublinear_lib.adversary.measures`, and every attack has a module of its own.  All attacks give
*lower* bounds of the worst case; :mod:`sublinear_lib.adversary.worst_case` brackets it.
"""

from __future__ import annotations

from sublinear_lib.adversary.ascent import ProjectedGradient, SmoothedGradient
from sublinear_lib.adversary.brackets import Bracket, Status
from sublinear_lib.adversary.circle import (
    CircleExtremes,
    CircleWave,
    ExactOnCircle,
    extremes_on_circle,
    largest_gap_on_circle,
)
from sublinear_lib.adversary.comparison import mean_shares_found, random_cases
from sublinear_lib.adversary.exact import ExactAdversary
from sublinear_lib.adversary.identity import IdentityAdversary
from sublinear_lib.adversary.landscape import (
    ActivityArcs,
    CirclePieces,
    activity_arcs,
    gradient_of_supremum,
    pieces_on_circle,
    worst_gap_everywhere,
)
from sublinear_lib.adversary.measures import accuracy, accuracy_under_attack, robust_loss_under
from sublinear_lib.adversary.protocol import (
    Adversary,
    AttackResult,
    Batch,
    CapAttack,
    Height,
    NegativeMargin,
    Objective,
    Target,
    margin_of,
)
from sublinear_lib.adversary.random_search import RandomSearch
from sublinear_lib.adversary.relaxation import CapRelaxation
from sublinear_lib.adversary.sphere import ExactOnSphere, supremum_on_sphere
from sublinear_lib.adversary.worst_case import (
    BracketMethod,
    CertifiedAccuracy,
    bracket,
    certified_accuracy,
    certified_radius,
    robust_loss,
)

__all__ = [
    "ActivityArcs",
    "Adversary",
    "AttackResult",
    "Batch",
    "Bracket",
    "BracketMethod",
    "CapAttack",
    "CapRelaxation",
    "CertifiedAccuracy",
    "CircleExtremes",
    "CirclePieces",
    "CircleWave",
    "ExactAdversary",
    "ExactOnCircle",
    "ExactOnSphere",
    "Height",
    "IdentityAdversary",
    "NegativeMargin",
    "Objective",
    "ProjectedGradient",
    "RandomSearch",
    "SmoothedGradient",
    "Status",
    "Target",
    "accuracy",
    "accuracy_under_attack",
    "activity_arcs",
    "bracket",
    "certified_accuracy",
    "certified_radius",
    "extremes_on_circle",
    "gradient_of_supremum",
    "largest_gap_on_circle",
    "margin_of",
    "mean_shares_found",
    "pieces_on_circle",
    "random_cases",
    "robust_loss",
    "robust_loss_under",
    "supremum_on_sphere",
    "worst_gap_everywhere",
]
