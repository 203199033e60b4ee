"""The half-space index against real arithmetic: many queries, and long histories.

Both campaigns play what :mod:`benchmarks.fuzz` draws.  `queries` counts QUERY
(Definition 5.1, Algorithm 2) over many small cases of every structure, and says how hostile they
were; `histories` lets few indices live long, because an index that forgets a change may do so after
the thousandth one only.  Before changing it, know that a case is named by its seed and its number,
and that the numbers stored here belong to the version of the library that is stored beside them.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from benchmarks import fuzz
from benchmarks.settings import Row
from sublinear_lib import validation

LIVES = 5
"""How many indices share the operations of one chunk of `histories`."""

_ENGINES = ("scan", "cap", "tree", "auto")


def queries(chunk: int, size: int) -> Row:
    """Ask every structure for half-spaces, and compare each answer with real arithmetic."""
    validation.count(size, "size")
    structures = fuzz.structures_for(fuzz.ENGINES, None)
    total: Counter[str] = Counter()
    by_structure: Counter[str] = Counter()
    by_family: Counter[str] = Counter()
    findings: list[str] = []
    number = 0
    while total["queries"] < size:
        engine, kernels = structures[number % len(structures)]
        case = fuzz.Case(chunk, number, engine, kernels)
        configuration = case.drawn().configuration
        report = fuzz.replay(case)
        asked = report.total.queries
        for name in ("cases", "queries", "pairs", "ties", "decided_exactly", "mismatches"):
            total[name] += getattr(report.total, name)
        by_structure[f"{engine}/{kernels}"] += asked
        by_family[configuration.get("family", "others")] += asked
        points = configuration.get("m")
        total["cases without a point"] += points == 0
        total["cases with one point"] += points == 1
        findings += map(str, report.findings)
        number += 1
    return {
        **total,
        "by_structure": dict(sorted(by_structure.items())),
        "by_family": dict(sorted(by_family.items())),
        "findings": findings,
    }


def histories(chunk: int, size: int) -> Row:
    """Let a few indices live long, and compare every answer with real arithmetic."""
    validation.count(size, "size", minimum=LIVES)
    kernels = fuzz.allowed_kernels()
    engine = _ENGINES[chunk % len(_ENGINES)]
    own = kernels[chunk // len(_ENGINES) % len(kernels)]
    total: Counter[str] = Counter()
    operations: Counter[str] = Counter()
    findings: list[str] = []
    shares = np.diff(np.linspace(0, size, LIVES + 1).astype(int))
    for number, steps in enumerate(shares.tolist()):
        report = fuzz.live(fuzz.Case(chunk, number, engine, own), steps)
        total["lives"] += 1
        total["longest"] = max(total["longest"], report.total.steps)
        for name in ("steps", "queries", "pairs", "ties", "mismatches"):
            total[name] += getattr(report.total, name)
        operations.update(report.operations)
        findings += map(str, report.findings)
    found: dict[str, Any] = dict(total)
    return {
        "index": f"{engine}/{own}",
        **found,
        "operations": dict(sorted(operations.items())),
        "findings": findings,
    }
