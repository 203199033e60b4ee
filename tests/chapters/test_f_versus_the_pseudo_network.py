"""f and its linearization: curves of ordinary networks, numbers of Proposition 1."""

from functools import partial

import numpy as np
import pytest

from sublinear_lib import scaling, theory
from sublinear_lib.activations import get_activation
from sublinear_lib.chapters.f_versus_the_pseudo_network import explorers, figures
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.plotting import number
from sublinear_lib.widgets import Line
from tests.chapters.marks import X, named
from tests.plotting.shown import lines, tells, texts


@pytest.mark.parametrize("powers", ["PRINTED", "R1", "R2", "R3"])
def test_curves_and_gap_are_those_of_networks_and_of_proposition_1(powers):
    m, rules = 256, scaling.get_scaling(powers)
    view = explorers.way_to_the_worst.function(powers, m)
    start = TwoLayerNetwork.initialize(m, 3, rules, rng=np.random.default_rng([0, m]))
    worst = theory.worst_weights(start, X[0], rules.radius(m), "above")
    drawn = named(view, Line)
    for at in (0, 20, 40):
        W = start.W + drawn["*f*"].x[at] * (worst.W - start.W)
        parts = PseudoNetwork(start, W).decompose(X)
        assert drawn["*g*"].y[at] == pytest.approx(parts.g[0], abs=1e-12)
        # A neuron parked on its threshold may be rounded to either side of it.
        assert drawn["*f*"].y[at] == pytest.approx((parts.f - parts.B)[0], abs=4 / m)
    sizes = rules.output_weight(m), rules.radius(m), rules.tau(m), rules.activation
    mean = theory.half_width_moments(m, *sizes).mean
    read = dict(view.readouts)
    assert f"{number(mean)} on average" in view.sentence
    assert read["gap on average"] == number(mean)
    assert read["gap here"] == number(drawn["*f*"].y[40] - drawn["*g*"].y[40])
    assert "promises that it falls like *m*^{\N{MINUS SIGN}1/10}" in view.sentence
    assert str(rules.gap_exponent).replace("-", "\N{MINUS SIGN}") in view.sentence
    assert (view.warning is not None) == (powers == "PRINTED")


U, WAY = np.linspace(-1.0, 1.0, 401), np.linspace(0.0, 1.0, 101)
STAIRS = {"*f*, jump": np.floor(10 * WAY) / 4, "*f*, continuous": 1.1 * WAY}
REACHES = {"jump": [[-0.5, 1.5], [0.5, 1.0]], "continuous": [[-0.5, 0.5], [0.5, 0.5]]}


def share(z, form):
    activation = get_activation(form)
    start = activation.value(np.array([z]), 1.0)[0]
    return activation.value(z + U, 1.0) - start - U * (z > 1.0)


SHARES = {form: {"silent": share(0.6, form), "active": share(1.4, form)} for form in REACHES}
terms = partial(figures.worst_terms_picture, moves=U, shares=SHARES, reaches=REACHES, name="terms")
way = partial(figures.way_picture, way=WAY, curves=STAIRS, straight=("*g*", WAY), name="way")


def test_ends_and_sums_are_told_sup_and_inf_marked_and_jumps_cut():
    # The jump: the silent neuron rises to z + delta, the active one falls by tau and never rises.
    tells(terms(), "silent: largest value 1.6 at u = 1", "active: smallest value -1 at u = -0.4")
    # The continuous one: both rise to delta - |s| and never fall.
    tells(terms(), "silent: largest value 0.6 at u = 1; active: largest value 0.6 at u = -1")
    tells(terms(), "jump 2.5 over 2 neurons", "continuous 1 over 2 neurons")
    words = [text for text in texts(terms()) if text in ("sup", "inf")]
    assert sorted(words) == ["inf", "sup", "sup", "sup"]
    flat = terms(shares={"jump": {"far": np.zeros(U.size), "near": SHARES["jump"]["silent"]}})
    pieces = [len(points) for points in lines(flat) if len(points) > 2]
    assert len(pieces) == 3 and sum(pieces) == 2 * U.size
    tells(way(), "The dashed line of g reaches 1.")
    tells(way(), "f, jump reaches 2.5, its largest single step is 0.25")
    tells(way(), "f, continuous reaches 1.1, its largest single step is 0.011")
