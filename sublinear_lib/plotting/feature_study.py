"""Pictures of the study of features: rates, digits, variants.

Every run is a dot and a mean is a line, so that a reader sees how far seeds differ.  A robust error
is always a pair: what attacks reach, a lower bound, and what is not certified, an upper one; what
lies between is shaded.  The numbers come from the stored study or from a run of one's own; nothing
is computed here but means and where something is drawn.  Before changing them, know that equal
abscissae mean runs of one kind.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.checks import few, shares
from sublinear_lib.plotting.formats import Numbers, course, number, percent
from sublinear_lib.plotting.palette import FAINT, LIGHT, SERIES, Role
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import (
    EndLabel,
    figure,
    house_style,
    label_line_ends,
    note,
    panel,
    panel_title,
    set_scale,
)
from sublinear_lib.validation import float_array

__all__ = [
    "digit_errors_picture",
    "rates_picture",
    "variants_picture",
]

_MOST_PANELS = 4
_MOST_ROWS = 20
_HEADINGS: tuple[tuple[tuple[str, Role], ...], ...] = (
    (("classes that", "c1"), ("lean on *u*", "c1")),
    (("error: attacked,", "c4"), ("not certified", "ink")),
)


def _gaps(values: Any, name: str, shape: tuple[int, ...]) -> FloatArray:
    """Return numbers in which None, NaN and infinity stand for "none", as NaN."""
    flat = np.array(
        [math.nan if each is None else each for each in np.asarray(values, dtype=object).flat],
        dtype=np.float64,
    )
    found = flat.reshape(np.shape(np.asarray(values, dtype=object)))
    if found.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {found.shape}")
    found[np.isinf(found)] = math.nan
    if (found < 0).any():
        raise ValueError(f"{name} must be >= 0, got {float(np.nanmin(found))!r}")
    return found


def _kinds(x: FloatArray, name: str) -> FloatArray:
    kinds = np.unique(x)
    if kinds.size < 2:
        raise ValueError(f"{name} must hold at least two different values, got {kinds.tolist()}")
    return kinds


def _mean(x: FloatArray, kinds: FloatArray, values: FloatArray) -> FloatArray:
    return np.array([values[x == kind].mean() for kind in kinds])


def _fan(places: FloatArray, width: float) -> FloatArray:
    """Set equal places apart, evenly and in their order, within a width around each."""
    moved = places.copy()
    for kind in np.unique(places):
        own = np.flatnonzero(places == kind)
        if own.size > 1:
            moved[own] = kind + width * (np.arange(own.size) / (own.size - 1) - 0.5)
    return moved


def _dots(axes: Axes, x: FloatArray, y: FloatArray, role: Role, size: float = 3.4) -> None:
    axes.plot(
        x,
        y,
        linestyle="none",
        marker="o",
        markersize=size,
        color=LIGHT[role],
        alpha=FAINT,
        markeredgewidth=0,
        clip_on=False,
        zorder=3,
    )


def rates_picture(
    rate: Numbers,
    plateau: Numbers,
    formula: Sequence[float | None] | FloatArray,
    crossing: Sequence[Sequence[float | None]] | FloatArray,
    *,
    lower: Sequence[Sequence[float | None]] | FloatArray | None = None,
    upper: Sequence[Sequence[float | None]] | FloatArray | None = None,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    r"""Draw the plateau of v and the time of the phase transition against the rate eta~.

    Parameters
    ----------
    rate : array-like, shape (n,)
        The rate of the training adversary in each run, ``> 0``; equal ones are runs of one kind.
    plateau : array-like, shape (n,)
        Where v stood still, ``> 0``.
    formula : array-like, shape (n,)
        Where the formula puts it, ``> 0``; None, NaN or infinity where it says that there is no
        plateau.
    crossing : array-like, shape (n, k)
        When u took the lead in each class; None, NaN or infinity for never.  A time of 0 has no
        place on the axis and counts as never.
    lower, upper : array-like, shape (n, k), optional
        Predicted times without any damping by the adversary and with all of it, see
        `sublinear_lib.features.transition_bracket`, with positive means; both or none, None, NaN
        or infinity where there are none.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        Two panels with logarithmic axes: plateaus with the formula, times with the means of
        `lower` and `upper` as a shaded range.

    Raises
    ------
    ValueError
        If shapes do not match, there are fewer than two rates, a number is not positive where it
        must be, or only one of `lower` and `upper` is given.
    """
    x = float_array(rate, "rate", shape=(None,))
    level = float_array(plateau, "plateau", shape=x.shape)
    for each, what in ((x, "rate"), (level, "plateau")):
        if (each <= 0).any():
            raise ValueError(f"{what} must be > 0, got {float(each.min())!r}")
    kinds = _kinds(x, "rate")
    theory = _gaps(formula, "formula", x.shape)
    if (theory == 0).any():
        raise ValueError("formula must be > 0, got 0.0")
    columns = np.asarray(crossing, dtype=object)
    if columns.ndim != 2 or len(columns) != len(x):
        raise ValueError(f"crossing must have shape ({len(x)}, k), got {columns.shape}")
    times = _gaps(crossing, "crossing", columns.shape)
    if (lower is None) != (upper is None):
        raise ValueError("lower and upper must be given both or not at all")
    edges = float(kinds[0]) / 1.4, float(kinds[-1]) * 1.4

    fig = figure(300, 270)
    with house_style():
        axes = _rates_axes(fig, edges, "level of *v*", "Where *v* stops")
        means = _mean(x, kinds, level)
        line = np.array([theory[x == kind].mean() for kind in kinds])
        top = float(np.nanmax([*level, *line]))
        set_scale(
            axes, "y", float(np.nanmin([*level, *line])) / 1.3, top * 1.3, scale="log10", target=5
        )
        axes.plot(kinds, means, color=LIGHT["c1"], linewidth=1.8)
        _dots(axes, x, level, "c1", 4.0)
        ends = [EndLabel(float(means[-1]), "training", "c1")]
        there = np.isfinite(line)
        if there.any():
            axes.plot(kinds[there], line[there], color=LIGHT["c2"], linewidth=1.6, dashes=(4, 2.5))
            ends.append(EndLabel(float(line[there][-1]), "formula", "c2"))
        label_line_ends(axes, ends, x=float(kinds[-1]))
    second = figure(300, 270)
    with house_style():
        axes = _rates_axes(second, edges, "step", "When *u* takes the lead")
        seen = np.isfinite(times) & (times > 0)
        if not seen.any():
            raise ValueError("crossing must hold at least one time > 0, got none")
        values = [times[seen]]
        band: list[FloatArray] = []
        if lower is not None and upper is not None:
            for bound, what in ((lower, "lower"), (upper, "upper")):
                found = _gaps(bound, what, times.shape)
                band.append(np.array([_middle(found[x == kind]) for kind in kinds]))
                if (band[-1] == 0).any():
                    raise ValueError(f"{what} must have a mean > 0 at every rate, got 0.0")
                values.append(band[-1][np.isfinite(band[-1])])
        span = np.concatenate(values)
        set_scale(
            axes, "y", float(span.min()) / 1.25, float(span.max()) * 1.25, scale="log10", target=5
        )
        ends = []
        if band:
            inside = np.isfinite(band[0]) & np.isfinite(band[1])
            axes.fill_between(
                kinds[inside],
                band[0][inside],
                band[1][inside],
                color=LIGHT["c2"],
                alpha=0.16,
                linewidth=0,
            )
            for bound, text in zip(band, ("no damping", "full damping"), strict=True):
                axes.plot(
                    kinds[inside], bound[inside], color=LIGHT["c2"], linewidth=1.4, dashes=(4, 2.5)
                )
                if inside.any():
                    ends.append(EndLabel(float(bound[inside][-1]), text, "c2"))
        # Classes of one rate stand side by side; on this axis by factors.
        wide = np.log10(np.repeat(x, times.shape[1]))
        spots = 10 ** _fan(wide, 0.12)
        shown = seen.ravel()
        _dots(axes, spots[shown], times.ravel()[shown], "c1", 4.0)
        middle = np.array(
            [
                times[x == kind][seen[x == kind]].mean() if seen[x == kind].any() else np.nan
                for kind in kinds
            ]
        )
        axes.plot(kinds, middle, color=LIGHT["c1"], linewidth=1.8)
        ends.append(EndLabel(float(middle[np.isfinite(middle)][-1]), "training", "c1"))
        label_line_ends(axes, ends, x=float(kinds[-1]))
    if alt is None:
        each = times.shape[1]
        count = [int(seen[x == kind].sum()) for kind in kinds]
        never = ", ".join(
            f"{total} of {int((x == kind).sum()) * each} at {number(float(kind))}"
            for kind, total in zip(kinds, count, strict=True)
            if total < int((x == kind).sum()) * each
        )
        some = np.isfinite(middle)
        alt = (
            f"Two panels against the rate of the training adversary, from {number(float(kinds[0]))}"
            f" to {number(float(kinds[-1]))}, all axes logarithmic. The level at which v stops "
            f"{course(*means[[0, -1]])} from {number(float(means[0]))} to "
            f"{number(float(means[-1]))}"
        )
        if there.any():
            alt += (
                f"; the formula goes from {number(float(line[there][0]))} at "
                f"{number(float(kinds[there][0]))} to {number(float(line[there][-1]))}"
            )
        alt += (
            f". Where u takes the lead, it does so on average at step "
            f"{number(float(middle[some][0]))} at rate {number(float(kinds[some][0]))} and at step "
            f"{number(float(middle[some][-1]))} at rate {number(float(kinds[some][-1]))}"
        )
        full = any(
            total == int((x == k).sum()) * each for k, total in zip(kinds, count, strict=True)
        )
        others = ", all at the others" if full else ""
        alt += f"; classes that cross: {never}{others}." if never else "."
    return Picture([fig, second], alt=alt, caption=caption, name=name)


def _middle(values: FloatArray) -> float:
    there = np.isfinite(values)
    return float(values[there].mean()) if there.any() else math.nan


def _rates_axes(fig: Any, edges: tuple[float, float], ylabel: str, title: str) -> Axes:
    axes = panel(
        fig, left=50, right=84, top=38, bottom=46, xlabel="rate *η̃* of the adversary", ylabel=ylabel
    )
    decades = range(math.ceil(math.log10(edges[0])), math.floor(math.log10(edges[1])) + 1)
    marks = [10.0**k for k in decades] if len(decades) > 1 else None
    set_scale(axes, "x", *edges, scale="log10", target=4, values=marks)
    panel_title(axes, title, left=46, rise=38)
    return axes


def digit_errors_picture(
    panels: Mapping[str, Mapping[str, Sequence[Sequence[float]] | FloatArray]],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw errors over the budget of the attack, one curve for each training, with intervals.

    Parameters
    ----------
    panels : mapping of str to mapping of str to array-like, shape (j, 4)
        For each panel, by its title in the house markup: curves by their labels, as rows
        ``(eps, mean, lower, upper)``, at most four panels and five labels.  A label has the same
        color in every panel.
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
        If there are too many panels or labels, a mean lies outside [0, 1] or its interval, or a
        curve has fewer than two budgets.
    """
    if not 1 <= len(panels) <= _MOST_PANELS:
        raise ValueError(f"panels must hold one to {_MOST_PANELS} panels, got {len(panels)}")
    labels = list(dict.fromkeys(label for curves in panels.values() for label in curves))
    few(labels, "panels", len(SERIES), "labels")
    roles = dict(zip(labels, SERIES, strict=False))
    checked: dict[str, dict[str, FloatArray]] = {}
    for title, curves in panels.items():
        checked[title] = {}
        for label, rows in curves.items():
            where = f"panels[{title!r}][{label!r}]"
            table = float_array(rows, where, shape=(None, 4))
            table = table[np.argsort(table[:, 0], kind="stable")]
            if len(table) < 2 or table[0, 0] < 0 or (np.diff(table[:, 0]) <= 0).any():
                raise ValueError(f"{where} must hold at least two different budgets >= 0")
            shares(table[:, 1], f"{where} means", (None,))
            if (table[:, 2] > table[:, 1]).any() or (table[:, 3] < table[:, 1]).any():
                raise ValueError(f"{where} must have means within their intervals")
            checked[title][label] = table
    every = np.concatenate([rows for curves in checked.values() for rows in curves.values()])
    left, right = float(every[:, 0].min()), float(every[:, 0].max())

    figures = []
    for title, curves in checked.items():
        fig = figure(300, 270)
        with house_style():
            axes = panel(
                fig,
                left=50,
                right=84,
                top=38,
                bottom=46,
                xlabel="budget *ε* of the attack",
                ylabel="error",
            )
            set_scale(axes, "x", left, right, target=4)
            set_scale(axes, "y", 0.0, 1.0, label=percent)
            panel_title(axes, title, left=46, rise=38)
            ends = []
            step = 0.012 * (right - left)
            for place, (label, rows) in enumerate(curves.items()):
                color = LIGHT[roles[label]]
                x, mean, lower, upper = rows.T
                # Side by side, where the intervals of several curves would hide each other.
                spots = x + step * (place - (len(curves) - 1) / 2)
                axes.plot(
                    spots,
                    mean,
                    color=color,
                    linewidth=1.8,
                    marker="o",
                    markersize=5,
                    markeredgecolor=LIGHT["paper"],
                    markeredgewidth=0.9,
                    clip_on=False,
                    zorder=3,
                )
                axes.vlines(
                    spots,
                    np.clip(lower, 0.0, 1.0),
                    np.clip(upper, 0.0, 1.0),
                    color=color,
                    linewidth=1.4,
                    clip_on=False,
                )
                ends.append(EndLabel(float(mean[-1]), label, roles[label]))
            label_line_ends(axes, ends)
        figures.append(fig)
    if alt is None:
        said = []
        for title, curves in checked.items():
            parts = [
                f"{to_plain(label)} from {percent(float(rows[0, 1]))} at "
                f"{number(float(rows[0, 0]))} to {percent(float(rows[-1, 1]))} at "
                f"{number(float(rows[-1, 0]))}"
                for label, rows in curves.items()
            ]
            said.append(f"{to_plain(title)}: {'; '.join(parts)}")
        alt = f"Errors over the budget of the attack. {'. '.join(said)}."
    return Picture(figures, alt=alt, caption=caption, name=name)


def variants_picture(
    rows: Mapping[str, tuple[Numbers, Numbers, Numbers]],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw what many ways of training lead to, one row for each.

    Parameters
    ----------
    rows : mapping of str to (robust, attacked, certified)
        By label in the house markup, each a mean with its interval ``(mean, lower, upper)`` in
        [0, 1]: the share of classes that lean on u, the error under attack, and one minus the
        certified share, whose mean is nowhere below that of `attacked`.  One to twenty rows.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The rows below each other, with a column for what is learned and one for the robust error.

    Raises
    ------
    ValueError
        If there are no rows or too many, or a number is out of range or order.
    """
    few(rows, "rows", _MOST_ROWS, "rows")
    checked: list[tuple[str, tuple[FloatArray, FloatArray, FloatArray]]] = []
    for label, row in rows.items():
        if len(row) != 3:
            raise ValueError(f"rows[{label!r}] must hold three means, got {len(row)}")
        found = []
        for what, values in zip(("robust", "attacked", "certified"), row, strict=True):
            each = shares(values, f"rows[{label!r}] {what}", (3,))
            if not each[1] <= each[0] <= each[2]:
                raise ValueError(f"rows[{label!r}] {what} must lie within its interval")
            found.append(each)
        if found[1][0] > found[2][0]:
            raise ValueError(f"rows[{label!r}] certified must not be below attacked")
        checked.append((label, (found[0], found[1], found[2])))
    pitch, top, bottom, left, wide, gap = 22.0, 44.0, 30.0, 158.0, 101.0, 46.0
    height = pitch * len(checked)
    fig = figure(420, height + top + bottom)
    with house_style():
        columns = [
            panel(fig, left=start, right=420 - start - wide, top=top, bottom=bottom)
            for start in (left, left + wide + gap)
        ]
        for axes, words in zip(columns, _HEADINGS, strict=True):
            set_scale(axes, "x", 0.0, 1.0, values=[0.0, 0.5, 1.0], label=percent)
            axes.set_ylim(len(checked) - 0.5, -0.5)
            axes.set_yticks([])
            axes.grid(visible=True, axis="x")
            for lift, (text, ink) in zip((30.0, 14.0), words, strict=True):
                note(
                    axes,
                    0,
                    1,
                    text,
                    role=ink,
                    coordinates="axes fraction",
                    dy=lift,
                    size=11,
                    weight="bold",
                )
        for place, (label, (robust, attacked, certified)) in enumerate(checked):
            note(
                columns[0],
                0,
                place,
                label,
                coordinates=("axes fraction", "data"),
                dx=-8,
                ha="right",
                size=11,
                outline=False,
            )
            for axes, role, interval, rise in (
                (columns[0], "c1", robust, 0.0),
                (columns[1], "c4", attacked, 0.14),
                (columns[1], "ink", certified, -0.14),
            ):
                axes.plot(
                    interval[1:],
                    [place + rise] * 2,
                    color=LIGHT[role],  # type: ignore[index]
                    linewidth=1.3,
                    alpha=FAINT,
                    clip_on=False,
                )
            between = [attacked[0], certified[0]]
            columns[1].plot(between, [place] * 2, color=LIGHT["muted"], linewidth=5, alpha=0.35)
            _mark(columns[0], float(robust[0]), place, "c1")
            _mark(columns[1], float(certified[0]), place - 0.14, "ink")
            _mark(columns[1], float(attacked[0]), place + 0.14, "c4")
    if alt is None:
        said = "; ".join(
            f"{to_plain(label)}: {percent(float(robust[0]))}, error "
            f"{percent(float(attacked[0]))} to {percent(float(certified[0]))}"
            for label, (robust, attacked, certified) in checked
        )
        alt = (
            "For each way of training the share of classes that lean on u, and the robust error "
            f"from attack to certificate. {said}."
        )
    return Picture(fig, alt=alt, caption=caption, name=name)


def _mark(axes: Axes, x: float, y: float, role: Role) -> None:
    axes.plot(
        x,
        y,
        marker="o",
        markersize=6,
        color=LIGHT[role],
        markeredgecolor=LIGHT["paper"],
        markeredgewidth=1.0,
        clip_on=False,
        zorder=4,
    )
