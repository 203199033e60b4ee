"""The section on missed neurons: training whose active sets come from SimHash, as in SLIDE.

The same trainer runs on the same data with exact active sets and with those that hash tables find
at every point at which the network is asked for.  The tables are filled anew after every step,
which SLIDE does more rarely: recall is the best that these settings can have.  A second exact
trainer that sums in another order shows what rounding alone does.  Everybody takes turns step by
step, so that the times are of one run.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from benchmarks.iteration import TrainingProblem
from benchmarks.settings import Row, Settings, section
from benchmarks.simhash import SimHash
from benchmarks.stepping import Stepper
from sublinear_lib import adversary, datasets, geometry, scaling
from sublinear_lib._typing import FloatArray, IntArray
from sublinear_lib.evaluation import Evaluator, ForwardPass, Neurons, Reduction
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import SublinearAdversarialTraining

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
    """The neurons that SimHash finds at each point at which f is asked for."""

    set_aside = 0
    work = 0

    def __init__(
        self, neurons: Neurons, reduction: Reduction, *, bits: int, tables: int, seed: int
    ) -> None:
        self.reported = 0.0
        self.name = f"sparse (SimHash, K = {bits}, L = {tables})"
        self.weight_scale = neurons.weight_scale
        self._neurons, self._reduction = neurons, reduction
        self._tables = SimHash(self._lifted(), bits=bits, tables=tables, rng=seed)

    def _lifted(self) -> FloatArray:
        """Return the weights with the bias folded in, which changes nothing on the slice."""
        return geometry.lift(self._neurons.W, self._neurons.b)

    def evaluator(self, batch: IntArray | None = None) -> HashedNeurons:
        """Return what looks into the tables whenever it is asked."""
        if batch is not None:
            raise ValueError("batch must be None: hashed training uses all examples of a step")
        return self

    def candidates(self) -> float:
        """Count what the last lookup found."""
        return self.reported

    def update(self, rows: IntArray | None, values: FloatArray) -> None:
        """Fill the tables anew."""
        self._tables.refit(self._lifted())

    def _at(self, X: FloatArray) -> Evaluator:
        hits = self._tables.query_halfspace(X, self._neurons.tau)
        self.reported = hits.indices.size / len(X)
        return self._over(len(X), (hits.indptr, hits.indices))

    def _over(self, n: int, lists: tuple[Any, Any]) -> Evaluator:
        return Evaluator(self._neurons, n, lists=lists, reduction=self._reduction, trusted=True)

    def value(self, X: FloatArray) -> FloatArray:
        """Return f at the points."""
        return self._at(X).value(X)

    def value_and_input_gradient(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return f and its formal gradient in x."""
        return self._at(X).value_and_input_gradient(X)

    def smoothed_input_gradient(self, X: FloatArray, bandwidth: float) -> FloatArray:
        """Refuse: a blurred activation needs neurons below the threshold."""
        raise ValueError(f"bandwidth must not be asked for of hashed training, got {bandwidth!r}")

    def forward(self, X: FloatArray) -> ForwardPass:
        """Return f together with the active sets."""
        return self._at(X).forward(X)

    def weight_gradient(
        self, X: FloatArray, passed: ForwardPass, coefficients: FloatArray
    ) -> tuple[IntArray | None, FloatArray]:
        """Return the rows that move and the gradient with respect to them."""
        evaluator = self._over(len(X), (passed.indptr, passed.indices))
        return evaluator.weight_gradient(X, passed, coefficients)


@dataclass(frozen=True, kw_only=True)
class HashedTraining(SublinearAdversarialTraining):
    """Algorithm 1 with hash tables in the place of the index: it misses neurons."""

    bits: int = 9
    tables: int = 50
    hash_seed: int = 0

    def _source(self, neurons: Neurons, X: FloatArray) -> Any:
        setting = {"bits": self.bits, "tables": self.tables, "seed": self.hash_seed}
        return HashedNeurons(neurons, self.reduction, **setting)


Points: TypeAlias = tuple[FloatArray, FloatArray]


def _grid(settings: Settings) -> list[tuple[int]]:
    """List the dimensions of random points, and 0 for the digits."""
    dimensions = [d for d in settings.dimensions if d in (8, 32)]
    return [(d,) for d in (*(dimensions or [max(3, settings.dimensions[-1])]), 0)]


def _case(d: int, settings: Settings) -> tuple[TrainingProblem, Points | None]:
    m = settings.widths[0] if settings.quick else settings.nearest_width(_WIDTH)
    tau = scaling.threshold_from_activity(_SHARE, m)
    if d:
        n = min(_EXAMPLES, settings.queries)
        return TrainingProblem.random(d, m, n, tau, settings.seed), None
    train, test = datasets.load_split(_DATA, _TEST_SHARE, rng=settings.seed)
    network = TwoLayerNetwork.initialize(m, train.d, rng=settings.seed, tau=tau)
    problem = TrainingProblem(network, train.X, train.y, settings.seed)
    return problem, (test.X, test.y)


def _recall(before: TwoLayerNetwork, stepper: Stepper) -> float:
    """Return the share of the neurons that fire at the last points that were found there."""
    fires = int(np.count_nonzero(before.active_mask(stepper.found.X)))
    found = stepper.records[-1].activity_mean * before.m * len(stepper.found.X)
    return round(found) / fires if fires else 1.0


def _accuracy(network: TwoLayerNetwork, problem: TrainingProblem, test: Points | None) -> Row:
    asked = {"attacked_training": (problem.X, problem.y), "attacked_test": test}
    return {
        name: float(
            adversary.accuracy_under_attack(network, *points, problem.adversary, rng=problem.seed)
        )
        for name, points in asked.items()
        if points is not None
    }


@section("missed", "What do neurons that hashing misses do to the trained weights?", "", _grid)
def MISSED(settings: Settings, d: int) -> Row:
    """Train side by side on all neurons that fire and on those that hashing finds."""
    problem, test = _case(d, settings)
    steps = _FEW_STEPS if settings.quick else _STEPS
    checked = sorted({*(step for step in _CHECKED if step < steps), steps})
    eta, start = problem.eta(1.0), problem.network.W
    with contextlib.ExitStack() as stack:
        runs = {name: problem.stepper(name, eta) for name in ("auto", "literal")}
        for bits, tables in _HASHES:
            setting = {"bits": bits, "tables": tables, "hash_seed": problem.seed}
            runs[f"SimHash, K = {bits}, L = {tables}"] = problem.run(HashedTraining, eta, **setting)
        for run in runs.values():
            stack.enter_context(run)
        seconds, recalls, errors = ({name: list[float]() for name in runs} for _ in range(3))
        for step in range(1, steps + 1):
            here = step in checked
            for name, run in runs.items():
                before = run.network if here else problem.network
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
                **_accuracy(run.network, problem, test),
            }
            for name, run in runs.items()
        ]
    return {
        "data": "random" if test is None else _DATA,
        "d": problem.d,
        "m": problem.m,
        "n": problem.n,
        "share": _SHARE,
        "radius": problem.radius,
        "steps": checked,
        "methods": methods,
        "start": _accuracy(problem.network, problem, test),
    }
