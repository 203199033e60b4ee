"""Pictures of the probability tools: tails of a count beside their bounds, and where a bound ends.

Appendix A.5 to A.10.  One figure shows the probability that a count is at least so large, exact,
sampled and bounded, on a logarithmic axis; the other shows a quantity divided by the power that a
lemma bounds it with, so that a printed constant is a level line and a lemma ends where it is
crossed.  All numbers come from the caller.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.checks import ascending, few, positive
from sublinear_lib.plotting.formats import Numbers, course, grouped, number, whole
from sublinear_lib.plotting.palette import LIGHT, SERIES
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import (
    EndLabel,
    figure,
    house_style,
    interval_dots,
    label_line_ends,
    note,
    panel,
    set_scale,
)
from sublinear_lib.validation import float_array, scalar

__all__ = ["CountTail", "Crossing", "crossing_panels", "tail_panels"]

_MOST_BOUNDS = len(SERIES) - 1


@dataclass(frozen=True)
class CountTail:
    """One panel of `tail_panels`.

    Attributes
    ----------
    counts : array-like, shape (k,)
        The counts, ascending, ``k >= 2``.
    exact : array-like, shape (k,)
        The probability of at least so many, in (0, 1].
    bounds : mapping of str to array-like, shape (k,)
        Bounds by their labels in the house markup, positive; at most four.
    sample : array-like, shape (j, 4), optional
        Rows ``(count, estimate, lower, upper)`` with ``lower > 0``.
    """

    counts: Numbers
    exact: Numbers
    bounds: Mapping[str, Numbers]
    sample: Sequence[Sequence[float]] | FloatArray | None = None


@dataclass(frozen=True)
class Crossing:
    """One panel of `crossing_panels`.

    Attributes
    ----------
    x : array-like, shape (k,)
        Abscissae, ascending, ``k >= 2``.
    xlabel : str
        What they measure, in the house markup.
    curve : tuple of str and array-like, shape (k,)
        The quantity, with its label.
    lines : mapping of str to array-like, shape (k,)
        What it is compared with, by labels; at most four.
    at : float
        Where the curve and one of the lines cross.
    """

    x: Numbers
    xlabel: str
    curve: tuple[str, Numbers]
    lines: Mapping[str, Numbers]
    at: float


def tail_panels(
    panels: Mapping[str, CountTail],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw the probability of large counts beside the bounds of several lemmas.

    Parameters
    ----------
    panels : mapping of str to CountTail
        The panels by their titles in the house markup.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The panels, side by side or one below the other.  What a lemma allows is dashed.

    Raises
    ------
    ValueError
        If there is no panel, shapes do not match, counts do not ascend, a probability or bound is
        not positive, or there are no bounds or more than four.

    Notes
    -----
    Source: Lemmas A.6, A.8 and A.9 as used in Claims C.2 and C.16 and in Lemma C.9.
    """
    if not panels:
        raise ValueError("panels must hold at least one panel, got none")
    figures: list[Figure] = []
    parts = []
    below = False
    for title, each in panels.items():
        counts = ascending(each.counts, f"counts of {title!r}")
        exact = positive(each.exact, f"exact of {title!r}", (counts.size,))
        few(each.bounds, f"bounds of {title!r}", _MOST_BOUNDS, "lines")
        bounds = {
            label: positive(values, f"bounds[{label!r}] of {title!r}", (counts.size,))
            for label, values in each.bounds.items()
        }
        fig = figure(350, 320)
        with house_style():
            axes = panel(
                fig, left=50, right=84, top=30, xlabel="neurons in the window", ylabel=title
            )
            set_scale(axes, "x", float(counts[0]), float(counts[-1]), target=4, label=whole)
            bottom = float(exact[-1])
            below |= any((values < exact * (1.0 - 1e-9)).any() for values in bounds.values())
            top = max(1.0, max(float(values[0]) for values in bounds.values()))
            set_scale(axes, "y", bottom / 2, top * 2, scale="log10", target=6, label=_power)
            ends = [EndLabel(float(exact[-1]), "exact law", SERIES[0])]
            axes.plot(counts, exact, color=LIGHT[SERIES[0]])
            for role, (label, values) in zip(SERIES[1:], bounds.items(), strict=False):
                axes.plot(counts, values, color=LIGHT[role], dashes=(4, 2))
                ends.append(EndLabel(float(values[-1]), label, role))
            if each.sample is not None:
                rows = float_array(each.sample, f"sample of {title!r}", shape=(None, 4))
                positive(rows[:, 2], f"sample of {title!r}", (len(rows),))
                interval_dots(axes, rows, "ink", size=5.0, edge=1.0, clip=True, zorder=2.0)
            label_line_ends(axes, ends)
        figures.append(fig)
        last = ", ".join(
            f"{to_plain(label)} {number(float(values[-1]))}" for label, values in bounds.items()
        )
        parts.append(
            f"{to_plain(title)}: at {grouped(round(counts[-1]))} neurons the exact probability is "
            f"{number(float(exact[-1]))}, the bounds are {last}"
        )
    if alt is None:
        where = "above" if not below else "beside"
        alt = (
            "Probability that at least so many neurons lie in a window, on a logarithmic axis, "
            f"with bounds as dashed curves {where} the exact one. {'; '.join(parts)}."
        )
    return Picture(figures, alt=alt, caption=caption, name=name)


def _power(value: float) -> str:
    exponent = round(math.log10(value))
    return "1" if exponent == 0 else f"10^{{{exponent}}}".replace("-", "\N{MINUS SIGN}")


def crossing_panels(
    panels: Sequence[Crossing],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw quantities beside the constants that lemmas bound them with, and where these end.

    Parameters
    ----------
    panels : sequence of Crossing
        The panels.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The panels, side by side or one below the other; the stretch beyond the crossing is shaded.

    Raises
    ------
    ValueError
        If there is no panel, shapes do not match, abscissae do not ascend, the crossing lies
        outside, or there are no lines or more than four.

    Notes
    -----
    Source: Lemmas A.5 and A.8.
    """
    if not panels:
        raise ValueError("panels must hold at least one panel, got none")
    figures: list[Figure] = []
    parts = []
    for each in panels:
        x = ascending(each.x, "x")
        label, values = each.curve
        curve = float_array(values, f"curve {label!r}", shape=(x.size,))
        few(each.lines, "lines", _MOST_BOUNDS, "lines")
        lines = {
            key: float_array(line, f"lines[{key!r}]", shape=(x.size,))
            for key, line in each.lines.items()
        }
        at = scalar(each.at, "at", minimum=float(x[0]), maximum=float(x[-1]))
        low = min(float(v.min()) for v in (curve, *lines.values()))
        high = max(float(v.max()) for v in (curve, *lines.values()))
        fig = figure(350, 270)
        with house_style():
            axes = panel(fig, left=40, right=84, top=16, xlabel=each.xlabel)
            set_scale(axes, "x", float(x[0]), float(x[-1]), target=5)
            extent = high - low or 1.0
            set_scale(axes, "y", low - 0.06 * extent, high + 0.1 * extent, target=5)
            axes.axvspan(at, float(x[-1]), color=LIGHT["muted"], alpha=0.12, linewidth=0)
            ends = [EndLabel(float(curve[-1]), label, SERIES[0])]
            axes.plot(x, curve, color=LIGHT[SERIES[0]])
            for role, (key, line) in zip(SERIES[1:], lines.items(), strict=False):
                axes.plot(x, line, color=LIGHT[role], dashes=(4, 2))
                ends.append(EndLabel(float(line[-1]), key, role))
            height = float(np.interp(at, x, curve))
            axes.plot(at, height, marker="o", markersize=7, color=LIGHT["ink"])
            note(axes, at, height, number(at, 5), dx=6, dy=13, weight="bold")
            label_line_ends(axes, ends)
        figures.append(fig)
        parts.append(
            f"{to_plain(label)} {course(*curve[[0, -1]])} from {number(float(curve[0]))} to "
            f"{number(float(curve[-1]))} and crosses a dashed line at {number(at, 5)}"
        )
    if alt is None:
        alt = f"Curves divided by the power that bounds them. {'; '.join(parts)}."
    return Picture(figures, alt=alt, caption=caption, name=name)
