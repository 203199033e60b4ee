"""Training runs (Algorithm 1) that are killed again and again, and what comes of them.

A process trains and writes checkpoints; it is killed (SIGKILL) at a random moment, and the next
process goes on.  After the last kill a run is let through to its end, and its weights are compared,
byte for byte, with those of a run that nobody killed.  A fork server gives birth to those that are
killed, so that they need no second to import the library; the seed fixes how long we wait, not
where the other process is by then.
"""

from __future__ import annotations

import contextlib
import hashlib
import multiprocessing
import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.settings import Row
from sublinear_lib import geometry, scaling
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import History, Search, SublinearAdversarialTraining

SEARCHES: tuple[Search, ...] = ("scan", "caps", "query", "tree")

_KERNELS = "SUBLINEAR_NUMBA"
_EVERY = 2
_WAIT = 0.03
_STEPS_PER_KILL = 30


def kills(chunk: int, size: int, folder: Path) -> Row:
    """Kill a training run many times, resume it, and compare with a run that nobody killed."""
    index = SEARCHES[chunk % len(SEARCHES)]
    steps = _STEPS_PER_KILL * size
    path = folder / "run"
    moments = random.Random(chunk)
    early = reached = 0
    lives = _lives()
    # The fork server may be older than what the environment says now.
    kernels = os.environ.get(_KERNELS, "1")
    for kill in range(size):
        listen, tell = lives.Pipe(duplex=False)
        child = lives.Process(target=_life, args=(path, index, steps, kernels, tell), daemon=True)
        child.start()
        tell.close()
        told = _told(listen)
        at_once = kill % 5 == 4  # while it reads its checkpoint, or before
        first = None if at_once else next(told, None)
        if first is None and not at_once:
            raise RuntimeError(f"life {kill} ended before its first step")
        time.sleep(moments.uniform(0.0, 4 * _WAIT if at_once else _WAIT))
        child.kill()
        first = next(told, None) if at_once else first
        if first is None:
            early += 1
        elif first < reached - _EVERY:
            raise RuntimeError(f"life {kill} began at step {first}, but {reached} was done")
        reached = max(reached, first or 0, *told)
        child.join()
        listen.close()
        if child.exitcode == 0:
            raise RuntimeError(f"life {kill} came to its end before it was killed")
        child.close()
    resumed = _train(path, index, steps)
    straight = _train(folder / "straight", index, steps)
    wanted = {"run", "run.previous", "straight", "straight.previous"}
    left = {file.name for file in folder.iterdir() if not file.name.startswith(".")}
    return {
        "index": index,
        "kills": size,
        "before the first step": early,
        "steps": len(resumed),
        "same weights": resumed.final.W.tobytes() == straight.final.W.tobytes(),
        "same history": all(
            np.array_equal(resumed.column(name), straight.column(name))
            for name in ("step", "loss", "clean_loss", "activity_mean")
        ),
        "other files": sorted(left - wanted),
        "weights": hashlib.sha256(resumed.final.W.tobytes()).hexdigest()[:16],
    }


def _train(
    path: Path, index: Search, steps: int, callback: Callable[..., Any] | None = None
) -> History:
    m = 100
    network = TwoLayerNetwork.initialize(m, 4, rng=0, tau=scaling.threshold_from_standard(1.65, m))
    X = geometry.sample_slice(4, 4, rng=1)
    y = np.array([1.0, -1.0, -1.0, 1.0])
    trainer = SublinearAdversarialTraining(
        adversary=ProjectedGradient(rho=0.15, steps=2, restarts=2, random_start=True),
        steps=steps,
        index=index,
    )
    return trainer.fit(
        network, X, y, rng=0, checkpoint=path, checkpoint_every=_EVERY, callback=callback
    )


def _life(path: Path, index: Search, steps: int, kernels: str, tell: Any) -> None:
    """Run until the end, or until somebody kills this process, and tell every step."""
    os.environ[_KERNELS] = kernels
    _train(path, index, steps, lambda record, now: tell.send(record.step))


def _told(listen: Any) -> Iterator[int]:
    """Give the steps that were told, until the process that told them has ended."""
    with contextlib.suppress(EOFError, OSError):  # between two of them, or amid one
        while True:
            yield listen.recv()


def _lives() -> Any:
    kinds = multiprocessing.get_all_start_methods()
    lives = multiprocessing.get_context("forkserver" if "forkserver" in kinds else "spawn")
    lives.set_forkserver_preload([__name__])
    return lives
