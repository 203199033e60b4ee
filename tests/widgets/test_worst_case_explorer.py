"""Promises of the explorer of the worst case: every point and number is the library's."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from sublinear_lib import geometry, scaling, theory
from sublinear_lib.adversary import CapRelaxation, extremes_on_circle
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
    ("0", "jump", 0.05, 64),
    ("t=1", "jump", 0.3, 1024),
    ("m^-3/5", "continuous", 0.2, 256),
    ("R3", "jump", 0.3, 1024),
    ("1/m", "jump", 0.5, 4096),
]


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return worst_case_explorer()


def tau_of(threshold: str, m: int) -> float:
    return {
        "0": 0.0,
        "1/m": 1.0 / m,
        "m^-3/5": m**-0.6,
        "t=1": math.sqrt(2.0 / m),
        "t=2": 2.0 * math.sqrt(2.0 / m),
        "R3": scaling.R3.tau(m),
    }[threshold]


def network_of(threshold: str, activation: str, m: int) -> TwoLayerNetwork:
    return TwoLayerNetwork.initialize(
        m,
        3,
        rng=np.random.default_rng([4, m]),
        tau=tau_of(threshold, m),
        activation=activation,
    )


def points(view: View) -> dict[str, Points]:
    return {mark.label: mark for mark in view.marks if isinstance(mark, Points)}


def at(degrees: float) -> np.ndarray:
    angle = math.radians(degrees)
    return geometry.embed(np.array([[math.cos(angle), math.sin(angle)]]))


@pytest.mark.parametrize(("threshold", "activation", "rho", "m"), POSITIONS)
def test_the_extremes_are_those_of_the_sweep(
    threshold: str, activation: str, rho: float, m: int
) -> None:
    view = worst_case_view(threshold, activation, rho, m)
    (cap,) = extremes_on_circle(network_of(threshold, activation, m), X, rho)
    rules = {mark.label: mark.at for mark in view.marks if isinstance(mark, Rule)}
    assert rules == {"sup": cap.sup, "inf": cap.inf}
    read = dict(view.readouts)
    assert read["exact sup"] == number(cap.sup, 4) and read["exact inf"] == number(cap.inf, 4)
    top = points(view)[""]
    assert top.hollow == (not cap.sup_attained)
    assert float(top.y[0]) == cap.sup
    assert ("not attained" in view.sentence) == (not cap.sup_attained)


@pytest.mark.parametrize(("threshold", "activation", "rho", "m"), POSITIONS)
def test_the_attacks_end_in_the_cap_on_the_curve_and_below_the_supremum(
    threshold: str, activation: str, rho: float, m: int
) -> None:
    view, network = (
        worst_case_view(threshold, activation, rho, m),
        network_of(threshold, activation, m),
    )
    [region] = [mark for mark in view.marks if isinstance(mark, Region)]
    assert region.stop == pytest.approx(math.degrees(geometry.cap_angle(rho)))
    assert region.start == -region.stop
    (cap,) = extremes_on_circle(network, X, rho)
    clean = float(network.forward(X)[0])
    for label, key in (("plain gradient", "plain"), ("smoothed gradient", "smoothed")):
        mark = points(view)[label]
        angle, value = float(mark.x[0]), float(mark.y[0])
        assert abs(angle) <= region.stop * (1 + 1e-9)
        assert clean <= value <= cap.upper
        # Near a jump the rounding of the angle could decide; one step to either side covers it.
        near = [float(network.forward(at(angle + step))[0]) for step in (-1e-7, 0.0, 1e-7)]
        assert min(abs(value - other) for other in near) < 1e-6
        share = (value - clean) / (cap.sup - clean) if cap.sup > clean else 1.0
        share = min(1.0, share) if abs(share) > 1e-9 else 0.0
        assert dict(view.readouts)[f"{key} finds"] == percent(share)


@pytest.mark.parametrize(("threshold", "activation", "rho", "m"), POSITIONS)
def test_the_curve_is_the_network(threshold: str, activation: str, rho: float, m: int) -> None:
    [line] = [
        mark
        for mark in worst_case_view(threshold, activation, rho, m).marks
        if isinstance(mark, Line)
    ]
    x, y = np.asarray(line.x), np.asarray(line.y)
    assert x[[0, -1]] == pytest.approx([-60.0, 60.0]) and (np.diff(x) >= 0).all()
    network = network_of(threshold, activation, m)
    smooth = np.flatnonzero((np.diff(x[:-1]) > 1e-4) & (np.diff(x[1:]) > 1e-4)) + 1
    angles = np.radians(x[smooth])
    f = network.forward(geometry.embed(np.column_stack((np.cos(angles), np.sin(angles)))))
    beside = [
        network.forward(geometry.embed(np.column_stack((np.cos(turned), np.sin(turned)))))
        for turned in (angles - 1e-7, angles + 1e-7)
    ]
    off = np.min(np.abs(np.stack((f, *beside)) - y[smooth]), axis=0)
    assert off.max() < 1e-5


@pytest.mark.parametrize(("threshold", "activation", "rho", "m"), POSITIONS)
def test_the_numbers_are_the_standardized_threshold_its_activity_and_the_unstable_neurons(
    threshold: str, activation: str, rho: float, m: int
) -> None:
    read = dict(worst_case_view(threshold, activation, rho, m).readouts)
    tau = tau_of(threshold, m)
    t = tau * math.sqrt(m / 2)
    assert read["*t* = *τ* √(*m*/2)"] == number(t)
    assert read["*Q*(*t*)"] == percent(stats.norm.sf(t))
    network = network_of(threshold, activation, m)
    low, high = geometry.cap_intervals(X, rho, network.W, network.b)
    unstable = int(((low[0] <= tau) & (high[0] > tau)).sum())
    assert read["unstable neurons"] == grouped(unstable)
    somewhere, expected = int((high[0] > tau).sum()), m * theory.cap_share(t, 3, rho)
    assert read["fire in the cap"] == f"{grouped(somewhere)}, expected {number(expected)}"
    assert (
        f"{number(t)} standard deviations"
        in worst_case_view(threshold, activation, rho, m).sentence
    )


@pytest.mark.parametrize(("threshold", "activation", "rho", "m"), POSITIONS)
def test_attack_supremum_and_proofs_stand_in_their_order(
    threshold: str, activation: str, rho: float, m: int
) -> None:
    read = dict(worst_case_view(threshold, activation, rho, m).readouts)
    network = network_of(threshold, activation, m)
    above = CapRelaxation(network, X[0], rho)
    (cap,) = extremes_on_circle(network, X, rho)
    assert read["linear bound"] == number(above.linear().value, 4)
    assert read["interval bound"] == number(above.interval().value, 4)
    assert cap.sup <= above.linear().value <= above.interval().value + 1e-12


def test_what_fails_is_said_in_words() -> None:
    plain = worst_case_view("0", "jump", 0.05, 64)
    assert plain.warning is None or "/m" not in plain.warning
    quiet = worst_case_view("R3", "jump", 0.001, 64)
    assert quiet.warning is not None and "No neuron switches" in quiet.warning
    missing = worst_case_view("t=1", "jump", 0.3, 4096)
    assert missing.warning is not None and "argmax" in missing.warning
    attained = worst_case_view("1/m", "jump", 0.3, 1024)
    assert attained.warning is None
    large = worst_case_view("t=1", "jump", 0.3, 1024)
    assert large.warning is not None
    assert f"τ = {number(1024 * math.sqrt(2 / 1024))}/m" in large.warning
    assert "not the paper's" in str(worst_case_view("1/m", "continuous", 0.3, 64).warning)
    assert "asks for the continuous" in str(worst_case_view("R3", "jump", 0.3, 64).warning)


def test_with_the_continuous_activation_the_maximum_exists_everywhere(explorer: Explorer) -> None:
    for place in itertools.product(*(range(len(c.values)) for c in explorer.controls)):
        if place[1] == 1:
            assert "not attained" not in explorer.stored_view(*place)["sentence"], place


def test_another_seed_is_another_network() -> None:
    view = worst_case_view("t=1", "jump", 0.3, 512, 3)
    start = np.random.default_rng([3, 512])
    network = TwoLayerNetwork.initialize(512, 3, rng=start, tau=tau_of("t=1", 512))
    (cap,) = extremes_on_circle(network, X, 0.3)
    assert {mark.label: mark.at for mark in view.marks if isinstance(mark, Rule)} == {
        "sup": cap.sup,
        "inf": cap.inf,
    }
    assert view.sentence != worst_case_view("t=1", "jump", 0.3, 512).sentence


def test_every_stored_position_is_the_view_at_these_values(explorer: Explorer) -> None:
    grid = [range(len(control.values)) for control in explorer.controls]
    for place in list(itertools.product(*grid))[::17]:
        values = [c.values[k] for c, k in zip(explorer.controls, place, strict=True)]
        stored = explorer.stored_view(*place)
        assert stored["sentence"] == worst_case_view(*values).sentence, values


def test_the_explorer_leaves_room_in_the_page_and_starts_where_the_plain_gradient_fails(
    explorer: Explorer,
) -> None:
    assert len(explorer._table) < 150_000
    start = dict(explorer.stored_view(*explorer.position)["readouts"])
    assert start["plain finds"] == percent(0.0)
    assert explorer.still().name == "worst-case-explorer"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("t=1", "jump", 0.0, 64), "rho must be"),
        (("t=1", "jump", 0.9, 64), "rho must be"),
        (("t=3", "jump", 0.1, 64), "threshold must be"),
        (("t=1", "relu", 0.1, 64), "activation must be"),
        (("t=1", "jump", 0.1, 1), "m must be an integer >= 2"),
    ],
)
def test_a_position_that_does_not_exist_is_refused(
    arguments: tuple[str, str, float, int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        worst_case_view(*arguments)
