"""The race of features: growth over the steps, who wins, and inputs made of patches.

The shade of a cell is the square root of its value over the largest: with a linear scale a weak
dense feature would hardly be seen beside a strong one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.chart import INK, Chart, Drawing, extent, picture
from sublinear_lib.plotting.formats import Numbers, grouped, number, percent
from sublinear_lib.plotting.style import thinned
from sublinear_lib.validation import float_array

_FEATURES = (("*A*", "A, the strong feature,", "c1"), ("*B*", "B, the weak one,", "c2"))


class RacePanel(NamedTuple):
    """What a filter holds of the two features, (T,) each, and what was predicted for it."""

    title: str
    robust: Numbers
    nonrobust: Numbers
    predicted_robust: Numbers
    predicted_nonrobust: Numbers


@picture
def race_picture(steps: Numbers, panels: Sequence[RacePanel], *, scale: str = "linear") -> Drawing:
    """Draw how much of the two features filters hold over the steps (Lemma 5.1).

    Predictions are dotted on top.
    """
    t, keep = np.asarray(steps), thinned(len(steps))
    shown = [float_array(each[1:], each.title, shape=(4, t.size)) for each in panels]
    low, high = extent(*shown)
    ends = (
        (0.7 * low, 1.5 * high)
        if scale == "log10"
        else (min(low, 0.0), 1.08 * max(high, 0.0) or 1.0)
    )
    charts, said = [], []
    for each, paths in zip(panels, shown, strict=True):
        # Three panels, one for each class, stand side by side on the page.
        wide = 250.0 if len(panels) == 3 else 300.0
        chart = Chart(wide, 262, (38, 26, 36, 44), title=each.title, xlabel="step")
        chart.x(t[0], t[-1], target=4)
        chart.y(*ends, scale=scale, target=4, label=number)
        for (letter, _, role), path in zip(_FEATURES, paths, strict=False):
            chart.line(t[keep], path[keep], role, 2.5)
            chart.end(path[-1], letter, role)
        for path in paths[2:]:
            chart.line(t[keep], path[keep], "ink", 2.0, linestyle=(0, (1, 2.4)))
        charts.append(chart)
        told = " and ".join(
            f"{name} goes from {number(path[0])} to {number(path[-1])} (predicted "
            f"{number(guess[-1])})"
            for (_, name, _), path, guess in zip(_FEATURES, paths[:2], paths[2:], strict=True)
        )
        said.append(f"{each.title}: {told}")
    return charts, (
        f"What the filters hold of two features over {grouped(round(t[-1] - t[0]))} steps, and "
        f"dotted a prediction. {'. '.join(said)}."
    )


@picture
def ratio_picture(ratio: Numbers, measured: Numbers, predicted: Numbers) -> Drawing:
    """Draw the share of the strong feature against a ratio that should tell the winner.

    Dots for what training reached, rings for a finer prediction (Proposition III.2).
    """
    r, reached = np.asarray(ratio), np.asarray(measured)
    robust, (least, most) = reached > 0.5, extent(ratio)
    names = "race ratio *R* of the first weights", "share of *u* in the logit, after training"
    chart = Chart(420, 300, (46, 14, 34, 46), *names)
    chart.x(0.7 * min(least, 1.0), 1.4 * max(most, 1.0), scale="log10", target=4, label=number)
    chart.y(-0.04, 1.04, values=[0, 0.25, 0.5, 0.75, 1], label=percent)
    chart.upright(1.0, "muted", dashes=(4, 3))
    for side, ha, text in ((-8, "right", "*u* should win"), (8, "left", "*v* should win")):
        chart.note(1.0, 0.3, text, "muted", dx=side, ha=ha, size=11)
    below, told = r < 1.0, np.asarray(predicted)
    alt = (
        f"{r.size} classes by their ratio, from {number(least)} to {number(most)}. Of "
        f"{below.sum()} below 1, {(below & robust).sum()} lean on the strong "
        f"feature; of {(~below).sum()} others, {(~below & robust).sum()} do. The rings tell the "
        f"same winner for {((told > 0.5) == robust).sum()} of {r.size}; the largest distance of a "
        f"ring from its dot is {number(np.abs(told - reached).max())}."
    )
    ring = {"markerfacecolor": "none", "markeredgewidth": 1.2, "clip_on": False}
    chart.dots(r, told, "muted", 11, **ring)
    for which, role in ((robust, "c1"), (~robust, "c2")):
        chart.dots(r[which], reached[which], role, 6, clip_on=False)
    return chart, alt


_LEVELS = 20
_NEGATIVE = "c4"


class HeatPanel(NamedTuple):
    """An input, or the change of one: patches by coordinates."""

    title: str
    X: Numbers


class HeatRows(NamedTuple):
    """Neighboring coordinates, with a label each and the color of their positive values."""

    labels: Sequence[str]
    role: str


def _cells(where: FloatArray) -> Path:
    """Return one path of small rectangles, columns (patch, row), with a gap between patches."""
    half = np.array([[-0.42, -0.46], [0.42, -0.46], [0.42, 0.46], [-0.42, 0.46], [-0.42, -0.46]])
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    return Path((where[:, None, :] + half).reshape(-1, 2), codes * len(where))


@picture
def patch_picture(
    panels: Sequence[HeatPanel], rows: Sequence[HeatRows], *, floor: float
) -> Drawing:
    """Draw inputs made of patches as heat maps: patches to the right, coordinates downward.

    Cells of at most `floor` are blank, negative ones have a color of their own (Definition 2.2).
    """
    labels = [label for group in rows for label in group.labels]
    roles = np.array([group.role for group in rows for _ in group.labels])
    tables = [float_array(each.X, each.title, shape=(None, len(labels))) for each in panels]
    P, d = tables[0].shape
    top = max(np.abs(X).max() for X in tables) or 1.0
    charts, said = [], []
    for each, X in zip(panels, tables, strict=True):
        chart = Chart(300, 84 + 16.0 * d, (40, 12, 38, 46), xlabel="patch")
        chart.axes.grid(visible=False)
        chart.x(0.5, P + 0.5, target=4, label=number)
        chart.axes.set_ylim(d - 0.5, -0.5)
        chart.axes.set_yticks([])
        for i, label in enumerate(labels):
            look = {"dx": -7, "ha": "right", "coordinates": ("axes fraction", "data")}
            chart.note(0.0, i, label, "muted", **look)
        chart.corner(each.title, dx=-38, dy=15, weight="bold")
        for edge in np.cumsum([len(group.labels) for group in rows])[:-1]:
            chart.level(edge - 0.5, "grid", 1.0)
        level = np.ceil(_LEVELS * np.sqrt(np.abs(X) / top)).astype(int)
        level[np.abs(X) <= floor] = 0
        for role in dict.fromkeys([*roles.tolist(), _NEGATIVE]):
            own = X < 0 if role == _NEGATIVE else (X > 0) & (roles == role)
            for shade in np.unique(level[own & (level > 0)]).tolist():
                where = np.argwhere(own & (level == shade)) + np.array([1.0, 0.0])
                look = {"alpha": round(0.08 + 0.92 * shade / _LEVELS, 3), "linewidth": 0}
                chart.axes.add_patch(PathPatch(_cells(where), facecolor=INK[role], **look))
        charts.append(chart)
        said.append(_seen(each.title, labels, X, floor))
    return charts, f"Heat maps of {P} patches with {d} coordinates. {' '.join(said)}"


def _seen(title: str, labels: Sequence[str], X: FloatArray, floor: float) -> str:
    """Return a sentence that lists the coordinates of a panel with visible cells."""
    parts = []
    for i, label in enumerate(labels):
        seen = X[np.abs(X[:, i]) > floor, i]
        if seen.size:
            cells = f"{seen.size} cell{'s' if seen.size > 1 else ''}"
            mean = number(round(seen.mean(), 2))
            parts.append(f"{label} in {cells}, on average {mean}")
    return f"{title}: {'; '.join(parts) if parts else 'nothing visible'}."
