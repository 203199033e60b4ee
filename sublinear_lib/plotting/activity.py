"""Pictures of activity: who fires (Definition 3.1), how many (Lemma 4.5), and with what output.

Two figures: the expected share of active neurons against the width for every rule for tau, next to
samples and to the printed bound ``Q_0 / m``; and the two shifted ReLUs, the paper's with a jump of
height tau and the continuous one.  Both draw numbers that the floors below have computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.checks import ascending, few, positive, shares
from sublinear_lib.plotting.formats import Numbers, grouped, percent
from sublinear_lib.plotting.palette import LIGHT, SERIES, Role, roles_of
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import (
    EndLabel,
    figure,
    house_style,
    interval_dots,
    label_line_ends,
    note,
    panel,
    set_scale,
)
from sublinear_lib.validation import float_array, scalar

__all__ = ["activations_pair", "activity_against_m"]

_SHARE_TICKS = [float(f"{digit}e{power}") for power in range(-6, 1) for digit in (1, 2, 5)]


def activity_against_m(
    widths: Numbers,
    curves: Mapping[str, Numbers],
    *,
    samples: Mapping[str, Sequence[Sequence[float]] | FloatArray] | None = None,
    bound: Numbers | None = None,
    bound_label: str = "printed bound",
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw the share of active neurons against the width, one curve for each rule for tau.

    Both axes are logarithmic, so a share ``m^{-c}`` is a straight line of slope ``-c``.

    Parameters
    ----------
    widths : array-like, shape (k,)
        The widths m, ascending, ``k >= 2``.
    curves : mapping of str to array-like, shape (k,)
        For each rule, by its label in the house markup: the expected share at every width, in
        (0, 1].  At most five.
    samples : mapping of str to array-like, shape (j, 4), optional
        For some of the same labels: rows ``(m, estimate, lower, upper)``.
    bound : array-like, shape (k,), optional
        The printed bound on the share, ``Q_0 / m``.  The stretch where a bound above 1 says
        nothing is shaded.
    bound_label : str
        Its label.
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
        If shapes do not match, a share is not in (0, 1], a bound or an estimate is not positive,
        there are more than five curves, or samples have a label that no curve has.

    Notes
    -----
    Source: Lemma 4.5 (C.15) and Remark C.17.
    """
    m = ascending(widths, "widths", 1.0)
    few(curves, "curves", len(SERIES), "curves")
    checked = {}
    for label, values in curves.items():
        where = f"curves[{label!r}]"
        checked[label] = positive(shares(values, where, (m.size,)), where, (m.size,))
    points: dict[str, FloatArray] = {}
    for label, rows in (samples or {}).items():
        if label not in checked:
            raise ValueError(
                f"samples must have labels of curves, got {label!r} beside {list(checked)}"
            )
        points[label] = float_array(rows, f"samples[{label!r}]", shape=(None, 4))
        positive(points[label][:, 1], f"samples[{label!r}] estimates", (None,))
    limit = None if bound is None else positive(bound, "bound", (m.size,))

    low = min(
        [float(v.min()) for v in checked.values()]
        + [float(np.where(p[:, 2] > 0, p[:, 2], p[:, 1]).min()) for p in points.values()]
        + ([] if limit is None else [float(limit.min())])
    )
    high = max([1.0] + ([] if limit is None else [float(limit.max())]))
    fig = figure(420, 330)
    with house_style():
        axes = panel(fig, right=112, xlabel="width *m*", ylabel="share of active neurons", left=50)
        set_scale(axes, "x", float(m[0]) / 1.2, float(m[-1]), scale="log2", target=4)
        bottom = low / 1.3
        set_scale(
            axes,
            "y",
            bottom,
            high * 1.3,
            scale="log10",
            label=percent,
            values=_thinned(bottom, high * 1.3),
        )
        ends = []
        if limit is not None:
            axes.axhspan(1.0, high * 1.3, color=LIGHT["muted"], alpha=0.12, linewidth=0)
            note(
                axes,
                0.0,
                1.0,
                "a bound up here says nothing",
                coordinates=("axes fraction", "data"),
                role="muted",
                dx=6,
                dy=4,
                size=11,
                va="bottom",
                outline=False,
            )
            axes.plot(m, limit, color=LIGHT["ink"], dashes=(3, 2))
            ends.append(EndLabel(float(limit[-1]), bound_label, "ink"))
        for role, (label, values) in zip(roles_of(checked), checked.items(), strict=True):
            axes.plot(m, values, color=LIGHT[role])
            ends.append(EndLabel(float(values[-1]), label, role))
            if label in points:
                interval_dots(axes, points[label], role, size=5.5, clip=True, zorder=2.0)
        label_line_ends(axes, ends)

    if alt is None:
        parts = [
            f"{to_plain(label)}: {percent(float(v[0]))} at the smallest and "
            f"{percent(float(v[-1]))} at the largest width"
            for label, v in checked.items()
        ]
        alt = (
            f"Share of active neurons against the width m from {grouped(round(m[0]))} to "
            f"{grouped(round(m[-1]))}, both axes logarithmic. {'; '.join(parts)}."
        )
        if limit is not None:
            alt += (
                f" The {to_plain(bound_label)} runs from {percent(float(limit[0]))} to "
                f"{percent(float(limit[-1]))}"
                + (", above 100 % everywhere." if float(limit.min()) > 1 else ".")
            )
        if points:
            alt += " Sampled networks are drawn as points with intervals."
    return Picture(fig, alt=alt, caption=caption, name=name)


def _thinned(low: float, high: float) -> list[float]:
    inside = [v for v in [*_SHARE_TICKS, 2.0] if low <= v <= high]
    if len(inside) > 8:
        inside = [v for v in inside if f"{v:.0e}".startswith("1")]
    return inside


def activations_pair(
    z: Numbers,
    jump: Numbers,
    continuous: Numbers,
    *,
    tau: float,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw the paper's shifted ReLU, which jumps at tau, beside the continuous one.

    Parameters
    ----------
    z : array-like, shape (k,)
        Pre-activations, ascending, with values on both sides of tau.
    jump, continuous : array-like, shape (k,)
        The two activations at `z`: ``z`` and ``z - tau`` above tau, 0 up to tau.
    tau : float
        The threshold in absolute units, ``tau > 0``.
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
    ValueError
        If shapes do not match, `z` does not ascend across tau, ``tau <= 0``, or the values are not
        those of the two activations, which the titles give as formulas.

    Notes
    -----
    Source: Section 3 (the activation of the paper) and its continuous repair.
    """
    z = float_array(z, "z", shape=(None,))
    first = float_array(jump, "jump", shape=(z.size,))
    second = float_array(continuous, "continuous", shape=(z.size,))
    tau = scalar(tau, "tau", exclusive_minimum=0.0)
    off, on = z <= tau, z > tau
    if (np.diff(z) <= 0).any() or not (off.any() and on.any()):
        raise ValueError(
            f"z must ascend and reach both sides of tau = {tau}, got values from "
            f"{float(z.min())} to {float(z.max())}"
        )
    slack = 1e-9 * float(np.abs(z).max())
    for which, given, slope in (("jump", first, z), ("continuous", second, z - tau)):
        off_by = float(np.abs(given - np.where(on, slope, 0.0)).max())
        if off_by > slack:
            raise ValueError(
                f"{which} must be 0 up to tau and rise with slope 1 beyond, got values that are "
                f"off by {off_by!r}"
            )
    height = float(first.max())
    figures = []
    for values, title, jumps in (
        (first, "jump: *z* · 1[*z* > τ]", True),
        (second, "continuous: max(*z* \N{MINUS SIGN} τ, 0)", False),
    ):
        fig = figure(300, 250)
        with house_style():
            axes = panel(fig, left=30, right=14, top=14, ylabel=title, xlabel="pre-activation *z*")
            set_scale(
                axes,
                "x",
                float(z[0]),
                float(z[-1]),
                values=[0.0, tau],
                label=lambda v: "τ" if v else "0",
            )
            set_scale(
                axes,
                "y",
                -0.06 * height,
                height,
                values=[0.0, tau],
                label=lambda v: "τ" if v else "0",
            )
            axes.plot(z[off], values[off], color=LIGHT["c1"])
            axes.plot(z[on], values[on], color=LIGHT["c1"])
            if jumps:
                landing = float(values[on][0])
                axes.annotate(
                    "",
                    xy=(tau, landing),
                    xytext=(tau, 0.0),
                    arrowprops={
                        "arrowstyle": "<->",
                        "color": LIGHT["c2"],
                        "linewidth": 1.5,
                        "shrinkA": 5.0,
                        "shrinkB": 5.0,
                    },
                )
                dots: tuple[tuple[float, Role], ...] = ((0.0, "c1"), (landing, "paper"))
                for y, face in dots:
                    axes.plot(
                        tau,
                        y,
                        marker="o",
                        markersize=7,
                        color=LIGHT["c1"],
                        markerfacecolor=LIGHT[face],
                        markeredgewidth=2,
                        clip_on=False,
                    )
                note(axes, tau, 0.5 * landing, "jump of\nheight τ", role="c2", dx=10, ha="left")
            else:
                axes.plot(tau, 0.0, marker="o", markersize=7, color=LIGHT["c1"], clip_on=False)
                note(axes, tau, 0.0, "no jump", role="c3", dx=-4, dy=16, ha="right")
        figures.append(fig)
    if alt is None:
        alt = (
            "Two activations against the pre-activation z. Both are zero up to the threshold τ. "
            "The first jumps there from 0 to the height τ and goes on with slope 1; the second "
            "starts at 0 and rises with slope 1, so it stays lower by exactly τ."
        )
    return Picture(figures, alt=alt, caption=caption, name=name)
