"""The pictures of the page of measurements tell the numbers that they are given."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from sublinear_lib import plotting

RUNS = ["aaaa", "bbbb", "cccc"]
CURVES = {"torch": [math.nan, 20.0, 40.0], "dense": [2.0, math.nan, 3.0]}
MISSES = {"digits": [(0.5, 0.6), (0.0, 0.0)], "points": [(0.1, 0.3)]}


def ratios(**changes: Any) -> plotting.Picture:
    return plotting.ratio_history(
        **{"runs": RUNS, "curves": CURVES, "noise": 1.3, "name": "h", **changes}
    )


def misses(**changes: Any) -> plotting.Picture:
    return plotting.error_against_misses(**{"curves": MISSES, "name": "e", **changes})


def test_the_text_of_a_history_skips_runs_that_did_not_measure() -> None:
    assert "torch: 20 at bbbb, 40 at cccc; dense: 2 at aaaa, 3 at cccc." in ratios().alt
    assert "a factor of 1.3" in ratios().alt


def test_the_bars_reach_as_far_as_noise_does() -> None:
    (axes,) = ratios()._figures[0].axes
    bars = [path.vertices[:, 1] for each in axes.collections for path in each.get_paths()]
    ends = sorted((round(float(bar.min()), 6), round(float(bar.max()), 6)) for bar in bars)
    values = [2.0, 3.0, 20.0, 40.0]
    assert ends == [(round(v / 1.3, 6), round(v * 1.3, 6)) for v in values]


def test_a_run_that_did_not_measure_leaves_a_gap_in_the_line() -> None:
    (axes,) = ratios()._figures[0].axes
    lines = [line.get_ydata() for line in axes.lines if line.get_marker() == "o"]
    for drawn, given in zip(lines, CURVES.values(), strict=True):
        np.testing.assert_array_equal(drawn, given)


def test_the_errors_are_told_from_few_to_many_misses() -> None:
    text = re.sub(r"\s", " ", misses().alt)
    assert "digits: 0 % where 0 % are missed, 60 % where 50 % are missed" in text
    assert text.index("digits") < text.index("points")


@pytest.mark.parametrize("make", [ratios, misses])
def test_an_author_may_write_the_text(make: Any) -> None:
    assert make(alt="What the author says of it.", caption="C").alt == "What the author says of it."


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"runs": ["a"], "curves": {"x": [1.0]}}, "runs must be at least two"),
        ({"curves": {}}, "curves must hold 1 to"),
        ({"curves": {"x": [1.0, 2.0]}}, "must hold 3 values"),
        ({"curves": {"x": [math.nan] * 3}}, "must hold 3 values"),
        ({"curves": {"x": [1.0, 0.0, 1.0]}}, "values > 0"),
        ({"curves": {"x": [1.0, math.inf, 1.0]}}, "values > 0"),
        ({"noise": 0.9}, "noise must"),
    ],
)
def test_a_history_that_cannot_be_drawn_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ratios(**changes)


@pytest.mark.parametrize(
    ("curves", "message"),
    [
        ({}, "curves must hold 1 to"),
        ({"x": [(1.1, 0.0)]}, "shares in"),
        ({"x": [(0.1, -1.0)]}, "errors >= 0"),
        ({"x": [0.1, 0.2]}, "curves"),
    ],
)
def test_errors_that_cannot_be_drawn_are_refused(curves: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        misses(curves=curves)
