r"""Labeled points and their separation: how far a common radius of robustness can reach.

For a norm p, ``lambda = min { ||x_i - x_k||_p : y_i != y_k }`` is the separation of the data (Yu,
Gao and Zhang, 2024, write lambda_D^p).  A continuous function can be right on all closed balls of
radius mu only if mu < lambda/2, and the constructions of this room reach every such mu.  Only pairs
with *different* labels count: equal labels may sit on one point.  Before changing anything, know
that lambda is a minimum over all pairs, the only part of a construction that is not linear in N.

scikit-learn is imported inside `digits`, so that importing this module stays cheap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from sublinear_lib import validation
from sublinear_lib._arguments import Count, Flag, checked, described
from sublinear_lib._typing import FloatArray, IntArray, Seed

__all__ = [
    "checked_data",
    "closest_pair",
    "digits",
    "largest_budget",
    "plane_points",
    "random_points",
    "separation",
    "simplex_points",
]

DigitLabels = Literal["class", "parity"]
_DIGIT_LABELS: Final[tuple[DigitLabels, ...]] = ("class", "parity")
_METRIC: Final[dict[float, Literal["cityblock", "euclidean", "chebyshev"]]] = {
    1.0: "cityblock",
    2.0: "euclidean",
    math.inf: "chebyshev",
}
# Points whose distances to all others are held at once.
_ROWS: Final = 128


@dataclass(frozen=True)
class ClosestPair:
    """Two points with different labels that are closest to each other.

    Fields: `i`, `k`: the rows, ``i < k``; of several closest pairs this is the first in
    lexicographic order; `distance`: the separation lambda of the data.
    """

    i: int
    k: int
    distance: float


@dataclass(frozen=True, eq=False)
class CheckedData:
    """Points, labels and a budget that have passed every check of `checked_data`.

    Fields: `X` (N, n), `y` (N,): points and labels, read-only; `mu`: the budget, 0 <= mu < lam/2;
    `lam`: the separation lambda in the norm p; infinite if there is one label only; `p`: the norm:
    1, 2 or infinity; `pair`: a pair at distance lam; None if there is one label only.
    """

    X: FloatArray
    y: FloatArray
    mu: float
    lam: float
    p: float
    pair: ClosestPair | None


class Split(NamedTuple):
    """Points to memorize, and others to ask about.

    Fields: `X` (N, n), `y` (N,): the points to memorize and their labels; `X_test` (N_test, n),
    `y_test` (N_test,): the others.
    """

    X: FloatArray
    y: FloatArray
    X_test: FloatArray
    y_test: FloatArray


def checked_norm(p: object) -> float:
    """Return the norm p as a number, 1, 2 or infinity; refuse any other."""
    if isinstance(p, bool) or not isinstance(p, int | float | np.integer | np.floating):
        raise TypeError(f"p must be 1, 2 or inf, got {p!r} of type {type(p).__name__}")
    if float(p) not in _METRIC:
        raise ValueError(f"p must be 1, 2 or inf, got {p}")
    return float(p)


def _points_and_labels(
    X: object, y: object, label_name: str = "y"
) -> tuple[FloatArray, FloatArray]:
    points = validation.float_array(X, "X", shape=("N", "n"))
    labels = validation.float_array(y, label_name, shape=(len(points),))
    spread = float(points.max()) - float(points.min())
    if not math.isfinite(spread):
        raise ValueError(
            "X must hold numbers whose differences are finite, got entries from "
            f"{points.min()} to {points.max()}"
        )
    return points, labels


def distances(X: FloatArray, Z: FloatArray, p: float) -> FloatArray:
    """Return the distances of all rows of X to all rows of Z."""
    return np.asarray(cdist(X, Z, _METRIC[p]), dtype=np.float64)


def _closest(X: FloatArray, y: FloatArray, p: float) -> ClosestPair | None:
    """Return the closest pair, of several the first in lexicographic order."""
    if (y == y[0]).all():
        return None
    scaled = X
    if p == 2:
        # Near the separation in the maximum norm squares neither overflow nor vanish, and a power
        # of two rounds nothing.
        flat = _closest(X, y, math.inf)
        assert flat is not None
        if flat.distance == 0:
            return flat
        with np.errstate(over="ignore", under="ignore"):
            scaled = X / math.ldexp(1.0, math.frexp(flat.distance)[1] - 1)
    best, pair = math.inf, (0, int(np.argmax(y != y[0])))
    for start in range(0, len(X), _ROWS):
        rows = slice(start, start + _ROWS)
        apart = distances(scaled[rows], scaled[start:], p)
        for i, k in np.argwhere(np.isnan(apart)):  # both at infinity, as far as float64 can tell
            apart[i, k] = math.dist(X[start + i], X[start + k])
        apart[y[rows, None] == y[start:]] = np.inf
        i, k = np.unravel_index(int(np.argmin(apart)), apart.shape)
        if apart[i, k] < best:
            best, pair = float(apart[i, k]), (start + int(i), start + int(k))
    steps = np.abs(X[pair[0]] - X[pair[1]])
    if p == math.inf:
        return ClosestPair(*pair, float(steps.max()))
    return ClosestPair(*pair, math.fsum(steps) if p == 1 else math.hypot(*steps))


def separation(X: object, y: object, p: float = math.inf) -> float:
    r"""Return ``lambda = min { ||x_i - x_k||_p : y_i != y_k }``.

    Infinite if there is one label only, 0 if equal points have different labels.  For p = inf it is
    the true minimum, correctly rounded; for p = 1 and 2 the choice of the closest pair is subject
    to rounding, relative error about ``n 2^-52``.  Source: the separation bound lambda_D^p of Yu,
    Gao and Zhang (2024).

    >>> separation([[0.0, 0.0], [1.0, 3.0], [0.5, 0.0]], [1, 2, 1])
    3.0
    >>> separation([[0.0], [1.0]], [7, 7])
    inf
    """
    norm = checked_norm(p)
    pair = _closest(*_points_and_labels(X, y), norm)
    return math.inf if pair is None else pair.distance


def closest_pair(X: object, y: object, p: float = math.inf) -> ClosestPair:
    """Return two points with different labels that are closest to each other.

    >>> closest_pair([[0.0, 0.0], [1.0, 3.0], [0.5, 0.0]], [1, 2, 1])
    ClosestPair(i=0, k=1, distance=3.0)
    """
    norm = checked_norm(p)
    points, labels = _points_and_labels(X, y)
    pair = _closest(points, labels, norm)
    if pair is None:
        raise ValueError(_one_class(labels, "y"))
    return pair


def largest_budget(X: object, y: object, p: float = math.inf) -> float:
    """Return ``lambda/2``: every smaller budget can be reached, this one cannot.

    The bound is strict: at ``mu = lambda/2`` the closed balls around the closest pair touch, and
    one point would need two values.

    >>> largest_budget([[0.0], [1.0]], [1, 2])
    0.5
    """
    return separation(X, y, p) / 2


def _one_class(labels: FloatArray, name: str) -> str:
    return (
        f"{name} must have at least two different labels, got {len(labels)} times {labels[0]}: "
        "lambda is infinite, every budget is admissible, and a constant memorizes"
    )


@checked
def checked_data(
    X: object,
    y: object,
    mu: object = 0.0,
    p: float = math.inf,
    *,
    two_labels: Flag = True,
    label_name: str = "y",
) -> CheckedData:
    """Check what every construction asks for, and measure the separation.

    Here `mu`: the budget, absolute units of the norm p; `p`: the norm; `two_labels`: whether one
    label only is an error; `label_name`: the name of the labels in messages.

    Read-only copies, the separation and the closest pair.

    >>> checked_data([[0.0], [1.0]], [1, 2], 0.5)
    Traceback (most recent call last):
        ...
    ValueError: mu must be >= 0 and < lambda/2 = 0.5, got 0.5: the closest points with different labels, rows 0 and 1 of X, are lambda = 1.0 apart (p = inf), and their balls would meet; the largest admissible budget is 0.49999999999999994
    """  # noqa: E501 (the message is shown as it is raised)
    norm = checked_norm(p)
    points, labels = _points_and_labels(X, y, label_name)
    pair = _closest(points, labels, norm)
    if pair is None and two_labels:
        raise ValueError(_one_class(labels, label_name))
    if pair is not None and pair.distance == 0:
        raise ValueError(
            f"X must not hold equal points with different labels: rows {pair.i} and {pair.k} are "
            f"equal, with labels {labels[pair.i]} and {labels[pair.k]} (lambda = 0, and no budget "
            "is admissible)"
        )
    lam = math.inf if pair is None else pair.distance
    return CheckedData(
        X=frozen(points),
        y=frozen(labels),
        mu=_budget(mu, lam, norm, pair),
        lam=lam,
        p=norm,
        pair=pair,
    )


def _budget(mu: object, lam: float, p: float, pair: ClosestPair | None) -> float:
    half = lam / 2
    if pair is None:
        return validation.scalar(mu, "mu", minimum=0)
    try:
        budget = validation.scalar(mu, "mu")
    except ValueError:
        raise ValueError(
            f"mu must be a finite number >= 0 and < lambda/2 = {half} (lambda = {lam}, p = {p:g}), "
            f"got {mu}"
        ) from None
    if budget < 0:
        raise ValueError(
            f"mu must be >= 0 and < lambda/2 = {half} (lambda = {lam}, p = {p:g}), got {budget}"
        )
    # Not budget >= half: half of the smallest denormal number is rounded to zero.
    if 2 * budget >= lam:
        largest = math.nextafter(half, 0.0) if 2 * half == lam else half
        raise ValueError(
            f"mu must be >= 0 and < lambda/2 = {half}, got {budget}: the closest points with "
            f"different labels, rows {pair.i} and {pair.k} of X, are lambda = {lam} apart "
            f"(p = {p:g}), and their balls would meet; the largest admissible budget is {largest}"
        )
    return budget


def frozen(values: object) -> FloatArray:
    """Return a read-only copy, which layers can share."""
    copy = np.array(values, dtype=np.float64)
    copy.flags.writeable = False
    return copy


@checked
def random_points(
    N: Count, n: Count, classes: int, rng: Seed, grid: int | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return uniform random points in the unit cube with random labels.

    Here `N`: the number of points; `classes`: the number of labels, 1 <= classes <= N; each occurs;
    `grid`: if given, the coordinates are multiples of 1/grid, and the points are all different.
    For a power of two they are exact in float64, which is what exact certificates like.

    Returned: `X`: The points. `y`: Labels 1, ..., classes.

    >>> X, y = random_points(5, 2, 3, rng=0, grid=8)
    >>> bool((X * 8 == np.round(X * 8)).all()), sorted(set(y.tolist()))
    (True, [1.0, 2.0, 3.0])
    """
    classes = validation.count(classes, "classes", maximum=N)
    if grid is not None:
        grid = validation.count(grid, "grid")
        if (grid + 1) ** n < 2 * N:
            raise ValueError(
                f"grid must leave at least 2 N = {2 * N} points (grid + 1)^n, "
                f"got {grid} for n = {n}"
            )
    generator = validation.generator(rng)
    X = generator.uniform(0.0, 1.0, (N, n))
    y = generator.integers(1, classes + 1, N).astype(np.float64)
    y[:classes] = np.arange(1, classes + 1)
    if grid is not None:
        X = np.round(X * grid) / grid
        while (again := _repeated(X)).size:
            X[again] = np.round(generator.uniform(0.0, 1.0, (again.size, n)) * grid) / grid
    return X, y


def _repeated(X: FloatArray) -> IntArray:
    """Return the rows that repeat an earlier row."""
    _, first = np.unique(X, axis=0, return_index=True)
    return np.setdiff1d(np.arange(len(X)), first)


@checked
def simplex_points(n: Count, N: int | None = None) -> tuple[FloatArray, FloatArray]:
    """Return the data that no narrow first layer can memorize robustly.

    Here `N`: the number of points, at least n + 1, which is the default.

    Returned: `X`: The origin, the unit vectors e_1, ..., e_n, then 2 e_1, 3 e_1, ... `y`: 1 for the
    origin, 2 for the others; the separation is 1 in every norm.  Source: the lower bound on the
    width of Yu, Gao and Zhang (2024), in the form of Kim, Moon and Yun (2025).

    >>> simplex_points(2)
    (array([[0., 0.],
           [1., 0.],
           [0., 1.]]), array([1., 2., 2.]))
    """
    N = n + 1 if N is None else validation.count(N, "N", minimum=n + 1)
    X = np.zeros((N, n))
    X[1 : n + 1] = np.eye(n)
    X[n + 1 :, 0] = np.arange(2, N - n + 1)
    y = np.full(N, 2.0)
    y[0] = 1.0
    return X, y


@checked
def plane_points(N: int, classes: int, rng: Seed) -> tuple[FloatArray, FloatArray]:
    """Return a few well separated points of the unit square, for pictures of level sets.

    Here `N`: the number of points, at most 1984; `classes`: the number of labels, 1 <= classes <=
    N; they occur equally often, up to one.

    Coordinates are multiples of 1/64, strictly inside the square.  64 places are tried for each
    point, and the one farthest from the points so far (maximum norm) is taken.

    Returned: `X`: The points, all different. `y`: Labels 1, ..., classes.

    >>> X, y = plane_points(6, 3, rng=1)
    >>> X.shape, separation(X, y) > 0.25
    ((6, 2), True)
    """
    N = validation.count(N, "N", maximum=1984)  # half of the 63^2 places
    classes = validation.count(classes, "classes", maximum=N)
    generator = validation.generator(rng)
    X = np.empty((0, 2))
    while len(X) < N:
        tried = generator.integers(1, 64, (64, 2)) / 64
        nearest = distances(tried, X, math.inf).min(axis=1, initial=2.0)
        if nearest.max() > 0:
            X = np.vstack([X, tried[np.argmax(nearest)]])
    y = generator.permutation(np.arange(N) % classes + 1).astype(np.float64)
    return X, y


@described
def digits(N: int, rng: Seed, labels: DigitLabels = "class") -> Split:
    """Split scikit-learn's handwritten digits into points to memorize and others.

    Here `N`: the number of points to memorize, at most 1796 of the 1797 images; `labels`: labels 1,
    ..., 10 for the digits 0, ..., 9; or +1 for even and -1 for odd digits.

    Pixels in [0, 1], n = 64, multiples of 1/16 and so exact; the images come with scikit-learn,
    nothing is fetched.

    Raises TypeError, ValueError: if N is no such count or `labels` another word.

    >>> X, y, X_test, y_test = digits(200, rng=0, labels="parity")
    >>> X.shape, X_test.shape, sorted(set(y.tolist()))
    ((200, 64), (1597, 64), [-1.0, 1.0])
    """
    N = validation.count(N, "N", maximum=1796)
    labels = validation.choice(labels, "labels", _DIGIT_LABELS)
    generator = validation.generator(rng)
    from sklearn.datasets import load_digits

    images, digit = load_digits(return_X_y=True)
    X = np.asarray(images, dtype=np.float64) / 16
    y = digit + 1.0 if labels == "class" else np.where(digit % 2 == 0, 1.0, -1.0)
    order = generator.permutation(len(X))
    memorized, others = order[:N], order[N:]
    return Split(X[memorized], y[memorized], X[others], y[others])
