"""The sections on growth: seconds, work and bytes of an iteration against the width m.

At a fixed share of 0.1 per cent the list of the neurons that fire grows like m.  With the threshold
of the repair R3 about ``m^{4/5}`` fire.  Dense training grows like m in both.  An exponent is
fitted seed by seed and comes with an interval over the seeds; seconds include what every call costs
whatever the width, which flattens the slope, and the work (row passes) has no such part.
"""

from __future__ import annotations

import gc
import itertools
import tracemalloc
from collections.abc import Callable, Generator

import numpy as np

from benchmarks.dense_training import DenseIteration
from benchmarks.iteration import SLOW_STEP, TrainingProblem, effort, stepping, trained
from benchmarks.results import stored_slope
from benchmarks.settings import Row, Settings, section
from benchmarks.timing import by_seed_and_width, race
from sublinear_lib import scaling
from sublinear_lib.losses import HuberLoss

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


# -- seconds and work --------------------------------------------------------------------------


def _timed(problem: TrainingProblem, settings: Settings) -> dict[str, tuple[float, ...]]:
    """Return microseconds of everybody, and work and active neurons of the trainers."""
    eta, network = problem.eta(SLOW_STEP), problem.network
    with problem.steppers(_TIMED, eta) as own:
        dense = DenseIteration(network, problem.X, problem.y, problem.adversary, HuberLoss(), eta)
        dense.step()
        times = race(
            [
                stepping("dense", dense.step, core=True),
                *(stepping(name, each.step, core=True) for name, each in own.items()),
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


# -- memory ------------------------------------------------------------------------------------


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
