"""The layouts of the sections on the half-space index.

They compute nothing but ratios; see :mod:`benchmarks.tables` for what a table is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from benchmarks.results import Results
from benchmarks.tables import (
    Table,
    absences,
    interval_text,
    method_text,
    name_of,
    number_text,
    percent_text,
    ratio_table,
    recall_text,
    width_text,
)


def _differences(results: Results) -> list[Table]:
    """Return by how many pairs the competitors that promise no exactness differ."""
    totals: dict[str, int] = {}
    for cell in results.cells("report"):
        for name, count in cell["differing_pairs"].items():
            totals[name] = totals.get(name, 0) + count
    checked = sum(cell["checked_pairs"] for cell in results.cells("report"))
    rows = [[name_of(name), str(count)] for name, count in totals.items()]
    caption = f"Pairs decided otherwise than in real arithmetic, of {checked} pairs compared."
    return [Table(caption, ["competitor", "pairs"], rows)]


def _report(results: Results) -> list[Table]:
    shares = sorted({row["share"] for row in results.cells("report")})
    tables = [ratio_table(results, share=share) for share in shares]
    return [*tables, *_differences(results), *absences(results, "report")]


def _ratios(section: str) -> Callable[[Results], list[Table]]:
    return lambda results: [ratio_table(results, section)]


def _single(results: Results) -> list[Table]:
    names = list(dict.fromkeys(row["competitor"] for row in results.rows("single")))
    rows = [
        [
            str(cell["d"]),
            width_text(cell["m"]),
            *(number_text(cell["microseconds"].get(name)) for name in names),
        ]
        for cell in results.cells("single")
    ]
    columns = ["d", "m", *(name_of(name) for name in names)]
    caption = f"{results.section('single')['question']} Microseconds."
    return [Table(caption, columns, rows)]


def _build(results: Results) -> list[Table]:
    cells = results.cells("build")
    names = list(dict.fromkeys(name for cell in cells for name in cell["milliseconds"]))
    rows = [
        [
            str(cell["d"]),
            width_text(cell["m"]),
            name_of(cell["engine"]),
            *(number_text(cell["milliseconds"].get(name)) for name in names),
            number_text(cell.get("memory_ratio")),
        ]
        for cell in cells
    ]
    question = results.section("build")["question"]
    caption = f"{question} Milliseconds; memory as a multiple of the float64 points."
    table = Table(caption, ["d", "m", "engine", *names, "memory"], rows)
    return [table, *absences(results, "build")]


def _slopes(results: Results) -> list[Table]:
    rows = [
        [
            str(cell["d"]),
            name_of(cell["engine"]),
            str(cell["regime"]),
            interval_text(cell["time_slope"]),
            interval_text(cell["touched_slope"]),
            number_text(cell["reporting_exponent"]),
            number_text(cell["partition_tree_exponent"]),
        ]
        for cell in results.cells("slopes")
    ]
    columns = ["d", "engine", "regime", "slope of time", "slope of points touched"]
    question = results.section("slopes")["question"]
    caption = f"{question} Exponents of m with 95 % intervals over the seeds, beside the theory's."
    return [Table(caption, [*columns, "1 - 1/⌊d/2⌋", "1 - 1/d"], rows)]


def _limits(results: Results) -> list[Table]:
    cells = results.cells("limits")
    machine = [
        [
            cell["quantity"],
            "–" if "bytes" not in cell else f"{cell['bytes'] / 2**20:.3g} MiB",
            f"{cell['rate'] / 1e9:.3g} G{cell['unit']}",
        ]
        for cell in cells
        if "rate" in cell
    ]
    engines = [
        [
            cell["quantity"],
            str(cell["d"]),
            width_text(cell["m"]),
            percent_text(cell["share"]),
            number_text(cell["least_microseconds"]),
            number_text(cell["microseconds"]),
            number_text(cell["microseconds"] / cell["least_microseconds"]),
            cell["limit"],
        ]
        for cell in cells
        if "rate" not in cell
    ]
    columns = ["engine", "d", "m", "active", "limit, µs", "measured, µs", "times", "limit"]
    return [
        Table("What one thread of this machine does.", ["quantity", "buffer", "rate"], machine),
        Table(results.section("limits")["question"], columns, engines),
    ]


def _startup(results: Results) -> list[Table]:
    cells = results.cells("startup")
    names = list(dict.fromkeys(name for cell in cells for name in cell["seconds"]))
    rows = [
        [cell["start"], *(number_text(cell["seconds"].get(name)) for name in names)]
        for cell in cells
    ]
    caption = f"{results.section('startup')['question']} Seconds."
    return [Table(caption, ["start", *names], rows)]


def _numpy(results: Results) -> list[Table]:
    rows = [
        [
            str(cell["d"]),
            width_text(cell["m"]),
            percent_text(cell["share"]),
            number_text(cell["surviving"]),
            number_text(0.8 / cell["surviving"]),
            number_text(cell["microseconds"]["dense"] / cell["microseconds"]["cap"]),
        ]
        for cell in results.cells("numpy")
        if "cap" in cell["microseconds"] and cell["surviving"] > 0.0
    ]
    columns = ["d", "m", "active", "surviving share φ", "goal 0.8 / φ", "cap"]
    caption = "The cap prefix without compiled kernels, times as fast as dense."
    return [ratio_table(results, "numpy"), Table(caption, columns, rows)]


def _approximate(results: Results) -> list[Table]:
    tables = []
    for cell in results.cells("approximate"):
        everybody = sorted(
            cell["methods"] + cell.get("exact", []), key=lambda each: float(each["microseconds"])
        )
        dense = {each["method"]: each["microseconds"] for each in everybody}.get("dense")
        rows = [
            [
                method_text(method["method"]),
                recall_text(method["recall"]),
                str(method.get("wrong", "–")),
                number_text(method["microseconds"]),
                "–" if dense is None else number_text(dense / method["microseconds"]),
                "–" if "candidates" not in method else percent_text(method["candidates"]),
                number_text(method.get("build_seconds")),
            ]
            for method in everybody
        ]
        columns = ["method", "finds", "wrong", "µs per query", "times as fast as dense"]
        place = (
            f"d = {cell['d']}, m = {width_text(cell['m'])}, {percent_text(cell['share'])} active"
        )
        caption = f"{results.section('approximate')['question']} {place}; the fastest first."
        tables.append(Table(caption, [*columns, "looks at", "build, s"], rows))
    return [*tables, *absences(results, "approximate")]


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


HALFSPACE_LAYOUTS: Mapping[str, Callable[[Results], list[Table]]] = {
    "report": _report,
    "aggregate": _ratios("aggregate"),
    "lists": _ratios("lists"),
    "single": _single,
    "build": _build,
    "slopes": _slopes,
    "limits": _limits,
    "startup": _startup,
    "numpy": _numpy,
    "approximate": _approximate,
}
"""What lays out a section, by its name."""
