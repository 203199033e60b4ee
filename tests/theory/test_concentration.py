"""The tools of the proofs: exact probabilities, printed bounds, true verdicts, tails of counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sublinear_lib.theory import concentration, tails
from sublinear_lib.theory.enclosures import Inequality, ball

MODEST = settings(max_examples=40, deadline=None)
POSITIVE = st.fractions(min_value=Fraction(1, 50), max_value=6, max_denominator=50)
SHARES = st.fractions(min_value=Fraction(1, 20), max_value=Fraction(19, 20), max_denominator=20)


def agree(found: Inequality, probability: float, bound: float) -> None:
    """Compare both sides with floats that were computed elsewhere."""
    assert float(found.left) == pytest.approx(probability, rel=1e-9, abs=1e-300)
    assert float(found.right) == pytest.approx(bound, rel=1e-12)


def by_enumeration(
    values: list[Fraction], p: list[Fraction], event: Callable[[Fraction], bool]
) -> Fraction:
    """Probability of an event of sum_i values[i] B_i, over all outcomes: an oracle for small n."""
    total = Fraction(0)
    for outcome in product((0, 1), repeat=len(p)):
        weight = math.prod(q if hit else 1 - q for q, hit in zip(p, outcome, strict=True))
        if event(sum((v * hit for v, hit in zip(values, outcome, strict=True)), Fraction(0))):
            total += weight
    return total


# A.3


@MODEST
@given(POSITIVE, POSITIVE)
def test_both_halves_of_li_shao_hold_and_are_what_they_say(eta: Fraction, tau: Fraction) -> None:
    lower = concentration.li_shao(eta, tau, "lower")
    upper = concentration.li_shao(eta, tau, "upper")
    e, t = float(eta), float(tau)
    # stats.norm.sf keeps its relative accuracy where the window is far out
    window = stats.norm.sf(e - t) - stats.norm.sf(e + t)
    centered = math.erf(t / math.sqrt(2))
    assert float(lower.left) == pytest.approx(window, rel=1e-7)
    agree(upper, float(lower.left), centered)
    assert float(lower.right) == pytest.approx(math.exp(-e * e / 2) * centered, rel=1e-12)
    assert (lower.relation, upper.relation) == (">=", "<=")
    assert lower.holds and upper.holds


# A.5


@MODEST
@given(POSITIVE)
def test_the_upper_half_of_the_wedge_holds_and_the_lower_half_below_the_crossing(
    u: Fraction,
) -> None:
    lower, upper = (concentration.gaussian_wedge(u, side) for side in ("lower", "upper"))
    agree(lower, math.erf(float(u) / math.sqrt(2)), float(u) * 2 / 3)
    agree(upper, math.erf(float(u) / math.sqrt(2)), float(u) * 4 / 5)
    assert (lower.relation, upper.relation) == (">=", "<=")
    assert upper.holds
    assert lower.holds == (u <= concentration.gaussian_wedge_crossing().lower)
    for one, side, sign in ((lower, "lower", 1), (upper, "upper", -1)):
        margin = float(concentration.gaussian_wedge_margin(ball(u), side))
        assert margin == pytest.approx(sign * (float(one.left) - float(one.right)), abs=1e-12)


def test_the_crossing_of_the_wedge_is_between_its_ends() -> None:
    crossing = concentration.gaussian_wedge_crossing()
    assert concentration.gaussian_wedge(crossing.lower, "lower").holds
    assert not concentration.gaussian_wedge(crossing.upper, "lower").holds
    assert crossing.width <= Fraction(1, 2**60)
    assert Fraction(10793572, 10**7) < crossing.lower < Fraction(10793573, 10**7)


# A.6


@MODEST
@given(
    st.lists(
        st.tuples(st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(3)]), SHARES),
        min_size=1,
        max_size=6,
    ),
    POSITIVE,
)
def test_hoeffding_holds_with_the_exact_probability(
    terms: list[tuple[Fraction, Fraction]], eta: Fraction
) -> None:
    ranges, p = (list(part) for part in zip(*terms, strict=True))
    mean = sum(r * q for r, q in terms)
    found = concentration.hoeffding(ranges, p, eta)
    exact = by_enumeration(ranges, p, lambda u: abs(u - mean) >= eta)
    assert found.left.lower == found.left.upper == exact
    bound = 2 * math.exp(-2 * float(eta) ** 2 / sum(float(r) ** 2 for r in ranges))
    assert float(found.right) == pytest.approx(bound, rel=1e-12)
    assert found.holds


# A.7


@pytest.mark.parametrize("n", [1, 2, 7, 100])
@pytest.mark.parametrize("t", [Fraction(1, 100), Fraction(1, 5), 1, 5, 30])
def test_both_tails_of_chi_square_hold(n: int, t: Fraction) -> None:
    level, root = float(t), 2 * math.sqrt(n * t)
    upper = concentration.chi_square(n, t, "upper")
    agree(upper, stats.chi2.sf(n + root + 2 * level, n), math.exp(-level))
    lower = concentration.chi_square(n, t, "lower")
    agree(lower, stats.chi2.cdf(n - root, n), math.exp(-level))
    assert upper.holds and lower.holds
    assert (lower.left.upper == 0) == (4 * t >= n)


# C.9, C.19: the tail of the norm


@pytest.mark.parametrize(("m", "d", "level"), [(64, 4, 4), (50, 16, Fraction(3, 2)), (5, 2, 1)])
def test_the_tail_of_a_weight_norm_is_that_of_chi_square(m: int, d: int, level: Fraction) -> None:
    found = concentration.weight_norm(m, d, level, Fraction(1, 100))
    agree(found, stats.chi2.sf(float(level) * m, d), math.exp(-m * m / d / 100))


# A.8


@MODEST
@given(st.lists(SHARES, min_size=1, max_size=7), st.fractions(Fraction(1, 20), 4), SHARES)
def test_chernoff_compares_the_exact_tails_with_the_three_bounds(
    p: list[Fraction], above: Fraction, below: Fraction
) -> None:
    ones, mu = [Fraction(1)] * len(p), sum(p)
    upper = by_enumeration(ones, p, lambda y: y >= mu * (1 + above))
    lower = by_enumeration(ones, p, lambda y: y <= mu * (1 - below))
    printed = concentration.chernoff(p, above, "upper")
    repaired = concentration.chernoff(p, above, "upper", "repaired")
    under = concentration.chernoff(p, below, "lower")
    assert printed.left.lower == repaired.left.upper == upper
    assert under.left.lower == under.left.upper == lower
    e, f, mean = float(above), float(below), float(mu)
    assert float(printed.right) == pytest.approx(math.exp(-e * e * mean / 3), rel=1e-12)
    assert float(repaired.right) == pytest.approx(math.exp(-e * e * mean / (2 + e)), rel=1e-12)
    assert float(under.right) == pytest.approx(math.exp(-f * f * mean / 2), rel=1e-12)
    assert repaired.holds and under.holds
    if above <= concentration.chernoff_crossing().lower:
        assert printed.holds


def test_the_crossing_of_chernoff_is_between_its_ends() -> None:
    crossing = concentration.chernoff_crossing()
    assert Fraction(18169605, 10**7) < crossing.lower < Fraction(18169606, 10**7)
    assert crossing.width <= Fraction(1, 2**60)
    for eps, sign in ((float(crossing.lower) - 1e-6, 1), (float(crossing.upper) + 1e-6, -1)):
        assert sign * ((1 + eps) * math.log(1 + eps) - eps - eps**2 / 3) > 0


# A.9


@MODEST
@given(st.lists(SHARES, min_size=1, max_size=7), st.fractions(Fraction(1, 20), 4))
def test_bernstein_holds_with_the_exact_probability(p: list[Fraction], eta: Fraction) -> None:
    mean = sum(p)
    found = concentration.bernstein(p, eta)
    exact = by_enumeration([Fraction(1)] * len(p), p, lambda u: u - mean > eta)
    assert found.left.lower == found.left.upper == exact
    variance = sum(float(q * (1 - q)) for q in p)
    largest = max(float(max(q, 1 - q)) for q in p)
    bound = math.exp(-(float(eta) ** 2) / 2 / (variance + largest * float(eta) / 3))
    assert float(found.right) == pytest.approx(bound, rel=1e-12)
    assert found.holds


# A.10


@MODEST
@given(POSITIVE, st.fractions(-4, 4, max_denominator=50))
def test_a_window_of_the_pre_activation_has_at_most_its_share(eta: Fraction, tau: Fraction) -> None:
    found = concentration.near_threshold(eta, tau)
    law = stats.norm(scale=math.sqrt(2))
    e, t = float(eta), abs(float(tau))
    assert float(found.left) == pytest.approx(law.sf(t - e) - law.sf(t + e), rel=1e-7)
    assert float(found.right) == pytest.approx(e / math.sqrt(math.pi), rel=1e-12)
    assert found.holds


# B.2


@pytest.mark.parametrize("t", [Fraction(1, 100), 1, 4, 20])
@pytest.mark.parametrize("side", ["upper", "lower"])
@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("linear", [False, True])
def test_every_reading_of_laurent_massart_is_what_it_says(
    t: Fraction, side: str, squared: bool, linear: bool
) -> None:
    n, weight = 5, Fraction(3, 2)
    found = concentration.laurent_massart(
        [weight] * n, t, side, squared_norm=squared, linear_term=linear
    )
    w, level = float(weight), float(t)
    norm = math.sqrt(n) * w
    away = 2 * (norm**2 if squared else norm) * math.sqrt(level)
    if side == "upper":
        at = n * w + away + 2 * w * (level if linear else 1)
        agree(found, stats.chi2.sf(at / w, n), math.exp(-level))
    else:
        agree(found, stats.chi2.cdf((n * w - away) / w, n), math.exp(-level))


@MODEST
@given(
    st.lists(st.integers(1, 12), min_size=1, max_size=5, unique=True),
    st.fractions(Fraction(1, 50), 12),
)
def test_laurent_massart_holds_for_pairs_of_weights(values: list[int], t: Fraction) -> None:
    weights = [Fraction(v, 4) for v in values for _ in range(2)]
    upper = concentration.laurent_massart(weights, t)
    lower = concentration.laurent_massart(weights, t, "lower")
    assert upper.holds and lower.holds
    assert float(upper.right) == float(lower.right) == pytest.approx(math.exp(-float(t)), rel=1e-12)


def test_two_terms_of_the_pair_formula_are_the_hypoexponential_law() -> None:
    # 4 E_1 + 2 E_2 with exponentials: Pr[.. >= y] = 2 exp(-y/4) - exp(-y/2)
    weights, t = [2, 2, 1, 1], Fraction(9, 10)
    y = 6 + 2 * math.sqrt(10 * 0.9) + 4 * 0.9
    found = concentration.laurent_massart(weights, t)
    agree(found, 2 * math.exp(-y / 4) - math.exp(-y / 2), math.exp(-0.9))


@MODEST
@given(st.fractions(Fraction(1, 100), Fraction(49, 100), max_denominator=100))
def test_the_moment_margins_of_laurent_massart_are_what_they_say(l: Fraction) -> None:  # noqa: E741
    x = float(l)
    upper = x * x / (1 - 2 * x) + x + math.log(1 - 2 * x) / 2
    lower = x * x - x + math.log(1 + 2 * x) / 2
    found = [concentration.laurent_massart_margin(ball(l), side) for side in ("upper", "lower")]
    assert [float(each) for each in found] == pytest.approx([upper, lower], rel=1e-9, abs=1e-12)
    assert all(each > 0 for each in found)


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
