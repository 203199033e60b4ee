"""The tables of each section of the benchmarks, and the curves of their figures."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

import numpy as np

from benchmarks.iteration import ATTACK_STEPS
from benchmarks.results import Results
from benchmarks.settings import Row
from benchmarks.tables import (
    ACTIVE,
    GRID,
    NAMES,
    Column,
    Table,
    column,
    interval_text,
    method_text,
    milliseconds_text,
    name_of,
    number_text,
    percent_text,
    ratio_columns,
    recall_text,
    table_of,
    width_text,
)
from sublinear_lib._typing import FloatArray

Columns: TypeAlias = Mapping[str, Column]


def section_tables(results: Results, section: str) -> list[Table]:
    """Return the tables of a section, and who is absent from it."""
    if section in _LAYOUTS:
        tables = _LAYOUTS[section](results)
    else:
        cells, (words, columns) = results.cells(section), _PLAIN[section]
        heads = columns(cells) if callable(columns) else columns
        tables = [table_of(_asked(results, section, words.format(**cells[0])), cells, heads)]
    return [*tables, *_absences(results, section)]


def _asked(results: Results, section: str, more: str) -> str:
    return f"{results.section(section)['question']} {more}".rstrip()


def _named(cells: Iterable[Row], part: str, write: Callable[[str], str] = str) -> dict[str, Column]:
    names = dict.fromkeys(name for cell in cells for name in cell.get(part, {}))
    return {write(name): column(number_text, part, name) for name in names}


def _absences(results: Results, section: str) -> list[Table]:
    places: dict[tuple[str, str], list[str]] = {}
    for cell in results.cells(section):
        for name, reason in cell.get("absent", {}).items():
            # cells differ by what was estimated, not by why
            found = places.setdefault((name, reason.partition(", estimated")[0]), [])
            share = f", {percent_text(cell['share'])}" if "share" in cell else ""
            found.append(f"d = {cell['d']}, m = {width_text(cell['m'])}{share}")
    rows = [
        [name_of(name), reason, str(len(where)), where[0] + (", ..." if len(where) > 1 else "")]
        for (name, reason), where in places.items()
    ]
    columns = ["competitor", "reason", "cells", "where"]
    return [Table(f"Who is absent from '{section}', and why.", columns, rows)] if rows else []


def _cells(results: Results, section: str, share: float | None) -> list[Row]:
    return [row for row in results.cells(section) if share is None or row["share"] == share]


def ratio_table(results: Results, section: str = "report", *, share: float | None = None) -> Table:
    """Return how many times as fast as the baseline every competitor is, one row for each cell."""
    baseline, cells = results.section(section)["baseline"], _cells(results, section, share)
    parts = ("microseconds", "absent")
    named = {name for row in cells for part in parts for name in row.get(part, {})} - {baseline}
    order = [name for name in NAMES if name in named] + sorted(named - NAMES.keys())
    columns = {**GRID, **({} if share else ACTIVE)}
    columns |= ratio_columns(baseline, f"{name_of(baseline)}, µs", order)
    what = f"{percent_text(share)} active: times" if share else _asked(results, section, "Times")
    return table_of(f"{what} as fast as {name_of(baseline)}.", cells, columns)


def _report(results: Results) -> list[Table]:
    cells = results.cells("report")
    totals: Counter[str] = Counter()
    for cell in cells:
        totals.update(cell["differing_pairs"])
    checked = sum(cell["checked_pairs"] for cell in cells)
    differences = Table(
        f"Pairs decided otherwise than in real arithmetic, of {checked} pairs compared.",
        ["competitor", "pairs"],
        [[name_of(name), str(count)] for name, count in totals.items()],
    )
    shares = sorted({row["share"] for row in cells})
    return [*(ratio_table(results, share=share) for share in shares), differences]


def ratio_curves(
    results: Results, competitor: str
) -> tuple[tuple[int, ...], dict[str, list[float]]]:
    """Return how many times as fast as dense a competitor reports, against the dimension.

    Examples
    --------
    The figure of them is ``figures.speedup_by_dimension(dimensions, curves, name="speed")``.
    """
    rows = [row for row in results.rows("report") if row["competitor"] == competitor]
    width = max(row["m"] for row in rows)
    here = {(row["d"], row["share"]): row["ratio"] for row in rows if row["m"] == width}
    dimensions = tuple(sorted({d for d, _ in here}))
    curves = {
        f"{percent_text(share)} active": [here[d, share] for d in dimensions]
        for share in sorted({share for _, share in here})
    }
    return dimensions, curves


def _build(cells: list[Row]) -> Columns:
    columns = {**GRID, "engine": column(name_of, "engine"), **_named(cells, "milliseconds")}
    return {**columns, "memory": column(number_text, "memory_ratio")}


_SLOPES = {
    "d": column(str, "d"),
    "engine": column(name_of, "engine"),
    "regime": column(str, "regime"),
    "slope of time": column(interval_text, "time_slope"),
    "slope of points touched": column(interval_text, "touched_slope"),
    "1 - 1/⌊d/2⌋": column(number_text, "reporting_exponent"),
    "1 - 1/d": column(number_text, "partition_tree_exponent"),
}


def _limits(results: Results) -> list[Table]:
    cells = results.cells("limits")
    machine = {
        "quantity": column(str, "quantity"),
        "buffer": column(lambda size: f"{size / 2**20:.3g} MiB", "bytes"),
        "rate": lambda cell: f"{cell['rate'] / 1e9:.3g} G{cell['unit']}",
    }
    engines = {
        "engine": column(str, "quantity"),
        **GRID,
        **ACTIVE,
        "limit, µs": column(number_text, "least_microseconds"),
        "measured, µs": column(number_text, "microseconds"),
        "times": lambda cell: number_text(cell["microseconds"] / cell["least_microseconds"]),
        "limit": column(str, "limit"),
    }
    rates = [cell for cell in cells if "rate" in cell]
    others = [cell for cell in cells if "rate" not in cell]
    return [
        table_of("What one thread of this machine does.", rates, machine),
        table_of(_asked(results, "limits", ""), others, engines),
    ]


def _numpy(results: Results) -> list[Table]:
    cells = [
        cell
        for cell in results.cells("numpy")
        if "cap" in cell["microseconds"] and cell["surviving"] > 0.0
    ]
    columns = {
        **GRID,
        **ACTIVE,
        "surviving share φ": column(number_text, "surviving"),
        "goal 0.8 / φ": column(lambda share: number_text(0.8 / share), "surviving"),
        "cap": ratio_columns("dense", "dense", ["cap"])["cap"],
    }
    caption = "The cap prefix without compiled kernels, times as fast as dense."
    return [ratio_table(results, "numpy"), table_of(caption, cells, columns)]


def _found(results: Results, cell: Row) -> Table:
    times: dict[str, float] = {
        each["method"]: each["microseconds"] for each in cell["methods"] + cell["exact"]
    }
    columns = {
        "method": column(method_text, "method"),
        "finds": column(recall_text, "recall"),
        "wrong": column(str, "wrong"),
        "µs per query": column(number_text, "microseconds"),
        "times as fast as dense": column(
            lambda time: number_text(times["dense"] / time), "microseconds"
        ),
        "looks at": column(percent_text, "candidates"),
        "build, s": column(number_text, "build_seconds"),
    }
    place = f"d = {cell['d']}, m = {width_text(cell['m'])}, {percent_text(cell['share'])}"
    caption = _asked(results, "approximate", f"{place} active; the fastest first.")
    everybody = sorted(cell["methods"] + cell["exact"], key=lambda each: times[each["method"]])
    return table_of(caption, everybody, columns)


_GROUPS = {"exact index": "auto", "SimHash": "SimHash", "HNSW": "HNSW"}
"""What the figure shows, and how the names of the methods begin."""


def recall_panels(results: Results) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """Return recall against time where 1 % fire, for the index and those who miss some neurons.

    Examples
    --------
    The figure of them is ``figures.recall_against_time(panels, name="recall")``.
    """
    panels: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for cell in (cell for cell in results.cells("approximate") if cell["share"] == 0.01):
        groups = panels[f"*d* = {cell['d']}"] = {}
        for (label, starts), each in itertools.product(_GROUPS.items(), cell["methods"]):
            if each["method"].startswith(starts):
                groups.setdefault(label, []).append((each["microseconds"], each["recall"]))
    return panels


_CELL = {**GRID, "n": column(str, "n")}
_SHOWN = ["auto", "query", "literal", "alive", "dense_rows", "dense_float64", "torch"]
_PHASES = ("query", "adversary", "forward", "backward", "update", "monitor")
_WANTED = {"wanted": column(percent_text, "share")}


def _of_auto(name: str) -> Column:
    return column(percent_text, name, "auto")


def iteration_table(
    results: Results,
    *,
    share: float | None = None,
    competitors: Iterable[str] = _SHOWN,
    baseline: str = "dense",
) -> Table:
    """Return how many times as fast as a baseline everybody does an iteration."""
    shown = [name for name in competitors if name != baseline]
    columns = {**_CELL, **({} if share else ACTIVE)}
    columns |= ratio_columns(baseline, f"{name_of(baseline)}, ms", shown)
    where = f"{percent_text(share)} active. " if share else ""
    words = f"{where}A full iteration: times as fast as {name_of(baseline)}."
    return table_of(words, _cells(results, "iteration", share), columns)


def _iteration(results: Results) -> list[Table]:
    cells = results.cells("iteration")
    met = {
        **_CELL,
        **_WANTED,
        "active": _of_auto("active"),
        "can fire": column(percent_text, "alive"),
        "candidates": _of_auto("candidates"),
        "moved": _of_auto("touched"),
        "auto is": column(str, "methods", "auto"),
        "first, s": column(number_text, "first_seconds", "auto"),
    }
    phases = {
        **_CELL,
        **ACTIVE,
        "auto, ms": column(milliseconds_text, "microseconds", "auto"),
        **{"history" if name == "monitor" else name: _phase(name) for name in _PHASES},
    }
    passes = {
        **_CELL,
        **ACTIVE,
        "fewer than dense": lambda row: number_text(_dense(row) / _work(row)),
        "than can fire": lambda row: number_text(row["alive"] * _dense(row) / _work(row)),
        "auto, ns": lambda row: number_text(1e3 * row["microseconds"]["auto"] / _work(row)),
        "dense, ns": lambda row: number_text(1e3 * row["microseconds"]["dense"] / _dense(row)),
    }
    return [
        *(iteration_table(results, share=share) for share in sorted({c["share"] for c in cells})),
        table_of(
            "What the trainer met, as shares of all neurons; and the seconds of the first "
            "iteration, which builds the structures.",
            cells,
            met,
        ),
        table_of("Where the time of an iteration goes.", cells, phases),
        table_of(
            "Passes over a row of W for one example: how many times fewer there are, and what one "
            "takes, everything else included.",
            cells,
            passes,
        ),
        _differences(cells),
    ]


def _phase(name: str) -> Column:
    return column(
        lambda spent: f"{100 * spent[name] / sum(spent.values()):.0f} %", "phases", "auto"
    )


def _work(row: Row) -> float:
    return float(sum(row["work"]["auto"].values()))


def _dense(row: Row) -> int:
    """Two passes for each step of the attack, one for its last value, two for the step itself."""
    return int((2 * ATTACK_STEPS + 3) * row["n"] * row["m"])


def _differences(cells: list[Row]) -> Table:
    checked = sum(row["checked_pairs"] for row in cells)
    pairs: Counter[str] = Counter()
    outputs: dict[str, list[float]] = {}
    for row in cells:
        pairs.update(row["differing_pairs"])
        for name, size in row["output_difference"].items():
            outputs.setdefault(name, []).append(size)

    def written(name: str, pick: Callable[[list[float]], float]) -> str:
        return f"{pick(outputs[name]):.0e}" if name in outputs else "–"

    rows = [
        [name_of(name), str(pairs.get(name, "–")), written(name, np.median), written(name, max)]
        for name in NAMES
        if name in pairs or name in outputs
    ]
    return Table(
        f"Pairs of {checked} that a trainer decides otherwise than real arithmetic, and how far "
        "the outputs of the float32 rivals are from the library's at the adversarial points, "
        "relative.",
        ["competitor", "pairs", "outputs, median", "outputs, largest"],
        rows,
    )


_DIGITS = {
    "m": GRID["m"],
    **ACTIVE,
    "radius": column(number_text, "radius"),
    "candidates": _of_auto("candidates"),
    "moved": _of_auto("touched"),
    **ratio_columns("dense", f"{name_of('dense')}, ms", ("auto", "query", "dense_float64")),
}
_STEPS = {
    **_CELL,
    **_WANTED,
    "step size": column(number_text, "eta_part"),
    "active": _of_auto("active"),
    "moved": _of_auto("touched"),
    **ratio_columns("dense", "dense, ms", ("auto", "query")),
}


def _by_width(cells: list[Row], part: str, unit: float) -> dict[str, Column]:
    def at(place: int) -> Column:
        return lambda row: number_text(_medians(row, part, unit)[place])

    return {f"m = {width_text(m)}": at(place) for place, m in enumerate(cells[0]["widths"])}


def _medians(row: Row, part: str, unit: float) -> list[float]:
    medians: list[float] = (np.median(np.array(row[part]), axis=0) / unit).tolist()
    return medians


def _scaling(cells: list[Row]) -> Columns:
    return {
        "regime": column(str, "regime"),
        "competitor": column(name_of, "competitor"),
        **_by_width(cells, "microseconds_by_seed", 1e3),
        "slope of time": column(interval_text, "microseconds_slope"),
        "slope of work": column(interval_text, "work_slope"),
        "of active": column(interval_text, "active_slope"),
    }


def _memory(cells: list[Row]) -> Columns:
    def over_weights(row: Row) -> str:
        weights = 8.0 * row["widths"][-1] * row["d"] / 2**20
        return number_text(_medians(row, "held_by_seed", 2**20)[-1] / weights)

    return {
        "regime": column(str, "regime"),
        "trainer": column(name_of, "competitor"),
        **_by_width(cells, "held_by_seed", 2**20),
        "times the weights": over_weights,
        "slope": column(interval_text, "held_slope"),
        "slope of the peak": column(interval_text, "peak_slope"),
    }


def growth_curves(
    results: Results, regime: str, competitors: Iterable[str]
) -> tuple[tuple[int, ...], dict[str, FloatArray]]:
    """Return the milliseconds of an iteration against the width.

    Examples
    --------
    The figure of them is ``plotting.work_against_m(widths, curves, scan=False, name="growth",
    ylabel="milliseconds for one iteration")``.
    """
    cells = {row["competitor"]: row for row in results.cells("scaling") if row["regime"] == regime}
    wanted = {name: cells[name] for name in competitors}
    curves = {
        name_of(name): np.array(row["microseconds_by_seed"]) / 1e3 for name, row in wanted.items()
    }
    return tuple(next(iter(wanted.values()))["widths"]), curves


_METHODS = {"auto": "exact", "literal": "exact, other order"}
_DATA_NAMES = {"random": "Random points", "digits-3v8": "Digits 3 against 8"}


def _errors(results: Results, cell: Row) -> Table:
    steps, methods = cell["steps"], cell["methods"]
    exact = {each["method"]: each["microseconds"] for each in methods}["auto"]
    heads = [f"weight error, step {steps[0]}", *(f"step {step}" for step in steps[1:])]
    columns = {
        "active sets": column(lambda name: _METHODS.get(name) or method_text(name), "method"),
        f"recall, step {steps[0]} → {steps[-1]}": column(
            lambda recall: f"{recall_text(recall[0])} → {recall_text(recall[-1])}", "recall"
        ),
        **{head: _error(place) for place, head in enumerate(heads)},
        "ms per iteration": column(milliseconds_text, "microseconds"),
        "times as long": column(lambda time: number_text(time / exact), "microseconds"),
        "right, seen": column(percent_text, "attacked_training"),
    }
    if "attacked_test" in cell["start"]:
        columns["right, unseen"] = column(percent_text, "attacked_test")
    place = (
        f"{_DATA_NAMES[cell['data']]}, d = {cell['d']}, m = {width_text(cell['m'])}, "
        f"n = {cell['n']}, {percent_text(cell['share'])} active"
    )
    return table_of(_asked(results, "missed", f"{place}."), methods, columns)


def _error(place: int) -> Column:
    """Return a relative error: in per cent, or as a power of ten where it is rounding."""

    def text(errors: list[float]) -> str:
        error = errors[place]
        if error == 0.0:
            return "0"
        return f"{error:.0e}" if error < 1e-6 else percent_text(error)

    return column(text, "weight_error")


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


_LAYOUTS: Mapping[str, Callable[[Results], list[Table]]] = {
    "report": _report,
    "aggregate": lambda results: [ratio_table(results, "aggregate")],
    "limits": _limits,
    "numpy": _numpy,
    "approximate": lambda results: [_found(results, cell) for cell in results.cells("approximate")],
    "iteration": _iteration,
    "missed": lambda results: [_errors(results, cell) for cell in results.cells("missed")],
}

_FASTER = f"Times as fast as {name_of('dense')}."
_PLAIN: Mapping[str, tuple[str, Columns | Callable[[list[Row]], Columns]]] = {
    "single": ("Microseconds.", lambda cells: GRID | _named(cells, "microseconds", name_of)),
    "build": ("Milliseconds; memory as a multiple of the float64 points.", _build),
    "slopes": ("Exponents of m with 95 % intervals over the seeds, beside the theory's.", _SLOPES),
    "startup": (
        "Seconds.",
        lambda cells: {"start": column(str, "start"), **_named(cells, "seconds")},
    ),
    "digits": (_FASTER, _DIGITS),
    "steps": (_FASTER, _STEPS),
    "scaling": (
        "Milliseconds of an iteration, d = {d}, {n} examples; exponents of m with 95 % intervals.",
        _scaling,
    ),
    "memory": ("MiB between two iterations.", _memory),
}
"""Words (which may name parts of the first cell) and columns of the sections of one table."""
