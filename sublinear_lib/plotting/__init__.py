"""Figures: one house style, light and dark, readable on a phone, with a text for every reader.

Functions named after what they show take numbers and return a `Picture`; those that one page alone
uses are in its folder of ``sublinear_lib.chapters``.  Figures of your own start from `figure` and
`panel` inside ``with house_style():``, take their colors from `LIGHT`, and end as a `Picture`.
Nothing in the library below this floor draws.
"""

from __future__ import annotations

from sublinear_lib.plotting import picture, pictures, style
from sublinear_lib.plotting.formats import grouped, number, percent
from sublinear_lib.plotting.palette import LIGHT, ROLES, SERIES, Role, palette_css
from sublinear_lib.plotting.picture import *
from sublinear_lib.plotting.pictures import *
from sublinear_lib.plotting.report import promise_picture
from sublinear_lib.plotting.style import *
from sublinear_lib.plotting.ticks import ticks
from sublinear_lib.plotting.training import training_run

__all__ = ["LIGHT", "ROLES", "SERIES", "Role", "grouped", "number", "palette_css", "percent"]
__all__ += ["promise_picture", "ticks", "training_run"]
__all__ += picture.__all__
__all__ += pictures.__all__
__all__ += style.__all__
