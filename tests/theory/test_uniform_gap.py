"""The gap on all of X: the supremum as a network, certified bounds, and their proved constants."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from sublinear_lib import geometry, scaling
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.theory import flips, gap_parts, uniform_constants, uniform_gap, worst_case
from sublinear_lib.theory.uniform_constants import constant_suffices
from tests.theory.oracles import ACTIVATIONS


@settings(deadline=None, max_examples=40)
@given(
    m=st.integers(1, 60),
    d=st.integers(2, 5),
    seed=st.integers(0, 10**6),
    t=st.sampled_from([0.0, 0.5, 1.5]),
    theta=st.floats(0.0, 3.0),
    side=st.sampled_from(["above", "below"]),
)
def test_the_network_takes_the_supremum_at_every_point(
    m: int, d: int, seed: int, t: float, theta: float, side: worst_case.Side
) -> None:
    s = math.sqrt(2 / m)
    start = TwoLayerNetwork.initialize(m, d, rng=seed, tau=t * s, activation="continuous")
    points = geometry.sample_slice(5, d, seed)
    whole = uniform_gap.worst_gap_network(start, theta * s, side).forward(points)
    bare = uniform_gap.worst_gap_network(start, theta * s, side, centered=True).forward(points)
    for x, value, rest in zip(points, whole, bare, strict=True):
        gap = worst_case.worst_gap_at(start, x, theta * s)
        expected = gap.above if side == "above" else gap.below
        first = gap.initial_output if side == "above" else -gap.initial_output
        assert value == pytest.approx(expected, abs=1e-10)
        assert rest == pytest.approx(expected - first, abs=1e-10)


def test_the_network_has_at_most_three_neurons_for_each() -> None:
    start = TwoLayerNetwork.initialize(100, 3, "R3", rng=0)
    up = int(np.count_nonzero(start.a > 0))
    assert uniform_gap.worst_gap_network(start, 0.1).m == 3 * up + (100 - up)
    assert uniform_gap.worst_gap_network(start, 0.1, "below", centered=True).m == 3 * (100 - up)
    falling = TwoLayerNetwork([[1.0, 0.0]], [-1.0], [0.0], 0.1, "continuous")
    none = uniform_gap.worst_gap_network(falling, 0.1, centered=True)
    assert (none.m, none.forward([[math.sqrt(3) / 2, 0.5]])[0]) == (1, 0.0)


@pytest.mark.parametrize("form", ACTIVATIONS)
def test_the_parts_of_the_bound_are_what_the_proof_says(form: str) -> None:
    m, d, a, t, theta, failure = 4096, 5, 0.3, 1.2, 0.3, 1e-5
    s = math.sqrt(2 / m)
    tau, delta = t * s, theta * s
    found = uniform_gap.certified_gap_bound(m, d, a, delta, tau, form, failure)

    def height(z: float) -> float:
        if form == "continuous":
            return max(delta - abs(z - tau), 0.0)
        return (tau + delta) * min(1.0, max(2.0 - abs(z - tau) / delta, 0.0))

    points = [tau + k * delta for k in (-2, -1, 0, 1, 2)]
    first, second = (
        integrate.quad(
            lambda z: height(z) ** k * stats.norm.pdf(z, scale=s),  # noqa: B023
            points[0],
            points[-1],
            points=points,
            epsabs=0,
            epsrel=1e-12,
        )[0]
        for k in (1, 2)
    )
    assert found.mean == pytest.approx(a * m * first, rel=1e-9)
    assert found.variance == pytest.approx(a**2 * m * (second - first**2), rel=1e-9)
    assert found.largest == pytest.approx(a * height(tau), rel=1e-12)
    assert found.log_net == pytest.approx(4 * math.log(1 + math.sqrt(3) / found.spacing))
    rate = found.deviation**2 / 2 / (found.variance + found.largest * found.deviation / 3)
    assert rate == pytest.approx(found.log_net + math.log(2 / failure), rel=1e-12)
    k, need = m * (d - 1), math.log(2 / failure)
    length = math.sqrt(k + 2 * math.sqrt(k * need) + 2 * need)
    # Laurent and Massart's bound is not below the quantile it stands for, and close to it.
    assert 1.0 <= length**2 / stats.chi2.isf(failure / 2, k) < 1.01
    slope = 1.0 if form == "continuous" else (tau + delta) / delta
    assert found.mesh == pytest.approx(a * slope * length * found.spacing, rel=1e-12)
    assert found.value == found.mean + found.deviation + found.mesh
    assert found.failure == failure


@pytest.mark.parametrize("d", [2, 3, 6])
@pytest.mark.parametrize(("m", "t"), [(2**8, 1.5), (2**12, 0.0)])
def test_the_bound_on_b_holds_at_many_points_and_solves_its_equation(
    d: int, m: int, t: float
) -> None:
    s, a = math.sqrt(2 / m), m**-0.2
    found = uniform_gap.certified_initial_bound(m, d, a, t * s, 1e-4)
    tail = gap_parts.log_initial_output_tail(found.deviation, m, a, t * s, "continuous")
    assert tail + found.log_net == pytest.approx(math.log(1e-4 / 2), rel=1e-6)
    assert tail + found.log_net <= math.log(1e-4 / 2) + 1e-9
    assert math.sqrt(found.variance) == pytest.approx(
        gap_parts.initial_output_std(m, a, t * s, "continuous"), rel=1e-9
    )


def test_the_stated_size_is_the_product_of_its_factors() -> None:
    m, a, delta, tau = 400, 0.3, 0.02, 0.05
    base = a * m**1.5 * stats.norm.pdf(tau * math.sqrt(m / 2)) * delta
    assert uniform_gap.thin_window_size(m, a, delta, tau) == pytest.approx(base * delta)
    assert uniform_gap.thin_window_size(m, a, delta, tau, "jump") == pytest.approx(
        base * (delta + tau)
    )


def test_the_size_of_a_net_is_that_of_a_quotient_of_balls() -> None:
    for d, nu in ((2, 0.1), (3, 1e-3), (30, 1e-6)):
        radius = math.sqrt(0.75)
        ratio = (radius + nu / 2) / (nu / 2)
        assert uniform_gap.log_net_size(d, nu) == pytest.approx((d - 1) * math.log(ratio))
    assert uniform_gap.log_net_size(50, 1e-300) < 49 * 700


@pytest.mark.parametrize("d", [2, 3, 10, 100])
@pytest.mark.parametrize("power", [0.2, 0.3, 0.5])
def test_the_union_width_is_where_the_two_sides_cross(d: int, power: float) -> None:
    m = uniform_gap.smallest_union_width(d, power)

    def spare(width: float) -> float:
        return width**power - (d - 1) * math.log(1 + math.sqrt(3) * width)

    assert spare(0.999 * m) < 0 < spare(1.001 * m)
    for factor in (2.0, 1e3, 1e6):
        assert spare(factor * m) > 0
        assert m / factor < 2 or spare(m / factor) < 0
    assert uniform_gap.smallest_union_width(3, 0.01) == math.inf  # beyond all floats


@pytest.mark.parametrize("form", ACTIVATIONS)
def test_no_net_of_ones_own_choice_beats_the_best_by_more_than_its_grid(form: str) -> None:
    m, s = 2**12, math.sqrt(2 / 2**12)
    sizes = (m, 3, 0.2, 0.1 * s, s, form)
    best = uniform_gap.certified_gap_bound(*sizes)
    again = uniform_gap.certified_gap_bound(*sizes, spacing=best.spacing)
    assert again == best
    for spacing in np.geomspace(1e-7, 1.0, 60):
        own = uniform_gap.certified_gap_bound(*sizes, spacing=float(spacing))
        assert own.spacing == spacing
        assert own.log_net == pytest.approx(2 * math.log1p(math.sqrt(3) / spacing))
        assert own.mesh == pytest.approx(best.mesh * spacing / best.spacing)
        assert own.value > 0.95 * best.value
    fine, coarse = (uniform_gap.certified_gap_bound(*sizes, spacing=v) for v in (1e-6, 1e-2))
    assert fine.deviation > coarse.deviation and fine.mesh < coarse.mesh


@settings(deadline=None, max_examples=30)
@given(m=st.integers(1, 60), d=st.integers(2, 6), seed=st.integers(0, 10**6))
def test_the_slope_holds_between_any_two_points(m: int, d: int, seed: int) -> None:
    s = math.sqrt(2 / m)
    start = TwoLayerNetwork.initialize(m, d, rng=seed, tau=0.5 * s, activation="continuous")
    slope = uniform_gap.gap_slope(start)
    points = geometry.sample_slice(12, d, seed)
    sides: tuple[worst_case.Side, ...] = ("above", "below")
    values = np.max(
        [uniform_gap.worst_gap_network(start, s, v, centered=True).forward(points) for v in sides],
        axis=0,
    )
    for i in range(12):
        for j in range(i):
            distance = np.linalg.norm(points[i] - points[j])
            assert abs(values[i] - values[j]) <= slope * distance + 1e-9


def test_one_neuron_attains_the_slope_and_a_jump_has_none() -> None:
    direction = np.array([[2.0, 0.0, 5.0]])
    start = TwoLayerNetwork(direction, [3.0], [-2.5], 0.0, "continuous")  # z = 2 x_1
    near = geometry.embed(np.array([[c, math.sqrt(1 - c * c)] for c in (0.001, 0.002)]))
    gaps = uniform_gap.worst_gap_network(start, 1.0, centered=True).forward(near)
    rate = abs(gaps[1] - gaps[0]) / np.linalg.norm(near[1] - near[0])
    assert rate == pytest.approx(uniform_gap.gap_slope(start), rel=1e-5)
    assert uniform_gap.gap_slope(start) == 6.0
    jump = TwoLayerNetwork(direction, [3.0], [0.0], 0.1)
    with pytest.raises(ValueError, match="no Lipschitz constant"):
        uniform_gap.gap_slope(jump)


def test_the_ceiling_is_the_lowest_that_the_values_allow() -> None:
    rng = np.random.default_rng(1)
    net, X = rng.standard_normal((7, 3)), rng.standard_normal((50, 3))
    slope = 1.3
    heights = net[:, 0]  # the first coordinate is 1-Lipschitz
    roof = uniform_gap.net_ceiling(X, net, heights, slope)
    assert (roof >= X[:, 0]).all()
    assert uniform_gap.net_ceiling(net, net, heights, slope) == pytest.approx(heights)
    slow = [
        min(h + slope * np.linalg.norm(x - p) for p, h in zip(net, heights, strict=True)) for x in X
    ]
    assert roof == pytest.approx(slow)
    with pytest.raises(ValueError, match="slope"):
        uniform_gap.net_ceiling(X, net, heights, -1.0)
    with pytest.raises(ValueError, match="values"):
        uniform_gap.net_ceiling(X, net, heights[:-1], 1.0)


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


@pytest.mark.either_way
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


@pytest.mark.either_way
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


@pytest.mark.either_way
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


@pytest.mark.either_way
def test_eight_is_proved_for_active_neurons() -> None:
    assert constant_suffices("active", 8.0)


@pytest.mark.either_way
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
