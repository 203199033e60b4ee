"""Figures: one house style, light and dark, readable on a phone, with a text for every reader.

Functions named after what they show take numbers and return a `Picture`; those that one page alone
uses are in its folder of ``sublinear_lib.chapters``.  Figures of your own are drawn in a `Chart`
inside ``with house_style():``, which names colors by their roles, and end as a `Picture`.
Nothing in the library below this floor draws.
"""

from __future__ import annotations

from sublinear_lib.plotting import picture, pictures
from sublinear_lib.plotting.chart import Chart
from sublinear_lib.plotting.formats import grouped, number, percent
from sublinear_lib.plotting.palette import LIGHT, ROLES, SERIES, Role, palette_css
from sublinear_lib.plotting.picture import *
from sublinear_lib.plotting.pictures import *
from sublinear_lib.plotting.style import house_style
from sublinear_lib.plotting.ticks import ticks

__all__ = ["LIGHT", "ROLES", "SERIES", "Chart", "Role", "grouped", "house_style", "number"]
__all__ += ["palette_css", "percent", "ticks"]
__all__ += picture.__all__
__all__ += pictures.__all__
