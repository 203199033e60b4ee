"""The sweep on the circle bounds every value of the network, and its extremes are reached."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sublinear_lib import geometry
from sublinear_lib.adversary import (
    CircleWave,
    ExactOnCircle,
    ProjectedGradient,
    extremes_on_circle,
    largest_gap_on_circle,
)
from sublinear_lib.adversary.circle import _Sweep
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from tests.adversary.cases import network_of, on_circle

KINDS = ["normal", "lattice", "paired", "grazing", "constant"]
networks = st.builds(
    network_of,
    st.sampled_from(KINDS),
    st.integers(1, 24),
    st.just(3),
    st.integers(0, 10**6),
    st.sampled_from(["jump", "continuous"]),
)
arcs = st.tuples(
    st.floats(-4.0, 4.0), st.one_of(st.floats(0.0, 3.2), st.sampled_from([0.0, 1e-9, np.pi]))
)


@settings(max_examples=100, deadline=None)
@given(networks, arcs)
def test_the_bounds_hold_at_every_point_of_the_arc(network, arc):
    middle, half = arc
    found = CircleWave.of_network(network).extremes(middle, half)
    half = min(half, np.pi)
    angles = np.linspace(middle - half, middle + half, 2001)
    values = network.forward(on_circle(angles))
    room = 1e-13  # of the values computed here
    assert values.max() <= found.upper + room, f"{values.max() - found.upper} above at {arc}"
    assert values.min() >= found.lower - room, f"{found.lower - values.min()} below at {arc}"
    assert found.lower <= found.inf <= found.sup <= found.upper


@settings(max_examples=100, deadline=None)
@given(
    st.builds(network_of, st.just("normal"), st.integers(1, 40), st.just(3), st.integers(0, 10**6)),
    arcs,
)
@example(network_of("normal", 35, 3, 7490), (-1.0, 1.0))  # a steep wave at the rim of the window
@example(network_of("normal", 35, 3, 7490), (1.0, 1.0))
def test_the_witnesses_have_the_extreme_values(network, arc):
    found = CircleWave.of_network(network).extremes(*arc)
    at_sup, at_inf = network.forward(np.stack((found.X_sup, found.X_inf)))
    assert found.sup - 1e-8 <= at_sup <= found.upper + 1e-13
    assert found.lower - 1e-13 <= at_inf <= found.inf + 1e-8
    if not found.clustered:
        assert found.upper - found.sup <= 1e-11
        assert found.inf - found.lower <= 1e-11


@settings(max_examples=50, deadline=None)
@given(networks, st.floats(-4.0, 4.0), st.floats(0.01, 3.0))
def test_the_extremes_are_those_of_all_ends_and_crests(network, middle, half):
    """Enumerate the candidates one by one: every end of an arc from both sides, every crest."""
    s = geometry.SLICE_RADIUS
    radius = s * np.hypot(network.W[:, 0], network.W[:, 1])
    with np.errstate(all="ignore"):
        turn = np.arccos((network.tau - network.W[:, 2] / 2 - network.b) / radius)
    center = np.arctan2(network.W[:, 1], network.W[:, 0])
    ends = np.concatenate((center - turn, center + turn))
    ends = np.mod(ends[np.isfinite(ends)] - middle + np.pi, 2 * np.pi) - np.pi
    ends = np.sort(np.concatenate((ends[np.abs(ends) < half], [-half, half])))
    between = (ends[1:] + ends[:-1]) / 2 + middle
    candidates = [middle + ends, between]
    for step in (1e-12, 1e-10, 1e-8):
        candidates += [middle + ends - step, middle + ends + step]
    active = network.active_mask(on_circle(between))
    for row in active:
        wave = (network.a * row) @ network.W[:, :2]
        crest = np.arctan2(wave[1], wave[0])
        candidates += [[crest], [crest + np.pi]]
    angles = np.concatenate(candidates)
    away = np.mod(angles - middle + np.pi, 2 * np.pi) - np.pi
    values = network.forward(on_circle(angles[np.abs(away) <= half]))
    found = CircleWave.of_network(network).extremes(middle, half)
    assert values.max() <= found.upper + 1e-13
    assert values.min() >= found.lower - 1e-13
    assert values.max() >= found.sup - 1e-7
    assert values.min() <= found.inf + 1e-7


def test_a_supremum_at_the_end_of_an_arc_is_not_attained():
    # One neuron, positive on its arc, smallest at the ends: the infimum over its arc is tau, which
    # is approached from inside; outside it is 0.  With a = -1 the supremum is -tau on the arc.
    network = TwoLayerNetwork([[1.0, 0.0, 0.0]], [-1.0], [0.0], tau=0.5)
    turn = np.arccos(0.5 / geometry.SLICE_RADIUS)
    inside = CircleWave.of_network(network).extremes(0.0, 0.9 * turn)
    assert inside.sup_attained
    assert inside.sup == pytest.approx(-geometry.SLICE_RADIUS * np.cos(0.9 * turn))
    beyond = CircleWave.of_network(network).extremes(0.0, 1.1 * turn)
    assert beyond.sup == 0.0
    assert beyond.sup_attained, "outside its arc the neuron is silent and f is 0"


def test_the_end_belongs_to_the_silent_side():
    network = TwoLayerNetwork([[1.0, 0.0, 0.0]], [1.0], [0.0], tau=0.5)
    turn = np.arccos(0.5 / geometry.SLICE_RADIUS)
    wave = CircleWave.of_network(network)
    at_the_end = wave.extremes(turn + 0.05, 0.05 + 1e-13)
    assert at_the_end.inf == 0.0
    assert at_the_end.inf_attained
    shrinking = TwoLayerNetwork(
        [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], [-1.0, -3.0], [0.0, 2.0], tau=0.5
    )
    # On the arc f = -s cos - 3 (2 - s cos) = -6 + 2 s cos(phi); off it f = -6 + 3 s cos(phi): the
    # jump at the end is upwards by 1/2 when the first neuron falls silent.
    found = CircleWave.of_network(shrinking).extremes(turn, 0.01)
    silent = -6.0 + 3.0 * geometry.SLICE_RADIUS * np.cos(turn)
    assert found.sup == pytest.approx(silent)
    assert found.sup_attained, "the end itself is on the silent side, where f is larger"
    mirrored = TwoLayerNetwork(shrinking.W, -shrinking.a, shrinking.b, shrinking.tau)
    assert CircleWave.of_network(mirrored).extremes(turn, 0.01).inf_attained


def test_paired_neurons_cancel_exactly():
    network = network_of("paired", 40, 3, 3)
    cancelled = TwoLayerNetwork(network.W, np.repeat((1.0, -1.0), 20), network.b, network.tau)
    found = CircleWave.of_network(cancelled).extremes(0.0, np.pi)
    assert found.clustered == found.ends > 0
    assert abs(found.upper) < 1e-12, "the changes of equal neurons must be added up first"
    assert abs(found.lower) < 1e-12


@pytest.mark.parametrize("activation", ["jump", "continuous"])
def test_the_gap_of_network_and_pseudo_network_is_bounded_everywhere(activation):
    rng = np.random.default_rng(5)
    start = TwoLayerNetwork.initialize(500, 3, rng=5, tau=0.05, activation=activation)
    W = start.W + 0.02 * rng.standard_normal(start.W.shape)
    found = largest_gap_on_circle(start, W)
    x = on_circle(np.linspace(0.0, 2.0 * np.pi, 20001))
    gap = start.with_weights(W).forward(x) - PseudoNetwork(start, W).forward(x)
    assert found.lower - 1e-13 <= gap.min()
    assert gap.max() <= found.upper + 1e-13
    assert gap.max() >= found.sup - 1e-2
    witness = np.stack((found.X_sup, found.X_inf))
    there = start.with_weights(W).forward(witness) - PseudoNetwork(start, W).forward(witness)
    assert there == pytest.approx([found.sup, found.inf], abs=1e-8)


def test_no_attack_beats_the_exact_adversary():
    rng = np.random.default_rng(1)
    x, y = on_circle(rng.uniform(0, 6, 12)), rng.choice([-1.0, 1.0], 12)
    for seed in range(5):
        network = TwoLayerNetwork.initialize(300, 3, rng=seed, tau=0.1)
        worst = ExactOnCircle(rho=0.2)(network, x, y, "absolute", rng=0)
        attack = ProjectedGradient(rho=0.2, steps=20, restarts=4)
        tried = attack(network, x, y, "absolute", rng=0)
        assert (worst.loss >= tried.loss - 1e-8).all()
        caps = extremes_on_circle(network, x, 0.2)
        bound = [max(abs(t - c.upper), abs(t - c.lower)) for t, c in zip(y, caps, strict=True)]
        assert (worst.loss <= np.array(bound) + 1e-13).all()
        assert worst.loss == pytest.approx(bound, abs=1e-8)
        assert (np.linalg.norm(worst.X - x, axis=1) <= 0.2 + 1e-9).all()


def test_only_the_circle_is_taken():
    network = TwoLayerNetwork.initialize(10, 4, rng=0, tau=0.1)
    with pytest.raises(ValueError, match="network must have d = 3"):
        CircleWave.of_network(network)
    with pytest.raises(TypeError, match="network must be a TwoLayerNetwork, got int"):
        CircleWave.of_network(3)


def network_with_a_narrow_peak():
    """Two neurons that are active together between 1 - 1e-7 and 1 - 4e-8 only; a third ends at 1.

    The sweep of a window that begins at 1 has to begin a little earlier, before the peak.
    """
    turn = np.arccos(0.5 / geometry.SLICE_RADIUS)
    middle = np.array([1.0 - 4e-8 - turn, 1.0 - 1e-7 + turn, 1.0 - turn])
    W = np.column_stack((np.cos(middle), np.sin(middle), np.zeros(3)))
    return TwoLayerNetwork(W, [1.0, 1.0, 1e-3], np.zeros(3), tau=0.5)


def test_an_arc_that_goes_almost_round_is_swept_to_its_end():
    network = network_with_a_narrow_peak()
    half = np.pi - 1e-8
    peak = network.forward(on_circle(np.linspace(1.0 - 9e-8, 1.0 - 5e-8, 5)))
    assert peak.min() > 1.0, "both neurons are active there"
    found = CircleWave.of_network(network).extremes(1.0 + half, half)
    assert peak.max() <= found.upper + 1e-13
    assert found.sup == pytest.approx(peak.max(), abs=1e-6)
    assert network.forward(found.X_sup[None])[0] == pytest.approx(found.sup, abs=1e-8)


def test_an_angle_of_many_turns_is_the_angle_within_one():
    turn = np.arccos(0.5 / geometry.SLICE_RADIUS)
    for angle in 1e8 + np.arange(30.0):
        within = np.arctan2(np.sin(angle), np.cos(angle))
        for step in (5e-9, -5e-9):  # on, or off, by little
            middle = within - step + turn
            network = TwoLayerNetwork([[np.cos(middle), np.sin(middle), 0.0]], [1.0], [0.0], 0.5)
            found = CircleWave.of_network(network).extremes(angle, 1e-9)
            (value,) = network.forward(on_circle([angle]))
            assert (value > 0.0) == (step > 0.0)
            assert found.lower <= value <= found.upper, f"angle {angle}, step {step}"


@pytest.mark.parametrize("activation", ["jump", "continuous"])
def test_ends_that_are_left_out_of_the_bound_could_not_have_raised_it(activation, monkeypatch):
    def every_single_end(self, side, level, single):
        return np.flatnonzero(single)

    grazing = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        network = TwoLayerNetwork.initialize(25, 3, rng=rng, tau=0.2, activation=activation)
        # Waves that only just reach tau: their ends are known to 1e-8 and no better.
        W, b = network.W.copy(), network.b.copy()
        length = geometry.SLICE_RADIUS * np.hypot(W[:, 0], W[:, 1])
        few = rng.random(25) < 0.3
        b[few] = (0.2 - 0.5 * W[:, 2] - length * (1.0 - 1e-15 * rng.integers(0, 4, 25)))[few]
        wave = CircleWave.of_network(TwoLayerNetwork(W, network.a, b, 0.2, activation))
        windows = [(float(rng.uniform(0, 6)), half) for half in (0.05, 1.0, np.pi)]
        ours = [wave.extremes(*window) for window in windows]
        with monkeypatch.context() as patch:
            patch.setattr(_Sweep, "_single_above", every_single_end)
            all_ends = [wave.extremes(*window) for window in windows]
        for one, other in zip(ours, all_ends, strict=True):
            assert (one.upper, one.lower) == (other.upper, other.lower)
            grazing += one.upper - one.sup > 1e-10
    assert grazing > 0 or activation == "continuous", "some end must count"


@pytest.mark.parametrize("turn", np.linspace(0.1, 6.1, 9))
def test_at_a_kink_the_place_is_on_the_side_that_comes_first(turn: float) -> None:
    # f rises along a wave that is always on, until a steeper one against it begins: continuous.
    rising = [np.cos(turn + 1.0), np.sin(turn + 1.0), 0.0]
    against = [2.0 * np.cos(turn + 1.0), 2.0 * np.sin(turn + 1.0), 0.0]
    network = TwoLayerNetwork(
        [rising, against], [1.0, -1.0], [2.0, 0.0], tau=1.0, activation="continuous"
    )
    kink = turn + 1.0 - np.arccos(1.0 / 3**0.5)
    found = CircleWave.of_network(network).extremes(kink, 0.2)
    assert 0.0 < kink - found.angle_sup < 2e-9
    assert found.sup_attained
