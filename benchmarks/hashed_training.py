"""The section on missed neurons: training whose active sets come from SimHash.

SLIDE trains on the neurons that share a bucket with the input.  Here the same trainer runs twice on
the same data: once with exact active sets, once with those that hash tables find at every point at
which the network is asked for.  Nothing else differs, so that what separates their weights is what
the missed neurons did.  Before changing it, know three things.  The tables are filled anew after
every step, which SLIDE does more rarely: recall is the best that these settings can have.  A second
exact trainer that sums in another order runs along: its distance shows what rounding alone does.
And everybody takes turns step by step, so that the times are of one run.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.iteration import RADIUS, TrainingProblem
from benchmarks.settings import Row, Settings, section
from benchmarks.simhash import SimHash
from benchmarks.stepping import FOREVER, Stepper
from sublinear_lib import adversary, datasets, geometry, scaling
from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.evaluation import Evaluator, ForwardPass, Neurons, Reduction
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import StepRecord, SublinearAdversarialTraining

_HASHES = ((6, 50), (9, 50), (6, 10), (12, 50), (12, 10))
"""Bits in a key and number of tables, from the most neurons found to the fewest."""

_STEPS, _FEW_STEPS = 100, 4
_CHECKED = (1, 10, 100)
_EXAMPLES = 64
_WIDTH = 2**12
_SHARE = 0.01
_DATA = "digits-3v8"
_TEST_SHARE = 0.25


class HashedNeurons:
    """The neurons that SimHash finds at each point at which f is asked for.

    - ``neurons``: The weights, shared with the trainer.
    - ``reduction``: Order of the sums.
    - ``bits``, ``tables``: The setting of the hash tables.
    - ``seed``: Source of the projections.
    """

    set_aside = 0

    def __init__(
        self,
        neurons: Neurons,
        reduction: Reduction,
        *,
        bits: int,
        tables: int,
        seed: int,
    ) -> None:
        self.work = 0
        self.reported = 0.0
        self.name = f"sparse (SimHash, K = {bits}, L = {tables})"
        self._neurons, self._reduction = neurons, reduction
        self._tables = SimHash(self._lifted(), bits=bits, tables=tables, rng=seed)

    def _lifted(self) -> FloatArray:
        """Return the weights with the bias folded in, which changes nothing on the slice."""
        return geometry.lift(self._neurons.W, self._neurons.b)

    def evaluator(self, batch: IntArray | None = None) -> _HashedEvaluator:
        """Return an evaluator that looks into the tables whenever it is asked."""
        if batch is not None:
            raise ValueError("batch must be None: hashed training uses all examples of a step")
        return _HashedEvaluator(self)

    def at(self, X: FloatArray) -> Evaluator:
        """Look up the neurons of some points."""
        hits = self._tables.query_halfspace(X, self._neurons.tau)
        self.reported = hits.indices.size / len(X)
        return self.over(len(X), (hits.indptr, hits.indices))

    def over(self, n: int, lists: tuple[Any, Any]) -> Evaluator:
        """Return an evaluator on given active sets."""
        return Evaluator(self._neurons, n, lists=lists, reduction=self._reduction, trusted=True)

    @property
    def weight_scale(self) -> float:
        """Root mean square of the weights, the last column left out, at the start of the run."""
        return self._neurons.weight_scale

    def candidates(self) -> float:
        """Count what the last lookup found."""
        return self.reported

    def update(self, rows: IntArray | None, values: FloatArray) -> None:
        """Fill the tables anew."""
        self._tables.refit(self._lifted())


class _HashedEvaluator:
    """Evaluation on the active neurons that the tables find at each point."""

    def __init__(self, source: HashedNeurons) -> None:
        self.work = 0
        self.strict = False
        self.weight_scale = source.weight_scale
        self._source = source

    def value(self, X: FloatArray) -> FloatArray:
        """Return f at the points."""
        return self._source.at(X).value(X)

    def value_and_input_gradient(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return f and its formal gradient in x."""
        return self._source.at(X).value_and_input_gradient(X)

    def smoothed_input_gradient(self, X: FloatArray, bandwidth: float) -> FloatArray:
        """Refuse: a blurred activation needs neurons below the threshold."""
        raise ValueError(f"bandwidth must not be asked for of hashed training, got {bandwidth!r}")

    def forward(self, X: FloatArray) -> ForwardPass:
        """Return f together with the active sets."""
        return self._source.at(X).forward(X)

    def weight_gradient(
        self, X: FloatArray, passed: ForwardPass, coefficients: FloatArray
    ) -> tuple[IntArray | None, FloatArray]:
        """Return the rows that move and the gradient with respect to them."""
        evaluator = self._source.over(len(X), (passed.indptr, passed.indices))
        return evaluator.weight_gradient(X, passed, coefficients)


@dataclass(frozen=True, kw_only=True)
class HashedTraining(SublinearAdversarialTraining):
    """Algorithm 1 with hash tables in the place of the index: it misses neurons.

    - ``bits``, ``tables``: The setting of the hash tables.
    - ``hash_seed``: Source of the projections.
    """

    bits: int = 9
    tables: int = 50
    hash_seed: int = 0

    def _source(self, neurons: Neurons, X: FloatArray) -> Any:
        return HashedNeurons(
            neurons,
            self.reduction,
            bits=self.bits,
            tables=self.tables,
            seed=self.hash_seed,
        )


@dataclass(frozen=True, eq=False)
class _Case:
    """A problem with points to test on."""

    data: str
    problem: TrainingProblem
    test_X: FloatArray
    test_y: FloatArray


def _width(settings: Settings) -> int:
    return settings.widths[0] if settings.quick else settings.nearest_width(_WIDTH)


def _dimensions(settings: Settings) -> list[int]:
    return [d for d in settings.dimensions if d in (8, 32)] or [max(3, settings.dimensions[-1])]


def _grid(settings: Settings) -> list[tuple[int]]:
    """List the dimensions of random points, and 0 for the digits."""
    return [(d,) for d in (*_dimensions(settings), 0)]


def _case(d: int, settings: Settings) -> _Case:
    m = _width(settings)
    tau = scaling.threshold_from_activity(_SHARE, m)
    if d:
        n = min(_EXAMPLES, settings.queries)
        problem = TrainingProblem.random(d, m, n, tau, settings.seed)
        return _Case("random", problem, problem.X, problem.y)
    train, test = datasets.load_split(_DATA, _TEST_SHARE, rng=settings.seed)
    network = TwoLayerNetwork.initialize(m, train.d, rng=settings.seed, tau=tau)
    problem = TrainingProblem(network, train.X, train.y, settings.seed, RADIUS)
    return _Case(_DATA, problem, test.X, test.y)


def _hashed(problem: TrainingProblem, eta: float, bits: int, tables: int) -> Stepper:
    def make(attack: adversary.Adversary) -> Any:
        return HashedTraining(
            adversary=attack,
            eta=eta,
            steps=FOREVER,
            bits=bits,
            tables=tables,
            hash_seed=problem.seed,
        )

    return Stepper(make, problem.adversary, problem.network, problem.X, problem.y, problem.seed)


def _recall(before: TwoLayerNetwork, stepper: Stepper) -> float:
    """Return the share of the neurons that fire at the last points that were found there."""
    fires = int(np.count_nonzero(before.active_mask(stepper.found.X)))
    found = stepper.records[-1].activity_mean * before.m * len(stepper.found.X)
    return round(found) / fires if fires else 1.0


def _filling(records: Sequence[StepRecord]) -> float:
    """Return the part of an iteration in which structures follow the weights."""
    return float(np.median([row.seconds["update"] / sum(row.seconds.values()) for row in records]))


def _missed_row(case: _Case, steps: int) -> Row:
    """Train everybody side by side."""
    problem = case.problem
    checked = sorted({*(step for step in _CHECKED if step < steps), steps})
    eta, start = problem.eta(1.0), problem.network.W
    with contextlib.ExitStack() as stack:
        runs = {
            name: stack.enter_context(problem.stepper(index, eta))
            for name, index in (("auto", "auto"), ("literal", "literal"))
        }
        for bits, tables in _HASHES:
            name = f"SimHash, K = {bits}, L = {tables}"
            runs[name] = stack.enter_context(_hashed(problem, eta, bits, tables))
        seconds: dict[str, list[float]] = {name: [] for name in runs}
        recalls: dict[str, list[float]] = {name: [] for name in runs}
        errors: dict[str, list[float]] = {name: [] for name in runs}
        for step in range(1, steps + 1):
            here = step in checked
            for name, run in runs.items():
                before = run.network if here and step > 1 else problem.network
                begun = time.process_time()
                run.step()
                seconds[name].append(time.process_time() - begun)
                if here:
                    recalls[name].append(_recall(before, run))
            if here:
                exact = runs["auto"].network.W
                moved = float(np.linalg.norm(exact - start))
                for name, run in runs.items():
                    errors[name].append(float(np.linalg.norm(run.network.W - exact)) / moved)
        methods = [
            {
                "method": name,
                # the first step builds the structures
                "microseconds": 1e6 * float(np.median(seconds[name][1:] or seconds[name])),
                "recall": recalls[name],
                "weight_error": errors[name],
                "update_share": _filling(run.records),
                **_accuracy(run.network, case),
            }
            for name, run in runs.items()
        ]
    return {
        "data": case.data,
        "d": problem.d,
        "m": problem.m,
        "n": problem.n,
        "share": _SHARE,
        "radius": problem.radius,
        "steps": checked,
        "methods": methods,
        "start": _accuracy(problem.network, case),
    }


def _accuracy(network: TwoLayerNetwork, case: _Case) -> Row:
    """Return the accuracy under attack with all neurons, in training and on the test points."""
    problem = case.problem
    found = {
        "attacked_training": adversary.accuracy_under_attack(
            network, problem.X, problem.y, problem.adversary, rng=problem.seed
        )
    }
    if case.test_X is not problem.X:
        found["attacked_test"] = adversary.accuracy_under_attack(
            network, case.test_X, case.test_y, problem.adversary, rng=problem.seed
        )
    return {name: float(value) for name, value in found.items()}


@section(
    "missed",
    "What do neurons that hashing misses do to the trained weights?",
    "",
    _grid,
)
def MISSED(settings: Settings, d: int) -> Row:
    """Train on all neurons that fire and on those that hashing finds."""
    return _missed_row(_case(d, settings), _FEW_STEPS if settings.quick else _STEPS)
