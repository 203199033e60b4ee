"""The step of a gradient attack, compiled, for all points of a batch.

In the sparse trainer the small arrays of a step take longer than the network, so here is one loop
(:mod:`sublinear_lib._turning` has what it does).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

from sublinear_lib._turning import compiled_step

__all__ = ["step_uphill"]

Function = TypeVar("Function", bound=Callable[..., Any])

_step_point = compiled_step()


def _compiled(function: Function) -> Function:
    """Compile a loop on its first call and keep the result on disk."""
    compiler = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=False)
    return cast(Function, compiler(function))


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
    forward, sideways = np.cos(angle), np.sin(angle)
    gradients = gradient.ravel()
    missing = 0
    for i in range(n):
        turned[i] = points[i]
        if not _step_point(
            turned[i],
            anchors[i],
            gradients,
            i * d,
            slopes[i] * sideways,
            forward,
            rho,
            cosine,
            sine,
        ):
            lost[missing] = i
            missing += 1
    return missing
