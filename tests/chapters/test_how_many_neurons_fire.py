"""How many neurons fire: the explorer and the lab count drawn neurons beside Lemma 4.5."""

import math
import re
from functools import partial

import numpy as np
import pytest
from scipy import stats

from sublinear_lib.chapters.how_many_neurons_fire import explorers, figures
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.widgets import Bars, Rule
from tests.chapters.marks import X, named, of, sparse
from tests.plotting.shown import alt, lines, tells, texts

TAUS = {"1/m": lambda m: 1 / m, "K=4": lambda m: 4 * m**-0.6, "sparse": sparse}


def scores(m, seed=0):
    network = TwoLayerNetwork.initialize(m, 3, rng=np.random.default_rng([seed, m]))
    return np.asarray(network.preactivations(X)[0])


@pytest.mark.parametrize("m", [64, 4096])
@pytest.mark.parametrize("rule", TAUS)
def test_the_threshold_stands_where_rule_and_width_say(rule, m):
    view, tau = explorers.who_fires.function(rule, m), TAUS[rule](m)
    t, bound = tau * math.sqrt(m / 2), 2 * m * math.exp(-(tau**2) * m / 4)
    everything, lit = of(view, Bars)
    heights = np.histogram(scores(m) / math.sqrt(2 / m), bins=everything.edges)[0]
    np.testing.assert_allclose(everything.heights, heights / m / np.diff(everything.edges))
    assert named(view, Rule)["*τ*"].at == pytest.approx(t)
    assert lit.within == (pytest.approx(t), 3.5)
    drawn, read = int(np.count_nonzero(scores(m) > tau)), dict(view.readouts)
    assert read["threshold *τ*"] == number(tau)
    assert read["share that fires"] == percent(stats.norm.sf(t))
    assert f"stands {number(t)} standard deviations above zero" in view.sentence
    assert view.sentence.startswith(f"{grouped(drawn)} of {grouped(m)} drawn neurons fire")
    assert ("share keeps falling" in view.sentence) == (rule == "sparse")
    assert (view.warning is not None) == (bound > m)
    assert view.warning is None or f"allows {grouped(round(bound))} neurons" in view.warning


def test_the_lab_counts_shares_and_brackets_the_slope(capsys):
    m, t = 2**14, math.sqrt(0.4 * math.log(2**14))
    explorers.grow_and_count.function("c", 1.0, 0.2, m, 8)
    first, second = capsys.readouterr().out.splitlines()
    active = sum(int((scores(m, seed) > t * math.sqrt(2 / m)).sum()) for seed in range(8))
    assert f"Q(t) = {percent(stats.norm.sf(t))}, drawn {percent(active / (8 * m))}" in first
    numbers = [float(found) for found in re.findall(r"[-+]?\d+(?:\.\d+)?", second)]
    (estimate, low, high), exact = numbers[:3], numbers[-1]
    assert low <= estimate <= high and low < exact < high < 0
    explorers.grow_and_count.function("c", 1.0, 1.0, 2**12, 3)
    assert "nobody fires" in capsys.readouterr().out


WIDTHS = 2.0 ** np.arange(6, 21)
CURVES = {"τ = 0": np.full(15, 0.5), "*c*": WIDTHS**-0.2}
BOUND = {"bound": np.full(15, 1.9), "bound_label": "bound *Q*_{0}/*m*"}
SAMPLES = {"*c*": [[64, 0.4, 0.3, 0.5]]}

activity = partial(figures.activity_against_m, widths=WIDTHS, curves=CURVES, name="a")
bounded = partial(activity, **BOUND, samples=SAMPLES)


def test_shares_are_drawn_as_given_and_a_bound_is_called_empty_that_is():
    tells(bounded(), "τ = 0: 50 % at the smallest and 50 % at the largest width")
    tells(bounded(), "c: 43.5 % at the smallest and 6.25 % at the largest width")
    tells(bounded(), "The bound Q₀/m runs from 190 % to 190 %, above 100 % everywhere.")
    tells(bounded(), "Sampled networks")
    assert "Sampled" not in alt(activity())
    assert "everywhere" not in alt(bounded(bound=np.full(15, 0.9)))
    with pytest.raises(ValueError, match="a must be > 0"):
        activity(curves={"a": np.zeros(15)})
    drawn = [tuple(points[:, 1]) for points in lines(bounded())]
    assert all(tuple(values) in drawn for values in (*CURVES.values(), np.full(15, 1.9)))
    assert {"τ = 0", "c", "bound Q0/m"} <= set(texts(bounded()))
