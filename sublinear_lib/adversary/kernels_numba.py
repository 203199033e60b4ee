"""The step of a gradient attack, compiled: turn towards the gradient, return to the cap.

It does what :func:`sublinear_lib.adversary.ascent.turn` and
:func:`sublinear_lib.geometry.project_to_caps` do, one after the other and to rounding, without
their dozens of small arrays: in the sparse trainer these take longer than the network.  Before
changing it, change those two; the tests hold them against each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

from sublinear_lib import geometry

__all__ = ["step_uphill"]

Function = TypeVar("Function", bound=Callable[..., Any])

_RADIUS = geometry.SLICE_RADIUS
# As in `turn`: what is left of a gradient parallel to the point is rounding.
_STILL = 1e-13
# As in the projection: below this an orthogonal part is rounding.
_LOST = 16.0 * 2.0**-52


def _compiled(function: Function) -> Function:
    """Compile a loop on its first call and keep the result on disk."""
    return cast(Function, numba.njit(cache=True, nogil=True, error_model="numpy")(function))


@_compiled
def step_uphill(
    points: Any,
    anchors: Any,
    gradient: Any,
    slopes: Any,
    angle: float,
    rho: float,
    cosine: float,
    sine: float,
    turned: Any,
    lost: Any,
) -> int:
    """Turn points along great circles of X, and put those that leave their cap onto its rim.

    Parameters
    ----------
    points, anchors : ndarray of float64, shape (n, d)
        Points of X, and the centers of their caps.
    gradient : ndarray of float64, shape (n, d)
        Gradients of the network.
    slopes : ndarray of float64, shape (n,)
        +1 where the network is to rise, -1 where it is to fall.
    angle : float
        How far to turn, radians.
    rho, cosine, sine : float
        Radius of the caps, and cosine and sine of their angle.
    turned : ndarray of float64, shape (n, d)
        Filled.
    lost : ndarray of int64, shape (n,)
        Filled with the rows outside their caps for which the rim has no nearest point, to rounding.

    Returns
    -------
    int
        The number of entries in `lost`.
    """
    n, d = points.shape
    front = d - 1
    forward, sideways = np.cos(angle), np.sin(angle)
    missing = 0
    for i in range(n):
        inner = 0.0
        size = 0.0
        for k in range(front):
            inner += gradient[i, k] * (points[i, k] / _RADIUS)
            size += gradient[i, k] * gradient[i, k]
        squares = 0.0
        for k in range(front):
            tangent = gradient[i, k] - inner * (points[i, k] / _RADIUS)
            turned[i, k] = tangent
            squares += tangent * tangent
        length = np.sqrt(squares)
        turned[i, front] = points[i, front]
        if length <= _STILL * np.sqrt(size):
            for k in range(front):
                turned[i, k] = points[i, k]
        else:
            share = slopes[i] * sideways / length
            squares = 0.0
            for k in range(front):
                moved = forward * (points[i, k] / _RADIUS) + share * turned[i, k]
                turned[i, k] = moved
                squares += moved * moved
            scale = _RADIUS / np.sqrt(squares)
            for k in range(front):
                turned[i, k] *= scale
        gap = 0.0
        for k in range(d):
            step = turned[i, k] - anchors[i, k]
            gap += step * step
        if not gap > rho * rho:
            continue
        # The nearest point of the rim lies on the great circle through center and point.
        length = 0.0
        for k in range(front):
            length += anchors[i, k] * anchors[i, k]
        length = np.sqrt(length)
        inner = 0.0
        for k in range(front):
            inner += turned[i, k] * (anchors[i, k] / length)
        again = 0.0
        for k in range(front):
            again += (turned[i, k] - inner * (anchors[i, k] / length)) * (anchors[i, k] / length)
        squares = 0.0
        for k in range(front):
            part = turned[i, k] - (inner + again) * (anchors[i, k] / length)
            squares += part * part
        across = np.sqrt(squares)
        if across <= _LOST * _RADIUS:
            lost[missing] = i
            missing += 1
            continue
        squares = 0.0
        for k in range(front):
            unit = anchors[i, k] / length
            part = cosine * unit + sine * ((turned[i, k] - (inner + again) * unit) / across)
            turned[i, k] = part
            squares += part * part
        scale = _RADIUS / np.sqrt(squares)
        for k in range(front):
            turned[i, k] *= scale
        turned[i, front] = geometry.SLICE_HEIGHT
    return missing
