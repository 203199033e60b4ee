"""Explorers for the page and labs for a running Jupyter.

`Explorer` turns a function that returns a `View` into a figure with controls that works in the
static page; `LiveLab` runs something longer, such as a training, where there is a kernel.
"""

from __future__ import annotations

from sublinear_lib.widgets.activity import activity_explorer, activity_view
from sublinear_lib.widgets.controls import Choice, Control, Slider
from sublinear_lib.widgets.cost import cost_explorer, cost_view
from sublinear_lib.widgets.existence import existence_explorer, existence_view
from sublinear_lib.widgets.existence_lab import (
    build_good_weights,
    fit_beside_training,
    good_weights_lab,
    training_beside_lab,
)
from sublinear_lib.widgets.explorer import Explorer
from sublinear_lib.widgets.exponent_map import exponent_map_explorer, exponent_map_view
from sublinear_lib.widgets.flips import flips_explorer, flips_view
from sublinear_lib.widgets.flips_lab import (
    flips_lab,
    flips_training_lab,
    search_the_circle,
    train_and_count,
)
from sublinear_lib.widgets.gap import gap_explorer, gap_view
from sublinear_lib.widgets.halfspace import (
    half_space_cost_explorer,
    half_space_cost_view,
    onion_explorer,
    onion_view,
)
from sublinear_lib.widgets.ledger import ledger_explorer, ledger_view
from sublinear_lib.widgets.live_lab import LiveLab
from sublinear_lib.widgets.preactivations import preactivation_explorer, preactivation_view
from sublinear_lib.widgets.training_curves import training_curve_explorer, training_curve_view
from sublinear_lib.widgets.training_lab import train_on_digits, training_lab
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
    "View",
    "activity_explorer",
    "activity_view",
    "build_good_weights",
    "cost_explorer",
    "cost_view",
    "existence_explorer",
    "existence_view",
    "exponent_map_explorer",
    "exponent_map_view",
    "fit_beside_training",
    "flips_explorer",
    "flips_lab",
    "flips_training_lab",
    "flips_view",
    "gap_explorer",
    "gap_view",
    "good_weights_lab",
    "half_space_cost_explorer",
    "half_space_cost_view",
    "ledger_explorer",
    "ledger_view",
    "onion_explorer",
    "onion_view",
    "preactivation_explorer",
    "preactivation_view",
    "search_the_circle",
    "train_and_count",
    "train_on_digits",
    "training_beside_lab",
    "training_curve_explorer",
    "training_curve_view",
    "training_lab",
    "window_tail_explorer",
    "window_tail_view",
    "worst_case_explorer",
    "worst_case_view",
]
