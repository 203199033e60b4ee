"""The pictures of the study of features show every run and both bounds, and refuse nonsense."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from sublinear_lib import plotting
from sublinear_lib.plotting.palette import LIGHT

RATES = [30.0, 30.0, 300.0, 300.0, 3000.0, 3000.0]
DIGITS = {"*ε* = 0.1": [(0.2, 0.6, 0.5, 0.7), (0.0, 0.05, 0.04, 0.06), (0.1, 0.3, 0.2, 0.4)]}
ROW = ((0.9, 0.75, 1.0), (0.1, 0.0, 0.2), (0.2, 0.1, 0.3))


def rates(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "rate": RATES,
        "plateau": [3.2, 3.0, 1.0, 1.1, 0.5, 0.5],
        "formula": [None, None, 1.05, 1.05, 0.48, 0.48],
        "crossing": [
            [None, None],
            [None, 900.0],
            [500.0, 700.0],
            [550.0, 650.0],
            *[[800.0] * 2] * 2,
        ],
        "lower": [[None] * 2] * 2 + [[400.0, 400.0]] * 4,
        "upper": [[None] * 2] * 2 + [[1400.0, 1500.0]] * 4,
        "name": "r",
        **changes,
    }
    return plotting.rates_picture(**arguments)


def digits(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {"panels": {"Warm": DIGITS, "Cold": DIGITS}, "name": "d", **changes}
    return plotting.digit_errors_picture(**arguments)


def variants(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {"rows": {"*q* = 3": ROW, "sign": ROW}, "name": "v", **changes}
    return plotting.variants_picture(**arguments)


EVERY = [rates, digits, variants]


def lines(picture: plotting.Picture, role: str) -> list[np.ndarray]:
    """Return the points of every line of one color, in data units."""
    return [
        np.asarray(line.get_xydata(), dtype=np.float64)
        for each in picture._figures
        for axes in each.axes
        for line in axes.lines
        if line.get_color() == LIGHT[role]  # type: ignore[index]
    ]


@pytest.mark.parametrize("draw", EVERY)
def test_it_is_made_twice_alike_and_small_enough_for_a_page(draw: Any) -> None:
    shown = draw()
    assert shown.html == draw().html
    assert len(shown.html) < 40_000, len(shown.html)
    assert shown.png.startswith(b"\x89PNG")
    words = "One text of the author's own."
    assert draw(alt=words, caption="Look *here*.").alt == words


@pytest.mark.parametrize("draw", EVERY)
def test_no_label_leaves_the_drawing(draw: Any) -> None:
    for fig in draw()._figures:
        renderer = FigureCanvasAgg(fig).get_renderer()
        width = fig.get_size_inches()[0] * 72
        for axes in fig.axes:
            for text in axes.texts:
                if text.get_text():
                    box = text.get_window_extent(renderer)
                    assert box.x0 > -1 and box.x1 < width + 1, text.get_text()


def words(picture: plotting.Picture) -> str:
    return " ".join(picture.alt.split())


def test_texts_give_the_numbers() -> None:
    said = words(rates())
    assert "falls from 3.1 to 0.5; the formula goes from 1.05 at 300 to 0.48" in said
    assert "at step 900 at rate 30 and at step 800 at rate" in said
    assert said.endswith("classes that cross: 1 of 4 at 30, all at the others.")
    risen = words(rates(plateau=[0.5, 0.5, 1.0, 1.1, 3.2, 3.0]))
    assert "The level at which v stops rises from 0.5 to 3.1" in risen
    part = words(rates(crossing=[[None, 5.0]] * 6, lower=None, upper=None))
    assert part.endswith("2 of 4 at 30, 2 of 4 at 300, 2 of 4 at 3 000.")
    bare = rates(formula=[None] * 6, crossing=[[5.0]] * 6, lower=None, upper=None).alt
    assert "formula" not in bare and "classes" not in bare
    assert "Warm: ε = 0.1 from 5 % at 0 to 60 % at 0.2" in words(digits())
    assert "q = 3: 90 %, error 10 % to 20" in words(variants())


def test_every_run_is_a_dot() -> None:
    # 9 of the 12 classes have a time; a class that never crosses has no dot.
    assert [len(points) for points in lines(rates(), "c1")] == [3, 6, 9, 3]


def test_a_plateau_is_predicted_only_where_there_is_one() -> None:
    formula, low, high = lines(rates(), "c2")
    np.testing.assert_array_equal(formula, [[300, 1.05], [3000, 0.48]])
    np.testing.assert_array_equal(low, [[300, 400], [3000, 400]])
    np.testing.assert_array_equal(high, [[300, 1450], [3000, 1450]])


def test_a_curve_runs_through_its_budgets_in_order() -> None:
    for points in lines(digits(), "c1"):
        np.testing.assert_allclose(points, [[0.0, 0.05], [0.1, 0.3], [0.2, 0.6]], atol=0.005)


@pytest.mark.parametrize(
    ("draw", "changed", "said"),
    [
        (rates, {"rate": [0.0, *RATES[1:]]}, "rate must be > 0"),
        (rates, {"plateau": [0.0] * 6}, "plateau must be > 0"),
        (rates, {"formula": [1.0]}, "formula must have shape"),
        (rates, {"formula": [0.0] * 6}, "formula must be > 0"),
        (rates, {"lower": [[0.0] * 2] * 6}, "lower must have a mean > 0"),
        (rates, {"crossing": [1.0] * 6}, "crossing must have shape"),
        (rates, {"crossing": [[None]] * 6, "lower": None, "upper": None}, "at least one time"),
        (rates, {"crossing": [[-1.0, 1.0]] * 6}, "crossing must be >= 0"),
        (rates, {"lower": None}, "both or not at all"),
        (digits, {"panels": {}}, "one to 4 panels"),
        (digits, {"panels": {"a": {}}}, "1 to 5 labels"),
        (digits, {"panels": {"a": {"b": [(0.0, 0.5, 0.4, 0.6)]}}}, "two different budgets"),
        (digits, {"panels": {"a": {"b": [(0, 0.5, 0.6, 0.6), (1, 0, 0, 0)]}}}, "within their"),
        (variants, {"rows": {}}, "1 to 20 rows"),
        (variants, {"rows": {"a": ROW[:2]}}, "three means"),
        (variants, {"rows": {"a": (ROW[0], ROW[2], ROW[1])}}, "certified must not be below"),
        (variants, {"rows": {"a": ((0.9, 0.95, 1.0), *ROW[1:])}}, "within its interval"),
    ],
)
def test_nonsense_is_refused_by_name(draw: Any, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        draw(**changed)
