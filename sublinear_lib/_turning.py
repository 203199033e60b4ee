"""A step of a gradient attack for one point, compiled: turn on the slice, return to the cap.

It does what :func:`sublinear_lib.adversary.ascent.turn` and
:func:`sublinear_lib.geometry.project_to_caps` do, one after the other and to rounding, without
their dozens of small arrays.  It lives down here because two rooms need it inside of their compiled
loops: the attacks, and the structure that carries out a whole attack in one call.  Before changing
it, change those two; the tests hold them against each other.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from sublinear_lib import geometry

__all__ = ["compiled_step", "step_point"]

_RADIUS = geometry.SLICE_RADIUS
# As in `turn`: what is left of a gradient parallel to the point is rounding.
_STILL = 1e-13
# As in the projection: below this an orthogonal part is rounding.
_LOST = 16.0 * 2.0**-52


@functools.cache
def compiled_step() -> Any:
    """Return `step_point` for compiled loops; needs numba."""
    from sublinear_lib._compiled import compiled

    return compiled()(step_point)


def step_point(
    point: Any,
    anchor: Any,
    gradients: Any,
    start: int,
    sideways: float,
    forward: float,
    rho: float,
    cosine: float,
    sine: float,
) -> bool:
    """Turn a point along a great circle of X, and put it onto the rim if it leaves its cap."""
    d = point.size
    front = d - 1
    inner = 0.0
    size = 0.0
    for k in range(front):
        inner += gradients[start + k] * (point[k] / _RADIUS)
        size += gradients[start + k] * gradients[start + k]
    squares = 0.0
    for k in range(front):
        tangent = gradients[start + k] - inner * (point[k] / _RADIUS)
        squares += tangent * tangent
    length = np.sqrt(squares)
    if not length <= _STILL * np.sqrt(size):
        share = sideways / length
        squares = 0.0
        for k in range(front):
            unit = point[k] / _RADIUS
            moved = forward * unit + share * (gradients[start + k] - inner * unit)
            point[k] = moved
            squares += moved * moved
        scale = _RADIUS / np.sqrt(squares)
        for k in range(front):
            point[k] *= scale
    gap = 0.0
    for k in range(d):
        step = point[k] - anchor[k]
        gap += step * step
    if not gap > rho * rho:
        return True
    # The nearest point of the rim lies on the great circle through center and point.
    length = 0.0
    for k in range(front):
        length += anchor[k] * anchor[k]
    length = np.sqrt(length)
    inner = 0.0
    for k in range(front):
        inner += point[k] * (anchor[k] / length)
    again = 0.0
    for k in range(front):
        again += (point[k] - inner * (anchor[k] / length)) * (anchor[k] / length)
    squares = 0.0
    for k in range(front):
        part = point[k] - (inner + again) * (anchor[k] / length)
        squares += part * part
    across = np.sqrt(squares)
    if across <= _LOST * _RADIUS:
        return False
    squares = 0.0
    for k in range(front):
        unit = anchor[k] / length
        part = cosine * unit + sine * ((point[k] - (inner + again) * unit) / across)
        point[k] = part
        squares += part * part
    scale = _RADIUS / np.sqrt(squares)
    for k in range(front):
        point[k] *= scale
    point[front] = geometry.SLICE_HEIGHT
    return True
