"""Many random cases one after another: who is asked, when to stop, what to report.

A *case* is one structure with one configuration and one history, all drawn from its own child of
the seed, ``SeedSequence(seed, spawn_key=(number,))``; so it can be replayed without those before
it.  Cases go round the structures in turn, which therefore all get the same number of them.  One
half-space asked of one structure is one query, also where it is asked in several forms (ids,
counts, mask).  Warnings are errors here, and so is any exception: whatever stops a case becomes a
finding with the case, its configuration and the operation.

Source: the promise that is tried is that of QUERY in Algorithm 2, in real arithmetic on the stored
numbers.
"""

from __future__ import annotations

import datetime
import platform
import sys
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np
from tqdm import tqdm

from benchmarks.fuzz.histories import IndexHistory, Mismatch, Step
from benchmarks.fuzz.structures import (
    AggregateHistory,
    AliveCase,
    ArcCase,
    CandidateHistory,
    PlanarCase,
)
from sublinear_lib import validation
from sublinear_lib.caching import circumstances
from sublinear_lib.halfspace.kernel_choice import numba_allowed

_INDEX_ENGINES = ("scan", "cap", "tree", "auto")
_COMPILED = (*_INDEX_ENGINES, "aggregates", "candidates")
ENGINES = (*_COMPILED, "layers", "partition", "arcs", "alive")
"""What can be fuzzed: the engines of the index, then the other structures."""

_NO_KERNELS = "none"


def allowed_kernels() -> tuple[str, ...]:
    """Return the sets of kernels that can be tried here."""
    return ("numba", "numpy") if numba_allowed() else ("numpy",)


class _Playable(Protocol):
    @property
    def configuration(self) -> dict[str, Any]: ...

    def play(self) -> Iterator[Step]: ...


@dataclass(frozen=True)
class Case:
    """One structure, and the random numbers that it is tried with.

    - ``seed``: The seed of the run, ``>= 0``.
    - ``number``: The number of the case within the run, ``>= 0``.
    - ``engine``: One of `ENGINES`.
    - ``kernels``: ``"numba"`` or ``"numpy"``; ``"none"`` for structures without kernels.
    """

    seed: int
    number: int
    engine: str
    kernels: str

    @property
    def command(self) -> str:
        """The command that replays the case."""
        kernels = "" if self.kernels == _NO_KERNELS else f" --kernels {self.kernels}"
        return (
            f"python -m benchmarks.fuzz --case {self.seed}/{self.number} "
            f"--engines {self.engine}{kernels}"
        )

    def drawn(self) -> _Playable:
        """Draw the structure and its configuration."""
        sequence = np.random.SeedSequence(self.seed, spawn_key=(self.number,))
        rng = np.random.default_rng(sequence)
        if self.engine in _INDEX_ENGINES:
            return IndexHistory(rng, self.engine, self.kernels)
        if self.engine == "aggregates":
            return AggregateHistory(rng, self.kernels)
        if self.engine == "candidates":
            return CandidateHistory(rng, self.kernels)
        if self.engine == "arcs":
            return ArcCase(rng)
        if self.engine == "alive":
            return AliveCase(rng)
        return PlanarCase(rng, self.engine)


@dataclass(frozen=True)
class Finding:
    """What went wrong in a case.

    - ``case``: The case.
    - ``configuration``: What was drawn for it.
    - ``operation``: How many operations had gone well.
    - ``after``: The last of them.
    - ``message``: The wrong answer, or the exception with its traceback.
    """

    case: Case
    configuration: dict[str, Any]
    operation: int
    after: str
    message: str

    def __str__(self) -> str:
        """Return a reproducer."""
        drawn = ", ".join(f"{name}={value!r}" for name, value in self.configuration.items())
        return (
            f"MISMATCH in operation {self.operation} (after: {self.after}) of case "
            f"{self.case.seed}/{self.case.number}\n"
            f"{self.case.engine} ({self.case.kernels} kernels): {drawn}\n"
            f"{self.message}\n"
            f"replay it with\n  {self.case.command}"
        )


@dataclass
class Tally:
    """Counts of what was checked."""

    cases: int = 0
    steps: int = 0
    queries: int = 0
    pairs: int = 0
    ties: int = 0
    decided_exactly: int = 0
    mismatches: int = 0
    seconds: float = 0.0

    def add(self, step: Step) -> None:
        """Count one operation."""
        self.steps += 1
        self.queries += step.queries
        self.pairs += step.pairs
        self.ties += step.ties
        self.decided_exactly += step.exact


@dataclass
class Report:
    """What a run has done and found.

    - ``seed``: The seed.
    - ``stopped``: Why it ended: ``"done"``, ``"seconds"``, ``"interrupted"`` or ``"findings"``.
    - ``total``: Counts of the whole run.
    - ``by_structure``: The same by ``"engine/kernels"``.
    - ``findings``: What went wrong.
    - ``operations``: How many operations of each kind there were.
    """

    seed: int
    stopped: str = "done"
    total: Tally = field(default_factory=Tally)
    by_structure: dict[str, Tally] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    operations: dict[str, int] = field(default_factory=dict)

    def as_record(self) -> dict[str, Any]:
        """Return everything, and where it was done, as an object that JSON can hold."""
        return {
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "versions": _versions(),
            "seed": self.seed,
            "stopped": self.stopped,
            **asdict(self.total),
            "operations": dict(sorted(self.operations.items())),
            "by_structure": {name: asdict(part) for name, part in self.by_structure.items()},
            "findings": [str(finding) for finding in self.findings],
        }

    def __str__(self) -> str:
        """Return a summary as a table."""
        rows: list[tuple[str, ...]] = [
            ("", "cases", "operations", "queries", "pairs", "ties", "mismatches")
        ]
        for name, part in [*self.by_structure.items(), ("total", self.total)]:
            numbers = (part.cases, part.steps, part.queries, part.pairs, part.ties, part.mismatches)
            rows.append((name, *(f"{number:,}" for number in numbers)))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                text.ljust(width) if place == 0 else text.rjust(width)
                for place, (text, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        per_second = self.total.queries / max(self.total.seconds, 1e-9)
        lines.append(
            f"seed {self.seed}, {self.total.seconds:.1f} s, {per_second:,.0f} queries per second, "
            f"stopped: {self.stopped}"
        )
        return "\n".join(lines)


def run(
    *,
    seed: int = 0,
    queries: int = 0,
    steps: int = 0,
    seconds: float | None = None,
    engines: Sequence[str] = ENGINES,
    kernels: Sequence[str] | None = None,
    most_findings: int = 5,
    progress: bool = False,
) -> Report:
    """Try random cases until enough was asked."""
    validation.count(seed, "seed", minimum=0)
    wanted = validation.count(queries, "queries", minimum=0)
    wanted_steps = validation.count(steps, "steps", minimum=0)
    validation.count(most_findings, "most_findings")
    if seconds is None:
        if not wanted and not wanted_steps:
            raise ValueError("queries, steps or seconds must be given, got none of them")
    else:
        validation.scalar(seconds, "seconds", exclusive_minimum=0)
    structures = structures_for(engines, kernels)
    report = Report(seed)
    started = time.monotonic()
    if wanted or not wanted_steps:
        bar = tqdm(total=wanted or None, unit=" queries", unit_scale=True, disable=not progress)
    else:
        bar = tqdm(total=wanted_steps, unit=" operations", unit_scale=True, disable=not progress)

    def stop() -> str:
        if seconds is not None and time.monotonic() - started >= seconds:
            return "seconds"
        if len(report.findings) >= most_findings:
            return "findings"
        asked = wanted or wanted_steps
        enough = report.total.queries >= wanted and report.total.steps >= wanted_steps
        return "done" if asked and enough else ""

    number = 0
    try:
        with bar:
            while not (reason := stop()):
                engine, own = structures[number % len(structures)]
                case = Case(seed, number, engine, own)
                tally = report.by_structure.setdefault(f"{engine}/{own}", Tally())
                for step in _played(case, report, tally):
                    done = step.queries if wanted or not wanted_steps else 1
                    bar.update(min(done, bar.total - bar.n) if bar.total else done)
                    if seconds is not None and time.monotonic() - started >= seconds:
                        break
                if progress and report.findings and report.findings[-1].case == case:
                    bar.write(f"{report.findings[-1]}\n", file=sys.stderr)
                bar.set_postfix(mismatches=len(report.findings), refresh=False)
                number += 1
        report.stopped = reason
    except KeyboardInterrupt:
        report.stopped = "interrupted"
    report.total.seconds = time.monotonic() - started
    return report


def replay(case: Case) -> Report:
    """Play one case again."""
    validation.choice(case.engine, "case.engine", ENGINES)
    return _report(case)


def live(case: Case, operations: int) -> Report:
    """Let the index of a case live long."""
    validation.choice(case.engine, "case.engine", _INDEX_ENGINES)
    return _report(case, validation.count(operations, "operations"))


def _report(case: Case, operations: int | None = None) -> Report:
    """Play a case on its own; for so many operations, if they are given."""
    report = Report(case.seed)
    started = time.monotonic()
    tally = report.by_structure.setdefault(f"{case.engine}/{case.kernels}", Tally())
    for _ in _played(case, report, tally, operations):
        pass
    report.total.seconds = time.monotonic() - started
    return report


def structures_for(engines: Sequence[str], kernels: Sequence[str] | None) -> list[tuple[str, str]]:
    """Return the pairs of engine and kernels that some names stand for."""
    chosen = [validation.choice(engine, "engines", ENGINES) for engine in engines]
    sets = list(allowed_kernels() if kernels is None else kernels)
    for name in sets:
        if name == "numba" and not numba_allowed():
            raise ValueError(
                "kernels must be 'numpy' where numba is missing or switched off by "
                "SUBLINEAR_NUMBA=0, got 'numba'"
            )
        validation.choice(name, "kernels", ("numba", "numpy"))
    pairs = []
    for engine in chosen:
        pairs += [(engine, name) for name in (sets if engine in _COMPILED else [_NO_KERNELS])]
    if not pairs:
        raise ValueError("engines and kernels must name at least one of each")
    return pairs


def _played(case: Case, report: Report, tally: Tally, length: int | None = None) -> Iterator[Step]:
    """Play a case, counting; what stops it is added to the findings."""
    begun = time.monotonic()
    report.total.cases += 1
    tally.cases += 1
    operations, after = 0, "nothing"
    configuration: dict[str, Any] = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            playable = case.drawn()
            configuration = playable.configuration
            steps = playable.play()
            if length is not None and isinstance(playable, IndexHistory):
                steps = playable.live(length)
            for step in steps:
                operations, after = operations + 1, step.name
                report.total.add(step)
                tally.add(step)
                report.operations[step.name] = report.operations.get(step.name, 0) + 1
                yield step
    except Mismatch as mismatch:
        message = str(mismatch)
    except Exception:
        message = traceback.format_exc()
    else:
        message = ""
    finally:
        tally.seconds += time.monotonic() - begun
    if message:
        tally.mismatches += 1
        report.total.mismatches += 1
        report.findings.append(Finding(case, dict(configuration), operations, after, message))


def _versions() -> dict[str, str]:
    """Return what a case number belongs to: the library to the byte, and where it ran."""
    found = circumstances()
    python = {"python": found.pop("Python")}  # as all records call it
    return python | found | {"machine": platform.machine(), "system": platform.system()}
