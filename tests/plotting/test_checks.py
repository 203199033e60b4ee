"""Figures refuse places that do not ascend and values that they cannot show, and say which."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sublinear_lib.plotting.checks import ascending, nonnegative, positive, shares


def test_ascending_places_come_back_as_an_array() -> None:
    assert_array_equal(ascending((1, 2, 4), "x"), [1.0, 2.0, 4.0])
    assert_array_equal(ascending([0.0, 360.0], "angles", 0.0, 360.0), [0.0, 360.0])


@pytest.mark.parametrize(
    ("value", "range_", "message"),
    [
        ([1.0], (), r"x must be at least two ascending numbers, got \[1\]"),
        ([1.0, 1.0], (), r"ascending numbers, got \[1, 1\]"),
        ([2.0, 1.0], (), r"ascending numbers, got \[2, 1\]"),
        ([0.5, 2.0], (1.0,), r"ascending numbers >= 1, got \[0.5, 2\]"),
        ([0.0, 361.0], (0.0, 360.0), r"ascending numbers in \[0, 360\], got \[0, 361\]"),
        ([0.0, 2.0], (-np.inf, 1.0), r"ascending numbers <= 1, got \[0, 2\]"),
        (np.arange(20.0)[::-1], (), r"got \[19, 18, 17, 16, 15, 14, 13, 12, ...\]"),
        ([[1.0, 2.0]], (), "x must have shape"),
    ],
)
def test_other_places_are_refused(value: object, range_: tuple[float, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ascending(value, "x", *range_)


def test_values_for_a_logarithmic_axis_are_positive() -> None:
    assert_array_equal(positive([1, 2], "y", (2,)), [1.0, 2.0])
    with pytest.raises(ValueError, match="y must be > 0 to be drawn on a logarithmic axis, got 0"):
        positive([[1.0, 0.0]], "y", (None, None))
    with pytest.raises(ValueError, match="y must have shape"):
        positive([1.0], "y", (2,))


def test_counts_are_not_negative_and_shares_are_at_most_one() -> None:
    assert_array_equal(nonnegative([0, 2], "y", (2,)), [0.0, 2.0])
    with pytest.raises(ValueError, match=r"y must be >= 0, got -1\.0"):
        nonnegative([1.0, -1.0], "y", (2,))
    assert_array_equal(shares([0, 1], "y", (2,)), [0.0, 1.0])
    for wrong in ([-0.5, 1.0], [0.0, 1.5]):
        with pytest.raises(ValueError, match=r"y must lie in \[0, 1\], got values from"):
            shares(wrong, "y", (2,))
