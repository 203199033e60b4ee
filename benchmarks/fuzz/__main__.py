"""The command ``python -m benchmarks.fuzz``."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import click

from benchmarks.fuzz.campaign import (
    ENGINES,
    Case,
    Report,
    replay,
    run,
    structures_for,
)


def _number(context: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    """Read a whole number, also in the form 1e7."""
    if value is None:
        return None
    try:
        number = float(value)
        if number < 1 or number != int(number):
            raise ValueError
    except (ValueError, OverflowError):
        raise click.BadParameter(
            f"{value!r} is not a whole number >= 1, like 1000 or 1e7"
        ) from None
    return int(number)


def _names(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[str, ...] | None:
    """Read names with commas between them."""
    if value is None:
        return None
    allowed = ENGINES if parameter.name == "engines" else ("numba", "numpy")
    names = tuple(name.strip() for name in value.split(","))
    for name in names:
        if name not in allowed:
            raise click.BadParameter(f"{name!r} is none of {', '.join(allowed)}")
    return names


def _case(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    """Read the seed of a run and the number of a case."""
    if value is None:
        return None
    found = re.fullmatch(r"(\d+)/(\d+)", value)
    if found is None:
        raise click.BadParameter(f"{value!r} is not a seed and the number of a case, like 0/123")
    return int(found[1]), int(found[2])


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--queries", callback=_number, metavar="N", help="Half-spaces to ask for.  [default: 1e5]"
)
@click.option("--steps", callback=_number, metavar="N", help="Operations to carry out.")
@click.option("--seconds", type=click.FloatRange(0, min_open=True), help="Stop after so long.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of all cases.")
@click.option(
    "--engines",
    callback=_names,
    metavar="NAME,...",
    help=f"What to try, out of {', '.join(ENGINES)}.  [default: all]",
)
@click.option(
    "--kernels",
    callback=_names,
    metavar="NAME,...",
    help="Inner loops, numba or numpy.  [default: all that are allowed]",
)
@click.option(
    "--case",
    "name",
    callback=_case,
    metavar="SEED/NUMBER",
    help="Replay one case, as a finding names it.",
)
@click.option(
    "--findings", type=click.IntRange(1), default=5, show_default=True, help="Stop after so many."
)
@click.option(
    "--json", "target", type=click.Path(path_type=Path, dir_okay=False), help="Write a summary."
)
@click.option("--progress/--no-progress", default=True, help="Show a bar.")
def main(
    queries: int | None,
    steps: int | None,
    seconds: float | None,
    seed: int,
    engines: tuple[str, ...] | None,
    kernels: tuple[str, ...] | None,
    name: tuple[int, int] | None,
    findings: int,
    target: Path | None,
    progress: bool,
) -> None:
    """Try the half-space structures with random histories against exact arithmetic.

    Ends with status 0 if every answer was right and 1 otherwise; each wrong answer comes with a
    command that replays its case. Ctrl-C stops with status 130 and prints what was done.
    """
    if target is not None and not target.absolute().parent.is_dir():
        raise click.UsageError(f"--json: there is no folder {str(target.parent)!r}")
    try:
        if name is not None:
            reports = [
                replay(Case(*name, *pair)) for pair in structures_for(engines or ENGINES, kernels)
            ]
        else:
            if queries is None and steps is None and seconds is None:
                queries = 100_000
            reports = [
                run(
                    seed=seed,
                    queries=queries or 0,
                    steps=steps or 0,
                    seconds=seconds,
                    engines=engines or ENGINES,
                    kernels=kernels,
                    most_findings=findings,
                    progress=progress,
                )
            ]
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    report = _joined(reports)
    if name is not None or not progress:
        for finding in report.findings:
            click.echo(f"{finding}\n")
    click.echo(str(report))
    if report.stopped == "interrupted":
        sys.exit(130)
    if target is not None:
        target.write_text(json.dumps(report.as_record(), indent=2) + "\n", encoding="utf-8")
    sys.exit(1 if report.findings else 0)


def _joined(reports: list[Report]) -> Report:
    """Join the replays of one case by several structures."""
    first, *others = reports
    for other in others:
        first.by_structure |= other.by_structure
        first.findings += other.findings
        for name, number in other.operations.items():
            first.operations[name] = first.operations.get(name, 0) + number
        for name, number in vars(other.total).items():
            setattr(first.total, name, getattr(first.total, name) + number)
    return first


if __name__ == "__main__":
    main()
