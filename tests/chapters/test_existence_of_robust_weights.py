"""Good weights: curves, losses and pictures are those of the weights of Theorem E."""

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from sublinear_lib import datasets, scaling
from sublinear_lib.adversary import robust_loss
from sublinear_lib.chapters.existence_of_robust_weights import explorers, figures
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.plotting import number, percent
from sublinear_lib.theory import existence
from sublinear_lib.widgets import Line
from tests.chapters.marks import circle, named, sparse
from tests.plotting.shown import alt, tells, texts

TAUS = {"1/m": lambda m: 1.0 / m, "t=1": lambda m: (2.0 / m) ** 0.5, "c=1/5": sparse}
M = 1024


@pytest.mark.parametrize("threshold", TAUS)
def test_curves_and_numbers_are_those_of_the_weights_of_theorem_e(threshold):
    view, data = explorers.weights_of_a_rule.function(M, threshold), datasets.circle(3)
    tau = float(TAUS[threshold](M))
    start = TwoLayerNetwork.initialize(M, 3, "R3", rng=1, tau=tau, activation="continuous")
    rule = existence.hermite_feature(existence.bump(Fraction(-1, 8)), tau * math.sqrt(M))
    W = np.array(start.W)
    for x, y in zip(data.X, data.y, strict=True):
        z, b = math.sqrt(M) * start.W @ x, math.sqrt(M) * start.b
        W[:, 2] += 2.0 * y * rule(z, b) / (start.a * M)
    network, drawn = start.with_weights(W), named(view, Line)
    points = circle(drawn["target"].x)
    for label, values in {
        "linearization *g*": PseudoNetwork(start, W).forward(points),
        "network *f*": network.forward(points),
        "target": ((points @ data.X.T + 0.125) / 1.125) ** 2 @ data.y,
    }.items():
        assert drawn[label].y == pytest.approx(np.clip(values, -2, 2), abs=1e-9), label
    loss = robust_loss(network, data.X, data.y, 0.2, "absolute").upper
    assert f"a robust loss of {number(loss)}." in view.sentence
    assert f"of which {percent(scaling.activity_at(tau * math.sqrt(M / 2)))} fire" in view.sentence


def test_the_picture_shows_two_networks_that_meet_the_labels():
    said = alt(explorers.rule_and_training_picture())
    assert "3 shaded caps, where the wanted labels 1, -1, 1" in said
    for name in ("rule, 65 536 neurons", "trained, 256 neurons"):
        low, high = said.split(f"{name} runs from ")[1].split(";")[0].rstrip(".").split(" to ")
        assert -1.2 < float(low) < -0.85 and 0.85 < float(high) < 1.2


ANGLES = np.linspace(-math.pi, math.pi, 181)
CAPS = [[0.0, 0.3, 1.0], [3.0, 0.3, -1.0]]
CURVES = {"trained": 2 * np.cos(ANGLES), "*w*": np.sin(ANGLES)}
Z, TURN = np.linspace(-1.0, 1.0, 201), np.linspace(0.0, 360.0, 181)

arcs = partial(
    figures.arcs_picture,
    arcs=[[0.0, 1.0], [3.0, 0.5], [-2.0, math.pi]],
    values=[1.0, -0.5, 0.25],
    angles=ANGLES,
    target=np.cos(ANGLES),
    sums={"*m* = 3": np.cos(ANGLES) + 0.25, "*m* = 9": np.cos(ANGLES)},
    name="arcs",
)
GIVEN = {"angles": ANGLES, "curves": CURVES, "caps": CAPS}
fit = partial(figures.circle_fit_picture, **GIVEN, ylabel="output", name="fit")
steps = partial(
    figures.step_picture,
    z=Z,
    steps={"good": (Z > 0.5) * 1.0, "bad": np.full(Z.shape, 0.5)},
    ends=(0.3, 0.8),
    eps=0.1,
    angles=TURN,
    fits={"good": np.where(TURN <= 180.0, 1.0, -1.0), "network": np.cos(np.radians(TURN))},
    caps=[[90.0, 10.0, 1.0], [270.0, 10.0, -1.0]],
    name="soft",
)


def test_arcs_are_counted_and_drawn_in_two_pieces_where_they_pass_180_degrees():
    tells(arcs(), "3 neurons", "2 adding and 1 subtracting")
    tells(arcs(), "m = 3, at most 0.25 from the target; m = 9, at most 0 from the target")
    for middle, wanted in ((0.0, [[-1.0, 1.0]]), (3.0, [[2.0, math.pi], [-math.pi, 4 - math.tau]])):
        axes = arcs(arcs=[[middle, 1.0]], values=[1.0])._figures[0].axes[0]
        paths = [path.vertices for each in axes.collections for path in each.get_paths()]
        np.testing.assert_allclose([path[:, 0] for path in paths], np.degrees(wanted))


def test_functions_on_the_circle_are_told_by_their_ranges():
    tells(fit(), "2 shaded caps", "labels 1, -1", "trained runs from -2 to 2; w runs from -1 to 1")


def test_the_text_says_how_far_each_step_is_from_its_aims():
    tells(steps(), "good: at most 0 away from 0 for far points and 0 away from 1 for near ones")
    tells(steps(), "bad: at most 0.5 away from 0 for far points and 0.5 away from 1 for near ones")
    # At 90 and 270 degrees the cosine is near zero: its worst distance is at the cap's outer edge.
    worst = number(1.0 + np.sin(np.radians(10.0)))
    tells(steps(), f"good: 0, network: {worst}", "2 labeled points", "of 1 from z = 0.8 on")
    assert [texts(steps()).count(label) for label in ("good", "bad", "network")] == [1, 1, 1]
    turned = steps(fits={"good": (TURN < 10.0) * 1.0}, caps=[[0.0, 8.0, 1.0]])
    tells(turned, "is good: 1.")  # At 355 degrees the value is 0 and the label 1.
    near = steps(z=Z[190:], steps={"good": np.ones(11)}, fits={"good": np.ones(181)})
    tells(near, "good: at most unknown away from 0 for far points and 0 away from 1")
