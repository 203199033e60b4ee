r"""A first layer narrower than the input cannot robustly memorize everything.

After Yu, Gao and Zhang (2024), who prove that for some data no network of width below n memorizes
robustly; Kim, Moon and Yun (2025) show that it is the first hidden layer that must be so wide.  The
proof here is ours, after an argument of the latter.  Whatever follows it, a layer ``x -> W x + b``
cannot tell x from x' if ``W x = W x'``.  This module finds the smallest radius at which two balls
of different labels hold such a pair, the *collision radius* of W, as a linear program, and gives
the pair.  Before changing it, know that all distances are maximum distances, and that the radius is
that of W alone: it does not depend on biases, activations or later layers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

from sublinear_lib._arguments import Count, checked, described
from sublinear_lib._typing import FloatArray, Seed
from sublinear_lib.memorization.datasets import checked_data, simplex_points
from sublinear_lib.validation import count, float_array, generator

__all__ = [
    "Collision",
    "collision",
    "cube_image",
    "null_space_layer",
    "random_collision_radii",
    "simplex_collision_radius",
]


@dataclass(frozen=True)
class Collision:
    """Two points in balls of different labels that a first layer cannot tell apart.

    Fields: `radius`: the smallest budget at which two closed balls of different labels hold a pair
    with ``W x = W x'``: every network whose first layer is W fails at this budget and above; `i`,
    `k`: rows of the samples, ``k > i``; `x`, `x_prime` (n,): points of their balls, at distance
    `radius`; they are equal if W is injective; then the balls themselves meet; `separation`: the
    smallest distance lam of two samples with different labels; ``radius <= lam / 2``; `rank`: the
    numerical rank of W.
    """

    radius: float
    i: int
    k: int
    x: FloatArray
    x_prime: FloatArray
    separation: float
    rank: int

    @property
    def share(self) -> float:
        """The radius over lam: at most 1/2, and at most 1/4 for narrow layers on a simplex."""
        return self.radius / self.separation

    @property
    def injective(self) -> bool:
        """Whether W has full column rank, so that the layer itself loses nothing."""
        return self.rank == self.x.size

    def residual(self, W: FloatArray) -> float:
        """Measure ``max |W x - W x'|``, zero but for rounding for the W that was asked about."""
        weights = float_array(W, "W", shape=("m", self.x.size))
        return float(np.abs(weights @ self.x - weights @ self.x_prime).max())


@described
def collision(W: FloatArray, X: FloatArray, y: FloatArray) -> Collision:
    r"""Find the smallest budget at which a first layer merges two labels.

    The radius and the pair of points.

    Raises TypeError, ValueError: for W or data of the wrong shape or with entries that are not
    finite, for equal points with different labels, and for data with one label only.

    After Yu, Gao and Zhang (2024) and Kim, Moon and Yun (2025); Proposition II.3, ours, is proved
    on the page ``what-cannot-be-done``.  The pair (i, k) collides exactly from ``mu = dist(x_i -
    x_k, Null W) / 2`` on, in the maximum norm, and the radius is the smallest of these numbers.  On
    `simplex_points` it is at most ``lam / 4`` for every W with fewer than n rows, and
    `null_space_layer` reaches that.

    *Below the radius the layer does no harm.*  The images of the balls of two different labels
    under W are then disjoint compact sets.  Some continuous function equals the labels on them,
    and a network on top of W comes as close to it as we like, so that the nearest label is right;
    biases that keep ``W x + b`` positive on the balls make the first activation the identity
    there.  So the collision radius is exactly the threshold of the first layer.

    *How.*  The program ``min t, |d - B c| <= t`` runs over an orthonormal basis B of the null
    space, so ``W x = W x'`` holds to rounding, not to a solver's tolerance.  Pairs are visited in
    the order of the lower bound ``||d - B B' d||_2 / sqrt(n)``, and left out once it exceeds the
    best radius.

    Three points of the plane, seen along one direction:

    >>> X, y = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [1.0, 2.0, 2.0]
    >>> found = collision([[1.0, -2.0]], X, y)
    >>> round(found.radius, 12), (found.i, found.k)
    (0.166666666667, (0, 1))
    >>> found.x.round(12), found.x_prime.round(12)
    (array([ 0.16666667, -0.16666667]), array([0.83333333, 0.16666667]))
    >>> found.residual([[1.0, -2.0]]) < 1e-15
    True
    """
    data = checked_data(X, y)
    points, values = data.X, data.y
    n = points.shape[1]
    weights = float_array(W, "W", shape=("m", n))
    basis = np.asarray(linalg.null_space(weights), dtype=np.float64)
    across = points - (points @ basis) @ basis.T
    first, second = np.nonzero(np.triu(values[:, None] != values[None, :]))
    bounds = cdist(across, across)[first, second] / np.sqrt(n)
    best, chosen = np.inf, (0, 0, np.zeros(n))
    # Equal bounds and equal distances differ by rounding: the first pair of them is taken.  And a
    # rounded bound must not leave out a better pair.
    for place in np.argsort(np.round(bounds / data.lam, 12), kind="stable"):
        if bounds[place] * (1.0 - 1e-9) >= best:
            break
        i, k = int(first[place]), int(second[place])
        gap = _gap(points[i] - points[k], basis)
        reach = float(np.abs(gap).max())
        if reach < best * (1.0 - 1e-12):
            best, chosen = reach, (i, k, gap)
    i, k, gap = chosen
    return Collision(
        radius=best / 2.0,
        i=i,
        k=k,
        x=points[i] - gap / 2.0,
        x_prime=points[k] + gap / 2.0,
        separation=data.lam,
        rank=n - basis.shape[1],
    )


def _gap(d: FloatArray, basis: FloatArray) -> FloatArray:
    """Return d less its nearest point in the span of the basis."""
    n, free = basis.shape
    if free == 0:
        return d
    ones = np.ones((n, 1))
    run = linprog(
        np.append(np.zeros(free), 1.0),
        A_ub=np.block([[-basis, -ones], [basis, -ones]]),
        b_ub=np.append(-d, d),
        bounds=[(None, None)] * free + [(0.0, None)],
        method="highs",
    )
    gap: FloatArray = d - basis @ np.asarray(run.x, dtype=np.float64)[:free]
    return gap


def null_space_layer(n: int) -> FloatArray:
    """Build the narrow layer that comes closest to keeping the simplex apart.

    The differences ``x_j - x_{j+1}``; the null space is the line of ``(1, ..., 1)``, and the
    collision radius on `simplex_points` is exactly ``lam / 4``, the most that n - 1 rows allow
    (Proposition II.3).

    >>> null_space_layer(3)
    array([[ 1., -1.,  0.],
           [ 0.,  1., -1.]])
    """
    n = count(n, "n", minimum=2)
    layer: FloatArray = np.eye(n)[:-1] - np.eye(n, k=1)[:-1]
    return layer


def simplex_collision_radius(z: FloatArray) -> float:
    r"""Give the collision radius on the simplex of a layer whose null space is one line.

    ``beta / (2 (alpha + beta))``, where alpha and beta are the largest and the second largest
    ``|z_j|``; in units of lam, between 0 and 1/4.  The distance of ``e_j`` to the line is ``min_s
    max(|1 - s z_j|, |s| M)`` with M the largest ``|z_i|`` besides ``|z_j|``.  The two terms are
    equal at ``s = sign(z_j) / (M + |z_j|)``, where one grows and the other falls, so the distance
    is ``M / (M + |z_j|)``, smallest for the largest ``|z_j|``.  For a Gaussian matrix of n - 1 rows
    the line is uniform, so this gives the law of the radius; for ``n = 2`` its mean is ``1/4 -
    ln(2) / (2 pi) = 0.1397``.

    >>> simplex_collision_radius([1.0, -1.0, 1.0])
    0.25
    >>> simplex_collision_radius([3.0, 1.0])
    0.125
    """
    sizes = np.sort(np.abs(float_array(z, "z", shape=("n",))))
    if sizes.size < 2:
        raise ValueError(f"z must have at least 2 entries, got {sizes.size}")
    if sizes[-1] == 0.0:
        raise ValueError("z must not be the zero vector: it is the direction of a line")
    ratio = float(sizes[-2] / sizes[-1])
    return ratio / (2.0 * (1.0 + ratio))


@checked
def random_collision_radii(n: int, m: Count, draws: Count, rng: Seed) -> FloatArray:
    """Measure the collision radii of random first layers on the simplex.

    Here `n`: number of features.

    In units of lam, of matrices with independent standard normal entries: at most 1/4 where ``m <
    n``, and 1/2 from ``m = n`` on.

    >>> radii = random_collision_radii(n=3, m=2, draws=50, rng=0)
    >>> bool((radii <= 0.25).all()), round(float(radii.mean()), 2)
    (True, 0.17)
    """
    n, source = count(n, "n", minimum=2), generator(rng)
    X, y = simplex_points(n)
    return np.array([collision(source.normal(size=(m, n)), X, y).share for _ in range(draws)])


def cube_image(W: FloatArray) -> FloatArray:
    """Compute what two neurons see of the cube: the corners of the image of the unit ball.

    The corners of ``{W x : max |x_j| <= 1}`` in counterclockwise order; corners may lie on an edge
    if columns are parallel.  The image is the sum of the segments from ``-w_j`` to ``w_j``, for the
    columns ``w_j``: turned into the upper half-plane and sorted by angle, the columns ``2 w_j`` are
    one half of its edges.

    >>> cube_image([[1.0, 0.0], [0.0, 1.0]]).tolist()
    [[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]]
    """
    columns = float_array(W, "W", shape=(2, "n")).T
    columns = columns[(columns != 0.0).any(axis=1)]
    if not len(columns):
        raise ValueError("W must not be zero: it maps the cube to a point")
    down = (columns[:, 1] < 0.0) | ((columns[:, 1] == 0.0) & (columns[:, 0] < 0.0))
    edges = np.where(down[:, None], -columns, columns)
    edges = edges[np.argsort(np.arctan2(edges[:, 1], edges[:, 0]), kind="stable")]
    # Start at the lowest corner, to the right if it is an edge; it is minus the sum of all.
    first = -edges.sum(axis=0)
    half = first + 2.0 * np.cumsum(edges, axis=0)
    corners: FloatArray = np.concatenate((half, -half))
    return corners
