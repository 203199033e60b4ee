"""The step of a gradient attack, compiled, for all points of a batch.

In the sparse trainer the small arrays of a step take longer than the network, so here is one loop
(:mod:`sublinear_lib._turning` has what it does).
"""

from __future__ import annotations

import numpy as np

from sublinear_lib._compiled import compiled
from sublinear_lib._turning import compiled_step

__all__ = ["step_uphill"]

_compiled = compiled()

_step_point = compiled_step()


@_compiled
def step_uphill(points, anchors, gradient, slopes, angle, rho, cosine, sine, turned, lost):
    """Turn points along great circles of X, and put those that leave their cap onto its rim."""
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
