"""Explorers for the page and labs for a running Jupyter.

`Explorer` turns a function that returns a `View` into a figure with controls that works in the
static page; `LiveLab` runs something longer, such as a training, where there is a kernel.
"""

from __future__ import annotations

from sublinear_lib.widgets.activity import activity_explorer, activity_view
from sublinear_lib.widgets.activity_lab import grow_and_count, growth_lab
from sublinear_lib.widgets.algorithm import (
    AlgorithmPlayer,
    algorithm_player,
    player_data,
    player_network,
)
from sublinear_lib.widgets.collision import collision_explorer, collision_view, turned_layer
from sublinear_lib.widgets.controls import Choice, Control, Slider, Text
from sublinear_lib.widgets.convergence import convergence_explorer, convergence_view
from sublinear_lib.widgets.existence import (
    existence_explorer,
    existence_view,
    rule_and_training_picture,
)
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.exponent_map import exponent_map_explorer, exponent_map_view
from sublinear_lib.widgets.feature_race import race_explorer, race_view
from sublinear_lib.widgets.feature_race_lab import (
    train_a_race,
    train_race_lab,
)
from sublinear_lib.widgets.flips import flips_explorer, flips_view
from sublinear_lib.widgets.gap import gap_explorer, gap_view
from sublinear_lib.widgets.halfspace import onion_explorer, onion_view
from sublinear_lib.widgets.ledger import ledger_explorer, ledger_view
from sublinear_lib.widgets.limits_lab import (
    hypergraph_lab,
    merge_two_balls,
    own_layer_lab,
    two_neurons_for,
)
from sublinear_lib.widgets.lipschitz_memorizer_lab import (
    answer_in_the_plane,
    memorize_digits,
    plane_lab,
    two_memorizers_lab,
)
from sublinear_lib.widgets.live_lab import LiveLab
from sublinear_lib.widgets.memorizer import memorizer_explorer, memorizer_view
from sublinear_lib.widgets.memorizer_lab import (
    build_and_certify,
    build_lab,
    near_the_limit,
    precision_lab,
)
from sublinear_lib.widgets.nets import net_explorer, net_view, two_nets_picture
from sublinear_lib.widgets.own_data import own_data_explorer, own_data_view
from sublinear_lib.widgets.own_data_lab import own_file_lab, report_on_file
from sublinear_lib.widgets.patches_lab import (
    attack_a_sample,
    sample_lab,
)
from sublinear_lib.widgets.phases import phases_explorer, phases_view
from sublinear_lib.widgets.phases_lab import phases_lab, several_steps_lab, train_at, train_in_steps
from sublinear_lib.widgets.preactivations import preactivation_explorer, preactivation_view
from sublinear_lib.widgets.robustness_lab import (
    certify_lab,
    certify_run,
    robust_digits_lab,
    robust_digits_run,
)
from sublinear_lib.widgets.robustness_window import robustness_explorer, robustness_view
from sublinear_lib.widgets.separation import separation_explorer, separation_view
from sublinear_lib.widgets.separation_lab import (
    own_points_lab,
    separate_points,
)
from sublinear_lib.widgets.training_curves import training_curve_explorer, training_curve_view
from sublinear_lib.widgets.training_lab import (
    certified_lab,
    train_and_certify,
)
from sublinear_lib.widgets.views import (
    Axis,
    Band,
    Bars,
    HalfPlane,
    Line,
    Mark,
    Points,
    Region,
    Rule,
    View,
)
from sublinear_lib.widgets.window_tails import window_tail_explorer, window_tail_view
from sublinear_lib.widgets.worst_case import worst_case_explorer, worst_case_view

__all__ = [
    "AlgorithmPlayer",
    "Axis",
    "Band",
    "Bars",
    "Choice",
    "Control",
    "Explorer",
    "HalfPlane",
    "Line",
    "LiveLab",
    "Mark",
    "Points",
    "Region",
    "Rule",
    "Slider",
    "Text",
    "View",
    "activity_explorer",
    "activity_view",
    "algorithm_player",
    "answer_in_the_plane",
    "attack_a_sample",
    "build_and_certify",
    "build_lab",
    "certified_lab",
    "certify_lab",
    "certify_run",
    "collision_explorer",
    "collision_view",
    "convergence_explorer",
    "convergence_view",
    "existence_explorer",
    "existence_view",
    "exponent_map_explorer",
    "exponent_map_view",
    "flips_explorer",
    "flips_view",
    "gap_explorer",
    "gap_view",
    "grow_and_count",
    "growth_lab",
    "hypergraph_lab",
    "ledger_explorer",
    "ledger_view",
    "memorize_digits",
    "memorizer_explorer",
    "memorizer_view",
    "merge_two_balls",
    "near_the_limit",
    "net_explorer",
    "net_view",
    "onion_explorer",
    "onion_view",
    "own_data_explorer",
    "own_data_view",
    "own_file_lab",
    "own_layer_lab",
    "own_points_lab",
    "phases_explorer",
    "phases_lab",
    "phases_view",
    "plane_lab",
    "player_data",
    "player_network",
    "preactivation_explorer",
    "preactivation_view",
    "precision_lab",
    "race_explorer",
    "race_view",
    "report_on_file",
    "robust_digits_lab",
    "robust_digits_run",
    "robustness_explorer",
    "robustness_view",
    "rule_and_training_picture",
    "sample_lab",
    "separate_points",
    "separation_explorer",
    "separation_view",
    "several_steps_lab",
    "train_a_race",
    "train_and_certify",
    "train_at",
    "train_in_steps",
    "train_race_lab",
    "training_curve_explorer",
    "training_curve_view",
    "turned_layer",
    "two_memorizers_lab",
    "two_nets_picture",
    "two_neurons_for",
    "window_tail_explorer",
    "window_tail_view",
    "worst_case_explorer",
    "worst_case_view",
]
