"""Neurons, regions and sizes of sums for the tests of caps that are followed or climbed."""

from __future__ import annotations

import numpy as np

from sublinear_lib import geometry
from sublinear_lib.evaluation import Neurons, Region

TOLERANCE = 1e-8


def neurons_of(W, b, tau, *, shift=0.0, seed=0):
    """Return neurons with random signs."""
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], len(W))
    hidden = np.ascontiguousarray(W, dtype=np.float64)
    return Neurons(hidden, signs, np.array(b, dtype=np.float64), float(tau), float(shift))


def region_of(X, rho, margin=0.0):
    """Return the caps around points."""
    return Region(X, min(rho, geometry.SLICE_DIAMETER), TOLERANCE, margin)


def volumes(neurons, mask):
    """What the float64 sums of a point are made of, in size."""
    sizes = np.abs(neurons.W).sum(axis=1) + np.abs(neurons.b - neurons.shift)
    return mask @ (np.abs(neurons.a) * sizes) + 1e-300
