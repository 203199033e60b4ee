"""A still picture of one view, for readers without scripts, for PDF, and for the notebook's page.

It draws the very numbers that the front end draws, so the still and the live plot cannot disagree.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sublinear_lib.plotting.chart import INK, Chart, Drawing, picture
from sublinear_lib.plotting.palette import LIGHT
from sublinear_lib.plotting.picture import Picture
from sublinear_lib.plotting.richtext import to_plain
from sublinear_lib.plotting.shapes import beyond

_WIDTH = 420.0
_ROWS = 62.0  # labels of both axes, above and below the plot
_LETTER = 6.6  # average width in pixels of a character of 12 pixels
_AREAS = ("points", "bars", "band", "halfplane")


def _width(text: str) -> float:
    return _LETTER * len(to_plain(text))


def still_picture(view: dict[str, Any], *, title: str, name: str) -> Picture:
    """Draw a decoded view; its sentence is the caption and part of the alternative text."""
    said = " ".join(filter(None, (view["sentence"], view["warning"])))
    return _drawn(view, name=name, alt=f"{to_plain(title)}: {to_plain(said)}", caption=said)


@picture
def _drawn(view: dict[str, Any]) -> Drawing:
    x, y, marks = view["x"], view["y"], view["marks"]
    labeled = [mark for mark in marks if mark["label"]]
    ends = [(mark, end) for mark in labeled if (end := _end_of(mark, view)) is not None]
    rings = [mark for mark in labeled if _is_ring(mark)]
    keys = [mark for mark in labeled if mark["kind"] in _AREAS and mark not in rings]
    rules = [m for m in labeled if m["kind"] in ("rule", "region") and m["axis"] == "x"]
    right = 14.0
    if ends:
        right = min(150.0, 26.0 + max(_width(mark["label"]) for mark, _ in ends))
    left = 14.0 + max([_width(text) * 0.95 for text in y["texts"]], default=20.0)
    rows = 16.0 * len(rules)
    top = 16.0 + rows + 18.0 * len(keys)
    height = 250.0
    if view["equal"]:
        ratio = (y["high"] - y["low"]) / (x["high"] - x["low"])
        height = (_WIDTH - left - right) * ratio + _ROWS
    names = {"xlabel": x["label"], "ylabel": y["label"], "ylabel_rise": top - 6.0}
    chart = Chart(_WIDTH, height + top, (left, right, top, 46.0), **names)
    for scaled, axis in ((chart.x, x), (chart.y, y)):
        texts = dict(zip(axis["ticks"], axis["texts"], strict=True))

        def label(value: float, texts: dict[float, str] = texts) -> str:
            return texts[min(texts, key=lambda tick: abs(tick - value))]

        how = {"scale": axis["scale"], "values": axis["ticks"], "label": label}
        scaled(axis["low"], axis["high"], **how)
    for mark in marks:
        _draw(chart, mark)
    _label_rules(chart, rules)
    for ring in rings:
        away = 0.5 * ring["size"] + 5.0
        chart.note(ring["x"][0], ring["y"][0], ring["label"], ring["role"], dx=away)
    for k, mark in enumerate(keys, start=1):
        text = f"{'○' if mark.get('hollow') else '■'} {mark['label']}"
        chart.corner(text, mark["role"], dy=rows + 10.0 + 18.0 * (len(keys) - k))
    for mark, end in ends:
        chart.end(end, mark["label"], mark["role"])
    return chart, ""


def _end_of(mark: dict[str, Any], view: dict[str, Any]) -> float | None:
    """Return the height at which a curve leaves the plot on the right, if it is labeled there."""
    low, high = view["y"]["low"], view["y"]["high"]
    if mark["kind"] == "rule" and mark["axis"] == "y":
        return float(mark["at"])
    if mark["kind"] == "region" and mark["axis"] == "y":
        low = low if mark["start"] is None else mark["start"]
        high = high if mark["stop"] is None else mark["stop"]
        return float(math.sqrt(low * high) if view["y"]["scale"] != "linear" else (low + high) / 2)
    if mark["kind"] != "line":
        return None
    stop = min(mark.get("within", [math.inf])[-1], view["x"]["high"])
    inside = [y for x, y in zip(mark["x"], mark["y"], strict=True) if y is not None and x <= stop]
    return float(min(max(inside[-1], low), high)) if inside else None


def _draw(chart: Chart, mark: dict[str, Any]) -> None:
    axes, role, kind = chart.axes, mark["role"], mark["kind"]
    color, before = INK[role], set(axes.get_children())
    dashed: Any = {"dashes": (3, 2)} if mark.get("dash") else {}
    x, y = axes.get_xlim(), axes.get_ylim()
    if kind == "line":
        places = (np.array(mark[name], dtype=np.float64) for name in "xy")
        chart.line(*places, role, mark["width"], **dashed)
    elif kind == "points":
        _points(chart, mark)
    elif kind == "bars":
        axes.stairs(mark["heights"], mark["edges"], fill=True, color=color, alpha=0.4)
        axes.stairs(mark["heights"], mark["edges"], color=color, linewidth=1.0)
    elif kind == "band":
        chart.band(mark["x"], mark["lower"], mark["upper"], role, 0.25)
    elif kind == "rule":
        across = chart.upright if mark["axis"] == "x" else chart.level
        across(mark["at"], role, 1.75, **dashed)
    elif kind == "halfplane":
        outline, cut = beyond(mark["normal"], mark["offset"], x, y)
        if len(outline):
            axes.fill(*outline.T, color=color, alpha=0.12, linewidth=0)
        if len(cut):
            chart.line(*cut.T, role, 1.75)
    else:
        low, high = x if mark["axis"] == "x" else y
        start = low if mark["start"] is None else max(low, mark["start"])
        stop = high if mark["stop"] is None else min(high, mark["stop"])
        shade = chart.stretch if mark["axis"] == "x" else chart.layer
        if start < stop:
            shade(start, stop, role, 0.12)
    if "within" in mark:
        drawn = [artist for artist in axes.get_children() if artist not in before]
        window = axes.fill_between(mark["within"], *y, alpha=0, linewidth=0)
        path = window.get_paths()[0]
        window.remove()
        for artist in drawn:
            artist.set_clip_path(path, axes.transData)


def _points(chart: Chart, mark: dict[str, Any]) -> None:
    if "lower" in mark:
        chart.bars(mark["x"], mark["lower"], mark["upper"], mark["role"], 1.5)
    (left, right), (low, high) = chart.axes.get_xlim(), chart.axes.get_ylim()
    places = list(zip(mark["x"], mark["y"], strict=True))
    shown = [places[i] for i in mark.get("only", range(len(places)))]
    inside = [(x, y) for x, y in shown if left <= x <= right and low <= y <= high]
    at = np.array(inside, dtype=np.float64).reshape(-1, 2).T
    color, size = INK[mark["role"]], mark["size"]
    look = {"markeredgecolor": LIGHT["paper"], "markeredgewidth": 0.15 * size}
    if mark["hollow"]:
        look = {"markerfacecolor": "none", "markeredgecolor": color, "markeredgewidth": 1.5}
    chart.dots(*at, mark["role"], size - 1, clip_on=False, **look)


def _is_ring(mark: dict[str, Any]) -> bool:
    """Whether a mark is one wide ring, which the front end names beside it, too."""
    return bool(mark.get("hollow")) and mark["size"] >= 16 and len(mark["x"]) == 1


def _label_rules(chart: Chart, marks: list[dict[str, Any]]) -> None:
    """Name vertical rules and regions above the plot, one line each."""
    axes, level = chart.axes, 0
    low, high = axes.get_xlim()
    for mark in reversed(marks):
        start = mark["at"] if mark["kind"] == "rule" else mark["start"]
        place = low if start is None else start if mark["kind"] == "rule" else max(low, start)
        if not low <= place <= high:
            continue
        share = axes.transAxes.inverted().transform(axes.transData.transform((place, 1.0)))[0]
        look = {"coordinates": ("data", "axes fraction"), "dy": 9.0 + 16.0 * level}
        look["dx"] = 4.0 if share < 0.1 else -4.0 if share > 0.9 else 0.0
        look["ha"] = "left" if share < 0.35 else "right" if share > 0.65 else "center"
        chart.note(place, 1.0, mark["label"], mark["role"], **look)
        level += 1
