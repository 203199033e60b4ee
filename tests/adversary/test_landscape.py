"""The pieces of f on the circle are f; the supremum has its derivative, the worst gap is found."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib import geometry, theory
from sublinear_lib.adversary import (
    CirclePieces,
    activity_arcs,
    extremes_on_circle,
    gradient_of_supremum,
    pieces_on_circle,
    worst_gap_everywhere,
)
from sublinear_lib.network import TwoLayerNetwork
from tests.adversary.cases import on_circle, problem
from tests.adversary.test_circle import network_with_a_narrow_peak


def random_network(m, seed, activation="jump", t=1.0):
    return problem(m, 3, seed, activation, t)[0]


networks = st.builds(
    random_network,
    st.integers(1, 60),
    st.integers(0, 10**6),
    st.sampled_from(["jump", "continuous"]),
    st.sampled_from([0.0, 1.0, 2.0]),
)
arcs = st.tuples(st.floats(-4.0, 4.0), st.floats(0.01, 3.2))


def wave(pieces: CirclePieces, k: int, angle: float) -> float:
    A, B, C = pieces.waves[:, k]
    return float(A * np.cos(angle) + B * np.sin(angle) + C)


@settings(max_examples=60, deadline=None)
@given(networks, arcs)
def test_every_piece_is_the_network_between_its_edges(network, arc):
    pieces = pieces_on_circle(network, *arc)
    assert (np.diff(pieces.edges) >= 0.0).all()
    assert pieces.edges[0] == arc[0] - min(arc[1], np.pi)
    assert pieces.edges[-1] == arc[0] + min(arc[1], np.pi)
    assert pieces.neurons.size == pieces.begins.size == pieces.waves.shape[1] - 1
    for k in np.flatnonzero(np.diff(pieces.edges) > 1e-6):
        start, stop = pieces.edges[k : k + 2]
        for share in (0.01, 0.5, 0.99):
            angle = start + share * (stop - start)
            assert network.forward(on_circle(angle))[0] == pytest.approx(
                wave(pieces, k, angle), abs=1e-12
            ), f"piece {k} at {angle}"


@settings(max_examples=60, deadline=None)
@given(networks, arcs)
def test_the_best_piece_has_the_extremes_of_the_sweep(network, arc):
    middle, half = arc[0], min(arc[1], 3.1)
    pieces = pieces_on_circle(network, middle, half)
    (cap,) = extremes_on_circle(network, on_circle(middle), 3**0.5 * np.sin(half / 2))
    assert pieces.best()[0] == pytest.approx(cap.sup, abs=1e-10)
    assert pieces.best(-1)[0] == pytest.approx(-cap.inf, abs=1e-10)
    value, angle, piece, edge = pieces.best()
    assert pieces.edges[piece] - 1e-15 <= angle <= pieces.edges[piece + 1] + 1e-15
    assert wave(pieces, piece, angle) == pytest.approx(value, abs=1e-12)
    assert edge in (-1, piece, piece + 1)


def test_switches_are_where_the_neuron_named_crosses_its_threshold():
    network = random_network(80, 3)
    pieces = pieces_on_circle(network, 0.3, 1.0)
    assert pieces.neurons.size > 10
    for angle, neuron, begins in zip(
        pieces.edges[1:-1], pieces.neurons, pieces.begins, strict=True
    ):
        z = network.preactivations(on_circle([angle - 1e-6, angle, angle + 1e-6]))[:, neuron]
        assert z[1] == pytest.approx(network.tau, abs=1e-12)
        assert (z[2] > network.tau > z[0]) == begins


def test_a_circle_that_is_cut_at_a_switch_has_all_the_others():
    pieces = pieces_on_circle(network_with_a_narrow_peak(), 1.0 + np.pi)
    for neuron in (0, 1):
        assert sorted(pieces.begins[pieces.neurons == neuron].tolist()) == [False, True]
    peak = np.flatnonzero((pieces.low > 1.0) & (pieces.high > 1.0))
    assert peak.size == 1
    assert np.diff(pieces.edges)[peak[0]] == pytest.approx(6e-8, rel=1e-3)


def test_arcs_are_where_neurons_are_active():
    network = random_network(200, 5, t=0.5)
    found = activity_arcs(network)
    angles = np.linspace(-np.pi, np.pi, 721)
    active = network.active_mask(on_circle(angles))
    away = np.abs(np.remainder(angles[:, None] - found.center + np.pi, 2 * np.pi) - np.pi)
    near = np.abs(away - found.half) < 1e-9
    assert np.array_equal(active[:, found.neurons] | near, (away < found.half) | near)
    never = np.setdiff1d(np.arange(200), np.concatenate((found.always, found.neurons)))
    assert active[:, found.always].all() and not active[:, never].any()


@settings(max_examples=40, deadline=None)
@given(networks, st.integers(8, 400))
def test_a_curve_runs_from_end_to_end_and_keeps_the_extremes(network, most):
    pieces = pieces_on_circle(network, 0.2, 1.1)
    angles, values = pieces.curve(most)
    assert (np.diff(angles) >= 0.0).all()
    assert angles[0] == pieces.edges[0] and angles[-1] == pieces.edges[-1]
    ends = np.concatenate((pieces.low, pieces.high))
    assert values.max() >= ends.max() and values.min() <= ends.min()
    assert values.max() <= pieces.best()[0] + 1e-12
    assert angles.size <= max(most, 2 * pieces.waves.shape[1] + most) + 2
    if angles.size > most:
        assert angles.size <= most + 2


@pytest.mark.parametrize("activation", ["jump", "continuous"])
@pytest.mark.parametrize("side", [1, -1])
def test_the_gradient_of_the_supremum_is_its_derivative(activation, side):
    kinds = set()
    for seed in range(60):
        network = random_network(150, seed, activation)
        x = geometry.sample_slice(1, 3, seed + 1000)
        found = gradient_of_supremum(network, x[0], 0.3, side=side)
        kinds.add(found.neuron is None)
        rng = np.random.default_rng(seed)
        lengths = np.linalg.norm(found.true, axis=1, keepdims=True)
        way = lengths * rng.standard_normal(network.W.shape)

        def sup(W, network=network, x=x):
            (cap,) = extremes_on_circle(network.with_weights(W), x, 0.3)
            return cap.sup if side == 1 else -cap.inf

        h = 1e-8
        slope = (sup(network.W + h * way) - sup(network.W - h * way)) / (2 * h)
        assert slope == pytest.approx(np.vdot(found.true, way), abs=1e-6), f"seed {seed}"
        assert found.sup == pytest.approx(sup(network.W), abs=1e-12)
    assert kinds == {True, False}, "both a switch and another place must occur"


def test_the_frozen_gradient_never_points_down_on_a_jump_network():
    beyond = 0
    for seed in range(150):
        network = random_network(300, seed)
        x = geometry.sample_slice(1, 3, seed + 500)[0]
        found = gradient_of_supremum(network, x, 0.2)
        length = float(np.vdot(found.frozen, found.frozen))
        assert np.vdot(found.true, found.frozen) >= length * (1 - 1e-12), f"seed {seed}"
        beyond += found.cosine < 0.9
    assert beyond > 15, "the two gradients must differ in direction now and then"


def test_the_frozen_gradient_is_that_of_the_network_at_the_place():
    network = random_network(100, 2)
    x = geometry.sample_slice(1, 3, 9)
    found = gradient_of_supremum(network, x[0], 0.3)
    (cap,) = extremes_on_circle(network, x, 0.3)
    expected = network.weight_gradient(cap.X_sup[None], [1.0])
    np.testing.assert_allclose(found.frozen, expected, atol=1e-8)


def test_only_networks_on_the_circle_have_pieces():
    network = TwoLayerNetwork.initialize(5, 4, rng=0, tau=0.1)
    with pytest.raises(ValueError, match="d = 3"):
        pieces_on_circle(network)
    with pytest.raises(ValueError, match="d = 3"):
        activity_arcs(network)


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
