"""A table is read as it stands or refused with the place named; its map to X sees no test row."""

import math
import os
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib import estimator, geometry
from sublinear_lib.estimator import SublinearAdversarialClassifier
from sublinear_lib.tables import LEAST_ROWS, Table, covered_shift, lifted, read_table

ROWS = [f"{k},{k * k % 7},{'b' if k % 3 == 0 else 'a'}" for k in range(12)]
HEADER = "length,rest,kind"
ALL_A = [row[:-1] + "a" for row in ROWS]
SAME = [f"{k},{k % 5},{('1', '1.0')[k % 2]}" for k in range(12)]
SEMICOLONS = [line.replace(",", ";") for line in [HEADER, *ROWS]]


def written(folder, lines, name="mine.csv"):
    file = folder / name
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def changed(line, text):
    """Return the good file with one line (numbered from 1, as editors do) replaced."""
    lines = [HEADER, *ROWS]
    lines[line - 1] = text
    return lines


def test_a_file_is_read_in_its_own_order_with_its_own_names(tmp_path):
    table = read_table(written(tmp_path, [HEADER, *ROWS]), "kind")
    assert (table.n, table.p, table.name) == (12, 2, "mine")
    assert table.columns == ("length", "rest")
    assert table.class_names == ("a", "b")
    assert table.features[:, 0].tolist() == list(range(12))
    assert table.y.tolist() == [1.0 if k % 3 == 0 else -1.0 for k in range(12)]


def test_the_positive_class_and_the_features_can_be_chosen(tmp_path):
    file = written(tmp_path, [HEADER, *ROWS])
    table = read_table(file, "kind", positive="a", columns=["length"])
    assert table.class_names == ("b", "a")
    assert table.columns == ("length",)
    assert table.y[0] == -1.0


def test_spaces_a_byte_order_mark_empty_lines_and_another_delimiter_do_no_harm(tmp_path):
    file = tmp_path / "mine.csv"
    lines = [line.replace(",", " ; ") for line in [HEADER, *ROWS]]
    file.write_text("\ufeff" + "\r\n".join([*lines[:5], "", *lines[5:]]), encoding="utf-8")
    table = read_table(str(file), "kind", delimiter=";")
    assert table.features[:, 0].tolist() == list(range(12))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "with a header, but mine.csv is empty"),
        ([HEADER, *ROWS[:5]], f"at least {LEAST_ROWS} rows, got 5"),
        (["length,,kind", *ROWS], "got none for column 2 of 3"),
        (["kind,rest,kind", *ROWS], "got 'kind' 2 times"),
        (["length,rest,sort", *ROWS], r"label must be one of the columns .* got 'kind'"),
        (changed(4, "2,4"), "line 4 of mine.csv must have 3 cells .* got 2"),
        (changed(5, "3,many,b"), "line 5, column 'rest': a number is wanted, got 'many'"),
        (changed(5, "3,,b"), "line 5, column 'rest': a number is wanted, got an empty cell"),
        (changed(6, "4,nan,a"), "line 6, column 'rest': a finite number is wanted, got 'nan'"),
        (changed(7, "5,1,"), "line 7, column 'kind': a label is wanted"),
        (changed(7, "5,1,c"), "two classes, got 3 in 'kind': 'a', 'b', 'c'"),
        ([HEADER, ROWS[0], *ALL_A[1:]], "two rows or more of each class, got one of 'b'"),
        (changed(5, "٣,1,b"), "line 5, column 'length': a number is wanted, got '٣'"),
        ([HEADER, *SAME], "two classes, got '1' and '1.0' in 'kind', which are one number"),
        (["length,rest,kinds", *ROWS], "got 'kind'; did you mean 'kinds'"),
        (SEMICOLONS, "got 'kind'; the cells seem to be separated by ';', which `delimiter`"),
        (['"length";"rest";"kind"', *ROWS], "mine.csv: .*; the cells seem to be separated by ';'"),
        (["kind", *["a", "b"] * 6], "there must be a feature beside the label 'kind'"),
        (changed(4, '2,"4,a'), "path must name a CSV file"),
    ],
)
def test_a_bad_file_is_refused_with_the_place(tmp_path, lines, message):
    file = tmp_path / "mine.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_table(file, "kind")


def test_no_file_a_folder_and_bytes_that_are_no_text_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        read_table(tmp_path / "none.csv", "kind")
    with pytest.raises(ValueError, match="not a regular file"):
        read_table(tmp_path, "kind")
    (tmp_path / "image.csv").write_bytes(b"\x89PNG\r\n\xff\xfe")
    with pytest.raises(ValueError, match="UTF-8"):
        read_table(tmp_path / "image.csv", "kind")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"label": 3}, TypeError, "label must be of type str"),
        ({"positive": "c"}, ValueError, "positive must be one of the classes"),
        ({"columns": "rest"}, TypeError, "columns must be a sequence"),
        ({"columns": ["rest", "kind"]}, ValueError, "columns must be different features"),
        ({"columns": []}, ValueError, "there must be a feature"),
        ({"delimiter": ",,"}, ValueError, "delimiter must be one character"),
    ],
)
def test_bad_arguments_are_refused(tmp_path, arguments, error, message):
    file = written(tmp_path, [HEADER, *ROWS])
    with pytest.raises(error, match=message):
        read_table(file, **{"label": "kind", **arguments})
    with pytest.raises(TypeError, match="path must be a string or path-like"):
        read_table(7, "kind")


def test_the_time_for_a_header_grows_as_its_length(tmp_path):
    names = [f"c{k}" for k in range(20_000)]
    cells = ",".join("1" for _ in names)
    rows = [f"{cells},{'ab'[k % 2]}" for k in range(10)]
    file = written(tmp_path, [",".join([*names, "kind"]), *rows])
    began = time.process_time()
    assert read_table(file, "kind", columns=names).p == 20_000
    assert time.process_time() - began < 4.0
    with pytest.raises(ValueError, match=r"'c9', ... \(20001\), got 'kinds'; did you mean 'kind'"):
        read_table(file, "kinds")


@pytest.mark.skipif(os.name == "nt", reason="names of POSIX")
@pytest.mark.parametrize("name", ["a\x01b", os.fsdecode(b"\xff\xfe"), "a\nb", "a\x1b[2Jb"])
def test_a_file_whose_name_is_no_text_gives_a_table_with_one_that_is(tmp_path, name):
    made = read_table(written(tmp_path, [HEADER, *ROWS], f"{name}.csv"), "kind")
    assert made.name.isprintable()
    made.name.encode()
    with pytest.raises(FileNotFoundError) as caught:
        read_table(tmp_path / f"{name}.tsv", "kind")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("offset", "factor", "close"), [(1e15, 1.0, 0.01), (-1e12, 8.0, 1e-5), (0.0, 1e-200, 1e-12)]
)
def test_columns_far_from_zero_and_of_tiny_numbers_are_mapped_as_any(offset, factor, close):
    rows = np.array([[k, (k * k) % 11] for k in range(56)], dtype=float)
    kept = [
        Table(numbers, np.array([1.0, -1.0] * 28), ("a", "b"), ("no", "yes"), "t").split(0.3, rng=0)
        for numbers in (rows, np.column_stack([offset + factor * rows[:, 0], rows[:, 1]]))
    ]
    for plain, moved in zip(*kept, strict=True):
        assert np.abs(plain.X - moved.X).max() < close


def table(n=30, p=3, seed=0):
    rng = np.random.default_rng(seed)
    names = tuple(f"c{k}" for k in range(p))
    labels = np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
    return Table(rng.standard_normal((n, p)), labels, names, ("no", "yes"), "drawn")


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"features": np.zeros((3, 2))}, ValueError, "at least 10 rows"),
        ({"y": np.zeros(12)}, ValueError, "y must be -1 or 1"),
        ({"y": np.ones(12)}, ValueError, "both labels twice"),
        ({"columns": ("a",)}, ValueError, "columns must be 2 different names"),
        ({"class_names": ("x", "x")}, ValueError, "class_names must be 2 different"),
    ],
)
def test_a_bad_table_is_refused(change, error, message):
    good = {
        "features": np.arange(24.0).reshape(12, 2),
        "y": np.array([1.0, -1.0] * 6),
        "columns": ("a", "b"),
        "class_names": ("no", "yes"),
        "name": "t",
    }
    with pytest.raises(error, match=message):
        Table(**{**good, **change})


def test_the_map_is_that_of_the_estimator_and_sees_the_training_rows_alone():
    whole = table()
    train, test = whole.split(0.3, rng=5)
    assert train.n + test.n == whole.n
    assert train.d == whole.p + 2
    back = train.slice_map
    at = [
        int(np.argmin(np.abs(whole_points - x).max(axis=1)))
        for whole_points in [back.transform(lifted(whole.features))]
        for x in train.X
    ]
    assert len(set(at)) == train.n
    model = SublinearAdversarialClassifier(n_neurons=8, n_steps=1)
    model.fit(whole.features[at], whole.y[at])
    mapped = estimator._points(whole.features[at], model.mean_, model.scale_)
    assert np.abs(mapped - train.X).max() < 1e-14
    # Other test rows, same training rows: the training part does not move.
    moved = whole.features.copy()
    others = sorted(set(range(whole.n)) - set(at))
    moved[others] *= 10.0
    again, _ = Table(moved, whole.y, whole.columns, whole.class_names, "x").split(0.3, rng=5)
    assert np.array_equal(again.X, train.X)
    assert set(train.y) == set(test.y) == {-1.0, 1.0}
    with pytest.raises(ValueError, match="test_fraction"):
        whole.split(1.0, rng=0)


@settings(max_examples=60)
@given(st.integers(1, 6), st.floats(0.0, 1.8), st.integers(0, 10**6), st.floats(0.0, 1.0))
def test_a_shift_that_is_covered_stays_in_the_cap(p, rho, seed, share):
    rng = np.random.default_rng(seed)
    z = 2.0 * rng.standard_normal((40, p))
    u = rng.standard_normal((40, p))
    u *= share * covered_shift(rho, p) / np.linalg.norm(u, axis=1, keepdims=True)
    q, r = lifted(z), lifted(z + u)
    cosine = np.sum(q * r, axis=1) / np.linalg.norm(q, axis=1) / np.linalg.norm(r, axis=1)
    chord = math.sqrt(0.75) * np.sqrt(np.maximum(0.0, 2.0 - 2.0 * cosine))
    assert chord.max() <= rho + 1e-7


def test_the_covered_shift_is_best_possible_at_the_mean_for_small_radii():
    # At z = 0 a shift of sqrt(p) tan(theta) reaches the rim: only a factor cos(theta) is lost.
    p, rho = 4, 0.05
    theta = geometry.cap_angle(rho)
    assert covered_shift(rho, p) == pytest.approx(2.0 * math.sin(theta), rel=1e-12)
    beyond = covered_shift(rho, p) / math.cos(theta) * 1.001
    q, r = lifted(np.zeros((1, p)))[0], lifted([[beyond, 0.0, 0.0, 0.0]])[0]
    angle = math.acos(q @ r / np.linalg.norm(q) / np.linalg.norm(r))
    assert angle > theta
    with pytest.raises(ValueError, match="rho"):
        covered_shift(-0.1, 3)
