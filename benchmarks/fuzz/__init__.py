"""A fuzzer for everything that answers Definition 5.1: random structures against real arithmetic.

``python -m benchmarks.fuzz --queries 1e7 --seed 0`` draws index configurations,
histories of INSERT, REMOVE, UPDATE and QUERY (Algorithm 2) and half-spaces at which floating point
is at its worst, and compares every answer with an oracle that shares no code with the index.
``--steps 1e5`` asks for so many operations instead.  `run` does the same from Python, `replay`
plays one case again, `live` lets one index live long.  Of the library only the record of
reliability imports this package.
"""

from __future__ import annotations

from benchmarks.fuzz.campaign import (
    ENGINES,
    Case,
    Finding,
    Report,
    allowed_kernels,
    live,
    replay,
    run,
    structures_for,
)
from benchmarks.fuzz.histories import fingerprint

__all__ = [
    "ENGINES",
    "Case",
    "Finding",
    "Report",
    "allowed_kernels",
    "fingerprint",
    "live",
    "replay",
    "run",
    "structures_for",
]
