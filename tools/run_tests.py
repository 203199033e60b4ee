"""Run what guards the book, and say at the end what was run and what was skipped.

usage: python tools/run_tests.py [--thorough] [--again] [stage ...]

Without arguments the stages run that test every promise once; with --thorough also those that try
the same on other seeds and kernels, with kills and interrupts, and walk through every page. A stage
or a notebook that has passed is left out until something that it reads has changed, unless --again
is given; a stage that is named always runs. A failure does not stop the rest. Stages that use only
one processor come first and run side by side, in an order that ends with short ones. The last line
counts: one for every test that pytest knows, one for every other stage.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import passed
from browser import find_chromium
from passed import EVERYTHING, PACKAGES

ROOT = Path(__file__).resolve().parents[1]
PROCESSORS = min(2, os.cpu_count() or 1)
WORKERS = ("-n", str(PROCESSORS))

# What one process has compiled to bytecode, hundreds of others read: the workers and kernels of all
# stages, and every Python that a test starts.  An empty value lets Python write it.
BYTECODE = {"PYTHONDONTWRITEBYTECODE": ""}

# What the tests read that do not look at pages: pages are "book!", without their texts.
# What looks at pages, and what it keeps of them, is no source of the other tests but for one file.
TESTS = [f"tests/{each.name}" for each in (ROOT / "tests").iterdir()]
TESTS = sorted({*TESTS} - {"tests/book", "tests/__pycache__"})
CODE = (*PACKAGES, "proofs", *TESTS, "tests/book/contrast.py", "book!")
CODE += ("README.md", "CONTRIBUTING.md", "Makefile")

# Each worker has a row of neighbors, which share fixtures and tables, and takes from the other's
# when it is done.
STEALING = (*WORKERS, "--dist", "worksteal")
LIBRARY = ("tests", "--ignore=tests/book", "--ignore=tests/test_imports.py", *STEALING)
# The promises that must hold with the compiled kernels and without them. Those marked either_way
# name the kernels that they use, or use none, and run in the library stage only; conftest.py fails
# a test among them that asks whether there are compiled kernels.
KERNELS = ("tests/halfspace", "tests/evaluation", "tests/training", "tests/adversary", *STEALING)
# the order of tests/book/conftest.py, instead of that of the number of tests
PAGES = ("tests/book", *WORKERS, "--dist", "loadscope", "--no-loadscope-reorder")


def module(*arguments: str) -> tuple[str, ...]:
    """Return the command that runs a module with this very Python."""
    return (sys.executable, "-m", *arguments)


def tool(name: str) -> tuple[str, ...]:
    """Return the command that runs a file of this folder."""
    return (sys.executable, f"tools/{name}.py")


@dataclass(frozen=True)
class Stage:
    """One command, or what is asked of pytest: that counts its tests, others count as one."""

    name: str
    what: str
    arguments: tuple[str, ...]
    sources: tuple[str, ...] = EVERYTHING
    environment: dict[str, str] = field(default_factory=dict)
    thorough: bool = False

    @property
    def pytest(self) -> bool:
        """Whether pytest runs it."""
        return self.arguments[:1] != (sys.executable,)

    @property
    def single(self) -> bool:
        """Whether the stage uses one processor only."""
        return "-n" not in self.arguments


QUICK = (
    # The examples compile the kernels that later stages find compiled.
    Stage("examples", "examples in docstrings", ("--doctest-modules", *PACKAGES), PACKAGES),
    Stage("book", "the book builds without a warning and passes its checks", tool("build_book")),
    Stage("types", "mypy --strict on the library and the benchmarks", module("mypy"), PACKAGES),
    Stage("prose", "proselint on chapters, pages and quizzes", tool("check_prose")),
    Stage(
        "imports",
        "imports of the library run downward only",
        ("tests/test_imports.py",),
        (*PACKAGES, "tests"),
    ),
    Stage("spelling", "codespell", module("codespell_lib")),
    Stage("lint", "ruff: style, imports, docstrings", module("ruff", "check", ".")),
    Stage("format", "ruff: formatting", module("ruff", "format", "--check", ".")),
    Stage(
        "library", "unit and property tests, README", (*LIBRARY, "-m", "not thorough"), sources=CODE
    ),
    Stage(
        "notebooks",
        "every cell of every chapter against its stored output (strict nbval)",
        ("--nbval", "book", *WORKERS, "--dist", "loadfile"),
    ),
    Stage(
        "pages",
        "the built pages, as text, and one look at each in a browser",
        (*PAGES, "-m", "not thorough"),
    ),
)
THOROUGH = (
    Stage(
        "more",
        "the library on other seeds, with kills, interrupts, full disks and clusters",
        (*LIBRARY, "-m", "thorough"),
        sources=CODE,
    ),
    Stage(
        "numpy",
        "index, trainer and adversary again, without compiled kernels",
        (*KERNELS, "-m", "not either_way and not thorough"),
        CODE,
        {"SUBLINEAR_NUMBA": "0"},
    ),
    Stage(
        "proofs",
        "Rocq checks all formal proofs, and what they rest on",
        tool("check_proofs"),
        sources=("proofs",),
    ),
    Stage(
        "walks",
        "every page by keyboard, on a phone, in the dark, in JupyterLab, under axe",
        (*PAGES, "-m", "thorough"),
    ),
)


def stages() -> list[Stage]:
    """List all stages in the order in which they run."""
    return [*QUICK, *(replace(stage, thorough=True) for stage in THOROUGH)]


@dataclass
class Result:
    """What came of a stage."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    times: list[tuple[float, str]] = field(default_factory=list)
    seconds: float = 0.0


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
        name = f"{case.get('classname', '')}::{case.get('name', '')}"
        result.times.append((float(case.get("time", 0)), name))
        kinds = {child.tag for child in case}
        if kinds & {"failure", "error"}:
            result.failed += 1
        elif "skipped" in kinds:
            result.skipped += 1
            result.reasons.update(each.get("message", "") for each in case.iter("skipped"))
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
        total.times += result.times
    lines.append("  all of it in {} min {} s".format(*divmod(round(seconds), 60)))
    lines.append("What was skipped")
    lines += [f"  {name}: {reason}" for name, reason in left_out.items()]
    for reason, count in sorted(total.reasons.items()):
        lines.append(f"  {count} {'test' if count == 1 else 'tests'}: {reason}")
    if not left_out and not total.reasons:
        lines.append("  nothing")
    if total.times:
        lines.append("The ten slowest tests")
    lines += [f"  {each:6.1f} s  {name}" for each, name in sorted(total.times, reverse=True)[:10]]
    lines.append(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return lines


def unchanged(stage: Stage, before: dict[str, str]) -> str | None:
    """Say why a stage need not run again, if so."""
    if stage.name == "book" and not (ROOT / "_build/html/index.html").exists():
        return None
    if before.get(stage.name) != passed.fingerprint(stage.sources):
        return None
    return "it has passed, and nothing that it reads has changed since"


def changed_notebooks(before: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return the notebooks that have changed, or what they import, and the state of each."""
    now = {
        str(path.relative_to(ROOT)): passed.fingerprint(passed.sources_of(path))
        for path in sorted((ROOT / "book").rglob("*.ipynb"))
    }
    return [name for name, state in now.items() if before.get(name) != state], now


def choose(every: Sequence[Stage], again: bool) -> tuple[list[Stage], dict[str, str]]:
    """Return the stages to run, and for each of the others why it is left out."""
    before = {} if again else passed.recall()
    chosen, left_out = [], {}
    for stage in every:
        if stage.name == "notebooks":
            names, now = changed_notebooks(before)
            if len(names) < len(now):
                left_out["notebooks"] = (
                    f"{len(now) - len(names)} of {len(now)} have passed, "
                    "and neither their cells nor what they import has changed since"
                )
            if names:
                arguments = tuple(part for part in stage.arguments if part != "book")
                chosen.append(replace(stage, arguments=(*arguments, *names)))
        elif reason := unchanged(stage, before):
            left_out[stage.name] = reason
        else:
            chosen.append(stage)
    return chosen, left_out


def keep(stages: Sequence[Stage], results: dict[str, Result]) -> None:
    """Remember the stages that passed."""
    fine = {stage.name: stage for stage in stages if not results[stage.name].failed}
    states = {name: passed.fingerprint(stage.sources) for name, stage in fine.items()}
    if states.pop("notebooks", None):
        states.update(changed_notebooks({})[1])
    passed.remember(states)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the stages that the command line names, or all that test every promise once."""
    every = {stage.name: stage for stage in stages()}
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("stage", nargs="*", choices=[[], *every], help="default: all fast stages")
    parser.add_argument("--thorough", action="store_true", help="run the thorough stages too")
    parser.add_argument("--again", action="store_true", help="run what has passed before too")
    asked = parser.parse_args(arguments)
    if asked.stage:
        chosen, left_out = [every[name] for name in asked.stage], {}
    else:
        wanted = [stage for stage in every.values() if asked.thorough or not stage.thorough]
        chosen, left_out = choose(wanted, asked.again)
    if importlib.util.find_spec("numba") is None and any(s.name == "numpy" for s in chosen):
        chosen = [stage for stage in chosen if stage.name != "numpy"]
        left_out["numpy"] = "numba is not installed, so the library stage used these kernels"
    if not asked.stage and shutil.which("coqc") is None:
        chosen = [stage for stage in chosen if stage.name != "proofs"]
        left_out["proofs"] = "coqc is not installed; `make proofs` says which packages have it"
    if {"pages", "walks"} & {stage.name for stage in chosen} and find_chromium() is None:
        print("No Chromium found: the browser tests will be skipped.")
    if not (asked.stage or asked.thorough):
        names = ", ".join(name for name, stage in every.items() if stage.thorough)
        left_out[names] = "`make test-all` runs them"
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        results = dict(run_all(chosen, Path(scratch)))
    keep(chosen, results)
    print("\n".join(summary(results, left_out, time.perf_counter() - start)))
    return int(any(result.failed for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
