"""The figures of half-space reporting: what they count is what the structures did."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib import plotting
from sublinear_lib.halfspace import HalfspaceIndex, PartitionTree

CLOUD = np.random.default_rng(0).standard_normal((60, 2))
NORMAL = np.array([0.6, 0.8])
LEAVES = [
    part for cut in PartitionTree(CLOUD, leaf_size=4).cuts() for part in cut.parts if len(part) <= 4
]
GROUPS = [part for part in LEAVES if len(part)]
SIZES = [2**10, 2**12, 2**14]


def duality(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "points": CLOUD[:12],
        "normal": NORMAL,
        "offset": 0.3,
        "name": "d",
        **changes,
    }
    return plotting.duality_picture(**arguments)


def surviving(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "dimensions": [2, 8, 64],
        "curves": {"10 % active": [0.2, 0.6, 1.0], "1 % active": [0.02, 0.2, 0.99]},
        "samples": {"1 % active": [[8, 0.21, 0.19, 0.23]]},
        "name": "v",
        **changes,
    }
    return plotting.surviving_share(**arguments)


def boxes(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "points": CLOUD,
        "groups": GROUPS,
        "normal": NORMAL,
        "offset": 0.9,
        "name": "b",
        **changes,
    }
    return plotting.boxes_picture(**arguments)


def work(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "widths": SIZES,
        "curves": {"*d* = 2": [[40, 80, 160], [44, 84, 164]], "*d* = 3": [[100, 400, 1600.0]]},
        "name": "w",
        **changes,
    }
    return plotting.work_against_m(**arguments)


def speedup(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "dimensions": [2, 8, 32],
        "curves": {"1 % active": [40, 6, 2.5], "50 % active": [3, 1.2, 0.9]},
        "baseline": "tuned dense",
        "name": "u",
        **changes,
    }
    return plotting.speedup_by_dimension(**arguments)


METHODS = {"exact": [[7, 1.0]], "SimHash": [[700, 0.96], [600, 0.9]], "HNSW": [[47, 0.5]]}


def recall(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "panels": {"*d* = 8": METHODS, "*d* = 32": METHODS},
        "name": "r",
        **changes,
    }
    return plotting.recall_against_time(**arguments)


ALL = [duality, surviving, boxes, work, speedup, recall]


def texts(picture: plotting.Picture) -> list[str]:
    found = re.findall(r"<text[^>]*>(.*?)</text>", picture.html)
    return [re.sub("<[^>]+>", "", text) for text in found]


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_every_figure_is_made_twice_alike_and_small_enough_for_a_page(make: Callable) -> None:
    picture = make()
    assert picture.html == make().html
    assert len(picture.html) < 60_000, len(picture.html)
    assert picture.png.startswith(b"\x89PNG")


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_every_figure_takes_a_text_and_a_caption_of_the_author(make: Callable) -> None:
    picture = make(alt="The author says it better.", caption="*m* grows")
    assert picture.alt == "The author says it better."
    assert "<figcaption><i>m</i> grows</figcaption>" in picture.html


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_no_label_leaves_the_drawing_to_the_left_or_right(make: Callable) -> None:
    for width, svg in re.findall(r'viewBox="0 0 (\d+) \d+"(.*?)</svg>', make().html, re.DOTALL):
        for style_or_not, x in re.findall(r'<text([^>]*?) x="(-?[\d.]+)"', svg):
            assert -1 <= float(x) <= float(width), style_or_not


# ---- duality -------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(st.floats(-3, 3), st.floats(0.25, 3), st.floats(-2, 2))
def test_lines_above_the_point_are_the_points_beyond_the_line(
    first: float, second: float, offset: float
) -> None:
    points = CLOUD[:12]
    expected = int(HalfspaceIndex(points).count_halfspace([[first, second]], offset)[0])
    picture = duality(normal=[first, second], offset=offset)
    assert f"half-plane with the {expected} that fire" in picture.alt
    lines = points[:, 0] * (first / second) + points[:, 1]
    margin = np.abs(lines - offset / second).min()
    if margin > 1e-9:  # where rounding cannot decide, the two sides of the duality may differ
        assert int((lines > offset / second).sum()) == expected


def test_the_dual_lines_that_fire_are_drawn_in_the_first_color() -> None:
    right = duality().html.split("</svg>")[1]
    fired = int(HalfspaceIndex(CLOUD[:12]).count_halfspace([NORMAL], 0.3)[0])
    strokes = re.findall(r"<path[^>]*stroke:var\(--sl-c1[^>]*stroke-width:1\.8", right)
    assert len(strokes) == fired


# ---- the share that survives ---------------------------------------------------------------------


def test_the_text_of_the_survivors_gives_both_ends_and_the_trend_if_there_is_one() -> None:
    alt = surviving().alt.replace("\N{NO-BREAK SPACE}", " ")
    assert "1 % active: 2 % at d = 2, 99 % at d = 64" in alt
    assert "rise" in alt
    assert "rise" not in surviving(curves={"a": [0.5, 0.4, 0.6]}, samples=None).alt
    assert "rise" not in surviving(curves={"a": [0.5, 0.5, 0.5]}, samples=None).alt


# ---- boxes ---------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(-3, 3))
def test_a_covered_box_holds_hits_only_and_a_skipped_box_none(
    first: float, second: float, offset: float
) -> None:
    normal = np.array([first, second])
    if not normal.any():
        return
    covered, crossed, skipped = map(
        int, re.findall(r"(\d+) boxes with \d+ points", boxes(normal=normal, offset=offset).alt)
    )
    assert covered + crossed + skipped == len(GROUPS)
    scores = [CLOUD[group] @ normal for group in GROUPS]
    doubtful = sum(bool((np.abs(score - offset) < 1e-9).any()) for score in scores)
    assert covered <= sum(bool((score > offset).all()) for score in scores) + doubtful
    assert skipped <= sum(bool((score <= offset).all()) for score in scores) + doubtful


def test_the_text_of_the_boxes_counts_the_points_that_are_drawn() -> None:
    assert boxes(groups=GROUPS[:2]).alt.startswith(f"{sum(map(len, GROUPS[:2]))} points in 2 boxes")


# ---- work ----------------------------------------------------------------------------------------


def test_the_work_is_the_mean_over_seeds_and_the_scan_is_the_yardstick() -> None:
    assert "d = 2: 42 at the smallest and 162 at the largest m" in work().alt
    assert "scan" in work().alt and "scan: m" in texts(work())
    assert "scan" not in work(scan=False).alt
    assert "against the number of points m from" in work().alt
    assert work(ylabel="rows of *W*").alt.startswith("Rows of W against")
    wide = work(xlabel="number of neurons *m*")
    assert "against the number of neurons m from" in wide.alt
    assert "number of neurons m" in " ".join(texts(wide))


# ---- times ---------------------------------------------------------------------------------------


def test_the_speedup_names_its_baseline_and_both_ends() -> None:
    assert "times as fast as tuned dense" in speedup().alt
    assert "1 % active: 40 at d = 2, 2.5 at d = 32" in speedup().alt.replace(
        "\N{NO-BREAK SPACE}", " "
    )
    assert {"tuned dense", "times as fast as tuned dense"} <= set(texts(speedup()))


def test_recall_is_told_in_the_order_of_time_for_every_panel() -> None:
    alt = recall().alt.replace("\N{NO-BREAK SPACE}", " ")
    assert "d = 8, SimHash: 90 % in 600 microseconds, 96 % in 700 microseconds" in alt
    assert "d = 32, exact: 100 % in 7 microseconds" in alt


def test_a_label_changes_sides_where_another_curve_would_cross_it() -> None:
    def left_of_its_curve(steep: list[list[float]]) -> bool:
        methods = {"exact": [[10, 1.0]], "steep": steep, "HNSW": [[280, 0.45], [880, 0.55]]}
        html = recall(panels={"one": methods}).html
        (label,) = re.findall(r"<text[^>]*>(?=HNSW)", html)
        return "text-anchor:end" in label

    assert left_of_its_curve([[20, 0.2], [40, 0.9], [5000, 1.0]])
    assert not left_of_its_curve([[40, 0.25], [200, 0.9], [5000, 1.0]])
    assert left_of_its_curve([[100, 0.45], [5000, 0.55]]), "neither side is free"


@pytest.mark.parametrize(
    ("make", "changes", "message"),
    [
        (duality, {"points": np.zeros((41, 2))}, "points must be at most 40"),
        (duality, {"normal": [1.0, 0.0]}, "normal must have a positive second coordinate"),
        (duality, {"normal": [0.0, 0.0]}, "normal must not be zero"),
        (duality, {"offset": float("nan")}, "offset must be a finite number"),
        (surviving, {"dimensions": [8, 2, 3]}, "dimensions must be at least two ascending"),
        (surviving, {"dimensions": [1, 2, 3]}, "dimensions must be at least two ascending"),
        (surviving, {"curves": {"a": [0.1, 0.2, 1.5]}, "samples": None}, r"must lie in \[0, 1\]"),
        (surviving, {"curves": {}}, "curves must hold 1 to 5"),
        (surviving, {"samples": {"b": [[2, 0.1, 0.0, 0.2]]}}, "samples must have labels of curves"),
        (boxes, {"groups": []}, "groups must hold at least one"),
        (boxes, {"groups": [[]]}, "groups must"),
        (work, {"widths": [4, 2, 8]}, "widths must be at least two ascending"),
        (work, {"curves": {}}, "curves must hold 1 to 5"),
        (work, {"curves": {"a": [[1, 0, 2]]}}, r"curves\['a'\] must be > 0"),
        (work, {"curves": {"a": [[1, 2]]}}, r"curves\['a'\] must have shape"),
        (speedup, {"dimensions": [8, 2, 3]}, "dimensions must be at least two ascending"),
        (speedup, {"curves": {"a": [1, 2, 0]}}, r"curves\['a'\] must be > 0"),
        (recall, {"panels": {}}, "panels must hold at least one panel"),
        (recall, {"panels": {"a": {}}}, r"panels\['a'\] must hold 1 to 5 methods"),
        (recall, {"panels": {"a": {"b": [[0, 1]]}}}, "must hold times > 0"),
        (recall, {"panels": {"a": {"b": [[1, 2]]}}}, "must hold times > 0"),
    ],
)
def test_the_figures_refuse_what_they_cannot_draw(
    make: Callable, changes: dict, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make(**changes)
