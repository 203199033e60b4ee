"""The pictures of Proposition 2: they show the given numbers, on one scale, and refuse nonsense."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from sublinear_lib import plotting

T = np.linspace(0.0, 3.0, 31)
SHARES = np.linspace(0.5, 0.01, 31)
PANELS = {
    "jump": {"wide": 1.0 + T, "thin": 0.5 + T},
    "continuous": {"wide": 1.0 + 0 * T, "thin": 0.1 + 0 * T},
}
WAY = np.linspace(0.0, 1.0, 101)
STAIRS = {"*f*, jump": np.floor(10 * WAY) / 4, "*f*, continuous": 1.1 * WAY}


def price(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "levels": T,
        "shares": SHARES,
        "panels": PANELS,
        "limits": {"jump": ("limit", T)},
        "samples": {"jump": {"thin": [(1.0, 1.5, 1.4, 1.6)]}},
        "name": "p",
        **changes,
    }
    return plotting.price_picture(**arguments)


def way(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "way": WAY,
        "curves": STAIRS,
        "straight": ("*g*", WAY),
        "name": "w",
        **changes,
    }
    return plotting.way_picture(**arguments)


@pytest.mark.parametrize("draw", [price, way])
def test_it_is_made_twice_alike_and_small_enough_for_a_page(draw: Any) -> None:
    shown = draw()
    assert shown.html == draw().html
    assert len(shown.html) < 60_000, len(shown.html)
    assert shown.png.startswith(b"\x89PNG")
    words = "One text of the author's own."
    assert draw(alt=words, caption="Look *here*.").alt == words


def test_the_text_gives_both_ends_of_every_curve_and_the_shares() -> None:
    alt = price().alt
    assert "jump: wide 1 to 4, thin 0.5 to 3.5, the dashed limit of small radii 0 to 3" in alt
    assert "continuous: wide 1 to 1, thin 0.1 to 0.1." in alt
    assert re.search(r"where 50\s% to 1\s% of the neurons are active", alt)


def test_both_panels_have_one_scale() -> None:
    # The ticks of the two panels are the same texts at the same heights.
    ticks = re.findall(r'y="([\d.]+)"[^>]*>(0\.1|1|10)<', price().html)
    heights = [float(y) for y, text in ticks if text == "0.1"]
    assert not heights or max(heights) - min(heights) < 1e-6
    words = re.findall(r">(0\.1)<", price().html)
    assert len(words) == 2


def test_the_text_of_a_way_gives_ends_and_the_largest_step() -> None:
    alt = way().alt
    assert "The dashed line of g reaches 1." in alt
    assert "f, jump reaches 2.5, its largest single step is 0.25" in alt
    assert "f, continuous reaches 1.1, its largest single step is 0.011" in alt


@pytest.mark.parametrize(
    "changes",
    [
        {"levels": T[::-1]},
        {"levels": T - 1},
        {"shares": SHARES[:-1]},
        {"shares": SHARES * 3},
        {"panels": {}},
        {"panels": {"jump": {}}},
        {"panels": {"jump": {"thin": T}}},
        {"panels": {str(k): PANELS["jump"] for k in range(3)}},
        {"panels": {"jump": {str(k): 1 + T for k in range(5)}}},
        {"limits": {"other": ("limit", T)}},
        {"limits": {"jump": ("limit", -T)}},
        {"limits": {"jump": ("limit", T[::-1])}},
        {"samples": {"jump": {"other": [(1.0, 1.5, 1.4, 1.6)]}}},
        {"samples": {"other": {"thin": [(1.0, 1.5, 1.4, 1.6)]}}},
        {"samples": {"jump": {"thin": [(1.0, 1.5)]}}},
    ],
)
def test_the_price_refuses_what_it_cannot_draw(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"levels|shares|panels|limits|samples"):
        price(**changes)


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
