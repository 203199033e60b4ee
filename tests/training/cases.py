"""A network at initialization and labeled points, as the tests of the trainers use them."""

from __future__ import annotations

import numpy as np

from sublinear_lib import geometry, scaling
from sublinear_lib.network import TwoLayerNetwork


def problem(d, m, n, *, activation="jump", t=1.65, seed=0):
    """Return a network, n points of X and labels +1 or -1."""
    tau = scaling.threshold_from_standard(t, m)
    network = TwoLayerNetwork.initialize(m, d, rng=seed, tau=tau, activation=activation)
    X = geometry.sample_slice(n, d, rng=seed + 1)
    y = np.where(np.random.default_rng(seed + 2).random(n) < 0.5, -1.0, 1.0)
    return network, X, y
