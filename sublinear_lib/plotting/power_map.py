"""The map of powers as a picture: which choices of two powers lie in a region, slice by slice.

The polygons and choices come from the floors below; no formula lives here.  Before changing it,
know that all panels must have one scale, because readers compare where the region lies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import SupportsFloat

import numpy as np

from sublinear_lib.plotting.formats import number
from sublinear_lib.plotting.palette import LIGHT
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import figure, house_style, note, panel, set_scale
from sublinear_lib.validation import float_array

__all__ = ["power_map_picture"]


def power_map_picture(
    slices: Mapping[str, Sequence[Sequence[SupportsFloat]]],
    choices: Mapping[str, Mapping[str, tuple[float, float]]],
    *,
    name: str,
    caption: str | None = None,
) -> Picture:
    """Draw slices of the region of consistent powers, with named choices.

    Parameters
    ----------
    slices : mapping of str to sequence of pairs of numbers, shape (k, 2)
        The corners (alpha, beta) of the region, for each panel by its title in the house markup;
        ``k >= 3``.
    choices : mapping of str to mapping of str to pair of float
        For each panel, by its title: the named choices (alpha, beta).
    name : str
        Name of the figure.
    caption : str, optional
        What the figure shows.

    Returns
    -------
    Picture
        The panels, side by side, with one scale.

    Raises
    ------
    ValueError
        If there is no slice, or the choices belong to other panels.

    Notes
    -----
    Source: Theorems 4.1, 4.3 and 4.4; the region is `sublinear_lib.theory.CONSISTENT`.
    """
    tables = {
        title: float_array(
            [[float(value) for value in row] for row in rows], title, shape=(None, 2)
        )
        for title, rows in slices.items()
    }
    if not tables or choices.keys() != tables.keys() or min(map(len, tables.values())) < 3:
        raise ValueError(
            f"slices must hold triangles or more, and choices the same panels, got {[*tables]} "
            f"and {[*choices]}"
        )
    figures, told = [], []
    with house_style():
        for title, corners in tables.items():
            fig = figure(310, 250)
            axes = panel(
                fig,
                left=40,
                right=30,
                top=20,
                xlabel="output weights *m*^{−*α*}: power *α*",
                ylabel="ball *Km*^{−*β*}: power *β*",
            )
            set_scale(axes, "x", 0.0, 0.5, values=[0.0, 0.2, 0.4])
            set_scale(axes, "y", 0.5, 1.0, values=[0.6, 0.8, 1.0])
            axes.fill(*corners.T, color=LIGHT["c3"], alpha=0.25, linewidth=0)
            axes.plot(*np.vstack([corners, corners[:1]]).T, color=LIGHT["c3"], linewidth=1.5)
            note(axes, 1.0, 0.93, title, coordinates="axes fraction", ha="right", weight="bold")
            for label, (alpha, beta) in choices[title].items():
                axes.plot(alpha, beta, marker="o", markersize=7, color=LIGHT["c2"], clip_on=False)
                if alpha >= 0.3:
                    note(axes, alpha, beta, label, role="c2", dy=-22, ha="right")
                else:
                    note(axes, alpha, beta, label, role="c2", dx=9, va="center")
                told.append(f"{to_plain(label)} at {number(alpha)}, {number(beta)}")
            figures.append(fig)
    alt = (
        f"{len(figures)} maps of the powers α and β, each with the shaded region in which Theorems "
        f"4.1, 4.3 and 4.4 hold: {', '.join(map(to_plain, tables))}. The choices: "
        f"{'; '.join(told)}."
    )
    return Picture(figures, alt=alt, caption=caption, name=name)
