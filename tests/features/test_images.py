"""Images are cut and read as their formats say, and foreign or broken files are refused by name."""

from __future__ import annotations

import gzip
import io
import pickle
import struct
import tarfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io import savemat

from sublinear_lib.features import (
    ImageSet,
    SmoothedReLU,
    TrainingAttack,
    TrainingSettings,
    gradient_attack,
    image_digits,
    image_patches,
    read_cifar10,
    read_mnist,
    read_svhn,
    train_images,
)

pytestmark = pytest.mark.either_way

RNG = np.random.default_rng(0)


def random_images(n: int, h: int, w: int, c: int) -> ImageSet:
    pixels = RNG.integers(0, 256, (n, h, w, c)).astype(np.uint8)
    return ImageSet(pixels, np.arange(n) % 10, 10, 255, "random")


# Patches.


@given(
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 4),
    st.sampled_from([1, 3]),
)
@settings(deadline=None, max_examples=40)
def test_a_patch_is_a_square_of_the_image(
    n: int, rows: int, columns: int, side: int, c: int
) -> None:
    images = np.random.default_rng(1).normal(size=(n, rows * side, columns * side, c))
    patches = image_patches(images, side)
    assert patches.shape == (n, rows * columns, side * side * c)
    for p in range(rows * columns):
        top, left = divmod(p, columns)
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


# MNIST.


def idx(array: np.ndarray, code: int = 0x08) -> bytes:
    head = struct.pack(">BBBB", 0, 0, code, array.ndim) + struct.pack(
        f">{array.ndim}I", *array.shape
    )
    return head + array.tobytes()


@pytest.mark.parametrize("compress", [False, True])
def test_mnist_files_come_back(tmp_path: Path, compress: bool) -> None:
    images = random_images(12, 28, 28, 1)
    pack = gzip.compress if compress else bytes
    (tmp_path / "i").write_bytes(pack(idx(images.pixels[..., 0])))
    (tmp_path / "l").write_bytes(pack(idx(images.y.astype(np.uint8))))
    found = read_mnist(tmp_path / "i", str(tmp_path / "l"))
    np.testing.assert_array_equal(found.pixels, images.pixels)
    np.testing.assert_array_equal(found.y, images.y)
    assert (found.classes, found.depth, found.shape) == (10, 255, (28, 28, 1))


def test_broken_mnist_files_are_refused_by_name(tmp_path: Path) -> None:
    images = random_images(12, 5, 4, 1)
    good, labels = tmp_path / "good", tmp_path / "labels"
    good.write_bytes(idx(images.pixels[..., 0]))
    labels.write_bytes(idx(images.y.astype(np.uint8)))
    bad = tmp_path / "bad-file"
    for content, message in (
        (good.read_bytes()[:-1], "bad-file has only 239"),
        (b"", "bad-file starts with nothing"),
        (gzip.compress(good.read_bytes())[:-9], "bad-file"),
        (
            labels.read_bytes(),
            r"bytes, shape \(N, h, w\), but .*bad-file has uint8 of shape \(12,\)",
        ),
        (idx(np.zeros((0, 5, 4), np.uint8)), "bad-file has uint8 of shape"),
    ):
        bad.write_bytes(content)
        with pytest.raises(ValueError, match=message):
            read_mnist(bad, labels)
    for content, message in (
        (
            idx(np.zeros(11, np.uint8)),
            r"12 bytes 0, ..., 9, but .*bad-file has uint8 of shape \(11,\)",
        ),
        (idx(np.full(12, 10, np.uint8)), r"shape \(12,\) up to 10"),
        (good.read_bytes(), "labels must name an IDX file of 12 bytes"),
    ):
        bad.write_bytes(content)
        with pytest.raises(ValueError, match=message):
            read_mnist(good, bad)
    with pytest.raises(FileNotFoundError, match=r"labels must name a file, but .*nothing does not"):
        read_mnist(good, tmp_path / "nothing")
    with pytest.raises(ValueError, match="images must name a regular file"):
        read_mnist(tmp_path, labels)
    with pytest.raises(TypeError, match="images must be a string or path-like, got int"):
        read_mnist(3, labels)  # type: ignore[arg-type]


# CIFAR-10.


def cifar(images: ImageSet) -> bytes:
    records = [
        bytes([int(label)]) + image.transpose(2, 0, 1).tobytes()
        for image, label in zip(images.pixels, images.y, strict=True)
    ]
    return b"".join(records)


@pytest.mark.parametrize("compress", [False, True])
def test_cifar_files_come_back(tmp_path: Path, compress: bool) -> None:
    images = random_images(11, 32, 32, 3)
    pack = gzip.compress if compress else bytes
    one, two = tmp_path / "data_batch_1.bin", tmp_path / "data_batch_2.bin"
    one.write_bytes(pack(cifar(images.take(range(4)))))
    two.write_bytes(pack(cifar(images.take(range(4, 11)))))
    found = read_cifar10([one, str(two)])
    np.testing.assert_array_equal(found.pixels, images.pixels)
    np.testing.assert_array_equal(found.y, images.y)
    np.testing.assert_array_equal(read_cifar10(one).pixels, images.pixels[:4])


class Bomb:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (pytest.fail, ("the pickle was loaded",))


def test_the_pickled_version_of_cifar_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "data_batch_1"
    whole = 3073 * 2
    for protocol in (2, 4):
        content = pickle.dumps({b"data": Bomb()}, protocol=protocol)
        for padding in (0, whole - len(content)):
            path.write_bytes(content + bytes(padding))
            with pytest.raises(
                ValueError, match=r"data_batch_1 looks like a pickle.*binary version"
            ):
                read_cifar10(path)


def test_broken_cifar_files_are_refused_by_name(tmp_path: Path) -> None:
    content = cifar(random_images(3, 32, 32, 3))
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        info = tarfile.TarInfo("data_batch_1.bin")
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    bad = tmp_path / "bad-file"
    for broken, message in (
        (b"", "bad-file has 0 bytes, no positive multiple of 3073"),
        (content[:-1], "bad-file has 9218 bytes"),
        (content + b"x", "bad-file has 9220 bytes"),
        (gzip.compress(content)[:-20], "bad-file is no intact gzip file"),
        (archive.getvalue(), "bad-file is a tar archive: unpack it first"),
        (content[:3073] + b"\x0c" + content[3074:], "bad-file has the label 12 in record 1"),
    ):
        bad.write_bytes(broken)
        with pytest.raises(ValueError, match=message):
            read_cifar10(bad)
    with pytest.raises(ValueError, match="paths must name at least one file, got none"):
        read_cifar10([])
    with pytest.raises(FileNotFoundError, match="missing does not exist"):
        read_cifar10([tmp_path / "missing"])
    with pytest.raises(TypeError, match="paths must be a string or path-like, got int"):
        read_cifar10(7)  # type: ignore[arg-type]


# SVHN.


@pytest.mark.parametrize("compress", [False, True])
def test_svhn_files_come_back_with_zero_as_zero(tmp_path: Path, compress: bool) -> None:
    images = random_images(13, 32, 32, 3)
    y = np.where(images.y == 0, 10, images.y).astype(np.uint8)[:, None]
    path = tmp_path / "test_32x32.mat"
    savemat(path, {"X": images.pixels.transpose(1, 2, 3, 0), "y": y}, do_compression=compress)
    found = read_svhn(path)
    np.testing.assert_array_equal(found.pixels, images.pixels)
    np.testing.assert_array_equal(found.y, images.y)


def test_broken_svhn_files_are_refused_by_name(tmp_path: Path) -> None:
    X, y = np.zeros((4, 4, 3, 5), np.uint8), np.arange(1.0, 6.0)[:, None]
    bad = tmp_path / "bad-file.mat"
    for arrays, message in (
        ({"X": X}, "bad-file.mat has no y"),
        ({"y": y}, "bad-file.mat has no X"),
        ({"X": X.astype(float), "y": y}, "has X of float64"),
        ({"X": X[:, :, :2], "y": y}, "has X of uint8 and shape"),
        ({"X": X, "y": y[:4]}, "not 5 labels 1, ..., 10"),
        ({"X": X, "y": y - 1}, "not 5 labels 1, ..., 10"),
        ({"X": X, "y": "abcde"}, "not 5 labels 1, ..., 10"),
    ):
        savemat(bad, arrays)
        with pytest.raises(ValueError, match=message):
            read_svhn(bad)
    savemat(bad, {"X": X, "y": y})
    content = bad.read_bytes()
    for broken, message in (
        (b"", "starts with b''"),
        (b"hello", "starts with b'hello'"),
        (b"\x89HDF\r\n\x1a\n" + content, r"MATLAB 7.3 \(HDF5\) file"),
        (b"MATLAB 7.3 MAT-file".ljust(512) + b"\x89HDF\r\n", r"MATLAB 7.3 \(HDF5\) file"),
        (pickle.dumps(X), "bad-file.mat starts with"),
    ):
        bad.write_bytes(broken)
        with pytest.raises(ValueError, match=message):
            read_svhn(bad)
    with pytest.raises(FileNotFoundError, match=r"missing.mat does not exist"):
        read_svhn(tmp_path / "missing.mat")


@pytest.mark.parametrize("compress", [False, True])
def test_an_svhn_file_cut_anywhere_is_refused(tmp_path: Path, compress: bool) -> None:
    X = RNG.integers(0, 256, (4, 4, 3, 5)).astype(np.uint8)
    path = tmp_path / "whole.mat"
    savemat(path, {"X": X, "y": np.arange(1.0, 6.0)}, do_compression=compress)
    content = path.read_bytes()
    cut = tmp_path / "cut.mat"
    for length in range(0, len(content) - 1, 7):
        cut.write_bytes(content[:length])
        with pytest.raises(ValueError, match=r"cut.mat"):
            read_svhn(cut)


def test_a_damaged_svhn_file_gives_an_error_or_an_image_set(tmp_path: Path) -> None:
    X = RNG.integers(0, 256, (4, 4, 3, 5)).astype(np.uint8)
    path = tmp_path / "whole.mat"
    savemat(path, {"X": X, "y": np.arange(1.0, 6.0)}, do_compression=True)
    content = bytearray(path.read_bytes())
    rng = np.random.default_rng(4)
    for _ in range(60):
        broken = content.copy()
        broken[rng.integers(10, len(content))] ^= int(rng.integers(1, 256))
        path.write_bytes(broken)
        try:
            assert isinstance(read_svhn(path), ImageSet)
        except ValueError as error:
            assert "whole.mat" in str(error)


# Training.


def digit_settings(eps: float, warm_up: tuple[int, int] | None) -> TrainingSettings:
    attack = TrainingAttack(
        eps=eps, rule="sign", steps=3, random_start=True, warm_up=warm_up, box=(0, 1)
    )
    return TrainingSettings(
        samples=300, filters=4, activation=SmoothedReLU(3, 1.0), rate=0.5, steps=400, attack=attack
    )


def test_with_a_warm_up_the_digits_are_learned_robustly_and_without_it_not_at_all() -> None:
    digits = image_digits()
    warm = train_images(digits, digit_settings(0.15, (60, 300)), 0)
    cold = train_images(digits, digit_settings(0.15, None), 0)
    plain = train_images(digits, digit_settings(0.0, None), 0)
    X, y = plain.test.patches()[:300], plain.test.y[:300]
    assert warm.network.error(X, y) < 0.2 and plain.network.error(X, y) < 0.1
    assert cold.history.loss[-1] > 0.99 * np.log(10)
    broken = [
        gradient_attack(run.network, X, y, 0.1, rng=0, box=(0, 1), steps=10).error
        for run in (plain, warm)
    ]
    assert broken[0] > broken[1] + 0.08


def test_patches_of_digits_can_be_used_too() -> None:
    chosen = TrainingSettings(
        samples=50, filters=2, activation=SmoothedReLU(3, 1.0), rate=0.1, steps=20
    )
    run = train_images(image_digits(), chosen, 1, patch=4)
    assert run.network.dim == 16 and run.patch == 4
    assert run.history.loss[-1] < run.history.loss[0]
    again = train_images(image_digits(), chosen, 1, patch=4)
    np.testing.assert_array_equal(run.network.weights, again.network.weights)


def test_bad_input_is_refused_by_name() -> None:
    images = random_images(3, 4, 4, 1)
    with pytest.raises(ValueError, match="images must contain finite numbers only, got nan"):
        image_patches(np.full((1, 2, 2), np.nan))
    with pytest.raises(ValueError, match=r"images must have shape \(N, h, w\) or"):
        image_patches(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="size must divide height 4 and width 4, got 3"):
        images.patches(3)
    with pytest.raises(TypeError, match="pixels must be an array of dtype uint8, got float64"):
        ImageSet(np.zeros((1, 2, 2, 1)), [0], 2, 1, "x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="pixels must be an array of dtype uint8, got list"):
        ImageSet([[0]], [0], 2, 1, "x")  # type: ignore[arg-type]
    bytes_ = np.ones((1, 2, 2, 1), np.uint8)
    with pytest.raises(ValueError, match=r"pixels must have shape \(N, h, w, c\) with c = 1 or 3"):
        ImageSet(bytes_[..., 0], [0], 2, 1, "x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="pixels and y must have the same length, got 1 and 2"):
        ImageSet(bytes_, [0, 1], 2, 1, "x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="pixels must be at most depth = 3, got 7"):
        ImageSet(7 * bytes_, [0], 2, 3, "x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="name must be a string"):
        ImageSet(bytes_, [0], 2, 1, 5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="n must be an integer >= 1 and <= 2, got 3"):
        images.split(3, 0)
    with pytest.raises(ValueError, match="rows must contain indices >= 0 and < 3"):
        images.take([3])
    with pytest.raises(TypeError, match="images must be an ImageSet, got ndarray"):
        train_images(images.pixels, TrainingSettings(), 0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="settings must be TrainingSettings"):
        train_images(images, None, 0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"settings.samples must be below the number 3 of images"):
        train_images(images, TrainingSettings(samples=3), 0)
    rng, untouched = np.random.default_rng(5), np.random.default_rng(5)
    with pytest.raises(ValueError, match="size must divide height 4 and width 4, got 3"):
        train_images(images, TrainingSettings(samples=2), rng, patch=3)
    with pytest.raises(TypeError, match="progress must be True or False"):
        train_images(images, TrainingSettings(samples=2), rng, progress=1)  # type: ignore[arg-type]
    assert rng.uniform() == untouched.uniform()
