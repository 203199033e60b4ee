"""The bell curve of the pre-activations: bars, law and thresholds are those of Definition 3.1."""

import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

from sublinear_lib.chapters.network_and_shifted_relu import explorers, figures
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.widgets import Bars, Line, Rule
from tests.chapters.marks import circle, named, of, sparse
from tests.plotting.shown import lines, tells, texts


@pytest.mark.parametrize(("m", "tau"), [(128, 0.375), (1024, 0.0625), (8192, 0.001)])
def test_neurons_are_counted_and_shaded_beyond_the_threshold(m, tau):
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


POINTS = circle(np.arange(5) * 72.0)
Z = np.linspace(-1, 3, 41)
JUMP, CONTINUOUS = np.where(Z > 1, Z, 0), np.maximum(Z - 1, 0)
BOTH = {"z": Z, "jump": JUMP, "continuous": CONTINUOUS, "tau": 1.0, "alt": "Jumps of 1 and of 0."}

pair = partial(figures.activations_pair, **BOTH, name="p")
CAP = {"labels": np.ones(len(POINTS)), "center": POINTS[1], "half_angle": 0.4}
sphere = partial(figures.slice_picture, points=POINTS, **CAP, name="s")


def test_the_jump_is_a_gap_in_the_curve_and_the_continuous_one_has_none():
    assert "jump of" in texts(pair()) and "no jump" in texts(pair())
    curves = [points for points in lines(pair(), "c1") if len(points) > 1]
    np.testing.assert_array_equal(np.vstack(curves[:2]), np.column_stack([Z, JUMP]))
    np.testing.assert_array_equal(np.vstack(curves[2:])[:, 1], CONTINUOUS)
    for which in ("jump", "continuous"):
        with pytest.raises(ValueError, match="must be 0 up to tau and rise with slope 1"):
            pair(**{which: Z})


def test_the_slice_says_whether_the_cap_holds_another_point():
    tells(sphere(), "It holds no other data point", "23 degrees to either side")
    tells(sphere(half_angle=1.3), "It holds 3 of the data points")
    # The center need not be one of the data.
    tells(sphere(points=POINTS[2:3], labels=[1.0], half_angle=1.3), "It holds 1 of the data points")
    for wrong in ({"points": [[0.0, 0.0, 1.0]]}, {"center": [0.0, 0.6, 0.8]}):
        with pytest.raises(ValueError, match="must lie on the slice"):
            sphere(**wrong)
