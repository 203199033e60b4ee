"""The table of an explorer: every number of every view, once, in few bytes."""

import json
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sublinear_lib.widgets import Axis, Band, Bars, HalfPlane, Line, Points, Rule, Stretch, View
from sublinear_lib.widgets import table as tables

FINITE = st.floats(-1e9, 1e9, allow_subnormal=False)
X, Y = Axis(label="*x*"), Axis(label="*y*", scale="log10")


def sample_view(shift=0.0, **changes):
    grid = np.linspace(0.0, 1.0, 21)
    arguments = {
        "x": X,
        "y": Y,
        "marks": [
            Line(grid, np.exp(-grid), label="shared", role="c1"),
            Line(grid, np.exp(-grid - shift), label="moves", role="c2", dash=True, width=3),
            Line(grid, np.where(grid < 0.5, 1.0 + grid, np.nan), within=(0.1, 0.3)),
            Points([0.5], [0.5], lower=[0.4], upper=[0.6], label="sample", role="c3"),
            Bars(np.linspace(0, 1, 6), np.arange(1, 6), within=(min(shift, 1.0), 1.0)),
            Band(grid, np.exp(-grid) / 2, np.exp(-grid) * 2),
            Rule(shift, label="τ", drag="t"),
            Rule(0.5, axis="y", dash=True),
            Stretch(None, 0.25, label="left"),
        ],
        "sentence": f"Shifted by {shift:g}.",
        "readouts": {"shift": f"{shift:g}"},
        "warning": "Too far." if shift > 1 else None,
        **changes,
    }
    return View(**arguments)


def packed(*views):
    return tables.unpack(tables.pack(tables.encode(views, tables.shared_limits(views))))


def test_a_view_comes_back_as_it_was_put_in():
    table = packed(sample_view(0.25), sample_view(1.5))
    first, second = (tables.decode(table, k) for k in (0, 1))
    kinds = [mark["kind"] for mark in first["marks"]]
    assert kinds == ["line", "line", "line", "points", "bars", "band", "rule", "rule", "region"]
    moves, gap, points, rule, region = (first["marks"][k] for k in (1, 2, 3, 6, 8))
    expected = np.exp(-np.linspace(0, 1, 21) - 0.25)
    assert np.allclose(moves["y"], expected, rtol=5e-5, atol=0)
    assert (moves["label"], moves["role"], moves["dash"], moves["width"]) == ("moves", "c2", 1, 3)
    assert gap["within"] == [0.1, 0.3] and gap["y"][-1] is None, "a gap stays a gap"
    assert points["lower"] == [0.4]
    common = {"kind": "rule", "label": "τ", "role": "c1"}
    assert rule == {**common, "at": 0.25, "axis": "x", "dash": 0, "drag": "t"}
    assert (region["start"], region["stop"]) == (None, 0.25)
    assert (first["sentence"], first["warning"]) == ("Shifted by 0.25.", None)
    assert (second["sentence"], second["warning"]) == ("Shifted by 1.5.", "Too far.")
    assert second["readouts"] == [["shift", "1.5"]]


def test_an_oblique_view_comes_back_as_it_was_put_in():
    plane = HalfPlane((0.6, -0.8), 0.123456, label="beyond", drag="c")
    rings = Points([0, 1, 2], [3, 4, 5], only=[True, False, True], size=12, hollow=True)
    flat = Axis(label="y", limits=(0, 6))
    view = View(x=X, y=flat, marks=[plane, rings], sentence="A half-plane.", equal=True)
    decoded = tables.decode(packed(view), 0)
    assert decoded["equal"] == 1
    assert decoded["x"]["low"] == 0 and decoded["x"]["high"] == 2, "a hidden point keeps its room"
    first, second = decoded["marks"]
    common = {"label": "", "role": "c1"}
    assert first == {
        **{"kind": "halfplane", "normal": [0.6, -0.8], "offset": 0.12346},
        **{**common, "label": "beyond", "drag": "c"},
    }
    assert second == {
        **{"kind": "points", "x": [0, 1, 2], "y": [3, 4, 5], "only": [0, 2]},
        **{**common, "size": 12, "hollow": 1},
    }


@settings(max_examples=100)
@given(st.lists(st.booleans(), min_size=1, max_size=70))
def test_the_points_that_are_drawn_come_back_one_by_one(only):
    grid = list(range(len(only)))
    mark = Points(grid, grid, only=only)
    view = View(x=X, y=Axis(label="y"), marks=[mark], sentence="Some points.")
    decoded = tables.decode(tables.encode([view], tables.shared_limits([view])), 0)
    assert decoded["marks"][0]["only"] == [k for k, drawn in enumerate(only) if drawn]


@settings(max_examples=100)
@given(FINITE)
def test_a_number_keeps_five_digits_and_whole_numbers_keep_all(value):
    kept = tables.rounded(value)
    assert kept is not None
    assert math.isclose(kept, value, rel_tol=5.1e-5, abs_tol=1e-300)
    if value.is_integer():
        assert kept == value
    assert json.loads(json.dumps(kept)) == kept, "decimal text gives the same float back"
    again = tables.rounded(float(kept))
    assert again == kept, "rounding twice changes nothing"


def test_what_does_not_change_is_stored_once():
    views = [sample_view(shift / 100) for shift in range(100)]
    table = tables.encode(views, tables.shared_limits(views))
    assert len(table["grid"]) == 100
    assert len(table["axes"]) == 2
    # The grid, the three shared curves, points, bars and band once; the moving curve each time.
    shared = len({json.dumps(array) for array in table["arrays"]})
    assert shared == len(table["arrays"]) <= 112
    labels = [mark["label"] for mark in table["marks"]]
    assert labels.count("shared") == 1
    assert labels.count("moves") == 100
    assert len(table["strings"]) == len(set(table["strings"]))
    one = len(tables.pack(tables.encode(views[:1], tables.shared_limits(views[:1]))))
    assert len(tables.pack(table)) < 20 * one
    same = packed(*[sample_view(0.5)] * 7)
    assert same["grid"] == [0] * 7 and len(same["views"]) == 1
    assert packed(*(sample_view(0.5) for _ in range(7))) == same, "the bytes are those of the views"
    grid = np.linspace(0.0, 1.0, 60)
    hidden = packed(
        *(
            View(x=X, y=X, marks=[Points(grid, grid**2, only=grid < cut)], sentence="Some points.")
            for cut in grid[1:]
        )
    )
    assert len(hidden["arrays"]) == 2, "what is only shown or hidden costs a bit"
    assert {len(mark["only"]) for mark in hidden["marks"]} == {15}


@settings(max_examples=50)
@given(st.lists(st.lists(FINITE, min_size=1, max_size=5), min_size=1, max_size=6))
@example([[0.0, 2.146798863909005e-301]])  # too close together for ticks between them
@example([[0.0, 1.000004e-300]])
def test_shared_limits_hold_the_data_of_every_view(rows):
    y = Axis(label="y")
    lines = [Line(np.arange(len(row)), row) for row in rows]
    views = [View(x=X, y=y, marks=[line], sentence="A curve.") for line in lines]
    limits = tables.shared_limits(views)
    low, high = limits[("y", "y", "linear")]
    assert all(low <= value <= high for row in rows for value in row)
    assert low < high
    for k in range(len(views)):
        axis = tables.decode(tables.encode(views, limits), k)["y"]
        assert axis["low"] < axis["high"]
        assert axis["ticks"], axis


def test_given_limits_are_kept_and_bars_stand_on_zero():
    y = Axis(label="y", limits=(0.001, 2.0), scale="log10")
    table = packed(*(sample_view(shift, y=y) for shift in (0.0, 5.0)))
    axes = [tables.decode(table, k)["y"] for k in (0, 1)]
    assert {(axis["low"], axis["high"]) for axis in axes} == {(0.001, 2)}
    bars = View(x=X, y=Axis(label="n"), marks=[Bars([0, 1, 2], [3.0, 5.0])], sentence="Two bars.")
    assert tables.shared_limits([bars])[("y", "n", "linear")][0] == 0.0
    whiskers = Points([0, 1], [1, 2], lower=[-4, 0], upper=[2, 6])
    shown = View(x=X, y=Axis(label="n"), marks=[whiskers], sentence="Two points.")
    assert tables.shared_limits([shown])[("y", "n", "linear")] == (-4.6, 6.6)


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        (Line([0, 1], [0.0, 1.0]), r"must hold positive numbers, got 0\.0"),
        (Rule(1.0), r"axis '\*y\*' has no data .* give it limits"),
    ],
)
def test_an_axis_that_cannot_show_its_data_is_refused(mark, message):
    with pytest.raises(ValueError, match=message):
        tables.shared_limits([View(x=X, y=Y, marks=[mark], sentence="A view.")])
