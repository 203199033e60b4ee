"""Checks of what figures are given: texts, names, places along an axis, and values.

Each returns what was given, numbers as an array, or says what is wrong with it.
"""

from __future__ import annotations

import math
import re

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.validation import float_array

_SHOWN = 8
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


def checked_text(value: object, name: str, *, empty: bool = False) -> str:
    """Return a text, if it is one."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, got {value!r} of type {type(value).__name__}")
    if not empty and not value.strip():
        raise ValueError(f"{name} must not be empty")
    return value


def plain_name(value: object) -> str:
    """Return a name that can be an id on a page, if it is one."""
    name = checked_text(value, "name", empty=True)
    if not _NAME.fullmatch(name):
        raise ValueError(
            "name must consist of lower-case letters, digits and single hyphens, starting with a "
            f"letter, such as 'activity-bound', got {name!r}"
        )
    return name


def ascending(value: object, name: str, low: float = -math.inf) -> FloatArray:
    """Return at least two ascending numbers from `low` on, or say that they are none."""
    places = float_array(value, name, shape=(None,))
    if places.size < 2 or (np.diff(places) <= 0).any() or places[0] < low:
        ends = f" >= {low:g}" if low > -math.inf else ""
        few = ", ".join(f"{place:g}" for place in places[:_SHOWN])
        more = ", ..." if places.size > _SHOWN else ""
        raise ValueError(f"{name} must be at least two ascending numbers{ends}, got [{few}{more}]")
    return places


def positive(value: object, name: str, shape: tuple[int | None, ...]) -> FloatArray:
    """Return numbers that a logarithmic axis can show, or name one that it cannot."""
    values = float_array(value, name, shape=shape)
    if (values <= 0).any():
        raise ValueError(
            f"{name} must be > 0 to be drawn on a logarithmic axis, got {float(values.min())!r}"
        )
    return values
