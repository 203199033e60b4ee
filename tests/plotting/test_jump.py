"""The picture of a way through the ball shows the given numbers and refuses nonsense."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sublinear_lib import plotting

WAY = np.linspace(0.0, 1.0, 101)
STAIRS = {"*f*, jump": np.floor(10 * WAY) / 4, "*f*, continuous": 1.1 * WAY}


def way(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "way": WAY,
        "curves": STAIRS,
        "straight": ("*g*", WAY),
        "name": "w",
        **changes,
    }
    return plotting.way_picture(**arguments)


def test_it_is_made_twice_alike_and_small_enough_for_a_page() -> None:
    shown = way()
    assert shown.html == way().html
    assert len(shown.html) < 60_000, len(shown.html)
    assert shown.png.startswith(b"\x89PNG")
    words = "One text of the author's own."
    assert way(alt=words, caption="Look *here*.").alt == words


def test_the_text_of_a_way_gives_ends_and_the_largest_step() -> None:
    alt = way().alt
    assert "The dashed line of g reaches 1." in alt
    assert "f, jump reaches 2.5, its largest single step is 0.25" in alt
    assert "f, continuous reaches 1.1, its largest single step is 0.011" in alt


@pytest.mark.parametrize(
    "changes",
    [
        {"way": WAY[::-1]},
        {"way": WAY + 1},
        {"curves": {}},
        {"curves": {str(k): WAY for k in range(4)}},
        {"curves": {"short": WAY[:-1]}},
        {"straight": ("*g*", WAY[:-1])},
    ],
)
def test_the_way_refuses_what_it_cannot_draw(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"way|curves|straight"):
        way(**changes)
