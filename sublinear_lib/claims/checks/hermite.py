r"""Hermite features and their sampling: Definition B.1, Lemmas B.3 and C.18, Claim C.19, (25).

Before changing a check, know how each is decided: the Hermite identity behind Lemma B.3 by
enclosures and by a two-dimensional quadrature that knows nothing of it, probabilities by exact laws
and second evaluations.  The formulas are in :mod:`sublinear_lib.theory.existence`; a check only
compares.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
from flint import acb, acb_poly, arb
from numpy.polynomial import hermite_e
from scipy import integrate, special, stats

from sublinear_lib._typing import FloatArray
from sublinear_lib.claims.collector import sweep
from sublinear_lib.claims.instruments import quadrature
from sublinear_lib.claims.instruments.points import circle
from sublinear_lib.claims.instruments.quadrature import CONSTANT, CUBIC, Z
from sublinear_lib.claims.stated import stated
from sublinear_lib.claims.topic import Budget, Collector, Rng, Topic
from sublinear_lib.theory import enclosures, existence, polynomials

topic = Topic("hermite")


def _half_line_by_integration(k: int, theta: Fraction) -> tuple[Fraction, Fraction]:
    """Enclose ``E[He_k(g) 1{g >= theta}]`` by certified integration up to 40.

    The part beyond 40 is below ``1e-300`` for the degrees used.
    """
    numbers = [round(float(c)) for c in hermite_e.herme2poly([0.0] * k + [1.0])]

    def recipe() -> arb:
        found = acb.integral(
            lambda x, _: acb_poly(numbers)(x) * (-x * x / 2).exp(),
            acb(enclosures.ball(theta)),
            acb(40),
        ).real
        return found / (2 * arb.pi()).sqrt() + 1  # so that a value near zero can be enclosed

    found = enclosures.enclose(recipe, 50)
    return found.lower - 1, found.upper - 1


# B.1 and B.3


def _complexity(target: polynomials.Polynomial, eps: float | None) -> float:
    sizes = [abs(float(value)) for value in target.coefficients]
    if eps is None:
        return CONSTANT * math.fsum((j + 1) ** 1.75 * size for j, size in enumerate(sizes))
    log = math.log(1.0 / eps)
    terms = [2.0 * sizes[0]]
    for j, size in enumerate(sizes[1:], start=1):
        terms.append(CONSTANT**j * (1.0 + math.sqrt(log / j) ** j) * size)
    return math.fsum(terms)


def _monomial(k: int) -> polynomials.Polynomial:
    return polynomials.Polynomial((Fraction(0),) * k + (Fraction(1),))


def _exact_complexity(target: polynomials.Polynomial, eps: Fraction | None = None) -> float:
    return math.exp(float(polynomials.log_complexity(target, CONSTANT, eps)))


@topic.check("def-b.1")
def _check_b1(look: Collector, budget: Budget, rng: Rng) -> None:
    worst = 0.0
    degrees = budget.pick(8, 40)
    for _ in range(budget.pick(20, 200)):
        size = int(rng.integers(1, degrees + 1))
        numbers = [Fraction(int(value), 7) for value in rng.integers(-50, 51, size)]
        target = polynomials.Polynomial((*numbers, Fraction(1)))
        eps = Fraction(int(rng.integers(1, 1000)), 1000)
        for accuracy in (eps, None):
            found = float(polynomials.log_complexity(target, CONSTANT, accuracy))
            direct = math.log(_complexity(target, None if accuracy is None else float(eps)))
            worst = max(worst, abs(found - direct))
    levels = [*(Fraction(1, 10**power) for power in (1, 3, 9, 27)), None]
    sizes = [Fraction(value) for value in CUBIC.coefficients]
    signs = polynomials.Polynomial(tuple(map(abs, sizes)))
    double = polynomials.Polynomial(tuple(2 * size for size in sizes))
    logs, without, doubled = (
        [polynomials.log_complexity(q, CONSTANT, eps) for eps in levels]
        for q in (CUBIC, signs, double)
    )
    blind = logs == without
    scaled = max(
        abs(float(b) - float(a) - math.log(2.0)) for a, b in zip(logs, doubled, strict=True)
    )
    increasing = all(first.upper < second.lower for first, second in pairwise(logs[:-1]))
    low, high = float(logs[0]), float(logs[-2])
    look("largest difference of log C from a second evaluation").at_most(worst, 1e-11)
    look.certified("log C(q, eps) for a cubic and eps = 1/10, ..., 10^-27").holds(
        increasing, f"{low:.3f} to {high:.3f}", "rises as eps falls"
    )
    look.certified("C depends on the absolute values of the coefficients only").holds(
        blind, "equal enclosures" if blind else "different enclosures", "equal"
    )
    look("error of C(2 q) = 2 C(q), in logarithms").at_most(scaled, 1e-12)


@topic.check("lem-b.3")
def _check_b3(look: Collector, budget: Budget, rng: Rng) -> None:
    outside = 0.0
    for k in range(budget.pick(6, 11)):
        for theta in (Fraction(-3, 2), Fraction(0), Fraction(1, 4), Fraction(2)):
            low, high = _half_line_by_integration(k, theta)
            closed = existence.hermite_half_line(k, theta)
            outside = max(outside, float(closed.lower - high), float(low - closed.upper))
    look.certified(
        "E[He_k(g) 1{g >= theta}] = He_{k-1}(theta) phi(theta), certified integrals"
    ).holds(
        outside <= 0.0,
        f"largest distance of the enclosures {max(outside, 0.0):.1g}",
        "enclosures meet",
    )
    off, target = 0.0, CUBIC
    thresholds = budget.pick((0.0, 1.0, 3.0), (0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0))
    for tau in thresholds:
        feature = existence.hermite_feature(target, tau)
        off = max(off, quadrature.miss(feature, tau))
    name = ", ".join(f"{tau:g}" for tau in thresholds)
    look(f"|E[h 1{{active}}] - q(z)| by quadrature, tau = {name}").at_most(off, 1e-8)
    _sampled_identity(look, budget, rng)
    one = existence.bounded_feature(_monomial(0), 0, Fraction(1, 12))
    complexity = _exact_complexity(_monomial(0), Fraction(1, 12))
    look.certified("phi = 1: max |h| = C(phi, eps) = 2").holds(
        2 in one.bound and abs(complexity - 2.0) < 1e-14,
        f"{float(one.bound):.12g}, {complexity:.12g}",
        "both 2",
    )
    bounds, errors, fits, tails, peaks = [], [], [], [], []
    for target in (*(_monomial(k) for k in range(1, budget.pick(5, 9))), CUBIC):
        eps = Fraction(1, 2 * math.ceil(_exact_complexity(target)))
        feature = existence.bounded_feature(target, 0, eps)
        bounds.append(_below_complexity(feature, eps))
        errors.append(float(feature.error.upper / eps))
        fits.append(quadrature.miss(feature, 0.0) / float(eps))
        tails.append(_tail_difference(feature))
        if target is not CUBIC:
            peaks.append(_peak_difference(feature))
    look.certified(f"log max|h| <= log C(phi, eps) with c = {CONSTANT}, eps = 1/(2 C(phi))").holds(
        all(item.holds for item in bounds),
        f"largest difference {max(float(i.left) - float(i.right) for i in bounds):.3f}",
        "<= 0",
    )
    look.certified("proven error of the bounded h, over eps").at_most(max(errors), 1.0)
    look("error of the bounded h by quadrature, over eps").at_most(max(fits), 1.0)
    look("proven error against its integral, relative").at_most(max(tails), 1e-7)
    look("proven max |h| against the value at a corner, relative").at_most(max(peaks), 1e-9)


def _sampled_identity(look: Collector, budget: Budget, rng: Rng) -> None:
    """Draw neurons, and compare the means of the proof with their closed forms."""
    size, chunk, z = budget.pick(1_000_000, 20_000_000), 500_000, 0.9
    rest = math.sqrt(1.0 - z * z)
    sums = np.zeros((3, 3, 2))
    for _ in range(size // chunk):
        g, other, b = rng.standard_normal((3, chunk))
        along = z * g + rest * other
        for i, k in enumerate((1, 2, 3)):
            values = hermite_e.hermeval(g, [0.0] * k + [1.0])
            for j, tau in enumerate((0.0, 1.0, 2.0)):
                signs = hermite_e.hermeval(tau - b, [0.0] * (k - 1) + [1.0]) >= 0.0
                terms = np.where(signs, values, -values)[along + b >= tau]
                sums[i, j] += terms.sum(), np.vdot(terms, terms)
    for i, k in enumerate((1, 2, 3)):
        for j, tau in enumerate((0, 1, 2)):
            mean, square = sums[i, j] / size
            error = math.sqrt((square - mean**2) / size)
            expected = z**k * float(existence.hermite_mass(k, tau))
            what = f"E[He_{k} s_{k} 1{{active}}] at z = 0.9, tau = {tau}"
            look(what).mean(float(mean), error, expected)


def _below_complexity(feature: existence.HermiteFeature, eps: Fraction) -> enclosures.Inequality:
    """Decide ``log max |h| <= log C(phi, eps)``."""
    most = feature.bound.upper
    complexity = polynomials.log_complexity(feature.target, CONSTANT, eps).lower
    return enclosures.decide(lambda: enclosures.ball(most).log(), "<=", complexity)


def _tail_difference(feature: existence.HermiteFeature) -> float:
    """Compare the error proven for a cut with ``2 sum_k |alpha_k| / N_k E[He_k(g) 1{g > R}]``."""
    total = 0.0
    for k, mass in enumerate(feature.masses):
        if k and mass is not None:
            tail = integrate.quad(
                lambda g, k=k: hermite_e.hermeval(g, [0.0] * k + [1.0]) * stats.norm.pdf(g),
                float(feature.level or 0),
                float(feature.level or 0) + 15.0,
                epsabs=0.0,
                epsrel=1e-10,
                limit=200,
            )[0]
            total += 2.0 * abs(float(feature.target.coefficients[k])) / quadrature.mass(k) * tail
    proven = float(feature.error)
    return abs(proven - total) / total if total else abs(proven)


def _peak_difference(feature: existence.HermiteFeature) -> float:
    """Compare the proven maximum of ``|h|`` of one term with its value at the end of the cut."""
    level = float(feature.level or 1)
    value = float(feature(np.array([level]), np.array([0.375]))[0])
    return abs(abs(value) / float(feature.bound) - 1.0)


def _errors_on_circle(
    widths: tuple[int, ...],
    seeds: int,
    rng: Rng,
    acting: float,
    built_for: float | None = None,
    power: float = 0.0,
) -> FloatArray:
    """Return sup over X of the error of the mean of h over k neurons, one row per seed.

    The threshold is ``acting k^power``; h is built for it, or for `built_for`.
    """
    X, one, cubic = circle([0.0]), np.ones(1), CUBIC

    def deviation(stream: Rng, k: int) -> float:
        tau = acting * k**power
        feature = existence.hermite_feature(cubic, tau if built_for is None else built_for)
        w, b = quadrature.neurons(k, 3, stream)
        values = feature(w @ X[0], b) / k
        return existence.largest_deviation_on_circle(values, w, b, tau, cubic, X, one)

    return sweep(rng.spawn(seeds), widths, deviation)


@topic.check("lem-c.18")
def _check_c18(look: Collector, budget: Budget, rng: Rng) -> None:
    widths = budget.pick((2**10, 2**12, 2**14), tuple(2**j for j in range(10, 20)))
    seeds = budget.pick(40, 24)
    label = f"sup over X of the error against k = 2^10 ... {widths[-1]}"
    flat = _errors_on_circle(widths, seeds, rng, 0.0)
    look(f"{label}, tau = 0").power(widths, flat, -0.5, -0.25)
    moved = _errors_on_circle(widths, seeds, rng, 1.0, 0.0, -0.5)
    look(f"{label}, h of tau = 0 at tau = k^(-1/2)").power(widths, moved, -0.5, -0.25)
    eps = Fraction(1, 50)
    inverse = math.exp(-float(polynomials.log_complexity(CUBIC, CONSTANT)))
    look.control("eps_3 = 1/50 against 1/C(q)").at_most(float(eps), inverse)
    k = budget.pick(2**16, 2**20)
    largest = _errors_on_circle((k,), budget.pick(2, 8), rng, 1.0, 0.0, -0.5)
    look(f"sup over X of the error, k = {k}, tau = k^(-1/2)").at_most(largest.max(), 3 * float(eps))
    feature = existence.bounded_feature(CUBIC, 0, eps)
    most = float(feature.bound.upper)
    w, b = quadrature.neurons(4096, 3, rng)
    a = np.where(rng.random(4096) < 0.5, -1.0, 1.0) * 4096**-0.2
    X, one = circle([0.0]), np.ones(1)
    shifts = existence.explicit_shifts(feature, w / 64.0, b / 64.0, a, X, one)
    active = w @ X[0] + b > 0.0
    direct = float((feature(w @ X[0], b) * active).mean())
    through = float(a[active] @ shifts[active]) / 2.0
    complexity = _exact_complexity(CUBIC, eps)
    look("k ||W^(i)||_{2,inf} over k^(1/5) C(q, eps_3), k = 4096").at_most(
        float(np.abs(shifts).max()) * 4096**0.8 / complexity, 2.0
    )
    look("max |h| over C(q, eps_3)").at_most(most / complexity, 1.0)
    look.control("sum of a_r <w_r^(i), x> 1{active} against the mean of h 1{active}").at_most(
        abs(through - direct), 1e-12
    )
    tau, z = 1.5, 0.6
    w, b = quadrature.neurons(budget.pick(400_000, 4_000_000), 2, rng)
    plain = existence.hermite_feature(CUBIC, 0)
    values = plain(w[:, 0], b) * (z * w[:, 0] + math.sqrt(1 - z * z) * w[:, 1] + b >= tau)
    bias = float(plain.expectation(Fraction(3, 5), Fraction(3, 2)))
    look.control("mean of h of tau = 0 at tau = 1.5, z = 0.6").sample(values, bias)
    look.control("the same by quadrature against its closed form").at_most(
        abs(quadrature.mean(plain, z, tau) - bias), 1e-9
    )
    stuck = _errors_on_circle((widths[-1],), 4, rng, tau, 0.0)
    grid = np.linspace(-0.5, 1.0, 61).tolist()
    limit = max(
        abs(float(plain.expectation(Fraction(z), Fraction(3, 2))) - quadrature.value(CUBIC, z))
        for z in grid
    )
    look.control.simulated(
        f"sup over X with h of tau = 0 at the constant tau = 1.5, k = {widths[-1]}, over its limit"
    ).at_least(stuck.min() / limit, 0.8)
    printed = existence.bridge(Fraction(1, 256), as_printed=True)
    needed = existence.union_bound_condition(10**6, 5, 7, Fraction(3, 2), 2)
    mistakes = (
        float(printed.left) - 0.5 - 0.5 * math.erf(1 / 512),
        float(printed.right) - 1 / 512 / math.sqrt(math.pi),
        float(needed.left) / (math.log(2.0) + 7.5 * math.log(1e6) + 2e3) - 1.0,
        float(needed.right) / (1e6 / 98.0) - 1.0,
    )
    look.control("sides of the two inequalities below against a second evaluation").at_most(
        max(abs(value) for value in mistakes), 1e-12
    )
    look.proof.certified(
        "equation (25) as printed: Pr[<w, x> + b < tau] at tau = k^(-1/2), k = 2^16"
    ).holds(printed.holds, float(printed.left), f"<= tau/(2 sqrt(pi)) = {float(printed.right):.3g}")
    quadrature.union_bound(look)


def _reachable_by_other_means() -> list[float]:
    """Return relative differences of the probabilities of Claim C.19 from second evaluations."""
    g, g_weight = quadrature.panels(np.array([-11.0, 11.0]))
    rest, rest_weight = quadrature.panels(np.array([0.0, 13.0]))
    density = np.outer(g_weight * stats.norm.pdf(g), rest_weight * stats.chi(7).pdf(rest))
    norm, missing = np.hypot(g[:, None], rest), 0.5 - g[:, None]
    gaps = []
    for nu in (0.01, 0.1, 1.0):
        inside = special.ndtr(missing + nu * norm) - special.ndtr(missing - nu * norm)
        found = existence.reachable_flip_probability(nu, 0.5, 8)
        gaps.append(found / float(np.vdot(density, inside)) - 1.0)
    for d in (2, 3, 8):
        mean = math.sqrt(2.0 / math.pi) * float(stats.chi(d).mean())
        gaps.append(float(existence.reachable_flip_bound(0.01, d)) / (0.01 * mean) - 1.0)
    cosine = 1.0 - 0.25**2 / 4.0
    owen = special.owens_t(0.5 / math.sqrt(2.0), math.sqrt((1.0 - cosine) / (1.0 + cosine)))
    gaps.append(float(existence.flip_probability(0.25, 0.5)) / (4.0 * float(owen)) - 1.0)
    return gaps


@topic.check("claim-c.19")
def _check_c19(look: Collector, budget: Budget, rng: Rng) -> None:
    _within_reach(look, budget, rng)
    gaps = _reachable_by_other_means()
    look.control(
        "probabilities of this check against other quadratures and Owen's function, relative"
    ).at_most(max(abs(value) for value in gaps), 1e-9)
    rate = existence.reachable_flip_rate(0.5, 3)
    small = existence.reachable_flip_probability(1e-6, 0.5, 3) * 1e6
    look("mean number over nu k as nu -> 0 against 2 E[|w| phi(tau - <w, x>)]").close(
        [(small, rate)], 1e-6
    )
    crude = max(
        existence.reachable_flip_probability(nu, tau, d)
        / float(existence.reachable_flip_bound(nu, d))
        for nu in (1e-3, 0.1, 1.0)
        for tau in (0.0, 0.5, 2.0)
        for d in (2, 3, 8, 32)
    )
    look("probability over sqrt(2/pi) nu E|w|, largest of 36 cells").at_most(crude, 1.0)
    _two_sums(look, rng)
    _two_states(look, budget, rng)
    rates = [(k, -float(stats.chi2.logsf(k, 3))) for k in (2**6, 2**8, 2**10)]
    powers = [rate / (k**2 / 3) for k, rate in rates]
    look.proof.computed("-log Pr[||w||^2 > k] over k^2/d for d = 3, k = 2^6, 2^8, 2^10").holds(
        powers[-1] > powers[0] / 2, ", ".join(f"{value:.3g}" for value in powers), "bounded below"
    )
    linear = min(rate / k for k, rate in rates)
    look.repair("-log Pr[||w||^2 > k] over k, smallest").at_least(linear, 0.25)


def _within_reach(look: Collector, budget: Budget, rng: Rng) -> None:
    """Count the neurons that a move of the input can switch."""

    def reached(rng: Rng, k: int, d: int, tau: float, nu: float) -> int:
        w, b = quadrature.neurons(k, d, rng)
        return int((np.abs(w[:, 0] + b - tau) <= nu * np.linalg.norm(w, axis=1)).sum())

    k, draws = 2**14, budget.pick(12, 200)
    for d, tau, nu in ((3, 0.5, 2.0**-7), (8, 1.5, 2.0**-7), (3, 0.5, 2.0**-3)):
        counts = [reached(rng, k, d, tau, nu) for _ in range(draws)]
        share = existence.reachable_flip_probability(nu, tau, d)
        look(
            f"neurons within reach of a move of length {nu:g}, k = {k}, d = {d}, tau = {tau}"
        ).binomial(float(np.mean(counts)), k * share, draws, k)
    widths = budget.pick((2**10, 2**12, 2**14, 2**16), tuple(2**j for j in range(10, 21)))
    streams = rng.spawn(budget.pick(10, 24))
    table = sweep(streams, widths, lambda own, k: reached(own, k, 3, 0.5, 1.0 / math.sqrt(k)))
    look("neurons within reach of a move of length k^(-1/2)").power(widths, table, 0.5, 1.0)
    worst = -math.inf
    for k, d in product((2**power for power in range(6, 21, 2)), (3, 8)):
        share = existence.reachable_flip_probability(1.0 / k, 0.5, d)
        log_tail = float(stats.binom.logsf(math.floor(4.0 * math.sqrt(k)), k, share))
        worst = max(worst, log_tail / math.sqrt(k))
    look(
        "log Pr[more than 4 sqrt(k) neurons within reach of 1/k] over sqrt(k), largest for k = 2^6 "
        "... 2^20, d = 3, 8"
    ).at_most(worst, -1.0)


def _two_sums(look: Collector, rng: Rng) -> None:
    """Look at the sums S_1 and S_2 of the proof at one move of the input."""
    k, tau, eps = 2**14, 0.5, Fraction(1, 50)
    w, b = quadrature.neurons(k, 3, rng)
    feature = existence.bounded_feature(CUBIC, tau, eps)
    X = circle([0.0, 1.0 / math.sqrt(k)])
    state = w @ X.T + b[:, None] >= tau
    h = feature(w @ X[0], b)
    first = abs(float(h @ state[:, 1] - h @ state[:, 0])) / k
    look.simulated(
        f"sqrt(k) S_1 / C(q, eps_3) at one move of length about k^(-1/2), k = {k}"
    ).at_most(first * math.sqrt(k) / _exact_complexity(CUBIC, eps), 1.0)
    chances = [
        existence.flip_probability(Fraction(1, 2**j), Fraction(1, 2)).upper * 2**j
        for j in (5, 8, 10)
    ]
    look.certified(
        "S_2 / C(q, eps_3) over nu = k^(-1/2), by Pr[states differ], k = 2^10, 2^16, 2^20"
    ).holds(max(chances) <= Fraction(1, 4), float(max(chances)), "<= 1/4")


def _two_states(look: Collector, budget: Budget, rng: Rng) -> None:
    """Draw neurons, and count those whose state differs at two inputs."""
    step, pairs = Fraction(1, 4), budget.pick(400_000, 8_000_000)
    g, other, b = rng.standard_normal((3, pairs))
    cosine = 1.0 - float(step) ** 2 / 2.0
    turned = cosine * g + math.sqrt(1.0 - cosine**2) * other
    flips = np.count_nonzero((g + b >= 0.5) != (turned + b >= 0.5))
    chance = float(existence.flip_probability(step, Fraction(1, 2)))
    look("share of neurons whose state differs at distance 1/4, tau = 1/2").binomial(
        flips / pairs, chance, pairs
    )


@topic.check("eq-25")
def _check_eq25(look: Collector, budget: Budget, rng: Rng) -> None:
    powers = budget.pick((4, 8, 12), tuple(range(2, 21)))
    printed = [existence.bridge(Fraction(1, 2**j), as_printed=True) for j in powers]
    size = budget.pick(200_000, 4_000_000)
    tau = 2.0**-4
    hits = np.count_nonzero(math.sqrt(2.0) * rng.standard_normal(size) < tau)
    smallest = min(item.left.lower for item in printed)
    one = existence.hermite_feature(polynomials.Polynomial((Fraction(1),)), 0)
    constant = float(one(np.zeros(1), np.zeros(1))[0])
    repaired = existence.bridge(Fraction(1, 2**8))
    look.print.certified(
        f"Pr[<w, x> + b < tau] over tau, tau = k^(-1/2), k = {4 ** powers[-1]}"
    ).holds(
        all(item.holds for item in printed),
        float(printed[-1].left) * 2.0 ** powers[-1],
        "bounded as k grows: O(tau)",
    )
    look.print.certified("Pr[<w, x> + b < tau], smallest over all tau = k^(-1/2) looked at").holds(
        smallest < Fraction(1, 2), float(smallest), "below 1/2, as O(tau) is for small tau"
    )
    below = existence.bridge(Fraction(1, 16), as_printed=True)
    look.control(f"share of neurons with <w, x> + b < tau, tau = {tau}").binomial(
        hits / size, float(below.left), size
    )
    look.control.closed_form("the h of Lemma B.3 for phi = 1").holds(
        constant == 2.0, constant, "= 2, so that E[h 1{z < tau}] = 2 Pr[z < tau] > 1"
    )
    look.certified("read with 0 <= <w, x> + b < tau: its probability at tau = 2^-8").holds(
        repaired.holds, float(repaired.left), f"<= tau/(2 sqrt(pi)) = {float(repaired.right):.6g}"
    )
    look.witness |= {
        "k": 4 ** powers[-1],
        "tau": 2.0 ** -powers[-1],
        "probability": float(printed[-1].left),
        "h": constant,
        "mean": constant * float(printed[-1].left),
    }


@topic.check("eq-25-r")
def _check_eq25_repaired(look: Collector, budget: Budget, rng: Rng) -> None:
    taus = [Fraction(1, 2**j) for j in budget.pick((0, 2, 4, 6), range(11))]
    taus += [Fraction(2), Fraction(7)]
    decided = [existence.bridge(tau) for tau in taus]
    sharp = existence.bridge(Fraction(1, 64)).ratio
    look.certified("Pr[0 <= <w, x> + b < tau] <= tau/(2 sqrt(pi)), tau from 2^-6 to 7").holds(
        all(item.holds for item in decided),
        f"largest ratio {max(item.ratio for item in decided):.6f}",
        "<= 1",
    )
    look("the same ratio at tau = 1/64: the constant is sharp").at_most(
        abs(sharp / (stated("(25)-r constant") * 2.0 * math.sqrt(math.pi)) - 1.0), 1e-4
    )
    size = budget.pick(1_000_000, 20_000_000)
    for tau in (Fraction(1, 4), Fraction(1)):
        pre = math.sqrt(2.0) * rng.standard_normal(size)
        share = np.count_nonzero((pre >= 0.0) & (pre < float(tau))) / size
        look(f"share of neurons with 0 <= <w, x> + b < {tau}").binomial(
            share, float(existence.bridge(tau).left), size
        )
    eps = Fraction(1, 50)
    feature = existence.bounded_feature(CUBIC, 0, eps)
    most = float(feature.bound.upper)
    worst = total = 0.0
    for shift in (0.0625, 0.25, 1.0):
        limit = shift / (2.0 * math.sqrt(math.pi)) * most
        for z in Z:
            here = quadrature.mean(feature, z, shift)
            worst = max(worst, abs(here - quadrature.mean(feature, z, 0.0)) / limit)
            total = max(total, abs(here - quadrature.value(CUBIC, z)) / (float(eps) + limit))
    look("|E[h 1{0 <= z < tau}]| over max|h| tau/(2 sqrt(pi)), by quadrature").at_most(worst, 1.0)
    look("|E[h 1{z >= tau}] - q(z)| over eps_3 + max|h| tau/(2 sqrt(pi))").at_most(total, 1.0)
    look("max |h| over C(q, eps_3)").at_most(most / _exact_complexity(CUBIC, eps), 1.0)
