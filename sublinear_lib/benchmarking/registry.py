"""The sections by name, and the run that goes through them.

To add a section, write a generator of rows in a module of this room, give it a `Section`, and name
it in `SECTIONS`; the command, the stored file and the tests follow.  Before changing the run, know
its promise: a section is stored when it is complete, and an interrupt loses the one that was being
measured.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence

from tqdm import tqdm

from sublinear_lib import validation
from sublinear_lib.benchmarking import approximate, lists, queries, structures
from sublinear_lib.benchmarking.results import (
    Results,
    environment,
    merged,
    stored_section,
)
from sublinear_lib.benchmarking.settings import Row, Section, Settings

__all__ = ["SECTIONS", "run"]

SECTIONS: dict[str, Section] = {
    section.name: section
    for section in (
        queries.REPORT,
        queries.AGGREGATE,
        lists.LISTS,
        queries.SINGLE,
        structures.BUILD,
        structures.SLOPES,
        queries.LIMITS,
        structures.STARTUP,
        queries.NUMPY,
        approximate.APPROXIMATE,
    )
}
"""All sections, in the order in which they run."""


def run(
    settings: Settings,
    sections: Sequence[str] | None = None,
    *,
    old: Results | None = None,
    finished: Callable[[Results], None] | None = None,
    progress: bool = True,
) -> Results:
    """Measure sections one after the other.

    Parameters
    ----------
    settings : Settings
        The grid and the time to take.
    sections : sequence of str, optional
        Names of the sections; all by default.
    old : Results, optional
        Results whose other sections are kept.
    finished : callable, optional
        Called with all results so far whenever a section is complete.
    progress : bool, default True
        Whether to show a progress bar on the standard error stream.

    Returns
    -------
    Results
        The old sections and the new ones.

    Raises
    ------
    TypeError, ValueError
        If a name is not that of a section.
    InexactAnswer
        If two structures that promise the exact answer differ.
    """
    names = tuple(SECTIONS)
    chosen = [validation.choice(name, "sections", names) for name in sections or names]
    results = merged(old, {})
    for name in chosen:
        measured = _measure(SECTIONS[name], settings, progress)
        results = merged(results, {name: measured})
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
