"""Promises of the explorer of f and g: its curves and numbers are those of networks and theory."""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib import scaling, theory
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.plotting import number
from sublinear_lib.widgets import Explorer, Line, View, gap_explorer, gap_view

X = [[3**0.5 / 2, 0.0, 0.5]]
NAMES = ("PRINTED", "R1", "R2", "R3")


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return gap_explorer()


def lines(view: View) -> dict[str, Line]:
    return {mark.label: mark for mark in view.marks if isinstance(mark, Line) and mark.label}


@pytest.mark.parametrize("powers", NAMES)
@pytest.mark.parametrize("m", [256, 4096])
def test_both_curves_are_those_of_ordinary_networks_on_the_way(powers: str, m: int) -> None:
    rules = scaling.get_scaling(powers)
    start = TwoLayerNetwork.initialize(m, 3, rules, rng=np.random.default_rng([0, m]))
    worst = theory.worst_weights(start, X[0], rules.radius(m), "above")
    drawn = lines(gap_view(powers, m))
    for at in (0, 20, 40):
        W = start.W + drawn["*f*"].x[at] * (worst.W - start.W)
        parts = PseudoNetwork(start, W).decompose(X)
        assert drawn["*g*"].y[at] == pytest.approx(parts.g[0], abs=1e-12)
        # A neuron parked on its threshold may be rounded to either side of it.
        assert drawn["*f*"].y[at] == pytest.approx((parts.f - parts.B)[0], abs=4 / m)


@pytest.mark.parametrize("powers", NAMES)
def test_the_numbers_are_those_of_the_worst_case_and_its_mean(powers: str) -> None:
    rules, m = scaling.get_scaling(powers), 1024
    sizes = rules.output_weight(m), rules.radius(m), rules.tau(m), rules.activation
    mean = theory.half_width_moments(m, *sizes).mean
    view = gap_view(powers, m)
    assert f"{number(mean)} on average" in view.sentence
    assert dict(view.readouts)["gap on average"] == number(mean)
    assert "promises that it falls like *m*^{\N{MINUS SIGN}1/10}" in view.sentence
    assert str(rules.gap_exponent).replace("-", "\N{MINUS SIGN}") in view.sentence
    assert (view.warning is not None) == (powers == "PRINTED")


def test_the_explorer_starts_at_the_printed_theorem_and_has_one_scale(explorer: Explorer) -> None:
    assert explorer.values == {"powers": "PRINTED", "m": 4096}


@pytest.mark.parametrize("changed", [{"powers": "ZHANG"}, {"m": 1}, {"m": 4096.5}])
def test_it_refuses_what_it_does_not_know(changed: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError)):
        gap_view(**{"powers": "PRINTED", "m": 4096, **changed})  # type: ignore[arg-type]
