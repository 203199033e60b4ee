"""Robust memorization by explicit ReLU networks, after Yu, Gao and Zhang (2024).

Given labeled points with separation lambda, a network *robustly memorizes* them with budget mu if
it is right on the whole closed ball of radius mu around every point.  ``datasets`` measures lambda
and checks mu < lambda/2, ``separation_law`` knows lambda of random data, and ``threshold`` what
fails from lambda/2 on.  ``networks`` holds deep sparse networks with exact counts and values;
``constructions`` builds the memorizers of Theorems 4.8, B.2, B.3 and 5.2, weight by weight, and
``level_sets`` outlines their bumps.  ``certificates`` proves whole balls right, in rationals, by
``intervals`` or by ``programs``; ``attacks`` looks for a point that refutes it, and ``precision``
for the budgets that floating-point numbers no longer hold.  What smaller networks cannot do:
``width`` for the first layer, ``hardness``, ``hypergraphs``, ``two_neurons`` and ``exact_values``
for two neurons.
"""

from __future__ import annotations

from sublinear_lib.memorization.attacks import (
    AttackGoal,
    AttackResult,
    attack,
    ball_points,
)
from sublinear_lib.memorization.certificates import (
    Certificate,
    CertificateMethod,
    ExactCheck,
    LipschitzCertificate,
    certify,
    exact_check,
    lipschitz_certificate,
    memorizer_bounds,
)
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
from sublinear_lib.memorization.exact_values import (
    ExactValues,
    exact_values_program,
)
from sublinear_lib.memorization.hardness import (
    Answer,
    Decoding,
    Growth,
    coloring_of_network,
    exists_width_two,
    gadget,
    gadget_assignments,
    growth,
    network_of_coloring,
)
from sublinear_lib.memorization.hypergraphs import (
    Hypergraph,
    coloring,
    complete_graph,
    count_colorings,
    cycle,
    fano,
    random_hypergraph,
)
from sublinear_lib.memorization.intervals import (
    interval_bounds,
    layer_bounds,
    lipschitz_bound,
)
from sublinear_lib.memorization.level_sets import bump_outline
from sublinear_lib.memorization.networks import AffineLayer, ReLUNetwork
from sublinear_lib.memorization.precision import (
    EvaluationError,
    Format,
    PrecisionCurve,
    Probes,
    ball_probes,
    breaking_gap,
    evaluation_error,
    ideal_values,
    precision_curve,
    predicted_error,
    rounded_network,
)
from sublinear_lib.memorization.programs import (
    OutputRange,
    RangeStatus,
    milp_range,
)
from sublinear_lib.memorization.separation_law import (
    close_pairs,
    line_median,
    line_survival,
    sure_separation,
)
from sublinear_lib.memorization.threshold import (
    Contradiction,
    Slope,
    contradiction,
    extension,
    nearest_other,
    smallest_slope,
)
from sublinear_lib.memorization.two_neurons import (
    SignCertificate,
    certify_sign,
    output_range,
    robust_radii,
)
from sublinear_lib.memorization.width import (
    Collision,
    collision,
    cube_image,
    null_space_layer,
    random_collision_radii,
    simplex_collision_radius,
)

__all__ = [
    "AffineLayer",
    "Answer",
    "AttackGoal",
    "AttackResult",
    "Certificate",
    "CertificateMethod",
    "CheckedData",
    "ClosestPair",
    "Collision",
    "Contradiction",
    "Decoding",
    "EvaluationError",
    "ExactCheck",
    "ExactValues",
    "Format",
    "Growth",
    "Hypergraph",
    "LipschitzCertificate",
    "Memorizer",
    "OutputRange",
    "PrecisionCurve",
    "Probes",
    "RangeStatus",
    "ReLUNetwork",
    "SignCertificate",
    "Size",
    "Slope",
    "Split",
    "attack",
    "ball_points",
    "ball_probes",
    "breaking_gap",
    "bump_outline",
    "certify",
    "certify_sign",
    "checked_data",
    "close_pairs",
    "closest_pair",
    "collision",
    "coloring",
    "coloring_of_network",
    "complete_graph",
    "contradiction",
    "count_colorings",
    "cube_image",
    "cycle",
    "digits",
    "evaluation_error",
    "exact_check",
    "exact_values_program",
    "exists_width_two",
    "extension",
    "fano",
    "gadget",
    "gadget_assignments",
    "growth",
    "ideal_values",
    "interval_bounds",
    "l1_size",
    "l2_size",
    "l2_terms",
    "largest_budget",
    "layer_bounds",
    "line_median",
    "line_survival",
    "linf_size",
    "lipschitz_bound",
    "lipschitz_certificate",
    "lipschitz_size",
    "memorize",
    "memorize_l1",
    "memorize_l2",
    "memorize_lipschitz",
    "memorizer_bounds",
    "milp_range",
    "nearest_other",
    "network_of_coloring",
    "null_space_layer",
    "output_range",
    "plane_points",
    "precision_curve",
    "predicted_error",
    "random_collision_radii",
    "random_hypergraph",
    "random_points",
    "robust_radii",
    "rounded_network",
    "separation",
    "simplex_collision_radius",
    "simplex_points",
    "smallest_slope",
    "sure_separation",
]
