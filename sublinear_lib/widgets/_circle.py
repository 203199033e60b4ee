"""The circle (d = 3) as several explorers and labs use it: one input, its points, drawn networks.

No formula lives here.  Before changing it, know that a drawn network is that of its width and seed
wherever it is shown, so that the explorers of different chapters speak of the same one.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import extremes_on_circle
from sublinear_lib.datasets import Dataset
from sublinear_lib.geometry import SLICE_HEIGHT, SLICE_RADIUS, embed
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.scaling import preactivation_std

AN_INPUT = np.array([[SLICE_RADIUS, 0.0, SLICE_HEIGHT]])
AN_INPUT.setflags(write=False)


def on_circle(angles: FloatArray) -> FloatArray:
    """Return the points of X at these angles, in radians; shape (n, 3)."""
    return embed(np.column_stack((np.cos(angles), np.sin(angles))))


@lru_cache(maxsize=128)
def drawn_preactivations(m: int, seed: int) -> FloatArray:
    """Return the pre-activations of one drawn network at `AN_INPUT`, shape (m,)."""
    network = TwoLayerNetwork.initialize(m, 3, rng=np.random.default_rng([seed, m]))
    drawn: FloatArray = np.array(network.preactivations(AN_INPUT)[0])
    drawn.setflags(write=False)
    return drawn


@lru_cache(maxsize=128)
def drawn_histogram(m: int, seed: int, edges: tuple[float, ...]) -> FloatArray:
    """Return the density of these pre-activations between edges in standard deviations."""
    scaled = drawn_preactivations(m, seed) / preactivation_std(m)
    counts = np.histogram(scaled, bins=np.array(edges))[0]
    return np.asarray(counts / (m * np.diff(edges)), dtype=np.float64)


def exact_worst_loss(network: TwoLayerNetwork, data: Dataset, rho: float) -> float:
    """Return the mean over the examples of the largest ``|f - y|`` in their caps, exactly."""
    ends = extremes_on_circle(network, data.X, rho)
    worst = [
        max(abs(cap.sup - label), abs(cap.inf - label))
        for cap, label in zip(ends, data.y, strict=True)
    ]
    return float(np.mean(worst))
