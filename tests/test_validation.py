"""Bad arguments raise with name, value and what is allowed; good ones come through unchanged."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal
from scipy import sparse

from sublinear_lib import validation


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


def test_fitting_arrays_are_not_copied_and_others_are_made_contiguous():
    array = np.arange(6.0).reshape(2, 3)
    assert validation.float_array(array, "W", shape=("m", 3)) is array
    foreign = array.astype(array.dtype.newbyteorder())
    assert validation.float_array(foreign, "W").dtype.isnative
    turned = validation.float_array(array.T, "W")
    assert turned.flags.c_contiguous
    assert_array_equal(turned, array.T)
    assert validation.float_array(3, "tau").shape == ()


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ([1.0, np.nan, np.inf], ValueError, "finite numbers only, got nan at index 1"),
        ([[1.0, 2.0], [3.0, np.inf]], ValueError, r"got inf at index \(1, 1\)"),
        (np.float64("nan"), ValueError, "y must contain finite numbers only, got nan$"),
        ([True, False], TypeError, "y must contain real numbers only, got True of type bool at"),
        ([1.0, True], TypeError, "got True of type bool at index 1"),
        (np.array([True]), TypeError, "y must contain real numbers of at most 64 bits, got an ar"),
        (["1"], TypeError, "y must contain real numbers only, got '1' of type str at index 0"),
        ("12", TypeError, "got '12' of type str$"),
        ([1 + 2j], TypeError, "got .* of type complex"),
        (None, TypeError, "got None of type NoneType$"),
        ({"a": 1}, TypeError, "of type dict"),
        (np.array([1, None]), TypeError, "dtype object"),
        ([Fraction(1, 2)], TypeError, "of type Fraction"),
        ([[1.0, 2.0], [3.0]], ValueError, "y must be a rectangular array of numbers"),
        ([2**53 + 1], ValueError, r"integers up to 2\*\*53 .*got 9007199254740993 at index 0"),
        ([0.5, -(2**53) - 1], ValueError, r"got -9007199254740993 at index 1"),
        (np.array([2**53 + 1]), ValueError, "got 9007199254740993 at index 0"),
        (np.array([2**64 - 1], dtype=np.uint64), ValueError, "got 18446744073709551615"),
        (2**80, ValueError, f"got {2**80}$"),
        (np.ma.masked_array([1.0, 2.0], [False, True]), TypeError, "got a masked array"),
        (sparse.csr_matrix([[1.0]]), TypeError, "must be a dense array of numbers, got the sparse"),
        ([], ValueError, r"y must not be empty, got an array of shape \(0,\)"),
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


REAL = [2, 2.0, np.int8(2), np.uint64(2), np.float16(2), np.float32(2), np.array(2.0)]
WHOLE = [2, np.int32(2), np.uint8(2), np.array(2)]
NONE = [True, np.True_, "1", None, 1j, [1], np.array([1]), np.array(True), Fraction(1)]


@pytest.mark.parametrize(
    ("check", "kind", "good", "bad", "wanted"),
    [
        (validation.scalar, float, REAL, [*NONE, np.array("1")], "a finite number >= 0"),
        (validation.count, int, WHOLE, [*NONE, 2.0, np.array(2.0)], "an integer >= 0"),
    ],
)
def test_numbers_come_back_as_those_of_python_and_no_others(check, kind, good, bad, wanted):
    for value in good:
        found = check(value, "m")
        assert found == 2 and type(found) is kind, value
    for value in bad:
        with pytest.raises(TypeError, match=f"^m must be {wanted}, got "):
            check(value, "m", minimum=0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: validation.count(0, "m"), "m must be an integer >= 1, got 0$"),
        (lambda: validation.count(6, "k", minimum=0, maximum=5), "k must be .*0 and <= 5, got 6$"),
        (lambda: validation.boolean(1, "strict"), "strict must be True or False, got 1"),
        (lambda: validation.choice("c", "of", ("a", "b")), "of must be one of 'a', 'b', got 'c'$"),
        (lambda: validation.choice(1, "of", ("a", "b")), ".*'b', got 1 of type int$"),
        (lambda: validation.labels([1.0, -1.5], n=2), r"y must satisfy \|y\| <= 1, got -1.5 at in"),
        (lambda: validation.labels([1.0, 1.0], n=3), r"y must have shape \(3,\), got \(2,\)$"),
        (
            lambda: validation.mask([1, 0], "on", shape=(2,)),
            "on must .* got an array of dtype int64",
        ),
        (lambda: validation.mask([True], "on", shape=(2,)), r"on must have shape \(2,\), got"),
        (lambda: validation.mask([[True], [True, False]], "on", shape=(2,)), ".*ragged"),
        (lambda: validation.mask(np.ma.masked_array([True], [True]), "on", shape=(1,)), ".*masked"),
        (lambda: validation.same_length(a=[1], c=[]), "a and c must have the same length, got 1 a"),
        (lambda: validation.same_length(), ".*needs at least one argument"),
        (lambda: validation.float_array(np.empty((0, 2)), "W"), "W must not be empty"),
        (lambda: validation.points_on_slice([[0.5]]), "X must have at least 2 columns"),
        (lambda: validation.points_on_slice(_slice_points(2, 3), d=4), r"X must have .*\(n, 4\)"),
    ],
)
def test_what_is_not_allowed_is_named(call, message):
    with pytest.raises((TypeError, ValueError), match=f"^{message}"):
        call()


def test_what_is_allowed_comes_back():
    assert validation.count(0, "k", minimum=0, maximum=0) == 0
    assert validation.boolean(np.False_, "strict") is False
    assert validation.choice("b", "of", ("a", "b")) == "b"
    assert validation.labels([1, -1, 0.25], n=3).tolist() == [1.0, -1.0, 0.25]
    assert validation.mask([[True, False]], "on", shape=(1, 2)).tolist() == [[True, False]]
    assert validation.same_length(X=np.ones((2, 1)), y=[1, 2]) == 2
    assert validation.float_array(np.zeros((0, 3)), "X", shape=("n", 3), allow_empty=True).size == 0
    rows = validation.index_array(np.array([2, 0, 2], dtype=np.uint8), "rows", upper=3)
    assert rows.dtype == np.int64 and rows.tolist() == [2, 0, 2]
    assert validation.index_array([], "rows", upper=3).shape == (0,)


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


def _slice_points(n, d, seed=0):
    v = np.random.default_rng(seed).normal(size=(n, d - 1))
    v *= math.sqrt(0.75) / np.linalg.norm(v, axis=1, keepdims=True)
    return np.hstack([v, np.full((n, 1), 0.5)])


@pytest.mark.parametrize("off", [(0, -1, 2e-9), (3, -1, -1e-3), (2, 0, 1e-7), (4, 0, 1e300)])
@pytest.mark.parametrize("normed", [True, False])
def test_points_off_the_slice_are_refused_with_row_norm_and_height(off, normed):
    row, column, shift = off
    X = _slice_points(5, 3)
    X[row, column] += shift
    if normed and column == -1:  # the height alone is off
        X[row, :2] *= math.sqrt(1 - X[row, -1] ** 2) / math.sqrt(0.75)
    with pytest.raises(ValueError, match=rf"row {row} has \|\|x\|\| = .* and x_d = "):
        validation.points_on_slice(X)
    if abs(shift) < 1e-8:
        assert_array_equal(validation.points_on_slice(X, atol=1e-8), X)


@pytest.mark.parametrize("d", [2, 3, 10])
def test_points_on_the_slice_pass_unmoved(d):
    X = _slice_points(5, d)
    assert_array_equal(validation.points_on_slice(X), X)
    assert_array_equal(validation.points_on_slice(X, d=d), X)
    nearly = X.copy()
    nearly[:, -1] += 9e-10
    assert_array_equal(validation.points_on_slice(nearly), nearly)


@pytest.mark.parametrize(
    ("value", "options", "error", "message"),
    [
        ([0, 3], {}, ValueError, "rows must contain indices >= 0 and < 3, got 3 at index 1"),
        ([-1], {}, ValueError, "got -1 at index 0"),
        ([1.0], {}, TypeError, "rows must contain integers only, got an array of dtype float64"),
        ([True], {}, TypeError, "dtype bool"),
        ([2, True], {}, TypeError, "integers only, got True of type bool at index 1"),
        ([[0]], {}, ValueError, r"rows must have shape \(k,\), got \(1, 1\)"),
        ([[0], [1, 2]], {}, ValueError, "ragged"),
        (1, {}, ValueError, r"rows must have shape \(k,\), got \(\)"),
        ([], {"allow_empty": False}, ValueError, "rows must not be empty"),
    ],
)
def test_bad_indices_are_refused(value, options, error, message):
    with pytest.raises(error, match=message):
        validation.index_array(value, "rows", upper=3, **options)


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
