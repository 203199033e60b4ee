"""Promises of the explorer of the worst case: every point and number is the library's."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from sublinear_lib import geometry, scaling
from sublinear_lib.adversary import extremes_on_circle
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import grouped, number, percent
from sublinear_lib.widgets import (
    Explorer,
    Line,
    Points,
    Region,
    Rule,
    View,
    worst_case_explorer,
    worst_case_view,
)

X = geometry.embed(np.array([[1.0, 0.0]]))
POSITIONS = [
    (0.05, "jump", 1),
    (0.3, "jump", 6),
    (0.5, "jump", 8),
    (0.2, "continuous", 2),
    (0.4, "continuous", 6),
]
ATTACKS = ("gradient", "random", "smoothed")


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return worst_case_explorer()


def network_of(activation: str, draw: int) -> TwoLayerNetwork:
    tau = scaling.threshold_from_activity(0.1, 2000)
    return TwoLayerNetwork.initialize(2000, 3, rng=draw, tau=tau, activation=activation)


def points(view: View) -> dict[str, Points]:
    return {mark.label: mark for mark in view.marks if isinstance(mark, Points)}


def at(degrees: float) -> np.ndarray:
    angle = math.radians(degrees)
    return geometry.embed(np.array([[math.cos(angle), math.sin(angle)]]))


@pytest.mark.parametrize(("rho", "activation", "draw"), POSITIONS)
def test_the_worst_value_is_that_of_the_sweep(rho: float, activation: str, draw: int) -> None:
    view, network = worst_case_view(rho, activation, draw), network_of(activation, draw)
    (cap,) = extremes_on_circle(network, X, rho)
    gain = cap.sup - float(network.forward(X)[0])
    assert [mark.at for mark in view.marks if isinstance(mark, Rule)] == [gain]
    assert f"can rise by {number(gain)}" in view.sentence
    top = points(view)[""]
    assert top.hollow and top is view.marks[-1]
    assert float(top.y[0]) == gain
    assert ("never reaches it" in view.sentence) == (not cap.sup_attained)
    low, high = geometry.cap_intervals(X, rho, network.W, network.b)
    switching = int(((low[0] <= network.tau) & (high[0] > network.tau)).sum())
    assert f"{grouped(switching)} of the {grouped(2000)} neurons switch" in view.sentence


@pytest.mark.parametrize(("rho", "activation", "draw"), POSITIONS)
def test_the_attacks_end_in_the_cap_on_the_curve_and_below_the_worst_value(
    rho: float, activation: str, draw: int
) -> None:
    view, network = worst_case_view(rho, activation, draw), network_of(activation, draw)
    [region] = [mark for mark in view.marks if isinstance(mark, Region)]
    assert region.stop == pytest.approx(math.degrees(geometry.cap_angle(rho)))
    assert region.start == -region.stop
    (cap,) = extremes_on_circle(network, X, rho)
    clean = float(network.forward(X)[0])
    shares = []
    for label in ATTACKS:
        mark = points(view)[label]
        angle, rise = float(mark.x[0]), float(mark.y[0])
        assert abs(angle) <= region.stop * (1 + 1e-9)
        assert 0.0 <= rise <= cap.upper - clean
        # Near a jump the rounding of the angle could decide; one step to either side covers it.
        near = [float(network.forward(at(angle + step))[0]) for step in (-1e-7, 0.0, 1e-7)]
        assert min(abs(rise + clean - other) for other in near) < 1e-6
        share = rise / (cap.sup - clean)
        shares.append(percent(min(1.0, share) if abs(share) > 1e-9 else 0.0))
    plain, guesses, smoothed = shares
    assert (
        f"The gradient attack finds {plain} of this rise, 40 random guesses find {guesses}, and "
        f"the smoothed gradient finds {smoothed}." in view.sentence
    )


@pytest.mark.parametrize(("rho", "activation", "draw"), POSITIONS)
def test_the_curve_is_the_network(rho: float, activation: str, draw: int) -> None:
    marks = worst_case_view(rho, activation, draw).marks
    [line] = [mark for mark in marks if isinstance(mark, Line)]
    x, y = np.asarray(line.x), np.asarray(line.y)
    assert x[[0, -1]] == pytest.approx([-40.0, 40.0]) and (np.diff(x) >= 0).all()
    network = network_of(activation, draw)
    smooth = np.flatnonzero((np.diff(x[:-1]) > 1e-4) & (np.diff(x[1:]) > 1e-4)) + 1
    angles = np.radians(x[smooth])
    turned = [angles + step for step in (-1e-7, 0.0, 1e-7)]
    beside = [
        network.forward(geometry.embed(np.column_stack((np.cos(a), np.sin(a))))) for a in turned
    ]
    off = np.min(np.abs(np.stack(beside) - network.forward(X)[0] - y[smooth]), axis=0)
    assert off.max() < 1e-5


def test_with_the_continuous_activation_the_maximum_exists_everywhere(explorer: Explorer) -> None:
    for place in itertools.product(*(range(len(c.values)) for c in explorer.controls)):
        if place[1] == 1:
            assert "never reaches it" not in explorer.stored_view(*place)["sentence"], place


def test_no_control_moves_the_axes_and_every_curve_stays_on_them(explorer: Explorer) -> None:
    limits = {worst_case_view(*place).y.limits for place in POSITIONS}
    assert len(limits) == 1
    low, high = limits.pop()
    for draw, activation in itertools.product(explorer.controls[2].values, ("jump", "continuous")):
        [line] = [
            m for m in worst_case_view(0.3, activation, int(draw)).marks if isinstance(m, Line)
        ]
        assert low < np.min(line.y) and np.max(line.y) < high


def test_every_stored_position_is_the_view_at_these_values(explorer: Explorer) -> None:
    grid = [range(len(control.values)) for control in explorer.controls]
    for place in list(itertools.product(*grid))[::29]:
        values = [c.values[k] for c, k in zip(explorer.controls, place, strict=True)]
        stored = explorer.stored_view(*place)
        expected = worst_case_view(*values[:2], int(values[2])).sentence
        assert stored["sentence"] == expected, values


def test_the_explorer_leaves_room_in_the_page_and_starts_where_the_gradient_attack_fails(
    explorer: Explorer,
) -> None:
    assert len(explorer._table) < 150_000
    start = explorer.stored_view(*explorer.position)
    assert f"The gradient attack finds {percent(0.0)} of this rise" in start["sentence"]
    assert explorer.still().name == "worst-case-explorer"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.0, "jump"), "rho must be"),
        ((0.9, "jump"), "rho must be"),
        ((0.1, "relu"), "activation must be"),
        ((0.1, "jump", -1), "draw must be"),
    ],
)
def test_a_position_that_does_not_exist_is_refused(
    arguments: tuple[float, str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        worst_case_view(*arguments)
