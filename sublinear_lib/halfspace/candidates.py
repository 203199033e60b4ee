r"""Candidate lists: for each training point, the neurons that can fire in its cap for a while.

Algorithm 1 asks at every step, for every example, which neurons fire (lines 12 and 17), and an
attack asks the same at many points of the cap ``B2(x, rho) = {v in X : ||v - x|| <= rho}`` around
the example.  Weights move slowly, so one answer can serve many questions if it is given with a
margin.  That idea is known from molecular dynamics as the Verlet list; `CandidateLists` is that
structure for half-space reporting, with a proof instead of a rule of thumb.  Its answers are those
of real arithmetic on the stored float64 numbers, like those of every structure of this package.

**The certificate.**  Write ``w'`` for the first d - 1 coordinates of w.  Let ``w_r^0`` be the
*reference* weights of neuron r, those it had when its entries in the lists were made.  For v in the
cap around x both last coordinates are 1/2, so ``v - x = ((v - x)', 0)``, and ``||v|| = 1``; by
Cauchy and Schwarz, twice,

    <w_r, v> + b_r  =  <w_r^0, x> + b_r + <(w_r^0)', (v - x)'> + <w_r - w_r^0, v>
                   <=  <w_r^0, x> + b_r + rho ||(w_r^0)'|| + ||w_r - w_r^0||.

Call the last norm, Euclidean and over all d coordinates, the *drift* of the neuron.  With the skin
``delta_r >= 0``, list i holds all r with

    <w_r^0, x_i> + beta_r >= tau,        beta_r = b_r + rho ||(w_r^0)'|| + delta_r.

As long as the drift of r is at most ``delta_r``, a neuron that is not in list i therefore has
``<w_r, v> + b_r < tau`` on the whole cap around ``x_i``: it is active nowhere there, neither for
``>`` nor for ``>=``.  The radius is the same for all anchors, so ``rho ||w'||`` goes into the bias
and the lists are half-space queries with the normals ``x_i``, which lie on X: one batch of queries
to a :class:`~sublinear_lib.halfspace.index.HalfspaceIndex` on that domain.  (The lift to the points
``(w, ||w'||)`` and the normals ``(x, rho)`` asks the same with one more dimension, off X.)

**In floating point** each rounding is turned outwards.  Points that an attack computes miss X and
their cap by rounding errors; with a = `CAP_TOLERANCE` they are accepted if, as measured,
``| ||v|| - 1 | <= a``, ``|v_d - 1/2| <= a`` and ``||(v - x)'|| <= rho + a``.  Measuring loses less
than a tenth of a for ``d <= 2**20``, and anchors are on X to a / 10, so that in real arithmetic
``||v|| <= 1 + 2 a``, ``|v_d - x_d| <= 2 a`` and ``||(v - x)'|| <= rho + 2 a``.  A radius of at
least the diameter of X, sqrt(3), means the whole of X; there ``||(v - x)'|| <= sqrt(3) + 3 a``.
Hence, with the bound above and one more term for the last coordinate,

    beta_r = b_r + (rho + 4 a) ||(w_r^0)'|| + 4 a |w_{r,d}^0| + delta_r

is large enough.  Norms come from :func:`sublinear_lib.predicates.row_norms`, which rounds up; the
roundings of the sum cost less than ``2**-49`` of the sum of its terms' sizes, and twice that is
added.  A skin that is the same for all neurons is subtracted from tau instead.
The drift is ``row_norms(w - w^0) (1 + 4 a)``, which pays for ``||v|| <= 1 + 2 a`` and for the
rounding of the differences.  A row for which beta overflows is put into every list.  From there on
nothing is approximate: the index decides its half-spaces exactly, and so does the method `query`
with the pairs of a point and a candidate.

**The float32 filter** of these pairs is that of the engines
(:mod:`sublinear_lib.halfspace.filtering`, whose ``g = (2 D + 16) 2**-24`` for ``D = d + 1`` numbers
it takes over).  Write ``w~, b~, tau~`` for the numbers times one power of two,
``e = g (||w~|| (1 + 4 a) + |b~| + |tau~|)`` plus ``(D + 4) 2**-100`` for underflow, and call
``b~ - tau~ + e`` the *ceiling*.  In float32 the score ``<w~, v>`` plus the ceiling, in any order of
summation, passes each of its terms through at most D + 4 roundings, those of rows, point and
ceiling included; as g is more than twice that, the total is off by less than e.  So if it is
negative the pair is inactive, and if it exceeds 3 e the pair is active.  All else, and every pair
of a row so large that float32 might overflow, is decided from the float64 numbers
(:mod:`sublinear_lib.predicates`), in integer arithmetic if need be.

**Hot neurons.**  A neuron whose drift exceeds its skin is *hot*: its old entries are void.  After
each step in which a hot neuron moved, all hot neurons are tested again at every anchor with their
present weights and no skin, and the entries found take the place of the old ones.  So a few fast
neurons (those that fire at many examples) do not force all lists to be made again.

**When to rebuild: ski rental.**  Count work in inner products: a scan of h hot neurons costs
``(n + 1) h`` (each is put into an index and looked at from n anchors), a rebuild costs m plus the
pairs that the index looked at the last time, say B.  The lists are rebuilt in the step in which the
hot scans since the last rebuild, the one due now included, would come to at least B.  *This costs
less than twice the optimum*, of all ways to choose the steps of the rebuilds with the weights known
in advance, provided that (i) a rebuild always costs B and (ii) a later reference never has more hot
neurons: at any step, lists made later have at most as many as lists made earlier.  Proof: cut the
run into phases, each ending with the step of a rebuild.  In a phase the rule pays less than B for
scans and B for the rebuild.  The optimum either rebuilds in that phase and pays B, or its lists are
from before the phase and, by (ii), it pays at least as much for scans as our lists would have asked
for, which is at least B.  In the last, unfinished phase both reasons bound the optimum from below
by what the rule paid.  Assumption (ii) holds when weights move away and do not come back; for
weights that oscillate around an old reference it fails, and the factor with it.  The answers never
depend on it.

Before changing it, know the order in every operation that changes something: first validate
everything, then mark the lists as stale, then change, then list.  A call that raises because of its
arguments has changed nothing, and after an interrupt in the midst of a change the lists are made
anew before they are used again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from sublinear_lib import geometry, predicates, validation
from sublinear_lib._typing import BoolArray, Float32Array, FloatArray, Int32Array, IntArray
from sublinear_lib.halfspace.filtering import relative_error, round_up
from sublinear_lib.halfspace.index import HalfspaceIndex
from sublinear_lib.halfspace.protocol import HalfspaceHits
from sublinear_lib.halfspace.scan import aligned_zeros
from sublinear_lib.halfspace.store import as_span

__all__ = ["CAP_TOLERANCE", "Advance", "CandidateLists", "CandidateStats"]

AnyArray = TypeVar("AnyArray", bound="np.ndarray[Any, Any]")

CAP_TOLERANCE = 1e-8
"""How far a query point may be off X and outside the cap of its anchor."""

_LARGEST = float(np.finfo(np.float64).max)
# Lists of this many pairs or fewer are made by one query; longer ones are counted first.
_PAIRS_AT_ONCE = 2**24
_NUMBERS_AT_ONCE = 2**18
_ENTRIES_AT_ONCE = 2**22
# No point that is accepted is longer.
_LONGEST = 1.0 + 4.0 * CAP_TOLERANCE
# In units of the table: scores of larger neurons are not trusted, thresholds are cut off.
_TAME = 2.0**60
_FAR = 2.0**100
# skin="auto": how much longer the lists may become, measured at so many anchors.
_GROWTH = 0.25
_SAMPLE = 8


class _Loops(Protocol):
    """The loops, see :mod:`sublinear_lib.halfspace.kernels_numpy`."""

    def merge(
        self,
        indptr: IntArray,
        indices: Int32Array,
        hot: BoolArray,
        hot_indptr: IntArray,
        hot_indices: Int32Array,
    ) -> tuple[IntArray, Int32Array]: ...

    def sift(
        self,
        table: Float32Array,
        ceiling: Float32Array,
        points: Float32Array,
        begin: IntArray,
        end: IntArray,
        indices: Int32Array,
    ) -> tuple[IntArray, Int32Array, Float32Array]: ...


class Advance(NamedTuple):
    """What a step did to candidate lists.

    Parameters
    ----------
    moved : int
        Neurons that were given new weights.
    hot : int
        Hot neurons after the step.
    rebuilt : bool
        Whether the lists were made anew.
    """

    moved: int
    hot: int
    rebuilt: bool


@dataclass(frozen=True)
class CandidateStats:
    """What candidate lists are made of and what they have done.

    Parameters
    ----------
    m, n, d : int
        Numbers of neurons, of anchors, of dimensions.
    radius : float
        Radius of the caps.
    threshold : float
        The threshold tau.
    skin : float
        The drift that is allowed to every neuron (the smallest one if they differ).
    engine, kernels : str
        The engine of the index that makes the lists, and the loops in use.
    entries : int
        Candidates in all lists together, those of hot neurons included.
    longest : int
        Candidates in the longest list.
    hot : int
        Neurons that are hot now.
    hot_entries : int
        Candidates that are hot.
    largest_drift : float
        The largest drift of a neuron since the reference was taken, rounded up.
    advances : int
        Calls of `CandidateLists.advance`.
    rebuilds : int
        How many times the lists were made anew since the beginning.
    rent : int
        Inner products spent on hot neurons since then.
    price : int
        Inner products of a rebuild, as counted the last time; the next rebuild is due when the rent
        would reach it.
    pairs_listed : int
        Pairs of anchor and neuron that all rebuilds and hot scans have looked at.
    pairs_tested : int
        Pairs of point and candidate that all queries have tested.
    memory : int
        Bytes held: weights and their reference, index and lists.
    """

    m: int
    n: int
    d: int
    radius: float
    threshold: float
    skin: float
    engine: str
    kernels: str
    entries: int
    longest: int
    hot: int
    hot_entries: int
    largest_drift: float
    advances: int
    rebuilds: int
    rent: int
    price: int
    pairs_listed: int
    pairs_tested: int
    memory: int


class CandidateLists:
    r"""The neurons that can fire in the cap of each training point, kept up while weights move.

    Parameters
    ----------
    W : array-like, shape (m, d)
        The weights ``w_r``, finite, ``m >= 1`` and ``d >= 2``.  Copied.
    b : array-like, shape (m,), or None
        The biases ``b_r``; ``None`` means zero.  Copied.
    anchors : array-like, shape (n, d)
        The training points ``x_i``, on X = {x : ||x|| = 1, x_d = 1/2}.  Copied.
    radius : float
        The radius rho of the caps, ``>= 0``: how far an adversary may move a point.
    threshold : float
        The threshold tau, absolute units, of any sign.
    skin : float, array-like of shape (m,) or "auto", default "auto"
        How far a neuron may drift from its reference weights, in the Euclidean norm, before it
        becomes hot; ``>= 0``.  A wide skin makes long lists, a thin one many hot neurons.
        ``"auto"`` chooses one number for all neurons at every rebuild, such that the lists become
        about a quarter longer than without a skin.
    method : {"auto", "scan", "cap", "tree"}, default "auto"
        The engine of the index that makes the lists, see `HalfspaceIndex`.
    kernels : {"auto", "numba", "numpy"}, default "auto"
        The inner loops, see `HalfspaceIndex`.  The answers do not depend on them.

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong type, shape or value.

    Notes
    -----
    The proof, the treatment of rounding and the rule by which lists are rebuilt are in the
    docstring of the module.  Several threads may query at the same time; a change needs the lists
    for itself.

    Lists pay where few neurons are candidates: a pair costs several times what it costs in a scan,
    because its row is fetched from anywhere.  Against an index that is queried at every point, with
    compiled loops and a radius of 0.1, `query` was faster at d = 32 with 1 per cent of the neurons
    active or fewer, about even at d = 8 with 0.1 per cent, and slower with more.  `candidates` is
    the only way to know the neurons of a whole cap at once.

    The weights, their reference, a float32 copy and the index are kept, about ``32 m d`` bytes, and
    four bytes for each candidate, eight while neurons are hot.

    Source: Definition 5.1 and Corollary 5.2 ask for a structure that reports the neurons that fire
    and follows their updates; Algorithm 1 uses it.  The paper queries and updates an index in every
    step; lists with a skin are not in the paper.

    Examples
    --------
    >>> W, b = [[1.0, 0.0], [-1.0, 0.0], [0.2, 0.0]], [0.0, 0.0, 0.0]
    >>> east = [0.75**0.5, 0.5]
    >>> lists = CandidateLists(W, b, [east], radius=0.0, threshold=0.1, skin=0.05)
    >>> lists.query([east])[0]
    array([0, 2], dtype=int32)

    A small step stays within the skin, a large one makes a neuron hot.

    >>> lists.advance([2], [[0.16, 0.0]])
    Advance(moved=1, hot=0, rebuilt=False)
    >>> lists.advance([1], [[0.5, 0.0]])
    Advance(moved=1, hot=1, rebuilt=False)
    >>> lists.query([east])[0]
    array([0, 1, 2], dtype=int32)
    """

    def __init__(
        self,
        W: object,
        b: object,
        anchors: object,
        *,
        radius: object,
        threshold: object,
        skin: object = "auto",
        method: str = "auto",
        kernels: str = "auto",
    ) -> None:
        weights = validation.float_array(W, "W", shape=("m", "d"))
        m, d = weights.shape
        if d < 2:
            raise ValueError(f"W must have at least 2 columns, got shape {weights.shape}")
        biases = np.zeros(m)
        if b is not None:
            biases = validation.float_array(b, "b", shape=(m,)).copy()
        self._anchors = validation.points_on_slice(anchors, "anchors", d=d).copy()
        self._radius = validation.scalar(radius, "radius", minimum=0.0)
        self._threshold = validation.scalar(threshold, "threshold")
        self._automatic = isinstance(skin, str)
        self._skin: FloatArray = np.zeros(())
        if self._automatic:
            validation.choice(skin, "skin", ("auto",))
        else:
            self._skin = self._checked_skin(skin, m)
        self._reach = min(self._radius, geometry.SLICE_DIAMETER) + 4.0 * CAP_TOLERANCE

        self._W = weights.copy()
        self._b = biases
        self._reference = weights.copy()
        self._drift = np.zeros(m)
        self._moved = np.zeros(m, dtype=np.bool_)
        self._is_hot = np.zeros(m, dtype=np.bool_)
        largest = np.maximum(np.abs(weights).max(axis=1), np.abs(biases))
        exponent = int(np.frexp(np.sort(largest)[m // 2])[1])
        self._scale = 2.0 ** -max(-1000, min(1000, exponent))
        self._level = min(max(self._threshold * self._scale, -_FAR), _FAR)
        width = d + -d % 8
        self._table: Float32Array = aligned_zeros(m * width, np.float32).reshape(m, width)
        self._ceiling: Float32Array = np.empty(m, dtype=np.float32)
        self._spread: Float32Array = np.empty(m, dtype=np.float32)
        self._enter(slice(None), weights)
        self._advances = 0
        self._rebuilds = -1
        self._rent = 0
        self._price = 0
        self._pairs_listed = 0
        self._pairs_tested = 0

        self._reference_beta = self._beta(slice(None), self._own_skin(slice(None)))
        points, bias = self._indexed(slice(None), self._reference_beta)
        self._index = HalfspaceIndex(points, bias, method=method, domain="slice", kernels=kernels)
        self._kernels = self._index.stats().kernels
        self._base = HalfspaceHits(np.zeros(len(self._anchors) + 1, dtype=np.int64), _no_ids())
        self._hot_entries = 0
        self._lists: HalfspaceHits | None = None
        self._list_all()

    # -- what a trainer does -------------------------------------------------------------------

    def advance(self, rows: object, values: object) -> Advance:
        """Follow a step of training: give some neurons new weights.

        Parameters
        ----------
        rows : array-like of int, shape (k,), or None
            The neurons that moved, each once; ``None`` means all m.
        values : array-like, shape (k, d)
            Their new weights.

        Returns
        -------
        Advance
            How many neurons moved, how many are hot now, and whether the lists were rebuilt.

        Raises
        ------
        TypeError, ValueError
            If an argument is of the wrong type, shape or value; nothing has changed then.

        Notes
        -----
        The cost is ``O(k d)`` as long as no neuron is hot.  Call it once per step: each call in
        which a hot neuron moved pays for a scan of the hot ones.

        Source: lines 20 and 21 of Algorithm 1.
        """
        m, d = self._W.shape
        ids = None if rows is None else validation.index_array(rows, "rows", upper=m, unique=True)
        count = m if ids is None else len(ids)
        weights = validation.float_array(values, "values", shape=(count, d), allow_empty=True)
        # From here on nothing is refused.
        self._advances += 1
        if count == 0:
            return Advance(0, self.hot.size, False)
        where = slice(None) if ids is None else ids
        drift = _drift(weights, self._reference[where])
        becomes_hot = drift > np.broadcast_to(self._skin, (m,))[where]
        # Neurons that were hot may have come back: their reference entries hold again.
        rescan = bool((becomes_hot | self._is_hot[where]).any())
        lists, self._lists = self._lists, None
        self._moved[where] = True
        self._W[where] = weights
        self._drift[where] = drift
        self._enter(where, weights)
        self._is_hot[where] = becomes_hot
        hot = int(np.count_nonzero(self._is_hot))
        rent = (len(self._anchors) + 1) * hot if rescan else 0
        due = hot > 0 and self._rent + rent >= self._price
        if lists is None:
            self._recover()
            return Advance(count, 0, True)
        if due:
            self._list_all()
            return Advance(count, 0, True)
        if rescan:
            lists = self._with_hot(self.hot)
            self._rent += rent
        self._lists = lists
        return Advance(count, hot, False)

    def query(
        self, points: object, anchor_of: object = None, *, strict: bool = True
    ) -> HalfspaceHits:
        """Report the active neurons at points in the caps of their anchors, exactly.

        Parameters
        ----------
        points : array-like, shape (q, d)
            The points ``v``, on X and each within the radius of its anchor; rounding errors up to
            `CAP_TOLERANCE` are accepted.
        anchor_of : array-like of int, shape (q,), optional
            The anchor of each point; by default point i belongs to anchor i and ``q = n``.
        strict : bool, default True
            Report ``<w_r, v> + b_r > tau`` (the paper's active set) or, if false, ``>=``.

        Returns
        -------
        HalfspaceHits
            The neurons of each point, ascending: the sets of real arithmetic on the stored numbers.

        Raises
        ------
        TypeError, ValueError
            If an argument is of the wrong type, shape or value; `ValueError` also for a point off X
            or outside the cap of its anchor (the message gives its row and its distance).

        Notes
        -----
        Source: QUERY in Algorithm 2, for lines 12 and 17 of Algorithm 1.
        """
        strictly = validation.boolean(strict, "strict")
        n, d = self._anchors.shape
        vectors = validation.float_array(points, "points", shape=("q", d), allow_empty=True)
        if anchor_of is None:
            if len(vectors) != n:
                raise ValueError(
                    f"points must have one row for each of the {n} anchors unless anchor_of is "
                    f"given, got shape {vectors.shape}"
                )
            own = np.arange(n)
        else:
            own = validation.index_array(anchor_of, "anchor_of", upper=n)
            if len(own) != len(vectors):
                raise ValueError(
                    f"anchor_of must have one entry for each of the {len(vectors)} points, "
                    f"got {len(own)}"
                )
        if not len(vectors):
            return HalfspaceHits(np.zeros(1, dtype=np.int64), _no_ids())
        self._require_in_caps(vectors, own)
        lists = self._current()
        begin, end = lists.indptr[:-1][own], lists.indptr[1:][own]
        ends = np.cumsum(end - begin)
        parts = []
        start = 0
        while start < len(vectors):
            taken = ends[start - 1] if start else 0
            stop = int(np.searchsorted(ends, taken + _ENTRIES_AT_ONCE, side="right"))
            stop = max(start + 1, stop)
            part = slice(start, stop)
            parts.append(self._decide(vectors[part], begin[part], end[part], lists, strictly))
            start = stop
        self._pairs_tested += int(ends[-1])
        if len(parts) == 1:
            counts, ids = parts[0]
        else:
            counts = np.concatenate([part[0] for part in parts])
            ids = np.concatenate([part[1] for part in parts])
        indptr = np.zeros(len(vectors) + 1, dtype=np.int64)
        np.cumsum(counts, out=indptr[1:])
        return HalfspaceHits(indptr, ids)

    def candidates(self) -> HalfspaceHits:
        """Return the lists: every neuron that can be active somewhere in the cap of an anchor now.

        Returns
        -------
        HalfspaceHits
            One list for each anchor, ascending; read-only, and not touched by later changes.  They
            hold for points of X within the radius, give or take `CAP_TOLERANCE`.
        """
        lists = self._current()
        return HalfspaceHits(_read_only(lists.indptr), _read_only(lists.indices))

    def rebuild(self) -> None:
        """Take the present weights as the reference and make all lists anew.

        Notes
        -----
        `advance` calls this when it pays; calling it earlier is never wrong.
        """
        self._lists = None
        self._list_all()

    # -- what there is -------------------------------------------------------------------------

    @property
    def hot(self) -> IntArray:
        """The neurons whose drift exceeds their skin, ascending, shape (h,)."""
        return np.flatnonzero(self._is_hot)

    @property
    def drift(self) -> FloatArray:
        """The drift of each neuron since its reference was taken, rounded up, shape (m,)."""
        return _read_only(self._drift)

    @property
    def skin(self) -> FloatArray:
        """The drift that is allowed to each neuron, shape (m,)."""
        return np.broadcast_to(self._skin, self._drift.shape)

    @property
    def weights(self) -> FloatArray:
        """The present weights, shape (m, d); read-only."""
        return _read_only(self._W)

    def stats(self) -> CandidateStats:
        """Return the sizes, the drift and the work done so far.

        Returns
        -------
        CandidateStats
            Numbers that do not change later.
        """
        lists = self._current()
        index = self._index.stats()
        arrays: list[np.ndarray[Any, Any]] = [
            self._anchors,
            self._W,
            self._b,
            self._reference,
            self._reference_beta,
            self._drift,
            self._table,
            self._ceiling,
            self._spread,
            self._moved,
            self._is_hot,
            self._base.indptr,
            self._base.indices,
        ]
        if lists is not self._base:
            arrays += [lists.indptr, lists.indices]
        return CandidateStats(
            m=len(self._W),
            n=len(self._anchors),
            d=self._W.shape[1],
            radius=self._radius,
            threshold=self._threshold,
            skin=float(self._skin.min()),
            engine=index.engine,
            kernels=index.kernels,
            entries=lists.indices.size,
            longest=int(lists.counts.max()),
            hot=int(np.count_nonzero(self._is_hot)),
            hot_entries=self._hot_entries,
            largest_drift=float(self._drift.max()),
            advances=self._advances,
            rebuilds=self._rebuilds,
            rent=self._rent,
            price=self._price,
            pairs_listed=self._pairs_listed,
            pairs_tested=self._pairs_tested,
            memory=index.memory + sum(array.nbytes for array in arrays),
        )

    def __len__(self) -> int:
        """Return the number of anchors."""
        return len(self._anchors)

    def __repr__(self) -> str:
        """Return the sizes, the engine and the memory."""
        stats = self.stats()
        return (
            f"CandidateLists(m={stats.m}, n={stats.n}, d={stats.d}, radius={stats.radius:.6g}, "
            f"threshold={stats.threshold:.6g}, skin={stats.skin:.3g}, "
            f"candidates={stats.entries / stats.n:.1f} per anchor, hot={stats.hot}, "
            f"engine={stats.engine!r}, kernels={stats.kernels!r}, "
            f"memory={stats.memory / 2**20:.1f} MiB)"
        )

    # -- behind the scenes ---------------------------------------------------------------------

    def _checked_skin(self, skin: object, m: int) -> FloatArray:
        skins = validation.float_array(skin, "skin")
        if skins.shape not in ((), (m,)):
            raise ValueError(
                f"skin must be 'auto', a number or have shape ({m},), got shape {skins.shape}"
            )
        if (skins < 0.0).any():
            raise ValueError(f"skin must be >= 0, got {float(skins.min())!r}")
        with np.errstate(over="ignore"):
            beyond = ~np.isfinite(self._threshold - skins)
        if beyond.any():
            raise ValueError(
                "skin must be such that threshold - skin is a finite float64, "
                f"got {float(skins.max())!r} and the threshold {self._threshold!r}"
            )
        return skins.copy()

    def _require_in_caps(self, points: FloatArray, anchor_of: IntArray) -> None:
        validation.points_on_slice(points, "points", atol=CAP_TOLERANCE)
        if self._radius >= geometry.SLICE_DIAMETER:
            return  # the cap is all of X
        steps = points[:, :-1] - self._anchors[anchor_of, :-1]
        lengths = np.sqrt(np.einsum("ij,ij->i", steps, steps))
        outside = ~(lengths <= self._radius + CAP_TOLERANCE)
        if outside.any():
            row = int(np.argmax(outside))
            raise ValueError(
                f"points must lie within the radius {self._radius!r} of their anchors: row {row} "
                f"is {float(lengths[row])!r} away from anchor {anchor_of[row]}"
            )

    def _decide(
        self,
        points: FloatArray,
        begin: IntArray,
        end: IntArray,
        lists: HalfspaceHits,
        strict: bool,
    ) -> tuple[IntArray, Int32Array]:
        """Return how many candidates are active at each point, and which."""
        wide = np.zeros((len(points), self._table.shape[1]), dtype=np.float32)
        wide[:, : points.shape[1]] = points
        counts, ids, totals = _loops(self._kernels).sift(
            self._table, self._ceiling, wide, begin, end, lists.indices
        )
        doubtful = np.flatnonzero(~(totals > self._spread.max()))
        doubtful = doubtful[~(totals[doubtful] > self._spread[ids[doubtful]])]
        if len(doubtful):
            queries = np.searchsorted(np.cumsum(counts), doubtful, side="right")
            active = self._settle(points, queries, ids[doubtful].astype(np.int64), strict)
            if not active.all():
                ids = np.delete(ids, doubtful[~active])
                counts = counts - np.bincount(queries[~active], minlength=len(counts))
        return counts, ids

    def _settle(
        self, points: FloatArray, queries: IntArray, rows: IntArray, strict: bool
    ) -> BoolArray:
        """Decide pairs of point and neuron in real arithmetic."""
        active: BoolArray = np.empty(len(rows), dtype=np.bool_)
        d = points.shape[1]
        step = max(1, _NUMBERS_AT_ONCE // d)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            query, row = queries[part], rows[part]
            W, b, X = self._W[row], self._b[row], points[query]
            with np.errstate(over="ignore", invalid="ignore", under="ignore"):
                scores = np.einsum("ij,ij->i", W, X) + b
            bounds = predicates.error_bound(predicates.row_norms(W), _LONGEST, b, d)
            active[part] = predicates.resolve_pairs(
                scores,
                bounds,
                self._W,
                self._b,
                points,
                self._threshold,
                query,
                row,
                strict=strict,
            )
        return active

    def _enter(self, rows: IntArray | slice, W: FloatArray) -> None:
        """Write rows of the float32 filter."""
        d = W.shape[1]
        # A bias beyond the range is infinite, and so is its error: their sum is not used.
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            b = self._b[rows] * self._scale
            size = (predicates.row_norms(W) * _LONGEST) * self._scale + np.abs(b)
            error = relative_error(d + 1) * (size + abs(self._level)) + (d + 5) * 2.0**-100
            table = (W * self._scale).astype(np.float32)
            ceiling = round_up(b - self._level + error)
            spread = round_up(3.0 * error)
        large = ~(size <= _TAME)
        if large.any():
            table[large] = 0.0
            ceiling[large] = 0.0  # neither below zero nor above the spread
            spread[large] = np.inf
        self._table[rows, :d] = table
        self._ceiling[rows] = ceiling
        self._spread[rows] = spread

    def _own_skin(self, rows: IntArray | slice) -> FloatArray | float:
        """Return what beta contains of the skin: one that all neurons share is in the offset."""
        return self._skin[rows] if self._skin.ndim else 0.0

    def _beta(self, rows: IntArray | slice, skin: FloatArray | float) -> FloatArray:
        """Bound what bias, cap and skin add to a score; infinite where it overflows."""
        W, b = self._W[rows], self._b[rows]
        with np.errstate(over="ignore"):
            reach = self._reach * predicates.row_norms(np.ascontiguousarray(W[:, :-1]))
            reach += 4.0 * CAP_TOLERANCE * np.abs(W[:, -1]) + skin
            bound: FloatArray = np.nextafter(b + reach + 2.0**-48 * (np.abs(b) + reach), np.inf)
        return bound

    def _indexed(self, rows: IntArray | slice, beta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the points and biases under which an index knows some rows."""
        W = self._W[rows]
        boundless = np.isinf(beta)
        if boundless.any():
            # A point in every half-space that is asked for: 0, with a bias above the threshold.
            W = np.where(boundless[:, None], 0.0, W)
            beta = np.where(boundless, min(2.0 * abs(self._threshold) + 1.0, _LARGEST), beta)
        return W, beta

    def _current(self) -> HalfspaceHits:
        return self._recover() if self._lists is None else self._lists

    def _recover(self) -> HalfspaceHits:
        """Make everything anew that depends on the weights, after a change was interrupted."""
        self._enter(slice(None), self._W)
        return self._list_all()

    def _list_all(self) -> HalfspaceHits:
        """Make all lists anew from the present weights."""
        rows = np.flatnonzero(self._moved)
        where = as_span(rows)
        if len(rows):
            beta = self._beta(where, self._own_skin(where))
            self._index.update(rows, *self._indexed(where, beta))
            self._reference_beta[where] = beta
        skin = self._chosen_skin() if self._automatic else self._skin
        looked_at = _pairs(self._index)
        base = _reported(self._index, self._anchors, self._offset(skin))
        looked_at = _pairs(self._index) - looked_at
        self._reference[where] = self._W[where]
        self._moved[where] = False
        self._drift[:] = 0.0
        self._is_hot[:] = False
        self._skin = skin
        self._base = base
        self._hot_entries = 0
        self._rent = 0
        self._price = len(self._W) + looked_at
        self._pairs_listed += looked_at
        self._rebuilds += 1
        self._lists = base
        return base

    def _with_hot(self, hot: IntArray) -> HalfspaceHits:
        """Exchange the entries of hot neurons for those of their present weights."""
        if not len(hot):
            self._hot_entries = 0
            return self._base
        points, bias = self._indexed(hot, self._beta(hot, 0.0))
        index = HalfspaceIndex(points, bias, method="scan", domain="slice", kernels=self._kernels)
        found = _reported(index, self._anchors, self._threshold)
        self._pairs_listed += _pairs(index)
        self._hot_entries = found.indices.size
        ids = hot.astype(np.int32)[found.indices]
        return HalfspaceHits(
            *_loops(self._kernels).merge(
                self._base.indptr, self._base.indices, self._is_hot, found.indptr, ids
            )
        )

    def _offset(self, skin: FloatArray) -> float:
        if skin.ndim:
            return self._threshold
        with np.errstate(over="ignore"):
            offset = float(np.nextafter(self._threshold - skin, -np.inf))
        # Below the float64 range only a bias of 1.8e308 could matter, and what its beta is rounded
        # up by is more than the step that is lost.
        return max(offset, -_LARGEST)

    def _chosen_skin(self) -> FloatArray:
        """Return the skin that makes the lists of a few anchors a quarter longer."""
        n, m = len(self._anchors), len(self._W)
        reserves = []
        for i in np.unique(np.linspace(0, n - 1, min(n, _SAMPLE)).astype(np.int64)):
            with np.errstate(over="ignore", invalid="ignore"):
                largest = self._W @ self._anchors[i] + self._reference_beta
                largest[np.isnan(largest)] = np.inf
                listed = int(np.count_nonzero(largest >= self._threshold))
                if listed == m:
                    continue  # no skin can make this list longer
                longer = min(m, listed + max(1, round(_GROWTH * listed)))
                reserve = self._threshold - np.partition(largest, m - longer)[m - longer]
            if reserve > 0.0 and np.isfinite(reserve):
                reserves.append(float(reserve))
        if not reserves:
            reserves.append(float(np.sort(predicates.row_norms(self._W))[m // 2]))
        skin = sorted(reserves)[len(reserves) // 2]
        with np.errstate(over="ignore"):
            usable = np.isfinite(self._threshold - np.float64(skin))
        return np.asarray(skin if usable else 0.0)


def _drift(W: FloatArray, reference: FloatArray) -> FloatArray:
    """Bound the distances of rows from their reference; zero for equal rows only."""
    with np.errstate(over="ignore", under="ignore"):
        drift = predicates.row_norms(W - reference) * (1.0 + 4.0 * CAP_TOLERANCE)
    # A norm is never reported as zero; compare the bits where it might be.
    tiny = np.flatnonzero(drift < 2.0**-400)
    same = (W[tiny].view(np.int64) == reference[tiny].view(np.int64)).all(axis=1)
    drift[tiny[same]] = 0.0
    return drift


def _reported(index: HalfspaceIndex, normals: FloatArray, offset: float) -> HalfspaceHits:
    """Query many half-spaces without holding the answer twice."""
    if len(normals) * len(index) <= _PAIRS_AT_ONCE:
        return index.query_halfspace(normals, offset, strict=False)
    indptr = np.zeros(len(normals) + 1, dtype=np.int64)
    np.cumsum(index.count_halfspace(normals, offset, strict=False), out=indptr[1:])
    indices = np.empty(int(indptr[-1]), dtype=np.int32)
    start = 0
    while start < len(normals):
        limit = indptr[start] + _ENTRIES_AT_ONCE
        stop = max(start + 1, int(np.searchsorted(indptr, limit, side="right")) - 1)
        hits = index.query_halfspace(normals[start:stop], offset, strict=False)
        indices[indptr[start] : indptr[stop]] = hits.indices
        start = stop
    return HalfspaceHits(indptr, indices)


def _pairs(index: HalfspaceIndex) -> int:
    """Count the pairs that an index has looked at so far."""
    stats = index.stats()
    return stats.points_tested + stats.points_reported_untested


def _loops(kernels: str) -> _Loops:
    if kernels == "numba":
        from sublinear_lib.halfspace import kernels_numba_lists

        return kernels_numba_lists
    from sublinear_lib.halfspace import kernels_numpy

    return kernels_numpy


def _read_only(array: AnyArray) -> AnyArray:
    view = array.view()
    view.flags.writeable = False
    return view


def _no_ids() -> Int32Array:
    return np.empty(0, dtype=np.int32)
