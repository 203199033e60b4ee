"""The house style of the figures: one look, drawn small enough to be read on a phone.

No object of the paper lives here.  A figure is 420 pixels wide by default, with labels of 11 to 12
pixels: scaled to a phone they stay readable, and the page never shows it wider than 560.  Sizes are
in pixels (72 to the inch), margins are given, not computed, so that the layout does not depend on
the metrics of a font.  Series are labeled where they end (`label_line_ends`), not in a legend.
Nothing here touches ``pyplot``: figures have no global state and are never displayed twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, NamedTuple, TypeAlias

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FixedFormatter, FixedLocator, NullFormatter, NullLocator

from sublinear_lib._arguments import Check, Flag, Real, checked
from sublinear_lib._typing import IntArray
from sublinear_lib.plotting.checks import Label
from sublinear_lib.plotting.palette import LIGHT, ROLES, SERIES, Role
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.ticks import SCALES, ticks
from sublinear_lib.validation import choice, instance, scalar

__all__ = [
    "EndLabel",
    "figure",
    "house_style",
    "label_line_ends",
    "note",
    "panel",
    "set_scale",
]

HALO = "sl-halo"
"""The group id that gives a label an outline in the color of the page."""

LINE_HEIGHT = 15.0
"""Least distance in pixels between two labels of 12 pixels."""

Canvas: TypeAlias = Annotated[Figure, Check(instance, "Figure", "False", {"kind": Figure})]

_RC: Any = {
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 12.0,
    "mathtext.fontset": "dejavusans",
    "text.color": LIGHT["ink"],
    "figure.dpi": 72.0,
    "savefig.dpi": 72.0,
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "axes.facecolor": "none",
    "axes.edgecolor": LIGHT["muted"],
    "axes.linewidth": 1.0,
    "axes.labelcolor": LIGHT["ink"],
    "axes.labelsize": 12.0,
    "axes.labelpad": 6.0,
    "axes.titlesize": 12.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=[LIGHT[role] for role in SERIES]),
    "axes.formatter.use_mathtext": False,
    "axes.unicode_minus": True,
    "grid.color": LIGHT["grid"],
    "grid.linewidth": 1.0,
    "grid.linestyle": "-",
    "xtick.color": LIGHT["muted"],
    "ytick.color": LIGHT["muted"],
    "xtick.labelcolor": LIGHT["muted"],
    "ytick.labelcolor": LIGHT["muted"],
    "xtick.labelsize": 11.0,
    "ytick.labelsize": 11.0,
    "xtick.major.size": 4.0,
    "ytick.major.size": 0.0,
    "xtick.major.width": 1.0,
    "xtick.minor.size": 0.0,
    "ytick.minor.size": 0.0,
    "lines.linewidth": 2.25,
    "lines.markersize": 5.0,
    "lines.solid_capstyle": "round",
    "lines.solid_joinstyle": "round",
    "lines.dash_capstyle": "butt",
    "patch.linewidth": 0.0,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "sublinear",
    "path.simplify": True,
}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the house style for the duration of a ``with`` block.

    Matplotlib reads most defaults when an artist is created, so code that adds lines to a figure
    of the house should stand in this block too.

    Yields
    ------
    None
        Nothing: the block draws.

    Examples
    --------
    >>> with house_style():
    ...     fig = figure()
    ...     axes = panel(fig, xlabel="step", ylabel="loss")
    ...     _ = axes.plot([0, 1, 2], [1.0, 0.5, 0.3])
    """
    with mpl.rc_context():
        # From Matplotlib's own defaults, so that a reader's matplotlibrc changes no figure.
        mpl.rcdefaults()
        mpl.rcParams.update(_RC)
        yield


def figure(width: float = 420.0, height: float = 280.0) -> Figure:
    """Return an empty figure without any pyplot state.

    Parameters
    ----------
    width, height : float
        Size in pixels, at least 80.  The default width suits a phone; use 300 for each of two
        panels that stand side by side and wrap on a narrow screen.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.

    Raises
    ------
    ValueError
        If a size is below 80 or not finite.
    """
    width = scalar(width, "width", minimum=80.0)
    height = scalar(height, "height", minimum=80.0)
    with house_style():
        return Figure(figsize=(width / 72.0, height / 72.0), dpi=72.0)


@checked
def panel(
    figure: Canvas,
    *,
    left: Real = 52.0,
    right: Real = 14.0,
    top: Real = 16.0,
    bottom: Real = 46.0,
    xlabel: Label = "",
    ylabel: Label = "",
    ylabel_rise: Real = 10.0,
    frame: Flag = True,
) -> Axes:
    """Add axes to a figure, with margins in pixels.

    The label of the y axis stands above it, level, where it can be read without tilting the head.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        A figure of `figure`.
    left, right, top, bottom : float
        Margins in pixels.  Leave about 90 on the right for `label_line_ends`.
    xlabel, ylabel : str
        Axis labels in the house markup.
    ylabel_rise : float, default 10
        How far above the axes the label of the y axis stands, in pixels, where other labels stand
        between; `top` has to leave the room.
    frame : bool, default True
        Whether there are axes at all; ``False`` gives a blank panel for drawings.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    TypeError, ValueError
        If an argument is of another kind, or the margins leave no room.
    """
    width, height = (float(v) * 72.0 for v in figure.get_size_inches())
    if ylabel:
        top += 16.0
    inner_width, inner_height = width - left - right, height - top - bottom
    if inner_width < 20.0 or inner_height < 20.0:
        raise ValueError(
            f"margins must leave at least 20 pixels for the plot, got {inner_width:g} x "
            f"{inner_height:g} in a figure of {width:g} x {height:g}"
        )
    with house_style():
        axes = figure.add_axes(
            (left / width, bottom / height, inner_width / width, inner_height / height)
        )
        if not frame:
            axes.set_axis_off()
        if xlabel:
            axes.set_xlabel(xlabel)
        if ylabel:
            axes.annotate(
                ylabel,
                xy=(0.0, 1.0),
                xycoords="axes fraction",
                xytext=(-left + 4.0, ylabel_rise),
                textcoords="offset points",
                ha="left",
                va="bottom",
                annotation_clip=False,
            )
    return axes


def set_scale(
    axes: Axes,
    which: str,
    low: float,
    high: float,
    *,
    scale: str = "linear",
    target: int = 5,
    label: Callable[[float], str] | None = None,
    values: Sequence[float] | None = None,
) -> None:
    """Give an axis its limits, its scale and the ticks of the house.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        The axes.
    which : {"x", "y"}
        The axis.
    low, high : float
        Its ends in data units.
    scale : {"linear", "log10", "log2"}
        Its scale.
    target, label, values
        As in `sublinear_lib.plotting.ticks.ticks`.

    Raises
    ------
    ValueError
        As `ticks`.
    """
    which = choice(which, "which", ("x", "y"))
    scale = choice(scale, "scale", SCALES)
    chosen = ticks(low, high, scale=scale, target=target, label=label, values=values)
    across = which == "x"
    axis = axes.xaxis if across else axes.yaxis
    if scale != "linear":
        set_scale_of = axes.set_xscale if across else axes.set_yscale
        set_scale_of("log", base=2 if scale == "log2" else 10)
    (axes.set_xlim if across else axes.set_ylim)(low, high)
    axis.set_major_locator(FixedLocator(list(chosen.values)))
    axis.set_major_formatter(FixedFormatter(list(chosen.labels)))
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())


def note(
    axes: Axes,
    x: float,
    y: float,
    text: str,
    *,
    role: Role = "ink",
    dx: float = 0.0,
    dy: float = 0.0,
    ha: str = "left",
    va: str = "center",
    weight: str = "normal",
    size: float = 12.0,
    coordinates: str | tuple[str, str] = "data",
    outline: bool = True,
) -> tuple[Text, ...]:
    r"""Write a label into a plot, outlined in the color of the page so that lines do not cut it.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        The axes.
    x, y : float
        The anchor, in the units of `coordinates`.
    text : str
        The label in the house markup; ``\n`` starts a new line.
    role : str, default "ink"
        Its color.
    dx, dy : float
        Offset from the anchor in pixels, to the right and upwards.
    ha, va : str
        Alignment at the anchor.
    weight : {"normal", "bold"}
        Weight of the type.
    size : float, default 12
        Size of the type in pixels.
    coordinates : str or pair of str, default "data"
        Any Matplotlib coordinate name, for example ``"axes fraction"``, or one for each direction.
    outline : bool, default True
        Whether there is an outline; ``False`` on shaded ground.

    Returns
    -------
    tuple of matplotlib.text.Text
        The label, one artist for each line.

    Raises
    ------
    ValueError
        If there is no such role.
    """
    color = LIGHT[choice(role, "role", ROLES)]
    lines = text.split("\n")
    # Lines are artists of their own: Matplotlib would align a block by the width of the markup.
    above = {"bottom": len(lines) - 1.0, "baseline": len(lines) - 1.0, "top": 0.0}
    first = above.get(va, (len(lines) - 1) / 2)
    labels = []
    with house_style():
        for k, line in enumerate(lines):
            label = axes.annotate(
                line,
                xy=(x, y),
                xycoords=coordinates,
                xytext=(dx, dy + (first - k) * LINE_HEIGHT * size / 12.0),
                textcoords="offset points",
                color=color,
                ha=ha,
                va=va,
                fontsize=size,
                fontweight=weight,
                annotation_clip=False,
            )
            if outline:
                label.set_gid(HALO)
            labels.append(label)
    return tuple(labels)


def thinned(length: int, most: int = 160) -> IntArray:
    """Choose which points of a long path are drawn: evenly, with both ends.

    >>> thinned(9, 3).tolist()
    [0, 4, 8]
    """
    return np.unique(np.linspace(0, length - 1, min(length, most)).round().astype(np.int64))


def legend_places(
    labels: Sequence[str], width: float, *, swatch: float, letter: float, gap: float
) -> list[tuple[float, int]]:
    """Place the labels of a legend side by side, in as many rows as they need.

    A label takes pixels for its square, for each of its letters, and a gap to the next; return for
    each its x in pixels and the number of its row.

    >>> legend_places(["one", "two", "three"], 100.0, swatch=14.0, letter=6.0, gap=14.0)
    [(0.0, 0), (46.0, 0), (0.0, 1)]
    """
    places, x, row = [], 0.0, 0
    for label in labels:
        length = swatch + letter * len(to_plain(label)) + gap
        if x > 0.0 and x + length > width:
            x, row = 0.0, row + 1
        places.append((x, row))
        x += length
    return places


class EndLabel(NamedTuple):
    """A label for the end of a curve.

    Parameters
    ----------
    y : float
        Height of the curve's end in data units.
    text : str
        The label in the house markup.
    role : str
        Its color.
    """

    y: float
    text: str
    role: Role


def spread(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move positions as little as possible so that neighbors are at least `gap` apart.

    They stay between `low` and `high` as far as there is room, and in their order.

    >>> spread([10.0, 10.0, 50.0], 15.0, 0.0, 100.0)
    [2.5, 17.5, 50.0]
    """
    order = sorted(range(len(positions)), key=lambda i: (positions[i], i))
    # Pool adjacent labels that are too close: a cluster stands centered on its members' mean.
    clusters: list[tuple[float, int]] = []  # center, number of members
    for i in order:
        center, size = min(max(positions[i], low), high), 1
        while clusters:
            before, count = clusters[-1]
            if center - before >= gap * (size + count) / 2:
                break
            clusters.pop()
            center = (center * size + before * count) / (size + count)
            size += count
            half = gap * (size - 1) / 2
            center = max(low + half, min(center, high - half))
        clusters.append((center, size))
    places = [center + gap * (k - (size - 1) / 2) for center, size in clusters for k in range(size)]
    result = [0.0] * len(positions)
    for place, i in zip(places, order, strict=True):
        result[i] = place
    return result


def end_label_room(
    labels: Iterable[str], *, letter: float = 7.4, gap: float = 26.0, most: float = 150.0
) -> float:
    """Return how many pixels to leave on the right for labels at the ends of curves.

    >>> end_label_room(["*m*", "dense"], letter=7.0, gap=20.0)
    55.0
    """
    return min(most, gap + letter * max(len(to_plain(label)) for label in labels))


def label_line_ends(axes: Axes, labels: Sequence[EndLabel], *, x: float | None = None) -> None:
    """Label curves where they end, to the right of the plot.

    Labels that would overlap are moved apart, and a thin line leads back to the curve's end.  Call
    it last: the limits and scales of the axes must stand.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        The axes, with limits set.
    labels : sequence of EndLabel
        The ends of the curves.
    x : float, optional
        Where the curves end, in data units; the right end of the axis by default.
    """
    right = axes.get_xlim()[1] if x is None else x
    transform = axes.transData
    ends = [transform.transform((right, label.y)) for label in labels]
    box = axes.get_window_extent()
    places = spread([float(end[1]) for end in ends], LINE_HEIGHT, box.y0, box.y1)
    for label, end, place in zip(labels, ends, places, strict=True):
        shift = place - float(end[1])
        moved = abs(shift) > 2.0
        note(
            axes,
            right,
            label.y,
            label.text,
            role=label.role,
            dx=16.0 if moved else 7.0,
            dy=shift,
            va="center_baseline",
        )
        if moved:
            lead(axes, (right, label.y), (14.0, shift), label.role, 2.0, annotation_clip=False)


def lead(
    axes: Axes,
    end: tuple[float, float],
    start: tuple[float, float],
    role: str,
    short: float,
    **how: Any,
) -> None:
    """Draw a thin line to a point, from an offset in pixels; it ends some pixels short of it."""
    look = {"arrowstyle": "-", "color": LIGHT[choice(role, "role", ROLES)], "linewidth": 1.0}
    look |= {"shrinkA": 0.0, "shrinkB": short}
    with house_style():
        axes.annotate("", xy=end, xytext=start, textcoords="offset points", arrowprops=look, **how)
