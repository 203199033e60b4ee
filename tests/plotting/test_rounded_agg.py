"""Pictures do not depend on the last bits of what they show."""

import io

import matplotlib.image
import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.path import Path

from sublinear_lib.plotting.rounded_agg import FigureCanvas

BACKEND = "module://sublinear_lib.plotting.rounded_agg"
HALF = 100.5  # between two rows of pixels


def drawn(figure, backend=BACKEND):
    """Return the pixels of a figure, (rows, columns, 4) floats in [0, 1]."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", backend=backend)
    buffer.seek(0)
    return matplotlib.image.imread(buffer)


def canvas_of_pixels():
    """Return a figure of 200 by 200 pixels and axes whose units are its pixels."""
    figure = Figure(figsize=(2, 2), dpi=100)
    axes = figure.add_axes((0, 0, 1, 1), frame_on=False, xticks=[], yticks=[])
    axes.set(xlim=(0, 200), ylim=(0, 200))
    return figure, axes


KINDS = {
    "line": lambda axes, y: axes.plot([20, 180], [y, y], lw=1.44, solid_capstyle="butt"),
    "marker": lambda axes, y: axes.plot([50, 90], [y, y], "s", markersize=10),
    "collection with offsets": lambda axes, y: axes.scatter([50, 90], [y, y], [20, 40], marker="s"),
    "collection of paths": lambda axes, y: axes.add_collection(
        PolyCollection([[(20, 20), (180, 20), (180, y), (20, y)]])
    ),
    "text": lambda axes, y: axes.text(50, y, "half"),
    "formula": lambda axes, y: axes.text(100, y, "$x^2$"),
}


def pixels(draw, y, backend=BACKEND):
    """Return what a picture with one thing at a height looks like."""
    figure, axes = canvas_of_pixels()
    draw(axes, y)
    return drawn(figure, backend)


@pytest.mark.parametrize("draw", KINDS.values(), ids=KINDS)
def test_the_last_bits_of_a_place_change_no_pixel(draw):
    first, *others = (pixels(draw, HALF * (1 + bits)) for bits in (0.0, -1e-14, 1e-14))
    assert (first != 1).any(), "nothing is drawn"
    for other in others:
        np.testing.assert_array_equal(first, other)


@pytest.mark.parametrize("draw", KINDS.values(), ids=KINDS)
def test_everything_stands_where_agg_puts_it(draw):
    for y in (33.0, 77.25, 120.4):
        # 1/512 of a pixel is half a tone of 256
        assert np.abs(pixels(draw, y) - pixels(draw, y, "agg")).max() <= 2 / 255, f"y = {y}"


def test_gaps_stay_gaps_and_curves_stay_curves():
    figure, axes = canvas_of_pixels()
    axes.plot([10.0, 60.0, np.nan, 120.0, 180.0], [10.0, 60.0, 90.0, 120.0, 180.3])
    circle = Path.circle((100, 100), 50)
    axes.add_patch(matplotlib.patches.PathPatch(circle, fill=False))
    ours, theirs = drawn(figure), drawn(figure, backend="agg")
    assert np.abs(ours - theirs).max() <= 2 / 255
    assert (ours[200 - 90 - 3 : 200 - 90 + 3, 88:93] == 1).all(), "the gap is closed"
    figure, axes = canvas_of_pixels()
    axes.plot([10, 180], [1e307, 1e308])
    assert (drawn(figure) == 1).all(), "what lies far outside is left out without a warning"


def test_a_figure_that_changes_its_size_gets_a_picture_of_that_size():
    figure, axes = canvas_of_pixels()
    KINDS["line"](axes, 50)
    canvas = FigureCanvas(figure)
    assert canvas.get_renderer() is canvas.get_renderer()
    for inches in (1, 3):
        figure.set_size_inches(inches, 2)
        canvas.draw()
        assert np.asarray(canvas.buffer_rgba()).shape == (200, 100 * inches, 4)
