"""The labs of the chapter on nets: what they print is what the theory says, and they refuse."""

from __future__ import annotations

import re

import pytest

from sublinear_lib import scaling, theory
from sublinear_lib.adversary import worst_gap_everywhere
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import Picture, number
from sublinear_lib.widgets import LiveLab, lay_a_net, move_the_input, moving_lab, net_lab


def numbers(text: str) -> list[float]:
    return [float(word) for word in re.findall(r"\d+\.\d+", text)]


def test_the_net_is_compared_with_the_exact_supremum(capsys: pytest.CaptureFixture[str]) -> None:
    picture = lay_a_net(256, 1.5, 1.0, 36, 4)
    said = capsys.readouterr().out
    tau = scaling.threshold_from_standard(1.5, 256)
    network = TwoLayerNetwork.initialize(256, 3, rng=4, tau=tau, activation="continuous")
    true = worst_gap_everywhere(network, 256**-0.6).sup
    sure = theory.certified_gap_bound(256, 3, 256**-0.2, 256**-0.6, tau).value
    assert f"all inputs: {number(true)}\n" in said
    assert f"best spacing: {number(sure)}" in said
    exact, on_net, promise, _ = numbers(said)
    assert on_net <= exact <= promise
    assert isinstance(picture, Picture)
    assert "36 points" in picture.alt


def test_a_finer_net_promises_less(capsys: pytest.CaptureFixture[str]) -> None:
    promises = []
    for points in (12, 60, 180):
        lay_a_net(128, 1.0, 2.0, points, 0)
        promises.append(numbers(capsys.readouterr().out)[2])
    assert promises == sorted(promises, reverse=True)


@pytest.mark.parametrize("threshold", ["1/m", "m^-3/5", "R3"])
def test_the_network_shows_the_supremum_and_stays_below_the_bound(
    threshold: str, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = move_the_input(1024, 4, threshold, 1)
    jump, smooth, printed = capsys.readouterr().out.splitlines()
    for line in (jump, smooth):
        supremum, shown = re.findall(r"(?:sup|shown) (\S+?)[,;]", line)
        assert supremum == shown
    tau = {"1/m": scaling.ONE_OVER_M, "m^-3/5": scaling.K_M35, "R3": scaling.R3.tau_rule}[
        threshold
    ].tau(1024, K=1.0, c=scaling.R3.c)
    a, delta = scaling.PRINTED.output_weight(1024), scaling.PRINTED.radius(1024)
    sure = theory.perturbation.certified_change(1024, 4, a, 1 / 1024, delta, tau, "jump")
    assert number(sure.f.total) in jump
    assert number(1 / 1024 + 1024**-0.2) in printed
    assert "jump" in picture.alt and "continuous" in picture.alt


def test_both_labs_can_be_built_around_a_still_picture() -> None:
    still = lay_a_net(64, 1.0, 1.0, 12, 0)
    assert isinstance(net_lab(still), LiveLab)
    assert isinstance(moving_lab(still), LiveLab)
    with pytest.raises(TypeError, match="still"):
        net_lab(None)  # type: ignore[arg-type]


def test_they_refuse_what_they_do_not_know() -> None:
    with pytest.raises(ValueError, match="points"):
        lay_a_net(64, 1.0, 1.0, 1, 0)
    with pytest.raises(ValueError, match="threshold"):
        move_the_input(64, 3, "0", 0)
    with pytest.raises(ValueError, match="m must"):
        move_the_input(1, 3, "R3", 0)
