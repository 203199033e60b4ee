"""The circle (d = 3) as several pages use it: one input, its points, one network of each width."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.geometry import SLICE_HEIGHT, SLICE_RADIUS, embed
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.scaling import preactivation_std
from sublinear_lib.widgets import Axis

AN_INPUT = np.array([[SLICE_RADIUS, 0.0, SLICE_HEIGHT]])
AN_INPUT.setflags(write=False)
ANGLE = Axis(
    label="angle of the input, degrees", limits=(-180.0, 180.0), ticks=(-180, -90, 0, 90, 180)
)
REACH = 3.5  # standard deviations shown to either side
PREACTIVATION = Axis(
    label="pre-activation, in standard deviations √(2/*m*)", limits=(-REACH, REACH)
)
GRID = np.linspace(-REACH, REACH, 71)
EDGES = tuple(np.round(GRID, 10).tolist())


def on_circle(angles: FloatArray) -> FloatArray:
    """Return the points of X at these angles, in radians; shape (n, 3)."""
    return embed(np.column_stack((np.cos(angles), np.sin(angles))))


@lru_cache(maxsize=128)
def _drawn(m: int) -> FloatArray:
    """Return the ascending pre-activations of one drawn network at `AN_INPUT`, shape (m,)."""
    network = TwoLayerNetwork.initialize(m, 3, rng=np.random.default_rng([0, m]))
    return np.sort(network.preactivations(AN_INPUT)[0])


def drawn_above(m: int, level: float) -> int:
    """Return how many of these pre-activations exceed a level."""
    return m - int(np.searchsorted(_drawn(m), level, side="right"))


@lru_cache(maxsize=128)
def drawn_histogram(m: int) -> FloatArray:
    """Return the density of these pre-activations between `EDGES`."""
    counts = np.histogram(_drawn(m) / preactivation_std(m), bins=np.array(EDGES))[0]
    return np.asarray(counts / (m * np.diff(EDGES)))
