"""Pictures of what an iteration costs: a ledger as stacked bars, costs as curves, a roofline.

Theorem 1.1 and Lemma 5.3 speak of the time of one iteration of Algorithm 1.  The numbers, counted,
predicted or timed, come from the caller; here is only how they are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.checks import ascending, few, nonnegative, positive
from sublinear_lib.plotting.formats import Numbers, number
from sublinear_lib.plotting.palette import LIGHT, SERIES, Role, roles_of
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain, to_sentence
from sublinear_lib.plotting.style import (
    EndLabel,
    end_label_room,
    figure,
    house_style,
    label_line_ends,
    legend_places,
    note,
    panel,
    set_scale,
)
from sublinear_lib.plotting.ticks import SCALES
from sublinear_lib.validation import choice, scalar

__all__ = ["cost_curves", "ledger_bars", "roofline_chart"]

_SEGMENTS: tuple[Role, ...] = (*SERIES, "muted", "ink")
_FEW = 5
_LONG = 1e7
_LETTER = 6.7  # a letter of 11 pixels, on average and rounded up


def ledger_bars(
    columns: Mapping[str, Mapping[str, float]],
    *,
    unit: str,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw ledgers as stacked bars, one above the other, with their totals.

    Parameters
    ----------
    columns : mapping of str to mapping of str to float
        For each ledger, by its title in the house markup, its entries by their labels, ``>= 0``.
        All have the same labels in the same order, at most seven.
    unit : str
        What is counted, in the house markup.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The figure.

    Raises
    ------
    ValueError
        If there is no ledger or no entry, labels differ, there are more than seven, an entry is
        negative, or a ledger is empty throughout.
    """
    if not columns:
        raise ValueError("columns must hold at least one ledger, got none")
    labels = list(next(iter(columns.values())))
    if not 1 <= len(labels) <= len(_SEGMENTS):
        raise ValueError(f"columns must have 1 to {len(_SEGMENTS)} entries, got {len(labels)}")
    entries: dict[str, FloatArray] = {}
    for title, ledger in columns.items():
        if list(ledger) != labels:
            raise ValueError(f"columns[{title!r}] must have the entries {labels}, got {[*ledger]}")
        values = nonnegative(list(ledger.values()), f"columns[{title!r}]", (None,))
        if not values.any():
            raise ValueError(f"columns[{title!r}] must hold some work, got zeros only")
        entries[title] = values
    largest = max(float(values.sum()) for values in entries.values())

    width, row = 420.0, 52.0
    rows = legend_places(labels, width - 24.0, swatch=15.0, letter=_LETTER, gap=16.0)
    legend = 20.0 * (rows[-1][1] + 1) + 34.0
    height = legend + row * len(entries) + 6.0
    fig = figure(width, height)
    with house_style():
        axes = panel(fig, left=12, right=12, top=0, bottom=0, frame=False)
        # One unit of y is one pixel, counted from the top; the longest bar leaves room for its sum.
        scale = (width - 24.0 - 62.0) / largest
        axes.set_xlim(0, width - 24.0)
        axes.set_ylim(height, 0)
        note(axes, 0, 12, unit, role="muted", size=11)
        for role, label, (x, line) in zip(_SEGMENTS, labels, rows, strict=False):
            _swatch(axes, x, 32.0 + 20.0 * line, role)
            note(axes, x + 15, 32.0 + 20.0 * line, label, role=role, size=11)
        for r, (title, values) in enumerate(entries.items()):
            y, left = legend + row * r, 0.0
            note(axes, 0, y + 8, title, weight="bold")
            for role, value in zip(_SEGMENTS, values.tolist(), strict=False):
                length = value * scale
                if length > 0.0:
                    # A hair of paper between neighbors, where there is room for it.
                    drawn = length - 1.0 if length > 3.0 else length
                    axes.barh(y + 18, drawn, left=left, height=18, align="edge", color=LIGHT[role])
                left += length
            note(axes, left, y + 27, number(float(values.sum())), dx=6, va="center_baseline")
    if alt is None:
        parts = []
        for title, values in entries.items():
            inside = ", ".join(
                f"{to_plain(label)} {number(float(value))}"
                for label, value in zip(labels, values, strict=True)
            )
            parts.append(f"{to_plain(title)}: {inside}; in all {number(float(values.sum()))}")
        alt = f"Stacked bars in {to_plain(unit)}. {'. '.join(parts)}."
    return Picture(fig, alt=alt, caption=caption, name=name)


def _swatch(axes: Axes, x: float, y: float, role: Role) -> None:
    axes.barh(y, 10, left=x, height=10, align="center", color=LIGHT[role])


def cost_curves(
    x: Numbers,
    *,
    predicted: Mapping[str, Numbers] | None = None,
    measured: Mapping[str, Sequence[Sequence[float]] | FloatArray] | None = None,
    reference: tuple[str, Numbers] | None = None,
    xlabel: str = "width *m*",
    ylabel: str = "row passes",
    xscale: str = "log2",
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw costs against the width, the dimension or the activity, on logarithmic axes.

    Parameters
    ----------
    x : array-like, shape (k,)
        The abscissae, ascending and positive, ``k >= 2``.
    predicted : mapping of str to array-like, shape (k,)
        Curves by their labels in the house markup, positive.
    measured : mapping of str to array-like, shape (runs, j)
        Measured values, positive, at the first j abscissae, ``1 <= j <= k``, one row for each run:
        a dot at the mean and a bar from the smallest to the largest.  Those with the label of a
        predicted curve share its color.  At most five labels in all.
    reference : tuple of str and array-like, shape (k,), optional
        A label and a curve to compare with, dashed.
    xlabel, ylabel : str
        What the axes measure, in the house markup.
    xscale : {"log2", "log10"}
        Scale of the first axis.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The figure.

    Raises
    ------
    ValueError
        If shapes do not match, abscissae do not ascend, a number is not positive, or there are no
        curves or more than five.
    """
    places = positive(ascending(x, "x"), "x", (None,))
    choice(xscale, "xscale", tuple(scale for scale in SCALES if scale != "linear"))
    curves = {
        label: positive(values, f"predicted[{label!r}]", (places.size,))
        for label, values in (predicted or {}).items()
    }
    tables = {
        label: positive(rows, f"measured[{label!r}]", (None, None))
        for label, rows in (measured or {}).items()
    }
    for label, table in tables.items():
        if not 1 <= table.shape[1] <= places.size:
            raise ValueError(
                f"measured[{label!r}] must have 1 to {places.size} columns, got {table.shape[1]}"
            )
    labels = list(dict.fromkeys([*curves, *tables]))
    if not 1 <= len(labels) <= len(SERIES):
        raise ValueError(f"there must be 1 to {len(SERIES)} different labels, got {len(labels)}")
    everything = [*curves.values(), *tables.values()]
    if reference is not None:
        compared = positive(reference[1], "reference", (places.size,))
        everything.append(compared)
    low = min(float(values.min()) for values in everything)
    high = max(float(values.max()) for values in everything)

    room = end_label_room([*labels, *([reference[0]] if reference is not None else [])])
    fig = figure(420, 330)
    with house_style():
        axes = panel(fig, left=58, right=room, xlabel=xlabel, ylabel=ylabel)
        first, last = float(places[0]), float(places[-1])
        # On a decimal axis the few values given are rounder than any others.
        own = places.tolist() if xscale == "log10" and places.size <= _FEW else None
        # Numbers as long as 3.52·10^{13} would run into each other; 2^{45} does not.
        write = number if xscale == "log2" and last < _LONG else None
        set_scale(axes, "x", first, last, scale=xscale, target=4, label=write, values=own)
        set_scale(axes, "y", low / 1.4, high * 1.3, scale="log10")
        ends = []
        if reference is not None:
            axes.plot(places, compared, color=LIGHT["ink"], dashes=(3, 2), linewidth=1.5)
            ends.append(EndLabel(float(compared[-1]), reference[0], "ink"))
        for role, label in zip(roles_of(labels), labels, strict=True):
            if label in curves:
                axes.plot(places, curves[label], color=LIGHT[role], linewidth=1.75)
                ends.append(EndLabel(float(curves[label][-1]), label, role))
            if label in tables:
                table = tables[label]
                mean, at = table.mean(axis=0), places[: table.shape[1]]
                line = "none" if label in curves else "-"
                axes.vlines(
                    at, table.min(axis=0), table.max(axis=0), color=LIGHT[role], linewidth=1.5
                )
                axes.plot(at, mean, linestyle=line, marker="o", color=LIGHT[role], clip_on=False)
                if label not in curves:
                    ends.append(EndLabel(float(mean[-1]), label, role))
        label_line_ends(axes, ends)
    if alt is None:
        alt = _described(places, curves, tables, reference, xlabel, ylabel)
    return Picture(fig, alt=alt, caption=caption, name=name)


def _described(
    x: FloatArray,
    curves: Mapping[str, FloatArray],
    tables: Mapping[str, FloatArray],
    reference: tuple[str, Numbers] | None,
    xlabel: str,
    ylabel: str,
) -> str:
    ends = number(float(x[0])), number(float(x[-1]))
    parts = [
        f"{to_plain(label)}, predicted: {number(float(y[0]))} to {number(float(y[-1]))}"
        for label, y in curves.items()
    ]
    parts += [
        f"{to_plain(label)}, measured{_up_to(x, y)}: {number(float(y[:, 0].mean()))} to "
        f"{number(float(y[:, -1].mean()))}"
        for label, y in tables.items()
    ]
    text = (
        f"{to_sentence(ylabel)} against {to_plain(xlabel)} from {ends[0]} to {ends[1]}, "
        f"both axes logarithmic. {'; '.join(parts)}."
    )
    return text if reference is None else f"{text} A dashed line shows {to_plain(reference[0])}."


def _up_to(x: FloatArray, table: FloatArray) -> str:
    """Say where the measurements end, if that is before the curves do."""
    last = table.shape[1]
    return "" if last == x.size else f" up to {number(float(x[last - 1]))}"


def roofline_chart(
    points: Mapping[str, float],
    *,
    peak: float,
    bandwidth: float,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw the roofline of a machine and where computations stand under it.

    Parameters
    ----------
    points : mapping of str to float
        For each computation, by its label in the house markup, its intensity in operations per
        byte, ``> 0``; at most five.
    peak : float
        Operations per second of the machine, ``> 0``.
    bandwidth : float
        Bytes per second of the machine, ``> 0``.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The figure.

    Raises
    ------
    TypeError, ValueError
        If a number is not positive and finite, or there are no points or more than five.
    """
    P = scalar(peak, "peak", exclusive_minimum=0.0)
    B = scalar(bandwidth, "bandwidth", exclusive_minimum=0.0)
    few(points, "points", len(SERIES), "computations")
    at = {
        label: scalar(value, f"points[{label!r}]", exclusive_minimum=0.0)
        for label, value in points.items()
    }
    ridge = P / B
    low = min([*at.values(), ridge]) / 3.0
    high = max([*at.values(), ridge]) * 4.0
    fig = figure(420, 320)
    with house_style():
        axes = panel(
            fig,
            left=58,
            right=20,
            xlabel="operations per byte",
            ylabel="largest rate, share of the peak",
        )
        decades = [10.0**k for k in range(-6, 9)]
        set_scale(axes, "x", low, high, scale="log10", values=decades, label=number)
        set_scale(axes, "y", low / ridge / 1.5, 2.6, scale="log10", values=decades, label=number)
        axes.plot([low, ridge, high], [low / ridge, 1.0, 1.0], color=LIGHT["ink"], linewidth=2)
        axes.plot(
            [ridge, ridge], [low / ridge / 1.5, 1.0], color=LIGHT["muted"], dashes=(3, 2), lw=1
        )
        note(axes, ridge, low / ridge, f"ridge {number(ridge)}", role="muted", dx=5, dy=4, size=11)
        middle = (low * high) ** 0.5
        for k, (role, (label, intensity)) in enumerate(zip(roles_of(at), at.items(), strict=True)):
            rate = min(1.0, intensity / ridge)
            axes.plot([intensity], [rate], marker="o", markersize=9, color=LIGHT[role], zorder=4)
            left = intensity > middle
            on_roof = rate >= 1.0
            note(
                axes,
                intensity,
                rate,
                label,
                role=role,
                dx=0 if on_roof else 10,
                dy=(16 if k % 2 == 0 else -16) if on_roof else -4,
                ha=("right" if left else "center") if on_roof else "left",
                weight="bold",
            )
    if alt is None:
        parts = [
            f"{to_plain(label)} at {number(value)} operations per byte reaches at most "
            f"{number(min(1.0, value / ridge))} of the peak"
            for label, value in at.items()
        ]
        alt = (
            "Largest rate as a share of the peak against operations per byte, both axes "
            f"logarithmic: a rising line up to the ridge at {number(ridge)}, then level. "
            f"{'; '.join(parts)}."
        )
    return Picture(fig, alt=alt, caption=caption, name=name)
