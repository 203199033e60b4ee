"""The worst case near one input: every point, number and picture is that of the exact sweep."""

import math
import re
from functools import partial

import numpy as np
import pytest

from sublinear_lib import adversary, geometry, scaling
from sublinear_lib.chapters.the_adversary_and_its_worst_case import explorers, figures
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.widgets import Line, Points, Rule, Stretch
from tests.chapters.marks import X, circle, named, of
from tests.plotting.shown import lines, tells, texts

TAU = scaling.threshold_from_activity(0.1, 2000)
POSITIONS = [(0.05, "jump", "3"), (0.3, "jump", "6"), (0.3, "continuous", "7"), (0.5, "jump", "7")]


@pytest.mark.parametrize(("rho", "activation", "draw"), POSITIONS)
def test_the_view_is_that_of_the_sweep(rho, activation, draw):
    view = explorers.worst_case.function(rho, activation, draw)
    network = TwoLayerNetwork.initialize(2000, 3, rng=int(draw), tau=TAU, activation=activation)
    (cap,) = adversary.extremes_on_circle(network, X, rho)
    clean = float(network.forward(X)[0])
    gain = cap.sup - clean
    assert [mark.at for mark in of(view, Rule)] == [gain]
    top = view.marks[-1]
    assert isinstance(top, Points) and top.hollow and float(top.y[0]) == gain
    assert float(network.forward(circle(top.x))[0]) - clean <= gain + 1e-9
    assert f"can rise by {number(gain)}" in view.sentence
    assert ("never reaches it" in view.sentence) == (not cap.sup_attained)
    low, high = geometry.cap_intervals(X, rho, network.W, network.b)
    switching = int(((low[0] <= network.tau) & (high[0] > network.tau)).sum())
    assert f"{grouped(switching)} of the {grouped(2000)} neurons switch" in view.sentence
    [region] = of(view, Stretch)
    assert region.stop == pytest.approx(math.degrees(geometry.cap_angle(rho)))
    shares = []
    for label in ("gradient", "random", "smoothed"):
        mark = named(view, Points)[label]
        angle, rise = float(mark.x[0]), float(mark.y[0])
        assert abs(angle) <= region.stop * (1 + 1e-9) and 0.0 <= rise <= cap.upper - clean
        # Near a jump the rounding of the angle could decide; one step to either side covers it.
        near = network.forward(circle([angle - 1e-5, angle, angle + 1e-5]))
        assert np.abs(rise + clean - near).min() < 1e-6
        share = rise / gain
        shares.append(percent(min(1.0, share) if abs(share) > 1e-9 else 0.0))
    said = "attack finds {} of this rise, 40 random guesses find {}, and".format(*shares)
    assert said in view.sentence and f"smoothed gradient finds {shares[2]}." in view.sentence
    assert (rho, draw) != (0.3, "6") or shares[0] == percent(0.0), "the page starts with a failure"


@pytest.mark.parametrize("activation", ["jump", "continuous"])
def test_the_curve_is_the_network_and_stays_on_the_axis(activation):
    view = explorers.worst_case.function(0.3, activation, "6")
    [line] = of(view, Line)
    x, y = np.asarray(line.x), np.asarray(line.y)
    assert x[[0, -1]] == pytest.approx([-40.0, 40.0]) and (np.diff(x) >= 0).all()
    assert view.y.limits[0] < y.min() and y.max() < view.y.limits[1]
    network = TwoLayerNetwork.initialize(2000, 3, rng=6, tau=TAU, activation=activation)
    smooth = np.flatnonzero((np.diff(x[:-1]) > 1e-4) & (np.diff(x[1:]) > 1e-4)) + 1
    beside = [network.forward(circle(x[smooth] + step)) for step in (-1e-5, 0.0, 1e-5)]
    off = np.abs(np.stack(beside) - network.forward(X)[0] - y[smooth]).min(axis=0)
    assert off.max() < 1e-4


RHO = 0.8
FOUND = {"plain": [[0.7, 0.6, 0.8], [0.6, 0.5, 0.7]], "random": [[0.9, 0.8, 1.0], [0.8, 0.7, 0.9]]}


def small(seed, m=24, t=0.8, **kind):
    tau = scaling.threshold_from_standard(t, m)
    return TwoLayerNetwork.initialize(m, 3, rng=seed, tau=tau, **kind)


def swept(network):
    [extremes] = adversary.extremes_on_circle(network, X, RHO)
    pieces = adversary.pieces_on_circle(network, 0.0, geometry.cap_angle(RHO))
    given = {"pieces": pieces, "arcs": adversary.activity_arcs(network), "signs": network.a}
    return {**given, "extremes": extremes}


def ended(angle, value):
    end = circle([math.degrees(angle)])
    return adversary.AttackResult(end, np.array([value]), np.array([value]), NETWORK.forward(X))


NETWORK = small(23)
SWEPT = swept(NETWORK)
PIECES = SWEPT["pieces"]
CLEAN = float(NETWORK.forward(X)[0])
HALF_WAY = 0.5 * (CLEAN + SWEPT["extremes"].sup)
ATTACKS = {"plain": ended(0.1, CLEAN), "smoothed": ended(-0.3, HALF_WAY)}
GIVEN = {"network": NETWORK, "x": X, "rho": RHO, "found": ATTACKS}
GROUPS = ["*d* = 3\njump", "*d* = 4"]

cap = partial(figures.cap_picture, rho=0.6, name="c")
sweep = partial(figures.sweep_picture, **SWEPT, name="s")
landscape = partial(figures.landscape_picture, **GIVEN, name="l")
wide = partial(landscape, network=small(0, m=20_000, t=1.28), found={})
found = partial(figures.found_picture, groups=GROUPS, found=FOUND, name="f")


@pytest.mark.parametrize("rho", [0.2, 1.2])
def test_the_cap_says_its_angle(rho):
    degrees = math.degrees(2 * math.asin(rho / math.sqrt(3)))
    assert f"arcsin(ρ/√3) = {number(degrees)} degrees" in cap(rho=rho).alt


def test_the_sweep_draws_a_row_for_each_neuron_that_switches_and_a_bar_where_it_fires():
    switching, first = np.unique(PIECES.neurons, return_index=True)
    tells(sweep(), f"{switching.size} bars", f"in {PIECES.waves.shape[1]} smooth pieces")
    on_from_the_start = int((~PIECES.begins[first]).sum())
    bars = re.findall(r"<path[^>]*stroke-width:7\.7", sweep().html)
    assert len(bars) == int(PIECES.begins.sum()) + on_from_the_start
    tells(sweep(), "with a jump at each")
    smooth = sweep(**swept(small(23, activation="continuous"))).alt
    assert "with a kink at each" in smooth and "jump" not in smooth


def test_the_sweep_says_whether_the_extremes_are_attained():
    def says(picture, which):
        return f"{which}, not attained" in texts(picture)

    seen = set()
    for given in map(swept, map(small, (*range(6), 23))):
        if given["pieces"].neurons.size == 0:
            with pytest.raises(ValueError, match="neurons that switch, got 0"):
                sweep(**given)
            continue
        picture, ends = sweep(**given), given["extremes"]
        attained = [ends.sup_attained, ends.inf_attained]
        assert [says(picture, "sup"), says(picture, "inf")] == [not each for each in attained]
        assert ["sup" in texts(picture), "inf" in texts(picture)] == attained
        assert picture.alt.count("but not attained") == attained.count(False)
        seen |= {*attained}
    assert seen == {True, False}


def test_the_landscape_names_every_attack_with_its_share_and_where_it_ended():
    assert {"plain: 0 %", "smoothed: 50 %", "the worst value"} <= set(texts(landscape()))
    tells(landscape(), f"plain: 0 % ends at {number(math.degrees(0.1))} degrees")
    tells(landscape(), f"smoothed: 50 % ends at -17.2 degrees with f = {HALF_WAY:.3g}")
    tells(landscape(), f"{PIECES.neurons.size} neurons switch")
    tells(landscape(), "approached at a jump but not attained")
    with pytest.raises(ValueError, match="'far' ended outside the cap"):
        landscape(found={"far": ended(2.0, 0.0)})


def test_the_shares_found_are_told_group_by_group_and_drawn_where_they_are():
    tells(found(), "d = 4: plain 60 %, random 80 %.")
    assert {"plain", "random"} <= set(texts(found()))
    assert [points[0, 0] for points in lines(found(), marker="o")] == [0.7, 0.9, 0.6, 0.8]
