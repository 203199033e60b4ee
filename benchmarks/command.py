"""The commands ``sublinear bench halfspace`` and ``sublinear bench training``.

`sublinear_lib.cli` finds them where this folder can be imported.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import benchmarks
from benchmarks.queries import InexactAnswer
from benchmarks.registry import BENCHMARKS
from benchmarks.targets import target_table
from sublinear_lib import archives
from sublinear_lib.cli import REALS, WHOLES, Commands, progress_option


@click.group(cls=Commands)
def bench() -> None:
    """Measure how fast the library is on this machine."""


_STORED = """
A run with the standard settings is stored in benchmarks/results/{name}.json of the clone; any
other run is only printed unless --output says where to store it.  A section is stored when it
is complete: after Ctrl-C those that were finished are kept, and the others are as they were.
"""


def _add(name: str, words: str, batch: str, meaning: str, widths: str) -> None:
    @bench.command(name, help=f"{words}\n{_STORED.format(name=name)}")
    def command(**given: Any) -> None:
        _measure(name, **given)

    options = (
        click.option(
            "--quick", is_flag=True, help="Show in seconds that everything runs; not how fast."
        ),
        click.option("--dimensions", type=WHOLES, help="Dimensions d, such as 3,8."),
        click.option("--widths", type=WHOLES, help=f"{widths}, such as 2^12,2^16."),
        click.option("--shares", type=REALS, help="Active shares, such as 0.001,0.1."),
        click.option(batch, "queries", type=int, help=meaning),
        click.option("--rounds", type=int, help="The most rounds in which competitors take turns."),
        click.option("--seconds-per-cell", type=float, help="No new round begins after this time."),
        click.option(
            "--only",
            "sections",
            multiple=True,
            type=click.Choice(list(BENCHMARKS[name].sections)),
            help="Measure this section only; may be given several times.",
        ),
        click.option(
            "--peers/--no-peers",
            default=True,
            show_default=False,
            help="Whether other packages take part.",
        ),
        click.option(
            "--output",
            type=click.Path(dir_okay=False, path_type=Path),
            help="JSON file for the results; sections that it already holds are replaced one by "
            "one.",
        ),
        progress_option,
    )
    for option in options:
        option(command)


_add(
    "halfspace",
    "Compare the half-space index with dense BLAS and with other packages.",
    *("--queries", "Half-spaces in a batch.", "Numbers of points m"),
)
_add(
    "training",
    "Compare an iteration of Algorithm 1, adversary included, with dense training.",
    *("--examples", "Training examples n.", "Widths m"),
)


def _measure(
    name: str,
    *,
    quick: bool,
    sections: tuple[str, ...],
    output: Path | None,
    progress: bool,
    **given: Any,
) -> None:
    benchmark = BENCHMARKS[name]
    changes = {field: value for field, value in given.items() if value is not None}
    try:
        settings = replace(benchmark.short if quick else benchmark.standard, **changes)
    except (ValueError, TypeError) as error:
        raise click.UsageError(str(error)) from error
    if output is None and settings == benchmark.standard:
        output = benchmarks.results_path(name)
    old = None
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        archives.check_writable(output)
        old = benchmarks.load_results(name, path=output) if output.exists() else None
    load = benchmarks.environment()["load_average"]
    if not quick and load is not None and load > 0.5:
        click.echo(
            f"This machine is busy (load {load:.1f}): wait, or distrust the times.", err=True
        )

    kept: list[str] = []
    failures: list[str] = []

    def store(results: benchmarks.Results) -> None:
        try:
            if output is not None:
                benchmarks.write_results(results, output)
                kept[:] = results.sections
                failures.clear()
        except OSError as error:
            # What was measured is not thrown away: it is printed, and tried again later.
            failures.append(str(error))

    try:
        results = benchmarks.run(
            name, settings, sections, old=old, finished=store, progress=progress
        )
    except InexactAnswer as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        stored = f"{output} holds {', '.join(kept)}" if kept else ""
        raise KeyboardInterrupt(stored or "no section was finished and stored") from None
    for section in sections or benchmark.sections:
        for table in benchmarks.section_tables(results, section):
            click.echo(f"{table}\n")
    if not quick:
        click.echo(target_table(results, measured=True))
    if failures:
        raise click.ClickException(f"not stored: {failures[-1]}")
    if output is not None:
        click.echo(f"\nstored in {output}")
