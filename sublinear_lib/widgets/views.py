"""What an explorer shows in one position: axes, marks, readouts, and a sentence in plain words.

A `View` is the whole interface between a Python function and the page.  Arrays are checked when a
mark is made, so that an explorer fails where it is written and not in the reader's browser.
"""

from __future__ import annotations

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
    plain = type(value) is np.ndarray and value.dtype == np.float64
    raw: Any = value if plain else np.asarray(value, dtype=object)
    # NaN alone differs from itself.  Lists go on element by element: no flag becomes a number.
    missing = np.asarray(raw != raw, dtype=np.bool_)
    filled = np.where(missing, 0.0, raw)
    checked = float_array(filled if plain else filled.tolist(), name, shape=(None,))
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
    """An axis of a view: what it measures, in the house markup, its scale, ends and ticks.

    Without `limits` the axis holds all data of all positions of the explorer, so that nothing jumps
    while a slider moves; axes with the same label and scale share their ends.  `ticks` are chosen
    round numbers by default; `format` writes one, such as `sublinear_lib.plotting.percent`.
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
    """What every mark has: its name, in the house markup, and the role of its color."""

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
    """A curve through points x, y (k,); a NaN in `y` interrupts it.

    Its label stands where it ends.  The book dashes what is claimed and draws what is measured;
    `width` is in pixels.  Only the part over `within` is drawn: a curve that is cut differently at
    every position of a slider is stored once.
    """

    x: Values
    y: Gapped
    dash: Flag = field(default=False, kw_only=True)
    width: Thickness = field(default=2.25, kw_only=True)
    within: Within | None = field(default=None, kw_only=True)


@dataclass(frozen=True, eq=False)
class Points(_Labeled):
    """Single points x, y (k,), with vertical intervals from `lower` to `upper` where given.

    `only` says which of them are drawn: points whose state depends on a slider are stored once,
    with one bit for each of them and each position.  `size` is the diameter in pixels, up to 40;
    `hollow` ones are rings, through which one sees what lies below.
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
    """A histogram: bars of `heights` (k,), ``>= 0``, between ascending `edges` (k + 1,).

    Only the part over `within` is drawn, for example the tail beyond a threshold.
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
    """The area between two curves over x (k,), where given only over the stretch `within`."""

    x: Values
    lower: Values
    upper: Values
    within: Within | None = field(default=None, kw_only=True)


@dataclass(frozen=True, eq=False)
class Rule(_Labeled):
    """A straight line across the plot: vertical at an x, or level at a y (``axis="y"``).

    `drag` names a slider with values in the units of x: the reader can then take a vertical line
    and move it, which moves the slider.
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
    """A shaded stretch of an axis; None reaches to its end."""

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
    """The points p with ``<normal, p> > offset``, shaded, with the line; both axes are linear.

    `drag` names a slider with values in the units of `offset`: the reader can then take the line
    and move it, which moves the slider.
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
    """One position of an explorer: its axes, what is drawn, later on top, and what it says.

    The sentence says in plain words, with the numbers that matter, what the plot shows now.  It is
    the caption, the description of the drawing, and what a screen reader says after a change.
    `readouts` are numbers to read off, label and text; a warning says which hypothesis fails at
    this position.  Where axes are `equal`, a unit is as long on one as on the other, so that a
    circle is round; both are linear then.
    """

    x: Axis
    y: Axis
    marks: Sequence[Mark]
    sentence: Handle
    readouts: Mapping[str, str] = field(default_factory=dict)
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
        for label, text in self.readouts.items():
            checked_text(label, "readout label", empty=True)
            checked_text(text, "readout text", empty=True)
        object.__setattr__(self, "marks", tuple(marks))
