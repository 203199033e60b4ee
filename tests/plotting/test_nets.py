"""The picture of a net: it shows the given numbers, says them, and refuses a roof that leaks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sublinear_lib import geometry, plotting, theory

PHI = np.linspace(-180.0, 180.0, 721)


def points(degrees: np.ndarray) -> np.ndarray:
    turn = np.radians(degrees)
    return geometry.embed(np.column_stack((np.cos(turn), np.sin(turn))))


def picture(**changes: object) -> plotting.Picture:
    truth = 2.0 + np.cos(np.radians(PHI))
    nets, ceilings = {}, {}
    for title, k in (("coarse", 12), ("fine", 60)):
        at = np.arange(k) * 360.0 / k - 180.0
        values = 2.0 + np.cos(np.radians(at))
        nets[title] = (at, values)
        ceilings[title] = theory.net_ceiling(points(PHI), points(at), values, 2.0)
    arguments: dict[str, Any] = {
        "angles": PHI,
        "truth": truth,
        "nets": nets,
        "ceilings": ceilings,
        "ylabel": "height",
        "name": "n",
        **changes,
    }
    return plotting.net_picture(**arguments)


def test_it_is_made_twice_alike_and_small_enough_for_a_page() -> None:
    assert picture().html == picture().html
    assert len(picture().html) < 90_000
    assert picture().png.startswith(b"\x89PNG")


def test_the_text_gives_the_function_and_what_each_net_promises() -> None:
    alt = picture().alt
    assert "between 1 and 3" in alt
    assert "coarse: 12 points, where it is at most 3" in alt
    assert "fine: 60 points" in alt
    assert picture(alt="Four words of mine.").alt == "Four words of mine."
    assert "true, largest 3" in picture().html


@pytest.mark.parametrize(
    "changes",
    [
        {"angles": PHI[::-1]},
        {"angles": PHI[:1], "truth": [1.0]},
        {"truth": np.full(PHI.size, -1.0)},
        {"truth": np.ones(3)},
        {"truth": np.full(PHI.size, 9.0)},
        {"nets": {}, "ceilings": {}},
        {"ceilings": {}},
        {"nets": {"a": ([0.0], [1.0, 2.0])}, "ceilings": {"a": np.full(PHI.size, 9.0)}},
    ],
)
def test_it_refuses_what_it_cannot_draw(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"angles|truth|nets|ceilings"):
        picture(**changes)
