"""Promises of the chapters' explorers: what they draw and say is what the library computes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture, grouped, number, percent
from sublinear_lib.theory.cost import dense_cost, sparse_cost
from sublinear_lib.widgets import (
    Bars,
    Line,
    LiveLab,
    Points,
    Rule,
    View,
    activity_explorer,
    activity_view,
    cost_view,
    preactivation_view,
    train_on_digits,
    training_lab,
)

X = np.array([[math.sqrt(0.75), 0.0, 0.5]])


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
    "K=1": lambda m: m**-0.6,
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
    closed, bound = line(view, "fires"), line(view, "printed")
    np.testing.assert_allclose(closed.y, stats.norm.sf(closed.x), rtol=1e-12)
    np.testing.assert_allclose(bound.y, 2 * np.exp(-(np.asarray(bound.x) ** 2) / 2), rtol=1e-12)
    assert rules(view)["*τ*"] == pytest.approx(t)
    [point] = [mark for mark in view.marks if isinstance(mark, Points)]
    np.testing.assert_allclose([point.x[0], point.y[0]], [t, share], rtol=1e-9)
    drawn = int(np.count_nonzero(drawn_scores(m) > tau))
    assert readouts(view)["threshold *τ*"] == number(tau)
    assert f"is {number(t)} standard deviations" in view.sentence
    assert f"so {percent(share)} of the neurons" in view.sentence
    assert f"and {grouped(drawn)} fire in the network" in view.sentence
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
    assert explorer.shape == (4, 8)
    with pytest.raises(ValueError, match="rule"):
        activity_view("R4", 1024)


@pytest.mark.parametrize("m", [32, 256, 4096])
@pytest.mark.parametrize("tau", [0.0, 0.1, 0.6])
def test_preactivation_view_counts_and_shades_the_active_neurons(m: int, tau: float) -> None:
    view = preactivation_view(m, tau, "before", 1)
    network = TwoLayerNetwork.initialize(m, 257, rng=np.random.default_rng([1, m]))
    x = np.zeros(257)
    x[0], x[-1] = math.sqrt(0.75), 0.5
    scores, t = network.preactivations(x[None, :])[0], tau * math.sqrt(m / 2)
    drawn = int(np.count_nonzero(scores > tau))
    assert readouts(view)["drawn"] == grouped(drawn)
    assert f"t = τ √(m/2) = {number(t)}" in view.sentence
    assert f"Q(t) = {percent(stats.norm.sf(t))}" in view.sentence
    everything, active = [mark for mark in view.marks if isinstance(mark, Bars)]
    inside = np.abs(scores) <= everything.edges[-1]
    area = float(np.sum(everything.heights * np.diff(everything.edges)))
    assert area == pytest.approx(np.mean(inside), abs=1e-12)
    assert active.within is not None and active.within[0] == tau
    assert (view.warning is not None) == (drawn == 0)
    [density] = [mark for mark in view.marks if isinstance(mark, Line)]
    np.testing.assert_allclose(
        density.y, stats.norm.pdf(density.x, scale=math.sqrt(2 / m)), rtol=1e-12
    )
    places = rules(view)
    assert places["1/*m*"] == pytest.approx(1 / m)
    assert places["R3"] == pytest.approx(math.sqrt(2 / m) * math.sqrt(0.4 * math.log(m)))


def test_preactivation_view_shades_nothing_for_a_threshold_beyond_the_axis() -> None:
    view = preactivation_view(256, 1.0, "before", 0)
    _, active = [mark for mark in view.marks if isinstance(mark, Bars)]
    assert active.within is not None and active.within[0] == active.within[1]
    assert readouts(view)["drawn"] == "0"


@pytest.mark.parametrize("m", [32, 256, 4096])
def test_preactivation_view_breaks_the_law_at_an_input_tuned_to_the_network(m: int) -> None:
    view = preactivation_view(m, 0.0, "after", 0)
    network = TwoLayerNetwork.initialize(m, 257, rng=np.random.default_rng([0, m]), tau=0.0)
    mean = network.W[:, :-1].mean(axis=0)
    x = np.append(mean / np.linalg.norm(mean) * 3**0.5 / 2, 0.5)
    drawn = int(np.count_nonzero(network.W @ x + network.b > 0))
    assert readouts(view)["drawn"] == grouped(drawn)
    assert drawn > stats.binom.ppf(0.9995, m, 0.5)
    assert "outside" in str(view.warning)
    assert "does not depend on the network" in str(view.warning)


@pytest.mark.parametrize("attack_steps", [0, 5])
@pytest.mark.parametrize("t", [0.0, 1.75, 4.0])
def test_cost_view_shows_the_counts_of_the_cost_model(t: float, attack_steps: int) -> None:
    m = 2**14
    view = cost_view(m, t, attack_steps)
    dense, sparse = [float(mark.y[0]) for mark in view.marks if isinstance(mark, Points)]
    tau = t * math.sqrt(2 / m)
    assert dense == 65 * dense_cost(m, 214, attack_steps).total
    assert sparse == pytest.approx(
        65 * sparse_cost(m, 214, 65, tau, 0.3, attack_steps, search="free").total, rel=1e-12
    )
    assert f"{number(dense / sparse)} times fewer" in view.sentence
    for label in ("same share", "same exponent"):
        curve = line(view, label)
        at = list(curve.x).index(m)
        assert curve.y[at] == pytest.approx(sparse, rel=1e-8), label
    assert f"t = τ √(m/2) = {t:.2f}" in view.sentence
    assert f"Q(t) = {percent(stats.norm.sf(t))}" in view.sentence
    assert ("never a power" in str(view.warning)) == (t < 0.5)
    if t >= 0.5:
        assert f"a factor of {number(dense / sparse)}," in str(view.warning)
        assert percent(1 / (2 * attack_steps + 3)) in str(view.warning)
    assert readouts(view)["*t* of R3"] == number(math.sqrt(0.4 * math.log(m)))
    assert readouts(view)["*t* of *τ* = 1/*m*"] == number(math.sqrt(0.5 / m))


def test_cost_view_refuses_where_no_exponent_and_no_ratio_exists() -> None:
    with pytest.raises(ValueError, match="m must be an integer >= 2, got 1"):
        cost_view(1, 2.5, 5)
    with pytest.raises(ValueError, match="t must be a finite number >= 0"):
        cost_view(1024, 40.0, 5)
    assert cost_view(1024, 30.0, 5).sentence


def test_only_the_curve_of_equal_exponent_is_sublinear() -> None:
    view = cost_view(2**16, 2.5, 5)
    widths = np.log(line(view, "all neurons").x)
    for label, low, high in (
        ("all neurons", 1 - 1e-12, 1 + 1e-12),
        ("same share", 1 - 1e-9, 1 + 1e-9),
        ("same exponent", 0.5, 0.95),
    ):
        slope = np.polyfit(widths, np.log(line(view, label).y), 1)[0]
        assert low <= slope <= high, f"{label}: {slope}"


def test_the_lab_trains_both_ways_and_reports_equal_weights(
    capsys: pytest.CaptureFixture[str],
) -> None:
    picture = train_on_digits(64, 1.0, 0.1, 3)
    printed = capsys.readouterr().out
    difference = float(printed.splitlines()[0].rsplit(" ", 1)[1])
    assert difference < 1e-12
    assert "row passes: dense" in printed and "under attack" in printed
    assert isinstance(picture, Picture)
    assert isinstance(training_lab(still=picture), LiveLab)
