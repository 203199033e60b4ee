"""Pictures of the page of measurements: ratios over commits, and what missed neurons do to weights.

No object of the paper lives here but one: the exact active sets of Algorithm 1, whose absence the
second picture shows.  All numbers come from stored results; here is only how they are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.checks import few
from sublinear_lib.plotting.formats import Numbers, number, percent
from sublinear_lib.plotting.palette import FAINT, LIGHT, SERIES
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import (
    EndLabel,
    end_label_room,
    figure,
    house_style,
    label_line_ends,
    panel,
    set_scale,
)
from sublinear_lib.validation import float_array, scalar

__all__ = ["error_against_misses", "ratio_history"]

_ROOM = {"letter": 6.4, "gap": 24.0, "most": 170.0}


def ratio_history(
    runs: Sequence[str],
    curves: Mapping[str, Numbers],
    *,
    noise: float,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw how ratios changed from run to run, with bars as long as noise moves them.

    Parameters
    ----------
    runs : sequence of str
        What the runs are called in the alternative text, the oldest first; at least two.  In the
        drawing they are numbered from 1.
    curves : mapping of str to array-like, shape (k,)
        For each ratio, by its label in the house markup: a value ``> 0`` for each run, NaN where it
        was not measured, which leaves a gap.  At most five.
    noise : float
        The factor within which a ratio may move between two runs of the same program, ``>= 1``: the
        bar of a value v reaches from ``v / noise`` to ``v * noise``.
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
        If there are fewer than two runs, no curve or more than five, shapes do not match, a value
        is not positive, a curve has no value at all, or `noise` is below 1.
    """
    if len(runs) < 2:
        raise ValueError(f"runs must be at least two, got {len(runs)}")
    few(curves, "curves", len(SERIES), "curves")
    factor = scalar(noise, "noise", minimum=1.0)
    checked: dict[str, FloatArray] = {}
    for label, values in curves.items():
        array = np.asarray(values, dtype=np.float64)
        known = array[~np.isnan(array)] if array.shape == (len(runs),) else array[:0]
        if not known.size or not (np.isfinite(known) & (known > 0.0)).all():
            raise ValueError(
                f"curves[{label!r}] must hold {len(runs)} values > 0, NaN where there is none, "
                f"got {array.tolist()}"
            )
        checked[label] = array
    everything = np.concatenate([values[~np.isnan(values)] for values in checked.values()])
    places = 1.0 + np.arange(float(len(runs)))
    fig = figure(400, 310)
    with house_style():
        axes = panel(
            fig,
            left=52,
            right=end_label_room(checked, **_ROOM),
            xlabel="run, the oldest first",
            ylabel="times as fast",
        )
        low = min(1.0, float(everything.min()) / factor) / 1.1
        high = float(everything.max()) * factor * 1.1
        set_scale(axes, "x", 0.7, len(runs) + 0.3, values=places.tolist(), label=number)
        set_scale(axes, "y", low, high, scale="log10", label=number)
        axes.axhline(1.0, color=LIGHT["ink"], dashes=(3, 2), linewidth=1.5)
        ends = []
        for number_of, (role, (label, values)) in enumerate(
            zip(SERIES, checked.items(), strict=False)
        ):
            there = ~np.isnan(values)
            # bars of neighbors stand side by side
            x = places + 0.05 * (number_of - (len(checked) - 1) / 2)
            y = values[there]
            axes.vlines(
                x[there], y / factor, y * factor, color=LIGHT[role], linewidth=1.5, alpha=FAINT
            )
            axes.plot(x, values, color=LIGHT[role], marker="o", clip_on=False)
            ends.append(EndLabel(float(y[-1]), label, role))
        label_line_ends(axes, ends)
    if alt is None:
        parts = []
        for label, values in checked.items():
            told = [
                f"{number(float(value))} at {run}"
                for run, value in zip(runs, values, strict=True)
                if not np.isnan(value)
            ]
            parts.append(f"{to_plain(label)}: {', '.join(told)}")
        alt = (
            "How many times as fast, on a logarithmic axis, at the commits that measured it. "
            f"{'; '.join(parts)}. Bars show a factor of {number(factor)} up and down, which noise "
            "alone may make."
        )
    return Picture(fig, alt=alt, caption=caption, name=name)


def error_against_misses(
    curves: Mapping[str, Sequence[Sequence[float]] | FloatArray],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw how far trained weights end from the exact ones, against the neurons that were missed.

    Parameters
    ----------
    curves : mapping of str to array-like, shape (j, 2)
        For each problem, by its label in the house markup: rows ``(missed, error)``, the share of
        the active neurons that were missed, in [0, 1], and the distance of the weights as a share
        of the way that the exact ones went, ``>= 0``.  At most five.
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
        If there is no curve or more than five, shapes do not match, or a number is out of range.
    """
    few(curves, "curves", len(SERIES), "curves")
    tables = {}
    for label, rows in curves.items():
        table = float_array(rows, f"curves[{label!r}]", shape=(None, 2))
        if (table < 0.0).any() or (table[:, 0] > 1.0).any():
            raise ValueError(
                f"curves[{label!r}] must hold shares in [0, 1] and errors >= 0, "
                f"got {table.tolist()}"
            )
        tables[label] = table[np.argsort(table[:, 0], kind="stable")]
    top = max(1.0, *(float(table[:, 1].max()) for table in tables.values()))
    fig = figure(400, 290)
    with house_style():
        axes = panel(
            fig,
            left=58,
            right=end_label_room(tables, **_ROOM),
            xlabel="active neurons that were missed",
            ylabel="error of the trained weights",
        )
        set_scale(axes, "x", 0.0, 1.0, label=percent, values=[0, 0.25, 0.5, 0.75, 1])
        set_scale(axes, "y", 0.0, 1.05 * top, label=percent)
        axes.plot([0, 1], [0, 1], color=LIGHT["ink"], dashes=(3, 2), linewidth=1.5)
        ends = []
        for role, (label, table) in zip(SERIES, tables.items(), strict=False):
            axes.plot(
                table[:, 0], table[:, 1], color=LIGHT[role], marker="o", clip_on=False, zorder=4
            )
            ends.append(EndLabel(float(table[-1, 1]), label, role))
        label_line_ends(axes, ends)
    if alt is None:
        parts = [
            f"{to_plain(label)}: "
            + ", ".join(
                f"{percent(float(error))} where {percent(float(missed))} are missed"
                for missed, error in table
            )
            for label, table in tables.items()
        ]
        alt = (
            "Error of the trained weights, as a share of the way they went, against the share of "
            f"active neurons that were missed. {'; '.join(parts)}. A dashed line marks an error as "
            "large as the share that is missed."
        )
    return Picture(fig, alt=alt, caption=caption, name=name)
