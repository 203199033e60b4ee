"""Checks of what many figures are given: places along an axis, and values for a logarithmic one.

No object of the paper lives here.  Each check returns the numbers as an array, or says in the words
that all figures share what is wrong with them.
"""

from __future__ import annotations

import math

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.validation import float_array

__all__ = ["ascending", "positive"]

_SHOWN = 8


def ascending(
    value: object, name: str, low: float = -math.inf, high: float = math.inf
) -> FloatArray:
    """Return at least two ascending numbers from `low` to `high`, or say that they are none."""
    places = float_array(value, name, shape=(None,))
    if places.size < 2 or (np.diff(places) <= 0).any() or places[0] < low or places[-1] > high:
        ends = f" in [{low:g}, {high:g}]" if high < math.inf else f" >= {low:g}"
        few = ", ".join(f"{place:g}" for place in places[:_SHOWN])
        more = ", ..." if places.size > _SHOWN else ""
        raise ValueError(
            f"{name} must be at least two ascending numbers{ends if low > -math.inf else ''}, "
            f"got [{few}{more}]"
        )
    return places


def positive(value: object, name: str, shape: tuple[int | None, ...]) -> FloatArray:
    """Return numbers that a logarithmic axis can show, or name one that it cannot."""
    values = float_array(value, name, shape=shape)
    if (values <= 0).any():
        raise ValueError(
            f"{name} must be > 0 to be drawn on a logarithmic axis, got {float(values.min())!r}"
        )
    return values
