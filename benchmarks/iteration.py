"""The section on a full iteration: adversary, forward pass, gradient, update, everything.

One iteration is one step of Algorithm 1 with five steps of projected gradient ascent in caps of
radius 0.1, by the library's trainers, tuned dense training in float32 (over all neurons, and over
those that can fire on X), PyTorch, and Algorithm 1 taken literally.  The points are uniform on X,
the labels random signs.

Before changing it, know two things.  The step size is a fiftieth of the trainer's own, so that the
activity stays what the cell says; the section `steps` shows what larger ones cost.  And nobody may
be wrong: trainers must have the active sets of real arithmetic at their adversarial points, and the
rivals' outputs must agree with theirs to float32 accuracy.

The last sections measure growth with the width m.  At a fixed share of 0.1 per cent the list of the
neurons that fire grows like m, with the threshold of the repair R3 like ``m^{4/5}``; dense training
grows like m in both.  An exponent is fitted seed by seed; seconds include what every call costs
whatever the width, which flattens the slope, and the work (row passes) has no such part.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import itertools
import tracemalloc
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.dense_training import DenseIteration, TorchIteration
from benchmarks.peers import Patience, load, why_absent
from benchmarks.queries import InexactAnswer, timings
from benchmarks.results import stored_slope
from benchmarks.settings import Row, Settings, section
from benchmarks.stepping import FOREVER, Stepper, Trainer
from benchmarks.timing import Competitor, Timing, by_seed_and_width, one_thread, race
from sublinear_lib import datasets, geometry, scaling
from sublinear_lib._typing import FloatArray
from sublinear_lib.adversary import Adversary, ProjectedGradient
from sublinear_lib.halfspace import alive_on_slice
from sublinear_lib.losses import HuberLoss
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import (
    DenseAdversarialTraining,
    StepRecord,
    SublinearAdversarialTraining,
    resolve_step_size,
)
from sublinear_lib.training.history import PHASES

ATTACK_STEPS = 5
RADIUS = 0.1
SLOW_STEP = 0.02

_SAMPLE = 0.04
"""Seconds of a sample at least: as in a training run, iterations follow one another directly."""

_WIDTHS = (2**14, 2**18)
_MANY = 4

_PATIENCE = 1.0
"""Seconds that an iteration of others than `_PATIENT` may be expected to take."""

_AGREEMENT = 1e-4
"""How much the outputs of a float32 rival may differ at half of the points, relative to their size.

Where a score is within rounding of the threshold a neuron fires for one and not for the other, and
moves the output by a whole ``|a_r| tau``; that happens at few points."""


@dataclass(frozen=True, eq=False)
class TrainingProblem:
    """A network at initialization and the examples it is trained on."""

    network: TwoLayerNetwork
    X: FloatArray
    y: FloatArray
    seed: int
    radius: float = RADIUS

    @classmethod
    def random(
        cls, d: int, m: int, n: int, tau: float | None, seed: int, preset: str = "PRINTED"
    ) -> TrainingProblem:
        """Draw a problem: uniform points, and signs for labels."""
        rng = np.random.default_rng([seed, d, m, n])
        network = TwoLayerNetwork.initialize(m, d, preset, rng=rng, tau=tau)
        X = geometry.sample_slice(n, d, rng)
        return cls(network, X, rng.choice([-1.0, 1.0], n), seed)

    @property
    def d(self) -> int:
        """Dimension."""
        return self.network.d

    @property
    def m(self) -> int:
        """Width."""
        return self.network.m

    @property
    def n(self) -> int:
        """Number of examples."""
        return len(self.X)

    @property
    def adversary(self) -> Adversary:
        """The attack that every competitor carries out."""
        return ProjectedGradient(rho=self.radius, steps=ATTACK_STEPS)

    def eta(self, part: float) -> float:
        """Return a part of the step size that the trainer would choose."""
        return part * resolve_step_size("auto", self.network)

    def run(self, make: Callable[..., Trainer], eta: float, **more: Any) -> Stepper:
        """Return a training run, ready for its first step."""
        options = {"eta": eta, "steps": FOREVER, **more}
        given = (self.adversary, self.network, self.X, self.y, self.seed)
        return Stepper(lambda attack: make(adversary=attack, **options), *given)

    def stepper(self, index: str, eta: float) -> Stepper:
        """Return one of the library's trainers, ready for its first step."""
        if index == "dense":
            return self.run(DenseAdversarialTraining, eta)
        return self.run(SublinearAdversarialTraining, eta, index=index)

    @contextlib.contextmanager
    def steppers(self, names: Iterable[str], eta: float) -> Iterator[dict[str, Stepper]]:
        """Return trainers of `OWN` after their first step, and end them afterwards."""
        with contextlib.ExitStack() as stack:
            own = {name: stack.enter_context(self.stepper(OWN[name], eta)) for name in names}
            for stepper in own.values():
                stepper.step()
            yield own


def effort(settings: Settings, **part: Any) -> dict[str, Any]:
    """Return how iterations are raced."""
    shortest = 1e-3 if settings.quick else _SAMPLE
    return {"queries": 1, "warm": True, "shortest": shortest, **settings.effort(**part)}


def stepping(name: str, does: Any, *, core: bool = False, at_once: int = 1) -> Competitor:
    """Return something that does iterations as a competitor, timed as a whole process."""
    many = (lambda count: does.step(count * at_once)) if isinstance(does, Stepper) else None
    one = does.step if many is None else functools.partial(many, 1)
    return Competitor(name, lambda tau, q: one(), core=core, unit=1, own_threads=True, repeat=many)


def trained(own: Mapping[str, Stepper], m: int) -> Row:
    """Return what trainers did per iteration: for each kind of number, one by name."""
    done = {name: _facts(stepper.records, m) for name, stepper in own.items()}
    return {
        kind: {name: facts[kind] for name, facts in done.items()}
        for kind in next(iter(done.values()))
    }


def _facts(rows: list[StepRecord], m: int) -> Row:
    """Return what a trainer did, the first iteration left out."""
    later = rows[1:] or rows
    return {
        "steps": len(rows),
        "active": float(np.mean([row.activity_mean for row in later])),
        "active_first": rows[0].activity_mean,
        "active_last": rows[-1].activity_mean,
        "candidates": float(np.mean([row.candidates for row in later])) / m,
        "touched": float(np.mean([row.touched for row in later])) / m,
        "work": {
            part: float(np.median([getattr(row, f"work_{part}") for row in later]))
            for part in ("query", "adversary", "forward", "backward")
        },
        "phases": {
            phase: 1e6 * float(np.median([row.seconds[phase] for row in later])) for phase in PHASES
        },
    }


OWN = {"auto": "auto", "query": "query", "literal": "literal", "dense_float64": "dense"}
"""The library's ways to find neurons, by their names in the results."""

_PATIENT = ("auto", "dense", "alive")

_RIVALS = ("dense", "alive", "dense_rows", "torch")


def _grid(settings: Settings) -> list[tuple[int, int, int, float]]:
    widths = [m for m in settings.widths if _WIDTHS[0] <= m <= _WIDTHS[1]] or [settings.widths[-1]]
    cells = [
        (d, m, settings.queries, share)
        for d in _dimensions(settings)
        for share in settings.shares
        for m in widths
    ]
    many = settings.nearest_width(2**16)
    share = min(settings.shares, key=lambda each: abs(np.log(each / 0.01)))
    return cells + [(d, many, _MANY * settings.queries, share) for d in _dimensions(settings)[-2:]]


def _dimensions(settings: Settings) -> list[int]:
    """Return the dimensions, in which X is a sphere and no pair of points."""
    return sorted({max(3, d) for d in settings.dimensions})


def _rivals(
    problem: TrainingProblem, eta: float, torch: Any
) -> dict[str, Callable[[], DenseIteration | TorchIteration]]:
    network, loss = problem.network, HuberLoss()
    common = (network, problem.X, problem.y, problem.adversary, loss, eta)
    alive = alive_on_slice(network.W, network.b, tau=network.tau)
    rivals: dict[str, Callable[[], DenseIteration | TorchIteration]] = {
        "dense": lambda: DenseIteration(*common),
        "alive": lambda: DenseIteration(*common, rows=alive),
        "dense_rows": lambda: DenseIteration(*common, by_rows=True),
    }
    if torch is not None:
        rivals["torch"] = lambda: TorchIteration(*common, torch)
    return rivals


def _cell(
    problem: TrainingProblem,
    share: float,
    settings: Settings,
    torch: Any,
    patience: Patience,
    names: Collection[str],
) -> Row:
    eta, network, size = problem.eta(SLOW_STEP), problem.network, problem.m * problem.n
    rivals = {k: make for k, make in _rivals(problem, eta, torch).items() if k in names}
    absent = {}
    for name in [*OWN, *rivals]:
        key = (size, name, problem.d, share)
        reason = patience.reason("an iteration", _PATIENCE, *key)
        if name in names and name not in _PATIENT and reason:
            absent[name] = reason
    asked = [name for name in OWN if name in names and name not in absent]
    with problem.steppers(asked, eta) as own:
        found = {name: make() for name, make in rivals.items() if name not in absent}
        outputs = {name: rival.step() for name, rival in found.items()}
        reference = own["auto"].found.value
        competitors = [
            stepping(name, each, core=name in (*_PATIENT, "query"))
            for name, each in (own | found).items()
        ]
        times = race(
            sorted(competitors, key=lambda each: not each.core), network.tau, **effort(settings)
        )
        done = trained(own, problem.m)
        exact = {name: stepper.checked_step() for name, stepper in own.items()}
        methods = {name: stepper.close() for name, stepper in own.items()}
    if any(exact.values()):
        raise InexactAnswer(f"active sets differ from those of real arithmetic: {exact}")
    for name, timing in times.items():
        patience.learn(timing.microseconds / 1e6, size, name, problem.d, share)
    if "torch" in names and torch is None:
        absent["torch"] = why_absent(settings.peers)
    alive = alive_on_slice(network.W, network.b, tau=network.tau)
    return {
        "d": problem.d,
        "m": problem.m,
        "n": problem.n,
        "share": share,
        "radius": problem.radius,
        "eta_part": SLOW_STEP,
        "alive": len(alive) / problem.m,
        "checked_pairs": size,
        "differing_pairs": exact,
        "output_difference": {
            name: _difference(name, value, reference) for name, value in outputs.items()
        },
        "methods": methods,
        "first_seconds": {name: stepper.first_seconds for name, stepper in own.items()},
        **done,
        **timings(times),
        "absent": absent,
    }


def _difference(name: str, found: FloatArray, reference: FloatArray) -> float:
    size = float(np.sqrt(np.mean(reference**2)))
    if size == 0.0:
        return 0.0
    off = np.abs(found - reference) / size
    if float(np.median(off)) > _AGREEMENT:
        raise InexactAnswer(f"{name} computes something else: {float(np.median(off)):.2g} away")
    return float(np.sqrt(np.mean(off**2)))


@section(
    "iteration",
    "How long does a full iteration of Algorithm 1 take, adversary included?",
    "dense",
    _grid,
)
def ITERATION(settings: Settings) -> Generator[Row]:
    """Draw a problem for each cell."""
    patience = Patience()
    torch = load("torch") if settings.peers else None
    for d, m, n, share in _grid(settings):
        with one_thread():
            tau = scaling.threshold_from_activity(share, m)
            problem = TrainingProblem.random(d, m, n, tau, settings.seed)
            row = _cell(problem, share, settings, torch, patience, (*OWN, *_RIVALS))
        yield row


_PARTS = (SLOW_STEP, 1.0)
_AT_ONCE = 8
"""Iterations that are timed together, so that a structure which is made anew now and then pays."""


def _steps_grid(settings: Settings) -> list[tuple[int, float, float]]:
    shares = [share for share in settings.shares if share <= 0.1] or settings.shares[:1]
    return [(d, p, part) for d in _dimensions(settings)[-2:] for p in shares for part in _PARTS]


@section(
    "steps",
    "What do larger steps cost, after which structures have to follow the weights?",
    "dense",
    _steps_grid,
)
def STEPS(settings: Settings, d: int, share: float, part: float) -> Row:
    """Let trainers do several iterations at once, with steps of one size."""
    m = settings.nearest_width(2**16)
    tau = scaling.threshold_from_activity(share, m)
    problem = TrainingProblem.random(d, m, settings.queries, tau, settings.seed)
    eta = problem.eta(part)
    with problem.steppers(("auto", "query"), eta) as own:
        dense = _rivals(problem, eta, None)["dense"]()
        dense.step()
        everybody = [
            stepping("dense", dense, core=True),
            *(stepping(name, each, core=True, at_once=_AT_ONCE) for name, each in own.items()),
        ]
        effort = settings.effort(most_rounds=2)
        found = race(everybody, tau, queries=1, warm=True, **effort)
        done = trained(own, m)
    times = {
        name: Timing(each.microseconds / (1 if name == "dense" else _AT_ONCE), *each[1:])
        for name, each in found.items()
    }
    cell = {"d": d, "m": m, "n": settings.queries, "share": share, "eta_part": part}
    return {**cell, **done, **timings(times)}


_DATA = "digits-3v8"
_DIGITS = ("auto", "query", "dense_float64", "dense")
_RADII = (0.1, 0.2)


def _digits_grid(settings: Settings) -> list[tuple[int, float, float]]:
    widths = [m for m in settings.widths if 2**12 <= m <= 2**16] or [settings.widths[-1]]
    shares = [p for p in settings.shares if 0.01 <= p <= 0.1] or settings.shares[:1]
    return [(m, share, radius) for m in widths for share in shares for radius in _RADII]


@section(
    "digits",
    "How long does an iteration take on images of digits, 3 against 8?",
    "dense",
    _digits_grid,
)
def DIGITS(settings: Settings, m: int, share: float, radius: float) -> Row:
    """Let everybody iterate on the images."""
    data, tau = datasets.load(_DATA), scaling.threshold_from_activity(share, m)
    network = TwoLayerNetwork.initialize(m, data.d, rng=settings.seed, tau=tau)
    problem = TrainingProblem(network, data.X, data.y, settings.seed, radius)
    return {"data": _DATA, **_cell(problem, share, settings, None, Patience(), _DIGITS)}


_SHARE = 0.001

REGIMES: dict[str, str] = {"0.1 %": "PRINTED", "R3": "R3"}
"""The regimes by name, and the scalings whose networks they use."""

_TIMED = ("auto", "query")
_HELD = ("auto", "query", "literal", "dense_float64")
_MOST_ROUNDS = 5


def _problem(regime: str, d: int, m: int, settings: Settings, seed: int) -> TrainingProblem:
    tau = scaling.threshold_from_activity(_SHARE, m) if regime == "0.1 %" else None
    n = max(1, settings.queries // 4)
    return TrainingProblem.random(d, m, n, tau, settings.seed + seed, REGIMES[regime])


def _dimension(settings: Settings) -> int:
    return max([3, *(d for d in settings.dimensions if d <= 8)])


_MEMORY_SEEDS = 2


def _grown(
    settings: Settings,
    regime: str,
    kinds: tuple[str, ...],
    measure: Callable[[TrainingProblem], dict[str, tuple[float, ...]]],
    seeds: int,
) -> Generator[Row]:
    """Measure every width with every seed: one row for each name, with the slopes of all kinds."""
    d = _dimension(settings)
    found = by_seed_and_width(
        lambda seed, m: measure(_problem(regime, d, m, settings, seed)), seeds, settings.widths
    )
    for name, values in found.items():
        row: Row = {
            "regime": regime,
            "competitor": name,
            "d": d,
            "n": max(1, settings.queries // 4),
            "widths": list(settings.widths),
            "seeds": seeds,
        }
        for kind, column in zip(kinds, np.moveaxis(values, 2, 0), strict=False):
            row[f"{kind}_by_seed"] = column.tolist()
            row[f"{kind}_slope"] = stored_slope(settings.widths, column)
        yield row


def _timed(problem: TrainingProblem, settings: Settings) -> dict[str, tuple[float, ...]]:
    """Return microseconds of everybody, and work and active neurons of the trainers."""
    eta, network = problem.eta(SLOW_STEP), problem.network
    with problem.steppers(_TIMED, eta) as own:
        dense = DenseIteration(network, problem.X, problem.y, problem.adversary, HuberLoss(), eta)
        dense.step()
        times = race(
            [
                stepping("dense", dense, core=True),
                *(stepping(name, each, core=True) for name, each in own.items()),
            ],
            network.tau,
            **effort(settings, most_rounds=_MOST_ROUNDS, part=0.1),
        )
        done = trained(own, problem.m)
    found: dict[str, tuple[float, ...]] = {"dense": (times["dense"].microseconds,)}
    for name in own:
        work = float(sum(done["work"][name].values()))
        found[name] = (times[name].microseconds, work, done["active"][name] * problem.m)
    return found


@section(
    "scaling",
    "How do the seconds and the work of an iteration grow with m?",
    "",
    lambda settings: [*itertools.product(REGIMES, ("dense", *_TIMED))],
)
def SCALING(settings: Settings) -> Generator[Row]:
    """Race trainers and dense training."""
    kinds, seeds = ("microseconds", "work", "active"), 2 if settings.quick else 4
    for regime in REGIMES:
        yield from _grown(settings, regime, kinds, lambda problem: _timed(problem, settings), seeds)


def _held(problem: TrainingProblem) -> dict[str, tuple[float, ...]]:
    eta = problem.eta(SLOW_STEP)
    found: dict[str, tuple[float, ...]] = {}
    for name in _HELD:
        gc.freeze()  # what is there already need not be looked through
        tracemalloc.start()
        try:
            with problem.steppers([name], eta) as own:
                own[name].step()
                gc.collect()
                held, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
            gc.unfreeze()
        found[name] = float(held), float(most)
    return found


@section(
    "memory",
    "How many bytes does a trainer hold, beside the network and the data?",
    "",
    lambda settings: [*itertools.product(REGIMES, _HELD)],
)
def MEMORY(settings: Settings) -> Generator[Row]:
    """Trace what trainers hold."""
    for regime in REGIMES:
        # what is compiled is no part of a trainer's memory
        problem = _problem(regime, _dimension(settings), settings.widths[0], settings, 0)
        with problem.steppers(_HELD, problem.eta(SLOW_STEP)):
            pass
        yield from _grown(settings, regime, ("held", "peak"), _held, _MEMORY_SEEDS)
