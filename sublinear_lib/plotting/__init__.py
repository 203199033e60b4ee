"""Figures: one house style, light and dark, readable on a phone, with a text for every reader.

Functions named after what they show take numbers and return a `Picture`; those that one page alone
uses are in its folder of ``sublinear_lib.chapters``.  Figures of your own start from `figure` and
`panel` inside ``with house_style():``, take their colors from `LIGHT`, and end as a `Picture`.
Nothing in the library below this floor draws.
"""

from __future__ import annotations

from sublinear_lib.plotting.formats import grouped, number, percent
from sublinear_lib.plotting.palette import LIGHT, ROLES, SERIES, Role, palette_css
from sublinear_lib.plotting.picture import PAGE_HTML, Picture
from sublinear_lib.plotting.pictures import (
    boxes_picture,
    cost_curves,
    growth_picture,
    loss_curves,
    shares_picture,
    work_against_m,
)
from sublinear_lib.plotting.report import promise_picture
from sublinear_lib.plotting.style import (
    EndLabel,
    figure,
    house_style,
    label_line_ends,
    note,
    panel,
    set_scale,
)
from sublinear_lib.plotting.ticks import ticks
from sublinear_lib.plotting.training import training_run

__all__ = [
    "LIGHT",
    "PAGE_HTML",
    "ROLES",
    "SERIES",
    "EndLabel",
    "Picture",
    "Role",
    "boxes_picture",
    "cost_curves",
    "figure",
    "grouped",
    "growth_picture",
    "house_style",
    "label_line_ends",
    "loss_curves",
    "note",
    "number",
    "palette_css",
    "panel",
    "percent",
    "promise_picture",
    "set_scale",
    "shares_picture",
    "ticks",
    "training_run",
    "work_against_m",
]
