"""Sums over half-spaces without touching what lies inside: the network at any activity.

Reporting the neurons that fire (Section 5.1) costs at least their number ``k``, and so does every
sum over the report: the ``k d`` of Equation (2) and of its gradient.  But

    f(x) = sum over active r of a_r (<w_r, x> + b_r - s) = <G, x> + B - s A,
    G = sum a_r w_r,   B = sum a_r b_r,   A = sum a_r      (over the active r; G is the gradient)

needs only three sums over a half-space, and a tree that stores them for every node adds up whole
subtrees at once.  A node whose box lies inside the half-space contributes its stored sums, one that
lies outside nothing, and only the points of leaves that the hyperplane crosses are looked at:
``O(m**(1 - 1/D))`` of them for points that fill ``D`` dimensions evenly, whatever the activity.
That is sublinear even where half of all neurons fire, in few dimensions.

The active *set* is exactly that of real arithmetic, as for every structure of this package: boxes
and scores go through the float32 filter (:mod:`sublinear_lib.halfspace.engine`), and pairs in
doubt are settled exactly.  The *sums* are float64.  Before changing the order in which something is
added up, know what the bound counts:

Error bound
-----------
Let ``u = 2**-53`` and let a query add up ``n`` pieces (nodes, crossed leaves and single points that
were settled).  A term ``a_r p_rk`` is rounded once as a product.  Within a node it then passes
through at most ``ceil(log2(lanes)) + 5 height`` additions, because nodes are summed by halves, and
within a crossed leaf through at most ``lanes``, in any order; call the larger of the two ``D``.
After that come at most ``n + 1`` additions of pieces, and so

    |computed - exact| <= gamma_k sum over active r of |a_r p_rk| + underflow,   k = D + n + 4,

with ``gamma_k = k u / (1 - k u)`` (Higham, *Accuracy and Stability of Numerical Algorithms*,
Section 4.2).  The sum of absolute values is computed in the same way, from node sums of its own,
hence it is known up to a factor ``1 + gamma_k``; the factor 1.01 in the code pays for that.
Every operation may lose another ``2**-1022`` where numbers are subnormal, also on a processor that
flushes them to zero.  No sum can overflow: the sums of the absolute values over *all* points are
kept below ``2**1000``.  Sums of integers are exact as long as the sums of the absolute values stay
below ``2**53``.

**For the facade** sums come from a tree of sums where that pays, and from a report elsewhere.  The
sums of Equation (2) and of its gradient (:mod:`sublinear_lib.halfspace.aggregates`) need a tree of
their own, which holds the sums of one set of weights.  `Aggregator` keeps the last one: queries
with the same weights use it, moves of points are handed on to it before the next query, and other
weights, insertions and removals make it anew.  In many dimensions nearly every leaf is crossed and
a tree saves nothing; there the points are reported and added up.  Know before changing the order of
things: queries may come from several threads at once, so a tree is brought up to date under the
lock and only read outside of it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from sublinear_lib import validation
from sublinear_lib._typing import BoolArray, FloatArray, IntArray
from sublinear_lib.activations import get_activation
from sublinear_lib.halfspace.alive import TOLERANCE
from sublinear_lib.halfspace.engine import Engine, settle
from sublinear_lib.halfspace.kernels import FANOUT, LANES, KernelSet, NodeSums, Summed, choose
from sublinear_lib.halfspace.protocol import (
    HalfSpaces,
    PointStore,
    read_domain,
    read_half_spaces,
    read_points,
    refuse_too_many,
)
from sublinear_lib.halfspace.tree import BoxTree, distinct

__all__ = [
    "AggregateStats",
    "AggregateTree",
    "Aggregator",
    "HalfspaceAggregates",
    "NetworkAggregates",
]

_UNIT_ROUNDOFF = 2.0**-53
_SMALLEST_NORMAL = 2.0**-1022
_LARGEST_SUM = 2.0**1000


@dataclass(frozen=True)
class HalfspaceAggregates:
    """Sums over the points in each of a batch of half-spaces.

    Attributes
    ----------
    counts : ndarray of int64, shape (q,)
        How many points lie in each half-space; exact.
    weight_sums : ndarray of float64, shape (q,)
        Sums of their weights ``a_r``.
    bias_sums : ndarray of float64, shape (q,)
        Sums of ``a_r b_r``; zero without biases.
    point_sums : ndarray of float64, shape (q, d)
        Sums of ``a_r p_r``.
    weight_errors : ndarray of float64, shape (q,), or None
        Rigorous bounds of the errors of `weight_sums`, if they were asked for.
    bias_errors : ndarray of float64, shape (q,), or None
        The same for `bias_sums`.
    point_errors : ndarray of float64, shape (q, d), or None
        The same for `point_sums`, coordinate by coordinate.
    """

    counts: IntArray
    weight_sums: FloatArray
    bias_sums: FloatArray
    point_sums: FloatArray
    weight_errors: FloatArray | None = None
    bias_errors: FloatArray | None = None
    point_errors: FloatArray | None = None


@dataclass(frozen=True)
class NetworkAggregates:
    """Value and input gradient of a network at each of a batch of points.

    Attributes
    ----------
    counts : ndarray of int64, shape (n,)
        How many neurons fire; exact.
    value : ndarray of float64, shape (n,)
        ``f(x_i)``.
    gradient : ndarray of float64, shape (n, d)
        The formal gradient in x, the sum of ``a_r w_r`` over the neurons that fire.
    value_errors : ndarray of float64, shape (n,), or None
        Rigorous bounds of the errors of the value, if they were asked for.
    gradient_errors : ndarray of float64, shape (n, d), or None
        The same for the gradient, coordinate by coordinate.
    """

    counts: IntArray
    value: FloatArray
    gradient: FloatArray
    value_errors: FloatArray | None = None
    gradient_errors: FloatArray | None = None


@dataclass(frozen=True)
class AggregateStats:
    """Sizes of an `AggregateTree`, and the work done so far.

    Attributes
    ----------
    memory : int
        Bytes held.
    rows_touched : int
        Points that were scored by all queries so far: those of the crossed leaves.
    rows_summed_untouched : int
        Points that were added up as part of a node, unseen.
    """

    memory: int
    rows_touched: int
    rows_summed_untouched: int


def _columns(store: PointStore, weights: FloatArray, rows: IntArray) -> FloatArray:
    """Return ``a``, ``a p_1``, ..., ``a p_d`` and, with biases, ``a b`` of some rows, (k, C)."""
    factor = weights[rows]
    columns = np.empty((len(rows), 1 + store.dimension))
    columns[:, 0] = factor
    with np.errstate(under="ignore"):
        np.multiply(store.points[rows], factor[:, None], out=columns[:, 1 : store.d + 1])
        if store.bias is not None:
            np.multiply(store.bias[rows], factor, out=columns[:, -1])
    return columns


def _halved(values: FloatArray) -> FloatArray:
    """Sum over the last axis by halves.

    Every term passes through ``ceil(log2(k))`` additions and no more, which is what the error bound
    counts; `numpy.sum` promises no order.
    """
    while values.shape[-1] > 1:
        middle = -(-values.shape[-1] // 2)
        left = values[..., :middle].copy()
        left[..., : values.shape[-1] - middle] += values[..., middle:]
        values = left
    return values[..., 0]


class _SummingTree(BoxTree):
    """A tree of boxes that also holds sums of columns for every node."""

    def __init__(
        self,
        store: PointStore,
        weights: FloatArray,
        kernels: KernelSet,
        leaf_size: int,
        domain: str | None,
    ) -> None:
        self.weights = weights
        """The weights of all rows; to be changed before the tree is told of a change."""
        super().__init__(store, kernels, leaf_size, domain)

    @property
    def memory(self) -> int:
        """Bytes held besides the point store and the weights."""
        return super().memory + sum(array.nbytes for array in self._sums)

    @property
    def total_magnitudes(self) -> FloatArray:
        """Sums of the absolute values of the columns over all points, shape (C,)."""
        return _halved(self._sums.magnitudes[self._tree.first[-2]].T)

    def _make_room(self, capacity: int) -> None:
        super()._make_room(capacity)
        groups, columns = len(self._tree.center), self._store.dimension + 1
        self._sums = NodeSums(
            values=np.zeros((capacity, columns, LANES)),
            sums=np.zeros((groups, FANOUT, columns)),
            magnitudes=np.zeros((groups, FANOUT, columns)),
        )

    def _refit(self, blocks: IntArray) -> FloatArray:
        """Bound blocks and their ancestors anew, and sum them anew."""
        self._sum_blocks(blocks)
        return super()._refit(blocks)

    def _sum_blocks(self, blocks: IntArray) -> None:
        tree, sums = self._tree, self._sums
        rows = tree.rows[blocks]
        block, lane = np.nonzero(rows >= 0)
        values = np.zeros((len(blocks), sums.values.shape[1], rows.shape[1]))
        held = rows[block, lane].astype(np.int64)
        values[block, :, lane] = _columns(self._store, self.weights, held)
        sums.values[blocks] = values
        with np.errstate(under="ignore"):
            found, sizes = _halved(values), _halved(np.abs(values))
            items = blocks
            for level in range(len(tree.first) - 1):
                place = (tree.first[level] + items // FANOUT, items % FANOUT)
                sums.sums[place], sums.magnitudes[place] = found, sizes
                items = distinct(items // FANOUT)
                groups = tree.first[level] + items
                found = _halved(sums.sums[groups].transpose(0, 2, 1))
                sizes = _halved(sums.magnitudes[groups].transpose(0, 2, 1))

    def aggregate(self, asked: HalfSpaces, bounds: bool) -> tuple[Summed, FloatArray]:
        """Sum the columns over each half-space; return also bounds of the errors, shape (q, C)."""
        batch = self._prepared(asked.normals, asked.offsets)
        with np.errstate(under="ignore"):
            found = self._kernels.sum_up(self._tree, self._sums, batch, bounds=bounds)
            queries, rows = found.doubtful_queries, found.doubtful_rows
            self._count(found.work, len(rows))
            if len(rows):  # those that are inside are pieces of their own
                inside = settle(self._store, *asked, queries, rows)
                queries = queries[inside].astype(np.int64)
                values = _columns(self._store, self.weights, rows[inside].astype(np.int64))
                number = np.bincount(queries, minlength=len(asked.offsets))
                found.counts[:] += number
                found.pieces[:] += number
                np.add.at(found.sums, queries, values)
                if bounds:
                    np.add.at(found.magnitudes, queries, np.abs(values))
            # The bound of the module's docstring.
            halvings = (LANES - 1).bit_length() + (FANOUT - 1).bit_length() * self.height
            depth = max(halvings, LANES)
            roundings = 1.01 * (depth + found.pieces + 4) * _UNIT_ROUNDOFF
            underflows = 4.0 * (found.counts + found.pieces + 1) * _SMALLEST_NORMAL
            return found, roundings[:, None] * found.magnitudes + underflows[:, None]


class AggregateTree:
    """Exact counts and bounded sums over half-spaces, sublinear in the number of points inside.

    For weights ``a_r``, points ``p_r`` and biases ``b_r`` the tree answers the sums of ``a_r``,
    ``a_r b_r`` and ``a_r p_r`` over the points with ``<p_r, x> + b_r > c`` (or ``>=``).  The set
    that is summed is that of real arithmetic on the stored float64 numbers; the sums are float64
    with a rigorous error bound.  With the weights of a network these sums are its value and its
    gradient, see `value_and_gradient`.

    Parameters
    ----------
    points : array-like, shape (m, d)
        The points, finite, ``d >= 1``; ``m = 0`` is allowed.  Copied.
    weights : array-like, shape (m,)
        The weights.  Copied.
    bias : array-like, shape (m,), optional
        A number added to every inner product.  Without it, the tree has no biases at all and
        `update` takes none.
    domain : {"slice"}, optional
        Where the normals of all queries lie: anywhere by default, or on the input space
        X = {x : ||x|| = 1, x_d = 1/2} of the paper, to 1e-9.  Then ``d >= 2``, queries with other
        normals are refused, and the biases cost no dimension.
    leaf_size : int, default 64
        The largest number of points in a leaf of the tree, ``>= 1``; more than 64 are taken as 64.
    kernels : {"auto", "numba", "numpy"}, default "auto"
        The inner loops; ``"auto"`` compiles with numba unless it is missing or the environment
        variable ``SUBLINEAR_NUMBA`` is ``0``.  The sets do not depend on it, the sums only within
        their bounds.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type, shape or value, or if the absolute values of the
        weights or of their products with a coordinate or the biases add up to more than
        ``2**1000``.

    Notes
    -----
    A batch of queries opens ``O(m**(1 - 1/D))`` nodes and leaves for each, where ``D`` is ``d``, or
    ``d + 1`` with biases and any normals: worth it for ``D <= 5`` or so.  The tree holds about
    ``9 (d + 2)`` bytes per point more than that of `HalfspaceIndex`.  Source: Equation (2), with
    the sums of Algorithm 1, line 17, taken over the nodes of the structure of Section 5.1 instead
    of over its report.

    Examples
    --------
    >>> tree = AggregateTree([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], weights=[1.0, -1.0, 2.0])
    >>> sums = tree.aggregate_halfspace([[1.0, 0.0]], offsets=0.5)
    >>> sums.counts, sums.weight_sums, sums.point_sums
    (array([2]), array([3.]), array([[2.2, 1.6]]))
    >>> tree.update([1], [[2.0, 0.0]])
    >>> tree.value_and_gradient([[1.0, 0.0]], tau=0.5).value.round(12)
    array([0.2])
    """

    def __init__(
        self,
        points: object,
        weights: object,
        bias: object = None,
        *,
        domain: str | None = None,
        leaf_size: int = 64,
        kernels: str = "auto",
    ) -> None:
        array = read_points(points)
        m = len(array)
        refuse_too_many(m, "a tree")
        factors = validation.float_array(weights, "weights", shape=(m,), allow_empty=True)
        biases = None
        if bias is not None:
            biases = validation.float_array(bias, "bias", shape=(m,), allow_empty=True)
        self._domain = read_domain(domain, array)
        size = validation.count(leaf_size, "leaf_size")
        self._kernels = choose(kernels)
        refuse_large(magnitudes(array, factors, biases))
        self._store = PointStore(array, biases)
        self._weights = factors.copy()
        self._tree = _SummingTree(self._store, self._weights, self._kernels, size, self._domain)

    # -- QUERY ---------------------------------------------------------------------------------

    def aggregate_halfspace(
        self, normals: object, offsets: object, *, strict: bool = True, bounds: bool = False
    ) -> HalfspaceAggregates:
        """Sum over the points in each of a batch of half-spaces.

        Parameters
        ----------
        normals : array-like, shape (q, d)
            The normals ``x``; any finite vectors, of any length.  ``q = 0`` is allowed.
        offsets : float or array-like, shape (q,)
            The offsets ``c``, absolute units: one for all, or one for each.
        strict : bool, default True
            Take the points with ``<p_r, x> + bias_r > c`` or, if false, ``>=``.
        bounds : bool, default False
            Whether to return rigorous bounds of the errors of the sums as well; it costs a second
            set of sums.

        Returns
        -------
        HalfspaceAggregates
            Counts and sums.

        Raises
        ------
        TypeError, ValueError
            If an argument is of the wrong type, shape or value, or a normal is not in the domain.
        """
        asked = read_half_spaces(normals, offsets, strict, self.d, self._domain)
        return self._aggregate(asked, validation.boolean(bounds, "bounds"))

    def value_and_gradient(
        self, X: object, tau: object, activation: object = "jump", *, bounds: bool = False
    ) -> NetworkAggregates:
        """Evaluate the network whose hidden weights, biases and output weights the tree holds.

        Parameters
        ----------
        X : array-like, shape (n, d)
            The points; any points of R^d, or of the domain of the tree if it has one.
        tau : float
            The threshold of the activation, ``tau >= 0``, absolute units.
        activation : {"jump", "continuous"} or ShiftedReLU, default "jump"
            Whether a neuron that fires contributes ``a_r z`` or ``a_r (z - tau)``.
        bounds : bool, default False
            Whether to return rigorous bounds of the errors as well.

        Returns
        -------
        NetworkAggregates
            ``f(x_i)`` and the formal gradient in x, as `TwoLayerNetwork.forward` and
            `TwoLayerNetwork.input_gradient` have them.

        Raises
        ------
        TypeError, ValueError
            If an argument is of the wrong type, shape or value, or a point is not in the domain.

        Notes
        -----
        Source: Equation (2) and its formal gradient.  The value is computed as ``<G, x> + B - s A``
        with ``s = 0`` (jump) or ``s = tau`` (continuous); where these terms cancel it has fewer
        correct digits than a sum over the neurons one by one, and the bound says how many.
        """
        points = validation.float_array(X, "X", shape=("n", self.d), allow_empty=True)
        if self._domain is not None and len(points):
            points = validation.points_on_slice(points, "X", atol=TOLERANCE)
        level = validation.scalar(tau, "tau", minimum=0.0)
        shift = level - get_activation(activation).jump_height(level)
        wanted = validation.boolean(bounds, "bounds")
        sums = self._aggregate(HalfSpaces(points, np.full(len(points), level), True), wanted)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            value = np.einsum("ij,ij->i", sums.point_sums, points)
            value += sums.bias_sums - shift * sums.weight_sums
            errors = _value_errors(sums, points, shift)
        return NetworkAggregates(sums.counts, value, sums.point_sums, errors, sums.point_errors)

    def _aggregate(self, asked: HalfSpaces, bounds: bool) -> HalfspaceAggregates:
        found, errors = self._tree.aggregate(asked, bounds)
        sums = self._named(found.sums)
        return HalfspaceAggregates(found.counts, *sums, *(self._named(errors) if bounds else ()))

    def _named(self, columns: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Split columns into those of the weights, of the biases and of the points."""
        biases = columns[:, -1] if self._store.biased else np.zeros(len(columns))
        return columns[:, 0].copy(), biases.copy(), columns[:, 1 : self.d + 1].copy()

    # -- UPDATE --------------------------------------------------------------------------------

    def update(self, ids: object, points: object, *, bias: object = None) -> None:
        """Move points, refitting the boxes and the sums of the leaves and nodes above them.

        Parameters
        ----------
        ids : array-like of int, shape (k,)
            The points to move, each once: positions in the arrays the tree was made of.
        points : array-like, shape (k, d)
            Where to.
        bias : array-like, shape (k,), optional
            Their new biases; by default the old ones are kept.

        Raises
        ------
        TypeError, ValueError
            If an argument is of the wrong type, shape or value, or if sums would become too large;
            the tree is unchanged.

        Notes
        -----
        Touched leaves and their ancestors are summed anew rather than corrected, so that errors do
        not build up however many updates there are.
        """
        rows, array, biases = self._store.read_moves(ids, points, bias, "tree")
        if not len(rows):
            return
        kept_bias = None if self._store.bias is None else self._store.bias[rows]
        added = magnitudes(array, self._weights[rows], kept_bias if biases is None else biases)
        if not (self._tree.total_magnitudes + added <= _LARGEST_SUM).all():
            kept = np.setdiff1d(np.arange(len(self)), rows)
            others = None if self._store.bias is None else self._store.bias[kept]
            refuse_large(magnitudes(self._store.points[kept], self._weights[kept], others) + added)
        self._store.move(rows, array, biases)
        self._tree.update(rows)

    # -- what there is -------------------------------------------------------------------------

    @property
    def d(self) -> int:
        """The dimension of the points, the bias not counted."""
        return self._store.d

    def stats(self) -> AggregateStats:
        """Return the sizes and the work done so far.

        Returns
        -------
        AggregateStats
            Sizes and counters.
        """
        work = self._tree.work
        return AggregateStats(
            memory=self._store.memory + self._weights.nbytes + self._tree.memory,
            rows_touched=work.points_tested,
            rows_summed_untouched=work.points_reported_untested,
        )

    def __len__(self) -> int:
        """Return the number of points."""
        return self._store.live

    def __repr__(self) -> str:
        """Return the sizes and the memory."""
        bias = ", biased" if self._store.biased else ""
        if self._domain is not None:
            bias += f", domain={self._domain!r}"
        return (
            f"AggregateTree(m={len(self)}, d={self.d}{bias}, kernels={self._kernels.name!r}, "
            f"memory={self.stats().memory / 2**20:.1f} MiB)"
        )


def _value_errors(sums: HalfspaceAggregates, points: FloatArray, shift: float) -> FloatArray | None:
    """Bound the error of ``<G, x> + B - s A``: that of the sums, and that of putting them together.

    Each of the ``d + 2`` terms is rounded at most once as a product and takes part in at most
    ``d + 2`` additions, in any order; the computed sums stand for the exact ones up to an error
    that is of second order, which the factor 1.01 pays for.
    """
    weight, bias, point = sums.weight_errors, sums.bias_errors, sums.point_errors
    if weight is None or bias is None or point is None:
        return None
    d = points.shape[1]
    size = np.abs(points)
    inherited = np.einsum("ij,ij->i", point, size) + bias + shift * weight
    terms = np.einsum("ij,ij->i", np.abs(sums.point_sums), size)
    terms += np.abs(sums.bias_sums) + shift * np.abs(sums.weight_sums)
    bound: FloatArray = 1.01 * (inherited + (d + 4) * _UNIT_ROUNDOFF * terms)
    bound += (4 * d + 16) * _SMALLEST_NORMAL
    return bound


def magnitudes(points: FloatArray, weights: FloatArray, bias: FloatArray | None) -> FloatArray:
    """Return the sums of ``|a|``, of every ``|a p_k|`` and of ``|a b|``, in that order."""
    size = np.abs(weights)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        parts = [np.sum(size, keepdims=True), size @ np.abs(points)]
        if bias is not None:
            parts.append(np.sum(size * np.abs(bias), keepdims=True))
        return np.concatenate(parts)


def refuse_large(sizes: FloatArray) -> None:
    """Refuse weights with which a sum could overflow, given what `magnitudes` returns."""
    if not (sizes <= _LARGEST_SUM).all():
        raise ValueError(
            "weights must be such that the absolute values of weights, weights * points and "
            f"weights * bias each add up to at most 2**1000, got {sizes.max():.3g}"
        )


_LARGEST_DIMENSION = 4
_FEWEST_POINTS = 2**12
_IDS_AT_ONCE = 2**22
_NUMBERS_AT_ONCE = 2**18


def pays(m: int, dimension: int) -> bool:
    """Return whether a tree of sums is expected to beat adding up what is reported."""
    return dimension <= _LARGEST_DIMENSION and m >= _FEWEST_POINTS


class Aggregator:
    """Sums over the half-spaces of an index, and what is kept for the next ones."""

    def __init__(self, store: PointStore, domain: str | None, leaf_size: int, kernels: str) -> None:
        self._store = store
        self._options: Any = {"domain": domain, "leaf_size": leaf_size, "kernels": kernels}
        self._lock = threading.Lock()
        self.forget()

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be made again."""
        return {"_store": self._store, "_options": self._options}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Start with nothing kept."""
        self.__dict__.update(state)
        self._lock = threading.Lock()
        self.forget()

    @property
    def memory(self) -> int:
        """Bytes kept for the next queries."""
        tree = 0 if self._tree is None else self._tree.stats().memory
        return tree + self._rows.nbytes + self._moved.nbytes + self._weights.nbytes

    def forget(self) -> None:
        """Keep nothing: points came or went."""
        self._tree: AggregateTree | None = None
        self._checked = False
        self._weights: FloatArray = np.empty(0)
        self._rows: IntArray = np.empty(0, dtype=np.int64)
        self._moved: BoolArray = np.empty(0, dtype=np.bool_)

    def note(self, rows: IntArray) -> None:
        """Remember that points have moved."""
        if self._checked:
            self._moved[np.searchsorted(self._rows, rows)] = True

    def aggregate(
        self, engine: Engine, asked: HalfSpaces, weights: FloatArray
    ) -> HalfspaceAggregates:
        """Sum over the points in each half-space."""
        with self._lock:
            if not self._checked or not np.array_equal(weights, self._weights):
                self._prepare(weights)
            elif self._moved.any():
                self._follow()
            tree, rows = self._tree, self._rows
        if tree is not None:
            return tree.aggregate_halfspace(asked.normals, asked.offsets, strict=asked.strict)
        by_row = np.zeros(self._store.size)
        by_row[rows] = weights
        return self._summed(engine, asked, by_row)

    def _prepare(self, weights: FloatArray) -> None:
        """Make what queries with these weights need."""
        store = self._store
        self.forget()
        rows = store.live_rows()
        points, bias = store.points[rows], None if store.bias is None else store.bias[rows]
        # On X a bias costs no dimension.
        dimension = store.dimension if self._options["domain"] is None else store.d
        if pays(len(rows), dimension):
            self._tree = AggregateTree(points, weights, bias, **self._options)
        else:
            refuse_large(magnitudes(points, weights, bias))
        self._rows, self._weights = rows, weights.copy()
        self._moved = np.zeros(len(rows), dtype=np.bool_)
        self._checked = True

    def _follow(self) -> None:
        """Bring what is kept up to date with moves."""
        positions = np.flatnonzero(self._moved)
        rows, store = self._rows[positions], self._store
        if self._tree is None:
            self._prepare(self._weights)
            return
        try:
            self._tree.update(
                positions, store.points[rows], bias=None if store.bias is None else store.bias[rows]
            )
        except ValueError:  # sums could overflow: let that be said as for new weights
            self._prepare(self._weights)
        self._moved[:] = False

    def _summed(
        self, engine: Engine, asked: HalfSpaces, weights: FloatArray
    ) -> HalfspaceAggregates:
        """Report and add up; `weights` has an entry for every row of the store."""
        store, q = self._store, len(asked.offsets)
        counts = np.zeros(q, dtype=np.int64)
        sums = np.zeros((2, q))
        point_sums = np.zeros((q, store.d))
        pieces = engine.report_in_pieces(asked, sort=True, ids_at_once=_IDS_AT_ONCE, as_rows=True)
        step = max(1, _NUMBERS_AT_ONCE // store.d)
        with np.errstate(under="ignore"):
            for queries, hits in pieces:
                counts[queries] = hits.counts
                for query, rows in enumerate(hits.split(), start=queries.start):
                    for start in range(0, len(rows), step):
                        part = rows[start : start + step]
                        factors = weights[part]
                        sums[0, query] += factors.sum()
                        point_sums[query] += factors @ store.points[part]
                        if store.bias is not None:
                            sums[1, query] += factors @ store.bias[part]
        return HalfspaceAggregates(counts, sums[0].copy(), sums[1].copy(), point_sums)
