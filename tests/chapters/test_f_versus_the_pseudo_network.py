"""f and its linearization: curves of ordinary networks, numbers of Proposition 1."""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib import scaling, theory
from sublinear_lib.chapters.f_versus_the_pseudo_network import explorers
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.plotting import number
from sublinear_lib.widgets import Line
from tests.chapters.marks import X, named


@pytest.mark.parametrize("powers", ["PRINTED", "R1", "R2", "R3"])
@pytest.mark.parametrize("m", [256, 4096])
def test_curves_and_gap_are_those_of_networks_and_of_proposition_1(powers: str, m: int) -> None:
    rules, view = scaling.get_scaling(powers), explorers.way_to_the_worst.function(powers, m)
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
