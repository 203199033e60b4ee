"""Deciding neurons brackets the worst case in any dimension, and never loses it on the way."""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib import geometry
from sublinear_lib.adversary import (
    CapRelaxation,
    SmoothedGradient,
)
from sublinear_lib.adversary.neuron_splitting import split_neurons
from tests.adversary.cases import problem

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("activation", ["jump", "continuous"])
def test_in_many_dimensions_a_small_problem_is_closed(activation):
    network, X = problem(60, 20, 3, activation)
    attack = SmoothedGradient(rho=0.05, steps=20, restarts=2)
    reached = attack(network, X, [-1.0], "absolute", rng=0)
    found = split_neurons(network, X[0], 0.05, start=reached.X, tol=1e-3, time_limit=30)
    assert found.status == "exact"
    assert found.upper - found.lower <= 1e-3
    assert found.lower >= reached.value[0] - 1e-13
    points = geometry.sample_caps(np.repeat(X, 5000, axis=0), 0.05, rng=3)
    assert network.forward(points).max() <= found.upper


def test_more_pieces_never_make_the_bracket_wider():
    network, X = problem(200, 10, 1)
    root = CapRelaxation(network, X[0], 0.2).optimized(60).value
    widths = []
    for nodes in (1, 20, 80):
        found = split_neurons(network, X[0], 0.2, tol=0.0, max_nodes=nodes, time_limit=60)
        assert found.nodes <= nodes + 1
        assert found.upper <= root + 1e-13
        widths.append(found.upper - found.lower)
    assert widths[0] > widths[1] > widths[2] > 0.0
