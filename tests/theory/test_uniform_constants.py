"""The proved constants of Theorems A, B and C, held against the bounds that they are about."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from flint import arb

from sublinear_lib import scaling
from sublinear_lib.theory import flips, uniform_constants, uniform_gap
from sublinear_lib.theory.uniform_constants import constant_suffices

pytestmark = pytest.mark.either_way

SHAPES = {"gap, continuous": "continuous", "gap, jump": "jump"}


def at(*values: float) -> tuple[tuple[arb, arb], ...]:
    """Return the box around a single point."""
    return tuple((arb(value), arb(value)) for value in values)


def draws(number: int, least: float) -> list[tuple[int, int, float, float]]:
    """Draw widths, dimensions, thresholds and radii that the hypotheses allow, half at the edge."""
    rng, found = np.random.default_rng(0), []
    while len(found) < number:
        m, d = 2 ** int(rng.integers(3, 130)), int(2 ** rng.uniform(1.0, 7.0))
        t = rng.choice([rng.uniform(0.0, 2.0), rng.uniform(0.0, 14.0)])
        scale = d * math.log(m)
        smallest = least * scale / (math.sqrt(2.0) * m * scipy.stats.norm.pdf(t))
        largest = min(1.0, 1.0 / t)
        if smallest <= largest:
            edge = rng.random()
            theta = smallest * (largest / smallest) ** (edge if edge < 0.5 else 1.0)
            found.append((m, d, float(t), theta * (1.0 + 1e-12)))
    return found


@pytest.mark.parametrize("part", SHAPES)
def test_the_gap_over_its_size_is_below_the_ratio_at_that_point(part: str) -> None:
    closest = 0.0
    for m, d, t, theta in draws(400, 4.0):
        L, s = math.log(m), scaling.preactivation_std(m)
        spacing = math.sqrt(2.0) * theta * d / (m * math.sqrt(d - 1))
        h = math.sqrt(2.0) * m * scipy.stats.norm.pdf(t) * theta / (d * L)
        if d * L > 650.0:  # the failure would underflow
            continue
        bound = uniform_gap.certified_gap_bound(
            m, d, 1.0, theta * s, t * s, SHAPES[part], math.exp(-d * L), spacing * h
        )
        size = uniform_gap.thin_window_size(m, 1.0, theta * s, t * s, SHAPES[part])
        ratio = uniform_constants._PARTS[part][0](at(1 / L, 1 / d, -math.log(theta) / L))
        assert ratio is not None
        assert bound.value / size <= float(ratio.upper()) * (1.0 + 1e-6)
        closest = max(closest, bound.value / size / float(ratio.upper()))
    assert closest > 0.8  # the ratio is not a bound because it is careless


def counted(m: int, d: int, share: float, slack: float) -> float:
    """Return the count that Chernoff's bound leaves, with failure m^-d over net and rows."""
    log_failure = d * math.log(m)
    tail = math.exp(-log_failure) / (2.0 * m)
    rho = math.sqrt(float(scipy.stats.chi2.isf(tail, d)) / m)
    cost = (d - 1) * math.log1p(math.sqrt(3.0) * rho / slack) + math.log(2.0) + log_failure
    return float(flips._chernoff_quantile(m, min(1.0, share), cost))


def test_counts_of_near_and_active_neurons_are_below_their_ratios() -> None:
    near = active = 0
    for m, d, t, theta in draws(1500, 1.0):
        L = math.log(m)
        if d * L > 650.0 or m > 2**50:
            continue
        u, D, y, s = 1 / L, math.log(d * L) / L, -math.log(theta) / L, math.sqrt(2.0 / m)
        phi, scale = float(scipy.stats.norm.pdf(t)), d * L
        window = theta * (1.0 + u)
        share = float(scipy.stats.norm.cdf(t + window) - scipy.stats.norm.cdf(t - window))
        h = math.sqrt(2.0) * m * phi * theta / scale
        ratio = uniform_constants._near(at(u, D, y, 1 / h))
        assert ratio is not None
        limit = float(ratio.upper()) * (h + 1.0) * scale
        assert counted(m, d, share, u * theta * s) <= limit * (1.0 + 1e-9)
        near += 1
        p = float(scipy.stats.norm.sf(t))
        if m * p < scale:
            continue
        slack = u / (4.0 * max(1.0, t))
        ratio = uniform_constants._active(at(u, D, t))
        assert ratio is not None
        share = float(scipy.stats.norm.sf(t - theta - slack))
        assert counted(m, d, share, slack * s) <= float(ratio.upper()) * m * p * (1.0 + 1e-9)
        active += 1
    assert near > 100 and active > 50


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("part", "proved", "too_small"),
    [
        ("gap, continuous", 2.0, 1.8),
        ("gap, jump", 5.0, 4.9),
        ("near", 4.0, 2.3),
        ("changed", 5.0, 1.0),
    ],
)
def test_a_constant_is_proved_and_a_smaller_one_is_not(
    part: uniform_constants.Part, proved: float, too_small: float
) -> None:
    assert constant_suffices(part, proved)
    assert not constant_suffices(part, too_small)


def test_eight_is_proved_for_active_neurons() -> None:
    assert constant_suffices("active", 8.0)


def test_no_constant_is_proved_that_a_case_contradicts() -> None:
    """The largest ratio of the stated size that a search on the boundary finds."""
    found = 0.0
    for t, d, k in ((12.0, 40, 126), (11.0, 60, 110), (8.0, 30, 66)):
        m, theta = 2**k, 1.0 / t
        s = scaling.preactivation_std(m)
        bound = uniform_gap.certified_gap_bound(m, d, 1.0, theta * s, t * s, "jump", 1e-300)
        found = max(
            found, bound.value / uniform_gap.thin_window_size(m, 1.0, theta * s, t * s, "jump")
        )
    assert not constant_suffices("gap, jump", found)
