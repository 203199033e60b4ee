r"""The threshold of robust memorization and the networks that reach it: Part II.

After Yu, Gao and Zhang (2024), whose text was not at hand: what is recorded here is what their
public reviews and Kim, Moon and Yun (2025) say of it, with our constructions and our proofs, and
each remark says which part is whose.  The formulas are in :mod:`sublinear_lib.memorization`; a
check only compares.  Before changing one, know how each is decided: networks on points whose
coordinates, budget and weights are exact binary numbers, so that exact evaluation and closed form
must be *equal*; the stored weights by rigorous intervals; a mixed-integer program where neither
applies.  An attack is a control, never evidence: gradients vanish inside the balls.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Literal, NamedTuple

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.claims.instruments import binary
from sublinear_lib.claims.topic import Budget, Collector, Rng, Topic
from sublinear_lib.memorization import attacks, certificates, constructions, datasets, precision

topic = Topic("memorization")

_NORMS = (math.inf, 1.0, 2.0)


def _pairs(X: FloatArray, y: FloatArray, p: float) -> Iterator[Fraction]:
    """Yield the distances of all pairs with different labels."""
    rows = [binary.rational(row) for row in X]
    for i, k in itertools.combinations(range(len(rows)), 2):
        if y[i] != y[k]:
            yield binary.distance(rows[i], rows[k], p)


def _grid_data(
    N: int, n: int, classes: int, rng: Rng, power: int, p: float = math.inf
) -> tuple[FloatArray, FloatArray, float]:
    """Draw binary data and the budget for which ``lambda - 2 mu = 2^-power`` exactly.

    The first and the last point are neighbors with one label, so that their balls overlap.
    """
    X, y = datasets.random_points(N, n, classes, rng, grid=256)
    X[-1], y[-1] = X[0], y[0]
    X[-1, 0] += 1 / 256
    return X, y, datasets.separation(X, y, p) / 2 - 2.0 ** -(power + 1)


# --------------------------------------------------------------------------------------------------
# The threshold
# --------------------------------------------------------------------------------------------------


def _refused(X: FloatArray, y: FloatArray, mu: float, p: float) -> bool:
    try:
        datasets.checked_data(X, y, mu, p)
    except ValueError:
        return True
    return False


@topic.check("prop-ii.1")
def _check_threshold(look: Collector, budget: Budget, rng: Rng) -> None:
    draws, N, n = budget.pick((3, 16, 3), (12, 40, 6))
    wrong_pair = middle = gaps = limits = decided = 0
    nearest = math.inf
    for p in _NORMS:
        for _ in range(draws):
            X, y = datasets.random_points(N, n, 3, rng, grid=64)
            pair = datasets.closest_pair(X, y, p)
            first, second = binary.rational(X[pair.i]), binary.rational(X[pair.k])
            least = min(_pairs(X, y, p))
            lam = datasets.separation(X, y, p)
            agrees = abs(lam - (math.sqrt(least) if p == 2.0 else float(least))) <= 4e-16 * lam
            wrong_pair += int(binary.distance(first, second, p) != least or not agrees)
            half = binary.between(first, second, Fraction(1, 2))
            share = Fraction(1, 4 if p == 2.0 else 2)
            middle += sum(binary.distance(half, end, p) != share * least for end in (first, second))
            # On the segment, at the share t = mu/lambda from either end: in the two balls, and
            # lambda - 2 mu apart.
            t = Fraction(int(rng.integers(0, 1024)), 2048)
            ends = [binary.between(first, second, s) for s in (t, 1 - t)]
            factor = 2 if p == 2.0 else 1
            gaps += binary.distance(first, ends[0], p) != t**factor * least
            gaps += binary.distance(second, ends[1], p) != t**factor * least
            gaps += binary.distance(ends[0], ends[1], p) != (1 - 2 * t) ** factor * least
            largest = datasets.largest_budget(X, y, p)
            limits += largest != lam / 2 or not _refused(X, y, largest, p)
            limits += _refused(X, y, math.nextafter(largest, 0.0), p)
            off = Fraction(1, 10**9) if p == 2.0 else 0  # a root is not exact
            sharp = Fraction(lam) / 2 * (1 + off)
            below = Fraction(lam) / 2 * (1 - off if off else binary.NEARLY)
            decided += not certificates.exact_check(X, y, below, p).holds
            decided += certificates.exact_check(X, y, sharp, p).holds
            mu = 0.75 * largest
            one, other = (attacks.ball_points(X, mu, p, rng=rng) for _ in range(2))
            apart = np.linalg.norm(one[:, None] - other, ord=p, axis=2)
            nearest = min(nearest, float(apart[y[:, None] != y].min()) / (lam - 2 * mu))
    span = f"p = inf, 1, 2 with {draws} data sets each, N = {N}, n = {n}"
    look(f"midpoints of closest pairs that are not lambda/2 from both, {span}").none(middle)
    look(f"points in the two balls that are not lambda - 2 mu apart, {span}").none(gaps)
    look(
        "constructions that fail just below lambda/2 (relative 1e-30, and 1e-9 for p = 2) or pass "
        f"at it, {span}"
    ).none(decided)
    look(f"closest pairs or separations not as by all pairs, {span}").none(wrong_pair)
    look(f"budgets on the wrong side of lambda/2 in the library, {span}").none(limits)
    look.control(
        f"least distance of random points of two balls over lambda - 2 mu, {span}"
    ).at_least(nearest, 1.0 - 1e-12)


# --------------------------------------------------------------------------------------------------
# The networks
# --------------------------------------------------------------------------------------------------


class _Kind(NamedTuple):
    """A construction for one norm, with its width, depth and nonzeros as stated."""

    p: float
    build: Callable[[FloatArray, FloatArray, float], constructions.Memorizer]
    library: Callable[[int, int], constructions.Size]
    stated: str
    sizes: Callable[[int, int], tuple[int, int, int]]


def _counts(look: Collector, kind: _Kind, budget: Budget, rng: Rng) -> None:
    """Note how far counted networks, and the library's closed form, are from a formula."""
    off = networks = 0
    for N, n in binary.sizes(budget):
        X = rng.uniform(0.0, 1.0, (N, n))  # not on a grid: no bias vanishes by chance
        for most, share in ((2, 0.3), (5, 0.9), (2, 0.9999)):
            y = binary.labels(N, min(most, N))
            mu = share * datasets.largest_budget(X, y, kind.p)
            counted = binary.counted(kind.build(X, y, mu).network)
            off += sum(abs(a - b) for a, b in zip(counted, kind.sizes(N, n), strict=True))
            networks += 1
    text = f"{networks} networks, 3 budgets, 2 or 5 labels: distance of their sizes from"
    look(f"{text} {kind.stated}").none(off)
    cells = itertools.product((2, 3, 10, 10_000), (1, 2, 5, 784))
    missed = sum(binary.as_counts(kind.library(N, n)) != kind.sizes(N, n) for N, n in cells)
    look(f"sizes by the library that are not {kind.stated}").none(missed)


def _values(look: Collector, kind: _Kind, budget: Budget, rng: Rng) -> None:
    """Evaluate networks exactly: on the balls, on their flanks and elsewhere.

    All numbers are binary, so that the closed form of the library is exact in floating point too.
    """
    N, n = budget.pick((10, 3), (24, 6))
    powers = budget.pick((10, 30), (9, 12, 20, 30, 40))
    wrong = off = heavy = rounded = tried = compared = 0
    for power in powers:
        X, y, mu = _grid_data(N, n, 4, rng, power, kind.p)
        memorizer = kind.build(X, y, mu)
        inside, others, owner = binary.probes(X, mu, power, rng, kind.p)
        for row, k in zip(inside.tolist(), owner, strict=True):
            wrong += memorizer.network.exactly(row) != Fraction(y[k])
        stored = [memorizer.network.exactly(row) for row in others.tolist()]
        closed = [Fraction(value) for value in memorizer.reference(others).tolist()]
        off += sum(a != b for a, b in zip(stored, closed, strict=True))
        if kind.p == math.inf:
            ideal = precision.ideal_values(memorizer, others)
            rounded += sum(a != b for a, b in zip(stored, ideal, strict=True))
        heavy += Fraction(memorizer.network.largest_weight) != Fraction(y.max()) * 2**power
        tried, compared = tried + len(owner), compared + len(stored)
    at = f"lambda - 2 mu = 2^-{powers[0]} to 2^-{powers[-1]}, N = {N}, n = {n}"
    look(f"points of the balls at which F is not y_k, of {tried}, {at}").none(wrong)
    look(f"points at which F is not its closed form, of {compared}, {at}").none(off + rounded)
    look.control(f"networks whose largest weight is not y_max / (lambda - 2 mu), {at}").none(heavy)


def _attacked(look: Collector, memorizer: constructions.Memorizer, rng: Rng) -> None:
    """Attack the balls, and larger ones: there the attack must find what the theorem forbids."""
    assert memorizer.mu is not None
    given, p = (memorizer.network, memorizer.X, memorizer.y), memorizer.p
    inside, outside = (
        float(attacks.attack(*given, radius, p, rng=rng, restarts=4, steps=8).worst.max())
        for radius in (memorizer.mu, 1.5 * memorizer.lam / 2)
    )
    look.control(f"deviation by an attack on the balls, p = {p:g}").at_most(inside, 1e-9)
    what = f"deviation by an attack on balls of radius 1.5 lambda/2, p = {p:g}"
    look.control(what).at_least(outside, 0.5)


def _solved(look: Collector, memorizer: constructions.Memorizer, rows: int) -> None:
    """Ask a mixed-integer program for the range on whole balls."""
    found = certificates.certify(memorizer, "milp", rows=np.arange(rows), time_limit=20.0)
    N, n = memorizer.X.shape
    what = f"largest |F - y| on {rows} balls, p = {memorizer.p:g}, N = {N}, n = {n}, by MILP"
    look(what).at_most(found.deviation.max(), 1e-5)


@topic.check("thm-ii.4.8")
def _check_48(look: Collector, budget: Budget, rng: Rng) -> None:
    found = look.apart()
    kind = _Kind(
        math.inf,
        constructions.memorize,
        constructions.linf_size,
        "3n + 1, 2N + 1, N(8n + 5)",
        lambda N, n: (3 * n + 1, 2 * N + 1, N * (8 * n + 5)),
    )
    _counts(found, kind, budget, rng)
    _values(found, kind, budget, rng)
    N, n = budget.pick((40, 8), (120, 40))
    X, y = datasets.random_points(N, n, 5, rng)
    lam = datasets.separation(X, y)
    check = certificates.exact_check(X, y, Fraction(lam) / 2 * binary.NEARLY)
    beyond = certificates.exact_check(X, y, Fraction(lam) / 2 * (2 - binary.NEARLY))
    look.exact(f"conditions (i) to (iii) at mu = (1 - 1e-30) lambda/2, N = {N}, n = {n}").holds(
        check.holds, f"{check.checks} pairs of a ball and a sample", "all hold"
    )
    found.control.exact("the same conditions at mu = (1 + 1e-30) lambda/2").holds(
        not beyond.holds, "a pair fails" if not beyond.holds else "all hold", "a pair fails"
    )
    memorizer = constructions.memorize(X, y, 0.99 * lam / 2)
    bounds = certificates.certify(memorizer, "interval")
    found.certified(
        f"largest |F - y| on all balls, stored weights, mu = 0.99 lambda/2, N = {N}, n = {n}"
    ).at_most(bounds.deviation.max(), 1e-9)
    _attacked(found, memorizer, rng)
    # Points of the plane that are well apart: the solver works with tolerances.
    N = budget.pick(6, 16)
    X, y = datasets.plane_points(N, 3, rng)
    memorizer = constructions.memorize(X, y, 0.9 * datasets.largest_budget(X, y))
    _solved(found, memorizer, budget.pick(4, N))
    shifted = constructions.memorize(X, y - 7.5, 0.9 * datasets.largest_budget(X, y))
    found("largest |F - y| at the samples, labels -6.5, -5.5, -4.5").at_most(
        np.abs(shifted(X) - y + 7.5).max(), 1e-9
    )
    look.add(found)


@topic.check("thm-ii.b.2")
def _check_b2(look: Collector, budget: Budget, rng: Rng) -> None:
    found = look.apart()
    kind = _Kind(
        1.0,
        constructions.memorize_l1,
        constructions.l1_size,
        "3n + 2, 2N + 2, N(8n + 7) + 2",
        lambda N, n: (3 * n + 2, 2 * N + 2, N * (8 * n + 7) + 2),
    )
    _counts(found, kind, budget, rng)
    _values(found, kind, budget, rng)
    N, n = budget.pick((40, 8), (120, 40))
    X, y = datasets.random_points(N, n, 5, rng)
    lam = datasets.separation(X, y, 1)
    exactly = min(_pairs(X[:20], y[:20], 1.0))
    check = certificates.exact_check(X[:20], y[:20], exactly / 2 * binary.NEARLY, 1)
    look.exact("conditions (i) to (iii) at mu = (1 - 1e-30) lambda/2, p = 1, N = 20").holds(
        check.holds, f"{check.checks} pairs of a ball and a sample", "all hold"
    )
    _attacked(found, constructions.memorize_l1(X, y, 0.99 * lam / 2), rng)
    N = budget.pick(5, 12)
    X, y = datasets.plane_points(N, 3, rng)
    memorizer = constructions.memorize_l1(X, y, 0.9 * datasets.largest_budget(X, y, 1))
    _solved(found, memorizer, budget.pick(3, N))
    look.add(found)


def _sandwich(memorizer: constructions.Memorizer, points: FloatArray) -> float:
    """Return how far a network for p = 2 leaves the range that the error of its squares allows.

    With exact squares the value is at most the upper end, with squares that are too large by the
    proven error at least the lower end; both are computed in fractions.
    """
    assert memorizer.mu is not None and memorizer.terms is not None
    unit = 2 * Fraction(memorizer.scale)
    error = Fraction(points.shape[1], 4 ** (memorizer.terms + 1))
    level = Fraction(memorizer.mu) ** 2 / unit**2 + error
    margin = Fraction(memorizer.margin)
    samples = [binary.rational(row) for row in memorizer.X]
    heights = binary.rational(memorizer.y)
    worst = Fraction(0)
    for row in points:
        x = binary.rational(row)
        squares = [binary.distance(x, sample, 2.0) / unit**2 for sample in samples]
        ends = [
            max(
                height * max(1 - max(square + extra - level, Fraction(0)) / margin, Fraction(0))
                for height, square in zip(heights, squares, strict=True)
            )
            for extra in (error, Fraction(0))
        ]
        value = memorizer.network.exactly(x)
        worst = max(worst, ends[0] - value, value - ends[1])
    return float(worst)


@topic.check("thm-ii.b.3")
def _check_b3(look: Collector, budget: Budget, rng: Rng) -> None:
    off = few = fewer = networks = steps = 0
    largest = 0.0
    for N, n in binary.sizes(budget):
        X = rng.uniform(0.0, 1.0, (N, n))
        y = binary.labels(N, min(3, N))
        lam = math.sqrt(float(min(_pairs(X, y, 2.0))))
        for share in (0.3, 0.9, 0.9999):
            memorizer = constructions.memorize_l2(X, y, share * lam / 2)
            K = memorizer.terms
            assert K is not None and memorizer.mu is not None
            wanted = (3 * n + 2, N * (K + 3) + 1, N * (K * (8 * n + 2) + 9 * n + 8) - n)
            off += sum(
                a != b for a, b in zip(binary.counted(memorizer.network), wanted, strict=True)
            )
            off += binary.as_counts(constructions.l2_size(N, n, K)) != wanted
            # The number of terms is what the gap of the squares asks for.
            gap = lam * (lam - 2 * memorizer.mu) / (2 * memorizer.scale) ** 2
            steps += max(1, math.ceil(math.log(2 * n / gap, 4)) - 1) != K
            check = certificates.exact_check(
                X, y, memorizer.mu, 2, terms=K, scale=2 * memorizer.scale
            )
            few += not check.holds
            # By its own count, the check takes the least number with n 4^-(K+1) below the gap.
            free = certificates.exact_check(X, y, memorizer.mu, 2, scale=2 * memorizer.scale)
            fewer += free.terms != max(0, math.floor(math.log(n / gap, 4)))
            largest = max(largest, _sandwich(memorizer, X[:5] + 0.6 * memorizer.mu / math.sqrt(n)))
            networks += 1
    text = f"{networks} networks for p = 2, mu = 0.3, 0.9 and 0.9999 times lambda/2"
    look(f"networks whose K squares do not tell all balls apart, {text}").none(few)
    look.control.computed(
        "least numbers of squares by that check other than floor(log_4(n / gap))"
    ).none(fewer)
    look(f"sizes other than 3n + 2, N(K + 3) + 1, N(K(8n + 2) + 9n + 8) - n, {text}").none(off)
    look.computed(f"K other than ceil(log_4(8 n R^2 / (lambda (lambda - 2 mu)))) - 1, {text}").none(
        steps
    )
    look(f"distance of F from the range that the error of the squares allows, {text}").at_most(
        largest, 1e-9
    )
    N, n = budget.pick((10, 3), (20, 6))
    X, y = datasets.random_points(N, n, 4, rng)
    lam = datasets.separation(X, y, 2)
    worst = 0.0
    for share in budget.pick((0.5, 0.999), (0.0, 0.5, 0.9, 0.999, 0.999999)):
        memorizer = constructions.memorize_l2(X, y, share * lam / 2)
        for point in range(budget.pick(2, 4)):
            radius = share * lam / 2 * (1 - 1e-12)
            z = attacks.ball_points(X, radius, 2, rng=rng)
            if point % 2:
                away = (z - X) / np.maximum(np.linalg.norm(z - X, axis=1, keepdims=True), 1e-300)
                z = X + radius * away
            values = [memorizer.network.exactly(row) for row in z.tolist()]
            differences = [abs(v - Fraction(k)) for v, k in zip(values, y.tolist(), strict=True)]
            worst = max(worst, float(max(differences)))
    look(f"|F(x) - y_k| at points of the balls, p = 2, N = {N}, n = {n}").at_most(worst, 1e-7)
    # On the flanks, where the squares decide the value.
    memorizer = constructions.memorize_l2(X, y, 0.5 * lam / 2)
    away = rng.normal(size=(N, n))
    flanks = X + away * (lam / 2 / np.linalg.norm(away, axis=1, keepdims=True))
    risen = sum(
        0 < memorizer.network.exactly(row) < label
        for row, label in zip(flanks.tolist(), y.tolist(), strict=True)
    )
    look(
        f"points at distance lambda/2: F outside of the range of the squares, N = {N}, n = {n}"
    ).at_most(_sandwich(memorizer, flanks), 1e-9)
    look.control("how many of these points have a value between 0 and the label").at_least(
        risen, N / 2
    )
    least = [constructions.l2_terms(8, 1.0, (1.0 - 4.0**-k) / 2.0, 2.0) for k in range(1, 13)]
    look("steps of K other than 1 when lambda - 2 mu is divided by 4, twelve times").none(
        sum(b - a != 1 for a, b in itertools.pairwise(least))
    )
    memorizer = constructions.memorize_l2(X, y, 0.9 * lam / 2)
    _attacked(look, memorizer, rng)


@topic.check("cor-ii.1")
def _check_comparison(look: Collector, budget: Budget, rng: Rng) -> None:
    """State what is cited, and see that our networks reach beyond lambda/4, at an equal size."""
    sizes = []
    off = 0.0
    N, n = budget.pick((12, 4), (60, 16))
    for spread in (1.0, 2.0**-20):
        X = rng.uniform(0.0, 1.0, (N, n)) * spread
        y = binary.labels(N, 5)
        mu = 0.45 * datasets.separation(X, y)
        memorizer = constructions.memorize(X, y, mu)
        bounds = certificates.certify(memorizer, "interval")
        off = max(off, float(bounds.deviation.max()))
        sizes.append(memorizer.size)
    look.cited("Li, Jin, Zhong, Hopcroft and Wang (2022), as the reviews restate them").holds(
        True,
        "budgets up to lambda/4, two labels, p = 2 and inf, "
        "O(Nn log(n/lambda) + N polylog(N/lambda)) parameters",
        "the statement that is compared",
    )
    look.control.certified(
        "our network at mu = 0.45 lambda, beyond lambda/4, 5 labels: largest |F - y|"
    ).at_most(off, 1e-6)
    look.control("difference of its parameters when lambda is divided by 2^20").none(
        abs(sizes[0].nonzeros - sizes[1].nonzeros)
    )


@topic.check("prop-ii.5")
def _check_precision(look: Collector, budget: Budget, rng: Rng) -> None:
    N, n = budget.pick((4, 3), (8, 5))
    sets = budget.pick(5, 10)
    formats: tuple[tuple[Literal["float64", "float32"], tuple[float, ...]], ...] = (
        ("float64", budget.pick((1e-3, 1e-6, 1e-9), (1e-3, 1e-5, 1e-7, 1e-9, 1e-11))),
        ("float32", budget.pick((1e-2, 1e-4), (1e-2, 1e-3, 1e-4))),
    )
    for dtype, gaps in formats:
        unit = float(np.finfo(dtype).eps) / 2
        shares, sizes, proven = [], [], 0.0
        for _ in range(sets):
            X, y = datasets.random_points(N, n, 3, rng)
            curve = precision.precision_curve(
                X, y, gaps, rng=rng, dtype=dtype, corners=3, inner=budget.pick(0, 1)
            )
            size = unit * float(y.max()) / curve.margins
            limits = 16 * (n + 1) * constructions.memorize(X, y, 0.0).scale * size
            shares.append(float((curve.total / limits).max()))
            sizes.append(curve.total / size)
            if dtype == "float64":
                proven = max(proven, float((curve.proven / limits).max()))
        at = f"{dtype}, 1 - rho = {gaps[0]:g} to {gaps[-1]:g}, {sets} data sets, N = {N}, n = {n}"
        # At each budget the largest of several: a single error can vanish by luck.
        grown = float(np.max(sizes, axis=0).min())
        look(f"largest error over 16(n + 1) u R y_max / (lambda - 2 mu), {at}").at_most(
            max(shares), 1
        )
        look.simulated(
            f"largest error over u y_max / (lambda - 2 mu), the least of all budgets, {at}"
        ).at_least(grown, 1.0)
        if dtype == "float64":
            what = f"rigorous bound of the error on whole balls over the first bound, {at}"
            look.certified(what).at_most(proven, 4.0)
    X, y = datasets.random_points(N, n, 3, rng, grid=64)
    broken = precision.breaking_gap(datasets.separation(X, y), 3.0, "float32")
    near, far = (
        precision.precision_curve(X, y, [gap], rng=rng, dtype="float32", inner=0)
        for gap in (broken / 100, min(0.5, 100 * broken))
    )
    look.computed("wrong labels in float32, 100 times as far as it breaks").none(
        int(far.wrong.sum())
    )
    look.control("wrong labels in float32, 100 times nearer than it breaks").at_least(
        near.wrong.sum(), 1.0
    )
