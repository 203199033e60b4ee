r"""Labeled points on X: the training sets S of the paper, synthetic and real.

Section 3.2 asks for x_i in X = {x in R^d : ||x|| = 1, x_d = 1/2} and |y_i| <= 1, and Definition 3.7
for points that are far apart compared with the adversary's radius.  Everything here produces a
`Dataset` that satisfies the former (checked, then frozen) and `separation` measures the latter.
Before changing anything, know how real data reach X: `SliceMap` centers the features on the mean of
*the data it was fitted on*, keeps only their direction and appends 1/2.  Fitting it on test data
leaks them into training; `load_split` is the function that does it right.

scikit-learn is imported inside the functions that read its bundled data, so that importing this
module stays cheap.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from sublinear_lib import geometry, validation
from sublinear_lib._arguments import (
    Count,
    Dimension,
    Flag,
    Nonnegative,
    Probability,
    checked,
    described,
)
from sublinear_lib._typing import FloatArray, IntArray, Seed

__all__ = [
    "Dataset",
    "Separation",
    "SliceMap",
    "circle",
    "digits",
    "load",
    "load_split",
    "max_separation",
    "separated",
    "separation",
    "split_rows",
]

Labeling = Literal["random", "balanced", "alternating"]
# A column is far away if its numbers are so many times as large as their differences.
_FAR: Final = 1e6
_TINY: Final = 1e-140
_PAIRS_PER_BLOCK: Final = 1 << 21
_LABELINGS: Final[tuple[Labeling, ...]] = ("random", "balanced", "alternating")


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, got {value!r} of type {type(value).__name__}")
    return value


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only copy."""
    copy = np.array(array)
    copy.flags.writeable = False
    return copy


@dataclass(frozen=True, eq=False)
class Dataset:
    """A training set S = {(x_i, y_i)} of the paper, checked and immutable.

    Parameters
    ----------
    X : array_like of float, shape (n, d)
        Points of X (to 1e-9), n >= 1, d >= 2.  Copied, then read-only.
    y : array_like of float, shape (n,)
        Labels in [-1, 1].  Copied, then read-only.
    name : str
        Short name, such as ``"digits-3v8"``.
    description : str, default ""
        One sentence on where the data come from.
    class_names : tuple of two str, default ("negative", "positive")
        What the labels -1 and +1 stand for, in this order.
    slice_map : SliceMap, optional
        The map that took feature vectors to `X`, where there was one.

    Attributes
    ----------
    X, y, name, description, class_names, slice_map
        The fields above.

    Raises
    ------
    ValueError
        If a point is off X, a label is beyond 1, the lengths differ or there are no points.
    TypeError
        If an argument has the wrong type.

    Notes
    -----
    Source: Section 3.2 (x_i in X, |y_i| <= 1).

    Examples
    --------
    >>> data = Dataset([[3**0.5 / 2, 0.5], [-(3**0.5) / 2, 0.5]], [1, -1], "two points")
    >>> data
    Dataset('two points', n=2, d=2)
    >>> data.y[0] = 0.0
    Traceback (most recent call last):
        ...
    ValueError: assignment destination is read-only
    """

    X: FloatArray
    y: FloatArray
    name: str
    description: str = ""
    class_names: tuple[str, str] = ("negative", "positive")
    slice_map: SliceMap | None = None

    def __post_init__(self) -> None:
        """Validate and freeze the fields."""
        X = validation.points_on_slice(self.X)
        y = validation.labels(self.y, n=X.shape[0])
        _text(self.name, "name")
        _text(self.description, "description")
        names: object = self.class_names
        if not (
            isinstance(names, tuple)
            and len(names) == 2
            and all(isinstance(name, str) for name in names)
        ):
            raise TypeError(
                "class_names must be a tuple of two strings (for the labels -1 and +1), "
                f"got {names!r}"
            )
        given: object = self.slice_map
        if given is not None and not isinstance(given, SliceMap):
            raise TypeError(f"slice_map must be a SliceMap or None, got {type(given).__name__}")
        if isinstance(given, SliceMap) and given.d != X.shape[1]:
            raise ValueError(f"slice_map must lead to dimension {X.shape[1]}, got {given!r}")
        object.__setattr__(self, "X", _frozen(X))
        object.__setattr__(self, "y", _frozen(y))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle through the constructor, so that a copy is validated and read-only again."""
        return (Dataset, (np.array(self.X), np.array(self.y), *self._context()))

    def _context(self) -> tuple[Any, ...]:
        return (self.name, self.description, self.class_names, self.slice_map)

    def __repr__(self) -> str:
        """Name the data and their shape."""
        return f"Dataset({self.name!r}, n={self.n}, d={self.d})"

    @property
    def n(self) -> int:
        """Number of points."""
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        """Ambient dimension."""
        return int(self.X.shape[1])

    def subset(self, indices: IntArray) -> Dataset:
        """Select points by position.

        Here `indices` (k,): positions in 0, ..., n - 1, k >= 1; repetitions are allowed.

        The chosen points in the order given, under the same name.

        >>> circle(6).subset([0, 3]).y
        array([ 1., -1.])
        """
        chosen = validation.index_array(indices, "indices", upper=self.n, allow_empty=False)
        return Dataset(self.X[chosen], self.y[chosen], *self._context())


# --------------------------------------------------------------------------------------------------
# How far apart the points are
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Separation:
    """How well separated a set of points is (Definition 3.7); see `separation`.

    Parameters
    ----------
    delta : float
        Smallest distance between two points; inf for a single point.
    gamma : float
        delta (delta - 2 rho): the largest gamma for which the set is gamma-separable when it is
        positive, and no positive gamma exists when it is not.
    rho_max : float
        delta / 2: gamma is positive for the radii below it (then no two caps B2(x_i, rho) meet).
    opposite_class_delta : float or None
        Smallest distance between two points whose labels have opposite signs; inf when there is no
        such pair, None when no labels were given.
    rho : float
        The adversary's radius for which `gamma` was computed.
    closest_pair : tuple of int or None
        Positions (i, j), i < j, of the first pair at distance `delta`; None for a single point.
    """

    delta: float
    gamma: float
    rho_max: float
    opposite_class_delta: float | None
    rho: float
    closest_pair: tuple[int, int] | None

    @property
    def separable(self) -> bool:
        """Whether the set is gamma-separable for some gamma > 0."""
        return self.gamma > 0.0


def _closest(A: FloatArray, B: FloatArray | None) -> tuple[float, tuple[int, int] | None]:
    """Return the smallest distance between rows of A and B (within A if B is None), and where.

    Squared distances are screened through one matrix product per block; every pair within twice its
    rounding error of the block's minimum is measured again from coordinate differences.  The result
    is therefore the exact minimum of the differences, and the pair the first one in row order.
    """
    others = A if B is None else B
    n, d = A.shape
    error = 4.0 * (d + 8) * float(np.finfo(np.float64).eps)
    squares_a, squares_b = np.sum(A * A, axis=1), np.sum(others * others, axis=1)
    best, pair = math.inf, None
    step = max(1, _PAIRS_PER_BLOCK // others.shape[0])
    for start in range(0, n, step):
        stop = min(start + step, n)
        first = start if B is None else 0
        screen = squares_a[start:stop, None] + squares_b[None, first:]
        screen -= 2.0 * (A[start:stop] @ others[first:].T)
        if B is None:
            screen[np.tri(*screen.shape, dtype=np.bool_)] = math.inf
        least = float(screen.min(initial=math.inf))
        if math.isinf(least) or least - error > best * best:
            continue  # no pair in this block (a single row is left), or none that is closer
        rows, columns = np.nonzero(screen <= least + 2.0 * error)
        chunk = max(1, (1 << 20) // d)
        for k in range(0, rows.size, chunk):
            i, j = rows[k : k + chunk] + start, columns[k : k + chunk] + first
            gaps = A[i] - others[j]
            distances = np.sqrt(np.sum(gaps * gaps, axis=1))
            at = int(np.argmin(distances))
            if distances[at] < best:
                best, pair = float(distances[at]), (int(i[at]), int(j[at]))
            if best == 0.0:
                return best, pair
    return best, pair


@checked
def separation(X: FloatArray, rho: Nonnegative = 0.0, y: FloatArray | None = None) -> Separation:
    r"""Measure how far apart points of X are, compared with the adversary's radius.

    The report.  Duplicates give ``delta = 0`` and ``gamma = 0``; a single point gives ``delta =
    gamma = rho_max = inf``.

    Definition 3.7: "If for all i != j in [n], gamma <= eps (eps - 2 rho) and ||x_i - x_j||_2 >=
    eps, a training dataset X will be gamma-separable for a rho-bounded adversary."  (This eps has
    nothing to do with the accuracy eps of the theorems; Lemma B.5 calls it delta.)  Every eps <=
    delta is admissible; eps (eps - 2 rho) is convex in eps and vanishes at 0, so its maximum over
    [0, delta] is max(0, delta (delta - 2 rho)): the formula reported is the best gamma whenever any
    positive one exists.

    What it is for.  If x' is in B2(x_j, rho), then <x_j, x'> >= 1 - rho^2/2, while
    ||x_i - x'|| >= delta - rho gives <x_i, x'> <= 1 - (delta - rho)^2/2 for i != j: the inner
    products differ by at least delta (delta - 2 rho) / 2.

    Cost: O(n^2 d) through blocks of a matrix product, O(n + 2^21) memory beyond the data.  Source:
    Definition 3.7.

    >>> report = separation(circle(4).X, rho=0.2)
    >>> round(report.delta**2, 12), round(report.rho_max**2, 12)  # a square of side sqrt(3/2)
    (1.5, 0.375)
    >>> report.gamma == report.delta * (report.delta - 0.4)
    True
    """
    X = validation.points_on_slice(X)
    opposite = None
    if y is not None:
        y = validation.labels(y, n=X.shape[0])
        opposite = math.inf
        if (y > 0.0).any() and (y < 0.0).any():
            opposite, _ = _closest(X[y > 0.0], X[y < 0.0])
    delta, pair = _closest(X, None)
    gamma = delta * (delta - 2.0 * rho) if delta > 0.0 else 0.0
    return Separation(delta, gamma, delta / 2.0, opposite, rho, pair)


def _packing_bounds(n: int, d: int) -> list[tuple[float, str]]:
    """Return upper bounds on the smallest distance of n >= 2 points of X, with their reasons."""
    if d == 2:
        reason = "for d = 2 the set X has only two points, at distance sqrt(3)"
        return [(geometry.SLICE_DIAMETER if n == 2 else 0.0, reason)]
    a = (d - 2) / 2.0
    y = float(betaincinv(a, a, 1.0 / n))
    bounds = [
        (
            math.sqrt(1.5 * n / (n - 1)),
            "the squared distances of n points of X are 3 n / (2 (n - 1)) on average at most",
        ),
        (
            2.0 * math.sqrt(3.0 * y * (1.0 - y)),
            "the caps of half the angle around the points are disjoint, and X has no room for n",
        ),
    ]
    if n > d:
        bounds.append(
            (math.sqrt(1.5), "more than d points of X cannot all be at obtuse angles (Rankin)")
        )
    if d == 4 and n >= 3:
        sine = math.sin(n * math.pi / (6.0 * (n - 2)))
        radius = geometry.SLICE_RADIUS
        bounds.append(
            (
                radius * math.sqrt(max(0.0, 4.0 - 1.0 / sine**2)),
                "by the theorem of Fejes Toth on S^2",
            )
        )
    return bounds


@checked
def max_separation(n: Count, d: Dimension) -> float:
    r"""Bound from above the smallest distance of n points on X.

    No n points of X are all farther apart than this (inf for n = 1).  Attained for n <= d (regular
    simplex), for d = 2 and 3 (regular polygon), and for d = 4 with n = 3, 4, 6, 12 (triangle,
    tetrahedron, octahedron, icosahedron).

    The least of these, with s = sqrt(3)/2 the radius of X, delta the smallest distance and
    phi = 2 asin(delta / sqrt(3)) the smallest angle:

    * Averages: sum_{i<j} ||x_i - x_j||^2 <= n^2 s^2 (the sum of squares about the center of X, less
      n^2 times the squared norm of the mean), over n (n-1)/2 pairs: delta^2 <= 3 n / (2 (n-1)).
    * Rankin: at most k + 1 vectors of R^k have pairwise negative inner products, so for n > d (the
      directions live in R^{d-1}) phi <= pi/2, that is delta <= sqrt(3/2).
    * Volume: caps of angular radius phi/2 are disjoint, n I_y(a, a) <= 1 with y = sin^2(phi/4) and
      a = (d-2)/2 (see `geometry.cap_fraction`), and delta = sqrt(3) sin(phi/2)
      = 2 sqrt(3 y (1-y)).  For d = 3 this is the regular n-gon, sqrt(3) sin(pi / n).
    * d = 4, Fejes Toth (1943): delta <= s sqrt(4 - 1/sin^2(n pi / (6 (n-2)))).

    >>> round(max_separation(4, 4) ** 2, 12)  # the tetrahedron
    2.0
    """
    return math.inf if n == 1 else min(bound for bound, _ in _packing_bounds(n, d))


# --------------------------------------------------------------------------------------------------
# Synthetic sets
# --------------------------------------------------------------------------------------------------


def _alternating(n: int) -> FloatArray:
    return np.where(np.arange(n) % 2 == 0, 1.0, -1.0)


def _make_labels(n: int, labels: Labeling, rng: np.random.Generator) -> FloatArray:
    if labels == "random":
        return rng.choice([-1.0, 1.0], size=n)
    return rng.permutation(_alternating(n)) if labels == "balanced" else _alternating(n)


def _spread_on_circle(n: int, delta: float, rng: np.random.Generator) -> FloatArray:
    """Draw n points of the circle X (d = 3), uniform given that all are >= delta apart, in order.

    The gaps between neighbors of n uniform points on a circle are uniform on the simplex of total
    2 pi; given that all are >= phi, they are phi plus gaps uniform on the simplex of total
    2 pi - n phi.
    """
    phi = 2.0 * math.asin(min(1.0, delta / geometry.SLICE_DIAMETER)) if n > 1 else 0.0
    slack = max(0.0, 2.0 * math.pi - n * phi)
    gaps = phi + slack * rng.dirichlet(np.ones(n))
    angles = 2.0 * math.pi * rng.random() + np.concatenate([[0.0], np.cumsum(gaps[:-1])])
    return geometry.embed(np.column_stack([np.cos(angles), np.sin(angles)]))


def _place_sequentially(
    n: int, d: int, delta: float, rng: np.random.Generator, max_tries: int
) -> tuple[FloatArray | None, int]:
    """Draw uniform points, keeping those at distance >= delta from all kept before.

    Starts afresh when 64 n tries (at most a tenth of all) went by without a new point: few points
    are better served by many starts, many points by patience.  Returns the points, or None and the
    largest number placed once `max_tries` draws were rejected.
    """
    patience = max(1, min(64 * n, max_tries // 10))
    rejected = most = 0
    while rejected < max_tries:
        kept = np.empty((n, d))
        placed = stuck = 0
        while stuck < patience and rejected < max_tries:
            size = max(1, min(max(n - placed, min(256, patience)), (1 << 22) // max(1, placed)))
            trial = geometry.sample_slice(size, d, rng)
            if placed:
                trial = trial[geometry.chord_distances(trial, kept[:placed]).min(axis=1) >= delta]
            before = placed
            for x in trial:
                gaps = kept[before:placed] - x
                if (np.sqrt(np.sum(gaps * gaps, axis=1)) >= delta).all():
                    kept[placed] = x
                    placed += 1
                    if placed == n:
                        return kept, n
            rejected += size - (placed - before)
            stuck = 0 if placed > before else stuck + size
        most = max(most, placed)
    return None, most


@checked
def separated(
    n: Count,
    d: Dimension,
    *,
    separation: Nonnegative,
    rng: Seed,
    labels: Labeling = "random",
    max_tries: Count = 100_000,
) -> Dataset:
    r"""Draw n random points of X that are pairwise at least a given distance apart.

    Here `separation`: smallest distance allowed (chord length), >= 0.  For a rho-bounded adversary
    and gamma-separability (Definition 3.7) take more than 2 rho; `labels`: independent fair signs;
    as many +1 as -1 (one more +1 for odd n) in random order; or +1, -1, +1, ... in the order of the
    points; `max_tries`: number of rejected draws after which a request is given up (d >= 4 only).

    Points at pairwise distance >= `separation` (to 1e-12) with labels in {-1, +1}.  For d = 3 they
    come in the order of the circle, so that "alternating" alternates along it.

    d = 2: the points of X themselves, at most two of them (with `separation` = 0, random ones). d =
    3: independent uniform points conditioned on the separation, drawn directly; every feasible
    request succeeds.  d >= 4: random sequential placement, that is uniform draws of which those too
    close to an earlier point are rejected, started afresh when it jams.  It jams at roughly half
    the density of the best packings (less in high dimension), so requests between the two fail
    although they are possible.  Source: Section 3.4.

    >>> data = separated(6, 5, separation=0.8, rng=0)
    >>> data, separation(data.X).delta >= 0.8
    (Dataset('separated-6', n=6, d=5), True)
    >>> separated(3, 2, separation=0.1, rng=0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: separation must be at most 0 for n = 3 points in dimension d = 2 (for d = 2 ...
    """
    delta = separation
    chosen = validation.choice(labels, "labels", _LABELINGS)
    generator = validation.generator(rng)
    limit, reason = min(_packing_bounds(n, d)) if n > 1 else (math.inf, "")
    if delta > limit * (1.0 + 1e-12):
        raise ValueError(
            f"separation must be at most {limit:.6g} for n = {n} points in dimension d = {d} "
            f"({reason}), got {delta!r}"
        )
    if d == 2 and delta > 0.0:
        X = geometry.embed(np.array([[1.0], [-1.0]])[generator.permutation(2)[:n]])
    elif d == 3:
        X = _spread_on_circle(n, delta, generator)
    else:
        placed, most = _place_sequentially(n, d, delta, generator, max_tries)
        if placed is None:
            raise ValueError(
                f"separation must be smaller for random placement: after {max_tries} rejected "
                f"draws at most {most} of n = {n} points in dimension d = {d} were {delta!r} apart "
                f"(no set exceeds {limit:.6g}); lower separation or n, or raise max_tries"
            )
        X = placed
    y = _make_labels(n, chosen, generator)
    description = f"{n} random points of X in R^{d}, pairwise at least {delta:g} apart"
    return Dataset(X, y, f"separated-{n}", description)


@checked
def circle(n: Count, *, labels: Labeling = "alternating", rng: Seed | None = None) -> Dataset:
    """Place n points evenly on the circle X of dimension d = 3.

    Here `labels`: as in `separated`; "alternating" along the circle (two neighbors agree when n is
    odd).

    Points (s cos(2 pi k/n), s sin(2 pi k/n), 1/2), k = 0, ..., n-1; neighbors are sqrt(3) sin(pi/n)
    apart.

    >>> circle(8)
    Dataset('circle-8', n=8, d=3)
    """
    chosen = validation.choice(labels, "labels", _LABELINGS)
    if chosen == "alternating":
        y = _alternating(n)
    else:
        y = _make_labels(n, chosen, validation.generator(rng))
    angles = 2.0 * math.pi * np.arange(n) / n
    X = geometry.embed(np.column_stack([np.cos(angles), np.sin(angles)]))
    description = f"{n} evenly spaced points of the circle X in R^3, {chosen} labels"
    return Dataset(X, y, f"circle-{n}", description)


# --------------------------------------------------------------------------------------------------
# Real data
# --------------------------------------------------------------------------------------------------


def _features(features: FloatArray, columns: int | None = None) -> FloatArray:
    return validation.float_array(features, "features", shape=(None, columns))


@dataclass(frozen=True, eq=False)
class SliceMap:
    r"""The map from feature vectors of R^{d-1} to points of X; build it with `fit`.

    A feature vector v goes to (s u, 1/2) with u = q / ||q||, q = (v - center) / scale and
    s = sqrt(3)/2.

    Parameters
    ----------
    center : array_like of float, shape (d - 1,)
        Subtracted from every feature vector.
    scale : array_like of float, shape (d - 1,)
        Positive divisors, one per feature.
    length : float, default 1.0
        Typical length ||q||, ``> 0``: the mean over the training data when the map was fitted.

    Attributes
    ----------
    center, scale : ndarray of float64, shape (d - 1,)
        The fields above, read-only.
    length : float
        The field above.

    Raises
    ------
    ValueError, TypeError
        If the lengths differ, a scale is not positive, or a value is not a finite real number.

    Notes
    -----
    Only the direction of q survives: two feature vectors on one ray from the center become the same
    point, and the way back, `features`, is only defined up to the length.  Centering matters, for
    raw features (pixels >= 0) would crowd in one orthant.

    Examples
    --------
    >>> train = [[0.0, 0.0], [2.0, 0.0], [1.0, 3.0]]
    >>> SliceMap.fit(train).transform([[5.0, 1.0]])
    array([[0.8660254, 0.       , 0.5      ]])
    """

    center: FloatArray
    scale: FloatArray
    length: float = 1.0

    def __post_init__(self) -> None:
        """Validate and freeze the fields."""
        center = validation.float_array(self.center, "center", shape=(None,))
        scale = validation.float_array(self.scale, "scale", shape=(center.size,))
        if not (scale > 0.0).all():
            raise ValueError(f"scale must be > 0 in every entry, got {float(scale.min())!r}")
        object.__setattr__(self, "center", _frozen(center))
        object.__setattr__(self, "scale", _frozen(scale))
        length = validation.scalar(self.length, "length", exclusive_minimum=0.0)
        object.__setattr__(self, "length", length)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle through the constructor, so that a copy is validated and read-only again."""
        return (SliceMap, (np.array(self.center), np.array(self.scale), self.length))

    def __repr__(self) -> str:
        """Name the dimension of the points it produces."""
        return f"SliceMap(d={self.d})"

    @property
    def d(self) -> int:
        """Ambient dimension of the points it produces: the number of features plus 1."""
        return int(self.center.size) + 1

    @classmethod
    @checked
    def fit(cls, features: FloatArray, *, scale: Flag = False) -> SliceMap:
        """Take the center, and on request the scales, from training data.

        Here `features` (n, d - 1): training features.  Never include test data; `scale`: divide
        every feature by its standard deviation (1/n convention), for features with different units.
        Constant features are divided by 1.
        """
        features = _features(features)
        deviation = np.ones(features.shape[1])
        with np.errstate(over="ignore", invalid="ignore"):
            center = features.mean(axis=0)
            spread = features.max(axis=0) - features.min(axis=0)
            # Where a column hardly varies beside its size, its sum has lost what varies.
            far = np.flatnonzero((spread > 0.0) & (np.abs(features[0]) > _FAR * spread))
            center[far] = features[0, far] + (features[:, far] - features[0, far]).mean(axis=0)
            if scale:
                # A constant feature may get a deviation of 1e-17 from the rounding of its mean.
                varies = spread > 0.0
                deviation[varies] = features[:, varies].std(axis=0)
                # Squares of small numbers are 0, and those of a column that is far away are wrong.
                again = np.union1d(far, np.flatnonzero(varies & (spread < _TINY)))
                shifted = (features[:, again] - features[0, again]) / spread[again]
                deviation[again] = spread[again] * shifted.std(axis=0)
        if not (np.isfinite(center).all() and np.isfinite(deviation).all()):
            raise ValueError("features must be small enough for their moments to fit float64")
        with np.errstate(over="ignore", invalid="ignore"):
            length = float(np.linalg.norm((features - center) / deviation, axis=1).mean())
        return cls(center, deviation, length if 0.0 < length < np.inf else 1.0)

    @described
    def transform(self, features: FloatArray) -> FloatArray:
        """Map feature vectors to X.

        Here `features` (n, d - 1): feature vectors.

        Raises ValueError: if the number of columns is wrong, or a row equals the center in every
        column, to 1e-12 of the size of the numbers there: then it has no direction.

        Raises TypeError: if `features` does not hold real numbers.
        """
        features = _features(features, self.d - 1)
        with np.errstate(over="ignore"):
            q = (features - self.center) / self.scale
            size = (np.abs(features) + np.abs(self.center)) / self.scale
        if not np.isfinite(size).all():
            raise ValueError("features must be small enough to be centered and scaled in float64")
        bad = np.flatnonzero((np.abs(q) <= 1e-12 * size).all(axis=1))
        if bad.size:
            raise ValueError(
                f"features must differ from the center of the map, but row {int(bad[0])} is zero "
                "after centering, to 1e-12 of its numbers, and has no direction on X; drop it"
            )
        X = np.column_stack([q, np.full(len(q), geometry.SLICE_HEIGHT)])
        return geometry.project_to_slice(X)

    def features(self, X: FloatArray) -> FloatArray:
        """Map points of X back to feature vectors of typical length, to look at them.

        ``center + scale * length * u`` for the point (s u, 1/2).  `transform` leads back to the
        same points of X.

        Raises ValueError, TypeError: if a point is off X or has the wrong dimension.

        >>> slice_map = SliceMap.fit([[0.0, 0.0], [2.0, 0.0], [1.0, 3.0]])
        >>> X = slice_map.transform([[5.0, 1.0]])
        >>> bool(abs(slice_map.transform(slice_map.features(X)) - X).max() < 1e-15)
        True
        """
        u = geometry.directions(validation.points_on_slice(X, d=self.d))
        return np.asarray(self.center + self.scale * self.length * u)


@dataclass(frozen=True, eq=False)
class _Raw:
    """Feature vectors before they are mapped to X."""

    features: FloatArray
    y: FloatArray
    about: tuple[str, str, tuple[str, str]]
    """Name, description and names of the classes."""
    scale: bool = False

    def fit(self, rows: IntArray) -> SliceMap:
        return SliceMap.fit(self.features[rows], scale=self.scale)

    def mapped(self, rows: IntArray, slice_map: SliceMap) -> Dataset:
        X = slice_map.transform(self.features[rows])
        return Dataset(X, self.y[rows], *self.about, slice_map)

    def whole(self) -> Dataset:
        rows = np.arange(self.y.size, dtype=np.int64)
        return self.mapped(rows, self.fit(rows))


def _raw_digits(positive: int, negative: int) -> _Raw:
    positive = validation.count(positive, "positive", minimum=0, maximum=9)
    negative = validation.count(negative, "negative", minimum=0, maximum=9)
    if positive == negative:
        raise ValueError(f"positive and negative must be different digits, got {positive} twice")
    name = f"digits-{positive}v{negative}"
    return _images([positive], [negative], name, (str(negative), str(positive)))


def _raw_digits_even_odd() -> _Raw:
    return _images([0, 2, 4, 6, 8], [1, 3, 5, 7, 9], "digits-even-odd", ("odd", "even"))


def _images(
    positive: list[int], negative: list[int], name: str, class_names: tuple[str, str]
) -> _Raw:
    """Read the images of some digits (+1) and of others (-1)."""
    from sklearn.datasets import load_digits

    images, digit = load_digits(return_X_y=True)
    rows = np.isin(digit, positive + negative)
    text = "8x8 gray images of handwritten digits bundled with scikit-learn: "
    about = name, f"{text}{class_names[1]} (+1) against {class_names[0]} (-1)", class_names
    y = np.where(np.isin(digit[rows], positive), 1.0, -1.0)
    return _Raw(np.asarray(images[rows], dtype=np.float64), y, about)


def _raw_breast_cancer() -> _Raw:
    from sklearn.datasets import load_breast_cancer

    features, benign = load_breast_cancer(return_X_y=True)
    text = (
        "30 measurements of cell nuclei (Wisconsin diagnostic data, bundled with "
        "scikit-learn): malignant (+1) against benign (-1)"
    )
    about = "breast-cancer", text, ("benign", "malignant")
    y = np.where(benign == 0, 1.0, -1.0)
    return _Raw(np.asarray(features, dtype=np.float64), y, about, scale=True)


def digits(positive: int, negative: int) -> Dataset:
    """Two classes of scikit-learn's handwritten digits on X (d = 65).

    Here `positive`, `negative`: different digits 0-9; labels +1 and -1.

    Returned: About 360 points, named like ``"digits-3v8"``: pixels centered on their mean over
    *all* of these images, normalized, 1/2 appended.  To measure on held-out images use
    `load_split`.

    Raises ValueError, TypeError: if the digits are equal, out of range or not integers.

    >>> digits(3, 8)
    Dataset('digits-3v8', n=357, d=65)
    """
    return _raw_digits(positive, negative).whole()


_NAMES: Final[list[tuple[re.Pattern[str], Callable[..., _Raw | Dataset]]]] = [
    (re.compile(r"digits-([0-9])v([0-9])"), _raw_digits),
    (re.compile(r"digits-even-odd"), _raw_digits_even_odd),
    (re.compile(r"breast-cancer"), _raw_breast_cancer),
    (re.compile(r"circle-([1-9][0-9]{0,6})"), circle),
]


def _named(name: str) -> Callable[[], _Raw | Dataset]:
    """Find a data set without loading it."""
    _text(name, "name")
    for pattern, source in _NAMES:
        if match := pattern.fullmatch(name):
            return partial(source, *(int(group) for group in match.groups()))
    raise ValueError(
        "name must be like 'digits-3v8' (any two different digits), 'digits-even-odd', "
        f"'breast-cancer' or 'circle-8' (any number of points), got {name!r}"
    )


def load(name: str) -> Dataset:
    """Load a data set by name, all of it.

    Here `name`: ``"digits-PvN"`` with different digits P (+1) and N (-1), ``"digits-even-odd"``,
    ``"breast-cancer"`` or ``"circle-n"`` (n points, alternating labels).

    The data on X.  Real data are centered on the mean of all points; to measure on held-out points
    use `load_split`.

    Raises ValueError: if there is no such data set.

    Raises TypeError: if `name` is not a string.

    >>> load("circle-8")
    Dataset('circle-8', n=8, d=3)
    """
    source = _named(name)()
    return source.whole() if isinstance(source, _Raw) else source


@checked
def load_split(name: str, test_fraction: Probability, rng: Seed) -> tuple[Dataset, Dataset]:
    """Load a data set by name, split into a training and a test part.

    Here `name`: as in `load`; `test_fraction`: share of every class that goes to the test part, in
    (0, 1); rounded, but at least one point of every class goes to either part.

    Returned: `train, test`: Disjoint parts, both in random order.  The map to X (center and scales)
    is fitted on the training part alone and applied to both.

    >>> load_split("digits-3v8", 0.4, rng=0)
    (Dataset('digits-3v8', n=214, d=65), Dataset('digits-3v8', n=143, d=65))
    """
    generator = validation.generator(rng)
    source = _named(name)()
    try:
        train, test = split_rows(source.y, test_fraction, generator)
    except ValueError as error:
        raise ValueError(f"name must be a data set that can be split: {error}") from None
    if isinstance(source, Dataset):
        return source.subset(train), source.subset(test)
    slice_map = source.fit(train)
    return source.mapped(train, slice_map), source.mapped(test, slice_map)


@checked
def split_rows(
    y: FloatArray, test_fraction: Probability, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Split row numbers class by class.

    Here `test_fraction`: share of every class that goes to the test part, in (0, 1); rounded, but
    at least one row of every class goes to either part.

    Returned: `train, test`: Row numbers, disjoint, all of them together; both in random order.

    >>> train, test = split_rows([1, 1, -1, -1], 0.5, np.random.default_rng(0))
    >>> sorted([*train, *test]) == [0, 1, 2, 3]
    True
    """
    y = validation.float_array(y, "y", shape=(None,))
    train, test = [], []
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        if rows.size < 2:
            raise ValueError(
                f"y must have two points or more of every class to be split, "
                f"got {rows.size} with label {label:+g}"
            )
        held_out = min(max(1, round(test_fraction * rows.size)), rows.size - 1)
        test.append(rows[:held_out])
        train.append(rows[held_out:])
    return rng.permutation(np.concatenate(train)), rng.permutation(np.concatenate(test))
