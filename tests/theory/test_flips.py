"""Promises of ``theory.flips``: exact laws at fixed points, exact maxima on the circle."""

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
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.statistics import clopper_pearson, loglog_slope
from sublinear_lib.theory import flips

HALF = math.sqrt(3.0) / 2.0


def q(x: float) -> float:
    return math.erfc(x / math.sqrt(2)) / 2


# --- one point ---


@pytest.mark.parametrize("m", [1, 100, 2**20])
@pytest.mark.parametrize("t", [0.0, 0.5, 2.0, 6.0])
@pytest.mark.parametrize("theta", [1e-6, 0.1, 1.0, 7.0])
def test_probability_is_that_of_the_window(m: int, t: float, theta: float) -> None:
    s = math.sqrt(2 / m)
    exact, _ = integrate.quad(
        lambda v: math.exp(-((t + v) ** 2) / 2) / math.sqrt(2 * math.pi),
        -theta,
        theta,
        epsabs=0,
        epsrel=1e-12,
        limit=200,
    )
    p = flips.flip_probability(t * s, m, theta * s)
    assert p == pytest.approx(exact, rel=1e-9)
    assert flips.expected_flips(t * s, m, theta * s) == pytest.approx(m * exact, rel=1e-9)
    if theta >= 0.1 and t < 3:
        assert p == pytest.approx(q(t - theta) - q(t + theta), rel=1e-9)


# Subnormal numbers do not have the digits that the tolerance asks for.
@settings(deadline=None, max_examples=80)
@given(
    m=st.integers(1, 10**6),
    t=st.floats(0.0, 5.0),
    theta=st.floats(0.0, 5.0, allow_subnormal=False),
)
def test_bound_of_claim_a10_holds_at_every_threshold(m: int, t: float, theta: float) -> None:
    s = math.sqrt(2 / m)
    expected = flips.expected_flips(t * s, m, theta * s)
    assert expected <= flips.flip_bound(m, theta * s) * (1 + 1e-12)
    assert expected <= m * (1 + 1e-12)


@pytest.mark.parametrize(
    ("t", "constant"), [(0.0, 1.0), (1.0, math.exp(-0.5)), (2.0, math.exp(-2))]
)
def test_the_constant_one_over_root_pi_is_sharp(t: float, constant: float) -> None:
    m = 2**200
    tau = t * math.sqrt(2 / m)
    for delta, power in ((m**-0.625, 0.875), (m**-0.6, 0.9)):
        found = flips.expected_flips(tau, m, delta) / m**power
        assert found == pytest.approx(constant / math.sqrt(math.pi), rel=1e-4)
    assert flips.flip_bound(m, m**-0.625) == pytest.approx(m**0.875 / math.sqrt(math.pi), rel=1e-9)


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


def test_count_at_a_point_is_binomial() -> None:
    m, seeds, delta, tau = 256, 300, 0.05, 0.06
    x = [[HALF, 0.0, 0.5]]
    counts = [
        int(flips.near_mask(TwoLayerNetwork.initialize(m, 3, rng=seed, tau=tau), x, delta).sum())
        for seed in range(seeds)
    ]
    p = flips.flip_probability(tau, m, delta)
    assert clopper_pearson(sum(counts), m * seeds).contains(p)
    assert not clopper_pearson(sum(counts), m * seeds).contains(p / 2)
    level = stats.binom(m, p).cdf(np.array(counts) - 1) + stats.binom(m, p).pmf(counts) / 2
    assert stats.kstest(level, "uniform").pvalue > 1e-3


@settings(deadline=None, max_examples=60)
@given(
    m=st.integers(1, 3000),
    t=st.floats(0.0, 3.0),
    theta=st.floats(0.0, 2.0),
    confidence=st.sampled_from([0.5, 0.95, 0.999]),
)
def test_count_interval_has_the_promised_probability(
    m: int, t: float, theta: float, confidence: float
) -> None:
    s = math.sqrt(2 / m)
    low, high = flips.flip_count_interval(t * s, m, theta * s, confidence)
    p = min(1.0, q(t - theta) - q(t + theta))
    law = stats.binom(m, p)
    assert 0 <= low <= high <= m
    assert law.cdf(high) - law.cdf(low - 1) >= confidence - 1e-9
    assert high == 0 or law.sf(high - 1) >= (1 - confidence) / 2 - 1e-9  # not wider than needed
    assert law.cdf(low) >= (1 - confidence) / 2 - 1e-9


def test_count_tail_is_the_exact_sum_of_binomial_terms() -> None:
    m, tau, delta = 12, 0.2, 0.3
    t, theta = tau * math.sqrt(m / 2), delta * math.sqrt(m / 2)
    p = q(t - theta) - q(t + theta)
    for number in (0, 2.5, 11, 12):
        exact = sum(
            math.comb(m, k) * p**k * (1 - p) ** (m - k)
            for k in range(math.floor(number) + 1, m + 1)
        )
        found = flips.flip_count_tail(number, tau, m, delta)
        assert found == pytest.approx(exact, abs=1e-12)


def test_no_flip_probability_is_the_first_binomial_term() -> None:
    m, tau, delta = 50, 0.1, 0.02
    log = flips.log_no_flip_probability(tau, m, delta)
    p = flips.flip_probability(tau, m, delta)
    assert math.exp(log) == pytest.approx(1 - flips.flip_count_tail(0, tau, m, delta), rel=1e-10)
    assert log == pytest.approx(m * math.log(1 - p), rel=1e-10)
    assert flips.log_no_flip_probability(0.0, 4, 1e9) <= -100
    far = 2**60
    log = flips.log_no_flip_probability(0.0, far, far**-0.625)
    assert -log / far**0.875 == pytest.approx(1 / math.sqrt(math.pi), rel=1e-2)


# name of the scaling, exponent of delta, exponent of the count, rival
SLOPES = [
    (0.0, Fraction(5, 8), Fraction(7, 8), Fraction(9, 10)),
    (0.0, Fraction(3, 5), Fraction(9, 10), Fraction(7, 8)),
    (0.0, Fraction(4, 5), Fraction(7, 10), Fraction(9, 10)),
    (0.2, Fraction(3, 5), Fraction(7, 10), Fraction(9, 10)),
    (0.2, Fraction(5, 8), Fraction(27, 40), Fraction(7, 8)),
]


@pytest.mark.parametrize(("c", "radius", "power", "rival"), SLOPES)
def test_measured_slopes_contain_the_closed_form_and_exclude_the_rival(
    c: float, radius: Fraction, power: Fraction, rival: Fraction
) -> None:
    widths = [2**k for k in range(8, 19)]

    def parameters(m: int) -> tuple[float, int, float]:
        return scaling.SPARSE_C.tau(m, c=c) if c else 1 / m, m, m ** -float(radius)

    means = [flips.expected_flips(*parameters(m)) for m in widths]
    table = []
    for seed in range(12):
        row = []
        for m, mean in zip(widths, means, strict=True):
            tau, _, delta = parameters(m)
            z = np.random.default_rng([seed, m]).standard_normal(m) * math.sqrt(2 / m)
            count = np.count_nonzero((z > tau - delta) & (z <= tau + delta))
            row.append(max(count, 1))
            assert abs(count - mean) < 4 * math.sqrt(mean * (1 - mean / m)), f"m = {m}"
        table.append(row)
    x = np.log(widths) - np.mean(np.log(widths))
    exact = float(np.log(means) @ x / (x @ x))
    slope = loglog_slope(widths, table, 0.9999)
    assert slope.contains(exact)
    assert slope.excludes(float(rival)), f"{slope} contains {rival}"
    assert abs(exact - power) < abs(exact - rival)

    near, far = 2**240, 2**250
    values = [flips.expected_flips(*parameters(m)) for m in (near, far)]
    limit = math.log(values[1] / values[0]) / math.log(far / near)
    assert limit == pytest.approx(float(power), abs=1e-5)


# --- n points ---


def simulate_union(points: np.ndarray, t: float, theta: float, draws: int) -> tuple[int, int]:
    """Count how often one of the points is near, for independent neurons of variance 2."""
    rng = np.random.default_rng(7)
    d = points.shape[1]
    z = rng.standard_normal((draws, d)) @ points.T + rng.standard_normal((draws, 1))
    near = np.abs(z / math.sqrt(2) - t) <= theta
    return int(near.any(axis=1).sum()), draws


@pytest.mark.parametrize("t", [0.0, 1.3])
@pytest.mark.parametrize("theta", [0.1, 0.8])
@pytest.mark.parametrize("n", [2, 3, 6])
def test_union_over_orthogonal_directions_agrees_with_simulation(
    n: int, t: float, theta: float
) -> None:
    points = geometry.embed(np.eye(n))
    hits, draws = simulate_union(points, t, theta, 200_000)
    m = 64
    s = math.sqrt(2 / m)
    share = flips.expected_union(n, 0.25, t * s, m, theta * s) / m
    assert clopper_pearson(hits, draws, 0.9999).contains(share)
    assert not clopper_pearson(hits, draws, 0.9999).contains(n * q(t - theta) - n * q(t + theta))
    lower, upper = flips.union_bracket(points, t * s, m, theta * s)
    assert lower / m <= share * (1 + 1e-9)
    assert share <= upper / m * (1 + 1e-9)


@pytest.mark.parametrize("inner", [-0.5, 0.0, 0.25, 0.9, 0.999999])
@pytest.mark.parametrize("theta", [1e-3, 0.3, 3.0])
@pytest.mark.parametrize("t", [0.0, 2.0])
def test_union_of_two_points_is_inclusion_and_exclusion(
    inner: float, theta: float, t: float
) -> None:
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


def test_probabilities_of_a_window_that_holds_everything_are_one() -> None:
    for m in (3, 1000):
        assert flips.flip_probability(0.1, m, 1e6) == 1.0
        assert flips.flip_count_interval(0.1, m, 1e6) == (m, m)
        assert flips.expected_union(4, 0.25, 0.1, m, 1e6) == pytest.approx(m, rel=1e-12)


def test_union_of_one_point_or_coinciding_points_is_the_single_count() -> None:
    single = flips.expected_flips(0.1, 100, 0.05)
    assert flips.expected_union(1, 0.25, 0.1, 100, 0.05) == single
    assert flips.expected_union(5, 1.0, 0.1, 100, 0.05) == single
    x = [[HALF, 0.5]]
    assert flips.union_bracket(x, 0.1, 100, 0.05) == (single, single)
    lower, upper = flips.union_bracket(x * 3, 0.1, 100, 0.05)
    assert (lower, upper) == (pytest.approx(single), pytest.approx(single))
    assert flips.union_bracket(x * 3, 0.1, 100, 0.0) == (0.0, 0.0)


@pytest.mark.parametrize("m", [2**10, 2**20])
def test_union_grows_like_n_at_first_and_saturates(m: int) -> None:
    delta = m**-0.625
    values = [flips.expected_union(n, 0.25, 1 / m, m, delta) for n in (1, 2, 4, 64, 10**6, 10**12)]
    single = values[0]
    assert all(first < second for first, second in itertools.pairwise(values[:5]))
    assert values[1] < 2 * single
    assert values[1] > 1.8 * single or m < 2**15
    assert values[-1] == pytest.approx(m, rel=1e-3)
    assert values[3] < 0.2 * 64 * single, "64 points are far from 64 times one point"


def test_the_slope_of_the_union_is_that_of_the_closed_form_and_tends_to_seven_eighths() -> None:
    def slope(n: int, low: int, high: int) -> float:
        values = [flips.expected_union(n, 0.25, 0.0, m, m**-0.625) for m in (low, high)]
        return math.log(values[1] / values[0]) / math.log(high / low)

    assert slope(2, 2**240, 2**250) == pytest.approx(7 / 8, abs=1e-5)
    assert slope(8, 2**8, 2**18) > 0.93  # saturated: nearly every neuron is near some point


@pytest.mark.parametrize("t", [0.0, 1.5])
def test_bracket_holds_for_arbitrary_points(t: float) -> None:
    points = geometry.sample_slice(9, 4, rng=3)
    m, theta = 64, 0.2
    s = math.sqrt(2 / m)
    lower, upper = flips.union_bracket(points, t * s, m, theta * s)
    hits, draws = simulate_union(points, t, theta, 200_000)
    share = clopper_pearson(hits, draws, 0.9999)
    assert lower / m <= share.upper
    assert upper / m >= share.lower
    assert 0 < lower < upper < 9 * flips.expected_flips(t * s, m, theta * s)


# --- the circle ---


def circle(count: int) -> np.ndarray:
    angle = np.linspace(0, 2 * math.pi, count, endpoint=False) + 0.001
    return np.column_stack([HALF * np.cos(angle), HALF * np.sin(angle), np.full(count, 0.5)])


# The ends of arcs are rounded, so a window as narrow as a rounding error may hold no float64.
MOVES = st.just(0.0) | st.floats(1e-9, 3.0)


@settings(deadline=None, max_examples=40)
@given(
    m=st.integers(1, 120),
    t=st.floats(0.0, 3.0),
    theta=st.floats(1e-3, 2.0),
    seed=st.integers(0, 10**6),
)
def test_maximum_near_the_threshold_is_attained_and_never_exceeded(
    m: int, t: float, theta: float, seed: int
) -> None:
    s = math.sqrt(2 / m)
    network = TwoLayerNetwork.initialize(m, 3, rng=seed, tau=t * s)
    best = flips.max_near_on_circle(network, theta * s)
    assert flips.near_mask(network, best.x[None, :], theta * s).sum() == best.count
    assert flips.near_mask(network, circle(1500), theta * s).sum(axis=1).max() <= best.count


@settings(deadline=None, max_examples=40)
@given(
    m=st.integers(1, 120),
    t=st.floats(0.0, 3.0),
    theta=MOVES,
    seed=st.integers(0, 10**6),
)
def test_maximum_of_the_flips_is_attained_and_never_exceeded(
    m: int, t: float, theta: float, seed: int
) -> None:
    s = math.sqrt(2 / m)
    start = TwoLayerNetwork.initialize(m, 3, rng=seed, tau=t * s)
    moves = np.random.default_rng(seed).standard_normal((m, 3))
    moves *= theta * s / np.linalg.norm(moves, axis=1, keepdims=True)
    moves[::5] = 0.0
    W = start.W + moves
    best = flips.max_flips_on_circle(start, W)
    now = start.with_weights(W)
    at = start.active_mask(best.x[None, :]) != now.active_mask(best.x[None, :])
    assert at.sum() == best.count
    grid = circle(1500)
    assert (start.active_mask(grid) != now.active_mask(grid)).sum(axis=1).max() <= best.count
    assert best.count <= flips.max_near_on_circle(start, theta * s * (1 + 1e-9)).count


def brute_circle(network: TwoLayerNetwork, delta: float) -> int:
    """The maximum over the ends of all arcs and the points between them, from the definition."""
    size = HALF * np.hypot(network.W[:, 0], network.W[:, 1])
    direction = np.arctan2(network.W[:, 1], network.W[:, 0])
    offset = network.b + network.W[:, 2] / 2 - network.tau
    ends = [0.0]
    for side in (-delta, delta):
        for level, center in zip((side - offset) / size, direction, strict=True):
            if abs(level) <= 1:
                ends += [center - math.acos(level), center + math.acos(level)]
    ends = sorted(end % (2 * math.pi) for end in ends)
    middles = [(u + v) / 2 for u, v in itertools.pairwise([*ends, ends[0] + 2 * math.pi])]
    return max(
        int(np.count_nonzero(np.abs(size * np.cos(v - direction) + offset) <= delta))
        for v in middles
    )


@pytest.mark.parametrize("t", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("theta", [0.01, 0.3, 3.0])
def test_sweep_agrees_with_a_visit_of_every_arc(t: float, theta: float) -> None:
    m = 300
    s = math.sqrt(2 / m)
    for seed in range(3):
        network = TwoLayerNetwork.initialize(m, 3, rng=seed, tau=t * s)
        assert flips.max_near_on_circle(network, theta * s).count == brute_circle(
            network, theta * s
        )


def test_constant_neurons_are_near_everywhere_or_nowhere() -> None:
    network = TwoLayerNetwork(np.zeros((3, 3)), np.ones(3), [0.5, 0.7, 0.9], 0.6)
    assert flips.max_near_on_circle(network, 0.15).count == 2
    assert flips.max_near_on_circle(network, 0.05).count == 0
    waking = np.array([[0.0, 0.0, 0.3], [0.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
    assert flips.max_flips_on_circle(network, waking).count == 2
    assert flips.max_flips_on_circle(network, network.W).count == 0
    # On the threshold itself a neuron is silent: lifted a little, it wakes on the whole circle.
    silent = TwoLayerNetwork(np.zeros((1, 3)), [1.0], [0.5], 0.5)
    assert flips.max_flips_on_circle(silent, [[0.0, 0.0, 0.2]]).count == 1


def test_the_maximum_over_the_circle_has_the_order_of_one_point() -> None:
    m = 2**15
    delta = m**-0.625
    network = TwoLayerNetwork.initialize(m, 3, rng=0)
    best = flips.max_near_on_circle(network, delta).count
    low, _ = flips.flip_count_interval(1 / m, m, delta)
    assert low < best < 1.25 * flips.expected_flips(1 / m, m, delta)


# --- all points of X at once ---


@pytest.mark.parametrize("middle", [0.0, 0.3, -2.0, 7.0])
@pytest.mark.parametrize("half", [0.0, 1e-9, 0.2, 0.5, 0.500001, 3.0])
def test_window_probability_is_that_of_the_normal_law(middle: float, half: float) -> None:
    found = float(flips.window_probability(middle, half))
    if half < 1e-6:
        density = math.exp(-(middle**2) / 2) / math.sqrt(2 * math.pi)
        assert found == pytest.approx(2 * half * density, rel=1e-8)
    else:
        gap = abs(middle)
        assert found == pytest.approx(q(gap - half) - q(gap + half), rel=1e-9, abs=1e-18)


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


def test_norm_bound_fails_as_often_as_promised() -> None:
    rng = np.random.default_rng(4)
    m, d = 50, 4
    norms = np.linalg.norm(rng.standard_normal((4000, m, d)), axis=2).max(axis=1) / math.sqrt(m)
    failed = int(np.count_nonzero(norms > flips.largest_norm_bound(m, d, 0.1)))
    assert clopper_pearson(failed, 4000).contains(1 - (1 - 0.1 / m) ** m)


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


@pytest.mark.parametrize("t", [0.0, 1.5])
def test_maxima_over_the_circle_stay_below_the_uniform_bounds(t: float) -> None:
    m = 2**12
    delta, tau = m**-0.6, t * math.sqrt(2 / m)
    for seed in range(5):
        network = TwoLayerNetwork.initialize(m, 3, rng=seed, tau=tau)
        near = flips.max_near_on_circle(network, delta).count
        assert flips.expected_flips(tau, m, delta) * 0.9 < near
        assert near <= flips.uniform_near_bound(tau, m, 3, delta)
        points = geometry.sample_slice(50, 3, seed)
        active = np.count_nonzero(network.active_mask(points), axis=1).max()
        assert active <= flips.uniform_active_bound(tau, m, 3)


@settings(deadline=None, max_examples=40)
@given(
    m=st.integers(1, 10**6),
    d=st.integers(2, 40),
    t=st.floats(0.0, 4.0),
    theta=st.floats(1e-6, 3.0),
    failure=st.floats(1e-30, 0.5),
)
def test_uniform_bounds_are_counts_and_grow_with_what_they_cover(
    m: int, d: int, t: float, theta: float, failure: float
) -> None:
    s = math.sqrt(2 / m)
    near = flips.uniform_near_bound(t * s, m, d, theta * s, failure)
    assert math.floor(flips.expected_flips(t * s, m, theta * s)) <= near <= m
    assert near <= flips.uniform_near_bound(t * s, m, d + 1, theta * s, failure)
    assert near <= flips.uniform_near_bound(t * s, m, d, theta * s, failure / 10)
    active = flips.uniform_active_bound(t * s, m, d, 0.0, failure)
    assert active <= flips.uniform_active_bound(t * s, m, d, theta * s, failure) <= m


def test_uniform_bound_approaches_the_mean_at_one_point() -> None:
    ratios = []
    for m in (2**12, 2**20, 2**30):
        delta = m**-0.625
        mean = flips.expected_flips(1 / m, m, delta)
        ratios.append(flips.uniform_near_bound(1 / m, m, 8, delta) / mean)
    assert ratios == sorted(ratios, reverse=True)
    assert 1.0 < ratios[-1] < 1.01


# --- blind moves, and the circle point by point ---


@pytest.mark.parametrize("t", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("theta", [0.01, 0.7, 4.0])
@pytest.mark.parametrize("d", [3, 5])
def test_a_blind_move_switches_what_the_integral_over_its_height_says(
    t: float, theta: float, d: int
) -> None:
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


@pytest.mark.parametrize("d", [2, 3, 30, 784])
def test_a_blind_move_switches_the_share_of_the_window_that_its_mean_height_gives(d: int) -> None:
    m, theta = 1024, 1e-5
    delta = theta * math.sqrt(2 / m)
    height = math.exp(math.lgamma(d / 2) - math.lgamma((d + 1) / 2)) / math.sqrt(math.pi)
    for tau in (0.0, math.sqrt(2 / m)):
        blind = flips.blind_flip_probability(tau, m, delta, d)
        worst = flips.flip_probability(tau, m, delta)
        assert blind / worst == pytest.approx(height / 2, rel=1e-6)
    assert flips.blind_flip_probability(0.1, m, 0.0, d) == 0.0


def test_a_blind_move_is_counted_in_networks() -> None:
    m, d, delta = 4096, 3, 4096**-0.6
    tau = math.sqrt(2 / m)
    point, hits = np.array([[HALF, 0.0, 0.5]]), 0
    for seed in range(20):
        network = TwoLayerNetwork.initialize(m, d, rng=seed, tau=tau)
        move = np.random.default_rng([seed, 1]).standard_normal((m, d))
        move *= delta / np.linalg.norm(move, axis=1, keepdims=True)
        now = network.with_weights(network.W + move)
        hits += int((network.active_mask(point) != now.active_mask(point)).sum())
    share = clopper_pearson(hits, 20 * m, 0.999)
    assert share.contains(flips.blind_flip_probability(tau, m, delta, d))
    assert share.excludes(flips.flip_probability(tau, m, delta))


@settings(deadline=None, max_examples=40)
@given(
    m=st.integers(1, 120),
    t=st.floats(0.0, 3.0),
    theta=st.floats(1e-3, 3.0),
    seed=st.integers(0, 10**6),
)
def test_counts_along_the_circle_are_those_of_the_mask(
    m: int, t: float, theta: float, seed: int
) -> None:
    s = math.sqrt(2 / m)
    network = TwoLayerNetwork.initialize(m, 3, rng=seed, tau=t * s)
    angles = np.random.default_rng(seed).uniform(-20.0, 20.0, 50)
    points = np.column_stack([HALF * np.cos(angles), HALF * np.sin(angles), np.full(50, 0.5)])
    counts = flips.near_counts_on_circle(network, theta * s, angles)
    assert np.array_equal(counts, flips.near_mask(network, points, theta * s).sum(axis=1))
    best = flips.max_near_on_circle(network, theta * s)
    at = math.atan2(float(best.x[1]), float(best.x[0]))
    assert flips.near_counts_on_circle(network, theta * s, [at])[0] == best.count
