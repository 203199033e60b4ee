"""Maxima over the circle, in dimension three, are those of a visit of every arc."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sublinear_lib.geometry import SLICE_RADIUS
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.theory import activity, flips
from tests.theory.oracles import circle


def between_ends(start: TwoLayerNetwork, *levels: tuple[np.ndarray, float]) -> np.ndarray:
    """Return the points between neighboring ends of the arcs where <w, x> + b exceeds a level."""
    ends = [0.0]
    for W, level in levels:
        cosine = (level - start.b - W[:, 2] / 2) / (SLICE_RADIUS * np.hypot(W[:, 0], W[:, 1]))
        met = np.abs(cosine) < 1
        direction, half = np.arctan2(W[met, 1], W[met, 0]), np.arccos(cosine[met])
        ends += [*(direction - half), *(direction + half)]
    ends = np.array(sorted({end % (2 * math.pi) for end in ends}))
    return circle((ends + np.append(ends[1:], ends[0] + 2 * math.pi)) / 2)


@pytest.mark.parametrize("m", [1, 40, 300])
@pytest.mark.parametrize("t", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("theta", [0.0, 0.01, 0.3, 3.0])
def test_maxima_are_attained_and_those_of_a_visit_of_every_arc(
    m: int, t: float, theta: float
) -> None:
    tau, delta = t * math.sqrt(2 / m), theta * math.sqrt(2 / m)
    for seed in range(3):
        start = TwoLayerNetwork.initialize(m, 3, rng=seed, tau=tau)
        rng = np.random.default_rng(seed)
        moves = rng.standard_normal((m, 3))
        moves *= delta / np.linalg.norm(moves, axis=1, keepdims=True)
        moves[::5] = 0.0
        now, W = start.with_weights(start.W + moves), start.W
        best = activity.max_active_on_circle(start)
        assert start.active_mask(best.x[None]).sum() == best.count
        assert start.active_mask(between_ends(start, (W, tau))).sum(axis=1).max() == best.count
        best = flips.max_flips_on_circle(start, now.W)
        ends = between_ends(start, (W, tau), (now.W, tau))
        for x, expected in ((best.x[None], best.count), (ends, best.count)):
            assert (start.active_mask(x) != now.active_mask(x)).sum(axis=1).max() == expected
        if not theta:
            continue
        best = flips.max_near_on_circle(start, delta)
        ends = between_ends(start, (W, tau - delta), (W, tau + delta))
        for x in (best.x[None], ends):
            assert flips.near_mask(start, x, delta).sum(axis=1).max() == best.count
        angles = rng.uniform(-20.0, 20.0, 50)
        counts = flips.near_counts_on_circle(start, delta, angles)
        assert np.array_equal(counts, flips.near_mask(start, circle(angles), delta).sum(axis=1))
        at = math.atan2(float(best.x[1]), float(best.x[0]))
        assert flips.near_counts_on_circle(start, delta, [at])[0] == best.count


def circle_network(W: list[list[float]], b: list[float], tau: float) -> TwoLayerNetwork:
    return TwoLayerNetwork(np.array(W), np.ones(len(b)), np.array(b), tau)


def test_neurons_that_are_the_same_everywhere_count_everywhere_or_nowhere() -> None:
    always = circle_network([[0.1, 0.0, 0.0], [0.0, 0.1, 0.0]], [5.0, 5.0], 1.0)
    assert activity.max_active_on_circle(always).count == 2
    never = circle_network([[0.1, 0.0, 0.0], [0.0, 0.0, 0.0]], [-5.0, 0.0], 0.0)
    assert activity.max_active_on_circle(never).count == 0
    network = TwoLayerNetwork(np.zeros((3, 3)), np.ones(3), [0.5, 0.7, 0.9], 0.6)
    assert flips.max_near_on_circle(network, 0.15).count == 2
    assert flips.max_near_on_circle(network, 0.05).count == 0
    waking = np.array([[0.0, 0.0, 0.3], [0.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
    assert flips.max_flips_on_circle(network, waking).count == 2
    # On the threshold itself a neuron is silent: lifted a little, it wakes on the whole circle.
    silent = TwoLayerNetwork(np.zeros((1, 3)), [1.0], [0.5], 0.5)
    assert flips.max_flips_on_circle(silent, [[0.0, 0.0, 0.2]]).count == 1


@pytest.mark.parametrize("angle", [0.0, 1.0, 2.5, math.pi, -2.0])
def test_a_neuron_silent_at_a_single_point_counts_everywhere_else(angle: float) -> None:
    w = [math.cos(angle), math.sin(angle), 0.0]
    reach = SLICE_RADIUS * float(np.hypot(w[0], w[1]))  # z = 0 = tau on the far side only
    for bias, most in (([reach], 1), ([reach, -reach / 2], 2)):
        rows = [w, [-w[0], -w[1], 0.0]][: len(bias)]  # the other fires around that very point
        network = circle_network(rows, bias, 0.0)
        best = activity.max_active_on_circle(network)
        assert best.count == most
        assert network.active_mask(best.x[None, :]).sum() == most
