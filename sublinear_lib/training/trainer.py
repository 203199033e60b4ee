"""Algorithm 1 of the paper, sparse and dense, in one loop.

For each step t: the adversary moves every example inside its cap (line 11), the active neurons at
the moved points are found (12), f and the derivative of the loss are computed on them (17, 18), and
the rows of the union ``Q_t`` take a gradient step (19) and are moved in the index (20, 21).  The
two trainers run the same code; they differ in where the neurons come from, the index or all m of
them (:mod:`sublinear_lib.training.sources`).  Before changing the loop, know what is promised about
it: the sparse trainer equals the dense one, bit by bit with ``reduction="reference"`` and to
rounding with ``reduction="blas"``, with identical active sets.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from sublinear_lib import validation
from sublinear_lib._typing import FloatArray, IntArray, Seed
from sublinear_lib.adversary import Adversary, AttackResult, margin_of
from sublinear_lib.evaluation import Neurons, Reduction
from sublinear_lib.losses import Loss, get_loss
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training.history import PHASES, History, StepRecord, TrainingDiverged
from sublinear_lib.training.sources import AllNeurons, IndexedNeurons, IndexMethod, NeuronSource
from sublinear_lib.training.step_size import STEP_SIZE_RULES, StepSizeRule, resolve_step_size

__all__ = ["Callback", "DenseAdversarialTraining", "SublinearAdversarialTraining"]

Callback: TypeAlias = Callable[[StepRecord, Callable[[], TwoLayerNetwork]], object]
"""Called after every step with its record and a function that returns the present network; when it
returns ``True``, training stops."""

# Beyond this no product of weights is safe; training has diverged long before.
_LARGEST_WEIGHT = 1e150


@dataclass(frozen=True, kw_only=True)
class _AdversarialTraining(ABC):
    """The parameters and the loop that both trainers share."""

    adversary: Adversary
    loss: str | Loss = "huber"
    eta: float | str | StepSizeRule = "stable"
    steps: int = 100
    reduction: Reduction = "blas"
    progress: bool = False

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
        if not isinstance(self.eta, str) and not callable(getattr(self.eta, "step_size", None)):
            validation.scalar(self.eta, "eta", exclusive_minimum=0)
        elif isinstance(self.eta, str):
            validation.choice(self.eta, "eta", STEP_SIZE_RULES)
        validation.count(self.steps, "steps")
        validation.choice(self.reduction, "reduction", ("blas", "reference"))
        validation.boolean(self.progress, "progress")

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
    ) -> History:
        """Train a network.

        Parameters
        ----------
        network : TwoLayerNetwork
            The network at initialisation; it is not changed.
        X : array-like, shape (n, d)
            Clean training points on the slice ``||x|| = 1, x_d = 1/2``.
        y : array-like, shape (n,)
            Labels, ``|y| <= 1``.
        rng : int, SeedSequence or Generator
            Source of randomness of the adversary.
        callback : callable, optional
            Called after every step with its `StepRecord` and a function that returns the present
            network (a copy, so it costs O(m d)); training stops when it returns ``True``.

        Returns
        -------
        History
            One row per step, and the final network.  Ctrl-C ends the run after the last completed
            step: the history then says ``interrupted=True``.

        Raises
        ------
        TypeError, ValueError
            If an argument has a wrong type, shape or value, or the adversary returns points outside
            the caps.
        TrainingDiverged
            A `FloatingPointError`: a weight or a loss is no longer finite.  The message names step
            and cause, and the exception carries the history up to the step before.

        Notes
        -----
        Source: Algorithm 1.  The gradient does not go through the adversary (Remark 3.8).
        """
        if not isinstance(network, TwoLayerNetwork):
            raise TypeError(f"network must be a TwoLayerNetwork, got {type(network).__name__}")
        largest = float(np.abs(network.W).max())
        if largest > _LARGEST_WEIGHT:
            raise ValueError(
                f"network must have weights of at most {_LARGEST_WEIGHT:g} in absolute value to be "
                f"trained, got {largest!r}"
            )
        points = validation.points_on_slice(X, d=network.d)
        labels = validation.labels(y, n=len(points))
        generator = validation.generator(rng)
        if callback is not None and not callable(callback):
            raise TypeError(f"callback must be callable, got {type(callback).__name__}")
        run = _Run(
            network=network,
            X=points,
            y=labels,
            adversary=self.adversary,
            loss=get_loss(self.loss),
            eta=resolve_step_size(self.eta, network),
            generator=generator,
            source=lambda neurons: self._source(neurons, points),
        )
        with _progress_bar(self.steps, self.progress) as bar:
            try:
                for step in range(self.steps):
                    try:
                        record = run.step()
                    except FloatingPointError as error:
                        raise TrainingDiverged(
                            f"training diverged at step {step}: {error} (eta = {run.eta:.6g})",
                            step,
                            run.history(interrupted=True),
                        ) from error
                    bar.show(record)
                    if callback is not None and callback(record, run.network) is True:
                        return run.history(interrupted=True)
            except KeyboardInterrupt:
                run.recover()
                return run.history(interrupted=True)
        return run.history(interrupted=False)


@dataclass(frozen=True, kw_only=True)
class SublinearAdversarialTraining(_AdversarialTraining):
    """Algorithm 1 with a half-space index: each example meets only the neurons near it.

    Parameters
    ----------
    adversary : Adversary
        Who moves the examples, for instance ``ProjectedGradient(rho=0.1)``.
    loss : str or Loss, default "huber"
        A convex 1-Lipschitz loss (Definition 3.2).
    eta : float, str or StepSizeRule, default "stable"
        Step size, or a rule: ``"printed"`` is ``0.1 m^{-1/5}``, ``"repaired"`` is
        ``0.1 / (Q(t) sum a_r^2)``, ``"stable"`` is ``0.5 / (2 Q(t) sum a_r^2)`` (for the paper's
        output weights ``0.5 m^{-3/5} / (2 Q(t))``); see :mod:`sublinear_lib.training.step_size`.
    steps : int, default 100
        Number of steps T.
    reduction : {"blas", "reference"}, default "blas"
        Order of the sums: free and fast, or canonical (then the result equals the dense trainer's
        bit by bit).
    progress : bool, default False
        Whether to show a progress bar.
    index : {"auto", "scan", "tree"}, default "auto"
        Structure of the half-space index.

    Raises
    ------
    TypeError, ValueError
        If a parameter has a wrong type or is out of range.

    Notes
    -----
    Source: Algorithm 1.  One index query per example and step serves the whole attack
    (:mod:`sublinear_lib.training.sources` has the proof), so the adversary, which the paper does
    not count, is as sparse as the rest.

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

    index: IndexMethod = "auto"

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        validation.choice(self.index, "index", ("auto", "scan", "tree"))

    def _source(self, neurons: Neurons, X: FloatArray) -> NeuronSource:
        margin = margin_of(self.adversary, neurons.weight_scale)
        return IndexedNeurons(neurons, X, self.adversary.rho, self.reduction, self.index, margin)


@dataclass(frozen=True, kw_only=True)
class DenseAdversarialTraining(_AdversarialTraining):
    """Algorithm 1 over all m neurons: what adversarial training costs without sparsity.

    Parameters
    ----------
    adversary, loss, eta, steps, reduction, progress
        As for `SublinearAdversarialTraining`.

    Raises
    ------
    TypeError, ValueError
        If a parameter has a wrong type or is out of range.

    Notes
    -----
    The reference for the sparse trainer: the same loop, but scores, activities and both gradients
    are matrix products over all neurons, ``O(m n d)`` operations each.
    """

    def _source(self, neurons: Neurons, X: FloatArray) -> NeuronSource:
        return AllNeurons(neurons, X, self.adversary.rho, self.reduction)


@dataclass
class _Update:
    """A step that is decided but perhaps not carried out completely."""

    rows: IntArray | None
    weights: FloatArray
    record: dict[str, Any]


class _Run:
    """The state of one training run."""

    def __init__(
        self,
        *,
        network: TwoLayerNetwork,
        X: FloatArray,
        y: FloatArray,
        adversary: Adversary,
        loss: Loss,
        eta: float,
        generator: np.random.Generator,
        source: Callable[[Neurons], NeuronSource],
    ) -> None:
        self.eta = eta
        self.records: list[StepRecord] = []
        self._start = network
        self._X, self._y = X, y
        self._adversary, self._loss = adversary, loss
        self._generator = generator
        self._neurons = network.working_copy()
        self._source = source(self._neurons)
        self._squared_drift = np.zeros(network.m)
        self._pending: _Update | None = None

    def network(self) -> TwoLayerNetwork:
        """Return the present network."""
        return self._start.with_weights(self._neurons.W)

    def history(self, *, interrupted: bool) -> History:
        """Return the steps so far."""
        return History(
            final=self.network(),
            method=self._source.name,
            eta=self.eta,
            n=len(self._X),
            interrupted=interrupted,
            records=tuple(self.records),
        )

    def step(self) -> StepRecord:
        """Do one step of Algorithm 1 and return its record."""
        X, y, n = self._X, self._y, len(self._X)
        clock = _Clock()
        query_work = self._source.work
        evaluator = self._source.evaluator()
        clock.stop("query")

        before = evaluator.work
        attack = self._adversary(evaluator, X, y, self._loss, self._generator)
        moved = _adversarial_points(attack, X.shape)
        attacked = evaluator.work
        clock.stop("adversary")

        passed = evaluator.forward(moved)
        _require_finite(passed.value, "the network's output")
        losses = self._loss.value(y, passed.value)
        forwarded = evaluator.work
        clock.stop("forward")

        slopes = self._loss.derivative(y, passed.value)
        rows, gradient = evaluator.weight_gradient(moved, passed, slopes / n)
        clock.stop("backward")

        with np.errstate(over="ignore", invalid="ignore"):
            gradient *= self.eta
            weights = (self._neurons.W if rows is None else self._neurons.W[rows]) - gradient
        _require_weights(weights, rows)
        clock.stop("update")

        _require_finite(attack.clean_value, "the network's output at a clean point")
        clean_loss = float(np.mean(self._loss.value(y, attack.clean_value)))
        counts = passed.counts
        touched = passed.touched
        m = self._neurons.m
        record: dict[str, Any] = {
            "step": len(self.records),
            "loss": float(np.mean(losses)),
            "clean_loss": clean_loss,
            "activity_mean": float(counts.mean() / m),
            "activity_max": float(counts.max() / m),
            "touched": int(np.count_nonzero(touched)),
            "candidates": self._source.candidates(),
            "work_query": self._source.work - query_work,
            "work_adversary": attacked - before,
            "work_forward": forwarded - attacked,
            "work_backward": evaluator.work - forwarded,
            "seconds": clock.seconds,
        }
        clock.stop("monitor")

        # From here on the step happens: an interrupt before its record is written completes it
        # (`recover`) instead of leaving weights and history out of step.
        self._pending = _Update(rows, weights, record)
        self._neurons.set_rows(rows, weights)
        self._source.update(rows, weights)
        clock.stop("update")
        self._record(self._pending)
        clock.stop("monitor")
        return self.records[-1]

    def recover(self) -> None:
        """Complete a step that was interrupted after its update had been decided."""
        if self._pending is not None:
            self._neurons.set_rows(self._pending.rows, self._pending.weights)
            self._record(self._pending)

    def _record(self, update: _Update) -> None:
        """Measure the drift and write the record, once, however often it is called."""
        start = self._start.W if update.rows is None else self._start.W[update.rows]
        moves = update.weights - start
        squares = np.einsum("ij,ij->i", moves, moves)
        if update.rows is None:
            self._squared_drift[:] = squares
        else:
            self._squared_drift[update.rows] = squares
        drift = {
            "drift_max": float(np.sqrt(self._squared_drift.max())),
            "drift_frobenius": float(np.sqrt(self._squared_drift.sum())),
        }
        if len(self.records) == update.record["step"]:
            self.records.append(StepRecord(**{**update.record, **drift}))
        self._pending = None


class _Clock:
    """Seconds per phase of one step."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PHASES, 0.0)
        self._last = perf_counter()

    def stop(self, phase: str) -> None:
        """Book the time since the last call."""
        now = perf_counter()
        self.seconds[phase] += now - self._last
        self._last = now


def _adversarial_points(attack: AttackResult, shape: tuple[int, ...]) -> FloatArray:
    if not isinstance(attack, AttackResult):
        raise TypeError(f"the adversary must return an AttackResult, got {type(attack).__name__}")
    points = validation.float_array(attack.X, "the adversary's points", shape=shape)
    return validation.points_on_slice(points, "the adversary's points")


def _require_finite(values: FloatArray, what: str) -> None:
    bad = ~np.isfinite(values)
    if bad.any():
        row = int(np.argmax(bad))
        raise FloatingPointError(f"{what} is {float(values[row])}, example {row}")


def _require_weights(weights: FloatArray, rows: IntArray | None) -> None:
    bad = ~(np.abs(weights) <= _LARGEST_WEIGHT)
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        neuron = row if rows is None else int(rows[row])
        raise FloatingPointError(
            f"weight {column} of neuron {neuron} would become {float(weights[row, column]):.6g}"
        )


class _progress_bar:
    """A tqdm bar, or nothing at all."""

    def __init__(self, steps: int, wanted: bool) -> None:
        self._bar: Any = None
        if wanted:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=steps, unit="step", desc="training")

    def __enter__(self) -> _progress_bar:
        return self

    def show(self, record: StepRecord) -> None:
        """Advance the bar by one step."""
        if self._bar is not None:
            self._bar.set_postfix(
                loss=f"{record.loss:.4f}", active=f"{100.0 * record.activity_mean:.2f} %"
            )
            self._bar.update()

    def __exit__(self, *unused: object) -> None:
        if self._bar is not None:
            self._bar.close()
