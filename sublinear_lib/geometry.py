r"""The input space X of the paper and the balls B2(x, rho) of its adversary.

Section 3.2 fixes the inputs to X = {x in R^d : ||x||_2 = 1, x_d = 1/2}; Definition 3.3 lets an
adversary move x within B2(x, rho) = {v in X : ||v - x||_2 <= rho}.  Before changing anything, know
the one identity on which the whole module rests.  Write s = sqrt(3)/2.  Then

    X = {(s u, 1/2) : u in S^{d-2}},      ||(s u, 1/2) - (s v, 1/2)|| = s ||u - v||
                                                                     = sqrt(3) sin(theta / 2),

with theta the angle between the *directions* u and v (the chord 2 sin(theta/2) of the unit sphere,
scaled by s).  So B2(x, rho) is the spherical cap of angular radius alpha = 2 asin(rho / sqrt(3))
around the direction of x, and all of X once rho >= sqrt(3).  The radius rho is a Euclidean chord
length, never an angle.  Membership is always decided by chords: near the center of a small cap
``<u, v> >= cos(alpha)`` resolves angles only to 1e-8, the chord resolves them to 1e-16.

In dimension d = 2 the sphere S^0 is {-1, +1}: X has two points at distance sqrt(3), and a cap of
radius below sqrt(3) is its center alone.  All functions accept d = 2 and treat it as this set, not
as a limit of the formulas.  Only `inner_box` is about all of R^d: the balls of the maximum norm, in
which the adversaries of Parts II and III move.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from sublinear_lib import validation
from sublinear_lib._arguments import (
    Count,
    Dimension,
    Nonnegative,
    Positive,
    check_fields,
    checked,
    described,
)
from sublinear_lib._typing import BoolArray, FloatArray, Seed

__all__ = [
    "SLICE_DIAMETER",
    "SLICE_HEIGHT",
    "SLICE_RADIUS",
    "Cap",
    "cap_angle",
    "cap_fraction",
    "cap_intervals",
    "cap_supports",
    "chord_distances",
    "directions",
    "embed",
    "inner_box",
    "lift",
    "project_to_caps",
    "project_to_slice",
    "sample_caps",
    "sample_slice",
    "slice_net",
]

SLICE_HEIGHT: Final = 0.5
"""Last coordinate of every point of X."""

SLICE_RADIUS: Final = math.sqrt(3.0) / 2.0
"""Radius s of the sphere X inside its hyperplane: s^2 + (1/2)^2 = 1."""

SLICE_DIAMETER: Final = math.sqrt(3.0)
"""Largest distance between two points of X; a cap of this radius is all of X."""

_EPS: Final = float(np.finfo(np.float64).eps)
_PAIRS_PER_CHUNK: Final = 1 << 20


# --------------------------------------------------------------------------------------------------
# Directions and points
# --------------------------------------------------------------------------------------------------


def _row_dots(A: FloatArray, B: FloatArray) -> FloatArray:
    """Inner products of corresponding rows, summed pairwise (einsum would add left to right)."""
    dots: FloatArray = np.sum(A * B, axis=1)
    return dots


def _unit_rows(Q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the rows of Q divided by their norms, and the norms; zero rows stay zero.

    Rows are scaled by their largest entry first, so that entries near the ends of the float range
    neither overflow nor vanish when squared.
    """
    scale = np.max(np.abs(Q), axis=1)
    safe = np.where(scale > 0.0, scale, 1.0)
    scaled = Q / safe[:, None]
    norms = np.sqrt(_row_dots(scaled, scaled))
    unit = scaled / np.where(norms > 0.0, norms, 1.0)[:, None]
    with np.errstate(over="ignore"):
        return unit, scale * norms


def _points(V: FloatArray) -> FloatArray:
    """Map unit directions (n, d-1) to points (n, d) of X."""
    X = np.empty((V.shape[0], V.shape[1] + 1))
    X[:, :-1] = SLICE_RADIUS * V
    X[:, -1] = SLICE_HEIGHT
    return X


def _on_slice_to_rounding(X: FloatArray) -> BoolArray:
    """Tell which rows are points of X up to the rounding of their coordinates."""
    with np.errstate(over="ignore"):
        norms = np.sqrt(_row_dots(X, X))
    close: BoolArray = (X[:, -1] == SLICE_HEIGHT) & (np.abs(norms - 1.0) <= 4.0 * _EPS)
    return close


def _centers(X: FloatArray) -> FloatArray:
    """Put cap centers (validated to 1e-9) onto X; those there already keep every bit."""
    keep = _on_slice_to_rounding(X)
    if keep.all():
        return X
    V, _ = _unit_rows(X[:, :-1])
    return np.where(keep[:, None], X, _points(V))


@described
def embed(U: FloatArray) -> FloatArray:
    r"""Map directions to points of X: u -> (s u, 1/2) with s = sqrt(3)/2.

    Here `U` (n, d - 1): unit vectors (to 1e-9; they are normalized to rounding before use).

    Points of X: norm 1 to rounding, last coordinate exactly 0.5.

    Raises ValueError: if a row is not a unit vector to 1e-9, or not finite.

    Raises TypeError: if `U` does not hold real numbers.

    ||(s u, 1/2)||^2 = 3/4 + 1/4 = 1, so the image lies on X, and every point of X is such an image.
    Source: Section 3.2, definition of X.

    >>> embed([[0.0, 1.0]])
    array([[0.       , 0.8660254, 0.5      ]])
    """
    U = validation.float_array(U, "U", shape=(None, None))
    V, norms = _unit_rows(U)
    bad = np.flatnonzero(~(np.abs(norms - 1.0) <= 1e-9))
    if bad.size:
        raise ValueError(
            f"U must have rows of norm 1 (to 1e-9), got norm {float(norms[bad[0]])!r} "
            f"in row {int(bad[0])}"
        )
    return _points(V)


def directions(X: FloatArray) -> FloatArray:
    """Map points of X to their directions on S^{d-2}: the inverse of `embed`.

    Raises ValueError: if a row is not on X.

    Raises TypeError: if `X` does not hold real numbers.

    >>> directions([[3**0.5 / 2, 0.0, 0.5]])
    array([[1., 0.]])
    """
    X = validation.points_on_slice(X)
    return _unit_rows(X[:, :-1])[0]


@checked
def sample_slice(n: Count, d: Dimension, rng: Seed) -> FloatArray:
    """Draw independent points uniformly on X.

    Points of X, uniform for the surface measure (d = 2: each of the two points with probability
    1/2).

    A standard normal vector of R^{d-1} is rotation invariant, hence its direction is uniform on
    S^{d-2}; `embed` is a similarity, so it keeps the measure uniform.

    >>> X = sample_slice(5, 4, rng=0)
    >>> X.shape, bool((X[:, -1] == 0.5).all())
    ((5, 4), True)
    """
    generator = validation.generator(rng)
    return _points(_uniform_directions(n, d - 1, generator))


def _uniform_directions(n: int, k: int, rng: np.random.Generator) -> FloatArray:
    """Draw n uniform unit vectors of R^k."""
    V, norms = _unit_rows(rng.standard_normal((n, k)))
    while (again := np.flatnonzero(norms == 0.0)).size:  # probability 0, but a float can be 0.0
        V[again], norms[again] = _unit_rows(rng.standard_normal((again.size, k)))
    return V


def project_to_slice(P: FloatArray) -> FloatArray:
    """Map points of R^d to the nearest points of X.

    Here `P` (n, d): any points with d >= 2 whose first d - 1 coordinates are not all zero.

    Nearest points of X; rows already on X (last coordinate exactly 0.5, norm 1 to rounding) are
    returned bit for bit.

    For p = (q, p_d): ||(s u, 1/2) - p||^2 = s^2 - 2 s <u, q> + terms free of u, which is least at
    u = q / ||q||.  The last coordinate of p plays no role.

    >>> project_to_slice([[0.0, -7.0, 100.0]])
    array([[ 0.       , -0.8660254,  0.5      ]])
    """
    P = _ambient_points(P, "P")
    V, norms = _unit_rows(P[:, :-1])
    bad = np.flatnonzero(norms == 0.0)
    if bad.size:
        raise ValueError(
            f"P must not have rows whose first d-1 coordinates are all 0 (row {int(bad[0])} is): "
            "such a point is equally far from every point of X and has no projection"
        )
    return np.where(_on_slice_to_rounding(P)[:, None], P, _points(V))


def _ambient_points(P: FloatArray, name: str, d: int | None = None) -> FloatArray:
    """Validate an (n, d) array of arbitrary points with d >= 2."""
    P = validation.float_array(P, name, shape=(None, d))
    if P.shape[1] < 2:
        raise ValueError(f"{name} must have d >= 2 columns, got {P.shape[1]}")
    return P


def chord_distances(X: FloatArray, Y: FloatArray) -> FloatArray:
    """Euclidean (chord) distances between the rows of two arrays.

    Here `Y` (k, d): points of R^d.

    ``||x_i - y_j||_2``, computed from coordinate differences: small distances keep their full
    relative accuracy, which ``sqrt(2 - 2 <x, y>)`` loses below 1e-8.

    Raises ValueError: if the numbers of columns differ, or a value is not finite.

    Raises TypeError: if an array does not hold real numbers.

    >>> chord_distances([[3**0.5 / 2, 0.5]], [[-(3**0.5) / 2, 0.5], [3**0.5 / 2, 0.5]])
    array([[1.73205081, 0.        ]])
    """
    from scipy.spatial.distance import cdist  # here: the half-space index loads without SciPy

    X = validation.float_array(X, "X", shape=(None, None))
    Y = validation.float_array(Y, "Y", shape=(None, X.shape[1]))
    distances: FloatArray = cdist(X, Y)
    return distances


# --------------------------------------------------------------------------------------------------
# The lift of a biased neuron
# --------------------------------------------------------------------------------------------------


@described
def lift(W: FloatArray, b: FloatArray) -> FloatArray:
    r"""Fold the biases into the weights: u_r = w_r + 2 b_r e_d, so <u_r, x> = <w_r, x> + b_r on X.

    Here `b` (m,): biases.

    Raises ValueError: if the lengths differ, a value is not finite, or w_{r,d} + 2 b_r overflows.

    Raises TypeError: if an argument does not hold real numbers.

    x_d = 1/2 on X, hence <w_r + 2 b_r e_d, x> = <w_r, x> + 2 b_r / 2.

    Why it is needed.  Neuron r is active at x when <w_r, x> > tau - b_r.  The paper stores the
    points w_r (Algorithm 1, lines 7 and 12) and asks Algorithm 2 for those with
    sgn(<x, w_r> - (tau - b_r)) >= 0, a "half-space" whose offset tau - b_r changes from point to
    point; Definition 5.1 and the data structure of Corollary 5.2 answer one half-space at a time,
    with one offset.  After the lift the question is <u_r, x> > tau: one half-space, and still in
    R^d, so that the exponent floor(d/2) of Corollary 5.2 stays as printed.

    Rounding.  2 b_r is exact, and w_{r,d} + 2 b_r is rounded once, so for stored numbers the
    identity holds to |u_{r,d}| * 2**-54.  A decision that must be exact for the stored (w_r, b_r),
    ties included, has to be re-made on (w_r, b_r).  Source: Algorithm 1, Algorithm 2, Definition
    5.1.

    >>> lift([[1.0, 2.0, 3.0]], [0.25])
    array([[1. , 2. , 3.5]])
    """
    W = _ambient_points(W, "W")
    b = validation.float_array(b, "b", shape=(W.shape[0],))
    U = W.copy()
    with np.errstate(over="ignore"):
        U[:, -1] += 2.0 * b
    bad = np.flatnonzero(~np.isfinite(U[:, -1]))
    if bad.size:
        r = int(bad[0])
        raise ValueError(
            f"W and b must have w_d + 2 b within the float64 range, got w_d = {float(W[r, -1])!r} "
            f"and b = {float(b[r])!r} in row {r}"
        )
    return U


@checked
def inner_box(X: FloatArray, radius: Nonnegative) -> tuple[FloatArray, FloatArray]:
    """Return boxes that lie in the closed balls of the maximum norm, as real arithmetic has them.

    Here `radius`: the radius of the balls, ``>= 0``.

    Returned: `low, high`: The ends of the boxes: ``X - radius <= low <= X <= high <= X + radius``.

    >>> low, high = inner_box([0.2], 0.1)
    >>> bool(high[0] < 0.2 + 0.1)  # whose rounding is outside
    True
    """
    centers = validation.float_array(X, "X", allow_empty=True)
    # Rounding to nearest may step over the edge; the next number inside never does.
    return (
        np.minimum(np.nextafter(centers - radius, np.inf), centers),
        np.maximum(np.nextafter(centers + radius, -np.inf), centers),
    )


# --------------------------------------------------------------------------------------------------
# Caps
# --------------------------------------------------------------------------------------------------


@checked
def cap_angle(rho: Nonnegative) -> float:
    """Angular radius of the cap B2(x, rho): alpha = 2 asin(rho / sqrt(3)), and pi from sqrt(3) on.

    Here `rho`: radius of the adversary, a chord length, >= 0.

    Raises ValueError, TypeError: if `rho` is negative, not finite or not a real number.

    Two points of X whose directions enclose the angle theta are sqrt(3) sin(theta / 2) apart
    (module docstring), an increasing function of theta on [0, pi]; solving for theta gives alpha.
    Source: Definition 3.3.

    >>> cap_angle(0.0), round(cap_angle(3**0.5 / 2), 15) == round(math.pi / 3, 15), cap_angle(2.0)
    (0.0, True, 3.141592653589793)
    """
    return math.pi if rho >= SLICE_DIAMETER else 2.0 * math.asin(rho / SLICE_DIAMETER)


@checked
def cap_fraction(d: Dimension, rho: Nonnegative) -> float:
    r"""Share of X (for the uniform measure) that a cap of radius rho covers.

    Here `rho`: chord radius, >= 0.

    Number in [0, 1]; 1/2 at rho = sqrt(3/2), where the cap is a half sphere (d >= 3).

    The angle theta to the center has density proportional to sin^{d-3}(theta) on [0, pi].  With
    y = sin^2(theta/2), sin(theta) = 2 sqrt(y (1-y)) and dy = sin(theta)/2 dtheta, so y has density
    proportional to (y (1-y))^{(d-4)/2}: it is Beta(a, a) with a = (d-2)/2.  The cap is
    y <= rho^2/3, hence the share is the regularized incomplete beta function I_{rho^2/3}(a, a).
    For d = 2 it is 1/2 below sqrt(3) (one of two points).

    >>> cap_fraction(4, 0.3) == 0.3**2 / 3  # Archimedes: areas on S^2 are proportional to heights
    True
    """
    if rho >= SLICE_DIAMETER:
        return 1.0
    if d == 2:
        return 0.5
    from scipy.special import betainc

    a = (d - 2) / 2.0
    return float(betainc(a, a, rho * rho / 3.0))


def _half_chord(rho: float, d: int) -> float:
    """Return h = sin(alpha/2) of the cap; 0 for d = 2 below sqrt(3), where the cap is one point."""
    if rho >= SLICE_DIAMETER:
        return 1.0
    return 0.0 if d == 2 else rho / SLICE_DIAMETER


def _cos_sin_angle(h: float) -> tuple[float, float]:
    """Return cos(alpha) and sin(alpha) from h = sin(alpha/2), without passing through the angle."""
    return 1.0 - 2.0 * h * h, 2.0 * h * math.sqrt((1.0 - h) * (1.0 + h))


def _orthogonal_part(V: FloatArray, U: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return unit vectors along V - <V, U> U and the norms of that difference, row by row.

    Subtracting twice keeps the result orthogonal to U to rounding even when V is nearly parallel to
    U.  Where the norm is below the rounding of V itself, the direction is meaningless; there the
    coordinate axis with the smallest |u_k| (the first of them) is used in place of V.
    """
    T = V - _row_dots(V, U)[:, None] * U
    T -= _row_dots(T, U)[:, None] * U
    norms = np.sqrt(_row_dots(T, T))
    lost = np.flatnonzero(norms <= 16.0 * _EPS)
    if lost.size:
        E = np.zeros((lost.size, U.shape[1]))
        E[np.arange(lost.size), np.argmin(np.abs(U[lost]), axis=1)] = 1.0
        E -= _row_dots(E, U[lost])[:, None] * U[lost]
        E -= _row_dots(E, U[lost])[:, None] * U[lost]
        T[lost] = E
    return _unit_rows(T)[0], norms


def _support_directions(Q: FloatArray, U: FloatArray, h: float) -> FloatArray:
    """Maximize <v, q> over unit v with ||v - u|| <= 2 h, row by row (see `Cap.support`)."""
    V, norms = _unit_rows(Q)
    V = np.where((norms > 0.0)[:, None], V, U)
    if h >= 1.0:
        return V
    gaps = V - U
    outside = np.flatnonzero(np.sqrt(_row_dots(gaps, gaps)) > 2.0 * h)
    if outside.size:
        if h == 0.0:
            V[outside] = U[outside]
        else:
            T, _ = _orthogonal_part(V[outside], U[outside])
            cosine, sine = _cos_sin_angle(h)
            V[outside] = _unit_rows(cosine * U[outside] + sine * T)[0]
    return V


def _support_points(G: FloatArray, X: FloatArray, rho: float) -> FloatArray:
    """Return the points of the caps around rows of X (already on X) that maximize <g, .>."""
    h = _half_chord(rho, X.shape[1])
    if h == 0.0:
        return X.copy()
    return _points(_support_directions(G[:, :-1], _unit_rows(X[:, :-1])[0], h))


def _in_caps(P: FloatArray, X: FloatArray, reach: float) -> BoolArray:
    """Tell which rows of P are within `reach` of the matching rows of X."""
    with np.errstate(over="ignore"):
        gaps = P - X
        inside: BoolArray = np.sqrt(_row_dots(gaps, gaps)) <= reach
    return inside


def _sample_caps(X: FloatArray, rho: float, rng: np.random.Generator) -> FloatArray:
    """Draw one uniform point from the cap around each row of X (see `Cap.random`)."""
    n, d = int(X.shape[0]), int(X.shape[1])
    h = _half_chord(rho, d)
    if h == 0.0:
        return X.copy()
    if h >= 1.0:
        return _points(_uniform_directions(n, d - 1, rng))
    U = _unit_rows(X[:, :-1])[0]
    if d == 3:
        theta = 2.0 * math.asin(h) * (2.0 * rng.random(n) - 1.0)
        normals = np.column_stack([-U[:, 1], U[:, 0]])
        return _points(_unit_rows(np.cos(theta)[:, None] * U + np.sin(theta)[:, None] * normals)[0])
    cosine, sine = _cos_sin_angle(h)
    if d > 4 and cosine * math.sqrt(d - 2.0) <= 0.5:
        return _points(_sample_by_sphere(U, h, rng))
    if d == 4:
        y = h * h * rng.random(n)
        cosines, sines = 1.0 - 2.0 * y, 2.0 * np.sqrt(y * (1.0 - y))
    else:
        sines = _sample_sines(n, d, cosine, sine, rng)
        cosines = np.sqrt((1.0 - sines) * (1.0 + sines))
    T = _uniform_tangents(U, rng)
    return _points(_unit_rows(cosines[:, None] * U + sines[:, None] * T)[0])


def _sample_by_sphere(U: FloatArray, h: float, rng: np.random.Generator) -> FloatArray:
    """Draw uniform directions of the caps by rejection from the whole sphere."""
    V = np.empty_like(U)
    pending = np.arange(U.shape[0])
    while pending.size:
        trial = _uniform_directions(pending.size, U.shape[1], rng)
        inside = _in_caps(trial, U[pending], 2.0 * h)
        V[pending[inside]] = trial[inside]
        pending = pending[~inside]
    return V


def _sample_sines(
    n: int, d: int, cosine: float, sine: float, rng: np.random.Generator
) -> FloatArray:
    """Draw t = sin(theta), theta in [0, alpha] of density sin^{d-3}, for alpha < pi/2."""
    t = np.empty(n)
    pending = np.arange(n)
    while pending.size:
        trial = sine * rng.random(pending.size) ** (1.0 / (d - 2.0))
        accept = rng.random(pending.size) * np.sqrt((1.0 - trial) * (1.0 + trial)) <= cosine
        t[pending[accept]] = trial[accept]
        pending = pending[~accept]
    return t


def _uniform_tangents(U: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw unit vectors orthogonal to the rows of U, uniform among those."""
    T = np.empty_like(U)
    pending = np.arange(U.shape[0])
    while pending.size:
        trial = _uniform_directions(pending.size, U.shape[1], rng)
        part, norms = _orthogonal_part(trial, U[pending])
        # A draw nearly parallel to u has a tangent full of rounding (it happens for whole arrays
        # when data and attack share a seed).  The test looks at the angle to u only, so dropping
        # such draws leaves the tangent uniform.
        good = norms > 1e-6
        T[pending[good]] = part[good]
        pending = pending[~good]
    return T


def _check_rows(P: FloatArray, X: FloatArray, name: str) -> None:
    if P.shape != X.shape:
        raise ValueError(
            f"{name} must have the shape {X.shape} of X (one row per cap), got {P.shape}"
        )


@checked
def project_to_caps(P: FloatArray, X: FloatArray, rho: Nonnegative) -> FloatArray:
    """Map row i of P to the nearest point of the cap B2(x_i, rho), for the Euclidean distance.

    Here `P` (n, d): any points of R^d, one per cap; `rho`: chord radius, >= 0.

    Points of a cap come back bit for bit, so projecting twice changes at most the last bits of a
    point on the rim, or its side if rho is a few roundings; with rho = 0 every row is the center.

    For p = (q, p_d) the squared distance to (s v, 1/2) is a constant minus 2 s <v, q>: the nearest
    point maximizes <v, q>, so it is the one of `Cap.support`.  On X this is at the same time the
    nearest point along the sphere, because chord and angle increase together.

    Ties.  If q is a negative multiple of u (to rounding), all points of the rim are equally near;
    the one towards the coordinate axis with the smallest |u_k| (the first of them) is returned.  If
    q = 0 all points of the cap are equally near; the center is returned.

    >>> X = sample_slice(3, 5, rng=0)
    >>> bool((project_to_caps(X, X, 0.2) == X).all())
    True
    """
    X = _centers(validation.points_on_slice(X))
    P = _ambient_points(P, "P")
    _check_rows(P, X, "P")
    keep = _on_slice_to_rounding(P) & _in_caps(P, X, rho)
    return np.where(keep[:, None], P, _support_points(P, X, rho))


@checked
def sample_caps(X: FloatArray, rho: Nonnegative, rng: Seed) -> FloatArray:
    """Draw one uniform point from each cap B2(x_i, rho): `Cap.random` for many caps at once.

    Here `rho`: chord radius, >= 0.

    Independent points, row i uniform on the cap around row i of `X`.

    Raises ValueError, TypeError: if an argument is out of range or of the wrong type.

    >>> X = sample_slice(3, 5, rng=0)
    >>> P = sample_caps(X, 0.2, rng=1)
    >>> bool((np.linalg.norm(P - X, axis=1) <= 0.2).all())
    True
    """
    X = _centers(validation.points_on_slice(X))
    return _sample_caps(X, rho, validation.generator(rng))


@checked
def cap_supports(G: FloatArray, X: FloatArray, rho: Nonnegative) -> tuple[FloatArray, FloatArray]:
    """Maximize <g_i, p> over p in B2(x_i, rho): `Cap.support` for many caps at once.

    Here `G` (n, d): linear functionals, one per cap; `rho`: chord radius, >= 0.

    Returned: `values`: The maxima. `argmax`: Points of the caps where they are attained.

    Raises ValueError, TypeError: if an argument is out of range, of the wrong type, or the shapes
    differ.

    >>> values, argmax = cap_supports([[0.0, 2.0, 0.0]], [[0.75**0.5, 0.0, 0.5]], 3**0.5)
    >>> values
    array([1.73205081])
    """
    X = _centers(validation.points_on_slice(X))
    G = _ambient_points(G, "G")
    _check_rows(G, X, "G")
    points = _support_points(G, X, rho)
    return _support_values(G, points), points


def _support_values(G: FloatArray, points: FloatArray) -> FloatArray:
    with np.errstate(over="ignore", invalid="ignore"):
        return _finite(_row_dots(G, points), "G")


def _finite(values: FloatArray, name: str) -> FloatArray:
    if not np.isfinite(values).all():
        raise ValueError(f"{name} must be small enough for the result to fit float64, it overflows")
    return values


@checked
def cap_intervals(
    X: FloatArray, rho: Nonnegative, W: FloatArray, b: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Exact range of every pre-activation over every cap: `Cap.intervals` for many caps at once.

    Here `rho`: chord radius, >= 0; `b` (m,): biases.

    Returned: `lower, upper`: min and max of ``<w_r, p> + b_r`` over p in B2(x_i, rho).

    Raises ValueError, TypeError: if an argument is out of range, of the wrong type, the shapes
    differ, or a pre-activation overflows.

    Formula and error bound: see `Cap.intervals`.  Cost: one matrix product and O(n m) elementwise
    work; only the pairs with sin(theta) < 0.1, where 1 - cos^2 would cancel, are recomputed from
    coordinates (few of them unless d <= 3).

    >>> lower, upper = cap_intervals([[0.75**0.5, 0.0, 0.5]], 3**0.5, [[4.0, 0.0, 2.0]], [1.0])
    >>> lower, upper
    (array([[-1.46410162]]), array([[5.46410162]]))
    """
    X = _centers(validation.points_on_slice(X))
    W = _ambient_points(W, "W", X.shape[1])
    b = validation.float_array(b, "b", shape=(W.shape[0],))
    return _cap_intervals(X, rho, W, b)


def _cap_intervals(
    X: FloatArray, rho: float, W: FloatArray, b: FloatArray
) -> tuple[FloatArray, FloatArray]:
    n, m = X.shape[0], W.shape[0]
    h = _half_chord(rho, X.shape[1])
    U, _ = _unit_rows(X[:, :-1])
    V, norms = _unit_rows(W[:, :-1])
    lower, upper = np.empty((n, m)), np.empty((n, m))
    cosine, sine = _cos_sin_angle(h)
    step = max(1, _PAIRS_PER_CHUNK // m)
    with np.errstate(over="ignore", invalid="ignore"):
        center = SLICE_HEIGHT * W[:, -1] + b
        swing = SLICE_RADIUS * norms
        for start in range(0, n, step):
            rows = slice(start, start + step)
            c = np.clip(U[rows] @ V.T, -1.0, 1.0)
            if h >= 1.0:
                high, low = np.ones_like(c), -np.ones_like(c)
            elif h == 0.0:
                high = low = c
            else:
                s = _pair_sines(U[rows], V, c)
                # cos(theta - alpha), and 1 once theta <= alpha; cos(theta + alpha), and -1 once
                # theta >= pi - alpha.  Both are flat where the branch changes, so a rounded
                # comparison of cosines (angles to 1e-8) costs 1e-16 in the value.
                high = np.where(c >= cosine, 1.0, c * cosine + s * sine)
                low = np.where(-c >= cosine, -1.0, c * cosine - s * sine)
            upper[rows] = center + swing * high
            lower[rows] = center + swing * low
    return _finite(lower, "W and b"), _finite(upper, "W and b")


def _pair_sines(U: FloatArray, V: FloatArray, c: FloatArray) -> FloatArray:
    """Return sin of the angles between rows of U and V, given their cosines c, to rounding.

    sqrt(1 - c^2) has absolute error ~ eps / sin(theta), up to 1e-8; where sin(theta) < 0.1 the norm
    of v - c u is taken instead.  Zero rows of V give an arbitrary sine (they are multiplied by 0).
    """
    squares = (1.0 - c) * (1.0 + c)
    i, j = np.nonzero(squares < 1e-2)
    step = max(1, _PAIRS_PER_CHUNK // U.shape[1])
    for start in range(0, i.size, step):
        k, r = i[start : start + step], j[start : start + step]
        part = V[r] - c[k, r][:, None] * U[k]
        squares[k, r] = _row_dots(part, part)
    sines: FloatArray = np.sqrt(squares)
    return sines


@dataclass(frozen=True, eq=False)
class Cap:
    r"""The set B2(x, rho) of Definition 3.3: points of X within chord distance rho of x.

    Parameters
    ----------
    x : array_like of float, shape (d,)
        Center, on X to 1e-9 and d >= 2.  It is put onto X to rounding; a center that is there
        already keeps every bit.  Stored read-only.
    rho : float
        Chord radius, >= 0.  From sqrt(3) on the cap is all of X.

    Attributes
    ----------
    x : ndarray of float64, shape (d,)
        Center.
    rho : float
        Chord radius.

    Raises
    ------
    ValueError, TypeError
        If `x` is not a point of X or `rho` is not a finite number >= 0.

    Notes
    -----
    In directions (module docstring) the cap is {v in S^{d-2} : angle(u, v) <= alpha} with
    alpha = 2 asin(rho / sqrt(3)).  For d = 2 and rho < sqrt(3) it is {x}.

    Source: Definition 3.3.

    Examples
    --------
    >>> cap = Cap([3**0.5 / 2, 0.0, 0.5], rho=3**0.5 / 2)
    >>> round(math.degrees(cap.angle), 9)
    60.0
    >>> cap.contains([[0.75**0.5 * 0.6, 0.75**0.5 * 0.8, 0.5], [0.0, 0.75**0.5, 0.5]])
    array([ True, False])
    """

    x: FloatArray
    rho: Nonnegative

    def __post_init__(self) -> None:
        """Validate and freeze the fields."""
        x = validation.float_array(self.x, "x", shape=(None,))
        x = _centers(validation.points_on_slice(x[None, :], "x"))[0].copy()
        x.flags.writeable = False
        object.__setattr__(self, "x", x)
        check_fields(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle through the constructor, so that a copy is validated and read-only again."""
        return (Cap, (np.array(self.x), self.rho))

    def __repr__(self) -> str:
        """Name the dimension and the radius."""
        return f"Cap(d={self.d}, rho={self.rho!r})"

    @property
    def d(self) -> int:
        """Ambient dimension."""
        return int(self.x.size)

    @property
    def angle(self) -> float:
        """Angular radius alpha = 2 asin(rho / sqrt(3)) in [0, pi]; see `cap_angle`."""
        return cap_angle(self.rho)

    @checked
    def contains(self, P: FloatArray, atol: Nonnegative = 1e-12) -> BoolArray:
        """Tell which points belong to the cap.

        Here `P` (k, d): points of R^d, on X or not; `atol`: absolute tolerance >= 0, for the
        distance to the center, the norm and the last coordinate alike.

        True where ``||p - x|| <= rho + atol``, ``| ||p|| - 1 | <= atol`` and ``|p_d - 1/2| <=
        atol``.
        """
        P = _ambient_points(P, "P", self.d)
        _, norms = _unit_rows(P)
        on_slice = (np.abs(norms - 1.0) <= atol) & (np.abs(P[:, -1] - SLICE_HEIGHT) <= atol)
        inside = np.zeros(P.shape[0], dtype=np.bool_)
        inside[on_slice] = _in_caps(P[on_slice], self.x[None, :], self.rho + atol)
        return inside

    @checked
    def random(self, size: Count, rng: Seed) -> FloatArray:
        r"""Draw independent points uniformly on the cap.

        Here `size`: number of points, at least 1.

        Points of the cap, uniform for the surface measure of X.

        By symmetry v = cos(theta) u + sin(theta) t with t uniform on the unit vectors orthogonal
        to u and theta independent of t, of density proportional to sin^{d-3}(theta) on [0, alpha]
        (the circle of latitude theta is a sphere S^{d-3} of radius sin(theta)).  The methods are
        exact, not tabulated:

        * d = 2: the center, or one of the two points when rho >= sqrt(3).
        * d = 3: theta = alpha U, with a random sign.
        * d = 4: y = sin^2(theta/2) is uniform on [0, rho^2/3] (inverse of `cap_fraction`).
        * d >= 5, cos(alpha) sqrt(d-2) <= 1/2: rejection from the uniform law on the sphere.  A
          trial is accepted with probability `cap_fraction`, at least
          1/2 - cos(alpha) f(0) >= 1/2 - 1/(2 sqrt(2 pi)) > 0.3, because the density of <u, v> is
          at most f(0) = Gamma((d-1)/2) / (sqrt(pi) Gamma((d-2)/2)) <= sqrt((d-2) / (2 pi)).
        * d >= 5, larger cosine: t = sin(theta) has density proportional to
          t^{d-3} / sqrt(1 - t^2) on [0, sin(alpha)].  Propose t = sin(alpha) U^{1/(d-2)}, of
          density proportional to t^{d-3}; accept with probability cos(alpha) / sqrt(1 - t^2) <= 1.
          As E[U^{2/(d-2)}] = (d-2)/d, Jensen's inequality bounds the probability that a trial is
          accepted from below by cos(alpha) / sqrt(cos(alpha)^2 + 2/d) >= 1/3.  Nothing underflows
          here, though the cap may hold a share of X far below the smallest float.

        >>> cap = Cap(sample_slice(1, 50, rng=0)[0], rho=0.01)  # a share of about 6e-95 of X
        >>> bool(cap.contains(cap.random(4, rng=1)).all())
        True
        """
        generator = validation.generator(rng)
        return _sample_caps(np.broadcast_to(self.x, (size, self.d)), self.rho, generator)

    def support(self, G: FloatArray) -> tuple[FloatArray, FloatArray]:
        r"""Maximize linear functionals over the cap.

        Here `G` (k, d): functionals; for a minimum pass ``-G`` and negate the value.

        Returned: `values`: ``max <g, p>`` over the cap, equal to ``<g, argmax>``. `argmax`: Points
        of the cap where the maxima are attained.

        Write g = (q, g_d) and let theta be the angle between q and u.  Then
        <g, (s v, 1/2)> = g_d / 2 + s <q, v>.  If theta <= alpha the maximizer is v = q / ||q||.
        Otherwise <q, v> for v at angle alpha' from u is at most
        ||q|| cos(theta - alpha') <= ||q|| cos(theta - alpha) (triangle inequality for angles), with
        equality at v = cos(alpha) u + sin(alpha) t, t the unit vector along q - <q, u> u.  Hence

            max = g_d / 2 + s ||q|| cos(max(0, theta - alpha)).

        Ties (q a negative multiple of u, or q = 0) are broken as in `project_to_caps`.

        >>> cap = Cap([3**0.5 / 2, 0.0, 0.5], rho=3**0.5 / 2)
        >>> values, argmax = cap.support([[0.0, 2.0, 0.0]])
        >>> values, argmax
        (array([1.5]), array([[0.4330127, 0.75     , 0.5      ]]))
        """
        G = _ambient_points(G, "G", self.d)
        points = _support_points(G, np.broadcast_to(self.x, G.shape), self.rho)
        return _support_values(G, points), points

    def intervals(self, W: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        r"""Exact range of every pre-activation over the cap.

        Here `b` (m,): biases.

        Returned: `lower, upper`: min and max of z_r(p) = <w_r, p> + b_r over p in the cap, both
        attained.

        With omega_r the first d - 1 coordinates of w_r, theta_r its angle to u and
        c_r = w_{r,d} / 2 + b_r, the formula of `support` for w_r and for -w_r gives

            upper = c_r + s ||omega_r|| cos(max(0, theta_r - alpha)),
            lower = c_r + s ||omega_r|| cos(min(pi, theta_r + alpha)).

        For d = 2 and rho < sqrt(3) both are z_r(x).  The absolute error is at most
        (d + 16) 2**-52 (||w_r|| + |b_r|); the results are not rounded outwards, so a test such as
        ``upper > tau`` that must not miss a neuron needs that much slack.

        >>> cap = Cap([3**0.5 / 2, 0.0, 0.5], rho=3**0.5 / 2)
        >>> cap.intervals([[0.0, 2.0, 0.0], [1.0, 0.0, 0.0]], [0.0, 1.0])
        (array([-1.5      ,  1.4330127]), array([1.5      , 1.8660254]))
        """
        W = _ambient_points(W, "W", self.d)
        b = validation.float_array(b, "b", shape=(W.shape[0],))
        lower, upper = _cap_intervals(self.x[None, :], self.rho, W, b)
        return lower[0], upper[0]


# --------------------------------------------------------------------------------------------------
# Covering nets
# --------------------------------------------------------------------------------------------------


def _ceil(value: float) -> int:
    """Round up, forgiving the rounding error of an exact integer."""
    return max(1, math.ceil(value * (1.0 - 4.0 * _EPS)))


def _bands(k: int, q: float) -> list[tuple[float, float]]:
    """Return (theta_j, q_j) of the bands of S^k, k >= 2 (see `slice_net`)."""
    count = _ceil(math.pi / (4.0 * math.asin(math.sqrt(q / k))))
    half = math.pi / (2.0 * count)
    rest = q - math.sin(half / 2.0) ** 2
    bands = []
    for j in range(count):
        theta = (2 * j + 1) * half
        low, high = theta - half, theta + half
        widest = 1.0 if low <= math.pi / 2.0 <= high else max(math.sin(low), math.sin(high))
        bands.append((theta, rest / (math.sin(theta) * widest)))
    return bands


def _sphere_net_size(k: int, q: float) -> int:
    """Count the points of `_sphere_net` without building them."""
    if q >= 1.0:
        return 1
    if q >= 0.5 or k == 0:
        return 2
    if k == 1:
        return _ceil(math.pi / (2.0 * math.asin(math.sqrt(q))))
    return sum(_sphere_net_size(k - 1, inner) for _, inner in _bands(k, q))


def _sphere_net(k: int, q: float) -> FloatArray:
    """Build unit vectors of R^{k+1} such that every v in S^k has one with sin^2(angle/2) <= q."""
    if q >= 0.5 or k == 0:
        poles = np.zeros((1 if q >= 1.0 else 2, k + 1))
        poles[:, -1] = [1.0, -1.0][: len(poles)]
        return poles
    if k == 1:
        size = _sphere_net_size(k, q)
        phi = 2.0 * math.pi * np.arange(size) / size
        return np.column_stack([np.cos(phi), np.sin(phi)])
    rings = []
    for theta, inner in _bands(k, q):
        ring = math.sin(theta) * _sphere_net(k - 1, inner)
        rings.append(np.column_stack([ring, np.full(len(ring), math.cos(theta))]))
    return np.concatenate(rings)


def _log10_net_size(d: int, radius: float) -> float:
    """Return log10 of the leading term of the size of `slice_net` for a small radius."""
    k = d - 2
    log_area = math.log(2.0) + (k + 1) / 2.0 * math.log(math.pi) - math.lgamma((k + 1) / 2.0)
    log_cells = k * (math.log(math.sqrt(3.0 * k) / 4.0) - math.log(radius)) if k else 0.0
    return (log_area + log_cells) / math.log(10.0)


@checked
def slice_net(d: Dimension, radius: Positive, *, max_points: Count = 1_000_000) -> FloatArray:
    r"""Build a net of X: every point of X is within chord distance `radius` of a net point.

    Here `d`: ambient dimension, at most 5; `radius`: covering radius, a chord length > 0;
    `max_points`: largest net to build.

    Points of X.  N = 1 for radius >= sqrt(3) and N = 2 (antipodes) for radius >= sqrt(3/2) or d =
    2.  For small radius d = 3:  N ~ 2.72 / radius d = 4:  N ~ 4.71 / radius^2 d = 5:  N ~ 8.33 /
    radius^3 The first is ceil(pi / (2 asin(radius / sqrt(3)))), the least possible; the others are
    1.30 and 1.86 times what the best lattice coverings of the plane and of space would need.

    Put q = (radius / sqrt(3))^2.  Two points of X are within `radius` when their directions satisfy
    sin^2(angle/2) <= q (module docstring), so what is needed is a net of S^k, k = d - 2, with that
    property.  By induction on k:

    * q >= 1: any one point.  q >= 1/2: two antipodes, as the nearer one is within pi/2.  k = 0:
      both points.
    * k = 1: N equally spaced angles leave gaps of half-length pi / N, and
      pi / N <= 2 asin(sqrt(q)).
    * k >= 2: cut the polar angle into L bands of half-width h = pi / (2 L), centered at theta_j.
      For directions (sin(theta) w, cos(theta)), with theta in band j, and
      (sin(theta_j) w', cos(theta_j)), at distance gamma between w and w' on S^{k-1}, the identity
      cos(angle) = cos(theta - theta_j) - sin(theta) sin(theta_j) (1 - cos(gamma)) reads

          sin^2(angle/2) = sin^2((theta - theta_j)/2) + sin(theta) sin(theta_j) sin^2(gamma/2)
                         <= sin^2(h/2) + M_j sin(theta_j) sin^2(gamma/2),

      M_j the largest sine in the band.  A net of S^{k-1} with
      q_j = (q - sin^2(h/2)) / (M_j sin(theta_j)) at latitude theta_j therefore serves the band.
      L is the least number with sin^2(h/2) <= q / k: each of the k dimensions gets an equal share
      of q, and for small q the cells are near cubes of side 4 sqrt(q / k), from which the sizes
      above follow: N ~ area(S^k) (sqrt(3 k) / (4 radius))^k.

    Everything holds in real arithmetic; in floats a distance may exceed `radius` by rounding
    (1e-15).  Source: Section 3.2 (the maximal net X_1 of X) and the net arguments of Appendix C.

    >>> slice_net(2, 0.5)
    array([[ 0.8660254,  0.5      ],
           [-0.8660254,  0.5      ]])
    >>> slice_net(3, 0.1).shape
    (28, 3)
    >>> slice_net(5, 1e-3)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: radius must be larger: about 10**9.9 points would be needed for d = 5, ...
    """
    if d > 5:
        raise ValueError(
            f"d must be one of 2, 3, 4, 5 for a net (its size grows like radius**-(d-2)), got {d}"
        )
    q, needed = 1.0, ""
    if radius < SLICE_DIAMETER:  # rounding is forgiven, but for the whole slice
        q = min((radius / SLICE_DIAMETER) ** 2 * (1.0 + 4.0 * _EPS), math.nextafter(1.0, 0.0))
    if q < 1.0 and (exponent := _log10_net_size(d, radius)) > 9.0:
        needed = f"about 10**{exponent:.1f}"
    elif (size := _sphere_net_size(d - 2, q)) > max_points:
        needed = f"{size}"
    if needed:
        raise ValueError(
            f"radius must be larger: {needed} points would be needed for d = {d}, "
            f"radius = {radius!r}, and max_points is {max_points}"
        )
    return _points(_unit_rows(_sphere_net(d - 2, q))[0])
