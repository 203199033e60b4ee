"""Neurons and regions for the tests of caps that are followed or climbed, and what both promise."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_array_equal

from sublinear_lib import geometry
from sublinear_lib.evaluation import Evaluator, Neurons, Region
from sublinear_lib.training.caps import CapFilter

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


def filter_of(neurons, rho, *, rows=None, margin=0.0, share=0.01):
    radius = min(rho, geometry.SLICE_DIAMETER)
    return CapFilter(neurons, rows, radius=radius, tolerance=TOLERANCE, margin=margin, share=share)


def assert_equal_at(ours, neurons, points, *, smooth=0.0):
    """Hold an evaluator against the sum over all neurons, at a sequence of points."""
    n = len(points[0])
    rng = np.random.default_rng(1)
    for X in points:
        dense = Evaluator(neurons, n)
        reference = dense.forward(X)
        size = volumes(neurons, reference.mask.astype(np.float64))
        value, gradient = ours.value_and_input_gradient(X)
        _, slopes = dense.value_and_input_gradient(X)
        assert (np.abs(value - reference.value) <= 1e-13 * size).all()
        assert (np.abs(gradient - slopes) <= 1e-13 * size[:, None]).all()
        passed = ours.forward(X)
        assert_array_equal(passed.counts, reference.counts)
        for found, wanted in zip(passed.active_sets(), reference.active_sets(), strict=True):
            assert_array_equal(found, wanted)
        assert_array_equal(passed.touched, reference.touched)
        coefficients = rng.standard_normal(n)
        rows, moves = ours.weight_gradient(X, passed, coefficients)
        _, wanted = dense.weight_gradient(X, reference, coefficients)
        assert_array_equal(rows, np.flatnonzero(reference.touched))
        scale = np.abs(neurons.a)[:, None] * np.abs(coefficients).sum()
        assert (np.abs(moves - wanted[rows]) <= 1e-13 * scale[rows]).all()
        untouched = np.delete(wanted, rows, axis=0)
        assert not untouched.any()
        if smooth:
            blurred = dense.smoothed_input_gradient(X, smooth)
            size = volumes(neurons, np.ones((n, neurons.m))) * (1.0 + neurons.tau / smooth)
            error = np.abs(ours.smoothed_input_gradient(X, smooth) - blurred)
            assert (error <= 1e-13 * size[:, None]).all()
