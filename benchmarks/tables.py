"""What a table is, as text for a terminal and as HTML for a page, and how its cells are written."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from benchmarks.settings import Row

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
    "query": "index query",
}
"""What competitors are called in tables, in the order of the columns."""


def _marked_up(text: str) -> str:
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

    def _texts(self) -> list[bool]:
        """Return which columns hold texts, which stand left; numbers stand right."""
        return [
            any(row[column][:1].isalpha() and row[column] not in ("yes", "no") for row in self.rows)
            for column in range(len(self.columns))
        ]

    def __repr__(self) -> str:
        """Return the table as text."""
        lines = [self.columns, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        signs = ["<" if text else ">" for text in self._texts()]
        text = [
            "  ".join(f"{cell:{s}{w}}" for cell, s, w in zip(line, signs, widths, strict=True))
            for line in lines
        ]
        return "\n".join([self.caption, *map(str.rstrip, text)])

    def _repr_html_(self) -> str:
        looks = []
        for column, text in enumerate(self._texts()):
            longest = max((len(row[column]) for row in self.rows), default=0)
            room = 24 if longest > 120 else 12 if longest > 40 else 0
            width = f"; min-width: {room}rem" if room else ""
            look = f' style="text-align: left; white-space: normal{width}"'
            looks.append(look if text else "")  # numbers never break

        def line(kind: str, cells: Sequence[str]) -> str:
            end = kind.partition(" ")[0]
            parts = zip(cells, looks, strict=True)
            return "".join(f"<{kind}{look}>{_marked_up(cell)}</{end}>" for cell, look in parts)

        head = line('th scope="col"', self.columns)
        body = "\n".join(f"<tr>{line('td', row)}</tr>" for row in self.rows)
        # the sentence stays in sight while the table scrolls; the theme puts anything but a table
        # of class dataframe on a light ground, also where the page is dark
        return (
            f"<p>{_marked_up(self.caption)}</p>\n"
            '<div role="region" tabindex="0" '
            f'aria-label="{html.escape(self.caption)}" style="overflow-x: auto">\n'
            '<table class="table dataframe" '
            'style="width: auto; text-align: right; white-space: nowrap">\n'
            f'<thead style="white-space: normal"><tr>{head}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody>\n</table>\n</div>"
        )


def count_text(number: int) -> str:
    """Write a count with spaces between groups of three digits."""
    return f"{number:,}".replace(",", " ")


def number_text(value: float | None) -> str:
    """Return a number as it stands in a table."""
    if value is None:
        return "–"
    if value == 0.0:
        return "0"
    text = f"{value:.3g}"
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


def interval_text(slope: Sequence[float]) -> str:
    """Return an estimate with its interval."""
    estimate, lower, upper = slope
    return f"{estimate:.2f} [{lower:.2f}, {upper:.2f}]"


Column: TypeAlias = Callable[[Row], str]


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
