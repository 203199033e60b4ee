"""Pictures of convergence: the loss beside its linear stand-in, and the bill of Theorem D.

The left side of Theorem D is one measured number and its right side a sum of named terms, so a run
is drawn as a stacked bar with marks for what was measured.  The numbers come from
`sublinear_lib.theory.regret`; nothing is computed here.  Before changing the bars, know that the
mark of the average must never lie beyond the end of its bar: a caller that hands over such a row
has refuted the theorem, and the picture refuses to draw it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.checks import ascending, few, nonnegative
from sublinear_lib.plotting.formats import Numbers, number
from sublinear_lib.plotting.palette import LIGHT, SERIES, Role, roles_of
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import (
    EndLabel,
    figure,
    house_style,
    label_line_ends,
    legend_places,
    note,
    panel,
    panel_title,
    set_scale,
)
from sublinear_lib.validation import float_array, scalar

__all__ = ["convergence_picture", "regret_bars", "surrogate_picture"]

_LETTER = 6.1
_ROW = 46.0


def surrogate_picture(
    along: Numbers,
    losses: Mapping[str, Numbers],
    steps: Numbers,
    course: Mapping[str, Numbers],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw losses along a line from W_0 to W*, and the course of a run towards W*.

    Parameters
    ----------
    along : array-like, shape (k,)
        Positions s on the line ``W_0 + s (W* - W_0)``, ascending, ``k >= 2``; 0 and 1 among those
        covered.
    losses : mapping of str to array-like, shape (k,)
        Losses there, ``>= 0``, by their labels in the house markup; one or two.
    steps : array-like, shape (j,)
        Numbers of steps, ascending, ``j >= 2``.
    course : mapping of str to array-like, shape (j,)
        Curves over the steps, each as a share of its first value, ``>= 0``, by their labels; one to
        three.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The two panels.

    Raises
    ------
    ValueError
        If shapes do not match, abscissae do not ascend or do not cover 0 and 1, a value is
        negative, or there are too many curves.

    Notes
    -----
    Source: steps 1, 2 and 4 of the proof of Theorem D.
    """
    s = ascending(along, "along")
    if s[0] > 0.0 or s[-1] < 1.0:
        raise ValueError(f"along must cover 0 and 1, got {float(s[0])} to {float(s[-1])}")
    t = ascending(steps, "steps")
    left = _curves(losses, "losses", s.size, 2)
    right = _curves(course, "course", t.size, 3)
    with house_style():
        figures = [
            _lines(
                s,
                left,
                SERIES[:2],
                "place *s* on the line from *W*_{0} to *W**",
                "loss",
                values=[0.0, 0.5, 1.0, *([1.5] if s[-1] >= 1.5 else [])],
            ).figure,
            _lines(
                t, right, (SERIES[2], SERIES[0], SERIES[3]), "step", "share of its first value"
            ).figure,
        ]
    if alt is None:
        at_ends = [int(np.argmin(np.abs(s - end))) for end in (0.0, 1.0)]
        first = "; ".join(
            f"{to_plain(label)} {number(float(v[at_ends[0]]))} at W_0, "
            f"{number(round(float(v[at_ends[1]]), 12))} at the end, turning {_turns(v)} times"
            for label, v in left.items()
        )
        second = "; ".join(
            f"{to_plain(label)} from {number(float(v[0]))} to {number(float(v[-1]))}, "
            f"smallest {number(float(v.min()))}"
            for label, v in right.items()
        )
        alt = (
            f"Two panels. Losses along the line from W_0 to the comparison weights: {first}. "
            f"Over {number(float(t[-1]))} steps: {second}."
        )
    return Picture(figures, alt=alt, caption=caption, name=name)  # type: ignore[arg-type]


def convergence_picture(
    runs: Mapping[str, Numbers],
    exponents: Numbers,
    promise: Numbers,
    *,
    start: float = 1.0,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw how the loss of runs falls, and what a proof can promise at much larger widths.

    Parameters
    ----------
    runs : mapping of str to array-like, shape (T,)
        Losses of each run over its steps, ``> 0``, by its label in the house markup; one to four.
    exponents : array-like, shape (k,)
        Logarithms of the width to base 2, ascending, ``k >= 2``.
    promise : array-like, shape (k,)
        The promised average loss there, ``> 0``.
    start : float, default 1.0
        The loss of the untrained network to which the promise is compared, ``> 0``.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The two panels; a ring marks the first width from which on the promise is below `start`.

    Raises
    ------
    ValueError
        If there are too many runs, exponents do not ascend, shapes do not match, or a number is
        not positive.

    Notes
    -----
    Source: Theorem D.
    """
    few(runs, "runs", 4, "runs")
    courses = {
        label: float_array(values, f"runs[{label!r}]", shape=(None,))
        for label, values in runs.items()
    }
    k = ascending(exponents, "exponents")
    total = float_array(promise, "promise", shape=k.shape)
    level = scalar(start, "start", exclusive_minimum=0.0)
    if min(float(total.min()), *(float(v.min()) for v in courses.values())) <= 0.0:
        raise ValueError("losses and promises must be > 0 on a logarithmic axis")
    above = np.flatnonzero(total >= level)
    first = int(above[-1]) + 1 if above.size else 0
    with house_style():
        left = panel(figure(310, 250), left=44, right=84, top=44, xlabel="step", ylabel="loss")
        lowest = 0.8 * min(float(v.min()) for v in courses.values())
        highest = 1.2 * max(float(v.max()) for v in courses.values())
        set_scale(left, "x", 0.0, max(v.size for v in courses.values()) - 1.0, target=4)
        set_scale(left, "y", lowest, max(highest, 1.0), scale="log10")
        panel_title(left, "Training", left=40, rise=42)
        ends = []
        for role, (label, values) in zip(roles_of(courses), courses.items(), strict=True):
            left.plot(values, color=LIGHT[role], linewidth=1.8, clip_on=False)
            ends.append(EndLabel(float(values[-1]), label, role))
        label_line_ends(left, ends)
        right = panel(
            figure(310, 250),
            left=44,
            right=18,
            top=44,
            xlabel="width *m*",
            ylabel="promised average loss",
        )
        marks = [v for v in range(0, 400, 40) if k[0] <= v <= k[-1]]
        set_scale(
            right,
            "x",
            float(k[0]),
            float(k[-1]),
            values=marks,
            label=lambda power: f"2^{{{power:g}}}",
        )
        set_scale(
            right,
            "y",
            min(0.5 * level, 0.8 * float(total.min())),
            1.5 * float(total.max()),
            scale="log10",
        )
        panel_title(right, "Its proof", left=40, rise=42)
        right.plot(k, total, color=LIGHT["c2"], linewidth=1.8)
        right.axhline(level, color=LIGHT["muted"], linewidth=1.4, linestyle=(0, (4, 3)))
        note(right, float(k[0]), level, "untrained network", role="muted", dx=6, dy=-11)
        said = f"It is never below {number(level)}."
        if first < k.size:
            right.plot(
                k[first],
                total[first],
                marker="o",
                markersize=8,
                markerfacecolor="none",
                markeredgewidth=1.8,
                color=LIGHT["c2"],
            )
            words = f"2^{{{k[first]:g}}}"
            note(right, float(k[first]), float(total[first]), words, role="c2", dy=16, ha="center")
            said = f"It is below {number(level)} from 2^{k[first]:g} on."
    if alt is None:
        parts = [
            f"{to_plain(label)} from {number(float(v[0]))} to {number(float(v[-1]))}"
            for label, v in courses.items()
        ]
        alt = (
            f"Two panels. Loss over the steps of training: {'; '.join(parts)}. Average loss that "
            f"the proof promises, from {number(float(total[0]))} at m = 2^{k[0]:g} to "
            f"{number(float(total[-1]))} at 2^{k[-1]:g}, largest {number(float(total.max()))}. "
            f"{said}"
        )
    return Picture([left.figure, right.figure], alt=alt, caption=caption, name=name)  # type: ignore[list-item]


def _turns(values: FloatArray) -> int:
    signs = np.sign(np.diff(values))
    signs = signs[signs != 0]
    return int(np.count_nonzero(signs[1:] != signs[:-1]))


def _curves(
    given: Mapping[str, Numbers], name: str, size: int, largest: int
) -> dict[str, FloatArray]:
    few(given, name, largest, "curves")
    return {
        label: nonnegative(values, f"{name}[{label!r}]", (size,)) for label, values in given.items()
    }


def _lines(
    x: FloatArray,
    curves: Mapping[str, FloatArray],
    roles: Sequence[Role],
    xlabel: str,
    ylabel: str,
    values: Sequence[float] | None = None,
) -> Axes:
    fig = figure(310, 260)
    axes = panel(fig, left=40, right=84, xlabel=xlabel, ylabel=ylabel)
    high = 1.08 * max(float(v.max()) for v in curves.values()) or 1.0
    set_scale(axes, "x", float(x[0]), float(x[-1]), target=4, values=values)
    set_scale(axes, "y", 0.0, high, target=4)
    ends = []
    for role, (label, drawn) in zip(roles, curves.items(), strict=False):
        axes.plot(x, drawn, color=LIGHT[role], linewidth=1.8, clip_on=False)
        ends.append(EndLabel(float(drawn[-1]), label, role))
    label_line_ends(axes, ends)
    return axes


def regret_bars(
    panels: Mapping[str, Mapping[str, tuple[Mapping[str, float], float, float]]],
    *,
    marks: tuple[str, str] = ("average of the run", "loss at the start"),
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw the bounds of several runs as stacked bars, with what was measured marked on them.

    Parameters
    ----------
    panels : mapping of str to mapping of str to (terms, average, start)
        For each panel, by its title in the house markup: its runs by their labels.  A run is a
        mapping of the names of the terms to numbers ``>= 0``, the same two to five names for every
        run, the measured average, at most the sum of the terms, and the loss at the start.  Each
        panel has a scale of its own; one to three panels, one to six runs each.
    marks : pair of str
        What the two marks are: a full line (average) and a broken one (start).
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The panels, side by side or one below the other.

    Raises
    ------
    ValueError
        If there are too many panels, runs or terms, names differ, a number is negative, or an
        average exceeds the sum of its terms.

    Notes
    -----
    Source: Theorem D.
    """
    few(panels, "panels", 3, "panels")
    names: list[str] = []
    checked: dict[str, dict[str, tuple[FloatArray, float, float]]] = {}
    for title, runs in panels.items():
        few(runs, f"panels[{title!r}]", 6, "runs")
        checked[title] = {}
        for label, (terms, average, start) in runs.items():
            where = f"panels[{title!r}][{label!r}]"
            names = names or list(terms)
            if list(terms) != names or not 2 <= len(names) <= len(SERIES):
                raise ValueError(
                    f"{where} must have the two to {len(SERIES)} terms {names}, got {list(terms)}"
                )
            values = float_array(list(terms.values()), where, shape=(None,))
            if (values < 0).any():
                raise ValueError(f"{where} must have terms >= 0, got {float(values.min())!r}")
            mean = scalar(average, f"{where} average", minimum=0.0)
            if mean > float(values.sum()) * (1.0 + 1e-9):
                raise ValueError(
                    f"{where} has an average of {mean!r} beyond its bound {float(values.sum())!r}"
                )
            checked[title][label] = (values, mean, scalar(start, f"{where} start", minimum=0.0))
    figures = []
    with house_style():
        for title, rows in checked.items():
            figures.append(_bars(title, rows, names, marks).figure)
    if alt is None:
        said = []
        for title, rows in checked.items():
            for label, (values, mean, start) in rows.items():
                inside = ", ".join(
                    f"{to_plain(term)} {number(float(v))}"
                    for term, v in zip(names, values, strict=True)
                )
                said.append(
                    f"{to_plain(title)}, {to_plain(label)}: {inside}; in all "
                    f"{number(float(values.sum()))}; {to_plain(marks[0])} {number(mean)}, "
                    f"{to_plain(marks[1])} {number(start)}"
                )
        alt = f"Stacked bars of a bound, run by run. {'. '.join(said)}."
    return Picture(figures, alt=alt, caption=caption, name=name)  # type: ignore[arg-type]


def _bars(
    title: str,
    rows: Mapping[str, tuple[FloatArray, float, float]],
    names: Sequence[str],
    marks: tuple[str, str],
) -> Axes:
    width = 330.0
    inner = width - 20.0
    places = legend_places(names, inner, swatch=14.0, letter=_LETTER, gap=14.0)
    head = 30.0 + 20.0 * (places[-1][1] + 1) + 26.0
    height = head + _ROW * len(rows) + 4.0
    fig = figure(width, height)
    axes = panel(fig, left=10, right=10, top=0, bottom=0, frame=False)
    axes.set_xlim(0, inner)
    axes.set_ylim(height, 0)  # one unit is one pixel, from the top
    note(axes, 0, 13, title, weight="bold")
    for role, label, (x, line) in zip(SERIES, names, places, strict=False):
        axes.barh(36.0 + 20.0 * line, 10, left=x, height=10, color=LIGHT[role])
        note(axes, x + 14, 36.0 + 20.0 * line, label, role=role, size=11)
    y = 36.0 + 20.0 * (places[-1][1] + 1)
    second = 24.0 + _LETTER * len(to_plain(marks[0])) + 16.0
    for x, label, broken in ((0.0, marks[0], False), (second, marks[1], True)):
        _mark(axes, x + 5, (y - 7, y + 7), 2.0, broken=broken)
        note(axes, x + 14, y, label, size=11)
    largest = max(max(float(values.sum()), start) for values, _, start in rows.values())
    scale = (inner - 44.0) / (largest or 1.0)
    for place, (label, (values, mean, start)) in enumerate(rows.items()):
        top, left = head + _ROW * place, 0.0
        note(axes, 0, top + 8, label, size=11.5)
        for role, value in zip(SERIES, values.tolist(), strict=False):
            length = value * scale
            if length > 0.0:
                drawn = length - 1.0 if length > 3.0 else length
                axes.barh(top + 18, drawn, left=left, height=16, align="edge", color=LIGHT[role])
            left += length
        # A mark beyond the end of the bar must not cross the number.
        beyond = start * scale if left - 4.0 < start * scale < left + 44.0 else left
        note(axes, beyond, top + 26, number(float(values.sum())), dx=6, weight="bold")
        for x, broken in ((mean, False), (start, True)):
            stretch = (top + 16.0, top + 38.0)
            _mark(axes, x * scale, stretch, 4.5, role="paper")
            _mark(axes, x * scale, stretch, 2.0, broken=broken)
    return axes


def _mark(
    axes: Axes,
    x: float,
    stretch: tuple[float, float],
    thick: float,
    *,
    role: Role = "ink",
    broken: bool = False,
) -> None:
    axes.vlines(
        x,
        *stretch,
        color=LIGHT[role],
        linewidth=thick,
        linestyles=(0, (2, 2)) if broken else "solid",
    )
