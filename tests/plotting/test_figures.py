"""The figures of the chapters: they show the numbers they were given, and say so."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import pytest

from sublinear_lib import plotting

WIDTHS = 2.0 ** np.arange(6, 21)
CURVES = {"τ = 0": np.full(15, 0.5), "*c*": WIDTHS**-0.2}
ANGLES = np.linspace(0, 2 * math.pi, 6)[:-1]
ON_SLICE = np.column_stack(
    [math.sqrt(0.75) * np.cos(ANGLES), math.sqrt(0.75) * np.sin(ANGLES), np.full(5, 0.5)]
)
IMAGES = np.linspace(0, 16, 3 * 64).reshape(3, 8, 8)


def activity(**changes: object) -> plotting.Picture:
    arguments: dict = {"widths": WIDTHS, "curves": CURVES, "name": "a", **changes}
    return plotting.activity_against_m(**arguments)


def pair(**changes: object) -> plotting.Picture:
    z = np.linspace(-1, 3, 41)
    arguments: dict = {
        "z": z,
        "jump": np.where(z > 1, z, 0),
        "continuous": np.maximum(z - 1, 0),
        "tau": 1.0,
        "name": "p",
        **changes,
    }
    return plotting.activations_pair(**arguments)


def losses(**changes: object) -> plotting.Picture:
    fall = np.exp(-np.arange(20) / 9)
    arguments: dict = {
        "steps": np.arange(1, 21),
        "loss": {"dense": fall, "sparse": fall},
        "activity": {"dense": np.ones(20), "sparse": np.full(20, 0.1)},
        "name": "l",
        **changes,
    }
    return plotting.loss_and_activity(**arguments)


def bars(**changes: object) -> plotting.Picture:
    arguments: dict = {
        "phases": ["forward", "backward"],
        "dense": [4096, 4096],
        "sparse": [300, 310],
        "name": "w",
        **changes,
    }
    return plotting.work_bars(**arguments)


def digits(**changes: object) -> plotting.Picture:
    arguments: dict = {"clean": IMAGES, "adversarial": IMAGES[:, ::-1], "name": "d", **changes}
    return plotting.digit_gallery(**arguments)


def schematic(**changes: object) -> plotting.Picture:
    arguments: dict = {"active": [True, False, True, False, False], "name": "n", **changes}
    return plotting.network_schematic(**arguments)


def sphere(**changes: object) -> plotting.Picture:
    arguments: dict = {
        "points": ON_SLICE,
        "center": ON_SLICE[1],
        "half_angle": 0.4,
        "name": "s",
        **changes,
    }
    return plotting.slice_picture(**arguments)


ALL = [activity, pair, losses, bars, digits, schematic, sphere]


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


def texts(picture: plotting.Picture) -> list[str]:
    found = re.findall(r"<text[^>]*>(.*?)</text>", picture.html)
    return [re.sub("<[^>]+>", "", text) for text in found]


# ---- activity ------------------------------------------------------------------------------------


def test_the_text_of_the_activity_figure_gives_both_ends_of_every_curve() -> None:
    alt = activity(bound=np.full(15, 1.9)).alt.replace("\N{NO-BREAK SPACE}", " ")
    assert "τ = 0: 50 % at the smallest and 50 % at the largest width" in alt
    assert "c: 43.5 % at the smallest and 6.25 % at the largest width" in alt
    assert "above 100 % everywhere" in alt


def test_a_bound_below_one_is_not_called_empty() -> None:
    assert "everywhere" not in activity(bound=np.full(15, 0.9)).alt


def test_the_axis_of_the_activity_figure_reaches_down_to_the_bound() -> None:
    (axes,) = activity(bound=np.full(15, 1e-3))._figures[0].axes
    assert axes.get_ylim()[0] < 1e-3


def test_curves_are_labeled_where_they_end_and_there_is_no_legend() -> None:
    shown = texts(activity(bound=np.full(15, 1.9), bound_label="bound *Q*_{0}/*m*"))
    assert {"τ = 0", "c", "bound Q0/m"} <= set(shown)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"widths": [4]}, "widths must be at least two ascending"),
        ({"widths": [8, 4]}, "widths must be at least two ascending"),
        ({"curves": {}}, "curves must hold 1 to 5"),
        ({"curves": {"a": np.zeros(15)}}, r"curves\['a'\] must be > 0"),
        ({"curves": {"a": np.full(15, 1.5)}}, r"curves\['a'\] must lie in \[0, 1\]"),
        ({"samples": {"*c*": [[64, 0.0, 0.0, 0.1]]}}, r"samples\['\*c\*'\] estimates must be > 0"),
        ({"curves": {"a": np.ones(3)}}, r"curves\['a'\] must have shape \(15,\)"),
        ({"samples": {"b": [[64, 0.1, 0.05, 0.2]]}}, "samples must have labels of curves"),
        ({"samples": {"*c*": [[64, 0.1]]}}, r"samples\['\*c\*'\] must have shape"),
        ({"bound": np.full(15, -1.0)}, "bound must be > 0"),
        ({"bound": [1.0, float("nan")] * 7 + [1.0]}, "bound must contain finite numbers"),
    ],
)
def test_the_activity_figure_refuses_what_it_cannot_draw(changes: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        activity(**changes)


def test_the_jump_is_a_gap_in_the_curve_and_the_continuous_one_has_none() -> None:
    jump, continuous = re.findall(r"<svg .*?</svg>", pair().html, re.DOTALL)
    assert "jump of" in jump and "height τ" in jump
    assert "jump of" not in continuous and "no jump" in continuous


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tau": 0.0}, "tau must be a finite number > 0"),
        ({"tau": 5.0}, "z must ascend and reach both sides of tau"),
        ({"z": np.zeros(41)}, "z must ascend"),
        ({"jump": np.zeros(3)}, r"jump must have shape \(41,\)"),
        ({"jump": np.zeros(41)}, "jump must be 0 up to tau and rise with slope 1"),
        ({"continuous": np.linspace(-1, 3, 41)}, "continuous must be 0 up to tau"),
    ],
)
def test_the_pair_of_activations_refuses_what_it_cannot_draw(changes: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pair(**changes)


# ---- training ------------------------------------------------------------------------------------


def test_equal_runs_are_called_the_same_curve_and_unequal_ones_are_not() -> None:
    assert "the same curve" in losses().alt
    fall = np.exp(-np.arange(20) / 9)
    other = losses(loss={"dense": fall, "sparse": fall * (1 + 1e-6)})
    assert "the same curve" not in other.alt


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"steps": [1, 1]}, "steps must be at least two ascending"),
        ({"loss": {"dense": np.ones(20)}}, "loss must have the keys 'dense' and 'sparse'"),
        (
            {"loss": {"dense": np.ones(20), "sparse": -np.ones(20)}},
            r"loss\['sparse'\] must be >= 0",
        ),
        (
            {"activity": {"dense": np.full(20, 2.0), "sparse": np.ones(20)}},
            r"activity\['dense'\] must lie in \[0, 1\]",
        ),
    ],
)
def test_the_training_figure_refuses_what_it_cannot_draw(changes: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        losses(**changes)


def test_bars_carry_their_numbers() -> None:
    thin = "\N{NARROW NO-BREAK SPACE}"
    shown = texts(bars(dense=[3670016, 0], sparse=[300, 12.5]))
    assert {f"3{thin}670{thin}016 dense", "0 dense", "300 sparse", "12.5 sparse"} <= set(shown)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"phases": [], "dense": [], "sparse": []}, "phases must name at least one"),
        ({"dense": [1]}, r"dense must have shape \(2,\)"),
        ({"dense": [1, -1]}, "dense must be >= 0"),
        ({"dense": [0, 0], "sparse": [0, 0]}, "must hold some work"),
    ],
)
def test_the_bars_refuse_what_they_cannot_draw(changes: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bars(**changes)


def test_images_may_come_as_rows_of_pixels() -> None:
    assert digits(clean=IMAGES.reshape(3, 64)).html == digits().html


def test_the_gallery_gives_the_largest_change_and_the_labels() -> None:
    picture = digits(
        clean=IMAGES,
        adversarial=IMAGES + 4.0,
        clean_labels=["3", "8", "3"],
        adversarial_labels=["8", "8", "3"],
    )
    assert "The largest change of a pixel is 4, 25" in picture.alt
    assert "Under attack: 8, 8, 3." in picture.alt
    assert texts(picture).count("3") == 3


def test_masked_images_are_refused_and_not_drawn_without_their_mask() -> None:
    with pytest.raises(TypeError, match="clean must be a plain array of numbers, got a masked"):
        digits(clean=np.ma.masked_greater(IMAGES, 8.0))


def test_a_pixel_is_ink_so_the_digit_follows_the_theme() -> None:
    html = digits().html
    assert "<image" not in html
    assert "fill:currentColor" in html


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"clean": np.ones((3, 8, 8))}, "clean must hold more than one value"),
        ({"adversarial": np.ones((2, 8, 8))}, "adversarial must have"),
        ({"clean": np.ones((9, 8, 8)), "adversarial": np.ones((9, 8, 8))}, "at most 8 images"),
        ({"clean": np.ones((3, 63))}, "square images"),
        ({"clean": np.ones((1, 33, 33))}, "at most 32 x 32"),
        ({"clean": [[1.0, 2.0], [3.0]]}, "clean must be a rectangular array"),
        ({"clean_labels": ["3"]}, "clean_labels must have one entry for each image"),
    ],
)
def test_the_gallery_refuses_what_it_cannot_draw(changes: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        digits(**changes)


# ---- network and slice ---------------------------------------------------------------------------


def test_the_schematic_counts_the_neurons_that_fire() -> None:
    picture = schematic()
    assert "2 of the 5 hidden neurons" in picture.alt
    assert "2 of 5 neurons fire" in texts(picture)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"active": np.zeros(41, bool)}, ValueError, "1 <= m <= 40"),
        ({"active": np.zeros((2, 2), bool)}, ValueError, "1 <= m <= 40"),
        ({"active": [0, 1]}, TypeError, "active must contain booleans"),
        ({"inputs": 9}, ValueError, "inputs must be an integer"),
    ],
)
def test_the_schematic_refuses_what_it_cannot_draw(
    changes: dict, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        schematic(**changes)


def test_the_slice_says_whether_the_cap_holds_another_point() -> None:
    assert "It holds no other data point" in sphere(half_angle=0.4).alt
    assert "It holds 3 of the data points" in sphere(half_angle=1.3).alt
    # The center need not be one of the data.
    assert "It holds 1 of the data points" in sphere(points=ON_SLICE[2:3], half_angle=1.3).alt
    assert "It holds no other data point" in sphere(points=ON_SLICE[2:3], half_angle=0.4).alt


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"points": [[0.0, 0.0, 1.0]]}, "points must lie on the slice"),
        ({"center": [0.0, 0.6, 0.8]}, "center must lie on the slice"),
        ({"half_angle": 0.0}, "half_angle must be a finite number > 0"),
        ({"half_angle": 4.0}, "half_angle must be a finite number > 0.0 and <= 3.14"),
        ({"labels": [1.0]}, r"labels must have shape \(5,\)"),
    ],
)
def test_the_slice_refuses_what_it_cannot_draw(changes: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sphere(**changes)
