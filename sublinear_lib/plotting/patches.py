"""Pictures of inputs made of patches.

`patch_picture` draws inputs as heat maps.  The numbers come from the floors below; no formula lives
here.  Before changing it, know that the shade of a cell is the square root of its value over the
largest: with a linear scale a weak dense feature would hardly be seen beside a strong one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.formats import Numbers, number
from sublinear_lib.plotting.palette import LIGHT, ROLES, Role
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
from sublinear_lib.validation import choice, float_array, scalar

__all__ = [
    "HeatPanel",
    "HeatRows",
    "patch_picture",
]

_MOST_PANELS = 4
_LEVELS = 20
_NEGATIVE: Role = "c4"
_POSITIVE = tuple(role for role in ROLES if role != _NEGATIVE)


class HeatPanel(NamedTuple):
    """One panel of `patch_picture`.

    Parameters
    ----------
    title : str
        What it shows, in the house markup.
    X : array-like, shape (P, d)
        One input, or the change of one: patches by coordinates.
    """

    title: str
    X: Numbers


class HeatRows(NamedTuple):
    """A group of neighboring coordinates in `patch_picture`.

    Parameters
    ----------
    labels : sequence of str
        One label for each coordinate, in the house markup; an empty one leaves no tick.
    role : str
        The color of positive values; not ``"c4"``, the color of negative ones.
    """

    labels: Sequence[str]
    role: Role


def _cells(where: FloatArray) -> Path:
    """Return one path of small rectangles, columns (patch, row), with a gap between patches."""
    half = np.array([[-0.42, -0.46], [0.42, -0.46], [0.42, 0.46], [-0.42, 0.46], [-0.42, -0.46]])
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    corners = (where[:, None, :] + half).reshape(-1, 2)
    return Path(corners, codes * len(where))


def patch_picture(
    panels: Sequence[HeatPanel],
    rows: Sequence[HeatRows],
    *,
    floor: float = 0.0,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw inputs made of patches as heat maps: patches from left to right, coordinates downward.

    Parameters
    ----------
    panels : sequence of HeatPanel
        One to four inputs of one shape.
    rows : sequence of HeatRows
        Groups of coordinates with labels and colors, d labels in all.  Negative values are drawn
        in a color of their own.
    floor : float, default 0
        Cells whose absolute value is not above this are left blank, ``>= 0``.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The panels, on one scale.

    Raises
    ------
    ValueError
        If shapes do not match, a color is unknown or that of negative values, or there are no
        panels or more than four.

    Notes
    -----
    Source: Definition 2.2 of Li and Li (2025).
    """
    if not 1 <= len(panels) <= _MOST_PANELS:
        raise ValueError(f"panels must hold one to {_MOST_PANELS} panels, got {len(panels)}")
    least = scalar(floor, "floor", minimum=0.0)
    labels = [label for group in rows for label in group.labels]
    roles = [choice(group.role, "role", _POSITIVE) for group in rows for _ in group.labels]
    first = float_array(panels[0].X, "panels[0].X", shape=("P", len(labels)))
    tables = [
        float_array(each.X, f"panels[{k}].X", shape=first.shape) for k, each in enumerate(panels)
    ]
    P, d = first.shape
    top = max(float(np.abs(X).max()) for X in tables) or 1.0
    wide = 420 if len(panels) == 1 else 300
    figures = []
    for each, X in zip(panels, tables, strict=True):
        fig = figure(wide, 84 + 16.0 * d)
        with house_style():
            axes = panel(fig, left=40, right=12, top=38, bottom=46, xlabel="patch")
            axes.grid(visible=False)
            set_scale(axes, "x", 0.5, P + 0.5, target=4, label=number)
            axes.set_ylim(d - 0.5, -0.5)
            axes.set_yticks([])
            for i, label in enumerate(labels):
                if label:
                    note(
                        axes,
                        0.0,
                        i,
                        label,
                        role="muted",
                        dx=-7,
                        ha="right",
                        coordinates=("axes fraction", "data"),
                    )
            edge = -0.5
            for group in rows:
                edge += len(group.labels)
                if edge < d - 0.5:
                    axes.axhline(edge, color=LIGHT["grid"], linewidth=1.0)
            panel_title(axes, each.title, left=38, rise=15)
            level = np.ceil(_LEVELS * np.sqrt(np.abs(X) / top)).astype(int)
            level[np.abs(X) <= least] = 0
            for role in dict.fromkeys([*roles, _NEGATIVE]):
                own = X < 0 if role == _NEGATIVE else X > 0
                if role != _NEGATIVE:
                    own = own & np.array([each_role == role for each_role in roles])
                for shade in np.unique(level[own & (level > 0)]).tolist():
                    where = np.argwhere(own & (level == shade)).astype(np.float64)
                    where[:, 0] += 1.0
                    axes.add_patch(
                        PathPatch(
                            _cells(where),
                            facecolor=LIGHT[role],
                            alpha=round(0.08 + 0.92 * shade / _LEVELS, 3),
                            linewidth=0,
                        )
                    )
        figures.append(fig)
    if alt is None:
        said = [_told(each, X, rows, least) for each, X in zip(panels, tables, strict=True)]
        alt = f"Heat maps of {P} patches with {d} coordinates. {' '.join(said)}"
    return Picture(figures, alt=alt, caption=caption, name=name)


def _told(shown: HeatPanel, X: FloatArray, rows: Sequence[HeatRows], least: float) -> str:
    """Return a sentence that lists the coordinates of a panel with visible cells."""
    labels = [to_plain(label) for group in rows for label in group.labels]
    parts = []
    for i, label in enumerate(labels):
        seen = X[np.abs(X[:, i]) > least, i]
        if seen.size:
            cells = f"{seen.size} cell{'s' if seen.size > 1 else ''}"
            mean = number(round(float(seen.mean()), 2))
            parts.append(f"{label or f'coordinate {i + 1}'} in {cells}, on average {mean}")
    return f"{to_plain(shown.title)}: {'; '.join(parts) if parts else 'nothing visible'}."
