"""The bell curve of the pre-activations: bars, law and thresholds are those of Definition 3.1."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from sublinear_lib.chapters.network_and_shifted_relu import explorers
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.widgets import Bars, Line, Rule
from tests.chapters.marks import named, of, sparse


@pytest.mark.parametrize("m", [128, 1024, 8192])
@pytest.mark.parametrize("tau", [0.001, 0.0625, 0.375])
def test_neurons_are_counted_and_shaded_beyond_the_threshold(m: int, tau: float) -> None:
    view = explorers.bell_curve.function(tau, m)
    network = TwoLayerNetwork.initialize(m, 257, rng=np.random.default_rng([0, m]))
    x = np.zeros(257)
    x[0], x[-1] = math.sqrt(0.75), 0.5
    scores, s = network.preactivations(x[None, :])[0], math.sqrt(2 / m)
    drawn = int(np.count_nonzero(scores > tau))
    assert view.sentence.startswith(f"{grouped(drawn)} of the {grouped(m)} neurons fire")
    assert f"t = {number(tau / s)} standard deviations above zero" in view.sentence
    assert f"lets {percent(stats.norm.sf(tau / s))} through" in view.sentence
    everything, active = of(view, Bars)
    inside = np.abs(scores) <= everything.edges[-1]
    assert float(np.sum(everything.heights)) == pytest.approx(np.mean(inside), abs=1e-12)
    assert float(np.max(everything.heights)) <= view.y.limits[1]
    assert active.within is not None and active.within[0] == tau
    assert (view.warning is not None) == (drawn == 0)
    [law] = of(view, Line)
    np.testing.assert_allclose(law.y, s / 4 * stats.norm.pdf(law.x, scale=s), rtol=1e-12)
    places = named(view, Rule)
    assert places["printed"].at == pytest.approx(1 / m)
    assert places["sparse"].at == pytest.approx(sparse(m))
