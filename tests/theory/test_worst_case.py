"""The gap of f and g: exact suprema, maximizers, moments, parts, and the price of the jump."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from sublinear_lib import geometry, scaling
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.theory import gap_parts, jump, worst_case
from tests.theory.oracles import ACTIVATIONS, draw, phi, q

HALF = math.sqrt(3.0) / 2.0


# --- the suprema, against a search in exact arithmetic ---


def term(z: Fraction, u: Fraction, tau: Fraction, activation: str) -> Fraction:
    """The term of f - g of a neuron with a_r = 1 that moves by u, from the definitions."""
    value = Fraction(0)
    if z + u > tau:
        value = z + u if activation == "jump" else z + u - tau
    return value - (u if z > tau else 0)


def parts(z: Fraction, u: Fraction, tau: Fraction, activation: str) -> tuple[Fraction, Fraction]:
    """What such a neuron contributes to A - g and to C, from Definition C.4."""
    change = int(z + u > tau) - int(z > tau)
    return u * change, (z - (tau if activation == "continuous" else 0)) * change


# All quantities are multiples of 1/16; the grid of moves contains every point at which the term
# can be largest or smallest, and points to the right of every discontinuity.
SIXTEENTHS = st.integers(-40, 40).map(lambda k: Fraction(k, 16))


@settings(deadline=None, max_examples=150)
@given(
    z=st.lists(SIXTEENTHS, min_size=1, max_size=4),
    delta=st.integers(0, 24).map(lambda k: Fraction(k, 16)),
    tau=st.integers(0, 24).map(lambda k: Fraction(k, 16)),
    activation=st.sampled_from(ACTIVATIONS),
    data=st.data(),
)
def test_suprema_are_those_of_an_exact_search(
    z: list[Fraction], delta: Fraction, tau: Fraction, activation: str, data: st.DataObject
) -> None:
    a = [Fraction(data.draw(st.integers(-3, 3)), 4) for _ in z]
    moves = [Fraction(k, 64) for k in range(-int(delta * 64), int(delta * 64) + 1)]
    above = below = largest_g = half = movable = Fraction(0)
    flips, ends = 0, [Fraction(0)] * 4
    for zr, ar in zip(z, a, strict=True):
        values = [term(zr, u, tau, activation) for u in moves]
        above += max(ar * v for v in values)
        below += max(-ar * v for v in values)
        half += abs(ar) * (max(values) - min(values)) / 2
        largest_g += max(ar * u * (zr > tau) for u in moves)
        can_flip = any((zr + u > tau) != (zr > tau) for u in moves)
        flips, movable = flips + can_flip, movable + can_flip * abs(ar)
        now = term(zr, Fraction(0), tau, activation)
        rise, fall = worst_case.gap_terms([float(zr)], float(delta), float(tau), activation)
        assert (rise[0], fall[0]) == (max(values) - now, now - min(values))
        for k, sign in enumerate((1, -1, 1, -1)):
            ends[k] += max(sign * ar * parts(zr, u, tau, activation)[k // 2] for u in moves)
    numbers = [float(v) for v in z], [float(v) for v in a], float(delta), float(tau), activation
    part = gap_parts.worst_parts(*numbers)
    assert [part.move_above, part.move_below, part.state_above, part.state_below] == ends
    assert (part.move_half_width, part.state_half_width) == (sum(ends[:2]) / 2, sum(ends[2:]) / 2)
    assert (part.largest_move, part.largest_state) == (max(ends[:2]), max(ends[2:]))
    gap = worst_case.worst_gap(*numbers)
    start = sum(ar * term(zr, Fraction(0), tau, activation) for zr, ar in zip(z, a, strict=True))
    found = (gap.above, gap.below, gap.half_width, gap.largest_g, gap.initial_output)
    assert found == (above, below, half, largest_g, start)
    assert (gap.can_flip, gap.active) == (flips, sum(v > tau for v in z))
    assert gap.largest_centered == max(above - start, below + start)
    assert gap.largest == max(above, below) >= half
    if activation == "jump":
        assert jump.jump_half_width_bound(*numbers[:4]) == tau / 2 * movable <= half


# --- the maximizers ---


@settings(deadline=None, max_examples=60)
@given(
    m=st.integers(1, 400),
    d=st.integers(2, 6),
    seed=st.integers(0, 10**6),
    t=st.sampled_from([0.0, 0.1, 1.0, 2.0]),
    theta=st.floats(0.0, 3.0),
    activation=st.sampled_from(ACTIVATIONS),
    side=st.sampled_from(["above", "below"]),
)
def test_the_witness_lies_in_the_ball_and_attains_the_supremum(
    m: int,
    d: int,
    seed: int,
    t: float,
    theta: float,
    activation: str,
    side: worst_case.Side,
) -> None:
    tau, delta = t * math.sqrt(2 / m), theta * math.sqrt(2 / m)
    start = TwoLayerNetwork.initialize(m, d, rng=seed, tau=tau, activation=activation)
    x = geometry.sample_slice(1, d, 0)[0]
    worst = worst_case.worst_weights(start, x, delta, side)
    expected = worst_case.worst_gap_at(start, x, delta)
    assert worst.supremum == (expected.above if side == "above" else expected.below)
    assert abs(worst.gap - worst.supremum) < 1e-9 * (1 + m**0.5)
    assert worst.attained
    assert worst.tolerance < 1e-9 * (1 + m**0.5)
    for now, before in zip(worst.W.tolist(), start.W.tolist(), strict=True):
        squares = sum((Fraction(u) - Fraction(v)) ** 2 for u, v in zip(now, before, strict=True))
        assert math.sqrt(squares) <= delta * (1 + 1e-12) + 1e-15, "outside the ball"


def test_parked_neurons_are_silent_just_below_the_threshold() -> None:
    m = 4096
    tau = math.sqrt(2 / m)
    start = TwoLayerNetwork.initialize(m, 3, rng=5, tau=tau)
    x = geometry.sample_slice(1, 3, 0)[0]
    delta = 0.3 * tau
    worst = worst_case.worst_weights(start, x, delta)
    z = start.preactivations(x[None, :])[0]
    falls = (start.a < 0) & (z > tau) & (z <= tau + delta)
    assert np.count_nonzero(falls) > 50
    now = start.with_weights(worst.W)
    assert not now.active_mask(x[None, :])[0][falls].any()
    assert np.abs(now.preactivations(x[None, :])[0][falls] - tau).max() < 1e-12
    still = worst_case.worst_weights(start, x, 0.0)
    assert still.gap == pytest.approx(still.supremum, abs=1e-12)
    assert np.array_equal(still.W, start.W)


def test_a_neuron_on_the_edge_of_the_ball_is_covered_by_the_tolerance() -> None:
    # <w, x> + b - tau equals delta up to rounding: whether it can fall silent is a coin toss.
    delta, tau = 0.1, 0.7
    x = geometry.sample_slice(1, 2, 0)[0]
    start = TwoLayerNetwork([[0.8 / x[0], 0.0]], [-1.0], [0.0], tau)
    worst = worst_case.worst_weights(start, x, delta)
    assert worst.tolerance == pytest.approx(tau + 2 * delta, rel=1e-9)
    assert worst.attained


@pytest.mark.parametrize(("m", "d", "scale"), [(1, 500, 1.0), (2000, 2, 1e6)])
def test_the_tolerance_covers_sums_of_m_terms_of_d_products_and_little_more(
    m: int, d: int, scale: float
) -> None:
    rng = np.random.default_rng(d)
    W, a, b = scale * rng.standard_normal((m, d)), rng.standard_normal(m), rng.standard_normal(m)
    tau, delta = 0.5, 0.1
    worst = worst_case.worst_weights(
        TwoLayerNetwork(W, a, b, tau), geometry.sample_slice(1, d, 0)[0], delta
    )
    size = np.linalg.norm(W, axis=1) + np.abs(b) + tau + delta
    # One rounding per product and per sum, each half a unit in the last place: 2^-53.
    rounding = (m + d) * 2.0**-53 * float(np.abs(a) @ size)
    assert rounding < worst.tolerance < 40 * rounding
    assert worst.attained


# --- the moments ---


def normal_moment(function: Callable[[float], float], t: float, edges: list[float]) -> float:
    return sum(
        integrate.quad(
            lambda v: function(v) * stats.norm.pdf(t + v), low, high, epsabs=0, epsrel=1e-11
        )[0]
        for low, high in itertools.pairwise(edges)
    )


def oracle_moments(t: float, theta: float, activation: str) -> tuple[float, float]:
    """E and E of the square of U + V in standard units, by adaptive quadrature of a search."""

    def width(v: float) -> float:
        z = t + v
        ends = [-theta, 0.0, theta] + ([-v] if abs(v) <= theta else [])
        values = []
        for u in ends:
            fires = u > -v
            active = z + u if activation == "jump" else v + u
            values.append((active if fires else 0.0) - (u if v > 0 else 0.0))
        return max(values) - min(values)

    edges = sorted({-theta, 0.0, theta, *([theta - t] if 0 < t < theta else [])})
    return normal_moment(width, t, edges), normal_moment(lambda v: width(v) ** 2, t, edges)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("m", [2**8, 2**20])
@pytest.mark.parametrize("radius", [0.0, 0.05, 1.0, 4.0])
def test_moments_agree_with_quadrature_for_every_threshold_rule(
    activation: str, m: int, radius: float
) -> None:
    a, delta = m**-0.2, radius * m**-0.6
    std = math.sqrt(2 / m)
    for key, rule in scaling.TAU_RULES.items():
        tau = rule.tau(m)
        law = worst_case.half_width_moments(m, a, delta, tau, activation)
        first, second = oracle_moments(tau / std, delta / std, activation)
        mean = a * m * std * first / 2
        variance = a**2 * m * std**2 * (second - first**2) / 4
        assert law.mean == pytest.approx(mean, rel=1e-8), key
        assert law.variance == pytest.approx(variance, rel=1e-8), key
        assert law.std == pytest.approx(math.sqrt(variance), rel=1e-8), key


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("t", [0.0, 0.7, 7.0])
@pytest.mark.parametrize("ratio", [0.0, 0.4, 1.0, 3.0])
@pytest.mark.parametrize("theta", [1e-6, 1e-12, 1e-20, 1e-40])
def test_leading_term_is_the_limit_of_windows_even_thinner_than_rounding(
    activation: str, t: float, ratio: float, theta: float
) -> None:
    m, a, delta = 1000, 0.5, theta * math.sqrt(2 / 1000)
    tau = t * math.sqrt(2 / m) if t else ratio * delta
    law = worst_case.half_width_moments(m, a, delta, tau, activation)
    lead = worst_case.half_width_leading_term(m, a, delta, tau, activation)
    assert law.mean == pytest.approx(lead, rel=max(10 * theta, 1e-10))


def test_exactly_decided_activity_overrules_the_rounded_comparison() -> None:
    decided = worst_case.worst_gap([0.5], [1.0], 0.25, 0.5, "jump", active=[True])
    assert (decided.above, decided.below, decided.half_width) == (0.5, 0.0, 0.25)
    rounded = worst_case.worst_gap([0.5], [1.0], 0.25, 0.5, "jump")
    assert (rounded.above, rounded.below, rounded.half_width) == (0.75, 0.0, 0.375)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_half_width_is_rarely_below_a_share_of_its_mean(activation: str) -> None:
    # The lower tail of a sum of nonnegative terms: (1 - share)^2 mean^2 over twice m E of a square.
    m, a, delta, tau = 64, 0.4, 0.1, 0.05
    std = math.sqrt(2 / m)
    first, second = oracle_moments(tau / std, delta / std, activation)
    for share in (0.9, 0.5):
        found = worst_case.log_half_width_below(share, m, a, delta, tau, activation)
        assert found == pytest.approx(-m * ((1 - share) * first) ** 2 / (2 * second), rel=1e-7)
    assert worst_case.log_half_width_below(1.0, m, a, delta, tau, activation) == 0.0


@pytest.mark.parametrize("form", ACTIVATIONS)
@pytest.mark.parametrize("delta", [0.5, 3.0, 10.0, 1e4, 1e9])
def test_a_ball_that_reaches_every_neuron_leaves_no_variance_below_zero(
    delta: float, form: str
) -> None:
    for m in range(1, 40):
        for part in gap_parts.part_moments(m, 1.0, delta, 0.0, form):
            assert part.variance >= 0.0 and part.std >= 0.0


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


LEVELS = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0]


# --- the inverse Mills ratio ---


@pytest.mark.parametrize("t", [0.0, 1e-3, 0.3, 1.0, 4.0, 12.0])
def test_inverse_mills_is_density_over_tail(t: float) -> None:
    assert jump.inverse_mills(t) == pytest.approx(phi(t) / q(t), rel=1e-12)


@pytest.mark.parametrize("t", [30, 1000, 10**6, 10**8])
def test_inverse_mills_follows_its_continued_fraction_where_density_and_tail_underflow(
    t: int,
) -> None:
    value = Fraction(t)  # phi/Q = t + 1/(t + 2/(t + 3/(t + ...)))
    for k in range(40, 0, -1):
        value = Fraction((t + k / value).limit_denominator(10**60))
    assert jump.inverse_mills(float(t)) == pytest.approx(float(value), rel=1e-14)
    # The digits behind t too: phi/Q - t = 1/t (1 + o(1)), where they are not rounded away.
    if t <= 1000:
        assert jump.inverse_mills(float(t)) - t == pytest.approx(float(value - t), rel=1e-6)


# --- Proposition 2, first half ---


@pytest.mark.parametrize("t", LEVELS)
@pytest.mark.parametrize("theta", [0.05, 0.5, 2.0])
def test_price_is_the_ratio_of_the_exact_means(t: float, theta: float) -> None:
    exact = t * (q(t - theta) - q(t + theta)) / (2 * theta * q(t))
    assert jump.jump_price(t, theta) == pytest.approx(exact, rel=1e-11)
    assert jump.jump_price(t, theta) <= jump.half_width_over_g(t, theta)


@pytest.mark.parametrize("t", [*LEVELS, 40.0, 1e5])
def test_price_of_a_thin_window_is_the_limit_and_at_least_the_square(t: float) -> None:
    assert jump.jump_price(t) == pytest.approx(t * jump.inverse_mills(t), rel=1e-14)
    assert jump.jump_price(t) >= t * t
    thin = 1e-7 / (1 + t)
    assert jump.jump_price(t, thin) == pytest.approx(jump.jump_price(t), rel=1e-6)


# --- Proposition 2, second half ---


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("t", [*LEVELS, 10.0, 1000.0])
@pytest.mark.parametrize("theta", [1e-3, 0.1, 1.0, 3.0, 10.0])
def test_no_threshold_beats_the_price_of_the_ball(t: float, theta: float, activation: str) -> None:
    assert jump.half_width_over_g(t, theta, activation) >= jump.ball_price(theta)


def test_price_of_the_ball_is_a_normal_probability() -> None:
    for theta in (0.0, 0.1, 1.0, 5.0):
        exact = (1 - 2 * stats.norm.sf(theta / 2)) / 4
        assert jump.ball_price(theta) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("t", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("theta", [0.3, 2.0])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_half_width_over_g_is_the_quotient_of_the_two_means(
    t: float, theta: float, activation: str
) -> None:
    m, a = 500, 0.3
    s = math.sqrt(2 / m)
    law = worst_case.half_width_moments(m, a, theta * s, t * s, activation)
    quotient = law.mean / (a * theta * s * m * q(t))
    assert jump.half_width_over_g(t, theta, activation) == pytest.approx(quotient, rel=1e-12)


@pytest.mark.parametrize("t", [0.0, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("travel", [1e-3, 0.3, 2.0, 20.0])
def test_ratio_on_a_longer_way_agrees_with_quadrature(t: float, travel: float) -> None:
    waited = integrate.quad(lambda v: q(t + v), 0, travel, epsabs=0, epsrel=1e-12)[0]
    exact = 1 + t * (q(t) - q(t + travel)) / (travel * q(t) + waited)
    assert jump.gradient_ratio(t, travel) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("t", [1.0, 5.0, 100.0, 1e4, 1e8])
def test_ratio_is_stable_and_falls_along_the_way(t: float) -> None:
    ways = [0.0] + [k / (1 + t) for k in (1e-8, 1e-4, 1e-2, 0.1, 1.0, 10.0)]
    values = [jump.gradient_ratio(t, way) for way in ways]
    assert values[1] == pytest.approx(values[0], rel=1e-7)
    assert all(first > second > 1 for first, second in itertools.pairwise(values[1:]))
    assert values[0] == pytest.approx(1 + t * jump.inverse_mills(t) / 2, rel=1e-14)


# --- ways through the ball ---


@pytest.mark.parametrize("t", LEVELS)
@pytest.mark.parametrize("v", [0.05, 0.5, 2.0])
def test_one_step_follows_the_moments_of_a_truncated_normal(t: float, v: float) -> None:
    kept = v * (q(t) + q(t + v))  # those that rise, and those that sink and stay active
    fallen = phi(t) - phi(t + v)
    exact = (kept + fallen) / (2 * v * q(t))
    assert jump.step_ratio(t, v) == pytest.approx(exact, rel=1e-9)
    flat = exact - t * (q(t) - q(t + v)) / (2 * v * q(t))
    assert jump.step_ratio(t, v, "continuous") == pytest.approx(flat, rel=1e-9)


@pytest.mark.parametrize("t", [*LEVELS, 40.0])
def test_short_steps_have_half_of_the_price_and_nothing(t: float) -> None:
    v = 1e-7 / (1 + t)
    assert jump.step_ratio(t, v) == pytest.approx(jump.gradient_ratio(t), rel=1e-6)
    assert jump.step_ratio(t, v, "continuous") == pytest.approx(1, abs=1e-6)
