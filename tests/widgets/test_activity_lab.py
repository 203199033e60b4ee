"""Promises of the labs of the chapter on active neurons: they count, and refuse bad values."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from scipy import stats

from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.plotting import percent
from sublinear_lib.widgets import (
    grow_and_count,
)


def numbers(text: str) -> list[float]:
    joined = re.sub(r"(?<=\d)\N{NARROW NO-BREAK SPACE}(?=\d)", "", text)
    return [float(found) for found in re.findall(r"[-+]?\d+(?:\.\d+)?", joined)]


def test_growth_prints_counted_shares_and_a_slope_around_the_closed_form(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = grow_and_count("c", 1.0, 0.2, 2**14, 8)
    first, second = capsys.readouterr().out.splitlines()
    m, t = 2**14, math.sqrt(0.4 * math.log(2**14))
    closed = stats.norm.sf(t)
    assert f"Q(t) = {percent(closed)}" in first
    active = 0
    for seed in range(8):
        network = TwoLayerNetwork.initialize(m, 3, rng=np.random.default_rng([seed, m]))
        z = network.preactivations([[3**0.5 / 2, 0.0, 0.5]])[0]
        active += int(np.count_nonzero(z > t * math.sqrt(2 / m)))
    assert f"drawn {percent(active / (8 * m))}" in first
    estimate, low, high, exact = numbers(second)[:3] + numbers(second)[-1:]
    assert low <= estimate <= high
    assert low < exact < high < 0
    assert "Sampled networks" in shown.alt and "printed" not in shown.alt


def test_growth_shows_the_printed_bound_where_it_belongs_and_survives_silence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "printed" in grow_and_count("K/m^{3/5}", 1.0, 0.2, 2**12, 3).alt
    capsys.readouterr()
    grow_and_count("c", 1.0, 1.0, 2**12, 3)
    assert "nobody fires" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: grow_and_count("zero", 1.0, 0.2, 2**12, 3), "rule"),
        (lambda: grow_and_count("c", 0.0, 0.2, 2**12, 3), "K"),
        (lambda: grow_and_count("c", 1.0, 1.2, 2**12, 3), "c"),
        (lambda: grow_and_count("c", 1.0, 0.2, 2**11, 3), "largest"),
        (lambda: grow_and_count("c", 1.0, 0.2, 2**12, 2), "networks"),
    ],
)
def test_bad_values_are_named(call: object, word: str) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"\b{word}\b"):
        call()  # type: ignore[operator]
