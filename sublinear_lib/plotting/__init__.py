"""Figures: one house style, light and dark, readable on a phone, with a text for every reader.

Functions named after what they show take numbers and return a `Picture`; figures of your own
start from `figure` and `panel` inside ``with house_style():``, take their colors from `LIGHT`, and
end as a `Picture`.  Nothing in the library below this floor draws.
"""

from __future__ import annotations

from sublinear_lib.plotting.activity import activations_pair, activity_against_m
from sublinear_lib.plotting.adversary import (
    brackets_picture,
    cap_picture,
    found_picture,
    landscape_picture,
    shares_picture,
    sweep_picture,
)
from sublinear_lib.plotting.benchmarks import error_against_misses, ratio_history
from sublinear_lib.plotting.collision import (
    ImagePanel,
    coordinates_picture,
    images_picture,
)
from sublinear_lib.plotting.concentration import CountTail, Crossing, crossing_panels, tail_panels
from sublinear_lib.plotting.convergence import convergence_picture, regret_bars, surrogate_picture
from sublinear_lib.plotting.cost import cost_curves, ledger_bars, roofline_chart
from sublinear_lib.plotting.existence import arcs_picture, circle_fit_picture
from sublinear_lib.plotting.feature_race import RacePanel, race_picture, ratio_picture
from sublinear_lib.plotting.feature_study import (
    digit_errors_picture,
    rates_picture,
    variants_picture,
)
from sublinear_lib.plotting.flips import flips_window
from sublinear_lib.plotting.formats import grouped, number, percent
from sublinear_lib.plotting.gadget import (
    COLORS,
    CubePanel,
    HypergraphPanel,
    RegionPanel,
    cube_picture,
    hypergraph_layout,
    hypergraph_picture,
    regions_picture,
)
from sublinear_lib.plotting.gap import worst_terms_picture
from sublinear_lib.plotting.halfspace import (
    boxes_picture,
    duality_picture,
    recall_against_time,
    speedup_by_dimension,
    surviving_share,
    work_against_m,
)
from sublinear_lib.plotting.jump import way_picture
from sublinear_lib.plotting.lipschitz_memorizer import (
    AnswerPanel,
    answer_bars,
    answers_picture,
)
from sublinear_lib.plotting.memorizer import (
    PrecisionSeries,
    ProfilePanel,
    bounds_picture,
    circuit_picture,
    precision_picture,
    profile_picture,
)
from sublinear_lib.plotting.nets import net_picture
from sublinear_lib.plotting.network import network_schematic, slice_picture
from sublinear_lib.plotting.palette import DARK, LIGHT, ROLES, SERIES, Role, palette_css
from sublinear_lib.plotting.patches import (
    HeatPanel,
    HeatRows,
    patch_picture,
)
from sublinear_lib.plotting.phases import (
    MapRun,
    TransitionPanel,
    Wall,
    phase_map_picture,
    transition_picture,
)
from sublinear_lib.plotting.picture import PAGE_HTML, Picture
from sublinear_lib.plotting.polynomials import step_picture
from sublinear_lib.plotting.power_map import power_map_picture
from sublinear_lib.plotting.report import promise_picture
from sublinear_lib.plotting.robustness_window import (
    ErrorBracket,
    robust_error_picture,
)
from sublinear_lib.plotting.separation import (
    BallPanel,
    balls_picture,
    climb_picture,
    growth_picture,
    pair_gallery,
)
from sublinear_lib.plotting.style import (
    EndLabel,
    figure,
    house_style,
    label_line_ends,
    note,
    panel,
    set_scale,
)
from sublinear_lib.plotting.ticks import Ticks, ticks
from sublinear_lib.plotting.training import (
    digit_gallery,
    loss_and_activity,
    training_run,
    work_bars,
)
from sublinear_lib.plotting.training_study import accuracy_against_activity, loss_curves

__all__ = [
    "COLORS",
    "DARK",
    "LIGHT",
    "PAGE_HTML",
    "ROLES",
    "SERIES",
    "AnswerPanel",
    "BallPanel",
    "CountTail",
    "Crossing",
    "CubePanel",
    "EndLabel",
    "ErrorBracket",
    "HeatPanel",
    "HeatRows",
    "HypergraphPanel",
    "ImagePanel",
    "MapRun",
    "Picture",
    "PrecisionSeries",
    "ProfilePanel",
    "RacePanel",
    "RegionPanel",
    "Role",
    "Ticks",
    "TransitionPanel",
    "Wall",
    "accuracy_against_activity",
    "activations_pair",
    "activity_against_m",
    "answer_bars",
    "answers_picture",
    "arcs_picture",
    "balls_picture",
    "bounds_picture",
    "boxes_picture",
    "brackets_picture",
    "cap_picture",
    "circle_fit_picture",
    "circuit_picture",
    "climb_picture",
    "convergence_picture",
    "coordinates_picture",
    "cost_curves",
    "crossing_panels",
    "cube_picture",
    "digit_errors_picture",
    "digit_gallery",
    "duality_picture",
    "error_against_misses",
    "figure",
    "flips_window",
    "found_picture",
    "grouped",
    "growth_picture",
    "house_style",
    "hypergraph_layout",
    "hypergraph_picture",
    "images_picture",
    "label_line_ends",
    "landscape_picture",
    "ledger_bars",
    "loss_and_activity",
    "loss_curves",
    "net_picture",
    "network_schematic",
    "note",
    "number",
    "pair_gallery",
    "palette_css",
    "panel",
    "patch_picture",
    "percent",
    "phase_map_picture",
    "power_map_picture",
    "precision_picture",
    "profile_picture",
    "promise_picture",
    "race_picture",
    "rates_picture",
    "ratio_history",
    "ratio_picture",
    "recall_against_time",
    "regions_picture",
    "regret_bars",
    "robust_error_picture",
    "roofline_chart",
    "set_scale",
    "shares_picture",
    "slice_picture",
    "speedup_by_dimension",
    "step_picture",
    "surrogate_picture",
    "surviving_share",
    "sweep_picture",
    "tail_panels",
    "ticks",
    "training_run",
    "transition_picture",
    "variants_picture",
    "way_picture",
    "work_against_m",
    "work_bars",
    "worst_terms_picture",
]
