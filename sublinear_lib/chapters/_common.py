"""What explorers of several pages share: words for numbers, norms, and how a typed line is read."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting import SERIES, grouped, number
from sublinear_lib.widgets import Points

NORMS: Final = {"inf": math.inf, "1": 1.0, "2": 2.0}
NORM_NAMES: Final = {"inf": "∞: maximum", "1": "1: sum", "2": "2: Euclidean"}


def about(value: float) -> str:
    """Write an expected count: as a whole number from a hundred on."""
    return grouped(round(value)) if value >= 100 else number(value)


def power_of_m(exponent: Fraction) -> str:
    """Write a power of the width in the house markup."""
    text = str(exponent).replace("-", "\N{MINUS SIGN}")
    return {"0": "1", "1": "*m*"}.get(text, f"*m*^{{{text}}}")


def typed_parts(text: str) -> list[tuple[int, str]]:
    """Return the parts of a typed line between semicolons, numbered from 1, without empty ones."""
    parts = ((place, part.strip()) for place, part in enumerate(text.split(";"), start=1))
    return [(place, part) for place, part in parts if part]


def labeled(X: FloatArray, y: FloatArray) -> list[Points]:
    """Draw points of the plane whose labels are 1, 2, ..., each label in its color."""
    marks = []
    for label in np.unique(y).tolist():
        at, role = X[y == label], SERIES[int(label) - 1]
        marks.append(Points(at[:, 0], at[:, 1], label=f"label {label:.0f}", role=role))
    return marks
