"""Algorithm 1 with the neurons on several machines.

Every worker keeps a block of consecutive neurons and an index of its own; the examples are
everywhere.  The leading process runs the adversary and the loss.  What travels for each question is
the points, n by d, and the sums over the neurons, n values or n gradients: never a weight.  Only a
checkpoint, and the end, collects the weights.  Before changing it, know the promise about the sums.

*In canonical order* (``reduction="reference"``) they are handed from block to block: all workers
decide at the same time which of their neurons fire, which is where the work is, and then each adds
the terms of those to what came before.  That is the order of a single process, so the weights are
the same **to the bit**, for any number of shards, in one process and on a cluster.

*In free order* (``reduction="blas"``) every worker sums its own and the leader adds the results in
the order of the blocks: one round instead of one for each shard, and sums equal to rounding, as
between any two orders, which a discontinuous step rule can turn into another path; the same number
of shards gives the same bits wherever they are.

A worker that dies takes its weights along.  The run then ends with an error; with a checkpoint, the
same call goes on from there.
"""

from __future__ import annotations

import contextlib
import itertools
import signal
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sublinear_lib._arguments import Count
from sublinear_lib._typing import BoolArray, FloatArray, IntArray
from sublinear_lib.cluster import LostWorkers, connected, single_threaded
from sublinear_lib.evaluation import Evaluator, ForwardPass, Neurons
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import checkpoint as checkpoints
from sublinear_lib.training.checkpoint import LARGEST_WEIGHT
from sublinear_lib.training.sources import NeuronSource, StepEvaluator
from sublinear_lib.training.trainer import (
    Run,
    SublinearAdversarialTraining,
    Update,
    require_weights,
)

__all__ = ["ShardedAdversarialTraining"]


@dataclass(frozen=True, kw_only=True)
class ShardedAdversarialTraining(SublinearAdversarialTraining):
    """Algorithm 1 with the neurons split over workers, each with an index of its own.

    Parameters
    ----------
    adversary, loss, eta, steps, batch_size, measure, reduction, progress
        As for `SublinearAdversarialTraining`.  With ``reduction="reference"`` the weights equal
        those of that trainer bit by bit; for ``"blas"`` see there.
    index : str, default "auto"
        How each worker finds its neurons, as for `SublinearAdversarialTraining`, but not
        ``"literal"``.
    set_aside : bool, default True
        As for `SublinearAdversarialTraining`.
    shards : int, default 2
        Number of blocks of neurons, at most m.
    scheduler : str, optional
        Address of a Dask scheduler; then the shards live on its workers, in turn, and in this
        process otherwise.

    Raises
    ------
    TypeError, ValueError
        If a parameter has a wrong type or is out of range.

    Notes
    -----
    Source: Algorithm 1; the distribution is ours.  One question of the adversary moves ``n d``
    numbers to every worker and n or ``n (d + 1)`` back (:mod:`sublinear_lib.theory.sharding` has
    the model).  `fit` raises `LostWorkers` if a worker dies; call it again with the same checkpoint
    to go on.

    Examples
    --------
    >>> from sublinear_lib import datasets
    >>> from sublinear_lib.adversary import ProjectedGradient
    >>> data = datasets.circle(4, labels="alternating")
    >>> start = TwoLayerNetwork.initialize(512, 3, rng=0, tau=0.08)
    >>> common = {
    ...     "adversary": ProjectedGradient(rho=0.1),
    ...     "steps": 5,
    ...     "reduction": "reference",
    ...     "index": "query",
    ... }
    >>> one = SublinearAdversarialTraining(**common).fit(start, data.X, data.y, rng=0)
    >>> three = ShardedAdversarialTraining(**common, shards=3).fit(start, data.X, data.y, rng=0)
    >>> bool((one.final.W == three.final.W).all())
    True
    """

    shards: Count = 2
    scheduler: str | None = None

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        if self.scheduler is not None and not isinstance(self.scheduler, str):
            raise TypeError(f"scheduler must be an address, got {type(self.scheduler).__name__}")
        if self.index == "literal":
            raise ValueError(f"index must not be 'literal' with shards, got {self.index!r}")

    def _without_effect(self) -> tuple[str, ...]:
        elsewhere = (*super()._without_effect(), "scheduler")
        return (*elsewhere, "shards") if self.reduction == "reference" else elsewhere

    def _run(
        self, network: TwoLayerNetwork, X: FloatArray, y: FloatArray, generator: np.random.Generator
    ) -> Run:
        if self.shards > network.m:
            raise ValueError(
                f"shards must be at most the number of neurons {network.m}, got {self.shards}"
            )
        return _ShardedRun(self, network, X, y, generator)


# what a worker holds


class _Shard:
    """A block of neurons with its index; lives on a worker and answers questions by name."""

    _neurons: Neurons
    _source: NeuronSource
    _evaluator: StepEvaluator
    _passed: ForwardPass
    _active: tuple[IntArray, NDArray[np.int32]]

    def ask(self, question: str, arguments: tuple[Any, ...]) -> Any:
        """Answer one question."""
        return getattr(self, question)(*arguments)

    def hold(self) -> None:
        """Compute with one thread from now on, so that answers are the same on any machine."""
        single_threaded().__enter__()

    def let_go(self) -> None:
        """Undo `hold`."""
        single_threaded().__exit__(None, None, None)

    def load(
        self, trainer: ShardedAdversarialTraining, block: dict[str, Any], X: FloatArray
    ) -> None:
        self._trainer = trainer
        self._block = {**block, "W": np.array(block["W"])}
        self._X = np.array(X)
        self._canonical = trainer.reduction == "reference"
        self._begin()

    def _begin(self) -> None:
        block = self._block
        a, b = np.array(block["a"]), np.array(block["b"])
        self._neurons = Neurons(block["W"].copy(), a, b, block["tau"], block["shift"])
        # Adversaries look as far below the threshold as they do with all neurons.
        self._neurons.weight_scale = block["weight_scale"]
        self._source = self._trainer._source(self._neurons, self._X)
        self._squares = np.zeros(len(a))
        self._pending: tuple[IntArray | None, FloatArray, FloatArray] | None = None
        self._carried_out = -1
        self._spent = 0

    def describe(self) -> tuple[str, int]:
        return self._source.name, self._source.set_aside

    def evaluator(self, batch: IntArray | None) -> tuple[int, float]:
        before = self._source.work
        self._evaluator = self._source.evaluator(batch)
        self._spent = self._evaluator.work
        return self._source.work - before, self._source.candidates()

    def _work(self) -> int:
        """Return the passes since the last answer."""
        done, self._spent = self._evaluator.work - self._spent, self._evaluator.work
        return done

    def value(self, X: FloatArray) -> tuple[FloatArray, int]:
        return self._evaluator.value(X), self._work()

    def gradient(self, X: FloatArray) -> tuple[FloatArray, FloatArray, int]:
        return (*self._evaluator.value_and_input_gradient(X), self._work())

    def smoothed(
        self, X: FloatArray, bandwidth: float, begun: FloatArray | None
    ) -> tuple[FloatArray, int]:
        if begun is None:
            return self._evaluator.smoothed_input_gradient(X, bandwidth), self._work()
        evaluator: Any = self._evaluator
        return evaluator.smoothed_input_gradient(X, bandwidth, begun), self._work()

    def forward(self, X: FloatArray) -> tuple[FloatArray, IntArray, int, int]:
        """Decide which neurons fire; what `add` and `backward` go on from."""
        self._passed = self._evaluator.forward(X)
        if self._canonical:
            self._active = self._passed.active_sets()
        counts, touched = self._passed.counts, int(np.count_nonzero(self._passed.touched))
        return self._passed.value, counts, touched, self._work()

    def add(
        self, X: FloatArray, value: FloatArray, gradient: FloatArray
    ) -> tuple[FloatArray, FloatArray, int]:
        """Add the terms of the neurons that fire to sums that the shards before have begun."""
        sums = np.array(value), np.array(gradient)
        firing = Evaluator(
            self._neurons, len(X), lists=self._active, reduction="reference", trusted=True
        )
        firing.accumulate(X, *sums)
        return (*sums, firing.work)

    def backward(self, X: FloatArray, coefficients: FloatArray, eta: float) -> tuple[str, int]:
        """Compute the step of the rows here without taking it."""
        rows, gradient = self._evaluator.weight_gradient(X, self._passed, coefficients)
        weights, squares, largest = self._neurons.descended(rows, gradient, eta, self._block["W"])
        problem = ""
        if not largest <= LARGEST_WEIGHT:
            try:
                everyone = np.arange(len(self._neurons.a)) if rows is None else rows
                require_weights(weights, everyone + self._block["first"])
            except FloatingPointError as error:
                problem = str(error)
        self._pending = rows, weights, squares
        return problem, self._work()

    def carry_out(self, step: int) -> tuple[float, float]:
        """Take the step, once, and return the largest squared drift and the sum of all."""
        if self._pending is not None and self._carried_out < step:
            rows, weights, squares = self._pending
            self._neurons.set_rows(rows, weights)
            self._source.update(rows, weights)
            self._squares[slice(None) if rows is None else rows] = squares
            self._carried_out, self._pending = step, None
        return float(self._squares.max()), float(self._squares.sum())

    def weights(self) -> tuple[FloatArray, FloatArray]:
        return self._neurons.W.copy(), self._squares.copy()

    def restore(self, W: FloatArray, squares: FloatArray) -> None:
        """Start from a checkpoint, as a single process does."""
        self._begin()
        W = np.array(W)
        self._neurons.set_rows(None, W)
        moved = np.flatnonzero((self._block["W"] != W).any(axis=1))
        self._source.update(moved, W[moved])
        self._squares = np.array(squares)


# where the workers are


class _Crew(Protocol):
    """Shards in a fixed order."""

    def ask(self, questions: Sequence[tuple[int, str, tuple[Any, ...]]]) -> list[Any]:
        """Ask shards at the same time; return the answers in the order of the questions."""

    def close(self) -> None:
        """Let the workers go."""


class _Here:
    def __init__(self, shards: int) -> None:
        self._shards = [_Shard() for _ in range(shards)]
        self._stack = contextlib.ExitStack()
        self._stack.enter_context(single_threaded())

    def ask(self, questions: Sequence[tuple[int, str, tuple[Any, ...]]]) -> list[Any]:
        return [self._shards[k].ask(name, arguments) for k, name, arguments in questions]

    def close(self) -> None:
        self._stack.close()
        self._shards = []


class _Cluster:
    def __init__(self, shards: int, scheduler: str) -> None:
        self._gone: set[int] = set()
        self._stack = contextlib.ExitStack()
        client = self._stack.enter_context(connected(scheduler, direct=True))
        # An actor finds its way back through the current client only.
        self._stack.enter_context(client.as_current())
        try:
            places = sorted(client.scheduler_info(n_workers=-1)["workers"])
            futures = [
                client.submit(_Shard, actor=True, pure=False, workers=[places[k % len(places)]])
                for k in range(shards)
            ]
            self._actors = client.gather(futures)
            self.ask([(k, "hold", ()) for k in range(shards)])
        except BaseException:
            self._stack.close()
            raise

    def ask(self, questions: Sequence[tuple[int, str, tuple[Any, ...]]]) -> list[Any]:
        pending = [
            (k, self._actors[k].ask(question, arguments)) for k, question, arguments in questions
        ]
        answers, failure = [], None
        for k, future in pending:
            try:
                answers.append(future.result())
            except Exception as error:
                if isinstance(error, OSError) or "Worker holding Actor was lost" in str(error):
                    self._gone.add(k)
                    error = _lost(k)
                failure = failure or error
        if failure is not None:
            raise failure
        return answers

    def close(self) -> None:
        # A worker outlives the run; one that is gone has nothing to let go, and Dask would look for
        # it for half a minute.
        for k in set(range(len(self._actors))) - self._gone:
            with contextlib.suppress(Exception):
                self.ask([(k, "let_go", ())])
        self._actors = []
        self._stack.close()


def _lost(k: int) -> LostWorkers:
    return LostWorkers(
        f"the worker of shard {k} is gone, and the weights that it held; the same call with the "
        "same checkpoint goes on from there"
    )


# the leader


@dataclass(frozen=True, eq=False)
class _Passed:
    """What the leader knows of a forward pass."""

    value: FloatArray
    counts: IntArray
    touched: BoolArray


class _Front:
    """What the leader and its adversary ask: all shards, and the sum of their answers."""

    def __init__(
        self, crew: _Crew, shards: int, canonical: bool, weight_scale: float, eta: float
    ) -> None:
        self.strict = canonical
        self.weight_scale = weight_scale
        self.work = 0
        self._crew = crew
        self._shards = range(shards)
        self._eta = eta

    def all(self, question: str, *arguments: Any) -> list[Any]:
        """Ask every shard the same."""
        return self.each(question, [arguments for _ in self._shards])

    def each(self, question: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Ask every shard with arguments of its own."""
        with _undisturbed():
            return self._crew.ask([(k, question, arguments[k]) for k in self._shards])

    def value(self, X: FloatArray) -> FloatArray:
        if self.strict:
            self._decide(X)
            return self._handed_on(X, np.empty((0, X.shape[1])))[0]
        answers = self.all("value", X)
        return self._total([value for value, _ in answers], [work for _, work in answers])

    def value_and_input_gradient(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        if self.strict:
            self._decide(X)
            return self._handed_on(X, np.zeros(X.shape))
        values, gradients, work = zip(*self.all("gradient", X), strict=True)
        return self._total(values, work), self._total(gradients, ())

    def smoothed_input_gradient(self, X: FloatArray, bandwidth: float) -> FloatArray:
        if not self.strict:
            gradients, work = zip(*self.all("smoothed", X, bandwidth, None), strict=True)
            return self._total(gradients, work)
        gradient = np.zeros(X.shape)
        for k in self._shards:
            gradient, work = self._one(k, "smoothed", X, bandwidth, gradient)
            self.work += work
        return gradient

    def forward(self, X: FloatArray) -> _Passed:
        answers = self._decide(X)
        if self.strict:
            value, _ = self._handed_on(X, np.empty((0, X.shape[1])))
        else:
            value = self._total([answer[0] for answer in answers], ())
        counts = np.sum([answer[1] for answer in answers], axis=0)
        return _Passed(value, counts, np.ones(sum(answer[2] for answer in answers), dtype=np.bool_))

    def weight_gradient(
        self, X: FloatArray, passed: _Passed, coefficients: FloatArray
    ) -> tuple[IntArray | None, FloatArray]:
        """Let the shards decide on their step; nothing of it comes here."""
        answers = self.all("backward", X, coefficients, self._eta)
        self.work += sum(work for _, work in answers)
        for problem, _ in answers:
            if problem:
                raise FloatingPointError(problem)
        return None, np.empty((0, X.shape[1]))

    def _one(self, k: int, question: str, *arguments: Any) -> Any:
        with _undisturbed():
            return self._crew.ask([(k, question, arguments)])[0]

    def _decide(self, X: FloatArray) -> list[Any]:
        answers = self.all("forward", X)
        self.work += sum(answer[-1] for answer in answers)
        return answers

    def _handed_on(self, X: FloatArray, gradient: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Let each shard add to what the shards before it have summed."""
        value = np.zeros(len(X))
        for k in self._shards:
            value, gradient, work = self._one(k, "add", X, value, gradient)
            self.work += work
        return value, gradient

    def _total(self, shares: Sequence[FloatArray], work: Sequence[int]) -> FloatArray:
        """Add in the order of the shards."""
        total = np.array(shares[0])
        for share in shares[1:]:
            total += share
        self.work += sum(work)
        return total


class _Sources:
    """The sources of all shards, as the loop of a trainer sees one."""

    def __init__(self, front: _Front) -> None:
        self.work = 0
        self._front = front
        self._candidates = 0.0
        names, aside = zip(*front.all("describe"), strict=True)
        different = " or ".join(sorted(set(names)))
        self.name = f"{len(names)} shards, {different}"
        self.set_aside = int(sum(aside))

    def evaluator(self, batch: IntArray | None = None) -> Any:
        """Let every shard find its neurons."""
        answers = self._front.all("evaluator", batch)
        self.work += sum(work for work, _ in answers)
        self._candidates = float(sum(candidates for _, candidates in answers))
        return self._front

    def candidates(self) -> float:
        """Count what the evaluators of all shards know, per example."""
        return self._candidates

    def update(self, rows: IntArray | None, values: FloatArray) -> None:
        """Do nothing: each shard updates its own index when it takes its step."""


class _ShardedRun(Run):
    """A run whose weights are elsewhere."""

    def __init__(
        self,
        trainer: ShardedAdversarialTraining,
        network: TwoLayerNetwork,
        X: FloatArray,
        y: FloatArray,
        generator: np.random.Generator,
    ) -> None:
        super().__init__(trainer, network, X, y, generator)
        self._squares = 0.0, 0.0
        count, m = trainer.shards, network.m
        self._cuts = [k * m // count for k in range(count + 1)]
        self._crew = _crew(trainer)
        try:
            scale = network.working_copy().weight_scale
            canonical = trainer.reduction == "reference"
            self._front = _Front(self._crew, count, canonical, scale, self.eta)
            self._front.each("load", [(trainer, self._block(k, scale), X) for k in range(count)])
            self._source = _Sources(self._front)
        except BaseException:
            self._crew.close()
            raise

    def _begin(self) -> None:
        """Do nothing: the shards hold what a run starts with."""

    def _block(self, k: int, weight_scale: float) -> dict[str, Any]:
        network, rows = self._start, slice(self._cuts[k], self._cuts[k + 1])
        return {
            "first": rows.start,
            "W": network.W[rows],
            "a": network.a[rows],
            "b": network.b[rows],
            "tau": network.tau,
            "shift": network.shift,
            "weight_scale": weight_scale,
        }

    def close(self) -> None:
        """Let the workers go."""
        self._crew.close()

    def network(self) -> TwoLayerNetwork:
        """Return the present network, collected from the shards."""
        return self._start.with_weights(np.concatenate([W for W, _ in self._front.all("weights")]))

    def state(self) -> checkpoints.State:
        """Return what a checkpoint holds: the same as that of a single process."""
        weights, squares = zip(*self._front.all("weights"), strict=True)
        return checkpoints.State(
            np.concatenate(weights),
            np.concatenate(squares),
            dict(self._generator.bit_generator.state),
            tuple(self.records),
        )

    def restore(self, state: checkpoints.State | None) -> None:
        """Start from a checkpoint, and from nothing else that may have happened before."""
        if state is None:
            return
        parts = [slice(*ends) for ends in itertools.pairwise(self._cuts)]
        self._front.each("restore", [(state.W[p], state.squared_drift[p]) for p in parts])
        self._generator.bit_generator.state = state.generator
        self.records = list(state.records)
        self._source = _Sources(self._front)

    def _descended(
        self, rows: IntArray | None, gradient: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        return gradient, np.empty(0)

    def _carry_out(self, update: Update) -> None:
        answers = self._front.all("carry_out", update.record["step"])
        largest, total = zip(*answers, strict=True)
        self._squares = max(largest), float(np.sum(total))

    def _drift(self, update: Update) -> dict[str, float]:
        largest, total = self._squares
        return {"drift_max": float(np.sqrt(largest)), "drift_frobenius": float(np.sqrt(total))}


def _crew(trainer: ShardedAdversarialTraining) -> _Crew:
    if trainer.scheduler is not None:
        return _Cluster(trainer.shards, trainer.scheduler)
    return _Here(trainer.shards)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Let a question be answered before Ctrl-C is heard: half an answer could not be told from one.

    Signals are handled in the main thread only; anywhere else nobody hears Ctrl-C.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[tuple[int, Any]] = []
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):
        yield
        return
    signal.signal(signal.SIGINT, lambda number, frame: heard.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if heard:
            before(*heard[-1])
