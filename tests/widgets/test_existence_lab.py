"""Promises of the labs of the chapter on existence: what they print is true of the networks."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sublinear_lib import datasets
from sublinear_lib.adversary import ExactOnCircle, robust_loss
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import PAGE_HTML, Picture
from sublinear_lib.training import SublinearAdversarialTraining
from sublinear_lib.widgets import (
    build_good_weights,
    fit_beside_training,
    good_weights_lab,
    training_beside_lab,
)

SAID = re.compile(r"(.+): radius (\S+) m\^\(-4/5\), exact worst-case loss (\S+)")


def said(text: str) -> dict[str, tuple[float, float]]:
    return {
        match[1]: (float(match[2]), float(match[3]))
        for match in map(SAID.fullmatch, text.splitlines())
        if match
    }


@pytest.mark.parametrize(("t", "activation"), [(0.0, "jump"), (1.0, "continuous")])
def test_all_ways_to_good_weights_are_reported(
    t: float, activation: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = build_good_weights(m=4096, t=t, activation=activation, rho=0.2, seed=1)
    found = said(capsys.readouterr().out)
    assert isinstance(shown, Picture) and "3 shaded caps" in shown.alt
    assert list(found) == ["proof", "Theorem E", "linear program"]
    # The smallest ball is much smaller than that of the proof, and W* fits far better than W_0.
    assert found["linear program"][0] < found["proof"][0] / 10
    data = datasets.circle(3)
    start = TwoLayerNetwork.initialize(
        4096, 3, rng=1, tau=t * (2 / 4096) ** 0.5, activation=activation
    )
    before = robust_loss(start, data.X, data.y, 0.2, "absolute").lower
    assert found["linear program"][1] < before / 2


def test_training_and_the_linear_program_are_compared_from_the_same_start(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = fit_beside_training(m=1024, rho=0.1, steps=20, seed=3)
    text = capsys.readouterr().out
    data = datasets.circle(3)
    start = TwoLayerNetwork.initialize(1024, 3, rng=3, tau=1 / 1024)
    trainer = SublinearAdversarialTraining(
        adversary=ExactOnCircle(rho=0.1), loss="absolute", steps=20
    )
    final = trainer.fit(start, data.X, data.y, rng=0).final
    radius, loss = said(text)["trained"]
    moved = float(np.linalg.norm(final.W - start.W, axis=1).max())
    assert radius == pytest.approx(moved * 1024**0.8, rel=6e-3)
    exact = robust_loss(final, data.X, data.y, 0.1, "absolute").upper
    assert loss == pytest.approx(exact, rel=6e-3)
    assert "no W nearer than" in text
    assert isinstance(shown, Picture)


@pytest.mark.parametrize("make", [good_weights_lab, training_beside_lab])
def test_the_page_shows_a_still_picture(make: object, capsys: pytest.CaptureFixture[str]) -> None:
    still = fit_beside_training(m=256, rho=0.1, steps=2, seed=0)
    lab = make(still)  # type: ignore[operator]
    bundle, _ = lab._repr_mimebundle_()
    assert "needs a running Jupyter" in bundle[PAGE_HTML]
    with pytest.raises(TypeError, match="still"):
        make(None)  # type: ignore[operator]


def test_a_wrong_number_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\bm must"):
        build_good_weights(m=2, t=0.0, activation="jump", rho=0.2, seed=0)
    with pytest.raises(ValueError, match=r"\bm must"):
        fit_beside_training(m=0, rho=0.1, steps=2, seed=0)
    with pytest.raises(TypeError, match="activation must be"):
        build_good_weights(m=64, t=0.0, activation=None, rho=0.2, seed=0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="rho"):
        fit_beside_training(m=64, rho=-0.1, steps=2, seed=0)
