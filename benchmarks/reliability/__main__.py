"""Run the long campaigns of reliability, and keep what they find.

``python -m benchmarks.reliability`` runs, in hours, what ``benchmarks/results/reliability.json``
does not hold yet, chunk by chunk; it can be stopped at any time and goes on when it is started
again.  ``--only notebooks`` compares what the notebooks of the book print on one core and on two,
byte by byte (``tools/compare_cores.py``).
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import reliability, results_path

STORED = results_path().with_name("reliability.json")
NOTEBOOKS = "notebooks"


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Run what is missing."""
    names = [*reliability.CAMPAIGNS, NOTEBOOKS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    parser.add_argument("--size", type=int, help="size of a chunk, for a short trial")
    parser.add_argument("--chunks", type=int, nargs="+", help="which chunks, by their numbers")
    parser.add_argument("--renew", action="store_true", help="forget what is stored first")
    parser.add_argument("--list", action="store_true", help="say how far the campaigns are")
    parser.add_argument("--output", type=Path, default=STORED)
    given = parser.parse_args(arguments)
    if min(given.chunks or [0]) < 0 or (given.size is not None and given.size < 1):
        parser.error("--chunks must be 0 or more and --size 1 or more")
    record = _stored(given.output)
    if given.list:
        for name in names:
            held = record["campaigns"].get(name, {"chunks": {}})
            print(f"{name}: {len(held['chunks'])} chunks")
        return record

    def done(changed: dict[str, Any]) -> None:
        # Another process may have stored other chunks in between.
        kept = reliability.merged_records(_stored(given.output), changed)
        reliability.store_reliability(kept, given.output)
        print(f"{name}: {len(changed['campaigns'][name]['chunks'])} chunks", flush=True)

    for name in given.only:
        if given.renew:
            record["campaigns"].pop(name, None)
            reliability.store_reliability(record, given.output)
        if name == NOTEBOOKS:
            sys.path.insert(0, str(STORED.parents[2] / "tools"))
            from compare_cores import compare_missing

            compare_missing(record, done)
        else:
            reliability.run_campaign(record, name, size=given.size, chunks=given.chunks, done=done)
    return record


def _stored(path: Path) -> dict[str, Any]:
    with contextlib.suppress(FileNotFoundError):
        return reliability.load_reliability(path)
    return reliability.new_record()


if __name__ == "__main__":
    main()
