"""The picture of a net argument: a function on the circle, a net, and what the net can promise.

Between the points of a net a Lipschitz function is held down by cones that stand on its values
there (Definition A.4, the uniform step of Theorem C.1).  The numbers come from the floors below; no
formula lives here.  Before changing it, know that all panels share one axis: the point of the
picture is that the roof comes down while the function stands still.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.checks import ascending, nonnegative
from sublinear_lib.plotting.formats import Numbers, number
from sublinear_lib.plotting.palette import LIGHT
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain, to_sentence
from sublinear_lib.plotting.style import (
    figure,
    house_style,
    note,
    panel,
    panel_title,
    set_scale,
)
from sublinear_lib.validation import float_array

__all__ = ["net_picture"]


@dataclass(frozen=True)
class _Roof:
    places: FloatArray
    heights: FloatArray
    above: FloatArray


def net_picture(
    angles: Numbers,
    truth: Numbers,
    nets: Mapping[str, tuple[Numbers, Numbers]],
    ceilings: Mapping[str, Numbers],
    *,
    ylabel: str,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw a function on the circle, nets with its values there, and the bound that each gives.

    Parameters
    ----------
    angles : array-like, shape (k,)
        Angles in degrees, ascending, ``k >= 2``.
    truth : array-like, shape (k,)
        The function, ``>= 0``.
    nets : mapping of str to pair of array-like, each of shape (n,)
        For each panel, by its title in the house markup, the angles of the points of the net in
        degrees and the values of the function there.  One to three panels.
    ceilings : mapping of str to array-like, shape (k,)
        For each panel the bound between the points, nowhere below the function.
    ylabel : str
        What the function is, in the house markup.
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
        If angles do not ascend, shapes or titles do not match, a ceiling is below the function, or
        there are no panels or more than three.

    Notes
    -----
    Source: Definition A.4 and the proof of Theorem C.1.
    """
    phi = ascending(angles, "angles")
    heights = nonnegative(truth, "truth", phi.shape)
    if not 1 <= len(nets) <= 3 or list(nets) != list(ceilings):
        raise ValueError(
            "nets and ceilings must have the same one to three titles, got "
            f"{list(nets)} and {list(ceilings)}"
        )
    roofs = {}
    for title, (places, values) in nets.items():
        at = float_array(places, f"nets[{title!r}]", shape=("n",))
        above = float_array(ceilings[title], f"ceilings[{title!r}]", shape=phi.shape)
        if (above < heights * (1.0 - 1e-9)).any():
            raise ValueError(f"ceilings[{title!r}] must be nowhere below truth")
        roofs[title] = _Roof(
            at, float_array(values, f"nets[{title!r}] values", shape=at.shape), above
        )
    high = 1.12 * max(float(roof.above.max()) for roof in roofs.values()) or 1.0
    with house_style():
        figures = [_panel(phi, heights, title, roof, ylabel, high) for title, roof in roofs.items()]
    text = _described(heights, roofs, ylabel) if alt is None else alt
    return Picture(figures, alt=text, caption=caption, name=name)


def _degrees(value: float) -> str:
    return f"{number(value)}°"


def _panel(
    phi: FloatArray, truth: FloatArray, title: str, roof: _Roof, ylabel: str, high: float
) -> Figure:
    fig = figure(300, 240)
    axes = panel(
        fig, left=40, right=18, top=34, xlabel="angle of the input on the circle", ylabel=ylabel
    )
    first, last = float(phi[0]), float(phi[-1])
    whole = last - first >= 300.0
    own = [-180.0, -90.0, 0.0, 90.0, 180.0] if whole else None
    set_scale(axes, "x", first, last, values=own, target=5, label=_degrees)
    set_scale(axes, "y", 0.0, high, target=4, label=number)
    axes.fill_between(phi, truth, roof.above, color=LIGHT["c2"], alpha=0.18, linewidth=0.0)
    inside = (roof.places >= first) & (roof.places <= last)
    few = np.count_nonzero(inside) < 100
    axes.plot(phi, roof.above, color=LIGHT["c2"], linewidth=1.25 if few else 0.75)
    axes.plot(phi, truth, color=LIGHT["c1"], linewidth=2.0)
    if few:  # of many points, the teeth say where they are
        axes.plot(
            roof.places[inside],
            roof.heights[inside],
            linestyle="none",
            marker="o",
            markersize=4.5,
            color=LIGHT["c4"],
            markeredgewidth=0.0,
            zorder=4,
        )
    panel_title(axes, title, left=40, rise=32)
    middle = 0.5 * (first + last)
    top = float(roof.above.max())
    note(
        axes,
        middle,
        top,
        f"the net promises {number(top)}",
        role="c2",
        ha="center",
        dy=9,
        weight="bold",
        size=11,
    )
    note(
        axes,
        middle,
        float(truth.min()),
        f"true, largest {number(float(truth.max()))}",
        role="c1",
        ha="center",
        dy=-9,
        weight="bold",
        size=11,
    )
    return fig


def _described(truth: FloatArray, roofs: Mapping[str, _Roof], ylabel: str) -> str:
    said = [
        f"{to_plain(title)}: {roof.places.size} points, where it is at most "
        f"{number(float(roof.heights.max()))}; the cones on them rise to "
        f"{number(float(roof.above.max()))}"
        for title, roof in roofs.items()
    ]
    return (
        f"{to_sentence(ylabel)} around the circle of inputs: a curve between "
        f"{number(float(truth.min()))} and {number(float(truth.max()))}, with the bound that the "
        f"points of a net give. {'. '.join(said)}."
    )
