r"""Certificates that a memorizer is right on whole balls: in rationals, by intervals, by programs.

Two different things can be certified, and a certificate says which.  `exact_check` certifies the
*construction*: with *s_i* the distance term of sample *i*, on the closed ball of sample *k* (i)
the own term vanishes, ``s_k = 0``, (ii) ``s_i >= c`` if ``y_i != y_k``, (iii) ``s_i >= 0``; so
that ``max_i y_i relu(1 - s_i / c) = y_k``.  These are finitely many inequalities between rational
numbers, decided without rounding for budgets as close to lambda/2 as one likes.
`memorizer_bounds` and `certify` certify the *network that is stored*: its weights are rounded
numbers, and bounds that are widened outward (see ``intervals``) enclose its output on every ball.
Before changing it, know that the interval certificate reads nothing but the weights, the centers,
the labels and the radius: a network that is not what it claims to be is not certified by what it
claims.

Source: after Yu, Gao and Zhang (2024), Theorems 4.8, 5.2, B.2 and B.3; the proofs of (i)-(iii) and
the certificates are ours.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np

from sublinear_lib import validation
from sublinear_lib._arguments import Nonnegative, checked, described
from sublinear_lib._typing import BoolArray, FloatArray, IntArray
from sublinear_lib.memorization.constructions import Memorizer
from sublinear_lib.memorization.datasets import checked_norm, closest_pair
from sublinear_lib.memorization.intervals import interval_bounds, lipschitz_bound
from sublinear_lib.memorization.networks import rational
from sublinear_lib.memorization.programs import milp_range

__all__ = ["certify", "exact_check", "lipschitz_certificate", "memorizer_bounds"]

Rational: TypeAlias = int | float | Fraction
"""A number that stands for its exact value."""

# Squares and sums of the integers that stand for the coordinates stay below 2**63.
_MACHINE_BITS = 62


@dataclass(frozen=True)
class ExactCheck:
    """The answer of `exact_check`.

    Fields: `holds`: whether (i) to (iii) hold on every closed ball; `checks`: the number of pairs
    (ball, sample) looked at; `separation`: lambda for p = 1 and p = inf, **lambda squared** for p =
    2 (lambda itself may be irrational); None with one class only; `terms`: for p = 2 the number *K*
    of sawtooth terms.
    """

    holds: bool
    checks: int
    separation: Fraction | None
    terms: int | None


def _integers(X: object, *numbers: Fraction) -> tuple[Any, list[int], int]:
    """Return the points and the numbers as integers over one denominator.

    The points are int64 where their squares, summed over a row, fit, and Python's integers in an
    object array elsewhere.
    """
    if isinstance(X, np.ndarray) and X.dtype != object:
        X = validation.float_array(X, "X", shape=("N", "n"))
    if not isinstance(X, np.ndarray | Sequence) or isinstance(X, str):
        raise TypeError(f"X must be a table of rational numbers, got {type(X).__name__}")
    rows = [[rational(value, "X") for value in row] for row in X]
    if not rows or not rows[0] or len({len(row) for row in rows}) != 1:
        raise ValueError("X must have shape (N, n) with N, n >= 1")
    denominators = {value.denominator for row in rows for value in row}
    common = math.lcm(*denominators, *(number.denominator for number in numbers))
    table = [[value.numerator * (common // value.denominator) for value in row] for row in rows]
    scaled = [int(number * common) for number in numbers]
    largest = max(max(abs(value) for row in table for value in row), *map(abs, scaled), 1)
    fits = (largest.bit_length() + 3) * 2 + len(rows[0]).bit_length() <= _MACHINE_BITS
    return np.array(table, dtype=np.int64 if fits else object), scaled, common


def _distances(points: Any, k: int, p: float) -> Any:
    """Return the distances of all points to point k, as integers; squared for p = 2."""
    differences = np.abs(points - points[k])
    if p == math.inf:
        return differences.max(axis=1)
    return (differences**2 if p == 2.0 else differences).sum(axis=1)


@described
def exact_check(
    X: object,
    y: object,
    mu: Rational,
    p: float = math.inf,
    *,
    margin: Rational | None = None,
    terms: int | None = None,
    scale: Rational | None = None,
) -> ExactCheck:
    r"""Decide in rational arithmetic whether the construction is right on every closed ball.

    It takes data, not a memorizer; what stands behind one at hand is checked by
    ``exact_check(memorizer.X, memorizer.y, memorizer.mu, memorizer.p)``.

    For p = inf, with ``s_i(x) = sum_j relu(|x_j - x_ij| - mu)``, the least value of *s_i* on the
    ball of sample *k* is ``sum_j relu(|x_kj - x_ij| - 2 mu)``; for p = 1, with ``s_i = relu(||x -
    x_i||_1 - mu)``, it is ``relu(||x_k - x_i||_1 - 2 mu)``.  It must reach *c*, by default
    ``lambda - 2 mu``, for every pair with different labels, and *c* must be positive.

    For p = 2 the squares are replaced by sawtooth interpolants of the numbers divided by *S*,
    which lie above them by at most ``4**-(K+1)`` each.  In units of *S* squared: inside the ball
    of *k* the sum is at most ``mu**2 + e`` with ``e = n S**2 4**-(K+1)``, inside the ball of a
    sample with another label at least ``(||x_k - x_i||_2 - mu)**2``.  A threshold fits between if
    and only if ``lambda**2 - e > 2 mu lambda``, which is decided by squaring; besides, ``S`` must
    be at least every ``|x_kj - x_ij| + mu``.

    Here `mu`: the budget, ``>= 0``; unlike for a construction, a budget ``>= lambda/2`` is allowed,
    and the check then fails; `p`: the norm; `margin`: the number *c* to check instead of ``lambda -
    2 mu``; only for p = 1 and p = inf.  A stored network has a rounded one; `terms`: the number *K*
    of sawtooth terms, ``>= 0``; only for p = 2.  By default the smallest that suffices; `scale`:
    the number *S*; only for p = 2.  By default the smallest allowed.

    Whether the conditions hold, and lambda.

    Raises TypeError, ValueError: if an argument is not of this form.

    Source: after Yu, Gao and Zhang (2024), Theorems 4.8, B.2 and B.3; our proofs.  Time is
    proportional to N squared times n.  Coordinates become integers over one denominator: 64-bit
    ones where every square fits, Python's otherwise.

    >>> from fractions import Fraction
    >>> nearly = Fraction(1, 2) - Fraction(1, 10**30)
    >>> exact_check([[0], [1]], [1, 2], nearly).holds
    True
    >>> exact_check([[0], [1]], [1, 2], Fraction(1, 2)).holds
    False
    >>> exact_check([[0, 0], [1, 1]], [1, 2], Fraction(7, 10), p=2).terms
    4
    """
    norm = checked_norm(p)
    budget = rational(mu, "mu")
    if budget < 0:
        raise ValueError(f"mu must be >= 0, got {mu}")
    if norm == 2.0 and margin is not None:
        raise ValueError("margin belongs to p = 1 and p = inf, got p = 2")
    if norm != 2.0 and (terms is not None or scale is not None):
        raise ValueError(f"terms and scale belong to p = 2, got p = {p}")
    given = {"margin": margin, "scale": scale}
    more = [rational(value, name) for name, value in given.items() if value is not None]
    points, (radius, *rest), common = _integers(X, budget, *more)
    labels = np.asarray(y)
    if labels.shape != (len(points),):
        raise ValueError(f"y must have shape ({len(points)},), got {labels.shape}")
    classes = np.unique(labels, return_inverse=True)[1].reshape(-1)
    least = _least(points, classes, norm)
    if terms is not None:
        terms = validation.count(terms, "terms", minimum=0)
    if norm == 2.0:
        holds, terms = _check_squares(points, radius, rest[0] if rest else None, terms, least)
        common *= common
    elif least is None:
        # One class: there is nothing to separate, and any positive c serves.
        holds = not rest or rest[0] > 0
    else:
        wanted = rest[0] if rest else least - 2 * radius
        holds = wanted > 0 and not _fails(points, classes, radius, wanted, norm)
    separation = None if least is None else Fraction(least, common)
    return ExactCheck(holds, len(points) ** 2, separation, terms)


def _least(points: Any, classes: IntArray, p: float) -> int | None:
    """Return the smallest distance between differently labeled points."""
    others = ((k, classes != own) for k, own in enumerate(classes))
    found = [_distances(points, k, p)[there].min() for k, there in others if there.any()]
    return int(min(found)) if found else None


def _fails(points: Any, classes: IntArray, radius: int, wanted: int, p: float) -> bool:
    """Say whether the least value of a term stays below c on the ball of another class."""
    for k, own in enumerate(classes):
        if p == math.inf:
            terms = np.maximum(np.abs(points - points[k]) - 2 * radius, 0).sum(axis=1)
        else:
            terms = np.maximum(_distances(points, k, p) - 2 * radius, 0)
        if ((classes != own) & (terms < wanted)).any():
            return True
    return False


def _check_squares(
    points: Any, radius: int, scale: int | None, terms: int | None, least: int | None
) -> tuple[bool, int | None]:
    """Decide the conditions for p = 2, and find the number of terms; lengths are integers."""
    reach = max(int(max(column) - min(column)) for column in points.T.tolist()) + radius
    width = reach if scale is None else scale
    if least is None:
        return width >= reach, terms
    if least <= 4 * radius * radius:
        return False, terms

    def enough(K: int) -> bool:
        # lambda**2 - e > 2 mu lambda with e = n S**2 / 4**(K+1), everything times 4**(K+1);
        # strict, because a threshold between the two sides must have room.
        power = 4 ** (K + 1)
        left = power * least - points.shape[1] * width * width
        return bool(left > 0 and left * left > (power * 2 * radius) ** 2 * least)

    if terms is None:
        terms = next(K for K in itertools.count() if enough(K))
    return enough(terms) and width >= reach, terms


@dataclass(frozen=True, eq=False)
class Certificate:
    """What is certified about the balls of a memorizer.

    Fields: `method`: "exact", "interval" or "milp"; `radius`: that of the closed balls; `labels`
    (B,): the labels of the samples whose balls were looked at; `certified` (B,): whether every
    point of the ball is classified as its center: the value is closer to the label than half the
    distance to the next other one, also on the side where there is none (the value outside all
    bumps is no label); for the Lipschitz memorizer, the sign is right.  False means *not proven*,
    not *wrong*; `lower`, `upper` (B,): bounds of the output on each ball.  Proven for "interval";
    for "milp" the answers of a floating-point solver; for "exact" the label itself where it is
    certified, and infinite elsewhere (the Lipschitz memorizer without a budget: 0 on one side).
    """

    method: str
    radius: float
    labels: FloatArray
    certified: BoolArray
    lower: FloatArray
    upper: FloatArray

    def __repr__(self) -> str:
        """Say what was shown of how many balls."""
        return (
            f"Certificate({self.method!r} of the {self.scope}: {int(self.certified.sum())} of "
            f"{len(self.labels)} balls of radius {self.radius:.6g} certified)"
        )

    @property
    def scope(self) -> str:
        """What it is about: the closed form in real arithmetic, or the network as it is stored."""
        return "construction" if self.method == "exact" else "stored weights"

    @property
    def holds(self) -> bool:
        """Whether all balls that were looked at are certified."""
        return bool(self.certified.all())

    @property
    def share(self) -> float:
        """The share of balls that are certified."""
        return float(self.certified.mean())

    @property
    def deviation(self) -> FloatArray:
        """What the bounds leave of ``|F(x) - y_k|`` on each ball, shape (B,)."""
        above, below = self.upper - self.labels, self.labels - self.lower
        return np.asarray(np.maximum(np.maximum(above, below), 0.0))


def _boxes(X: FloatArray, radius: float) -> tuple[FloatArray, FloatArray]:
    """Return boxes that contain the closed balls of the maximum norm, rounded outward."""
    if radius == 0.0:
        return X, X
    return np.nextafter(X - radius, -np.inf), np.nextafter(X + radius, np.inf)


@checked
def memorizer_bounds(memorizer: Memorizer, *, aware: bool = True) -> tuple[FloatArray, FloatArray]:
    """Bound the output of the stored network on the balls of the maximum norm, rigorously.

    For a memorizer of the maximum norm with a budget; all balls go through the layers together.
    Not `aware` of running maxima and minima in the weights is plain interval arithmetic, see
    ``intervals``. The bounds hold in exact arithmetic and for every float64 evaluation.
    """
    radius = _radius(validation.instance(memorizer, "memorizer", Memorizer), None)
    return _interval(memorizer, radius, memorizer.X, aware)


def _radius(memorizer: Memorizer, radius: float | None) -> float:
    size = memorizer.mu if radius is None else radius
    if size is None:
        raise ValueError("radius must be given: this memorizer was built without a budget")
    return float(size)


def _interval(
    memorizer: Memorizer, radius: float, X: FloatArray, aware: bool
) -> tuple[FloatArray, FloatArray]:
    if memorizer.p != math.inf:
        raise ValueError(
            f"memorizer must belong to the maximum norm, got p = {memorizer.p}: "
            "a box is too large for its balls, use method='exact'"
        )
    return interval_bounds(memorizer.network, *_boxes(X, radius), aware=aware)


def _certified(
    memorizer: Memorizer, y: FloatArray, lower: FloatArray, upper: FloatArray
) -> BoolArray:
    """Say where the bounds lie strictly inside the cell of the label."""
    if memorizer.kind == "lipschitz":
        return np.asarray(np.where(y > 0, lower > 0.0, upper < 0.0))
    values = np.unique(memorizer.y)
    steps = np.concatenate([[np.inf], np.diff(values), [np.inf]])
    place = np.searchsorted(values, y)
    # Two roundings, one inward: the cell is never larger than half the distance.
    half = np.nextafter(np.minimum(steps[place], steps[place + 1]) / 2.0, 0.0)
    low, high = np.nextafter(y - half, np.inf), np.nextafter(y + half, -np.inf)
    return np.asarray(np.isfinite(lower) & np.isfinite(upper) & (lower > low) & (upper < high))


def _exact(
    memorizer: Memorizer, radius: float, y: FloatArray
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return what `exact_check` says as bounds, and whether they hold."""
    if memorizer.mu is not None and radius > memorizer.mu:
        raise ValueError(
            f"radius must be <= mu = {memorizer.mu} for method='exact', got {radius}: "
            "beyond the budget only the stored weights can be asked"
        )
    budget = radius if memorizer.mu is None else memorizer.mu
    scale = 2.0 * memorizer.scale if memorizer.p == 2.0 else None
    holds = exact_check(
        memorizer.X, memorizer.y, budget, memorizer.p, terms=memorizer.terms, scale=scale
    ).holds
    lower, upper = y.copy(), y.copy()
    if memorizer.mu is None:  # only the sign is known
        lower, upper = np.where(y > 0, 0.0, -np.inf), np.where(y > 0, np.inf, 0.0)
    if not holds:
        lower, upper = np.full(len(y), -np.inf), np.full(len(y), np.inf)
    return lower, upper, np.full(len(y), holds)


def _milp(
    memorizer: Memorizer, radius: float, X: FloatArray, time_limit: float
) -> tuple[FloatArray, FloatArray]:
    if memorizer.p == 2.0:
        raise ValueError("memorizer must belong to p = 1 or p = inf for method='milp', got p = 2")
    answers = [
        milp_range(
            memorizer.network,
            *ends,
            l1_ball=(x, radius) if memorizer.p == 1.0 else None,
            time_limit=time_limit,
        )
        for x, *ends in zip(X, *_boxes(X, radius), strict=True)
    ]
    lower, upper = np.array([(answer.lower, answer.upper) for answer in answers]).T
    return lower, upper


@checked
def certify(
    memorizer: Memorizer,
    method: Literal["auto", "exact", "interval", "milp"] = "auto",
    *,
    radius: Nonnegative | None = None,
    rows: object = None,
    time_limit: float = 60.0,
) -> Certificate:
    """Certify that a memorizer classifies whole closed balls as their centers.

    Here `memorizer`: the memorizer; `method`: "exact" certifies the construction in rational
    arithmetic, for p = 1, 2 and inf.  "interval" bounds the stored network rigorously, aware of
    running maxima and minima, for p = inf. "milp" finds the range of the stored network on each
    ball up to the tolerances of a solver, for small networks and p = 1 or inf.  "auto" is
    "interval" for p = inf, else "exact"; `radius`: the radius of the closed balls, ``>= 0``; by
    default the budget.  Up to the budget for "exact"; `rows` (B,): the samples whose balls are
    looked at; by default all; `time_limit`: for "milp": seconds for each of the two programs of a
    ball.

    What was proven, ball by ball, and of what.

    Source: after Yu, Gao and Zhang (2024), Theorems 4.8, 5.2, B.2, B.3; the certificates are ours.
    """
    validation.instance(memorizer, "memorizer", Memorizer)
    wanted = validation.choice(method, "method", ("auto", "exact", "interval", "milp"))
    size, X, y = _radius(memorizer, radius), memorizer.X, memorizer.y
    if rows is not None:
        chosen = validation.index_array(rows, "rows", upper=len(X))
        X, y = X[chosen], y[chosen]
    if wanted == "auto":
        wanted = "interval" if memorizer.p == math.inf else "exact"
    if wanted == "exact":
        lower, upper, certified = _exact(memorizer, size, y)
    else:
        bounds = (
            _milp(memorizer, size, X, time_limit)
            if wanted == "milp"
            else _interval(memorizer, size, X, aware=True)
        )
        lower, upper = bounds
        certified = _certified(memorizer, y, lower, upper)
    return Certificate(wanted, size, y, certified, lower, upper)


@dataclass(frozen=True, eq=False)
class LipschitzCertificate:
    """The Lipschitz constant of a stored network in the maximum norm, from both sides.

    Fields: `upper`: a bound that holds for all pairs of points, by `lipschitz_bound`: exact, no
    rounding; `attained`: ``|F(x) - F(x')| / max_j |x_j - x'_j|`` at two points, evaluated exactly:
    no smaller bound is true; `optimal`: ``2 / (lambda - 2 mu)``: no function that is at least 1 on
    the balls of one label and at most -1 on those of the other has a smaller constant.  It needs a
    budget; 1 without one, the constant of a distance.  None for other kinds than "lipschitz".
    """

    upper: Fraction
    attained: Fraction
    optimal: Fraction | None


def _steepest_pair(memorizer: Memorizer) -> tuple[FloatArray, FloatArray]:
    """Return two points between which the function is steep."""
    mu = 0.0 if memorizer.mu is None else memorizer.mu
    if memorizer.kind == "linf":
        # On the flank of the highest bump, where all coordinates leave the ball together.
        center = memorizer.X[int(np.argmax(memorizer.y))]
        step = memorizer.margin / center.size
        return center + (mu + 0.25 * step), center + (mu + 0.5 * step)
    # Between the closest samples of the two labels, outside their balls.
    pair = closest_pair(memorizer.X, memorizer.y)
    start, end = memorizer.X[[pair.i, pair.k]]
    edge = mu / memorizer.lam
    share = edge + (0.5 - edge) / 16.0
    return start + share * (end - start), end - share * (end - start)


@described
def lipschitz_certificate(memorizer: Memorizer) -> LipschitzCertificate:
    """Enclose the Lipschitz constant of a stored memorizer of the maximum norm, exactly.

    Here `memorizer`: A memorizer of kind "lipschitz" (the constant is 1, or ``1 / (lambda/2 - mu)``
    with a budget, up to the rounding of the stored weights) or "linf" (``n max(h) / c``, with *h*
    the labels above the shift).

    An upper bound, and a slope that is attained between two points.

    Raises TypeError, ValueError: if it is no memorizer, or one of another norm.

    Source: after Yu, Gao and Zhang (2024), Theorem 5.2.  That the constant is the smallest possible
    is our remark: the balls of the closest pair are ``lambda - 2 mu`` apart, and the function
    climbs from -1 to 1 between them.
    """
    validation.instance(memorizer, "memorizer", Memorizer)
    if memorizer.p != math.inf:
        raise ValueError(f"memorizer must belong to the maximum norm, got p = {memorizer.p}")
    start, end = _steepest_pair(memorizer)
    values = [memorizer.network.exactly(point.tolist()) for point in (start, end)]
    distance = max(
        abs(Fraction(a) - Fraction(b)) for a, b in zip(start.tolist(), end.tolist(), strict=True)
    )
    optimal: Fraction | None = None
    if memorizer.kind == "lipschitz":
        optimal = Fraction(1)
        if memorizer.mu is not None:
            lam = exact_check(memorizer.X, memorizer.y, 0).separation
            assert lam is not None
            optimal = 2 / (lam - 2 * Fraction(memorizer.mu))
    return LipschitzCertificate(
        upper=lipschitz_bound(memorizer.network),
        attained=abs(values[0] - values[1]) / distance,
        optimal=optimal,
    )
