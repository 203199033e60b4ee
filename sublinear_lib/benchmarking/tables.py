"""Tables of the results, as text for a terminal and as HTML for a page.

No object of the paper lives here.  The functions take validated results and lay them out; they
compute nothing but ratios.  Before changing it, know that a table is wider than a phone: its HTML
scrolls in a box of its own, which can be reached by keyboard and says what it holds.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sublinear_lib.benchmarking.results import Results
from sublinear_lib.benchmarking.settings import Row
from sublinear_lib.benchmarking.targets import SOURCE, Verdict, judge, reason_for

__all__ = [
    "NAMES",
    "Table",
    "dates_table",
    "machine_table",
    "missed_table",
    "ratio_curves",
    "ratio_table",
    "section_tables",
    "target_table",
]

NAMES: dict[str, str] = {
    "dense": "dense, tuned",
    "two_gemms": "two GEMMs",
    "gemv": "one GEMV",
    "auto": "auto",
    "auto_default": "auto, sorted",
    "tree": "tree",
    "cap": "cap",
    "scan": "scan",
    "count": "count",
    "mask": "mask",
    "lists": "candidate lists",
    "index": "index, updated",
    "aggregate": "aggregate tree",
    "index_aggregate": "index",
    "sums": "sums",
    "gemm": "bare GEMM",
    "naive_float32": "naive, float32",
    "naive_float64": "naive, float64",
    "sklearn_kdtree": "sklearn KDTree",
    "sklearn_balltree": "sklearn BallTree",
    "scipy_ckdtree": "scipy cKDTree",
    "faiss_flat": "faiss flat",
    "torch": "torch",
    "hnsw": "HNSW",
}
"""What competitors are called in tables, in the order of the columns."""


def _marked_up(text: str) -> str:
    """Return a text as HTML, with powers set as such."""
    return re.sub(r"(\w)\^(\d+)", r"\1<sup>\2</sup>", html.escape(text))


@dataclass(frozen=True)
class Table:
    """A table that shows itself as text or as HTML.

    Parameters
    ----------
    caption : str
        What it holds, one sentence.
    columns : sequence of str
        The heads.
    rows : sequence of sequence of str
        The cells; each row has as many as there are heads.

    Raises
    ------
    ValueError
        If a row is longer or shorter than the heads.

    Examples
    --------
    >>> Table("Squares.", ["n", "n^2"], [["2", "4"], ["12", "144"]])
    Squares.
     n  n^2
     2    4
    12  144
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __post_init__(self) -> None:
        """Check the lengths."""
        for number, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"rows must have {len(self.columns)} cells like columns, "
                    f"got {len(row)} in row {number}"
                )

    def _to_the_left(self, column: int) -> bool:
        """Whether a column holds texts rather than numbers."""
        cells = [row[column] for row in self.rows]
        return any(cell[:1].isalpha() and cell not in ("yes", "no") for cell in cells)

    def _breaking(self, column: int) -> str:
        """Return where lines may break: never in a number, in a sentence not after every word."""
        if not self._to_the_left(column):
            return "; white-space: nowrap"
        longest = max((len(row[column]) for row in self.rows), default=0)
        if longest > 120:
            return "; min-width: 24rem"
        return "; min-width: 12rem" if longest > 40 else ""

    def __repr__(self) -> str:
        """Return the table as text."""
        lines = [list(self.columns), *map(list, self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        left = [self._to_the_left(column) for column in range(len(widths))]
        text = [
            "  ".join(
                cell.ljust(width) if to_left else cell.rjust(width)
                for cell, width, to_left in zip(line, widths, left, strict=True)
            ).rstrip()
            for line in lines
        ]
        return "\n".join([self.caption, *text])

    def _repr_html_(self) -> str:
        """Return the table as HTML that scrolls in its own box."""
        caption = html.escape(self.caption)
        left = [self._to_the_left(column) for column in range(len(self.columns))]
        styles = [f"text-align: {'left' if to_left else 'right'}" for to_left in left]
        inner = [style + self._breaking(column) for column, style in enumerate(styles)]
        head = "".join(
            f'<th scope="col" style="{style}">{_marked_up(name)}</th>'
            for name, style in zip(self.columns, styles, strict=True)
        )
        body = "\n".join(
            "<tr>"
            + "".join(
                f'<td style="{style}">{_marked_up(cell)}</td>'
                for cell, style in zip(row, inner, strict=True)
            )
            + "</tr>"
            for row in self.rows
        )
        # the sentence stays in sight while the table scrolls; the theme puts anything but a table
        # of class dataframe on a light ground, also where the page is dark
        return (
            f"<p>{_marked_up(self.caption)}</p>\n"
            f'<div role="region" tabindex="0" aria-label="{caption}" style="overflow-x: auto">\n'
            f'<table class="table dataframe" style="width: auto">\n'
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n</div>"
        )


def _number(value: float | None, digits: int = 3) -> str:
    """Return a number with three significant digits and no exponent, or a dash."""
    if value is None:
        return "–"
    if value == 0.0:
        return "0"
    text = f"{value:.{digits}g}"
    return f"{float(text):.0f}" if "e" in text and abs(value) >= 1.0 else text


def _name(competitor: str) -> str:
    return NAMES.get(competitor, competitor)


def _place(competitor: str) -> tuple[int, str]:
    """Return what puts competitors in the order of their names' list, unknown ones last."""
    known = list(NAMES)
    return (known.index(competitor) if competitor in known else len(known), competitor)


def _width(m: int) -> str:
    return f"2^{m.bit_length() - 1}" if m & (m - 1) == 0 else str(m)


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def dates_table(results: Results) -> Table:
    """Return when every section was measured, and on which machine.

    Parameters
    ----------
    results : Results
        The results.

    Returns
    -------
    Table
        One row for each section; the number of the machine is that of `machine_table`.
    """
    machines = _machines(results)
    rows = []
    for name in results.sections:
        section = results.section(name)
        load = section["environment"]["load_average"]
        rows.append(
            [
                name,
                section["date"],
                f"{section['seconds']:.0f}",
                "–" if load is None else f"{load:.1f}",
                str(machines.index(_lasting(section["environment"])) + 1),
                "yes" if section["settings"]["quick"] else "no",
            ]
        )
    columns = ["section", "date", "seconds", "load before", "machine", "only a trial"]
    return Table("What was measured, and when.", columns, rows)


def machine_table(results: Results) -> Table:
    """Return the machines and versions that the sections were measured with.

    Parameters
    ----------
    results : Results
        The results.

    Returns
    -------
    Table
        One column for each machine, or set of versions.
    """
    machines = _machines(results)
    names = list(dict.fromkeys(name for machine in machines for name in machine))
    rows = [[name, *(machine.get(name, "–") for machine in machines)] for name in names]
    columns = ["what", *(f"machine {number + 1}" for number in range(len(machines)))]
    return Table("Machine and versions.", columns, rows)


def _machines(results: Results) -> list[dict[str, str]]:
    """List the different machines, in the order of the sections."""
    found: list[dict[str, str]] = []
    for name in results.sections:
        machine = _lasting(results.section(name)["environment"])
        if machine not in found:
            found.append(machine)
    return found


def _lasting(environment: Mapping[str, Any]) -> dict[str, str]:
    """Return what does not change from minute to minute."""
    return {
        "processor": str(environment["processor"]),
        "cores": str(environment["cores"]),
        "AVX-512": "yes" if environment["avx512"] else "no",
        "system": str(environment["system"]),
        "kernels": str(environment["kernels"]),
        "vector code": "yes" if environment["vector_code"] else "no",
        "BLAS": str(environment["blas"]),
        **{name: str(version) for name, version in environment["versions"].items()},
    }


def ratio_table(
    results: Results,
    section: str = "report",
    *,
    share: float | None = None,
    competitors: Iterable[str] | None = None,
) -> Table:
    """Return how many times as fast as the baseline every competitor is, one row for each cell.

    Parameters
    ----------
    results : Results
        The results.
    section : str, default "report"
        A section in which competitors were timed.
    share : float, optional
        Only the cells with this active share.
    competitors : iterable of str, optional
        The competitors to show, in this order; all of the section by default.

    Returns
    -------
    Table
        The baseline in microseconds per query, the others as ratios to it; a dash where a
        competitor is absent.

    Raises
    ------
    ValueError
        If the section was not measured or times no competitors.
    """
    stored = results.section(section)
    baseline = stored["baseline"]
    if not baseline:
        raise ValueError(f"section must time competitors, got {section!r}")
    cells = [row for row in results.cells(section) if share is None or row["share"] == share]
    if competitors is None:
        parts = ("microseconds", "absent")
        named = {name for row in cells for part in parts for name in row.get(part, {})}
        competitors = sorted(named - {baseline}, key=_place)
    shown = list(competitors)
    columns = ["d", "m", *(["active"] if share is None else []), f"{_name(baseline)}, µs"]
    rows = []
    for row in cells:
        times = row["microseconds"]
        ratios = [
            _number(times[baseline] / times[name]) if name in times else "–" for name in shown
        ]
        cell = [str(row["d"]), _width(row["m"])]
        if share is None:
            cell.append(_percent(row["share"]))
        rows.append([*cell, _number(times[baseline]), *ratios])
    # names differ between all tables of a page, for readers who hear them
    caption = f"{stored['question']} Times as fast as {_name(baseline)}."
    if share is not None:
        caption = f"{_percent(share)} active: times as fast as {_name(baseline)}."
    return Table(caption, [*columns, *(_name(name) for name in shown)], rows)


def ratio_curves(
    results: Results, competitor: str = "auto", *, m: int | None = None
) -> tuple[tuple[int, ...], dict[str, list[float]]]:
    """Return how many times as fast as dense a competitor reports, against the dimension.

    Parameters
    ----------
    results : Results
        The results.
    competitor : str, default "auto"
        The competitor.
    m : int, optional
        The width; by default the largest that was measured.

    Returns
    -------
    dimensions : tuple of int
        The dimensions in which it took part.
    curves : dict of str to list of float
        For each active share, such as ``"1 % active"``, the ratios in these dimensions.

    Raises
    ------
    ValueError
        If reporting was not measured, or not for this competitor and width.

    Examples
    --------
    The figure of them is ``plotting.speedup_by_dimension(dimensions, curves, name="speed")``.
    """
    rows = [row for row in results.rows("report") if row["competitor"] == competitor]
    width = max((row["m"] for row in rows), default=0) if m is None else m
    here = {(row["d"], row["share"]): row for row in rows if row["m"] == width and "ratio" in row}
    if not here:
        raise ValueError(
            f"competitor and m must have been measured, got {competitor!r} and {width}"
        )
    dimensions = tuple(sorted({d for d, _ in here}))
    curves = {
        f"{_percent(share)} active": [here[d, share]["ratio"] for d in dimensions]
        for share in sorted({share for _, share in here})
    }
    return dimensions, curves


def target_table(results: Results, *, measured: bool = False) -> Table:
    """Return the goals beside what was measured.

    Parameters
    ----------
    results : Results
        The results.
    measured : bool, default False
        Whether to leave out the goals for which nothing was measured.

    Returns
    -------
    Table
        One row for each goal.
    """
    verdicts = [each for each in judge(results) if each.reached is not None or not measured]
    reached = sum(each.reached is True for each in verdicts)
    rows = [[*_goal(each), _answer(each)] for each in verdicts]
    caption = f"{reached} of {len(verdicts)} goals reached. {SOURCE}"
    return Table(caption, ["goal", "wanted", "measured", "reached"], rows)


def missed_table(results: Results, reasons: Mapping[str, str]) -> Table:
    """Return the goals that are not reached, with the reasons.

    Parameters
    ----------
    results : Results
        The results.
    reasons : mapping of str to str
        Reasons by the key of the goal, or by what it starts with; the longest match counts.  See
        `load_reasons`.

    Returns
    -------
    Table
        One row for each goal that was measured and not reached.
    """
    missed = [each for each in judge(results) if each.reached is False]
    rows = [[*_goal(each), reason_for(each, reasons) or "not known"] for each in missed]
    return Table("Goals not reached.", ["goal", "wanted", "measured", "why"], rows)


def _goal(verdict: Verdict) -> list[str]:
    sign = "≤" if verdict.target.at_most else "≥"
    wanted, measured = _number(verdict.wanted), _number(verdict.measured)
    return [verdict.target.text, f"{sign} {wanted}", measured]


def _answer(verdict: Verdict) -> str:
    if verdict.reached is None:
        return "not measured"
    return "yes" if verdict.reached else "no"


def _absences(results: Results, section: str) -> list[Table]:
    """Return who is absent where, and why; empty if everybody is there."""
    places: dict[tuple[str, str], list[str]] = {}
    for cell in results.cells(section):
        place = f"d = {cell['d']}, m = {_width(cell['m'])}{_share(cell)}"
        for name, reason in cell.get("absent", {}).items():
            places.setdefault((name, reason), []).append(place)
    rows = [
        [_name(name), reason, str(len(where)), where[0] + (", ..." if len(where) > 1 else "")]
        for (name, reason), where in places.items()
    ]
    columns = ["competitor", "reason", "cells", "where"]
    return [Table(f"Who is absent from '{section}', and why.", columns, rows)] if rows else []


def _share(cell: Row) -> str:
    return f", {_percent(cell['share'])}" if "share" in cell else ""


def _differences(results: Results) -> list[Table]:
    """Return by how many pairs the competitors that promise no exactness differ."""
    totals: dict[str, int] = {}
    for cell in results.cells("report"):
        for name, count in cell["differing_pairs"].items():
            totals[name] = totals.get(name, 0) + count
    checked = sum(cell["checked_pairs"] for cell in results.cells("report"))
    rows = [[_name(name), str(count)] for name, count in totals.items()]
    caption = f"Pairs decided otherwise than in real arithmetic, of {checked} pairs compared."
    return [Table(caption, ["competitor", "pairs"], rows)]


def _report(results: Results) -> list[Table]:
    shares = sorted({row["share"] for row in results.cells("report")})
    tables = [ratio_table(results, share=share) for share in shares]
    return [*tables, *_differences(results), *_absences(results, "report")]


def _ratios(section: str) -> Callable[[Results], list[Table]]:
    return lambda results: [ratio_table(results, section)]


def _single(results: Results) -> list[Table]:
    names = list(dict.fromkeys(row["competitor"] for row in results.rows("single")))
    rows = [
        [
            str(cell["d"]),
            _width(cell["m"]),
            *(_number(cell["microseconds"].get(name)) for name in names),
        ]
        for cell in results.cells("single")
    ]
    columns = ["d", "m", *(_name(name) for name in names)]
    caption = f"{results.section('single')['question']} Microseconds."
    return [Table(caption, columns, rows)]


def _build(results: Results) -> list[Table]:
    cells = results.cells("build")
    names = list(dict.fromkeys(name for cell in cells for name in cell["milliseconds"]))
    rows = [
        [
            str(cell["d"]),
            _width(cell["m"]),
            _name(cell["engine"]),
            *(_number(cell["milliseconds"].get(name)) for name in names),
            _number(cell.get("memory_ratio")),
        ]
        for cell in cells
    ]
    question = results.section("build")["question"]
    caption = f"{question} Milliseconds; memory as a multiple of the float64 points."
    table = Table(caption, ["d", "m", "engine", *names, "memory"], rows)
    return [table, *_absences(results, "build")]


def _slopes(results: Results) -> list[Table]:
    rows = [
        [
            str(cell["d"]),
            _name(cell["engine"]),
            str(cell["regime"]),
            _interval(cell["time_slope"]),
            _interval(cell["touched_slope"]),
            _number(cell["reporting_exponent"]),
            _number(cell["partition_tree_exponent"]),
        ]
        for cell in results.cells("slopes")
    ]
    columns = ["d", "engine", "regime", "slope of time", "slope of points touched"]
    question = results.section("slopes")["question"]
    caption = f"{question} Exponents of m with 95 % intervals over the seeds, beside the theory's."
    return [Table(caption, [*columns, "1 - 1/⌊d/2⌋", "1 - 1/d"], rows)]


def _interval(slope: Sequence[float] | None) -> str:
    if slope is None:
        return "–"
    estimate, lower, upper = slope
    return f"{estimate:.2f} [{lower:.2f}, {upper:.2f}]"


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
            _width(cell["m"]),
            _percent(cell["share"]),
            _number(cell["least_microseconds"]),
            _number(cell["microseconds"]),
            _number(cell["microseconds"] / cell["least_microseconds"]),
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
        [cell["start"], *(_number(cell["seconds"].get(name)) for name in names)] for cell in cells
    ]
    caption = f"{results.section('startup')['question']} Seconds."
    return [Table(caption, ["start", *names], rows)]


def _numpy(results: Results) -> list[Table]:
    rows = [
        [
            str(cell["d"]),
            _width(cell["m"]),
            _percent(cell["share"]),
            _number(cell["surviving"]),
            _number(0.8 / cell["surviving"]),
            _number(cell["microseconds"]["dense"] / cell["microseconds"]["cap"]),
        ]
        for cell in results.cells("numpy")
        if "cap" in cell["microseconds"] and cell["surviving"] > 0.0
    ]
    columns = ["d", "m", "active", "surviving share φ", "goal 0.8 / φ", "cap"]
    caption = "The cap prefix without compiled kernels, times as fast as dense."
    return [ratio_table(results, "numpy"), Table(caption, columns, rows)]


def _approximate(results: Results) -> list[Table]:
    rows = [
        [
            str(cell["d"]),
            _width(cell["m"]),
            _percent(cell["share"]),
            _name(method["method"]),
            _number(method["build_seconds"]),
            _number(method["microseconds"]),
            f"{method['recall']:.3f}",
            "–" if "candidates" not in method else _percent(method["candidates"]),
        ]
        for cell in results.cells("approximate")
        for method in cell["methods"]
    ]
    columns = ["d", "m", "active", "method", "build, s", "µs per query", "recall", "candidates"]
    caption = results.section("approximate")["question"]
    return [Table(caption, columns, rows), *_absences(results, "approximate")]


_LAYOUTS: Mapping[str, Callable[[Results], list[Table]]] = {
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


def section_tables(results: Results, section: str) -> list[Table]:
    """Return the tables of a section.

    Parameters
    ----------
    results : Results
        The results.
    section : str
        The section.

    Returns
    -------
    list of Table
        Its tables; a section without a layout of its own shows its rows as they are stored.

    Raises
    ------
    ValueError
        If it was not measured.
    """
    question = results.section(section)["question"]
    if section in _LAYOUTS:
        return _LAYOUTS[section](results)
    cells = results.cells(section)
    names = list(dict.fromkeys(name for cell in cells for name in cell))
    rows = [[_plain(cell.get(name)) for name in names] for cell in cells]
    return [Table(question, names, rows)]


def _plain(value: Any) -> str:
    return _number(value) if isinstance(value, float) else str(value)
