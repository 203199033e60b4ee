"""Pictures of the phase transition: two features of one class over the training, and the map.

`transition_picture` draws for each class how the robust and the non-robust feature grow, beside
what the recursion says, with the plateau and the step at which the lead changes;
`phase_map_picture` draws on the plane of budget and rate where the robust feature wins.  The
numbers come from `sublinear_lib.features`; no formula lives here.  Before changing them, know that
the colors are those of all of Part III: the robust feature is blue, the non-robust one rust.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.checks import ascending, positive
from sublinear_lib.plotting.formats import Numbers, number, percent
from sublinear_lib.plotting.palette import LIGHT, Role
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
from sublinear_lib.validation import float_array, scalar

__all__ = ["MapRun", "TransitionPanel", "Wall", "phase_map_picture", "transition_picture"]

_MOST_PANELS = 4
_TICKS = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0]
# A run counts as one-sided if at most a tenth of its classes went the other way.
_ONE_SIDED = 0.9


class TransitionPanel(NamedTuple):
    """One class in `transition_picture`.

    Parameters
    ----------
    title : str
        Which class, in the house markup.
    A, B : array-like, shape (L,)
        The robust and the non-robust feature in the best filter, positive.
    predicted_A, predicted_B : array-like, shape (L,), optional
        What the recursion says; both or none.
    crossing : float
        The step from which A leads; infinite for never.
    predicted_crossing : float, optional
        The same by the recursion.
    """

    title: str
    A: Numbers
    B: Numbers
    predicted_A: Numbers | None = None
    predicted_B: Numbers | None = None
    crossing: float = math.inf
    predicted_crossing: float | None = None


class Wall(NamedTuple):
    """The part of the map in which the robust feature of one class wins.

    Parameters
    ----------
    eps : array-like, shape (E,)
        Budgets, ascending; none if the robust feature wins nowhere.
    lower, upper : array-like, shape (E,)
        The rates between which it wins, positive, the lower at most the upper.
    """

    eps: Numbers
    lower: Numbers
    upper: Numbers


class MapRun(NamedTuple):
    """Trained networks at one place of the map.

    Parameters
    ----------
    eps : float
        Their budget.
    rate : float
        Their rate, ``> 0``.
    share : float
        The share of their classes that lean on the robust feature, in [0, 1].
    """

    eps: float
    rate: float
    share: float


def _when(step: float) -> str:
    return f"at step {number(step, 6)}" if math.isfinite(step) else "never"


def transition_picture(
    steps: Numbers,
    panels: Sequence[TransitionPanel],
    *,
    level: float | None = None,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw how the two features of each class grow, and when the robust one takes the lead.

    Parameters
    ----------
    steps : array-like, shape (L,)
        The numbers of updates, ascending, ``L >= 2``; long paths are thinned out.
    panels : sequence of TransitionPanel
        One to four classes, on one logarithmic scale.
    level : float, optional
        The plateau of the non-robust feature, drawn dashed if it is finite.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        One panel for each class, side by side or one below the other.

    Raises
    ------
    ValueError
        If shapes do not match, steps do not ascend, a feature is not positive, only one of two
        predictions is given, or there are too many panels.

    Notes
    -----
    Source: Lemma 5.2, after Li and Li (2025).
    """
    times = ascending(steps, "steps")
    if not 1 <= len(panels) <= _MOST_PANELS:
        raise ValueError(f"panels must hold one to {_MOST_PANELS} panels, got {len(panels)}")
    plateau = None
    if level is not None and level != math.inf:
        plateau = scalar(level, "level", exclusive_minimum=0.0)
    paths: list[dict[str, FloatArray]] = []
    for k, each in enumerate(panels):
        if (each.predicted_A is None) != (each.predicted_B is None):
            raise ValueError(
                f"panels[{k}] must give predicted_A and predicted_B, or none of the two"
            )
        given = {"A": each.A, "B": each.B}
        if each.predicted_A is not None and each.predicted_B is not None:
            given |= {"predicted_A": each.predicted_A, "predicted_B": each.predicted_B}
        paths.append(
            {part: positive(v, f"panels[{k}].{part}", times.shape) for part, v in given.items()}
        )
    every = np.concatenate([path for each in paths for path in each.values()])
    low, high = float(every.min()) / 1.3, float(every.max()) * 1.25
    few = thinned(times.size)
    figures = []
    for each, own in zip(panels, paths, strict=True):
        fig = figure(300, 290)
        with house_style():
            axes = panel(fig, left=42, right=30, top=54, bottom=46, xlabel="step")
            set_scale(axes, "x", float(times[0]), float(times[-1]), target=4, label=number)
            marks = [tick for tick in _TICKS if low <= tick <= high]
            set_scale(axes, "y", low, high, scale="log10", values=marks, label=number)
            panel_title(axes, each.title, left=38, rise=42)
            if plateau is not None:
                style: Any = {"dashes": (5, 3)}
                axes.axhline(plateau, color=LIGHT["muted"], linewidth=1.25, **style)
                note(
                    axes,
                    float(times[0]),
                    plateau,
                    "plateau",
                    role="muted",
                    dx=4,
                    dy=4,
                    va="bottom",
                    size=11,
                )
            _crossing(axes, each, (float(times[0]), float(times[-1])))
            for part, role in (("A", "c1"), ("B", "c2")):
                axes.plot(times[few], own[part][few], color=LIGHT[role], linewidth=2.25)  # type: ignore[index]
            for part in ("predicted_A", "predicted_B"):
                if part in own:
                    axes.plot(
                        times[few],
                        own[part][few],
                        color=LIGHT["ink"],
                        linewidth=1.75,
                        linestyle=(0, (0.1, 2.0)),
                        dash_capstyle="round",
                    )
            ends: list[EndLabel] = [
                EndLabel(float(own["A"][-1]), "*A*", "c1"),
                EndLabel(float(own["B"][-1]), "*B*", "c2"),
            ]
            label_line_ends(axes, ends)
        figures.append(fig)
    if alt is None:
        alt = _told(panels, paths, times, plateau)
    return Picture(figures, alt=alt, caption=caption, name=name)


def _crossing(axes: Axes, each: TransitionPanel, ends: tuple[float, float]) -> None:
    """Mark the step at which the lead changes, and the predicted one, above the plot."""
    said = "*A* does not take the lead"
    if math.isfinite(each.crossing):
        said = f"*A* leads from {number(each.crossing, 6)}"
        if ends[0] <= each.crossing <= ends[1]:
            axes.axvline(each.crossing, color=LIGHT["c3"], linewidth=1.5)
    if each.predicted_crossing is not None:
        found = each.predicted_crossing
        if math.isfinite(found) and ends[0] <= found <= ends[1]:
            style: Any = {"dashes": (1.5, 2)}
            axes.axvline(found, color=LIGHT["ink"], linewidth=1.25, **style)
        said += f" (recursion: {number(found, 6) if math.isfinite(found) else 'never'})"
    note(axes, 0, 1, said, coordinates="axes fraction", role="c3", dx=-38, dy=20, size=11.5)


def _told(
    panels: Sequence[TransitionPanel],
    paths: Sequence[dict[str, FloatArray]],
    times: FloatArray,
    plateau: float | None,
) -> str:
    said = []
    for each, own in zip(panels, paths, strict=True):
        text = (
            f"{to_plain(each.title)}: A goes from {number(float(own['A'][0]))} to "
            f"{number(float(own['A'][-1]))}, B from {number(float(own['B'][0]))} to "
            f"{number(float(own['B'][-1]))}; A takes the lead for good {_when(each.crossing)}"
        )
        if each.predicted_crossing is not None:
            text += f", by the recursion {_when(each.predicted_crossing)}"
        said.append(text)
    flat = "" if plateau is None else f" The plateau lies at {number(plateau)}."
    return (
        f"The robust feature A and the non-robust feature B over {number(float(times[-1]), 6)} "
        f"steps, logarithmic. {'. '.join(said)}.{flat}"
    )


def phase_map_picture(
    walls: Sequence[Wall],
    *,
    eps: tuple[float, float] = (-0.03, 1.23),
    rates: tuple[float, float] = (30.0, 1e4),
    critical: float | None = None,
    runs: Sequence[MapRun] = (),
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw where on the plane of budget and rate the robust feature wins.

    Parameters
    ----------
    walls : sequence of Wall
        One for each class, at most four; the more of them hold at a place, the darker it is.
    eps : pair of float
        The budgets shown, ascending.
    rates : pair of float
        The rates shown, ascending and positive.
    critical : float, optional
        A rate that is drawn as a dashed line.
    runs : sequence of MapRun
        Trained networks, as dots: blue, rust, or umber where the classes disagree.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The map.

    Raises
    ------
    ValueError
        If there are no walls or more than four, shapes do not match, or a number is out of range.

    Notes
    -----
    Source: the spectrum that reviewers of Li and Li (2025) asked for; the map is ours.
    """
    if not 1 <= len(walls) <= _MOST_PANELS:
        raise ValueError(f"walls must hold one to {_MOST_PANELS} walls, got {len(walls)}")
    left, right = float_array(eps, "eps", shape=(2,)).tolist()
    bottom, top = float_array(rates, "rates", shape=(2,)).tolist()
    if not (left < right and 0 < bottom < top):
        raise ValueError(f"eps and rates must ascend, rates > 0, got {eps} and {rates}")
    areas = []
    for k, wall in enumerate(walls):
        budgets = np.asarray(wall.eps, dtype=np.float64)
        if budgets.size == 0:
            continue
        budgets = float_array(wall.eps, f"walls[{k}].eps", shape=(None,))
        if (np.diff(budgets) <= 0).any():
            raise ValueError(f"walls[{k}].eps must ascend, got {budgets.tolist()}")
        lower = positive(wall.lower, f"walls[{k}].lower", budgets.shape)
        upper = positive(wall.upper, f"walls[{k}].upper", budgets.shape)
        if (lower > upper).any():
            raise ValueError(f"walls[{k}].lower must not exceed walls[{k}].upper")
        areas.append((budgets, lower, upper))
    shares = [
        scalar(run.share, f"runs[{k}].share", minimum=0.0, maximum=1.0)
        for k, run in enumerate(runs)
    ]
    for k, run in enumerate(runs):
        scalar(run.eps, f"runs[{k}].eps")
        scalar(run.rate, f"runs[{k}].rate", exclusive_minimum=0.0)
    limit = None if critical is None else scalar(critical, "critical", exclusive_minimum=0.0)
    rows = 2 if runs else 1
    fig = figure(420, 306 + 18 * rows)
    with house_style():
        axes = panel(
            fig,
            left=58,
            right=18,
            top=12 + 18 * rows,
            bottom=46,
            xlabel="budget *ε* of the training adversary",
            ylabel="rate *η̃*",
            ylabel_rise=4.0 + 18.0 * rows,
        )
        set_scale(axes, "x", left, right, target=6, label=number)
        marks = [v for v in (10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 1e5) if bottom <= v <= top]
        set_scale(axes, "y", bottom, top, scale="log10", values=marks, label=number)
        for budgets, lower, upper in areas:
            axes.fill_between(
                budgets, lower, upper, color=LIGHT["c1"], alpha=0.6 / len(walls), linewidth=0
            )
            axes.plot(budgets, lower, color=LIGHT["c1"], linewidth=1.25)
        if limit is not None and bottom <= limit <= top:
            style: Any = {"dashes": (5, 3)}
            axes.axhline(limit, color=LIGHT["c4"], linewidth=1.5, **style)
            note(
                axes, left, limit, f"critical rate {number(limit)}", role="c4", dx=6, dy=9, size=11
            )
        for run, share in zip(runs, shares, strict=True):
            axes.plot(
                run.eps,
                run.rate,
                marker="o",
                markersize=9,
                linestyle="none",
                color=LIGHT[_side(share)],
                markeredgecolor=LIGHT["paper"],
                markeredgewidth=1.5,
                clip_on=False,
            )
        key: list[tuple[str, Role, float, float]] = [
            ("■ *u* wins; the darker, the more classes", "c1", -54.0, 12.0 + 18.0 * (rows - 1))
        ]
        if runs:
            key += [
                ("● trained: *u*", "c1", -54.0, 12.0),
                ("● classes disagree", "c5", 60.0, 12.0),
                ("● trained: *v*", "c2", 196.0, 12.0),
            ]
        for text, role, dx, dy in key:
            note(
                axes,
                0,
                1,
                text,
                coordinates="axes fraction",
                role=role,
                dx=dx,
                dy=dy,
                size=11.5,
            )
    if alt is None:
        alt = _map_told(areas, len(walls), limit, runs)
    return Picture(fig, alt=alt, caption=caption, name=name)


def _side(share: float) -> Role:
    if share >= _ONE_SIDED:
        return "c1"
    return "c2" if share <= 1 - _ONE_SIDED else "c5"


def _map_told(
    areas: Sequence[tuple[FloatArray, ...]],
    classes: int,
    limit: float | None,
    runs: Sequence[MapRun],
) -> str:
    if not areas:
        said = ["The robust feature wins nowhere"]
    else:
        first = [float(budgets[0]) for budgets, _, _ in areas]
        least = [float(lower.min()) for _, lower, _ in areas]
        said = [
            f"Of {classes} classes the robust feature wins somewhere in {len(areas)}, from budgets "
            f"of {number(min(first))} to {number(max(first))} on and above rates of "
            f"{number(min(least))} to {number(max(least))} at least"
        ]
    if limit is not None:
        said.append(f"The critical rate is {number(limit)}")
    if runs:
        told = "; ".join(
            f"{number(run.eps)} and {number(run.rate)}: {percent(run.share)} of the classes"
            for run in runs
        )
        said.append(f"Trained networks lean on the robust feature, at budget and rate {told}")
    return f"A map of budgets and rates. {'. '.join(said)}."
