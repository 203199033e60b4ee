"""The phase transition: two features of one class over the training, the map, and rates.

The strong feature is blue, the weak one rust; a run is a dot and a mean a line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.chart import Chart, Drawing, arrays, ends, extent, picture
from sublinear_lib.plotting.formats import Numbers, number, percent
from sublinear_lib.plotting.palette import FAINT
from sublinear_lib.plotting.style import thinned

_TICKS = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0]
# A run counts as one-sided if at most a tenth of its classes went the other way.
_ONE_SIDED = 0.9
_BUDGETS = (-0.03, 1.23)


class TransitionPanel(NamedTuple):
    """The features in the best filter of a class, and from which step on A leads, if ever."""

    title: str
    A: Numbers
    B: Numbers
    predicted_A: Numbers | None = None
    predicted_B: Numbers | None = None
    crossing: float = math.inf
    predicted_crossing: float | None = None


class Wall(NamedTuple):
    """The rates between which the strong feature of one class wins, by budget."""

    eps: Numbers
    lower: Numbers
    upper: Numbers


class MapRun(NamedTuple):
    """Trained networks at one place of the map: how many of their classes lean on u."""

    eps: float
    rate: float
    share: float


def _when(step: float) -> str:
    return f"at step {number(step, 6)}" if math.isfinite(step) else "never"


@picture
def transition_picture(
    steps: Numbers, panels: Sequence[TransitionPanel], *, level: float | None = None
) -> Drawing:
    """Draw how the two features of each class grow, and when the strong one takes the lead.

    The plateau of the weak feature is dashed if it is finite (Lemma 5.2).
    """
    times = np.asarray(steps, dtype=float)
    plateau = level if level is not None and math.isfinite(level) else None
    paths = []
    for each in panels:
        given: dict[str, Numbers | None] = {"A": each.A, "B": each.B}
        given |= {"predicted A": each.predicted_A, "predicted B": each.predicted_B}
        paths.append(arrays({k: v for k, v in given.items() if v is not None}, times.size))
    low, high = extent(*(path for each in paths for path in each.values()))
    few = thinned(times.size)
    charts, said = [], []
    for each, own in zip(panels, paths, strict=True):
        chart = Chart(300, 290, (42, 30, 54, 46), title=each.title, rise=42, xlabel="step")
        chart.x(times[0], times[-1], target=4, label=number)
        chart.y(low / 1.3, high * 1.25, scale="log10", values=_TICKS, label=number)
        if plateau is not None:
            chart.level(plateau, "muted", 1.25, dashes=(5, 3))
            look = {"dx": 4, "dy": 4, "va": "bottom", "size": 11}
            chart.note(times[0], plateau, "plateau", "muted", **look)
        _crossing(chart, each, times[0], times[-1])
        for part, role in (("A", "c1"), ("B", "c2")):
            chart.line(times[few], own[part][few], role)
            chart.end(own[part][-1], f"*{part}*", role)
        for part in ("predicted A", "predicted B"):
            if part in own:
                dotted = {"linestyle": (0, (0.1, 2.0)), "dash_capstyle": "round"}
                chart.line(times[few], own[part][few], "ink", 1.75, **dotted)
        charts.append(chart)
        text = f"{each.title}: A goes from {ends(own['A'])}, B from {ends(own['B'])}; A takes the "
        text += f"lead for good {_when(each.crossing)}"
        if each.predicted_crossing is not None:
            text += f", by the recursion {_when(each.predicted_crossing)}"
        said.append(text)
    return charts, (
        f"The strong feature A and the weak feature B over {number(times[-1], 6)} "
        f"steps, logarithmic. {'. '.join(said)}."
        + ("" if plateau is None else f" The plateau lies at {number(plateau)}.")
    )


def _crossing(chart: Chart, each: TransitionPanel, first: float, last: float) -> None:
    """Mark the step at which the lead changes, and the predicted one, above the plot."""
    said = "*A* does not take the lead"
    if math.isfinite(each.crossing):
        said = f"*A* leads for good from {number(each.crossing, 6)}"
        if first <= each.crossing <= last:
            chart.upright(each.crossing, "c3")
    found = each.predicted_crossing
    if found is not None:
        if first <= found <= last:
            chart.upright(found, "ink", 1.25, dashes=(1.5, 2))
        said += f" (recursion: {number(found, 6) if math.isfinite(found) else 'never'})"
    chart.corner(said, "c3", dx=-38, dy=20, size=11.5)


@picture
def phase_map_picture(walls: Sequence[Wall], *, critical: float, runs: Sequence[MapRun]) -> Drawing:
    """Draw where on the plane of budget and rate the strong feature wins.

    The more walls hold at a place, the fuller its color; runs are blue, rust, or umber where their
    classes disagree.
    """
    areas = [tuple(map(np.asarray, wall)) for wall in walls if len(wall.eps)]
    top = 48.0
    names = {"xlabel": "budget *ε* of the training adversary", "ylabel": "rate *η̃*"}
    chart = Chart(420, 294 + top, (58, 18, top, 46), ylabel_rise=top - 8.0, **names)
    chart.x(*_BUDGETS, target=6, label=number)
    marks = [10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 1e5]
    chart.y(30.0, 1e4, scale="log10", values=marks, label=number)
    for budgets, lower, upper in areas:
        chart.band(budgets, lower, upper, "c1", 0.6 / len(walls))
        chart.line([budgets[0], *budgets], [upper[0], *lower], "c1", 1.25)
    chart.level(critical, "c4", dashes=(5, 3))
    text = f"critical rate {number(critical)}"
    chart.note(_BUDGETS[0], critical, text, "c4", dx=6, dy=9, size=11)
    for run in runs:
        lean = "c1" if run.share >= _ONE_SIDED else "c2" if run.share <= 1 - _ONE_SIDED else "c5"
        chart.dots(run.eps, run.rate, lean, 9, 1.5, clip_on=False)
    text = "■ *u* wins; the fuller, the more classes"
    chart.corner(text, "c1", dx=-54.0, dy=top - 18.0, size=11.5)
    for text, role, dx in (
        ("● trained: *u*", "c1", -54.0),
        ("● classes disagree", "c5", 60.0),
        ("● trained: *v*", "c2", 196.0),
    ):
        chart.corner(text, role, dx=dx, dy=12.0, size=11.5)
    said = "The strong feature wins nowhere"
    if areas:
        first, least = extent(*(area[0][0] for area in areas)), [a[1].min() for a in areas]
        said = (
            f"Of {len(walls)} classes the strong feature wins somewhere in {len(areas)}, from "
            f"budgets of {ends(first)} on and above rates of {ends(extent(least))} at least"
        )
    told = "; ".join(
        f"{number(run.eps)} and {number(run.rate)}: {percent(run.share)} of the classes"
        for run in runs
    )
    return chart, (
        f"A map of budgets and rates. {said}. The critical rate is {number(critical)}. Trained "
        f"networks lean on the strong feature, at budget and rate {told}."
    )


def _gaps(values: Any) -> FloatArray:
    """Return numbers in which None, NaN and infinity stand for "none", as NaN."""
    found = np.array(values, dtype=np.float64)  # None becomes NaN
    found[np.isinf(found)] = math.nan
    return found


def _means(x: FloatArray, kinds: FloatArray, values: FloatArray) -> FloatArray:
    """Return the mean over the runs of each kind, of what there is."""
    found = (own[np.isfinite(own)] for own in (values[x == kind] for kind in kinds))
    return np.array([own.mean() if own.size else math.nan for own in found])


def _fan(places: FloatArray, width: float) -> FloatArray:
    """Set equal places apart, evenly and in their order, within a width around each."""
    moved = places.copy()
    for kind in np.unique(places):
        own = np.flatnonzero(places == kind)
        if own.size > 1:
            moved[own] = kind + width * (np.arange(own.size) / (own.size - 1) - 0.5)
    return moved


@picture
def rates_picture(
    rate: Numbers,
    crossing: Sequence[Sequence[float | None]] | FloatArray,
    *,
    predicted: Sequence[Sequence[float | None]] | FloatArray,
    lower: Sequence[Sequence[float | None]] | FloatArray,
    upper: Sequence[Sequence[float | None]] | FloatArray,
) -> Drawing:
    """Draw the times of the phase transition by class against the rate of each run.

    Their means, those of the recursion for the same classes, and the range predicted without any
    damping by the adversary and with all of it; None, NaN, infinity and a time of 0 stand for none.
    """
    x, times, told = np.asarray(rate), _gaps(crossing), _gaps(predicted)
    kinds = np.unique(x)
    times[times == 0] = math.nan
    seen, band = np.isfinite(times), [_means(x, kinds, _gaps(bound)) for bound in (lower, upper)]
    told[~seen] = math.nan
    names = {"xlabel": "rate *η̃* of the adversary", "ylabel": "*A* leads from step"}
    chart = Chart(420, 290, (50, 100, 16, 46), **names)
    low, high = kinds[0] / 1.4, kinds[-1] * 1.4
    decades = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
    marks = [10.0**k for k in decades] if len(decades) > 1 else None
    chart.x(low, high, scale="log10", target=4, values=marks)
    least, most = extent(*(v[np.isfinite(v)] for v in (times, *band)))
    chart.y(least / 1.25, most * 1.25, scale="log10", target=5)
    inside = np.isfinite(band).all(axis=0)
    at, bounds = kinds[inside], [bound[inside] for bound in band]
    chart.band(at, *bounds, "c2", 0.16)
    for bound, text in zip(bounds, ("no damping", "full damping"), strict=True):
        chart.line(at, bound, "c2", 1.4, text if at.size else "", dashes=(4, 2.5))
    # Classes of one rate stand side by side; on this axis by factors.
    spots = 10 ** _fan(np.log10(np.repeat(x, times.shape[1])), 0.12)
    look = {"alpha": FAINT, "clip_on": False, "zorder": 3}
    chart.dots(spots[seen.ravel()], times[seen], "c1", 4.0, 0, **look)
    said = []
    for values, role, name in ((told, "ink", "recursion"), (times, "c1", "training")):
        middle = _means(x, kinds, values)
        some = np.isfinite(middle)
        chart.line(kinds[some], middle[some], role, 1.8, name)
        first, last = (
            f"at step {number(middle[some][k])} at rate {number(kinds[some][k])}" for k in (0, -1)
        )
        said.append(f"{name}, on average {first} and {last}")
    of, crossed = ([int(v[x == kind].sum()) for kind in kinds] for v in (seen | True, seen))
    never = ", ".join(
        f"{count} of {every} at {number(kind)}"
        for kind, count, every in zip(kinds, crossed, of, strict=True)
        if count < every
    )
    alt = (
        "When u takes the lead, against the rate of the training adversary, from "
        f"{ends(kinds[[0, -1]])}, both axes logarithmic: {'; '.join(said)}"
    )
    if never:
        others = ", all at the others" if any(map(int.__eq__, crossed, of)) else ""
        alt += f"; classes that cross: {never}{others}"
    return chart, f"{alt}."
