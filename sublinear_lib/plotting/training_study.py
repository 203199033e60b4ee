"""Pictures of what training achieves: two losses of one run, and accuracy over activities.

Loss under the training adversary beside the worst case (Definition 3.4), and accuracy of trained
networks against the share of neurons that fire.  Measured values come with their intervals; nothing
is computed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.checks import ascending, few, nonnegative
from sublinear_lib.plotting.formats import Numbers, number, percent
from sublinear_lib.plotting.palette import LIGHT, SERIES, roles_of
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import (
    EndLabel,
    figure,
    house_style,
    label_line_ends,
    panel,
    panel_title,
    set_scale,
)
from sublinear_lib.validation import float_array, scalar

__all__ = ["accuracy_against_activity", "loss_curves"]

_APART = 1.06
_PARTS = 80  # stretches of a course that are told apart


def loss_curves(
    panels: Mapping[str, Mapping[str, tuple[Numbers, Numbers]]],
    *,
    floor: float = 1e-4,
    xlabel: str = "step",
    ylabel: str = "loss",
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw losses over the steps of several runs, one panel for each, on one logarithmic scale.

    Parameters
    ----------
    panels : mapping of str to mapping of str to (steps, losses)
        For each panel, by its title in the house markup: its curves by their labels.  A label has
        the same color in every panel.  A curve has two points or more, with steps ascending and
        losses ``>= 0``; at most four panels and five labels.
    floor : float, default 1e-4
        Losses below it are drawn at it, ``> 0``: a logarithm has no place for 0.
    xlabel, ylabel : str
        What the axes are, in the house markup.
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
        If there are too many panels or labels or a panel has no curve, shapes do not match, steps
        do not ascend, or a loss is negative.
    """
    lowest = scalar(floor, "floor", exclusive_minimum=0.0)
    few(panels, "panels", 4, "panels")
    labels = list(dict.fromkeys(label for curves in panels.values() for label in curves))
    few(labels, "panels", len(SERIES), "labels")
    checked = {title: _checked_curves(title, curves) for title, curves in panels.items()}
    roles = dict(zip(labels, roles_of(labels), strict=True))
    everything = [losses for curves in checked.values() for _, losses in curves.values()]
    high = max(2.0 * lowest, 1.3 * max(float(losses.max()) for losses in everything))
    low = max(lowest, 0.7 * min(float(losses.min()) for losses in everything))

    figures = []
    for title, curves in checked.items():
        fig = figure(300, 260)
        with house_style():
            axes = panel(fig, left=50, right=84, top=38, bottom=46, xlabel=xlabel, ylabel=ylabel)
            last = max(float(steps[-1]) for steps, _ in curves.values())
            first = min(float(steps[0]) for steps, _ in curves.values())
            set_scale(axes, "x", first, last, target=3)
            set_scale(axes, "y", low, high, scale="log10")
            panel_title(axes, title, left=46, rise=38)
            ends = []
            for label, (steps, losses) in curves.items():
                drawn = np.clip(losses, low, high)
                # A loss that swings at every step would be a smear: its range, and the middle.
                pieces, color = min(_PARTS, drawn.size), LIGHT[roles[label]]
                at = [float(np.mean(part)) for part in np.array_split(steps, pieces)]
                swings = np.array_split(drawn, pieces)
                least, most = (np.array([end(s) for s in swings]) for end in (np.min, np.max))
                axes.fill_between(at, least, most, color=color, alpha=0.25, linewidth=0)
                axes.plot(at, np.sqrt(least * most), color=color, linewidth=1.8, clip_on=False)
                ends.append(EndLabel(float(drawn[-1]), label, roles[label]))
            label_line_ends(axes, ends)
        figures.append(fig)
    if alt is None:
        said = []
        for title, curves in checked.items():
            parts = [
                f"{to_plain(label)} from {number(float(losses[0]))} to {number(float(losses[-1]))}"
                for label, (_, losses) in curves.items()
            ]
            said.append(f"{to_plain(title)}: {', '.join(parts)}")
        over = "the steps" if xlabel == "step" else to_plain(xlabel)
        alt = f"Curves of the {to_plain(ylabel)} over {over}. {'. '.join(said)}."
    return Picture(figures, alt=alt, caption=caption, name=name)


def _checked_curves(
    title: str, curves: Mapping[str, tuple[Numbers, Numbers]]
) -> dict[str, tuple[FloatArray, FloatArray]]:
    checked = {}
    for label, (steps, losses) in curves.items():
        where = f"panels[{title!r}][{label!r}]"
        t = ascending(steps, f"{where} steps")
        checked[label] = (t, nonnegative(losses, f"{where} losses", t.shape))
    if not checked:
        raise ValueError(f"panels[{title!r}] must hold at least one curve, got none")
    return checked


def accuracy_against_activity(
    panels: Mapping[str, Mapping[str, Sequence[Sequence[float]] | FloatArray]],
    *,
    lowest: float = 0.5,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw accuracies against the share of neurons that fire, with their intervals.

    Parameters
    ----------
    panels : mapping of str to mapping of str to array-like, shape (k, 4)
        For each panel, by its title in the house markup: curves by their labels, as rows
        ``(activity, mean, lower, upper)``.  A label has the same color in every panel.
    lowest : float, default 0.5
        Lower end of the accuracy axis, in [0, 1); what lies below is cut off.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The panels, side by side or one below the other; intervals are cut at 1.

    Raises
    ------
    ValueError
        If there are more than four panels or five labels, an activity lies outside (0, 1], a mean
        outside [0, 1] or its interval.
    """
    bottom = scalar(lowest, "lowest", minimum=0.0, exclusive_maximum=1.0)
    few(panels, "panels", 4, "panels")
    labels = list(dict.fromkeys(label for curves in panels.values() for label in curves))
    few(labels, "panels", len(SERIES), "labels")
    roles = dict(zip(labels, roles_of(labels), strict=True))
    checked: dict[str, dict[str, FloatArray]] = {}
    for title, curves in panels.items():
        checked[title] = {}
        for label, rows in curves.items():
            where = f"panels[{title!r}][{label!r}]"
            values = float_array(rows, where, shape=(None, 4))
            values = values[np.argsort(values[:, 0], kind="stable")]
            share, mean, lower, upper = values.T
            if values.shape[0] < 2 or (share <= 0).any() or (share > 1).any():
                raise ValueError(f"{where} must hold at least two activities in (0, 1]")
            if (mean < 0).any() or (mean > 1).any():
                raise ValueError(f"{where} must have means in [0, 1]")
            if (lower > mean).any() or (upper < mean).any():
                raise ValueError(f"{where} must have means within their intervals")
            checked[title][label] = values
    shares = np.concatenate([rows[:, 0] for curves in checked.values() for rows in curves.values()])
    left, right = float(shares.min()), float(shares.max())

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
                xlabel="active at the start",
                ylabel="accuracy",
            )
            marks = sorted({round(float(v), 6) for v in shares})
            shown = [v for k, v in enumerate(marks) if k % 2 == 0 or len(marks) < 5]
            edge = _APART ** len(labels)
            set_scale(
                axes,
                "x",
                left / edge,
                right * edge,
                scale="log10",
                values=shown,
                label=percent,
            )
            set_scale(axes, "y", bottom, 1.0, label=percent)
            panel_title(axes, title, left=46, rise=38)
            ends = []
            for place, (label, rows) in enumerate(curves.items()):
                share, mean, lower, upper = np.clip(rows.T, 0.0, 1.0)
                role = roles[label]
                # Side by side, where the intervals of several curves would hide each other.
                share = share * _APART ** (place - (len(curves) - 1) / 2)
                axes.plot(share, np.maximum(mean, bottom), color=LIGHT[role], linewidth=1.8)
                seen = upper > bottom
                axes.vlines(
                    share[seen],
                    np.maximum(lower[seen], bottom),
                    upper[seen],
                    color=LIGHT[role],
                    linewidth=1.4,
                )
                inside = mean >= bottom
                axes.plot(
                    share[inside],
                    mean[inside],
                    linestyle="none",
                    marker="o",
                    markersize=5.5,
                    color=LIGHT[role],
                    markeredgecolor=LIGHT["paper"],
                    markeredgewidth=1.1,
                    clip_on=False,
                    zorder=4,
                )
                ends.append(EndLabel(max(float(mean[-1]), bottom), label, role))
            label_line_ends(axes, ends)
        figures.append(fig)
    if alt is None:
        said = []
        for title, curves in checked.items():
            parts = [
                f"{to_plain(label)} {percent(float(rows[0, 1]))} at {percent(float(rows[0, 0]))} "
                f"activity and {percent(float(rows[-1, 1]))} at {percent(float(rows[-1, 0]))}"
                for label, rows in curves.items()
            ]
            said.append(f"{to_plain(title)}: {'; '.join(parts)}")
        alt = f"Accuracy against the share of active neurons. {'. '.join(said)}."
    return Picture(figures, alt=alt, caption=caption, name=name)
