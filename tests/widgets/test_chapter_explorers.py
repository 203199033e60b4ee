"""Promises of the chapters' explorers: what they draw and say is what the library computes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from sublinear_lib import widgets
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.widgets import (
    Bars,
    Line,
    Rule,
    Slider,
    View,
    activity_explorer,
    activity_view,
    preactivation_explorer,
    preactivation_view,
)

X = np.array([[math.sqrt(0.75), 0.0, 0.5]])


# own_data_explorer has three menus, and a table of the reader's.
EXPLORERS = {each for each in widgets.__all__ if each.endswith("_explorer")} - {"own_data_explorer"}


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(EXPLORERS))
def test_an_explorer_has_one_idea(name: str) -> None:
    explorer = getattr(widgets, name)()
    assert len(explorer.controls) <= 3
    for control in explorer.controls:
        # A slider feels continuous; else two or three buttons, or the printed rule and its repairs.
        few = len(control.values) <= 4
        assert len(control.values) >= 30 if isinstance(control, Slider) else few, control.name
    for place in np.ndindex(*[2] * len(explorer.shape)):
        view = explorer.stored_view(*np.multiply(place, np.subtract(explorer.shape, 1)))
        assert view["sentence"] and len(view["readouts"]) <= 4


def line(view: View, label: str) -> Line:
    [found] = [m for m in view.marks if isinstance(m, Line) and label in m.label]
    return found


def rules(view: View) -> dict[str, float]:
    return {m.label: float(m.at) for m in view.marks if isinstance(m, Rule)}


def readouts(view: View) -> dict[str, str]:
    return dict(view.readouts)


def drawn_scores(m: int, seed: int = 0) -> np.ndarray:
    network = TwoLayerNetwork.initialize(m, 3, rng=np.random.default_rng([seed, m]))
    return np.asarray(network.preactivations(X)[0])


TAUS = {
    "1/m": lambda m: 1 / m,
    "K=4": lambda m: 4 * m**-0.6,
    "sparse": lambda m: math.sqrt(2 / m * 0.4 * math.log(m)),
}


@pytest.mark.parametrize("m", [64, 4096, 2**20])
@pytest.mark.parametrize("rule", TAUS)
def test_activity_view_puts_the_threshold_where_rule_and_width_say(rule: str, m: int) -> None:
    view = activity_view(rule, m)
    tau = TAUS[rule](m)
    t = tau * math.sqrt(m / 2)
    share = stats.norm.sf(t)
    assert rules(view)["*τ*"] == pytest.approx(t)
    everything, lit = [mark for mark in view.marks if isinstance(mark, Bars)]
    scores = drawn_scores(m) / math.sqrt(2 / m)
    heights = np.histogram(scores, bins=everything.edges)[0] / m / np.diff(everything.edges)
    np.testing.assert_allclose(everything.heights, heights, rtol=1e-12)
    assert lit.within == (pytest.approx(t), 3.5)
    drawn = int(np.count_nonzero(drawn_scores(m) > tau))
    assert readouts(view)["threshold *τ*"] == number(tau)
    assert readouts(view)["share that fires"] == percent(share)
    assert f"stands {number(t)} standard deviations above zero" in view.sentence
    assert view.sentence.startswith(f"{grouped(drawn)} of {grouped(m)} drawn neurons fire")
    assert ("share keeps falling" in view.sentence) == (rule == "sparse")


@pytest.mark.parametrize("m", [64, 256, 4096, 2**14, 2**20])
@pytest.mark.parametrize("rule", TAUS)
def test_activity_view_warns_exactly_where_the_printed_bound_exceeds_the_width(
    rule: str, m: int
) -> None:
    warning = activity_view(rule, m).warning
    bound = 2 * m * math.exp(-(TAUS[rule](m) ** 2) * m / 4)
    assert (warning is not None) == (bound > m)
    if warning is not None:
        assert f"allows {grouped(round(bound))} neurons" in warning


def test_activity_view_has_axes_that_stay_and_hold_every_threshold() -> None:
    views = [activity_view(rule, m) for rule in TAUS for m in (64, 2**20)]
    assert len({(view.x.limits, view.y.limits) for view in views}) == 1
    assert all(0 < rules(view)["*τ*"] < 3 for view in views)


def test_activity_explorer_has_the_rules_and_refuses_others() -> None:
    explorer = activity_explorer()
    assert explorer.values == {"rule": "1/m", "m": 4096}
    with pytest.raises(ValueError, match="rule"):
        activity_view("R4", 1024)


@pytest.mark.parametrize("m", [128, 1024, 8192])
@pytest.mark.parametrize("tau", [0.001, 0.0625, 0.3])
def test_preactivation_view_counts_and_shades_the_active_neurons(m: int, tau: float) -> None:
    view = preactivation_view(tau, m)
    network = TwoLayerNetwork.initialize(m, 257, rng=np.random.default_rng([0, m]))
    x = np.zeros(257)
    x[0], x[-1] = math.sqrt(0.75), 0.5
    scores, t = network.preactivations(x[None, :])[0], tau * math.sqrt(m / 2)
    drawn = int(np.count_nonzero(scores > tau))
    assert view.sentence.startswith(f"{grouped(drawn)} of the {grouped(m)} neurons fire")
    assert f"t = {number(t)} standard deviations above zero" in view.sentence
    assert f"lets {percent(stats.norm.sf(t))} through" in view.sentence
    everything, active = [mark for mark in view.marks if isinstance(mark, Bars)]
    inside = np.abs(scores) <= everything.edges[-1]
    assert float(np.sum(everything.heights)) == pytest.approx(np.mean(inside), abs=1e-12)
    assert float(np.max(everything.heights)) <= view.y.limits[1]
    assert active.within is not None and active.within[0] == tau
    assert (view.warning is not None) == (drawn == 0)
    [law] = [mark for mark in view.marks if isinstance(mark, Line)]
    quarter = math.sqrt(2 / m) / 4
    np.testing.assert_allclose(
        law.y, quarter * stats.norm.pdf(law.x, scale=math.sqrt(2 / m)), rtol=1e-12
    )
    places = rules(view)
    assert places["printed"] == pytest.approx(1 / m)
    assert places["sparse"] == pytest.approx(math.sqrt(2 / m) * math.sqrt(0.4 * math.log(m)))


def test_preactivation_view_shades_nothing_for_a_threshold_beyond_the_axis() -> None:
    view = preactivation_view(1.0, 256)
    _, active = [mark for mark in view.marks if isinstance(mark, Bars)]
    assert active.within is not None and active.within[0] == active.within[1]
    assert view.sentence.startswith("0 of the 256")
    assert "nothing can be learned" in str(view.warning)


def test_preactivation_explorer_starts_where_the_page_asks() -> None:
    assert preactivation_explorer().values == {"tau": 0.0625, "m": 512}
    assert preactivation_explorer(m=1024, tau=0.001).values == {"tau": 0.001, "m": 1024}
    with pytest.raises(ValueError, match="start of tau"):
        preactivation_explorer(tau=0.07)
