"""The history of the benchmarks as tables and curves, for the page that shows it.

See :mod:`benchmarks.history` for what is kept.  Before changing it, know its one
rule: a change is marked only where it is larger than what noise did between the same two runs.
"""

from __future__ import annotations

import math
from pathlib import Path

from benchmarks.history import KEY_RATIOS, Entry, History
from benchmarks.tables import Table, number_text


def history_table(history: History, benchmark: str) -> Table:
    """Return every key ratio of a benchmark, one column for each run."""
    shown = [each for each in history.entries if each.benchmark == benchmark and each.ratios]
    rows = []
    for key in (each.key for each in KEY_RATIOS if each.benchmark == benchmark):
        cells, last = [], None
        for entry in shown:
            value = entry.ratios.get(key)
            cells.append(number_text(value) + _mark(value, last, entry))
            last = last if value is None else value
        rows.append([key, *cells])
    columns = ["times as fast", *(f"{k}: {each.name}" for k, each in enumerate(shown, start=1))]
    caption = f"The history of {benchmark}: key ratios at the commits that measured them."
    return Table(caption, columns, rows)


def _mark(value: float | None, last: float | None, entry: Entry) -> str:
    """Return an arrow where a ratio changed by more than noise."""
    # other sections of the same run were measured minutes apart, on the same machine
    noise = max((each.upper for each in entry.noise.values()), default=math.inf)
    if value is None or last is None or max(value / last, last / value) <= noise:
        return ""
    return " ↑" if value > last else " ↓"


def noise_table(history: History) -> Table:
    """Return the runs that the history counts, and how much of a change between them is noise."""
    rows = []
    for entry in history.entries:
        where = [entry.name, entry.date[:10], entry.benchmark, entry.subject]
        rows += [
            [
                *where,
                str(noise.controls),
                f"± {100.0 * (noise.median - 1.0):.0f} %",
                f"× {number_text(noise.upper)}",
            ]
            for noise in entry.noise.values()
        ] or [[*where, "–", "–", "–"]]
    columns = ["commit", "date", "benchmark", "subject", "controls", "half within", "95 % within"]
    return Table("The runs, and what their controls did since the run before.", columns, rows)


def left_out_table(history: History) -> Table:
    """Return the stored files that the history does not count."""
    rows = [
        [Path(each.file).name, each.commit[:7], each.date[:10], each.reason]
        for each in history.left_out
    ]
    return Table(
        "Commits whose stored results are no entry of the history.",
        ["file", "commit", "date", "why"],
        rows,
    )


def history_curves(
    history: History, benchmark: str = "training"
) -> tuple[list[str], dict[str, list[float]], float]:
    """Return the key ratios that are drawn, against the commits that measured them.

    Examples
    --------
    The figure of them is ``figures.ratio_history(runs, curves, noise=noise, name="history")``.
    """
    entries = [each for each in history.entries if each.benchmark == benchmark]
    sizes = [noise.upper for each in entries for noise in each.noise.values()]
    drawn = {each.key: each for each in KEY_RATIOS if each.drawn and each.benchmark == benchmark}
    shown = [each for each in entries if drawn.keys() & each.ratios.keys()]
    if not shown or not sizes:
        raise ValueError(f"benchmark must have been measured twice, got {benchmark!r}")
    curves = {
        ratio.label: [each.ratios.get(key, math.nan) for each in shown]
        for key, ratio in drawn.items()
        if any(key in each.ratios for each in shown)
    }
    return [each.name for each in shown], curves, max(sizes)
