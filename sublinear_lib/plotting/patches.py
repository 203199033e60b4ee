"""Pictures of inputs made of patches, and of what strength and density of a feature do.

`patch_picture` draws inputs as heat maps, `density_picture` the plane of strength and density with
the lines on which an exponent calls two features equal, `rectifier_picture` activations with their
slopes, `logits_picture` what networks answer before and after an attack, and `fooled_picture`
shares against the budget.  The numbers come from the floors below; no formula lives here.  Before
changing them, know that the shade of a cell is the square root of its value over the largest: with
a linear scale a weak dense feature would hardly be seen beside a strong one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.patches import PathPatch, Polygon
from matplotlib.path import Path

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.checks import ascending
from sublinear_lib.plotting.formats import Numbers, number
from sublinear_lib.plotting.palette import LIGHT, ROLES, SERIES, Role
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain, to_sentence
from sublinear_lib.plotting.style import (
    EndLabel,
    figure,
    house_style,
    label_line_ends,
    note,
    panel,
    panel_title,
    set_scale,
)
from sublinear_lib.validation import choice, float_array, scalar

__all__ = [
    "AnswerBars",
    "HeatPanel",
    "HeatRows",
    "density_picture",
    "fooled_picture",
    "logits_picture",
    "patch_picture",
    "rectifier_picture",
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


class AnswerBars(NamedTuple):
    """One panel of `logits_picture`.

    Parameters
    ----------
    title : str
        Which network it is, in the house markup.
    logits : mapping of str to array-like, shape (k,)
        For each situation, by its label in the house markup, the logits of the classes; one to
        four situations.
    """

    title: str
    logits: Mapping[str, Numbers]


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


def density_picture(
    features: Mapping[str, tuple[float, float]],
    exponents: Sequence[float],
    *,
    shaded: float | None = None,
    budget: float | None = None,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw features in the plane of strength and density.

    Parameters
    ----------
    features : mapping of str to pair of float
        For each feature, by its label in the house markup, its strength and its number of patches,
        both positive; two to five features.  Lines start at the first.
    exponents : sequence of float
        For each of these q, a line of all features with the same sum ``patches * strength^q`` as
        the first; one to five numbers ``>= 0``.
    shaded : float, optional
        One of the exponents: what is denser by it is shaded.
    budget : float, optional
        A budget of the adversary, ``> 0``: strengths up to it are shaded.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The plane, both scales logarithmic.

    Raises
    ------
    ValueError
        If a number is out of range or there are too few or too many of them.

    Notes
    -----
    Source: Assumption 2.3 of Li and Li (2025), as reconstructed.
    """
    if not 2 <= len(features) <= len(SERIES):
        raise ValueError(f"features must hold two to {len(SERIES)} features, got {len(features)}")
    places = np.array(
        [
            [
                scalar(pair[0], f"features[{key!r}][0]", exclusive_minimum=0.0),
                scalar(pair[1], f"features[{key!r}][1]", exclusive_minimum=0.0),
            ]
            for key, pair in features.items()
        ]
    )
    orders = [scalar(q, f"exponents[{k}]", minimum=0.0) for k, q in enumerate(exponents)]
    if not 1 <= len(orders) <= len(SERIES):
        raise ValueError(f"exponents must hold one to {len(SERIES)} numbers, got {len(orders)}")
    if shaded is not None and shaded not in orders:
        raise ValueError(f"shaded must be one of exponents {orders}, got {shaded}")
    limit = None if budget is None else scalar(budget, "budget", exclusive_minimum=0.0)
    strengths = [*places[:, 0].tolist(), *([limit] if limit is not None else [])]
    left, right = min(strengths) / 2.2, max(strengths) * 2.2
    low, high = float(places[:, 1].min()) / 1.8, float(places[:, 1].max()) * 5
    alpha, patches = places[0].tolist()
    fig = figure(420, 350)
    with house_style():
        axes = panel(
            fig,
            left=46,
            right=18,
            top=18,
            xlabel="strength of the feature",
            ylabel="density: patches that show it",
        )
        axes.grid(visible=False)
        set_scale(axes, "x", left, right, scale="log10", target=5, label=number)
        set_scale(axes, "y", low, high, scale="log10", target=4, label=number)
        if limit is not None:
            axes.axvspan(left, limit, color=LIGHT["c4"], alpha=0.1, linewidth=0)
            axes.axvline(limit, color=LIGHT["c4"], linewidth=1.25)
            note(axes, left, low, "within the\nbudget *ε*", role="c4", dx=6, dy=22)
        ends = np.array([left, right])
        for q in orders:
            line = patches * (alpha / ends) ** q
            if q == shaded:
                corners = [(left, line[0]), (right, line[1]), (right, 1e9), (left, 1e9)]
                if line[0] > high:
                    corners[0] = (alpha * (patches / high) ** (1 / q), high)
                axes.add_patch(
                    Polygon(corners, facecolor=LIGHT["c2"], alpha=0.1, linewidth=0, closed=True)
                )
            axes.plot(
                ends,
                line,
                color=LIGHT["ink" if q == shaded else "muted"],
                linewidth=2.0 if q == shaded else 1.0,
                dashes=(None, None) if q == shaded else (3, 2),
            )
            # The label stands where the line enters the plot, or a little below its upper edge.
            height = min(float(line[0]), high / 2)
            note(
                axes,
                left if height == line[0] else alpha * (patches / height) ** (1 / q),
                height,
                f"*q* = {number(q)}",
                role="ink" if q == shaded else "muted",
                dx=8,
                dy=10,
                weight="bold" if q == shaded else "normal",
            )
        for role, (key, (s, count)) in zip(
            SERIES, zip(features, places.tolist(), strict=True), strict=False
        ):
            axes.plot(s, count, "o", color=LIGHT[role], markersize=12, zorder=4)
            near_edge = s > right / 3
            note(
                axes,
                s,
                count,
                key,
                role=role,
                dx=-12 if near_edge else 12,
                dy=13,
                ha="right" if near_edge else "left",
                weight="bold",
            )
    if alt is None:
        first, *others = features
        said = []
        for key in others:
            s, count = features[key]
            sums = ", ".join(
                f"q = {number(q)}: {number(round(count * s**q, 3))} against "
                f"{number(round(patches * alpha**q, 3))}"
                for q in orders
            )
            said.append(
                f"{to_plain(key)} has strength {number(s)} in {number(count)} patches; sums for "
                f"{sums}"
            )
        alt = (
            f"The plane of strength and density. {to_plain(first)} has strength {number(alpha)} "
            f"in {number(patches)} patch{'es' if patches != 1 else ''}. {'. '.join(said)}."
            + ("" if limit is None else f" The budget is {number(limit)}.")
        )
    return Picture(fig, alt=alt, caption=caption, name=name)


def rectifier_picture(
    z: Numbers,
    values: Mapping[str, Numbers],
    slopes: Mapping[str, Numbers],
    *,
    joint: float | None = None,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw activations, and beside them their slopes.

    Parameters
    ----------
    z : array-like, shape (n,)
        The arguments, ascending.
    values, slopes : mapping of str to array-like, shape (n,)
        For each activation, by its label in the house markup, values and slopes; the same one to
        four labels in both.
    joint : float, optional
        Where two pieces meet, to mark by a dashed line.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        Two panels: the activations, and their slopes.

    Raises
    ------
    ValueError
        If shapes do not match, arguments do not ascend, or there are too many activations.

    Notes
    -----
    Source: the smoothed ReLU of Li and Li (2025).
    """
    places = ascending(z, "z")
    if list(values) != list(slopes) or not 1 <= len(values) <= _MOST_PANELS:
        raise ValueError(
            f"values and slopes must hold the same one to {_MOST_PANELS} labels, got "
            f"{list(values)} and {list(slopes)}"
        )
    at = None if joint is None else scalar(joint, "joint")
    figures = []
    tables = []
    for word, given in (("values", values), ("slopes", slopes)):
        curves = {
            key: float_array(curve, f"{word}[{key!r}]", shape=places.shape)
            for key, curve in given.items()
        }
        tables.append(curves)
        low = min(0.0, *(float(curve.min()) for curve in curves.values()))
        high = 1.08 * max(0.0, *(float(curve.max()) for curve in curves.values())) or 1.0
        fig = figure(300, 250)
        with house_style():
            axes = panel(fig, left=38, right=64, top=36, bottom=40, xlabel="*z*")
            set_scale(axes, "x", float(places[0]), float(places[-1]), target=4, label=number)
            set_scale(axes, "y", low, high, target=4, label=number)
            panel_title(axes, "value" if word == "values" else "slope", left=38, rise=15)
            if at is not None:
                axes.axvline(at, color=LIGHT["muted"], linewidth=1.0, dashes=(3, 2))
                note(axes, at, high, "*\N{GREEK RHO SYMBOL}*", role="muted", dx=4, dy=-6)
            ends = []
            for role, (key, curve) in zip(SERIES, curves.items(), strict=False):
                axes.plot(places, curve, color=LIGHT[role], linewidth=1.75)
                ends.append(EndLabel(float(curve[-1]), key, role))
            label_line_ends(axes, ends)
        figures.append(fig)
    if alt is None:
        said = "; ".join(
            f"{to_plain(key)}: value up to {number(round(float(curve.max()), 3))}, slope from "
            f"{number(round(float(tables[1][key].min()), 3))} to "
            f"{number(round(float(tables[1][key].max()), 3))}"
            for key, curve in tables[0].items()
        )
        alt = f"Activations and their slopes. {said}."
    return Picture(figures, alt=alt, caption=caption, name=name)


def logits_picture(
    panels: Sequence[AnswerBars],
    classes: Sequence[str],
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw the logits that networks give to one input in several situations.

    Parameters
    ----------
    panels : sequence of AnswerBars
        One to four networks with the same situations, each on a scale of its own.
    classes : sequence of str
        One label for each class, in the house markup; two to five.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        For each network groups of bars, one group for each situation, one bar for each class.

    Raises
    ------
    ValueError
        If shapes do not match or there are too many panels, situations or classes.

    Notes
    -----
    Source: Propositions 3.1 and 3.2 of Li and Li (2025).
    """
    if not 1 <= len(panels) <= _MOST_PANELS:
        raise ValueError(f"panels must hold one to {_MOST_PANELS} panels, got {len(panels)}")
    if not 2 <= len(classes) <= len(SERIES):
        raise ValueError(f"classes must hold two to {len(SERIES)} labels, got {len(classes)}")
    situations = list(panels[0].logits)
    if not 1 <= len(situations) <= 4:
        raise ValueError(f"logits must hold one to four situations, got {len(situations)}")
    figures, said = [], []
    for k, each in enumerate(panels):
        if list(each.logits) != situations:
            raise ValueError(f"panels[{k}].logits must have the situations {situations}")
        table = np.stack(
            [
                float_array(each.logits[key], f"panels[{k}].logits[{key!r}]", shape=(len(classes),))
                for key in situations
            ]
        )
        low = min(0.0, 1.18 * float(table.min()))
        high = 1.18 * max(0.0, float(table.max())) or (0.0 if low < 0.0 else 1.0)
        fig = figure(300, 250)
        wide = 0.8 / len(classes)
        with house_style():
            axes = panel(fig, left=44, right=10, top=58, bottom=40)
            set_scale(axes, "y", low, high, target=4, label=number)
            axes.set_xlim(-0.55, len(situations) - 0.45)
            axes.set_xticks(range(len(situations)), situations)
            panel_title(axes, each.title, left=42, rise=38)
            step = 0.0
            for i, (label, role) in enumerate(zip(classes, SERIES, strict=False)):
                start = np.arange(len(situations)) + (i - len(classes) / 2) * wide
                for x, value in zip(start.tolist(), table[:, i].tolist(), strict=True):
                    axes.add_patch(
                        Polygon(
                            [
                                (x, 0.0),
                                (x + 0.86 * wide, 0.0),
                                (x + 0.86 * wide, value),
                                (x, value),
                            ],
                            facecolor=LIGHT[role],
                            linewidth=0,
                        )
                    )
                note(
                    axes,
                    0.0,
                    1.0,
                    label,
                    role=role,
                    coordinates="axes fraction",
                    dx=-42 + step,
                    dy=16,
                    weight="bold",
                )
                step += 16.0 + 7.2 * len(to_plain(label))
        figures.append(fig)
        for key, values in zip(situations, table, strict=True):
            given = ", ".join(
                f"{to_plain(label)} {number(round(float(value), 3))}"
                for label, value in zip(classes, values, strict=True)
            )
            said.append(f"{to_plain(each.title)}, {to_plain(key)}: {given}")
    if alt is None:
        alt = f"Logits of {len(classes)} classes. {'. '.join(said)}."
    return Picture(figures, alt=alt, caption=caption, name=name)


def fooled_picture(
    budgets: Numbers,
    shares: Mapping[str, Numbers],
    *,
    marks: Mapping[str, float] | None = None,
    ylabel: str = "share that is fooled",
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw shares against the budget of the adversary.

    Parameters
    ----------
    budgets : array-like, shape (n,)
        The budgets, ascending, in units of the inputs.
    shares : mapping of str to array-like, shape (n,) or (n, 3)
        For each curve, by its label in the house markup, shares in [0, 1]; three columns hold the
        lower end, the estimate and the upper end of an interval.  One to five curves.
    marks : mapping of str to float, optional
        Budgets to mark by a dashed line, by their labels in the house markup.
    ylabel : str, default "share that is fooled"
        What is counted.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        Curves with dots, and bars for the intervals.

    Raises
    ------
    ValueError
        If shapes do not match, budgets do not ascend, a share is out of range, an interval does not
        hold its estimate, or there are too many curves.

    Notes
    -----
    Source: Proposition 3.1 of Li and Li (2025).
    """
    eps = ascending(budgets, "budgets")
    if not 1 <= len(shares) <= len(SERIES):
        raise ValueError(f"shares must hold one to {len(SERIES)} curves, got {len(shares)}")
    curves: dict[str, FloatArray] = {}
    for key, given in shares.items():
        table = float_array(given, f"shares[{key!r}]")
        if table.shape == eps.shape:
            table = np.stack([table] * 3, axis=1)
        if table.shape != (eps.size, 3):
            raise ValueError(
                f"shares[{key!r}] must have shape ({eps.size},) or ({eps.size}, 3), got "
                f"{table.shape}"
            )
        if table.min() < 0 or table.max() > 1 or (np.diff(table, axis=1) < 0).any():
            raise ValueError(
                f"shares[{key!r}] must hold numbers in [0, 1], lower end, estimate, upper end"
            )
        curves[key] = table
    lines = {
        key: scalar(value, f"marks[{key!r}]", minimum=0.0) for key, value in (marks or {}).items()
    }
    high = 1.0 + 0.09 * len(lines)
    fig = figure(420, 290)
    with house_style():
        axes = panel(
            fig, left=46, right=104, top=18, xlabel="budget *ε* of the adversary", ylabel=ylabel
        )
        shown = [float(eps[0]), float(eps[-1]), *lines.values()]
        left, right = min(shown), max(shown)
        set_scale(axes, "x", left, right, target=5, label=number)
        set_scale(axes, "y", -0.03, high + 0.03, label=number, values=[0.0, 0.25, 0.5, 0.75, 1.0])
        for k, (key, value) in enumerate(lines.items()):
            axes.axvline(value, color=LIGHT["muted"], linewidth=1.0, dashes=(3, 2))
            near_edge = value > 0.75 * right
            note(
                axes,
                value,
                high - 0.09 * k,
                key,
                role="muted",
                dx=-5 if near_edge else 5,
                ha="right" if near_edge else "left",
            )
        ends = []
        for role, (key, table) in zip(SERIES, curves.items(), strict=False):
            axes.plot(eps, table[:, 1], "-o", color=LIGHT[role], linewidth=1.75, markersize=5)
            axes.vlines(eps, table[:, 0], table[:, 2], color=LIGHT[role], linewidth=1.25)
            ends.append(EndLabel(float(table[-1, 1]), key, role))
        label_line_ends(axes, ends)
    if alt is None:
        said = []
        for key, table in curves.items():
            broken = np.flatnonzero(table[:, 1] >= 1.0)
            first = "never reaches 1"
            if broken.size:
                first = f"reaches 1 at {number(round(float(eps[broken[0]]), 3))}"
            said.append(
                f"{to_plain(key)}: from {number(round(float(table[0, 1]), 3))} at "
                f"{number(round(float(eps[0]), 3))} to {number(round(float(table[-1, 1]), 3))} at "
                f"{number(round(float(eps[-1]), 3))}; {first}"
            )
        told = "".join(f" {to_plain(key)}: {number(round(v, 4))}." for key, v in lines.items())
        alt = f"{to_sentence(ylabel)} against the budget. {'. '.join(said)}.{told}"
    return Picture(fig, alt=alt, caption=caption, name=name)
