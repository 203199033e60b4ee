"""Helpers to read a view: its marks by kind and label, and the points of the circle."""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np

from sublinear_lib.widgets import Mark, View

Kind = TypeVar("Kind", bound=Mark)
X = [[math.sqrt(3) / 2, 0.0, 0.5]]


def of(view: View, kind: type[Kind]) -> list[Kind]:
    return [mark for mark in view.marks if isinstance(mark, kind)]


def named(view: View, kind: type[Kind]) -> dict[str, Kind]:
    return {mark.label: mark for mark in of(view, kind)}


def circle(degrees: object) -> np.ndarray:
    turn = np.radians(np.asarray(degrees, dtype=np.float64))
    flat = np.full(turn.size, 0.5)
    return np.column_stack((0.75**0.5 * np.cos(turn), 0.75**0.5 * np.sin(turn), flat))


def sparse(m: int) -> float:
    """Return the threshold of R3."""
    return math.sqrt(2 / m * 0.4 * math.log(m))
