"""Points of X at which several checks look.

For d = 3 the set X is a circle, at height 1/2, and a point of it is an angle.
"""

from __future__ import annotations

import numpy as np

from sublinear_lib import geometry
from sublinear_lib._typing import BoolArray, FloatArray
from sublinear_lib.network import TwoLayerNetwork


def circle(angles: object) -> FloatArray:
    """Return the points of X for d = 3 at these angles."""
    v = np.asarray(angles, dtype=np.float64)
    return geometry.embed(np.column_stack((np.cos(v), np.sin(v))))


def can_fire(start: TwoLayerNetwork, X: FloatArray, rho: float) -> BoolArray:
    """Return the set S: the neurons that fire somewhere in the caps around some points."""
    length, half = np.linalg.norm(start.W[:, :-1], axis=1), geometry.cap_angle(rho)
    cosine = start.W[:, :-1] @ X[:, :-1].T / (length[:, None] * geometry.SLICE_RADIUS)
    apart = np.maximum(0.0, np.arccos(np.clip(cosine, -1.0, 1.0)) - half)
    highest = geometry.SLICE_RADIUS * length * np.cos(apart).max(axis=1)
    fires: BoolArray = highest + geometry.SLICE_HEIGHT * start.W[:, -1] + start.b > start.tau
    return fires
