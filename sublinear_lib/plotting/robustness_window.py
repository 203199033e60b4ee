"""Pictures of the robustness window: what is left of a feature, and who is broken at which budget.

`contest_picture` draws what an adversary leaves of two features beside what it can inject;
`window_edges_picture` the ends of the window along a parameter such as the exponent q;
`robust_error_picture` robust errors over the test budget, attacks below and certificates above;
`energy_picture` where perturbations point.  The numbers come from the floors below; no formula
lives here.  Before changing them, know that an attack is a lower bound and a certificate an upper
one: the area between is what nobody knows, and it is shaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

from sublinear_lib._typing import BoolArray, FloatArray
from sublinear_lib.plotting.checks import ascending, nonnegative
from sublinear_lib.plotting.formats import Numbers, number, percent
from sublinear_lib.plotting.palette import LIGHT, SERIES, Role
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import figure, house_style, note, panel, panel_title, set_scale
from sublinear_lib.validation import float_array, scalar

__all__ = [
    "Contest",
    "ErrorBracket",
    "contest_picture",
    "energy_picture",
    "robust_error_picture",
    "window_edges_picture",
]

_MOST_PANELS = 4
_ROBUST: Role = "c1"
_NONROBUST: Role = "c2"
_WINDOW: Role = "c3"


class Contest(NamedTuple):
    """One panel of `contest_picture`.

    Parameters
    ----------
    title : str
        What it shows, in the house markup.
    robust, nonrobust : array-like, shape (E,)
        What a budget leaves of the robust and of the non-robust feature, in the unit in which the
        adversary injects exactly the budget; nowhere rising, and something at the first budget.
    window : pair of float
        From where on the non-robust network is broken, and up to where the robust one is safe.
    """

    title: str
    robust: Numbers
    nonrobust: Numbers
    window: tuple[float, float]


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


def _left(value: object, name: str, size: int) -> FloatArray:
    curve = float_array(value, name, shape=(size,))
    if curve[0] <= 0.0 or (np.diff(curve) > 0.0).any():
        raise ValueError(f"{name} must start above 0 and nowhere rise, got {curve.tolist()}")
    return curve


def contest_picture(
    eps: Numbers,
    panels: Sequence[Contest],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw what an adversary leaves of two features beside what it injects.

    Parameters
    ----------
    eps : array-like, shape (E,)
        Budgets, ``>= 0``, ascending.
    panels : sequence of Contest
        One to four panels, on one scale.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        Two falling curves and the diagonal, the window shaded where there is one.

    Raises
    ------
    ValueError
        If shapes do not match, budgets do not ascend from 0 or more, what is left rises or is
        nothing from the start, or there are too many panels.

    Notes
    -----
    Source: Proposition III.1, ours.
    """
    budgets = ascending(eps, "eps", 0.0)
    if not 1 <= len(panels) <= _MOST_PANELS:
        raise ValueError(f"panels must hold one to {_MOST_PANELS} panels, got {len(panels)}")
    rows = [
        (
            _left(each.robust, f"panels[{k}].robust", budgets.size),
            _left(each.nonrobust, f"panels[{k}].nonrobust", budgets.size),
            _pair(each.window, f"panels[{k}].window"),
        )
        for k, each in enumerate(panels)
    ]
    top = max(float(max(u.max(), v.max())) for u, v, _ in rows)
    top = 1.06 * max(top, float(budgets[-1]))
    figures = []
    for each, (u, v, window) in zip(panels, rows, strict=True):
        fig = figure(300, 280)
        with house_style():
            axes = panel(fig, left=38, right=12, top=40, bottom=44, xlabel="budget *ε*")
            set_scale(axes, "x", 0.0, float(budgets[-1]), target=4, label=number)
            set_scale(axes, "y", 0.0, top, target=4, label=number)
            panel_title(axes, each.title, left=30, rise=18)
            _shade(axes, window)
            axes.plot(budgets, budgets, color=LIGHT["ink"], linewidth=1.5, dashes=(3, 2))
            for values, role, edge in ((u, _ROBUST, window[1]), (v, _NONROBUST, window[0])):
                # Up to where nothing is left, and not along the axis.
                left = values > 0
                left[1:] |= left[:-1] & (values[1:] == 0)
                axes.plot(budgets[left], values[left], color=LIGHT[role], linewidth=2.25)
                axes.plot(edge, edge, "o", color=LIGHT[role], markersize=7)
            spot = int(0.86 * budgets.size)
            at = float(budgets[spot])
            note(axes, at, at, "injected", ha="right", dx=-6, dy=7)
            last = int(np.flatnonzero(u > 0)[-1])
            note(axes, float(budgets[last]), float(u[last]), "*u*", role=_ROBUST, ha="right", dy=9)
            note(axes, float(budgets[1]), float(v[1]), "*v*", role=_NONROBUST, dx=4, dy=10)
        figures.append(fig)
    if alt is None:
        said = []
        for each, (u, v, (low, high)) in zip(panels, rows, strict=True):
            what = (
                f"the window goes from {number(low)} to {number(high)}"
                if low < high
                else f"no window, since {number(low)} is not below {number(high)}"
            )
            said.append(
                f"{to_plain(each.title)}: v starts at {number(float(v[0]))} and u at "
                f"{number(float(u[0]))}; v meets the diagonal at {number(low)}, u at "
                f"{number(high)}; {what}"
            )
        alt = (
            "What the adversary leaves of each feature falls along straight lines; what it "
            f"injects is the diagonal. {'. '.join(said)}."
        )
    return Picture(figures, alt=alt, caption=caption, name=name)


def window_edges_picture(
    x: Numbers,
    lower: Numbers,
    upper: Numbers,
    *,
    xlabel: str,
    scale: str = "linear",
    even: float | None = None,
    even_label: str = "",
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw both ends of the window along a parameter.

    Parameters
    ----------
    x : array-like, shape (k,)
        The parameter, ascending.
    lower, upper : array-like, shape (k,)
        From where on the non-robust network is broken, and up to where the robust one is safe,
        ``>= 0``.
    xlabel : str
        What the parameter is, in the house markup.
    scale : {"linear", "log10", "log2"}
        The scale of the parameter.
    even : float, optional
        A place of the parameter that is marked by a line.
    even_label : str, optional
        What happens there, in the house markup.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        Two curves, the area between them shaded where the window is not empty.

    Raises
    ------
    ValueError
        If shapes do not match, the parameter does not ascend, or a budget is negative.

    Notes
    -----
    Source: Proposition III.1, ours.
    """
    places = ascending(x, "x")
    low = nonnegative(lower, "lower", places.shape)
    high = nonnegative(upper, "upper", places.shape)
    mark = None if even is None else scalar(even, "even")
    top = 1.08 * float(max(low.max(), high.max())) or 1.0
    fig = figure(420, 300)
    with house_style():
        axes = panel(fig, left=52, right=24, top=18, xlabel=xlabel, ylabel="test budget *ε*")
        set_scale(
            axes, "x", float(places[0]), float(places[-1]), scale=scale, target=6, label=number
        )
        set_scale(axes, "y", 0.0, top, target=5, label=number)
        axes.fill_between(
            places,
            low,
            high,
            where=(low < high).tolist(),
            interpolate=True,
            color=LIGHT[_WINDOW],
            alpha=0.16,
            linewidth=0,
        )
        axes.plot(places, low, color=LIGHT[_NONROBUST])
        axes.plot(places, high, color=LIGHT[_ROBUST])
        spot = int(0.72 * places.size)
        rising = bool(high[-1] >= high[0])
        on = spot if rising else int(0.55 * places.size)
        note(
            axes,
            float(places[on]),
            float(high[on]),
            "*u*-net safe below",
            role=_ROBUST,
            ha="right" if rising else "left",
            dx=-8 if rising else 10,
            dy=9,
        )
        note(
            axes,
            float(places[spot]),
            float(low[spot]),
            "*v*-net broken above",
            role=_NONROBUST,
            dx=-40,
            dy=-14,
        )
        if mark is not None:
            axes.axvline(mark, color=LIGHT["ink"], linewidth=1.0, dashes=(3, 2))
            note(axes, mark, 0.06 * top, even_label, dx=5)
    if alt is None:
        marked = "" if mark is None else f" A line at {number(mark)}: {to_plain(even_label)}."
        alt = (
            f"Two curves over {to_plain(xlabel)} from {number(float(places[0]))} to "
            f"{number(float(places[-1]))}: the budget that breaks v goes from "
            f"{number(float(low[0]))} to {number(float(low[-1]))}, the one up to which u is safe "
            f"from {number(float(high[0]))} to {number(float(high[-1]))}. "
            f"{_opened(places, low < high)}.{marked}"
        )
    return Picture(fig, alt=alt, caption=caption, name=name)


def _opened(places: FloatArray, opened: BoolArray) -> str:
    """Say on which stretches of the parameter the window is open."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], opened, [False]]).astype(int)))
    stretches = [
        f"from {number(float(places[start]))} to {number(float(places[stop - 1]))}"
        for start, stop in edges.reshape(-1, 2)
    ]
    if not stretches:
        return "The window is empty throughout"
    return f"The window is open {' and '.join(stretches)}"


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


def energy_picture(
    networks: Mapping[str, Mapping[str, float]],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw where perturbations point: shares of their squared length, as bars.

    Parameters
    ----------
    networks : mapping of str to mapping of str to float
        By the name of the network the shares by the name of the direction, both in the house
        markup; the same directions, at most six, for one to three networks.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        Level bars, one group for each direction.

    Raises
    ------
    ValueError
        If directions differ, are too many, or a share is not in [0, 1].

    Notes
    -----
    Source: after the pictures of perturbations that the review thread of Li and Li (2025) names.
    """
    if not 1 <= len(networks) <= 3:
        raise ValueError(f"networks must hold one to three networks, got {len(networks)}")
    tables = {kind: dict(shares) for kind, shares in networks.items()}
    ways = list(next(iter(tables.values())))
    if not 1 <= len(ways) <= 6:
        raise ValueError(f"networks must name one to six directions, got {len(ways)}")
    for kind, shares in tables.items():
        if list(shares) != ways:
            raise ValueError(f"networks[{kind!r}] must name the directions {ways}")
        values = float_array(list(shares.values()), f"networks[{kind!r}]", shape=(len(ways),))
        if values.min() < 0 or values.max() > 1:
            raise ValueError(f"networks[{kind!r}] must hold shares in [0, 1]")
    thick = 11.0
    group = thick * len(tables) + 13.0
    fig = figure(420, 90 + group * len(ways))
    with house_style():
        axes = panel(fig, left=118, right=56, top=40, xlabel="share of the squared length")
        set_scale(axes, "x", 0.0, 1.0, values=(0, 0.25, 0.5, 0.75, 1), label=percent)
        axes.set_ylim(group * len(ways) - 4, -4)
        axes.set_yticks([])
        axes.grid(visible=False, axis="y")
        roles: tuple[Role, ...] = (_NONROBUST, _ROBUST, SERIES[3])
        start = 0.0
        for place, (role, (kind, shares)) in enumerate(zip(roles, tables.items(), strict=False)):
            color = LIGHT[role]
            for row, share in enumerate(shares.values()):
                at = row * group + place * thick + thick / 2 + 2
                axes.barh(at, share, height=thick - 2, color=color)
                note(
                    axes,
                    share,
                    at,
                    percent(round(share, 4)),
                    role=role,
                    dx=5,
                    size=11,
                    outline=False,
                )
            note(
                axes,
                start,
                1.0,
                kind,
                role=role,
                coordinates="axes fraction",
                dx=-112,
                dy=12,
                weight="bold",
            )
            start += 1.3 / max(len(tables), 2)
        for row, way in enumerate(ways):
            note(
                axes,
                0.0,
                row * group + thick * len(tables) / 2 + 2,
                way,
                coordinates=("axes fraction", "data"),
                dx=-8,
                ha="right",
            )
    if alt is None:
        said = "; ".join(
            f"{to_plain(kind)}: "
            + ", ".join(
                f"{to_plain(way)} {percent(round(share, 4))}" for way, share in shares.items()
            )
            for kind, shares in tables.items()
        )
        alt = f"Shares of the squared length of a perturbation by direction. {said}."
    return Picture(fig, alt=alt, caption=caption, name=name)
