r"""Networks that memorize with every budget below lambda/2, written down weight by weight.

Four constructions after Yu, Gao and Zhang (2024): `memorize` for the maximum norm (Theorem 4.8),
`memorize_l1` and `memorize_l2` for two other norms (Theorems B.2 and B.3), `memorize_lipschitz`
with a controlled Lipschitz constant (Theorem 5.2).  The paper's statements fix sizes; the wiring
and the proofs here are ours.  All four carry a state through the layers, the shifted input
``u = x + R`` and a running maximum or minimum, and look at one sample after the other.

Before changing anything, know two things.  ReLU is the identity on what is carried only because it
is nonnegative, which is what the scale R is for.  And only the biases and the labels distinguish
the samples, so one matrix serves many layers: 10^4 images fit in memory because of that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, Literal, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from sublinear_lib import validation
from sublinear_lib._arguments import Count, Flag, checked, described
from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.memorization.datasets import CheckedData, checked_data, distances, frozen
from sublinear_lib.memorization.networks import AffineLayer, Matrix, ReLUNetwork

__all__ = [
    "Memorizer",
    "Size",
    "l1_size",
    "l2_size",
    "l2_terms",
    "linf_size",
    "lipschitz_size",
    "memorize",
    "memorize_l1",
    "memorize_l2",
    "memorize_lipschitz",
]

Kind = Literal["linf", "l1", "l2", "lipschitz"]
_Affine: TypeAlias = tuple[Matrix, FloatArray]
_SMALLEST_NORMAL: Final = float(np.finfo(np.float64).smallest_normal)
# Scales between these leave room for every product and sum on the way.
_LEAST_SCALE, _LARGEST_SCALE = 2.0**-500, 2.0**500
# 4^-K has to be a normal number.
_MOST_TERMS: Final = 500


@dataclass(frozen=True)
class Size:
    """The size of a network in the three numbers of Yu, Gao and Zhang (2024).

    Fields: `width`: that of the widest hidden layer; `depth`: the number of affine maps;
    `nonzeros`: the number of weights and biases that are not zero.
    """

    width: int
    depth: int
    nonzeros: int


@dataclass(frozen=True, eq=False)
class Memorizer:
    """A network that memorizes robustly, with what it was built from.

    Fields: `network`: the network F, one output; `X` (N, n), `y` (N,): the points x_i and their
    labels; `mu`: the budget, 0 <= mu < lam/2, absolute units; None for a Lipschitz network that is
    not clipped; `lam`: the separation in the norm p; `p`: the norm of balls and separation; `kind`:
    the construction; `margin`: what distances are divided by: ``lam - 2 mu`` for "linf" and "l1";
    for "lipschitz" ``lam/2 - mu``, or 1 if it is not clipped; for "l2" what the approximation of
    the squares leaves of ``lam (lam - 2 mu)``, in units of ``(2 scale)^2``; `scale`: R, the power
    of two above ``max |x_ij| + lam``; the network computes `reference` wherever ``|x_j| <= R`` for
    all j; `shift`: the bias of the output: 0 if all labels are positive, else a number below the
    labels; `terms`: the number K of sawtooth terms ("l2" only).
    """

    network: ReLUNetwork
    X: FloatArray
    y: FloatArray
    mu: float | None
    lam: float
    p: float
    kind: Kind
    margin: float
    scale: float
    shift: float = 0.0
    terms: int | None = None

    def __repr__(self) -> str:
        """Name the construction, the data and the network."""
        budget = "no budget" if self.mu is None else f"mu={self.mu:.6g}"
        return (
            f"Memorizer({self.kind!r}, N={len(self.X)}, n={self.X.shape[1]}, {budget}, "
            f"lam={self.lam:.6g}, p={self.p}, width={self.network.width}, "
            f"depth={self.network.depth})"
        )

    @property
    def heights(self) -> FloatArray:
        """The heights of the bumps, ``y - shift``, shape (N,)."""
        return self.y - self.shift

    @property
    def lipschitz_bound(self) -> float:
        """A Lipschitz constant of the formula in the norm p, on the box ``|x_j| <= scale``.

        ``n h / c`` for "linf" and ``h / c`` for "l1", with the largest height h and the margin c:
        both are attained beside the highest bump unless another one covers the place.  ``1 /
        margin`` for "lipschitz", attained and, if clipped, the least possible.  For "l2" a bound
        only, ``sqrt(n) h (2 - 2^-K) / (2 R c)``.
        """
        if self.kind == "lipschitz":
            return 1.0 / self.margin
        steepest, n = float(self.heights.max()) / self.margin, self.X.shape[1]
        if self.kind == "l2":
            assert self.terms is not None
            return math.sqrt(n) * steepest * (2 - math.ldexp(1.0, -self.terms)) / (2 * self.scale)
        return n * steepest if self.kind == "linf" else steepest

    @property
    def size(self) -> Size:
        """The size as counted on the network."""
        return Size(self.network.width, self.network.depth, self.network.nonzeros)

    @property
    def size_by_formula(self) -> Size:
        """The size by the closed form.

        `size` is the same, but has fewer nonzeros where a bias vanishes by chance.
        """
        N, n = self.X.shape
        if self.kind == "lipschitz":
            return lipschitz_size(N, n, clipped=self.mu is not None)
        if self.kind == "l2":
            assert self.terms is not None
            size = l2_size(N, n, self.terms)
        else:
            size = linf_size(N, n) if self.kind == "linf" else l1_size(N, n)
        return Size(size.width, size.depth, size.nonzeros + (self.shift != 0))

    def __call__(self, X: object) -> FloatArray:
        """Evaluate the network in float64."""
        return self.network(X)

    def classify(self, X: object, within: float | None = None) -> FloatArray:
        """Return the label that the network gives to points.

        The nearest label; of two the smaller.  A point whose value is farther than `within` from
        every label gets none (NaN): outside all bumps the value is `shift`, which is no label, and
        yet closest to one.
        """
        if within is not None:
            within = validation.scalar(within, "within", minimum=0)
        values = self.network(X)
        if self.kind == "lipschitz":
            # The sign: subtracting a tiny value from the labels would round it away.
            nearest = np.where(values > 0, 1.0, -1.0)
        else:
            labels = np.unique(self.y)
            nearest = np.asarray(labels[np.abs(values[:, None] - labels).argmin(axis=1)])
        if within is not None:
            nearest[~(np.abs(values - nearest) <= within)] = np.nan
        return nearest

    def reference(self, X: object) -> FloatArray:
        """Return what the network should compute, from a formula and not from its weights."""
        points = validation.float_array(X, "X", shape=("M", self.X.shape[1]), allow_empty=True)
        if self.kind == "lipschitz":
            away, near = (distances(points, self.X[self.y == s], self.p) for s in (-1.0, 1.0))
            half = (away.min(axis=1) - near.min(axis=1)) / 2
            return np.asarray(half if self.mu is None else np.clip(half / self.margin, -1.0, 1.0))
        best = np.zeros(len(points))
        for x, height in zip(self.X, self.heights, strict=True):
            excess = self._excess(np.abs(points - x))
            np.maximum(best, height * np.maximum(1.0 - excess / self.margin, 0.0), out=best)
        return best + self.shift

    def _excess(self, distances: FloatArray) -> FloatArray:
        """Return s_i: zero on the ball, at least the margin on balls with another label."""
        assert self.mu is not None
        if self.kind == "linf":
            return np.asarray(np.maximum(distances - self.mu, 0.0).sum(axis=1))
        if self.kind == "l1":
            return np.asarray(np.maximum(distances.sum(axis=1) - self.mu, 0.0))
        assert self.terms is not None
        unit = 2 * self.scale
        inside, _ = _square_levels(self.X.shape[1], self.lam, self.mu, unit, self.terms)
        squares = _interpolated_square(distances / unit, self.terms).sum(axis=1)
        return np.asarray(np.maximum(squares - inside, 0.0))


# Pieces of layers.


class _Rows:
    """Collects the rows of a sparse matrix, block by block."""

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self.entries: list[FloatArray] = []
        self.columns: list[IntArray] = []
        self.lengths: list[int] = []

    def add(self, columns: object, values: object = 1.0) -> _Rows:
        """Add one row per row of `columns`, with these values in these columns."""
        where = np.array(columns, dtype=np.int64, ndmin=2)
        entries = np.empty(where.shape)
        entries[...] = np.asarray(values, dtype=float)
        self.columns.append(where.ravel())
        self.entries.append(entries.ravel())
        self.lengths += [where.shape[1]] * where.shape[0]
        return self

    def zero(self, rows: int = 1) -> _Rows:
        """Add rows of zeros."""
        self.lengths += [0] * rows
        return self

    def build(self) -> Matrix:
        """Return the matrix, frozen, so that layers can share it."""
        matrix = csr_array(
            (
                np.concatenate(self.entries),
                np.concatenate(self.columns).astype(np.int32),
                np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int32),
            ),
            shape=(len(self.lengths), self.inputs),
        )
        matrix.sort_indices()
        for part in (matrix.data, matrix.indices, matrix.indptr):
            part.flags.writeable = False
        return matrix


def _tail(n: int, *values: float) -> FloatArray:
    """Return the bias of a layer that carries u: n zeros, then `values`."""
    return frozen([0.0] * n + list(values))


def _measuring(n: int, inputs: int, slope: float = 1.0) -> _Rows:
    """Return the rows that carry u and measure u from above and from below, 3n in all."""
    coordinates = np.arange(n)[:, None]
    rows = _Rows(inputs)
    return rows.add(coordinates).add(coordinates, slope).add(coordinates, -slope)


def _measuring_biases(
    X: FloatArray, scale: float, mu: float, slope: float, *rest: Sequence[float] | FloatArray
) -> FloatArray:
    """Return the biases of the measuring layers, one row per sample; `rest` are more columns."""
    N, n = X.shape
    centers = X + scale
    centers[0] = X[0]  # the first layer reads x, the others u = x + R
    biases = np.empty((N, 3 * n + len(rest)))
    biases[:, :n] = 0.0
    biases[0, :n] = scale
    np.multiply(-slope, centers + mu, out=biases[:, n : 2 * n])
    np.multiply(slope, centers - mu, out=biases[:, 2 * n : 3 * n])
    for place, column in enumerate(rest):
        biases[:, 3 * n + place] = column
    biases.flags.writeable = False
    return biases


def _scale(data: CheckedData) -> float:
    """Return the power of two above ``max |x_ij| + lam``."""
    reach = float(np.abs(data.X).max()) + data.lam
    if not _LEAST_SCALE <= reach < _LARGEST_SCALE:
        raise ValueError(
            "X must be scaled so that max |x_ij| + lambda lies between 2**-500 and 2**500, "
            f"got {reach}"
        )
    return math.ldexp(1.0, math.frexp(reach)[1])


def _shift(y: FloatArray) -> float:
    """Return 0 if all labels are positive, else a number below them all.

    It lies below the smallest label by a power of two, at most the spread and more than a half of
    it, so that the heights scale with the labels, and those of small integers are not rounded.
    """
    least, spread = float(y.min()), float(y.max()) - float(y.min())
    if least > 0:
        return 0.0
    if not math.isfinite(spread):
        raise ValueError(f"y must hold labels whose differences are finite, got a spread {spread}")
    return least - math.ldexp(1.0, math.frexp(spread)[1] - 1)


def _heights(data: CheckedData, shift: float, margin: float) -> list[float]:
    """Return the heights of the bumps; over the margin they are the large weights of a network."""
    heights = data.y - shift
    with np.errstate(over="ignore", under="ignore"):
        slopes = heights / margin
    if not (np.isfinite(slopes).all() and (slopes >= _SMALLEST_NORMAL).all()):
        raise ValueError(
            "mu must leave weights that float64 can hold: the labels divided by the margin "
            f"{margin} range from {slopes.min()} to {slopes.max()} (lambda = {data.lam}, "
            f"mu = {data.mu})"
        )
    return heights.tolist()  # type: ignore[no-any-return]


def _bump(kept: int, pieces: Sequence[int], acc: int, height: float, margin: float) -> _Affine:
    """Return the layer that carries u and ``acc`` and makes r of the pieces of s; it is shared."""
    rows = _Rows(max(acc, *pieces) + 1)
    if kept:
        rows.add(np.arange(kept)[:, None])
    rows.add([acc]).add([*pieces, acc], [-(height / margin)] * len(pieces) + [-1.0])
    return rows.build(), _tail(kept, 0.0, height)


# Theorem 4.8: the maximum norm.


@described
def memorize(X: object, y: object, mu: object) -> Memorizer:
    r"""Build the network of Theorem 4.8: any budget mu < lambda/2 in the maximum norm.

    Here `mu`: the budget, 0 <= mu < lambda/2, absolute units.

    A network of width 3n + 1 and depth 2N + 1 with N (8n + 5) nonzero parameters, one more if a
    label is not positive (the bias of the output), fewer if a bias vanishes by chance.

    Raises TypeError, ValueError: as `checked_data` (it names lambda and the largest budget);
    `ValueError` also if a parameter would leave the range of float64.

    Source: after Yu, Gao and Zhang (2024), Theorem 4.8; the wiring is ours and has their width,
    depth and order of parameters.  With ``c = lambda - 2 mu``, ``s_i(x) = sum_j relu(|x_j - x_ij|
    - mu)`` and heights ``h_i = y_i - shift > 0`` the network computes ::

        F(x) = shift + max_i h_i relu(1 - s_i(x) / c).

    *Why it is right.*  On the ball of x_k the own term s_k vanishes, and a sample of another label
    has ``s_i >= c``; the proof is on the page ``the-network-that-memorizes``.

    *Wiring.*  The state is ``u = x + R`` and ``acc``, the maximum so far.  Sample i has a layer A:
    ``u_j``, ``relu(u_j - (x_ij + R) - mu)``, ``relu((x_ij + R) - u_j - mu)``, ``acc`` (3n + 1
    neurons); and a layer B: ``u_j``, ``acc``, ``r = relu(h_i - (h_i/c) s_i - acc)`` (n + 2), where
    ``acc + r = max(acc, h_i relu(1 - s_i/c))`` since ``acc >= 0``.  The output adds ``acc + r``.
    *Count.*  First A 6n, other A 5n + 2, B 3n + 3, the last B 2n + 3 (it carries no u), output 2:
    ``6n + (N-1)(8n+5) + (2n+3) + 2 = N (8n+5)``.

    Building is O(Nn), after the separation has been found.

    >>> memorizer = memorize([[0.0, 0.0], [1.0, 0.25]], [1, 2], 0.375)
    >>> memorizer.size, memorizer.network.largest_weight
    (Size(width=7, depth=5, nonzeros=42), 8.0)
    >>> memorizer([[0.375, -0.375], [0.625, 0.5]])
    array([1., 2.])
    """
    data = checked_data(X, y, mu)
    N, n = data.X.shape
    scale, shift = _scale(data), _shift(data.y)
    margin = data.lam - 2 * data.mu
    heights = _heights(data, shift, margin)

    biases = _measuring_biases(data.X, scale, data.mu, 1.0, np.zeros(N))
    first = _measuring(n, n).zero().build()
    other = _measuring(n, n + 2).add([n, n + 1]).build()
    bump = cache(_bump)
    layers = []
    for i, height in enumerate(heights):
        layers.append(AffineLayer(other if i else first, biases[i]))
        kept = n if i < N - 1 else 0
        layers.append(AffineLayer(*bump(kept, range(n, 3 * n), 3 * n, height, margin)))
    layers.append(AffineLayer(_Rows(2).add([0, 1]).build(), [shift]))
    return _memorizer("linf", data, layers, margin, scale, shift)


def _memorizer(
    kind: Kind,
    data: CheckedData,
    layers: list[AffineLayer],
    margin: float,
    scale: float,
    shift: float = 0.0,
    terms: int | None = None,
) -> Memorizer:
    return Memorizer(
        network=ReLUNetwork(layers),
        X=data.X,
        y=data.y,
        mu=data.mu,
        lam=data.lam,
        p=data.p,
        kind=kind,
        margin=margin,
        scale=scale,
        shift=shift,
        terms=terms,
    )


@checked
def linf_size(N: Count, n: Count) -> Size:
    """Return the size of the network of Theorem 4.8.

    Width 3n + 1, depth 2N + 1, N (8n + 5) nonzeros.  Exact for positive labels, if no bias vanishes
    (one does where ``x_1j`` is mu or -mu; the later layers see positive numbers).  Source: after
    Yu, Gao and Zhang (2024), Theorem 4.8; the exact number of nonzeros is ours.

    >>> linf_size(10_000, 784)
    Size(width=2353, depth=20001, nonzeros=62770000)
    """
    return Size(3 * n + 1, 2 * N + 1, N * (8 * n + 5))


# Theorem B.2: the sum norm.


@described
def memorize_l1(X: object, y: object, mu: object) -> Memorizer:
    r"""Build a network that memorizes with any budget mu < lambda/2 in the norm p = 1.

    Here `mu`: the budget, 0 <= mu < lambda/2, absolute units of the norm p = 1.

    A network of width 3n + 2 and depth 2N + 2 with N (8n + 7) + 2 nonzero parameters.

    Raises TypeError, ValueError: as `memorize`.

    Source: after Yu, Gao and Zhang (2024), Theorem B.2; construction and proof are ours.  With
    ``c = lambda - 2 mu`` and heights ``h_i = y_i - shift`` the network computes ::

        F(x) = shift + max_i h_i relu(1 - relu(||x - x_i||_1 - mu) / c).

    *Wiring.*  Layer A measures ``||x - x_i||_1`` in 2n pieces, layer B forms ``t_i = relu(||x -
    x_i||_1 - mu)``, and ``r_i = relu(h_i - (h_i/c) t_i - acc)`` waits for the A of the next sample,
    hence one neuron and one layer more than in the maximum norm.  *Count.*  First A 6n, other A
    5n + 4, B 3n + 3 (the last 2n + 3), 4 for the last r, output 2; N less if mu = 0, one more
    if a label is not positive.

    >>> memorizer = memorize_l1([[0.25, 0.5], [1.0, 0.25]], [1, 2], 0.375)
    >>> memorizer.size
    Size(width=8, depth=6, nonzeros=48)
    >>> memorizer([[0.5, 0.375], [1.0, 0.625]])
    array([1., 2.])
    """
    data = checked_data(X, y, mu, 1)
    N, n = data.X.shape
    scale, shift = _scale(data), _shift(data.y)
    margin = data.lam - 2 * data.mu
    heights = _heights(data, shift, margin)

    waiting = [0.0, *heights[:-1]]
    biases = _measuring_biases(data.X, scale, 0.0, 1.0, np.zeros(N), waiting)
    first = _measuring(n, n).zero(2).build()
    pieces = np.arange(n, 3 * n)
    summing = _Rows(3 * n + 2).add(np.arange(n)[:, None]).add([3 * n, 3 * n + 1]).add(pieces)
    adding = AffineLayer(summing.build(), _tail(n, 0.0, -data.mu))
    last = _Rows(3 * n + 2).add([3 * n, 3 * n + 1]).add(pieces)

    @cache
    def measuring(height: float) -> Matrix:
        rows = _measuring(n, n + 2).add([n])
        return rows.add([n + 1, n], [-(height / margin), -1.0]).build()

    layers = []
    for i in range(N):
        layers.append(AffineLayer(measuring(heights[i - 1]) if i else first, biases[i]))
        layers.append(adding)
    layers[-1] = AffineLayer(last.build(), [0.0, -data.mu])
    layers.append(AffineLayer(*_bump(0, [1], 0, heights[-1], margin)))
    layers.append(AffineLayer(_Rows(2).add([0, 1]).build(), [shift]))
    return _memorizer("l1", data, layers, margin, scale, shift)


@checked
def l1_size(N: Count, n: Count) -> Size:
    """Return the size of the network of `memorize_l1`.

    Width 3n + 2, depth 2N + 2, N (8n + 7) + 2 nonzeros.  Exact for mu > 0 and positive labels, if
    no bias vanishes; Theorem B.2 of Yu, Gao and Zhang (2024) gives the order O(Nn).

    >>> l1_size(60, 8)
    Size(width=26, depth=122, nonzeros=4262)
    """
    return Size(3 * n + 2, 2 * N + 2, N * (8 * n + 7) + 2)


# Theorem B.3: the Euclidean norm.


def _interpolated_square(t: FloatArray, terms: int) -> FloatArray:
    """Return the piecewise linear function through ``(k 2^-K, (k 2^-K)^2)``, K = `terms`.

    A teacher's form of ``t - sum_k g_k(t) / 4^k``: the chord from a to b = a + 2^-K has the value
    ``a b`` less than ``(a + b) t``.
    """
    step = math.ldexp(1.0, -terms)
    left = np.floor(t / step) * step
    return np.asarray((2 * left + step) * t - left * (left + step))


def _square_levels(n: int, lam: float, mu: float, unit: float, terms: int) -> tuple[float, float]:
    """Return the level inside a ball and how far above it other balls lie, in units of unit^2."""
    error = math.ldexp(n, -2 * (terms + 1))
    return (mu / unit) ** 2 + error, (lam / unit) * ((lam - 2 * mu) / unit) - error


@checked
def l2_terms(n: Count, lam: float, mu: float, scale: float) -> int:
    r"""Return the number K of sawtooth terms that `memorize_l2` takes by itself.

    Here `lam`: the separation in the norm p = 2, positive; `mu`: the budget, 0 <= mu < lam/2;
    `scale`: R, a bound of all coordinates on all balls, positive.

    The least ``K >= 1`` for which the error ``n 4^-(K+1)`` of n squares is at most half of what
    separates balls, ``lam (lam - 2 mu) / (2R)^2``.  Source: after Yu, Gao and Zhang (2024), Theorem
    B.3, whose depth holds ``log(n / gamma^p)`` with ``gamma = lambda/2 - mu``: ``K`` is about
    ``log_4(n R^2 / (lambda gamma))``.

    >>> [l2_terms(8, 1.0, mu, 2.0) for mu in (0.0, 0.25, 0.45, 0.4995)]
    [3, 4, 5, 8]
    """
    lam = validation.scalar(lam, "lam", exclusive_minimum=0)
    mu = validation.scalar(mu, "mu", minimum=0, exclusive_maximum=lam / 2)
    scale = validation.scalar(scale, "scale", exclusive_minimum=0)
    gap = (lam / (2 * scale)) * ((lam - 2 * mu) / (2 * scale))
    for terms in range(1, _MOST_TERMS + 1):
        if math.ldexp(n, -2 * (terms + 1)) <= gap / 2:
            return terms
    raise ValueError(
        f"mu must leave a gap that {_MOST_TERMS} terms can resolve, got mu = {mu} "
        f"with lam = {lam} and scale = {scale}"
    )


@described
def memorize_l2(X: object, y: object, mu: object) -> Memorizer:
    r"""Build a network that memorizes with any budget mu < lambda/2 in the Euclidean norm.

    Here `mu`: the budget, 0 <= mu < lambda/2, absolute units of the norm p = 2.

    A network of width 3n + 2 and depth N (K + 3) + 1, with K of `l2_terms`; see `l2_size` for its
    nonzeros.

    Raises TypeError, ValueError: as `memorize`; `ValueError` also if no K of at most 500 suffices.

    Source: after Yu, Gao and Zhang (2024), Theorem B.3, here for p = 2; construction and proof are
    ours.  A square is not piecewise linear.  On [0, 1] ::

        q_K(t) = t - sum_{k=1}^{K} g_k(t) / 4^k,    0 <= q_K(t) - t^2 <= 4^-(K+1),

    where ``g_k`` is the k-fold sawtooth (Telgarsky, 2016; Yarotsky, 2017); q_K interpolates the
    square at the multiples of ``2^-K``.  With ``S = 2R``, ``Q_i(x) = sum_j q_K(|x_j - x_ij| / S)``,
    ``e = n 4^-(K+1)``, ``a = mu^2/S^2 + e`` and ``c = lambda (lambda - 2 mu)/S^2 - e``, ::

        F(x) = shift + max_i h_i relu(1 - relu(Q_i(x) - a) / c).

    *Wiring.*  A sample has a layer A that measures ``t_j``, K layers that apply the tooth ``g ->
    2 relu(g) - 4 relu(g - 1/2)`` and keep the running sum, one for ``relu(Q_i - a)`` and one for
    ``r_i``.

    >>> memorizer = memorize_l2([[0.25, 0.5], [1.0, 0.25]], [1, 2], 0.25)
    >>> memorizer.size, memorizer.terms
    (Size(width=8, depth=15, nonzeros=194), 4)
    >>> memorizer([[0.3, 0.3], [0.85, 0.35]]).round(12)
    array([1., 2.])
    """
    data = checked_data(X, y, mu, 2)
    N, n = data.X.shape
    scale, shift = _scale(data), _shift(data.y)
    unit = 2 * scale
    terms = l2_terms(n, data.lam, data.mu, scale)
    inside, margin = _square_levels(n, data.lam, data.mu, unit, terms)
    heights = _heights(data, shift, margin)

    biases = _measuring_biases(data.X, scale, 0.0, 1.0 / unit, np.zeros(N))
    first = _measuring(n, n, 1.0 / unit).zero().build()
    other = _measuring(n, n + 2, 1.0 / unit).add([n, n + 1]).build()
    teeth = _teeth(n, terms)
    half = frozen([0.0] * (2 * n) + [-0.5] * n + [0.0, 0.0])
    bump, finish = cache(_bump), cache(_last_tooth)
    layers = []
    for i, height in enumerate(heights):
        kept = n if i < N - 1 else 0
        layers.append(AffineLayer(other if i else first, biases[i]))
        layers += [AffineLayer(tooth, half) for tooth in teeth]
        layers.append(AffineLayer(finish(n, terms, kept > 0), _tail(kept, 0.0, -inside)))
        layers.append(AffineLayer(*bump(kept, (kept + 1,), kept, height, margin)))
    layers.append(AffineLayer(_Rows(2).add([0, 1]).build(), [shift]))
    return _memorizer("l2", data, layers, margin, scale, shift, terms)


def _teeth(n: int, terms: int) -> list[Matrix]:
    """Return the matrices that make g_0 = t, g_1, ..., g_{K-1} and add up ``t - sum g_k / 4^k``.

    Neurons: u (n), relu(g) (n), relu(g - 1/2) (n), acc, the sum.
    """
    carried, a, b = np.arange(n)[:, None], n + np.arange(n), 2 * n + np.arange(n)
    pair = np.column_stack([a, b])
    start = _Rows(3 * n + 1).add(carried).add(pair).add(pair).add([3 * n]).add([*a, *b])
    matrices = [start.build()]
    for k in range(1, terms):
        rows = _Rows(3 * n + 2).add(carried).add(pair, [2.0, -4.0]).add(pair, [2.0, -4.0])
        rows.add([3 * n]).add([*a, *b, 3 * n + 1], _sum_row(n, k))
        matrices.append(rows.build())
    return matrices


def _sum_row(n: int, k: int) -> list[float]:
    """Return the coefficients that subtract ``g_k / 4^k`` from the sum."""
    quarter = math.ldexp(1.0, -2 * k)
    return [-2.0 * quarter] * n + [4.0 * quarter] * n + [1.0]


def _last_tooth(n: int, terms: int, carry: bool) -> Matrix:
    """Return the matrix that finishes the sum: neurons u (if it is carried), acc, the sum."""
    rows = _Rows(3 * n + 2)
    if carry:
        rows.add(np.arange(n)[:, None])
    rows.add([3 * n])
    return rows.add([*range(n, 3 * n), 3 * n + 1], _sum_row(n, terms)).build()


@checked
def l2_size(N: Count, n: Count, terms: Count) -> Size:
    """Return the size of the network of `memorize_l2`.

    Width 3n + 2, depth N (K + 3) + 1, ``N (K (8n + 2) + 9n + 8) - n`` nonzeros with K `terms`.
    Exact for positive labels, if no bias vanishes; Theorem B.3 of Yu, Gao and Zhang (2024) gives
    orders.

    >>> l2_size(60, 8, 6)
    Size(width=26, depth=541, nonzeros=28552)
    """
    return Size(3 * n + 2, N * (terms + 3) + 1, N * (terms * (8 * n + 2) + 9 * n + 8) - n)


# Theorem 5.2: two labels, Lipschitz constant under control.


@described
def memorize_lipschitz(X: object, s: object, mu: object | None = None) -> Memorizer:
    r"""Build the network of Theorem 5.2: two labels, and the smallest possible Lipschitz constant.

    Here `s` (N,): their labels, -1 or +1, both present; `mu`: A budget, 0 <= mu < lambda/2 in the
    maximum norm.  If given, the output is clipped and has the value s_i on the ball of x_i.
    Without it the *sign* is right for every such budget.

    A network of width 3n + 3 and depth ``N (L + 1) + 2``, one more if it is clipped, where ``L =
    max(1, ceil(log2 n))``; see `lipschitz_size` for its nonzeros.  Labels are in `y`.

    Raises TypeError, ValueError: as `memorize`; `ValueError` also for a label that is not -1 or +1.

    Source: after Yu, Gao and Zhang (2024), Theorem 5.2, which controls the Lipschitz constant at
    the price of a factor log n in depth; construction, constant and proof are ours.  With the
    distances to the points of either label in the maximum norm, ::

        f(x) = (dist(x, S-) - dist(x, S+)) / 2,    F(x) = clip(f(x) / (lambda/2 - mu), -1, 1).

    F has the constant ``1/(lambda/2 - mu)``, the least possible (Proposition II.2).

    *Wiring.*  Carried are u, ``D+`` and ``D-``, the distances so far.  A layer measures
    ``|u_j - x_ij - R|``; L layers take the maximum over j by a binary tree, ``max(a, b) = a +
    relu(b - a)``; then ``e = relu(D - m)`` and ``D <- D - e = min(D, m)`` for the label of
    sample i.  The distances begin with 4R, which is more than any within ``|x_j| <= R``.

    >>> memorizer = memorize_lipschitz([[0.25, 0.5], [1.0, 0.25]], [1, -1], 0.25)
    >>> memorizer.size
    Size(width=9, depth=7, nonzeros=66)
    >>> memorizer([[0.25, 0.5], [0.625, 0.5], [0.75, 0.5]])
    array([ 1.,  0., -1.])
    """
    data = checked_data(X, s, 0.0 if mu is None else mu, label_name="s")
    odd = np.abs(data.y) != 1.0
    if odd.any():
        row = int(np.argmax(odd))
        raise ValueError(f"s must hold -1 and +1 only, got {data.y[row]} at index {row}")
    N, n = data.X.shape
    scale = _scale(data)
    margin = 1.0 if mu is None else data.lam / 2 - data.mu
    if margin < _SMALLEST_NORMAL:
        raise ValueError(
            f"mu must leave a margin lambda/2 - mu whose inverse float64 can hold, got {data.mu} "
            f"for lambda = {data.lam}"
        )

    far = np.zeros(N)
    far[0] = 4 * scale
    biases = _measuring_biases(data.X, scale, 0.0, 1.0, far, far, np.zeros(N))
    first = _measuring(n, n).zero(3).build()
    trees: dict[float | None, list[Matrix]] = {None: _tree(n, None)}
    for sign in (1.0, -1.0):
        trees[sign] = [_tree(n, sign)[0], *trees[None][1:]]  # the signs share all but the first
    size, top = trees[None][-1].shape[0], [n + 2, n + 3][: 2 if n > 1 else 1]

    def updating(sign: float) -> tuple[list[int], list[float]]:
        return [n if sign > 0 else n + 1, *top], [1.0] + [-1.0] * len(top)

    other = {
        sign: _measuring(n, size).add([n]).add([n + 1]).add(*updating(sign)).build()
        for sign in (1.0, -1.0)
    }
    signs = data.y.tolist()
    zeros = {rows: frozen(np.zeros(rows)) for rows in {tree.shape[0] for tree in trees[None]}}
    layers = []
    for i in range(N):
        layers.append(AffineLayer(other[signs[i - 1]] if i else first, biases[i]))
        for tree in trees[signs[i - 1] if i else None]:
            layers.append(AffineLayer(tree, zeros[tree.shape[0]]))
    closing = _Rows(size).add([n]).add([n + 1]).add(*updating(signs[-1])).build()
    layers.append(AffineLayer(closing, np.zeros(3)))
    half = np.array([-0.5, 0.5, 0.5 * signs[-1]])
    if mu is None:
        layers.append(AffineLayer(_Rows(3).add([0, 1, 2], half).build(), [0.0]))
    else:
        both = _Rows(3).add([0, 1, 2], half / margin).add([0, 1, 2], half / margin)
        layers.append(AffineLayer(both.build(), [1.0, -1.0]))
        layers.append(AffineLayer(_Rows(2).add([0, 1], [1.0, -1.0]).build(), [-1.0]))
    found = _memorizer("lipschitz", data, layers, margin, scale)
    return replace(found, mu=None) if mu is None else found


def _tree(n: int, sign: float | None) -> list[Matrix]:
    """Return the layers that take the maximum of n sums of two pieces.

    The first also brings ``D <- D - e`` of the previous sample, whose label is `sign`, to its end.
    Neurons: u (n), D+, D-, then two for each maximum (a and relu(b - a)), one for a lonely value.
    """
    values = [[n + j, 2 * n + j] for j in range(n)]
    matrices: list[Matrix] = []
    inputs, distances = 3 * n + 3, 3 * n
    while not matrices or len(values) > 1:
        rows = _Rows(inputs).add(np.arange(n)[:, None])
        for place, each in enumerate((1.0, -1.0)):
            pending = not matrices and sign == each
            if pending:
                rows.add([distances + place, distances + 2], [1.0, -1.0])
            else:
                rows.add([distances + place])
        larger = []
        for a, b in zip(values[::2], values[1::2], strict=False):
            here = len(rows.lengths)
            rows.add(a).add([*b, *a], [1.0] * len(b) + [-1.0] * len(a))
            larger.append([here, here + 1])
        if len(values) % 2:
            larger.append([len(rows.lengths)])
            rows.add(values[-1])
        values, inputs, distances = larger, len(rows.lengths), n
        matrices.append(rows.build())
    return matrices


@checked
def lipschitz_size(N: Count, n: Count, *, clipped: Flag = False) -> Size:
    """Return the size of the network of `memorize_lipschitz`.

    Width 3n + 3, depth ``N (L + 1) + 2`` (one more if clipped) with ``L = max(1, ceil(log2 n))``,
    and O(N n log n) nonzeros, counted exactly if no bias vanishes (Yu, Gao and Zhang, 2024, Theorem
    5.2, give the order).  A level of the tree that reads m values of two pieces has ``n + 2``
    nonzeros for what it carries, 6 for each pair and 2 for a lonely value; a lonely value of the
    level before has one piece, not two.

    >>> lipschitz_size(300, 64)
    Size(width=195, depth=2102, nonzeros=330068)
    """
    levels, nonzeros, pieces, values = 0, 0, 2, n
    # `pieces` are those of the last value; all others have two.
    while not levels or values > 1:
        pairs, lonely = divmod(values, 2)
        nonzeros += n + 2 + 6 * pairs
        if lonely:
            nonzeros += pieces
            pieces = 1
        else:
            nonzeros -= 2 - pieces
            pieces = 2
        levels, values = levels + 1, pairs + lonely
    total = (6 * n + 2) + (N - 1) * (5 * n + 3 + pieces) + N * nonzeros + (N - 1)
    total += 3 + pieces + (11 if clipped else 3)
    return Size(3 * n + 3, N * (levels + 1) + 2 + clipped, total)
