"""Pictures of exponents: what is printed and what follows, and what a check has found.

Every row is one exponent of the width m: the printed value as a ring, the value that follows or was
measured as a dot, with a bar where it has an interval.  The numbers come from the exact chains of
`sublinear_lib.theory` and from the observations of a check; nothing is computed here.  Before
changing it, know that the labels are whole sentences of a check and are broken into lines, so that
the height of the figure follows from them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from matplotlib.axes import Axes

from sublinear_lib.plotting.checks import few
from sublinear_lib.plotting.formats import fifths, fraction, number
from sublinear_lib.plotting.palette import FAINT, LIGHT, Role
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import figure, house_style, note, panel, set_scale
from sublinear_lib.statistics import Interval
from sublinear_lib.validation import scalar

__all__ = ["ExponentRow", "exponents_picture"]

_MOST_ROWS = 14
_LETTERS = 62
_LINE = 14.0
_MARKS = 24.0
_WIDE = 420.0


@dataclass(frozen=True)
class ExponentRow:
    """One row of `exponents_picture`.

    Attributes
    ----------
    label : str
        What the exponent belongs to, in the house markup.
    found : Fraction, int, float or Interval
        What follows, or what was measured.
    printed : Fraction or int, optional
        What is printed.
    agrees : bool
        Whether `found` is as it should be; it decides the color.
    remark : str, optional
        A second text, such as what was asked for.
    """

    label: str
    found: Fraction | int | float | Interval
    printed: Fraction | int | None = None
    agrees: bool = True
    remark: str = ""


def exponents_picture(
    rows: Sequence[ExponentRow],
    *,
    key: tuple[str, str] = ("as it should be", "not so"),
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw exponents of m, one row for each: printed as a ring, found as a dot.

    Parameters
    ----------
    rows : sequence of ExponentRow
        One to fourteen rows.
    key : tuple of str and str
        What the color of a row that agrees and of one that does not is called.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The rows below each other on one axis.

    Raises
    ------
    TypeError, ValueError
        If there are no rows or more than fourteen, one is no `ExponentRow`, or an exponent or an
        end of an interval is not finite.
    """
    few(rows, "rows", _MOST_ROWS, "rows")
    for row in rows:
        if not isinstance(row, ExponentRow):
            raise TypeError(f"rows must hold ExponentRow, got {type(row).__name__}")
    told = [_lines(row) for row in rows]
    heights = [_LINE * len(lines) + _MARKS for lines in told]
    ends = [scalar(value, f"rows[{k}]") for k, row in enumerate(rows) for value in _ends(row)]
    room = 0.13 * (max(ends) - min(ends) + 0.2)
    low, high = min(ends) - room, max(ends) + room
    top, bottom = 30.0, 46.0
    fig = figure(_WIDE, sum(heights) + top + bottom)
    with house_style():
        axes = panel(fig, left=14, right=14, top=top, bottom=bottom, xlabel="exponent of *m*")
        marks = [k / 5 for k in range(-15, 16) if low <= k / 5 <= high]
        set_scale(axes, "x", low, high, values=marks, label=fifths)
        axes.set_ylim(sum(heights), 0.0)
        axes.set_yticks([])
        if low < 0.0 < high:
            axes.axvline(0.0, color=LIGHT["muted"], linewidth=1.0)
        _legend(axes, rows, key)
        start = 0.0
        for row, lines, height in zip(rows, told, heights, strict=True):
            for place, (line, role) in enumerate(lines):
                note(axes, low, start + _LINE * (place + 0.6), line, role=role, size=11.0, dx=2)
            _draw(axes, row, start + height - 0.55 * _MARKS)
            start += height
    if alt is None:
        said = "; ".join(_said(row, key) for row in rows)
        alt = f"Exponents of the width m, one row for each. {said}."
    return Picture(fig, alt=alt, caption=caption, name=name)


def _lines(row: ExponentRow) -> list[tuple[str, Role]]:
    """Break the two texts of a row into lines."""
    label: list[tuple[str, Role]] = [(line, "ink") for line in textwrap.wrap(row.label, _LETTERS)]
    return label + [(line, "muted") for line in textwrap.wrap(row.remark, _LETTERS)]


def _ends(row: ExponentRow) -> list[float]:
    printed = [] if row.printed is None else [float(row.printed)]
    if isinstance(row.found, Interval):
        return [row.found.lower, row.found.upper, *printed]
    return [float(row.found), *printed]


def _legend(axes: Axes, rows: Sequence[ExponentRow], key: tuple[str, str]) -> None:
    entries: list[tuple[str, Role]] = []
    if any(row.printed is not None for row in rows):
        entries.append(("○ printed", "ink"))
    if any(row.agrees for row in rows):
        entries.append((f"● {key[0]}", "c1"))
    if not all(row.agrees for row in rows):
        entries.append((f"● {key[1]}", "c2"))
    for place, (text, role) in enumerate(entries):
        note(
            axes,
            place / 3,
            1.0,
            text,
            role=role,
            coordinates="axes fraction",
            dy=14,
            weight="bold",
            size=11.5,
        )


def _draw(axes: Axes, row: ExponentRow, y: float) -> None:
    role: Role = "c1" if row.agrees else "c2"
    color = LIGHT[role]
    if isinstance(row.found, Interval):
        middle, left, right = row.found.estimate, row.found.lower, row.found.upper
        axes.plot([left, right], [y, y], color=color, linewidth=3.0, alpha=FAINT)
    else:
        middle = left = right = float(row.found)
    if row.printed is not None:
        printed = float(row.printed)
        axes.plot([printed, middle], [y, y], color=color, linewidth=1.5, alpha=FAINT)
        axes.plot(
            printed,
            y,
            marker="o",
            markersize=8,
            markerfacecolor=LIGHT["paper"],
            markeredgecolor=LIGHT["ink"],
            markeredgewidth=1.5,
        )
        before = printed < middle
        side = -9 if before else 9
        note(axes, printed, y, _shown(row.printed), dx=side, ha="right" if before else "left")
    axes.plot(middle, y, marker="o", markersize=8, color=color)
    outside = row.printed is None or float(row.printed) <= middle
    note(
        axes,
        right if outside else left,
        y,
        _shown(row.found),
        role=role,
        dx=9 if outside else -9,
        ha="left" if outside else "right",
        weight="bold",
    )


def _said(row: ExponentRow, key: tuple[str, str]) -> str:
    printed = "" if row.printed is None else f"printed {row.printed}, "
    found = str(row.found) if not isinstance(row.found, float) else number(row.found)
    remark = f" ({to_plain(row.remark)})" if row.remark else ""
    return f"{to_plain(row.label)}{remark}: {printed}found {found}, {key[0 if row.agrees else 1]}"


def _shown(value: Fraction | int | float | Interval) -> str:
    if isinstance(value, Interval):
        value = value.estimate
    return number(value) if isinstance(value, float) else fraction(value)
