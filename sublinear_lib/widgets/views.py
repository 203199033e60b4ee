"""What an explorer shows in one position: axes, marks, readouts, and a sentence in plain words.

No object of the paper lives here.  A `View` is the whole interface between a Python function and
the page: the function computes numbers, the view names them, and neither the front end nor the
still picture adds anything of its own.  Arrays are checked when a mark is made, so that an explorer
fails where it is written and not in the reader's browser.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from sublinear_lib._arguments import Check, Flag, Real, check_fields
from sublinear_lib._typing import BoolArray, FloatArray
from sublinear_lib.plotting.checks import checked_text
from sublinear_lib.plotting.formats import Numbers
from sublinear_lib.plotting.palette import ROLES, Role
from sublinear_lib.plotting.ticks import SCALES
from sublinear_lib.validation import choice, float_array, same_length, scalar

__all__ = ["Axis", "Band", "Bars", "HalfPlane", "Line", "Mark", "Points", "Rule", "Stretch", "View"]


def _coordinates(value: object, name: str, *, gaps: bool = False) -> FloatArray:
    if not gaps:
        return float_array(value, name, shape=(None,))
    if type(value) is np.ndarray and value.dtype == np.float64:
        missing = np.isnan(value)
        checked = float_array(np.where(missing, 0.0, value), name, shape=(None,))
    else:
        # Element by element: no flag or text becomes a number.
        raw = np.asarray(value, dtype=object)
        missing = np.array(
            [isinstance(v, float | np.floating) and math.isnan(v) for v in raw.ravel().tolist()]
        )
        checked = float_array(
            np.where(missing.reshape(raw.shape), 0.0, raw).tolist(), name, shape=(None,)
        )
    if missing.all():
        raise ValueError(f"{name} must hold a finite number, got NaN only")
    return np.where(missing, np.nan, checked)


def _pair(value: object, name: str) -> tuple[float, float]:
    low, high = float_array(value, name, shape=(2,)).tolist()
    if low > high:
        raise ValueError(f"{name} must be an ascending pair, got {[low, high]}")
    return low, high


def _shown(value: object, name: str) -> BoolArray:
    only = np.asarray(value)
    if only.dtype != np.bool_:
        raise TypeError(f"{name} must hold True and False, got dtype {only.dtype}")
    return only


def _by(how: Callable[..., Any], **limits: Any) -> Check:
    return Check(how, "", "False", limits)


Label: TypeAlias = Annotated[str, _by(checked_text, empty=True)]
Color: TypeAlias = Annotated[Role, _by(choice, options=ROLES)]
Values: TypeAlias = Annotated[Numbers, _by(_coordinates)]
Gapped: TypeAlias = Annotated[Numbers, _by(_coordinates, gaps=True)]
Within: TypeAlias = Annotated[tuple[float, float], _by(_pair)]
Shown: TypeAlias = Annotated[Sequence[bool] | BoolArray, _by(_shown)]
Direction: TypeAlias = Annotated[Literal["x", "y"], _by(choice, options=("x", "y"))]
Handle: TypeAlias = Annotated[str, _by(checked_text)]
Thickness: TypeAlias = Annotated[float, _by(scalar, exclusive_minimum=0.0, maximum=20.0)]
Diameter: TypeAlias = Annotated[float, _by(scalar, exclusive_minimum=0.0, maximum=40.0)]
Scale: TypeAlias = Annotated[str, _by(choice, options=SCALES)]
Places: TypeAlias = Annotated[Sequence[float], _by(float_array, shape=(None,))]


@dataclass(frozen=True, kw_only=True, eq=False)
class Axis:
    """An axis of a view.

    Parameters
    ----------
    label : str
        What it measures, in the house markup.
    scale : {"linear", "log10", "log2"}
        Its scale.
    limits : pair of float, optional
        Its ends.  Without them the axis holds all data of all positions of the explorer, so that
        nothing jumps while a slider moves; axes with the same label and scale share their ends.
    ticks : sequence of float, optional
        Where ticks stand; chosen round numbers by default.
    format : callable, optional
        Writes a tick as a label, for example `sublinear_lib.plotting.percent`.

    Raises
    ------
    ValueError
        If the scale is unknown, or limits do not ascend or are not positive on a log scale.
    """

    label: Label
    scale: Scale = "linear"
    limits: Within | None = None
    ticks: Places | None = None
    format: Callable[[float], str] | None = None

    def __post_init__(self) -> None:
        """Check the axis."""
        check_fields(self)
        if self.limits is not None:
            low, high = self.limits
            if low == high:
                raise ValueError(f"limits must ascend, got {(low, high)}")
            if self.scale != "linear" and low <= 0:
                raise ValueError(f"limits must be > 0 on a {self.scale} axis, got {(low, high)}")
        if self.ticks is not None:
            object.__setattr__(self, "ticks", tuple(np.asarray(self.ticks).tolist()))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Labeled:
    label: Label = ""
    role: Color = "c1"

    def __post_init__(self) -> None:
        """Check what was given, and keep it in the form in which it was checked."""
        check_fields(self)
        names = [name for name in ("x", "y", "lower", "upper") if name in vars(self)]
        arrays = {name: value for name in names if (value := getattr(self, name)) is not None}
        if arrays:
            same_length(**arrays)


@dataclass(frozen=True, eq=False)
class Line(_Labeled):
    """A curve through points.

    Parameters
    ----------
    x, y : array-like, shape (k,)
        Its points; a NaN in `y` interrupts it.
    label : str, optional
        Its name, written where it ends.
    role : str, default "c1"
        Its color.
    dash : bool, default False
        Whether it is dashed; the book dashes what is claimed and draws what is measured.
    width : float, default 2.25
        Its width in pixels.
    within : pair of float, optional
        Draw only the part over this stretch of x.  A curve that is cut differently at every
        position of a slider is stored once.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not as described.
    """

    x: Values
    y: Gapped
    dash: Flag = field(default=False, kw_only=True)
    width: Thickness = field(default=2.25, kw_only=True)
    within: Within | None = field(default=None, kw_only=True)


@dataclass(frozen=True, eq=False)
class Points(_Labeled):
    """Single points, with intervals where given.

    Parameters
    ----------
    x, y : array-like, shape (k,)
        Where they are.
    label : str, optional
        Their name.
    role : str, default "c1"
        Their color.
    lower, upper : array-like, shape (k,), optional
        The ends of vertical intervals; both or none.
    only : array-like of bool, shape (k,), optional
        Which of the points to draw.  Points whose state depends on a slider are stored once, with
        one bit for each of them and each position.
    size : float, default 8
        Their diameter in pixels, up to 40.
    hollow : bool, default False
        Whether they are rings, through which one sees what lies below.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not as described.
    """

    x: Values
    y: Values
    lower: Values | None = field(default=None, kw_only=True)
    upper: Values | None = field(default=None, kw_only=True)
    only: Shown | None = field(default=None, kw_only=True)
    size: Diameter = field(default=8.0, kw_only=True)
    hollow: Flag = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        """Check the points and take them as arrays."""
        super().__post_init__()
        if (self.lower is None) != (self.upper is None):
            raise ValueError("lower and upper must both be given or both be left out")
        if self.only is not None and np.shape(self.only) != np.shape(self.x):
            raise ValueError(
                f"only must have the shape of x, {np.shape(self.x)}, got {np.shape(self.only)}"
            )


@dataclass(frozen=True, eq=False)
class Bars(_Labeled):
    """A histogram: bars between ascending edges.

    Parameters
    ----------
    edges : array-like, shape (k + 1,)
        The edges, ascending.
    heights : array-like, shape (k,)
        The heights, ``>= 0``.
    label : str, optional
        What the bars show.
    role : str, default "c1"
        Their color.
    within : pair of float, optional
        Draw only the part over this stretch of x, for example the tail beyond a threshold.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not as described.
    """

    edges: Values
    heights: Values
    within: Within | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Check the bars and take them as arrays."""
        super().__post_init__()
        edges, heights = np.asarray(self.edges), np.asarray(self.heights)
        if edges.size != heights.size + 1:
            raise ValueError(
                f"edges must have one entry more than heights, got {edges.size} and {heights.size}"
            )
        if (np.diff(edges) <= 0).any():
            raise ValueError("edges must ascend")
        if (heights < 0).any():
            raise ValueError(f"heights must be >= 0, got {float(heights.min())!r}")


@dataclass(frozen=True, eq=False)
class Band(_Labeled):
    """The area between two curves.

    Parameters
    ----------
    x, lower, upper : array-like, shape (k,)
        The curves.
    label : str, optional
        What the area shows.
    role : str, default "c1"
        Its color.
    within : pair of float, optional
        Draw only the part over this stretch of x.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not as described.
    """

    x: Values
    lower: Values
    upper: Values
    within: Within | None = field(default=None, kw_only=True)


@dataclass(frozen=True, eq=False)
class Rule(_Labeled):
    """A straight line across the plot.

    Parameters
    ----------
    at : float
        Where it stands.
    label : str, optional
        Its name.
    role : str, default "c1"
        Its color.
    axis : {"x", "y"}
        ``"x"`` for a vertical line at an x, ``"y"`` for a level line at a y.
    dash : bool, default False
        Whether it is dashed.
    drag : str, optional
        Name of a slider with values in the units of x: the reader can then take the vertical line
        and move it, which moves the slider.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not as described.
    """

    at: Real
    axis: Direction = field(default="x", kw_only=True)
    dash: Flag = field(default=False, kw_only=True)
    drag: Handle | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Check the line."""
        super().__post_init__()
        if self.drag is not None and self.axis != "x":
            raise ValueError("drag is for vertical rules, got axis='y'")


@dataclass(frozen=True, eq=False)
class Stretch(_Labeled):
    """A shaded stretch of an axis.

    Parameters
    ----------
    start, stop : float or None
        Its ends; ``None`` reaches to the end of the axis.
    label : str, optional
        What holds there.
    role : str, default "c1"
        Its color.
    axis : {"x", "y"}
        Which axis it is a stretch of.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not as described.
    """

    start: Real | None
    stop: Real | None
    axis: Direction = field(default="x", kw_only=True)

    def __post_init__(self) -> None:
        """Check the stretch."""
        super().__post_init__()
        if self.start is not None and self.stop is not None and self.start > self.stop:
            raise ValueError(f"start must be <= stop, got {self.start} and {self.stop}")


@dataclass(frozen=True, eq=False)
class HalfPlane(_Labeled):
    """The part of the plot beyond an oblique line, shaded, with the line.

    It shows the points p with ``<normal, p> > offset``; both axes must be linear.

    Parameters
    ----------
    normal : pair of float
        Points into the half-plane; not zero.
    offset : float
        The offset, in units of `normal` times those of the axes.
    label : str, optional
        What holds there.
    role : str, default "c1"
        Its color.
    drag : str, optional
        Name of a slider with values in the units of `offset`: the reader can then take the line
        and move it, which moves the slider.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not as described.
    """

    normal: tuple[float, float]
    offset: Real
    drag: Handle | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Check the half-plane."""
        super().__post_init__()
        normal = float_array(self.normal, "normal", shape=(2,))
        if not normal.any():
            raise ValueError("normal must not be zero")
        object.__setattr__(self, "normal", tuple(normal.tolist()))


Mark: TypeAlias = Line | Points | Bars | Band | Rule | Stretch | HalfPlane
"""Everything that can be drawn."""


@dataclass(frozen=True, kw_only=True, eq=False)
class View:
    """One position of an explorer.

    Parameters
    ----------
    x, y : Axis
        The axes.
    marks : sequence of Line, Points, Bars, Band, Rule, Stretch or HalfPlane
        What is drawn, in this order, later on top.
    sentence : str
        In plain words, what the plot shows now, with the numbers that matter.  It is the caption,
        the description of the drawing, and what a screen reader says after a change.
    readouts : mapping of str to str, or sequence of pairs
        Numbers to read off, label and text.
    warning : str, optional
        A sentence that says which hypothesis fails at this position.
    equal : bool, default False
        Whether a unit is as long on one axis as on the other, so that a circle is round; both axes
        must then be linear.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not as described.
    """

    x: Axis
    y: Axis
    marks: Sequence[Mark]
    sentence: Handle
    readouts: Mapping[str, str] | Sequence[tuple[str, str]] = ()
    warning: Handle | None = None
    equal: Flag = False

    def __post_init__(self) -> None:
        """Check the view."""
        for name in ("x", "y"):
            if not isinstance(getattr(self, name), Axis):
                raise TypeError(f"{name} must be an Axis, got {type(getattr(self, name)).__name__}")
        marks: object = self.marks
        if not isinstance(marks, Sequence):
            raise TypeError(f"marks must be a sequence, got {type(marks).__name__}")
        if not marks:
            raise ValueError("marks must hold at least one mark")
        for mark in marks:
            if not isinstance(mark, _Labeled):
                raise TypeError(
                    "marks must hold Line, Points, Bars, Band, Rule, Stretch or HalfPlane, "
                    f"got {type(mark).__name__}"
                )
        check_fields(self)
        oblique = self.equal or any(isinstance(mark, HalfPlane) for mark in marks)
        if oblique and not self.x.scale == self.y.scale == "linear":
            raise ValueError(
                "axes must be linear where they are equal or a HalfPlane is drawn, got "
                f"{self.x.scale} and {self.y.scale}"
            )
        given = self.readouts
        pairs: list[object] = list(given.items() if isinstance(given, Mapping) else given)
        for pair in pairs:
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise TypeError(f"readouts must hold pairs of label and text, got {pair!r}")
            for part, name in zip(pair, ("readout label", "readout text"), strict=True):
                checked_text(part, name, empty=True)
        object.__setattr__(self, "marks", tuple(marks))
        object.__setattr__(self, "readouts", tuple(pairs))
