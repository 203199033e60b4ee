"""Images are cut into squares and split without loss."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.features import (
    SmoothedReLU,
    TrainingSettings,
    image_digits,
    train_images,
)
from sublinear_lib.features.images import ImageSet, image_patches

pytestmark = pytest.mark.either_way

RNG = np.random.default_rng(0)


def random_images(n: int, h: int, w: int, c: int) -> ImageSet:
    pixels = RNG.integers(0, 256, (n, h, w, c)).astype(np.uint8)
    return ImageSet(pixels, np.arange(n) % 10, 10, 255, "random")


# Patches.


@given(st.tuples(*[st.integers(1, 3)] * 3, st.integers(1, 4)), st.sampled_from([1, 3]))
@settings(deadline=None, max_examples=40)
def test_a_patch_is_a_square_of_the_image(sizes: tuple[int, int, int, int], c: int) -> None:
    n, rows, columns, side = sizes
    images = np.random.default_rng(1).normal(size=(n, rows * side, columns * side, c))
    patches = image_patches(images, side)
    assert patches.shape == (n, rows * columns, side * side * c)
    for p, (top, left) in enumerate(np.ndindex(rows, columns)):
        square = images[:, top * side : (top + 1) * side, left * side : (left + 1) * side]
        np.testing.assert_array_equal(patches[:, p], square.reshape(n, -1))
    np.testing.assert_array_equal(image_patches(images)[:, 0], images.reshape(n, -1))


def test_gray_images_need_no_channel() -> None:
    images = RNG.normal(size=(2, 4, 6))
    np.testing.assert_array_equal(image_patches(images, 2), image_patches(images[..., None], 2))


def test_an_image_set_gives_values_between_0_and_1() -> None:
    images = random_images(5, 4, 4, 3)
    patches = images.patches(2)
    assert patches.min() >= 0 and patches.max() <= 1
    np.testing.assert_array_equal(patches[:, 0, 0] * 255, images.pixels[:, 0, 0, 0])
    assert not images.pixels.flags.writeable and not images.y.flags.writeable


def test_a_split_holds_every_image_once() -> None:
    images = random_images(20, 2, 2, 1)
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


def test_patches_of_digits_can_be_used_too() -> None:
    chosen = TrainingSettings(
        samples=50, filters=2, activation=SmoothedReLU(3, 1.0), rate=0.1, steps=20
    )
    run = train_images(image_digits(), chosen, 1, patch=4)
    assert run.network.dim == 16 and run.patch == 4
    assert run.history.loss[-1] < run.history.loss[0]
    again = train_images(image_digits(), chosen, 1, patch=4)
    np.testing.assert_array_equal(run.network.weights, again.network.weights)
