"""The environment in which every notebook runs, when it is stored and when it is tested."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def kernel_environment() -> dict[str, str]:
    """Return the variables that make a notebook compute the same digits on every run.

    One thread for the linear algebra, because the order of its sums depends on the number of
    threads; a fixed hash seed, because the order of a set does; and the library of this checkout.
    The last two change no digit: they make glibc keep the memory of large arrays, which it would
    hand back to the system after each use and get again page by page.
    """
    paths = [str(ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
        "MALLOC_MMAP_THRESHOLD_": str(32 * 2**20),
        "MALLOC_TRIM_THRESHOLD_": str(256 * 2**20),
    }
