"""The layouts of the sections on training.

They compute nothing but ratios and sums; see :mod:`benchmarks.tables` for what a
table is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.iteration import ATTACK_STEPS
from benchmarks.results import Results
from benchmarks.settings import Row
from benchmarks.tables import (
    NAMES,
    Table,
    absences,
    interval_text,
    method_text,
    name_of,
    number_text,
    percent_text,
    recall_text,
    width_text,
)
from sublinear_lib._typing import FloatArray

_SHOWN = (
    "auto",
    "lists",
    "query",
    "aggregates",
    "literal",
    "alive",
    "dense_rows",
    "dense_float64",
    "torch",
)


def iteration_table(
    results: Results,
    *,
    share: float | None = None,
    competitors: Iterable[str] | None = None,
    baseline: str = "dense",
) -> Table:
    """Return how many times as fast as a baseline everybody does an iteration."""
    cells = [row for row in results.cells("iteration") if share is None or row["share"] == share]
    shown = [name for name in competitors or _SHOWN if name != baseline]
    rows = [
        [
            *_cell(row),
            *([] if share else [percent_text(row["share"])]),
            *_ratios(row, baseline, shown),
        ]
        for row in cells
    ]
    active = [] if share else ["active"]
    columns = ["d", "m", "n", *active, f"{name_of(baseline)}, ms", *map(name_of, shown)]
    where = "" if share is None else f"{percent_text(share)} active. "
    caption = f"{where}A full iteration: times as fast as {name_of(baseline)}."
    return Table(caption, columns, rows)


def _cell(row: Row) -> list[str]:
    return [str(row["d"]), width_text(row["m"]), str(row["n"])]


def _ratios(row: Row, baseline: str, shown: Sequence[str]) -> list[str]:
    """Return the milliseconds of the baseline and the ratios of the others."""
    times = row["microseconds"]
    if baseline not in times:
        return ["–"] * (1 + len(shown))
    ratios = [
        number_text(times[baseline] / times[name]) if name in times else "–" for name in shown
    ]
    return [number_text(times[baseline] / 1e3), *ratios]


def _iteration(results: Results) -> list[Table]:
    shares = sorted({row["share"] for row in results.cells("iteration")})
    tables = [iteration_table(results, share=share) for share in shares]
    return [
        *tables,
        _what_happened(results),
        _phases(results),
        _price(results),
        _differences(results),
        *absences(results, "iteration"),
    ]


def _what_happened(results: Results) -> Table:
    rows = [
        [
            *_cell(row),
            percent_text(row["share"]),
            percent_text(row["active"]["auto"]),
            percent_text(row["alive"]),
            percent_text(row["candidates"]["auto"]),
            percent_text(row["touched"]["auto"]),
            row["methods"]["auto"],
            number_text(row["first_seconds"]["auto"]),
            f"{row['rebuilt']['lists']} / {row['steps']['lists']}"
            if "lists" in row["steps"]
            else "–",
        ]
        for row in results.cells("iteration")
    ]
    columns = ["d", "m", "n", "wanted", "active", "can fire", "candidates", "moved", "auto is"]
    return Table(
        "What the trainer met, as shares of all neurons; the seconds of the first iteration, which "
        "builds the structures; and in how many iterations lists were made anew.",
        [*columns, "first, s", "rebuilt"],
        rows,
    )


_PHASES = ("query", "adversary", "forward", "backward", "update")


def _phases(results: Results) -> Table:
    rows = []
    for row in results.cells("iteration"):
        spent = row["phases"]["auto"]
        total = sum(spent.values())
        rows.append(
            [
                *_cell(row),
                percent_text(row["share"]),
                number_text(row["microseconds"]["auto"] / 1e3),
                *(f"{100 * spent[phase] / total:.0f} %" for phase in (*_PHASES, "monitor")),
            ]
        )
    columns = ["d", "m", "n", "active", "auto, ms", *_PHASES, "history"]
    return Table("Where the time of an iteration goes.", columns, rows)


def _price(results: Results) -> Table:
    """Return how many row passes are saved, and what one costs."""
    rows = []
    for row in results.cells("iteration"):
        work = sum(row["work"]["auto"].values())
        times = row["microseconds"]
        # two passes for each step of the attack, one for its last value, two for the step itself
        dense = (2 * ATTACK_STEPS + 3) * row["n"] * row["m"]
        rows.append(
            [
                *_cell(row),
                percent_text(row["share"]),
                number_text(dense / work),
                number_text(row["alive"] * dense / work),
                *(
                    number_text(1e3 * times[name] / passes)
                    for name, passes in (("auto", work), ("dense", dense))
                ),
            ]
        )
    columns = [
        "d",
        "m",
        "n",
        "active",
        "fewer than dense",
        "than can fire",
        "auto, ns",
        "dense, ns",
    ]
    return Table(
        "Passes over a row of W for one example: how many times fewer there are, and what one "
        "takes, everything else included.",
        columns,
        rows,
    )


def _differences(results: Results) -> Table:
    """Return how far everybody is from real arithmetic, and from each other."""
    cells = results.cells("iteration")
    checked = sum(row["checked_pairs"] for row in cells)
    pairs: dict[str, int] = {}
    outputs: dict[str, list[float]] = {}
    for row in cells:
        for name, count in row["differing_pairs"].items():
            pairs[name] = pairs.get(name, 0) + count
        for name, size in row["output_difference"].items():
            outputs.setdefault(name, []).append(size)
    names = [name for name in NAMES if name in pairs or name in outputs]
    rows = [
        [
            name_of(name),
            str(pairs[name]) if name in pairs else "–",
            f"{np.median(outputs[name]):.0e}" if name in outputs else "–",
            f"{max(outputs[name]):.0e}" if name in outputs else "–",
        ]
        for name in names
    ]
    return Table(
        f"Pairs of {checked} that a trainer decides otherwise than real arithmetic, and how far "
        "the outputs of the float32 rivals are from the library's at the adversarial points, "
        "relative.",
        ["competitor", "pairs", "outputs, median", "outputs, largest"],
        rows,
    )


def _digits(results: Results) -> list[Table]:
    names = ("auto", "query", "dense_float64")
    rows = [
        [
            width_text(row["m"]),
            percent_text(row["share"]),
            number_text(row["radius"]),
            percent_text(row["candidates"]["auto"]),
            percent_text(row["touched"]["auto"]),
            *_ratios(row, "dense", names),
        ]
        for row in results.cells("digits")
    ]
    columns = ["m", "active", "radius", "candidates", "moved", f"{name_of('dense')}, ms"]
    caption = f"{results.section('digits')['question']} Times as fast as {name_of('dense')}."
    return [Table(caption, [*columns, *map(name_of, names)], rows)]


def _steps(results: Results) -> list[Table]:
    names = ("auto", "lists", "query")
    rows = [
        [
            *_cell(row),
            percent_text(row["share"]),
            number_text(row["eta_part"]),
            percent_text(row["active"]["auto"]),
            percent_text(row["touched"]["auto"]),
            f"{row['rebuilt']['lists']} / {row['steps']['lists']}",
            *_ratios(row, "dense", names),
        ]
        for row in results.cells("steps")
    ]
    columns = ["d", "m", "n", "wanted", "step size", "active", "moved", "rebuilt", "dense, ms"]
    caption = f"{results.section('steps')['question']} Times as fast as {name_of('dense')}."
    return [Table(caption, [*columns, *map(name_of, names)], rows)]


def _scaling(results: Results) -> list[Table]:
    rows = []
    for row in results.cells("scaling"):
        times = np.median(np.array(row["microseconds_by_seed"]), axis=0) / 1e3
        rows.append(
            [
                row["regime"],
                name_of(row["competitor"]),
                *(number_text(float(time)) for time in times),
                interval_text(row["microseconds_slope"]),
                interval_text(row.get("work_slope")),
                interval_text(row.get("active_slope")),
            ]
        )
    cells = results.cells("scaling")
    widths = [f"m = {width_text(m)}" for m in cells[0]["widths"]] if cells else []
    columns = ["regime", "competitor", *widths, "slope of time", "slope of work", "of active"]
    caption = (
        f"{results.section('scaling')['question']} Milliseconds of an iteration, d = "
        f"{cells[0]['d']}, {cells[0]['n']} examples; exponents of m with 95 % intervals."
        if cells
        else results.section("scaling")["question"]
    )
    return [Table(caption, columns, rows)]


def _memory(results: Results) -> list[Table]:
    cells = results.cells("memory")
    rows = []
    for row in cells:
        held = np.median(np.array(row["held_by_seed"]), axis=0) / 2**20
        weights = 8.0 * row["widths"][-1] * row["d"] / 2**20
        rows.append(
            [
                row["regime"],
                name_of(row["competitor"]),
                *(number_text(float(size)) for size in held),
                number_text(float(held[-1]) / weights),
                interval_text(row["held_slope"]),
                interval_text(row["peak_slope"]),
            ]
        )
    widths = [f"m = {width_text(m)}" for m in cells[0]["widths"]] if cells else []
    columns = ["regime", "trainer", *widths, "times the weights", "slope", "slope of the peak"]
    caption = f"{results.section('memory')['question']} MiB between two iterations."
    return [Table(caption, columns, rows)]


def growth_curves(
    results: Results, regime: str, competitors: Iterable[str] = ("dense", "auto")
) -> tuple[tuple[int, ...], dict[str, FloatArray]]:
    """Return the milliseconds of an iteration against the width.

    Examples
    --------
    The figure of them is ``plotting.work_against_m(widths, curves, scan=False, name="growth",
    ylabel="milliseconds for one iteration")``.
    """
    cells = {row["competitor"]: row for row in results.cells("scaling") if row["regime"] == regime}
    wanted: dict[str, Any] = {name: cells.get(name) for name in competitors}
    missing = [name for name, row in wanted.items() if row is None]
    if missing or not wanted:
        raise ValueError(
            f"regime and competitors must have been measured, got {regime!r} and {missing}"
        )
    curves = {
        name_of(name): np.array(row["microseconds_by_seed"]) / 1e3 for name, row in wanted.items()
    }
    return tuple(next(iter(wanted.values()))["widths"]), curves


def _missed(results: Results) -> list[Table]:
    tables = []
    for cell in results.cells("missed"):
        exact = {each["method"]: each["microseconds"] for each in cell["methods"]}["auto"]
        tested = "attacked_test" in cell["start"]
        rows = [
            [
                _METHODS.get(each["method"]) or method_text(each["method"]),
                f"{recall_text(each['recall'][0])} → {recall_text(each['recall'][-1])}",
                *("0" if error == 0.0 else _share_text(error) for error in each["weight_error"]),
                number_text(each["microseconds"] / 1e3),
                number_text(each["microseconds"] / exact),
                *(percent_text(each[name]) for name in _ACCURACIES[: 1 + tested]),
            ]
            for each in cell["methods"]
        ]
        steps = cell["steps"]
        columns = [
            "active sets",
            f"recall, step {steps[0]} → {steps[-1]}",
            f"weight error, step {steps[0]}",
            *(f"step {step}" for step in steps[1:]),
            "ms per iteration",
            "times as long",
            *("right, seen", "right, unseen")[: 1 + tested],
        ]
        place = (
            f"{_DATA_NAMES.get(cell['data'], cell['data'])}, d = {cell['d']}, "
            f"m = {width_text(cell['m'])}, n = {cell['n']}, {percent_text(cell['share'])} active"
        )
        tables.append(Table(f"{results.section('missed')['question']} {place}.", columns, rows))
    return tables


_METHODS = {"auto": "exact", "literal": "exact, other order"}
_ACCURACIES = ("attacked_training", "attacked_test")
_DATA_NAMES = {"random": "Random points", "digits-3v8": "Digits 3 against 8"}


def _share_text(error: float) -> str:
    """Return a relative error: in per cent, or as a power of ten where it is rounding."""
    return f"{error:.0e}" if error < 1e-6 else percent_text(error)


def missed_curves(results: Results) -> dict[str, list[tuple[float, float]]]:
    """Return how far the weights end from the exact ones, against the neurons that are missed.

    Examples
    --------
    The figure of them is ``figures.error_against_misses(curves, name="missed")``.
    """
    found = {}
    for cell in results.cells("missed"):
        label = f"{str(cell['data']).partition('-')[0]}, *d* = {cell['d']}"
        found[label] = sorted(
            (1.0 - each["recall"][-1], each["weight_error"][-1]) for each in cell["methods"]
        )
    return found


TRAINING_LAYOUTS: Mapping[str, Callable[[Results], list[Table]]] = {
    "iteration": _iteration,
    "digits": _digits,
    "steps": _steps,
    "scaling": _scaling,
    "memory": _memory,
    "missed": _missed,
}
"""What lays out a section, by its name."""
