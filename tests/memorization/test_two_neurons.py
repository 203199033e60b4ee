"""Two neurons: their exact range and radius, and the balls that they memorize with exact values."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from sublinear_lib.memorization import (
    ReLUNetwork,
    certify_sign,
    exact_values_program,
    output_range,
    separation,
    two_neurons,
)
from sublinear_lib.memorization.two_neurons import robust_radii

pytestmark = pytest.mark.either_way

WHOLE = st.integers(-4, 4)
RADII = st.fractions(0, 3, max_denominator=8)


@st.composite
def networks(draw: st.DrawFn, n: int) -> ReLUNetwork:
    width = draw(st.integers(1, 2))
    W = [[draw(WHOLE) / 2 for _ in range(n)] for _ in range(width)]
    b = [draw(WHOLE) / 2 for _ in range(width)]
    return ReLUNetwork([(W, b), ([[draw(WHOLE) for _ in range(width)]], [draw(WHOLE) / 4])])


def corners_of_the_pieces(
    network: ReLUNetwork, center: tuple[int, int], radius: Fraction
) -> list[tuple[Fraction, Fraction]]:
    """List all points of a square where a piecewise linear function can be extreme."""
    low = [Fraction(c) - radius for c in center]
    high = [Fraction(c) + radius for c in center]
    lines = [((Fraction(1), Fraction(0)), end) for end in (low[0], high[0])]
    lines += [((Fraction(0), Fraction(1)), end) for end in (low[1], high[1])]
    hidden = network.layers[0]
    for w, b in zip(hidden.weight.toarray().tolist(), hidden.bias.tolist(), strict=True):
        lines.append(((Fraction(w[0]), Fraction(w[1])), -Fraction(b)))
    points = []
    for p, ((a, b), e) in enumerate(lines):
        for (c, d), f in lines[:p]:
            det = a * d - b * c
            if det != 0:
                x, y = (e * d - b * f) / det, (a * f - e * c) / det
                if low[0] <= x <= high[0] and low[1] <= y <= high[1]:
                    points.append((x, y))
    return points


@settings(deadline=None, max_examples=300)
@given(networks(2), st.tuples(WHOLE, WHOLE), RADII)
def test_in_the_plane_the_range_is_that_of_all_corners(
    network: ReLUNetwork, center: tuple[int, int], radius: Fraction
) -> None:
    values = [network.exactly(point) for point in corners_of_the_pieces(network, center, radius)]
    assert output_range(network, np.array(center, dtype=float), radius) == (
        min(values),
        max(values),
    )


def test_a_positive_and_a_negative_neuron_with_one_kink_can_cancel() -> None:
    # relu(x) - relu(2 x) is never positive; only a multiplier of 1/2, between 0 and 1, shows it.
    network = ReLUNetwork([([[1.0, 0.0], [2.0, 0.0]], [0.0, 0.0]), ([[1.0, -1.0]], [0.0])])
    assert output_range(network, [0.0, 0.0], 1.0) == (-1, 0)


@settings(deadline=None, max_examples=200)
@given(
    networks(3), st.lists(WHOLE, min_size=3, max_size=3), st.lists(WHOLE, min_size=3, max_size=3)
)
def test_the_radius_is_where_the_range_meets_the_midpoint(
    network: ReLUNetwork, first: list[int], second: list[int]
) -> None:
    assume(first != second)
    X, y, middle = [first, second], [0.0, 1.0], Fraction(1, 2)
    radii = robust_radii(network, X, y)
    for x, label, radius in zip(X, y, radii, strict=True):
        value = network.exactly(x)
        assert (radius > 0) == ((value > middle) if label else (value < middle))
        if radius == 0:
            continue
        for budget in (Fraction(0), Fraction(999, 1000) * min(radius, Fraction(10**6))):
            low, high = output_range(network, x, Fraction(budget))
            assert low > middle if label else high < middle
        if not isinstance(radius, float):
            low, high = output_range(network, x, radius)
            assert (low if label else high) == middle
        else:
            assert radius == math.inf


def test_a_constant_network_is_robust_without_limit_for_one_label() -> None:
    network = ReLUNetwork([([[0.0, 0.0]], [1.0]), ([[1.0]], [1.0])])
    radii = robust_radii(network, [[0.0, 0.0], [1.0, 0.0]], [2.0, 1.0])
    assert radii == (math.inf, 0)


def test_the_certificate_names_the_weakest_sample_and_is_strict() -> None:
    network = ReLUNetwork([([[1.0], [1.0]], [0.0, -1.0]), ([[1.0, -1.0]], [0.0])])  # clip to [0, 1]
    X, y = [[-1.0], [0.9], [3.0]], [0.0, 1.0, 1.0]
    found = certify_sign(network, X, y, Fraction(1, 4))
    assert found.holds
    assert found.radius == Fraction(0.9) - Fraction(1, 2)
    assert not certify_sign(network, X, y, found.radius).holds
    assert certify_sign(network, X, y).holds


def test_networks_and_data_of_another_shape_are_refused() -> None:
    wide = ReLUNetwork([(np.ones((3, 2)), np.zeros(3)), (np.ones((1, 3)), [0.0])])
    with pytest.raises(ValueError, match="depth 2, width 1 or 2 and one output, got depth 2, wid"):
        output_range(wide, [0.0, 0.0], 1.0)
    fine = ReLUNetwork([(np.ones((2, 2)), np.zeros(2)), (np.ones((1, 2)), [0.0])])
    with pytest.raises(ValueError, match="network must have 3 inputs, got 2"):
        robust_radii(fine, np.eye(3), [1.0, 2.0, 2.0])
    with pytest.raises(ValueError, match="y must hold exactly two different labels, got 3"):
        robust_radii(fine, [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], [1.0, 2.0, 3.0])


def distance_of_hulls(A: np.ndarray, B: np.ndarray) -> float:
    """Return the maximum distance of two convex hulls, from weights of their points."""
    gap = np.hstack((A.T, -B.T))
    one = np.ones((len(gap), 1))
    of_A = np.append(np.repeat([1.0, 0.0], [len(A), len(B)]), 0.0)
    of_B = np.append(np.repeat([0.0, 1.0], [len(A), len(B)]), 0.0)
    run = linprog(
        1.0 - of_A - of_B,
        A_ub=np.block([[gap, -one], [-gap, -one]]),
        b_ub=np.zeros(2 * len(gap)),
        A_eq=np.stack((of_A, of_B)),
        b_eq=np.ones(2),
    )
    return float(run.fun)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(2, 8), st.floats(0.0, 2.0))
def test_the_largest_budget_is_half_the_distance_of_the_hulls(
    seed: int, n: int, N: int, shift: float
) -> None:
    rng = np.random.default_rng(seed)
    y = np.array([1.0, 4.0, *rng.choice([1.0, 4.0], N - 2)])
    X = rng.uniform(-1.0, 1.0, (N, n)) + shift * (y == 4.0)[:, None]
    half = distance_of_hulls(X[y == 1.0], X[y == 4.0]) / 2.0
    found = exact_values_program(X, y, 0.5)
    assert found.radius == pytest.approx(half, abs=1e-6)
    assert found.radius <= separation(X, y) / 2.0 + 1e-9
    if half > 1e-3:
        for share in (0.01, 0.9999, 1.0001, 2.0):
            answer = exact_values_program(X, y, share * half)
            assert answer.found == (share < 1.0) == (answer.network is not None)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 4), st.floats(0.05, 0.999))
def test_the_network_equals_the_labels_on_whole_balls_without_rounding(
    seed: int, n: int, share: float
) -> None:
    rng = np.random.default_rng(seed)
    y = np.array([-2.0, 3.5, *rng.choice([-2.0, 3.5], 6)])
    X = rng.uniform(-1.0, 1.0, (8, n)) + 1.5 * (y > 0.0)[:, None]
    radius = exact_values_program(X, y, 1e-3).radius
    if radius < 1e-2:
        return
    budget = share * radius
    answer = exact_values_program(X, y, budget)
    assert answer.found
    assert answer.network is not None
    assert (answer.network.depth, answer.network.width) == (2, 2)
    for x, label in zip(X, y, strict=True):
        assert output_range(answer.network, x, budget) == (label, label)
        signs = rng.choice([-1, 1], n).tolist()
        corner = [Fraction(v) + Fraction(budget) * s for v, s in zip(x, signs, strict=True)]
        assert answer.network.exactly(corner) == label


def test_data_of_three_labels_or_not_on_two_sides_of_a_plane_have_none() -> None:
    three = exact_values_program([[0.0], [1.0], [2.0]], [1.0, 2.0, 3.0], 0.1)
    assert (three.found, three.radius, three.network) == (False, 0.0, None)
    between = exact_values_program([[0.0], [1.0], [2.0]], [1.0, 2.0, 1.0], 1e-9)
    assert (between.found, between.radius, between.network) == (False, 0.0, None)
    crossed = exact_values_program([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, 2, 2], 1e-9)
    assert not crossed.found


def test_balls_that_touch_are_not_kept_apart() -> None:
    answer = exact_values_program([[0.0], [1.0]], [1.0, 2.0], 0.5)
    assert (answer.found, answer.network, answer.radius) == (False, None, 0.5)
    assert exact_values_program([[0.0], [1.0]], [1.0, 2.0], 0.5 - 2.0**-40).found


def test_a_tiny_ball_lies_beyond_the_ramp_to_the_last_digit() -> None:
    budget = 2.0**-63
    answer = exact_values_program([[0.0], [1.0]], [1.0, 2.0], budget)
    assert answer.network is not None
    assert output_range(answer.network, [0.0], budget) == (1, 1)
    assert output_range(answer.network, [1.0], budget) == (2, 2)


@pytest.mark.parametrize("labels", [[0.1, 1.0], [-1e308, 1e308]])
def test_labels_whose_difference_is_rounded_have_a_network_that_float64_cannot_hold(labels) -> None:
    answer = exact_values_program([[0.0], [1.0]], labels, 0.25)
    assert (answer.found, answer.radius, answer.network) == (True, 0.5, None)
    assert not exact_values_program([[0.0], [1.0]], labels, 0.5).found


def test_a_solver_that_fails_has_not_said_no(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = SimpleNamespace(status=4, message="numerical difficulties", x=None)
    monkeypatch.setattr(two_neurons, "linprog", lambda *_, **__: failed)
    with pytest.raises(ArithmeticError, match=r"no answer .* numerical difficulties"):
        exact_values_program([[0.0], [1.0]], [1.0, 2.0], 0.25)


def test_one_label_is_memorized_by_a_constant() -> None:
    answer = exact_values_program([[0.0, 1.0], [2.0, 3.0]], [4.0, 4.0], 100.0)
    assert (answer.found, answer.radius) == (True, math.inf)
    assert answer.network is not None
    assert answer.network([[50.0, -70.0]]) == 4.0
