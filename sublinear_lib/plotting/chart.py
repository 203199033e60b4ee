"""The tools of all figures: a panel that draws in roles, and a decorator that makes a `Picture`.

Before changing `Chart`, know that Matplotlib draws what has one `zorder` in the order of the calls,
and that the stored outputs of the notebooks are compared byte by byte.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from sublinear_lib._arguments import described
from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.formats import Numbers, number
from sublinear_lib.plotting.palette import LIGHT, SERIES, roles_of
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.style import HALO, LINE_HEIGHT, house_style, spread
from sublinear_lib.plotting.ticks import ticks
from sublinear_lib.validation import float_array

Curves: TypeAlias = Mapping[str, Numbers]
"""Values by the label of their curve, in the house markup."""

Rows: TypeAlias = Sequence[Sequence[float]] | FloatArray
"""A table of numbers, row by row."""

Drawn: TypeAlias = "Chart | Figure | Sequence[Chart | Figure]"
Drawing: TypeAlias = tuple[Drawn, str]
"""What was drawn, and what it says: the alternative text."""

INK = cast("Mapping[str, str]", LIGHT)
"""The color of each role, in the light values that Matplotlib draws with."""

# What a public picture says of its own parameters, and what all of them have.
_HERE = re.compile(r"(\n\n *Here `.*?)\.(?=\n\n|\n? *$)", re.DOTALL)
_SHARED = (
    "`xlabel`, `ylabel`: what the axes measure, in the house markup; `name`: name of the figure; "
    "`caption`: what to notice; `alt`: alternative text; by default it is composed from the numbers"
)
_MOST = len(SERIES) + 2  # ink and muted, when the colors of series are used up


def _drawing(method: Callable[..., None]) -> Callable[..., None]:
    """Let pages unpack points and looks into a call, which a type checker cannot follow."""
    return method


class Chart:
    """One panel in the house style: what it draws is asked for by roles, and labeled at its end.

    Sizes and margins (left, right, above, below) are in pixels, 72 to the inch, and labels in the
    house markup.  Leave about 90 on the right for labels at the ends of curves.  The label of the y
    axis stands above it, level, where it can be read without tilting the head, `ylabel_rise` above
    the plot; the title `rise` above it, from `indent` to its left on.  A figure that has the panel
    may be given in place of a new one (`on`); without `frame` there are no axes, for drawings.
    """

    def __init__(
        self,
        width: float = 420.0,
        height: float = 280.0,
        margins: tuple[float, float, float, float] = (52.0, 14.0, 16.0, 46.0),
        xlabel: Any = "",
        ylabel: Any = "",
        *,
        title: Any = "",
        rise: Any = 17.0,
        indent: Any = None,
        ylabel_rise: Any = 10.0,
        frame: Any = True,
        on: Any = None,
    ) -> None:
        self.figure = on or Figure(figsize=(width / 72.0, height / 72.0), dpi=72.0)
        left, right, top, bottom = margins
        top += 16.0 if ylabel else 0.0
        wide, high = (float(v) * 72.0 for v in self.figure.get_size_inches())
        inner = (wide - left - right) / wide, (high - top - bottom) / high
        self.axes = self.figure.add_axes((left / wide, bottom / high, *inner))
        self._ends: list[tuple[float, str, str]] = []
        if not frame:
            self.axes.set_axis_off()
        if xlabel:
            self.axes.set_xlabel(xlabel)
        if ylabel:
            place = {"dx": -left + 4.0, "dy": ylabel_rise, "va": "bottom"}
            self.corner(ylabel, outline=False, **place)
        if title:
            indent = left - 4.0 if indent is None else indent
            self.corner(title, dx=-indent, dy=rise, weight="bold")

    @_drawing
    def x(self, low: float, high: float, **how: Any) -> None:
        """Give the x axis its limits, scale and ticks, as `sublinear_lib.plotting.ticks` has it."""
        self._scale("x", float(low), float(high), **how)

    @_drawing
    def y(self, low: float, high: float, **how: Any) -> None:
        """Give the y axis its limits, scale and ticks."""
        self._scale("y", float(low), float(high), **how)

    def _scale(self, which: str, low: float, high: float, **how: Any) -> None:
        chosen, axis = ticks(low, high, **how), getattr(self.axes, f"{which}axis")
        base = {"log2": 2, "log10": 10}.get(how.get("scale", "linear"))
        if base is not None:
            getattr(self.axes, f"set_{which}scale")("log", base=base)
        getattr(self.axes, f"set_{which}lim")(low, high)
        axis.set_major_locator(FixedLocator(list(chosen.values)))
        axis.set_major_formatter(FixedFormatter(list(chosen.labels)))
        axis.set_minor_locator(NullLocator())

    def around(self, share: float, *values: Any, **how: Any) -> tuple[float, float]:
        """Show all values on the y axis, with room above and below: a share of their range."""
        low, high = extent(*values)
        room = share * (high - low) or 1.0
        self.y(low - room, high + room, **how)
        return low - room, high + room

    def pixels(self, width: float, height: float) -> None:
        """Count in pixels from the upper left corner."""
        self.axes.set_xlim(0, width)
        self.axes.set_ylim(height, 0)

    def square(self, low: Any, high: Any, **how: Any) -> None:
        """Show a rectangle from corner to corner, with scales of one length around its middle."""
        middle, half = (low + high) / 2, 0.5 * float((high - low).max()) or 1.0
        self.x(middle[0] - half, middle[0] + half, **how)
        self.y(middle[1] - half, middle[1] + half, **how)

    @_drawing
    def line(
        self, x: Any, y: Any, role: str, width: float = 2.25, label: str = "", **look: Any
    ) -> None:
        """Draw a curve, and label its end."""
        self.axes.plot(x, y, color=INK[role], linewidth=width, **look)
        if label:
            self.end(y[-1], label, role)

    @_drawing
    def level(self, y: float, role: str, width: float = 1.5, label: str = "", **look: Any) -> None:
        """Draw a line across the panel, and label its end."""
        self.axes.axhline(y, color=INK[role], linewidth=width, **look)
        if label:
            self.end(y, label, role)

    @_drawing
    def upright(self, x: float, role: str, width: float = 1.5, **look: Any) -> None:
        """Draw a line from the foot of the panel to its top."""
        self.axes.axvline(x, color=INK[role], linewidth=width, **look)

    @_drawing
    def bars(self, x: Any, low: Any, high: Any, role: str, width: float, **look: Any) -> None:
        """Draw upright bars, such as intervals."""
        self.axes.vlines(x, low, high, color=INK[role], linewidth=width, **look)

    @_drawing
    def plateaus(self, y: Any, start: Any, stop: Any, role: str, width: float, **look: Any) -> None:
        """Draw level bars, such as the plateaus of a function."""
        self.axes.hlines(y, start, stop, color=INK[role], linewidth=width, **look)

    @_drawing
    def band(self, x: Any, low: Any, high: Any, role: str, alpha: float, **look: Any) -> None:
        """Shade between two curves."""
        self.axes.fill_between(
            x, low, high, color=INK[role], alpha=alpha, **{"linewidth": 0, **look}
        )

    @_drawing
    def stretch(self, start: float, stop: float, role: str, alpha: float) -> None:
        """Shade a stretch of the x axis."""
        self.axes.axvspan(start, stop, color=INK[role], alpha=alpha, linewidth=0)

    @_drawing
    def layer(self, low: float, high: float, role: str, alpha: float) -> None:
        """Shade a stretch of the y axis."""
        self.axes.axhspan(low, high, color=INK[role], alpha=alpha, linewidth=0)

    @_drawing
    def dots(
        self,
        x: Any,
        y: Any,
        role: str,
        size: float = 6.0,
        edge: float | None = None,
        hollow: bool = False,
        **look: Any,
    ) -> None:
        """Draw disks, with an edge in the color of the page, or rings as thick as `edge`."""
        if hollow:
            look = {"markerfacecolor": LIGHT["paper"], **look}
        elif edge:
            look = {"markeredgecolor": LIGHT["paper"], **look}
        if edge is not None:
            look["markeredgewidth"] = edge
        self.axes.plot(
            x, y, color=INK[role], markersize=size, **{"linestyle": "none", "marker": "o", **look}
        )

    @_drawing
    def intervals(
        self,
        rows: FloatArray,
        role: str,
        size: float = 6.0,
        clip: bool = False,
        zorder: float = 4.0,
    ) -> None:
        """Draw dots on bars for intervals: rows (x, estimate, lower, upper)."""
        x, y, lower, upper = rows.T
        self.bars(x, lower, upper, role, 1.5)
        self.dots(x, y, role, size, 1.2, clip_on=clip, zorder=zorder)

    @_drawing
    def badge(
        self,
        x: float,
        y: float,
        text: str,
        role: str,
        size: float = 13.0,
        letters: float = 10.0,
        zorder: float = 2.0,
    ) -> None:
        """Draw a point as a disk with a short text in it, in the color of the page."""
        self.dots(float(x), float(y), role, size, zorder=zorder)
        look = {"ha": "center", "va": "center_baseline", "size": letters, "weight": "bold"}
        self.note(x, y, text, "paper", outline=False, **look)

    @_drawing
    def cross(self, x: float, y: float) -> None:
        """Mark a point by a cross, on a wider one in the color of the page."""
        look: Any = {"marker": "x", "linestyle": "none", "zorder": 5.0}
        self.axes.plot(x, y, markersize=11, markeredgewidth=5.0, color=LIGHT["paper"], **look)
        self.axes.plot(x, y, markersize=10, markeredgewidth=2.4, color=LIGHT["ink"], **look)

    @_drawing
    def filled(self, shape: Callable[..., Patch], *where: Any, role: str, **more: Any) -> None:
        """Draw a shape of Matplotlib in a light tone of its color, with a line around it."""
        color = INK[role]
        self.axes.add_patch(shape(*where, facecolor=color, alpha=0.16, linewidth=0, **more))
        self.axes.add_patch(
            shape(*where, facecolor="none", edgecolor=color, linewidth=1.25, **more)
        )

    @_drawing
    def note(
        self,
        x: float,
        y: float,
        text: str,
        role: str = "ink",
        *,
        dx: float = 0.0,
        dy: float = 0.0,
        ha: str = "left",
        va: str = "center",
        weight: str = "normal",
        size: float = 12.0,
        coordinates: Any = "data",
        outline: bool = True,
    ) -> None:
        r"""Write a label in the house markup at a place, moved by pixels to the right and upwards.

        An outline in the color of the page keeps lines from cutting it.  ``\n`` starts a new line:
        an artist of its own, because Matplotlib would align a block by the width of the markup.
        """
        lines = text.split("\n")
        above = {"bottom": len(lines) - 1.0, "baseline": len(lines) - 1.0, "top": 0.0}
        first = above.get(va, (len(lines) - 1) / 2)
        for k, line in enumerate(lines):
            label = self.axes.annotate(
                line,
                xy=(float(x), float(y)),
                xycoords=coordinates,
                xytext=(dx, dy + (first - k) * LINE_HEIGHT * size / 12.0),
                textcoords="offset points",
                color=INK[role],
                ha=ha,
                va=va,
                fontsize=size,
                fontweight=weight,
                annotation_clip=False,
            )
            if outline:
                label.set_gid(HALO)

    @_drawing
    def corner(self, text: str, role: str = "ink", *, at: Any = (0, 1), **how: Any) -> None:
        """Write a label at a place in shares of the panel, by default its upper left corner."""
        self.note(*at, text, role, coordinates="axes fraction", **how)

    @_drawing
    def lead(self, end: Any, start: Any, role: str, short: float, **how: Any) -> None:
        """Draw a thin line to a point, from an offset in pixels; it ends some pixels short."""
        look = {"arrowstyle": "-", "color": INK[role], "linewidth": 1.0}
        how |= {"arrowprops": {**look, "shrinkA": 0.0, "shrinkB": short}}
        self.axes.annotate("", xy=end, xytext=start, textcoords="offset points", **how)

    def column(
        self, labels: Iterable[str], roles: Mapping[str, str], x: float = 0.03, **look: Any
    ) -> None:
        """Write labels in their colors one below the other, from the top of the panel down."""
        for place, label in enumerate(labels):
            self.corner(label, roles[label], at=(x, 0.97 - 0.085 * place), size=11, **look)

    def legend(
        self,
        labels: Sequence[str],
        places: Sequence[tuple[float, int]],
        roles: Sequence[str],
        top: float,
        indent: float,
    ) -> None:
        """Write labels beside squares of their colors, in rows of 20 pixels (`legend_places`)."""
        for role, label, (x, row) in zip(roles, labels, places, strict=False):
            self.axes.barh(top + 20.0 * row, 10, left=x, height=10, color=INK[role])
            self.note(x + indent, top + 20.0 * row, label, role, size=11)

    def stack(
        self, y: float, height: float, values: Sequence[float], roles: Sequence[str], scale: float
    ) -> float:
        """Draw a bar of colored pieces from 0 to the right, and return where it ends."""
        left = 0.0
        for role, value in zip(roles, values, strict=False):
            length = value * scale
            if length > 0.0:
                # A hair of paper between neighbors, where there is room for it.
                wide = length - 1.0 if length > 3.0 else length
                self.axes.barh(y, wide, height, left=left, align="edge", color=INK[role])
            left += length
        return left

    def end(self, y: float, label: str, role: str) -> None:
        """Label the height at which a curve ends."""
        self._ends.append((float(y), label, role))

    def finished(self, x: float | None = None) -> Figure:
        """Return the figure, with the labels at the ends of curves, which come last.

        Labels that would overlap are moved apart, and a thin line leads back to the curve's end,
        at x or at the right end of the axis.
        """
        right, box = self.axes.get_xlim()[1] if x is None else x, self.axes.get_window_extent()
        ends = [float(self.axes.transData.transform((right, y))[1]) for y, *_ in self._ends]
        places = spread(ends, LINE_HEIGHT, box.y0, box.y1)
        for (y, label, role), end, place in zip(self._ends, ends, places, strict=True):
            shift = place - end
            moved = abs(shift) > 2.0
            dx = 16.0 if moved else 7.0
            self.note(right, y, label, role, dx=dx, dy=shift, va="center_baseline")
            if moved:
                self.lead((right, y), (14.0, shift), role, 2.0, annotation_clip=False)
        self._ends = []
        return self.figure


def picture(draw: Callable[..., Drawing]) -> Callable[..., Picture]:
    """Give a drawing, which returns what it drew and what it says, a name and a caption."""

    def make(
        *args: Any, name: str, caption: str | None = None, alt: str | None = None, **kwargs: Any
    ) -> Picture:
        with house_style():
            drawn, said = draw(*args, **kwargs)
            panels = drawn if isinstance(drawn, Sequence) else [drawn]
            figures = [each.finished() if isinstance(each, Chart) else each for each in panels]
        return Picture(figures, alt=said if alt is None else alt, caption=caption, name=name)

    own, added = inspect.signature(draw), inspect.signature(make)
    more = [each for each in added.parameters.values() if each.kind is each.KEYWORD_ONLY]
    functools.update_wrapper(make, draw)
    make.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[*own.parameters.values(), *more], return_annotation="Picture"
    )
    make.__doc__ = _HERE.sub(rf"\1; {_SHARED}.", inspect.getdoc(draw) or "")
    return described(make) if _HERE.search(draw.__doc__ or "") else make


def arrays(curves: Mapping[str, Any], *shape: int | None) -> dict[str, FloatArray]:
    """Return the values of all curves as arrays, by their labels."""
    return {
        label: float_array(values, label, shape=shape or None) for label, values in curves.items()
    }


def extent(*values: Any) -> tuple[float, float]:
    """Return the smallest and the largest of all values."""
    return min(float(np.min(v)) for v in values), max(float(np.max(v)) for v in values)


def by_first(curves: Mapping[str, Any], columns: int) -> dict[str, FloatArray]:
    """Return tables by their labels, with rows in the order of their first numbers."""
    tables = arrays(curves, None, columns).items()
    return {label: rows[np.argsort(rows[:, 0], kind="stable")] for label, rows in tables}


def colored(
    curves: Mapping[str, Any], roles: Sequence[str] | None = None
) -> Iterator[tuple[str, str, Any]]:
    """Return role, label and values of each curve: colors as of its words, or in the given order.

    Raises ValueError where there are more curves than colors.
    """
    most = _MOST if roles is None else len(roles)
    if len(curves) > most:
        raise ValueError(f"there are colors for {most} curves, got {len(curves)}")
    given: Sequence[str] = roles_of(curves) if roles is None else roles
    return ((role, *item) for role, item in zip(given, curves.items(), strict=False))


def ends(values: Any, write: Callable[[float], str] = number) -> str:
    """Say how a curve begins and ends."""
    return f"{write(values[0])} to {write(values[-1])}"
