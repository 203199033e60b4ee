"""The explorer of good weights: what it draws and says is what the theory and the code give."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from sublinear_lib import datasets, scaling
from sublinear_lib.adversary import robust_loss
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.plotting import number, percent
from sublinear_lib.theory import existence
from sublinear_lib.widgets import (
    Explorer,
    Line,
    View,
    existence_explorer,
    existence_view,
    rule_and_training_picture,
)

TAUS = {
    "1/m": lambda m: 1.0 / m,
    "t=1": lambda m: (2.0 / m) ** 0.5,
    "c=1/5": lambda m: (2.0 / m * 0.4 * math.log(m)) ** 0.5,
}
BUMP = existence.bump(Fraction(-1, 8))
M = 1024


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return existence_explorer()


def lines(view: View) -> dict[str, Line]:
    return {mark.label: mark for mark in view.marks if isinstance(mark, Line)}


@pytest.mark.parametrize("threshold", TAUS)
def test_curves_and_numbers_are_those_of_the_weights_of_theorem_e(threshold: str) -> None:
    view, data, tau = existence_view(M, threshold), datasets.circle(3), float(TAUS[threshold](M))
    start = TwoLayerNetwork.initialize(M, 3, "R3", rng=1, tau=tau, activation="continuous")
    rule = existence.hermite_feature(BUMP, tau * math.sqrt(M))
    W = np.array(start.W)
    for x, y in zip(data.X, data.y, strict=True):
        W[:, 2] += (
            2.0 * y * rule(math.sqrt(M) * start.W @ x, math.sqrt(M) * start.b) / (start.a * M)
        )
    network, drawn = start.with_weights(W), lines(view)
    angle = np.radians(drawn["target"].x)
    points = np.column_stack(
        (0.75**0.5 * np.cos(angle), 0.75**0.5 * np.sin(angle), np.full(angle.size, 0.5))
    )
    for label, values in (
        ("linearization *g*", PseudoNetwork(start, W).forward(points)),
        ("network *f*", network.forward(points)),
        ("target", ((points @ data.X.T + 0.125) / 1.125) ** 2 @ data.y),
    ):
        assert drawn[label].y == pytest.approx(np.clip(values, -2, 2), abs=1e-9), label
    loss = robust_loss(network, data.X, data.y, 0.2, "absolute").upper
    assert f"a robust loss of {number(loss)}." in view.sentence
    fires = scaling.activity_at(tau * math.sqrt(M / 2))
    assert f"of which {percent(fires)} fire" in view.sentence


def test_the_picture_shows_two_networks_that_meet_the_labels() -> None:
    alt = rule_and_training_picture().alt.replace("\N{MINUS SIGN}", "-")
    assert "3 shaded caps, where the wanted labels 1, -1, 1" in alt
    for name in ("rule, 65 536 neurons", "trained, 256 neurons"):
        low, high = alt.split(f"{name} runs from ")[1].split(";")[0].rstrip(".").split(" to ")
        assert -1.2 < float(low) < -0.85
        assert 0.85 < float(high) < 1.2


def test_the_explorer_starts_in_the_middle_and_is_small(explorer: Explorer) -> None:
    assert explorer.values == {"m": 4096, "threshold": "1/m"}


@pytest.mark.parametrize("changed", [{"m": 2}, {"m": 4096.5}, {"threshold": "0"}])
def test_it_refuses_what_it_does_not_know(changed: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError)):
        existence_view(**{"m": 4096, "threshold": "1/m", **changed})  # type: ignore[arg-type]
