"""Interval bounds enclose the exact and the computed output, whatever the weights round to."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.memorization import (
    AffineLayer,
    ReLUNetwork,
    interval_bounds,
    lipschitz_bound,
    memorize,
    memorize_lipschitz,
    milp_range,
    random_points,
)
from sublinear_lib.memorization.intervals import layer_bounds

pytestmark = pytest.mark.either_way

# Numbers that round: decimal fractions, large ones that cancel, small ones that underflow.
NASTY = [0.1, -0.1, 1 / 3, -1 / 3, 0.7, 1.0, -1.0, 1e16, -1e16, 1e8 + 0.1, 3e-200, 1e-170, -7e-9]


def random_network(rng: np.random.Generator, sizes: list[int], nasty: bool) -> ReLUNetwork:
    layers = []
    for inputs, outputs in itertools.pairwise(sizes):
        shape = (outputs, inputs)
        weight = rng.choice(NASTY, shape) if nasty else rng.normal(size=shape)
        bias = rng.choice([*NASTY, 0.0], outputs) if nasty else rng.normal(size=outputs)
        layers.append(AffineLayer(weight * (rng.random(shape) < 0.7), bias))
    return ReLUNetwork(tuple(layers))


def paired_network(rng: np.random.Generator, n: int, depth: int) -> ReLUNetwork:
    """Make a network full of maxima, minima and absolute values of affine forms that round."""
    layers = []
    for _ in range(depth):
        a, m = rng.normal(size=n), rng.normal(size=n) * (np.arange(n) % 2)
        b, c = rng.normal(size=2)
        kind = rng.integers(3)
        second = -a if kind == 0 else m - a if kind == 1 else a - m
        shift = -b if kind == 0 else c - b if kind == 1 else b - c
        layers.append(AffineLayer(np.vstack([a, second, m]), [b, shift, c]))
        sign = -1.0 if kind == 2 else 1.0
        use = rng.normal(size=(n, 1)) * np.array([[1.0, sign, 0.0]])
        use[:, 2] = rng.normal(size=n)
        layers.append(AffineLayer(use, rng.normal(size=n)))
    merged = [layers[0]]
    for use, form in zip(layers[1::2], layers[2::2], strict=False):
        product = form.weight.toarray() @ use.weight.toarray()
        # the product of two rows that belong together still belongs together, up to rounding
        merged.append(AffineLayer(product, form.weight @ use.bias + form.bias))
    merged.append(AffineLayer(layers[-1].weight[[0]], layers[-1].bias[:1]))
    return ReLUNetwork(tuple(merged))


def encloses(network: ReLUNetwork, low: np.ndarray, high: np.ndarray, points: np.ndarray) -> None:
    for aware in (False, True):
        lower, upper = (float(bound) for bound in interval_bounds(network, low, high, aware=aware))
        computed = network(points)
        assert (lower <= computed).all() and (computed <= upper).all()
        for point in points:
            value = network.exactly(point.tolist())
            assert lower == -math.inf or Fraction(lower) <= value
            assert upper == math.inf or value <= Fraction(upper)


def some_points(rng: np.random.Generator, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    corners = np.where(rng.random((12, len(low))) < 0.5, low, high)
    inner = np.clip(rng.uniform(size=(6, len(low))) * (high - low) + low, low, high)
    return np.vstack([low, high, corners, inner])


@settings(deadline=None, max_examples=150)
@given(st.integers(0, 10**6), st.booleans(), st.sampled_from([0.0, 1e-16, 1e-3, 1.0]))
def test_bounds_enclose_exact_and_computed_values(seed: int, nasty: bool, width: float) -> None:
    rng = np.random.default_rng(seed)
    sizes = [*rng.integers(1, 6, size=rng.integers(2, 6)).tolist(), 1]
    network = random_network(rng, sizes, nasty)
    low = rng.choice([0.1, -0.3, 1 / 3, 1e-170, 5.0], sizes[0]) * rng.normal(size=sizes[0])
    high = low + width * rng.random(sizes[0])
    encloses(network, low, high, some_points(rng, low, high))


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 4))
def test_bounds_of_pairs_enclose_exact_and_computed_values(seed: int, n: int, depth: int) -> None:
    rng = np.random.default_rng(seed)
    network = paired_network(rng, n, depth)
    low = rng.normal(size=n)
    high = low + rng.choice([0.0, 1e-12, 0.5]) * rng.random(n)
    encloses(network, low, high, some_points(rng, low, high))


def test_underflow_is_covered() -> None:
    network = ReLUNetwork([AffineLayer([[1e-200]], [0.0]), AffineLayer([[1e-200]], [0.0])])
    lower, upper = interval_bounds(network, [1.0], [1.0])
    assert float(network([[1.0]])[0]) == 0.0
    assert Fraction(float(lower)) <= network.exactly([1.0]) <= Fraction(float(upper))
    assert network.exactly([1.0]) > 0


def test_overflow_gives_infinite_bounds_not_false_ones() -> None:
    layer = AffineLayer([[1e300, -1e300]], [0.0])
    network = ReLUNetwork([AffineLayer([[1e300], [1e300]], [0.0, 0.0]), layer])
    for aware in (False, True):
        assert [float(b) for b in interval_bounds(network, [1.0], [2.0], aware=aware)] == [
            -math.inf,
            math.inf,
        ]


def test_copies_are_not_widened() -> None:
    network = ReLUNetwork([AffineLayer([[1.0]], [0.0])] * 50)
    assert [float(b) for b in interval_bounds(network, [0.1], [0.3])] == [0.1, 0.3]


def test_plain_bounds_lose_the_maximum_and_aware_ones_keep_it() -> None:
    # max(x, x) = x on [1, 2], written as x + relu(x - x): plain bounds let the second term be 1
    network = ReLUNetwork(
        [
            AffineLayer([[1.0], [1.0]], [0.0, 0.0]),
            AffineLayer([[1.0, 0.0], [-1.0, 1.0]], [0.0, 0.0]),
            AffineLayer([[1.0, 1.0]], [0.0]),
        ]
    )
    plain = interval_bounds(network, [1.0], [2.0])
    aware = interval_bounds(network, [1.0], [2.0], aware=True)
    assert [float(b) for b in plain] == pytest.approx([1.0, 3.0])
    assert [float(b) for b in aware] == pytest.approx([1.0, 2.0])


def test_the_rounding_of_both_rows_of_a_pair_is_covered() -> None:
    # a = B (x - z) + u and b = B (z - x) + v: in a + b = u + v the large terms cancel, in float64
    # each row is rounded at the size of B
    B, beyond = 1e8, 0
    rows = AffineLayer([[B, 1.0, 0.0, -B], [-B, 0.0, 1.0, B]], [0.0, 0.0])
    network = ReLUNetwork([rows, AffineLayer([[1.0, 1.0]], [0.0])])
    rng = np.random.default_rng(0)
    for _ in range(200):
        x, u, v = rng.uniform(1.0, 2.0, 3)
        point = np.array([x, u, v, x + rng.uniform(-1e-9, 1e-9)])
        beyond += abs(float(network(point[None])[0]) - (u + v)) > 1e-12
        encloses(network, point, point, point[None])
    assert beyond > 50


@pytest.mark.parametrize("seed", range(8))
def test_bounds_contain_the_range_that_a_solver_finds(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    network = (
        paired_network(rng, 2, 3) if seed % 2 else random_network(rng, [2, 5, 5, 1], nasty=False)
    )
    low = rng.normal(size=2)
    high = low + rng.random(2)
    found = milp_range(network, low, high)
    assert found.status == "optimal"
    size = 1e-5 * (1.0 + network.largest_weight)
    for aware in (False, True):
        lower, upper = interval_bounds(network, low, high, aware=aware)
        assert lower <= found.lower + size and found.upper - size <= upper
    samples = network(rng.uniform(low, high, (4000, 2)))
    assert found.lower - size <= samples.min() and samples.max() <= found.upper + size
    assert found.highest == pytest.approx(found.upper, abs=size)


def test_a_batch_gives_the_bounds_of_its_boxes() -> None:
    rng = np.random.default_rng(3)
    network = random_network(rng, [3, 6, 4, 2], nasty=False)
    low = rng.normal(size=(5, 3))
    lower, upper = interval_bounds(network, low, low + 0.1, aware=True)
    assert lower.shape == upper.shape == (5, 2)
    for k in range(5):
        one = interval_bounds(network, low[k], low[k] + 0.1, aware=True)
        np.testing.assert_array_equal(one, (lower[k], upper[k]))


def test_the_bounds_of_every_layer_hold() -> None:
    rng = np.random.default_rng(4)
    network = random_network(rng, [3, 6, 4, 1], nasty=False)
    low = rng.normal(size=3)
    points = rng.uniform(low, low + 0.5, (200, 3)).T
    for aware in (False, True):
        h = points
        bounds = layer_bounds(network, low, low + 0.5, aware=aware)
        for layer, (lower, upper) in zip(network.layers, bounds, strict=True):
            z = layer.weight @ h + layer.bias[:, None]
            assert (lower[:, None] <= z).all() and (z <= upper[:, None]).all()
            h = np.maximum(z, 0.0)


@pytest.mark.parametrize("seed", range(5))
def test_the_lipschitz_bound_is_above_every_gradient(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for network in (random_network(rng, [3, 6, 5, 1], nasty=False), paired_network(rng, 3, 3)):
        gradients = network.value_and_gradient(3.0 * rng.normal(size=(3000, 3)))[1]
        assert np.abs(gradients).sum(axis=1).max() <= float(lipschitz_bound(network)) * (1 + 1e-12)


def test_the_lipschitz_bound_counts_a_row_that_works_alone() -> None:
    # relu(a) - relu(b) with a < 0 < b is -b, steeper than a and than a - b
    network = ReLUNetwork(
        [
            AffineLayer([[1.0, 1.0], [1.0, 2.0]], [-100.0, 0.0]),
            AffineLayer([[1.0, -1.0]], [0.0]),
        ]
    )
    assert network.value_and_gradient([[1.0, 1.0]])[1].tolist() == [[-1.0, -2.0]]
    assert lipschitz_bound(network) == 3


def test_the_lipschitz_bound_of_a_memorizer_is_the_closed_form_exactly() -> None:
    X, y = random_points(9, 5, 3, 1)
    network = memorize(X, y, 0.01).network
    slope = max(np.abs(layer.weight.data).max() for layer in network.layers)
    assert lipschitz_bound(network) == 5 * Fraction(float(slope))
    assert lipschitz_bound(memorize_lipschitz(X, np.where(y > 1, 1, -1)).network) == 1


@pytest.mark.parametrize(
    ("lower", "upper", "message"),
    [
        ([0.0], [1.0], "lower must have shape"),
        ([0.0, 2.0], [1.0, 1.0], "must not exceed"),
    ],
)
def test_bad_boxes_are_refused(lower: list[float], upper: list[float], message: str) -> None:
    network = random_network(np.random.default_rng(0), [2, 3, 1], nasty=False)
    with pytest.raises(ValueError, match=message):
        interval_bounds(network, lower, upper)


def test_what_needs_one_output_or_one_box_says_so() -> None:
    network = random_network(np.random.default_rng(0), [2, 3, 2], nasty=False)
    with pytest.raises(ValueError, match="one output"):
        lipschitz_bound(network)
    with pytest.raises(ValueError, match="one output"):
        milp_range(network, [0.0, 0.0], [1.0, 1.0])
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        layer_bounds(network, np.zeros((3, 2)), np.ones((3, 2)))
