"""The pictures of patches: they show the numbers they are given, and refuse nonsense."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from sublinear_lib import plotting
from sublinear_lib.plotting import AnswerBars, HeatPanel, HeatRows

ROWS = [HeatRows(["*u*_{1}"], "c1"), HeatRows(["*v*_{1}", ""], "c2")]
X = np.array([[3.0, 0.0, 0.02], [0.0, 1.0, 0.0], [0.0, 1.0, -0.5]])
Z = np.linspace(-1.0, 2.0, 7)
RAMP = {"ReLU": np.maximum(Z, 0)}


def heat(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "panels": [HeatPanel("clean", X), HeatPanel("change", -X)],
        "rows": ROWS,
        "floor": 0.1,
        "name": "h",
        **changes,
    }
    return plotting.patch_picture(**arguments)


def density(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "features": {"*u*": (3.0, 1.0), "*v*": (1.0, 60.0)},
        "exponents": [0, 1, 3, 4],
        "shaded": 3,
        "budget": 1.05,
        "name": "d",
        **changes,
    }
    return plotting.density_picture(**arguments)


def rectifiers(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "z": Z,
        "values": RAMP,
        "slopes": {"ReLU": (Z > 0) * 1.0},
        "joint": 1.0,
        "name": "r",
        **changes,
    }
    return plotting.rectifier_picture(**arguments)


def logits(**changes: object) -> plotting.Picture:
    panels = [AnswerBars("of *v*", {"clean": [1.0, 0.0], "attacked": [0.0, 1.5]})]
    arguments: dict[str, Any] = {"panels": panels, "classes": ["one", "two"], "name": "l"}
    return plotting.logits_picture(**{**arguments, **changes})


def fooled(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "budgets": [0.0, 0.5, 1.0],
        "shares": {"*v*": [[0.0, 0.0, 0.1], [0.2, 0.5, 0.8], [0.9, 1.0, 1.0]], "*u*": [0, 0, 0.25]},
        "marks": {"*β*": 0.95},
        "name": "f",
        **changes,
    }
    return plotting.fooled_picture(**arguments)


@pytest.mark.parametrize("draw", [heat, density, rectifiers, logits, fooled])
def test_it_is_made_twice_alike_and_small_enough_for_a_page(draw: Any) -> None:
    shown = draw()
    assert shown.html == draw().html
    assert len(shown.html) < 40_000, len(shown.html)
    assert shown.png.startswith(b"\x89PNG")
    words = "One text of the author's own."
    assert draw(alt=words, caption="Look *here*.").alt == words


def test_texts_give_the_numbers() -> None:
    said = heat().alt
    assert (
        "clean: u₁ in 1 cell, on average 3; v₁ in 2 cells, on average 1; coordinate 3 in 1" in said
    )
    assert "change: u₁ in 1 cell, on average \N{MINUS SIGN}3" in said
    said = density().alt
    assert "q = 3: 60 against 27" in said and "q = 0: 60 against 1" in said
    assert "The budget is 1.05" in said and "budget" not in density(budget=None).alt
    assert "ReLU: value up to 2, slope from 0 to 1" in rectifiers().alt
    assert "of v, attacked: one 0, two 1.5" in logits().alt
    said = fooled().alt
    assert "v: from 0 at 0 to 1 at 1; reaches 1 at 1" in said
    assert "u: from 0 at 0 to 0.25 at 1; never reaches 1" in said and "β: 0.95" in said


def test_bars_and_slopes_may_all_be_negative_or_zero() -> None:
    (axes,) = logits(panels=[AnswerBars("a", {"x": [-1.0, -2.0]})])._figures[0].axes
    assert axes.get_ylim() == pytest.approx((-2.36, 0.0))
    assert "value up to 0" in rectifiers(values={"zero": 0 * Z}, slopes={"zero": 0 * Z}).alt


def test_a_budget_that_is_marked_lies_on_the_axis() -> None:
    (axes,) = fooled(marks={"small": 0.1}, budgets=[0.5, 0.75, 1.0])._figures[0].axes
    assert axes.get_xlim() == (0.1, 1.0)
    assert fooled(alt="v is fooled first of all.").alt == "v is fooled first of all."


def test_cells_below_the_floor_are_left_blank_and_an_empty_input_is_drawn() -> None:
    assert len(heat(floor=0.6).html) < len(heat(floor=0.1).html) < len(heat(floor=0.0).html)
    assert "nothing visible" in heat(panels=[HeatPanel("none", np.zeros((2, 3)))]).alt


def test_every_panel_has_the_same_shades() -> None:
    strong = HeatPanel("strong", np.full((3, 3), 4.0))
    weak = HeatPanel("weak", np.full((3, 3), 1.0))
    shades = [
        set(re.findall(r"opacity:([0-9.]+)", heat(panels=panels, floor=0.0).html))
        for panels in ([weak], [strong], [weak, strong])
    ]
    assert shades[0] == shades[1] and len(shades[2]) == len(shades[0]) + 1


@pytest.mark.parametrize(
    ("draw", "changed", "said"),
    [
        (heat, {"panels": []}, "one to 4"),
        (heat, {"panels": [HeatPanel("a", X), HeatPanel("b", X[:2])]}, r"panels\[1\].X"),
        (heat, {"rows": ROWS[:1]}, r"panels\[0\].X"),
        (heat, {"rows": [HeatRows(["a", "b", "c"], "red")]}, "role"),  # type: ignore[arg-type]
        (heat, {"floor": -1.0}, "floor"),
        (heat, {"rows": [HeatRows(["a", "b", "c"], "c4")]}, "role"),
        (density, {"features": {"*u*": (3.0, 1.0)}}, "two to 5"),
        (density, {"features": {"a": (0.0, 1.0), "b": (1.0, 1.0)}}, "'a'"),
        (density, {"exponents": []}, "one to 5"),
        (density, {"exponents": [1, -1]}, r"exponents\[1\]"),
        (density, {"shaded": 2.5}, "shaded"),
        (density, {"budget": 0.0}, "budget"),
        (rectifiers, {"z": Z[::-1]}, "ascending"),
        (rectifiers, {"slopes": {"other": Z}}, "same one to 4 labels"),
        (rectifiers, {"values": {"ReLU": Z[:3]}}, "values"),
        (logits, {"panels": []}, "one to 4"),
        (logits, {"classes": ["one"]}, "two to 5"),
        (logits, {"classes": ["one", "two", "three"]}, "logits"),
        (logits, {"panels": [AnswerBars("a", {})]}, "one to four situations"),
        (
            logits,
            {"panels": [AnswerBars("a", {"x": [1, 2]}), AnswerBars("b", {"y": [1, 2]})]},
            "situations",
        ),
        (fooled, {"budgets": [1.0, 0.0, 2.0]}, "ascending"),
        (fooled, {"shares": {}}, "one to 5"),
        (fooled, {"shares": {"a": [0.0, 1.0]}}, "shape"),
        (fooled, {"shares": {"a": [0.0, 0.5, 1.1]}}, r"\[0, 1\]"),
        (fooled, {"shares": {"a": [[0.5, 0.4, 0.6]] * 3}}, "lower end"),
        (fooled, {"marks": {"x": -1.0}}, "marks"),
    ],
)
def test_nonsense_is_refused_by_name(draw: Any, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        draw(**changed)
