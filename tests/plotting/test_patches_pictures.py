"""The pictures of patches: they show the numbers they are given, and refuse nonsense."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from sublinear_lib import plotting
from sublinear_lib.plotting import HeatPanel, HeatRows

ROWS = [HeatRows(["*u*_{1}"], "c1"), HeatRows(["*v*_{1}", ""], "c2")]
X = np.array([[3.0, 0.0, 0.02], [0.0, 1.0, 0.0], [0.0, 1.0, -0.5]])


def heat(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "panels": [HeatPanel("clean", X), HeatPanel("change", -X)],
        "rows": ROWS,
        "floor": 0.1,
        "name": "h",
        **changes,
    }
    return plotting.patch_picture(**arguments)


def test_it_is_made_twice_alike_and_small_enough_for_a_page() -> None:
    shown = heat()
    assert shown.html == heat().html
    assert len(shown.html) < 40_000, len(shown.html)
    assert shown.png.startswith(b"\x89PNG")
    words = "One text of the author's own."
    assert heat(alt=words, caption="Look *here*.").alt == words


def test_texts_give_the_numbers() -> None:
    said = heat().alt
    assert (
        "clean: u₁ in 1 cell, on average 3; v₁ in 2 cells, on average 1; coordinate 3 in 1" in said
    )
    assert "change: u₁ in 1 cell, on average \N{MINUS SIGN}3" in said


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
    ],
)
def test_nonsense_is_refused_by_name(draw: Any, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        draw(**changed)
