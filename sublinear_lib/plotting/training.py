"""Pictures of training: Algorithm 1 beside its dense reference, and the digits it is run on.

Loss and activity over the steps, the work of each phase, and a gallery of digits with what the
adversary changed.  Sparse is always the first color and dense the second; where both curves are
the same, because the weights are, the dense one lies underneath as a wide pale band.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from sublinear_lib._typing import FloatArray
from sublinear_lib.plotting.checks import ascending, nonnegative, shares
from sublinear_lib.plotting.formats import Numbers, grouped, number, percent, whole
from sublinear_lib.plotting.palette import LIGHT, Role
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
from sublinear_lib.validation import float_array

__all__ = ["digit_gallery", "loss_and_activity", "training_run", "work_bars"]

_ROLE: dict[str, Role] = {"sparse": "c1", "dense": "c2"}


def _checked_series(
    values: Mapping[str, Numbers],
    name: str,
    length: int,
    check: Callable[[object, str, tuple[int]], FloatArray],
) -> dict[str, FloatArray]:
    if set(values) != {"dense", "sparse"}:
        raise ValueError(f"{name} must have the keys 'dense' and 'sparse', got {list(values)}")
    return {key: check(values[key], f"{name}[{key!r}]", (length,)) for key in ("dense", "sparse")}


def _same(series: Mapping[str, FloatArray]) -> bool:
    dense, sparse = series["dense"], series["sparse"]
    return bool(np.allclose(dense, sparse, rtol=1e-9, atol=1e-12))


def loss_and_activity(
    steps: Numbers,
    loss: Mapping[str, Numbers],
    activity: Mapping[str, Numbers],
    *,
    loss_label: str = "robust training loss",
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw loss and share of neurons touched over the steps, sparse beside dense.

    Parameters
    ----------
    steps : array-like, shape (T,)
        The steps, ascending, ``T >= 2``.
    loss : mapping with keys "dense" and "sparse" to array-like, shape (T,)
        The loss at each step, ``>= 0``.
    activity : mapping with keys "dense" and "sparse" to array-like, shape (T,)
        The share of neurons that each run computed with, in [0, 1]; 1 for the dense run.
    loss_label : str
        Label of the loss axis, in the house markup.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        Two panels, side by side or one below the other.

    Raises
    ------
    ValueError
        If keys or shapes do not match, steps do not ascend, a loss is negative or a share lies
        outside [0, 1].
    """
    t = ascending(steps, "steps")
    losses = _checked_series(loss, "loss", t.size, nonnegative)
    computed = _checked_series(activity, "activity", t.size, shares)

    figures = []
    for series, label, top, writes in (
        (losses, loss_label, None, None),
        (computed, "share of neurons computed", 1.0, percent),
    ):
        same = _same(series)
        fig = figure(300, 250)
        with house_style():
            axes = panel(fig, left=46, right=66, top=14, bottom=46, xlabel="step", ylabel=label)
            set_scale(axes, "x", float(t[0]), float(t[-1]), target=4)
            high = top or 1.06 * max(float(v.max()) for v in series.values()) or 1.0
            set_scale(axes, "y", 0.0, high, label=writes)
            axes.plot(
                t,
                series["dense"],
                color=LIGHT["c2"],
                linewidth=7 if same else 2.25,
                alpha=0.3 if same else 1,
                clip_on=False,
            )
            axes.plot(t, series["sparse"], color=LIGHT["c1"], linewidth=2, clip_on=False)
            label_line_ends(
                axes,
                [EndLabel(float(series[key][-1]), key, _ROLE[key]) for key in ("dense", "sparse")],
            )
        figures.append(fig)
    if alt is None:
        first, last = (float(losses["sparse"][k]) for k in (0, -1))
        curve = (
            "the same curve for the dense and the sparse run"
            if _same(losses)
            else f"the dense run ends at {number(float(losses['dense'][-1]))}"
        )
        alt = (
            f"Two plots over {grouped(round(t[-1]))} steps. First, the {to_plain(loss_label)} of "
            f"the sparse run goes from {number(first)} to {number(last)}; {curve}. Then the "
            f"share of neurons computed: dense {percent(float(computed['dense'].mean()))}, sparse "
            f"{percent(float(computed['sparse'].mean()))} on average."
        )
    return Picture(figures, alt=alt, caption=caption, name=name)


def training_run(
    steps: Numbers,
    loss: Numbers,
    clean_loss: Numbers,
    activity: Numbers,
    *,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw one training run: losses, and the share of neurons that fire, over the steps.

    Parameters
    ----------
    steps : array-like, shape (T,)
        The steps, ascending, ``T >= 2``.
    loss, clean_loss : array-like, shape (T,)
        Loss at the adversarial and at the clean points, ``>= 0``.
    activity : array-like, shape (T,)
        Mean share of neurons that fire at a point, in [0, 1].
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        Two panels, side by side or one below the other.

    Raises
    ------
    ValueError
        If shapes do not match, steps do not ascend, a loss is negative or a share lies outside
        [0, 1].
    """
    t = ascending(steps, "steps")
    losses = {
        "attacked": nonnegative(loss, "loss", t.shape),
        "clean": nonnegative(clean_loss, "clean_loss", t.shape),
    }
    share = shares(activity, "activity", t.shape)
    figures = []
    roles: tuple[Role, Role] = ("c1", "c2")
    for series, label, writes in (
        (losses, "training loss", None),
        ({"active": share}, "share of neurons that fire", percent),
    ):
        fig = figure(300, 250)
        with house_style():
            axes = panel(fig, left=46, right=66, top=14, bottom=46, xlabel="step", ylabel=label)
            set_scale(axes, "x", float(t[0]), float(t[-1]), target=4)
            high = 1.06 * max(float(values.max()) for values in series.values()) or 1.0
            set_scale(axes, "y", 0.0, high, label=writes)
            for role, values in zip(roles, series.values(), strict=False):
                axes.plot(t, values, color=LIGHT[role], linewidth=2, clip_on=False)
            label_line_ends(
                axes,
                [
                    EndLabel(float(values[-1]), key, role)
                    for role, (key, values) in zip(roles, series.items(), strict=False)
                ],
            )
        figures.append(fig)
    if alt is None:
        attacked, clean = losses["attacked"], losses["clean"]
        alt = (
            f"Two plots over {grouped(round(t[-1]))} steps. First, the loss at attacked points "
            f"goes from {number(float(attacked[0]))} to {number(float(attacked[-1]))}, that at "
            f"clean points from {number(float(clean[0]))} to {number(float(clean[-1]))}. Then the "
            f"share of neurons that fire goes from {percent(float(share[0]))} to "
            f"{percent(float(share[-1]))}."
        )
    return Picture(figures, alt=alt, caption=caption, name=name)


def work_bars(
    phases: Sequence[str],
    dense: Numbers,
    sparse: Numbers,
    *,
    unit: str = "inner products",
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw the work of each phase of a step, dense above sparse, with the numbers at the bars.

    Parameters
    ----------
    phases : sequence of str, length k
        Names of the phases, in the house markup, ``k >= 1``.
    dense, sparse : array-like, shape (k,)
        Work of each phase, ``>= 0``.
    unit : str
        What is counted.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The figure.

    Raises
    ------
    ValueError
        If lengths differ, a number is negative, or all are zero.
    """
    k = len(phases)
    if k < 1:
        raise ValueError("phases must name at least one phase, got none")
    work = {
        "dense": nonnegative(dense, "dense", (k,)),
        "sparse": nonnegative(sparse, "sparse", (k,)),
    }
    largest = max(float(v.max()) for v in work.values())
    if largest == 0.0:
        raise ValueError("dense and sparse must hold some work, got zeros only")

    row = 58.0
    height = row * k + 36.0
    fig = figure(420, max(120.0, height))
    with house_style():
        axes = panel(fig, left=12, right=12, top=30, bottom=6, frame=False)
        # One unit of y is one pixel, counted from the top.
        axes.set_xlim(0, largest * 1.36)
        axes.set_ylim(max(120.0, height) - 36.0, 0)
        for r, phase in enumerate(phases):
            note(axes, 0, row * r + 9, phase, dx=0, weight="bold", va="center")
            for s, key in enumerate(("dense", "sparse")):
                y = row * r + 20 + 15 * s
                value = float(work[key][r])
                axes.barh(y, value, height=12, align="edge", color=LIGHT[_ROLE[key]], linewidth=0)
                note(
                    axes,
                    value,
                    y + 6,
                    f"{_amount(value)} {key}",
                    role=_ROLE[key],
                    dx=6 if value else 1,
                    size=11,
                    va="center_baseline",
                )
        note(
            axes,
            0.0,
            1.0,
            unit,
            coordinates="axes fraction",
            role="muted",
            dy=15,
            size=11,
        )
    if alt is None:
        parts = [
            f"{to_plain(phase)}: dense {_amount(float(a))}, sparse {_amount(float(b))}"
            for phase, a, b in zip(phases, work["dense"], work["sparse"], strict=True)
        ]
        alt = f"Bars of the work in {to_plain(unit)} for each phase. {'; '.join(parts)}."
    return Picture(fig, alt=alt, caption=caption, name=name)


def _amount(value: float) -> str:
    return whole(value) if value >= 100 or value == round(value) else number(value)


def square_images(value: object, name: str, count: int | None) -> FloatArray:
    """Return images as an array, for a figure that draws each pixel.

    Parameters
    ----------
    value : array-like, shape (k, h, w) or (k, h * h)
        The images, at most 32 x 32 pixels.
    name : str
        Their name in messages.
    count : int or None
        The number k that is wanted, or any.

    Returns
    -------
    ndarray of float64, shape (k, h, w)
        The images.

    Raises
    ------
    ValueError
        If shapes do not match, rows are no squares, or an image is larger.
    """
    images = float_array(value, name)
    if images.ndim == 2:
        side = round(images.shape[1] ** 0.5)
        if side * side != images.shape[1]:
            raise ValueError(
                f"{name} must hold square images as rows, got rows of length {images.shape[1]}"
            )
        images = images.reshape(images.shape[0], side, side)
    checked = float_array(images, name, shape=(count, None, None))
    if checked.shape[1] > 32 or checked.shape[2] > 32:
        raise ValueError(
            f"{name} must hold images of at most 32 x 32 pixels (each pixel is drawn as a "
            f"rectangle), got {checked.shape[1]} x {checked.shape[2]}"
        )
    return checked


def digit_gallery(
    clean: Sequence[Sequence[float]] | FloatArray,
    adversarial: Sequence[Sequence[float]] | FloatArray,
    *,
    clean_labels: Sequence[str] | None = None,
    adversarial_labels: Sequence[str] | None = None,
    name: str,
    caption: str | None = None,
    alt: str | None = None,
) -> Picture:
    """Draw small images in three rows: clean, adversarial, and the difference.

    A pixel is a square of ink, the more opaque the larger its value, so the digits are dark on
    light pages and light on dark ones.  The difference shows what was added in the first color
    and what was taken away in the second, scaled to its own largest change.

    Parameters
    ----------
    clean, adversarial : array-like, shape (k, h, w) or (k, h * h)
        The images, ``1 <= k <= 8``, at most 32 x 32 pixels, in any units: the smallest value of
        the clean images is blank paper and the largest full ink.
    clean_labels, adversarial_labels : sequence of str, length k, optional
        A word below each image, such as the class predicted.
    name : str
        Name of the figure.
    caption : str, optional
        What to notice.
    alt : str, optional
        Alternative text; by default it is composed from the numbers.

    Returns
    -------
    Picture
        The figure.

    Raises
    ------
    ValueError
        If the shapes do not match, there are more than eight images, or all pixels are equal.
    """
    first = square_images(clean, "clean", None)
    k, rows, columns = first.shape
    if k > 8:
        raise ValueError(f"clean must hold at most 8 images, got {k}")
    second = square_images(adversarial, "adversarial", k)
    if second.shape != first.shape:
        raise ValueError(
            f"adversarial must have the shape of clean, got {second.shape} and {first.shape}"
        )
    for labels, which in (
        (clean_labels, "clean_labels"),
        (adversarial_labels, "adversarial_labels"),
    ):
        if labels is not None and len(labels) != k:
            raise ValueError(f"{which} must have one entry for each image, got {len(labels)}")
    low, high = float(first.min()), float(first.max())
    if high <= low:
        raise ValueError("clean must hold more than one value, got images of a single gray")
    change = second - first
    largest = float(np.abs(change).max())

    cell = 44.0 if k > 6 else 52.0 if k > 5 else 62.0
    gap, left, line = 8.0, 84.0, 18.0
    has_labels = clean_labels is not None or adversarial_labels is not None
    pitch = cell + gap + (line if has_labels else 0.0)
    width, height = left + k * (cell + gap), 3 * pitch + 4.0
    fig = figure(max(width, 200.0), height)
    with house_style():
        axes = panel(fig, left=0, right=0, top=0, bottom=0, frame=False)
        axes.set_xlim(0, max(width, 200.0))
        axes.set_ylim(height, 0)
        ink = np.clip((first - low) / (high - low), 0, 1)
        changed_ink = np.clip((second - low) / (high - low), 0, 1)
        shown: tuple[tuple[str, FloatArray, Sequence[str] | None], ...] = (
            ("clean", ink, clean_labels),
            ("under attack", changed_ink, adversarial_labels),
            ("difference", change / largest if largest else change, None),
        )
        for r, (title, images, labels) in enumerate(shown):
            top = r * pitch + 2
            note(axes, 0, top + cell / 2, title, va="center_baseline")
            for i in range(k):
                x = left + i * (cell + gap)
                draw_image(axes, images[i], x, top, cell, signed=r == 2)
                if labels is not None:
                    note(
                        axes,
                        x + cell / 2,
                        top + cell + 11,
                        labels[i],
                        ha="center",
                        size=11,
                        va="center_baseline",
                    )
    if alt is None:
        alt = (
            f"{k} images of {rows} by {columns} pixels in three rows: clean, under attack, and "
            f"the difference. The largest change of a pixel is {number(largest)}, "
            f"{percent(largest / (high - low))} of the range of the clean images."
        )
        if clean_labels is not None:
            alt += f" Clean: {', '.join(to_plain(label) for label in clean_labels)}."
        if adversarial_labels is not None:
            alt += f" Under attack: {', '.join(to_plain(label) for label in adversarial_labels)}."
    return Picture(fig, alt=alt, caption=caption, name=name)


def draw_image(
    axes: Axes, image: FloatArray, x: float, y: float, size: float, *, signed: bool
) -> None:
    """Draw one image in at most 16 grades of ink, one path for each grade.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Axes with pixels as units, y downwards.
    image : ndarray of float64, shape (h, w)
        The image, in [0, 1], or in [-1, 1] if signed.
    x, y : float
        The upper left corner.
    size : float
        The length of the longer side.
    signed : bool
        Whether positive and negative values have colors of their own.
    """
    step = size / max(image.shape)
    grades = np.round(np.abs(image) * 16).astype(int)
    signs = np.sign(image) if signed else np.zeros(image.shape)
    inks: tuple[tuple[float, Role], ...] = ((0.0, "ink"), (1.0, "c1"), (-1.0, "c2"))
    for sign, role in inks:
        for grade in range(1, 17):
            pixels = np.argwhere((grades == grade) & (signs == sign))
            if not pixels.size:
                continue
            squares = [
                Path.unit_rectangle().transformed(
                    Affine2D().scale(step).translate(x + j * step, y + i * step)
                )
                for i, j in pixels
            ]
            axes.add_patch(
                PathPatch(
                    Path.make_compound_path(*squares),
                    facecolor=LIGHT[role],
                    alpha=grade / 16,
                    linewidth=0,
                )
            )
    axes.add_patch(
        Rectangle((x, y), size, size, facecolor="none", edgecolor=LIGHT["grid"], linewidth=1)
    )
