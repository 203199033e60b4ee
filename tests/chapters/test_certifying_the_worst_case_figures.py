"""Brackets say both ends, and have to hold the worst case."""

from __future__ import annotations

from typing import Any

import pytest

from sublinear_lib.chapters.certifying_the_worst_case import figures
from sublinear_lib.plotting import Picture
from tests.plotting.shown import alt, lines

BRACKETS = {
    "*d* = 3": {"interval": (0.0, 7.5), "linear": (0.0, 3.0), "split": (0.99, 1.004)},
    "*d* = 4": {"interval": (-0.1, 2.5)},
}


def brackets(**changes: Any) -> Picture:
    return figures.brackets_picture(**{"panels": BRACKETS, "name": "b", **changes})


MADE = [brackets]


def test_the_brackets_say_both_ends_of_each_and_reach_from_one_to_the_other() -> None:
    said = alt(brackets())
    assert "d = 3: interval from 0 to 7.5; linear from 0 to 3; split from 0.99 to 1" in said
    assert "d = 4: interval from -0.1 to 2.5" in said
    wanted = [[*pair] for methods in BRACKETS.values() for pair in methods.values()]
    assert [points[:, 0].tolist() for points in lines(brackets(), "c1")] == wanted


@pytest.mark.parametrize("pair", [(1.2, 1.5), (0.2, 0.5)])
def test_a_bracket_without_the_worst_case_is_not_drawn(pair: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="must hold 1, the supremum"):
        brackets(panels={"a": {"b": pair}})
