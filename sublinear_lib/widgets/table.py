"""The table of an explorer: every position of its controls, stored once, small enough for a page.

Views are taken apart into arrays, strings, marks and axes, and each distinct part is stored once.
Numbers have five significant digits (whole numbers are kept) and are decimal text: Python and the
browser read the same digits to the same float64.  The front end reads this format in
``static/explorer.js``; change both together, and the version with them.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from sublinear_lib._typing import BoolArray, FloatArray
from sublinear_lib.plotting.ticks import ticks
from sublinear_lib.widgets.views import (
    Axis,
    Band,
    Bars,
    HalfPlane,
    Line,
    Mark,
    Points,
    Rule,
    Stretch,
    View,
)

VERSION = 2
DIGITS = 5
"""Significant digits that are kept."""

LARGEST_TABLE = 200_000
"""Most characters that the packed table of one explorer may have in a page."""

MOST_POSITIONS = 20_000
"""Most positions that the controls of one explorer may have together."""

AxisLimits: TypeAlias = dict[tuple[str, str, str], tuple[float, float]]
"""Shared ends of axes without limits, by direction, label and scale."""

AxisData: TypeAlias = dict[tuple[str, str, str], tuple[Axis, list[float], bool]]
"""What such axes have to hold: one of them, least and greatest datum, whether bars stand there."""

_SHORTEST = 1e-299  # axes have no ticks at a tenth of it
_ARRAYS = ("x", "y", "lower", "upper", "edges", "heights")
# What the page calls each mark, and what it is told besides its label, its role and its arrays.
_KINDS: dict[type, tuple[str, tuple[str, ...]]] = {
    Line: ("line", ("dash", "width", "within")),
    Points: ("points", ("size", "hollow", "only")),
    Bars: ("bars", ("within",)),
    Band: ("band", ("within",)),
    Rule: ("rule", ("at", "axis", "dash", "drag")),
    Stretch: ("region", ("axis", "start", "stop")),
    HalfPlane: ("halfplane", ("normal", "offset", "drag")),
}

Json: TypeAlias = Any
"""Anything that JSON can hold."""


def rounded(value: float) -> float | int | None:
    """Return a number as the table keeps it: whole, or with five digits; NaN becomes ``None``.

    >>> rounded(0.123456789), rounded(1048576.0), rounded(float("nan"))
    (0.12346, 1048576, None)
    """
    if value != value:
        return None
    if value.is_integer() and abs(value) < 2.0**53:
        return int(value)
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 2.0**53 else short


# ---- limits ------------------------------------------------------------------------------------


def _extent(mark: Mark, direction: str) -> FloatArray:
    """Return the finite data of a mark that an axis has to hold."""
    names = ("x", "edges") if direction == "x" else ("y", "lower", "upper", "heights")
    data = [getattr(mark, name, None) for name in names]
    if isinstance(mark, Rule) and mark.axis == direction:
        data = [mark.at]
    held = [np.atleast_1d(part) for part in data if part is not None]
    found: FloatArray = np.concatenate([np.empty(0), *held])
    return found[np.isfinite(found)]


def _padded(
    values: FloatArray, direction: str, axis: Axis, *, has_bars: bool
) -> tuple[float, float]:
    if not values.size:
        raise ValueError(f"axis {axis.label!r} has no data to take its limits from: give it limits")
    low, high = float(values.min()), float(values.max())
    if axis.scale != "linear":
        if low <= 0:
            raise ValueError(
                f"axis {axis.label!r} is logarithmic and must hold positive numbers, got {low!r}: "
                "leave them out, or put NaN for a gap"
            )
        if low == high:
            return low / 2, high * 2
        pad = (high / low) ** (0.04 if direction == "y" else 0.0)
        return low / pad, high * pad
    if direction == "y" and has_bars:
        low = min(low, 0.0)
    if high - low < _SHORTEST:
        return low - 0.5, high + 0.5
    pad = 0.06 * (high - low) if direction == "y" else 0.0
    # An axis that starts at zero keeps its zero.
    return (low if low == 0.0 else low - pad), (high if high == 0.0 else high + pad)


def data_of_axes(views: Iterable[View], before: AxisData | None = None) -> AxisData:
    """Return between which numbers the data of views lie, for the axes that have no limits.

    What was found before is to be held as well, and stays as it is.
    """
    found: AxisData = dict(before or {})
    for view in views:
        for direction, axis in (("x", view.x), ("y", view.y)):
            if axis.limits is not None:
                continue
            key = (direction, axis.label, axis.scale)
            _, ends, bars = found.get(key, (axis, [], False))
            data = np.concatenate([_extent(mark, direction) for mark in view.marks])
            if data.size:
                ends = [*ends, float(data.min()), float(data.max())]
                ends = [min(ends), max(ends)]
            bars = bars or any(isinstance(mark, Bars) for mark in view.marks)
            found[key] = (axis, ends, bars)
    return found


def shared_limits(views: Iterable[View], before: AxisData | None = None) -> AxisLimits:
    """Return ends that hold the data of all views, for the axes that have no limits.

    Raises ValueError if such an axis has no data, or a logarithmic one data that is not positive.
    """
    return {
        key: _padded(np.asarray(ends), key[0], axis, has_bars=bars)
        for key, (axis, ends, bars) in data_of_axes(views, before).items()
    }


def _axis(axis: Axis, direction: str, limits: AxisLimits) -> dict[str, Json]:
    ends = axis.limits or limits[(direction, axis.label, axis.scale)]
    low, high = (float(rounded(end) or 0.0) for end in ends)
    if not low < high:  # five digits were not enough to tell them apart
        low, high = ends
    chosen = ticks(low, high, scale=axis.scale, label=axis.format, values=axis.ticks)
    known = {"label": axis.label, "scale": axis.scale, "low": low, "high": high}
    return known | {"ticks": list(map(rounded, chosen.values)), "texts": list(chosen.labels)}


# ---- encoding ----------------------------------------------------------------------------------


_compact = json.JSONEncoder(separators=(",", ":")).encode  # made once: a table has many parts


class _Pool:
    """A list of distinct parts, found by content."""

    def __init__(self) -> None:
        self.parts: list[Json] = []
        self._places: dict[str, int] = {}

    def place(self, part: Json) -> int:
        key = _compact(part)
        if key not in self._places:
            self._places[key] = len(self.parts)
            self.parts.append(part)
        return self._places[key]


class _Arrays(_Pool):
    """A pool of arrays that writes the numbers of equal arrays only once: most are shared."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[bytes, int] = {}

    def place(self, part: FloatArray) -> int:
        key = part.tobytes()
        if key not in self._seen:
            self._seen[key] = super().place([rounded(v) for v in part.tolist()])
        return self._seen[key]


def _bits(mask: BoolArray) -> str:
    """Write a mask in hexadecimal digits of four bits, the first the highest."""
    return np.packbits(mask).tobytes().hex()[: -(-len(mask) // 4)]


def _numbers(bits: str) -> list[int]:
    """Return the places of the bits that are set."""
    places = range(4 * len(bits))
    return [k for k in places if int(bits[k // 4], 16) & (8 >> k % 4)]


def _mark(mark: Mark, arrays: _Arrays) -> dict[str, Json]:
    kind, names = _KINDS[type(mark)]
    packed: dict[str, Json] = {"kind": kind, "label": mark.label, "role": mark.role}
    for name in (*_ARRAYS, *names):
        value = getattr(mark, name, None)
        if name in _ARRAYS and value is not None:
            packed[name] = arrays.place(value)
        elif isinstance(value, np.ndarray):
            packed[name] = _bits(value)
        elif isinstance(value, tuple):
            packed[name] = [rounded(v) for v in value]
        elif isinstance(value, bool):
            packed[name] = int(value)
        elif isinstance(value, float) and name != "width":
            packed[name] = rounded(value)
        elif value is not None or name in ("start", "stop"):
            packed[name] = value
    return packed


def encode(views: Sequence[View], limits: AxisLimits) -> dict[str, Json]:
    """Take views apart, in the order of the positions, and store each distinct part once.

    The table is ready for JSON: pools of ``arrays``, ``axes``, ``marks``, ``strings`` and
    ``views``, and the ``grid`` of view numbers.
    """
    axes, marks, strings, distinct = (_Pool() for _ in range(4))
    arrays = _Arrays()
    grid = []
    # Most axes are alike, and a function may return one mark at many positions. The views keep
    # marks and formats alive, so an identity names one of them only.
    axes_seen: dict[tuple[object, ...], int] = {}
    marks_seen: dict[int, int] = {}

    def place_axis(axis: Axis, direction: str) -> int:
        key = (direction, axis.label, axis.scale, axis.limits, axis.ticks, id(axis.format))
        if key not in axes_seen:
            axes_seen[key] = axes.place(_axis(axis, direction, limits))
        return axes_seen[key]

    def place_mark(mark: Mark) -> int:
        if id(mark) not in marks_seen:
            marks_seen[id(mark)] = marks.place(_mark(mark, arrays))
        return marks_seen[id(mark)]

    for view in views:
        ends = [place_axis(view.x, "x"), place_axis(view.y, "y")]
        drawn = [place_mark(mark) for mark in view.marks]
        read = [[strings.place(text) for text in pair] for pair in view.readouts.items()]
        told = (view.sentence, view.warning)
        said = [None if text is None else strings.place(text) for text in told]
        grid.append(distinct.place([*ends, drawn, read, *said, int(view.equal)]))
    pools = {"arrays": arrays, "axes": axes, "marks": marks, "strings": strings, "views": distinct}
    parts = {name: pool.parts for name, pool in pools.items()}
    return {"version": VERSION, **parts, "grid": grid}


def decode(table: dict[str, Json], position: int) -> dict[str, Json]:
    """Put one view together again, as the front end does; the first control is slowest.

    It has axes ``x`` and ``y``, ``marks`` with their arrays, and where only some of their points
    are drawn the numbers of these, ``readouts``, ``sentence``, ``warning`` and ``equal``.
    """
    x, y, marks, readouts, sentence, warning, equal = table["views"][table["grid"][position]]
    strings = table["strings"]
    whole = []
    for number in marks:
        mark = dict(table["marks"][number])
        for name in _ARRAYS:
            if name in mark:
                mark[name] = table["arrays"][mark[name]]
        if "only" in mark:
            mark["only"] = _numbers(mark["only"])
        whole.append(mark)
    return {
        "x": table["axes"][x],
        "y": table["axes"][y],
        "marks": whole,
        "readouts": [[strings[label], strings[text]] for label, text in readouts],
        "sentence": strings[sentence],
        "warning": None if warning is None else strings[warning],
        "equal": equal,
    }


def pack(table: dict[str, Json]) -> str:
    """Return a table as text for the page: JSON, compressed with zlib, in base64."""
    text = json.dumps(table, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode("utf-8"), 9)).decode("ascii")


def unpack(packed: str) -> dict[str, Json]:
    """Return a table from its text."""
    return dict(json.loads(zlib.decompress(base64.b64decode(packed))))
