"""The two drawings of a query agree with the index, and the survivors are told from end to end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.chapters.half_space_reporting import figures
from sublinear_lib.halfspace import HalfspaceIndex
from sublinear_lib.plotting import Picture
from tests.plotting.shown import alt, lines

CLOUD = np.random.default_rng(0).standard_normal((12, 2))
CURVES = {"10 % active": [0.2, 0.6, 1.0], "1 % active": [0.02, 0.2, 0.99]}


def duality(**changes: Any) -> Picture:
    given = {"points": CLOUD, "normal": [0.6, 0.8], "offset": 0.3, "name": "d"}
    return figures.duality_picture(**{**given, **changes})


def surviving(**changes: Any) -> Picture:
    samples = {"1 % active": [[8, 0.21, 0.19, 0.23]]}
    given = {"dimensions": [2, 8, 64], "curves": CURVES, "samples": samples, "name": "v"}
    return figures.surviving_share(**{**given, **changes})


MADE = [duality, surviving]


@settings(deadline=None, max_examples=30)
@given(st.floats(-3, 3), st.floats(0.25, 3), st.floats(-2, 2))
def test_lines_above_the_point_are_the_points_beyond_the_line(
    first: float, second: float, offset: float
) -> None:
    expected = int(HalfspaceIndex(CLOUD).count_halfspace([[first, second]], offset)[0])
    picture = duality(normal=[first, second], offset=offset)
    assert f"half-plane with the {expected} that fire" in picture.alt
    heights = CLOUD[:, 0] * (first / second) + CLOUD[:, 1]
    if np.abs(heights - offset / second).min() > 1e-9:  # else rounding decides on each side
        assert int((heights > offset / second).sum()) == expected


def test_the_dual_lines_that_fire_are_drawn_in_the_first_color() -> None:
    fired = int(HalfspaceIndex(CLOUD).count_halfspace([[0.6, 0.8]], 0.3)[0])
    slopes = [np.diff(points[:, 1])[0] for points in lines(duality(), "c1") if len(points) == 2]
    crossing = [slope for slope in slopes if np.isclose(slope, 2 * CLOUD[:, 0]).any()]
    assert len(crossing) == fired
    with pytest.raises(ValueError, match="positive second coordinate"):
        duality(normal=[1.0, 0.0])


def test_the_text_of_the_survivors_gives_both_ends_and_the_trend_if_there_is_one() -> None:
    said = alt(surviving())
    assert "1 % active: 2 % at d = 2, 99 % at d = 64" in said and "rise" in said
    for values in ([0.5, 0.4, 0.6], [0.5, 0.5, 0.5]):
        assert "rise" not in surviving(curves={"a": values}, samples=None).alt
    with pytest.raises(ValueError, match="samples must have labels of curves"):
        surviving(samples={"b": [[2, 0.1, 0.0, 0.2]]})
