"""The explorer of the toolbox shows what the library computes and says which hypothesis fails."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.theory import concentration, tails
from sublinear_lib.widgets import Line, Rule, View, window_tail_explorer, window_tail_view

X = np.array([[math.sqrt(0.75), 0.0, 0.5]])
ETA = {"1/m": -1.0, "m^{-15/24}": -0.625, "m^{-3/5}": -0.6, "m^{-1/2}": -0.5}


def line(view: View, label: str) -> Line:
    [found] = [mark for mark in view.marks if isinstance(mark, Line) and label in mark.label]
    return found


def readouts(view: View) -> dict[str, str]:
    return dict(view.readouts)


@pytest.mark.parametrize("window", ETA)
@pytest.mark.parametrize(("m", "t"), [(256, 0.0), (4096, 2.0), (2**20, 1.0)])
def test_the_exact_law_is_the_binomial_one(window: str, m: int, t: float) -> None:
    view = window_tail_view(m, t, window, "bernstein")
    theta = m ** ETA[window] / math.sqrt(2 / m)
    p = float(stats.norm.cdf(t + theta) - stats.norm.cdf(t - theta))
    exact = line(view, "exact law")
    std = math.sqrt(m * p * (1 - p))
    counts = np.ceil(m * p + std * np.asarray(exact.x))
    expected = stats.binom.logsf(counts - 1, m, p) / math.log(10)
    seen = np.isfinite(np.asarray(exact.y))
    np.testing.assert_allclose(np.asarray(exact.y)[seen], expected[seen], rtol=1e-6)
    assert seen.any()


@pytest.mark.parametrize("tool", tails.TOOLS)
def test_every_true_bound_lies_above_the_exact_law(tool: str) -> None:
    for t in (0.0, 3.0):
        view = window_tail_view(4096, t, "1/m", tool)
        exact = np.asarray(line(view, "exact law").y)
        for label in ("Hoeffding", "Chernoff, 2", "Bernstein"):
            above = np.asarray(line(view, label).y)
            both = np.isfinite(above) & np.isfinite(exact)
            assert (above[both] >= exact[both]).all()
        lines = [mark for mark in view.marks if isinstance(mark, Line)]
        assert [mark.width for mark in lines].count(3.0) == 1


@pytest.mark.parametrize("t", [0.0, 1.0, 3.0])
def test_the_sentence_says_t_and_the_share_that_fires(t: float) -> None:
    view = window_tail_view(4096, t, "m^{-4/5}", "bernstein")
    share = percent(float(stats.norm.sf(t)))
    assert f"t = {number(t)} standard deviations {share} of the neurons fire" in view.sentence
    assert readouts(view)["*Q*(*t*)"] == share
    assert readouts(view)["*θ* = *η* √(*m*/2)"] == number(4096**-0.8 * math.sqrt(2048))


@pytest.mark.parametrize("m", [64, 4096])
def test_the_drawn_count_is_that_of_the_network(m: int) -> None:
    view = window_tail_view(m, 1.0, "m^{-3/5}", "bernstein")
    network = TwoLayerNetwork.initialize(m, 3, rng=np.random.default_rng([0, m]))
    distance = network.preactivations(X)[0] - math.sqrt(2 / m)
    inside = int(np.count_nonzero(np.abs(distance) <= m**-0.6))
    assert readouts(view)["drawn"] == grouped(inside)


def test_the_allowed_count_stands_where_the_bound_meets_the_risk() -> None:
    view = window_tail_view(4096, 0.0, "1/m", "bernstein")
    [allowed] = [m for m in view.marks if isinstance(m, Rule) and m.axis == "x"]
    bernstein = line(view, "Bernstein")
    at = np.interp(allowed.at, np.asarray(bernstein.x), np.asarray(bernstein.y))
    assert at == pytest.approx(-6.0, abs=0.02)
    assert readouts(view)["exact, 10⁻⁶"] == "68"
    assert readouts(view)["this tool, 10⁻⁶"] == "72"


def test_it_warns_of_the_printed_chernoff_bound_exactly_beyond_its_crossing() -> None:
    crossing = float(concentration.chernoff_crossing())
    for m in (1024, 4096, 2**16):
        for t in (0.0, 1.0, 2.0, 3.0):
            view = window_tail_view(m, t, "1/m", "chernoff")
            beyond = float(readouts(view)["*ε* there"]) > crossing
            assert ("beyond 1.817" in (view.warning or "")) == beyond
            assert ("would allow" in view.sentence) == beyond
            allowed = int(readouts(view)["this tool, 10⁻⁶"].replace("\u202f", ""))
            p = float(stats.norm.cdf(t + m**-0.5 / 2**0.5) - stats.norm.cdf(t - m**-0.5 / 2**0.5))
            false = stats.binom.sf(allowed, m, p) > 1e-6
            assert ("here it is false" in (view.warning or "")) == (beyond and false)
            other = window_tail_view(m, t, "1/m", "chernoff repaired")
            assert "1.817" not in (other.warning or "")


def test_it_warns_of_wide_windows_and_of_more_neurons_than_there_are() -> None:
    assert "1.079" in (window_tail_view(4096, 0.0, "2m^{-1/2}", "bernstein").warning or "")
    assert "above 1" in (window_tail_view(4096, 0.0, "2m^{-1/2}", "bernstein").warning or "")
    assert window_tail_view(4096, 0.0, "m^{-1/2}", "bernstein").warning is None
    small = window_tail_view(64, 0.0, "2m^{-1/2}", "hoeffding")
    assert "more neurons than there are" in (small.warning or "")


def test_the_explorer_starts_at_the_thin_window_and_fits_into_a_page() -> None:
    explorer = window_tail_explorer()
    start = window_tail_view(4096, 0.0, "1/m", "hoeffding")
    assert explorer.stored_view(3, 0, 0, 0)["sentence"] == start.sentence


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((64, 0.0, "wide", "bernstein"), "window"),
        ((64, 0.0, "1/m", "markov"), "tool"),
        ((64, -1.0, "1/m", "bernstein"), "t"),
        ((0, 0.0, "1/m", "bernstein"), "m"),
    ],
)
def test_arguments_out_of_range_are_named(
    arguments: tuple[int, float, str, str], named: str
) -> None:
    with pytest.raises(ValueError, match=rf"\b{named}\b"):
        window_tail_view(*arguments)
