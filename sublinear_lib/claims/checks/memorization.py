r"""Claims of Part II, robust memorization: the threshold, the networks, their limits.

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
from typing import Literal

import numpy as np
from flint import fmpz_mat
from scipy.optimize import linprog

from sublinear_lib import datasets as slices
from sublinear_lib._typing import FloatArray
from sublinear_lib.claims import Budget
from sublinear_lib.claims.collector import Collector, Rng
from sublinear_lib.claims.stated import stated
from sublinear_lib.claims.topic import Topic
from sublinear_lib.memorization import (
    AffineLayer,
    ReLUNetwork,
    attacks,
    certificates,
    constructions,
    datasets,
    exact_values,
    hardness,
    hypergraphs,
    intervals,
    precision,
    two_neurons,
    width,
)
from sublinear_lib.statistics import clopper_pearson
from sublinear_lib.theory import polynomials

__all__ = ["CLAIMS"]

topic = Topic("memorization")


_SURE = 0.9999  # confidence of intervals: a check repeated at another seed must not fail by chance
_NEARLY = 1 - Fraction(1, 10**30)
_NORMS = (math.inf, 1.0, 2.0)
_NAMES = {math.inf: "inf", 1.0: "1", 2.0: "2"}


def _rational(row: FloatArray) -> list[Fraction]:
    return [Fraction(value) for value in row.tolist()]


def _distance(first: list[Fraction], second: list[Fraction], p: float) -> Fraction:
    """Return the distance of two points, for p = 2 its square, in exact arithmetic."""
    gaps = [abs(a - b) for a, b in zip(first, second, strict=True)]
    if p == math.inf:
        return max(gaps)
    return sum((gap if p == 1.0 else gap * gap for gap in gaps), Fraction(0))


def _labels(N: int, most: int) -> FloatArray:
    """Return the labels 1, 2, ... in turns."""
    return np.asarray(1.0 + np.arange(N) % most, dtype=np.float64)


def _pairs(X: FloatArray, y: FloatArray, p: float) -> Iterator[Fraction]:
    """Yield the distances of all pairs with different labels."""
    rows = [_rational(row) for row in X]
    for i, k in itertools.combinations(range(len(rows)), 2):
        if y[i] != y[k]:
            yield _distance(rows[i], rows[k], p)


def _counted(network: ReLUNetwork) -> tuple[int, int, int]:
    """Count width, depth and nonzero parameters, matrix by matrix."""
    hidden = [layer.weight.shape[0] for layer in network.layers[:-1]]
    entries = [
        np.count_nonzero(layer.weight.toarray()) + np.count_nonzero(layer.bias)
        for layer in network.layers
    ]
    return max(hidden), len(network.layers), int(sum(entries))


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


def _probes(
    X: FloatArray, mu: float, power: int, rng: Rng, p: float = math.inf
) -> tuple[FloatArray, FloatArray, list[int]]:
    """Draw binary points of the closed balls, others, and whose ball each of the first is in.

    The others are points of the cube and, since the bumps are steep, points on the flanks: less
    than ``2^-power`` outside of the ball in one coordinate.
    """
    N, n = X.shape
    rows = np.arange(N)
    inside = []
    for draw in range(3):
        signs = rng.choice([-1.0, 1.0], (N, n))
        if p == math.inf:
            share = np.ones((N, n)) if draw else rng.integers(0, 9, (N, n)) / 8
        else:
            share = np.zeros((N, n))
            share[rows, rng.integers(n, size=N)] = 1.0 if draw else 0.5
        inside.append(X + mu * signs * share)
    flank = inside[-1] - X
    most = rows, np.abs(flank).argmax(axis=1)
    flank[most] += np.sign(flank[most]) * rng.integers(1, 8, N) / 8 * 2.0**-power
    outside = rng.integers(-64, 321, (N, n)) / 256
    return np.concatenate(inside), np.concatenate((outside, X + flank)), 3 * list(range(N))


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
            first, second = _rational(X[pair.i]), _rational(X[pair.k])
            least = min(_pairs(X, y, p))
            lam = datasets.separation(X, y, p)
            agrees = abs(lam - (math.sqrt(least) if p == 2.0 else float(least))) <= 4e-16 * lam
            wrong_pair += int(_distance(first, second, p) != least or not agrees)
            half = [(a + b) / 2 for a, b in zip(first, second, strict=True)]
            share = Fraction(1, 4 if p == 2.0 else 2)
            middle += sum(_distance(half, end, p) != share * least for end in (first, second))
            # On the segment, at the share t = mu/lambda from either end: in the two balls, and
            # lambda - 2 mu apart.
            t = Fraction(int(rng.integers(0, 1024)), 2048)
            ends = [
                [a + s * (b - a) for a, b in zip(first, second, strict=True)] for s in (t, 1 - t)
            ]
            factor = 2 if p == 2.0 else 1
            gaps += _distance(first, ends[0], p) != t**factor * least
            gaps += _distance(second, ends[1], p) != t**factor * least
            gaps += _distance(ends[0], ends[1], p) != (1 - 2 * t) ** factor * least
            largest = datasets.largest_budget(X, y, p)
            limits += largest != lam / 2 or not _refused(X, y, largest, p)
            limits += _refused(X, y, math.nextafter(largest, 0.0), p)
            sharp = Fraction(lam) / 2 if p != 2.0 else Fraction(lam) / 2 * (1 + Fraction(1, 10**9))
            below = sharp * _NEARLY if p != 2.0 else Fraction(lam) / 2 * (1 - Fraction(1, 10**9))
            decided += not certificates.exact_check(X, y, below, p).holds
            decided += certificates.exact_check(X, y, sharp, p).holds
            mu = 0.75 * largest
            one, other = (attacks.ball_points(X, mu, p, rng=rng) for _ in range(2))
            apart = np.linalg.norm(one[:, None] - other, ord=p, axis=2)
            distances = apart[y[:, None] != y]
            nearest = min(nearest, float(distances.min()) / (lam - 2 * mu))
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

Build = Callable[[FloatArray, FloatArray, float], constructions.Memorizer]
Sizes = Callable[[int, int], tuple[int, int, int]]


def _sizes(budget: Budget) -> list[tuple[int, int]]:
    """Return numbers N of samples and n of features."""
    chosen: list[tuple[int, int]] = budget.pick(
        [(2, 1), (5, 2), (12, 7), (9, 33)], [(2, 1), (5, 2), (12, 7), (60, 33), (40, 64), (300, 20)]
    )
    return chosen


def _counts(
    look: Collector, what: str, p: float, build: Build, wanted: Sizes, budget: Budget, rng: Rng
) -> None:
    """Note how far counted networks are from a formula, for several budgets and labels."""
    off = networks = 0
    for N, n in _sizes(budget):
        X = rng.uniform(0.0, 1.0, (N, n))  # not on a grid: no bias vanishes by chance
        for most, share in ((2, 0.3), (5, 0.9), (2, 0.9999)):
            y = _labels(N, min(most, N))
            mu = share * datasets.largest_budget(X, y, p)
            counted = _counted(build(X, y, mu).network)
            off += sum(abs(a - b) for a, b in zip(counted, wanted(N, n), strict=True))
            networks += 1
    text = f"{networks} networks, 3 budgets, 2 or 5 labels: distance of their sizes from {what}"
    look(text).none(off)


def _as_counts(size: constructions.Size) -> tuple[int, int, int]:
    return size.width, size.depth, size.nonzeros


def _formula(
    look: Collector, name: str, ours: Sizes, library: Callable[[int, int], constructions.Size]
) -> None:
    """Compare the closed form of the library with the printed or stated numbers."""
    off = sum(
        _as_counts(library(N, n)) != ours(N, n) for N in (2, 3, 10, 10_000) for n in (1, 2, 5, 784)
    )
    look(f"sizes by the library that are not {name}").none(off)


def _linf_numbers(N: int, n: int) -> tuple[int, int, int]:
    return 3 * n + 1, 2 * N + 1, N * (8 * n + 5)


def _l1_numbers(N: int, n: int) -> tuple[int, int, int]:
    return 3 * n + 2, 2 * N + 2, N * (8 * n + 7) + 2


def _values(look: Collector, build: Build, p: float, budget: Budget, rng: Rng) -> None:
    """Evaluate networks exactly: on the balls, on their flanks and elsewhere.

    All numbers are binary, so that the closed form of the library is exact in floating point too.
    """
    N, n = budget.pick((10, 3), (24, 6))
    powers = budget.pick((10, 30), (9, 12, 20, 30, 40))
    wrong = off = heavy = rounded = tried = compared = 0
    for power in powers:
        X, y, mu = _grid_data(N, n, 4, rng, power, p)
        memorizer = build(X, y, mu)
        inside, others, owner = _probes(X, mu, power, rng, p)
        for row, k in zip(inside.tolist(), owner, strict=True):
            wrong += memorizer.network.exactly(row) != Fraction(y[k])
        stored = [memorizer.network.exactly(row) for row in others.tolist()]
        closed = [Fraction(value) for value in memorizer.reference(others).tolist()]
        off += sum(a != b for a, b in zip(stored, closed, strict=True))
        if p == math.inf:
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
    given = memorizer.network, memorizer.X, memorizer.y
    inside = attacks.attack(*given, memorizer.mu, memorizer.p, rng=rng, restarts=4, steps=8)
    beyond = 1.5 * memorizer.lam / 2
    outside = attacks.attack(*given, beyond, memorizer.p, rng=rng, restarts=4, steps=8)
    at = f"p = {_NAMES[memorizer.p]}"
    look.control(f"deviation by an attack on the balls, {at}").at_most(inside.worst.max(), 1e-9)
    look.control(f"deviation by an attack on balls of radius 1.5 lambda/2, {at}").at_least(
        outside.worst.max(), 0.5
    )


def _solved(look: Collector, memorizer: constructions.Memorizer, rows: int) -> None:
    """Ask a mixed-integer program for the range on whole balls."""
    found = certificates.certify(memorizer, "milp", rows=np.arange(rows), time_limit=20.0)
    y = memorizer.y[:rows]
    off = float(np.maximum(np.abs(found.lower - y), np.abs(found.upper - y)).max())
    N, n = memorizer.X.shape
    what = f"largest |F - y| on {rows} balls, p = {_NAMES[memorizer.p]}, N = {N}, n = {n}, by MILP"
    look(what).at_most(off, 1e-5)


@topic.check("thm-ii.4.8")
def _check_48(look: Collector, budget: Budget, rng: Rng) -> None:
    found = look.apart()
    _counts(
        found,
        "3n + 1, 2N + 1, N(8n + 5)",
        math.inf,
        constructions.memorize,
        _linf_numbers,
        budget,
        rng,
    )
    _formula(found, "3n + 1, 2N + 1, N(8n + 5)", _linf_numbers, constructions.linf_size)
    _values(found, constructions.memorize, math.inf, budget, rng)
    N, n = budget.pick((40, 8), (120, 40))
    X, y = datasets.random_points(N, n, 5, rng)
    lam = datasets.separation(X, y)
    check = certificates.exact_check(X, y, Fraction(lam) / 2 * _NEARLY)
    beyond = certificates.exact_check(X, y, Fraction(lam) / 2 * (2 - _NEARLY))
    look.exact(f"conditions (i) to (iii) at mu = (1 - 1e-30) lambda/2, N = {N}, n = {n}").holds(
        check.holds, f"{check.checks} pairs of a ball and a sample", "all hold"
    )
    found.control.exact("the same conditions at mu = (1 + 1e-30) lambda/2").holds(
        not beyond.holds, "a pair fails" if not beyond.holds else "all hold", "a pair fails"
    )
    memorizer = constructions.memorize(X, y, 0.99 * lam / 2)
    bounds = certificates.certify(memorizer, "interval")
    largest = float(np.maximum(np.abs(bounds.lower - y), np.abs(bounds.upper - y)).max())
    found.certified(
        f"largest |F - y| on all balls, stored weights, mu = 0.99 lambda/2, N = {N}, n = {n}"
    ).at_most(largest, 1e-9)
    _attacked(found, memorizer, rng)
    # Points of the plane that are well apart: the solver works with tolerances.
    N = budget.pick(6, 16)
    X, y = datasets.plane_points(N, 3, rng)
    memorizer = constructions.memorize(X, y, 0.9 * datasets.largest_budget(X, y))
    _solved(found, memorizer, budget.pick(4, N))
    shifted = constructions.memorize(X, y - 7.5, 0.9 * datasets.largest_budget(X, y))
    found("largest |F - y| at the samples, labels -6.5, -5.5, -4.5").at_most(
        float(np.abs(shifted(X) - y + 7.5).max()), 1e-9
    )
    look.add(found)


@topic.check("thm-ii.b.2")
def _check_b2(look: Collector, budget: Budget, rng: Rng) -> None:
    what = "3n + 2, 2N + 2, N(8n + 7) + 2"
    found = look.apart()
    _counts(found, what, 1.0, constructions.memorize_l1, _l1_numbers, budget, rng)
    _formula(found, what, _l1_numbers, constructions.l1_size)
    _values(found, constructions.memorize_l1, 1.0, budget, rng)
    N, n = budget.pick((40, 8), (120, 40))
    X, y = datasets.random_points(N, n, 5, rng)
    lam = datasets.separation(X, y, 1)
    exactly = min(_pairs(X[:20], y[:20], 1.0))
    check = certificates.exact_check(X[:20], y[:20], exactly / 2 * _NEARLY, 1)
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
    samples = [_rational(row) for row in memorizer.X]
    heights = _rational(memorizer.y)
    worst = Fraction(0)
    for row in points:
        x = _rational(row)
        squares = [_distance(x, sample, 2.0) / unit**2 for sample in samples]
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
    for N, n in _sizes(budget):
        X = rng.uniform(0.0, 1.0, (N, n))
        y = _labels(N, min(3, N))
        lam = math.sqrt(float(min(_pairs(X, y, 2.0))))
        for share in (0.3, 0.9, 0.9999):
            memorizer = constructions.memorize_l2(X, y, share * lam / 2)
            K = memorizer.terms
            assert K is not None and memorizer.mu is not None
            wanted = (3 * n + 2, N * (K + 3) + 1, N * (K * (8 * n + 2) + 9 * n + 8) - n)
            off += sum(a != b for a, b in zip(_counted(memorizer.network), wanted, strict=True))
            off += _as_counts(constructions.l2_size(N, n, K)) != wanted
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
        y = _labels(N, 5)
        mu = 0.45 * datasets.separation(X, y)
        memorizer = constructions.memorize(X, y, mu)
        bounds = certificates.certify(memorizer, "interval")
        off = max(off, float(np.abs(bounds.lower - y).max()), float(np.abs(bounds.upper - y).max()))
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
        float(near.wrong.sum()), 1.0
    )


# --------------------------------------------------------------------------------------------------
# What cannot be done
# --------------------------------------------------------------------------------------------------


def _null_vector(W: list[list[int]]) -> list[Fraction]:
    """Return a vector of the null space of an integer matrix with largest entry 1."""
    basis, _ = fmpz_mat(W).nullspace()
    column = [Fraction(int(basis[i, 0])) for i in range(len(W[0]))]
    largest = max(column, key=abs)
    return [value / largest for value in column]


@topic.check("prop-ii.3")
def _check_width(look: Collector, budget: Budget, rng: Rng) -> None:
    draws = budget.pick(40, 400)
    failures = told = 0
    quarter = Fraction(1, 4)
    for _ in range(draws):
        n = int(rng.integers(2, 9))
        m = int(rng.integers(1, n))
        W = rng.integers(-5, 6, (m, n))
        z = _null_vector(W.tolist())
        j = z.index(Fraction(1))
        e = [Fraction(int(i == j)) for i in range(n)]
        half = [(a - b / 2) / 2 for a, b in zip(e, z, strict=True)]
        x, other = [a - b for a, b in zip(e, half, strict=True)], half
        same = all(
            sum((int(w) * (a - b) for w, a, b in zip(row, x, other, strict=True)), Fraction(0)) == 0
            for row in W
        )
        near = _distance(x, e, math.inf) <= quarter and max(map(abs, other)) <= quarter
        failures += not (same and near)
        # Whatever follows this layer: here two further layers.
        layers = [
            (W.astype(float), rng.integers(-3, 4, m).astype(float)),
            (rng.integers(-3, 4, (5, m)).astype(float), rng.integers(-3, 4, 5).astype(float)),
            (rng.integers(-3, 4, (1, 5)).astype(float), np.zeros(1)),
        ]
        network = ReLUNetwork([AffineLayer(*layer) for layer in layers])
        told += network.exactly(x) != network.exactly(other)
    look(
        f"{draws} integer layers of m < n rows: pairs that W tells apart or that leave the balls "
        "of radius lambda/4"
    ).none(failures)
    look("deeper networks on such a layer that tell the pair apart").none(told)
    largest = residual = outside = differ = 0.0
    for n in budget.pick((2, 3, 5), (2, 3, 5, 8, 12)):
        X, y = datasets.simplex_points(n, n + 3)
        for _ in range(budget.pick(4, 20)):
            drawn = rng.normal(size=(int(rng.integers(1, n)), n))
            hit = width.collision(drawn, X, y)
            largest = max(largest, hit.radius)
            residual = max(residual, hit.residual(drawn))
            for point, row in ((hit.x, hit.i), (hit.x_prime, hit.k)):
                outside = max(outside, float(np.abs(point - X[row]).max()) - hit.radius)
        line = rng.normal(size=n)
        full = np.linalg.svd(line[None, :])[2][1:]
        hit = width.collision(full, *datasets.simplex_points(n))
        differ = max(differ, abs(hit.radius - width.simplex_collision_radius(line)))
    look("largest collision radius of random layers with m < n rows, lambda = 1").at_most(
        largest, stated("II.3 radius") + 1e-9
    )
    look("difference of W x and W x' at the pairs found").at_most(residual, 1e-9)
    look("distance by which the pairs leave the balls of that radius").at_most(outside, 1e-12)
    look.control("radius for m = n - 1 against its closed form").at_most(differ, 1e-9)
    sharp = 0.0
    certified = 0
    for n in range(2, budget.pick(8, 20)):
        X, y = datasets.simplex_points(n, n + 2)
        layer = width.null_space_layer(n)
        hit = width.collision(layer, X, y)
        sharp = max(sharp, abs(hit.radius - stated("II.3 radius")))
        # g = (e_j - e_i)/2 is a combination of the rows (its entries sum to 0), has 1-norm 1 and
        # tells the balls of e_j and 0 apart below 1/4: <g, e_j> = 1/2.  Their rows have sum 0 too.
        certified += int(np.any(layer.sum(axis=1) != 0) or np.linalg.matrix_rank(layer) != n - 1)
        for j in range(n):
            g = (np.eye(n)[j] - np.eye(n)[(j + 1) % n]) / 2
            certified += int(np.abs(g).sum() != 1 or g.sum() != 0 or g @ X[1 + j] != 0.5)
    look("collision radius of the differences x_j - x_(j+1), distance from 1/4").at_most(
        sharp, 1e-9
    )
    look("directions that do not prove that it is at least 1/4").none(certified)
    X, y = datasets.simplex_points(4)
    mu = 0.99 * datasets.largest_budget(X, y)
    bounds = certificates.certify(constructions.memorize(X, y, mu), "interval")
    look.control.certified(
        "the same data at mu = 0.99 lambda/2 with a first layer of 3n + 1 neurons"
    ).holds(bounds.holds, f"{bounds.share:.0%} of the balls certified", "100%")


_KINDS: tuple[Literal["half-spaces", "sum"], ...] = ("half-spaces", "sum")


def _corner(X: FloatArray, radius: float, rng: Rng) -> FloatArray:
    """Return one corner of each ball of the maximum norm."""
    return np.asarray(X + radius * rng.choice([-1.0, 1.0], X.shape))


def _two_colorable(h: hypergraphs.Hypergraph) -> bool:
    """Try all colorings with two colors."""
    return any(
        all(len({colors[v] for v in edge}) > 1 for edge in h.edges)
        for colors in itertools.product((0, 1), repeat=h.vertices)
    )


def _small_hypergraphs(budget: Budget, rng: Rng) -> list[tuple[str, hypergraphs.Hypergraph]]:
    found = [
        ("triangle", hypergraphs.complete_graph(3)),
        ("4-cycle", hypergraphs.cycle(4)),
        ("5-cycle", hypergraphs.cycle(5)),
    ]
    vertices = budget.pick((4, 5), (4, 5, 5, 6, 6, 7, 7))
    for number, V in enumerate(vertices):
        edges = min(math.comb(V, 3), (2 + number % 2) * V)
        found.append((f"random, V = {V}", hypergraphs.random_hypergraph(V, edges, rng)))
    if budget is Budget.FULL:
        found.append(("Fano plane", hypergraphs.fano()))
    return found


@topic.check("thm-ii.4.1")
def _check_41(look: Collector, budget: Budget, rng: Rng) -> None:
    wrong = shapes = colorings = balls = missed = 0
    instances = _small_hypergraphs(budget, rng)
    for _, h in instances:
        X, y = hardness.gadget(h)
        V = h.vertices
        # Polynomial size: V + E + 3 points with the entries -1, 0, 1.
        shapes += X.shape != (len(h.edges) + V + 3, V + 1) or not np.isin(X, (-1, 0, 1)).all()
        shapes += datasets.separation(X, y) != 1.0
        colorable = _two_colorable(h)
        for kind in _KINDS:
            answer = hardness.exists_width_two(X, y, kinds=[kind], sides=["upper"])
            wrong += answer.found is not colorable
            if answer.network is not None:
                decoded = hardness.coloring_of_network(h, answer.network)
                colorings += h.one_colored(decoded.colors) is not None
        wrong += hardness.exists_width_two(X, y, sides=["lower"]).found is not False
        colors = hypergraphs.coloring(h)
        wrong += (colors is not None) is not colorable
        if colors is None:
            continue
        largest = Fraction(1, 2 * (2 * V + 1))
        for kind in _KINDS:
            radius = float(largest * Fraction(99, 100))
            network = hardness.network_of_coloring(h, colors, kind=kind, radius=radius)
            balls += not two_neurons.certify_sign(network, X, y, radius).holds
            balls += _counted(network)[:2] != (2, 2)
            missed += int(np.count_nonzero((network(_corner(X, radius, rng)) > 1.5) != (y == 2.0)))
            decoded = hardness.coloring_of_network(h, network)
            colorings += h.one_colored(decoded.colors) is not None
    names = ", ".join(name for name, _ in instances)
    look.computed(f"answers other than by trying all colorings ({names})").none(wrong)
    look("networks of colorings that are wrong on a ball of radius 0.99 lambda/(2(2V + 1))").none(
        balls
    )
    look("networks whose decoded coloring leaves an edge with one color").none(colorings)
    look("gadgets that are not V + E + 3 points of R^(V+1) with entries -1, 0, 1").none(shapes)
    look.control.computed("corners of these balls that are classified wrongly").none(missed)
    look.cited("coloring hypergraphs with edges of at most 3 vertices by two colors").holds(
        True, "NP-complete (Lovász 1973; Garey and Johnson 1979, SP4)", "NP-hard"
    )


@topic.check("prop-ii.4.7")
def _check_47(look: Collector, budget: Budget, rng: Rng) -> None:
    examples = [("triangle", hypergraphs.complete_graph(3)), ("Fano plane", hypergraphs.fano())]
    colorings = answers = 0
    for name, h in examples:
        proper = sum(
            all(len({colors[v] for v in edge}) > 1 for edge in h.edges)
            for colors in itertools.product((0, 1), repeat=h.vertices)
        )
        colorings += proper
        methods: list[Literal["milp", "backtrack"]] = ["milp"]
        if name == "triangle" or budget is Budget.FULL:
            methods.append("backtrack")
        for method in methods:
            answers += hardness.exists_width_two(*hardness.gadget(h), method).found is not False
    # The same search finds a network as soon as a coloring exists.
    fewer = hypergraphs.Hypergraph(7, hypergraphs.fano().edges[1:])
    X, y = hardness.gadget(fewer)
    answer = hardness.exists_width_two(X, y)
    radius = 0.0
    if answer.network is not None:
        radius = float(two_neurons.certify_sign(answer.network, X, y).radius)
    # What two neurons cannot do, the network of Theorem 4.8 can.
    X, y = hardness.gadget(hypergraphs.fano())
    bounds = certificates.certify(constructions.memorize(X, y, 0.49), "interval")
    look("proper 2-colorings of the triangle and of the Fano plane").none(colorings)
    look.computed("searches of their gadgets that find two neurons, or do not end").none(answers)
    look.control.exact(
        "Fano plane without a line: certified budget of the network that is found"
    ).at_least(radius, 1e-6)
    look.control.certified(
        "the gadget of the Fano plane, mu = 0.49 lambda, network of Theorem 4.8"
    ).holds(bounds.holds, f"{bounds.share:.0%} of the balls certified", "100%")
    look.witness |= {
        "vertices": 7,
        "edges": [list(edge) for edge in hypergraphs.fano().edges],
        "separation": 1.0,
    }


_CROSS = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
_CROSS_LABELS = np.array([2.0, 1.0, 1.0, 1.0, 1.0])


def _on_corners(share: float) -> bool | None:
    """Search for two neurons that are right at the corners of the balls of the cross."""
    corners = share * np.array(list(itertools.product((-1.0, 1.0), repeat=2)))
    points = np.concatenate([corners + row for row in _CROSS])
    return hardness.exists_width_two(points, np.repeat(_CROSS_LABELS, 4)).found


@topic.check("rem-ii.1")
def _check_remark(look: Collector, budget: Budget, rng: Rng) -> None:
    X, y = _CROSS, _CROSS_LABELS
    lam = datasets.separation(X, y)
    plain = hardness.exists_width_two(X, y)
    radius = Fraction(0)
    if plain.network is not None:
        radius = Fraction(two_neurons.certify_sign(plain.network, X, y).radius)
    # The region of label 2 holds, with (mu, -mu), a ray from it in some direction (1, s), after
    # symmetry; the ray meets the ball of e_1.  Its point there is linear in s: both ends decide.
    outside = 0
    for mu in (Fraction(1, 4), Fraction(1, 3), Fraction(2, 5), Fraction(1, 2) * _NEARLY):
        way = 1 - 2 * mu
        for s in (0, 1):
            met = [mu + way, -mu + way * s]
            outside += _distance(met, _rational(X[1]), math.inf) > mu
    found = [_on_corners(share) for share in budget.pick((0.26,), (0.26, 0.3, 0.4, 0.49))]
    below = _on_corners(0.24)
    slab = ReLUNetwork(
        [
            AffineLayer([[1.0, 1.0], [-1.0, -1.0]], [0.0, 0.0]),
            AffineLayer([[-1.0, -1.0]], [2.0]),
        ]
    )
    triangle = hardness.gadget(hypergraphs.complete_graph(3))
    none = hardness.exists_width_two(*triangle).found
    look.exact(
        "the cross {0, +-e_1, +-e_2}: certified budget of two neurons that memorize it"
    ).holds(radius > 0, radius, "> 0")
    look(
        "the cross at mu = 1/4, 1/3, 2/5 and almost 1/2: points of the ray that are not in the "
        "ball of e_1"
    ).none(outside)
    look.computed(
        "corners of the balls of the cross, mu = 0.26 and more: searches that find two neurons, or "
        "do not end"
    ).holds(
        all(each is False for each in found),
        sum(each is not False for each in found),
        "none of " + str(len(found)),
    )
    look.control.computed("the same corners, mu = 0.24: the search for two neurons").holds(
        below is True, "found" if below is True else "none found or undecided", "found"
    )
    look.control("separation of the cross").equals(Fraction(lam), Fraction(1))
    look("largest budget of 2 - relu(x_1 + x_2) - relu(-x_1 - x_2) on the cross").equals(
        Fraction(two_neurons.certify_sign(slab, X, y).radius), Fraction(1, 4)
    )
    look.computed(
        "no memorization, hence no robust one: the points made of a triangle, mu = 0"
    ).holds(none is False, "none found" if none is False else "found or undecided", "none")
    look.witness |= {"points": X.tolist(), "labels": y.tolist(), "budget": "1/4"}


def _hull_distance(X: FloatArray, y: FloatArray) -> float:
    """Return the distance of the convex hulls of two labels in the maximum norm."""
    low = y == y.min()
    first, second = X[low], X[~low]
    N, n = X.shape
    signed = np.concatenate((first, -second)).T
    ones = np.ones((n, 1))
    run = linprog(
        np.append(np.zeros(N), 1.0),
        A_ub=np.block([[signed, -ones], [-signed, -ones]]),
        b_ub=np.zeros(2 * n),
        A_eq=np.array(
            [
                np.concatenate((np.ones(len(first)), np.zeros(len(second) + 1))),
                np.concatenate((np.zeros(len(first)), np.ones(len(second)), [0.0])),
            ]
        ),
        b_eq=np.ones(2),
        method="highs",
    )
    assert run.fun is not None
    return float(run.fun)


def _small_networks(n: int, largest: int) -> Iterator[ReLUNetwork]:
    """Yield all networks of two neurons with small integers, up to scaling and order."""
    neurons = list(itertools.product(range(-largest, largest + 1), repeat=n + 1))
    for first, second in itertools.combinations_with_replacement(neurons, 2):
        hidden = AffineLayer(
            [[float(v) for v in first[:n]], [float(v) for v in second[:n]]],
            [float(first[n]), float(second[n])],
        )
        for a, b in ((1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)):
            yield ReLUNetwork([hidden, AffineLayer([[a, b]], [0.0])])


@topic.check("prop-ii.4")
def _check_exact_values(look: Collector, budget: Budget, rng: Rng) -> None:
    draws = budget.pick(8, 100)
    wrong = off = 0
    differ = 0.0
    kinds = set()
    for draw in range(draws):
        n = int(rng.integers(1, 5))
        N = int(rng.integers(n + 2, n + 7))
        X, y = datasets.random_points(N, n, 2, rng)
        if draw % 2:  # labels by a plane
            side = X @ rng.normal(size=n)
            y = np.where(side > np.median(side), 2.0, 1.0)
        else:  # a point between two of the other label
            X[2], y[:3] = (X[0] + X[1]) / 2, (1.0, 1.0, 2.0)
        apart = _hull_distance(X, y)
        answer = exact_values.exact_values_program(X, y, 1e-4)
        kinds.add(answer.found)
        wrong += answer.found is not (apart / 2 > 1e-4)
        if not answer.found:
            continue
        differ = max(differ, abs(answer.radius - apart / 2))
        budget_here = 0.99 * answer.radius
        again = exact_values.exact_values_program(X, y, budget_here)
        wrong += exact_values.exact_values_program(X, y, 1.01 * answer.radius).found
        if again.network is None:
            wrong += 1
            continue
        for row, label in zip(X, y.tolist(), strict=True):
            ends = two_neurons.output_range(again.network, row, budget_here)
            off += ends != (Fraction(label), Fraction(label))
    labels = np.array([1.0, 3.0, 2.0])
    three = exact_values.exact_values_program(np.array([[0.0], [1.0], [2.0]]), labels, 0.1)
    cross = exact_values.exact_values_program(_CROSS, _CROSS_LABELS, 0.01)
    # Only if, on the line: of all networks with small whole numbers that are constant on the balls
    # of -1, 0 and 1, none has three values, or one value at both ends and another between.
    half = Fraction(1, 2)
    tried = counter = 0
    for network in _small_networks(1, budget.pick(2, 4)):
        ranges = [
            two_neurons.output_range(network, np.array([at]), half) for at in (-1.0, 0.0, 1.0)
        ]
        if all(low == high for low, high in ranges):
            values = [low for low, _ in ranges]
            counter += values[0] == values[2] != values[1] or len(set(values)) == 3
        tried += 1
    look.computed(
        f"{draws} data sets: answers of the program other than whether hulls are apart"
    ).none(wrong)
    look("its largest budget against half the distance of the hulls").at_most(differ, 1e-8)
    look("balls on which the network that it builds is not the label").none(off)
    look.control.computed("answers among these data sets").holds(
        len(kinds) == 2, ", ".join(sorted(str(kind) for kind in kinds)), "both"
    )
    look.computed("three labels, or the cross, whose hulls meet: networks found").none(
        int(three.found) + int(cross.found)
    )
    look(
        f"of {tried} networks of two neurons on the line, those constant on the balls of -1, 0, 1 "
        "with three values, or with one value at -1 and 1 and another at 0"
    ).none(counter)


# --------------------------------------------------------------------------------------------------
# Lipschitz control, generalization, Part I
# --------------------------------------------------------------------------------------------------


def _signs(N: int, rng: Rng) -> FloatArray:
    return np.asarray(rng.permutation(np.where(np.arange(N) % 2, 1.0, -1.0)))


def _levels(n: int) -> int:
    return max(1, math.ceil(math.log2(n)))


@topic.check("thm-ii.5.2")
def _check_52(look: Collector, budget: Budget, rng: Rng) -> None:
    off = 0
    for N, n in _sizes(budget):
        X, s = rng.uniform(0.0, 1.0, (N, n)), _signs(N, rng)
        for mu in (None, 0.9 * datasets.largest_budget(X, s)):
            memorizer = constructions.memorize_lipschitz(X, s, mu)
            w, depth, nonzeros = _counted(memorizer.network)
            off += (w, depth) != (3 * n + 3, N * (_levels(n) + 1) + 2 + (mu is not None))
            off += _as_counts(memorizer.size_by_formula) != (w, depth, nonzeros)
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
        inside, others, owner = _probes(X, mu, power, rng)
        labels = s[owner]
        plain = constructions.memorize_lipschitz(X, s)
        clip = constructions.memorize_lipschitz(X, s, mu)
        for memorizer in (plain, clip):
            ideal = precision.ideal_values(memorizer, others)
            stored = [memorizer.network.exactly(row) for row in others.tolist()]
            wrong += sum(a != b for a, b in zip(stored, ideal, strict=True))
            values += len(stored)
        for row, label in zip(inside.tolist(), labels.tolist(), strict=True):
            signs += plain.network.exactly(row) * Fraction(label) < Fraction(
                plain.lam
            ) / 2 - Fraction(mu)
            clipped += clip.network.exactly(row) != Fraction(label)
        limit = certificates.lipschitz_certificate(clip)
        constants.append(limit.upper * (Fraction(clip.lam) / 2 - Fraction(mu)))
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
    look("1-norm of 200 gradients of the network without clipping").at_most(
        float(steep.max()), 1 + 1e-12
    )


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
        first, second = _rational(X[pair.i]), _rational(X[pair.k])
        share = Fraction(mu) / Fraction(lam)
        ends = [
            [a + t * (b - a) for a, b in zip(first, second, strict=True)]
            for t in (share, 1 - share)
        ]
        gap = Fraction(lam) - 2 * Fraction(mu)
        gaps += _distance(first, ends[0], math.inf) > Fraction(mu)
        gaps += _distance(second, ends[1], math.inf) > Fraction(mu)
        gaps += _distance(ends[0], ends[1], math.inf) != gap
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
    result = np.empty(len(points))
    for place, point in enumerate(points):
        distances = np.abs(X - point).max(axis=1)
        result[place] = np.sign(distances[s < 0].min() - distances[s > 0].min())
    return result


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
        shares = [clopper_pearson(count, tested, _SURE) for count in counts]
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
    labels = _labels(len(data.X), len(data.X))
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


# --------------------------------------------------------------------------------------------------
# The claims
# --------------------------------------------------------------------------------------------------


CLAIMS = topic.claims()
