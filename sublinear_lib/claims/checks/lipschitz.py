r"""Lipschitz control, generalization, and what links Part II with Part I.

Before changing a check, know that Lipschitz bounds are fractions here, which have to be attained.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np

from sublinear_lib import datasets as slices
from sublinear_lib._typing import FloatArray
from sublinear_lib.claims.collector import SURE
from sublinear_lib.claims.instruments import binary
from sublinear_lib.claims.stated import stated
from sublinear_lib.claims.topic import Budget, Collector, Rng, Topic
from sublinear_lib.memorization import certificates, constructions, datasets, intervals, precision
from sublinear_lib.statistics import clopper_pearson
from sublinear_lib.theory import polynomials

topic = Topic("lipschitz")


# --------------------------------------------------------------------------------------------------
# Lipschitz control, generalization, Part I
# --------------------------------------------------------------------------------------------------


def _signs(N: int, rng: Rng) -> FloatArray:
    return np.asarray(rng.permutation(np.where(np.arange(N) % 2, 1.0, -1.0)))


@topic.check("thm-ii.5.2")
def _check_52(look: Collector, budget: Budget, rng: Rng) -> None:
    off = 0
    for N, n in binary.sizes(budget):
        X, s = rng.uniform(0.0, 1.0, (N, n)), _signs(N, rng)
        for mu in (None, 0.9 * datasets.largest_budget(X, s)):
            memorizer = constructions.memorize_lipschitz(X, s, mu)
            counted, levels = binary.counted(memorizer.network), max(1, math.ceil(math.log2(n)))
            off += counted[:2] != (3 * n + 3, N * (levels + 1) + 2 + (mu is not None))
            off += binary.as_counts(memorizer.size_by_formula) != counted
    # O(N n log n): the constants found on a range of n.
    ratio = max(
        constructions.lipschitz_size(N, n).nonzeros / (N * n * (1.0 + math.log2(n)))
        for N in (2, 50, 10_000)
        for n in (2**k + extra for k in range(1, 14) for extra in (-1, 0, 1))
    )
    N, n = budget.pick((10, 3), (40, 9))
    wrong = values = signs = clipped = 0
    constants = []
    for power in budget.pick((10, 30), (9, 20, 30, 40)):
        X, _ = datasets.random_points(N, n, 2, rng, grid=256)
        s = _signs(N, rng)
        mu = datasets.separation(X, s) / 2 - 2.0**-power
        inside, others, owner = binary.probes(X, mu, power, rng)
        labels = s[owner]
        plain = constructions.memorize_lipschitz(X, s)
        clip = constructions.memorize_lipschitz(X, s, mu)
        for memorizer in (plain, clip):
            ideal = precision.ideal_values(memorizer, others)
            stored = [memorizer.network.exactly(row) for row in others.tolist()]
            wrong += sum(a != b for a, b in zip(stored, ideal, strict=True))
            values += len(stored)
        least = Fraction(plain.lam) / 2 - Fraction(mu)
        for row, label in zip(inside.tolist(), labels.tolist(), strict=True):
            signs += plain.network.exactly(row) * Fraction(label) < least
            clipped += clip.network.exactly(row) != Fraction(label)
        constants.append(certificates.lipschitz_certificate(clip).upper * least)
        constants.append(certificates.lipschitz_certificate(plain).upper)
    N, n = budget.pick((30, 8), (150, 32))
    X, s = rng.uniform(0.0, 1.0, (N, n)), _signs(N, rng)
    plain = constructions.memorize_lipschitz(X, s)
    bounds = certificates.certify(plain, "interval", radius=0.999 * plain.lam / 2)
    steep = np.abs(plain.network.value_and_gradient(rng.uniform(0, 1, (200, n)))[1]).sum(axis=1)
    look(f"values other than half the difference of distances, {values} points").none(wrong)
    look("points of the balls with s_k f(x) < lambda/2 - mu").none(signs)
    look("points of the balls at which the clipped network is not s_k").none(clipped)
    look("largest Lipschitz bound of the stored weights, times lambda/2 - mu where clipped").equals(
        max(constants), Fraction(1)
    )
    look("networks whose width, depth or nonzeros are not as counted by formula").none(off)
    look.closed_form("largest number of nonzeros over N n (1 + log_2 n), n = 1 to 8193").at_most(
        ratio, 20.0
    )
    look.certified(
        f"signs on all balls, stored weights, mu = 0.999 lambda/2, N = {N}, n = {n}"
    ).holds(bounds.holds, f"{bounds.share:.0%} certified", "100%")
    look("1-norm of 200 gradients of the network without clipping").at_most(steep.max(), 1 + 1e-12)


@topic.check("prop-ii.2")
def _check_optimal(look: Collector, budget: Budget, rng: Rng) -> None:
    N, n = budget.pick((10, 3), (40, 8))
    gaps = upper = attained = 0
    slopes = []
    for power in budget.pick((4, 10, 30), (4, 7, 10, 20, 30, 40)):
        X, _ = datasets.random_points(N, n, 2, rng, grid=256)
        s = _signs(N, rng)
        lam = datasets.separation(X, s)
        mu = lam / 2 - 2.0**-power
        if mu < 0:
            continue
        pair = datasets.closest_pair(X, s)
        first, second = (binary.rational(X[row]) for row in (pair.i, pair.k))
        share = Fraction(mu) / Fraction(lam)
        ends = [binary.between(first, second, t) for t in (share, 1 - share)]
        gap = Fraction(lam) - 2 * Fraction(mu)
        for sample, end in zip((first, second), ends, strict=True):
            gaps += binary.distance(sample, end, math.inf) > Fraction(mu)
        gaps += binary.distance(ends[0], ends[1], math.inf) != gap
        memorizer = constructions.memorize_lipschitz(X, s, mu)
        limit = certificates.lipschitz_certificate(memorizer)
        least = Fraction(stated("II.2 constant")) / gap
        upper += limit.upper != least or limit.optimal != least
        attained += limit.attained != least
        values = [memorizer.network.exactly(end) for end in ends]
        attained += abs(values[0] - values[1]) != 2
        # The network of Theorem 4.8 with the labels 1 and 2.
        bumps = constructions.memorize(X, 1.5 + s / 2, mu).network
        slopes.append(intervals.lipschitz_bound(bumps) * gap / (2 * n))
    look("closest balls that are not lambda - 2 mu apart").none(gaps)
    look("networks whose Lipschitz bound is not 2 / (lambda - 2 mu)").none(upper)
    look("networks that do not attain it between the closest balls").none(attained)
    look.repair.exact(
        "network of Theorem 4.8: its Lipschitz bound over n y_max / (lambda - 2 mu)"
    ).holds(all(slope == 1 for slope in slopes), max(slopes), "= 1")


def _nearest_sign(X: FloatArray, s: FloatArray, points: FloatArray) -> FloatArray:
    """Classify by the nearest sample in the maximum norm; 0 where both labels are equally near."""
    near = [np.abs(X - point).max(axis=1) for point in points]
    return np.sign([row[s < 0].min() - row[s > 0].min() for row in near])


@topic.check("prop-ii.6")
def _check_digits(look: Collector, budget: Budget, rng: Rng) -> None:
    N, others, rho = budget.pick((150, 600, 0.9), (300, 1497, 0.99))
    draws = budget.pick(1, 5)
    constants, bumps, signs = [], [], []
    certified = rule = tested = 0
    for _ in range(draws):
        X, s, X_test, s_test = datasets.digits(N, rng, labels="parity")
        X_test, s_test = X_test[:others], s_test[:others]
        lam = datasets.separation(X, s)
        mu = rho * lam / 2
        bump = constructions.memorize(X, s, mu)
        plain = constructions.memorize_lipschitz(X, s)
        rows = np.arange(budget.pick(12, N))
        for memorizer in (bump, plain):
            bounds = certificates.certify(memorizer, "interval", radius=mu, rows=rows)
            certified += int(np.count_nonzero(~bounds.certified))
        values, distances = bump(X_test), plain(X_test)
        rule += int(np.count_nonzero(np.sign(distances) != _nearest_sign(X, s, X_test)))
        constants.append(int(np.count_nonzero(values == bump.shift)))
        bumps.append(int(np.count_nonzero((values > 0) == (s_test > 0))))
        signs.append(int(np.count_nonzero(distances * s_test > 0)))
        tested = len(X_test)
    at = f"N = {N}, {tested} others, mu = {rho} lambda/2"
    if draws > 1:
        at += f", the median of {draws} choices"
    for what, counts, low, high in (
        ("share of other digits at which the bumps are all 0", constants, 0.8, 1.0),
        ("share of other digits that the network of Theorem 4.8 gets right", bumps, 0.3, 0.7),
        ("share that the network of Theorem 5.2 gets right", signs, 0.8, 1.0),
    ):
        # Every choice of digits has to be inside; the one in the middle is shown.
        shares = [clopper_pearson(count, tested, SURE) for count in counts]
        inside = all(low <= share.lower and share.upper <= high for share in shares)
        middle = shares[int(np.argsort(counts)[len(counts) // 2])]
        look.simulated(f"{what}, {at}").holds(inside, middle, f"between {low:g} and {high:g}")
    look.certified(
        f"balls around {len(rows)} memorized digits that are not certified, both networks"
    ).none(certified)
    look.computed("other digits at which Theorem 5.2 is not the nearest-neighbor rule").none(rule)


@topic.check("prop-ii.7")
def _check_link(look: Collector, budget: Budget, rng: Rng) -> None:
    draws = budget.pick(200, 5000)
    off = step = 0
    for _ in range(draws):
        lam = Fraction(int(rng.integers(1, 1000)), 500)
        mu = lam / 2 * Fraction(int(rng.integers(0, 1000)), 1000)
        gamma = lam * (lam - 2 * mu)
        off += (lam - mu) ** 2 - mu**2 != gamma
        off += (1 - mu**2 / 2) - (1 - (lam - mu) ** 2 / 2) != gamma / 2
    for delta, rho in ((Fraction(3, 2), Fraction(1, 10)), (Fraction(6, 5), Fraction(1, 4))):
        claim = polynomials.step_approximation(delta, rho, Fraction(1, 4))
        step += claim.gamma != delta * (delta - 2 * rho) or not claim.holds
    # The same points of the sphere, in the words of either part: one label for each of Part I.
    data = slices.circle(int(rng.integers(3, 9)))
    labels = binary.labels(len(data.X), len(data.X))
    apart = datasets.separation(data.X, labels, 2)
    radius = 0.3 * apart
    report = slices.separation(data.X, rho=radius)
    memorizer = constructions.memorize_l2(data.X, labels, radius)
    assert memorizer.terms is not None
    unit = 2.0 * memorizer.scale
    left = memorizer.margin * unit**2 + data.X.shape[1] * unit**2 / 4.0 ** (memorizer.terms + 1)
    # What gamma costs: a polynomial of degree 24 ln(48 n/eps)/gamma, or K squares.
    terms, degrees = [], []
    for k in range(1, 7):
        mu_k = Fraction(1, 2) * (1 - Fraction(1, 4**k))
        terms.append(constructions.l2_terms(8, 1.0, float(mu_k), 2.0))
        degrees.append(float(24 / (1 - 2 * mu_k)))
    look(
        f"{draws} rational lambda, mu: (lambda - mu)^2 - mu^2 or twice the gap of inner products "
        "other than lambda (lambda - 2 mu)"
    ).none(off)
    look.certified("polynomials of Claim B.5 with another gamma, or not as claimed").none(step)
    look("points of a circle: gamma of Definition 3.7 against lambda (lambda - 2 mu)").at_most(
        abs(report.gamma / (apart * (apart - 2.0 * radius)) - 1.0), 1e-12
    )
    look(
        "the same number against the margin of the network for p = 2 and the error of its squares, "
        "relative"
    ).at_most(abs(left / report.gamma - 1.0), 1e-9)
    look(
        "steps of K other than 1 when gamma is divided by 4, while the degree is multiplied by 4"
    ).none(
        sum(b - a != 1 for a, b in itertools.pairwise(terms))
        + sum(b / a != 4.0 for a, b in itertools.pairwise(degrees))
    )
