"""Who is broken at which budget: digits, ways of training, and the robustness window.

An attack is a lower bound of the robust error, a certificate an upper one; between them is shade.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.chart import (
    INK,
    Chart,
    Drawing,
    Rows,
    arrays,
    by_first,
    colored,
    extent,
    picture,
)
from sublinear_lib.plotting.formats import Numbers, number, percent
from sublinear_lib.plotting.palette import FAINT, SERIES


@picture
def digit_errors_picture(panels: Mapping[str, Mapping[str, Rows]]) -> Drawing:
    """Draw errors over the budget of the attack, one curve for each training, with intervals.

    Rows (eps, mean, lower, upper); a label has the same color in every panel.
    """
    tables = {title: by_first(curves, 4) for title, curves in panels.items()}
    every = {label: rows for curves in tables.values() for label, rows in curves.items()}
    roles = {label: role for role, label, _ in colored(every, SERIES)}
    left, right = extent(*(t[:, 0] for curves in tables.values() for t in curves.values()))
    charts, said = [], []
    for title, curves in tables.items():
        names = {"xlabel": "budget *ε* of the attack", "ylabel": "error"}
        chart = Chart(300, 270, (50, 84, 38, 46), title=title, rise=38, **names)
        chart.x(left, right, target=4)
        chart.y(0.0, 1.0, label=percent)
        parts = []
        for place, (label, rows) in enumerate(curves.items()):
            x, mean, lower, upper = rows.T
            # Side by side, where the intervals of several curves would hide each other.
            at = x + 0.012 * (right - left) * (place - (len(curves) - 1) / 2)
            look = {"markersize": 5, "markeredgecolor": INK["paper"], "markeredgewidth": 0.9}
            look |= {"marker": "o", "clip_on": False, "zorder": 3}
            chart.line(at, mean, roles[label], 1.8, label, **look)
            low, high = np.clip([lower, upper], 0.0, 1.0)
            chart.bars(at, low, high, roles[label], 1.4, clip_on=False)
            parts.append(
                f"{label} from {percent(mean[0])} at {number(x[0])} to {percent(mean[-1])} at "
                f"{number(x[-1])}"
            )
        charts.append(chart)
        said.append(f"{title}: {'; '.join(parts)}")
    return charts, f"Errors over the budget of the attack. {'. '.join(said)}."


@picture
def variants_picture(rows: Mapping[str, tuple[Numbers, Numbers, Numbers]]) -> Drawing:
    """Draw what many ways of training lead to, one row for each.

    Three times (mean, lower, upper): the share of classes that lean on u, the error under attack,
    and one minus the certified share.
    """
    tables = arrays(rows, 3, 3)
    learned = _column(158.0, len(rows))
    errors = _column(305.0, len(rows), on=learned.figure)
    for chart, words in (
        (learned, (("classes that", "c1"), ("lean on *u*", "c1"))),
        (errors, (("error: attacked,", "c4"), ("not certified", "ink"))),
    ):
        for lift, (text, role) in zip((30.0, 14.0), words, strict=True):
            chart.corner(text, role, dy=lift, size=11, weight="bold")
    said = []
    for place, (label, (robust, attacked, certified)) in enumerate(tables.items()):
        if attacked[0] > certified[0]:
            raise ValueError(f"{label!r} must not have a certificate below an attack")
        look = {"coordinates": ("axes fraction", "data"), "outline": False, "size": 11}
        learned.note(0, place, label, dx=-8, ha="right", **look)
        marks = (
            (learned, "c1", robust, 0.0),
            (errors, "c4", attacked, 0.14),
            (errors, "ink", certified, -0.14),
        )
        for chart, role, interval, rise in marks:
            chart.line(interval[1:], [place + rise] * 2, role, 1.3, alpha=FAINT, clip_on=False)
        errors.line([attacked[0], certified[0]], [place] * 2, "muted", 5, alpha=0.35)
        for chart, role, interval, rise in (marks[0], marks[2], marks[1]):  # attacks on top
            chart.dots(interval[0], place + rise, role, 6, 1.0, clip_on=False, zorder=4)
        error = f"{percent(attacked[0])} to {percent(certified[0])}"
        said.append(f"{label}: {percent(robust[0])}, error {error}")
    return learned, (
        "For each way of training the share of classes that lean on u, and the robust error "
        f"from attack to certificate. {'; '.join(said)}."
    )


def _column(left: float, rows: int, **on: Figure) -> Chart:
    margins = (left, 420.0 - left - 101.0, 44.0, 30.0)
    chart = Chart(420, 22.0 * rows + 74.0, margins, **on)
    chart.x(0.0, 1.0, values=[0.0, 0.5, 1.0], label=percent)
    chart.axes.set_ylim(rows - 0.5, -0.5)
    chart.axes.set_yticks([])
    chart.axes.grid(visible=True, axis="x")
    return chart


class ErrorBracket(NamedTuple):
    """Errors of one network by budget: those that attacks found, and those not excluded."""

    eps: Numbers
    attacked: Numbers
    certified: Numbers


@picture
def robust_error_picture(
    networks: Mapping[str, ErrorBracket],
    *,
    window: tuple[float, float] | None = None,
    limits: tuple[float, float] | None = None,
) -> Drawing:
    """Draw robust errors over the test budget: attacks below, certificates above.

    A window of budgets is shaded (Propositions III.8 and III.9).
    """
    tables = {kind: tuple(map(np.asarray, each)) for kind, each in networks.items()}
    for kind, (_, found, open_) in tables.items():
        if (found > open_).any():
            raise ValueError(
                f"{kind!r} must have attacked <= certified: an attack that breaks a certified "
                "input shows a mistake"
            )
    first, last = limits or extent(*(eps for eps, _, _ in tables.values()))
    chart = Chart(420, 300, (52, 16, 40, 46), "test budget *ε*", "robust error", ylabel_rise=30)
    chart.x(first, last, target=5, label=number)
    chart.y(-0.03, 1.03, values=(0, 0.25, 0.5, 0.75, 1), label=percent)
    shaded = ""
    if window is not None:
        start, stop = max(window[0], first), min(window[1], last)
        if start < stop:
            chart.stretch(start, stop, "c3", 0.14)
            look = {"ha": "center", "outline": False, "dy": 75}
            where = ("data", "axes fraction")
            chart.note((start + stop) / 2, 0.5, "window", "c3", coordinates=where, **look)
        if window[0] < window[1]:
            shaded = f" The window from {number(window[0])} to {number(window[1])} is shaded."
    said = []
    for place, (role, kind, (eps, found, open_)) in enumerate(colored(tables, ("c2", "c1", "c4"))):
        chart.band(eps, found, open_, role, 0.25)
        chart.line(eps, open_, role, 1.5, dashes=(3, 2))
        chart.line(eps, found, role, 2.0)
        chart.dots(eps, found, role, 4.5)
        at = (place / max(len(tables), 2), 1.0)
        chart.corner(kind, role, at=at, dx=2, dy=10, weight="bold")
        said.append(f"{kind}: {_bracket(eps, found, open_)}")
    return chart, f"Robust error over the test budget. {'; '.join(said)}.{shaded}"


def _bracket(eps: FloatArray, found: FloatArray, open_: FloatArray) -> str:
    """Say up to where no error is possible, and from where on every attack breaks all."""
    safe = eps[np.maximum.accumulate(open_) == 0]
    broken = eps[np.minimum.accumulate(found[::-1])[::-1] == 1]
    low = f"certified without error up to {number(safe[-1])}" if safe.size else ""
    high = f"all inputs broken from {number(broken[0])} on" if broken.size else ""
    return ", ".join(
        [
            low or f"at {number(eps[0])} at most {percent(open_[0])} are broken",
            high or f"at {number(eps[-1])} at least {percent(found[-1])} are broken",
            f"widest gap between attack and certificate {percent((open_ - found).max())}",
        ]
    )
