"""Which neurons a training step looks at: all of them, or those that an index knows can fire.

This is the one place in which the dense and the sparse trainer differ.  There are five sources.
`AllNeurons` is the dense reference.  `IndexedNeurons` asks an index once per example and step, and
the answer serves the whole attack on that example, because of the superset below.  `CappedNeurons`
looks at all neurons in vector code, or remembers what it saw, and needs no index.  `LiteralNeurons`
is Algorithm 1 to the letter: an index query at every point, the steps of the attack included.  With
compiled loops and free sums, whoever found the candidates of a cap, `CapEvaluator` then sorts them
into those that fire all over the cap and those that the attack has to look at.

**Neurons that can never fire on X** are set aside before any index is built: their pre-activation
is at most tau on all of X, so they get no gradient and keep their weights for good
(:func:`sublinear_lib.halfspace.alive_on_slice` has the proof; an adversary that looks below the
threshold lowers tau here too).  As they are never active, the other neurons do not notice, to the
bit.  Evaluators of sources that set neurons aside refuse points off X, where the proof ends.

**The superset.**  Let v lie in the cap ``B2(x, rho) = {v in X : ||v - x|| <= rho}``.  All points of
X have last coordinate 1/2, so ``v - x`` has last coordinate 0, and with w' the first d - 1
coordinates of w, Cauchy and Schwarz give

    <w, v> + b  =  <w, x> + b + <w', (v - x)'>  <=  <w, x> + b + rho ||w'||.

A neuron can be active somewhere in the cap only if the right-hand side exceeds tau.  That is again
a half-space query: for the *lifted* points ``(w_r, ||w'_r||)`` in R^{d+1} with bias b_r, normal
``(x, rho)`` and offset tau.  The active set of every point of the cap is then decided exactly among
the neurons reported.

**In floating point.**  The index answers exactly for the numbers it stores, so only three
roundings matter, and each is turned outwards.  The stored norm is an upper bound of the real one
(:func:`sublinear_lib.predicates.row_norms`).  Points that an attack computes may miss their cap and
the height 1/2 by a rounding error; distances up to `TOLERANCE` are allowed and everything beyond is
refused (:class:`sublinear_lib.evaluation.Region`), so rho is enlarged by twice the tolerance.  A
deviation h of the last coordinate changes the inner product by ``h |w_d|``, so tau is lowered by
twice the tolerance times the largest ``|w_{r,d}|``.

**The neurons that can fire** are the last resort of the sparse trainer (`LivingNeurons`).  Where
most neurons are candidates at most examples, no search is worth its price, and Algorithm 1 is best
done with matrix products over all neurons.  Over all that can ever fire on X, that is: the others
(`firing_on_slice`) contribute exact zeros to
every sum, so they are left out of the matrices and put back, as zeros, into what is returned.
Before changing it, know that the weights live twice, in the trainer and, compactly, here; `update`
is what keeps the two equal.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sublinear_lib import geometry, predicates, validation
from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.activations import spread_jump
from sublinear_lib.evaluation import (
    Evaluator,
    ForwardPass,
    Neurons,
    PointEvaluator,
    Reduction,
    Region,
    kernels_in_use,
)
from sublinear_lib.halfspace import HalfspaceIndex, alive_on_slice
from sublinear_lib.training.caps import CapEvaluator, CapFilter, CapMemory

__all__ = [
    "LARGEST_BATCH",
    "TOLERANCE",
    "AllNeurons",
    "CappedNeurons",
    "IndexMethod",
    "IndexedNeurons",
    "LiteralNeurons",
    "LivingNeurons",
    "NeuronSource",
    "StepEvaluator",
    "Task",
    "cap_region",
    "choose_source",
    "firing_on_slice",
]

IndexMethod = Literal["auto", "scan", "tree"]
"""The structure of the half-space index."""

TOLERANCE = 1e-8
"""How far an adversarial point may lie outside its cap, and off the height 1/2."""

LARGEST_BATCH = 2**27
"""Pairs of example and neuron, four bytes each, that ``"caps"`` may hold if it is chosen freely."""

# index="auto", from measurements: see `choose_source`.
_DENSE_SHARE = 0.4
# The same without compiled loops, where one costs more: candidates among the living, and pairs.
_LIVING_SHARE = 0.1
_LIVING_PAIRS = 2**20
_SAMPLE = 8
# How much longer lists may become for the sake of being remembered.
_GROWTH = 0.5

# A neuron at the very edge of the margin may round to either side of it.
_ROUNDED_UP = 1.0 + 1e-9


class StepEvaluator(PointEvaluator, Protocol):
    """What a trainer and its adversary ask in one step."""

    work: int
    """Passes over a row of W for one point so far."""

    def forward(self, X: FloatArray) -> ForwardPass:
        """Return f together with the active sets."""

    def weight_gradient(
        self, X: FloatArray, passed: ForwardPass, coefficients: FloatArray
    ) -> tuple[IntArray | None, FloatArray]:
        """Return the rows that move and the gradient with respect to them."""


class NeuronSource(Protocol):
    """Where a trainer gets the neurons of a step from."""

    @property
    def work(self) -> int:
        """Inner products spent on finding neurons so far."""

    @property
    def name(self) -> str:
        """How the history calls this source."""

    @property
    def set_aside(self) -> int:
        """Number of neurons that the source leaves out because they can never fire on X."""

    def evaluator(self, batch: IntArray | None = None) -> StepEvaluator:
        """Find the neurons of a step."""

    def candidates(self) -> float:
        """Count what the last evaluator knows."""

    def update(self, rows: IntArray | None, values: FloatArray) -> None:
        """Take note of new weights (the neurons themselves have them already)."""


class _CapsOnSlice(Region):
    """Caps of X: where lists without the neurons that cannot fire on X are complete."""

    on_slice = True

    def check(self, X: FloatArray) -> None:
        """Raise unless every point lies on X and in the cap of its anchor."""
        super().check(X)
        validation.points_on_slice(X, atol=self.tolerance)


def cap_region(X: FloatArray, rho: float, margin: float, *, on_slice: bool = False) -> Region:
    """Return the caps around the examples, where an evaluator may be asked.

    Source: Definition 3.3.
    """
    make = _CapsOnSlice if on_slice else Region
    return make(X, min(rho, geometry.SLICE_DIAMETER), TOLERANCE, margin)


def _restricted(region: Region, batch: IntArray | None) -> Region:
    return region if batch is None else replace(region, anchors=region.anchors[batch])


def _lowered(tau: float, margin: float) -> float:
    """Return a threshold that is at least the margin below tau, also in floating point."""
    return float(np.nextafter(tau - _ROUNDED_UP * margin, -np.inf)) if margin > 0.0 else tau


def firing_on_slice(neurons: Neurons, margin: float) -> IntArray | None:
    """Return the neurons that may fire somewhere on X, or come within a margin of it."""
    tau = _lowered(neurons.tau, margin)
    alive = alive_on_slice(neurons.W, neurons.b, tau=tau, tolerance=TOLERANCE)
    if len(alive) == neurons.m:
        return None
    return alive if len(alive) else np.zeros(1, dtype=np.int64)


class Task(NamedTuple):
    """A network, the examples whose caps it is asked in, and who is known to fire there."""

    neurons: Neurons
    X: FloatArray
    rho: float
    reduction: Reduction
    margin: float = 0.0
    """How far below the threshold the adversary looks."""
    alive: IntArray | None = None
    """The neurons that can fire on X, if some cannot."""


class AllNeurons:
    """Every neuron, at every example: the dense reference."""

    name = "dense"

    def __init__(self, task: Task, region: Region | None = None) -> None:
        self.work = 0
        self.set_aside = 0
        self._neurons, self._reduction = task.neurons, task.reduction
        self._region = cap_region(task.X, task.rho, margin=np.inf) if region is None else region
        self._evaluator = self._over(self._region)

    def _over(self, region: Region) -> Evaluator:
        n = len(region.anchors)
        return Evaluator(self._neurons, n, region=region, reduction=self._reduction)

    def evaluator(self, batch: IntArray | None = None) -> Evaluator:
        """Return the evaluator of all neurons."""
        if batch is None:
            return self._evaluator
        return self._over(_restricted(self._region, batch))

    def candidates(self) -> float:
        """Return m."""
        return float(self._neurons.m)

    def update(self, rows: IntArray | None, values: FloatArray) -> None:
        """Do nothing: there is no structure to maintain."""


class _Found:
    """What the sources that look for neurons share: the caps, who is set aside, and the filter."""

    def __init__(self, task: Task) -> None:
        self.work = 0
        self._neurons, self._reduction = task.neurons, task.reduction
        self._kept = _Kept(task.alive, task.neurons.m)
        self.set_aside = self._kept.set_aside
        on_slice = task.alive is not None
        self._region = cap_region(task.X, task.rho, task.margin, on_slice=on_slice)
        self._filter = _cap_filter(task, self._region)
        self._listed = 0.0

    def _over(
        self, region: Region, indptr: IntArray, positions: NDArray[np.int32]
    ) -> StepEvaluator:
        """Return the evaluator of the neurons at some positions."""
        n = len(region.anchors)
        self._listed = positions.size / n
        if self._filter is not None:
            return CapEvaluator(self._filter, region, lists=(indptr, positions))
        lists = indptr, self._kept.ids(positions)
        return Evaluator(self._neurons, n, lists=lists, region=region, reduction=self._reduction)

    def candidates(self) -> float:
        """Count the neurons per example that the last evaluator was made of, on average."""
        return self._listed


class IndexedNeurons(_Found):
    """The neurons that can be active somewhere in the cap of an example, from the index."""

    def __init__(self, task: Task, method: IndexMethod) -> None:
        super().__init__(task)
        reach = self._region.radius + 2.0 * TOLERANCE
        self._normals = np.column_stack((task.X, np.full(len(task.X), reach)))
        W, b = self._kept.of(task.neurons.W), self._kept.of(task.neurons.b)
        self._height = float(np.abs(W[:, -1]).max())
        self._index = _fixed_index(_lifted(W), b, method=method)

    @property
    def name(self) -> str:
        """Sparse, with the structure of the index."""
        return f"sparse ({self._index.stats().engine})"

    def evaluator(self, batch: IntArray | None = None) -> StepEvaluator:
        """Query the index at every example."""
        normals = self._normals if batch is None else self._normals[batch]
        lowered = 2.0 * TOLERANCE * self._height + _ROUNDED_UP * self._region.margin
        offset = np.nextafter(self._neurons.tau - lowered, -np.inf)
        hits = self._index.query_halfspace(normals, offset, strict=True)
        self.work = self._index.stats().points_tested
        return self._over(_restricted(self._region, batch), hits.indptr, hits.indices)

    def update(self, rows: IntArray | None, values: FloatArray) -> None:
        """Move the rows in the index (lines 20 and 21 of Algorithm 1)."""
        positions, values = self._kept.moved(rows, values)
        if len(values) == 0:
            return
        self._height = max(self._height, float(np.abs(values[:, -1]).max()))
        ids = np.arange(len(self._index)) if positions is None else positions
        self._index.update(ids, _lifted(values))
        if self._filter is not None:
            self._filter.update(positions)


class CappedNeurons(_Found):
    """The neurons that can be active somewhere in the cap of an example, from a scan of all.

    One float32 score per example and neuron, in vector code, sorts the neurons of every cap for the
    whole attack (:mod:`sublinear_lib.training.caps`).  The work counted is these scores.  Without
    numba, and with ``reduction="reference"``, a float64 matrix product finds the neurons instead.
    """

    name = "sparse (caps)"

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self._memory = _memory(self._filter, self._region)

    def evaluator(self, batch: IntArray | None = None) -> StepEvaluator:
        """Sort the neurons of every example."""
        region = _restricted(self._region, batch)
        n = len(region.anchors)
        if self._memory is None:
            self.work += n * (self._neurons.m - self.set_aside)
        if self._filter is None:
            return self._over(region, *_scanned(self._neurons, self._kept, region))
        packed = CapEvaluator(self._filter, region, memory=self._memory, batch=batch)
        if self._memory is not None:
            self.work = self._memory.looked_at
        self._listed = packed.candidates / n
        return packed

    def update(self, rows: IntArray | None, values: FloatArray) -> None:
        """Read the weights of the rows that moved anew."""
        if self._filter is not None:
            self._filter.update(None if rows is None else self._filter.positions_of(rows))


class LiteralNeurons:
    """Algorithm 1 taken literally: one index query at every point at which f is asked for.

    Lines 12 and 17 query the index at the adversarial points, lines 20 and 21 delete every neuron
    that moved and insert it again.  The paper does not say how the adversary of line 11 evaluates
    f; here it queries the same index at each of its points.  No neuron is set aside.
    """

    def __init__(self, task: Task) -> None:
        self.set_aside = 0
        self._neurons, self._reduction = task.neurons, task.reduction
        self._region = cap_region(task.X, task.rho, margin=np.inf, on_slice=True)
        self._index = _fixed_index(self._neurons.W, self._neurons.b, domain="slice")
        self._last: _AskingEvaluator | None = None

    @property
    def work(self) -> int:
        """Inner products of all queries so far, those of the attacks included."""
        return self._index.stats().points_tested

    @property
    def name(self) -> str:
        """Sparse, literal, with the structure of the index."""
        return f"sparse (literal, {self._index.stats().engine})"

    def evaluator(self, batch: IntArray | None = None) -> StepEvaluator:
        """Return an evaluator that queries the index whenever it is asked."""
        self._last = _AskingEvaluator(
            self._neurons, self._index, _restricted(self._region, batch), self._reduction
        )
        return self._last

    def candidates(self) -> float:
        """Count what the last query reported."""
        return 0.0 if self._last is None else self._last.reported

    def update(self, rows: IntArray | None, values: FloatArray) -> None:
        """Move the rows in the index (lines 20 and 21 of Algorithm 1)."""
        ids = np.arange(self._neurons.m) if rows is None else rows
        if len(ids):
            self._index.update(ids, values)


_Answer = TypeVar("_Answer")


class _AskingEvaluator:
    """Evaluation on the active neurons of each point, found by an index query at that point."""

    def __init__(
        self, neurons: Neurons, index: HalfspaceIndex, region: Region, reduction: Reduction
    ) -> None:
        self.work = 0
        self.strict = reduction == "reference"
        self.reported = 0.0
        self._neurons = neurons
        self._index = index
        self._region = region
        self._reduction = reduction

    @property
    def weight_scale(self) -> float:
        """Root mean square of the weights, the last column left out, at the start of the run."""
        return self._neurons.weight_scale

    def _at(self, X: FloatArray, offset: float, *, active: bool) -> Evaluator:
        """Query the index at the points."""
        n = len(self._region.anchors)
        points = validation.float_array(X, "X", shape=(n, self._neurons.d))
        self._region.check(points)
        hits = self._index.query_halfspace(points, offset, strict=True)
        self.reported = hits.indices.size / n
        return self._on((hits.indptr, hits.indices), active=active)

    def _on(self, lists: tuple[IntArray, NDArray[np.int32]], *, active: bool) -> Evaluator:
        """Return the evaluator of listed neurons."""
        n, how = len(self._region.anchors), self._reduction
        return Evaluator(self._neurons, n, lists=lists, reduction=how, trusted=active)

    def _spent(self, evaluator: Evaluator, found: _Answer) -> _Answer:
        """Count the work of an answer, and return it."""
        self.work += evaluator.work
        return found

    def value(self, X: FloatArray) -> FloatArray:
        """Return f at the points."""
        evaluator = self._at(X, self._neurons.tau, active=True)
        return self._spent(evaluator, evaluator.value(X))

    def value_and_input_gradient(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return f and its formal gradient in x."""
        evaluator = self._at(X, self._neurons.tau, active=True)
        return self._spent(evaluator, evaluator.value_and_input_gradient(X))

    def smoothed_input_gradient(self, X: FloatArray, bandwidth: float) -> FloatArray:
        """Return the gradient in x of f with every activation blurred."""
        neurons = self._neurons
        width, _ = spread_jump(neurons.tau - neurons.shift, bandwidth)
        evaluator = self._at(X, _lowered(neurons.tau, width), active=False)
        return self._spent(evaluator, evaluator.smoothed_input_gradient(X, width))

    def forward(self, X: FloatArray) -> ForwardPass:
        """Return f together with the active sets (lines 12 and 17 of Algorithm 1)."""
        evaluator = self._at(X, self._neurons.tau, active=True)
        return self._spent(evaluator, evaluator.forward(X))

    def weight_gradient(
        self, X: FloatArray, passed: ForwardPass, coefficients: FloatArray
    ) -> tuple[IntArray | None, FloatArray]:
        """Return the rows that move and the gradient with respect to them (lines 18 and 19)."""
        evaluator = self._on((passed.indptr, passed.indices), active=True)
        return self._spent(evaluator, evaluator.weight_gradient(X, passed, coefficients))


def choose_source(
    neurons: Neurons,
    X: FloatArray,
    rho: float,
    margin: float = 0.0,
    reduction: Reduction = "blas",
    living: int | None = None,
) -> Literal["caps", "query", "dense"]:
    """Choose how to find neurons, by the rule of ``index="auto"``.

    The rule looks at the initial network only and never at a clock, so that equal runs make equal
    choices.  Measured with 256 examples, 2**16 neurons, five attack steps of radius 0.1, one thread
    and d = 8 and 32, ``"caps"`` was the fastest from 0.1 to 50 per cent of active neurons: it looks
    for candidates in vector code, remembers them over many steps where that pays (`CapMemory`), and
    visits the neurons that fire all over a cap once per step instead of once per step of the
    attack.  In the canonical order of sums every neuron is visited every time, and finding it is
    what is left to save.

    Without compiled loops the matrix products of the dense evaluator, over the neurons that can
    fire at all, are hard to beat: measured with 2**14 neurons and 256 examples, an index that is
    queried in every step took twice their time at d = 12, about as long at d = 16 and half as long
    at d = 32, as long as candidates were few among the living.
    """
    share = _share_of_candidates(neurons, X, rho, margin)
    if reduction == "blas" and kernels_in_use() == "numba":
        return "caps" if share * len(X) * neurons.m <= LARGEST_BATCH else "dense"
    if reduction == "blas":
        left = neurons.m if living is None else living
        few = share * neurons.m <= _LIVING_SHARE * left and len(X) * left > _LIVING_PAIRS
        return "query" if few else "dense"
    return "dense" if share > _DENSE_SHARE else "query"


def _cap_filter(task: Task, region: Region) -> CapFilter | None:
    """Return the filter that sorts neurons, or ``None`` where it is not used."""
    neurons, alive = task.neurons, task.alive
    if task.reduction == "reference" or kernels_in_use() == "numpy":
        return None
    share = _share_of_candidates(neurons, region.anchors, region.radius, region.margin)
    return CapFilter(
        neurons,
        alive,
        radius=region.radius,
        tolerance=TOLERANCE,
        margin=region.margin,
        share=share * neurons.m / (neurons.m if alive is None else len(alive)),
    )


def _memory(rows: CapFilter | None, region: Region) -> CapMemory | None:
    """Return a memory of candidates if following them costs less than a scan in every step."""
    if rows is None:
        return None
    neurons, count = rows.neurons, len(rows.ids)
    n, d = region.anchors.shape
    W, b = neurons.W[rows.ids], neurons.b[rows.ids]
    reserves, listed = [], []
    base = b + region.radius * predicates.row_norms(W[:, :-1])
    for i in _sampled(n):
        with np.errstate(over="ignore", invalid="ignore"):
            below = neurons.tau - region.margin - (W @ region.anchors[i] + base)
        there = int(np.count_nonzero(below < 0.0))
        longer = min(count - 1, there + max(1, round(_GROWTH * there)))
        listed.append(longer)
        reserves.append(float(np.partition(below, longer)[longer]))
    skin = sorted(reserves)[len(reserves) // 2]
    follows = (1.2 + d / 40.0) * float(np.mean(listed))
    scans = (0.07 + d / 100.0) * count
    if not 0.0 < skin < np.inf or follows > 0.5 * scans:
        return None
    return CapMemory(rows, region.anchors, skin)


def _sampled(n: int) -> IntArray:
    """Return up to eight of n examples, evenly spread."""
    return np.unique(np.linspace(0, n - 1, min(n, _SAMPLE)).astype(np.int64))


def _share_of_candidates(neurons: Neurons, X: FloatArray, rho: float, margin: float) -> float:
    """Return the share of neurons that can be active in the cap of an example, from a sample."""
    chosen = X[_sampled(len(X))]
    reach = min(rho, geometry.SLICE_DIAMETER) * predicates.row_norms(neurons.W[:, :-1])
    largest = chosen @ neurons.W.T + (neurons.b + reach)
    return float(np.count_nonzero(largest > neurons.tau - margin) / largest.size)


def _scanned(neurons: Neurons, kept: _Kept, region: Region) -> tuple[IntArray, NDArray[np.int32]]:
    """List the positions that can be active in each cap, by a matrix product."""
    W, b = kept.of(neurons.W), kept.of(neurons.b)
    reach = (region.radius + 2.0 * TOLERANCE) * predicates.row_norms(W[:, :-1])
    reach += 2.0 * TOLERANCE * np.abs(W[:, -1])
    norms = predicates.row_norms(W)
    lists = []
    indptr = np.zeros(len(region.anchors) + 1, dtype=np.int64)
    with np.errstate(over="ignore", invalid="ignore"):
        error = predicates.error_bound(norms, 1.0 + TOLERANCE, b, neurons.d)
        base = b + reach
        # Twice the bound of the score also pays for the roundings of the sum.
        slack = 4.0 * (error + 2.0**-52 * reach)
        for i, anchor in enumerate(region.anchors):
            beyond = (W @ anchor + base) + slack < neurons.tau - region.margin
            found = np.flatnonzero(~beyond).astype(np.int32)
            lists.append(found)
            indptr[i + 1] = indptr[i] + len(found)
    return indptr, np.concatenate(lists)


class _Kept:
    """The neurons that a source knows, and their positions in its index."""

    def __init__(self, alive: IntArray | None, m: int) -> None:
        self._alive = alive
        self._names = None if alive is None else alive.astype(np.int32)
        self.set_aside = 0 if alive is None else m - len(alive)

    def of(self, values: FloatArray) -> FloatArray:
        """Return the entries of the neurons that are kept."""
        return values if self._alive is None else values[self._alive]

    def ids(self, positions: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the neurons at some positions."""
        return positions if self._names is None else self._names[positions]

    def moved(
        self, rows: IntArray | None, values: FloatArray
    ) -> tuple[IntArray | None, FloatArray]:
        """Return where the neurons that moved are, and their weights; those set aside never do."""
        if self._alive is None:
            return rows, values
        if rows is None:
            return None, values[self._alive]
        return np.searchsorted(self._alive, rows), values


def _fixed_index(
    points: FloatArray, bias: FloatArray, *, method: str = "auto", domain: str | None = None
) -> HalfspaceIndex:
    """Return an index that keeps the engine it starts with.

    An index that chooses freely exchanges its engine after many queries, a resumed run's elsewhere.
    The answers would be the same, the work counters would not.
    """
    index = HalfspaceIndex(points, bias, method=method, domain=domain)
    if method != "auto":
        return index
    return HalfspaceIndex(points, bias, method=index.stats().engine, domain=domain)


def _lifted(W: FloatArray) -> FloatArray:
    """Append to each row an upper bound of the norm of its first d - 1 coordinates."""
    return np.column_stack((W, predicates.row_norms(W[:, :-1])))


class LivingNeurons(AllNeurons):
    """Every neuron that can fire on X, at every example."""

    def __init__(self, task: Task) -> None:
        neurons, X, rho, _, margin, alive = task
        assert alive is not None
        self._alive = alive
        self._positions = np.zeros(neurons.m, dtype=np.int64)
        self._positions[alive] = np.arange(len(alive))
        rows = neurons.W[alive], neurons.a[alive], neurons.b[alive]
        compact = Neurons(*rows, neurons.tau, neurons.shift)
        # Windows of attacks are measured in weights of the whole network.
        compact.weight_scale = neurons.weight_scale
        region = cap_region(X, rho, margin, on_slice=True)
        super().__init__(task._replace(neurons=compact), region)
        self.set_aside = neurons.m - len(alive)

    def _over(self, region: Region) -> LivingEvaluator:
        return LivingEvaluator(self._neurons, self._alive, self._positions, region, self._reduction)

    def update(self, rows: IntArray | None, values: FloatArray) -> None:
        """Copy new weights."""
        if rows is None:
            self._neurons.set_rows(None, values[self._alive])
        else:
            self._neurons.set_rows(self._positions[rows], values)


class LivingEvaluator(Evaluator):
    """Evaluation over some neurons of a network, under the names they have there."""

    def __init__(
        self,
        compact: Neurons,
        alive: IntArray,
        positions: IntArray,
        region: Region,
        reduction: Reduction,
    ) -> None:
        super().__init__(compact, len(region.anchors), region=region, reduction=reduction)
        self._alive = alive
        self._positions = positions
        self._margin = region.margin

    def smoothed_input_gradient(
        self, X: FloatArray, bandwidth: float, begun: FloatArray | None = None
    ) -> FloatArray:
        """Return the gradient in x of f with every activation blurred."""
        if bandwidth > self._margin and len(self._alive) < len(self._positions):
            raise ValueError(
                "bandwidth must be at most the margin below which neurons were set aside, "
                f"{self._margin!r}, got {bandwidth!r}"
            )
        return super().smoothed_input_gradient(X, bandwidth, begun)

    def forward(self, X: FloatArray) -> ForwardPass:
        """Return f together with the active sets (lines 12 and 17 of Algorithm 1)."""
        return self._named(super().forward(X), len(self._positions), self._alive)

    def weight_gradient(
        self, X: FloatArray, passed: ForwardPass, coefficients: FloatArray
    ) -> tuple[IntArray | None, FloatArray]:
        """Return the rows that move and the gradient with respect to them (lines 18 and 19)."""
        local = self._named(passed, len(self._alive), self._positions)
        rows, gradient = super().weight_gradient(X, local, coefficients)
        return (self._alive if rows is None else self._alive[rows]), gradient

    @staticmethod
    def _named(passed: ForwardPass, m: int, names: IntArray) -> ForwardPass:
        """Give the neurons of a forward pass the names that they have among m."""
        indices = names[passed.indices].astype(np.int32)
        return replace(passed, m=m, block=names[passed.block], indices=indices)
