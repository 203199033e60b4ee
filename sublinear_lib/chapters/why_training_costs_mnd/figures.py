"""Why a step costs m n d: the network with few neurons lit, and sparse beside dense training."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.patches import Circle

from sublinear_lib._typing import BoolArray, FloatArray
from sublinear_lib.plotting.chart import INK, Chart, Drawing, Rows, arrays, extent, picture
from sublinear_lib.plotting.formats import Numbers, grouped, number, percent, whole
from sublinear_lib.plotting.palette import FAINT
from sublinear_lib.plotting.shapes import draw_image, square_images

_INPUTS = 3  # of any number
_ROLE = {"dense": "c2", "sparse": "c1"}


@picture
def network_schematic(active: Sequence[bool] | BoolArray) -> Drawing:
    """Draw the two-layer network with its active neurons and their connections lit (Eq. (2))."""
    on = np.asarray(active, dtype=bool)
    m, fires = on.size, int(on.sum())
    xs, output = (52.0, 210.0, 368.0), 148.0
    first = _column(_INPUTS, min(64.0, 200.0 / _INPUTS))
    hidden = _column(m, min(40.0, 236.0 / m))
    chart = Chart(420, 300, (0, 0, 0, 0), frame=False)
    chart.pixels(420, 300)
    for lit in (False, True):
        edges = [(xs[0], a, xs[1], b) for b in hidden[on == lit] for a in first]
        edges += [(xs[1], b, xs[2], output) for b in hidden[on == lit]]
        # One path for all, broken by NaN.
        x = [end for edge in edges for end in (edge[0], edge[2], math.nan)]
        y = [end for edge in edges for end in (edge[1], edge[3], math.nan)]
        chart.line(x, y, "c1" if lit else "muted", 1.6 if lit else 0.6, alpha=1.0 if lit else FAINT)
    for y in first:
        _node(chart, xs[0], y, 9.0, "ink")
    for y, lit in zip(hidden, on, strict=True):
        _node(chart, xs[1], y, max(3.2, min(8.0, 110.0 / m)), "c1" if lit else "")
    _node(chart, xs[2], output, 11.0, "ink")
    for at, text in zip(xs, ("input *x*", "hidden layer", "output *f*(*x*)"), strict=True):
        chart.note(at, 14, text, ha="center", weight="bold")
    chart.note(xs[0], 284, "*d* numbers", "muted", ha="center", size=11)
    chart.note(xs[1], 284, f"{fires} of {m} neurons fire", "c1", ha="center", weight="bold")
    chart.note(xs[2], 284, "one number", "muted", ha="center", size=11)
    return chart, (
        f"A network with {_INPUTS} input nodes, {m} hidden neurons and one output, every node "
        f"connected to all of the next layer. {fires} of the {m} hidden neurons "
        f"({percent(fires / m)}) and their connections are highlighted: only they fire at "
        "this input, the rest contributes nothing."
    )


def _column(count: int, spacing: float) -> FloatArray:
    places: FloatArray = 148.0 + spacing * (np.arange(count, dtype=np.float64) - (count - 1) / 2)
    return places


def _node(chart: Chart, x: float, y: float, radius: float, role: str) -> None:
    face, edge = (INK[role], INK[role]) if role else (INK["paper"], INK["muted"])
    node = Circle((x, y), radius, facecolor=face, edgecolor=edge, linewidth=1.4, zorder=3)
    chart.axes.add_patch(node)


def _same(series: Mapping[str, FloatArray]) -> bool:
    return np.allclose(series["dense"], series["sparse"], rtol=1e-9, atol=1e-12)


@picture
def loss_and_activity(
    steps: Numbers, loss: Mapping[str, Numbers], activity: Mapping[str, Numbers]
) -> Drawing:
    """Draw loss and share of neurons touched over the steps, sparse beside dense."""
    losses, computed = arrays(loss, len(steps)), arrays(activity, len(steps))
    high = 1.06 * extent(*losses.values())[1] or 1.0
    charts = [
        _sparse_and_dense(steps, losses, "robust training loss", high),
        _sparse_and_dense(steps, computed, "share of neurons computed", 1.0, label=percent),
    ]
    sparse, dense = losses["sparse"], losses["dense"]
    curve = "the same curve for the dense and the sparse run"
    if not _same(losses):
        curve = f"the dense run ends at {number(dense[-1])}"
    return charts, (
        f"Two plots over {grouped(round(steps[-1]))} steps. First, the robust training loss of "
        f"the sparse run goes from {number(sparse[0])} to {number(sparse[-1])}; {curve}. Then the "
        f"share of neurons computed: dense {percent(computed['dense'].mean())}, sparse "
        f"{percent(computed['sparse'].mean())} on average."
    )


def _sparse_and_dense(
    steps: Numbers, series: Mapping[str, FloatArray], ylabel: str, high: float, **how: object
) -> Chart:
    chart = Chart(300, 250, (46, 66, 14, 46), xlabel="step", ylabel=ylabel)
    chart.x(steps[0], steps[-1], target=4)
    chart.y(0.0, high, **how)
    wide, alpha = (7, 0.3) if _same(series) else (2.25, 1)
    chart.line(steps, series["dense"], "c2", wide, "dense", alpha=alpha, clip_on=False)
    chart.line(steps, series["sparse"], "c1", 2, "sparse", clip_on=False)
    return chart


@picture
def work_bars(
    phases: Sequence[str], dense: Numbers, sparse: Numbers, *, unit: str = "inner products"
) -> Drawing:
    """Draw the work of each phase of a step, dense above sparse, with the numbers at the bars."""
    work = arrays({"dense": dense, "sparse": sparse}, len(phases))
    row, height = 58.0, max(120.0, 58.0 * len(phases) + 36.0)
    chart = Chart(420, height, (12, 12, 30, 6), frame=False)
    # One unit of y is one pixel, counted from the top.
    chart.pixels(extent(*work.values())[1] * 1.36, height - 36.0)
    for r, phase in enumerate(phases):
        chart.note(0, row * r + 9, phase, weight="bold")
        for s, (key, values) in enumerate(work.items()):
            y, value, role = row * r + 20 + 15 * s, float(values[r]), _ROLE[key]
            chart.axes.barh(y, value, height=12, align="edge", color=INK[role], linewidth=0)
            look = {"dx": 6 if value else 1, "size": 11, "va": "center_baseline"}
            chart.note(value, y + 6, f"{_amount(value)} {key}", role, **look)
    chart.corner(unit, "muted", dy=15, size=11)
    said = "; ".join(
        f"{phase}: dense {_amount(a)}, sparse {_amount(b)}"
        for phase, a, b in zip(phases, *work.values(), strict=True)
    )
    return chart, f"Bars of the work in {unit} for each phase. {said}."


def _amount(value: float) -> str:
    return whole(value) if value >= 100 or value == round(value) else number(value)


@picture
def digit_gallery(
    clean: Rows,
    adversarial: Rows,
    *,
    clean_labels: Sequence[str],
    adversarial_labels: Sequence[str],
) -> Drawing:
    """Draw small images in three rows: clean, under attack, and what was added and taken away.

    A pixel is a square of ink, the more opaque the larger its value; the difference is scaled to
    its own largest change.
    """
    first, second = square_images(clean, "clean"), square_images(adversarial, "adversarial")
    k, rows, columns = first.shape
    low, high = extent(first)
    change, range_ = second - first, high - low
    largest = float(np.abs(change).max())
    cell = 44.0 if k > 6 else 52.0 if k > 5 else 62.0
    gap, left = 8.0, 84.0
    pitch = cell + gap + 18.0
    width, height = max(left + k * (cell + gap), 200.0), 3 * pitch + 4.0
    chart = Chart(width, height, (0, 0, 0, 0), frame=False)
    chart.pixels(width, height)
    shown = (
        ("clean", np.clip((first - low) / range_, 0, 1), clean_labels),
        ("under attack", np.clip((second - low) / range_, 0, 1), adversarial_labels),
        ("difference", change / largest if largest else change, [""] * k),
    )
    for r, (title, images, labels) in enumerate(shown):
        top = r * pitch + 2
        chart.note(0, top + cell / 2, title, va="center_baseline")
        for i, image in enumerate(images):
            x = left + i * (cell + gap)
            draw_image(chart.axes, image, x, top, cell, signed=r == 2)
            if labels[i]:
                look = {"ha": "center", "size": 11, "va": "center_baseline"}
                chart.note(x + cell / 2, top + cell + 11, labels[i], **look)
    return chart, (
        f"{k} images of {rows} by {columns} pixels in three rows: clean, under attack, and "
        f"the difference. The largest change of a pixel is {number(largest)}, "
        f"{percent(largest / range_)} of the range of the clean images. Clean: "
        f"{', '.join(clean_labels)}. Under attack: {', '.join(adversarial_labels)}."
    )
