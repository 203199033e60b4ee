"""Real images: the digits that come with scikit-learn.

Before changing anything, know that pixels stay integers until patches are cut: a data set of floats
would take eight times the memory.  scikit-learn is imported inside the function that uses it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sublinear_lib import validation
from sublinear_lib._arguments import Flag, checked
from sublinear_lib._typing import FloatArray, IntArray, Seed
from sublinear_lib.features.network import PatchNetwork
from sublinear_lib.features.training import LossHistory, TrainingSettings, checked_settings, fit

__all__ = ["image_digits", "train_images"]


@dataclass(frozen=True, eq=False)
class ImageSet:
    """Images with class labels; its arrays are frozen.

    Parameters
    ----------
    pixels : ndarray of uint8, shape (N, h, w, c)
        Gray (c = 1) or color (c = 3) values, copied unless read-only.
    y : array_like of int, shape (N,)
        Labels in 0, ..., classes - 1.
    classes : int
        The number k of classes, ``>= 2``.
    depth : int
        The largest value a pixel can have, 1 to 255; it is divided by this.
    name : str
        The name of the data set.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of this form.

    Examples
    --------
    >>> images = ImageSet(np.array([[[[0], [4]]]], dtype=np.uint8), [1], 2, 4, "two pixels")
    >>> images.patches()
    array([[[0., 1.]]])
    """

    pixels: NDArray[np.uint8]
    y: IntArray
    classes: int
    depth: int
    name: str

    def __post_init__(self) -> None:
        """Check and freeze."""
        settle = object.__setattr__
        pixels: Any = self.pixels
        if not isinstance(pixels, np.ndarray) or pixels.dtype != np.uint8:
            kind = pixels.dtype if isinstance(pixels, np.ndarray) else type(pixels).__name__
            raise TypeError(f"pixels must be an array of dtype uint8, got {kind}")
        if pixels.ndim != 4 or pixels.shape[3] not in (1, 3) or not pixels.size:
            raise ValueError(
                f"pixels must have shape (N, h, w, c) with c = 1 or 3, got {pixels.shape}"
            )
        settle(self, "classes", validation.count(self.classes, "classes", minimum=2))
        settle(self, "depth", validation.count(self.depth, "depth", maximum=255))
        if not isinstance(self.name, str):
            raise TypeError(f"name must be a string, got {type(self.name).__name__}")
        if pixels.max() > self.depth:
            raise ValueError(f"pixels must be at most depth = {self.depth}, got {pixels.max()}")
        y = validation.index_array(self.y, "y", upper=self.classes)
        if len(y) != len(pixels):
            raise ValueError(
                f"pixels and y must have the same length, got {len(pixels)} and {len(y)}"
            )
        for field, array in (("pixels", pixels), ("y", y)):
            if array.flags.writeable:
                array = array.copy()
                array.flags.writeable = False
            settle(self, field, array)

    def __len__(self) -> int:
        """Return the number N of images."""
        return len(self.pixels)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Height, width and number of channels."""
        h, w, c = self.pixels.shape[1:]
        return h, w, c

    def take(self, rows: object) -> ImageSet:
        """Return some of the images.

        Here `rows` (n,): which, at least one.

        Raises TypeError, ValueError: if there are no such rows.
        """
        chosen = validation.index_array(rows, "rows", upper=len(self), allow_empty=False)
        return ImageSet(self.pixels[chosen], self.y[chosen], self.classes, self.depth, self.name)

    def split(self, n: int, rng: Seed) -> tuple[ImageSet, ImageSet]:
        """Split at random.

        Here `n`: how many images the first part gets, ``1 <= n < N``.

        Returned: `first, second`: n images, and the others.

        Raises TypeError, ValueError: if an argument is not of this form.
        """
        first = validation.count(n, "n", maximum=len(self) - 1)
        order = validation.generator(rng).permutation(len(self))
        return self.take(order[:first]), self.take(order[first:])

    def patches(self, size: int | None = None) -> FloatArray:
        """Cut the images into patches.

        Here `size`: the side of a patch in pixels, a divisor of height and width; without it the
        whole image is one patch.

        Values in [0, 1], see `image_patches`.

        Raises TypeError, ValueError: if `size` is no such number.
        """
        return image_patches(self.pixels / np.float64(self.depth), size)


def image_patches(images: object, size: int | None = None) -> FloatArray:
    """Cut images into patches that do not overlap.

    Here `images` (N, h, w): the images; any finite numbers; `size`: the side of a patch in pixels,
    a divisor of height and width; without it the whole image is one patch.

    Patches from left to right and from top to bottom; a patch holds its rows one after the other,
    the channels of a pixel side by side.

    >>> image_patches(np.arange(16.0).reshape(1, 4, 4), 2)[0]
    array([[ 0.,  1.,  4.,  5.],
           [ 2.,  3.,  6.,  7.],
           [ 8.,  9., 12., 13.],
           [10., 11., 14., 15.]])
    """
    array = validation.float_array(images, "images")
    if array.ndim == 3:
        array = array[..., None]
    if array.ndim != 4:
        raise ValueError(f"images must have shape (N, h, w) or (N, h, w, c), got {array.shape}")
    N, h, w, c = array.shape
    if size is None:
        return array.reshape(N, 1, h * w * c)
    side = validation.count(size, "size")
    if h % side or w % side:
        raise ValueError(f"size must divide height {h} and width {w}, got {side}")
    blocks = array.reshape(N, h // side, side, w // side, side, c).transpose(0, 1, 3, 2, 4, 5)
    return np.ascontiguousarray(blocks).reshape(N, -1, side * side * c)


def image_digits() -> ImageSet:
    """Return the 1797 handwritten digits that come with scikit-learn.

    8 x 8 gray images in 17 levels, 10 classes.

    >>> images = image_digits()
    >>> len(images), images.shape, images.patches(4).shape
    (1797, (8, 8, 1), (1797, 4, 16))
    """
    from sklearn.datasets import load_digits

    bunch = load_digits()
    pixels = np.asarray(bunch.images, dtype=np.uint8)[..., None]
    return ImageSet(pixels, np.asarray(bunch.target, dtype=np.int64), 10, 16, "digits")


# --------------------------------------------------------------------------------------------------
# Training
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ImageRun:
    """A finished training run on images.

    Attributes
    ----------
    network : PatchNetwork
        The network at the end.
    initial : PatchNetwork
        The network at the beginning.
    history : LossHistory
        What happened.
    train : ImageSet
        The images that it was trained on.
    test : ImageSet
        The others.
    patch : int or None
        The side of a patch; None for the whole image.
    settings : TrainingSettings
        How it was trained.
    """

    network: PatchNetwork
    initial: PatchNetwork
    history: LossHistory
    train: ImageSet
    test: ImageSet
    patch: int | None
    settings: TrainingSettings


@checked
def train_images(
    images: ImageSet,
    settings: TrainingSettings,
    seed: Seed,
    *,
    patch: int | None = None,
    progress: Flag = False,
) -> ImageRun:
    """Train the convolutional network on some of the images.

    Here `images`: more than ``settings.samples`` images; `settings`: how to train; a strong attack
    on images needs a warm-up, without which the network never leaves its initialization; `seed`:
    source of the choice of images, first weights and random starts, in this order; `patch`: the
    side of a patch; without it the whole image is one patch; `progress`: whether to show a bar.

    Raises FloatingPointError: if the weights grow beyond all numbers.

    >>> from sublinear_lib.features import SmoothedReLU
    >>> settings = TrainingSettings(
    ...     samples=100, filters=2, activation=SmoothedReLU(3, 1.0), rate=0.5, steps=60
    ... )
    >>> run = train_images(image_digits(), settings, seed=0)
    >>> len(run.train), len(run.test), bool(run.history.loss[-1] < run.history.loss[0])
    (100, 1697, True)
    """
    if not isinstance(images, ImageSet):
        raise TypeError(f"images must be an ImageSet, got {type(images).__name__}")
    checked_settings(settings)
    if settings.samples >= len(images):
        raise ValueError(
            f"settings.samples must be below the number {len(images)} of images, "
            f"got {settings.samples}"
        )
    dim = images.take([0]).patches(patch).shape[2]  # refuses a wrong size before anything is drawn
    rng = validation.generator(seed, "seed")
    train, test = images.split(settings.samples, rng)
    initial = settings.start(images.classes, dim, rng)
    network, history = fit(
        initial,
        train.patches(patch),
        train.y,
        rate=settings.rate,
        steps=settings.steps,
        attack=settings.attack,
        rng=rng,
        record_every=settings.record_every,
        progress=progress,
    )
    return ImageRun(network, initial, history, train, test, patch, settings)
