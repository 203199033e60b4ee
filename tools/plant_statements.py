"""Plant errors in the statements, one at a time, and see whether their checks notice.

usage: python tools/plant_statements.py [--output FILE] [NAME ...]

Each number of `sublinear_lib.claims.stated.STATED` is replaced by a power that is 1/40 off, on
either side (a constant: 10 %), and the checks of its claims run in the quick budget with seed 0.
A planted number that changes the truth of a statement must change the verdict, any other must not.
The result goes to `benchmarks/results/statement_plantings.json`.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

from sublinear_lib.claims import LEDGER, Budget, Claim, Verdict
from sublinear_lib.claims.stated import STATED

OUTPUT = Path(__file__).resolve().parents[1] / "benchmarks/results/statement_plantings.json"
SCHEMA = 1


def verdict_of(claim: Claim) -> Verdict:
    """Check a claim; a check that breaks leaves it undecided, as in a verification."""
    try:
        return claim.run(Budget.QUICK, 0).verdict
    except (ArithmeticError, ValueError, TypeError):
        return Verdict.UNDECIDED


def trial(key: str, claim: Claim, number: Fraction | float) -> dict[str, Any]:
    """Plant one number and note what its check finds."""
    entry = STATED[key]
    true, was = entry.admits(number), entry.admits(entry.number)
    sharp = entry.number if entry.sharp is None else entry.sharp
    with mock.patch.dict(STATED, {key: replace(entry, number=number, sharp=sharp)}):
        found = verdict_of(claim)
    changed = found is not claim.recorded
    if true != was:
        outcome = "noticed" if changed else "not noticed"
    else:
        outcome = "false alarm" if changed else "kept"
    return {
        "name": key,
        "claim": claim.id,
        "what": entry.what,
        "relation": entry.relation,
        "stated": shown(entry.number),
        "planted": shown(number),
        "makes it": "true" if true else "false",
        "verdict": found.value,
        "outcome": outcome,
    }


def shown(number: Fraction | float) -> str:
    """Return a number as it is printed."""
    return str(number) if isinstance(number, Fraction) else f"{number:.4g}"


def trials(names: list[str]) -> Iterator[dict[str, Any]]:
    """Plant everything, or what is named."""
    for key in names or list(STATED):
        for name in STATED[key].claims:
            for number in STATED[key].wrong():
                yield trial(key, LEDGER[name], number)


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for, and store it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    chosen = parser.parse_args(arguments)
    begun, rows = time.time(), []
    for row in trials(chosen.names):
        rows.append(row)
        told = (row["claim"], row["name"], row["stated"], "->", row["planted"], row["verdict"])
        print(f"{row['outcome']:12s}", *told, flush=True)
    record = {
        "schema": SCHEMA,
        "question": "Does a planted error in a statement change the verdict of its check?",
        "date": time.strftime("%Y-%m-%d"),
        "seconds": round(time.time() - begun),
        "versions": {
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in ("numpy", "scipy")},
        },
        "trials": rows,
    }
    text = json.dumps(record).replace("}, {", "},\n {")  # one trial on a line
    chosen.output.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
