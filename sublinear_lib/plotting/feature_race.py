"""Pictures of the race of features: growth over the steps, and who wins.

`race_picture` draws what filters hold of the two features over the steps, with a prediction dotted
on top; `ratio_picture` the share of the robust feature against a number that should tell the
winner.  The robust feature is always the first color, the non-robust one the second.  The numbers
come from the floors below; no formula lives here.  Before changing them, know that curves are
thinned: a picture of 1600 steps has at most 160 of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

from sublinear_lib._typing import BoolArray, FloatArray, IntArray
from sublinear_lib.plotting.checks import ascending, shares
from sublinear_lib.plotting.formats import Numbers, grouped, number, percent
from sublinear_lib.plotting.palette import FAINT, LIGHT, Role
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
    thinned,
)
from sublinear_lib.validation import choice, float_array, scalar

__all__ = ["RacePanel", "race_picture", "ratio_picture"]

_MOST_PANELS = 4
# Three panels, one for each class, stand side by side on the page.
_THREE = 250.0
_ROLES: dict[str, Role] = {"robust": "c1", "nonrobust": "c2"}
_LETTERS = {"robust": "*A*", "nonrobust": "*B*"}


class RacePanel(NamedTuple):
    """One panel of `race_picture`.

    Parameters
    ----------
    title : str
        What it shows, in the house markup.
    robust, nonrobust : array-like, shape (T,) or (T, m)
        What the filters hold of the two features at every step.  Of several filters the one that
        holds most at the end is drawn strong, the others thin.
    predicted_robust, predicted_nonrobust : array-like, shape (T,), optional
        What is predicted for the strong line; both or none.
    """

    title: str
    robust: Numbers
    nonrobust: Numbers
    predicted_robust: Numbers | None = None
    predicted_nonrobust: Numbers | None = None


class _Curves(NamedTuple):
    """What a panel draws of one feature: all filters, the leader, and its prediction."""

    all: FloatArray
    leader: FloatArray
    predicted: FloatArray | None


def _checked_curves(shown: RacePanel, where: str, feature: str, length: int) -> _Curves:
    value, predicted = getattr(shown, feature), getattr(shown, f"predicted_{feature}")
    name = f"{where}.{feature}"
    every = float_array(value, name)
    if every.ndim == 1:
        every = every[:, None]
    if every.ndim != 2 or len(every) != length or every.shape[1] < 1:
        shape = np.shape(np.asarray(value))
        raise ValueError(f"{name} must have shape ({length},) or ({length}, m), got {shape}")
    guess = None
    if predicted is not None:
        guess = float_array(predicted, f"{where}.predicted_{feature}", shape=(length,))
    return _Curves(every, every[:, int(every[-1].argmax())], guess)


def race_picture(
    steps: Numbers,
    panels: Sequence[RacePanel],
    *,
    scale: str = "linear",
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw how much of the two features the filters hold over the steps.

    Parameters
    ----------
    steps : array-like, shape (T,)
        The steps, ascending, ``T >= 2``.
    panels : sequence of RacePanel
        One to four panels, on one scale.
    scale : {"linear", "log10"}
        The scale of the features; on a logarithmic one all lines must be positive, but for those
        of filters that do not lead, which are cut at the lower edge.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The panels, side by side or one below the other: robust feature in the first color,
        non-robust one in the second, predictions dotted on top.

    Raises
    ------
    ValueError
        If steps do not ascend, shapes do not match, only one of two predictions is given, a line
        that leads is not positive on a logarithmic scale, or there are too many panels.

    Notes
    -----
    Source: Lemma 5.1, after Li and Li (2025).
    """
    t = ascending(steps, "steps")
    choice(scale, "scale", ("linear", "log10"))
    if not 1 <= len(panels) <= _MOST_PANELS:
        raise ValueError(f"panels must hold one to {_MOST_PANELS} panels, got {len(panels)}")
    shown: list[dict[str, _Curves]] = []
    for k, each in enumerate(panels):
        if (each.predicted_robust is None) != (each.predicted_nonrobust is None):
            raise ValueError(f"panels[{k}] must have both predictions or none")
        shown.append(
            {which: _checked_curves(each, f"panels[{k}]", which, t.size) for which in _ROLES}
        )
    lines = [c for one in shown for c in one.values()]
    leads = [line for c in lines for line in (c.leader, c.predicted) if line is not None]
    low, high = (
        float(pick([edge(v) for v in leads])) for pick, edge in ((min, np.min), (max, np.max))
    )
    if scale == "log10" and low <= 0:
        raise ValueError(f"panels must be > 0 on a logarithmic scale, got {low!r}")
    high = max(high, 0.0)
    ends = (0.7 * low, 1.5 * high) if scale == "log10" else (min(low, 0.0), 1.08 * high or 1.0)
    keep = thinned(t.size)
    figures = []
    for each, curves in zip(panels, shown, strict=True):
        several = any(c.all.shape[1] > 1 for c in curves.values())
        fig = figure(_THREE if len(panels) == 3 else 300, 262)
        with house_style():
            axes = panel(
                fig, left=38, right=58 if several else 26, top=36, bottom=44, xlabel="step"
            )
            set_scale(axes, "x", float(t[0]), float(t[-1]), target=4)
            set_scale(axes, "y", *ends, scale=scale, target=4, label=number)
            panel_title(axes, each.title, left=34)
            _draw(axes, t[keep], curves, keep, ends)
            label_line_ends(
                axes,
                [
                    EndLabel(
                        float(c.leader[-1]),
                        f"max {_LETTERS[feature]}" if several else _LETTERS[feature],
                        _ROLES[feature],
                    )
                    for feature, c in curves.items()
                ],
            )
        figures.append(fig)
    if alt is None:
        said = [
            f"{to_plain(each.title)}: {_said(curves['robust'], 'A, the robust feature,')} and "
            f"{_said(curves['nonrobust'], 'B, the non-robust one,')}"
            for each, curves in zip(panels, shown, strict=True)
        ]
        dotted = any(c.predicted is not None for c in lines)
        alt = (
            f"What the filters hold of two features over {grouped(round(t[-1] - t[0]))} steps"
            f"{', and dotted a prediction' if dotted else ''}. {'. '.join(said)}."
        )
    return Picture(figures, alt=alt, caption=caption, name=name)


def _draw(
    axes: Axes,
    t: FloatArray,
    curves: Mapping[str, _Curves],
    keep: IntArray,
    ends: tuple[float, float],
) -> None:
    """Draw thin lines first, then the leaders, then predictions on top."""
    for feature, c in curves.items():
        if c.all.shape[1] > 1:
            cut = np.maximum(c.all[keep], ends[0])
            axes.plot(t, cut, color=LIGHT[_ROLES[feature]], linewidth=0.8, alpha=FAINT)
    for feature, c in curves.items():
        axes.plot(t, c.leader[keep], color=LIGHT[_ROLES[feature]], linewidth=2.5)
    for c in curves.values():
        if c.predicted is not None:
            axes.plot(
                t, c.predicted[keep], color=LIGHT["ink"], linewidth=2.0, linestyle=(0, (1, 2.4))
            )


def _said(curves: _Curves, what: str) -> str:
    words = (
        f"{what} goes from {number(float(curves.leader[0]))} to {number(float(curves.leader[-1]))}"
    )
    if curves.predicted is None:
        return words
    return f"{words} (predicted {number(float(curves.predicted[-1]))})"


def ratio_picture(
    ratio: Numbers,
    measured: Numbers,
    predicted: Numbers | None = None,
    *,
    threshold: float = 1.0,
    xlabel: str = "race ratio *R* of the first weights",
    ylabel: str = "share of *u* in the logit, after training",
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw the share of the robust feature against a ratio that should tell the winner.

    Parameters
    ----------
    ratio : array-like, shape (n,)
        The ratio of every class, positive; above `threshold` the non-robust feature should win.
    measured : array-like, shape (n,)
        The share of the robust feature that training reached, in [0, 1]: dots, in the color of
        the feature that has the larger part.
    predicted : array-like, shape (n,), optional
        Shares by a finer prediction: rings.
    threshold : float, default 1
        Where the winner should change, positive.
    xlabel, ylabel : str
        What the axes measure, in the house markup.
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
        If shapes do not match, a ratio or the threshold is not positive, or a share lies outside
        [0, 1].

    Notes
    -----
    Source: Proposition III.2.
    """
    r = float_array(ratio, "ratio", shape=(None,))
    if r.min() <= 0:
        raise ValueError(f"ratio must be positive, got {float(r.min())!r}")
    threshold = scalar(threshold, "threshold", exclusive_minimum=0.0)
    reached = shares(measured, "measured", r.shape)
    told = None if predicted is None else shares(predicted, "predicted", r.shape)
    low, high = min(0.7 * r.min(), 0.7 * threshold), max(1.4 * r.max(), 1.4 * threshold)
    robust = reached > 0.5
    fig = figure(420, 300)
    with house_style():
        axes = panel(fig, left=46, right=14, top=34, bottom=46, xlabel=xlabel, ylabel=ylabel)
        set_scale(axes, "x", float(low), float(high), scale="log10", target=4, label=number)
        set_scale(axes, "y", -0.04, 1.04, values=[0, 0.25, 0.5, 0.75, 1], label=percent)
        axes.axvline(threshold, color=LIGHT["muted"], linewidth=1.5, dashes=(4, 3))
        for side, ha, text in ((-8, "right", "*u* should win"), (8, "left", "*v* should win")):
            note(axes, threshold, 0.3, text, role="muted", dx=side, ha=ha, size=11)
        if told is not None:
            axes.plot(
                r,
                told,
                linestyle="none",
                marker="o",
                markersize=11,
                markerfacecolor="none",
                markeredgecolor=LIGHT["muted"],
                markeredgewidth=1.2,
                clip_on=False,
            )
        sides: tuple[tuple[BoolArray, Role], ...] = ((robust, "c1"), (~robust, "c2"))
        for which, role in sides:
            axes.plot(
                r[which],
                reached[which],
                linestyle="none",
                marker="o",
                markersize=6,
                color=LIGHT[role],
                clip_on=False,
            )
    if alt is None:
        below = r < threshold
        alt = (
            f"{r.size} classes by their ratio, from {number(float(r.min()))} to "
            f"{number(float(r.max()))}. Of {int(below.sum())} below {number(threshold)}, "
            f"{int((below & robust).sum())} learned the robust feature; of {int((~below).sum())} "
            f"others, {int((~below & robust).sum())} did."
        )
        if told is not None:
            off = np.abs(told - reached).max()
            same = int(((told > 0.5) == robust).sum())
            alt += (
                f" The rings tell the same winner for {same} of {r.size}; the largest distance "
                f"of a ring from its dot is {number(float(off))}."
            )
    return Picture(fig, alt=alt, caption=caption, name=name)
