"""Seeds, intervals, slopes and sweeps: how the book turns random runs into statements.

No object of the paper lives here; this is the protocol by which its statements are measured.  A
proportion comes with a Clopper-Pearson interval, a mean with a t interval, a median with one of
order statistics, an exponent with the least-squares slope of every seed and a t interval over the
seeds.  A `sweep` evaluates a function over a grid and several seeds, in parallel if wished.  Before
changing it, know its promise: the records are the same, byte for byte, for any number of workers.
That is why every cell has a stream of random numbers of its own (never a shared or global one),
works on its own copy of the parameters and computes with one BLAS thread: matrix products of
different thread counts round differently.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import math
import numbers
import pickle
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from sublinear_lib import validation
from sublinear_lib._arguments import (
    Count,
    Flag,
    Probability,
    Real,
    check_fields,
    checked,
    described,
)
from sublinear_lib._typing import Seed
from sublinear_lib.cluster import run_tasks, single_threaded

__all__ = [
    "Interval",
    "SweepError",
    "clopper_pearson",
    "loglog_slope",
    "median_interval",
    "spawn",
    "sweep",
    "t_interval",
    "to_columns",
]

Record = dict[str, Any]


@dataclass(frozen=True)
class Interval:
    """An estimate with a confidence interval.

    Parameters
    ----------
    estimate : float
        The point estimate.
    lower, upper : float
        The ends of the interval, ``lower <= estimate <= upper``.
    confidence : float
        The confidence level, ``0 < confidence < 1``.

    Raises
    ------
    TypeError, ValueError
        For numbers that are not finite or out of order.

    Examples
    --------
    >>> print(Interval(0.09581, 0.09452, 0.0972, 0.95))
    0.0958 [0.0945, 0.0972]
    """

    estimate: Real
    lower: Real
    upper: Real
    confidence: Probability

    def __post_init__(self) -> None:
        """Check the numbers."""
        check_fields(self)
        if not self.lower <= self.estimate <= self.upper:
            raise ValueError(
                f"estimate must lie between lower and upper, got {self.estimate} with "
                f"[{self.lower}, {self.upper}]"
            )

    @checked
    def contains(self, value: Real) -> bool:
        """Return whether a value lies in the interval, ends included.

        Here `value`: the value, finite.

        Whether ``lower <= value <= upper``.

        >>> Interval(0.5, 0.4, 0.6, 0.95).contains(0.6)
        True
        """
        return self.lower <= value <= self.upper

    @described
    def excludes(self, value: float) -> bool:
        """Return whether a value lies outside the interval.

        Here `value`: the value, finite.

        Raises TypeError, ValueError: if `value` is not a finite number.
        """
        return not self.contains(value)

    def __str__(self) -> str:
        """Return the estimate and the interval, with two digits of the half-width."""
        half_width = (self.upper - self.lower) / 2.0
        if not 1e-12 <= half_width < math.inf:
            return f"{self.estimate:.6g} [{self.lower:.6g}, {self.upper:.6g}]"
        decimals = max(0, 1 - math.floor(math.log10(half_width)))
        numbers_shown = (f"{v:.{decimals}f}" for v in (self.estimate, self.lower, self.upper))
        return "{} [{}, {}]".format(*numbers_shown)


def _sequence(seed: object, name: str) -> np.random.SeedSequence:
    if isinstance(seed, np.random.SeedSequence):
        return seed
    return np.random.SeedSequence(validation.count(seed, name, minimum=0))


@checked
def spawn(seed: Seed, n: Count) -> list[np.random.Generator]:
    """Return independent random generators.

    Here `seed`: an integer ``>= 0`` gives the same generators at every call.  A sequence or a
    generator is asked to spawn, which advances its own count of children, as in NumPy.

    Generators whose streams are independent of each other.

    >>> first, second = spawn(7, 2)
    >>> bool(first.random() == second.random())
    False
    """
    if isinstance(seed, np.random.Generator):
        return list(seed.spawn(n))
    return [np.random.default_rng(child) for child in _sequence(seed, "seed").spawn(n)]


@checked
def clopper_pearson(k: int, n: Count, confidence: Probability = 0.999) -> Interval:
    """Return the exact (Clopper-Pearson) interval for a proportion.

    The interval contains the true proportion with at least the stated probability, whatever it is.

    Here `k`: number of successes, ``0 <= k <= n``; `confidence`: the confidence level, in (0, 1).

    With estimate ``k / n``; the lower end is 0 for ``k = 0``, the upper end 1 for ``k = n``.

    >>> print(clopper_pearson(0, 10, confidence=0.95))
    0.00 [0.00, 0.31]
    """
    successes = validation.count(k, "k", minimum=0, maximum=n)
    miss = (1.0 - confidence) / 2.0
    lower, upper = 0.0, 1.0
    if successes > 0:
        lower = float(special.betaincinv(successes, n - successes + 1, miss))
    if successes < n:
        # The complementary function: 1 - miss would lose the digits of a small miss.
        upper = float(special.betainccinv(successes + 1, n - successes, miss))
    return Interval(successes / n, lower, upper, confidence)


@checked
def t_interval(samples: object, confidence: Probability = 0.95) -> Interval:
    """Return Student's interval for the mean of independent samples.

    Here `samples` (n,): the samples, ``n >= 2``, finite.  The interval is exact for normal samples;
    `confidence`: the confidence level, in (0, 1).

    The mean, plus and minus the t quantile times the standard error.

    >>> print(t_interval([1.0, 2.0, 3.0]))
    2.0 [-0.5, 4.5]
    """
    values = validation.float_array(samples, "samples", shape=("n",))
    n = values.size
    if n < 2:
        raise ValueError(f"samples must hold at least 2 values, got {n}")
    mean = float(values.mean())
    quantile = -float(special.stdtrit(n - 1, (1.0 - confidence) / 2.0))
    half_width = quantile * float(values.std(ddof=1)) / math.sqrt(n)
    return Interval(mean, mean - half_width, mean + half_width, confidence)


@checked
def median_interval(samples: object, confidence: Probability = 0.95) -> Interval:
    """Return an interval for the median of independent samples, whatever their law.

    Here `samples` (n,): the samples, finite, ``n >= 2`` and enough for the confidence;
    `confidence`: the confidence level, in (0, 1).

    The median of the samples, between two of the sorted samples: the number of samples below the
    true median is binomial with probability 1/2, so that the interval is exact up to the steps of
    that law, and never too short.

    >>> print(median_interval(range(1, 12)))
    6.0 [2.0, 10.0]
    """
    values = np.sort(validation.float_array(samples, "samples", shape=("n",)))
    n = values.size
    below = special.bdtr(np.arange(n), n, 0.5)
    # The largest k with 2 Pr[Binomial(n, 1/2) < k] <= 1 - confidence.
    k = int(np.count_nonzero(2.0 * below <= 1.0 - confidence))
    if k == 0:
        raise ValueError(
            f"samples must hold enough values for a confidence of {confidence}, got {n}: all lie "
            f"on one side of the median with probability 2^-{n - 1}"
        )
    return Interval(
        float(np.median(values)), float(values[k - 1]), float(values[n - k]), confidence
    )


@checked
def loglog_slope(m: object, values: object, confidence: Probability = 0.95) -> Interval:
    """Return the exponent of a power law, estimated seed by seed.

    For each seed the slope of ``log(values)`` against ``log(m)`` is fitted by least squares; the
    interval is Student's over the seeds.  It so covers the scatter between runs, but not the bias
    of a law that is a power of ``m`` only in the limit.

    Here `m` (k,): the widths (or other positive abscissae), at least two different ones; `values`
    (seeds, k): one row per seed, all positive; at least two seeds; `confidence`: the confidence
    level, in (0, 1).

    >>> print(loglog_slope([1, 10, 100], [[3.0, 30.0, 310.0], [2.0, 20.0, 190.0]]))
    1.00 [0.88, 1.11]
    """
    widths = validation.float_array(m, "m", shape=("k",))
    table = validation.float_array(values, "values", shape=("seeds", widths.size))
    for array, name in ((widths, "m"), (table, "values")):
        if not (array > 0.0).all():
            index = np.unravel_index(int(np.argmin(array)), array.shape)
            where = ", ".join(str(int(i)) for i in index)
            raise ValueError(
                f"{name} must contain positive numbers only (their logarithms are fitted), "
                f"got {float(array[index])} at index ({where})"
            )
    if len(table) < 2:
        raise ValueError(f"values must hold at least 2 seeds (rows), got {len(table)}")
    if np.ptp(widths) == 0.0:
        raise ValueError(f"m must contain at least 2 different values, got only {widths[0]}")
    x = np.log(widths)
    x = x - x.mean()
    spread = float(x @ x)
    return t_interval(np.log(table) @ x / spread, confidence)


class SweepError(RuntimeError):
    """A cell of a sweep failed.

    Parameters
    ----------
    message : str
        What failed, and why.
    cell : dict, optional
        The parameters of the cell.
    seed : int, optional
        Its seed.

    Notes
    -----
    The traceback of the failing call, which may have run in another process, is attached as a note.
    """

    cell: Record
    seed: int

    def __init__(self, message: str, cell: Record | None = None, seed: int = 0) -> None:
        super().__init__(message)
        self.cell = {} if cell is None else cell
        self.seed = seed


@dataclass(frozen=True)
class _Failure:
    """An exception on its way to the parent process, as text (not every exception pickles)."""

    summary: str
    details: str


def _run_cell(function: Callable[..., Any], cell: Record, sequence: np.random.SeedSequence) -> Any:
    """Evaluate one cell in isolation: own parameters, own stream, one thread.

    The result is pickled here, in this process too: whatever a result shares with other objects is
    cut off alike for any number of workers, and a result that cannot travel names its cell.
    """
    try:
        with single_threaded():
            result = function(**copy.deepcopy(cell), rng=np.random.default_rng(sequence))
        return pickle.dumps(result)
    except Exception as error:
        return _Failure(f"{type(error).__name__}: {error}", traceback.format_exc())


def _check_grid(grid: object) -> dict[str, list[Any]]:
    if not isinstance(grid, Mapping):
        raise TypeError(f"grid must be a mapping of names to sequences, got {grid!r}")
    axes: dict[str, list[Any]] = {}
    for name, axis in grid.items():
        if not isinstance(name, str) or not name.isidentifier() or name in ("rng", "seed"):
            raise ValueError(
                f"grid must have argument names other than 'rng' and 'seed' as keys, got {name!r}"
            )
        if isinstance(axis, str | bytes) or not isinstance(axis, Sequence | np.ndarray):
            raise TypeError(f"grid[{name!r}] must be a sequence of values, got {axis!r}")
        if len(axis) == 0:
            raise ValueError(f"grid[{name!r}] must not be empty")
        axes[name] = list(axis)
    return axes


def _check_seeds(seeds: object) -> list[int]:
    if isinstance(seeds, Sequence | np.ndarray) and not isinstance(seeds, str | bytes):
        chosen = [validation.count(seed, "seeds", minimum=0) for seed in seeds]
        if not chosen or len(set(chosen)) < len(chosen):
            raise ValueError(f"seeds must be different integers, at least one, got {chosen}")
        return chosen
    return list(range(validation.count(seeds, "seeds")))


def _merge(cell: Record, seed: int, result: Any) -> Record:
    record: Record = {**cell, "seed": seed}
    if isinstance(result, numbers.Number | np.number | np.bool_):
        result = {"value": result}
    if not isinstance(result, Mapping):
        raise TypeError(
            f"function must return a number or a mapping of names to values, got {result!r} for "
            f"{_cell_text(cell, seed)}"
        )
    for name, value in result.items():
        if not isinstance(name, str) or name in record:
            raise ValueError(
                f"function must return names that are strings and not names of parameters, got "
                f"{name!r} for {_cell_text(cell, seed)}"
            )
        record[name] = value
    return record


def _cell_text(cell: Record, seed: int) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in {**cell, "seed": seed}.items())


@checked
def sweep(
    function: Callable[..., Any],
    grid: Mapping[str, Sequence[Any]],
    seeds: int | Sequence[int],
    *,
    root_seed: int | np.random.SeedSequence,
    n_jobs: int = 1,
    scheduler: str | None = None,
    progress: Flag = True,
) -> list[Record]:
    """Evaluate a function on every cell of a grid, for several seeds.

    The records are the same, byte for byte, for any `n_jobs` and on a cluster.  Extending an axis
    at its end or adding seeds leaves the other records as they were.

    Here `function`: called as ``function(**cell, rng=generator)`` with one value of every axis and
    a ``numpy.random.Generator`` of its own; returns a number (recorded as ``"value"``) or a mapping
    of names to picklable values.  It must draw from `rng` only and keep no state between calls;
    `grid`: the axes: argument names and the values they take; `seeds`: how many seeds (numbered
    from 0), or which; `root_seed`: the root of all streams; it is not changed; `n_jobs`: number of
    worker processes; 1 computes in this process, -1 uses all cores; `scheduler`: address of a Dask
    scheduler, such as ``"tcp://10.0.0.5:8786"``, whose workers compute instead.  They need the same
    versions as this process; `progress`: whether to show a progress bar on the standard error
    stream.

    One record per cell and seed: the parameters, ``"seed"``, and the results.  The last axis runs
    faster than the first, the seed fastest of all.

    Raises SweepError: if a call fails; the message names the first failing cell in the order of the
    records, and the remaining cells are cancelled.

    Raises LostWorkers: if workers die again and again (:func:`sublinear_lib.cluster.run_tasks`).

    Raises ImportError, ConnectionError: if the cluster cannot be used.

    A worker that dies does not change the records: its cells are computed by another one, once.  An
    interrupt (Ctrl-C) cancels the remaining cells, stops the workers of this machine and is raised
    again.  With ``joblib.Memory(folder).cache(function)`` in the place of `function`, the same
    sweep goes on where an interrupted one has stopped.

    >>> def width_times_noise(m, rng):
    ...     return m * rng.random()
    >>> records = sweep(width_times_noise, {"m": [1, 2]}, 3, root_seed=0, progress=False)
    >>> [(record["m"], record["seed"]) for record in records]
    [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]

    The values as a table with one row per seed, as `loglog_slope` takes it:

    >>> to_columns(records)["value"].reshape(2, 3).T.shape
    (3, 2)
    """
    if not callable(function):
        raise TypeError(f"function must be callable, got {function!r}")
    axes = _check_grid(grid)
    chosen = _check_seeds(seeds)
    root = _sequence(root_seed, "root_seed")
    jobs = validation.count(n_jobs, "n_jobs", minimum=-1)
    if jobs == 0:
        raise ValueError("n_jobs must be an integer >= 1, or -1 for all cores, got 0")
    tasks: list[tuple[Record, int, np.random.SeedSequence]] = []
    for position in itertools.product(*(range(len(axis)) for axis in axes.values())):
        values = (axis[i] for axis, i in zip(axes.values(), position, strict=True))
        cell = dict(zip(axes, values, strict=True))
        for seed in chosen:
            # A child of the root, addressed by its place: what root.spawn would give, nested.
            key = (*root.spawn_key, *position, seed)
            sequence = np.random.SeedSequence(root.entropy, spawn_key=key, pool_size=root.pool_size)
            tasks.append((cell, seed, sequence))
    from tqdm import tqdm

    calls = [(function, cell, sequence) for cell, _, sequence in tasks]
    running = run_tasks(_run_cell, calls, n_jobs=jobs, scheduler=scheduler)
    records: list[Record] = []
    with (
        contextlib.closing(running) as outcomes,
        tqdm(total=len(tasks), disable=not progress, unit="cell") as bar,
    ):
        for (cell, seed, _), (_, outcome) in zip(tasks, outcomes, strict=True):
            bar.update()
            if isinstance(outcome, _Failure):
                error = SweepError(
                    f"the cell {_cell_text(cell, seed)} failed: {outcome.summary}", cell, seed
                )
                error.add_note(outcome.details)
                raise error
            result = pickle.loads(outcome)  # noqa: S301 (of this very run)
            records.append(_merge(cell, seed, result))
    return records


@described
def to_columns(records: Sequence[Mapping[str, Any]]) -> dict[str, np.ndarray]:
    """Turn a list of records into one array per name.

    Here `records`: records with the same names, for instance from `sweep`.

    For every name the values in the order of the records; arrays of one shape are stacked, values
    that no numeric or text array can hold become an array of objects.

    Raises ValueError: for no records at all, or records with different names.

    >>> to_columns([{"m": 4, "gap": 0.5}, {"m": 8, "gap": 0.25}])
    {'m': array([4, 8]), 'gap': array([0.5 , 0.25])}
    """
    if not len(records):
        raise ValueError("records must not be empty")
    names = list(records[0])
    for i, record in enumerate(records):
        if set(record) != set(names):
            raise ValueError(
                f"records must all have the names {names}, got {list(record)} in record {i}"
            )
    return {name: _column([record[name] for record in records]) for name in names}


def _column(values: list[Any]) -> np.ndarray:
    kinds = {"text" if isinstance(value, str) else type(value).__name__ for value in values}
    uniform = "text" not in kinds or kinds == {"text"}  # NumPy would turn [1, "a"] into text
    if uniform:
        try:
            column = np.array(values)
        except ValueError:
            uniform = False
        else:
            uniform = column.dtype.kind in "biufcUM"
    if not uniform:
        column = np.empty(len(values), dtype=object)
        column[:] = values
    return column
