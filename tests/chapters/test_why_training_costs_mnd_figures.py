"""The first page's pictures: who fires, sparse beside dense, and what an attack changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sublinear_lib.chapters.why_training_costs_mnd import figures
from sublinear_lib.plotting import Picture
from tests.plotting.shown import alt, lines, texts

IMAGES = np.linspace(0, 16, 3 * 64).reshape(3, 8, 8)
FALL = np.exp(-np.arange(20) / 9)


def losses(**changes: Any) -> Picture:
    given: dict[str, Any] = {
        "steps": np.arange(1, 21),
        "loss": {"dense": FALL, "sparse": FALL},
        "activity": {"dense": np.ones(20), "sparse": np.full(20, 0.1)},
        "name": "l",
    }
    return figures.loss_and_activity(**{**given, **changes})


def bars(**changes: Any) -> Picture:
    given = {"phases": ["forward", "backward"], "dense": [4096, 4096], "sparse": [300, 310]}
    return figures.work_bars(**{**given, "name": "w", **changes})


def digits(**changes: Any) -> Picture:
    given = {"clean": IMAGES, "adversarial": IMAGES[:, ::-1], "name": "d"}
    return figures.digit_gallery(**{**given, **changes})


def schematic(**changes: Any) -> Picture:
    given = {"active": [True, False, True, False, False], "name": "n"}
    return figures.network_schematic(**{**given, **changes})


MADE = [losses, bars, digits, schematic]


def test_equal_runs_are_called_the_same_curve_and_unequal_ones_are_not() -> None:
    assert "the sparse run goes from 1 to 0.121; the same curve" in alt(losses())
    assert "dense 100 %, sparse 10 % on average" in alt(losses())
    other = losses(loss={"dense": FALL, "sparse": FALL * (1 + 1e-6)})
    assert "the same curve" not in other.alt and "the dense run ends at 0.121" in other.alt
    np.testing.assert_array_equal(lines(losses(), "c1")[0][:, 1], FALL)


def test_bars_carry_their_numbers() -> None:
    given = {"dense": [3670016, 0], "sparse": [300, 12.5]}
    wanted = {"3 670 016 dense", "0 dense", "300 sparse", "12.5 sparse"}
    assert wanted <= set(texts(bars(**given)))
    assert "forward: dense 3 670 016, sparse 300; backward: dense 0, sparse 12.5" in alt(
        bars(**given)
    )
    axes = bars()._figures[0].axes[0]
    assert [patch.get_width() for patch in axes.patches] == [4096, 300, 4096, 310]


def test_the_gallery_gives_the_largest_change_and_the_labels() -> None:
    words = {"clean_labels": ["3", "8", "3"], "adversarial_labels": ["8", "8", "3"]}
    picture = digits(adversarial=IMAGES + 4.0, **words)
    assert "The largest change of a pixel is 4, 25 % of the range" in alt(picture)
    assert "Clean: 3, 8, 3. Under attack: 8, 8, 3." in picture.alt
    assert texts(picture).count("3") == 3


def test_a_pixel_is_ink_and_images_may_come_as_rows() -> None:
    html = digits().html
    assert "<image" not in html and "fill:currentColor" in html
    assert digits(clean=IMAGES.reshape(3, 64)).html == html
    with pytest.raises(TypeError, match="clean must be a plain array of numbers, got a masked"):
        digits(clean=np.ma.masked_greater(IMAGES, 8.0))
    with pytest.raises(ValueError, match="at most 32 x 32"):
        digits(clean=np.ones((1, 33, 33)))


def test_the_schematic_counts_the_neurons_that_fire() -> None:
    assert "2 of the 5 hidden neurons (40 %)" in alt(schematic())
    assert "2 of 5 neurons fire" in texts(schematic())
