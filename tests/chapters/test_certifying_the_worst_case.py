"""Brackets say both ends, and have to hold the worst case."""

from functools import partial

import pytest

from sublinear_lib.chapters.certifying_the_worst_case import figures
from tests.plotting.shown import lines, tells

BRACKETS = {
    "*d* = 3": {"interval": (0.0, 7.5), "linear": (0.0, 3.0), "split": (0.99, 1.004)},
    "*d* = 4": {"interval": (-0.1, 2.5)},
}
brackets = partial(figures.brackets_picture, panels=BRACKETS, name="b")


def test_the_brackets_say_both_ends_of_each_and_reach_from_one_to_the_other():
    first = "d = 3: interval from 0 to 7.5; linear from 0 to 3; split from 0.99 to 1"
    tells(brackets(), first, "d = 4: interval from -0.1 to 2.5")
    wanted = [[*pair] for methods in BRACKETS.values() for pair in methods.values()]
    assert [points[:, 0].tolist() for points in lines(brackets(), "c1")] == wanted
    for pair in ((1.2, 1.5), (0.2, 0.5)):
        with pytest.raises(ValueError, match="must hold 1, the supremum"):
            brackets(panels={"a": {"b": pair}})
