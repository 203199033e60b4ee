"""Seconds per step of adversarial training, over all neurons and with the index, on digits.

Digits 3 against 8 (n = 357, d = 65), the paper's jump activation, the paper's initialisation, five
projected-gradient steps per example.  Dense and sparse training run in turns in one process on one
thread, from the same weights; the step is timed without the bookkeeping of the history, by the
wall clock and by the processor time of the process (which other programs on the machine disturb
less).  Both numbers are medians over all steps of all rounds.  The dense trainer is the library's
own tuned one: float64, tiles that stay in the cache, one fused pass over the scores.

Run it with ``python benchmarks/digits_iteration.py``; it writes
``benchmarks/results/digits_iteration.json``.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from sublinear_lib import datasets, scaling
from sublinear_lib.adversary import ProjectedGradient
from sublinear_lib.datasets import Dataset
from sublinear_lib.evaluation import kernels_in_use
from sublinear_lib.network import TwoLayerNetwork
from sublinear_lib.training import (
    PHASES,
    DenseAdversarialTraining,
    History,
    SublinearAdversarialTraining,
    trainer,
)

QUESTION = "Seconds per training step, all neurons against the index, on digits 3 against 8?"
WIDTHS = (2**12, 2**14, 2**16)
ACTIVITIES = (0.01, 0.10)
RADII = (0.1, 0.2)
ATTACK_STEPS = 5
SEED = 0
CLOCKS: dict[str, Callable[[], float]] = {
    "wall": time.perf_counter,
    "processor": time.process_time,
}


@contextmanager
def timed_by(clock: Callable[[], float]) -> Iterator[None]:
    """Let the trainer read another clock."""
    module: Any = trainer
    usual = module.perf_counter
    module.perf_counter = clock
    try:
        yield
    finally:
        module.perf_counter = usual


def measure(
    data: Dataset, m: int, activity: float, rho: float, *, rounds: int, steps: int
) -> dict[str, Any]:
    """Time both trainers in turns and compare what they computed."""
    tau = scaling.threshold_from_activity(activity, m)
    start = TwoLayerNetwork.initialize(m, data.d, "PRINTED", rng=SEED, tau=tau)
    settings: dict[str, Any] = {
        "adversary": ProjectedGradient(rho=rho, steps=ATTACK_STEPS),
        "steps": steps,
    }
    trainers = {
        "dense": DenseAdversarialTraining(**settings),
        "sparse": SublinearAdversarialTraining(**settings),
    }
    histories: dict[str, History] = {}
    phases: dict[str, dict[str, dict[str, list[float]]]] = {
        clock: {name: {phase: [] for phase in PHASES} for name in trainers} for clock in CLOCKS
    }
    totals: dict[str, dict[str, list[float]]] = {
        clock: {name: [] for name in trainers} for clock in CLOCKS
    }
    for attempt in range(rounds + 1):
        for clock, read in CLOCKS.items():
            for name, method in trainers.items():
                with timed_by(read), threadpool_limits(1):
                    history = method.fit(start, data.X, data.y, rng=SEED)
                histories[name] = history
                if attempt == 0:
                    continue  # the first round compiles and fills caches
                totals[clock][name].extend(history.seconds_per_step.tolist())
                for phase in PHASES:
                    phases[clock][name][phase].extend(history.seconds[phase].tolist())
    dense, sparse = histories["dense"], histories["sparse"]
    return {
        "m": m,
        "target_activity": activity,
        "rho": rho,
        "tau": tau,
        "index": sparse.method,
        "activity_mean": float(sparse.activity_mean.mean()),
        "candidates_share": float(sparse.candidates.mean() / m),
        "touched_share": float(sparse.touched.mean() / m),
        "work_per_step": {
            name: {
                part: float(np.mean(history.column(f"work_{part}")))
                for part in ("query", "adversary", "forward", "backward")
            }
            for name, history in histories.items()
        },
        "work_ratio": float(dense.work.mean() / sparse.work.mean()),
        "seconds_per_step": {
            clock: {name: float(np.median(totals[clock][name])) for name in trainers}
            for clock in CLOCKS
        },
        "seconds_ratio": {
            clock: float(np.median(totals[clock]["dense"]) / np.median(totals[clock]["sparse"]))
            for clock in CLOCKS
        },
        "seconds_per_phase": {
            clock: {
                name: {phase: float(np.median(values)) for phase, values in by_phase.items()}
                for name, by_phase in phases[clock].items()
            }
            for clock in CLOCKS
        },
        "steps_timed": len(totals["wall"]["dense"]),
        "largest_weight_difference": float(np.abs(dense.final.W - sparse.final.W).max()),
        "active_counts_equal": bool(
            np.array_equal(dense.touched, sparse.touched)
            and np.array_equal(dense.activity_mean, sparse.activity_mean)
        ),
    }


def machine() -> dict[str, Any]:
    """Describe the machine without naming it."""
    model = platform.processor()
    memory = None
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((s.split(":")[1].strip() for s in lines if s.startswith("model name")), model)
    if hasattr(os, "sysconf"):
        memory = round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "memory_GiB": memory,
        "system": f"{platform.system()} {platform.machine()}",
        "load_average": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


def versions() -> dict[str, str]:
    """Return the versions that a timing depends on."""
    found = {"python": platform.python_version()}
    for package in ("numpy", "scipy", "numba", "scikit-learn"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Run the benchmark and write its result."""
    parser = argparse.ArgumentParser(description=QUESTION)
    parser.add_argument("--widths", type=int, nargs="+", default=list(WIDTHS))
    parser.add_argument("--activities", type=float, nargs="+", default=list(ACTIVITIES))
    parser.add_argument("--radii", type=float, nargs="+", default=list(RADII))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument(
        "--output",
        type=Path,
        default=Path(__file__).parent / "results" / "digits_iteration.json",
    )
    options = parser.parse_args(arguments)
    data = datasets.load("digits-3v8")
    before = machine()
    results = []
    for m in options.widths:
        for activity in options.activities:
            for rho in options.radii:
                cell = measure(data, m, activity, rho, rounds=options.rounds, steps=options.steps)
                results.append(cell)
                wall, ratio = cell["seconds_per_step"]["wall"], cell["seconds_ratio"]
                print(
                    f"m = {m:6d}  activity {activity:.0%}  rho {rho}:  "
                    f"dense {wall['dense'] * 1e3:8.1f} ms  sparse {wall['sparse'] * 1e3:8.1f} ms  "
                    f"ratio {ratio['wall']:.2f} (processor time {ratio['processor']:.2f}, "
                    f"work {cell['work_ratio']:.1f})",
                    flush=True,
                )
    report = {
        "question": QUESTION,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": before,
        "versions": versions(),
        "settings": {
            "data": "digits-3v8",
            "n": data.n,
            "d": data.d,
            "activation": "jump",
            "attack_steps": ATTACK_STEPS,
            "seed": SEED,
            "threads": 1,
            "kernels": kernels_in_use(),
            "rounds": options.rounds,
            "steps_per_round": options.steps,
            "eta": "stable",
            "loss": "huber",
        },
        "results": results,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(report, indent=1) + "\n")
    return report


if __name__ == "__main__":
    main()
