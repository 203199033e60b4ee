"""The pictures of the training chapter show the numbers they were given, and refuse others."""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib import plotting
from sublinear_lib.plotting.palette import LIGHT
from sublinear_lib.plotting.training_study import _checked_curves

STEPS = np.arange(5)
FALL = np.array([1.0, 0.1, 0.01, 1e-3, 0.0])
ROWS = [(0.5, 0.9, 0.85, 0.95), (0.01, 0.8, 0.7, 1.05), (0.1, 0.85, 0.8, 0.9)]


def losses(**changes: object) -> plotting.Picture:
    arguments: dict = {
        "panels": {"one": {"seen": (STEPS, FALL)}, "two": {"exact": (STEPS, FALL + 0.5)}},
        "name": "l",
        **changes,
    }
    return plotting.loss_curves(**arguments)


def accuracies(**changes: object) -> plotting.Picture:
    arguments: dict = {"panels": {"jump": {"clean": ROWS}}, "name": "a", **changes}
    return plotting.accuracy_against_activity(**arguments)


@pytest.mark.parametrize("draw", [losses, accuracies])
def test_a_picture_is_the_same_every_time_and_says_what_it_shows(draw) -> None:
    first, second = draw(), draw()
    assert first.html == second.html
    assert first.alt and first.alt[-1] == "."
    assert draw(alt="a text of its own").alt == "a text of its own"


def drawn(picture: plotting.Picture) -> list[tuple[str, np.ndarray]]:
    """Return color and points of every line, in data units."""
    return [
        (str(line.get_color()), np.asarray(line.get_xydata()))
        for each in picture._figures
        for axes in each.axes
        for line in axes.lines
    ]


def test_alt_of_the_losses_names_every_curve_with_both_ends() -> None:
    alt = losses().alt
    assert "one: seen from 1 to 0" in alt
    assert "two: exact from 1.5 to 0.5" in alt


@pytest.mark.parametrize("floor", [1e-4, 1e-2])
def test_losses_are_drawn_as_they_are_and_below_the_floor_at_it(floor: float) -> None:
    (_, first), (_, second) = drawn(losses(floor=floor))
    np.testing.assert_allclose(first[:, 1], np.maximum(FALL, floor))
    np.testing.assert_allclose(second[:, 1], FALL + 0.5)


def test_one_label_has_one_color_in_all_panels() -> None:
    panels = {"one": {"a": (STEPS, FALL), "b": (STEPS, FALL)}, "two": {"b": (STEPS, FALL)}}
    assert [color for color, _ in drawn(losses(panels=panels))] == [
        LIGHT["c1"],
        LIGHT["c2"],
        LIGHT["c2"],
    ]


def test_means_below_the_axis_are_cut_and_the_others_are_not_moved() -> None:
    (_, line), (_, dots) = drawn(accuracies(lowest=0.84))
    np.testing.assert_allclose(line[:, 1], [0.84, 0.85, 0.9])
    np.testing.assert_allclose(dots, [(0.1, 0.85), (0.5, 0.9)])


@pytest.mark.parametrize(
    ("curve", "words"),
    [
        ((STEPS, FALL[:3]), "losses"),
        ((STEPS[::-1], FALL), "ascending"),
        ((STEPS, FALL - 0.5), ">= 0"),
        (([0], [1.0]), "at least two"),
        ((STEPS, FALL * np.nan), "losses"),
    ],
)
def test_losses_that_cannot_be_drawn_are_refused(curve, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        losses(panels={"one": {"seen": curve}})


def test_empty_or_crowded_pictures_are_refused() -> None:
    many = {f"{k}": (STEPS, FALL) for k in range(6)}
    for panels in (
        {},
        {"one": many},
        {"one": {}},
        {f"{k}": {"a": (STEPS, FALL)} for k in range(5)},
    ):
        with pytest.raises(ValueError, match="panels"):
            losses(panels=panels)
    with pytest.raises(ValueError, match="panels"):
        accuracies(panels={})
    with pytest.raises(ValueError, match="at least one curve"):
        _checked_curves("one", {})


def test_alt_of_the_accuracies_goes_from_few_to_many_active_neurons_in_any_order() -> None:
    assert accuracies().alt == accuracies(panels={"jump": {"clean": ROWS[::-1]}}).alt
    assert "80 % at 1 % activity and 90 % at 50 %" in accuracies().alt.replace("\xa0", " ")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ((0.0, 0.9, 0.8, 1.0), "activities"),
        ((1.5, 0.9, 0.8, 1.0), "activities"),
        ((0.2, 1.2, 0.8, 1.3), "means"),
        ((0.2, 0.9, 0.95, 1.0), "within"),
        ((0.2, 0.9, 0.8, 0.85), "within"),
        ((0.2, 0.9, 0.8), "shape"),
    ],
)
def test_rows_that_are_no_accuracies_are_refused(row, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        accuracies(panels={"jump": {"clean": [ROWS[0], row] if len(row) == 4 else [row, row]}})


def test_the_axis_of_loss_curves_can_be_something_else_than_steps() -> None:
    curves = {"a": {"R1": ([8, 9], [1.0, 0.5])}}
    picture = plotting.loss_curves(curves, xlabel="log_{2} of *m*", name="widths")
    assert "over log₂ of m" in picture.alt and "the steps" not in picture.alt
    assert "over the steps" in plotting.loss_curves(curves, name="steps").alt
