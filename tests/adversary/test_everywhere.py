"""Promises of `worst_gap_everywhere`: the largest worst gap over the circle is exact."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib import geometry, theory
from sublinear_lib.adversary import worst_gap_everywhere
from sublinear_lib.network import TwoLayerNetwork


def drawn(m: int, seed: int, tau: float) -> TwoLayerNetwork:
    return TwoLayerNetwork.initialize(m, 3, rng=seed, tau=tau, activation="continuous")


@settings(deadline=None, max_examples=30)
@given(m=st.integers(1, 80), seed=st.integers(0, 10**6), share=st.floats(0.0, 2.0))
def test_no_input_has_a_larger_worst_gap_and_one_has_it(m: int, seed: int, share: float) -> None:
    s = math.sqrt(2.0 / m)
    network, delta = drawn(m, seed, 0.7 * s), share * s
    found = worst_gap_everywhere(network, delta)
    scale = 1e-9 * (1.0 + float(np.abs(network.a).sum()))
    assert found.sup <= found.upper + scale
    for x in (found.x, *geometry.sample_slice(40, 3, seed)):
        gap = theory.worst_gap_at(network, x, delta)
        sides = gap.above - gap.initial_output, gap.below + gap.initial_output
        assert max(sides) <= found.upper + scale
    gap = theory.worst_gap_at(network, found.x, delta)
    own = {"above": gap.above - gap.initial_output, "below": gap.below + gap.initial_output}
    assert own[found.side] == pytest.approx(found.sup, abs=scale)


def test_a_fine_grid_comes_close_from_below() -> None:
    network, delta = drawn(256, 3, 0.13), 256**-0.6
    found = worst_gap_everywhere(network, delta)
    turn = np.linspace(-math.pi, math.pi, 4001)
    points = geometry.embed(np.column_stack((np.cos(turn), np.sin(turn))))
    best = max(
        theory.worst_gap_network(network, delta, side, centered=True).forward(points).max()  # type: ignore[arg-type]
        for side in ("above", "below")
    )
    slack = theory.gap_slope(network) * math.pi / 4000
    assert found.sup - slack <= best <= found.sup + 1e-12


def test_the_largest_gap_is_found_wherever_on_the_circle_it_is() -> None:
    network, delta = drawn(40, 5, 0.1), 0.05
    found = worst_gap_everywhere(network, delta)
    for place in np.linspace(-math.pi, math.pi, 8):
        c, s = math.cos(place - found.angle), math.sin(place - found.angle)
        turned = network.W @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        moved = worst_gap_everywhere(network.with_weights(turned), delta)
        assert moved.sup == pytest.approx(found.sup, abs=1e-9)
        assert math.cos(moved.angle - place) == pytest.approx(1.0)


def test_it_refuses_the_jump_and_other_dimensions() -> None:
    with pytest.raises(ValueError, match="continuous"):
        worst_gap_everywhere(TwoLayerNetwork.initialize(8, 3, rng=0, tau=0.1), 0.1)
    other = TwoLayerNetwork.initialize(8, 4, rng=0, tau=0.1, activation="continuous")
    with pytest.raises(ValueError, match="d = 3"):
        worst_gap_everywhere(other, 0.1)
