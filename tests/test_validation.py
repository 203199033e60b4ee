"""Bad arguments raise with name, value and what is allowed; good ones come through unchanged."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal
from scipy import sparse

from sublinear_lib import validation

# ---------------------------------------------------------------------------
# arrays


@settings(deadline=None)
@given(
    st.one_of(
        hnp.arrays(hnp.integer_dtypes(), (2, 3), elements={"min_value": 0, "max_value": 100}),
        hnp.arrays(
            hnp.floating_dtypes(sizes=(16, 32, 64)),
            (2, 3),
            elements={"allow_nan": False, "allow_infinity": False},
        ),
    )
)
def test_arrays_of_numbers_come_back_as_float64_with_the_same_values(value):
    found = validation.float_array(value, "W", shape=("m", 3))
    assert found.dtype == np.float64
    assert found.dtype.isnative
    assert found.flags.c_contiguous
    assert_array_equal(found, value.astype(np.float64))


@settings(deadline=None)
@given(
    st.lists(
        st.lists(st.floats(-1e9, 1e9) | st.integers(-99, 99), min_size=2, max_size=2), min_size=1
    )
)
def test_nested_sequences_come_back_with_the_same_values(rows):
    found = validation.float_array(rows, "W", shape=(None, 2))
    assert found.tolist() == [[float(v) for v in row] for row in rows]


def test_fitting_arrays_are_not_copied_and_others_are_made_contiguous():
    array = np.arange(6.0).reshape(2, 3)
    assert validation.float_array(array, "W") is array
    turned = validation.float_array(array.T, "W")
    assert turned.flags.c_contiguous
    assert_array_equal(turned, array.T)
    assert validation.float_array(3, "tau").shape == ()


def test_the_input_of_a_refused_array_is_left_alone():
    array = np.array([1.0, np.nan])
    with pytest.raises(ValueError, match="got nan at index 1"):
        validation.float_array(array, "y")
    assert array[0] == 1.0
    assert math.isnan(array[1])


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (
            [1.0, np.nan, np.inf],
            ValueError,
            "y must contain finite numbers only, got nan at index 1",
        ),
        ([1.0, -np.inf], ValueError, "y must contain finite numbers only, got -inf at index 1"),
        ([[1.0, 2.0], [3.0, np.inf]], ValueError, r"got inf at index \(1, 1\)"),
        (np.float64("nan"), ValueError, "y must contain finite numbers only, got nan$"),
        ([True, False], TypeError, "y must contain real numbers only, got True of type bool at"),
        ([1.0, True], TypeError, "got True of type bool at index 1"),
        (np.array([True]), TypeError, "y must contain real numbers of at most 64 bits, got an ar"),
        (["1"], TypeError, "y must contain real numbers only, got '1' of type str at index 0"),
        ("12", TypeError, "got '12' of type str$"),
        (np.array(["1"]), TypeError, "got an array of dtype <U1"),
        ([1 + 2j], TypeError, "got .* of type complex"),
        (np.array([1j]), TypeError, "dtype complex128"),
        ([None], TypeError, "got None of type NoneType at index 0"),
        (None, TypeError, "got None of type NoneType$"),
        ({"a": 1}, TypeError, "of type dict"),
        (np.array([1, None]), TypeError, "dtype object"),
        ([Fraction(1, 2)], TypeError, "of type Fraction"),
        (np.array(["2024-01-01"], dtype="datetime64[D]"), TypeError, "datetime64"),
        ([[1.0, 2.0], [3.0]], ValueError, "y must be a rectangular array of numbers"),
        ([[[1.0], [2.0]], [[1.0, 2.0], [2.0]]], ValueError, "y must be a rectangular array"),
        ([2**53 + 1], ValueError, r"integers up to 2\*\*53 .*got 9007199254740993 at index 0"),
        ([0.5, -(2**53) - 1], ValueError, r"got -9007199254740993 at index 1"),
        (np.array([2**53 + 1]), ValueError, "got 9007199254740993 at index 0"),
        (np.array([-(2**53) - 1]), ValueError, "got -9007199254740993 at index 0"),
        (np.array([[-(2**63)]]), ValueError, r"got -9223372036854775808 at index \(0, 0\)"),
        (np.array([2**64 - 1], dtype=np.uint64), ValueError, "got 18446744073709551615"),
        (2**80, ValueError, f"got {2**80}$"),
        (np.ma.masked_array([1.0, 2.0], [False, True]), TypeError, "got a masked array"),
        (sparse.csr_matrix([[1.0]]), TypeError, "must be a dense array of numbers, got the sparse"),
        ([], ValueError, r"y must not be empty, got an array of shape \(0,\)"),
        (np.zeros((0, 3)), ValueError, r"y must not be empty, got an array of shape \(0, 3\)"),
    ],
)
def test_arrays_that_are_not_finite_real_numbers_are_refused(value, error, message):
    with pytest.raises(error, match=message):
        validation.float_array(value, "y")


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize <= 8, reason="no extended precision here")
def test_extended_precision_is_refused_rather_than_rounded():
    for value in (np.ones(2, dtype=np.longdouble), [np.longdouble(1)], np.longdouble(1)):
        with pytest.raises(TypeError, match="y must contain real numbers"):
            validation.float_array(value, "y")
    with pytest.raises(TypeError, match="tau must be a finite number"):
        validation.scalar(np.longdouble(1), "tau")


def test_the_largest_exact_integers_are_allowed():
    for value in (2**53, -(2**53)):
        assert validation.float_array([value], "y")[0] == value
        assert validation.float_array(np.array([value]), "y")[0] == value
        assert validation.scalar(value, "tau") == value


def test_empty_arrays_are_allowed_where_asked_for():
    assert validation.float_array([], "y", allow_empty=True).shape == (0,)
    assert validation.float_array(np.zeros((0, 3)), "X", shape=("n", 3), allow_empty=True).size == 0


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ((3,), "(3,)"),
        (("m", 3), "(m, 3)"),
        ((None, 3), "(n, 3)"),
        ((1, 2, 2), "(1, 2, 2)"),
        ((), "()"),
    ],
)
def test_wrong_shapes_are_refused_with_both_shapes(shape, text):
    expected = f"W must have shape {text}, got (2, 2)"
    with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"):
        validation.float_array(np.ones((2, 2)), "W", shape=shape)


# ---------------------------------------------------------------------------
# numbers


@pytest.mark.parametrize(
    "value", [2, 2.0, np.int8(2), np.uint64(2), np.float16(2), np.float32(2), np.array(2.0)]
)
def test_numbers_come_back_as_python_floats(value):
    found = validation.scalar(value, "tau")
    assert found == 2.0
    assert type(found) is float


@pytest.mark.parametrize(
    "value",
    [
        True,
        np.True_,
        "1",
        None,
        1j,
        [1.0],
        np.array([1.0]),
        np.array(True),
        Fraction(1),
        np.array("1"),
    ],
)
def test_other_things_are_not_numbers(value):
    with pytest.raises(TypeError, match=r"^tau must be a finite number >= 0, got "):
        validation.scalar(value, "tau", minimum=0)


def test_ranges_of_numbers_include_or_exclude_their_ends():
    assert validation.scalar(0, "tau", minimum=0) == 0.0
    assert validation.scalar(1, "p", maximum=1) == 1.0
    assert validation.scalar(0.5, "p", exclusive_minimum=0, exclusive_maximum=1) == 0.5
    for value, limits, text in [
        (-1e-300, {"minimum": 0}, ">= 0"),
        (np.nextafter(1.0, 2.0), {"maximum": 1}, "<= 1"),
        (0.0, {"exclusive_minimum": 0, "maximum": 1}, "> 0 and <= 1"),
        (1.0, {"minimum": 0, "exclusive_maximum": 1}, ">= 0 and < 1"),
        (math.nan, {"minimum": 0}, ">= 0"),
        (math.inf, {"minimum": 0}, ">= 0"),
    ]:
        expected = f"p must be a finite number {text}, got {value}"
        with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"):
            validation.scalar(value, "p", **limits)
    with pytest.raises(ValueError, match=r"^x must be a finite number, got -inf$"):
        validation.scalar(-math.inf, "x")
    with pytest.raises(ValueError, match=r"x must hold numbers that float64 represents exactly"):
        validation.scalar(2**53 + 1, "x")


@pytest.mark.parametrize("value", [3, np.int32(3), np.uint8(3), np.array(3)])
def test_counts_come_back_as_python_integers(value):
    found = validation.count(value, "m")
    assert found == 3
    assert type(found) is int


@pytest.mark.parametrize(
    "value", [3.0, np.float64(3), True, np.True_, "3", None, [3], np.array([3, 4]), np.array(3.0)]
)
def test_what_is_not_an_integer_is_not_a_count(value):
    with pytest.raises(TypeError, match=r"^m must be an integer >= 1, got "):
        validation.count(value, "m")


def test_counts_out_of_range_are_refused():
    with pytest.raises(ValueError, match=r"^m must be an integer >= 1, got 0$"):
        validation.count(0, "m")
    with pytest.raises(ValueError, match=r"^k must be an integer >= 0 and <= 5, got 6$"):
        validation.count(6, "k", minimum=0, maximum=5)
    assert validation.count(0, "k", minimum=0, maximum=0) == 0


def test_only_truth_values_are_booleans():
    assert validation.boolean(True, "strict") is True
    assert validation.boolean(np.False_, "strict") is False
    for value in (1, 0.0, "yes", None):
        with pytest.raises(TypeError, match=r"^strict must be True or False, got "):
            validation.boolean(value, "strict")


def test_choices_are_among_the_options():
    assert validation.choice("b", "method", ("a", "b")) == "b"
    with pytest.raises(ValueError, match=r"^method must be one of 'a', 'b', got 'c'$"):
        validation.choice("c", "method", ("a", "b"))
    with pytest.raises(TypeError, match=r"^method must be one of 'a', 'b', got 1 of type int$"):
        validation.choice(1, "method", ("a", "b"))


# ---------------------------------------------------------------------------
# randomness


def test_seeds_give_the_stream_of_numpy_and_generators_pass_through():
    for seed in (5, np.int64(5), np.random.SeedSequence(5)):
        assert validation.generator(seed).random() == np.random.default_rng(5).random()
    running = np.random.default_rng(1)
    assert validation.generator(running) is running


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (None, TypeError, "rng must be .* got None: pass a seed, for example rng=0"),
        (-1, ValueError, "rng must be an integer seed >= 0, .* got -1"),
        (1.0, TypeError, "rng must be .* got 1.0 of type float"),
        (True, TypeError, "rng must be .* got True of type bool"),
        (np.random.RandomState(0), TypeError, "rng must be .* of type RandomState"),
    ],
)
def test_sources_of_randomness_must_be_repeatable(value, error, message):
    with pytest.raises(error, match=message):
        validation.generator(value)


# ---------------------------------------------------------------------------
# the paper's data


def _slice_points(n, d, seed=0):
    v = np.random.default_rng(seed).normal(size=(n, d - 1))
    v *= math.sqrt(0.75) / np.linalg.norm(v, axis=1, keepdims=True)
    return np.hstack([v, np.full((n, 1), 0.5)])


@pytest.mark.parametrize("d", [2, 3, 10])
def test_points_on_the_slice_pass_unmoved(d):
    X = _slice_points(5, d)
    assert_array_equal(validation.points_on_slice(X), X)
    assert_array_equal(validation.points_on_slice(X, d=d), X)
    nearly = X.copy()
    nearly[:, -1] += 9e-10
    assert_array_equal(validation.points_on_slice(nearly), nearly)


@pytest.mark.parametrize(
    ("row", "column", "shift"), [(0, -1, 2e-9), (3, -1, -1e-3), (2, 0, 1e-7), (4, 0, 1e300)]
)
def test_points_off_the_slice_are_refused_with_row_norm_and_height(row, column, shift):
    X = _slice_points(5, 3)
    X[row, column] += shift
    with pytest.raises(ValueError, match=rf"row {row} has \|\|x\|\| = .* and x_d = "):
        validation.points_on_slice(X)


def test_a_height_off_by_a_little_is_refused_though_the_norm_is_right():
    X = _slice_points(2, 3)
    X[1, -1] += 3e-9
    X[1, :2] *= math.sqrt(1 - X[1, -1] ** 2) / math.sqrt(0.75)
    assert abs(np.linalg.norm(X[1]) - 1) < 1e-15
    with pytest.raises(ValueError, match="row 1"):
        validation.points_on_slice(X)


def test_a_norm_off_by_a_little_is_refused_though_the_height_is_right():
    X = _slice_points(2, 3)
    X[1, :2] *= 1 + 1e-8
    with pytest.raises(ValueError, match="row 1"):
        validation.points_on_slice(X)
    assert_array_equal(validation.points_on_slice(X, atol=1e-7), X)


@pytest.mark.parametrize(
    ("X", "d", "message"),
    [
        ([[0.5]], None, "X must have at least 2 columns"),
        ([0.5, 0.5], None, r"X must have shape \(n, d\), got \(2,\)"),
        (_slice_points(2, 3), 4, r"X must have shape \(n, 4\), got \(2, 3\)"),
        (np.zeros((0, 3)), 3, "X must not be empty"),
        ([[np.nan, 0.5]], None, "X must contain finite numbers only"),
    ],
)
def test_malformed_points_are_refused(X, d, message):
    with pytest.raises(ValueError, match=message):
        validation.points_on_slice(X, d=d)


def test_labels_are_one_per_point_and_at_most_one():
    assert_array_equal(validation.labels([1, -1, 0.25], n=3), [1.0, -1.0, 0.25])
    with pytest.raises(ValueError, match=r"^y must satisfy \|y\| <= 1, got -1.5 at index 1$"):
        validation.labels([1.0, -1.5, 2.0], n=3)
    with pytest.raises(ValueError, match=r"^y must have shape \(2,\), got \(3,\)$"):
        validation.labels([1.0, 0.0, 1.0], n=2)


# ---------------------------------------------------------------------------
# indices, masks, lengths


def test_indices_come_back_as_int64_in_order():
    found = validation.index_array(np.array([2, 0, 2], dtype=np.uint8), "rows", upper=3)
    assert found.dtype == np.int64
    assert_array_equal(found, [2, 0, 2])
    assert validation.index_array([], "rows", upper=3).shape == (0,)


@pytest.mark.parametrize(
    ("value", "options", "error", "message"),
    [
        ([0, 3], {}, ValueError, "rows must contain indices >= 0 and < 3, got 3 at index 1"),
        ([-1], {}, ValueError, "got -1 at index 0"),
        ([1.0], {}, TypeError, "rows must contain integers only, got an array of dtype float64"),
        ([True], {}, TypeError, "dtype bool"),
        ([2, True], {}, TypeError, "integers only, got True of type bool at index 1"),
        (np.zeros(0), {}, TypeError, "dtype float64"),
        ([[0]], {}, ValueError, r"rows must have shape \(k,\), got \(1, 1\)"),
        ([[0], [1, 2]], {}, ValueError, "ragged"),
        (1, {}, ValueError, r"rows must have shape \(k,\), got \(\)"),
        ([], {"allow_empty": False}, ValueError, "rows must not be empty"),
        ([1, 2, 1], {"unique": True}, ValueError, "must not contain an index twice, got 1 more"),
    ],
)
def test_bad_indices_are_refused(value, options, error, message):
    with pytest.raises(error, match=message):
        validation.index_array(value, "rows", upper=3, **options)


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 40), max_size=12),
    st.sampled_from([41, 500, 10**6, 2**62]),
    st.sampled_from([np.int64, np.uint64, np.uint8, np.int32]),
)
def test_an_index_that_occurs_twice_is_found_however_long_the_table_would_be(indices, upper, dtype):
    value = np.array(indices, dtype=dtype)
    for given_indices in (value, np.sort(value)):
        if len(set(indices)) == len(indices):
            found = validation.index_array(given_indices, "ids", upper=upper, unique=True)
            assert_array_equal(found, given_indices)
            assert found.dtype == np.int64
        else:
            twice = min(i for i in indices if indices.count(i) > 1)
            with pytest.raises(ValueError, match=f"twice, got {twice} more than once"):
                validation.index_array(given_indices, "ids", upper=upper, unique=True)


def test_a_plain_array_of_float64_passes_every_check_that_others_do():
    plain = np.array([[1.0, 2.0]])
    assert validation.float_array(plain, "W", shape=("m", 2)) is plain
    for value, message in [
        (np.array([[1.0, np.nan]]), r"finite numbers only, got nan at index \(0, 1\)"),
        (plain[0], r"W must have shape \(m, 2\), got \(2,\)"),
        (np.empty((0, 2)), "W must not be empty"),
        (plain.T, r"W must have shape \(m, 2\), got \(2, 1\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            validation.float_array(value, "W", shape=("m", 2))
    foreign = plain.astype(plain.dtype.newbyteorder())
    assert validation.float_array(foreign, "W").dtype.isnative
    with pytest.raises(TypeError, match="masked"):
        validation.float_array(np.ma.masked_array(plain, plain > 1.0), "W")
    columns = np.asfortranarray(np.ones((2, 2)))
    assert validation.float_array(columns, "W").flags.c_contiguous


def test_masks_are_boolean_and_of_the_right_shape():
    assert validation.mask([[True, False]], "active", shape=(1, 2)).tolist() == [[True, False]]
    for value, error, message in [
        ([1, 0], TypeError, "active must contain booleans only, got an array of dtype int64"),
        ([True], ValueError, r"active must have shape \(2,\), got \(1,\)"),
        ([[True], [True, False]], ValueError, "ragged"),
        (np.ma.masked_array([True, False], [True, False]), TypeError, "masked"),
    ]:
        with pytest.raises(error, match=message):
            validation.mask(value, "active", shape=(2,))


def test_lengths_are_compared_by_name():
    assert validation.same_length(X=np.zeros((4, 2)), y=[1, 2, 3, 4]) == 4
    with pytest.raises(
        ValueError, match=r"^a and b and c must have the same length, got 1 and 1 a"
    ):
        validation.same_length(a=[1], b=[2], c=[])
    with pytest.raises(ValueError, match="needs at least one argument"):
        validation.same_length()
