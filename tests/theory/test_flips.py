"""Active neurons and flips: exact laws at points, bounds for all of X, maxima on the circle."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from sublinear_lib import geometry, scaling
from sublinear_lib.geometry import SLICE_RADIUS
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.statistics import clopper_pearson
from sublinear_lib.theory import activity, flips, surviving_count_interval, surviving_share
from tests.theory.oracles import circle, phi, q

HALF = math.sqrt(3.0) / 2.0


# --- one point ---


@pytest.mark.parametrize("m", [1, 100, 2**20])
@pytest.mark.parametrize("t", [0.0, 0.5, 2.0, 6.0])
@pytest.mark.parametrize("theta", [1e-6, 0.1, 1.0, 7.0])
def test_probability_is_that_of_the_window(m: int, t: float, theta: float) -> None:
    s = math.sqrt(2 / m)
    exact, _ = integrate.quad(
        lambda v: phi(t + v), -theta, theta, epsabs=0, epsrel=1e-12, limit=200
    )
    assert flips.flip_probability(t * s, m, theta * s) == pytest.approx(exact, rel=1e-9)
    assert flips.expected_flips(t * s, m, theta * s) == pytest.approx(m * exact, rel=1e-9)


def test_the_bound_is_attained_at_the_threshold_zero() -> None:
    m = 2**200
    for delta, power in ((m**-0.625, 0.875), (m**-0.6, 0.9)):
        bound = flips.flip_bound(m, delta)
        assert bound == pytest.approx(m**power / math.sqrt(math.pi), rel=1e-9)
        assert flips.expected_flips(0.0, m, delta) == pytest.approx(bound, rel=1e-4)


def test_the_mask_is_the_definition_at_dyadic_numbers() -> None:
    # All numbers are multiples of 1/16, so nothing is rounded; the ends of the window occur.
    rng = np.random.default_rng(0)
    for tau, delta in itertools.product((0, 3, 8), (0, 1, 5)):
        b = rng.integers(-20, 21, 60)
        network = TwoLayerNetwork(np.zeros((60, 2)), np.ones(60), b / 16, tau / 16)
        near = flips.near_mask(network, [[HALF, 0.5]], delta / 16)[0]
        for value, inside in zip(b.tolist(), near.tolist(), strict=True):
            moves = [Fraction(k, 2) for k in range(-2 * delta, 2 * delta + 1)]
            switched = any((value + u > tau) != (value > tau) for u in moves)
            assert inside == switched, f"b = {value}/16, tau = {tau}/16, delta = {delta}/16"


# --- n points ---


@pytest.mark.parametrize("t", [0.0, 1.3])
@pytest.mark.parametrize("theta", [0.1, 0.8])
@pytest.mark.parametrize("n", [2, 3, 6, 9])
def test_union_and_its_bracket_agree_with_independent_neurons(n, t, theta):
    orthogonal = n < 9
    points = geometry.embed(np.eye(n)) if orthogonal else geometry.sample_slice(n, 4, rng=3)
    rng, draws, m = np.random.default_rng(7), 200_000, 64
    z = rng.standard_normal((draws, points.shape[1])) @ points.T + rng.standard_normal((draws, 1))
    hits = int((np.abs(z / math.sqrt(2) - t) <= theta).any(axis=1).sum())
    seen = clopper_pearson(hits, draws, 0.9999)
    tau, delta = t * math.sqrt(2 / m), theta * math.sqrt(2 / m)
    single = flips.expected_flips(tau, m, delta)
    lower, upper = flips.union_bracket(points, tau, m, delta)
    assert lower / m <= seen.upper and upper / m >= seen.lower
    assert 0 < lower <= upper * (1 + 1e-9) and upper < n * single
    if orthogonal:
        union = flips.expected_union(n, 0.25, tau, m, delta)
        assert seen.contains(union / m) and not seen.contains(n * single / m)
        assert lower <= union * (1 + 1e-9) and union <= upper * (1 + 1e-9)


@pytest.mark.parametrize("inner", [-0.5, 0.0, 0.25, 0.9, 0.999999])
@pytest.mark.parametrize("theta", [1e-3, 0.3, 3.0])
@pytest.mark.parametrize("t", [0.0, 2.0])
def test_union_of_two_points_is_inclusion_and_exclusion(inner, theta, t):
    m = 32
    s = math.sqrt(2 / m)
    u = (inner - 0.25) / 0.75
    points = geometry.embed(np.array([[1.0, 0.0], [u, math.sqrt(1 - u * u)]]))
    share = flips.expected_union(2, float(inner), t * s, m, theta * s) / m
    lower, upper = flips.union_bracket(points, t * s, m, theta * s)
    assert lower == pytest.approx(upper, rel=1e-12)
    assert share * m == pytest.approx(lower, rel=1e-6)
    r = (1 + inner) / 2
    law = stats.multivariate_normal([0, 0], [[1, r], [r, 1]])
    if theta >= 0.3 and r < 0.999:
        box = law.cdf([t + theta, t + theta], lower_limit=[t - theta, t - theta])
        single = q(t - theta) - q(t + theta)
        assert share == pytest.approx(2 * single - box, rel=1e-6)


@pytest.mark.parametrize("t", [0.0, 2.0])
def test_union_keeps_its_digits_in_thin_windows(t: float) -> None:
    m = 32
    s = math.sqrt(2 / m)
    for theta in (1e-8, 1e-13, 1e-30):
        single = flips.expected_flips(t * s, m, theta * s)
        assert single == pytest.approx(m * 2 * theta * stats.norm.pdf(t), rel=1e-6)
        for n in (2, 5):  # the windows hardly ever meet
            union = flips.expected_union(n, 0.25, t * s, m, theta * s)
            assert union == pytest.approx(n * single, rel=1e-7)
        assert flips.union_bracket(geometry.embed(np.eye(3)), t * s, m, theta * s) == (
            pytest.approx(3 * single, rel=1e-6),
            pytest.approx(3 * single, rel=1e-6),
        )


def test_union_of_one_point_or_coinciding_points_is_the_single_count() -> None:
    single = flips.expected_flips(0.1, 100, 0.05)
    assert flips.expected_union(1, 0.25, 0.1, 100, 0.05) == single
    assert flips.expected_union(5, 1.0, 0.1, 100, 0.05) == single
    x = [[HALF, 0.5]]
    assert flips.union_bracket(x, 0.1, 100, 0.05) == (single, single)
    lower, upper = flips.union_bracket(x * 3, 0.1, 100, 0.05)
    assert (lower, upper) == (pytest.approx(single), pytest.approx(single))
    assert flips.union_bracket(x * 3, 0.1, 100, 0.0) == (0.0, 0.0)
    # A window that holds everything.
    assert flips.flip_probability(0.1, 1000, 1e6) == 1.0
    assert flips.expected_union(4, 0.25, 0.1, 1000, 1e6) == pytest.approx(1000, rel=1e-12)


def test_the_upper_end_counts_the_two_likeliest_of_three_pairs_once() -> None:
    angles = np.array([0.0, 0.2, 1.5])
    points = geometry.embed(np.column_stack((np.cos(angles), np.sin(angles))))
    window = 0.1, 64, 0.05
    single = flips.expected_flips(*window)
    pairs = [
        2 * single - flips.union_bracket(points[[i, k]], *window)[1]
        for i, k in ((0, 1), (0, 2), (1, 2))
    ]
    _, upper = flips.union_bracket(points, *window)
    assert upper == pytest.approx(3 * single - sum(pairs) + min(pairs), rel=1e-12)


# --- all points of X at once ---


def test_window_probability_broadcasts_and_names_bad_widths() -> None:
    found = flips.window_probability([[0.0], [1.0]], [0.1, 2.0])
    assert found.shape == (2, 2)
    assert found[1, 0] == pytest.approx(float(flips.window_probability(1.0, 0.1)), rel=1e-14)
    with pytest.raises(ValueError, match="half must"):
        flips.window_probability(0.0, [-1.0])


@pytest.mark.parametrize(("m", "d"), [(1, 2), (1000, 3), (2**20, 50)])
@pytest.mark.parametrize("failure", [0.5, 1e-3, 1e-12])
def test_norm_bound_solves_its_equation(m: int, d: int, failure: float) -> None:
    rho = flips.largest_norm_bound(m, d, failure)
    assert m * stats.chi2.sf(m * rho**2, d) == pytest.approx(failure, rel=1e-8)


def chernoff(m: int, p: float, k: int) -> float:
    """Return the exponent of Chernoff's bound for Binomial(m, p) >= k."""
    y = k / m
    rest = (m - k) * math.log((1 - y) / (1 - p)) if k < m else 0.0
    return k * math.log(y / p) + rest


@pytest.mark.parametrize(("m", "d"), [(2**10, 3), (2**14, 8), (2**20, 30)])
def test_uniform_bounds_are_the_smallest_that_the_union_bound_gives(m: int, d: int) -> None:
    s, delta, failure = math.sqrt(2 / m), m**-0.6, 1e-3
    rho = flips.largest_norm_bound(m, d, failure / 2)
    for kind in ("near", "active"):
        scale = delta if kind == "near" else s
        best = m
        for j in range(-4, 21):
            slack = scale * 2.0**-j
            low, high = (1 / m - delta - slack) / s, (1 / m + delta + slack) / s
            p = q(low) - q(high) if kind == "near" else q(low)
            cost = (d - 1) * math.log(1 + math.sqrt(3) * rho / slack) + math.log(2 / failure)
            inside = [k for k in range(math.ceil(m * p), m + 1, 1) if m <= 2**14 or k % 64 == 0]
            good = (k - 1 for k in inside if chernoff(m, p, k) >= cost)
            best = min(best, next(good, m))
        bound = flips.uniform_near_bound if kind == "near" else flips.uniform_active_bound
        found = bound(1 / m, m, d, delta, failure)
        assert found <= best and found >= best - (1 if m <= 2**14 else 64), kind


# --- blind moves ---


@pytest.mark.parametrize("t", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("theta", [0.01, 0.7, 4.0])
@pytest.mark.parametrize("d", [3, 5])
def test_a_blind_move_switches_what_the_integral_over_its_height_says(t, theta, d):
    m = 512
    s = math.sqrt(2 / m)
    # The height of a uniform direction in R^d has the density c (1 - u^2)^((d-3)/2) on [-1, 1].
    c = {3: 0.5, 5: 0.75}[d]
    exact, _ = integrate.quad(
        lambda u: c * (1 - u * u) ** ((d - 3) / 2) * abs(q(t) - q(t - theta * u)),
        -1,
        1,
        points=[0.0],
        epsabs=1e-14,
        limit=400,
    )
    assert flips.blind_flip_probability(t * s, m, theta * s, d) == pytest.approx(exact, rel=1e-7)


def between_ends(start: TwoLayerNetwork, *levels: tuple[np.ndarray, float]) -> np.ndarray:
    """Return the points between neighboring ends of the arcs where <w, x> + b exceeds a level."""
    ends = [0.0]
    for W, level in levels:
        cosine = (level - start.b - W[:, 2] / 2) / (SLICE_RADIUS * np.hypot(W[:, 0], W[:, 1]))
        met = np.abs(cosine) < 1
        direction, half = np.arctan2(W[met, 1], W[met, 0]), np.arccos(cosine[met])
        ends += [*(direction - half), *(direction + half)]
    ends = np.array(sorted({end % (2 * math.pi) for end in ends}))
    return circle((ends + np.append(ends[1:], ends[0] + 2 * math.pi)) / 2)


@pytest.mark.parametrize("m", [1, 40, 300])
@pytest.mark.parametrize("t", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("theta", [0.0, 0.01, 0.3, 3.0])
def test_maxima_are_attained_and_those_of_a_visit_of_every_arc(m, t, theta):
    tau, delta = t * math.sqrt(2 / m), theta * math.sqrt(2 / m)
    for seed in range(3):
        start = TwoLayerNetwork.initialize(m, 3, rng=seed, tau=tau)
        rng = np.random.default_rng(seed)
        moves = rng.standard_normal((m, 3))
        moves *= delta / np.linalg.norm(moves, axis=1, keepdims=True)
        moves[::5] = 0.0
        now, W = start.with_weights(start.W + moves), start.W
        best = activity.max_active_on_circle(start)
        assert start.active_mask(best.x[None]).sum() == best.count
        assert start.active_mask(between_ends(start, (W, tau))).sum(axis=1).max() == best.count
        best = flips.max_flips_on_circle(start, now.W)
        ends = between_ends(start, (W, tau), (now.W, tau))
        for x, expected in ((best.x[None], best.count), (ends, best.count)):
            assert (start.active_mask(x) != now.active_mask(x)).sum(axis=1).max() == expected
        if not theta:
            continue
        best = flips.max_near_on_circle(start, delta)
        ends = between_ends(start, (W, tau - delta), (W, tau + delta))
        for x in (best.x[None], ends):
            assert flips.near_mask(start, x, delta).sum(axis=1).max() == best.count
        angles = rng.uniform(-20.0, 20.0, 50)
        counts = flips.near_counts_on_circle(start, delta, angles)
        assert np.array_equal(counts, flips.near_mask(start, circle(angles), delta).sum(axis=1))
        at = math.atan2(float(best.x[1]), float(best.x[0]))
        assert flips.near_counts_on_circle(start, delta, [at])[0] == best.count


def circle_network(W: list[list[float]], b: list[float], tau: float) -> TwoLayerNetwork:
    return TwoLayerNetwork(np.array(W), np.ones(len(b)), np.array(b), tau)


def test_neurons_that_are_the_same_everywhere_count_everywhere_or_nowhere() -> None:
    always = circle_network([[0.1, 0.0, 0.0], [0.0, 0.1, 0.0]], [5.0, 5.0], 1.0)
    assert activity.max_active_on_circle(always).count == 2
    never = circle_network([[0.1, 0.0, 0.0], [0.0, 0.0, 0.0]], [-5.0, 0.0], 0.0)
    assert activity.max_active_on_circle(never).count == 0
    network = TwoLayerNetwork(np.zeros((3, 3)), np.ones(3), [0.5, 0.7, 0.9], 0.6)
    assert flips.max_near_on_circle(network, 0.15).count == 2
    assert flips.max_near_on_circle(network, 0.05).count == 0
    waking = np.array([[0.0, 0.0, 0.3], [0.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
    assert flips.max_flips_on_circle(network, waking).count == 2
    # On the threshold itself a neuron is silent: lifted a little, it wakes on the whole circle.
    silent = TwoLayerNetwork(np.zeros((1, 3)), [1.0], [0.5], 0.5)
    assert flips.max_flips_on_circle(silent, [[0.0, 0.0, 0.2]]).count == 1


@pytest.mark.parametrize("angle", [0.0, 1.0, 2.5, math.pi, -2.0])
def test_a_neuron_silent_at_a_single_point_counts_everywhere_else(angle: float) -> None:
    w = [math.cos(angle), math.sin(angle), 0.0]
    reach = SLICE_RADIUS * float(np.hypot(w[0], w[1]))  # z = 0 = tau on the far side only
    for bias, most in (([reach], 1), ([reach, -reach / 2], 2)):
        rows = [w, [-w[0], -w[1], 0.0]][: len(bias)]  # the other fires around that very point
        network = circle_network(rows, bias, 0.0)
        best = activity.max_active_on_circle(network)
        assert best.count == most
        assert network.active_mask(best.x[None, :]).sum() == most


WIDTHS = [1, 7, 256, 2**14, 2**20]


@pytest.mark.parametrize("m", WIDTHS)
@pytest.mark.parametrize("K", [0.0, 0.5, 1.0, 3.0])
def test_printed_q0_is_twice_the_tail_bound_at_the_papers_threshold(m: int, K: float) -> None:
    tau = scaling.K_M35.tau(m, K=K) if K else 0.0
    expected = 2 * m * activity.gaussian_tail_bound(tau, m)
    assert activity.printed_q0(m, K) == pytest.approx(expected, rel=1e-12)
    assert activity.printed_K(tau, m) == pytest.approx(K, rel=1e-14)


@pytest.mark.parametrize("m", WIDTHS)
@pytest.mark.parametrize("t", [0.0, 0.3, 1.49, 2.5, 5.0])
def test_tail_bound_bounds_the_probability_and_both_readings_of_psi_are_what_they_say(m, t):
    tau = t * math.sqrt(2.0 / m)
    bound = activity.gaussian_tail_bound(tau, m)
    assert bound == pytest.approx(math.exp(-t * t / 2.0), rel=1e-12)
    assert q(t) <= bound
    outside = pytest.approx(2.0 * q(t), rel=1e-10)
    assert activity.near_zero_probability(tau, m, "at least") == outside
    assert 1.0 - activity.near_zero_probability(tau, m, "at most") == outside


@pytest.mark.parametrize("m", [100, 4096, 2**20])
@pytest.mark.parametrize("c", [0.5, 0.8, 0.9])
def test_smallest_printed_K_solves_the_printed_equation(m: int, c: float) -> None:
    K = activity.smallest_printed_K(m, m**c)
    assert activity.printed_q0(m, K) == pytest.approx(m**c, rel=1e-10)
    assert activity.printed_q0(m, K * 1.001) < m**c


def test_printed_failure_probability_is_the_bernstein_value() -> None:
    m, K, n = 1000, 8.0, 5
    eta = m * math.exp(-K * K / (4 * m**0.2))
    bernstein = math.exp(-(eta**2 / 2) / (eta + eta / 3))
    assert activity.printed_failure_probability(m, K, n) == pytest.approx(n * bernstein, rel=1e-12)
    assert activity.printed_gap_bound(10**10, 3.0) == pytest.approx(0.9, rel=1e-12)


def test_maximum_refuses_other_dimensions() -> None:
    network = TwoLayerNetwork.initialize(8, 4, rng=0)
    with pytest.raises(ValueError, match=r"d = 3.*got a network with d = 4"):
        activity.max_active_on_circle(network)


@pytest.mark.parametrize("number", [0, 2.5, 7, 11, 12])
@pytest.mark.parametrize(("t", "theta"), [(0.0, 0.3), (0.5, 1.49)])
def test_tails_are_the_exact_sums_of_binomial_terms(number: float, t: float, theta: float) -> None:
    m = 12
    tau, delta = t * math.sqrt(2 / m), theta * math.sqrt(2 / m)
    for found, p in (
        (activity.active_count_tail(number, tau, m), q(t)),
        (activity.near_zero_count_tail(number, delta, m, "at least"), 2 * q(theta)),
        (activity.near_zero_count_tail(number, delta, m, "at most"), 1 - 2 * q(theta)),
        (flips.flip_count_tail(number, tau, m, delta), q(t - theta) - q(t + theta)),
    ):
        terms = range(math.floor(number) + 1, m + 1)
        exact = sum(math.comb(m, k) * p**k * (1 - p) ** (m - k) for k in terms)
        assert found == pytest.approx(exact, abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(
    m=st.integers(1, 3000),
    t=st.floats(0.0, 4.0),
    theta=st.floats(0.0, 2.0),
    confidence=st.sampled_from([0.5, 0.95, 0.999]),
)
def test_intervals_have_the_promised_probability_and_are_not_wider_than_needed(
    m: int, t: float, theta: float, confidence: float
) -> None:
    tau, delta = t * math.sqrt(2 / m), theta * math.sqrt(2 / m)
    for (low, high), p in (
        (activity.active_count_interval(tau, m, confidence), q(t)),
        (flips.flip_count_interval(tau, m, delta, confidence), q(t - theta) - q(t + theta)),
        (surviving_count_interval(tau, m, 8, confidence), surviving_share(t, 8)),
    ):
        law, rest = stats.binom(m, min(1.0, p)), (1 - confidence) / 2 - 1e-9
        assert 0 <= low <= high <= m
        assert law.cdf(high) - law.cdf(low - 1) >= confidence - 1e-9
        assert law.cdf(low) >= rest and (high == 0 or law.sf(high - 1) >= rest)


def test_no_flip_probability_is_the_first_binomial_term() -> None:
    m, tau, delta = 50, 0.1, 0.02
    log = flips.log_no_flip_probability(tau, m, delta)
    assert log == pytest.approx(m * math.log(1 - flips.flip_probability(tau, m, delta)), rel=1e-10)
    assert flips.log_no_flip_probability(0.0, 4, 1e9) <= -100
    far = 2**60
    log = flips.log_no_flip_probability(0.0, far, far**-0.625)
    assert -log / far**0.875 == pytest.approx(1 / math.sqrt(math.pi), rel=1e-2)
