"""The neurons that can fire on X: an exact set, and what training does without the others."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib import geometry
from sublinear_lib.halfspace import alive_on_slice
from sublinear_lib.halfspace.alive import slice_bounds
from tests.halfspace.oracle import LATTICE, TAME, WILD, columns, score, slice_normals, vectors


def fires(w, b, tau):
    """Decide ``(sqrt(3)/2) ||w'|| + w_d / 2 + b > tau`` in rational arithmetic."""
    missing = Fraction(float(tau)) - Fraction(float(w[-1])) / 2 - Fraction(float(b))
    square = sum(Fraction(float(value)) ** 2 for value in w[:-1])
    return missing < 0 or square * 3 / 4 > missing**2


def random_neurons(m, d, seed):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, d)), rng.standard_normal(m)


# The exact set


@st.composite
def layers(draw):
    """Draw weights, biases and a threshold, often one that ties with a neuron."""
    numbers = draw(st.sampled_from([LATTICE, TAME, WILD]))
    d = draw(st.sampled_from([2, 3, 4, 7]))
    m = draw(st.integers(0, 20))
    W = draw(vectors(m, d, numbers))
    b = draw(columns(m, numbers))
    tau = draw(numbers)
    if m and draw(st.booleans()):
        r = draw(st.integers(0, m - 1))
        # Python's floats, which overflow without a warning.
        value = math.sqrt(0.75) * math.hypot(*W[r, :-1].tolist()) + float(W[r, -1]) / 2
        value += 0.0 if b is None else float(b[r])
        if abs(value) < 1e300:
            tau = float(np.nextafter(value, draw(st.sampled_from([-np.inf, value, np.inf]))))
    return W, b, tau


@settings(deadline=None, max_examples=100)
@given(layers())
def test_the_set_is_the_rational_one(layer):
    W, b, tau = layer
    biases = np.zeros(len(W)) if b is None else b
    wanted = [r for r in range(len(W)) if fires(W[r], biases[r], tau)]
    exact = alive_on_slice(W, b, tau=tau, tolerance=0.0)
    assert exact.tolist() == wanted
    assert exact.dtype == np.int64
    assert set(wanted) <= set(alive_on_slice(W, b, tau=tau).tolist())


def test_a_neuron_that_ties_on_x_does_not_fire():
    # ||w'|| = 2 k sqrt(3) / sqrt(3): with w' = (k, k, k), (sqrt(3)/2) ||w'|| = 3 k / 2 exactly.
    k = np.arange(1.0, 2001.0)
    W = np.column_stack((k, k, k, -k))
    tie = dict(tolerance=0.0, tau=1.0)
    assert alive_on_slice(W, 1.0 - k, **tie).tolist() == []
    above = np.nextafter(1.0 - k, np.inf)
    assert alive_on_slice(W, above, **tie).tolist() == list(range(2000))
    # To points within 1e-9 of X nothing can be promised about ties.
    assert alive_on_slice(W, 1.0 - k, tau=1.0).tolist() == list(range(2000))


@pytest.mark.parametrize("d", [2, 3, 8])
def test_dead_neurons_fire_nowhere_and_the_others_somewhere(d):
    W, b = random_neurons(3000, d, d)
    tau = 3.0
    alive = np.zeros(3000, dtype=bool)
    alive[alive_on_slice(W, b, tau=tau)] = True
    assert 0 < alive.sum() < 3000
    X = geometry.sample_slice(2000, d, rng=1)
    assert not (X @ W[~alive].T + b[~alive] > tau).any()
    # The support function of X as a cap: its argument is a point at which the neuron fires.
    value, argument = geometry.Cap(X[0], geometry.SLICE_DIAMETER).support(W)
    np.testing.assert_array_equal(alive, value + b > tau)
    where = np.einsum("ij,ij->i", argument[alive], W[alive]) + b[alive]
    assert (where > tau - 1e-12).all()


# The bounds


def not_above(bound, exact):
    """Say whether a bound is at most a number; infinity may stand for what no float reaches."""
    if np.isinf(bound):
        return bound < 0 or exact > Fraction(float(np.finfo(np.float64).max))
    return Fraction(float(bound)) <= exact


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_no_score_at_a_point_near_x_is_outside_the_bounds(data):
    numbers = data.draw(st.sampled_from([LATTICE, TAME, WILD]))
    d = data.draw(st.sampled_from([2, 3, 5]))
    points = data.draw(vectors(6, d, numbers))
    bias = data.draw(columns(6, numbers))
    lower, upper = slice_bounds(points, bias)
    for x in data.draw(slice_normals(3, d)):
        for r in range(6):
            exact = score(points[r], 0.0 if bias is None else bias[r], x)
            assert not_above(lower[r], exact), f"lower {lower[r]} of point {points[r]} at {x}"
            assert not_above(-upper[r], -exact), f"upper {upper[r]} of point {points[r]} at {x}"


def test_the_bounds_are_tight():
    points, bias = random_neurons(500, 9, 3)
    for exponent in (0, -600, 900):
        scaled = np.ldexp(points, exponent), np.ldexp(bias, exponent)
        lower, upper = (np.ldexp(bound, -exponent) for bound in slice_bounds(*scaled, 0.0))
        reach = math.sqrt(0.75) * np.linalg.norm(points[:, :-1], axis=1)
        np.testing.assert_allclose(upper, points[:, -1] / 2 + bias + reach, rtol=0, atol=1e-12)
        np.testing.assert_allclose(lower, points[:, -1] / 2 + bias - reach, rtol=0, atol=1e-12)


def test_numbers_beyond_the_float_range_leave_the_bounds_infinite():
    largest = float(np.finfo(np.float64).max)
    lower, upper = slice_bounds(np.array([[largest, largest, largest]]), np.array([-largest]))
    assert upper[0] > 0.2 * largest
    assert lower[0] == -np.inf
