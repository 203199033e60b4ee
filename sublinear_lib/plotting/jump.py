"""The picture of the price of a jump: f along a straight way through the ball, beside g.

It shows one network on its way through the ball of Theorem 4.1, where every neuron that crosses its
threshold is a step of height ``|a_r| tau`` (Proposition 2).  The numbers come from the floors
below; no formula lives here.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sublinear_lib.plotting.formats import Numbers, number
from sublinear_lib.plotting.palette import LIGHT, Role
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain, to_sentence
from sublinear_lib.plotting.style import (
    EndLabel,
    figure,
    house_style,
    label_line_ends,
    panel,
    set_scale,
)
from sublinear_lib.validation import float_array

__all__ = ["way_picture"]

_ROLES: tuple[Role, ...] = ("c1", "c3", "c4")
_Curves = Mapping[str, Numbers]


def way_picture(
    way: Numbers,
    curves: _Curves,
    straight: tuple[str, Numbers],
    *,
    xlabel: str = "way, in units of the radius *δ*",
    ylabel: str = "change of the output",
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw how the output changes along a way through the ball, step by step, beside g.

    Parameters
    ----------
    way : array-like, shape (k,)
        Places on the way, ascending from 0, ``k >= 2``.
    curves : mapping of str to array-like, shape (k,)
        One to three curves by their labels in the house markup, drawn as stairs: a value holds
        until the next place.
    straight : tuple of str and array-like, shape (k,)
        Label and values of the pseudo-network, dashed.
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
        If places do not ascend from 0, shapes do not match, or there are too many curves.

    Notes
    -----
    Source: Proposition 2, on Theorem 4.1.
    """
    places = float_array(way, "way", shape=(None,))
    if places.size < 2 or (np.diff(places) <= 0).any() or places[0] != 0.0:
        raise ValueError(f"way must ascend from 0, got {places.size} places")
    if not 1 <= len(curves) <= 3:
        raise ValueError(f"curves must hold one to three curves, got {len(curves)}")
    tables = {
        label: float_array(values, f"curves[{label!r}]", shape=places.shape)
        for label, values in curves.items()
    }
    title, line = straight[0], float_array(straight[1], "straight", shape=places.shape)
    every = np.concatenate([line, *tables.values()])
    low, high = min(float(every.min()), 0.0), max(float(every.max()), 0.0)
    room = 0.06 * (high - low) or 1.0
    fig = figure(420, 300)
    with house_style():
        axes = panel(fig, right=100, xlabel=xlabel, ylabel=ylabel)
        set_scale(axes, "x", 0.0, float(places[-1]))
        set_scale(axes, "y", low - (room if low < 0.0 else 0.0), high + room)
        ends = []
        for role, (label, values) in zip(_ROLES, tables.items(), strict=False):
            axes.step(places, values, where="post", color=LIGHT[role], linewidth=2.0)
            ends.append(EndLabel(float(values[-1]), label, role))
        axes.plot(places, line, color=LIGHT["ink"], linewidth=1.6, linestyle=(0, (5, 3)))
        ends.append(EndLabel(float(line[-1]), title, "ink"))
        label_line_ends(axes, ends)
    if alt is None:
        parts = [
            f"{to_plain(label)} reaches {number(float(values[-1]))}, its largest single step is "
            f"{number(float(np.abs(np.diff(values)).max()))}"
            for label, values in tables.items()
        ]
        alt = (
            f"{to_sentence(ylabel)} against {to_plain(xlabel)}. "
            f"The dashed line of {to_plain(title)} reaches {number(float(line[-1]))}. "
            f"{'; '.join(parts)}."
        )
    return Picture(fig, alt=alt, caption=caption, name=name)
