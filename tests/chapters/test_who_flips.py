"""Who flips: the window on the bell curve is that of Claims C.2 and 4.6 and of the theory."""

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from scipy import stats

from sublinear_lib import theory
from sublinear_lib.chapters.who_flips import explorers, figures
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.widgets import Bars, Line, Rule
from tests.chapters.marks import X, named, of, sparse
from tests.plotting.shown import lines, tells

RADII = {"3/5": 0.6, "5/8": 0.625, "4/5": 0.8}
TAUS = {"1/m": lambda m: 1.0 / m, "sparse": sparse}


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("threshold", TAUS)
@pytest.mark.parametrize("m", [256, 4096])
def test_window_share_and_count_are_those_of_the_theory(threshold, radius, m):
    view, s = explorers.who_flips.function(threshold, radius, m), (2.0 / m) ** 0.5
    tau, delta = float(TAUS[threshold](m)), m ** -RADII[radius]
    t, half = tau / s, delta / s
    (bell,) = of(view, Line)
    np.testing.assert_allclose(bell.y, stats.norm.pdf(bell.x), rtol=1e-12)
    assert of(view, Rule)[0].at == pytest.approx(t)
    assert named(view, Bars)["can flip"].within == pytest.approx((t - half, t + half))
    share = theory.flip_probability(tau, m, delta)
    network = TwoLayerNetwork.initialize(m, 3, rng=np.random.default_rng([0, m]), tau=tau)
    near = int(theory.near_mask(network, X, delta).sum())
    product = percent(2 * half * stats.norm.pdf(t))
    said = f"Width times height of the bell is {product}; exactly, {percent(share)}"
    assert said in view.sentence
    assert view.sentence.startswith(f"{grouped(near)} of {grouped(m)} drawn neurons are in")
    read = dict(view.readouts)
    assert read["share that can flip"] == percent(share)
    assert read["threshold *t*"] == number(t)
    assert read["width of the window"] == number(2 * half)
    assert (view.warning is not None) == (radius == "5/8" and near > 0)
    assert view.warning is None or "no neuron flips" in view.warning
    one, two = (
        theory.expected_flips(float(TAUS[threshold](w)), w, w ** -RADII[radius])
        for w in (2**200, 2**240)
    )
    power = Fraction(read["their number grows like"].strip("*m^{}"))
    assert abs(math.log(two / one) / math.log(2.0**40) - float(power)) < 0.01


SCORES = [[-2.0, -0.1, 0.0, 0.2, 0.4], [1.0, 1.5]]
GIVEN = {"thresholds": [0.0, 1.5], "halves": [0.25, 0.1], "titles": ["first", "second"]}
EDGE = {"thresholds": [1.0], "halves": [0.5], "titles": ["edge"]}
window = partial(figures.flips_window, **GIVEN, scores=SCORES, name="w")
many = partial(window, scores=np.random.default_rng(0).standard_normal((2, 400)))


def test_the_window_counts_the_neurons_inside_it_and_on_its_ends():
    first = "first: 3 of 5 neurons are within 0.25 standard deviations of the threshold 0, 60"
    second = "second: 1 of 2 neurons are within 0.1 standard deviations of the threshold 1.5"
    tells(window(), first, second)
    tells(window(scores=[[0.5, 1.0, 1.5]], **EDGE), "3 of 3 neurons")
    tells(window(scores=[[0.5, 1.0, 1.75]], **EDGE), "2 of 3 neurons")
    ticks = [points[::3, 0] for points in lines(window()) if np.isnan(points).any()]
    for drawn, wanted in zip(ticks, ([-2, 0.4], [-0.1, 0, 0.2], [1.0], [1.5]), strict=True):
        np.testing.assert_array_equal(drawn, wanted)
