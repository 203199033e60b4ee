"""Robust memorization by explicit ReLU networks, after Yu, Gao and Zhang (2024).

Given labeled points with separation lambda, a network *robustly memorizes* them with budget mu if
it is right on the whole closed ball of radius mu around every point.  ``datasets`` measures lambda
and checks mu < lambda/2; ``networks`` holds deep sparse networks with exact counts and values;
``constructions`` builds the memorizers of Theorems 4.8, B.2, B.3 and 5.2, weight by weight.
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
    growth,
    network_of_assignment,
    network_of_coloring,
)
from sublinear_lib.memorization.hypergraphs import (
    Hypergraph,
    coloring,
    complete_graph,
    cycle,
    fano,
    random_hypergraph,
)
from sublinear_lib.memorization.networks import AffineLayer, ReLUNetwork
from sublinear_lib.memorization.two_neurons import (
    SignCertificate,
    certify_sign,
    output_range,
    robust_radii,
)
from sublinear_lib.memorization.width import (
    Collision,
    collision,
    null_space_layer,
    random_collision_radii,
    simplex_collision_radius,
)

__all__ = [
    "AffineLayer",
    "Answer",
    "CheckedData",
    "ClosestPair",
    "Collision",
    "Decoding",
    "ExactValues",
    "Growth",
    "Hypergraph",
    "Memorizer",
    "ReLUNetwork",
    "SignCertificate",
    "Size",
    "Split",
    "certify_sign",
    "checked_data",
    "closest_pair",
    "collision",
    "coloring",
    "coloring_of_network",
    "complete_graph",
    "cycle",
    "digits",
    "exact_values_program",
    "exists_width_two",
    "fano",
    "gadget",
    "growth",
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
    "network_of_assignment",
    "network_of_coloring",
    "null_space_layer",
    "output_range",
    "plane_points",
    "random_collision_radii",
    "random_hypergraph",
    "random_points",
    "robust_radii",
    "separation",
    "simplex_collision_radius",
    "simplex_points",
]
