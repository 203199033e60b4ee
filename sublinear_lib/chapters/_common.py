"""What explorers of several pages share: words for numbers, norms, and how a typed line is read."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Final

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting import SERIES, grouped, number
from sublinear_lib.widgets import Band, Points

NORMS: Final = {"inf": math.inf, "1": 1.0, "2": 2.0}
NORM_NAMES: Final = {"inf": "∞: maximum", "1": "1: sum", "2": "2: Euclidean"}


def about(value: float) -> str:
    """Write an expected count: as a whole number from a hundred on."""
    return grouped(round(value)) if value >= 100 else number(value)


def power_of_m(exponent: Fraction) -> str:
    """Write a power of the width in the house markup."""
    text = str(exponent).replace("-", "\N{MINUS SIGN}")
    return {"0": "1", "1": "*m*"}.get(text, f"*m*^{{{text}}}")


def typed_rows(
    text: str, wanted: str, read: Callable[[list[str]], list[float]]
) -> list[list[float]]:
    """Read the parts of a typed line between semicolons, word by word, but for empty ones.

    A ValueError of `read` becomes one that says what is wanted, and names the part.
    """
    rows = []
    for place, part in enumerate(map(str.strip, text.split(";")), start=1):
        if part:
            try:
                rows.append(read(part.split()))
            except ValueError:
                raise ValueError(f"{wanted}, got {part!r} as number {place}") from None
    return rows


def convex(outline: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a convex outline (k, 2) as the area between two curves, over the x of its corners."""
    start, end = outline, np.roll(outline, -1, axis=0)
    level = np.sort(outline[:, 0])
    across = level[np.append(True, np.diff(level) > 1e-9)]
    left = np.minimum(start[:, 0], end[:, 0]) - 1e-9
    right = np.maximum(start[:, 0], end[:, 0]) + 1e-9
    # The heights at which edges pass over each place; an upright edge ends at two others.
    slanted = right - left > 1e-8
    start, end = start[slanted], end[slanted]
    way = (across[:, None] - start[:, 0]) / (end[:, 0] - start[:, 0])
    heights = start[:, 1] + way * (end[:, 1] - start[:, 1])
    here = (left[slanted] <= across[:, None]) & (across[:, None] <= right[slanted])
    low = np.where(here, heights, np.inf).min(axis=1)
    return across, low, np.where(here, heights, -np.inf).max(axis=1)


def filled(outline: FloatArray, label: float) -> Band:
    """Draw a convex outline in the color of a label 1, 2, ...

    Three decimals are finer than a pixel, and short in the page.
    """
    return Band(*(np.round(each, 3) for each in convex(outline)), role=SERIES[int(label) - 1])


def labeled(X: FloatArray, y: FloatArray) -> list[Points]:
    """Draw points of the plane whose labels are 1, 2, ..., each label in its color."""
    marks = []
    for label in np.unique(y).tolist():
        at, role = X[y == label], SERIES[int(label) - 1]
        marks.append(Points(at[:, 0], at[:, 1], label=f"label {label:.0f}", role=role))
    return marks
