"""The tables of each section of the benchmarks, and the curves of their figures.

They compute nothing but ratios and sums; see :mod:`benchmarks.tables` for what a table is.  A
section without a layout shows its rows as they are stored, so that a new one can be looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

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
    absences,
    column,
    interval_text,
    method_text,
    milliseconds_text,
    name_of,
    number_text,
    percent_text,
    ratio_columns,
    ratio_table,
    recall_text,
    table_of,
    width_text,
)
from sublinear_lib._typing import FloatArray


def section_tables(results: Results, section: str) -> list[Table]:
    """Return the tables of a section."""
    question = results.section(section)["question"]
    layout = _LAYOUTS.get((results.benchmark, section))
    if layout is not None:
        return layout(results)
    cells = results.cells(section)
    return [table_of(question, cells, {name: _plain(name) for cell in cells for name in cell})]


def _plain(name: str) -> Column:
    def text(cell: Row) -> str:
        value = cell.get(name)
        return number_text(value) if isinstance(value, float) else str(value)

    return text


def _asked(results: Results, section: str, more: str) -> str:
    return f"{results.section(section)['question']} {more}"


def _named(cells: Iterable[Row], part: str, write: Callable[[str], str] = str) -> dict[str, Column]:
    """Return a column for each name that a part of the cells has."""
    names = dict.fromkeys(name for cell in cells for name in cell.get(part, {}))
    return {write(name): column(number_text, part, name) for name in names}


# -- the half-space index ------------------------------------------------------------------------


def _report(results: Results) -> list[Table]:
    cells = results.cells("report")
    totals: dict[str, int] = {}
    for cell in cells:
        for name, count in cell["differing_pairs"].items():
            totals[name] = totals.get(name, 0) + count
    checked = sum(cell["checked_pairs"] for cell in cells)
    differences = Table(
        f"Pairs decided otherwise than in real arithmetic, of {checked} pairs compared.",
        ["competitor", "pairs"],
        [[name_of(name), str(count)] for name, count in totals.items()],
    )
    shares = sorted({row["share"] for row in cells})
    tables = [ratio_table(results, share=share) for share in shares]
    return [*tables, differences, *absences(results, "report")]


def _single(results: Results) -> list[Table]:
    names = dict.fromkeys(row["competitor"] for row in results.rows("single"))
    times = {name_of(name): column(number_text, "microseconds", name) for name in names}
    caption = _asked(results, "single", "Microseconds.")
    return [table_of(caption, results.cells("single"), {**GRID, **times})]


def _build(results: Results) -> list[Table]:
    cells = results.cells("build")
    caption = _asked(results, "build", "Milliseconds; memory as a multiple of the float64 points.")
    columns = {**GRID, "engine": column(name_of, "engine"), **_named(cells, "milliseconds")}
    columns["memory"] = column(number_text, "memory_ratio")
    return [table_of(caption, cells, columns), *absences(results, "build")]


def _slopes(results: Results) -> list[Table]:
    columns = {
        "d": column(str, "d"),
        "engine": column(name_of, "engine"),
        "regime": column(str, "regime"),
        "slope of time": column(interval_text, "time_slope"),
        "slope of points touched": column(interval_text, "touched_slope"),
        "1 - 1/⌊d/2⌋": column(number_text, "reporting_exponent"),
        "1 - 1/d": column(number_text, "partition_tree_exponent"),
    }
    words = "Exponents of m with 95 % intervals over the seeds, beside the theory's."
    return [table_of(_asked(results, "slopes", words), results.cells("slopes"), columns)]


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
        table_of(results.section("limits")["question"], others, engines),
    ]


def _startup(results: Results) -> list[Table]:
    cells = results.cells("startup")
    columns = {"start": column(str, "start"), **_named(cells, "seconds")}
    return [table_of(_asked(results, "startup", "Seconds."), cells, columns)]


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


def _approximate(results: Results) -> list[Table]:
    tables = []
    for cell in results.cells("approximate"):
        everybody = sorted(
            cell["methods"] + cell.get("exact", []), key=lambda each: float(each["microseconds"])
        )
        dense = {each["method"]: each["microseconds"] for each in everybody}.get("dense")
        columns = {
            "method": column(method_text, "method"),
            "finds": column(recall_text, "recall"),
            "wrong": column(str, "wrong"),
            "µs per query": column(number_text, "microseconds"),
            "times as fast as dense": _times(dense),
            "looks at": column(percent_text, "candidates"),
            "build, s": column(number_text, "build_seconds"),
        }
        place = (
            f"d = {cell['d']}, m = {width_text(cell['m'])}, {percent_text(cell['share'])} active"
        )
        caption = _asked(results, "approximate", f"{place}; the fastest first.")
        tables.append(table_of(caption, everybody, columns))
    return [*tables, *absences(results, "approximate")]


def _times(time: float | None) -> Column:
    """Return how many times as fast as a time each method is."""
    return lambda each: "–" if time is None else number_text(time / each["microseconds"])


_GROUPS = {
    "exact index": "auto",
    "SimHash": "SimHash",
    "HNSW": "HNSW",
}
"""What the figure shows, and how the names of the methods begin."""


def recall_panels(
    results: Results, share: float = 0.01
) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """Return recall against time for the index and those who miss some neurons.

    Examples
    --------
    The figure of them is ``figures.recall_against_time(panels, name="recall")``.
    """
    panels: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for cell in results.cells("approximate"):
        if cell["share"] != share:
            continue
        groups = {
            label: [
                (each["microseconds"], each["recall"])
                for each in cell["methods"]
                if each["method"].startswith(starts)
            ]
            for label, starts in _GROUPS.items()
        }
        panels[f"*d* = {cell['d']}"] = {label: rows for label, rows in groups.items() if rows}
    if not panels:
        raise ValueError(f"share must have been measured, got {share!r}")
    return panels


# -- training ------------------------------------------------------------------------------------

_CELL = {**GRID, "n": column(str, "n")}
_SHOWN = (
    *("auto", "query", "aggregates", "literal"),
    *("alive", "dense_rows", "dense_float64", "torch"),
)
_PHASES = ("query", "adversary", "forward", "backward", "update")
_WANTED = {"wanted": column(percent_text, "share")}


def _of_auto(*names: str) -> Column:
    return column(percent_text, *names, "auto")


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
    columns = {**_CELL, **({} if share else ACTIVE)}
    columns |= ratio_columns(baseline, f"{name_of(baseline)}, ms", shown)
    where = "" if share is None else f"{percent_text(share)} active. "
    return table_of(
        f"{where}A full iteration: times as fast as {name_of(baseline)}.", cells, columns
    )


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
        **{name: _phase(name) for name in _PHASES},
        "history": _phase("monitor"),
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
        _differences(results),
        *absences(results, "iteration"),
    ]


def _phase(name: str) -> Column:
    def text(row: Row) -> str:
        spent = row["phases"]["auto"]
        return f"{100 * spent[name] / sum(spent.values()):.0f} %"

    return text


def _work(row: Row) -> float:
    return float(sum(row["work"]["auto"].values()))


def _dense(row: Row) -> int:
    """Two passes for each step of the attack, one for its last value, two for the step itself."""
    return int((2 * ATTACK_STEPS + 3) * row["n"] * row["m"])


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
    columns = {
        "competitor": column(name_of, "name"),
        "pairs": column(str, "pairs"),
        "outputs, median": column(lambda sizes: f"{np.median(sizes):.0e}", "outputs"),
        "outputs, largest": column(lambda sizes: f"{max(sizes):.0e}", "outputs"),
    }
    return table_of(
        f"Pairs of {checked} that a trainer decides otherwise than real arithmetic, and how far "
        "the outputs of the float32 rivals are from the library's at the adversarial points, "
        "relative.",
        [
            {"name": name, "pairs": pairs.get(name), "outputs": outputs.get(name)}
            for name in NAMES
            if name in pairs or name in outputs
        ],
        columns,
    )


def _digits(results: Results) -> list[Table]:
    columns = {
        "m": GRID["m"],
        **ACTIVE,
        "radius": column(number_text, "radius"),
        "candidates": _of_auto("candidates"),
        "moved": _of_auto("touched"),
        **ratio_columns("dense", f"{name_of('dense')}, ms", ("auto", "query", "dense_float64")),
    }
    caption = _asked(results, "digits", f"Times as fast as {name_of('dense')}.")
    return [table_of(caption, results.cells("digits"), columns)]


def _steps(results: Results) -> list[Table]:
    columns = {
        **_CELL,
        **_WANTED,
        "step size": column(number_text, "eta_part"),
        "active": _of_auto("active"),
        "moved": _of_auto("touched"),
        **ratio_columns("dense", "dense, ms", ("auto", "query")),
    }
    caption = _asked(results, "steps", f"Times as fast as {name_of('dense')}.")
    return [table_of(caption, results.cells("steps"), columns)]


def _by_width(cells: list[Row], part: str, unit: float) -> dict[str, Column]:
    """Return the median over the seeds at each width."""

    def at(place: int) -> Column:
        return lambda row: number_text(_medians(row, part, unit)[place])

    widths = cells[0]["widths"] if cells else []
    return {f"m = {width_text(m)}": at(place) for place, m in enumerate(widths)}


def _medians(row: Row, part: str, unit: float) -> list[float]:
    medians: list[float] = (np.median(np.array(row[part]), axis=0) / unit).tolist()
    return medians


def _scaling(results: Results) -> list[Table]:
    cells = results.cells("scaling")
    columns = {
        "regime": column(str, "regime"),
        "competitor": column(name_of, "competitor"),
        **_by_width(cells, "microseconds_by_seed", 1e3),
        "slope of time": column(interval_text, "microseconds_slope"),
        "slope of work": column(interval_text, "work_slope"),
        "of active": column(interval_text, "active_slope"),
    }
    if not cells:
        return [table_of(results.section("scaling")["question"], cells, columns)]
    words = (
        f"Milliseconds of an iteration, d = {cells[0]['d']}, {cells[0]['n']} examples; exponents "
        "of m with 95 % intervals."
    )
    return [table_of(_asked(results, "scaling", words), cells, columns)]


def _memory(results: Results) -> list[Table]:
    cells = results.cells("memory")

    def over_weights(row: Row) -> str:
        weights = 8.0 * row["widths"][-1] * row["d"] / 2**20
        return number_text(_medians(row, "held_by_seed", 2**20)[-1] / weights)

    columns = {
        "regime": column(str, "regime"),
        "trainer": column(name_of, "competitor"),
        **_by_width(cells, "held_by_seed", 2**20),
        "times the weights": over_weights,
        "slope": column(interval_text, "held_slope"),
        "slope of the peak": column(interval_text, "peak_slope"),
    }
    return [table_of(_asked(results, "memory", "MiB between two iterations."), cells, columns)]


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


_METHODS = {"auto": "exact", "literal": "exact, other order"}
_DATA_NAMES = {"random": "Random points", "digits-3v8": "Digits 3 against 8"}


def _missed(results: Results) -> list[Table]:
    tables = []
    for cell in results.cells("missed"):
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
            "times as long": _as_long(exact),
            "right, seen": column(percent_text, "attacked_training"),
        }
        if "attacked_test" in cell["start"]:
            columns["right, unseen"] = column(percent_text, "attacked_test")
        place = (
            f"{_DATA_NAMES.get(cell['data'], cell['data'])}, d = {cell['d']}, "
            f"m = {width_text(cell['m'])}, n = {cell['n']}, {percent_text(cell['share'])} active"
        )
        tables.append(table_of(_asked(results, "missed", f"{place}."), methods, columns))
    return tables


def _error(place: int) -> Column:
    """Return a relative error: in per cent, or as a power of ten where it is rounding."""

    def text(each: Row) -> str:
        error = each["weight_error"][place]
        if error == 0.0:
            return "0"
        return f"{error:.0e}" if error < 1e-6 else percent_text(error)

    return text


def _as_long(time: float) -> Column:
    return lambda each: number_text(each["microseconds"] / time)


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


_LAYOUTS: Mapping[tuple[str, str], Callable[[Results], list[Table]]] = {
    ("halfspace", "report"): _report,
    ("halfspace", "aggregate"): lambda results: [ratio_table(results, "aggregate")],
    ("halfspace", "single"): _single,
    ("halfspace", "build"): _build,
    ("halfspace", "slopes"): _slopes,
    ("halfspace", "limits"): _limits,
    ("halfspace", "startup"): _startup,
    ("halfspace", "numpy"): _numpy,
    ("halfspace", "approximate"): _approximate,
    ("training", "iteration"): _iteration,
    ("training", "digits"): _digits,
    ("training", "steps"): _steps,
    ("training", "scaling"): _scaling,
    ("training", "memory"): _memory,
    ("training", "missed"): _missed,
}
"""What lays out a section, by its benchmark and its name."""
