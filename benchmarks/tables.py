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
from typing import Any, TypeAlias

from benchmarks.judging import SOURCE, judge, reason_for
from benchmarks.results import Results
from benchmarks.settings import Row
from benchmarks.targets import Verdict

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
    "alive": "dense, can fire",
    "dense_rows": "dense, rows added",
    "dense_float64": "dense, float64",
    "literal": "Algorithm 1, literal",
    "aggregates": "aggregates",
    "query": "index query",
}
"""What competitors are called in tables, in the order of the columns."""


def _marked_up(text: str) -> str:
    """Return a text as HTML, with powers set as such."""
    return re.sub(r"(\w)\^(\d+)", r"\1<sup>\2</sup>", html.escape(text))


@dataclass(frozen=True)
class Table:
    """A table that shows itself as text or as HTML.

    - ``caption``: What it holds, one sentence.
    - ``columns``: The heads.
    - ``rows``: The cells; each row has as many as there are heads.

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

    def _look(self, column: int) -> str:
        """Return how cells of a column differ from numbers, which stand right and never break."""
        if not self._to_the_left(column):
            return ""
        longest = max((len(row[column]) for row in self.rows), default=0)
        room = (
            "; min-width: 24rem" if longest > 120 else "; min-width: 12rem" if longest > 40 else ""
        )
        return f' style="text-align: left; white-space: normal{room}"'

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
        looks = [self._look(column) for column in range(len(self.columns))]
        head = "".join(
            f'<th scope="col"{look}>{_marked_up(name)}</th>'
            for name, look in zip(self.columns, looks, strict=True)
        )
        body = "\n".join(
            "<tr>"
            + "".join(
                f"<td{look}>{_marked_up(cell)}</td>" for cell, look in zip(row, looks, strict=True)
            )
            + "</tr>"
            for row in self.rows
        )
        # the sentence stays in sight while the table scrolls; the theme puts anything but a table
        # of class dataframe on a light ground, also where the page is dark
        return (
            f"<p>{_marked_up(self.caption)}</p>\n"
            f'<div role="region" tabindex="0" aria-label="{caption}" style="overflow-x: auto">\n'
            '<table class="table dataframe" '
            'style="width: auto; text-align: right; white-space: nowrap">\n'
            f'<thead style="white-space: normal"><tr>{head}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody>\n</table>\n</div>"
        )


def count_text(number: int) -> str:
    """Write a count with spaces between groups of three digits."""
    return f"{number:,}".replace(",", " ")


def number_text(value: float | None, digits: int = 3) -> str:
    """Return a number as it stands in a table."""
    if value is None:
        return "–"
    if value == 0.0:
        return "0"
    text = f"{value:.{digits}g}"
    return f"{float(text):.0f}" if "e" in text and abs(value) >= 1.0 else text


def milliseconds_text(microseconds: float) -> str:
    """Return a time that is stored in microseconds."""
    return number_text(microseconds / 1e3)


def name_of(competitor: str) -> str:
    """Return what a competitor is called in tables."""
    return NAMES.get(competitor, competitor)


def method_text(method: str) -> str:
    """Return what a method with a setting is called; lines break before the setting only."""
    name, comma, setting = name_of(method).partition(", ")
    fixed = setting.replace(" ", "\N{NO-BREAK SPACE}") if "=" in setting else setting
    return f"{name}{comma}{fixed}"


def _place(competitor: str) -> tuple[int, str]:
    """Return what puts competitors in the order of their names' list, unknown ones last."""
    known = list(NAMES)
    return (known.index(competitor) if competitor in known else len(known), competitor)


def width_text(m: int) -> str:
    """Return a width as a power of two, if it is one."""
    return f"2^{m.bit_length() - 1}" if m & (m - 1) == 0 else str(m)


def percent_text(share: float) -> str:
    """Return a share in per cent."""
    return f"{100 * share:.3g} %"


def recall_text(recall: float) -> str:
    """Return a recall in per cent, 100 only where nothing was missed."""
    if recall == 1.0:
        return "100 %"
    digits = next((k for k in range(1, 6) if round(100.0 * recall, k) < 100.0), 6)
    return f"{100.0 * recall:.{digits}f} %"


def interval_text(slope: Sequence[float] | None) -> str:
    """Return an estimate with its interval."""
    if slope is None:
        return "–"
    estimate, lower, upper = slope
    return f"{estimate:.2f} [{lower:.2f}, {upper:.2f}]"


Column: TypeAlias = Callable[[Row], str]
"""What a column says of a cell of the grid."""


def column(write: Callable[[Any], str], *path: str) -> Column:
    """Return a column of what lies at a path in each cell; a dash where nothing does."""

    def text(cell: Row) -> str:
        found: Any = cell
        for name in path:
            found = found.get(name)
            if found is None:
                return "–"
        return write(found)

    return text


GRID = {"d": column(str, "d"), "m": column(width_text, "m")}
ACTIVE = {"active": column(percent_text, "share")}


def ratio_columns(baseline: str, head: str, names: Iterable[str]) -> dict[str, Column]:
    """Return the time of a baseline, milliseconds or microseconds, and how many times as fast."""

    def ratio(name: str) -> Column:
        def text(cell: Row) -> str:
            times = cell["microseconds"]
            there = baseline in times and name in times
            return number_text(times[baseline] / times[name]) if there else "–"

        return text

    unit = milliseconds_text if head.endswith("ms") else number_text
    others = {name_of(name): ratio(name) for name in names}
    return {head: column(unit, "microseconds", baseline), **others}


def table_of(caption: str, cells: Iterable[Row], columns: Mapping[str, Column]) -> Table:
    """Lay out one row for each cell."""
    rows = [[text(cell) for text in columns.values()] for cell in cells]
    return Table(caption, list(columns), rows)


def dates_table(results: Results) -> Table:
    """Return when every section was measured, and on which machine."""
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
    # names differ between all tables of a page, for readers who hear them
    return Table(f"What was measured of {results.benchmark}, and when.", columns, rows)


def machine_table(results: Results) -> Table:
    """Return the machines and versions that the sections were measured with."""
    machines = _machines(results)
    names = list(dict.fromkeys(name for machine in machines for name in machine))
    rows = [[name, *(machine.get(name, "–") for machine in machines)] for name in names]
    columns = ["what", *(f"machine {number + 1}" for number in range(len(machines)))]
    return Table(f"Machine and versions, {results.benchmark}.", columns, rows)


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
    """Return how many times as fast as the baseline every competitor is, one row for each cell."""
    stored = results.section(section)
    baseline = stored["baseline"]
    if not baseline:
        raise ValueError(f"section must time competitors, got {section!r}")
    cells = [row for row in results.cells(section) if share is None or row["share"] == share]
    if competitors is None:
        parts = ("microseconds", "absent")
        named = {name for row in cells for part in parts for name in row.get(part, {})}
        competitors = sorted(named - {baseline}, key=_place)
    columns = {**GRID, **({} if share else ACTIVE)}
    columns |= ratio_columns(baseline, f"{name_of(baseline)}, µs", competitors)
    caption = f"{stored['question']} Times as fast as {name_of(baseline)}."
    if share is not None:
        caption = f"{percent_text(share)} active: times as fast as {name_of(baseline)}."
    return table_of(caption, cells, columns)


def ratio_curves(
    results: Results, competitor: str = "auto", *, m: int | None = None
) -> tuple[tuple[int, ...], dict[str, list[float]]]:
    """Return how many times as fast as dense a competitor reports, against the dimension.

    Examples
    --------
    The figure of them is ``figures.speedup_by_dimension(dimensions, curves, name="speed")``.
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
        f"{percent_text(share)} active": [here[d, share]["ratio"] for d in dimensions]
        for share in sorted({share for _, share in here})
    }
    return dimensions, curves


def target_table(results: Results, *, measured: bool = False) -> Table:
    """Return the goals beside what was measured."""
    verdicts = [each for each in judge(results) if each.reached is not None or not measured]
    reached = sum(each.reached is True for each in verdicts)
    rows = [[*_goal(each), _answer(each)] for each in verdicts]
    caption = f"{reached} of {len(verdicts)} goals reached. {SOURCE}"
    return Table(caption, ["goal", "wanted", "measured", "reached"], rows)


def missed_table(results: Results, reasons: Mapping[str, str]) -> Table:
    """Return the goals that are not reached, with the reasons."""
    missed = [each for each in judge(results) if each.reached is False]
    whys = [reason_for(each, reasons) or "not known" for each in missed]
    rows = [
        [*_goal(each), "as above" if number and why == whys[number - 1] else why]
        for number, (each, why) in enumerate(zip(missed, whys, strict=True))
    ]
    caption = f"Goals not reached, {results.benchmark}."
    return Table(caption, ["goal", "wanted", "measured", "why"], rows)


def _goal(verdict: Verdict) -> list[str]:
    sign = "≤" if verdict.target.at_most else "≥"
    wanted, measured = number_text(verdict.wanted), number_text(verdict.measured)
    return [verdict.target.text, f"{sign} {wanted}", measured]


def _answer(verdict: Verdict) -> str:
    if verdict.reached is None:
        return "not measured"
    return "yes" if verdict.reached else "no"


def absences(results: Results, section: str) -> list[Table]:
    """Return who is absent where, and why."""
    places: dict[tuple[str, str], list[str]] = {}
    for cell in results.cells(section):
        place = f"d = {cell['d']}, m = {width_text(cell['m'])}{_share(cell)}"
        for name, reason in cell.get("absent", {}).items():
            # cells differ by what was estimated, not by why
            places.setdefault((name, reason.partition(", estimated")[0]), []).append(place)
    rows = [
        [name_of(name), reason, str(len(where)), where[0] + (", ..." if len(where) > 1 else "")]
        for (name, reason), where in places.items()
    ]
    columns = ["competitor", "reason", "cells", "where"]
    return [Table(f"Who is absent from '{section}', and why.", columns, rows)] if rows else []


def _share(cell: Row) -> str:
    return f", {percent_text(cell['share'])}" if "share" in cell else ""
