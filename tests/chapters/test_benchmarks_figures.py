"""The pictures of the page of measurements tell the numbers that they are given."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from sublinear_lib.chapters.benchmarks import figures
from sublinear_lib.plotting import Picture
from tests.plotting.shown import alt, lines, texts

RUNS = ["aaaa", "bbbb", "cccc"]
CURVES = {"torch": [math.nan, 20.0, 40.0], "dense": [2.0, math.nan, 3.0]}
MISSES = {"digits": [(0.5, 0.6), (0.0, 0.0)], "points": [(0.1, 0.3)]}
SPEED = {"1 % active": [40, 6, 2.5], "50 % active": [3, 1.2, 0.9]}
METHODS = {"exact": [[7, 1.0]], "SimHash": [[700, 0.96], [600, 0.9]], "HNSW": [[47, 0.5]]}


def ratios(**changes: Any) -> Picture:
    given = {"runs": RUNS, "curves": CURVES, "noise": 1.3, "name": "h"}
    return figures.ratio_history(**{**given, **changes})


def misses(**changes: Any) -> Picture:
    return figures.error_against_misses(**{"curves": MISSES, "name": "e", **changes})


def speedup(**changes: Any) -> Picture:
    given = {"dimensions": [2, 8, 32], "curves": SPEED, "baseline": "tuned dense", "name": "u"}
    return figures.speedup_by_dimension(**{**given, **changes})


def recall(**changes: Any) -> Picture:
    panels = {"*d* = 8": METHODS, "*d* = 32": METHODS}
    return figures.recall_against_time(**{"panels": panels, "name": "r", **changes})


MADE = [ratios, misses, speedup, recall]


def test_a_history_skips_runs_that_did_not_measure() -> None:
    assert "torch: 20 at bbbb, 40 at cccc; dense: 2 at aaaa, 3 at cccc." in ratios().alt
    assert "a factor of 1.3" in ratios().alt
    for drawn, given in zip(lines(ratios(), marker="o"), CURVES.values(), strict=True):
        np.testing.assert_array_equal(drawn[:, 1], given)
    for wrong in ([1.0, 0.0, 1.0], [1.0, math.inf, 1.0]):
        with pytest.raises(ValueError, match="ratios must be > 0"):
            ratios(curves={"x": wrong})


def test_the_bars_reach_as_far_as_noise_does() -> None:
    (axes,) = ratios()._figures[0].axes
    bars = [path.vertices[:, 1] for each in axes.collections for path in each.get_paths()]
    ends = sorted((float(bar.min()), float(bar.max())) for bar in bars)
    np.testing.assert_allclose(ends, [(v / 1.3, v * 1.3) for v in (2.0, 3.0, 20.0, 40.0)])


def test_the_errors_are_told_from_few_to_many_misses() -> None:
    assert "digits: 0 % where 0 % are missed, 60 % where 50 % are missed" in alt(misses())
    assert alt(misses()).index("digits") < alt(misses()).index("points")


def test_the_speedup_names_its_baseline_and_both_ends() -> None:
    assert "times as fast as tuned dense" in speedup().alt
    assert "1 % active: 40 at d = 2, 2.5 at d = 32" in alt(speedup())
    assert {"tuned dense", "times as fast as tuned dense"} <= set(texts(speedup()))


def test_recall_is_told_in_the_order_of_time_for_every_panel() -> None:
    said = alt(recall())
    assert "d = 8, SimHash: 90 % in 600 microseconds, 96 % in 700 microseconds" in said
    assert "d = 32, exact: 100 % in 7 microseconds" in said


def test_a_label_changes_sides_where_another_curve_would_cross_it() -> None:
    def left_of_its_curve(steep: list[list[float]]) -> bool:
        methods = {"exact": [[10, 1.0]], "steep": steep, "HNSW": [[280, 0.45], [880, 0.55]]}
        html = recall(panels={"one": methods}).html
        (label,) = re.findall(r"<text[^>]*>(?=HNSW)", html)
        return "text-anchor:end" in label

    assert left_of_its_curve([[20, 0.2], [40, 0.9], [5000, 1.0]])
    assert not left_of_its_curve([[40, 0.25], [200, 0.9], [5000, 1.0]])
    assert left_of_its_curve([[100, 0.45], [5000, 0.55]]), "neither side is free"
