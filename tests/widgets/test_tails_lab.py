"""Promises of the labs of the toolbox: what they print is counted, bounded and known in law."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from scipy import stats

from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import PAGE_HTML, Picture, figure
from sublinear_lib.theory import tails
from sublinear_lib.widgets import (
    LiveLab,
    add_with_signs,
    count_in_window,
    signs_lab,
    window_lab,
)

STILL = Picture(figure(), alt="An empty figure for a test.", name="still")
X = np.array([[math.sqrt(0.75), 0.0, 0.5]])


def numbers(text: str) -> list[float]:
    joined = re.sub(r"(?<=\d)\N{NARROW NO-BREAK SPACE}(?=\d)", "", text)
    return [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?", joined)]


def test_the_counts_are_those_of_the_networks_and_the_law_is_binomial(
    capsys: pytest.CaptureFixture[str],
) -> None:
    count_in_window(m=256, t=1.0, window="m^{-3/5}", networks=60, seed=4)
    first, second, *allowed = capsys.readouterr().out.splitlines()
    rng, tau, eta = np.random.default_rng(4), math.sqrt(2 / 256), 256**-0.6
    found = []
    for _ in range(60):
        z = TwoLayerNetwork.initialize(256, 3, rng=rng, tau=tau).preactivations(X)[0]
        found.append(int(np.count_nonzero(np.abs(z - tau) <= eta)))
    theta = eta / tau
    p = float(stats.norm.cdf(1 + theta) - stats.norm.cdf(1 - theta))
    shares = numbers(first)
    assert shares[0] == pytest.approx(15.9, abs=0.05)
    assert shares[1:] == pytest.approx([100 * p, 256 * p, np.mean(found)], rel=0.005)
    quantile = int(stats.binom.isf(1e-3, 256, p))
    assert numbers(second)[0] == quantile
    assert numbers(second)[2:] == [sum(each > quantile for each in found), 60]
    expected = [math.floor(256 * p + tails.allowed_excess(t, 1e-3, 256, p)) for t in tails.TOOLS]
    assert [numbers(line)[-1] for line in allowed] == expected
    assert expected[0] >= quantile and min(expected[2:]) >= quantile


@pytest.mark.parametrize("window", ["1/m", "2m^{-1/2}"])
@pytest.mark.parametrize(("m", "t"), [(64, 3.0), (64, 0.0), (4096, 0.0)])
def test_every_corner_of_the_controls_can_be_drawn(m: int, t: float, window: str) -> None:
    assert "the exact probability is" in count_in_window(m, t, window, 10, 0).alt


def test_random_signs_make_the_output_fall_and_equal_signs_make_it_grow(
    capsys: pytest.CaptureFixture[str],
) -> None:
    add_with_signs(m=4096, t=0.0, activation="jump", seed=0)
    size, signed, plain, reached = capsys.readouterr().out.splitlines()
    # E sigma(z)^2 = 1/m at tau = 0, so B has the variance m * m^(-2/5) / m.
    assert numbers(size)[-1] == pytest.approx(4096**-0.2, rel=0.01)
    assert numbers(signed)[1] <= -0.2 <= numbers(signed)[2]
    assert numbers(plain)[1] <= 0.3 <= numbers(plain)[2]
    assert numbers(reached)[-1] <= 1.0
    assert numbers(signed)[2] < 0 < numbers(plain)[1]


def test_the_size_at_a_threshold_is_that_of_the_truncated_second_moment(
    capsys: pytest.CaptureFixture[str],
) -> None:
    add_with_signs(m=4096, t=1.0, activation="continuous", seed=3)
    size = numbers(capsys.readouterr().out.splitlines()[0])
    law = 4096**0.3 * math.sqrt(2 / 4096) * math.sqrt(2 * stats.norm.sf(1.0) - stats.norm.pdf(1.0))
    assert size[-1] == pytest.approx(law, rel=0.01)
    assert size[-2] == pytest.approx(law, rel=4 / math.sqrt(200))


@pytest.mark.parametrize("build", [window_lab, signs_lab])
def test_each_lab_shows_its_still(build: object) -> None:
    lab = build(STILL)  # type: ignore[operator]
    assert isinstance(lab, LiveLab)
    assert "An empty figure for a test." in lab._repr_mimebundle_()[0][PAGE_HTML]
    with pytest.raises(TypeError, match="still"):
        build("picture")  # type: ignore[operator]


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: count_in_window(32, 0.0, "1/m", 10, 0), "m"),
        (lambda: count_in_window(64, -1.0, "1/m", 10, 0), "t"),
        (lambda: count_in_window(64, 0.0, "m", 10, 0), "window"),
        (lambda: count_in_window(64, 0.0, "1/m", 9, 0), "networks"),
        (lambda: count_in_window(64, 0.0, "1/m", 10, -1), "seed"),
        (lambda: add_with_signs(1024, 0.0, "jump", 0), "m"),
        (lambda: add_with_signs(4096, 2.5, "jump", 0), "t"),
        (lambda: add_with_signs(4096, 0.0, "relu", 0), "activation"),
        (lambda: add_with_signs(4096, 0.0, "jump", -1), "seed"),
    ],
)
def test_bad_values_are_named(call: object, word: str) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"\b{word}\b"):
        call()  # type: ignore[operator]
