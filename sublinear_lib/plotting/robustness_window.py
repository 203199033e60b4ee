"""The picture of the robustness window: who is broken at which budget.

`robust_error_picture` draws robust errors over the test budget, attacks below and certificates
above.  The numbers come from the floors below; no formula lives here.  Before changing it, know
that an attack is a lower bound and a certificate an upper one: the area between is what nobody
knows, and it is shaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.checks import ascending
from sublinear_lib.plotting.formats import Numbers, number, percent
from sublinear_lib.plotting.palette import LIGHT, SERIES, Role
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import figure, house_style, note, panel, set_scale
from sublinear_lib.validation import float_array

__all__ = [
    "ErrorBracket",
    "robust_error_picture",
]

_ROBUST: Role = "c1"
_NONROBUST: Role = "c2"
_WINDOW: Role = "c3"


class ErrorBracket(NamedTuple):
    """The robust error of one network in `robust_error_picture`.

    Parameters
    ----------
    eps : array-like, shape (E,)
        Budgets, ascending.
    attacked : array-like, shape (E,)
        Errors that attacks found, in [0, 1].
    certified : array-like, shape (E,)
        One minus the certified share, at least `attacked`.
    """

    eps: Numbers
    attacked: Numbers
    certified: Numbers


def _shade(axes: Axes, window: tuple[float, float]) -> None:
    """Shade a window that is not empty, as far as the axis goes."""
    low, high = axes.get_xlim()
    start, stop = max(window[0], low), min(window[1], high)
    if start < stop:
        axes.axvspan(start, stop, color=LIGHT[_WINDOW], alpha=0.14, linewidth=0)


def _pair(value: object, name: str) -> tuple[float, float]:
    first, second = float_array(value, name, shape=(2,)).tolist()
    return first, second


def robust_error_picture(
    networks: Mapping[str, ErrorBracket],
    *,
    window: tuple[float, float] | None = None,
    limits: tuple[float, float] | None = None,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw robust errors over the test budget: attacks below, certificates above.

    Parameters
    ----------
    networks : mapping of str to ErrorBracket
        By the name of the network, in the house markup; one to three.
    window : pair of float, optional
        A stretch of budgets to shade.
    limits : pair of float, optional
        The ends of the axis of budgets; by default those of the data.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        A line with dots for what attacks found, a dashed one for what is not certified, and the
        area between.

    Raises
    ------
    ValueError
        If shapes do not match, an error is not in [0, 1], or a certificate contradicts an attack.

    Notes
    -----
    Source: Propositions III.8 and III.9, ours.
    """
    if not 1 <= len(networks) <= 3:
        raise ValueError(f"networks must hold one to three networks, got {len(networks)}")
    tables: dict[str, tuple[FloatArray, FloatArray, FloatArray]] = {}
    for kind, each in networks.items():
        eps = ascending(each.eps, f"networks[{kind!r}].eps")
        found = float_array(each.attacked, f"networks[{kind!r}].attacked", shape=eps.shape)
        open_ = float_array(each.certified, f"networks[{kind!r}].certified", shape=eps.shape)
        if found.min() < 0 or open_.max() > 1:
            raise ValueError(f"networks[{kind!r}] must hold errors in [0, 1]")
        if (found > open_).any():
            raise ValueError(
                f"networks[{kind!r}] must have attacked <= certified: an attack that breaks a "
                "certified input shows a mistake"
            )
        tables[kind] = (eps, found, open_)
    if limits is None:
        first = min(float(eps[0]) for eps, _, _ in tables.values())
        last = max(float(eps[-1]) for eps, _, _ in tables.values())
    else:
        first, last = _pair(limits, "limits")
    edges = None if window is None else _pair(window, "window")
    fig = figure(420, 300)
    with house_style():
        axes = panel(
            fig,
            left=52,
            right=16,
            top=40,
            xlabel="test budget *ε*",
            ylabel="robust error",
            ylabel_rise=30,
        )
        set_scale(axes, "x", first, last, target=5, label=number)
        set_scale(axes, "y", -0.03, 1.03, values=(0, 0.25, 0.5, 0.75, 1), label=percent)
        if edges is not None:
            _shade(axes, edges)
            if max(edges[0], first) < min(edges[1], last):
                middle = (max(edges[0], first) + min(edges[1], last)) / 2
                note(
                    axes,
                    middle,
                    0.5,
                    "window",
                    role=_WINDOW,
                    ha="center",
                    outline=False,
                    coordinates=("data", "axes fraction"),
                    dy=75,
                )
        start = 0.0
        roles: tuple[Role, ...] = (_NONROBUST, _ROBUST, SERIES[3])
        for role, (kind, (eps, found, open_)) in zip(roles, tables.items(), strict=False):
            color = LIGHT[role]
            axes.fill_between(eps, found, open_, color=color, alpha=0.25, linewidth=0)
            axes.plot(eps, open_, color=color, linewidth=1.5, dashes=(3, 2))
            axes.plot(eps, found, color=color, linewidth=2.0)
            axes.plot(eps, found, "o", color=color, markersize=4.5, clip_on=True)
            note(
                axes,
                start,
                1.0,
                kind,
                role=role,
                coordinates="axes fraction",
                dx=2,
                dy=10,
                weight="bold",
            )
            start += 1.0 / max(len(tables), 2)
    if alt is None:
        alt = _bracket_words(tables, edges)
    return Picture(fig, alt=alt, caption=caption, name=name)


def _bracket_words(
    tables: Mapping[str, tuple[FloatArray, FloatArray, FloatArray]],
    window: tuple[float, float] | None,
) -> str:
    said = []
    for kind, (eps, found, open_) in tables.items():
        # Up to the first error that is possible, and from where on every attack breaks all.
        safe = eps[np.maximum.accumulate(open_) == 0]
        broken = eps[np.minimum.accumulate(found[::-1])[::-1] == 1]
        words = [
            f"certified without error up to {number(float(safe[-1]))}"
            if safe.size
            else f"at {number(float(eps[0]))} at most {percent(float(open_[0]))} are broken",
            f"all inputs broken from {number(float(broken[0]))} on"
            if broken.size
            else f"at {number(float(eps[-1]))} at least {percent(float(found[-1]))} are broken",
            f"widest gap between attack and certificate {percent(float((open_ - found).max()))}",
        ]
        said.append(f"{to_plain(kind)}: {', '.join(words)}")
    shaded = (
        f" The window from {number(window[0])} to {number(window[1])} is shaded."
        if window is not None and window[0] < window[1]
        else ""
    )
    return f"Robust error over the test budget. {'; '.join(said)}.{shaded}"
