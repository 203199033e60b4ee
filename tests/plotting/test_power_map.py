"""The picture of the map of powers: one scale, all choices told, nonsense refused."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sublinear_lib import plotting

TRIANGLE = [(0.0, 0.9), (0.0, 1.0), (0.5, 0.5)]


def picture(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "slices": {"one": TRIANGLE, "two": TRIANGLE},
        "choices": {"one": {"as printed": (0.2, 0.6), "R2": (0.4, 0.6)}, "two": {}},
        "name": "map",
        **changes,
    }
    return plotting.power_map_picture(**arguments)


def test_it_names_every_choice_and_is_made_twice_alike() -> None:
    shown = picture(caption="Where they lie.")
    assert shown.html == picture(caption="Where they lie.").html
    assert "as printed at 0.2, 0.6; R2 at 0.4, 0.6" in shown.alt
    assert len(re.findall(r">0\.8<", shown.html)) == 2  # one scale


@pytest.mark.parametrize(
    "changes", [{"slices": {}}, {"choices": {}}, {"slices": {"one": TRIANGLE[:2], "two": TRIANGLE}}]
)
def test_it_refuses_what_it_cannot_draw(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="slices must hold"):
        picture(**changes)
