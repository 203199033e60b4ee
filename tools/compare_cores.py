"""Run every notebook of the book on one core and on two, and compare the bytes with what is stored.

The book's own runs use one thread (``tools/kernel_environment.py``), so two threads are harder than
what the tests ask for; a notebook that differs there is run once more on two cores with one thread.
``python -m benchmarks.reliability --only notebooks`` keeps what is found.
"""

from __future__ import annotations

import datetime
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import run_notebooks
from kernel_environment import kernel_environment

import benchmarks

QUESTION = "Do the notebooks of the book print the same bytes on one core and on two?"
RUNS = {
    "one core, one thread": (1, 1),
    "two cores, two threads": (2, 2),
    "two cores, one thread": (2, 1),
}
"""Cores and threads of each run."""
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def text_on(path: Path, cores: int, threads: int) -> str:
    """Return the text of a notebook that is run on so many cores, in the fixed form."""
    if not hasattr(os, "sched_setaffinity"):
        raise OSError("this system cannot keep a process on some of its cores")
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < cores:
        raise OSError(f"{cores} cores are needed, there are {len(allowed)}")

    environment = kernel_environment() | dict.fromkeys(_THREADS, str(threads))
    os.sched_setaffinity(0, allowed[:cores])
    try:
        with mock.patch.object(run_notebooks, "kernel_environment", lambda: environment):
            return run_notebooks.fresh(path)
    finally:
        os.sched_setaffinity(0, allowed)


def compare(path: Path, way: str) -> bool:
    """Say whether a notebook that is run in one way of `RUNS` has the bytes that are stored."""
    return text_on(path, *RUNS[way]) == path.read_text(encoding="utf-8")


def wanted(found: dict[str, bool]) -> list[str]:
    """Say which runs of a notebook are missing: the third one only where the second differs."""
    one, two, third = RUNS
    ways = [one, two] if found.get(two, True) else [one, two, third]
    return [way for way in ways if way not in found]


def compare_missing(
    record: dict[str, Any],
    done: Callable[[dict[str, Any]], object],
    paths: Sequence[Path] | None = None,
) -> None:
    """Compare the notebooks that a record does not hold yet, all in one way first."""
    empty = {"question": QUESTION, "size": 1, "chunks": {}}
    held = record["campaigns"].setdefault("notebooks", empty)
    for way in RUNS:
        for path in run_notebooks.notebooks() if paths is None else paths:
            name = run_notebooks.identity(path)
            chunk = held["chunks"].setdefault(name, {"seconds": 0.0, "found": {}})
            if way not in wanted(chunk["found"]):
                continue
            begun = time.monotonic()
            chunk["found"][way] = compare(path, way)
            chunk["seconds"] = round(chunk["seconds"] + time.monotonic() - begun, 1)
            chunk["date"] = datetime.datetime.now(datetime.UTC).date().isoformat()
            held["environment"] = benchmarks.environment()
            done(record)
