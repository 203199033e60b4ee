"""Pictures of what memorizers say between and beyond their balls.

`answers_picture` shades where networks give one label or another in the plane, and leaves blank
where they give none; `answer_bars` shows the shares of right, wrong and missing answers with their
intervals.  The numbers come from the floors below; no formula lives here.  Before changing them,
know that "no answer" is a category of its own: a network that is silent is not a network that errs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.formats import Numbers, number, percent
from sublinear_lib.plotting.palette import FAINT, LIGHT, Role
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import (
    badge,
    figure,
    house_style,
    note,
    panel,
    panel_title,
    set_scale,
)
from sublinear_lib.statistics import Interval
from sublinear_lib.validation import float_array, scalar

__all__ = [
    "AnswerPanel",
    "answer_bars",
    "answers_picture",
]

_SIGNS: tuple[tuple[float, Role, str], ...] = ((1.0, "c1", "+"), (-1.0, "c2", "\N{MINUS SIGN}"))


class AnswerPanel(NamedTuple):
    """One panel of `answers_picture`.

    Parameters
    ----------
    title : str
        What it shows, in the house markup.
    values : array-like, shape (k, k)
        Values of the network on a grid of the square, row by row from below.
    plus, minus : pair of float, optional
        The values, from and to, that answer +1 and -1; by default the positive and the negative
        ones.  A value in neither is no answer.
    """

    title: str
    values: FloatArray
    plus: tuple[float, float] = (0.0, math.inf)
    minus: tuple[float, float] = (-math.inf, 0.0)


def answers_picture(
    X: Numbers,
    s: Numbers,
    panels: Sequence[AnswerPanel],
    *,
    mu: float,
    limits: tuple[float, float],
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Shade where networks answer +1 and -1 in a square of the plane, with points and balls.

    Parameters
    ----------
    X : array-like, shape (N, 2)
        The points that are memorized.
    s : array-like, shape (N,)
        Their labels, -1 or +1.
    panels : sequence of AnswerPanel
        One to three panels; the grids have at least 2 rows.
    mu : float
        The radius of the balls of the maximum norm, ``>= 0``.
    limits : pair of float
        The ends of both axes, and of the grids.
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
        If shapes do not match, a label is not a sign, limits do not ascend, or there are no panels
        or more than three.

    Notes
    -----
    Source: Theorems II.4.8 and II.5.2.
    """
    points = float_array(X, "X", shape=(None, 2))
    signs = float_array(s, "s", shape=(len(points),))
    if (np.abs(signs) != 1.0).any():
        raise ValueError(f"s must hold -1 and +1 only, got {np.unique(signs).tolist()}")
    mu = scalar(mu, "mu", minimum=0.0)
    low, high = float_array(limits, "limits", shape=(2,)).tolist()
    if not low < high:
        raise ValueError(f"limits must ascend, got {(low, high)}")
    if not 1 <= len(panels) <= 3:
        raise ValueError(f"panels must hold one to three panels, got {len(panels)}")
    checked = []
    for k, each in enumerate(panels):
        values = float_array(each.values, f"panels[{k}].values", shape=(None, None))
        if values.shape[0] != values.shape[1] or len(values) < 2:
            raise ValueError(
                f"panels[{k}].values must be a square grid of at least 2 rows, got {values.shape}"
            )
        for which, (start, stop) in (("plus", each.plus), ("minus", each.minus)):
            if not start < stop:
                raise ValueError(f"panels[{k}].{which} must ascend, got {(start, stop)}")
        checked.append(each._replace(values=values))
    figures = [_answers(points, signs, each, mu, low, high) for each in checked]
    if alt is None:
        parts = []
        for each in checked:
            plus, minus = (
                float(np.mean((start < each.values) & (each.values < stop)))
                for start, stop in (each.plus, each.minus)
            )
            parts.append(
                f"{to_plain(each.title)}: the answer is plus on {percent(plus, 2)} of the square, "
                f"minus on {percent(minus, 2)}, and there is none on "
                f"{percent(max(0.0, 1.0 - plus - minus), 2)}"
            )
        alt = (
            f"{len(points)} points of the plane with two labels, and squares of half-width "
            f"{number(mu)} around them. {'. '.join(parts)}."
        )
    return Picture([axes.figure for axes in figures], alt=alt, caption=caption, name=name)  # type: ignore[misc]


def _answers(
    points: FloatArray,
    signs: FloatArray,
    shown: AnswerPanel,
    mu: float,
    low: float,
    high: float,
) -> Axes:
    # Inner width equals inner height, so that a unit is as long on both axes.
    fig = figure(300, 318)
    with house_style():
        axes = panel(fig, left=38, right=10, top=36, bottom=30)
        axes.grid(visible=False)
        for which in ("x", "y"):
            set_scale(axes, which, low, high, target=3, label=number)
        panel_title(axes, shown.title, left=34)
        places = np.linspace(low, high, len(shown.values))
        least, most = float(shown.values.min()), float(shown.values.max())
        edges = set()
        for (start, stop), (_, role, _) in zip((shown.plus, shown.minus), _SIGNS, strict=True):
            edges |= {edge for edge in (start, stop) if least < edge < most}
            bounds = [max(start, least - 1.0), min(stop, most + 1.0)]
            if bounds[0] < most and least < bounds[1]:
                area = axes.contourf(places, places, shown.values, bounds, colors=[LIGHT[role]])
                area.set_alpha(0.22)
        if edges:
            axes.contour(
                places,
                places,
                shown.values,
                levels=sorted(edges),
                colors=[LIGHT["ink"]],
                linewidths=1.0,
            )
        for x, sign in zip(points, signs.tolist(), strict=True):
            role, text = next((r, t) for value, r, t in _SIGNS if value == sign)
            a, b = x.tolist()
            if mu > 0.0:
                look = {"facecolor": "none", "edgecolor": LIGHT[role], "linewidth": 1.25}
                axes.add_patch(Rectangle((a - mu, b - mu), 2 * mu, 2 * mu, **look))  # type: ignore[arg-type]
            badge(axes, a, b, text, role, size=11.0, letters=11.0)
    return axes


_OUTCOMES: tuple[tuple[str, Role], ...] = (("right", "c3"), ("wrong", "c2"), ("no answer", "muted"))
# Silence is pale: it is not an error.
_ALPHA: dict[Role, float] = {"c3": 1.0, "c2": 1.0, "muted": FAINT}


def answer_bars(
    entries: Mapping[str, tuple[float, float, float]],
    intervals: Mapping[str, Interval],
    *,
    chance: float | None = None,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw the shares of right, wrong and missing answers as bars that fill one row each.

    Parameters
    ----------
    entries : mapping of str to (float, float, float)
        For each row, by its title in the house markup: the shares that are right, wrong and without
        an answer; each in [0, 1], together 1.  One to six rows.
    intervals : mapping of str to Interval
        For each row the interval of its first share, drawn as a whisker and written beside it.
    chance : float, optional
        A share to mark by a dashed line, such as that of a guess; in (0, 1).
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
        If shares do not add to 1, titles do not match, or there are no rows or more than six.

    Notes
    -----
    Source: Proposition II.6.
    """
    if not 1 <= len(entries) <= 6:
        raise ValueError(f"entries must hold one to six rows, got {len(entries)}")
    if set(entries) != set(intervals):
        raise ValueError(
            f"intervals must have the titles of entries, got {list(intervals)} and {list(entries)}"
        )
    rows = {}
    for title, given in entries.items():
        row = float_array(given, f"entries[{title!r}]", shape=(3,))
        if (row < 0.0).any() or abs(float(row.sum()) - 1.0) > 1e-9:
            raise ValueError(
                f"entries[{title!r}] must hold three shares that add to 1, got {row.tolist()}"
            )
        rows[title] = row
    if chance is not None:
        chance = scalar(chance, "chance", exclusive_minimum=0.0, exclusive_maximum=1.0)
    step, top = 52.0, 44.0
    left, right = 18.0, 24.0
    fig = figure(440, top + step * len(rows) + 30.0)
    with house_style():
        axes = panel(fig, left=left, right=right, top=top, bottom=30)
        axes.grid(visible=False)
        axes.set_ylim(step * len(rows), 0.0)
        set_scale(axes, "x", 0.0, 1.0, target=5, label=percent)
        axes.set_yticks([])
        place, level = 0.015, 1.0 + 30.0 / (step * len(rows))
        for label, role in _OUTCOMES:
            axes.plot(
                place,
                level,
                marker="s",
                markersize=9.0,
                color=LIGHT[role],
                alpha=_ALPHA[role],
                transform=axes.transAxes,
                clip_on=False,
                linestyle="none",
            )
            note(
                axes,
                place,
                level,
                label,
                coordinates="axes fraction",
                dx=10,
                size=11,
                va="center_baseline",
            )
            place += 0.16
        for r, (title, shares) in enumerate(rows.items()):
            y, start = step * r + 24.0, 0.0
            interval = intervals[title]
            middle, least, most = (
                percent(value, 3 if value >= 0.1 else 2)
                for value in (interval.estimate, interval.lower, interval.upper)
            )
            note(axes, 0.0, y - 10.0, title, weight="bold", va="center_baseline")
            note(
                axes,
                1.0,
                y - 10.0,
                f"{middle} [{least}, {most}]",
                role="c3",
                ha="right",
                va="center_baseline",
                size=11,
            )
            for (_, role), share in zip(_OUTCOMES, shares.tolist(), strict=True):
                if share > 0.0:
                    axes.barh(
                        y,
                        share,
                        left=start,
                        height=20.0,
                        align="edge",
                        color=LIGHT[role],
                        alpha=_ALPHA[role],
                    )
                start += share
            # Drawn twice: the wider one, in the color of the page, is the outline.
            strokes: tuple[tuple[Role, float], ...] = (("paper", 4.5), ("ink", 1.75))
            for color, width in strokes:
                low, high = interval.lower, interval.upper
                for ends, levels in (
                    ((low, high), (y + 10.0, y + 10.0)),
                    ((low, low), (y + 5.0, y + 15.0)),
                    ((high, high), (y + 5.0, y + 15.0)),
                ):
                    axes.plot(ends, levels, color=LIGHT[color], linewidth=width, clip_on=False)
        if chance is not None:
            axes.axvline(chance, color=LIGHT["ink"], linewidth=1.25, dashes=(3, 2))
            note(
                axes,
                chance,
                1.0,
                "a guess",
                coordinates=("data", "axes fraction"),
                dy=9,
                ha="center",
                size=11,
                va="center_baseline",
            )
    if alt is None:
        parts = [
            f"{to_plain(title)}: right {percent(float(row[0]))} (interval "
            f"{percent(intervals[title].lower)} to {percent(intervals[title].upper)}), wrong "
            f"{percent(float(row[1]))}, no answer {percent(float(row[2]))}"
            for title, row in rows.items()
        ]
        alt = f"Bars of right, wrong and missing answers. {'. '.join(parts)}."
        if chance is not None:
            alt += f" A dashed line marks a guess, {percent(chance)}."
    return Picture(fig, alt=alt, caption=caption, name=name)
