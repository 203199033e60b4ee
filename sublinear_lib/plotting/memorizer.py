"""Pictures of the network that memorizes: bumps, and the circuit of one sample.

`profile_picture` draws bumps over a line and their maximum; `circuit_picture` the neurons that one
sample adds, wired by the matrices that are handed in; `bounds_picture` what certificates leave of a
deviation; `precision_picture` errors of rounding near the threshold.  The numbers come from the
floors below; no formula lives here.  Before changing them, know that an edge of the circuit is an
entry of a matrix: a picture of another network would look different.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.patches import FancyBboxPatch

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.checks import ascending
from sublinear_lib.plotting.formats import Numbers, number
from sublinear_lib.plotting.palette import LIGHT, SERIES, Role
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import (
    figure,
    house_style,
    note,
    panel,
    panel_title,
    set_scale,
)
from sublinear_lib.validation import float_array, scalar

__all__ = [
    "PrecisionSeries",
    "ProfilePanel",
    "bounds_picture",
    "circuit_picture",
    "precision_picture",
    "profile_picture",
]

_MOST_PANELS = 4
_MOST_INPUTS = 3


class ProfilePanel(NamedTuple):
    """One panel of `profile_picture`.

    Parameters
    ----------
    title : str
        What it shows, in the house markup.
    bumps : array-like, shape (N, k)
        One curve for each sample.
    total : array-like, shape (k,)
        The curve that is drawn thick.
    radius : float
        Half the length of the plateaus, ``>= 0``.
    """

    title: str
    bumps: Numbers
    total: Numbers
    radius: float


class PrecisionSeries(NamedTuple):
    """The errors of one format in `precision_picture`.

    Parameters
    ----------
    gaps : array-like, shape (G,)
        The distances from the threshold, positive, in any order.
    error : array-like, shape (G,)
        Measured errors, ``>= 0``; a zero is drawn at the foot of the axis.
    predicted : array-like, shape (G,)
        The predicted errors, positive.
    proven : array-like, shape (G,), optional
        Proven bounds, positive.
    """

    gaps: Numbers
    error: Numbers
    predicted: Numbers
    proven: Numbers | None = None


def _roles(labels: FloatArray) -> dict[float, Role]:
    kinds = np.unique(labels).tolist()
    if len(kinds) > len(SERIES):
        raise ValueError(f"y must hold at most {len(SERIES)} different labels, got {len(kinds)}")
    return dict(zip(kinds, SERIES, strict=False))


def _panels_fit(panels: Sequence[object]) -> None:
    if not 1 <= len(panels) <= _MOST_PANELS:
        raise ValueError(f"panels must hold one to {_MOST_PANELS} panels, got {len(panels)}")


def profile_picture(
    x: Numbers,
    centers: Numbers,
    y: Numbers,
    panels: Sequence[ProfilePanel],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw bumps over a line, one for each sample, and a thick curve such as their maximum.

    Parameters
    ----------
    x : array-like, shape (k,)
        The places of the line, ascending.
    centers : array-like, shape (N,)
        Where the samples sit.
    y : array-like, shape (N,)
        Their labels, at most five different ones.
    panels : sequence of ProfilePanel
        One to four panels, on one scale.
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
        If shapes do not match, places do not ascend, or there are too many labels or panels.

    Notes
    -----
    Source: Theorem II.4.8, after Yu, Gao and Zhang (2024).
    """
    places = ascending(x, "x")
    middles = float_array(centers, "centers", shape=(None,))
    labels = float_array(y, "y", shape=middles.shape)
    roles = _roles(labels)
    _panels_fit(panels)
    curves = [
        (
            float_array(each.bumps, f"panels[{k}].bumps", shape=(middles.size, places.size)),
            float_array(each.total, f"panels[{k}].total", shape=places.shape),
            scalar(each.radius, f"panels[{k}].radius", minimum=0.0),
        )
        for k, each in enumerate(panels)
    ]
    top = max(float(total.max()) for _, total, _ in curves)
    low = min(0.0, *(float(total.min()) for _, total, _ in curves))
    figures = []
    for each, (bumps, total, radius) in zip(panels, curves, strict=True):
        fig = figure(300, 250)
        with house_style():
            axes = panel(fig, left=38, right=10, top=36, bottom=40, xlabel="*x*")
            set_scale(axes, "x", float(places[0]), float(places[-1]), target=4, label=number)
            set_scale(axes, "y", low, 1.12 * max(top, 0.0) or 1.0, target=4, label=number)
            panel_title(axes, each.title, left=34)
            axes.plot(places, total, color=LIGHT["muted"], linewidth=6.0, alpha=0.5)
            for bump, middle, label in zip(bumps, middles.tolist(), labels.tolist(), strict=True):
                color = LIGHT[roles[label]]
                up = np.flatnonzero(bump > 0)
                if up.size:
                    part = slice(max(int(up[0]) - 1, 0), int(up[-1]) + 2)
                    axes.plot(places[part], bump[part], color=color, linewidth=1.5)
                ends = [middle - radius, middle + radius]
                axes.plot(ends, [label, label], color=color, linewidth=4.5, alpha=0.8)
                axes.plot(middle, 0, marker="o", color=color, markersize=7, clip_on=False)
        figures.append(fig)
    if alt is None:
        said = "; ".join(
            f"{to_plain(each.title)}: the thick curve goes from {number(float(total.min()))} to "
            f"{number(float(total.max()))}, plateaus of half length {number(radius)}"
            for each, (_, total, radius) in zip(panels, curves, strict=True)
        )
        alt = f"Bumps around {middles.size} points of a line, and a thick curve. {said}."
    return Picture(figures, alt=alt, caption=caption, name=name)


_COLUMNS = (44.0, 158.0, 272.0, 378.0)
_BOX = 60.0


def _names(n: int) -> tuple[list[str], list[str], list[str], list[str]]:
    u = [f"*u*_{{{j}}}" for j in range(1, n + 1)] if n > 1 else ["*u*"]
    marks = [str(j) for j in range(1, n + 1)] if n > 1 else [""]
    above = [f"*p*_{{{j}}}^{{+}}" if j else "*p*^{+}" for j in marks]
    below = [f"*p*_{{{j}}}^{{−}}" if j else "*p*^{−}" for j in marks]
    return (
        [*u, "acc", "*r*_{*i*−1}"],
        [*u, *above, *below, "acc"],
        [*u, "acc", "*r*_{*i*}"],
        [*u, "acc"],
    )


def circuit_picture(
    matrices: Sequence[Numbers],
    values: Sequence[Numbers],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw the neurons that one sample adds to the network, wired by the given matrices.

    Parameters
    ----------
    matrices : three array-like
        The matrices of layer A of the sample, shape (3n + 1, n + 2), of its layer B, shape
        (n + 2, 3n + 1), and the rows of the next layer A that make the new state, shape
        (n + 1, n + 2), with 1 <= n <= 3.  Every entry that is not zero is drawn as an edge.
    values : four array-like
        What the neurons hold at one point: layer B before, layer A, layer B, the new state.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The circuit, from left to right.

    Raises
    ------
    ValueError
        If shapes do not match.

    Notes
    -----
    Source: Theorem II.4.8, after Yu, Gao and Zhang (2024); the wiring is ours.
    """
    if len(values) != 4 or len(matrices) != 3:
        raise ValueError(
            f"values must hold four layers and matrices three, got {len(values)} and "
            f"{len(matrices)}"
        )
    first = float_array(values[0], "values[0]", shape=(None,))
    n = first.size - 2
    if not 1 <= n <= _MOST_INPUTS:
        raise ValueError(
            f"values[0] must hold n + 2 numbers with 1 <= n <= {_MOST_INPUTS}, got {first.size}"
        )
    sizes = (n + 2, 3 * n + 1, n + 2, n + 1)
    held = [
        float_array(layer, f"values[{k}]", shape=(size,))
        for k, (layer, size) in enumerate(zip(values, sizes, strict=True))
    ]
    wires = [
        float_array(matrix, f"matrices[{k}]", shape=(sizes[k + 1], sizes[k]))
        for k, matrix in enumerate(matrices)
    ]
    names = _names(n)
    pitch = 40.0
    height = 54.0 + (3 * n + 1) * pitch
    middle = 40.0 + (3 * n + 1) * pitch / 2
    rows = [[middle + pitch * (k - (size - 1) / 2) for k in range(size)] for size in sizes]
    # The state keeps its height from column to column, so that carried numbers run level.
    fig = figure(424, height)
    with house_style():
        axes = panel(fig, left=0, right=0, top=0, bottom=0, frame=False)
        axes.set_xlim(0, 424)
        axes.set_ylim(height, 0)
        titles = ("before", "*A*_{*i*}: measure", "*B*_{*i*}: decide", "after")
        for column, title in zip(_COLUMNS, titles, strict=True):
            note(axes, column, 14, title, ha="center", weight="bold")
        for k, wire in enumerate(wires):
            for b, a in np.argwhere(wire != 0).tolist():
                weight = float(wire[b, a])
                role: Role = "muted" if weight == 1.0 else "c1" if weight == -1.0 else "c2"
                axes.plot(
                    [_COLUMNS[k] + _BOX / 2, _COLUMNS[k + 1] - _BOX / 2],
                    [rows[k][a], rows[k + 1][b]],
                    color=LIGHT[role],
                    linewidth=1.0 if role == "muted" else 1.5,
                    dashes=(3, 2) if role == "c1" else (None, None),
                )
        for column, places, words, numbers in zip(_COLUMNS, rows, names, held, strict=True):
            for place, word, value in zip(places, words, numbers.tolist(), strict=True):
                special: Role = "c2" if "r" in word.strip("*")[:1] else "ink"
                axes.add_patch(
                    FancyBboxPatch(
                        (column - _BOX / 2 + 3, place - 14),
                        _BOX - 6,
                        28,
                        boxstyle="round,pad=3",
                        facecolor=LIGHT["paper"],
                        edgecolor=LIGHT["muted" if special == "ink" else special],
                        linewidth=1.2,
                        zorder=3,
                    )
                )
                note(axes, column, place, word, ha="center", size=11, dy=6, outline=False)
                shown = number(round(value, 9), 4)
                note(
                    axes,
                    column,
                    place,
                    shown,
                    ha="center",
                    size=11,
                    dy=-7,
                    role="muted",
                    outline=False,
                )
    for text in axes.texts:
        text.set_zorder(4)
    if alt is None:
        counts = ", ".join(str(int(np.count_nonzero(wire))) for wire in wires)
        alt = (
            f"The circuit of one sample for n = {n}, with {counts} connections. Before it the "
            f"running maximum is {number(float(held[1][-1]))}; the pieces of layer A add up to "
            f"{number(float(held[1][n:-1].sum()))}; the neuron r of layer B is "
            f"{number(float(held[2][-1]))}, and the running maximum after it "
            f"{number(float(held[3][-1]))}."
        )
    return Picture(fig, alt=alt, caption=caption, name=name)


def bounds_picture(
    y: Numbers,
    bounds: Mapping[str, tuple[Numbers, Numbers]],
    *,
    allowed: float = 0.5,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw how far the output can be from the label on each ball, by several kinds of bounds.

    Parameters
    ----------
    y : array-like, shape (N,)
        The labels.
    bounds : mapping of str to pair of array-like, shape (N,)
        For each kind, by its label in the house markup, lower and upper bounds of the output; at
        most three kinds.
    allowed : float, default 0.5
        The deviation at which a value is classified as another label, ``> 0``.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        One bar for each ball and kind, around 0.

    Raises
    ------
    ValueError
        If shapes do not match, a lower bound exceeds an upper one, or there are no kinds or more
        than three.
    """
    labels = float_array(y, "y", shape=(None,))
    limit = scalar(allowed, "allowed", exclusive_minimum=0.0)
    if not 1 <= len(bounds) <= 3:
        raise ValueError(f"bounds must hold one to three kinds, got {len(bounds)}")
    tables: dict[str, tuple[FloatArray, FloatArray]] = {}
    for kind, (lower, upper) in bounds.items():
        a = float_array(lower, f"bounds[{kind!r}][0]", shape=labels.shape) - labels
        b = float_array(upper, f"bounds[{kind!r}][1]", shape=labels.shape) - labels
        if (a > b).any():
            raise ValueError(f"bounds[{kind!r}] must have lower bounds below the upper ones")
        tables[kind] = (a, b)
    high = max(1.25 * limit, *(1.1 * float(b.max()) for _, b in tables.values()))
    low = min(-1.25 * limit, *(1.1 * float(a.min()) for a, _ in tables.values()))
    fig = figure(420, 280)
    with house_style():
        axes = panel(
            fig,
            left=52,
            right=16,
            top=40,
            xlabel="ball",
            ylabel="bounds of *F* minus the label",
            ylabel_rise=30,
        )
        set_scale(axes, "x", 0.25, labels.size + 0.75, target=6, label=number)
        set_scale(axes, "y", low, high, target=5, label=number)
        for edge in (-limit, limit):
            axes.axhline(edge, color=LIGHT["ink"], linewidth=1.0, dashes=(3, 2))
        shift = np.linspace(-0.18, 0.18, len(tables)) if len(tables) > 1 else np.zeros(1)
        wide = 3.5 if labels.size <= 30 else 1.5
        start = 0.0
        for move, role, (kind, (a, b)) in zip(shift, SERIES, tables.items(), strict=False):
            places = np.arange(1, labels.size + 1) + float(move)
            color = LIGHT[role]
            axes.vlines(places, a, b, color=color, linewidth=wide)
            axes.plot(places, 0.5 * (a + b), ".", color=color, markersize=wide + 1.5)
            note(
                axes,
                start,
                1.0,
                kind,
                role=role,
                coordinates="axes fraction",
                dx=2,
                dy=10,
                weight="bold",
            )
            start += 0.5 / max(len(tables) - 1, 1)
    if alt is None:
        said = "; ".join(
            f"{to_plain(kind)}: {int(np.sum((b < limit) & (a > -limit)))} of {labels.size} balls "
            f"within {number(limit)}, the widest reaches {number(float(max(b.max(), -a.min())))}"
            for kind, (a, b) in tables.items()
        )
        alt = f"Bounds of the output minus the label on {labels.size} balls. {said}."
    return Picture(fig, alt=alt, caption=caption, name=name)


def precision_picture(
    series: Mapping[str, PrecisionSeries],
    *,
    allowed: float = 0.5,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw errors of rounding against the distance from the threshold.

    Parameters
    ----------
    series : mapping of str to PrecisionSeries
        By the name of the format, in the house markup; one to three.
    allowed : float, default 0.5
        The error at which a value is classified as another label, ``> 0``.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        Dots for measured errors, a line for the predicted and a dashed one for the proven.

    Raises
    ------
    ValueError
        If shapes do not match or a number is not positive where it must be.

    Notes
    -----
    Source: Proposition II.5.
    """
    limit = scalar(allowed, "allowed", exclusive_minimum=0.0)
    if not 1 <= len(series) <= 3:
        raise ValueError(f"series must hold one to three formats, got {len(series)}")
    tables: dict[str, list[FloatArray | None]] = {}
    for kind, each in series.items():
        gaps = float_array(each.gaps, f"series[{kind!r}].gaps", shape=(None,))
        order = np.argsort(gaps)
        columns: list[FloatArray | None] = [gaps[order]]
        for word in ("error", "predicted", "proven"):
            given = getattr(each, word)
            if given is None:
                columns.append(None)
                continue
            column = float_array(given, f"series[{kind!r}].{word}", shape=gaps.shape)[order]
            if (column < 0).any() or (word != "error" and (column == 0).any()):
                raise ValueError(f"series[{kind!r}].{word} must be positive, got {column.min()}")
            columns.append(column)
        if gaps.size == 0 or (gaps <= 0).any():
            raise ValueError(f"series[{kind!r}].gaps must hold positive numbers")
        tables[kind] = columns
    everything = np.concatenate(
        [column for columns in tables.values() for column in columns[1:] if column is not None]
    )
    positive = everything[everything > 0]
    low, high = float(positive.min()) / 3, max(float(positive.max()), limit) * 3
    all_gaps = np.concatenate([columns[0] for columns in tables.values() if columns[0] is not None])
    fig = figure(420, 320)
    with house_style():
        axes = panel(
            fig,
            left=58,
            right=16,
            top=40,
            xlabel="distance from the threshold, 1 − 2*μ*/*λ*",
            ylabel="largest error on the balls",
            ylabel_rise=30,
        )
        ends = float(all_gaps.min()) / 1.5, float(all_gaps.max()) * 1.5
        set_scale(axes, "x", *ends, scale="log10", target=5)
        set_scale(axes, "y", low, high, scale="log10", target=6)
        axes.axhline(limit, color=LIGHT["ink"], linewidth=1.0, dashes=(3, 2))
        start = 0.0
        for role, (kind, (where, error, predicted, proven)) in zip(
            SERIES, tables.items(), strict=False
        ):
            assert where is not None and error is not None and predicted is not None
            color = LIGHT[role]
            axes.plot(where, predicted, color=color, linewidth=1.75)
            if proven is not None:
                axes.plot(where, proven, color=color, linewidth=1.5, dashes=(3, 2))
            axes.plot(where, np.maximum(error, low), "o", color=color, clip_on=False)
            note(
                axes,
                start,
                1.0,
                kind,
                role=role,
                coordinates="axes fraction",
                dx=2,
                dy=10,
                weight="bold",
            )
            start += 0.34
        note(
            axes,
            0.98,
            limit,
            "half a label",
            coordinates=("axes fraction", "data"),
            dy=9,
            ha="right",
        )
    if alt is None:
        said = []
        for kind, (where, error, predicted, _) in tables.items():
            assert where is not None and error is not None and predicted is not None
            worst = np.flatnonzero(error >= limit)
            wrong = f"from {number(float(where[worst].max()))} on" if worst.size else "nowhere"
            said.append(
                f"{to_plain(kind)}: from {number(float(error[-1]))} at {number(float(where[-1]))} "
                f"to {number(float(error[0]))} at {number(float(where[0]))}, predicted "
                f"{number(float(predicted[-1]))} and {number(float(predicted[0]))}; wrong {wrong}"
            )
        alt = (
            "Largest error of computed values on the balls against the distance from the "
            f"threshold, both axes logarithmic. {'. '.join(said)}."
        )
    return Picture(fig, alt=alt, caption=caption, name=name)
