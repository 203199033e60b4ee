"""The figures of the toolbox show the numbers given, and refuse what they cannot draw."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sublinear_lib import plotting

TAIL = plotting.CountTail(
    [10, 20, 30],
    [0.5, 1e-2, 1e-5],
    {"Chernoff": [0.9, 0.05, 1e-4], "Bernstein": [0.8, 0.03, 5e-5]},
    [[10, 0.48, 0.4, 0.56]],
)
CROSSING = plotting.Crossing(
    [0.0, 1.0, 2.0], "*u*", ("curve", [3.0, 2.0, 1.0]), {"line": [1.5, 1.5, 1.5]}, 1.5
)


def tails(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {"panels": {"thin": TAIL}, "name": "t", **changes}
    return plotting.tail_panels(**arguments)


def crossings(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {"panels": [CROSSING], "name": "c", **changes}
    return plotting.crossing_panels(**arguments)


def texts(picture: plotting.Picture) -> str:
    found = re.findall(r"<text[^>]*>(.*?)</text>", picture.html)
    return " | ".join(re.sub("<[^>]+>", "", text) for text in found)


@pytest.mark.parametrize("make", [tails, crossings], ids=lambda make: make.__name__)
def test_every_figure_is_made_twice_alike_and_small_enough_for_a_page(
    make: Callable[[], plotting.Picture],
) -> None:
    assert make().html == make().html
    assert len(make().html) < 60_000


def test_tails_are_drawn_as_given_with_their_labels_and_numbers() -> None:
    picture = tails()
    [axes] = picture._figures[0].axes
    curves = {tuple(np.asarray(line.get_ydata()).tolist()) for line in axes.get_lines()}
    for values in (TAIL.exact, *TAIL.bounds.values()):
        assert tuple(values) in curves
    assert (0.48,) in curves
    shown = texts(picture)
    assert "exact law" in shown and "Chernoff" in shown and "Bernstein" in shown
    assert "at 30 neurons the exact probability is 1·10⁻⁵" in picture.alt
    assert "Bernstein 5·10⁻⁵" in picture.alt


def test_a_crossing_is_marked_with_its_place() -> None:
    picture = crossings()
    [axes] = picture._figures[0].axes
    dots = [line for line in axes.get_lines() if line.get_marker() == "o"]
    assert [*np.ravel(dots[0].get_xydata())] == [1.5, 1.5]
    assert "1.5" in texts(picture)
    assert "crosses a dashed line at 1.5" in picture.alt


def test_a_bound_that_the_law_exceeds_is_not_said_to_lie_above_it() -> None:
    assert "dashed curves above the exact one" in tails().alt
    broken = plotting.CountTail([1, 2], [0.5, 0.1], {"wrong": [0.4, 0.2]})
    assert "dashed curves beside the exact one" in tails(panels={"a": broken}).alt


def test_a_curve_that_rises_to_its_crossing_is_said_to_rise() -> None:
    rising = plotting.Crossing([0, 1], "*u*", ("c", [1, 2]), {"l": [1.5, 1.5]}, 0.5)
    assert "c rises from 1 to 2" in crossings(panels=[rising]).alt
    assert "curve falls from 3 to 1" in crossings().alt
    level = plotting.Crossing([0, 1], "*u*", ("c", [1, 1]), {"l": [1, 1]}, 0.5)
    assert "c goes from 1 to 1" in crossings(panels=[level]).alt


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: tails(panels={}), "panels"),
        (lambda: tails(panels={"a": plotting.CountTail([1, 1], [1, 1], {"b": [1, 1]})}), "counts"),
        (lambda: tails(panels={"a": plotting.CountTail([1, 2], [1, 0], {"b": [1, 1]})}), "exact"),
        (lambda: tails(panels={"a": plotting.CountTail([1, 2], [1, 1], {})}), "bounds"),
        (lambda: tails(panels={"a": plotting.CountTail([1, 2], [1, 1], {"b": [1]})}), "bounds"),
        (
            lambda: tails(
                panels={"a": plotting.CountTail([1, 2], [1, 1], {"b": [1, 1]}, [[1, 1, 0, 1]])}
            ),
            "sample",
        ),
        (lambda: crossings(panels=[]), "panels"),
        (
            lambda: crossings(
                panels=[plotting.Crossing([0, 1], "u", ("c", [1, 2]), {"l": [1, 1]}, 2.0)]
            ),
            "at",
        ),
        (
            lambda: crossings(panels=[plotting.Crossing([0, 1], "u", ("c", [1, 2]), {}, 0.5)]),
            "lines",
        ),
    ],
)
def test_what_cannot_be_drawn_is_named(make: Callable[[], plotting.Picture], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        make()
