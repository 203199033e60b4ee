"""Promises of the chapters' explorers: what they draw and say is what the library computes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from sublinear_lib import theory
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture, grouped, number, percent
from sublinear_lib.widgets import (
    Bars,
    Line,
    LiveLab,
    Points,
    Rule,
    View,
    activity_explorer,
    activity_view,
    preactivation_explorer,
    preactivation_view,
    reach_explorer,
    reach_view,
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


@pytest.mark.parametrize("m", [64, 4096, 2**20])
@pytest.mark.parametrize("t", [0.0, 1.0, 2.7, 4.5])
def test_activity_view_draws_closed_form_bounds_and_sample(m: int, t: float) -> None:
    view = activity_view("R3", m, t, 1)
    closed, bound = line(view, "*Q*(*t*)"), line(view, "printed")
    np.testing.assert_allclose(closed.y, stats.norm.sf(closed.x), rtol=1e-12)
    np.testing.assert_allclose(bound.y, 2 * np.exp(-(np.asarray(bound.x) ** 2) / 2), rtol=1e-12)
    tau = t * math.sqrt(2 / m)
    drawn = int(np.count_nonzero(drawn_scores(m, 1) > tau))
    everywhere = theory.uniform_active_bound(tau, m, 3)
    assert readouts(view)["drawn"] == grouped(drawn)
    assert readouts(view)["*τ*"] == number(tau)
    assert readouts(view)["Theorem B, all *x*"] == grouped(everywhere)
    assert f"network has {grouped(drawn)}." in view.sentence
    assert f"t = τ √(m/2) = {t:.1f}" in view.sentence
    assert f"Q(t) = {percent(stats.norm.sf(t))}" in view.sentence
    [ruled, point] = [mark for mark in view.marks if isinstance(mark, Points)]
    np.testing.assert_allclose(ruled.x, math.sqrt(0.4 * math.log(m)), rtol=1e-12)
    np.testing.assert_allclose(ruled.y, stats.norm.sf(ruled.x), rtol=1e-12)
    np.testing.assert_allclose(point.y, stats.norm.sf(t), rtol=1e-12)
    all_x = line(view, "all *x*")
    at = int(np.argmin(np.abs(np.asarray(all_x.x) - t)))
    assert all_x.y[at] == pytest.approx(everywhere / m)
    assert (np.asarray(all_x.y) >= np.asarray(closed.y)).all()


@pytest.mark.parametrize("m", [64, 4096, 2**20])
def test_activity_view_puts_each_rule_at_its_standardized_threshold(m: int) -> None:
    places = rules(activity_view("PRINTED", m, 1.0, 0))
    std = math.sqrt(2 / m)
    assert places["*τ* = 1/*m*"] == pytest.approx(1 / m / std)
    assert places["*τ* = 1/*m*^{3/5}"] == pytest.approx(m**-0.6 / std)
    assert places["*τ* of R3"] == pytest.approx(math.sqrt(0.4 * math.log(m)))
    assert places["*τ*"] == 1.0


@pytest.mark.parametrize(
    ("preset", "power", "label"),
    [("PRINTED", 1.0, "*τ* = 1/*m*"), ("4.2", 0.6, "*τ* = 1/*m*^{3/5}"), ("R3", None, "*τ* of R3")],
)
@pytest.mark.parametrize("m", [64, 2**20])
def test_activity_view_reads_the_threshold_of_the_chosen_preset(
    preset: str, power: float | None, label: str, m: int
) -> None:
    view = activity_view(preset, m, 1.0, 0)
    t = math.sqrt(0.4 * math.log(m)) if power is None else m**-power * math.sqrt(m / 2)
    share = stats.norm.sf(t)
    assert readouts(view)["*t* of the preset"] == number(t)
    assert readouts(view)["*Q*(*t*) of the preset"] == percent(share)
    assert f"is t = {number(t)} here, where {percent(share)} fire" in view.sentence
    assert ("rises and the share falls" in view.sentence) == (preset == "R3")
    drawn_through = [
        mark.label
        for mark in view.marks
        if isinstance(mark, Rule) and not mark.dash and not mark.drag
    ]
    assert drawn_through == [label]


def test_activity_explorer_has_the_presets_and_refuses_others() -> None:
    explorer = activity_explorer()
    assert explorer.values == {"preset": "PRINTED", "m": 4096, "t": 1.0, "seed": 0}
    assert explorer.shape == (3, 8, 46, 3)
    with pytest.raises(ValueError, match="preset"):
        activity_view("R4", 1024, 1.0, 0)


def test_activity_view_says_exactly_where_the_printed_bound_exceeds_the_width() -> None:
    edge = math.sqrt(2 * math.log(2))
    below, above = (str(activity_view("PRINTED", 1024, edge + e, 0).warning) for e in (-1e-6, 1e-6))
    assert "says nothing" in below and "speaks here" in above
    K = (edge + 1e-6) * math.sqrt(2 / 1024) * 1024**0.6
    assert number((K * K / (4 * math.log(2))) ** 5) in above


@pytest.mark.parametrize(("t", "word"), [(0.0, "c > 0"), (1.0, "holds with"), (4.0, "c < 1")])
def test_activity_view_says_which_hypothesis_of_the_repair_fails(t: float, word: str) -> None:
    assert word in str(activity_view("PRINTED", 1024, t, 0).warning)


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
    assert f"stands t = {number(t)} of them" in view.sentence
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


@pytest.mark.parametrize("share", [0.001, 0.02, 0.5])
@pytest.mark.parametrize(("rho", "d"), [(0.0, 65), (0.3, 65), (0.3, 3), (0.5, 785)])
def test_reach_view_shows_the_share_that_can_fire(share: float, rho: float, d: int) -> None:
    view = reach_view(rho, share, d)
    able = theory.candidate_share(stats.norm.isf(share), d, rho)
    [point] = [mark for mark in view.marks if isinstance(mark, Points)]
    assert float(point.y[0]) == pytest.approx(able, rel=1e-12)
    curve = line(view, "can fire")
    assert np.interp(rho, curve.x, curve.y) == pytest.approx(able, abs=1e-6)
    assert (np.diff(curve.y) >= 0).all() and curve.y[0] == pytest.approx(share, rel=1e-9)
    assert rules(view) == {"reach": rho}
    assert f"{percent(share)} of the neurons fire at an image of {d - 1} pixels" in view.sentence
    assert f"{percent(able)} of them can fire" in view.sentence
    assert f"{number(able / share)} times as many" in view.sentence
    assert view.warning is None


def test_reach_explorer_starts_at_the_run_of_the_chapter_and_refuses_other_shares() -> None:
    assert reach_explorer().values == {"rho": 0.3, "share": 0.02, "d": 65}
    with pytest.raises(ValueError, match="share"):
        reach_view(0.3, 0.6, 65)
    with pytest.raises(ValueError, match="d must be an integer >= 2"):
        reach_view(0.3, 0.02, 1)


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
