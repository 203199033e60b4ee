"""What several tests of the room compare with: the normal law, points of X, draws of z and a."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sublinear_lib.geometry import SLICE_RADIUS

ACTIVATIONS = ("jump", "continuous")


def q(x: float) -> float:
    """Return the probability that a standard normal variable exceeds x."""
    return math.erfc(x / math.sqrt(2)) / 2


def phi(x: float) -> float:
    """Return the density of the standard normal law."""
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def circle(angles: npt.ArrayLike) -> np.ndarray:
    """Return the points of X in dimension three at these angles."""
    v = np.asarray(angles, dtype=float)
    return np.column_stack(
        [SLICE_RADIUS * np.cos(v), SLICE_RADIUS * np.sin(v), np.full(v.size, 0.5)]
    )


def draw(m: int, seed: int, *draws: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the pre-activations of m neurons at one point and the signs of their weights."""
    rng = np.random.default_rng([seed, m])
    return rng.standard_normal((*draws, m)) * math.sqrt(2 / m), rng.choice([-1.0, 1.0], (*draws, m))
