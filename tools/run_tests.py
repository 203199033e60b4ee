"""Run everything that guards the book, and say at the end what was run and what was skipped.

usage: python tools/run_tests.py [stage ...]

Without arguments all stages run, and a failure does not stop the rest. Stages that use only one
processor come first and run side by side, in an order that ends with short ones. The last line
counts: one for every test that pytest knows, one for every other stage.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from browser import find_chromium

ROOT = Path(__file__).resolve().parents[1]
PROCESSORS = min(2, os.cpu_count() or 1)
WORKERS = ("-n", str(PROCESSORS))

# What one process has compiled to bytecode, hundreds of others read: the workers and kernels of all
# stages, and every Python that a test starts.  An empty value lets Python write it.
BYTECODE = {"PYTHONDONTWRITEBYTECODE": ""}

# The promises that must hold with the compiled kernels and without them. Those marked either_way
# name the kernels that they use, or use none, and run in the library stage only; conftest.py fails
# a test among them that asks whether there are compiled kernels.
KERNEL_TESTS = ("tests/halfspace", "tests/evaluation", "tests/training", "tests/adversary")


@dataclass(frozen=True)
class Stage:
    """One command; `pytest` stages count their tests, others count as one."""

    name: str
    what: str
    arguments: tuple[str, ...]
    pytest: bool = False
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def single(self) -> bool:
        """Whether the stage uses one processor only."""
        return "-n" not in self.arguments


@dataclass
class Result:
    """What came of a stage."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


def module(*arguments: str) -> tuple[str, ...]:
    """Return the command that runs a module with this very Python."""
    return (sys.executable, "-m", *arguments)


def stages() -> list[Stage]:
    """List all stages in the order in which they run."""
    kernels = tuple(folder for folder in KERNEL_TESTS if (ROOT / folder).is_dir())
    return [
        Stage(
            "examples",
            "examples in docstrings; they compile the kernels that later stages find compiled",
            ("--doctest-modules", "sublinear_lib", "benchmarks"),
            pytest=True,
        ),
        Stage(
            "book",
            "the book builds without a warning and passes its checks",
            (sys.executable, "tools/build_book.py"),
        ),
        Stage("types", "mypy --strict on the library and the benchmarks", module("mypy")),
        Stage(
            "prose",
            "proselint on chapters, pages and quizzes",
            (sys.executable, "tools/check_prose.py"),
        ),
        Stage(
            "imports",
            "imports of the library run downward only",
            ("tests/test_imports.py",),
            pytest=True,
        ),
        Stage("spelling", "codespell", module("codespell_lib")),
        Stage("lint", "ruff: style, imports, docstrings", module("ruff", "check", ".")),
        Stage("format", "ruff: formatting", module("ruff", "format", "--check", ".")),
        # Each worker has a row of neighbors, which share fixtures and tables, and takes from the
        # other's when it is done.
        Stage(
            "library",
            "unit and property tests, README",
            (
                "tests",
                "--ignore=tests/book",
                "--ignore=tests/test_imports.py",
                *WORKERS,
                "--dist",
                "worksteal",
            ),
            pytest=True,
        ),
        Stage(
            "numpy",
            "index, trainer and adversary again, without compiled kernels",
            (*kernels, "-m", "not either_way", *WORKERS, "--dist", "worksteal"),
            pytest=True,
            environment={"SUBLINEAR_NUMBA": "0"},
        ),
        Stage(
            "notebooks",
            "every cell of every chapter against its stored output (strict nbval)",
            ("--nbval", "book", *WORKERS, "--dist", "loadfile"),
            pytest=True,
        ),
        Stage(
            "pages",
            "the built pages, as text and in a browser",
            # the order of tests/book/conftest.py, instead of that of the number of tests
            ("tests/book", *WORKERS, "--dist", "loadscope", "--no-loadscope-reorder"),
            pytest=True,
        ),
    ]


def run(stage: Stage, scratch: Path, *, at_once: bool = False) -> Result:
    """Run one stage and count; its output comes to the screen as it is made, or `at_once`."""
    report = scratch / f"{stage.name}.xml"
    command = stage.arguments
    if stage.pytest:
        command = module("pytest", "-q", f"--junitxml={report}", *stage.arguments)
    heading = f"\n== {stage.name}: {stage.what}"
    if not at_once:
        print(heading, flush=True)
    start = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **BYTECODE, **stage.environment},
        check=False,
        stdout=subprocess.PIPE if at_once else None,
        stderr=subprocess.STDOUT if at_once else None,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    code = done.returncode
    if at_once:
        print(f"{heading}\n{done.stdout}", end="", flush=True)
    result = read_report(report) if report.is_file() else Result()
    if not stage.pytest:
        result.passed, result.failed = int(code == 0), int(code != 0)
    elif code != 0 and result.failed == 0:
        result.failed = 1  # pytest itself stopped, or found no test at all
    result.seconds = time.perf_counter() - start
    return result


def run_all(chosen: Sequence[Stage], scratch: Path) -> Iterator[tuple[str, Result]]:
    """Run the stages and give the result of each: first those of one processor, side by side."""
    single = [stage for stage in chosen if stage.single]
    with ThreadPoolExecutor(PROCESSORS) as pool:
        results = pool.map(lambda stage: run(stage, scratch, at_once=True), single)
        yield from zip((stage.name for stage in single), results, strict=True)
    for stage in chosen:
        if not stage.single:
            yield stage.name, run(stage, scratch)


def read_report(path: Path) -> Result:
    """Count the tests in a report that pytest wrote in JUnit's format."""
    result = Result()
    for case in ElementTree.parse(path).iter("testcase"):
        kinds = {child.tag for child in case}
        if kinds & {"failure", "error"}:
            result.failed += 1
        elif "skipped" in kinds:
            result.skipped += 1
            found = case.find("skipped")
            result.reasons[found.get("message", "") if found is not None else ""] += 1
        else:
            result.passed += 1
    return result


def summary(results: dict[str, Result], left_out: dict[str, str], seconds: float) -> list[str]:
    """Return the closing lines: a row for every stage, what was skipped, and the count."""
    total = Result()
    lines = ["", "What was run"]
    for name, result in results.items():
        verdict = "FAILED" if result.failed else "passed"
        lines.append(
            f"  {name:10} {verdict}  {result.passed:5d} passed {result.failed:4d} failed"
            f" {result.skipped:4d} skipped {result.seconds:7.1f} s"
        )
        total.passed += result.passed
        total.failed += result.failed
        total.skipped += result.skipped
        total.reasons.update(result.reasons)
    lines.append("  all of it in {} min {} s".format(*divmod(round(seconds), 60)))
    lines.append("What was skipped")
    lines += [f"  {name}: {reason}" for name, reason in left_out.items()]
    for reason, count in sorted(total.reasons.items()):
        lines.append(f"  {count} {'test' if count == 1 else 'tests'}: {reason}")
    if not left_out and not total.reasons:
        lines.append("  nothing")
    lines.append(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the stages that the command line names, or all of them."""
    every = {stage.name: stage for stage in stages()}
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("stage", nargs="*", choices=[[], *every], help="default: all stages")
    chosen = parser.parse_args(arguments).stage or list(every)
    left_out = {}
    if "numpy" in chosen and importlib.util.find_spec("numba") is None:
        chosen.remove("numpy")
        left_out["numpy"] = "numba is not installed, so the library stage used these kernels"
    if "pages" in chosen and find_chromium() is None:
        print("No Chromium found: the browser tests will be skipped.")
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        results = dict(run_all([every[name] for name in chosen], Path(scratch)))
    print("\n".join(summary(results, left_out, time.perf_counter() - start)))
    return int(any(result.failed for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
