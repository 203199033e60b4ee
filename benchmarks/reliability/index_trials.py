"""The half-space index against real arithmetic: many queries, and long histories.

Both campaigns run the fuzz of the tests, ``python -m tests.halfspace.fuzz``, in a process of its
own.  In `histories` few indices live long, because an index that forgets a change may do so after
the thousandth one only.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.settings import Row
from sublinear_lib.halfspace.kernels import numba_allowed

LIVES = 5
"""How many indices share the operations of one chunk of `histories`."""

_ROOT = Path(__file__).resolve().parents[2]
_ENGINES = ("scan", "cap", "tree", "auto")


def queries(chunk: int, size: int, folder: Path) -> Row:
    """Ask every structure for half-spaces, and compare each answer with real arithmetic."""
    found = _fuzz(folder, "--seed", chunk, "--queries", size)
    for number, words in (("0", "without a point"), ("1", "with one point")):
        found[f"cases {words}"] = found.pop(f"cases of {number} points", 0)
    parts = found.get("by_structure", {})
    return {
        **{name: value for name, value in found.items() if name not in ("steps", "operations")},
        "by_structure": {name: part["queries"] for name, part in sorted(parts.items())},
    }


def histories(chunk: int, size: int, folder: Path) -> Row:
    """Let a few indices live long, and compare every answer with real arithmetic."""
    steps = size // LIVES
    kernels = ("numba", "numpy") if numba_allowed() else ("numpy",)
    index = f"{_ENGINES[chunk % 4]}/{kernels[chunk // 4 % len(kernels)]}"
    found = _fuzz(folder, "--seed", chunk, "--only", index, "--lives", LIVES, "--steps", steps)
    kept = ("steps", "queries", "pairs", "ties", "mismatches", "operations", "findings")
    return {
        "index": index,
        "lives": LIVES,
        "longest": steps,
        **{name: found[name] for name in kept if name in found},
    }


def _fuzz(folder: Path, *options: object) -> dict[str, Any]:
    """Return what a run of the fuzz has stored, or the finding that ended it."""
    record = folder / "record.json"
    command = (sys.executable, "-m", "tests.halfspace.fuzz", *options, "--json", record)
    run = subprocess.run([*map(str, command)], cwd=_ROOT, capture_output=True, text=True)
    if run.returncode:
        return {"mismatches": 1, "findings": [run.stderr[-5000:]]}
    found = json.loads(record.read_text(encoding="utf-8"))
    about_the_run = ("date", "versions", "seed", "seconds")
    return {**{k: v for k, v in found.items() if k not in about_the_run}, "findings": []}
