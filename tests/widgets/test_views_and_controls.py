"""Views and controls: what an explorer may be made of, and what is refused where it is written."""

import numpy as np
import pytest

from sublinear_lib.widgets import (
    Axis,
    Band,
    Bars,
    Choice,
    HalfPlane,
    Line,
    Points,
    Rule,
    Stretch,
    View,
)
from sublinear_lib.widgets.controls import Slider

X = Axis(label="x")
LOG = Axis(label="x", scale="log10")
LINE = Line([0, 1], [0, 1])


def view(**changes):
    arguments = {"x": X, "y": X, "marks": [LINE], "sentence": "A line.", **changes}
    return View(**arguments)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Axis(label="x", scale="log"), "scale must be one of 'linear', 'log10', 'log2'"),
        (lambda: Axis(label="x", limits=(1, 1)), "limits must ascend"),
        (lambda: Axis(label="x", scale="log2", limits=(0, 1)), "limits must be > 0 on a log2 axis"),
        (lambda: Axis(label="x", ticks=[float("nan")]), "ticks must contain finite numbers"),
        (lambda: Line([0, 1], [0]), "x and y must have the same length, got 2 and 1"),
        (lambda: Line([0, float("nan")], [0, 1]), "x must contain finite numbers"),
        (lambda: Line([0, 1], [float("nan")] * 2), "y must hold a finite number"),
        (lambda: Line([0, 1], [0, float("inf")]), "y must contain finite numbers"),
        (lambda: Line([0, 1], [0, 1], role="red"), "role must be one of 'c1'"),
        (lambda: Line([0, 1], [0, 1], width=0), "width must be a finite number > 0"),
        (lambda: Line([0, 1], [0, 1], within=(2, 1)), "within must be an ascending pair"),
        (lambda: Points([0], [0], lower=[0]), "lower and upper must both be given"),
        (lambda: Points([0], [0], lower=[0, 1], upper=[0, 1]), "must have the same length"),
        (lambda: Points([0], [0], only=[True, False]), r"only must have the shape of x, \(1,\)"),
        (lambda: Points([0], [0], size=0), "size must be a finite number > 0"),
        (lambda: Points([0], [0], size=41), "size must be a finite number > 0 and <= 40"),
        (lambda: HalfPlane((0, 0), 1), "normal must not be zero"),
        (lambda: HalfPlane((1, 0, 0), 1), "normal must have shape"),
        (lambda: HalfPlane((1, 0), float("inf")), "offset must be a finite number"),
        (lambda: HalfPlane((1, 0), 1, drag=" "), "drag must not be empty"),
        (lambda: view(x=LOG, marks=[HalfPlane((1, 0), 1)]), "axes must be linear where"),
        (lambda: view(y=LOG, equal=True), "axes must be linear .* got linear and log10"),
        (lambda: Bars([0, 1], [1, 1]), "edges must have one entry more than heights"),
        (lambda: Bars([0, 0], [1]), "edges must ascend"),
        (lambda: Bars([0, 1], [-1]), "heights must be >= 0"),
        (lambda: Band([0, 1], [0, 0], [1]), "must have the same length"),
        (lambda: Rule(float("nan")), "at must be a finite number"),
        (lambda: Rule(0, axis="z"), "axis must be one of 'x', 'y'"),
        (lambda: Rule(0, axis="y", drag="t"), "drag is for vertical rules"),
        (lambda: Stretch(2, 1), "start must be <= stop"),
        (lambda: view(sentence="  "), "sentence must not be empty"),
        (lambda: view(warning=""), "warning must not be empty"),
        (lambda: view(marks=[]), "marks must hold at least one mark"),
        (lambda: Slider("m", "m", [1]), "values of m must be at least two ascending"),
        (lambda: Slider("m", "m", [2, 1]), "values of m must be at least two ascending"),
        (lambda: Slider("m", "m", [1, 2], start=3), "start of m must be one of its values"),
        (lambda: Slider("m ", "m", [1, 2]), "name must be a name that a Python argument can have"),
        (lambda: Slider("lambda", "m", [1, 2]), "name must be a name that a Python argument"),
        (lambda: Slider("m", " ", [1, 2]), "label must not be empty"),
        (lambda: Choice("a", "a", ["x"]), "options of a must be at least two"),
        (lambda: Choice("a", "a", ["x", "x"]), "options of a must differ"),
        (lambda: Choice("a", "a", {"x": "X", "y": ""}), "options of a must have labels"),
        (lambda: Choice("a", "a", ["x", "y"], start="z"), "start of a must be one of"),
        (lambda: Line(["a"], [0]), "x must contain real numbers"),
        (lambda: Line([0, 1], np.array([True, False])), "y must contain real numbers"),
        (lambda: Line([0, 1], [0, 1], label=3), "label must be a string"),
        (lambda: Line([0, 1], [0, 1], dash=1), "dash must be True or False"),
        (lambda: Points([0, 1], [0, 1], only=[0, 1]), "only must hold True and False, got dtype"),
        (lambda: Points([0], [0], hollow=1), "hollow must be True or False"),
        (lambda: view(equal=1), "equal must be True or False"),
        (lambda: view(x="x"), "x must be an Axis"),
        (lambda: view(marks=[3]), "marks must hold Line, Points"),
        (lambda: view(marks=LINE), "marks must be a sequence"),
        (lambda: view(sentence=3), "sentence must be a string"),
        (lambda: view(readouts={"a": 3}), "readout text must be a string"),
        (lambda: Slider(3, "m", [1, 2]), "name must be a string"),
        (lambda: Slider("m", "m", [True, False]), "values of m must contain real numbers"),
        (lambda: Slider("m", "m", [1, 2], format=lambda v: v), "format of m must return a string"),
        (lambda: Slider("m", "m", [1, 2], format=3), "format of m must be a string or a function"),
        (lambda: Slider("m", "m", [1, 2], format="{:q}"), "format of m must write its values, got"),
        (lambda: Slider("m", "m", [1, 2], format="{a}"), "format of m must write its values, got"),
        (lambda: Choice("a", "a", 3), "options of a must be several strings, got 3"),
        (lambda: Choice("a", "a", [["x"], "y"]), r"options of a must be strings, got \['x'\]"),
        (lambda: Choice("a", "a", "xy"), "options of a must be several strings"),
        (lambda: Choice("a", "a", {1: "x", 2: "y"}), "options of a must be strings"),
    ],
)
def test_what_cannot_be_shown_is_refused(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()


@pytest.mark.parametrize("form", [list, np.array])
def test_a_gap_in_a_curve_is_kept(form):
    y = np.asarray(Line([0, 1, 2], form([1.0, float("nan"), 3.0])).y)
    assert np.isnan(y).tolist() == [False, True, False] and y[2] == 3.0


def test_a_slider_of_integers_hands_out_integers_and_one_of_floats_floats():
    whole, parts = Slider("m", "m", [1, 2, np.int64(4)], start=4), Slider("t", "t", [0, 0.5])
    assert [type(v) for v in whole.values] == [int] * 3
    assert [type(v) for v in parts.values] == [float] * 2
    assert isinstance(whole.accept(3.0), int)
    assert isinstance(parts.accept(0.25), float)
    assert (whole.start_position, parts.start_position) == (2, 0)
    rule = Choice("rule", "rule", {"a": "first", "b": "second"}, start="b")
    assert (rule.accept("a"), rule.text("a"), rule.start_position) == ("a", "first", 1)
