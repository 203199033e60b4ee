"""The picture of Proposition 1: one neuron's share of f - g over the ball, and all of them at once.

For one neuron the share is a function of one move u, and its largest and smallest value are what
the worst weights choose (Theorem 4.1, Proposition 1).  The numbers come from the floors below; no
formula lives here.  Before changing it, know that a share jumps where the neuron changes its state:
a curve is cut wherever neighboring values differ by more than a tenth of the panel, so the grid of
moves has to be finer than that.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.formats import Numbers, number
from sublinear_lib.plotting.palette import FAINT, LIGHT, Role, roles_of
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import figure, house_style, note, panel, set_scale
from sublinear_lib.validation import float_array

__all__ = ["worst_terms_picture"]

_CUT = 0.1
_NOTHING = 1e-9
_Curves = Mapping[str, Numbers]


def worst_terms_picture(
    moves: Numbers,
    shares: Mapping[str, _Curves],
    reaches: Mapping[str, Numbers],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw what single neurons add to f - g as functions of their moves, and all their reaches.

    Parameters
    ----------
    moves : array-like, shape (k,)
        The moves ``u / delta``, ascending from -1 to 1, ``k >= 41``.
    shares : mapping of str to mapping of str to array-like, shape (k,)
        For each panel, by its title in the house markup: what a neuron adds to f - g at these
        moves, in units of delta and without its value at ``u = 0``, by the label of the neuron.
        One to three panels, one to three neurons; a label has the same color in every panel.
    reaches : mapping of str to array-like, shape (n, 2)
        The last panel, for each activation by its label: one row for each neuron of a network, its
        distance from the threshold ``s / delta`` in [-1, 1] and its reach ``(U + V) / delta``,
        ``>= 0``.  One or two labels, ``n >= 1``.
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
        If moves do not ascend from -1 to 1, shapes do not match, a distance or reach is out of
        range, or there are too many panels or labels.

    Notes
    -----
    Source: Proposition 1, on Theorem 4.1.
    """
    u = float_array(moves, "moves", shape=(None,))
    if u.size < 41 or (np.diff(u) <= 0).any() or u[0] != -1.0 or u[-1] != 1.0:
        raise ValueError(
            f"moves must be at least 41 ascending numbers from -1 to 1, got {u.size} from "
            f"{float(u[0])} to {float(u[-1])}"
        )
    panels = {
        title: {
            label: float_array(values, f"shares[{title!r}][{label!r}]", shape=u.shape)
            for label, values in curves.items()
        }
        for title, curves in shares.items()
    }
    labels = list(dict.fromkeys(label for curves in panels.values() for label in curves))
    if not 1 <= len(panels) <= 3 or not 1 <= len(labels) <= 3 or not all(panels.values()):
        raise ValueError(
            f"shares must hold one to three panels with one to three neurons, got {len(panels)} "
            f"panels and {len(labels)} neurons"
        )
    tables = {label: _reaches(rows, label) for label, rows in reaches.items()}
    if not 1 <= len(tables) <= 2:
        raise ValueError(f"reaches must hold one or two activations, got {len(tables)}")
    every = np.concatenate([values for curves in panels.values() for values in curves.values()])
    low, high = min(float(every.min()), 0.0), max(float(every.max()), 0.0)
    room = 0.12 * (high - low) or 1.0
    roles = dict(zip(labels, roles_of(labels), strict=True))
    with house_style():
        figures = [
            _shares(u, curves, title, roles, (low - room, high + room))
            for title, curves in panels.items()
        ]
        figures.append(_sums(tables))
    text = _described(u, panels, tables) if alt is None else alt
    return Picture([axes.figure for axes in figures], alt=text, caption=caption, name=name)  # type: ignore[misc]


def _reaches(value: object, label: str) -> FloatArray:
    rows = float_array(value, f"reaches[{label!r}]", shape=(None, 2))
    if not len(rows) or (np.abs(rows[:, 0]) > 1.0).any() or (rows[:, 1] < 0.0).any():
        raise ValueError(
            f"reaches[{label!r}] must hold rows of a distance in [-1, 1] and a reach >= 0"
        )
    return rows


def _in_radii(value: float) -> str:
    whole = number(value)
    return {"0": "0", "1": "*δ*", "\N{MINUS SIGN}1": "\N{MINUS SIGN}*δ*"}.get(whole, f"{whole}*δ*")


def _ends(values: FloatArray) -> list[int]:
    """Return where a curve has its largest and smallest value, those of them that are not zero."""
    places = (int(np.argmax(values)), int(np.argmin(values)))
    return [place for place in places if abs(float(values[place])) > _NOTHING]


def _shares(
    u: FloatArray,
    curves: Mapping[str, FloatArray],
    title: str,
    roles: Mapping[str, Role],
    limits: tuple[float, float],
) -> Axes:
    fig = figure(300, 290)
    axes = panel(fig, left=44, right=18, top=14, xlabel="move *u* of the neuron", ylabel=title)
    set_scale(axes, "x", -1.12, 1.12, values=[-1.0, 0.0, 1.0], label=_in_radii)
    set_scale(axes, "y", *limits, target=5, label=_in_radii)
    axes.axhline(0.0, color=LIGHT["muted"], linewidth=1.0)
    height = limits[1] - limits[0]
    for label, values in curves.items():
        role = roles[label]
        cuts = np.flatnonzero(np.abs(np.diff(values)) > _CUT * height) + 1
        for piece in np.split(np.arange(u.size), cuts):
            axes.plot(u[piece], values[piece], color=LIGHT[role], linewidth=2.0)
        for place in _ends(values):
            x, y = float(u[place]), float(values[place])
            axes.plot(
                x,
                y,
                marker="o",
                markersize=8,
                color=LIGHT[role],
                markeredgecolor=LIGHT["paper"],
                markeredgewidth=1.2,
                clip_on=False,
                zorder=4,
            )
            note(
                axes,
                x,
                y,
                "sup" if y > 0.0 else "inf",
                role=role,
                dx=-10 if x > 0.5 else 10,
                dy=2 if y > 0.0 else -2,
                ha="right" if x > 0.5 else "left",
                weight="bold",
            )
    for place, label in enumerate(curves):
        note(
            axes,
            0.03,
            0.97 - 0.085 * place,
            label,
            role=roles[label],
            coordinates="axes fraction",
            size=11,
        )
    return axes


def _sums(tables: Mapping[str, FloatArray]) -> Axes:
    high = 1.3 * max(float(rows[:, 1].max()) for rows in tables.values()) or 1.0
    fig = figure(300, 290)
    axes = panel(
        fig,
        left=44,
        right=18,
        top=14,
        xlabel="distance *s* from the threshold",
        ylabel="reach *U* + *V* of every neuron",
    )
    set_scale(axes, "x", -1.12, 1.12, values=[-1.0, 0.0, 1.0], label=_in_radii)
    set_scale(axes, "y", 0.0, high, target=4, label=_in_radii)
    roles: tuple[Role, ...] = ("c4", "c3")
    for place, (role, (label, rows)) in enumerate(zip(roles, tables.items(), strict=False)):
        axes.vlines(rows[:, 0], 0.0, rows[:, 1], color=LIGHT[role], linewidth=0.8, alpha=FAINT)
        axes.plot(
            rows[:, 0],
            rows[:, 1],
            linestyle="none",
            marker="o",
            markersize=4.0,
            color=LIGHT[role],
            markeredgewidth=0.0,
        )
        note(
            axes,
            0.03,
            0.97 - 0.085 * place,
            f"{label}: sum {number(float(rows[:, 1].sum()))}*δ*",
            role=role,
            coordinates="axes fraction",
            weight="bold",
            size=11,
        )
    return axes


def _described(
    u: FloatArray,
    panels: Mapping[str, Mapping[str, FloatArray]],
    tables: Mapping[str, FloatArray],
) -> str:
    said = []
    for title, curves in panels.items():
        parts = []
        for label, values in curves.items():
            ends = [
                f"{'largest' if values[place] > 0 else 'smallest'} value "
                f"{number(float(values[place]))} at u = {number(float(u[place]))}"
                for place in _ends(values)
            ]
            parts.append(f"{to_plain(label)}: {', '.join(ends) or 'zero throughout'}")
        said.append(f"{to_plain(title)}: {'; '.join(parts)}")
    sums = "; ".join(
        f"{to_plain(label)} {number(float(rows[:, 1].sum()))} over {len(rows)} neurons"
        for label, rows in tables.items()
    )
    return (
        "What one neuron adds to f - g against its move u, in units of the radius delta. "
        f"{'. '.join(said)}. The last panel shows the reach of every neuron near the threshold "
        f"against its distance from it; the sums are: {sums}."
    )
