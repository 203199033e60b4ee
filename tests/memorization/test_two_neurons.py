"""The exact range of two neurons is the range, and the exact radius the radius."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sublinear_lib.memorization import ReLUNetwork, certify_sign, output_range
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
    assert found.row == 1
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
