"""The proof of existence: exact means, explicit weights and their spread, smallest radii, flips."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from numpy.polynomial import hermite_e
from numpy.polynomial import polynomial as power_basis
from scipy import integrate, optimize, special, stats

from sublinear_lib.geometry import SLICE_RADIUS
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.theory import existence, sampling_error
from sublinear_lib.theory.polynomials import Polynomial
from tests.theory.oracles import circle, phi

HALF = Fraction(1, 2)
CUBIC = Polynomial((Fraction(3, 10), HALF, Fraction(-2, 5), Fraction(1, 5)))
SQUARE = Polynomial((Fraction(0), Fraction(0), Fraction(1)))
ROOT2 = math.sqrt(2)


def he(k: int, x: float | np.ndarray) -> float | np.ndarray:
    return hermite_e.hermeval(x, [0.0] * k + [1.0])


# Hermite polynomials


@pytest.mark.parametrize("k", [0, 1, 2, 5, 10])
def test_hermite_polynomials_are_those_of_the_normal_law(k: int) -> None:
    expected = hermite_e.herme2poly([0.0] * k + [1.0])
    assert [int(c) for c in existence.hermite(k).coefficients] == list(expected.astype(int))


@pytest.mark.parametrize("k", range(7))
@pytest.mark.parametrize("theta", [-1.5, 0.0, 0.25, 3.0])
def test_the_half_line_identity_agrees_with_quadrature(k: int, theta: float) -> None:
    found = float(existence.hermite_half_line(k, theta))
    exact = integrate.quad(lambda g: he(k, g) * phi(g), theta, 40, epsabs=1e-12, limit=200)[0]
    assert found == pytest.approx(exact, rel=1e-8, abs=1e-10)


# The factors of the thresholds


@pytest.mark.parametrize("k", range(6))
def test_a_mass_is_positive_at_the_own_threshold_which_is_the_default(k: int) -> None:
    for tau in (0.0, 0.5, 3.0):
        found = existence.hermite_mass(k, tau, tau)
        assert float(found) > 0 and found == existence.hermite_mass(k, tau)


@pytest.mark.parametrize("k", range(1, 8))
@pytest.mark.parametrize("tau", [0.0, 0.8, -2.5, 6.0])
def test_the_floor_of_a_mass_is_the_larger_of_two_bounds_and_below_it(k: int, tau: float) -> None:
    n, t = k - 1, tau / ROOT2
    bounds = abs(he(n, t)) / ROOT2**n, (n / (2 * math.e)) ** (n / 2)
    floor = existence.hermite_mass_floor(k, tau)
    expected = math.exp(-t * t / 2) / (2 * math.sqrt(math.pi)) * max(bounds)
    assert floor == pytest.approx(expected, rel=1e-12)
    assert floor <= float(existence.hermite_mass(k, tau)) * (1 + 1e-12)


# The feature


@pytest.mark.parametrize("k", range(5))
def test_the_feature_is_its_formula(k: int) -> None:
    target = Polynomial((*[Fraction(0)] * k, Fraction(-3, 2)))
    feature = existence.hermite_feature(target, 1, 5)
    g = np.array([-5.5, -2.0, 0.3, 1.7, 4.9, 5.1])
    b = np.array([0.4, -3.0, 2.2, 0.9, 0.1, 0.3])
    factor = -1.5 / float(existence.hermite_mass(k, 1))
    signs = np.sign(he(k - 1, 1.0 - b)) if k else np.ones(6)
    for z in (Fraction(4, 5), Fraction(-3, 10)):
        exact = existence.hermite_feature(target, 1).expectation(z, 1)
        assert exact.lower == exact.upper == target(z)
    kept = np.abs(g) <= 5 if k else np.ones(6)
    np.testing.assert_allclose(feature(g, b), factor * he(k, g) * signs * kept, rtol=1e-8)
    assert [mass is not None for mass in feature.masses] == [False] * k + [True]


@pytest.mark.parametrize("built_for", [0, 2])
@pytest.mark.parametrize("level", [4, Fraction(9, 2)])
def test_a_cut_feature_has_its_bound_and_its_error(built_for: int, level: int | Fraction) -> None:
    feature = existence.hermite_feature(CUBIC, built_for, level)
    factors = [
        abs(float(c)) / float(existence.hermite_mass(k, built_for))
        for k, c in enumerate(CUBIC.coefficients)
    ]
    R = float(level)
    bound = sum(f * he(k, R) for k, f in enumerate(factors))
    assert float(feature.bound) == pytest.approx(bound, rel=1e-9)
    g = np.linspace(-R - 1, R + 1, 2001)
    for b in (-2.0, 0.1, 1.4, 3.0):
        assert np.abs(feature(g, np.full(g.size, b))).max() <= bound * (1 + 1e-12)
    lost = sum(
        f * 2 * integrate.quad(lambda x, k=k: he(k, x) * phi(x), R, 40, epsabs=1e-14)[0]
        for k, f in enumerate(factors)
        if k
    )
    assert float(feature.error) == pytest.approx(lost, rel=1e-6)


def test_the_cut_is_at_the_smallest_level_on_its_grid() -> None:
    feature = existence.bounded_feature(CUBIC, 1, Fraction(1, 100))
    below = existence.hermite_feature(CUBIC, 1, feature.level - Fraction(1, 8))
    assert feature.error.upper <= Fraction(1, 100) < below.error.lower


def test_a_level_below_a_bump_is_refused() -> None:
    quartic = Polynomial((*[Fraction(0)] * 4, Fraction(1)))
    for level in (1, Fraction(5, 2)):  # He_4 has its last zero at 2.33, and |He_4(sqrt 3)| = 6
        with pytest.raises(ValueError, match="He_4"):
            existence.hermite_feature(quartic, 0, level)
    assert existence.hermite_feature(quartic, 0, Fraction(27, 10)).level == Fraction(27, 10)
    # He_3 is as high at -1 as at 2: not strictly larger at the end
    with pytest.raises(ValueError, match="He_3"):
        existence.hermite_feature(Polynomial((*[Fraction(0)] * 3, Fraction(1))), 0, 2)


# The explicit weights


def test_the_explicit_weights_are_those_of_the_proof() -> None:
    m, d = 11, 3
    rng = np.random.default_rng(5)
    W, b = rng.standard_normal((m, d)) / math.sqrt(m), rng.standard_normal(m) / math.sqrt(m)
    a = rng.choice([-0.3, 0.3], m)
    X, y = circle([0.0, 2.0, 4.0]), np.array([1.0, -0.5, 0.25])
    feature = existence.hermite_feature(CUBIC, 1)
    shifts = existence.explicit_shifts(feature, W, b, a, X, y)
    owner = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2]
    length = {0: 3, 1: 3, 2: 5}
    for r, i in enumerate(owner):
        g = math.sqrt(m) * float(W[r] @ X[i])
        h = float(feature(np.array([g]), np.array([math.sqrt(m) * b[r]]))[0])
        assert shifts[r] == pytest.approx(2 * y[i] * h / (a[r] * length[i]), rel=1e-10)


# The smallest radius


def sample(m: int, seed: int, alpha: float = 0.2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng([8, seed, m])
    W, b = rng.standard_normal((m, 3)) / math.sqrt(m), rng.standard_normal(m) / math.sqrt(m)
    return W, b, rng.choice([-1.0, 1.0], m) * m**-alpha


def test_the_radius_is_that_of_the_program_without_grouping() -> None:
    m, eps = 40, 0.05
    W, b, a = sample(m, 2)
    X, y = circle([0.0, 0.2, 2.0, 2.2]), np.array([0.5, 0.5, -0.5, -0.5])
    design = ((W @ X.T + b[:, None] > 0.05) * a[:, None]).T / 2
    ones = np.ones((m, 1))
    rows = np.block(
        [
            [design, np.zeros((4, 1))],
            [-design, np.zeros((4, 1))],
            [np.eye(m), -ones],
            [-np.eye(m), -ones],
        ]
    )
    limits = np.concatenate([y + eps, eps - y, np.zeros(2 * m)])
    plain = optimize.linprog(
        [0.0] * m + [1.0], A_ub=rows, b_ub=limits, bounds=[(None, None)] * (m + 1)
    )
    found = existence.smallest_radius(W, b, a, 0.05, X, y, eps)
    assert found.upper == pytest.approx(plain.fun, rel=1e-7)
    assert 0 < found.lower <= found.upper
    assert found.kappa == pytest.approx(found.upper * np.abs(a).sum(), rel=1e-12)


def test_the_moves_are_within_the_radius_and_meet_the_targets() -> None:
    m, eps = 512, 0.1
    W, b, a = sample(m, 3)
    tau = math.sqrt(2 / m)
    arcs = np.concatenate([v + np.linspace(-0.15, 0.15, 5) for v in (0.0, 2.0, 4.2)])
    X, y = circle(arcs), np.repeat([0.5, -0.5, 0.4], 5)
    found = existence.smallest_radius(W, b, a, tau, X, y, eps)
    moved = W.copy()
    moved[:, 2] += found.shifts
    values = PseudoNetwork(TwoLayerNetwork(W, a, b, tau, "jump"), moved).forward(X)
    assert np.abs(found.shifts).max() == found.upper
    assert np.abs(values - y).max() == pytest.approx(found.error, rel=1e-9)
    assert found.error <= eps * (1 + 1e-6)
    # the certificate: even along other directions, nothing below the lower radius fits
    assert 0.3 * found.upper < found.lower < found.upper


def test_targets_within_the_tolerance_need_no_move_and_some_are_met_by_no_weights() -> None:
    W, b, a = sample(64, 4)
    found = existence.smallest_radius(W, b, a, 0.0, circle([0.0, 2.0]), np.array([0.1, -0.1]), 0.2)
    assert found.upper == found.lower == found.kappa == 0.0
    with pytest.raises(ValueError, match="targets"):
        existence.smallest_radius(W, b, a, 9.0, circle([0.0]), np.array([1.0]), 0.1)


# C.18


@pytest.mark.parametrize("tau", [Fraction(1, 100), Fraction(1, 3), 1, 4])
def test_the_bridge_from_zero_to_tau_is_linear_and_the_printed_one_is_not(
    tau: int | Fraction,
) -> None:
    law = stats.norm(scale=ROOT2)
    found, printed = existence.bridge(tau), existence.bridge(tau, as_printed=True)
    line = float(tau) / (2 * math.sqrt(math.pi))
    assert float(found.left) == pytest.approx(law.cdf(float(tau)) - 0.5, rel=1e-12)
    assert float(printed.left) == pytest.approx(law.cdf(float(tau)), rel=1e-12)
    assert float(found.right) == float(printed.right) == pytest.approx(line, rel=1e-12)
    assert found.holds
    assert printed.holds == (tau == 4)


def test_the_union_bound_needs_more_than_the_printed_width() -> None:
    k, d, ratio = 5_000, 3, Fraction(7, 2)
    found = existence.union_bound_condition(k, d, ratio, Fraction(3, 2), Fraction(1, 4))
    needed = math.log(2) + 4.5 * math.log(k) + math.sqrt(k) / 4
    assert float(found.left) == pytest.approx(needed, rel=1e-12)
    assert found.right.lower == found.right.upper == Fraction(k) / (2 * ratio**2)
    # the printed width k = c_1 d ratio^2, at a ratio that beats the constant
    assert not existence.union_bound_condition(1000 * d * 10000**2, d, 10000).holds
    assert existence.union_bound_condition(100 * 1000**4, d, 1000).holds


# C.19


@pytest.mark.parametrize("nu", [0.01, 0.5, 1.2, 2.0])
@pytest.mark.parametrize("tau", [0.0, 0.7, -2.0])
def test_the_flip_probability_agrees_with_the_bivariate_normal_law(nu: float, tau: float) -> None:
    # Pr[z >= tau > z'] = T-function free form: Phi(h) - Phi_2(h, h; r), doubled
    h, r = tau / ROOT2, 1 - nu * nu / 4

    def given(u: float) -> float:
        return phi(u) * special.ndtr((h - r * u) / math.sqrt(1 - r * r))

    exact = 2 * integrate.quad(given, h, h + 12, epsabs=1e-13, limit=400, points=[h + nu])[0]
    found = float(existence.flip_probability(nu, tau))
    assert found == pytest.approx(exact, rel=1e-7)
    assert found <= nu / 4 * math.exp(-tau * tau / 4) * (1 + 1e-12)


@pytest.mark.parametrize("d", [1, 2, 3, 10])
def test_the_reachable_flips_are_bounded_by_the_mean_norm(d: int) -> None:
    found = float(existence.reachable_flip_bound(Fraction(1, 100), d))
    assert found == pytest.approx(0.01 * math.sqrt(2 / math.pi) * stats.chi(d).mean(), rel=1e-12)
    # Attained up to a factor between one and two, in the limit of short moves.
    if d > 1:
        assert found / 2 < existence.reachable_flip_probability(0.01, 0.0, d) < found


@pytest.mark.parametrize("d", [2, 3, 8, 40])
@pytest.mark.parametrize("tau", [0.0, 0.5, -2.0])
def test_the_rate_of_reachable_flips_is_their_derivative(d: int, tau: float) -> None:
    rate = existence.reachable_flip_rate(tau, d)
    assert existence.reachable_flip_probability(1e-6, tau, d) * 1e6 == pytest.approx(rate, rel=1e-9)
    assert rate == pytest.approx(existence.reachable_flip_rate(-tau, d), rel=1e-13)


# The supremum over the circle


@pytest.mark.parametrize("tau", [0.0, 0.4, -0.3])
def test_the_largest_deviation_is_that_of_a_fine_grid(tau: float) -> None:
    rng, n = np.random.default_rng(1), 60
    w, b, values = rng.standard_normal((n, 3)), rng.standard_normal(n), rng.standard_normal(n) / n
    X, y = circle([0.0, 2.5]), np.array([1.0, -0.7])
    found = existence.largest_deviation_on_circle(values, w, b, tau, CUBIC, X, y)
    P = circle(np.linspace(0, 2 * math.pi, 200_001))
    aim = power_basis.polyval(P @ X.T, [float(c) for c in CUBIC.coefficients]) @ y
    grid = np.abs((P @ w.T + b > tau) @ values - aim).max()
    assert grid <= found + 1e-12
    assert found == pytest.approx(grid, abs=2e-4)


ONE = [1.0, 0.0, 0.0]
EDGES = {
    # z^2 at x = 0 degrees: z = 1/4 + 3/4 cos v runs over [-1/2, 1], so z^2 over [0, 1]
    "always active": ([0.75], [[0.0, 0.0, 9.0]], [0.0], SQUARE, 0.75),
    "never active": ([0.75], [[0.0, 0.0, -9.0]], [0.0], SQUARE, 1.0),
    "one at all points but one, and one opposite": (
        *([1.0, 1.0], [ONE, ONE], [SLICE_RADIUS, -SLICE_RADIUS / 2]),
        *(Polynomial(()), 2.0),
    ),
    "one ends where the other begins": (
        *([1.0, 1.0], [ONE, [-1.0, 0.0, 0.0]], [0.0, 0.0]),
        *(Polynomial((Fraction(2),)), 2.0),
    ),
}


@pytest.mark.parametrize(("values", "w", "b", "target", "expected"), EDGES.values(), ids=EDGES)
def test_the_deviation_is_taken_at_critical_points_and_beside_the_ends_of_arcs(
    values: list[float], w: list[list[float]], b: list[float], target: Polynomial, expected: float
) -> None:
    given = np.array(values), np.array(w), np.array(b), 0.0, target, circle([0.0]), np.ones(1)
    found = existence.largest_deviation_on_circle(*given)
    assert found == pytest.approx(expected, abs=1e-12)


def test_neurons_that_cancel_each_other_do_not_count_where_they_begin_and_end() -> None:
    rng, n = np.random.default_rng(2), 20
    w, b, values = rng.standard_normal((n, 3)), rng.standard_normal(n), rng.standard_normal(n)
    X, y = circle([0.0, 2.5]), np.array([1.0, -0.7])
    pairs = np.concatenate((values, -values)), np.tile(w, (2, 1)), np.tile(b, 2)
    found = existence.largest_deviation_on_circle(*pairs, 0.1, CUBIC, X, y)
    none = existence.largest_deviation_on_circle(np.zeros(n), w, b, 0.1, CUBIC, X, y)
    assert found == pytest.approx(none, abs=1e-12)


# The target of the chapter


@pytest.mark.parametrize("zero", [Fraction(-1, 8), 0, Fraction(-1), 0.5])
def test_the_bump_is_one_at_one_and_touches_zero(zero: float | Fraction) -> None:
    q = existence.bump(zero)
    at = Fraction(zero)
    assert q(1) == 1 and q(at) == 0
    step = Fraction(1, 1000)
    assert q(at + step) == q(at - step) == (step / (1 - at)) ** 2


@pytest.mark.parametrize("rho", [0.0, 0.1, 0.4])
@pytest.mark.parametrize("target", [existence.bump(Fraction(-1, 8)), CUBIC])
def test_the_error_of_the_target_on_the_caps_is_that_of_a_fine_search(
    target: Polynomial, rho: float
) -> None:
    angles, y = np.array([0.0, 2.0, -2.2]), np.array([1.0, -0.6, 0.3])
    X, half = circle(angles), 2 * math.asin(rho / math.sqrt(3))
    largest = 0.0
    for middle, label in zip(angles, y, strict=True):
        points = circle(middle + half * np.linspace(-1, 1, 20_001))
        values = power_basis.polyval(points @ X.T, [float(c) for c in target.coefficients]) @ y
        largest = max(largest, float(np.abs(values - label).max()))
    found = existence.target_error_on_caps(target, X, y, rho)
    assert found == pytest.approx(largest, abs=1e-8)
    assert found >= largest - 1e-12


def test_shared_neurons_serve_every_point_as_if_it_were_alone() -> None:
    X, y = circle([0.0, 2.0, 4.0]), np.array([1.0, -1.0, 0.5])
    feature, start = (
        existence.hermite_feature(CUBIC, 0.3),
        TwoLayerNetwork.initialize(500, 3, rng=0),
    )
    weights = start.W, start.b, start.a
    shifts = existence.explicit_shifts(feature, *weights, X, y, shared=True)
    alone = [
        existence.explicit_shifts(feature, *weights, X[i : i + 1], y[i : i + 1]) for i in range(3)
    ]
    assert np.allclose(shifts, np.sum(alone, axis=0), rtol=1e-12, atol=1e-15)


BUMP = existence.bump(Fraction(-1, 8))
PAIRS = [(0.0, 0.0), (1.0, 1.0), (0.0, 1.0), (1.5, 0.5), (2.0, 2.0)]


def integrated(feature: existence.HermiteFeature, z: float, tau: float, power: int) -> float:
    """Integrate h^power over the active half-plane, without any identity of Hermite polynomials.

    Given <x', w> = g and b the pre-activation is normal with mean z g + b, variance 1 - z^2.
    """
    rest = math.sqrt(1.0 - z * z)
    g, g_weight = special.roots_hermitenorm(60)
    kinks = [-8.0, *sorted({float(feature.built_for) + s for s in (-1.0, 0.0, 1.0)}), 8.0]

    def inner(b: float) -> float:
        h = feature(g, np.full(g.shape, b)) ** power
        active = special.ndtr((z * g + b - tau) / rest)
        return float(g_weight @ (h * active)) / math.sqrt(2 * math.pi) * stats.norm.pdf(b)

    pieces = [integrate.quad(inner, *ends, epsabs=1e-10, limit=200) for ends in pairwise(kinks)]
    return sum(piece[0] for piece in pieces)


@pytest.mark.parametrize("target", [BUMP, CUBIC], ids=["parabola", "cubic"])
@pytest.mark.parametrize(("built_for", "tau"), PAIRS)
@pytest.mark.parametrize("z", [-0.6, 0.0, 0.5])
def test_mean_and_mean_square_agree_with_an_integral_that_knows_no_identity(
    target: Polynomial, built_for: float, tau: float, z: float
) -> None:
    feature = existence.hermite_feature(target, built_for)
    mean = power_basis.polyval(z, sampling_error.active_mean(feature, tau))
    square = power_basis.polyval(z, sampling_error.active_mean_square(feature, tau))
    assert mean == pytest.approx(integrated(feature, z, tau, 1), rel=1e-6, abs=1e-7)
    assert square == pytest.approx(integrated(feature, z, tau, 2), rel=1e-6)
    assert square > mean**2


@pytest.mark.parametrize("tau", [0.0, 0.25, 3.0, *(Fraction(k, 7) for k in range(1, 15, 2))])
def test_at_the_own_threshold_the_mean_is_the_target(tau: float | Fraction) -> None:
    feature = existence.hermite_feature(CUBIC, tau)
    assert sampling_error.active_mean(feature).tolist() == [0.3, 0.5, -0.4, 0.2]
    if isinstance(tau, float):
        own = sampling_error.active_mean_square(feature)
        assert np.array_equal(own, sampling_error.active_mean_square(feature, tau))


@pytest.mark.parametrize("m", [301, 600])
def test_the_deviation_is_that_of_the_pseudo_network_of_the_explicit_weights(m: int) -> None:
    X, y = circle([0.0, 2.0]), np.array([1.0, -0.5])
    at, tau, draws = circle([0.1, 1.0, 3.0]), 0.4, 3000
    feature = existence.hermite_feature(BUMP, tau)
    values = np.empty((draws, 3))
    for seed in range(draws):
        start = TwoLayerNetwork.initialize(m, 3, rng=seed, tau=tau / math.sqrt(m))
        W = np.array(start.W)
        W[:, 2] += existence.explicit_shifts(feature, start.W, start.b, start.a, X, y)
        values[seed] = PseudoNetwork(start, W).forward(at)
    expected = sampling_error.sampling_deviation(feature, m, X, y, at)
    spread = values.std(axis=0, ddof=1)
    # Heavy tails: the error of the sample variance is taken from the sample itself.
    fourth = ((values - values.mean(axis=0)) ** 4).mean(axis=0)
    error = np.sqrt((fourth - spread**4) / draws) / (2 * spread)
    assert (np.abs(spread - expected) < 4 * error).all(), (spread, expected, error)
    wanted = power_basis.polyval(at @ X.T, [1 / 81, 16 / 81, 64 / 81]) @ y
    assert (np.abs(values.mean(axis=0) - wanted) < 4 * expected / math.sqrt(draws)).all()


def test_the_error_falls_exactly_with_the_square_root_of_the_width() -> None:
    X, y = circle([0.0, 2.0, 4.0]), np.array([1.0, -1.0, 0.3])
    feature = existence.hermite_feature(CUBIC, 1)
    near, far = (
        sampling_error.sampling_deviation(feature, m, X, y, circle([0.5, 2.5]), 0.7)
        for m in (300, 30_000)
    )
    assert near == pytest.approx(10 * far, rel=1e-12)
    with pytest.raises(ValueError, match="y must"):
        sampling_error.sampling_deviation(feature, 300, X, y[:2], X)
