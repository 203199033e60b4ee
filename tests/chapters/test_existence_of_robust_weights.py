"""Good weights: curves, losses and picture are those of the weights of Theorem E."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from sublinear_lib import datasets, scaling
from sublinear_lib.adversary import robust_loss
from sublinear_lib.chapters.existence_of_robust_weights import explorers
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.plotting import number, percent
from sublinear_lib.theory import existence
from sublinear_lib.widgets import Line
from tests.chapters.marks import circle, named, sparse

TAUS = {"1/m": lambda m: 1.0 / m, "t=1": lambda m: (2.0 / m) ** 0.5, "c=1/5": sparse}
M = 1024


@pytest.mark.parametrize("threshold", TAUS)
def test_curves_and_numbers_are_those_of_the_weights_of_theorem_e(threshold: str) -> None:
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


def test_the_picture_shows_two_networks_that_meet_the_labels() -> None:
    alt = explorers.rule_and_training_picture().alt.replace("\N{MINUS SIGN}", "-")
    assert "3 shaded caps, where the wanted labels 1, -1, 1" in alt
    for name in ("rule, 65 536 neurons", "trained, 256 neurons"):
        low, high = alt.split(f"{name} runs from ")[1].split(";")[0].rstrip(".").split(" to ")
        assert -1.2 < float(low) < -0.85 and 0.85 < float(high) < 1.2
