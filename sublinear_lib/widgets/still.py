"""A still picture of one view, for readers without scripts, for PDF, and for the notebook's page.

No object of the paper lives here.  It draws the decoded view, the very numbers the front end draws,
in the house style, so the still and the live plot cannot disagree.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.palette import LIGHT, ROLES, Role
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.style import (
    EndLabel,
    figure,
    house_style,
    label_line_ends,
    note,
    panel,
    set_scale,
)
from sublinear_lib.validation import choice

__all__ = ["beyond", "still_picture"]

_WIDTH = 420.0
_ROWS = 62.0  # labels of both axes, above and below the plot
_LETTER = 6.6  # average width in pixels of a character of 12 pixels


def _width(text: str) -> float:
    return _LETTER * len(to_plain(text))


def _array(values: list[float | None]) -> FloatArray:
    return np.array([math.nan if v is None else v for v in values], dtype=np.float64)


def still_picture(view: dict[str, Any], *, title: str, name: str) -> Picture:
    """Draw a decoded view.

    Parameters
    ----------
    view : dict
        A view of `sublinear_lib.widgets.table.decode`.
    title : str
        Title of the explorer.
    name : str
        Name of the picture.

    Returns
    -------
    Picture
        The picture; the view's sentence is its caption and part of its alternative text.
    """
    ends = [
        (mark, end)
        for mark in view["marks"]
        if mark["label"] and (end := _end_of(mark, view)) is not None
    ]
    keys = [
        mark
        for mark in view["marks"]
        if mark["label"]
        and mark["kind"] in ("points", "bars", "band", "halfplane")
        and not _is_ring(mark)
    ]
    right = 14.0
    if ends:
        right = min(150.0, 26.0 + max(_width(mark["label"]) for mark, _ in ends))
    left = 14.0 + max([_width(text) * 0.95 for text in view["y"]["texts"]], default=20.0)
    rules = [m for m in view["marks"] if m["kind"] in ("rule", "region") and m["axis"] == "x"]
    rows = 16.0 * sum(bool(rule["label"]) for rule in rules)
    top = 16.0 + rows + 18.0 * len(keys)
    height = 250.0
    if view["equal"]:
        inner = _WIDTH - left - right
        ratio = (view["y"]["high"] - view["y"]["low"]) / (view["x"]["high"] - view["x"]["low"])
        height = inner * ratio + _ROWS
    fig = figure(_WIDTH, height + top)
    with house_style():
        axes = panel(
            fig,
            left=left,
            right=right,
            top=top,
            xlabel=view["x"]["label"],
            ylabel=view["y"]["label"],
            ylabel_rise=top - 6.0,
        )
        for which in ("x", "y"):
            axis = view[which]
            set_scale(
                axes,
                which,
                axis["low"],
                axis["high"],
                scale=axis["scale"],
                values=axis["ticks"],
                label=_TickTexts(axis),
            )
        for mark in view["marks"]:
            _draw(axes, mark)
        _label_rules(axes, rules)
        for ring in filter(_is_ring, view["marks"]):
            if ring["label"]:
                (x,), (y,) = ring["x"], ring["y"]
                away = 0.5 * ring["size"] + 5.0
                note(axes, x, y, ring["label"], role=_role(ring), dx=away, va="center")
        for k, mark in enumerate(keys):
            note(
                axes,
                0.0,
                1.0,
                f"{'○' if mark.get('hollow') else '■'} {mark['label']}",
                coordinates="axes fraction",
                role=_role(mark),
                dy=rows + 10.0 + 18.0 * (len(keys) - 1 - k),
            )
        label_line_ends(axes, [EndLabel(y, mark["label"], _role(mark)) for mark, y in ends])
    sentence = view["sentence"]
    if view["warning"]:
        sentence = f"{sentence} {view['warning']}"
    return Picture(fig, alt=f"{to_plain(title)}: {to_plain(sentence)}", caption=sentence, name=name)


class _TickTexts:
    """The labels that the table holds for the ticks of an axis."""

    def __init__(self, axis: dict[str, Any]) -> None:
        self.texts: dict[float, str] = dict(zip(axis["ticks"], axis["texts"], strict=True))

    def __call__(self, value: float) -> str:
        return self.texts[min(self.texts, key=lambda tick: abs(tick - value))]


def _role(mark: dict[str, Any]) -> Role:
    return choice(mark["role"], "role", ROLES)


def _end_of(mark: dict[str, Any], view: dict[str, Any]) -> float | None:
    """Return the height at which a curve leaves the plot on the right, if it is labeled there."""
    if mark["kind"] == "rule" and mark["axis"] == "y":
        return float(mark["at"])
    if mark["kind"] == "region" and mark["axis"] == "y":
        ends = [mark["start"], mark["stop"]]
        low = view["y"]["low"] if ends[0] is None else ends[0]
        high = view["y"]["high"] if ends[1] is None else ends[1]
        return float(math.sqrt(low * high) if view["y"]["scale"] != "linear" else (low + high) / 2)
    if mark["kind"] != "line":
        return None
    stop = mark["within"][1] if "within" in mark else math.inf
    stop = min(stop, view["x"]["high"])
    inside = [y for x, y in zip(mark["x"], mark["y"], strict=True) if y is not None and x <= stop]
    if not inside:
        return None
    return float(min(max(inside[-1], view["y"]["low"]), view["y"]["high"]))


def _draw(axes: Axes, mark: dict[str, Any]) -> None:
    color = LIGHT[_role(mark)]
    kind = mark["kind"]
    style: Any = {"dashes": (3, 2)} if mark.get("dash") else {}
    drawn: list[Any] = []
    if kind == "line":
        drawn += axes.plot(
            _array(mark["x"]), _array(mark["y"]), color=color, linewidth=mark["width"], **style
        )
    elif kind == "points":
        if "lower" in mark:
            axes.vlines(mark["x"], mark["lower"], mark["upper"], color=color, linewidth=1.5)
        (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
        places = list(zip(mark["x"], mark["y"], strict=True))
        shown = [
            (x, y)
            for x, y in (places[i] for i in mark.get("only", range(len(places))))
            if left <= x <= right and low <= y <= high
        ]
        axes.plot(
            [x for x, _ in shown],
            [y for _, y in shown],
            linestyle="none",
            marker="o",
            markersize=mark["size"] - 1,
            color=color,
            markerfacecolor="none" if mark["hollow"] else color,
            markeredgecolor=color if mark["hollow"] else LIGHT["paper"],
            markeredgewidth=1.5 if mark["hollow"] else 0.15 * mark["size"],
            clip_on=False,
        )
    elif kind == "bars":
        drawn.append(axes.stairs(mark["heights"], mark["edges"], fill=True, color=color, alpha=0.4))
        drawn.append(axes.stairs(mark["heights"], mark["edges"], color=color, linewidth=1.0))
    elif kind == "band":
        drawn.append(
            axes.fill_between(
                mark["x"], mark["lower"], mark["upper"], color=color, alpha=0.25, linewidth=0
            )
        )
    elif kind == "rule":
        line = axes.axvline if mark["axis"] == "x" else axes.axhline
        line(mark["at"], color=color, linewidth=1.75, **style)
    elif kind == "halfplane":
        outline, cut = beyond(mark, axes.get_xlim(), axes.get_ylim())
        if len(outline):
            axes.fill(*outline.T, color=color, alpha=0.12, linewidth=0)
        if len(cut):
            axes.plot(*cut.T, color=color, linewidth=1.75)
    else:
        low, high = axes.get_xlim() if mark["axis"] == "x" else axes.get_ylim()
        span = axes.axvspan if mark["axis"] == "x" else axes.axhspan
        start = low if mark["start"] is None else max(low, mark["start"])
        stop = high if mark["stop"] is None else min(high, mark["stop"])
        if start < stop:
            span(start, stop, color=color, alpha=0.12, linewidth=0)
    if "within" in mark:
        bottom, top = axes.get_ylim()
        window = axes.fill_between(mark["within"], bottom, top, alpha=0, linewidth=0)
        path = window.get_paths()[0]
        window.remove()
        for artist in drawn:
            artist.set_clip_path(path, axes.transData)


def beyond(
    mark: dict[str, Any], x: tuple[float, float], y: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Return the part of a plot that lies in a half-plane, as the front end cuts it off.

    Parameters
    ----------
    mark : dict
        The decoded half-plane, with ``normal`` and ``offset``.
    x, y : pair of float
        The ends of the axes.

    Returns
    -------
    outline, ends : ndarray of float64, shapes (k, 2) and (0 or 2, 2)
        The corners of the part, counterclockwise, and the ends of the line; empty arrays where
        there are none.
    """
    corners = np.array([[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]]])
    heights = corners @ np.array(mark["normal"]) - mark["offset"]
    outline, ends = [], []
    for i, k in ((0, 1), (1, 2), (2, 3), (3, 0)):
        if heights[i] > 0:
            outline.append(corners[i])
        if (heights[i] > 0) != (heights[k] > 0):
            share = heights[i] / (heights[i] - heights[k])
            ends.append(corners[i] + share * (corners[k] - corners[i]))
            outline.append(ends[-1])
    return np.array(outline), np.array(ends)


def _is_ring(mark: dict[str, Any]) -> bool:
    """Whether a mark is one wide ring, which the front end names beside it, too."""
    return bool(mark.get("hollow")) and mark["size"] >= 16 and len(mark["x"]) == 1


def _label_rules(axes: Axes, marks: list[dict[str, Any]]) -> None:
    """Name vertical rules and regions above the plot, one line each."""
    low, high = axes.get_xlim()
    level = 0
    for mark in reversed(marks):
        if not mark["label"]:
            continue
        if mark["kind"] == "rule":
            place = mark["at"]
        else:
            place = max(low, mark["start"]) if mark["start"] is not None else low
        if not low <= place <= high:
            continue
        share = axes.transAxes.inverted().transform(axes.transData.transform((place, 1.0)))[0]
        note(
            axes,
            place,
            1.0,
            mark["label"],
            coordinates=("data", "axes fraction"),
            role=_role(mark),
            dx=4.0 if share < 0.1 else -4.0 if share > 0.9 else 0.0,
            dy=9.0 + 16.0 * level,
            ha="left" if share < 0.35 else "right" if share > 0.65 else "center",
        )
        level += 1
