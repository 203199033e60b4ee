"""Promises of ``theory.gap_parts``: the exact suprema of the parts of f - g, and the law of B."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import integrate, stats

from sublinear_lib.theory import gap_parts
from tests.theory.oracles import ACTIVATIONS, draw, phi, q


@pytest.mark.parametrize("form", ACTIVATIONS)
@pytest.mark.parametrize("delta", [0.5, 3.0, 10.0, 1e4, 1e9])
def test_a_ball_that_reaches_every_neuron_leaves_no_variance_below_zero(
    delta: float, form: str
) -> None:
    for m in range(1, 40):
        for part in gap_parts.part_moments(m, 1.0, delta, 0.0, form):
            assert part.variance >= 0.0 and part.std >= 0.0


def normal_moment(function: Callable[[float], float], t: float, edges: list[float]) -> float:
    return sum(
        integrate.quad(lambda v: function(v) * stats.norm.pdf(t + v), low, high, epsabs=0)[0]
        for low, high in itertools.pairwise(edges)
    )


@pytest.mark.parametrize("form", ACTIVATIONS)
@pytest.mark.parametrize("t", [0.0, 0.1, 1.3])
@pytest.mark.parametrize("theta", [0.05, 0.7, 3.0])
def test_moments_of_the_parts_agree_with_quadrature(form: str, t: float, theta: float) -> None:
    m, a = 300, 0.4
    s = math.sqrt(2 / m)
    base = t if form == "jump" else 0.0
    edges = sorted({-theta, 0.0, theta, max(-theta, -base)})
    laws = gap_parts.part_moments(m, a, theta * s, t * s, form)
    for law, size in zip(laws, (lambda v: theta, lambda v: abs(base + v)), strict=True):
        first = normal_moment(size, t, edges)
        second = normal_moment(lambda v: size(v) ** 2, t, edges)  # noqa: B023
        assert law.mean == pytest.approx(a * m * s * first / 2, rel=1e-7)
        assert law.variance == pytest.approx(a**2 * m * s**2 * (second - first**2) / 4, rel=1e-6)


@pytest.mark.parametrize("form", ACTIVATIONS)
@pytest.mark.parametrize("t", [0.0, 1.0, 2.5])
def test_b_has_the_stated_spread_and_obeys_the_bound_on_its_tail(form: str, t: float) -> None:
    m, draws, a = 64, 40_000, 0.5
    z, signs = draw(m, 1, draws)
    tau = t * math.sqrt(2 / m)
    kept = np.where(z > tau, z - (tau if form == "continuous" else 0.0), 0.0)
    values = a * (kept * signs).sum(axis=1)
    std = gap_parts.initial_output_std(m, a, tau, form)
    square = q(t) + t * phi(t) if form == "jump" else (1 + t * t) * q(t) - t * phi(t)
    assert std == pytest.approx(a * math.sqrt(2 * square), rel=1e-9)
    squares = values**2
    assert abs(squares.mean() - std**2) < 4 * squares.std() / math.sqrt(draws)
    for times in (1.0, 2.0, 3.0):
        limit = math.exp(gap_parts.log_initial_output_tail(times * std, m, a, tau, form))
        count = np.count_nonzero(np.abs(values) >= times * std)
        assert stats.binom.sf(count - 1, draws, limit) > 1e-4
        assert limit <= 1.0


def test_a_level_that_is_reached_for_certain_has_no_bound_below_one() -> None:
    assert gap_parts.log_initial_output_tail(1e-9, 100, 1.0, 0.0) == 0.0


@pytest.mark.parametrize("form", ACTIVATIONS)
@pytest.mark.parametrize(("t", "theta"), [(0.0, 0.3), (1.0, 0.2), (2.0, 3.0)])
def test_weights_that_move_together_leave_a_gap_of_the_stated_spread(
    form: str, t: float, theta: float
) -> None:
    m, draws, a = 64, 40_000, 0.5
    s = math.sqrt(2 / m)
    z, signs = draw(m, 2, draws)
    tau, delta = t * s, theta * s
    shift = tau if form == "continuous" else 0.0
    f = (signs * np.where(z + delta > tau, z + delta - shift, 0.0)).sum(axis=1)
    g = (signs * np.where(z > tau, delta, 0.0)).sum(axis=1)
    start = (signs * np.where(z > tau, z - shift, 0.0)).sum(axis=1)
    squares = (a * (f - g - start)) ** 2
    expected = gap_parts.oblivious_gap_std(m, a, delta, tau, form) ** 2
    assert abs(squares.mean() - expected) < 4 * squares.std() / math.sqrt(draws)
    assert 4 * squares.std() / math.sqrt(draws) < 0.1 * expected
