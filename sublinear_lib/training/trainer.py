"""Algorithm 1 of the paper, sparse and dense, in one loop.

For each step t: the adversary moves every example inside its cap (line 11), the active neurons at
the moved points are found (12), f and the derivative of the loss are computed on them (17, 18), and
the rows of the union ``Q_t`` take a gradient step (19) and are moved in the index (20, 21).  The
two trainers run the same code; they differ in where the neurons come from, the index or all m of
them (:mod:`sublinear_lib.training.sources`).  Before changing the loop, know what is promised about
it: with ``reduction="reference"`` the sparse trainer equals the dense one bit by bit, and so do the
active sets; with ``reduction="blas"`` every sum of a step equals the dense one to rounding, and a
discontinuous step rule can turn a last bit into another path.  A run that is resumed from a
checkpoint equals the uninterrupted one bit by bit (:mod:`sublinear_lib.training.checkpoint`).
"""

from __future__ import annotations

import contextlib
import functools
import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from time import perf_counter
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from sublinear_lib import validation
from sublinear_lib._arguments import Count, Flag, check_fields
from sublinear_lib._typing import FloatArray, IntArray, Seed
from sublinear_lib.adversary import Adversary, AttackResult, margin_of
from sublinear_lib.evaluation import Neurons, Reduction, kernels_in_use
from sublinear_lib.losses import Loss, get_loss
from sublinear_lib.network import TwoLayerNetwork, expect_network
from sublinear_lib.training import checkpoint as checkpoints
from sublinear_lib.training.checkpoint import LARGEST_WEIGHT
from sublinear_lib.training.history import PHASES, History, StepRecord, TrainingDiverged
from sublinear_lib.training.measuring import Measure
from sublinear_lib.training.sources import (
    AllNeurons,
    CappedNeurons,
    IndexedNeurons,
    IndexMethod,
    LiteralNeurons,
    LivingNeurons,
    NeuronSource,
    StepEvaluator,
    Task,
    choose_source,
    firing_on_slice,
)
from sublinear_lib.training.step_size import STEP_SIZE_RULES, StepSizeRule, resolve_step_size

__all__ = ["Callback", "DenseAdversarialTraining", "Search", "SublinearAdversarialTraining"]

Search: TypeAlias = Literal["query", "scan", "tree", "caps", "auto", "literal"]
"""How the sparse trainer finds neurons."""

Callback: TypeAlias = Callable[[StepRecord, Callable[[], TwoLayerNetwork]], object]
"""Called after every step with its record and a function that returns the present network; when it
returns ``True``, training stops."""


@dataclass(frozen=True, kw_only=True)
class _AdversarialTraining(ABC):
    """The parameters and the loop that both trainers share."""

    adversary: Adversary
    loss: str | Loss = "huber"
    eta: float | str | StepSizeRule = "auto"
    steps: Count = 100
    batch_size: Count | None = None
    measure: Measure | None = None
    reduction: Reduction = "blas"
    progress: Flag = False

    def __post_init__(self) -> None:
        """Check the parameters."""
        given: object = self.adversary
        if not callable(given) or not hasattr(given, "rho"):
            raise TypeError(
                "adversary must be callable and have an attribute rho, for example "
                f"ProjectedGradient(rho=0.1), got {type(given).__name__}"
            )
        validation.scalar(self.adversary.rho, "adversary.rho", minimum=0)
        get_loss(self.loss)
        if isinstance(self.eta, str):
            validation.choice(self.eta, "eta", STEP_SIZE_RULES)
        elif not callable(getattr(self.eta, "step_size", None)):
            validation.scalar(self.eta, "eta", exclusive_minimum=0)
        check_fields(self)
        if self.measure is not None:
            validation.instance(self.measure, "measure", Measure)
        validation.choice(self.reduction, "reduction", ("blas", "reference"))

    @abstractmethod
    def _source(self, neurons: Neurons, X: FloatArray) -> NeuronSource:
        """Return where the neurons of a step come from."""

    def fit(
        self,
        network: TwoLayerNetwork,
        X: object,
        y: object,
        *,
        rng: Seed,
        callback: Callback | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: int = 10,
        on_interrupt: Literal["raise", "return"] = "raise",
    ) -> History:
        """Train a network.

        Parameters
        ----------
        network : TwoLayerNetwork
            The network at initialization; it is not changed.
        X : array-like, shape (n, d)
            Clean training points on the slice ``||x|| = 1, x_d = 1/2``.
        y : array-like, shape (n,)
            Labels, ``|y| <= 1``.
        rng : int, SeedSequence or Generator
            Source of randomness of the adversary and of the batches.
        callback : callable, optional
            Called after every step with its `StepRecord` and a function that returns the present
            network (a copy, so it costs O(m d)); training stops when it returns ``True``.
        checkpoint : path, optional
            A file.  If it exists, the run goes on from it, otherwise from the beginning; in both
            cases it is written again and again on the way.  The checkpoint before the present one
            is kept as ``NAME.previous``.
        checkpoint_every : int, default 10
            How many steps lie between two checkpoints.  The trainer starts anew from each of them,
            so that a resumed run equals an uninterrupted one, with the same number here, to the
            bit; with ``reduction="reference"`` also for any other number, and without checkpoints.
        on_interrupt : {"raise", "return"}, default "raise"
            What Ctrl-C does.  ``"raise"`` passes it on, so that whoever called this ends as well.
            ``"return"`` is for a person who wants the steps so far: the run ends after the last
            completed step, and the history says ``interrupted=True``.

        Returns
        -------
        History
            One row per step, and the final network.  After a resumption it begins with the steps of
            the earlier process.

        Raises
        ------
        TypeError, ValueError
            If an argument has a wrong type, shape or value, or the adversary returns points outside
            the caps.  `ValueError` also for a checkpoint that is damaged, no checkpoint at all, or
            of another run (other data, network, seed or settings; only `steps` may differ).  An
            adversary, loss or rule of your own is compared by what `pickle` would store of it;
            `TypeError` if nothing can be stored.  `ValueError` also for an adversary that spawns
            generators, whose number no checkpoint holds.
        OSError
            If a checkpoint cannot be read or written.
        TrainingDiverged
            A `FloatingPointError`: a weight or a loss is no longer finite.  The message names step
            and cause, and the exception carries the history up to the step before.
        KeyboardInterrupt
            After Ctrl-C, unless `on_interrupt` is ``"return"``.

        Notes
        -----
        Source: Algorithm 1.  The gradient does not go through the adversary (Remark 3.8).
        """
        expect_network(network)
        largest = float(np.abs(network.W).max())
        if largest > LARGEST_WEIGHT:
            raise ValueError(
                f"network must have weights of at most {LARGEST_WEIGHT:g} in absolute value to be "
                f"trained, got {largest!r}"
            )
        # Copies that neither a callback nor an adversary can change.
        points = validation.points_on_slice(X, d=network.d).copy()
        labels = validation.labels(y, n=len(points)).copy()
        points.flags.writeable = labels.flags.writeable = False
        generator = validation.generator(rng)
        if callback is not None and not callable(callback):
            raise TypeError(f"callback must be callable, got {type(callback).__name__}")
        if self.batch_size is not None and self.batch_size > len(points):
            raise ValueError(
                f"batch_size must be at most the number of examples {len(points)}, "
                f"got {self.batch_size}"
            )
        every = validation.count(checkpoint_every, "checkpoint_every")
        validation.choice(on_interrupt, "on_interrupt", ("raise", "return"))
        keeper = None
        if checkpoint is not None:
            prints = checkpoints.fingerprints(
                network,
                points,
                labels,
                self._settings(),
                generator.bit_generator.state,
                (self.adversary.rho, resolve_step_size(self.eta, network)),
            )
            keeper = _Keeper(checkpoint, every, prints, (network.m, network.d), generator)
        with contextlib.closing(self._run(network, points, labels, generator)) as run:
            return self._loop(run, keeper, callback, on_interrupt == "return")

    def _run(
        self, network: TwoLayerNetwork, X: FloatArray, y: FloatArray, generator: np.random.Generator
    ) -> Run:
        """Return a run at its beginning."""
        return Run(self, network, X, y, generator)

    def _loop(
        self, run: Run, keeper: _Keeper | None, callback: Callback | None, returning: bool
    ) -> History:
        """Do the steps that are missing."""
        if keeper is not None:
            run.restore(keeper.read(self.steps))
        with _progress_bar(self.steps, len(run.records), self.progress) as show:
            try:
                for step in range(len(run.records), self.steps):
                    try:
                        record = run.step()
                    except FloatingPointError as error:
                        raise TrainingDiverged(
                            f"training diverged at step {step}: {error} (eta = {run.eta:.6g})",
                            step,
                            run.history(interrupted=True, stopped=f"diverged at step {step}"),
                        ) from error
                    if keeper is not None:
                        keeper.save(run)
                    show(record)
                    if callback is not None and callback(record, run.network) is True:
                        return run.history(interrupted=True, stopped="the callback asked for it")
            except KeyboardInterrupt:
                if not returning:
                    raise
                run.recover()
                return run.history(interrupted=True, stopped="interrupted from the keyboard")
        return run.history()

    def _settings(self) -> str:
        """Describe everything that changes the steps of a run."""
        without = self._without_effect()
        settings = [item.name for item in fields(self) if item.name not in without]
        described = (f"{name}={checkpoints.describe(getattr(self, name))}" for name in settings)
        return f"{type(self).__name__}({', '.join(described)})"

    def _without_effect(self) -> tuple[str, ...]:
        """Return the parameters that change no step."""
        return ("steps", "progress")


@dataclass(frozen=True, kw_only=True)
class SublinearAdversarialTraining(_AdversarialTraining):
    """Algorithm 1 with a half-space index: each example meets only the neurons near it.

    Parameters
    ----------
    adversary : Adversary
        Who moves the examples, for instance ``ProjectedGradient(rho=0.1)``.
    loss : str or Loss, default "huber"
        A convex 1-Lipschitz loss (Definition 3.2).
    eta : float, str or StepSizeRule, default "auto"
        Step size, or a rule: ``"printed"`` is ``0.1 m^{-1/5}``, ``"repaired"`` is
        ``0.1 / (Q(t) sum a_r^2)``, ``"stable"``, alias ``"auto"``, is ``0.5 / (2 Q(t) sum a_r^2)``
        (for the paper's output weights ``0.5 m^{-3/5} / (2 Q(t))``); see
        :mod:`sublinear_lib.training.step_size`.
    steps : int, default 100
        Number of steps T.
    batch_size : int, optional
        Number of examples per step, drawn without replacement for each step anew; the loss of the
        step is that of the batch.  By default every step uses all examples, as in the paper.
    measure : Measure, optional
        Which steps bracket the robust loss and count flips; by default none.
    reduction : {"blas", "reference"}, default "blas"
        Order of the sums: free and fast, or canonical.  With ``"reference"`` the result equals the
        dense trainer's bit by bit; with ``"blas"`` to rounding, as long as no last bit decides: a
        discontinuous step rule (the sign of a slope, a gradient that sees no jumps, the best of
        several points) can turn one into another path.
    progress : bool, default False
        Whether to show a progress bar.
    index : str, default "auto"
        How to find neurons.  ``"auto"``: whatever
        :func:`sublinear_lib.training.sources.choose_source` expects to be fastest; where that is
        all neurons because numba is missing, a warning says so, once.  ``"caps"``: the
        neurons of each cap, sorted once per step into those that fire all over it, which the attack
        then meets as one sum, and those that it has to look at.  ``"query"``: one index query per
        example and step, the engine chosen by the index (``"scan"`` or ``"tree"`` choose it by
        hand).  ``"literal"``: Algorithm 1 as printed, one query per adversarial point, for
        comparison.
    set_aside : bool, default True
        Whether neurons that can never fire on X are left out.  Changes the cost only; ``"literal"``
        never does it.

    Raises
    ------
    TypeError, ValueError
        If a parameter has a wrong type or is out of range.

    Notes
    -----
    Source: Algorithm 1.  The neurons of a cap are found once per step, and the answer serves the
    whole attack (:mod:`sublinear_lib.training.sources` has the proof), so the adversary, which the
    paper does not count, is as sparse as the rest.  Only ``"literal"`` asks at every point.

    Examples
    --------
    >>> from sublinear_lib import datasets
    >>> from sublinear_lib.adversary import ProjectedGradient
    >>> data = datasets.circle(4, labels="alternating")
    >>> start = TwoLayerNetwork.initialize(512, 3, rng=0, tau=0.08)
    >>> trainer = SublinearAdversarialTraining(adversary=ProjectedGradient(rho=0.1), steps=20)
    >>> history = trainer.fit(start, data.X, data.y, rng=0)
    >>> bool(history.loss[-1] < history.loss[0])
    True
    """

    index: Search = "auto"
    set_aside: Flag = True

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        validation.choice(self.index, "index", get_args(Search))

    def _source(self, neurons: Neurons, X: FloatArray) -> NeuronSource:
        rho, reduction = self.adversary.rho, self.reduction
        if self.index == "literal":
            return LiteralNeurons(Task(neurons, X, rho, reduction))
        margin = margin_of(self.adversary, neurons.weight_scale)
        alive = firing_on_slice(neurons, margin) if self.set_aside else None
        task = Task(neurons, X, rho, reduction, margin, alive)
        how: str = self.index
        if how == "auto":
            living = neurons.m if alive is None else len(alive)
            how = choose_source(neurons, X, rho, margin, reduction, living)
            wanted = os.environ.get("SUBLINEAR_NUMBA") == "0"
            if how == "dense" and kernels_in_use() == "numpy" and not wanted:
                _say_once_that_nothing_is_compiled()
        if how == "dense":
            return _all_neurons(task)
        if how == "caps":
            return CappedNeurons(task)
        method = validation.choice(
            "auto" if how == "query" else how, "index", get_args(IndexMethod)
        )
        return IndexedNeurons(task, method)


@dataclass(frozen=True, kw_only=True)
class DenseAdversarialTraining(_AdversarialTraining):
    """Algorithm 1 over all m neurons: what adversarial training costs without sparsity.

    Parameters
    ----------
    adversary, loss, eta, steps, batch_size, measure, reduction, progress
        As for `SublinearAdversarialTraining`.
    set_aside : bool, default False
        Whether neurons that can never fire on X are left out of the matrices.  Changes the cost
        only.

    Raises
    ------
    TypeError, ValueError
        If a parameter has a wrong type or is out of range.

    Notes
    -----
    The reference for the sparse trainer: the same loop, but scores, activities and both gradients
    are matrix products over all neurons, ``O(m n d)`` operations each.
    """

    set_aside: Flag = False

    def _source(self, neurons: Neurons, X: FloatArray) -> NeuronSource:
        margin = margin_of(self.adversary, neurons.weight_scale)
        alive = firing_on_slice(neurons, margin) if self.set_aside else None
        return _all_neurons(Task(neurons, X, self.adversary.rho, self.reduction, margin, alive))


@functools.cache
def _say_once_that_nothing_is_compiled() -> None:
    warnings.warn(
        "index='auto' takes all neurons here, as DenseAdversarialTraining does: without compiled "
        "kernels that is faster than to look for the few that fire.  pip install '.[fast]' brings "
        "compiled kernels; index='caps' or 'query' looks for them all the same",
        stacklevel=2,
    )


def _all_neurons(task: Task) -> NeuronSource:
    """Return the dense source, of the neurons that can fire if some cannot."""
    return AllNeurons(task) if task.alive is None else LivingNeurons(task)


@dataclass
class Update:
    """A step that is decided but perhaps not carried out completely."""

    rows: IntArray | None
    weights: FloatArray
    squares: FloatArray
    record: dict[str, Any]


class Run:
    """The state of one training run."""

    def __init__(
        self,
        trainer: _AdversarialTraining,
        network: TwoLayerNetwork,
        X: FloatArray,
        y: FloatArray,
        generator: np.random.Generator,
    ) -> None:
        self.eta = resolve_step_size(trainer.eta, network)
        self.records: list[StepRecord] = []
        self._trainer, self._start, self._m = trainer, network, network.m
        self._X, self._y = X, y
        self._adversary, self._loss = trainer.adversary, get_loss(trainer.loss)
        self._generator = generator
        self._batch_size, self._measure = trainer.batch_size, trainer.measure
        self._pending: Update | None = None
        self._begin()

    def _begin(self) -> None:
        """Make what a run starts with."""
        self._neurons = self._start.working_copy()
        self._source = self._trainer._source(self._neurons, self._X)
        self._squared_drift = np.zeros(self._m)

    def close(self) -> None:
        """Let go of what the run holds."""

    def network(self) -> TwoLayerNetwork:
        """Return the present network."""
        return self._start.with_weights(self._neurons.W)

    def history(self, *, interrupted: bool = False, stopped: str = "") -> History:
        """Return the steps so far."""
        return History(
            final=self.network(),
            method=self._source.name,
            eta=self.eta,
            n=len(self._X),
            interrupted=interrupted,
            records=tuple(self.records),
            set_aside=self._source.set_aside,
            stopped=stopped,
        )

    def state(self) -> checkpoints.State:
        """Return what a checkpoint holds."""
        return checkpoints.State(
            self._neurons.W.copy(),
            self._squared_drift.copy(),
            dict(self._generator.bit_generator.state),
            tuple(self.records),
        )

    def restore(self, state: checkpoints.State | None) -> None:
        """Start from a checkpoint, and from nothing else that may have happened before."""
        if state is None:
            return
        neurons = self._start.working_copy()
        # What is known about neurons that never moved was found out with the initial weights.
        source = self._trainer._source(neurons, self._X)
        neurons.set_rows(None, state.W)
        moved = np.flatnonzero((state.W != self._start.W).any(axis=1))
        source.update(moved, state.W[moved])
        self._generator.bit_generator.state = state.generator
        self._squared_drift = state.squared_drift
        self.records = list(state.records)
        self._neurons, self._source = neurons, source

    def _batch(self) -> IntArray | None:
        """Draw the examples of a step."""
        if self._batch_size is None or self._batch_size == len(self._X):
            return None
        drawn = self._generator.choice(len(self._X), self._batch_size, replace=False)
        return np.sort(drawn)

    def _measurements(self) -> dict[str, Any]:
        if self._measure is None or len(self.records) % self._measure.every:
            return {}
        now, rho = self.network(), self._adversary.rho
        return dict(self._measure.at(self._start, now, self._X, self._y, rho, self._loss))

    def step(self) -> StepRecord:
        """Do one step of Algorithm 1 and return its record."""
        clock = Clock()
        measured = self._measurements()
        clock.stop("monitor")
        batch = self._batch()
        X, y = (self._X, self._y) if batch is None else (self._X[batch], self._y[batch])
        query_work = self._source.work
        evaluator = self._source.evaluator(batch)
        clock.stop("query")

        before = evaluator.work
        target = Target(evaluator, self.network)
        target.checked = X, y
        attack = self._adversary(target, X, y, self._loss, self._generator)
        moved = adversarial_points(attack, X.shape)
        # An adversary that asked for the whole network met all m neurons, once per example.
        swept = len(X) * self._m if target.shown else 0
        attacked = evaluator.work
        clock.stop("adversary")

        passed = evaluator.forward(moved)
        require_finite(passed.value, "the network's output")
        losses = self._loss.value(y, passed.value)
        forwarded = evaluator.work
        clock.stop("forward")

        slopes = self._loss.derivative(y, passed.value)
        rows, gradient = evaluator.weight_gradient(moved, passed, slopes / len(X))
        clock.stop("backward")

        weights, squares = self._descended(rows, gradient)
        clock.stop("update")

        require_finite(attack.clean_value, "the network's output at a clean point")
        clean_loss = float(self._loss.value(y, attack.clean_value).sum() / len(X))
        counts = passed.counts
        record: dict[str, Any] = {
            "step": len(self.records),
            "loss": float(losses.sum() / len(X)),
            "clean_loss": clean_loss,
            "activity_mean": float(counts.sum() / len(X) / self._m),
            "activity_max": float(counts.max() / self._m),
            "touched": int(np.count_nonzero(passed.touched)),
            "candidates": self._source.candidates(),
            "work_query": self._source.work - query_work,
            "work_adversary": attacked - before + swept,
            "work_forward": forwarded - attacked,
            "work_backward": evaluator.work - forwarded,
            "seconds": clock.seconds,
            **measured,
        }
        clock.stop("monitor")

        # From here on the step happens: an interrupt before its record is written completes it
        # (`recover`) instead of leaving weights and history out of step.
        self._pending = Update(rows, weights, squares, record)
        self._carry_out(self._pending)
        self._source.update(rows, weights)
        clock.stop("update")
        self._record(self._pending)
        clock.stop("monitor")
        return self.records[-1]

    def recover(self) -> None:
        """Complete a step that was interrupted after its update had been decided."""
        if self._pending is not None:
            self._carry_out(self._pending)
            self._record(self._pending)

    def _descended(
        self, rows: IntArray | None, gradient: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Compute the new weights and their squared distances from the start."""
        weights, squares, largest = self._neurons.descended(rows, gradient, self.eta, self._start.W)
        if not largest <= LARGEST_WEIGHT:
            require_weights(weights, rows)
        return weights, squares

    def _carry_out(self, update: Update) -> None:
        """Write the new weights, however often it is called."""
        self._neurons.set_rows(update.rows, update.weights)

    def _drift(self, update: Update) -> dict[str, float]:
        """Note how far the neurons are from their start, however often it is called."""
        if update.rows is None:
            self._squared_drift[:] = update.squares
        else:
            self._squared_drift[update.rows] = update.squares
        return {
            "drift_max": float(np.sqrt(self._squared_drift.max())),
            "drift_frobenius": float(np.sqrt(self._squared_drift.sum())),
        }

    def _record(self, update: Update) -> None:
        """Write the record, once, however often it is called."""
        drift = self._drift(update)
        if len(self.records) == update.record["step"]:
            self.records.append(StepRecord(**{**update.record, **drift}))
        self._pending = None


class Target:
    """What the adversary is given: the evaluator of the step, and the network if need be."""

    def __init__(self, evaluator: StepEvaluator, network: Callable[[], TwoLayerNetwork]) -> None:
        self.shown = False
        self.checked: tuple[object, object] = (None, None)  # what an attack need not check again
        self.strict = bool(getattr(evaluator, "strict", False))
        self._evaluator = evaluator
        self._network = network
        self.value = evaluator.value
        self.climb = getattr(evaluator, "climb", None)
        self.value_and_input_gradient = evaluator.value_and_input_gradient
        self.smoothed_input_gradient = evaluator.smoothed_input_gradient

    @property
    def weight_scale(self) -> float:
        """Root mean square of the weights, the last column left out, at the start of the run."""
        return self._evaluator.weight_scale

    def whole_network(self) -> TwoLayerNetwork:
        """Return the network as it is now."""
        self.shown = True
        return self._network()


class _Keeper:
    """Reads and writes the checkpoints of a run."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        every: int,
        prints: dict[str, str],
        shape: tuple[int, int],
        generator: np.random.Generator,
    ) -> None:
        given: object = path
        if not isinstance(given, (str, os.PathLike)):
            raise TypeError(f"checkpoint must be a path, got {type(given).__name__}")
        self._path = Path(path)
        if not self._path.parent.is_dir():
            raise FileNotFoundError(
                f"checkpoint must lie in a directory that exists, got {str(self._path)!r}"
            )
        self._every = every
        self._prints = prints
        self._shape = shape
        self._generator = generator.bit_generator
        self._spawned = self._count_spawned()

    def _count_spawned(self) -> int:
        return getattr(self._generator.seed_seq, "n_children_spawned", 0)

    def read(self, steps: int) -> checkpoints.State | None:
        """Return the checkpoint if there is one."""
        try:
            state = checkpoints.read(self._path, self._prints, self._shape, self._generator)
        except FileNotFoundError:
            return None
        if len(state.records) > steps:
            raise ValueError(
                f"steps must be at least the {len(state.records)} steps of the checkpoint "
                f"{str(self._path)!r}, got {steps}"
            )
        return state

    def save(self, run: Run) -> None:
        """Write a checkpoint if one is due, and go on from it."""
        if self._count_spawned() != self._spawned:
            raise ValueError(
                "the adversary must draw from the generator that it is given to be trained with a "
                "checkpoint, which does not hold how many others were spawned from it"
            )
        if len(run.records) % self._every == 0:
            state = run.state()
            checkpoints.write(self._path, state, self._prints)
            run.restore(state)


class Clock:
    """Seconds per phase of one step."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PHASES, 0.0)
        self._last = perf_counter()

    def stop(self, phase: str) -> None:
        """Book the time since the last call."""
        now = perf_counter()
        self.seconds[phase] += now - self._last
        self._last = now


def adversarial_points(attack: AttackResult, shape: tuple[int, ...]) -> FloatArray:
    """Return the points of an attack, or say what is wrong with them."""
    if not isinstance(attack, AttackResult):
        raise TypeError(f"the adversary must return an AttackResult, got {type(attack).__name__}")
    points = validation.float_array(attack.X, "the adversary's points", shape=shape)
    return validation.points_on_slice(points, "the adversary's points")


def require_finite(values: FloatArray, what: str) -> None:
    """Refuse a number per example that is not finite."""
    finite = np.isfinite(values)
    if not finite.all():
        row = int(np.argmin(finite))
        raise FloatingPointError(f"{what} is {float(values[row])}, example {row}")


def require_weights(weights: FloatArray, rows: IntArray | None) -> None:
    """Refuse weights beyond `LARGEST_WEIGHT`; the rows say which neurons they belong to."""
    bad = ~(np.abs(weights) <= LARGEST_WEIGHT)
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        neuron = row if rows is None else int(rows[row])
        raise FloatingPointError(
            f"weight {column} of neuron {neuron} would become {float(weights[row, column]):.6g}"
        )


@contextlib.contextmanager
def _progress_bar(steps: int, done: int, wanted: bool) -> Iterator[Callable[[StepRecord], None]]:
    """Show a bar for a while, if it is wanted; hand out what advances it by one step."""
    if not wanted:
        yield lambda record: None
        return
    from tqdm.auto import tqdm

    with tqdm(total=steps, initial=done, unit="step", desc="training") as bar:

        def show(record: StepRecord) -> None:
            bar.set_postfix(
                loss=f"{record.loss:.4f}",
                active=f"{100.0 * record.activity_mean:.2f} %",
                passes=f"{record.work:.3g}",
            )
            bar.update()

        yield show
