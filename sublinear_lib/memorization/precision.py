r"""Where floating-point numbers stop being enough as the budget approaches lambda/2.

The construction of Theorem 4.8 works for every budget below lambda/2, and its size does not know
how close that is.  Its *weights* do: the largest is ``y / c`` with ``c = lambda - 2 mu``, and it
multiplies differences of coordinates, whose rounding errors are of the size of the unit of
rounding.  So the error on the balls grows like ``eps y / c``, and with ``c = lambda (1 - rho)`` a
format with a given *eps* fails at a known distance ``1 - rho`` from the threshold.  Before
changing it, know what is compared with what.  The *ideal* value is that of the closed form with
the exact separation, in rationals.  The *computed* value is what the format returns for a network
whose parameters are numbers of the format, at a point that is rounded to the format first.
Rounding is monotone, so that a coordinate on the right side of an edge stays there when point and
edge are rounded once: then what is computed is right although what is stored is wrong.

Source: after Yu, Gao and Zhang (2024), Theorem 4.8, whose statement has real weights; the analysis
of rounding is ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np

from sublinear_lib import geometry, validation
from sublinear_lib._arguments import Positive, checked, described
from sublinear_lib._typing import FloatArray, IntArray, Seed
from sublinear_lib.memorization.certificates import certify, exact_check
from sublinear_lib.memorization.constructions import Memorizer, memorize
from sublinear_lib.memorization.datasets import distances

__all__ = ["breaking_gap", "ideal_values", "precision_curve"]

Format: TypeAlias = Literal["float64", "float32"]
"""A floating-point format."""

_FORMATS: tuple[Format, ...] = ("float64", "float32")


def _epsilon(dtype: object) -> float:
    return float(np.finfo(validation.choice(dtype, "dtype", _FORMATS)).eps)


@checked
def breaking_gap(
    lam: Positive, label: Positive, dtype: Format = "float64", *, label_gap: Positive = 1.0
) -> float:
    """Predict the distance ``1 - rho`` from the threshold at which a format fails.

    There the predicted error ``eps y / (lambda (1 - rho))`` is half the smallest distance of two
    labels; y is the largest label.  The result can exceed 1, and then the format fails for every
    budget.

    >>> f"{breaking_gap(0.25, 3.0):.1e}", f"{breaking_gap(0.25, 3.0, 'float32'):.1e}"
    ('5.3e-15', '2.9e-06')
    """
    return 2.0 * _epsilon(dtype) * label / (lam * label_gap)


def ball_probes(
    X: FloatArray, y: FloatArray, mu: float, rng: np.random.Generator, corners: int, inner: int
) -> FloatArray:
    """Draw points of the balls of the maximum norm, most of them where it hurts.

    At a corner every coordinate is at the edge of the budget, and a rounding error decides whether
    a distance that should be zero is positive.  At the point closest to the nearest sample with
    another label, that sample's term should just vanish.  The rest are uniform.
    """
    directions = [rng.choice([-1.0, 1.0], X.shape) for _ in range(corners)]
    directions += [rng.uniform(-1.0, 1.0, X.shape) for _ in range(inner)]
    targets = [X + mu * d for d in directions]
    apart = np.where(y[:, None] != y, distances(X, X, math.inf), np.inf)
    targets.append(X[apart.argmin(axis=1)])
    low, high = geometry.inner_box(X, mu)
    return np.concatenate([np.clip(target, low, high) for target in targets])


@described
def ideal_values(memorizer: Memorizer, points: object) -> list[Fraction]:
    """Evaluate the closed form of a memorizer of the maximum norm in rational arithmetic.

    Nothing of the network is used: samples, labels and budget stand for their exact values, and
    lambda is exact.

    Here `memorizer`: A memorizer of kind "linf" or "lipschitz"; `points` (P, n): the points.

    ``max_i y_i relu(1 - s_i / c)`` (labels shifted as in the network), or half the difference of
    the distances to the two classes, clipped if the memorizer has a budget.

    Raises TypeError, ValueError: if the points are not of this form, or the memorizer is of another
    kind.
    """
    validation.instance(memorizer, "memorizer", Memorizer)
    if memorizer.kind not in ("linf", "lipschitz"):
        raise ValueError(f"memorizer must be of kind 'linf' or 'lipschitz', got {memorizer.kind!r}")
    table = validation.float_array(points, "points", shape=("P", memorizer.X.shape[1]))
    X = [[Fraction(v) for v in row] for row in memorizer.X.tolist()]
    lam = exact_check(memorizer.X, memorizer.y, 0).separation
    if lam is None:
        raise ValueError("memorizer must have two classes, got one")
    y = [Fraction(v) for v in memorizer.y.tolist()]
    values = []
    for row in table.tolist():
        point = [Fraction(v) for v in row]
        gaps = [[abs(a - b) for a, b in zip(point, x, strict=True)] for x in X]
        if memorizer.kind == "linf":
            assert memorizer.mu is not None
            values.append(_bumps(gaps, y, lam, Fraction(memorizer.mu), Fraction(memorizer.shift)))
        else:
            values.append(_half_difference(gaps, y, lam, memorizer.mu))
    return values


def _bumps(
    gaps: list[list[Fraction]], y: list[Fraction], lam: Fraction, mu: Fraction, shift: Fraction
) -> Fraction:
    c = lam - 2 * mu
    sums = [sum((max(g - mu, Fraction(0)) for g in row), Fraction(0)) for row in gaps]
    heights = [(v - shift) * max(1 - s / c, Fraction(0)) for v, s in zip(y, sums, strict=True)]
    return max(heights) + shift


def _half_difference(
    gaps: list[list[Fraction]], y: list[Fraction], lam: Fraction, mu: float | None
) -> Fraction:
    distances = [max(row) for row in gaps]
    away = min(d for d, v in zip(distances, y, strict=True) if v < 0)
    near = min(d for d, v in zip(distances, y, strict=True) if v > 0)
    value = (away - near) / 2
    if mu is None:
        return value
    return max(Fraction(-1), min(Fraction(1), value / (lam / 2 - Fraction(mu))))


def evaluation_error(
    memorizer: Memorizer, points: FloatArray, dtype: Format = "float64"
) -> tuple[float, int]:
    """Return the largest error of a memorizer over some points, and how many it gets wrong."""
    ideal = ideal_values(memorizer, points)
    raw = np.asarray(memorizer.network(points, dtype=dtype), dtype=np.float64)
    computed = [Fraction(value) if math.isfinite(value) else None for value in raw.tolist()]
    return _largest(computed, ideal), _wrong(memorizer, computed, ideal)


def _largest(values: Sequence[Fraction | None], others: Sequence[Fraction]) -> float:
    """Return the largest difference; infinity for a value that overflowed."""
    pairs = zip(values, others, strict=True)
    return max(math.inf if a is None else float(abs(a - b)) for a, b in pairs)


def _wrong(memorizer: Memorizer, computed: list[Fraction | None], ideal: list[Fraction]) -> int:
    labels = [Fraction(v) for v in np.unique(memorizer.y).tolist()]

    def classify(value: Fraction | None) -> Fraction | int | None:
        if value is None:
            return None
        if memorizer.kind == "lipschitz":
            return (value > 0) - (value < 0)
        return min(labels, key=lambda label: abs(label - value))

    return sum(classify(a) != classify(b) for a, b in zip(computed, ideal, strict=True))


@dataclass(frozen=True, eq=False)
class PrecisionCurve:
    """The error on the balls against the distance from the threshold, for one format.

    Fields: `gaps` (G,): ``1 - mu / (lambda/2)`` of the smallest budget used, from the exact
    numbers; `margins` (G,): ``c = lambda - 2 mu``, rounded once; `total` (G,): the largest error
    over the probes, ``|computed - ideal|``; `wrong` (G,): probes that are classified wrongly;
    `predicted` (G,): ``eps y / c``: an order of magnitude for coordinates of size 1, neither a
    bound nor a fit; `proven` (G,): for float64 a bound of the total error on the *whole* balls,
    from the interval certificate; NaN for float32, which it does not treat.
    """

    gaps: FloatArray
    margins: FloatArray
    total: FloatArray
    wrong: IntArray
    predicted: FloatArray
    proven: FloatArray


@described
def precision_curve(
    X: object,
    y: object,
    gaps: Sequence[float],
    *,
    rng: Seed,
    dtype: Format = "float64",
    corners: int = 2,
    inner: int = 1,
    budgets: int = 3,
) -> PrecisionCurve:
    """Measure the error of the network of Theorem 4.8 on its balls as mu approaches lambda/2.

    Here `gaps`: the distances ``1 - rho`` from the threshold, each in (0, 1); `dtype`: the format
    of parameters and evaluation; `corners`, `inner`: probes for each ball, numbers of float64,
    besides the one closest to another label; `budgets`: whether an error shows
    depends on the last digits of the budget, below those that survive in ``x + R + mu``.  So this
    many budgets, spread over one unit in the last place of R, are tried for each gap, ``>= 1``, and
    the errors are the largest of all.

    The measured errors, the predicted line, and a proven bound.

    Raises TypeError, ValueError: if an argument is not of this form, or a gap is so small that the
    rounded budget reaches lambda/2.

    The network is built in float64, with the budget rounded to float64; its parameters are then
    rounded to the format.  For every gap and every probe the network is evaluated exactly, which
    takes time proportional to its nonzero weights: some milliseconds for N = 12, n = 4.
    """
    kind = validation.choice(dtype, "dtype", _FORMATS)
    wanted = validation.float_array(list(gaps), "gaps", shape=("G",))
    if ((wanted <= 0.0) | (wanted >= 1.0)).any():
        raise ValueError(f"gaps must lie in (0, 1), got {wanted.min()} to {wanted.max()}")
    source, budgets = validation.generator(rng), validation.count(budgets, "budgets")
    corners = validation.count(corners, "corners", minimum=0)
    inner = validation.count(inner, "inner", minimum=0)
    samples = validation.float_array(X, "X", shape=("N", "n"))
    lam = exact_check(samples, y, 0).separation
    if lam is None:
        raise ValueError("y must hold at least two classes, got one")
    rows = []
    for gap in wanted.tolist():
        mu = float((1 - Fraction(gap)) * lam / 2)
        errors, bounds = [], []
        for _ in range(budgets):
            memorizer = memorize(samples, y, mu)
            probes = ball_probes(samples, memorizer.y, mu, source, corners, inner)
            errors.append(evaluation_error(memorizer, probes, kind))
            if kind == "float64":
                bounds.append(float(certify(memorizer, "interval").deviation.max()))
            margin = lam - 2 * Fraction(mu)
            mu -= memorizer.scale * np.finfo(np.float64).eps / budgets
        # The largest of the margins: the budgets differ in their last digits only.
        total, wrong = max(each for each, _ in errors), sum(count for _, count in errors)
        rows.append((margin / lam, margin, total, wrong, max(bounds, default=math.nan)))
    gaps_found, margins, totals, counts, proven = np.array(rows, dtype=np.float64).T
    return PrecisionCurve(
        gaps=gaps_found,
        margins=margins,
        total=totals,
        wrong=counts.astype(np.int64),
        predicted=_epsilon(kind) * float(memorizer.heights.max()) / margins,
        proven=proven,
    )
