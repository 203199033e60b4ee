"""The law of a count and the bounds of the tools agree with the exact instances of the lemmas."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.theory import concentration, tails
from sublinear_lib.theory.enclosures import ball


@settings(deadline=None, max_examples=25)
@given(
    m=st.integers(1, 60),
    parts=st.integers(1, 64),
    excess=st.integers(1, 40).map(lambda k: Fraction(k, 4)),
)
def test_bounds_equal_those_of_the_exact_instances(m: int, parts: int, excess: Fraction) -> None:
    p = Fraction(parts, 64)
    mean = m * p
    found = {
        tool: math.exp(tails.log_tail_bound(tool, [float(excess)], m, float(p))[0])
        for tool in tails.TOOLS
    }
    many = [p] * m
    expected = {
        "hoeffding": concentration.hoeffding([1] * m, many, excess),
        "chernoff": concentration.chernoff(many, excess / mean, "upper"),
        "chernoff repaired": concentration.chernoff(many, excess / mean, "upper", "repaired"),
        "bernstein": concentration.bernstein(many, excess),
    }
    for tool in tails.TOOLS:
        assert found[tool] == pytest.approx(float(expected[tool].right), rel=1e-9), tool
    [tail] = tails.log_count_tail([math.ceil(mean + excess)], m, float(p))
    assert math.exp(tail) == pytest.approx(float(expected["chernoff"].left), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("tool", tails.TOOLS)
@pytest.mark.parametrize("failure", [0.3, 1e-3, 1e-12])
@pytest.mark.parametrize(("m", "p"), [(64, 0.4), (4096, 0.01), (2**20, 1e-3)])
def test_the_excess_allowed_is_where_the_bound_meets_the_probability(
    tool: tails.Tool, failure: float, m: int, p: float
) -> None:
    excess = tails.allowed_excess(tool, failure, m, p)
    [bound] = tails.log_tail_bound(tool, [excess], m, p)
    assert bound == pytest.approx(math.log(failure), rel=1e-12)


@pytest.mark.parametrize("failure", [0.5, 1e-3, 1e-12])
@pytest.mark.parametrize(("m", "p"), [(1, 0.5), (64, 0.4), (4096, 0.01), (100, 1.0)])
def test_the_count_allowed_is_the_smallest_one(failure: float, m: int, p: float) -> None:
    k = tails.allowed_count(failure, m, p)
    at_least_next, at_least = np.exp(tails.log_count_tail([k + 1, k], m, p))
    assert at_least_next <= failure < at_least


def test_the_margins_are_the_rate_minus_the_exponents() -> None:
    e = [Fraction(1, 10), Fraction(1, 2), Fraction(9, 5), Fraction(9)]
    for form, exponent in (
        ("printed", lambda x: x * x / 3),
        ("repaired", lambda x: x * x / (2 + x)),
    ):
        margins = [float(concentration.chernoff_margin(ball(v), "upper", form)) for v in e]
        expected = [tails.chernoff_rate([float(v)])[0] - float(exponent(v)) for v in e]
        np.testing.assert_allclose(margins, expected, rtol=1e-12, atol=1e-15)
    [low] = tails.chernoff_rate([-0.5])
    margin = concentration.chernoff_margin(ball(Fraction(1, 2)), "lower")
    assert low - 0.125 == pytest.approx(float(margin), rel=1e-12)
