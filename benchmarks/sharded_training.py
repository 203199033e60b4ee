"""Measure what a step takes, and what a worker holds, when the neurons are split over workers.

Networks of several widths, at the threshold ``sqrt(2/m) sqrt(2 c log m)`` with c = 1/5, train on
the same examples, their neurons split over the workers of a Dask cluster on this machine.

The run of record is ``python -m benchmarks.sharded_training`` (16 GB, ten minutes); ``--m 1e4,1e5
--steps 3 --output FILE`` shows that it runs.  ``--check`` compares the weights with those of a
single process, bit by bit with ``--reduction reference`` and to 1e-12 otherwise.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import benchmarks
from sublinear_lib import archives, datasets, scaling
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import ShardedAdversarialTraining, SublinearAdversarialTraining

# The run of record: what no option changes.
ATTACK = {"rho": 0.1, "attack_steps": 5}
INDEX, SEED = "query", 0
QUESTION = "What does a step of training cost, in time and memory, with neurons split over workers?"
STORED = Path(__file__).parent / "results" / "sharded_training.json"


def memory(process: int | None, line: str) -> int | None:
    """Return the bytes that the system says a process holds, where the system has such a file."""
    with contextlib.suppress(OSError):
        for each in Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines():
            if each.startswith(f"{line}:"):
                return 1024 * int(each.split()[1])
    return None


@contextlib.contextmanager
def cluster(shards: int) -> Iterator[str]:
    """Start a scheduler and one process of one thread for every shard."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=shards,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        memory_limit=None,
        silence_logs=100,
    ) as local:
        yield local.scheduler_address


def measured(network: TwoLayerNetwork, data: datasets.Dataset, given: Any, shards: int) -> Any:
    """Train with so many shards; return the row of the table and the weights."""
    common = options(given)
    ends = []
    held: list[dict[str, int | None]] = []

    def note(record: Any, snapshot: Any) -> None:
        ends.append(time.perf_counter())
        if len(ends) == given.steps:
            held[:] = [
                {"resident": memory(each.pid, "VmRSS"), "peak": memory(each.pid, "VmHWM")}
                for each in multiprocessing.active_children()
            ]

    with contextlib.ExitStack() as stack:
        where: dict[str, Any] = {}
        if given.workers == "dask":
            where["scheduler"] = stack.enter_context(cluster(shards))
        trainer = ShardedAdversarialTraining(**common, shards=shards, **where)
        begun = time.perf_counter()
        history = trainer.fit(network, data.X, data.y, rng=SEED, callback=note)
        whole = time.perf_counter() - begun
    # The first step pays for compiled code and for what is made once.
    seconds = np.diff(ends).tolist()
    row = {"m": network.m, "shards": shards, "seconds": seconds, "workers": held}
    print(
        f"m = {network.m:>8}, {shards} shards: {np.median(seconds):.4g} s a step, "
        f"{whole:.3g} s in all",
        flush=True,
    )
    return row, history.final.W


def options(given: Any) -> dict[str, Any]:
    """Return what all trainers have in common."""
    return {
        "adversary": ProjectedGradient(rho=ATTACK["rho"], steps=int(ATTACK["attack_steps"])),
        "steps": given.steps,
        "reduction": given.reduction,
        "index": INDEX,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and store."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--m", default="1e4,1e5,1e6,1e7", help="widths, with commas")
    parser.add_argument("--n", type=int, default=64, help="examples")
    parser.add_argument("--d", type=int, default=8, help="dimension")
    parser.add_argument("--steps", type=int, default=6, help="the first one is not timed")
    parser.add_argument("--shards", default="1,2,4", help="numbers of shards, with commas")
    parser.add_argument("--reduction", choices=("blas", "reference"), default="blas")
    parser.add_argument("--workers", choices=("dask", "here"), default="dask")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--output", type=Path, default=STORED)
    given = parser.parse_args(arguments)

    data = datasets.separated(given.n, given.d, separation=0.25, rng=SEED)
    rows = []
    begun = datetime.datetime.now(datetime.UTC)
    for m in (int(float(part)) for part in given.m.split(",")):
        tau = scaling.SPARSE_C.tau(m)
        network = TwoLayerNetwork.initialize(m, given.d, rng=SEED, tau=tau)
        alone = None
        if given.check:
            single = SublinearAdversarialTraining(**options(given))
            alone = single.fit(network, data.X, data.y, rng=SEED).final.W
        for shards in (int(part) for part in given.shards.split(",")):
            row, weights = measured(network, data, given, shards)
            row["t"] = scaling.standardize_threshold(tau, m)
            if alone is not None:
                difference = float(np.abs(weights - alone).max())
                if not difference <= (0.0 if given.reduction == "reference" else 1e-12):
                    raise SystemExit(
                        f"m = {m}, {shards} shards: the weights are {difference:.2g} away from "
                        "those of a single process"
                    )
                row["largest_difference"] = difference
            rows.append(row)
            del weights
    apart = ("output", "m", "shards", "check")  # where it went, and what the rows say
    settings = {name: value for name, value in vars(given).items() if name not in apart}
    settings |= {**ATTACK, "index": INDEX, "seed": SEED}
    found = {
        "question": QUESTION,
        "date": begun.isoformat(timespec="seconds"),
        "settings": settings,
        "environment": benchmarks.environment(),
        "rows": rows,
    }
    archives.write_bytes(given.output, (json.dumps(found, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
