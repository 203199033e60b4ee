"""Promises of ``theory.reporting``: the share of neurons that can fire somewhere on X is exact."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special, stats

from sublinear_lib import theory

LEVELS = [-30.0, -3.0, 0.0, 0.7, 1.2815, 2.3263, 4.0, 9.0, 30.0]


@pytest.mark.parametrize("t", LEVELS)
def test_in_dimension_two_the_share_is_a_tail_and_owens_function(t: float) -> None:
    oracle = stats.norm.sf(t) + 2.0 * special.owens_t(t, math.sqrt(3 / 5))
    assert theory.surviving_share(t, 2) == pytest.approx(oracle, rel=1e-12)


@pytest.mark.parametrize("t", LEVELS)
def test_in_dimension_three_the_share_has_a_closed_form(t: float) -> None:
    ridge = math.sqrt(3 / 8) * math.exp(-t * t / 2) * stats.norm.cdf(t * math.sqrt(3 / 5))
    oracle = stats.norm.sf(t * math.sqrt(8 / 5)) + ridge
    assert theory.surviving_share(t, 3) == pytest.approx(oracle, rel=1e-12)


@pytest.mark.parametrize("t", [0.0, 1.5, 3.0])
@pytest.mark.parametrize("d", [2, 5, 16, 65, 400])
def test_the_share_is_an_integral_over_the_length_of_the_weights(t: float, d: int) -> None:
    length = np.linspace(0.0, math.sqrt(d) + 14.0, 400_001)
    rest = stats.norm.sf((t * math.sqrt(2) - math.sqrt(3) / 2 * length) / math.sqrt(5 / 4))
    oracle = np.trapezoid(stats.chi.pdf(length, d - 1) * rest, length)
    assert theory.surviving_share(t, d) == pytest.approx(oracle, rel=1e-7)


def test_in_high_dimension_every_neuron_survives() -> None:
    for d in (10**4, 10**8, 10**15):
        assert theory.surviving_share(3.0, d) == pytest.approx(1.0, abs=1e-12), d
