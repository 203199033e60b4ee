"""Controls that several explorers have: the width, a threshold in standard deviations, norms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from sublinear_lib.plotting import grouped
from sublinear_lib.widgets.controls import Slider

NORMS: Final = {"inf": math.inf, "1": 1.0, "2": 2.0}
NORM_NAMES: Final = {"inf": "∞: maximum", "1": "1: sum", "2": "2: Euclidean"}

_FEWEST = 30  # stops from which on a slider feels continuous


def width(first: int, last: int, start: int) -> Slider:
    """Return a slider for the width from 2^first to 2^last, at least thirty even steps."""
    each = math.ceil(_FEWEST / (last - first))
    values = [round(2.0 ** (k / each)) for k in range(first * each, last * each + 1)]
    return Slider("m", "width *m*", values, start=start, format=grouped)


def threshold(to: float, start: float, format: str | Callable[[float], str] = "{:.2f}") -> Slider:
    """Return a slider for the threshold from zero on, in standard deviations of the sum."""
    values = [round(to * k / _FEWEST, 4) for k in range(_FEWEST + 1)]
    return Slider("t", "threshold, in standard deviations", values, start=start, format=format)
