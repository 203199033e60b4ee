"""The pictures that several pages draw show and say the numbers that they were given."""

import re
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib import plotting
from sublinear_lib.plotting import results
from sublinear_lib.plotting.chart import Chart
from sublinear_lib.plotting.shapes import beyond
from tests.plotting.shown import alt, lines, tells, texts

CLOUD = np.random.default_rng(0).standard_normal((60, 2))
GROUPS = np.array_split(np.argsort(CLOUD[:, 0]), 15)
WORK = {"*d* = 2": [[40, 80, 160], [44, 84, 164]], "*d* = 3": [[100, 400, 1600.0]]}
ROWS = {"*n* = 1": [(0.5, 0.4, 0.6), (0.2, 0.1, 0.25)], "*n* = 2": [(0.9, 0.9, 0.9)] * 2}
CLOSED = {"*n* = 1": [0.5, 0.2], "limit": [1.0, 0.5]}
STEPS, FALL = np.arange(5), np.array([1.0, 0.1, 0.01, 1e-3, 0.0])
LOSSES = {"one": {"seen": (STEPS, FALL)}, "two": {"exact": (STEPS, FALL + 0.5)}}
RUN = {"t": STEPS, "attacked": FALL, "clean": FALL / 2, "share": FALL}
PROMISE = {
    "title": "wine",
    "radii": np.array([0.0, 0.1, 0.2]),
    "low": np.array([0.9, 0.7, 0.3]),
    "high": np.array([0.9, 0.8, 0.75]),
    "rho": 0.1,
    "intervals": ((0.9, 0.8, 0.95), (0.8, 0.7, 0.9), (0.7, 0.55, 0.8)),
}
PLANE = {"points": CLOUD, "groups": GROUPS, "normal": [0.6, 0.8], "offset": 0.9}
GROWTH = {"x": [8, 16], "measured": ROWS, "lines": CLOSED, "xlabel": "number *N*"}

curves = partial(
    plotting.cost_curves,
    x=[1024, 4096, 16384],
    predicted={"*c* = 1/5": [10.0, 30.0, 90.0]},
    measured={"*c* = 1/5": [[9, 29, 88], [11, 31, 92]], "1/*m*": [[50, 200, 800]]},
    reference=("dense", [100, 400, 1600]),
    name="c",
)
shares = partial(
    plotting.shares_picture,
    samples={"*d* = 3": [[100, 0.2, 0.1, 0.3], [1000, 0.4, 0.3, 0.5]]},
    curves={"*d* = 3": ([100, 1000], [0.25, 0.45]), "law": ([100, 1000], [0.1, 0.1])},
    level=(0.5, "one half"),
    xlabel="width *m*",
    ylabel="share missed",
    scale="log10",
    name="h",
)
boxes = partial(plotting.boxes_picture, **PLANE, name="b")
work = partial(plotting.work_against_m, widths=[2**10, 2**12, 2**14], curves=WORK, name="w")
growth = partial(plotting.growth_picture, **GROWTH, name="g")
losses = partial(plotting.loss_curves, panels=LOSSES, name="l")
run = partial(results.training_run, **RUN, name="r")
promise = partial(results.promise_picture, **PROMISE, name="promise")


def test_curves_and_dots_of_one_label_share_a_color_and_dots_are_means():
    curve, dots = lines(curves(), "c1")
    np.testing.assert_array_equal(curve[:, 1], dots[:, 1])
    np.testing.assert_array_equal(dots[:, 1], [10.0, 30.0, 90.0])
    assert len(lines(curves(), marker="o")) == 2
    tells(curves(), "c = 1/5, predicted: 10 to 90", "1/m, measured: 50 to 800")
    tells(curves(), "A dashed line shows dense")
    short = curves(measured={"*c* = 1/5": [[9, 29], [11, 31]]}, reference=None)
    tells(short, "c = 1/5, measured up to 4 096: 10 to 30")
    np.testing.assert_array_equal(lines(short, marker="o")[0], [[1024, 10], [4096, 30]])


def test_few_decimal_places_are_their_own_ticks_and_wide_networks_powers_of_two():
    decimal = {"x": [0.001, 0.01, 0.5], "xscale": "log10", "measured": {"a": [[1, 2, 3]]}}
    few = curves(**decimal, predicted=None, reference=None)
    ticks = few._figures[0].axes[0].get_xticklabels()
    assert [text.get_text() for text in ticks] == ["0.001", "0.01", "0.5"]
    wide = curves(x=[2**12, 2**28, 2**44], measured=None, reference=None)
    assert texts(wide)[:5] == ["214", "221", "228", "235", "242"]
    assert "4 096" in texts(curves())


def test_the_shares_say_both_ends_and_the_level():
    tells(shares(), "Share missed against width m, on a logarithmic axis. ")
    tells(shares(), "d = 3, predicted: 25 % at 100, 45 % at 1 000; law, predicted: 10 % at 100")
    tells(shares(), "d = 3, measured with intervals: 20 % at 100, 40 % at 1 000")
    tells(shares(), "level line at 50 %: one half")
    bare = alt(shares(curves=None, scale="linear"))
    assert not re.search("predicted|logarithmic", bare)
    np.testing.assert_allclose(lines(shares(), "c1", marker="o"), [[[100, 0.2]], [[1000, 0.4]]])


@settings(max_examples=20)
@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(-3, 3))
def test_a_covered_box_holds_hits_only_and_a_skipped_box_none(first, second, offset):
    normal = np.array([first, second])
    if not normal.any():
        return
    said = boxes(normal=normal, offset=offset).alt
    assert said.startswith(f"{sum(map(len, GROUPS))} points in {len(GROUPS)} boxes")
    covered, crossed, skipped = map(int, re.findall(r"(\d+) boxes with \d+ points", said))
    assert covered + crossed + skipped == len(GROUPS)
    scores = [CLOUD[group] @ normal for group in GROUPS]
    doubtful = sum(bool((np.abs(score - offset) < 1e-9).any()) for score in scores)
    assert covered <= sum(bool((score > offset).all()) for score in scores) + doubtful
    assert skipped <= sum(bool((score <= offset).all()) for score in scores) + doubtful


def test_a_chart_leaves_room_around_values_and_writes_columns_downwards():
    chart = Chart()
    assert chart.around(0.1, [0.0, 5.0], 10.0) == chart.axes.get_ylim() == (-1.0, 11.0)
    chart.column(["one", "two"], {"one": "c1", "two": "c2"})
    assert [text.xy for text in chart.axes.texts] == [(0.03, 0.97), (0.03, 0.97 - 0.085)]


def test_a_line_cuts_a_rectangle_where_it_crosses_its_sides():
    outline, ends = beyond((1.0, 2.0), 1.0, (0.0, 2.0), (0.0, 1.0))
    assert outline.tolist() == [[1, 0], [2, 0], [2, 1], [0, 1], [0, 0.5]]
    assert ends.tolist() == [[1, 0], [0, 0.5]]
    assert [len(part) for part in beyond((0.0, 1.0), 2.0, (0.0, 2.0), (0.0, 1.0))] == [0, 0]


def test_the_work_is_the_mean_over_seeds_and_the_scan_is_the_yardstick():
    tells(work(), "d = 2: 42 at the smallest and 162 at the largest m", "scan")
    tells(work(), "against the number of points m from 1 024 to 16 384")
    assert "scan: m" in texts(work()) and "scan" not in work(scan=False).alt


def test_the_text_of_a_growth_gives_both_ends():
    tells(growth(), "n = 1: 0.5 to 0.2", "limit, closed form: 1 to 0.5")
    flat = growth(measured={"a": [(0.0, 0.0, 0.0)] * 2}, lines=None, yscale="linear")
    assert flat._figures[0].axes[0].get_ylim() == (0.0, 1.0)


@pytest.mark.parametrize("floor", [1e-4, 1e-2])
def test_losses_are_drawn_as_they_are_and_below_the_floor_at_it(floor):
    first, second = lines(losses(floor=floor))
    np.testing.assert_allclose(first[:, 1], np.maximum(FALL, floor))
    np.testing.assert_allclose(second[:, 1], FALL + 0.5)
    tells(losses(), "over the steps", "one: seen from 1 to 0", "two: exact from 1.5 to 0.5")
    panels = {"one": {"a": (STEPS, FALL), "b": (STEPS, FALL)}, "two": {"b": (STEPS, FALL)}}
    assert [len(lines(losses(panels=panels), role)) for role in ("c1", "c2")] == [1, 2]


def test_a_run_says_where_its_losses_and_its_activity_go():
    tells(run(), "at attacked points goes from 1 to 0, that at clean points from 0.5 to 0")
    tells(run(), "neurons that fire goes from 100 % to 0 %")


def test_a_promise_tells_every_share_and_falls_at_once_and_breaks_late():
    tells(promise(), "clean 90 % (80 % to 95 %)", "certified 70 % (55 % to 80 %)", "at radius 0.2")
    tells(promise(), "the shares at 0 and at 0.1 and their intervals")
    (lower,), (upper,) = (lines(promise(), role)[:1] for role in ("c3", "c4"))
    assert upper.tolist() == [[0, 0.9], [0, 0.9], [0.1, 0.9], [0.1, 0.8], [0.2, 0.8], [0.2, 0.75]]
    assert lower.tolist() == [[0, 0.9], [0, 0.7], [0.1, 0.7], [0.1, 0.3], [0.2, 0.3], [0.2, 0.3]]


@pytest.mark.parametrize(
    ("make", "changes", "message"),
    [
        (curves, {"x": [3, 2, 1]}, r"x must be at least two ascending numbers, got \[3, 2, 1\]"),
        (curves, {"x": [1, 1, 2]}, r"x must be at least two ascending numbers, got \[1, 1, 2\]"),
        (curves, {"x": np.arange(20.0)[::-1]}, r"got \[19, 18, 17, 16, 15, 14, 13, 12, ...\]"),
        (curves, {"x": [1]}, r"x must be at least two ascending numbers, got \[1\]"),
        (curves, {"predicted": {"a": [1.0, 0.0, 1.0]}}, "low must be"),
        (curves, {"measured": {"a": [1.0, 2.0]}}, "a must have shape"),
        (curves, {"predicted": {str(k): [1, 2, 3] for k in range(8)}}, "colors for"),
        (boxes, {"groups": [[]]}, "groups must"),
        (boxes, {"groups": [[60]]}, "groups must"),
        (work, {"widths": [0.5, 2, 8]}, r"ascending numbers >= 1, got \[0.5, 2, 8\]"),
        (growth, {"measured": {"a": [(0.5, 0.6, 0.7)] * 2}}, "inside their intervals"),
        (losses, {"panels": {"one": {"seen": (STEPS, FALL * np.nan)}}}, "seen must"),
    ],
)
def test_what_cannot_be_drawn_is_refused(make, changes, message):
    with pytest.raises(ValueError, match=message):
        make(**changes)
