"""What the float32 filter is certain of is true in rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sublinear_lib.halfspace.engine import (
    HEADROOM,
    Scale,
    folded,
    inflated_box,
    prepare,
    radii,
    round_up,
)
from sublinear_lib.halfspace.protocol import PointStore
from tests.halfspace.oracle import LARGEST, WILD, problems, score, vectors

pytestmark = pytest.mark.either_way

ALL_FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def prepared(points, biases, normals, offsets, fold=False):
    """Return points and half-spaces in the units of the filter, and these."""
    store = PointStore(points, biases)
    scale = Scale.fitting(store.largest())
    rounded = scale.rounded(store, np.arange(len(points)), fold=fold)
    return rounded, prepare(normals, offsets, store.biased, scale), scale


def rational(vector):
    return [Fraction(float(number)) for number in vector]


def summed(products, order, fused):
    """Add float32 products in some order, rounding each product or not."""
    total = np.float32(0.0)
    for k in order:
        left, right = products[k]
        if fused:
            total = np.float32(float(left) * float(right) + float(total))
        else:
            total = np.float32(total + np.float32(left * right))
    return total


def assert_certain_is_true(rounded, batch, problem, random, fused):
    """Hold what float32 is certain of, in some order of summation, against rational arithmetic."""
    points, biases, normals, offsets, _ = problem
    order = list(range(rounded.shape[1]))
    for r, row in enumerate(rounded):
        radius = radii(row[None], row[None])[0]
        for q, vector in enumerate(batch.vectors):
            random.shuffle(order)
            value = summed(list(zip(row, vector, strict=True)), order, fused)
            assert np.isfinite(value), "scaled numbers must not overflow"
            slack = batch.spread[q] * radius
            bias = 0.0 if biases is None else biases[r]
            margin = score(points[r], bias, normals[q]) - Fraction(float(offsets[q]))
            if value < batch.below[q] - slack:
                assert margin < 0, f"point {r}, query {q}"
            if value > batch.above[q] + slack:
                assert margin > 0, f"point {r}, query {q}"


@settings(deadline=None, max_examples=100)
@given(problems(max_points=8, dimensions=(1, 2, 3, 9)), st.randoms(), st.booleans())
def test_a_certain_score_is_right_in_any_order_of_summation(problem, random, fused):
    points, biases, normals, offsets, _ = problem
    rounded, batch, _ = prepared(points, biases, normals, offsets)
    assert_certain_is_true(rounded, batch, problem, random, fused)


@settings(deadline=None, max_examples=100)
@given(
    problems(max_points=8, dimensions=(2, 3, 5), on_slice=True),
    st.floats(-1e-9, 1e-9),
    st.randoms(),
    st.booleans(),
)
def test_a_certain_score_with_the_bias_folded_in_is_right_off_the_slice_too(
    problem, step, random, fused
):
    points, biases, normals, offsets, _ = problem
    if biases is None or not len(points):
        return
    normals[:, -1] = 0.5 + step
    # Half of the points nearly cancel with their bias.
    points[::2, -1] = -2.0 * np.clip(biases[::2], -(2.0**1000), 2.0**1000)
    rounded, batch, scale = prepared(points, biases, normals, offsets, fold=True)
    batch = folded(batch, normals, float(np.abs(biases).max()), scale)
    assert_certain_is_true(rounded, batch, problem, random, fused)


def test_folding_the_bias_costs_nothing_where_the_last_component_is_one_half():
    rng = np.random.default_rng(0)
    points, biases = rng.standard_normal((50, 3)), rng.standard_normal(50)
    normals = rng.standard_normal((4, 3))
    normals[:, -1] = 0.5
    normals[3, -1] = 0.5 + 1e-9
    _, plain, scale = prepared(points, biases, normals, np.zeros(4))
    batch = folded(plain, normals, np.abs(biases).max(), scale)
    np.testing.assert_array_equal(batch.vectors, plain.vectors[:, :3])
    np.testing.assert_allclose(batch.below[:3], plain.below[:3], rtol=1e-6)
    assert batch.below[3] < plain.below[3]
    assert batch.above[3] > plain.above[3]


@settings(deadline=None, max_examples=100)
@given(problems(max_points=8, dimensions=(1, 2, 3, 9)), st.randoms(), st.booleans())
def test_a_certain_box_is_right_for_every_point_in_it(problem, random, fused):
    points, biases, normals, offsets, _ = problem
    if not len(points):
        return
    rounded, batch, _ = prepared(points, biases, normals, offsets)
    center, half = inflated_box(rounded.min(axis=0)[None], rounded.max(axis=0)[None])
    order = list(range(rounded.shape[1]))
    for q, vector in enumerate(batch.vectors):
        random.shuffle(order)
        middle = summed(list(zip(center[0], vector, strict=True)), order, fused)
        extent = summed(list(zip(half[0], np.abs(vector), strict=True)), order, fused)
        margins = [
            score(point, 0.0 if biases is None else biases[r], normals[q])
            - Fraction(float(offsets[q]))
            for r, point in enumerate(points)
        ]
        if not np.float32(middle + extent) >= batch.below[q]:
            assert max(margins) < 0, f"query {q} was pruned wrongly"
        if np.float32(middle - extent) > batch.above[q]:
            assert min(margins) > 0, f"query {q} was reported whole wrongly"


@pytest.mark.parametrize("d", [1, 2, 3, 8, 65])
def test_the_filter_is_sharp(d):
    # A filter that is always in doubt would be correct, and useless.
    rng = np.random.default_rng(0)
    points, normals = rng.standard_normal((500, d)), rng.standard_normal((20, d))
    rows, batch, _ = prepared(points, None, normals, np.full(20, 0.3))
    slack = batch.spread[:, None] * radii(rows, rows)
    doubtful = batch.vectors @ rows.T
    doubtful = (doubtful >= batch.below[:, None] - slack) & (
        doubtful <= batch.above[:, None] + slack
    )
    assert doubtful.mean() < 1e-4 * d


@settings(deadline=None, max_examples=100)
@given(vectors(3, 2, WILD), st.booleans())
def test_rounded_points_are_the_scaled_points_to_one_rounding(points, biased):
    biases = points[:, 0].copy() if biased else None
    rounded, _, scale = prepared(points, biases, np.zeros((0, 2)), np.zeros(0))
    for r, row in enumerate(rounded):
        stored = [*rational(points[r]), *([] if biases is None else rational(biases[r : r + 1]))]
        for found, number in zip(rational(row), stored, strict=True):
            scaled = number / Fraction(2) ** scale.exponent
            assert abs(scaled) <= 1
            allowed = abs(scaled) * Fraction(2) ** -24 + Fraction(2) ** -126
            assert abs(found - scaled) <= allowed


@settings(deadline=None)
@given(ALL_FLOATS, ALL_FLOATS)
def test_a_scale_fits_what_stays_within_its_headroom(first, second):
    scale = Scale.fitting(abs(first))
    if first:
        assert abs(Fraction(first)) < Fraction(2) ** scale.exponent
    largest = Fraction(2) ** (scale.exponent + HEADROOM)
    if scale.fits(abs(second)):
        assert abs(Fraction(second)) <= largest
    else:
        assert abs(Fraction(second)) >= largest / 2
    assert scale.fits(0.0)
    assert not scale.is_coarse_for(abs(first))


@settings(deadline=None, max_examples=100)
@given(st.floats(-(2.0**100), 2.0**100))
def test_rounding_up_is_never_down_and_only_just_up(number):
    rounded = round_up(np.array([number]))[0]
    assert rounded.dtype == np.float32
    assert float(rounded) >= number
    assert float(rounded) <= number + abs(number) * 2.0**-22 + 1e-44


def test_an_empty_box_is_nan_and_fails_every_comparison():
    nothing = np.full((1, 2), np.nan, dtype=np.float32)
    center, half = inflated_box(nothing, nothing)
    assert np.isnan(center).all()
    assert np.isnan(half).all()
    assert np.isnan(radii(nothing, nothing)).all()


def test_thresholds_beyond_every_score_stay_finite():
    batch = prepare(np.full((2, 1), 1e-300), np.array([LARGEST, -LARGEST]), False, Scale(-1000))
    for field in batch:
        assert np.isfinite(field).all()
    assert batch.below[0] > 2.0**90
    assert batch.above[1] < -(2.0**90)


def test_a_zero_normal_compares_zero_with_the_offset():
    batch = prepare(np.zeros((3, 2)), np.array([-1.0, 0.0, 1.0]), False, Scale(0))
    # Not quite zero, because zero times NaN must be seen to be NaN, and small enough not to matter.
    assert (batch.vectors != 0.0).any(axis=1).all()
    assert np.abs(batch.vectors).max() * 2.0**HEADROOM < -batch.below[1]
    assert batch.above[0] < 0.0 < batch.below[2]
    assert batch.below[1] < 0.0 < batch.above[1]
