"""Run the tests again and again while other processes compute, and keep what each run said.

usage: python tools/run_under_load.py [--runs 10] [--others 2] [--log FILE] [stage ...]

Without stages all of them run, as in `make test-all ALL=1`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUSY = "x = 1.0\nwhile True:\n    x = x * 1.0000001 % 7.0"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests as often as asked, and count the runs that failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("stage", nargs="*", help="default: all stages")
    parser.add_argument("--runs", type=int, default=10, help="how often (default: 10)")
    parser.add_argument("--others", type=int, default=2, help="processes beside (default: 2)")
    parser.add_argument("--log", type=Path, default=ROOT / "_build" / "under-load.log")
    asked = parser.parse_args(arguments)
    command = [sys.executable, str(ROOT / "tools" / "run_tests.py")]
    command += asked.stage or ["--thorough", "--again"]
    asked.log.parent.mkdir(parents=True, exist_ok=True)
    failed = 0
    with ExitStack() as busy, asked.log.open("a", encoding="utf-8") as log:
        for _ in range(asked.others):
            busy.callback(busy.enter_context(subprocess.Popen([sys.executable, "-c", BUSY])).kill)
        for run in range(1, asked.runs + 1):
            print(f"== run {run} of {asked.runs}, {time.ctime()}", file=log, flush=True)
            start = time.monotonic()
            code = subprocess.run(
                command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, check=False
            ).returncode
            failed += code != 0
            told = "passed" if code == 0 else f"FAILED ({code})"
            print(f"run {run}: {told} in {time.monotonic() - start:.0f} s", flush=True)
    print(f"{asked.runs - failed} runs passed, {failed} failed; what they said is in {asked.log}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
