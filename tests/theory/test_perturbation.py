"""Promises of ``theory.perturbation``: exact suprema, exact laws, the bounds term by term."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from sublinear_lib import geometry
from sublinear_lib.network import PseudoNetwork, TwoLayerNetwork
from sublinear_lib.theory import cap_share, existence, flips, perturbation

HALF = math.sqrt(3.0) / 2.0


def value(v: np.ndarray, tau: float, form: str) -> np.ndarray:
    return np.where(v > tau, v if form == "jump" else v - tau, 0.0)


def searched(
    z: float, change: float, nu: float, delta: float, tau: float, form: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return v and v' at many moves: a grid of the disk, its circle, and the lines v, v' = tau."""
    h = math.sqrt(1.0 - nu * nu / 4.0)
    rng = np.random.default_rng(0)
    r, turn = delta * np.sqrt(rng.random(20_000)), 2.0 * np.pi * rng.random(20_000)
    around = np.linspace(0.0, 2.0 * np.pi, 8001)
    p = [r * np.cos(turn), delta * np.cos(around)]
    q = [r * np.sin(turn), delta * np.sin(around)]
    for side, level in ((-1.0, z - tau), (1.0, z + change - tau)):
        if abs(level) < delta:
            along = math.sqrt(delta**2 - level**2) * np.linspace(-1.0, 1.0, 2001) * (1.0 - 1e-9)
            for off in (0.0, 1e-10, -1e-10):
                p.append(-(level - off) * h - side * along * nu / 2.0)
                q.append(-(level - off) * side * nu / 2.0 + along * h)
    moves = np.array([np.concatenate(p), np.concatenate(q)])
    moves = moves[:, (moves**2).sum(axis=0) <= delta**2 * (1.0 + 1e-9)]
    v = z + h * moves[0] - nu / 2.0 * moves[1]
    return v, v + change + nu * moves[1]


CASES = [
    (nu, delta, tau, form)
    for nu in (0.01, 0.5, 1.9)
    for delta in (0.05, 1.0)
    for tau in (0.0, 0.1, 0.5)
    for form in ("jump", "continuous")
]


@pytest.mark.parametrize(("nu", "delta", "tau", "form"), CASES)
def test_range_of_one_neuron_is_what_a_search_finds(
    nu: float, delta: float, tau: float, form: str
) -> None:
    rng = np.random.default_rng(int(1000 * (nu + delta + tau)))
    for scale in (0.1 * nu * delta, nu * delta, delta, 3.0 * delta):
        z, change = tau + 1.2 * delta * rng.standard_normal(), scale * rng.standard_normal()
        jump = tau if form == "jump" else 0.0
        low, high = perturbation._range(np.array([z - tau]), np.array([change]), delta, nu, jump)
        v, moved = searched(z, change, nu, delta, tau, form)
        rise = value(moved, tau, form) - value(v, tau, form)
        case = f"z = {z}, change = {change}"
        # The search stays inside, but for its 1e-9 excess over the disk, and comes close.
        assert high[0] - 1e-3 * delta <= rise.max() <= high[0] + 1e-6, case
        assert low[0] - 1e-6 <= rise.min() <= low[0] + 1e-3 * delta, case
        for sign, on in ((1.0, (v <= tau) & (moved > tau)), (-1.0, (v > tau) & (moved <= tau))):
            found = perturbation.worst_perturbation([z], [change], [sign], nu, delta, tau, form)
            assert found.parkable == int(on.any()), case


def test_range_without_a_ball_is_the_change_itself() -> None:
    z, change = np.array([-1.0, 0.2, 0.6, 2.0]), np.array([0.5, 0.6, -0.4, 0.3])
    for form in ("jump", "continuous"):
        low, high = perturbation._range(z - 0.5, change, 0.0, 1.0, 0.5 * (form == "jump"))
        expected = value(z + change, 0.5, form) - value(z, 0.5, form)
        assert low == pytest.approx(expected, abs=1e-15)
        assert high == pytest.approx(expected, abs=1e-15)


# --- networks ---


def pair(d: int, nu: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    first, second = geometry.directions(geometry.sample_slice(2, d, rng))
    tangent = second - (second @ first) * first
    tangent /= np.linalg.norm(tangent)
    angle = geometry.cap_angle(nu)
    both = np.array([first, math.cos(angle) * first + math.sin(angle) * tangent])
    x, moved = geometry.embed(both)
    return x, moved


@pytest.mark.parametrize("form", ["jump", "continuous"])
@pytest.mark.parametrize("side", ["above", "below"])
@pytest.mark.parametrize(
    ("m", "d", "nu", "tau"),
    [(300, 3, 0.4, 0.02), (1024, 8, 1 / 1024, 1024**-0.6), (2**14, 3, 2.0**-14, 2.0**-14)],
)
def test_the_network_itself_reaches_the_supremum_inside_the_ball(
    form: str, side: str, m: int, d: int, nu: float, tau: float
) -> None:
    delta = m**-0.6
    rng = np.random.default_rng(m)
    network = TwoLayerNetwork.initialize(m, d, rng=rng, tau=tau, activation=form)
    x, moved = pair(d, nu, rng)
    best = perturbation.perturbed_weights(network, x, moved, delta, side)  # type: ignore[arg-type]
    assert np.linalg.norm(best.W - network.W, axis=1).max() <= delta * (1.0 + 1e-12)
    assert best.share == pytest.approx(1.0, abs=1e-8)
    f = network.with_weights(best.W).forward([x, moved])
    assert best.change == pytest.approx((f[1] - f[0]) * (1 if side == "above" else -1))
    worst = perturbation.worst_perturbation_at(network, x, moved, delta)
    assert best.supremum == getattr(worst, side)
    assert worst.f == max(worst.above, worst.below)


def test_change_of_the_pseudo_network_is_attained() -> None:
    rng = np.random.default_rng(6)
    network = TwoLayerNetwork.initialize(200, 4, rng=rng, tau=0.05)
    x, moved = pair(4, 0.5, rng)
    before, after = network.active_mask([x, moved])
    mu = (moved - x) / np.linalg.norm(moved - x)
    aim = np.where(before, -1.0, 0.0)[:, None] * x + np.where(after, 1.0, 0.0)[:, None] * moved
    aim[before & after] = mu
    W = network.W + 0.1 * np.sign(network.a)[:, None] * aim
    g = PseudoNetwork(network, W).forward([x, moved])
    worst = perturbation.worst_perturbation_at(network, x, moved, 0.1)
    assert g[1] - g[0] == pytest.approx(worst.g, rel=1e-12)
    assert worst.flips == np.count_nonzero(before != after) > 0
    assert worst.both == np.count_nonzero(before & after) > 0
    terms = perturbation.g_terms(worst.both, worst.flips, 200**-0.2, 0.5, 0.1)
    assert terms.total == pytest.approx(worst.g, rel=1e-9)


# --- laws ---


@pytest.mark.parametrize("nu", [1e-3, 0.3, 1.5])
@pytest.mark.parametrize("delta", [0.02, 0.2, 5.0])
@pytest.mark.parametrize("t", [0.0, 1.0])
def test_parkable_probability_is_a_double_integral(nu: float, delta: float, t: float) -> None:
    m = 4
    tau = t * math.sqrt(2.0 / m)
    h = math.sqrt(1.0 - nu * nu / 4.0)
    spread = math.sqrt((1.0 + h * h) / m)

    def chance(kappa: float) -> float:
        # The window found by maximizing over the arc of q, not by the formula.
        q = np.linspace(max(-delta, -kappa), delta, 4001) if kappa > -delta else np.empty(0)
        if not q.size:
            return 0.0
        reach = float((h * np.sqrt(np.maximum(delta**2 - q**2, 0.0)) + nu * (kappa + q) / 2).max())
        inside = stats.norm.cdf((tau + reach) / spread) - stats.norm.cdf((tau - reach) / spread)
        return float(inside) * stats.norm.pdf(kappa * math.sqrt(m)) * math.sqrt(m)

    edges = [-min(delta, 4.0), -delta * nu / 2.0, 0.0, 4.5]
    exact = sum(
        integrate.quad(chance, low, high, epsrel=1e-7, limit=100)[0]
        for low, high in itertools.pairwise(edges)
        if high > low
    )
    assert perturbation.parkable_probability(tau, m, delta, nu) == pytest.approx(exact, rel=2e-5)


def test_half_of_the_near_neurons_are_parkable_in_a_thin_ball() -> None:
    m = 2**200
    for t in (0.0, 1.0):
        found = perturbation.expected_parkable(t * math.sqrt(2 / m), m, m**-0.6, 2.0**-200)
        expected = m**0.9 / (2.0 * math.sqrt(math.pi)) * math.exp(-t * t / 2.0)
        assert found == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("d", [3, 5, 12])
@pytest.mark.parametrize("t", [0.0, 1.5])
@pytest.mark.parametrize("nu", [2.0**-12, 0.1, 1.0])
def test_reachable_are_those_that_can_be_on_either_side_of_the_threshold(
    d: int, t: float, nu: float
) -> None:
    # Active somewhere in the cap, by symmetry silent somewhere, and all neurons are one or both.
    m = 2**12
    found = perturbation.reachable_flips(t * math.sqrt(2 / m), m, d, nu)
    both = cap_share(t, d, nu) + cap_share(-t, d, nu) - 1.0
    assert found == pytest.approx(m * both, rel=1e-6)
    assert perturbation.reachable_flips(0.01, 1000, 2, 0.5) == 0.0  # where x cannot move
    each = float(existence.flip_probability(nu, math.sqrt(2) * t))
    moved = perturbation.moved_flips(t * math.sqrt(2 / m), m, nu)
    assert moved == pytest.approx(m * each, rel=1e-6)
    assert found > moved


@pytest.mark.parametrize(("m", "number"), [(2**10, 2.5), (2**10, 8.0), (2**14, 18.0)])
def test_tail_bracket_contains_the_binomial_tail(m: int, number: float) -> None:
    low, high = perturbation.flip_tail_bracket(number, 1 / m, m, 1 / m)
    p = perturbation.moved_flips(1 / m, m, 1 / m) / m
    exact = stats.binom.logsf(math.floor(number), m, p)
    assert low <= exact + 1e-9 and exact <= high + 1e-9
    assert high - low < 0.1


def test_tail_bracket_of_huge_widths_is_that_of_the_poisson_law() -> None:
    m = 2**40
    low, high = perturbation.flip_tail_bracket(50.0, 0.0, m, 2.0**-40)
    mean = 1.0 / (math.pi * math.sqrt(2.0))
    exact = stats.poisson.logsf(50, mean)
    assert low == pytest.approx(exact, abs=0.01) and high == pytest.approx(exact, abs=0.01)
    assert perturbation.flip_tail_bracket(12, 0.1, 12, 0.5) == (-math.inf, -math.inf)


def test_a_probability_below_every_float_leaves_a_bound() -> None:
    # 56.6 standard deviations: the chance of one flip among 10^4 neurons is about exp(-1600)
    low, high = perturbation.flip_tail_bracket(0, 0.8, 10**4, 1e-4)
    assert low == -math.inf and -745 < high < -700


# --- bounds ---


def test_terms_are_their_formulas() -> None:
    f = perturbation.f_terms([0.5, 1.5, 2.0], a=0.5, nu=0.25, delta=0.125, jump=0.75)
    assert (f.initial, f.moves, f.jump) == (0.5, 0.046875, 1.125)
    assert f.total == 1.671875
    g = perturbation.g_terms(8, 3, a=0.5, nu=0.25, delta=0.125)
    assert (g.moves, g.flips, g.total) == (0.125, 0.1875, 0.3125)
    empty = perturbation.f_terms([], 1.0, 0.5, 0.5, 0.5)
    assert empty.total == 0.0
    assert perturbation.printed_f_bound(2**10, 3.0) == pytest.approx(0.25 + 3 / 1024)
    assert perturbation.printed_g_bound(2**10, 3.0) == pytest.approx(3 / 32)
    order = perturbation.repaired_f_order(64, 4, 0.5, 0.25, 0.125, 0.5)
    assert order == pytest.approx(4.0 * (0.25 + math.sqrt(math.log(64)) / 8 + 0.125))


# --- means and uniform bounds ---


@pytest.mark.parametrize("nu", [1 / 256, 0.2, 1.5])
@pytest.mark.parametrize("tau", [1 / 256, 0.036, 0.13])
@pytest.mark.parametrize("form", ["jump", "continuous"])
def test_means_of_the_changes_are_those_of_drawn_networks(nu: float, tau: float, form: str) -> None:
    m, delta, runs = 256, 256**-0.6, 200
    rng, h2 = np.random.default_rng(5), 1.0 - nu * nu / 4.0
    found = []
    for _ in range(runs):
        change = nu * rng.standard_normal(m) / math.sqrt(m)
        z = rng.standard_normal(m) * math.sqrt((1.0 + h2) / m) - change / 2.0
        worst = perturbation.worst_perturbation(z, change, np.ones(m), nu, delta, tau, form)
        found.append([(worst.above + worst.below) / 2, worst.g])
    f, g = np.mean(found, axis=0)
    error_f, error_g = 4.5 * np.std(found, axis=0) / math.sqrt(runs)
    assert abs(g - perturbation.expected_g_change(m, 1.0, nu, delta, tau)) < error_g
    low, high = perturbation.expected_f_change(m, 1.0, nu, delta, tau, form)
    assert low - error_f < f < high + error_f


@pytest.mark.parametrize("form", ["jump", "continuous"])
@pytest.mark.parametrize("d", [3, 6])
@pytest.mark.parametrize(("tau", "nu"), [(1 / 512, 1 / 512), (0.1, 0.01), (0.03, 0.7)])
def test_the_certified_change_is_kept_at_many_points_for_many_draws(
    form: str, d: int, tau: float, nu: float
) -> None:
    m, rng = 512, np.random.default_rng(11)
    a, delta = m**-0.2, m**-0.6
    bound = perturbation.certified_change(m, d, a, nu, delta, tau, form, failure=1e-6)
    for _ in range(6):
        network = TwoLayerNetwork.initialize(m, d, rng=rng, tau=tau, activation=form)
        assert np.linalg.norm(network.W, axis=1).max() <= bound.norm
        for _ in range(4):
            worst = perturbation.worst_perturbation_at(network, *pair(d, nu, rng), delta)
            assert worst.f <= bound.f.total
            assert worst.g <= bound.g.total
            assert worst.flips <= bound.flips
            assert worst.parkable <= bound.crossing <= bound.able
    assert (bound.f.jump > 0.0) == (form == "jump")


def test_the_terms_of_the_certified_change_are_made_of_its_numbers() -> None:
    m, d, a, nu, delta, tau = 4096, 3, 0.25, 0.01, 0.005, 0.03
    bound = perturbation.certified_change(m, d, a, nu, delta, tau, "jump")
    assert bound.f.initial == pytest.approx(a * nu * bound.norm * bound.able)
    assert bound.f.moves == pytest.approx(a * nu * delta * bound.able)
    assert bound.f.jump == pytest.approx(a * tau * bound.crossing)
    assert bound.g.moves == pytest.approx(a * nu * delta * bound.able)
    assert bound.g.flips == pytest.approx(a * delta * bound.flips)
    quarter = flips.largest_norm_bound(m, d, 2.5e-4)
    assert bound.norm == quarter
    assert bound.flips == flips.uniform_near_bound(tau, m, d, quarter * nu, 2.5e-4)
