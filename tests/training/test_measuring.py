"""Flips are counted by looking at the neurons that changed, and are those of all neurons."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib import geometry
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training.measuring import count_flips


@settings(deadline=None, max_examples=100)
@given(st.integers(2, 5), st.integers(1, 40), st.floats(0.0, 1.0), st.integers(0, 10**6))
def test_flips_are_the_differences_of_all_activities(d, m, share, seed):
    rng = np.random.default_rng(seed)
    start = TwoLayerNetwork.initialize(m, d, rng=rng, tau=0.1)
    W = start.W.copy()
    # Single entries move, in any column.
    moved = rng.random(W.shape) < share / d
    W[moved] += rng.standard_normal(int(moved.sum()))
    now = start.with_weights(W)
    X = geometry.sample_slice(6, d, rng=rng)
    expected = np.count_nonzero(start.active_mask(X) != now.active_mask(X))
    assert count_flips(start, now, X) == expected
    assert count_flips(now, start, X) == expected
    assert count_flips(start, start, X) == 0
