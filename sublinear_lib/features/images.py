"""Real images: the digits that come with scikit-learn.

Before changing anything, know that pixels stay integers until patches are asked for: a data set of
floats would take eight times the memory.  scikit-learn is imported inside the function that uses
it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sublinear_lib import validation
from sublinear_lib._arguments import checked
from sublinear_lib._typing import FloatArray, IntArray, Seed
from sublinear_lib.features.network import PatchNetwork
from sublinear_lib.features.training import LossHistory, TrainingSettings, fit

__all__ = ["image_digits", "train_images"]


@dataclass(frozen=True, eq=False)
class ImageSet:
    """Gray images with class labels.

    Fields: `pixels` (N, h, w): the values, 0 to 16; `y` (N,): labels in 0, ..., 9.
    """

    pixels: NDArray[np.uint8]
    y: IntArray

    def __len__(self) -> int:
        return len(self.pixels)

    def take(self, rows: object) -> ImageSet:
        """Return some of the images."""
        chosen = validation.index_array(rows, "rows", upper=len(self), allow_empty=False)
        return replace(self, pixels=self.pixels[chosen], y=self.y[chosen])

    def split(self, n: int, rng: Seed) -> tuple[ImageSet, ImageSet]:
        """Split at random into n images, ``1 <= n < N``, and the others."""
        first = validation.count(n, "n", maximum=len(self) - 1)
        order = validation.generator(rng).permutation(len(self))
        return self.take(order[:first]), self.take(order[first:])

    def patches(self) -> FloatArray:
        """Return every image as one patch, with values in [0, 1], shape (N, 1, h w)."""
        return self.pixels.reshape(len(self), 1, -1) / 16.0


def image_digits() -> ImageSet:
    """Return the 1797 handwritten digits that come with scikit-learn.

    8 x 8 gray images in 17 levels, 10 classes.

    >>> images = image_digits()
    >>> len(images), images.patches().shape
    (1797, (1797, 1, 64))
    """
    from sklearn.datasets import load_digits

    bunch = load_digits()
    pixels = np.asarray(bunch.images, dtype=np.uint8)
    return ImageSet(pixels, np.asarray(bunch.target, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class ImageRun:
    """A finished training run on images.

    Fields: `network`: the network at the end; `history`: what happened; `train`: the images that it
    was trained on; `test`: the others.
    """

    network: PatchNetwork
    history: LossHistory
    train: ImageSet
    test: ImageSet


@checked
def train_images(images: ImageSet, settings: TrainingSettings, seed: Seed) -> ImageRun:
    """Train the convolutional network on some of the images.

    More than ``settings.samples`` images are needed.  A strong attack on images needs a warm-up,
    without which the network never leaves its initialization.  The seed gives the choice of images,
    first weights and random starts, in this order.

    >>> from sublinear_lib.features import SmoothedReLU
    >>> settings = TrainingSettings(
    ...     samples=100, filters=2, activation=SmoothedReLU(3, 1.0), rate=0.5, steps=60
    ... )
    >>> run = train_images(image_digits(), settings, seed=0)
    >>> len(run.train), len(run.test), bool(run.history.loss[-1] < run.history.loss[0])
    (100, 1697, True)
    """
    validation.instance(images, "images", ImageSet)
    validation.instance(settings, "settings", TrainingSettings)
    if settings.samples >= len(images):
        raise ValueError(
            f"settings.samples must be below the number {len(images)} of images, "
            f"got {settings.samples}"
        )
    rng = validation.generator(seed, "seed")
    train, test = images.split(settings.samples, rng)
    initial = settings._start(10, images.pixels[0].size, rng)
    network, history = fit(
        initial,
        train.patches(),
        train.y,
        rate=settings.rate,
        steps=settings.steps,
        attack=settings.attack,
        rng=rng,
        record_every=settings.record_every,
    )
    return ImageRun(network, history, train, test)
