"""Independent tasks, in this process, on the cores of this machine, or on a Dask cluster.

No object of the paper lives here.  `run_tasks` hands out the result of every task exactly once,
whoever computed it: a worker that dies has its tasks done again by another one, and a task that
brings down every worker it meets is an error that says so (`LostWorkers`).  Cores are used through
joblib.  A cluster is not: joblib's own Dask backend waits forever for a task whose workers died,
leaves abandoned tasks running, and spreads large arguments over workers that may die; the few lines
here use the Dask client itself.  Know before using it that Dask sends pickled objects both ways, so
that a scheduler has to be one's own.
"""

from __future__ import annotations

import contextlib
import importlib
import pickle
import threading
import uuid
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from sublinear_lib import validation
from sublinear_lib._arguments import Flag, checked
from sublinear_lib.caching import circumstances

__all__ = ["LostWorkers", "connected", "run_tasks", "single_threaded"]

_SECONDS = 10.0
_LOST_CONNECTION = "scheduler-connection-lost"  # as Dask gives the reason


class LostWorkers(RuntimeError):
    """The workers that were to compute something are gone, and so is what they had of it."""


class _OneThread:
    """One BLAS thread as long as anybody asks for it, in a process of several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._limits: Any = None

    def __enter__(self) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._limits = threadpool_limits(limits=1)

    def __exit__(self, *unused: object) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._limits.restore_original_limits()
                self._limits = None


_ONE_THREAD = _OneThread()


def single_threaded() -> contextlib.AbstractContextManager[None]:
    """Return a context in which matrix products use one thread.

    Contexts may overlap in several threads of a process, as on a Dask worker: the first one sets
    the limit and the last one lifts it.

    >>> with single_threaded():
    ...     pass
    """
    return _ONE_THREAD


@checked
def run_tasks(
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    *,
    n_jobs: int = 1,
    scheduler: str | None = None,
    ordered: Flag = True,
) -> Generator[tuple[int, Any]]:
    """Call a function for every task, and hand out each result once.

    Here `function`: called as ``function(*task)``; `tasks`: the arguments; `n_jobs`: processes on
    this machine; 1 computes in this process, -1 uses all cores.  There are never more than tasks or
    processors, but for a second one, which keeps this process safe; `scheduler`: address of a Dask
    scheduler, such as ``"tcp://10.0.0.5:8786"``; then its workers compute, and `n_jobs` is not
    used; `ordered`: whether results come in the order of the tasks, or as soon as they are there.

    Returned: `position`: Which task it was. `result`: What the function returned.

    Raises LostWorkers: if workers died again and again, or the scheduler is gone.

    Raises ImportError: if a scheduler is given and ``distributed`` is not installed.

    Raises ConnectionError: if nobody answers at its address, or it has no workers.

    Closing the generator cancels what was not begun.  Processes of this machine are stopped at
    once; a Dask worker ends the call that it is at.

    >>> list(run_tasks(pow, [(2, 3), (3, 2)]))
    [(0, 8), (1, 9)]
    """
    if not callable(function):
        raise TypeError(f"function must be callable, got {function!r}")
    if scheduler is not None:
        yield from _on_cluster(function, tasks, scheduler, ordered)
        return
    if n_jobs == 1:
        for position, task in _numbered_tasks(tasks):
            yield position, function(*task)
        return
    import joblib

    n_jobs = min(n_jobs, max(2, min(len(tasks), joblib.cpu_count())))
    # max_nbytes=None: large parameters would otherwise reach the workers as memory-mapped files,
    # another type of array than the function sees with one job.
    parallel = joblib.Parallel(
        n_jobs=n_jobs,
        backend="loky",
        return_as="generator" if ordered else "generator_unordered",
        max_nbytes=None,
        batch_size="auto" if ordered else 1,
    )
    results = parallel(
        joblib.delayed(_numbered)(function, position, task)
        for position, task in _numbered_tasks(tasks)
    )
    try:
        # Not `yield from`, which would forward the closing before the warning is silenced.
        for result in results:  # noqa: UP028
            yield result
    except BrokenProcessPool as error:
        raise LostWorkers(f"a worker process ended by itself: {error}") from error
    finally:
        with warnings.catch_warnings():
            # Stopping early is meant: joblib would advise to submit fewer tasks.
            warnings.simplefilter("ignore")
            results.close()


def _numbered_tasks(tasks: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Give each task its number, and refuse one that is none when its turn has come."""
    for position, task in enumerate(tasks):
        yield position, validation.instance(task, f"tasks[{position}]", tuple)


def _numbered(function: Callable[..., Any], position: int, task: tuple[Any, ...]) -> Any:
    return position, function(*task)


def _called(payload: bytes) -> Any:
    function, task = pickle.loads(payload)  # noqa: S301 (of this very run)
    return function(*task)


def _on_cluster(
    function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], scheduler: str, ordered: bool
) -> Generator[tuple[int, Any]]:
    with connected(scheduler) as client:
        from cloudpickle import dumps
        from distributed import as_completed

        run = f"sublinear-{uuid.uuid4().hex}"
        waiting = _numbered_tasks(tasks)
        running: dict[Any, int] = {}
        finished = as_completed([], loop=client.loop)
        done: dict[int, Any] = {}
        following = 0

        def submit() -> None:
            # Bytes, because Dask would keep large arguments on workers of their own.
            for position, task in waiting:
                payload = dumps((function, task))
                future = client.submit(_called, payload, key=f"{run}-{position}", pure=False)
                running[future] = position
                finished.add(future)
                break

        try:
            for _ in range(2 * max(1, sum(client.ncores().values()))):
                submit()
            while running:
                future = next(finished)
                position = running.pop(future)
                try:
                    # By now it may be lost, with its worker, and computed again: then this waits.
                    result = future.result()
                except Exception as error:
                    raise _failure(future, error, position, scheduler)  # noqa: B904
                future.release()
                submit()
                if not ordered:
                    yield position, result
                    continue
                done[position] = result
                while following in done:
                    yield following, done.pop(following)
                    following += 1
        finally:
            with contextlib.suppress(Exception):
                client.cancel(list(running), force=True)


def _failure(future: Any, error: Exception, position: int, scheduler: str) -> Exception:
    """Return the error for a task that has no result."""
    if future.status == "error":
        if not type(error).__module__.startswith("distributed"):
            return error
        return LostWorkers(
            f"task {position} has no result: every worker that it was given died ({error})"
        )
    if future.cancelled() and getattr(error, "reason", _LOST_CONNECTION) != _LOST_CONNECTION:
        return LostWorkers(f"task {position} has no result: it was cancelled ({error})")
    return LostWorkers(
        f"the scheduler at {scheduler!r} is gone, and with it what its workers had not sent yet "
        f"(task {position} is {future.status})"
    )


@contextlib.contextmanager
def connected(scheduler: str, *, direct: bool = False) -> Iterator[Any]:
    """Connect to a Dask scheduler whose workers can do what this process can.

    Here `scheduler`: its address; `direct`: whether to talk to the workers without a detour over
    the scheduler.

    Raises TypeError, ImportError, ConnectionError, ValueError: as `run_tasks`.
    """
    validation.instance(scheduler, "scheduler", str)
    try:
        distributed = importlib.import_module("distributed")
    except ImportError as error:
        raise ImportError(
            "scheduler needs the package distributed: pip install '.[cluster]' in a clone"
        ) from error
    try:
        client = distributed.Client(
            scheduler, timeout=_SECONDS, set_as_default=False, direct_to_workers=direct or None
        )
    except (OSError, ValueError, TimeoutError) as error:
        raise ConnectionError(f"no Dask scheduler answers at {scheduler!r}: {error}") from error
    try:
        try:
            client.wait_for_workers(1, timeout=_SECONDS)
        except TimeoutError as error:
            raise ConnectionError(f"the scheduler at {scheduler!r} has no workers") from error
        ours = circumstances()
        for worker, theirs in client.run(circumstances, on_error="return").items():
            if isinstance(theirs, OSError):
                continue  # it has left in between
            if isinstance(theirs, BaseException):
                raise ValueError(f"the worker {worker} cannot use this library: {theirs}")
            other = [f"{name} {theirs.get(name)} (here {ours[name]})"
                     for name in ours if theirs.get(name) != ours[name]]  # fmt: skip
            if other:
                raise ValueError(f"the worker {worker} would compute with {', '.join(other)}")
        yield client
    finally:
        client.close(timeout=_SECONDS)
