"""The benchmarks and their sections by name, and the run that goes through them.

To add a section, write `section` with a grid above a function that measures one cell, name it in
`BENCHMARKS` and lay it out in `layouts`.  A section is stored when it is complete: an interrupt
loses the one being measured.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tqdm import tqdm

from benchmarks import approximate, hashed_training, iteration, queries, structures
from benchmarks.results import Results, environment, merged, stored_section
from benchmarks.settings import Row, Section, Settings
from sublinear_lib import validation


@dataclass(frozen=True)
class Benchmark:
    """Sections that are stored together, for a full run and for one that takes seconds."""

    name: str
    sections: dict[str, Section]
    standard: Settings
    short: Settings


def _named(*sections: Section) -> dict[str, Section]:
    return {section.name: section for section in sections}


BENCHMARKS: dict[str, Benchmark] = {
    benchmark.name: benchmark
    for benchmark in (
        Benchmark(
            "halfspace",
            _named(
                queries.REPORT,
                queries.AGGREGATE,
                queries.SINGLE,
                structures.BUILD,
                structures.SLOPES,
                queries.LIMITS,
                structures.STARTUP,
                queries.NUMPY,
                approximate.APPROXIMATE,
            ),
            Settings(),
            Settings.short(),
        ),
        Benchmark(
            "training",
            _named(
                iteration.ITERATION,
                iteration.DIGITS,
                iteration.STEPS,
                iteration.SCALING,
                iteration.MEMORY,
                hashed_training.MISSED,
            ),
            Settings(dimensions=(3, 8, 32), rounds=5, seconds_per_cell=3.0),
            replace(Settings.short(), dimensions=(3, 8)),
        ),
    )
}


def run(
    benchmark: str,
    settings: Settings,
    sections: Sequence[str] | None = None,
    *,
    old: Results | None = None,
    finished: Callable[[Results], None] | None = None,
    progress: bool = True,
) -> Results:
    """Measure sections of a benchmark one after the other."""
    chosen = BENCHMARKS[validation.choice(benchmark, "benchmark", tuple(BENCHMARKS))]
    names = tuple(chosen.sections)
    asked = [validation.choice(name, "sections", names) for name in sections or names]
    results = merged(old, {}, chosen.name)
    for name in asked:
        measured = _measure(chosen.sections[name], settings, progress)
        results = merged(results, {name: measured}, chosen.name)
        if finished is not None:
            finished(results)
    return results


def _measure(section: Section, settings: Settings, progress: bool) -> Row:
    before, start, rows = environment(), time.perf_counter(), []
    with (
        contextlib.closing(section.run(settings)) as steps,
        tqdm(total=section.steps(settings), desc=section.name, disable=not progress) as bar,
    ):
        for row in steps:
            rows.append(row)
            bar.update()
    seconds = time.perf_counter() - start
    return stored_section(
        section.question, section.baseline, settings.as_json(), rows, seconds, before
    )
