"""Clocks: competitors take turns on one thread, and processor time is compared by its median.

What disturbs a comparison most is another program on the machine: so every competitor runs once in
each round, the clock counts the time of the processor, and the median over the rounds is kept.
Every competitor is called once before it is timed: compilation, page faults and the starting of
pools are not part of a query.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from sublinear_lib._typing import FloatArray

Option = TypeVar("Option")

_SHORTEST_SAMPLE = 1e-3
_MOST_REPEATS = 100
_FEWEST_SAMPLES = 3


@dataclass(frozen=True)
class Competitor:
    """Something that answers a batch of queries.

    `ask` answers the first ``q`` queries at a threshold (``answer`` returns what it found, where it
    keeps nothing), and `rows` lists the ids in an answer by query.  An `exact` one promises real
    arithmetic on the stored float64 numbers.  The `core` answers all queries in at least three
    rounds, others at least as many as their `unit`.  With `own_threads` the time is that of the
    process.  What one call costs that is not its work is spared by `repeat`, many calls in one.
    """

    name: str
    ask: Callable[[float, int], Any]
    rows: Callable[[Any], list[Any]] | None = None
    exact: bool = False
    core: bool = False
    unit: int = 4
    own_threads: bool = False
    answer: Callable[[float, int], Any] | None = None
    repeat: Callable[[int], object] | None = None

    def listed(self, tau: float, queries: int) -> list[Any]:
        """Return the ids that each query gets; empty lists may lack at the end."""
        answer = (self.answer or self.ask)(tau, queries)
        return [] if self.rows is None else self.rows(answer)


class Timing(NamedTuple):
    """What a competitor needed."""

    microseconds: float
    rounds: int
    queries: int


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold every numerical library that is loaded to one thread, and let go of it afterwards."""
    torch = sys.modules.get("torch")
    before = torch.get_num_threads() if torch is not None else 0
    with threadpool_limits(limits=1):
        try:
            if torch is not None:
                torch.set_num_threads(1)
            yield
        finally:
            if torch is not None:
                torch.set_num_threads(before)


def _sample(competitor: Competitor, tau: float, queries: int, repeats: int) -> float:
    clock = time.process_time if competitor.own_threads else time.thread_time
    start = clock()
    if competitor.repeat is not None:
        competitor.repeat(repeats)
    else:
        for _ in range(repeats):
            competitor.ask(tau, queries)
    return (clock() - start) / repeats


def race(
    competitors: Sequence[Competitor],
    tau: float,
    *,
    queries: int,
    rounds: int,
    seconds: float,
    warm: bool = False,
    shortest: float = _SHORTEST_SAMPLE,
) -> dict[str, Timing]:
    """Time competitors in turns."""
    begin = time.perf_counter()
    allowance = seconds / max(4, len(competitors))
    samples: dict[str, list[float]] = {each.name: [] for each in competitors}
    used = dict.fromkeys(samples, 0.0)
    sizes: dict[str, int] = {}
    repeats: dict[str, int] = {}
    for each in competitors:
        size = queries if each.core else min(each.unit, queries)
        spent = _sample(each, tau, size, 1)
        if each.core and warm and spent > allowance:
            samples[each.name].append(spent)
        elif spent < allowance:  # the first call may have compiled or loaded something
            spent = min(spent, _sample(each, tau, size, 1))
        if not each.core:
            affordable = int(size * allowance / max(spent, 1e-9))
            grown = min(queries, max(size, affordable - affordable % each.unit))
            spent, size = spent * grown / size, grown
        sizes[each.name] = size
        calls = min(_MOST_REPEATS, math.ceil(shortest / max(spent, 1e-6)))
        if calls > 1:  # each of many takes less time than the first
            spent = _sample(each, tau, size, calls)
        repeats[each.name] = min(_MOST_REPEATS, math.ceil(shortest / max(spent, 1e-6)))
    least = min(_FEWEST_SAMPLES, rounds)
    for number in range(rounds):
        late = time.perf_counter() - begin > seconds
        for each in competitors:
            enough = least if each.core else 1
            over = late if each.core else number > 0 and (late or used[each.name] > allowance)
            if len(samples[each.name]) >= rounds or (over and len(samples[each.name]) >= enough):
                continue
            sample = _sample(each, tau, sizes[each.name], repeats[each.name])
            samples[each.name].append(sample)
            used[each.name] += sample * repeats[each.name]
    return {
        name: Timing(float(np.median(values)) / sizes[name] * 1e6, len(values), sizes[name])
        for name, values in samples.items()
    }


def median_seconds(
    function: Callable[[Any], object],
    prepare: Callable[[], Any],
    *,
    rounds: int,
    seconds: float = math.inf,
) -> float:
    """Time something that cannot be repeated on the same object."""
    samples: list[float] = []
    begin = time.perf_counter()
    for number in range(rounds + 1):
        if len(samples) and time.perf_counter() - begin > seconds:
            break
        subject = prepare()
        start = time.thread_time()
        function(subject)
        spent = time.thread_time() - start
        if number or spent > seconds:
            samples.append(spent)
    return float(np.median(samples))


def fastest(options: Iterable[Option], run: Callable[[Option], object], *, rounds: int) -> Option:
    """Return what runs fastest here, by the best of some calls each, in turns."""
    best = dict.fromkeys(options, math.inf)
    for _ in range(rounds):
        for option in best:
            start = time.thread_time()
            run(option)
            best[option] = min(best[option], time.thread_time() - start)
    return min(best, key=best.__getitem__)


def by_seed_and_width(
    measure: Callable[[int, int], Mapping[str, Sequence[float]]], seeds: int, widths: Sequence[int]
) -> dict[str, FloatArray]:
    """Measure every width with every seed, on one thread: seeds, widths and numbers by name."""
    with one_thread():
        found = [[measure(seed, m) for m in widths] for seed in range(seeds)]
    return {
        name: np.array([[cell[name] for cell in line] for line in found]) for name in found[0][0]
    }
