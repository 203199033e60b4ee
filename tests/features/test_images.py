"""Images are split without loss."""

from __future__ import annotations

import numpy as np
import pytest

from sublinear_lib.features import (
    SmoothedReLU,
    TrainingSettings,
    image_digits,
    train_images,
)

pytestmark = pytest.mark.either_way


def test_a_split_holds_every_image_once() -> None:
    images = image_digits().take(np.arange(20))
    first, second = images.split(7, rng=3)
    assert len(first) == 7 and len(second) == 13
    both = np.concatenate([first.pixels, second.pixels]).reshape(20, -1)
    order = np.lexsort(both.T)
    expected = images.pixels.reshape(20, -1)
    np.testing.assert_array_equal(both[order], expected[np.lexsort(expected.T)])
    np.testing.assert_array_equal(images.split(7, rng=3)[0].pixels, first.pixels)


def test_the_bundled_digits_are_those_of_scikit_learn() -> None:
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    images = image_digits()
    np.testing.assert_array_equal(images.patches()[:, 0] * 16, X)
    np.testing.assert_array_equal(images.y, y)


# Training.


def test_training_on_digits_begins_anew_from_its_seed() -> None:
    chosen = TrainingSettings(
        samples=50, filters=2, activation=SmoothedReLU(3, 1.0), rate=0.1, steps=20
    )
    run = train_images(image_digits(), chosen, 1)
    assert run.network.dim == 64
    assert run.history.loss[-1] < run.history.loss[0]
    again = train_images(image_digits(), chosen, 1)
    np.testing.assert_array_equal(run.network.weights, again.network.weights)
