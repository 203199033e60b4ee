"""The picture of polynomials that separate: the soft step, and the fit that it gives.

Claim B.5 and Lemma B.4.  It shows polynomials of the inner product between their two intervals, and
the functions on the circle that they build.  The numbers come from the floors below; no formula
lives here.  Before changing it, know that a curve has one color in both panels, so that a reader
can follow a polynomial from the step to the fit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from matplotlib.axes import Axes

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.checks import ascending
from sublinear_lib.plotting.formats import Numbers, degrees, number
from sublinear_lib.plotting.palette import LIGHT, Role
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import figure, house_style, note, panel, set_scale
from sublinear_lib.validation import float_array, scalar

__all__ = ["step_picture"]

_ROLES: tuple[Role, ...] = ("c2", "c1", "c5")
_SHADE = 0.22


def _curves(given: Mapping[str, Numbers], name: str, size: int) -> dict[str, FloatArray]:
    curves = {
        label: float_array(values, f"{name}[{label!r}]", shape=(size,))
        for label, values in given.items()
    }
    if not 1 <= len(curves) <= len(_ROLES):
        raise ValueError(f"{name} must hold one to {len(_ROLES)} curves, got {len(curves)}")
    return curves


def step_picture(
    z: Numbers,
    steps: Mapping[str, Numbers],
    ends: tuple[float, float],
    eps: float,
    angles: Numbers,
    fits: Mapping[str, Numbers],
    caps: Numbers,
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw polynomial steps of an inner product, and the functions on the circle that they build.

    Parameters
    ----------
    z : array-like, shape (k,)
        Inner products, ascending in [-1, 1], ``k >= 2``.
    steps : mapping of str to array-like, shape (k,)
        Values of one to three polynomials there, by label in the house markup.
    ends : pair of float
        The end of the interval of far points and the start of that of near points, ascending.
    eps : float
        The accuracy that is asked of the steps, in (0, 1/2).
    angles : array-like, shape (l,)
        Angles on the circle in degrees, ascending in [0, 360], ``l >= 2``.
    fits : mapping of str to array-like, shape (l,)
        Values of one to three functions at these angles; a label of `steps` keeps its color.
    caps : array-like, shape (n, 3)
        For each data point its angle and the half-angle of its cap in degrees, and its label.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        Two panels, side by side or one below the other.

    Raises
    ------
    TypeError, ValueError
        If shapes, order, labels or ranges are not as described.

    Notes
    -----
    Source: Claim B.5 and Lemma B.4.
    """
    at = ascending(z, "z", -1.0, 1.0)
    turn = ascending(angles, "angles", 0.0, 360.0)
    far, near = float_array(ends, "ends", shape=(2,)).tolist()
    if not -1.0 < far < near < 1.0:
        raise ValueError(f"ends must ascend between -1 and 1, got {ends}")
    width = scalar(eps, "eps", exclusive_minimum=0.0, exclusive_maximum=0.5)
    shown = _curves(steps, "steps", at.size)
    built = _curves(fits, "fits", turn.size)
    labels = list(dict.fromkeys([*shown, *built]))
    if len(labels) > len(_ROLES):
        raise ValueError(
            f"steps and fits must hold at most {len(_ROLES)} labels in all, got {len(labels)}"
        )
    rows = float_array(caps, "caps", shape=(None, 3))
    roles = dict(zip(labels, _ROLES, strict=False))
    with house_style():
        figures = [
            _step_panel(at, shown, roles, (far, near), width).figure,
            _fit_panel(turn, built, roles, rows, set(built) - set(shown)).figure,
        ]
    text = _described(at, shown, (far, near), width, turn, built, rows) if alt is None else alt
    return Picture(figures, alt=text, caption=caption, name=name)  # type: ignore[arg-type]


def _step_panel(
    z: FloatArray,
    curves: Mapping[str, FloatArray],
    roles: Mapping[str, Role],
    ends: tuple[float, float],
    eps: float,
) -> Axes:
    fig = figure(300, 290)
    axes = panel(fig, left=34, right=16, top=14, xlabel="inner product *z*", ylabel="*q*(*z*)")
    every = np.concatenate(list(curves.values()))
    low, high = min(float(every.min()), -eps), max(float(every.max()), 1.0 + eps)
    room = 0.1 * (high - low)
    set_scale(axes, "x", -1.0, 1.0, values=[-1.0, 0.0, 1.0], label=number)
    set_scale(axes, "y", low - room, high + 3.6 * room, values=[0.0, 1.0], label=number)
    far, near = ends
    for start, stop, level in ((-1.0, far, 0.0), (near, 1.0, 1.0)):
        axes.fill_between(
            [start, stop], level - eps, level + eps, color=LIGHT["c3"], alpha=_SHADE, linewidth=0
        )
    axes.axvline(far, color=LIGHT["muted"], linewidth=1.0, linestyle=(0, (3, 3)))
    axes.axvline(near, color=LIGHT["muted"], linewidth=1.0, linestyle=(0, (3, 3)))
    for label, values in curves.items():
        axes.plot(z, values, color=LIGHT[roles[label]], linewidth=2.0)
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
    note(axes, 0.5 * (far - 1.0), -eps, "far", role="muted", dy=-10, ha="center", size=11)
    note(axes, near, 1.0 + eps, "near", role="muted", dx=-4, dy=8, ha="right", size=11)
    return axes


def _fit_panel(
    angles: FloatArray,
    curves: Mapping[str, FloatArray],
    roles: Mapping[str, Role],
    caps: FloatArray,
    new: Collection[str],
) -> Axes:
    fig = figure(300, 290)
    axes = panel(
        fig, left=34, right=16, top=14, xlabel="angle of *x* on the circle", ylabel="*f*^{∗}(*x*)"
    )
    every = np.concatenate([*curves.values(), caps[:, 2]])
    low, high = float(every.min()), float(every.max())
    room = 0.1 * (high - low) or 1.0
    set_scale(axes, "x", 0.0, 360.0, values=[0.0, 90.0, 180.0, 270.0, 360.0], label=degrees)
    set_scale(axes, "y", low - room, high + room, target=4, label=number)
    for angle, half, _ in caps:
        for shift in (-360.0, 0.0, 360.0):
            axes.axvspan(
                angle - half + shift,
                angle + half + shift,
                color=LIGHT["c3"],
                alpha=_SHADE,
                linewidth=0,
            )
    for label, values in curves.items():
        axes.plot(angles, values, color=LIGHT[roles[label]], linewidth=2.0)
    for place, label in enumerate(label for label in curves if label in new):
        note(
            axes,
            0.97,
            0.97 - 0.085 * place,
            label,
            role=roles[label],
            coordinates="axes fraction",
            size=11,
            ha="right",
        )
    axes.plot(
        caps[:, 0],
        caps[:, 2],
        linestyle="none",
        marker="o",
        markersize=8,
        color=LIGHT["ink"],
        markeredgecolor=LIGHT["paper"],
        markeredgewidth=1.2,
        clip_on=False,
        zorder=4,
    )
    return axes


def _described(
    z: FloatArray,
    steps: Mapping[str, FloatArray],
    ends: tuple[float, float],
    eps: float,
    angles: FloatArray,
    fits: Mapping[str, FloatArray],
    caps: FloatArray,
) -> str:
    far, near = ends
    said = []
    for label, values in steps.items():
        low = _largest(np.abs(values[z <= far]))
        high = _largest(np.abs(values[z >= near] - 1.0))
        said.append(
            f"{to_plain(label)}: at most {low} away from 0 for far points and "
            f"{high} away from 1 for near ones"
        )
    fitted = []
    for label, values in fits.items():
        errors = [
            np.abs(values[np.abs((angles - angle + 180.0) % 360.0 - 180.0) <= half] - y)
            for angle, half, y in caps
        ]
        fitted.append(f"{to_plain(label)}: {_largest(np.concatenate(errors))}")
    return (
        f"First panel: polynomials of the inner product z, to be within {number(eps)} of 0 up to "
        f"z = {number(far)} and of 1 from z = {number(near)} on. {'; '.join(said)}. Second panel: "
        f"the functions that they build on the circle from {len(caps)} labeled points with caps; "
        f"the largest distance to a label inside its cap is {', '.join(fitted)}."
    )


def _largest(errors: FloatArray) -> str:
    """Write the largest error; where no point was given, nobody knows it."""
    return number(float(errors.max())) if errors.size else "unknown"
