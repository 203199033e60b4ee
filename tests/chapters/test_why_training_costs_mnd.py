"""The first page's pictures: who fires, sparse beside dense, and what an attack changes."""

from functools import partial

import numpy as np

from sublinear_lib.chapters.why_training_costs_mnd import figures
from tests.plotting.shown import lines, tells, texts

IMAGES = np.linspace(0, 16, 3 * 64).reshape(3, 64)
FALL = np.exp(-np.arange(20) / 9)
RUNS = {
    "steps": np.arange(1, 21),
    "loss": {"dense": FALL, "sparse": FALL},
    "activity": {"dense": np.ones(20), "sparse": np.full(20, 0.1)},
}
WORK = {"dense": [3670016, 0], "sparse": [300, 12.5]}
FIRING = [True, False, True, False, False]

losses = partial(figures.loss_and_activity, **RUNS, name="l")
bars = partial(figures.work_bars, phases=["forward", "backward"], **WORK, name="w")
READ = {"clean_labels": ["3", "8", "3"], "adversarial_labels": ["8", "8", "3"]}
FLIPPED = {"clean": IMAGES, "adversarial": IMAGES.reshape(3, 8, 8)[:, ::-1].reshape(3, 64), **READ}
digits = partial(figures.digit_gallery, **FLIPPED, name="d")
schematic = partial(figures.network_schematic, active=FIRING, name="n")


def test_equal_runs_are_called_the_same_curve_and_unequal_ones_are_not():
    tells(losses(), "the sparse run goes from 1 to 0.121; the same curve")
    tells(losses(), "dense 100 %, sparse 10 % on average")
    other = losses(loss={"dense": FALL, "sparse": FALL * (1 + 1e-6)})
    tells(other, "the dense run ends at 0.121")
    assert "the same curve" not in other.alt
    np.testing.assert_array_equal(lines(losses(), "c1")[0][:, 1], FALL)


def test_bars_and_neurons_carry_their_numbers():
    assert {"3 670 016 dense", "0 dense", "300 sparse", "12.5 sparse"} <= set(texts(bars()))
    tells(bars(), "forward: dense 3 670 016, sparse 300; backward: dense 0, sparse 12.5")
    axes = bars(dense=[4096, 4096], sparse=[300, 310])._figures[0].axes[0]
    assert [patch.get_width() for patch in axes.patches] == [4096, 300, 4096, 310]
    tells(schematic(), "2 of the 5 hidden neurons (40 %)")
    assert "2 of 5 neurons fire" in texts(schematic())


def test_the_gallery_gives_the_largest_change_and_the_labels():
    picture = digits(adversarial=IMAGES + 4.0)
    tells(picture, "The largest change of a pixel is 4, 25 % of the range")
    tells(picture, "Clean: 3, 8, 3. Under attack: 8, 8, 3.")
    assert texts(picture).count("3") == 3
    assert "<image" not in picture.html and "fill:currentColor" in picture.html
