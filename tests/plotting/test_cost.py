"""The figures of what an iteration costs: bars, curves and roofline show the numbers given."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from sublinear_lib import plotting

COLUMNS = {
    "counted": {"11 attack": 2.0, "12 query": 0.5, "17 forward": 0.25},
    "*predicted*": {"11 attack": 1.0, "12 query": 0.0, "17 forward": 0.25},
}


def bars(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {"columns": COLUMNS, "unit": "row passes", "name": "b", **changes}
    return plotting.ledger_bars(**arguments)


def curves(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "x": [1024, 4096, 16384],
        "predicted": {"*c* = 1/5": [10.0, 30.0, 90.0]},
        "measured": {"*c* = 1/5": [[9, 29, 88], [11, 31, 92]], "1/*m*": [[50, 200, 800]]},
        "reference": ("dense", [100, 400, 1600]),
        "name": "c",
        **changes,
    }
    return plotting.cost_curves(**arguments)


def roof(**changes: object) -> plotting.Picture:
    arguments: dict[str, Any] = {
        "points": {"dense": 100.0, "lists": 0.5},
        "peak": 1e11,
        "bandwidth": 1e10,
        "name": "r",
        **changes,
    }
    return plotting.roofline_chart(**arguments)


ALL = [bars, curves, roof]


def texts(picture: plotting.Picture) -> list[str]:
    found = re.findall(r"<text[^>]*>(.*?)</text>", picture.html)
    return [re.sub("<[^>]+>", "", text) for text in found]


def boxes(picture: plotting.Picture) -> list[float]:
    """Return the widths of the bars, in the order drawn."""
    return [
        float(patch.get_width())
        for axes in picture._figures[0].axes
        for patch in axes.patches
        if patch.get_height() == 18
    ]


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_every_figure_is_made_twice_alike_and_small_enough_for_a_page(make: Callable) -> None:
    assert make().html == make().html
    assert len(make().html) < 60_000


def test_bars_are_as_long_as_their_entries_and_end_with_their_sum() -> None:
    picture = bars()
    counted = boxes(picture)
    assert len(counted) == 5  # an entry of zero has no bar
    unit = (counted[0] + 1.0) / 2.0
    assert [round((width + 1.0) / unit, 6) for width in counted] == [2.0, 0.5, 0.25, 1.0, 0.25]
    shown = texts(picture)
    assert "2.75" in shown and "1.25" in shown
    assert "12 query" in shown


def test_the_text_of_the_bars_holds_every_number() -> None:
    alt = bars().alt
    assert "counted: 11 attack 2, 12 query 0.5, 17 forward 0.25; in all 2.75" in alt
    assert "*" not in alt


def test_many_labels_take_several_lines() -> None:
    labels = {f"{k} a rather long label": 1.0 for k in range(7)}
    picture = bars(columns={"all": labels})
    width, height = picture._figures[0].get_size_inches() * 72
    assert height > bars()._figures[0].get_size_inches()[1] * 72 - 52
    for text in picture._figures[0].axes[0].texts:
        assert 0 <= text.xy[0] < width


def test_curves_and_dots_of_one_label_share_a_color() -> None:
    axes = curves()._figures[0].axes[0]
    lines = [line for line in axes.lines if len(line.get_xdata()) == 3]
    dots = [line for line in lines if line.get_marker() == "o"]
    plain = [line for line in lines if line.get_marker() != "o"]
    colors = {line.get_color() for line in plain}
    assert dots[0].get_color() in colors
    assert list(dots[0].get_ydata()) == [10.0, 30.0, 90.0]
    assert dots[0].get_linestyle() == "None" and dots[1].get_linestyle() == "-"


def test_the_text_of_the_curves_tells_prediction_from_measurement() -> None:
    alt = curves().alt
    assert "c = 1/5, predicted: 10 to 90" in alt
    assert "1/m, measured: 50 to 800" in alt
    assert "A dashed line shows dense" in alt
    assert curves(ylabel="work of *W*, in GiB").alt.startswith("Work of W, in GiB against")


def test_measurements_may_end_before_the_curve_does() -> None:
    picture = curves(measured={"*c* = 1/5": [[9, 29], [11, 31]]}, reference=None)
    (dots,) = [line for line in picture._figures[0].axes[0].lines if line.get_marker() == "o"]
    assert list(dots.get_xdata()) == [1024, 4096] and list(dots.get_ydata()) == [10, 30]
    assert "c = 1/5, measured up to 4 096: 10 to 30" in picture.alt


def test_a_few_decimal_abscissae_are_their_own_ticks() -> None:
    picture = curves(
        x=[0.001, 0.01, 0.5],
        xscale="log10",
        predicted=None,
        measured={"a": [[1, 2, 3]]},
        reference=None,
    )
    labels = [text.get_text() for text in picture._figures[0].axes[0].get_xticklabels()]
    assert labels == ["0.001", "0.01", "0.5"]


def test_very_wide_networks_are_written_as_powers_of_two() -> None:
    sizes = [2**12, 2**28, 2**44]
    wide = curves(
        x=sizes, xscale="log2", measured=None, reference=None, predicted={"*c*": [1, 2, 3]}
    )
    assert texts(wide)[:5] == ["214", "221", "228", "235", "242"]
    assert "4\u202f096" in texts(curves(xscale="log2"))


def test_points_stand_on_the_roof() -> None:
    axes = roof()._figures[0].axes[0]
    places = [
        (float(line.get_xdata()[0]), float(line.get_ydata()[0]))
        for line in axes.lines
        if line.get_marker() == "o"
    ]
    assert places == [(100.0, 1.0), (0.5, 0.05)]
    assert "reaches at most 0.05 of the peak" in roof().alt


@pytest.mark.parametrize(
    ("make", "changes", "message"),
    [
        (bars, {"columns": {}}, "columns must hold at least one ledger"),
        (bars, {"columns": {"a": {}}}, "columns must have 1 to 7 entries"),
        (bars, {"columns": {"a": {"x": 1.0}, "b": {"y": 1.0}}}, "columns['b'] must have the"),
        (bars, {"columns": {"a": {"x": -1.0}}}, "columns['a'] must be >= 0"),
        (bars, {"columns": {"a": {"x": 0.0}}}, "columns['a'] must hold some work"),
        (curves, {"x": [3, 2, 1]}, "x must be at least two ascending"),
        (curves, {"x": [0, 2, 3]}, "x must be > 0 to be drawn on a logarithmic axis"),
        (curves, {"predicted": {"a": [1.0, 0.0, 1.0]}}, "predicted['a'] must be > 0"),
        (curves, {"measured": {"a": [1.0, 2.0]}}, "measured['a'] must have shape"),
        (curves, {"measured": {"a": [[1, 2, 3, 4]]}}, "measured['a'] must have 1 to 3 columns"),
        (curves, {"predicted": None, "measured": None}, "there must be 1 to 5"),
        (curves, {"xscale": "linear"}, "xscale must be"),
        (roof, {"points": {}}, "points must hold 1 to 5"),
        (roof, {"points": {"a": 0.0}}, "points['a'] must"),
        (roof, {"peak": -1.0}, "peak must"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    make: Callable, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises((ValueError, TypeError), match="^" + re.escape(message)):
        make(**changes)
