"""The pictures of the page of measurements tell the numbers that they are given."""

from __future__ import annotations

import re
from typing import Any

from sublinear_lib.chapters.benchmarks import figures
from sublinear_lib.plotting import Picture
from tests.plotting.shown import alt, texts

MISSES = {"digits": [(0.5, 0.6), (0.0, 0.0)], "points": [(0.1, 0.3)]}
SPEED = {"1 % active": [40, 6, 2.5], "50 % active": [3, 1.2, 0.9]}
METHODS = {"exact": [[7, 1.0]], "SimHash": [[700, 0.96], [600, 0.9]], "HNSW": [[47, 0.5]]}


def misses(**changes: Any) -> Picture:
    return figures.error_against_misses(**{"curves": MISSES, "name": "e", **changes})


def speedup(**changes: Any) -> Picture:
    given = {"dimensions": [2, 8, 32], "curves": SPEED, "baseline": "tuned dense", "name": "u"}
    return figures.speedup_by_dimension(**{**given, **changes})


def recall(**changes: Any) -> Picture:
    panels = {"*d* = 8": METHODS, "*d* = 32": METHODS}
    return figures.recall_against_time(**{"panels": panels, "name": "r", **changes})


MADE = [misses, speedup, recall]


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
